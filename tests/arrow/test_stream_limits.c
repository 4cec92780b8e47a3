/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches that would pass the memory limit end early, whatever makes them large, and a row that is
 * too large alone is named; a stop ends a stream.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <lamella/arrow.h>
#include <lamella/reader.h>
#include <lamella/record.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/array_flaw.h"
#include "arrow/array_records.h"
#include "file/file_sample.h"
#include "support/failing_alloc.h"

enum { LIMIT = 1 << 20, ROWS = 3000, LONG_TEXT = 20000 };

/* A file of one column of strings: `i` of one letter in row `i`, or all alike. */
static lam_buffer write_texts(bool alike, lam_encoding encoding) {
    static char text[LONG_TEXT];
    memset(text, 'x', sizeof text);
    lam_test_writer file =
        lam_test_write("message m { optional binary a; }",
                       LAM_TEST_WRITER(.statistics = LAM_SWITCH_OFF, .page_bytes = 64 << 20,
                                       .dictionary_bytes = 1 << 20));
    cr_assert_eq(lam_writer_set_encoding(file.writer, "a", encoding, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < ROWS; i++) {
        const lam_bytes value = {(const uint8_t *)text, alike ? sizeof text : i * 3};
        const uint8_t is_there = i % 7 != 3;
        lam_test_put_triples(&file, &(lam_triples){1, is_there, NULL, &is_there, &value}, 1);
    }
    return lam_test_written(&file);
}

/* Reads all, row by row as it was written. Gives the number of batches. */
static size_t expect_texts(const lam_reader *reader, bool alike,
                           const lam_arrow_read_options *options, size_t first) {
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    size_t row = first, batches = 0;
    int code;
    cr_assert_eq(lam_arrow_read_stream(reader, options, &stream, NULL), LAM_STATUS_OK);
    while ((code = stream.get_next(&stream, &array)) == 0 && array.release != NULL) {
        const struct ArrowArray *texts = array.children[0];
        const uint8_t *validity = texts->buffers[0];
        const int32_t *offsets = texts->buffers[1];
        for (int64_t i = 0; i < array.length; i++, row++) {
            bool valid = validity == NULL || (validity[i / 8] >> i % 8 & 1) != 0;
            int32_t size = row % 7 == 3 ? 0 : (int32_t)(alike ? LONG_TEXT : row * 3);
            cr_assert_eq(valid, row % 7 != 3);
            cr_assert_eq(offsets[i + 1] - offsets[i], size, "row %zu", row);
        }
        array.release(&array);
        batches++;
    }
    cr_assert_eq(code, 0, "%s", stream.get_last_error(&stream));
    cr_assert_eq(row, ROWS);
    stream.release(&stream);
    return batches;
}

/*
 * A file of 43 kB whose strings each begin with the whole one before took 2.8 GB, one of a long
 * string in a dictionary 1 GB before it was refused.
 */
Test(stream_limits, few_bytes_that_stand_for_many_make_small_batches_in_little_memory) {
    static const lam_encoding encodings[] = {LAM_ENCODING_DELTA_BYTE_ARRAY,
                                             LAM_ENCODING_RLE_DICTIONARY};
    for (int i = 0; i < 2; i++) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_reader_options options = lam_reader_options_default();
        lam_buffer file = write_texts(i == 1, encodings[i]);
        cr_assert_lt(file.size, 200000);
        options.allocator = &allocator;
        options.memory_limit = LIMIT;
        lam_reader *reader = lam_test_open(file.data, file.size, &options);
        for (uint32_t threads = 1; threads <= 2; threads++) {
            lam_arrow_read_options read = lam_arrow_read_options_default();
            read.thread_count = threads;
            size_t batches = expect_texts(reader, i == 1, &read, 0);
            cr_expect_geq(batches, (i == 1 ? 60000000 : 13500000) * 6 / 7 / LIMIT);
            cr_expect_leq(batches, ROWS);
        }
        /* Arrays, what was kept of those before, and all else the stream holds. */
        cr_expect_leq(counter.peak_bytes, 4 * LIMIT);
        lam_reader_close(reader);
        cr_expect_eq(counter.live_bytes, 0);
        lam_buffer_finish(&file);
    }
}

