/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas that are united by the names of their fields. */
#include "schema/schema_union.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"
#include "meta/meta_schema.h"
#include "schema/schema_choose.h"
#include "support/failing_alloc.h"

/* What was noted of clashes: "path type type; ". */
static lam_status note_text(void *state, const lam_field *first, const lam_field *second,
                            lam_error *error) {
    char *text = state, path[64];
    (void)error;
    (void)lam_field_path(first, path, sizeof path);
    snprintf(text + strlen(text), 256 - strlen(text), "%s %s|%s; ", path,
             lam_field_type_text(first).text, lam_field_type_text(second).text);
    return LAM_STATUS_OK;
}

/* Unites two texts and compares the result with a third, and the clashes with a fourth. */
static void expect_clash_union(const char *first, const char *second, lam_clash on_clash,
                               const char *expected, const char *clashes) {
    lam_error error = lam_error_none();
    char text[1024], noted[256] = "";
    lam_schema *a = lam_test_schema(first), *b = lam_test_schema(second), *united;
    const lam_schema_pair pair = {a, b, "a.parquet", "b.parquet", on_clash, note_text, noted};
    lam_status status = lam_schema_unite(&pair, NULL, &united, &error);
    if (status == LAM_STATUS_OK) {
        lam_schema *wanted = lam_test_schema(expected);
        lam_schema_print(united, text, sizeof text);
        cr_assert(lam_schema_equals(united, wanted), "%s", text);
        cr_expect_str_eq(noted, clashes);
        lam_schema_destroy(wanted);
        lam_schema_destroy(united);
    } else {
        cr_assert_eq(status, LAM_STATUS_INVALID);
        cr_assert_str_eq(error.message, expected);
    }
    lam_schema_destroy(a);
    lam_schema_destroy(b);
}

