/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds literals among the values of a leaf. The logical type decides which classes of literals it
 * takes, and how a text must look; the physical type what they become. A literal that is no value
 * of the leaf is not an error: 10.5 is between two values of an INT32, 1e30 above all. For
 * floating-point numbers the nearest one is taken, as in comparisons in VARIANTs.
 *
 * The result is always a value that the leaf can have, and comparing with it by position is the
 * same as comparing with the literal. (LogicalTypes.md)
 */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/floor_divide.h"
#include "base/int96.h"
#include "base/wide_int.h"
#include "scan/condition/filter_literal.h"
#include "scan/condition/filter_values.h"
#include "text/binary_text.h"
#include "text/decimal_text.h"
#include "text/number_text.h"
#include "text/time_text.h"

/* A literal on its way to a leaf. */
typedef struct literal_finder {
    const lam_literal *literal;
    const lam_field *leaf;
    const char *text; /* of a string */
    size_t size;
    lam_value value; /* its bytes are in one of the next two, or in the literal */
    uint8_t bytes[16];
    lam_buffer scratch; /* digits, or an unscaled decimal */
} literal_finder;

static lam_literal_position exact_if(bool is_exact) {
    return is_exact ? LAM_LITERAL_EXACT : LAM_LITERAL_NOWHERE;
}

static void take_literal_bytes(literal_finder *finder, const uint8_t *bytes, size_t size) {
    finder->value.bytes.data = bytes;
    finder->value.bytes.size = size;
}

static bool is_text(const literal_finder *finder) {
    return finder->literal->kind == LAM_LITERAL_STRING;
}

/* --- Bytes and times ----------------------------------------------------------------------- */

/* Bytes of any class count as they are, but for texts of a UUID. */
static lam_literal_position find_bytes(literal_finder *finder) {
    const lam_literal *literal = finder->literal;
    take_literal_bytes(finder, literal->bytes.data, literal->bytes.size);
    if (is_text(finder) && finder->leaf->logical_type.kind == LAM_LOGICAL_UUID) {
        take_literal_bytes(finder, finder->bytes, sizeof finder->bytes);
        return exact_if(lam_uuid_parse(finder->text, finder->size, finder->bytes));
    }
    return exact_if(literal->kind >= LAM_LITERAL_STRING && literal->kind <= LAM_LITERAL_UUID);
}

/* Places days; beyond 32 bits they are possible in a literal from an application. */
static lam_literal_position find_days(literal_finder *finder, int64_t days, bool is_midnight) {
    finder->value.int32 = (int32_t)days;
    return days > INT32_MAX   ? LAM_LITERAL_ABOVE_ALL
           : days < INT32_MIN ? LAM_LITERAL_BELOW_ALL
           : is_midnight      ? LAM_LITERAL_EXACT
                              : LAM_LITERAL_BETWEEN;
}

/* Days since 1970-01-01. A timestamp is between its day and the next, unless it is midnight. */
static lam_literal_position find_date(literal_finder *finder) {
    const int64_t day_micros = INT64_C(86400) * 1000 * 1000;
    const lam_literal *literal = finder->literal;
    int64_t micros = literal->integer, rest;
    int32_t nanos = literal->nanos;
    bool is_utc;
    if (literal->kind == LAM_LITERAL_DATE)
        return find_days(finder, literal->integer, nanos == 0);
    if (is_text(finder) && lam_date_parse(finder->text, finder->size, &finder->value.int32))
        return LAM_LITERAL_EXACT;
    if (!literal->is_now &&
        !(is_text(finder) &&
          lam_literal_parse_moment(finder->text, finder->size, &micros, &nanos, &is_utc)))
        return LAM_LITERAL_NOWHERE;
    int64_t days = lam_floor_divide(micros, day_micros, &rest);
    return find_days(finder, days, rest == 0 && nanos == 0);
}

/*
 * A text has no more digits than the unit of the leaf, as it would have to be rounded. Other
 * literals meet columns of VARIANTs only, which have microseconds in an INT64.
 */
static lam_literal_position find_time(literal_finder *finder) {
    int64_t time = finder->literal->integer;
    bool fits = is_text(finder) ? lam_time_parse(finder->text, finder->size,
                                                 finder->leaf->logical_type.unit, &time)
                                : finder->literal->kind == LAM_LITERAL_TIME;
    if (finder->leaf->physical_type == LAM_PHYSICAL_INT32)
        finder->value.int32 = (int32_t)time;
    else
        finder->value.int64 = time;
    return exact_if(fits);
}

