/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the tree of nodes and views with a frontier, depth first, and visits each leaf with its
 * levels: rows of a checked array become a lam_leaf_batch per leaf, in schema order.
 *
 * At one node: resolve run ends, find nulls, raise the level, then enter the struct's children or
 * the list's elements. Each step has memory of its own per depth, not per node: siblings take
 * turns, and the frontiers of all ancestors always stay valid while a node below them is visited.
 * After the first batch nothing is allocated unless batches grow. The steps themselves are in
 * level_frontier.c.
 */
#include "arrow/write/level_write.h"

#include "arrow/write/level_frontier.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/recursion.h"

/* The memory of the steps at one depth: each step reads the frontier of the step before. */
typedef struct node_memory {
    lam_frontier_memory runs;
    lam_frontier_memory nulls;
    lam_frontier_memory lists; /* of a list, or of a struct with an offset */
} node_memory;

/* A node and its view, which may be run end encoded. */
typedef struct field_view {
    const lam_arrow_node *node;
    lam_array_view *view;
    bool is_nullable; /* itself, whatever its parents are */
    bool needs_check; /* it, or a field below it, may have something to refuse */
    struct field_view *children;
} field_view;

struct lam_level_writer {
    const lam_kernels *kernels;
    lam_allocator allocator;
    lam_arena arena; /* the tree of field views */
    field_view root;
    size_t depth;        /* of the deepest node; the root has 1 */
    node_memory *memory; /* `depth` of them */
    lam_buffer valid;    /* scratch of the current node: a byte per slot */
    lam_buffer lengths;  /* scratch of the current list: uint32_t per list */
};

/* The arguments of a walk, the same for all nodes. */
typedef struct batch {
    lam_level_writer *writer;
    const lam_leaf_visitor *visitor;
    int64_t first_row;
    bool checks_only;      /* skip fields without needs_check */
    lam_leaf_range leaves; /* skip fields without one of these */
} batch;

/* --- The tree ------------------------------------------------------------------------------ */

/* The view of the values: that of the slots, or below run ends. */
static lam_array_view *values_of(lam_array_view *view) {
    return view->kind == LAM_ARROW_RUN_END_ENCODED ? &view->children[1] : view;
}

/*
 * Makes the field views of a node and those below it. The depth is bounded, as that of the schema
 * is. Nullability is that of the Parquet field: of a list, the group with the annotation.
 */
static lam_status pair_up(lam_level_writer *writer, field_view *at, const lam_arrow_node *node,
                          lam_array_view *view, size_t depth, lam_error *error) {
    at->node = node;
    at->view = view;
    at->is_nullable = node->parquet->repetition == LAM_REPETITION_OPTIONAL;
    writer->depth = depth > writer->depth ? depth : writer->depth;
    LAM_TRY(LAM_ARENA_ARRAY(&writer->arena, node->child_count, &at->children, error));
    for (size_t i = 0; i < node->child_count; i++)
        LAM_TRY(pair_up(writer, &at->children[i], &node->children[i], &values_of(view)->children[i],
                        depth + 1, error));
    return LAM_STATUS_OK;
}

lam_status lam_level_writer_create(const lam_arrow_plan *plan, const lam_kernels *kernels,
                                   lam_array_view *root, const lam_allocator *allocator,
                                   lam_level_writer **ret_writer, lam_error *error) {
    lam_status status;
    lam_level_writer *writer;
    LAM_TRY(LAM_NEW(allocator, &writer, error));
    writer->kernels = kernels;
    writer->allocator = *allocator;
    lam_arena_init(&writer->arena, allocator, 0);
    lam_buffer_init(&writer->valid, allocator);
    lam_buffer_init(&writer->lengths, allocator);
    /* Memory is allocated as zeros, so destroy works at any point from here. */
    LAM_TRY_OUT(pair_up(writer, &writer->root, &plan->root, root, 1, error));
    LAM_TRY_OUT(LAM_ARRAY(allocator, writer->depth, &writer->memory, error));
    for (size_t i = 0; i < writer->depth; i++) {
        lam_frontier_memory_init(&writer->memory[i].runs, allocator);
        lam_frontier_memory_init(&writer->memory[i].nulls, allocator);
        lam_frontier_memory_init(&writer->memory[i].lists, allocator);
    }
    *ret_writer = writer;
    return LAM_STATUS_OK;
out:
    lam_level_writer_destroy(writer);
    return status;
}

