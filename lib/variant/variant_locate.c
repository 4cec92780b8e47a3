/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resolves paths that may go on inside of a VARIANT, and takes them apart step by step.
 *
 *     event.location.latitude       event is a VARIANT: the rest is .location.latitude
 *     event."a.b"[].c               the steps: a.b, elements, c
 *
 * In comes the text of a path; out come a field of the schema and the rest of the text, then one
 * step at a time. Names of the schema may hold dots themselves, so a path is compared with the full
 * path of each VARIANT rather than split; of several that match, the longest wins. The invariant: a
 * rest is "" or begins with the dot or bracket of its first step.
 */
#include "variant/variant_locate.h"

#include <string.h>

#include "base/error.h"

/* The VARIANT that contains the field; NULL when none does. */
static const lam_field *variant_around(const lam_field *field) {
    while (field->index != 0) {
        field = lam_parent_of(field);
        if (field->logical_type.kind == LAM_LOGICAL_VARIANT)
            return field;
    }
    return NULL;
}

/*
 * The rest of `path` behind the path of the field; NULL when it does not begin with that path. The
 * names are compared from the last to the first, because a field knows its parent and not its path.
 */
static const char *variant_locate_behind(const lam_field *field, const char *path, size_t path_size,
                                         bool brackets) {
    size_t size = 0;
    for (const lam_field *on = field; on->index != 0; on = lam_parent_of(on))
        size += on->name_size + (on->parent != 0);
    if (size >= path_size || !(path[size] == '.' || (brackets && path[size] == '[')))
        return NULL;
    const char *rest = path + size;
    for (const lam_field *on = field; on->index != 0; on = lam_parent_of(on)) {
        size -= on->name_size;
        if (memcmp(path + size, on->name, on->name_size) != 0 || (size > 0 && path[--size] != '.'))
            return NULL;
    }
    return rest;
}

/*
 * An exact path of the schema first, unless it leads to a column inside of a VARIANT; then the
 * VARIANTs whose paths the text begins with. Takes time in proportion to the fields of the schema.
 */
lam_status lam_variant_locate(const lam_schema *schema, const char *path, bool brackets,
                              lam_variant_location *ret_location, lam_error *error) {
    size_t size = strlen(path);
    lam_variant_location found = {lam_schema_find(schema, path), path + size};
    if (found.field != NULL && variant_around(found.field) == NULL) {
        *ret_location = found;
        return LAM_STATUS_OK;
    }
    found.field = NULL;
    for (size_t i = 1; i < schema->field_count; i++) {
        const lam_field *group = &schema->fields[i];
        const char *rest =
            lam_is_variant_group(group) ? variant_locate_behind(group, path, size, brackets) : NULL;
        if (rest != NULL && (found.field == NULL || rest > found.rest)) {
            found.field = group;
            found.rest = rest;
        }
    }
    if (found.field == NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_FIELD_NOT_FOUND, "no field %s in the schema", path);
    *ret_location = found;
    return LAM_STATUS_OK;
}

/*
 * Whether a character ends an unquoted name. A bracket is an ordinary character without `brackets`.
 */
static bool ends_name(char next, bool brackets) {
    return next == '\0' || next == '.' || (brackets && next == '[');
}

/* Takes a quoted name: "a""b" is a"b. */
static lam_status take_quoted(const char **rest, bool brackets, lam_buffer *name,
                              lam_error *error) {
    const char *next = *rest + 1;
    while (*next != '\0' && (*next != '"' || next[1] == '"')) {
        next += *next == '"';
        LAM_TRY(lam_buffer_append_byte(name, (uint8_t)*next++, error));
    }
    if (*next == '\0' || !ends_name(next[1], brackets))
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "a name in a path has no closing quotation mark before its end: %.100s", *rest);
    *rest = next + 1;
    return LAM_STATUS_OK;
}

/*
 * Takes a name, quoted or not. An empty one must be quoted, so that `a..b` is an error and not a
 * field with an empty name.
 */
static lam_status variant_locate_take_name(const char **rest, bool brackets, lam_buffer *name,
                                           lam_error *error) {
    if (**rest == '"')
        return take_quoted(rest, brackets, name, error);
    const char *end = *rest;
    while (!ends_name(*end, brackets))
        end++;
    if (end == *rest)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "a path into a VARIANT has an empty name, which is written \"\"");
    LAM_TRY(lam_buffer_append(name, *rest, (size_t)(end - *rest), error));
    *rest = end;
    return LAM_STATUS_OK;
}

lam_status lam_variant_take_step(const char **rest, bool brackets, lam_buffer *name,
                                 bool *ret_elements, lam_error *error) {
    const char *at = *rest;
    bool elements = brackets && at[0] == '[' && at[1] == ']';
    lam_buffer_clear(name);
    if (elements) {
        at += 2;
    } else if (*at == '.') {
        at++;
        LAM_TRY(variant_locate_take_name(&at, brackets, name, error));
    } else {
        LAM_FAIL(error, LAM_STATUS_INVALID, "a path continues with a dot or []: %.100s", *rest);
    }
    *ret_elements = elements;
    *rest = at;
    return LAM_STATUS_OK;
}
