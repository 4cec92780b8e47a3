/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the current token of a filter's text as a value of one leaf, in the form that
 * lam_record_sink.put takes. The logical type decides how the token must look, the physical type
 * what it becomes. A number that the type does not have, such as 10.5 or 1e30 for an INT32, is not
 * an error: it becomes the nearest value below it (or the least, if there is none) and its
 * position, from which the caller makes an equivalent comparison (filter_text.c, compare_above).
 *
 * Invariant: the outputs are set on success only, and bytes of the value are in the caller's arena,
 * never in the scratch buffer, which is freed here. (LogicalTypes.md)
 */
#include "filter/filter_literal.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "filter/filter_number.h"
#include "text/binary_text.h"
#include "text/decimal_text.h"
#include "text/number_text.h"
#include "text/time_text.h"

/* One literal while it is read. */
typedef struct literal_reader {
    const lam_filter_lexer *lexer;
    const lam_field *leaf;
    lam_arena *arena;
    lam_buffer scratch; /* the text without its marks, or a number's digits */
    lam_value value;
    lam_literal_position position;
} literal_reader;

static lam_status filter_literal_expected(const literal_reader *reader, const char *what,
                                          lam_error *error) {
    return lam_filter_lexer_expected(reader->lexer, what, error);
}

static const char *text_of(const literal_reader *reader) {
    return (const char *)reader->scratch.data;
}

/* Copies bytes into the arena and makes them the value. */
static lam_status keep_bytes(literal_reader *reader, const void *bytes, size_t size,
                             lam_error *error) {
    char *copy;
    LAM_TRY(lam_arena_copy(reader->arena, bytes, size, &copy, error));
    reader->value.bytes.data = (const uint8_t *)copy;
    reader->value.bytes.size = size;
    return LAM_STATUS_OK;
}

/* --- Text ---------------------------------------------------------------------------------- */

/*
 * Takes a TEXT token into `scratch`; `what` completes the error otherwise. A NUL behind the text
 * keeps the data pointer from being NULL, and lets strcmp see the end.
 */
static lam_status take_text(literal_reader *reader, const char *what, lam_error *error) {
    if (reader->lexer->token != LAM_FILTER_TOKEN_TEXT)
        return filter_literal_expected(reader, what, error);
    LAM_TRY(lam_filter_lexer_append(reader->lexer, &reader->scratch, error));
    return lam_buffer_append_byte(&reader->scratch, 0, error);
}

/* The size without the NUL that take_text added. */
static size_t text_size(const literal_reader *reader) {
    return reader->scratch.size - 1;
}

/*
 * Reads x'00FF': the digits are behind the two bytes x' and before the closing mark. One byte more
 * than needed is allocated, so that x'' has memory too.
 */
static lam_status read_hex(literal_reader *reader, lam_error *error) {
    const lam_filter_lexer *lexer = reader->lexer;
    const char *digits = lexer->text + lexer->start + 2;
    size_t size = lexer->end - lexer->start - 3, taken;
    uint8_t *bytes;
    LAM_TRY(lam_arena_bytes(reader->arena, size / 2 + 1, &bytes, error));
    if (!lam_hex_parse(digits, size, bytes, &taken))
        return filter_literal_expected(reader, "two hexadecimal digits for each byte", error);
    reader->value.bytes.data = bytes;
    reader->value.bytes.size = taken;
    return LAM_STATUS_OK;
}

/*
 * Reads bytes of any type, from hexadecimal digits or from a text. Length is checked when the value
 * is copied into the filter.
 */
static lam_status filter_literal_read_bytes(literal_reader *reader, const char *what,
                                            lam_error *error) {
    if (reader->lexer->token == LAM_FILTER_TOKEN_HEX)
        return read_hex(reader, error);
    LAM_TRY(take_text(reader, what, error));
    return keep_bytes(reader, reader->scratch.data, text_size(reader), error);
}

