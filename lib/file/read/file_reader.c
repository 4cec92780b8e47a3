/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a file and gives access to its column chunks: turns an input into a reader that owns the
 * input, the footer and the schema, and never changes afterwards, so that threads may share it.
 *
 * Opening reads the footer only: its tail, its bytes, the schema tree, the texts that C callers
 * want NUL-terminated. Everything that later code indexes without another check is checked here:
 * each row group has one chunk per leaf, and row counts are not negative and add up within 64 bits.
 * Whatever concerns one chunk alone is checked when that chunk is requested, so that one damaged or
 * encrypted column leaves the others readable.
 */
#include "file/read/file_reader.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/options.h"
#include "file/read/chunk_path.h"
#include "file/read/memory_limit.h"
#include "meta/compact.h"
#include "meta/known_faults.h"
#include "meta/meta_schema.h"
#include "schema/leaf_error.h"

/*
 * Estimated bytes of one field while the tree is built, besides its name. A footer may state
 * millions of fields in a few bytes each, so the count is bounded before the tree is allocated.
 */
enum { FIELD_BYTES = 512 };

/* --- Opening ------------------------------------------------------------------------------- */

/*
 * Without an option the limit starts with what the file's size suggests; lam_reader_open adds the
 * share of the columns once they are known.
 */
static lam_status file_reader_apply_options(lam_reader *reader, const lam_reader_options *options,
                                            uint64_t file_size, lam_error *error) {
    reader->memory_limit = lam_memory_limit_of_file(file_size);
    /* Sums of two sizes below the limit then cannot overflow a size_t. */
    if (options->memory_limit > SIZE_MAX / 2)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a memory limit of %" PRIu64 " bytes",
                 options->memory_limit);
    if (options->memory_limit != 0)
        reader->memory_limit = options->memory_limit;
    LAM_TRY(lam_switch_check(options->page_crc, "page_crc", error));
    reader->verify_crc = lam_switch_is_on(options->page_crc);
    reader->stop = options->stop;
    return LAM_STATUS_OK;
}

/*
 * Builds the tree of the schema. Its memory is the allocator's, not the arena's, so the limit is
 * applied to an estimate.
 */
static lam_status import_schema(lam_reader *reader, lam_error *error) {
    const lam_meta_schema_element_list *elements = &reader->footer.meta.schema;
    if (elements->count > reader->memory_limit / FIELD_BYTES)
        LAM_FAIL(error, LAM_ERROR_CODE_MEMORY_LIMIT,
                 "a schema of %" PRIu32 " fields is above the memory limit of %" PRIu64
                 " (option memory_limit)",
                 elements->count, reader->memory_limit);
    return lam_meta_schema_import(elements, &reader->allocator, &reader->schema, error);
}

/* Copies a string of the footer and puts a NUL after it; NULL if it is absent. */
static lam_status file_reader_copy_text(lam_reader *reader, bool present, lam_bytes text,
                                        const char **ret_text, lam_error *error) {
    *ret_text = NULL;
    if (!present)
        return LAM_STATUS_OK;
    char *copy;
    LAM_TRY(lam_arena_copy(&reader->arena, text.data, text.size, &copy, error));
    *ret_text = copy;
    return LAM_STATUS_OK;
}

/*
 * Copies created_by and the key-value metadata, and looks up the known faults of the writer. The
 * footer's own strings are not NUL-terminated and may hold NUL bytes; the copies end at the first
 * one for a C caller.
 */
static lam_status copy_texts(lam_reader *reader, lam_error *error) {
    const lam_meta_file_view *meta = &reader->footer.meta;
    const lam_meta_key_value_list *key_values = &meta->key_value_metadata;
    LAM_TRY(file_reader_copy_text(reader, (meta->has & LAM_META_FILE_HAS_CREATED_BY) != 0,
                                  meta->created_by, &reader->created_by, error));
    reader->faults = lam_known_faults(meta->created_by);
    LAM_TRY(LAM_ARENA_ARRAY(&reader->arena, key_values->count, &reader->keys, error));
    LAM_TRY(LAM_ARENA_ARRAY(&reader->arena, key_values->count, &reader->values, error));
    for (uint32_t i = 0; i < key_values->count; i++) {
        const lam_meta_key_value *key_value = &key_values->items[i];
        LAM_TRY(file_reader_copy_text(reader, true, key_value->key, &reader->keys[i], error));
        LAM_TRY(file_reader_copy_text(reader, (key_value->has & LAM_META_KEY_VALUE_HAS_VALUE) != 0,
                                      key_value->value, &reader->values[i], error));
    }
    return LAM_STATUS_OK;
}

