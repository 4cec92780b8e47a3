/*
 * Where pages end: at the first record boundary at which the page has its rows or its bytes. Bytes
 * are counted per value, 4 for a dictionary index, so that the place depends on the records alone
 * and not on how they arrive.
 */
#ifndef LAM_CHUNK_PAGE_CUT_H
#define LAM_CHUNK_PAGE_CUT_H

#include <lamella/record.h>

typedef struct lam_page_cut {
    uint64_t page_bytes;
    uint64_t page_rows;
    size_t fixed_size; /* PLAIN bytes of a value, 0 when values differ in size */
    uint8_t max_definition;
    bool in_dictionary;
    uint64_t triples; /* of the open page */
    uint64_t rows;
    uint64_t bytes;       /* as counted for the cut */
    uint64_t plain_bytes; /* as PLAIN would take */
} lam_page_cut;

void lam_page_cut_init(lam_page_cut *cut, const lam_field *leaf, uint64_t page_bytes,
                       uint64_t page_rows);
/* Starts an empty page. */
void lam_page_cut_start(lam_page_cut *cut, bool in_dictionary);
/* Goes on with the open page as a page of plain values. */
void lam_page_cut_leave_dictionary(lam_page_cut *cut);

static inline bool lam_page_cut_is_full(const lam_page_cut *cut) {
    return cut->rows >= cut->page_rows || cut->bytes >= cut->page_bytes;
}

/* The longest front of `rest`, in whole records and at least one, that still goes into the page. */
lam_triples lam_page_cut_front(const lam_page_cut *cut, const lam_triples *rest);
/* The front of `rest` before the record that holds value `value_index`; it may be empty. */
lam_triples lam_page_cut_before_value(const lam_page_cut *cut, const lam_triples *rest,
                                      size_t value_index);
/* Counts what was added to the page. */
void lam_page_cut_add(lam_page_cut *cut, const lam_triples *added);

/* What is left of `rest` behind `front`. */
lam_triples lam_triples_after(const lam_triples *rest, const lam_triples *front,
                              size_t element_size);

#endif
