/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the columns that a projection of VARIANT paths reads in one row group. Takes the needs of
 * each leaf, from the projection, and gives one bool per leaf.
 *
 *     NOT           never            ALWAYS        always
 *     VALUES        a `value`, unless its statistics say that it holds only nulls here
 *     LEVELS        a `value` whose levels show which VARIANT, object or array is there: always
 *     WITH_VALUES   `metadata`, if any `value` of its VARIANT is read
 *
 * The invariant: every VARIANT with a wanted path keeps at least one leaf, since without a column
 * the assembler could not know which records have it. A `value` that is left out holds only nulls,
 * and metadata that is left out names no value that is read.
 */
#include "scan/evaluate/leaf_choice.h"

#include "base/error.h"
#include "scan/prune/trusted_metadata.h"

/* Whether a leaf is a `value` column that the projection may need. */
static bool leaf_choice_is_value(const lam_projection *projection, size_t leaf_index) {
    return projection->needs[leaf_index] == LAM_NEED_VALUES ||
           projection->needs[leaf_index] == LAM_NEED_LEVELS;
}

/*
 * Chooses the metadata of one VARIANT, and keeps one `value`, although it is empty, if no other
 * leaf of the group is read. LEVELS are counted as read: they are added at the end.
 */
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

/*
 * Three passes: leaves by themselves; then metadata, which depends on the leaves beside it; then
 * the leaves that are read for their levels whether they have values or not. These count as values
 * in the second pass only if they have some.
 */
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
