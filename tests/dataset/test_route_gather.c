/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of records are gathered out of a batch of columns, whole and in order, with memory that is
 * taken once.
 */
#include "dataset/partition/route_gather.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "chunk/triple_column.h"
#include "file/file_sample.h"
#include "schema/tree.h"
#include "support/failing_alloc.h"

enum { LEAVES = 8, RECORDS_MAX = 300 };

static const char schema_text[] =
    "message m { required int64 a; optional int32 b; required boolean c; optional binary d;"
    " repeated group g { optional double e; repeated fixed_len_byte_array(3) f; }"
    " required int96 h; optional group i { repeated binary j; } }";

/* Runs that cover the records, and the records of each group. */
typedef struct sample {
    lam_schema *schema;
    lam_triple_column columns[LEAVES];
    lam_triples given[LEAVES];
    lam_route_run runs[RECORDS_MAX];
    size_t run_count;
    size_t group_count;
    uint32_t records[RECORDS_MAX];
    lam_route_division division;
} sample;

static void sample_init(sample *s, lam_random *random) {
    lam_triple_shape shape = {.record_count = 1 + lam_random_below(random, RECORDS_MAX),
                              .null_percent = (unsigned)lam_random_below(random, 101),
                              .more_percent = (unsigned)lam_random_below(random, 60),
                              .bytes_max = 5};
    s->schema = lam_test_schema(schema_text);
    cr_assert_eq(lam_schema_leaf_count(s->schema), LEAVES);
    for (size_t i = 0; i < LEAVES; i++) {
        lam_triple_column_init(&s->columns[i], lam_schema_leaf(s->schema, i), &shape, random);
        s->given[i] = lam_triple_column_slice(&s->columns[i], 0, shape.record_count, random);
    }
    s->group_count = 1 + lam_random_below(random, 6);
    s->run_count = 0;
    size_t run_max = lam_random_chance(random, 40) ? 1 : 20;
    for (uint32_t first = 0; first < shape.record_count;) {
        uint32_t count = 1 + (uint32_t)lam_random_below(random, run_max);
        if (count > shape.record_count - first)
            count = (uint32_t)shape.record_count - first;
        s->runs[s->run_count++] =
            (lam_route_run){first, count, (uint32_t)lam_random_below(random, s->group_count)};
        first += count;
    }
    size_t listed = 0;
    for (uint32_t group = 0; group < s->group_count; group++)
        for (size_t i = 0; i < s->run_count; i++)
            for (uint32_t k = 0; s->runs[i].group == group && k < s->runs[i].count; k++)
                s->records[listed++] = s->runs[i].first + k;
    s->division = (lam_route_division){s->runs, s->run_count, s->records, listed, s->group_count};
}

static void sample_finish(sample *s) {
    for (size_t i = 0; i < LEAVES; i++)
        lam_triple_column_finish(&s->columns[i]);
    lam_schema_destroy(s->schema);
}

/* Moves the front of a run of triples away. */
static void advance(lam_triples *rest, const lam_field *leaf, lam_triples by) {
    rest->count -= by.count;
    rest->value_count -= by.value_count;
    if (rest->repetition != NULL)
        rest->repetition += by.count;
    if (rest->definition != NULL)
        rest->definition += by.count;
    if (rest->value_count > 0)
        rest->values = (const uint8_t *)rest->values + by.value_count * lam_element_size(leaf);
}

/* The records of each group are those of its runs, one after the other, and no more. */
static void expect_gathered(sample *s, lam_route_gather *gather, uint64_t seed) {
    for (size_t group = 0; group < s->group_count; group++)
        for (size_t leaf = 0; leaf < LEAVES; leaf++) {
            lam_triples rest = lam_route_gather_take(gather, group)[leaf];
            cr_assert_eq(rest.repetition == NULL, s->given[leaf].repetition == NULL);
            cr_assert_eq(rest.definition == NULL, s->given[leaf].definition == NULL);
            for (size_t i = 0; i < s->run_count; i++) {
                const lam_route_run *run = &s->runs[i];
                const lam_triple_column *column = &s->columns[leaf];
                lam_triple_match match = {column, column->starts[run->first],
                                          column->value_starts[run->first]};
                if (run->group != group)
                    continue;
                lam_triples next = rest;
                next.count = column->starts[run->first + run->count] - match.at;
                next.value_count = column->value_starts[run->first + run->count] - match.value_at;
                cr_assert(rest.count >= next.count && rest.value_count >= next.value_count);
                cr_assert(lam_triple_match_next(&match, &next), "seed %" PRIu64, seed);
                advance(&rest, column->leaf, next);
            }
            cr_assert_eq(rest.count + rest.value_count, 0, "seed %" PRIu64, seed);
        }
}

