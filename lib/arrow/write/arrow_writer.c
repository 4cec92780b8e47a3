/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes Arrow arrays through a writer: an array is checked first, all of it, and then goes to the
 * column chunks in batches of rows, one leaf after the other:
 *
 *     array -> views, checked -> (batch) -> levels -> values -> lam_writer
 *
 * The invariant: an array that is refused leaves nothing in the file, since all checks come before
 * the first batch is written; a failure after that makes the writer unusable. The writer alone
 * decides where pages and row groups end, so the file does not show how rows were cut into arrays
 * and batches. (The C data interface, "Structure definitions"; the C stream interface, "Structure
 * definition")
 */
#include <inttypes.h>

#include "arrow/array/array_check.h"
#include "arrow/schema/arrow_file_metadata.h"
#include "arrow/write/batch_write.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "file/write/file_writer.h"
#include "schema/tree.h"

struct lam_arrow_writer {
    lam_allocator allocator;
    lam_writer *writer;
    lam_arrow_plan plan;
    lam_schema *schema;
    lam_arena arena; /* holds the views */
    lam_array_view *root;
    lam_task_cost *checking; /* of each column */
    lam_batch_writer *batches;
};

/* --- Opening ------------------------------------------------------------------------------- */

/* Adds the schema's metadata and, unless the options exclude it, ARROW:schema to the footer. */
static lam_status add_metadata(lam_arrow_writer *arrow, const lam_arrow_write_options *options,
                               lam_error *error) {
    lam_writer_key_value *key_values;
    size_t count;
    LAM_TRY(lam_arrow_file_metadata(&arrow->plan.schema, lam_switch_is_on(options->arrow_schema),
                                    &arrow->arena, &key_values, &count, error));
    return lam_writer_add_key_values(arrow->writer, key_values, count, error);
}

/*
 * The caller made the writer's schema from the same Arrow schema; it is made again here and
 * compared, so that a plan can rely on the columns that the writer has.
 */
lam_status lam_arrow_writer_create(lam_writer *writer, const struct ArrowSchema *schema,
                                   const lam_arrow_write_options *given,
                                   lam_arrow_writer **ret_arrow, lam_error *error) {
    const lam_allocator *allocator = lam_writer_allocator(writer);
    lam_status status;
    lam_arrow_write_options options;
    LAM_TRY(LAM_OPTIONS_READ(lam_arrow_write_options, given, &options, error));
    LAM_TRY(lam_switch_check(options.arrow_schema, "arrow_schema", error));
    lam_arrow_writer *arrow;
    LAM_TRY(LAM_NEW(allocator, &arrow, error));
    arrow->allocator = *allocator;
    arrow->writer = writer;
    lam_arena_init(&arrow->arena, allocator, 0);
    LAM_TRY_OUT(lam_arrow_plan_write(&arrow->plan, schema, allocator, &arrow->schema, error));
    if (!lam_schema_holds_same(arrow->schema, lam_writer_schema(writer)))
        LAM_FAIL_OUT(error, LAM_STATUS_INVALID,
                     "the writer's schema is not the one that holds the Arrow schema");
    LAM_TRY_OUT(lam_array_view_create(arrow->plan.root.array, &arrow->arena, &arrow->root, error));
    LAM_TRY_OUT(lam_task_costs_create(lam_writer_runner(writer), arrow->root->child_count,
                                      allocator, &arrow->checking, error));
    LAM_TRY_OUT(lam_batch_writer_create(writer, &arrow->plan, arrow->root, &arrow->batches, error));
    LAM_TRY_OUT(add_metadata(arrow, &options, error));
    *ret_arrow = arrow;
    return LAM_STATUS_OK;
out:
    lam_arrow_writer_destroy(arrow);
    return status;
}

void lam_arrow_writer_destroy(lam_arrow_writer *arrow) {
    if (arrow == NULL)
        return;
    lam_allocator allocator = arrow->allocator;
    lam_batch_writer_destroy(arrow->batches);
    if (arrow->root != NULL)
        lam_task_costs_destroy(arrow->checking, arrow->root->child_count, &allocator);
    lam_arena_finish(&arrow->arena);
    if (arrow->schema != NULL) /* else neither is there a plan */
        lam_arrow_plan_finish(&arrow->plan);
    lam_schema_destroy(arrow->schema);
    lam_free(&allocator, arrow, sizeof *arrow);
}

/* --- Arrays -------------------------------------------------------------------------------- */

lam_status lam_arrow_write_array(lam_arrow_writer *arrow, const struct ArrowArray *array,
                                 lam_error *error) {
    size_t rows;
    /* Fails early if the writer cannot be used any more. */
    LAM_TRY(lam_writer_start_rows(arrow->writer, 0, &rows, error));
    LAM_TRY(lam_array_check(arrow->root, array, lam_writer_runner(arrow->writer), arrow->checking,
                            error));
    LAM_TRY(lam_batch_writer_check(arrow->batches, arrow->root->length, error));
    for (int64_t row = 0; row < arrow->root->length; row += (int64_t)rows) {
        uint64_t left = (uint64_t)(arrow->root->length - row);
        /*
         * Some leaves may have got the batch already, so a failure from here on cannot be undone.
         */
        lam_error failure = lam_error_none();
        /* unreachable: the first call has drained the writer, which gets no records meanwhile */
        LAM_TRY(lam_writer_start_rows(arrow->writer, left, &rows, error));
        rows = lam_batch_writer_extend(arrow->batches, row, left, rows);
        lam_status status = lam_batch_writer_write(arrow->batches, row, rows, &failure);
        LAM_TRY(lam_writer_poison(arrow->writer, status, &failure, error));
        LAM_TRY(lam_writer_end_rows(arrow->writer, rows, error));
    }
    return LAM_STATUS_OK;
}

/* --- Streams ------------------------------------------------------------------------------- */

/* The stream's message is cut to leave room for the rest; the interface allows NULL. */
static lam_status arrow_writer_fail_stream(struct ArrowArrayStream *stream, int code,
                                           lam_error *error) {
    const char *message = stream->get_last_error(stream);
    LAM_FAIL(error, LAM_STATUS_IO, "the Arrow stream failed with %d: %.180s", code,
             message != NULL ? message : "no reason given");
}

/* Cleared first: a callback that gives nothing leaves a schema that counts as released. */
static lam_status arrow_writer_get_schema(struct ArrowArrayStream *stream,
                                          struct ArrowSchema *ret_schema, lam_error *error) {
    if (stream == NULL || stream->release == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the Arrow stream is NULL or released");
    memset(ret_schema, 0, sizeof *ret_schema);
    int code = stream->get_schema(stream, ret_schema);
    if (code != 0)
        return arrow_writer_fail_stream(stream, code, error);
    if (ret_schema->release == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the Arrow stream gave no schema");
    return LAM_STATUS_OK;
}

/* A released array is the end of the stream. (The C stream interface, "get_next") */
static lam_status write_arrays(lam_arrow_writer *arrow, struct ArrowArrayStream *stream,
                               lam_error *error) {
    for (;;) {
        struct ArrowArray array = {0};
        int code = stream->get_next(stream, &array);
        if (code != 0)
            return arrow_writer_fail_stream(stream, code, error);
        if (array.release == NULL)
            return LAM_STATUS_OK;
        lam_status status = lam_arrow_write_array(arrow, &array, error);
        array.release(&array);
        LAM_TRY(status);
    }
}

/* Writes all arrays through an Arrow writer that lives as long as the stream. */
static lam_status write_stream(lam_writer *writer, struct ArrowArrayStream *stream,
                               const struct ArrowSchema *schema,
                               const lam_arrow_write_options *options, lam_error *error) {
    lam_arrow_writer *arrow;
    LAM_TRY(lam_arrow_writer_create(writer, schema, options, &arrow, error));
    lam_status status = write_arrays(arrow, stream, error);
    lam_arrow_writer_destroy(arrow);
    return status;
}

lam_status lam_arrow_write_stream(lam_writer *writer, struct ArrowArrayStream *stream,
                                  const lam_arrow_write_options *options, lam_error *error) {
    struct ArrowSchema schema;
    LAM_TRY(arrow_writer_get_schema(stream, &schema, error));
    lam_status status = write_stream(writer, stream, &schema, options, error);
    schema.release(&schema);
    return status;
}

/* Opens the file itself; a failure before lam_writer_finish leaves no file behind. */
static lam_status write_file(const char *path, struct ArrowArrayStream *stream,
                             const struct ArrowSchema *arrow_schema,
                             const lam_writer_options *given_options,
                             const lam_arrow_write_options *options, lam_error *error) {
    lam_status status;
    lam_writer *writer = NULL;
    lam_schema *schema;
    lam_writer_options writer_options;
    LAM_TRY(LAM_OPTIONS_READ(lam_writer_options, given_options, &writer_options, error));
    LAM_TRY(lam_arrow_import_schema(arrow_schema, writer_options.allocator, &schema, error));
    LAM_TRY_OUT(lam_writer_open_file(schema, path, &writer_options, &writer, error));
    LAM_TRY_OUT(write_stream(writer, stream, arrow_schema, options, error));
    LAM_TRY_OUT(lam_writer_finish(writer, error));
out:
    lam_writer_close(writer);
    lam_schema_destroy(schema);
    return status;
}

lam_status lam_arrow_write_file(const char *path, struct ArrowArrayStream *stream,
                                const lam_writer_options *writer_options,
                                const lam_arrow_write_options *options, lam_error *error) {
    struct ArrowSchema schema;
    LAM_TRY(arrow_writer_get_schema(stream, &schema, error));
    lam_status status = write_file(path, stream, &schema, writer_options, options, error);
    schema.release(&schema);
    return status;
}
