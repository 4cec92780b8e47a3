/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions on paths of VARIANTs: which columns hold a path, and the meaning of their values. The
 * path event.items[].price of a VARIANT that is shredded so (VariantShredding.md):
 *
 *     optional group event (VARIANT) {            column path     residual
 *       required binary metadata;
 *       optional binary value;                    event           -
 *       optional group typed_value {              typed_value     -
 *         required group items {                  items           -
 *           optional binary value;
 *           optional group typed_value (LIST) {   typed_value     -
 *             repeated group list {               list            -
 *               required group element {          element         -
 *                 optional binary value;
 *                 optional group typed_value {    typed_value     -
 *                   required group price {        price           value
 *                     optional binary value;
 *                     optional int64 typed_value; typed_value     -
 *
 * The column path leads from the root to the last column. A residual is a `value` whose bytes may
 * hold what remains of the path: the one beside the last typed_value of the path, and those beside
 * arrays that mean their elements. Other groups on the way have none, as an object or an array is
 * in no `value` if the schema has it shredded ("Objects", "Arrays").
 */
#ifndef LAM_SCAN_CONDITION_FILTER_PATH_H
#define LAM_SCAN_CONDITION_FILTER_PATH_H

#include "scan/condition/filter_builder.h"
#include "variant/shred/variant_schema.h"
#include "variant/value/variant_layout.h"

/* The kinds of conditions on a path. */
typedef enum lam_path_question {
    LAM_PATH_COMPARES,
    LAM_PATH_IS_NULL,
    LAM_PATH_IS_MISSING
} lam_path_question;

/* Literals of one class in ascending order, duplicates included. */
typedef struct lam_literal_list {
    const lam_literal *items;
    size_t count;
} lam_literal_list;

/* A `value` column that may hold the path from a step on. */
typedef struct lam_filter_residual {
    const lam_field *value;
    size_t step; /* the first step to take inside the bytes */
} lam_filter_residual;

/* One condition on a path. All memory is in the filter's arena. */
struct lam_filter_path {
    lam_path_question question;
    bool is_turned;                                     /* IS NOT NULL, IS NOT MISSING */
    lam_test_kind comparison;                           /* of COMPARES */
    lam_literal_list literals[LAM_LITERAL_CLASS_COUNT]; /* of BETWEEN the lower ends */
    lam_literal_list highs[LAM_LITERAL_CLASS_COUNT];    /* of BETWEEN the upper ends */
    const lam_filter_pattern *pattern;                  /* of LIKE */
    const lam_field *variant;                           /* the group of the VARIANT */
    const lam_field *metadata; /* NULL if no residual is searched by name */
    const lam_path_step *steps;
    size_t step_count;
    const lam_field *end; /* the last field of the column path: a typed_value, or a pair's group */
    const lam_filter_residual *residuals; /* from the top down */
    size_t residual_count;
    bool ends_in_residual; /* else the last column of the path holds its value */
    bool is_element; /* ends at an element of an array: a Variant null where no column holds it */
    bool has_leaf_test;         /* a test of last_leaf decides where no residual has values */
    const lam_field *last_leaf; /* a column whose levels show where the column path is present */
};

/*
 * Finds what a path, as text, leads to: a field, which may be the root, or a VARIANT and the steps
 * inside; the target has no VARIANT otherwise. NOT_FOUND; INVALID and LIMIT as lam_projection_add.
 */
lam_status lam_filter_path_target(const lam_schema *schema, const char *path, lam_arena *arena,
                                  lam_path_target *ret_target, const lam_field **ret_field,
                                  lam_error *error);

/*
 * Finds the columns of a path. `question` is set by the caller; fills the other members of
 * `condition`, except is_turned and the operands. `*ret_kind` is the kind of the last column's
 * values, or UNKNOWN if those are not scalars. The errors of lam_variant_check_group, NOMEM.
 */
lam_status lam_filter_path_find(const lam_path_target *target, lam_arena *arena,
                                lam_filter_path *condition, lam_variant_kind *ret_kind,
                                lam_error *error);

/* Gives the outcome of the comparison for a scalar. */
uint8_t lam_filter_path_compare(const lam_filter_path *path, const lam_variant_scalar *scalar);

/*
 * Searches the bytes of a residual value for a path, from a step on, and raises `*outcome` to that
 * of the values found. `names` may be uninitialized if no step is a name. CORRUPT, and UNSUPPORTED
 * for types of a later specification.
 */
lam_status lam_filter_path_evaluate(const lam_filter_path *path, size_t step,
                                    const lam_variant_names_view *names, lam_bytes value,
                                    uint8_t *outcome, lam_error *error);

#endif
