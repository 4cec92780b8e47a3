/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds the row group that is being written and writes it: takes triples of each leaf, which go to
 * that leaf's chunk writer; at the end gives all chunks one after the other, then their Bloom
 * filters:
 *
 *     chunk of leaf 0   chunk of leaf 1   ...   filter of leaf 0   filter of leaf 1   ...
 *
 * Filters follow the chunks, so that the chunks of a row group stay side by side for a reader of
 * many columns. Leaves are encoded and compressed in parallel if there are threads; bytes are
 * written in the order of the leaves, from the caller's thread. The invariant: `*offset` is the
 * file offset of the next byte, and every offset in the description is taken from it just before
 * the bytes are written. After a failure in between, the row group cannot be completed; the file
 * writer then poisons itself. (parquet.thrift, RowGroup, ColumnChunk)
 */
#include "file/write/row_group_write.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/wrap.h"
#include "file/write/chunk_meta_write.h"
#include "meta/compact.h"
#include "schema/leaf_error.h"

/*
 * Everything that finish frees is initialised before the first call that can fail, so finish is
 * allowed after a failure.
 */
lam_status lam_row_group_writer_init(lam_row_group_writer *writer, const lam_schema *schema,
                                     const lam_chunk_options *options, bool check_sorting,
                                     const lam_task_runner *runner, lam_codec_context *codecs,
                                     const lam_allocator *allocator, lam_error *error) {
    memset(writer, 0, sizeof *writer);
    writer->allocator = *allocator;
    writer->schema = schema;
    writer->options = *options;
    writer->runner = runner;
    lam_page_index_init(&writer->page_index, allocator);
    lam_buffer_init(&writer->scratch, allocator);
    LAM_LIST_INIT(&writer->key_values, allocator);
    lam_row_sorting_init(&writer->sorting, check_sorting, allocator);
    writer->owns_codecs = codecs == NULL;
    writer->codecs = codecs;
    if (codecs == NULL)
        LAM_TRY(lam_codec_context_create(allocator, &writer->codecs, error));
    LAM_TRY(LAM_ARRAY(allocator, schema->leaf_count, &writer->chunks, error));
    LAM_TRY(LAM_ARRAY(allocator, schema->leaf_count, &writer->is_chosen, error));
    return lam_task_costs_create(runner, schema->leaf_count, allocator, &writer->costs, error);
}

/* Of 100,000 columns most may only be copied: an encoder is made when it is needed. */
static lam_status chunk_of(lam_row_group_writer *writer, size_t leaf_index,
                           lam_chunk_writer **ret_chunk, lam_error *error) {
    if (writer->chunks[leaf_index] == NULL)
        LAM_TRY(lam_chunk_writer_create(lam_leaf_at(writer->schema, leaf_index), &writer->options,
                                        writer->codecs, &writer->allocator,
                                        &writer->chunks[leaf_index], error));
    *ret_chunk = writer->chunks[leaf_index];
    return LAM_STATUS_OK;
}

/* Whether memory is worth more than time: it has a bound, or the columns are many. */
static bool is_scarce(const lam_row_group_writer *writer) {
    enum { MANY_LEAVES = 4096 };
    return writer->options.is_bounded || writer->schema->leaf_count > MANY_LEAVES;
}

/* Starts the next chunk of a leaf, with a new writer if memory is scarce. */
static void restart_chunk(lam_row_group_writer *writer, size_t leaf_index) {
    if (writer->chunks[leaf_index] == NULL)
        return;
    if (!is_scarce(writer) || writer->is_chosen[leaf_index]) {
        lam_chunk_writer_restart(writer->chunks[leaf_index]);
        return;
    }
    lam_chunk_writer_destroy(writer->chunks[leaf_index]);
    writer->chunks[leaf_index] = NULL;
}

/* A zeroed struct, whose init was never called, has no schema and needs no freeing. */
void lam_row_group_writer_finish(lam_row_group_writer *writer) {
    if (writer->chunks != NULL)
        for (size_t i = 0; i < writer->schema->leaf_count; i++)
            lam_chunk_writer_destroy(writer->chunks[i]);
    if (writer->schema != NULL)
        lam_free(&writer->allocator, writer->chunks,
                 writer->schema->leaf_count * sizeof(lam_chunk_writer *));
    if (writer->is_chosen != NULL)
        lam_free(&writer->allocator, writer->is_chosen, writer->schema->leaf_count * sizeof(bool));
    if (writer->schema != NULL)
        lam_task_costs_destroy(writer->costs, writer->schema->leaf_count, &writer->allocator);
    if (writer->owns_codecs)
        lam_codec_context_destroy(writer->codecs);
    if (writer->schema != NULL) {
        lam_page_index_finish(&writer->page_index);
        lam_buffer_finish(&writer->scratch);
        LAM_LIST_FINISH(&writer->key_values);
        lam_row_sorting_finish(&writer->sorting);
    }
    memset(writer, 0, sizeof *writer);
}

