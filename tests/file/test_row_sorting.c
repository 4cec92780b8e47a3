/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that come in the order that was stated for them, and the first that does not. */
#include "file/write/row_sorting.h"

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <lamella/writer.h>
#include <math.h>
#include <stdio.h>

#include "file/file_sample.h"
#include "support/failing_alloc.h"
#include "support/random.h"

enum { ROWS = 40 };

/* Two columns of few numbers, so that the second one matters. */
typedef struct rows {
    int32_t numbers[2][ROWS];
    bool nulls[2][ROWS];
} rows;

static int compare_cells(const rows *all, int column, size_t a, size_t b, bool descending,
                         bool nulls_first) {
    bool no_a = all->nulls[column][a], no_b = all->nulls[column][b];
    if (no_a || no_b)
        return nulls_first ? no_b - no_a : no_a - no_b;
    int32_t left = all->numbers[column][a], right = all->numbers[column][b];
    return (left > right) - (left < right) < 0 ? (descending ? 1 : -1)
           : left == right                     ? 0
                                               : (descending ? -1 : 1);
}

/* The first row that does not stand behind the one before it, or -1. */
static int first_misplaced(const rows *all, size_t count, size_t group_rows, bool descending,
                           bool nulls_first) {
    for (size_t row = 1; row < count; row++) {
        int order = compare_cells(all, 1, row - 1, row, descending, nulls_first);
        if (order == 0)
            order = compare_cells(all, 0, row - 1, row, !descending, !nulls_first);
        if (row % group_rows != 0 && order > 0)
            return (int)row;
    }
    return -1;
}

static lam_status write_part(lam_writer *writer, const rows *all, size_t first, size_t count,
                             lam_error *error) {
    lam_triples columns[2];
    int32_t numbers[2][ROWS];
    uint8_t levels[2][ROWS];
    for (int column = 0; column < 2; column++) {
        size_t values = 0;
        for (size_t i = 0; i < count; i++) {
            bool is_null = all->nulls[column][first + i];
            levels[column][i] = !is_null;
            if (!is_null)
                numbers[column][values++] = all->numbers[column][first + i];
        }
        columns[column] = (lam_triples){count, values, NULL, levels[column], numbers[column]};
    }
    return lam_writer_write_triples(writer, columns, count, error);
}

static lam_status write_rows(const rows *all, size_t count, size_t group_rows, bool descending,
                             bool nulls_first, lam_random *random, lam_error *error) {
    lam_writer_options options = lam_writer_options_default();
    lam_status status = LAM_STATUS_OK;
    options.check_sorting = true;
    options.row_group_rows = group_rows;
    lam_test_writer file =
        lam_test_write("message m { optional int32 a; optional int32 b; }", &options);
    lam_writer *writer = file.writer;
    cr_assert_eq(lam_writer_add_sorting_column(writer, "b", descending, nulls_first, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_writer_add_sorting_column(writer, "a", !descending, !nulls_first, NULL),
                 LAM_STATUS_OK);
    for (size_t done = 0, part; done < count && status == LAM_STATUS_OK; done += part) {
        part = 1 + (size_t)lam_random_below(random, count - done);
        status = write_part(writer, all, done, part, error);
    }
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, error);
    else
        cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_STATE);
    lam_test_drop(&file);
    return status;
}

/* Mostly sorted: each row repeats the one before, or goes on from it. */
static void make_rows(rows *all, size_t count, bool descending, bool nulls_first,
                      lam_random *random) {
    for (size_t row = 0; row < count; row++)
        for (int column = 0; column < 2; column++) {
            int32_t before = row == 0 ? 0 : all->numbers[column][row - 1];
            bool down = descending != (column == 0);
            int32_t step = lam_random_below(random, 8) == 0 ? 1 : 0;
            bool is_null = nulls_first == (column == 1) ? row < 2 : row + 3 > count;
            all->numbers[column][row] = down ? before - step : before + step;
            all->nulls[column][row] = is_null || lam_random_below(random, 60) == 0;
        }
}

