/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions of every kind over a file, while each request for memory, or each read, fails once:
 * the scan reports it and leaves nothing behind, or does without what it would have read and finds
 * the same records. A stop at any read ends it.
 */
#include <criterion/criterion.h>
#include <lamella/filter_text.h>
#include <lamella/scan.h>
#include <string.h>

#include "file/file_sample.h"
#include "support/ending_input.h"
#include "support/failing_alloc.h"

TestSuite(scan_memory);

enum { SCANNED_RECORDS = 60 };

static const char scanned_shape[] =
    "message m { required int64 a; optional int32 b; optional double x; optional binary s;"
    " optional fixed(5) f; optional fixed(9) d; required boolean c;"
    " optional group l (LIST) { repeated group list { optional group element {"
    "  optional int32 p; optional int64 q; } } }"
    " optional group m (MAP) { repeated group key_value { required int32 key;"
    "  optional int32 value; } } }";

static const char *const scanned_conditions[] = {
    "a < b",
    "x >= b and not a = b",
    "l[].p != l[].q",
    "l[].p is null or l[].q > 5",
    "m[5] = 7 or b is null",
    "m[1] is null",
    "m[1] is not null and a > 0",
    "a between b and 1000000",
    "s = x'61' or s in (x'62', x'63') or s > x'F0'",
    "a in (1, 2, 3) or b in (4, 5, 6, 7) or x = 1.5",
    "d > x'010000000000000000' and f != x'0000000000'",
    "c and b > -5",
    "l is null and m is not null",
};

/* A sink that counts records. */
static lam_status count_part(void *state, lam_error *error) {
    (void)state, (void)error;
    return LAM_STATUS_OK;
}

static lam_status count_end(void *state, lam_error *error) {
    (void)error;
    ++*(size_t *)state;
    return LAM_STATUS_OK;
}

static lam_status count_group(void *state, const lam_field *group, lam_error *error) {
    (void)state, (void)group, (void)error;
    return LAM_STATUS_OK;
}

static lam_status count_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    (void)state, (void)leaf, (void)value, (void)error;
    return LAM_STATUS_OK;
}

static lam_switch pruning = LAM_SWITCH_DEFAULT;

static lam_status count_records(const lam_reader *reader, const lam_filter *filter, size_t *count,
                                lam_error *error) {
    lam_record_sink sink = {count,       count_part, count_group, count_put,
                            count_group, count_end,  NULL};
    lam_scan_options options = lam_scan_options_default();
    lam_record_reader *records;
    uint64_t got;
    *count = 0;
    options.filter = filter;
    options.pruning = pruning;
    lam_status status = lam_record_reader_open_scan(reader, &options, &records, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_record_reader_read(records, &sink, UINT64_MAX, &got, error);
    lam_record_reader_close(records);
    cr_assert(status != LAM_STATUS_OK || got == *count);
    return status;
}

/* Every request of a scan fails once. */
static void sweep_condition(const lam_reader *reader, lam_failing_alloc *counter,
                            const char *condition) {
    lam_filter *filter;
    lam_error error = lam_error_none();
    size_t expected, count, failures = 0, live = counter->live_bytes;
    bool has_failed = true;
    cr_assert_eq(lam_filter_parse(lam_reader_schema(reader), condition, strlen(condition), NULL,
                                  NULL, &filter, &error),
                 LAM_STATUS_OK, "%s: %s", condition, error.message);
    cr_assert_eq(count_records(reader, filter, &expected, NULL), LAM_STATUS_OK);
    for (size_t nth = 1; has_failed; nth++) {
        size_t before = counter->requests;
        counter->fail_at = before + nth;
        lam_status status = count_records(reader, filter, &count, &error);
        counter->fail_at = 0;
        has_failed = counter->requests >= before + nth;
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%s, request %zu: %s",
                  condition, nth, error.message);
        cr_assert(status != LAM_STATUS_OK || count == expected, "%s, request %zu: %zu of %zu",
                  condition, nth, count, expected);
        cr_assert_eq(counter->live_bytes, live, "%s, request %zu", condition, nth);
        failures += status != LAM_STATUS_OK;
    }
    cr_assert_gt(failures, 10, "%s", condition);
    lam_filter_destroy(filter);
}

static void sweep_file(const lam_writer_options *options, uint64_t seed) {
    lam_random random = lam_random_start(lam_test_seed(seed));
    lam_reader_options reading = lam_reader_options_default();
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_file_sample sample;
    lam_file_sample_init(&sample, lam_test_schema(scanned_shape), SCANNED_RECORDS, 60, &random);
    lam_file_sample_write(&sample, options, NULL);
    reading.allocator = &allocator;
    lam_reader *reader = lam_file_sample_open(&sample, &reading);
    for (size_t i = 0; i < sizeof scanned_conditions / sizeof *scanned_conditions; i++)
        sweep_condition(reader, &counter, scanned_conditions[i]);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
    cr_assert_eq(counter.live_bytes, 0);
}

