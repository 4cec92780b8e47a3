/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds conditions on paths of VARIANTs: takes a path and a question, or values of any classes,
 * and adds one test to a builder. The values are literals, sorted by class and value, and each
 * class gets its range of that one array, so that evaluating a scalar of a class searches only
 * literals that it can be compared with. The array and all that it points to are always in the
 * builder's arena, which the filter takes over.
 */
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "scan/condition/filter_builder.h"
#include "scan/condition/filter_path.h"
#include "scan/condition/filter_values.h"

/* By class, then by value; values of different classes have no order. */
static int order_literals(const void *state, const void *a, const void *b) {
    const lam_literal *x = a, *y = b;
    (void)state;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return lam_literal_order(x, y);
}

/* Sorts an array and splits it into one list per class. The lists start out empty. */
static void filter_path_split(lam_literal *literals, size_t count,
                              lam_literal_list lists[LAM_LITERAL_CLASS_COUNT]) {
    lam_sort(literals, count, sizeof *literals, order_literals, NULL);
    for (size_t i = 0; i < count; i++) {
        lam_literal_list *list = &lists[literals[i].kind];
        if (list->count++ == 0)
            list->items = &literals[i];
    }
}

/* Only equality may have several values of a class: "less than 3 or 5" has no meaning. */
static lam_status filter_path_check_lists(const lam_filter_path *variant_path, lam_error *error) {
    for (size_t i = 0; i < LAM_LITERAL_CLASS_COUNT; i++)
        if ((variant_path->comparison != LAM_TEST_IN && variant_path->literals[i].count > 1) ||
            variant_path->highs[i].count > 1)
            LAM_FAIL(error, LAM_STATUS_INVALID, "several values of one class for one comparison");
    return LAM_STATUS_OK;
}

/*
 * Makes the test of the typed column that ends the path, whose values are of a kind: statistics,
 * Bloom filters and dictionaries can decide it like that of any leaf. It is right wherever the
 * residual columns of the path have no values. Without literals of the column's class every value
 * compares as unknown.
 */
static lam_status filter_path_leaf_test(const lam_filter_path *path, lam_variant_kind kind,
                                        lam_arena *arena, lam_filter_test *test, lam_error *error) {
    lam_literal_class class = lam_literal_class_of(kind);
    size_t count = class == LAM_LITERAL_NO_CLASS ? 0 : path->literals[class].count;
    bool is_range = path->comparison == LAM_TEST_BETWEEN;
    test->kind = LAM_TEST_UNKNOWN;
    test->leaf = path->last_leaf;
    test->order = lam_filter_order_of(test->leaf);
    if (path->comparison == LAM_TEST_LIKE)
        return class != LAM_LITERAL_STRING
                   ? LAM_STATUS_OK
                   : lam_filter_like_test(path->pattern, test->leaf, arena, test, error);
    if (count == 0 || (is_range && path->highs[class].count == 0))
        return LAM_STATUS_OK;
    lam_leaf_literal *found;
    LAM_TRY(LAM_ARENA_ARRAY(arena, count + is_range, &found, error));
    if (is_range)
        LAM_TRY(
            lam_literal_to_leaf(&path->highs[class].items[0], test->leaf, arena, &found[1], error));
    for (size_t i = 0; i < count; i++)
        LAM_TRY(lam_literal_to_leaf(&path->literals[class].items[i], test->leaf, arena, &found[i],
                                    error));
    return lam_filter_leaf_test(path->comparison, test->leaf, found, count + is_range, arena, test,
                                error);
}

/*
 * Takes the slots of the VARIANT: below it the path goes through no array (has_leaf_test). A path
 * that ends in a residual is present where `value` has a value, and one with a column is present
 * where that column is.
 */
static void filter_path_null_test(const lam_filter_path *path, lam_filter_test *test) {
    test->kind = path->is_turned ? LAM_TEST_NOT_NULL : LAM_TEST_NULL;
    test->leaf = path->last_leaf;
    test->slots = lam_slots_of(path->variant);
    test->slots.present =
        path->ends_in_residual ? path->last_leaf->max_definition : path->end->max_definition;
}

/*
 * Finds the columns of a path, makes the test of the last one, and adds it. A failure leaves memory
 * in the arena and the program unchanged.
 */
static lam_status filter_path_add(lam_filter_builder *builder, const lam_path_target *target,
                                  const lam_filter_path *condition, lam_error *error) {
    lam_filter_test test = {0};
    lam_variant_kind kind;
    lam_filter_path *added;
    LAM_TRY(LAM_ARENA_NEW(&builder->arena, &added, error));
    *added = *condition;
    LAM_TRY(lam_filter_path_find(target, &builder->arena, added, &kind, error));
    test.path = added;
    if (added->question == LAM_PATH_COMPARES)
        LAM_TRY(filter_path_leaf_test(added, kind, &builder->arena, &test, error));
    else
        filter_path_null_test(added, &test);
    return lam_filter_builder_add(builder, &test, error);
}

lam_status lam_filter_builder_ask_path(lam_filter_builder *builder, const lam_path_target *target,
                                       bool is_missing, bool is_not, lam_error *error) {
    const lam_filter_path condition = {
        .question = is_missing ? LAM_PATH_IS_MISSING : LAM_PATH_IS_NULL, .is_turned = is_not};
    return filter_path_add(builder, target, &condition, error);
}

/* Sorts the caller's array in place, then refers to it. */
lam_status lam_filter_builder_compare_path(lam_filter_builder *builder,
                                           const lam_path_target *target,
                                           lam_filter_operator operation, lam_literal *literals,
                                           size_t count, lam_error *error) {
    lam_filter_path condition = {.question = LAM_PATH_COMPARES,
                                 .comparison = lam_test_kind_of(operation)};
    filter_path_split(literals, count, condition.literals);
    LAM_TRY(filter_path_check_lists(&condition, error));
    return filter_path_add(builder, target, &condition, error);
}

lam_status lam_filter_builder_range_path(lam_filter_builder *builder, const lam_path_target *target,
                                         lam_literal *lows, size_t low_count, lam_literal *highs,
                                         size_t high_count, lam_error *error) {
    lam_filter_path condition = {.question = LAM_PATH_COMPARES, .comparison = LAM_TEST_BETWEEN};
    filter_path_split(lows, low_count, condition.literals);
    filter_path_split(highs, high_count, condition.highs);
    LAM_TRY(filter_path_check_lists(&condition, error));
    return filter_path_add(builder, target, &condition, error);
}

lam_status lam_filter_builder_match_path(lam_filter_builder *builder, const lam_path_target *target,
                                         const lam_filter_pattern *pattern, lam_error *error) {
    const lam_filter_path condition = {
        .question = LAM_PATH_COMPARES, .comparison = LAM_TEST_LIKE, .pattern = pattern};
    return filter_path_add(builder, target, &condition, error);
}
