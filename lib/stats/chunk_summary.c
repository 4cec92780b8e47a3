/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects what a column chunk's metadata state. Takes levels and values of one page after another,
 * as the page writer has them; gives the structs of parquet.thrift. A page is counted on its own,
 * noted as a page_entry when it ends, and merged into the chunk.
 *
 * The invariant: for each page, the bounds enclose every value that is not a NaN, and counts are
 * exact. Bounds over 4,096 bytes that cannot be cut are left out, and with them the entire column
 * index, as its lists have an entry for each page; so are bounds that readers may understand
 * otherwise. (parquet.thrift, ColumnIndex; PageIndex.md, "Technical Approach")
 */
#include "stats/chunk_summary.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/int96.h"
#include "kernel/kernel.h"
#include "schema/tree.h"

enum {
    /* Bytes of a bound that cannot be cut; longer ones are left out. */
    WHOLE_BOUND_MOST = 4096,
    /* Below this maximum, levels are counted by a vectorized pass for each. */
    FEW_LEVELS = 8
};

/*
 * A finished page. Its bounds are ranges of summary->bounds; `offset` counts from the first data
 * page, as the file offset is known only when the chunk is written.
 */
typedef struct page_entry {
    bool is_null; /* no values at all */
    uint64_t null_count;
    uint64_t nan_count;
    uint64_t byte_count; /* of BYTE_ARRAY values, without their lengths */
    uint64_t first_row;  /* in the row group */
    uint64_t offset;
    uint64_t size; /* header included */
    size_t min_at; /* in summary->bounds */
    size_t min_size;
    size_t max_at;
    size_t max_size;
} page_entry;

static const page_entry *chunk_summary_entry_at(const lam_chunk_summary *summary, size_t index) {
    return (const page_entry *)(const void *)summary->pages.data + index;
}

static size_t page_count(const lam_chunk_summary *summary) {
    return summary->pages.size / sizeof(page_entry);
}

/* The lower bound of a page; max_of gives the upper one. NULL data for no bytes. */
static lam_bytes min_of(const lam_chunk_summary *summary, const page_entry *page) {
    lam_bytes min = {NULL, page->min_size};
    if (page->min_size > 0)
        min.data = summary->bounds.data + page->min_at;
    return min;
}

static lam_bytes max_of(const lam_chunk_summary *summary, const page_entry *page) {
    lam_bytes max = {NULL, page->max_size};
    if (page->max_size > 0)
        max.data = summary->bounds.data + page->max_at;
    return max;
}

/* Sets the members that each chunk resets. No pages at all are in both orders. */
static void chunk_summary_start(lam_chunk_summary *summary) {
    summary->page_nulls = 0;
    summary->chunk_nulls = 0;
    summary->rows = 0;
    summary->has_column_index = summary->order.comparison != LAM_COMPARISON_UNDEFINED;
    summary->ascending = true;
    summary->descending = true;
    summary->last_bounded = 0;
    summary->is_ambiguous = false;
}

lam_status lam_chunk_summary_init(lam_chunk_summary *summary, const lam_kernels *kernels,
                                  const lam_field *leaf, int32_t column_order, size_t bound_limit,
                                  const lam_allocator *allocator, lam_error *error) {
    memset(summary, 0, sizeof *summary);
    summary->kernels = kernels;
    summary->leaf = leaf;
    summary->order = lam_value_order_of(leaf, column_order);
    summary->bound_kind = lam_bound_kind_of(leaf, &summary->order);
    summary->bound_limit = bound_limit;
    lam_buffer_init(&summary->pages, allocator);
    lam_buffer_init(&summary->bounds, allocator);
    LAM_LIST_INIT(&summary->histograms, allocator);
    lam_buffer_init(&summary->seen, allocator);
    lam_buffer_init(&summary->entries, allocator);
    summary->page.min.allocator = *allocator; /* finish is allowed when the next line fails */
    summary->chunk.min.allocator = *allocator;
    chunk_summary_start(summary);
    LAM_TRY(
        lam_value_summary_init(&summary->page, kernels, leaf, summary->order, allocator, error));
    return lam_value_summary_init(&summary->chunk, kernels, leaf, summary->order, allocator, error);
}

