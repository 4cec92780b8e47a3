/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides where pages end: at the first record boundary at which the page has its rows or its
 * bytes.
 *
 * Both are counted per triple, so that the cut depends on the records alone and not on how they
 * arrive: a value as PLAIN stores it, a boolean as one bit, a dictionary index as the 4 bytes that
 * it takes in memory, and levels as if they were bit-packed, since the length of their runs is
 * known only later.
 *
 *   INT32 leaf, optional, 1,024 bytes a page: a value costs 32 + 1 bits, a null 1 bit;
 *   248 values are 8,184 bits of 8,192, so the page ends after 249
 */
#ifndef LAM_CHUNK_WRITE_PAGE_CUT_H
#define LAM_CHUNK_WRITE_PAGE_CUT_H

#include <lamella/record.h>

typedef struct lam_page_cut {
    uint64_t page_bits;  /* at which the page is full */
    uint64_t page_rows;  /* at which the page is full */
    size_t fixed_bits;   /* of a value in PLAIN, 0 if values differ in size */
    unsigned level_bits; /* of a triple */
    uint8_t max_definition;
    bool in_dictionary;
    uint64_t triples; /* of the open page */
    uint64_t rows;
    uint64_t bits;       /* as counted for the cut */
    uint64_t plain_bits; /* of the values in PLAIN */
} lam_page_cut;

void lam_page_cut_init(lam_page_cut *cut, const lam_field *leaf, uint64_t page_bytes,
                       uint64_t page_rows);
/* Starts an empty page. */
void lam_page_cut_start(lam_page_cut *cut, bool in_dictionary);
/* Turns the open page into a page of plain values, with the same triples. */
void lam_page_cut_leave_dictionary(lam_page_cut *cut);

static inline bool lam_page_cut_is_full(const lam_page_cut *cut) {
    return cut->rows >= cut->page_rows || cut->bits >= cut->page_bits;
}

/* Gives the bytes that the values of the open page take in PLAIN. */
static inline uint64_t lam_page_cut_plain_bytes(const lam_page_cut *cut) {
    return (cut->plain_bits + 7) / 8;
}

/*
 * Gives the longest prefix of `rest` that still goes into the page, which is not full: complete
 * records, at least one.
 */
lam_triples lam_page_cut_batch(const lam_page_cut *cut, const lam_triples *rest);
/* Gives the prefix of `rest` before the record that holds value `value_index`; it may be empty. */
lam_triples lam_page_cut_before_value(const lam_page_cut *cut, const lam_triples *rest,
                                      size_t value_index);
/* Counts triples that were added to the page. */
void lam_page_cut_add(lam_page_cut *cut, const lam_triples *added);

/* Gives what follows `batch` in `rest`. An element of values has `element_size` bytes. */
lam_triples lam_triples_after(const lam_triples *rest, const lam_triples *batch,
                              size_t element_size);

#endif
