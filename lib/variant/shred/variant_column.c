/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether a scalar fits a typed column, and converts it both ways.
 *
 *     int8 7      into an int32 column          7
 *     int8 7      into decimal(9, 0)            7        prints as 7 again
 *     int8 7      into decimal(9, 2)            no: it would print as 7.00
 *     1.50        into decimal(9, 2)            150
 *     1.5         into decimal(9, 2)            no: its text would change
 *
 * A scalar becomes a column's value, or the reverse. The invariant: a scalar that comes back from a
 * column equals the one that went in (lam_variant_equals), and prints as the same JSON; a scalar
 * for which that cannot hold goes into `value` instead. Decimals of BYTE_ARRAY and
 * FIXED_LEN_BYTE_ARRAY are big-endian two's complement. (VariantShredding.md, "Shredded Value
 * Types"; LogicalTypes.md, "DECIMAL")
 */
#include "variant/shred/variant_column.h"

#include "base/error.h"
#include "base/utf8.h"
#include "dremel/grammar.h"
#include "variant/value/variant_decimal.h"
#include "variant/value/variant_layout.h"
#include "variant/value/variant_scalar.h"

static bool variant_column_is_integer(lam_variant_kind kind) {
    return kind >= LAM_VARIANT_INT8 && kind <= LAM_VARIANT_INT64;
}

static bool variant_column_is_decimal(lam_variant_kind kind) {
    return kind >= LAM_VARIANT_DECIMAL4 && kind <= LAM_VARIANT_DECIMAL16;
}

/* --- To columns ------------------------------------------------------------------------------ */

/*
 * An exact number as a decimal of the column's scale; false when its text would differ, or when it
 * has more digits than the column's precision.
 */
static bool as_decimal(const lam_field *leaf, const lam_variant_scalar *scalar,
                       lam_decimal *ret_decimal) {
    if (variant_column_is_integer(scalar->kind)) {
        ret_decimal->low = (uint64_t)scalar->as.integer;
        ret_decimal->high = scalar->as.integer < 0 ? -1 : 0;
        ret_decimal->scale = 0;
    } else if (variant_column_is_decimal(scalar->kind)) {
        *ret_decimal = scalar->as.decimal;
    } else {
        return false;
    }
    return ret_decimal->scale == leaf->logical_type.scale &&
           lam_wide_digits(lam_decimal_magnitude(ret_decimal)) <=
               (unsigned)leaf->logical_type.precision;
}

/* Byte `index` of the unscaled number, from the lowest; beyond 16 bytes the sign continues. */
static uint8_t variant_column_decimal_byte(const lam_decimal *decimal, size_t index) {
    if (index >= 16)
        return decimal->high < 0 ? 0xFF : 0;
    return (uint8_t)((index < 8 ? decimal->low : (uint64_t)decimal->high) >> 8 * (index % 8));
}

/*
 * The fewest bytes of two's complement that hold the number. A leading byte can be dropped if it is
 * only sign and the next byte has the same sign bit: 00 7F becomes 7F, while 00 80 stays.
 */
static size_t decimal_size(const lam_decimal *decimal) {
    uint8_t sign = decimal->high < 0 ? 0xFF : 0;
    size_t size = 16;
    while (size > 1 && variant_column_decimal_byte(decimal, size - 1) == sign &&
           (variant_column_decimal_byte(decimal, size - 2) ^ sign) < 0x80)
        size--;
    return size;
}

/* Writes big-endian two's complement: as long as the type, or the fewest bytes for BYTE_ARRAY. */
static bool variant_column_put_decimal(const lam_field *leaf, const lam_decimal *decimal,
                                       uint8_t *room, lam_value *ret_value) {
    size_t needed = decimal_size(decimal);
    size_t size = leaf->type_length == 0 ? needed : (size_t)leaf->type_length;
    if (needed > size)
        return false;
    for (size_t i = 0; i < size; i++)
        room[size - 1 - i] = variant_column_decimal_byte(decimal, i);
    ret_value->bytes.data = room;
    ret_value->bytes.size = size;
    return true;
}

