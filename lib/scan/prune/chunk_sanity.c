/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the statements of a file about one chunk with each other: statistics, size statistics,
 * page counts, offset index, column index. Takes lam_chunk_claims, with all that is certainly known
 * about the chunk, and gives facts, or a yes or no.
 *
 * Each function below tests one relation that holds in every honest file: histograms that add up to
 * num_values, null counts that match the definition levels, pages side by side, bounds in order.
 * The invariant: a statement is believed only if every relation that concerns it holds. A relation
 * that cannot be tested, because one side is absent, counts as held. No function here reads from
 * the file, and none fails: a contradiction only makes facts say less. (parquet.thrift, Statistics,
 * SizeStatistics, OffsetIndex, ColumnIndex; PageIndex.md)
 */
#include "scan/prune/chunk_sanity.h"

#include "base/checked.h"
#include "meta/index_lists.h"
#include "meta/known_faults.h"

/* A NaN has no order, so it is no bound, although writers do state it. */
static bool is_bound(const lam_value_order *order, lam_bytes bytes) {
    return lam_value_fits(order, bytes) && !lam_value_is_nan(order, bytes);
}

bool lam_bounds_are_sane(const lam_value_order *order, lam_bytes min, lam_bytes max) {
    return is_bound(order, min) && is_bound(order, max) && lam_value_compare(order, min, max) <= 0;
}

/*
 * Two values of the column that can be bounds of honest writers: either may be a NaN; otherwise min
 * is not above max.
 */
static bool are_possible(const lam_value_order *order, lam_bytes min, lam_bytes max) {
    if (!lam_value_fits(order, min) || !lam_value_fits(order, max))
        return false;
    return lam_value_is_nan(order, min) || lam_value_is_nan(order, max) ||
           lam_value_compare(order, min, max) <= 0;
}

/*
 * Whether `counts`, one per level up to `last`, is a histogram of `triples` levels: no count is
 * negative, and they add up. Gives the count at level `last`; of definition levels, that is the
 * number of values. With maximum 2, [1, 0, 4] is a histogram of 5 levels and 4 values.
 */
static bool is_histogram(const int64_t *counts, size_t last, uint64_t triples, uint64_t *ret_last) {
    uint64_t sum = 0;
    for (size_t i = 0; i <= last; i++)
        if (counts[i] < 0 || !lam_add_u64(sum, (uint64_t)counts[i], &sum))
            return false;
    *ret_last = (uint64_t)counts[last];
    return sum == triples;
}

/* --- Statistics ---------------------------------------------------------------------------- */

/* Whether all fields of a set are stated. */
static bool chunk_sanity_states(const lam_meta_statistics *statistics, uint32_t bits) {
    return (statistics->has & bits) == bits;
}

/* A bound counts only together with its counterpart: one alone cannot be checked. */
enum {
    NEW_BOUNDS = LAM_META_STATISTICS_HAS_MIN_VALUE | LAM_META_STATISTICS_HAS_MAX_VALUE,
    OLD_BOUNDS = LAM_META_STATISTICS_HAS_MIN | LAM_META_STATISTICS_HAS_MAX
};

/* Each row has at least one triple, and exactly one if nothing repeats. */
static bool goes_with_rows(const lam_chunk_claims *claims, int64_t triples) {
    return triples >= 0 &&
           (claims->leaf->max_repetition == 0 ? (uint64_t)triples == claims->row_count
                                              : (uint64_t)triples >= claims->row_count);
}

/*
 * Compares the size statistics with triples, rows and nulls: repetition level 0 begins each row,
 * and the highest definition level is a value; the others are the nulls of null_count.
 */
static bool goes_with_sizes(const lam_chunk_claims *claims, const lam_meta_statistics *statistics) {
    const lam_meta_size_statistics *sizes = claims->column->size_statistics;
    uint64_t triples = (uint64_t)claims->column->num_values, values, unused;
    size_t r = claims->leaf->max_repetition, d = claims->leaf->max_definition;
    if (sizes == NULL)
        return true;
    const lam_meta_i64_list *list = &sizes->repetition_level_histogram;
    if (list->count != 0 &&
        (list->count != r + 1 || !is_histogram(list->items, r, triples, &unused) ||
         (uint64_t)list->items[0] != claims->row_count))
        return false;
    list = &sizes->definition_level_histogram;
    if (list->count == 0)
        return true;
    if (list->count != d + 1 || !is_histogram(list->items, d, triples, &values))
        return false;
    return !chunk_sanity_states(statistics, LAM_META_STATISTICS_HAS_NULL_COUNT) ||
           triples - values == (uint64_t)statistics->null_count;
}

