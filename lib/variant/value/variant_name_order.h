/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of the names of a table, kept from value to value, so that the names of one value are
 * sorted without comparing their bytes:
 *
 *     names by number     0 took   1 id   2 user   3 at
 *     list                3 at   1 id   0 took   2 user
 *     places, by number   2   1   3   0
 *
 *     to be sorted        2, 1         marks 0 1 0 1, so 1, 2
 *
 * Names that are new to the table are sorted by their bytes while they are few compared to those in
 * the list; then all of them are merged into the list.
 */
#ifndef LAM_VARIANT_VALUE_VARIANT_NAME_ORDER_H
#define LAM_VARIANT_VALUE_VARIANT_NAME_ORDER_H

#include "variant/value/variant_names.h"

/* The sorted list over the first names of a table, and its inverse. */
typedef struct lam_variant_name_order {
    LAM_LIST(uint32_t) list;      /* the first numbers of the table, in order of their names */
    LAM_LIST(uint32_t) positions; /* by number: its index in the list */
    LAM_LIST(uint64_t) marks;     /* one bit for each index in the list, all 0 between calls */
} lam_variant_name_order;

/* Allocates nothing yet. */
void lam_variant_name_order_init(lam_variant_name_order *order, const lam_allocator *allocator);
void lam_variant_name_order_finish(lam_variant_name_order *order);
/* Must be called whenever the table is cleared: the list would refer to names that are gone. */
void lam_variant_name_order_clear(lam_variant_name_order *order);

/*
 * Sorts numbers of names, all different, by the bytes of the names. `spare` has room for as many
 * numbers. NOMEM, after which `numbers` is unchanged.
 */
lam_status lam_variant_name_order_sort(lam_variant_name_order *order,
                                       const lam_variant_name_table *table, uint32_t *numbers,
                                       size_t count, uint32_t *spare, lam_error *error);

#endif
