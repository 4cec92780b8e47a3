/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the possible outcomes of a filter from the trusted metadata of a row group, or of the pages
 * at one row.
 *
 * The invariant: an outcome is left out only if no values that agree with the metadata have it. A
 * test of a path inside a VARIANT is decided by its typed column only where its residuals are
 * empty; otherwise any outcome is possible.
 */
#include "scan/prune/pruned_group.h"

#include "scan/condition/filter_path.h"
#include "scan/condition/filter_peer.h"

/* A column without a page index has the facts of its chunk for every page. */
lam_filter_facts lam_pruned_facts(const lam_pruned_column *column, bool by_page) {
    return by_page && column->index.has_bounds
               ? lam_trusted_metadata_page_facts(&column->index, column->page)
               : lam_trusted_metadata_facts(&column->index);
}

/*
 * Possible outcomes of one test. A residual with values may hold anything at the path, whatever the
 * typed column has.
 */
static lam_outcome_set row_test_outcomes(const lam_pruned_group *group, size_t number,
                                         bool by_page) {
    const lam_pruned_test *pruning = &group->pruning[number];
    lam_filter_facts facts;
    if (pruning->leaf == NULL)
        return LAM_MAY_BE_ANY;
    for (size_t i = 0; i < pruning->residual_count; i++) {
        facts = lam_pruned_facts(pruning->residuals[i], by_page);
        if (!lam_filter_facts_all_null(&facts))
            return LAM_MAY_BE_ANY;
    }
    facts = lam_pruned_facts(pruning->leaf, by_page);
    if (pruning->other != NULL) {
        lam_filter_facts other = lam_pruned_facts(pruning->other, by_page);
        return lam_filter_peer_outcomes(&group->filter->tests[number], &facts, &other);
    }
    return lam_filter_test_outcomes(&group->filter->tests[number], &facts);
}

lam_outcome_set lam_pruned_outcomes(lam_pruned_group *group, bool by_page) {
    for (size_t i = 0; i < group->filter->test_count; i++)
        group->tests[i] = row_test_outcomes(group, i, by_page);
    return lam_filter_outcomes(group->filter, group->tests, group->stack);
}

uint64_t lam_pruned_next_border(const lam_pruned_group *group) {
    uint64_t border = group->row_count;
    for (size_t i = 0; i < group->column_count; i++) {
        const lam_pruned_column *column = &group->columns[i];
        uint64_t next = lam_trusted_metadata_first_row(&column->index, column->page + 1);
        border = next < border ? next : border;
    }
    return border;
}

void lam_pruned_pass_border(lam_pruned_group *group, uint64_t border) {
    for (size_t i = 0; i < group->column_count; i++) {
        lam_pruned_column *column = &group->columns[i];
        while (column->page < column->index.page_count &&
               lam_trusted_metadata_first_row(&column->index, column->page + 1) <= border)
            column->page++;
    }
}
