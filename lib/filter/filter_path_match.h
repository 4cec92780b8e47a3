/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates conditions on paths of VARIANTs record by record: a sink for the events of records that
 * gives each record's outcome.
 */
#ifndef LAM_FILTER_FILTER_PATH_MATCH_H
#define LAM_FILTER_FILTER_PATH_MATCH_H

#include "filter/filter_path.h"

typedef struct lam_path_matcher lam_path_matcher;

/*
 * Creates a matcher for the tests that are marked, all of which have paths; `tests` has a bool for
 * each test of the filter. The filter and the marks are borrowed until destroy. NOMEM.
 */
lam_status lam_path_matcher_create(const lam_filter *filter, const bool *tests,
                                   const lam_allocator *allocator, lam_path_matcher **ret_matcher,
                                   lam_error *error);
void lam_path_matcher_destroy(lam_path_matcher *matcher);

/* Gives the columns whose events are wanted: one bool for each leaf of the schema. */
const bool *lam_path_matcher_leaves(const lam_path_matcher *matcher);

/* Sets where outcomes go: for the records that follow, to `outcomes[test][0]` and on. */
void lam_path_matcher_begin(lam_path_matcher *matcher, uint8_t *const *outcomes);

/*
 * Gives the verbs, valid until destroy. CORRUPT, with the path, for bytes that are not a VARIANT.
 */
lam_record_sink lam_path_matcher_sink(lam_path_matcher *matcher);

#endif
