/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends what a writer has begun: the file up to a checkpoint, and the file. Takes the descriptions
 * of its row groups (row_group_end.c), and writes the bytes after the pages.
 *
 *     row group  [record]  row group  [record]  ...  [record] page indexes  footer
 *     row group  [record]  [record] footer  row group  [record]  ...             at a checkpoint
 *
 * The invariant: `offset` is the number of bytes written, the footer describes all row groups
 * before it, and a footer is complete in memory before its first byte is written. Every failure
 * poisons, as the output may have incomplete data. (README.md of the format, section "File format"
 * and "Error recovery")
 */
#include <string.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "base/error.h"
#include "base/utf8.h"
#include "file/read/footer.h"
#include "file/write/writer_state.h"

/* --- Key-value metadata -------------------------------------------------------------------- */

/* A C string without its NUL. */
static lam_bytes bytes_of(const char *text) {
    lam_bytes bytes = {(const uint8_t *)text, strlen(text)};
    return bytes;
}

/*
 * Refuses text that is not UTF-8: parquet.thrift, KeyValue has two strings, and Thrift strings are
 * UTF-8.
 */
lam_status lam_writer_check_key_value(lam_bytes key, lam_bytes value, lam_error *error) {
    if (lam_utf8_prefix(key.data, key.size) != key.size)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a key of the key-value metadata is not UTF-8");
    if (lam_utf8_prefix(value.data, value.size) != value.size)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "the value of '%.100s' in the key-value metadata is not UTF-8",
                 (const char *)key.data);
    return LAM_STATUS_OK;
}

/* All leaves below a group share one copy of key and value; after a failure none keeps it. */
static lam_status add_column_key_value(lam_writer *writer, const char *path, lam_bytes key,
                                       const lam_bytes *value, lam_error *error) {
    lam_meta_key_value key_value;
    const lam_field *field;
    LAM_TRY(lam_schema_resolve(writer->schema, path, &field, error));
    LAM_TRY(lam_footer_build_key_value(&writer->footer, key, value, &key_value, error));
    lam_row_group_writer *group = &writer->row_group;
    size_t before = group->key_values.count;
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; i < field->leaf_count && status == LAM_STATUS_OK; i++)
        status =
            lam_row_group_writer_add_key_value(group, field->first_leaf + i, &key_value, error);
    if (status != LAM_STATUS_OK)
        group->key_values.count = before;
    return status;
}

lam_status lam_writer_add_key_value(lam_writer *writer, const char *path, const char *key,
                                    const char *value, lam_error *error) {
    lam_bytes given = bytes_of(value != NULL ? value : "");
    const lam_bytes *bytes = value != NULL ? &given : NULL;
    LAM_TRY(lam_writer_check_usable(writer, error));
    LAM_TRY(lam_writer_check_key_value(bytes_of(key), given, error));
    return path != NULL
               ? add_column_key_value(writer, path, bytes_of(key), bytes, error)
               : lam_footer_build_add_key_value(&writer->footer, bytes_of(key), bytes, error);
}

/* Adds all or none. Whether the bytes are UTF-8 is not checked. */
lam_status lam_writer_add_key_values(lam_writer *writer, const lam_writer_key_value *key_values,
                                     size_t count, lam_error *error) {
    size_t before = writer->footer.key_values.count;
    lam_status status = lam_writer_check_usable(writer, error);
    for (size_t i = 0; i < count && status == LAM_STATUS_OK; i++)
        status = lam_footer_build_add_key_value(&writer->footer, key_values[i].key,
                                                &key_values[i].value, error);
    if (status != LAM_STATUS_OK)
        writer->footer.key_values.count = before;
    return status;
}

lam_status lam_writer_copy_key_values(lam_writer *writer, const lam_meta_key_value_list *list,
                                      lam_error *error) {
    size_t before = writer->footer.key_values.count;
    lam_status status = lam_writer_check_usable(writer, error);
    for (uint32_t i = 0; i < list->count && status == LAM_STATUS_OK; i++) {
        const lam_meta_key_value *from = &list->items[i];
        bool has_value = (from->has & LAM_META_KEY_VALUE_HAS_VALUE) != 0;
        status = lam_footer_build_add_key_value(&writer->footer, from->key,
                                                has_value ? &from->value : NULL, error);
    }
    if (status != LAM_STATUS_OK)
        writer->footer.key_values.count = before;
    return status;
}

