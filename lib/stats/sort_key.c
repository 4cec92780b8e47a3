/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares two rows by one sorting column. Takes cells as PLAIN bytes or nulls; gives a verdict,
 * UNKNOWN if the column does not order a value. nulls_first alone decides on nulls: descending does
 * not reverse it.
 *
 * Swapping the rows always swaps BEFORE and BEHIND. (parquet.thrift, SortingColumn)
 */
#include "stats/sort_key.h"

/* Names the sign of a comparison. */
static lam_sort_verdict verdict_of(int order) {
    return order < 0 ? LAM_SORT_BEFORE : order > 0 ? LAM_SORT_BEHIND : LAM_SORT_EQUAL;
}

lam_sort_verdict lam_sort_key_compare(const lam_sort_key *key, lam_sort_cell first,
                                      lam_sort_cell second) {
    if (first.is_null || second.is_null) {
        int order = (int)second.is_null - (int)first.is_null;
        return verdict_of(key->nulls_first ? order : -order);
    }
    if (!key->order.is_total &&
        (lam_value_is_nan(&key->order, first.value) || lam_value_is_nan(&key->order, second.value)))
        return LAM_SORT_UNKNOWN;
    int order = lam_value_compare(&key->order, first.value, second.value);
    return verdict_of(key->descending ? -order : order);
}