void lam_chunk_summary_finish(lam_chunk_summary *summary) {
    if (summary->leaf == NULL)
        return;
    lam_value_summary_finish(&summary->page);
    lam_value_summary_finish(&summary->chunk);
    lam_buffer_finish(&summary->pages);
    lam_buffer_finish(&summary->bounds);
    LAM_LIST_FINISH(&summary->histograms);
    lam_buffer_finish(&summary->seen);
    lam_buffer_finish(&summary->entries);
}

void lam_chunk_summary_restart(lam_chunk_summary *summary) {
    lam_value_summary_clear(&summary->page);
    lam_value_summary_clear(&summary->chunk);
    lam_buffer_clear(&summary->pages);
    lam_buffer_clear(&summary->bounds);
    summary->histograms.count = 0;
    chunk_summary_start(summary);
}

/* --- The open page ------------------------------------------------------------------------- */

/*
 * Counts each level into a histogram; `whole` is the level of all triples when there is no array.
 * If there are few levels, each but the last takes a pass that compares many at a time, and the
 * last is the remainder.
 */
static void count_levels(const lam_kernels *kernels, const uint8_t *levels, size_t count,
                         uint8_t max_level, uint8_t whole, uint64_t *histogram) {
    if (levels == NULL) {
        histogram[whole] += count;
    } else if (max_level < FEW_LEVELS) {
        size_t rest = count;
        for (unsigned level = 0; level < max_level; level++) {
            size_t some = kernels->count_u8(levels, count, (uint8_t)level);
            histogram[level] += some;
            rest -= some;
        }
        histogram[max_level] += rest;
    } else {
        for (size_t i = 0; i < count; i++)
            histogram[levels[i]]++;
    }
}

void lam_chunk_summary_add_levels(lam_chunk_summary *summary, const lam_triples *triples) {
    const lam_field *leaf = summary->leaf;
    count_levels(summary->kernels, triples->repetition, triples->count, leaf->max_repetition, 0,
                 lam_value_summary_repetition(&summary->page));
    count_levels(summary->kernels, triples->definition, triples->count, leaf->max_definition,
                 leaf->max_definition, lam_value_summary_definition(&summary->page));
    summary->page_nulls += triples->count - triples->value_count;
}

/*
 * The format orders INT96 by the day first, and readers by the time: the same, unless nanoseconds
 * are outside of their day. (base/int96.h)
 */
static void note_times(lam_chunk_summary *summary, const void *values, size_t count) {
    const uint8_t *value = values;
    if (summary->order.comparison != LAM_COMPARISON_INT96)
        return;
    for (size_t i = 0; i < count && !summary->is_ambiguous; i++, value += LAM_INT96_SIZE)
        summary->is_ambiguous = !lam_int96_is_within_day(value);
    summary->has_column_index = summary->has_column_index && !summary->is_ambiguous;
}

lam_status lam_chunk_summary_add_values(lam_chunk_summary *summary, const void *values,
                                        size_t count, lam_error *error) {
    note_times(summary, values, count);
    return lam_value_summary_add(&summary->page, values, count, error);
}

/*
 * Lists the dictionary entries that the indexes refer to, each once, so that bounds are compared by
 * entry and not by value. Gives the indexes themselves if the dictionary has at least as many
 * entries as there are values, or may have NaNs, which count as often as they occur.
 *
 *     indexes 2 0 2 2     seen 1 0 1     list 0 2
 */
