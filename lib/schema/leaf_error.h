/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the column to an error: its number and its path, always together. */
#ifndef LAM_SCHEMA_LEAF_ERROR_H
#define LAM_SCHEMA_LEAF_ERROR_H

#include <lamella/schema.h>

#include "base/error.h"

/* Room for a path in a message; a longer path is cut. */
enum { LAM_FIELD_PATH_ROOM = 160 };

/* Add the column, and the row group that it is in, to an error that has none yet. */
void lam_error_of_leaf(lam_error *error, const lam_field *leaf);
void lam_error_at_leaf(lam_error *error, size_t row_group, const lam_field *leaf);

/* Fails with the path of the field before the message, and with its column when it is a leaf. */
lam_status lam_field_fail(lam_error *error, int kind, const lam_field *field, const char *format,
                          ...) LAM_PRINTF(4, 5);

/* Fails for NULL in place of a field. `use` says what it is for, as in " for INT64 5", or is "". */
lam_status lam_field_fail_missing(lam_error *error, const char *use);

#endif
