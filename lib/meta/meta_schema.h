/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts the schema between the footer (a list of elements in preorder) and the schema tree.
 * (parquet.thrift, SchemaElement; LogicalTypes.md)
 */
#ifndef LAM_META_META_SCHEMA_H
#define LAM_META_META_SCHEMA_H

#include <lamella/schema.h>

#include "base/arena.h"
#include "meta/metadata.h"

/*
 * Makes a schema of the elements. The logical type wins over the converted type. A logical type
 * that this version does not know, or that does not go with the physical type, leaves the physical
 * type. An element with neither type nor children is an empty group.
 *
 * CORRUPT if the elements are not exactly one tree, or a number is out of range; UNSUPPORTED for an
 * unknown physical type; LIMIT if the tree is deeper than LAM_SCHEMA_DEPTH_MAX. The schema borrows
 * nothing; free it with lam_schema_destroy.
 */
lam_status lam_meta_schema_import(const lam_meta_schema_element_list *elements,
                                  const lam_allocator *allocator, lam_schema **ret_schema,
                                  lam_error *error);

/*
 * Gives the elements of a schema, with a logical type and, if the format has an equal one, a
 * converted type; for a field that is a copy of a file's, with the file's own. They live in `arena`
 * and borrow texts from the schema. NOMEM, LIMIT.
 */
lam_status lam_meta_schema_export(const lam_schema *schema, lam_arena *arena,
                                  lam_meta_schema_element_list *ret_elements, lam_error *error);

#endif