void lam_level_writer_destroy(lam_level_writer *writer) {
    if (writer == NULL)
        return;
    lam_allocator allocator = writer->allocator;
    for (size_t i = 0; writer->memory != NULL && i < writer->depth; i++) {
        lam_frontier_memory_finish(&writer->memory[i].runs);
        lam_frontier_memory_finish(&writer->memory[i].nulls);
        lam_frontier_memory_finish(&writer->memory[i].lists);
    }
    lam_free(&allocator, writer->memory, writer->depth * sizeof(node_memory));
    lam_buffer_finish(&writer->valid);
    lam_buffer_finish(&writer->lengths);
    lam_arena_finish(&writer->arena);
    lam_free(&allocator, writer, sizeof *writer);
}

/* --- Down the tree ------------------------------------------------------------------------- */

/* Reports the first null of a field that is not nullable: there is one in `valid`. */
static lam_status fail_null(const batch *at, const field_view *field,
                            const lam_level_frontier *frontier, const uint8_t *valid,
                            lam_error *error) {
    size_t index = 0;
    while (valid[index])
        index++;
    int64_t row = lam_level_row(frontier->count, frontier->repetition, frontier->definition,
                                frontier->level, index);
    return lam_array_fail(field->view, LAM_ERROR_CODE_ARROW_ARRAY, error,
                          "row %lld has a null, and the field is not nullable",
                          (long long)(at->first_row + row));
}

/*
 * Hands a leaf to the visitor. `slots` is the frontier before nulls were removed and has the
 * ranges, `values` the one after and has the final levels: gathering needs the slots of nulls too,
 * to match the bytes of `valid`.
 */
static lam_status visit_leaf(const batch *at, const field_view *field, const lam_array_view *view,
                             const lam_level_frontier *slots, const lam_level_frontier *values,
                             const uint8_t *valid, lam_error *error) {
    lam_leaf_batch leaf = {0};
    leaf.node = field->node;
    leaf.view = view;
    leaf.triples.count = values->count;
    leaf.triples.value_count = values->present;
    leaf.triples.repetition = values->repetition;
    leaf.triples.definition = values->definition;
    leaf.ranges = slots->ranges;
    leaf.range_count = slots->range_count;
    leaf.slot_count = slots->present;
    leaf.valid = valid;
    leaf.first_row = at->first_row;
    return at->visitor->visit(at->visitor->state, &leaf, error);
}

/*
 * Takes a parent's frontier through one node: gives the one for the node's children, or hands a
 * leaf to the visitor. `there` is the frontier below the nulls; it is the same as `frontier` if the
 * field is not nullable.
 */