/*
 * Checks what every later index relies on: a chunk per leaf in each row group, and row counts that
 * are not negative. Sums the rows; a sum beyond 64 bits is CORRUPT.
 */
static lam_status check_row_groups(lam_reader *reader, lam_error *error) {
    const lam_meta_row_group_view_list *groups = &reader->footer.meta.row_groups;
    size_t leaves = lam_schema_leaf_count(reader->schema);
    uint64_t rows = 0;
    for (uint32_t i = 0; i < groups->count; i++) {
        const lam_meta_row_group_view *group = &groups->items[i];
        if (group->columns.count != leaves)
            LAM_FAIL(error, LAM_ERROR_CODE_ROW_GROUP_COLUMNS,
                     "row group %" PRIu32 " has %" PRIu32 " columns, but the schema has %zu", i,
                     group->columns.count, leaves);
        if (group->num_rows < 0 || !lam_add_u64(rows, (uint64_t)group->num_rows, &rows))
            LAM_FAIL(error, LAM_ERROR_CODE_ROW_GROUP_ROWS,
                     "row group %" PRIu32 " claims %" PRId64 " rows", i, group->num_rows);
    }
    reader->row_count = rows;
    return LAM_STATUS_OK;
}

/* The lists have an address of their own, as sessions copy the reader. */
static lam_status create_lists(lam_reader *reader, lam_error *error) {
    LAM_TRY(LAM_ARENA_NEW(&reader->arena, &reader->lists, error));
    /* Each row group has a chunk per leaf, and each chunk is in the footer: the product fits. */
    lam_chunk_lists_init(reader->lists, &reader->allocator,
                         reader->footer.meta.row_groups.count *
                             lam_schema_leaf_count(reader->schema));
    return LAM_STATUS_OK;
}

