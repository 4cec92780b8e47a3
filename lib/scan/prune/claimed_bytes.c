/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks, by the footer's statements about chunks, whether a range of bytes belongs to one index
 * alone.
 *
 * Damaged footers state offsets into pages or other indexes; those bytes may decode, and a Bloom
 * filter decodes from any bytes at all. Since both statements come from the footer, it is unknown
 * which one is right, and a range that two of them claim is not used.
 *
 * The invariant: the chunks around a row group are decoded once, and each question passes over
 * their claims. They are those of at most four row groups, because a comparison with all of them
 * for each index would be quadratic in the file. Writers put the indexes and filters of neighbours
 * side by side, and indexes at the end of a file begin with those of the first row group.
 */
#include "scan/prune/claimed_bytes.h"

#include "base/error.h"
#include "chunk/read/page_walk.h"
#include "scan/prune/index_bytes.h"

/* Bytes of the file, and whose they are. */
typedef struct claim {
    uint64_t begin;
    uint64_t end;   /* past the last byte */
    uint32_t owner; /* leaf index and kind, for indexes of the row group itself; else NOBODY */
} claim;

#define NOBODY UINT32_MAX

static uint32_t owner_of(size_t leaf_index, lam_index_kind kind) {
    return (uint32_t)leaf_index * 2 + (kind == LAM_INDEX_BLOOM);
}

void lam_claimed_bytes_init(lam_claimed_bytes *claimed, const lam_allocator *allocator) {
    memset(claimed, 0, sizeof *claimed);
    lam_buffer_init(&claimed->claims, allocator);
}

void lam_claimed_bytes_finish(lam_claimed_bytes *claimed) {
    lam_buffer_finish(&claimed->claims);
}

void lam_claimed_bytes_move(lam_claimed_bytes *claimed, const lam_reader *reader,
                            size_t row_group) {
    claimed->reader = reader;
    claimed->row_group = row_group;
    claimed->is_gathered = false;
    lam_buffer_clear(&claimed->claims);
}

/*
 * Adds `size` bytes at `offset`, or one byte if the size is not stated. Two numbers of 63 bits have
 * a sum of 64.
 */
static lam_status add_claim(lam_claimed_bytes *claimed, int64_t offset, int64_t size,
                            uint32_t owner, lam_error *error) {
    if (offset < 0)
        return LAM_STATUS_OK;
    const claim added = {(uint64_t)offset, (uint64_t)offset + (size > 0 ? (uint64_t)size : 1),
                         owner};
    return lam_buffer_append(&claimed->claims, &added, sizeof added, error);
}

/*
 * Adds the pages, the indexes and the Bloom filter of a chunk. Chunks in other files have no claims
 * here. `owned`: the chunk is one of the row group itself, whose indexes are not compared with
 * themselves.
 */
static lam_status add_chunk(lam_claimed_bytes *claimed, const lam_meta_column_chunk *chunk,
                            size_t leaf_index, bool owned, lam_error *error) {
    const lam_meta_column *column = chunk->meta_data;
    lam_chunk_range pages;
    uint32_t bounds = owned ? owner_of(leaf_index, LAM_INDEX_BOUNDS) : NOBODY;
    uint32_t bloom = owned ? owner_of(leaf_index, LAM_INDEX_BLOOM) : NOBODY;
    if (column == NULL || (chunk->has & LAM_META_COLUMN_CHUNK_HAS_FILE_PATH) != 0)
        return LAM_STATUS_OK;
    if (lam_chunk_find(column, claimed->reader->footer.offset, &pages, NULL) == LAM_STATUS_OK &&
        pages.size > 0)
        LAM_TRY(add_claim(claimed, (int64_t)pages.offset, (int64_t)pages.size, NOBODY, error));
    if ((chunk->has & LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET) != 0)
        LAM_TRY(add_claim(claimed, chunk->offset_index_offset, chunk->offset_index_length, NOBODY,
                          error));
    if ((chunk->has & LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET) != 0)
        LAM_TRY(add_claim(claimed, chunk->column_index_offset, chunk->column_index_length, bounds,
                          error));
    bool has_length = (column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH) != 0;
    if ((column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) != 0)
        LAM_TRY(add_claim(claimed, column->bloom_filter_offset,
                          has_length ? column->bloom_filter_length : 1, bloom, error));
    return LAM_STATUS_OK;
}

static lam_status add_row_group(lam_claimed_bytes *claimed, size_t row_group, lam_arena *arena,
                                lam_error *error) {
    const lam_reader *reader = claimed->reader;
    for (size_t i = 0; i < lam_schema_leaf_count(reader->schema); i++) {
        lam_meta_column_chunk chunk;
        lam_arena_reset(arena);
        LAM_TRY(lam_reader_decode_chunk(reader, row_group, i, arena, &chunk, error));
        LAM_TRY(add_chunk(claimed, &chunk, i, row_group == claimed->row_group, error));
    }
    return LAM_STATUS_OK;
}

static lam_status gather_claims(lam_claimed_bytes *claimed, lam_error *error) {
    const size_t at = claimed->row_group;
    const size_t around[] = {at, at + 1, at > 0 ? at - 1 : 0, 0};
    const size_t count = at > 1 ? 4 : at + 2; /* each row group once */
    lam_error failure = lam_error_none();
    lam_status status = LAM_STATUS_OK;
    lam_buffer_clear(&claimed->claims);
    lam_arena arena = lam_reader_chunk_arena(claimed->reader);
    for (size_t i = 0; status == LAM_STATUS_OK && i < count; i++)
        if (around[i] < lam_reader_row_group_count(claimed->reader))
            status = add_row_group(claimed, around[i], &arena, &failure);
    lam_arena_finish(&arena);
    LAM_TRY(lam_index_forgive(status, &failure, &claimed->is_whole, error));
    claimed->is_gathered = true;
    return LAM_STATUS_OK;
}

lam_status lam_claimed_bytes_are_own(lam_claimed_bytes *claimed, size_t leaf_index,
                                     lam_index_kind kind, int64_t offset, int64_t size,
                                     bool *ret_own, lam_error *error) {
    if (!claimed->is_gathered)
        LAM_TRY(gather_claims(claimed, error));
    const claim *claims = (const claim *)(const void *)claimed->claims.data;
    const size_t count = claimed->claims.size / sizeof *claims;
    const uint32_t owner = owner_of(leaf_index, kind);
    bool is_own = claimed->is_whole && offset >= 0 && size > 0;
    for (size_t i = 0; is_own && i < count; i++)
        is_own = claims[i].owner == owner || claims[i].begin >= (uint64_t)offset + (uint64_t)size ||
                 claims[i].end <= (uint64_t)offset;
    *ret_own = is_own;
    return LAM_STATUS_OK;
}
