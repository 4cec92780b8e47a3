/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The builder behind lamella/filter.h, shared by the files that add conditions to it:
 * filter_build.c, filter_path_build.c and filter_text.c.
 */
#ifndef LAM_FILTER_FILTER_BUILDER_H
#define LAM_FILTER_FILTER_BUILDER_H

#include "filter/filter_literal.h"
#include "filter/filter_program.h"

struct lam_filter_builder {
    lam_allocator allocator;
    lam_schema *schema;
    lam_arena arena;  /* values, paths and literals; becomes the filter's */
    lam_buffer tests; /* lam_filter_test */
    lam_buffer steps; /* lam_filter_step */
    size_t height;    /* conditions that are not joined yet */
    size_t depth;     /* the largest `height` so far */
};

/*
 * Adds a test as one more condition. On failure nothing is changed. LIMIT, NOMEM; UNSUPPORTED for a
 * leaf in a VECTOR.
 */
lam_status lam_filter_builder_add(lam_filter_builder *builder, const lam_filter_test *test,
                                  lam_error *error);

/*
 * Adds a comparison of a leaf with literals that were found among its values, in the builder's
 * arena: one, or for IN any number. `path` names the leaf in errors. INVALID for values without an
 * order.
 */
lam_status lam_filter_builder_compare_leaf(lam_filter_builder *builder, const lam_field *leaf,
                                           lam_test_kind kind, const lam_leaf_literal *literals,
                                           size_t count, const char *path, lam_error *error);

/*
 * Adds a comparison of a path of a VARIANT with literals of any classes, in any order, which are in
 * the builder's arena and are sorted there. See lam_filter_builder_variant_compare.
 */
lam_status lam_filter_builder_compare_path(lam_filter_builder *builder, const char *path,
                                           lam_filter_operator operation, lam_literal *literals,
                                           size_t count, lam_error *error);

#endif
