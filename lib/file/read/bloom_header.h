/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a Bloom filter, for code that reports why a filter is of no use. */
#ifndef LAM_FILE_READ_BLOOM_HEADER_H
#define LAM_FILE_READ_BLOOM_HEADER_H

#include "file/read/file_reader.h"
#include "meta/compact.h"

/*
 * Reads the header at `offset` and gives its size in bytes; the bitset of `num_bytes` follows it,
 * and may end past the footer's start. CORRUPT for bytes that are no header. UNSUPPORTED for an
 * algorithm, hash or compression other than the one of each that the format defines. LIMIT by the
 * arena's budget, IO, NOMEM.
 */
lam_status lam_bloom_header_read(const lam_reader *reader, int64_t offset, lam_arena *arena,
                                 lam_meta_bloom_filter_header *ret_header, size_t *ret_size,
                                 lam_error *error);

#endif
