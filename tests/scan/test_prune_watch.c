/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever watches a scan is told of each row group and page what was ruled out, and why, and a
 * failure of the callback ends the scan.
 */
#include "scan/prune/prune_watch.h"

#include <criterion/criterion.h>
#include <lamella/filter_text.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"
#include "scan/random_filter.h"
#include "scan/rows/scan.h"
#include "support/failing_alloc.h"

/* --- What a watch was called for ----------------------------------------------------------- */

enum { GROUPS = RANDOM_ROWS };

typedef struct watched {
    const char *text;           /* of the filter, if it was read from one */
    uint64_t left[GROUPS];      /* rows that the last stage of a row group leaves */
    uint64_t concluded[GROUPS]; /* rows of that stage */
    size_t pages_seen;          /* columns of tests in stage PAGES */
    size_t groups_searched;
    size_t probes;
    lam_pruning_probe probe; /* the last; its bytes are in `block` */
    uint8_t block[32];
    char last_test[64]; /* the text of the first test, and what it may be */
    unsigned last_outcomes;
    size_t page, page_rows;
    int fails_at; /* the call that fails; 0 none */
    int calls;
} watched;

static lam_status note_call(watched *seen, lam_error *error) {
    if (++seen->calls != seen->fails_at)
        return LAM_STATUS_OK;
    if (error != NULL) {
        *error = lam_error_none();
        error->status = LAM_STATUS_CANCELLED;
    }
    return LAM_STATUS_CANCELLED;
}

static lam_status on_probe(void *state, const lam_pruning_probe *probe, lam_error *error) {
    watched *seen = state;
    seen->probes++;
    seen->probe = *probe;
    cr_assert_eq(probe->bits.size, sizeof seen->block);
    memcpy(seen->block, probe->bits.data, sizeof seen->block);
    return note_call(seen, error);
}

static void check_column(watched *seen, const lam_pruning_conclusion *conclusion,
                         const lam_pruning_column *column) {
    if (conclusion->stage != LAM_PRUNING_PAGES || column->page_count == 0) {
        cr_assert_eq(column->page_count, 0);
        return;
    }
    seen->pages_seen++;
    cr_assert_lt(column->page, column->page_count);
    cr_assert_leq(column->page_first_row, conclusion->first_row);
    cr_assert_geq(column->page_first_row + column->page_row_count,
                  conclusion->first_row + conclusion->row_count);
    cr_assert_gt(column->page_size, 0);
}

static lam_status on_conclusion(void *state, const lam_pruning_conclusion *conclusion,
                                lam_error *error) {
    watched *seen = state;
    size_t group = conclusion->row_group;
    if (conclusion->first_row == 0)
        seen->left[group] = seen->concluded[group] = 0;
    cr_assert_eq(conclusion->first_row, seen->concluded[group], "stages go through all rows");
    seen->concluded[group] += conclusion->row_count;
    if ((conclusion->outcomes & LAM_PRUNING_TRUE) != 0)
        seen->left[group] += conclusion->row_count;
    for (size_t i = 0; i < conclusion->test_count; i++) {
        const lam_pruning_test *test = conclusion->tests[i];
        cr_assert_neq(test->column, NULL);
        check_column(seen, conclusion, test->column);
        if (test->other != NULL)
            check_column(seen, conclusion, test->other);
    }
    const lam_pruning_test *first = conclusion->tests[0];
    seen->last_outcomes = first->outcomes;
    seen->page = first->column->page;
    seen->page_rows = (size_t)first->column->page_row_count;
    if (seen->text != NULL)
        snprintf(seen->last_test, sizeof seen->last_test, "%.*s", (int)first->text_size,
                 seen->text + first->text_offset);
    return note_call(seen, error);
}

static lam_status on_search(void *state, size_t row_group, const lam_scan_report *report,
                            lam_error *error) {
    watched *seen = state;
    cr_assert_eq(report->row_groups, row_group + 1);
    seen->groups_searched++;
    return note_call(seen, error);
}

static lam_pruning_watch watch_of(watched *seen, bool metadata_only) {
    return (lam_pruning_watch){seen, metadata_only, on_probe, on_conclusion, on_search};
}

/* --- Random filters ------------------------------------------------------------------------ */

static lam_reader *open_random(const random_table *table, lam_random *random, lam_buffer *file) {
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = 1 + lam_random_below(random, 30);
    options.page_rows = 1 + lam_random_below(random, 10);
    options.page_index = lam_random_chance(random, 20) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    lam_test_writer written = lam_test_write_as(table->schema, &options);
    if (lam_random_chance(random, 50))
        for (int i = 0; i < 2; i++)
            cr_assert_eq(
                lam_writer_set_bloom_filter(written.writer, i == 0 ? "a" : "c", 0, 0, NULL),
                LAM_STATUS_OK);
    lam_test_put_triples(&written, table->columns, table->row_count);
    *file = lam_test_written(&written);
    return lam_test_open(file->data, file->size, NULL);
}

