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

/* The same, but also false for an integer that a double cannot hold. */
bool lam_csv_parse_kept_double(const uint8_t *bytes, size_t size, char mark, double *ret_value);

/* The same as the nearest float. */
bool lam_csv_parse_float(const uint8_t *bytes, size_t size, char mark, float *ret_value);

/*
 * The digits before and after the mark of a number without an exponent; false for other texts.
 * Leading zeros are not counted.
 */
bool lam_csv_count_digits(const uint8_t *bytes, size_t size, char mark, size_t *ret_before,
                          size_t *ret_after);

#endif
