/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks through the triples of two leaves and gives an outcome for each record. The first leaf
 * leads: of each slot of the field that both are in, the other has one triple too.
 *
 *     m['x'] = 5        value        key            entry    outcome of the map
 *     {x: 5, y: 7}      r 0, 5       r 0, 'x'       counts   5 = 5: TRUE
 *                       r 1, 7       r 1, 'y'       -        stays
 *     {y: 7}            r 0, 7       r 0, 'y'       -        the key is missing: UNKNOWN
 *     {}                r 0, d       r 0, d         -        UNKNOWN, as a null map is
 *
 * A comparison raises the outcome of the record with each slot; a key collects the outcome of one
 * map first, since a value that is missing differs from one that does not compare. Invariant: at
 * each slot both columns stand at triples of that slot, which their levels prove. (LogicalTypes.md,
 * "Maps"; lamella/filter.h)
 */
#include "scan/match/filter_peer_walk.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dremel/grammar.h"
#include "scan/match/filter_level_outcomes.h"
#include "scan/match/walked_column.h"

typedef struct peer_column {
    lam_walked_column at;
    lam_value_order order;
} peer_column;

struct lam_peer_walk {
    lam_allocator allocator;
    const lam_filter_test *test;
    peer_column columns[2]; /* of the test's leaf, which leads, and of the other one */
    lam_slots slots;        /* of the field around both */
    lam_slots map;          /* of a map */
    lam_buffer matches;     /* with a key: whether each value of the leading batch passes */
    uint8_t by_level[LAM_SCHEMA_DEPTH_MAX + 1]; /* outcomes where the leading column has no value */
};

/* What a map has given so far: an outcome, or nothing yet for the key. */
enum { PEER_NO_ENTRY = -1, PEER_NO_MAP = -2 };

lam_status lam_peer_walk_create(const lam_filter_test *test, const lam_allocator *allocator,
                                lam_peer_walk **ret_walk, lam_error *error) {
    void *memory;
    LAM_TRY(lam_alloc_array(allocator, 1, sizeof(lam_peer_walk), &memory, error));
    lam_peer_walk *walk = memory;
    walk->allocator = *allocator;
    walk->test = test;
    walk->columns[0].at.leaf = test->leaf;
    walk->columns[0].order = test->order;
    walk->columns[1].at.leaf = test->peer->other;
    walk->columns[1].order = test->peer->other_order;
    walk->slots = lam_slots_of(test->peer->around);
    if (test->peer->is_keyed)
        walk->map = lam_slots_of(lam_parent_of(test->peer->around));
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
    walk->columns[column].at.source = source;
}

/* --- Columns ------------------------------------------------------------------------------- */

/* Tests all values of a batch, where a key will choose among them. */
static lam_status peer_walk_match(lam_peer_walk *walk, lam_error *error) {
    const lam_triples *batch = &walk->columns[0].at.batch;
    if (!lam_filter_needs_values(walk->test) || batch->value_count == 0)
        return LAM_STATUS_OK;
    lam_buffer_clear(&walk->matches);
    LAM_TRY(lam_buffer_reserve(&walk->matches, batch->value_count, error));
    lam_filter_match_values(walk->test, batch->values, batch->value_count, walk->matches.data);
    return LAM_STATUS_OK;
}

/* Takes the next batch where the last one has ended; its count is 0 at the end. */
static lam_status peer_column_fill(lam_peer_walk *walk, peer_column *column, lam_error *error) {
    if (!lam_walked_column_is_spent(&column->at))
        return LAM_STATUS_OK;
    LAM_TRY(lam_walked_column_read(&column->at, error));
    return column == walk->columns && walk->test->peer->is_keyed ? peer_walk_match(walk, error)
                                                                 : LAM_STATUS_OK;
}

/* Takes the next triple; false at the end. */
static inline lam_status peer_column_take(lam_peer_walk *walk, peer_column *column, bool *ret_any,
                                          lam_error *error) {
    LAM_TRY(peer_column_fill(walk, column, error));
    *ret_any = column->at.batch.count > 0;
    if (*ret_any)
        lam_walked_column_step(&column->at);
    return LAM_STATUS_OK;
}

/* The value at hand as PLAIN bytes. */
static lam_bytes peer_column_value(const peer_column *column, uint8_t scratch[LAM_VALUE_SCRATCH]) {
    return lam_value_plain(&column->order, column->at.batch.values, column->at.next_value - 1,
                           scratch);
}

