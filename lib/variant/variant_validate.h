/* The two halves of lam_variant_validate, for those who meet one metadata with many values. */
#ifndef LAM_VARIANT_VARIANT_VALIDATE_H
#define LAM_VARIANT_VARIANT_VALIDATE_H

#include "variant/variant_layout.h"

/* Gives the view of a metadata that is well formed. */
lam_status lam_variant_validate_names(lam_bytes metadata, lam_variant_names_view *ret_names,
                                      lam_error *error);

/*
 * `names` are well formed; `accept` as for lam_variant_validate. Of that `*ret_accepted`, which may
 * be NULL, is what was met.
 */
lam_status lam_variant_validate_value(const lam_variant_names_view *names, lam_bytes value,
                                      unsigned accept, unsigned *ret_accepted, lam_error *error);

#endif
