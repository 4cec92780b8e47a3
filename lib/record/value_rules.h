/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of values: which values a logical type allows among those of its physical type.
 * (LogicalTypes.md)
 */
#ifndef LAM_RECORD_VALUE_RULES_H
#define LAM_RECORD_VALUE_RULES_H

#include <lamella/record.h>

/* INVALID with the leaf's path and the rule that the value breaks. */
lam_status lam_value_check(const lam_field *leaf, const lam_value *value, lam_error *error);

/* INVALID when bytes are NULL with a size, or not as many as each value of the leaf has. */
lam_status lam_value_check_bytes(const lam_field *leaf, const lam_value *value, lam_error *error);

#endif
