/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes edited copies of metadata: each edit of a list of key-values gives a new list. Fields of a
 * plan share their lists of key-values with the field that they were copied from, so a list is
 * never changed in place; the bytes of keys and values stay shared.
 *
 * After a set the key is always there once, whatever the list had before, and the order of all
 * other key-values is kept. (The Arrow C data interface, "ArrowSchema.metadata")
 */
#include "arrow/field/arrow_metadata_edit.h"

#include <string.h>

#include "base/error.h"

bool lam_arrow_bytes_equal(lam_bytes bytes, const char *text) {
    return strlen(text) == bytes.size &&
           (bytes.size == 0 || memcmp(bytes.data, text, bytes.size) == 0);
}

bool lam_arrow_is_extension(const lam_arrow_field *field, const char *name) {
    return lam_arrow_bytes_equal(lam_arrow_extension_name(field), name);
}

/*
 * Copies all key-values but those of a key, with room for one more. `ret_position` is where the key
 * was for the first time, counted in the copy, or the end of it.
 */
static lam_status copy_without(lam_arena *arena, const lam_arrow_metadata *metadata,
                               const char *key, lam_arrow_key_value **ret_key_values,
                               size_t *ret_count, size_t *ret_position, lam_error *error) {
    size_t count = 0;
    size_t position = SIZE_MAX;
    lam_arrow_key_value *key_values;
    LAM_TRY(LAM_ARENA_ARRAY(arena, metadata->count + 1, &key_values, error));
    for (size_t i = 0; i < metadata->count; i++) {
        if (!lam_arrow_bytes_equal(metadata->key_values[i].key, key))
            key_values[count++] = metadata->key_values[i];
        else if (position == SIZE_MAX)
            position = count;
    }
    *ret_key_values = key_values;
    *ret_count = count;
    *ret_position = position == SIZE_MAX ? count : position;
    return LAM_STATUS_OK;
}

lam_status lam_arrow_metadata_set(lam_arena *arena, lam_arrow_metadata *metadata, const char *key,
                                  lam_bytes value, lam_error *error) {
    lam_arrow_key_value *key_values;
    size_t count, position;
    LAM_TRY(copy_without(arena, metadata, key, &key_values, &count, &position, error));
    /* Opens a gap at the position; the copy has room for it. */
    memmove(key_values + position + 1, key_values + position,
            (count - position) * sizeof *key_values);
    key_values[position].key = lam_arrow_text(key);
    key_values[position].value = value;
    metadata->key_values = key_values;
    metadata->count = count + 1;
    return LAM_STATUS_OK;
}

/* Without the key the list stays shared. */
lam_status lam_arrow_metadata_drop(lam_arena *arena, lam_arrow_metadata *metadata, const char *key,
                                   lam_error *error) {
    lam_arrow_key_value *key_values;
    size_t count, position;
    if (lam_arrow_metadata_find(metadata, key) == NULL)
        return LAM_STATUS_OK;
    LAM_TRY(copy_without(arena, metadata, key, &key_values, &count, &position, error));
    metadata->key_values = key_values;
    metadata->count = count;
    return LAM_STATUS_OK;
}
