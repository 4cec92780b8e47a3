/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers the triples of scattered records, group by group. */
#ifndef LAM_DATASET_PARTITION_ROUTE_GATHER_H
#define LAM_DATASET_PARTITION_ROUTE_GATHER_H

#include <lamella/record.h>
#include <lamella/schema.h>

#include "base/buffer.h"
#include "base/list.h"
#include "kernel/kernel.h"

/* Consecutive records of one group. */
typedef struct lam_route_run {
    uint32_t first;
    uint32_t count;
    uint32_t group;
} lam_route_run;

/* Triples, and the values among them. */
typedef struct lam_route_extent {
    size_t triples;
    size_t values;
} lam_route_extent;

/* Where the triples of a leaf are gathered; NULL if the batch has no such array. */
typedef struct lam_route_arrays {
    uint8_t *repetition;
    uint8_t *definition;
    uint8_t *values;
} lam_route_arrays;

/* The gathered triples of all leaves; arrays of one leaf have the groups one after the other. */
typedef struct lam_route_gather {
    const lam_schema *schema;
    const lam_kernels *kernels;
    size_t group_count;
    LAM_LIST(lam_route_extent) extents; /* of each run, of the leaf in work */
    LAM_LIST(lam_route_extent) ends;    /* for each leaf, where each group ends */
    LAM_LIST(lam_route_arrays) arrays;  /* of each leaf */
    LAM_LIST(lam_triples) group;        /* each leaf of the group that was taken */
    lam_buffer memory;                  /* levels and values */
} lam_route_gather;

void lam_route_gather_init(lam_route_gather *gather, const lam_schema *schema,
                           const lam_allocator *allocator);
void lam_route_gather_finish(lam_route_gather *gather);

/* How a batch is divided. The runs cover it from its first record to its last. */
typedef struct lam_route_division {
    const lam_route_run *runs;
    size_t run_count;
    const uint32_t *records; /* of group 0, of group 1, and so on: as the runs say */
    size_t record_count;
    size_t group_count;
} lam_route_division;

/* Gathers the records of a batch. NOMEM, LIMIT. */
lam_status lam_route_gather_all(lam_route_gather *gather, const lam_triples *columns,
                                const lam_route_division *division, lam_error *error);
/* The triples of a group, one run per leaf; valid until the next call. */
const lam_triples *lam_route_gather_take(lam_route_gather *gather, size_t group);

#endif
