/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What writers are known to get wrong: takes the writer of a file, as its footer states it, and
 * gives the faults of that application in that version, from one constant table for all of them. A
 * version that is not stated, or cannot be parsed, may be any: it has all faults of its
 * application. An application that is not in the table has none. (parquet.thrift,
 * FileMetaData.created_by)
 */
#ifndef LAM_META_KNOWN_FAULTS_H
#define LAM_META_KNOWN_FAULTS_H

#include "base/arena.h"
#include "meta/metadata.h"
#include "schema/tree.h"

/*
 * Metadata that are not trusted in a file, or values that are corrected while reading it. Bounds
 * are those of statistics and of the column index. Code that uses such metadata checks here first:
 * a bound that is ignored costs time, a wrong one that is trusted loses rows.
 */
typedef enum lam_fault {
    LAM_FAULT_BYTE_BOUNDS = 1 << 0,       /* of BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY */
    LAM_FAULT_TEXT_BOUNDS = 1 << 1,       /* of BYTE_ARRAY */
    LAM_FAULT_BYTE_DECIMALS = 1 << 2,     /* of DECIMALs in either */
    LAM_FAULT_TEXT_DECIMALS = 1 << 3,     /* of DECIMALs in BYTE_ARRAY */
    LAM_FAULT_NUMBER_DECIMALS = 1 << 4,   /* of DECIMALs in INT32 and INT64 */
    LAM_FAULT_UUID_BOUNDS = 1 << 5,       /* of UUIDs */
    LAM_FAULT_FLOAT16_BOUNDS = 1 << 6,    /* of FLOAT16 */
    LAM_FAULT_UNSIGNED_BOUNDS = 1 << 7,   /* of unsigned integers */
    LAM_FAULT_OLD_BOUNDS = 1 << 8,        /* the deprecated min and max of unsigned types */
    LAM_FAULT_UPPER_BOUNDS = 1 << 9,      /* of byte arrays in the column index */
    LAM_FAULT_NULL_COUNTS = 1 << 10,      /* of BYTE_ARRAY */
    LAM_FAULT_OFFSET_INDEX = 1 << 11,     /* compressed_page_size of pages */
    LAM_FAULT_BLOOM_FILTERS = 1 << 12,    /* all */
    LAM_FAULT_CHUNK_SIZES = 1 << 13,      /* total_compressed_size of chunks with a dictionary */
    LAM_FAULT_V2_COMPRESSION = 1 << 14,   /* is_compressed of V2 data pages, which is always true */
    LAM_FAULT_ARRAY_LEVELS = 1 << 15,     /* levels of LISTs: elements that do not exist */
    LAM_FAULT_SORTED_VARIANTS = 1 << 16,  /* sorted_strings in the metadata of VARIANTs */
    LAM_FAULT_ALL_NULL_COUNTS = 1 << 17,  /* of all leaves */
    LAM_FAULT_LIST_NULL_COUNTS = 1 << 18, /* of leaves that repeat */
    LAM_FAULT_INT96_BOUNDS = 1 << 19,     /* of INT96 */
    LAM_FAULT_LIST_BOUNDS = 1 << 20,      /* of leaves that repeat, and null_pages */
    LAM_FAULT_LIST_PAGES = 1 << 21,       /* offset indexes of leaves that repeat */
    LAM_FAULT_LIST_NULL_PAGES = 1 << 22,  /* null_pages of leaves that repeat */
    LAM_FAULT_SEQUEL_PAGES = 1 << 23,     /* byte arrays in pages of DELTA encodings */
} lam_fault;

/*
 * A row of the table: the faults of the versions of one application in a range. Without an
 * application it is a doubt: so many writers get such metadata wrong that only those known to be
 * right are trusted.
 */
typedef struct lam_known_fault {
    const char *application; /* NULL: all but the sound ones */
    uint16_t from[3];        /* the first version with the fault */
    uint16_t below[3];       /* the first without; 0.0.0 if all versions have it */
    uint32_t faults;         /* lam_fault */
    const char *text;        /* what is wrong, what is not trusted, and a reference */
} lam_known_fault;

/* The table itself, for reports. */
size_t lam_known_fault_count(void);
const lam_known_fault *lam_known_fault_at(size_t index);

/* True if a row applies to a file of this writer. */
bool lam_known_fault_applies(const lam_known_fault *fault, lam_bytes created_by);

/* Gives all faults of a writer, a set of lam_fault. Nobody is named by no bytes. */
uint32_t lam_known_faults(lam_bytes created_by);

/* Gives those of `faults` that concern a leaf, by its type and its position in the schema. */
uint32_t lam_known_faults_of_leaf(uint32_t faults, const lam_field *leaf);

/* True if a chunk has pages of the encodings that may go on from page to page. */
bool lam_known_faults_may_have_sequels(const lam_meta_column *column);

/* True if null_count of a leaf cannot be trusted, in statistics and in its column index. */
bool lam_known_faults_spoil_null_counts(uint32_t faults, const lam_field *leaf);

/* True if pages of a leaf may have values although its column index has them as null pages. */
bool lam_known_faults_spoil_null_pages(uint32_t faults, const lam_field *leaf);

/* True if no bounds of a leaf can be trusted: in statistics, and in its column index. */
bool lam_known_faults_spoil_statistics(uint32_t faults, const lam_field *leaf);
bool lam_known_faults_spoil_column_index(uint32_t faults, const lam_field *leaf);

/*
 * Finds out whether a file has metadata that a row, which applies to its writer, says to distrust,
 * and gives the first leaf that has them. Chunks are decoded into `arena` one after another; NOMEM
 * and LIMIT are its only failures.
 */
lam_status lam_known_fault_find(const lam_known_fault *fault, const lam_meta_file_view *meta,
                                const lam_schema *schema, lam_arena *arena, bool *ret_found,
                                size_t *ret_leaf, lam_error *error);

#endif
