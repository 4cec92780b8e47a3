/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts instants of 96 bits, INT96 or FIXED_LEN_BYTE_ARRAY(12), to counts of a unit since 1970.
 * Takes values as they are in the file, and fills int64 slots. A value that does not count in 64
 * bits always fails; so does one with digits below the unit, unless they are to be cut.
 *
 * Each value is converted twice at most. The fast loops assume that all values of a block are
 * usual: a time within its day, on a day whose count surely has 64 bits, or a count of the same
 * unit. If one is not, the entire block is converted again, value by value, which gives the exact
 * answer or the error. (parquet.thrift, Type.INT96)
 */
#include "arrow/read/leaf_instant.h"

#include "arrow/array/instant.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/int96.h"

static lam_status fail_range(lam_arrow_unit unit, lam_error *error) {
    static const char *const units[] = {"seconds", "milliseconds", "microseconds",
                                        "nanoseconds (years 1677 to 2262)"};
    LAM_FAIL(error, LAM_ERROR_CODE_ARROW_LIMIT,
             "a timestamp does not fit 64 bits of %s: choose another timestamp96_unit",
             units[unit]);
}

static lam_status fail_digits(lam_arrow_unit unit, lam_error *error) {
    static const char *const units[] = {"seconds", "milliseconds", "microseconds", "nanoseconds"};
    LAM_FAIL(error, LAM_ERROR_CODE_ARROW_LIMIT,
             "a timestamp has digits that %s, chosen for the column, would lose: choose "
             "timestamp96_unit to cut them",
             units[unit]);
}

/* The exact way: any value, any unit. Fails at the first value that has no count. */
static lam_status convert_each(const lam_leaf_conversion *conversion, const void *elements,
                               size_t count, void *slots, lam_error *error) {
    const uint8_t *from = elements;
    int64_t *to = slots;
    for (size_t i = 0; i < count; i++, from += LAM_INSTANT_SIZE) {
        lam_instant instant;
        bool exact;
        if (!conversion->load(from, &instant) ||
            !lam_instant_count(instant, conversion->unit, &to[i], &exact))
            return fail_range(conversion->unit, error);
        if (!exact && !conversion->cuts)
            return fail_digits(conversion->unit, error);
    }
    return LAM_STATUS_OK;
}

/*
 * Which days, before and after 1970, may have counts of more than 64 bits: none in seconds and
 * milliseconds, as a day has 32 bits. 106751 days of nanoseconds are 292 years, which ends the
 * range in 2262.
 */
#define NEVER_OUTSIDE(DAY) false
#define OUTSIDE_MICROS(DAY) ((DAY) < -INT64_C(106751991) || (DAY) >= INT64_C(106751991))
#define OUTSIDE_NANOS(DAY) ((DAY) < -INT64_C(106751) || (DAY) >= INT64_C(106751))

/*
 * Converts INT96 to UNITS per day; those of nanoseconds have no digits to lose. Leaving the loop
 * early is the exception; it also keeps compilers from vectorizing with instructions that have no
 * product of 64 bits, which would be slower.
 */
#define FROM_INT96(NAME, UNITS, OUTSIDE)                                                           \
    static lam_status NAME(const lam_leaf_conversion *conversion, const void *elements,            \
                           size_t count, void *slots, lam_error *error) {                          \
        const uint64_t day_nanos = LAM_NANOS_OF_DAY, unit_nanos = day_nanos / (UNITS);             \
        const uint8_t *from = elements;                                                            \
        int64_t *to = slots;                                                                       \
        uint64_t rest = 0;                                                                         \
        for (size_t i = 0; i < count; i++, from += LAM_INSTANT_SIZE) {                             \
            uint64_t nanos = lam_load_le64(from);                                                  \
            int64_t days = (int32_t)lam_load_le32(from + 8) - LAM_INT96_EPOCH_DAY;                 \
            if (nanos >= day_nanos || OUTSIDE(days))                                               \
                return convert_each(conversion, elements, count, slots, error);                    \
            int64_t units = (int64_t)(nanos / unit_nanos);                                         \
            rest |= nanos % unit_nanos;                                                            \
            to[i] = days * (UNITS) + units;                                                        \
        }                                                                                          \
        if ((UNITS) < LAM_NANOS_OF_DAY && rest != 0 && !conversion->cuts)                          \
            return convert_each(conversion, elements, count, slots, error);                        \
        return LAM_STATUS_OK;                                                                      \
    }

FROM_INT96(int96_seconds, INT64_C(86400), NEVER_OUTSIDE)
FROM_INT96(int96_millis, INT64_C(86400000), NEVER_OUTSIDE)
FROM_INT96(int96_micros, INT64_C(86400000000), OUTSIDE_MICROS)
FROM_INT96(int96_nanos, LAM_NANOS_OF_DAY, OUTSIDE_NANOS)

/*
 * Timestamps of 12 bytes that count the unit of the column already: the lower 8 bytes are the count
 * if the highest 4 repeat its sign.
 */
static lam_status same_unit(const lam_leaf_conversion *conversion, const void *elements,
                            size_t count, void *slots, lam_error *error) {
    const uint8_t *from = elements;
    int64_t *to = slots;
    uint64_t odd = 0;
    for (size_t i = 0; i < count; i++, from += LAM_INSTANT_SIZE) {
        uint64_t number = lam_load_le64(from);
        odd |= lam_load_le32(from + 8) ^ (uint32_t)(0 - (number >> 63));
        to[i] = (int64_t)number;
    }
    if (odd != 0)
        return convert_each(conversion, elements, count, slots, error);
    return LAM_STATUS_OK;
}

/*
 * A loop for each usual case; a TIMESTAMP that changes its unit has none, and goes value by value.
 */
static lam_leaf_convert converter(const lam_field *leaf, lam_arrow_unit unit) {
    static const lam_leaf_convert by_unit[] = {int96_seconds, int96_millis, int96_micros,
                                               int96_nanos};
    if (leaf->physical_type == LAM_PHYSICAL_INT96)
        return by_unit[unit];
    /*
     * The two enumerations have the same numbers, except that LAM_ARROW_SECOND is 0, which no
     * column has.
     */
    return (int)leaf->logical_type.unit == (int)unit ? same_unit : convert_each;
}

bool lam_leaf_instant_init(lam_leaf_conversion *conversion, const lam_field *leaf,
                           lam_arrow_unit unit) {
    conversion->load = lam_instant_load_of(leaf);
    if (conversion->load == NULL)
        return false;
    conversion->unit = unit;
    conversion->slot_size = sizeof(int64_t);
    conversion->convert = converter(leaf, unit);
    return true;
}
