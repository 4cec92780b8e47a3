/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Codes values, from PLAIN bytes, and nulls as bytes that memcmp orders.
 *
 *     null or not    one byte, if the leaf may be null: 0 comes first
 *     int32 -2       7F FF FF FE                big-endian, sign flipped
 *     float -1       40 7F FF FF                negative ones inverted, others with a sign bit
 *     binary 61 00   61 00 FF 00 00             00 becomes 00 FF, and 00 00 ends
 *     decimal -129   00 FF FF FF FD FF 7F       sign, number of bytes, bytes
 *
 * A descending value is inverted, its mark for nulls is not. The invariant: no code is the
 * beginning of another one of the same key, so that codes of several keys follow each other, and
 * two codes compare as lam_value_compare compares their values; NaNs are equal, and above all
 * others.
 */
#include "rewrite/sort/sort_code.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/int96.h"
#include "meta/metadata.h"
#include "schema/tree.h"

enum { SORT_CODE_ROOM = 16 };

lam_sort_code lam_sort_code_of(const lam_field *leaf, bool descending, bool nulls_first) {
    bool is_int96 = leaf->physical_type == LAM_PHYSICAL_INT96;
    lam_sort_code code = {.leaf = leaf, .descending = descending, .nulls_first = nulls_first};
    code.order = lam_value_order_of_rows(leaf, is_int96 ? LAM_META_COLUMN_ORDER_INT96_TIMESTAMP
                                                        : LAM_META_COLUMN_ORDER_TYPE);
    return code;
}

bool lam_sort_code_exists(const lam_field *leaf) {
    return lam_sort_code_of(leaf, false, false).order.comparison != LAM_COMPARISON_UNDEFINED;
}

size_t lam_sort_code_size(const lam_sort_code *code) {
    enum { DECIMAL_HEAD = 5 };
    size_t mark = code->leaf->max_definition > 0, size = code->order.size;
    if (code->order.is_varied)
        return 0;
    if (code->order.comparison == LAM_COMPARISON_DECIMAL)
        size += DECIMAL_HEAD;
    return size + mark;
}

static void store_big(uint8_t *out, uint64_t bits, size_t size) {
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)(bits >> (8 * (size - 1 - i)));
}

/* Bits of a float of `size` bytes in order; -0 becomes +0. */
static uint64_t code_of_float(uint64_t bits, size_t size, bool is_nan) {
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    if (is_nan)
        return UINT64_MAX;
    if (bits == sign)
        bits = 0;
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

static uint64_t load_bits(lam_bytes value) {
    switch (value.size) {
    case 2:
        return lam_load_le16(value.data);
    case 4:
        return lam_load_le32(value.data);
    default:
        return lam_load_le64(value.data);
    }
}

/* Numbers of a fixed size; gives the number of bytes in `out`. */
static size_t code_number(lam_sort_code *code, lam_bytes value, uint8_t out[SORT_CODE_ROOM]) {
    const uint64_t sign32 = UINT64_C(1) << 31, sign64 = UINT64_C(1) << 63;
    switch (code->order.comparison) {
    case LAM_COMPARISON_BOOLEAN:
        out[0] = value.data[0] != 0;
        return 1;
    case LAM_COMPARISON_SIGNED_32:
        store_big(out, lam_load_le32(value.data) ^ sign32, 4);
        return 4;
    case LAM_COMPARISON_UNSIGNED_32:
        store_big(out, lam_load_le32(value.data), 4);
        return 4;
    case LAM_COMPARISON_SIGNED_64:
        store_big(out, lam_load_le64(value.data) ^ sign64, 8);
        return 8;
    case LAM_COMPARISON_UNSIGNED_64:
        store_big(out, lam_load_le64(value.data), 8);
        return 8;
    case LAM_COMPARISON_INT96_TIME: { /* the day takes a bit more than 32, and its nanoseconds 47 */
        lam_int96 time = lam_int96_load(value.data);
        store_big(out, (uint64_t)(time.day + (INT64_C(1) << 47)), 6);
        store_big(out + 6, (uint64_t)time.nanos, 6);
        return 12;
    }
    case LAM_COMPARISON_SIGNED_96:
        store_big(out, lam_load_le32(value.data + 8) ^ sign32, 4);
        store_big(out + 4, lam_load_le64(value.data), 8);
        return 12;
    default: {
        bool is_nan = lam_value_is_nan(&code->order, value);
        code->has_nans = code->has_nans || is_nan;
        store_big(out, code_of_float(load_bits(value), value.size, is_nan), value.size);
        return value.size;
    }
    }
}

/* Bytes of any length: an end that is below all that may follow. */
static lam_status append_varied(lam_bytes value, lam_buffer *out, lam_error *error) {
    size_t zeros = 0;
    for (size_t i = 0; i < value.size; i++)
        zeros += value.data[i] == 0;
    LAM_TRY(lam_buffer_reserve(out, value.size + zeros + 2, error));
    uint8_t *to = out->data + out->size;
    for (size_t i = 0; i < value.size; i++) {
        *to++ = value.data[i];
        if (value.data[i] == 0)
            *to++ = UINT8_MAX;
    }
    to[0] = to[1] = 0;
    out->size += value.size + zeros + 2;
    return LAM_STATUS_OK;
}

/* Two's complement without the bytes that only repeat the sign: of two lengths, one is larger. */
static lam_status append_decimal(lam_bytes value, lam_buffer *out, lam_error *error) {
    static const uint8_t zero[1];
    uint8_t head[5];
    if (value.size == 0)
        value = (lam_bytes){zero, 1};
    bool is_negative = (value.data[0] & 0x80) != 0;
    uint8_t sign = is_negative ? UINT8_MAX : 0;
    while (value.size > 1 && value.data[0] == sign && (value.data[1] & 0x80) == (sign & 0x80)) {
        value.data++;
        value.size--;
    }
    uint32_t size = (uint32_t)value.size;
    head[0] = !is_negative;
    store_big(head + 1, is_negative ? ~size : size, sizeof size);
    LAM_TRY(lam_buffer_append(out, head, sizeof head, error));
    return lam_buffer_append(out, value.data, value.size, error);
}

static lam_status append_value(lam_sort_code *code, lam_bytes value, lam_buffer *out,
                               lam_error *error) {
    uint8_t number[SORT_CODE_ROOM];
    if (code->order.comparison == LAM_COMPARISON_DECIMAL)
        return append_decimal(value, out, error);
    if (code->order.comparison == LAM_COMPARISON_BYTES)
        return code->order.is_varied ? append_varied(value, out, error)
                                     : lam_buffer_append(out, value.data, value.size, error);
    size_t size = code_number(code, value, number);
    return lam_buffer_append(out, number, size, error);
}

lam_status lam_sort_code_append(lam_sort_code *code, const lam_bytes *value, lam_buffer *out,
                                lam_error *error) {
    if (code->leaf->max_definition > 0)
        LAM_TRY(lam_buffer_append_byte(out, (value == NULL) != code->nulls_first, error));
    if (value == NULL)
        return LAM_STATUS_OK;
    size_t before = out->size;
    LAM_TRY(append_value(code, *value, out, error));
    for (size_t i = before; code->descending && i < out->size; i++)
        out->data[i] = (uint8_t)~out->data[i];
    return LAM_STATUS_OK;
}
