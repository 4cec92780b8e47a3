/*
 * Instants that take more than 64 bits in a file, and how they are counted in the 64 bits that an
 * Arrow timestamp has.
 *
 *     INT96       | nanoseconds of the day, 8 bytes | Julian day, 4 bytes |      both little endian
 *     TIMESTAMP   | units since 1970-01-01 00:00:00, 12 bytes             |      little endian, too
 *
 * Comes in: the bytes of a value. Goes out: the count of a unit since 1970-01-01 00:00:00. A coarse
 * unit counts the whole ones before the instant, so that digits are cut toward the past.
 * (parquet.thrift, Type.INT96; LogicalTypes.md, TIMESTAMP)
 */
#ifndef LAM_ARROW_INSTANT_H
#define LAM_ARROW_INSTANT_H

#include "arrow/arrow_field.h"
#include "schema/tree.h"

enum { LAM_INSTANT_SIZE = 12 }; /* bytes of a value */

/* Julian day of 1970-01-01. */
#define LAM_INSTANT_EPOCH_DAY INT64_C(2440588)

typedef struct lam_instant {
    int64_t seconds; /* since 1970, whole ones before it */
    int32_t nanos;   /* behind those, 0 to 999,999,999 */
} lam_instant;

/* False when even the seconds need more than 64 bits. */
typedef bool (*lam_instant_load)(const uint8_t *value, lam_instant *ret_instant);

/* How values of a leaf are loaded; NULL where it has none of these. */
lam_instant_load lam_instant_load_of(const lam_field *leaf);

/* True when the count of that unit has 64 bits; `ret_exact` says that it cuts nothing. */
bool lam_instant_count(lam_instant instant, lam_arrow_unit unit, int64_t *ret_count,
                       bool *ret_exact);

#endif
