/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes and reads the frames of a journal, whose bytes journal_frame.h draws: takes schemas, files
 * and rows as triples, and appends bytes to a buffer, or the reverse.
 *
 * Writing runs for every record of a log: levels and values are copied as they are in memory, and
 * the levels are left out if the counts alone show that all are equal. Reading checks everything
 * that memory depends on. The invariant: a count is compared with the bytes that are left before it
 * sizes or indexes anything, and no byte of a body is left over.
 */
#include "log/journal/journal_frame.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/crc32.h"
#include "base/error.h"
#include "encoding/plain.h"
#include "file/write/triple_batch.h"
#include "meta/compact.h"
#include "meta/meta_schema.h"
#include "schema/tree.h"

#define JOURNAL_MAGIC "LAMJRNL"

enum {
    JOURNAL_VERSION = 1,
    JOURNAL_MAGIC_SIZE = 7,
    JOURNAL_CRC_SIZE = 4,
    JOURNAL_NUMBER_SIZE = 4,
    JOURNAL_FILE_SIZE = 2 * JOURNAL_NUMBER_SIZE + LAM_JOURNAL_ID_SIZE, /* before the path */
    JOURNAL_ROWS_SIZE = 24,                                            /* before the columns */
    JOURNAL_COLUMN_SIZE = 9,                                           /* before the levels */
    JOURNAL_HAS_REPETITION = 1,
    JOURNAL_HAS_DEFINITION = 2
};

/* --- The head ------------------------------------------------------------------------------ */

void lam_journal_head_write(const uint8_t *log_id, uint8_t *head) {
    memcpy(head, JOURNAL_MAGIC, JOURNAL_MAGIC_SIZE);
    head[JOURNAL_MAGIC_SIZE] = JOURNAL_VERSION;
    memcpy(head + JOURNAL_MAGIC_SIZE + 1, log_id, LAM_JOURNAL_ID_SIZE);
    size_t size = LAM_JOURNAL_HEAD_SIZE - JOURNAL_CRC_SIZE;
    lam_store_le32(head + size, lam_crc32(0, head, size));
}

/* The checksum comes before the version: a damaged version is no other version. */
lam_status lam_journal_head_read(const uint8_t *head, uint8_t *ret_log_id, lam_error *error) {
    size_t size = LAM_JOURNAL_HEAD_SIZE - JOURNAL_CRC_SIZE;
    if (memcmp(head, JOURNAL_MAGIC, JOURNAL_MAGIC_SIZE) != 0)
        LAM_FAIL(error, LAM_ERROR_CODE_JOURNAL, "the file is no journal");
    if (lam_load_le32(head + size) != lam_crc32(0, head, size))
        LAM_FAIL(error, LAM_ERROR_CODE_JOURNAL, "the head of the journal is damaged");
    if (head[JOURNAL_MAGIC_SIZE] != JOURNAL_VERSION)
        LAM_FAIL(error, LAM_STATUS_UNSUPPORTED, "a journal of version %u",
                 (unsigned)head[JOURNAL_MAGIC_SIZE]);
    memcpy(ret_log_id, head + JOURNAL_MAGIC_SIZE + 1, LAM_JOURNAL_ID_SIZE);
    return LAM_STATUS_OK;
}

bool lam_journal_head_is_torn(const uint8_t *head) {
    uint8_t log_id[LAM_JOURNAL_ID_SIZE];
    size_t size = LAM_JOURNAL_HEAD_SIZE;
    while (size > 0 && head[size - 1] == 0)
        size--;
    return size < LAM_JOURNAL_HEAD_SIZE &&
           memcmp(head, JOURNAL_MAGIC, size < JOURNAL_MAGIC_SIZE ? size : JOURNAL_MAGIC_SIZE) ==
               0 &&
           lam_journal_head_read(head, log_id, NULL) == LAM_STATUS_CORRUPT;
}

uint32_t lam_journal_seed(const uint8_t *log_id) {
    return lam_crc32(0, log_id, LAM_JOURNAL_ID_SIZE);
}

/* --- Writing frames ------------------------------------------------------------------------ */

