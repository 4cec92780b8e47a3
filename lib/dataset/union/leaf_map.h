/* SPDX-License-Identifier: Apache-2.0 */
/* Where the triples of a leaf come from in a file of another schema, and how they change. */
#ifndef LAM_DATASET_UNION_LEAF_MAP_H
#define LAM_DATASET_UNION_LEAF_MAP_H

#include <lamella/record.h>

#include "base/buffer.h"
#include "dataset/union/value_change.h"
#include "schema/tree.h"

enum { LAM_LEAF_NONE = -1 }; /* no leaf of the source */

typedef struct lam_leaf_map {
    const lam_field *leaf; /* of the rows that are made */
    /*
     * The leaf of the source that is read. For a leaf that the source lacks, one whose levels show
     * where the group that lacks it is present, or LAM_LEAF_NONE, if each row has one null.
     */
    int32_t source;
    bool is_absent; /* the source lacks the leaf */
    bool is_same;   /* triples of the source are triples of the target */
    /*
     * The field of the source that becomes one value, which a map cannot make: see whole_chunk.h.
     * Or NULL.
     */
    const lam_field *whole;
    const lam_field *whole_target; /* the field of the target that it becomes */
    bool whole_is_element;         /* it repeats as the element of a list, not as an array */
    lam_value_change change;
    uint8_t max_repetition;            /* absent: triples with a higher level are left out */
    uint8_t definition[UINT8_MAX + 1]; /* of the target, by that of the source */
} lam_leaf_map;

/* Two schemas whose leaves are mapped: a union, and one of its sources. */
typedef struct lam_leaf_mapping {
    const lam_schema *target;
    const lam_schema *source;
    bool is_same; /* of one shape */
} lam_leaf_mapping;

lam_leaf_mapping lam_leaf_mapping_of(const lam_schema *target, const lam_schema *source);

/*
 * The field of the source for `target`, whose parent there is `at`: by its name, or, in lists and
 * maps, at its position; `at` itself if only the target has a wrapper around the elements of a
 * list. NULL when the source has no such field.
 */
const lam_field *lam_leaf_map_step(const lam_field *at, const lam_field *target);

/*
 * Fills in the map of a leaf of the target by its number. `leaf` is the same leaf in a schema with
 * only some leaves of the target: there its names may occur twice, and groups above it may have
 * lost their types, so that it could not be found alone.
 */
void lam_leaf_map_fill(lam_leaf_map *map, const lam_leaf_mapping *mapping, size_t number,
                       const lam_field *leaf);

/* Memory for triples that change. */
typedef struct lam_leaf_scratch {
    lam_buffer repetition;
    lam_buffer definition;
    lam_value_room values;
} lam_leaf_scratch;

void lam_leaf_scratch_init(lam_leaf_scratch *scratch, const lam_allocator *allocator);
void lam_leaf_scratch_finish(lam_leaf_scratch *scratch);

/*
 * Gives triples of the target for those of the source, which are complete records and borrowed
 * while the result is used; borrowed until the next call. `*ret_position` is the position of a
 * triple whose value fails. NOMEM; the errors of lam_values_change.
 */
lam_status lam_leaf_map_apply(const lam_leaf_map *map, const lam_triples *given,
                              lam_leaf_scratch *scratch, lam_triples *ret_triples,
                              size_t *ret_position, lam_error *error);
/* The triples of `rows` rows without any value; for maps that read no leaf. NOMEM. */
lam_status lam_leaf_map_nulls(const lam_leaf_map *map, size_t rows, lam_leaf_scratch *scratch,
                              lam_triples *ret_triples, lam_error *error);

#endif
