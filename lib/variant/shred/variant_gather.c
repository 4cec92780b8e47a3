/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes the events of one VARIANT group: which pairs of value and typed_value occurred, and the
 * bytes in their columns.
 *
 * Takes opens, puts and closes of the fields inside the group, in any order of fields, and gives in
 * `pairs` the tree of those that occurred, in preorder with the size of each subtree, for
 * variant_construct.c. Bytes are copied, as the caller's are borrowed for one call; a scalar
 * typed_value is encoded at once. The invariant: each open pair's index is on `open_pairs`, and a
 * shredded field without value and typed_value leaves no pair, because the object lacks that field.
 * (VariantShredding.md, "Objects")
 */
#include "variant/shred/variant_gather.h"

#include "base/error.h"
#include "dremel/grammar.h"
#include "variant/shred/variant_column.h"

/*
 * Numbers the names of all shredded fields of the plan: fields of one name in different objects
 * share a number and so a search in the dictionary.
 */
static lam_status number_names(lam_variant_gather *gather, lam_error *error) {
    const lam_variant_plan *plan = &gather->plan;
    LAM_TRY(LAM_LIST_RESERVE(&gather->numbers, plan->node_count, error));
    for (size_t i = 0; i < plan->node_count; i++) {
        const lam_variant_node_plan *node = &plan->nodes[i];
        for (uint32_t k = node->children;
             node->form == LAM_VARIANT_TYPED_OBJECT && k < node->children + node->child_count; k++)
            LAM_TRY(lam_variant_name_intern(&gather->names, plan->nodes[k].field->name,
                                            plan->nodes[k].field->name_size,
                                            &gather->numbers.items[k], error));
    }
    return LAM_STATUS_OK;
}

/* Sorts the names of the plan once, for the walk beside a sorted dictionary. */
static lam_status sort_names(lam_variant_gather *gather, lam_error *error) {
    size_t count = gather->names.names.count;
    LAM_TRY(LAM_LIST_RESERVE(&gather->sorted, 2 * count + 1, error));
    uint32_t *sorted = gather->sorted.items;
    for (size_t i = 0; i < count; i++)
        sorted[i] = (uint32_t)i;
    lam_variant_names_sort(&gather->names, sorted, count, sorted + count);
    return LAM_LIST_RESERVE(&gather->ids, count + 1, error);
}

/* Everything is initialized before the first call that can fail, so that finish always works. */
lam_status lam_variant_gather_init(lam_variant_gather *gather, const lam_field *group,
                                   const lam_projection_tree *tree, bool tolerate,
                                   const lam_allocator *allocator, lam_error *error) {
    memset(gather, 0, sizeof *gather);
    gather->allocator = *allocator;
    gather->tree = tree;
    gather->tolerate = tolerate;
    lam_variant_dictionary_init(&gather->dictionary, allocator);
    lam_variant_encoder_init(&gather->encoder, allocator);
    lam_variant_name_table_init(&gather->names, allocator);
    LAM_LIST_INIT(&gather->numbers, allocator);
    LAM_LIST_INIT(&gather->sorted, allocator);
    LAM_LIST_INIT(&gather->ids, allocator);
    LAM_LIST_INIT(&gather->missing, allocator);
    lam_buffer_init(&gather->metadata, allocator);
    LAM_LIST_INIT(&gather->pairs, allocator);
    lam_buffer_init(&gather->value, allocator);
    LAM_TRY(lam_variant_plan_init(&gather->plan, group, LAM_VARIANT_READ, allocator, error));
    LAM_TRY(number_names(gather, error));
    return sort_names(gather, error);
}

void lam_variant_gather_finish(lam_variant_gather *gather) {
    lam_variant_plan_finish(&gather->plan);
    lam_variant_dictionary_finish(&gather->dictionary);
    lam_variant_encoder_finish(&gather->encoder);
    lam_variant_name_table_finish(&gather->names);
    LAM_LIST_FINISH(&gather->numbers);
    LAM_LIST_FINISH(&gather->sorted);
    LAM_LIST_FINISH(&gather->ids);
    LAM_LIST_FINISH(&gather->missing);
    lam_buffer_finish(&gather->metadata);
    LAM_LIST_FINISH(&gather->pairs);
    lam_buffer_finish(&gather->value);
}

/* --- Noting events ---------------------------------------------------------------------------- */

/* Valid until the next pair is added. */
static lam_variant_pair *variant_gather_open_pair(const lam_variant_gather *gather) {
    return &gather->pairs.items[gather->open_pairs[gather->pair_depth - 1]];
}

/* Adds a pair inside the innermost open one. */
static lam_status begin_pair(lam_variant_gather *gather, uint32_t node, lam_error *error) {
    size_t index = gather->pairs.count;
    if (index >= UINT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_LIMIT, "variant: more than %zu values in one",
                 index);
    LAM_TRY(LAM_LIST_RESERVE(&gather->pairs, 1, error));
    lam_variant_pair *pair = &gather->pairs.items[gather->pairs.count++];
    pair->node = node;
    pair->subtree_size = 1;
    pair->has_value = false;
    pair->has_typed = false;
    gather->open_pairs[gather->pair_depth++] = (uint32_t)index;
    return LAM_STATUS_OK;
}

