/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of a builder for callers inside the library that know more about a value than the public
 * interface can assume: that a text is UTF-8 already, or how many nodes a value is going to have.
 *
 * Both only save work; the resulting value is the same as with the public calls.
 */
#ifndef LAM_VARIANT_VALUE_VARIANT_BUILDER_H
#define LAM_VARIANT_VALUE_VARIANT_BUILDER_H

#include <lamella/variant.h>

/*
 * Like lam_variant_builder_put_string, for bytes that the caller has checked: they are not checked
 * again, so text that is not UTF-8 would get into the value.
 */
lam_status lam_variant_builder_put_text(lam_variant_builder *builder, lam_bytes text,
                                        lam_error *error);

/*
 * Makes room for all nodes of a value at once, itself included. Adding more of them stays allowed.
 * NOMEM, LIMIT.
 */
lam_status lam_variant_builder_reserve(lam_variant_builder *builder, size_t nodes,
                                       lam_error *error);

#endif
