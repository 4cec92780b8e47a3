/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorts the rows of a rewrite, which come in any order, batch by batch.
 *
 *     rows --collect--> memory --sort--> rows in order, if all fit
 *                         |
 *                         +-- full --sort--> run in the spill file   runs --merge--> rows in order
 *
 * If there are more runs than can be merged within the limit, neighbours are merged into longer
 * ones first, from one spill file to another. The invariant: the order of runs is that in which
 * their rows were taken, and merging keeps it, so that the sort is stable.
 */
#include "rewrite/sort/sorter.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread/stop.h"
#include "rewrite/flow/leaf_feed.h"
#include "rewrite/sort/sort_merge.h"

enum {
    SORTER_SHARE = 4,              /* of the limit are rows that are collected: arrays double */
    SORTER_ROW_BYTES = 64,         /* of a row besides its values: its key and sort entries */
    SORTER_BLOCK_MOST = 256 << 10, /* bytes of a block of a run */
    SORTER_BLOCK_LEAST = 16 << 10,
    SORTER_BLOCK_SHARE = 64, /* of the limit is a block, at most */
    SORTER_RUN_BLOCKS = 8,   /* blocks of memory that a run takes in a merge, about */
    SORTER_FAN_LEAST = 4,    /* runs that are merged at once */
    SORTER_FAN_MOST = 256,
    SORTER_BATCH = 4096 /* rows that are given at once, at most */
};

struct lam_sorter {
    lam_rewrite *rewrite;
    uint64_t memory; /* bytes that all this may hold */
    lam_sort_order order;
    lam_column_buffer *columns; /* by leaf of the rows: those that are collected */
    size_t column_count;        /* that are initialised */
    size_t rows;                /* in them */
    size_t most_triples;        /* in any of them */
    lam_sort_keys keys;         /* of the same rows */
    lam_codec_context *codecs;
    lam_run_writer writer;
    lam_spill_file files[2]; /* runs are in the first; merged ones go to the second */
    LAM_LIST(lam_sort_run) runs;
    size_t block_rows; /* the fewest rows that blocks of a run were made of */
};

/* --- Life ---------------------------------------------------------------------------------- */

static void start_order(lam_sorter *sorter, const lam_rewrite_key *keys, size_t key_count) {
    const lam_rewrite *rewrite = sorter->rewrite;
    for (size_t i = 0; i < key_count; i++) {
        const lam_rewrite_key *key = &keys[i];
        size_t leaf = 0;
        while (rewrite->row_leaves.items[leaf] != key->leaf)
            leaf++;
        lam_sort_order_add(&sorter->order, lam_leaf_at(rewrite->row_schema, leaf), leaf,
                           key->descending, key->nulls_first);
    }
}

lam_status lam_sorter_create(lam_rewrite *rewrite, const lam_rewrite_key *keys, size_t key_count,
                             uint64_t memory, lam_sorter **ret_sorter, lam_error *error) {
    lam_status status;
    const lam_allocator *allocator = &rewrite->allocator;
    const lam_schema *schema = rewrite->row_schema;
    lam_sorter *sorter;
    LAM_TRY(LAM_NEW(allocator, &sorter, error));
    sorter->rewrite = rewrite;
    sorter->memory = memory;
    LAM_LIST_INIT(&sorter->runs, allocator);
    start_order(sorter, keys, key_count);
    lam_sort_keys_init(&sorter->keys, &sorter->order, allocator);
    LAM_TRY_OUT(lam_codec_context_create(allocator, &sorter->codecs, error));
    lam_run_writer_init(&sorter->writer, schema, rewrite->spill_folder, sorter->codecs, allocator);
    sorter->writer.file = &sorter->files[0];
    LAM_TRY_OUT(LAM_ARRAY(allocator, schema->leaf_count, &sorter->columns, error));
    for (size_t i = 0; i < schema->leaf_count; i++)
        lam_column_buffer_init(&sorter->columns[i], lam_leaf_at(schema, i), allocator);
    sorter->column_count = schema->leaf_count;
    *ret_sorter = sorter;
    return LAM_STATUS_OK;
out:
    lam_sorter_destroy(sorter);
    return status;
}

/* Gives the memory of collected rows back. */
static void free_columns(lam_sorter *sorter) {
    const lam_allocator *allocator = &sorter->rewrite->allocator;
    for (size_t i = 0; i < sorter->column_count; i++)
        lam_column_buffer_finish(&sorter->columns[i]);
    lam_free(allocator, sorter->columns, sorter->column_count * sizeof *sorter->columns);
    sorter->columns = NULL;
    sorter->column_count = 0;
}

