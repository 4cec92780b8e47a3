/*
 * What a file says of a column chunk and its pages, as far as it is sane: statistics, page index,
 * Bloom filter. What is damaged, or contradicts itself, the chunk or the schema, is as good as
 * absent: it may cost time and never a row.
 * (parquet.thrift, Statistics, ColumnIndex, OffsetIndex; PageIndex.md; BloomFilter.md)
 */
#ifndef LAM_SCAN_TRUSTED_METADATA_H
#define LAM_SCAN_TRUSTED_METADATA_H

#include "file/file_reader.h"
#include "filter/filter_prune.h"
#include "scan/chunk_bloom.h"
#include "scan/chunk_sanity.h"

typedef struct lam_trusted_metadata {
    lam_chunk_claims claims;
    lam_filter_facts facts; /* of the chunk, by its statistics */
    size_t page_count;      /* 0 when there is no offset index */
    const lam_meta_page_location *locations;
    bool has_bounds; /* the column index stands, one element per page */
    lam_meta_column_index bounds;
    lam_chunk_bloom bloom;
    uint64_t bytes_read; /* of indexes and filters */
} lam_trusted_metadata;

/* Which kinds to read; statistics come with the footer. */
typedef struct lam_trusted_metadata_kinds {
    bool offset_index;
    bool column_index;          /* needs the offset index */
    const lam_filter *bloom_of; /* the Bloom filter for values that it looks for; NULL is none */
} lam_trusted_metadata_kinds;

/*
 * Reads the kinds that are there; memory of `arena`, under whose budget a kind that has no room is
 * left out. IO and NOMEM are the only failures beside those of a chunk that cannot be read at all.
 */
lam_status lam_trusted_metadata_read(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                     lam_trusted_metadata_kinds kinds, lam_arena *arena,
                                     lam_trusted_metadata *ret_index, lam_error *error);

/* What is known of the whole chunk, and of one page of those that have bounds. */
lam_filter_facts lam_trusted_metadata_facts(const lam_trusted_metadata *index);
lam_filter_facts lam_trusted_metadata_page_facts(const lam_trusted_metadata *index, size_t page);

/* Whether the statistics of a chunk say that it has no value. Fails when it is unreadable. */
lam_status lam_chunk_is_empty(const lam_reader *reader, size_t row_group, size_t leaf_index,
                              bool *ret_empty, lam_error *error);

/*
 * Opens a chunk for reading. Where rows will be passed over, the offset index counts those that
 * page headers do not, and is held against those that they do; the chunk borrows it from `arena`.
 * Adds the bytes read for it to `*index_bytes`.
 */
lam_status lam_chunk_open(const lam_reader *reader, size_t row_group, size_t leaf_index,
                          bool has_gaps, lam_arena *arena, uint64_t *index_bytes,
                          lam_chunk_reader **ret_chunk, lam_error *error);

/* The first row of a page, and of the page behind the last. */
static inline uint64_t lam_trusted_metadata_first_row(const lam_trusted_metadata *index,
                                                      size_t page) {
    return page < index->page_count ? (uint64_t)index->locations[page].first_row_index
                                    : index->claims.row_count;
}

#endif
