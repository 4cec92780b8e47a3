/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the smallest and largest of many values. Takes elements of lam_triples.values; gives the
 * indexes of the extremes and the number of NaNs. Numbers are compared without remembering where
 * they are, which the processor does several at a time; the index is found afterwards, in the one
 * block where the extreme last occurred. Bytes are compared by their first eight as one number, and
 * in full only if those are equal.
 *
 * Indexes are always below `count`, and at an extreme unless all values are NaNs in type order.
 */
#include <string.h>

#include "base/bytes.h"
#include "kernel/kernel.h"
#include "stats/value_order.h"

/* --- Numbers ------------------------------------------------------------------------------- */

/* Values that are scanned at once; the index of an extreme is looked up among them. */
enum { VALUE_SCAN_BLOCK = 1024 };

/*
 * Passes for types without a kernel; compilers make vector code of them. The result is the number
 * of NaNs, as the kernels for floats give it: none.
 */
#define VALUE_SCAN_DEFINE_WIDEN(NAME, TYPE)                                                        \
    static size_t NAME(const lam_kernels *kernels, const TYPE *numbers, size_t count, TYPE *min,   \
                       TYPE *max) {                                                                \
        (void)kernels;                                                                             \
        TYPE low = *min, high = *max;                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            low = numbers[i] < low ? numbers[i] : low;                                             \
            high = numbers[i] > high ? numbers[i] : high;                                          \
        }                                                                                          \
        *min = low;                                                                                \
        *max = high;                                                                               \
        return 0;                                                                                  \
    }

VALUE_SCAN_DEFINE_WIDEN(value_scan_widen_u8, uint8_t)
VALUE_SCAN_DEFINE_WIDEN(value_scan_widen_u32, uint32_t)
VALUE_SCAN_DEFINE_WIDEN(widen_u64, uint64_t)

/* The kernels by one signature, for the macro below. */
static size_t widen_i32(const lam_kernels *kernels, const int32_t *numbers, size_t count,
                        int32_t *min, int32_t *max) {
    kernels->widen_i32(numbers, count, min, max);
    return 0;
}

static size_t widen_i64(const lam_kernels *kernels, const int64_t *numbers, size_t count,
                        int64_t *min, int64_t *max) {
    kernels->widen_i64(numbers, count, min, max);
    return 0;
}

static size_t widen_f32(const lam_kernels *kernels, const float *numbers, size_t count, float *min,
                        float *max) {
    return kernels->widen_f32(numbers, count, min, max);
}

static size_t widen_f64(const lam_kernels *kernels, const double *numbers, size_t count,
                        double *min, double *max) {
    return kernels->widen_f64(numbers, count, min, max);
}

/*
 * Finds extremes in type order, from the first number that is not a NaN on. A bound that moves
 * within a block is in that block, and `found` is set to its start; the loops at the end stop
 * within it, as the bound equals one of its numbers (or its zero of either sign).
 */
#define DEFINE_SCAN(NAME, TYPE, WIDEN)                                                             \
    static lam_value_extremes NAME(const lam_kernels *kernels, const void *values, size_t first,   \
                                   size_t count) {                                                 \
        const TYPE *numbers = values;                                                              \
        lam_value_extremes found = {first, first, first};                                          \
        TYPE min = numbers[first], max = min;                                                      \
        for (size_t at = first, some; at < count; at += some) {                                    \
            TYPE low = min, high = max;                                                            \
            some = count - at < VALUE_SCAN_BLOCK ? count - at : VALUE_SCAN_BLOCK;                  \
            found.nan_count += WIDEN(kernels, numbers + at, some, &low, &high);                    \
            found.min = low < min ? at : found.min;                                                \
            found.max = high > max ? at : found.max;                                               \
            min = low;                                                                             \
            max = high;                                                                            \
        }                                                                                          \
        while (numbers[found.min] != min)                                                          \
            found.min++;                                                                           \
        while (numbers[found.max] != max)                                                          \
            found.max++;                                                                           \
        return found;                                                                              \
    }

/* Gives the index of the first number that is not a NaN, `count` if all are NaNs. */
#define DEFINE_SKIP(NAME, TYPE)                                                                    \
    static size_t NAME(const TYPE *numbers, size_t count) {                                        \
        size_t first = 0;                                                                          \
        while (first < count && numbers[first] != numbers[first])                                  \
            first++;                                                                               \
        return first;                                                                              \
    }

DEFINE_SKIP(skip_nans_of_floats, float)
DEFINE_SKIP(skip_nans_of_doubles, double)

DEFINE_SCAN(scan_booleans, uint8_t, value_scan_widen_u8)
DEFINE_SCAN(scan_signed_32, int32_t, widen_i32)
DEFINE_SCAN(scan_signed_64, int64_t, widen_i64)
DEFINE_SCAN(scan_unsigned_32, uint32_t, value_scan_widen_u32)
DEFINE_SCAN(scan_unsigned_64, uint64_t, widen_u64)
DEFINE_SCAN(scan_floats_from, float, widen_f32)
DEFINE_SCAN(scan_doubles_from, double, widen_f64)

