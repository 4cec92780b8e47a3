/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the columns that can hold a path of a VARIANT, and compares scalars with its literals.
 * Takes the VARIANT's group and the text of the path behind it; fills a lam_filter_path, see the
 * example in filter/filter_path.h. At each group of value and typed_value on the way there are
 * three choices:
 *
 *     typed_value is an object with the next field    go into the field; no residual here
 *     typed_value is an array, and [] comes next      go into its elements; no residual here
 *     anything else                                   the residual may hold the rest of the path
 *
 * Invariant: columns outside of the path and its residuals cannot hold what the path leads to, so
 * that a scan reads no others. (VariantShredding.md, "Objects", "Arrays", "Data Skipping")
 */
#include "filter/filter_path.h"

#include "base/error.h"

/* The residuals while they are collected: at most one for each group. */
typedef struct path_finder {
    const lam_variant_plan *plan;
    lam_filter_path *path;
    lam_filter_residual residuals[LAM_SCHEMA_DEPTH_MAX + 1];
    size_t residual_count;
} path_finder;

/* --- The path ------------------------------------------------------------------------------ */

/* Copies a step's name into the arena, as `name` is overwritten by the next step. */
static lam_status filter_path_copy_step(lam_arena *arena, lam_bytes name, lam_path_step *step,
                                        lam_error *error) {
    char *copy;
    LAM_TRY(lam_arena_copy(arena, name.data, name.size, &copy, error));
    step->name.data = (const uint8_t *)copy;
    step->name.size = name.size;
    return LAM_STATUS_OK;
}

/*
 * Splits the rest of a path behind the VARIANT into steps; `.items[].price` gives items, [], price.
 * Their number is bounded, so that the array can be on the stack.
 */
static lam_status take_steps(const char *rest, lam_arena *arena, lam_buffer *name,
                             lam_filter_path *path, lam_error *error) {
    lam_path_step steps[LAM_VARIANT_DEPTH_MAX];
    size_t count = 0;
    void *memory;
    for (; *rest != '\0'; count++) {
        if (count + 1 == LAM_VARIANT_DEPTH_MAX)
            LAM_FAIL(error, LAM_ERROR_CODE_FILTER_LIMIT, "a path of more than %d names",
                     LAM_VARIANT_DEPTH_MAX - 1);
        LAM_TRY(lam_variant_take_step(&rest, true, name, &steps[count].elements, error));
        LAM_TRY(filter_path_copy_step(arena, lam_buffer_bytes(name), &steps[count], error));
    }
    LAM_TRY(lam_arena_array(arena, count, sizeof *steps, &memory, error));
    if (count > 0)
        memcpy(memory, steps, count * sizeof *steps);
    path->steps = memory;
    path->step_count = count;
    return LAM_STATUS_OK;
}

/* --- The column path ----------------------------------------------------------------------- */

/*
 * Goes from one pair of value and typed_value to the next on the path: into a field of an object,
 * or the elements of an array; false at the last. An array at the end of a path that compares
 * stands for its elements: its own residual counts too then, as it may hold a scalar, or an array
 * that is not shredded.
 */
static bool filter_path_go_on(path_finder *finder, uint32_t *node, size_t *at) {
    const lam_filter_path *path = finder->path;
    const lam_variant_node_plan *pair = &finder->plan->nodes[*node];
    const lam_path_step *step = *at < path->step_count ? &path->steps[*at] : NULL;
    bool is_array = pair->form == LAM_VARIANT_TYPED_ARRAY;
    bool is_through = step != NULL && step->elements;
    if (step != NULL && !step->elements && pair->form == LAM_VARIANT_TYPED_OBJECT) {
        uint32_t found = lam_variant_plan_find(finder->plan, *node, step->name);
        if (found != LAM_VARIANT_NO_NODE) {
            *node = found;
            ++*at;
            return true;
        }
    }
    if (pair->value != NULL && (!is_through || !is_array))
        finder->residuals[finder->residual_count++] = (lam_filter_residual){pair->value, *at};
    if (!is_array || (!is_through && (step != NULL || path->question != LAM_PATH_COMPARES)))
        return false;
    *node = pair->children;
    *at += is_through;
    return true;
}

static const lam_field *first_leaf_of(const lam_field *field) {
    return lam_leaf_at(field->schema, field->first_leaf);
}

/*
 * Follows the path through the plan of the VARIANT and decides which leaf shows that the path is
 * present. IS MISSING of the VARIANT itself depends on the group alone, for which the required
 * metadata column is enough. In levels, a missing list and an empty one look alike, so that no leaf
 * decides on null or missing elements.
 */