Test(route_gather, random_runs_of_random_columns_stay_whole_and_in_order) {
    uint64_t seed = lam_test_seed(1);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 400; round++) {
        sample s;
        lam_route_gather gather;
        lam_allocator allocator = lam_allocator_default();
        sample_init(&s, &random);
        lam_route_gather_init(&gather, s.schema, &allocator);
        for (int again = 0; again < 2; again++) {
            cr_assert_eq(lam_route_gather_all(&gather, s.given, &s.division, NULL), LAM_STATUS_OK);
            expect_gathered(&s, &gather, seed);
        }
        lam_route_gather_finish(&gather);
        sample_finish(&s);
    }
}

Test(route_gather, memory_is_taken_once_and_a_refusal_leaks_nothing) {
    lam_random random = lam_random_start(lam_test_seed(1));
    sample s;
    sample_init(&s, &random);
    for (size_t n = 1;; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_route_gather gather;
        lam_route_gather_init(&gather, s.schema, &allocator);
        lam_status status = lam_route_gather_all(&gather, s.given, &s.division, NULL);
        if (status == LAM_STATUS_OK) {
            size_t requests = counter.requests;
            cr_assert_eq(lam_route_gather_all(&gather, s.given, &s.division, NULL), LAM_STATUS_OK);
            cr_assert_eq(counter.requests, requests);
            expect_gathered(&s, &gather, 1);
        }
        lam_route_gather_finish(&gather);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
    }
    sample_finish(&s);
}

/* Columns that claim more than any memory has are refused before anything is copied. */
Test(route_gather, sizes_that_would_wrap_find_no_memory) {
    lam_random random = lam_random_start(lam_test_seed(1));
    lam_allocator allocator = lam_allocator_default();
    static const uint8_t levels[1];
    sample s;
    lam_route_gather gather;
    sample_init(&s, &random);
    lam_route_gather_init(&gather, s.schema, &allocator);
    for (size_t i = 0; i < LEAVES; i++)
        for (int way = 0; way < 6; way++) {
            lam_triples given[LEAVES];
            memcpy(given, s.given, sizeof given);
            /* One that wraps when it is aligned, or a sum of two that does. */
            size_t most = way < 3 ? SIZE_MAX : SIZE_MAX - 1000;
            if (way % 3 == 0)
                given[i].value_count = most / lam_element_size(lam_schema_leaf(s.schema, i));
            else
                given[i].count = most;
            given[i].repetition = way % 3 == 1 ? levels : NULL;
            given[i].definition = way % 3 == 2 ? levels : NULL;
            if (way >= 3) {
                given[(i + 1) % LEAVES].count = SIZE_MAX / 2;
                given[(i + 1) % LEAVES].repetition = given[(i + 1) % LEAVES].definition = levels;
            }
            lam_status status = lam_route_gather_all(&gather, given, &s.division, NULL);
            cr_assert_eq(status, LAM_STATUS_NOMEM, "leaf %zu, way %d", i, way);
        }
    lam_route_division division = s.division;
    division.group_count = SIZE_MAX;
    cr_assert_eq(lam_route_gather_all(&gather, s.given, &division, NULL), LAM_STATUS_NOMEM);
    division = s.division;
    division.run_count = SIZE_MAX;
    cr_assert_eq(lam_route_gather_all(&gather, s.given, &division, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(lam_route_gather_all(&gather, s.given, &s.division, NULL), LAM_STATUS_OK);
    lam_route_gather_finish(&gather);
    sample_finish(&s);
}
