/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scans of random files by random filters: the rows are those of the whole file whose condition is
 * true, and the report adds up.
 */
#include "scan/rows/scan.h"

#include <criterion/criterion.h>
#include <lamella/scan.h>
#include <lamella/writer.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_sample.h"
#include "file/recut.h"
#include "scan/random_filter.h"
#include "support/failing_alloc.h"

/* --- Records as numbers -------------------------------------------------------------------- */

/* Every record that was read, as a hash of its events. */
typedef struct seen_records {
    uint64_t hashes[RANDOM_ROWS];
    size_t count;
    uint64_t hash;
} seen_records;

static void mix(seen_records *seen, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        seen->hash = (seen->hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001B3);
}

static lam_status see_begin(void *state, lam_error *error) {
    (void)error;
    ((seen_records *)state)->hash = UINT64_C(0xCBF29CE484222325);
    return LAM_STATUS_OK;
}

static lam_status see_group(void *state, const lam_field *group, lam_error *error) {
    size_t index = lam_field_index(group);
    (void)error;
    mix(state, &index, sizeof index);
    return LAM_STATUS_OK;
}

static lam_status see_value(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    if (lam_field_physical_type(leaf) == LAM_PHYSICAL_BYTE_ARRAY)
        mix(state, value.bytes.data, value.bytes.size);
    else
        mix(state, &value, (size_t)lam_field_type_length(leaf));
    return see_group(state, leaf, error);
}

static lam_status see_end(void *state, lam_error *error) {
    seen_records *seen = state;
    (void)error;
    cr_assert_lt(seen->count, (size_t)RANDOM_ROWS);
    seen->hashes[seen->count++] = seen->hash;
    return LAM_STATUS_OK;
}

/* Reads all wanted records from `skip` on, in calls of any size. */
static lam_status read_records(const lam_reader *reader, const lam_scan_options *options,
                               uint64_t skip, lam_random *random, seen_records *seen) {
    lam_record_sink sink = {seen, see_begin, see_group, see_value, see_group, see_end, NULL};
    lam_record_reader *records;
    uint64_t got = 1, passed;
    lam_status status = lam_record_reader_open_scan(reader, options, &records, NULL);
    if (status != LAM_STATUS_OK)
        return status;
    seen->count = 0;
    status = lam_record_reader_skip(records, skip, &passed, NULL);
    while (status == LAM_STATUS_OK && got > 0)
        status =
            lam_record_reader_read(records, &sink, 1 + lam_random_below(random, 9), &got, NULL);
    lam_record_reader_close(records);
    return status;
}

/* --- Files --------------------------------------------------------------------------------- */

/* Half of the files have pages and indexes of the list as other writers make them. */
static void write_table(const random_table *table, lam_random *random, lam_trial_output *file) {
    lam_writer_options options = lam_writer_options_default();
    memset(file, 0, sizeof *file);
    options.row_group_rows = 1 + lam_random_below(random, 30);
    options.page_rows = 1 + lam_random_below(random, 10);
    options.data_page_version = 1 + (int32_t)lam_random_below(random, 2);
    options.dictionary = lam_random_chance(random, 50) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.codec = lam_random_chance(random, 50) ? LAM_CODEC_UNCOMPRESSED : LAM_CODEC_SNAPPY;
    lam_test_writer written = lam_test_write_as(table->schema, &options);
    lam_test_put_triples(&written, table->columns, table->row_count);
    file->bytes = lam_test_written(&written);
    if (lam_random_chance(random, 50))
        return;
    const lam_recut how = {
        .kind = (lam_recut_kind)lam_random_below(random, LAM_RECUT_KINDS),
        .version = options.data_page_version,
        .codec = options.codec,
        .triples = 1 + (size_t)lam_random_below(random, 12),
    };
    lam_recut_file(&file->bytes, &how, random);
}

static lam_reader *open_file(const lam_trial_output *file, const lam_allocator *allocator) {
    lam_reader_options options = lam_reader_options_default();
    lam_input input = lam_input_memory(file->bytes.data, file->bytes.size);
    lam_reader *reader = NULL;
    options.allocator = allocator;
    lam_status status = lam_reader_open(&input, &options, &reader, NULL);
    cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
    return reader;
}

