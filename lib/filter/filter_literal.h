/* Values in a filter's text, read as the type of their field. */
#ifndef LAM_FILTER_FILTER_LITERAL_H
#define LAM_FILTER_FILTER_LITERAL_H

#include <lamella/record.h>

#include "base/arena.h"
#include "filter/filter_lexer.h"
#include "schema/tree.h"

/* How a number in the text lies to the values that the type has. */
typedef enum lam_literal_fit {
    LAM_LITERAL_EXACT,    /* it is the value given */
    LAM_LITERAL_ABOVE,    /* it is above the value given and below the next one, if there is one */
    LAM_LITERAL_BELOW_ALL /* it is below the value given, which is the least */
} lam_literal_fit;

/*
 * Reads the token at hand as a value of the leaf, whose bytes are in `arena`. INVALID with the
 * column, and what the type wants.
 */
lam_status lam_filter_literal_read(const lam_filter_lexer *lexer, const lam_field *leaf,
                                   lam_arena *arena, lam_value *ret_value, lam_literal_fit *ret_fit,
                                   lam_error *error);

#endif