lam_status lam_variant_gather_begin(lam_variant_gather *gather, lam_error *error) {
    gather->pairs.count = 0;
    gather->pair_depth = 0;
    gather->has_metadata = false;
    lam_variant_encoder_clear(&gather->encoder);
    gather->open_fields[0] = gather->plan.group;
    gather->field_depth = 1;
    return begin_pair(gather, 0, error);
}

/*
 * Checks that a field is a child of the innermost open one, and a leaf or group as the verb
 * demands; gives its meaning. The caller may be any program, so the field is not trusted.
 */
static lam_status admit(const lam_variant_gather *gather, const lam_field *field, bool want_leaf,
                        lam_variant_field_role *ret_role, lam_error *error) {
    const lam_field *group = gather->plan.group;
    const lam_field *top = gather->open_fields[gather->field_depth - 1];
    if (field == NULL || field->schema != group->schema || field->parent != top->index ||
        (field->physical_type != LAM_PHYSICAL_GROUP) != want_leaf)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a field that does not belong to %s", top->name);
    *ret_role = gather->plan.roles[field->index - group->index];
    return LAM_STATUS_OK;
}

/* Only a repeated field, the list of an array, may appear twice in its group. */
static lam_status refuse_twice(const lam_field *field, lam_error *error) {
    return lam_field_fail(error, LAM_STATUS_INVALID, field,
                          "appears twice, but is not a repeated field");
}

/* A group typed_value marks its pair; a list only opens, as its elements are pairs of their own. */
lam_status lam_variant_gather_open(lam_variant_gather *gather, const lam_field *group,
                                   lam_error *error) {
    lam_variant_field_role field_role;
    LAM_TRY(admit(gather, group, false, &field_role, error));
    if (field_role.role == LAM_VARIANT_ROLE_PAIR) {
        LAM_TRY(begin_pair(gather, field_role.node, error));
    } else if (field_role.role == LAM_VARIANT_ROLE_TYPED) {
        if (variant_gather_open_pair(gather)->has_typed)
            return refuse_twice(group, error);
        variant_gather_open_pair(gather)->has_typed = true;
    }
    gather->open_fields[gather->field_depth++] = group;
    return LAM_STATUS_OK;
}

/* Metadata, `value` and scalar typed_value are the leaves of a plan. A null is no event at all. */
lam_status lam_variant_gather_put(lam_variant_gather *gather, const lam_field *leaf,
                                  lam_value value, lam_error *error) {
    lam_variant_field_role field_role;
    LAM_TRY(admit(gather, leaf, true, &field_role, error));
    lam_variant_pair *pair = variant_gather_open_pair(gather);
    lam_buffer *source = &gather->encoder.source;
    if (field_role.role == LAM_VARIANT_ROLE_METADATA) {
        if (gather->has_metadata)
            return refuse_twice(leaf, error);
        gather->has_metadata = true;
        lam_buffer_clear(&gather->metadata);
        return lam_buffer_append(&gather->metadata, value.bytes.data, value.bytes.size, error);
    }
    if (field_role.role == LAM_VARIANT_ROLE_VALUE) {
        if (pair->has_value)
            return refuse_twice(leaf, error);
        pair->has_value = true;
        pair->value_offset = source->size;
        pair->value_size = value.bytes.size;
        return lam_buffer_append(source, value.bytes.data, value.bytes.size, error);
    }
    if (pair->has_typed)
        return refuse_twice(leaf, error);
    pair->has_typed = true;
    pair->typed_offset = source->size;
    LAM_TRY(lam_variant_from_column(&gather->plan.nodes[field_role.node], value, source, error));
    pair->typed_size = source->size - pair->typed_offset;
    return LAM_STATUS_OK;
}

/*
 * When a pair is closed all pairs inside are noted, which gives the size of its subtree. A field
 * with neither `value` nor typed_value is removed, as the object lacks it. Pairs inside a removed
 * field cannot exist: without typed_value it has none inside.
 */
lam_status lam_variant_gather_close(lam_variant_gather *gather, const lam_field *group,
                                    lam_error *error) {
    if (gather->field_depth < 2 || gather->open_fields[gather->field_depth - 1] != group)
        LAM_FAIL(error, LAM_STATUS_STATE, "a group is closed that is not the innermost one");
    const lam_variant_field_role *field_role =
        &gather->plan.roles[group->index - gather->plan.group->index];
    if (field_role->role == LAM_VARIANT_ROLE_PAIR) {
        uint32_t index = gather->open_pairs[--gather->pair_depth];
        lam_variant_pair *pair = &gather->pairs.items[index];
        pair->subtree_size = (uint32_t)(gather->pairs.count - index);
        if (gather->plan.nodes[field_role->node].is_field && !pair->has_value && !pair->has_typed)
            gather->pairs.count = index;
    }
    gather->field_depth--;
    return LAM_STATUS_OK;
}
