/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The builder of lamella/filter.h, shared by the files that add conditions to it: filter_build.c,
 * filter_path_build.c and filter_text.c.
 */
#ifndef LAM_SCAN_CONDITION_FILTER_BUILDER_H
#define LAM_SCAN_CONDITION_FILTER_BUILDER_H

#include "base/list.h"
#include "scan/condition/filter_literal.h"
#include "scan/condition/filter_pattern.h"
#include "scan/condition/filter_program.h"
#include "schema/path_text.h"

/* A step of a path inside a VARIANT: to the elements of an array, or to a field of an object. */
typedef struct lam_path_step {
    bool elements;  /* of an array; `name` is empty */
    lam_bytes name; /* of the field otherwise */
} lam_path_step;

/* A path into a VARIANT, as it was resolved. Its steps are in the builder's arena. */
typedef struct lam_path_target {
    const lam_field *variant;
    const lam_path_step *steps;
    size_t step_count;
} lam_path_target;

struct lam_filter_builder {
    lam_allocator allocator;
    lam_schema *schema;
    lam_arena arena; /* values, paths and literals; becomes the filter's */
    LAM_LIST(lam_filter_test) tests;
    LAM_LIST(lam_filter_step) steps;
    size_t height; /* conditions that are not joined yet */
    size_t depth;  /* the largest `height` so far */
};

/*
 * Adds a test as one more condition. On failure nothing is changed. LIMIT, NOMEM; UNSUPPORTED for a
 * leaf in a VECTOR.
 */
lam_status lam_filter_builder_add(lam_filter_builder *builder, const lam_filter_test *test,
                                  lam_error *error);

/*
 * Finds the leaf that a comparison of a field reads: a group with a single leaf means that leaf, so
 * that `tags = 'x'` reaches the elements of a LIST. INVALID for other groups.
 */
lam_status lam_filter_leaf_of(const lam_field *field, const lam_field **ret_leaf, lam_error *error);

/*
 * Adds a comparison of a leaf with literals that were found among its values, in the builder's
 * arena: one, two for BETWEEN, or for IN any number. INVALID for values without an order.
 */
lam_status lam_filter_builder_compare_leaf(lam_filter_builder *builder, const lam_field *leaf,
                                           lam_test_kind kind, const lam_leaf_literal *literals,
                                           size_t count, lam_error *error);

/* Adds a test of a leaf by a pattern in the builder's arena. INVALID for values without texts. */
lam_status lam_filter_builder_match_leaf(lam_filter_builder *builder, const lam_field *leaf,
                                         const lam_filter_pattern *pattern, lam_error *error);

/* Adds IS NULL, or IS NOT NULL, of a field. INVALID for a group without columns. */
lam_status lam_filter_builder_ask_null(lam_filter_builder *builder, const lam_field *field,
                                       bool is_null, lam_error *error);

/*
 * Turns the words of a path after a VARIANT into steps, in `arena`; a KEY is the caller's to turn.
 * INVALID for an empty name without marks, LIMIT for too many words, NOMEM.
 */
lam_status lam_filter_path_steps(const lam_path_word *words, size_t count, lam_arena *arena,
                                 lam_path_step **ret_steps, lam_error *error);

/* Adds IS NULL or IS MISSING of a path of a VARIANT, or their opposites. */
lam_status lam_filter_builder_ask_path(lam_filter_builder *builder, const lam_path_target *target,
                                       bool is_missing, bool is_not, lam_error *error);

/*
 * Adds a comparison of a path of a VARIANT with literals of any classes, in any order, which are in
 * the builder's arena and are sorted there. See lam_filter_builder_compare_scalars.
 */
lam_status lam_filter_builder_compare_path(lam_filter_builder *builder,
                                           const lam_path_target *target,
                                           lam_filter_operator operation, lam_literal *literals,
                                           size_t count, lam_error *error);

/* The same for a range, whose ends have at most one literal of each class. */
lam_status lam_filter_builder_range_path(lam_filter_builder *builder, const lam_path_target *target,
                                         lam_literal *lows, size_t low_count, lam_literal *highs,
                                         size_t high_count, lam_error *error);

/* The same for the texts of a pattern, which is in the builder's arena. */
lam_status lam_filter_builder_match_path(lam_filter_builder *builder, const lam_path_target *target,
                                         const lam_filter_pattern *pattern, lam_error *error);

#endif
