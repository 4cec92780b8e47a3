/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes the leaves of a batch of rows to the column chunks: reads rows of an array, and adds the
 * triples of each leaf to the writer.
 *
 *     one thread       a walk through the tree visits all leaves
 *     several threads  a task per range of leaves: a walk that visits only these
 *
 *         column    a    b.x  b.y  b.z     c
 *         ranges   [0]  [1]  [2]  [3]     [4]     each column in RANGES_PER_COLUMN at most
 *
 *         1,000 columns of one leaf               15 leaves to a range
 *
 * The invariant: a lane, the scratch memory of a walk, serves one task at a time; there are as many
 * lanes as tasks that ran at once. Views are only read, so lanes share them.
 */
#include "arrow/write/batch_write.h"

#include <pthread.h>

#include "arrow/array/array_bytes.h"
#include "arrow/write/level_write.h"
#include "arrow/write/value_write.h"
#include "base/alloc.h"
#include "base/error.h"
#include "file/write/triple_batch.h"

enum {
    WALK_ROWS = 1024,                   /* of a walk through the tree, at most */
    WALK_TRIPLES = 32 << 10,            /* of any leaf, in a walk of more than one row */
    STEP_ROWS = 64 * LAM_BATCH_RECORDS, /* that tasks write at most before they meet */
    RANGES_PER_COLUMN = 4, /* each walks down from the root: levels above it are made again */
    RANGES_MOST = 64       /* about: each also passes over the fields that it leaves out */
};

/* Scratch memory of a walk. */
typedef struct write_lane {
    struct write_lane *next; /* idle */
    lam_writer *writer;
    lam_level_writer *levels;
    lam_value_memory values;
} write_lane;

struct lam_batch_writer {
    lam_allocator allocator;
    lam_writer *writer;
    const lam_arrow_plan *plan;
    lam_array_view *root;
    write_lane *own;        /* the first: its levels count rows, and serve a single thread */
    lam_leaf_range *ranges; /* by leaf */
    lam_task_cost *writing; /* of each range */
    lam_task_cost *checking;
    size_t range_count;
    pthread_mutex_t mutex; /* protects the list */
    write_lane *idle;      /* lanes that no task uses */
    int64_t first_row;     /* of the batch that is being written */
    int64_t rows;
};

/* --- Lanes --------------------------------------------------------------------------------- */

static void destroy_lane(lam_batch_writer *batches, write_lane *lane) {
    lam_level_writer_destroy(lane->levels);
    lam_value_memory_finish(&lane->values);
    lam_free(&batches->allocator, lane, sizeof *lane);
}

static lam_status make_lane(lam_batch_writer *batches, write_lane **ret_lane, lam_error *error) {
    const lam_kernels *kernels = lam_writer_row_group(batches->writer)->options.kernels;
    write_lane *lane;
    LAM_TRY(LAM_NEW(&batches->allocator, &lane, error));
    lane->writer = batches->writer;
    lam_value_memory_init(&lane->values, kernels, &batches->allocator);
    lam_status status = lam_level_writer_create(batches->plan, kernels, batches->root,
                                                &batches->allocator, &lane->levels, error);
    if (status == LAM_STATUS_OK)
        *ret_lane = lane;
    else
        destroy_lane(batches, lane);
    return status;
}

static lam_status take_lane(lam_batch_writer *batches, write_lane **ret_lane, lam_error *error) {
    pthread_mutex_lock(&batches->mutex);
    write_lane *lane = batches->idle;
    if (lane != NULL)
        batches->idle = lane->next;
    pthread_mutex_unlock(&batches->mutex);
    if (lane == NULL)
        return make_lane(batches, ret_lane, error);
    *ret_lane = lane;
    return LAM_STATUS_OK;
}

static void give_lane_back(lam_batch_writer *batches, write_lane *lane) {
    pthread_mutex_lock(&batches->mutex);
    lane->next = batches->idle;
    batches->idle = lane;
    pthread_mutex_unlock(&batches->mutex);
}

/* --- Making -------------------------------------------------------------------------------- */