/* Reads a UUID in its usual form, or as 16 bytes in hexadecimal. */
static lam_status filter_literal_read_uuid(literal_reader *reader, lam_error *error) {
    static const char what[] = "a UUID such as '00112233-4455-6677-8899-aabbccddeeff'";
    uint8_t bytes[16];
    if (reader->lexer->token == LAM_FILTER_TOKEN_HEX)
        return read_hex(reader, error);
    LAM_TRY(take_text(reader, what, error));
    if (!lam_uuid_parse(text_of(reader), text_size(reader), bytes))
        return filter_literal_expected(reader, what, error);
    return keep_bytes(reader, bytes, sizeof bytes, error);
}

/* --- Times --------------------------------------------------------------------------------- */

/* Reads a date as days since 1970-01-01. */
static lam_status read_date(literal_reader *reader, lam_error *error) {
    static const char what[] = "a date such as '2024-10-24'";
    LAM_TRY(take_text(reader, what, error));
    if (!lam_date_parse(text_of(reader), text_size(reader), &reader->value.int32))
        return filter_literal_expected(reader, what, error);
    return LAM_STATUS_OK;
}

/*
 * Reads a time of day in the unit of the column. More digits than the unit holds are refused, not
 * rounded; a TIME of milliseconds is stored in an INT32.
 */
static lam_status filter_literal_read_time(literal_reader *reader, lam_error *error) {
    static const char what[] = "a time such as '12:34:56.789', of no more digits than its column";
    int64_t time;
    LAM_TRY(take_text(reader, what, error));
    if (!lam_time_parse(text_of(reader), text_size(reader), reader->leaf->logical_type.unit, &time))
        return filter_literal_expected(reader, what, error);
    if (reader->leaf->physical_type == LAM_PHYSICAL_INT32)
        reader->value.int32 = (int32_t)time;
    else
        reader->value.int64 = time;
    return LAM_STATUS_OK;
}

/*
 * Reads a timestamp in the unit of the column, with a Z exactly when the column is adjusted to UTC.
 * Twelve bytes are a little-endian number for a range that 64 bits do not cover.
 */
static lam_status filter_literal_read_timestamp(literal_reader *reader, lam_error *error) {
    const lam_logical_type *type = &reader->leaf->logical_type;
    bool utc = type->adjusted_to_utc;
    uint8_t bytes[12]; /* for FIXED_LEN_BYTE_ARRAY */
    const char *what =
        utc ? "a timestamp such as '2024-10-24T12:34:56Z', of no more digits than its column"
            : "a timestamp such as '2024-10-24T12:34:56', of no more digits than its column";
    LAM_TRY(take_text(reader, what, error));
    if (reader->leaf->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY) {
        if (!lam_timestamp_96_parse(text_of(reader), text_size(reader), type->unit, utc, bytes))
            return filter_literal_expected(reader, what, error);
        return keep_bytes(reader, bytes, sizeof bytes, error);
    }
    if (!lam_timestamp_parse(text_of(reader), text_size(reader), type->unit, utc,
                             &reader->value.int64))
        return filter_literal_expected(reader, what, error);
    return LAM_STATUS_OK;
}

/*
 * Reads an INT96 timestamp, 12 bytes: nanoseconds of the day in 8, then the Julian day in 4, both
 * little endian.
 */
static lam_status filter_literal_read_int96(literal_reader *reader, lam_error *error) {
    static const char what[] = "a timestamp such as '2024-10-24T12:34:56'";
    enum { JULIAN_DAY_OF_1970 = 2440588 };
    int64_t days, nanos;
    uint8_t bytes[12];
    LAM_TRY(take_text(reader, what, error));
    if (!lam_day_time_parse(text_of(reader), text_size(reader), &days, &nanos))
        return filter_literal_expected(reader, what, error);
    lam_store_le64(bytes, (uint64_t)nanos);
    lam_store_le32(bytes + 8, (uint32_t)(days + JULIAN_DAY_OF_1970));
    return keep_bytes(reader, bytes, sizeof bytes, error);
}

/* --- Floating point ------------------------------------------------------------------------ */

