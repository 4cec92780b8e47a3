/* SPDX-License-Identifier: Apache-2.0 */
/* The values that a test compares with: PLAIN bytes in ascending order, without duplicates. */
#ifndef LAM_FILTER_FILTER_VALUES_H
#define LAM_FILTER_FILTER_VALUES_H

#include "filter/filter_literal.h"
#include "filter/filter_program.h"

/* Gives the order in which a test compares values of the leaf, whatever order its file states. */
lam_value_order lam_filter_order_of(const lam_field *leaf);

/* Copies a value's PLAIN bytes into `arena`. INVALID when the leaf cannot have the value. */
lam_status lam_filter_copy_value(const lam_field *leaf, const lam_value *value, lam_arena *arena,
                                 lam_bytes *ret_plain, lam_error *error);

/*
 * Fills the kind, leaf, order and values of a test that compares a leaf with literals which were
 * found among its values: any number of them for IN, one for other kinds. NOMEM.
 */
lam_status lam_filter_leaf_test(lam_test_kind kind, const lam_field *leaf,
                                const lam_leaf_literal *literals, size_t count, lam_arena *arena,
                                lam_filter_test *test, lam_error *error);

/* Sorts values, mostly few, and drops duplicates; gives how many are left. */
size_t lam_filter_sort_values(const lam_value_order *order, lam_bytes *values, size_t count);

#endif
