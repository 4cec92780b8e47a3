/* SPDX-License-Identifier: Apache-2.0 */
/* A small file for each feature: encodings, codecs, types, shapes, and what lies around data. */
#ifndef LAM_TESTS_FEATURE_FILES_H
#define LAM_TESTS_FEATURE_FILES_H

#include "file/file_sample.h"

typedef struct lam_feature_file {
    const char *name;
    const char *fields; /* behind `id`, which numbers the rows in threes */
    lam_encoding encoding;
    lam_codec codec;
    int32_t page_version;
    unsigned traits;
} lam_feature_file;

enum { LAM_FEATURE_FILES = 29, LAM_FEATURE_ROWS = 24 };
extern const lam_feature_file lam_feature_files[LAM_FEATURE_FILES];

/* Whether pages have checksums. */
bool lam_feature_has_checksums(const lam_feature_file *of);

/* Makes schema, records and bytes. False when the codec is not in this build. */
bool lam_feature_make(lam_file_sample *sample, const lam_feature_file *of);

/*
 * Writes the sample's records once more, with what the file is to have, into `output`, which is
 * taken. `allocator` is the writer's; NULL: the heap.
 */
lam_status lam_feature_write(lam_file_sample *sample, const lam_feature_file *of,
                             lam_output *output, const lam_allocator *allocator, lam_error *error);

#endif
