/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random schemas and records: shredder and assembler against the recursive oracles, for all leaves
 * and for projections, with runs that break anywhere. LAMELLA_ROUNDS overrides the number of
 * schemas.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/dremel.h>
#include <stdlib.h>
#include <string.h>

#include "reference/broken_runs.h"
#include "reference/oracle.h"
#include "schema/tree.h"

enum { RECORDS_MAX = 6, LEAVES_MAX = 600 };

/* One schema, its records, and what the oracle shreds them to. */
typedef struct trial {
    uint64_t seed;
    lam_random random;
    lam_allocator allocator;
    lam_arena arena;
    lam_schema *schema;
    size_t record_count;
    lam_tree_item records[RECORDS_MAX];
    lam_oracle_column *columns;
} trial;

static void start_trial(trial *t, uint64_t seed) {
    memset(t, 0, sizeof *t);
    t->seed = seed;
    t->random = lam_random_start(seed);
    t->allocator = lam_allocator_default();
    lam_arena_init(&t->arena, &t->allocator, 0);
    t->schema = lam_tree_random_schema(&t->random, 200);
    cr_assert_leq(lam_schema_leaf_count(t->schema), LEAVES_MAX);
    t->columns = lam_tree_alloc(&t->arena, lam_schema_leaf_count(t->schema), sizeof *t->columns);
    static const unsigned presences[] = {30, 70, 95, 100};
    unsigned presence = presences[lam_random_below(&t->random, 4)];
    t->record_count = 1 + (size_t)lam_random_below(&t->random, RECORDS_MAX);
    for (size_t i = 0; i < t->record_count; i++) {
        t->records[i] = lam_tree_random(&t->random, t->schema, presence, &t->arena);
        lam_oracle_shred(t->schema, &t->records[i], t->columns, &t->arena);
    }
}

static void finish_trial(trial *t) {
    lam_schema_destroy(t->schema);
    lam_arena_finish(&t->arena);
}

static lam_value element_at(const lam_field *leaf, const void *values, size_t index) {
    const uint8_t *element = (const uint8_t *)values + index * lam_element_size(leaf);
    lam_value value = {0};
    if (leaf->physical_type == LAM_PHYSICAL_BOOLEAN)
        value.boolean = *element;
    else if (leaf->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY ||
             leaf->physical_type == LAM_PHYSICAL_INT96)
        value.bytes = (lam_bytes){element, (size_t)leaf->type_length};
    else
        memcpy(&value, element, lam_element_size(leaf));
    return value;
}

static void compare_column(const trial *t, size_t leaf_index, lam_triples got) {
    const lam_field *leaf = lam_schema_leaf(t->schema, leaf_index);
    const lam_oracle_column *want = &t->columns[leaf_index];
    cr_assert_eq(got.count, want->count, "seed %" PRIu64, t->seed);
    cr_assert_eq(got.value_count, want->value_count, "seed %" PRIu64, t->seed);
    for (size_t i = 0; i < got.count; i++) {
        uint8_t r = got.repetition != NULL ? got.repetition[i] : 0;
        uint8_t d = got.definition != NULL ? got.definition[i] : leaf->max_definition;
        cr_assert(r == want->repetition[i] && d == want->definition[i],
                  "seed %" PRIu64 ", leaf %zu, triple %zu: (%u, %u), expected (%u, %u)", t->seed,
                  leaf_index, i, r, d, want->repetition[i], want->definition[i]);
    }
    for (size_t i = 0; i < got.value_count; i++)
        cr_assert(lam_tree_value_equals(leaf, element_at(leaf, got.values, i), want->values[i]),
                  "seed %" PRIu64 ", leaf %zu, value %zu", t->seed, leaf_index, i);
}

