/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the order of a column from its logical type and the file's column order, and compares
 * single values by it. Takes PLAIN bytes that passed lam_value_fits, so that the comparisons read
 * fixed sizes without checking. The invariant: within one order, comparing is transitive on all
 * values but NaNs, and on NaNs, too, in total order.
 *
 *     type                   bytes               means      order
 *     INT32 UINT_32          FF FF FF FF         2^32 - 1   UNSIGNED_32
 *     DECIMAL, BYTE_ARRAY    FF 7F, 80           -129, -128 DECIMAL: sign-extended
 *     FLOAT                  00 00 00 80         -0         equals +0, or before it in total order
 *
 * (parquet.thrift, union ColumnOrder)
 */
#include "stats/value_order.h"

#include <string.h>

#include "base/bytes.h"
#include "base/int96.h"
#include "base/wide_int.h"
#include "meta/metadata.h"

/* --- Which order --------------------------------------------------------------------------- */

/* The order of a physical type without a logical one. */
static lam_comparison order_of_type(lam_physical_type type) {
    static const lam_comparison orders[] = {
        [LAM_PHYSICAL_BOOLEAN] = LAM_COMPARISON_BOOLEAN,
        [LAM_PHYSICAL_INT32] = LAM_COMPARISON_SIGNED_32,
        [LAM_PHYSICAL_INT64] = LAM_COMPARISON_SIGNED_64,
        [LAM_PHYSICAL_INT96] = LAM_COMPARISON_INT96,
        [LAM_PHYSICAL_FLOAT] = LAM_COMPARISON_FLOAT,
        [LAM_PHYSICAL_DOUBLE] = LAM_COMPARISON_DOUBLE,
        [LAM_PHYSICAL_BYTE_ARRAY] = LAM_COMPARISON_BYTES,
        [LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY] = LAM_COMPARISON_BYTES,
        [LAM_PHYSICAL_GROUP] = LAM_COMPARISON_UNDEFINED,
    };
    return orders[type];
}

static bool value_order_is_bytes(lam_physical_type type) {
    return type == LAM_PHYSICAL_BYTE_ARRAY || type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
}

/*
 * parquet.thrift, ColumnOrder.TYPE_ORDER: by the logical type, or by the physical type without one.
 * Types that this version does not know have no order, as any guess might be wrong.
 */
static lam_comparison order_of_logical(const lam_logical_type *logical, lam_physical_type type) {
    switch (logical->kind) {
    case LAM_LOGICAL_INTEGER:
        if (logical->is_signed)
            return order_of_type(type);
        return type == LAM_PHYSICAL_INT32 ? LAM_COMPARISON_UNSIGNED_32 : LAM_COMPARISON_UNSIGNED_64;
    case LAM_LOGICAL_DECIMAL:
        return value_order_is_bytes(type) ? LAM_COMPARISON_DECIMAL : order_of_type(type);
    case LAM_LOGICAL_FLOAT16:
        return LAM_COMPARISON_FLOAT16;
    case LAM_LOGICAL_TIMESTAMP:
        return value_order_is_bytes(type) ? LAM_COMPARISON_SIGNED_96 : order_of_type(type);
    case LAM_LOGICAL_INTERVAL:
    case LAM_LOGICAL_GEOMETRY:
    case LAM_LOGICAL_GEOGRAPHY:
    case LAM_LOGICAL_UNRECOGNIZED:
        return LAM_COMPARISON_UNDEFINED;
    default:
        return order_of_type(type);
    }
}

/* Adds the consequences of the type: NaNs, and the sizes of values. */
static lam_value_order with_comparison(const lam_field *leaf, lam_comparison comparison) {
    lam_value_order order = {0};
    order.comparison = comparison;
    order.has_nans = comparison == LAM_COMPARISON_FLOAT16 || comparison == LAM_COMPARISON_FLOAT ||
                     comparison == LAM_COMPARISON_DOUBLE;
    order.is_varied = lam_field_physical_type(leaf) == LAM_PHYSICAL_BYTE_ARRAY;
    order.size = (uint32_t)lam_field_type_length(leaf);
    return order;
}

/*
 * Column orders and types must agree: INT96 has an order only under its own column order, which no
 * other type may have, and IEEE 754 total order is for floats only. An unknown column order leaves
 * no order: bounds cannot be trusted then.
 */
lam_value_order lam_value_order_of(const lam_field *leaf, int32_t column_order) {
    lam_physical_type type = lam_field_physical_type(leaf);
    lam_comparison comparison = order_of_logical(lam_field_logical_type(leaf), type);
    bool is_int96 = type == LAM_PHYSICAL_INT96;
    if (is_int96 != (column_order == LAM_META_COLUMN_ORDER_INT96_TIMESTAMP))
        comparison = LAM_COMPARISON_UNDEFINED;
    if (column_order < LAM_META_COLUMN_ORDER_TYPE ||
        column_order > LAM_META_COLUMN_ORDER_INT96_TIMESTAMP)
        comparison = LAM_COMPARISON_UNDEFINED;
    lam_value_order order = with_comparison(leaf, comparison);
    order.is_total = column_order == LAM_META_COLUMN_ORDER_IEEE_754_TOTAL && order.has_nans;
    if (column_order == LAM_META_COLUMN_ORDER_IEEE_754_TOTAL && !order.has_nans)
        order.comparison = LAM_COMPARISON_UNDEFINED;
    return order;
}

