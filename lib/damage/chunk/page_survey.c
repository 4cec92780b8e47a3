/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Surveys a column chunk: takes a chunk that may be damaged, and its offset index, and gives runs
 * of sound pages with their rows, and the rows between them, which are lost.
 *
 *     pages   S S S D S S H S S     sound, damaged, hole
 *     runs    ----- . --- . ---     of those whose rows are known (survey_rows.c)
 *
 * The invariant: a row of a run is the row that was written there. Pages after damage are believed
 * only if all headers of the chunk account for its values, and no other header leads to its end
 * (page_rival.c): one whose size is wrong may lead to pages in a value. Sound pages whose rows are
 * stated nowhere are lost; so is a record of a repeated leaf that may continue in a missing page.
 * (PageIndex.md, "OffsetIndex"; README.md of the format, "Error recovery")
 */
#include "damage/chunk/page_survey.h"

#include <lamella/format.h>
#include <string.h>

#include "base/error.h"
#include "chunk/read/chunk_sound.h"
#include "damage/chunk/page_rival.h"
#include "damage/chunk/schema_doubt.h"
#include "damage/chunk/survey_rows.h"
#include "schema/leaf_error.h"

enum { SURVEY_REPAIRS = 64 }; /* headers of a chunk whose counts are repaired one after the other */

static bool may_be_damage(lam_status status) {
    return status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED ||
           status == LAM_STATUS_LIMIT;
}

/* --- Finding ------------------------------------------------------------------------------- */

/* Finds all pages of the chunk, in the order of the file. */
static lam_status find_pages(lam_survey_work *work, lam_error *error) {
    work->pages.count = 0;
    work->survey->unknown_bytes = 0;
    work->has_dictionary = false;
    work->survey->has_dictionary = false;
    for (uint64_t at = work->finder.begin; at < work->finder.end;) {
        lam_surveyed_page page = {.has_rows = false};
        LAM_TRY(lam_page_find(&work->finder, at, &page.found, error));
        at = page.found.end;
        if (page.found.is_hole)
            work->survey->unknown_bytes += page.found.end - page.found.offset;
        if (page.found.type != LAM_PAGE_DICTIONARY) {
            LAM_TRY(LAM_LIST_ADD(&work->pages, &page, error));
            continue;
        }
        work->has_dictionary = true;
        work->dictionary = page.found;
        work->survey->has_dictionary = page.found.is_sound;
        work->survey->dictionary = page.found.offset;
        work->survey->dictionary_end = page.found.end;
    }
    return LAM_STATUS_OK;
}

/* --- Doubts -------------------------------------------------------------------------------- */

/*
 * Finds out whether a page without a proven end may have passed over others. The offset index
 * proves where pages begin.
 */
static lam_status find_rivals(lam_survey_work *work, lam_error *error) {
    size_t count, first = 0;
    const lam_surveyed_page *pages = lam_surveyed_pages(work, &count);
    work->is_ambiguous = false;
    while (first < count && lam_page_ends_as_stated(&pages[first].found))
        first++;
    return first == count || work->finder.hints.count > 0
               ? LAM_STATUS_OK
               : lam_page_find_rival(&work->finder, &pages[first], count - first, sizeof *pages,
                                     &work->is_ambiguous, error);
}

/* A page that has other values than its header counts is damaged, unless all pages are so. */
static void refuse_odd_pages(lam_survey_work *work) {
    size_t count, sound = 0, odd = 0;
    lam_surveyed_page *pages = lam_surveyed_pages(work, &count);
    for (size_t i = 0; i < count; i++) {
        sound += pages[i].found.is_sound;
        odd += pages[i].found.is_sound && pages[i].found.is_odd;
    }
    for (size_t i = 0; i < count && odd < sound; i++) {
        if (!pages[i].found.is_sound || !pages[i].found.is_odd)
            continue;
        pages[i].found.is_sound = false;
        (void)lam_error_set(&pages[i].found.error, LAM_ERROR_CODE_PAGE_VALUES,
                            "a page has other values than its header counts");
        lam_error_at_offset(&pages[i].found.error, pages[i].found.offset);
    }
}

/*
 * Repairs the header of a page whose checksum is right and whose count is wrong: its rows are known
 * by its position.
 */
