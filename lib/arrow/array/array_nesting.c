/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the arrays of one batch from the root down. Takes the levels of each leaf and its finished
 * array of values, and gives every group above it validity and offsets, from the levels of its
 * first leaf:
 *
 *     plan node          buffers from levels
 *     VALUE              none: the leaf's array is moved into the tree
 *     STRUCT             validity
 *     LIST, MAP          validity, offsets; list views also sizes
 *     fixed_size_list    validity; its elements get empty slots beneath null lists
 *
 * The invariant: all leaves below a struct agree about the struct and what is above it, so that the
 * choice of the first leaf makes no difference. Columns are encoded apart, so a damaged file can
 * contradict itself there, which is CORRUPT. (The Dremel paper, section 4.1)
 */
#include "arrow/array/array_nesting.h"

#include <inttypes.h>
#include <string.h>

#include "arrow/array/array_gaps.h"
#include "base/error.h"

/* The arguments of lam_nesting_build. */
typedef struct nesting_builder {
    const lam_arrow_plan *plan;
    const lam_leaf_levels *levels;
    struct ArrowArray *leaves;
    uint64_t empty_most;
    lam_array_store *store;
} nesting_builder;

/* A group whose array is being built. */
typedef struct nesting_group {
    const lam_arrow_node *node;
    struct ArrowArray *array;
    size_t next; /* the child to build next */
} nesting_group;

/* Long enough for any message; a path may be of any length and is cut. */
enum { ARRAY_NESTING_PATH_ROOM = 160 };

/* Fails with the path of the node's field in front. */
static lam_status array_nesting_fail_at(const nesting_builder *nesting, const lam_arrow_node *node,
                                        const char *reason, lam_error *error) {
    char path[ARRAY_NESTING_PATH_ROOM];
    lam_arrow_node_path(nesting->plan, node, path, sizeof path);
    LAM_FAIL(error, LAM_ERROR_CODE_LEVELS_STRUCTURE, "%s: %s", path, reason);
}

/* The levels that describe a node: those of its first leaf. */
static const lam_leaf_levels *array_nesting_levels_of(const nesting_builder *nesting,
                                                      const lam_arrow_node *node) {
    return &nesting->levels[node->first_leaf];
}

/* --- Structs ------------------------------------------------------------------------------- */

/*
 * Compares each child with the one before it. `levels - 1` are those of the last leaf of the child
 * before, because leaves are numbered in schema order; within a child the recursion compares its
 * own leaves.
 */
static lam_status array_nesting_check_children(const nesting_builder *nesting,
                                               const lam_arrow_node *node, lam_error *error) {
    if (node->present_definition == 0)
        return LAM_STATUS_OK; /* rows are all that the children share */
    for (size_t i = 1; i < node->child_count; i++) {
        const lam_leaf_levels *levels = array_nesting_levels_of(nesting, &node->children[i]);
        if (!lam_levels_agree(levels - 1, levels, node))
            return array_nesting_fail_at(nesting, &node->children[i],
                                         "its levels contradict those of the column before it",
                                         error);
    }
    return LAM_STATUS_OK;
}

/* Begins a struct, whose children have exactly its slots. */
static lam_status begin_struct(const nesting_builder *nesting, const lam_arrow_node *node,
                               struct ArrowArray *array, lam_error *error) {
    LAM_TRY(array_nesting_check_children(nesting, node, error));
    return lam_levels_set_validity(array_nesting_levels_of(nesting, node), node,
                                   node->field->nullable, nesting->store, array, error);
}

/* --- Lists --------------------------------------------------------------------------------- */

/* Buffers of a group's array, the validity included. */
static size_t array_nesting_buffer_count(lam_arrow_kind kind) {
    switch (kind) {
    case LAM_ARROW_STRUCT:
    case LAM_ARROW_FIXED_SIZE_LIST:
        return 1;
    case LAM_ARROW_LIST_VIEW:
    case LAM_ARROW_LARGE_LIST_VIEW:
        return 3;
    default:
        return 2;
    }
}

static bool is_large(lam_arrow_kind kind) {
    return kind == LAM_ARROW_LARGE_LIST || kind == LAM_ARROW_LARGE_LIST_VIEW;
}

