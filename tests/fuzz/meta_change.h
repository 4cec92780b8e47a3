/* SPDX-License-Identifier: Apache-2.0 */
/* Changes one field of a metadata message that is in memory, whichever struct it stands in. */
#ifndef LAM_FUZZ_META_CHANGE_H
#define LAM_FUZZ_META_CHANGE_H

#include "base/arena.h"
#include "meta/tables.h"
#include "support/random.h"

/* `message` and all it points to are changed in place; what must grow comes from `arena`. */
void lam_fuzz_meta_change(const lam_meta_struct *table, void *message, lam_arena *arena,
                          lam_random *random);

#endif
