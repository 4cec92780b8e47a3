/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes the values of a batch to another type: takes values of one leaf, in the memory of whoever
 * read them, and gives as many of another leaf, in memory that is used again for the next batch.
 *
 *     int64    7, 2^53 + 1        double            7.0, refused
 *     DATE     20020              TIMESTAMP         1729728000000000
 *     UUID     16 bytes           STRING            "00112233-4455-..."
 *     int64    7                  VARIANT           01 00 00 | 18 07 00 00 00 00 00 00 00
 *
 * The invariant: a changed value prints as the same JSON, except for zeros after the point and a
 * date's time of day; a value for which that is impossible is refused, not rounded.
 */
#include "dataset/union/value_change.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/int96.h"
#include "base/utf8.h"
#include "base/wide_int.h"
#include "dataset/union/value_text.h"
#include "schema/type_union.h"
#include "text/decimal_text.h"
#include "text/number_text.h"
#include "text/time_text.h"
#include "variant/shred/variant_column.h"
#include "variant/value/variant_decimal.h"
#include "variant/value/variant_scalar.h"

enum { CHANGE_DAY = 86400, CHANGE_TEXT = LAM_NUMBER_TEXT_MAX };

static const int64_t EXACT_IN_DOUBLE = INT64_C(1) << 53;

/* --- Which change -------------------------------------------------------------------------- */

static bool is_unsigned_leaf(const lam_field *leaf) {
    return leaf->logical_type.kind == LAM_LOGICAL_INTEGER && !leaf->logical_type.is_signed;
}

static bool is_text_leaf(const lam_field *leaf) {
    lam_logical_kind kind = leaf->logical_type.kind;
    return kind == LAM_LOGICAL_STRING || kind == LAM_LOGICAL_ENUM || kind == LAM_LOGICAL_JSON;
}

static bool stores_alike(const lam_field *a, const lam_field *b) {
    return a->physical_type == b->physical_type && a->type_length == b->type_length;
}

static lam_change_kind how_to_number(const lam_field *source, const lam_field *target) {
    switch (target->physical_type) {
    case LAM_PHYSICAL_DOUBLE:
        return LAM_VALUE_TO_DOUBLE;
    case LAM_PHYSICAL_FLOAT:
        return LAM_VALUE_TO_FLOAT;
    case LAM_PHYSICAL_INT64:
        return LAM_VALUE_TO_INT64;
    default:
        return is_unsigned_leaf(source) && !is_unsigned_leaf(target) ? LAM_VALUE_TO_SIGNED
                                                                     : LAM_VALUE_SAME;
    }
}

static lam_change_kind how_to_change(const lam_field *source, const lam_field *target) {
    const lam_leaf_type a = lam_leaf_type_of(source), b = lam_leaf_type_of(target);
    bool same_scale = source->logical_type.kind == LAM_LOGICAL_DECIMAL &&
                      source->logical_type.scale == target->logical_type.scale;
    if (lam_leaf_type_equals(&a, &b))
        return LAM_VALUE_SAME;
    if (source->logical_type.kind == LAM_LOGICAL_UNKNOWN)
        return LAM_VALUE_TO_NOTHING;
    switch (target->logical_type.kind) {
    case LAM_LOGICAL_STRING:
        return is_text_leaf(source) ? LAM_VALUE_SAME : LAM_VALUE_TO_TEXT;
    case LAM_LOGICAL_DECIMAL:
        return same_scale && stores_alike(source, target) ? LAM_VALUE_SAME : LAM_VALUE_TO_DECIMAL;
    case LAM_LOGICAL_TIME:
    case LAM_LOGICAL_TIMESTAMP:
        return LAM_VALUE_TO_UNIT;
    default:
        break;
    }
    if (target->physical_type == LAM_PHYSICAL_BYTE_ARRAY)
        return source->physical_type == LAM_PHYSICAL_BYTE_ARRAY ? LAM_VALUE_SAME
                                                                : LAM_VALUE_TO_BYTES;
    return how_to_number(source, target);
}

