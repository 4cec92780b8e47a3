/*
 * The schema in a footer (a list of elements in preorder) to and from the schema tree.
 * (LogicalTypes.md)
 */
#ifndef LAM_META_META_SCHEMA_H
#define LAM_META_META_SCHEMA_H

#include <lamella/schema.h>

#include "base/arena.h"
#include "meta/metadata.h"

/*
 * The logical type wins over the converted type. A logical type that this version does not know, or
 * that does not go with the physical type, leaves the physical type. What has neither type nor
 * children is a group of nothing. CORRUPT when the elements are not exactly one tree, or a number
 * is out of range; UNSUPPORTED when a physical type is unknown; LIMIT when the tree is deeper than
 * LAM_SCHEMA_DEPTH_MAX. The schema borrows nothing; it is freed with lam_schema_destroy.
 */
lam_status lam_meta_schema_import(const lam_meta_schema_element_list *elements,
                                  const lam_allocator *allocator, lam_schema **ret_schema,
                                  lam_error *error);

/*
 * The elements of a schema, with a logical type and, where the format has one that means the same,
 * a converted type. They live in `arena` and borrow their names from the schema. NOMEM, LIMIT.
 */
lam_status lam_meta_schema_export(const lam_schema *schema, lam_arena *arena,
                                  lam_meta_schema_element_list *ret_elements, lam_error *error);

#endif
