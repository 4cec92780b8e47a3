/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of triples are divided by folder, and each group shreds to what its records alone would
 * give.
 */
#include "dataset/partition/route.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/dremel.h>
#include <string.h>
#include <xxhash.h>

#include "file/file_sample.h"
#include "reference/record_tree.h"
#include "schema/tree.h"
#include "support/failing_alloc.h"

#define HOUR INT64_C(3600000000)

static lam_route *create(const lam_schema *schema, const lam_partition *partition) {
    lam_route *route;
    cr_assert_eq(lam_route_create(schema, partition, NULL, &route, NULL), LAM_STATUS_OK);
    return route;
}

static lam_partition *partition_of(const lam_schema *schema, const char *path, const char *format) {
    lam_partition *partition;
    lam_error error = lam_error_none();
    lam_status status = lam_partition_create(schema, path, format, NULL, &partition, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    return partition;
}

/* --- One leaf of timestamps ---------------------------------------------------------------- */

typedef struct hours {
    lam_schema *schema;
    lam_partition *partition;
    lam_route *route;
} hours;

static hours hours_open(const char *format) {
    hours h;
    h.schema = lam_test_schema("message m { optional int64 t (TIMESTAMP(MICROS,true)); }");
    h.partition = partition_of(h.schema, "t", format);
    h.route = create(h.schema, h.partition);
    return h;
}

static void hours_close(hours *h) {
    lam_route_destroy(h->route);
    lam_partition_destroy(h->partition);
    lam_schema_destroy(h->schema);
}

static void expect_group(const hours *h, size_t index, const char *folder, size_t count,
                         const uint32_t *records) {
    lam_route_group group = lam_route_at(h->route, index);
    cr_assert_str_eq(group.folder, folder);
    cr_assert_eq(group.folder_size, strlen(folder));
    cr_assert_eq(group.record_count, count);
    cr_assert_eq(group.columns[0].count, count);
    if (records == NULL)
        cr_assert_null(group.records);
    for (size_t i = 0; records != NULL && i < count; i++)
        cr_assert_eq(group.records[i], records[i], "%zu: %u", i, group.records[i]);
}

Test(route, a_batch_of_one_hour_is_passed_on) {
    hours h = hours_open("hour=%H");
    static const int64_t values[] = {0, 1, HOUR - 1, 5};
    lam_triples column = {4, 4, NULL, NULL, values};
    cr_assert_eq(lam_route_split(h.route, &column, 4, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_route_count(h.route), 1);
    expect_group(&h, 0, "hour=00", 4, NULL);
    cr_assert_eq(lam_route_at(h.route, 0).columns, &column);
    cr_assert_eq(lam_route_split(h.route, &column, 0, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_route_count(h.route), 0);
    hours_close(&h);
}

Test(route, groups_come_in_the_order_of_their_first_record) {
    hours h = hours_open("hour=%H");
    static const int64_t values[] = {HOUR, 0, HOUR + 1, -1, 24 * HOUR};
    static const uint8_t definition[] = {1, 1, 0, 1, 1, 1, 0};
    lam_triples column = {7, 5, NULL, definition, values};
    cr_assert_eq(lam_route_split(h.route, &column, 7, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_route_count(h.route), 4);
    expect_group(&h, 0, "hour=01", 2, (uint32_t[]){0, 3});
    expect_group(&h, 1, "hour=00", 2, (uint32_t[]){1, 5}); /* of two days */
    expect_group(&h, 2, "hour=__HIVE_DEFAULT_PARTITION__", 2, (uint32_t[]){2, 6});
    expect_group(&h, 3, "hour=23", 1, (uint32_t[]){4});
    lam_route_group group = lam_route_at(h.route, 1);
    cr_assert_eq(group.columns[0].value_count, 2);
    cr_assert_eq(((const int64_t *)group.columns[0].values)[1], 24 * HOUR);
    hours_close(&h);
}

/* A year of five digits goes where nulls go: one group, though their keys differ. */
Test(route, the_ends_of_the_range_of_timestamps_are_no_neighbours) {
    hours h = hours_open("year=%Y/hour=%H");
    static const int64_t values[] = {INT64_MAX, INT64_MIN, 0, INT64_MIN};
    static const uint8_t definition[] = {1, 1, 1, 1, 0};
    lam_triples column = {5, 4, NULL, definition, values};
    cr_assert_eq(lam_route_split(h.route, &column, 5, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_route_count(h.route), 2);
    expect_group(&h, 0, "year=__HIVE_DEFAULT_PARTITION__/hour=__HIVE_DEFAULT_PARTITION__", 4,
                 (uint32_t[]){0, 1, 3, 4});
    expect_group(&h, 1, "year=1970/hour=00", 1, (uint32_t[]){2});
    hours_close(&h);
    h = hours_open("day=%d");
    lam_schema *schema = lam_test_schema("message m { required int64 t (TIMESTAMP(NANOS,true)); }");
    lam_partition *partition = partition_of(schema, "t", "hour=%H");
    lam_route *route = create(schema, partition);
    column = (lam_triples){2, 2, NULL, NULL, values};
    for (size_t first = 0; first < 2; first++) { /* 23:47 on a day of 2262, 00:12 on one of 1677 */
        column.values = values + first;
        cr_assert_eq(lam_route_split(route, &column, 2, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_route_count(route), first == 0 ? 2 : 1);
    }
    lam_route_destroy(route);
    lam_partition_destroy(partition);
    lam_schema_destroy(schema);
    hours_close(&h);
}

Test(route, without_a_partition_there_is_one_group) {
    lam_schema *schema = lam_test_schema("message m { required int64 a; }");
    lam_route *route = create(schema, NULL);
    static const int64_t values[] = {1, 2, 3};
    lam_triples column = {3, 3, NULL, NULL, values};
    cr_assert_eq(lam_route_split(route, &column, 3, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_route_count(route), 1);
    lam_route_group group = lam_route_at(route, 0);
    cr_assert_str_eq(group.folder, "");
    cr_assert_eq(group.columns, &column);
    cr_assert_eq(group.record_count, 3);
    lam_route_destroy(route);
    lam_route_destroy(NULL);
    lam_schema_destroy(schema);
}

Test(route, a_batch_that_cannot_be_numbered_is_refused) {
    hours h = hours_open("hour=%H");
    lam_triples column = {0};
    if (SIZE_MAX > UINT32_MAX)
        cr_assert_eq(lam_route_split(h.route, &column, (size_t)UINT32_MAX, NULL), LAM_STATUS_LIMIT);
    cr_assert_eq(lam_route_count(h.route), 0);
    hours_close(&h);
}

/* --- Random records ------------------------------------------------------------------------ */

enum { POOL = 6, BATCH = 200 };

/* Records of a few kinds, as triples, and a partition of their schema. */
typedef struct mix {
    lam_schema *schema;
    lam_arena arena;
    lam_tree_item pool[POOL];
    size_t chosen[BATCH];
    size_t count;
    lam_shredder *shredder;
    lam_triples *columns;
    lam_partition *partition;
} mix;

/* Levels that are all the same are left out as often as not. */
static const uint8_t *maybe_null(const uint8_t *levels, size_t count, uint8_t same,
                                 lam_random *random) {
    for (size_t i = 0; levels != NULL && i < count; i++)
        if (levels[i] != same)
            return levels;
    return lam_random_chance(random, 50) ? NULL : levels;
}

static lam_shredder *shred(const mix *m, const size_t *chosen, size_t count) {
    lam_shredder *shredder;
    cr_assert_eq(lam_shredder_create(m->schema, NULL, &shredder, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_shredder_sink(shredder);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(lam_tree_drive(m->schema, &m->pool[chosen[i]], &sink, NULL, false, NULL),
                     LAM_STATUS_OK);
    return shredder;
}

static void mix_batch(mix *m, lam_random *random) {
    unsigned stay = (unsigned)lam_random_below(random, 101);
    size_t kinds = 1 + lam_random_below(random, POOL);
    m->count = 1 + lam_random_below(random, BATCH);
    for (size_t i = 0; i < m->count; i++)
        m->chosen[i] = i > 0 && lam_random_chance(random, stay) ? m->chosen[i - 1]
                                                                : lam_random_below(random, kinds);
    lam_shredder_destroy(m->shredder);
    m->shredder = shred(m, m->chosen, m->count);
    for (size_t i = 0; i < lam_schema_leaf_count(m->schema); i++) {
        lam_triples *column = &m->columns[i];
        *column = lam_shredder_triples(m->shredder, i);
        column->repetition = maybe_null(column->repetition, column->count, 0, random);
        column->definition = maybe_null(column->definition, column->count,
                                        lam_leaf_at(m->schema, i)->max_definition, random);
    }
}

/* Takes the schema; false when it has no leaf to partition by. */
static bool mix_init(mix *m, lam_schema *schema, lam_random *random) {
    lam_allocator allocator = lam_allocator_default();
    memset(m, 0, sizeof *m);
    m->schema = schema;
    lam_arena_init(&m->arena, &allocator, 0);
    size_t leaves = lam_schema_leaf_count(schema);
    size_t first = lam_random_below(random, leaves);
    for (size_t i = 0; i < leaves && m->partition == NULL; i++) {
        char path[2000];
        lam_field_path(lam_schema_leaf(schema, (first + i) % leaves), path, sizeof path);
        if (lam_partition_create(schema, path, "p=%v", NULL, &m->partition, NULL) != LAM_STATUS_OK)
            m->partition = NULL;
    }
    if (m->partition == NULL)
        return false;
    m->columns = lam_tree_alloc(&m->arena, leaves, sizeof *m->columns);
    for (size_t i = 0; i < POOL; i++)
        m->pool[i] = lam_tree_random(random, schema, 70, &m->arena);
    return true;
}

static void mix_finish(mix *m) {
    lam_shredder_destroy(m->shredder);
    lam_partition_destroy(m->partition);
    lam_arena_finish(&m->arena);
    lam_schema_destroy(m->schema);
}

static unsigned level_at(const uint8_t *levels, size_t index, uint8_t same) {
    return levels == NULL ? same : levels[index];
}

static void expect_triples(const lam_field *leaf, const lam_triples *got, const lam_triples *want,
                           uint64_t seed) {
    cr_assert_eq(got->count, want->count, "seed %" PRIu64, seed);
    cr_assert_eq(got->value_count, want->value_count, "seed %" PRIu64, seed);
    for (size_t i = 0; i < got->count; i++) {
        cr_assert_eq(level_at(got->repetition, i, 0), level_at(want->repetition, i, 0));
        cr_assert_eq(level_at(got->definition, i, leaf->max_definition),
                     level_at(want->definition, i, leaf->max_definition));
    }
    for (size_t i = 0; i < got->value_count; i++)
        cr_assert(lam_tree_value_equals(leaf, lam_triples_value(got, leaf, i),
                                        lam_triples_value(want, leaf, i)),
                  "seed %" PRIu64, seed);
}

/* The folder of one record, by the definition. */
static void expect_folder(const mix *m, size_t record, const lam_route_group *group,
                          uint64_t seed) {
    lam_allocator allocator = lam_allocator_default();
    const lam_field *leaf = m->partition->leaf;
    lam_triples column = lam_shredder_triples(m->shredder, lam_field_first_leaf(leaf));
    size_t value_index = 0;
    for (size_t i = 0; i < record; i++)
        value_index += level_at(column.definition, i, leaf->max_definition) == leaf->max_definition;
    lam_value value;
    bool is_null = level_at(column.definition, record, leaf->max_definition) < leaf->max_definition;
    if (!is_null)
        value = lam_triples_value(&column, leaf, value_index);
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_partition_folder(m->partition, is_null ? NULL : &value, &out, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(out.size, group->folder_size, "seed %" PRIu64, seed);
    cr_assert_eq(memcmp(out.data, group->folder, out.size), 0, "seed %" PRIu64, seed);
    cr_assert_eq(strlen(group->folder), out.size);
    lam_buffer_finish(&out);
}

/* Each record is in the group of its folder, in order; groups are what their records shred to. */
static size_t expect_split(const mix *m, lam_route *route, uint64_t seed) {
    size_t groups = lam_route_count(route), sum = 0, next_first = 0;
    for (size_t g = 0; g < groups; g++) {
        size_t chosen[BATCH];
        lam_route_group group = lam_route_at(route, g);
        cr_assert(group.record_count > 0);
        cr_assert_eq(group.records == NULL, groups == 1);
        for (size_t i = 0; i < group.record_count; i++) {
            size_t record = group.records == NULL ? i : group.records[i];
            cr_assert(groups == 1 || i == 0 || record > group.records[i - 1]);
            cr_assert_lt(record, m->count);
            chosen[i] = m->chosen[record];
            expect_folder(m, record, &group, seed);
        }
        size_t first = group.records == NULL ? 0 : group.records[0];
        cr_assert(g == 0 || first > next_first);
        next_first = first;
        lam_shredder *want = shred(m, chosen, group.record_count);
        for (size_t leaf = 0; leaf < lam_schema_leaf_count(m->schema); leaf++) {
            lam_triples triples = lam_shredder_triples(want, leaf);
            expect_triples(lam_leaf_at(m->schema, leaf), &group.columns[leaf], &triples, seed);
        }
        lam_shredder_destroy(want);
        sum += group.record_count;
        for (size_t other = 0; other < g; other++)
            cr_assert_str_neq(lam_route_at(route, other).folder, group.folder);
    }
    cr_assert_eq(sum, m->count, "seed %" PRIu64, seed);
    return groups;
}

static lam_schema *any_schema(lam_random *random) {
    static const char *const texts[] = {
        "message m { required int64 a (TIMESTAMP(MICROS,true)); repeated group g { optional int32 "
        "b; repeated binary c; } }",
        "message m { optional group g { required binary a (STRING); optional boolean b; } repeated "
        "double c; }",
        "message m { optional int32 a (DATE); optional group g { repeated group h { repeated int32 "
        "b; } optional int32 c (INTEGER(16,false)); } }",
        "message m { required boolean a; optional binary b (ENUM); required int96 c; }",
    };
    size_t index = lam_random_below(random, 8);
    return index < 4 ? lam_test_schema(texts[index]) : lam_tree_random_schema(random, 8);
}

Test(route, random_records_are_split_as_one_by_one) {
    uint64_t seed = lam_test_seed(1);
    lam_random random = lam_random_start(seed);
    size_t mixed = 0, single = 0;
    for (int round = 0; round < 300; round++) {
        mix m;
        if (mix_init(&m, any_schema(&random), &random)) {
            lam_route *route = create(m.schema, m.partition);
            for (int batch = 0; batch < 4; batch++) {
                mix_batch(&m, &random);
                cr_assert_eq(lam_route_split(route, m.columns, m.count, NULL), LAM_STATUS_OK);
                size_t groups = expect_split(&m, route, seed);
                mixed += groups > 1;
                single += groups == 1;
            }
            lam_route_destroy(route);
        }
        mix_finish(&m);
    }
    cr_assert(mixed > 200 && single > 100, "%zu mixed, %zu of one group", mixed, single);
}

Test(route, a_refused_request_for_memory_leaks_nothing_and_the_next_batch_is_split) {
    lam_random random = lam_random_start(lam_test_seed(3));
    mix m;
    lam_schema *schema = lam_test_schema("message m { required binary a (STRING); repeated group g "
                                         "{ optional int32 b; repeated binary c; } }");
    cr_assert(mix_init(&m, schema, &random));
    mix_batch(&m, &random);
    for (size_t n = 1;; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_route *route = NULL;
        lam_status status = lam_route_create(m.schema, m.partition, &allocator, &route, NULL);
        bool is_created = status == LAM_STATUS_OK;
        if (is_created)
            status = lam_route_split(route, m.columns, m.count, NULL);
        if (is_created) {
            cr_assert_eq(lam_route_count(route) > 0, status == LAM_STATUS_OK);
            cr_assert_eq(lam_route_split(route, m.columns, m.count, NULL), LAM_STATUS_OK);
            expect_split(&m, route, 3);
            size_t requests = counter.requests;
            cr_assert_eq(lam_route_split(route, m.columns, m.count, NULL), LAM_STATUS_OK);
            cr_assert_eq(counter.requests, requests, "a batch like the last takes no memory");
            cr_assert_eq(counter.live_bytes, lam_route_memory(route));
        }
        lam_route_destroy(route);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
    }
    mix_finish(&m);
}

Test(route, without_a_schema_there_is_no_route) {
    lam_route *route = NULL;
    cr_assert_eq(lam_route_create(NULL, NULL, NULL, &route, NULL), LAM_STATUS_INVALID);
    cr_assert_null(route);
}

/* --- Texts of one hash ---------------------------------------------------------------------- */

/*
 * Texts that anybody can make: XXH3 of 9 to 16 bytes adds up both halves, each mixed with a
 * constant, and the product of both. A half of 0 leaves a sum, which others have as well.
 */
Test(route, texts_of_one_hash_are_told_apart) {
    static const uint8_t a[16] = {0xB9, 0x39, 0x42, 0xEA, 0x7B, 0x73, 0x82, 0x67,
                                  0x66, 0x52, 0x96, 0x09, 0x3B, 0xBC, 0x56, 0xAF},
                         b[16] = {0xB9, 0x39, 0x42, 0xEA, 0x7B, 0x73, 0x82, 0x3B,
                                  0x3A, 0x52, 0x96, 0x09, 0x3B, 0xBC, 0x56, 0xAF},
                         c[15] = {0xB9, 0x39, 0x42, 0xEA, 0x7B, 0x73, 0x82, 0x67,
                                  0x52, 0x96, 0x09, 0x3B, 0xBC, 0x56, 0xAF};
    const lam_bytes texts[] = {{a, 16}, {b, 16}, {c, 15}, {b, 16}, {c, 15}, {a, 16}};
    const lam_triples column = {.count = 6, .value_count = 6, .values = texts};
    static const uint32_t records[3][2] = {{0, 5}, {1, 3}, {2, 4}};
    cr_assert_eq(XXH3_64bits(a, 16), XXH3_64bits(b, 16));
    cr_assert_eq(XXH3_64bits(a, 16), XXH3_64bits(c, 15));
    lam_schema *schema = lam_test_schema("message m { required binary s (STRING); }");
    lam_partition *partition = partition_of(schema, "s", "s=%v");
    lam_route *route = create(schema, partition);
    cr_assert_eq(lam_route_split(route, &column, 6, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_route_count(route), 3);
    for (size_t i = 0; i < 3; i++) {
        lam_route_group group = lam_route_at(route, i);
        cr_assert_eq(group.record_count, 2);
        cr_expect_arr_eq(group.records, records[i], sizeof records[i]);
    }
    lam_route_destroy(route);
    lam_partition_destroy(partition);
    lam_schema_destroy(schema);
}
