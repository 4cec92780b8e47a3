/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text, whatever the locale: shortest floats that read back equal, and integers. */
#ifndef LAM_TEXT_NUMBER_TEXT_H
#define LAM_TEXT_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Room for any number printed here; no NUL is written. */
#define LAM_NUMBER_TEXT_MAX 40

/* Finite numbers, with a point or an exponent: 0.1, 1.0, -0.0, 1e+22. Returns the length. */
size_t lam_double_print(double value, char *buffer);
size_t lam_float_print(float value, char *buffer);
/* A finite half-precision number given as its bits. */
size_t lam_half_print(uint16_t bits, char *buffer);
size_t lam_int64_print(int64_t value, char *buffer);
size_t lam_uint64_print(uint64_t value, char *buffer);

/* The number of half-precision bits, NaN and infinities too. */
double lam_half_to_double(uint16_t bits);

/* The nearest number to a JSON number; false when that is beyond the largest finite one. */
bool lam_double_parse(const char *text, size_t size, double *ret_value);
bool lam_float_parse(const char *text, size_t size, float *ret_value);
bool lam_half_parse(const char *text, size_t size, uint16_t *ret_bits);
/* A JSON number without point and exponent; false when it is out of range. */
bool lam_int64_parse(const char *text, size_t size, int64_t *ret_value);
bool lam_uint64_parse(const char *text, size_t size, uint64_t *ret_value);

/*
 * True when the integer `text` can be recovered from the nearest double: the double equals it, or
 * the shortest text of the double is the same number.
 */
bool lam_double_keeps_integer(const char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
