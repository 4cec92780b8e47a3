/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas that are united by the names of their fields, and those that cannot be. */
#include "rewrite/schema_union.h"

#include <criterion/criterion.h>
#include <string.h>

#include "file/file_sample.h"
#include "meta/meta_schema.h"
#include "support/failing_alloc.h"

/* Unites two texts and compares the result with a third, or the message with it. */
static void expect_union(const char *first, const char *second, const char *expected) {
    lam_error error = lam_error_none();
    char text[1024];
    lam_schema *a = lam_test_schema(first), *b = lam_test_schema(second), *united;
    const lam_schema_pair pair = {a, b, "a.parquet", "b.parquet"};
    lam_status status = lam_schema_unite(&pair, NULL, &united, &error);
    if (status == LAM_STATUS_OK) {
        lam_schema *wanted = lam_test_schema(expected);
        lam_schema_print(united, text, sizeof text);
        cr_assert(lam_schema_equals(united, wanted), "%s", text);
        lam_schema_destroy(wanted);
        lam_schema_destroy(united);
    } else {
        cr_assert_eq(status, LAM_STATUS_INVALID);
        cr_assert_str_eq(error.message, expected);
    }
    lam_schema_destroy(a);
    lam_schema_destroy(b);
}

Test(schema_union, fields_of_one_name_are_one_and_others_may_be_absent) {
    expect_union("message m { required int64 a; optional group g { required binary s; } }",
                 "message m { required int32 b; optional group g { repeated double d; } }",
                 "message m { optional int64 a; optional group g { optional binary s;"
                 " repeated double d; } optional int32 b; }");
    expect_union("message m { required int64 a; }", "message n { optional int64 a = 7; }",
                 "message m { optional int64 a = 7; }");
    expect_union("message m { required int64 a = 6; }", "message n { required int64 a = 7; }",
                 "message m { required int64 a; }");
}

Test(schema_union, ids_stay_where_the_files_agree) {
    expect_union("message m { required int64 a = 7; }", "message n { required int64 a = 7; }",
                 "message m { required int64 a = 7; }");
    expect_union("message m { required int64 a = 7; }", "message n { required int64 a; }",
                 "message m { required int64 a = 7; }");
    expect_union("message m { required int64 a; }", "message n { required int64 a = 7; }",
                 "message m { required int64 a = 7; }");
}

Test(schema_union, numbers_become_as_wide_as_the_wider_one) {
    expect_union("message m { required int32 a; required float b; required int8 c; }",
                 "message m { required int64 a; optional double b; required int32 c"
                 " (INTEGER(16,true)); }",
                 "message m { required int64 a; optional double b; required int32 c"
                 " (INTEGER(16,true)); }");
    expect_union("message m { required uint64 a; }", "message m { required uint32 a; }",
                 "message m { required uint64 a; }");
    expect_union("message m { required int64 a (INTEGER(64,true)); required double b; }",
                 "message m { required int32 a; required float b; }",
                 "message m { required int64 a; required double b; }");
}

Test(schema_union, any_other_difference_is_named_by_its_path) {
    expect_union("message m { optional group g { required int32 a; } }",
                 "message m { optional group g { required binary a (STRING); } }",
                 "field 'g.a' is required int32 in a.parquet and required binary (STRING) in "
                 "b.parquet");
    expect_union("message m { required int32 a; }", "message m { repeated int32 a; }",
                 "field 'a' is required int32 in a.parquet and repeated int32 in b.parquet");
    expect_union("message m { required int32 a; }", "message m { required uint32 a; }",
                 "field 'a' is required int32 in a.parquet and required int32 (INTEGER(32,false)) "
                 "in b.parquet");
    expect_union("message m { required fixed(4) a; }", "message m { required fixed(5) a; }",
                 "field 'a' is required fixed_len_byte_array(4) in a.parquet and required "
                 "fixed_len_byte_array(5) in b.parquet");
    expect_union("message m { required group a { required int32 b; } }",
                 "message m { required int32 a; }",
                 "field 'a' is required group in a.parquet and required int32 in b.parquet");
    expect_union("message m { required int32 a (DATE); }", "message m { required int64 a; }",
                 "field 'a' is required int32 (DATE) in a.parquet and required int64 in b.parquet");
}

