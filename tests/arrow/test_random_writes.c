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
#include "arrow/random_arrays.h"
#include "file/file_sample.h"
#include "support/failing_alloc.h"

typedef struct write_sample {
    lam_arena arena;
    lam_arrow_field field;
    struct ArrowSchema arrow_schema;
    lam_schema *schema;
    struct ArrowArray *array;
    lam_writer_options options;
} write_sample;

static void start(write_sample *sample, lam_random *random, size_t most_rows) {
    lam_allocator heap = lam_allocator_default();
    lam_error error = lam_error_none();
    lam_arena_init(&sample->arena, &heap, 0);
    sample->field =
        lam_random_columns(random, &sample->arena, (unsigned)lam_random_below(random, 5));
    cr_assert_eq(lam_arrow_field_export(&sample->field, &heap, &sample->arrow_schema, NULL), 0);
    cr_assert_eq(lam_arrow_import_schema(&sample->arrow_schema, NULL, &sample->schema, &error), 0,
                 "%s", error.message);
    size_t rows = (size_t)lam_random_below(random, most_rows);
    sample->array = lam_random_array(random, &sample->arena, &sample->field, rows, NULL);
    sample->array->length = (int64_t)rows;
    sample->options = lam_writer_options_default();
    sample->options.codec = LAM_CODEC_UNCOMPRESSED;
    sample->options.row_group_rows =
        lam_random_chance(random, 50) ? 0 : 1 + lam_random_below(random, 60);
    sample->options.page_rows =
        lam_random_chance(random, 50) ? 0 : 1 + lam_random_below(random, 20);
    sample->options.dictionary_bytes =
        lam_random_chance(random, 50) ? 0 : 1 + lam_random_below(random, 200);
    sample->options.dictionary = lam_random_chance(random, 20) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
}

static void stop(write_sample *sample) {
    sample->arrow_schema.release(&sample->arrow_schema);
    lam_schema_destroy(sample->schema);
    lam_arena_finish(&sample->arena);
}

static lam_writer *open_writer(const write_sample *sample, lam_trial_output *trial) {
    lam_writer *writer;
    lam_output output = lam_trial_output_open(trial);
    cr_assert_eq(lam_writer_open(sample->schema, &output, &sample->options, &writer, NULL), 0);
    return writer;
}

static void write_records(const write_sample *sample, lam_trial_output *trial) {
    lam_error error = lam_error_none();
    lam_writer *writer = open_writer(sample, trial);
    lam_record_sink sink = lam_writer_sink(writer);
    cr_assert_eq(
        lam_drive_rows(lam_writer_schema(writer), &sample->field, sample->array, &sink, &error),
        LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_OK);
    lam_writer_close(writer);
}

/* Writes the array whole, or in slices when `random` is given. */
static lam_status write_slices(const write_sample *sample, lam_arrow_writer *arrow,
                               lam_random *random, lam_error *error) {
    struct ArrowArray slice = *sample->array;
    lam_status status = LAM_STATUS_OK;
    for (int64_t done = 0; done < sample->array->length || done == 0; done += slice.length) {
        int64_t left = sample->array->length - done;
        slice.offset = sample->array->offset + done;
        slice.length = left;
        if (random != NULL && left > 0)
            slice.length = 1 + (int64_t)lam_random_below(random, (uint64_t)(left < 20 ? left : 20));
        status = lam_arrow_write_array(arrow, &slice, error);
        if (status != LAM_STATUS_OK || slice.length == 0)
            break;
    }
    return status;
}

static lam_status write_arrays(const write_sample *sample, lam_trial_output *trial,
                               lam_random *random, lam_error *error) {
    lam_arrow_write_options options = lam_arrow_write_options_default();
    lam_arrow_writer *arrow;
    lam_writer *writer = open_writer(sample, trial);
    options.arrow_schema = LAM_SWITCH_OFF;
    lam_status status =
        lam_arrow_writer_create(writer, &sample->arrow_schema, &options, &arrow, error);
    if (status == LAM_STATUS_OK) {
        status = write_slices(sample, arrow, random, error);
        lam_arrow_writer_destroy(arrow);
    }
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, error);
    lam_writer_close(writer);
    return status;
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
        write_sample sample;
        lam_trial_output records = {0}, whole = {0}, slices = {0};
        start(&sample, &random, most_rows);
        write_records(&sample, &records);
        cr_assert_eq(write_arrays(&sample, &whole, NULL, &error), LAM_STATUS_OK,
                     "seed %" PRIu64 ": %s", seed, error.message);
        expect_same(&records, &whole, seed, "arrays and records make different files");
        cr_assert_eq(write_arrays(&sample, &slices, &random, &error), LAM_STATUS_OK,
                     "seed %" PRIu64 ": %s", seed, error.message);
        expect_same(&records, &slices, seed, "how rows are cut shows in the file");
        lam_trial_output_free(&records);
        lam_trial_output_free(&whole);
        lam_trial_output_free(&slices);
        stop(&sample);
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
        write_sample sample;
        start(&sample, &random, 60);
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
            lam_failing_alloc counter = {0};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_trial_output trial = {0};
            lam_error error = lam_error_none();
            sample.options.allocator = &allocator;
            lam_writer *writer = open_writer(&sample, &trial);
            lam_arrow_writer *arrow;
            counter.fail_at = counter.requests + fail_at;
            status = lam_arrow_writer_create(writer, &sample.arrow_schema, NULL, &arrow, &error);
            if (status == LAM_STATUS_OK) {
                status = write_slices(&sample, arrow, NULL, &error);
                lam_arrow_writer_destroy(arrow);
            }
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "seed %" PRIu64 ": %s",
                      seed, error.message);
            cr_assert_eq(error.status, status);
            lam_writer_close(writer);
            lam_trial_output_free(&trial);
            cr_assert_eq(counter.live_bytes, 0, "seed %" PRIu64, seed);
            cr_assert_eq(counter.wrong_sizes, 0);
        }
        sample.options.allocator = NULL;
        stop(&sample);
    }
}

Test(random_writes, a_write_that_fails_fails_the_writer_for_good) {
    lam_random random = lam_random_start(lam_test_seed(5));
    write_sample sample;
    start(&sample, &random, 100);
    sample.options.row_group_rows = 10;
    lam_status status = LAM_STATUS_IO;
    for (size_t fail_at = 2; status == LAM_STATUS_IO; fail_at++) {
        lam_trial_output trial = {.fail_at_write = fail_at};
        lam_error error = lam_error_none();
        lam_writer *writer = open_writer(&sample, &trial);
        lam_arrow_writer *arrow;
        cr_assert_eq(lam_arrow_writer_create(writer, &sample.arrow_schema, NULL, &arrow, NULL), 0);
        status = write_slices(&sample, arrow, NULL, &error);
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
    stop(&sample);
}
