/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of one column chunk that is being checked, page by page, and the functions of the files
 * that share it.
 *
 *   footer: path, type, codec, range, indexes, Bloom filter     before the pages
 *   page:   header, checksum, levels, values, its statistics    for each page
 *   footer: sums, offsets, encodings, statistics, indexes       after the pages
 *
 * Damage is remembered in `whole`, `levels_read` and `lost`: a sum or bound is compared with the
 * pages only as far as everything that it counts could be read, so that one defect is not reported
 * twice.
 */
#ifndef LAM_CHECK_CHUNK_CHUNK_CHECK_H
#define LAM_CHECK_CHUNK_CHUNK_CHECK_H

#include "check/content/contents.h"
#include "check/report/checker.h"
#include "chunk/read/page_walk.h"
#include "encoding/decoder.h"
#include "page/page.h"
#include "stats/value_summary.h"
#include "stats/wkb.h"

enum { LAM_CHECK_BATCH = 1024 }; /* levels, and values, that are checked at once */

/*
 * A group above the leaf that has other leaves too, and a hash of the leaf's levels, cut to those
 * of the group (check_level_digests.c).
 */
typedef struct lam_level_group {
    size_t field_index;
    uint8_t max_repetition;
    uint8_t max_definition;
    uint16_t run_levels; /* of the open run: repetition level << 8 | cut definition level */
    uint64_t count;      /* triples in the open run */
    uint64_t hash;       /* of the runs before it */
} lam_level_group;

/* What must be known of the triples before, across pages. */
typedef struct lam_level_check {
    bool started;                  /* the chunk's first triple has been read */
    uint8_t last_definition;       /* of the triple before; UINT8_MAX when unknown */
    uint8_t least_definition[256]; /* by repetition level: where its repeated field is defined */
    size_t group_count;            /* groups, from the innermost outwards */
    lam_level_group groups[LAM_SCHEMA_DEPTH_MAX];
} lam_level_check;

/* What the levels of one page add up to. */
typedef struct lam_page_levels {
    uint64_t values; /* triples that have a value */
    uint64_t rows;   /* triples with repetition level 0 */
    bool begins_row; /* the first triple has repetition level 0 */
} lam_page_levels;

/* The format that values have by themselves, if it can be checked. */
typedef enum lam_content {
    LAM_CONTENT_NONE,
    LAM_CONTENT_JSON,
    LAM_CONTENT_BSON,
    LAM_CONTENT_GEOMETRY, /* well-known binary */
    LAM_CONTENT_VARIANT_METADATA
} lam_content;

/* The first coordinate that lies outside of a range. */
typedef struct lam_outlier {
    bool found;
    unsigned axis;
    double number;
} lam_outlier;

/* One axis of a bounding box, as the footer states it. */
typedef struct lam_box_side {
    bool has_least;
    bool has_most;
    bool compares; /* both ends are stated, and neither is NaN */
    double least;
    double most;
} lam_box_side;

/* The geometries of a column chunk so far. */
typedef struct lam_geo_check {
    lam_box_side box[LAM_WKB_AXES]; /* nothing on any axis when no box is stated */
    bool degrees;                   /* x and y are longitude and latitude */
    bool rounds;            /* edges are not straight, so that the box was computed with rounding */
    bool partial;           /* some geometry could not be read */
    bool met[LAM_WKB_AXES]; /* some point has a number on the axis */
    bool types[LAM_WKB_LAYOUTS][LAM_WKB_KINDS]; /* outermost types that occurred */
    lam_outlier outside;                        /* of the box */
    lam_outlier rounded;                        /* outside of the box by rounding at most */
    lam_outlier beyond;                         /* outside of the degrees that exist */
} lam_geo_check;

