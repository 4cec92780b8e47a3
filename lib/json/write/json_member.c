/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which columns of a VARIANT print without a value being assembled: takes the tree of a
 * projection and the leaves of a row group, and gives members of an object.
 *
 * Only columns that need no other are taken: shredded scalars, in a row group whose `value` columns
 * beside them are empty. The members of a VARIANT object print in the order of their names, so that
 * must be the order of the columns; and an object on the way to a scalar is left out with it, so it
 * must not be shared. The text is always that of what variant_construct_projected.c makes from the
 * same columns. (VariantShredding.md, "Objects")
 */
#include "json/write/json_member.h"

#include "base/error.h"
#include "text/json_string.h"
#include "variant/shred/variant_column.h"
#include "variant/value/variant_layout.h"

static lam_variant_field_role role_of(const lam_variant_plan *plan, const lam_field *field) {
    return plan->roles[field->index - plan->group->index];
}

/*
 * Goes up from node to node: a shredded field is in the typed_value of its object. A leaf in the
 * role of a typed_value is a scalar, and every kind of scalar that has columns prints alike there
 * and in a VARIANT (lam_variant_kind_of_leaf).
 */
bool lam_json_member_find(const lam_projection_tree *tree, const lam_field *leaf,
                          lam_json_member *ret_member) {
    const lam_variant_plan *plan = &tree->plan;
    lam_variant_field_role role = role_of(plan, leaf);
    if (role.role != LAM_VARIANT_ROLE_TYPED || leaf->max_repetition != plan->group->max_repetition)
        return false;
    ret_member->node = &plan->nodes[role.node];
    ret_member->depth = 0;
    for (uint32_t at = role.node; at != 0;) {
        const lam_projection_node *path = tree->paths[at];
        if (path == NULL || path->is_wanted != (at == role.node))
            return false;
        ret_member->names[ret_member->depth++] = path->name;
        at = role_of(plan, lam_parent_of(plan->nodes[at].field)).node;
    }
    return ret_member->depth > 0;
}

/* Objects on the way are apart if the outermost names are; those rise. */
bool lam_json_members_are_apart(const lam_projection_tree *tree, const bool *leaves) {
    const lam_field *group = tree->plan.group;
    lam_json_member member;
    lam_bytes last = {NULL, 0};
    size_t count = 0;
    for (uint32_t i = group->first_leaf; i < group->first_leaf + group->leaf_count; i++) {
        if (!leaves[i])
            continue;
        if (!lam_json_member_find(tree, lam_leaf_at(group->schema, i), &member))
            return false;
        lam_bytes name = member.names[member.depth - 1];
        if (count++ > 0 && lam_variant_compare_names(last, name) >= 0)
            return false;
        last = name;
    }
    return count > 0;
}

lam_status lam_json_member_lead(const lam_json_member *member, lam_buffer *text, lam_error *error) {
    for (size_t i = member->depth; i > 0; i--) {
        lam_bytes name = member->names[i - 1];
        LAM_TRY(lam_json_string_print(text, name.data, name.size, false, error));
        /* There is room after a string. */
        memcpy(text->data + text->size, ":{", 2);
        text->size += i > 1 ? 2 : 1;
    }
    return LAM_STATUS_OK;
}

/* Most columns hold every value of their kind; text is checked as it prints. */
lam_status lam_json_member_check(const lam_variant_node_plan *node, lam_value value,
                                 lam_buffer *scratch, lam_error *error) {
    switch ((lam_variant_kind)node->kind) {
    case LAM_VARIANT_INT8:
    case LAM_VARIANT_INT16:
    case LAM_VARIANT_DECIMAL4:
    case LAM_VARIANT_DECIMAL8:
    case LAM_VARIANT_DECIMAL16:
        lam_buffer_clear(scratch);
        return lam_variant_from_column(node, value, scratch, error);
    default:
        return LAM_STATUS_OK;
    }
}
