/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bytes of a file the chunks around a row group claim: pages, indexes, Bloom filters. A range
 * that two of them claim belongs to neither for sure.
 */
#ifndef LAM_SCAN_PRUNE_CLAIMED_BYTES_H
#define LAM_SCAN_PRUNE_CLAIMED_BYTES_H

#include "file/read/file_reader.h"

/* What the bytes of a chunk, other than its pages, are. */
typedef enum lam_index_kind { LAM_INDEX_BOUNDS, LAM_INDEX_BLOOM } lam_index_kind;

/* The claims around one row group, gathered when the first range is checked. */
typedef struct lam_claimed_bytes {
    const lam_reader *reader;
    size_t row_group;
    lam_buffer claims; /* in no order */
    bool is_gathered;
    bool is_whole; /* each chunk could be decoded; else no range is known to be own */
} lam_claimed_bytes;

/* Allocates nothing yet. */
void lam_claimed_bytes_init(lam_claimed_bytes *claimed, const lam_allocator *allocator);
void lam_claimed_bytes_finish(lam_claimed_bytes *claimed);

/* Moves to a row group of a reader, which must outlive the questions; the memory is kept. */
void lam_claimed_bytes_move(lam_claimed_bytes *claimed, const lam_reader *reader, size_t row_group);

/*
 * Gives false if the bytes of a column index or a Bloom filter of a chunk of the row group overlap
 * others: pages, or another index or filter. Only bytes that writers put nearby are compared: those
 * of the row group, of the ones beside it, and of the first. False also if a limit leaves no room
 * to compare. NOMEM.
 */
lam_status lam_claimed_bytes_are_own(lam_claimed_bytes *claimed, size_t leaf_index,
                                     lam_index_kind kind, int64_t offset, int64_t size,
                                     bool *ret_own, lam_error *error);

#endif
