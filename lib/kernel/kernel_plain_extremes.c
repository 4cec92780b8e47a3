/* Bounds of numbers, in plain C. */
#include "kernel/kernel_versions.h"

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

/* A comparison with a NaN is false, so that it changes nothing. */
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