static lam_scan_report scan_with(const lam_reader *reader, const lam_filter *filter,
                                 const lam_pruning_watch *watch) {
    lam_scan scan;
    lam_scan_init(&scan, reader, filter, false);
    scan.prune.watch = watch;
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++)
        cr_assert_eq(lam_scan_group(&scan, i, NULL), LAM_STATUS_OK);
    lam_scan_report report = scan.report;
    lam_scan_finish(&scan);
    return report;
}

Test(prune_watch, what_it_is_told_is_what_the_scan_reports) {
    lam_random random = lam_random_start(lam_test_seed(1));
    static random_table table;
    size_t probes = 0, pages = 0;
    for (int round = 0; round < 1500; round++) {
        lam_buffer file;
        uint8_t outcomes[RANDOM_ROWS];
        watched seen = {0}, pruned = {0};
        uint64_t left = 0;
        random_table_fill(&table, &random);
        lam_reader *reader = open_random(&table, &random, &file);
        lam_filter *filter = random_filter(&table, lam_reader_schema(reader), &random, outcomes);
        lam_pruning_watch all = watch_of(&seen, false), metadata = watch_of(&pruned, true);
        lam_scan_report plain = scan_with(reader, filter, NULL);
        lam_scan_report report = scan_with(reader, filter, &all);
        cr_assert_eq(memcmp(&plain, &report, sizeof plain), 0, "round %d", round);
        for (size_t i = 0; i < lam_reader_row_group_count(reader); i++)
            left += seen.left[i];
        cr_assert_eq(left, report.rows - report.rows_pruned, "round %d", round);
        cr_assert_eq(seen.groups_searched, lam_reader_row_group_count(reader));
        report = scan_with(reader, filter, &metadata);
        cr_assert_eq(report.rows_pruned, plain.rows_pruned);
        cr_assert_eq(report.row_groups_by_bloom, plain.row_groups_by_bloom);
        cr_assert_eq(report.rows_wanted, 0);
        cr_assert_eq(report.filter_page_bytes, 0);
        cr_assert_eq(memcmp(pruned.left, seen.left, sizeof seen.left), 0);
        probes += seen.probes;
        pages += seen.pages_seen;
        lam_filter_destroy(filter);
        lam_reader_close(reader);
        lam_buffer_finish(&file);
        random_table_finish(&table);
    }
    cr_expect_gt(probes, 100);
    cr_expect_gt(pages, 1000);
}

/* --- A file that is known ------------------------------------------------------------------ */

/* 20 rows, a = 0, 10, ... 190, in pages of 5 rows and row groups of 10. */
static lam_reader *open_known(lam_buffer *bytes, const lam_allocator *allocator) {
    lam_reader *reader = NULL;
    lam_test_writer file = lam_test_write("message m { required int32 a; }",
                                          LAM_TEST_WRITER(.row_group_rows = 10, .page_rows = 5));
    cr_assert_eq(lam_writer_set_bloom_filter(file.writer, "a", 0, 0, NULL), LAM_STATUS_OK);
    for (int i = 0; i < 20; i++)
        lam_test_put(&file, "{a: %d}", 10 * i);
    *bytes = lam_test_written(&file);
    lam_reader_options reading = lam_reader_options_default();
    reading.allocator = allocator;
    lam_input input = lam_input_memory(bytes->data, bytes->size);
    (void)!lam_reader_open(&input, &reading, &reader, NULL);
    return reader;
}

