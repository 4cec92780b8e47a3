/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records that are left of damaged files, range by range: each must be the one that was
 * written, but for the columns that are lost.
 */
#include <criterion/criterion.h>
#include <lamella/json.h>
#include <lamella/salvage.h>
#include <stdio.h>
#include <string.h>

#include "damage/salvage_rest.h"
#include "file/file_sample.h"
#include "support/ending_input.h"

enum { LEFT_RECORDS = 300, LEFT_GROUP_ROWS = 200, LEFT_LEAVES_MOST = 5 };

static const char nested_shape[] =
    "message m { required int64 a; optional binary s; optional group o {"
    "            required int32 p; optional int64 q; } repeated group g { required int32 x; } }";
static const char flat_shape[] =
    "message m { required int64 a; optional binary s; optional int32 p; }";

typedef struct left_trial {
    lam_file_sample sample;
    size_t last_leaf;
    lam_ending_input ending;
    lam_input input;
    lam_reader *reader;
    lam_salvage *salvage;
    lam_record_reader *records;
    size_t range_count;
} left_trial;

/* Every second page of leaf 1 is damaged, and every third of the last leaf. */
static void damage_pages(left_trial *trial) {
    for (size_t page = 1; page < LEFT_GROUP_ROWS / 20; page += 2)
        lam_test_damage_page(&trial->sample.bytes, 1, page);
    for (size_t page = 0; page < LEFT_GROUP_ROWS / 20; page += 3)
        lam_test_damage_page(&trial->sample.bytes, trial->last_leaf, page);
}

