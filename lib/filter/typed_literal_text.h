/* Values in a filter's text, read as what paths of VARIANTs may be. */
#ifndef LAM_FILTER_TYPED_LITERAL_TEXT_H
#define LAM_FILTER_TYPED_LITERAL_TEXT_H

#include "filter/filter_lexer.h"
#include "filter/typed_literal.h"

/*
 * Appends the readings of the token at hand, one for each class that it may be of, to `literals`;
 * their bytes are in `arena`. INVALID, with the column, when it is no value.
 */
lam_status lam_typed_literals_read(const lam_filter_lexer *lexer, lam_arena *arena,
                                   lam_buffer *literals, lam_error *error);

#endif
