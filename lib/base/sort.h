/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts in place, without memory of its own. */
#ifndef LAM_BASE_SORT_H
#define LAM_BASE_SORT_H

#include <stddef.h>

/* Returns less than, exactly or more than 0 as `a` comes before, with or after `b`. */
typedef int lam_order(const void *state, const void *a, const void *b);

/* Sorts `count` items of `size` bytes each. Equal items come in any order. */
void lam_sort(void *items, size_t count, size_t size, lam_order *order, const void *state);

#endif