/*
 * Nulls and NaNs are at most the triples and the values. A required column has no nulls, and a
 * chunk of nulls has no values to bound.
 */
static bool are_counts_sane(const lam_chunk_claims *claims, const lam_meta_statistics *statistics) {
    int64_t triples = claims->column->num_values, values = triples;
    bool has_bounds = (statistics->has & (NEW_BOUNDS | OLD_BOUNDS)) != 0;
    if (chunk_sanity_states(statistics, LAM_META_STATISTICS_HAS_NULL_COUNT)) {
        int64_t nulls = statistics->null_count;
        if (nulls < 0 || nulls > triples || (nulls > 0 && claims->leaf->max_definition == 0) ||
            (nulls == triples && has_bounds)) /* bounds of nothing */
            return false;
        values -= nulls;
    }
    return !claims->order.has_nans ||
           !chunk_sanity_states(statistics, LAM_META_STATISTICS_HAS_NAN_COUNT) ||
           (statistics->nan_count >= 0 && statistics->nan_count <= values);
}

/*
 * A bound that is NaN contradicts a NaN count of 0; bounds that are numbers contradict a chunk in
 * which every value is a NaN. `values` is -1 if it is not known.
 */
static bool go_nans_with_bounds(const lam_chunk_claims *claims, int64_t nan_count, int64_t values,
                                lam_bytes min, lam_bytes max) {
    const lam_value_order *order = &claims->order;
    bool nan_bound = lam_value_is_nan(order, min) || lam_value_is_nan(order, max);
    return !(nan_bound && nan_count == 0) && !(!nan_bound && values > 0 && nan_count == values);
}

/*
 * Whether the deprecated bounds equal the newer ones if both are stated. They must for types whose
 * order is the signed one; for others the deprecated ones mean something else.
 */
static bool are_bounds_same(const lam_chunk_claims *claims, const lam_meta_statistics *statistics) {
    lam_comparison comparison = claims->order.comparison;
    if (!chunk_sanity_states(statistics, NEW_BOUNDS | OLD_BOUNDS) ||
        (comparison != LAM_COMPARISON_SIGNED_32 && comparison != LAM_COMPARISON_SIGNED_64 &&
         comparison != LAM_COMPARISON_BOOLEAN))
        return true;
    return lam_value_fits(&claims->order, statistics->min) &&
           lam_value_fits(&claims->order, statistics->max) &&
           lam_value_compare(&claims->order, statistics->min, statistics->min_value) == 0 &&
           lam_value_compare(&claims->order, statistics->max, statistics->max_value) == 0;
}

/*
 * Whether the newer bounds can be bounds of this column: values of it, in order, in agreement with
 * nulls and NaNs. Without an order of the type they are not compared with anything, so any will do.
 */
static bool are_bounds_possible(const lam_chunk_claims *claims,
                                const lam_meta_statistics *statistics) {
    const lam_value_order *order = &claims->order;
    if (order->comparison == LAM_COMPARISON_UNDEFINED)
        return true; /* never compared with */
    if ((chunk_sanity_states(statistics, LAM_META_STATISTICS_HAS_MIN_VALUE) &&
         !lam_value_fits(order, statistics->min_value)) ||
        (chunk_sanity_states(statistics, LAM_META_STATISTICS_HAS_MAX_VALUE) &&
         !lam_value_fits(order, statistics->max_value)))
        return false;
    if (!chunk_sanity_states(statistics, NEW_BOUNDS))
        return true;
    int64_t values = claims->column->num_values;
    if (chunk_sanity_states(statistics, LAM_META_STATISTICS_HAS_NULL_COUNT))
        values -= statistics->null_count;
    if (order->has_nans && chunk_sanity_states(statistics, LAM_META_STATISTICS_HAS_NAN_COUNT) &&
        !go_nans_with_bounds(claims, statistics->nan_count, values, statistics->min_value,
                             statistics->max_value))
        return false;
    return are_possible(order, statistics->min_value, statistics->max_value) &&
           are_bounds_same(claims, statistics);
}

