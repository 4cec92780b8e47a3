/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads tokens of a filter's text as literals. The meaning of a text depends on the value that it
 * is compared with. A leaf has one type, and finds the text among its own values; a path of a
 * VARIANT leads to values of any type, so the text is read as a literal of each class, at most one:
 *
 *     10.5                        number
 *     true                        boolean
 *     'abc'                       string, binary
 *     '2024-10-24'                string, binary, date, timestamps: midnight
 *     '2024-10-24T12:00:00'       string, binary, timestamps, between two dates
 *     '2024-10-24T12:00:00Z'      the same without timestamps in no zone
 *     now()                       timestamps, between two dates
 *     'NaN'                       string, binary, number
 *     x'00FF'                     string, binary; with 16 bytes a UUID too
 *
 * A failure may leave literals appended; the caller always drops the array.
 */
#include "scan/condition/filter_literal_text.h"

#include <string.h>

#include "base/error.h"
#include "base/floor_divide.h"
#include "text/binary_text.h"
#include "text/time_text.h"

/* Reads x'00FF': the digits are between the two bytes x' and the closing mark. */
static lam_status literal_read_hex(const lam_filter_lexer *lexer, lam_arena *arena,
                                   lam_literal *literal, lam_error *error) {
    const char *digits = lexer->text + lexer->start + 2;
    size_t size = lexer->end - lexer->start - 3;
    uint8_t *bytes;
    LAM_TRY(lam_arena_bytes(arena, size / 2 + 1, &bytes, error)); /* x'' has memory, too */
    if (!lam_hex_parse(digits, size, bytes, &literal->bytes.size))
        return lam_filter_lexer_expected(lexer, "two hexadecimal digits for each byte", error);
    literal->kind = LAM_LITERAL_BINARY;
    literal->bytes.data = bytes;
    return LAM_STATUS_OK;
}

static lam_status literal_read_quoted(const lam_filter_lexer *lexer, lam_arena *arena,
                                      lam_literal *literal, lam_error *error) {
    lam_status status;
    lam_buffer text;
    char *copy;
    lam_buffer_init(&text, &arena->allocator);
    LAM_TRY_OUT(lam_filter_lexer_append(lexer, &text, error));
    LAM_TRY_OUT(lam_arena_copy(arena, text.data, text.size, &copy, error));
    literal->kind = LAM_LITERAL_STRING;
    literal->bytes.data = (const uint8_t *)copy;
    literal->bytes.size = text.size;
out:
    lam_buffer_finish(&text);
    return status;
}

/* Reads now(), with terms that are added to it. */
static lam_status literal_read_now(const lam_filter_lexer *lexer, lam_literal *literal,
                                   lam_error *error) {
    enum { MICROS = 1000000 };
    int64_t seconds;
    if (!lam_filter_lexer_shift(lexer, &seconds) || seconds > INT64_MAX / MICROS / 2 ||
        seconds < INT64_MIN / MICROS / 2)
        return lam_filter_lexer_expected(lexer, "a time of the next or last 100000 years", error);
    literal->kind = LAM_LITERAL_TIMESTAMP;
    literal->integer = lexer->now + seconds * MICROS;
    literal->is_now = true;
    return LAM_STATUS_OK;
}

/*
 * NULL as a literal gets an error of its own: a comparison with it would be unknown for every
 * record, and its author means IS NULL.
 */
lam_status lam_literal_read(const lam_filter_lexer *lexer, lam_arena *arena,
                            lam_literal *ret_literal, lam_error *error) {
    bool is_true = lam_filter_lexer_at_keyword(lexer, "true");
    memset(ret_literal, 0, sizeof *ret_literal);
    ret_literal->kind = LAM_LITERAL_NO_CLASS;
    if (lam_filter_lexer_at_keyword(lexer, "null"))
        return lam_filter_lexer_expected(lexer, "a value (for null: is null)", error);
    if (is_true || lam_filter_lexer_at_keyword(lexer, "false")) {
        ret_literal->kind = LAM_LITERAL_BOOLEAN;
        ret_literal->integer = is_true;
    }
    switch (lexer->token) {
    case LAM_FILTER_TOKEN_NUMBER:
        return lam_literal_of_number(lexer->text + lexer->start, lexer->end - lexer->start, arena,
                                     ret_literal, error);
    case LAM_FILTER_TOKEN_TEXT:
        return literal_read_quoted(lexer, arena, ret_literal, error);
    case LAM_FILTER_TOKEN_HEX:
        return literal_read_hex(lexer, arena, ret_literal, error);
    case LAM_FILTER_TOKEN_NOW:
        return literal_read_now(lexer, ret_literal, error);
    default:
        return LAM_STATUS_OK;
    }
}

