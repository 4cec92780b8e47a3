/* SPDX-License-Identifier: Apache-2.0 */
/* What facts about a column rule out. No outcome that a record has is ever ruled out. */
#include <criterion/criterion.h>
#include <lamella/filter.h>
#include <lamella/filter_text.h>
#include <lamella/record.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "scan/condition/filter_peer.h"
#include "scan/match/filter_prune.h"
#include "scan/random_filter.h"
#include "support/test_file.h"

typedef struct column_facts {
    lam_filter_facts facts;
    uint8_t min[8];
    uint8_t max[8];
    const lam_triples *column;
    const lam_field *leaf;
} column_facts;

/* A Bloom filter that is always right. */
static bool is_there(const void *state, lam_bytes value) {
    const column_facts *it = state;
    lam_value_order order = lam_value_order_of(it->leaf, 1);
    uint8_t scratch[LAM_VALUE_SCRATCH];
    for (size_t i = 0; i < it->column->value_count; i++)
        if (lam_filter_compare(&order, lam_value_plain(&order, it->column->values, i, scratch),
                               value) == 0)
            return true;
    return false;
}

/* True facts about a column, some of them left out. */
static void find_facts(column_facts *it, const random_table *table, size_t leaf,
                       lam_random *random) {
    memset(it, 0, sizeof *it);
    it->facts = lam_filter_facts_none();
    it->column = &table->columns[leaf];
    it->leaf = lam_schema_leaf(table->schema, leaf);
    lam_value_order order = lam_value_order_of(it->leaf, 1);
    if (lam_random_chance(random, 70)) {
        it->facts.triple_count = (int64_t)it->column->count;
        it->facts.null_count = (int64_t)(it->column->count - it->column->value_count);
    }
    if (lam_random_chance(random, 30)) {
        it->facts.may_hold = is_there;
        it->facts.state = it;
    }
    if (it->column->value_count == 0)
        return;
    lam_value_extremes found =
        lam_value_scan(lam_kernels_get(), &order, it->column->values, it->column->value_count);
    if (lam_random_chance(random, 70))
        it->facts.nan_count = (int64_t)found.nan_count;
    if (lam_random_chance(random, 80) && found.nan_count < it->column->value_count) {
        it->facts.has_bounds = true;
        it->facts.min = lam_value_plain(&order, it->column->values, found.min, it->min);
        it->facts.max = lam_value_plain(&order, it->column->values, found.max, it->max);
    }
}

Test(filter_prune, no_outcome_of_a_record_is_ever_ruled_out) {
    lam_random random = lam_random_start(lam_test_seed(1));
    static random_table table;
    size_t pruned = 0, whole = 0;
    for (int round = 0; round < 40000; round++) {
        uint8_t expected[RANDOM_ROWS];
        column_facts columns[RANDOM_LEAVES];
        lam_outcome_set tests[RANDOM_TESTS], stack[RANDOM_TESTS];
        random_table_fill(&table, &random);
        lam_filter *filter = random_filter(&table, table.schema, &random, expected);
        const size_t test_count = filter->test_count;
        cr_assert_leq(test_count, RANDOM_TESTS); /* `tests` holds them all */
        for (size_t i = 0; i < RANDOM_LEAVES; i++)
            find_facts(&columns[i], &table, i, &random);
        for (size_t i = 0; i < test_count; i++)
            tests[i] = lam_filter_test_outcomes(&filter->tests[i],
                                                &columns[filter->tests[i].leaf->first_leaf].facts);
        lam_outcome_set set = lam_filter_outcomes(filter, tests, stack);
        for (size_t i = 0; i < table.row_count; i++)
            cr_assert((set >> expected[i] & 1) != 0, "round %d, row %zu: %d is not in %x", round, i,
                      expected[i], set);
        pruned += (set & LAM_MAY_BE_TRUE) == 0;
        whole += set == LAM_MAY_BE_TRUE;
        lam_filter_destroy(filter);
        random_table_finish(&table);
    }
    cr_expect(pruned > 1000 && whole > 100, "%zu tables were pruned, %zu kept whole", pruned,
              whole);
}

