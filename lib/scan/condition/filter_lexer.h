/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens of a filter's text. White space may separate them and has no meaning of its own. SQL
 * is the model: marks of quotation are doubled, numbers are tokens, and there are no comments; so
 * message text, which is the opposite in each point, has a lexer of its own (schema/message_lexer).
 *
 *     price >= 1.5e3 and "full name" in ('it''s', x'00FF')
 *     WORD  MARK NUMBER WORD QUOTED WORD MARK TEXT MARK HEX MARK
 */
#ifndef LAM_SCAN_CONDITION_FILTER_LEXER_H
#define LAM_SCAN_CONDITION_FILTER_LEXER_H

#include <lamella/common.h>

#include "base/buffer.h"

typedef enum lam_filter_token {
    LAM_FILTER_TOKEN_END,
    LAM_FILTER_TOKEN_WORD,   /* letters, digits, _ and bytes above 7F; no digit first */
    LAM_FILTER_TOKEN_QUOTED, /* "a word"; two marks mean one */
    LAM_FILTER_TOKEN_NUMBER, /* as in JSON, and with a sign + */
    LAM_FILTER_TOKEN_TEXT,   /* 'text'; two marks mean one */
    LAM_FILTER_TOKEN_HEX,    /* x'00FF' */
    LAM_FILTER_TOKEN_NOW,    /* now(), now() - 1d + 6h */
    LAM_FILTER_TOKEN_MARK    /* ( ) [ ] , . and the operators */
} lam_filter_token;

/*
 * A cursor in a borrowed text. The current token is text[start .. end); a copy of the struct marks
 * a token to return to.
 */
typedef struct lam_filter_lexer {
    const char *text;
    size_t size;
    int64_t now; /* the value of now(): microseconds since 1970, 0 after init */
    lam_filter_token token;
    size_t start;
    size_t end;
} lam_filter_lexer;

/* Moves to the first token. INVALID when the text is not UTF-8 or does not begin with a token. */
lam_status lam_filter_lexer_init(lam_filter_lexer *lexer, const char *text, size_t size,
                                 lam_error *error);
/*
 * Moves to the next token; stays at END once there. INVALID where no token begins, or one is not
 * terminated.
 */
lam_status lam_filter_lexer_next(lam_filter_lexer *lexer, lam_error *error);

/* Fails with INVALID at the current token: "character C: expected ..., found ...". */
lam_status lam_filter_lexer_expected(const lam_filter_lexer *lexer, const char *what,
                                     lam_error *error);

/* True when the current token is exactly this mark: "<" is not "<=". */
bool lam_filter_lexer_at_mark(const lam_filter_lexer *lexer, const char *mark);
/*
 * True for a plain word that equals `keyword`, which is in lower case, in any case of ASCII
 * letters.
 */
bool lam_filter_lexer_at_keyword(const lam_filter_lexer *lexer, const char *keyword);

/* Appends the content of a QUOTED or TEXT token: without its marks, doubled marks made single. */
lam_status lam_filter_lexer_append(const lam_filter_lexer *lexer, lam_buffer *out,
                                   lam_error *error);

/* Gives the seconds that a NOW token adds to the time; false when they are beyond 64 bits. */
bool lam_filter_lexer_shift(const lam_filter_lexer *lexer, int64_t *ret_seconds);

#endif
