/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates a filter on values, in three steps that the caller drives. Takes values (1) and levels
 * (2) of one leaf, in batches; gives an outcome per record.
 *
 *     1  values of a leaf      -> 1 or 0 for each                lam_filter_match_values
 *     2  levels and those      -> an outcome for each record     lam_filter_match_rows
 *     3  outcomes of all tests -> the outcome of the filter      lam_filter_run
 *
 * A dictionary gives its entries to step 1 instead of its values. The invariant: outcomes are
 * ordered false < unknown < true, so that "any of the values of a record" and OR are the maximum,
 * and AND is the minimum. Step 2 relies on outcomes that start as FALSE, which is 0.
 */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/search.h"
#include "scan/condition/filter_pattern.h"
#include "scan/condition/filter_program.h"
#include "scan/match/filter_level_outcomes.h"

/*
 * A total order on all values, NaNs included, so that lists of values can be sorted and searched.
 * Types without an order compare by size, then bytes: only equality is meaningful then. -0 equals
 * +0, as the order of a filter is the type order.
 */
int lam_filter_compare(const lam_value_order *order, lam_bytes a, lam_bytes b) {
    bool a_is_nan = lam_value_is_nan(order, a), b_is_nan = lam_value_is_nan(order, b);
    if (a_is_nan || b_is_nan)
        return (int)a_is_nan - (int)b_is_nan;
    if (order->comparison != LAM_COMPARISON_UNDEFINED)
        return lam_value_compare(order, a, b);
    if (a.size != b.size)
        return a.size < b.size ? -1 : 1;
    return a.size > 0 ? memcmp(a.data, b.data, a.size) : 0;
}

/* --- Values -------------------------------------------------------------------------------- */

static bool passes_between(const lam_filter_test *test, lam_bytes value) {
    int low = lam_filter_compare(&test->order, value, test->values[0]);
    return (low > 0 || (low == 0 && !test->excludes_low)) &&
           lam_filter_compare(&test->order, value, test->values[1]) <= 0;
}

/*
 * Tests one value given as PLAIN bytes. IN searches the sorted list by halves; comparisons have one
 * value.
 */
static bool passes(const lam_filter_test *test, lam_bytes value) {
    if (test->kind == LAM_TEST_LIKE)
        return lam_pattern_matches(test->pattern, value);
    if (test->kind == LAM_TEST_BETWEEN)
        return passes_between(test, value);
    if (test->kind == LAM_TEST_IN) {
        size_t at;
        LAM_BISECT_EQUAL(at, 0, test->value_count,
                         lam_filter_compare(&test->order, test->values[at], value));
        return at < test->value_count;
    }
    return lam_test_passes(test->kind, lam_filter_compare(&test->order, value, test->values[0]));
}

/* Any number of values of any type, one at a time. */
static void match_any(const lam_filter_test *test, const void *values, size_t count,
                      uint8_t *matches) {
    uint8_t scratch[LAM_VALUE_SCRATCH];
    for (size_t i = 0; i < count; i++)
        matches[i] = passes(test, lam_value_plain(&test->order, values, i, scratch));
}

/*
 * One pass per operator over numbers, which compilers turn into vector code. C compares NaNs as
 * neither less nor equal nor greater, a filter as greater than all: hence GREATER is written as
 * "not less or equal". `bound` is not a NaN, and the default is IN with one value, which is
 * equality.
 */
#define MATCH_NUMBERS(NAME, TYPE)                                                                  \
    static void NAME(lam_test_kind kind, const TYPE *values, size_t count, TYPE bound,             \
                     uint8_t *matches) {                                                           \
        switch (kind) {                                                                            \
        case LAM_TEST_LESS:                                                                        \
            for (size_t i = 0; i < count; i++)                                                     \
                matches[i] = values[i] < bound;                                                    \
            break;                                                                                 \
        case LAM_TEST_LESS_OR_EQUAL:                                                               \
            for (size_t i = 0; i < count; i++)                                                     \
                matches[i] = values[i] <= bound;                                                   \
            break;                                                                                 \
        case LAM_TEST_GREATER:                                                                     \
            for (size_t i = 0; i < count; i++)                                                     \
                matches[i] = !(values[i] <= bound);                                                \
            break;                                                                                 \
        case LAM_TEST_GREATER_OR_EQUAL:                                                            \
            for (size_t i = 0; i < count; i++)                                                     \
                matches[i] = !(values[i] < bound);                                                 \
            break;                                                                                 \
        case LAM_TEST_NOT_EQUAL:                                                                   \
            for (size_t i = 0; i < count; i++)                                                     \
                matches[i] = values[i] != bound;                                                   \
            break;                                                                                 \
        default:                                                                                   \
            for (size_t i = 0; i < count; i++)                                                     \
                matches[i] = values[i] == bound;                                                   \
            break;                                                                                 \
        }                                                                                          \
    }