void lam_sorter_destroy(lam_sorter *sorter) {
    if (sorter == NULL)
        return;
    const lam_allocator *allocator = &sorter->rewrite->allocator;
    free_columns(sorter);
    lam_sort_keys_finish(&sorter->keys);
    lam_run_writer_finish(&sorter->writer);
    lam_codec_context_destroy(sorter->codecs);
    lam_spill_file_close(&sorter->files[0]);
    lam_spill_file_close(&sorter->files[1]);
    LAM_LIST_FINISH(&sorter->runs);
    lam_free(allocator, sorter, sizeof *sorter);
}

void lam_sorter_note_nans(const lam_sorter *sorter) {
    const lam_rewrite *rewrite = sorter->rewrite;
    for (size_t i = 0; i < sorter->order.count; i++)
        if (sorter->order.codes[i].has_nans)
            rewrite->leaves[rewrite->keys.items[i].leaf].has_nans = true;
}

/* --- Collecting ---------------------------------------------------------------------------- */

static uint64_t collected_bytes(const lam_sorter *sorter) {
    uint64_t bytes = (uint64_t)sorter->rows * SORTER_ROW_BYTES + sorter->keys.bytes.size;
    for (size_t i = 0; i < sorter->column_count; i++)
        bytes += lam_column_byte_count(&sorter->columns[i]);
    return bytes;
}

static uint64_t block_bytes(const lam_sorter *sorter) {
    uint64_t share = sorter->memory / SORTER_BLOCK_SHARE;
    return share < SORTER_BLOCK_LEAST  ? SORTER_BLOCK_LEAST
           : share > SORTER_BLOCK_MOST ? SORTER_BLOCK_MOST
                                       : share;
}

/* Gives the collected rows in order, `most` at a time. */
static lam_status give_collected(lam_sorter *sorter, size_t most, const lam_row_sink *sink,
                                 lam_error *error) {
    lam_status status;
    const lam_allocator *allocator = &sorter->rewrite->allocator;
    lam_sort_batch batch = {0};
    lam_sort_gather gather = {0};
    lam_row_numbers rows;
    LAM_LIST(lam_sort_pick) picks;
    const lam_sort_batch *batches[1] = {&batch};
    LAM_LIST_INIT(&rows, allocator);
    LAM_LIST_INIT(&picks, allocator);
    LAM_TRY_OUT(lam_sort_keys_sort(&sorter->keys, &rows, error));
    LAM_TRY_OUT(lam_sort_batch_init(&batch, sorter->rewrite->row_schema, allocator, error));
    LAM_TRY_OUT(lam_sort_gather_init(&gather, sorter->rewrite->row_schema, allocator, error));
    LAM_TRY_OUT(LAM_LIST_RESERVE(&picks, most, error));
    for (size_t i = 0; i < sorter->column_count; i++)
        batch.columns.items[i] = lam_column_triples(&sorter->columns[i], sorter->columns[i].count,
                                                    sorter->columns[i].value_count);
    LAM_TRY_OUT(lam_sort_batch_index(&batch, sorter->rows, error));
    for (size_t at = 0; at < sorter->rows;) {
        size_t count = sorter->rows - at < most ? sorter->rows - at : most;
        const lam_triples *columns;
        for (size_t i = 0; i < count; i++)
            picks.items[i] = (lam_sort_pick){0, rows.items[at + i]};
        LAM_TRY_OUT(lam_stop_check(sorter->rewrite->stop, error));
        LAM_TRY_OUT(lam_sort_gather_rows(&gather, batches, picks.items, count, &columns, error));
        LAM_TRY_OUT(lam_row_sink_take(sink, columns, count, error));
        at += count;
    }
out:
    LAM_LIST_FINISH(&rows);
    LAM_LIST_FINISH(&picks);
    lam_sort_gather_finish(&gather);
    lam_sort_batch_finish(&batch);
    return status;
}

