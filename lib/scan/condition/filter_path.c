/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the columns that can hold a path of a VARIANT, and compares scalars with its literals.
 * Takes the VARIANT's group and the steps of the path after it; fills a lam_filter_path, see the
 * example in scan/condition/filter_path.h. At each group of value and typed_value on the way there
 * are three choices:
 *
 *     typed_value is an object with the next field    go into the field; no residual here
 *     typed_value is an array, and [] comes next      go into its elements; no residual here
 *     anything else                                   the residual may hold the rest of the path
 *
 * The invariant: columns outside of the path and its residuals cannot hold the value at the path,
 * so a scan reads no others. (VariantShredding.md, "Objects", "Arrays", "Data Skipping")
 */
#include "scan/condition/filter_path.h"

#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "schema/path_find.h"

/* The residuals while they are collected: at most one for each group. */
typedef struct path_finder {
    const lam_variant_plan *plan;
    lam_filter_path *path;
    lam_filter_residual residuals[LAM_SCHEMA_DEPTH_MAX + 1];
    size_t residual_count;
} path_finder;

/* --- The path ------------------------------------------------------------------------------ */

lam_status lam_filter_path_steps(const lam_path_word *words, size_t count, lam_arena *arena,
                                 lam_path_step **ret_steps, lam_error *error) {
    if (count >= LAM_VARIANT_DEPTH_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FILTER_LIMIT, "a path of more than %d names",
                 LAM_VARIANT_DEPTH_MAX - 1);
    lam_path_step *steps;
    LAM_TRY(LAM_ARENA_ARRAY(arena, count, &steps, error));
    for (size_t i = 0; i < count; i++) {
        steps[i].elements = words[i].kind == LAM_PATH_ELEMENTS;
        if (words[i].kind == LAM_PATH_NAME)
            LAM_TRY(lam_path_word_copy(&words[i], arena, &steps[i].name, error));
    }
    *ret_steps = steps;
    return LAM_STATUS_OK;
}

lam_status lam_filter_path_target(const lam_schema *schema, const char *path, lam_arena *arena,
                                  lam_path_target *ret_target, const lam_field **ret_field,
                                  lam_error *error) {
    lam_path read;
    lam_path_match match;
    lam_path_step *steps;
    *ret_target = (lam_path_target){NULL, NULL, 0};
    if (path == NULL || *path == '\0') /* none, and the root */
        return lam_schema_resolve(schema, path, ret_field, error);
    LAM_TRY(lam_path_read_text(path, arena, &read, error));
    LAM_TRY(lam_path_find(schema, &read, LAM_PATH_INTO_VARIANTS, &match, error));
    *ret_field = match.field;
    if (!lam_is_variant_group(match.field))
        return LAM_STATUS_OK;
    LAM_TRY(lam_filter_path_steps(read.words + match.used, read.count - match.used, arena, &steps,
                                  error));
    *ret_target = (lam_path_target){match.field, steps, read.count - match.used};
    return LAM_STATUS_OK;
}

/* --- The column path ----------------------------------------------------------------------- */

/*
 * Goes from one pair of value and typed_value to the next on the path: into a field of an object,
 * or the elements of an array; false at the last. An array at the end of a path that compares means
 * its elements: its own residual counts too then, as it may hold a scalar, or an array that is not
 * shredded.
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
 * The plan lives for this call only; the path points to fields of the schema, which outlives the
 * filter.
 */
lam_status lam_filter_path_find(const lam_path_target *target, lam_arena *arena,
                                lam_filter_path *condition, lam_variant_kind *ret_kind,
                                lam_error *error) {
    lam_status status;
    lam_variant_plan plan;
    void *residuals;
    path_finder finder = {.plan = &plan, .path = condition};
    condition->variant = target->variant;
    condition->steps = target->steps;
    condition->step_count = target->step_count;
    LAM_TRY(
        lam_variant_plan_init(&plan, target->variant, LAM_VARIANT_READ, &arena->allocator, error));
    find_column_path(&finder, ret_kind);
    LAM_TRY_OUT(
        lam_arena_array(arena, finder.residual_count, sizeof *finder.residuals, &residuals, error));
    if (finder.residual_count > 0)
        memcpy(residuals, finder.residuals, finder.residual_count * sizeof *finder.residuals);
    condition->residuals = residuals;
    condition->residual_count = finder.residual_count;
    condition->metadata = needs_metadata(&finder) ? plan.metadata : NULL;
out:
    lam_variant_plan_finish(&plan);
    return status;
}

/* --- Values -------------------------------------------------------------------------------- */

/* Binary search in the literals of the scalar's class. */
static bool is_among(const lam_literal_list *list, const lam_variant_scalar *scalar) {
    size_t at;
    LAM_BISECT_EQUAL(at, 0, list->count, -lam_literal_compare(scalar, &list->items[at]));
    return at < list->count;
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
