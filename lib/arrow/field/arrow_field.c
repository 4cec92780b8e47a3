/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks types and fields of an Arrow schema, and compares and names types. All sources of a tree
 * use these checks as their last step, so that one set of rules holds for struct ArrowSchema, for
 * ARROW:schema and for format strings.
 *
 *     kind                                   children
 *     the lists                              the elements
 *     map                                    the entries: a struct of key and value
 *     run_end_encoded                        run ends (int16, int32 or int64, not nullable), values
 *     the unions                             one for each type id
 *     struct                                 any number
 *     others                                 none
 *
 * The invariant: a completed field has exactly the children that its kind demands, with the kinds
 * they must have, so that later code needs no check to index them: children[0] of a list,
 * children[0] and children[1] of run ends and values, children[0].children[0] and [1] of a map's
 * key and value. (Arrow columnar format, "Data Types"; Schema.fbs)
 */
#include "arrow/field/arrow_field.h"

#include <string.h>

#include "arrow/field/arrow_decimal.h"

/* By lam_arrow_kind, in its order. */
const char *lam_arrow_kind_name(lam_arrow_kind kind) {
    static const char *const names[] = {"null",
                                        "bool",
                                        "int8",
                                        "uint8",
                                        "int16",
                                        "uint16",
                                        "int32",
                                        "uint32",
                                        "int64",
                                        "uint64",
                                        "float16",
                                        "float",
                                        "double",
                                        "decimal",
                                        "date32",
                                        "date64",
                                        "time32",
                                        "time64",
                                        "timestamp",
                                        "duration",
                                        "month_interval",
                                        "day_time_interval",
                                        "month_day_nano_interval",
                                        "binary",
                                        "large_binary",
                                        "binary_view",
                                        "string",
                                        "large_string",
                                        "string_view",
                                        "fixed_size_binary",
                                        "list",
                                        "large_list",
                                        "list_view",
                                        "large_list_view",
                                        "fixed_size_list",
                                        "struct",
                                        "map",
                                        "run_end_encoded",
                                        "sparse_union",
                                        "dense_union"};
    size_t index = (size_t)kind;
    return index < sizeof names / sizeof names[0] ? names[index] : "unknown";
}

/* --- Types ------------------------------------------------------------------------------------ */

static const char *decimal_fault(const lam_arrow_type *type) {
    int32_t digits = lam_arrow_decimal_digits(type->bit_width);
    if (digits == 0)
        return "a decimal must be 32, 64, 128 or 256 bits wide";
    return type->precision >= 1 && type->precision <= digits
               ? NULL
               : "the precision of a decimal must be 1 to 9, 18, 38 or 76 digits, depending on its "
                 "width";
}

/*
 * Checks the unit against the width: a time of day needs 64 bits from microseconds on, because a
 * day has 86,400,000 milliseconds, but 86,400,000,000 microseconds. A number beyond the known units
 * is refused first.
 */
static const char *unit_fault(const lam_arrow_type *type) {
    bool small = type->unit == LAM_ARROW_SECOND || type->unit == LAM_ARROW_MILLISECOND;
    if ((unsigned)type->unit > LAM_ARROW_NANOSECOND)
        return "the unit of time is unknown";
    if (type->kind == LAM_ARROW_TIME32 && !small)
        return "a time32 must count seconds or milliseconds";
    if (type->kind == LAM_ARROW_TIME64 && small)
        return "a time64 must count microseconds or nanoseconds";
    return NULL;
}

/* Type ids are signed bytes in an array, and name one child each. */
static const char *union_fault(const lam_arrow_type *type) {
    bool seen[128] = {false};
    for (size_t i = 0; i < type->union_ids.size; i++) {
        uint8_t id = type->union_ids.data[i];
        if (id >= sizeof seen || seen[id])
            return "the type ids of a union must be distinct numbers from 0 to 127";
        seen[id] = true;
    }
    return NULL;
}

/* Only kinds with arguments can have a fault. */
const char *lam_arrow_type_fault(const lam_arrow_type *type) {
    switch (type->kind) {
    case LAM_ARROW_DECIMAL:
        return decimal_fault(type);
    case LAM_ARROW_TIME32:
    case LAM_ARROW_TIME64:
    case LAM_ARROW_TIMESTAMP:
    case LAM_ARROW_DURATION:
        return unit_fault(type);
    case LAM_ARROW_FIXED_SIZE_BINARY:
    case LAM_ARROW_FIXED_SIZE_LIST:
        return type->fixed_size < 0 ? "a fixed size must not be negative" : NULL;
    case LAM_ARROW_SPARSE_UNION:
    case LAM_ARROW_DENSE_UNION:
        return union_fault(type);
    default:
        return NULL;
    }
}

/* Equal texts, or both NULL. */
static bool text_equals(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/*
 * Compares the kind and those arguments that it has. Zones are compared as texts: UTC and +00:00
 * differ.
 */
bool lam_arrow_type_equals(const lam_arrow_type *a, const lam_arrow_type *b) {
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case LAM_ARROW_DECIMAL:
        return a->bit_width == b->bit_width && a->precision == b->precision && a->scale == b->scale;
    case LAM_ARROW_TIME32:
    case LAM_ARROW_TIME64:
    case LAM_ARROW_TIMESTAMP:
    case LAM_ARROW_DURATION:
        return a->unit == b->unit && text_equals(a->timezone, b->timezone);
    case LAM_ARROW_FIXED_SIZE_BINARY:
    case LAM_ARROW_FIXED_SIZE_LIST:
        return a->fixed_size == b->fixed_size;
    case LAM_ARROW_MAP:
        return a->keys_sorted == b->keys_sorted;
    case LAM_ARROW_SPARSE_UNION:
    case LAM_ARROW_DENSE_UNION:
        return a->union_ids.size == b->union_ids.size &&
               (a->union_ids.size == 0 ||
                memcmp(a->union_ids.data, b->union_ids.data, a->union_ids.size) == 0);
    default:
        return true;
    }
}