/* Writes the collected rows as a run, and starts to collect again. */
static lam_status spill(lam_sorter *sorter, lam_error *error) {
    const lam_row_sink sink = lam_run_writer_sink(&sorter->writer);
    lam_sort_run run = {sorter->files[0].size, 0};
    if (sorter->rows == 0)
        return LAM_STATUS_OK;
    uint64_t row_bytes = collected_bytes(sorter) / sorter->rows + 1;
    uint64_t most = block_bytes(sorter) / row_bytes;
    most = most == 0 ? 1 : most > SORTER_BATCH ? SORTER_BATCH : most;
    if (sorter->block_rows == 0 || most < sorter->block_rows)
        sorter->block_rows = (size_t)most;
    LAM_TRY(give_collected(sorter, (size_t)most, &sink, error));
    run.end = sorter->files[0].size;
    for (size_t i = 0; i < sorter->column_count; i++) {
        memset(&sorter->columns[i].mark, 0, sizeof sorter->columns[i].mark);
        lam_column_rewind(&sorter->columns[i]);
    }
    lam_sort_keys_clear(&sorter->keys);
    sorter->rows = 0;
    sorter->most_triples = 0;
    return LAM_LIST_ADD(&sorter->runs, &run, error);
}

static lam_status sorter_take(void *state, const lam_triples *columns, size_t rows,
                              lam_error *error) {
    enum { TRIPLES_MOST = 1 << 30 };
    lam_sorter *sorter = state;
    for (size_t i = 0; i < sorter->column_count; i++) {
        LAM_TRY(lam_triples_append(&sorter->columns[i], &columns[i], error));
        if (sorter->columns[i].count > sorter->most_triples)
            sorter->most_triples = sorter->columns[i].count;
    }
    LAM_TRY(lam_sort_keys_add(&sorter->keys, columns, rows, error));
    sorter->rows += rows;
    if (collected_bytes(sorter) < sorter->memory / SORTER_SHARE &&
        /* unreachable: in a test, as 2^30 triples take more than 2 GiB */
        sorter->most_triples < TRIPLES_MOST)
        return LAM_STATUS_OK;
    return spill(sorter, error);
}

lam_row_sink lam_sorter_sink(lam_sorter *sorter) {
    lam_row_sink sink = {sorter, sorter_take};
    return sink;
}

/* --- Giving -------------------------------------------------------------------------------- */

static size_t fan_of(const lam_sorter *sorter) {
    uint64_t fan = sorter->memory / (SORTER_RUN_BLOCKS * block_bytes(sorter));
    return fan < SORTER_FAN_LEAST  ? SORTER_FAN_LEAST
           : fan > SORTER_FAN_MOST ? SORTER_FAN_MOST
                                   : (size_t)fan;
}

/* Merges neighbours from the first file into the second, and exchanges both. */
static lam_status merge_neighbours(lam_sorter *sorter, const lam_sort_merge *merge, size_t fan,
                                   lam_error *error) {
    const lam_row_sink sink = lam_run_writer_sink(&sorter->writer);
    lam_sort_run *runs = sorter->runs.items;
    size_t count = sorter->runs.count, merged = 0;
    sorter->writer.file = &sorter->files[1];
    for (size_t at = 0; at < count;) {
        size_t some = count - at < fan ? count - at : fan;
        lam_sort_run run = {sorter->files[1].size, 0};
        LAM_TRY(lam_sort_merge_runs(merge, runs + at, some, &sink, error));
        run.end = sorter->files[1].size;
        runs[merged++] = run;
        at += some;
    }
    sorter->runs.count = merged;
    LAM_TRY(lam_spill_file_empty(&sorter->files[0], error));
    lam_spill_file file = sorter->files[0];
    sorter->files[0] = sorter->files[1];
    sorter->files[1] = file;
    return LAM_STATUS_OK;
}

static lam_status merge_all(lam_sorter *sorter, const lam_row_sink *sink, lam_error *error) {
    const lam_rewrite *rewrite = sorter->rewrite;
    size_t fan = fan_of(sorter);
    lam_sort_merge merge = {rewrite->row_schema, &sorter->order, &sorter->files[0], sorter->codecs,
                            &rewrite->allocator, SORTER_BATCH,   rewrite->stop};
    merge.batch_rows = sorter->block_rows; /* blocks of the second file are like the first's */
    while (sorter->runs.count > fan)
        LAM_TRY(merge_neighbours(sorter, &merge, fan, error));
    merge.batch_rows = SORTER_BATCH;
    return lam_sort_merge_runs(&merge, sorter->runs.items, sorter->runs.count, sink, error);
}

lam_status lam_sorter_give(lam_sorter *sorter, const lam_row_sink *sink, lam_error *error) {
    if (sorter->runs.count == 0)
        return give_collected(sorter, SORTER_BATCH, sink, error);
    LAM_TRY(spill(sorter, error));
    free_columns(sorter);
    lam_status status = merge_all(sorter, sink, error);
    sorter->rewrite->report.spilled_bytes += sorter->writer.bytes;
    return status;
}
