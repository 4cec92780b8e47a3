/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects keys from the paths of a data set's files, below one folder: each file has the constants
 * in the names of its folders, of types that all files agree on.
 *
 *     a=1/b=x/f.parquet    a: INT64 1, b: STRING "x"
 *     a=2/g.parquet        a: INT64 2, b: null
 *     m=01, m=12           m: INT64, as all have as many digits; beside m=1 they are texts
 *
 * Texts are kept as they come, without their escapes, because a later file may change the type of a
 * key: an integer in one may be a text in another. The invariant: a key's flags hold for each of
 * its texts so far, so that each text of an INT64 or DATE key parses. A path that does not fit adds
 * nothing. (lamella/constant.h)
 */
#include <lamella/constant.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/list.h"
#include "base/utf8.h"
#include "text/number_text.h"
#include "text/time_text.h"

#define NULL_TEXT "__HIVE_DEFAULT_PARTITION__"

/* A name, and the facts about its texts. */
typedef struct path_key {
    const char *name;
    bool has_text; /* some file has one that is no null */
    bool is_integer;
    bool is_padded; /* some text has zeros in front */
    bool is_even;   /* all texts have `size` bytes */
    bool is_date;
    bool is_utf8;
    size_t size;
} path_key;

/* A file's value for a key. */
typedef struct path_value {
    size_t key;
    lam_bytes text;
    bool is_null;
} path_value;

typedef struct path_file {
    size_t first_value;
    size_t value_count;
} path_file;

struct lam_path_keys {
    lam_allocator allocator;
    lam_arena arena; /* names and texts */
    LAM_LIST(path_key) keys;
    LAM_LIST(path_value) values; /* file by file */
    LAM_LIST(path_file) files;
};

size_t lam_path_keys_count(const lam_path_keys *keys) {
    return keys->keys.count;
}

/* --- Texts --------------------------------------------------------------------------------- */

/* Replaces %XX; a '%' without two digits stays. */
static lam_status path_unescape(const char *text, size_t size, lam_arena *arena,
                                lam_bytes *ret_text, lam_error *error) {
    char *copy;
    size_t length = 0;
    LAM_TRY(lam_arena_copy(arena, text, size, &copy, error));
    for (size_t i = 0; i < size; i++) {
        bool is_escape = text[i] == '%' && i + 2 < size &&
                         (lam_ascii_hex(text[i + 1]) | lam_ascii_hex(text[i + 2])) < 16;
        copy[length++] = is_escape
                             ? (char)(lam_ascii_hex(text[i + 1]) << 4 | lam_ascii_hex(text[i + 2]))
                             : text[i];
        i += is_escape ? 2 : 0;
    }
    copy[length] = '\0';
    *ret_text = (lam_bytes){(const uint8_t *)copy, length};
    return LAM_STATUS_OK;
}

static bool path_is_utf8(lam_bytes text) {
    return lam_utf8_prefix(text.data, text.size) == text.size;
}

/* Whether a number has zeros in front. */
static bool path_is_padded(lam_bytes text) {
    return text.size > 1 && text.data[0] == '0';
}

/* 7 or 007, and, so that a text has no other of its number but for such zeros, no +7 or -0. */
static bool path_parse_integer(lam_bytes text, int64_t *ret_number) {
    const char *bytes = (const char *)text.data;
    size_t sign = text.size > 0 && bytes[0] == '-';
    if (text.size == sign || (sign > 0 && bytes[1] == '0'))
        return false;
    for (size_t i = sign; i < text.size; i++)
        if (bytes[i] < '0' || bytes[i] > '9')
            return false;
    return lam_int64_parse(bytes, text.size, ret_number);
}

/* 2024-10-24 or +12024-10-24, and no other text of that day. */
static bool path_parse_date(lam_bytes text, int32_t *ret_days) {
    char only[LAM_TIME_TEXT_MAX];
    int32_t days;
    if (!lam_date_parse((const char *)text.data, text.size, &days) ||
        lam_date_print(days, only) != text.size || memcmp(only, text.data, text.size) != 0)
        return false;
    *ret_days = days;
    return true;
}

/* --- Adding -------------------------------------------------------------------------------- */

static lam_status path_find_key(lam_path_keys *keys, lam_bytes name, size_t *ret_key,
                                lam_error *error) {
    size_t count = lam_path_keys_count(keys), key = 0;
    while (key < count && strcmp(keys->keys.items[key].name, (const char *)name.data) != 0)
        key++;
    if (key == LAM_PATH_KEYS_MAX)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "the folders have more than %d different keys",
                 LAM_PATH_KEYS_MAX);
    *ret_key = key;
    if (key < count)
        return LAM_STATUS_OK;
    const path_key added = {.name = (const char *)name.data,
                            .is_integer = true,
                            .is_even = true,
                            .is_date = true,
                            .is_utf8 = true};
    return LAM_LIST_ADD(&keys->keys, &added, error);
}

/* Whether the file that is added has the key already. */
static bool path_has_key(const lam_path_keys *keys, const path_file *file, size_t key) {
    for (size_t i = 0; i < file->value_count; i++)
        if (keys->values.items[file->first_value + i].key == key)
            return true;
    return false;
}

