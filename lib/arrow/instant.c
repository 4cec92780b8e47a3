#include "arrow/instant.h"

#include "base/bytes.h"
#include "base/wide_int.h"

enum { NANOS = 1000000000 };

static const int64_t DAY_SECONDS = 86400;

/* The nanoseconds have a sign, and may be more than a day has. */
static bool load_int96(const uint8_t *value, lam_instant *ret_instant) {
    int64_t nanos = (int64_t)lam_load_le64(value);
    int64_t days = (int32_t)lam_load_le32(value + 8) - LAM_INSTANT_EPOCH_DAY;
    int64_t seconds = nanos / NANOS, rest = nanos % NANOS;
    ret_instant->seconds = days * DAY_SECONDS + seconds - (rest < 0);
    ret_instant->nanos = (int32_t)(rest < 0 ? rest + NANOS : rest);
    return true;
}

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
    static const lam_instant_load by_unit[] = {NULL, load_millis, load_micros, load_nanos};
    if (leaf->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY &&
        leaf->logical_type.kind == LAM_LOGICAL_TIMESTAMP)
        return by_unit[leaf->logical_type.unit];
    return leaf->physical_type == LAM_PHYSICAL_INT96 ? load_int96 : NULL;
}

bool lam_instant_count(lam_instant instant, lam_arrow_unit unit, int64_t *ret_count,
                       bool *ret_exact) {
    static const int32_t units_of_second[] = {1, 1000, 1000000, NANOS};
    const int64_t units = units_of_second[unit];
    int32_t nanos_of_unit = NANOS / units_of_second[unit];
    /* Before 1970, from the second behind it downward: the least count may be in no whole second.
     */
    bool is_before = instant.seconds < 0;
    int64_t seconds = instant.seconds + is_before;
    int64_t fraction = instant.nanos / nanos_of_unit - (is_before ? units : 0);
    if (seconds > INT64_MAX / units || seconds < INT64_MIN / units)
        return false;
    int64_t count = seconds * units;
    if (fraction > 0 ? count > INT64_MAX - fraction : count < INT64_MIN - fraction)
        return false;
    *ret_count = count + fraction;
    *ret_exact = instant.nanos % nanos_of_unit == 0;
    return true;
}
