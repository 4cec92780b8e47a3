/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts values, with one loop per Arrow type that differs from its Parquet column, or whose
 * values may exceed it. Values from the buffers of an array, at any address, become elements; the
 * number of good ones is returned.
 *
 * The caller's arrays are not trusted: any bit pattern may come, and a value outside of the
 * column's type ends the loop at its index, which becomes the row of the error. Values are never
 * rounded or clamped, but written exactly or refused. The reverse is leaf_convert.c.
 * (LogicalTypes.md)
 */
#include "arrow/write/value_convert.h"

#include <string.h>

#include "arrow/write/value_decimal.h"
#include "base/bytes.h"
#include "base/utf8.h"
#include "schema/tree.h"

static const int64_t VALUE_DAY_MILLIS = 86400000;

/* Loads one value at any address: buffers of the C data interface need not be aligned. */
#define LOAD(type, name, values, index)                                                            \
    type name;                                                                                     \
    memcpy(&name, (values) + (index) * sizeof name, sizeof name)

/* --- Integers ------------------------------------------------------------------------------ */

/* Small integers become INT32, annotated as INTEGER(8) or INTEGER(16): none is refused. */
#define VALUE_DEFINE_WIDEN(name, type)                                                             \
    static size_t name(const uint8_t *values, size_t count, int32_t *elements) {                   \
        for (size_t i = 0; i < count; i++) {                                                       \
            LOAD(type, value, values, i);                                                          \
            elements[i] = value;                                                                   \
        }                                                                                          \
        return count;                                                                              \
    }

VALUE_DEFINE_WIDEN(widen_i8, int8_t)
VALUE_DEFINE_WIDEN(value_widen_u8, uint8_t)
VALUE_DEFINE_WIDEN(widen_i16, int16_t)
VALUE_DEFINE_WIDEN(widen_u16, uint16_t)

/* A uint32 inside a shredded VARIANT becomes INT64, since VARIANT has signed types only. */
static size_t value_widen_u32(const uint8_t *values, size_t count, int64_t *elements) {
    for (size_t i = 0; i < count; i++) {
        LOAD(uint32_t, value, values, i);
        elements[i] = value;
    }
    return count;
}

/* --- Times --------------------------------------------------------------------------------- */

/*
 * date64 counts milliseconds, but must be whole days: DATE has no smaller unit. 86399999 is
 * refused.
 */
static size_t days_of_dates(const uint8_t *values, size_t count, int32_t *days) {
    for (size_t i = 0; i < count; i++) {
        LOAD(int64_t, millis, values, i);
        int64_t day = millis / VALUE_DAY_MILLIS;
        if (day * VALUE_DAY_MILLIS != millis || day < INT32_MIN || day > INT32_MAX)
            return i;
        days[i] = (int32_t)day;
    }
    return count;
}

/*
 * time32 in seconds: TIME has no unit of seconds, so it becomes milliseconds. Only times within the
 * day are valid.
 */
static size_t millis_of_times(const uint8_t *values, size_t count, int32_t *millis) {
    for (size_t i = 0; i < count; i++) {
        LOAD(int32_t, seconds, values, i);
        if (seconds < 0 || seconds >= VALUE_DAY_MILLIS / 1000)
            return i;
        millis[i] = seconds * 1000;
    }
    return count;
}

/* timestamp in seconds becomes milliseconds; the product must have 64 bits. */
static size_t millis_of_timestamps(const uint8_t *values, size_t count, int64_t *millis) {
    for (size_t i = 0; i < count; i++) {
        LOAD(int64_t, seconds, values, i);
        if (seconds < INT64_MIN / 1000 || seconds > INT64_MAX / 1000)
            return i;
        millis[i] = seconds * 1000;
    }
    return count;
}

/* time32 in milliseconds stays the same, and must be within the day. */
static size_t check_times_32(const uint8_t *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        LOAD(int32_t, millis, values, i);
        if (millis < 0 || millis >= VALUE_DAY_MILLIS)
            return i;
    }
    return count;
}

/* The same for time64, in microseconds or nanoseconds. */
static size_t check_times_64(const uint8_t *values, size_t count, lam_arrow_unit unit) {
    int64_t day = VALUE_DAY_MILLIS * (unit == LAM_ARROW_MICROSECOND ? 1000 : 1000000);
    for (size_t i = 0; i < count; i++) {
        LOAD(int64_t, time, values, i);
        if (time < 0 || time >= day)
            return i;
    }
    return count;
}

