/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions on paths of VARIANTs over files: the same as on whole values, whatever is read. */
#include "scan/evaluate/walk_evaluation.h"
#include <lamella/filter_text.h>
#include <lamella/scan.h>

#include "file/file_sample.h"
#include "scan/variant_table.h"
#include "support/ending_input.h"
#include "support/failing_alloc.h"
#include "support/whole_footer.h"
#include "variant/random_shredding.h"
#include "variant/shred_trip.h"

#define OK(call)                                                                                   \
    do {                                                                                           \
        lam_error ok_error = lam_error_none();                                                     \
        cr_assert_eq((call), LAM_STATUS_OK, "%s: %s", #call, ok_error.message);                    \
    } while (0)

/* --- Files that remember their values --------------------------------------------------------- */

typedef struct part_file {
    variant_table table;
    lam_buffer bytes;
    lam_reader *reader;
} part_file;

static lam_writer_options random_options(lam_random *random, size_t records) {
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = 1 + lam_random_below(random, records);
    options.page_rows = 1 + lam_random_below(random, records / 2);
    options.data_page_version = 1 + (int32_t)lam_random_below(random, 2);
    options.dictionary = lam_random_chance(random, 40) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.statistics = lam_random_chance(random, 15) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.page_index = lam_random_chance(random, 30) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.auto_bloom_filters = lam_random_chance(random, 30);
    options.codec = LAM_CODEC_UNCOMPRESSED;
    return options;
}

static void open_file(part_file *file) {
    file->reader = lam_test_open(file->bytes.data, file->bytes.size, NULL);
    file->table.schema = lam_reader_schema(file->reader);
}

static void write_file(part_file *file, lam_random *random, size_t records, unsigned value_size) {
    lam_schema *schema = lam_random_nested_shredding(random, 100);
    lam_writer_options options = random_options(random, records);
    lam_test_writer written = lam_test_write_as(schema, &options);
    memset(file, 0, sizeof *file);
    variant_table_write(&file->table, random, lam_writer_schema(written.writer), written.sink,
                        records, value_size);
    file->bytes = lam_test_written(&written);
    lam_schema_destroy(schema);
    open_file(file);
}

static void free_file(part_file *file) {
    variant_table_finish(&file->table);
    lam_reader_close(file->reader);
    lam_buffer_finish(&file->bytes);
}

/* --- Reading ---------------------------------------------------------------------------------- */

typedef struct numbers {
    const lam_field *leaf;
    int32_t *items;
    size_t count;
} numbers;

static lam_status numbers_begin(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static lam_status numbers_group(void *state, const lam_field *group, lam_error *error) {
    (void)group;
    return numbers_begin(state, error);
}

static lam_status numbers_put(void *state, const lam_field *leaf, lam_value value,
                              lam_error *error) {
    numbers *seen = state;
    (void)error;
    if (leaf == seen->leaf)
        seen->items[seen->count++] = value.int32;
    return LAM_STATUS_OK;
}

/* The numbers `o` of the records that a filter wants; `items` has room for all. */
static lam_status read_numbers(const lam_reader *reader, const lam_filter *filter, bool no_pruning,
                               int32_t *items, size_t *ret_count, lam_error *error) {
    const lam_schema *schema = lam_reader_schema(reader);
    numbers seen = {field_of(schema, "o"), items, 0};
    lam_record_sink sink = {&seen,         numbers_begin, numbers_group, numbers_put,
                            numbers_group, numbers_begin, NULL};
    lam_scan_options options = lam_scan_options_default();
    bool leaves[256] = {false};
    lam_record_reader *records;
    uint64_t got;
    leaves[lam_field_first_leaf(seen.leaf)] = true;
    options.leaves = leaves;
    options.filter = filter;
    options.pruning = no_pruning ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    cr_assert_leq(lam_schema_leaf_count(schema), sizeof leaves);
    lam_status status = lam_record_reader_open_scan(reader, &options, &records, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_record_reader_read(records, &sink, UINT64_MAX, &got, error);
    lam_record_reader_close(records);
    *ret_count = seen.count;
    return status;
}

typedef struct part_totals {
    size_t wanted;
    size_t some; /* conditions that tell records apart */
} part_totals;

static void try_condition(uint64_t seed, part_file *file, part_totals *totals) {
    static table_condition made;
    lam_filter *filter = variant_table_condition(&file->table, true, &made);
    int32_t *items = calloc(file->table.records + 1, sizeof *items);
    size_t expected = 0;
    for (size_t i = 0; i < file->table.records; i++)
        expected += made.outcomes[i] == LAM_OUTCOME_TRUE;
    for (int no_pruning = 0; no_pruning < 2; no_pruning++) {
        lam_error error = lam_error_none();
        size_t count = 0, next = 0;
        lam_status status =
            read_numbers(file->reader, filter, no_pruning != 0, items, &count, &error);
        bool same = status == LAM_STATUS_OK && count == expected;
        for (size_t i = 0; same && i < file->table.records; i++)
            if (made.outcomes[i] == LAM_OUTCOME_TRUE)
                same = items[next++] == (int32_t)i;
        if (!same)
            variant_table_describe(seed, &file->table, &made);
        cr_assert(same, "no_pruning %d: status %d %s, %zu records where %zu are wanted", no_pruning,
                  (int)status, error.message, count, expected);
    }
    totals->wanted += expected;
    totals->some += expected > 0 && expected < file->table.records;
    lam_filter_destroy(filter);
    free(items);
    free(made.outcomes);
}

static void try_files(uint64_t seed, uint64_t files, size_t records, unsigned value_size,
                      part_totals *totals) {
    memset(totals, 0, sizeof *totals);
    for (uint64_t i = 0; i < files; i++) {
        lam_random random = lam_random_start(seed + i);
        part_file file;
        write_file(&file, &random, records, value_size);
        for (int k = 0; k < 8; k++)
            try_condition(seed + i, &file, totals);
        free_file(&file);
    }
}

Test(walk_evaluation, records_are_those_of_which_the_condition_is_true_of_whole_values,
     .timeout = 240) {
    part_totals totals;
    try_files(lam_test_seed(20261123), 600, 20, 40, &totals);
    cr_expect_gt(totals.wanted, 10000, "%zu", totals.wanted);
    cr_expect_gt(totals.some, 1000, "%zu", totals.some);
}

Test(walk_evaluation, records_of_many_batches_are_told_apart, .timeout = 240) {
    part_totals totals;
    try_files(lam_test_seed(20261124), 6, 9000, 3, &totals);
    cr_expect_gt(totals.some, 5, "%zu", totals.some);
}

/* --- What the file says of its columns -------------------------------------------------------- */

static const char EVENT[] =
    "message m { required int32 n; optional group v (VARIANT) { required binary metadata;"
    "optional binary value; optional group typed_value {"
    "required group a { optional binary value; optional int64 typed_value; } } }"
    "required int32 o; }";

/* Records of {"a": 0}, {"a": "x"}, {"a": 2}, {"a": "x"} and so on: every second one is in `value`
 * where `mixes`. */
static void write_pages(part_file *file, size_t records, size_t row_group_rows, size_t page_rows,
                        bool mixes) {
    static const char names[] = "11 01 00 01 61";
    lam_test_writer written = lam_test_write(
        EVENT, LAM_TEST_WRITER(.row_group_rows = row_group_rows, .page_rows = page_rows));
    memset(file, 0, sizeof *file);
    file->table.schema = lam_writer_schema(written.writer);
    file->table.sink = written.sink;
    OK(lam_variant_shredder_create(field_of(file->table.schema, "v"), NULL, NULL,
                                   &file->table.shredder, &ok_error));
    for (; file->table.records < records; file->table.records++) {
        char value[40];
        if (mixes && file->table.records % 2 == 1)
            snprintf(value, sizeof value, "02 01 00 00 02 0578");
        else
            snprintf(value, sizeof value, "02 01 00 00 02 0C%02X",
                     (unsigned)file->table.records % 100);
        lam_variant variant = hex_variant(names, value);
        OK(file->table.sink.begin(file->table.sink.state, &ok_error));
        variant_table_put_number(&file->table, "n", file->table.records / 4);
        OK(lam_variant_shredder_write(file->table.shredder, variant, &file->table.sink, &ok_error));
        variant_table_put_number(&file->table, "o", file->table.records);
        OK(file->table.sink.end(file->table.sink.state, &ok_error));
        free_variant(variant);
    }
    lam_variant_shredder_destroy(file->table.shredder);
    file->bytes = lam_test_written(&written);
    open_file(file);
}

static void write_events(part_file *file, size_t records, size_t row_group_rows, bool mixes) {
    write_pages(file, records, row_group_rows, 0, mixes);
}

static lam_filter *parse(const lam_reader *reader, const char *text) {
    lam_filter *filter;
    OK(lam_filter_parse(lam_reader_schema(reader), text, strlen(text), NULL, NULL, &filter,
                        &ok_error));
    return filter;
}

static size_t count_wanted(const part_file *file, const char *text, bool no_pruning) {
    lam_filter *filter = parse(file->reader, text);
    int32_t items[64];
    size_t count = 0;
    OK(read_numbers(file->reader, filter, no_pruning, items, &count, &ok_error));
    lam_filter_destroy(filter);
    return count;
}

Test(walk_evaluation, a_column_is_needed_where_the_file_does_not_say_that_it_has_no_values) {
    static const struct {
        int64_t nulls; /* -2: none is told */
        bool has_bounds, has_levels, needs;
        size_t strings; /* found when the file is trusted */
    } cases[] = {
        {10, true, true, true, 10},   {-2, true, true, true, 10},
        {-1, false, true, true, 10},  {21, false, true, true, 10}, /* no count, too large a one */
        {20, true, false, true, 10},                               /* of which there are bounds */
        {20, false, true, true, 10},                               /* and levels count values */
        {20, false, false, false, 0},                              /* a lie that nothing shows */
    };
    part_file file;
    write_events(&file, 20, 20, true);
    lam_filter *filter = parse(file.reader, "v.a = 'x'");
    lam_footer_change change;
    lam_footer_change_begin(&change, file.reader);
    size_t leaf = lam_field_first_leaf(lam_schema_find(file.table.schema, "v.typed_value.a.value"));
    lam_meta_column *column = lam_footer_change_column(&change, 0, leaf);
    const lam_meta_size_statistics *levels = column->size_statistics;
    lam_meta_statistics *statistics = (lam_meta_statistics *)(uintptr_t)column->statistics;
    uint32_t has_all = statistics->has;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool needs = !cases[i].needs;
        uint32_t count = LAM_META_STATISTICS_HAS_NULL_COUNT;
        statistics->has = cases[i].has_bounds ? has_all & ~count : 0;
        statistics->has |= cases[i].nulls != -2 ? count : 0;
        statistics->null_count = cases[i].nulls;
        column->size_statistics = cases[i].has_levels ? levels : NULL;
        lam_footer_change_apply(&change);
        OK(lam_walk_evaluation_choose(file.reader, filter, 0, true, &needs, &ok_error));
        cr_expect_eq(needs, cases[i].needs, "case %zu", i);
        OK(lam_walk_evaluation_choose(file.reader, filter, 0, false, &needs, &ok_error));
        cr_expect(needs, "case %zu: without trust", i);
        cr_expect_eq(count_wanted(&file, "v.a = 'x'", false), cases[i].strings, "case %zu", i);
        cr_expect_eq(count_wanted(&file, "v.a = 'x'", true), 10, "case %zu", i);
    }
    lam_footer_change_end(&change);
    lam_filter_destroy(filter);
    free_file(&file);
}

Test(walk_evaluation, a_path_without_values_in_guards_is_its_typed_column_alone) {
    part_file file;
    lam_scan_options options = lam_scan_options_default();
    lam_record_reader *records;
    static const bool leaves[6] = {[5] = true};
    uint64_t got;
    numbers seen = {NULL, NULL, 0};
    lam_record_sink sink = {&seen,         numbers_begin, numbers_group, numbers_put,
                            numbers_group, numbers_begin, NULL};
    write_events(&file, 40, 10, false);
    lam_filter *filter = parse(file.reader, "v.a >= 12 and v.a <= 15");
    bool needs[2] = {true, true};
    OK(lam_walk_evaluation_choose(file.reader, filter, 0, true, needs, &ok_error));
    cr_expect(!needs[0] && !needs[1]);
    options.filter = filter;
    options.leaves = leaves;
    OK(lam_record_reader_open_scan(file.reader, &options, &records, &ok_error));
    OK(lam_record_reader_read(records, &sink, UINT64_MAX, &got, &ok_error));
    lam_scan_report report = lam_scan_report_default();
    OK(lam_record_reader_report(records, &report, &ok_error));
    cr_expect(got == 4 && report.row_groups_by_statistics == 3, "all but the second");
    lam_record_reader_close(records);
    lam_filter_destroy(filter);
    free_file(&file);
}

/* Conditions on numbers leave gaps, so that columns of the VARIANT skip to their rows. */
static const struct {
    const char *text;
    size_t count;
} sweeps[] = {
    {"v.a = 'x' and v.a is not null or v.b[] > 5 or n = 1", 22},
    {"v.a = 'x'", 20},
    {"(o between 8 and 14 or o between 28 and 33) and (v.a = 'x' or v.b[] > 5)", 6},
};

/* Opens the file anew and counts the records of a condition. */
static lam_status sweep_once(const lam_input *input, const lam_allocator *allocator,
                             const char *text, size_t *ret_count) {
    lam_reader_options options = lam_reader_options_default();
    lam_input copy = *input;
    lam_reader *reader = NULL;
    lam_filter *filter = NULL;
    int32_t items[64];
    options.allocator = allocator;
    lam_status status = lam_reader_open(&copy, &options, &reader, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_filter_parse(lam_reader_schema(reader), text, strlen(text), NULL, allocator,
                                  &filter, NULL);
    if (status == LAM_STATUS_OK)
        status = read_numbers(reader, filter, false, items, ret_count, NULL);
    lam_filter_destroy(filter);
    if (reader != NULL)
        lam_reader_close(reader);
    else
        lam_input_close(&copy);
    return status;
}

Test(walk_evaluation, memory_that_runs_out_is_an_error_and_nothing_leaks) {
    part_file file;
    write_pages(&file, 40, 35, 5, true);
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++) {
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
            lam_failing_alloc failing = {.fail_at = nth};
            lam_allocator allocator = lam_failing_allocator(&failing);
            lam_input input = lam_input_memory(file.bytes.data, file.bytes.size);
            size_t count = 0;
            status = sweep_once(&input, &allocator, sweeps[i].text, &count);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%d", (int)status);
            if (status == LAM_STATUS_OK)
                cr_expect_eq(count, sweeps[i].count, "%s: %zu", sweeps[i].text, count);
            cr_assert_eq(failing.live_bytes, 0);
            cr_assert_eq(failing.wrong_sizes, 0);
        }
    }
    free_file(&file);
}

Test(walk_evaluation, each_read_that_fails_is_reported) {
    static lam_ending_input source;
    part_file file;
    write_pages(&file, 40, 35, 5, true);
    source.file = (lam_bytes){file.bytes.data, file.bytes.size};
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++) {
        lam_status status = LAM_STATUS_IO;
        for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
            lam_input input = lam_ending_input_of(&source);
            size_t count = 0;
            lam_ending_input_again(&source, nth, 0);
            status = sweep_once(&input, NULL, sweeps[i].text, &count);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_IO, "%d", (int)status);
            if (status == LAM_STATUS_OK)
                cr_expect_eq(count, sweeps[i].count, "%s: %zu", sweeps[i].text, count);
        }
    }
    free_file(&file);
}
