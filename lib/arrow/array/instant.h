/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instants that take more than 64 bits in a file, and their counts in the 64 bits of an Arrow
 * timestamp.
 *
 *     INT96       | nanoseconds of the day, 8 bytes | Julian day, 4 bytes |      both little-endian
 *     TIMESTAMP   | units since 1970-01-01 00:00:00, 12 bytes             |      little-endian
 *
 * The bytes of a value become its count of a unit since 1970-01-01 00:00:00, rounded down, so that
 * digits are cut toward the past on both sides of 1970:
 *
 *     1969-12-31 23:59:59.9   in seconds: -1       in milliseconds: -100
 *
 * (parquet.thrift, Type.INT96; LogicalTypes.md, TIMESTAMP)
 */
#ifndef LAM_ARROW_ARRAY_INSTANT_H
#define LAM_ARROW_ARRAY_INSTANT_H

#include "arrow/field/arrow_field.h"
#include "schema/tree.h"

enum { LAM_INSTANT_SIZE = 12 }; /* bytes of one value in both forms */

typedef struct lam_instant {
    int64_t seconds; /* since 1970, rounded down: negative before 1970 */
    int32_t nanos;   /* added to those, 0 to 999,999,999 */
} lam_instant;

/* Loads a value. False when its seconds alone need more than 64 bits. */
typedef bool (*lam_instant_load)(const uint8_t *value, lam_instant *ret_instant);

/* The loader for values of a leaf; NULL for leaves that have no instants of 96 bits. */
lam_instant_load lam_instant_load_of(const lam_field *leaf);

/*
 * Counts units since 1970. False, with nothing written, when the count needs more than 64 bits.
 * `ret_exact`: no digit was cut.
 */
bool lam_instant_count(lam_instant instant, lam_arrow_unit unit, int64_t *ret_count,
                       bool *ret_exact);

#endif
