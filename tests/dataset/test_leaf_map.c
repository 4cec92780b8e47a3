/* SPDX-License-Identifier: Apache-2.0 */
/* Triples of one schema as triples of another one that holds its rows. */
#include "dataset/union/leaf_map.h"

#include <criterion/criterion.h>
#include <string.h>

#include "file/file_sample.h"

enum { MAP_LEAVES = 8 };

typedef struct map_pair {
    lam_schema *target;
    lam_schema *source;
    lam_leaf_map maps[MAP_LEAVES];
    lam_leaf_scratch scratch;
} map_pair;

static void start_pair(map_pair *pair, const char *target, const char *source) {
    lam_allocator allocator = lam_allocator_default();
    pair->target = lam_test_schema(target);
    pair->source = lam_test_schema(source);
    lam_leaf_scratch_init(&pair->scratch, &allocator);
    const lam_leaf_mapping mapping = lam_leaf_mapping_of(pair->target, pair->source);
    for (size_t i = 0; i < pair->target->leaf_count; i++)
        lam_leaf_map_fill(&pair->maps[i], &mapping, i, lam_leaf_at(pair->target, i));
}

static void end_pair(map_pair *pair) {
    lam_leaf_scratch_finish(&pair->scratch);
    lam_schema_destroy(pair->target);
    lam_schema_destroy(pair->source);
}

