/* SPDX-License-Identifier: Apache-2.0 */
/* Turns fields in preorder into an immutable schema. */
#ifndef LAM_SCHEMA_TREE_SEAL_H
#define LAM_SCHEMA_TREE_SEAL_H

#include "schema/tree.h"

/*
 * Creates a schema with memory of its own from `count` fields, the root first, that are complete
 * but for `schema`, `children` and `name_slots`. Names and CRS texts are copied. NOMEM.
 */
lam_status lam_schema_seal(const lam_field *fields, size_t count, const lam_allocator *allocator,
                           lam_schema **ret_schema, lam_error *error);

#endif
