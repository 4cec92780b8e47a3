/* Schemas that are like others but for the columns of their VARIANTs. */
#ifndef LAM_VARIANT_VARIANT_RELAYOUT_H
#define LAM_VARIANT_VARIANT_RELAYOUT_H

#include <lamella/variant.h>

#include "schema/tree.h"

/* What stands in the place of the typed_value that a group does not have. */
typedef struct lam_variant_relayout {
    void *state;
    /* Whether the group gets one. */
    bool (*takes)(void *state, const lam_field *group);
    /* Adds it. */
    lam_status (*add)(void *state, const lam_field *group, lam_schema_builder *builder,
                      lam_error *error);
} lam_variant_relayout;

/*
 * Gives a schema of the same fields. A group that is taken is one that holds a VARIANT without
 * typed_value: its `value` becomes optional, and typed_value is added behind.
 */
lam_status lam_variant_relayout_schema(const lam_schema *schema,
                                       const lam_variant_relayout *relayout,
                                       const lam_allocator *allocator, lam_schema **ret_schema,
                                       lam_error *error);

#endif
