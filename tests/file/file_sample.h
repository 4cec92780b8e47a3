/* SPDX-License-Identifier: Apache-2.0 */
/* Files of random records in memory, written and compared with what comes back. */
#ifndef LAM_TESTS_FILE_SAMPLE_H
#define LAM_TESTS_FILE_SAMPLE_H

#include <lamella/reader.h>
#include <lamella/writer.h>

#include "base/buffer.h"
#include "kernel/kernel.h"
#include "reference/record_tree.h"
#include "support/test_file.h"

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
