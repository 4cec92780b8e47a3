/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks a tree of fields and feeds a lam_schema_builder. A leaf maps its type to a physical type
 * and a logical type, each by one small function; a group adds the wrappers that Parquet demands:
 *
 *     list<item: int32>        optional group a (LIST) {
 *                                repeated group list {
 *                                  optional int32 element; } }
 *
 * The invariant: the tree of groups follows the tree of fields, and arrow_plan_write.c builds its
 * nodes on that. Wrappers and elements have the names of the specification; the field's own names
 * for them are only in ARROW:schema. (LogicalTypes.md, "Numeric Types", "Temporal Types", "Lists",
 * "Maps")
 */
#include "arrow/schema/arrow_to_parquet.h"

#include <string.h>

#include "arrow/extension/arrow_extension.h"
#include "arrow/extension/extension_variant.h"
#include "arrow/field/arrow_metadata_edit.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/recursion.h"

/* The Parquet type of a column, as the builder takes it. */
typedef struct column_type {
    lam_physical_type physical;
    lam_field_options options;
} column_type;

/* --- Types ------------------------------------------------------------------------------------ */

/*
 * Each of these fills in the type and returns NULL, or a static text that says why Parquet has no
 * such type.
 */
static const char *simple(column_type *column, lam_physical_type physical) {
    column->physical = physical;
    return NULL;
}

static const char *annotated(column_type *column, lam_physical_type physical,
                             lam_logical_kind kind) {
    column->options.logical_type.kind = kind;
    return simple(column, physical);
}

/* Bytes of a fixed length; `kind` is LAM_LOGICAL_NONE for plain ones. */
static const char *fixed(column_type *column, int32_t length, lam_logical_kind kind) {
    column->options.type_length = length;
    return annotated(column, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, kind);
}

/* Only 64 bits need INT64; the annotation keeps the narrower widths. */
static const char *integer(column_type *column, int8_t bit_width, bool is_signed) {
    column->options.logical_type.bit_width = bit_width;
    column->options.logical_type.is_signed = is_signed;
    return annotated(column, bit_width == 64 ? LAM_PHYSICAL_INT64 : LAM_PHYSICAL_INT32,
                     LAM_LOGICAL_INTEGER);
}

/*
 * The fewest bytes of a two's complement number that hold this many digits: n bytes hold
 * floor(log10(2^(8n-1) - 1)) digits, computed with log10(2) as a fraction of 2^32. 19 digits take 9
 * bytes, 38 take 16, 76 take 32. (LogicalTypes.md, "DECIMAL")
 */
static int32_t bytes_of_digits(int32_t digits) {
    int32_t n = 1;
    while ((int32_t)((UINT64_C(8) * (uint32_t)n - 1) * UINT64_C(1292913986) >> 32) < digits)
        n++;
    return n;
}

/*
 * Arrow allows negative scales and scales beyond the precision, Parquet neither. The smallest
 * physical type that holds the precision is taken, whatever the width in Arrow:
 *
 *     decimal(9,2)  INT32      decimal(18,2)  INT64      decimal(38,2)  FIXED_LEN_BYTE_ARRAY(16)
 */
static const char *decimal(column_type *column, const lam_arrow_type *type) {
    enum { ARROW_TO_PARQUET_INT32_DIGITS = 9, ARROW_TO_PARQUET_INT64_DIGITS = 18 };
    if (type->scale < 0)
        return "Parquet has no decimals of negative scale";
    if (type->scale > type->precision)
        return "Parquet has no decimals whose scale is greater than their precision";
    column->options.logical_type.precision = type->precision;
    column->options.logical_type.scale = type->scale;
    if (type->precision <= ARROW_TO_PARQUET_INT32_DIGITS)
        return annotated(column, LAM_PHYSICAL_INT32, LAM_LOGICAL_DECIMAL);
    if (type->precision <= ARROW_TO_PARQUET_INT64_DIGITS)
        return annotated(column, LAM_PHYSICAL_INT64, LAM_LOGICAL_DECIMAL);
    return fixed(column, bytes_of_digits(type->precision), LAM_LOGICAL_DECIMAL);
}

/* Parquet has no seconds, so that these become milliseconds. */
static lam_time_unit arrow_to_parquet_unit_of(lam_arrow_unit unit) {
    switch (unit) {
    case LAM_ARROW_MICROSECOND:
        return LAM_TIME_UNIT_MICROS;
    case LAM_ARROW_NANOSECOND:
        return LAM_TIME_UNIT_NANOS;
    default:
        return LAM_TIME_UNIT_MILLIS;
    }
}

