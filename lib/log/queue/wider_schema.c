/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares schemas that follow each other in a log: whether each record of the present schema is
 * also one of the wider one.
 *
 * The wider schema is always the union of both, by type_union.h, so that readers of the log's files
 * as one data set read them in the newest schema, whatever the order of its fields.
 */
#include "log/queue/wider_schema.h"

#include "base/error.h"
#include "schema/leaf_error.h"
#include "schema/schema_union.h"

lam_status lam_log_schema_check_wider(const lam_schema *present, const lam_schema *wider,
                                      const lam_allocator *allocator, lam_error *error) {
    lam_schema *both;
    const lam_field *leaf;
    LAM_TRY(
        lam_schema_find_beyond(wider, present, LAM_CLASH_VARIANT, allocator, &both, &leaf, error));
    if (both == NULL)
        return LAM_STATUS_OK;
    lam_error_set(error, LAM_STATUS_INVALID, "the wider schema %s a field of the present one",
                  lam_schema_field_like(wider, leaf) == NULL ? "lacks" : "changes");
    lam_error_of_leaf(error, leaf);
    lam_schema_destroy(both);
    return LAM_STATUS_INVALID;
}
