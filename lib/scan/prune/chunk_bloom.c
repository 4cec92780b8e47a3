/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the Bloom filter of a chunk as far as a few values need it: takes the values that
 * conditions look for, and gives a lam_chunk_bloom that answers for these values and no others.
 *
 *     small filter, or many values    the entire bitset, one read
 *     large filter, few values        the 32-byte blocks that the values fall into
 *
 * The invariant: a filter may rule values out only if nothing contradicts it. One that is
 * truncated, of an unknown kind, of another length than the footer states, that overlaps other
 * bytes in use, or that lacks a value which the chunk is known to hold, counts as absent; so does
 * one without a single bit although the chunk has triples. (BloomFilter.md, "File Format")
 */
#include "scan/prune/chunk_bloom.h"

#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "meta/compact.h"
#include "scan/prune/index_bytes.h"
#include "stats/bloom.h"

enum {
    CHUNK_BLOOM_HEADER_MOST = 64, /* bytes; present headers take about 15 */
    WHOLE_BYTES = 4 << 10,        /* a filter that is read entirely, ... */
    WHOLE_SHARE = 8,              /* ... as is one with so few blocks per value */
    FIRST_BLOCK_BYTES = 4 << 10   /* bytes first searched for a bit that is set */
};

/* The bitset of a filter in the file, once its header has been checked. */
typedef struct bloom_source {
    const lam_reader *reader;
    lam_arena *arena;
    uint64_t *bytes_read; /* counts the bytes read, for the scan's report */
    int64_t offset;       /* of the first block */
    uint32_t block_count; /* 0: no filter to use */
} bloom_source;

/* The format defines one algorithm, one hash and one compression; a bitset is complete blocks. */
static bool is_known_filter(const lam_meta_bloom_filter_header *header) {
    return header->algorithm.kind == LAM_META_BLOOM_FILTER_ALGORITHM_BLOCK &&
           header->hash.kind == LAM_META_BLOOM_FILTER_HASH_XXHASH &&
           header->compression.kind == LAM_META_BLOOM_FILTER_COMPRESSION_UNCOMPRESSED &&
           header->num_bytes > 0 && header->num_bytes % LAM_BLOOM_BLOCK_SIZE == 0;
}

/* Empty bytes if the range cannot be in the file or has no room under the arena's budget. */
static lam_status read_at(const bloom_source *source, int64_t offset, int64_t size,
                          lam_bytes *ret_bytes, lam_error *error) {
    return lam_index_bytes_read(source->reader, offset, size, source->arena, source->bytes_read,
                                ret_bytes, error);
}

/*
 * Finds the bitset. Leaves block_count 0 if there is no filter or none to trust. The header's
 * length is unknown, so up to CHUNK_BLOOM_HEADER_MOST bytes before the footer are read for it. The
 * length that the footer may state counts header and bitset; the last check refuses a filter whose
 * bytes belong to other data, too: such bits would answer at random.
 */
static lam_status chunk_bloom_find(bloom_source *source, lam_claimed_bytes *claimed,
                                   size_t leaf_index, const lam_meta_column *column,
                                   lam_error *error) {
    int64_t offset = column->bloom_filter_offset, limit = (int64_t)source->reader->footer.offset;
    lam_meta_bloom_filter_header header;
    lam_bytes bytes;
    size_t size = 0;
    bool good;
    lam_error failure = lam_error_none();
    if ((column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) == 0 || offset < 0 ||
        offset >= limit)
        return LAM_STATUS_OK;
    int64_t most =
        limit - offset < CHUNK_BLOOM_HEADER_MOST ? limit - offset : CHUNK_BLOOM_HEADER_MOST;
    LAM_TRY(read_at(source, offset, most, &bytes, error));
    if (bytes.size == 0)
        return LAM_STATUS_OK;
    lam_status status =
        lam_meta_read_bloom_filter_header(bytes, source->arena, &header, &size, &failure);
    LAM_TRY(lam_index_forgive(status, &failure, &good, error));
    if (!good || size == 0 || !is_known_filter(&header) ||
        header.num_bytes > limit - offset - (int64_t)size)
        return LAM_STATUS_OK;
    int64_t total = (int64_t)size + header.num_bytes;
    if ((column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH) != 0 &&
        column->bloom_filter_length != total)
        return LAM_STATUS_OK;
    LAM_TRY(lam_claimed_bytes_are_own(claimed, leaf_index, LAM_INDEX_BLOOM, offset, total, &good,
                                      error));
    if (!good)
        return LAM_STATUS_OK;
    source->offset = offset + (int64_t)size;
    source->block_count = (uint32_t)header.num_bytes / LAM_BLOOM_BLOCK_SIZE;
    return LAM_STATUS_OK;
}

