/*
 * The order of the names of a table, kept from value to value, so that the names of one value are
 * put in order without looking at their bytes:
 *
 *     names by number     0 took   1 id   2 user   3 at
 *     list                3 at   1 id   0 took   2 user
 *     places, by number   2   1   3   0
 *
 *     to be sorted        2, 1         marks 0 1 0 1, so 1, 2
 *
 * Names that are new to the table are sorted by their bytes for as long as they are few beside
 * those in the list, which then takes them all in.
 */
#ifndef LAM_VARIANT_VARIANT_NAME_ORDER_H
#define LAM_VARIANT_VARIANT_NAME_ORDER_H

#include "variant/variant_names.h"

typedef struct lam_variant_name_order {
    lam_buffer list;      /* numbers: the first `count` of the table, in order of their names */
    lam_buffer positions; /* by number: where it stands in the list */
    lam_buffer marks;     /* a bit for each place in the list, all 0 between calls */
    size_t count;
} lam_variant_name_order;

/* Allocates nothing yet. */
void lam_variant_name_order_init(lam_variant_name_order *order, const lam_allocator *allocator);
void lam_variant_name_order_finish(lam_variant_name_order *order);
/* To be called when the table is cleared. */
void lam_variant_name_order_clear(lam_variant_name_order *order);

/* Sorts numbers of names, all different, by the bytes of the names. `spare` has room for as many.
 * NOMEM. */
lam_status lam_variant_name_order_sort(lam_variant_name_order *order,
                                       const lam_variant_name_table *table, uint32_t *numbers,
                                       size_t count, uint32_t *spare, lam_error *error);

#endif
