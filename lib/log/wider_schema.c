/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares schemas that follow each other in a log. In: the present schema and a wider one. Out:
 * whether every leaf of the first is in the second and means the same there.
 *
 * The invariant: a leaf means the same when its path, its type and the repetition of each field on
 * the path are the same: then its triples are the same, and whoever reads both files can put one
 * column behind the other. Fields are found by their names, wherever they stand among their
 * siblings.
 */
#include "log/wider_schema.h"

#include "base/error.h"
#include "schema/leaf_error.h"
#include "schema/logical_type.h"
#include "schema/tree.h"

/* Depth is at most 250. */
const lam_field *lam_log_field_in(const lam_schema *schema, const lam_field *field) {
    if (field->depth == 0)
        return &schema->fields[0];
    const lam_field *group = lam_log_field_in(schema, lam_parent_of(field));
    return group != NULL ? lam_field_child_named(group, field->name, field->name_size) : NULL;
}

/* Both are at the same path; the repetition of each field on it counts. */
static bool means_the_same(const lam_field *a, const lam_field *b) {
    if (a->physical_type != b->physical_type || a->type_length != b->type_length ||
        !lam_logical_type_equals(&a->logical_type, &b->logical_type))
        return false;
    for (; a->depth > 0; a = lam_parent_of(a), b = lam_parent_of(b))
        if (a->repetition != b->repetition)
            return false;
    return true;
}

lam_status lam_log_schema_check_wider(const lam_schema *present, const lam_schema *wider,
                                      lam_error *error) {
    for (size_t i = 0; i < present->leaf_count; i++) {
        const lam_field *leaf = lam_leaf_at(present, i);
        const lam_field *other = lam_log_field_in(wider, leaf);
        if (other != NULL && means_the_same(leaf, other))
            continue;
        lam_error_set(error, LAM_STATUS_INVALID, "the wider schema %s a field of the present one",
                      other == NULL ? "lacks" : "changes");
        lam_error_of_leaf(error, leaf);
        return LAM_STATUS_INVALID;
    }
    return LAM_STATUS_OK;
}
