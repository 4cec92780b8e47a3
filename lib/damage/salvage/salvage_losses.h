/* SPDX-License-Identifier: Apache-2.0 */
/* All that a column has lost in a row group, page by page and clash by clash, in order of rows. */
#ifndef LAM_DAMAGE_SALVAGE_SALVAGE_LOSSES_H
#define LAM_DAMAGE_SALVAGE_SALVAGE_LOSSES_H

#include "damage/salvage/salvage_state.h"

typedef struct lam_salvage_losses {
    uint32_t leaf;
    const lam_page_loss *pages;
    size_t page_count;
    const lam_salvage_clash *clashes; /* of all columns of the same top-level field */
    size_t clash_count;
} lam_salvage_losses;

void lam_salvage_losses_begin(lam_salvage_losses *losses, const lam_salvage *salvage,
                              size_t row_group, size_t leaf);
/* The next loss; NULL after the last one. Losses may overlap where columns clash. */
const lam_page_loss *lam_salvage_losses_peek(lam_salvage_losses *losses);
void lam_salvage_losses_advance(lam_salvage_losses *losses);
/*
 * Whether a row is lost; rows are requested in order, and losses that end before them are passed.
 */
bool lam_salvage_losses_have(lam_salvage_losses *losses, uint64_t row);

/* Appends the first and the end row of each loss of some leaves of a row group, sorted. NOMEM. */
lam_status lam_salvage_bounds(const lam_salvage *salvage, size_t row_group, uint32_t first_leaf,
                              uint32_t leaf_count, lam_buffer *bounds, lam_error *error);

#endif