/*
 * Reads the numbers that have no digits. They are texts, as a word in this position would be the
 * name of a field.
 */
static lam_status filter_literal_read_special(literal_reader *reader, double *ret_number,
                                              lam_error *error) {
    static const struct {
        const char *name;
        double number;
    } names[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    LAM_TRY(take_text(reader, "a number", error));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text_of(reader), names[i].name) == 0) {
            *ret_number = names[i].number;
            return LAM_STATUS_OK;
        }
    return filter_literal_expected(reader, "a number, 'NaN', 'Infinity' or '-Infinity'", error);
}

/* Bits of a quiet NaN and of both infinities in half precision. */
static uint16_t half_of_special(double number) {
    return isnan(number) ? 0x7E00 : number > 0 ? 0x7C00 : 0xFC00;
}

/* Reads a FLOAT16: two bytes, little endian. */
static lam_status read_half(literal_reader *reader, double special, bool is_special,
                            lam_error *error) {
    uint16_t half = half_of_special(special);
    uint8_t bytes[2];
    if (!is_special && !lam_half_parse(text_of(reader), reader->scratch.size, &half))
        return filter_literal_expected(reader, "a number within the range of FLOAT16", error);
    lam_store_le16(bytes, half);
    return keep_bytes(reader, bytes, sizeof bytes, error);
}

/*
 * Rounds to the nearest number of the type; a number beyond the largest is an error here, unlike
 * for integers, since no finite value is near it.
 */
static lam_status read_float(literal_reader *reader, lam_error *error) {
    bool is_special = reader->lexer->token == LAM_FILTER_TOKEN_TEXT;
    double number = 0;
    if (is_special)
        LAM_TRY(filter_literal_read_special(reader, &number, error));
    else if (reader->lexer->token == LAM_FILTER_TOKEN_NUMBER)
        LAM_TRY(lam_filter_number_plain(reader->lexer, &reader->scratch, error));
    else
        return filter_literal_expected(reader, "a number", error);
    switch (reader->leaf->physical_type) {
    case LAM_PHYSICAL_FLOAT:
        reader->value.float32 = (float)number;
        if (!is_special &&
            !lam_float_parse(text_of(reader), reader->scratch.size, &reader->value.float32))
            return filter_literal_expected(reader, "a number within the range of FLOAT", error);
        return LAM_STATUS_OK;
    case LAM_PHYSICAL_DOUBLE:
        reader->value.float64 = number;
        if (!is_special &&
            !lam_double_parse(text_of(reader), reader->scratch.size, &reader->value.float64))
            return filter_literal_expected(reader, "a number within the range of DOUBLE", error);
        return LAM_STATUS_OK;
    default:
        return read_half(reader, number, is_special, error);
    }
}

/* --- Integers and decimals ----------------------------------------------------------------- */

/*
 * Takes the least value of the type, or with `most` the largest, for a literal beyond it. -1 is the
 * largest unsigned number by its bits; big-endian bytes are 80 00 ... or 7F FF ....
 */
static lam_status take_limit(literal_reader *reader, bool most, lam_error *error) {
    const lam_field *leaf = reader->leaf;
    bool is_unsigned =
        leaf->logical_type.kind == LAM_LOGICAL_INTEGER && !leaf->logical_type.is_signed;
    reader->position = most ? LAM_LITERAL_ABOVE : LAM_LITERAL_BELOW_ALL;
    if (leaf->physical_type == LAM_PHYSICAL_INT32) {
        reader->value.int32 = is_unsigned ? (most ? -1 : 0) : (most ? INT32_MAX : INT32_MIN);
        return LAM_STATUS_OK;
    }
    if (leaf->physical_type == LAM_PHYSICAL_INT64) {
        reader->value.int64 = is_unsigned ? (most ? -1 : 0) : (most ? INT64_MAX : INT64_MIN);
        return LAM_STATUS_OK;
    }
    size_t size = (size_t)leaf->type_length;
    uint8_t *bytes;
    LAM_TRY(lam_arena_bytes(reader->arena, size, &bytes, error));
    memset(bytes, most ? 0xFF : 0, size);
    bytes[0] ^= 0x80;
    reader->value.bytes.data = bytes;
    reader->value.bytes.size = size;
    return LAM_STATUS_OK;
}

