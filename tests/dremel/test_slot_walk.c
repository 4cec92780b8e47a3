/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns side by side against two oracles: the slots that a walk through record trees finds, in
 * which no level is read, and the assembler, which refuses levels that no record shreds to.
 * LAMELLA_ROUNDS overrides the number of schemas.
 */
#include "dremel/slot_walk.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reference/broken_runs.h"
#include "reference/oracle.h"
#include "reference/record_tree.h"
#include "support/test_file.h"

enum { RECORDS_MAX = 6, FOLLOWERS_MAX = 4, COLUMNS_MAX = FOLLOWERS_MAX + 1, PATH_MAX_DEPTH = 256 };

static uint64_t rounds_of(uint64_t usual) {
    const char *rounds = getenv("LAMELLA_ROUNDS");
    return rounds != NULL ? strtoull(rounds, NULL, 10) : usual;
}

/* Any field at or above a leaf, the root included. */
static const lam_field *random_ancestor(lam_random *random, const lam_field *field) {
    for (uint64_t up = lam_random_below(random, (uint64_t)field->depth + 1); up > 0; up--)
        field = lam_parent_of(field);
    return field;
}

static const lam_field *random_leaf(lam_random *random, const lam_schema *schema,
                                    const lam_field *field) {
    return lam_schema_leaf(schema,
                           field->first_leaf + (size_t)lam_random_below(random, field->leaf_count));
}

/* --- Slots of record trees ------------------------------------------------------------------- */

/* What a column shows at a slot. */
typedef struct seen_slot {
    uint8_t repetition;
    uint8_t definition;
    const lam_value *value; /* NULL: none */
} seen_slot;

typedef struct slot_trial {
    uint64_t seed;
    lam_random random;
    lam_arena arena;
    lam_schema *schema;
    lam_shredder *shredder;
    size_t column_count;
    const lam_field *fields[COLUMNS_MAX]; /* of whose slots each column takes a step */
    lam_broken_runs runs[COLUMNS_MAX];
    lam_slot_column columns[COLUMNS_MAX];
    lam_slot_walk walk;
    seen_slot expected[COLUMNS_MAX];
    size_t path_length;
    const lam_field *path[PATH_MAX_DEPTH]; /* from below the root to the field of the slots */
} slot_trial;

static const lam_tree_field *child_items(const lam_tree_item *item, const lam_field *child) {
    const lam_field *parent = lam_parent_of(child);
    for (size_t i = 0; i < lam_field_child_count(parent); i++)
        if (lam_child_at(parent, i) == child)
            return &item->fields[i];
    abort();
}

/* The first triple of a leaf in an item of a field around it. */
static seen_slot first_of(const lam_field *leaf, const lam_field *field, const lam_tree_item *item,
                          uint8_t repetition) {
    if (leaf == field)
        return (seen_slot){repetition, leaf->max_definition, &item->value};
    const lam_field *child = leaf;
    while (lam_parent_of(child) != field)
        child = lam_parent_of(child);
    const lam_tree_field *items = child_items(item, child);
    if (items->count == 0)
        return (seen_slot){repetition, field->max_definition, NULL};
    return first_of(leaf, child, &items->items[0], repetition);
}

static void expect_slot(slot_trial *t) {
    bool any = false;
    cr_assert_eq(lam_slot_walk_next(&t->walk, &any, NULL), LAM_STATUS_OK);
    cr_assert(any, "seed %" PRIu64, t->seed);
    for (size_t i = 0; i < t->column_count; i++) {
        const lam_slot_column *column = &t->columns[i];
        const seen_slot *want = &t->expected[i];
        cr_assert(column->repetition == want->repetition && column->definition == want->definition,
                  "seed %" PRIu64 ", column %zu: (%u, %u), expected (%u, %u)", t->seed, i,
                  column->repetition, column->definition, want->repetition, want->definition);
        cr_assert_eq(lam_slot_column_has_value(column), want->value != NULL);
        if (want->value == NULL || column->leaf->physical_type != LAM_PHYSICAL_INT64)
            continue;
        int64_t value = ((const int64_t *)column->batch.values)[column->next_value - 1];
        cr_assert_eq(value, want->value->int64, "seed %" PRIu64, t->seed);
    }
}

/*
 * Goes down the path to the field of the slots; `item` is of path[depth - 1]. Columns whose field
 * is at that depth, or would be further down than the record goes, take a step.
 */
