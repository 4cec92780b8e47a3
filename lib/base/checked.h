/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Size arithmetic that reports overflow: each function then returns false and leaves *ret
 * unchanged.
 */
#ifndef LAM_BASE_CHECKED_H
#define LAM_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool lam_add_size(size_t a, size_t b, size_t *ret) {
    if (a > SIZE_MAX - b)
        return false;
    *ret = a + b;
    return true;
}

static inline bool lam_mul_size(size_t a, size_t b, size_t *ret) {
    if (b != 0 && a > SIZE_MAX / b)
        return false;
    *ret = a * b;
    return true;
}

static inline bool lam_add_u64(uint64_t a, uint64_t b, uint64_t *ret) {
    if (a > UINT64_MAX - b)
        return false;
    *ret = a + b;
    return true;
}

/*
 * True when `size` bytes at `offset` are within `total` bytes; a hostile offset plus size cannot
 * wrap here.
 */
static inline bool lam_range_fits(uint64_t offset, uint64_t size, uint64_t total) {
    return offset <= total && size <= total - offset;
}

#endif
