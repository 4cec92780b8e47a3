/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimal numbers of any length, compared digit by digit and never rounded: how a number of a
 * filter's text, an INT64 and a DECIMAL are ordered when they meet.
 *
 *     -12.50      -0.125 * 10^2       digits "125", exponent 2, negative
 *     0.004       0.4 * 10^-2         digits "4", exponent -2
 *     0           no digits
 *
 * The form is unique: equal numbers have equal digits, exponent and sign, however they were
 * written.
 */
#ifndef LAM_SCAN_CONDITION_FILTER_EXACT_H
#define LAM_SCAN_CONDITION_FILTER_EXACT_H

#include <lamella/variant.h>

#include "base/arena.h"
#include "base/buffer.h"

typedef struct lam_exact {
    const uint8_t *digits; /* '0' to '9'; the first and the last are not '0' */
    size_t count;
    int64_t exponent; /* power of ten; the point is before the first digit */
    bool is_negative;
} lam_exact;

/*
 * Reads a JSON number, which may also have a sign +, leading zeros, and no digits on one side of
 * its point; its digits are in `arena`. NOMEM.
 */
lam_status lam_exact_of_text(const char *text, size_t size, lam_arena *arena, lam_exact *ret_number,
                             lam_error *error);

/* Digits of the largest magnitude that 128 bits hold: 2^127 is about 1.7 * 10^38. */
enum { LAM_EXACT_DECIMAL_ROOM = 39 };

/* Reads a decimal of a VARIANT. The digits are in `room`, which must live as long as the result. */
lam_exact lam_exact_of_decimal(const lam_decimal *decimal, uint8_t room[LAM_EXACT_DECIMAL_ROOM]);

/* Replaces `out` by a JSON number, without a point: 125e-1 for 12.5. NOMEM. */
lam_status lam_exact_print(const lam_exact *number, lam_buffer *out, lam_error *error);

/*
 * Digits of the longest decimal that is read (text/decimal_text.h). Numbers with more of them
 * before the point are beyond all values of any leaf.
 */
enum { LAM_EXACT_MOST_DIGITS = 9864 };

/*
 * Replaces `out` by the largest integer not above number * 10^scale, the unscaled value of a
 * decimal, as text; exponent + scale is at most LAM_EXACT_MOST_DIGITS. NOMEM.
 *
 *     1.25 at scale 2     125, exact
 *     1.25 at scale 1     12, not exact
 *     -1.25 at scale 1    -13, not exact
 */
lam_status lam_exact_floor(const lam_exact *number, int32_t scale, lam_buffer *out, bool *ret_exact,
                           lam_error *error);

/* Gives a number below, at or above 0 as `a` is less than, equal to or greater than `b`. */
int lam_exact_compare(const lam_exact *a, const lam_exact *b);

#endif
