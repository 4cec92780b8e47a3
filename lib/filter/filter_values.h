/* SPDX-License-Identifier: Apache-2.0 */
/* The values that a test compares with: PLAIN bytes in ascending order, without duplicates. */
#ifndef LAM_FILTER_FILTER_VALUES_H
#define LAM_FILTER_FILTER_VALUES_H

#include "filter/filter_program.h"

/* Gives the order in which a test compares values of the leaf, whatever order its file states. */
lam_value_order lam_filter_order_of(const lam_field *leaf);

/* Copies a value's PLAIN bytes into `arena`. INVALID when the leaf cannot have the value. */
lam_status lam_filter_copy_value(const lam_field *leaf, const lam_value *value, lam_arena *arena,
                                 lam_bytes *ret_plain, lam_error *error);

/* Sorts values, mostly few, and drops duplicates; gives how many are left. */
size_t lam_filter_sort_values(const lam_value_order *order, lam_bytes *values, size_t count);

#endif