/* Adds a folder's name to the file, if it is a key. */
static lam_status path_add_folder(lam_path_keys *keys, const char *folder, size_t size,
                                  path_file *file, lam_error *error) {
    const char *equals = memchr(folder, '=', size);
    path_value value = {.is_null = false};
    lam_bytes name;
    if (equals == NULL || equals == folder)
        return LAM_STATUS_OK;
    LAM_TRY(path_unescape(folder, (size_t)(equals - folder), &keys->arena, &name, error));
    if (!path_is_utf8(name) || memchr(name.data, '\0', name.size) != NULL)
        return LAM_STATUS_OK;
    size_t start = (size_t)(equals - folder) + 1;
    value.is_null = size - start == strlen(NULL_TEXT) &&
                    memcmp(folder + start, NULL_TEXT, strlen(NULL_TEXT)) == 0;
    LAM_TRY(path_unescape(folder + start, size - start, &keys->arena, &value.text, error));
    LAM_TRY(path_find_key(keys, name, &value.key, error));
    if (path_has_key(keys, file, value.key))
        return LAM_STATUS_OK;
    LAM_TRY(LAM_LIST_ADD(&keys->values, &value, error));
    file->value_count++;
    return LAM_STATUS_OK;
}

/* Narrows the types of the keys by the texts of a file that is added. */
static void path_note_types(lam_path_keys *keys, const path_file *file) {
    int64_t number;
    int32_t days;
    for (size_t i = 0; i < file->value_count; i++) {
        const path_value *value = &keys->values.items[file->first_value + i];
        path_key *key = &keys->keys.items[value->key];
        if (value->is_null)
            continue;
        key->size = key->has_text ? key->size : value->text.size;
        key->is_even = key->is_even && key->size == value->text.size;
        key->is_padded = key->is_padded || path_is_padded(value->text);
        key->has_text = true;
        key->is_integer = key->is_integer && path_parse_integer(value->text, &number);
        key->is_date = key->is_date && path_parse_date(value->text, &days);
        key->is_utf8 = key->is_utf8 && path_is_utf8(value->text);
    }
}

lam_status lam_path_keys_add(lam_path_keys *keys, const char *path, lam_error *error) {
    size_t keys_before = keys->keys.count, values_before = keys->values.count;
    path_file file = {.first_value = values_before};
    lam_status status = LAM_STATUS_OK;
    for (const char *slash; status == LAM_STATUS_OK && (slash = strchr(path, '/')) != NULL;
         path = slash + 1)
        status = path_add_folder(keys, path, (size_t)(slash - path), &file, error);
    if (status == LAM_STATUS_OK)
        status = LAM_LIST_ADD(&keys->files, &file, error);
    if (status != LAM_STATUS_OK) {
        keys->keys.count = keys_before;
        keys->values.count = values_before;
        return status;
    }
    path_note_types(keys, &file);
    return LAM_STATUS_OK;
}

/* --- Giving -------------------------------------------------------------------------------- */

static lam_constant_type path_type_of(const path_key *key) {
    if (!key->has_text)
        return LAM_CONSTANT_STRING;
    /* Texts of one length that differ are different numbers: 01 and 1 would not be. */
    if (key->is_integer && (!key->is_padded || key->is_even))
        return LAM_CONSTANT_INT64;
    if (key->is_date)
        return LAM_CONSTANT_DATE;
    return key->is_utf8 ? LAM_CONSTANT_STRING : LAM_CONSTANT_BINARY;
}

lam_status lam_path_keys_of_file(const lam_path_keys *keys, size_t file,
                                 lam_constant *ret_constants, lam_error *error) {
    if (file >= keys->files.count)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no file %zu: there are %zu", file, keys->files.count);
    const path_file *about = &keys->files.items[file];
    for (size_t i = 0; i < keys->keys.count; i++) {
        const path_key *key = &keys->keys.items[i];
        ret_constants[i] = (lam_constant){key->name, path_type_of(key), true, {false}};
    }
    for (size_t i = 0; i < about->value_count; i++) {
        const path_value *value = &keys->values.items[about->first_value + i];
        lam_constant *constant = &ret_constants[value->key];
        constant->is_null = value->is_null;
        if (value->is_null)
            continue;
        if (constant->type == LAM_CONSTANT_INT64)
            (void)path_parse_integer(value->text, &constant->value.int64);
        else if (constant->type == LAM_CONSTANT_DATE)
            (void)path_parse_date(value->text, &constant->value.int32);
        else
            constant->value.bytes = value->text;
    }
    return LAM_STATUS_OK;
}

/* --- Creating ------------------------------------------------------------------------------ */

lam_status lam_path_keys_create(const lam_allocator *allocator, lam_path_keys **ret_keys,
                                lam_error *error) {
    lam_allocator heap = lam_allocator_or_default(allocator);
    lam_path_keys *keys;
    LAM_TRY(LAM_NEW(&heap, &keys, error));
    keys->allocator = heap;
    lam_arena_init(&keys->arena, &heap, 0);
    LAM_LIST_INIT(&keys->keys, &heap);
    LAM_LIST_INIT(&keys->values, &heap);
    LAM_LIST_INIT(&keys->files, &heap);
    *ret_keys = keys;
    return LAM_STATUS_OK;
}

void lam_path_keys_destroy(lam_path_keys *keys) {
    if (keys == NULL)
        return;
    lam_allocator allocator = keys->allocator;
    lam_arena_finish(&keys->arena);
    LAM_LIST_FINISH(&keys->keys);
    LAM_LIST_FINISH(&keys->values);
    LAM_LIST_FINISH(&keys->files);
    lam_free(&allocator, keys, sizeof *keys);
}
