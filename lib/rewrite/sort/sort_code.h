/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of rows as bytes whose order, byte by byte, is that of the rows: of all sort keys, nulls and
 * directions. Rows are then sorted and merged regardless of types.
 */
#ifndef LAM_REWRITE_SORT_SORT_CODE_H
#define LAM_REWRITE_SORT_SORT_CODE_H

#include <lamella/record.h>

#include "base/buffer.h"
#include "stats/value_order.h"

/* One sort key. */
typedef struct lam_sort_code {
    const lam_field *leaf;
    lam_value_order order;
    bool descending;
    bool nulls_first;
    bool has_nans; /* a NaN was coded */
} lam_sort_code;

/* Whether values of the leaf have an order. */
bool lam_sort_code_exists(const lam_field *leaf);
lam_sort_code lam_sort_code_of(const lam_field *leaf, bool descending, bool nulls_first);

/*
 * The most bytes that a value takes, a mark for nulls included; 0 without a bound, as for values of
 * any length.
 */
size_t lam_sort_code_size(const lam_sort_code *code);

/* Appends the code of a value, PLAIN bytes that fit the order, or of a null (NULL). NOMEM. */
lam_status lam_sort_code_append(lam_sort_code *code, const lam_bytes *value, lam_buffer *out,
                                lam_error *error);

#endif