/* One column chunk. Pointers into the footer are borrowed from the checker. */
typedef struct lam_chunk_check {
    lam_checker *checker;
    size_t row_group;
    size_t leaf_index;
    lam_check_location location; /* row group and column, without row and offset */
    const lam_field *leaf;
    const lam_meta_row_group *group;
    const lam_meta_column_chunk *chunk;
    const lam_meta_column *column;
    lam_value_layout layout;
    lam_value_order order;
    bool reported[LAM_RULE_COUNT]; /* rules that are reported once in a chunk, see lam_check_once */

    bool decodes;      /* this build reads the codec */
    bool whole;        /* all pages so far could be read down to their values */
    bool levels_read;  /* all levels so far, so that `rows` is true */
    bool lost;         /* some pages could not be found: sums mean nothing */
    bool counts_agree; /* values and rows are as many as the footer states */

    lam_page_walk walk;
    uint64_t end; /* of the column chunk, by its stated size */
    lam_page_reader reader;
    lam_arena values_arena; /* memory of the decoder of one page */
    bool has_sequels;       /* byte arrays go on from page to page, by the name of the writer */
    lam_buffer before;      /* of such pages: the last value of the page before */
    lam_arena arena;        /* indexes and Bloom filter */
    lam_arena header_arena; /* statistics of the open page header */

    bool has_dictionary;         /* a dictionary page was met */
    bool dictionary_reads;       /* its entries could be decoded */
    lam_buffer dictionary_bytes; /* the page; byte arrays point into it */
    void *dictionary_values;     /* the entries, as elements of lam_triples.values */
    size_t dictionary_size;      /* bytes of dictionary_values */
    lam_dictionary dictionary;
    uint32_t *ranks;    /* by entry, in the column's order; NULL until needed */
    bool *entries_seen; /* by entry: its value has been checked by itself */

    lam_content content;
    lam_buffer nesting; /* scratch of the value that is being checked */
    lam_geo_check geo;

    bool has_offset_index;
    bool has_column_index;
    lam_meta_offset_index offset_index;
    uint32_t next_location; /* in the offset index: where to resume after a damaged header */
    lam_meta_column_index column_index;
    uint8_t *bloom; /* bitset, in `arena`; NULL when there is none to query */
    uint32_t bloom_blocks;

    lam_level_check levels;
    lam_value_summary page;  /* of the page that is being read */
    lam_value_summary total; /* of all pages that could be read */
    bool has_signed;         /* deprecated bounds are stated, in another order than the column's */
    lam_value_summary signed_total; /* of all values, in that order */

    uint64_t triples; /* by the page headers, not by the levels */
    uint64_t rows;    /* by the levels that were read */
    uint64_t pages;   /* of all types */
    uint64_t data_pages;
    uint64_t uncompressed;      /* bytes of pages without compression, headers included */
    int64_t data_offset;        /* of the first data page; -1 before it */
    int64_t dictionary_offset;  /* -1 before a dictionary page */
    uint32_t data_encodings;    /* bit e: a data page has encoding e */
    uint32_t other_encodings;   /* the same of levels and dictionaries */
    lam_buffer encoding_counts; /* lam_encoding_count */

    uint8_t repetition[LAM_CHECK_BATCH];
    uint8_t definition[LAM_CHECK_BATCH];
    size_t batch; /* values that `values` has room for */
    void *values; /* elements of lam_triples.values */
} lam_chunk_check;

/* How many pages of one type have their values in one encoding. */
typedef struct lam_encoding_count {
    int32_t page_type;
    int32_t encoding;
    int64_t count;
} lam_encoding_count;

/*
 * True the first time in the chunk that it is called for a rule; so a million bad values make one
 * finding.
 */
static inline bool lam_check_once(lam_chunk_check *chunk, lam_rule rule) {
    bool first = !chunk->reported[rule];
    chunk->reported[rule] = true;
    return first;
}

/* --- Pages ---------------------------------------------------------------------------------- */

/* `offset` is that of the page's header. The walk stands behind the page. */
lam_status lam_check_data_page(lam_chunk_check *chunk, const lam_meta_page_header *header,
                               uint64_t offset);
lam_status lam_check_dictionary_page(lam_chunk_check *chunk, const lam_meta_page_header *header,
                                     uint64_t offset);
/* Compares the body with its checksum, if there is one; `*ret_good` is false when they differ. */
lam_status lam_check_crc(lam_chunk_check *chunk, const lam_meta_page_header *header,
                         uint64_t offset, bool *ret_good);

/* Finds the groups above the leaf that it shares with other leaves. */
void lam_level_check_init(lam_level_check *levels, const lam_field *leaf);
/* Adds `count` triples of the same levels to the hash of each such group. */
void lam_check_add_level_digest(lam_level_check *levels, uint8_t r, uint8_t d, uint64_t count);
/*
 * Reads all levels of a page into the histograms of chunk->page. `*ret_good` is false when they are
 * damaged; that has been reported then.
 */
lam_status lam_check_levels(lam_chunk_check *chunk, const lam_page *page,
                            lam_check_location location, lam_page_levels *ret_levels,
                            bool *ret_good);
/* After all levels: compares the hashes with those of the leaves before, in each shared group. */
lam_status lam_check_level_digests(lam_chunk_check *chunk);

/* True if byte arrays go on from page to page, as the writer of the file is known to leave them. */
bool lam_check_has_sequels(const lam_checker *checker, const lam_field *leaf);

/*
 * Reads the `count` values of a page into chunk->page. `*ret_good` is false when they are damaged
 * or cannot be read; that has been reported then.
 */
lam_status lam_check_values(lam_chunk_check *chunk, const lam_page *page, uint64_t count,
                            lam_check_location location, bool *ret_good);

/*
 * After the last value of a page was read: reports bytes or values that are left over, as a
 * warning.
 */
lam_status lam_check_rest(lam_chunk_check *chunk, const lam_decoder *decoder,
                          lam_check_location location);

/* Checks the bit widths of a page in a delta encoding that has been read without failure. */
lam_status lam_check_delta_widths(lam_chunk_check *chunk, const lam_page *page,
                                  lam_check_location location);