/* Scans the known file by a condition through the public interface. */
static lam_status scan_known(const char *text, watched *seen, const lam_allocator *allocator) {
    lam_buffer file;
    lam_reader *reader = open_known(&file, allocator);
    lam_filter *filter = NULL;
    lam_record_reader *records = NULL;
    lam_pruning_watch watch = watch_of(seen, false);
    lam_scan_options options = lam_scan_options_default();
    uint64_t count;
    lam_status status = LAM_STATUS_NOMEM;
    seen->text = text;
    if (reader != NULL)
        status = lam_filter_parse(lam_reader_schema(reader), text, strlen(text), NULL, allocator,
                                  &filter, NULL);
    options.filter = filter;
    options.watch = &watch;
    if (status == LAM_STATUS_OK)
        status = lam_record_reader_open_scan(reader, &options, &records, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_record_reader_skip(records, UINT64_MAX, &count, NULL);
    lam_record_reader_close(records);
    lam_filter_destroy(filter);
    lam_reader_close(reader);
    lam_buffer_finish(&file);
    return status;
}

Test(prune_watch, a_probe_names_the_block_and_its_eight_bits) {
    for (int32_t value = 20; value <= 27; value++) { /* only 20 is there */
        watched seen = {0};
        char text[32];
        snprintf(text, sizeof text, "a = %d", value);
        cr_assert_eq(scan_known(text, &seen, NULL), LAM_STATUS_OK);
        cr_assert_eq(seen.probes, 1, "the second row group is out of bounds");
        cr_expect(seen.probe.decides);
        cr_expect_lt(seen.probe.block, seen.probe.block_count);
        bool has_all = true;
        for (size_t word = 0; word < 8; word++) {
            size_t bit = seen.probe.word_bits[word];
            has_all &= (seen.block[4 * word + bit / 8] >> bit % 8 & 1) != 0;
        }
        cr_expect_eq(has_all, seen.probe.may_hold, "value %d", value);
        cr_expect(value != 20 || has_all);
        cr_expect_eq(seen.left[0], has_all ? 5 : 0);
    }
}

Test(prune_watch, tests_have_the_text_that_says_them_and_what_it_may_be) {
    const struct {
        const char *text, *test;
        unsigned outcomes; /* in the last page of the second row group: 150 to 190 */
    } cases[] = {
        {"a > 100", "a > 100", LAM_PRUNING_TRUE},
        {"  170 <= a  and a < 1000", "170 <= a", LAM_PRUNING_TRUE | LAM_PRUNING_FALSE},
        {"(a not in ( 170, 50 ) ) or a = 0", "a not in ( 170, 50 )",
         LAM_PRUNING_TRUE | LAM_PRUNING_FALSE},
        {"not (a < 155)", "a < 155", LAM_PRUNING_TRUE | LAM_PRUNING_FALSE},
        {"a not between 0 and 100 and a != 160", "a not between 0 and 100", LAM_PRUNING_TRUE},
        {"a is not null and a < 160\n", "a is not null", LAM_PRUNING_TRUE},
        {"a between a and 160", "", LAM_PRUNING_TRUE | LAM_PRUNING_FALSE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        watched seen = {0};
        cr_assert_eq(scan_known(cases[i].text, &seen, NULL), LAM_STATUS_OK);
        cr_expect_str_eq(seen.last_test, cases[i].test);
        cr_expect_eq(seen.last_outcomes, cases[i].outcomes, "%s: %u", cases[i].text,
                     seen.last_outcomes);
    }
}

Test(prune_watch, a_page_is_named_with_its_rows) {
    watched seen = {0};
    cr_assert_eq(scan_known("a < 160", &seen, NULL), LAM_STATUS_OK);
    cr_expect_eq(seen.page, 1);
    cr_expect_eq(seen.page_rows, 5);
    cr_expect_eq(seen.left[0], 10);
    cr_expect_eq(seen.left[1], 10);
}

Test(prune_watch, a_failure_of_any_callback_ends_the_scan) {
    lam_status status = LAM_STATUS_CANCELLED;
    int calls = 1;
    for (; status != LAM_STATUS_OK; calls++) {
        watched seen = {.fails_at = calls};
        status = scan_known("a = 20", &seen, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_CANCELLED);
        cr_assert_eq(seen.calls, status == LAM_STATUS_OK ? calls - 1 : calls);
    }
    cr_expect_gt(calls, 6);
}

Test(prune_watch, memory_that_runs_out_is_an_error_and_nothing_leaks) {
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
        lam_failing_alloc failing = {.fail_at = nth};
        lam_allocator allocator = lam_failing_allocator(&failing);
        watched seen = {0};
        status = scan_known("a = 20", &seen, &allocator);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert_eq(failing.live_bytes, 0);
        cr_assert(nth < 10000);
    }
}

/* --- Tests of several columns -------------------------------------------------------------- */

/* Ten rows: a = i, b = i + 1, x = i, m = {1: i}, v = null. */
static lam_reader *open_kinds(lam_buffer *bytes) {
    static const char schema[] =
        "message m { required int32 a; required int32 b; optional double x;"
        " optional group m (MAP) { repeated group key_value { required int32 key;"
        "  optional int32 value; } }"
        " optional group v (VARIANT(1)) { required binary metadata; optional binary value;"
        "  optional group typed_value { required group l { optional binary value;"
        "   optional group typed_value (LIST) { repeated group list { required group element {"
        "    optional binary value; optional int64 typed_value; } } } }"
        "  required group n { optional binary value; optional int64 typed_value; } } } }";
    lam_test_writer file = lam_test_write(schema, NULL);
    cr_assert_eq(lam_writer_set_bloom_filter(file.writer, "m.key_value.key", 0, 0, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_writer_set_bloom_filter(file.writer, "x", 0, 0, NULL), LAM_STATUS_OK);
    for (int i = 0; i < 10; i++)
        lam_test_put(&file, "{a: %d, b: %d, x: %d, m: [{key: 1, value: %d}]}", i, i + 1, i, i);
    *bytes = lam_test_written(&file);
    return lam_test_open(bytes->data, bytes->size, NULL);
}

/* The first test of the last conclusion, and the probes. */
typedef struct kinds_seen {
    lam_pruning_kind kind;
    bool is_keyed, has_column, has_other;
    size_t probes, undecided;
    int calls, fails_at;
} kinds_seen;

static lam_status end_call(kinds_seen *seen) {
    return ++seen->calls == seen->fails_at ? LAM_STATUS_CANCELLED : LAM_STATUS_OK;
}

static lam_status note_probe(void *state, const lam_pruning_probe *probe, lam_error *error) {
    kinds_seen *seen = state;
    (void)error;
    seen->probes++;
    seen->undecided += !probe->decides;
    return end_call(seen);
}

static lam_status note_kind(void *state, const lam_pruning_conclusion *conclusion,
                            lam_error *error) {
    kinds_seen *seen = state;
    const lam_pruning_test *test = conclusion->tests[0];
    (void)error;
    seen->kind = test->kind;
    seen->is_keyed = test->is_keyed;
    seen->has_column = test->column != NULL;
    seen->has_other = test->other != NULL;
    return end_call(seen);
}

static lam_status scan_kinds(const lam_reader *reader, const char *text, kinds_seen *seen) {
    const lam_pruning_watch watch = {seen, true, note_probe, note_kind, NULL};
    lam_filter *filter;
    lam_scan scan;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_filter_parse(lam_reader_schema(reader), text, strlen(text), NULL, NULL,
                                  &filter, &error),
                 LAM_STATUS_OK, "%s: %s", text, error.message);
    lam_scan_init(&scan, reader, filter, false);
    scan.prune.watch = &watch;
    lam_status status = lam_scan_group(&scan, 0, NULL);
    lam_scan_finish(&scan);
    lam_filter_destroy(filter);
    return status;
}

Test(prune_watch, tests_of_several_columns_are_told_apart) {
    static const struct {
        const char *text;
        lam_pruning_kind kind;
        bool is_keyed, has_column, has_other;
        size_t probes, undecided;
    } cases[] = {
        {"a = b", LAM_PRUNING_COMPARISON, false, true, true, 0, 0},
        {"m[1] = 5", LAM_PRUNING_EQUALITY, true, true, true, 1, 0},
        {"m[1] > 5", LAM_PRUNING_COMPARISON, true, true, true, 1, 0},
        {"m[1] is null", LAM_PRUNING_NULL, true, true, true, 1, 0},
        {"x = 5.0", LAM_PRUNING_EQUALITY, false, true, false, 1, 0},
        {"x in ('NaN', 5)", LAM_PRUNING_EQUALITY, false, true, false, 2, 1},
        {"v.l[] is null", LAM_PRUNING_NULL, false, false, false, 0, 0},
        {"v.n = 'text'", LAM_PRUNING_CONSTANT, false, true, false, 0, 0},
    };
    lam_buffer file;
    lam_reader *reader = open_kinds(&file);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kinds_seen seen = {0};
        cr_assert_eq(scan_kinds(reader, cases[i].text, &seen), LAM_STATUS_OK);
        cr_expect_eq(seen.kind, cases[i].kind, "%s: %d", cases[i].text, (int)seen.kind);
        cr_expect_eq(seen.is_keyed, cases[i].is_keyed, "%s", cases[i].text);
        cr_expect_eq(seen.has_column, cases[i].has_column, "%s", cases[i].text);
        cr_expect_eq(seen.has_other, cases[i].has_other, "%s", cases[i].text);
        cr_expect_eq(seen.probes, cases[i].probes, "%s: %zu", cases[i].text, seen.probes);
        cr_expect_eq(seen.undecided, cases[i].undecided, "%s: %zu", cases[i].text, seen.undecided);
        int calls = seen.calls;
        for (int at = 1; at <= calls; at++) {
            seen = (kinds_seen){.fails_at = at};
            cr_expect_eq(scan_kinds(reader, cases[i].text, &seen), LAM_STATUS_CANCELLED);
            cr_expect_eq(seen.calls, at);
        }
    }
    lam_reader_close(reader);
    lam_buffer_finish(&file);
}
