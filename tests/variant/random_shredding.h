/* SPDX-License-Identifier: Apache-2.0 */
/* Random groups of a VARIANT: what may be shredded in a value of random_variant.h, at any depth. */
#ifndef LAM_TESTS_RANDOM_SHREDDING_H
#define LAM_TESTS_RANDOM_SHREDDING_H

#include <lamella/schema.h>

#include "support/random.h"

/*
 * A schema with an int32 `n` before and behind, and the group `v` between. `values` is the chance
 * in percent that a pair has a value column as well as typed_value.
 */
lam_schema *lam_random_shredding(lam_random *random, unsigned values);
/* The same with `v` inside of up to three groups of any repetition: f.g.h.v. */
lam_schema *lam_random_nested_shredding(lam_random *random, unsigned values);

#endif
