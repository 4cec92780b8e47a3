/* SPDX-License-Identifier: Apache-2.0 */
/* Random arrays of random schemas: the file is the one that their rows make as records. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/arrow.h>
#include <lamella/reader.h>
#include <lamella/record.h>
#include <lamella/writer.h>
#include <string.h>

#include "arrow/array_rows.h"
#include "arrow/write_sample.h"

static void write_records(const lam_write_sample *sample, lam_trial_output *trial) {
    lam_error error = lam_error_none();
    lam_writer *writer = lam_write_sample_open(sample, trial);
    lam_record_sink sink = lam_writer_sink(writer);
    cr_assert_eq(
        lam_drive_rows(lam_writer_schema(writer), &sample->field, sample->array, &sink, &error),
        LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_OK);
    lam_writer_close(writer);
}

static void expect_same(const lam_trial_output *a, const lam_trial_output *b, uint64_t seed,
                        const char *what) {
    cr_assert(a->bytes.size == b->bytes.size &&
                  memcmp(a->bytes.data, b->bytes.data, a->bytes.size) == 0,
              "seed %" PRIu64 ": %s", seed, what);
}

static void check_rounds(uint64_t first, uint64_t rounds, size_t most_rows) {
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        lam_random random = lam_random_start(seed);
        lam_error error = lam_error_none();
        lam_write_sample sample;
        lam_trial_output records = {0}, whole = {0}, slices = {0};
        lam_write_sample_start(&sample, &random, most_rows);
        write_records(&sample, &records);
        cr_assert_eq(lam_write_sample_arrays(&sample, &whole, NULL, &error), LAM_STATUS_OK,
                     "seed %" PRIu64 ": %s", seed, error.message);
        expect_same(&records, &whole, seed, "arrays and records make different files");
        cr_assert_eq(lam_write_sample_arrays(&sample, &slices, &random, &error), LAM_STATUS_OK,
                     "seed %" PRIu64 ": %s", seed, error.message);
        expect_same(&records, &slices, seed, "how rows are cut shows in the file");
        lam_trial_output_free(&records);
        lam_trial_output_free(&whole);
        lam_trial_output_free(&slices);
        lam_write_sample_stop(&sample);
    }
}

Test(random_writes, arrays_make_the_file_that_their_rows_make_however_they_are_cut) {
    check_rounds(lam_test_seed(1), 1500, 150);
}

Test(random_writes, arrays_of_more_rows_than_go_through_at_a_time) {
    check_rounds(lam_test_seed(100001), 30, 4000);
}

Test(random_writes, each_allocation_may_fail) {
    uint64_t first = lam_test_seed(1);
    for (uint64_t seed = first; seed < first + 12; seed++) {
        lam_random random = lam_random_start(seed);
        lam_write_sample sample;
        lam_write_sample_start(&sample, &random, 60);
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++)
            status = lam_write_sample_failing(&sample, fail_at);
        lam_write_sample_stop(&sample);
    }
}

Test(random_writes, a_write_that_fails_fails_the_writer_for_good) {
    lam_random random = lam_random_start(lam_test_seed(5));
    lam_write_sample sample;
    lam_write_sample_start(&sample, &random, 100);
    sample.options.row_group_rows = 10;
    lam_status status = LAM_STATUS_IO;
    for (size_t fail_at = 2; status == LAM_STATUS_IO; fail_at++) {
        lam_trial_output trial = {.fail_at_write = fail_at};
        lam_error error = lam_error_none();
        lam_writer *writer = lam_write_sample_open(&sample, &trial);
        lam_arrow_writer *arrow;
        cr_assert_eq(lam_arrow_writer_create(writer, &sample.arrow_schema, NULL, &arrow, NULL), 0);
        status = lam_write_sample_slices(&sample, arrow, NULL, &error);
        if (status == LAM_STATUS_OK) {
            status = lam_writer_finish(writer, &error);
        } else {
            cr_assert_eq(lam_arrow_write_array(arrow, sample.array, &error), LAM_STATUS_STATE);
            cr_assert_eq(lam_writer_finish(writer, &error), LAM_STATUS_STATE);
        }
        lam_arrow_writer_destroy(arrow);
        lam_writer_close(writer);
        cr_assert_eq(trial.finished, status == LAM_STATUS_OK);
        lam_trial_output_free(&trial);
    }
    cr_assert_eq(status, LAM_STATUS_OK);
    lam_write_sample_stop(&sample);
}