/* Shreds all records, fields in any order, by way of the checker as often as not. */
static lam_shredder *shred(trial *t) {
    lam_shredder *shredder;
    cr_assert_eq(lam_shredder_create(t->schema, NULL, &shredder, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_shredder_sink(shredder);
    lam_record_checker *checker;
    cr_assert_eq(lam_record_checker_create(t->schema, &sink, NULL, &checker, NULL), LAM_STATUS_OK);
    bool checked = lam_random_chance(&t->random, 50);
    if (checked)
        sink = lam_record_checker_sink(checker);
    for (size_t i = 0; i < t->record_count; i++) {
        lam_error error = lam_error_none();
        lam_status status =
            lam_tree_drive(t->schema, &t->records[i], &sink, &t->random, !checked, &error);
        cr_assert_eq(status, LAM_STATUS_OK, "seed %" PRIu64 ": %s", t->seed, error.message);
    }
    cr_assert_eq(lam_shredder_record_count(shredder), t->record_count);
    lam_record_checker_destroy(checker);
    return shredder;
}

static lam_status look(void *state, const lam_assembly_step *step, lam_error *error) {
    (void)error;
    *(uint64_t *)state += step->open_count + step->kept_count < SIZE_MAX;
    return LAM_STATUS_OK;
}

/* Reads with a watch as often as not: the records are the same. */
static lam_status read_records(trial *t, lam_assembler *assembler, const lam_record_sink *sink,
                               size_t wanted, size_t *ret_records, lam_error *error) {
    uint64_t steps = 0;
    lam_assembly_watch watch = {&steps, look, look};
    if (lam_random_chance(&t->random, 50))
        return lam_assembler_read(assembler, sink, wanted, ret_records, error);
    return lam_assembler_read_watched(assembler, sink, &watch, wanted, ret_records, error);
}

/* Assembles the projected leaves in any portions, and demands the projected records. */
static void assemble(trial *t, const lam_shredder *shredder, const bool *leaves) {
    static lam_broken_runs runs[LEAVES_MAX];
    static lam_triple_source sources[LEAVES_MAX];
    size_t run_max = 1 + (size_t)lam_random_below(&t->random, 20);
    size_t source_count = 0;
    for (size_t i = 0; i < lam_schema_leaf_count(t->schema); i++) {
        if (!leaves[i])
            continue;
        lam_broken_runs *source = &runs[source_count];
        lam_broken_runs_init(source, lam_schema_leaf(t->schema, i),
                             lam_shredder_triples(shredder, i), run_max, &t->random);
        sources[source_count++] = lam_broken_runs_source(source);
    }
    lam_assembler *assembler;
    cr_assert_eq(lam_assembler_create(t->schema, leaves, sources, NULL, &assembler, NULL),
                 LAM_STATUS_OK);
    lam_tree_builder builder;
    lam_tree_builder_init(&builder, t->schema, &t->arena);
    lam_record_sink sink = lam_tree_builder_sink(&builder);
    for (size_t records, wanted; builder.ended < t->record_count;) {
        wanted = 1 + (size_t)lam_random_below(&t->random, 3);
        lam_error error = lam_error_none();
        lam_status status = read_records(t, assembler, &sink, wanted, &records, &error);
        cr_assert_eq(status, LAM_STATUS_OK, "seed %" PRIu64 ": %s", t->seed, error.message);
        cr_assert_gt(records, 0);
    }
    size_t records = 1;
    cr_assert_eq(lam_assembler_read(assembler, &sink, 1, &records, NULL), LAM_STATUS_OK);
    cr_assert_eq(records, 0);
    cr_assert_eq(builder.misordered, 0);
    const lam_field *root = lam_schema_root(t->schema);
    for (size_t i = 0; i < t->record_count; i++) {
        lam_tree_item want = lam_tree_project(root, &t->records[i], leaves, &t->arena);
        cr_assert(lam_tree_equals(root, &want, &builder.records.items[i]),
                  "seed %" PRIu64 ", record %zu", t->seed, i);
    }
    lam_assembler_destroy(assembler);
    for (size_t i = 0; i < source_count; i++)
        lam_broken_runs_finish(&runs[i]);
}

/* The oracles themselves: what one takes apart the other puts together. */
static void check_oracle(trial *t, const bool *leaves) {
    for (size_t i = 0; i < lam_schema_leaf_count(t->schema); i++)
        t->columns[i].cursor = t->columns[i].value_cursor = 0;
    const lam_field *root = lam_schema_root(t->schema);
    for (size_t i = 0; i < t->record_count; i++) {
        lam_tree_item got;
        lam_tree_item want = lam_tree_project(root, &t->records[i], leaves, &t->arena);
        cr_assert(lam_oracle_assemble(t->schema, leaves, t->columns, &t->arena, &got));
        cr_assert(lam_tree_equals(root, &want, &got), "seed %" PRIu64, t->seed);
    }
}

static void run_trial(uint64_t seed) {
    trial t;
    start_trial(&t, seed);
    lam_shredder *shredder = shred(&t);
    size_t leaf_count = lam_schema_leaf_count(t.schema);
    for (size_t i = 0; i < leaf_count; i++)
        compare_column(&t, i, lam_shredder_triples(shredder, i));

    bool leaves[LEAVES_MAX];
    memset(leaves, true, sizeof leaves);
    assemble(&t, shredder, leaves);
    check_oracle(&t, leaves);
    for (int projection = 0; projection < 2; projection++) {
        unsigned chance = 5 + (unsigned)lam_random_below(&t.random, 90);
        for (size_t i = 0; i < leaf_count; i++)
            leaves[i] = lam_random_chance(&t.random, chance);
        leaves[lam_random_below(&t.random, leaf_count)] = true;
        assemble(&t, shredder, leaves);
        check_oracle(&t, leaves);
    }
    lam_shredder_destroy(shredder);
    finish_trial(&t);
}

Test(oracle, random_records_of_random_schemas_shred_and_assemble_as_the_oracles_say) {
    const char *rounds = getenv("LAMELLA_ROUNDS");
    uint64_t count = rounds != NULL ? strtoull(rounds, NULL, 10) : 20000;
    uint64_t seed = lam_test_seed(1);
    for (uint64_t i = 0; i < count; i++)
        run_trial(seed + i);
}
