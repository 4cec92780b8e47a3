/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers the rows of a chunk that may be damaged: takes its pages and holes, in the order of the
 * file, and gives the first row of each page, and the one after its last, if they are stated
 * anywhere.
 *
 *     with an index  each by the row that the index states, if a sound page has as many; records
 *                    that continue in another page count with one of the two, as in most pages
 *     without        > > > ? ? ? ? ? ?        from the first row on
 *       no hole      > > > ? > ? ? < <        and back from the last, if the values of all headers
 *                                             add up; all, if their rows do, too
 *
 * The invariant: a numbered row is the row that was written there, if the statements that number it
 * are right. (PageIndex.md, "OffsetIndex")
 */
#include "damage/chunk/survey_rows.h"

#include <inttypes.h>
#include <lamella/format.h>

#include "base/error.h"

static void set_rows(lam_surveyed_page *page, uint64_t first, uint64_t end) {
    page->has_rows = true;
    page->first_row = first;
    page->end_row = end;
}

/* A sound page whose rows contradict the index is not what its header states. */
static void refuse(lam_surveyed_page *page, int64_t stated) {
    page->found.is_sound = false;
    (void)lam_error_set(&page->found.error, LAM_ERROR_CODE_OFFSET_INDEX_ROWS,
                        "the offset index gives %" PRId64 " rows to a page that has %" PRId64,
                        stated, page->found.rows);
    lam_error_at_offset(&page->found.error, page->found.offset);
}

/* The row with which the next location begins. */
static uint64_t end_of_location(const lam_survey_work *work,
                                const lam_meta_page_location *location) {
    const lam_survey_hints *all = &work->finder.hints;
    size_t next = (size_t)(location - all->locations) + 1;
    return next < all->count ? (uint64_t)all->locations[next].first_row_index
                             : work->survey->row_count;
}

/*
 * Where a page begins by the index, and how it begins; a page without a location has no `location`.
 */
typedef struct indexed_page {
    const lam_meta_page_location *location;
    uint64_t first, end;
    bool goes_on;    /* it is sound, and begins inside a record */
    bool ends_whole; /* the same for the next page: it is sound, and does not */
    bool ends_cut;   /* or it does */
} indexed_page;

/* What the index states about a page; pages follow each other if the next one has its location. */
static indexed_page page_of_index(const lam_survey_work *work, const lam_surveyed_page *page,
                                  bool is_last) {
    indexed_page indexed = {.location =
                                lam_page_finder_location(&work->finder, page->found.offset)};
    if (indexed.location == NULL)
        return indexed;
    indexed.first = (uint64_t)indexed.location->first_row_index;
    indexed.end = end_of_location(work, indexed.location);
    indexed.goes_on = page->found.is_sound && page->found.continues;
    if (!is_last && page[1].found.offset == page->found.end && page[1].found.is_sound) {
        indexed.ends_cut = page[1].found.continues;
        indexed.ends_whole = !page[1].found.continues;
    }
    return indexed;
}

/*
 * How an index counts a record that extends over the border of two pages: with the first, in which
 * it begins, or with the second. One that keeps the promise of the format counts both ways.
 */
typedef enum index_manner { COUNTS_BEGUN, COUNTS_BACK } index_manner;

/* Whether a sound page has the rows that the index gives it, in one manner. */
static bool has_rows_of_index(const indexed_page *indexed, const lam_found_page *found,
                              index_manner manner) {
    uint64_t rows = (uint64_t)found->rows, stated = indexed->end - indexed->first;
    if (indexed->goes_on && indexed->first == 0) /* with which record? */
        return false;
    if (manner == COUNTS_BEGUN)
        return rows == stated;
    rows += indexed->goes_on;
    return (rows == stated && !indexed->ends_cut) || (rows == stated + 1 && !indexed->ends_whole);
}

