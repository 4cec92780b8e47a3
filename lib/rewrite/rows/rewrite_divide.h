/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of rows: by partition, and one after the other if files are bounded. */
#ifndef LAM_REWRITE_ROWS_REWRITE_DIVIDE_H
#define LAM_REWRITE_ROWS_REWRITE_DIVIDE_H

#include "rewrite/flow/rewrite_flow.h"

typedef struct lam_row_divider lam_row_divider;

/* Opens nothing yet. The rewrite is borrowed until destroy. */
lam_status lam_row_divider_create(lam_rewrite *rewrite, lam_row_divider **ret_divider,
                                  lam_error *error);
/* Without a finish before, the files that are open are abandoned. NULL is allowed. */
void lam_row_divider_destroy(lam_row_divider *divider);

/* Takes rows for the outputs. */
lam_row_sink lam_row_divider_sink(lam_row_divider *divider);
/* Finishes all files; without rows and partitions, writes one that has none. */
lam_status lam_row_divider_finish(lam_row_divider *divider, lam_error *error);

#endif
