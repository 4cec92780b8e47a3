/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file states about a column chunk and its pages, as far as it is sane: statistics, page
 * index, Bloom filter. Whatever is damaged, or contradicts itself, the chunk or the schema, counts
 * as absent: it may cost time and never a row. (parquet.thrift, Statistics, ColumnIndex,
 * OffsetIndex; PageIndex.md; BloomFilter.md)
 */
#ifndef LAM_SCAN_PRUNE_TRUSTED_METADATA_H
#define LAM_SCAN_PRUNE_TRUSTED_METADATA_H

#include "file/read/file_reader.h"
#include "scan/match/filter_prune.h"
#include "scan/prune/chunk_bloom.h"
#include "scan/prune/chunk_sanity.h"

/* The metadata of one chunk; arrays are in the arena that it was read into. */
typedef struct lam_trusted_metadata {
    lam_chunk_claims claims; /* compared with the statements */
    lam_filter_facts facts;  /* of the chunk, by its statistics */
    size_t page_count;       /* 0 if there is no offset index */
    const lam_meta_page_location *locations;
    bool has_bounds; /* there is a column index, one element per page */
    lam_meta_column_index bounds;
    lam_chunk_bloom bloom;
    uint64_t bytes_read; /* of indexes and filters */
} lam_trusted_metadata;

/* Which kinds to read; statistics come with the footer. */
typedef struct lam_trusted_metadata_kinds {
    bool offset_index;
    bool column_index;          /* needs the offset index */
    const lam_filter *bloom_of; /* the Bloom filter, for the values of this filter; NULL: none */
    lam_claimed_bytes *claimed; /* around the row group; for column indexes and Bloom filters */
} lam_trusted_metadata_kinds;

/*
 * Reads the kinds that are there into `arena`, under whose budget a kind without room is left out.
 * IO and NOMEM are the only failures, besides those of a chunk that cannot be read at all.
 */
lam_status lam_trusted_metadata_read(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                     lam_trusted_metadata_kinds kinds, lam_arena *arena,
                                     lam_trusted_metadata *ret_index, lam_error *error);
/* The same for a chunk that lam_reader_find_column gave, which must outlive the result. */
lam_status lam_trusted_metadata_of(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                   const lam_meta_column_chunk *chunk,
                                   lam_trusted_metadata_kinds kinds, lam_arena *arena,
                                   lam_trusted_metadata *ret_index, lam_error *error);

/* The facts of the entire chunk, and of one page, if there are bounds. */
lam_filter_facts lam_trusted_metadata_facts(const lam_trusted_metadata *index);
lam_filter_facts lam_trusted_metadata_page_facts(const lam_trusted_metadata *index, size_t page);

/* Whether the statistics state that a chunk has no value. Fails if it is unreadable. */
lam_status lam_chunk_is_empty(const lam_reader *reader, size_t row_group, size_t leaf_index,
                              bool *ret_empty, lam_error *error);

/* How a cursor uses an offset index. */
typedef enum lam_index_use {
    LAM_INDEX_UNUSED,
    LAM_INDEX_SKIPS,  /* rows are skipped */
    LAM_INDEX_DECIDES /* it has decided, too, which rows are read */
} lam_index_use;

/*
 * Opens a chunk for reading. If rows will be skipped, the offset index counts the rows of pages
 * whose headers do not, and is compared with those that do; the chunk borrows it from `arena`. Adds
 * the bytes read for it to `*index_bytes`.
 */
lam_status lam_cursor_open(const lam_reader *reader, size_t row_group, size_t leaf_index,
                           lam_index_use use, lam_arena *arena, uint64_t *index_bytes,
                           lam_column_cursor **ret_cursor, lam_error *error);

/* The first row of a page; for the page after the last, the row count. */
static inline uint64_t lam_trusted_metadata_first_row(const lam_trusted_metadata *index,
                                                      size_t page) {
    return page < index->page_count ? (uint64_t)index->locations[page].first_row_index
                                    : index->claims.row_count;
}

#endif
