/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row among many touches little of the file: every byte that the library asks for is counted
 * by the input, and none of it is of an index of a column that does not matter.
 */
#include <criterion/criterion.h>
#include <lamella/arrow.h>
#include <lamella/filter.h>
#include <lamella/reader.h>
#include <lamella/record.h>
#include <lamella/writer.h>
#include <string.h>

#include "base/buffer.h"
#include "file/file_sample.h"
#include "file/read/file_reader.h"
#include "support/whole_footer.h"

enum { ROWS = 1000000, PIECE = 10000, PAYLOAD = 32 };

/* `id` rises; `key` is unique and in no order; `l` has two numbers; `payload` does not compress. */
static uint64_t key_of(uint64_t id) {
    id = (id ^ id >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    id = (id ^ id >> 27) * UINT64_C(0x94D049BB133111EB);
    return id ^ id >> 31; /* each step can be undone */
}

static void write_piece(lam_writer *writer, uint64_t first) {
    static int64_t ids[PIECE], keys[PIECE];
    static uint8_t payload[PIECE][PAYLOAD], repetition[2 * PIECE];
    static int32_t numbers[2 * PIECE];
    lam_triples columns[] = {{PIECE, PIECE, NULL, NULL, ids},
                             {PIECE, PIECE, NULL, NULL, keys},
                             {2 * PIECE, 2 * PIECE, repetition, NULL, numbers},
                             {PIECE, PIECE, NULL, NULL, payload}};
    for (size_t i = 0; i < PIECE; i++) {
        ids[i] = (int64_t)(first + i);
        keys[i] = (int64_t)key_of(first + i);
        for (size_t item = 0; item < 2; item++) {
            repetition[2 * i + item] = item > 0;
            numbers[2 * i + item] = (int32_t)(key_of(first + i + item) >> 40);
        }
        for (size_t at = 0; at < PAYLOAD; at += 8) {
            uint64_t noise = key_of(key_of(first + i) ^ at);
            memcpy(payload[i] + at, &noise, 8);
        }
    }
    cr_assert_eq(lam_writer_write_triples(writer, columns, PIECE, NULL), LAM_STATUS_OK);
}

static lam_buffer write_rows(void) {
    lam_writer_options options = lam_writer_options_default();
    options.codec = LAM_CODEC_UNCOMPRESSED;
    options.row_group_rows = 20000;
    options.page_rows = 1000;
    options.dictionary = LAM_SWITCH_OFF;
    lam_test_writer file =
        lam_test_write("message m { required int64 id; required int64 key; repeated int32 l;"
                       " required fixed_len_byte_array(32) payload; }",
                       &options);
    cr_assert_eq(lam_writer_set_bloom_filter(file.writer, "key", 0.001, 0, NULL), LAM_STATUS_OK);
    for (uint64_t row = 0; row < ROWS; row += PIECE)
        write_piece(file.writer, row);
    return lam_test_written(&file);
}

/* --- Counting ------------------------------------------------------------------------------ */

typedef struct touched {
    const lam_buffer *file;
    uint64_t bytes;
    size_t reads;
    uint64_t forbidden_begin; /* no byte of this range may be asked for */
    uint64_t forbidden_end;
} touched;

static lam_status counted_read(void *state, uint64_t offset, size_t size, void *buffer,
                               lam_error *error) {
    touched *count = state;
    (void)error;
    cr_assert(offset >= count->forbidden_end || offset + size <= count->forbidden_begin,
              "%zu bytes at %llu are nobody's business", size, (unsigned long long)offset);
    count->bytes += size;
    count->reads++;
    memcpy(buffer, count->file->data + offset, size);
    return LAM_STATUS_OK;
}

static lam_reader *open_counted(touched *count) {
    lam_input input = {count, count->file->size, counted_read, NULL, NULL};
    return lam_test_open_input(&input, NULL);
}

/* Reads everything that a scan gives as arrays: one row, whose id is known. */
static void expect_row(const lam_reader *reader, lam_arrow_read_options *options, int64_t id) {
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    uint32_t payload_word, noise_word;
    cr_assert_eq(lam_arrow_read_stream(reader, options, &stream, NULL), LAM_STATUS_OK);
    cr_assert_eq(stream.get_next(&stream, &array), 0);
    cr_assert_not_null(array.release, "the row is not found");
    cr_assert_eq(array.length, 1);
    cr_assert_eq(((const int64_t *)array.children[0]->buffers[1])[0], id);
    cr_assert_eq(((const int64_t *)array.children[1]->buffers[1])[0],
                 (int64_t)key_of((uint64_t)id));
    cr_assert_eq(((const int32_t *)array.children[2]->children[0]->buffers[1])[1],
                 (int32_t)(key_of((uint64_t)id + 1) >> 40));
    uint64_t noise = key_of(key_of((uint64_t)id));
    memcpy(&payload_word, array.children[3]->buffers[1], 4);
    memcpy(&noise_word, &noise, 4);
    cr_assert_eq(payload_word, noise_word);
    array.release(&array);
    cr_assert_eq(stream.get_next(&stream, &array), 0);
    cr_assert_null(array.release);
    stream.release(&stream);
}

static lam_filter *equals(const lam_reader *reader, const char *column, int64_t number) {
    lam_filter_builder *builder;
    lam_filter *filter;
    lam_value value = {.int64 = number};
    cr_assert_eq(lam_filter_builder_create(lam_reader_schema(reader), NULL, &builder, NULL), 0);
    cr_assert_eq(lam_filter_builder_compare(builder, column, LAM_FILTER_EQUAL, &value, 1, NULL), 0);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    lam_filter_builder_destroy(builder);
    return filter;
}

static void look_up(const lam_buffer *file, const char *column, int64_t id) {
    touched count = {.file = file};
    lam_reader *reader = open_counted(&count);
    lam_arrow_read_options options = lam_arrow_read_options_default();
    bool is_key = strcmp(column, "key") == 0;
    lam_filter *filter = equals(reader, column, is_key ? (int64_t)key_of((uint64_t)id) : id);
    options.filter = filter;
    expect_row(reader, &options, id);
    cr_expect_lt(count.bytes * 100, file->size, "%llu of %zu bytes in %zu reads",
                 (unsigned long long)count.bytes, file->size, count.reads);
    lam_filter_destroy(filter);
    lam_reader_close(reader);
}

/* --- Tests --------------------------------------------------------------------------------- */

Test(lookup, a_row_of_a_million_touches_less_than_a_hundredth_of_the_file) {
    lam_buffer file = write_rows();
    static const int64_t ids[] = {0, 19999, 20000, 567890, ROWS - 1};
    for (size_t i = 0; i < 5; i++) {
        look_up(&file, "id", ids[i]);  /* statistics and the page index find it */
        look_up(&file, "key", ids[i]); /* the Bloom filter does */
    }
    lam_buffer_finish(&file);
}

Test(lookup, rows_that_are_passed_over_are_not_read) {
    lam_buffer file = write_rows();
    touched count = {.file = &file};
    lam_reader *reader = open_counted(&count);
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.skip_rows = 987654;
    options.max_rows = 1;
    expect_row(reader, &options, 987654);
    cr_expect_lt(count.bytes * 100, file.size, "%llu of %zu bytes", (unsigned long long)count.bytes,
                 file.size);
    lam_reader_close(reader);
    lam_buffer_finish(&file);
}

Test(lookup, of_the_page_index_only_the_columns_that_are_asked_are_read) {
    lam_buffer file = write_rows();
    touched count = {.file = &file};
    lam_reader *reader = open_counted(&count);
    lam_arrow_read_options options = lam_arrow_read_options_default();
    bool leaves[] = {true, true, false, false};
    lam_filter *filter = equals(reader, "id", 567890);
    size_t group = 567890 / 20000;
    lam_footer_change whole;
    lam_footer_change_begin(&whole, reader);
    const lam_meta_column_chunk *chunks = lam_footer_change_chunk(&whole, group, 0);
    /* Nothing of the two columns that nobody wants: neither pages nor indexes. */
    for (size_t leaf = 2; leaf < 4; leaf++) {
        struct {
            int64_t offset;
            int64_t size;
        } parts[] = {{chunks[leaf].column_index_offset, chunks[leaf].column_index_length},
                     {chunks[leaf].offset_index_offset, chunks[leaf].offset_index_length},
                     {chunks[leaf].meta_data->data_page_offset,
                      chunks[leaf].meta_data->total_compressed_size}};
        for (size_t i = 0; i < 3; i++) {
            struct ArrowArrayStream stream;
            struct ArrowArray array;
            cr_assert_gt(parts[i].size, 0);
            count.forbidden_begin = (uint64_t)parts[i].offset;
            count.forbidden_end = (uint64_t)(parts[i].offset + parts[i].size);
            options.leaves = leaves;
            options.filter = filter;
            cr_assert_eq(lam_arrow_read_stream(reader, &options, &stream, NULL), LAM_STATUS_OK);
            cr_assert_eq(stream.get_next(&stream, &array), 0);
            cr_assert_eq(array.length, 1);
            array.release(&array);
            stream.release(&stream);
        }
    }
    lam_footer_change_end(&whole);
    lam_filter_destroy(filter);
    lam_reader_close(reader);
    lam_buffer_finish(&file);
}
