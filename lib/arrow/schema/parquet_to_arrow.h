/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the Arrow type of a Parquet column by its physical and logical type alone.
 *
 *     Parquet                                     Arrow
 *     BOOLEAN                                     bool
 *     INT32, INT64                                int32, int64
 *       INTEGER(w,s), DATE, TIME, TIMESTAMP       [u]intw, date32, time32/64, timestamp
 *     INT96                                       timestamp(ns), or coarser by instant_unit.h
 *     FLOAT, DOUBLE                               float, double
 *     BYTE_ARRAY                                  binary
 *       STRING, ENUM                              string
 *       JSON                                      arrow.json over string
 *       GEOMETRY, GEOGRAPHY                       geoarrow.wkb over binary
 *     FIXED_LEN_BYTE_ARRAY(n)                     fixed_size_binary(n)
 *       FLOAT16, INTERVAL                         float16, month_day_nano_interval
 *       TIMESTAMP                                 timestamp, or coarser by instant_unit.h
 *       UUID                                      arrow.uuid over fixed_size_binary(16)
 *     any of them DECIMAL(p,s)                    decimal128, or decimal256 when p > 38
 *     any of them UNKNOWN                         null
 *
 * A timestamp that is adjusted to UTC has the timezone "UTC". An unknown logical type is ignored:
 * the column has the type of its physical type.
 */
#ifndef LAM_ARROW_SCHEMA_PARQUET_TO_ARROW_H
#define LAM_ARROW_SCHEMA_PARQUET_TO_ARROW_H

#include "arrow/field/arrow_field.h"
#include "schema/tree.h"

/* Returns NULL, or a static text: the reason why the column has no Arrow type. */
const char *lam_arrow_type_of_leaf(const lam_field *leaf, lam_arrow_type *ret_type);

#endif
