#include "file/row_group_write.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

lam_status lam_row_group_writer_init(lam_row_group_writer *writer, const lam_schema *schema,
                                     const lam_chunk_options *options,
                                     const lam_allocator *allocator, lam_error *error) {
    memset(writer, 0, sizeof *writer);
    writer->allocator = *allocator;
    writer->schema = schema;
    writer->options = *options;
    void *memory;
    LAM_TRY(lam_codec_context_create(allocator, &writer->codecs, error));
    LAM_TRY(
        lam_alloc_array(allocator, schema->leaf_count, sizeof(lam_chunk_writer *), &memory, error));
    writer->chunks = memory;
    for (size_t i = 0; i < schema->leaf_count; i++)
        LAM_TRY(lam_chunk_writer_create(lam_leaf_at(schema, i), options, writer->codecs, allocator,
                                        &writer->chunks[i], error));
    return LAM_STATUS_OK;
}

void lam_row_group_writer_finish(lam_row_group_writer *writer) {
    if (writer->chunks != NULL)
        for (size_t i = 0; i < writer->schema->leaf_count; i++)
            lam_chunk_writer_destroy(writer->chunks[i]);
    if (writer->schema != NULL)
        lam_free(&writer->allocator, writer->chunks,
                 writer->schema->leaf_count * sizeof(lam_chunk_writer *));
    lam_codec_context_destroy(writer->codecs);
    memset(writer, 0, sizeof *writer);
}

lam_status lam_row_group_writer_add(lam_row_group_writer *writer, size_t leaf_index,
                                    const lam_triples *triples, lam_error *error) {
    lam_chunk_writer *chunk = writer->chunks[leaf_index];
    uint64_t before = lam_chunk_writer_byte_count(chunk);
    LAM_TRY(lam_chunk_writer_write(chunk, triples, error));
    writer->bytes += lam_chunk_writer_byte_count(chunk) - before;
    return LAM_STATUS_OK;
}

void lam_row_group_writer_count(lam_row_group_writer *writer, uint64_t rows) {
    writer->rows += rows;
}

lam_status lam_row_group_writer_set_encoding(lam_row_group_writer *writer, size_t leaf_index,
                                             lam_encoding encoding, lam_error *error) {
    return lam_chunk_writer_set_encoding(writer->chunks[leaf_index], encoding, error);
}

/* The names from the root down to the leaf. */
static lam_status path_of(const lam_field *leaf, lam_arena *arena, lam_meta_bytes_list *ret_path,
                          lam_error *error) {
    void *memory;
    LAM_TRY(lam_arena_array(arena, leaf->depth, sizeof(lam_bytes), &memory, error));
    lam_bytes *names = memory;
    const lam_field *field = leaf;
    for (size_t i = leaf->depth; i > 0; i--) {
        names[i - 1].data = (const uint8_t *)field->name;
        names[i - 1].size = field->name_size;
        field = lam_parent_of(field);
    }
    ret_path->items = names;
    ret_path->count = leaf->depth;
    return LAM_STATUS_OK;
}

/* The encodings that stand in the chunk: of values and of a dictionary, of levels. */
static lam_status encodings_of(const lam_field *leaf, const lam_finished_chunk *chunk,
                               lam_arena *arena, lam_meta_i32_list *ret_encodings,
                               lam_error *error) {
    enum { MOST = 4 };
    void *memory;
    LAM_TRY(lam_arena_array(arena, MOST, sizeof(int32_t), &memory, error));
    int32_t *items = memory;
    uint32_t count = 0;
    bool has_levels = leaf->max_definition > 0 || leaf->max_repetition > 0;
    if (chunk->has_dictionary_pages ||
        (chunk->has_value_pages && chunk->encoding == LAM_ENCODING_PLAIN))
        items[count++] = LAM_ENCODING_PLAIN;
    if (has_levels || (chunk->has_value_pages && chunk->encoding == LAM_ENCODING_RLE))
        items[count++] = LAM_ENCODING_RLE;
    if (chunk->has_dictionary_pages)
        items[count++] = LAM_ENCODING_RLE_DICTIONARY;
    if (chunk->has_value_pages && chunk->encoding != LAM_ENCODING_PLAIN &&
        chunk->encoding != LAM_ENCODING_RLE)
        items[count++] = (int32_t)chunk->encoding;
    ret_encodings->items = items;
    ret_encodings->count = count;
    return LAM_STATUS_OK;
}