/* Whether any bit is set. */
static bool has_ones(lam_bytes bytes) {
    for (size_t i = 0; i < bytes.size; i++)
        if (bytes.data[i] != 0)
            return true;
    return false;
}

/* --- Some blocks --------------------------------------------------------------------------- */

/* By number, so that equal blocks are neighbours and a binary search finds them. */
static int order_blocks(const void *state, const void *a, const void *b) {
    const lam_bloom_block *x = a, *y = b;
    (void)state;
    return (x->number > y->number) - (x->number < y->number);
}

/*
 * Whether any bit of the filter is set, if none is in the blocks that were read. A chunk with
 * values sets some, so a filter of zeros was never filled. Reads from the front, 4 KiB, then 8, 16
 * and so on: an honest filter ends the search at once, and a file of zeros costs one pass.
 */
static lam_status is_filled(const bloom_source *source, bool *ret_filled, lam_error *error) {
    int64_t size = (int64_t)source->block_count * LAM_BLOOM_BLOCK_SIZE;
    lam_bytes bytes = {NULL, 1};
    bool filled = false;
    for (int64_t from = 0, some = FIRST_BLOCK_BYTES; from < size && bytes.size > 0 && !filled;
         some *= 2) {
        int64_t left = size - from;
        LAM_TRY(read_at(source, source->offset + from, some < left ? some : left, &bytes, error));
        filled = has_ones(bytes);
        from += (int64_t)bytes.size;
    }
    *ret_filled = filled;
    return LAM_STATUS_OK;
}

/* Notes the block that each value falls into. */
static void add_blocks(const bloom_source *source, lam_bloom_values values,
                       lam_bloom_block *blocks) {
    for (size_t i = 0; i < values.count; i++)
        blocks[i].number =
            lam_bloom_block_of(source->block_count, lam_bloom_hash(values.values[i]));
}

/*
 * Reads the blocks of all values: those that are looked for, and those that the chunk is known to
 * hold, against which the filter is checked. Blocks are sorted by number and each is read once.
 * Room for the list that the arena's budget refuses means no filter, not a failure.
 */
static lam_status read_blocks(const bloom_source *source, const lam_bloom_questions *questions,
                              size_t count, lam_chunk_bloom *bloom, lam_error *error) {
    bool filled = false, good;
    lam_error failure = lam_error_none();
    lam_status status = LAM_ARENA_ARRAY(source->arena, count, &bloom->blocks, &failure);
    LAM_TRY(lam_index_forgive(status, &failure, &good, error));
    if (!good)
        return LAM_STATUS_OK;
    add_blocks(source, questions->held, bloom->blocks);
    for (size_t i = 0, next = questions->held.count; i < questions->list_count; i++) {
        add_blocks(source, questions->lists[i], bloom->blocks + next);
        next += questions->lists[i].count;
    }
    lam_sort(bloom->blocks, count, sizeof(lam_bloom_block), order_blocks, NULL);
    for (size_t i = 0; i < count; i++) {
        lam_bloom_block *block = &bloom->blocks[i];
        if (i > 0 && block->number == block[-1].number)
            /* Several values fell into one block. */
            block->bits = block[-1].bits;
        else
            LAM_TRY(read_at(source, source->offset + (int64_t)block->number * LAM_BLOOM_BLOCK_SIZE,
                            LAM_BLOOM_BLOCK_SIZE, &block->bits, error));
        filled |= has_ones(block->bits);
    }
    bloom->read_count = count;
    bloom->block_count = source->block_count;
    if (!filled)
        LAM_TRY(is_filled(source, &filled, error));
    if (!filled)
        bloom->block_count = 0; /* never filled: it would rule out everything */
    return LAM_STATUS_OK;
}

