/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies a schema and gives some of its VARIANTs a typed_value: for inference, which makes one, and
 * for callers that have one.
 */
#ifndef LAM_VARIANT_INFER_VARIANT_RELAYOUT_H
#define LAM_VARIANT_INFER_VARIANT_RELAYOUT_H

#include <lamella/variant.h>

#include "schema/tree.h"

/* Which VARIANTs get a typed_value, and how it is added. */
typedef struct lam_variant_relayout {
    void *state; /* the first argument of both functions */
    /* Whether the group gets one; called for every group outside of those that do. */
    bool (*takes)(void *state, const lam_field *group);
    /* Adds the field typed_value, with all that is in it, to the group that is open. */
    lam_status (*add)(void *state, const lam_field *group, lam_schema_builder *builder,
                      lam_error *error);
} lam_variant_relayout;

/*
 * Gives a schema with the same fields, to be freed with lam_schema_destroy. A group that `takes`
 * accepts must be a VARIANT without typed_value: its `value` becomes optional, and typed_value is
 * added as its last field. LIMIT for a schema that becomes too large, NOMEM, and the errors of
 * `add`.
 */
lam_status lam_variant_relayout_schema(const lam_schema *schema,
                                       const lam_variant_relayout *relayout,
                                       const lam_allocator *allocator, lam_schema **ret_schema,
                                       lam_error *error);

#endif
