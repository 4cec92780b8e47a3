/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects what is read of each record: fields by their paths, and single values inside of VARIANTs
 * by paths that continue after the VARIANT.
 *
 *     id, user.name              the leaves below these fields, and no others
 *     event                      a VARIANT as a whole
 *     event.location.latitude    of a VARIANT one field of a field; each record has the value
 *                                {"location":{"latitude":..}}
 *
 * A path into a VARIANT is read from as few columns as can hold it: the `typed_value` columns at
 * its end, and a `value` column only where the path ends in a field that is not shredded
 * (VariantShredding.md, "Objects"). `metadata` is read along with a `value`.
 */
#ifndef LAMELLA_PROJECTION_H
#define LAMELLA_PROJECTION_H

#include <lamella/common.h>
#include <lamella/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A set of paths for one schema. Once all paths are added, any number of threads may use it. */
typedef struct lam_projection lam_projection;

/*
 * Creates a projection without paths, which selects nothing. The projection holds the schema;
 * `allocator` may be NULL and is copied. Free it with lam_projection_destroy. NOMEM.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_projection_create(const lam_schema *schema,
                                                          const lam_allocator *allocator,
                                                          lam_projection **ret_projection,
                                                          lam_error *error);
/*
 * Adds everything below a path (lamella/schema.h); of fields of one name, below all of them. Up to
 * and including a VARIANT a path names fields of the schema; after it follow names of fields of
 * objects, any that may occur in values, in which dots always separate names: event."a.b".c. A name
 * that holds a NUL cannot be given.
 *
 * Each value of a VARIANT with paths inside is read as an object with the fields at these paths.
 * What is on no path is left out, and so is an object on the way if none of its wanted fields is
 * present; a path does not lead through arrays. A field whose value is a Variant null is present.
 *
 * `path` is read during the call only. NOT_FOUND when the schema has no such field, INVALID for a
 * malformed path and one that is ambiguous, LIMIT for LAM_VARIANT_DEPTH_MAX names or more inside of
 * a VARIANT, the errors of lam_variant_check_group, NOMEM; the projection is unchanged then.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_projection_add(lam_projection *projection, const char *path,
                                                       lam_error *error);
/*
 * Creates a projection from a list of paths, written as for lam_schema_select_text. Up to a VARIANT
 * they lead to fields of the schema; after one they select as in lam_projection_add, and neither
 * * nor ! nor [] may stand before or in such a path. `text` is read during the call only. Failures
 * are those of both calls.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_projection_parse(const lam_schema *schema, const char *text,
                                                         size_t size,
                                                         const lam_allocator *allocator,
                                                         lam_projection **ret_projection,
                                                         lam_error *error);
/*
 * The leaves to read, as one bool for each leaf of the schema; borrowed until destroy, and updated
 * by lam_projection_add. In a row group whose statistics show that a column has no values, a reader
 * may read fewer.
 */
LAM_PUBLIC const bool *lam_projection_leaves(const lam_projection *projection);
/* Frees the projection; NULL is allowed. */
LAM_PUBLIC void lam_projection_destroy(lam_projection *projection);

#ifdef __cplusplus
}
#endif

#endif
