/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in memory for tests: an output that fails when it is told to, and random records that are
 * written and compared with what comes back.
 */
#ifndef LAM_TESTS_FILE_SAMPLE_H
#define LAM_TESTS_FILE_SAMPLE_H

#include <lamella/reader.h>
#include <lamella/writer.h>

#include "base/buffer.h"
#include "kernel/kernel.h"
#include "reference/record_tree.h"

/* Parses schema text; ends the test when it cannot. */
lam_schema *lam_test_schema(const char *text);
/* The schema "vector group list { required float element; } required group g { required float
 * element; } required float a;", which no text can state (parquet-format#592). */
lam_schema *lam_test_vector_schema(void);

/* Where a file goes to. Zero it, set what is to fail, and keep it until the output is closed. */
typedef struct lam_trial_output {
    size_t fail_at_write; /* the write that fails, from 1; 0 never */
    bool fail_at_finish;
    lam_buffer bytes;
    size_t writes; /* so far, the failed one included */
    bool failed;
    bool finished;
    bool closed;
    size_t calls_after_end; /* writes and finishes after a failure, a finish or a close */
} lam_trial_output;

lam_output lam_trial_output_open(lam_trial_output *trial);
void lam_trial_output_free(lam_trial_output *trial);

typedef struct lam_file_sample {
    lam_schema *schema;
    lam_arena arena; /* holds the records */
    lam_tree_item *records;
    size_t record_count;
    lam_buffer bytes;           /* the file, once written */
    const lam_kernels *kernels; /* to write with; NULL: the fastest */
} lam_file_sample;

/* Makes records; `presence` of 100 optional fields are there. The schema is the sample's own from
 * now on. */
void lam_file_sample_init(lam_file_sample *sample, lam_schema *schema, size_t record_count,
                          unsigned presence, lam_random *random);
void lam_file_sample_finish(lam_file_sample *sample);

/* Writes all records through the sink, or, with `splits`, as triples in calls of any size. */
void lam_file_sample_write(lam_file_sample *sample, const lam_writer_options *options,
                           lam_random *splits);

/*
 * Options of files whose bytes are to be changed: no checksums and no codec, which would find the
 * changes first, and several pages and row groups. Ways 0 to 3 differ in page version, dictionaries
 * and the order of floats.
 */
lam_writer_options lam_file_sample_open_to_changes(int way);

/* Opens what was written; ends the test when it cannot. `options` may be NULL. */
lam_reader *lam_file_sample_open(const lam_file_sample *sample, const lam_reader_options *options);

/* Ends the test unless `count` records from `first` on are those in the builder, for the projected
 * leaves. */
void lam_file_sample_expect(lam_file_sample *sample, const lam_tree_builder *builder,
                            const bool *leaves, size_t first, size_t count);

/* Reads all records with a projection (NULL: all leaves) and compares. */
void lam_file_sample_expect_all(lam_file_sample *sample, const lam_reader *reader,
                                const bool *leaves);

#endif
