/* SPDX-License-Identifier: Apache-2.0 */
/* Column chunks that have been checked, read again side by side. */
#ifndef LAM_CHECK_CHUNK_CHECK_CURSOR_H
#define LAM_CHECK_CHUNK_CHECK_CURSOR_H

#include "check/report/report.h"
#include "chunk/read/column_cursor.h"

/*
 * Opens a reader of a column chunk of the current row group that has been checked. Failures go to
 * `failure`.
 */
lam_status lam_check_open_cursor(const lam_checker *checker, size_t leaf_index,
                                 lam_column_cursor **ret_cursor, lam_error *failure);
/* True if pages claim not to be compressed although they are, as the writer is known to do. */
bool lam_check_hides_compression(const lam_checker *checker);
/* True if byte arrays go on from page to page, as the writer of the file is known to leave them. */
bool lam_check_has_sequels(const lam_checker *checker, const lam_field *leaf);

#endif
