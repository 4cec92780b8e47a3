/* SPDX-License-Identifier: Apache-2.0 */
/* Random values through the columns of random groups: judged on the way, and the same behind it. */
#include <lamella/dremel.h>

#include "shred_trip.h"
#include "variant/random_fitting.h"
#include "variant/random_shredding.h"
#include "variant/random_variant.h"
#include "variant/shred/variant_schema.h"
#include "variant/shredding_judge.h"

#define OK(call) cr_assert_eq((call), LAM_STATUS_OK, "%s", #call)

typedef struct trip {
    lam_random *random;
    lam_schema *schema;
    lam_shredder *columns;
    lam_variant originals[KEPT_MAX];
    size_t count;
} trip;

static void put_number(const lam_record_sink *sink, const lam_schema *schema, const char *name_) {
    lam_value value = {.int32 = 1};
    OK(sink->put(sink->state, field_of(schema, name_), value, NULL));
}

/* One record of 0 to 3 values, as the repetition of the group allows; false when one has no
 * place. */
static bool write_record(trip *t, lam_variant_builder *builder, lam_variant_shredder *shredder,
                         const lam_record_sink *sink, unsigned size) {
    static const unsigned most[] = {1, 2, 4}; /* by lam_repetition */
    const lam_field *group = field_of(t->schema, "v");
    unsigned repetition = lam_field_repetition(group);
    size_t values = repetition == LAM_REPETITION_REQUIRED
                        ? 1
                        : (size_t)lam_random_below(t->random, most[repetition]);
    size_t before = t->count;
    OK(sink->begin(sink->state, NULL));
    put_number(sink, t->schema, "n");
    for (size_t i = 0; i < values; i++) {
        lam_error error = lam_error_none();
        lam_variant variant;
        /* Without regard to the columns hardly any value would have the kind of its column. */
        if (lam_random_chance(t->random, 60))
            lam_random_fitting(t->random, builder, group);
        else
            lam_random_variant(t->random, builder, size);
        OK(lam_variant_builder_finish(builder, &variant, NULL));
        lam_status status = lam_variant_shredder_write(shredder, variant, sink, &error);
        if (status != LAM_STATUS_OK) {
            cr_assert_eq(status, LAM_STATUS_INVALID, "%s", error.message);
            cr_assert_not_null(strstr(error.message, "no column named value"), "%s", error.message);
            while (t->count > before)
                free_variant(t->originals[--t->count]);
            return false;
        }
        t->originals[t->count++] = keep_variant(variant);
    }
    put_number(sink, t->schema, "o");
    OK(sink->end(sink->state, NULL));
    return true;
}

/* What all trips came by. */
typedef struct tally {
    size_t pairs;
    size_t both;                        /* objects that are shredded in part */
    size_t values[LAM_VARIANT_UNKNOWN]; /* of columns named typed_value, by what they hold */
} tally;

static void count_columns(const trip *t, tally *sum) {
    for (size_t i = 0; i < lam_schema_leaf_count(t->schema); i++) {
        const lam_field *leaf = lam_schema_leaf(t->schema, i);
        if (strcmp(lam_field_name(leaf), "typed_value") == 0)
            sum->values[lam_variant_kind_of_leaf(leaf)] +=
                lam_shredder_triples(t->columns, i).value_count;
    }
}