/*
 * Places microseconds and 0 to 999 nanoseconds. A column of coarser units may be below them by the
 * remainder; a column of nanoseconds covers the years 1677 to 2262 only, and its limits are checked
 * before multiplying. The product at `first` itself would overflow, as it is below INT64_MIN.
 */
static lam_literal_position find_instant(literal_finder *finder, int64_t micros, int32_t nanos) {
    int64_t first_nanos, first = lam_floor_divide(INT64_MIN, 1000, &first_nanos);
    int64_t last_nanos, last = lam_floor_divide(INT64_MAX, 1000, &last_nanos), rest = 0;
    finder->value.int64 = micros;
    if (finder->leaf->logical_type.unit == LAM_TIME_UNIT_MILLIS)
        finder->value.int64 = lam_floor_divide(micros, 1000, &rest);
    if (finder->leaf->logical_type.unit != LAM_TIME_UNIT_NANOS)
        return nanos > 0 || rest > 0 ? LAM_LITERAL_BETWEEN : LAM_LITERAL_EXACT;
    if (micros > last || (micros == last && nanos > last_nanos))
        return LAM_LITERAL_ABOVE_ALL;
    if (micros < first || (micros == first && nanos < first_nanos))
        return LAM_LITERAL_BELOW_ALL;
    finder->value.int64 =
        micros == first ? INT64_MIN + (nanos - first_nanos) : micros * 1000 + nanos;
    return LAM_LITERAL_EXACT;
}

/* Room for a date and T00:00:00. */
enum { MIDNIGHT_ROOM = LAM_TIME_TEXT_MAX + 16 };

/* Writes a timestamp without zone at the midnight of a date; gives 0 for a text that is no date. */
static size_t write_midnight(const literal_finder *finder, char text[MIDNIGHT_ROOM]) {
    static const char midnight[] = "T00:00:00";
    int32_t days;
    if (finder->size > LAM_TIME_TEXT_MAX || !lam_date_parse(finder->text, finder->size, &days))
        return 0;
    memcpy(text, finder->text, finder->size);
    memcpy(text + finder->size, midnight, sizeof midnight - 1);
    return finder->size + sizeof midnight - 1;
}

/* Twelve bytes are a little-endian number for a range that 64 bits do not cover. */
static lam_literal_position find_timestamp_96(literal_finder *finder) {
    const lam_logical_type *type = &finder->leaf->logical_type;
    bool utc = type->adjusted_to_utc;
    char text[MIDNIGHT_ROOM];
    take_literal_bytes(finder, finder->bytes, 12);
    if (is_text(finder)) {
        size_t size = write_midnight(finder, text);
        return exact_if(
            lam_timestamp_96_parse(finder->text, finder->size, type->unit, utc, finder->bytes) ||
            lam_timestamp_96_parse(finder->text, finder->size, type->unit, false, finder->bytes) ||
            lam_timestamp_96_parse(text, size, type->unit, false, finder->bytes));
    }
    if (!finder->literal->is_now)
        return LAM_LITERAL_NOWHERE;
    lam_literal_position position =
        find_instant(finder, finder->literal->integer, finder->literal->nanos);
    lam_wide_int wide = lam_wide_int_of(finder->value.int64);
    (void)lam_wide_int_store(&wide, finder->bytes); /* 64 bits always fit */
    take_literal_bytes(finder, finder->bytes, 12);
    return position;
}

/*
 * Texts may be in another unit, or a date. One with a zone needs a column in UTC, one without is
 * taken to be in that of the column.
 */
static lam_literal_position find_timestamp(literal_finder *finder) {
    const lam_literal *literal = finder->literal;
    const lam_logical_type *type = &finder->leaf->logical_type;
    bool utc = type->adjusted_to_utc, is_utc;
    int64_t micros;
    int32_t nanos;
    char text[MIDNIGHT_ROOM];
    if (finder->leaf->physical_type != LAM_PHYSICAL_INT64)
        return find_timestamp_96(finder);
    if (literal->is_now ||
        literal->kind == (utc ? LAM_LITERAL_TIMESTAMP : LAM_LITERAL_TIMESTAMP_NTZ))
        return find_instant(finder, literal->integer, literal->nanos);
    if (!is_text(finder))
        return LAM_LITERAL_NOWHERE;
    if (lam_timestamp_parse(finder->text, finder->size, type->unit, utc, &finder->value.int64))
        return LAM_LITERAL_EXACT;
    if (lam_literal_parse_moment(finder->text, finder->size, &micros, &nanos, &is_utc))
        return is_utc && !utc ? LAM_LITERAL_NOWHERE : find_instant(finder, micros, nanos);
    size_t size = write_midnight(finder, text);
    return lam_literal_parse_moment(text, size, &micros, &nanos, &is_utc)
               ? find_instant(finder, micros, nanos)
               : exact_if(size > 0 &&
                          lam_timestamp_parse(text, size, type->unit, false, &finder->value.int64));
}