/* Floats with a meaning, and groups with another one, are no numbers and groups like others. */
Test(schema_union, a_logical_type_keeps_fields_apart) {
    expect_union("message m { required fixed(2) a (FLOAT16); }", "message m { required double a; }",
                 "field 'a' is required fixed_len_byte_array(2) (FLOAT16) in a.parquet and "
                 "required double in b.parquet");
    expect_union("message m { required double a; }", "message m { required fixed(2) a (FLOAT16); }",
                 "field 'a' is required double in a.parquet and required fixed_len_byte_array(2) "
                 "(FLOAT16) in b.parquet");
}

Test(schema_union, lists_and_maps_are_united_by_position_and_keep_the_names_of_the_first) {
    expect_union("message m { optional group l (LIST) { repeated group list { required int32"
                 " element; } } }",
                 "message m { optional group l (LIST) { repeated group bag { optional int64"
                 " array_element; } } }",
                 "message m { optional group l (LIST) { repeated group list { optional int64"
                 " element; } } }");
    expect_union("message m { optional group m (MAP) { repeated group key_value { required int32"
                 " key; optional int32 value; } } }",
                 "message m { optional group m (MAP) { repeated group map (MAP_KEY_VALUE) {"
                 " required int32 k; optional int64 v; } } }",
                 "message m { optional group m (MAP) { repeated group key_value { required int32"
                 " key; optional int64 value; } } }");
    expect_union(
        "message m { optional group m (MAP) { repeated group set { required int32 k; } } }",
        "message m { optional group m (MAP) { repeated group key_value { required int32"
        " key; required int32 value; } } }",
        "message m { optional group m (MAP) { repeated group set { required int32 k;"
        " optional int32 value; } } }");
    expect_union("message m { optional group l (LIST) { repeated int32 array; } }",
                 "message m { optional group l (LIST) { repeated int32 element; } }",
                 "message m { optional group l (LIST) { repeated int32 array; } }");
}

Test(schema_union, lists_of_two_levels_and_of_three_stay_apart) {
    expect_union("message m { optional group l (LIST) { repeated group list { required int32"
                 " element; } } }",
                 "message m { optional group l (LIST) { repeated group list { required int32 a;"
                 " required int32 b; } } }",
                 "the lists of 'l' have two levels in one of a.parquet and b.parquet, and three in "
                 "the other");
}

/* A field that is not shredded is in `value`, where no shredded one may be. */
Test(schema_union, variants_are_united_where_they_have_the_same_shredded_fields) {
#define VARIANT(fields)                                                                            \
    "message m { optional group v (VARIANT(1)) { required binary metadata; optional binary value;" \
    " optional group typed_value { " fields " } } }"
#define SHREDDED(name)                                                                             \
    "required group " name " { optional binary value; optional int32 typed_value; } "
    expect_union(VARIANT(SHREDDED("x")), VARIANT(SHREDDED("x") SHREDDED("y")),
                 "the VARIANT of 'v.typed_value.y' has that field shredded in b.parquet and not in "
                 "a.parquet; cat and import make one layout of both");
    expect_union(VARIANT(SHREDDED("x")), VARIANT(SHREDDED("z")),
                 "the VARIANT of 'v.typed_value.x' has that field shredded in a.parquet and not in "
                 "b.parquet; cat and import make one layout of both");
    expect_union(VARIANT(SHREDDED("x") SHREDDED("y")), VARIANT(SHREDDED("y") SHREDDED("x")),
                 VARIANT(SHREDDED("x") SHREDDED("y")));
    expect_union("message m { optional group v (VARIANT(1)) { required binary metadata; required"
                 " binary value; } }",
                 VARIANT(SHREDDED("x")), VARIANT(SHREDDED("x")));
}

