/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random Arrow arrays of any field that Parquet can hold, laid out as freely as Arrow allows:
 * offsets at every level, slots that nobody uses, lists with gaps between or over each other,
 * anything at all beneath nulls.
 */
#ifndef LAM_TESTS_RANDOM_ARRAYS_H
#define LAM_TESTS_RANDOM_ARRAYS_H

#include "arrow/field/arrow_field.h"
#include "support/random.h"

/* A random struct of fields that Parquet can hold; its metadata are empty. In `arena`. */
lam_arrow_field lam_random_columns(lam_random *random, lam_arena *arena, unsigned depth);

/*
 * An array of `length` slots, of which those whose byte of `live` is not 0 are there to be read
 * (all when it is NULL). Its memory lies in `arena`; its release callback only marks it.
 */
struct ArrowArray *lam_random_array(lam_random *random, lam_arena *arena,
                                    const lam_arrow_field *field, size_t length,
                                    const uint8_t *live);

#endif