Test(scan_memory, pages_with_indexes_and_bloom_filters) {
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = 35;
    options.page_rows = 6;
    options.auto_bloom_filters = true;
    sweep_file(&options, 41);
}

/* Values that repeat, so that all pages have dictionaries: an optional and a required column. */
static lam_file_sample write_repeated(void) {
    lam_file_sample sample = {
        .schema = lam_test_schema("message m { required int64 a; optional int64 b; }")};
    lam_test_writer file = lam_test_write_as(sample.schema, NULL);
    for (int i = 0; i < 600; i++)
        if (i % 2 == 0)
            lam_test_put(&file, "{a: %d, b: %d}", 1000 * (i % 3), 1000 * (i / 2 % 3));
        else
            lam_test_put(&file, "{a: %d}", 1000 * (i % 3));
    sample.bytes = lam_test_written(&file);
    return sample;
}

/* Without pruning, dictionaries are matched where their values are met, and not before. */
Test(scan_memory, pages_with_dictionaries_alone) {
    static const char *const conditions[] = {"a = 1000", "b > 500", "a = 0 or b = 2000"};
    lam_reader_options reading = lam_reader_options_default();
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_file_sample sample = write_repeated();
    reading.allocator = &allocator;
    lam_reader *reader = lam_file_sample_open(&sample, &reading);
    pruning = LAM_SWITCH_OFF;
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        sweep_condition(reader, &counter, conditions[i]);
    pruning = LAM_SWITCH_DEFAULT;
    lam_reader_close(reader);
    lam_schema_destroy(sample.schema);
    lam_buffer_finish(&sample.bytes);
    cr_assert_eq(counter.live_bytes, 0);
}

Test(scan_memory, pages_without_dictionaries_statistics_or_indexes) {
    lam_writer_options options = lam_writer_options_default();
    options.dictionary = LAM_SWITCH_OFF;
    options.statistics = LAM_SWITCH_OFF;
    options.page_index = LAM_SWITCH_OFF;
    options.data_page_version = 2;
    sweep_file(&options, 42);
}

/* --- Reads --------------------------------------------------------------------------------- */

/* Fails each read of a scan, then asks to stop at each. */
static void sweep_reads(lam_ending_input *input, const lam_reader *reader, const char *condition) {
    lam_filter *filter;
    lam_error error = lam_error_none();
    size_t expected, count;
    cr_assert_eq(lam_filter_parse(lam_reader_schema(reader), condition, strlen(condition), NULL,
                                  NULL, &filter, &error),
                 LAM_STATUS_OK, "%s: %s", condition, error.message);
    lam_ending_input_again(input, 0, 0);
    cr_assert_eq(count_records(reader, filter, &expected, &error), LAM_STATUS_OK);
    size_t reads = input->reads;
    cr_assert_gt(reads, 1, "%s", condition);
    for (size_t nth = 1; nth <= reads; nth++) {
        lam_ending_input_again(input, nth, 0);
        lam_status status = count_records(reader, filter, &count, &error);
        cr_assert_eq(status, LAM_STATUS_IO, "%s, read %zu: %d", condition, nth, (int)status);
        cr_assert(strstr(error.message, LAM_ENDING_MESSAGE) != NULL, "%s", error.message);
        lam_ending_input_again(input, 0, nth);
        status = count_records(reader, filter, &count, &error);
        cr_assert(input->reads <= reads && (status == LAM_STATUS_CANCELLED || count == expected),
                  "%s, read %zu: %d", condition, nth, (int)status);
    }
    lam_ending_input_again(input, 0, 0);
    lam_filter_destroy(filter);
}

Test(scan_memory, each_read_that_fails_is_reported) {
    lam_random random = lam_random_start(lam_test_seed(43));
    lam_writer_options options = lam_writer_options_default();
    lam_reader_options reading = lam_reader_options_default();
    lam_file_sample sample;
    static lam_ending_input source;
    options.row_group_rows = 35;
    options.page_rows = 6;
    options.auto_bloom_filters = true;
    lam_file_sample_init(&sample, lam_test_schema(scanned_shape), SCANNED_RECORDS, 60, &random);
    lam_file_sample_write(&sample, &options, NULL);
    source.file = lam_buffer_bytes(&sample.bytes);
    lam_input input = lam_ending_input_of(&source);
    reading.stop = &source.stop;
    lam_reader *reader = lam_test_open_input(&input, &reading);
    for (size_t i = 0; i < sizeof scanned_conditions / sizeof *scanned_conditions; i++)
        sweep_reads(&source, reader, scanned_conditions[i]);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}
