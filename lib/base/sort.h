/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts, without memory of its own. */
#ifndef LAM_BASE_SORT_H
#define LAM_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns less than, exactly or more than 0 as `a` comes before, with or after `b`. */
typedef int lam_order(const void *state, const void *a, const void *b);

/* Sorts `count` items of `size` bytes each. Equal items come in any order. */
void lam_sort(void *items, size_t count, size_t size, lam_order *order, const void *state);

/* Whether the first of two numbers belongs after the second. */
typedef bool lam_number_behind(const void *state, uint32_t a, uint32_t b);

/*
 * Sorts numbers; of two that are equal, the first stays first. `spare` has room for as many
 * numbers.
 */
void lam_sort_numbers(uint32_t *numbers, size_t count, uint32_t *spare,
                      lam_number_behind *is_behind, const void *state);

#endif