static void pick_leaves(bool *leaves, lam_random *random) {
    for (size_t i = 0; i < RANDOM_LEAVES; i++)
        leaves[i] = lam_random_chance(random, 70);
}

Test(scan, filtered_records_are_those_of_the_whole_file_whose_condition_is_true) {
    lam_random random = lam_random_start(lam_test_seed(1));
    static random_table table;
    for (int round = 0; round < 4000; round++) {
        lam_trial_output file;
        uint8_t outcomes[RANDOM_ROWS];
        bool leaves[RANDOM_LEAVES];
        seen_records all, wanted;
        random_table_fill(&table, &random);
        write_table(&table, &random, &file);
        lam_reader *reader = open_file(&file, NULL);
        lam_scan_options options = lam_scan_options_default();
        pick_leaves(leaves, &random);
        options.leaves = leaves;
        cr_assert_eq(read_records(reader, &options, 0, &random, &all), LAM_STATUS_OK);
        cr_assert_eq(all.count, table.row_count);
        lam_filter *filter = random_filter(&table, lam_reader_schema(reader), &random, outcomes);
        options.filter = filter;
        options.pruning = lam_random_chance(&random, 30) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
        uint64_t skip = lam_random_chance(&random, 50) ? lam_random_below(&random, 20) : 0;
        cr_assert_eq(read_records(reader, &options, skip, &random, &wanted), LAM_STATUS_OK);
        size_t next = 0;
        uint64_t passed = 0;
        for (size_t i = 0; i < all.count; i++) {
            if (outcomes[i] != LAM_OUTCOME_TRUE || passed++ < skip)
                continue;
            cr_assert_lt(next, wanted.count, "round %d: row %zu is missing", round, i);
            cr_assert_eq(wanted.hashes[next], all.hashes[i], "round %d: row %zu", round, i);
            next++;
        }
        cr_assert_eq(next, wanted.count, "round %d: rows that nobody wants", round);
        lam_filter_destroy(filter);
        lam_reader_close(reader);
        lam_trial_output_free(&file);
        random_table_finish(&table);
    }
}

Test(scan, a_report_adds_up) {
    lam_random random = lam_random_start(lam_test_seed(2));
    static random_table table;
    int rows_pruned = 0, pages_pruned = 0; /* rounds in which metadata ruled something out */
    for (int round = 0; round < 500; round++) {
        lam_trial_output file;
        uint8_t outcomes[RANDOM_ROWS];
        random_table_fill(&table, &random);
        write_table(&table, &random, &file);
        lam_reader *reader = open_file(&file, NULL);
        lam_filter *filter = random_filter(&table, lam_reader_schema(reader), &random, outcomes);
        lam_scan scan;
        uint64_t wanted = 0;
        lam_scan_init(&scan, reader, filter, false);
        for (size_t i = 0; i < lam_reader_row_group_count(reader); i++)
            cr_assert_eq(lam_scan_group(&scan, i, NULL), LAM_STATUS_OK);
        for (size_t i = 0; i < table.row_count; i++)
            wanted += outcomes[i] == LAM_OUTCOME_TRUE;
        cr_expect_eq(scan.report.rows_wanted, wanted);
        cr_expect_eq(scan.report.rows, table.row_count);
        cr_expect_eq(scan.report.row_groups, lam_reader_row_group_count(reader));
        cr_expect_leq(scan.report.rows_pruned + wanted, scan.report.rows);
        cr_expect_leq(scan.report.pages_pruned, scan.report.pages);
        rows_pruned += scan.report.rows_pruned > 0;
        pages_pruned += scan.report.pages_pruned > 0;
        lam_scan_finish(&scan);
        lam_filter_destroy(filter);
        lam_reader_close(reader);
        lam_trial_output_free(&file);
        random_table_finish(&table);
    }
    cr_expect_gt(rows_pruned, 100);
    cr_expect_gt(pages_pruned, 50);
}