/*
 * Gives a list view its sizes, the differences of the offsets. A list view has no offset after the
 * last list; the buffer still holds one, unused.
 */
static lam_status give_sizes(const nesting_builder *nesting, struct ArrowArray *array,
                             const lam_array_block *offsets, bool large, lam_error *error) {
    size_t count = (size_t)array->length;
    lam_array_block *sizes;
    LAM_TRY(lam_array_block_create(nesting->store, count * (large ? 8 : 4), &sizes, error));
    if (large) {
        const int64_t *from = (const int64_t *)(const void *)offsets->data;
        int64_t *to = (int64_t *)(void *)sizes->data;
        for (size_t i = 0; i < count; i++)
            to[i] = from[i + 1] - from[i];
    } else {
        const int32_t *from = (const int32_t *)(const void *)offsets->data;
        int32_t *to = (int32_t *)(void *)sizes->data;
        for (size_t i = 0; i < count; i++)
            to[i] = from[i + 1] - from[i];
    }
    lam_array_give(array, 2, sizes);
    return LAM_STATUS_OK;
}

static bool slot_is_valid(const struct ArrowArray *array, size_t slot) {
    const uint8_t *validity = array->buffers[0];
    return validity == NULL || (validity[slot / 8] >> slot % 8 & 1) != 0;
}

/*
 * Checks that lists that are not null have the fixed size, and gives the others as many empty
 * elements. The size is that of ARROW:schema, which nothing in the file bounds: a few null lists
 * could ask for gigabytes, so `empty_most` bounds the elements that are made for them.
 */
static lam_status fill_fixed_size(const nesting_builder *nesting, const lam_arrow_node *node,
                                  struct ArrowArray *array, const lam_array_block *offsets,
                                  lam_error *error) {
    const int64_t *at = (const int64_t *)(const void *)offsets->data;
    int32_t width = node->field->type.fixed_size;
    for (size_t i = 0; i < (size_t)array->length; i++) {
        if (!slot_is_valid(array, i) || at[i + 1] - at[i] == width)
            continue;
        char path[ARRAY_NESTING_PATH_ROOM];
        lam_arrow_node_path(nesting->plan, node, path, sizeof path);
        LAM_FAIL(error, LAM_ERROR_CODE_LEVELS_STRUCTURE,
                 "%s: a list of %" PRId64 " elements where all have %" PRId32, path,
                 at[i + 1] - at[i], width);
    }
    if (array->null_count == 0)
        return LAM_STATUS_OK;
    if (width > 0 && (uint64_t)array->null_count > nesting->empty_most / (uint64_t)width)
        LAM_FAIL(error, LAM_STATUS_LIMIT,
                 "%" PRId64 " null lists of %" PRId32 " elements: read smaller batches, or raise "
                 "the memory limit",
                 array->null_count, width);
    return lam_array_put_gaps(array_nesting_levels_of(nesting, node)->kernels, array->children[0],
                              node->children, array->buffers[0], (size_t)array->length,
                              (size_t)width, nesting->store, error);
}

/*
 * Keys are never null in Arrow, whatever the Parquet schema allows. Nor are entries: a repeated
 * group has no nulls.
 */
static lam_status check_keys(const nesting_builder *nesting, const lam_arrow_node *map,
                             const struct ArrowArray *entries, lam_error *error) {
    if (entries->children[0]->null_count > 0)
        return array_nesting_fail_at(nesting, map, "a map with a key that is null", error);
    return LAM_STATUS_OK;
}

/*
 * Begins a list of any kind with its validity. A list of fixed size needs elements wherever it is
 * missing, even if it is missing because a struct around it is null and its own field is not
 * nullable.
 */
static lam_status begin_list(const nesting_builder *nesting, const lam_arrow_node *node,
                             struct ArrowArray *array, lam_error *error) {
    bool is_fixed = node->field->type.kind == LAM_ARROW_FIXED_SIZE_LIST;
    bool may_be_null = is_fixed ? node->nullable : node->field->nullable;
    return lam_levels_set_validity(array_nesting_levels_of(nesting, node), node, may_be_null,
                                   nesting->store, array, error);
}