Test(filter_prune, without_facts_every_comparison_may_be_anything) {
    static random_table table;
    lam_random random = lam_random_start(lam_test_seed(2));
    random_table_fill(&table, &random);
    lam_filter_builder *builder;
    lam_filter *filter;
    lam_filter_facts none = lam_filter_facts_none();
    lam_value value = {.int32 = 0};
    cr_assert_eq(lam_filter_builder_create(table.schema, NULL, &builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_compare(builder, "a", LAM_FILTER_LESS, &value, 1, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_filter_test_outcomes(&filter->tests[0], &none), LAM_MAY_BE_ANY);
    lam_filter_destroy(filter);
    lam_filter_builder_destroy(builder);
    random_table_finish(&table);
}

Test(filter_prune, tests_that_ask_no_values_are_decided_by_nulls_alone) {
    static const char text[] = "message m { required int32 a; optional int32 b;"
                               "repeated int32 c; }";
    enum { F = LAM_MAY_BE_FALSE, U = LAM_MAY_BE_UNKNOWN, T = LAM_MAY_BE_TRUE };
    static const struct {
        const char *path;
        int64_t triples, nulls;
        lam_outcome_set any, unknown;
    } cases[] = {
        {"a", 5, 0, T, U},         {"b", 5, 0, T, U},
        {"b", 5, 2, T | U, U},     {"b", 5, 5, U, U},
        {"b", -1, -1, T | U, U},   {"c", 5, 0, T | F, U | F},
        {"c", 5, 5, F | U, F | U}, {"c", 5, 1, T | F | U, F | U},
    };
    lam_schema *schema = lam_test_parse(text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int is_any = 0; is_any < 2; is_any++) {
            lam_filter_test test = {.kind = is_any ? LAM_TEST_ANY : LAM_TEST_UNKNOWN,
                                    .leaf = lam_schema_find(schema, cases[i].path)};
            lam_filter_facts facts = lam_filter_facts_none();
            facts.triple_count = cases[i].triples;
            facts.null_count = cases[i].nulls;
            lam_outcome_set set = lam_filter_test_outcomes(&test, &facts);
            cr_expect_eq(set, is_any ? cases[i].any : cases[i].unknown, "case %zu, any %d: %x", i,
                         is_any, set);
        }
    lam_schema_destroy(schema);
}

/* --- Two leaves ---------------------------------------------------------------------------- */

/* Facts about a leaf of int32 with bounds and counts of triples and nulls; -1: not known. */
typedef struct peer_facts {
    int32_t min, max; /* min above max: no bounds */
    int64_t triples, nulls;
} peer_facts;

static lam_filter_facts facts_of(const peer_facts *given, uint8_t *room) {
    lam_filter_facts facts = lam_filter_facts_none();
    facts.triple_count = given->triples;
    facts.null_count = given->nulls;
    facts.has_bounds = given->min <= given->max;
    lam_store_le32(room, (uint32_t)given->min);
    lam_store_le32(room + 4, (uint32_t)given->max);
    facts.min = (lam_bytes){room, 4};
    facts.max = (lam_bytes){room + 4, 4};
    return facts;
}

static lam_filter *filter_of(const lam_schema *schema, const char *text) {
    lam_error error = lam_error_none();
    lam_filter *filter;
    cr_assert_eq(lam_filter_parse(schema, text, strlen(text), NULL, NULL, &filter, &error),
                 LAM_STATUS_OK, "%s: %s", text, error.message);
    return filter;
}

static lam_outcome_set outcomes_of_facts(const lam_filter *filter, const peer_facts *a,
                                         const peer_facts *b) {
    uint8_t room_a[8], room_b[8];
    lam_filter_facts facts_a = facts_of(a, room_a), facts_b = facts_of(b, room_b);
    return lam_filter_peer_outcomes(&filter->tests[0], &facts_a, &facts_b);
}

Test(filter_prune, bounds_of_two_leaves_decide_as_their_values_would) {
    static const char text[] = "required int32 a; required int32 b;";
    enum { F = LAM_MAY_BE_FALSE, T = LAM_MAY_BE_TRUE, B = F | T };
    static const struct {
        peer_facts a, b;
        lam_outcome_set outcomes[6]; /* <, <=, >, >=, !=, = */
    } cases[] = {
        {{1, 4, 9, 0}, {5, 8, 9, 0}, {T, T, F, F, T, F}},
        {{5, 8, 9, 0}, {1, 4, 9, 0}, {F, F, T, T, T, F}},
        {{1, 5, 9, 0}, {5, 8, 9, 0}, {B, T, F, B, B, B}},
        {{5, 8, 9, 0}, {1, 5, 9, 0}, {F, B, B, T, B, B}},
        {{1, 7, 9, 0}, {3, 9, 9, 0}, {B, B, B, B, B, B}},
        {{3, 3, 9, 0}, {3, 3, 9, 0}, {F, T, F, T, F, T}},
        {{1, 0, 9, 0}, {3, 3, 9, 0}, {B, B, B, B, B, B}}, /* no bounds */
        {{3, 3, 9, 0}, {1, 0, 9, 0}, {B, B, B, B, B, B}},
    };
    static const char *const marks[] = {"<", "<=", ">", ">=", "!=", "="};
    lam_schema *schema = lam_test_parse(text);
    for (size_t k = 0; k < 6; k++) {
        char condition[16];
        snprintf(condition, sizeof condition, "a %s b", marks[k]);
        lam_filter *filter = filter_of(schema, condition);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            cr_expect_eq(outcomes_of_facts(filter, &cases[i].a, &cases[i].b), cases[i].outcomes[k],
                         "%s, case %zu: %x", condition, i,
                         outcomes_of_facts(filter, &cases[i].a, &cases[i].b));
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}

Test(filter_prune, nulls_of_either_leaf_and_empty_lists_stay_possible) {
    static const char text[] =
        "optional int32 a; optional int32 b; optional double x;"
        "optional group l (LIST) { repeated group list { optional group element {"
        "  optional int32 p; optional int32 q; } } }";
    enum { F = LAM_MAY_BE_FALSE, U = LAM_MAY_BE_UNKNOWN, T = LAM_MAY_BE_TRUE };
    static const struct {
        const char *condition;
        peer_facts a, b;
        lam_outcome_set set;
    } cases[] = {
        {"a < b", {1, 2, 9, 0}, {3, 4, 9, 0}, T},
        {"a < b", {1, 2, 9, 3}, {3, 4, 9, 0}, T | U},
        {"a < b", {1, 2, 9, 0}, {3, 4, 9, 3}, T | U},
        {"a < b", {1, 2, -1, -1}, {3, 4, 9, 0}, T | U},
        {"a < b", {1, 2, 9, 9}, {3, 4, 9, 0}, U},
        {"a < b", {1, 2, 9, 0}, {3, 4, 9, 9}, U},
        {"l[].p < l[].q", {1, 2, 9, 0}, {3, 4, 9, 0}, T | F},
        {"l[].p < l[].q", {1, 2, 9, 9}, {3, 4, 9, 0}, U | F},
        {"x < a", {1, 2, 9, 0}, {3, 4, 9, 0}, T | F}, /* NaNs are not counted */
        {"a < x", {1, 2, 9, 0}, {3, 4, 9, 0}, T | F},
    };
    lam_schema *schema = lam_test_parse(text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_filter *filter = filter_of(schema, cases[i].condition);
        lam_filter_facts any = lam_filter_facts_none();
        lam_outcome_set set = outcomes_of_facts(filter, &cases[i].a, &cases[i].b);
        cr_expect_eq(set, cases[i].set, "%s, case %zu: %x", cases[i].condition, i, set);
        cr_expect_eq(lam_filter_test_outcomes(&filter->tests[0], &any), LAM_MAY_BE_ANY);
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}

static bool holds_nothing(const void *state, lam_bytes value) {
    (void)state, (void)value;
    return false;
}

/* The facts of the keys decide whether a map may have the key at all. */
Test(filter_prune, a_key_that_no_map_has_leaves_nothing_but_nulls) {
    static const char text[] = "optional group m (MAP) { repeated group key_value {"
                               "  required int32 key; optional int32 value; } }";
    enum { F = LAM_MAY_BE_FALSE, U = LAM_MAY_BE_UNKNOWN, T = LAM_MAY_BE_TRUE };
    static const struct {
        const char *condition;
        peer_facts values, keys;
        bool has_bloom;
        lam_outcome_set set;
    } cases[] = {
        {"m[5] = 1", {1, 9, 9, 0}, {1, 9, 9, 0}, false, T | U | F},
        {"m[5] = 1", {1, 9, 9, 0}, {6, 9, 9, 0}, false, U | F},
        {"m[5] = 1", {1, 9, 9, 0}, {1, 4, 9, 0}, false, U | F},
        {"m[5] = 1", {1, 9, 9, 0}, {1, 9, 9, 9}, false, U | F}, /* no keys at all */
        {"m[5] = 1", {1, 9, 9, 0}, {1, 9, 9, 0}, true, U | F},
        {"m[5] > 0", {1, 9, 9, 0}, {1, 9, 9, 0}, false, T | U | F},
        {"m[5] is null", {1, 9, 9, 0}, {1, 9, 9, 0}, false, T | F},
        {"m[5] is null", {1, 9, 9, 0}, {6, 9, 9, 0}, false, T | F},
        {"m[5] is not null", {1, 9, 9, 0}, {1, 9, 9, 0}, false, T | F},
        {"m[5] is not null", {1, 9, 9, 0}, {6, 9, 9, 0}, false, F},
    };
    lam_schema *schema = lam_test_parse(text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t room_a[8], room_b[8];
        const lam_bytes *sought;
        lam_filter *filter = filter_of(schema, cases[i].condition);
        lam_filter_facts values = facts_of(&cases[i].values, room_a);
        lam_filter_facts keys = facts_of(&cases[i].keys, room_b);
        keys.may_hold = cases[i].has_bloom ? holds_nothing : NULL;
        lam_outcome_set set = lam_filter_peer_outcomes(&filter->tests[0], &values, &keys);
        cr_expect_eq(set, cases[i].set, "%s, case %zu: %x", cases[i].condition, i, set);
        cr_expect_eq(lam_filter_sought(&filter->tests[0], lam_schema_leaf(schema, 0), &sought), 1);
        cr_expect_eq(lam_load_le32(sought->data), 5);
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}

/* Keys that are NaNs are in no bounds: only their count tells that there are none. */
Test(filter_prune, a_key_that_is_no_number_is_there_unless_its_count_is_zero) {
    static const char text[] = "optional group m (MAP) { repeated group key_value {"
                               "  required double key; optional int32 value; } }";
    enum { F = LAM_MAY_BE_FALSE, U = LAM_MAY_BE_UNKNOWN, T = LAM_MAY_BE_TRUE };
    static const struct {
        const char *condition;
        int64_t nans;
        lam_outcome_set set;
    } cases[] = {{"m['NaN'] = 1", -1, T | U | F},
                 {"m['NaN'] = 1", 2, T | U | F},
                 {"m['NaN'] = 1", 0, U | F},
                 {"m[0.5] = 1", 2, U | F}};
    static const double one = 1, two = 2;
    lam_schema *schema = lam_test_parse(text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const peer_facts given = {1, 9, 9, 0};
        uint8_t room[8], bounds[2][8];
        lam_filter *filter = filter_of(schema, cases[i].condition);
        lam_filter_facts values = facts_of(&given, room), keys = lam_filter_facts_none();
        const lam_value_order *order = &filter->tests[0].peer->other_order;
        keys.triple_count = 9;
        keys.null_count = 0;
        keys.nan_count = cases[i].nans;
        keys.has_bounds = true;
        keys.min = lam_value_plain(order, &one, 0, bounds[0]);
        keys.max = lam_value_plain(order, &two, 0, bounds[1]);
        lam_outcome_set set = lam_filter_peer_outcomes(&filter->tests[0], &values, &keys);
        cr_expect_eq(set, cases[i].set, "%s, case %zu: %x", cases[i].condition, i, set);
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}