/* The sound pages' verdict on the index. */
typedef struct index_verdict {
    bool keeps_promise; /* no page that agrees with it begins inside a record */
    index_manner manner;
} index_verdict;

/* Counts the sound pages that agree with the index in one manner; those that continue, too. */
static size_t count_agreeing(const lam_survey_work *work, index_manner manner,
                             size_t *ret_going_on) {
    size_t count, agreeing = 0;
    const lam_surveyed_page *pages = lam_surveyed_pages(work, &count);
    *ret_going_on = 0;
    for (size_t i = 0; i < count; i++) {
        indexed_page indexed = page_of_index(work, &pages[i], i + 1 == count);
        if (indexed.location == NULL || !pages[i].found.is_sound ||
            !has_rows_of_index(&indexed, &pages[i].found, manner))
            continue;
        agreeing++;
        *ret_going_on += indexed.goes_on;
    }
    return agreeing;
}

/* The manner that more sound pages agree with. */
static index_verdict verdict_of_index(const lam_survey_work *work) {
    size_t going_on, going_back;
    size_t begun = count_agreeing(work, COUNTS_BEGUN, &going_on);
    size_t back = count_agreeing(work, COUNTS_BACK, &going_back);
    return back > begun ? (index_verdict){going_back == 0, COUNTS_BACK}
                        : (index_verdict){going_on == 0, COUNTS_BEGUN};
}

/*
 * Numbers pages where the offset index has them. Some writers let pages begin inside records in
 * spite of it: then it does not show how damaged pages begin.
 */
static void number_by_index(lam_survey_work *work) {
    size_t count;
    lam_surveyed_page *pages = lam_surveyed_pages(work, &count);
    const index_verdict verdict = verdict_of_index(work);
    for (size_t i = 0; i < count; i++) {
        lam_surveyed_page *page = &pages[i];
        indexed_page indexed = page_of_index(work, page, i + 1 == count);
        if (indexed.location == NULL)
            continue;
        bool counts_back = verdict.manner == COUNTS_BACK;
        if (page->found.is_sound && !has_rows_of_index(&indexed, &page->found, verdict.manner))
            refuse(page, (int64_t)(indexed.end - indexed.first));
        page->begins_whole = verdict.keeps_promise;
        if (!counts_back)
            set_rows(page, indexed.first, indexed.end);
        else if (page->found.is_sound)
            set_rows(page, indexed.first + indexed.goes_on,
                     indexed.first + indexed.goes_on + (uint64_t)page->found.rows);
    }
}

/* The rows of a page that its header states, damaged as the body may be; -1 for none. */
static int64_t claimed_rows(const lam_survey_work *work, const lam_found_page *page) {
    if (page->is_sound)
        return page->rows;
    if (page->is_hole)
        return -1;
    return work->chunk->leaf->max_repetition == 0 ? page->triples : page->rows;
}

/* What the headers of all pages state together; -1 if one is missing, or states none. */
typedef struct header_sums {
    int64_t rows;
    int64_t triples;
} header_sums;

static header_sums sum_headers(const lam_survey_work *work, const lam_surveyed_page *pages,
                               size_t count) {
    header_sums sums = {0, 0};
    for (size_t i = 0; i < count; i++) {
        int64_t rows = claimed_rows(work, &pages[i].found), triples = pages[i].found.triples;
        sums.rows = sums.rows < 0 || rows < 0 ? -1 : sums.rows + rows;
        sums.triples = sums.triples < 0 || triples < 0 ? -1 : sums.triples + triples;
    }
    return sums;
}

static bool all_end_as_stated(const lam_surveyed_page *pages, size_t count) {
    size_t i = 0;
    while (i < count && lam_page_ends_as_stated(&pages[i].found))
        i++;
    return i == count;
}

/* True when the header of a damaged dictionary may have led to a place without a page. */
static bool dictionary_may_end_elsewhere(const lam_survey_work *work) {
    return work->has_dictionary && !lam_page_ends_as_stated(&work->dictionary);
}

