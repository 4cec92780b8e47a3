/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an INT96 means: a point in time, without a time zone.
 *
 *     | nanoseconds, 8 bytes | Julian day, 4 bytes |     both little-endian and signed
 *
 * The two add up. Writers should keep the nanoseconds within the day, but nothing in the format
 * demands it: some divide toward zero, so that times before 1970 have negative ones on the next
 * day. Such a value is another form of the same time:
 *
 *     day 2433192, nanoseconds -37,755 s   =   day 2433191, nanoseconds 48,645 s (1949-10-01)
 *
 * All that compares or prints values goes by the time, any 12 bytes have one, and no arithmetic
 * here overflows. Bounds in statistics have an order of their own (stats/value_order.h).
 * (parquet.thrift, Type.INT96 and ColumnOrder.INT96_TIMESTAMP_ORDER)
 */
#ifndef LAM_BASE_INT96_H
#define LAM_BASE_INT96_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/floor_divide.h"

enum { LAM_INT96_SIZE = 12 };

/* Julian day number of 1970-01-01. */
#define LAM_INT96_EPOCH_DAY INT64_C(2440588)
#define LAM_NANOS_OF_DAY INT64_C(86400000000000)

/* A time in the form that is common to all its INT96. */
typedef struct lam_int96 {
    int64_t day;   /* since 1970-01-01 */
    int64_t nanos; /* of that day: 0 to LAM_NANOS_OF_DAY - 1 */
} lam_int96;

/* The time of any 12 bytes. */
static inline lam_int96 lam_int96_load(const uint8_t *bytes) {
    lam_int96 time;
    int64_t day = (int64_t)(int32_t)lam_load_le32(bytes + 8) - LAM_INT96_EPOCH_DAY;
    time.day = day + lam_floor_divide((int64_t)lam_load_le64(bytes), LAM_NANOS_OF_DAY, &time.nanos);
    return time;
}

/* False for another form than the usual one. */
static inline bool lam_int96_is_within_day(const uint8_t *bytes) {
    return lam_load_le64(bytes) < (uint64_t)LAM_NANOS_OF_DAY;
}

/* Below, at or above 0 as the time of `a` is before, at or after that of `b`. */
static inline int lam_int96_compare(const uint8_t *a, const uint8_t *b) {
    lam_int96 x = lam_int96_load(a), y = lam_int96_load(b);
    return x.day != y.day ? (x.day > y.day) - (x.day < y.day)
                          : (x.nanos > y.nanos) - (x.nanos < y.nanos);
}

/*
 * Stores a time in the usual form, or, if its day does not fit 32 bits, on the last day that does,
 * with what remains as nanoseconds. False, with nothing stored, if these would not fit 64 bits.
 */
bool lam_int96_store(lam_int96 time, uint8_t *bytes);

#endif
