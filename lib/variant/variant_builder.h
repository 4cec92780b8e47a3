/* What a builder is told by those who know more of a value than its callers do. */
#ifndef LAM_VARIANT_VARIANT_BUILDER_H
#define LAM_VARIANT_VARIANT_BUILDER_H

#include <lamella/variant.h>

/* lam_variant_builder_put_string for bytes that are UTF-8: they are not looked at again. */
lam_status lam_variant_builder_put_text(lam_variant_builder *builder, lam_bytes text,
                                        lam_error *error);

/* Makes room for a value of so many nodes, itself among them, at once. NOMEM, LIMIT. */
lam_status lam_variant_builder_reserve(lam_variant_builder *builder, size_t nodes,
                                       lam_error *error);

#endif
