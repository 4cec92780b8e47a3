/* Inside of a shredder: what decides where its values go. */
#ifndef LAM_VARIANT_VARIANT_SHRED_H
#define LAM_VARIANT_VARIANT_SHRED_H

#include "variant/variant_schema.h"

const lam_variant_plan *lam_variant_shredder_plan(const lam_variant_shredder *shredder);

#endif
