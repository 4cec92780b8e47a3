/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that sources share to make a value of gathered pairs: ids of shredded fields
 * (variant_construct_names.c), complete values (variant_construct.c), values for the paths of a
 * projection (variant_construct_projected.c), and bytes of `value` columns
 * (variant_construct_value.c). lam_variant_gather_end calls them, and the checker of VARIANT
 * columns uses some to inspect the gathered pairs.
 */
#ifndef LAM_VARIANT_SHRED_VARIANT_CONSTRUCT_H
#define LAM_VARIANT_SHRED_VARIANT_CONSTRUCT_H

#include "variant/shred/variant_gather.h"

/* The pair at an index; 0 is the VARIANT itself. */
static inline const lam_variant_pair *lam_variant_pair_at(const lam_variant_gather *gather,
                                                          size_t index) {
    return &gather->pairs.items[index];
}

/* The node of the plan that a pair occurred for. */
static inline const lam_variant_node_plan *lam_variant_node_of(const lam_variant_gather *gather,
                                                               const lam_variant_pair *pair) {
    return &gather->plan.nodes[pair->node];
}

/* Whether a `value` is present without the metadata that its field ids refer to. */
bool lam_variant_lacks_metadata(const lam_variant_gather *gather);

/* The metadata of the record, or empty metadata if it is null. */
lam_bytes lam_variant_given_metadata(const lam_variant_gather *gather);

/* The bytes of a pair's `value`. The pair has one. */
lam_bytes lam_variant_value_of(const lam_variant_gather *gather, const lam_variant_pair *pair);

/*
 * Proves bytes of a `value` column well formed, except that fields may be in any order, which
 * `*ret_ordered` reports. They must not nest beyond LAM_VARIANT_DEPTH_MAX with the `around` objects
 * and arrays around them. CORRUPT, LIMIT with the path, and the errors of
 * lam_variant_validate_value.
 */
lam_status lam_variant_check_value(const lam_variant_gather *gather, const lam_variant_pair *pair,
                                   lam_bytes value, size_t around, bool *ret_ordered,
                                   lam_error *error);

/*
 * Adds bytes that were proven well formed as a node, with the field id `name` inside an object. If
 * fields are not in order, adds a node for every value inside, so that encoding sorts them.
 */
lam_status lam_variant_put_checked(lam_variant_gather *gather, lam_bytes value, bool is_ordered,
                                   uint32_t name, lam_error *error);

/* Checks bytes of a `value` column and adds them: the two functions above in one. */
lam_status lam_variant_put_value(lam_variant_gather *gather, const lam_variant_pair *pair,
                                 lam_bytes value, uint32_t name, lam_error *error);

/*
 * Proves that no name appears twice in an object of a `value`, which is well formed except for the
 * order of fields; CORRUPT otherwise. Only while no nodes are noted.
 */
lam_status lam_variant_check_unique(lam_variant_gather *gather, lam_bytes value, lam_error *error);

/*
 * Encodes the nodes into gather->value. CORRUPT, INVALID for a field that appears twice; LIMIT,
 * NOMEM.
 */
lam_status lam_variant_encode_gathered(lam_variant_gather *gather, lam_error *error);

/*
 * Reports value and typed_value that are both present and cannot both count: CORRUPT, or OK if
 * conflicts are tolerated and typed_value counts.
 */
lam_status lam_variant_check_conflict(const lam_variant_gather *gather,
                                      const lam_variant_pair *pair, lam_error *error);

/*
 * Takes the metadata of the record. CORRUPT if it is not well formed, or null beside a `value`;
 * LIMIT, NOMEM.
 */
lam_status lam_variant_set_dictionary(lam_variant_gather *gather, lam_error *error);
/* Finds or adds the names of all shredded fields of the record, so that each has an id. */
lam_status lam_variant_make_names(lam_variant_gather *gather, lam_error *error);

/* The field id of a shredded field that is present. Its name is in the dictionary by now. */
uint32_t lam_variant_id_of_field(lam_variant_gather *gather, const lam_variant_pair *pair);

/* Adds the value of a pair as a node, with the field id `name` inside an object. */
lam_status lam_variant_construct_pair(lam_variant_gather *gather, size_t index, uint32_t name,
                                      lam_error *error);

/* Adds the object of the paths that the projection of the gather names, for the first pair. */
lam_status lam_variant_construct_projected(lam_variant_gather *gather, lam_error *error);

#endif
