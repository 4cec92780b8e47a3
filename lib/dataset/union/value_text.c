/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives values the text that the JSON writer prints for them: takes a leaf's value, and appends the
 * text to a buffer.
 *
 *     TIME        "12:34:56.789000"         the text between the quotation marks
 *     INTERVAL    {"months":1, ...}         all of it
 *
 * Values that are quoted here never have an escape, as texts themselves are not changed.
 */
#include "dataset/union/value_text.h"

#include <lamella/json.h>
#include <lamella/variant.h>
#include <string.h>

#include "base/error.h"
#include "json/value/json_value.h"

lam_status lam_value_write_text(const lam_field *leaf, lam_value value, lam_buffer *text,
                                lam_error *error) {
    size_t before = text->size;
    LAM_TRY(lam_json_value_write(text, leaf, lam_json_meaning_of(leaf), value,
                                 LAM_JSON_BINARY_BASE64, false, error));
    if (text->data[before] != '"')
        return LAM_STATUS_OK;
    text->size -= 2;
    memmove(text->data + before, text->data + before + 1, text->size - before);
    return LAM_STATUS_OK;
}

lam_status lam_value_write_variant(const lam_field *leaf, lam_value value, lam_buffer *bytes,
                                   lam_error *error) {
    lam_status status;
    lam_json_parser *parser = NULL;
    lam_variant_builder *builder = NULL;
    lam_variant variant;
    lam_buffer text;
    lam_buffer_init(&text, &bytes->allocator);
    LAM_TRY_OUT(lam_json_value_write(&text, leaf, lam_json_meaning_of(leaf), value,
                                     LAM_JSON_BINARY_BASE64, false, error));
    LAM_TRY_OUT(lam_json_parser_create(NULL, &bytes->allocator, &parser, error));
    LAM_TRY_OUT(lam_variant_builder_create(NULL, &bytes->allocator, &builder, error));
    LAM_TRY_OUT(lam_json_parser_read(parser, (const char *)text.data, text.size, builder, error));
    LAM_TRY_OUT(lam_variant_builder_finish(builder, &variant, error));
    LAM_TRY_OUT(lam_buffer_append(bytes, variant.value.data, variant.value.size, error));
out:
    lam_variant_builder_destroy(builder);
    lam_json_parser_destroy(parser);
    lam_buffer_finish(&text);
    return status;
}
