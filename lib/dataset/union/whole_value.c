/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes one value of a field's events by way of JSON: the text that the JSON writer prints for
 * them, or the VARIANT that is read from that text.
 *
 *     events of   optional group a { int64 b; }   record of   message { optional group v { ... } }
 *     printed     {"v":{"b":2}}                   value       {"b":2}
 *
 * The field is the only one of a schema of its own, so that all of its forms are those of the
 * writer. A VARIANT that is shredded in another way goes through text with types, and stays as it
 * is. A line is always an object with one member, whose value is the wanted one.
 */
#include "dataset/union/whole_value.h"

#include <lamella/json.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/error.h"
#include "schema/schema_choose.h"

static const char whole_name[] = "v";

/* What precedes the value in a line: {"v": */
enum { WHOLE_LEAD = 5, WHOLE_TRAIL = 2 };

struct lam_whole_value {
    lam_allocator allocator;
    const lam_field *source;
    lam_schema *held;
    lam_schema *schema; /* of the field alone */
    bool is_variant;
    lam_buffer line;
    lam_output output; /* to `line` */
    lam_json_writer *writer;
    lam_record_sink sink;
    lam_json_parser *parser;
    lam_variant_builder *builder;
};

static lam_status whole_append(void *state, const void *data, size_t size, lam_error *error) {
    return lam_buffer_append(state, data, size, error);
}

static lam_status make_whole_schema(lam_whole_value *whole, lam_repetition repetition,
                                    lam_error *error) {
    lam_schema_builder *builder;
    LAM_TRY(lam_schema_builder_create("m", &whole->allocator, &builder, error));
    lam_schema_builder_set_lenient(builder);
    lam_status status =
        lam_schema_copy_field(builder, whole->source, whole_name, repetition, NULL, error);
    if (status == LAM_STATUS_OK)
        status = lam_schema_builder_finish(builder, &whole->schema, error);
    lam_schema_builder_destroy(builder);
    return status;
}

static lam_status make_whole_tools(lam_whole_value *whole, lam_error *error) {
    lam_json_writer_options writing = lam_json_writer_options_default();
    lam_json_parser_options parsing = lam_json_parser_options_default();
    bool is_typed = whole->is_variant && whole->source->logical_type.kind == LAM_LOGICAL_VARIANT &&
                    whole->source->repetition != LAM_REPETITION_REPEATED;
    writing.variant = is_typed ? LAM_JSON_VARIANT_TYPED : LAM_JSON_VARIANT_VALUE;
    parsing.form = writing.variant;
    whole->output = (lam_output){.state = &whole->line, .write = whole_append};
    LAM_TRY(lam_json_writer_create(whole->schema, &whole->output, &writing, &whole->allocator,
                                   &whole->writer, error));
    whole->sink = lam_json_writer_sink(whole->writer);
    if (!whole->is_variant)
        return LAM_STATUS_OK;
    LAM_TRY(lam_json_parser_create(&parsing, &whole->allocator, &whole->parser, error));
    return lam_variant_builder_create(NULL, &whole->allocator, &whole->builder, error);
}

lam_status lam_whole_value_create(const lam_field *source, lam_repetition repetition,
                                  bool is_variant, const lam_allocator *allocator,
                                  lam_whole_value **ret_whole, lam_error *error) {
    lam_whole_value *whole;
    LAM_TRY(LAM_NEW(allocator, &whole, error));
    whole->allocator = *allocator;
    whole->source = source;
    whole->held = lam_schema_share(source->schema);
    whole->is_variant = is_variant;
    lam_buffer_init(&whole->line, &whole->allocator);
    lam_status status = make_whole_schema(whole, repetition, error);
    if (status == LAM_STATUS_OK)
        status = make_whole_tools(whole, error);
    if (status == LAM_STATUS_OK)
        *ret_whole = whole;
    else
        lam_whole_value_destroy(whole);
    return status;
}

void lam_whole_value_destroy(lam_whole_value *whole) {
    if (whole == NULL)
        return;
    lam_allocator allocator = whole->allocator;
    lam_json_writer_destroy(whole->writer);
    lam_json_parser_destroy(whole->parser);
    lam_variant_builder_destroy(whole->builder);
    lam_schema_destroy(whole->schema);
    lam_schema_destroy(whole->held);
    lam_buffer_finish(&whole->line);
    lam_free(&allocator, whole, sizeof *whole);
}

/* --- Events -------------------------------------------------------------------------------- */

/* The field of the schema of its own. */
static const lam_field *own_field(const lam_whole_value *whole, const lam_field *field) {
    return &whole->schema->fields[1 + field->index - whole->source->index];
}

lam_status lam_whole_value_begin(lam_whole_value *whole, lam_error *error) {
    lam_buffer_clear(&whole->line);
    return lam_begin(&whole->sink, error);
}

lam_status lam_whole_value_open(lam_whole_value *whole, const lam_field *group, lam_error *error) {
    return lam_open(&whole->sink, own_field(whole, group), error);
}

lam_status lam_whole_value_put(lam_whole_value *whole, const lam_field *leaf, lam_value value,
                               lam_error *error) {
    return whole->sink.put(whole->sink.state, own_field(whole, leaf), value, error);
}

lam_status lam_whole_value_close(lam_whole_value *whole, const lam_field *group, lam_error *error) {
    return lam_close(&whole->sink, own_field(whole, group), error);
}

lam_status lam_whole_value_end(lam_whole_value *whole, lam_variant *ret_value, lam_error *error) {
    LAM_TRY(lam_end(&whole->sink, error));
    LAM_TRY(lam_json_writer_flush(whole->writer, error));
    const uint8_t *text = whole->line.data + WHOLE_LEAD;
    size_t size = whole->line.size - WHOLE_LEAD - WHOLE_TRAIL;
    if (!whole->is_variant) {
        *ret_value = (lam_variant){.value = {text, size}};
        return LAM_STATUS_OK;
    }
    lam_variant_builder_clear(whole->builder);
    LAM_TRY(lam_json_parser_read(whole->parser, (const char *)text, size, whole->builder, error));
    return lam_variant_builder_finish(whole->builder, ret_value, error);
}
