/* SPDX-License-Identifier: Apache-2.0 */
/* Rewriting chunk by chunk, with the row groups of the inputs. */
#ifndef LAM_REWRITE_ROWS_REWRITE_KEEP_H
#define LAM_REWRITE_ROWS_REWRITE_KEEP_H

#include "rewrite/flow/rewrite_state.h"

/* Writes all row groups of all inputs to one file, in their order. */
lam_status lam_rewrite_keep_groups(lam_rewrite *rewrite, lam_error *error);

#endif
