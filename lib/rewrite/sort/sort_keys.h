/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of rows, and the order that they give. */
#ifndef LAM_REWRITE_SORT_SORT_KEYS_H
#define LAM_REWRITE_SORT_SORT_KEYS_H

#include "base/list.h"
#include "rewrite/sort/sort_code.h"

enum { LAM_SORT_KEYS_MAX = 64 /* sort keys */ };

/* Which keys rows are sorted by; shared by all lists of keys. */
typedef struct lam_sort_order {
    lam_sort_code codes[LAM_SORT_KEYS_MAX];
    size_t leaves[LAM_SORT_KEYS_MAX]; /* of the rows */
    size_t count;
    bool fits_prefix; /* 8 bytes hold every key */
} lam_sort_order;

/* Adds a key below those before, of which there are fewer than LAM_SORT_KEYS_MAX. */
void lam_sort_order_add(lam_sort_order *order, const lam_field *leaf, size_t leaf_index,
                        bool descending, bool nulls_first);

/* The keys of rows that were added, by number. */
typedef struct lam_sort_keys {
    lam_sort_order *order;
    LAM_LIST(uint64_t) prefixes; /* the first 8 bytes of each key, big-endian, then zeros */
    lam_buffer bytes;            /* all keys, one after the other; empty if prefixes are enough */
    LAM_LIST(size_t) ends;       /* where each key ends */
} lam_sort_keys;

typedef LAM_LIST(uint32_t) lam_row_numbers;

void lam_sort_keys_init(lam_sort_keys *keys, lam_sort_order *order, const lam_allocator *allocator);
void lam_sort_keys_finish(lam_sort_keys *keys);
void lam_sort_keys_clear(lam_sort_keys *keys);
/* Adds the keys of rows, one triple in each sort column. NOMEM. */
lam_status lam_sort_keys_add(lam_sort_keys *keys, const lam_triples *columns, size_t rows,
                             lam_error *error);
/* Less than, exactly or more than 0 as a row comes before, with or after another one. */
int lam_sort_keys_compare(const lam_sort_keys *a, size_t row_a, const lam_sort_keys *b,
                          size_t row_b);

/* Gives the numbers of all rows in order; rows with equal keys keep theirs. NOMEM. */
lam_status lam_sort_keys_sort(const lam_sort_keys *keys, lam_row_numbers *ret_rows,
                              lam_error *error);

#endif
