/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Details that a file states about itself and that reading does not need: statistics, sizes,
 * sorting, page indexes, Bloom filters, geospatial statistics. (parquet.thrift; PageIndex.md;
 * BloomFilter.md; Geospatial.md)
 *
 * All of it is given as the file states it, and nothing is compared with the data: lam_check does
 * that. Numbers that a file does not state are -1, and bytes have NULL data; in a damaged file a
 * number may have any value. Pointers are borrowed from the reader until it is closed.
 */
#ifndef LAMELLA_DETAILS_H
#define LAMELLA_DETAILS_H

#include <lamella/common.h>
#include <lamella/reader.h>
#include <lamella/record.h>
#include <lamella/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Columns ------------------------------------------------------------------------------- */

/* The order of a column's bounds; numbered as in the format's `union ColumnOrder`. */
typedef enum lam_column_order {
    LAM_COLUMN_ORDER_UNDEFINED = 0, /* not stated, or unknown to this version */
    LAM_COLUMN_ORDER_TYPE = 1,      /* that of the logical or physical type */
    LAM_COLUMN_ORDER_IEEE_754_TOTAL = 2,
    LAM_COLUMN_ORDER_INT96_TIMESTAMP = 3
} lam_column_order;

/* UNDEFINED also when there is no such leaf. */
LAM_PUBLIC lam_column_order lam_reader_column_order(const lam_reader *reader, size_t leaf_index);
/* The name in the format's spelling, "TYPE_ORDER"; "UNDEFINED" when out of range; static. */
LAM_PUBLIC const char *lam_column_order_name(lam_column_order order);

/*
 * Reads a bound as a value of its leaf; bytes are borrowed from `bound`. INVALID when no value of
 * the type has such bytes. A bound of a text or of bytes may have been cut, and is then a value
 * that need not occur.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_bound_value(const lam_field *leaf, lam_bytes bound,
                                                    lam_value *ret_value, lam_error *error);

/*
 * Gives a number below, at or above 0 as bound `a` comes before, with or after `b` in the order
 * that the format gives the type of a leaf; also 0 if there is no order, as for INTERVAL, or one is
 * NaN, or no value of the type.
 */
LAM_PUBLIC int lam_bound_compare(const lam_field *leaf, lam_bytes a, lam_bytes b);

/* --- Row groups ---------------------------------------------------------------------------- */

typedef struct lam_sorting_column {
    size_t struct_size;
    int32_t leaf_index; /* as the file states it: may be any number */
    bool descending;
    bool nulls_first;
} lam_sorting_column;

LAM_GROWING(lam_sorting_column);

/*
 * Gives number `index` of lam_row_group_info.sorting_column_count; INVALID when it does not exist.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_sorting_column(const lam_reader *reader,
                                                              size_t row_group, size_t index,
                                                              lam_sorting_column *ret_column,
                                                              lam_error *error);

/* --- Column chunks ------------------------------------------------------------------------- */

/* One axis of a bounding box. Only x may have `least` above `most`: the box then wraps around. */
typedef struct lam_box_axis {
    bool is_stated; /* both ends are stated */
    double least;
    double most;
} lam_box_axis;

typedef struct lam_geospatial_info {
    bool is_stated;
    bool has_box;
    lam_box_axis axes[4]; /* x, y, z, m */
    const int32_t *types; /* codes of ISO WKB: 1 is a point, 1001 one with z */
    size_t type_count;    /* 0 when the types are unknown */
} lam_geospatial_info;

/* Counts by level, from 0 on. */
typedef struct lam_level_counts {
    const int64_t *counts;
    size_t level_count; /* 0 when there is no histogram */
} lam_level_counts;

typedef struct lam_chunk_details {
    size_t struct_size;
    lam_statistics statistics;
    int64_t unencoded_bytes; /* of BYTE_ARRAY values, without their lengths */
    lam_level_counts repetition;
    lam_level_counts definition;
    lam_geospatial_info geospatial;
    size_t page_count_count; /* entries of lam_reader_page_count */
    size_t key_value_count;  /* entries of lam_reader_chunk_key_value */
    int64_t offset_index_length;
    int64_t column_index_length;
    int64_t bloom_filter_length; /* header and bitset */
    int64_t file_offset;         /* of the column chunk: deprecated, 0 in recent files */
} lam_chunk_details;

