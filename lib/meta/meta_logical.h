/*
 * The logical type of one field, as a footer states it and as the schema tree has it. A footer may
 * state it twice: as a LogicalType, and as an older ConvertedType. (LogicalTypes.md)
 */
#ifndef LAM_META_META_LOGICAL_H
#define LAM_META_META_LOGICAL_H

#include <lamella/schema.h>

#include "base/arena.h"
#include "meta/metadata.h"

/*
 * The LogicalType if there is one, else the ConvertedType, else NONE; INTERVAL when that is the
 * ConvertedType beside UNKNOWN; UNRECOGNIZED when it is one that this version does not know. `crs`
 * of the result is NULL; the file's own, without a NUL, is in `*ret_crs`, whose data are NULL when
 * it names none.
 */
void lam_meta_logical_import(const lam_meta_schema_element *element, lam_logical_type *ret_type,
                             lam_bytes *ret_crs);

/* Sets both in `element`, which says nothing of them yet, but has its physical type. It borrows
 * `crs`. NOMEM, LIMIT. */
lam_status lam_meta_logical_export(const lam_logical_type *type, lam_arena *arena,
                                   lam_meta_schema_element *element, lam_error *error);

#endif