/*
 * A timestamp with a zone is an instant and adjusted to UTC; one without a zone is local, as is a
 * time of day. Parquet does not keep the zone itself, which ARROW:schema does.
 *
 *     timestamp(s, Europe/Paris)    INT64 (TIMESTAMP(MILLIS, true))
 *     time64(ns)                    INT64 (TIME(NANOS, false))
 */
static const char *temporal(column_type *column, const lam_arrow_type *type) {
    lam_logical_type *logical = &column->options.logical_type;
    logical->unit = arrow_to_parquet_unit_of(type->unit);
    if (type->kind == LAM_ARROW_TIME32)
        return annotated(column, LAM_PHYSICAL_INT32, LAM_LOGICAL_TIME);
    if (type->kind == LAM_ARROW_TIME64)
        return annotated(column, LAM_PHYSICAL_INT64, LAM_LOGICAL_TIME);
    logical->adjusted_to_utc = type->timezone != NULL;
    return annotated(column, LAM_PHYSICAL_INT64, LAM_LOGICAL_TIMESTAMP);
}

/* The column of a type that is not nested; NULL, or why Parquet has none. */
static const char *arrow_to_parquet_column_of(const lam_arrow_type *type, column_type *column) {
    switch (type->kind) {
    case LAM_ARROW_NULL:
        return annotated(column, LAM_PHYSICAL_INT32, LAM_LOGICAL_UNKNOWN);
    case LAM_ARROW_BOOL:
        return simple(column, LAM_PHYSICAL_BOOLEAN);
    case LAM_ARROW_INT8:
        return integer(column, 8, true);
    case LAM_ARROW_UINT8:
        return integer(column, 8, false);
    case LAM_ARROW_INT16:
        return integer(column, 16, true);
    case LAM_ARROW_UINT16:
        return integer(column, 16, false);
    case LAM_ARROW_INT32:
        return simple(column, LAM_PHYSICAL_INT32);
    case LAM_ARROW_UINT32:
        return integer(column, 32, false);
    case LAM_ARROW_INT64:
    case LAM_ARROW_DURATION:
        return simple(column, LAM_PHYSICAL_INT64);
    case LAM_ARROW_UINT64:
        return integer(column, 64, false);
    case LAM_ARROW_FLOAT16:
        return fixed(column, 2, LAM_LOGICAL_FLOAT16);
    case LAM_ARROW_FLOAT32:
        return simple(column, LAM_PHYSICAL_FLOAT);
    case LAM_ARROW_FLOAT64:
        return simple(column, LAM_PHYSICAL_DOUBLE);
    case LAM_ARROW_DECIMAL:
        return decimal(column, type);
    case LAM_ARROW_DATE32:
    case LAM_ARROW_DATE64:
        return annotated(column, LAM_PHYSICAL_INT32, LAM_LOGICAL_DATE);
    case LAM_ARROW_TIME32:
    case LAM_ARROW_TIME64:
    case LAM_ARROW_TIMESTAMP:
        return temporal(column, type);
    case LAM_ARROW_INTERVAL_MONTHS:
    case LAM_ARROW_INTERVAL_DAY_TIME:
    case LAM_ARROW_INTERVAL_MONTH_DAY_NANO:
        return fixed(column, 12, LAM_LOGICAL_INTERVAL);
    case LAM_ARROW_BINARY:
    case LAM_ARROW_LARGE_BINARY:
    case LAM_ARROW_BINARY_VIEW:
        return simple(column, LAM_PHYSICAL_BYTE_ARRAY);
    case LAM_ARROW_STRING:
    case LAM_ARROW_LARGE_STRING:
    case LAM_ARROW_STRING_VIEW:
        return annotated(column, LAM_PHYSICAL_BYTE_ARRAY, LAM_LOGICAL_STRING);
    case LAM_ARROW_FIXED_SIZE_BINARY:
        if (type->fixed_size == 0)
            return "Parquet has no binary of a fixed size of 0 bytes";
        return fixed(column, type->fixed_size, LAM_LOGICAL_NONE);
    default:
        return "Parquet has no unions";
    }
}

/* --- The tree --------------------------------------------------------------------------------- */

/* The state of one walk. */
typedef struct schema_writer {
    lam_schema_builder *builder;
    lam_arena *arena;
    lam_error *error;
} schema_writer;

/* A field to be added, with the name and repetition that it gets in the Parquet schema. */
typedef struct field_to_write {
    lam_arrow_path path;
    const lam_arrow_field *field;
    const char *name;
    lam_repetition repetition;
    bool is_shredded; /* inside a VARIANT */
} field_to_write;

/* A child of a field, optional if it is nullable. A wrapper then overwrites the repetition. */
static field_to_write field_below(const field_to_write *outer, const lam_arrow_field *field,
                                  const char *name) {
    field_to_write at = {{&outer->path, field->name},
                         field,
                         name,
                         field->nullable ? LAM_REPETITION_OPTIONAL : LAM_REPETITION_REQUIRED,
                         outer->is_shredded};
    return at;
}

