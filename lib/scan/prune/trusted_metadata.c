/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the metadata of a chunk and keeps what can be believed: takes the kinds to read, and gives
 * facts about the chunk and about each page.
 *
 *     statistics      sane -> facts
 *     offset index    read, decoded, sane -> locations
 *     column index    the same, and agrees with the statistics -> bounds; else both are dropped
 *     Bloom filter    read for the values that conditions look for
 *
 * Each step may end early, and then its kind is absent. The invariant: what lam_trusted_metadata
 * holds is consistent, so filter_prune.c concludes without checks of its own; and only IO and NOMEM
 * fail, as a scan without the metadata gives the same rows. Faults that the writer is known to have
 * count like contradictions.
 */
#include "scan/prune/trusted_metadata.h"

#include "base/error.h"
#include "meta/compact.h"
#include "meta/known_faults.h"
#include "scan/condition/filter_values.h"
#include "scan/prune/index_bytes.h"

/* --- The page index ------------------------------------------------------------------------ */

/*
 * Reads the offset index. It needs the chunk's range, which lam_chunk_find gives: an index of pages
 * outside of it is not sane.
 */
static lam_status read_pages(const lam_reader *reader, const lam_meta_column_chunk *chunk,
                             lam_arena *arena, lam_trusted_metadata *index, lam_error *error) {
    lam_meta_offset_index offsets;
    lam_chunk_range range;
    lam_bytes bytes;
    size_t size = 0;
    bool good;
    lam_error failure = lam_error_none();
    if ((chunk->has & LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET) == 0 ||
        lam_chunk_find(index->claims.column, reader->footer.offset, &range, NULL) != LAM_STATUS_OK)
        return LAM_STATUS_OK;
    LAM_TRY(lam_index_bytes_read(reader, chunk->offset_index_offset, chunk->offset_index_length,
                                 arena, &index->bytes_read, &bytes, error));
    if (bytes.size == 0)
        return LAM_STATUS_OK;
    lam_status status = lam_meta_read_offset_index(bytes, arena, &offsets, &size, &failure);
    LAM_TRY(lam_index_forgive(status, &failure, &good, error));
    if (good && size > 0 && lam_offset_index_is_sane(&index->claims, range, &offsets)) {
        index->locations = offsets.page_locations.items;
        index->page_count = offsets.page_locations.count;
    }
    return LAM_STATUS_OK;
}

/*
 * Reads the column index, which is of no use without page locations. If it contradicts the
 * statistics both are dropped, because either may be wrong.
 */
static lam_status trusted_metadata_read_bounds(lam_claimed_bytes *claimed,
                                               const lam_meta_column_chunk *chunk, lam_arena *arena,
                                               lam_trusted_metadata *index, lam_error *error) {
    lam_page_locations pages = {index->locations, (uint32_t)index->page_count};
    lam_meta_column_index bounds;
    lam_bytes bytes;
    size_t size = 0;
    bool good;
    lam_error failure = lam_error_none();
    if ((chunk->has & LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET) == 0 || index->page_count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_claimed_bytes_are_own(claimed, index->claims.leaf->first_leaf, LAM_INDEX_BOUNDS,
                                      chunk->column_index_offset, chunk->column_index_length, &good,
                                      error));
    if (!good)
        return LAM_STATUS_OK;
    LAM_TRY(lam_index_bytes_read(claimed->reader, chunk->column_index_offset,
                                 chunk->column_index_length, arena, &index->bytes_read, &bytes,
                                 error));
    if (bytes.size == 0)
        return LAM_STATUS_OK;
    lam_status status = lam_meta_read_column_index(bytes, arena, &bounds, &size, &failure);
    LAM_TRY(lam_index_forgive(status, &failure, &good, error));
    if (!good || size == 0 || !lam_column_index_is_sane(&index->claims, pages, &bounds))
        return LAM_STATUS_OK;
    if (lam_column_index_agrees(&index->claims, &index->facts, &bounds)) {
        index->bounds = bounds;
        index->has_bounds = true;
    } else {
        index->facts = lam_filter_facts_none();
    }
    return LAM_STATUS_OK;
}

/* --- The Bloom filter ---------------------------------------------------------------------- */

/*
 * Lists the bounds that are values of the chunk for sure, to test the Bloom filter with. Bounds of
 * numbers are never shortened, so they are; others only if the statistics state that they are
 * exact. Floats are left out: -0 and +0, and NaNs, are equal or unordered and have different bytes,
 * so the filter may have been filled with another one.
 */
