/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which outcomes a filter can still have over a range of records, concluded from metadata about the
 * values there. The answer is a set of outcomes; it is all of them if no fact is known. Rows are
 * passed over when TRUE is not in the set.
 */
#ifndef LAM_SCAN_MATCH_FILTER_PRUNE_H
#define LAM_SCAN_MATCH_FILTER_PRUNE_H

#include "scan/condition/filter_program.h"

/* A set of outcomes: bit `outcome` is set when some record may have it. */
typedef uint8_t lam_outcome_set;
enum {
    LAM_MAY_BE_FALSE = 1 << LAM_OUTCOME_FALSE,
    LAM_MAY_BE_UNKNOWN = 1 << LAM_OUTCOME_UNKNOWN,
    LAM_MAY_BE_TRUE = 1 << LAM_OUTCOME_TRUE,
    LAM_MAY_BE_ANY = LAM_MAY_BE_FALSE | LAM_MAY_BE_UNKNOWN | LAM_MAY_BE_TRUE
};

/* Claims of the metadata about one leaf in a range of records, after they were found plausible. */
typedef struct lam_filter_facts {
    bool has_bounds; /* no value but a NaN is below `min` or above `max` */
    lam_bytes min;   /* PLAIN bytes that the leaf can have, not NaN */
    lam_bytes max;
    int64_t triple_count; /* values and nulls; -1 when unknown */
    int64_t null_count;   /* triples without a value; -1 when unknown */
    int64_t nan_count;    /* -1 when unknown */
    /* A Bloom filter: false when the value is certainly absent. NULL: no filter. */
    bool (*may_hold)(const void *state, lam_bytes value);
    const void *state;
} lam_filter_facts;

/* True when the range certainly has no value. */
static inline bool lam_filter_facts_all_null(const lam_filter_facts *facts) {
    return facts->triple_count >= 0 && facts->null_count == facts->triple_count;
}

/* Facts that state nothing. */
lam_filter_facts lam_filter_facts_none(void);

/* The outcomes that a test may have for the records of the range; any for one with a peer. */
lam_outcome_set lam_filter_test_outcomes(const lam_filter_test *test,
                                         const lam_filter_facts *facts);

/* The same for a test with a peer, by the facts of its leaf and of the other one. */
lam_outcome_set lam_filter_peer_outcomes(const lam_filter_test *test, const lam_filter_facts *facts,
                                         const lam_filter_facts *other);

/*
 * Gives the values that a test looks for in a leaf, which a Bloom filter may rule out; 0 when it
 * looks for none there.
 */
size_t lam_filter_sought(const lam_filter_test *test, const lam_field *leaf,
                         const lam_bytes **ret_values);

/*
 * Whether Bloom filters say anything about a column, compared in this order: not if equal values
 * have other bytes and so another hash, unless they are among the few that the next one knows.
 */
bool lam_filter_bloom_serves(const lam_value_order *order);

/*
 * Whether a Bloom filter decides if a value of IN may be among those of the range: not if bounds
 * rule it out already, nor for zeros and NaNs, which have several forms of equal rank.
 */
bool lam_filter_bloom_decides(const lam_filter_test *test, const lam_filter_facts *facts,
                              lam_bytes value);

/* NOT of a set: swaps TRUE and FALSE, keeps UNKNOWN. */
lam_outcome_set lam_outcome_set_not(lam_outcome_set set);

/* Runs the program on the sets of all tests; `stack` has room for `depth` sets. */
lam_outcome_set lam_filter_outcomes(const lam_filter *filter, const lam_outcome_set *tests,
                                    lam_outcome_set *stack);

#endif
