/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies schemas, or some leaves of them: the copy has only the wanted leaves and the groups above
 * them.
 *
 *     optional group m (MAP) { repeated group key_value { required int32 key; int32 value; } }
 *     without m.key_value.value      optional group m { repeated group key_value { int32 key; } }
 *
 * A group that is annotated as a list, map, VARIANT or FILE in the copy always is one. The
 * recursion is as deep as a schema, LAM_SCHEMA_DEPTH_MAX at most.
 */
#include "schema/schema_choose.h"

#include <string.h>

#include "base/error.h"
#include "schema/group_shape.h"
#include "schema/logical_type.h"

/* --- Shapes -------------------------------------------------------------------------------- */

/* Fields come before their children, so that the numbers of these say whose they are. */
bool lam_field_same_shape(const lam_field *a, const lam_field *b) {
    if (a->subtree_size != b->subtree_size)
        return false;
    for (uint32_t i = 0; i < a->subtree_size; i++) {
        const lam_field *x = a + i, *y = b + i;
        bool is_root = x->index == 0 && y->index == 0; /* whose name does not matter */
        if (x->child_count != y->child_count || x->physical_type != y->physical_type ||
            x->type_length != y->type_length || x->repetition != y->repetition ||
            !lam_logical_type_equals(&x->logical_type, &y->logical_type))
            return false;
        if (!is_root &&
            (x->name_size != y->name_size || memcmp(x->name, y->name, x->name_size) != 0))
            return false;
    }
    return true;
}

bool lam_schema_same_shape(const lam_schema *a, const lam_schema *b) {
    return a == b || lam_field_same_shape(lam_schema_root(a), lam_schema_root(b));
}

/* --- Copies -------------------------------------------------------------------------------- */

lam_status lam_schema_put_field(lam_schema_builder *builder, const char *name,
                                lam_repetition repetition, lam_physical_type type,
                                const lam_field_options *options, lam_error *error) {
    if (type == LAM_PHYSICAL_GROUP)
        return lam_schema_builder_begin_group(builder, name, repetition, options, error);
    return lam_schema_builder_add_leaf(builder, name, repetition, type, options, error);
}

lam_status lam_schema_copy_field(lam_schema_builder *builder, const lam_field *field,
                                 const char *name, lam_repetition repetition, const bool *leaves,
                                 lam_error *error) {
    lam_field_options options = lam_options_of_field(field);
    bool is_wanted = leaves == NULL;
    for (size_t i = 0; i < field->leaf_count && !is_wanted; i++)
        is_wanted = leaves[field->first_leaf + i];
    if (!is_wanted)
        return LAM_STATUS_OK;
    if (leaves != NULL && !lam_group_keeps_type(field, leaves))
        memset(&options.logical_type, 0, sizeof options.logical_type);
    LAM_TRY(lam_schema_put_field(builder, name, repetition, (lam_physical_type)field->physical_type,
                                 &options, error));
    if (field->physical_type != LAM_PHYSICAL_GROUP)
        return LAM_STATUS_OK;
    for (size_t i = 0; i < field->child_count; i++) {
        const lam_field *child = lam_child_at(field, i);
        LAM_TRY(lam_schema_copy_field(builder, child, child->name,
                                      (lam_repetition)child->repetition, leaves, error));
    }
    return lam_schema_builder_end_group(builder, error);
}

lam_status lam_schema_choose(const lam_schema *schema, const bool *leaves,
                             const lam_allocator *allocator, lam_schema **ret_schema,
                             lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_schema_builder *builder;
    const lam_field *root = lam_schema_root(schema);
    bool has_all = true;
    for (size_t i = 0; i < schema->leaf_count; i++)
        has_all = has_all && leaves[i];
    if (has_all) {
        *ret_schema = lam_schema_share(schema);
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_schema_builder_create(root->name, allocator, &builder, error));
    lam_schema_builder_set_lenient(builder);
    for (size_t i = 0; i < root->child_count; i++) {
        const lam_field *child = lam_child_at(root, i);
        LAM_TRY_OUT(lam_schema_copy_field(builder, child, child->name,
                                          (lam_repetition)child->repetition, leaves, error));
    }
    LAM_TRY_OUT(lam_schema_builder_finish(builder, ret_schema, error));
out:
    lam_schema_builder_destroy(builder);
    return status;
}
