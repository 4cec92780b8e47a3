/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas from a few bytes, with few names and many types, so that several of them meet. */
#ifndef LAM_FUZZ_ANY_SCHEMA_H
#define LAM_FUZZ_ANY_SCHEMA_H

#include "fuzz/harness.h"

/*
 * A schema from the front of an input: the number of fields (1 byte), and of each its type and its
 * name with the repetition (1 byte each); groups then have fields of their own. To be destroyed.
 */
lam_schema *lam_fuzz_any_schema(lam_fuzz_input *input, const lam_allocator *allocator);

#endif
