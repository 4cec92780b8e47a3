/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in which a few bytes of metadata are changed at random are scanned with filters: a scan
 * that prunes never finds more records than one that reads all, and both end cleanly wherever
 * memory fails.
 */
#include <criterion/criterion.h>
#include <lamella/filter.h>
#include <lamella/filter_text.h>
#include <lamella/scan.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_sample.h"
#include "support/failing_alloc.h"
#include "support/texts.h"

TestSuite(scan_changed, .timeout = 120);

enum { CHANGED_RECORDS = 60, CHANGED_ROUNDS = 150, CHANGED_MOST = 4 };

static const char scanned_shape[] =
    "message m { required int64 a; optional binary s; optional float f; optional double d;"
    " required boolean b; optional fixed(5) x; repeated group g { optional int32 n;"
    " optional binary w; } optional int32 y; optional fixed(16) u (UUID); }";

static const char *const scanned_filters[] =
    LAM_TEXTS("a = 5", "a > 0 and s is not null", "s in ('a', 'bc', '')", "not (f < 1.5)",
              "d >= 0 or y is null", "b", "x is not null", "g.n > 3", "a > y",
              "s = 'abc' or u is null", "f = 0.5 and d != 2", "g.w like 'a%'");

static lam_status count_wanted(const lam_reader *reader, const lam_filter *filter, bool prunes,
                               uint64_t *ret_rows) {
    lam_scan_options options = lam_scan_options_default();
    lam_record_reader *records;
    *ret_rows = 0;
    options.filter = filter;
    options.pruning = prunes ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    lam_status status = lam_record_reader_open_scan(reader, &options, &records, NULL);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_record_reader_skip(records, UINT64_MAX, ret_rows, NULL);
    lam_record_reader_close(records);
    return status;
}

static lam_status filter_of(const lam_reader *reader, const char *text,
                            const lam_allocator *allocator, lam_filter **ret_filter) {
    lam_error error = lam_error_none();
    lam_status status = lam_filter_parse(lam_reader_schema(reader), text, strlen(text), NULL,
                                         allocator, ret_filter, &error);
    cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM ||
                  status == LAM_STATUS_INVALID || status == LAM_STATUS_NOT_FOUND,
              "%s: %s", text, error.message);
    return status;
}

static void scan_both_ways(lam_bytes file, const char *text) {
    lam_input input = lam_input_memory(file.data, file.size);
    lam_reader *reader;
    lam_filter *filter;
    uint64_t pruned, all;
    if (lam_reader_open(&input, NULL, &reader, NULL) != LAM_STATUS_OK) {
        lam_input_close(&input);
        return;
    }
    if (filter_of(reader, text, NULL, &filter) == LAM_STATUS_OK) {
        lam_status with = count_wanted(reader, filter, true, &pruned);
        lam_status without = count_wanted(reader, filter, false, &all);
        if (with == LAM_STATUS_OK && without == LAM_STATUS_OK)
            cr_assert_leq(pruned, all, "%s", text);
        lam_filter_destroy(filter);
    }
    lam_reader_close(reader);
}

static lam_file_sample changed_sample(int way) {
    lam_random random = lam_random_start(lam_test_seed(91));
    lam_writer_options options = lam_file_sample_open_to_changes(way);
    lam_file_sample sample;
    lam_file_sample_init(&sample, lam_test_schema(scanned_shape), CHANGED_RECORDS, 70, &random);
    lam_file_sample_write(&sample, &options, NULL);
    return sample;
}

/* Metadata is behind the pages. */
Test(scan_changed, pruning_never_finds_more_than_reading_all) {
    lam_random random = lam_random_start(lam_test_seed(92));
    for (int way = 0; way < 4; way++) {
        lam_file_sample sample = changed_sample(way);
        size_t size = sample.bytes.size;
        uint8_t *bytes = malloc(size);
        for (size_t round = 0; round < CHANGED_ROUNDS; round++) {
            memcpy(bytes, sample.bytes.data, size);
            for (uint64_t i = lam_random_below(&random, CHANGED_MOST); round > 0; i--) {
                size_t at = size / 4 + (size_t)lam_random_below(&random, size - size / 4 - 8);
                bytes[at] = lam_random_chance(&random, 50) ? (uint8_t)lam_random_next(&random)
                                                           : (uint8_t)(bytes[at] + 1);
                if (i == 0)
                    break;
            }
            for (size_t i = 0; i < sizeof scanned_filters / sizeof *scanned_filters; i++)
                scan_both_ways((lam_bytes){bytes, size}, scanned_filters[i]);
        }
        free(bytes);
        lam_file_sample_finish(&sample);
    }
}

Test(scan_changed, memory_that_fails_anywhere_ends_a_scan_with_any_filter) {
    for (int way = 0; way < 2; way++) {
        lam_file_sample sample = changed_sample(2 * way);
        for (size_t i = 0; i < sizeof scanned_filters / sizeof *scanned_filters; i++) {
            lam_failing_alloc counter = {0};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_reader_options options = lam_reader_options_default();
            lam_status status = LAM_STATUS_NOMEM;
            options.allocator = &allocator;
            lam_reader *reader = lam_file_sample_open(&sample, &options);
            size_t live = counter.live_bytes;
            for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
                lam_filter *filter;
                uint64_t rows;
                counter.fail_at = counter.requests + fail_at;
                status = filter_of(reader, scanned_filters[i], &allocator, &filter);
                cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%s",
                          scanned_filters[i]);
                if (status == LAM_STATUS_OK) {
                    status = count_wanted(reader, filter, true, &rows);
                    lam_filter_destroy(filter);
                    cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
                }
                size_t requests = counter.requests;
                if (status == LAM_STATUS_OK && counter.fail_at <= requests)
                    status = LAM_STATUS_NOMEM; /* done without: a filter or an index */
                counter.fail_at = 0;
                cr_assert_eq(counter.live_bytes, live, "%s, %zu", scanned_filters[i], fail_at);
                cr_assert_eq(counter.wrong_sizes, 0);
            }
            lam_reader_close(reader);
            cr_assert_eq(counter.live_bytes, 0);
        }
        lam_file_sample_finish(&sample);
    }
}

