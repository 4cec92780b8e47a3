/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens of message text: marks, words, quoted words (text.h), and the end. White space and
 * comments (from # or // to the end of the line, or between slash-asterisk and asterisk-slash) are
 * only between tokens.
 */
#ifndef LAM_SCHEMA_MESSAGE_LEXER_H
#define LAM_SCHEMA_MESSAGE_LEXER_H

#include <lamella/common.h>

#include "base/buffer.h"

typedef enum lam_token {
    LAM_TOKEN_END = 0,
    LAM_TOKEN_MARK, /* one of ; { } ( ) = , */
    LAM_TOKEN_WORD,
    LAM_TOKEN_QUOTED
} lam_token;

/* The text is borrowed and UTF-8. The current token is text[start .. end). */
typedef struct lam_lexer {
    const char *text;
    size_t size;
    lam_token token;
    size_t start;
    size_t end;
} lam_lexer;

/* Moves to the first token. INVALID when the text is not UTF-8 or begins with no token. */
lam_status lam_lexer_init(lam_lexer *lexer, const char *text, size_t size, lam_error *error);

/* Moves to the next token; stays at the end. INVALID where no token begins or one does not end. */
lam_status lam_lexer_next(lam_lexer *lexer, lam_error *error);

bool lam_lexer_at_mark(const lam_lexer *lexer, char mark);
/* True for a plain word that equals `word` apart from the case of ASCII letters. */
bool lam_lexer_at_word(const lam_lexer *lexer, const char *word);
/* True for a word, plain or quoted. */
bool lam_lexer_at_text(const lam_lexer *lexer);

/* Passes the current mark. INVALID when another token is: "expected `what`, found ...". */
lam_status lam_lexer_pass(lam_lexer *lexer, char mark, const char *what, lam_error *error);

/* Replaces `ret_text` by the current word, NUL-terminated, without quotation marks and escapes. */
lam_status lam_lexer_take_text(const lam_lexer *lexer, lam_buffer *ret_text, lam_error *error);

/*
 * Reads the decimal number of the current token, `low` to `high`. INVALID: "expected `what`, found
 * ...".
 */
lam_status lam_lexer_take_int(const lam_lexer *lexer, int32_t low, int32_t high, const char *what,
                              int32_t *ret_number, lam_error *error);

/* Fails at the current token. INVALID: "line L, column C: expected ..., found ...". */
lam_status lam_lexer_expected(const lam_lexer *lexer, lam_error *error, const char *format, ...)
    LAM_PRINTF(3, 4);

/* Puts "line L, column C: " of a byte offset before the message of a failure. */
void lam_lexer_locate(const lam_lexer *lexer, size_t offset, lam_error *error);

#endif