/* Takes the triple of the other column that belongs to the slot at hand. */
static lam_status peer_walk_follow(lam_peer_walk *walk, lam_error *error) {
    const peer_column *leading = &walk->columns[0];
    peer_column *other = &walk->columns[1];
    bool any;
    LAM_TRY(peer_column_take(walk, other, &any, error));
    if (!any)
        return lam_field_fail(error, LAM_ERROR_CODE_LEVELS_AGREE, other->at.leaf,
                              "the column ends before the others");
    if (other->at.repetition != leading->at.repetition)
        return lam_field_fail(error, LAM_ERROR_CODE_LEVELS_AGREE, other->at.leaf,
                              "repetition level %u where the record needs %u", other->at.repetition,
                              leading->at.repetition);
    if (!lam_slots_agree(walk->slots, other->at.definition, leading->at.definition))
        return lam_field_fail(error, LAM_ERROR_CODE_LEVELS_AGREE, other->at.leaf,
                              "definition level %u contradicts the columns before",
                              other->at.definition);
    return LAM_STATUS_OK;
}

/* The leading column has ended, and so must the other. */
static lam_status peer_walk_check_end(lam_peer_walk *walk, lam_error *error) {
    bool any;
    LAM_TRY(peer_column_take(walk, &walk->columns[1], &any, error));
    if (any)
        return lam_field_fail(error, LAM_ERROR_CODE_LEVELS_AGREE, walk->columns[1].at.leaf,
                              "the column continues after others have ended");
    return LAM_STATUS_OK;
}

/* Takes the next triple of the leading column and counts records. */
static lam_status peer_walk_lead(lam_peer_walk *walk, size_t count, size_t *rows, bool *ret_any,
                                 lam_error *error) {
    const peer_column *leading = &walk->columns[0];
    LAM_TRY(peer_column_take(walk, &walk->columns[0], ret_any, error));
    if (!*ret_any)
        return LAM_STATUS_OK;
    *rows += leading->at.repetition == 0;
    if (*rows == 0)
        return lam_field_fail(error, LAM_ERROR_CODE_LEVELS_AGREE, leading->at.leaf,
                              "repetition level %u where the record needs 0",
                              leading->at.repetition);
    if (*rows > count)
        LAM_FAIL(error, LAM_STATUS_STATE, "a source gives more than %zu records", count);
    return LAM_STATUS_OK;
}

static void peer_walk_raise(uint8_t *row, uint8_t outcome) {
    *row = *row > outcome ? *row : outcome;
}

/* --- Comparisons --------------------------------------------------------------------------- */

/* Equality is IN, whose one value is here that of the other column. */
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
 * Compares as many values as both batches have, where neither has levels and both have signed
 * numbers of one size; gives 0 where they have others.
 */
static size_t peer_walk_numbers(lam_peer_walk *walk, size_t most, uint8_t *outcomes) {
    peer_column *a = &walk->columns[0], *b = &walk->columns[1];
    lam_comparison comparison = walk->test->order.comparison;
    size_t count = a->at.batch.count - a->at.next;
    count = count < b->at.batch.count - b->at.next ? count : b->at.batch.count - b->at.next;
    count = count < most ? count : most;
    if (count == 0 || walk->test->peer->form != LAM_PEER_ALIKE || a->at.batch.definition != NULL ||
        b->at.batch.definition != NULL || a->at.batch.repetition != NULL ||
        b->at.batch.repetition != NULL)
        return 0;
    if (comparison == LAM_COMPARISON_SIGNED_32)
        peer_match_int32(walk->test->kind, (const int32_t *)a->at.batch.values + a->at.next_value,
                         (const int32_t *)b->at.batch.values + b->at.next_value, count, outcomes);
    else if (comparison == LAM_COMPARISON_SIGNED_64)
        peer_match_int64(walk->test->kind, (const int64_t *)a->at.batch.values + a->at.next_value,
                         (const int64_t *)b->at.batch.values + b->at.next_value, count, outcomes);
    else
        return 0;
    a->at.next += count;
    a->at.next_value += count;
    b->at.next += count;
    b->at.next_value += count;
    return count;
}

/* The outcome of the slot at hand. */
static uint8_t peer_walk_compare(const lam_peer_walk *walk) {
    const peer_column *a = &walk->columns[0], *b = &walk->columns[1];
    uint8_t scratch_a[LAM_VALUE_SCRATCH], scratch_b[LAM_VALUE_SCRATCH];
    if (!lam_walked_column_has_value(&a->at))
        return walk->by_level[a->at.definition];
    if (!lam_walked_column_has_value(&b->at))
        return LAM_OUTCOME_UNKNOWN;
    int order = lam_peer_compare(walk->test, peer_column_value(a, scratch_a),
                                 peer_column_value(b, scratch_b));
    return peer_walk_passes(walk->test->kind, order) ? LAM_OUTCOME_TRUE : LAM_OUTCOME_FALSE;
}

static lam_status peer_walk_compare_rows(lam_peer_walk *walk, size_t count, uint8_t *outcomes,
                                         size_t *ret_rows, lam_error *error) {
    size_t rows = 0;
    for (;;) {
        bool any;
        LAM_TRY(peer_column_fill(walk, &walk->columns[0], error));
        LAM_TRY(peer_column_fill(walk, &walk->columns[1], error));
        rows += peer_walk_numbers(walk, count - rows, outcomes + rows);
        LAM_TRY(peer_walk_lead(walk, count, &rows, &any, error));
        if (!any)
            break;
        LAM_TRY(peer_walk_follow(walk, error));
        peer_walk_raise(&outcomes[rows - 1], peer_walk_compare(walk));
    }
    *ret_rows = rows;
    return LAM_STATUS_OK;
}

