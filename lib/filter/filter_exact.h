/*
 * Numbers with all their digits, for comparisons that round nothing.
 *
 *     -12.50      -0.125 * 10^2       digits "125", exponent 2, negative
 *     0.004       0.4 * 10^-2         digits "4", exponent -2
 *     0           no digits
 */
#ifndef LAM_FILTER_FILTER_EXACT_H
#define LAM_FILTER_FILTER_EXACT_H

#include <lamella/variant.h>

#include "base/arena.h"

typedef struct lam_exact {
    const uint8_t *digits; /* '0' to '9'; the first and the last are not '0' */
    size_t count;
    int64_t exponent; /* of ten: the point stands before the first digit */
    bool is_negative;
} lam_exact;

/* Of a JSON number, which may have zeros in front; digits are in `arena`. NOMEM. */
lam_status lam_exact_of_text(const char *text, size_t size, lam_arena *arena, lam_exact *ret_number,
                             lam_error *error);

/* Digits of the largest magnitude that 128 bits hold. */
enum { LAM_EXACT_DECIMAL_ROOM = 39 };

/* The digits are in `room`. */
lam_exact lam_exact_of_decimal(const lam_decimal *decimal, uint8_t room[LAM_EXACT_DECIMAL_ROOM]);

/* Below, at or above 0 as `a` is less than, equal to or greater than `b`. */
int lam_exact_compare(const lam_exact *a, const lam_exact *b);

#endif
