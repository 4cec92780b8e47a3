/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts scalars to values of columns named typed_value, and back. (VariantShredding.md,
 * "Shredded Value Types")
 */
#ifndef LAM_VARIANT_SHRED_VARIANT_COLUMN_H
#define LAM_VARIANT_SHRED_VARIANT_COLUMN_H

#include <lamella/record.h>

#include "base/buffer.h"
#include "variant/shred/variant_schema.h"

/* Bytes that the unscaled number of a decimal takes at most: 128 bits. */
enum { LAM_VARIANT_DECIMAL_ROOM = 16 };

/*
 * True when the scalar fits the column without loss: it has the column's kind, or it is an exact
 * number (integer or decimal) that prints as the same text. Bytes of `*ret_value` are borrowed from
 * the scalar, or are in `room`, which has at least the length of the column's type and
 * LAM_VARIANT_DECIMAL_ROOM bytes.
 */
bool lam_variant_to_column(const lam_variant_node_plan *node, const lam_variant_scalar *scalar,
                           uint8_t *room, lam_value *ret_value);

/*
 * A column's value as a scalar of the kind; bytes are borrowed from the value. Not for decimals,
 * whose number only lam_variant_from_column reads.
 */
lam_variant_scalar lam_variant_scalar_of(lam_variant_kind kind, lam_physical_type type,
                                         lam_value value);

/*
 * Appends the VARIANT bytes of a column's value. CORRUPT, with the path, for a decimal without
 * bytes or of more than 38 digits, text that is not UTF-8, an integer beyond the width of its
 * annotation, or a UUID that is not 16 bytes long; NOMEM, LIMIT.
 */
lam_status lam_variant_from_column(const lam_variant_node_plan *node, lam_value value,
                                   lam_buffer *out, lam_error *error);

#endif
