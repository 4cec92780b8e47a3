/* Numbers in a filter's text, with as many digits as they have. */
#ifndef LAM_FILTER_FILTER_NUMBER_H
#define LAM_FILTER_FILTER_NUMBER_H

#include "filter/filter_lexer.h"

/* Appends the number at hand in the form of JSON. */
lam_status lam_filter_number_plain(const lam_filter_lexer *lexer, lam_buffer *out,
                                   lam_error *error);

/* An integer as text, with a sign when it is negative, in a buffer. */
typedef struct lam_filter_number {
    const char *digits;
    size_t size;
    bool is_negative;
    bool is_exact; /* false: the number is above this integer and below the next one */
} lam_filter_number;

/*
 * The largest integer not above the number at hand times 10^scale; replaces `out`. LIMIT, with the
 * column, when it has more than 9,800 digits.
 */
lam_status lam_filter_number_floor(const lam_filter_lexer *lexer, int32_t scale, lam_buffer *out,
                                   lam_filter_number *ret_number, lam_error *error);

#endif