/* What their writers get wrong is not used; the files here are right, so that no row is lost. */
Test(scan_changed, files_of_writers_with_known_faults_give_the_same_rows) {
    static const char *const writers[] = {
        "parquet-go version 18.1.0",         "parquet-cpp-arrow version 5.0.0",
        "parquet-cpp-arrow version 8.0.0",   "parquet-mr version 1.5.0",
        "parquet-rs version 4.0.0",          "github.com/segmentio/parquet-go version 0.0.0",
        "Parquet.Net version 3.0.0",         "Polars",
        "DuckDB version v1.5.0 (build 1)",   "parquet-go version 1.6.2",
        "parquet-cpp version 1.5.1-SNAPSHOT"};
    for (size_t w = 0; w < sizeof writers / sizeof *writers; w++) {
        lam_random random = lam_random_start(lam_test_seed(93));
        lam_writer_options options = lam_writer_options_default();
        lam_file_sample sample;
        options.created_by = writers[w];
        options.auto_bloom_filters = true;
        options.page_rows = 10;
        options.row_group_rows = 30;
        options.codec = LAM_CODEC_UNCOMPRESSED;
        lam_file_sample_init(&sample, lam_test_schema(scanned_shape), CHANGED_RECORDS, 70, &random);
        lam_file_sample_write(&sample, &options, NULL);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        for (size_t i = 0; i < sizeof scanned_filters / sizeof *scanned_filters; i++) {
            lam_filter *filter;
            uint64_t pruned, all;
            cr_assert_eq(filter_of(reader, scanned_filters[i], NULL, &filter), LAM_STATUS_OK);
            cr_assert_eq(count_wanted(reader, filter, true, &pruned), LAM_STATUS_OK);
            cr_assert_eq(count_wanted(reader, filter, false, &all), LAM_STATUS_OK);
            cr_assert_eq(pruned, all, "%s: %s", writers[w], scanned_filters[i]);
            lam_filter_destroy(filter);
        }
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
}

/* One value is larger than a batch of values, so that each batch has one. */
Test(scan_changed, values_above_a_batch_come_one_by_one) {
    enum { WIDE = 300000, WIDE_ROWS = 6 };
    static uint8_t values[WIDE_ROWS * WIDE], some[WIDE_ROWS * 70000];
    static const uint8_t there[WIDE_ROWS] = {1, 0, 1, 1, 0, 1};
    const lam_triples columns[] = {
        {.count = WIDE_ROWS, .value_count = 4, .definition = there, .values = values},
        {.count = WIDE_ROWS, .value_count = WIDE_ROWS, .values = some}};
    lam_filter *filter;
    uint64_t rows;
    lam_test_writer file =
        lam_test_write("message m { optional fixed(300000) w; required fixed(70000) x; }", NULL);
    lam_test_put_triples(&file, columns, WIDE_ROWS);
    lam_buffer trial = lam_test_written(&file);
    lam_reader *reader = lam_test_open(trial.data, trial.size, NULL);
    cr_assert_eq(filter_of(reader, "w is not null and x is not null", NULL, &filter),
                 LAM_STATUS_OK);
    cr_assert_eq(count_wanted(reader, filter, true, &rows), LAM_STATUS_OK);
    cr_assert_eq(rows, 4);
    cr_assert_eq(count_wanted(reader, filter, false, &rows), LAM_STATUS_OK);
    cr_assert_eq(rows, 4);
    lam_filter_destroy(filter);
    lam_filter_builder *builder;
    const lam_value zeros = {.bytes = {values, WIDE}};
    cr_assert_eq(lam_filter_builder_create(lam_reader_schema(reader), NULL, &builder, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_compare(builder, "w", LAM_FILTER_EQUAL, &zeros, 1, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    lam_filter_builder_destroy(builder);
    cr_assert_eq(count_wanted(reader, filter, false, &rows), LAM_STATUS_OK);
    cr_assert_eq(rows, 4);
    cr_assert_eq(count_wanted(reader, filter, true, &rows), LAM_STATUS_OK);
    cr_assert_eq(rows, 4);
    lam_filter_destroy(filter);
    lam_reader_close(reader);
    lam_buffer_finish(&trial);
}

static lam_status refuse_event(void *state, lam_error *error) {
    (void)error;
    return --*(int *)state == 0 ? LAM_STATUS_STATE : LAM_STATUS_OK;
}

/* Records without columns are events all the same. */
Test(scan_changed, a_sink_of_empty_records_may_refuse_them) {
    lam_file_sample sample = changed_sample(0);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    const bool leaves[10] = {false};
    lam_scan_options options = lam_scan_options_default();
    lam_record_reader *records;
    for (int fail_at = 1; fail_at < 2 * CHANGED_RECORDS; fail_at += 13) {
        int left = fail_at;
        lam_record_sink sink = {.state = &left, .begin = refuse_event, .end = refuse_event};
        uint64_t count;
        cr_assert_eq(lam_record_reader_open(reader, leaves, &records, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_record_reader_read(records, &sink, CHANGED_RECORDS, &count, NULL),
                     LAM_STATUS_STATE);
        cr_assert_eq(left, 0);
        lam_record_reader_close(records);
    }
    options.pruning = (lam_switch)9;
    cr_assert_eq(lam_record_reader_open_scan(reader, &options, &records, NULL), LAM_STATUS_INVALID);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}
