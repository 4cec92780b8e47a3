/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two leaves are compared slot by slot, against each record worked out alone; levels that
 * contradict each other are corrupt.
 */
#include "scan/match/filter_peer_walk.h"

#include <criterion/criterion.h>
#include <lamella/filter.h>
#include <lamella/filter_text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "scan/walk_columns.h"
#include "support/failing_alloc.h"
#include "support/test_file.h"

enum { WALK_ROWS = 20, WALK_ITEMS = 4, WALK_TRIPLES = WALK_ROWS * WALK_ITEMS };

static const char SCHEMA[] =
    "optional group m (MAP) { repeated group key_value { required int32 key;"
    "  optional int32 value; } }"
    "optional group l (LIST) { repeated group list { optional group element {"
    "  optional int32 a; optional int64 b; } } }";

/* A record: both lists have `length` items; -1 is null. */
typedef struct walk_row {
    int length;
    int key[WALK_ITEMS];
    int value[WALK_ITEMS]; /* below 0: null */
    int a[WALK_ITEMS];     /* -1: null, -2: the element is */
    int b[WALK_ITEMS];
} walk_row;

typedef struct walk_leaf {
    lam_triples all;
    uint8_t repetition[WALK_TRIPLES];
    uint8_t definition[WALK_TRIPLES];
    int32_t small[WALK_TRIPLES];
    int64_t large[WALK_TRIPLES];
} walk_leaf;

static void add(walk_leaf *leaf, int item, int definition, int max, int value) {
    leaf->repetition[leaf->all.count] = item > 0;
    leaf->definition[leaf->all.count++] = (uint8_t)definition;
    if (definition < max)
        return;
    leaf->small[leaf->all.value_count] = value;
    leaf->large[leaf->all.value_count++] = value;
}

static void shred(const walk_row *row, walk_leaf leaves[4]) {
    int none = row->length == 0;
    for (int i = 0; row->length <= 0 && i < 4; i++)
        add(&leaves[i], 0, none, 9, 0);
    for (int i = 0; i < row->length; i++) {
        bool is_null = row->a[i] == -2;
        add(&leaves[0], i, 2, 2, row->key[i]);
        add(&leaves[1], i, row->value[i] < 0 ? 2 : 3, 3, row->value[i]);
        add(&leaves[2], i, is_null ? 2 : row->a[i] < 0 ? 3 : 4, 4, row->a[i]);
        add(&leaves[3], i, is_null ? 2 : row->b[i] < 0 ? 3 : 4, 4, row->b[i]);
    }
}

static uint8_t raised(uint8_t outcome, uint8_t more) {
    return outcome > more ? outcome : more;
}

/* m[2] > 1, m[2] is null, l[].a < l[].b */
static uint8_t expected_of(const walk_row *row, int test) {
    uint8_t outcome = row->length < 0 && test == 2 ? LAM_OUTCOME_UNKNOWN : LAM_OUTCOME_FALSE;
    int found = -2; /* no such key */
    for (int i = 0; i < row->length; i++) {
        bool has_null = row->a[i] < 0 || row->b[i] < 0;
        if (test == 2)
            outcome = raised(outcome, has_null                ? LAM_OUTCOME_UNKNOWN
                                      : row->a[i] < row->b[i] ? LAM_OUTCOME_TRUE
                                                              : LAM_OUTCOME_FALSE);
        if (row->key[i] == 2)
            found = row->value[i];
    }
    if (test == 1)
        return found < 0 ? LAM_OUTCOME_TRUE : LAM_OUTCOME_FALSE;
    if (test == 0)
        return found < 0 ? LAM_OUTCOME_UNKNOWN : found > 1 ? LAM_OUTCOME_TRUE : LAM_OUTCOME_FALSE;
    return outcome;
}