static lam_status write_bytes(lam_output *output, lam_bytes bytes, uint64_t *offset,
                              lam_error *error) {
    if (bytes.size > 0)
        LAM_TRY(output->write(output->state, bytes.data, bytes.size, error));
    *offset += bytes.size;
    return LAM_STATUS_OK;
}

static lam_status write_chunk(lam_row_group_writer *writer, size_t leaf_index, lam_output *output,
                              uint64_t *offset, lam_arena *arena, lam_meta_column *column,
                              lam_error *error) {
    const lam_field *leaf = lam_leaf_at(writer->schema, leaf_index);
    lam_finished_chunk chunk;
    LAM_TRY(lam_chunk_writer_end(writer->chunks[leaf_index], &chunk, error));
    column->type = leaf->physical_type;
    column->codec = (int32_t)writer->options.codec - 1; /* the format counts from 0 */
    column->num_values = (int64_t)chunk.value_count;
    column->total_uncompressed_size = (int64_t)chunk.uncompressed_size;
    column->total_compressed_size = (int64_t)(chunk.dictionary_page.size + chunk.data_pages.size);
    LAM_TRY(path_of(leaf, arena, &column->path_in_schema, error));
    LAM_TRY(encodings_of(leaf, &chunk, arena, &column->encodings, error));
    if (chunk.dictionary_page.size > 0) {
        column->has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
        column->dictionary_page_offset = (int64_t)*offset;
        LAM_TRY(write_bytes(output, chunk.dictionary_page, offset, error));
    }
    column->data_page_offset = (int64_t)*offset;
    LAM_TRY(write_bytes(output, chunk.data_pages, offset, error));
    lam_chunk_writer_restart(writer->chunks[leaf_index]);
    return LAM_STATUS_OK;
}

lam_status lam_row_group_writer_end(lam_row_group_writer *writer, lam_output *output,
                                    uint64_t *offset, size_t ordinal, lam_arena *arena,
                                    lam_meta_row_group *ret_group, lam_error *error) {
    size_t leaves = writer->schema->leaf_count;
    lam_meta_row_group group = {0};
    void *memory;
    LAM_TRY(lam_arena_array(arena, leaves, sizeof(lam_meta_column_chunk), &memory, error));
    lam_meta_column_chunk *chunks = memory;
    LAM_TRY(lam_arena_array(arena, leaves, sizeof(lam_meta_column), &memory, error));
    lam_meta_column *columns = memory;
    group.columns.items = chunks;
    group.columns.count = (uint32_t)leaves;
    group.num_rows = (int64_t)writer->rows;
    group.has = LAM_META_ROW_GROUP_HAS_FILE_OFFSET | LAM_META_ROW_GROUP_HAS_TOTAL_COMPRESSED_SIZE;
    group.file_offset = (int64_t)*offset;
    for (size_t i = 0; i < leaves; i++) {
        LAM_TRY(write_chunk(writer, i, output, offset, arena, &columns[i], error));
        chunks[i].meta_data = &columns[i];
        group.total_byte_size += columns[i].total_uncompressed_size;
        group.total_compressed_size += columns[i].total_compressed_size;
    }
    if (ordinal <= INT16_MAX) {
        group.has |= LAM_META_ROW_GROUP_HAS_ORDINAL;
        group.ordinal = (int16_t)ordinal;
    }
    writer->rows = 0;
    writer->bytes = 0;
    *ret_group = group;
    return LAM_STATUS_OK;
}
