/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs Arrow arrays: takes arrays of one Arrow schema, which the log's files state; rows become
 * triples as arrow/ makes them for files, and then batches like those of producers.
 *
 *     schema -> plan -> schema of the log, pairs of its footers
 *     array -> views, checked -> (1024 rows) -> levels, values of each leaf -> batch -> queue
 *
 * All checks always come before the first batch, so that a refused array leaves nothing in the log;
 * a later failure is the log's. (The C data interface, "Structure definitions")
 */
#include <lamella/log_arrays.h>

#include "arrow/array/array_check.h"
#include "arrow/array/arrow_plan.h"
#include "arrow/schema/arrow_file_metadata.h"
#include "arrow/write/level_write.h"
#include "arrow/write/value_write.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "log/queue/log_state.h"
#include "schema/tree.h"

enum {
    LOG_ARRAY_ROWS = 1024,       /* of a batch, */
    LOG_ARRAY_TRIPLES = 32 << 10 /*   and triples of any leaf, unless a row alone has more */
};

/* --- Opening ------------------------------------------------------------------------------- */

/* The metadata of a plan's schema, as footers have it; texts are in the arena of the plan. */
static lam_status metadata_of_plan(lam_arrow_plan *plan, lam_meta_key_value_list *ret_pairs,
                                   lam_error *error) {
    lam_writer_key_value *pairs;
    size_t count;
    LAM_TRY(lam_arrow_file_metadata(&plan->schema, true, &plan->arena, &pairs, &count, error));
    lam_meta_key_value *items;
    LAM_TRY(LAM_ARENA_ARRAY(&plan->arena, count, &items, error));
    for (size_t i = 0; i < count; i++)
        items[i] = (lam_meta_key_value){LAM_META_KEY_VALUE_HAS_VALUE, pairs[i].key, pairs[i].value};
    *ret_pairs = (lam_meta_key_value_list){items, (uint32_t)count};
    return LAM_STATUS_OK;
}

static lam_status open_arrow_log(const struct ArrowSchema *schema, lam_log_subject subject,
                                 const lam_log_options *given, lam_log **ret_log,
                                 lam_error *error) {
    lam_log_options options;
    lam_arrow_plan plan;
    lam_schema *made;
    LAM_TRY(LAM_OPTIONS_READ(lam_log_options, given, &options, error));
    lam_allocator allocator = lam_allocator_or_default(options.allocator);
    LAM_TRY(lam_arrow_plan_write(&plan, schema, &allocator, &made, error));
    lam_status status = metadata_of_plan(&plan, &subject.of_schema, error);
    subject.schema = made;
    if (status == LAM_STATUS_OK)
        status = lam_log_open_subject(&subject, &options, ret_log, error);
    lam_arrow_plan_finish(&plan);
    lam_schema_destroy(made);
    return status;
}

lam_status lam_log_open_arrow(const struct ArrowSchema *schema, const char *path,
                              const lam_log_options *options, lam_log **ret_log, lam_error *error) {
    const lam_log_subject subject = {.path = path, .is_folder = true};
    return open_arrow_log(schema, subject, options, ret_log, error);
}

lam_status lam_log_open_arrow_file(const struct ArrowSchema *schema, const char *path,
                                   const lam_log_options *options, lam_log **ret_log,
                                   lam_error *error) {
    const lam_log_subject subject = {.path = path};
    return open_arrow_log(schema, subject, options, ret_log, error);
}

/* --- Arrays -------------------------------------------------------------------------------- */

struct lam_log_arrays {
    lam_log *log;
    lam_allocator allocator;
    const lam_log_generation *generation;
    lam_arrow_plan plan;
    lam_schema *schema; /* of the plan; NULL: no plan */
    lam_arena arena;    /* holds the views */
    lam_array_view *root;
    lam_level_writer *levels;
    lam_value_memory values;
    lam_log_batch *batch; /* that the leaves go to */
};

/* Everything after the first allocation; destroy undoes it from any point. */
static lam_status prepare_arrays(lam_log_arrays *arrays, const struct ArrowSchema *schema,
                                 lam_error *error) {
    const lam_kernels *kernels = lam_kernels_get();
    LAM_TRY(
        lam_arrow_plan_write(&arrays->plan, schema, &arrays->allocator, &arrays->schema, error));
    if (!lam_schema_holds_same(arrays->schema, arrays->generation->schema))
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "the log's schema is not the one that holds the Arrow schema");
    LAM_TRY(lam_array_view_create(arrays->plan.root.array, &arrays->arena, &arrays->root, error));
    return lam_level_writer_create(&arrays->plan, kernels, arrays->root, &arrays->allocator,
                                   &arrays->levels, error);
}