/* The bit of an encoding in a set; 0 for numbers that the set cannot hold. */
uint32_t lam_check_encoding_bit(int32_t encoding);
/* Counts a page for encoding_stats. */
lam_status lam_check_count_encoding(lam_chunk_check *chunk, int32_t page_type, int32_t encoding);
/* After all pages are counted: compares their encodings with the footer's. */
lam_status lam_check_encodings(lam_chunk_check *chunk);

/* Whether pages of indexes are checked by entry (lam_check_indexes) instead of value by value. */
bool lam_check_takes_ranks(const lam_chunk_check *chunk);
/* Does what lam_check_values does, for a page of indexes into a dictionary that could be read. */
lam_status lam_check_indexes(lam_chunk_check *chunk, const lam_page *page, uint64_t count,
                             lam_check_location location, bool *ret_good);
void lam_check_free_dictionary(lam_chunk_check *chunk);
/*
 * Checks what concerns each value by itself: its logical type and content, the Bloom filter, the
 * deprecated bounds.
 */
lam_status lam_check_single_values(lam_chunk_check *chunk, const void *values, size_t count,
                                   lam_check_location location);

/* From the leaf's logical type, or its position in a VARIANT. */
lam_content lam_content_of(const lam_field *leaf);
/* Checks values that are JSON, BSON, geometries or metadata of a VARIANT. */
lam_status lam_check_contents(lam_chunk_check *chunk, const void *values, size_t count,
                              lam_check_location location);

/* Takes over the bounding box, before the first geometry. */
void lam_check_open_geospatial(lam_chunk_check *chunk);
/* Adds one geometry. INVALID or UNSUPPORTED when it cannot be read; nothing is reported. */
lam_status lam_check_geometry(lam_chunk_check *chunk, lam_bytes value, lam_error *failure);
/* Reports the first point outside of the box or the degrees, once. */
lam_status lam_check_geometry_bounds(lam_chunk_check *chunk, lam_check_location location);
/* After all geometries: compares them with the geospatial statistics of the chunk. */
lam_status lam_check_geospatial(lam_chunk_check *chunk);

/* --- Statements about pages and chunks ------------------------------------------------------ */

/*
 * Compares statistics with what was counted. `what` names them in messages, as in "the statistics
 * of the page".
 */
lam_status lam_check_statistics(lam_chunk_check *chunk, const char *what,
                                lam_check_location location, const lam_meta_statistics *statistics,
                                const lam_value_summary *summary, uint64_t null_count);
/* `null_count` counts triples without a value. */
lam_status lam_check_null_count(lam_chunk_check *chunk, const char *what,
                                lam_check_location location, int64_t stated,
                                const lam_value_summary *summary, uint64_t null_count);
/* Histograms of levels and the bytes of byte arrays, of the whole chunk. */
lam_status lam_check_size_statistics(lam_chunk_check *chunk);

/* Bounds in the column's order, as statistics or the column index state them. */
typedef struct lam_stated_bounds {
    const char *what;
    lam_check_location location;
    bool has_min;
    bool has_max;
    lam_bytes min;
    lam_bytes max;
    int min_exact; /* 1 exact, 0 perhaps shortened, -1 not stated */
    int max_exact;
} lam_stated_bounds;

lam_status lam_check_bounds(lam_chunk_check *chunk, const lam_stated_bounds *stated,
                            const lam_value_summary *summary);
/* False when a bound cannot be a value of the column, even shortened, or there is no order. */
bool lam_bound_compares(const lam_value_order *order, lam_bytes bound);

/*
 * Reports the first level whose `stated` count differs from the `actual` one; both have `count`
 * elements.
 */
lam_status lam_check_histogram(lam_chunk_check *chunk, const char *what,
                               lam_check_location location, const int64_t *stated,
                               const uint64_t *actual, size_t count);

/* Reads the offset index and the column index, and checks each by itself. */
lam_status lam_check_open_indexes(lam_chunk_check *chunk);
/*
 * Compares a data page with its location in the offset index, before the page is read. `page`
 * counts the chunk's data pages from 0.
 */
lam_status lam_check_page_location(lam_chunk_check *chunk, uint64_t page, uint64_t offset,
                                   uint64_t size);
/* Compares chunk->rows, the first row of a page, with the offset index. */
lam_status lam_check_page_row(lam_chunk_check *chunk, uint64_t page, lam_check_location location);
/* Compares the indexes with a page that was read into chunk->page. */
lam_status lam_check_page_indexes(lam_chunk_check *chunk, uint64_t page,
                                  lam_check_location location, uint64_t null_count);
/* After all pages: compares the numbers of pages. */
lam_status lam_check_close_indexes(lam_chunk_check *chunk);

/* Reads the Bloom filter, so that values can be looked up in it. */
lam_status lam_check_open_bloom(lam_chunk_check *chunk);

/*
 * Reads the bytes of an index or a filter into the chunk's arena. `*ret_bytes` is empty when they
 * cannot be read; that has been reported then.
 */
lam_status lam_check_fetch(lam_chunk_check *chunk, const char *what, int64_t offset, int64_t size,
                           lam_bytes *ret_bytes);

#endif
