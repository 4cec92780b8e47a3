/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads JSON values into the values of leaves: takes a token, and gives a lam_value of the leaf's
 * physical type, or INVALID with what was expected and what was found.
 *
 * The token is well-formed JSON, so only its kind, range and form remain to be checked. Integers
 * and decimals are never read through a double: they keep all 64 bits, and all digits. The bytes of
 * a value are in the tokens' text if they are written plainly, and otherwise in `scratch`, which
 * the next value overwrites. (LogicalTypes.md; json.h draws the forms)
 *
 *     DECIMAL(9,2) int32      1.5                    150
 *     TIMESTAMP(MILLIS) UTC   "1970-01-01T00:00:01Z" 1000
 *     FLOAT16                 "-Infinity"            00 FC
 *     INT96                   "1970-01-02T00:00:00"  0, 2440589
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/int96.h"
#include "base/utf8.h"
#include "text/binary_text.h"
#include "text/decimal_text.h"
#include "text/json_string.h"
#include "text/number_text.h"
#include "text/time_text.h"
#include "json/parse/json_instant.h"
#include "json/value/json_value.h"

/* "expected a number, found a string". */
static lam_status wrong_kind(const lam_json_token *token, const char *expected, lam_error *error) {
    LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_TYPE, "expected %s, found %s", expected,
             lam_json_kind_name(token->kind));
}

/* Fails with "expected a date, found "2024-13-01"". Long text is cut between two characters. */
static lam_status wrong_text(const char *text, size_t size, const char *expected,
                             lam_error *error) {
    enum { SHOWN_MOST = 40 };
    size_t count = lam_utf8_prefix((const uint8_t *)text, size < SHOWN_MOST ? size : SHOWN_MOST);
    LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_TYPE, "expected %s, found \"%.*s%s\"", expected,
             (int)count, text, count < size ? "..." : "");
}

/* Reals and integers alike: 1 and 1.0 are both numbers to a real or decimal leaf. */
static bool json_value_is_number(const lam_json_token *token) {
    return token->kind == LAM_JSON_INTEGER || token->kind == LAM_JSON_REAL;
}

/* Unescaping never makes a text longer, so `size` bytes are enough. */
lam_status lam_json_text_unescape(const lam_json_tokens *parsed, const lam_json_token *token,
                                  lam_buffer *scratch, lam_bytes *ret_text, lam_error *error) {
    size_t size = lam_json_token_size(token);
    if (token->kind != LAM_JSON_STRING)
        return wrong_kind(token, "a string", error);
    lam_buffer_clear(scratch);
    LAM_TRY(lam_buffer_reserve(scratch, size, error));
    ret_text->size =
        lam_json_string_unescape(lam_json_token_text(parsed, token), size, (char *)scratch->data);
    ret_text->data = scratch->data;
    return LAM_STATUS_OK;
}

/* --- Numbers --------------------------------------------------------------------------------- */

/* Shows at most 40 digits of the number. */
static lam_status out_of_range(const lam_json_tokens *parsed, const lam_json_token *token,
                               const char *range, lam_error *error) {
    size_t size = lam_json_token_size(token);
    LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_RANGE, "%.*s is out of the range %s",
             (int)(size < 40 ? size : 40), lam_json_token_text(parsed, token), range);
}

/*
 * Reads an integer of `width` bits. 1.0 and 1e3 are refused: a point or exponent says that the text
 * was not made from an integer column.
 */
static lam_status read_signed(const lam_json_tokens *parsed, const lam_json_token *token, int width,
                              int64_t *ret_value, lam_error *error) {
    /* 2^(width - 1) - 1; the least value is -most - 1. */
    int64_t most = INT64_MAX >> (64 - width);
    int64_t value;
    if (token->kind != LAM_JSON_INTEGER)
        return wrong_kind(token,
                          token->kind == LAM_JSON_REAL ? "an integer without point or "
                                                         "exponent"
                                                       : "an integer",
                          error);
    if (!lam_int64_parse(lam_json_token_text(parsed, token), lam_json_token_size(token), &value) ||
        value > most || value < -most - 1) {
        char range[64];
        snprintf(range, sizeof range, "%" PRId64 " to %" PRId64, -most - 1, most);
        return out_of_range(parsed, token, range, error);
    }
    *ret_value = value;
    return LAM_STATUS_OK;
}

