/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the current token of a filter's text as typed literals. Takes a token and appends to an
 * array of lam_typed_literal, at most one of each class:
 *
 *     10.5                        number
 *     true                        boolean
 *     'abc'                       string, binary
 *     '2024-10-24'                string, binary, date
 *     '2024-10-24T12:00:00Z'      string, binary, timestamp
 *     'NaN'                       string, binary, number
 *     x'00FF'                     string, binary; with 16 bytes a UUID too
 *
 * Invariant: on failure literals may have been appended; the caller drops the array.
 */
#include "filter/typed_literal_text.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "filter/filter_number.h"
#include "text/binary_text.h"
#include "text/time_text.h"

/* Appends a scalar as a literal. */
static lam_status typed_literal_add(const lam_variant_scalar *scalar, lam_arena *arena,
                                    lam_buffer *literals, lam_error *error) {
    lam_typed_literal literal;
    LAM_TRY(lam_typed_literal_of_scalar(scalar, arena, &literal, error));
    return lam_buffer_append(literals, &literal, sizeof literal, error);
}

/*
 * Appends bytes as a string and as a binary, and 16 hexadecimal bytes as a UUID. A quoted text of
 * 16 characters is not a UUID: that has a spelling of its own.
 */
static lam_status typed_literal_add_bytes(lam_bytes bytes, bool is_hex, lam_arena *arena,
                                          lam_buffer *literals, lam_error *error) {
    lam_variant_scalar scalar = {LAM_VARIANT_STRING, {.bytes = bytes}};
    LAM_TRY(typed_literal_add(&scalar, arena, literals, error));
    scalar.kind = LAM_VARIANT_BINARY;
    LAM_TRY(typed_literal_add(&scalar, arena, literals, error));
    scalar.kind = LAM_VARIANT_UUID;
    return is_hex && bytes.size == 16 ? typed_literal_add(&scalar, arena, literals, error)
                                      : LAM_STATUS_OK;
}

/* Appends x'00FF' as its bytes; the digits are between x' and the closing mark. */
static lam_status add_hex(const lam_filter_lexer *lexer, lam_arena *arena, lam_buffer *literals,
                          lam_error *error) {
    const char *digits = lexer->text + lexer->start + 2;
    size_t size = lexer->end - lexer->start - 3;
    lam_bytes bytes = {NULL, 0};
    uint8_t *memory;
    LAM_TRY(lam_arena_bytes(arena, size / 2 + 1, &memory, error));
    if (!lam_hex_parse(digits, size, memory, &bytes.size))
        return lam_filter_lexer_expected(lexer, "two hexadecimal digits for each byte", error);
    bytes.data = memory;
    return typed_literal_add_bytes(bytes, true, arena, literals, error);
}

/*
 * Reads to the nanosecond in the years that 64 bits then cover, 1677 to 2262, otherwise to the
 * microsecond.
 */
static bool typed_literal_parse_timestamp(const char *text, size_t size, bool utc,
                                          lam_variant_scalar *ret_scalar) {
    int64_t *time = &ret_scalar->as.integer;
    if (lam_timestamp_parse(text, size, LAM_TIME_UNIT_NANOS, utc, time))
        ret_scalar->kind = utc ? LAM_VARIANT_TIMESTAMP_NANOS : LAM_VARIANT_TIMESTAMP_NTZ_NANOS;
    else if (lam_timestamp_parse(text, size, LAM_TIME_UNIT_MICROS, utc, time))
        ret_scalar->kind = utc ? LAM_VARIANT_TIMESTAMP : LAM_VARIANT_TIMESTAMP_NTZ;
    else
        return false;
    return true;
}

/*
 * Numbers that JSON does not have. A string 'NaN' matches as well, as the text is also read as one.
 */
static bool parse_special(const char *text, size_t size, double *ret_number) {
    static const struct {
        const char *name;
        double number;
    } names[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == size && memcmp(names[i].name, text, size) == 0) {
            *ret_number = names[i].number;
            return true;
        }
    return false;
}

