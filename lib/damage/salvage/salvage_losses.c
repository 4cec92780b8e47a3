/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks over what a column has lost: takes the survey of its chunk, and the clashes of its levels
 * with those of other columns, and gives losses by their first rows.
 *
 * The invariant: a requested row is lost if and only if the next loss covers it, as those before it
 * have ended.
 */
#include "damage/salvage/salvage_losses.h"

#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "schema/tree.h"

/* The index of the first clash that does not come before a top-level field of a row group. */
static size_t first_clash(const lam_salvage_clash *clashes, size_t count, size_t row_group,
                          uint32_t top) {
    size_t at;
    LAM_BISECT(at, 0, count,
               clashes[at].row_group < row_group ||
                   (clashes[at].row_group == row_group && clashes[at].top < top));
    return at;
}

void lam_salvage_losses_begin(lam_salvage_losses *losses, const lam_salvage *salvage,
                              size_t row_group, size_t leaf) {
    const lam_page_survey *survey = lam_salvage_survey_of(salvage, row_group, leaf);
    const lam_salvage_clash *clashes = salvage->clashes.items;
    size_t count = salvage->clashes.count;
    *losses = (lam_salvage_losses){.leaf = (uint32_t)leaf};
    if (survey != NULL)
        losses->pages = lam_page_survey_losses(survey, &losses->page_count);
    if (count == 0)
        return;
    uint32_t top = lam_top_of(lam_leaf_at(salvage->reader.schema, leaf))->index;
    size_t begin = first_clash(clashes, count, row_group, top);
    losses->clashes = clashes + begin;
    losses->clash_count = first_clash(clashes, count, row_group, top + 1) - begin;
}

/* Passes clashes of other columns; true if one of this column is next, before the next page. */
static bool clash_is_next(lam_salvage_losses *losses) {
    while (losses->clash_count > 0) {
        const lam_salvage_clash *clash = losses->clashes;
        if (losses->leaf - clash->first_leaf < clash->leaf_count)
            return losses->page_count == 0 || clash->loss.first_row < losses->pages->first_row;
        losses->clashes++;
        losses->clash_count--;
    }
    return false;
}

const lam_page_loss *lam_salvage_losses_peek(lam_salvage_losses *losses) {
    if (clash_is_next(losses))
        return &losses->clashes->loss;
    return losses->page_count > 0 ? losses->pages : NULL;
}

void lam_salvage_losses_advance(lam_salvage_losses *losses) {
    if (clash_is_next(losses)) {
        losses->clashes++;
        losses->clash_count--;
    } else {
        losses->pages++;
        losses->page_count--;
    }
}

bool lam_salvage_losses_have(lam_salvage_losses *losses, uint64_t row) {
    const lam_page_loss *next = lam_salvage_losses_peek(losses);
    while (next != NULL && next->end_row <= row) {
        lam_salvage_losses_advance(losses);
        next = lam_salvage_losses_peek(losses);
    }
    return next != NULL && next->first_row <= row;
}

static int compare_bounds(const void *state, const void *a, const void *b) {
    (void)state;
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

lam_status lam_salvage_bounds(const lam_salvage *salvage, size_t row_group, uint32_t first_leaf,
                              uint32_t leaf_count, lam_buffer *bounds, lam_error *error) {
    const uint64_t ends[2] = {0, lam_reader_rows_of_group(&salvage->reader, row_group)};
    LAM_TRY(lam_buffer_append(bounds, ends, sizeof ends, error));
    for (uint32_t leaf = first_leaf; leaf < first_leaf + leaf_count; leaf++) {
        lam_salvage_losses losses;
        const lam_page_loss *loss;
        lam_salvage_losses_begin(&losses, salvage, row_group, leaf);
        while ((loss = lam_salvage_losses_peek(&losses)) != NULL) {
            const uint64_t range[2] = {loss->first_row, loss->end_row};
            LAM_TRY(lam_buffer_append(bounds, range, sizeof range, error));
            lam_salvage_losses_advance(&losses);
        }
    }
    lam_sort(bounds->data, bounds->size / sizeof ends[0], sizeof ends[0], compare_bounds, NULL);
    return LAM_STATUS_OK;
}
