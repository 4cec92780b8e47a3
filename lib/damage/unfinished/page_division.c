/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the ways in which pages can be chunks of row groups: takes pages and a schema, and gives
 * the first pages of the chunks that all ways have, or the reason why there are none.
 *
 * The invariant: every division that a valid file may have is tried, since a page is ruled out for
 * a leaf only if no reader could read it as one. So a row group that all divisions have is one of
 * the file. A division is complete row groups, then perhaps one that is cut, of which only the
 * pages count that every division has in the same chunk, with the chunks before it complete and the
 * same everywhere. (README.md of the format, "Glossary"; Encodings.md)
 */
#include "damage/unfinished/page_division.h"

#include <inttypes.h>
#include <lamella/format.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread/stop.h"
#include "encoding/encoding.h"

enum { DIVISION_STEPS_MOST = 50000000 }; /* pages tried, in all */

/* A chunk that may end at `page`, and the chunk before it. */
typedef struct chunk_end {
    size_t page;
    size_t before; /* index of that chunk's end in the list */
} chunk_end;

/* The search, and the row group that is being tried: lists of chunk ends, leaf by leaf. */
typedef struct division_search {
    const lam_page_division *of;
    bool *divides;    /* for each page, and after the last */
    lam_buffer ends;  /* chunk_end */
    lam_buffer live;  /* uint8_t for each of them: something of a division follows */
    lam_buffer cut;   /* size_t: where the chunks of a leaf begin in `ends` */
    size_t listed;    /* leaves that are in `cut`: after a leaf without ends, none is */
    uint64_t steps;   /* so far */
    bool wants_path;  /* stop at the first row group that is found */
    size_t end;       /* the page after the row group that was found last */
    size_t path_last; /* index of its last chunk's end */
} division_search;

/* The chunk that is being extended page by page. */
typedef struct chunk_scan {
    size_t leaf_index;
    size_t first;
    size_t next;
    uint64_t rows;
    bool has_dictionary;
    bool has_data;
} chunk_scan;

/* --- Pages --------------------------------------------------------------------------------- */

/* The bytes of a value in PLAIN; 0 if values differ. */
static int64_t plain_width(const lam_field *leaf) {
    return leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY ||
                   leaf->physical_type == LAM_PHYSICAL_BOOLEAN
               ? 0
               : leaf->type_length;
}

/* Whether the values of a page can be a leaf's: encodings, and sizes if they are fixed. */
static bool fits_leaf(const lam_walked_page *page, const lam_field *leaf, bool has_dictionary) {
    int64_t width = plain_width(leaf);
    if (page->type == LAM_PAGE_DICTIONARY)
        return leaf->physical_type != LAM_PHYSICAL_BOOLEAN &&
               (width == 0 || page->uncompressed_size == width * page->value_count);
    if (page->type == LAM_PAGE_DATA_V2 &&
        ((leaf->max_repetition == 0 && page->repetition_bytes != 0) ||
         (leaf->max_definition == 0 && page->definition_bytes != 0) || page->repetition_bytes < 0 ||
         page->definition_bytes < 0))
        return false;
    if (page->encoding == LAM_ENCODING_RLE_DICTIONARY ||
        page->encoding == LAM_ENCODING_PLAIN_DICTIONARY)
        return has_dictionary;
    if (page->encoding == LAM_ENCODING_PLAIN && leaf->max_definition == 0 && width > 0)
        return page->uncompressed_size == width * page->value_count;
    return lam_encoding_takes((lam_encoding)page->encoding, leaf->physical_type);
}

/* Whether a page has one of the encodings that those of a leaf may have. */
static bool has_leaf_encoding(const lam_page_division *of, const lam_walked_page *page,
                              size_t leaf_index) {
    return of->encodings == NULL || page->type == LAM_PAGE_DICTIONARY || page->encoding < 0 ||
           page->encoding > LAM_ENCODING_ALP ||
           (of->encodings[leaf_index] & 1u << page->encoding) != 0;
}

/* Counts the trials, so that no choice of pages and leaves takes longer than anyone waits. */
static lam_status take_step(division_search *search, lam_error *error) {
    LAM_TRY(lam_stop_step(search->of->stop, &search->steps, error));
    if (search->steps > DIVISION_STEPS_MOST)
        LAM_FAIL(error, LAM_STATUS_LIMIT,
                 "there are too many ways to divide the pages into column chunks");
    return LAM_STATUS_OK;
}