/*
 * A number may have the digits of the column and still not fit 32 or 64 bits, if a file declares a
 * precision that is too large for its type.
 */
static bool decimal_to_column(const lam_variant_node_plan *node, const lam_variant_scalar *scalar,
                              uint8_t *room, lam_value *ret_value) {
    lam_decimal decimal;
    const lam_field *leaf = node->typed;
    if (!as_decimal(leaf, scalar, &decimal))
        return false;
    int64_t number = (int64_t)decimal.low;
    bool narrow = decimal.high == (number < 0 ? -1 : 0);
    if (leaf->physical_type == LAM_PHYSICAL_INT32) {
        ret_value->int32 = (int32_t)number;
        return narrow && number == (int32_t)number;
    }
    if (leaf->physical_type == LAM_PHYSICAL_INT64) {
        ret_value->int64 = number;
        return narrow;
    }
    return variant_column_put_decimal(leaf, &decimal, room, ret_value);
}

/*
 * Integers go into any column of integers that is wide enough; all other kinds must be the
 * column's.
 */
bool lam_variant_to_column(const lam_variant_node_plan *node, const lam_variant_scalar *scalar,
                           uint8_t *room, lam_value *ret_value) {
    lam_variant_kind kind = (lam_variant_kind)node->kind;
    if (variant_column_is_decimal(kind))
        return decimal_to_column(node, scalar, room, ret_value);
    if (variant_column_is_integer(kind)) {
        if (!variant_column_is_integer(scalar->kind) ||
            lam_variant_integer_kind(scalar->as.integer) > kind)
            return false;
    } else if (scalar->kind != kind) {
        return false;
    }
    switch (node->typed->physical_type) {
    case LAM_PHYSICAL_BOOLEAN:
        ret_value->boolean = scalar->as.boolean;
        break;
    case LAM_PHYSICAL_INT32:
        ret_value->int32 = (int32_t)scalar->as.integer;
        break;
    case LAM_PHYSICAL_INT64:
        ret_value->int64 = scalar->as.integer;
        break;
    case LAM_PHYSICAL_FLOAT:
        ret_value->float32 = scalar->as.float32;
        break;
    case LAM_PHYSICAL_DOUBLE:
        ret_value->float64 = scalar->as.float64;
        break;
    default:
        ret_value->bytes = scalar->as.bytes;
    }
    return true;
}

/* --- From columns ---------------------------------------------------------------------------- */

/*
 * Reads big-endian two's complement of any length; false when the number has more than 128 bits.
 * Before each byte is shifted in, the byte that is shifted out must be only sign, and must leave
 * the sign bit as it is.
 */
static bool variant_column_load_decimal(lam_bytes bytes, lam_decimal *decimal) {
    uint8_t sign = bytes.data[0] >> 7 ? 0xFF : 0;
    uint64_t high = sign == 0 ? 0 : UINT64_MAX, low = high;
    for (size_t i = 0; i < bytes.size; i++) {
        bool lost = high >> 56 != sign || (high >> 55 & 1) != (sign & 1);
        if (lost)
            return false;
        high = high << 8 | low >> 56;
        low = low << 8 | bytes.data[i];
    }
    decimal->low = low;
    decimal->high = (int64_t)high;
    return true;
}

