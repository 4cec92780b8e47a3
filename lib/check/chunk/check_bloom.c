/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the Bloom filter of a column chunk, so that each value can be looked up in it
 * (check_values.c).
 *
 *   bloom_filter_offset -> header (Thrift) | bitset: blocks of 32 bytes
 *
 * The header states the size of the bitset but no total, so it is read first, from a bounded number
 * of bytes. A filter of an unknown kind, or one that cannot be read, is reported, and the values
 * are then not looked up. (BloomFilter.md, "File Format")
 */
#include "check/chunk/check_bloom.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/error.h"
#include "check/chunk/check_index.h"
#include "check/footer/check_ranges.h"
#include "meta/compact.h"
#include "stats/bloom.h"

enum { CHECK_BLOOM_HEADER_MOST = 256 }; /* bytes; current headers take about 15 */

/* Reads the header; `*ret_size` is 0 if it is unusable, which has been reported. */
static lam_status check_bloom_read_header(lam_chunk_check *chunk, int64_t offset,
                                          lam_meta_bloom_filter_header *ret_header,
                                          size_t *ret_size) {
    lam_checker *checker = chunk->checker;
    uint64_t limit = checker->footer.offset;
    lam_error failure = lam_error_none();
    lam_check_location location = lam_check_at(chunk->location, (uint64_t)offset);
    *ret_size = 0;
    if (offset < LAM_FOOTER_MAGIC_SIZE || (uint64_t)offset >= limit)
        return lam_check_report(checker, LAM_RULE_INDEX_RANGE, chunk->location,
                                "the Bloom filter is at offset %" PRId64
                                ", but the footer starts at %" PRIu64,
                                offset, limit);
    uint64_t left = limit - (uint64_t)offset;
    lam_bytes bytes;
    /* Up to 256 bytes, or fewer before the footer: they may include bytes of the bitset. */
    LAM_TRY(lam_check_fetch(
        chunk, "the Bloom filter", offset,
        (int64_t)(left < CHECK_BLOOM_HEADER_MOST ? left : CHECK_BLOOM_HEADER_MOST), &bytes));
    /* Already reported, or on a machine that cannot hold it. */
    if (bytes.size == 0)
        return LAM_STATUS_OK;
    lam_status status = lam_meta_read_bloom_filter_header(bytes, &chunk->stated.arena, ret_header,
                                                          ret_size, &failure);
    if (status != LAM_STATUS_OK)
        *ret_size = 0;
    else if (*ret_size == 0)
        return lam_check_report(checker, LAM_RULE_BLOOM_HEADER, location,
                                "the header of the Bloom filter does not end");
    return lam_check_report_failure(checker, LAM_RULE_BLOOM_HEADER, location, status, &failure);
}

/*
 * Checks that the filter is of the one kind that the format defines, with a bitset of complete
 * blocks.
 */
static lam_status check_bloom_kind(lam_chunk_check *chunk,
                                   const lam_meta_bloom_filter_header *header,
                                   lam_check_location location, bool *ret_good) {
    *ret_good = false;
    if (header->algorithm.kind != LAM_META_BLOOM_FILTER_ALGORITHM_BLOCK ||
        header->hash.kind != LAM_META_BLOOM_FILTER_HASH_XXHASH ||
        header->compression.kind != LAM_META_BLOOM_FILTER_COMPRESSION_UNCOMPRESSED)
        return lam_check_report(chunk->checker, LAM_RULE_UNSUPPORTED, location,
                                "this build does not know this kind of Bloom filter");
    if (header->num_bytes <= 0 || header->num_bytes % LAM_BLOOM_BLOCK_SIZE != 0)
        return lam_check_report(chunk->checker, LAM_RULE_BLOOM_HEADER, location,
                                "the bitset of the Bloom filter has %" PRId32
                                " bytes, not a whole number of blocks of %d",
                                header->num_bytes, (int)LAM_BLOOM_BLOCK_SIZE);
    *ret_good = true;
    return LAM_STATUS_OK;
}

/*
 * Reports a wrong bloom_filter_length, but trusts the header: readers find the bitset without it.
 */
lam_status lam_check_open_bloom(lam_chunk_check *chunk) {
    const lam_meta_column *column = chunk->column;
    lam_meta_bloom_filter_header header;
    size_t header_size;
    bool good;
    int64_t offset = column->bloom_filter_offset;
    if ((column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) == 0)
        return LAM_STATUS_OK;
    LAM_TRY(check_bloom_read_header(chunk, offset, &header, &header_size));
    if (header_size == 0)
        return LAM_STATUS_OK;
    lam_check_location location = lam_check_at(chunk->location, (uint64_t)offset);
    LAM_TRY(check_bloom_kind(chunk, &header, location, &good));
    if (!good)
        return LAM_STATUS_OK;
    /* What bloom_filter_length should be: header and bitset together. */
    int64_t total = (int64_t)header_size + header.num_bytes;
    if ((column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH) != 0 &&
        column->bloom_filter_length != total)
        LAM_TRY(lam_check_report(chunk->checker, LAM_RULE_BLOOM_LENGTH, location,
                                 "bloom_filter_length is %" PRId32
                                 ", but header and bitset take %" PRId64,
                                 column->bloom_filter_length, total));
    lam_bytes bitset;
    LAM_TRY(lam_check_fetch(chunk, "the bitset of the Bloom filter", offset + (int64_t)header_size,
                            header.num_bytes, &bitset));
    if (bitset.size == 0)
        return LAM_STATUS_OK;
    /* The bitset is in the chunk's arena, and is only read. */
    chunk->stated.bloom = (uint8_t *)bitset.data;
    chunk->stated.bloom_blocks = (uint32_t)(bitset.size / LAM_BLOOM_BLOCK_SIZE);
    /* The filter, header included, may not overlap anything else. */
    return lam_check_add_range(chunk->checker, chunk->location, (uint64_t)offset, (uint64_t)total,
                               "the Bloom filter");
}