Test(stream_limits, rows_that_are_passed_over_and_chosen_are_the_same_in_small_batches) {
    lam_reader_options options = lam_reader_options_default();
    lam_buffer file = write_texts(false, LAM_ENCODING_PLAIN);
    options.memory_limit = 12 << 20; /* one page */
    lam_reader *reader = lam_test_open(file.data, file.size, &options);
    lam_arrow_read_options read = lam_arrow_read_options_default();
    read.skip_rows = 1234;
    expect_texts(reader, false, &read, 1234);
    read.batch_rows = 10;
    cr_expect_eq(expect_texts(reader, false, &read, 1234), (ROWS - 1234 + 9) / 10);
    lam_reader_close(reader);
    lam_buffer_finish(&file);
}

Test(stream_limits, a_row_that_is_too_large_alone_is_named) {
    lam_reader_options options = lam_reader_options_default();
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    uint64_t rows = 0;
    int code;
    lam_buffer file = write_texts(false, LAM_ENCODING_DELTA_BYTE_ARRAY);
    options.memory_limit =
        30000; /* some row of 9 kB, with its copy while a buffer grows, is above */
    lam_reader *reader = lam_test_open(file.data, file.size, &options);
    cr_assert_eq(lam_arrow_read_stream(reader, NULL, &stream, NULL), LAM_STATUS_OK);
    while ((code = stream.get_next(&stream, &array)) == 0 && array.release != NULL) {
        rows += (uint64_t)array.length;
        array.release(&array);
    }
    char row[64];
    snprintf(row, sizeof row, "(row group 0, column 0 a, row %llu", (unsigned long long)rows);
    cr_expect_eq(code, EOVERFLOW);
    cr_expect_lt(rows, ROWS);
    const char *message = stream.get_last_error(&stream);
    cr_expect(strstr(message, row) != NULL, "%s", message);
    cr_expect(strstr(message, "(option memory_limit)") != NULL, "%s", message);
    cr_expect_neq(stream.get_next(&stream, &array), 0);
    stream.release(&stream);
    lam_reader_close(reader);
    lam_buffer_finish(&file);
}

/* Rows of which a limit holds one alone come one by one. */
Test(stream_limits, rows_that_take_most_of_the_limit_come_alone) {
    size_t failures = 0;
    lam_buffer file = write_texts(false, LAM_ENCODING_DELTA_BYTE_ARRAY);
    for (uint64_t limit = 18000; limit < 60000; limit += 3000) {
        lam_reader_options options = lam_reader_options_default();
        struct ArrowArrayStream stream;
        struct ArrowArray array;
        uint64_t rows = 0;
        int code;
        options.memory_limit = limit;
        lam_reader *reader = lam_test_open(file.data, file.size, &options);
        cr_assert_eq(lam_arrow_read_stream(reader, NULL, &stream, NULL), LAM_STATUS_OK);
        while ((code = stream.get_next(&stream, &array)) == 0 && array.release != NULL) {
            rows += (uint64_t)array.length;
            array.release(&array);
        }
        cr_assert_eq(code, rows == ROWS ? 0 : EOVERFLOW, "limit %llu", (unsigned long long)limit);
        failures += code != 0;
        stream.release(&stream);
        lam_reader_close(reader);
    }
    cr_assert_gt(failures, 0);
    lam_buffer_finish(&file);
}

/* Row groups that threads search meanwhile take memory, too, and none of it for good. */
Test(stream_limits, rows_that_are_searched_by_threads_are_the_same_whatever_the_limit) {
    static const char shape[] = "message m { optional binary f; required int64 x; }";
    lam_random random = lam_random_start(lam_test_seed(78));
    lam_file_sample sample;
    size_t successes = 0;
    lam_file_sample_init(&sample, lam_test_schema(shape), 8000, 90, &random);
    lam_writer_options writing = lam_writer_options_default();
    writing.row_group_rows = 800;
    writing.codec = LAM_CODEC_UNCOMPRESSED;
    lam_file_sample_write(&sample, &writing, NULL);
    for (uint64_t limit = 20000; limit < 400000; limit += limit / 8) {
        lam_reader_options options = lam_reader_options_default();
        lam_arrow_read_options read = lam_arrow_read_options_default();
        struct ArrowArrayStream stream;
        struct ArrowArray array;
        uint64_t rows = 0;
        int code = EOVERFLOW;
        options.memory_limit = limit;
        read.where = "x is not null";
        read.pruning = LAM_SWITCH_OFF;
        read.thread_count = 3;
        lam_input input = lam_input_memory(sample.bytes.data, sample.bytes.size);
        lam_reader *reader;
        if (lam_reader_open(&input, &options, &reader, NULL) != LAM_STATUS_OK)
            continue;
        if (lam_arrow_read_stream(reader, &read, &stream, NULL) == LAM_STATUS_OK) {
            while ((code = stream.get_next(&stream, &array)) == 0 && array.release != NULL) {
                rows += (uint64_t)array.length;
                array.release(&array);
            }
            stream.release(&stream);
        }
        cr_assert_eq(code, rows == 8000 ? 0 : EOVERFLOW, "limit %llu", (unsigned long long)limit);
        successes += code == 0;
        lam_reader_close(reader);
    }
    cr_assert_gt(successes, 0);
    lam_file_sample_finish(&sample);
}

