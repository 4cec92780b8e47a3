/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes sorted runs of rows to a spill file, one by one, and merges them into all rows in order.
 *
 *     spill file   | run 0: block block block | run 1: block block | ...
 *     block        u64 size  u64 stored size  Snappy( batch of rows )
 *
 * One block of each run is in memory. A heap has the runs by the keys of their next rows, and by
 * their numbers if keys are equal, which keeps the sort stable. The invariant: rows that are picked
 * are in blocks in memory; so all picked rows are given to the sink before the next block takes the
 * memory of one that is used up.
 */
#include "rewrite/sort/sort_merge.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread/stop.h"
#include "rewrite/sort/sort_block.h"

/* --- Writing ------------------------------------------------------------------------------- */

void lam_run_writer_init(lam_run_writer *writer, const lam_schema *schema, const char *folder,
                         lam_codec_context *codecs, const lam_allocator *allocator) {
    memset(writer, 0, sizeof *writer);
    writer->schema = schema;
    writer->folder = folder;
    writer->codecs = codecs;
    lam_buffer_init(&writer->block, allocator);
    lam_buffer_init(&writer->stored, allocator);
}

void lam_run_writer_finish(lam_run_writer *writer) {
    if (writer->schema == NULL)
        return;
    lam_buffer_finish(&writer->block);
    lam_buffer_finish(&writer->stored);
}

static lam_status run_writer_take(void *state, const lam_triples *columns, size_t rows,
                                  lam_error *error) {
    lam_run_writer *writer = state;
    uint64_t sizes[2];
    if (!writer->file->is_open)
        LAM_TRY(lam_spill_file_open(writer->file, writer->folder, error));
    lam_buffer_clear(&writer->block);
    lam_buffer_clear(&writer->stored);
    LAM_TRY(lam_sort_block_write(writer->schema, columns, rows, &writer->block, error));
    LAM_TRY(lam_codec_compress(writer->codecs, LAM_CODEC_SNAPPY, 0,
                               lam_buffer_bytes(&writer->block), &writer->stored, error));
    sizes[0] = writer->block.size;
    sizes[1] = writer->stored.size;
    writer->bytes += sizeof sizes + writer->stored.size;
    LAM_TRY(lam_spill_file_append(writer->file, sizes, sizeof sizes, error));
    return lam_spill_file_append(writer->file, writer->stored.data, writer->stored.size, error);
}

lam_row_sink lam_run_writer_sink(lam_run_writer *writer) {
    lam_row_sink sink = {writer, run_writer_take};
    return sink;
}

/* --- Merging ------------------------------------------------------------------------------- */

/* One run, and its block in memory. */
typedef struct merge_run {
    uint64_t at; /* the next block */
    uint64_t end;
    size_t row; /* the next of the block */
    lam_sort_batch batch;
    lam_sort_keys keys;
    lam_buffer stored;
    lam_buffer block;
    lam_buffer *views; /* by leaf */
} merge_run;

typedef struct merge_state {
    const lam_sort_merge *merge;
    const lam_row_sink *sink;
    merge_run *runs;
    size_t run_count;
    const lam_sort_batch **batches;
    uint32_t *heap; /* runs that have rows, the next one first */
    size_t heap_count;
    lam_sort_gather gather;
    LAM_LIST(lam_sort_pick) picks;
} merge_state;

static lam_status read_run_block(const merge_state *state, merge_run *run, lam_error *error) {
    const lam_sort_merge *merge = state->merge;
    uint64_t sizes[2];
    LAM_TRY(lam_stop_check(merge->stop, error));
    LAM_TRY(lam_spill_file_read(merge->file, run->at, sizes, sizeof sizes, error));
    lam_buffer_clear(&run->stored);
    lam_buffer_clear(&run->block);
    LAM_TRY(lam_buffer_reserve(&run->stored, (size_t)sizes[1], error));
    LAM_TRY(lam_buffer_reserve(&run->block, (size_t)sizes[0], error));
    LAM_TRY(lam_spill_file_read(merge->file, run->at + sizeof sizes, run->stored.data,
                                (size_t)sizes[1], error));
    lam_bytes stored = {run->stored.data, (size_t)sizes[1]};
    lam_bytes block = {run->block.data, (size_t)sizes[0]};
    LAM_TRY(lam_codec_decompress(merge->codecs, LAM_CODEC_SNAPPY, stored, run->block.data,
                                 block.size, error));
    LAM_TRY(lam_sort_block_read(block, run->views, &run->batch, error));
    run->at += sizeof sizes + sizes[1];
    run->row = 0;
    lam_sort_keys_clear(&run->keys);
    return lam_sort_keys_add(&run->keys, run->batch.columns.items, run->batch.rows, error);
}

/* Whether a run's next row comes before that of another one. */
static bool comes_before(const merge_state *state, uint32_t a, uint32_t b) {
    const merge_run *x = &state->runs[a], *y = &state->runs[b];
    int order = lam_sort_keys_compare(&x->keys, x->row, &y->keys, y->row);
    return order != 0 ? order < 0 : a < b;
}