Test(row_sorting, the_first_row_that_is_not_sorted_is_named) {
    size_t good = 0, bad = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        lam_random random = lam_random_start(seed);
        rows all;
        char wanted[48];
        lam_error error = lam_error_none();
        bool descending = seed % 2 == 1, nulls_first = seed / 2 % 2 == 1;
        size_t count = 1 + (size_t)lam_random_below(&random, ROWS);
        size_t group_rows = 1 + (size_t)lam_random_below(&random, 2 * ROWS);
        make_rows(&all, count, descending, nulls_first, &random);
        int misplaced = first_misplaced(&all, count, group_rows, descending, nulls_first);
        lam_status status =
            write_rows(&all, count, group_rows, descending, nulls_first, &random, &error);
        snprintf(wanted, sizeof wanted, "row %d, counted from 0, is out of order", misplaced);
        cr_assert_eq(status, misplaced < 0 ? LAM_STATUS_OK : LAM_STATUS_INVALID, "seed %d: %s",
                     (int)seed, error.message);
        cr_assert(misplaced < 0 || strncmp(error.message, wanted, strlen(wanted)) == 0,
                  "seed %d: %s instead of %s", (int)seed, error.message, wanted);
        good += misplaced < 0;
        bad += misplaced >= 0;
    }
    cr_assert(good > 50 && bad > 50, "%zu %zu", good, bad);
}

/* One column of doubles through the verbs, which gather records before rows are compared. */
static lam_status write_doubles(const double *values, size_t count, bool total_order,
                                lam_error *error) {
    lam_writer_options options = lam_writer_options_default();
    lam_status status = LAM_STATUS_OK;
    options.check_sorting = true;
    options.float_total_order = total_order;
    lam_test_writer file = lam_test_write("message m { required double d; }", &options);
    cr_assert_eq(lam_writer_add_sorting_column(file.writer, "d", false, false, NULL),
                 LAM_STATUS_OK);
    const lam_field *leaf = lam_schema_leaf(lam_writer_schema(file.writer), 0);
    for (size_t i = 0; i < count && status == LAM_STATUS_OK; i++) {
        cr_assert_eq(lam_begin(&file.sink, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_put_double(&file.sink, leaf, values[i], NULL), LAM_STATUS_OK);
        status = lam_end(&file.sink, error);
    }
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(file.writer, error);
    lam_test_drop(&file);
    return status;
}

Test(row_sorting, a_nan_is_sorted_in_total_order_only) {
    const double values[] = {-1, 0, 7, (double)NAN, (double)NAN};
    lam_error error = lam_error_none();
    cr_expect_eq(write_doubles(values, 3, false, &error), LAM_STATUS_OK);
    cr_expect_eq(write_doubles(values, 5, true, &error), LAM_STATUS_OK, "%s", error.message);
    cr_expect_eq(write_doubles(values, 5, false, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message,
                     "row 3, counted from 0, or the row before it has a NaN in 'd', by which rows "
                     "are sorted, and only IEEE 754 total order gives a NaN a position");
}

Test(row_sorting, zeros_are_equal_but_in_total_order) {
    const double values[] = {-1, 0.0, -0.0, 7};
    lam_error error = lam_error_none();
    cr_expect_eq(write_doubles(values, 4, false, &error), LAM_STATUS_OK, "%s", error.message);
    cr_expect_eq(write_doubles(values, 4, true, &error), LAM_STATUS_INVALID);
}

/* Writes texts and a null in their order, which is checked. */
static lam_status write_texts(const lam_schema *schema, const lam_allocator *allocator,
                              lam_error *error) {
    static const lam_bytes texts[] = {{(const uint8_t *)"ant", 3},
                                      {(const uint8_t *)"antelope", 8}};
    static const uint8_t levels[] = {1, 1, 0};
    const lam_triples column = {3, 2, NULL, levels, texts};
    lam_trial_output trial = {0};
    lam_output output = lam_trial_output_open(&trial);
    lam_writer_options options = lam_writer_options_default();
    lam_writer *writer = NULL;
    options.check_sorting = true;
    options.allocator = allocator;
    lam_status status = lam_writer_open(schema, &output, &options, &writer, error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_add_sorting_column(writer, "s", false, false, error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_write_triples(writer, &column, 3, error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, error);
    lam_writer_close(writer);
    lam_output_close(&output);
    lam_trial_output_free(&trial);
    return status;
}

Test(row_sorting, memory_that_runs_out_is_no_row_out_of_order) {
    lam_schema *schema = lam_test_schema("message m { optional binary s; }");
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t number = 1; status == LAM_STATUS_NOMEM; number++) {
        lam_failing_alloc counter = {.fail_at = number};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_error error = lam_error_none();
        status = write_texts(schema, &allocator, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%zu: %s", number,
                  error.message);
        cr_assert_eq(error.status, status);
        cr_assert_eq(counter.live_bytes, 0);
    }
    lam_schema_destroy(schema);
}
