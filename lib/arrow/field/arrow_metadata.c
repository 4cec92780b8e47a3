/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes the metadata of struct ArrowSchema, and finds keys in it. The key "k" with the
 * value "ab", on a little-endian machine:
 *
 *     01 00 00 00 | 01 00 00 00 | 6B | 02 00 00 00 | 61 62
 *     key-values    key size      k    value size    a b
 *
 * Keys and values are bytes, not text: they need no NUL at the end, and may hold one. Metadata is
 * always measured before it is imported, so the import trusts every number in it. (The Arrow C data
 * interface, "ArrowSchema.metadata")
 */
#include "arrow/field/arrow_metadata.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"

/* Bytes of a number. */
enum { ARROW_METADATA_NUMBER = 4 };

/* The numbers are not aligned, as keys may have any length. */
static int32_t load_number(const char *bytes) {
    int32_t number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/*
 * Advances `*at` past a number, and with `step` past as many bytes as it says. Compares with the
 * bytes that are left, so that no sum can overflow.
 */
static const char *skip_number(const char *metadata, size_t room, bool step, size_t *at,
                               int32_t *ret_number) {
    if (room - *at < ARROW_METADATA_NUMBER)
        return "the metadata ends early";
    int32_t number = load_number(metadata + *at);
    if (number < 0)
        return "the metadata has a negative number";
    *at += ARROW_METADATA_NUMBER;
    if (step) {
        if ((size_t)number > room - *at)
            return "the metadata ends early";
        *at += (size_t)number;
    }
    *ret_number = number;
    return NULL;
}

/*
 * Each key-value takes at least 8 bytes, so a wrong number of them ends the loop soon if `room` is
 * known.
 */
const char *lam_arrow_metadata_measure(const char *metadata, size_t room, size_t *ret_size) {
    size_t at = 0;
    int32_t key_values, size;
    const char *fault = skip_number(metadata, room, false, &at, &key_values);
    for (; fault == NULL && key_values > 0; key_values--) {
        fault = skip_number(metadata, room, true, &at, &size);
        if (fault == NULL)
            fault = skip_number(metadata, room, true, &at, &size);
    }
    if (fault == NULL)
        *ret_size = at;
    return fault;
}

/* The next key or value, with the number in front of it. */
static lam_bytes arrow_metadata_take_bytes(const char **at) {
    size_t size = (size_t)load_number(*at);
    lam_bytes bytes = {(const uint8_t *)*at + ARROW_METADATA_NUMBER, size};
    *at += ARROW_METADATA_NUMBER + size;
    return bytes;
}

/* One copy of all bytes; keys and values point into it. */
lam_status lam_arrow_metadata_import(const char *metadata, size_t size, lam_arena *arena,
                                     lam_arrow_metadata *ret_metadata, lam_error *error) {
    lam_arrow_metadata found = {0, NULL};
    if (metadata != NULL)
        found.count = (size_t)load_number(metadata);
    if (found.count > 0) {
        char *copy;
        LAM_TRY(lam_arena_copy(arena, metadata, size, &copy, error));
        lam_arrow_key_value *key_values;
        LAM_TRY(LAM_ARENA_ARRAY(arena, found.count, &key_values, error));
        const char *at = copy + ARROW_METADATA_NUMBER;
        for (size_t i = 0; i < found.count; i++) {
            key_values[i].key = arrow_metadata_take_bytes(&at);
            key_values[i].value = arrow_metadata_take_bytes(&at);
        }
        found.key_values = key_values;
    }
    *ret_metadata = found;
    return LAM_STATUS_OK;
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* No key-values at all are a NULL pointer in the interface, hence 0 bytes rather than 4. */
lam_status lam_arrow_metadata_size(const lam_arrow_metadata *metadata, size_t *ret_size,
                                   lam_error *error) {
    size_t size = metadata->count > 0 ? ARROW_METADATA_NUMBER : 0;
    bool fits = metadata->count <= INT32_MAX;
    for (size_t i = 0; fits && i < metadata->count; i++) {
        const lam_arrow_key_value *key_value = &metadata->key_values[i];
        fits = key_value->key.size <= INT32_MAX && key_value->value.size <= INT32_MAX;
        /* unreachable: when a size has 64 bits, as 2^31 pairs take less than 2^63 bytes */
        fits = fits && lam_add_size(size, 2 * ARROW_METADATA_NUMBER + key_value->key.size, &size);
        /* unreachable: likewise */
        fits = fits && lam_add_size(size, key_value->value.size, &size);
    }
    if (!fits)
        LAM_FAIL(error, LAM_ERROR_CODE_ARROW_LIMIT,
                 "the metadata is too long for Arrow's interface");
    *ret_size = size;
    return LAM_STATUS_OK;
}

static char *arrow_metadata_put_number(char *at, size_t size) {
    int32_t number = (int32_t)size;
    memcpy(at, &number, sizeof number);
    return at + ARROW_METADATA_NUMBER;
}

static char *put_bytes(char *at, lam_bytes bytes) {
    at = arrow_metadata_put_number(at, bytes.size);
    if (bytes.size > 0)
        memcpy(at, bytes.data, bytes.size);
    return at + bytes.size;
}

void lam_arrow_metadata_export(const lam_arrow_metadata *metadata, char *bytes) {
    if (metadata->count == 0)
        return;
    char *at = arrow_metadata_put_number(bytes, metadata->count);
    for (size_t i = 0; i < metadata->count; i++) {
        at = put_bytes(at, metadata->key_values[i].key);
        at = put_bytes(at, metadata->key_values[i].value);
    }
}

/* --- Looking up ------------------------------------------------------------------------------- */

/* The first value of the key: keys may repeat. */
const lam_bytes *lam_arrow_metadata_find(const lam_arrow_metadata *metadata, const char *key) {
    size_t size = strlen(key);
    for (size_t i = 0; i < metadata->count; i++) {
        const lam_arrow_key_value *key_value = &metadata->key_values[i];
        if (key_value->key.size == size &&
            (size == 0 || memcmp(key_value->key.data, key, size) == 0))
            return &key_value->value;
    }
    return NULL;
}

lam_bytes lam_arrow_extension_name(const lam_arrow_field *field) {
    const lam_bytes *name = lam_arrow_metadata_find(&field->metadata, "ARROW:extension:name");
    lam_bytes none = {NULL, 0};
    return name != NULL ? *name : none;
}