/* The same without sign. -0 is 0. */
static lam_status read_unsigned(const lam_json_tokens *parsed, const lam_json_token *token,
                                int width, uint64_t *ret_value, lam_error *error) {
    /* 2^width - 1. */
    uint64_t most = UINT64_MAX >> (64 - width);
    uint64_t value;
    if (token->kind != LAM_JSON_INTEGER)
        return wrong_kind(token, "an integer", error);
    if (!lam_uint64_parse(lam_json_token_text(parsed, token), lam_json_token_size(token), &value) ||
        value > most) {
        char range[64];
        snprintf(range, sizeof range, "0 to %" PRIu64, most);
        return out_of_range(parsed, token, range, error);
    }
    *ret_value = value;
    return LAM_STATUS_OK;
}

/*
 * Bits of an integer leaf: those of its INTEGER annotation, which never has more than the physical
 * type (logical_type.c), else those of the physical type.
 */
static int json_value_width_of(const lam_field *leaf) {
    if (leaf->logical_type.kind == LAM_LOGICAL_INTEGER)
        return leaf->logical_type.bit_width;
    return leaf->physical_type == LAM_PHYSICAL_INT64 ? 64 : 32;
}

/*
 * Unsigned values are stored as the signed integer of the same bits. (LogicalTypes.md, "Unsigned
 * Integers")
 */
static lam_status json_value_read_integer(const lam_json_tokens *parsed,
                                          const lam_json_token *token, const lam_field *leaf,
                                          bool is_signed, lam_value *ret_value, lam_error *error) {
    int64_t value = 0;
    uint64_t bits = 0;
    if (is_signed)
        LAM_TRY(read_signed(parsed, token, json_value_width_of(leaf), &value, error));
    else
        LAM_TRY(read_unsigned(parsed, token, json_value_width_of(leaf), &bits, error));
    if (!is_signed)
        value = (int64_t)bits;
    if (leaf->physical_type == LAM_PHYSICAL_INT64)
        ret_value->int64 = value;
    else
        ret_value->int32 = (int32_t)(uint32_t)value;
    return LAM_STATUS_OK;
}

/*
 * Gives 0 for "NaN", 1 and -1 for the infinities, 2 for any other string. Escapes are not resolved:
 * the writer never makes them here.
 */
static int special_of(const lam_json_tokens *parsed, const lam_json_token *token) {
    const char *text = lam_json_token_text(parsed, token);
    size_t size = lam_json_token_size(token);
    if (size == 3 && memcmp(text, "NaN", 3) == 0)
        return 0;
    if (size == 8 && memcmp(text, "Infinity", 8) == 0)
        return 1;
    return size == 9 && memcmp(text, "-Infinity", 9) == 0 ? -1 : 2;
}

/*
 * Reads the strings that mean values without a JSON number. The tables have the bits of -Infinity,
 * one quiet NaN, and Infinity, in that order, so that the index is `which + 1`. Bits rather than
 * constants, so that every machine writes the same NaN.
 */