/* Makes room for a header, which is filled when the body after it is complete. */
static lam_status journal_frame_begin(lam_buffer *out, size_t extra, lam_error *error) {
    LAM_TRY(lam_buffer_reserve(out, LAM_JOURNAL_HEADER_SIZE + extra, error));
    out->size += LAM_JOURNAL_HEADER_SIZE;
    return LAM_STATUS_OK;
}

/*
 * Fills the header at `start` and moves the sequence on, or takes a frame back whose body could not
 * be written, as `status` says, or is too large.
 */
static lam_status journal_frame_end(lam_journal_stream *stream, lam_journal_kind kind, size_t start,
                                    lam_status status, lam_buffer *out, lam_error *error) {
    size_t size = out->size - start - LAM_JOURNAL_HEADER_SIZE;
    if (status == LAM_STATUS_OK && size > LAM_JOURNAL_BODY_MAX) {
        lam_error_set(error, LAM_ERROR_CODE_RECORD_LIMIT, "%zu bytes are too many for a journal",
                      size);
        status = LAM_STATUS_LIMIT;
    }
    if (status != LAM_STATUS_OK) {
        out->size = start;
        return status;
    }
    uint8_t *header = out->data + start;
    lam_store_le32(header + 4, (uint32_t)size);
    lam_store_le64(header + 8, stream->sequence++);
    header[16] = (uint8_t)kind;
    lam_store_le32(header, lam_crc32(stream->seed, header + JOURNAL_CRC_SIZE,
                                     LAM_JOURNAL_HEADER_SIZE - JOURNAL_CRC_SIZE + size));
    return LAM_STATUS_OK;
}

/* The sizes are known here, so that appending cannot fail. */
static void journal_append(lam_buffer *out, const void *bytes, size_t size) {
    if (size > 0)
        memcpy(out->data + out->size, bytes, size);
    out->size += size;
}

static void journal_append_u32(lam_buffer *out, uint32_t number) {
    lam_store_le32(out->data + out->size, number);
    out->size += sizeof number;
}

static void journal_append_u64(lam_buffer *out, uint64_t number) {
    lam_store_le64(out->data + out->size, number);
    out->size += sizeof number;
}

/* Version 2 as in the footers that the writer makes. (parquet.thrift, FileMetaData) */
lam_status lam_journal_metadata_write(const lam_schema *schema,
                                      const lam_meta_key_value_list *key_values, lam_buffer *out,
                                      lam_error *error) {
    lam_status status;
    lam_meta_file meta = {.version = 2};
    lam_arena arena;
    lam_arena_init(&arena, &out->allocator, 0);
    LAM_TRY_OUT(lam_meta_schema_export(schema, &arena, &meta.schema, error));
    if (key_values != NULL && key_values->count > 0) {
        meta.has |= LAM_META_FILE_HAS_KEY_VALUE_METADATA;
        meta.key_value_metadata = *key_values;
    }
    LAM_TRY_OUT(lam_meta_write_file(&meta, out, error));
out:
    lam_arena_finish(&arena);
    return status;
}

lam_status lam_journal_schema_write(lam_journal_stream *stream, uint32_t number, lam_bytes metadata,
                                    lam_buffer *out, lam_error *error) {
    size_t start = out->size;
    LAM_TRY(journal_frame_begin(out, JOURNAL_NUMBER_SIZE + metadata.size, error));
    journal_append_u32(out, number);
    journal_append(out, metadata.data, metadata.size);
    return journal_frame_end(stream, LAM_JOURNAL_SCHEMA, start, LAM_STATUS_OK, out, error);
}

/*
 * True for names with '/' between them that lead out of no folder: a journal that was forged must
 * not make anybody write elsewhere.
 */
static bool journal_path_is_inside(lam_bytes path) {
    for (size_t start = 0, i = 0; i <= path.size; i++) {
        if (i < path.size && path.data[i] == 0)
            return false;
        if (i < path.size && path.data[i] != '/')
            continue;
        const uint8_t *name = path.data + start;
        size_t size = i - start;
        if (size == 0 || (size == 1 && name[0] == '.') ||
            (size == 2 && name[0] == '.' && name[1] == '.'))
            return false;
        start = i + 1;
    }
    return true;
}

