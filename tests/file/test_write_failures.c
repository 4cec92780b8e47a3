/* SPDX-License-Identifier: Apache-2.0 */
/* What can go wrong goes wrong, at every place: the Nth write, the Nth allocation. */
#define _DEFAULT_SOURCE
#include <criterion/criterion.h>
#include <lamella/scan.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/file_sample.h"
#include "support/failing_alloc.h"

#define SCHEMA                                                                                     \
    "message m { required int32 a; optional group g { repeated binary b; } optional boolean c; }"

static lam_file_sample make_sample(size_t record_count) {
    lam_file_sample sample;
    lam_random random = lam_random_start(1);
    lam_file_sample_init(&sample, lam_test_schema(SCHEMA), record_count, 80, &random);
    return sample;
}

static lam_writer_options small_options(void) {
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = 20;
    options.page_rows = 8;
    options.codec = LAM_CODEC_SNAPPY;
    return options;
}

/* Writes all records and finishes; gives the first failure. Demands that the writer is poisoned by
 * it. */
static lam_status write_all(const lam_file_sample *sample, lam_writer *writer) {
    lam_record_sink sink = lam_writer_sink(writer);
    lam_error error = lam_error_none(), later = lam_error_none();
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; i < sample->record_count && status == LAM_STATUS_OK; i++)
        status = lam_tree_drive(lam_writer_schema(writer), &sample->records[i], &sink, NULL, false,
                                &error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_add_key_value(writer, NULL, "key", "value", &error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, &error);
    if (status == LAM_STATUS_OK)
        return status;
    cr_assert_eq(error.status, status);
    if (status == LAM_STATUS_IO) {
        lam_triples nothing[3] = {{0}};
        cr_assert_eq(sink.begin(sink.state, &later), LAM_STATUS_STATE);
        cr_assert_not_null(strstr(later.message, error.message));
        cr_assert_eq(sink.end(sink.state, &later), LAM_STATUS_STATE);
        cr_assert_not_null(strstr(later.message, error.message));
        cr_assert_eq(lam_writer_write_triples(writer, nothing, 0, &later), LAM_STATUS_STATE);
        cr_assert_eq(lam_writer_end_row_group(writer, &later), LAM_STATUS_STATE);
        cr_assert_eq(lam_writer_add_key_value(writer, NULL, "key", NULL, &later), LAM_STATUS_STATE);
        cr_assert_eq(lam_writer_finish(writer, &later), LAM_STATUS_STATE);
    }
    return status;
}

static lam_status write_to(const lam_file_sample *sample, lam_trial_output *trial,
                           const lam_writer_options *options) {
    lam_output output = lam_trial_output_open(trial);
    lam_writer *writer;
    lam_status status = lam_writer_open(sample->schema, &output, options, &writer, NULL);
    if (status != LAM_STATUS_OK) {
        cr_assert_not(trial->closed);
        lam_output_close(&output);
        return status;
    }
    status = write_all(sample, writer);
    lam_writer_close(writer);
    cr_assert(trial->closed);
    cr_assert_eq(trial->calls_after_end, 0, "a failed output was used again");
    cr_assert_eq(trial->finished, status == LAM_STATUS_OK);
    return status;
}

Test(write_failures, a_write_that_fails_fails_the_file_whichever_it_is) {
    lam_file_sample sample = make_sample(50);
    lam_writer_options options = small_options();
    lam_status status = LAM_STATUS_IO;
    size_t fail_at = 1;
    for (; status == LAM_STATUS_IO; fail_at++) {
        lam_trial_output trial = {.fail_at_write = fail_at};
        status = write_to(&sample, &trial, &options);
        lam_input input = lam_input_memory(trial.bytes.data, trial.bytes.size);
        lam_reader *reader;
        lam_status opened = lam_reader_open(&input, NULL, &reader, NULL);
        cr_assert_eq(opened, status == LAM_STATUS_OK ? LAM_STATUS_OK : LAM_STATUS_CORRUPT);
        if (opened == LAM_STATUS_OK)
            lam_reader_close(reader);
        lam_trial_output_free(&trial);
    }
    cr_assert_eq(status, LAM_STATUS_OK);
    cr_assert_gt(fail_at, 10); /* magic, three row groups of three chunks, footer */
    lam_file_sample_finish(&sample);
}

Test(write_failures, a_finish_that_fails_fails_the_file) {
    lam_file_sample sample = make_sample(5);
    lam_writer_options options = small_options();
    lam_trial_output trial = {.fail_at_finish = true};
    cr_assert_eq(write_to(&sample, &trial, &options), LAM_STATUS_IO);
    lam_trial_output_free(&trial);
    lam_file_sample_finish(&sample);
}

