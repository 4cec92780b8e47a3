/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads dates and times as users write them, in texts or numbers, as the values of a column.
 *
 * The forms that inference recognizes come first; nearly all texts have them, and they are quick to
 * parse. A column that was inferred from a part of the text takes only these, so that the other
 * part cannot hold text that would have made it another column. All else is for columns whose type
 * somebody chose: the missing end of a text is added, and the result is parsed again. No digit is
 * rounded.
 *
 *     "2024-10-24"           TIMESTAMP(MILLIS,true)    2024-10-24T00:00:00Z
 *     1729728000.5           SECONDS                   2024-10-24T00:00:00.500Z
 */
#include "json/parse/json_instant.h"

#include <string.h>

#include "base/error.h"
#include "text/decimal_text.h"
#include "text/number_text.h"
#include "text/text_kind.h"
#include "text/time_text.h"

/* The kind of a text, also by the forms of the caller. */
static lam_text_kind kind_of(const char *text, size_t size, const lam_json_times *times,
                             lam_text_moment *ret_moment) {
    lam_text_kind kind = lam_text_kind_of(text, size, ret_moment);
    return kind == LAM_TEXT_OTHER ? lam_time_formats_take(times->formats, text, size, ret_moment)
                                  : kind;
}

bool lam_json_date_take(const char *text, size_t size, const lam_json_times *times,
                        int32_t *ret_days) {
    lam_text_moment moment;
    if (lam_text_take_date(text, size, ret_days) ||
        (!times->exact && lam_date_parse(text, size, ret_days)))
        return true;
    if (lam_time_formats_take(times->formats, text, size, &moment) != LAM_TEXT_DATE)
        return false;
    *ret_days = (int32_t)(moment.seconds / 86400);
    return true;
}

bool lam_json_time_take(const char *text, size_t size, lam_time_unit unit,
                        const lam_json_times *times, int64_t *ret_time) {
    lam_text_moment moment;
    return kind_of(text, size, times, &moment) == LAM_TEXT_TIME &&
           lam_text_moment_count(moment, unit, ret_time);
}

/* --- Timestamps ------------------------------------------------------------------------------ */

/* What may be missing in a text, and a parser for the complete text. */
typedef bool instant_parser(const char *text, size_t size, lam_time_unit unit, bool utc,
                            void *ret_value);

static bool parse_64(const char *text, size_t size, lam_time_unit unit, bool utc, void *ret_value) {
    return lam_timestamp_parse(text, size, unit, utc, ret_value);
}

static bool parse_96(const char *text, size_t size, lam_time_unit unit, bool utc, void *ret_value) {
    return lam_timestamp_96_parse(text, size, unit, utc, ret_value);
}

/* Parses a text, as it is or with a time of the day, a zone, or both appended. */
static bool take_completed(const char *text, size_t size, lam_time_unit unit, bool utc,
                           instant_parser *parse, void *ret_value) {
    static const char *const endings[] = {"T00:00:00", "Z", "T00:00:00Z"};
    char whole[LAM_TIME_TEXT_MAX + sizeof "T00:00:00Z"];
    if (parse(text, size, unit, utc, ret_value))
        return true;
    if (size > LAM_TIME_TEXT_MAX)
        return false;
    memcpy(whole, text, size);
    for (size_t i = 0; i < (utc ? 3 : 1); i++) {
        size_t length = strlen(endings[i]);
        memcpy(whole + size, endings[i], length);
        if (parse(whole, size + length, unit, utc, ret_value))
            return true;
    }
    return false;
}

/* The forms that inference recognizes as a column of this kind, or, in UTC, may recognize. */
static bool take_recognized(const char *text, size_t size, bool utc, const lam_json_times *times,
                            lam_text_moment *ret_moment) {
    lam_text_kind kind = kind_of(text, size, times, ret_moment);
    bool is_local = kind == LAM_TEXT_TIMESTAMP || kind == LAM_TEXT_DATE;
    return utc ? kind == LAM_TEXT_TIMESTAMP_UTC || (is_local && !times->exact) : is_local;
}

bool lam_json_timestamp_take(const char *text, size_t size, lam_time_unit unit, bool utc,
                             const lam_json_times *times, int64_t *ret_timestamp) {
    lam_text_moment moment;
    if (take_recognized(text, size, utc, times, &moment))
        return lam_text_moment_count(moment, unit, ret_timestamp);
    return !times->exact && take_completed(text, size, unit, utc, parse_64, ret_timestamp);
}

bool lam_json_timestamp_96_take(const char *text, size_t size, lam_time_unit unit, bool utc,
                                const lam_json_times *times, uint8_t *ret_bytes) {
    return times->exact ? lam_timestamp_96_parse(text, size, unit, utc, ret_bytes)
                        : take_completed(text, size, unit, utc, parse_96, ret_bytes);
}

/* --- Numbers --------------------------------------------------------------------------------- */

/* Digits after the point of seconds. */
static int32_t digits_of_unit(lam_time_unit unit) {
    return unit == LAM_TIME_UNIT_MILLIS ? 3 : unit == LAM_TIME_UNIT_MICROS ? 6 : 9;
}

/* The number times 10^scale, exactly; it is parsed as a decimal of that scale. */
static lam_status read_scaled(const char *text, size_t size, int32_t scale, lam_buffer *scratch,
                              int64_t *ret_number, lam_error *error) {
    enum { PRECISION_MAX = 38 };
    lam_buffer_clear(scratch);
    LAM_TRY(lam_decimal_parse(text, size, PRECISION_MAX, scale, scratch, error));
    if (scratch->size > sizeof(int64_t))
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_RANGE, "%.*s is out of the range of the type",
                 (int)(size < 40 ? size : 40), text);
    uint64_t bits = scratch->data[0] >> 7 ? UINT64_MAX : 0; /* there is one byte at least */
    for (size_t i = 0; i < scratch->size; i++)
        bits = bits << 8 | scratch->data[i];
    *ret_number = (int64_t)bits;
    return LAM_STATUS_OK;
}

lam_status lam_json_epoch_read(const char *text, size_t size, lam_json_epoch epoch,
                               lam_time_unit unit, lam_buffer *scratch, int64_t *ret_timestamp,
                               lam_error *error) {
    int32_t finer = digits_of_unit(unit) - 3 * ((int32_t)epoch - 1);
    int64_t number = 0, divisor = 1;
    LAM_TRY(read_scaled(text, size, finer > 0 ? finer : 0, scratch, &number, error));
    for (; finer < 0; finer++)
        divisor *= 10;
    if (number % divisor != 0)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_RANGE,
                 "%.*s has more digits than the unit of the timestamp",
                 (int)(size < 40 ? size : 40), text);
    *ret_timestamp = number / divisor;
    return LAM_STATUS_OK;
}
