/* Values in a filter's text, read as the type of their field. */
#ifndef LAM_FILTER_FILTER_LITERAL_H
#define LAM_FILTER_FILTER_LITERAL_H

#include <lamella/record.h>

#include "base/arena.h"
#include "filter/filter_lexer.h"
#include "schema/tree.h"

/* Where a literal lies beside the values that the type has. */
typedef enum lam_literal_position {
    LAM_LITERAL_EXACT,     /* it is the value given */
    LAM_LITERAL_ABOVE,     /* it is above the value given and below the next, if there is one */
    LAM_LITERAL_BELOW_ALL, /* it is below the value given, which is the least */
    LAM_LITERAL_ABOVE_ALL  /* it is above every value; only typed literals are */
} lam_literal_position;

/*
 * Reads the token at hand as a value of the leaf, whose bytes are in `arena`. INVALID with the
 * column, and what the type wants.
 */
lam_status lam_filter_literal_read(const lam_filter_lexer *lexer, const lam_field *leaf,
                                   lam_arena *arena, lam_value *ret_value,
                                   lam_literal_position *ret_position, lam_error *error);

#endif
