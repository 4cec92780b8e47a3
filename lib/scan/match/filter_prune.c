/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Concludes from bounds, counts and Bloom filters which outcomes are possible. Takes a test and the
 * facts about its leaf, gives a set of outcomes, and joins the sets of several tests as the program
 * says. The invariant: the set may be too large, never too small; an unknown fact only adds
 * outcomes.
 *
 *     facts min 10, max 20, no nulls      x > 20         {FALSE}
 *                                         x > 9          {TRUE}
 *                                         x > 15         {FALSE, TRUE}
 *     the same with null_count 3          x > 20         {FALSE, UNKNOWN}
 *
 * Records are decided together: joining takes every combination of two outcomes, although a and not
 * a never occur in one record. That, too, only enlarges sets.
 */
#include "scan/match/filter_prune.h"

#include <string.h>

#include "scan/condition/filter_pattern.h"
#include "scan/condition/filter_peer.h"

lam_filter_facts lam_filter_facts_none(void) {
    lam_filter_facts facts = {0};
    facts.triple_count = -1;
    facts.null_count = -1;
    facts.nan_count = -1;
    return facts;
}

/* --- One test ------------------------------------------------------------------------------ */

static int filter_prune_compare(const lam_filter_test *test, lam_bytes a, lam_bytes b) {
    return lam_filter_compare(&test->order, a, b);
}

static bool is_nan(const lam_filter_test *test, lam_bytes value) {
    return lam_value_is_nan(&test->order, value);
}

static bool is_out_of_bounds(const lam_filter_test *test, const lam_filter_facts *facts,
                             lam_bytes value) {
    return facts->has_bounds && (filter_prune_compare(test, value, facts->min) < 0 ||
                                 filter_prune_compare(test, value, facts->max) > 0);
}

bool lam_filter_bloom_serves(const lam_value_order *order) {
    return order->has_nans || lam_value_order_has_one_form(order);
}

/* -0 equals +0, but has other bytes; NaNs have many bit patterns: a hash has one. */
bool lam_filter_bloom_decides(const lam_filter_test *test, const lam_filter_facts *facts,
                              lam_bytes value) {
    bool negative; /* ignored */
    return lam_filter_bloom_serves(&test->order) && !is_nan(test, value) &&
           !is_out_of_bounds(test, facts, value) &&
           !lam_value_is_float_zero(&test->order, value, &negative);
}

/*
 * True when a value of the list may be among those of the range: it is between the bounds, and the
 * Bloom filter, if any, has it.
 */
static bool may_be_in(const lam_filter_test *test, const lam_filter_facts *facts,
                      bool may_have_nans) {
    for (size_t i = 0; i < test->value_count; i++) {
        lam_bytes value = test->values[i];
        if (is_nan(test, value)) {
            if (may_have_nans)
                return true;
            continue;
        }
        if (is_out_of_bounds(test, facts, value))
            continue;
        if (facts->may_hold == NULL || !lam_filter_bloom_decides(test, facts, value) ||
            facts->may_hold(facts->state, value))
            return true;
    }
    return false;
}

static lam_outcome_set filter_prune_set(bool may_pass, bool may_fail) {
    return (lam_outcome_set)((may_pass ? LAM_MAY_BE_TRUE : 0) | (may_fail ? LAM_MAY_BE_FALSE : 0));
}

/* Some value may be in the range unless all are below or above; all are if both bounds are. */
static lam_outcome_set outcomes_of_range(const lam_filter_test *test,
                                         const lam_filter_facts *facts) {
    int open = test->excludes_low ? 1 : 0;
    lam_bytes low = test->values[0], high = test->values[1];
    return filter_prune_set(filter_prune_compare(test, facts->max, low) >= open &&
                                filter_prune_compare(test, facts->min, high) <= 0,
                            filter_prune_compare(test, facts->min, low) < open ||
                                filter_prune_compare(test, facts->max, high) > 0);
}

/* Compares as much of a bound as the prefix has; 0 if the bound begins with the prefix. */
static int filter_prune_prefix(lam_bytes bound, lam_bytes prefix) {
    size_t common = bound.size < prefix.size ? bound.size : prefix.size;
    int order = common == 0 ? 0 : memcmp(bound.data, prefix.data, common);
    return order != 0 ? order : -(bound.size < prefix.size);
}

