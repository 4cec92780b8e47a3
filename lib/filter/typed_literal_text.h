/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a literal of a filter's text as every class of VARIANT values that it may mean. */
#ifndef LAM_FILTER_TYPED_LITERAL_TEXT_H
#define LAM_FILTER_TYPED_LITERAL_TEXT_H

#include "filter/filter_lexer.h"
#include "filter/typed_literal.h"

/*
 * Appends the literals of the current token, one for each class that it may be of, to `literals`;
 * their bytes are in `arena`. INVALID, with the column, when it is not a value.
 */
lam_status lam_typed_literals_read(const lam_filter_lexer *lexer, lam_arena *arena,
                                   lam_buffer *literals, lam_error *error);

#endif
