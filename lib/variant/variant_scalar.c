#include "variant/variant_scalar.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/utf8.h"
#include "variant/variant_decimal.h"
#include "variant/variant_layout.h"

/* Bytes before the content: a header and the length, or the scale. */
enum { LONG_HEAD = 5, ROOM = 24 };

/* The type of the format by kind: the other way round of lam_variant_types. */
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

lam_variant_kind lam_variant_integer_kind(int64_t number) {
    return number == (int8_t)number    ? LAM_VARIANT_INT8
           : number == (int16_t)number ? LAM_VARIANT_INT16
           : number == (int32_t)number ? LAM_VARIANT_INT32
                                       : LAM_VARIANT_INT64;
}

static lam_status write_bytes(lam_buffer *out, lam_variant_kind kind, lam_bytes bytes,
                              lam_error *error) {
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

lam_status lam_variant_text_write(lam_buffer *out, lam_bytes text, lam_error *error) {
    if (text.size > LAM_VARIANT_SHORT_STRING_MAX)
        return write_bytes(out, LAM_VARIANT_STRING, text, error);
    LAM_TRY(lam_buffer_reserve(out, text.size + 1, error));
    uint8_t *at = out->data + out->size;
    *at = (uint8_t)(text.size << 2 | LAM_VARIANT_BASIC_SHORT_STRING);
    if (text.size > 0)
        memcpy(at + 1, text.data, text.size);
    out->size += text.size + 1;
    return LAM_STATUS_OK;
}

static lam_status check_decimal(const lam_variant_scalar *scalar, lam_error *error) {
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

static lam_status check_number(const lam_variant_scalar *scalar, lam_error *error) {
    int64_t number = scalar->as.integer;
    bool fits = true;
    if (scalar->kind >= LAM_VARIANT_INT8 && scalar->kind <= LAM_VARIANT_INT64)
        fits = lam_variant_integer_kind(number) <= scalar->kind;
    else if (scalar->kind == LAM_VARIANT_DATE)
        fits = number == (int32_t)number;
    if (!fits)
        LAM_FAIL(error, LAM_STATUS_INVALID, "variant: %" PRId64 " does not fit %s", number,
                 lam_variant_kind_name(scalar->kind));
    return LAM_STATUS_OK;
}

static lam_status check_text(lam_bytes text, lam_error *error) {
    size_t good = lam_utf8_prefix(text.data, text.size);
    if (good < text.size)
        LAM_FAIL(error, LAM_STATUS_INVALID, "variant: byte %zu of a string of %zu is not UTF-8",
                 good, text.size);
    return LAM_STATUS_OK;
}

/* Writes the content of a number; in `at` there is room for that of any. */
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
    default: /* little-endian, so that the narrow ones are the first bytes of the wide ones */
        lam_store_le64(at, wide_bits);
    }
}

lam_status lam_variant_scalar_write(lam_buffer *out, const lam_variant_scalar *scalar,
                                    lam_error *error) {
    switch (scalar->kind) {
    case LAM_VARIANT_STRING:
        LAM_TRY(check_text(scalar->as.bytes, error));
        return lam_variant_text_write(out, scalar->as.bytes, error);
    case LAM_VARIANT_UUID:
        if (scalar->as.bytes.size != 16)
            LAM_FAIL(error, LAM_STATUS_INVALID, "variant: a UUID of %zu bytes, not 16",
                     scalar->as.bytes.size);
        return write_bytes(out, scalar->kind, scalar->as.bytes, error);
    case LAM_VARIANT_BINARY:
        return write_bytes(out, scalar->kind, scalar->as.bytes, error);
    case LAM_VARIANT_DECIMAL4:
    case LAM_VARIANT_DECIMAL8:
    case LAM_VARIANT_DECIMAL16:
        LAM_TRY(check_decimal(scalar, error));
        break;
    case LAM_VARIANT_NULL:
    case LAM_VARIANT_BOOLEAN:
    case LAM_VARIANT_FLOAT:
    case LAM_VARIANT_DOUBLE:
        break;
    default:
        if ((unsigned)scalar->kind >= LAM_VARIANT_OBJECT)
            LAM_FAIL(error, LAM_STATUS_INVALID, "variant: %s is no kind of a scalar",
                     lam_variant_kind_name(scalar->kind));
        LAM_TRY(check_number(scalar, error));
    }
    LAM_TRY(lam_buffer_reserve(out, ROOM, error));
    unsigned type = type_numbers[scalar->kind];
    type -= scalar->kind == LAM_VARIANT_BOOLEAN && scalar->as.boolean;
    uint8_t *at = out->data + out->size;
    *at = (uint8_t)(type << 2);
    if (lam_variant_types[type].size > 0)
        store_number(at + 1, scalar);
    out->size += 1 + (size_t)lam_variant_types[type].size;
    return LAM_STATUS_OK;
}
