/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which VARIANT groups of a schema show as values in JSON, and marks their nodes in the
 * shape.
 *
 * A group is a value if all of its leaves are projected, since a value cannot be assembled without
 * its metadata, or if the projection wants paths inside it. The fields inside a marked group have
 * no forms of their own: reader and writer pass the group as one value.
 */
#include "json/value/json_variant.h"
#include "variant/shred/variant_projection.h"

/* Whether a projection has every leaf of a group. */
static bool json_variant_is_whole(const lam_field *group, const bool *leaves) {
    for (uint32_t i = 0; leaves != NULL && i < group->leaf_count; i++)
        if (!leaves[group->first_leaf + i])
            return false;
    return true;
}

bool lam_json_variant_mark(lam_json_shape *shape, const bool *leaves,
                           const lam_projection *projection, lam_json_variant form) {
    const lam_schema *schema = shape->schema;
    bool any = false;
    if (form == LAM_JSON_VARIANT_STORAGE)
        return false;
    /* Goes over the subtree of a marked group. */
    for (size_t i = 1; i < schema->field_count;) {
        const lam_field *field = &schema->fields[i];
        bool is_value = field->logical_type.kind == LAM_LOGICAL_VARIANT &&
                        (json_variant_is_whole(field, leaves) ||
                         (projection != NULL && lam_projection_tree_of(projection, field) != NULL));
        if (is_value)
            shape->nodes[i].form = LAM_JSON_FORM_VARIANT;
        any |= is_value;
        i += is_value ? field->subtree_size : 1;
    }
    return any;
}
