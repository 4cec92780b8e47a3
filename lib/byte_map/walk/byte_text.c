/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints PLAIN bytes of any length, which need not be a value of the leaf, as short texts that fit
 * their room.
 *
 * Bytes that cannot be a value of the leaf's type are printed as bytes, so printing never fails.
 * (LogicalTypes.md; Encodings.md, "Plain")
 */
#include "byte_map/walk/byte_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/int96.h"
#include "base/wrap.h"
#include "schema/text.h"
#include "text/binary_text.h"
#include "text/number_text.h"
#include "text/time_text.h"

/* --- Bytes --------------------------------------------------------------------------------- */

/* True for UTF-8 that shows. */
static bool is_printable(lam_bytes bytes) {
    return lam_visible_prefix((const char *)bytes.data, bytes.size) == bytes.size;
}

/* The bytes that are shown: a string is cut between characters. */
static lam_bytes cut_bytes(lam_bytes bytes) {
    size_t size = bytes.size;
    if (size > LAM_BYTE_TEXT_BYTES) {
        size = LAM_BYTE_TEXT_BYTES;
        while (size > LAM_BYTE_TEXT_BYTES - 4 && (bytes.data[size] & 0xC0) == 0x80)
            size--;
    }
    return (lam_bytes){bytes.data, size};
}

void lam_byte_text_of_cut(lam_bytes bytes, size_t size, lam_byte_text *text) {
    lam_text out = {text->text, sizeof text->text, 0};
    lam_bytes shown = cut_bytes(bytes);
    char hex[2 * LAM_BYTE_TEXT_BYTES];
    if (is_printable(shown)) {
        lam_text_put_quoted(&out, (const char *)shown.data, shown.size);
    } else {
        lam_text_put_string(&out, "0x");
        lam_text_put(&out, hex, lam_hex_print(shown.data, shown.size, hex));
    }
    if (shown.size < size) {
        lam_text_put_string(&out, "... (");
        lam_text_put_int(&out, (int64_t)size);
        lam_text_put_string(&out, " bytes)");
    }
    lam_text_finish(&out);
}

void lam_byte_text_of_bytes(lam_bytes bytes, lam_byte_text *text) {
    lam_byte_text_of_cut(bytes, bytes.size, text);
}

/* --- Numbers ------------------------------------------------------------------------------- */

/* The printers below write no NUL: this adds it. */
static void end_text(lam_byte_text *text, size_t size) {
    text->text[size] = '\0';
}

static void double_or_name(double value, size_t finite_size, lam_byte_text *text) {
    if (isnan(value))
        snprintf(text->text, sizeof text->text, "NaN");
    else if (isinf(value))
        snprintf(text->text, sizeof text->text, value > 0 ? "Infinity" : "-Infinity");
    else
        end_text(text, finite_size);
}

void lam_byte_text_of_double(double value, lam_byte_text *text) {
    double_or_name(value, isfinite(value) ? lam_double_print(value, text->text) : 0, text);
}

static void text_of_float(float value, lam_byte_text *text) {
    double_or_name((double)value, isfinite(value) ? lam_float_print(value, text->text) : 0, text);
}

void lam_byte_text_of_number(const uint8_t *bytes, size_t size, lam_byte_text *text) {
    if (size == 4) {
        uint32_t bits = lam_load_le32(bytes);
        float value;
        memcpy(&value, &bits, sizeof value);
        text_of_float(value, text);
    } else {
        uint64_t bits = lam_load_le64(bytes);
        double value;
        memcpy(&value, &bits, sizeof value);
        lam_byte_text_of_double(value, text);
    }
}

void lam_byte_text_of_numbers(const uint64_t *numbers, size_t count, bool is_signed,
                              lam_byte_text *text) {
    lam_text out = {text->text, sizeof text->text, 0};
    char number[24];
    for (size_t i = 0; i < count; i++) {
        int size = is_signed ? snprintf(number, sizeof number, "%" PRId64, (int64_t)numbers[i])
                             : snprintf(number, sizeof number, "%" PRIu64, numbers[i]);
        if (i > 0)
            lam_text_put_string(&out, " ");
        lam_text_put(&out, number, (size_t)size);
    }
    lam_text_finish(&out);
}

void lam_byte_text_of_digits(bool is_negative, const char *digits, size_t size, size_t after,
                             lam_byte_text *text) {
    lam_text out = {text->text, sizeof text->text, 0};
    if (is_negative)
        lam_text_put_string(&out, "-");
    if (size > after) {
        lam_text_put(&out, digits, size - after);
    } else {
        lam_text_put_string(&out, "0");
    }
    if (after > 0) {
        lam_text_put_string(&out, ".");
        if (size < after)
            lam_text_put_repeated(&out, '0', after - size);
        lam_text_put(&out, size > after ? digits + size - after : digits,
                     size > after ? after : size);
    }
    lam_text_finish(&out);
}

