/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that the chunk at position i of a row group belongs to leaf i. Takes the path that the
 * chunk states (ColumnMetaData.path_in_schema) and the leaf whose position it has, and gives
 * CORRUPT if the path names another leaf of the schema.
 *
 * Damaged or badly merged footers swap chunks of columns that have one type, and then every page
 * decodes without complaint and yields the values of the wrong column. Only the path shows it.
 * Names are always compared as bytes; a path that leads to no leaf at all is ignored, because some
 * writers split names at dots or rename columns in the schema alone.
 */
#include "file/read/chunk_path.h"

#include <string.h>

#include "base/error.h"
#include "schema/path_text.h"
#include "schema/tree.h"

/* Compares from the leaf upwards, because fields know their parents. Linear in the depth. */
static bool chunk_path_is_path_of(const lam_meta_bytes_list *path, const lam_field *leaf) {
    const lam_field *field = leaf;
    if (path->count != leaf->depth)
        return false;
    for (uint32_t i = path->count; i > 0; i--) {
        const lam_bytes *name = &path->items[i - 1];
        if (name->size != field->name_size ||
            (name->size > 0 && memcmp(name->data, field->name, name->size) != 0))
            return false;
        field = lam_parent_of(field);
    }
    return true;
}

/* The leaf at that path; NULL if no leaf has it, as when it ends at a group. */
static const lam_field *chunk_path_find_leaf(const lam_schema *schema,
                                             const lam_meta_bytes_list *path) {
    const lam_field *field = lam_schema_root(schema);
    for (uint32_t i = 0; i < path->count && field != NULL; i++)
        field =
            lam_field_child_named(field, (const char *)path->items[i].data, path->items[i].size);
    return field != NULL && lam_field_is_leaf(field) ? field : NULL;
}

/* Room for a path in a message. */
typedef struct chunk_path_text {
    char bytes[61];
} chunk_path_text;

/*
 * Prints the end of a path: deep columns share their first names, and the last ones distinguish
 * them. Filled from the back, one name and one dot at a time; of a name that has no room its end.
 */
static const char *show_path(const lam_field *leaf, chunk_path_text *text) {
    size_t start = sizeof text->bytes - 1;
    text->bytes[start] = '\0';
    for (const lam_field *field = leaf; field->depth > 0; field = lam_parent_of(field)) {
        size_t size = field->name_size;
        if (start < (field != leaf))
            break;
        if (field != leaf)
            text->bytes[--start] = '.';
        if (2 * size + 2 > start) {
            size = size < start ? size : start;
            memcpy(text->bytes + start - size, field->name + field->name_size - size, size);
            start -= size;
            break;
        }
        char *begin = lam_path_name_before(text->bytes + start, field->name, size);
        start = (size_t)(begin - text->bytes);
    }
    return text->bytes + start;
}

/*
 * The common case is a match on the first comparison; the schema is searched only after a mismatch.
 */
lam_status lam_chunk_path_check(const lam_meta_bytes_list *path, const lam_field *leaf,
                                lam_error *error) {
    if (chunk_path_is_path_of(path, leaf))
        return LAM_STATUS_OK;
    const lam_field *other = chunk_path_find_leaf(leaf->schema, path);
    chunk_path_text texts[2];
    if (other == NULL)
        return LAM_STATUS_OK;
    LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_PATH, "the column chunk is of column '%s', not of '%s'",
             show_path(other, &texts[0]), show_path(leaf, &texts[1]));
}
