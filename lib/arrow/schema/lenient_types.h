/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Widens the Arrow types of columns whose values may exceed their logical types, to types that hold
 * every value of the physical type.
 *
 *     logical type                     Arrow type            instead
 *     INTEGER of 8 or 16 bits          [u]int8, [u]int16     int32
 *     DECIMAL on INT32                 decimal of p digits   decimal128 of 10
 *     DECIMAL on INT64                                       decimal128 of 19
 *     DECIMAL on bytes, p <= 38                              decimal128 of 38
 *     DECIMAL on bytes, p > 38                               decimal256 of 76
 *
 * A larger precision stays, and the scale always does. Extension types stay entirely as they are,
 * because they prescribe their storage. (LogicalTypes.md, Numeric Types)
 */
#ifndef LAM_ARROW_SCHEMA_LENIENT_TYPES_H
#define LAM_ARROW_SCHEMA_LENIENT_TYPES_H

#include "arrow/array/arrow_plan.h"

/* Widens the types of a plan for reading, which must be complete. */
void lam_lenient_types_widen(lam_arrow_plan *plan);

#endif
