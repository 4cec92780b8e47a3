/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a literal of a filter's text as a value of the leaf that it is compared with: '2024-10-24'
 * is an INT32 for a DATE and bytes for a STRING.
 */
#ifndef LAM_FILTER_FILTER_LITERAL_H
#define LAM_FILTER_FILTER_LITERAL_H

#include <lamella/record.h>

#include "base/arena.h"
#include "filter/filter_lexer.h"
#include "schema/tree.h"

/*
 * The position of a literal among the values that the type can have. For an INT32 leaf:
 *
 *     10         EXACT 10
 *     10.5       ABOVE 10             between 10 and 11
 *     1e10       ABOVE 2147483647     no value follows
 *     -1e10      BELOW_ALL -2147483648
 */
typedef enum lam_literal_position {
    LAM_LITERAL_EXACT,     /* equals the value given */
    LAM_LITERAL_ABOVE,     /* above the value given and below the next, if there is one */
    LAM_LITERAL_BELOW_ALL, /* below the value given, which is the least */
    LAM_LITERAL_ABOVE_ALL  /* above every value; occurs for typed literals only */
} lam_literal_position;

/*
 * Reads the current token as a value of the leaf; its bytes are in `arena`. INVALID, with the
 * column and the form that the type wants; LIMIT for a number of too many digits.
 */
lam_status lam_filter_literal_read(const lam_filter_lexer *lexer, const lam_field *leaf,
                                   lam_arena *arena, lam_value *ret_value,
                                   lam_literal_position *ret_position, lam_error *error);

#endif