/* Writes a file and reads it back, all with one allocator. */
static lam_status round_trip(const lam_file_sample *sample, lam_failing_alloc *counter,
                             const char *path) {
    lam_allocator allocator = lam_failing_allocator(counter);
    lam_writer_options write = small_options();
    lam_reader_options read = lam_reader_options_default();
    write.allocator = read.allocator = &allocator;
    write.codec = LAM_CODEC_ZSTD;
    lam_writer *writer;
    lam_reader *reader;
    lam_record_reader *records;
    lam_status status = lam_writer_open_file(sample->schema, path, &write, &writer, NULL);
    if (status != LAM_STATUS_OK)
        return status;
    status = write_all(sample, writer);
    lam_writer_close(writer);
    if (status != LAM_STATUS_OK)
        return status;
    cr_assert_eq(access(path, F_OK), 0);
    status = lam_reader_open_file(path, &read, &reader, NULL);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_record_reader_open(reader, NULL, &records, NULL);
    if (status == LAM_STATUS_OK) {
        lam_arena arena;
        lam_allocator own = lam_allocator_default();
        lam_tree_builder builder;
        uint64_t count;
        lam_arena_init(&arena, &own, 0);
        lam_tree_builder_init(&builder, lam_reader_schema(reader), &arena);
        lam_record_sink sink = lam_tree_builder_sink(&builder);
        status = lam_record_reader_read(records, &sink, UINT64_MAX, &count, NULL);
        cr_assert(status != LAM_STATUS_OK || count == sample->record_count);
        lam_record_reader_close(records);
        lam_arena_finish(&arena);
    }
    lam_reader_close(reader);
    return status;
}

Test(write_failures, without_memory_it_says_so_and_no_file_looks_complete) {
    lam_file_sample sample = make_sample(30);
    char path[200];
    snprintf(path, sizeof path, "%s/lamella-no-memory-%ld.parquet", P_tmpdir, (long)getpid());
    lam_status status = LAM_STATUS_NOMEM;
    size_t fail_at = 1, unwritten = 0;
    for (; status == LAM_STATUS_NOMEM; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        unlink(path);
        status = round_trip(&sample, &counter, path);
        unwritten += access(path, F_OK) != 0;
        cr_assert_eq(counter.live_bytes, 0, "allocation %zu", fail_at);
        cr_assert_eq(counter.wrong_sizes, 0, "allocation %zu", fail_at);
    }
    unlink(path);
    cr_assert_eq(status, LAM_STATUS_OK);
    cr_assert_gt(fail_at, 100);
    cr_assert_gt(unwritten, 50);
    lam_file_sample_finish(&sample);
}

/* A NOMEM inside of a record drops that record only. */
Test(write_failures, a_record_that_finds_no_memory_does_not_harm_the_others) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_writer_options options = lam_writer_options_default();
    options.allocator = &allocator;
    lam_test_writer file = lam_test_write("message m { required binary a; }", &options);
    const lam_field *leaf = lam_schema_leaf(lam_writer_schema(file.writer), 0);
    static uint8_t text[100000];
    size_t failed = 0;
    for (size_t i = 0; i < 100; i++) {
        lam_value value = {.bytes = {text, 1000 * i}};
        counter.fail_at = i % 3 == 1 ? counter.requests + 1 : 0;
        cr_assert_eq(file.sink.begin(file.sink.state, NULL), LAM_STATUS_OK);
        lam_status status = file.sink.put(file.sink.state, leaf, value, NULL);
        counter.fail_at = 0;
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        failed += status != LAM_STATUS_OK;
        if (status == LAM_STATUS_OK)
            cr_assert_eq(file.sink.end(file.sink.state, NULL), LAM_STATUS_OK);
    }
    cr_assert_gt(failed, 0);
    cr_assert_eq(lam_writer_record_count(file.writer), 100 - failed);
    lam_buffer trial = lam_test_written(&file);
    cr_assert_eq(counter.live_bytes, 0);
    lam_buffer_finish(&trial);
}

/* Dropping a dictionary reserved 1,024 values at once: 256 MiB for a few nulls of 256 KiB each. */
Test(write_failures, nulls_of_a_wide_type_take_no_memory_for_values) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_writer_options options = lam_writer_options_default();
    options.allocator = &allocator;
    lam_test_writer file =
        lam_test_write("message m { optional fixed_len_byte_array(262144) a; }", &options);
    for (int i = 0; i < 24; i++) {
        cr_assert_eq(file.sink.begin(file.sink.state, NULL), LAM_STATUS_OK);
        cr_assert_eq(file.sink.end(file.sink.state, NULL), LAM_STATUS_OK);
    }
    lam_buffer trial = lam_test_written(&file);
    cr_assert_lt(counter.peak_bytes, 8 << 20);
    lam_buffer_finish(&trial);
}