/* Adds leaves to the last range, if that has few, or starts one. */
static void add_leaves(lam_batch_writer *batches, size_t first, size_t count) {
    const size_t few = batches->plan->leaf_count / RANGES_MOST;
    lam_leaf_range *last = &batches->ranges[batches->range_count];
    if (batches->range_count > 0 && last[-1].end - last[-1].first + count <= few)
        last[-1].end += count;
    else
        batches->ranges[batches->range_count++] = (lam_leaf_range){first, first + count};
}

/* Cuts the leaves of the plan into ranges: large columns in several, many small ones together. */
static lam_status cut_leaf_ranges(lam_batch_writer *batches, lam_error *error) {
    const lam_arrow_node *root = &batches->plan->root;
    LAM_TRY(LAM_ARRAY(&batches->allocator, batches->plan->leaf_count, &batches->ranges, error));
    for (size_t i = 0; i < root->child_count; i++) {
        const lam_arrow_node *column = &root->children[i];
        size_t left = column->leaf_count, first = column->first_leaf;
        for (size_t cuts = RANGES_PER_COLUMN; left > 0; cuts--) {
            size_t leaves = (left + cuts - 1) / cuts;
            add_leaves(batches, first, leaves);
            first += leaves;
            left -= leaves;
        }
    }
    return LAM_STATUS_OK;
}

lam_status lam_batch_writer_create(lam_writer *writer, const lam_arrow_plan *plan,
                                   lam_array_view *root, lam_batch_writer **ret_batches,
                                   lam_error *error) {
    const lam_allocator *allocator = lam_writer_allocator(writer);
    lam_status status;
    lam_batch_writer *batches;
    LAM_TRY(LAM_NEW(allocator, &batches, error));
    batches->allocator = *allocator;
    batches->writer = writer;
    batches->plan = plan;
    batches->root = root;
    if (pthread_mutex_init(&batches->mutex, NULL) != 0) {
        lam_free(allocator, batches, sizeof *batches);
        LAM_FAIL(error, LAM_STATUS_NOMEM, "the system has no more locks");
    }
    LAM_TRY_OUT(make_lane(batches, &batches->own, error));
    give_lane_back(batches, batches->own);
    LAM_TRY_OUT(cut_leaf_ranges(batches, error));
    LAM_TRY_OUT(lam_task_costs_create(lam_writer_runner(writer), batches->range_count, allocator,
                                      &batches->writing, error));
    LAM_TRY_OUT(lam_task_costs_create(lam_writer_runner(writer), batches->range_count, allocator,
                                      &batches->checking, error));
    *ret_batches = batches;
    return LAM_STATUS_OK;
out:
    lam_batch_writer_destroy(batches);
    return status;
}

void lam_batch_writer_destroy(lam_batch_writer *batches) {
    if (batches == NULL)
        return;
    lam_allocator allocator = batches->allocator;
    while (batches->idle != NULL) {
        write_lane *lane = batches->idle;
        batches->idle = lane->next;
        destroy_lane(batches, lane);
    }
    lam_task_costs_destroy(batches->writing, batches->range_count, &allocator);
    lam_task_costs_destroy(batches->checking, batches->range_count, &allocator);
    lam_free(&allocator, batches->ranges, batches->plan->leaf_count * sizeof(lam_leaf_range));
    pthread_mutex_destroy(&batches->mutex);
    lam_free(&allocator, batches, sizeof *batches);
}

/* --- Walks --------------------------------------------------------------------------------- */

/* Converts the values of a leaf and drops them: all that can be refused is refused now. */
static lam_status check_leaf(void *state, const lam_leaf_batch *leaf, lam_error *error) {
    write_lane *lane = state;
    const void *values;
    return lam_value_write(&lane->values, leaf, true, &values, error);
}

/* Adds the triples of one leaf; a plan's leaves have the schema's numbers. */
static lam_status write_leaf(void *state, const lam_leaf_batch *leaf, lam_error *error) {
    write_lane *lane = state;
    lam_triples triples = leaf->triples;
    LAM_TRY(lam_value_write(&lane->values, leaf, false, &triples.values, error));
    return lam_writer_add_leaf(lane->writer, leaf->node->first_leaf, &triples, error);
}

