/* SPDX-License-Identifier: Apache-2.0 */
/* Reads literals of a filter's text. */
#ifndef LAM_SCAN_CONDITION_FILTER_LITERAL_TEXT_H
#define LAM_SCAN_CONDITION_FILTER_LITERAL_TEXT_H

#include "scan/condition/filter_lexer.h"
#include "scan/condition/filter_literal.h"

/*
 * Reads the current token as it is written: a number, true or false, 'a text' as a string, x'00FF'
 * as a binary; NO_CLASS for a token that is not a value. Bytes are in `arena`. INVALID, with the
 * column, for null and for digits that are not hexadecimal.
 */
lam_status lam_literal_read(const lam_filter_lexer *lexer, lam_arena *arena,
                            lam_literal *ret_literal, lam_error *error);

/*
 * Appends a literal that was read, and all literals of other classes that the same text may mean,
 * to `literals`. NOMEM.
 */
lam_status lam_literal_read_classes(const lam_literal *literal, lam_arena *arena,
                                    lam_buffer *literals, lam_error *error);

#endif