static lam_status list_entries(lam_chunk_summary *summary, const lam_dictionary *dictionary,
                               const uint32_t *indexes, size_t count, const uint32_t **ret_list,
                               size_t *ret_count, lam_error *error) {
    size_t entries = dictionary->count, listed = 0;
    *ret_list = indexes;
    *ret_count = count;
    if (entries >= count || summary->order.has_nans) /* NaNs count by occurrence */
        return LAM_STATUS_OK;
    lam_buffer_clear(&summary->seen);
    LAM_TRY(lam_buffer_reserve(&summary->seen, entries * (sizeof(uint32_t) + 1), error));
    uint32_t *list = (uint32_t *)(void *)summary->seen.data;
    uint8_t *seen = (uint8_t *)(list + entries);
    memset(seen, 0, entries);
    for (size_t i = 0; i < count; i++)
        seen[indexes[i]] = 1;
    for (size_t i = 0; i < entries; i++) {
        list[listed] = (uint32_t)i;
        listed += seen[i];
    }
    *ret_list = list;
    *ret_count = listed;
    return LAM_STATUS_OK;
}

/* Adds up the bytes of byte arrays, each as often as it occurs. */
static uint64_t bytes_of_indexes(const lam_dictionary *dictionary, const uint32_t *indexes,
                                 size_t count) {
    const lam_bytes *values = dictionary->values;
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += values[indexes[i]].size;
    return total;
}

/* Gathers the listed entries into an array of elements and finds its bounds. */
lam_status lam_chunk_summary_add_indexes(lam_chunk_summary *summary,
                                         const lam_dictionary *dictionary, const uint32_t *indexes,
                                         size_t count, lam_error *error) {
    size_t element = lam_element_size(summary->leaf), listed, bytes;
    const uint32_t *list;
    if (count == 0)
        return LAM_STATUS_OK;
    summary->page.value_count += count;
    if (summary->order.is_varied)
        summary->page.byte_count += bytes_of_indexes(dictionary, indexes, count);
    LAM_TRY(list_entries(summary, dictionary, indexes, count, &list, &listed, error));
    if (summary->order.comparison == LAM_COMPARISON_UNDEFINED)
        return LAM_STATUS_OK;
    if (!lam_mul_size(listed, element, &bytes))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu values", listed);
    lam_buffer_clear(&summary->entries);
    LAM_TRY(lam_buffer_reserve(&summary->entries, bytes, error));
    summary->kernels->gather(dictionary->values, element, list, listed, summary->entries.data);
    note_times(summary, summary->entries.data, listed);
    return lam_value_summary_bound(&summary->page, summary->entries.data, listed, error);
}

/* --- Pages --------------------------------------------------------------------------------- */

/*
 * parquet.thrift, ColumnOrder: in type order a lower bound of zero is written as -0 and an upper
 * one as +0, because both are equal there and either may be among the values.
 */
static void spread_zero(const lam_value_order *order, uint8_t *bound, size_t size, bool is_upper) {
    bool negative;
    lam_bytes value = {bound, size};
    if (!order->has_nans || order->is_total || !lam_value_is_float_zero(order, value, &negative))
        return;
    memset(bound, 0, size);
    if (!is_upper)
        bound[size - 1] = 0x80; /* the sign, little endian */
}

/*
 * Appends the bounds of a summary to `out`, cut if they may be; `*ret_fits` is false if one is too
 * long even so.
 */
static lam_status append_bounds(const lam_chunk_summary *summary, const lam_value_summary *chunk,
                                lam_buffer *out, page_entry *entry, bool *ret_fits,
                                lam_error *error) {
    lam_bytes min = lam_buffer_bytes(&chunk->min), max = lam_buffer_bytes(&chunk->max);
    entry->min_at = out->size;
    entry->min_size = lam_bound_lower(summary->bound_kind, min, summary->bound_limit);
    LAM_TRY(lam_buffer_append(out, min.data, entry->min_size, error));
    entry->max_at = out->size;
    LAM_TRY(lam_bound_upper(summary->bound_kind, max, summary->bound_limit, out, error));
    entry->max_size = out->size - entry->max_at;
    *ret_fits = entry->min_size <= WHOLE_BOUND_MOST && entry->max_size <= WHOLE_BOUND_MOST;
    if (entry->min_size > 0)
        spread_zero(&summary->order, out->data + entry->min_at, entry->min_size, false);
    if (entry->max_size > 0)
        spread_zero(&summary->order, out->data + entry->max_at, entry->max_size, true);
    return LAM_STATUS_OK;
}

