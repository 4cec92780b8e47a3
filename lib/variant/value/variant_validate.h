/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two halves of lam_variant_validate, for callers that meet one metadata with many values: the
 * metadata is proved once, then each value against the view of its names.
 */
#ifndef LAM_VARIANT_VALUE_VARIANT_VALIDATE_H
#define LAM_VARIANT_VALUE_VARIANT_VALIDATE_H

#include "variant/value/variant_layout.h"

/*
 * Proves metadata well formed and gives the view of its names; `accept` as for
 * lam_variant_validate. The view's `is_sorted` is set only if the metadata claims it and it is
 * true. CORRUPT with the offset, UNSUPPORTED for a version other than 1.
 */
lam_status lam_variant_validate_names(lam_bytes metadata, unsigned accept,
                                      lam_variant_names_view *ret_names, lam_error *error);

/* Findings about a value, whether or not it is well formed. */
typedef struct lam_variant_traits {
    unsigned accepted; /* LAM_VARIANT_ACCEPT_.. that the value needed */
    size_t depth;      /* most objects and arrays inside each other, the value itself included */
} lam_variant_traits;

/*
 * Proves a value well formed, whose names are. `accept` as for lam_variant_validate. `ret_traits`
 * may be NULL; after a failure it has all found up to there. CORRUPT with the offset in the value,
 * UNSUPPORTED for an unknown type, LIMIT beyond LAM_VARIANT_DEPTH_MAX.
 */
lam_status lam_variant_validate_value(const lam_variant_names_view *names, lam_bytes value,
                                      unsigned accept, lam_variant_traits *ret_traits,
                                      lam_error *error);

#endif