/* The same for two bounds, neither of them a NaN: a NaN is above both. */
#define MATCH_RANGE(NAME, TYPE)                                                                    \
    static void NAME(bool excludes_low, const TYPE *values, size_t count, TYPE low, TYPE high,     \
                     uint8_t *matches) {                                                           \
        if (excludes_low)                                                                          \
            for (size_t i = 0; i < count; i++)                                                     \
                matches[i] = (values[i] > low) & (values[i] <= high);                              \
        else                                                                                       \
            for (size_t i = 0; i < count; i++)                                                     \
                matches[i] = (values[i] >= low) & (values[i] <= high);                             \
    }

MATCH_NUMBERS(match_int32, int32_t)
MATCH_NUMBERS(match_int64, int64_t)
MATCH_NUMBERS(match_uint32, uint32_t)
MATCH_NUMBERS(match_uint64, uint64_t)
MATCH_NUMBERS(match_float, float)
MATCH_NUMBERS(match_double, double)
MATCH_RANGE(match_int32_range, int32_t)
MATCH_RANGE(match_int64_range, int64_t)
MATCH_RANGE(match_uint32_range, uint32_t)
MATCH_RANGE(match_uint64_range, uint64_t)
MATCH_RANGE(match_float_range, float)
MATCH_RANGE(match_double_range, double)

/* The number that four PLAIN bytes hold; double_of does the same for eight. */
static float float_of(lam_bytes plain) {
    float number;
    uint32_t bits = lam_load_le32(plain.data);
    memcpy(&number, &bits, sizeof number);
    return number;
}