/*
 * Compares the bounds of a page with those of the last page that has some: pages of nulls do not
 * disturb the order. (parquet.thrift, ColumnIndex.boundary_order)
 */
static void follow_order(lam_chunk_summary *summary, const page_entry *page) {
    if (summary->last_bounded > 0) {
        const page_entry *last = chunk_summary_entry_at(summary, summary->last_bounded - 1);
        int min = lam_value_compare(&summary->order, min_of(summary, last), min_of(summary, page));
        int max = lam_value_compare(&summary->order, max_of(summary, last), max_of(summary, page));
        summary->ascending = summary->ascending && min <= 0 && max <= 0;
        summary->descending = summary->descending && min >= 0 && max >= 0;
    }
    summary->last_bounded = page_count(summary) + 1;
}

/*
 * Adds the bounds of a page that has values. The first page without bounds ends the column index:
 * all its values are NaNs in type order, or one of its bounds is too long.
 */
static lam_status bound_page(lam_chunk_summary *summary, page_entry *entry, lam_error *error) {
    bool fits = summary->page.has_bounds;
    if (!summary->has_column_index || entry->is_null)
        return LAM_STATUS_OK;
    if (fits)
        LAM_TRY(append_bounds(summary, &summary->page, &summary->bounds, entry, &fits, error));
    summary->has_column_index = fits;
    if (fits)
        follow_order(summary, entry);
    return LAM_STATUS_OK;
}

/* After a failure the summary may be half changed; the writer gives up then. */
lam_status lam_chunk_summary_end_page(lam_chunk_summary *summary, uint64_t row_count,
                                      uint64_t offset, uint64_t size, lam_error *error) {
    lam_value_summary *page = &summary->page;
    page_entry entry = {0};
    entry.is_null = page->value_count == 0;
    entry.null_count = summary->page_nulls;
    entry.nan_count = page->nan_count;
    entry.byte_count = page->byte_count;
    entry.first_row = summary->rows;
    entry.offset = offset;
    entry.size = size;
    LAM_TRY(bound_page(summary, &entry, error));
    LAM_TRY(LAM_LIST_APPEND(&summary->histograms, page->histograms,
                            page->repetition_levels + page->definition_levels, error));
    LAM_TRY(lam_buffer_append(&summary->pages, &entry, sizeof entry, error));
    LAM_TRY(lam_value_summary_merge(&summary->chunk, page, error));
    summary->chunk_nulls += summary->page_nulls;
    summary->rows += row_count;
    summary->page_nulls = 0;
    lam_value_summary_clear(page);
    return LAM_STATUS_OK;
}

/* --- The chunk ----------------------------------------------------------------------------- */

/* True when a bound is the value itself. */
static bool chunk_summary_is_exact(lam_bytes bound, const lam_buffer *value) {
    return bound.size == value->size &&
           (bound.size == 0 || memcmp(bound.data, value->data, bound.size) == 0);
}

/* Copies into the arena. The data is not NULL even when empty, which would mean no bound. */
static lam_status chunk_summary_copy_bytes(lam_arena *arena, const uint8_t *data, size_t size,
                                           lam_bytes *ret, lam_error *error) {
    char *copy;
    LAM_TRY(lam_arena_copy(arena, data, size, &copy, error));
    ret->data = (const uint8_t *)copy;
    ret->size = size;
    return LAM_STATUS_OK;
}

