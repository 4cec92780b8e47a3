/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects FileMetaData while a file is written, and encodes it: takes row groups and key-value
 * metadata one by one, and gives the footer in one piece, with the row groups spliced in as they
 * are:
 *
 *     version  schema  num_rows  list of row groups | key-value metadata  created_by  column orders
 *     ------------ head -------  count, `row_groups`  ------------------- rest -------------------
 *
 * The invariant: `row_groups` holds complete RowGroup structs; in those before `resolved` every
 * offset is final, in the others offsets of page indexes count from the indexes that are still in
 * memory. Structs of a row group live in `scratch`, for one call only. (parquet.thrift,
 * FileMetaData; thrift-compact-protocol.md, "List and Set")
 */
#include "file/write/footer_build.h"

#include <string.h>

#include "base/error.h"
#include "file/read/footer.h"
#include "meta/compact.h"
#include "meta/meta_schema.h"
#include "meta/wire.h"

/* The arenas have no bound: everything in them comes from the caller's own rows and calls. */
void lam_footer_build_init(lam_footer_build *footer, const lam_allocator *allocator) {
    memset(footer, 0, sizeof *footer);
    lam_arena_init(&footer->arena, allocator, 0);
    lam_arena_init(&footer->scratch, allocator, 0);
    lam_buffer_init(&footer->row_groups, allocator);
    LAM_LIST_INIT(&footer->key_values, allocator);
}

void lam_footer_build_finish(lam_footer_build *footer) {
    lam_buffer_finish(&footer->row_groups);
    LAM_LIST_FINISH(&footer->key_values);
    lam_arena_finish(&footer->arena);
    lam_arena_finish(&footer->scratch);
}

uint64_t lam_footer_build_byte_count(const lam_footer_build *footer) {
    return footer->row_groups.size;
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
    return LAM_LIST_ADD(&footer->key_values, &key_value, error);
}

/* --- Row groups ---------------------------------------------------------------------------- */

/* The struct is encoded at once, so that what it points at may be freed. */
lam_status lam_footer_build_add_row_group(lam_footer_build *footer, const lam_meta_row_group *group,
                                          lam_error *error) {
    size_t before = footer->row_groups.size;
    lam_status status = lam_meta_write_row_group(group, &footer->row_groups, error);
    if (status == LAM_STATUS_OK) {
        footer->last = before;
        footer->rows += (uint64_t)group->num_rows;
        footer->row_group_count++;
    }
    lam_arena_reset(&footer->scratch);
    return status;
}

lam_status lam_footer_build_add_resolved(lam_footer_build *footer, const lam_meta_row_group *group,
                                         lam_error *error) {
    if (footer->resolved != footer->row_groups.size)
        LAM_FAIL(error, LAM_STATUS_STATE, "page indexes of earlier row groups are not written yet");
    LAM_TRY(lam_footer_build_add_row_group(footer, group, error));
    footer->resolved = footer->row_groups.size;
    return LAM_STATUS_OK;
}

/* The fate of page indexes' offsets in row groups that are copied. */
typedef struct index_offsets {
    bool are_known; /* false: the indexes are not in the file, and are not mentioned */
    uint64_t columns_at;
    uint64_t offsets_at;
} index_offsets;

/* Moves the offsets of one chunk to where its indexes are, or removes them. */
static void resolve_chunk(lam_meta_column_chunk *chunk, const index_offsets *indexes) {
    const uint32_t column_index = LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET |
                                  LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_LENGTH;
    const uint32_t offset_index = LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET |
                                  LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_LENGTH;
    if (!indexes->are_known)
        chunk->has &= ~(column_index | offset_index);
    if ((chunk->has & column_index) != 0)
        chunk->column_index_offset += (int64_t)indexes->columns_at;
    if ((chunk->has & offset_index) != 0)
        chunk->offset_index_offset += (int64_t)indexes->offsets_at;
}

/*
 * Appends the row groups from byte `first` of `row_groups` on to `out`, with their page indexes as
 * `indexes` says. They are decoded one by one; being our own, they are certainly complete.
 */
static lam_status encode_from(lam_footer_build *footer, size_t first, const index_offsets *indexes,
                              lam_buffer *out, lam_error *error) {
    for (size_t at = first; at < footer->row_groups.size;) {
        lam_bytes rest = {footer->row_groups.data + at, footer->row_groups.size - at};
        lam_meta_row_group group;
        size_t size = 0;
        lam_arena_reset(&footer->scratch);
        LAM_TRY(lam_meta_read_row_group(rest, &footer->scratch, &group, &size, error));
        /* The items were allocated by the call above. */
        lam_meta_column_chunk *chunks = (lam_meta_column_chunk *)(uintptr_t)group.columns.items;
        for (uint32_t i = 0; i < group.columns.count; i++)
            resolve_chunk(&chunks[i], indexes);
        LAM_TRY(lam_meta_write_row_group(&group, out, error));
        at += size;
    }
    lam_arena_reset(&footer->scratch);
    return LAM_STATUS_OK;
}

