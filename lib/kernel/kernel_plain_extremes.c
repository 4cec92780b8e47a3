/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the kernels that extend bounds in plain C, for the min and max of statistics and of
 * the page index. Takes the caller's bounds so far, and widens them: 3 9 4 with the bounds 4 and 5
 * gives 3 and 9, so a page is bounded batch by batch. The invariant: a bound is never a NaN. Floats
 * that are NaNs are counted and have no effect, and -0 and +0 compare equal, so either may become a
 * bound; the caller writes -0 as min and +0 as max. (parquet.thrift, ColumnOrder)
 */
#include "kernel/kernel_versions.h"

/*
 * Conditional expressions instead of branches, which compilers turn into min and max instructions.
 */
#define KERNEL_PLAIN_EXTREMES_WIDEN(NAME, TYPE)                                                    \
    void NAME(const TYPE *values, size_t count, TYPE *min, TYPE *max) {                            \
        TYPE low = *min, high = *max;                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            low = values[i] < low ? values[i] : low;                                               \
            high = values[i] > high ? values[i] : high;                                            \
        }                                                                                          \
        *min = low;                                                                                \
        *max = high;                                                                               \
    }

KERNEL_PLAIN_EXTREMES_WIDEN(lam_widen_i32_plain, int32_t)
KERNEL_PLAIN_EXTREMES_WIDEN(lam_widen_i64_plain, int64_t)

/*
 * A comparison with a NaN is false, so that the bound stays. Only a NaN differs from itself: 1 NaN
 * 2 with the bounds 1 and 1 gives 1 and 2, and returns 1.
 */
#define WIDEN_FLOATS(NAME, TYPE)                                                                   \
    size_t NAME(const TYPE *values, size_t count, TYPE *min, TYPE *max) {                          \
        TYPE low = *min, high = *max;                                                              \
        size_t nans = 0;                                                                           \
        for (size_t i = 0; i < count; i++) {                                                       \
            low = values[i] < low ? values[i] : low;                                               \
            high = values[i] > high ? values[i] : high;                                            \
            nans += values[i] != values[i];                                                        \
        }                                                                                          \
        *min = low;                                                                                \
        *max = high;                                                                               \
        return nans;                                                                               \
    }

WIDEN_FLOATS(lam_widen_f32_plain, float)
WIDEN_FLOATS(lam_widen_f64_plain, double)
