/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints leaves of free JSON, whose bytes are the text of a value, and parses the list of these
 * leaves from the metadata of a file.
 *
 * The bytes come from a file, so they are parsed before they are printed: otherwise a value could
 * close the object around it. The tokens are thrown away. The text itself is printed, without white
 * space, so that numbers and strings stay as they were written.
 */
#include "json/value/json_free.h"

#include <string.h>

#include "base/error.h"
#include "schema/tree.h"
#include "text/number_text.h"
#include "json/value/json_value.h"

void lam_json_free_parser_init(lam_json_free_parser *parser, const lam_allocator *allocator) {
    memset(parser, 0, sizeof *parser);
    parser->allocator = *allocator;
    lam_buffer_init(&parser->padded, allocator);
}

void lam_json_free_parser_finish(lam_json_free_parser *parser) {
    lam_json_tokens_finish(&parser->parsed);
    lam_buffer_finish(&parser->padded);
}

/* Copies the text, as the parser needs bytes after it that may be read. */
lam_status lam_json_free_append(lam_json_free_parser *parser, lam_bytes json, lam_buffer *text,
                                lam_error *error) {
    static const uint8_t padding[LAM_STRUCTURAL_PADDING];
    if (parser->parsed.structural == NULL)
        LAM_TRY(lam_json_tokens_init(&parser->parsed, &parser->allocator, error));
    lam_buffer_clear(&parser->padded);
    LAM_TRY(lam_buffer_append(&parser->padded, json.data, json.size, error));
    LAM_TRY(lam_buffer_append(&parser->padded, padding, sizeof padding, error));
    const char *copy = (const char *)parser->padded.data;
    lam_status status = lam_json_tokens_parse(&parser->parsed, copy, json.size, error);
    if (status == LAM_STATUS_INVALID || (status == LAM_STATUS_OK && parser->parsed.count == 0))
        LAM_FAIL(error, LAM_ERROR_CODE_JSON_SYNTAX,
                 "not the text of a JSON value, but of %zu bytes", json.size);
    LAM_TRY(status);
    return lam_json_minify(text, copy, json.size, error);
}

/*
 * True when a leaf can hold free JSON: the list in the metadata may be of another schema, or
 * hostile.
 */
static bool may_be_free(const lam_field *leaf) {
    return leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY &&
           leaf->logical_type.kind == LAM_LOGICAL_JSON;
}

void lam_json_free_parse(const lam_schema *schema, const char *text, size_t size,
                         bool *free_leaves) {
    memset(free_leaves, 0, schema->leaf_count * sizeof *free_leaves);
    /* Numbers with single spaces between them; anything else in the list is ignored. */
    for (size_t i = 0; i < size; i++) {
        size_t start = i;
        while (i < size && text[i] != ' ')
            i++;
        uint64_t leaf;
        if (lam_uint64_parse(text + start, i - start, &leaf) && leaf < schema->leaf_count)
            free_leaves[leaf] = may_be_free(lam_leaf_at(schema, (size_t)leaf));
    }
}