lam_status lam_journal_file_write(lam_journal_stream *stream, const lam_journal_file *file,
                                  lam_buffer *out, lam_error *error) {
    size_t start = out->size;
    if (!journal_path_is_inside(file->path))
        LAM_FAIL(error, LAM_STATUS_INVALID, "the path of a file must stay in the journal's folder");
    LAM_TRY(journal_frame_begin(out, JOURNAL_FILE_SIZE + file->path.size, error));
    journal_append_u32(out, file->number);
    journal_append_u32(out, file->schema);
    journal_append(out, file->id, LAM_JOURNAL_ID_SIZE);
    journal_append(out, file->path.data, file->path.size);
    return journal_frame_end(stream, LAM_JOURNAL_FILE, start, LAM_STATUS_OK, out, error);
}

/* --- Writing rows -------------------------------------------------------------------------- */

static lam_value_layout journal_layout(const lam_field *leaf) {
    lam_value_layout layout = {(lam_physical_type)leaf->physical_type, leaf->type_length};
    return layout;
}

/*
 * Levels are left out by the counts: as many triples as records are all at repetition level 0, and
 * as many values as triples are all at the maximum definition level.
 */
static lam_status journal_append_column(const lam_field *leaf, const lam_triples *column,
                                        size_t record_count, lam_buffer *out, lam_error *error) {
    size_t count = column->count, value_count = column->value_count;
    size_t repetition_size = count > record_count ? count : 0;
    size_t definition_size = count > value_count ? count : 0;
    if (count > LAM_JOURNAL_BODY_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_LIMIT, "%zu triples are too many for a journal",
                 count);
    LAM_TRY(
        lam_buffer_reserve(out, JOURNAL_COLUMN_SIZE + repetition_size + definition_size, error));
    out->data[out->size++] = (uint8_t)((repetition_size > 0 ? JOURNAL_HAS_REPETITION : 0) |
                                       (definition_size > 0 ? JOURNAL_HAS_DEFINITION : 0));
    journal_append_u32(out, (uint32_t)count);
    journal_append_u32(out, (uint32_t)value_count);
    journal_append(out, column->repetition, repetition_size);
    journal_append(out, column->definition, definition_size);
    if (leaf->physical_type == LAM_PHYSICAL_BOOLEAN)
        return lam_buffer_append(out, column->values, value_count, error);
    return lam_plain_append(journal_layout(leaf), column->values, value_count, out, error);
}

static lam_status journal_append_columns(const lam_schema *schema, const lam_triples *columns,
                                         size_t record_count, lam_buffer *out, lam_error *error) {
    for (size_t i = 0; i < schema->leaf_count; i++)
        LAM_TRY(
            journal_append_column(lam_leaf_at(schema, i), &columns[i], record_count, out, error));
    return LAM_STATUS_OK;
}

lam_status lam_journal_rows_write(lam_journal_stream *stream, const lam_schema *schema,
                                  const lam_journal_rows *rows, const lam_triples *columns,
                                  lam_buffer *out, lam_error *error) {
    size_t start = out->size;
    LAM_TRY(journal_frame_begin(out, JOURNAL_ROWS_SIZE, error));
    journal_append_u32(out, rows->file);
    journal_append_u32(out, rows->record_count);
    journal_append_u64(out, rows->first_row);
    journal_append_u64(out, rows->first_record);
    lam_status status = journal_append_columns(schema, columns, rows->record_count, out, error);
    return journal_frame_end(stream, LAM_JOURNAL_ROWS, start, status, out, error);
}

lam_status lam_journal_end_write(lam_journal_stream *stream, uint32_t file, lam_buffer *out,
                                 lam_error *error) {
    size_t start = out->size;
    LAM_TRY(journal_frame_begin(out, JOURNAL_NUMBER_SIZE, error));
    journal_append_u32(out, file);
    return journal_frame_end(stream, LAM_JOURNAL_END, start, LAM_STATUS_OK, out, error);
}

/* --- Reading frames ------------------------------------------------------------------------ */

lam_journal_header lam_journal_header_read(const uint8_t *bytes) {
    lam_journal_header header = {lam_load_le32(bytes), lam_load_le32(bytes + 4),
                                 lam_load_le64(bytes + 8), bytes[16]};
    return header;
}

bool lam_journal_frame_check(uint32_t seed, lam_bytes frame) {
    return frame.size >= LAM_JOURNAL_HEADER_SIZE &&
           lam_load_le32(frame.data) ==
               lam_crc32(seed, frame.data + JOURNAL_CRC_SIZE, frame.size - JOURNAL_CRC_SIZE);
}

