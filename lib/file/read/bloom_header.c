/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the header of a Bloom filter at its offset, and measures it. In the file a filter is
 *
 *     BloomFilterHeader (Thrift, compact)   bitset: blocks of 32 bytes
 *
 * A header is given only if the format defines what it says. (BloomFilter.md, section "File
 * Format")
 */
#include "file/read/bloom_header.h"

#include <inttypes.h>

#include "base/error.h"
#include "file/read/footer_range.h"
#include "stats/bloom.h"

enum { BLOOM_HEADER_MOST = 64 }; /* bytes; present headers take about 15 */

/*
 * A filter near the footer is shorter than BLOOM_HEADER_MOST, so the read ends at the footer at the
 * latest.
 */
lam_status lam_bloom_header_read(const lam_reader *reader, int64_t offset, lam_arena *arena,
                                 lam_meta_bloom_filter_header *ret_header, size_t *ret_size,
                                 lam_error *error) {
    int64_t left = offset < 0 ? 0 : (int64_t)reader->footer.offset - offset; /* no overflow */
    lam_bytes bytes;
    LAM_TRY(lam_footer_range_read(reader, "a Bloom filter", offset,
                                  left > BLOOM_HEADER_MOST ? BLOOM_HEADER_MOST : left, arena,
                                  &bytes, error));
    LAM_TRY(lam_meta_read_bloom_filter_header(bytes, arena, ret_header, ret_size, error));
    /* Thrift structs carry no length: 0 says that the bytes ended inside the struct. */
    if (*ret_size == 0)
        LAM_FAIL(error, LAM_ERROR_CODE_BLOOM_HEADER, "the header of the Bloom filter does not end");
    if (ret_header->algorithm.kind != LAM_META_BLOOM_FILTER_ALGORITHM_BLOCK ||
        ret_header->hash.kind != LAM_META_BLOOM_FILTER_HASH_XXHASH ||
        ret_header->compression.kind != LAM_META_BLOOM_FILTER_COMPRESSION_UNCOMPRESSED)
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_BLOOM,
                 "the kind of the Bloom filter is unknown");
    /* Blocks are 32 bytes each; a remainder would make the last probe read past the bitset. */
    if (ret_header->num_bytes <= 0 || ret_header->num_bytes % LAM_BLOOM_BLOCK_SIZE != 0)
        LAM_FAIL(error, LAM_ERROR_CODE_BLOOM_HEADER,
                 "the bitset of the Bloom filter has %" PRId32
                 " bytes, not a whole number of blocks",
                 ret_header->num_bytes);
    return LAM_STATUS_OK;
}
