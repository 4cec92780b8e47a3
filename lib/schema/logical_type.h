/* SPDX-License-Identifier: Apache-2.0 */
/* Defines which logical types exist, and which physical types they annotate. (LogicalTypes.md) */
#ifndef LAM_SCHEMA_LOGICAL_TYPE_H
#define LAM_SCHEMA_LOGICAL_TYPE_H

#include <lamella/schema.h>

#include "base/arena.h"

/*
 * Explains why `type` may not annotate a field of that physical type and length (0 if the type has
 * none): a phrase that follows the name of the logical type, such as "annotates binary". NULL when
 * it may.
 */
const char *lam_logical_type_problem(const lam_logical_type *type, lam_physical_type physical,
                                     int32_t type_length);

/* The type with the arguments that its kind has, and all others cleared. */
lam_logical_type lam_logical_type_normal(const lam_logical_type *type);

/* Puts copies of all that a type points at into `arena`. NOMEM. */
lam_status lam_logical_type_keep(lam_logical_type *type, lam_arena *arena, lam_error *error);

/* Compares two types, both normal; their statements only if no more is known about them. */
bool lam_logical_type_equals(const lam_logical_type *a, const lam_logical_type *b);

/* "STRING", "DECIMAL" and so on; "" for NONE and for an unknown kind. Static. */
const char *lam_logical_kind_name(lam_logical_kind kind);

/*
 * Bytes of a value of a physical type, 0 if they vary; the length of FIXED_LEN_BYTE_ARRAY is given.
 */
int32_t lam_physical_type_length(lam_physical_type type, int32_t given_length);

/* "int32", "group" and so on, as in message text. Static. */
const char *lam_physical_type_name(lam_physical_type type);

#endif
