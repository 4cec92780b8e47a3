/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of one group that contradict each other. Their levels are written as they stand: what a
 * check says of them is held against what the records' reader says.
 */
#include <inttypes.h>
#include <lamella/dremel.h>
#include <lamella/scan.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>

#include "check/forge.h"
#include "file/file_sample.h"
#include "schema/tree.h"

enum { LEAVES_MAX = 600, ROUNDS = 4000 };

/* --- By hand -------------------------------------------------------------------------------- */

/* Levels as text, a digit each; values are all 0. */
typedef struct written_levels {
    const char *repetition;
    const char *definition;
} written_levels;

static size_t copy_digits(const char *digits, uint8_t *levels) {
    size_t count = strlen(digits);
    for (size_t i = 0; i < count; i++)
        levels[i] = (uint8_t)(digits[i] - '0');
    return count;
}

static size_t count_level(const uint8_t *levels, size_t count, uint8_t level) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += levels[i] == level;
    return found;
}

static lam_test_findings check_levels_of(const char *schema_text, const written_levels *written) {
    static uint8_t levels[4][2][64];
    static const int32_t zeros[64];
    lam_triples columns[4];
    size_t rows = 0;
    lam_schema *schema = lam_test_schema(schema_text);
    for (size_t leaf = 0; leaf < lam_schema_leaf_count(schema); leaf++) {
        uint8_t *r = levels[leaf][0], *d = levels[leaf][1];
        size_t count = copy_digits(written[leaf].repetition, r);
        cr_assert_eq(copy_digits(written[leaf].definition, d), count);
        rows = count_level(r, count, 0);
        uint8_t most = lam_schema_leaf(schema, leaf)->max_definition;
        lam_triples column = {count, count_level(d, count, most), r, d, zeros};
        columns[leaf] = column;
    }
    lam_buffer file = forge_triples(schema, NULL, columns, rows);
    lam_test_findings found = lam_test_check(file.data, file.size, NULL);
    lam_buffer_finish(&file);
    lam_schema_destroy(schema);
    return found;
}

static void expect_agreement(const char *schema_text, const written_levels *written) {
    lam_test_findings found = check_levels_of(schema_text, written);
    cr_assert_str_eq(found.rules, "", "%s", found.first);
}

static void expect_difference(const char *schema_text, const written_levels *written,
                              int32_t column, int64_t row, const char *words) {
    lam_test_findings found = check_levels_of(schema_text, written);
    cr_assert_str_eq(found.rules, "levels-agree");
    cr_assert_eq(found.totals.errors, 1);
    cr_assert_eq(found.first_column, column);
    cr_assert_eq(found.first_row, row, "%" PRId64, found.first_row);
    cr_assert_not_null(strstr(found.first, words), "%s", found.first);
}

static const char pairs[] =
    "message m { repeated group p { optional int32 a; optional int32 b; } }";

Test(check_level_digests, what_is_within_the_group_is_its_columns_own) {
    expect_agreement(pairs, (written_levels[]){{"00110", "01220"}, {"00110", "02120"}});
}

Test(check_level_digests, an_element_of_a_list_that_another_column_says_is_empty_is_found) {
    expect_difference(pairs, (written_levels[]){{"000", "101"}, {"000", "111"}}, 1, 1,
                      "the group p differ from those in column p.a");
    expect_difference(pairs, (written_levels[]){{"000", "121"}, {"000", "101"}}, 1, 1, "group p");
}

Test(check_level_digests, lists_of_different_length_are_found_in_their_row) {
    expect_difference(pairs, (written_levels[]){{"00100", "11111"}, {"0000", "1111"}}, 1, 1, "");
    expect_difference(pairs, (written_levels[]){{"0000", "1111"}, {"00100", "11111"}}, 1, 1, "");
    expect_difference(pairs, (written_levels[]){{"000", "111"}, {"0001", "1112"}}, 1, 2, "");
    expect_difference(pairs, (written_levels[]){{"000111", "111222"}, {"00011", "11122"}}, 1, 2,
                      "");
}

