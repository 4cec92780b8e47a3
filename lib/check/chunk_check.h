/* A column chunk that is being checked, page by page. */
#ifndef LAM_CHECK_CHUNK_CHECK_H
#define LAM_CHECK_CHUNK_CHECK_H

#include "check/checker.h"
#include "check/contents.h"
#include "chunk/chunk.h"
#include "encoding/decoder.h"
#include "page/page.h"
#include "stats/value_summary.h"
#include "stats/wkb.h"

enum { LAM_CHECK_BATCH = 1024 }; /* levels, and values, that are looked at together */

/* A group above the leaf that other leaves are in, too. */
typedef struct lam_level_group {
    size_t field_index;
    uint8_t max_repetition;
    uint8_t max_definition;
    uint16_t run_levels; /* the levels of the open run, as far as the group */
    uint64_t count;      /* of triples in it */
    uint64_t hash;       /* of the runs before it */
} lam_level_group;

typedef struct lam_level_check {
    bool started;                  /* the chunk's first triple was seen */
    uint8_t last_definition;       /* of the triple before; UINT8_MAX when that is not known */
    uint8_t least_definition[256]; /* by repetition level: where the repeated field is defined */
    size_t group_count;
    lam_level_group groups[LAM_SCHEMA_DEPTH_MAX];
} lam_level_check;

/* What the levels of one page come to. */
typedef struct lam_page_levels {
    uint64_t values;
    uint64_t rows;
    bool begins_row;
} lam_page_levels;

/* What values are by themselves, where that can be looked at. */
typedef enum lam_content {
    LAM_CONTENT_NONE,
    LAM_CONTENT_JSON,
    LAM_CONTENT_BSON,
    LAM_CONTENT_GEOMETRY,
    LAM_CONTENT_VARIANT_METADATA
} lam_content;

/* A number of a point that should be elsewhere. */
typedef struct lam_outlier {
    bool found;
    unsigned axis;
    double number;
} lam_outlier;

/* One axis of a bounding box. */
typedef struct lam_box_side {
    bool has_least;
    bool has_most;
    bool compares; /* both ends are there, and numbers */
    double least;
    double most;
} lam_box_side;

/* The geometries of a column chunk so far. */
typedef struct lam_geo_check {
    lam_box_side box[LAM_WKB_AXES]; /* nothing on any axis when no box is stated */
    bool degrees;                   /* x and y are longitude and latitude */
    bool rounds;                    /* the box was computed from edges that are no lines */
    bool partial;                   /* some geometry could not be read */
    bool met[LAM_WKB_AXES];         /* some point has a number on the axis */
    bool types[LAM_WKB_LAYOUTS][LAM_WKB_KINDS];
    lam_outlier outside; /* of the box */
    lam_outlier rounded; /* the same by no more than rounding */
    lam_outlier beyond;  /* the degrees that there are */
} lam_geo_check;