static lam_status json_value_read_special(const lam_json_tokens *parsed,
                                          const lam_json_token *token, lam_json_meaning meaning,
                                          lam_buffer *scratch, lam_value *ret_value,
                                          lam_error *error) {
    static const uint64_t doubles[] = {UINT64_C(0xFFF0) << 48, UINT64_C(0x7FF8) << 48,
                                       UINT64_C(0x7FF0) << 48};
    static const uint32_t floats[] = {UINT32_C(0xFF80) << 16, UINT32_C(0x7FC0) << 16,
                                      UINT32_C(0x7F80) << 16};
    static const uint16_t halves[] = {0xFC00, 0x7E00, 0x7C00};
    int which = token->kind == LAM_JSON_STRING ? special_of(parsed, token) : 2;
    if (which == 2)
        return wrong_kind(token, "a number", error);
    if (meaning == LAM_JSON_MEANS_DOUBLE) {
        memcpy(&ret_value->float64, &doubles[which + 1], sizeof ret_value->float64);
    } else if (meaning == LAM_JSON_MEANS_FLOAT) {
        memcpy(&ret_value->float32, &floats[which + 1], sizeof ret_value->float32);
    } else {
        LAM_TRY(lam_buffer_reserve(scratch, 2, error));
        lam_store_le16(scratch->data, halves[which + 1]);
        ret_value->bytes = (lam_bytes){scratch->data, 2};
    }
    return LAM_STATUS_OK;
}

/*
 * Reads the nearest number of the type. One that rounds to infinity is out of range. FLOAT16 is two
 * bytes, little-endian. (LogicalTypes.md, "FLOAT16")
 */
static lam_status json_value_read_real(const lam_json_tokens *parsed, const lam_json_token *token,
                                       lam_json_meaning meaning, lam_buffer *scratch,
                                       lam_value *ret_value, lam_error *error) {
    const char *text = lam_json_token_text(parsed, token);
    size_t size = lam_json_token_size(token);
    uint16_t half = 0;
    bool fits;
    if (!json_value_is_number(token))
        return json_value_read_special(parsed, token, meaning, scratch, ret_value, error);
    if (meaning == LAM_JSON_MEANS_DOUBLE)
        fits = lam_double_parse(text, size, &ret_value->float64);
    else if (meaning == LAM_JSON_MEANS_FLOAT)
        fits = lam_float_parse(text, size, &ret_value->float32);
    else
        fits = lam_half_parse(text, size, &half);
    if (!fits)
        return out_of_range(parsed, token, "of the type", error);
    if (meaning == LAM_JSON_MEANS_FLOAT16) {
        LAM_TRY(lam_buffer_reserve(scratch, 2, error));
        lam_store_le16(scratch->data, half);
        ret_value->bytes = (lam_bytes){scratch->data, 2};
    }
    return LAM_STATUS_OK;
}

/* Extends big-endian two's complement, which is no longer already, to `size` bytes, by its sign. */
static void extend(lam_buffer *number, size_t size) {
    size_t missing = size - number->size;
    uint8_t sign = number->data[0] >> 7 ? 0xFF : 0;
    memmove(number->data + missing, number->data, number->size);
    memset(number->data, sign, missing);
    number->size = size;
}

/*
 * Reads a decimal as the unscaled integer of fewest bytes, and extends it to the width of the leaf;
 * BYTE_ARRAY keeps the fewest. `type_length` is 4 and 8 for INT32 and INT64, so both go the same
 * way. The precision of a schema is one that the type holds (logical_type.c), so that no number of
 * as many digits is longer.
 */
static lam_status json_value_read_decimal(const lam_json_tokens *parsed,
                                          const lam_json_token *token, const lam_field *leaf,
                                          lam_buffer *scratch, lam_value *ret_value,
                                          lam_error *error) {
    if (!json_value_is_number(token))
        return wrong_kind(token, "a number", error);
    lam_buffer_clear(scratch);
    LAM_TRY(lam_decimal_parse(lam_json_token_text(parsed, token), lam_json_token_size(token),
                              leaf->logical_type.precision, leaf->logical_type.scale, scratch,
                              error));
    size_t size = (size_t)leaf->type_length; /* 0 for BYTE_ARRAY */
    if (size > scratch->size) {
        LAM_TRY(lam_buffer_reserve(scratch, size - scratch->size, error));
        extend(scratch, size);
    }
    if (leaf->physical_type != LAM_PHYSICAL_INT32 && leaf->physical_type != LAM_PHYSICAL_INT64) {
        ret_value->bytes = lam_buffer_bytes(scratch);
        return LAM_STATUS_OK;
    }
    /* Big-endian bytes to an integer; the cast keeps the sign, as the bytes were extended by it. */
    uint64_t bits = 0;
    for (size_t i = 0; i < scratch->size; i++)
        bits = bits << 8 | scratch->data[i];
    if (leaf->physical_type == LAM_PHYSICAL_INT64)
        ret_value->int64 = (int64_t)bits;
    else
        ret_value->int32 = (int32_t)(uint32_t)bits;
    return LAM_STATUS_OK;
}

