/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas that are collected by the names of fields. */
#include <criterion/criterion.h>
#include <lamella/constant.h>
#include <string.h>

#include "file/file_sample.h"

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