/* --- Fields ----------------------------------------------------------------------------------- */

/* A map is a list of entries: one child, a struct of key and value, under any names. */
static const char *map_fault(const lam_arrow_field *field) {
    if (field->child_count != 1)
        return "a map must have one child, its entries";
    const lam_arrow_field *entries = &field->children[0];
    if (entries->type.kind != LAM_ARROW_STRUCT || entries->is_dictionary)
        return "the entries of a map must be a struct";
    return entries->child_count == 2 ? NULL : "the entries of a map must have two children";
}

/* Run ends are counted from 1 and increase, so a null among them would have no meaning. */
static const char *run_end_fault(const lam_arrow_field *field) {
    if (field->child_count != 2)
        return "a run_end_encoded must have two children, run ends and values";
    const lam_arrow_field *ends = &field->children[0];
    lam_arrow_kind kind = ends->type.kind;
    if (ends->is_dictionary || ends->nullable ||
        (kind != LAM_ARROW_INT16 && kind != LAM_ARROW_INT32 && kind != LAM_ARROW_INT64))
        return "run ends must be int16, int32 or int64, and not nullable";
    return NULL;
}

/* A struct may have any number of children, none included. */
static const char *children_fault(const lam_arrow_field *field) {
    switch (field->type.kind) {
    case LAM_ARROW_LIST:
    case LAM_ARROW_LARGE_LIST:
    case LAM_ARROW_LIST_VIEW:
    case LAM_ARROW_LARGE_LIST_VIEW:
    case LAM_ARROW_FIXED_SIZE_LIST:
        return field->child_count == 1 ? NULL : "a list must have one child, its elements";
    case LAM_ARROW_STRUCT:
        return NULL;
    case LAM_ARROW_MAP:
        return map_fault(field);
    case LAM_ARROW_RUN_END_ENCODED:
        return run_end_fault(field);
    case LAM_ARROW_SPARSE_UNION:
    case LAM_ARROW_DENSE_UNION:
        return field->child_count == field->type.union_ids.size
                   ? NULL
                   : "a union must have as many children as type ids";
    default:
        return field->child_count == 0 ? NULL : "a type that is not nested must not have children";
    }
}

static bool arrow_field_is_integer(lam_arrow_kind kind) {
    return kind >= LAM_ARROW_INT8 && kind <= LAM_ARROW_UINT64;
}

/*
 * Writers leave the entries and keys of maps nullable at times, though neither can be null by the
 * format; they are corrected rather than refused.
 */
const char *lam_arrow_field_complete(lam_arrow_field *field) {
    const char *fault = lam_arrow_type_fault(&field->type);
    if (fault == NULL)
        fault = children_fault(field);
    if (fault == NULL && field->is_dictionary && !arrow_field_is_integer(field->index_kind))
        fault = "the indices of a dictionary must be integers";
    if (fault == NULL && field->type.kind == LAM_ARROW_MAP) {
        field->children[0].nullable = false;
        field->children[0].children[0].nullable = false;
    }
    return fault;
}

/*
 * The width of lists is that of their offsets. Kinds with one bit per slot, or with children only,
 * have 0.
 */
size_t lam_arrow_slot_size(lam_arrow_kind kind, const lam_arrow_type *type) {
    switch (kind) {
    case LAM_ARROW_INT8:
    case LAM_ARROW_UINT8:
        return 1;
    case LAM_ARROW_INT16:
    case LAM_ARROW_UINT16:
    case LAM_ARROW_FLOAT16:
        return 2;
    case LAM_ARROW_INT32:
    case LAM_ARROW_UINT32:
    case LAM_ARROW_FLOAT32:
    case LAM_ARROW_DATE32:
    case LAM_ARROW_TIME32:
    case LAM_ARROW_INTERVAL_MONTHS:
    case LAM_ARROW_BINARY:
    case LAM_ARROW_STRING:
    case LAM_ARROW_LIST:
    case LAM_ARROW_LIST_VIEW:
    case LAM_ARROW_MAP:
        return 4;
    case LAM_ARROW_INT64:
    case LAM_ARROW_UINT64:
    case LAM_ARROW_FLOAT64:
    case LAM_ARROW_DATE64:
    case LAM_ARROW_TIME64:
    case LAM_ARROW_TIMESTAMP:
    case LAM_ARROW_DURATION:
    case LAM_ARROW_INTERVAL_DAY_TIME:
    case LAM_ARROW_LARGE_BINARY:
    case LAM_ARROW_LARGE_STRING:
    case LAM_ARROW_LARGE_LIST:
    case LAM_ARROW_LARGE_LIST_VIEW:
        return 8;
    case LAM_ARROW_INTERVAL_MONTH_DAY_NANO:
    case LAM_ARROW_BINARY_VIEW:
    case LAM_ARROW_STRING_VIEW:
        return 16;
    case LAM_ARROW_DECIMAL:
        return (size_t)type->bit_width / 8;
    case LAM_ARROW_FIXED_SIZE_BINARY:
        return (size_t)type->fixed_size;
    default:
        return 0;
    }
}
