/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the Statistics of a chunk or a page into lam_statistics for callers that inspect a file.
 * Each field of the struct is optional; the result shows absence as -1 or NULL data, so that an
 * empty string as a bound differs from no bound.
 *
 * Newer and older bounds are given: min_value and max_value, in the order of the column, and the
 * deprecated min and max, compared signed whatever the type means. The bytes are borrowed from the
 * memory in which the struct was decoded. Nothing is checked. (parquet.thrift, Statistics)
 */
#include "file/read/statistics_info.h"

/* The number if its bit says that it is stated, else -1; booleans become 0 and 1. */
static int64_t statistics_info_if_has(const lam_meta_statistics *statistics, uint32_t bit,
                                      int64_t number) {
    return (statistics->has & bit) != 0 ? number : -1;
}

/* Pages and chunks may leave the entire struct out. */
lam_statistics lam_statistics_of(const lam_meta_statistics *statistics) {
    lam_statistics info = {.null_count = -1,
                           .nan_count = -1,
                           .distinct_count = -1,
                           .is_min_exact = -1,
                           .is_max_exact = -1};
    if (statistics == NULL)
        return info;
    uint32_t has = statistics->has;
    info.null_count = statistics_info_if_has(statistics, LAM_META_STATISTICS_HAS_NULL_COUNT,
                                             statistics->null_count);
    info.nan_count = statistics_info_if_has(statistics, LAM_META_STATISTICS_HAS_NAN_COUNT,
                                            statistics->nan_count);
    info.distinct_count = statistics_info_if_has(statistics, LAM_META_STATISTICS_HAS_DISTINCT_COUNT,
                                                 statistics->distinct_count);
    info.is_min_exact = (int8_t)statistics_info_if_has(
        statistics, LAM_META_STATISTICS_HAS_IS_MIN_VALUE_EXACT, statistics->is_min_value_exact);
    info.is_max_exact = (int8_t)statistics_info_if_has(
        statistics, LAM_META_STATISTICS_HAS_IS_MAX_VALUE_EXACT, statistics->is_max_value_exact);
    info.min_value =
        lam_stated_bytes(has, LAM_META_STATISTICS_HAS_MIN_VALUE, statistics->min_value);
    info.max_value =
        lam_stated_bytes(has, LAM_META_STATISTICS_HAS_MAX_VALUE, statistics->max_value);
    info.old_min = lam_stated_bytes(has, LAM_META_STATISTICS_HAS_MIN, statistics->min);
    info.old_max = lam_stated_bytes(has, LAM_META_STATISTICS_HAS_MAX, statistics->max);
    return info;
}
