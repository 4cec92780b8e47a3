/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the bytes of indexes and Bloom filters, which may lie anywhere in a file and may be
 * damaged.
 */
#ifndef LAM_SCAN_INDEX_BYTES_H
#define LAM_SCAN_INDEX_BYTES_H

#include "file/file_reader.h"

/*
 * Reads bytes of the file into `arena` and adds their number to `*bytes_read`. Gives none if they
 * cannot lie before the footer or have no room under the arena's budget. IO, NOMEM.
 */
lam_status lam_index_bytes_read(const lam_reader *reader, int64_t offset, int64_t size,
                                lam_arena *arena, uint64_t *bytes_read, lam_bytes *ret_bytes,
                                lam_error *error);

/* What the bytes of a chunk, other than its pages, are. */
typedef enum lam_index_kind { LAM_INDEX_BOUNDS, LAM_INDEX_BLOOM } lam_index_kind;

/*
 * False if the bytes of a column index or a Bloom filter of a chunk overlap others: pages, or
 * another index or filter. Only bytes that writers put nearby are compared: those of the row group,
 * of the ones beside it, and of the first. False also without memory to compare.
 */
bool lam_index_bytes_are_own(const lam_reader *reader, size_t row_group, size_t leaf_index,
                             lam_index_kind kind, int64_t offset, int64_t size);

/*
 * Treats metadata that are damaged or have no room as absent: `*ret_good` is false. Only NOMEM is
 * passed on as a failure.
 */
lam_status lam_index_forgive(lam_status status, const lam_error *failure, bool *ret_good,
                             lam_error *error);

#endif
