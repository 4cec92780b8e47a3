/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bisects ordered items: takes a range of indexes and a condition that is true only for the first
 * of them, and gives the first index for which it is false. The search is expanded where it is
 * used, so that its comparison is not a call.
 *
 *     size_t at;
 *     LAM_BISECT(at, 0, count, items[at].number < number);
 *     bool is_there = at < count && items[at].number == number;
 */
#ifndef LAM_BASE_SEARCH_H
#define LAM_BASE_SEARCH_H

#include <stddef.h>

/*
 * Sets `at`, an index from `begin` on, to the first one for which `is_before`, an expression with
 * `at`, is false; to `end` when there is none.
 */
#define LAM_BISECT(at, begin, end, is_before)                                                      \
    do {                                                                                           \
        size_t lam_low = (begin), lam_high = (end);                                                \
        while (lam_low < lam_high) {                                                               \
            (at) = lam_low + (lam_high - lam_low) / 2;                                             \
            if (is_before)                                                                         \
                lam_low = (at) + 1;                                                                \
            else                                                                                   \
                lam_high = (at);                                                                   \
        }                                                                                          \
        (at) = lam_low;                                                                            \
    } while (0)

/*
 * Sets `at`, an index from `begin` on, to one for which `order`, an expression with `at`, is 0; to
 * `end` when there is none. It is negative before those, and positive after them.
 */
#define LAM_BISECT_EQUAL(at, begin, end, order)                                                    \
    do {                                                                                           \
        size_t lam_low = (begin), lam_end = (end), lam_high = lam_end;                             \
        for ((at) = lam_end; lam_low < lam_high; (at) = lam_end) {                                 \
            (at) = lam_low + (lam_high - lam_low) / 2;                                             \
            int lam_relation = (order);                                                            \
            if (lam_relation == 0)                                                                 \
                break;                                                                             \
            if (lam_relation < 0)                                                                  \
                lam_low = (at) + 1;                                                                \
            else                                                                                   \
                lam_high = (at);                                                                   \
        }                                                                                          \
    } while (0)

#endif