/* --- Dates and times ------------------------------------------------------------------------- */

/*
 * Reads "HH:MM:SS.fraction", or an integer for a time outside of the day, as the writer prints it.
 * A time within the day as a number is refused, as its unit would be a guess.
 */
static lam_status json_value_read_time(const lam_json_tokens *parsed, const lam_json_token *token,
                                       const lam_field *leaf, const lam_json_times *times,
                                       lam_buffer *scratch, lam_value *ret_value,
                                       lam_error *error) {
    lam_time_unit unit = leaf->logical_type.unit;
    bool wide = leaf->physical_type == LAM_PHYSICAL_INT64;
    int64_t time = 0;
    lam_bytes text;
    if (token->kind == LAM_JSON_INTEGER && !times->exact) { /* a time outside of the day */
        LAM_TRY(read_signed(parsed, token, wide ? 64 : 32, &time, error));
        if (time >= 0 && time < 86400 * lam_time_units(unit))
            return wrong_kind(token, "a time as a string", error);
    } else {
        LAM_TRY(lam_json_text_read(parsed, token, scratch, &text, error));
        if (!lam_json_time_take((const char *)text.data, text.size, unit, times, &time))
            return wrong_text((const char *)text.data, text.size, "a time as HH:MM:SS.fraction",
                              error);
    }
    /* Times of 32 bits count milliseconds; a day has fewer than 2^31. */
    if (wide)
        ret_value->int64 = time;
    else
        ret_value->int32 = (int32_t)time;
    return LAM_STATUS_OK;
}

/* The text that is expected has a Z for timestamps in UTC only. */
static lam_status wrong_timestamp(const char *text, size_t size, bool utc, lam_error *error) {
    return wrong_text(text, size,
                      utc ? "a timestamp as YYYY-MM-DDTHH:MM:SS.fractionZ"
                          : "a timestamp as YYYY-MM-DDTHH:MM:SS.fraction",
                      error);
}

/* Reads a text; or a number, if the caller says what it counts. */
static lam_status json_value_read_timestamp(const lam_json_tokens *parsed,
                                            const lam_json_token *token, const lam_field *leaf,
                                            const lam_json_manner *manner, lam_buffer *scratch,
                                            lam_value *ret_value, lam_error *error) {
    const lam_logical_type *type = &leaf->logical_type;
    lam_bytes text;
    if (json_value_is_number(token) && manner->epoch != LAM_JSON_EPOCH_NONE)
        return lam_json_epoch_read(lam_json_token_text(parsed, token), lam_json_token_size(token),
                                   manner->epoch, type->unit, scratch, &ret_value->int64, error);
    if (json_value_is_number(token))
        return wrong_kind(token, "a timestamp as a string (option epoch)", error);
    LAM_TRY(lam_json_text_read(parsed, token, scratch, &text, error));
    if (lam_json_timestamp_take((const char *)text.data, text.size, type->unit,
                                type->adjusted_to_utc, &manner->times, &ret_value->int64))
        return LAM_STATUS_OK;
    return wrong_timestamp((const char *)text.data, text.size, type->adjusted_to_utc, error);
}

