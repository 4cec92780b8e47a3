/* SPDX-License-Identifier: Apache-2.0 */
/* Where the triples of a leaf come from in a file of another schema, and how they change. */
#ifndef LAM_REWRITE_LEAF_MAP_H
#define LAM_REWRITE_LEAF_MAP_H

#include <lamella/record.h>

#include "base/buffer.h"
#include "schema/tree.h"

enum { LAM_LEAF_NONE = -1 }; /* no leaf of the source */

/* How values change. */
typedef enum lam_leaf_change {
    LAM_LEAF_SAME,
    LAM_LEAF_SIGNED_TO_64,   /* int32 to int64 */
    LAM_LEAF_UNSIGNED_TO_64, /* the same without a sign */
    LAM_LEAF_TO_DOUBLE,      /* float to double */
    LAM_LEAF_NULLS           /* the source has no such leaf */
} lam_leaf_change;

typedef struct lam_leaf_map {
    const lam_field *leaf; /* of the rows that are made */
    /*
     * The leaf of the source that is read. For NULLS it is one whose levels show where the group
     * is that lacks the field, or LAM_LEAF_NONE, if each row has one null.
     */
    int32_t source;
    lam_leaf_change change;
    bool is_same;                      /* triples of the source are triples of the target */
    uint8_t max_repetition;            /* NULLS: triples with a higher level are left out */
    uint8_t definition[UINT8_MAX + 1]; /* of the target, by that of the source */
} lam_leaf_map;

/* Two schemas whose leaves are mapped: a union, and one of which it is the union. */
typedef struct lam_leaf_mapping {
    const lam_schema *target;
    const lam_schema *source;
    bool is_same; /* of one shape */
} lam_leaf_mapping;

lam_leaf_mapping lam_leaf_mapping_of(const lam_schema *target, const lam_schema *source);

/*
 * Fills in the map of a leaf of the target by its number. `leaf` is what becomes of it where only
 * some leaves of the target are chosen: its names may then come twice, and groups above it may have
 * lost their types, so that it could not be found by itself.
 */
void lam_leaf_map_fill(lam_leaf_map *map, const lam_leaf_mapping *mapping, size_t number,
                       const lam_field *leaf);

/* Memory for triples that change. */
typedef struct lam_leaf_scratch {
    lam_buffer repetition;
    lam_buffer definition;
    lam_buffer values;
} lam_leaf_scratch;

void lam_leaf_scratch_init(lam_leaf_scratch *scratch, const lam_allocator *allocator);
void lam_leaf_scratch_finish(lam_leaf_scratch *scratch);

/*
 * Gives triples of the target for those of the source, which are whole records and borrowed as long
 * as the result is used; borrowed until the next call. NOMEM.
 */
lam_status lam_leaf_map_apply(const lam_leaf_map *map, const lam_triples *given,
                              lam_leaf_scratch *scratch, lam_triples *ret_triples,
                              lam_error *error);
/* The triples of `rows` rows without any value; for maps that read no leaf. NOMEM. */
lam_status lam_leaf_map_nulls(const lam_leaf_map *map, size_t rows, lam_leaf_scratch *scratch,
                              lam_triples *ret_triples, lam_error *error);

#endif
