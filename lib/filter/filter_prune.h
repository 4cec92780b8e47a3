/*
 * What a filter can still be over a range of records, judged by what metadata says of the values
 * there. The answer is a set of outcomes; without a word from the metadata all are in it.
 */
#ifndef LAM_FILTER_FILTER_PRUNE_H
#define LAM_FILTER_FILTER_PRUNE_H

#include "filter/filter_program.h"

/* Sets of outcomes: bit `outcome` is set when some record may have it. */
typedef uint8_t lam_outcome_set;
enum {
    LAM_MAY_BE_FALSE = 1 << LAM_OUTCOME_FALSE,
    LAM_MAY_BE_UNKNOWN = 1 << LAM_OUTCOME_UNKNOWN,
    LAM_MAY_BE_TRUE = 1 << LAM_OUTCOME_TRUE,
    LAM_MAY_BE_ANY = LAM_MAY_BE_FALSE | LAM_MAY_BE_UNKNOWN | LAM_MAY_BE_TRUE
};

/* What is known of one leaf in a range of records. */
typedef struct lam_filter_facts {
    bool has_bounds; /* no value but a NaN is below `min` or above `max` */
    lam_bytes min;   /* PLAIN bytes that fit the leaf, not NaN */
    lam_bytes max;
    int64_t triple_count; /* values and nulls; -1 when not known */
    int64_t null_count;   /* triples without a value; -1 when not known */
    int64_t nan_count;    /* -1 when not known */
    /* False when the value is surely not there. NULL: nothing to ask. */
    bool (*may_hold)(const void *state, lam_bytes value);
    const void *state;
} lam_filter_facts;

/* Whether there is no value. */
static inline bool lam_filter_facts_all_null(const lam_filter_facts *facts) {
    return facts->triple_count >= 0 && facts->null_count == facts->triple_count;
}

/* Facts that say nothing. */
lam_filter_facts lam_filter_facts_none(void);

lam_outcome_set lam_filter_judge_test(const lam_filter_test *test, const lam_filter_facts *facts);

/* Joins the sets of all tests; `stack` has room for `depth` sets. */
lam_outcome_set lam_filter_judge(const lam_filter *filter, const lam_outcome_set *tests,
                                 lam_outcome_set *stack);

#endif
