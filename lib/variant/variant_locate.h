/*
 * Where a dotted path leads: to a field of the schema, or through a VARIANT of it to what values
 * have inside. lamella/projection.h says how such paths are written.
 */
#ifndef LAM_VARIANT_VARIANT_LOCATE_H
#define LAM_VARIANT_VARIANT_LOCATE_H

#include "base/buffer.h"
#include "schema/nesting.h"
#include "schema/tree.h"

typedef struct lam_variant_location {
    const lam_field *field; /* of the schema; the VARIANT, where the path goes on */
    const char *rest;       /* of the path, from the mark behind the VARIANT on; empty at its end */
} lam_variant_location;

static inline bool lam_is_variant_group(const lam_field *field) {
    return field->logical_type.kind == LAM_LOGICAL_VARIANT && lam_is_group(field);
}

/*
 * Columns of a VARIANT are no fields to a path. With `brackets` a path may go on with [] too, the
 * elements of an array. NOT_FOUND.
 */
lam_status lam_variant_locate(const lam_schema *schema, const char *path, bool brackets,
                              lam_variant_location *ret_location, lam_error *error);

/*
 * Takes the next step of a rest that is not empty: a dot and a name, whose bytes replace those of
 * `name`, or, with `brackets`, []. INVALID for a path that is not well formed.
 */
lam_status lam_variant_take_step(const char **rest, bool brackets, lam_buffer *name,
                                 bool *ret_elements, lam_error *error);

#endif
