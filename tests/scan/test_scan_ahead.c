/* SPDX-License-Identifier: Apache-2.0 */
/* Several row groups are searched at once, and come in their order, with their own failures. */
#include "scan/rows/scan_ahead.h"

#include <criterion/criterion.h>
#include <lamella/filter.h>
#include <lamella/scan.h>
#include <lamella/writer.h>
#include <string.h>

#include "file/file_sample.h"
#include "support/failing_alloc.h"

enum { ROWS = 60, GROUP = 10 };

/* Six row groups; row i has i % 10. */
static lam_file_sample write_numbers(void) {
    lam_file_sample sample = {.schema = lam_test_schema("message m { required int32 n; }")};
    lam_test_writer file =
        lam_test_write_as(sample.schema, LAM_TEST_WRITER(.row_group_rows = GROUP));
    for (int i = 0; i < ROWS; i++)
        lam_test_put(&file, "{n: %d}", i % GROUP);
    sample.bytes = lam_test_written(&file);
    return sample;
}

static void free_numbers(lam_file_sample *sample) {
    lam_schema_destroy(sample->schema);
    lam_buffer_finish(&sample->bytes);
}

static lam_filter *below(const lam_reader *reader, int32_t bound) {
    lam_filter_builder *builder;
    lam_filter *filter;
    lam_value value = {.int32 = bound};
    cr_assert_eq(lam_filter_builder_create(lam_reader_schema(reader), NULL, &builder, NULL), 0);
    cr_assert_eq(lam_filter_builder_compare(builder, "n", LAM_FILTER_LESS, &value, 1, NULL), 0);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), 0);
    lam_filter_builder_destroy(builder);
    return filter;
}

/* Counts the calls; the tasks run from the last to the first. */
static void run_backwards(void *state, void (*task)(void *context, size_t index), void *context,
                          size_t count) {
    ++*(int *)state;
    while (count > 0)
        task(context, --count);
}

