/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns with levels that nobody wrote: whatever they are, the assembler says CORRUPT, or gives
 * records that shred to just these levels. LAMELLA_ROUNDS overrides the number of schemas.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/dremel.h>
#include <lamella/record.h>
#include <stdlib.h>
#include <string.h>

#include "reference/broken_runs.h"
#include "reference/record_tree.h"
#include "schema/tree.h"

enum { LEAVES_MAX = 600, TRIPLES_MAX = 12, ROUNDS_FOR_A_SHARE = 1000 };

typedef struct hostile_column {
    uint8_t repetition[TRIPLES_MAX];
    uint8_t definition[TRIPLES_MAX];
    uint64_t values[TRIPLES_MAX * 4]; /* room for any element, all empty */
    lam_triples triples;
    lam_broken_runs runs;
} hostile_column;

static hostile_column columns[LEAVES_MAX];
static lam_triple_source sources[LEAVES_MAX];

/* Small levels mostly, so that some columns fit together. */
static uint8_t any_level(lam_random *random, uint8_t max) {
    if (lam_random_chance(random, 1))
        return (uint8_t)lam_random_next(random);
    return (uint8_t)lam_random_below(random, (uint64_t)max + 1);
}

static void make_column(lam_random *random, const lam_field *leaf, size_t count,
                        hostile_column *column) {
    memset(column, 0, sizeof *column);
    size_t value_count = 0;
    for (size_t i = 0; i < count; i++) {
        bool first = i == 0 || lam_random_chance(random, 30);
        column->repetition[i] = first ? 0 : any_level(random, leaf->max_repetition);
        column->definition[i] = any_level(random, leaf->max_definition);
        value_count += column->definition[i] == leaf->max_definition;
    }
    if (lam_random_chance(random, 1))
        value_count++;
    lam_triples triples = {count, value_count, column->repetition, column->definition,
                           column->values};
    column->triples = triples;
    lam_broken_runs_init(&column->runs, leaf, triples, 1 + lam_random_below(random, 8), random);
}

/* All of the columns were read, and the records shred back to them. */
static void expect_same(const lam_schema *schema, const lam_shredder *shredder, uint64_t seed) {
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++) {
        lam_triples got = lam_shredder_triples(shredder, i);
        uint8_t max = lam_schema_leaf(schema, i)->max_definition;
        cr_assert_eq(got.count, columns[i].triples.count, "seed %" PRIu64, seed);
        for (size_t t = 0; t < got.count; t++) {
            uint8_t r = got.repetition != NULL ? got.repetition[t] : 0;
            uint8_t d = got.definition != NULL ? got.definition[t] : max;
            cr_assert_eq(r, columns[i].repetition[t], "seed %" PRIu64, seed);
            cr_assert_eq(d, columns[i].definition[t], "seed %" PRIu64, seed);
        }
    }
}

static bool run_trial(uint64_t seed) {
    lam_random random = lam_random_start(seed);
    lam_schema *schema = lam_tree_random_schema(&random, 40);
    size_t leaf_count = lam_schema_leaf_count(schema);
    size_t count = lam_random_below(&random, TRIPLES_MAX);
    for (size_t i = 0; i < leaf_count; i++) {
        size_t own =
            lam_random_chance(&random, 90) ? count : lam_random_below(&random, TRIPLES_MAX);
        make_column(&random, lam_schema_leaf(schema, i), own, &columns[i]);
        sources[i] = lam_broken_runs_source(&columns[i].runs);
    }
    lam_shredder *shredder;
    lam_assembler *assembler;
    cr_assert_eq(lam_shredder_create(schema, NULL, &shredder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_assembler_create(schema, NULL, sources, NULL, &assembler, NULL),
                 LAM_STATUS_OK);
    lam_record_sink sink = lam_shredder_sink(shredder);
    size_t records = 0;
    lam_error error = lam_error_none();
    lam_status status = lam_assembler_read(assembler, &sink, SIZE_MAX, &records, &error);
    if (status == LAM_STATUS_OK) {
        expect_same(schema, shredder, seed);
    } else {
        cr_assert_eq(status, LAM_STATUS_CORRUPT, "seed %" PRIu64 ": %s", seed, error.message);
        cr_assert(error.column >= 0 && (size_t)error.column < leaf_count);
    }
    lam_assembler_destroy(assembler);
    lam_shredder_destroy(shredder);
    for (size_t i = 0; i < leaf_count; i++)
        lam_broken_runs_finish(&columns[i].runs);
    lam_schema_destroy(schema);
    return status == LAM_STATUS_OK && records > 0;
}

Test(hostile_levels, any_levels_are_corrupt_or_those_of_records) {
    const char *rounds = getenv("LAMELLA_ROUNDS");
    uint64_t count = rounds != NULL ? strtoull(rounds, NULL, 10) : 50000;
    uint64_t seed = lam_test_seed(1);
    uint64_t accepted = 0;
    for (uint64_t i = 0; i < count; i++)
        accepted += run_trial(seed + i);
    if (count >= ROUNDS_FOR_A_SHARE)
        cr_assert_gt(accepted, count / 100, "too few columns fit together to tell anything");
}
