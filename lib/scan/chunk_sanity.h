/*
 * Whether what a file says of a column chunk can be true. In come metadata that were read whole;
 * out comes what of them is left to believe. A statement is held against the others that are at
 * hand: the schema, the row group, the chunk, its statistics, sizes and indexes. Where two cannot
 * both be true neither is believed, as nobody knows which lies: a doubt costs time and never a row.
 * (parquet.thrift, Statistics, SizeStatistics, OffsetIndex, ColumnIndex; PageIndex.md)
 */
#ifndef LAM_SCAN_CHUNK_SANITY_H
#define LAM_SCAN_CHUNK_SANITY_H

#include "chunk/chunk.h"
#include "filter/filter_prune.h"

/* What the statements are about. */
typedef struct lam_chunk_claims {
    const lam_field *leaf;
    const lam_meta_column *column;
    lam_value_order order; /* of the bounds in the file */
    uint64_t row_count;    /* of the row group */
    uint32_t faults;       /* of the writer: lam_fault */
} lam_chunk_claims;

/* What the statistics say; facts that say nothing where they contradict anything. */
lam_filter_facts lam_chunk_statistics_facts(const lam_chunk_claims *claims);

/* Pages of the chunk, in order and side by side from the first row on up to the chunk's end. */
bool lam_offset_index_is_sane(const lam_chunk_claims *claims, lam_chunk_range range,
                              const lam_meta_offset_index *offsets);

/* The pages of an offset index that is sane. */
typedef struct lam_page_locations {
    const lam_meta_page_location *items;
    uint32_t count;
} lam_page_locations;

/* One element per page, each of which can be true. */
bool lam_column_index_is_sane(const lam_chunk_claims *claims, lam_page_locations pages,
                              const lam_meta_column_index *index);

/* Whether a column index that is sane goes with the statistics of its chunk. */
bool lam_column_index_agrees(const lam_chunk_claims *claims, const lam_filter_facts *chunk,
                             const lam_meta_column_index *index);

/* Bounds that are values of the column and no NaN, the lower one not above the upper. */
bool lam_bounds_are_sane(const lam_value_order *order, lam_bytes min, lam_bytes max);

#endif
