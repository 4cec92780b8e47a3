/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves a cursor over a damaged chunk: takes the survey of the chunk, which lists runs of sound
 * pages, and leaves the cursor at the beginning of a run, as if the run were a chunk.
 *
 *     runs   [0, 300)          [500, 900)
 *     row    0 ... 299  lost   500 ... 899
 *            read       fails  skip_to(500) continues here
 *
 * The invariant: within a run all checks of a chunk hold, its triples and rows being those of the
 * survey. A row that is lost fails with the reason of the survey, also if some of it was read.
 */
#include <assert.h>

#include "base/error.h"
#include "base/search.h"
#include "chunk/read/cursor_state.h"
#include "chunk/read/page_runs.h"

/* Fails with the reason for which a row is lost; CHUNK_ROWS if the survey has none. */
static lam_status fail_lost_row(const lam_column_cursor *cursor, uint64_t row, lam_error *error) {
    size_t count;
    const lam_page_loss *losses = lam_page_survey_losses(cursor->chunk.survey, &count);
    for (size_t i = 0; i < count; i++) {
        if (row < losses[i].first_row || row >= losses[i].end_row)
            continue;
        if (error != NULL)
            *error = losses[i].error;
        return losses[i].error.status;
    }
    LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_ROWS, "the chunk is damaged, and this row is lost");
}

/* Opens a run, whose first row is read next. */
static lam_status enter_run(lam_column_cursor *cursor, const lam_page_run *run, lam_error *error) {
    static const lam_page nothing;
    lam_page_decoder_open(&cursor->page, &nothing, NULL);
    cursor->page.is_open = false;
    lam_buffer_clear(&cursor->page.before);
    LAM_TRY(lam_cursor_load_survey_dictionary(cursor, error));
    cursor->file.walk.next = run->begin;
    cursor->file.walk.window.end = run->end;
    cursor->file.walk.room = 0;
    cursor->file.walk.hidden = 0;
    cursor->run = run;
    cursor->triples = 0;
    cursor->rows = run->first_row;
    cursor->column.num_values = (int64_t)run->triples;
    cursor->chunk.row_count = run->first_row + run->begun;
    cursor->is_between = !run->continues;
    lam_ghost_levels_init(&cursor->ghosts, cursor->chunk.leaf);
    return LAM_STATUS_OK;
}

/* The run in which a row begins and ends; NULL when it is lost. */
static const lam_page_run *find_row_run(const lam_column_cursor *cursor, uint64_t row) {
    size_t count;
    const lam_page_run *runs = lam_page_survey_runs(cursor->chunk.survey, &count);
    size_t at;
    LAM_BISECT(at, 0, count, runs[at].end_row <= row);
    return at < count && runs[at].first_row <= row ? &runs[at] : NULL;
}

lam_status lam_cursor_go_on(lam_column_cursor *cursor, uint64_t max_rows, bool *ret_more,
                            lam_error *error) {
    const lam_page_run *run = cursor->run;
    *ret_more = true;
    if (run != NULL && cursor->triples != run->triples)
        return LAM_STATUS_OK;
    bool is_whole = run == NULL || cursor->rows == run->end_row;
    *ret_more = !(is_whole && (max_rows == 0 || cursor->rows == cursor->chunk.survey->row_count));
    if (!*ret_more)
        return LAM_STATUS_OK;
    run = find_row_run(cursor, cursor->rows);
    if (!is_whole || run == NULL || run->continues || run->first_row != cursor->rows)
        return fail_lost_row(cursor, is_whole ? cursor->rows : cursor->rows - 1, error);
    return enter_run(cursor, run, error);
}

lam_status lam_cursor_enter_row(lam_column_cursor *cursor, uint64_t row, uint64_t *ret_row_count,
                                lam_error *error) {
    const lam_page_run *run = find_row_run(cursor, row);
    *ret_row_count = 0;
    if (run == NULL && row == cursor->chunk.survey->row_count) {
        cursor->run = NULL;
        cursor->rows = row;
        cursor->is_between = true;
        return LAM_STATUS_OK;
    }
    if (run == NULL)
        return fail_lost_row(cursor, row, error);
    if (run != cursor->run)
        LAM_TRY(enter_run(cursor, run, error));
    *ret_row_count = row - cursor->rows;
    return LAM_STATUS_OK;
}

lam_status lam_cursor_check_run(const lam_column_cursor *cursor, lam_error *error) {
    assert(cursor->run != NULL);
    return cursor->rows <= cursor->run->end_row ? LAM_STATUS_OK
                                                : fail_lost_row(cursor, cursor->rows - 1, error);
}