lam_value_change lam_value_change_of(const lam_field *source, const lam_field *target) {
    return (lam_value_change){how_to_change(source, target), source, target};
}

lam_value_change lam_value_change_to_variant(const lam_field *source, const lam_field *target) {
    bool is_metadata = strcmp(target->name, "metadata") == 0;
    lam_change_kind how = source->logical_type.kind == LAM_LOGICAL_UNKNOWN ? LAM_VALUE_TO_NOTHING
                          : is_metadata                                    ? LAM_VALUE_TO_METADATA
                                                                           : LAM_VALUE_TO_VARIANT;
    return (lam_value_change){how, source, target};
}

void lam_value_room_init(lam_value_room *room, const lam_allocator *allocator) {
    lam_buffer_init(&room->values, allocator);
    lam_buffer_init(&room->bytes, allocator);
}

void lam_value_room_finish(lam_value_room *room) {
    lam_buffer_finish(&room->values);
    lam_buffer_finish(&room->bytes);
}

/* --- Numbers ------------------------------------------------------------------------------- */

/* A value on its way: its change, and the target of its element. */
typedef struct value_work {
    const lam_value_change *change;
    lam_buffer *bytes;
    void *to;
} value_work;

static lam_status refuse_change(const value_work *work, lam_value value, const char *what,
                                lam_error *error) {
    char text[CHANGE_TEXT + 1] = "a value";
    lam_physical_type type = (lam_physical_type)work->change->source->physical_type;
    bool wide = type == LAM_PHYSICAL_INT64;
    if ((wide || type == LAM_PHYSICAL_INT32) && is_unsigned_leaf(work->change->source))
        text[lam_uint64_print(wide ? (uint64_t)value.int64 : (uint32_t)value.int32, text)] = '\0';
    else if (wide || type == LAM_PHYSICAL_INT32)
        text[lam_int64_print(wide ? value.int64 : value.int32, text)] = '\0';
    LAM_FAIL(error, LAM_STATUS_INVALID, "%s %s", text, what);
}

static lam_status change_to_int64(const value_work *work, lam_value value, lam_error *error) {
    int64_t number =
        is_unsigned_leaf(work->change->source) ? (int64_t)(uint32_t)value.int32 : value.int32;
    (void)error;
    memcpy(work->to, &number, sizeof number);
    return LAM_STATUS_OK;
}

static lam_status change_to_signed(const value_work *work, lam_value value, lam_error *error) {
    if (value.int32 < 0)
        return refuse_change(work, value, "is beyond the integers of the column", error);
    memcpy(work->to, &value.int32, sizeof value.int32);
    return LAM_STATUS_OK;
}

static lam_status change_to_float(const value_work *work, lam_value value, lam_error *error) {
    float real = (float)lam_half_to_double(lam_load_le16(value.bytes.data));
    (void)error;
    memcpy(work->to, &real, sizeof real);
    return LAM_STATUS_OK;
}

/* The rule of inference: the nearest double must lead back to the number. */
static lam_status put_exact(const value_work *work, const char *text, size_t size,
                            lam_error *error) {
    double real;
    if (!lam_double_keeps_integer(text, size) || !lam_double_parse(text, size, &real))
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "%.*s%s is not a double: cat and import make a VARIANT of the column",
                 (int)(size > CHANGE_TEXT ? CHANGE_TEXT : size), text,
                 size > CHANGE_TEXT ? "..." : "");
    memcpy(work->to, &real, sizeof real);
    return LAM_STATUS_OK;
}

