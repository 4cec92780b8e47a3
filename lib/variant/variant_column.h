/*
 * Scalars to values of columns named typed_value, and back.
 * (VariantShredding.md, "Shredded Value Types")
 */
#ifndef LAM_VARIANT_VARIANT_COLUMN_H
#define LAM_VARIANT_VARIANT_COLUMN_H

#include <lamella/record.h>

#include "base/buffer.h"
#include "variant/variant_schema.h"

/* Bytes of a decimal in a column of BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY that are significant. */
enum { LAM_VARIANT_DECIMAL_ROOM = 16 };

/*
 * True when the scalar fits the column without loss: it is of the column's kind, or an exact number
 * (an integer, a decimal) whose text would be the same one. Bytes of the value are the scalar's or
 * in `room`, which is as large as the column's type is long, and LAM_VARIANT_DECIMAL_ROOM at least.
 */
bool lam_variant_to_column(const lam_variant_node_plan *node, const lam_variant_scalar *scalar,
                           uint8_t *room, lam_value *ret_value);

/* A value of a column of that type as a scalar; its bytes are the value's. */
lam_variant_scalar lam_variant_scalar_of(lam_variant_kind kind, lam_physical_type type,
                                         lam_value value);

/*
 * Appends the bytes of the variant that a column's value stands for. CORRUPT, with the path, for a
 * decimal of more than 38 digits, text that is not UTF-8, an integer beyond the width of its type.
 */
lam_status lam_variant_from_column(const lam_variant_node_plan *node, lam_value value,
                                   lam_buffer *out, lam_error *error);

#endif