static double double_of(lam_bytes plain) {
    double number;
    uint64_t bits = lam_load_le64(plain.data);
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Takes the fast passes for numbers; false for values of other types. */
static bool match_between(const lam_filter_test *test, const void *values, size_t count,
                          uint8_t *matches) {
    lam_bytes low = test->values[0], high = test->values[1];
    bool open = test->excludes_low;
    switch (test->order.comparison) {
    case LAM_COMPARISON_SIGNED_32:
        match_int32_range(open, values, count, (int32_t)lam_load_le32(low.data),
                          (int32_t)lam_load_le32(high.data), matches);
        break;
    case LAM_COMPARISON_SIGNED_64:
        match_int64_range(open, values, count, (int64_t)lam_load_le64(low.data),
                          (int64_t)lam_load_le64(high.data), matches);
        break;
    case LAM_COMPARISON_UNSIGNED_32:
        match_uint32_range(open, values, count, lam_load_le32(low.data), lam_load_le32(high.data),
                           matches);
        break;
    case LAM_COMPARISON_UNSIGNED_64:
        match_uint64_range(open, values, count, lam_load_le64(low.data), lam_load_le64(high.data),
                           matches);
        break;
    case LAM_COMPARISON_FLOAT:
        match_float_range(open, values, count, float_of(low), float_of(high), matches);
        break;
    case LAM_COMPARISON_DOUBLE:
        match_double_range(open, values, count, double_of(low), double_of(high), matches);
        break;
    default:
        return false;
    }
    return true;
}

/*
 * Takes the fast passes for a single number that is not a NaN; anything else goes value by value.
 * `values` are native numbers, `bound` is little endian.
 */
void lam_filter_match_values(const lam_filter_test *test, const void *values, size_t count,
                             uint8_t *matches) {
    if (count == 0)
        return;
    if (test->kind == LAM_TEST_BETWEEN && !lam_value_is_nan(&test->order, test->values[0]) &&
        !lam_value_is_nan(&test->order, test->values[1]) &&
        match_between(test, values, count, matches))
        return;
    if (test->value_count != 1 || test->kind == LAM_TEST_LIKE ||
        lam_value_is_nan(&test->order, test->values[0])) {
        match_any(test, values, count, matches);
        return;
    }
    lam_bytes bound = test->values[0];
    switch (test->order.comparison) {
    case LAM_COMPARISON_SIGNED_32:
        match_int32(test->kind, values, count, (int32_t)lam_load_le32(bound.data), matches);
        break;
    case LAM_COMPARISON_SIGNED_64:
        match_int64(test->kind, values, count, (int64_t)lam_load_le64(bound.data), matches);
        break;
    case LAM_COMPARISON_UNSIGNED_32:
        match_uint32(test->kind, values, count, lam_load_le32(bound.data), matches);
        break;
    case LAM_COMPARISON_UNSIGNED_64:
        match_uint64(test->kind, values, count, lam_load_le64(bound.data), matches);
        break;
    case LAM_COMPARISON_FLOAT:
        match_float(test->kind, values, count, float_of(bound), matches);
        break;
    case LAM_COMPARISON_DOUBLE:
        match_double(test->kind, values, count, double_of(bound), matches);
        break;
    default:
        match_any(test, values, count, matches);
    }
}

/* --- Records ------------------------------------------------------------------------------- */

/*
 * Leaves outside of repeated fields: each triple is a record. The common case, kept free of the
 * branches of the general one.
 */
static void match_flat(const lam_field *leaf, const lam_triples *triples, const uint8_t *matches,
                       lam_filter_rows *rows) {
    uint8_t *outcomes = rows->outcomes + rows->records;
    const uint8_t *definition = triples->definition;
    size_t value = 0;
    rows->records += triples->count;
    if (definition == NULL) {
        for (size_t i = 0; i < triples->count; i++)
            outcomes[i] = (uint8_t)(matches[i] * LAM_OUTCOME_TRUE);
        return;
    }
    for (size_t i = 0; i < triples->count; i++) {
        if (definition[i] == leaf->max_definition)
            outcomes[i] = (uint8_t)(matches[value++] * LAM_OUTCOME_TRUE);
        else
            outcomes[i] = LAM_OUTCOME_UNKNOWN;
    }
}

/* The outcome of every value, for tests that need none. */
static uint8_t outcome_of_all(const lam_filter_test *test) {
    return test->kind == LAM_TEST_ANY ? LAM_OUTCOME_TRUE : LAM_OUTCOME_UNKNOWN;
}

/*
 * Raises the outcome of a record with each of its triples. A triple with repetition level 0 begins
 * the next record. Without definition levels every triple has a value; `matches` advances by one
 * for each value.
 */
static void match_comparison(const lam_filter_test *test, const lam_triples *triples,
                             const uint8_t *matches, lam_filter_rows *rows) {
    uint8_t levels[LAM_SCHEMA_DEPTH_MAX + 1];
    uint8_t max = test->leaf->max_definition;
    bool needs_values = lam_filter_needs_values(test);
    uint8_t constant = outcome_of_all(test);
    if (test->leaf->max_repetition == 0 && needs_values) {
        match_flat(test->leaf, triples, matches, rows);
        return;
    }
    lam_filter_level_outcomes(test->leaf, levels);
    for (size_t i = 0; i < triples->count; i++) {
        if (triples->repetition == NULL || triples->repetition[i] == 0)
            rows->records++;
        bool has_value = triples->definition == NULL || triples->definition[i] == max;
        uint8_t outcome = !has_value     ? levels[triples->definition[i]]
                          : needs_values ? (uint8_t)(*matches++ * LAM_OUTCOME_TRUE)
                                         : constant;
        uint8_t *row = &rows->outcomes[rows->records - 1];
        *row = *row > outcome ? *row : outcome;
    }
}

/*
 * Decides by levels alone: one slot of the field that matches makes the record TRUE, and no record
 * is UNKNOWN (dremel/slots.h).
 */
static void match_nulls(const lam_filter_test *test, const lam_triples *triples,
                        lam_filter_rows *rows) {
    bool wants_null = test->kind == LAM_TEST_NULL;
    for (size_t i = 0; i < triples->count; i++) {
        uint8_t repetition = triples->repetition == NULL ? 0 : triples->repetition[i];
        uint8_t definition =
            triples->definition == NULL ? test->leaf->max_definition : triples->definition[i];
        rows->records += repetition == 0;
        if (lam_slots_has(test->slots, repetition, definition) &&
            (definition < test->slots.present) == wants_null)
            rows->outcomes[rows->records - 1] = LAM_OUTCOME_TRUE;
    }
}

void lam_filter_match_rows(const lam_filter_test *test, const lam_triples *triples,
                           const uint8_t *matches, lam_filter_rows *rows) {
    if (test->kind == LAM_TEST_NULL || test->kind == LAM_TEST_NOT_NULL)
        match_nulls(test, triples, rows);
    else
        match_comparison(test, triples, matches, rows);
}

/* --- The program --------------------------------------------------------------------------- */

/*
 * Runs column by column: each slot of the stack holds the outcomes of all records, and a step
 * combines two slots. NOT maps true to false and leaves unknown, which is 2 - outcome.
 */
void lam_filter_run(const lam_filter *filter, const uint8_t *const *tests, size_t count,
                    uint8_t *stack) {
    size_t height = 0;
    for (size_t step = 0; step < filter->step_count; step++) {
        lam_step_kind kind = filter->steps[step].kind;
        if (kind == LAM_STEP_TEST) {
            memcpy(stack + height++ * count, tests[filter->steps[step].test], count);
            continue;
        }
        uint8_t *top = stack + (height - 1) * count;
        uint8_t *below = top - (kind == LAM_STEP_NOT ? 0 : count);
        for (size_t i = 0; i < count; i++) {
            if (kind == LAM_STEP_NOT)
                top[i] = (uint8_t)(LAM_OUTCOME_TRUE - top[i]);
            else if (kind == LAM_STEP_AND)
                below[i] = below[i] < top[i] ? below[i] : top[i];
            else
                below[i] = below[i] > top[i] ? below[i] : top[i];
        }
        height -= kind != LAM_STEP_NOT;
    }
}
