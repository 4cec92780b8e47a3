/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills VARIANT columns from JSON: builds the value of a token with one builder for all groups, and
 * shreds it by the layout of its group into the caller's sink.
 *
 *     tokens --lam_json_variant_read--> builder --variant--> shredder of the group --events--> sink
 *
 * The value exists as bytes between the two steps, so a value that cannot be built sends no event.
 * The shredders trust the builder and skip validation. Memory that a large value took is given back
 * once enough small ones have followed, so that one record does not decide the size of the reader.
 */
#include "json/value/json_variant_column.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "variant/shred/variant_shred.h"
#include "variant/value/variant_builder.h"

/* One shredder for each marked group. On failure, the caller finishes what exists. */
static lam_status make_shredders(lam_json_variant_columns *columns, const lam_json_shape *shape,
                                 lam_error *error) {
    lam_variant_shredder_options trusting = lam_variant_shredder_options_default();
    const lam_schema *schema = shape->schema;
    trusting.trusted = true; /* the values come from the builder */
    LAM_TRY(lam_variant_builder_create(NULL, &columns->allocator, &columns->builder, error));
    LAM_TRY(LAM_ARRAY(&columns->allocator, schema->field_count, &columns->shredders, error));
    columns->field_count = schema->field_count;
    for (size_t i = 0; i < schema->field_count; i++)
        if (shape->nodes[i].form == LAM_JSON_FORM_VARIANT)
            LAM_TRY(lam_variant_shredder_create(&schema->fields[i], &trusting, &columns->allocator,
                                                &columns->shredders[i], error));
    return LAM_STATUS_OK;
}

lam_status lam_json_variant_columns_init(lam_json_variant_columns *columns, lam_json_shape *shape,
                                         const lam_json_reader_options *options,
                                         const lam_allocator *allocator, lam_error *error) {
    memset(columns, 0, sizeof *columns);
    columns->allocator = *allocator;
    columns->form = options->variant;
    columns->binary = options->binary;
    columns->nearest_numbers = options->nearest_numbers;
    lam_buffer_init(&columns->scratch, allocator);
    if (!lam_json_variant_mark(shape, NULL, NULL, options->variant))
        return LAM_STATUS_OK;
    return make_shredders(columns, shape, error);
}

/* The buffer is finished only if it was initialized, which memory of zeros does not show. */
void lam_json_variant_columns_finish(lam_json_variant_columns *columns) {
    for (size_t i = 0; i < columns->field_count; i++)
        lam_variant_shredder_destroy(columns->shredders[i]);
    if (columns->shredders != NULL)
        lam_free(&columns->allocator, columns->shredders,
                 columns->field_count * sizeof *columns->shredders);
    lam_variant_builder_destroy(columns->builder);
    if (columns->scratch.data != NULL)
        lam_buffer_finish(&columns->scratch);
    memset(columns, 0, sizeof *columns);
}

/*
 * Counts the values in the one at a token, itself included: all tokens but names. A string is a
 * name if a colon comes after its closing quote; the text is followed by zeros, so the search ends.
 */
static size_t json_variant_column_count_values(const lam_json_tokens *parsed, uint32_t token) {
    size_t count = 0;
    for (uint32_t i = token; i < parsed->tokens[token].next; i++) {
        const lam_json_token *at = &parsed->tokens[i];
        const char *behind = parsed->text + at->end + 1;
        if (at->kind == LAM_JSON_STRING)
            behind += strspn(behind, " \t\r\n");
        count += at->kind != LAM_JSON_STRING || *behind != ':';
    }
    return count;
}

/* A new builder, without the memory that large values took. */
static lam_status replace_builder(lam_json_variant_columns *columns, lam_error *error) {
    lam_variant_builder *builder;
    LAM_TRY(lam_variant_builder_create(NULL, &columns->allocator, &builder, error));
    lam_variant_builder_destroy(columns->builder);
    columns->builder = builder;
    lam_buffer_finish(&columns->scratch);
    return LAM_STATUS_OK;
}

/* Without memory for a new builder the grown one stays. */
void lam_json_variant_columns_give_back(lam_json_variant_columns *columns) {
    if (columns->patience > 0 && replace_builder(columns, NULL) == LAM_STATUS_OK)
        columns->patience = 0;
}

/*
 * Makes room for a large value at once, as growing step by step would need twice the memory, and
 * sets `patience`. After that many small values, a new builder replaces the grown one.
 */
static lam_status renew_builder(lam_json_variant_columns *columns, const lam_json_tokens *parsed,
                                uint32_t token, lam_error *error) {
    enum { JSON_VARIANT_COLUMN_LARGE = 1 << 20, JSON_VARIANT_COLUMN_PATIENCE = 16 };
    if (lam_json_token_size(&parsed->tokens[token]) > JSON_VARIANT_COLUMN_LARGE) {
        columns->patience = JSON_VARIANT_COLUMN_PATIENCE;
        LAM_TRY(lam_variant_builder_reserve(
            columns->builder, json_variant_column_count_values(parsed, token), error));
    } else if (columns->patience > 0 && --columns->patience == 0) {
        LAM_TRY(replace_builder(columns, error));
    }
    return LAM_STATUS_OK;
}

/*
 * A failure of the builder is at the token it had reached, one of the shredder at the entire value.
 */
lam_status lam_json_variant_columns_replay(lam_json_variant_columns *columns,
                                           const lam_json_node *node, const lam_json_tokens *parsed,
                                           uint32_t token, const lam_record_sink *sink,
                                           uint32_t *ret_at, lam_error *error) {
    lam_variant_shredder *shredder = columns->shredders[node->field->index];
    lam_variant_builder_clear(columns->builder);
    LAM_TRY(renew_builder(columns, parsed, token, error));
    lam_json_variant_reader reader = {parsed,
                                      columns->builder,
                                      lam_variant_shredder_plan(shredder),
                                      columns->form,
                                      columns->binary,
                                      columns->nearest_numbers,
                                      &columns->scratch,
                                      token};
    lam_variant variant;
    lam_status status = lam_json_variant_read(&reader, token, error);
    *ret_at = reader.at;
    LAM_TRY(status);
    *ret_at = token;
    LAM_TRY(lam_variant_builder_finish(columns->builder, &variant, error));
    return lam_variant_shredder_write(shredder, variant, sink, error);
}
