/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits batches of records by their partition:
 *
 *     records    0   1   2   3   4   5          group 0   hour=00   records 0 1 4
 *     hour       00  00  01  01  00  02   ->    group 1   hour=01   records 2 3
 *                                               group 2   hour=02   records 5
 *
 * Groups are in the order of their first record, and records keep their order within a group.
 */
#ifndef LAM_DATASET_PARTITION_ROUTE_H
#define LAM_DATASET_PARTITION_ROUTE_H

#include <lamella/record.h>

#include "dataset/partition/partition.h"

typedef struct lam_route lam_route;

/* Records of a batch that have one folder. */
typedef struct lam_route_group {
    const char *folder;         /* below the log's own, with a NUL; "" without a partition */
    size_t folder_size;         /* bytes, without the NUL */
    const lam_triples *columns; /* one per leaf */
    size_t record_count;
    const uint32_t *records; /* their numbers in the batch, ascending; NULL: all of the batch */
} lam_route_group;

/*
 * `partition` is of this schema and borrowed; NULL: everything is one group. Memory is taken by the
 * first batches, and kept.
 */
lam_status lam_route_create(const lam_schema *schema, const lam_partition *partition,
                            const lam_allocator *allocator, lam_route **ret_route,
                            lam_error *error);
/* NULL is allowed. */
void lam_route_destroy(lam_route *route);

/*
 * Splits a batch of complete records, which is valid (lam_triples_check) and borrowed until the
 * next split. A batch of one group is passed on as it is. The triples of others are gathered: that
 * takes as much memory as they have without the bytes of byte arrays, 32 bytes per record at most,
 * and 16 bytes per leaf and group. LIMIT above 2^32 - 2 records, NOMEM; there are no groups then.
 */
lam_status lam_route_split(lam_route *route, const lam_triples *columns, size_t record_count,
                           lam_error *error);

/* Groups of the last batch; 0 for one without records. */
size_t lam_route_count(const lam_route *route);
/* A group; its columns are valid until the next call, and all else until the next split. */
lam_route_group lam_route_at(lam_route *route, size_t index);

/* Bytes of memory that the route holds. */
size_t lam_route_memory(const lam_route *route);

#endif
