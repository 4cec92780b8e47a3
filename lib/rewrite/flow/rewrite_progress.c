/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells the caller of a rewrite how many rows are done.
 *
 * Workers call this with rows as they count them, in any order; the reported number only rises, and
 * without a callback rows are not counted.
 */
#include "rewrite/flow/rewrite_state.h"

void lam_rewrite_report_rows(lam_rewrite *rewrite, uint64_t rows) {
    if (rewrite->progress == NULL || rows <= rewrite->done.rows_done)
        return;
    rewrite->done.rows_done = rows;
    rewrite->progress(rewrite->progress_state, &rewrite->done);
}