/* Random records of all shapes: batches cut by memory give the records that others give. */
Test(stream_limits, records_are_the_same_whatever_the_limit_cuts) {
    static const char shape[] =
        "message m { optional binary f; optional group l (LIST) { repeated group list {"
        " optional group element { optional int64 x; repeated binary z; } } } }";
    lam_random random = lam_random_start(lam_test_seed(77));
    size_t cut = 0;
    for (int round = 0; round < 10; round++) {
        lam_file_sample sample;
        lam_file_sample_init(&sample, lam_test_schema(shape), 3000, 60, &random);
        lam_writer_options options = lam_writer_options_default();
        options.codec = LAM_CODEC_SNAPPY;
        options.row_group_rows = round % 2 == 0 ? 0 : 1500;
        lam_file_sample_write(&sample, &options, NULL);
        lam_reader_options limits = lam_reader_options_default();
        lam_arrow_plan plan;
        lam_arena arena;
        lam_allocator heap = lam_allocator_default();
        lam_arena_init(&arena, &heap, 0);
        size_t ended = 0, whole = 0;
        for (uint64_t limit = 0; limit < 6; limit++) {
            struct ArrowArrayStream stream;
            struct ArrowArray array;
            limits.memory_limit = limit == 0 ? 0 : 130000 + limit * 10000;
            lam_reader *reader = lam_file_sample_open(&sample, &limits);
            cr_assert_eq(lam_arrow_plan_read(&plan, reader, NULL, NULL, NULL), LAM_STATUS_OK);
            lam_tree_builder builder;
            lam_tree_builder_init(&builder, lam_reader_schema(reader), &arena);
            lam_record_sink sink = lam_tree_builder_sink(&builder);
            cr_assert_eq(lam_arrow_read_stream(reader, NULL, &stream, NULL), LAM_STATUS_OK);
            int code;
            size_t batches = 0;
            while ((code = stream.get_next(&stream, &array)) == 0 && array.release != NULL) {
                cr_assert_null(lam_array_flaw(&plan.schema, &array));
                lam_array_tell(&plan, &array, &sink);
                array.release(&array);
                batches++;
            }
            if (limit == 0) {
                ended = builder.ended;
                whole = batches;
            }
            cut += code == 0 && batches > whole;
            if (code == 0)
                lam_file_sample_expect(&sample, &builder, NULL, 0, ended);
            else
                cr_expect_eq(code, EOVERFLOW, "%s", stream.get_last_error(&stream));
            stream.release(&stream);
            lam_arrow_plan_finish(&plan);
            lam_reader_close(reader);
        }
        lam_arena_finish(&arena);
        lam_file_sample_finish(&sample);
    }
    cr_expect_gt(cut, 0);
}

Test(stream_limits, a_stop_ends_a_stream_with_a_code_of_its_own) {
    lam_stop stop = LAM_ZERO_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    lam_arrow_read_options read = lam_arrow_read_options_default();
    lam_buffer file = write_texts(false, LAM_ENCODING_PLAIN);
    lam_reader *reader = lam_test_open(file.data, file.size, NULL);
    read.batch_rows = 100;
    read.stop = &stop;
    cr_assert_eq(lam_arrow_read_stream(reader, &read, &stream, NULL), LAM_STATUS_OK);
    cr_assert_eq(stream.get_next(&stream, &array), 0);
    array.release(&array);
    lam_stop_request(&stop);
    cr_expect_eq(stream.get_next(&stream, &array), ECANCELED);
    cr_expect(strstr(stream.get_last_error(&stream), "the call was cancelled") != NULL);
    stream.release(&stream);
    lam_reader_close(reader);
    lam_buffer_finish(&file);
}
