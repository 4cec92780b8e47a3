/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the bytes of indexes and Bloom filters, which may be anywhere in a file and may be damaged.
 */
#ifndef LAM_SCAN_PRUNE_INDEX_BYTES_H
#define LAM_SCAN_PRUNE_INDEX_BYTES_H

#include "file/read/file_reader.h"

/*
 * Reads bytes of the file into `arena` and adds their number to `*bytes_read`. Gives none if they
 * cannot be before the footer or have no room under the arena's budget. IO, NOMEM.
 */
lam_status lam_index_bytes_read(const lam_reader *reader, int64_t offset, int64_t size,
                                lam_arena *arena, uint64_t *bytes_read, lam_bytes *ret_bytes,
                                lam_error *error);

/*
 * Treats metadata that are damaged or have no room as absent: `*ret_good` is false. Only NOMEM is
 * passed on as a failure.
 */
lam_status lam_index_forgive(lam_status status, const lam_error *failure, bool *ret_good,
                             lam_error *error);

#endif
