/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files whose values hold what a salvage looks for: whole pages of the same column with right
 * checksums, which lead from one to the next and to the end of the page around them; headers of
 * empty pages, whole files, footers, recovery records. What is damaged in them is random.
 *
 * Cells of forged pages are FORGED texts and FORGED_NUMBER, and no written cell is.
 */
#ifndef LAM_TESTS_FORGED_FILE_H
#define LAM_TESTS_FORGED_FILE_H

#include <lamella/reader.h>
#include <lamella/writer.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "support/random.h"

#define FORGED_TEXT "FORGED"
#define FORGED_NUMBER INT64_C(0x4445475F4F464547)

enum {
    FORGED_NUMBERS = 0, /* leaves: required int64, with forged pages in eight bytes each */
    FORGED_ROWS = 1,    /* required int64: the number of the row */
    FORGED_TEXTS = 2,   /* optional binary */
    FORGED_LISTS = 3,   /* repeated binary */
    FORGED_LEAVES = 4,
    FORGED_MOST_ROWS = 400,
    FORGED_MOST_PAGES = 2000
};

/* A page of the whole file. */
typedef struct lam_forged_page {
    size_t row_group;
    size_t leaf;
    bool is_dictionary;
    uint64_t begin; /* bytes of the file */
    uint64_t body;
    uint64_t end;
    uint64_t first_row; /* of the file; unless the leaf is repeated */
    uint64_t end_row;
} lam_forged_page;

typedef struct lam_forged_file {
    lam_schema *schema;
    lam_arena arena; /* of the cells */
    lam_writer_options options;
    size_t rows;
    int64_t numbers[FORGED_MOST_ROWS];
    lam_bytes texts[FORGED_MOST_ROWS]; /* without data: null */
    lam_bytes lists[FORGED_MOST_ROWS][2];
    size_t list_sizes[FORGED_MOST_ROWS];
    lam_buffer bytes;
    size_t group_rows; /* of each row group but the last one */
    lam_forged_page pages[FORGED_MOST_PAGES];
    size_t page_count;
    uint64_t pages_end; /* of the last page */
} lam_forged_file;

/* Makes a file; all of it follows from the random numbers. */
void lam_forged_file_make(lam_forged_file *file, lam_random *random);
void lam_forged_file_finish(lam_forged_file *file);

/* How bytes of a file are damaged. */
typedef enum lam_forged_damage {
    FORGED_BIT,
    FORGED_HEADER_BIT,
    FORGED_HEADER_BYTES, /* up to four, next to each other */
    FORGED_HEADER_ZEROS, /* all of it */
    FORGED_SMALL_SECTOR, /* 512 zeros */
    FORGED_LARGE_SECTOR, /* 4096 zeros */
    FORGED_SWAP,         /* two sectors of 512 bytes change places */
    FORGED_STEER,        /* a header gets a size that leads to a forged page */
    FORGED_DAMAGES
} lam_forged_damage;

/* Damages a copy of the bytes; gives up to two ranges in which bytes may differ. */
lam_forged_damage lam_forged_file_damage(const lam_forged_file *file, lam_random *random,
                                         lam_buffer *ret_bytes, uint64_t ret_ranges[2][2]);

#endif