static lam_status journal_fail_short(const char *kind, lam_error *error) {
    LAM_FAIL(error, LAM_ERROR_CODE_JOURNAL, "a frame of the journal is too short for %s", kind);
}

static lam_bytes journal_rest(lam_bytes bytes, size_t offset) {
    lam_bytes rest = {bytes.data + offset, bytes.size - offset};
    return rest;
}

lam_status lam_journal_schema_read(lam_bytes body, uint32_t *ret_number, lam_bytes *ret_metadata,
                                   lam_error *error) {
    if (body.size < JOURNAL_NUMBER_SIZE)
        return journal_fail_short("a schema", error);
    *ret_number = lam_load_le32(body.data);
    *ret_metadata = journal_rest(body, JOURNAL_NUMBER_SIZE);
    return LAM_STATUS_OK;
}

lam_status lam_journal_file_read(lam_bytes body, lam_journal_file *ret_file, lam_error *error) {
    if (body.size < JOURNAL_FILE_SIZE)
        return journal_fail_short("a file", error);
    lam_bytes path = journal_rest(body, JOURNAL_FILE_SIZE);
    if (!journal_path_is_inside(path))
        LAM_FAIL(error, LAM_ERROR_CODE_JOURNAL,
                 "the journal names a file that is not in its folder");
    ret_file->number = lam_load_le32(body.data);
    ret_file->schema = lam_load_le32(body.data + JOURNAL_NUMBER_SIZE);
    memcpy(ret_file->id, body.data + 2 * JOURNAL_NUMBER_SIZE, LAM_JOURNAL_ID_SIZE);
    ret_file->path = path;
    return LAM_STATUS_OK;
}

/* Rows are numbered from here on without any further check of the sums. */
lam_status lam_journal_rows_read(lam_bytes body, lam_journal_rows *ret_rows, lam_bytes *ret_columns,
                                 lam_error *error) {
    uint64_t end;
    if (body.size < JOURNAL_ROWS_SIZE)
        return journal_fail_short("rows", error);
    lam_journal_rows rows = {lam_load_le32(body.data), lam_load_le32(body.data + 4),
                             lam_load_le64(body.data + 8), lam_load_le64(body.data + 16)};
    if (rows.record_count == 0 || !lam_add_u64(rows.first_row, rows.record_count, &end) ||
        !lam_add_u64(rows.first_record, rows.record_count, &end))
        LAM_FAIL(error, LAM_ERROR_CODE_JOURNAL, "the journal has rows with impossible numbers");
    *ret_rows = rows;
    *ret_columns = journal_rest(body, JOURNAL_ROWS_SIZE);
    return LAM_STATUS_OK;
}

lam_status lam_journal_end_read(lam_bytes body, uint32_t *ret_file, lam_error *error) {
    if (body.size != JOURNAL_NUMBER_SIZE)
        LAM_FAIL(error, LAM_ERROR_CODE_JOURNAL, "the end of a file has %zu bytes in the journal",
                 body.size);
    *ret_file = lam_load_le32(body.data);
    return LAM_STATUS_OK;
}

/* --- Reading columns ----------------------------------------------------------------------- */

/* Takes `size` bytes from the start of `*bytes`; NULL when there are fewer. */
static const uint8_t *journal_take(lam_bytes *bytes, uint64_t size) {
    if (size > bytes->size)
        return NULL;
    const uint8_t *taken = bytes->data;
    bytes->data += size;
    bytes->size -= (size_t)size;
    return taken;
}