static lam_status integer_to_double(const value_work *work, lam_value value, lam_error *error) {
    const lam_field *source = work->change->source;
    char text[CHANGE_TEXT];
    size_t size;
    int64_t number = value.int64;
    if (source->physical_type == LAM_PHYSICAL_INT32)
        number = is_unsigned_leaf(source) ? (int64_t)(uint32_t)value.int32 : value.int32;
    bool is_above = is_unsigned_leaf(source) && number < 0;
    if (!is_above && number >= -EXACT_IN_DOUBLE && number <= EXACT_IN_DOUBLE) {
        double real = (double)number;
        memcpy(work->to, &real, sizeof real);
        return LAM_STATUS_OK;
    }
    size = is_unsigned_leaf(source) ? lam_uint64_print((uint64_t)value.int64, text)
                                    : lam_int64_print(value.int64, text);
    return put_exact(work, text, size, error);
}

/* A decimal without a fraction; its text is its number. */
static lam_status decimal_to_double(const value_work *work, lam_value value, lam_error *error) {
    const lam_field *source = work->change->source;
    lam_buffer_clear(work->bytes);
    if (source->physical_type == LAM_PHYSICAL_INT32)
        LAM_TRY(lam_decimal_print_int64(work->bytes, value.int32, 0, error));
    else if (source->physical_type == LAM_PHYSICAL_INT64)
        LAM_TRY(lam_decimal_print_int64(work->bytes, value.int64, 0, error));
    else
        LAM_TRY(lam_decimal_print_bytes(work->bytes, value.bytes, 0, error));
    return put_exact(work, (const char *)work->bytes->data, work->bytes->size, error);
}

static lam_status change_to_double(const value_work *work, lam_value value, lam_error *error) {
    const lam_field *source = work->change->source;
    double real;
    if (source->logical_type.kind == LAM_LOGICAL_DECIMAL)
        return decimal_to_double(work, value, error);
    if (source->physical_type == LAM_PHYSICAL_INT32 || source->physical_type == LAM_PHYSICAL_INT64)
        return integer_to_double(work, value, error);
    real = source->physical_type == LAM_PHYSICAL_FLOAT
               ? (double)value.float32
               : lam_half_to_double(lam_load_le16(value.bytes.data));
    memcpy(work->to, &real, sizeof real);
    return LAM_STATUS_OK;
}

/* --- Decimals ------------------------------------------------------------------------------ */

/* Big-endian two's complement; false when more than 16 bytes count. */
static bool load_decimal(lam_bytes bytes, lam_wide_int *ret_number) {
    enum { MOST = 16 };
    bool is_negative = bytes.size > 0 && bytes.data[0] >= 0x80;
    size_t skip = bytes.size > MOST ? bytes.size - MOST : 0;
    lam_wide_int number = lam_wide_int_of(is_negative ? -1 : 0);
    for (size_t i = 0; i < skip; i++)
        if (bytes.data[i] != (is_negative ? 0xFF : 0))
            return false;
    if (skip > 0 && (bytes.data[skip] >= 0x80) != is_negative)
        return false;
    for (size_t i = skip; i < bytes.size; i++)
        number = lam_wide_int_multiply_add(&number, 256, bytes.data[i]);
    *ret_number = number;
    return true;
}

static unsigned digits_of_wide(const lam_wide_int *number) {
    const lam_decimal decimal = {
        .low = (uint64_t)number->limbs[1] << 32 | number->limbs[0],
        .high = (int64_t)((uint64_t)number->limbs[3] << 32 | number->limbs[2])};
    return lam_wide_digits(lam_decimal_magnitude(&decimal));
}

static bool load_exact(const lam_field *leaf, lam_value value, lam_wide_int *ret_number) {
    switch (leaf->physical_type) {
    case LAM_PHYSICAL_INT32:
        *ret_number =
            lam_wide_int_of(is_unsigned_leaf(leaf) ? (int64_t)(uint32_t)value.int32 : value.int32);
        return true;
    case LAM_PHYSICAL_INT64:
        *ret_number = lam_wide_int_of(value.int64);
        if (is_unsigned_leaf(leaf))
            ret_number->limbs[2] = ret_number->limbs[3] = 0;
        return true;
    default:
        return load_decimal(value.bytes, ret_number);
    }
}

