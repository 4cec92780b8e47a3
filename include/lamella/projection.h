/*
 * What of each record is wanted: fields by their paths, and parts of VARIANTs by paths that go on
 * inside of them.
 *
 *     id, user.name              the leaves below these fields, and no others
 *     event                      a VARIANT as a whole
 *     event.location.latitude    of a VARIANT one field of a field; each record has the value
 *                                {"location":{"latitude":..}}
 *
 * A part of a VARIANT is read from as few columns as can hold it: the `typed_value` columns at the
 * end of its path, and a `value` column only where the path ends in what is not shredded
 * (VariantShredding.md, "Objects"). `metadata` is read along with a `value`.
 */
#ifndef LAMELLA_PROJECTION_H
#define LAMELLA_PROJECTION_H

#include <lamella/common.h>
#include <lamella/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Once all is added it may be used from any number of threads. */
typedef struct lam_projection lam_projection;

/* Nothing is wanted yet. `allocator` may be NULL. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_projection_create(const lam_schema *schema,
                                                          const lam_allocator *allocator,
                                                          lam_projection **ret_projection,
                                                          lam_error *error);
/*
 * Adds what is at a dotted path. Up to a VARIANT a path is one of the schema, as lam_schema_find
 * takes it; behind it stand names of fields of objects, any that there may be. There a name with a
 * dot goes between quotation marks, as in event."a.b".c, one with a quotation mark at its beginning
 * too, with each mark in it doubled; an empty name is "". No path leads to a name that holds a NUL.
 *
 * Of a VARIANT with wanted parts each value is an object of those that it has. What is on no path
 * is left out, as are objects on the way of which no part is there; a path does not lead through
 * arrays. A part that is a Variant null is there.
 *
 * NOT_FOUND when the schema has no such field, INVALID for a path that is not well formed, LIMIT
 * for more than LAM_VARIANT_DEPTH_MAX names, errors of lam_variant_check_group; the projection is
 * then as it was.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_projection_add(lam_projection *projection, const char *path,
                                                       lam_error *error);
/*
 * The leaves that are read where no statistics tell of columns without values: as many bools as the
 * schema has leaves, borrowed until destroy.
 */
LAM_PUBLIC const bool *lam_projection_leaves(const lam_projection *projection);
/* Whether the field is a VARIANT of which parts are wanted, and not the whole. */
LAM_PUBLIC bool lam_projection_has_parts(const lam_projection *projection, const lam_field *group);
/* NULL is allowed. */
LAM_PUBLIC void lam_projection_destroy(lam_projection *projection);

#ifdef __cplusplus
}
#endif

#endif
