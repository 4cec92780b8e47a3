/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random arrays of random schemas, with the options that they are written with, and the files that
 * come of them.
 */
#include "arrow/write_sample.h"

#include <criterion/criterion.h>

#include "arrow/random_arrays.h"
#include "support/failing_alloc.h"

void lam_write_sample_start(lam_write_sample *sample, lam_random *random, size_t most_rows) {
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

void lam_write_sample_stop(lam_write_sample *sample) {
    sample->arrow_schema.release(&sample->arrow_schema);
    lam_schema_destroy(sample->schema);
    lam_arena_finish(&sample->arena);
}

lam_writer *lam_write_sample_open(const lam_write_sample *sample, lam_trial_output *trial) {
    lam_writer *writer;
    lam_output output = lam_trial_output_open(trial);
    cr_assert_eq(lam_writer_open(sample->schema, &output, &sample->options, &writer, NULL), 0);
    return writer;
}

lam_status lam_write_sample_slices(const lam_write_sample *sample, lam_arrow_writer *arrow,
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

lam_status lam_write_sample_arrays(const lam_write_sample *sample, lam_trial_output *trial,
                                   lam_random *random, lam_error *error) {
    lam_arrow_write_options options = lam_arrow_write_options_default();
    lam_arrow_writer *arrow;
    lam_writer *writer = lam_write_sample_open(sample, trial);
    options.arrow_schema = LAM_SWITCH_OFF;
    lam_status status =
        lam_arrow_writer_create(writer, &sample->arrow_schema, &options, &arrow, error);
    if (status == LAM_STATUS_OK) {
        status = lam_write_sample_slices(sample, arrow, random, error);
        lam_arrow_writer_destroy(arrow);
    }
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, error);
    lam_writer_close(writer);
    return status;
}

lam_status lam_write_sample_failing(lam_write_sample *sample, size_t fail_at) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_trial_output trial = {0};
    lam_error error = lam_error_none();
    lam_arrow_writer *arrow;
    sample->options.allocator = &allocator;
    lam_writer *writer = lam_write_sample_open(sample, &trial);
    counter.fail_at = counter.requests + fail_at;
    lam_status status =
        lam_arrow_writer_create(writer, &sample->arrow_schema, NULL, &arrow, &error);
    if (status == LAM_STATUS_OK) {
        status = lam_write_sample_slices(sample, arrow, NULL, &error);
        lam_arrow_writer_destroy(arrow);
    }
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, &error);
    cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%s", error.message);
    cr_assert_eq(error.status, status);
    lam_writer_close(writer);
    lam_trial_output_free(&trial);
    cr_assert_eq(counter.live_bytes, 0, "allocation %zu", fail_at);
    cr_assert_eq(counter.wrong_sizes, 0);
    sample->options.allocator = NULL;
    return status;
}
