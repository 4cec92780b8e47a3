/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary of a chunk as slots of an Arrow array: its entries are converted once, so that
 * indexes lead to slots directly. For leaves whose Arrow type is no dictionary.
 *
 *     dictionary page   07D0 FC18          big-endian decimals of two bytes
 *     table             2000 -1000         slots of decimal128
 *     indexes           0 1 1              slots 2000 -1000 -1000
 */
#ifndef LAM_ARROW_READ_LEAF_TABLE_H
#define LAM_ARROW_READ_LEAF_TABLE_H

#include "arrow/read/leaf_values.h"
#include "encoding/value_layout.h"

typedef struct lam_leaf_table {
    lam_leaf_values values; /* the entries; none until they are worth it */
    bool is_refused;        /* an entry has no Arrow form: values are converted one by one */
    uint64_t passed;        /* values of the chunk that were converted without the table */
} lam_leaf_table;

/* Prepares for entries of the same form as `values`, which is new. */
void lam_leaf_table_init(lam_leaf_table *table, const lam_leaf_values *values);
/* Forgets the entries, before a chunk is opened; arrays keep those that they share. */
void lam_leaf_table_clear(lam_leaf_table *table);

/*
 * Converts the dictionary if that is worth it for `count` more values of the `all` that the chunk
 * has, and says whether it is converted. An entry that its type refuses is no failure, as no row
 * may have it. NOMEM.
 */
lam_status lam_leaf_table_prepare(lam_leaf_table *table, const lam_dictionary *dictionary,
                                  size_t count, uint64_t all, bool *ret_is_ready, lam_error *error);

#endif
