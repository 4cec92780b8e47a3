#include "arrow/arrow_place.h"

#include "base/error.h"
#include "schema/text.h"

static void put_path(const lam_arrow_place *place, lam_text *path) {
    if (place->outer == NULL)
        return;
    put_path(place->outer, path);
    if (place->outer->outer != NULL)
        lam_text_put_string(path, ".");
    lam_text_put_string(path, place->name == NULL ? "" : place->name);
}

lam_status lam_arrow_fail_at(const lam_arrow_place *place, int kind, const char *reason,
                             lam_error *error) {
    char buffer[104];
    lam_text path = {buffer, sizeof buffer, 0};
    put_path(place, &path);
    bool cut = lam_text_finish(&path) >= sizeof buffer;
    if (cut)
        lam_error_make_line(buffer, sizeof buffer); /* no half character before the dots */
    return lam_error_set(error, kind, "%s%s: %s", path.length == 0 ? "schema" : buffer,
                         cut ? "..." : "", reason);
}
