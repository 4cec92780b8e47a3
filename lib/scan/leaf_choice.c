#include "scan/leaf_choice.h"

#include "base/error.h"
#include "scan/chunk_index.h"

/* True when the statistics of a chunk say that it has no value. */
static lam_status has_no_values(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                bool *ret_empty, lam_error *error) {
    const lam_chunk_index_parts no_parts = {false, false, false};
    lam_chunk_index index;
    lam_arena unused; /* the statistics came with the footer */
    lam_arena_init(&unused, &reader->allocator, 0);
    lam_status status =
        lam_chunk_index_read(reader, row_group, leaf_index, no_parts, &unused, &index, error);
    lam_arena_finish(&unused);
    LAM_TRY(status);
    lam_filter_facts facts = lam_chunk_index_facts(&index);
    *ret_empty = facts.null_count >= 0 && facts.null_count == facts.triple_count;
    return LAM_STATUS_OK;
}

static bool is_value(const lam_projection *projection, size_t leaf_index) {
    return projection->needs[leaf_index] == LAM_NEED_VALUES ||
           projection->needs[leaf_index] == LAM_NEED_LEVELS;
}

/* Metadata is read where a value is; should nothing be left of the group, one empty `value` is. */
static void settle_group(const lam_projection *projection, const lam_field *group, size_t metadata,
                         bool *leaves) {
    size_t end = (size_t)group->first_leaf + group->leaf_count, spare = end;
    bool any = false, any_value = false;
    for (size_t i = group->first_leaf; i < end; i++) {
        any |= leaves[i] || projection->needs[i] == LAM_NEED_LEVELS;
        any_value |= leaves[i] && is_value(projection, i);
        spare = spare == end && is_value(projection, i) ? i : spare;
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
        if (is_value(projection, i))
            LAM_TRY(has_no_values(reader, row_group, i, &empty, error));
        leaves[i] = projection->needs[i] == LAM_NEED_ALWAYS || (is_value(projection, i) && !empty);
    }
    for (size_t i = 0; i < schema->leaf_count; i++)
        if (projection->needs[i] == LAM_NEED_WITH_VALUES)
            settle_group(projection, lam_parent_of(lam_leaf_at(schema, i)), i, leaves);
    for (size_t i = 0; i < schema->leaf_count; i++)
        leaves[i] |= projection->needs[i] == LAM_NEED_LEVELS;
    return LAM_STATUS_OK;
}
