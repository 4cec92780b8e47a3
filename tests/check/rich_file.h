/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small file that says of itself all that a Parquet file can say: statistics, sizes, page index,
 * Bloom filters, sorting columns. All of it is true and open to be changed before the file is put
 * together, so that a test can forge one statement at a time.
 *
 *     required int64 id;                       1000, 1001, ...
 *     optional binary name (STRING);           "n00" to "n06", null in each fifth row
 *     optional group tags (LIST) { repeated group list { optional int32 element; } }
 *     optional double x;                       (row - 20) / 2, null in each tenth row, one NaN
 */
#ifndef LAM_TESTS_RICH_FILE_H
#define LAM_TESTS_RICH_FILE_H

#include <lamella/writer.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "file/read/footer.h"

enum { RICH_GROUPS = 2, RICH_LEAVES = 4, RICH_PAGES = 3, RICH_ROWS = 100 };
enum { RICH_ID, RICH_NAME, RICH_TAGS, RICH_X };

/* What is said of one column chunk. The lists of the indexes point at the arrays. */
typedef struct rich_chunk {
    lam_meta_column_chunk *chunk;
    lam_meta_column *column;
    lam_meta_statistics statistics;
    lam_meta_size_statistics sizes;
    int64_t histograms[8]; /* of the chunk: repetition, then definition from 4 on */
    uint64_t page_offsets[RICH_PAGES];
    size_t pages;
    lam_meta_offset_index offset_index;
    lam_meta_page_location locations[RICH_PAGES];
    int64_t page_bytes[RICH_PAGES];
    lam_meta_column_index column_index;
    bool null_pages[RICH_PAGES];
    lam_bytes min_values[RICH_PAGES];
    lam_bytes max_values[RICH_PAGES];
    int64_t null_counts[RICH_PAGES];
    int64_t nan_counts[RICH_PAGES];
    int64_t page_repetition[2 * RICH_PAGES];
    int64_t page_definition[4 * RICH_PAGES];
    lam_meta_bloom_filter_header bloom_header;
    uint8_t bloom[64];
    int32_t bloom_length; /* added to what is true */
} rich_chunk;

typedef struct rich_file {
    lam_arena arena;
    lam_buffer data; /* magic and column chunks; then, finished, all of the file */
    lam_meta_file meta;
    lam_meta_row_group *groups;
    rich_chunk chunks[RICH_GROUPS][RICH_LEAVES];
    bool no_indexes; /* leave out page index and Bloom filters */
} rich_file;

/* Writes the data; ends the test when that fails. Codec and page size are not the caller's. */
void rich_file_init(rich_file *file, const lam_writer_options *options);
/* Adds indexes, filters and the footer as they now stand. */
void rich_file_end(rich_file *file);
void rich_file_finish(rich_file *file);

#endif
