/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shredded fields as members of the object that their VARIANT prints as, if a projection wants
 * paths inside it: columns whose text follows from their levels and values alone.
 *
 *     --columns v.a, v.b.c           typed_value of a and of b.c; no `value` is read
 *     {"v":{"a":1,"b":{"c":"x"}}}    a missing field is no member, and without c there is no b
 */
#ifndef LAM_JSON_WRITE_JSON_MEMBER_H
#define LAM_JSON_WRITE_JSON_MEMBER_H

#include "base/buffer.h"
#include "variant/shred/variant_projection.h"

/* A wanted scalar: its node, and the names on the way to it, innermost first. */
typedef struct lam_json_member {
    const lam_variant_node_plan *node;
    size_t depth;
    lam_bytes names[LAM_SCHEMA_DEPTH_MAX];
} lam_json_member;

/*
 * Finds the member of a VARIANT's leaf; false if the leaf is not the typed_value of a wanted scalar
 * outside of arrays.
 */
bool lam_json_member_find(const lam_projection_tree *tree, const lam_field *leaf,
                          lam_json_member *ret_member);

/*
 * True if the leaves of a VARIANT that are read are members that print in their order, none of them
 * in an object with another one.
 */
bool lam_json_members_are_apart(const lam_projection_tree *tree, const bool *leaves);

/* Appends the names before the value, with the braces between them. INVALID, NOMEM. */
lam_status lam_json_member_lead(const lam_json_member *member, lam_buffer *text, lam_error *error);

/*
 * Checks that a value is one of the kind of its column, as reading it as a VARIANT does; `scratch`
 * is overwritten. The errors of lam_variant_from_column.
 */
lam_status lam_json_member_check(const lam_variant_node_plan *node, lam_value value,
                                 lam_buffer *scratch, lam_error *error);

#endif
