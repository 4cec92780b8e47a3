/*
 * An error and a leaf come in, the error with the column's number and path goes out. Who fails
 * below often knows no column; the first caller above that knows it wins, and a number never stands
 * without its path. Names come from files: the path is one line of UTF-8, whatever they hold.
 */
#include "schema/leaf_error.h"

#include <string.h>

#include "base/error.h"

static void leaf_error_put_path(lam_error *error, const lam_field *leaf) {
    char *path = error->column_path;
    const size_t room = sizeof error->column_path, kept = room - sizeof "...";
    const bool is_cut = lam_field_path(leaf, path, room) >= room;
    if (is_cut)
        path[kept] = '\0';
    /* A text that fills its room is taken for torn, which a path that fits is not. */
    lam_error_make_line(path, is_cut ? kept + 1 : room + 1);
    if (is_cut)
        strcat(path, "...");
}

void lam_error_of_leaf(lam_error *error, const lam_field *leaf) {
    if (error == NULL || error->column >= 0)
        return;
    error->column = (int32_t)lam_field_first_leaf(leaf);
    leaf_error_put_path(error, leaf);
}

void lam_error_at_leaf(lam_error *error, size_t row_group, const lam_field *leaf) {
    if (error != NULL && error->row_group < 0 && row_group <= INT32_MAX)
        error->row_group = (int32_t)row_group;
    lam_error_of_leaf(error, leaf);
}
