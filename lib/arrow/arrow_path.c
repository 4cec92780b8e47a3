#include "arrow/arrow_path.h"

#include "base/error.h"
#include "schema/text.h"

static void arrow_path_put_path(const lam_arrow_path *path, lam_text *text) {
    if (path->outer == NULL)
        return;
    arrow_path_put_path(path->outer, text);
    if (path->outer->outer != NULL)
        lam_text_put_string(text, ".");
    lam_text_put_string(text, path->name == NULL ? "" : path->name);
}

lam_status lam_arrow_fail_at(const lam_arrow_path *path, int kind, const char *reason,
                             lam_error *error) {
    char buffer[104];
    lam_text text = {buffer, sizeof buffer, 0};
    arrow_path_put_path(path, &text);
    bool cut = lam_text_finish(&text) >= sizeof buffer;
    if (cut)
        lam_error_make_line(buffer, sizeof buffer); /* no half character before the dots */
    return lam_error_set(error, kind, "%s%s: %s", text.length == 0 ? "schema" : buffer,
                         cut ? "..." : "", reason);
}
