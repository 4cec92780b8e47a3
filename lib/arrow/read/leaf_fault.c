/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts entries up to a value to find its row. Takes levels, and the value's number among the
 * values of these entries; gives a count of rows, or an error that names one.
 *
 * Only failures come here, so a linear pass is fast enough. A value exists where the definition
 * level is the leaf's maximum; a row begins where the repetition level is 0 (Dremel paper, section
 * 4.1).
 */
#include "arrow/read/leaf_fault.h"

#include <string.h>

#include "base/error.h"

size_t lam_leaf_fault_row(const lam_field *leaf, const lam_leaf_entries *entries, size_t value) {
    size_t rows = 0, values = 0;
    for (size_t i = 0; i < entries->count; i++) {
        rows += entries->repetition == NULL || entries->repetition[i] == 0;
        if (entries->definition != NULL && entries->definition[i] != leaf->max_definition)
            continue;
        if (values++ == value)
            break;
    }
    return rows;
}

void lam_leaf_fault_name(const lam_field *leaf, uint64_t row, lam_error *error) {
    char path[64], reason[sizeof error->message];
    if (error == NULL)
        return;
    /* The message moves over: the new one is printed into the buffer that it is in. */
    memcpy(reason, error->message, sizeof reason);
    lam_field_path(leaf, path, sizeof path);
    lam_error_set(error, lam_error_kind(error), "%s: %s", path, reason);
    error->row = row <= INT64_MAX ? (int64_t)row : -1;
}
