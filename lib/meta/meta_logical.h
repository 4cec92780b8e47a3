/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts the logical type of one field between the footer and the schema tree. A footer may state
 * it twice: as a LogicalType, and as an older ConvertedType. (LogicalTypes.md)
 */
#ifndef LAM_META_META_LOGICAL_H
#define LAM_META_META_LOGICAL_H

#include <lamella/schema.h>

#include "base/arena.h"
#include "meta/metadata.h"

/*
 * Gives the LogicalType if there is one, else the ConvertedType, else NONE; INTERVAL if that is the
 * ConvertedType beside UNKNOWN; UNRECOGNIZED for one that this version does not know. `crs` of the
 * result is NULL; the file's CRS, which has no NUL at its end, is in `*ret_crs`, whose data are
 * NULL if the file names none.
 */
void lam_meta_logical_import(const lam_meta_schema_element *element, lam_logical_type *ret_type,
                             lam_bytes *ret_crs);

/*
 * Gives how the element states `type`, as it was imported, in memory of `arena`; NULL if export
 * would state it alike. NOMEM, LIMIT.
 */
lam_status lam_meta_logical_statement(const lam_meta_schema_element *element,
                                      const lam_logical_type *type, lam_arena *arena,
                                      const lam_type_statement **ret_statement, lam_error *error);

/*
 * Sets both in `element`, which has its physical type and neither of them yet; or, for a type with
 * a statement, as that has them. It borrows `crs` and statement. NOMEM, LIMIT.
 */
lam_status lam_meta_logical_export(const lam_logical_type *type, lam_arena *arena,
                                   lam_meta_schema_element *element, lam_error *error);

#endif
