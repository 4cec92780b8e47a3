/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects FileMetaData while a file is written, and writes it at the end. Row groups and key-value
 * metadata come in one by one; the footer goes out in one piece.
 *
 * The invariant: whatever the collected structs point at is in the arena, or in the schema of the
 * writer, and stays where it is until finish. The structs themselves are in buffers that grow and
 * move, so nothing points at them until the footer is written. (parquet.thrift, FileMetaData)
 */
#include "file/footer_build.h"

#include <string.h>

#include "base/error.h"
#include "file/footer.h"
#include "meta/meta_schema.h"

/* The arena has no bound: everything in it comes from the caller's own rows and calls. */
void lam_footer_build_init(lam_footer_build *footer, const lam_allocator *allocator) {
    memset(footer, 0, sizeof *footer);
    lam_arena_init(&footer->arena, allocator, 0);
    lam_buffer_init(&footer->row_groups, allocator);
    lam_buffer_init(&footer->key_values, allocator);
}

void lam_footer_build_finish(lam_footer_build *footer) {
    lam_buffer_finish(&footer->row_groups);
    lam_buffer_finish(&footer->key_values);
    lam_arena_finish(&footer->arena);
}

/* Copies bytes into the arena. */
static lam_status footer_copy_bytes(lam_footer_build *footer, lam_bytes bytes, lam_bytes *ret_bytes,
                                    lam_error *error) {
    char *copy;
    LAM_TRY(lam_arena_copy(&footer->arena, bytes.data, bytes.size, &copy, error));
    ret_bytes->data = (const uint8_t *)copy;
    ret_bytes->size = bytes.size;
    return LAM_STATUS_OK;
}

/*
 * The default names a build as well as a version, because old readers parse "NAME version V (build
 * B)" and distrust the statistics of files that do not match it (PARQUET-251).
 */
lam_status lam_footer_build_created_by(lam_footer_build *footer, const char *text,
                                       lam_error *error) {
    static const char own[] =
        "lamella version " LAM_VERSION_STRING " (build " LAM_VERSION_STRING ")";
    const char *name = text != NULL ? text : own;
    lam_bytes bytes = {(const uint8_t *)name, strlen(name)};
    return footer_copy_bytes(footer, bytes, &footer->created_by, error);
}

/* An absent value and an empty one differ in the file: KeyValue.value is optional. */
lam_status lam_footer_build_key_value(lam_footer_build *footer, lam_bytes key,
                                      const lam_bytes *value, lam_meta_key_value *ret_key_value,
                                      lam_error *error) {
    lam_meta_key_value key_value = {0};
    LAM_TRY(footer_copy_bytes(footer, key, &key_value.key, error));
    if (value != NULL) {
        LAM_TRY(footer_copy_bytes(footer, *value, &key_value.value, error));
        key_value.has = LAM_META_KEY_VALUE_HAS_VALUE;
    }
    *ret_key_value = key_value;
    return LAM_STATUS_OK;
}

lam_status lam_footer_build_add_key_value(lam_footer_build *footer, lam_bytes key,
                                          const lam_bytes *value, lam_error *error) {
    lam_meta_key_value key_value;
    LAM_TRY(lam_footer_build_key_value(footer, key, value, &key_value, error));
    return lam_buffer_append(&footer->key_values, &key_value, sizeof key_value, error);
}

/* Copies the struct; what it points at is in the arena already. */
lam_status lam_footer_build_add_row_group(lam_footer_build *footer, const lam_meta_row_group *group,
                                          lam_error *error) {
    LAM_TRY(lam_buffer_append(&footer->row_groups, group, sizeof *group, error));
    footer->rows += (uint64_t)group->num_rows;
    return LAM_STATUS_OK;
}

/*
 * States an order for every leaf, as the list is either absent or complete. It is the order in
 * which the chunk writers bound the leaf, so they state it.
 */
static lam_status fill_column_orders(lam_footer_build *footer, const lam_schema *schema,
                                     const lam_chunk_options *options, lam_meta_file *meta,
                                     lam_error *error) {
    void *memory;
    LAM_TRY(lam_arena_array(&footer->arena, schema->leaf_count, sizeof(lam_meta_column_order),
                            &memory, error));
    lam_meta_column_order *orders = memory;
    for (size_t i = 0; i < schema->leaf_count; i++)
        orders[i].kind = lam_chunk_column_order(lam_leaf_at(schema, i), options);
    meta->column_orders.items = orders;
    meta->column_orders.count = (uint32_t)schema->leaf_count;
    meta->has |= LAM_META_FILE_HAS_COLUMN_ORDERS;
    return LAM_STATUS_OK;
}

/* Version 2 is that of all current writers, and says nothing about the pages of the file. */
static lam_status footer_fill(lam_footer_build *footer, const lam_schema *schema,
                              const lam_chunk_options *options, lam_meta_file *meta,
                              lam_error *error) {
    meta->version = 2;
    LAM_TRY(lam_meta_schema_export(schema, &footer->arena, &meta->schema, error));
    meta->num_rows = (int64_t)footer->rows;
    meta->row_groups.items = (const lam_meta_row_group *)(const void *)footer->row_groups.data;
    meta->row_groups.count = (uint32_t)lam_footer_build_row_groups(footer);
    meta->has = LAM_META_FILE_HAS_CREATED_BY;
    meta->created_by = footer->created_by;
    if (footer->key_values.size > 0) {
        meta->has |= LAM_META_FILE_HAS_KEY_VALUE_METADATA;
        meta->key_value_metadata.items =
            (const lam_meta_key_value *)(const void *)footer->key_values.data;
        meta->key_value_metadata.count =
            (uint32_t)(footer->key_values.size / sizeof(lam_meta_key_value));
    }
    return fill_column_orders(footer, schema, options, meta, error);
}

/* `*offset` moves only after the bytes have reached the output. */
lam_status lam_footer_build_write(lam_footer_build *footer, const lam_schema *schema,
                                  const lam_chunk_options *options, lam_output *output,
                                  uint64_t *offset, lam_error *error) {
    lam_status status;
    lam_meta_file meta = {0};
    lam_buffer bytes;
    lam_buffer_init(&bytes, &footer->arena.allocator);
    LAM_TRY_OUT(footer_fill(footer, schema, options, &meta, error));
    LAM_TRY_OUT(lam_footer_write(&meta, &bytes, error));
    LAM_TRY_OUT(output->write(output->state, bytes.data, bytes.size, error));
    *offset += bytes.size;
out:
    lam_buffer_finish(&bytes);
    return status;
}
