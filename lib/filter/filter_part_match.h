/*
 * Follows records for conditions on parts of VARIANTs: a sink of their events that gives the
 * outcome of each record.
 */
#ifndef LAM_FILTER_FILTER_PART_MATCH_H
#define LAM_FILTER_FILTER_PART_MATCH_H

#include "filter/filter_part.h"

typedef struct lam_part_matcher lam_part_matcher;

/*
 * For those tests of a filter that are marked, all of which have parts; one bool for each. The
 * filter and the marks are borrowed until destroy. NOMEM.
 */
lam_status lam_part_matcher_create(const lam_filter *filter, const bool *tests,
                                   const lam_allocator *allocator, lam_part_matcher **ret_matcher,
                                   lam_error *error);
void lam_part_matcher_destroy(lam_part_matcher *matcher);

/* The columns whose events are wanted: one bool for each leaf of the schema. */
const bool *lam_part_matcher_leaves(const lam_part_matcher *matcher);

/* The records that follow have their outcomes at `outcomes[test][0]` and on. */
void lam_part_matcher_begin(lam_part_matcher *matcher, uint8_t *const *outcomes);

/* The verbs, valid until destroy. CORRUPT, with the path, for bytes that are no VARIANT. */
lam_record_sink lam_part_matcher_sink(lam_part_matcher *matcher);

#endif