/* Adds bounds to the facts if they can be compared with values: sane, and no NaN. */
static void set_bounds(lam_filter_facts *facts, const lam_value_order *order, lam_bytes min,
                       lam_bytes max) {
    if (order->comparison == LAM_COMPARISON_UNDEFINED || !lam_bounds_are_sane(order, min, max))
        return;
    facts->has_bounds = true;
    facts->min = min;
    facts->max = max;
}

/*
 * The deprecated bounds are compared signed, so they serve only types whose order that is: not
 * strings, unsigned integers or floats.
 */
static void set_old_bounds(lam_filter_facts *facts, const lam_field *leaf,
                           const lam_meta_statistics *statistics) {
    lam_value_order order = lam_value_order_of(leaf, LAM_META_COLUMN_ORDER_TYPE);
    if (order.comparison == LAM_COMPARISON_SIGNED_32 ||
        order.comparison == LAM_COMPARISON_SIGNED_64 || order.comparison == LAM_COMPARISON_BOOLEAN)
        set_bounds(facts, &order, statistics->min, statistics->max);
}

/*
 * Facts by the statistics. num_values must fit the rows, or no statistics are believed; one
 * contradiction among them drops all of them. The writer's known faults then remove statements that
 * are untrue without a contradiction.
 */
lam_filter_facts lam_chunk_statistics_facts(const lam_chunk_claims *claims) {
    lam_filter_facts facts = lam_filter_facts_none();
    const lam_meta_statistics *statistics = claims->column->statistics;
    if (!goes_with_rows(claims, claims->column->num_values))
        return facts;
    facts.triple_count = claims->column->num_values;
    if (statistics == NULL || !are_counts_sane(claims, statistics) ||
        !goes_with_sizes(claims, statistics) || !are_bounds_possible(claims, statistics))
        return facts;
    if (chunk_sanity_states(statistics, LAM_META_STATISTICS_HAS_NULL_COUNT) &&
        !lam_known_faults_spoil_null_counts(claims->faults, claims->leaf))
        facts.null_count = statistics->null_count;
    if (chunk_sanity_states(statistics, LAM_META_STATISTICS_HAS_NAN_COUNT))
        facts.nan_count = statistics->nan_count;
    if (lam_known_faults_spoil_statistics(claims->faults, claims->leaf))
        return facts;
    if (chunk_sanity_states(statistics, NEW_BOUNDS))
        set_bounds(&facts, &claims->order, statistics->min_value, statistics->max_value);
    else if (chunk_sanity_states(statistics, OLD_BOUNDS))
        set_old_bounds(&facts, claims->leaf, statistics);
    return facts;
}

/* --- The offset index ---------------------------------------------------------------------- */

/* False if encoding_stats counts another number of data pages than the offset index lists. */
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

