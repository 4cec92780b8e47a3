/*
 * Comes in: values as they lie in the file. Goes out: counts of the timestamps' unit. What does not
 * fit is refused, and, unless digits are to be cut, what is no whole number of units.
 *
 * Values of a block are converted together on the understanding that each is a time of its day, and
 * its day near enough; or that it is a count of that very unit, and has 64 bits. Where one is not,
 * or has digits too fine, the block is done again, one by one.
 */
#include "arrow/leaf_instant.h"

#include "arrow/instant.h"
#include "base/bytes.h"
#include "base/error.h"

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
 * UNITS of a day, of which 64 bits hold those of DAYS days before and after 1970. The way out of
 * the loop is never taken as a rule, and keeps compilers from doing sums of 64 bits in registers
 * that have no products of 64 bits.
 */
#define FROM_INT96(NAME, UNITS, DAYS)                                                              \
    static lam_status NAME(const lam_leaf_conversion *conversion, const void *elements,            \
                           size_t count, void *slots, lam_error *error) {                          \
        const uint64_t day_nanos = UINT64_C(86400000000000), unit_nanos = day_nanos / (UNITS);     \
        const uint8_t *from = elements;                                                            \
        int64_t *to = slots;                                                                       \
        uint64_t rest = 0;                                                                         \
        for (size_t i = 0; i < count; i++, from += LAM_INSTANT_SIZE) {                             \
            uint64_t nanos = lam_load_le64(from);                                                  \
            int64_t days = (int32_t)lam_load_le32(from + 8) - LAM_INSTANT_EPOCH_DAY;               \
            if (nanos >= day_nanos || days < -(DAYS) || days >= (DAYS))                            \
                return convert_each(conversion, elements, count, slots, error);                    \
            int64_t units = (int64_t)(nanos / unit_nanos);                                         \
            rest |= nanos % unit_nanos;                                                            \
            to[i] = days * (UNITS) + units;                                                        \
        }                                                                                          \
        if (rest != 0 && !conversion->cuts)                                                        \
            return convert_each(conversion, elements, count, slots, error);                        \
        return LAM_STATUS_OK;                                                                      \
    }

FROM_INT96(int96_seconds, INT64_C(86400), INT64_C(1) << 33)
FROM_INT96(int96_millis, INT64_C(86400000), INT64_C(1) << 33)
FROM_INT96(int96_micros, INT64_C(86400000000), INT64_C(106751991))
FROM_INT96(int96_nanos, INT64_C(86400000000000), INT64_C(106751))

/* The highest 4 bytes repeat the sign of the others. */
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

static lam_leaf_convert converter(const lam_field *leaf, lam_arrow_unit unit) {
    static const lam_leaf_convert by_unit[] = {int96_seconds, int96_millis, int96_micros,
                                               int96_nanos};
    if (leaf->physical_type == LAM_PHYSICAL_INT96)
        return by_unit[unit];
    /* The numbers of both are the same, and those of a column begin with milliseconds. */
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
