/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes scalars as VARIANT bytes: the inverse of lam_variant_get, for the builder and for columns
 * named typed_value. (VariantEncoding.md, "Encoding types")
 */
#ifndef LAM_VARIANT_VALUE_VARIANT_SCALAR_H
#define LAM_VARIANT_VALUE_VARIANT_SCALAR_H

#include <lamella/variant.h>

#include "base/buffer.h"

/*
 * Appends a scalar as exactly its kind; bytes are copied. The errors of lam_variant_builder_put.
 * `out` is unchanged after a failure.
 */
lam_status lam_variant_scalar_write(lam_buffer *out, const lam_variant_scalar *scalar,
                                    lam_error *error);

/*
 * Appends a string of text that the caller knows to be UTF-8: a short string of up to 63 bytes, a
 * long one above. LIMIT, NOMEM.
 */
lam_status lam_variant_text_write(lam_buffer *out, lam_bytes text, lam_error *error);

#endif