/* A limit names the column that cannot be written within it. */
static lam_status of_leaf(const lam_row_group_writer *writer, size_t leaf_index, lam_status status,
                          lam_error *error) {
    if (status == LAM_STATUS_LIMIT)
        lam_error_of_leaf(error, lam_leaf_at(writer->schema, leaf_index));
    return status;
}

/*
 * Compares the rows first, if the order is checked. `bytes` is kept as a running sum, so that the
 * limit of the row group costs no pass over the leaves.
 */
lam_status lam_row_group_writer_add(lam_row_group_writer *writer, size_t leaf_index,
                                    const lam_triples *triples, lam_error *error) {
    lam_chunk_writer *chunk;
    LAM_TRY(of_leaf(writer, leaf_index, chunk_of(writer, leaf_index, &chunk, error), error));
    LAM_TRY(lam_row_sorting_check(&writer->sorting, leaf_index, triples, error));
    uint64_t before = lam_chunk_writer_byte_count(chunk);
    LAM_TRY(of_leaf(writer, leaf_index, lam_chunk_writer_write(chunk, triples, error), error));
    /* A page that was compressed may have made it less: unsigned sums wrap around to the same. */
    atomic_fetch_add_explicit(&writer->bytes,
                              lam_wrap_subtract(lam_chunk_writer_byte_count(chunk), before),
                              memory_order_relaxed);
    return LAM_STATUS_OK;
}

lam_status lam_row_group_writer_run(lam_row_group_writer *writer, lam_fallible_task *task,
                                    void *context, lam_error *error) {
    return lam_task_runner_try(writer->runner, task, context, writer->schema->leaf_count,
                               writer->costs, error);
}

/* All leaves have got these rows, so their order can be decided. */
lam_status lam_row_group_writer_count(lam_row_group_writer *writer, uint64_t rows,
                                      lam_error *error) {
    writer->rows += rows;
    return lam_row_sorting_decide(&writer->sorting, rows, error);
}

lam_status lam_row_group_writer_set_encoding(lam_row_group_writer *writer, size_t leaf_index,
                                             lam_encoding encoding, lam_error *error) {
    lam_chunk_writer *chunk;
    LAM_TRY(chunk_of(writer, leaf_index, &chunk, error));
    LAM_TRY(lam_chunk_writer_set_encoding(chunk, encoding, error));
    writer->is_chosen[leaf_index] = true;
    return LAM_STATUS_OK;
}

lam_status lam_row_group_writer_set_bloom(lam_row_group_writer *writer, size_t leaf_index,
                                          double fpp, uint64_t distinct_count, bool is_guess,
                                          lam_error *error) {
    lam_chunk_writer *chunk;
    LAM_TRY(chunk_of(writer, leaf_index, &chunk, error));
    LAM_TRY(lam_chunk_writer_set_bloom(chunk, fpp, distinct_count, is_guess, error));
    writer->is_chosen[leaf_index] = true;
    return LAM_STATUS_OK;
}

/*
 * Entries of all leaves are in one list in the order of the calls; they apply to this row group and
 * those after it.
 */
lam_status lam_row_group_writer_add_key_value(lam_row_group_writer *writer, size_t leaf_index,
                                              const lam_meta_key_value *key_value,
                                              lam_error *error) {
    lam_leaf_key_value entry = {leaf_index, *key_value};
    return LAM_LIST_ADD(&writer->key_values, &entry, error);
}

/*
 * Copies the entries of a leaf into the description of its chunk. The array has room for the
 * entries of all leaves, which are few.
 */
static lam_status state_key_values(const lam_row_group_writer *writer, size_t leaf_index,
                                   lam_arena *arena, lam_meta_column *column, lam_error *error) {
    const lam_leaf_key_value *key_values = writer->key_values.items;
    size_t count = writer->key_values.count;
    uint32_t listed = 0;
    if (count == 0)
        return LAM_STATUS_OK;
    lam_meta_key_value *items;
    LAM_TRY(LAM_ARENA_ARRAY(arena, count, &items, error));
    for (size_t i = 0; i < count; i++)
        if (key_values[i].leaf_index == leaf_index)
            items[listed++] = key_values[i].key_value;
    if (listed > 0)
        column->has |= LAM_META_COLUMN_HAS_KEY_VALUE_METADATA;
    column->key_value_metadata.items = items;
    column->key_value_metadata.count = listed;
    return LAM_STATUS_OK;
}