/* --- Intervals: months, days and milliseconds, little-endian numbers without sign ------------ */

enum { VALUE_INTERVAL_SIZE = 12 };

/*
 * Stores an INTERVAL: three numbers of 32 bits without sign. Arrow's are signed, so negative ones
 * are refused. False when a number does not go into its 4 bytes; months and days come from int32
 * and always do.
 */
static bool store_interval(uint8_t *element, int64_t months, int64_t days, int64_t millis) {
    if (months < 0 || days < 0 || millis < 0 || millis > UINT32_MAX)
        return false;
    lam_store_le32(element, (uint32_t)months);
    lam_store_le32(element + 4, (uint32_t)days);
    lam_store_le32(element + 8, (uint32_t)millis);
    return true;
}

/* An interval in months is an int32. */
static size_t convert_months(const uint8_t *values, size_t count, uint8_t *elements) {
    for (size_t i = 0; i < count; i++) {
        LOAD(int32_t, months, values, i);
        if (!store_interval(elements + i * VALUE_INTERVAL_SIZE, months, 0, 0))
            return i;
    }
    return count;
}

/* A day_time interval is two int32: days, then milliseconds. */
static size_t convert_day_time(const uint8_t *values, size_t count, uint8_t *elements) {
    for (size_t i = 0; i < count; i++) {
        LOAD(int32_t, days, values, 2 * i);
        LOAD(int32_t, millis, values, 2 * i + 1);
        if (!store_interval(elements + i * VALUE_INTERVAL_SIZE, 0, days, millis))
            return i;
    }
    return count;
}

/*
 * A month_day_nano interval is two int32 and an int64, 16 bytes together: value `i` has its months
 * at int32 4i, its days at 4i + 1, its nanoseconds at int64 2i + 1. Only whole milliseconds become
 * an INTERVAL.
 */
static size_t convert_month_day_nano(const uint8_t *values, size_t count, uint8_t *elements) {
    for (size_t i = 0; i < count; i++) {
        LOAD(int32_t, months, values, 4 * i);
        LOAD(int32_t, days, values, 4 * i + 1);
        LOAD(int64_t, nanos, values, 2 * i + 1);
        if (nanos % 1000000 != 0 ||
            !store_interval(elements + i * VALUE_INTERVAL_SIZE, months, days, nanos / 1000000))
            return i;
    }
    return count;
}

/* --- Half floats and bytes ------------------------------------------------------------------- */

/* FLOAT16 is little-endian in the file: called on big-endian machines only. */
static size_t swap_halves(const uint8_t *values, size_t count, uint8_t *elements) {
    for (size_t i = 0; i < count; i++) {
        LOAD(uint16_t, half, values, i);
        lam_store_le16(elements + 2 * i, half);
    }
    return count;
}

/*
 * Checks byte arrays: a PLAIN length has 32 bits, and many readers take it as signed, so values
 * stay below 2 GiB. Strings must be UTF-8.
 */
static size_t value_check_bytes(const uint8_t *values, size_t count, bool is_text) {
    for (size_t i = 0; i < count; i++) {
        LOAD(lam_bytes, bytes, values, i);
        if (bytes.size > INT32_MAX ||
            (is_text && lam_utf8_prefix(bytes.data, bytes.size) < bytes.size))
            return i;
    }
    return count;
}

/* --- All of them ----------------------------------------------------------------------------- */

/*
 * The types that need a conversion are named here, and lam_value_convert has a case for each; all
 * others are the same in both formats.
 */