/* Texts have years that no INT96 reaches. */
static lam_literal_position find_int96(literal_finder *finder) {
    char text[MIDNIGHT_ROOM];
    lam_int96 time = {0, 0};
    if (finder->literal->is_now) {
        time.day = lam_floor_divide(finder->literal->integer, LAM_NANOS_OF_DAY / 1000, &time.nanos);
        time.nanos = time.nanos * 1000 + finder->literal->nanos;
    } else if (!is_text(finder) ||
               (!lam_day_time_parse(finder->text, finder->size, &time.day, &time.nanos) &&
                !lam_day_time_parse(text, write_midnight(finder, text), &time.day, &time.nanos))) {
        return LAM_LITERAL_NOWHERE;
    }
    take_literal_bytes(finder, finder->bytes, LAM_INT96_SIZE);
    if (!lam_int96_store(time, finder->bytes))
        return time.day > 0 ? LAM_LITERAL_ABOVE_ALL : LAM_LITERAL_BELOW_ALL;
    return LAM_LITERAL_EXACT;
}

/* --- Numbers ------------------------------------------------------------------------------- */

/* Gives half precision, two bytes, little endian: quiet NaN, an infinity, or the nearest. */
static lam_status find_half(literal_finder *finder, const lam_literal *number,
                            lam_literal_position *ret_position, lam_error *error) {
    uint16_t half = isnan(number->float64) ? 0x7E00 : number->float64 > 0 ? 0x7C00 : 0xFC00;
    *ret_position = LAM_LITERAL_EXACT;
    if (!number->is_special) {
        LAM_TRY(lam_exact_print(&number->exact, &finder->scratch, error));
        if (!lam_half_parse((const char *)finder->scratch.data, finder->scratch.size, &half))
            *ret_position = LAM_LITERAL_BETWEEN;
    }
    lam_store_le16(finder->bytes, half);
    take_literal_bytes(finder, finder->bytes, 2);
    return LAM_STATUS_OK;
}

/* Takes the nearest number; beyond the largest, the literal is below infinity. */
static lam_status find_real(literal_finder *finder, lam_literal_position *ret_position,
                            lam_error *error) {
    lam_literal special;
    const lam_literal *number = finder->literal;
    if (is_text(finder) && lam_literal_of_special(number->bytes, &special))
        number = &special;
    if (number->kind != LAM_LITERAL_NUMBER)
        return LAM_STATUS_OK;
    if (finder->leaf->physical_type == LAM_PHYSICAL_FLOAT) {
        finder->value.float32 = number->float32;
        *ret_position = number->is_above_float32 ? LAM_LITERAL_BETWEEN : LAM_LITERAL_EXACT;
    } else if (finder->leaf->physical_type == LAM_PHYSICAL_DOUBLE) {
        finder->value.float64 = number->float64;
        *ret_position = number->is_above_float64 ? LAM_LITERAL_BETWEEN : LAM_LITERAL_EXACT;
    } else {
        return find_half(finder, number, ret_position, error);
    }
    return LAM_STATUS_OK;
}

/*
 * Takes the integer in `scratch` if an INT32 or INT64 has it. Negative digits never parse as
 * unsigned, so that -1 is below all values of an unsigned column.
 */
static bool take_whole(literal_finder *finder) {
    const lam_field *leaf = finder->leaf;
    const char *digits = (const char *)finder->scratch.data;
    bool is_unsigned =
        leaf->logical_type.kind == LAM_LOGICAL_INTEGER && !leaf->logical_type.is_signed;
    bool is_wide = leaf->physical_type == LAM_PHYSICAL_INT64;
    int64_t value = 0;
    uint64_t large = 0;
    bool fits = is_unsigned ? lam_uint64_parse(digits, finder->scratch.size, &large) &&
                                  (is_wide || large <= UINT32_MAX)
                            : lam_int64_parse(digits, finder->scratch.size, &value) &&
                                  (is_wide || (value >= INT32_MIN && value <= INT32_MAX));
    if (is_wide)
        finder->value.int64 = is_unsigned ? (int64_t)large : value;
    else
        finder->value.int32 = is_unsigned ? (int32_t)(uint32_t)large : (int32_t)value;
    return fits;
}

/*
 * Takes the integer in `scratch` as big-endian two's complement, as short as it can be for
 * BYTE_ARRAY and sign-extended to the column's length for FIXED_LEN_BYTE_ARRAY. Only the latter has
 * limits. The parser gets a precision that refuses no digits: the digits of a literal may be more
 * than the column's precision, and then simply equal no value.
 */
