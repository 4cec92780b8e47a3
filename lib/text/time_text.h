/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates and times as text (ISO 8601), in the proleptic Gregorian calendar.
 *
 *     date         2024-10-24    years 0000 to 9999
 *                  -0044-03-15, +12024-01-01    others, with a sign and at least four digits:
 *                  up to 9, or 19 in a timestamp of 96 bits
 *     time         12:34:56.789000    3, 6 or 9 digits, always all of them
 *     timestamp    date T time, and Z for one in UTC
 *
 * The parsers also accept fewer digits after the point, further ones that are 0, no seconds, a
 * space for the T, and in a timestamp in UTC, for the Z, an offset (+01:00, +0100, +01) or UTC,
 * perhaps with a space before it. T and Z may be small letters.
 */
#ifndef LAM_TEXT_TIME_TEXT_H
#define LAM_TEXT_TIME_TEXT_H

#include <lamella/format.h>

/* Room for any text printed here; no NUL is written. */
#define LAM_TIME_TEXT_MAX 64

/* Units in a second: 1000, 1000000, 1000000000. */
int64_t lam_time_units(lam_time_unit unit);

/*
 * The day, counted from 1970-01-01, of a date, and back; years can have up to 16 digits. `month` is
 * 1 to 12; a `day` above its length runs into the next month.
 */
int64_t lam_date_join(int64_t year, int64_t month, int64_t day);
void lam_date_split(int64_t days, int64_t *ret_year, int *ret_month, int *ret_day);

/* Days since 1970-01-01. Return the length. */
size_t lam_date_print(int64_t days, char *buffer);
/* Units since midnight, 0 or more and less than a day. */
size_t lam_time_print(int64_t time, lam_time_unit unit, char *buffer);
/* Units since 1970-01-01T00:00:00. */
size_t lam_timestamp_print(int64_t timestamp, lam_time_unit unit, bool utc, char *buffer);
/* The same from 12 bytes that hold a count of 96 bits. (LogicalTypes.md, "TIMESTAMP") */
size_t lam_timestamp_96_print(const uint8_t *bytes, lam_time_unit unit, bool utc, char *buffer);
/* A day and a nanosecond within it, as in INT96. */
size_t lam_day_time_print(int64_t days, int64_t nanos, char *buffer);

/* Parse all of the text; false when it has another form or is out of range. */
bool lam_date_parse(const char *text, size_t size, int32_t *ret_days);
bool lam_time_parse(const char *text, size_t size, lam_time_unit unit, int64_t *ret_time);
bool lam_timestamp_parse(const char *text, size_t size, lam_time_unit unit, bool utc,
                         int64_t *ret_timestamp);
/* Writes 12 bytes; on failure, none. */
bool lam_timestamp_96_parse(const char *text, size_t size, lam_time_unit unit, bool utc,
                            uint8_t *ret_bytes);
bool lam_day_time_parse(const char *text, size_t size, int64_t *ret_days, int64_t *ret_nanos);

#endif
