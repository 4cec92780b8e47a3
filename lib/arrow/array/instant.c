/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits instants of 96 bits into seconds and nanoseconds, and counts units of them. Both forms of
 * a file meet in lam_instant, whose nanoseconds are never negative; counting is then the same for
 * both, and rounding down is dropping the digits below the unit.
 *
 * The bytes may be any: every value of 12 bytes either has an instant or is refused, and no
 * arithmetic here overflows. (parquet.thrift, Type.INT96; LogicalTypes.md, TIMESTAMP)
 */
#include "arrow/array/instant.h"

#include "base/int96.h"
#include "base/wide_int.h"

enum { NANOS = 1000000000 };

static const int64_t DAY_SECONDS = 86400;

/* No sum overflows: 2^32 days are less than 2^49 seconds. */
static bool load_int96(const uint8_t *value, lam_instant *ret_instant) {
    lam_int96 time = lam_int96_load(value);
    ret_instant->seconds = time.day * DAY_SECONDS + time.nanos / NANOS;
    ret_instant->nanos = (int32_t)(time.nanos % NANOS);
    return true;
}

/*
 * A count of 96 bits, in `units` per second. The division rounds down, so the fraction is 0 or
 * more, as lam_instant wants it.
 */
static bool load_units(const uint8_t *value, uint32_t units, lam_instant *ret_instant) {
    uint32_t fraction;
    lam_wide_int count = lam_wide_int_load(value);
    lam_wide_int seconds = lam_wide_int_divide(&count, units, &fraction);
    ret_instant->nanos = (int32_t)(fraction * (NANOS / units));
    return lam_wide_int_to_int64(&seconds, &ret_instant->seconds);
}

static bool load_millis(const uint8_t *value, lam_instant *ret_instant) {
    return load_units(value, 1000, ret_instant);
}

static bool load_micros(const uint8_t *value, lam_instant *ret_instant) {
    return load_units(value, 1000000, ret_instant);
}

static bool load_nanos(const uint8_t *value, lam_instant *ret_instant) {
    return load_units(value, NANOS, ret_instant);
}

lam_instant_load lam_instant_load_of(const lam_field *leaf) {
    /* By lam_time_unit, which starts at 1: a TIMESTAMP always has a unit. */
    static const lam_instant_load by_unit[] = {NULL, load_millis, load_micros, load_nanos};
    if (leaf->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY &&
        leaf->logical_type.kind == LAM_LOGICAL_TIMESTAMP)
        return by_unit[leaf->logical_type.unit];
    return leaf->physical_type == LAM_PHYSICAL_INT96 ? load_int96 : NULL;
}

bool lam_instant_count(lam_instant instant, lam_arrow_unit unit, int64_t *ret_count,
                       bool *ret_exact) {
    /* By lam_arrow_unit, from seconds to nanoseconds. */
    static const int32_t units_of_second[] = {1, 1000, 1000000, NANOS};
    const int64_t units = units_of_second[unit];
    int32_t nanos_of_unit = NANOS / units_of_second[unit];
    /*
     * Before 1970, count down from the next second: the product for the second below could overflow
     * though the count itself does not. INT64_MIN nanoseconds, for example, are in second
     * -9223372037, which has no 64-bit count of nanoseconds, but second -9223372036 has, and
     * 854,775,808 less is the count.
     */
    bool is_before = instant.seconds < 0;
    int64_t seconds = instant.seconds + is_before;
    int64_t fraction = instant.nanos / nanos_of_unit - (is_before ? units : 0);
    /* Check the product first, then the sum: neither may be computed before it is known to hold. */
    if (seconds > INT64_MAX / units || seconds < INT64_MIN / units)
        return false;
    int64_t count = seconds * units;
    if (fraction > 0 ? count > INT64_MAX - fraction : count < INT64_MIN - fraction)
        return false;
    *ret_count = count + fraction;
    *ret_exact = instant.nanos % nanos_of_unit == 0;
    return true;
}
