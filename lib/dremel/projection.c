/* Which leaves to read, told by the paths of fields. */
#include <lamella/schema.h>

#include "base/error.h"

lam_status lam_schema_select(const lam_schema *schema, const char *path, bool *leaves,
                             lam_error *error) {
    const lam_field *field = lam_schema_find(schema, path);
    if (field == NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_FIELD_NOT_FOUND, "no field %s in the schema", path);
    size_t first = lam_field_first_leaf(field);
    for (size_t i = 0; i < lam_field_leaf_count(field); i++)
        leaves[first + i] = true;
    return LAM_STATUS_OK;
}
