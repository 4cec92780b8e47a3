/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resolves a dotted path: to a field of the schema, or to a VARIANT and the rest of the path inside
 * of its values. lamella/projection.h and lamella/filter_text.h say how such paths are written.
 */
#ifndef LAM_VARIANT_VARIANT_LOCATE_H
#define LAM_VARIANT_VARIANT_LOCATE_H

#include "base/buffer.h"
#include "schema/tree.h"

/* The result of a search; `rest` points into the path. */
typedef struct lam_variant_location {
    const lam_field *field; /* a field of the schema; the VARIANT, if the path goes on inside */
    const char *rest; /* from the dot or bracket behind the VARIANT on; "" if nothing follows */
} lam_variant_location;

/* A group annotated as VARIANT. A schema has that annotation on no leaf. */
static inline bool lam_is_variant_group(const lam_field *field) {
    return field->logical_type.kind == LAM_LOGICAL_VARIANT;
}

/*
 * Finds the field of a path. The columns of a VARIANT (value, typed_value, metadata) are not fields
 * for a path: names behind a VARIANT are names in its values. `brackets` allows [] behind a
 * VARIANT, which means the elements of an array. NOT_FOUND.
 */
lam_status lam_variant_locate(const lam_schema *schema, const char *path, bool brackets,
                              lam_variant_location *ret_location, lam_error *error);

/*
 * Takes the next step of a rest that is not empty and moves `*rest` behind it: a dot and a name,
 * whose bytes replace the content of `name`, or, with `brackets`, []. INVALID for a malformed path,
 * NOMEM; `*rest` and `*ret_elements` are unchanged then.
 */
lam_status lam_variant_take_step(const char **rest, bool brackets, lam_buffer *name,
                                 bool *ret_elements, lam_error *error);

#endif
