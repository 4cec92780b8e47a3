/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes scalars: a header byte, then the content in little-endian bytes.
 *
 *     int8 7              0C 07
 *     true, false         04, 08
 *     decimal4 1.25       20 02 7D 00 00 00      scale, then the unscaled number
 *     "ab"                09 61 62               short string: the length is in the header
 *     binary of 3 bytes   3C 03 00 00 00 ..      a length of 4 bytes
 *
 * Takes a scalar of a given kind, and gives its bytes, at the end of a buffer. The invariant: all
 * that the format demands of a scalar (a number within its kind, digits within the decimal, UTF-8,
 * a UUID of 16 bytes) is checked before a byte is written, so the appended bytes always pass
 * lam_variant_validate. (VariantEncoding.md, "Encoding types")
 */
#include "variant/value/variant_scalar.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/utf8.h"
#include "variant/value/variant_decimal.h"
#include "variant/value/variant_layout.h"

/*
 * LONG_HEAD: bytes before the content of binary and long strings, a header and the length. ROOM:
 * for any other scalar, at least; the longest is a decimal16 of 18 bytes.
 */
enum { LONG_HEAD = 5, ROOM = 24 };

/* The type number of the format by kind: the inverse of lam_variant_types. */
static const uint8_t type_numbers[] = {
    [LAM_VARIANT_NULL] = 0,
    [LAM_VARIANT_BOOLEAN] = 2, /* false; true is one less */
    [LAM_VARIANT_INT8] = 3,
    [LAM_VARIANT_INT16] = 4,
    [LAM_VARIANT_INT32] = 5,
    [LAM_VARIANT_INT64] = 6,
    [LAM_VARIANT_FLOAT] = 14,
    [LAM_VARIANT_DOUBLE] = 7,
    [LAM_VARIANT_DECIMAL4] = 8,
    [LAM_VARIANT_DECIMAL8] = 9,
    [LAM_VARIANT_DECIMAL16] = 10,
    [LAM_VARIANT_DATE] = 11,
    [LAM_VARIANT_TIME] = 17,
    [LAM_VARIANT_TIMESTAMP] = 12,
    [LAM_VARIANT_TIMESTAMP_NTZ] = 13,
    [LAM_VARIANT_TIMESTAMP_NANOS] = 18,
    [LAM_VARIANT_TIMESTAMP_NTZ_NANOS] = 19,
    [LAM_VARIANT_BINARY] = 15,
    [LAM_VARIANT_STRING] = 16,
    [LAM_VARIANT_UUID] = 20,
};

/* Writes BINARY, STRING or UUID: the last one has a fixed size and so no length. */
static lam_status variant_scalar_write_bytes(lam_buffer *out, lam_variant_kind kind,
                                             lam_bytes bytes, lam_error *error) {
    if (bytes.size > UINT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_LIMIT,
                 "variant: a value of more than 2^32 - 1 bytes");
    LAM_TRY(lam_buffer_reserve(out, bytes.size + LONG_HEAD, error));
    uint8_t *at = out->data + out->size;
    *at++ = (uint8_t)(type_numbers[kind] << 2);
    if (kind != LAM_VARIANT_UUID) {
        lam_store_le32(at, (uint32_t)bytes.size);
        at += 4;
    }
    if (bytes.size > 0)
        memcpy(at, bytes.data, bytes.size);
    out->size = (size_t)(at - out->data) + bytes.size;
    return LAM_STATUS_OK;
}

/* The short form has the length in the upper six bits of the header. */
lam_status lam_variant_text_write(lam_buffer *out, lam_bytes text, lam_error *error) {
    if (text.size > LAM_VARIANT_SHORT_STRING_MAX)
        return variant_scalar_write_bytes(out, LAM_VARIANT_STRING, text, error);
    LAM_TRY(lam_buffer_reserve(out, text.size + 1, error));
    uint8_t *at = out->data + out->size;
    *at = (uint8_t)(text.size << 2 | LAM_VARIANT_BASIC_SHORT_STRING);
    if (text.size > 0)
        memcpy(at + 1, text.data, text.size);
    out->size += text.size + 1;
    return LAM_STATUS_OK;
}

/*
 * A decimal may have a wider kind than its digits need, but no narrower one; kinds of decimals are
 * ordered by width in the enum, with UNKNOWN (more than 38 digits) above all.
 */
static lam_status variant_scalar_check_decimal(const lam_variant_scalar *scalar, lam_error *error) {
    const lam_decimal *decimal = &scalar->as.decimal;
    unsigned digits = lam_wide_digits(lam_decimal_magnitude(decimal));
    if (decimal->scale > LAM_VARIANT_SCALE_MAX)
        LAM_FAIL(error, LAM_STATUS_INVALID, "variant: a decimal of scale %u, above %d",
                 decimal->scale, LAM_VARIANT_SCALE_MAX);
    if (lam_decimal_kind(digits) > scalar->kind)
        LAM_FAIL(error, LAM_STATUS_INVALID, "variant: a decimal of %u digits as %s", digits,
                 lam_variant_kind_name(scalar->kind));
    return LAM_STATUS_OK;
}

