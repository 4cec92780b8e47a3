/* Scalars to bytes: the other way round of lam_variant_get. (VariantEncoding.md, "Encoding types")
 */
#ifndef LAM_VARIANT_VARIANT_SCALAR_H
#define LAM_VARIANT_VARIANT_SCALAR_H

#include <lamella/variant.h>

#include "base/buffer.h"

/* INT8 to INT64, the smallest kind that holds the number. */
lam_variant_kind lam_variant_integer_kind(int64_t number);

/* Appends a scalar of its kind. Errors as lam_variant_builder_put gives them. */
lam_status lam_variant_scalar_write(lam_buffer *out, const lam_variant_scalar *scalar,
                                    lam_error *error);

/* Appends a string of text that is known to be UTF-8. LIMIT, NOMEM. */
lam_status lam_variant_text_write(lam_buffer *out, lam_bytes text, lam_error *error);

#endif
