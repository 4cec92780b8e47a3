#include "scan/leaf_choice.h"

#include "base/error.h"
#include "scan/trusted_metadata.h"

static bool leaf_choice_is_value(const lam_projection *projection, size_t leaf_index) {
    return projection->needs[leaf_index] == LAM_NEED_VALUES ||
           projection->needs[leaf_index] == LAM_NEED_LEVELS;
}

/* Metadata is read where a value is; should nothing be left of the group, one empty `value` is. */
static void choose_group(const lam_projection *projection, const lam_field *group, size_t metadata,
                         bool *leaves) {
    size_t end = (size_t)group->first_leaf + group->leaf_count, spare = end;
    bool any = false, any_value = false;
    for (size_t i = group->first_leaf; i < end; i++) {
        any |= leaves[i] || projection->needs[i] == LAM_NEED_LEVELS;
        any_value |= leaves[i] && leaf_choice_is_value(projection, i);
        spare = spare == end && leaf_choice_is_value(projection, i) ? i : spare;
    }
    leaves[metadata] = any_value;
    if (!any && spare < end)
        leaves[spare] = true;
}

lam_status lam_leaf_choose(const lam_reader *reader, const lam_projection *projection,
                           size_t row_group, bool *leaves, lam_error *error) {
    const lam_schema *schema = reader->schema;
    for (size_t i = 0; i < schema->leaf_count; i++) {
        bool empty = false;
        if (leaf_choice_is_value(projection, i))
            LAM_TRY(lam_chunk_is_empty(reader, row_group, i, &empty, error));
        leaves[i] = projection->needs[i] == LAM_NEED_ALWAYS ||
                    (leaf_choice_is_value(projection, i) && !empty);
    }
    for (size_t i = 0; i < schema->leaf_count; i++)
        if (projection->needs[i] == LAM_NEED_WITH_VALUES)
            choose_group(projection, lam_parent_of(lam_leaf_at(schema, i)), i, leaves);
    for (size_t i = 0; i < schema->leaf_count; i++)
        leaves[i] |= projection->needs[i] == LAM_NEED_LEVELS;
    return LAM_STATUS_OK;
}