static lam_status take_unscaled(literal_finder *finder, lam_arena *arena, bool *ret_fits,
                                lam_error *error) {
    lam_status status;
    lam_buffer unscaled;
    size_t length = (size_t)finder->leaf->type_length;
    uint8_t *bytes;
    if (length > LAM_DECIMAL_BYTES_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_NUMBER_LIMIT,
                 "decimals of %zu bytes cannot be compared: %d is the most", length,
                 LAM_DECIMAL_BYTES_MAX);
    lam_buffer_init(&unscaled, &arena->allocator);
    LAM_TRY_OUT(lam_decimal_parse((const char *)finder->scratch.data, finder->scratch.size,
                                  INT32_MAX, 0, &unscaled, error));
    *ret_fits = length == 0 || unscaled.size <= length;
    length = length == 0 || !*ret_fits ? unscaled.size : length;
    LAM_TRY_OUT(lam_arena_bytes(arena, length, &bytes, error));
    memset(bytes, finder->scratch.data[0] == '-' ? 0xFF : 0, length);
    memcpy(bytes + length - unscaled.size, unscaled.data, unscaled.size);
    take_literal_bytes(finder, bytes, length);
out:
    lam_buffer_finish(&unscaled);
    return status;
}

/*
 * Finds an integer or a decimal by its unscaled value, the largest one not above the literal: 1.005
 * in a column of scale 2 is between 100 and 101. Integers have scale 0. NaN counts as greater than
 * all numbers.
 */
static lam_status find_number(literal_finder *finder, lam_arena *arena,
                              lam_literal_position *ret_position, lam_error *error) {
    const lam_literal *literal = finder->literal;
    int32_t scale = finder->leaf->logical_type.scale;
    bool is_low = literal->is_special ? literal->float64 < 0 : literal->exact.is_negative;
    bool is_exact, fits = false;
    if (literal->kind != LAM_LITERAL_NUMBER)
        return LAM_STATUS_OK;
    *ret_position = is_low ? LAM_LITERAL_BELOW_ALL : LAM_LITERAL_ABOVE_ALL;
    if (literal->is_special || literal->exact.exponent + scale > LAM_EXACT_MOST_DIGITS)
        return LAM_STATUS_OK;
    LAM_TRY(lam_exact_floor(&literal->exact, scale, &finder->scratch, &is_exact, error));
    if (finder->leaf->physical_type == LAM_PHYSICAL_INT32 ||
        finder->leaf->physical_type == LAM_PHYSICAL_INT64)
        fits = take_whole(finder);
    else
        LAM_TRY(take_unscaled(finder, arena, &fits, error));
    if (fits)
        *ret_position = is_exact ? LAM_LITERAL_EXACT : LAM_LITERAL_BETWEEN;
    return LAM_STATUS_OK;
}

/* --- By type ------------------------------------------------------------------------------- */

/* What a leaf takes. */
typedef enum leaf_form {
    LEAF_FORM_BOOLEAN,
    LEAF_FORM_NUMBER,
    LEAF_FORM_REAL,
    LEAF_FORM_DATE,
    LEAF_FORM_TIME,
    LEAF_FORM_TIMESTAMP,
    LEAF_FORM_INT96,
    LEAF_FORM_UUID,
    LEAF_FORM_TEXT,
    LEAF_FORM_BYTES
} leaf_form;

/* A schema has neither a DATE of 64 bits nor a TIMESTAMP of 32 (schema/builder.c). */
static leaf_form form_of_leaf(const lam_field *leaf) {
    lam_physical_type type = (lam_physical_type)leaf->physical_type;
    lam_logical_kind kind = leaf->logical_type.kind;
    if (type == LAM_PHYSICAL_BOOLEAN)
        return LEAF_FORM_BOOLEAN;
    if (type == LAM_PHYSICAL_INT96)
        return LEAF_FORM_INT96;
    if (type == LAM_PHYSICAL_FLOAT || type == LAM_PHYSICAL_DOUBLE)
        return LEAF_FORM_REAL;
    if (type == LAM_PHYSICAL_INT32 || type == LAM_PHYSICAL_INT64)
        return kind == LAM_LOGICAL_TIME        ? LEAF_FORM_TIME
               : kind == LAM_LOGICAL_DATE      ? LEAF_FORM_DATE
               : kind == LAM_LOGICAL_TIMESTAMP ? LEAF_FORM_TIMESTAMP
                                               : LEAF_FORM_NUMBER;
    switch (kind) {
    case LAM_LOGICAL_DECIMAL:
        return LEAF_FORM_NUMBER;
    case LAM_LOGICAL_TIMESTAMP:
        return LEAF_FORM_TIMESTAMP;
    case LAM_LOGICAL_UUID:
        return LEAF_FORM_UUID;
    case LAM_LOGICAL_FLOAT16:
        return LEAF_FORM_REAL;
    case LAM_LOGICAL_STRING:
    case LAM_LOGICAL_ENUM:
    case LAM_LOGICAL_JSON:
        return LEAF_FORM_TEXT;
    default:
        return LEAF_FORM_BYTES;
    }
}