static void open_left(left_trial *trial, const char *shape) {
    lam_random random = lam_random_start(lam_test_seed(31));
    lam_writer_options options = lam_writer_options_default();
    lam_salvage_rows rows = lam_salvage_rows_default();
    options.page_rows = 20;
    options.row_group_rows = LEFT_GROUP_ROWS;
    memset(trial, 0, sizeof *trial);
    lam_file_sample_init(&trial->sample, lam_test_schema(shape), LEFT_RECORDS, 70, &random);
    lam_file_sample_write(&trial->sample, &options, NULL);
    trial->last_leaf = lam_schema_leaf_count(trial->sample.schema) - 1;
    damage_pages(trial);
    trial->ending.file = (lam_bytes){trial->sample.bytes.data, trial->sample.bytes.size};
    trial->input = lam_ending_input_of(&trial->ending);
    cr_assert_eq(lam_reader_open(&trial->input, NULL, &trial->reader, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_salvage_open(trial->reader, NULL, &trial->salvage, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_salvage_open_records(trial->salvage, NULL, &trial->records, NULL),
                 LAM_STATUS_OK);
    while (lam_salvage_rows_at(trial->salvage, trial->range_count, &rows, NULL) == LAM_STATUS_OK)
        trial->range_count++;
    cr_assert_gt(trial->range_count, 8);
}

static void close_left(left_trial *trial) {
    lam_record_reader_close(trial->records);
    lam_salvage_close(trial->salvage);
    lam_reader_close(trial->reader);
    lam_file_sample_finish(&trial->sample);
}

static lam_salvage_rows rows_at(const left_trial *trial, size_t index) {
    lam_salvage_rows rows = lam_salvage_rows_default();
    cr_assert_eq(lam_salvage_rows_at(trial->salvage, index, &rows, NULL), LAM_STATUS_OK);
    return rows;
}

static void go_to(left_trial *trial, size_t index, bool *ret_leaves) {
    size_t lost = 0;
    cr_assert_eq(lam_salvage_go_to(trial->salvage, trial->records, index, ret_leaves, NULL),
                 LAM_STATUS_OK);
    for (size_t i = 0; i <= trial->last_leaf; i++)
        lost += !ret_leaves[i];
    cr_assert_eq(lost, rows_at(trial, index).columns_lost);
}

/* Reads the next records, which are those of the file from `first` on, and no more than `count`. */
static void expect_records(left_trial *trial, const bool *leaves, uint64_t first, uint64_t count,
                           uint64_t most) {
    lam_tree_builder builder;
    uint64_t got = 4711;
    lam_tree_builder_init(&builder, lam_reader_schema(trial->reader), &trial->sample.arena);
    lam_record_sink sink = lam_tree_builder_sink(&builder);
    cr_assert_eq(lam_record_reader_read(trial->records, &sink, most, &got, NULL), LAM_STATUS_OK);
    cr_assert_eq(got, count);
    lam_file_sample_expect(&trial->sample, &builder, leaves, (size_t)first, (size_t)count);
}

static uint64_t first_in_file(lam_salvage_rows rows) {
    return rows.row_group * LEFT_GROUP_ROWS + rows.first_row;
}

Test(salvage_records, ranges_have_the_records_without_the_columns_that_are_lost) {
    left_trial trial;
    bool leaves[LEFT_LEAVES_MOST];
    size_t whole = 0, lost = 0;
    open_left(&trial, nested_shape);
    for (size_t i = 0; i < trial.range_count; i++) {
        lam_salvage_rows rows = rows_at(&trial, i);
        go_to(&trial, i, leaves);
        expect_records(&trial, leaves, first_in_file(rows), rows.row_count, UINT64_MAX);
        whole += leaves[1] && leaves[trial.last_leaf];
        lost += !leaves[1] && !leaves[trial.last_leaf];
    }
    cr_assert(whole > 0 && lost > 0);
    close_left(&trial);
}

Test(salvage_records, ranges_may_come_in_any_order_and_be_read_in_part) {
    left_trial trial;
    lam_random random = lam_random_start(lam_test_seed(32));
    bool leaves[LEFT_LEAVES_MOST];
    open_left(&trial, nested_shape);
    for (int round = 0; round < 400; round++) {
        size_t index = lam_random_below(&random, trial.range_count);
        lam_salvage_rows rows = rows_at(&trial, index);
        uint64_t skip = lam_random_below(&random, (uint32_t)rows.row_count + 1), skipped = 0;
        uint64_t count = lam_random_below(&random, (uint32_t)(rows.row_count - skip) + 1);
        go_to(&trial, index, leaves);
        if (lam_random_chance(&random, 20))
            continue;
        cr_assert_eq(lam_record_reader_skip(trial.records, skip, &skipped, NULL), LAM_STATUS_OK);
        cr_assert_eq(skipped, skip);
        expect_records(&trial, leaves, first_in_file(rows) + skip, count, count);
    }
    close_left(&trial);
}

Test(salvage_records, ranges_behind_each_other_read_each_page_once) {
    /* Each range opened all columns anew, and looked for its rows from their beginning on. */
    left_trial trial;
    bool leaves[LEFT_LEAVES_MOST];
    open_left(&trial, nested_shape);
    lam_ending_input_again(&trial.ending, 0, 0);
    size_t least = SIZE_MAX;
    for (int way = 0; way < 2; way++) {
        size_t before = trial.ending.reads;
        for (size_t i = 0; i < trial.range_count; i++) {
            lam_salvage_rows rows = rows_at(&trial, way == 0 ? i : trial.range_count - 1 - i);
            go_to(&trial, way == 0 ? i : trial.range_count - 1 - i, leaves);
            expect_records(&trial, leaves, first_in_file(rows), rows.row_count, UINT64_MAX);
        }
        size_t reads = trial.ending.reads - before;
        if (way == 0)
            least = reads;
        else
            cr_assert_gt(reads, 2 * least, "%zu reads in order, %zu backwards", least, reads);
    }
    close_left(&trial);
}

Test(salvage_records, a_failed_read_ends_with_the_next_range) {
    left_trial trial;
    bool leaves[LEFT_LEAVES_MOST];
    size_t failures = 0;
    open_left(&trial, nested_shape);
    for (size_t nth = 1; nth < 60; nth++) {
        lam_tree_builder builder;
        lam_tree_builder_init(&builder, lam_reader_schema(trial.reader), &trial.sample.arena);
        lam_record_sink sink = lam_tree_builder_sink(&builder);
        lam_ending_input_again(&trial.ending, nth, 0);
        for (size_t i = 0; i < trial.range_count; i++) {
            lam_salvage_rows rows = rows_at(&trial, i);
            uint64_t count = 4711;
            go_to(&trial, i, leaves);
            if (lam_record_reader_read(trial.records, &sink, 1, &count, NULL) != LAM_STATUS_OK) {
                failures++;
                cr_assert_eq(count, 4711);
                cr_assert_eq(lam_record_reader_read(trial.records, &sink, 1, &count, NULL),
                             LAM_STATUS_STATE);
                go_to(&trial, i, leaves);
                expect_records(&trial, leaves, first_in_file(rows), 1, 1);
            }
        }
    }
    cr_assert_gt(failures, 10);
    close_left(&trial);
}

Test(salvage_records, only_the_leaves_that_are_marked_are_read) {
    left_trial trial;
    lam_record_reader *records;
    bool marked[LEFT_LEAVES_MOST] = {false, true, false}, leaves[LEFT_LEAVES_MOST];
    open_left(&trial, nested_shape);
    records = trial.records;
    cr_assert_eq(lam_salvage_open_records(trial.salvage, marked, &trial.records, NULL),
                 LAM_STATUS_OK);
    for (size_t i = 0; i < trial.range_count; i++) {
        lam_salvage_rows rows = rows_at(&trial, i);
        go_to(&trial, i, leaves);
        const bool wanted[LEFT_LEAVES_MOST] = {false, leaves[1], false};
        expect_records(&trial, wanted, first_in_file(rows), rows.row_count, UINT64_MAX);
    }
    lam_record_reader_close(records);
    close_left(&trial);
}

/* JSON of one range, whose writer the reader has let go when all of it is read. */
static void print_range(left_trial *trial, size_t index, bool *leaves, char *text, size_t size) {
    lam_json_writer_options json = lam_json_writer_options_default();
    lam_output output;
    lam_json_writer *writer;
    uint64_t printed;
    go_to(trial, index, leaves);
    json.leaves = leaves;
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_json_writer_create(lam_reader_schema(trial->reader), &output, &json, NULL,
                                        &writer, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_json_writer_print(writer, trial->records, UINT64_MAX, &printed, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(printed, rows_at(trial, index).row_count);
    cr_assert_eq(lam_json_writer_flush(writer, NULL), LAM_STATUS_OK);
    lam_json_writer_destroy(writer);
    lam_bytes bytes = lam_output_memory_bytes(&output);
    snprintf(text, size, "%.*s", (int)bytes.size, (const char *)bytes.data);
    lam_output_close(&output);
}

Test(salvage_records, flat_records_print_with_fewer_columns_than_the_reader_has) {
    /* The loop for records without groups went on behind the columns that are read. */
    left_trial trial;
    size_t shorter = 0;
    open_left(&trial, flat_shape);
    for (size_t i = 0; i < trial.range_count; i++) {
        bool leaves[LEFT_LEAVES_MOST];
        char text[4096];
        print_range(&trial, i, leaves, text, sizeof text);
        const char *line_end = strchr(text, '\n');
        cr_assert_not_null(line_end);
        *strchr(text, '\n') = '\0';
        cr_assert_eq(strstr(text, "\"a\":") != NULL, leaves[0], "%s", text);
        cr_assert_eq(strstr(text, "\"s\":") != NULL, leaves[1], "%s", text);
        cr_assert_eq(strstr(text, "\"p\":") != NULL, leaves[2], "%s", text);
        shorter += !leaves[1] || !leaves[2];
    }
    cr_assert_gt(shorter, 4);
    close_left(&trial);
}

Test(salvage_records, what_cannot_be_is_refused) {
    left_trial trial;
    lam_record_reader *records = NULL;
    bool leaves[LEFT_LEAVES_MOST];
    lam_error error = lam_error_none();
    open_left(&trial, flat_shape);
    cr_assert_eq(lam_salvage_open_records(NULL, NULL, &records, &error), LAM_STATUS_INVALID);
    cr_assert_null(records);
    cr_assert_eq(lam_salvage_go_to(trial.salvage, trial.records, trial.range_count, leaves, &error),
                 LAM_STATUS_NOT_FOUND);
    close_left(&trial);
}

Test(salvage_records, a_stop_ends_going_to_rows) {
    left_trial trial;
    lam_stop stop = {0};
    lam_salvage_options options = lam_salvage_options_default();
    bool leaves[LEFT_LEAVES_MOST];
    open_left(&trial, flat_shape);
    lam_record_reader_close(trial.records);
    lam_salvage_close(trial.salvage);
    options.stop = &stop;
    cr_assert_eq(lam_salvage_open(trial.reader, &options, &trial.salvage, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_salvage_open_records(trial.salvage, NULL, &trial.records, NULL),
                 LAM_STATUS_OK);
    lam_stop_request(&stop);
    cr_assert_eq(lam_salvage_go_to(trial.salvage, trial.records, 0, leaves, NULL),
                 LAM_STATUS_CANCELLED);
    close_left(&trial);
}
