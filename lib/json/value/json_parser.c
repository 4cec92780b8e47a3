/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses single JSON texts into VARIANT values, for the public lam_json_parser: takes text, and
 * gives the events of one value to a builder of the caller.
 *
 * Each text is copied, because the parser reads LAM_STRUCTURAL_PADDING bytes after it, which the
 * caller's text need not have. The buffers are kept from text to text. A failure names the byte of
 * the text at which it was, from 0; after it the parser can be used again, while the builder holds
 * an unfinished value.
 *
 *     text {"a":x}, form VALUE  ->  "byte 5: expected a value, found 'x'"
 */
#include <lamella/json.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "json/value/json_variant.h"

struct lam_json_parser {
    lam_allocator allocator;
    lam_json_parser_options options;
    lam_json_tokens parsed;
    lam_buffer padded;  /* the text, and the bytes that the tokens need after it */
    lam_buffer scratch; /* one unescaped name or string at a time */
};

/* Only the tokens can fail after the struct exists; the buffers allocate nothing yet. */
lam_status lam_json_parser_create(const lam_json_parser_options *options,
                                  const lam_allocator *allocator, lam_json_parser **ret_parser,
                                  lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    lam_json_parser_options chosen;
    LAM_TRY(LAM_OPTIONS_READ(lam_json_parser_options, options, &chosen, error));
    if (chosen.form != LAM_JSON_VARIANT_VALUE && chosen.form != LAM_JSON_VARIANT_TYPED)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown JSON form %d of VARIANTs", (int)chosen.form);
    if ((unsigned)chosen.binary > LAM_JSON_BINARY_UTF8)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown binary form %d", (int)chosen.binary);
    lam_json_parser *parser;
    LAM_TRY(LAM_NEW(&own, &parser, error));
    parser->allocator = own;
    parser->options = chosen;
    lam_buffer_init(&parser->padded, &own);
    lam_buffer_init(&parser->scratch, &own);
    lam_status status = lam_json_tokens_init(&parser->parsed, &own, error);
    if (status != LAM_STATUS_OK) {
        lam_json_parser_destroy(parser);
        return status;
    }
    *ret_parser = parser;
    return LAM_STATUS_OK;
}

void lam_json_parser_destroy(lam_json_parser *parser) {
    if (parser == NULL)
        return;
    lam_allocator allocator = parser->allocator;
    lam_json_tokens_finish(&parser->parsed);
    lam_buffer_finish(&parser->padded);
    lam_buffer_finish(&parser->scratch);
    lam_free(&allocator, parser, sizeof *parser);
}

/* Puts the offset before the message of an INVALID. */
static lam_status at_byte(size_t offset, lam_status status, lam_error *error) {
    if (error == NULL || status != LAM_STATUS_INVALID)
        return status;
    lam_error inner = *error;
    return lam_error_set(error, lam_error_kind(&inner), "byte %zu: %s", offset, inner.message);
}

lam_status lam_json_parser_read(lam_json_parser *parser, const char *text, size_t size,
                                lam_variant_builder *builder, lam_error *error) {
    static const uint8_t padding[LAM_STRUCTURAL_PADDING];
    lam_json_tokens *parsed = &parser->parsed;
    /* Tokens have offsets of 32 bits. */
    if (size > UINT32_MAX - LAM_STRUCTURAL_PADDING)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_LIMIT,
                 "JSON text of %zu bytes, which is 4 GiB or more", size);
    lam_buffer_clear(&parser->padded);
    LAM_TRY(lam_buffer_append(&parser->padded, text, size, error));
    LAM_TRY(lam_buffer_append(&parser->padded, padding, sizeof padding, error));
    lam_status status =
        lam_json_tokens_parse(parsed, (const char *)parser->padded.data, size, error);
    if (status != LAM_STATUS_OK)
        return at_byte(parsed->problem, status, error);
    if (parsed->count == 0)
        LAM_FAIL(error, LAM_ERROR_CODE_JSON_SYNTAX, "expected a value, found nothing");
    /* No plan: the value goes to no columns, so numbers take the kind that is exact. */
    lam_json_variant_reader reader = {parsed,
                                      builder,
                                      NULL,
                                      parser->options.form,
                                      parser->options.binary,
                                      parser->options.nearest_numbers,
                                      &parser->scratch,
                                      0};
    status = lam_json_variant_read(&reader, 0, error);
    return at_byte(parsed->tokens[reader.at].start, status, error);
}