static lam_status find_literal(literal_finder *finder, lam_arena *arena,
                               lam_literal_position *ret_position, lam_error *error) {
    switch (form_of_leaf(finder->leaf)) {
    case LEAF_FORM_BOOLEAN:
        finder->value.boolean = finder->literal->integer != 0;
        *ret_position = exact_if(finder->literal->kind == LAM_LITERAL_BOOLEAN);
        break;
    case LEAF_FORM_NUMBER:
        return find_number(finder, arena, ret_position, error);
    case LEAF_FORM_REAL:
        return find_real(finder, ret_position, error);
    case LEAF_FORM_DATE:
        *ret_position = find_date(finder);
        break;
    case LEAF_FORM_TIME:
        *ret_position = find_time(finder);
        break;
    case LEAF_FORM_TIMESTAMP:
        *ret_position = find_timestamp(finder);
        break;
    case LEAF_FORM_INT96:
        *ret_position = find_int96(finder);
        break;
    default:
        *ret_position = find_bytes(finder);
    }
    return LAM_STATUS_OK;
}

/* Frees the scratch buffer on every way out. */
lam_status lam_literal_to_leaf(const lam_literal *literal, const lam_field *leaf, lam_arena *arena,
                               lam_leaf_literal *ret_found, lam_error *error) {
    lam_status status;
    literal_finder finder;
    lam_leaf_literal found = {{NULL, 0}, LAM_LITERAL_NOWHERE};
    memset(&finder, 0, sizeof finder);
    finder.literal = literal;
    finder.leaf = leaf;
    finder.text = (const char *)literal->bytes.data;
    finder.size = literal->bytes.size;
    lam_buffer_init(&finder.scratch, &arena->allocator);
    LAM_TRY_OUT(find_literal(&finder, arena, &found.position, error));
    if (found.position == LAM_LITERAL_EXACT || found.position == LAM_LITERAL_BETWEEN)
        LAM_TRY_OUT(lam_filter_copy_value(leaf, &finder.value, arena, &found.plain, error));
    *ret_found = found;
out:
    lam_buffer_finish(&finder.scratch);
    return status;
}

const char *lam_literal_expected(const lam_literal *literal, const lam_field *leaf,
                                 const lam_leaf_literal *found) {
    static const char *const texts[] = {
        [LEAF_FORM_BOOLEAN] = "true or false",
        [LEAF_FORM_NUMBER] = "a number",
        [LEAF_FORM_REAL] = "a number",
        [LEAF_FORM_DATE] = "a date such as '2024-10-24'",
        [LEAF_FORM_TIME] = "a time such as '12:34:56.789', of no more digits than its column",
        [LEAF_FORM_TIMESTAMP] = "a timestamp such as '2024-10-24T12:34:56', without a zone",
        [LEAF_FORM_INT96] = "a timestamp such as '2024-10-24T12:34:56'",
        [LEAF_FORM_UUID] = "a UUID such as '00112233-4455-6677-8899-aabbccddeeff'",
        [LEAF_FORM_TEXT] = "a text such as 'abc'",
        [LEAF_FORM_BYTES] = "bytes such as x'00FF'",
    };
    leaf_form form = form_of_leaf(leaf);
    if (found->position == LAM_LITERAL_BETWEEN && form == LEAF_FORM_REAL)
        return leaf->physical_type == LAM_PHYSICAL_FLOAT ? "a number within the range of FLOAT"
               : leaf->physical_type == LAM_PHYSICAL_DOUBLE
                   ? "a number within the range of DOUBLE"
                   : "a number within the range of FLOAT16";
    if (found->position != LAM_LITERAL_NOWHERE)
        return NULL;
    if (form == LEAF_FORM_REAL && literal->kind == LAM_LITERAL_STRING)
        return "a number, 'NaN', 'Infinity' or '-Infinity'";
    if (form == LEAF_FORM_TIMESTAMP && leaf->logical_type.adjusted_to_utc)
        return "a timestamp such as '2024-10-24T12:34:56Z'";
    return texts[form];
}
