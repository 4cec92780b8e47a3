/* SPDX-License-Identifier: Apache-2.0 */
/* Reads all there is of a file that may be anything, and demands good manners of the library. */
#ifndef LAM_TESTS_READ_EVERYTHING_H
#define LAM_TESTS_READ_EVERYTHING_H

#include <lamella/reader.h>

/* What reading came to. Statuses are those of the first failure, and OK without one. */
typedef struct lam_everything {
    lam_status opened;
    lam_status columns; /* of any column info, page list or column */
    lam_status records;
    lam_status details; /* of statistics, page indexes, Bloom filters, which nothing else needs */
    uint64_t row_count;
    uint64_t triple_count;
    uint64_t record_count;
    size_t peak_bytes;
    lam_error error; /* the first failure, but not of the details */
} lam_everything;

/*
 * Opens the input and reads metadata, page lists, columns, records (into a checker) and details.
 * Ends the test when a failure has no message or blames the caller, when memory leaks, or when it
 * peaks at 256 MiB. `name` is for messages. The input is closed.
 */
lam_everything lam_read_everything(lam_input *input, const char *name);

#endif
