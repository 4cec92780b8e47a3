/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects the leaves to read by the paths of fields. In: a dotted path and an array of bools, one
 * for each leaf of the schema. Out: the bools of the leaves below that field are true, and the
 * others keep their value, so that several paths add up.
 *
 * The leaves of a subtree are neighbours in schema order, so a path marks one range: "Name" marks
 * the leaves 3, 4 and 5 of the paper's Document, "Name.Url" leaf 5 and "" all.
 */
#include <lamella/schema.h>

#include "base/error.h"

lam_status lam_schema_select(const lam_schema *schema, const char *path, bool *leaves,
                             lam_error *error) {
    const lam_field *field = lam_schema_find(schema, path);
    if (field == NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_FIELD_NOT_FOUND, "no field %s in the schema",
                 path != NULL ? path : "(NULL)");
    size_t first = lam_field_first_leaf(field);
    for (size_t i = 0; i < lam_field_leaf_count(field); i++)
        leaves[first + i] = true;
    return LAM_STATUS_OK;
}