/*
 * Takes an integer if the type has it, and the limit on its side otherwise. Negative digits never
 * parse as unsigned, so that -1 becomes BELOW_ALL 0 for an unsigned column.
 */
static lam_status filter_literal_take_integer(literal_reader *reader,
                                              const lam_filter_number *number, lam_error *error) {
    const lam_field *leaf = reader->leaf;
    bool is_unsigned =
        leaf->logical_type.kind == LAM_LOGICAL_INTEGER && !leaf->logical_type.is_signed;
    bool is_wide = leaf->physical_type == LAM_PHYSICAL_INT64;
    int64_t value = 0;
    uint64_t large = 0;
    bool fits;
    if (is_unsigned)
        fits = lam_uint64_parse(number->digits, number->size, &large) &&
               (is_wide || large <= UINT32_MAX);
    else
        fits = lam_int64_parse(number->digits, number->size, &value) &&
               (is_wide || (value >= INT32_MIN && value <= INT32_MAX));
    if (!fits)
        return take_limit(reader, !number->is_negative, error);
    if (is_wide)
        reader->value.int64 = is_unsigned ? (int64_t)large : value;
    else
        reader->value.int32 = is_unsigned ? (int32_t)(uint32_t)large : (int32_t)value;
    return LAM_STATUS_OK;
}

/*
 * Takes a decimal as big-endian two's complement, as short as it can be for BYTE_ARRAY and
 * sign-extended to the column's length for FIXED_LEN_BYTE_ARRAY. Only the latter has limits. The
 * parser gets a precision that refuses nothing: the digits of a literal may be more than the
 * column's precision, and then simply equal no value.
 */
static lam_status take_decimal_bytes(literal_reader *reader, const lam_filter_number *number,
                                     lam_error *error) {
    lam_status status;
    lam_buffer unscaled;
    size_t length = (size_t)reader->leaf->type_length;
    uint8_t *bytes;
    lam_buffer_init(&unscaled, &reader->arena->allocator);
    LAM_TRY_OUT(lam_decimal_parse(number->digits, number->size, INT32_MAX, 0, &unscaled, error));
    if (length == 0) {
        status = keep_bytes(reader, unscaled.data, unscaled.size, error);
        goto out;
    }
    if (unscaled.size > length) {
        status = take_limit(reader, !number->is_negative, error);
        goto out;
    }
    LAM_TRY_OUT(lam_arena_bytes(reader->arena, length, &bytes, error));
    memset(bytes, number->is_negative ? 0xFF : 0, length);
    memcpy(bytes + length - unscaled.size, unscaled.data, unscaled.size);
    reader->value.bytes.data = bytes;
    reader->value.bytes.size = length;
out:
    lam_buffer_finish(&unscaled);
    return status;
}

/*
 * Reads an integer or a decimal by its unscaled value, the largest one not above the literal: 1.005
 * in a column of scale 2 is ABOVE 100. Integers have scale 0.
 */
static lam_status filter_literal_read_number(literal_reader *reader, lam_error *error) {
    lam_filter_number number;
    if (reader->lexer->token != LAM_FILTER_TOKEN_NUMBER)
        return filter_literal_expected(reader, "a number", error);
    LAM_TRY(lam_filter_number_floor(reader->lexer, reader->leaf->logical_type.scale,
                                    &reader->scratch, &number, error));
    reader->position = number.is_exact ? LAM_LITERAL_EXACT : LAM_LITERAL_ABOVE;
    if (reader->leaf->physical_type == LAM_PHYSICAL_INT32 ||
        reader->leaf->physical_type == LAM_PHYSICAL_INT64)
        return filter_literal_take_integer(reader, &number, error);
    return take_decimal_bytes(reader, &number, error);
}

