/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of one column chunk that is being checked, page by page. The walkers of this room and
 * of check/values share it; check/driver/check_chunk.c makes it and goes through the pages.
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

#include "check/report/report.h"
#include "chunk/read/page_walk.h"
#include "encoding/value_layout.h"
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

/* The levels of a chunk: what must be known of the triples before, across pages. */
typedef struct lam_level_check {
    bool started;                  /* the chunk's first triple has been read */
    uint8_t last_definition;       /* of the triple before; UINT8_MAX when unknown */
    uint8_t least_definition[256]; /* by repetition level: where its repeated field is defined */
    size_t group_count;            /* groups, from the innermost outwards */
    lam_level_group groups[LAM_SCHEMA_DEPTH_MAX];
    uint8_t repetition[LAM_CHECK_BATCH]; /* a batch of levels */
    uint8_t definition[LAM_CHECK_BATCH];
} lam_level_check;

/* The totals of one page's levels. */
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

/* The first coordinate outside of a range. */
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
    lam_box_side box[LAM_WKB_AXES]; /* no axis has it when no box is stated */
    bool degrees;                   /* x and y are longitude and latitude */
    bool rounds;            /* edges are not straight, so that the box was computed with rounding */
    bool partial;           /* some geometry could not be read */
    bool met[LAM_WKB_AXES]; /* some point has a number on the axis */
    bool types[LAM_WKB_LAYOUTS][LAM_WKB_KINDS]; /* outermost types that occurred */
    lam_outlier outside;                        /* of the box */
    lam_outlier rounded;                        /* outside of the box by rounding at most */
    lam_outlier beyond;                         /* outside of the degrees that exist */
} lam_geo_check;

/* Values that have a format of their own. */
typedef struct lam_content_check {
    lam_content format;
    lam_buffer nesting; /* scratch of the value that is being checked */
    lam_geo_check geo;
} lam_content_check;

/* The pages of a chunk: where the walk is, and the totals of their headers. */
typedef struct lam_page_check {
    lam_page_walk walk;
    uint64_t end; /* of the column chunk, by its stated size */
    lam_page_reader reader;
    lam_arena header_arena; /* statistics of the open page header */
    uint64_t all_pages;     /* of all types */
    uint64_t data_pages;
    uint64_t triples;           /* by the page headers, not by the levels */
    uint64_t rows;              /* by the levels that were read */
    uint64_t uncompressed;      /* bytes of pages without compression, headers included */
    int64_t data_offset;        /* of the first data page; -1 before it */
    uint32_t data_encodings;    /* bit e: a data page has encoding e */
    uint32_t other_encodings;   /* the same of levels and dictionaries */
    lam_buffer encoding_counts; /* how many pages of which type and encoding: check_encodings.c */
} lam_page_check;

/* The dictionary of a chunk. */
typedef struct lam_dictionary_check {
    bool is_met;      /* a dictionary page was met */
    bool reads;       /* its entries could be decoded */
    int64_t offset;   /* -1 before a dictionary page */
    lam_buffer bytes; /* the page; byte arrays point into it */
    void *values;     /* the entries, as elements of lam_triples.values */
    size_t size;      /* bytes of `values` */
    lam_dictionary entries;
    uint32_t *ranks;    /* by entry, in the column's order; NULL until needed */
    bool *entries_seen; /* by entry: its value has been checked by itself */
} lam_dictionary_check;

/* The values of a chunk: a batch of them, and their totals. */
typedef struct lam_values_check {
    lam_arena arena;         /* memory of the decoder of one page */
    bool has_sequels;        /* byte arrays go on from page to page, by the name of the writer */
    lam_buffer before;       /* of such pages: the last value of the page before */
    size_t batch;            /* values that `elements` has room for */
    void *elements;          /* elements of lam_triples.values */
    lam_value_summary page;  /* of the page that is being read */
    lam_value_summary total; /* of all pages that could be read */
    bool has_signed;         /* deprecated bounds are stated, in another order than the column's */
    lam_value_summary signed_total; /* of all values, in that order */
} lam_values_check;

/* The page index and the Bloom filter of a chunk, which say what its pages hold. */
typedef struct lam_stated_indexes {
    lam_arena arena;
    bool has_offset_index;
    bool has_column_index;
    lam_meta_offset_index offset_index;
    uint32_t next_location; /* in the offset index: where to resume after a damaged header */
    lam_meta_column_index column_index;
    uint8_t *bloom; /* bitset, in `arena`; NULL without one to query */
    uint32_t bloom_blocks;
} lam_stated_indexes;

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
    bool levels_read;  /* all levels so far, so that `pages.rows` is true */
    bool lost;         /* some pages could not be found: sums are meaningless */
    bool counts_agree; /* values and rows are as many as the footer states */

    lam_page_check pages;
    lam_level_check levels;
    lam_values_check values;
    lam_dictionary_check dictionary;
    lam_content_check content;
    lam_stated_indexes stated;
} lam_chunk_check;

/*
 * True the first time in the chunk that it is called for a rule; so a million bad values make one
 * finding.
 */
static inline bool lam_check_once(lam_chunk_check *chunk, lam_rule rule) {
    bool first = !chunk->reported[rule];
    chunk->reported[rule] = true;
    return first;
}

#endif