/* Writes bytes, if there are any, and moves the offset past them. */
static lam_status row_group_write_bytes(lam_output *output, lam_bytes bytes, uint64_t *offset,
                                        lam_error *error) {
    if (bytes.size > 0)
        LAM_TRY(output->write(output->state, bytes.data, bytes.size, error));
    *offset += bytes.size;
    return LAM_STATUS_OK;
}

/* The chunks of a row group that ends. */
typedef struct ending_chunks {
    lam_row_group_writer *writer;
    lam_finished_chunk *chunks; /* by leaf */
} ending_chunks;

/* Ends one chunk, whose last page and dictionary are encoded and compressed with that. */
static lam_status end_chunk(lam_row_group_writer *writer, size_t leaf_index,
                            lam_finished_chunk *ret_chunk, lam_error *error) {
    lam_chunk_writer *chunk;
    lam_status status = chunk_of(writer, leaf_index, &chunk, error);
    if (status == LAM_STATUS_OK)
        status = lam_chunk_writer_end(chunk, ret_chunk, error);
    return of_leaf(writer, leaf_index, status, error);
}

/* A task: the same for the chunks of a row group. */
static lam_status end_one_of(void *context, size_t leaf_index, lam_error *error) {
    const ending_chunks *ending = context;
    return end_chunk(ending->writer, leaf_index, &ending->chunks[leaf_index], error);
}

/*
 * Ends the chunks of all leaves; their bytes are borrowed from the chunk writers. If memory is
 * scarce each ends when its turn to be written comes, so that one at a time is encoded.
 */
static lam_status end_chunks(lam_row_group_writer *writer, lam_arena *arena,
                             lam_finished_chunk **ret_chunks, lam_error *error) {
    size_t leaves = writer->schema->leaf_count;
    LAM_TRY(LAM_ARENA_ARRAY(arena, leaves, ret_chunks, error));
    ending_chunks ending = {writer, *ret_chunks};
    if (is_scarce(writer))
        return LAM_STATUS_OK;
    return lam_row_group_writer_run(writer, end_one_of, &ending, error);
}

/*
 * Describes an ended chunk and writes its pages. The filter is written later: the chunk writer is
 * restarted only after that. The page index needs the offset of the first data page, so it is added
 * between the dictionary and the data.
 */
static lam_status write_chunk(lam_row_group_writer *writer, size_t leaf_index,
                              const lam_finished_chunk *chunk, lam_output *output, uint64_t *offset,
                              lam_arena *arena, lam_meta_column *column,
                              lam_meta_column_chunk *description, lam_error *error) {
    const lam_field *leaf = lam_leaf_at(writer->schema, leaf_index);
    LAM_TRY(lam_chunk_meta_fill(leaf, &writer->options, chunk, arena, column, error));
    LAM_TRY(state_key_values(writer, leaf_index, arena, column, error));
    if (chunk->dictionary_page.size > 0) {
        column->has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
        column->dictionary_page_offset = (int64_t)*offset;
        LAM_TRY(row_group_write_bytes(output, chunk->dictionary_page, offset, error));
    }
    column->data_page_offset = (int64_t)*offset;
    if (chunk->summary != NULL && !writer->options.no_page_index)
        LAM_TRY(lam_page_index_add(&writer->page_index, chunk->summary,
                                   !writer->options.no_statistics, *offset, description, error));
    return row_group_write_bytes(output, chunk->data_pages, offset, error);
}

/*
 * Writes one Bloom filter, header and bitset, and states its position. Writes none if the chunk has
 * none. (BloomFilter.md, section "File Format")
 */
static lam_status write_bloom(lam_row_group_writer *writer, lam_bytes bitset, lam_output *output,
                              uint64_t *offset, lam_meta_column *column, lam_error *error) {
    lam_meta_bloom_filter_header header = {0};
    if (bitset.size == 0)
        return LAM_STATUS_OK;
    header.num_bytes = (int32_t)bitset.size;
    header.algorithm.kind = LAM_META_BLOOM_FILTER_ALGORITHM_BLOCK;
    header.hash.kind = LAM_META_BLOOM_FILTER_HASH_XXHASH;
    header.compression.kind = LAM_META_BLOOM_FILTER_COMPRESSION_UNCOMPRESSED;
    lam_buffer_clear(&writer->scratch);
    LAM_TRY(lam_meta_write_bloom_filter_header(&header, &writer->scratch, error));
    column->has |=
        LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET | LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH;
    column->bloom_filter_offset = (int64_t)*offset;
    column->bloom_filter_length = (int32_t)(writer->scratch.size + bitset.size);
    LAM_TRY(row_group_write_bytes(output, lam_buffer_bytes(&writer->scratch), offset, error));
    return row_group_write_bytes(output, bitset, offset, error);
}