/* Reads values that are not BOOLEAN; numbers are aligned by being copied. */
static lam_status journal_read_plain(const lam_field *leaf, size_t count, lam_bytes *bytes,
                                     lam_arena *arena, const void **ret_values, lam_error *error) {
    bool is_byte_array = leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY;
    size_t least_size = is_byte_array ? sizeof(uint32_t) : (size_t)leaf->type_length, size;
    /* unreachable: when a size has 64 bits, as a count has 32 and a length 31 */
    if (!lam_mul_size(count, least_size, &size) || size > bytes->size)
        return journal_fail_short("its values", error);
    void *values;
    lam_decoder decoder = {
        .layout = journal_layout(leaf), .next = bytes->data, .end = bytes->data + bytes->size};
    LAM_TRY(
        lam_arena_alloc(arena, is_byte_array ? count * sizeof(lam_bytes) : size, &values, error));
    LAM_TRY(is_byte_array ? lam_plain_read_byte_arrays(&decoder, count, values, error)
                          : lam_plain_read_fixed(&decoder, count, values, error));
    bytes->data = decoder.next;
    bytes->size = (size_t)(decoder.end - decoder.next);
    *ret_values = values;
    return LAM_STATUS_OK;
}

static lam_status journal_read_values(const lam_kernels *kernels, const lam_field *leaf,
                                      size_t count, lam_bytes *bytes, lam_arena *arena,
                                      const void **ret_values, lam_error *error) {
    if (leaf->physical_type != LAM_PHYSICAL_BOOLEAN)
        return journal_read_plain(leaf, count, bytes, arena, ret_values, error);
    const uint8_t *values = journal_take(bytes, count);
    if (values == NULL)
        return journal_fail_short("its values", error);
    if (kernels->max_u8(values, count) > 1)
        LAM_FAIL(error, LAM_ERROR_CODE_JOURNAL, "the journal has a BOOLEAN that is not 0 or 1");
    *ret_values = values;
    return LAM_STATUS_OK;
}

/* The fault is the journal's, although lam_triples_check blames its caller. */
static lam_status journal_check_column(const lam_kernels *kernels, const lam_field *leaf,
                                       const lam_triples *column, size_t record_count,
                                       lam_error *error) {
    lam_error failure = lam_error_none();
    if (lam_triples_check(kernels, leaf, column, record_count, &failure) != LAM_STATUS_OK)
        LAM_FAIL(error, LAM_ERROR_CODE_JOURNAL, "rows of the journal: %s", failure.message);
    return LAM_STATUS_OK;
}

/* Takes the column of one leaf from the start of `*bytes`. */
static lam_status journal_read_column(const lam_kernels *kernels, const lam_field *leaf,
                                      size_t record_count, lam_bytes *bytes, lam_arena *arena,
                                      lam_triples *ret_column, lam_error *error) {
    const uint8_t *header = journal_take(bytes, JOURNAL_COLUMN_SIZE);
    if (header == NULL)
        return journal_fail_short("its columns", error);
    lam_triples column = {.count = lam_load_le32(header + 1),
                          .value_count = lam_load_le32(header + 5)};
    if (header[0] > (JOURNAL_HAS_REPETITION | JOURNAL_HAS_DEFINITION))
        LAM_FAIL(error, LAM_ERROR_CODE_JOURNAL, "the journal has a column of unknown flags");
    if (header[0] & JOURNAL_HAS_REPETITION) {
        column.repetition = journal_take(bytes, column.count);
        if (column.repetition == NULL)
            return journal_fail_short("its levels", error);
    }
    if (header[0] & JOURNAL_HAS_DEFINITION) {
        column.definition = journal_take(bytes, column.count);
        if (column.definition == NULL)
            return journal_fail_short("its levels", error);
    }
    LAM_TRY(journal_read_values(kernels, leaf, column.value_count, bytes, arena, &column.values,
                                error));
    LAM_TRY(journal_check_column(kernels, leaf, &column, record_count, error));
    *ret_column = column;
    return LAM_STATUS_OK;
}

lam_status lam_journal_columns_read(const lam_kernels *kernels, const lam_schema *schema,
                                    lam_bytes bytes, size_t record_count, lam_arena *arena,
                                    lam_triples **ret_columns, lam_error *error) {
    lam_triples *columns;
    LAM_TRY(LAM_ARENA_ARRAY(arena, schema->leaf_count, &columns, error));
    for (size_t i = 0; i < schema->leaf_count; i++)
        LAM_TRY(journal_read_column(kernels, lam_leaf_at(schema, i), record_count, &bytes, arena,
                                    &columns[i], error));
    if (bytes.size > 0)
        LAM_FAIL(error, LAM_ERROR_CODE_JOURNAL, "%zu bytes follow the columns in the journal",
                 bytes.size);
    *ret_columns = columns;
    return LAM_STATUS_OK;
}