/*
 * Exactness is found by comparing bytes: a zero whose sign was spread is not the value any more,
 * just as a bound that was cut.
 */
static lam_status chunk_summary_fill_bounds(const lam_chunk_summary *summary, lam_arena *arena,
                                            lam_meta_statistics *statistics, lam_error *error) {
    lam_status status;
    bool fits;
    page_entry entry;
    lam_bytes min = {NULL, 0}, max = {NULL, 0};
    lam_buffer bounds;
    lam_buffer_init(&bounds, &arena->allocator);
    LAM_TRY_OUT(append_bounds(summary, &summary->chunk, &bounds, &entry, &fits, error));
    if (!fits)
        goto out;
    LAM_TRY_OUT(chunk_summary_copy_bytes(arena,
                                         bounds.data == NULL ? NULL : bounds.data + entry.min_at,
                                         entry.min_size, &min, error));
    LAM_TRY_OUT(chunk_summary_copy_bytes(arena,
                                         bounds.data == NULL ? NULL : bounds.data + entry.max_at,
                                         entry.max_size, &max, error));
    statistics->min_value = min;
    statistics->max_value = max;
    statistics->is_min_value_exact = chunk_summary_is_exact(min, &summary->chunk.min);
    statistics->is_max_value_exact = chunk_summary_is_exact(max, &summary->chunk.max);
    statistics->has |= LAM_META_STATISTICS_HAS_MIN_VALUE | LAM_META_STATISTICS_HAS_MAX_VALUE |
                       LAM_META_STATISTICS_HAS_IS_MIN_VALUE_EXACT |
                       LAM_META_STATISTICS_HAS_IS_MAX_VALUE_EXACT;
out:
    lam_buffer_finish(&bounds);
    return status;
}

/*
 * The count of NaNs is required for floating point, even if it is 0 (parquet.thrift, ColumnOrder).
 */
lam_status lam_chunk_summary_statistics(const lam_chunk_summary *summary, lam_arena *arena,
                                        lam_meta_statistics *ret_statistics, lam_error *error) {
    lam_meta_statistics statistics = {0};
    statistics.has = LAM_META_STATISTICS_HAS_NULL_COUNT;
    statistics.null_count = (int64_t)summary->chunk_nulls;
    if (summary->order.has_nans) {
        statistics.has |= LAM_META_STATISTICS_HAS_NAN_COUNT;
        statistics.nan_count = (int64_t)summary->chunk.nan_count;
    }
    if (summary->chunk.has_bounds && !summary->is_ambiguous)
        LAM_TRY(chunk_summary_fill_bounds(summary, arena, &statistics, error));
    *ret_statistics = statistics;
    return LAM_STATUS_OK;
}

/* Copies a histogram as the signed numbers of Thrift. */
static lam_status copy_counts(lam_arena *arena, const uint64_t *counts, size_t count,
                              lam_meta_i64_list *ret_list, lam_error *error) {
    int64_t *items;
    LAM_TRY(LAM_ARENA_ARRAY(arena, count, &items, error));
    for (size_t i = 0; i < count; i++)
        items[i] = (int64_t)counts[i];
    ret_list->items = items;
    ret_list->count = (uint32_t)count;
    return LAM_STATUS_OK;
}

/*
 * parquet.thrift, SizeStatistics: a histogram may be left out if the maximum level is 0, and one of
 * definition levels if it is 1, because other counts state the same.
 */
static bool has_repetition(const lam_chunk_summary *summary) {
    return summary->leaf->max_repetition > 0;
}

/* Below repeated fields it is always written. */
static bool has_definition(const lam_chunk_summary *summary) {
    return summary->leaf->max_definition > 1 || summary->leaf->max_repetition > 0;
}