/* Gets the number of a decimal and the kind that holds it. */
static lam_status decimal_from_column(const lam_variant_node_plan *node, lam_value value,
                                      lam_variant_scalar *ret_scalar, lam_error *error) {
    const lam_field *leaf = node->typed;
    lam_decimal *decimal = &ret_scalar->as.decimal;
    int64_t number = leaf->physical_type == LAM_PHYSICAL_INT32 ? value.int32 : value.int64;
    bool fits = true;
    decimal->scale = (uint8_t)leaf->logical_type.scale;
    if (leaf->physical_type == LAM_PHYSICAL_INT32 || leaf->physical_type == LAM_PHYSICAL_INT64) {
        decimal->low = (uint64_t)number;
        decimal->high = number < 0 ? -1 : 0;
    } else {
        fits = value.bytes.size > 0 && variant_column_load_decimal(value.bytes, decimal);
    }
    lam_variant_kind least = LAM_VARIANT_UNKNOWN;
    if (fits)
        least = lam_decimal_kind(lam_wide_digits(lam_decimal_magnitude(decimal)));
    if (least == LAM_VARIANT_UNKNOWN)
        return lam_field_fail(error, LAM_ERROR_CODE_VALUE_RANGE, leaf,
                              "a decimal without bytes, or of more than 38 digits");
    /* A number of more digits than the precision allows is read, as a wider kind. */
    ret_scalar->kind = least > ret_scalar->kind ? least : ret_scalar->kind;
    return LAM_STATUS_OK;
}

/* UTF-8 is checked here because the bytes become child of a value that is well formed. */
static lam_status text_from_column(const lam_field *leaf, lam_bytes text, lam_buffer *out,
                                   lam_error *error) {
    size_t good = lam_utf8_prefix(text.data, text.size);
    if (good < text.size)
        return lam_field_fail(error, LAM_ERROR_CODE_UTF8, leaf, "byte %zu of %zu is not UTF-8",
                              good, text.size);
    return lam_variant_text_write(out, text, error);
}

/* The physical type says which member of the value counts, the kind which member of the scalar. */
lam_variant_scalar lam_variant_scalar_of(lam_variant_kind kind, lam_physical_type type,
                                         lam_value value) {
    lam_variant_scalar scalar = {kind, {0}};
    switch (type) {
    case LAM_PHYSICAL_BOOLEAN:
        scalar.as.boolean = value.boolean;
        break;
    case LAM_PHYSICAL_INT32:
        scalar.as.integer = value.int32;
        break;
    case LAM_PHYSICAL_INT64:
        scalar.as.integer = value.int64;
        break;
    case LAM_PHYSICAL_FLOAT:
        scalar.as.float32 = value.float32;
        break;
    case LAM_PHYSICAL_DOUBLE:
        scalar.as.float64 = value.float64;
        break;
    default:
        scalar.as.bytes = value.bytes;
    }
    return scalar;
}

/*
 * All that a file can get wrong is checked here, so lam_variant_scalar_write finds no fault of the
 * caller's.
 */
lam_status lam_variant_from_column(const lam_variant_node_plan *node, lam_value value,
                                   lam_buffer *out, lam_error *error) {
    const lam_field *leaf = node->typed;
    if (node->kind == LAM_VARIANT_STRING)
        return text_from_column(leaf, value.bytes, out, error);
    lam_variant_scalar scalar = lam_variant_scalar_of(
        (lam_variant_kind)node->kind, (lam_physical_type)leaf->physical_type, value);
    if (variant_column_is_decimal(scalar.kind))
        LAM_TRY(decimal_from_column(node, value, &scalar, error));
    if (variant_column_is_integer(scalar.kind) &&
        lam_variant_integer_kind(scalar.as.integer) > scalar.kind)
        return lam_field_fail(error, LAM_ERROR_CODE_VALUE_RANGE, leaf, "%lld does not fit %s",
                              (long long)scalar.as.integer, lam_variant_kind_name(scalar.kind));
    if (scalar.kind == LAM_VARIANT_UUID && scalar.as.bytes.size != 16)
        return lam_field_fail(error, LAM_ERROR_CODE_VALUE_RANGE, leaf,
                              "a UUID of %zu bytes, not 16", scalar.as.bytes.size);
    return lam_variant_scalar_write(out, &scalar, error);
}