static lam_status repair_known(lam_survey_work *work, bool *ret_repaired, lam_error *error) {
    size_t count;
    const lam_surveyed_page *pages = lam_surveyed_pages(work, &count);
    for (size_t i = 0; i < count; i++) {
        const lam_found_page *found = &pages[i].found;
        size_t bit;
        if (found->is_sound || found->is_hole || !found->crc_is_right || !pages[i].has_rows ||
            found->error.code == LAM_ERROR_CODE_DICTIONARY_MISSING)
            continue;
        LAM_TRY(lam_page_find_bit(&work->finder, found, pages[i].end_row - pages[i].first_row, -1,
                                  &bit, error));
        if (bit == SIZE_MAX)
            continue;
        *ret_repaired = true;
        return lam_page_find_repair(&work->finder, found, bit, error);
    }
    return LAM_STATUS_OK;
}

/* True when all pages are sound and have not the rows or the values of the chunk together. */
static bool sums_are_wrong(const lam_survey_work *work, uint64_t *ret_rows, int64_t *ret_missing) {
    size_t count;
    const lam_surveyed_page *pages = lam_surveyed_pages(work, &count);
    uint64_t rows = 0;
    int64_t missing = work->chunk->column->num_values;
    for (size_t i = 0; i < count; i++) {
        if (!pages[i].found.is_sound)
            return false;
        rows += (uint64_t)pages[i].found.rows;
        missing -= pages[i].found.triples;
    }
    *ret_rows = rows;
    *ret_missing = missing;
    return rows != work->survey->row_count || missing != 0;
}

/*
 * The first pages that have all rows and values of the chunk, if other headers were guessed: 0 if
 * there are none. Bytes that readers take for no page stay none.
 */
static size_t pages_without_guesses(const lam_survey_work *work) {
    size_t count, known = 0, end;
    const lam_surveyed_page *pages = lam_surveyed_pages(work, &count);
    uint64_t rows = 0;
    int64_t triples = 0;
    for (; known < count && !pages[known].found.is_guessed && !pages[known].found.is_odd; known++) {
        rows += (uint64_t)pages[known].found.rows;
        triples += pages[known].found.triples;
    }
    for (end = known; end < count && pages[end].found.is_guessed;)
        end++;
    bool has_all = rows == work->survey->row_count && triples == work->chunk->column->num_values;
    return end == count && has_all ? known : 0;
}

/*
 * If all pages are sound and their sums are wrong, one header counts wrongly. It is repaired if it
 * is the only one that one bit corrects; else only pages that need no guess are known to be
 * complete.
 */
static lam_status repair_sum(lam_survey_work *work, bool *ret_repaired, lam_error *error) {
    size_t count, found = SIZE_MAX, found_bit = SIZE_MAX, right = 0;
    lam_surveyed_page *pages = lam_surveyed_pages(work, &count);
    uint64_t rows, total = work->survey->row_count;
    int64_t missing;
    if (!sums_are_wrong(work, &rows, &missing))
        return LAM_STATUS_OK;
    for (size_t i = 0; i < count && right < 2; i++) {
        int64_t triples = missing + pages[i].found.triples;
        uint64_t others = rows - (uint64_t)pages[i].found.rows;
        size_t bit = SIZE_MAX;
        if (others <= total && triples >= 0)
            LAM_TRY(lam_page_find_bit(&work->finder, &pages[i].found, total - others, triples, &bit,
                                      error));
        if (bit == SIZE_MAX)
            continue;
        right++;
        found = i;
        found_bit = bit;
    }
    *ret_repaired = right == 1;
    if (right == 1)
        return lam_page_find_repair(&work->finder, &pages[found].found, found_bit, error);
    for (size_t i = 0; i < count; i++)
        pages[i].has_rows = false;
    if (right == 0)
        lam_survey_number_all(work, pages, pages_without_guesses(work));
    return LAM_STATUS_OK;
}

static lam_status repair_counts(lam_survey_work *work, bool *ret_repaired, lam_error *error) {
    *ret_repaired = false;
    LAM_TRY(repair_known(work, ret_repaired, error));
    if (*ret_repaired || work->finder.hints.is_cut)
        return LAM_STATUS_OK;
    return repair_sum(work, ret_repaired, error);
}

/* --- Runs ---------------------------------------------------------------------------------- */