/* Sizes of other types follow from counts, so only byte arrays state theirs. */
lam_status lam_chunk_summary_sizes(const lam_chunk_summary *summary, lam_arena *arena,
                                   lam_meta_size_statistics *ret_sizes, lam_error *error) {
    const lam_value_summary *chunk = &summary->chunk;
    lam_meta_size_statistics sizes = {0};
    if (summary->order.is_varied) {
        sizes.has |= LAM_META_SIZE_STATISTICS_HAS_UNENCODED_BYTE_ARRAY_DATA_BYTES;
        sizes.unencoded_byte_array_data_bytes = (int64_t)chunk->byte_count;
    }
    if (has_repetition(summary)) {
        sizes.has |= LAM_META_SIZE_STATISTICS_HAS_REPETITION_LEVEL_HISTOGRAM;
        LAM_TRY(copy_counts(arena, lam_value_summary_repetition(chunk), chunk->repetition_levels,
                            &sizes.repetition_level_histogram, error));
    }
    if (has_definition(summary)) {
        sizes.has |= LAM_META_SIZE_STATISTICS_HAS_DEFINITION_LEVEL_HISTOGRAM;
        LAM_TRY(copy_counts(arena, lam_value_summary_definition(chunk), chunk->definition_levels,
                            &sizes.definition_level_histogram, error));
    }
    *ret_sizes = sizes;
    return LAM_STATUS_OK;
}

/* --- Indexes ------------------------------------------------------------------------------- */

/* The lists of a column index, with an entry for each page. */
typedef struct page_lists {
    bool *nulls;
    lam_bytes *mins;
    lam_bytes *maxs;
    int64_t *null_counts;
    int64_t *nan_counts;
} page_lists;

/* All five at once; the counts of NaNs are allocated even for columns without NaNs. */
static lam_status allocate_lists(lam_arena *arena, size_t count, page_lists *lists,
                                 lam_error *error) {
    LAM_TRY(LAM_ARENA_ARRAY(arena, count, &lists->nulls, error));
    LAM_TRY(LAM_ARENA_ARRAY(arena, count, &lists->mins, error));
    LAM_TRY(LAM_ARENA_ARRAY(arena, count, &lists->maxs, error));
    LAM_TRY(LAM_ARENA_ARRAY(arena, count, &lists->null_counts, error));
    return LAM_ARENA_ARRAY(arena, count, &lists->nan_counts, error);
}

/*
 * Joins the histograms of one kind of all pages, page after page. In summary->histograms both kinds
 * alternate: `from` is the beginning of this kind in each `stride`.
 */
static lam_status gather_histograms(const lam_chunk_summary *summary, size_t from, size_t levels,
                                    lam_arena *arena, lam_meta_i64_list *ret_list,
                                    lam_error *error) {
    size_t pages = page_count(summary);
    size_t stride = summary->page.repetition_levels + summary->page.definition_levels;
    const uint64_t *histograms = summary->histograms.items;
    int64_t *items;
    LAM_TRY(LAM_ARENA_ARRAY(arena, pages * levels, &items, error));
    ret_list->items = items;
    for (size_t page = 0; page < pages; page++)
        for (size_t level = 0; level < levels; level++)
            *items++ = (int64_t)histograms[page * stride + from + level];
    ret_list->count = (uint32_t)(pages * levels);
    return LAM_STATUS_OK;
}

/* Adds the histograms that are not redundant. */
static lam_status fill_histograms(const lam_chunk_summary *summary, lam_arena *arena,
                                  lam_meta_column_index *index, lam_error *error) {
    size_t repetition = summary->page.repetition_levels;
    if (has_repetition(summary)) {
        index->has |= LAM_META_COLUMN_INDEX_HAS_REPETITION_LEVEL_HISTOGRAMS;
        LAM_TRY(gather_histograms(summary, 0, repetition, arena,
                                  &index->repetition_level_histograms, error));
    }
    if (has_definition(summary)) {
        index->has |= LAM_META_COLUMN_INDEX_HAS_DEFINITION_LEVEL_HISTOGRAMS;
        LAM_TRY(gather_histograms(summary, repetition, summary->page.definition_levels, arena,
                                  &index->definition_level_histograms, error));
    }
    return LAM_STATUS_OK;
}

