/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads bytes that a scan can do without: page indexes and Bloom filters, at offsets that the
 * footer states. Bytes go out, or none where the statement cannot be true; only IO and NOMEM are
 * failures, because a filter must give the same rows with a damaged index as without any.
 *
 * The second half checks whether a range belongs to the index alone. Damaged footers state offsets
 * into pages or other indexes; those bytes may decode, and a Bloom filter decodes from any bytes at
 * all. Since both statements come from the footer, nothing shows which one is right, and a range
 * that two of them claim is not used.
 */
#include "scan/index_bytes.h"

#include "base/checked.h"
#include "base/error.h"
#include "chunk/page_walk.h"

lam_status lam_index_bytes_read(const lam_reader *reader, int64_t offset, int64_t size,
                                lam_arena *arena, uint64_t *bytes_read, lam_bytes *ret_bytes,
                                lam_error *error) {
    uint8_t *bytes;
    lam_error failure = lam_error_none();
    *ret_bytes = (lam_bytes){NULL, 0};
    /*
     * The range must lie between the first magic and the footer, before anything is allocated for
     * it.
     */
    if (offset < LAM_FOOTER_MAGIC_SIZE || size <= 0 || (uint64_t)size > SIZE_MAX ||
        !lam_range_fits((uint64_t)offset, (uint64_t)size, reader->footer.offset))
        return LAM_STATUS_OK;
    bool good;
    LAM_TRY(lam_index_forgive(lam_arena_bytes(arena, (size_t)size, &bytes, &failure), &failure,
                              &good, error));
    if (!good)
        return LAM_STATUS_OK;
    LAM_TRY(
        reader->input.read_at(reader->input.state, (uint64_t)offset, (size_t)size, bytes, error));
    *bytes_read += (uint64_t)size;
    *ret_bytes = (lam_bytes){bytes, (size_t)size};
    return LAM_STATUS_OK;
}

/*
 * Turns every status but NOMEM into "not good". A limit that is exceeded counts as damage: the
 * budget of indexes must not stop a scan.
 */
lam_status lam_index_forgive(lam_status status, const lam_error *failure, bool *ret_good,
                             lam_error *error) {
    *ret_good = status == LAM_STATUS_OK;
    if (status != LAM_STATUS_NOMEM)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = *failure;
    return status;
}

/* --- Ranges of bytes ----------------------------------------------------------------------- */

/* Bytes of the file. */
typedef struct range {
    uint64_t begin;
    uint64_t end; /* behind the last byte */
} range;

/* Whether `size` bytes at `offset`, or one byte if the size is not stated, overlap a range. */
static bool meets(range own, int64_t offset, int64_t size) {
    uint64_t end;
    if (offset < 0 || !lam_add_u64((uint64_t)offset, size > 0 ? (uint64_t)size : 1, &end))
        return false;
    return (uint64_t)offset < own.end && own.begin < end;
}

/*
 * Whether the pages, an index or the Bloom filter of a chunk overlap a range. `self` is the address
 * of the stated offset whose range is being tested, so that it is not compared with itself. Chunks
 * in other files overlap nothing here.
 */
static bool meets_chunk(range own, const int64_t *self, const lam_reader *reader,
                        const lam_meta_column_chunk *chunk) {
    const lam_meta_column *column = chunk->meta_data;
    lam_chunk_range pages;
    if (column == NULL || (chunk->has & LAM_META_COLUMN_CHUNK_HAS_FILE_PATH) != 0)
        return false;
    if (lam_chunk_find(column, reader->footer.offset, &pages, NULL) == LAM_STATUS_OK &&
        pages.size > 0 && meets(own, (int64_t)pages.offset, (int64_t)pages.size))
        return true;
    if ((chunk->has & LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET) != 0 &&
        meets(own, chunk->offset_index_offset, chunk->offset_index_length))
        return true;
    if ((chunk->has & LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET) != 0 &&
        self != &chunk->column_index_offset &&
        meets(own, chunk->column_index_offset, chunk->column_index_length))
        return true;
    bool has_length = (column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH) != 0;
    return (column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) != 0 &&
           self != &column->bloom_filter_offset &&
           meets(own, column->bloom_filter_offset, has_length ? column->bloom_filter_length : 1);
}

/*
 * Compares with the chunks of four row groups at most, linear in the columns, because a comparison
 * with all of them for each index would be quadratic in the file. Writers put the indexes and
 * filters of neighbours side by side, and indexes at the end of a file begin with those of the
 * first row group.
 */
bool lam_index_bytes_are_own(const lam_reader *reader, size_t row_group, const int64_t *offset,
                             int64_t size) {
    const lam_meta_row_group_list *groups = &reader->footer.meta.row_groups;
    const size_t beside[] = {row_group, row_group + 1, row_group - 1, 0};
    size_t count = row_group > 1 ? 4 : row_group + 2; /* each row group once */
    if (*offset < 0 || size <= 0)
        return false;
    range own = {(uint64_t)*offset, (uint64_t)*offset + (uint64_t)size};
    for (size_t i = 0; i < count; i++) {
        const lam_meta_column_chunk_list *columns;
        if (beside[i] >= groups->count)
            continue;
        columns = &groups->items[beside[i]].columns;
        for (uint32_t c = 0; c < columns->count; c++)
            if (meets_chunk(own, offset, reader, &columns->items[c]))
                return false;
    }
    return true;
}
