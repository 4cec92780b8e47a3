/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives an outcome for each record from the triples of two leaves. The first leaf leads the slot
 * walk: of each slot of the field that both are in, the other has one triple too
 * (dremel/slot_walk.h).
 *
 *     m['x'] = 5        value        key            entry    outcome of the map
 *     {x: 5, y: 7}      r 0, 5       r 0, 'x'       counts   5 = 5: TRUE
 *                       r 1, 7       r 1, 'y'       -        stays
 *     {y: 7}            r 0, 7       r 0, 'y'       -        the key is missing: UNKNOWN
 *     {}                r 0, d       r 0, d         -        UNKNOWN, as a null map is
 *
 * A comparison raises the outcome of the record with each slot; a key collects the outcome of one
 * map first, since a value that is missing differs from one that does not compare.
 * (LogicalTypes.md, "Maps"; lamella/filter.h)
 */
#include "scan/match/filter_peer_walk.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dremel/grammar.h"
#include "dremel/slot_walk.h"
#include "scan/match/filter_level_outcomes.h"

struct lam_peer_walk {
    lam_allocator allocator;
    const lam_filter_test *test;
    lam_slot_walk walk;
    lam_slot_column columns[2]; /* of the test's leaf, which leads, and of the other one */
    lam_slots slots;            /* of the field around both */
    lam_slots map;              /* of a map */
    lam_buffer matches;         /* with a key: whether each value of the leading batch passes */
    uint8_t by_level[LAM_SCHEMA_DEPTH_MAX + 1]; /* outcomes where the leading column has no value */
};

/* What a map has given so far: an outcome, or none yet for the key. */
enum { PEER_NO_ENTRY = -1, PEER_NO_MAP = -2 };

/* Tests all values of a batch, where a key will choose among them. */
static lam_status peer_walk_on_batch(void *state, size_t column, lam_error *error) {
    lam_peer_walk *walk = state;
    const lam_triples *batch = &walk->columns[0].batch;
    if (column != 0 || !lam_filter_needs_values(walk->test) || batch->value_count == 0)
        return LAM_STATUS_OK;
    lam_buffer_clear(&walk->matches);
    LAM_TRY(lam_buffer_reserve(&walk->matches, batch->value_count, error));
    lam_filter_match_values(walk->test, batch->values, batch->value_count, walk->matches.data);
    return LAM_STATUS_OK;
}

lam_status lam_peer_walk_create(const lam_filter_test *test, const lam_allocator *allocator,
                                lam_peer_walk **ret_walk, lam_error *error) {
    lam_peer_walk *walk;
    LAM_TRY(LAM_NEW(allocator, &walk, error));
    walk->allocator = *allocator;
    walk->test = test;
    /* With a key, the leading column is walked through by all of its triples. */
    lam_slot_column_init(&walk->columns[0], test->leaf, test->leaf);
    lam_slot_column_init(&walk->columns[1], test->peer->other, test->peer->around);
    walk->walk.columns = walk->columns;
    walk->walk.column_count = 2;
    walk->slots = walk->columns[1].slots;
    if (test->peer->is_keyed) {
        walk->map = lam_slots_of(lam_parent_of(test->peer->around));
        walk->walk.on_batch = peer_walk_on_batch;
        walk->walk.state = walk;
    }
    lam_buffer_init(&walk->matches, allocator);
    lam_filter_level_outcomes(test->leaf, walk->by_level);
    *ret_walk = walk;
    return LAM_STATUS_OK;
}

void lam_peer_walk_destroy(lam_peer_walk *walk) {
    if (walk == NULL)
        return;
    lam_allocator allocator = walk->allocator;
    lam_buffer_finish(&walk->matches);
    lam_free(&allocator, walk, sizeof *walk);
}

void lam_peer_walk_set_source(lam_peer_walk *walk, size_t column, lam_triple_source source) {
    walk->columns[column].source = source;
}

/* The current value as PLAIN bytes. */
static lam_bytes peer_column_value(const lam_slot_column *column, const lam_value_order *order,
                                   uint8_t scratch[LAM_VALUE_SCRATCH]) {
    return lam_value_plain(order, column->batch.values, column->next_value - 1, scratch);
}

static void peer_walk_raise(uint8_t *row, uint8_t outcome) {
    *row = *row > outcome ? *row : outcome;
}

/* --- Comparisons --------------------------------------------------------------------------- */

