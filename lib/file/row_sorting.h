/*
 * The order that the caller states for the rows of each row group, and whether they come in it.
 * (parquet.thrift, RowGroup.sorting_columns)
 *
 * Columns arrive one after the other, so each gives a verdict on every row, against the row before
 * it; when all have come, the first column that tells the two apart decides:
 *
 *     by a, then b     row    a  b    verdict of a    verdict of b
 *                       0     1  5    (first row)
 *                       1     1  7    equal           before
 *                       2     1  6    equal           behind         <- not sorted
 *                       3     2  0    before          behind
 */
#ifndef LAM_FILE_ROW_SORTING_H
#define LAM_FILE_ROW_SORTING_H

#include <lamella/record.h>

#include "base/buffer.h"
#include "meta/metadata.h"
#include "stats/sort_key.h"

typedef struct lam_row_sorting {
    lam_allocator allocator;
    lam_buffer stated;  /* lam_meta_sorting_column, the first one first */
    lam_buffer columns; /* a column_order each, when rows are compared */
    bool checks;
    uint64_t row; /* of the file: the first that is not decided */
    int32_t row_group;
} lam_row_sorting;

void lam_row_sorting_init(lam_row_sorting *sorting, bool checks, const lam_allocator *allocator);
void lam_row_sorting_finish(lam_row_sorting *sorting);

/* Adds a column, whose `order` is the column's own. The leaf is borrowed until finish. NOMEM. */
lam_status lam_row_sorting_add(lam_row_sorting *sorting, const lam_field *leaf,
                               lam_value_order order, bool descending, bool nulls_first,
                               lam_error *error);

static inline size_t lam_row_sorting_count(const lam_row_sorting *sorting) {
    return sorting->stated.size / sizeof(lam_meta_sorting_column);
}

/* Looks at rows of one leaf, a triple each. NOMEM. */
lam_status lam_row_sorting_check(lam_row_sorting *sorting, size_t leaf_index,
                                 const lam_triples *triples, lam_error *error);
/* Decides on rows that all columns were looked at for. INVALID with the row that is not sorted. */
lam_status lam_row_sorting_decide(lam_row_sorting *sorting, uint64_t rows, lam_error *error);
/* The next row starts a row group. */
void lam_row_sorting_restart(lam_row_sorting *sorting);

#endif