/*
 * Nothing is counted: the rows belong to a row group that others make. Without a Bloom filter the
 * chunk is done with.
 */
lam_status lam_row_group_writer_put_chunk(lam_row_group_writer *writer, size_t leaf_index,
                                          lam_output *output, uint64_t *offset, lam_arena *arena,
                                          lam_meta_column *column,
                                          lam_meta_column_chunk *description, lam_bytes *ret_bloom,
                                          lam_error *error) {
    lam_finished_chunk chunk;
    LAM_TRY(end_chunk(writer, leaf_index, &chunk, error));
    LAM_TRY(
        write_chunk(writer, leaf_index, &chunk, output, offset, arena, column, description, error));
    *ret_bloom = chunk.bloom;
    if (chunk.bloom.size == 0)
        restart_chunk(writer, leaf_index);
    return LAM_STATUS_OK;
}

lam_status lam_row_group_writer_put_bloom(lam_row_group_writer *writer, size_t leaf_index,
                                          lam_bytes bloom, lam_output *output, uint64_t *offset,
                                          lam_meta_column *column, lam_error *error) {
    LAM_TRY(write_bloom(writer, bloom, output, offset, column, error));
    if (bloom.size > 0)
        restart_chunk(writer, leaf_index);
    writer->bytes = 0;
    return LAM_STATUS_OK;
}

/*
 * Copies the sorting columns into the description, and starts the next row group's comparison: the
 * first row of a row group may come before the last one of the row group before it.
 */
static lam_status state_sorting(lam_row_group_writer *writer, lam_arena *arena,
                                lam_meta_row_group *group, lam_error *error) {
    size_t count = writer->sorting.stated.count;
    lam_meta_sorting_column *columns;
    lam_row_sorting_restart(&writer->sorting);
    if (count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(LAM_ARENA_ARRAY(arena, count, &columns, error));
    memcpy(columns, writer->sorting.stated.items, count * sizeof *columns);
    group->has |= LAM_META_ROW_GROUP_HAS_SORTING_COLUMNS;
    group->sorting_columns = (lam_meta_sorting_column_list){columns, (uint32_t)count};
    return LAM_STATUS_OK;
}

/*
 * The structs are allocated before anything is written, so that a NOMEM there writes no bytes.
 * total_byte_size and total_compressed_size are sums over the chunks and count no Bloom filters.
 */
lam_status lam_row_group_writer_end(lam_row_group_writer *writer, lam_output *output,
                                    uint64_t *offset, size_t ordinal, lam_arena *arena,
                                    lam_meta_row_group *ret_group, lam_error *error) {
    size_t leaves = writer->schema->leaf_count;
    lam_meta_row_group group = {0};
    lam_finished_chunk *ended;
    lam_meta_column_chunk *chunks;
    LAM_TRY(LAM_ARENA_ARRAY(arena, leaves, &chunks, error));
    lam_meta_column *columns;
    LAM_TRY(LAM_ARENA_ARRAY(arena, leaves, &columns, error));
    group.columns.items = chunks;
    group.columns.count = (uint32_t)leaves;
    group.num_rows = (int64_t)writer->rows;
    group.has = LAM_META_ROW_GROUP_HAS_FILE_OFFSET | LAM_META_ROW_GROUP_HAS_TOTAL_COMPRESSED_SIZE;
    group.file_offset = (int64_t)*offset;
    LAM_TRY(end_chunks(writer, arena, &ended, error));
    for (size_t i = 0; i < leaves; i++) {
        if (is_scarce(writer))
            LAM_TRY(end_chunk(writer, i, &ended[i], error));
        LAM_TRY(write_chunk(writer, i, &ended[i], output, offset, arena, &columns[i], &chunks[i],
                            error));
        if (is_scarce(writer) && ended[i].bloom.size == 0)
            restart_chunk(writer, i);
        chunks[i].meta_data = &columns[i];
        group.total_byte_size += columns[i].total_uncompressed_size;
        group.total_compressed_size += columns[i].total_compressed_size;
    }
    for (size_t i = 0; i < leaves; i++) {
        LAM_TRY(write_bloom(writer, ended[i].bloom, output, offset, &columns[i], error));
        if (!is_scarce(writer) || ended[i].bloom.size > 0)
            restart_chunk(writer, i);
    }
    LAM_TRY(state_sorting(writer, arena, &group, error));
    /* The ordinal is an i16 in the format; row groups beyond that have none. */
    if (ordinal <= INT16_MAX) {
        group.has |= LAM_META_ROW_GROUP_HAS_ORDINAL;
        group.ordinal = (int16_t)ordinal;
    }
    writer->rows = 0;
    writer->bytes = 0;
    *ret_group = group;
    return LAM_STATUS_OK;
}
