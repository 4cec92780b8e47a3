/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the Parquet schema that holds arrays of an Arrow schema.
 *
 *     Arrow                              Parquet
 *     null                               INT32 (UNKNOWN)
 *     bool, float, double                BOOLEAN, FLOAT, DOUBLE
 *     int32, int64, duration             INT32, INT64, INT64
 *     other integers                     INT32 or INT64 (INTEGER(w,s))
 *     float16                            FIXED_LEN_BYTE_ARRAY(2) (FLOAT16)
 *     decimal(p,s)                       (DECIMAL(p,s)) of INT32, INT64 or, beyond 18 digits,
 *                                        FIXED_LEN_BYTE_ARRAY of as few bytes as hold p digits
 *     date32, date64                     INT32 (DATE)
 *     time32, time64                     INT32 or INT64 (TIME(unit,false)); seconds in MILLIS
 *     timestamp(unit,zone)               INT64 (TIMESTAMP(unit,zone given)); seconds in MILLIS
 *     the intervals                      FIXED_LEN_BYTE_ARRAY(12) (INTERVAL)
 *     the binaries, the strings          BYTE_ARRAY, BYTE_ARRAY (STRING)
 *     fixed_size_binary(n)               FIXED_LEN_BYTE_ARRAY(n)
 *     the lists of T                     group (LIST) { repeated group list { T element; } }
 *     map                                group (MAP) { repeated group key_value {
 *                                          required K key; V value; } }
 *     struct                             group
 *     dictionary, run_end_encoded        as their values
 *
 * A nullable field is optional, any other required. Extension types get the logical types listed in
 * arrow_extension.h; unsigned numbers that a VARIANT shreds become the next wider signed ones.
 */
#ifndef LAM_ARROW_SCHEMA_ARROW_TO_PARQUET_H
#define LAM_ARROW_SCHEMA_ARROW_TO_PARQUET_H

#include "arrow/field/arrow_field.h"
#include "schema/tree.h"

/*
 * `root` is a struct without run-end encoding below it, and its extension types have been checked.
 * UNSUPPORTED when Parquet cannot hold a type; INVALID and LIMIT as from lam_schema_builder; all
 * name the field. `arena` is for scratch; the schema comes from the arena's allocator.
 */
lam_status lam_arrow_to_parquet(const lam_arrow_field *root, lam_arena *arena,
                                lam_schema **ret_schema, lam_error *error);

#endif
