/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds a leaf to an error: the column's number and path. The code that fails often knows no column;
 * the first caller above that knows one sets it, later ones leave it alone, and a number never
 * comes without its path. Names come from files: the path is one line of UTF-8, whatever their
 * bytes.
 */
#include "schema/leaf_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/visible.h"
#include "schema/tree.h"

/* Writes the path; of one that does not fit, the first bytes and "...". */
static void leaf_error_put_path(lam_error *error, const lam_field *leaf) {
    char *path = error->column_path;
    const size_t room = sizeof error->column_path, kept = room - sizeof "...";
    const bool is_cut = lam_field_path(leaf, path, room) >= room;
    if (!is_cut) {
        lam_visible_make(path, room);
        return;
    }
    path[kept] = '\0';
    lam_error_make_line(path, kept + 1);
    strcat(path, "...");
}

/* `error` may be NULL, as everywhere: a caller need not ask for the words. */
void lam_error_of_leaf(lam_error *error, const lam_field *leaf) {
    if (error == NULL || error->column >= 0)
        return;
    error->column = (int32_t)lam_field_first_leaf(leaf);
    leaf_error_put_path(error, leaf);
}

/* The row group and the column are set independently: either may be known already. */
void lam_error_at_leaf(lam_error *error, size_t row_group, const lam_field *leaf) {
    if (error != NULL && error->row_group < 0 && row_group <= INT32_MAX)
        error->row_group = (int32_t)row_group;
    lam_error_of_leaf(error, leaf);
}

lam_status lam_field_fail(lam_error *error, int kind, const lam_field *field, const char *format,
                          ...) {
    /* `error` may be NULL: sizeof does not read it. */
    char reason[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    char path[LAM_FIELD_PATH_ROOM];
    if (field->index == 0)
        return lam_error_set(error, kind, "record: %s", reason);
    (void)lam_field_path(field, path, sizeof path);
    (void)lam_error_set(error, kind, "%s: %s", path, reason);
    if (field->physical_type != LAM_PHYSICAL_GROUP)
        lam_error_of_leaf(error, field);
    return lam_kind_status(kind);
}

lam_status lam_field_fail_missing(lam_error *error, const char *use) {
    LAM_FAIL(error, LAM_ERROR_CODE_RECORD_FIELD_UNKNOWN,
             "no such field (NULL)%s: lam_schema_resolve says why a path leads to none", use);
}
