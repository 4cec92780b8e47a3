/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Parquet file taken apart into what can be changed one by one: the footer, and, of each column
 * chunk, its pages, page indexes and Bloom filter. Putting it together again makes all that follows
 * from these right: offsets, sizes, checksums, the length of the footer.
 */
#ifndef LAM_FUZZ_FILE_DRAFT_H
#define LAM_FUZZ_FILE_DRAFT_H

#include "base/arena.h"
#include "base/buffer.h"
#include "meta/metadata.h"
#include "support/random.h"

enum {
    LAM_FUZZ_MAGIC_SIZE = 4,
    LAM_FUZZ_TAIL_SIZE = 8,
    LAM_FUZZ_GROUPS_MOST = 16, /* row groups of a draft; others stay as they were */
    LAM_FUZZ_PAGES_MOST = 64   /* pages of a chunk; what follows them is its rest */
};

typedef struct lam_fuzz_page {
    lam_meta_page_header header;
    lam_bytes body; /* as it is stored */
} lam_fuzz_page;

typedef struct lam_fuzz_chunk {
    lam_meta_column_chunk chunk; /* without meta_data there is nothing else */
    lam_meta_column column;      /* its meta_data */
    lam_fuzz_page pages[LAM_FUZZ_PAGES_MOST];
    size_t page_count;
    lam_bytes rest; /* behind the pages */
    bool has_offset_index;
    bool has_column_index;
    bool has_bloom;
    lam_meta_offset_index offset_index;
    lam_meta_column_index column_index;
    lam_meta_bloom_filter_header bloom;
    lam_bytes bitset;
} lam_fuzz_chunk;

typedef struct lam_fuzz_group {
    lam_meta_row_group group;
    lam_fuzz_chunk *chunks;
    size_t chunk_count;
} lam_fuzz_group;

typedef struct lam_fuzz_draft {
    lam_allocator allocator;
    lam_arena arena; /* of all that is here, but the bytes of the file, which must stay */
    lam_meta_file meta;
    lam_fuzz_group groups[LAM_FUZZ_GROUPS_MOST];
    size_t group_count;
    uint8_t magic[LAM_FUZZ_MAGIC_SIZE]; /* any bytes: any_file.h */
} lam_fuzz_draft;

/* What is put together, and how. */
typedef struct lam_fuzz_assembly {
    bool has_records; /* with the records of a log behind row groups, and perhaps a footer */
    bool has_footer;
    unsigned false_in_100; /* how many numbers of 100 that follow are left as they were */
} lam_fuzz_assembly;

/* False when the file has neither a footer nor records that can be read. finish it in any case. */
bool lam_fuzz_draft_open(lam_fuzz_draft *draft, lam_bytes file);
void lam_fuzz_draft_finish(lam_fuzz_draft *draft);

/* Appends the file to `out`; false when memory ends. Changes the draft. */
bool lam_fuzz_draft_write(lam_fuzz_draft *draft, const lam_fuzz_assembly *assembly,
                          lam_random *random, lam_buffer *out);

#endif
