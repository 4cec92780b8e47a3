/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts values of Arrow types to the elements of their Parquet columns, and finds the first that
 * a column cannot hold. Every type has one of two ways: its bytes stay the same and may need a
 * check, or they are converted.
 */
#ifndef LAM_ARROW_WRITE_VALUE_CONVERT_H
#define LAM_ARROW_WRITE_VALUE_CONVERT_H

#include <lamella/record.h>

#include "arrow/field/arrow_field.h"

/* True when the elements are the values themselves (lam_values_gather), without conversion. */
bool lam_value_is_same(const lam_arrow_type *type, const lam_field *leaf);

/*
 * Converts `count` values, without nulls and at any address, to elements of lam_triples.values.
 * Returns how many it converted: all, or those before the first that the leaf cannot hold.
 */
size_t lam_value_convert(const lam_arrow_type *type, const lam_field *leaf, const uint8_t *values,
                         size_t count, void *elements);

/*
 * The same for types whose values stay as they are: checks them, and returns how many the leaf can
 * hold before the first that it cannot.
 */
size_t lam_value_check_same(const lam_arrow_type *type, const lam_field *leaf,
                            const uint8_t *values, size_t count);

/* Returns the reason why a leaf cannot hold a value of the type, as a clause for messages. */
const char *lam_value_fault(const lam_arrow_type *type);

#endif
