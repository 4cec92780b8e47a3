/* SPDX-License-Identifier: Apache-2.0 */
/* The values that a test compares with: PLAIN bytes in ascending order, without duplicates. */
#ifndef LAM_SCAN_CONDITION_FILTER_VALUES_H
#define LAM_SCAN_CONDITION_FILTER_VALUES_H

#include "scan/condition/filter_literal.h"
#include "scan/condition/filter_pattern.h"
#include "scan/condition/filter_program.h"

/* Gives the order in which a test compares values of the leaf, whatever order its file states. */
lam_value_order lam_filter_order_of(const lam_field *leaf);

/* Copies a value's PLAIN bytes into `arena`. INVALID when the leaf cannot have the value. */
lam_status lam_filter_copy_value(const lam_field *leaf, const lam_value *value, lam_arena *arena,
                                 lam_bytes *ret_plain, lam_error *error);

/*
 * Fills the kind, leaf, order and values of a test that compares a leaf with literals which were
 * found among its values: any number of them for IN, two for BETWEEN, one for other kinds, but not
 * LIKE. NOMEM.
 */
lam_status lam_filter_leaf_test(lam_test_kind kind, const lam_field *leaf,
                                const lam_leaf_literal *literals, size_t count, lam_arena *arena,
                                lam_filter_test *test, lam_error *error);

/*
 * Fills the same for texts of a pattern, which the test points to. Patterns that other kinds can
 * express become those: IN for a pattern of one text, ANY for %. INVALID for a leaf whose values
 * are not texts or bytes, NOMEM.
 */
lam_status lam_filter_like_test(const lam_filter_pattern *pattern, const lam_field *leaf,
                                lam_arena *arena, lam_filter_test *test, lam_error *error);

/* Sorts values, mostly few, and drops duplicates; gives how many are left. */
size_t lam_filter_sort_values(const lam_value_order *order, lam_bytes *values, size_t count);

#endif