LAM_GROWING(lam_chunk_details);

/* Errors as lam_reader_column_chunk. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_chunk_details(const lam_reader *reader,
                                                             size_t row_group, size_t leaf_index,
                                                             lam_chunk_details *ret_details,
                                                             lam_error *error);

/* The number of pages of a chunk that have one type and encoding (`encoding_stats`). */
typedef struct lam_page_count {
    size_t struct_size;
    lam_page_type page_type;
    int32_t encoding; /* lam_encoding, as the file states it */
    int32_t pages;
} lam_page_count;

LAM_GROWING(lam_page_count);

/* Gives number `index` of lam_chunk_details.page_count_count; INVALID when it does not exist. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_page_count(const lam_reader *reader,
                                                          size_t row_group, size_t leaf_index,
                                                          size_t index, lam_page_count *ret_count,
                                                          lam_error *error);

/*
 * Gives entry `index` of a chunk's key-value metadata; the value has NULL data when there is none.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_chunk_key_value(const lam_reader *reader,
                                                               size_t row_group, size_t leaf_index,
                                                               size_t index, lam_bytes *ret_key,
                                                               lam_bytes *ret_value,
                                                               lam_error *error);

/* --- Bloom filters ------------------------------------------------------------------------- */

typedef struct lam_bloom_info {
    size_t struct_size;
    bool is_there;
    uint32_t header_bytes;
    uint32_t bitset_bytes;
    double false_positives; /* the probability that the filter, with the bits that it has, reports a
                               value that was not inserted as one that was */
} lam_bloom_info;

LAM_GROWING(lam_bloom_info);

/*
 * Reads the Bloom filter of a chunk, if there is one. CORRUPT when the file states one and its
 * bytes are none, UNSUPPORTED when it is of another kind than split blocks of xxHash, LIMIT when it
 * is above the memory limit.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_bloom_filter(const lam_reader *reader,
                                                            size_t row_group, size_t leaf_index,
                                                            lam_bloom_info *ret_info,
                                                            lam_error *error);

/* --- Page indexes -------------------------------------------------------------------------- */

/* The offset index and the column index of one chunk. One thread at a time. */
typedef struct lam_page_index_reader lam_page_index_reader;

/*
 * Reads whichever of both exist; having neither is no failure. CORRUPT when one cannot be read or
 * its lists differ in length, LIMIT when they are above the memory limit. The reader must outlive
 * it.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_page_index_reader_open(const lam_reader *reader,
                                                               size_t row_group, size_t leaf_index,
                                                               lam_page_index_reader **ret_index,
                                                               lam_error *error);
LAM_PUBLIC void lam_page_index_reader_close(lam_page_index_reader *index);

typedef struct lam_page_index_info {
    size_t struct_size;
    bool has_offsets;
    bool has_bounds;
    size_t page_count;      /* the larger of both */
    int32_t boundary_order; /* 0 unordered, 1 ascending, 2 descending; -1 without bounds */
} lam_page_index_info;

LAM_GROWING(lam_page_index_info);

LAM_PUBLIC LAM_NODISCARD lam_status lam_page_index_reader_info(const lam_page_index_reader *index,
                                                               lam_page_index_info *ret_info,
                                                               lam_error *error);

/* What both state about one data page; pointers are borrowed until close. */
typedef struct lam_page_index_entry {
    size_t struct_size;
    int64_t offset;          /* of the header, in the file */
    int64_t compressed_size; /* header included */
    int64_t first_row;       /* in the row group */
    int64_t unencoded_bytes;
    bool has_bounds; /* the members below are set, as far as stated */
    bool is_null;    /* the page has no values: min_value and max_value are meaningless */
    lam_bytes min_value;
    lam_bytes max_value;
    int64_t null_count;
    int64_t nan_count;
    lam_level_counts repetition;
    lam_level_counts definition;
} lam_page_index_entry;

LAM_GROWING(lam_page_index_entry);

/* INVALID when the page does not exist. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_page_index_reader_page(const lam_page_index_reader *index,
                                                               size_t page,
                                                               lam_page_index_entry *ret_entry,
                                                               lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
