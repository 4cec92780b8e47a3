/*
 * Conditions on paths of VARIANTs: which columns hold a path, and what their values mean. The path
 * event.items[].price of a VARIANT that is shredded so (VariantShredding.md):
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
 * The column path leads from the root to the last column. A residual is a `value` in which the
 * path can be instead, whole or at the end of what is left of the path: beside the last typed_value
 * of the path, and beside those of arrays that stand for their elements. On the way there is none,
 * as an object or an array is in no `value` where the schema has it shredded ("Objects", "Arrays").
 */
#ifndef LAM_FILTER_FILTER_PATH_H
#define LAM_FILTER_FILTER_PATH_H

#include "filter/filter_program.h"
#include "filter/typed_literal.h"
#include "variant/variant_layout.h"
#include "variant/variant_locate.h"
#include "variant/variant_schema.h"

/* What is asked of a path. */
typedef enum lam_path_question {
    LAM_PATH_COMPARES,
    LAM_PATH_IS_NULL,
    LAM_PATH_IS_MISSING
} lam_path_question;

/* Readings of one class, in their order and each once. */
typedef struct lam_typed_literal_list {
    const lam_typed_literal *items;
    size_t count;
} lam_typed_literal_list;

/* A step of a path inside of a VARIANT. */
typedef struct lam_path_step {
    bool elements;  /* of an array */
    lam_bytes name; /* else of the field of an object */
} lam_path_step;

typedef struct lam_filter_residual {
    const lam_field *value; /* NULL: there is none */
    size_t step;            /* the first of those that lead on from there */
} lam_filter_residual;

/* All of it is in the filter's arena. */
struct lam_filter_path {
    lam_path_question question;
    bool is_turned;           /* IS NOT NULL, IS NOT MISSING */
    lam_test_kind comparison; /* of COMPARES */
    lam_typed_literal_list literals[LAM_LITERAL_CLASS_COUNT];
    const lam_field *variant;  /* the group */
    const lam_field *metadata; /* NULL where no names are looked up */
    const lam_path_step *steps;
    size_t step_count;
    const lam_field *const *column_path; /* from below the root on */
    size_t column_path_length;
    const lam_filter_residual *residuals; /* those in column_path[n - 1] at n; at 0 there is none */
    bool ends_in_residual; /* the path is in the last one; else the last column of the path is it */
    bool is_element;       /* the path; where no column holds it, it is a Variant null */
    size_t
        slot_length; /* of the column path: up to the last repeated field outside of the VARIANT */
    bool has_leaf_test;         /* where no residual has values, the test of a leaf alone tells */
    const lam_field *last_leaf; /* a column that shows where the column path is there */
};

/*
 * Adds a comparison with typed literals that are in the builder's arena, in any order; sorts them. See
 * lam_filter_builder_variant_compare.
 */
lam_status lam_filter_builder_compare_path(lam_filter_builder *builder, const char *path,
                                           lam_filter_operator operation,
                                           lam_typed_literal *literals, size_t count,
                                           lam_error *error);

/* Finds the VARIANT that a path leads into, or to. NOT_FOUND; INVALID when it leads to none. */
lam_status lam_filter_locate_path(const lam_schema *schema, const char *path,
                                  lam_variant_location *ret_location, lam_error *error);

/*
 * Finds the columns of a path. The question is set; the rest of `path` but readings is filled, and
 * `*ret_kind` is that of the values of the last column, or UNKNOWN where it is none of scalars.
 * INVALID and LIMIT as lam_projection_add; errors of lam_variant_check_group.
 */
lam_status lam_filter_path_find(const lam_variant_location *location, lam_arena *arena,
                                lam_filter_path *path, lam_variant_kind *ret_kind,
                                lam_error *error);

/*
 * What a path that compares is where no residual has values: a test of its last column, whose values
 * are of a kind. Says in `path` whether there is such a test.
 */
lam_status lam_filter_path_leaf_test(lam_filter_path *path, lam_variant_kind kind, lam_arena *arena,
                                     lam_filter_test *test, lam_error *error);
/* The same for a path that is asked for being null or missing. */
void lam_filter_path_null_test(lam_filter_path *path, lam_filter_test *test);

/* The outcome of comparing a scalar. */
uint8_t lam_filter_path_compare(const lam_filter_path *path, const lam_variant_scalar *scalar);

/*
 * Finds a path in the bytes of a residual value, from a step on, and raises `*outcome` to what it
 * is there. `names` are not looked at where no names lead on. CORRUPT, and UNSUPPORTED for types of
 * a later specification.
 */
lam_status lam_filter_path_evaluate(const lam_filter_path *path, size_t step,
                                    const lam_variant_names_view *names, lam_bytes value,
                                    uint8_t *outcome, lam_error *error);

#endif