/* Reads a count of 96 bits. (LogicalTypes.md, "TIMESTAMP", as FIXED_LEN_BYTE_ARRAY(12)) */
static lam_status read_timestamp_96(const char *text, size_t size, const lam_field *leaf,
                                    const lam_json_times *times, lam_buffer *scratch,
                                    lam_bytes *ret_bytes, lam_error *error) {
    const lam_logical_type *type = &leaf->logical_type;
    uint8_t bytes[12]; /* the text may be in `scratch` */
    if (!lam_json_timestamp_96_take(text, size, type->unit, type->adjusted_to_utc, times, bytes))
        return wrong_timestamp(text, size, type->adjusted_to_utc, error);
    lam_buffer_clear(scratch);
    LAM_TRY(lam_buffer_append(scratch, bytes, sizeof bytes, error));
    *ret_bytes = lam_buffer_bytes(scratch);
    return LAM_STATUS_OK;
}

/* --- Bytes ----------------------------------------------------------------------------------- */

/*
 * Makes room for `size` bytes in `scratch`. The text to decode may be in `scratch` itself, if it
 * was unescaped there: then the room is after it, and `text` is moved along when the buffer moves.
 *
 *     scratch   text, unescaped | room for the bytes
 */
static lam_status room_behind(lam_buffer *scratch, lam_bytes *text, size_t size, uint8_t **ret_room,
                              lam_error *error) {
    bool inside = text->data == scratch->data;
    size_t used = inside ? text->size : 0;
    scratch->size = used;
    LAM_TRY(lam_buffer_reserve(scratch, size, error));
    if (inside)
        text->data = scratch->data;
    *ret_room = scratch->data + used;
    return LAM_STATUS_OK;
}

/*
 * Decodes hex or base64. The bytes are never more than the letters; one more, so that no room is
 * asked for 0 bytes.
 */
static lam_status read_coded(lam_bytes text, bool hex, lam_buffer *scratch, lam_bytes *ret_bytes,
                             lam_error *error) {
    uint8_t *bytes;
    size_t size;
    LAM_TRY(room_behind(scratch, &text, text.size + 1, &bytes, error));
    const char *letters = (const char *)text.data;
    if (!(hex ? lam_hex_parse : lam_base64_parse)(letters, text.size, bytes, &size))
        return wrong_text(letters, text.size, hex ? "bytes as hex" : "bytes as base64", error);
    *ret_bytes = (lam_bytes){bytes, size};
    return LAM_STATUS_OK;
}

/*
 * Reads a string as bytes, by the form of the options. UTF8 takes the text as it is. The length of
 * a FIXED_LEN_BYTE_ARRAY is checked; `type_length` is 0 for BYTE_ARRAY.
 */
static lam_status json_value_read_bytes(lam_bytes text, const lam_field *leaf,
                                        lam_json_binary binary, lam_buffer *scratch,
                                        lam_bytes *ret_bytes, lam_error *error) {
    /* The form UTF8 lends the text itself, in place. */
    lam_bytes bytes = text;
    if (binary != LAM_JSON_BINARY_UTF8)
        LAM_TRY(read_coded(text, binary == LAM_JSON_BINARY_HEX, scratch, &bytes, error));
    if (leaf->type_length > 0 && bytes.size != (size_t)leaf->type_length)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_SIZE, "expected %d bytes, found %zu",
                 (int)leaf->type_length, bytes.size);
    *ret_bytes = bytes;
    return LAM_STATUS_OK;
}

/*
 * Reads a timestamp.
 *
 *     00 00 00 00 00 00 00 00  8D 3D 25 00     1970-01-02T00:00:00, Julian day 2440589
 */
static lam_status json_value_read_int96(lam_bytes text, lam_buffer *scratch, lam_bytes *ret_bytes,
                                        lam_error *error) {
    lam_int96 time;
    uint8_t bytes[LAM_INT96_SIZE]; /* the text may be in `scratch` */
    if (!lam_day_time_parse((const char *)text.data, text.size, &time.day, &time.nanos) ||
        !lam_int96_store(time, bytes))
        return wrong_text((const char *)text.data, text.size,
                          "a timestamp as YYYY-MM-DDTHH:MM:SS.fraction", error);
    lam_buffer_clear(scratch);
    LAM_TRY(lam_buffer_append(scratch, bytes, sizeof bytes, error));
    *ret_bytes = (lam_bytes){scratch->data, sizeof bytes};
    return LAM_STATUS_OK;
}