Test(leaf_map, a_leaf_that_is_equal_keeps_its_triples) {
    map_pair pair;
    const int32_t values[] = {1, 2};
    const lam_triples given = {.count = 2, .value_count = 2, .values = values};
    lam_triples got;
    size_t position;
    start_pair(&pair, "message m { optional int32 b; required int32 a; }",
               "message m { required int32 a; }");
    cr_assert_eq(pair.maps[1].source, 0);
    cr_assert(pair.maps[1].is_same);
    cr_assert_eq(lam_leaf_map_apply(&pair.maps[1], &given, &pair.scratch, &got, &position, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(got.values, values);
    end_pair(&pair);
}

Test(leaf_map, levels_rise_where_a_field_became_optional) {
    map_pair pair;
    const int32_t values[] = {5, -6};
    const uint8_t definition[] = {0, 1, 1};
    const lam_triples given = {
        .count = 3, .value_count = 2, .definition = definition, .values = values};
    lam_triples got;
    size_t position;
    start_pair(&pair, "message m { optional group a { optional int64 b; } }",
               "message m { required group a { optional int32 b; } }");
    cr_assert_not(pair.maps[0].is_same);
    cr_assert_eq(lam_leaf_map_apply(&pair.maps[0], &given, &pair.scratch, &got, &position, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(got.count, 3);
    cr_assert_arr_eq(got.definition, ((const uint8_t[]){1, 2, 2}), 3);
    cr_assert_arr_eq(got.values, ((const int64_t[]){5, -6}), 2 * sizeof(int64_t));
    end_pair(&pair);
}

Test(leaf_map, unsigned_numbers_widen_without_a_sign_and_floats_to_doubles) {
    map_pair pair;
    const uint32_t numbers[] = {UINT32_MAX};
    const float reals[] = {0.1f};
    const lam_triples given[] = {{.count = 1, .value_count = 1, .values = numbers},
                                 {.count = 1, .value_count = 1, .values = reals}};
    lam_triples got;
    size_t position;
    start_pair(&pair, "message m { required uint64 a; required double b; }",
               "message m { required uint32 a; required float b; }");
    cr_assert_eq(lam_leaf_map_apply(&pair.maps[0], &given[0], &pair.scratch, &got, &position, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(*(const int64_t *)got.values, INT64_C(0xFFFFFFFF));
    cr_assert_eq(lam_leaf_map_apply(&pair.maps[1], &given[1], &pair.scratch, &got, &position, NULL),
                 LAM_STATUS_OK);
    cr_assert(*(const double *)got.values == (double)0.1f);
    end_pair(&pair);
}

/* Three rows: a list of two groups of which the second has two b, an empty list, one group. */
Test(leaf_map, a_field_that_is_missing_follows_the_group_that_it_is_in) {
    map_pair pair;
    const uint8_t repetition[] = {0, 1, 2, 0, 0}, definition[] = {2, 2, 2, 0, 1};
    const lam_triples given = {.count = 5,
                               .value_count = 3,
                               .repetition = repetition,
                               .definition = definition,
                               .values = "abcdefghijkl"};
    lam_triples got;
    size_t position;
    start_pair(&pair, "message m { repeated group g { repeated int32 b; optional int32 c; } }",
               "message m { repeated group g { repeated int32 b; } }");
    cr_assert_eq(pair.maps[1].source, 0);
    cr_assert(pair.maps[1].is_absent);
    cr_assert_eq(lam_leaf_map_apply(&pair.maps[1], &given, &pair.scratch, &got, &position, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(got.count, 4);
    cr_assert_eq(got.value_count, 0);
    cr_assert_arr_eq(got.repetition, ((const uint8_t[]){0, 1, 0, 0}), 4);
    cr_assert_arr_eq(got.definition, ((const uint8_t[]){1, 1, 0, 1}), 4);
    end_pair(&pair);
}

Test(leaf_map, a_field_that_is_missing_at_the_top_is_one_null_for_each_row) {
    map_pair pair;
    lam_triples got;
    start_pair(&pair, "message m { optional group g { required int32 a; optional int32 c; } }",
               "message m { required group g { required int32 a; } }");
    cr_assert_eq(pair.maps[1].source, LAM_LEAF_NONE);
    cr_assert_eq(lam_leaf_map_nulls(&pair.maps[1], 3, &pair.scratch, &got, NULL), LAM_STATUS_OK);
    cr_assert_eq(got.count, 3);
    cr_assert_null(got.repetition, "a leaf that never repeats has no levels of repetition");
    cr_assert_arr_eq(got.definition, ((const uint8_t[]){1, 1, 1}), 3);
    end_pair(&pair);
}

Test(leaf_map, numbers_with_a_sign_widen_with_it_whatever_says_so) {
    map_pair pair;
    const int32_t numbers[] = {-5};
    const lam_triples given = {.count = 1, .value_count = 1, .values = numbers};
    lam_triples got;
    size_t position;
    start_pair(&pair, "message m { required int64 a; required int64 b; }",
               "message m { required int32 a (INTEGER(32,true)); required int32 b; }");
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(pair.maps[i].change.how, LAM_VALUE_TO_INT64);
        cr_assert_eq(
            lam_leaf_map_apply(&pair.maps[i], &given, &pair.scratch, &got, &position, NULL),
            LAM_STATUS_OK);
        cr_assert_eq(*(const int64_t *)got.values, -5);
    }
    end_pair(&pair);
}

Test(leaf_map, nulls_alone_widen_to_no_values) {
    map_pair pair;
    const uint8_t definition[] = {0, 0};
    const lam_triples given = {.count = 2, .definition = definition, .values = NULL};
    lam_triples got;
    size_t position;
    start_pair(&pair, "message m { optional int64 a; }", "message m { optional int32 a; }");
    cr_assert_eq(lam_leaf_map_apply(&pair.maps[0], &given, &pair.scratch, &got, &position, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(got.count, 2);
    cr_assert_eq(got.value_count, 0);
    end_pair(&pair);
}

/* A run without levels: all repetition levels are 0, all definition levels the highest. */
Test(leaf_map, levels_that_are_left_out_are_cut_all_the_same) {
    map_pair pair;
    const lam_triples given = {.count = 2, .value_count = 2, .values = "abcdefgh"};
    lam_triples got;
    size_t position;
    start_pair(&pair,
               "message m { repeated group g { repeated int32 b; optional int32 c; } "
               "optional group h { required int32 a; optional int32 c; } }",
               "message m { repeated group g { repeated int32 b; } "
               "optional group h { required int32 a; } }");
    cr_assert_eq(lam_leaf_map_apply(&pair.maps[1], &given, &pair.scratch, &got, &position, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(got.count, 2);
    cr_assert_arr_eq(got.repetition, ((const uint8_t[]){0, 0}), 2);
    cr_assert_arr_eq(got.definition, ((const uint8_t[]){1, 1}), 2);
    cr_assert_eq(lam_leaf_map_apply(&pair.maps[3], &given, &pair.scratch, &got, &position, NULL),
                 LAM_STATUS_OK);
    cr_assert_null(got.repetition);
    cr_assert_arr_eq(got.definition, ((const uint8_t[]){1, 1}), 2);
    end_pair(&pair);
}

Test(leaf_map, a_chosen_leaf_goes_by_its_number_where_two_fields_have_one_name) {
    lam_schema_builder *builder;
    lam_schema *twice, *chosen = lam_test_schema("message m { required double a; }");
    lam_leaf_map map;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    lam_schema_builder_set_lenient(builder);
    const lam_physical_type types[] = {LAM_PHYSICAL_INT32, LAM_PHYSICAL_DOUBLE};
    for (int i = 0; i < 2; i++)
        cr_assert_eq(lam_schema_builder_add_leaf(builder, "a", LAM_REPETITION_REQUIRED, types[i],
                                                 NULL, NULL),
                     LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_finish(builder, &twice, NULL), LAM_STATUS_OK);
    lam_leaf_mapping mapping = lam_leaf_mapping_of(twice, twice);
    lam_leaf_map_fill(&map, &mapping, 1, lam_schema_leaf(chosen, 0));
    cr_assert_eq(map.source, 1);
    cr_assert_eq(map.change.how, LAM_VALUE_SAME);
    lam_schema_builder_destroy(builder);
    lam_schema_destroy(twice);
    lam_schema_destroy(chosen);
}

/* --- Other shapes -------------------------------------------------------------------------- */

/* Rows {a: [1, 2]}, {a: []}, {a: null} of a list without a wrapper. */
Test(leaf_map, elements_of_a_list_get_the_wrapper_that_the_union_has) {
    map_pair pair;
    const int32_t values[] = {1, 2};
    const uint8_t repetition[] = {0, 1, 0, 0}, definition[] = {2, 2, 1, 0};
    const lam_triples given = {.count = 4,
                               .value_count = 2,
                               .repetition = repetition,
                               .definition = definition,
                               .values = values};
    lam_triples got;
    size_t position;
    start_pair(&pair,
               "message m { optional group a (LIST) { repeated group list { optional int64"
               " element; } } }",
               "message m { optional group a (LIST) { repeated int32 array; } }");
    cr_assert_eq(lam_leaf_map_apply(&pair.maps[0], &given, &pair.scratch, &got, &position, NULL),
                 LAM_STATUS_OK);
    cr_assert_arr_eq(got.repetition, repetition, 4);
    cr_assert_arr_eq(got.definition, ((const uint8_t[]){3, 3, 1, 0}), 4);
    cr_assert_arr_eq(got.values, ((const int64_t[]){1, 2}), 2 * sizeof(int64_t));
    end_pair(&pair);
}

Test(leaf_map, a_leaf_becomes_both_leaves_of_a_variant) {
    map_pair pair;
    const int32_t values[] = {7};
    const uint8_t definition[] = {1, 0};
    const lam_triples given = {
        .count = 2, .value_count = 1, .definition = definition, .values = values};
    lam_triples got;
    size_t position;
    start_pair(&pair,
               "message m { optional group a (VARIANT(1)) { required binary metadata; required"
               " binary value; } }",
               "message m { optional int32 a; }");
    for (size_t i = 0; i < 2; i++) {
        cr_assert_null(pair.maps[i].whole);
        cr_assert_eq(
            lam_leaf_map_apply(&pair.maps[i], &given, &pair.scratch, &got, &position, NULL),
            LAM_STATUS_OK);
        cr_assert_arr_eq(got.definition, definition, 2);
        const lam_bytes *bytes = got.values;
        cr_assert_eq(bytes->size, i == 0 ? 3 : 5);
        cr_assert_arr_eq(bytes->data, i == 0 ? "\x11\0\0" : "\x14\x07\0\0", i == 0 ? 3 : 5);
    }
    end_pair(&pair);
}

Test(leaf_map, groups_lists_and_arrays_become_whole_values) {
    static const char variant[] =
        "message m { optional group a (VARIANT(1)) { required binary metadata; required binary"
        " value; } }";
    static const char *const sources[] = {
        "message m { optional group a { optional int32 b; } }", "message m { repeated int32 a; }",
        "message m { optional group a (LIST) { repeated int32 array; } }",
        ("message m { optional group a (VARIANT(1)) { required binary metadata; optional binary"
         " value; optional int32 typed_value; } }")};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        map_pair pair;
        start_pair(&pair, variant, sources[i]);
        cr_expect_eq(pair.maps[0].whole, &pair.source->fields[1], "%s", sources[i]);
        cr_expect_eq(pair.maps[1].whole_target, &pair.target->fields[1], "%s", sources[i]);
        end_pair(&pair);
    }
}

Test(leaf_map, what_is_unknown_is_absent_where_the_union_has_a_group) {
    map_pair pair;
    lam_triples got;
    start_pair(&pair, "message m { optional group a { optional int32 b; } optional int32 c; }",
               "message m { optional int32 a (UNKNOWN); optional int32 c (UNKNOWN); }");
    cr_assert(pair.maps[0].is_absent);
    cr_assert_eq(pair.maps[0].source, LAM_LEAF_NONE);
    cr_assert_eq(lam_leaf_map_nulls(&pair.maps[0], 1, &pair.scratch, &got, NULL), LAM_STATUS_OK);
    cr_assert_eq(got.definition[0], 0);
    cr_assert_eq(pair.maps[1].change.how, LAM_VALUE_TO_NOTHING);
    end_pair(&pair);
}

Test(leaf_map, the_position_of_a_value_that_does_not_fit_is_that_of_its_triple) {
    map_pair pair;
    const int64_t values[] = {1, (INT64_C(1) << 53) + 1, 2};
    const uint8_t definition[] = {0, 1, 0, 0, 1, 1};
    const lam_triples given = {
        .count = 6, .value_count = 3, .definition = definition, .values = values};
    lam_error error = lam_error_none();
    lam_triples got;
    size_t position;
    start_pair(&pair, "message m { optional double a; }", "message m { optional int64 a; }");
    cr_assert_eq(lam_leaf_map_apply(&pair.maps[0], &given, &pair.scratch, &got, &position, &error),
                 LAM_STATUS_INVALID);
    cr_assert_eq(position, 4);
    cr_assert(strstr(error.message, "9007199254740993 is not a double") != NULL, "%s",
              error.message);
    end_pair(&pair);
}
