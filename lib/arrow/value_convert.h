/* Values of Arrow types to the elements of their Parquet columns. */
#ifndef LAM_ARROW_VALUE_CONVERT_H
#define LAM_ARROW_VALUE_CONVERT_H

#include <lamella/record.h>

#include "arrow/arrow_field.h"

/* True when the elements are the values as they are (lam_values_gather). */
bool lam_value_is_same(const lam_arrow_type *type, const lam_field *leaf);

/*
 * Converts `count` values, without nulls and at any address, to elements of lam_triples.values.
 * Returns how many could be, up to the first that the leaf cannot hold.
 */
size_t lam_value_convert(const lam_arrow_type *type, const lam_field *leaf, const uint8_t *values,
                         size_t count, void *elements);

/* How many of the values that stay the same the leaf can hold, up to the first that it cannot. */
size_t lam_value_check_same(const lam_arrow_type *type, const lam_field *leaf,
                            const uint8_t *values, size_t count);

/* What is wrong with a value that the leaf cannot hold: a sentence about values of that type. */
const char *lam_value_fault(const lam_arrow_type *type);

#endif
