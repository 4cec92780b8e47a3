/* SPDX-License-Identifier: Apache-2.0 */
/* Puts rows of several batches together in any order. */
#ifndef LAM_REWRITE_SORT_SORT_GATHER_H
#define LAM_REWRITE_SORT_SORT_GATHER_H

#include <lamella/record.h>

#include "base/buffer.h"
#include "base/list.h"
#include "schema/tree.h"

/*
 * A batch of rows that can be picked: the beginning of each row in each leaf, if it does not follow
 * from the row's number.
 */
typedef struct lam_sort_batch {
    const lam_schema *schema;
    LAM_LIST(lam_triples) columns; /* by leaf; their arrays are the owner's */
    size_t rows;
    lam_buffer *triples; /* by leaf: uint32_t, the first triple of each row, and of the row past the
                          * last; empty: the row's number */
    lam_buffer *values;  /* likewise its first value; empty: its first triple */
} lam_sort_batch;

/* Makes room for the leaves; finish is allowed after a failure. */
lam_status lam_sort_batch_init(lam_sort_batch *batch, const lam_schema *schema,
                               const lam_allocator *allocator, lam_error *error);
void lam_sort_batch_finish(lam_sort_batch *batch);
/* Finds where rows begin, once the columns are set. LIMIT beyond 2^32 triples, NOMEM. */
lam_status lam_sort_batch_index(lam_sort_batch *batch, size_t rows, lam_error *error);

typedef struct lam_sort_pick {
    uint32_t batch;
    uint32_t row;
} lam_sort_pick;

/* Memory for the columns of picked rows. */
typedef struct lam_sort_gather {
    const lam_schema *schema;
    LAM_LIST(lam_triples) columns; /* by leaf */
    lam_buffer *repetition;        /* by leaf, as the next two are */
    lam_buffer *definition;
    lam_buffer *values;
} lam_sort_gather;

lam_status lam_sort_gather_init(lam_sort_gather *gather, const lam_schema *schema,
                                const lam_allocator *allocator, lam_error *error);
void lam_sort_gather_finish(lam_sort_gather *gather);

/*
 * Gives the picked rows in the order of the picks, one lam_triples by leaf, borrowed until the next
 * call. Byte arrays are views of those in the batches.
 */
lam_status lam_sort_gather_rows(lam_sort_gather *gather, const lam_sort_batch *const *batches,
                                const lam_sort_pick *picks, size_t count,
                                const lam_triples **ret_columns, lam_error *error);

#endif
