/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas that are collected by the names of fields. */
#include <criterion/criterion.h>
#include <lamella/constant.h>
#include <string.h>

#include "file/field_union.h"
#include "file/file_sample.h"
#include "schema/tree.h"
#include "support/failing_alloc.h"

static void expect_collected(const char *first, const char *second, const char *wanted) {
    lam_error error = lam_error_none();
    lam_schema *a = lam_test_schema(first), *b = lam_test_schema(second), *all;
    lam_schema *expected = lam_test_schema(wanted);
    cr_assert_eq(lam_schema_collect(a, b, NULL, &all, &error), LAM_STATUS_OK, "%s", error.message);
    cr_assert(lam_schema_equals(all, expected), "%s and %s", first, second);
    lam_schema_destroy(all);
    lam_schema_destroy(expected);
    lam_schema_destroy(b);
    lam_schema_destroy(a);
}

Test(field_union, fields_of_both_are_there_and_types_of_the_first) {
    expect_collected("message m { required int32 a; optional group g { required binary s; } }",
                     "message m { required group g { required double d; } required int64 a;"
                     " repeated int64 r; }",
                     "message m { required int32 a; optional group g { optional binary s;"
                     " optional double d; } repeated int64 r; }");
    expect_collected("message m { required int32 a; required int32 b; }",
                     "message m { required group a { required int32 x; } }",
                     "message m { required int32 a; optional int32 b; }");
}

/* A list with a second field beside its repeated group would be none. */
Test(field_union, lists_maps_and_variants_keep_their_form) {
    static const char three[] = "message m { optional group l (LIST) { repeated group list {"
                                " optional int64 element; } } }";
    expect_collected(three, "message m { optional group l (LIST) { repeated int64 array; } }",
                     three);
    expect_collected(three,
                     "message m { optional group l (LIST) { repeated group list {"
                     " optional int64 item; } } }",
                     three);
    static const char map[] = "message m { optional group k (MAP) { repeated group key_value {"
                              " required binary key (STRING); optional int64 value; } } }";
    expect_collected(map,
                     "message m { optional group k (MAP) { repeated group entries {"
                     " required binary key (STRING); optional int64 value; } } }",
                     map);
    static const char variant[] = "message m { optional group v (VARIANT) {"
                                  " required binary metadata; required binary value; } }";
    expect_collected(variant,
                     "message m { optional group v (VARIANT) { required binary metadata;"
                     " optional binary value; optional int64 typed_value; } }",
                     variant);
}

Test(field_union, elements_of_lists_gain_fields) {
    expect_collected("message m { optional group l (LIST) { repeated group list {"
                     " optional group element { required int64 a; } } } }",
                     "message m { optional group l (LIST) { repeated group list {"
                     " optional group element { required int64 b; } } } }",
                     "message m { optional group l (LIST) { repeated group list {"
                     " optional group element { optional int64 a; optional int64 b; } } } }");
}

/* --- Groups -------------------------------------------------------------------------------- */

/* A LIST whose repeated group has one field is one of another group; of two, it is the element. */
static const char groups_shape[] =
    "message m { required int64 n; required group g { required int32 x; }"
    " optional group l (LIST) { repeated group list { optional group e { required int32 x; } } }"
    " optional group p (LIST) { repeated group pair { required int32 a; required int32 b; } }"
    " optional group k (MAP) { repeated group key_value { required int32 key;"
    " required int32 value; } }"
    " optional group v (VARIANT) { required binary metadata; required binary value; }"
    " repeated group r { required int32 x; } }";

Test(field_union, groups_gain_fields_unless_these_would_change_what_they_are) {
    static const struct {
        const char *path;
        bool may_gain;
    } cases[] = {{"g", true},  {"l", false},     {"l.list", false}, {"l.list.e", true},
                 {"p", false}, {"p.pair", true}, {"k", false},      {"k.key_value", false},
                 {"v", false}, {"r", true},      {"n", false}};
    lam_schema *schema = lam_test_schema(groups_shape);
    cr_assert(lam_group_may_gain(lam_schema_root(schema)));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(lam_group_may_gain(lam_schema_find(schema, cases[i].path)), cases[i].may_gain,
                     "%s", cases[i].path);
    lam_schema_destroy(schema);
}

Test(field_union, fields_are_alike_where_both_are_groups_of_one_kind) {
    static const struct {
        const char *a, *b;
        bool alike;
    } cases[] = {{"g", "g", true},  {"l", "p", true},  {"n", "g", false}, {"g", "n", false},
                 {"l", "k", false}, {"v", "v", false}, {"g", "r", false}, {"r", "r", true}};
    lam_schema *schema = lam_test_schema(groups_shape);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(lam_fields_are_alike(lam_schema_find(schema, cases[i].a),
                                          lam_schema_find(schema, cases[i].b)),
                     cases[i].alike, "%s and %s", cases[i].a, cases[i].b);
    lam_schema_destroy(schema);
}

/* The levels of a VECTOR are unknown, and so are those of fields that were added to it. */
Test(field_union, vectors_are_like_nothing_and_gain_nothing) {
    lam_schema *schema = lam_test_vector_schema();
    const lam_field *vector = lam_schema_find(schema, "list"),
                    *group = lam_schema_find(schema, "g");
    cr_expect_not(lam_group_may_gain(vector));
    cr_expect_not(lam_fields_are_alike(vector, group));
    cr_expect_not(lam_fields_are_alike(group, vector));
    cr_expect(lam_fields_are_alike(group, group));
    lam_schema_destroy(schema);
}

/* --- Failures ------------------------------------------------------------------------------ */

Test(field_union, a_schema_that_is_missing_is_invalid) {
    lam_schema *schema = lam_test_schema(groups_shape), *all;
    cr_assert_eq(lam_schema_collect(NULL, schema, NULL, &all, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_schema_collect(schema, NULL, NULL, &all, NULL), LAM_STATUS_INVALID);
    lam_schema_destroy(schema);
}

Test(field_union, every_allocation_may_fail) {
    lam_schema *first = lam_test_schema(groups_shape), *all;
    lam_schema *second = lam_test_schema("message m { required group g { required int64 y; }"
                                         " optional group o { required int32 z; } }");
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        status = lam_schema_collect(first, second, &allocator, &all, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        if (status == LAM_STATUS_OK)
            lam_schema_destroy(all);
        cr_assert_eq(counter.live_bytes, 0, "allocation %zu", n);
    }
    lam_schema_destroy(second);
    lam_schema_destroy(first);
}
