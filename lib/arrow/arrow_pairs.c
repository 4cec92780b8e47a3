#include "arrow/arrow_pairs.h"

#include <string.h>

#include "base/error.h"

bool lam_arrow_bytes_equal(lam_bytes bytes, const char *text) {
    return strlen(text) == bytes.size &&
           (bytes.size == 0 || memcmp(bytes.data, text, bytes.size) == 0);
}

/* Copies all pairs but those of a key, with room for one more. */
static lam_status copy_without(lam_arena *arena, const lam_arrow_metadata *metadata,
                               const char *key, lam_arrow_pair **ret_pairs, size_t *ret_count,
                               size_t *ret_position, lam_error *error) {
    void *memory;
    size_t count = 0;
    size_t position = SIZE_MAX;
    LAM_TRY(lam_arena_array(arena, metadata->count + 1, sizeof(lam_arrow_pair), &memory, error));
    lam_arrow_pair *pairs = memory;
    for (size_t i = 0; i < metadata->count; i++) {
        if (!lam_arrow_bytes_equal(metadata->pairs[i].key, key))
            pairs[count++] = metadata->pairs[i];
        else if (position == SIZE_MAX)
            position = count;
    }
    *ret_pairs = pairs;
    *ret_count = count;
    *ret_position = position == SIZE_MAX ? count : position;
    return LAM_STATUS_OK;
}

lam_status lam_arrow_pairs_set(lam_arena *arena, lam_arrow_metadata *metadata, const char *key,
                               lam_bytes value, lam_error *error) {
    lam_arrow_pair *pairs;
    size_t count, position;
    LAM_TRY(copy_without(arena, metadata, key, &pairs, &count, &position, error));
    memmove(pairs + position + 1, pairs + position, (count - position) * sizeof *pairs);
    pairs[position].key = lam_arrow_text(key);
    pairs[position].value = value;
    metadata->pairs = pairs;
    metadata->count = count + 1;
    return LAM_STATUS_OK;
}

lam_status lam_arrow_pairs_drop(lam_arena *arena, lam_arrow_metadata *metadata, const char *key,
                                lam_error *error) {
    lam_arrow_pair *pairs;
    size_t count, position;
    if (lam_arrow_metadata_find(metadata, key) == NULL)
        return LAM_STATUS_OK;
    LAM_TRY(copy_without(arena, metadata, key, &pairs, &count, &position, error));
    metadata->pairs = pairs;
    metadata->count = count;
    return LAM_STATUS_OK;
}