static lam_status change_to_decimal(const value_work *work, lam_value value, lam_error *error) {
    const lam_field *source = work->change->source, *target = work->change->target;
    bool is_decimal = source->logical_type.kind == LAM_LOGICAL_DECIMAL;
    int32_t zeros = target->logical_type.scale - (is_decimal ? source->logical_type.scale : 0);
    lam_wide_int number;
    int64_t narrow;
    const char *what = "has more digits than the DECIMAL of the column";
    if (!load_exact(source, value, &number))
        return refuse_change(work, value, what, error);
    unsigned digits = digits_of_wide(&number);
    bool is_zero = lam_wide_int_to_int64(&number, &narrow) && narrow == 0;
    if (!is_zero && (int64_t)digits + zeros > target->logical_type.precision)
        return refuse_change(work, value, what, error);
    for (int32_t i = 0; i < zeros; i++)
        number = lam_wide_int_multiply_add(&number, 10, 0);
    if (target->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY) {
        lam_wide_int_store_big(&number, work->to, (size_t)target->type_length);
        return LAM_STATUS_OK;
    }
    if (!lam_wide_int_to_int64(&number, &narrow))
        return refuse_change(work, value, what, error);
    if (target->physical_type == LAM_PHYSICAL_INT64)
        memcpy(work->to, &narrow, sizeof narrow);
    else
        memcpy(work->to, &(int32_t){(int32_t)narrow}, sizeof(int32_t));
    return LAM_STATUS_OK;
}

/* --- Moments ------------------------------------------------------------------------------- */

