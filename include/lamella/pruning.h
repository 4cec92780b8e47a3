/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scan concludes from metadata, as it does: which rows of a row group a filter may want by
 * its statistics, Bloom filters and page index, and why. (parquet.thrift, Statistics; PageIndex.md;
 * BloomFilter.md)
 */
#ifndef LAMELLA_PRUNING_H
#define LAMELLA_PRUNING_H

#include <lamella/common.h>
#include <lamella/scan.h>
#include <lamella/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The stages of a row group, in order; each runs only if the one before it left doubt. */
typedef enum lam_pruning_stage {
    LAM_PRUNING_STATISTICS = 0, /* of the column chunks, in the footer */
    LAM_PRUNING_BLOOM = 1,      /* the same with the Bloom filters */
    LAM_PRUNING_PAGES = 2       /* the page index: once between two borders of pages */
} lam_pruning_stage;

/* What a condition may be for a record, as bits; rows without LAM_PRUNING_TRUE are passed over. */
typedef enum lam_pruning_outcome {
    LAM_PRUNING_FALSE = 1,
    LAM_PRUNING_UNKNOWN = 2,
    LAM_PRUNING_TRUE = 4
} lam_pruning_outcome;

/* How a test compares. */
typedef enum lam_pruning_kind {
    LAM_PRUNING_COMPARISON = 0, /* < <= > >= != between, and two leaves */
    LAM_PRUNING_EQUALITY = 1,   /* any of the values */
    LAM_PRUNING_PATTERN = 2,    /* texts of a pattern; the value is what they begin with */
    LAM_PRUNING_NULL = 3,       /* is null, is not null */
    LAM_PRUNING_CONSTANT = 4    /* the same for all values: `a < 10000000000` of an INT32 */
} lam_pruning_kind;

/*
 * What is known about the values of one leaf in these rows, as far as it can be believed. All
 * structs below are lent during a call.
 */
typedef struct lam_pruning_column {
    const lam_field *leaf;
    bool has_bounds;   /* `min` and `max`: lam_bound_value reads them */
    bool is_all_null;  /* there is no value */
    bool has_bloom;    /* there is a Bloom filter that can be used */
    bool is_of_page;   /* the counts and bounds are those of `page`, else those of the chunk */
    lam_bytes min;     /* no value but a NaN is below it */
    lam_bytes max;     /* or above this */
    int64_t triples;   /* values and nulls; -1 when unknown, as are the next two */
    int64_t nulls;     /* triples without a value */
    int64_t nans;      /* values that bounds leave out */
    size_t page_count; /* in the offset index; 0: none, or the stage has not read it */
    size_t page;       /* a data page of the chunk, from 0, which has these rows */
    uint64_t page_first_row; /* in the row group */
    uint64_t page_row_count;
    int64_t page_offset; /* of its header, in the file */
    int64_t page_size;   /* header included */
} lam_pruning_column;

/* A test of the filter. */
typedef struct lam_pruning_test {
    lam_pruning_kind kind;
    unsigned outcomes;  /* what it may be, as its text says: of `not in (..)` with the `not` */
    size_t text_offset; /* its bytes in the text of lam_filter_parse */
    size_t text_size;   /* 0: it has none of its own */
    const lam_pruning_column *column; /* NULL: no column decides it */
    const lam_pruning_column *other;  /* the leaf that it is compared with, or that of keys; NULL */
    bool is_keyed;                    /* `other` has the keys of a map */
    bool has_residuals; /* values of a VARIANT may be in `value`, where nothing rules them out */
    const lam_bytes *values; /* PLAIN bytes (lam_bound_value), ascending */
    size_t value_count;
} lam_pruning_test;

/* What one stage concludes for some rows of a row group. */
typedef struct lam_pruning_conclusion {
    lam_pruning_stage stage;
    unsigned outcomes; /* of the whole condition */
    size_t row_group;
    uint64_t first_row; /* in the row group */
    uint64_t row_count;
    const lam_pruning_test *const *tests; /* in the order of the text */
    size_t test_count;
} lam_pruning_conclusion;

/*
 * A value that a test looks for in a split block Bloom filter: its hash picks one block, and one
 * bit in each of the block's eight words. (BloomFilter.md, "Technical Approach")
 */
typedef struct lam_pruning_probe {
    size_t row_group;
    size_t test;
    const lam_field *leaf;
    lam_bytes value; /* PLAIN bytes */
    uint64_t hash;
    uint32_t block_count;
    uint32_t block;
    int64_t block_offset; /* in the file */
    lam_bytes bits;       /* the block: eight words of 32 bits, little endian; without data if it
                             was not read */
    uint8_t word_bits[8]; /* 0 to 31: the bit of each word that a value with this hash has set */
    bool decides;  /* false where bounds rule the value out already, and for values of several
                             forms: NaN, and 0 of floating-point numbers */
    bool may_hold; /* all eight bits are set */
} lam_pruning_probe;

/* Callbacks, each of which may be NULL; a failure ends the scan. */
typedef struct lam_pruning_watch {
    void *state;
    bool metadata_only; /* no row is searched, so that none is wanted */
    /* Before the conclusion of stage BLOOM, for each value. */
    lam_status (*probed)(void *state, const lam_pruning_probe *probe, lam_error *error);
    lam_status (*concluded)(void *state, const lam_pruning_conclusion *conclusion,
                            lam_error *error);
    /* After the rows of a row group were searched: the report with it, and what it has of them. */
    lam_status (*searched)(void *state, size_t row_group, const lam_scan_report *report,
                           lam_error *error);
} lam_pruning_watch;

#ifdef __cplusplus
}
#endif

#endif