typedef struct lam_chunk_check {
    lam_checker *checker;
    size_t row_group;
    size_t leaf_index;
    lam_check_location location; /* without an offset */
    const lam_field *leaf;
    const lam_meta_row_group *group;
    const lam_meta_column_chunk *chunk;
    const lam_meta_column *column;
    lam_value_layout layout;
    lam_value_order order;
    bool reported[LAM_RULE_COUNT]; /* rules that are reported once in a chunk */

    bool decodes;      /* the codec is one that this build reads */
    bool whole;        /* all pages so far could be read */
    bool levels_read;  /* all levels so far */
    bool lost;         /* pages that nobody could find */
    bool counts_agree; /* with what the footer says of values and rows */

    lam_page_walk walk;
    uint64_t end; /* of the column chunk, by its stated size */
    lam_page_reader reader;
    lam_arena values_arena; /* what the decoder of a page builds */
    lam_arena arena;        /* indexes and Bloom filter */
    lam_arena header_arena; /* statistics of the open page header */

    bool has_dictionary; /* a dictionary page was seen */
    bool dictionary_reads;
    lam_buffer dictionary_bytes;
    void *dictionary_values;
    size_t dictionary_size; /* bytes of the values */
    lam_dictionary dictionary;
    uint32_t *ranks;    /* of entries in the column's order; NULL until they are wanted */
    bool *entries_seen; /* which entries single values were checked of */

    lam_content content;
    lam_buffer nesting; /* of the value that is looked at */
    lam_geo_check geo;

    bool has_offset_index;
    bool has_column_index;
    lam_meta_offset_index offset_index;
    uint32_t next_location; /* where to look for the way behind a damaged header */
    lam_meta_column_index column_index;
    uint8_t *bloom; /* NULL when there is none */
    uint32_t bloom_blocks;

    lam_level_check levels;
    lam_value_summary page;
    lam_value_summary total;
    bool has_signed; /* there are deprecated bounds in another order than the column's */
    lam_value_summary signed_total;

    uint64_t triples; /* that page headers state */
    uint64_t rows;    /* that were read */
    uint64_t pages;
    uint64_t data_pages;
    uint64_t uncompressed;
    int64_t data_offset;        /* of the first data page; -1 before */
    int64_t dictionary_offset;  /* -1 before */
    uint32_t data_encodings;    /* bit e: a data page has encoding e */
    uint32_t other_encodings;   /* of levels and dictionaries */
    lam_buffer encoding_counts; /* lam_encoding_count */

    uint8_t repetition[LAM_CHECK_BATCH];
    uint8_t definition[LAM_CHECK_BATCH];
    size_t batch; /* values */
    void *values;
} lam_chunk_check;

typedef struct lam_encoding_count {
    int32_t page_type;
    int32_t encoding;
    int64_t count;
} lam_encoding_count;

/* True the first time that a rule is asked for in the chunk. */
static inline bool lam_check_once(lam_chunk_check *chunk, lam_rule rule) {
    bool first = !chunk->reported[rule];
    chunk->reported[rule] = true;
    return first;
}

/* --- Pages ---------------------------------------------------------------------------------- */

lam_status lam_check_data_page(lam_chunk_check *chunk, const lam_meta_page_header *header,
                               uint64_t offset);
lam_status lam_check_dictionary_page(lam_chunk_check *chunk, const lam_meta_page_header *header,
                                     uint64_t offset);
/* `*ret_good` is false when the page, header excluded, does not match its checksum. */
lam_status lam_check_crc(lam_chunk_check *chunk, const lam_meta_page_header *header,
                         uint64_t offset, bool *ret_good);

/* Finds the groups that the leaf shares. */
void lam_level_check_init(lam_level_check *levels, const lam_field *leaf);
/* Adds `count` triples of the same levels to what the leaf says of its groups. */
void lam_check_add_level_digest(lam_level_check *levels, uint8_t r, uint8_t d, uint64_t count);
/* Reads all levels of a page into chunk->page; `*ret_good` is false when they are damaged. */
lam_status lam_check_levels(lam_chunk_check *chunk, const lam_page *page,
                            lam_check_location location, lam_page_levels *ret_levels,
                            bool *ret_good);
/* When all levels are read: that the leaves of each group agree. */
lam_status lam_check_level_digests(lam_chunk_check *chunk);

/* Reads the `count` values of a page into chunk->page; `*ret_good` is false when they are damaged.
 */
lam_status lam_check_values(lam_chunk_check *chunk, const lam_page *page, uint64_t count,
                            lam_check_location location, bool *ret_good);

/* What a page has behind its last value, which was read. */
lam_status lam_check_rest(lam_chunk_check *chunk, const lam_decoder *decoder,
                          lam_check_location location);

/* The bit widths of a page in a delta encoding, which was read. */
lam_status lam_check_delta_widths(lam_chunk_check *chunk, const lam_page *page,
                                  lam_check_location location);

/* The bit of an encoding in a set; 0 for numbers beyond it. */
uint32_t lam_check_encoding_bit(int32_t encoding);
/* Counts a page for encoding_stats. */
lam_status lam_check_count_encoding(lam_chunk_check *chunk, int32_t page_type, int32_t encoding);
/* When all pages are counted. */
lam_status lam_check_encodings(lam_chunk_check *chunk);

