/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with an array that came out of the library, by the rules of the columnar format. */
#ifndef LAM_TESTS_ARRAY_FLAW_H
#define LAM_TESTS_ARRAY_FLAW_H

#include "arrow/field/arrow_field.h"

/*
 * NULL when the array is a right one of the field: numbers of buffers and children, lengths, a
 * null_count that is exact, no buffer of validity without nulls, no null where the field has none,
 * offsets that rise from 0, views and indexes that point to something, strings of UTF-8, and every
 * byte there. Otherwise what is wrong.
 */
const char *lam_array_flaw(const lam_arrow_field *field, const struct ArrowArray *array);

/* True when the slot is not null. */
bool lam_array_slot_valid(const struct ArrowArray *array, int64_t slot);

/* The bytes of a slot of a kind with strings or binaries, of fixed size or any. */
lam_bytes lam_array_slot_bytes(const lam_arrow_field *field, const struct ArrowArray *array,
                               int64_t slot);

#endif