/* Adds a page to the last run, or begins another one. */
static lam_status add_survey_page(lam_survey_work *work, const lam_surveyed_page *page,
                                  bool goes_on, lam_error *error) {
    lam_page_run run = {.begin = page->found.offset,
                        .first_row = page->first_row,
                        .continues = page->found.continues};
    work->survey->sound_pages++;
    if (!goes_on)
        LAM_TRY(LAM_LIST_ADD(&work->survey->runs, &run, error));
    lam_page_run *last = &LAM_LIST_LAST(&work->survey->runs);
    last->end = page->found.end;
    last->triples += (uint64_t)page->found.triples;
    last->begun += (uint64_t)page->found.rows;
    last->end_row = page->end_row;
    return LAM_STATUS_OK;
}

/*
 * Ends the last run before page `next`. The last record of a repeated leaf may continue after it,
 * unless that is the end, or known to begin with another record. Runs without a complete record are
 * dropped.
 */
static void end_survey_run(lam_survey_work *work, const lam_surveyed_page *pages, size_t next,
                           size_t count) {
    lam_page_run *run = &LAM_LIST_LAST(&work->survey->runs);
    bool is_cut = next == count && work->finder.hints.is_cut &&
                  pages[next - 1].found.type != LAM_PAGE_DATA_V2; /* whose rows are complete */
    bool may_go_on =
        work->chunk->leaf->max_repetition > 0 &&
        (is_cut || (next < count && !(pages[next].has_rows && pages[next].begins_whole) &&
                    !(pages[next].found.is_sound && !pages[next].found.continues)));
    if (may_go_on && run->begun > 0)
        run->end_row--;
    if (run->end_row <= run->first_row)
        work->survey->runs.count--;
}

/* Makes runs of pages that are sound and have rows; each begins where the one before it ends. */
static lam_status make_runs(lam_survey_work *work, lam_error *error) {
    size_t count;
    bool is_open = false;
    const lam_surveyed_page *pages = lam_surveyed_pages(work, &count);
    work->survey->runs.count = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_usable = pages[i].found.is_sound && pages[i].has_rows;
        bool goes_on = is_open && pages[i - 1].end_row == pages[i].first_row;
        work->survey->unplaced_pages += pages[i].found.is_sound && !pages[i].has_rows;
        if (is_open && !(is_usable && goes_on))
            end_survey_run(work, pages, i, count);
        if (is_usable)
            LAM_TRY(add_survey_page(work, &pages[i], goes_on, error));
        is_open = is_usable;
    }
    if (is_open)
        end_survey_run(work, pages, count, count);
    return LAM_STATUS_OK;
}

/* --- Losses -------------------------------------------------------------------------------- */

/*
 * Finds the cause for the loss of a range's rows: the first page of it that is not sound, or has no
 * rows.
 */
static void explain_loss(lam_survey_work *work, lam_page_loss *loss, uint64_t begin, uint64_t end) {
    size_t count, i = work->explained;
    const lam_surveyed_page *pages = lam_surveyed_pages(work, &count);
    loss->pages = 0;
    loss->offset = begin;
    (void)lam_error_set(&loss->error, LAM_ERROR_CODE_CHUNK_VALUES,
                        work->finder.hints.is_cut
                            ? "the file ends before the pages of these rows"
                            : "the pages do not have the values that the chunk states");
    while (i < count && pages[i].found.offset < begin)
        i++;
    for (; i < count && pages[i].found.offset < end; i++) {
        const lam_found_page *found = &pages[i].found;
        if (found->is_sound || loss->pages++ > 0)
            continue;
        loss->offset = found->offset;
        loss->error = found->error;
    }
    work->explained = i;
    if (loss->error.code == LAM_ERROR_CODE_DICTIONARY_MISSING && work->has_dictionary) {
        loss->error = work->dictionary.error;
        loss->offset = work->dictionary.offset;
    }
    lam_error_at_offset(&loss->error, loss->offset);
    lam_error_at_leaf(&loss->error, work->chunk->row_group, work->chunk->leaf);
}

static lam_status add_loss(lam_survey_work *work, uint64_t first, uint64_t end_row, uint64_t begin,
                           uint64_t end, lam_error *error) {
    lam_page_loss loss = {.first_row = first, .end_row = end_row, .error = lam_error_none()};
    if (first >= end_row)
        return LAM_STATUS_OK;
    explain_loss(work, &loss, begin, end);
    work->survey->lost_rows += end_row - first;
    return LAM_LIST_ADD(&work->survey->losses, &loss, error);
}

