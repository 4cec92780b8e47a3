#include "scan/chunk_index.h"

#include "base/checked.h"
#include "base/error.h"
#include "meta/compact.h"
#include "scan/index_bytes.h"

/* --- The offset index ---------------------------------------------------------------------- */

/* False when the footer counts other data pages than the index has. */
static bool is_page_count_sane(const lam_meta_column *column, uint32_t count) {
    int64_t pages = 0;
    if ((column->has & LAM_META_COLUMN_HAS_ENCODING_STATS) == 0)
        return true;
    for (uint32_t i = 0; i < column->encoding_stats.count; i++) {
        const lam_meta_page_encoding_stats *stats = &column->encoding_stats.items[i];
        if (stats->page_type == LAM_PAGE_DATA || stats->page_type == LAM_PAGE_DATA_V2)
            pages += stats->count;
    }
    return pages == count;
}

/* True when the locations are those of pages of the chunk, in order, from the first row on. */
static bool are_pages_sane(const lam_chunk_index *index, const lam_meta_page_location_list *pages,
                           lam_chunk_range range) {
    if (pages->count == 0 || pages->items[0].first_row_index != 0 ||
        !is_page_count_sane(index->column, pages->count))
        return false;
    uint64_t offset = range.offset;
    int64_t row = -1;
    for (uint32_t i = 0; i < pages->count; i++) {
        const lam_meta_page_location *page = &pages->items[i];
        if (page->offset < 0 || (uint64_t)page->offset < offset ||
            page->compressed_page_size <= 0 || page->first_row_index <= row ||
            (uint64_t)page->first_row_index >= index->row_count ||
            !lam_range_fits((uint64_t)page->offset, (uint64_t)page->compressed_page_size,
                            range.offset + range.size))
            return false;
        offset = (uint64_t)page->offset + (uint64_t)page->compressed_page_size;
        row = page->first_row_index;
    }
    return true;
}

static lam_status read_pages(const lam_reader *reader, const lam_meta_column_chunk *chunk,
                             lam_arena *arena, lam_chunk_index *index, lam_error *error) {
    lam_meta_offset_index offsets;
    lam_chunk_range range;
    lam_bytes bytes;
    size_t size = 0;
    bool good;
    lam_error failure = lam_error_none();
    if ((chunk->has & LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET) == 0 ||
        lam_chunk_find(index->column, reader->footer.offset, &range, NULL) != LAM_STATUS_OK)
        return LAM_STATUS_OK;
    LAM_TRY(lam_index_bytes_read(reader, chunk->offset_index_offset, chunk->offset_index_length,
                                 arena, &index->bytes_read, &bytes, error));
    if (bytes.size == 0)
        return LAM_STATUS_OK;
    lam_status status = lam_meta_read_offset_index(bytes, arena, &offsets, &size, &failure);
    LAM_TRY(lam_index_forgive(status, &failure, &good, error));
    if (good && size > 0 && are_pages_sane(index, &offsets.page_locations, range)) {
        index->pages = offsets.page_locations.items;
        index->page_count = offsets.page_locations.count;
    }
    return LAM_STATUS_OK;
}

/* --- The column index ---------------------------------------------------------------------- */

static bool is_bound(const lam_value_order *order, lam_bytes value) {
    return lam_value_fits(order, value) && !lam_value_is_nan(order, value);
}

/* Bounds that are values of the column, the lower one not above the upper. */
static bool are_bounds_sane(const lam_value_order *order, lam_bytes min, lam_bytes max) {
    return is_bound(order, min) && is_bound(order, max) && lam_value_compare(order, min, max) <= 0;
}

static bool has_counts(const lam_chunk_index *index, const lam_meta_i64_list *counts) {
    if (counts->count != index->page_count)
        return false;
    for (uint32_t i = 0; i < counts->count; i++)
        if (counts->items[i] < 0)
            return false;
    return true;
}

static bool is_column_index_sane(const lam_chunk_index *index,
                                 const lam_meta_column_index *bounds) {
    if (bounds->null_pages.count != index->page_count ||
        bounds->min_values.count != index->page_count ||
        bounds->max_values.count != index->page_count)
        return false;
    if ((bounds->has & LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS) != 0 &&
        !has_counts(index, &bounds->null_counts))
        return false;
    return (bounds->has & LAM_META_COLUMN_INDEX_HAS_NAN_COUNTS) == 0 ||
           has_counts(index, &bounds->nan_counts);
}

