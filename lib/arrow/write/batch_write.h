/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes batches of rows of an array that was checked: the leaves of a batch go to their column
 * chunks side by side if the writer has threads, else one after the other.
 */
#ifndef LAM_ARROW_WRITE_BATCH_WRITE_H
#define LAM_ARROW_WRITE_BATCH_WRITE_H

#include "arrow/array/array_view.h"
#include "arrow/array/arrow_plan.h"
#include "file/write/file_writer.h"

typedef struct lam_batch_writer lam_batch_writer;

/*
 * Borrows the writer, a plan of writing whose leaves have the numbers of the writer's, and the
 * views of its arrays, as lam_level_writer_create does. NOMEM.
 */
lam_status lam_batch_writer_create(lam_writer *writer, const lam_arrow_plan *plan,
                                   lam_array_view *root, lam_batch_writer **ret_batches,
                                   lam_error *error);
/* NULL is allowed. */
void lam_batch_writer_destroy(lam_batch_writer *batches);

/*
 * Goes through the leaves of an array that may have to be refused, as if they were written. INVALID
 * with path and row.
 */
lam_status lam_batch_writer_check(lam_batch_writer *batches, int64_t row_count, lam_error *error);

/*
 * Gives the rows to write between start_rows and end_rows, of `left` in the array: what start_rows
 * gave, or, for several threads, more if the writer has room, as threads wait for each other at the
 * end.
 */
size_t lam_batch_writer_extend(const lam_batch_writer *batches, int64_t first_row, uint64_t left,
                               size_t rows);

/*
 * Adds rows to the writer, between its start_rows and end_rows. After a failure some leaves may
 * have got them.
 */
lam_status lam_batch_writer_write(lam_batch_writer *batches, int64_t first_row, size_t rows,
                                  lam_error *error);

#endif