/* Reads the 16 bytes of a UUID, in the order of its digits. (LogicalTypes.md, "UUID") */
static lam_status json_value_read_uuid(lam_bytes text, lam_buffer *scratch, lam_bytes *ret_bytes,
                                       lam_error *error) {
    uint8_t *bytes;
    LAM_TRY(room_behind(scratch, &text, 16, &bytes, error));
    if (!lam_uuid_parse((const char *)text.data, text.size, bytes))
        return wrong_text((const char *)text.data, text.size, "a UUID", error);
    *ret_bytes = (lam_bytes){bytes, 16};
    return LAM_STATUS_OK;
}

/* Gives the position of a name among the members of an interval; 3 for any other name. */
static size_t interval_member(const lam_json_tokens *parsed, const lam_json_token *key) {
    static const char *const names[] = {"months", "days", "millis"};
    size_t i = 0;
    while (i < 3 && (lam_json_token_size(key) != strlen(names[i]) ||
                     memcmp(lam_json_token_text(parsed, key), names[i], strlen(names[i])) != 0))
        i++;
    return i;
}

/*
 * Reads an object of exactly three members, in any order, each an unsigned integer of 32 bits;
 * stored as three little-endian integers. (LogicalTypes.md, "INTERVAL")
 */
static lam_status read_interval(const lam_json_tokens *parsed, const lam_json_token *token,
                                lam_buffer *scratch, lam_bytes *ret_bytes, lam_error *error) {
    static const char form[] = "{\"months\":..,\"days\":..,\"millis\":..}";
    if (token->kind != LAM_JSON_OBJECT)
        return wrong_kind(token, form, error);
    lam_buffer_clear(scratch);
    LAM_TRY(lam_buffer_reserve(scratch, 12, error));
    /* A bit for each member. */
    unsigned seen = 0;
    const lam_json_token *end = parsed->tokens + token->next;
    for (const lam_json_token *key = token + 1; key < end; key = parsed->tokens + key[1].next) {
        size_t member = interval_member(parsed, key);
        uint64_t number;
        if (member == 3 || (seen & 1u << member) != 0)
            LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_TYPE, "expected an interval as %s", form);
        LAM_TRY(read_unsigned(parsed, key + 1, 32, &number, error));
        lam_store_le32(scratch->data + 4 * member, (uint32_t)number);
        seen |= 1u << member;
    }
    /* All three came. */
    if (seen != 7)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_TYPE, "expected an interval as %s", form);
    *ret_bytes = (lam_bytes){scratch->data, 12};
    return LAM_STATUS_OK;
}

/* Whether the leaf takes values of this kind as JSON text, which an option allows. */
static bool takes_as_text(const lam_json_token *token, const lam_field *leaf,
                          const lam_json_manner *manner) {
    lam_logical_kind kind = leaf->logical_type.kind;
    return manner->values_as_text && (kind == LAM_LOGICAL_JSON || (kind == LAM_LOGICAL_STRING &&
                                                                   token->kind != LAM_JSON_STRING));
}

/* Gives the text of any value; a string's includes its quotes. */
static lam_status read_as_text(const lam_json_tokens *parsed, const lam_json_token *token,
                               lam_buffer *scratch, lam_bytes *ret_bytes, lam_error *error) {
    size_t quote = token->kind == LAM_JSON_STRING;
    lam_buffer_clear(scratch);
    LAM_TRY(lam_json_minify(scratch, lam_json_token_text(parsed, token) - quote,
                            lam_json_token_size(token) + 2 * quote, error));
    *ret_bytes = lam_buffer_bytes(scratch);
    return LAM_STATUS_OK;
}