/*
 * Texts with a prefix are neighbours in the order of bytes: none is present if the maximum comes
 * before the prefix, or the minimum after all texts that have it. Only a pattern that is just the
 * prefix is decided if both bounds have it.
 */
static lam_outcome_set outcomes_of_prefix(const lam_filter_test *test,
                                          const lam_filter_facts *facts) {
    if (test->value_count == 0)
        return LAM_MAY_BE_TRUE | LAM_MAY_BE_FALSE;
    int min = filter_prune_prefix(facts->min, test->values[0]);
    int max = filter_prune_prefix(facts->max, test->values[0]);
    return filter_prune_set(min <= 0 && max >= 0,
                            !test->pattern->is_prefix || min != 0 || max != 0);
}

/*
 * Compares both bounds with the value of a comparison: some value between them may pass if the best
 * of them would, and may fail if the worst would. Bounds that were cut may not occur themselves,
 * but are still below and above all values.
 */
static lam_outcome_set outcomes_of_bounds(const lam_filter_test *test,
                                          const lam_filter_facts *facts) {
    if (test->kind == LAM_TEST_LIKE)
        return outcomes_of_prefix(test, facts);
    if (test->kind == LAM_TEST_BETWEEN)
        return outcomes_of_range(test, facts);
    lam_bytes value = test->values[0];
    int min = filter_prune_compare(test, facts->min, value),
        max = filter_prune_compare(test, facts->max, value);
    bool may_pass, may_fail;
    switch (test->kind) {
    case LAM_TEST_LESS:
        may_pass = min < 0;
        may_fail = max >= 0;
        break;
    case LAM_TEST_LESS_OR_EQUAL:
        may_pass = min <= 0;
        may_fail = max > 0;
        break;
    case LAM_TEST_GREATER:
        may_pass = max > 0;
        may_fail = min <= 0;
        break;
    case LAM_TEST_GREATER_OR_EQUAL:
        may_pass = max >= 0;
        may_fail = min < 0;
        break;
    default: /* NOT_EQUAL */
        may_pass = min != 0 || max != 0;
        may_fail = min <= 0 && max >= 0;
        break;
    }
    return filter_prune_set(may_pass, may_fail);
}

/*
 * The outcome for a NaN, which bounds leave out: it is greater than any number and equals a NaN. Of
 * a range the upper end decides, as a NaN is not below the lower one; an open range never begins
 * with a NaN, which would be empty.
 */
static lam_outcome_set outcomes_of_nan(const lam_filter_test *test) {
    bool same = is_nan(test, test->values[test->value_count - 1]);
    if (test->kind == LAM_TEST_BETWEEN)
        return same ? LAM_MAY_BE_TRUE : LAM_MAY_BE_FALSE;
    bool passes = test->kind == LAM_TEST_GREATER_OR_EQUAL ||
                  (test->kind == LAM_TEST_LESS_OR_EQUAL && same) ||
                  ((test->kind == LAM_TEST_GREATER || test->kind == LAM_TEST_NOT_EQUAL) && !same);
    return passes ? LAM_MAY_BE_TRUE : LAM_MAY_BE_FALSE;
}

/*
 * The outcomes of the values of the range, nulls apart. NaNs are possible unless counted as none.
 */
static lam_outcome_set outcomes_of_values(const lam_filter_test *test,
                                          const lam_filter_facts *facts) {
    bool may_have_nans = test->order.has_nans && facts->nan_count != 0;
    lam_outcome_set set = LAM_MAY_BE_TRUE | LAM_MAY_BE_FALSE;
    if (!lam_filter_needs_values(test))
        return test->kind == LAM_TEST_ANY ? LAM_MAY_BE_TRUE : LAM_MAY_BE_UNKNOWN;
    if (test->kind == LAM_TEST_IN)
        return may_be_in(test, facts, may_have_nans) ? set : LAM_MAY_BE_FALSE;
    if (facts->has_bounds) {
        set = outcomes_of_bounds(test, facts);
        if (may_have_nans)
            set |= outcomes_of_nan(test);
    }
    return set;
}

