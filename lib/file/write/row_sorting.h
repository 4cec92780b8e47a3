/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order that the caller states for the rows of each row group, and the check that rows are in
 * it. (parquet.thrift, RowGroup.sorting_columns)
 *
 * Columns arrive one after the other, so each gives a verdict on every row, compared with the row
 * before it; once all have arrived, the first column in which the two rows differ decides:
 *
 *     by a, then b     row    a  b    verdict of a    verdict of b
 *                       0     1  5    (first row)
 *                       1     1  7    equal           before
 *                       2     1  6    equal           after          <- not sorted
 *                       3     2  0    before          after
 */
#ifndef LAM_FILE_WRITE_ROW_SORTING_H
#define LAM_FILE_WRITE_ROW_SORTING_H

#include <lamella/record.h>

#include "base/buffer.h"
#include "base/list.h"
#include "meta/metadata.h"
#include "stats/sort_key.h"

/* One sorting column and the latest of its rows. */
typedef struct lam_sorting_state {
    const lam_field *leaf;
    lam_sort_key key;
    bool has_last; /* false at the start of a row group */
    bool last_is_null;
    lam_buffer last;     /* PLAIN bytes of the last row */
    lam_buffer verdicts; /* a lam_sort_verdict per row that is not decided, as a byte */
} lam_sorting_state;

typedef struct lam_row_sorting {
    lam_allocator allocator;
    LAM_LIST(lam_meta_sorting_column) stated; /* in order of precedence */
    LAM_LIST(lam_sorting_state) columns;      /* if rows are compared */
    bool checks;                              /* compare rows; else the order is only stated */
    uint64_t row;                             /* of the file: the first that is not decided */
    int32_t row_group;                        /* the open one, for errors */
} lam_row_sorting;

void lam_row_sorting_init(lam_row_sorting *sorting, bool checks, const lam_allocator *allocator);
void lam_row_sorting_finish(lam_row_sorting *sorting);

/*
 * Adds a sorting column below those added before; `order` is the order of its values. The leaf is
 * borrowed until finish. NOMEM.
 */
lam_status lam_row_sorting_add(lam_row_sorting *sorting, const lam_field *leaf,
                               lam_value_order order, bool descending, bool nulls_first,
                               lam_error *error);

/*
 * Compares rows of one leaf, a triple each; leaves that are no sorting column are ignored. NOMEM.
 */
lam_status lam_row_sorting_check(lam_row_sorting *sorting, size_t leaf_index,
                                 const lam_triples *triples, lam_error *error);
/*
 * Decides rows whose sorting columns have all been compared. INVALID, naming the first row that is
 * not in order.
 */
lam_status lam_row_sorting_decide(lam_row_sorting *sorting, uint64_t rows, lam_error *error);
/* Starts a row group: the next row is compared with none. */
void lam_row_sorting_restart(lam_row_sorting *sorting);

#endif
