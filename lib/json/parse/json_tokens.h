/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON text as a flat list of tokens, checked against the complete grammar (RFC 8259).
 *
 *     text     {"a": [1, "x"], "b": null}
 *     token    0 object, next 7               (one after its last)
 *              1 string a
 *              2 array, next 5
 *              3 integer 1
 *              4 string x
 *              5 string b
 *              6 null
 *
 * The members of an object are a string and a value each. `next` of a value is the index of the
 * token after all that is inside it, so that a member or an element is skipped in one step.
 */
#ifndef LAM_JSON_PARSE_JSON_TOKENS_H
#define LAM_JSON_PARSE_JSON_TOKENS_H

#include <lamella/common.h>
#include <string.h>

#include "base/thread/stop.h"
#include "json/parse/structural.h"

/* Most arrays and objects inside each other. */
#define LAM_JSON_DEPTH_MAX 1024

typedef enum lam_json_kind {
    LAM_JSON_OBJECT,
    LAM_JSON_ARRAY,
    LAM_JSON_STRING,
    LAM_JSON_INTEGER, /* a number without point and exponent */
    LAM_JSON_REAL,
    LAM_JSON_TRUE,
    LAM_JSON_FALSE,
    LAM_JSON_NULL
} lam_json_kind;

typedef struct lam_json_token {
    uint32_t start;       /* first byte in the text; of a string, the first inside the quotes */
    uint32_t end;         /* one after the last byte; of a string, the closing quote */
    uint32_t next : 28;   /* index of the token after this value */
    uint32_t kind : 3;    /* lam_json_kind */
    uint32_t escaped : 1; /* a string with backslashes in it */
} lam_json_token;

/* Most tokens of one text, by the width of `next`: three GiB of them. */
#define LAM_JSON_TOKENS_MAX UINT32_C(0x0FFFFFFF)

typedef struct lam_json_tokens {
    lam_allocator allocator;
    lam_structural *structural;
    lam_json_token *tokens;
    size_t count;
    size_t capacity;
    size_t index_cost;    /* bytes of the index, as counted by the allocator */
    unsigned short_ones;  /* texts in a row that needed little of the capacity */
    const lam_stop *stop; /* of its owner, asked by numbers of tokens; NULL after init */
    const char *text;     /* that the tokens refer to, borrowed */
    size_t problem;       /* after INVALID: its offset in the text */
    bool any_escapes;     /* a backslash somewhere in the text */
    uint32_t open[LAM_JSON_DEPTH_MAX];
} lam_json_tokens;

lam_status lam_json_tokens_init(lam_json_tokens *parsed, const lam_allocator *allocator,
                                lam_error *error);
/* Has no effect on tokens that are all zero. */
void lam_json_tokens_finish(lam_json_tokens *parsed);

/* Gives the memory of tokens and index back; the tokens are gone. */
void lam_json_tokens_give_back(lam_json_tokens *parsed);

/*
 * Parses the text of one value. LAM_STRUCTURAL_PADDING bytes after it are readable, and it must
 * stay while the tokens are used. Text of white space alone has no tokens. INVALID says what was
 * expected; its position is in `problem`. LIMIT for too many tokens, or by the budget of the
 * allocator, which the index counts towards. NOMEM, CANCELLED.
 */
lam_status lam_json_tokens_parse(lam_json_tokens *parsed, const char *text, size_t size,
                                 lam_error *error);

/* "an object", "a number", ... */
const char *lam_json_kind_name(uint8_t kind);

static inline const char *lam_json_token_text(const lam_json_tokens *parsed,
                                              const lam_json_token *token) {
    return parsed->text + token->start;
}

static inline size_t lam_json_token_size(const lam_json_token *token) {
    return token->end - token->start;
}

#endif