/* The count of the source, and the size of its unit in units of the target. */
static lam_wide_int load_moment(const lam_field *source, lam_value value, lam_time_unit unit,
                                uint32_t *ret_factor) {
    lam_wide_int days;
    if (source->physical_type == LAM_PHYSICAL_INT96) {
        lam_int96 time = lam_int96_load(value.bytes.data);
        days = lam_wide_int_of(time.day);
        days = lam_wide_int_multiply_add(&days, CHANGE_DAY, time.nanos / 1000000000);
        *ret_factor = 1;
        return lam_wide_int_multiply_add(&days, 1000000000, time.nanos % 1000000000);
    }
    if (source->logical_type.kind == LAM_LOGICAL_DATE) {
        days = lam_wide_int_of(value.int32);
        *ret_factor = (uint32_t)lam_time_units(unit);
        return lam_wide_int_multiply_add(&days, CHANGE_DAY, 0);
    }
    *ret_factor = (uint32_t)(lam_time_units(unit) / lam_time_units(source->logical_type.unit));
    if (source->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        return lam_wide_int_load(value.bytes.data);
    return lam_wide_int_of(source->physical_type == LAM_PHYSICAL_INT32 ? value.int32 : value.int64);
}

static lam_status change_to_unit(const value_work *work, lam_value value, lam_error *error) {
    const lam_field *target = work->change->target;
    uint32_t factor;
    int64_t narrow;
    lam_wide_int number =
        load_moment(work->change->source, value, target->logical_type.unit, &factor);
    number = lam_wide_int_multiply_add(&number, factor, 0);
    if (target->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY) {
        if (lam_wide_int_store(&number, work->to))
            return LAM_STATUS_OK;
    } else if (lam_wide_int_to_int64(&number, &narrow) &&
               (target->physical_type == LAM_PHYSICAL_INT64 || narrow == (int32_t)narrow)) {
        if (target->physical_type == LAM_PHYSICAL_INT64)
            memcpy(work->to, &narrow, sizeof narrow);
        else
            memcpy(work->to, &(int32_t){(int32_t)narrow}, sizeof(int32_t));
        return LAM_STATUS_OK;
    }
    return refuse_change(work, value, "is beyond what the column holds in its finer unit of time",
                         error);
}

/* --- VARIANTs ------------------------------------------------------------------------------ */

static lam_status put_scalar(const value_work *work, lam_variant_scalar scalar, lam_error *error) {
    return lam_variant_scalar_write(work->bytes, &scalar, error);
}

static lam_status unsigned_to_variant(const value_work *work, lam_value value, lam_error *error) {
    lam_variant_scalar scalar = {.kind = LAM_VARIANT_DECIMAL16};
    bool wide = work->change->source->physical_type == LAM_PHYSICAL_INT64;
    uint64_t number = wide ? (uint64_t)value.int64 : (uint32_t)value.int32;
    scalar.as.decimal.low = number;
    if (number <= INT64_MAX) {
        scalar.kind = lam_variant_integer_kind((int64_t)number);
        scalar.as.integer = (int64_t)number;
    }
    return put_scalar(work, scalar, error);
}

/* Milliseconds, and INT96; false if a VARIANT has no kind for them, or 64 bits are too few. */
static bool moment_to_scalar(const lam_field *source, lam_value value,
                             lam_variant_scalar *ret_scalar) {
    bool is_nanos = source->physical_type == LAM_PHYSICAL_INT96;
    bool is_time = source->logical_type.kind == LAM_LOGICAL_TIME;
    bool is_millis = source->logical_type.unit == LAM_TIME_UNIT_MILLIS;
    uint32_t factor;
    if (!is_nanos && (!is_millis || source->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY ||
                      (is_time && source->logical_type.adjusted_to_utc)))
        return false;
    lam_wide_int number =
        load_moment(source, value, is_nanos ? LAM_TIME_UNIT_NANOS : LAM_TIME_UNIT_MICROS, &factor);
    number = lam_wide_int_multiply_add(&number, factor, 0);
    ret_scalar->kind = is_nanos                               ? LAM_VARIANT_TIMESTAMP_NTZ_NANOS
                       : is_time                              ? LAM_VARIANT_TIME
                       : source->logical_type.adjusted_to_utc ? LAM_VARIANT_TIMESTAMP
                                                              : LAM_VARIANT_TIMESTAMP_NTZ;
    return lam_wide_int_to_int64(&number, &ret_scalar->as.integer);
}

/* Appends the bytes of a value whose type no column of a VARIANT has. */
static lam_status odd_to_variant(const value_work *work, lam_value value, lam_error *error) {
    const lam_field *source = work->change->source;
    lam_variant_scalar scalar = {.kind = LAM_VARIANT_FLOAT};
    switch (source->logical_type.kind) {
    case LAM_LOGICAL_INTEGER:
        return unsigned_to_variant(work, value, error);
    case LAM_LOGICAL_FLOAT16:
        scalar.as.float32 = (float)lam_half_to_double(lam_load_le16(value.bytes.data));
        return put_scalar(work, scalar, error);
    case LAM_LOGICAL_ENUM:
    case LAM_LOGICAL_JSON:
        scalar.kind = LAM_VARIANT_STRING;
        scalar.as.bytes = value.bytes;
        return put_scalar(work, scalar, error);
    case LAM_LOGICAL_DECIMAL:
    case LAM_LOGICAL_INTERVAL:
        return lam_value_write_variant(source, value, work->bytes, error);
    default:
        break;
    }
    if (source->physical_type == LAM_PHYSICAL_INT96 ||
        source->logical_type.kind == LAM_LOGICAL_TIME ||
        source->logical_type.kind == LAM_LOGICAL_TIMESTAMP)
        return moment_to_scalar(source, value, &scalar)
                   ? put_scalar(work, scalar, error)
                   : lam_value_write_variant(source, value, work->bytes, error);
    scalar.kind = LAM_VARIANT_BINARY;
    scalar.as.bytes = value.bytes;
    return put_scalar(work, scalar, error);
}

static lam_status change_to_variant(const value_work *work, lam_value value, lam_error *error) {
    const lam_field *source = work->change->source;
    const lam_variant_node_plan node = {.typed = source,
                                        .kind = (uint8_t)lam_variant_kind_of_leaf(source)};
    if (node.kind == LAM_VARIANT_UNKNOWN)
        return odd_to_variant(work, value, error);
    return lam_variant_from_column(&node, value, work->bytes, error);
}

/*
 * Version 1, names sorted, offsets of one byte: no name, and the offset at which the first would
 * begin.
 */
static lam_status change_to_metadata(const value_work *work, lam_value value, lam_error *error) {
    static const uint8_t nothing[] = {0x11, 0x00, 0x00};
    (void)value;
    return lam_buffer_append(work->bytes, nothing, sizeof nothing, error);
}

static lam_status change_to_text(const value_work *work, lam_value value, lam_error *error) {
    return lam_value_write_text(work->change->source, value, work->bytes, error);
}

static lam_status change_to_bytes(const value_work *work, lam_value value, lam_error *error) {
    (void)error;
    memcpy(work->to, &value.bytes, sizeof value.bytes);
    return LAM_STATUS_OK;
}

static lam_status change_to_nothing(const value_work *work, lam_value value, lam_error *error) {
    return refuse_change(work, value, "is in a column of type UNKNOWN, which has none", error);
}

/* --- Batches ------------------------------------------------------------------------------- */

typedef lam_status value_changer(const value_work *work, lam_value value, lam_error *error);

static value_changer *const changers[] = {
    [LAM_VALUE_TO_SIGNED] = change_to_signed,     [LAM_VALUE_TO_INT64] = change_to_int64,
    [LAM_VALUE_TO_FLOAT] = change_to_float,       [LAM_VALUE_TO_DOUBLE] = change_to_double,
    [LAM_VALUE_TO_DECIMAL] = change_to_decimal,   [LAM_VALUE_TO_UNIT] = change_to_unit,
    [LAM_VALUE_TO_BYTES] = change_to_bytes,       [LAM_VALUE_TO_TEXT] = change_to_text,
    [LAM_VALUE_TO_METADATA] = change_to_metadata, [LAM_VALUE_TO_VARIANT] = change_to_variant,
    [LAM_VALUE_TO_NOTHING] = change_to_nothing,
};

/* Whether a change appends to the bytes, so that elements become views of them at the end. */
static bool appends_bytes(lam_change_kind how) {
    return how == LAM_VALUE_TO_TEXT || how == LAM_VALUE_TO_METADATA || how == LAM_VALUE_TO_VARIANT;
}

/* Bytes move while they grow: views have sizes at first. */
static void point_views(lam_value_room *room, size_t count) {
    lam_bytes *views = (void *)room->values.data;
    const uint8_t *at = room->bytes.data;
    for (size_t i = 0; i < count; i++) {
        views[i].data = at;
        at += views[i].size;
    }
}

lam_status lam_values_change(const lam_value_change *change, const void *values, size_t count,
                             lam_value_room *room, const void **ret_values, size_t *ret_position,
                             lam_error *error) {
    const lam_triples given = {.count = count, .value_count = count, .values = values};
    size_t size = lam_element_size(change->target);
    value_work work = {change, &room->bytes, NULL};
    bool appends = appends_bytes(change->how);
    *ret_position = 0;
    if (change->how == LAM_VALUE_SAME) {
        *ret_values = values;
        return LAM_STATUS_OK;
    }
    lam_buffer_clear(&room->values);
    lam_buffer_clear(&room->bytes);
    LAM_TRY(lam_buffer_reserve(&room->values, count * size + 1, error));
    for (size_t i = 0; i < count; i++) {
        size_t before = room->bytes.size;
        *ret_position = i;
        work.to = room->values.data + i * size;
        LAM_TRY(changers[change->how](&work, lam_triples_value(&given, change->source, i), error));
        if (appends)
            ((lam_bytes *)work.to)->size = room->bytes.size - before;
    }
    if (appends)
        point_views(room, count);
    *ret_values = room->values.data;
    return LAM_STATUS_OK;
}