/* --- The entire filter --------------------------------------------------------------------- */

/* Reads the entire bitset; one without any bit counts as absent. */
static lam_status read_whole(const bloom_source *source, lam_chunk_bloom *bloom, lam_error *error) {
    lam_bytes bytes;
    LAM_TRY(read_at(source, source->offset, (int64_t)source->block_count * LAM_BLOOM_BLOCK_SIZE,
                    &bytes, error));
    if (has_ones(bytes)) {
        bloom->bits = bytes.data;
        bloom->block_count = source->block_count;
    }
    return LAM_STATUS_OK;
}

/* ------------------------------------------------------------------------------------------- */

/*
 * Whether the filter has every value that the chunk surely holds. A filter never lacks a value that
 * was inserted (BloomFilter.md), so a missing one proves that it is not of this chunk.
 */
static bool holds_all(const lam_chunk_bloom *bloom, lam_bloom_values held) {
    for (size_t i = 0; i < held.count; i++)
        if (!lam_chunk_bloom_may_hold(bloom, held.values[i]))
            return false;
    return true;
}

/* Does not read if no value is looked for or the chunk has no triples. */
lam_status lam_chunk_bloom_read(lam_claimed_bytes *claimed, size_t leaf_index,
                                const lam_meta_column *column, const lam_bloom_questions *questions,
                                lam_arena *arena, uint64_t *bytes_read, lam_chunk_bloom *ret_bloom,
                                lam_error *error) {
    bloom_source source = {.reader = claimed->reader, .arena = arena, .bytes_read = bytes_read};
    lam_chunk_bloom bloom = {0};
    size_t count = 0;
    for (size_t i = 0; i < questions->list_count; i++)
        count += questions->lists[i].count;
    if (count > 0 && column->num_values > 0)
        LAM_TRY(chunk_bloom_find(&source, claimed, leaf_index, column, error));
    if (source.block_count > 0) {
        bool whole = source.block_count <= WHOLE_BYTES / LAM_BLOOM_BLOCK_SIZE ||
                     source.block_count / WHOLE_SHARE <= count;
        LAM_TRY(
            whole ? read_whole(&source, &bloom, error)
                  : read_blocks(&source, questions, count + questions->held.count, &bloom, error));
    }
    if (!holds_all(&bloom, questions->held))
        bloom = (lam_chunk_bloom){0};
    bloom.offset = source.offset;
    *ret_bloom = bloom;
    return LAM_STATUS_OK;
}

/* Binary search over the blocks that were read. */
lam_bytes lam_chunk_bloom_block(const lam_chunk_bloom *bloom, uint32_t number) {
    if (bloom->bits != NULL)
        return (lam_bytes){bloom->bits + (size_t)number * LAM_BLOOM_BLOCK_SIZE,
                           LAM_BLOOM_BLOCK_SIZE};
    size_t at;
    LAM_BISECT(at, 0, bloom->read_count, bloom->blocks[at].number < number);
    bool was_read = at < bloom->read_count && bloom->blocks[at].number == number &&
                    bloom->blocks[at].bits.size == LAM_BLOOM_BLOCK_SIZE;
    return was_read ? bloom->blocks[at].bits : (lam_bytes){NULL, 0};
}

/* A missing block does not rule the value out. */
bool lam_chunk_bloom_may_hold(const lam_chunk_bloom *bloom, lam_bytes value) {
    uint64_t hash = lam_bloom_hash(value);
    if (bloom->block_count == 0)
        return true;
    lam_bytes block = lam_chunk_bloom_block(bloom, lam_bloom_block_of(bloom->block_count, hash));
    return block.size == 0 || lam_bloom_probe_block(block.data, hash);
}
