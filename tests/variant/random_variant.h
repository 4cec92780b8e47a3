/* SPDX-License-Identifier: Apache-2.0 */
/* Random values, told to a builder: any kind, deep and wide, names that clash and that do not. */
#ifndef LAM_TESTS_RANDOM_VARIANT_H
#define LAM_TESTS_RANDOM_VARIANT_H

#include <lamella/variant.h>

#include "support/random.h"

/* A scalar of any kind; bytes are in a static block that the next call overwrites. */
lam_variant_scalar lam_random_scalar(lam_random *random);
/* The same of one kind. */
lam_variant_scalar lam_random_scalar_of(lam_random *random, lam_variant_kind kind);

/*
 * Tells a value. `size` bounds the values inside; no name comes twice in an object. Ends the test
 * when a call fails.
 */
void lam_random_variant(lam_random *random, lam_variant_builder *builder, unsigned size);

#endif