/* Replaces the row groups that are not resolved; a failure leaves them as they are. */
lam_status lam_footer_build_resolve(lam_footer_build *footer, uint64_t columns_at,
                                    uint64_t offsets_at, lam_error *error) {
    lam_status status;
    const index_offsets indexes = {true, columns_at, offsets_at};
    lam_buffer resolved;
    lam_buffer_init(&resolved, &footer->arena.allocator);
    LAM_TRY_OUT(encode_from(footer, footer->resolved, &indexes, &resolved, error));
    if (resolved.size > footer->row_groups.size - footer->resolved)
        LAM_TRY_OUT(lam_buffer_reserve(&footer->row_groups,
                                       resolved.size - (footer->row_groups.size - footer->resolved),
                                       error));
    footer->row_groups.size = footer->resolved;
    /* unreachable: the room is there */
    LAM_TRY_OUT(lam_buffer_append(&footer->row_groups, resolved.data, resolved.size, error));
    footer->resolved = footer->row_groups.size;
out:
    lam_buffer_finish(&resolved);
    return status;
}

/* The last row group is told from the others by its beginning. */
lam_status lam_footer_build_encode_last(lam_footer_build *footer, lam_buffer *out,
                                        lam_error *error) {
    const index_offsets unknown = {false, 0, 0};
    const index_offsets none = {true, 0, 0};
    return encode_from(footer, footer->last, footer->last < footer->resolved ? &none : &unknown,
                       out, error);
}

/* --- Footers ------------------------------------------------------------------------------- */

/*
 * States an order for every leaf, as the list is either absent or complete. It is the order in
 * which the chunk writers bound the leaf, so they state it.
 */
static lam_status fill_column_orders(lam_footer_build *footer, const lam_schema *schema,
                                     const lam_chunk_options *options, lam_meta_file *meta,
                                     lam_error *error) {
    lam_meta_column_order *orders;
    LAM_TRY(LAM_ARENA_ARRAY(&footer->scratch, schema->leaf_count, &orders, error));
    for (size_t i = 0; i < schema->leaf_count; i++)
        orders[i].kind = lam_chunk_column_order(lam_leaf_at(schema, i), options);
    meta->column_orders.items = orders;
    meta->column_orders.count = (uint32_t)schema->leaf_count;
    meta->has |= LAM_META_FILE_HAS_COLUMN_ORDERS;
    return LAM_STATUS_OK;
}

/* The fields after the list of row groups. */
static lam_status footer_fill_rest(lam_footer_build *footer, const lam_schema *schema,
                                   const lam_chunk_options *options, lam_meta_file *meta,
                                   lam_error *error) {
    meta->has = LAM_META_FILE_HAS_CREATED_BY;
    meta->created_by = footer->created_by;
    if (footer->key_values.count > 0) {
        meta->has |= LAM_META_FILE_HAS_KEY_VALUE_METADATA;
        meta->key_value_metadata.items = footer->key_values.items;
        meta->key_value_metadata.count = (uint32_t)(footer->key_values.count);
    }
    return fill_column_orders(footer, schema, options, meta, error);
}

/* Appends the head of the list of row groups, and the row groups. */
static lam_status encode_row_groups(lam_footer_build *footer, lam_buffer *out, lam_error *error) {
    const index_offsets unknown = {false, 0, 0};
    LAM_TRY(lam_buffer_reserve(out, 1 + LAM_WIRE_VARINT_MAX + footer->row_groups.size, error));
    lam_wire_put_list_head(out, LAM_WIRE_STRUCT, (uint32_t)footer->row_group_count);
    /* unreachable: the room is there */
    LAM_TRY(lam_buffer_append(out, footer->row_groups.data, footer->resolved, error));
    return encode_from(footer, footer->resolved, &unknown, out, error);
}

/*
 * Encodes the struct twice with an empty list of row groups: once without the remaining fields, so
 * that the list and the end of the struct are the last two bytes, and once with them. Version 2 is
 * that of all current writers, and does not concern the pages of the file.
 */
lam_status lam_footer_build_encode(lam_footer_build *footer, const lam_schema *schema,
                                   const lam_chunk_options *options, lam_buffer *out,
                                   lam_error *error) {
    enum { EMPTY_LIST = 1, END_OF_STRUCT = 1 };
    lam_status status;
    size_t before = out->size;
    lam_meta_file meta = {.version = 2, .num_rows = (int64_t)footer->rows};
    lam_buffer whole;
    lam_buffer_init(&whole, &footer->arena.allocator);
    lam_arena_reset(&footer->scratch);
    LAM_TRY_OUT(lam_meta_schema_export(schema, &footer->scratch, &meta.schema, error));
    LAM_TRY_OUT(lam_meta_write_file(&meta, out, error));
    size_t rest = out->size - before - END_OF_STRUCT;
    out->size -= EMPTY_LIST + END_OF_STRUCT;
    LAM_TRY_OUT(footer_fill_rest(footer, schema, options, &meta, error));
    LAM_TRY_OUT(lam_meta_write_file(&meta, &whole, error));
    LAM_TRY_OUT(encode_row_groups(footer, out, error));
    LAM_TRY_OUT(lam_buffer_append(out, whole.data + rest, whole.size - rest, error));
out:
    if (status != LAM_STATUS_OK)
        out->size = before;
    lam_arena_reset(&footer->scratch);
    lam_buffer_finish(&whole);
    return status;
}