/*
 * Adds nulls to the outcomes of values. A repeated leaf may be without values in a record, which
 * makes FALSE possible whatever its values.
 */
static lam_outcome_set outcomes_of_comparison(const lam_filter_test *test,
                                              const lam_filter_facts *facts) {
    lam_outcome_set set = 0;
    if (facts->null_count != 0)
        set |= LAM_MAY_BE_UNKNOWN;
    if (test->leaf->max_repetition > 0)
        set |= LAM_MAY_BE_FALSE; /* an empty list */
    if (!lam_filter_facts_all_null(facts))
        set |= outcomes_of_values(test, facts);
    return set;
}

/*
 * Decides IS NULL and IS NOT NULL. The null count is that of a leaf: without nulls there, no group
 * around it is null either; but if all are null, a group around it, or a list, may still be
 * present.
 */
static lam_outcome_set outcomes_of_nulls(const lam_filter_test *test,
                                         const lam_filter_facts *facts) {
    bool of_leaf =
        test->slots.present == test->leaf->max_definition && test->leaf->max_repetition == 0;
    bool may_be_null = facts->null_count != 0;
    bool may_be_there = !(lam_filter_facts_all_null(facts) && of_leaf);
    if (test->leaf->max_repetition > 0) /* FALSE for a record without a slot for the field */
        return (
            lam_outcome_set)(LAM_MAY_BE_FALSE |
                             (test->kind == LAM_TEST_NULL && !may_be_null ? 0 : LAM_MAY_BE_TRUE));
    bool is_null = test->kind == LAM_TEST_NULL;
    lam_outcome_set set = 0;
    if (may_be_null)
        set |= is_null ? LAM_MAY_BE_TRUE : LAM_MAY_BE_FALSE;
    if (may_be_there)
        set |= is_null ? LAM_MAY_BE_FALSE : LAM_MAY_BE_TRUE;
    return set;
}

/* --- Two leaves ---------------------------------------------------------------------------- */

/* Whether values of a leaf have bounds, and none of them is a NaN, which bounds leave out. */
static bool filter_prune_is_bounded(const lam_value_order *order, const lam_filter_facts *facts) {
    return facts->has_bounds && (!order->has_nans || facts->nan_count == 0);
}

/*
 * Compares the bounds of two leaves crosswise: `low` is the least of the first against the greatest
 * of the other, `high` the reverse.
 */
static lam_outcome_set outcomes_of_leaves(const lam_filter_test *test,
                                          const lam_filter_facts *facts,
                                          const lam_filter_facts *other) {
    if (!filter_prune_is_bounded(&test->order, facts) ||
        !filter_prune_is_bounded(&test->peer->other_order, other))
        return LAM_MAY_BE_TRUE | LAM_MAY_BE_FALSE;
    int low = lam_peer_compare(test, facts->min, other->max);
    int high = lam_peer_compare(test, facts->max, other->min);
    switch (test->kind) {
    case LAM_TEST_LESS:
        return filter_prune_set(low < 0, high >= 0);
    case LAM_TEST_LESS_OR_EQUAL:
        return filter_prune_set(low <= 0, high > 0);
    case LAM_TEST_GREATER:
        return filter_prune_set(high > 0, low <= 0);
    case LAM_TEST_GREATER_OR_EQUAL:
        return filter_prune_set(high >= 0, low < 0);
    case LAM_TEST_NOT_EQUAL:
        return filter_prune_set(low != 0 || high != 0, low <= 0 && high >= 0);
    default: /* IN is equality */
        return filter_prune_set(low <= 0 && high >= 0, low != 0 || high != 0);
    }
}

