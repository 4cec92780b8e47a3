/* Sorting in place, without memory of its own. */
#ifndef LAM_BASE_SORT_H
#define LAM_BASE_SORT_H

#include <stddef.h>

/* Below, at or above 0 as `a` comes before, with or after `b`. */
typedef int lam_order(const void *state, const void *a, const void *b);

/* Sorts `count` items of `size` bytes each; those that are equal come in any order. */
void lam_sort(void *items, size_t count, size_t size, lam_order *order, const void *state);

#endif
