#include "json/json_variant.h"

static bool json_variant_is_whole(const lam_field *group, const bool *leaves) {
    for (uint32_t i = 0; leaves != NULL && i < group->leaf_count; i++)
        if (!leaves[group->first_leaf + i])
            return false;
    return true;
}

bool lam_json_variant_mark(lam_json_shape *shape, const bool *leaves,
                           const lam_projection *projection, lam_json_variant form) {
    const lam_schema *schema = shape->schema;
    bool any = false;
    if (form == LAM_JSON_VARIANT_STORAGE)
        return false;
    for (size_t i = 1; i < schema->field_count;) {
        const lam_field *field = &schema->fields[i];
        bool is_value =
            field->logical_type.kind == LAM_LOGICAL_VARIANT &&
            (json_variant_is_whole(field, leaves) ||
             (projection != NULL && lam_projection_has_variant_paths(projection, field)));
        if (is_value)
            shape->nodes[i].form = LAM_JSON_FORM_VARIANT;
        any |= is_value;
        i += is_value ? field->subtree_size : 1;
    }
    return any;
}
