/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides when the dictionary of a chunk is converted, and does it once. The column cursor's
 * entries become slots, and for strings also bytes back to back.
 *
 * The invariant: a table has all entries, or there is none. If one entry is refused, values are
 * converted one by one, so that the error names the row of the first bad value, and an entry that
 * no row has is never an error. The table waits until the chunk has had as many values as the
 * dictionary has entries, and has as many left: a few rows of a large chunk convert no more than
 * twice what they need. (Encodings.md, "Dictionary Encoding")
 */
#include "arrow/read/leaf_table.h"

#include "base/error.h"

void lam_leaf_table_init(lam_leaf_table *table, const lam_leaf_values *values) {
    lam_leaf_table fresh = {.values = *values};
    /* The text of entries is data buffer 1 of the arrays that have their views. */
    fresh.values.data_number = LAM_LEAF_DICTIONARY_DATA;
    *table = fresh;
}

void lam_leaf_table_clear(lam_leaf_table *table) {
    lam_leaf_values_finish(&table->values);
    table->is_refused = false;
    table->passed = 0;
}

static lam_status leaf_table_convert(lam_leaf_values *values, const lam_dictionary *dictionary,
                                     lam_error *error) {
    lam_leaf_values_expect(values, dictionary->count, 0, false);
    LAM_TRY(lam_leaf_values_reserve(values, dictionary->count, error));
    LAM_TRY(lam_leaf_values_append(values, dictionary->values, dictionary->count, error));
    lam_leaf_values_spread(values, NULL, dictionary->count);
    return LAM_STATUS_OK;
}

lam_status lam_leaf_table_prepare(lam_leaf_table *table, const lam_dictionary *dictionary,
                                  size_t count, uint64_t all, bool *ret_is_ready,
                                  lam_error *error) {
    *ret_is_ready = table->values.count > 0;
    if (*ret_is_ready || table->is_refused || dictionary == NULL || dictionary->count == 0)
        return LAM_STATUS_OK;
    table->passed += count;
    /* The remainder of the chunk must be worth it, too: most entries may occur once. */
    if (table->passed < dictionary->count || table->passed > all ||
        all - table->passed < dictionary->count)
        return LAM_STATUS_OK;
    lam_error failure = lam_error_none();
    lam_status status = leaf_table_convert(&table->values, dictionary, &failure);
    if (status == LAM_STATUS_NOMEM) {
        if (error != NULL)
            *error = failure;
        return status;
    }
    table->is_refused = status != LAM_STATUS_OK;
    *ret_is_ready = !table->is_refused;
    if (table->is_refused)
        lam_leaf_values_finish(&table->values);
    return LAM_STATUS_OK;
}
