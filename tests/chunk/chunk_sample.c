/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes random triples of a leaf as a column chunk in memory, with the words of a footer for it.
 */
#include "chunk/chunk_sample.h"

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <string.h>

#include "meta/compact.h"
#include "support/test_file.h"

void lam_chunk_sample_init(lam_chunk_sample *sample, const char *schema) {
    memset(sample, 0, sizeof *sample);
    sample->allocator = lam_allocator_default();
    sample->schema = lam_test_parse(schema);
    sample->leaf = lam_schema_leaf(sample->schema, 0);
    cr_assert_eq(lam_codec_context_create(&sample->allocator, &sample->codecs, NULL),
                 LAM_STATUS_OK);
    lam_chunk_options options = {.kernels = lam_kernels_get(),
                                 .codec = LAM_CODEC_UNCOMPRESSED,
                                 .page_version = 1,
                                 .page_bytes = 1 << 20,
                                 .page_rows = 20000,
                                 .dictionary_bytes = 1 << 20,
                                 .use_dictionary = true,
                                 .crc = true,
                                 .summarises = true};
    sample->options = options;
    lam_buffer_init(&sample->bytes, &sample->allocator);
}

void lam_chunk_sample_finish(lam_chunk_sample *sample) {
    lam_buffer_finish(&sample->bytes);
    lam_codec_context_destroy(sample->codecs);
    lam_schema_destroy(sample->schema);
}

static void append(lam_chunk_sample *sample, const void *bytes, size_t size) {
    cr_assert_eq(lam_buffer_append(&sample->bytes, bytes, size, NULL), LAM_STATUS_OK);
}

static void describe(lam_chunk_sample *sample, int64_t value_count, uint64_t row_count) {
    memset(&sample->column, 0, sizeof sample->column);
    sample->column.type = (int32_t)lam_field_physical_type(sample->leaf);
    sample->column.codec = (int32_t)sample->options.codec - 1;
    sample->column.num_values = value_count;
    sample->column.total_compressed_size = (int64_t)sample->bytes.size - LAM_SAMPLE_OFFSET;
    sample->column.data_page_offset = LAM_SAMPLE_OFFSET;
    sample->row_count = row_count;
}

void lam_chunk_sample_set(lam_chunk_sample *sample, const void *bytes, size_t size,
                          int64_t value_count, uint64_t row_count) {
    lam_buffer_clear(&sample->bytes);
    append(sample, "PAR1", LAM_SAMPLE_OFFSET);
    append(sample, bytes, size);
    describe(sample, value_count, row_count);
}

static void write_all(lam_chunk_writer *writer, const lam_triple_column *column,
                      lam_random *random) {
    for (size_t first = 0; first < column->record_count;) {
        size_t count = column->record_count - first;
        if (random != NULL && lam_random_chance(random, 95)) {
            size_t most = lam_random_chance(random, 50) ? 3 : 300;
            size_t some = 1 + (size_t)lam_random_below(random, most);
            count = some < count ? some : count;
        }
        lam_triples slice = lam_triple_column_slice(column, first, count, random);
        cr_assert_eq(lam_chunk_writer_write(writer, &slice, NULL), LAM_STATUS_OK);
        first += count;
    }
}

void lam_chunk_sample_write(lam_chunk_sample *sample, const lam_triple_column *column,
                            lam_random *random) {
    lam_chunk_writer *writer;
    cr_assert_eq(lam_chunk_writer_create(sample->leaf, &sample->options, sample->codecs,
                                         &sample->allocator, &writer, NULL),
                 LAM_STATUS_OK);
    write_all(writer, column, random);
    cr_assert_eq(lam_chunk_writer_end(writer, &sample->chunk, NULL), LAM_STATUS_OK);
    lam_buffer_clear(&sample->bytes);
    append(sample, "PAR1", LAM_SAMPLE_OFFSET);
    append(sample, sample->chunk.dictionary_page.data, sample->chunk.dictionary_page.size);
    append(sample, sample->chunk.data_pages.data, sample->chunk.data_pages.size);
    sample->dictionary_size = sample->chunk.dictionary_page.size;
    describe(sample, (int64_t)sample->chunk.value_count, column->record_count);
    if (sample->dictionary_size > 0) {
        sample->column.has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
        sample->column.dictionary_page_offset = LAM_SAMPLE_OFFSET;
        sample->column.data_page_offset += (int64_t)sample->dictionary_size;
    }
    lam_chunk_writer_destroy(writer);
}

lam_column_chunk lam_chunk_sample_chunk(const lam_chunk_sample *sample, lam_input *input) {
    *input = lam_input_memory(sample->bytes.data, sample->bytes.size);
    lam_column_chunk chunk = {.kernels = lam_kernels_get(),
                              .input = input,
                              .leaf = sample->leaf,
                              .column = &sample->column,
                              .limit = sample->bytes.size,
                              .row_count = sample->row_count,
                              .memory_limit = 1 << 24,
                              .verify_crc = true};
    return chunk;
}

lam_status lam_chunk_sample_read(const lam_chunk_sample *sample, const lam_triple_column *column,
                                 size_t step, lam_error *error) {
    lam_input input;
    lam_column_chunk chunk = lam_chunk_sample_chunk(sample, &input);
    lam_column_cursor *cursor;
    lam_status status = lam_column_cursor_create(&chunk, &sample->allocator, &cursor, error);
    if (status != LAM_STATUS_OK)
        return status;
    lam_triple_match match = {column, 0, 0};
    lam_triples run = {0};
    size_t count = 0;
    do {
        status = lam_column_cursor_read(cursor, step, &run, error);
        if (status != LAM_STATUS_OK)
            break;
        count += run.count;
        cr_assert_leq(run.count, step);
        if (column != NULL)
            cr_assert(lam_triple_match_next(&match, &run), "after triple %zu", match.at);
    } while (run.count > 0);
    if (status == LAM_STATUS_OK)
        cr_assert_eq((int64_t)count, sample->column.num_values);
    if (status == LAM_STATUS_OK && column != NULL)
        cr_assert(lam_triple_match_at_end(&match));
    lam_column_cursor_destroy(cursor);
    return status;
}

size_t lam_chunk_sample_headers(const lam_chunk_sample *sample, lam_meta_page_header *headers,
                                size_t capacity, lam_arena *arena) {
    size_t count = 0;
    size_t at = LAM_SAMPLE_OFFSET;
    while (at < sample->bytes.size) {
        lam_bytes rest = {sample->bytes.data + at, sample->bytes.size - at};
        size_t size = 0;
        cr_assert_lt(count, capacity);
        cr_assert_eq(lam_meta_read_page_header(rest, arena, &headers[count], &size, NULL),
                     LAM_STATUS_OK);
        at += size + (size_t)headers[count++].compressed_page_size;
    }
    return count;
}