bool lam_value_is_same(const lam_arrow_type *type, const lam_field *leaf) {
    switch (type->kind) {
    case LAM_ARROW_INT8:
    case LAM_ARROW_UINT8:
    case LAM_ARROW_INT16:
    case LAM_ARROW_UINT16:
    case LAM_ARROW_DATE64:
    case LAM_ARROW_INTERVAL_MONTHS:
    case LAM_ARROW_INTERVAL_DAY_TIME:
    case LAM_ARROW_INTERVAL_MONTH_DAY_NANO:
        return false;
    case LAM_ARROW_UINT32:
        return leaf->physical_type == LAM_PHYSICAL_INT32;
    case LAM_ARROW_FLOAT16:
        return !LAM_BIG_ENDIAN;
    case LAM_ARROW_TIME32:
    case LAM_ARROW_TIMESTAMP:
        return type->unit != LAM_ARROW_SECOND;
    case LAM_ARROW_DECIMAL:
        return lam_decimal_is_same(type->bit_width, leaf);
    /*
     * Integers of 32 and 64 bits, floats, dates in days, durations, byte arrays, and other units of
     * time.
     */
    default:
        return true;
    }
}

/* Dispatches by type. It must not be called for types that stay the same. */
size_t lam_value_convert(const lam_arrow_type *type, const lam_field *leaf, const uint8_t *values,
                         size_t count, void *elements) {
    switch (type->kind) {
    case LAM_ARROW_INT8:
        return widen_i8(values, count, elements);
    case LAM_ARROW_UINT8:
        return value_widen_u8(values, count, elements);
    case LAM_ARROW_INT16:
        return widen_i16(values, count, elements);
    case LAM_ARROW_UINT16:
        return widen_u16(values, count, elements);
    case LAM_ARROW_UINT32:
        return value_widen_u32(values, count, elements);
    case LAM_ARROW_DATE64:
        return days_of_dates(values, count, elements);
    case LAM_ARROW_TIME32:
        return millis_of_times(values, count, elements);
    case LAM_ARROW_TIMESTAMP:
        return millis_of_timestamps(values, count, elements);
    case LAM_ARROW_INTERVAL_MONTHS:
        return convert_months(values, count, elements);
    case LAM_ARROW_INTERVAL_DAY_TIME:
        return convert_day_time(values, count, elements);
    case LAM_ARROW_INTERVAL_MONTH_DAY_NANO:
        return convert_month_day_nano(values, count, elements);
    case LAM_ARROW_DECIMAL:
        return lam_decimal_convert(type, leaf, values, count, elements);
    case LAM_ARROW_FLOAT16:
        return swap_halves(values, count, elements);
    default:
        return count;
    }
}

/* Types without a case hold any bit pattern: an int32 or a float, for example, is never refused. */
size_t lam_value_check_same(const lam_arrow_type *type, const lam_field *leaf,
                            const uint8_t *values, size_t count) {
    switch (type->kind) {
    case LAM_ARROW_TIME32:
        return check_times_32(values, count);
    case LAM_ARROW_TIME64:
        return check_times_64(values, count, type->unit);
    case LAM_ARROW_DECIMAL:
        return lam_decimal_convert(type, leaf, values, count, NULL);
    case LAM_ARROW_BINARY:
    case LAM_ARROW_LARGE_BINARY:
    case LAM_ARROW_BINARY_VIEW:
        return value_check_bytes(values, count, false);
    case LAM_ARROW_STRING:
    case LAM_ARROW_LARGE_STRING:
    case LAM_ARROW_STRING_VIEW:
        return value_check_bytes(values, count, true);
    default:
        return count;
    }
}

/* A type has one text, which names every reason that its loop has. */
const char *lam_value_fault(const lam_arrow_type *type) {
    switch (type->kind) {
    case LAM_ARROW_DATE64:
        return "a date is not a whole day, or beyond 32 bits of days";
    case LAM_ARROW_TIME32:
    case LAM_ARROW_TIME64:
        return "a time is outside of the day";
    case LAM_ARROW_TIMESTAMP:
        return "a timestamp in seconds is beyond 64 bits of milliseconds";
    case LAM_ARROW_DECIMAL:
        return "a decimal has more digits than its precision";
    case LAM_ARROW_INTERVAL_MONTHS:
    case LAM_ARROW_INTERVAL_DAY_TIME:
    case LAM_ARROW_INTERVAL_MONTH_DAY_NANO:
        return "an interval has a negative part, a part of a millisecond, or too many of them";
    case LAM_ARROW_STRING:
    case LAM_ARROW_LARGE_STRING:
    case LAM_ARROW_STRING_VIEW:
        return "a string is not UTF-8, or has 2 GiB or more";
    default:
        return "a value has 2 GiB or more";
    }
}
