/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page index in the metadata of a Parquet file: OffsetIndex and ColumnIndex of
 * thrift/parquet.thrift, by the rules of metadata.h. Both have an entry for each data page of a
 * column chunk. (PageIndex.md)
 *
 *   offset index   where page 0 is, where page 1 is, ...
 *   column index   bounds and nulls of page 0, of page 1, ...
 */
#ifndef LAM_META_METADATA_INDEX_H
#define LAM_META_METADATA_INDEX_H

#include "meta/metadata_list.h"

/* PageLocation: a data page in the file. Its rows end where those of the next page begin. */
typedef struct lam_meta_page_location {
    uint32_t has;
    int32_t compressed_page_size; /* bytes, the page header included */
    int64_t offset;
    int64_t first_row_index; /* in the row group */
} lam_meta_page_location;

typedef struct lam_meta_page_location_list {
    const lam_meta_page_location *items;
    uint32_t count;
} lam_meta_page_location_list;

enum { LAM_META_OFFSET_INDEX_HAS_UNENCODED_BYTE_ARRAY_DATA_BYTES = 1u << 2 };

/*
 * OffsetIndex: the data pages of a chunk in their order, without the dictionary page. Each of them
 * begins with a record. (PageIndex.md)
 */
typedef struct lam_meta_offset_index {
    uint32_t has;
    lam_meta_page_location_list page_locations;
    lam_meta_i64_list unencoded_byte_array_data_bytes;
} lam_meta_offset_index;

/*
 * BoundaryOrder: whether the bounds of the pages, null pages aside, are sorted, so that bisection
 * works.
 */
typedef enum lam_meta_boundary_order {
    LAM_META_BOUNDARY_UNORDERED = 0,
    LAM_META_BOUNDARY_ASCENDING = 1,
    LAM_META_BOUNDARY_DESCENDING = 2
} lam_meta_boundary_order;

enum {
    LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS = 1u << 5,
    LAM_META_COLUMN_INDEX_HAS_REPETITION_LEVEL_HISTOGRAMS = 1u << 6,
    LAM_META_COLUMN_INDEX_HAS_DEFINITION_LEVEL_HISTOGRAMS = 1u << 7,
    LAM_META_COLUMN_INDEX_HAS_NAN_COUNTS = 1u << 8
};

/*
 * ColumnIndex: bounds and counts of the data pages of a chunk, for those of its offset index. Each
 * list has one element per page, each histogram one per page and level: with maximum 1 and two
 * pages,
 *
 *   definition_level_histograms   0 and 1 of page 0, 0 and 1 of page 1
 *
 * A null page has empty bounds, which mean nothing.
 */
typedef struct lam_meta_column_index {
    uint32_t has;
    int32_t boundary_order; /* lam_meta_boundary_order */
    lam_meta_bool_list null_pages;
    lam_meta_bytes_list min_values;
    lam_meta_bytes_list max_values;
    lam_meta_i64_list null_counts;
    lam_meta_i64_list repetition_level_histograms;
    lam_meta_i64_list definition_level_histograms;
    lam_meta_i64_list nan_counts;
} lam_meta_column_index;

#endif
