/* SPDX-License-Identifier: Apache-2.0 */
/* One value of a leaf as JSON text, in both directions. (json.h draws the forms) */
#ifndef LAM_JSON_VALUE_JSON_VALUE_H
#define LAM_JSON_VALUE_JSON_VALUE_H

#include <lamella/json.h>

#include "base/buffer.h"
#include "json/parse/json_instant.h"
#include "json/parse/json_shape.h"
#include "json/parse/json_tokens.h"

/* Appends the text of a value. INVALID and LIMIT do not name the path; NOMEM. */
lam_status lam_json_value_write(lam_buffer *text, const lam_field *leaf, lam_json_meaning meaning,
                                lam_value value, lam_json_binary binary, bool replace_invalid,
                                lam_error *error);

/* How values are read, as in lam_json_reader_options. */
typedef struct lam_json_manner {
    lam_json_binary binary;
    lam_json_times times;
    bool values_as_text;
    lam_json_epoch epoch;
} lam_json_manner;

/*
 * Reads the value at `token`, which is not null. The bytes that it gives are in the text of the
 * tokens or in `scratch`, which is overwritten. INVALID says what was expected, without the path;
 * NOMEM.
 */
lam_status lam_json_value_read(const lam_json_tokens *parsed, const lam_json_token *token,
                               const lam_field *leaf, lam_json_meaning meaning,
                               const lam_json_manner *manner, lam_buffer *scratch,
                               lam_value *ret_value, lam_error *error);

/* The text of a string token, unescaped into `scratch`. INVALID for another token; NOMEM. */
lam_status lam_json_text_unescape(const lam_json_tokens *parsed, const lam_json_token *token,
                                  lam_buffer *scratch, lam_bytes *ret_text, lam_error *error);

/* The same, but gives the tokens' own text if it has no escapes. */
static inline lam_status lam_json_text_read(const lam_json_tokens *parsed,
                                            const lam_json_token *token, lam_buffer *scratch,
                                            lam_bytes *ret_text, lam_error *error) {
    if (token->kind != LAM_JSON_STRING || token->escaped)
        return lam_json_text_unescape(parsed, token, scratch, ret_text, error);
    ret_text->data = (const uint8_t *)lam_json_token_text(parsed, token);
    ret_text->size = lam_json_token_size(token);
    return LAM_STATUS_OK;
}

/* Appends well-formed JSON without the white space between its tokens. */
lam_status lam_json_minify(lam_buffer *text, const char *json, size_t size, lam_error *error);

#endif