static lam_filter *one_test(const lam_reader *reader, lam_filter_operator operation, int64_t number,
                            bool negated) {
    lam_filter_builder *builder;
    lam_filter *filter;
    lam_value value = {.int64 = number};
    cr_assert_eq(lam_filter_builder_create(lam_reader_schema(reader), NULL, &builder, NULL), 0);
    cr_assert_eq(lam_filter_builder_compare(builder, "n", operation, &value, 1, NULL),
                 LAM_STATUS_OK);
    if (negated)
        cr_assert_eq(lam_filter_builder_not(builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    lam_filter_builder_destroy(builder);
    return filter;
}

/* --- Pages that are kept ------------------------------------------------------------------- */

/* The wanted rows of all leaves, as a hash of their triples, and what it took to find them. */
typedef struct kept_scan {
    uint64_t hash;
    lam_scan_report report;
    bool has_kept; /* any page */
} kept_scan;

/* Of the triples of a stretch of rows. */
static uint64_t hash_rows(const lam_field *leaf, lam_column_cursor *chunk, uint64_t rows) {
    seen_records seen = {.hash = rows};
    size_t size = lam_element_size(leaf);
    for (lam_triples run = {.count = 1}; run.count > 0;) {
        cr_assert_eq(lam_column_cursor_read_rows(chunk, SIZE_MAX, &rows, &run, NULL), 0);
        for (size_t i = 0; i < run.count; i++) {
            uint8_t levels[2] = {run.repetition == NULL ? 0 : run.repetition[i],
                                 run.definition == NULL ? leaf->max_definition : run.definition[i]};
            mix(&seen, levels, 2);
        }
        for (size_t i = 0; i < run.value_count; i++) {
            const uint8_t *value = (const uint8_t *)run.values + i * size;
            lam_bytes text = {value, size};
            if (leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY)
                memcpy(&text, value, sizeof text);
            mix(&seen, text.data, text.size);
        }
    }
    return seen.hash;
}

static void scan_leaf(const lam_scan *scan, size_t row_group, size_t leaf_index, kept_scan *ret) {
    const lam_field *leaf = lam_schema_leaf(lam_reader_schema(scan->reader), leaf_index);
    lam_arena arena;
    lam_column_cursor *chunk;
    uint64_t index_bytes = 0;
    lam_arena_init(&arena, &scan->reader->allocator, 0);
    cr_assert_eq(
        lam_scan_open_cursor(scan, row_group, leaf_index, &arena, &index_bytes, &chunk, NULL), 0);
    for (size_t i = 0; i < lam_row_ranges_count(&scan->ranges); i++) {
        lam_row_range range = lam_row_ranges_at(&scan->ranges, i);
        cr_assert_eq(lam_column_cursor_skip_to(chunk, range.begin, NULL), LAM_STATUS_OK);
        ret->hash = ret->hash * 31 + hash_rows(leaf, chunk, range.end - range.begin);
    }
    lam_column_cursor_destroy(chunk);
    lam_arena_finish(&arena);
}

static kept_scan scan_keeping(const lam_reader *reader, const lam_filter *filter,
                              const bool *leaves, uint64_t budget) {
    lam_scan scan;
    kept_scan found = {0};
    lam_scan_init(&scan, reader, filter, false);
    lam_scan_cache_pages(&scan, leaves, budget);
    for (size_t group = 0; group < lam_reader_row_group_count(reader); group++) {
        cr_assert_eq(lam_scan_group(&scan, group, NULL), LAM_STATUS_OK);
        cr_assert_leq(scan.page_cache.held, budget);
        found.has_kept |= scan.page_cache.held > 0;
        for (size_t leaf = 0; leaf < lam_schema_leaf_count(lam_reader_schema(reader)); leaf++)
            if (leaves == NULL || leaves[leaf])
                scan_leaf(&scan, group, leaf, &found);
    }
    found.report = scan.report;
    lam_scan_finish(&scan);
    return found;
}

Test(scan, rows_and_reports_do_not_depend_on_what_is_kept) {
    lam_random random = lam_random_start(lam_test_seed(6));
    static random_table table;
    int kept_some = 0;
    for (int round = 0; round < 500; round++) {
        lam_trial_output file;
        uint8_t outcomes[RANDOM_ROWS];
        bool leaves[RANDOM_LEAVES];
        random_table_fill(&table, &random);
        write_table(&table, &random, &file);
        lam_reader *reader = open_file(&file, NULL);
        lam_filter *filter = random_filter(&table, lam_reader_schema(reader), &random, outcomes);
        pick_leaves(leaves, &random);
        const bool *some = lam_random_chance(&random, 50) ? leaves : NULL;
        kept_scan none = scan_keeping(reader, filter, some, 0);
        cr_assert_not(none.has_kept);
        const uint64_t budgets[] = {1 + lam_random_below(&random, 2000), 1 << 20};
        for (size_t i = 0; i < 2; i++) {
            kept_scan kept = scan_keeping(reader, filter, some, budgets[i]);
            cr_assert_eq(kept.hash, none.hash, "round %d", round);
            cr_assert_eq(memcmp(&kept.report, &none.report, sizeof none.report), 0);
            kept_some += kept.has_kept;
        }
        lam_filter_destroy(filter);
        lam_reader_close(reader);
        lam_trial_output_free(&file);
        random_table_finish(&table);
    }
    cr_expect_gt(kept_some, 100);
}

typedef struct counted_input {
    const lam_buffer *bytes;
    uint64_t read_bytes;
} counted_input;

static lam_status read_counted(void *state, uint64_t offset, size_t size, void *buffer,
                               lam_error *error) {
    counted_input *counted = state;
    (void)error;
    memcpy(buffer, counted->bytes->data + offset, size);
    counted->read_bytes += size;
    return LAM_STATUS_OK;
}

/* Some row groups of numbers in no order. */
static void write_numbers(lam_trial_output *file) {
    enum { ROWS = 100000 };
    lam_random random = lam_random_start(8);
    int64_t *values = malloc(ROWS * sizeof *values);
    for (int i = 0; i < ROWS; i++)
        values[i] = (int64_t)lam_random_below(&random, 1000000);
    const lam_triples triples = {ROWS, ROWS, NULL, NULL, values};
    file->bytes = lam_test_file_of(
        "message m { required int64 n; }", &triples, ROWS,
        LAM_TEST_WRITER(.codec = LAM_CODEC_SNAPPY, .row_group_rows = ROWS / 4, .page_rows = 10000));
    free(values);
}

/* Once a column that a filter asks and that is wanted was read and uncompressed twice. */
Test(scan, a_column_that_is_asked_and_read_is_fetched_from_the_file_once) {
    lam_trial_output file = {0};
    write_numbers(&file);
    counted_input counted = {&file.bytes, 0};
    lam_input input = {&counted, file.bytes.size, read_counted, NULL, NULL};
    lam_reader *reader = lam_test_open_input(&input, NULL);
    lam_filter *filter = one_test(reader, LAM_FILTER_LESS, 500000, false);
    uint64_t before = counted.read_bytes;
    kept_scan none = scan_keeping(reader, filter, NULL, 0);
    uint64_t twice = counted.read_bytes - before;
    kept_scan kept = scan_keeping(reader, filter, NULL, 1 << 20);
    uint64_t once = counted.read_bytes - before - twice;
    cr_expect_eq(kept.hash, none.hash);
    cr_expect_eq(kept.report.filter_page_bytes, none.report.filter_page_bytes);
    cr_expect_lt(once, file.bytes.size + file.bytes.size / 10);
    cr_expect_gt(twice, 2 * file.bytes.size - file.bytes.size / 10);
    lam_filter_destroy(filter);
    lam_reader_close(reader);
    lam_trial_output_free(&file);
}

/* --- Dictionaries -------------------------------------------------------------------------- */

/* Three row groups of 100 rows: of the even numbers, of even ones and nulls, and of odd ones. */
static void write_parities(lam_trial_output *file) {
    lam_test_writer made = lam_test_write("optional int64 n;",
                                          LAM_TEST_WRITER(.row_group_rows = 100, .page_rows = 10));
    cr_assert_eq(lam_writer_set_encoding(made.writer, "n", LAM_ENCODING_RLE_DICTIONARY, NULL), 0);
    for (int i = 0; i < 300; i++)
        if (i / 100 != 1 || i % 3 > 0)
            lam_test_put(&made, "{n: %d}", i * 7 % 10 * 2 + i / 200);
        else
            lam_test_put(&made, "{}");
    file->bytes = lam_test_written(&made);
}

Test(scan, a_row_group_is_passed_over_when_its_dictionary_has_no_value_that_is_wanted) {
    static const struct {
        lam_filter_operator operation;
        int64_t number;
        bool negated;
        uint64_t by_dictionary, by_statistics, wanted;
    } cases[] = {
        {LAM_FILTER_EQUAL, 7, false, 2, 0, 10},           /* of the odd ones */
        {LAM_FILTER_NOT_EQUAL, 7, true, 2, 0, 10},        /* not n != 7 */
        {LAM_FILTER_EQUAL, 9, true, 0, 0, 100 + 90 + 67}, /* nulls are not wanted */
        {LAM_FILTER_EQUAL, 40, false, 0, 3, 0},           {LAM_FILTER_LESS, 1, false, 0, 1, 10 + 7},
    };
    lam_trial_output file = {0};
    write_parities(&file);
    lam_reader *reader = open_file(&file, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_filter *filter =
            one_test(reader, cases[i].operation, cases[i].number, cases[i].negated);
        for (int trusts = 0; trusts < 2; trusts++) {
            lam_scan scan;
            lam_scan_init(&scan, reader, filter, trusts == 0);
            for (size_t group = 0; group < 3; group++)
                cr_assert_eq(lam_scan_group(&scan, group, NULL), LAM_STATUS_OK);
            cr_expect_eq(scan.report.rows_wanted, cases[i].wanted, "case %zu: %d", i,
                         (int)scan.report.rows_wanted);
            cr_expect_eq(scan.report.row_groups_by_dictionary, trusts ? cases[i].by_dictionary : 0,
                         "case %zu", i);
            cr_expect_eq(scan.report.row_groups_by_statistics, trusts ? cases[i].by_statistics : 0,
                         "case %zu", i);
            lam_scan_finish(&scan);
        }
        lam_filter_destroy(filter);
    }
    lam_reader_close(reader);
    lam_trial_output_free(&file);
}

Test(scan, a_filter_of_another_schema_is_refused) {
    lam_random random = lam_random_start(lam_test_seed(3));
    static random_table table;
    lam_trial_output file;
    uint8_t outcomes[RANDOM_ROWS];
    random_table_fill(&table, &random);
    write_table(&table, &random, &file);
    lam_reader *reader = open_file(&file, NULL);
    lam_filter *filter = random_filter(&table, table.schema, &random, outcomes);
    lam_scan_options options = lam_scan_options_default();
    lam_record_reader *records;
    lam_error error = lam_error_none();
    options.filter = filter;
    cr_expect_eq(lam_record_reader_open_scan(reader, &options, &records, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "the filter was made for another schema");
    lam_filter_destroy(filter);
    lam_reader_close(reader);
    lam_trial_output_free(&file);
    random_table_finish(&table);
}

Test(scan, memory_that_runs_out_is_an_error_and_nothing_leaks) {
    lam_random random = lam_random_start(lam_test_seed(4));
    static random_table table;
    lam_trial_output file;
    random_table_fill(&table, &random);
    write_table(&table, &random, &file);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
        lam_failing_alloc failing = {.fail_at = nth};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_random same = lam_random_start(5);
        uint8_t outcomes[RANDOM_ROWS];
        seen_records seen;
        lam_scan_options options = lam_scan_options_default();
        lam_reader *reader = open_file(&file, &allocator);
        status = LAM_STATUS_NOMEM;
        if (reader != NULL) {
            lam_filter *filter = random_filter(&table, lam_reader_schema(reader), &same, outcomes);
            options.filter = filter;
            status = read_records(reader, &options, 0, &same, &seen);
            lam_filter_destroy(filter);
        }
        lam_reader_close(reader);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert_eq(failing.live_bytes, 0);
        cr_assert(nth < 10000);
    }
    lam_trial_output_free(&file);
    random_table_finish(&table);
}