/* The first data page begins the chunk, or follows a dictionary page. */
static bool is_first_sane(const lam_meta_column *column, lam_chunk_range range, uint64_t offset) {
    bool has_dictionary = (column->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0;
    for (uint32_t i = 0; i < column->encodings.count; i++)
        has_dictionary |= column->encodings.items[i] == LAM_ENCODING_PLAIN_DICTIONARY ||
                          column->encodings.items[i] == LAM_ENCODING_RLE_DICTIONARY;
    if (offset != range.offset && !has_dictionary)
        return false;
    /* Some writers state the dictionary's offset as data_page_offset, or 0. */
    uint64_t stated = (uint64_t)column->data_page_offset;
    return column->data_page_offset <= 0 || stated == offset || stated == range.offset;
}

/*
 * Pages must be side by side from the first data page to the chunk's end, and their first rows must
 * rise from 0 and stay below the row count. A gap could hide a page, and a repeated first row would
 * make a page of no rows.
 */
bool lam_offset_index_is_sane(const lam_chunk_claims *claims, lam_chunk_range range,
                              const lam_meta_offset_index *offsets) {
    const uint32_t of_pages = LAM_FAULT_OFFSET_INDEX | LAM_FAULT_LIST_PAGES;
    const lam_meta_page_location_list *pages = &offsets->page_locations;
    uint64_t end = range.offset + range.size;
    if ((lam_known_faults_of_leaf(claims->faults, claims->leaf) & of_pages) != 0 ||
        pages->count == 0 || pages->items[0].first_row_index != 0 ||
        !is_page_count_sane(claims->column, pages->count) || pages->items[0].offset < 0 ||
        (uint64_t)pages->items[0].offset < range.offset ||
        !is_first_sane(claims->column, range, (uint64_t)pages->items[0].offset))
        return false;
    if (!lam_offset_index_lists_fit(offsets))
        return false;
    uint64_t offset = (uint64_t)pages->items[0].offset;
    int64_t row = -1;
    for (uint32_t i = 0; i < pages->count; i++) {
        const lam_meta_page_location *page = &pages->items[i];
        if ((uint64_t)page->offset != offset || page->compressed_page_size <= 0 ||
            page->first_row_index <= row || (uint64_t)page->first_row_index >= claims->row_count ||
            !lam_range_fits(offset, (uint64_t)page->compressed_page_size, end))
            return false;
        offset += (uint64_t)page->compressed_page_size;
        row = page->first_row_index;
    }
    return offset == end;
}

/* --- The column index ---------------------------------------------------------------------- */

/*
 * One page of the column index under test, and the statements of the offset index and the lists
 * about it.
 */
typedef struct page_claims {
    const lam_chunk_claims *of;
    const lam_meta_column_index *index;
    uint32_t page;
    uint64_t rows; /* by the offset index */
    bool is_null;
    int64_t nulls; /* -1 if not stated */
    int64_t nans;  /* likewise */
} page_claims;

/*
 * Whether every list has one element per page, or one per page and level. Tested first: all later
 * accesses by page number depend on it.
 */
static bool are_lists_sane(const lam_chunk_claims *claims, uint32_t pages,
                           const lam_meta_column_index *index) {
    return index->null_pages.count == pages &&
           lam_column_index_wrong_list(index, claims->leaf->max_repetition,
                                       claims->leaf->max_definition) == NULL;
}

/*
 * Whether the counts of a page go with its rows. In a flat column each row is one triple, so they
 * are known: a null page has as many nulls as rows. In others a page has at least as many triples
 * as rows.
 */
static bool are_page_counts_sane(const page_claims *page) {
    const lam_field *leaf = page->of->leaf;
    bool is_flat = leaf->max_repetition == 0;
    if (leaf->max_definition == 0 && (page->nulls > 0 || page->is_null))
        return false;
    if (page->nulls < 0)
        return true;
    uint64_t nulls = (uint64_t)page->nulls;
    if (is_flat ? nulls > page->rows || page->is_null != (nulls == page->rows)
                : page->is_null && nulls < page->rows)
        return false;
    return !page->of->order.has_nans || page->nans < 0 || !is_flat ||
           (uint64_t)page->nans <= page->rows - nulls;
}

/*
 * Whether the histograms of a page go with its rows, nulls and null_pages. The number of its
 * triples is the sum of the repetition histogram, or of the definition histogram if only that is
 * there; in flat columns it is the number of rows. Sums that wrap around are found by is_histogram,
 * which checks for overflow.
 */
static bool go_levels_with_page(const page_claims *page) {
    const lam_meta_column_index *index = page->index;
    const lam_field *leaf = page->of->leaf;
    size_t r = leaf->max_repetition, d = leaf->max_definition;
    uint64_t triples = page->rows, values = 0, unused;
    if (index->repetition_level_histograms.count != 0) {
        const int64_t *counts = index->repetition_level_histograms.items + page->page * (r + 1);
        triples = 0;
        for (size_t i = 0; i <= r; i++)
            triples += counts[i] < 0 ? 0 : (uint64_t)counts[i];
        if (!is_histogram(counts, r, triples, &unused) || (uint64_t)counts[0] != page->rows)
            return false;
    }
    if (index->definition_level_histograms.count == 0)
        return true;
    const int64_t *counts = index->definition_level_histograms.items + page->page * (d + 1);
    if (r > 0 && index->repetition_level_histograms.count == 0) {
        triples = 0;
        for (size_t i = 0; i <= d; i++)
            triples += counts[i] < 0 ? 0 : (uint64_t)counts[i];
    }
    if (!is_histogram(counts, d, triples, &values) || page->is_null != (values == 0))
        return false;
    return page->nulls < 0 || (uint64_t)page->nulls == triples - values;
}

/*
 * Whether the bounds of a page are values of the column in order. Those of a null page are empty
 * (parquet.thrift, ColumnIndex.null_pages).
 */
static bool are_page_bounds_sane(const page_claims *page) {
    lam_bytes min = page->index->min_values.items[page->page];
    lam_bytes max = page->index->max_values.items[page->page];
    const lam_value_order *order = &page->of->order;
    if (page->is_null)
        return min.size == 0 && max.size == 0;
    if (order->comparison == LAM_COMPARISON_UNDEFINED)
        return true;
    if (!are_possible(order, min, max))
        return false;
    if (!order->has_nans || page->nans < 0)
        return true;
    bool is_known = page->of->leaf->max_repetition == 0 && page->nulls >= 0;
    int64_t values = is_known ? (int64_t)page->rows - page->nulls : -1;
    return go_nans_with_bounds(page->of, page->nans, values, min, max);
}

/*
 * Whether the bounds are in the order that boundary_order states, null pages and pages bounded by
 * NaN skipped. Both lists must rise, or both fall.
 */
static bool is_boundary_order_sane(const lam_chunk_claims *claims,
                                   const lam_meta_column_index *index) {
    const lam_value_order *order = &claims->order;
    int32_t stated = index->boundary_order;
    if (stated < LAM_META_BOUNDARY_UNORDERED || stated > LAM_META_BOUNDARY_DESCENDING)
        return false;
    if (stated == LAM_META_BOUNDARY_UNORDERED || order->comparison == LAM_COMPARISON_UNDEFINED)
        return true;
    uint32_t before = UINT32_MAX;
    for (uint32_t i = 0; i < index->null_pages.count; i++) {
        if (index->null_pages.items[i] || !is_bound(order, index->min_values.items[i]) ||
            !is_bound(order, index->max_values.items[i]))
            continue;
        if (before != UINT32_MAX) {
            int min = lam_value_compare(order, index->min_values.items[before],
                                        index->min_values.items[i]);
            int max = lam_value_compare(order, index->max_values.items[before],
                                        index->max_values.items[i]);
            if (stated == LAM_META_BOUNDARY_ASCENDING ? min > 0 || max > 0 : min < 0 || max < 0)
                return false;
        }
        before = i;
    }
    return true;
}

/*
 * The rows of a page end where the next page begins; `pages` is sane, so the difference is
 * positive.
 */
bool lam_column_index_is_sane(const lam_chunk_claims *claims, lam_page_locations pages,
                              const lam_meta_column_index *index) {
    if (!are_lists_sane(claims, pages.count, index))
        return false;
    for (uint32_t i = 0; i < pages.count; i++) {
        uint64_t end =
            i + 1 < pages.count ? (uint64_t)pages.items[i + 1].first_row_index : claims->row_count;
        page_claims page = {claims,
                            index,
                            i,
                            end - (uint64_t)pages.items[i].first_row_index,
                            index->null_pages.items[i],
                            -1,
                            -1};
        if ((index->has & LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS) != 0)
            page.nulls = index->null_counts.items[i];
        if ((index->has & LAM_META_COLUMN_INDEX_HAS_NAN_COUNTS) != 0)
            page.nans = index->nan_counts.items[i];
        if (((index->has & LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS) != 0 && page.nulls < 0) ||
            ((index->has & LAM_META_COLUMN_INDEX_HAS_NAN_COUNTS) != 0 && page.nans < 0) ||
            !are_page_counts_sane(&page) || !go_levels_with_page(&page) ||
            !are_page_bounds_sane(&page))
            return false;
    }
    return is_boundary_order_sane(claims, index);
}

/* --- Both ---------------------------------------------------------------------------------- */

/* Whether `bytes` begins with `prefix` and continues after it. */
static bool is_prefix(lam_bytes prefix, lam_bytes bytes) {
    return prefix.size < bytes.size &&
           (prefix.size == 0 || memcmp(prefix.data, bytes.data, prefix.size) == 0);
}

/*
 * Compares the outermost bounds of the pages with those of the chunk. Numbers are never shortened,
 * so they must be equal. Bounds of byte arrays may be, each at its own length; but an exact bound
 * of the chunk is a value, which must be within the bounds of the pages. And if the chunk's maximum
 * merely continues that of the pages ("abcd" and "ab"), the latter was shortened without being
 * raised to "ac", so that it is below values of its page.
 */
static bool do_extremes_agree(const lam_chunk_claims *claims, const lam_filter_facts *chunk,
                              lam_bytes min, lam_bytes max) {
    const lam_value_order *order = &claims->order;
    const lam_meta_statistics *statistics = claims->column->statistics;
    int low = lam_value_compare(order, min, chunk->min);
    int high = lam_value_compare(order, max, chunk->max);
    if (!order->is_varied)
        return low == 0 && high == 0;
    if (chunk_sanity_states(statistics, LAM_META_STATISTICS_HAS_IS_MIN_VALUE_EXACT) &&
        statistics->is_min_value_exact && low > 0)
        return false;
    if (chunk_sanity_states(statistics, LAM_META_STATISTICS_HAS_IS_MAX_VALUE_EXACT) &&
        statistics->is_max_value_exact && high < 0)
        return false;
    return high >= 0 || order->comparison != LAM_COMPARISON_BYTES || !is_prefix(max, chunk->max);
}

/* False if a page's bounds are outside of the chunk's, or if the outermost ones do not fit them. */
static bool do_bounds_agree(const lam_chunk_claims *claims, const lam_filter_facts *chunk,
                            const lam_meta_column_index *index) {
    const lam_value_order *order = &claims->order;
    const lam_bytes *least = NULL, *most = NULL;
    bool has_nans = false;
    for (uint32_t i = 0; i < index->null_pages.count; i++) {
        const lam_bytes *min = &index->min_values.items[i], *max = &index->max_values.items[i];
        if (index->null_pages.items[i])
            continue;
        if (!is_bound(order, *min) || !is_bound(order, *max)) {
            has_nans = true;
            continue;
        }
        if (lam_value_compare(order, *min, chunk->max) > 0 ||
            lam_value_compare(order, *max, chunk->min) < 0)
            return false;
        if (least == NULL || lam_value_compare(order, *min, *least) < 0)
            least = min;
        if (most == NULL || lam_value_compare(order, *max, *most) > 0)
            most = max;
    }
    if (least == NULL)
        return has_nans; /* else all pages are null, yet the chunk has bounds */
    return do_extremes_agree(claims, chunk, *least, *most);
}

/* Whether the counts of all pages add up to the chunk's `total`; true if either is not stated. */
static bool is_sum(uint32_t has, uint32_t bit, const lam_meta_i64_list *counts, int64_t total) {
    uint64_t sum = 0;
    if ((has & bit) == 0 || total < 0)
        return true;
    for (uint32_t i = 0; i < counts->count; i++)
        if (counts->items[i] < 0 || !lam_add_u64(sum, (uint64_t)counts->items[i], &sum))
            return false;
    return sum == (uint64_t)total;
}

/* Both sides are sane by themselves; together they must agree. */
bool lam_column_index_agrees(const lam_chunk_claims *claims, const lam_filter_facts *chunk,
                             const lam_meta_column_index *index) {
    return is_sum(index->has, LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS, &index->null_counts,
                  chunk->null_count) &&
           is_sum(index->has, LAM_META_COLUMN_INDEX_HAS_NAN_COUNTS, &index->nan_counts,
                  chunk->nan_count) &&
           (!chunk->has_bounds || claims->order.comparison == LAM_COMPARISON_UNDEFINED ||
            do_bounds_agree(claims, chunk, index));
}
