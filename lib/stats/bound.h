/*
 * Bounds as statistics and the page index hold them: the minimum and maximum of some values, where
 * long ones give way to shorter values that bound as well.
 * (parquet.thrift, Statistics.max_value and ColumnIndex.min_values)
 */
#ifndef LAM_STATS_BOUND_H
#define LAM_STATS_BOUND_H

#include "base/buffer.h"
#include "stats/value_order.h"

/* Whether a shorter value stands for a long one, and what it must still be. */
typedef enum lam_bound_kind {
    LAM_BOUND_WHOLE, /* only the value itself will do */
    LAM_BOUND_BYTES, /* any bytes */
    LAM_BOUND_TEXT   /* whole UTF-8 characters */
} lam_bound_kind;

lam_bound_kind lam_bound_kind_of(const lam_field *leaf, const lam_value_order *order);

/*
 * The size of the lower bound of a value: a prefix of at most `limit` bytes, or the whole value.
 */
size_t lam_bound_lower(lam_bound_kind kind, lam_bytes value, size_t limit);

/*
 * Appends an upper bound of a value to `out`: a prefix of at most `limit` bytes whose last byte or
 * character that can be raised is raised by one, or the whole value when it is not longer or none
 * can be. NOMEM.
 */
lam_status lam_bound_upper(lam_bound_kind kind, lam_bytes value, size_t limit, lam_buffer *out,
                           lam_error *error);

#endif