/* The nulls of the pages, and their outermost bounds, must be those of the chunk. */
static bool agrees_with_chunk(const lam_chunk_index *index, const lam_meta_column_index *bounds) {
    lam_filter_facts chunk = lam_chunk_index_facts(index);
    int64_t nulls = 0;
    bool min_found = false, max_found = false;
    for (size_t i = 0; i < index->page_count; i++) {
        if ((bounds->has & LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS) != 0)
            nulls += bounds->null_counts.items[i];
        lam_bytes min = bounds->min_values.items[i], max = bounds->max_values.items[i];
        if (bounds->null_pages.items[i] || !chunk.has_bounds ||
            !are_bounds_sane(&index->order, min, max))
            continue;
        min_found = min_found || lam_value_compare(&index->order, min, chunk.min) <= 0;
        max_found = max_found || lam_value_compare(&index->order, max, chunk.max) >= 0;
    }
    if ((bounds->has & LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS) != 0 && chunk.null_count >= 0 &&
        nulls != chunk.null_count)
        return false;
    bool may_be_cut = index->order.is_varied; /* here or there, and not alike */
    return !chunk.has_bounds || may_be_cut || (min_found && max_found);
}

static lam_status read_bounds(const lam_reader *reader, const lam_meta_column_chunk *chunk,
                              lam_arena *arena, lam_chunk_index *index, lam_error *error) {
    lam_meta_column_index bounds;
    lam_bytes bytes;
    size_t size = 0;
    bool good;
    lam_error failure = lam_error_none();
    if ((chunk->has & LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET) == 0 || index->page_count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_index_bytes_read(reader, chunk->column_index_offset, chunk->column_index_length,
                                 arena, &index->bytes_read, &bytes, error));
    if (bytes.size == 0)
        return LAM_STATUS_OK;
    lam_status status = lam_meta_read_column_index(bytes, arena, &bounds, &size, &failure);
    LAM_TRY(lam_index_forgive(status, &failure, &good, error));
    if (good && size > 0 && is_column_index_sane(index, &bounds) &&
        agrees_with_chunk(index, &bounds)) {
        index->bounds = bounds;
        index->has_bounds = true;
    }
    return LAM_STATUS_OK;
}

/* --- The Bloom filter ---------------------------------------------------------------------- */

/* Reads it for the values that conditions on the leaf look for. */
static lam_status read_bloom(const lam_reader *reader, const lam_filter *filter, lam_arena *arena,
                             lam_chunk_index *index, lam_error *error) {
    void *memory;
    size_t count = 0;
    LAM_TRY(lam_arena_array(arena, filter->test_count, sizeof(lam_bloom_values), &memory, error));
    lam_bloom_values *lists = memory;
    for (size_t i = 0; i < filter->test_count; i++) {
        const lam_filter_test *test = &filter->tests[i];
        if (test->leaf == index->leaf && test->kind == LAM_TEST_IN)
            lists[count++] = (lam_bloom_values){test->values, test->value_count};
    }
    return lam_chunk_bloom_read(reader, index->column, lists, count, arena, &index->bytes_read,
                                &index->bloom, error);
}

/* --- All of it ----------------------------------------------------------------------------- */

static int32_t column_order_of(const lam_reader *reader, size_t leaf_index) {
    const lam_meta_file *meta = &reader->footer.meta;
    bool has = (meta->has & LAM_META_FILE_HAS_COLUMN_ORDERS) != 0 &&
               leaf_index < meta->column_orders.count;
    return has ? meta->column_orders.items[leaf_index].kind : LAM_META_UNION_EMPTY;
}

lam_status lam_chunk_index_read(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                lam_chunk_index_parts parts, lam_arena *arena,
                                lam_chunk_index *ret_index, lam_error *error) {
    const lam_meta_row_group *group = &reader->footer.meta.row_groups.items[row_group];
    lam_chunk_index index = {0};
    LAM_TRY(lam_reader_find_column(reader, row_group, leaf_index, &index.column, error));
    index.leaf = lam_schema_leaf(reader->schema, leaf_index);
    index.order = lam_value_order_of(index.leaf, column_order_of(reader, leaf_index));
    index.row_count = (uint64_t)group->num_rows;
    const lam_meta_column_chunk *chunk = &group->columns.items[leaf_index];
    if (parts.pages || parts.bounds)
        LAM_TRY(read_pages(reader, chunk, arena, &index, error));
    if (parts.bounds)
        LAM_TRY(read_bounds(reader, chunk, arena, &index, error));
    if (parts.bloom_of != NULL)
        LAM_TRY(read_bloom(reader, parts.bloom_of, arena, &index, error));
    *ret_index = index;
    return LAM_STATUS_OK;
}

/* --- Facts --------------------------------------------------------------------------------- */

static bool may_hold(const void *state, lam_bytes value) {
    return lam_chunk_bloom_may_hold(state, value);
}

static void set_bounds(lam_filter_facts *facts, const lam_value_order *order, lam_bytes min,
                       lam_bytes max) {
    if (order->comparison == LAM_COMPARISON_UNDEFINED || !are_bounds_sane(order, min, max))
        return;
    facts->has_bounds = true;
    facts->min = min;
    facts->max = max;
}