Test(schema_union, memory_that_runs_out_is_an_error_and_nothing_leaks) {
    lam_schema *a = lam_test_schema("message m { required int32 a; optional group g {"
                                    " required group h { required int32 b; } } }");
    lam_schema *b =
        lam_test_schema("message m { required int64 a; optional group g {"
                        " required int32 c; } required group i { required int32 d; } }");
    const lam_schema_pair pair = {a, b, "a", "b"};
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
        lam_failing_alloc failing = {.fail_at = nth};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_schema *united = NULL;
        status = lam_schema_unite(&pair, &allocator, &united, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "request %zu", nth);
        cr_assert_eq(status == LAM_STATUS_OK, united != NULL);
        lam_schema_destroy(united);
        cr_assert_eq(failing.live_bytes, 0, "request %zu", nth);
    }
    lam_schema_destroy(a);
    lam_schema_destroy(b);
}

Test(schema_union, shapes_are_the_same_only_with_all_names_types_and_groups) {
    static const char *const others[] = {
        "message m { required int32 b; optional group g { required fixed(3) c; } }",
        "message m { required int32 aa; optional group g { required fixed(3) c; } }",
        "message m { required int64 a; optional group g { required fixed(3) c; } }",
        "message m { optional int32 a; optional group g { required fixed(3) c; } }",
        "message m { required int32 a (DATE); optional group g { required fixed(3) c; } }",
        "message m { required int32 a; optional group g { required fixed(4) c; } }",
        "message m { required int32 a; optional int32 g; required fixed(3) c; }",
        "message m { required group a { required int32 g; required fixed(3) c; } }",
        "message m { required int32 a; }",
    };
    lam_schema *schema = lam_test_schema(
        "message m { required int32 a; optional group g { required fixed(3) c; } }");
    lam_schema *same = lam_test_schema(
        "message n { required int32 a = 1; optional group g { required fixed(3) c; } }");
    cr_expect(lam_schema_same_shape(schema, schema));
    cr_expect(lam_schema_same_shape(schema, same));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        lam_schema *other = lam_test_schema(others[i]);
        cr_expect_not(lam_schema_same_shape(schema, other), "%s", others[i]);
        lam_schema_destroy(other);
    }
    lam_schema_destroy(same);
    lam_schema_destroy(schema);
}

Test(schema_union, groups_without_chosen_leaves_are_left_out) {
    lam_schema *schema = lam_test_schema("message m { required int32 a; optional group g {"
                                         " required int32 b; required int32 c; } }");
    lam_schema *expected = lam_test_schema("message m { optional group g { required int32 c; } }"),
               *chosen;
    const bool some[] = {false, false, true}, all[] = {true, true, true};
    cr_assert_eq(lam_schema_choose(schema, some, NULL, &chosen, NULL), LAM_STATUS_OK);
    cr_assert(lam_schema_equals(chosen, expected));
    lam_schema_destroy(chosen);
    cr_assert_eq(lam_schema_choose(schema, all, NULL, &chosen, NULL), LAM_STATUS_OK);
    cr_assert_eq(chosen, schema);
    lam_schema_destroy(chosen);
    lam_schema_destroy(expected);
    lam_schema_destroy(schema);
}

