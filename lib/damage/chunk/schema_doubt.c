/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the pages of a chunk that does not read as its column whether the schema is right: whether
 * they read as another column that differs from it by one bit.
 *
 *     written   optional int32 a     page  | 02 00 00 00 | levels | values |
 *     footer    required int32 a           | values ...                    | bytes left over
 *     read as   optional                   | length      | levels | values | closes
 *
 * The invariant: the schema has no checksum, and is the same for all pages; headers are one for
 * each. So if more pages decode to their ends as another column than as the stated one, the footer
 * is damaged, and no header is mended to fit it. If both read, the nulls that the chunk's
 * statistics count decide. (parquet.thrift, SchemaElement; README.md of the format, "Nested
 * Encoding")
 */
#include "damage/chunk/schema_doubt.h"

#include <lamella/format.h>

#include "base/error.h"
#include "base/thread/stop.h"
#include "damage/chunk/page_find.h"
#include "damage/chunk/page_trust.h"

enum {
    DOUBT_PAGES = 64,       /* of a chunk that are read, from the first on */
    DOUBT_BYTES = 4 << 20,  /* and their bytes, but for the last one */
    DOUBT_LENGTH_BITS = 13, /* of type_length that are flipped: two bytes of a varint */
    DOUBT_ENDS = 6          /* other levels, below */
};

/* The result of reading the pages as one column. */
typedef struct doubt_trial {
    size_t pages; /* that have triples */
    size_t whole; /* of them that decode to their ends */
    int64_t triples;
    int64_t values;
    bool is_all; /* the chunk ends with the last of them */
} doubt_trial;

static bool is_doubt_damage(lam_status status) {
    return status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED ||
           status == LAM_STATUS_LIMIT;
}

/* Reads the first pages of the chunk, as far as their headers lead from one to the next. */
static lam_status read_doubted_pages(lam_page_finder *finder, doubt_trial *trial,
                                     lam_error *error) {
    lam_page_trust trust = LAM_PAGE_TRUST_SOUND;
    lam_found_page page = {.end = finder->begin};
    LAM_TRY(lam_page_finder_begin(finder, error));
    while (trust != LAM_PAGE_TRUST_NONE && page.end < finder->end && trial->pages < DOUBT_PAGES &&
           page.end - finder->begin < DOUBT_BYTES) {
        LAM_TRY(lam_page_try(finder, page.end, &page, &trust, error));
        if (trust == LAM_PAGE_TRUST_NONE || page.type == LAM_PAGE_DICTIONARY || page.triples == 0)
            continue;
        trial->pages++;
        trial->triples += page.triples;
        trial->whole += page.is_sound && !page.is_odd && !page.is_padded;
        trial->values += page.is_sound ? page.values : 0;
    }
    trial->is_all = trust != LAM_PAGE_TRUST_NONE && page.end == finder->end;
    return LAM_STATUS_OK;
}

/* Reads the pages as those of a leaf; one that none can be of has none. */
static lam_status try_leaf(const lam_column_chunk *chunk, const lam_field *leaf,
                           lam_survey_hints hints, lam_patched_input *patched,
                           const lam_allocator *allocator, doubt_trial *ret_trial,
                           lam_error *error) {
    lam_column_chunk other = *chunk;
    lam_column_cursor *cursor = NULL;
    lam_page_finder finder;
    lam_chunk_range range = {0, 0, 0};
    lam_error failure = lam_error_none();
    other.leaf = leaf;
    *ret_trial = (doubt_trial){.pages = 0};
    lam_status status = lam_chunk_find(chunk->column, chunk->limit, &range, &failure);
    if (status == LAM_STATUS_OK)
        status = lam_column_cursor_create(&other, allocator, &cursor, &failure);
    if (status == LAM_STATUS_OK) {
        lam_page_finder_init(&finder, &other, cursor, patched, hints, range, allocator);
        patched->passes_gaps = hints.passes_unreadable;
        status = read_doubted_pages(&finder, ret_trial, &failure);
        patched->passes_gaps = false;
        lam_page_finder_finish(&finder);
    }
    lam_column_cursor_destroy(cursor);
    if (status == LAM_STATUS_OK || is_doubt_damage(status))
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = failure;
    return status;
}

/*
 * Makes the leaf another one; false when it cannot be that. A repetition type that is another one,
 * of the leaf or of a group around it, changes the greatest levels by one.
 */
static bool change_leaf(size_t number, lam_field *leaf) {
    static const int8_t ends[DOUBT_ENDS][2] = {/* repetition, definition */
                                               {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, 0}, {-1, 0}};
    if (number >= DOUBT_ENDS) {
        leaf->type_length ^= 1 << (number - DOUBT_ENDS);
        return leaf->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY && leaf->type_length > 0;
    }
    int repetition = leaf->max_repetition + ends[number][0];
    int definition = leaf->max_definition + ends[number][1];
    leaf->max_repetition = (uint8_t)repetition;
    leaf->max_definition = (uint8_t)definition;
    return repetition >= 0 && repetition <= definition && definition <= UINT8_MAX;
}

/* True when the pages have the nulls that the statistics count, which are those of all pages. */
static bool has_stated_nulls(const lam_column_chunk *chunk, const doubt_trial *trial) {
    const lam_meta_statistics *statistics = chunk->column->statistics;
    return statistics == NULL || (statistics->has & LAM_META_STATISTICS_HAS_NULL_COUNT) == 0 ||
           chunk->leaf->max_repetition > 0 || !trial->is_all ||
           trial->triples - trial->values == statistics->null_count;
}

lam_status lam_schema_doubt(const lam_column_chunk *chunk, lam_survey_hints hints,
                            lam_patched_input *patched, const lam_allocator *allocator,
                            bool *ret_contradicts, lam_error *error) {
    doubt_trial stated, other;
    *ret_contradicts = false;
    LAM_TRY(try_leaf(chunk, chunk->leaf, hints, patched, allocator, &stated, error));
    bool has_nulls = has_stated_nulls(chunk, &stated);
    if (stated.pages == 0 || (2 * stated.whole > stated.pages && has_nulls))
        return LAM_STATUS_OK;
    for (size_t i = 0; i < DOUBT_ENDS + DOUBT_LENGTH_BITS && !*ret_contradicts; i++) {
        lam_field leaf = *chunk->leaf;
        LAM_TRY(lam_stop_check(chunk->stop, error));
        if (!change_leaf(i, &leaf))
            continue;
        LAM_TRY(try_leaf(chunk, &leaf, hints, patched, allocator, &other, error));
        *ret_contradicts = other.whole > stated.whole ||
                           (!has_nulls && other.whole > 0 && other.whole == stated.whole &&
                            has_stated_nulls(chunk, &other));
    }
    return LAM_STATUS_OK;
}