lam_value_order lam_value_order_of_rows(const lam_field *leaf, int32_t column_order) {
    lam_value_order order = lam_value_order_of(leaf, column_order);
    if (order.comparison == LAM_COMPARISON_INT96)
        order.comparison = LAM_COMPARISON_INT96_TIME;
    return order;
}

/*
 * Old writers compared all bytes as signed, and unsigned integers as signed ones. Decimals in bytes
 * are signed anyway.
 */
lam_value_order lam_value_order_signed(const lam_field *leaf) {
    lam_physical_type type = lam_field_physical_type(leaf);
    lam_comparison comparison = order_of_logical(lam_field_logical_type(leaf), type);
    if (type == LAM_PHYSICAL_INT96)
        comparison = LAM_COMPARISON_UNDEFINED;
    else if (comparison == LAM_COMPARISON_BYTES)
        comparison = LAM_COMPARISON_SIGNED_BYTES;
    else if (comparison != LAM_COMPARISON_UNDEFINED && !value_order_is_bytes(type))
        comparison = order_of_type(type);
    return with_comparison(leaf, comparison);
}

bool lam_value_order_has_one_form(const lam_value_order *order) {
    bool padded = order->comparison == LAM_COMPARISON_DECIMAL && order->is_varied;
    return !padded && order->comparison != LAM_COMPARISON_INT96_TIME &&
           (order->is_total || !order->has_nans);
}

/* --- Floating point as integers ------------------------------------------------------------ */

/*
 * Maps the bits of a float to a number in the same order: its magnitude with its sign, and in total
 * order negative ones lower by one, so that -0 is below +0. In half precision:
 *
 *     bits      8001    8000             0000    0001
 *     value     -2^-24  -0               +0      2^-24
 *     key       -1      0, total: -1     0       1        (8001: -2 in total order)
 */
static int64_t float_key(uint64_t bits, unsigned width, bool is_total) {
    uint64_t sign = UINT64_C(1) << (width - 1);
    int64_t magnitude = (int64_t)(bits & (sign - 1));
    return (bits & sign) != 0 ? -magnitude - is_total : magnitude;
}

/* The magnitude of infinity in the column's type; larger ones are NaNs. */
static uint64_t infinity_of(const lam_value_order *order) {
    if (order->comparison == LAM_COMPARISON_FLOAT16)
        return UINT64_C(0x7C00);
    return order->comparison == LAM_COMPARISON_FLOAT ? UINT64_C(0x7F800000)
                                                     : UINT64_C(0x7FF0000000000000);
}

static unsigned value_order_width_of(const lam_value_order *order) {
    return order->size * 8;
}

/* The bits of a float as a number, from little-endian bytes. */
static uint64_t load_float(const lam_value_order *order, const uint8_t *bytes) {
    if (order->comparison == LAM_COMPARISON_FLOAT16)
        return lam_load_le16(bytes);
    return order->comparison == LAM_COMPARISON_FLOAT ? lam_load_le32(bytes) : lam_load_le64(bytes);
}

/* The bits without the sign. */
static uint64_t magnitude_of(const lam_value_order *order, lam_bytes value) {
    return load_float(order, value.data) & ((UINT64_C(1) << (value_order_width_of(order) - 1)) - 1);
}

/* --- Single values ------------------------------------------------------------------------- */

/*
 * Byte arrays are values in any length, but a decimal needs a byte for its sign. A PLAIN boolean in
 * statistics is one byte, 0 or 1.
 */
bool lam_value_fits(const lam_value_order *order, lam_bytes value) {
    if (order->is_varied)
        return order->comparison != LAM_COMPARISON_DECIMAL || value.size > 0;
    if (value.size != order->size)
        return false;
    return order->comparison != LAM_COMPARISON_BOOLEAN || value.data[0] <= 1;
}

bool lam_value_is_nan(const lam_value_order *order, lam_bytes value) {
    return order->has_nans && magnitude_of(order, value) > infinity_of(order);
}

/* A zero is negative if any bit is set, as that can only be the sign. */
bool lam_value_is_float_zero(const lam_value_order *order, lam_bytes value, bool *ret_negative) {
    if (!order->has_nans || magnitude_of(order, value) != 0)
        return false;
    *ret_negative = load_float(order, value.data) != 0;
    return true;
}