Test(schema_union, a_group_that_is_no_longer_whole_loses_its_logical_type) {
    lam_schema *schema = lam_test_schema(
        "message m { optional group v (VARIANT(1)) { required binary metadata; required binary"
        " value; } optional group m (MAP) { repeated group map (MAP_KEY_VALUE) { required int32 k;"
        " required int32 v; } } optional group l (LIST) { repeated group list { optional group"
        " element { optional int32 a; optional int32 b; } } } }");
    lam_schema *expected = lam_test_schema(
        "message m { optional group v { required binary value; } optional group m { repeated group"
        " map { required int32 v; } } optional group l (LIST) { repeated group list { optional"
        " group element { optional int32 b; } } } }");
    const bool leaves[] = {false, true, false, true, false, true};
    lam_schema *chosen;
    cr_assert_eq(lam_schema_choose(schema, leaves, NULL, &chosen, NULL), LAM_STATUS_OK);
    cr_expect(lam_schema_equals(chosen, expected));
    lam_schema_destroy(chosen);
    lam_schema_destroy(expected);
    lam_schema_destroy(schema);
}

/* --- Schemas that only files have ---------------------------------------------------------- */

/* The schema of a file whose elements are not those of the text. */
static lam_schema *changed_schema(const char *text, void (*change)(lam_meta_schema_element *)) {
    lam_allocator allocator = lam_allocator_default();
    lam_schema *schema = lam_test_schema(text), *changed;
    lam_meta_schema_element_list elements;
    lam_arena arena;
    lam_error error = lam_error_none();
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_meta_schema_export(schema, &arena, &elements, NULL), LAM_STATUS_OK);
    change((lam_meta_schema_element *)elements.items);
    cr_assert_eq(lam_meta_schema_import(&elements, &allocator, &changed, &error), LAM_STATUS_OK,
                 "%s", error.message);
    lam_arena_finish(&arena);
    lam_schema_destroy(schema);
    return changed;
}

static void make_vector(lam_meta_schema_element *elements) {
    elements[2].repetition_type = LAM_REPETITION_VECTOR;
}

static void make_names_equal(lam_meta_schema_element *elements) {
    elements[3].name = elements[2].name;
}

/* Unites both ways round, which must fail alike. */
static void expect_no_union(const lam_schema *a, const lam_schema *b, lam_status status,
                            const char *words) {
    for (int i = 0; i < 2; i++) {
        const lam_schema_pair pair = {i == 0 ? a : b, i == 0 ? b : a, "a.parquet", "b.parquet"};
        lam_error error = lam_error_none();
        lam_schema *united;
        cr_expect_eq(lam_schema_unite(&pair, NULL, &united, &error), status, "%s", error.message);
        cr_expect(strstr(error.message, words) != NULL, "%s", error.message);
    }
}

Test(schema_union, vectors_are_not_united) {
    static const char text[] = "message m { required group g { required float x; } }";
    lam_schema *vector = changed_schema(text, make_vector), *plain = lam_test_schema(text);
    lam_schema *other = lam_test_schema("message m { required group g { repeated float x; } }");
    expect_no_union(vector, plain, LAM_STATUS_INVALID, "vector float");
    expect_no_union(vector, other, LAM_STATUS_INVALID, "vector float");
    lam_schema_destroy(other);
    lam_schema_destroy(plain);
    lam_schema_destroy(vector);
}

Test(schema_union, names_that_come_twice_are_not_united) {
    static const char text[] =
        "message m { optional group g { required int32 x; required int32 y; } }";
    lam_schema *twice = changed_schema(text, make_names_equal);
    lam_schema *plain = lam_test_schema("message m { optional group g { required int64 x; } }");
    expect_no_union(twice, plain, LAM_STATUS_UNSUPPORTED, "two fields 'x' in one group");
    lam_schema_destroy(plain);
    lam_schema_destroy(twice);
}

/* A column without any value, and one of numbers. */
Test(schema_union, floats_with_a_meaning_are_not_widened) {
    expect_union("message m { required float a (UNKNOWN); }", "message m { required double a; }",
                 "field 'a' is required float (UNKNOWN) in a.parquet and required double in "
                 "b.parquet");
    expect_union("message m { required float a; }", "message m { required double a (UNKNOWN); }",
                 "field 'a' is required float in a.parquet and required double (UNKNOWN) in "
                 "b.parquet");
}