static lam_status walk(const lam_filter *filter, const walk_leaf leaves[4], lam_random *random,
                       size_t count, uint8_t *outcomes, lam_error *error) {
    const lam_filter_test *test = &filter->tests[0];
    const lam_field *fields[2] = {test->leaf, test->peer->other};
    lam_allocator allocator = lam_allocator_default();
    column_batches columns[2];
    lam_peer_walk *it;
    size_t rows = 0;
    cr_assert_eq(lam_peer_walk_create(test, &allocator, &it, error), LAM_STATUS_OK);
    for (size_t i = 0; i < 2; i++) {
        const walk_leaf *leaf = &leaves[lam_field_first_leaf(fields[i])];
        columns[i] = (column_batches){leaf->all, fields[i], random, 0, 0};
        columns[i].all.repetition = leaf->repetition;
        columns[i].all.definition = leaf->definition;
        columns[i].all.values = lam_field_physical_type(fields[i]) == LAM_PHYSICAL_INT64
                                    ? (const void *)leaf->large
                                    : leaf->small;
        lam_peer_walk_set_source(it, i, (lam_triple_source){&columns[i], next_batch});
    }
    lam_status status = lam_peer_walk_rows(it, count, outcomes, &rows, error);
    if (status == LAM_STATUS_OK)
        cr_assert_eq(rows, count);
    lam_peer_walk_destroy(it);
    return status;
}

static void random_row(lam_random *random, walk_row *row) {
    row->length = (int)lam_random_below(random, WALK_ITEMS + 2) - 1;
    for (int i = 0; i < WALK_ITEMS; i++) {
        row->key[i] = i;
        row->value[i] = (int)lam_random_below(random, 4) - 1;
        row->a[i] = (int)lam_random_below(random, 6) - 2;
        row->b[i] = (int)lam_random_below(random, 5) - 1;
    }
}

static lam_filter *filter_of(const lam_schema *schema, const char *text) {
    lam_filter *filter;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_filter_parse(schema, text, strlen(text), NULL, NULL, &filter, &error),
                 LAM_STATUS_OK, "%s: %s", text, error.message);
    return filter;
}

static lam_schema *schema_of(void) {
    lam_schema *schema = lam_test_parse(SCHEMA);
    return schema;
}