/*
 * Gives the rows of the next walk: `left`, or fewer. Halves them until no leaf has too many
 * triples; one row at least, however large. Walks bound the scratch memory for levels and values,
 * which arrays with long lists would otherwise need for all rows, and keep it in the cache.
 */
static size_t rows_of_walk(const lam_batch_writer *batches, int64_t first_row, int64_t left) {
    int64_t rows = left < WALK_ROWS ? left : WALK_ROWS;
    while (rows > 1 && lam_level_count(batches->own->levels, first_row, rows) > WALK_TRIPLES)
        rows /= 2;
    return (size_t)rows;
}

/*
 * Walks through some leaves of the current rows, to write them, or, with `checks`, to check those
 * that have something to check.
 */
static lam_status walk_leaves(const lam_batch_writer *batches, write_lane *lane,
                              lam_leaf_range leaves, bool checks, lam_error *error) {
    lam_leaf_visitor visitor = {lane, checks ? check_leaf : write_leaf};
    for (int64_t done = 0; done < batches->rows;) {
        int64_t row = batches->first_row + done;
        size_t rows = rows_of_walk(batches, row, batches->rows - done);
        LAM_TRY(lam_level_write_leaves(lane->levels, leaves, checks, row, (int64_t)rows, &visitor,
                                       error));
        done += (int64_t)rows;
    }
    return LAM_STATUS_OK;
}

/* Walks through one range of leaves in a lane of its own. */
static lam_status walk_range(lam_batch_writer *batches, size_t index, bool checks,
                             lam_error *error) {
    write_lane *lane;
    LAM_TRY(take_lane(batches, &lane, error));
    if (checks)
        (void)lam_level_needs_check(lane->levels); /* marks the leaves in this lane */
    lam_status status = walk_leaves(batches, lane, batches->ranges[index], checks, error);
    give_lane_back(batches, lane);
    return status;
}

/* --- Checking ------------------------------------------------------------------------------ */

/* A task. */
static lam_status check_leaf_range(void *context, size_t index, lam_error *error) {
    return walk_range(context, index, true, error);
}

/*
 * Has nothing to do for most arrays, as Parquet refuses no value of their kinds, and they have no
 * nulls in required fields. Range by range for one thread, too, so that the failure is the same.
 */
lam_status lam_batch_writer_check(lam_batch_writer *batches, int64_t row_count, lam_error *error) {
    if (!lam_level_needs_check(batches->own->levels))
        return LAM_STATUS_OK;
    batches->first_row = 0;
    batches->rows = row_count;
    return lam_task_runner_try(lam_writer_runner(batches->writer), check_leaf_range, batches,
                               batches->range_count, batches->checking, error);
}

/* --- Writing ------------------------------------------------------------------------------- */

/* A task. */
static lam_status write_range(void *context, size_t index, lam_error *error) {
    return walk_range(context, index, false, error);
}

static bool is_parallel(const lam_batch_writer *batches) {
    return lam_task_runner_is_parallel(lam_writer_runner(batches->writer));
}

size_t lam_batch_writer_extend(const lam_batch_writer *batches, int64_t first_row, uint64_t left,
                               size_t rows) {
    for (size_t more = STEP_ROWS; is_parallel(batches) && more > rows; more /= 2)
        if (more <= left &&
            lam_writer_has_room(batches->writer, more,
                                lam_array_bytes_most(batches->root, first_row, (int64_t)more)))
            return more;
    return rows;
}

/* One thread visits all leaves with one walk, which makes the levels above them once. */
lam_status lam_batch_writer_write(lam_batch_writer *batches, int64_t first_row, size_t rows,
                                  lam_error *error) {
    const lam_leaf_range all = {0, batches->plan->leaf_count};
    batches->first_row = first_row;
    batches->rows = (int64_t)rows;
    if (!is_parallel(batches))
        return walk_leaves(batches, batches->own, all, false, error);
    return lam_task_runner_try(lam_writer_runner(batches->writer), write_range, batches,
                               batches->range_count, batches->writing, error);
}
