/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records are read with every projection, and mixed with skipping; only what is needed is read from
 * the file.
 */
#define _DEFAULT_SOURCE
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/scan.h>
#include <lamella/writer.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/file_sample.h"
#include "file/read/file_reader.h"
#include "support/ending_input.h"

#define SCHEMA                                                                                     \
    "message m { required int32 a; optional group g { repeated binary b; optional int64 c; }"      \
    "            repeated group h { required boolean d; } }"

static lam_file_sample make_file(size_t record_count, uint64_t row_group_rows) {
    lam_file_sample sample;
    lam_random random = lam_random_start(1);
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = row_group_rows;
    options.page_rows = 7;
    lam_file_sample_init(&sample, lam_test_schema(SCHEMA), record_count, 70, &random);
    lam_file_sample_write(&sample, &options, NULL);
    return sample;
}

Test(record_reader, every_projection_gives_what_is_left_of_the_records) {
    lam_file_sample sample = make_file(60, 25);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_file_sample_expect_all(&sample, reader, NULL);
    for (unsigned mask = 0; mask < 16; mask++) {
        bool leaves[4];
        for (size_t i = 0; i < 4; i++)
            leaves[i] = mask >> i & 1;
        lam_file_sample_expect_all(&sample, reader, leaves);
    }
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(record_reader, mixtures_of_reading_and_skipping_give_the_records_between) {
    lam_file_sample sample = make_file(100, 13);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_random random = lam_random_start(lam_test_seed(1));
    for (int round = 0; round < 300; round++) {
        bool some[4] = {true, false, round % 4 == 1, false}, none[4] = {false};
        const bool *leaves = round % 4 == 0 ? NULL : round % 4 == 3 ? none : some;
        lam_record_reader *records;
        cr_assert_eq(lam_record_reader_open(reader, leaves, &records, NULL), LAM_STATUS_OK);
        for (size_t at = 0; at < 100;) {
            uint64_t most = lam_random_chance(&random, 50) ? 5 : 60;
            uint64_t wanted = lam_random_below(&random, most), count = 4711;
            uint64_t expected = wanted < 100 - at ? wanted : 100 - at;
            if (lam_random_chance(&random, 50)) {
                cr_assert_eq(lam_record_reader_skip(records, wanted, &count, NULL), LAM_STATUS_OK);
                cr_assert_eq(count, expected);
            } else {
                lam_tree_builder builder;
                lam_tree_builder_init(&builder, lam_reader_schema(reader), &sample.arena);
                lam_record_sink sink = lam_tree_builder_sink(&builder);
                cr_assert_eq(lam_record_reader_read(records, &sink, wanted, &count, NULL),
                             LAM_STATUS_OK);
                cr_assert_eq(count, expected);
                lam_file_sample_expect(&sample, &builder, leaves, at, (size_t)count);
            }
            at += (size_t)count;
        }
        uint64_t count = 4711;
        cr_assert_eq(lam_record_reader_skip(records, UINT64_MAX, &count, NULL), LAM_STATUS_OK);
        cr_assert_eq(count, 0);
        lam_record_reader_close(records);
    }
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(record_reader, a_number_of_records_ends_it_wherever_they_begin) {
    lam_file_sample sample = make_file(100, 13);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_random random = lam_random_start(lam_test_seed(2));
    for (int round = 0; round < 200; round++) {
        lam_scan_options options = lam_scan_options_default();
        lam_record_reader *records;
        lam_tree_builder builder;
        uint64_t first = lam_random_below(&random, 100), count = 4711, skipped;
        options.max_records = 1 + lam_random_below(&random, 60);
        uint64_t expected = options.max_records < 100 - first ? options.max_records : 100 - first;
        cr_assert_eq(lam_record_reader_open_scan(reader, &options, &records, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_record_reader_skip(records, first, &skipped, NULL), LAM_STATUS_OK);
        cr_assert_eq(skipped, first);
        lam_tree_builder_init(&builder, lam_reader_schema(reader), &sample.arena);
        lam_record_sink sink = lam_tree_builder_sink(&builder);
        cr_assert_eq(lam_record_reader_read(records, &sink, UINT64_MAX, &count, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(count, expected);
        lam_file_sample_expect(&sample, &builder, NULL, (size_t)first, (size_t)count);
        cr_assert_eq(lam_record_reader_skip(records, UINT64_MAX, &count, NULL), LAM_STATUS_OK);
        cr_assert_eq(count, 0);
        lam_record_reader_close(records);
    }
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

/* An input that counts what is read of it. */
typedef struct counted_input {
    const uint8_t *bytes;
    uint64_t lowest; /* offset read since it was set to UINT64_MAX */
} counted_input;

static lam_status counted_read(void *state, uint64_t offset, size_t size, void *buffer,
                               lam_error *error) {
    (void)error;
    counted_input *counted = state;
    counted->lowest = offset < counted->lowest ? offset : counted->lowest;
    memcpy(buffer, counted->bytes + offset, size);
    return LAM_STATUS_OK;
}

static void close_nothing(void *state) {
    (void)state;
}

Test(record_reader, row_groups_that_are_skipped_are_not_read) {
    lam_file_sample sample = make_file(100, 20);
    counted_input counted = {sample.bytes.data, UINT64_MAX};
    lam_input input = {&counted, sample.bytes.size, counted_read, NULL, close_nothing};
    lam_record_reader *records;
    uint64_t count;
    lam_row_group_info last = lam_row_group_info_default();
    lam_tree_builder builder;
    lam_reader *reader = lam_test_open_input(&input, NULL);
    cr_assert_eq(lam_reader_row_group(reader, 4, &last, NULL), LAM_STATUS_OK);
    for (uint64_t first = 0; first < 2; first++) { /* from a row group's start, and from inside */
        lam_tree_builder_init(&builder, lam_reader_schema(reader), &sample.arena);
        lam_record_sink sink = lam_tree_builder_sink(&builder);
        cr_assert_eq(lam_record_reader_open(reader, NULL, &records, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_record_reader_read(records, &sink, first, &count, NULL), LAM_STATUS_OK);
        counted.lowest = UINT64_MAX;
        cr_assert_eq(lam_record_reader_skip(records, 85 - first, &count, NULL), LAM_STATUS_OK);
        cr_assert_eq(count, 85 - first);
        lam_tree_builder_init(&builder, lam_reader_schema(reader), &sample.arena);
        cr_assert_eq(lam_record_reader_read(records, &sink, 100, &count, NULL), LAM_STATUS_OK);
        cr_assert_eq(count, 15);
        lam_file_sample_expect(&sample, &builder, NULL, 85, 15);
        cr_assert_geq((int64_t)counted.lowest, last.file_offset);
        lam_record_reader_close(records);
    }
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(record_reader, only_the_projected_chunks_are_read) {
    lam_file_sample sample = make_file(100, 100);
    counted_input counted = {sample.bytes.data, UINT64_MAX};
    lam_input input = {&counted, sample.bytes.size, counted_read, NULL, close_nothing};
    lam_column_chunk_info info = lam_column_chunk_info_default();
    bool leaves[4] = {false, false, false, true};
    lam_reader *reader = lam_test_open_input(&input, NULL);
    cr_assert_eq(lam_reader_column_chunk(reader, 0, 3, &info, NULL), LAM_STATUS_OK);
    counted.lowest = UINT64_MAX;
    lam_file_sample_expect_all(&sample, reader, leaves);
    cr_assert_eq((int64_t)counted.lowest, info.data_page_offset);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(record_reader, any_number_of_records_without_columns_is_skipped_at_once) {
    lam_schema *schema = lam_test_schema("message m { }");
    lam_meta_row_group_view group = {.num_rows = INT64_MAX};
    lam_reader reader = {.allocator = lam_allocator_default(), .schema = schema};
    reader.footer.meta.row_groups.items = &group;
    reader.footer.meta.row_groups.count = 1;
    lam_record_reader *records;
    uint64_t count;
    cr_assert_eq(lam_record_reader_open(&reader, NULL, &records, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_record_reader_skip(records, INT64_MAX - 10, &count, NULL), LAM_STATUS_OK);
    cr_assert_eq(count, INT64_MAX - 10);
    lam_arena arena;
    lam_arena_init(&arena, &reader.allocator, 0);
    lam_tree_builder builder;
    lam_tree_builder_init(&builder, schema, &arena);
    lam_record_sink sink = lam_tree_builder_sink(&builder);
    cr_assert_eq(lam_record_reader_read(records, &sink, UINT64_MAX, &count, NULL), LAM_STATUS_OK);
    cr_assert_eq(count, 10);
    cr_assert_eq(builder.ended, 10);
    lam_record_reader_close(records);
    lam_arena_finish(&arena);
    lam_schema_destroy(schema);
}

/* A sink that refuses its Nth record. */
static lam_status refuse_end(void *state, lam_error *error) {
    int *left = state;
    if (--*left == 0)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "enough");
    return LAM_STATUS_OK;
}

static lam_status take_begin(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static lam_status take_group(void *state, const lam_field *group, lam_error *error) {
    (void)state;
    (void)group;
    (void)error;
    return LAM_STATUS_OK;
}

static lam_status take_value(void *state, const lam_field *leaf, lam_value value,
                             lam_error *error) {
    (void)state;
    (void)leaf;
    (void)value;
    (void)error;
    return LAM_STATUS_OK;
}

Test(record_reader, a_failure_of_the_sink_is_passed_on_and_final) {
    lam_file_sample sample = make_file(30, 10);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    for (int fail_at = 1; fail_at <= 30; fail_at += 7) {
        int left = fail_at;
        lam_record_sink sink = {&left,      take_begin, take_group, take_value,
                                take_group, refuse_end, NULL};
        lam_record_reader *records;
        lam_error error = lam_error_none();
        uint64_t count = 4711;
        cr_assert_eq(lam_record_reader_open(reader, NULL, &records, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_record_reader_read(records, &sink, 30, &count, &error), LAM_STATUS_LIMIT);
        cr_assert_str_eq(error.message, "enough");
        cr_assert_eq(count, 4711);
        cr_assert_eq(lam_record_reader_read(records, &sink, 30, &count, &error), LAM_STATUS_STATE);
        cr_assert_eq(lam_record_reader_skip(records, 30, &count, &error), LAM_STATUS_STATE);
        lam_record_reader_close(records);
    }
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(record_reader, columns_of_different_length_are_corrupt) {
    lam_file_sample sample = make_file(30, 10);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    /* the chunk of `a` in row group 1 is shown where that of row group 2 should be */
    lam_meta_row_group_view *groups =
        (lam_meta_row_group_view *)reader->footer.meta.row_groups.items;
    groups[1].num_rows = 9;
    lam_record_reader *records;
    lam_error error = lam_error_none();
    uint64_t count;
    int left = 0;
    lam_record_sink sink = {&left,      take_begin, take_group, take_value,
                            take_group, refuse_end, NULL};
    cr_assert_eq(lam_record_reader_open(reader, NULL, &records, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_record_reader_read(records, &sink, 30, &count, &error), LAM_STATUS_CORRUPT);
    cr_assert_eq(error.row_group, 1);
    lam_record_reader_close(records);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

/* A row group whose number of rows is above that of its columns. */
Test(record_reader, columns_that_end_before_their_row_group_are_corrupt) {
    lam_file_sample sample = make_file(30, 10);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_meta_row_group_view *groups =
        (lam_meta_row_group_view *)reader->footer.meta.row_groups.items;
    for (int only_lists = 0; only_lists < 2; only_lists++) {
        bool leaves[4] = {only_lists == 0, true, only_lists == 0, true};
        lam_record_reader *records;
        lam_error error = lam_error_none();
        uint64_t count;
        int left = 0;
        lam_record_sink sink = {&left,      take_begin, take_group, take_value,
                                take_group, refuse_end, NULL};
        groups[1].num_rows = 11;
        cr_assert_eq(lam_record_reader_open(reader, leaves, &records, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_record_reader_read(records, &sink, 31, &count, &error),
                     LAM_STATUS_CORRUPT);
        cr_assert_eq(error.row_group, 1, "%s", error.message);
        lam_record_reader_close(records);
    }
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

static lam_status stop_later(void *state, lam_error *error) {
    lam_stop *stop = state;
    (void)error;
    lam_stop_request(stop);
    return LAM_STATUS_OK;
}

Test(record_reader, a_stop_ends_records_without_columns) {
    lam_schema *schema = lam_test_schema("message m { }");
    lam_meta_row_group_view group = {.num_rows = 100000};
    lam_stop stop = {0, 0};
    lam_reader reader = {.allocator = lam_allocator_default(), .schema = schema, .stop = &stop};
    lam_record_sink sink = {&stop,      stop_later, take_group, take_value,
                            take_group, take_begin, NULL};
    lam_record_reader *records;
    uint64_t count = 7;
    reader.footer.meta.row_groups.items = &group;
    reader.footer.meta.row_groups.count = 1;
    cr_assert_eq(lam_record_reader_open(&reader, NULL, &records, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_record_reader_read(records, &sink, UINT64_MAX, &count, NULL),
                 LAM_STATUS_CANCELLED);
    cr_assert_eq(count, 7);
    lam_record_reader_close(records);
    lam_schema_destroy(schema);
}

Test(record_reader, each_read_of_records_that_are_skipped_may_fail) {
    static lam_ending_input source;
    enum { MANY = 20000 };
    lam_file_sample sample = make_file(MANY, MANY);
    lam_status status = LAM_STATUS_IO;
    source.file = lam_buffer_bytes(&sample.bytes);
    for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
        lam_input input = lam_ending_input_of(&source);
        lam_record_reader *records;
        uint64_t count;
        int left = 0;
        lam_record_sink sink = {&left,      take_begin, take_group, take_value,
                                take_group, refuse_end, NULL};
        lam_ending_input_again(&source, 0, 0);
        lam_reader *reader = lam_test_open_input(&input, NULL);
        cr_assert_eq(lam_record_reader_open(reader, NULL, &records, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_record_reader_read(records, &sink, 1, &count, NULL), LAM_STATUS_OK);
        lam_ending_input_again(&source, nth, 0);
        status = lam_record_reader_skip(records, MANY - 5, &count, NULL);
        cr_assert(status == LAM_STATUS_OK ? count == MANY - 5 : status == LAM_STATUS_IO);
        lam_record_reader_close(records);
        lam_reader_close(reader);
    }
    lam_file_sample_finish(&sample);
}

/* --- Threads --------------------------------------------------------------------------------- */

typedef struct thread_job {
    const lam_reader *reader;
    const lam_file_sample *sample;
    uint64_t seed;
    bool same;
} thread_job;

/* Reads all with one's own arena; Criterion's assertions are not for threads. */
static void *read_in_thread(void *state) {
    thread_job *job = state;
    lam_random random = lam_random_start(job->seed);
    lam_allocator allocator = lam_allocator_default();
    const lam_field *root = lam_schema_root(lam_reader_schema(job->reader));
    job->same = true;
    for (int round = 0; round < 10 && job->same; round++) {
        lam_arena arena;
        lam_tree_builder builder;
        lam_record_reader *records;
        uint64_t count = 0, total = 0;
        bool leaves[4] = {true, true, lam_random_chance(&random, 50), true};
        lam_arena_init(&arena, &allocator, 0);
        lam_tree_builder_init(&builder, lam_reader_schema(job->reader), &arena);
        lam_record_sink sink = lam_tree_builder_sink(&builder);
        job->same = lam_record_reader_open(job->reader, leaves, &records, NULL) == LAM_STATUS_OK;
        do {
            lam_status status = lam_record_reader_read(records, &sink, 17, &count, NULL);
            job->same = job->same && status == LAM_STATUS_OK;
            total += count;
        } while (job->same && count > 0);
        job->same = job->same && total == job->sample->record_count;
        for (size_t i = 0; i < total && job->same; i++) {
            lam_tree_item want = lam_tree_project(root, &job->sample->records[i], leaves, &arena);
            job->same = lam_tree_equals(root, &want, &builder.records.items[i]);
        }
        lam_record_reader_close(records);
        lam_arena_finish(&arena);
    }
    return NULL;
}

Test(record_reader, several_threads_read_one_file_at_once) {
    enum { THREADS = 4 };
    lam_file_sample sample = make_file(500, 60);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    pthread_t threads[THREADS];
    thread_job jobs[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        thread_job job = {reader, &sample, i, false};
        jobs[i] = job;
        cr_assert_eq(pthread_create(&threads[i], NULL, read_in_thread, &jobs[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        cr_assert(jobs[i].same);
    }
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}