static size_t list_held(const lam_trusted_metadata *index, lam_bytes held[2]) {
    const lam_chunk_claims *claims = &index->claims;
    const lam_meta_statistics *statistics = claims->column->statistics;
    bool is_number = !claims->order.is_varied && !claims->order.has_nans &&
                     claims->leaf->physical_type != LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    size_t count = 0;
    if (statistics == NULL || !index->facts.has_bounds)
        return 0;
    if (is_number || ((statistics->has & LAM_META_STATISTICS_HAS_IS_MIN_VALUE_EXACT) != 0 &&
                      statistics->is_min_value_exact && !claims->order.has_nans))
        held[count++] = index->facts.min;
    if (is_number || ((statistics->has & LAM_META_STATISTICS_HAS_IS_MAX_VALUE_EXACT) != 0 &&
                      statistics->is_max_value_exact && !claims->order.has_nans))
        held[count++] = index->facts.max;
    return count;
}

/*
 * Reads the Bloom filter for the values of all tests of the leaf that look for equality. Other
 * comparisons do not gain from a filter.
 */
static lam_status read_bloom(lam_claimed_bytes *claimed, const lam_filter *filter, lam_arena *arena,
                             lam_trusted_metadata *index, lam_error *error) {
    lam_bytes held[2];
    const lam_chunk_claims *claims = &index->claims;
    lam_bloom_questions questions = {NULL, 0, {held, list_held(index, held)}};
    lam_value_order order = lam_filter_order_of(claims->leaf);
    if ((lam_known_faults_of_leaf(claims->faults, claims->leaf) & LAM_FAULT_BLOOM_FILTERS) != 0 ||
        !lam_filter_bloom_serves(&order))
        return LAM_STATUS_OK;
    lam_bloom_values *lists;
    LAM_TRY(LAM_ARENA_ARRAY(arena, filter->test_count, &lists, error));
    for (size_t i = 0; i < filter->test_count; i++) {
        const lam_bytes *values;
        size_t count = lam_filter_sought(&filter->tests[i], claims->leaf, &values);
        if (count > 0)
            lists[questions.list_count++] = (lam_bloom_values){values, count};
    }
    questions.lists = lists;
    return lam_chunk_bloom_read(claimed, claims->leaf->first_leaf, claims->column, &questions,
                                arena, &index->bytes_read, &index->bloom, error);
}

/* --- All of it ----------------------------------------------------------------------------- */

/* The order that the footer states for a leaf; an empty union if it states none. */
static int32_t column_order_of(const lam_reader *reader, size_t leaf_index) {
    const lam_meta_file_view *meta = &reader->footer.meta;
    bool has = (meta->has & LAM_META_FILE_HAS_COLUMN_ORDERS) != 0 &&
               leaf_index < meta->column_orders.count;
    return has ? meta->column_orders.items[leaf_index].kind : LAM_META_UNION_EMPTY;
}

/*
 * The statistics are in the footer, so their facts cost no reading. A column index implies the
 * offset index.
 */
lam_status lam_trusted_metadata_of(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                   const lam_meta_column_chunk *chunk,
                                   lam_trusted_metadata_kinds kinds, lam_arena *arena,
                                   lam_trusted_metadata *ret_index, lam_error *error) {
    lam_trusted_metadata index = {0};
    lam_chunk_claims *claims = &index.claims;
    claims->column = chunk->meta_data;
    claims->leaf = lam_schema_leaf(reader->schema, leaf_index);
    claims->order = lam_value_order_of(claims->leaf, column_order_of(reader, leaf_index));
    claims->row_count = lam_reader_rows_of_group(reader, row_group);
    claims->faults = reader->faults;
    index.facts = lam_chunk_statistics_facts(claims);
    if (kinds.offset_index || kinds.column_index)
        LAM_TRY(read_pages(reader, chunk, arena, &index, error));
    if (kinds.column_index)
        LAM_TRY(trusted_metadata_read_bounds(kinds.claimed, chunk, arena, &index, error));
    if (kinds.bloom_of != NULL)
        LAM_TRY(read_bloom(kinds.claimed, kinds.bloom_of, arena, &index, error));
    *ret_index = index;
    return LAM_STATUS_OK;
}

lam_status lam_trusted_metadata_read(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                     lam_trusted_metadata_kinds kinds, lam_arena *arena,
                                     lam_trusted_metadata *ret_index, lam_error *error) {
    lam_meta_column_chunk chunk;
    LAM_TRY(lam_reader_find_column(reader, row_group, leaf_index, arena, &chunk, error));
    return lam_trusted_metadata_of(reader, row_group, leaf_index, &chunk, kinds, arena, ret_index,
                                   error);
}