lam_status lam_log_arrays_create(lam_log *log, const struct ArrowSchema *schema,
                                 lam_log_arrays **ret_arrays, lam_error *error) {
    LAM_TRY(lam_log_check_usable(log, error));
    lam_log_arrays *arrays;
    LAM_TRY(LAM_NEW(&log->settings.allocator, &arrays, error));
    arrays->log = log;
    arrays->allocator = log->settings.allocator;
    pthread_mutex_lock(&log->mutex);
    arrays->generation = log->newest;
    pthread_mutex_unlock(&log->mutex);
    lam_arena_init(&arrays->arena, &arrays->allocator, 0);
    lam_value_memory_init(&arrays->values, lam_kernels_get(), &arrays->allocator);
    lam_status status = prepare_arrays(arrays, schema, error);
    if (status != LAM_STATUS_OK) {
        lam_log_arrays_destroy(arrays);
        return status;
    }
    *ret_arrays = arrays;
    return LAM_STATUS_OK;
}

void lam_log_arrays_destroy(lam_log_arrays *arrays) {
    if (arrays == NULL)
        return;
    lam_allocator allocator = arrays->allocator;
    lam_level_writer_destroy(arrays->levels);
    lam_value_memory_finish(&arrays->values);
    lam_arena_finish(&arrays->arena);
    if (arrays->schema != NULL)
        lam_arrow_plan_finish(&arrays->plan);
    lam_schema_destroy(arrays->schema);
    lam_free(&allocator, arrays, sizeof *arrays);
}

/* --- Rows ---------------------------------------------------------------------------------- */

/* Rows of the next batch: halved until no leaf has too many triples. */
static int64_t rows_of_array_batch(const lam_log_arrays *arrays, int64_t row) {
    int64_t left = arrays->root->length - row;
    int64_t rows = left < LOG_ARRAY_ROWS ? left : LOG_ARRAY_ROWS;
    while (rows > 1 && lam_level_count(arrays->levels, row, rows) > LOG_ARRAY_TRIPLES)
        rows /= 2;
    return rows;
}

/* Converts the values of a leaf and drops them: all that can be refused is refused now. */
static lam_status check_array_leaf(void *state, const lam_leaf_batch *leaf, lam_error *error) {
    lam_log_arrays *arrays = state;
    const void *values;
    return lam_value_write(&arrays->values, leaf, true, &values, error);
}

static lam_status check_array(lam_log_arrays *arrays, const struct ArrowArray *array,
                              lam_error *error) {
    const lam_leaf_visitor visitor = {arrays, check_array_leaf};
    LAM_TRY(lam_array_check(arrays->root, array, lam_task_runner_serial(), NULL, error));
    if (!lam_level_needs_check(arrays->levels))
        return LAM_STATUS_OK;
    for (int64_t row = 0, rows; row < arrays->root->length; row += rows) {
        rows = rows_of_array_batch(arrays, row);
        LAM_TRY(lam_level_write_checked(arrays->levels, row, rows, &visitor, error));
    }
    return LAM_STATUS_OK;
}

/* Copies the triples of a leaf into the batch; a plan's leaves have the schema's numbers. */
static lam_status add_array_leaf(void *state, const lam_leaf_batch *leaf, lam_error *error) {
    lam_log_arrays *arrays = state;
    lam_triples triples = leaf->triples;
    LAM_TRY(lam_value_write(&arrays->values, leaf, false, &triples.values, error));
    return lam_log_batch_add_leaf(arrays->batch, leaf->node->first_leaf, &triples, error);
}

/* Makes a batch of some rows and hands it over. */
static lam_status write_rows(lam_log_arrays *arrays, int64_t row, int64_t rows, lam_error *error) {
    const lam_leaf_visitor visitor = {arrays, add_array_leaf};
    LAM_TRY(lam_log_batch_begin(arrays->generation, &arrays->log->settings.intake_allocator,
                                &arrays->batch, error));
    lam_log_batch *batch = arrays->batch;
    lam_status status = lam_level_write(arrays->levels, row, rows, &visitor, error);
    arrays->batch = NULL;
    if (status != LAM_STATUS_OK) {
        lam_log_batch_destroy(batch);
        return status;
    }
    batch->record_count = (size_t)rows;
    return lam_log_hand_over_batch(arrays->log, batch, error);
}

lam_status lam_log_arrays_write(lam_log_arrays *arrays, const struct ArrowArray *array,
                                lam_error *error) {
    LAM_TRY(lam_log_check_usable(arrays->log, error));
    LAM_TRY(check_array(arrays, array, error));
    for (int64_t row = 0, rows; row < arrays->root->length; row += rows) {
        rows = rows_of_array_batch(arrays, row);
        LAM_TRY(write_rows(arrays, row, rows, error));
    }
    return LAM_STATUS_OK;
}
