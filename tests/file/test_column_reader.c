/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each column chunk is read by itself, several at a time, and a failure names row group, column and
 * offset.
 */
#include <criterion/criterion.h>
#include <lamella/column.h>
#include <lamella/writer.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_sample.h"

/* Twenty numbers in two row groups. */
static lam_file_sample write_numbers(void) {
    lam_file_sample sample;
    lam_random random = lam_random_start(1);
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = 12;
    options.page_rows = 5;
    lam_file_sample_init(&sample,
                         lam_test_schema("message m { required int32 a; required int64 b; }"), 20,
                         100, &random);
    for (size_t i = 0; i < 20; i++) {
        sample.records[i].fields[0].items[0].value.int32 = (int32_t)i;
        sample.records[i].fields[1].items[0].value.int64 = -(int64_t)i;
    }
    lam_file_sample_write(&sample, &options, NULL);
    return sample;
}

Test(column_reader, each_chunk_has_the_values_of_its_leaf_and_row_group) {
    lam_file_sample sample = write_numbers();
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    for (size_t i = 0; i < 4; i++) {
        lam_column_reader *column;
        lam_triples run = {.count = 1};
        size_t row = i < 2 ? 0 : 12;
        cr_assert_eq(lam_column_reader_open(reader, i / 2, i % 2, &column, NULL), LAM_STATUS_OK);
        while (run.count > 0) {
            cr_assert_eq(lam_column_reader_read(column, 3, &run, NULL), LAM_STATUS_OK);
            cr_assert_leq(run.count, 3);
            for (size_t k = 0; k < run.count; k++, row++) {
                int64_t value = i % 2 == 0 ? ((const int32_t *)run.values)[k]
                                           : ((const int64_t *)run.values)[k];
                cr_assert_eq(value, i % 2 == 0 ? (int64_t)row : -(int64_t)row);
            }
        }
        cr_assert_eq(row, i < 2 ? 12 : 20);
        lam_column_reader_close(column);
    }
    lam_column_reader_close(NULL);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

/*
 * A run of a dictionary stands for gigabytes of text. What is lent at once bounds what anyone does
 * before the stop is asked again: the first batch, too, which opens the page.
 */
Test(column_reader, long_texts_of_a_dictionary_are_lent_a_few_at_a_time) {
    enum { ROWS = 100, SIZE = 300000 };
    lam_file_sample sample;
    lam_random random = lam_random_start(1);
    uint8_t *text = malloc(SIZE);
    cr_assert(text != NULL);
    memset(text, 'a', SIZE);
    lam_file_sample_init(&sample, lam_test_schema("message m { required binary s; }"), ROWS, 100,
                         &random);
    for (size_t i = 0; i < ROWS; i++)
        sample.records[i].fields[0].items[0].value.bytes = (lam_bytes){text, SIZE};
    lam_file_sample_write(&sample, NULL, NULL);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_column_reader *column;
    lam_triples run = {.count = 1};
    size_t rows = 0;
    cr_assert_lt(sample.bytes.size, 3 * SIZE);
    cr_assert_eq(lam_column_reader_open(reader, 0, 0, &column, NULL), LAM_STATUS_OK);
    for (; run.count > 0; rows += run.count) {
        cr_assert_eq(lam_column_reader_read(column, SIZE_MAX, &run, NULL), LAM_STATUS_OK);
        cr_assert_leq(run.count, 3, "%zu texts of %d bytes", run.count, SIZE);
    }
    cr_expect_eq(rows, ROWS);
    lam_column_reader_close(column);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
    free(text);
}

Test(column_reader, readers_of_one_file_do_not_disturb_each_other) {
    lam_file_sample sample = write_numbers();
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_column_reader *columns[4];
    lam_triples runs[4];
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(lam_column_reader_open(reader, 0, 0, &columns[i], NULL), LAM_STATUS_OK);
    for (int32_t n = 0; n < 12; n++) {
        for (size_t i = 0; i < 4; i++)
            cr_assert_eq(lam_column_reader_read(columns[i], 1, &runs[i], NULL), LAM_STATUS_OK);
        for (size_t i = 0; i < 4; i++) {
            cr_assert_eq(runs[i].count, 1);
            cr_assert_eq(*(const int32_t *)runs[i].values, n);
        }
    }
    for (size_t i = 0; i < 4; i++)
        lam_column_reader_close(columns[i]);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(column_reader, failures_name_row_group_column_and_offset) {
    lam_file_sample sample = write_numbers();
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_column_chunk_info info = lam_column_chunk_info_default();
    cr_assert_eq(lam_reader_column_chunk(reader, 1, 1, &info, NULL), LAM_STATUS_OK);
    sample.bytes.data[info.data_page_offset + info.total_compressed_size - 1] ^= 1;
    lam_column_reader *column;
    lam_error error = lam_error_none();
    lam_triples run;
    cr_assert_eq(lam_column_reader_open(reader, 1, 1, &column, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_column_reader_read(column, 100, &run, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_column_reader_read(column, 100, &run, &error), LAM_STATUS_CORRUPT);
    cr_assert_eq(error.row_group, 1);
    cr_assert_eq(error.column, 1);
    cr_assert_gt(error.offset, info.data_page_offset);
    cr_assert_eq(lam_column_reader_read(column, 100, &run, &error), LAM_STATUS_STATE);
    lam_column_reader_close(column);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}
