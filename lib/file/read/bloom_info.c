/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes the Bloom filter of one column chunk: takes its range, and gives the sizes of its
 * header and its bitset, and the false positive probability of the bits that are set. In the file a
 * filter is
 *
 *     BloomFilterHeader (Thrift, compact)   bitset: blocks of 32 bytes
 *
 * Reads the entire bitset, because the probability depends on every bit. scan/prune/chunk_bloom.c
 * ignores a filter that it cannot use; this file reports why it is unusable, for tools that inspect
 * files. The invariant: a number is reported only after header, bitset and the length in the footer
 * agree. (BloomFilter.md, section "File Format")
 */
#include <lamella/details.h>

#include <inttypes.h>

#include "base/error.h"
#include "base/options.h"
#include "file/read/bloom_header.h"
#include "file/read/footer_range.h"
#include "meta/compact.h"
#include "schema/leaf_error.h"
#include "stats/bloom.h"

/*
 * Reads header and bitset into `arena`. The length in the footer is optional (parquet.thrift,
 * ColumnMetaData.bloom_filter_length); it counts the header and the bitset.
 */
static lam_status read_filter(const lam_reader *reader, const lam_meta_column *column,
                              lam_arena *arena, lam_bloom_info *ret_info, lam_error *error) {
    lam_meta_bloom_filter_header header;
    size_t size;
    lam_bytes bitset;
    int64_t offset = column->bloom_filter_offset;
    LAM_TRY(lam_bloom_header_read(reader, offset, arena, &header, &size, error));
    int64_t total = (int64_t)size + header.num_bytes;
    if ((column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH) != 0 &&
        column->bloom_filter_length != total)
        LAM_FAIL(error, LAM_ERROR_CODE_BLOOM_LENGTH,
                 "the Bloom filter takes %" PRId64 " bytes, but the footer says %" PRId32, total,
                 column->bloom_filter_length);
    LAM_TRY(lam_footer_range_read(reader, "the bitset of a Bloom filter", offset + (int64_t)size,
                                  header.num_bytes, arena, &bitset, error));
    ret_info->is_there = true;
    ret_info->header_bytes = (uint32_t)size;
    ret_info->bitset_bytes = (uint32_t)header.num_bytes;
    ret_info->false_positives =
        lam_bloom_false_positives(bitset.data, (uint32_t)(bitset.size / LAM_BLOOM_BLOCK_SIZE));
    return LAM_STATUS_OK;
}

/*
 * A chunk without a filter is no error: it gives an info whose members are all 0 and false. The
 * bitset lives in an arena of this call, under the memory limit, and is freed before it returns.
 */
lam_status lam_reader_bloom_filter(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                   lam_bloom_info *ret_info, lam_error *error) {
    lam_meta_column_chunk chunk;
    lam_chunk_room room;
    lam_arena arena = lam_reader_chunk_arena_in(reader, &room);
    lam_bloom_info info = lam_bloom_info_default();
    lam_status status =
        lam_reader_find_column(reader, row_group, leaf_index, &arena, &chunk, error);
    if (status == LAM_STATUS_OK &&
        (chunk.meta_data->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) != 0) {
        status = read_filter(reader, chunk.meta_data, &arena, &info, error);
        if (status != LAM_STATUS_OK)
            lam_error_at_leaf(error, row_group, lam_schema_leaf(reader->schema, leaf_index));
    }
    lam_arena_finish(&arena);
    return status == LAM_STATUS_OK ? LAM_INFO_WRITE(lam_bloom_info, &info, ret_info, error)
                                   : status;
}
