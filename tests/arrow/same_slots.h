/* SPDX-License-Identifier: Apache-2.0 */
/* Whether slots of two arrays have the same value, whatever the arrays and their types are like. */
#ifndef LAM_TESTS_SAME_SLOTS_H
#define LAM_TESTS_SAME_SLOTS_H

#include "arrow/field/arrow_field.h"

/*
 * True when slot `at_a` of `a` and slot `at_b` of `b` are the same value. Their fields may have
 * other types, as which the same column can be read.
 */
bool lam_same_slot(const lam_arrow_field *field_a, const struct ArrowArray *a, int64_t at_a,
                   const lam_arrow_field *field_b, const struct ArrowArray *b, int64_t at_b);

#endif
