/* SPDX-License-Identifier: Apache-2.0 */
/* Random arrays of random schemas, with the options that they are written with. */
#ifndef LAM_TESTS_WRITE_SAMPLE_H
#define LAM_TESTS_WRITE_SAMPLE_H

#include <lamella/arrow.h>
#include <lamella/writer.h>

#include "arrow/field/arrow_field.h"
#include "file/file_sample.h"

typedef struct lam_write_sample {
    lam_arena arena;
    lam_arrow_field field;
    struct ArrowSchema arrow_schema;
    lam_schema *schema;
    struct ArrowArray *array;
    lam_writer_options options;
} lam_write_sample;

/* Makes an array of up to `most_rows` rows. */
void lam_write_sample_start(lam_write_sample *sample, lam_random *random, size_t most_rows);
void lam_write_sample_stop(lam_write_sample *sample);

lam_writer *lam_write_sample_open(const lam_write_sample *sample, lam_trial_output *trial);

/* Writes the array whole, or in slices when `random` is given. */
lam_status lam_write_sample_slices(const lam_write_sample *sample, lam_arrow_writer *arrow,
                                   lam_random *random, lam_error *error);
/* The same, from opening a writer to closing it. */
lam_status lam_write_sample_arrays(const lam_write_sample *sample, lam_trial_output *trial,
                                   lam_random *random, lam_error *error);

/*
 * Writes the array, from opening a writer to finishing the file, while one allocation fails: the
 * one of that number after opening. Ends the test unless that is OK or NOMEM and all is freed.
 */
lam_status lam_write_sample_failing(lam_write_sample *sample, size_t fail_at);

#endif
