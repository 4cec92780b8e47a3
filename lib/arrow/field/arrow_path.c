/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts the path of a field before the message of an error. Walks over a tree of fields keep a
 * lam_arrow_path in each stack frame, which points to that of the caller's; only an error turns
 * this list into text.
 *
 * A message never loses its reason: the path gets at most 103 bytes, and "..." when it is longer,
 * so that an error's message has room for both; its depth is bounded by LAM_ARROW_DEPTH_MAX.
 */
#include "arrow/field/arrow_path.h"

#include <string.h>

#include "base/error.h"
#include "schema/path_text.h"

/* Prints from the root inwards, without the root's own name: recursion turns the order around. */
static void arrow_path_put_path(const lam_arrow_path *path, lam_text *text) {
    if (path->outer == NULL)
        return;
    arrow_path_put_path(path->outer, text);
    if (path->outer->outer != NULL)
        lam_text_put_string(text, ".");
    if (path->name != NULL && path->name[0] != '\0') /* Arrow's fields need no names */
        lam_path_put_name(text, path->name, strlen(path->name));
}

lam_status lam_arrow_fail_at(const lam_arrow_path *path, int kind, const char *reason,
                             lam_error *error) {
    char buffer[104];
    lam_text text = {buffer, sizeof buffer, 0};
    arrow_path_put_path(path, &text);
    bool cut = lam_text_finish(&text) >= sizeof buffer;
    if (cut)
        lam_error_make_line(buffer, sizeof buffer); /* cuts an incomplete character */
    return lam_error_set(error, kind, "%s%s: %s", text.length == 0 ? "schema" : buffer,
                         cut ? "..." : "", reason);
}