static lam_value_extremes scan_floats(const lam_kernels *kernels, const void *values,
                                      size_t count) {
    const lam_value_extremes nans = {0, 0, count};
    size_t first = skip_nans_of_floats(values, count);
    return first == count ? nans : scan_floats_from(kernels, values, first, count);
}

static lam_value_extremes scan_doubles(const lam_kernels *kernels, const void *values,
                                       size_t count) {
    const lam_value_extremes nans = {0, 0, count};
    size_t first = skip_nans_of_doubles(values, count);
    return first == count ? nans : scan_doubles_from(kernels, values, first, count);
}

/* --- Bytes --------------------------------------------------------------------------------- */

/*
 * Gives the first eight bytes as a number in the same order, most significant first; zeros replace
 * missing bytes, so equal prefixes leave the order open.
 */
static uint64_t value_scan_prefix_of(lam_bytes value) {
    uint64_t prefix = 0;
    if (value.size >= 8)
        return lam_swap64(lam_load_le64(value.data)); /* big endian */
    for (size_t i = 0; i < value.size; i++)
        prefix |= (uint64_t)value.data[i] << (56 - 8 * i);
    return prefix;
}

static inline lam_bytes bytes_at(const lam_value_order *order, const void *values, size_t index) {
    if (order->is_varied)
        return ((const lam_bytes *)values)[index];
    lam_bytes value = {(const uint8_t *)values + index * order->size, order->size};
    return value;
}

/*
 * Orders bytes by their prefixes; `flip` is 0, or the sign bit for decimals of one size, which are
 * signed big-endian numbers. Most values are strictly between the extremes and cost one comparison.
 */
static lam_value_extremes scan_bytes(const lam_value_order *order, const void *values, size_t count,
                                     uint64_t flip) {
    lam_value_extremes found = {0, 0, 0};
    lam_bytes min = bytes_at(order, values, 0), max = min;
    uint64_t low = value_scan_prefix_of(min) ^ flip, high = low;
    for (size_t i = 1; i < count; i++) {
        lam_bytes value = bytes_at(order, values, i);
        uint64_t prefix = value_scan_prefix_of(value) ^ flip;
        if (prefix > low && prefix < high)
            continue;
        if (prefix < low || (prefix == low && lam_value_compare(order, value, min) < 0)) {
            found.min = i;
            min = value;
            low = prefix;
        }
        if (prefix > high || (prefix == high && lam_value_compare(order, value, max) > 0)) {
            found.max = i;
            max = value;
            high = prefix;
        }
    }
    return found;
}

/* --- Any ----------------------------------------------------------------------------------- */

/*
 * Any order, one value at a time. NaNs are counted and give way to the first value that is not one;
 * among themselves they compare only in total order.
 */
static lam_value_extremes scan_any(const lam_value_order *order, const void *values, size_t count) {
    uint8_t a[LAM_VALUE_SCRATCH], b[LAM_VALUE_SCRATCH], c[LAM_VALUE_SCRATCH];
    lam_value_extremes found = {0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        lam_bytes value = lam_value_plain(order, values, i, c);
        bool is_nan = lam_value_is_nan(order, value);
        bool all_nan = found.nan_count == i;
        found.nan_count += is_nan;
        if (is_nan && (!all_nan || !order->is_total))
            continue;
        bool starts = i == 0 || (all_nan && !is_nan);
        if (starts ||
            lam_value_compare(order, value, lam_value_plain(order, values, found.min, a)) < 0)
            found.min = i;
        if (starts ||
            lam_value_compare(order, value, lam_value_plain(order, values, found.max, b)) > 0)
            found.max = i;
    }
    return found;
}

/* In total order zeros and NaNs differ by sign and bits, which the kernels ignore. */
lam_value_extremes lam_value_scan(const lam_kernels *kernels, const lam_value_order *order,
                                  const void *values, size_t count) {
    const lam_value_extremes none = {0, 0, 0};
    switch (order->comparison) {
    case LAM_COMPARISON_BOOLEAN:
        return scan_booleans(kernels, values, 0, count);
    case LAM_COMPARISON_SIGNED_32:
        return scan_signed_32(kernels, values, 0, count);
    case LAM_COMPARISON_SIGNED_64:
        return scan_signed_64(kernels, values, 0, count);
    case LAM_COMPARISON_UNSIGNED_32:
        return scan_unsigned_32(kernels, values, 0, count);
    case LAM_COMPARISON_UNSIGNED_64:
        return scan_unsigned_64(kernels, values, 0, count);
    case LAM_COMPARISON_FLOAT:
        return order->is_total ? scan_any(order, values, count)
                               : scan_floats(kernels, values, count);
    case LAM_COMPARISON_DOUBLE:
        return order->is_total ? scan_any(order, values, count)
                               : scan_doubles(kernels, values, count);
    case LAM_COMPARISON_BYTES:
        return scan_bytes(order, values, count, 0);
    case LAM_COMPARISON_DECIMAL:
        return order->is_varied ? scan_any(order, values, count)
                                : scan_bytes(order, values, count, UINT64_C(1) << 63);
    case LAM_COMPARISON_UNDEFINED:
        return none;
    default:
        return scan_any(order, values, count);
    }
}
