/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of triples, cut at record boundaries and checked before they are written. */
#ifndef LAM_FILE_WRITE_TRIPLE_BATCH_H
#define LAM_FILE_WRITE_TRIPLE_BATCH_H

#include <lamella/record.h>

#include "kernel/kernel.h"

/*
 * INVALID if the triples are not exactly `record_count` records of the leaf: levels out of range,
 * counts that disagree, arrays that are missing, byte arrays too long for the format.
 */
lam_status lam_triples_check(const lam_kernels *kernels, const lam_field *leaf,
                             const lam_triples *triples, size_t record_count, lam_error *error);

/* Takes the first `record_count` records from the start of `rest`, which has at least as many. */
lam_triples lam_triples_take(const lam_kernels *kernels, const lam_field *leaf, lam_triples *rest,
                             size_t record_count);

/* Most records in a batch: few enough to stay in cache. */
enum { LAM_BATCH_RECORDS = 1024 };

/* A column and its next batch. */
typedef struct lam_triple_batch {
    lam_triples rest;  /* triples that are not written yet, the batch included */
    lam_triples next;  /* the batch: complete records from the start of `rest` */
    lam_triples after; /* what follows the batch */
} lam_triple_batch;

/*
 * Sets the batches of all columns, one per leaf, to the next `record_count` records. Returns their
 * size: the values in PLAIN, and a byte for the levels of each triple.
 */
uint64_t lam_triple_batches_cut(const lam_kernels *kernels, const lam_schema *schema,
                                lam_triple_batch *batches, size_t record_count);
/*
 * The number of records in these batches up to and including the one that brings the sum to
 * `bytes`.
 */
size_t lam_triple_batches_find(const lam_schema *schema, const lam_triple_batch *batches,
                               uint64_t bytes);

#endif
