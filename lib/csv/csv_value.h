/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of delimited text as values of one type. */
#ifndef LAM_CSV_CSV_VALUE_H
#define LAM_CSV_CSV_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* true or false, in any case. */
bool lam_csv_parse_boolean(const uint8_t *bytes, size_t size, uint8_t *ret_value);

/* -12, 0, 345: no sign +, no zeros in front. */
bool lam_csv_parse_integer(const uint8_t *bytes, size_t size, int64_t *ret_value);
/* The same up to 2^64 - 1. */
bool lam_csv_parse_unsigned(const uint8_t *bytes, size_t size, uint64_t *ret_value);

/*
 * The nearest double to 1.5, -2, .5, 5., 2e10; nan, inf and infinity in any case. `mark` is the
 * decimal mark. False for a finite number beyond the range.
 */
bool lam_csv_parse_double(const uint8_t *bytes, size_t size, char mark, double *ret_value);

/* The same as the nearest float. */
bool lam_csv_parse_float(const uint8_t *bytes, size_t size, char mark, float *ret_value);

/*
 * The digits before and after the mark of a number without an exponent; false when it is none.
 * Zeros in front are not counted.
 */
bool lam_csv_count_digits(const uint8_t *bytes, size_t size, char mark, size_t *ret_before,
                          size_t *ret_after);

/* 2024-10-24, as days since 1970-01-01. */
bool lam_csv_parse_date(const uint8_t *bytes, size_t size, int32_t *ret_days);

/* 12:34, 12:34:56, 12:34:56.789 with up to 9 digits, as nanoseconds of the day. */
bool lam_csv_parse_time(const uint8_t *bytes, size_t size, int64_t *ret_nanos);

/* A point in time, local or with a zone. */
typedef struct lam_csv_instant {
    int64_t seconds; /* since 1970-01-01T00:00:00; in UTC if there is a zone */
    int32_t nanos;   /* of the second */
    bool has_zone;
    bool is_date; /* there is no time */
} lam_csv_instant;

/* A date, or a date and a time with T or a space between them, and perhaps a zone. */
bool lam_csv_parse_instant(const uint8_t *bytes, size_t size, lam_csv_instant *ret_instant);

#endif
