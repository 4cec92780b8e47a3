/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds plans, as far as the direction makes no difference: takes a tree of fields, and gives
 * nodes with the slots of their fields (dremel/slots.h). Leaves are numbered in schema order once
 * the tree is complete.
 *
 *     optional group a (LIST) { repeated group list { optional int32 element; } }
 *
 *     node a          slot_definition 0    present 1    element_definition 2
 *     node element    slot_definition 2    present 3
 *
 * The invariant: the leaves below a node are a range of numbers, and the ranges of siblings follow
 * one another without gaps. (The Dremel paper, section 4.1)
 */
#include <string.h>

#include "arrow/array/arrow_plan_build.h"
#include "dremel/slots.h"
#include "schema/path_text.h"

/* Numbers the leaves below a node, from `next` on; returns the number after the last. */
static size_t number_leaves(lam_arrow_node *node, size_t next) {
    node->first_leaf = next;
    node->nullable = node->present_definition > node->slot_definition;
    if (node->shape == LAM_ARROW_NODE_VALUE)
        next++;
    for (size_t i = 0; i < node->child_count; i++)
        next = number_leaves(&node->children[i], next);
    node->leaf_count = next - node->first_leaf;
    return next;
}

/* Fills the plan's list by the numbers given before. */
static void list_leaves(const lam_arrow_node *node, const lam_arrow_node **leaves) {
    if (node->shape == LAM_ARROW_NODE_VALUE)
        leaves[node->first_leaf] = node;
    for (size_t i = 0; i < node->child_count; i++)
        list_leaves(&node->children[i], leaves);
}

lam_status lam_arrow_plan_complete(lam_arrow_plan *plan, lam_error *error) {
    plan->leaf_count = number_leaves(&plan->root, 0);
    LAM_TRY(LAM_ARENA_ARRAY(&plan->arena, plan->leaf_count, &plan->leaves, error));
    list_leaves(&plan->root, plan->leaves);
    return LAM_STATUS_OK;
}

void lam_arrow_node_enter(lam_arrow_node *node, const lam_field *parquet) {
    lam_slots slots = lam_slots_of(parquet);
    node->parquet = parquet;
    node->leaf = lam_is_group(parquet) ? NULL : parquet;
    node->slot_definition = slots.definition;
    node->slot_repetition = slots.repetition;
    node->present_definition = slots.present;
}

lam_status lam_arrow_node_children(lam_arena *arena, size_t count, lam_arrow_node *node,
                                   lam_error *error) {
    LAM_TRY(LAM_ARENA_ARRAY(arena, count, &node->children, error));
    node->child_count = count;
    return LAM_STATUS_OK;
}

/* An element exists wherever the repeated field does, whether the element itself is null or not. */
void lam_arrow_node_list(lam_arrow_node *node, const lam_field *repeated) {
    node->shape = LAM_ARROW_NODE_LIST;
    node->leaf = NULL;
    node->element_definition = repeated->max_definition;
}

/* The arrays are those of the fields, until a plan of writing corrects that. */
void lam_arrow_plan_link(const lam_arrow_field *field, lam_arrow_node *node) {
    node->field = field;
    node->array = field;
    for (size_t i = 0; i < node->child_count; i++)
        lam_arrow_plan_link(&field->children[i], &node->children[i]);
}

void lam_arrow_plan_finish(lam_arrow_plan *plan) {
    lam_arena_finish(&plan->arena);
    memset(plan, 0, sizeof *plan);
}

/*
 * Goes down from the root to the node: its leaves are among those of all nodes above it, and
 * siblings share none, so its first leaf shows which child to enter. Nodes need no pointer to their
 * parent.
 */
size_t lam_arrow_node_path(const lam_arrow_plan *plan, const lam_arrow_node *node, char *buffer,
                           size_t capacity) {
    lam_text path = {buffer, capacity, 0};
    const lam_arrow_node *at = &plan->root;
    while (at != node) {
        const lam_arrow_node *child = at->children;
        while (node->first_leaf >= child->first_leaf + child->leaf_count)
            child++;
        if (at != &plan->root)
            lam_text_put_string(&path, ".");
        lam_path_put_name(&path, child->field->name, strlen(child->field->name));
        at = child;
    }
    return lam_text_finish(&path);
}
