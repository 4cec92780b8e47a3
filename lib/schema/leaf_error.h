/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the column to an error: its number and its path, always together. */
#ifndef LAM_SCHEMA_LEAF_ERROR_H
#define LAM_SCHEMA_LEAF_ERROR_H

#include <lamella/schema.h>

/* Add the column, and the row group that it is in, to an error that has none yet. */
void lam_error_of_leaf(lam_error *error, const lam_field *leaf);
void lam_error_at_leaf(lam_error *error, size_t row_group, const lam_field *leaf);

#endif
