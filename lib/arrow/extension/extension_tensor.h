/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the tensors among the extension types: the storage of a column's values, and the
 * parameters that describe it.
 *
 *     arrow.fixed_shape_tensor       fixed_size_list of as many elements as the shape has
 *     {"shape": [2, 5], "dim_names": ["row", "column"], "permutation": [1, 0]}
 *
 *     arrow.variable_shape_tensor    struct { data: list, shape: fixed_size_list of int32 }
 *     {"uniform_shape": [400, null, 3], "dim_names": ["H", "W", "C"], "permutation": [0, 1, 2]}
 *
 * Names and permutation have an element for each dimension. (Arrow, "Canonical Extension Types")
 */
#ifndef LAM_ARROW_EXTENSION_EXTENSION_TENSOR_H
#define LAM_ARROW_EXTENSION_EXTENSION_TENSOR_H

#include "arrow/field/arrow_field.h"

/* Both set `ret_fault` to a static text with the fault, or to NULL. NOMEM. */
lam_status lam_extension_fixed_tensor(const lam_arrow_field *storage, lam_bytes parameters,
                                      lam_arena *arena, const char **ret_fault, lam_error *error);
lam_status lam_extension_variable_tensor(const lam_arrow_field *storage, lam_bytes parameters,
                                         lam_arena *arena, const char **ret_fault,
                                         lam_error *error);

#endif
