/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Free JSON: leaves that hold the text of any JSON value, and print as that value. A file marks
 * them in its metadata by leaf index: "3 17". Nothing here makes such files.
 */
#ifndef LAM_JSON_VALUE_JSON_FREE_H
#define LAM_JSON_VALUE_JSON_FREE_H

#include <lamella/json.h>

#include "base/buffer.h"
#include "json/parse/json_tokens.h"

/* Checks texts before they print. */
typedef struct lam_json_free_parser {
    lam_allocator allocator;
    lam_json_tokens parsed; /* initialized for the first text */
    lam_buffer padded;      /* the text, and LAM_STRUCTURAL_PADDING bytes */
} lam_json_free_parser;

void lam_json_free_parser_init(lam_json_free_parser *parser, const lam_allocator *allocator);
void lam_json_free_parser_finish(lam_json_free_parser *parser);

/* Appends the value without white space. INVALID when the text is not one JSON value. */
lam_status lam_json_free_append(lam_json_free_parser *parser, lam_bytes json, lam_buffer *text,
                                lam_error *error);

#endif