/*
 * Checks that an integer fits its kind and a date 32 bits; times and timestamps have all 64. The
 * integers are the first of these kinds.
 */
static lam_status variant_scalar_check_number(const lam_variant_scalar *scalar, lam_error *error) {
    int64_t number = scalar->as.integer;
    bool fits = true;
    if (scalar->kind <= LAM_VARIANT_INT64)
        fits = lam_variant_integer_kind(number) <= scalar->kind;
    else if (scalar->kind == LAM_VARIANT_DATE)
        fits = number == (int32_t)number;
    if (!fits)
        LAM_FAIL(error, LAM_STATUS_INVALID, "variant: %" PRId64 " does not fit %s", number,
                 lam_variant_kind_name(scalar->kind));
    return LAM_STATUS_OK;
}

/* Checks UTF-8, and names the first bad byte. */
static lam_status variant_scalar_check_text(lam_bytes text, lam_error *error) {
    size_t good = lam_utf8_prefix(text.data, text.size);
    if (good < text.size)
        LAM_FAIL(error, LAM_STATUS_INVALID, "variant: byte %zu of a string of %zu is not UTF-8",
                 good, text.size);
    return LAM_STATUS_OK;
}

/*
 * Writes the content of a number. `at` has room for 17 bytes, whatever the kind: a narrow kind
 * leaves bytes after its own, which are not counted and are overwritten by the next value.
 */
static void store_number(uint8_t *at, const lam_variant_scalar *scalar) {
    uint32_t bits;
    uint64_t wide_bits = (uint64_t)scalar->as.integer;
    switch (scalar->kind) {
    case LAM_VARIANT_FLOAT:
        memcpy(&bits, &scalar->as.float32, sizeof bits);
        lam_store_le32(at, bits);
        break;
    case LAM_VARIANT_DOUBLE:
        memcpy(&wide_bits, &scalar->as.float64, sizeof wide_bits);
        lam_store_le64(at, wide_bits);
        break;
    case LAM_VARIANT_DECIMAL4:
    case LAM_VARIANT_DECIMAL8:
    case LAM_VARIANT_DECIMAL16:
        *at++ = scalar->as.decimal.scale;
        lam_store_le64(at, scalar->as.decimal.low);
        lam_store_le64(at + 8, (uint64_t)scalar->as.decimal.high);
        break;
    default: /* little-endian: the first bytes of a wide number are the narrow one */
        lam_store_le64(at, wide_bits);
    }
}

/* Kinds with bytes are written by their own functions; all others have a fixed size by type. */
lam_status lam_variant_scalar_write(lam_buffer *out, const lam_variant_scalar *scalar,
                                    lam_error *error) {
    switch (scalar->kind) {
    case LAM_VARIANT_STRING:
        LAM_TRY(variant_scalar_check_text(scalar->as.bytes, error));
        return lam_variant_text_write(out, scalar->as.bytes, error);
    case LAM_VARIANT_UUID:
        if (scalar->as.bytes.size != 16)
            LAM_FAIL(error, LAM_STATUS_INVALID, "variant: a UUID of %zu bytes, not 16",
                     scalar->as.bytes.size);
        return variant_scalar_write_bytes(out, scalar->kind, scalar->as.bytes, error);
    case LAM_VARIANT_BINARY:
        return variant_scalar_write_bytes(out, scalar->kind, scalar->as.bytes, error);
    case LAM_VARIANT_DECIMAL4:
    case LAM_VARIANT_DECIMAL8:
    case LAM_VARIANT_DECIMAL16:
        LAM_TRY(variant_scalar_check_decimal(scalar, error));
        break;
    case LAM_VARIANT_NULL:
    case LAM_VARIANT_BOOLEAN:
    case LAM_VARIANT_FLOAT:
    case LAM_VARIANT_DOUBLE:
        break;
    default:
        if ((unsigned)scalar->kind >= LAM_VARIANT_OBJECT)
            LAM_FAIL(error, LAM_STATUS_INVALID, "variant: %s is not a kind of scalar",
                     lam_variant_kind_name(scalar->kind));
        LAM_TRY(variant_scalar_check_number(scalar, error));
    }
    LAM_TRY(lam_buffer_reserve(out, ROOM, error));
    unsigned type = type_numbers[scalar->kind];
    type -= scalar->kind == LAM_VARIANT_BOOLEAN && scalar->as.boolean; /* 2 is false, 1 true */
    uint8_t *at = out->data + out->size;
    *at = (uint8_t)(type << 2);
    if (lam_variant_types[type].size > 0)
        store_number(at + 1, scalar);
    out->size += 1 + (size_t)lam_variant_types[type].size;
    return LAM_STATUS_OK;
}