/* Fails with the path of the Arrow field, whose names the caller knows. */
static lam_status arrow_to_parquet_fail(schema_writer *writer, const field_to_write *at, int kind,
                                        const char *reason) {
    return lam_arrow_fail_at(&at->path, kind, reason, writer->error);
}

/* Opens a group. The builder's own message follows the field's path. */
static lam_status arrow_to_parquet_begin_group(schema_writer *writer, const field_to_write *at,
                                               const lam_field_options *options) {
    lam_error cause = lam_error_none();
    lam_status status =
        lam_schema_builder_begin_group(writer->builder, at->name, at->repetition, options, &cause);
    return status == LAM_STATUS_OK ? status
                                   : arrow_to_parquet_fail(writer, at, status, cause.message);
}

static lam_status end_group(schema_writer *writer) {
    return lam_schema_builder_end_group(writer->builder, writer->error);
}

/* A list or map and its repeated group, which cannot fail to end: it has fields. */
static lam_status end_both_groups(schema_writer *writer) {
    (void)end_group(writer);
    return end_group(writer);
}

/*
 * Reads the id from PARQUET:field_id in the field's metadata. At most as many characters as
 * -2147483648 has keep the sum within 64 bits, so the range can be checked at the end.
 */
static lam_status read_id(schema_writer *writer, const field_to_write *at,
                          lam_field_options *options) {
    const lam_bytes *value = lam_arrow_metadata_find(&at->field->metadata, LAM_ARROW_FIELD_ID_KEY);
    if (value == NULL)
        return LAM_STATUS_OK;
    const uint8_t *digits = value->data;
    size_t size = value->size;
    bool negative = size > 0 && digits[0] == '-';
    int64_t id = 0;
    bool fits = size > negative && size <= sizeof "-2147483648" - 1;
    for (size_t i = negative; fits && i < size; i++) {
        fits = lam_ascii_is_digit(digits[i]);
        id = id * 10 + (digits[i] - '0');
    }
    id = negative ? -id : id;
    if (!fits || id < INT32_MIN || id > INT32_MAX)
        return arrow_to_parquet_fail(writer, at, LAM_STATUS_INVALID,
                                     "PARQUET:field_id in its metadata is not a 32-bit number");
    options->has_id = true;
    options->id = (int32_t)id;
    return LAM_STATUS_OK;
}

static lam_status arrow_to_parquet_add_field(schema_writer *writer, field_to_write *at);

/* Adds one child, with what the caller knows about it. */
static lam_status add_below(schema_writer *writer, const field_to_write *at,
                            const lam_arrow_field *child, const char *name) {
    field_to_write below = field_below(at, child, name);
    return arrow_to_parquet_add_field(writer, &below);
}

/* Adds a column; its extension type has the last word on the logical type. */
LAM_APART static lam_status arrow_to_parquet_add_leaf(schema_writer *writer,
                                                      const field_to_write *at) {
    lam_error cause = lam_error_none();
    lam_arrow_type type = at->field->type;
    column_type column;
    memset(&column, 0, sizeof column);
    if (at->is_shredded)
        type.kind = lam_extension_variant_kind(type.kind);
    const char *reason = arrow_to_parquet_column_of(&type, &column);
    if (reason != NULL)
        return arrow_to_parquet_fail(writer, at, LAM_ERROR_CODE_UNSUPPORTED_ARROW, reason);
    LAM_TRY(lam_arrow_extension_annotate(at->field, writer->arena, &column.options.logical_type,
                                         writer->error));
    LAM_TRY(read_id(writer, at, &column.options));
    lam_status status = lam_schema_builder_add_leaf(writer->builder, at->name, at->repetition,
                                                    column.physical, &column.options, &cause);
    return status == LAM_STATUS_OK ? status
                                   : arrow_to_parquet_fail(writer, at, status, cause.message);
}

static lam_status arrow_to_parquet_add_children(schema_writer *writer, const field_to_write *at) {
    for (size_t i = 0; i < at->field->child_count; i++) {
        const lam_arrow_field *child = &at->field->children[i];
        LAM_TRY(add_below(writer, at, child, child->name));
    }
    return LAM_STATUS_OK;
}