/* Extends a chunk by its next page; `*ret_fits` is false, and nothing has changed, if it is not. */
static lam_status scan_page(division_search *search, chunk_scan *scan, bool *ret_fits,
                            lam_error *error) {
    const lam_page_division *of = search->of;
    const lam_walked_page *page = &of->pages[scan->next];
    const lam_field *leaf = lam_leaf_at(of->schema, scan->leaf_index);
    bool is_first = scan->next == scan->first, is_dictionary = page->type == LAM_PAGE_DICTIONARY;
    lam_page_fit fit = {true, true, (uint64_t)page->value_count};
    *ret_fits = false;
    LAM_TRY(take_step(search, error));
    if ((!is_first && (page->begins_new || is_dictionary)) ||
        !fits_leaf(page, leaf, scan->has_dictionary) ||
        !has_leaf_encoding(of, page, scan->leaf_index))
        return LAM_STATUS_OK;
    if (!is_dictionary &&
        (leaf->max_definition > 0 || leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY))
        LAM_TRY(of->count(of->state, scan->leaf_index, scan->next, &fit, error));
    if (!is_dictionary && (!fit.fits || (!scan->has_data && !fit.begins)))
        return LAM_STATUS_OK;
    if (is_dictionary)
        scan->has_dictionary = true;
    else
        scan->rows += fit.rows;
    scan->has_data = scan->has_data || !is_dictionary;
    scan->next++;
    *ret_fits = true;
    return LAM_STATUS_OK;
}

/* --- Row groups ---------------------------------------------------------------------------- */

/* The outcome of trying a row group. */
typedef struct group_outcome {
    unsigned ways;   /* in which it is complete and the remaining pages can be divided */
    bool can_be_cut; /* the pages may end inside it */
} group_outcome;

static lam_status add_chunk_end(division_search *search, size_t page, size_t before,
                                lam_error *error) {
    chunk_end end = {page, before};
    return lam_buffer_append(&search->ends, &end, sizeof end, error);
}

static const chunk_end *ends_of(const division_search *search) {
    return (const chunk_end *)(const void *)search->ends.data;
}

/* Lists where the chunk of a leaf may end that begins at the page of end `before`. */
static lam_status list_ends(division_search *search, size_t leaf_index, size_t before,
                            uint64_t rows, bool *ret_can_be_cut, lam_error *error) {
    size_t first = ends_of(search)[before].page;
    chunk_scan scan = {leaf_index, first, first, 0, false, false};
    bool fits = true;
    while (scan.next < search->of->page_count && scan.rows <= rows) {
        LAM_TRY(scan_page(search, &scan, &fits, error));
        if (!fits)
            return LAM_STATUS_OK;
        if (scan.rows == rows && scan.has_data)
            LAM_TRY(add_chunk_end(search, scan.next, before, error));
    }
    *ret_can_be_cut = *ret_can_be_cut || scan.rows < rows || !scan.has_data;
    return LAM_STATUS_OK;
}

/*
 * True when the last chunk of a row group is known to be complete: the last row of a leaf that
 * repeats may continue in a lost page.
 */
static bool is_whole(const division_search *search, size_t page) {
    const lam_page_division *of = search->of;
    const lam_field *leaf = lam_leaf_at(of->schema, of->schema->leaf_count - 1);
    return page < of->page_count || of->is_closed || leaf->max_repetition == 0 ||
           of->pages[page - 1].type == LAM_PAGE_DATA_V2;
}

/*
 * Whether a row group with that many rows, never above `group_rows`, may be complete: all but the
 * last one of a file have as many, and it is the last one only if the file shows its end.
 */
static bool has_group_rows(const lam_page_division *of, uint64_t rows, size_t end) {
    return of->group_rows == 0 || rows == of->group_rows ||
           (end == of->page_count && of->is_closed);
}

/* Tries all row groups of `rows` rows whose first chunk is known, the only end in the list. */
static lam_status try_rows(division_search *search, uint64_t rows, group_outcome *outcome,
                           lam_error *error) {
    const lam_page_division *of = search->of;
    size_t from = 0, to = 1;
    for (size_t leaf = 1; leaf < of->schema->leaf_count && from < to; leaf++) {
        for (size_t i = from; i < to; i++) {
            if (ends_of(search)[i].page == of->page_count)
                outcome->can_be_cut = true;
            else
                LAM_TRY(list_ends(search, leaf, i, rows, &outcome->can_be_cut, error));
        }
        from = to;
        to = search->ends.size / sizeof(chunk_end);
    }
    for (size_t i = from; i < to; i++) {
        size_t page = ends_of(search)[i].page;
        if (!is_whole(search, page) || !has_group_rows(of, rows, page)) {
            outcome->can_be_cut = outcome->can_be_cut || page == of->page_count;
        } else if (search->divides[page]) {
            outcome->ways++;
            search->path_last = i;
            search->end = page;
            if (search->wants_path)
                return LAM_STATUS_OK;
        }
    }
    return LAM_STATUS_OK;
}