static void visit(slot_trial *t, size_t depth, const lam_tree_item *item, uint8_t repetition) {
    const lam_field *here = depth == 0 ? lam_schema_root(t->schema) : t->path[depth - 1];
    for (size_t i = 0; i < t->column_count; i++)
        if (t->fields[i] == here)
            t->expected[i] = first_of(t->columns[i].leaf, here, item, repetition);
    if (depth == t->path_length) {
        expect_slot(t);
        return;
    }
    const lam_field *child = t->path[depth];
    const lam_tree_field *items = child_items(item, child);
    for (size_t i = 0; i < items->count; i++)
        visit(t, depth + 1, &items->items[i], i == 0 ? repetition : child->max_repetition);
    if (items->count > 0)
        return;
    for (size_t i = 0; i < t->column_count; i++)
        if (t->fields[i]->depth > here->depth)
            t->expected[i] = (seen_slot){repetition, here->max_definition, NULL};
    expect_slot(t);
}

/* The leading column, then such of fields at or above that of its slots. */
static void choose_columns(slot_trial *t) {
    const lam_field *root = lam_schema_root(t->schema);
    const lam_field *leaf = random_leaf(&t->random, t->schema, root);
    t->fields[0] = random_ancestor(&t->random, leaf);
    t->column_count = 1 + (size_t)lam_random_below(&t->random, FOLLOWERS_MAX + 1);
    for (size_t i = 0; i < t->column_count; i++) {
        if (i > 0) {
            t->fields[i] = lam_random_chance(&t->random, 50)
                               ? t->fields[0]
                               : random_ancestor(&t->random, t->fields[0]);
            leaf = random_leaf(&t->random, t->schema, t->fields[i]);
        }
        lam_slot_column_init(&t->columns[i], leaf, t->fields[i]);
        lam_broken_runs_init(&t->runs[i], leaf, lam_shredder_triples(t->shredder, leaf->first_leaf),
                             1 + (size_t)lam_random_below(&t->random, 12), &t->random);
        t->columns[i].source = lam_broken_runs_source(&t->runs[i]);
    }
    t->path_length = t->fields[0]->depth;
    const lam_field *field = t->fields[0];
    for (size_t i = t->path_length; i > 0; i--, field = lam_parent_of(field))
        t->path[i - 1] = field;
}