lam_status lam_reader_create(const lam_input *input, const lam_reader_options *options,
                             lam_reader **ret_reader, lam_error *error) {
    if (input == NULL || input->read_at == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no input to read from");
    lam_allocator allocator = lam_allocator_or_default(options->allocator);
    lam_reader *reader;
    LAM_TRY(LAM_NEW(&allocator, &reader, error));
    reader->allocator = allocator;
    lam_status status = file_reader_apply_options(reader, options, input->size, error);
    lam_arena_init(&reader->arena, &allocator, (size_t)reader->memory_limit);
    if (status == LAM_STATUS_OK)
        *ret_reader = reader;
    else
        lam_reader_close(reader);
    return status;
}

/*
 * The input is moved as the last step, so that the caller still owns it after any failure; until
 * then reader->input is empty and closing the reader does not close it.
 */
lam_status lam_reader_take_footer(lam_reader *reader, const lam_reader_options *options,
                                  lam_input *input, lam_error *error) {
    LAM_TRY(import_schema(reader, error));
    LAM_TRY(copy_texts(reader, error));
    LAM_TRY(check_row_groups(reader, error));
    LAM_TRY(create_lists(reader, error));
    if (options->memory_limit == 0)
        reader->memory_limit = lam_memory_limit_of_columns(reader->memory_limit,
                                                           lam_schema_leaf_count(reader->schema));
    reader->input = *input;
    reader->file_size = input->size;
    memset(input, 0, sizeof *input);
    return LAM_STATUS_OK;
}

lam_status lam_reader_open(lam_input *input, const lam_reader_options *given,
                           lam_reader **ret_reader, lam_error *error) {
    lam_reader_options options;
    lam_reader *reader;
    LAM_TRY(LAM_OPTIONS_READ(lam_reader_options, given, &options, error));
    LAM_TRY(lam_reader_create(input, &options, &reader, error));
    lam_status status = lam_footer_view_read(input, &reader->arena, &reader->footer, error);
    if (status == LAM_STATUS_OK)
        status = lam_reader_take_footer(reader, &options, input, error);
    if (status == LAM_STATUS_OK)
        *ret_reader = reader;
    else
        lam_reader_close(reader);
    return status;
}

/* An input that was opened here is closed here if the reader does not take it. */
lam_status lam_reader_open_file(const char *path, const lam_reader_options *given,
                                lam_reader **ret_reader, lam_error *error) {
    lam_reader_options options;
    lam_input input;
    LAM_TRY(LAM_OPTIONS_READ(lam_reader_options, given, &options, error));
    if (path == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no path (NULL)");
    LAM_TRY(lam_input_open_file(path, options.allocator, &input, error));
    lam_status status = lam_reader_open(&input, &options, ret_reader, error);
    if (status != LAM_STATUS_OK)
        lam_input_close(&input);
    return status;
}

void lam_reader_close(lam_reader *reader) {
    if (reader == NULL)
        return;
    lam_allocator allocator = reader->allocator;
    if (reader->view != NULL)
        reader->view->destroy(reader->view);
    lam_input_close(&reader->input);
    lam_schema_destroy(reader->schema);
    if (reader->lists != NULL)
        lam_chunk_lists_finish(reader->lists);
    lam_arena_finish(&reader->arena);
    lam_footer_view_finish(&reader->footer, &allocator);
    lam_free(&allocator, reader, sizeof *reader);
}

/*
 * Copies the reader and replaces the copy's allocator by one that draws on a budget. The original
 * still owns what the copy points at. The budget is referred to by address, so that the session
 * must not move.
 */
void lam_read_session_init(lam_read_session *session, const lam_reader *reader,
                           const lam_stop *stop) {
    lam_budget_init(&session->budget, &reader->allocator, (size_t)reader->memory_limit);
    session->reader = *reader;
    session->reader.allocator = lam_budget_allocator(&session->budget);
    if (stop != NULL)
        session->reader.stop = stop;
}

/* --- Column chunks ------------------------------------------------------------------------- */

/* Opening has checked the bytes, so that only memory can be lacking. */
lam_status lam_reader_decode_chunk(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                   lam_arena *arena, lam_meta_column_chunk *ret_chunk,
                                   lam_error *error) {
    lam_status status = lam_meta_read_column_chunk(&reader->footer.meta, row_group, leaf_index,
                                                   arena, ret_chunk, error);
    if (status != LAM_STATUS_OK)
        lam_error_at_leaf(error, row_group, lam_schema_leaf(reader->schema, leaf_index));
    return status;
}

/*
 * Refuses chunks that cannot be read from this file: in another file, encrypted, without metadata,
 * or belonging to another column. (parquet.thrift, ColumnChunk)
 */
static lam_status check_chunk(const lam_meta_column_chunk *chunk, const lam_field *leaf,
                              lam_error *error) {
    /* The path is hostile text like any other: 100 bytes of it are enough for a message. */
    if ((chunk->has & LAM_META_COLUMN_CHUNK_HAS_FILE_PATH) != 0)
        LAM_FAIL(error, LAM_ERROR_CODE_EXTERNAL_FILE, "the column chunk is in another file, '%.*s'",
                 (int)(chunk->file_path.size < 100 ? chunk->file_path.size : 100),
                 (const char *)chunk->file_path.data);
    if (chunk->crypto_metadata != NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_ENCRYPTED, "the column chunk is encrypted");
    /*
     * The field is optional because an encrypted chunk leaves it out; this chunk is not encrypted.
     */
    if (chunk->meta_data == NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_METADATA,
                 "the footer has no metadata for the column chunk");
    return lam_chunk_path_check(&chunk->meta_data->path_in_schema, leaf, error);
}

lam_status lam_reader_find_column(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                  lam_arena *arena, lam_meta_column_chunk *ret_chunk,
                                  lam_error *error) {
    size_t groups = reader->footer.meta.row_groups.count;
    lam_meta_column_chunk chunk;
    if (row_group >= groups)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no row group %zu: there are %zu", row_group, groups);
    if (leaf_index >= lam_schema_leaf_count(reader->schema))
        LAM_FAIL(error, LAM_STATUS_INVALID, "no column %zu: there are %zu", leaf_index,
                 lam_schema_leaf_count(reader->schema));
    LAM_TRY(lam_reader_decode_chunk(reader, row_group, leaf_index, arena, &chunk, error));
    lam_status status = check_chunk(&chunk, lam_schema_leaf(reader->schema, leaf_index), error);
    if (status == LAM_STATUS_OK)
        *ret_chunk = chunk;
    else
        lam_error_at_leaf(error, row_group, lam_schema_leaf(reader->schema, leaf_index));
    return status;
}

lam_column_chunk lam_reader_chunk_of(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                     const lam_meta_column *column) {
    lam_column_chunk chunk = {.column = column};
    chunk.kernels = lam_reader_kernels(reader);
    chunk.input = &reader->input;
    chunk.leaf = lam_schema_leaf(reader->schema, leaf_index);
    chunk.limit = reader->footer.offset;
    chunk.row_group = row_group;
    chunk.row_count = lam_reader_rows_of_group(reader, row_group);
    chunk.memory_limit = reader->memory_limit;
    chunk.verify_crc = reader->verify_crc;
    chunk.stop = reader->stop;
    chunk.codecs = reader->codecs;
    /*
     * parquet.thrift, DataPageHeaderV2.is_compressed: some writers state false over compressed
     * bytes. Other writers left elements in lists that do not exist. Both are properties of the
     * version that wrote.
     */
    chunk.hides_compression = (reader->faults & LAM_FAULT_V2_COMPRESSION) != 0;
    chunk.has_ghosts =
        (lam_known_faults_of_leaf(reader->faults & LAM_FAULT_ARRAY_LEVELS, chunk.leaf)) != 0;
    chunk.has_sequels =
        (lam_known_faults_of_leaf(reader->faults & LAM_FAULT_SEQUEL_PAGES, chunk.leaf)) != 0;
    return chunk;
}

bool lam_reader_derives(const lam_reader *reader, size_t leaf_index) {
    return reader->view != NULL && reader->view->derives(reader->view, leaf_index);
}

/* Opens the chunk as the file has it, or what is derived from it: another form, or its rest. */
static lam_status open_chunk(const lam_reader *reader, const lam_column_chunk *chunk,
                             lam_column_cursor **ret_cursor, lam_error *error) {
    lam_derived_chunk *derived = NULL;
    if (lam_reader_derives(reader, chunk->leaf->first_leaf))
        LAM_TRY(reader->view->derive(reader->view, reader, chunk->row_group,
                                     chunk->leaf->first_leaf, &derived, error));
    else if (reader->holes != NULL)
        LAM_TRY(reader->holes->derive(reader->holes->state, chunk, &reader->allocator, &derived,
                                      error));
    if (derived == NULL)
        return lam_column_cursor_create(chunk, &reader->allocator, ret_cursor, error);
    return lam_column_cursor_create_derived(chunk, derived, &reader->allocator, ret_cursor, error);
}

lam_status lam_reader_open_cursor(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                  lam_column_cursor **ret_cursor, lam_error *error) {
    lam_meta_column_chunk stated;
    lam_chunk_room room;
    lam_arena arena = lam_reader_chunk_arena_in(reader, &room);
    lam_status status =
        lam_reader_find_column(reader, row_group, leaf_index, &arena, &stated, error);
    if (status == LAM_STATUS_OK) {
        lam_column_chunk chunk =
            lam_reader_chunk_of(reader, row_group, leaf_index, stated.meta_data);
        status = open_chunk(reader, &chunk, ret_cursor, error);
    }
    lam_arena_finish(&arena);
    return status;
}