Test(filter_peer_walk, outcomes_are_those_of_each_record_worked_out_alone) {
    static const char *const texts[] = {"m[2] > 1", "m[2] is null", "l[].a < l[].b"};
    static walk_leaf leaves[4];
    lam_random random = lam_random_start(lam_test_seed(1));
    lam_schema *schema = schema_of();
    for (int round = 0; round < 6000; round++) {
        walk_row rows[WALK_ROWS];
        uint8_t outcomes[WALK_ROWS];
        lam_error error = lam_error_none();
        size_t count = 1 + (size_t)lam_random_below(&random, WALK_ROWS);
        int test = round % 3;
        memset(leaves, 0, sizeof leaves);
        for (size_t i = 0; i < count; i++) {
            random_row(&random, &rows[i]);
            shred(&rows[i], leaves);
        }
        lam_filter *filter = filter_of(schema, texts[test]);
        cr_assert_eq(walk(filter, leaves, &random, count, outcomes, &error), LAM_STATUS_OK, "%s",
                     error.message);
        for (size_t i = 0; i < count; i++)
            cr_assert_eq(outcomes[i], expected_of(&rows[i], test), "round %d, %s, row %zu: %d",
                         round, texts[test], i, outcomes[i]);
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}

Test(filter_peer_walk, levels_that_contradict_each_other_are_corrupt) {
    static walk_leaf leaves[4];
    static const struct {
        size_t leaf;
        int field; /* 0: repetition, 1: definition, 2: count, 3: first repetition */
        const char *text, *message;
    } cases[] = {
        {3, 0, "l[].a < l[].b", "repetition level 0 where the record needs 1"},
        {3, 1, "l[].a < l[].b", "definition level 1 contradicts the columns before"},
        {3, 2, "l[].a < l[].b", "the column ends before the others"},
        {2, 2, "l[].a < l[].b", "the column continues after others have ended"},
        {0, 0, "m[2] > 1", "key_value.value: repetition level 1 where the record needs 0"},
        {0, 1, "m[2] > 1", "key_value.value: definition level 3 contradicts the columns before"},
        {0, 2, "m[2] > 1", "the column ends before the others"},
        {1, 2, "m[2] > 1", "the column continues after others have ended"},
        {1, 3, "m[2] > 1", "repetition level 1 where the record needs 0"},
        {2, 3, "l[].a < l[].b", "repetition level 1 where the record needs 0"},
        {1, 1, "m[2] > 1", "key_value.value: another element of a list that is empty"},
    };
    lam_schema *schema = schema_of();
    walk_row row = {2, {0, 2}, {5, 6}, {1, 2}, {3, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        uint8_t outcomes[2];
        lam_filter *filter = filter_of(schema, cases[i].text);
        memset(leaves, 0, sizeof leaves);
        shred(&row, leaves);
        walk_leaf *leaf = &leaves[cases[i].leaf];
        if (cases[i].field == 0)
            leaf->repetition[1] = 0;
        else if (cases[i].field == 1)
            leaf->definition[1] = 1;
        else if (cases[i].field == 3)
            leaf->repetition[0] = 1;
        else
            leaf->all.count--;
        cr_expect_eq(walk(filter, leaves, NULL, 1, outcomes, &error), LAM_STATUS_CORRUPT, "%zu", i);
        cr_expect_not_null(strstr(error.message, cases[i].message), "%zu: %s", i, error.message);
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}

Test(filter_peer_walk, sources_give_no_more_records_than_were_asked_for) {
    static const char *const texts[] = {"m[2] > 1", "l[].a < l[].b"};
    static walk_leaf leaves[4];
    const walk_row row = {2, {0, 2}, {5, 6}, {1, 2}, {3, 4}};
    lam_schema *schema = schema_of();
    for (size_t i = 0; i < 2; i++) {
        lam_error error = lam_error_none();
        uint8_t outcomes[2];
        lam_filter *filter = filter_of(schema, texts[i]);
        memset(leaves, 0, sizeof leaves);
        shred(&row, leaves);
        shred(&row, leaves);
        cr_expect_eq(walk(filter, leaves, NULL, 1, outcomes, &error), LAM_STATUS_STATE);
        cr_expect_str_eq(error.message, "a source gives more than 1 records");
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}

/* --- Levels made by hand ------------------------------------------------------------------- */

/* Levels as digits, NULL where the batch has none; a source whose read `fail_at` fails. */
typedef struct hand_column {
    const char *repetition, *definition;
    const void *values;
    column_batches batches;
    uint8_t levels[2][WALK_TRIPLES];
    size_t *reads, fail_at;
} hand_column;

static lam_status read_by_hand(void *state, lam_triples *ret_triples, lam_error *error) {
    hand_column *column = state;
    if (++*column->reads == column->fail_at)
        LAM_FAIL(error, LAM_STATUS_IO, "read %zu fails", column->fail_at);
    return next_batch(&column->batches, ret_triples, error);
}

/* Walks two columns of as many triples as there are definition levels, of `count` without any. */
static lam_status walk_by_hand(const lam_filter *filter, hand_column columns[2], size_t count,
                               size_t records, size_t fail_at, const lam_allocator *allocator,
                               uint8_t *outcomes, lam_error *error) {
    const lam_filter_test *test = &filter->tests[0];
    const lam_field *fields[2] = {test->leaf, test->peer->other};
    lam_allocator heap = lam_allocator_default();
    lam_peer_walk *it;
    size_t rows = 0, reads = 0;
    lam_status status =
        lam_peer_walk_create(test, allocator == NULL ? &heap : allocator, &it, error);
    if (status != LAM_STATUS_OK)
        return status;
    for (size_t i = 0; i < 2; i++) {
        hand_column *column = &columns[i];
        const char *digits[2] = {column->repetition, column->definition};
        size_t triples = digits[1] == NULL ? count : strlen(digits[1]);
        for (size_t kind = 0; kind < 2; kind++)
            for (size_t k = 0; digits[kind] != NULL && k < triples; k++)
                column->levels[kind][k] = (uint8_t)(digits[kind][k] - '0');
        column->batches = (column_batches){{.count = triples}, fields[i], NULL, 0, 0};
        column->batches.all.values = column->values;
        column->batches.all.repetition = digits[0] == NULL ? NULL : column->levels[0];
        column->batches.all.definition = digits[1] == NULL ? NULL : column->levels[1];
        column->reads = &reads;
        column->fail_at = fail_at;
        lam_peer_walk_set_source(it, i, (lam_triple_source){column, read_by_hand});
    }
    status = lam_peer_walk_rows(it, records, outcomes, &rows, error);
    if (status == LAM_STATUS_OK)
        cr_expect_eq(rows, records);
    lam_peer_walk_destroy(it);
    return status;
}

Test(filter_peer_walk, levels_may_be_left_out_on_either_side) {
    static const char text[] = "required int32 a; required int32 b; optional int32 c;"
                               "required double x; required double y; required int64 l;";
    static const int32_t small[] = {1, 5, 3}, other[] = {2, 4, 3};
    static const int64_t large[] = {1, 5, 3};
    static const double reals[] = {1, 5, 3}, more[] = {2, 4, 3};
    static const struct {
        const char *condition;
        const char *levels[4]; /* repetition and definition of the first, and of the other */
        const void *first, *second;
    } cases[] = {
        {"a < b", {NULL, NULL, NULL, NULL}, small, other},
        {"a < b", {"000", NULL, NULL, NULL}, small, other},
        {"a < b", {NULL, NULL, "000", NULL}, small, other},
        {"a < b", {NULL, "000", NULL, NULL}, small, other},
        {"a < b", {NULL, NULL, NULL, "000"}, small, other},
        {"a < c", {NULL, NULL, NULL, "111"}, small, other},
        {"c < b", {NULL, "111", NULL, NULL}, small, other},
        {"x < y", {NULL, NULL, NULL, NULL}, reals, more},
        {"a < y", {NULL, NULL, NULL, NULL}, small, more},
        {"l < b", {NULL, NULL, NULL, NULL}, large, other},
    };
    lam_schema *schema = lam_test_parse(text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_filter *filter = filter_of(schema, cases[i].condition);
        hand_column columns[2] = {
            {.repetition = cases[i].levels[0], .definition = cases[i].levels[1]},
            {.repetition = cases[i].levels[2], .definition = cases[i].levels[3]}};
        uint8_t outcomes[3];
        columns[0].values = cases[i].first;
        columns[1].values = cases[i].second;
        cr_assert_eq(walk_by_hand(filter, columns, 3, 3, 0, NULL, outcomes, NULL), LAM_STATUS_OK);
        cr_expect_eq(outcomes[0], LAM_OUTCOME_TRUE, "case %zu", i);
        cr_expect_eq(outcomes[1], LAM_OUTCOME_FALSE, "case %zu", i);
        cr_expect_eq(outcomes[2], LAM_OUTCOME_FALSE, "case %zu", i);
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}

/* Maps in a list, with lists as values. */
static const char NESTED[] =
    "optional group l (LIST) { repeated group list { optional group element (MAP) {"
    "  repeated group key_value { optional int32 key; optional group value (LIST) {"
    "    repeated group list { optional int32 element; } } } } } }";

/* Builds a comparison with 5, or IS NULL, of the elements of the value with key 2. */
static lam_filter *nested_filter(const lam_schema *schema, const char *operation) {
    static const char path[] = "l.list.element.key_value.value.list.element";
    const lam_value two = {.int32 = 2}, five = {.int32 = 5};
    lam_filter_builder *builder;
    lam_filter *filter;
    cr_assert_eq(lam_filter_builder_create(schema, NULL, &builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(*operation == '='
                     ? lam_filter_builder_compare(builder, path, LAM_FILTER_EQUAL, &five, 1, NULL)
                     : lam_filter_builder_is_null(builder, path, *operation == 'n', NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_for_key(builder, two, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    lam_filter_builder_destroy(builder);
    return filter;
}

typedef struct nested_case {
    const char *value_repetition, *value_definition; /* of one record */
    const char *key_repetition, *key_definition;
    int32_t values[4], keys[4];
    uint8_t equal, null, there; /* outcomes of = 5, IS NULL and IS NOT NULL */
} nested_case;

enum { NF = LAM_OUTCOME_FALSE, NU = LAM_OUTCOME_UNKNOWN, NT = LAM_OUTCOME_TRUE };

static const nested_case nested_cases[] = {
    {"0", "0", "0", "0", {0}, {0}, NU, NF, NF},                       /* null */
    {"0", "1", "0", "1", {0}, {0}, NF, NF, NF},                       /* [] */
    {"0", "2", "0", "2", {0}, {0}, NU, NT, NF},                       /* [null] */
    {"0", "3", "0", "3", {0}, {0}, NU, NT, NF},                       /* [{}] */
    {"03", "77", "0", "5", {6, 5}, {2}, NT, NF, NT},                  /* [{2: [6, 5]}] */
    {"0", "7", "0", "4", {5}, {0}, NU, NT, NF},                       /* [{null: [5]}] */
    {"01", "77", "01", "55", {6, 5}, {2, 3}, NU, NT, NT},             /* [{2: [6]}, {3: [5]}] */
    {"02", "77", "02", "55", {6, 5}, {3, 2}, NT, NF, NT},             /* [{3: [6], 2: [5]}] */
    {"0", "5", "0", "5", {0}, {2}, NF, NF, NF},                       /* [{2: []}] */
    {"0", "4", "0", "5", {0}, {2}, NU, NF, NF},                       /* [{2: null}] */
    {"03", "76", "0", "5", {6}, {2}, NU, NT, NT},                     /* [{2: [6, null]}] */
    {"023", "767", "02", "55", {6, 5}, {2, 3}, NF, NF, NT},           /* [{2: [6], 3: [null, 5]}] */
    {"0123", "7767", "012", "555", {6, 6, 5}, {2, 4, 2}, NT, NT, NT}, /* in the second map */
};

Test(filter_peer_walk, values_of_a_key_count_in_each_map_of_a_list) {
    static const char *const operations[] = {"=", "null", "there"};
    lam_schema *schema = lam_test_parse(NESTED);
    for (size_t operation = 0; operation < 3; operation++) {
        lam_filter *filter = nested_filter(schema, operations[operation]);
        for (size_t i = 0; i < sizeof nested_cases / sizeof *nested_cases; i++) {
            const nested_case *it = &nested_cases[i];
            const uint8_t expected[] = {it->equal, it->null, it->there};
            hand_column columns[2] = {{.repetition = it->value_repetition,
                                       .definition = it->value_definition,
                                       .values = it->values},
                                      {.repetition = it->key_repetition,
                                       .definition = it->key_definition,
                                       .values = it->keys}};
            lam_error error = lam_error_none();
            uint8_t outcome;
            cr_assert_eq(walk_by_hand(filter, columns, 0, 1, 0, NULL, &outcome, &error),
                         LAM_STATUS_OK, "case %zu: %s", i, error.message);
            cr_expect_eq(outcome, expected[operation], "case %zu, %s: %d", i, operations[operation],
                         outcome);
        }
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}

Test(filter_peer_walk, a_value_below_all_literals_passes_if_it_is_there) {
    static const struct {
        const char *condition;
        uint8_t outcome;
    } cases[] = {{"m[2] < 99999999999", LAM_OUTCOME_TRUE},
                 {"m[0] < 99999999999", LAM_OUTCOME_UNKNOWN},
                 {"m[7] < 99999999999", LAM_OUTCOME_UNKNOWN},
                 {"m[7] is not null", LAM_OUTCOME_FALSE},
                 {"m[2] is not null", LAM_OUTCOME_TRUE}};
    static walk_leaf leaves[4];
    const walk_row row = {2, {0, 2}, {-1, 6}, {1, 2}, {3, 4}};
    lam_schema *schema = schema_of();
    shred(&row, leaves);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t outcome;
        lam_filter *filter = filter_of(schema, cases[i].condition);
        cr_assert_eq(walk(filter, leaves, NULL, 1, &outcome, NULL), LAM_STATUS_OK);
        cr_expect_eq(outcome, cases[i].outcome, "%s: %d", cases[i].condition, outcome);
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}

Test(filter_peer_walk, each_read_and_request_for_memory_may_fail) {
    static const char *const conditions[] = {"m[2] > 1", "l[].a < l[].b"};
    static const int32_t values[2][2] = {{5, 6}, {0, 2}};
    static const int64_t large[2] = {7, 8};
    lam_schema *schema = schema_of();
    for (size_t i = 0; i < 2; i++)
        for (int starves = 0; starves < 2; starves++) {
            lam_filter *filter = filter_of(schema, conditions[i]);
            lam_status failure = starves ? LAM_STATUS_NOMEM : LAM_STATUS_IO, status = failure;
            uint8_t outcome = 9;
            size_t fail_at = 1;
            for (; status == failure; fail_at++) {
                lam_failing_alloc failing = {.fail_at = starves ? fail_at : 0};
                lam_allocator allocator = lam_failing_allocator(&failing);
                hand_column columns[2] = {
                    {.repetition = "01", .definition = i == 0 ? "33" : "44", .values = values[0]},
                    {.repetition = "01", .definition = i == 0 ? "22" : "44", .values = large}};
                if (i == 0)
                    columns[1].values = values[1];
                status = walk_by_hand(filter, columns, 2, 1, starves ? 0 : fail_at, &allocator,
                                      &outcome, NULL);
                cr_assert_eq(failing.live_bytes, 0);
            }
            cr_assert_eq(status, LAM_STATUS_OK);
            cr_expect_eq(outcome, LAM_OUTCOME_TRUE);
            cr_expect_gt(fail_at, starves ? 2 - i : 4, "%zu", fail_at);
            lam_filter_destroy(filter);
        }
    lam_schema_destroy(schema);
}

Test(filter_peer_walk, columns_of_numbers_without_nulls_are_compared_at_once) {
    static const char *const operators[] = {"=", "!=", "<", "<=", ">", ">="};
    static const char text[] =
        "required int32 a; required int32 b; required int64 x; required int64 y;";
    lam_random random = lam_random_start(lam_test_seed(2));
    lam_schema *schema = lam_test_parse(text);
    for (int round = 0; round < 1200; round++) {
        int32_t small[2][WALK_ROWS];
        int64_t large[2][WALK_ROWS];
        uint8_t outcomes[WALK_ROWS];
        char condition[20];
        bool is_large = lam_random_chance(&random, 50);
        lam_allocator allocator = lam_allocator_default();
        column_batches columns[2];
        lam_peer_walk *it;
        size_t rows = 0;
        for (size_t i = 0; i < WALK_ROWS; i++)
            for (size_t column = 0; column < 2; column++) {
                small[column][i] = (int32_t)lam_random_below(&random, 5) - 2;
                large[column][i] = small[column][i] * (INT64_C(1) << 40);
            }
        snprintf(condition, sizeof condition, is_large ? "x %s y" : "a %s b", operators[round % 6]);
        lam_filter *filter = filter_of(schema, condition);
        const lam_filter_test *test = &filter->tests[0];
        cr_assert_eq(lam_peer_walk_create(test, &allocator, &it, NULL), LAM_STATUS_OK);
        for (size_t i = 0; i < 2; i++) {
            const void *values = is_large ? (const void *)large[i] : small[i];
            columns[i] = (column_batches){{.count = WALK_ROWS, .value_count = WALK_ROWS},
                                          i == 0 ? test->leaf : test->peer->other,
                                          &random,
                                          0,
                                          0};
            columns[i].all.values = values;
            lam_peer_walk_set_source(it, i, (lam_triple_source){&columns[i], next_batch});
        }
        cr_assert_eq(lam_peer_walk_rows(it, WALK_ROWS, outcomes, &rows, NULL), LAM_STATUS_OK);
        cr_assert_eq(rows, WALK_ROWS);
        for (size_t i = 0; i < WALK_ROWS; i++) {
            int a = small[0][i], b = small[1][i];
            const bool answers[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
            cr_assert_eq(outcomes[i] == LAM_OUTCOME_TRUE, answers[round % 6], "%s, row %zu",
                         condition, i);
        }
        lam_peer_walk_destroy(it);
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}

/* Columns that end at once lend no values: an offset was added to none. */
Test(filter_peer_walk, columns_without_rows_are_no_records) {
    static const char text[] = "required int32 a; required int32 b;";
    lam_allocator allocator = lam_allocator_default();
    lam_peer_walk *it;
    uint8_t outcomes[1];
    size_t rows = 1;
    lam_schema *schema = lam_test_parse(text);
    lam_filter *filter = filter_of(schema, "a < b");
    const lam_filter_test *test = &filter->tests[0];
    cr_assert_eq(lam_peer_walk_create(test, &allocator, &it, NULL), LAM_STATUS_OK);
    column_batches columns[2] = {{{0}, test->leaf, NULL, 0, 0},
                                 {{0}, test->peer->other, NULL, 0, 0}};
    for (size_t i = 0; i < 2; i++)
        lam_peer_walk_set_source(it, i, (lam_triple_source){&columns[i], next_batch});
    cr_expect_eq(lam_peer_walk_rows(it, 0, outcomes, &rows, NULL), LAM_STATUS_OK);
    cr_expect_eq(rows, 0);
    lam_peer_walk_destroy(it);
    lam_filter_destroy(filter);
    lam_schema_destroy(schema);
}
