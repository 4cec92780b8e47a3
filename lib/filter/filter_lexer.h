/* The tokens of a filter's text. White space stands between them and means nothing. */
#ifndef LAM_FILTER_FILTER_LEXER_H
#define LAM_FILTER_FILTER_LEXER_H

#include <lamella/common.h>

#include "base/buffer.h"

typedef enum lam_filter_token {
    LAM_FILTER_TOKEN_END,
    LAM_FILTER_TOKEN_WORD,   /* letters, digits, _ and bytes above 7F, no digit first */
    LAM_FILTER_TOKEN_QUOTED, /* "a word" */
    LAM_FILTER_TOKEN_NUMBER, /* as in JSON, and with a sign + */
    LAM_FILTER_TOKEN_TEXT,   /* 'text' */
    LAM_FILTER_TOKEN_HEX,    /* x'00FF' */
    LAM_FILTER_TOKEN_MARK    /* ( ) [ ] , . and the operators */
} lam_filter_token;

/* The text is borrowed. The token at hand is text[start .. end). */
typedef struct lam_filter_lexer {
    const char *text;
    size_t size;
    lam_filter_token token;
    size_t start;
    size_t end;
} lam_filter_lexer;

/* Goes to the first token. INVALID when the text is not UTF-8 or begins with no token. */
lam_status lam_filter_lexer_init(lam_filter_lexer *lexer, const char *text, size_t size,
                                 lam_error *error);
/* Goes to the next token; stays at the end. INVALID where none begins or one does not end. */
lam_status lam_filter_lexer_next(lam_filter_lexer *lexer, lam_error *error);

bool lam_filter_lexer_at_mark(const lam_filter_lexer *lexer, const char *mark);
/* True for a plain word that equals `keyword` but for the case of ASCII letters. */
bool lam_filter_lexer_at_keyword(const lam_filter_lexer *lexer, const char *keyword);

/* What stands between the marks of a QUOTED or TEXT token, doubled marks made single; appended. */
lam_status lam_filter_lexer_append(const lam_filter_lexer *lexer, lam_buffer *out,
                                   lam_error *error);

/* INVALID: "column C: expected ..., found ...". */
lam_status lam_filter_lexer_expected(const lam_filter_lexer *lexer, const char *what,
                                     lam_error *error);
/* Puts "column C: " of a byte offset before the message of a failure. */
void lam_filter_lexer_locate(size_t offset, lam_error *error);

#endif