/*
 * Tries all row groups that begin at a page. If the search wants a path, stops at the first one
 * that is complete and leads on, with its chunks in the list.
 */
static lam_status try_groups(division_search *search, size_t first, group_outcome *ret_outcome,
                             lam_error *error) {
    const lam_page_division *of = search->of;
    chunk_scan scan = {0, first, first, 0, false, false};
    group_outcome outcome = {0, false};
    bool fits = true;
    while (scan.next < of->page_count && fits && !(search->wants_path && outcome.ways > 0)) {
        LAM_TRY(scan_page(search, &scan, &fits, error));
        if (of->group_rows > 0 && scan.rows > of->group_rows)
            fits = false;
        if (!fits || !scan.has_data)
            continue;
        lam_buffer_clear(&search->ends);
        LAM_TRY(add_chunk_end(search, scan.next, 0, error));
        LAM_TRY(try_rows(search, scan.rows, &outcome, error));
    }
    outcome.can_be_cut = (outcome.can_be_cut || fits) && !of->is_closed;
    *ret_outcome = outcome;
    return LAM_STATUS_OK;
}

/* Appends the first pages of the chunks of the row group that was found; walks back to do so. */
static lam_status list_chunks(const division_search *search, size_t first, lam_buffer *starts,
                              lam_error *error) {
    size_t leaves = search->of->schema->leaf_count, i = search->path_last;
    LAM_TRY(lam_buffer_reserve(starts, leaves * sizeof(size_t), error));
    size_t *items = (size_t *)(void *)(starts->data + starts->size);
    for (size_t leaf = leaves - 1; leaf > 0; leaf--) {
        i = ends_of(search)[i].before;
        items[leaf] = ends_of(search)[i].page;
    }
    items[0] = first;
    starts->size += leaves * sizeof(size_t);
    return LAM_STATUS_OK;
}

/* --- Row groups that are cut --------------------------------------------------------------- */

/* The first end of a leaf, from `from` on, that is at the same page as end `i`. */
static size_t find_twin(division_search *search, size_t from, size_t i) {
    size_t twin = from;
    while (ends_of(search)[twin].page != ends_of(search)[i].page)
        twin++;
    search->steps += twin - from;
    return twin;
}

/*
 * Lists the ends of all chunks of a row group that begins at page `first`, whose first chunk ends
 * at `page`. A chunk that reaches the end of the pages ends there, without a successor.
 */
static lam_status list_cut_ends(division_search *search, size_t page, uint64_t rows,
                                lam_error *error) {
    const lam_page_division *of = search->of;
    size_t from = 0, to = 1;
    lam_buffer_clear(&search->ends);
    lam_buffer_clear(&search->cut);
    LAM_TRY(add_chunk_end(search, page, 0, error));
    LAM_TRY(lam_buffer_append(&search->cut, &from, sizeof from, error));
    for (search->listed = 1; search->listed < of->schema->leaf_count && from < to;
         search->listed++) {
        const size_t leaf = search->listed;
        LAM_TRY(lam_buffer_append(&search->cut, &to, sizeof to, error));
        for (size_t i = from; i < to; i++) {
            bool can_be_cut = false;
            if (ends_of(search)[i].page == of->page_count || find_twin(search, from, i) < i)
                continue;
            LAM_TRY(list_ends(search, leaf, i, rows, &can_be_cut, error));
            if (can_be_cut)
                LAM_TRY(add_chunk_end(search, of->page_count, i, error));
        }
        from = to;
        to = search->ends.size / sizeof(chunk_end);
    }
    return lam_buffer_append(&search->cut, &to, sizeof to, error);
}

