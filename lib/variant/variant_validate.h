/* The two halves of lam_variant_validate, for those who meet one metadata with many values. */
#ifndef LAM_VARIANT_VARIANT_VALIDATE_H
#define LAM_VARIANT_VARIANT_VALIDATE_H

#include "variant/variant_layout.h"

/*
 * Gives the view of a metadata that is well formed; `accept` as for lam_variant_validate. The view
 * is sorted when the names are and the metadata says so: the claim alone is believed nowhere.
 */
lam_status lam_variant_validate_names(lam_bytes metadata, unsigned accept,
                                      lam_variant_names_view *ret_names, lam_error *error);

/* What was met in a value. */
typedef struct lam_variant_traits {
    unsigned accepted; /* of what is accepted beyond the specification */
    size_t depth;      /* objects and arrays inside each other, the value itself among them */
} lam_variant_traits;

/*
 * `names` are well formed; `accept` as for lam_variant_validate. `ret_traits` may be NULL; of a
 * value that is not well formed they are what was met before.
 */
lam_status lam_variant_validate_value(const lam_variant_names_view *names, lam_bytes value,
                                      unsigned accept, lam_variant_traits *ret_traits,
                                      lam_error *error);

#endif
