/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the parts of a VARIANT, which are any header bytes, and scalars whose size was checked, as
 * short texts that fit their room.
 *
 * A scalar always has the text that a column with the same meaning has (byte_text.h).
 * (VariantEncoding.md, "Metadata encoding", "Value encoding", "Encoding types")
 */
#include "byte_map/encodings/variant_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "schema/text.h"
#include "text/binary_text.h"
#include "variant/value/variant_decimal.h"

static const char *plural_of(unsigned count) {
    return count == 1 ? "" : "s";
}

void lam_byte_text_of_names_header(uint8_t header, lam_byte_text *text) {
    unsigned width = (header >> 6) + 1u;
    snprintf(text->text, sizeof text->text, "version %u, %s names, offsets of %u byte%s",
             header & 15u, (header & LAM_VARIANT_SORTED) != 0 ? "sorted" : "unsorted", width,
             plural_of(width));
}

void lam_byte_text_of_variant_header(uint8_t header, lam_byte_text *text) {
    unsigned rest = header >> 2, width = (rest & 3) + 1;
    size_t room = sizeof text->text;
    switch (header & 3) {
    case LAM_VARIANT_BASIC_PRIMITIVE:
        if (rest == 1 || rest == 2)
            snprintf(text->text, room, "boolean %s", rest == 1 ? "true" : "false");
        else if (rest < LAM_VARIANT_TYPE_COUNT)
            snprintf(text->text, room, "%s", lam_variant_kind_name(lam_variant_types[rest].kind));
        else
            snprintf(text->text, room, "primitive type %u, which is not known", rest);
        break;
    case LAM_VARIANT_BASIC_SHORT_STRING:
        snprintf(text->text, room, "string of %u byte%s", rest, plural_of(rest));
        break;
    case LAM_VARIANT_BASIC_OBJECT:
        snprintf(text->text, room, "object; count, ids and offsets of %d, %u and %u bytes",
                 (rest & 16) != 0 ? 4 : 1, (rest >> 2 & 3) + 1, width);
        break;
    default:
        snprintf(text->text, room, "array; count and offsets of %d and %u bytes",
                 (rest & 4) != 0 ? 4 : 1, width);
    }
}

/* A decimal of up to 128 bits, digit by digit from the last. */
static void text_of_decimal(const lam_decimal *decimal, size_t after, lam_byte_text *text) {
    enum { DIGITS = 40 };
    char digits[DIGITS];
    size_t at = DIGITS;
    lam_wide left = lam_decimal_magnitude(decimal);
    do
        digits[--at] = (char)('0' + lam_wide_divide_by_10(&left));
    while (left.high != 0 || left.low != 0);
    lam_byte_text_of_digits(lam_decimal_is_negative(decimal), digits + at, DIGITS - at, after,
                            text);
}

void lam_byte_text_of_unscaled(const lam_decimal *decimal, lam_byte_text *text) {
    text_of_decimal(decimal, 0, text);
}

/* The logical type of a column for this kind of integers. */
static lam_logical_type logical_type_of(lam_variant_kind kind) {
    lam_logical_type logical = {.kind = LAM_LOGICAL_NONE, .unit = LAM_TIME_UNIT_MICROS};
    switch (kind) {
    case LAM_VARIANT_DATE:
        logical.kind = LAM_LOGICAL_DATE;
        break;
    case LAM_VARIANT_TIME:
        logical.kind = LAM_LOGICAL_TIME;
        break;
    case LAM_VARIANT_TIMESTAMP:
    case LAM_VARIANT_TIMESTAMP_NTZ:
    case LAM_VARIANT_TIMESTAMP_NANOS:
    case LAM_VARIANT_TIMESTAMP_NTZ_NANOS:
        logical.kind = LAM_LOGICAL_TIMESTAMP;
        logical.adjusted_to_utc =
            kind == LAM_VARIANT_TIMESTAMP || kind == LAM_VARIANT_TIMESTAMP_NANOS;
        if (kind == LAM_VARIANT_TIMESTAMP_NANOS || kind == LAM_VARIANT_TIMESTAMP_NTZ_NANOS)
            logical.unit = LAM_TIME_UNIT_NANOS;
        break;
    default:
        break;
    }
    return logical;
}

void lam_byte_text_of_scalar(lam_bytes value, lam_byte_text *text) {
    lam_variant_scalar scalar;
    lam_variant_load_scalar(value, &scalar);
    lam_logical_type logical = logical_type_of(scalar.kind);
    switch (scalar.kind) {
    case LAM_VARIANT_NULL:
        snprintf(text->text, sizeof text->text, "null");
        break;
    case LAM_VARIANT_BOOLEAN:
        snprintf(text->text, sizeof text->text, scalar.as.boolean ? "true" : "false");
        break;
    case LAM_VARIANT_FLOAT:
    case LAM_VARIANT_DOUBLE:
        lam_byte_text_of_number(value.data + 1, value.size - 1, text);
        break;
    case LAM_VARIANT_DECIMAL4:
    case LAM_VARIANT_DECIMAL8:
    case LAM_VARIANT_DECIMAL16:
        text_of_decimal(&scalar.as.decimal, scalar.as.decimal.scale, text);
        break;
    case LAM_VARIANT_UUID:
        lam_uuid_print(scalar.as.bytes.data, text->text);
        text->text[LAM_UUID_TEXT_SIZE] = '\0';
        break;
    case LAM_VARIANT_BINARY:
    case LAM_VARIANT_STRING:
        lam_byte_text_of_bytes(scalar.as.bytes, text);
        break;
    default:
        if (!lam_byte_text_of_logical(&logical, scalar.as.integer, false, text))
            snprintf(text->text, sizeof text->text, "%" PRId64, scalar.as.integer);
    }
}

void lam_byte_text_of_id(uint32_t id, const lam_bytes *name, lam_byte_text *text) {
    lam_byte_text shown = {""};
    if (name != NULL)
        lam_byte_text_of_bytes(*name, &shown);
    lam_text out = {text->text, sizeof text->text, 0};
    lam_text_put_int(&out, (int64_t)id);
    if (name != NULL) {
        lam_text_put_string(&out, " ");
        lam_text_put_string(&out, shown.text);
    }
    lam_text_finish(&out);
}