/* The same where a clash is an error, whose message is compared. */
static void expect_union(const char *first, const char *second, const char *expected) {
    expect_clash_union(first, second, LAM_CLASH_ERROR, expected, "");
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

Test(schema_union, types_go_together_as_their_table_says) {
    expect_union("message m { required int32 a; required fixed(4) b; optional int32 c (DATE); }",
                 "message m { required uint32 a; required fixed(5) b;"
                 " required int64 c (TIMESTAMP(MICROS,false)); }",
                 "message m { required int64 a; required binary b;"
                 " optional int64 c (TIMESTAMP(MICROS,false)); }");
    expect_union("message m { required fixed(2) a (FLOAT16); required float b (UNKNOWN); }",
                 "message m { required double a; required double b; }",
                 "message m { required double a; optional double b; }");
    expect_union("message m { optional int32 a (UNKNOWN); optional group l (LIST) { repeated group"
                 " list { optional int32 element (UNKNOWN); } } }",
                 "message m { required group a { required int32 b; } optional group l (LIST) {"
                 " repeated group list { required int64 element; } } }",
                 "message m { optional group a { required int32 b; } optional group l (LIST) {"
                 " repeated group list { optional int64 element; } } }");
}

/* The key became optional, and so no map by the format's rules. */
Test(schema_union, a_key_that_is_nothing_becomes_the_other_one_as_required_as_both) {
    static const char map[] = "message m { optional group m (MAP) { repeated group key_value {"
                              " %s; optional int32 value; } } }";
    static const char *keys[][3] = {
        {"required int32 key (UNKNOWN)", "required binary key (STRING)",
         "required binary key (STRING)"},
        {"required binary key (STRING)", "required int32 key (UNKNOWN)",
         "required binary key (STRING)"},
        {"optional int32 key (UNKNOWN)", "required int64 key", "optional int64 key"},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char texts[3][200];
        for (size_t k = 0; k < 3; k++)
            snprintf(texts[k], sizeof texts[k], map, keys[i][k]);
        expect_union(texts[0], texts[1], texts[2]);
    }
}

Test(schema_union, a_clash_is_named_by_its_path_where_it_is_an_error) {
    expect_union("message m { optional group g { required int32 a; } }",
                 "message m { optional group g { required binary a (STRING); } }",
                 "field 'g.a' is required int32 in a.parquet and required binary (STRING) in "
                 "b.parquet");
    expect_union("message m { required int32 a; }", "message m { repeated int32 a; }",
                 "field 'a' is required int32 in a.parquet and repeated int32 in b.parquet");
    expect_union("message m { required group a { required int32 b; } }",
                 "message m { required int32 a; }",
                 "field 'a' is required group in a.parquet and required int32 in b.parquet");
    expect_union("message m { required int32 a (DATE); }", "message m { required int64 a; }",
                 "field 'a' is required int32 (DATE) in a.parquet and required int64 in b.parquet");
}

#define PLAIN_VARIANT(repetition, name)                                                            \
    repetition " group " name " (VARIANT(1)) { required binary metadata; required binary value; }"

Test(schema_union, a_clash_becomes_a_variant_or_a_string) {
    static const char first[] =
        "message m { required int32 a; optional group g { required int32 b; } repeated int32 r;"
        " optional group l (LIST) { repeated group list { required int32 element; } } }";
    static const char second[] =
        "message m { required binary a (STRING); optional boolean g; required int32 r;"
        " optional group l (LIST) { repeated group list { required binary element; } } }";
    static const char clashes[] = "a int32|binary (STRING); g group|boolean; "
                                  "r repeated int32|int32; l.list.element int32|binary; ";
    expect_clash_union(
        first, second, LAM_CLASH_VARIANT,
        "message m { " PLAIN_VARIANT("required", "a") PLAIN_VARIANT("optional", "g")
            PLAIN_VARIANT("optional", "r") " optional group l (LIST) { repeated group list "
                                           "{ " PLAIN_VARIANT("required", "element") " } } }",
        clashes);
    expect_clash_union(first, second, LAM_CLASH_STRING,
                       "message m { required binary a (STRING); optional binary g (STRING);"
                       " optional binary r (STRING); optional group l (LIST) { repeated group list"
                       " { required binary element (STRING); } } }",
                       clashes);
}

Test(schema_union, a_variant_holds_all_and_clashes_with_nothing) {
    expect_union("message m { " PLAIN_VARIANT("required", "a") " }",
                 "message m { optional group a { required int32 b; } }",
                 "message m { " PLAIN_VARIANT("optional", "a") " }");
    expect_union("message m { required int32 a; }",
                 "message m { required group a (VARIANT(1)) { required binary metadata; optional"
                 " binary value; } }",
                 "message m { required group a (VARIANT(1)) { required binary metadata; optional"
                 " binary value; } }");
    expect_union("message m { required group a (VARIANT(1)) { required binary metadata; optional"
                 " binary value; optional int64 typed_value; } }",
                 "message m { repeated int32 a; }",
                 "message m { optional group a (VARIANT(1)) { required binary metadata; optional"
                 " binary value; optional int64 typed_value; } }");
}

/* The second file has no a: whether it comes before the clash or behind does not matter. */
Test(schema_union, what_repeats_in_one_file_may_be_absent_from_its_clash) {
    static const char *const shapes[] = {"message m { repeated int32 a; }",
                                         "message m { required int32 b; }",
                                         "message m { required double a; }"};
    for (size_t from = 0; from < 3; from++) {
        lam_schema *all = lam_test_schema(shapes[from]);
        for (size_t i = 1; i < 3; i++) {
            lam_schema *next = lam_test_schema(shapes[(from + i) % 3]), *both;
            const lam_schema_pair pair = {all, next, "a", "b", LAM_CLASH_STRING, NULL, NULL};
            cr_assert_eq(lam_schema_unite(&pair, NULL, &both, NULL), LAM_STATUS_OK);
            lam_schema_destroy(all);
            lam_schema_destroy(next);
            all = both;
        }
        const lam_field *field = lam_schema_find(all, "a");
        cr_expect_eq(field->logical_type.kind, LAM_LOGICAL_STRING);
        cr_expect_eq(field->repetition, LAM_REPETITION_OPTIONAL);
        lam_schema_destroy(all);
    }
}

Test(schema_union, maps_whose_keys_clash_are_a_clash) {
    expect_clash_union(
        "message m { optional group m (MAP) { repeated group key_value { required int32 key;"
        " optional int32 value; } } }",
        "message m { optional group m (MAP) { repeated group key_value { required boolean key;"
        " optional int32 value; } } }",
        LAM_CLASH_VARIANT, "message m { " PLAIN_VARIANT("optional", "m") " }",
        "m group (MAP)|group (MAP); ");
    expect_clash_union(
        "message m { optional group m (MAP) { repeated group key_value { required int32 key;"
        " optional int32 value; } } }",
        "message m { optional group m { optional int32 a; } }", LAM_CLASH_VARIANT,
        "message m { " PLAIN_VARIANT("optional", "m") " }", "m group (MAP)|group; ");
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

Test(schema_union, of_lists_of_two_levels_and_of_three_the_union_has_three) {
    expect_union("message m { optional group l (LIST) { repeated group list { optional int32"
                 " element (UNKNOWN); } } }",
                 "message m { optional group l (LIST) { repeated int64 array; } }",
                 "message m { optional group l (LIST) { repeated group list { optional int64"
                 " element; } } }");
    expect_union("message m { optional group l (LIST) { repeated int32 array; } }",
                 "message m { optional group l (LIST) { repeated group list { optional int64"
                 " element; } } }",
                 "message m { optional group l (LIST) { repeated group list { optional int64"
                 " element; } } }");
    expect_union("message m { optional group l (LIST) { repeated group list { optional group e {"
                 " required int32 a; } } } }",
                 "message m { required group l (LIST) { repeated group list { required int32 a;"
                 " required int32 b; } } }",
                 "message m { optional group l (LIST) { repeated group list { optional group e {"
                 " required int32 a; optional int32 b; } } } }");
    expect_clash_union("message m { optional group l (LIST) { repeated int32 array; } }",
                       "message m { optional group l (LIST) { repeated boolean array; } }",
                       LAM_CLASH_VARIANT,
                       "message m { optional group l (LIST) { repeated group list { " PLAIN_VARIANT(
                           "required", "element") " } } }",
                       "l.array repeated int32|repeated boolean; ");
    expect_union("message m { optional group l (LIST) { repeated group array { required int32 a; }"
                 " } }",
                 "message m { optional group l (LIST) { repeated group array { required int64 b; }"
                 " } }",
                 "message m { optional group l (LIST) { repeated group array { optional int32 a;"
                 " optional int64 b; } } }");
}

/* A field that is not shredded is in `value`, where no shredded one may be. */
Test(schema_union, variants_have_the_columns_of_the_first_that_is_shredded) {
#define VARIANT(fields)                                                                            \
    "message m { optional group v (VARIANT(1)) { required binary metadata; optional binary value;" \
    " optional group typed_value { " fields " } } }"
#define SHREDDED(name)                                                                             \
    "required group " name " { optional binary value; optional int32 typed_value; } "
    static const char first[] = VARIANT(SHREDDED("x"));
    expect_union(first, VARIANT(SHREDDED("x") SHREDDED("y")), first);
    expect_union(first, VARIANT(SHREDDED("z")), first);
    expect_union(first,
                 "message m { optional group v (VARIANT(1)) { required binary metadata; optional"
                 " binary value; optional int32 typed_value; } }",
                 first);
    expect_union("message m { optional int32 v; }", first, first);
    expect_union("message m { optional group v (VARIANT(1)) { required binary metadata; required"
                 " int32 typed_value; } }",
                 "message m { required int32 v; }",
                 "message m { optional group v (VARIANT(1)) { required binary metadata; optional"
                 " int32 typed_value; optional binary value; } }");
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
    const lam_schema_pair pair = {.first = a, .second = b, .first_name = "a", .second_name = "b"};
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
        const lam_schema_pair pair = {.first = i == 0 ? a : b,
                                      .second = i == 0 ? b : a,
                                      .first_name = "a.parquet",
                                      .second_name = "b.parquet"};
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

/* `beyond`: the leaf that the first schema would have to have for the second; NULL: it holds it. */
static void expect_beyond(const char *first, const char *second, const char *beyond) {
    lam_error error = lam_error_none();
    char path[64];
    lam_schema *a = lam_test_schema(first), *b = lam_test_schema(second), *both;
    const lam_field *leaf;
    cr_assert_eq(lam_schema_find_beyond(a, b, LAM_CLASH_VARIANT, NULL, &both, &leaf, &error),
                 LAM_STATUS_OK);
    cr_assert_eq(both == NULL, beyond == NULL, "%s: %s", first, second);
    if (both != NULL) {
        (void)lam_field_path(leaf, path, sizeof path);
        cr_expect_str_eq(path, beyond);
    }
    lam_schema_destroy(both);
    lam_schema_destroy(a);
    lam_schema_destroy(b);
}

Test(schema_union, what_a_schema_lacks_to_hold_another_one) {
    const char *own = "message m { optional double v; required group g { optional int64 p; "
                      "optional binary q (STRING); } }";
    expect_beyond(own, own, NULL);
    expect_beyond(own,
                  "message n { required group g { required binary q (ENUM); required int32 p; } "
                  "required float v; }",
                  NULL);
    expect_beyond(own, "message m { required group g { optional int64 p; } optional int64 v; }",
                  NULL);
    expect_beyond(own, "message m { optional int64 v; }", "g.p");
    expect_beyond(own, "message m { required group g { optional double p; } }", "g.p");
    expect_beyond(own, "message m { required group g { optional int64 p; } optional int64 w; }",
                  "w");
    expect_beyond(own, "message m { required group g { optional int64 q; } }", "g.q");
    expect_beyond("message m { required group v (VARIANT(1)) { required binary metadata; "
                  "required binary value; } }",
                  "message m { required int64 v; }", NULL);
}