/* Bounds that are all equal are ascending and descending; the format has room for one of them. */
static int32_t boundary_order(const lam_chunk_summary *summary) {
    if (summary->ascending)
        return LAM_META_BOUNDARY_ASCENDING;
    return summary->descending ? LAM_META_BOUNDARY_DESCENDING : LAM_META_BOUNDARY_UNORDERED;
}

/* Pages without values have empty bounds and are marked in null_pages, as the format requires. */
lam_status lam_chunk_summary_column_index(const lam_chunk_summary *summary, lam_arena *arena,
                                          lam_meta_column_index *ret_index, bool *ret_has,
                                          lam_error *error) {
    size_t count = page_count(summary);
    page_lists lists;
    lam_meta_column_index index = {0};
    if (!summary->has_column_index) {
        *ret_has = false;
        return LAM_STATUS_OK;
    }
    LAM_TRY(allocate_lists(arena, count, &lists, error));
    for (size_t i = 0; i < count; i++) {
        const page_entry *page = chunk_summary_entry_at(summary, i);
        lists.nulls[i] = page->is_null;
        lists.mins[i] = min_of(summary, page);
        lists.maxs[i] = max_of(summary, page);
        lists.null_counts[i] = (int64_t)page->null_count;
        lists.nan_counts[i] = (int64_t)page->nan_count;
    }
    index.boundary_order = boundary_order(summary);
    index.null_pages = (lam_meta_bool_list){lists.nulls, (uint32_t)count};
    index.min_values = (lam_meta_bytes_list){lists.mins, (uint32_t)count};
    index.max_values = (lam_meta_bytes_list){lists.maxs, (uint32_t)count};
    index.null_counts = (lam_meta_i64_list){lists.null_counts, (uint32_t)count};
    index.has = LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS;
    if (summary->order.has_nans) {
        index.has |= LAM_META_COLUMN_INDEX_HAS_NAN_COUNTS;
        index.nan_counts = (lam_meta_i64_list){lists.nan_counts, (uint32_t)count};
    }
    LAM_TRY(fill_histograms(summary, arena, &index, error));
    *ret_index = index;
    *ret_has = true;
    return LAM_STATUS_OK;
}

/* PageLocation has 32 bits for a size; the page writer limits bodies to that. */
lam_status lam_chunk_summary_offset_index(const lam_chunk_summary *summary, uint64_t first_page,
                                          lam_arena *arena, lam_meta_offset_index *ret_index,
                                          lam_error *error) {
    size_t count = page_count(summary);
    lam_meta_offset_index index = {0};
    lam_meta_page_location *locations;
    LAM_TRY(LAM_ARENA_ARRAY(arena, count, &locations, error));
    int64_t *bytes;
    LAM_TRY(LAM_ARENA_ARRAY(arena, count, &bytes, error));
    for (size_t i = 0; i < count; i++) {
        const page_entry *page = chunk_summary_entry_at(summary, i);
        locations[i].offset = (int64_t)(first_page + page->offset);
        locations[i].compressed_page_size = (int32_t)page->size;
        locations[i].first_row_index = (int64_t)page->first_row;
        bytes[i] = (int64_t)page->byte_count;
    }
    index.page_locations = (lam_meta_page_location_list){locations, (uint32_t)count};
    if (summary->order.is_varied) {
        index.has = LAM_META_OFFSET_INDEX_HAS_UNENCODED_BYTE_ARRAY_DATA_BYTES;
        index.unencoded_byte_array_data_bytes = (lam_meta_i64_list){bytes, (uint32_t)count};
    }
    *ret_index = index;
    return LAM_STATUS_OK;
}