static void find_column_path(path_finder *finder, lam_variant_kind *ret_kind) {
    lam_filter_path *path = finder->path;
    bool compares = path->question == LAM_PATH_COMPARES;
    uint32_t node = 0;
    size_t at = 0;
    *ret_kind = LAM_VARIANT_UNKNOWN;
    path->end = path->variant;
    if (path->question == LAM_PATH_IS_MISSING && path->step_count == 0) {
        path->last_leaf = finder->plan->metadata;
        path->has_leaf_test = true;
        return;
    }
    while (filter_path_go_on(finder, &node, &at))
        ;
    const lam_variant_node_plan *last = &finder->plan->nodes[node];
    bool is_scalar = last->form == LAM_VARIANT_TYPED_SCALAR;
    path->is_element = node != 0 && !last->is_field && at == path->step_count;
    path->ends_in_residual = at < path->step_count || last->form == LAM_VARIANT_UNTYPED;
    path->end = path->ends_in_residual ? last->field : last->typed;
    if (path->ends_in_residual) {
        path->last_leaf = last->value != NULL ? last->value : first_leaf_of(last->field);
        path->has_leaf_test = last->value != NULL;
    } else {
        path->last_leaf = first_leaf_of(last->typed);
        path->has_leaf_test = is_scalar || !compares;
        if (is_scalar)
            *ret_kind = (lam_variant_kind)last->kind;
    }
    if (!compares && path->end->max_repetition > path->variant->max_repetition)
        path->has_leaf_test = false;
}

/*
 * True when a residual may be searched by name: object fields have ids, and the metadata has the
 * names.
 */
static bool needs_metadata(const path_finder *finder) {
    for (size_t i = 0; i < finder->residual_count; i++)
        for (size_t at = finder->residuals[i].step; at < finder->path->step_count; at++)
            if (!finder->path->steps[at].elements)
                return true;
    return false;
}

/*
 * Refuses paths that end at a field which is not a VARIANT: those have conditions of their own. The
 * plan and the buffer live for this call only; the path points to fields of the schema, which
 * outlives the filter.
 */
lam_status lam_filter_path_find(const lam_schema *schema, const char *path, lam_arena *arena,
                                lam_filter_path *condition, lam_variant_kind *ret_kind,
                                lam_error *error) {
    lam_status status;
    lam_variant_location location;
    lam_variant_plan plan;
    lam_buffer name;
    void *residuals;
    path_finder finder = {.plan = &plan, .path = condition};
    LAM_TRY(lam_variant_locate(schema, path, true, &location, error));
    if (!lam_is_variant_group(location.field))
        LAM_FAIL(error, LAM_STATUS_INVALID, "field '%.150s' is neither a VARIANT nor inside one",
                 path);
    condition->variant = location.field;
    LAM_TRY(
        lam_variant_plan_init(&plan, location.field, LAM_VARIANT_READ, &arena->allocator, error));
    lam_buffer_init(&name, &arena->allocator);
    LAM_TRY_OUT(take_steps(location.rest, arena, &name, condition, error));
    find_column_path(&finder, ret_kind);
    LAM_TRY_OUT(
        lam_arena_array(arena, finder.residual_count, sizeof *finder.residuals, &residuals, error));
    if (finder.residual_count > 0)
        memcpy(residuals, finder.residuals, finder.residual_count * sizeof *finder.residuals);
    condition->residuals = residuals;
    condition->residual_count = finder.residual_count;
    condition->metadata = needs_metadata(&finder) ? plan.metadata : NULL;
out:
    lam_buffer_finish(&name);
    lam_variant_plan_finish(&plan);
    return status;
}

/* --- Values -------------------------------------------------------------------------------- */

/* Binary search in the literals of the scalar's class. */
static bool is_among(const lam_literal_list *list, const lam_variant_scalar *scalar) {
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = lam_literal_compare(scalar, &list->items[middle]);
        if (order == 0)
            return true;
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return false;
}

/* Both ends need a literal of the class. */
static uint8_t compare_range(const lam_filter_path *path, lam_literal_class kind,
                             const lam_variant_scalar *scalar) {
    if (path->highs[kind].count == 0)
        return LAM_OUTCOME_UNKNOWN;
    return lam_literal_compare(scalar, &path->literals[kind].items[0]) >= 0 &&
                   lam_literal_compare(scalar, &path->highs[kind].items[0]) <= 0
               ? LAM_OUTCOME_TRUE
               : LAM_OUTCOME_FALSE;
}

/*
 * A null, an object or an array has no class; nor is a text compared with a number. Such
 * comparisons are unknown rather than false, so that NOT does not make them true.
 */
uint8_t lam_filter_path_compare(const lam_filter_path *path, const lam_variant_scalar *scalar) {
    lam_literal_class kind = lam_literal_class_of(scalar->kind);
    if (path->comparison == LAM_TEST_LIKE)
        return kind != LAM_LITERAL_STRING                             ? LAM_OUTCOME_UNKNOWN
               : lam_pattern_matches(path->pattern, scalar->as.bytes) ? LAM_OUTCOME_TRUE
                                                                      : LAM_OUTCOME_FALSE;
    if (kind == LAM_LITERAL_NO_CLASS || path->literals[kind].count == 0)
        return LAM_OUTCOME_UNKNOWN;
    if (path->comparison == LAM_TEST_BETWEEN)
        return compare_range(path, kind, scalar);
    const lam_literal_list *list = &path->literals[kind];
    bool is_true =
        path->comparison == LAM_TEST_IN
            ? is_among(list, scalar)
            : lam_test_passes(path->comparison, lam_literal_compare(scalar, &list->items[0]));
    return is_true ? LAM_OUTCOME_TRUE : LAM_OUTCOME_FALSE;
}