/* --- Classes ------------------------------------------------------------------------------- */

/* Appends a literal that a scalar makes. */
static lam_status literal_add(lam_variant_kind kind, int64_t value, int32_t nanos,
                              lam_buffer *literals, lam_error *error) {
    lam_literal literal;
    memset(&literal, 0, sizeof literal);
    literal.kind = lam_literal_class_of(kind);
    literal.integer = value;
    literal.nanos = nanos;
    return lam_buffer_append(literals, &literal, sizeof literal, error);
}

/*
 * Appends a moment in each comparable form: timestamps in UTC, timestamps in no zone unless the
 * text is in UTC, and its day, between that day and the next if it is not midnight.
 */
static lam_status literal_add_moment(int64_t micros, int32_t nanos, bool utc_only,
                                     lam_buffer *literals, lam_error *error) {
    const int64_t day_micros = INT64_C(86400) * 1000 * 1000;
    int64_t rest, day = lam_floor_divide(micros, day_micros, &rest);
    LAM_TRY(literal_add(LAM_VARIANT_TIMESTAMP, micros, nanos, literals, error));
    if (!utc_only)
        LAM_TRY(literal_add(LAM_VARIANT_TIMESTAMP_NTZ, micros, nanos, literals, error));
    return literal_add(LAM_VARIANT_DATE, day, rest != 0 || nanos != 0, literals, error);
}

/* A date is its midnight, too, in the years that microseconds of 64 bits cover. */
static lam_status literal_add_date(int32_t days, lam_buffer *literals, lam_error *error) {
    const int64_t day_micros = INT64_C(86400) * 1000 * 1000;
    if (days > INT64_MAX / day_micros || days < INT64_MIN / day_micros)
        return literal_add(LAM_VARIANT_DATE, days, 0, literals, error);
    return literal_add_moment(days * day_micros, 0, false, literals, error);
}

/*
 * Appends the other values that a text spells, if any. The spellings exclude each other, so at most
 * one matches; a text of 16 characters is not a UUID, as that has a spelling of its own.
 */
static lam_status literal_add_spelled(const lam_literal *literal, lam_arena *arena,
                                      lam_buffer *literals, lam_error *error) {
    const char *text = (const char *)literal->bytes.data;
    size_t size = literal->bytes.size;
    lam_variant_scalar scalar = {LAM_VARIANT_UUID, {0}};
    lam_literal spelled;
    int32_t days, nanos;
    int64_t time;
    bool is_utc;
    uint8_t uuid[16];
    if (lam_literal_of_special(literal->bytes, &spelled))
        return lam_buffer_append(literals, &spelled, sizeof spelled, error);
    if (lam_date_parse(text, size, &days))
        return literal_add_date(days, literals, error);
    if (lam_time_parse(text, size, LAM_TIME_UNIT_MICROS, &time))
        return literal_add(LAM_VARIANT_TIME, time, 0, literals, error);
    if (lam_literal_parse_moment(text, size, &time, &nanos, &is_utc))
        return literal_add_moment(time, nanos, is_utc, literals, error);
    if (!lam_uuid_parse(text, size, uuid))
        return LAM_STATUS_OK;
    scalar.as.bytes.data = uuid;
    scalar.as.bytes.size = sizeof uuid;
    LAM_TRY(lam_literal_of_scalar(&scalar, arena, &spelled, error));
    return lam_buffer_append(literals, &spelled, sizeof spelled, error);
}

lam_status lam_literal_read_classes(const lam_literal *literal, lam_arena *arena,
                                    lam_buffer *literals, lam_error *error) {
    lam_literal other = *literal;
    if (literal->is_now)
        return literal_add_moment(literal->integer, literal->nanos, false, literals, error);
    if (literal->kind != LAM_LITERAL_STRING && literal->kind != LAM_LITERAL_BINARY)
        return lam_buffer_append(literals, literal, sizeof *literal, error);
    other.kind = LAM_LITERAL_STRING;
    LAM_TRY(lam_buffer_append(literals, &other, sizeof other, error));
    other.kind = LAM_LITERAL_BINARY;
    LAM_TRY(lam_buffer_append(literals, &other, sizeof other, error));
    if (literal->kind == LAM_LITERAL_STRING)
        return literal_add_spelled(literal, arena, literals, error);
    other.kind = LAM_LITERAL_UUID;
    return literal->bytes.size == 16 ? lam_buffer_append(literals, &other, sizeof other, error)
                                     : LAM_STATUS_OK;
}