/* Finds out which of these ends lead to the end of the pages, or to another row group. */
static lam_status mark_live(division_search *search, uint64_t rows, lam_error *error) {
    const lam_page_division *of = search->of;
    const size_t *begins = (const size_t *)(const void *)search->cut.data;
    const chunk_end *ends = ends_of(search);
    size_t last = search->listed - 1, leaf = last;
    lam_buffer_clear(&search->live);
    LAM_TRY(lam_buffer_reserve(&search->live, begins[last + 1], error));
    search->live.size = begins[last + 1];
    uint8_t *live = search->live.data;
    memset(live, 0, search->live.size);
    for (size_t i = begins[last + 1]; i > 0;) {
        i--;
        while (i < begins[leaf])
            leaf--;
        size_t page = ends[i].page;
        if (page == of->page_count)
            live[i] = true;
        else if (leaf == of->schema->leaf_count - 1)
            live[i] =
                is_whole(search, page) && has_group_rows(of, rows, page) && search->divides[page];
        else
            live[i] = live[find_twin(search, begins[leaf], i)];
        if (leaf > 0 && live[i])
            live[ends[i].before] = true;
    }
    return LAM_STATUS_OK;
}

/* Appends the ends of the chunks that all live ways share, and the least one where they part. */
static lam_status list_common(const division_search *search, lam_buffer *ret_cut,
                              lam_error *error) {
    const size_t *begins = (const size_t *)(const void *)search->cut.data;
    for (size_t leaf = 0; leaf < search->listed; leaf++) {
        size_t least = SIZE_MAX, most = 0;
        for (size_t i = begins[leaf]; i < begins[leaf + 1]; i++) {
            size_t page = ends_of(search)[i].page;
            if (!search->live.data[i])
                continue;
            least = page < least ? page : least;
            most = page > most ? page : most;
        }
        LAM_TRY(lam_buffer_append(ret_cut, &least, sizeof least, error));
        if (least < most || least == search->of->page_count)
            break;
    }
    return LAM_STATUS_OK;
}

/* Drops the last chunk if it has no data page, as the first one always has. */
static void drop_lone_dictionary(const division_search *search, lam_buffer *cut) {
    const size_t *starts = (const size_t *)(const void *)cut->data;
    size_t count = cut->size / sizeof *starts, page = starts[count - 2];
    while (page < starts[count - 1] && search->of->pages[page].type == LAM_PAGE_DICTIONARY)
        page++;
    if (page == starts[count - 1])
        cut->size -= sizeof *starts;
}

/* Tries one end of the first chunk; `*ret_leads` when some division has it. */
static lam_status try_cut(division_search *search, size_t page, uint64_t rows, bool *ret_leads,
                          lam_error *error) {
    LAM_TRY(list_cut_ends(search, page, rows, error));
    LAM_TRY(mark_live(search, rows, error));
    *ret_leads = search->live.data[0];
    return LAM_STATUS_OK;
}

/* Gives what all divisions have of the row group that begins at page `first`. */
static lam_status find_cut(division_search *search, size_t first, lam_buffer *ret_cut,
                           lam_error *error) {
    const lam_page_division *of = search->of;
    chunk_scan scan = {0, first, first, 0, false, false};
    size_t found = SIZE_MAX, count = 0;
    uint64_t rows = 0;
    bool fits = true;
    while (scan.next < of->page_count && fits && count < 2) {
        bool leads = false;
        LAM_TRY(scan_page(search, &scan, &fits, error));
        if (of->group_rows > 0 && scan.rows > of->group_rows)
            fits = false;
        if (fits && scan.has_data)
            LAM_TRY(try_cut(search, scan.next, scan.rows, &leads, error));
        if (!leads)
            continue;
        found = count == 0 ? scan.next : found;
        rows = scan.rows;
        count++;
    }
    if (count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_buffer_append(ret_cut, &first, sizeof first, error));
    if (count > 1)
        return lam_buffer_append(ret_cut, &found, sizeof found, error);
    bool leads;
    LAM_TRY(try_cut(search, found, rows, &leads, error));
    LAM_TRY(list_common(search, ret_cut, error));
    drop_lone_dictionary(search, ret_cut);
    return LAM_STATUS_OK;
}

/* --- One leaf ------------------------------------------------------------------------------ */

/*
 * Divides the pages of a schema with one leaf where a dictionary or another item precedes a page.
 * The last chunk ends before a row of which a part may be lost, or is cut.
 */