/*
 * Appends the other value that a text spells, if any. The spellings exclude each other, so at most
 * one matches.
 */
static lam_status add_spelled(const char *text, size_t size, lam_arena *arena, lam_buffer *literals,
                              lam_error *error) {
    lam_variant_scalar scalar = {LAM_VARIANT_DATE, {0}};
    int32_t days;
    uint8_t uuid[16];
    if (lam_date_parse(text, size, &days)) {
        scalar.as.integer = days;
        return typed_literal_add(&scalar, arena, literals, error);
    }
    scalar.kind = LAM_VARIANT_TIME;
    if (lam_time_parse(text, size, LAM_TIME_UNIT_MICROS, &scalar.as.integer) ||
        typed_literal_parse_timestamp(text, size, true, &scalar) ||
        typed_literal_parse_timestamp(text, size, false, &scalar))
        return typed_literal_add(&scalar, arena, literals, error);
    scalar.kind = LAM_VARIANT_DOUBLE;
    if (parse_special(text, size, &scalar.as.float64))
        return typed_literal_add(&scalar, arena, literals, error);
    if (!lam_uuid_parse(text, size, uuid))
        return LAM_STATUS_OK;
    scalar.kind = LAM_VARIANT_UUID;
    scalar.as.bytes.data = uuid;
    scalar.as.bytes.size = sizeof uuid;
    return typed_literal_add(&scalar, arena, literals, error);
}

/* Reserves a byte first, so that the data of an empty text is not NULL. */
static lam_status typed_literal_add_text(const lam_filter_lexer *lexer, lam_arena *arena,
                                         lam_buffer *literals, lam_error *error) {
    lam_status status;
    lam_buffer text;
    lam_buffer_init(&text, &arena->allocator);
    LAM_TRY_OUT(lam_buffer_reserve(&text, 1, error));
    LAM_TRY_OUT(lam_filter_lexer_append(lexer, &text, error));
    LAM_TRY_OUT(typed_literal_add_bytes(lam_buffer_bytes(&text), false, arena, literals, error));
    LAM_TRY_OUT(add_spelled((const char *)text.data, text.size, arena, literals, error));
out:
    lam_buffer_finish(&text);
    return status;
}

/* Appends a number in JSON's form, with all its digits. */
static lam_status add_number(const lam_filter_lexer *lexer, lam_arena *arena, lam_buffer *literals,
                             lam_error *error) {
    lam_status status;
    lam_typed_literal literal;
    lam_buffer text;
    lam_buffer_init(&text, &arena->allocator);
    LAM_TRY_OUT(lam_filter_number_plain(lexer, &text, error));
    LAM_TRY_OUT(
        lam_typed_literal_of_number((const char *)text.data, text.size, arena, &literal, error));
    LAM_TRY_OUT(lam_buffer_append(literals, &literal, sizeof literal, error));
out:
    lam_buffer_finish(&text);
    return status;
}

/* Words are true and false only; another word gives an error that names what was found. */
lam_status lam_typed_literals_read(const lam_filter_lexer *lexer, lam_arena *arena,
                                   lam_buffer *literals, lam_error *error) {
    lam_variant_scalar scalar = {LAM_VARIANT_BOOLEAN, {0}};
    scalar.as.boolean = lam_filter_lexer_at_keyword(lexer, "true");
    if (scalar.as.boolean || lam_filter_lexer_at_keyword(lexer, "false"))
        return typed_literal_add(&scalar, arena, literals, error);
    switch (lexer->token) {
    case LAM_FILTER_TOKEN_NUMBER:
        return add_number(lexer, arena, literals, error);
    case LAM_FILTER_TOKEN_TEXT:
        return typed_literal_add_text(lexer, arena, literals, error);
    case LAM_FILTER_TOKEN_HEX:
        return add_hex(lexer, arena, literals, error);
    default:
        return lam_filter_lexer_expected(
            lexer,
            lam_filter_lexer_at_keyword(lexer, "null") ? "a value (for null: is null)" : "a value",
            error);
    }
}
