/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of a filter's text, with as many digits as they have: made into JSON's form for parsers
 * of floats, and scaled to integers without rounding for integers and decimals.
 */
#ifndef LAM_FILTER_FILTER_NUMBER_H
#define LAM_FILTER_FILTER_NUMBER_H

#include "filter/filter_lexer.h"

/*
 * Appends the current number in JSON's form: +.5 gives 0.5, 007 gives 7, 1.e3 gives 1.0e3. NOMEM.
 */
lam_status lam_filter_number_plain(const lam_filter_lexer *lexer, lam_buffer *out,
                                   lam_error *error);

/*
 * An integer as decimal text, with a leading - when it is negative; `digits` is borrowed from a
 * buffer.
 */
typedef struct lam_filter_number {
    const char *digits;
    size_t size;
    bool is_negative;
    bool is_exact; /* false: the number is above this integer and below the next */
} lam_filter_number;

/*
 * Gives the largest integer not above the current number times 10^scale, the unscaled value of a
 * decimal. Replaces `out`, which the result borrows. LIMIT, with the column, above 9,800 digits.
 *
 *     1.25 at scale 2     125, exact
 *     1.25 at scale 1     12, not exact
 *     -1.25 at scale 1    -13, not exact
 */
lam_status lam_filter_number_floor(const lam_filter_lexer *lexer, int32_t scale, lam_buffer *out,
                                   lam_filter_number *ret_number, lam_error *error);

#endif