/* Whether pages of indexes are looked at by entry. */
bool lam_check_takes_ranks(const lam_chunk_check *chunk);
/* As lam_check_values, of a page of indexes into a dictionary that was read. */
lam_status lam_check_indexes(lam_chunk_check *chunk, const lam_page *page, uint64_t count,
                             lam_check_location location, bool *ret_good);
void lam_check_free_dictionary(lam_chunk_check *chunk);
/* What is asked of each value by itself: its logical type, the Bloom filter, deprecated bounds. */
lam_status lam_check_single_values(lam_chunk_check *chunk, const void *values, size_t count,
                                   lam_check_location location);

lam_content lam_content_of(const lam_field *leaf);
/* Values that are JSON, BSON and the like. */
lam_status lam_check_contents(lam_chunk_check *chunk, const void *values, size_t count,
                              lam_check_location location);

/* Before the first geometry. */
void lam_check_open_geospatial(lam_chunk_check *chunk);
/* INVALID or UNSUPPORTED when the value is no geometry that can be read. */
lam_status lam_check_geometry(lam_chunk_check *chunk, lam_bytes value, lam_error *failure);
/* Where the points lie so far. */
lam_status lam_check_geometry_bounds(lam_chunk_check *chunk, lam_check_location location);
/* When all geometries are seen: what the statistics say of them. */
lam_status lam_check_geospatial(lam_chunk_check *chunk);

/* --- What is said about them ---------------------------------------------------------------- */

/* `what` is "the statistics of the chunk" or the like. */
lam_status lam_check_statistics(lam_chunk_check *chunk, const char *what,
                                lam_check_location location, const lam_meta_statistics *statistics,
                                const lam_value_summary *summary, uint64_t null_count);
lam_status lam_check_null_count(lam_chunk_check *chunk, const char *what,
                                lam_check_location location, int64_t stated,
                                const lam_value_summary *summary, uint64_t null_count);
lam_status lam_check_size_statistics(lam_chunk_check *chunk);

/* Bounds in the column's order; exactness is -1 when not stated. */
typedef struct lam_stated_bounds {
    const char *what;
    lam_check_location location;
    bool has_min;
    bool has_max;
    lam_bytes min;
    lam_bytes max;
    int min_exact;
    int max_exact;
} lam_stated_bounds;

lam_status lam_check_bounds(lam_chunk_check *chunk, const lam_stated_bounds *stated,
                            const lam_value_summary *summary);
/* False when a bound cannot even be compared. */
bool lam_bound_compares(const lam_value_order *order, lam_bytes bound);

/* Tells that `stated` is not `actual`, which `what` should count, unless they are equal. */
lam_status lam_check_histogram(lam_chunk_check *chunk, const char *what,
                               lam_check_location location, const int64_t *stated,
                               const uint64_t *actual, size_t count);

/* Reads the page index. */
lam_status lam_check_open_indexes(lam_chunk_check *chunk);
/* A page's location; before the page is read. */
lam_status lam_check_page_location(lam_chunk_check *chunk, uint64_t page, uint64_t offset,
                                   uint64_t size);
/* What the indexes say of a page whose first row is known. */
lam_status lam_check_page_row(lam_chunk_check *chunk, uint64_t page, lam_check_location location);
/* What the indexes say of a page that was read into chunk->page. */
lam_status lam_check_page_indexes(lam_chunk_check *chunk, uint64_t page,
                                  lam_check_location location, uint64_t null_count);
/* When all pages were seen. */
lam_status lam_check_close_indexes(lam_chunk_check *chunk);

/* Reads the Bloom filter. */
lam_status lam_check_open_bloom(lam_chunk_check *chunk);

/* `bytes` of an index or filter, in the chunk's arena; `*ret_bytes` is empty when that failed. */
lam_status lam_check_fetch(lam_chunk_check *chunk, const char *what, int64_t offset, int64_t size,
                           lam_bytes *ret_bytes);

#endif