/* Bounds of old writers are compared signed, which is the same only for some types. */
static void set_old_bounds(lam_filter_facts *facts, const lam_chunk_index *index,
                           const lam_meta_statistics *statistics) {
    lam_value_order order = lam_value_order_of(index->leaf, LAM_META_COLUMN_ORDER_TYPE);
    if (order.comparison == LAM_COMPARISON_SIGNED_32 ||
        order.comparison == LAM_COMPARISON_SIGNED_64 || order.comparison == LAM_COMPARISON_BOOLEAN)
        set_bounds(facts, &order, statistics->min, statistics->max);
}

lam_filter_facts lam_chunk_index_facts(const lam_chunk_index *index) {
    const uint32_t new_bounds =
        LAM_META_STATISTICS_HAS_MIN_VALUE | LAM_META_STATISTICS_HAS_MAX_VALUE;
    const uint32_t old_bounds = LAM_META_STATISTICS_HAS_MIN | LAM_META_STATISTICS_HAS_MAX;
    lam_filter_facts facts = lam_filter_facts_none();
    const lam_meta_statistics *statistics = index->column->statistics;
    facts.triple_count = index->column->num_values;
    if (index->bloom.block_count > 0) {
        facts.may_hold = may_hold;
        facts.state = &index->bloom;
    }
    if (statistics == NULL)
        return facts;
    bool all_null = statistics->null_count == index->column->num_values;
    if ((statistics->has & LAM_META_STATISTICS_HAS_NULL_COUNT) != 0 &&
        statistics->null_count >= 0 && statistics->null_count <= index->column->num_values &&
        !(all_null && (statistics->has & (new_bounds | old_bounds)) != 0)) /* bounds of nothing */
        facts.null_count = statistics->null_count;
    if ((statistics->has & LAM_META_STATISTICS_HAS_NAN_COUNT) != 0 && statistics->nan_count >= 0)
        facts.nan_count = statistics->nan_count;
    if ((statistics->has & new_bounds) == new_bounds)
        set_bounds(&facts, &index->order, statistics->min_value, statistics->max_value);
    else if ((statistics->has & old_bounds) == old_bounds)
        set_old_bounds(&facts, index, statistics);
    return facts;
}

lam_filter_facts lam_chunk_index_page_facts(const lam_chunk_index *index, size_t page) {
    lam_filter_facts facts = lam_filter_facts_none();
    if (index->bloom.block_count > 0) {
        facts.may_hold = may_hold;
        facts.state = &index->bloom;
    }
    if (!index->has_bounds)
        return facts;
    const lam_meta_column_index *bounds = &index->bounds;
    if ((bounds->has & LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS) != 0)
        facts.null_count = bounds->null_counts.items[page];
    if ((bounds->has & LAM_META_COLUMN_INDEX_HAS_NAN_COUNTS) != 0)
        facts.nan_count = bounds->nan_counts.items[page];
    bool is_flat = index->leaf->max_repetition == 0;
    bool is_null = bounds->null_pages.items[page];
    if (is_flat)
        facts.triple_count = (int64_t)(lam_chunk_index_first_row(index, page + 1) -
                                       lam_chunk_index_first_row(index, page));
    if (is_flat && (facts.null_count > facts.triple_count ||
                    (is_null && facts.null_count >= 0 && facts.null_count != facts.triple_count)))
        return lam_filter_facts_none(); /* the index contradicts itself */
    if (is_null && is_flat)
        facts.null_count = facts.triple_count;
    else if (is_null)
        facts.triple_count = facts.null_count; /* -1 when it is not told */
    else
        set_bounds(&facts, &index->order, bounds->min_values.items[page],
                   bounds->max_values.items[page]);
    return facts;
}

lam_status lam_chunk_is_empty(const lam_reader *reader, size_t row_group, size_t leaf_index,
                              bool *ret_empty, lam_error *error) {
    const lam_chunk_index_parts no_parts = {false, false, NULL};
    lam_chunk_index index;
    lam_arena unused; /* the statistics came with the footer */
    lam_arena_init(&unused, &reader->allocator, 0);
    lam_status status =
        lam_chunk_index_read(reader, row_group, leaf_index, no_parts, &unused, &index, error);
    lam_arena_finish(&unused);
    LAM_TRY(status);
    lam_filter_facts facts = lam_chunk_index_facts(&index);
    *ret_empty = lam_filter_facts_all_null(&facts);
    return LAM_STATUS_OK;
}

lam_status lam_chunk_open(const lam_reader *reader, size_t row_group, size_t leaf_index,
                          bool has_gaps, lam_arena *arena, uint64_t *index_bytes,
                          lam_chunk_reader **ret_chunk, lam_error *error) {
    const lam_chunk_index_parts parts = {.pages = true};
    lam_chunk_index index = {0};
    if (has_gaps)
        LAM_TRY(lam_chunk_index_read(reader, row_group, leaf_index, parts, arena, &index, error));
    LAM_TRY(lam_reader_open_chunk(reader, row_group, leaf_index, ret_chunk, error));
    if (index.page_count > 0)
        lam_chunk_reader_use_pages(*ret_chunk, index.pages, index.page_count);
    *index_bytes += index.bytes_read;
    return LAM_STATUS_OK;
}