static void run_trial(uint64_t seed) {
    static slot_trial t;
    lam_allocator allocator = lam_allocator_default();
    lam_tree_item records[RECORDS_MAX];
    memset(&t, 0, sizeof t);
    t.seed = seed;
    t.random = lam_random_start(seed);
    lam_arena_init(&t.arena, &allocator, 0);
    t.schema = lam_tree_random_schema(&t.random, 60);
    cr_assert_eq(lam_shredder_create(t.schema, NULL, &t.shredder, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_shredder_sink(t.shredder);
    size_t count = 1 + (size_t)lam_random_below(&t.random, RECORDS_MAX);
    unsigned presence = 50 + (unsigned)lam_random_below(&t.random, 51);
    for (size_t i = 0; i < count; i++) {
        records[i] = lam_tree_random(&t.random, t.schema, presence, &t.arena);
        cr_assert_eq(lam_tree_drive(t.schema, &records[i], &sink, &t.random, false, NULL),
                     LAM_STATUS_OK);
    }
    choose_columns(&t);
    t.walk = (lam_slot_walk){.columns = t.columns, .column_count = t.column_count};
    lam_slot_walk_start(&t.walk, count);
    for (size_t i = 0; i < count; i++)
        visit(&t, 0, &records[i], 0);
    bool any = true;
    cr_assert_eq(lam_slot_walk_next(&t.walk, &any, NULL), LAM_STATUS_OK);
    cr_assert_not(any, "seed %" PRIu64, seed);
    cr_assert_eq(t.walk.rows, count);
    for (size_t i = 0; i < t.column_count; i++)
        lam_broken_runs_finish(&t.runs[i]);
    lam_shredder_destroy(t.shredder);
    lam_schema_destroy(t.schema);
    lam_arena_finish(&t.arena);
}

Test(slot_walk, slots_are_those_of_the_records, .timeout = 240) {
    uint64_t seed = lam_test_seed(34);
    for (uint64_t i = 0, count = rounds_of(20000); i < count; i++)
        run_trial(seed + i);
}

/* --- Levels that nobody wrote ---------------------------------------------------------------- */

enum { TRIPLES_MAX = 6 };

typedef struct made_column {
    const lam_field *leaf;
    uint8_t repetition[TRIPLES_MAX], definition[TRIPLES_MAX];
    uint64_t values[TRIPLES_MAX * 8]; /* room for any element, all empty */
    lam_triples triples;
    bool given;
} made_column;

static lam_status give_all(void *state, lam_triples *ret_triples, lam_error *error) {
    made_column *column = state;
    (void)error;
    *ret_triples = column->given ? (lam_triples){0} : column->triples;
    column->given = true;
    return LAM_STATUS_OK;
}

static void make_column(lam_random *random, const lam_field *leaf, made_column *column) {
    memset(column, 0, sizeof *column);
    column->leaf = leaf;
    lam_triples *all = &column->triples;
    all->count = (size_t)lam_random_below(random, TRIPLES_MAX + 1);
    for (size_t i = 0; i < all->count; i++) {
        bool first = i == 0 ? lam_random_chance(random, 95) : lam_random_chance(random, 30);
        column->repetition[i] =
            first ? 0 : (uint8_t)lam_random_below(random, leaf->max_repetition + UINT64_C(1));
        column->definition[i] =
            (uint8_t)lam_random_below(random, leaf->max_definition + UINT64_C(1));
        all->value_count += column->definition[i] == leaf->max_definition;
    }
    all->repetition = column->repetition;
    all->definition = column->definition;
    all->values = column->values;
}

/* Levels like those of the first column, so that some pairs fit together. */
static void liken(lam_random *random, const made_column *one, made_column *other) {
    lam_triples *all = &other->triples;
    all->count = one->triples.count;
    all->value_count = 0;
    for (size_t i = 0; i < all->count; i++) {
        uint8_t r = one->repetition[i], d = one->definition[i];
        if (r <= other->leaf->max_repetition)
            other->repetition[i] = r;
        if (d <= other->leaf->max_definition && lam_random_chance(random, 90))
            other->definition[i] = d;
        all->value_count += other->definition[i] == other->leaf->max_definition;
    }
}

static lam_status ignore_field(void *state, const lam_field *field, lam_error *error) {
    (void)state, (void)field, (void)error;
    return LAM_STATUS_OK;
}

static lam_status ignore_put(void *state, const lam_field *leaf, lam_value value,
                             lam_error *error) {
    (void)state, (void)leaf, (void)value, (void)error;
    return LAM_STATUS_OK;
}

static lam_status ignore(void *state, lam_error *error) {
    (void)state, (void)error;
    return LAM_STATUS_OK;
}

static lam_status assemble_pair(const lam_schema *schema, made_column columns[2], size_t count,
                                size_t *ret_records, lam_error *error) {
    static bool leaves[4096];
    const lam_record_sink sink = {NULL,         ignore, ignore_field, ignore_put,
                                  ignore_field, ignore, NULL};
    lam_triple_source sources[2];
    lam_assembler *assembler;
    memset(leaves, 0, sizeof leaves);
    bool is_turned = count == 2 && columns[1].leaf->first_leaf < columns[0].leaf->first_leaf;
    for (size_t i = 0; i < count; i++) {
        made_column *column = &columns[is_turned ? 1 - i : i];
        column->given = false;
        leaves[column->leaf->first_leaf] = true;
        sources[i] = (lam_triple_source){column, give_all};
    }
    cr_assert_eq(lam_assembler_create(schema, leaves, sources, NULL, &assembler, NULL),
                 LAM_STATUS_OK);
    lam_status status = lam_assembler_read(assembler, &sink, SIZE_MAX, ret_records, error);
    lam_assembler_destroy(assembler);
    return status;
}

static lam_status walk_pair(made_column made[2], size_t count, size_t *ret_rows, lam_error *error) {
    lam_slot_column columns[2];
    lam_slot_walk walk = {.columns = columns, .column_count = count};
    lam_status status = LAM_STATUS_OK;
    bool any = true;
    /* By all of its triples the first one leads, the other by slots of the field around both. */
    lam_slot_column_init(&columns[0], made[0].leaf, made[0].leaf);
    if (count == 2)
        lam_slot_column_init(&columns[1], made[1].leaf,
                             lam_common_field(made[0].leaf, made[1].leaf));
    for (size_t i = 0; i < count; i++) {
        made[i].given = false;
        columns[i].source = (lam_triple_source){&made[i], give_all};
    }
    lam_slot_walk_start(&walk, SIZE_MAX);
    while (status == LAM_STATUS_OK && any)
        status = lam_slot_walk_next(&walk, &any, error);
    *ret_rows = walk.rows;
    return status;
}

/* Gives whether the levels are those of some record. */
static bool try_levels(lam_random *random, uint64_t seed) {
    static made_column columns[2];
    lam_schema *schema = lam_tree_random_schema(random, 60);
    const lam_field *root = lam_schema_root(schema);
    const lam_field *leaf = random_leaf(random, schema, root);
    const lam_field *other = random_leaf(random, schema, random_ancestor(random, leaf));
    size_t count = leaf == other ? 1 : 2, records = 0, rows = 0;
    lam_error error = lam_error_none(), refusal = lam_error_none();
    make_column(random, leaf, &columns[0]);
    make_column(random, other, &columns[1]);
    if (lam_random_chance(random, 80))
        liken(random, &columns[0], &columns[1]);
    lam_status wanted = assemble_pair(schema, columns, count, &records, &error);
    lam_status status = walk_pair(columns, count, &rows, &refusal);
    cr_assert_eq(status, wanted, "seed %" PRIu64 ": %s | %s", seed, refusal.message, error.message);
    cr_assert_eq(refusal.code, error.code, "seed %" PRIu64, seed);
    if (status == LAM_STATUS_OK)
        cr_assert_eq(rows, records, "seed %" PRIu64, seed);
    lam_schema_destroy(schema);
    return status == LAM_STATUS_OK;
}

Test(slot_walk, two_columns_are_refused_where_an_assembler_refuses_them, .timeout = 240) {
    uint64_t seed = lam_test_seed(34), count = rounds_of(100000), fitting = 0;
    for (uint64_t i = 0; i < count; i++) {
        lam_random random = lam_random_start(seed + i);
        fitting += try_levels(&random, seed + i);
    }
    if (count < 1000)
        return;
    cr_expect_gt(fitting, count / 4, "%" PRIu64, fitting);
    cr_expect_lt(fitting, count * 3 / 4, "%" PRIu64, fitting);
}

/* --- Columns without levels ------------------------------------------------------------------ */

static const int64_t NUMBERS[] = {5, 6, 7, 8};

static lam_status count_batches(void *state, size_t column, lam_error *error) {
    (void)error;
    ((size_t *)state)[column]++;
    return LAM_STATUS_OK;
}

Test(slot_walk, records_without_levels_may_be_passed_together) {
    static const char text[] = "message m { required int64 a; required int64 b; }";
    static const uint8_t zeros[4] = {0};
    made_column made[2];
    lam_slot_column columns[2];
    size_t batches[2] = {0}, count = 9;
    bool any = false;
    lam_slot_walk walk = {columns, 2, 0, 0, count_batches, batches};
    lam_schema *schema = lam_test_parse(text);
    memset(made, 0, sizeof made);
    for (size_t i = 0; i < 2; i++) {
        const lam_field *leaf = lam_schema_leaf(schema, i);
        made[i].triples = (lam_triples){4, 4, NULL, i == 0 ? NULL : zeros, NUMBERS};
        lam_slot_column_init(&columns[i], leaf, lam_schema_root(schema));
        columns[i].source = (lam_triple_source){&made[i], give_all};
    }
    lam_slot_walk_start(&walk, 5);
    cr_expect_eq(lam_slot_walk_plain_rows(&walk, &count, NULL), LAM_STATUS_OK);
    cr_expect_eq(count, 0, "one of them has levels");
    columns[1].batch.definition = NULL;
    cr_expect_eq(lam_slot_walk_plain_rows(&walk, &count, NULL), LAM_STATUS_OK);
    cr_expect_eq(count, 4);
    lam_slot_walk_pass(&walk, 3);
    cr_expect_eq(walk.rows, 3);
    cr_expect_eq(lam_slot_walk_next(&walk, &any, NULL), LAM_STATUS_OK);
    cr_expect(any);
    cr_expect_eq(((const int64_t *)columns[1].batch.values)[columns[1].next_value - 1], 8);
    cr_expect_eq(lam_slot_walk_next(&walk, &any, NULL), LAM_STATUS_OK);
    cr_expect_not(any);
    cr_expect_eq(batches[0], 2);
    cr_expect_eq(batches[1], 2);
    lam_schema_destroy(schema);
}
