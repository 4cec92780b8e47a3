/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes and frees the object that prints records: events through json_writer.c, columns through
 * json_rows.c. Takes options, and gives a writer.
 *
 * All memory except the struct itself is always within the budget, and a writer that a failure
 * leaves incomplete is freed like a complete one.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "json/write/json_writer.h"

/* The budget counts all memory but this struct, which the caller's own allocator gives. */
lam_status lam_json_writer_create(const lam_schema *schema, lam_output *output,
                                  const lam_json_writer_options *options,
                                  const lam_allocator *allocator, lam_json_writer **ret_writer,
                                  lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    lam_json_writer_options chosen;
    lam_status status;
    LAM_TRY(LAM_OPTIONS_READ(lam_json_writer_options, options, &chosen, error));
    if ((unsigned)chosen.binary > LAM_JSON_BINARY_UTF8)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown binary form %d", (int)chosen.binary);
    if ((unsigned)chosen.variant > LAM_JSON_VARIANT_STORAGE)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown JSON form %d of VARIANTs",
                 (int)chosen.variant);
    if (chosen.memory_limit > SIZE_MAX / 2)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a memory limit of %" PRIu64 " bytes",
                 chosen.memory_limit);
    if (chosen.projection != NULL && chosen.variant == LAM_JSON_VARIANT_STORAGE)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a projection is of values, not of their storage");
    if (chosen.projection != NULL)
        chosen.leaves = lam_projection_leaves(chosen.projection);
    LAM_TRY(lam_schema_require(schema, error));
    lam_json_writer *writer;
    LAM_TRY(LAM_NEW(&own, &writer, error));
    lam_budget_init(&writer->budget, &own, (size_t)chosen.memory_limit);
    writer->allocator = lam_budget_allocator(&writer->budget);
    writer->projection = chosen.projection;
    writer->binary = chosen.binary;
    writer->replace_invalid = chosen.replace_invalid;
    writer->output = output;
    lam_record_failure_init(&writer->failure);
    lam_buffer_init(&writer->text, &writer->allocator);
    lam_json_reorder_init(&writer->reorder, &writer->allocator);
    lam_json_free_parser_init(&writer->free_parser, &writer->allocator);
    LAM_TRY_OUT(lam_json_shape_init(&writer->shape, schema, chosen.leaves, chosen.free_leaves,
                                    &writer->allocator, error));
    writer->shape.omits_nulls = chosen.omit_nulls;
    LAM_TRY_OUT(lam_json_writer_set_variants(writer, &chosen, error));
    /* A frame for each level, the root included. */
    for (size_t i = 0; i < schema->field_count; i++)
        if (schema->fields[i].depth + 1u > writer->frame_capacity)
            writer->frame_capacity = schema->fields[i].depth + 1u;
    LAM_TRY_OUT(LAM_ARRAY(&writer->allocator, writer->frame_capacity, &writer->frames, error));
    lam_json_rows_init(writer);
    *ret_writer = writer;
    return LAM_STATUS_OK;
out:
    lam_json_writer_destroy(writer);
    return status;
}

/* Also for a writer that create has left half-made: its members are cleared memory. */
void lam_json_writer_destroy(lam_json_writer *writer) {
    if (writer == NULL)
        return;
    lam_allocator own = writer->budget.beneath, allocator = writer->allocator;
    lam_free(&allocator, writer->frames,
             writer->frames == NULL ? 0 : writer->frame_capacity * sizeof(lam_json_writer_frame));
    lam_buffer_finish(&writer->text);
    lam_json_reorder_finish(&writer->reorder);
    lam_json_free_parser_finish(&writer->free_parser);
    lam_variant_assembler_destroy(writer->assembler);
    lam_json_rows_finish(&writer->rows);
    if (writer->shape.nodes != NULL)
        lam_json_shape_finish(&writer->shape);
    lam_free(&own, writer, sizeof *writer);
}
