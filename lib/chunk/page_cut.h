/*
 * Where pages end: at the first record boundary at which the page has its rows or its bytes. These
 * are counted per triple, so that the place depends on the records alone and not on how they
 * arrive: a value as PLAIN has it, a boolean as one bit, a dictionary index as the 4 bytes that it
 * takes in memory, and levels as if they were packed, since nobody knows before how long their runs
 * will be.
 */
#ifndef LAM_CHUNK_PAGE_CUT_H
#define LAM_CHUNK_PAGE_CUT_H

#include <lamella/record.h>

typedef struct lam_page_cut {
    uint64_t page_bits;
    uint64_t page_rows;
    size_t fixed_bits;   /* of a value in PLAIN, 0 when values differ in size */
    unsigned level_bits; /* of a triple */
    uint8_t max_definition;
    bool in_dictionary;
    uint64_t triples; /* of the open page */
    uint64_t rows;
    uint64_t bits;       /* as counted for the cut */
    uint64_t plain_bits; /* of the values, as PLAIN would take */
} lam_page_cut;

void lam_page_cut_init(lam_page_cut *cut, const lam_field *leaf, uint64_t page_bytes,
                       uint64_t page_rows);
/* Starts an empty page. */
void lam_page_cut_start(lam_page_cut *cut, bool in_dictionary);
/* Goes on with the open page as a page of plain values. */
void lam_page_cut_leave_dictionary(lam_page_cut *cut);

static inline bool lam_page_cut_is_full(const lam_page_cut *cut) {
    return cut->rows >= cut->page_rows || cut->bits >= cut->page_bits;
}

/* Bytes that the values of the open page would take in PLAIN. */
static inline uint64_t lam_page_cut_plain_bytes(const lam_page_cut *cut) {
    return (cut->plain_bits + 7) / 8;
}

/* The longest prefix of `rest`, in whole records and at least one, that still goes into the page. */
lam_triples lam_page_cut_batch(const lam_page_cut *cut, const lam_triples *rest);
/* The prefix of `rest` before the record that holds value `value_index`; it may be empty. */
lam_triples lam_page_cut_before_value(const lam_page_cut *cut, const lam_triples *rest,
                                      size_t value_index);
/* Counts what was added to the page. */
void lam_page_cut_add(lam_page_cut *cut, const lam_triples *added);

/* What is left of `rest` behind `batch`. */
lam_triples lam_triples_after(const lam_triples *rest, const lam_triples *batch,
                              size_t element_size);

#endif
