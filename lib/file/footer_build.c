#include "file/footer_build.h"

#include <string.h>

#include "base/error.h"
#include "file/footer.h"
#include "meta/meta_schema.h"

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

static lam_status copy_bytes(lam_footer_build *footer, lam_bytes bytes, lam_bytes *ret_bytes,
                             lam_error *error) {
    char *copy;
    LAM_TRY(lam_arena_copy(&footer->arena, bytes.data, bytes.size, &copy, error));
    ret_bytes->data = (const uint8_t *)copy;
    ret_bytes->size = bytes.size;
    return LAM_STATUS_OK;
}

/* Old readers of statistics look for the build, and trust nobody who does not name one. */
lam_status lam_footer_build_created_by(lam_footer_build *footer, const char *text,
                                       lam_error *error) {
    static const char own[] =
        "lamella version " LAM_VERSION_STRING " (build " LAM_VERSION_STRING ")";
    const char *name = text != NULL ? text : own;
    lam_bytes bytes = {(const uint8_t *)name, strlen(name)};
    return copy_bytes(footer, bytes, &footer->created_by, error);
}

lam_status lam_footer_build_pair(lam_footer_build *footer, lam_bytes key, const lam_bytes *value,
                                 lam_meta_key_value *ret_pair, lam_error *error) {
    lam_meta_key_value pair = {0};
    LAM_TRY(copy_bytes(footer, key, &pair.key, error));
    if (value != NULL) {
        LAM_TRY(copy_bytes(footer, *value, &pair.value, error));
        pair.has = LAM_META_KEY_VALUE_HAS_VALUE;
    }
    *ret_pair = pair;
    return LAM_STATUS_OK;
}

lam_status lam_footer_build_add_pair(lam_footer_build *footer, lam_bytes key,
                                     const lam_bytes *value, lam_error *error) {
    lam_meta_key_value pair;
    LAM_TRY(lam_footer_build_pair(footer, key, value, &pair, error));
    return lam_buffer_append(&footer->key_values, &pair, sizeof pair, error);
}

lam_status lam_footer_build_add_row_group(lam_footer_build *footer, const lam_meta_row_group *group,
                                          lam_error *error) {
    LAM_TRY(lam_buffer_append(&footer->row_groups, group, sizeof *group, error));
    footer->rows += (uint64_t)group->num_rows;
    return LAM_STATUS_OK;
}

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

static lam_status fill(lam_footer_build *footer, const lam_schema *schema,
                       const lam_chunk_options *options, lam_meta_file *meta, lam_error *error) {
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

lam_status lam_footer_build_write(lam_footer_build *footer, const lam_schema *schema,
                                  const lam_chunk_options *options, lam_output *output,
                                  uint64_t *offset, lam_error *error) {
    lam_status status;
    lam_meta_file meta = {0};
    lam_buffer bytes;
    lam_buffer_init(&bytes, &footer->arena.allocator);
    LAM_TRY_OUT(fill(footer, schema, options, &meta, error));
    LAM_TRY_OUT(lam_footer_write(&meta, &bytes, error));
    LAM_TRY_OUT(output->write(output->state, bytes.data, bytes.size, error));
    *offset += bytes.size;
out:
    lam_buffer_finish(&bytes);
    return status;
}