/* Gives the next row group, which must be the one of that number. */
static lam_scan *expect_next(lam_scan_ahead *ahead, int *runs, size_t expected) {
    lam_scan *scan;
    size_t row_group;
    cr_assert_eq(lam_scan_ahead_next(ahead, run_backwards, runs, &scan, &row_group, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(row_group, expected);
    return scan;
}

Test(scan_ahead, row_groups_come_in_their_order_however_many_are_looked_at_together) {
    static const size_t groups[] = {4, 0, 5, 5, 1};
    lam_file_sample sample = write_numbers();
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_filter *filter = below(reader, 3);
    static const int calls[] = {0, 0, 2, 2, 1, 1, 1};
    for (size_t together = 0; together <= 6; together++) {
        lam_scan_ahead ahead;
        lam_scan_plan plan = {filter, false, groups, 5, together, NULL};
        lam_scan *scan;
        size_t row_group;
        int runs = 0;
        cr_assert_eq(lam_scan_ahead_init(&ahead, reader, &plan, NULL), LAM_STATUS_OK);
        for (size_t i = 0; i < 5; i++) {
            cr_assert_eq(lam_scan_ahead_next(&ahead, run_backwards, &runs, &scan, &row_group, NULL),
                         LAM_STATUS_OK);
            cr_assert_not_null(scan);
            cr_assert_eq(row_group, groups[i]);
            cr_assert_eq(scan->ranges.rows, 3);
            lam_row_ranges_cut(&scan->ranges, 1, 1); /* nobody else's */
        }
        for (int i = 0; i < 2; i++) {
            cr_assert_eq(lam_scan_ahead_next(&ahead, run_backwards, &runs, &scan, &row_group, NULL),
                         LAM_STATUS_OK);
            cr_assert_null(scan);
        }
        cr_assert_eq(runs, calls[together], "%d calls where %zu are together", runs, together);
        lam_scan_report report = lam_scan_ahead_report(&ahead);
        cr_assert_eq(report.row_groups, 5);
        cr_assert_eq(report.rows, 50);
        cr_assert_eq(report.rows_wanted, 15);
        lam_scan_ahead_finish(&ahead);
    }
    lam_filter_destroy(filter);
    lam_reader_close(reader);
    free_numbers(&sample);
}

/* As a caller with threads reads: it searches what it may before it asks for the next row group. */
Test(scan_ahead, row_groups_that_are_searched_meanwhile_come_in_their_order) {
    lam_file_sample sample = write_numbers();
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_filter *filter = below(reader, 3);
    for (size_t together = 0; together <= 7; together++) {
        lam_scan_ahead ahead;
        lam_scan_plan plan = {.filter = filter, .together = together};
        lam_scan *scan;
        size_t row_group, searched = 0;
        int runs = 0;
        cr_assert_eq(lam_scan_ahead_init(&ahead, reader, &plan, NULL), LAM_STATUS_OK);
        for (size_t i = 0; i < ROWS / GROUP; i++) {
            scan = expect_next(&ahead, &runs, i);
            size_t spare = lam_scan_ahead_spare(&ahead);
            cr_assert_leq(spare, together > 1 ? together : 0);
            for (size_t index = spare; index > 0; index--)
                lam_scan_ahead_search(&ahead, index - 1);
            lam_scan_ahead_keep(&ahead, spare);
            searched += spare;
            cr_assert_eq(lam_scan_ahead_spare(&ahead), 0);
            cr_assert_eq(scan->ranges.rows, 3); /* that of the caller is left alone */
            lam_row_ranges_cut(&scan->ranges, 1, 1);
        }
        cr_assert_eq(runs, together > 1, "%d calls where %zu are together", runs, together);
        cr_assert_eq(searched, together < 2 ? 0 : together < 6 ? 6 - together : 0);
        cr_assert_eq(lam_scan_ahead_next(&ahead, run_backwards, &runs, &scan, &row_group, NULL),
                     LAM_STATUS_OK);
        cr_assert_null(scan);
        cr_assert_eq(lam_scan_ahead_report(&ahead).rows_wanted, 18);
        lam_scan_ahead_finish(&ahead);
    }
    lam_filter_destroy(filter);
    lam_reader_close(reader);
    free_numbers(&sample);
}

/* A search that runs out of memory beside a reader is made again when nobody reads. */
Test(scan_ahead, a_search_without_memory_is_made_again) {
    lam_file_sample sample = write_numbers();
    lam_failing_alloc counter = {.fail_at = SIZE_MAX};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_reader_options options = lam_reader_options_default();
    options.allocator = &allocator;
    lam_reader *reader = lam_file_sample_open(&sample, &options);
    lam_filter *filter = below(reader, 3);
    lam_scan_ahead ahead;
    lam_scan_plan plan = {.filter = filter, .together = 2};
    lam_scan *scan;
    int runs = 0;
    cr_assert_eq(lam_scan_ahead_init(&ahead, reader, &plan, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < ROWS / GROUP; i++) {
        scan = expect_next(&ahead, &runs, i);
        size_t spare = lam_scan_ahead_spare(&ahead);
        counter.fail_at = counter.requests + 1;
        for (size_t index = 0; index < spare; index++)
            lam_scan_ahead_search(&ahead, index);
        counter.fail_at = SIZE_MAX;
        lam_scan_ahead_keep(&ahead, spare);
        cr_assert_eq(scan->ranges.rows, 3);
    }
    lam_scan_ahead_finish(&ahead);
    lam_filter_destroy(filter);
    lam_reader_close(reader);
    free_numbers(&sample);
    cr_assert_eq(counter.live_bytes, 0);
}

Test(scan_ahead, a_failure_comes_with_its_row_group) {
    lam_file_sample sample = write_numbers();
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_page_list *list;
    lam_page_info page = lam_page_info_default();
    bool more;
    cr_assert_eq(lam_page_list_open(reader, 2, 0, &list, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_page_list_next(list, &page, &more, NULL), LAM_STATUS_OK);
    lam_page_list_close(list);
    sample.bytes.data[page.offset + page.header_size] ^= 0xFF;
    lam_filter *filter = below(reader, 3);
    for (size_t together = 1; together <= 4; together++) {
        lam_scan_ahead ahead;
        lam_scan_plan plan = {filter, false, NULL, 0, together, NULL};
        lam_scan *scan;
        size_t row_group;
        int runs = 0;
        lam_error error = lam_error_none();
        cr_assert_eq(lam_scan_ahead_init(&ahead, reader, &plan, NULL), LAM_STATUS_OK);
        for (size_t i = 0; i < 2; i++) {
            scan = expect_next(&ahead, &runs, i);
        }
        bool asks = together != 2; /* why it failed */
        cr_assert_eq(lam_scan_ahead_next(&ahead, run_backwards, &runs, &scan, &row_group,
                                         asks ? &error : NULL),
                     LAM_STATUS_CORRUPT);
        cr_assert_eq(error.row_group, asks ? 2 : lam_error_none().row_group);
        lam_scan_ahead_finish(&ahead);
    }
    lam_filter_destroy(filter);
    lam_reader_close(reader);
    free_numbers(&sample);
}

Test(scan_ahead, memory_may_run_out_at_the_start) {
    lam_file_sample sample = write_numbers();
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = SIZE_MAX};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_reader_options options = lam_reader_options_default();
        options.allocator = &allocator;
        lam_reader *reader = lam_file_sample_open(&sample, &options);
        lam_scan_plan plan = {.together = 2};
        lam_scan_ahead ahead;
        counter.fail_at = counter.requests + n;
        status = lam_scan_ahead_init(&ahead, reader, &plan, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        lam_scan_ahead_finish(&ahead);
        lam_reader_close(reader);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_lt(n, 10);
    }
    free_numbers(&sample);
}