/*
 * Ends a list, whose elements are complete, with its offsets. Lists of fixed size use 64-bit
 * offsets for the check alone, so that their number of elements has no limit of its own.
 */
static lam_status end_list(const nesting_builder *nesting, const lam_arrow_node *node,
                           struct ArrowArray *array, lam_error *error) {
    lam_arrow_kind kind = node->field->type.kind;
    bool is_fixed = kind == LAM_ARROW_FIXED_SIZE_LIST;
    lam_array_block *offsets;
    if (kind == LAM_ARROW_MAP)
        LAM_TRY(check_keys(nesting, node, array->children[0], error));
    lam_status status =
        lam_levels_offsets(array_nesting_levels_of(nesting, node), node, (size_t)array->length,
                           is_fixed || is_large(kind), nesting->store, &offsets, error);
    if (status == LAM_STATUS_CORRUPT)
        return array_nesting_fail_at(nesting, node,
                                     "its levels continue a list that is empty or null", error);
    LAM_TRY(status);
    if (is_fixed) {
        status = fill_fixed_size(nesting, node, array, offsets, error);
        lam_array_block_drop(offsets);
        if (!node->field->nullable) {
            /* The bits were only needed to find the gaps: the field itself has no nulls. */
            lam_array_take_back(array, 0);
            array->null_count = 0;
        }
        return status;
    }
    lam_array_give(array, 1, offsets);
    if (kind == LAM_ARROW_LIST_VIEW || kind == LAM_ARROW_LARGE_LIST_VIEW)
        return give_sizes(nesting, array, offsets, is_large(kind), error);
    return LAM_STATUS_OK;
}

/* --- The tree ------------------------------------------------------------------------------ */

/* Begins the array of a group. A failure leaves an array that can be released. */
static lam_status begin_group(const nesting_builder *nesting, const nesting_group *group,
                              lam_error *error) {
    const lam_arrow_node *node = group->node;
    LAM_TRY(lam_array_create(nesting->store, array_nesting_buffer_count(node->field->type.kind),
                             node->child_count, false, group->array, error));
    return node->shape == LAM_ARROW_NODE_STRUCT ? begin_struct(nesting, node, group->array, error)
                                                : begin_list(nesting, node, group->array, error);
}

/*
 * Builds everything below the root, with a stack of the open groups. Children are filled where they
 * stay, so that releasing the root releases what was built.
 */
static lam_status build_below(const nesting_builder *nesting, struct ArrowArray *root,
                              lam_error *error) {
    nesting_group groups[LAM_ARROW_NODES_DEEP];
    size_t depth = 1;
    groups[0] = (nesting_group){&nesting->plan->root, root, 0};
    while (depth > 0) {
        nesting_group *top = &groups[depth - 1];
        if (top->next == top->node->child_count) {
            if (top->node->shape == LAM_ARROW_NODE_LIST)
                LAM_TRY(end_list(nesting, top->node, top->array, error));
            depth--;
            continue;
        }
        nesting_group child = {&top->node->children[top->next], top->array->children[top->next], 0};
        top->next++;
        if (child.node->shape == LAM_ARROW_NODE_VALUE) {
            *child.array = nesting->leaves[child.node->first_leaf];
            nesting->leaves[child.node->first_leaf].release = NULL;
        } else {
            LAM_TRY(begin_group(nesting, &child, error));
            groups[depth++] = child;
        }
    }
    return LAM_STATUS_OK;
}

lam_status lam_nesting_build(const lam_arrow_plan *plan, uint64_t row_count,
                             const lam_leaf_levels *levels, struct ArrowArray *leaves,
                             uint64_t empty_most, lam_array_store *store,
                             struct ArrowArray *ret_array, lam_error *error) {
    nesting_builder nesting = {plan, levels, leaves, empty_most, store};
    struct ArrowArray array;
    LAM_TRY(lam_array_create(store, 1, plan->root.child_count, false, &array, error));
    /*
     * The root has no levels of its own, and a projection may leave it without columns: its length
     * is given.
     */
    array.length = (int64_t)row_count;
    lam_status status = build_below(&nesting, &array, error);
    if (status != LAM_STATUS_OK) {
        lam_array_release(&array);
        return status;
    }
    *ret_array = array;
    return LAM_STATUS_OK;
}
