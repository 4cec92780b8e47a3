/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what is left of a damaged chunk: takes its survey, which lists runs of sound pages, and
 * gives their triples, which a cursor of the chunk reads as if each run were the chunk.
 *
 *     runs   [0, 300)          [500, 900)
 *     row    0 ... 299  lost   500 ... 899
 *            read       fails  skip_to(500) continues here
 *
 * The invariant: within a run all checks of a chunk hold, its triples and rows being those of the
 * survey. A row that is lost fails with the reason of the survey, also if some of it was read.
 */
#include "damage/chunk/run_chunk.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/search.h"
#include "chunk/read/cursor_state.h"

typedef struct run_chunk {
    lam_derived_chunk chunk;
    lam_allocator allocator;
    const lam_page_survey *survey;
    lam_column_cursor *cursor;
    const lam_page_run *run; /* the open one, or NULL */
} run_chunk;

static run_chunk *run_chunk_of(lam_derived_chunk *chunk) {
    return (run_chunk *)(void *)chunk;
}

/* Fails with the reason for which a row is lost; CHUNK_ROWS if the survey has none. */
static lam_status fail_lost_row(const run_chunk *runs, uint64_t row, lam_error *error) {
    size_t count;
    const lam_page_loss *losses = lam_page_survey_losses(runs->survey, &count);
    for (size_t i = 0; i < count; i++) {
        if (row < losses[i].first_row || row >= losses[i].end_row)
            continue;
        if (error != NULL)
            *error = losses[i].error;
        return losses[i].error.status;
    }
    LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_ROWS, "the chunk is damaged, and this row is lost");
}

/* --- Runs ---------------------------------------------------------------------------------- */

/* Lets the cursor read a range of the file as pages of its chunk. */
static void set_range(lam_column_cursor *cursor, uint64_t begin, uint64_t end) {
    cursor->file.walk.next = begin;
    cursor->file.walk.window.end = end;
    cursor->file.walk.room = 0;
    cursor->file.walk.hidden = 0;
}

/* Reads the dictionary, if it is sound. */
static lam_status load_run_dictionary(run_chunk *runs, lam_error *error) {
    const lam_page_survey *survey = runs->survey;
    lam_column_cursor *cursor = runs->cursor;
    lam_source_page page;
    if (cursor->has_dictionary || !survey->has_dictionary)
        return LAM_STATUS_OK;
    set_range(cursor, survey->dictionary, survey->dictionary_end);
    LAM_TRY(lam_page_source_next(cursor->source, false, &page, error));
    lam_status status = lam_cursor_read_dictionary(cursor, &page, error);
    if (status != LAM_STATUS_OK)
        lam_error_at_offset(error, page.offset);
    return status;
}

/* Opens a run, whose first row is read next. */
static lam_status enter_run(run_chunk *runs, const lam_page_run *run, lam_error *error) {
    static const lam_page nothing;
    lam_column_cursor *cursor = runs->cursor;
    lam_page_decoder_open(&cursor->page, &nothing, NULL);
    cursor->page.is_open = false;
    lam_buffer_clear(&cursor->page.before);
    LAM_TRY(load_run_dictionary(runs, error));
    set_range(cursor, run->begin, run->end);
    runs->run = run;
    cursor->triples = 0;
    cursor->rows = run->first_row;
    cursor->column.num_values = (int64_t)run->triples;
    cursor->chunk.row_count = run->first_row + run->begun;
    cursor->begins_inside = run->continues;
    cursor->is_between = !run->continues;
    lam_ghost_levels_init(&cursor->ghosts, cursor->chunk.leaf);
    return LAM_STATUS_OK;
}

/* The run in which a row begins and ends; NULL when it is lost. */
static const lam_page_run *find_row_run(const run_chunk *runs, uint64_t row) {
    size_t count;
    const lam_page_run *items = lam_page_survey_runs(runs->survey, &count);
    size_t at;
    LAM_BISECT(at, 0, count, items[at].end_row <= row);
    return at < count && items[at].first_row <= row ? &items[at] : NULL;
}

/*
 * Opens the run that begins with the next row, unless the open one has more to give. `*ret_more` is
 * false at the end of the last record that was read, and of the chunk.
 */
static lam_status enter_next_run(run_chunk *runs, uint64_t max_rows, bool *ret_more,
                                 lam_error *error) {
    const lam_page_run *run = runs->run;
    uint64_t row = runs->cursor->rows;
    *ret_more = true;
    if (run != NULL && runs->cursor->triples != run->triples)
        return LAM_STATUS_OK;
    bool is_whole = run == NULL || row == run->end_row;
    *ret_more = !(is_whole && (max_rows == 0 || row == runs->survey->row_count));
    if (!*ret_more)
        return LAM_STATUS_OK;
    run = find_row_run(runs, row);
    if (!is_whole || run == NULL || run->continues || run->first_row != row)
        return fail_lost_row(runs, is_whole ? row : row - 1, error);
    return enter_run(runs, run, error);
}

/* --- The verbs ----------------------------------------------------------------------------- */

static lam_status run_chunk_skip_to(lam_derived_chunk *chunk, uint64_t row, lam_error *error) {
    run_chunk *runs = run_chunk_of(chunk);
    const lam_page_run *run = find_row_run(runs, row);
    if (run == NULL && row == runs->survey->row_count) {
        runs->run = NULL;
        runs->cursor->rows = row;
        return LAM_STATUS_OK;
    }
    if (run == NULL)
        return fail_lost_row(runs, row, error);
    if (run != runs->run)
        LAM_TRY(enter_run(runs, run, error));
    return lam_column_cursor_skip_to(runs->cursor, row, error);
}

/* Fails when the open run was read beyond its last whole record. */
static lam_status run_chunk_read(lam_derived_chunk *chunk, size_t max_triples, uint64_t *rows,
                                 lam_triples *ret_triples, lam_error *error) {
    run_chunk *runs = run_chunk_of(chunk);
    uint64_t left = *rows;
    bool more;
    lam_triples triples = {0};
    LAM_TRY(enter_next_run(runs, left, &more, error));
    if (more) {
        LAM_TRY(lam_column_cursor_read_rows(runs->cursor, max_triples, &left, &triples, error));
        if (runs->cursor->rows > runs->run->end_row)
            return fail_lost_row(runs, runs->cursor->rows - 1, error);
    }
    *rows = left;
    *ret_triples = triples;
    return LAM_STATUS_OK;
}

static void run_chunk_destroy(lam_derived_chunk *chunk) {
    run_chunk *runs = run_chunk_of(chunk);
    lam_allocator allocator = runs->allocator;
    lam_column_cursor_destroy(runs->cursor);
    lam_free(&allocator, runs, sizeof *runs);
}

lam_status lam_run_chunk_create(const lam_column_chunk *chunk, const lam_page_survey *survey,
                                const lam_allocator *allocator, lam_derived_chunk **ret_chunk,
                                lam_error *error) {
    void *memory;
    LAM_TRY(lam_alloc_array(allocator, 1, sizeof(run_chunk), &memory, error));
    run_chunk *made = memory;
    made->chunk = (lam_derived_chunk){run_chunk_skip_to, run_chunk_read, run_chunk_destroy};
    made->allocator = *allocator;
    made->survey = survey;
    lam_status status = lam_column_cursor_create(chunk, allocator, &made->cursor, error);
    if (status == LAM_STATUS_OK)
        *ret_chunk = &made->chunk;
    else
        lam_free(allocator, made, sizeof *made);
    return status;
}