/* Equality is IN; here its one value is the other column's. */
static bool peer_walk_passes(lam_test_kind kind, int order) {
    return kind == LAM_TEST_IN ? order == 0 : lam_test_passes(kind, order);
}

/* One pass per operator over two arrays of numbers. */
#define PEER_MATCH(NAME, TYPE)                                                                     \
    static void NAME(lam_test_kind kind, const TYPE *a, const TYPE *b, size_t count,               \
                     uint8_t *outcomes) {                                                          \
        for (size_t i = 0; i < count; i++) {                                                       \
            bool less = a[i]<b[i], more = a[i]> b[i];                                              \
            bool passes = kind == LAM_TEST_LESS               ? less                               \
                          : kind == LAM_TEST_LESS_OR_EQUAL    ? !more                              \
                          : kind == LAM_TEST_GREATER          ? more                               \
                          : kind == LAM_TEST_GREATER_OR_EQUAL ? !less                              \
                          : kind == LAM_TEST_NOT_EQUAL        ? less || more                       \
                                                              : !less && !more;                           \
            outcomes[i] = passes ? LAM_OUTCOME_TRUE : LAM_OUTCOME_FALSE;                           \
        }                                                                                          \
    }

PEER_MATCH(peer_match_int32, int32_t)
PEER_MATCH(peer_match_int64, int64_t)

/*
 * Compares the values of records that come one by one in both columns, without levels, as far as
 * both have signed numbers of one size.
 */
static lam_status peer_walk_numbers(lam_peer_walk *walk, uint8_t *outcomes, lam_error *error) {
    const lam_slot_column *a = &walk->columns[0], *b = &walk->columns[1];
    lam_comparison comparison = walk->test->order.comparison;
    size_t count;
    LAM_TRY(lam_slot_walk_plain_rows(&walk->walk, &count, error));
    if (count == 0 || walk->test->peer->form != LAM_PEER_ALIKE)
        return LAM_STATUS_OK;
    outcomes += walk->walk.rows;
    if (comparison == LAM_COMPARISON_SIGNED_32)
        peer_match_int32(walk->test->kind, (const int32_t *)a->batch.values + a->next_value,
                         (const int32_t *)b->batch.values + b->next_value, count, outcomes);
    else if (comparison == LAM_COMPARISON_SIGNED_64)
        peer_match_int64(walk->test->kind, (const int64_t *)a->batch.values + a->next_value,
                         (const int64_t *)b->batch.values + b->next_value, count, outcomes);
    else
        return LAM_STATUS_OK;
    lam_slot_walk_pass(&walk->walk, count);
    return LAM_STATUS_OK;
}

/* The outcome of the current slot. */
static uint8_t peer_walk_compare(const lam_peer_walk *walk) {
    const lam_slot_column *a = &walk->columns[0], *b = &walk->columns[1];
    uint8_t scratch_a[LAM_VALUE_SCRATCH], scratch_b[LAM_VALUE_SCRATCH];
    if (!lam_slot_column_has_value(a))
        return walk->by_level[a->definition];
    if (!lam_slot_column_has_value(b))
        return LAM_OUTCOME_UNKNOWN;
    int order = lam_peer_compare(walk->test, peer_column_value(a, &walk->test->order, scratch_a),
                                 peer_column_value(b, &walk->test->peer->other_order, scratch_b));
    return peer_walk_passes(walk->test->kind, order) ? LAM_OUTCOME_TRUE : LAM_OUTCOME_FALSE;
}

/* Whether a batch begins with the next slot: only then may it be one without levels. */
static bool peer_walk_is_at_batch(const lam_peer_walk *walk) {
    return lam_slot_column_is_spent(&walk->columns[0]) ||
           lam_slot_column_is_spent(&walk->columns[1]);
}

static lam_status peer_walk_compare_rows(lam_peer_walk *walk, uint8_t *outcomes, lam_error *error) {
    for (;;) {
        bool any;
        size_t before;
        do { /* batches without levels may follow each other */
            before = walk->walk.rows;
            if (peer_walk_is_at_batch(walk))
                LAM_TRY(peer_walk_numbers(walk, outcomes, error));
        } while (walk->walk.rows > before);
        LAM_TRY(lam_slot_walk_next(&walk->walk, &any, error));
        if (!any)
            return LAM_STATUS_OK;
        peer_walk_raise(&outcomes[walk->walk.rows - 1], peer_walk_compare(walk));
    }
}