/* A decimal whose unscaled number has 64 bits: the point is put into its digits. */
static void decimal_text(int64_t unscaled, int32_t scale, lam_byte_text *text) {
    uint64_t magnitude = lam_magnitude(unscaled);
    char digits[24];
    size_t size = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, magnitude);
    lam_byte_text_of_digits(unscaled<0, digits, size, scale> 0 ? (size_t)scale : 0, text);
}

/* --- Values -------------------------------------------------------------------------------- */

static bool is_time_in_day(int64_t time, lam_time_unit unit) {
    return time >= 0 && time / lam_time_units(unit) < 86400;
}

bool lam_byte_text_of_logical(const lam_logical_type *logical, int64_t value, bool is_32,
                              lam_byte_text *text) {
    switch (logical->kind) {
    case LAM_LOGICAL_DATE:
        end_text(text, lam_date_print(value, text->text));
        return true;
    case LAM_LOGICAL_TIME:
        if (!is_time_in_day(value, logical->unit))
            return false;
        end_text(text, lam_time_print(value, logical->unit, text->text));
        return true;
    case LAM_LOGICAL_TIMESTAMP:
        end_text(text,
                 lam_timestamp_print(value, logical->unit, logical->adjusted_to_utc, text->text));
        return true;
    case LAM_LOGICAL_DECIMAL:
        decimal_text(value, logical->scale, text);
        return true;
    case LAM_LOGICAL_INTEGER:
        if (logical->is_signed)
            return false;
        snprintf(text->text, sizeof text->text, "%" PRIu64,
                 is_32 ? (uint64_t)(uint32_t)value : (uint64_t)value);
        return true;
    default:
        return false;
    }
}

static void text_of_integer(const lam_field *leaf, int64_t value, bool is_32, lam_byte_text *text) {
    if (!lam_byte_text_of_logical(lam_field_logical_type(leaf), value, is_32, text))
        snprintf(text->text, sizeof text->text, "%" PRId64, value);
}

/* A decimal of up to 8 bytes, big endian. */
static bool binary_by_logical_type(const lam_logical_type *logical, lam_bytes plain,
                                   lam_byte_text *text) {
    if (logical->kind == LAM_LOGICAL_UUID && plain.size == 16) {
        lam_uuid_print(plain.data, text->text);
        end_text(text, LAM_UUID_TEXT_SIZE);
        return true;
    }
    if (logical->kind == LAM_LOGICAL_FLOAT16 && plain.size == 2) {
        uint16_t bits = lam_load_le16(plain.data);
        if ((bits & 0x7C00) == 0x7C00)
            return false;
        end_text(text, lam_half_print(bits, text->text));
        return true;
    }
    if (logical->kind == LAM_LOGICAL_DECIMAL && plain.size >= 1 && plain.size <= 8) {
        uint64_t bits = plain.data[0] >= 0x80 ? UINT64_MAX : 0;
        for (size_t i = 0; i < plain.size; i++)
            bits = bits << 8 | plain.data[i];
        decimal_text((int64_t)bits, logical->scale, text);
        return true;
    }
    return false;
}

static void text_of_int96(lam_bytes plain, lam_byte_text *text) {
    lam_int96 time = lam_int96_load(plain.data);
    end_text(text, lam_day_time_print(time.day, time.nanos, text->text));
}

void lam_byte_text_of_value(const lam_field *leaf, lam_bytes plain, lam_byte_text *text) {
    lam_physical_type type = leaf == NULL ? LAM_PHYSICAL_BYTE_ARRAY : lam_field_physical_type(leaf);
    if (type == LAM_PHYSICAL_INT32 && plain.size == 4) {
        text_of_integer(leaf, (int32_t)lam_load_le32(plain.data), true, text);
    } else if (type == LAM_PHYSICAL_INT64 && plain.size == 8) {
        text_of_integer(leaf, (int64_t)lam_load_le64(plain.data), false, text);
    } else if ((type == LAM_PHYSICAL_FLOAT && plain.size == 4) ||
               (type == LAM_PHYSICAL_DOUBLE && plain.size == 8)) {
        lam_byte_text_of_number(plain.data, plain.size, text);
    } else if (type == LAM_PHYSICAL_BOOLEAN && plain.size == 1) {
        snprintf(text->text, sizeof text->text, plain.data[0] != 0 ? "true" : "false");
    } else if (type == LAM_PHYSICAL_INT96 && plain.size == LAM_INT96_SIZE) {
        text_of_int96(plain, text);
    } else if (leaf == NULL || !binary_by_logical_type(lam_field_logical_type(leaf), plain, text)) {
        lam_byte_text_of_bytes(plain, text);
    }
}