/* Parquet has no groups without fields. Everything below a VARIANT counts as shredded. */
LAM_APART static lam_status begin_group_of_struct(schema_writer *writer, field_to_write *at) {
    lam_field_options options = {0};
    if (at->field->child_count == 0)
        return arrow_to_parquet_fail(writer, at, LAM_ERROR_CODE_UNSUPPORTED_ARROW,
                                     "Parquet has no structs without fields");
    /* unreachable: the one annotation of a struct is VARIANT, which takes no memory */
    LAM_TRY(lam_arrow_extension_annotate(at->field, writer->arena, &options.logical_type,
                                         writer->error));
    LAM_TRY(read_id(writer, at, &options));
    LAM_TRY(arrow_to_parquet_begin_group(writer, at, &options));
    at->is_shredded |= options.logical_type.kind == LAM_LOGICAL_VARIANT;
    return LAM_STATUS_OK;
}

static lam_status add_struct(schema_writer *writer, field_to_write *at) {
    LAM_TRY(begin_group_of_struct(writer, at));
    LAM_TRY(arrow_to_parquet_add_children(writer, at));
    return end_group(writer);
}

/* Group and repeated wrapper. The wrapper has no Arrow field, and therefore no id. */
LAM_APART static lam_status begin_groups_of_list(schema_writer *writer, const field_to_write *at) {
    lam_field_options options = {.logical_type = {.kind = LAM_LOGICAL_LIST}};
    LAM_TRY(read_id(writer, at, &options));
    LAM_TRY(arrow_to_parquet_begin_group(writer, at, &options));
    field_to_write wrapper = *at;
    wrapper.name = "list";
    wrapper.repetition = LAM_REPETITION_REPEATED;
    return arrow_to_parquet_begin_group(writer, &wrapper, NULL);
}

static lam_status add_list(schema_writer *writer, const field_to_write *at) {
    LAM_TRY(begin_groups_of_list(writer, at));
    LAM_TRY(add_below(writer, at, at->field->children, "element"));
    return end_both_groups(writer);
}

/* Group, and repeated entries with their own id. */
LAM_APART static lam_status begin_groups_of_map(schema_writer *writer, const field_to_write *at,
                                                const field_to_write *entry) {
    lam_field_options options = {.logical_type = {.kind = LAM_LOGICAL_MAP}};
    lam_field_options entry_options = {0};
    LAM_TRY(read_id(writer, at, &options));
    LAM_TRY(arrow_to_parquet_begin_group(writer, at, &options));
    LAM_TRY(read_id(writer, entry, &entry_options));
    return arrow_to_parquet_begin_group(writer, entry, &entry_options);
}

/*
 * Both groups, key and value. The field import made keys not nullable.
 *
 *     map<string, int32>       optional group m (MAP) {
 *                                repeated group key_value {
 *                                  required binary key (STRING);
 *                                  optional int32 value; } }
 */
static lam_status add_map(schema_writer *writer, const field_to_write *at) {
    field_to_write entry = field_below(at, at->field->children, "key_value");
    entry.repetition = LAM_REPETITION_REPEATED;
    LAM_TRY(begin_groups_of_map(writer, at, &entry));
    LAM_TRY(add_below(writer, &entry, &entry.field->children[0], "key"));
    LAM_TRY(add_below(writer, &entry, &entry.field->children[1], "value"));
    return end_both_groups(writer);
}

/* A dictionary of values that are not nested is a column of these values. */
static lam_status arrow_to_parquet_add_field(schema_writer *writer, field_to_write *at) {
    if (at->field->is_dictionary && at->field->child_count > 0)
        return arrow_to_parquet_fail(writer, at, LAM_ERROR_CODE_UNSUPPORTED_ARROW,
                                     "Parquet has no dictionaries of nested values");
    switch (at->field->type.kind) {
    case LAM_ARROW_STRUCT:
        return add_struct(writer, at);
    case LAM_ARROW_LIST:
    case LAM_ARROW_LARGE_LIST:
    case LAM_ARROW_LIST_VIEW:
    case LAM_ARROW_LARGE_LIST_VIEW:
    case LAM_ARROW_FIXED_SIZE_LIST:
        return add_list(writer, at);
    case LAM_ARROW_MAP:
        return add_map(writer, at);
    default:
        return arrow_to_parquet_add_leaf(writer, at);
    }
}

/* The root's name does not matter to Parquet; "schema" is the usual one. */
lam_status lam_arrow_to_parquet(const lam_arrow_field *root, lam_arena *arena,
                                lam_schema **ret_schema, lam_error *error) {
    schema_writer writer = {NULL, arena, error};
    field_to_write top = {{NULL, NULL}, root, "schema", LAM_REPETITION_REQUIRED, false};
    LAM_TRY(lam_schema_builder_create(top.name, &arena->allocator, &writer.builder, error));
    lam_status status = arrow_to_parquet_add_children(&writer, &top);
    if (status == LAM_STATUS_OK)
        status = lam_schema_builder_finish(writer.builder, ret_schema, error);
    lam_schema_builder_destroy(writer.builder);
    return status;
}