/* --- Keys ---------------------------------------------------------------------------------- */

/* Whether the key at hand is the wanted one. */
static bool peer_walk_is_wanted(const lam_peer_walk *walk) {
    const peer_column *key = &walk->columns[1];
    uint8_t scratch[LAM_VALUE_SCRATCH];
    return lam_walked_column_has_value(&key->at) &&
           lam_filter_compare(&key->order, peer_column_value(key, scratch),
                              walk->test->peer->key) == 0;
}

static bool peer_walk_tests_null(const lam_filter_test *test) {
    return test->kind == LAM_TEST_NULL || test->kind == LAM_TEST_NOT_NULL;
}

/* The outcome of the value at hand, which is in the wanted entry. */
static uint8_t peer_walk_value(const lam_peer_walk *walk) {
    const peer_column *leading = &walk->columns[0];
    const lam_filter_test *test = walk->test;
    if (peer_walk_tests_null(test)) {
        bool is_slot = lam_slots_has(test->slots, leading->at.repetition, leading->at.definition);
        bool is_null = leading->at.definition < test->slots.present;
        return is_slot && is_null == (test->kind == LAM_TEST_NULL) ? LAM_OUTCOME_TRUE
                                                                   : LAM_OUTCOME_FALSE;
    }
    if (!lam_walked_column_has_value(&leading->at))
        return walk->by_level[leading->at.definition];
    if (!lam_filter_needs_values(test))
        return LAM_OUTCOME_TRUE; /* ANY: only paths of VARIANTs are UNKNOWN */
    return (uint8_t)(walk->matches.data[leading->at.next_value - 1] * LAM_OUTCOME_TRUE);
}

/* Raises a record by what a map gave. A key that is missing has a null. */
static void peer_walk_end_map(const lam_peer_walk *walk, int outcome, uint8_t *row) {
    if (outcome == PEER_NO_ENTRY)
        outcome = !peer_walk_tests_null(walk->test)   ? LAM_OUTCOME_UNKNOWN
                  : walk->test->kind == LAM_TEST_NULL ? LAM_OUTCOME_TRUE
                                                      : LAM_OUTCOME_FALSE;
    if (outcome != PEER_NO_MAP)
        peer_walk_raise(row, (uint8_t)outcome);
}

/*
 * What the first triple of a position gives for a map: nothing yet where it is there or null; the
 * outcome of a list around it that is empty or null, which asks for nulls do not count.
 */
static int peer_walk_begin_map(const lam_peer_walk *walk) {
    uint8_t definition = walk->columns[0].at.definition;
    if (definition >= walk->map.definition)
        return PEER_NO_ENTRY;
    return peer_walk_tests_null(walk->test) ? PEER_NO_MAP : walk->by_level[definition];
}

static lam_status peer_walk_key_rows(lam_peer_walk *walk, size_t count, uint8_t *outcomes,
                                     size_t *ret_rows, lam_error *error) {
    const peer_column *leading = &walk->columns[0];
    bool is_wanted = false;
    int outcome = PEER_NO_MAP;
    size_t rows = 0;
    for (;;) {
        bool any;
        size_t before = rows;
        LAM_TRY(peer_walk_lead(walk, count, &rows, &any, error));
        if (before > 0 && (!any || leading->at.repetition <= walk->map.repetition))
            peer_walk_end_map(walk, outcome, &outcomes[before - 1]);
        if (!any)
            break;
        if (leading->at.repetition <= walk->map.repetition)
            outcome = peer_walk_begin_map(walk);
        if (leading->at.repetition <= walk->slots.repetition) {
            LAM_TRY(peer_walk_follow(walk, error));
            is_wanted =
                leading->at.definition >= walk->slots.definition && peer_walk_is_wanted(walk);
        }
        if (is_wanted) {
            int found = peer_walk_value(walk);
            outcome = outcome > found ? outcome : found;
        }
    }
    *ret_rows = rows;
    return LAM_STATUS_OK;
}

/* ------------------------------------------------------------------------------------------- */

lam_status lam_peer_walk_rows(lam_peer_walk *walk, size_t count, uint8_t *outcomes,
                              size_t *ret_rows, lam_error *error) {
    memset(outcomes, LAM_OUTCOME_FALSE, count);
    for (size_t i = 0; i < 2; i++) {
        walk->columns[i].at.batch.count = 0;
        walk->columns[i].at.next = 0;
    }
    if (walk->test->peer->is_keyed)
        LAM_TRY(peer_walk_key_rows(walk, count, outcomes, ret_rows, error));
    else
        LAM_TRY(peer_walk_compare_rows(walk, count, outcomes, ret_rows, error));
    return peer_walk_check_end(walk, error);
}
