/* What whole values and children of them are constructed with, from pairs that were gathered. */
#ifndef LAM_VARIANT_VARIANT_CONSTRUCT_H
#define LAM_VARIANT_VARIANT_CONSTRUCT_H

#include "variant/variant_gather.h"

static inline const lam_variant_pair *lam_variant_pair_at(const lam_variant_gather *gather,
                                                          size_t index) {
    return (const lam_variant_pair *)(const void *)gather->pairs.data + index;
}

static inline const lam_variant_node_plan *lam_variant_node_of(const lam_variant_gather *gather,
                                                               const lam_variant_pair *pair) {
    return &gather->plan.nodes[pair->node];
}

static inline bool lam_variant_is_missing(const lam_variant_pair *pair) {
    return !pair->has_value && !pair->has_typed;
}

/* There are bytes in a column named value, but not the metadata that they were made with. */
bool lam_variant_lacks_metadata(const lam_variant_gather *gather);

/* The metadata that was given; where it is null, one without names. */
lam_bytes lam_variant_given_metadata(const lam_variant_gather *gather);

/* The bytes of a pair's `value`, which it has. */
lam_bytes lam_variant_value_of(const lam_variant_gather *gather, const lam_variant_pair *pair);

/*
 * Proves bytes of that `value` well formed, but for the order of fields, which `*ret_ordered`
 * tells, and not too deep inside of so many objects and arrays `around` it. CORRUPT, LIMIT with the
 * path, and what validation gives.
 */
lam_status lam_variant_check_value(const lam_variant_gather *gather, const lam_variant_pair *pair,
                                   lam_bytes value, size_t around, bool *ret_ordered,
                                   lam_error *error);

/*
 * Puts bytes that were proven well formed in the encoder, as the part of an object with the id `name`;
 * with all their children, where fields are not in order.
 */
lam_status lam_variant_put_checked(lam_variant_gather *gather, lam_bytes value, bool is_ordered,
                                   uint32_t name, lam_error *error);

/* Both of these. */
lam_status lam_variant_put_value(lam_variant_gather *gather, const lam_variant_pair *pair,
                                 lam_bytes value, uint32_t name, lam_error *error);

/*
 * Of bytes of a `value` that were proven well formed, but for the order of fields: that no name
 * comes twice in an object, CORRUPT otherwise. Nothing may be in the encoder.
 */
lam_status lam_variant_check_unique(lam_variant_gather *gather, lam_bytes value, lam_error *error);

/* Encodes what is in the encoder into gather->value. */
lam_status lam_variant_encode_gathered(lam_variant_gather *gather, lam_error *error);

/* Both value and typed_value are there, and cannot be: CORRUPT, or typed_value counts. */
lam_status lam_variant_check_conflict(const lam_variant_gather *gather,
                                      const lam_variant_pair *pair, lam_error *error);

/* The id of a shredded field that is there. */
uint32_t lam_variant_id_of_field(lam_variant_gather *gather, const lam_variant_pair *pair);

/* Puts a pair in the encoder, as the part of an object with the id `name`. */
lam_status lam_variant_construct_pair(lam_variant_gather *gather, size_t index, uint32_t name,
                                      lam_error *error);

/* Puts in the encoder an object of those children of the first pair that the gather's projection tree names. */
lam_status lam_variant_construct_projected(lam_variant_gather *gather, lam_error *error);

#endif
