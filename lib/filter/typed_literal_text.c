#include "filter/typed_literal_text.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "filter/filter_number.h"
#include "text/binary_text.h"
#include "text/time_text.h"

static lam_status typed_literal_add(const lam_variant_scalar *scalar, lam_arena *arena,
                                    lam_buffer *literals, lam_error *error) {
    lam_typed_literal literal;
    LAM_TRY(lam_typed_literal_of_scalar(scalar, arena, &literal, error));
    return lam_buffer_append(literals, &literal, sizeof literal, error);
}

/* Strings and binaries have the bytes of a text; a UUID may have those of a hexadecimal one. */
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

/* Timestamps are read to the nanosecond, where that fits, and else to the microsecond. */
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

/* What a text spells beside itself. */
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