/* --- Keys ---------------------------------------------------------------------------------- */

/* Whether the current key is the wanted one. */
static bool peer_walk_is_wanted(const lam_peer_walk *walk) {
    const lam_slot_column *key = &walk->columns[1];
    const lam_value_order *order = &walk->test->peer->other_order;
    uint8_t scratch[LAM_VALUE_SCRATCH];
    return lam_slot_column_has_value(key) &&
           lam_filter_compare(order, peer_column_value(key, order, scratch),
                              walk->test->peer->key) == 0;
}

static bool peer_walk_tests_null(const lam_filter_test *test) {
    return test->kind == LAM_TEST_NULL || test->kind == LAM_TEST_NOT_NULL;
}

/* The outcome of the current value, which is in the wanted entry. */
static uint8_t peer_walk_value(const lam_peer_walk *walk) {
    const lam_slot_column *leading = &walk->columns[0];
    const lam_filter_test *test = walk->test;
    if (peer_walk_tests_null(test)) {
        bool is_slot = lam_slots_has(test->slots, leading->repetition, leading->definition);
        bool is_null = leading->definition < test->slots.present;
        return is_slot && is_null == (test->kind == LAM_TEST_NULL) ? LAM_OUTCOME_TRUE
                                                                   : LAM_OUTCOME_FALSE;
    }
    if (!lam_slot_column_has_value(leading))
        return walk->by_level[leading->definition];
    if (!lam_filter_needs_values(test))
        return LAM_OUTCOME_TRUE; /* ANY: only paths of VARIANTs are UNKNOWN */
    return (uint8_t)(walk->matches.data[leading->next_value - 1] * LAM_OUTCOME_TRUE);
}

/* Raises a record by a map's outcome. A missing key has a null. */
static void peer_walk_end_map(const lam_peer_walk *walk, int outcome, uint8_t *row) {
    if (outcome == PEER_NO_ENTRY)
        outcome = !peer_walk_tests_null(walk->test)   ? LAM_OUTCOME_UNKNOWN
                  : walk->test->kind == LAM_TEST_NULL ? LAM_OUTCOME_TRUE
                                                      : LAM_OUTCOME_FALSE;
    if (outcome != PEER_NO_MAP)
        peer_walk_raise(row, (uint8_t)outcome);
}

/*
 * The first triple's outcome for a map: none yet if the map is present or null; else that of a list
 * around it that is empty or null, which tests for nulls ignore.
 */
static int peer_walk_begin_map(const lam_peer_walk *walk) {
    uint8_t definition = walk->columns[0].definition;
    if (definition >= walk->map.definition)
        return PEER_NO_ENTRY;
    return peer_walk_tests_null(walk->test) ? PEER_NO_MAP : walk->by_level[definition];
}

static lam_status peer_walk_key_rows(lam_peer_walk *walk, uint8_t *outcomes, lam_error *error) {
    const lam_slot_column *leading = &walk->columns[0];
    bool is_wanted = false;
    int outcome = PEER_NO_MAP;
    for (;;) {
        bool any;
        size_t before = walk->walk.rows;
        LAM_TRY(lam_slot_walk_next(&walk->walk, &any, error));
        if (before > 0 && (!any || leading->repetition <= walk->map.repetition))
            peer_walk_end_map(walk, outcome, &outcomes[before - 1]);
        if (!any)
            return LAM_STATUS_OK;
        if (leading->repetition <= walk->map.repetition)
            outcome = peer_walk_begin_map(walk);
        if (leading->repetition <= walk->slots.repetition)
            is_wanted = leading->definition >= walk->slots.definition && peer_walk_is_wanted(walk);
        if (is_wanted) {
            int found = peer_walk_value(walk);
            outcome = outcome > found ? outcome : found;
        }
    }
}

/* ------------------------------------------------------------------------------------------- */

lam_status lam_peer_walk_rows(lam_peer_walk *walk, size_t count, uint8_t *outcomes,
                              size_t *ret_rows, lam_error *error) {
    memset(outcomes, LAM_OUTCOME_FALSE, count);
    lam_slot_walk_start(&walk->walk, count);
    LAM_TRY(walk->test->peer->is_keyed ? peer_walk_key_rows(walk, outcomes, error)
                                       : peer_walk_compare_rows(walk, outcomes, error));
    *ret_rows = walk->walk.rows;
    return LAM_STATUS_OK;
}