/* Without the key the value is missing, which is null; a list around the map may be empty. */
static lam_outcome_set outcomes_of_keyed(const lam_filter_test *test, const lam_filter_facts *facts,
                                         const lam_filter_facts *keys) {
    const lam_filter_test sought = {.kind = LAM_TEST_IN,
                                    .leaf = test->peer->other,
                                    .order = test->peer->other_order,
                                    .values = &test->peer->key,
                                    .value_count = 1};
    bool may_have_key = !lam_filter_facts_all_null(keys) &&
                        may_be_in(&sought, keys, sought.order.has_nans && keys->nan_count != 0);
    bool tests_null = test->kind == LAM_TEST_NULL || test->kind == LAM_TEST_NOT_NULL;
    if (tests_null && (may_have_key || test->kind == LAM_TEST_NULL))
        return LAM_MAY_BE_TRUE | LAM_MAY_BE_FALSE;
    if (tests_null)
        return LAM_MAY_BE_FALSE;
    lam_outcome_set set = LAM_MAY_BE_UNKNOWN | LAM_MAY_BE_FALSE;
    return (lam_outcome_set)(may_have_key ? set | outcomes_of_comparison(test, facts) : set);
}

lam_outcome_set lam_filter_peer_outcomes(const lam_filter_test *test, const lam_filter_facts *facts,
                                         const lam_filter_facts *other) {
    lam_outcome_set set = 0;
    if (test->peer->is_keyed)
        return outcomes_of_keyed(test, facts, other);
    if (facts->null_count != 0 || other->null_count != 0)
        set |= LAM_MAY_BE_UNKNOWN;
    if (test->leaf->max_repetition > 0)
        set |= LAM_MAY_BE_FALSE; /* an empty list */
    if (!lam_filter_facts_all_null(facts) && !lam_filter_facts_all_null(other))
        set |= outcomes_of_leaves(test, facts, other);
    return set;
}

size_t lam_filter_sought(const lam_filter_test *test, const lam_field *leaf,
                         const lam_bytes **ret_values) {
    bool is_key = test->peer != NULL && test->peer->is_keyed && test->peer->other == leaf;
    if (is_key) {
        *ret_values = &test->peer->key;
        return 1;
    }
    *ret_values = test->values;
    return test->kind == LAM_TEST_IN && test->leaf == leaf ? test->value_count : 0;
}

/* Levels decide on nulls, values on all else. */
lam_outcome_set lam_filter_test_outcomes(const lam_filter_test *test,
                                         const lam_filter_facts *facts) {
    if (test->peer != NULL)
        return LAM_MAY_BE_ANY;
    if (test->kind == LAM_TEST_NULL || test->kind == LAM_TEST_NOT_NULL)
        return outcomes_of_nulls(test, facts);
    return outcomes_of_comparison(test, facts);
}

/* --- The program --------------------------------------------------------------------------- */

lam_outcome_set lam_outcome_set_not(lam_outcome_set set) {
    return (lam_outcome_set)((set & LAM_MAY_BE_UNKNOWN) |
                             ((set & LAM_MAY_BE_TRUE) != 0 ? LAM_MAY_BE_FALSE : 0) |
                             ((set & LAM_MAY_BE_FALSE) != 0 ? LAM_MAY_BE_TRUE : 0));
}

/* Joins two sets: every outcome that one of each makes, the smaller for AND, the larger for OR. */
static lam_outcome_set filter_prune_join(lam_outcome_set a, lam_outcome_set b, bool is_and) {
    lam_outcome_set set = 0;
    for (unsigned x = 0; x <= LAM_OUTCOME_TRUE; x++)
        for (unsigned y = 0; y <= LAM_OUTCOME_TRUE; y++)
            if ((a >> x & 1) != 0 && (b >> y & 1) != 0)
                set |= (lam_outcome_set)(1u << ((x < y) == is_and ? x : y));
    return set;
}

lam_outcome_set lam_filter_outcomes(const lam_filter *filter, const lam_outcome_set *tests,
                                    lam_outcome_set *stack) {
    size_t height = 0;
    for (size_t i = 0; i < filter->step_count; i++) {
        const lam_filter_step *step = &filter->steps[i];
        if (step->kind == LAM_STEP_TEST) {
            stack[height++] = tests[step->test];
        } else if (step->kind == LAM_STEP_NOT) {
            stack[height - 1] = lam_outcome_set_not(stack[height - 1]);
        } else {
            height--;
            stack[height - 1] =
                filter_prune_join(stack[height - 1], stack[height], step->kind == LAM_STEP_AND);
        }
    }
    return stack[0];
}
