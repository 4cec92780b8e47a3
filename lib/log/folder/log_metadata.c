/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the key-value metadata of a log's files: takes the pairs of the options, and those that
 * belong to the log's schema, and gives lists for the footers, and for the journal, from which a
 * file without any row group is recovered.
 *
 *     options   key_values: site=north                 -> every file
 *     schema    of Arrow: its metadata, ARROW:schema   -> files of the log's first schema
 *
 * Texts of the options are always UTF-8, as Thrift strings are, and the options are not needed
 * after the start. (parquet.thrift, FileMetaData.key_value_metadata)
 */
#include "log/folder/log_metadata.h"

#include <string.h>

#include "base/error.h"
#include "file/write/file_writer.h"

/* --- Lists --------------------------------------------------------------------------------- */

static lam_status copy_bytes_into(lam_arena *arena, lam_bytes from, lam_bytes *ret_copy,
                                  lam_error *error) {
    uint8_t *bytes;
    LAM_TRY(lam_arena_bytes(arena, from.size + 1, &bytes, error));
    if (from.size > 0)
        memcpy(bytes, from.data, from.size);
    *ret_copy = (lam_bytes){bytes, from.size};
    return LAM_STATUS_OK;
}

lam_status lam_log_metadata_copy(const lam_meta_key_value_list *from, lam_arena *arena,
                                 lam_meta_key_value_list *ret_copy, lam_error *error) {
    lam_meta_key_value *items;
    LAM_TRY(LAM_ARENA_ARRAY(arena, from->count, &items, error));
    for (uint32_t i = 0; i < from->count; i++) {
        items[i].has = from->items[i].has;
        LAM_TRY(copy_bytes_into(arena, from->items[i].key, &items[i].key, error));
        LAM_TRY(copy_bytes_into(arena, from->items[i].value, &items[i].value, error));
    }
    *ret_copy = (lam_meta_key_value_list){items, from->count};
    return LAM_STATUS_OK;
}

static bool metadata_has_key(const lam_meta_key_value_list *list, lam_bytes key) {
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].key.size == key.size &&
            (key.size == 0 || memcmp(list->items[i].key.data, key.data, key.size) == 0))
            return true;
    return false;
}

lam_status lam_log_metadata_missing(const lam_meta_key_value_list *own,
                                    const lam_meta_key_value_list *others, lam_arena *arena,
                                    lam_meta_key_value_list *ret_missing, lam_error *error) {
    uint32_t count = 0;
    lam_meta_key_value *items;
    LAM_TRY(LAM_ARENA_ARRAY(arena, others->count, &items, error));
    for (uint32_t i = 0; i < others->count; i++)
        if (!metadata_has_key(own, others->items[i].key))
            items[count++] = others->items[i];
    *ret_missing = (lam_meta_key_value_list){items, count};
    return LAM_STATUS_OK;
}

/* --- Options ------------------------------------------------------------------------------- */

static lam_bytes text_bytes(const char *text) {
    lam_bytes bytes = {(const uint8_t *)text, text != NULL ? strlen(text) : 0};
    return bytes;
}

/* Fills the first items with the pairs of the options. */
static lam_status take_pairs(const lam_log_options *options, lam_arena *arena,
                             lam_meta_key_value *items, lam_error *error) {
    for (size_t i = 0; i < options->key_value_count; i++) {
        const lam_log_key_value *from = &options->key_values[i];
        if (from->key == NULL)
            LAM_FAIL(error, LAM_STATUS_INVALID, "key_values has a key that is NULL");
        lam_bytes key = text_bytes(from->key), value = text_bytes(from->value);
        LAM_TRY(lam_writer_check_key_value(key, value, error));
        items[i] = (lam_meta_key_value){0};
        items[i].has = from->value != NULL ? LAM_META_KEY_VALUE_HAS_VALUE : 0;
        LAM_TRY(copy_bytes_into(arena, key, &items[i].key, error));
        LAM_TRY(copy_bytes_into(arena, value, &items[i].value, error));
    }
    return LAM_STATUS_OK;
}

/* Adds the pairs of the schema after those of the options, which take precedence. */
static lam_status take_pairs_of_schema(lam_log_metadata *metadata,
                                       const lam_meta_key_value_list *of_schema, lam_error *error) {
    const lam_meta_key_value_list *own = &metadata->some;
    lam_meta_key_value *items;
    LAM_TRY(
        LAM_ARENA_ARRAY(&metadata->arena, (size_t)own->count + of_schema->count, &items, error));
    uint32_t used = 0;
    for (uint32_t i = 0; i < own->count; i++)
        items[used++] = own->items[i];
    for (uint32_t i = 0; i < of_schema->count; i++)
        if (!metadata_has_key(own, of_schema->items[i].key))
            items[used++] = of_schema->items[i];
    const lam_meta_key_value_list list = {items, used};
    return lam_log_metadata_copy(&list, &metadata->arena, &metadata->all, error);
}

lam_status lam_log_metadata_init(lam_log_metadata *metadata, const lam_log_options *options,
                                 const lam_meta_key_value_list *of_schema,
                                 const lam_allocator *allocator, lam_error *error) {
    enum { PAIRS_MOST = 1 << 20 };
    size_t count = options->key_value_count;
    lam_meta_key_value *pairs;
    memset(metadata, 0, sizeof *metadata);
    lam_arena_init(&metadata->arena, allocator, 0);
    if (count > PAIRS_MOST || (count > 0 && options->key_values == NULL))
        LAM_FAIL(error, LAM_STATUS_INVALID, "key_value_count is %zu, and there are not as many",
                 count);
    LAM_TRY(LAM_ARENA_ARRAY(&metadata->arena, count, &pairs, error));
    LAM_TRY(take_pairs(options, &metadata->arena, pairs, error));
    metadata->some = (lam_meta_key_value_list){pairs, (uint32_t)count};
    metadata->all = metadata->some;
    return of_schema->count > 0 ? take_pairs_of_schema(metadata, of_schema, error) : LAM_STATUS_OK;
}

void lam_log_metadata_finish(lam_log_metadata *metadata) {
    lam_arena_finish(&metadata->arena);
}