LAM_APART static lam_status descend_once(const batch *at, const field_view *field, size_t depth,
                                         const lam_level_frontier *above,
                                         lam_level_frontier *ret_below, lam_error *error) {
    const lam_arrow_node *node = field->node;
    const lam_array_view *view = field->view;
    node_memory *memory = &at->writer->memory[depth];
    lam_level_frontier frontier = *above;
    const uint8_t *valid;
    if (view->kind == LAM_ARROW_RUN_END_ENCODED) {
        LAM_TRY(lam_frontier_through_runs(&frontier, view, &memory->runs, &frontier, error));
        view = &view->children[1];
    }
    /*
     * Below a null struct slots are not present, so a child that is not nullable may be anything
     * there.
     */
    LAM_TRY(lam_frontier_valid(at->writer->kernels, &frontier, view, &at->writer->valid, &valid,
                               error));
    if (valid != NULL && !field->is_nullable)
        return fail_null(at, field, &frontier, valid, error);
    bool is_leaf = node->shape == LAM_ARROW_NODE_VALUE;
    lam_level_frontier there = frontier;
    if (field->is_nullable)
        LAM_TRY(
            lam_frontier_without_nulls(&frontier, valid, !is_leaf, &memory->nulls, &there, error));
    /* The slots of a leaf keep their nulls: the gathering of values skips them by `valid`. */
    if (is_leaf)
        return visit_leaf(at, field, view, &frontier, &there, valid, error);
    if (node->shape == LAM_ARROW_NODE_LIST)
        LAM_TRY(lam_frontier_through_lists(&there, view, node, &memory->lists, &at->writer->lengths,
                                           &there, error));
    /*
     * Lists apply the offset of their view where they read their offsets; structs need a step for
     * it.
     */
    else if (view->offset > 0)
        LAM_TRY(lam_frontier_shift(&there, view->offset, &memory->lists, &there, error));
    *ret_below = there;
    return LAM_STATUS_OK;
}

/* The same for the node and all below it. */
static lam_status descend(const batch *at, const field_view *field, size_t depth,
                          const lam_level_frontier *above, lam_error *error) {
    const lam_arrow_node *node = field->node;
    lam_level_frontier below;
    if ((at->checks_only && !field->needs_check) || node->first_leaf >= at->leaves.end ||
        node->first_leaf + node->leaf_count <= at->leaves.first)
        return LAM_STATUS_OK;
    LAM_TRY(descend_once(at, field, depth, above, &below, error));
    for (size_t i = 0; i < node->child_count; i++)
        LAM_TRY(descend(at, &field->children[i], depth + 1, &below, error));
    return LAM_STATUS_OK;
}

/* Starts at the root with one entry per row: levels 0, all present, one range of slots. */
static lam_status level_write_batch(const batch *at, int64_t row_count, lam_error *error) {
    lam_slot_range rows = {at->first_row, row_count};
    lam_level_frontier frontier = {0};
    frontier.count = frontier.present = (size_t)row_count;
    frontier.ranges = &rows;
    /* A range is never empty. */
    frontier.range_count = row_count > 0;
    return descend(at, &at->writer->root, 0, &frontier, error);
}

lam_status lam_level_write(lam_level_writer *writer, int64_t first_row, int64_t row_count,
                           const lam_leaf_visitor *visitor, lam_error *error) {
    const batch at = {writer, visitor, first_row, false, {0, SIZE_MAX}};
    return level_write_batch(&at, row_count, error);
}

lam_status lam_level_write_leaves(lam_level_writer *writer, lam_leaf_range leaves, bool checks,
                                  int64_t first_row, int64_t row_count,
                                  const lam_leaf_visitor *visitor, lam_error *error) {
    const batch at = {writer, visitor, first_row, checks, leaves};
    return level_write_batch(&at, row_count, error);
}

lam_status lam_level_write_checked(lam_level_writer *writer, int64_t first_row, int64_t row_count,
                                   const lam_leaf_visitor *visitor, lam_error *error) {
    const batch at = {writer, visitor, first_row, true, {0, SIZE_MAX}};
    return level_write_batch(&at, row_count, error);
}

/* --- Checks -------------------------------------------------------------------------------- */

/*
 * Marks the fields in which something may have to be refused: a value that array_check.h could not
 * clear, or a null where none may be, which is fine only below a null parent. A parent is marked if
 * any field below it is.
 */
static bool find_checks(field_view *field) {
    const lam_array_view *view = values_of(field->view);
    const lam_array_view *dictionary = view->dictionary;
    bool has_nulls = view->has_nulls || (dictionary != NULL && dictionary->has_nulls);
    bool needs_check = view->needs_check || (dictionary != NULL && dictionary->needs_check);
    field->needs_check = needs_check || (has_nulls && !field->is_nullable);
    for (size_t i = 0; i < field->node->child_count; i++)
        field->needs_check |= find_checks(&field->children[i]);
    return field->needs_check;
}

