/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts values and widens bounds. Takes elements of lam_triples.values; keeps minimum and maximum
 * as copies of PLAIN bytes, since values are borrowed from a page that is freed. The invariant:
 * with `has_bounds`, min <= v <= max for every value v that was added and is not a NaN, in the
 * order of the column; bounds are NaNs only while there are no other values, and only in total
 * order. (parquet.thrift, ColumnOrder, on NaNs in statistics)
 */
#include "stats/value_summary.h"

#include "base/alloc.h"
#include "base/error.h"

/* One allocation holds both histograms; the buffers take none before the first bound. */
lam_status lam_value_summary_init(lam_value_summary *summary, const lam_kernels *kernels,
                                  const lam_field *leaf, lam_value_order order,
                                  const lam_allocator *allocator, lam_error *error) {
    memset(summary, 0, sizeof *summary);
    summary->kernels = kernels;
    summary->order = order;
    summary->repetition_levels = (size_t)lam_field_max_repetition(leaf) + 1;
    summary->definition_levels = (size_t)lam_field_max_definition(leaf) + 1;
    lam_buffer_init(&summary->min, allocator);
    lam_buffer_init(&summary->max, allocator);
    LAM_TRY(LAM_ARRAY(allocator, summary->repetition_levels + summary->definition_levels,
                      &summary->histograms, error));
    return LAM_STATUS_OK;
}

static size_t level_count(const lam_value_summary *summary) {
    return summary->repetition_levels + summary->definition_levels;
}

/* Also of a summary whose init failed: freeing NULL has no effect. */
void lam_value_summary_finish(lam_value_summary *summary) {
    lam_free(&summary->min.allocator, summary->histograms, level_count(summary) * sizeof(uint64_t));
    summary->histograms = NULL;
    lam_buffer_finish(&summary->min);
    lam_buffer_finish(&summary->max);
}

/* Keeps the bytes of the bounds: has_bounds decides whether they mean anything. */
void lam_value_summary_clear(lam_value_summary *summary) {
    summary->value_count = 0;
    summary->nan_count = 0;
    summary->byte_count = 0;
    summary->has_bounds = false;
    summary->bounds_are_nan = false;
    for (size_t i = 0; i < level_count(summary); i++)
        summary->histograms[i] = 0;
}

/*
 * Copies a value over a bound, which must be a value as readers know them: a decimal without bytes,
 * which compares as 0, is not one, and its bound has the one byte of 0.
 */
static lam_status replace(const lam_value_order *order, lam_buffer *bound, lam_bytes value,
                          lam_error *error) {
    static const uint8_t zero = 0;
    if (order->comparison == LAM_COMPARISON_DECIMAL && value.size == 0)
        value = (lam_bytes){&zero, sizeof zero};
    lam_buffer_clear(bound);
    return lam_buffer_append(bound, value.data, value.size, error);
}

/*
 * NaNs are bounds only without other values: the first real number replaces them, and later NaNs
 * have no effect.
 */
lam_status lam_value_summary_widen(lam_value_summary *summary, lam_bytes min, lam_bytes max,
                                   bool are_nan, lam_error *error) {
    if (summary->order.comparison == LAM_COMPARISON_UNDEFINED)
        return LAM_STATUS_OK;
    bool starts = !summary->has_bounds || (summary->bounds_are_nan && !are_nan);
    if (!starts && are_nan && !summary->bounds_are_nan)
        return LAM_STATUS_OK;
    if (starts || lam_value_compare(&summary->order, min, lam_buffer_bytes(&summary->min)) < 0)
        LAM_TRY(replace(&summary->order, &summary->min, min, error));
    if (starts || lam_value_compare(&summary->order, max, lam_buffer_bytes(&summary->max)) > 0)
        LAM_TRY(replace(&summary->order, &summary->max, max, error));
    summary->has_bounds = true;
    summary->bounds_are_nan = are_nan;
    return LAM_STATUS_OK;
}

/* In type order NaNs are not ordered: without other values, there are no bounds. */
lam_status lam_value_summary_bound(lam_value_summary *summary, const void *values, size_t count,
                                   lam_error *error) {
    const lam_value_order *order = &summary->order;
    uint8_t min[LAM_VALUE_SCRATCH], max[LAM_VALUE_SCRATCH];
    if (order->comparison == LAM_COMPARISON_UNDEFINED || count == 0)
        return LAM_STATUS_OK;
    lam_value_extremes found = lam_value_scan(summary->kernels, order, values, count);
    summary->nan_count += found.nan_count;
    bool are_nan = found.nan_count == count;
    if (are_nan && !order->is_total)
        return LAM_STATUS_OK;
    return lam_value_summary_widen(summary, lam_value_plain(order, values, found.min, min),
                                   lam_value_plain(order, values, found.max, max), are_nan, error);
}

lam_status lam_value_summary_add(lam_value_summary *summary, const void *values, size_t count,
                                 lam_error *error) {
    summary->value_count += count;
    if (summary->order.is_varied)
        for (size_t i = 0; i < count; i++)
            summary->byte_count += ((const lam_bytes *)values)[i].size;
    return lam_value_summary_bound(summary, values, count, error);
}

/* Levels are counted by page as well, hence histograms add up here. */
lam_status lam_value_summary_merge(lam_value_summary *summary, const lam_value_summary *other,
                                   lam_error *error) {
    summary->value_count += other->value_count;
    summary->nan_count += other->nan_count;
    summary->byte_count += other->byte_count;
    for (size_t i = 0; i < level_count(summary); i++)
        summary->histograms[i] += other->histograms[i];
    if (!other->has_bounds)
        return LAM_STATUS_OK;
    return lam_value_summary_widen(summary, lam_buffer_bytes(&other->min),
                                   lam_buffer_bytes(&other->max), other->bounds_are_nan, error);
}