static lam_status filter_literal_read_boolean(literal_reader *reader, lam_error *error) {
    reader->value.boolean = lam_filter_lexer_at_keyword(reader->lexer, "true");
    if (!reader->value.boolean && !lam_filter_lexer_at_keyword(reader->lexer, "false"))
        return filter_literal_expected(reader, "true or false", error);
    return LAM_STATUS_OK;
}

/* --- By type ------------------------------------------------------------------------------- */

/*
 * Reads a value of BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY by logical type; those without a form of
 * their own take bytes.
 */
static lam_status read_byte_array(literal_reader *reader, lam_error *error) {
    switch (reader->leaf->logical_type.kind) {
    case LAM_LOGICAL_DECIMAL:
        return filter_literal_read_number(reader, error);
    case LAM_LOGICAL_TIMESTAMP:
        return filter_literal_read_timestamp(reader, error);
    case LAM_LOGICAL_UUID:
        return filter_literal_read_uuid(reader, error);
    case LAM_LOGICAL_FLOAT16:
        return read_float(reader, error);
    case LAM_LOGICAL_STRING:
    case LAM_LOGICAL_ENUM:
    case LAM_LOGICAL_JSON:
        return filter_literal_read_bytes(reader, "a text such as 'abc'", error);
    default:
        return filter_literal_read_bytes(reader, "bytes such as x'00FF'", error);
    }
}

/*
 * Reads a value of INT32 or INT64. A DATE of 64 bits or a TIMESTAMP of 32 would take plain numbers;
 * schemas drop such types (schema/builder.c).
 */
static lam_status read_int(literal_reader *reader, lam_error *error) {
    bool is_wide = reader->leaf->physical_type == LAM_PHYSICAL_INT64;
    switch (reader->leaf->logical_type.kind) {
    case LAM_LOGICAL_DATE:
        return is_wide ? filter_literal_read_number(reader, error) : read_date(reader, error);
    case LAM_LOGICAL_TIME:
        return filter_literal_read_time(reader, error);
    case LAM_LOGICAL_TIMESTAMP:
        return is_wide ? filter_literal_read_timestamp(reader, error)
                       : filter_literal_read_number(reader, error);
    default:
        return filter_literal_read_number(reader, error);
    }
}

/*
 * NULL as a literal gets an error of its own: a comparison with it would be unknown for every
 * record, and IS NULL is what the author means.
 */
static lam_status filter_literal_read_value(literal_reader *reader, lam_error *error) {
    if (lam_filter_lexer_at_keyword(reader->lexer, "null"))
        return filter_literal_expected(reader, "a value (for null: is null)", error);
    switch (reader->leaf->physical_type) {
    case LAM_PHYSICAL_BOOLEAN:
        return filter_literal_read_boolean(reader, error);
    case LAM_PHYSICAL_INT32:
    case LAM_PHYSICAL_INT64:
        return read_int(reader, error);
    case LAM_PHYSICAL_FLOAT:
    case LAM_PHYSICAL_DOUBLE:
        return read_float(reader, error);
    case LAM_PHYSICAL_INT96:
        return filter_literal_read_int96(reader, error);
    default:
        return read_byte_array(reader, error);
    }
}

/* Frees the scratch buffer on every way out. */
lam_status lam_filter_literal_read(const lam_filter_lexer *lexer, const lam_field *leaf,
                                   lam_arena *arena, lam_value *ret_value,
                                   lam_literal_position *ret_position, lam_error *error) {
    literal_reader reader;
    memset(&reader, 0, sizeof reader);
    reader.lexer = lexer;
    reader.leaf = leaf;
    reader.arena = arena;
    lam_buffer_init(&reader.scratch, &arena->allocator);
    lam_status status = filter_literal_read_value(&reader, error);
    lam_buffer_finish(&reader.scratch);
    if (status != LAM_STATUS_OK)
        return status;
    *ret_value = reader.value;
    *ret_position = reader.position;
    return LAM_STATUS_OK;
}