/* --- What a writer holds --------------------------------------------------------------------- */

uint64_t lam_writer_buffered_bytes(const lam_writer *writer) {
    return writer->row_group.bytes + lam_shredder_byte_count(writer->shredder) +
           lam_writer_metadata_bytes(writer);
}

uint64_t lam_writer_metadata_bytes(const lam_writer *writer) {
    return lam_footer_build_byte_count(&writer->footer) +
           lam_page_index_byte_count(&writer->row_group.page_index);
}

uint64_t lam_writer_footer_bytes(const lam_writer *writer) {
    return lam_footer_build_byte_count(&writer->footer);
}

uint64_t lam_writer_row_group_bytes(const lam_writer *writer) {
    return writer->row_group.bytes;
}

size_t lam_writer_row_group_count(const lam_writer *writer) {
    return writer->footer.row_group_count;
}

uint64_t lam_writer_rows_written(const lam_writer *writer) {
    return writer->footer.rows;
}

uint64_t lam_writer_bytes_written(const lam_writer *writer) {
    return writer->offset;
}

void lam_writer_start_records(lam_writer *writer, const uint8_t *file_id) {
    writer->has_records = true;
    memcpy(writer->record.file_id, file_id, LAM_RECOVERY_ID_SIZE);
}

void lam_writer_note_sync(lam_writer *writer) {
    writer->record.synced = writer->offset;
}

/* --- Footers ------------------------------------------------------------------------------- */

/*
 * Writes a footer, and before it, in files with records, the one that states its size and checksum.
 */
static lam_status write_footer(lam_writer *writer, bool is_last, lam_error *error) {
    lam_status status;
    uint8_t stated[2 * sizeof(uint32_t)];
    lam_buffer bytes;
    lam_buffer_init(&bytes, &writer->allocator);
    LAM_TRY_OUT(lam_footer_build_encode(&writer->footer, writer->schema, &writer->row_group.options,
                                        &bytes, error));
    LAM_TRY_OUT(lam_footer_close(&bytes, 0, error));
    lam_store_le32(stated, (uint32_t)bytes.size);
    lam_store_le32(stated + sizeof(uint32_t),
                   lam_crc32(0, bytes.data, bytes.size - LAM_FOOTER_TAIL_SIZE));
    lam_bytes body = {stated, sizeof stated};
    if (writer->has_records && !is_last)
        LAM_TRY_OUT(lam_writer_write_record(writer, LAM_RECOVERY_FOOTER, body, error));
    LAM_TRY_OUT(lam_writer_append(writer, lam_buffer_bytes(&bytes), error));
out:
    lam_buffer_finish(&bytes);
    return status;
}

lam_status lam_writer_checkpoint(lam_writer *writer, lam_error *error) {
    LAM_TRY(lam_writer_end_row_group(writer, error));
    lam_error failure = lam_error_none();
    return lam_writer_poison(writer, write_footer(writer, false, &failure), &failure, error);
}

/* The page index precedes the footer, which refers to it. */
static lam_status end_file(lam_writer *writer, lam_error *error) {
    lam_bytes nothing = {NULL, 0};
    if (writer->has_records)
        LAM_TRY(lam_writer_write_record(writer, LAM_RECOVERY_END, nothing, error));
    LAM_TRY(lam_writer_write_indexes(writer, error));
    LAM_TRY(write_footer(writer, true, error));
    return writer->output.finish(writer->output.state, error);
}

lam_status lam_writer_finish(lam_writer *writer, lam_error *error) {
    LAM_TRY(lam_writer_end_row_group(writer, error));
    lam_error failure = lam_error_none();
    LAM_TRY(lam_writer_poison(writer, end_file(writer, &failure), &failure, error));
    writer->finished = true;
    return LAM_STATUS_OK;
}