/* Reads the values that are written as strings. */
static lam_status read_from_string(const lam_json_tokens *parsed, const lam_json_token *token,
                                   const lam_field *leaf, lam_json_meaning meaning,
                                   const lam_json_manner *manner, lam_buffer *scratch,
                                   lam_value *ret_value, lam_error *error) {
    lam_json_binary binary = manner->binary;
    lam_bytes text;
    LAM_TRY(lam_json_text_read(parsed, token, scratch, &text, error));
    const char *letters = (const char *)text.data;
    switch (meaning) {
    case LAM_JSON_MEANS_DATE:
        if (!lam_json_date_take(letters, text.size, &manner->times, &ret_value->int32))
            return wrong_text(letters, text.size, "a date as YYYY-MM-DD", error);
        return LAM_STATUS_OK;
    case LAM_JSON_MEANS_TIMESTAMP_96:
        return read_timestamp_96(letters, text.size, leaf, &manner->times, scratch,
                                 &ret_value->bytes, error);
    case LAM_JSON_MEANS_INT96:
        return json_value_read_int96(text, scratch, &ret_value->bytes, error);
    case LAM_JSON_MEANS_UUID:
        return json_value_read_uuid(text, scratch, &ret_value->bytes, error);
    case LAM_JSON_MEANS_BYTES:
        return json_value_read_bytes(text, leaf, binary, scratch, &ret_value->bytes, error);
    default: /* LAM_JSON_MEANS_TEXT */
        return json_value_read_bytes(text, leaf, LAM_JSON_BINARY_UTF8, scratch, &ret_value->bytes,
                                     error);
    }
}

/* Each meaning has one kind of token, apart from reals and times, which have two. */
lam_status lam_json_value_read(const lam_json_tokens *parsed, const lam_json_token *token,
                               const lam_field *leaf, lam_json_meaning meaning,
                               const lam_json_manner *manner, lam_buffer *scratch,
                               lam_value *ret_value, lam_error *error) {
    switch (meaning) {
    case LAM_JSON_MEANS_BOOLEAN:
        if (token->kind != LAM_JSON_TRUE && token->kind != LAM_JSON_FALSE)
            return wrong_kind(token, "true or false", error);
        ret_value->boolean = token->kind == LAM_JSON_TRUE;
        return LAM_STATUS_OK;
    case LAM_JSON_MEANS_INT32:
    case LAM_JSON_MEANS_INT64:
        return json_value_read_integer(parsed, token, leaf, true, ret_value, error);
    case LAM_JSON_MEANS_UINT32:
    case LAM_JSON_MEANS_UINT64:
        return json_value_read_integer(parsed, token, leaf, false, ret_value, error);
    case LAM_JSON_MEANS_FLOAT:
    case LAM_JSON_MEANS_DOUBLE:
    case LAM_JSON_MEANS_FLOAT16:
        return json_value_read_real(parsed, token, meaning, scratch, ret_value, error);
    case LAM_JSON_MEANS_DECIMAL:
        return json_value_read_decimal(parsed, token, leaf, scratch, ret_value, error);
    case LAM_JSON_MEANS_TIME:
        return json_value_read_time(parsed, token, leaf, &manner->times, scratch, ret_value, error);
    case LAM_JSON_MEANS_TIMESTAMP:
        return json_value_read_timestamp(parsed, token, leaf, manner, scratch, ret_value, error);
    case LAM_JSON_MEANS_INTERVAL:
        return read_interval(parsed, token, scratch, &ret_value->bytes, error);
    case LAM_JSON_MEANS_NOTHING:
        return wrong_kind(token, "null", error);
    default:
        if (takes_as_text(token, leaf, manner))
            return read_as_text(parsed, token, scratch, &ret_value->bytes, error);
        return read_from_string(parsed, token, leaf, meaning, manner, scratch, ret_value, error);
    }
}