/* Writes records, judges their events, and compares what is assembled from their columns. */
static void make_trip(uint64_t seed, unsigned values, tally *sum) {
    lam_random random = lam_random_start(seed);
    trip t = {&random, lam_random_shredding(&random, values), NULL, {{{0}, {0}}}, 0};
    lam_variant_builder *builder;
    lam_variant_shredder *shredder;
    lam_record_checker *checker;
    lam_shredding_judge judge;
    lam_error error = lam_error_none();
    OK(lam_shredder_create(t.schema, NULL, &t.columns, NULL));
    OK(lam_variant_builder_create(NULL, NULL, &builder, NULL));
    OK(lam_variant_shredder_create(field_of(t.schema, "v"), NULL, NULL, &shredder, NULL));
    lam_record_sink next = lam_shredder_sink(t.columns);
    OK(lam_record_checker_create(t.schema, &next, NULL, &checker, NULL));
    next = lam_record_checker_sink(checker);
    lam_shredding_judge_init(&judge, &next);
    lam_record_sink sink = lam_shredding_judge_sink(&judge);
    size_t records = 0;
    for (unsigned i = 0; i < 8; i++)
        records +=
            write_record(&t, builder, shredder, &sink, 1 + (unsigned)lam_random_below(&random, 80));
    cr_assert_null(judge.verdict, "seed %llu: %s", (unsigned long long)seed, judge.verdict);
    kept_values kept = {0};
    if (lam_shredder_record_count(t.columns) > 0)
        cr_assert_eq(assemble_values(t.schema, t.columns, false, &kept, &error), LAM_STATUS_OK,
                     "seed %llu: %s", (unsigned long long)seed, error.message);
    cr_assert_eq(kept.count, t.count, "seed %llu", (unsigned long long)seed);
    cr_assert_eq(kept.records, records);
    cr_assert_eq(kept.events, 2 * records);
    for (size_t i = 0; i < t.count; i++) {
        cr_assert_eq(lam_variant_validate(kept.values[i], 0, &error), LAM_STATUS_OK,
                     "seed %llu: %s", (unsigned long long)seed, error.message);
        cr_assert(lam_variant_equals(kept.values[i], t.originals[i]), "seed %llu: value %zu",
                  (unsigned long long)seed, i);
        free_variant(t.originals[i]);
    }
    free_kept(&kept);
    sum->pairs += judge.seen;
    sum->both += judge.both;
    count_columns(&t, sum);
    lam_shredding_judge_finish(&judge);
    lam_record_checker_destroy(checker);
    lam_variant_shredder_destroy(shredder);
    lam_variant_builder_destroy(builder);
    lam_shredder_destroy(t.columns);
    lam_schema_destroy(t.schema);
}

Test(variant_trips, random_values_come_back_from_random_groups, .timeout = 240) {
    uint64_t seed = lam_test_seed(20260202);
    tally sum = {0};
    for (uint64_t i = 0; i < 4000; i++)
        make_trip(seed + i, i % 4 == 0 ? 60 : 100, &sum);
    cr_expect_gt(sum.pairs, 10000);
    cr_expect_gt(sum.both, 500);
    /* Every row of the table of VariantShredding.md is met. */
    for (int kind = LAM_VARIANT_BOOLEAN; kind <= LAM_VARIANT_UUID; kind++)
        cr_expect_gt(sum.values[kind], 300, "%s: %zu",
                     lam_variant_kind_name((lam_variant_kind)kind), sum.values[kind]);
}

Test(variant_trips, random_values_are_well_formed_and_copy_to_the_same_bytes, .timeout = 120) {
    uint64_t seed = lam_test_seed(20260101);
    lam_random random = lam_random_start(seed);
    lam_variant_builder_options options = lam_variant_builder_options_default();
    lam_variant_builder *builder, *again;
    OK(lam_variant_builder_create(&options, NULL, &builder, NULL));
    options.last_wins = true;
    OK(lam_variant_builder_create(&options, NULL, &again, NULL));
    for (unsigned round = 0; round < 3000; round++) {
        lam_error error = lam_error_none();
        lam_variant built, copy;
        lam_random_variant(&random, builder, 1 + (unsigned)lam_random_below(&random, 600));
        OK(lam_variant_builder_finish(builder, &built, NULL));
        lam_variant kept = keep_variant(built);
        cr_assert_eq(lam_variant_validate(kept, 0, &error), LAM_STATUS_OK, "seed %llu: %s",
                     (unsigned long long)seed, error.message);
        OK(lam_variant_builder_copy(again, kept, NULL));
        OK(lam_variant_builder_finish(again, &copy, NULL));
        cr_assert_eq(copy.value.size, kept.value.size, "seed %llu", (unsigned long long)seed);
        cr_assert_arr_eq(copy.value.data, kept.value.data, kept.value.size);
        cr_assert_eq(copy.metadata.size, kept.metadata.size);
        cr_assert_arr_eq(copy.metadata.data, kept.metadata.data, kept.metadata.size);
        free_variant(kept);
    }
    lam_variant_builder_destroy(builder);
    lam_variant_builder_destroy(again);
}
