/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside a shredder: gives callers within the library the plan that decides where values go, so
 * that they need not make it twice.
 */
#ifndef LAM_VARIANT_SHRED_VARIANT_SHRED_H
#define LAM_VARIANT_SHRED_VARIANT_SHRED_H

#include "variant/shred/variant_schema.h"

/* Borrowed until the shredder is destroyed. */
const lam_variant_plan *lam_variant_shredder_plan(const lam_variant_shredder *shredder);

#endif