/* --- Facts --------------------------------------------------------------------------------- */

/* As filter_prune.c calls it. */
static bool may_hold(const void *state, lam_bytes value) {
    return lam_chunk_bloom_may_hold(state, value);
}

/* Facts refer to the filter by address: the metadata must not move while they are used. */
static void add_bloom(lam_filter_facts *facts, const lam_trusted_metadata *index) {
    if (index->bloom.block_count == 0)
        return;
    facts->may_hold = may_hold;
    facts->state = &index->bloom;
}

lam_filter_facts lam_trusted_metadata_facts(const lam_trusted_metadata *index) {
    lam_filter_facts facts = index->facts;
    add_bloom(&facts, index);
    return facts;
}

/*
 * The filter of the chunk holds for each of its pages. In a flat column the triples of a page are
 * its rows, and a null page has as many nulls; in others a null page has only nulls, so that their
 * count is that of its triples.
 */
lam_filter_facts lam_trusted_metadata_page_facts(const lam_trusted_metadata *index, size_t page) {
    const lam_chunk_claims *claims = &index->claims;
    const lam_meta_column_index *bounds = &index->bounds;
    lam_filter_facts facts = lam_filter_facts_none();
    add_bloom(&facts, index);
    if (!index->has_bounds)
        return facts;
    bool is_null = bounds->null_pages.items[page];
    if (is_null && lam_known_faults_spoil_null_pages(claims->faults, claims->leaf))
        return facts;
    if ((bounds->has & LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS) != 0)
        facts.null_count = bounds->null_counts.items[page];
    if ((bounds->has & LAM_META_COLUMN_INDEX_HAS_NAN_COUNTS) != 0)
        facts.nan_count = bounds->nan_counts.items[page];
    if (claims->leaf->max_repetition == 0)
        facts.triple_count = (int64_t)(lam_trusted_metadata_first_row(index, page + 1) -
                                       lam_trusted_metadata_first_row(index, page));
    else if (is_null)
        facts.triple_count = facts.null_count; /* -1 if not stated */
    if (is_null && claims->leaf->max_repetition == 0)
        facts.null_count = facts.triple_count;
    if (lam_known_faults_spoil_null_counts(claims->faults, claims->leaf))
        facts.null_count = -1;
    lam_bytes min = bounds->min_values.items[page], max = bounds->max_values.items[page];
    if (is_null || claims->order.comparison == LAM_COMPARISON_UNDEFINED ||
        !lam_bounds_are_sane(&claims->order, min, max) ||
        lam_known_faults_spoil_column_index(claims->faults, claims->leaf))
        return facts;
    facts.has_bounds = true;
    facts.min = min;
    facts.max = max;
    return facts;
}

/* Does not read from the file: only the statistics of the footer are needed. */
lam_status lam_chunk_is_empty(const lam_reader *reader, size_t row_group, size_t leaf_index,
                              bool *ret_empty, lam_error *error) {
    const lam_trusted_metadata_kinds nothing_more = {0};
    lam_trusted_metadata index;
    lam_arena arena = lam_reader_chunk_arena(reader);
    lam_status status = lam_trusted_metadata_read(reader, row_group, leaf_index, nothing_more,
                                                  &arena, &index, error);
    if (status == LAM_STATUS_OK) {
        lam_filter_facts facts = lam_trusted_metadata_facts(&index);
        *ret_empty = lam_filter_facts_all_null(&facts);
    }
    lam_arena_finish(&arena);
    return status;
}

/*
 * Metadata that cannot be used leave the chunk without locations: skipping then reads page headers.
 */
lam_status lam_cursor_open(const lam_reader *reader, size_t row_group, size_t leaf_index,
                           lam_index_use use, lam_arena *arena, uint64_t *index_bytes,
                           lam_column_cursor **ret_cursor, lam_error *error) {
    const lam_trusted_metadata_kinds kinds = {.offset_index = true};
    lam_trusted_metadata index = {0};
    if (use != LAM_INDEX_UNUSED)
        LAM_TRY(
            lam_trusted_metadata_read(reader, row_group, leaf_index, kinds, arena, &index, error));
    LAM_TRY(lam_reader_open_cursor(reader, row_group, leaf_index, ret_cursor, error));
    if (index.page_count > 0)
        lam_column_cursor_use_locations(*ret_cursor, index.locations, index.page_count,
                                        use == LAM_INDEX_DECIDES);
    *index_bytes += index.bytes_read;
    return LAM_STATUS_OK;
}
