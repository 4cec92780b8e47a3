/* SPDX-License-Identifier: Apache-2.0 */
/* A file whose chunks are to be copied, and a copy of them. */
#ifndef LAM_TESTS_COPIED_SAMPLE_H
#define LAM_TESTS_COPIED_SAMPLE_H

#include "file/copy/row_group_copy.h"
#include "file/file_sample.h"

enum { LAM_COPIED_RECORDS = 60, LAM_COPIED_LEAVES = 3 };

/*
 * Two row groups of some pages each, a text, a list with a dictionary, and Bloom filters in the
 * first two columns, all compressed with SNAPPY.
 */
lam_file_sample lam_copied_sample(const char *created_by);

/* Writes a file with all row groups of the sample's, each chunk in one manner. */
lam_status lam_copied_write(const lam_reader *reader, lam_chunk_manner manner,
                            const lam_writer_options *options, lam_copy_bytes *copy,
                            lam_trial_output *trial, lam_error *error);

#endif
