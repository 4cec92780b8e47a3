/* SPDX-License-Identifier: Apache-2.0 */
/*
 * INT96 values for tests: what they are in each unit, in other arithmetic than the library's, and
 * random ones, of which many lie where a unit ends.
 */
#ifndef LAM_TESTS_ARROW_INT96_VALUES_H
#define LAM_TESTS_ARROW_INT96_VALUES_H

#include <criterion/criterion.h>
#include <lamella/schema.h>

#include "arrow/array/instant.h"
#include "base/bytes.h"
#include "support/random.h"
#include "support/test_file.h"

#define DAY_NANOS INT64_C(86400000000000)

/* By lam_arrow_unit. */
static const int64_t UNIT_NANOS[] = {1000000000, 1000000, 1000, 1};

typedef struct int96 {
    int64_t nanos;
    int32_t day;
} int96;

static inline void put_int96(uint8_t *value, int96 from) {
    lam_store_le64(value, (uint64_t)from.nanos);
    lam_store_le32(value + 8, (uint32_t)from.day);
}

/* The count by days and what is left of the last one. */
static inline bool count_of(int96 from, lam_arrow_unit unit, int64_t *ret_count, bool *ret_exact) {
    int64_t units = DAY_NANOS / UNIT_NANOS[unit];
    int64_t days = from.nanos / DAY_NANOS, rest = from.nanos % DAY_NANOS;
    if (rest < 0) {
        days--;
        rest += DAY_NANOS;
    }
    days += (int64_t)from.day - 2440588;
    int64_t part = rest / UNIT_NANOS[unit];
    *ret_exact = rest % UNIT_NANOS[unit] == 0;
    if (days < 0) { /* from the end of the day, which is nearer to 1970 */
        days++;
        part -= units;
    }
    if (days > INT64_MAX / units || days < INT64_MIN / units)
        return false;
    *ret_count = days * units;
    if (part >= 0 ? *ret_count > INT64_MAX - part : *ret_count < INT64_MIN - part)
        return false;
    *ret_count += part;
    return true;
}

/* Any bits, days near the ends of the units, and what everyone writes. */
static inline int96 draw_int96(lam_random *random) {
    static const int64_t ends[] = {0, 106751, 106752, 106751991, 106751992, INT32_MAX - 2440588};
    int96 drawn;
    uint64_t shape = lam_random_below(random, 4);
    drawn.nanos = shape == 0 ? (int64_t)lam_random_next(random)
                             : (int64_t)lam_random_below(random, (uint64_t)DAY_NANOS);
    if (lam_random_below(random, 2) == 0)
        drawn.nanos -= drawn.nanos % UNIT_NANOS[lam_random_below(random, 4)];
    int64_t day = ends[lam_random_below(random, 6)] + (int64_t)lam_random_below(random, 5) - 2;
    if (shape == 1)
        day = (int64_t)lam_random_below(random, 100000);
    day = (lam_random_below(random, 2) == 0 ? day : -day) + 2440588;
    drawn.day = shape == 2 ? (int32_t)(uint32_t)lam_random_next(random)
                           : (int32_t)(day > INT32_MAX ? INT32_MAX : day);
    return drawn;
}

static inline lam_schema *int96_schema(void) {
    static const char text[] = "message m { required int96 a; }";
    lam_schema *schema = lam_test_parse(text);
    return schema;
}

#endif
