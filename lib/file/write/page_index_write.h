/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page index of a file that is being written. The indexes of a chunk become bytes when its row
 * group ends; they are written together in front of the footer, so that a reader gets those of many
 * chunks with one read:
 *
 *     column indexes of all chunks   offset indexes of all chunks
 *
 * (PageIndex.md, section "Technical Approach")
 */
#ifndef LAM_FILE_WRITE_PAGE_INDEX_WRITE_H
#define LAM_FILE_WRITE_PAGE_INDEX_WRITE_H

#include <lamella/io.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "stats/chunk_summary.h"

typedef struct lam_page_index {
    lam_buffer columns; /* column indexes that are not written yet */
    lam_buffer offsets; /* offset indexes likewise */
    lam_arena scratch;  /* one index as a struct, before it becomes bytes */
} lam_page_index;

void lam_page_index_init(lam_page_index *index, const lam_allocator *allocator);
void lam_page_index_finish(lam_page_index *index);

/*
 * Adds the indexes of a chunk whose first data page is at `first_page` in the file; without
 * `has_statistics` no column index and no sizes of byte arrays. Sets the offsets, counted from the
 * first index that is not written yet, and lengths in `chunk`. NOMEM, or LIMIT if an index is too
 * large for the format.
 */
lam_status lam_page_index_add(lam_page_index *index, const lam_chunk_summary *summary,
                              bool has_statistics, uint64_t first_page,
                              lam_meta_column_chunk *chunk, lam_error *error);

/* The same for an index that exists as a struct. */
lam_status lam_page_index_put_bounds(lam_page_index *index, const lam_meta_column_index *bounds,
                                     lam_meta_column_chunk *chunk, lam_error *error);
lam_status lam_page_index_put_locations(lam_page_index *index,
                                        const lam_meta_offset_index *locations,
                                        lam_meta_column_chunk *chunk, lam_error *error);

/*
 * Writes all indexes to `output` at `*offset`, which moves past them, and gives where the column
 * indexes and the offset indexes begin.
 */
lam_status lam_page_index_write(lam_page_index *index, lam_output *output, uint64_t *offset,
                                uint64_t *ret_columns_at, uint64_t *ret_offsets_at,
                                lam_error *error);

/* Bytes that are not written yet. */
uint64_t lam_page_index_byte_count(const lam_page_index *index);

#endif
