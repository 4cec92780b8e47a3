/* SPDX-License-Identifier: Apache-2.0 */
/* What the key "geo" says about columns of geometries, if an output has some of the columns. */
#ifndef LAM_REWRITE_ROWS_REWRITE_GEO_H
#define LAM_REWRITE_ROWS_REWRITE_GEO_H

#include "base/arena.h"
#include "schema/tree.h"

/*
 * Cuts the value of the key, which is about the columns of `from`, to those that are in `file`,
 * too. `*ret_value` lives in `arena`; it has no bytes if none of the columns of geometries is left,
 * or if the value is not as GeoParquet defines it. NOMEM; LIMIT by the arena's budget.
 */
lam_status lam_rewrite_cut_geo(lam_bytes value, const lam_schema *from, const lam_schema *file,
                               lam_arena *arena, lam_bytes *ret_value, lam_error *error);

#endif
