/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which statements about a column chunk can be true: takes decoded metadata, and gives
 * those that can be believed. Each statement is compared with the other ones: the schema, the row
 * group, the chunk, its statistics, sizes and indexes. If two of them cannot both be true, neither
 * is believed, because it is unknown which one is wrong: a doubt costs time and never a row.
 * (parquet.thrift, Statistics, SizeStatistics, OffsetIndex, ColumnIndex; PageIndex.md)
 */
#ifndef LAM_SCAN_PRUNE_CHUNK_SANITY_H
#define LAM_SCAN_PRUNE_CHUNK_SANITY_H

#include "chunk/read/page_walk.h"
#include "scan/match/filter_prune.h"

/* The chunk that the statements concern, and what is known about it. */
typedef struct lam_chunk_claims {
    const lam_field *leaf;
    const lam_meta_column *column;
    lam_value_order order; /* of the bounds in the file */
    uint64_t row_count;    /* of the row group */
    uint32_t faults;       /* of the writer: lam_fault */
} lam_chunk_claims;

/* The facts that the statistics state; facts that state nothing if they contradict anything. */
lam_filter_facts lam_chunk_statistics_facts(const lam_chunk_claims *claims);

/*
 * Whether the index lists the pages of the chunk in order and side by side, from the first row and
 * up to the chunk's end.
 */
bool lam_offset_index_is_sane(const lam_chunk_claims *claims, lam_chunk_range range,
                              const lam_meta_offset_index *offsets);

/* The pages of a sane offset index. */
typedef struct lam_page_locations {
    const lam_meta_page_location *items;
    uint32_t count;
} lam_page_locations;

/* Whether the index has one element per page, each of which can be true. */
bool lam_column_index_is_sane(const lam_chunk_claims *claims, lam_page_locations pages,
                              const lam_meta_column_index *index);

/* Whether a sane column index goes with the statistics of its chunk. */
bool lam_column_index_agrees(const lam_chunk_claims *claims, const lam_filter_facts *chunk,
                             const lam_meta_column_index *index);

/* Whether both are values of the column and no NaN, and the lower one is not above the upper. */
bool lam_bounds_are_sane(const lam_value_order *order, lam_bytes min, lam_bytes max);

#endif
