/* SPDX-License-Identifier: Apache-2.0 */
/* Random values that mostly fit the columns of a VARIANT: fields, elements and kinds as they are
 * shredded there, and now and then others. */
#ifndef LAM_TESTS_RANDOM_FITTING_H
#define LAM_TESTS_RANDOM_FITTING_H

#include <lamella/variant.h>

#include "support/random.h"

/*
 * Tells a value for a group of value and typed_value. No name comes twice in an object. Ends the
 * test when a call fails.
 */
void lam_random_fitting(lam_random *random, lam_variant_builder *builder, const lam_field *pair);

#endif