Test(check_level_digests, the_outermost_group_that_differs_is_named) {
    static const char schema[] = "message m { optional group o { required int32 x;"
                                 " repeated group p { optional int32 a; optional int32 b; } } }";
    expect_agreement(schema, (written_levels[]){{"00", "10"}, {"00", "10"}, {"00", "10"}});
    expect_difference(schema, (written_levels[]){{"00", "10"}, {"00", "10"}, {"00", "11"}}, 2, 1,
                      "the group o differ from those in column o.x");
    expect_difference(schema, (written_levels[]){{"00", "10"}, {"010", "220"}, {"00", "20"}}, 2, 0,
                      "the group o.p differ from those in column o.p.a");
}

Test(check_level_digests, a_required_group_is_where_the_group_above_it_is) {
    static const char schema[] = "message m { optional group o { required group q {"
                                 " optional int32 a; optional int32 b; } } }";
    expect_agreement(schema, (written_levels[]){{"000", "012"}, {"000", "021"}});
    expect_difference(schema, (written_levels[]){{"000", "012"}, {"000", "001"}}, 1, 1,
                      "the group o differ from those in column o.q.a");
}

/* Only for the first columns that differ is the row looked up, which takes reading them again. */
Test(check_level_digests, many_columns_that_differ_are_all_told) {
    enum { COLUMNS = 40 };
    static uint8_t there[3] = {1, 1, 1}, away[3] = {1, 0, 1};
    char text[COLUMNS * 32] = "message m { optional group g {";
    lam_triples columns[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
        snprintf(text + strlen(text), 32, " optional int32 c%d;", i);
        lam_triples column = {3, 0, NULL, i == 0 ? there : away, NULL};
        columns[i] = column;
    }
    strcat(text, " } }");
    lam_schema *schema = lam_test_schema(text);
    lam_buffer file = forge_triples(schema, NULL, columns, 3);
    lam_test_findings found = lam_test_check(file.data, file.size, NULL);
    cr_assert_str_eq(found.rules, "levels-agree");
    cr_assert_eq(found.totals.errors, COLUMNS - 1);
    cr_assert_eq(found.first_row, 1);
    lam_buffer_finish(&file);
    lam_schema_destroy(schema);
}

/* --- Any levels ------------------------------------------------------------------------------ */

typedef struct any_column {
    uint8_t *repetition;
    uint8_t *definition;
    void *values;
    lam_triples triples;
} any_column;

static any_column any_columns[LEAVES_MAX];

static void copy_column(const lam_field *leaf, lam_triples from, any_column *column) {
    size_t room = from.count + 1;
    column->repetition = calloc(room, 1);
    column->definition = malloc(room);
    column->values = calloc(room, lam_element_size(leaf));
    memset(column->definition, leaf->max_definition, room);
    if (from.repetition != NULL)
        memcpy(column->repetition, from.repetition, from.count);
    if (from.definition != NULL)
        memcpy(column->definition, from.definition, from.count);
    from.repetition = column->repetition;
    from.definition = column->definition;
    from.values = column->values;
    column->triples = from;
}

/* Changes one level, such that the column keeps its rows and no level is above its maximum. */
static void damage(lam_random *random, const lam_field *leaf, any_column *column) {
    size_t count = column->triples.count;
    if (count == 0)
        return;
    size_t at = (size_t)lam_random_below(random, count);
    uint8_t *r = &column->repetition[at], *d = &column->definition[at];
    if (*r > 0 && lam_random_chance(random, 50))
        *r = (uint8_t)(1 + lam_random_below(random, leaf->max_repetition));
    else
        *d = (uint8_t)lam_random_below(random, leaf->max_definition + 1u);
    column->triples.value_count = count_level(column->definition, count, leaf->max_definition);
}

static lam_status pass(void *state, lam_error *error) {
    (void)state, (void)error;
    return LAM_STATUS_OK;
}

