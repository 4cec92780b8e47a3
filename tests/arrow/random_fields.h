/* SPDX-License-Identifier: Apache-2.0 */
/* Random trees of Arrow fields of every kind, and whether two are the same. */
#ifndef LAM_TESTS_RANDOM_FIELDS_H
#define LAM_TESTS_RANDOM_FIELDS_H

#include "arrow/field/arrow_field.h"
#include "support/random.h"

/* A field with at most `depth` levels below it, in `arena`. */
lam_arrow_field lam_random_field(lam_random *random, lam_arena *arena, unsigned depth);

/* A struct without a name, never null, with up to 6 random fields: the root of a schema. */
lam_arrow_field lam_random_schema(lam_random *random, lam_arena *arena, unsigned depth);

/* NULL when the fields are the same in everything, else what differs first; static. */
const char *lam_fields_differ(const lam_arrow_field *a, const lam_arrow_field *b);

#endif