/* Everything between two runs is lost. */
static lam_status list_losses(lam_survey_work *work, lam_error *error) {
    size_t count;
    const lam_page_run *runs = lam_page_survey_runs(work->survey, &count);
    uint64_t row = 0, at = work->finder.begin;
    for (size_t i = 0; i < count; i++) {
        LAM_TRY(add_loss(work, row, runs[i].first_row, at, runs[i].begin, error));
        row = runs[i].end_row;
        at = runs[i].end;
    }
    return add_loss(work, row, work->survey->row_count, at, work->finder.end, error);
}

/* --------------------------------------------------------------------------------------------- */

static lam_status run_survey(lam_survey_work *work, lam_error *error) {
    bool repaired = true;
    LAM_TRY(lam_page_finder_begin(&work->finder, error));
    for (int i = 0; i < SURVEY_REPAIRS && repaired; i++) {
        LAM_TRY(find_pages(work, error));
        refuse_odd_pages(work);
        LAM_TRY(find_rivals(work, error));
        lam_survey_number_pages(work);
        LAM_TRY(repair_counts(work, &repaired, error));
    }
    if (work->finder.repair.lacks_memory)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for the header of a page");
    LAM_TRY(make_runs(work, error));
    LAM_TRY(list_losses(work, error));
    work->survey->repaired = work->finder.repaired;
    return LAM_STATUS_OK;
}

/* Surveys a chunk that `cursor` can be opened for. */
static lam_status survey_pages(const lam_column_chunk *chunk, lam_column_cursor *cursor,
                               lam_survey_hints hints, lam_patched_input *patched,
                               lam_page_survey *survey, lam_error *error) {
    lam_chunk_range range = {0, 0, 0};
    lam_survey_work work = {.chunk = chunk, .survey = survey};
    /* unreachable: the cursor of the same chunk was made with the same range */
    LAM_TRY(lam_chunk_find(chunk->column, chunk->limit, &range, error));
    lam_page_finder_init(&work.finder, chunk, cursor, patched, hints, range, &survey->allocator);
    LAM_LIST_INIT(&work.pages, &survey->allocator);
    patched->passes_gaps = hints.passes_unreadable;
    lam_status status = run_survey(&work, error);
    patched->passes_gaps = false;
    LAM_LIST_FINISH(&work.pages);
    lam_page_finder_finish(&work.finder);
    return status;
}

lam_status lam_page_survey_create(const lam_column_chunk *given, lam_survey_hints hints,
                                  lam_patched_input *patched, const lam_allocator *allocator,
                                  lam_page_survey **ret_survey, lam_error *error) {
    lam_status status;
    lam_column_chunk chunk = *given;
    lam_page_survey *survey = NULL;
    lam_column_cursor *cursor = NULL;
    lam_error failure = lam_error_none();
    lam_chunk_state state;
    bool contradicts = false;
    chunk.verify_crc = true;
    *ret_survey = NULL;
    LAM_TRY_OUT(lam_chunk_find_state(&chunk, hints.passes_unreadable, allocator, &state, &failure));
    if (state != LAM_CHUNK_SOUND)
        LAM_TRY_OUT(lam_schema_doubt(&chunk, hints, patched, allocator, &contradicts, &failure));
    if (contradicts)
        return lam_page_survey_create_contradicting(chunk.leaf, chunk.row_group, chunk.row_count,
                                                    allocator, ret_survey, error);
    if (state != LAM_CHUNK_DAMAGED && (!hints.is_cut || chunk.leaf->max_repetition == 0))
        return LAM_STATUS_OK;
    chunk.verify_crc = false; /* the finder compares checksums itself */
    status = lam_column_cursor_create(&chunk, allocator, &cursor, &failure);
    if (may_be_damage(status))
        return lam_page_survey_create_lost(chunk.row_count, &failure, allocator, ret_survey, error);
    LAM_TRY_OUT(status);
    LAM_TRY_OUT(lam_page_survey_begin(chunk.row_count, allocator, &survey, &failure));
    LAM_TRY_OUT(survey_pages(&chunk, cursor, hints, patched, survey, &failure));
    *ret_survey = survey;
out:
    lam_column_cursor_destroy(cursor);
    if (status == LAM_STATUS_OK)
        return status;
    lam_page_survey_destroy(survey);
    if (error != NULL)
        *error = failure;
    return status;
}