static lam_status divide_leaf(division_search *search, lam_buffer *starts, lam_buffer *cut,
                              lam_error *error) {
    const lam_page_division *of = search->of;
    size_t whole = 0;
    chunk_scan scan = {0};
    while (scan.next < of->page_count) {
        bool fits, begins_chunk = scan.next == 0 || of->pages[scan.next].begins_new ||
                                  of->pages[scan.next].type == LAM_PAGE_DICTIONARY;
        lam_page_fit fit = {true, true, 0};
        if (begins_chunk) {
            scan = (chunk_scan){0, scan.next, scan.next, 0, false, false};
            LAM_TRY(lam_buffer_append(starts, &scan.next, sizeof scan.next, error));
            whole = scan.next;
        } else if (lam_leaf_at(of->schema, 0)->max_repetition > 0) {
            LAM_TRY(of->count(of->state, 0, scan.next, &fit, error));
        }
        if (scan.has_data && fit.begins)
            whole = scan.next;
        LAM_TRY(scan_page(search, &scan, &fits, error));
        if (!fits)
            LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_BYTES,
                     "the page at offset %" PRIu64 " cannot be one of the only column",
                     of->pages[scan.next].offset);
    }
    if (scan.has_data && is_whole(search, of->page_count))
        whole = of->page_count;
    if (cut != NULL && scan.has_data && whole < of->page_count) {
        const size_t range[2] = {scan.first, of->page_count};
        whole = scan.first;
        LAM_TRY(lam_buffer_append(cut, range, sizeof range, error));
    }
    /* A last chunk without complete rows does not count. */
    while (starts->size > 0 &&
           ((size_t *)(void *)starts->data)[starts->size / sizeof(size_t) - 1] >= whole)
        starts->size -= sizeof(size_t);
    return lam_buffer_append(starts, &whole, sizeof whole, error);
}

/* --- Searching ----------------------------------------------------------------------------- */

/* Finds the pages from which all that follows can be divided, from the last to the first. */
static lam_status find_divisible(division_search *search, lam_error *error) {
    const lam_page_division *of = search->of;
    search->divides[of->page_count] = true;
    for (size_t i = of->page_count; i > 0;) {
        group_outcome outcome;
        i--;
        LAM_TRY(try_groups(search, i, &outcome, error));
        search->divides[i] = outcome.ways > 0 || outcome.can_be_cut;
    }
    return LAM_STATUS_OK;
}

/* Lists the row groups that all divisions have, from the first page on. */
static lam_status follow_ways(division_search *search, lam_buffer *starts, lam_buffer *cut,
                              lam_error *error) {
    const lam_page_division *of = search->of;
    group_outcome outcome = {0, false};
    size_t page = 0;
    for (; page < of->page_count; page = search->end) {
        search->wants_path = false;
        LAM_TRY(try_groups(search, page, &outcome, error));
        if (outcome.ways != 1 || outcome.can_be_cut)
            break;
        search->wants_path = true;
        LAM_TRY(try_groups(search, page, &outcome, error));
        LAM_TRY(list_chunks(search, page, starts, error));
    }
    if (cut != NULL)
        LAM_TRY(find_cut(search, page, cut, error));
    if (page == 0 && of->page_count > 0 && outcome.ways > 0 && (cut == NULL || cut->size == 0))
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_BYTES,
                 "the pages from offset %" PRIu64 " on can be column chunks of this schema in more "
                 "than one way; nothing shows which is right",
                 of->pages[0].offset);
    return lam_buffer_append(starts, &page, sizeof page, error);
}

lam_status lam_page_division_find(const lam_page_division *division, lam_buffer *ret_starts,
                                  lam_buffer *ret_cut, lam_error *error) {
    lam_status status;
    void *memory = NULL;
    division_search search = {.of = division};
    lam_buffer_init(&search.ends, division->allocator);
    lam_buffer_init(&search.live, division->allocator);
    lam_buffer_init(&search.cut, division->allocator);
    if (division->schema->leaf_count == 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the schema has no columns");
    if (division->schema->leaf_count == 1) {
        LAM_TRY_OUT(divide_leaf(&search, ret_starts, ret_cut, error));
        goto out;
    }
    LAM_TRY_OUT(lam_alloc_array(division->allocator, division->page_count + 1, 1, &memory, error));
    search.divides = memory;
    LAM_TRY_OUT(find_divisible(&search, error));
    if (!search.divides[0])
        LAM_FAIL_OUT(error, LAM_ERROR_CODE_CHUNK_BYTES,
                     "the pages cannot be column chunks of this schema");
    LAM_TRY_OUT(follow_ways(&search, ret_starts, ret_cut, error));
out:
    lam_buffer_finish(&search.ends);
    lam_buffer_finish(&search.live);
    lam_buffer_finish(&search.cut);
    lam_free(division->allocator, memory, division->page_count + 1);
    return status;
}