/* The data pages that the footer counts; SIZE_MAX if it counts none. */
static size_t stated_pages(const lam_survey_work *work) {
    const lam_meta_page_encoding_stats_list *stats = &work->chunk->column->encoding_stats;
    size_t pages = 0;
    for (uint32_t i = 0; i < stats->count; i++)
        if (stats->items[i].page_type != LAM_PAGE_DICTIONARY && stats->items[i].count > 0)
            pages += (size_t)stats->items[i].count;
    return pages > 0 ? pages : SIZE_MAX;
}

/* Numbers all pages one after the other, by what their headers state. */
void lam_survey_number_all(const lam_survey_work *work, lam_surveyed_page *pages, size_t count) {
    uint64_t row = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t end = row + (uint64_t)claimed_rows(work, &pages[i].found);
        set_rows(&pages[i], row, end);
        row = end;
    }
}

/*
 * Numbers the sound pages before the first damaged one, and those after the last one, counted from
 * the end: each page is known to be one. No page is numbered if they have too many rows, or no
 * damage explains the rows that are missing: then the count of some page is wrong, but it is
 * unknown which.
 */
static void number_ends(const lam_survey_work *work, lam_surveyed_page *pages, size_t count) {
    uint64_t before = 0, behind = 0, total = work->survey->row_count;
    size_t first = 0, last = count;
    while (first < count && pages[first].found.is_sound)
        before += (uint64_t)pages[first++].found.rows;
    while (last > first && pages[last - 1].found.is_sound)
        behind += (uint64_t)pages[--last].found.rows;
    if (first == count || before > total || behind > total - before)
        return;
    uint64_t row = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == last)
            row = total - behind;
        if (i >= first && i < last)
            continue;
        set_rows(&pages[i], row, row + (uint64_t)pages[i].found.rows);
        row = pages[i].end_row;
    }
    if (last - first == 1)
        set_rows(&pages[first], before, total - behind);
}

/*
 * Numbers the sound pages up to the first one that is damaged, or was guessed without a checksum or
 * sum that proves the guess: the bytes after it need not be pages. The same holds after one that
 * has more bytes than values.
 */
static void number_first(const lam_survey_work *work, lam_surveyed_page *pages, size_t count) {
    uint64_t row = 0, total = work->survey->row_count;
    bool goes_on = true;
    for (size_t i = 0;
         goes_on && i < count && pages[i].found.is_sound && !pages[i].found.is_guessed; i++) {
        uint64_t rows = (uint64_t)pages[i].found.rows;
        if (rows > total - row)
            return;
        set_rows(&pages[i], row, row + rows);
        row += rows;
        goes_on = lam_page_ends_as_stated(&pages[i].found);
    }
}

void lam_survey_number_pages(lam_survey_work *work) {
    size_t count;
    lam_surveyed_page *pages = lam_surveyed_pages(work, &count);
    const header_sums sums = sum_headers(work, pages, count);
    bool rows_add_up = sums.rows >= 0 && (uint64_t)sums.rows == work->survey->row_count;
    bool triples_add_up = sums.triples >= 0 && sums.triples == work->chunk->column->num_values;
    bool is_flat = work->chunk->leaf->max_repetition == 0; /* each triple is a row */
    bool ends_right = all_end_as_stated(pages, count);
    const lam_survey_hints *hints = &work->finder.hints;
    if (hints->is_divided && dictionary_may_end_elsewhere(work))
        return;
    if (hints->count > 0)
        number_by_index(work);
    else if (hints->is_cut || work->is_ambiguous || count > stated_pages(work) ||
             (hints->is_divided && !ends_right))
        number_first(work, pages, count);
    else if (rows_add_up && triples_add_up)
        lam_survey_number_all(work, pages, count);
    else if (triples_add_up || (is_flat && rows_add_up) || ends_right)
        number_ends(work, pages, count);
    else
        number_first(work, pages, count);
}