static lam_status pass_group(void *state, const lam_field *group, lam_error *error) {
    (void)state, (void)group, (void)error;
    return LAM_STATUS_OK;
}

static lam_status pass_value(void *state, const lam_field *leaf, lam_value value,
                             lam_error *error) {
    (void)state, (void)leaf, (void)value, (void)error;
    return LAM_STATUS_OK;
}

static bool records_read(const lam_buffer *file) {
    static const lam_record_sink nowhere = {NULL,       pass, pass_group, pass_value,
                                            pass_group, pass, NULL};
    lam_record_reader *records;
    uint64_t count;
    lam_error error = lam_error_none();
    lam_reader *reader = lam_test_open(file->data, file->size, NULL);
    cr_assert_eq(lam_record_reader_open(reader, NULL, &records, NULL), LAM_STATUS_OK);
    lam_status status = lam_record_reader_read(records, &nowhere, UINT64_MAX, &count, &error);
    lam_record_reader_close(records);
    lam_reader_close(reader);
    cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT, "%s", error.message);
    return status == LAM_STATUS_OK;
}

/* A few records of any shape, with one or two levels changed or none; true when they still read. */
static bool run_trial(uint64_t seed) {
    lam_triples triples[LEAVES_MAX];
    lam_random random = lam_random_start(seed);
    lam_allocator allocator = lam_allocator_default();
    lam_schema *schema = lam_tree_random_schema(&random, 40);
    size_t leaves = lam_schema_leaf_count(schema), rows = 1 + lam_random_below(&random, 20);
    unsigned presence = (unsigned)lam_random_below(&random, 101);
    lam_arena arena;
    lam_shredder *shredder;
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_shredder_create(schema, NULL, &shredder, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_shredder_sink(shredder);
    for (size_t i = 0; i < rows; i++) {
        lam_tree_item record = lam_tree_random(&random, schema, presence, &arena);
        cr_assert_eq(lam_tree_drive(schema, &record, &sink, NULL, false, NULL), LAM_STATUS_OK);
    }
    for (size_t i = 0; i < leaves; i++)
        copy_column(lam_schema_leaf(schema, i), lam_shredder_triples(shredder, i), &any_columns[i]);
    for (uint64_t n = lam_random_below(&random, 3); n > 0 && leaves > 0; n--) {
        size_t leaf = (size_t)lam_random_below(&random, leaves);
        damage(&random, lam_schema_leaf(schema, leaf), &any_columns[leaf]);
    }
    for (size_t i = 0; i < leaves; i++)
        triples[i] = any_columns[i].triples;
    lam_writer_options options = lam_writer_options_default();
    options.page_rows = lam_random_below(&random, 8);
    lam_buffer file = forge_triples(schema, &options, triples, rows);
    lam_test_findings found = lam_test_check(file.data, file.size, NULL);
    bool told = strstr(found.rules, "levels-") != NULL, reads = records_read(&file);
    cr_assert_neq(told, reads, "seed %" PRIu64 ": %s", seed, found.first);
    if (strstr(found.first, "levels-") == found.first)
        cr_assert(found.first_row >= 0 && (size_t)found.first_row < rows,
                  "seed %" PRIu64 ": row %" PRId64, seed, found.first_row);
    for (size_t i = 0; i < leaves; i++) {
        free(any_columns[i].repetition);
        free(any_columns[i].definition);
        free(any_columns[i].values);
    }
    lam_buffer_finish(&file);
    lam_shredder_destroy(shredder);
    lam_schema_destroy(schema);
    lam_arena_finish(&arena);
    return reads;
}

Test(check_level_digests, levels_are_told_where_no_record_shreds_to_them_and_nowhere_else) {
    uint64_t first = lam_test_seed(1), good = 0;
    for (uint64_t seed = first; seed < first + ROUNDS; seed++)
        good += run_trial(seed);
    cr_assert_gt(good, ROUNDS / 10);
    cr_assert_lt(good, ROUNDS - ROUNDS / 10);
}