bool lam_level_needs_check(lam_level_writer *writer) {
    return find_checks(&writer->root);
}

/* --- Counting ------------------------------------------------------------------------------ */

/* Counts stop here: more than any batch may have, and few enough to be added up. */
static const int64_t COUNT_MAX = INT64_MAX / 4;

static int64_t count_most(const field_view *field, int64_t start, int64_t count);

/*
 * Bounds the triples of lists: those of their elements, and one for each list, which is exact for
 * the empty ones. Adjacent lists are bounded together.
 */
static int64_t count_elements(const field_view *field, const lam_array_view *view, int64_t start,
                              int64_t count) {
    const field_view *element = &field->children[0];
    int64_t at = view->offset + start, size = view->field->type.fixed_size, sum = 0;
    bool is_large = lam_array_is_large(view->kind);
    if (count == 0)
        return 0;
    if (view->kind == LAM_ARROW_FIXED_SIZE_LIST)
        return count + count_most(element, at * size, count * size);
    if (view->extent == NULL) {
        int64_t first = lam_load_offset(is_large, view->slots, at);
        return count + count_most(element, first,
                                  lam_load_offset(is_large, view->slots, at + count) - first);
    }
    for (int64_t i = at; i < at + count && sum < COUNT_MAX; i++)
        sum += 1 + count_most(element, lam_load_offset(is_large, view->slots, i),
                              lam_load_offset(is_large, view->extent, i));
    return sum;
}

/* Bounds the triples of slots without run ends: for a struct, the most that any child has. */
static int64_t level_count_values(const field_view *field, const lam_array_view *view,
                                  int64_t start, int64_t count) {
    int64_t most = count;
    if (field->node->shape == LAM_ARROW_NODE_LIST)
        return count_elements(field, view, start, count);
    for (size_t i = 0; i < field->node->child_count; i++) {
        int64_t below = count_most(&field->children[i], view->offset + start, count);
        most = below > most ? below : most;
    }
    return most;
}

/* Bounds the triples of runs: those of the value, as often as the run is long. */
static int64_t level_count_runs(const field_view *field, int64_t start, int64_t count) {
    const lam_array_view *view = field->view, *run_ends = &view->children[0];
    int64_t at = view->offset + start, end = at + count, sum = 0;
    for (int64_t run = lam_array_find_run(run_ends, at); at < end && sum < COUNT_MAX; run++) {
        int64_t stop = lam_array_run_end(run_ends, run);
        stop = stop < end ? stop : end;
        /* Run ends ascend, so `stop` is beyond `at`. */
        int64_t one = level_count_values(field, &view->children[1], run, 1);
        sum += one > COUNT_MAX / (stop - at) ? COUNT_MAX : one * (stop - at);
        at = stop;
    }
    return sum;
}

/*
 * Bounds the triples of slots. Nulls are counted as if they were values: finding them would cost a
 * pass.
 */
static int64_t count_most(const field_view *field, int64_t start, int64_t count) {
    count = count < COUNT_MAX ? count : COUNT_MAX;
    if (field->node->child_count == 0)
        return count;
    if (field->view->kind == LAM_ARROW_RUN_END_ENCODED)
        return level_count_runs(field, start, count);
    int64_t most = level_count_values(field, field->view, start, count);
    return most < COUNT_MAX ? most : COUNT_MAX;
}

int64_t lam_level_count(const lam_level_writer *writer, int64_t first_row, int64_t row_count) {
    return count_most(&writer->root, first_row, row_count);
}

int64_t lam_leaf_batch_row(const lam_leaf_batch *leaf, size_t value_index) {
    return leaf->first_row + lam_level_row(leaf->triples.count, leaf->triples.repetition,
                                           leaf->triples.definition, leaf->node->present_definition,
                                           value_index);
}