/* Without subtracting, which could overflow. */
static int sign_of(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static int unsigned_sign_of(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/* memcmp of no bytes could be called with NULL, hence the check. */
static int value_order_compare_bytes(lam_bytes a, lam_bytes b) {
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common > 0 ? memcmp(a.data, b.data, common) : 0;
    return order != 0 ? order : unsigned_sign_of(a.size, b.size);
}

/* Turning the sign bit over makes signed bytes compare as unsigned ones. */
static int compare_signed_bytes(lam_bytes a, lam_bytes b) {
    size_t common = a.size < b.size ? a.size : b.size;
    for (size_t i = 0; i < common; i++)
        if (a.data[i] != b.data[i])
            return (a.data[i] ^ 0x80) < (b.data[i] ^ 0x80) ? -1 : 1;
    return unsigned_sign_of(a.size, b.size);
}

/* Gives the byte of a decimal that is `from_end` bytes before its last one, sign-extended. */
static uint8_t value_order_decimal_byte(lam_bytes value, size_t from_end) {
    if (from_end < value.size)
        return value.data[value.size - 1 - from_end];
    return value.size > 0 && value.data[0] >> 7 ? 0xFF : 0;
}

/* Compares from the first byte of the longer one on; only that byte has the sign bit. */
static int compare_decimals(lam_bytes a, lam_bytes b) {
    size_t size = a.size > b.size ? a.size : b.size;
    for (size_t i = size; i > 0; i--) {
        uint8_t flip = i == size ? 0x80 : 0; /* a set sign bit makes a number smaller */
        uint8_t left = value_order_decimal_byte(a, i - 1) ^ flip,
                right = value_order_decimal_byte(b, i - 1) ^ flip;
        if (left != right)
            return left < right ? -1 : 1;
    }
    return 0;
}

/*
 * parquet.thrift, INT96_TIMESTAMP_ORDER: by the day in the last 4 bytes, then by the nanoseconds.
 */
static int compare_int96(const uint8_t *a, const uint8_t *b) {
    int days = sign_of((int32_t)lam_load_le32(a + 8), (int32_t)lam_load_le32(b + 8));
    return days != 0 ? days : sign_of((int64_t)lam_load_le64(a), (int64_t)lam_load_le64(b));
}

int lam_value_compare(const lam_value_order *order, lam_bytes a, lam_bytes b) {
    switch (order->comparison) {
    case LAM_COMPARISON_BOOLEAN:
        return a.data[0] - b.data[0];
    case LAM_COMPARISON_SIGNED_32:
        return sign_of((int32_t)lam_load_le32(a.data), (int32_t)lam_load_le32(b.data));
    case LAM_COMPARISON_SIGNED_64:
        return sign_of((int64_t)lam_load_le64(a.data), (int64_t)lam_load_le64(b.data));
    case LAM_COMPARISON_UNSIGNED_32:
        return unsigned_sign_of(lam_load_le32(a.data), lam_load_le32(b.data));
    case LAM_COMPARISON_UNSIGNED_64:
        return unsigned_sign_of(lam_load_le64(a.data), lam_load_le64(b.data));
    case LAM_COMPARISON_FLOAT16:
    case LAM_COMPARISON_FLOAT:
    case LAM_COMPARISON_DOUBLE:
        return sign_of(
            float_key(load_float(order, a.data), value_order_width_of(order), order->is_total),
            float_key(load_float(order, b.data), value_order_width_of(order), order->is_total));
    case LAM_COMPARISON_BYTES:
        return value_order_compare_bytes(a, b);
    case LAM_COMPARISON_SIGNED_BYTES:
        return compare_signed_bytes(a, b);
    case LAM_COMPARISON_DECIMAL:
        return compare_decimals(a, b);
    case LAM_COMPARISON_INT96:
        return compare_int96(a.data, b.data);
    case LAM_COMPARISON_INT96_TIME:
        return lam_int96_compare(a.data, b.data);
    case LAM_COMPARISON_SIGNED_96:
        return lam_wide_int_compare(a.data, b.data);
    default: /* UNDEFINED */
        return 0;
    }
}

/*
 * Little-endian machines hold numbers as PLAIN does, so that elements are borrowed. Big-endian ones
 * swap integers and floats; bytes are the same everywhere, FLOAT16 and INT96 among them.
 */
lam_bytes lam_value_plain(const lam_value_order *order, const void *values, size_t index,
                          uint8_t scratch[LAM_VALUE_SCRATCH]) {
    const uint8_t *element = (const uint8_t *)values + index * order->size;
    lam_bytes plain = {element, order->size};
    if (order->is_varied)
        return ((const lam_bytes *)values)[index];
    if (!LAM_BIG_ENDIAN)
        return plain;
    switch (order->comparison) {
    case LAM_COMPARISON_SIGNED_32:
    case LAM_COMPARISON_UNSIGNED_32:
    case LAM_COMPARISON_FLOAT: {
        uint32_t number;
        memcpy(&number, element, sizeof number);
        lam_store_le32(scratch, number);
        break;
    }
    case LAM_COMPARISON_SIGNED_64:
    case LAM_COMPARISON_UNSIGNED_64:
    case LAM_COMPARISON_DOUBLE: {
        uint64_t number;
        memcpy(&number, element, sizeof number);
        lam_store_le64(scratch, number);
        break;
    }
    default:
        return plain;
    }
    plain.data = scratch;
    return plain;
}