/* Moves the run at a position down to where it belongs. */
static void sink_down(merge_state *state, size_t at) {
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= state->heap_count)
            return;
        if (child + 1 < state->heap_count &&
            comes_before(state, state->heap[child + 1], state->heap[child]))
            child++;
        if (!comes_before(state, state->heap[child], state->heap[at]))
            return;
        uint32_t run = state->heap[at];
        state->heap[at] = state->heap[child];
        state->heap[child] = run;
        at = child;
    }
}

static lam_status give_picks(merge_state *state, lam_error *error) {
    const lam_triples *columns;
    size_t count = state->picks.count;
    if (count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_sort_gather_rows(&state->gather, state->batches, state->picks.items, count,
                                 &columns, error));
    state->picks.count = 0;
    return lam_row_sink_take(state->sink, columns, count, error);
}

/* Picks the first row of all, and moves its run on. */
static lam_status pick_next(merge_state *state, lam_error *error) {
    uint32_t first = state->heap[0];
    merge_run *run = &state->runs[first];
    LAM_TRY(LAM_LIST_RESERVE(&state->picks, 1, error));
    state->picks.items[state->picks.count++] = (lam_sort_pick){first, (uint32_t)run->row++};
    if (state->picks.count >= state->merge->batch_rows)
        LAM_TRY(give_picks(state, error));
    if (run->row == run->batch.rows) {
        LAM_TRY(give_picks(state, error));
        if (run->at < run->end)
            LAM_TRY(read_run_block(state, run, error));
        else
            state->heap[0] = state->heap[--state->heap_count];
    }
    sink_down(state, 0);
    return LAM_STATUS_OK;
}

static lam_status start_run(merge_state *state, merge_run *run, lam_error *error) {
    const lam_sort_merge *merge = state->merge;
    lam_buffer_init(&run->stored, merge->allocator);
    lam_buffer_init(&run->block, merge->allocator);
    lam_sort_keys_init(&run->keys, merge->order, merge->allocator);
    LAM_TRY(LAM_ARRAY(merge->allocator, merge->schema->leaf_count, &run->views, error));
    for (size_t i = 0; i < merge->schema->leaf_count; i++)
        lam_buffer_init(&run->views[i], merge->allocator);
    LAM_TRY(lam_sort_batch_init(&run->batch, merge->schema, merge->allocator, error));
    return read_run_block(state, run, error);
}

static void finish_run(const lam_sort_merge *merge, merge_run *run) {
    lam_sort_batch_finish(&run->batch);
    for (size_t i = 0; run->views != NULL && i < merge->schema->leaf_count; i++)
        lam_buffer_finish(&run->views[i]);
    lam_free(merge->allocator, run->views, merge->schema->leaf_count * sizeof(lam_buffer));
    if (run->keys.order == NULL)
        return;
    lam_sort_keys_finish(&run->keys);
    lam_buffer_finish(&run->stored);
    lam_buffer_finish(&run->block);
}

static lam_status start_merge(merge_state *state, const lam_sort_run *runs, lam_error *error) {
    const lam_sort_merge *merge = state->merge;
    LAM_LIST_INIT(&state->picks, merge->allocator);
    LAM_TRY(LAM_ARRAY(merge->allocator, state->run_count, &state->runs, error));
    LAM_TRY(LAM_ARRAY(merge->allocator, state->run_count, &state->batches, error));
    LAM_TRY(LAM_ARRAY(merge->allocator, state->run_count, &state->heap, error));
    LAM_TRY(lam_sort_gather_init(&state->gather, merge->schema, merge->allocator, error));
    for (size_t i = 0; i < state->run_count; i++) {
        state->runs[i].at = runs[i].begin;
        state->runs[i].end = runs[i].end;
        state->batches[i] = &state->runs[i].batch;
        LAM_TRY(start_run(state, &state->runs[i], error));
        state->heap[state->heap_count++] = (uint32_t)i;
    }
    for (size_t i = state->heap_count; i > 0; i--)
        sink_down(state, i - 1);
    return LAM_STATUS_OK;
}

lam_status lam_sort_merge_runs(const lam_sort_merge *merge, const lam_sort_run *runs, size_t count,
                               const lam_row_sink *sink, lam_error *error) {
    merge_state state = {.merge = merge, .sink = sink, .run_count = count};
    lam_status status = start_merge(&state, runs, error);
    while (status == LAM_STATUS_OK && state.heap_count > 0)
        status = pick_next(&state, error);
    for (size_t i = 0; state.runs != NULL && i < count; i++)
        finish_run(merge, &state.runs[i]);
    lam_free(merge->allocator, state.runs, count * sizeof *state.runs);
    lam_free(merge->allocator, state.batches, count * sizeof *state.batches);
    lam_free(merge->allocator, state.heap, count * sizeof *state.heap);
    lam_sort_gather_finish(&state.gather);
    LAM_LIST_FINISH(&state.picks);
    return status;
}
