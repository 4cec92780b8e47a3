/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds as statistics and the page index hold them: minimum and maximum of some values, where
 * shorter values that bound as well may replace long ones. (parquet.thrift, Statistics.max_value
 * and ColumnIndex.min_values)
 */
#ifndef LAM_STATS_BOUND_H
#define LAM_STATS_BOUND_H

#include "base/buffer.h"
#include "stats/value_order.h"

/* Whether a shorter value may replace a long one, and of which kind it must be. */
typedef enum lam_bound_kind {
    LAM_BOUND_WHOLE, /* no: the value itself */
    LAM_BOUND_BYTES, /* any bytes */
    LAM_BOUND_TEXT   /* complete UTF-8 characters */
} lam_bound_kind;

/* Gives the kind for a leaf with this order. */
lam_bound_kind lam_bound_kind_of(const lam_field *leaf, const lam_value_order *order);

/*
 * Gives the size of the lower bound of a value: that of a prefix of at most `limit` bytes, or of
 * the entire value.
 */
size_t lam_bound_lower(lam_bound_kind kind, lam_bytes value, size_t limit);

/*
 * Appends an upper bound of a value to `out`: a prefix of at most `limit` bytes, with the last byte
 * or character that has a successor raised to it and the rest cut, or the entire value when it is
 * not longer or no character can be raised. NOMEM.
 */
lam_status lam_bound_upper(lam_bound_kind kind, lam_bytes value, size_t limit, lam_buffer *out,
                           lam_error *error);

#endif
