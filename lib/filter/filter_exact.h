/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimal numbers of any length, compared digit by digit and never rounded: how an INT64, a DECIMAL
 * and a JSON number are ordered when they meet in a VARIANT.
 *
 *     -12.50      -0.125 * 10^2       digits "125", exponent 2, negative
 *     0.004       0.4 * 10^-2         digits "4", exponent -2
 *     0           no digits
 *
 * The form is unique: equal numbers have equal digits, exponent and sign, whatever they were
 * written as.
 */
#ifndef LAM_FILTER_FILTER_EXACT_H
#define LAM_FILTER_FILTER_EXACT_H

#include <lamella/variant.h>

#include "base/arena.h"

typedef struct lam_exact {
    const uint8_t *digits; /* '0' to '9'; the first and the last are not '0' */
    size_t count;
    int64_t exponent; /* power of ten; the point is before the first digit */
    bool is_negative;
} lam_exact;

/* Reads a JSON number, which may also have leading zeros; its digits are in `arena`. NOMEM. */
lam_status lam_exact_of_text(const char *text, size_t size, lam_arena *arena, lam_exact *ret_number,
                             lam_error *error);

/* Digits of the largest magnitude that 128 bits hold: 2^127 is about 1.7 * 10^38. */
enum { LAM_EXACT_DECIMAL_ROOM = 39 };

/* Reads a decimal of a VARIANT. The digits are in `room`, which must live as long as the result. */
lam_exact lam_exact_of_decimal(const lam_decimal *decimal, uint8_t room[LAM_EXACT_DECIMAL_ROOM]);

/* Gives a number below, at or above 0 as `a` is less than, equal to or greater than `b`. */
int lam_exact_compare(const lam_exact *a, const lam_exact *b);

#endif
