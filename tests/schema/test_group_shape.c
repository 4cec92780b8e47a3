/* SPDX-License-Identifier: Apache-2.0 */
/* Annotated groups that are whole, and what is left of them. */
#include "schema/group_shape.h"

#include <criterion/criterion.h>
#include <string.h>

#include "schema_texts.h"

/* Whether the field `a` keeps its type without the leaves that a text of 0 and 1 leaves out. */
static bool keeps(const char *text, const char *path, const char *leaves) {
    bool marks[16];
    lam_schema *schema = parsed(text);
    const lam_field *field = lam_schema_find(schema, path);
    cr_assert_not_null(field, "%s", path);
    cr_assert_eq(strlen(leaves), lam_schema_leaf_count(schema));
    for (size_t i = 0; leaves[i] != '\0'; i++)
        marks[i] = leaves[i] == '1';
    bool kept = lam_group_keeps_type(field, marks);
    lam_schema_destroy(schema);
    return kept;
}

typedef struct shape_case {
    const char *text, *path, *leaves;
    bool keeps;
} shape_case;

static void expect_shapes(const shape_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(keeps(cases[i].text, cases[i].path, cases[i].leaves), cases[i].keeps,
                     "%s of %s: %s", cases[i].leaves, cases[i].path, cases[i].text);
}

Test(group_shape, a_variant_and_a_file_need_all_their_leaves) {
    static const char variant[] =
        "optional group a (VARIANT(1)) { required binary metadata; optional binary value;"
        " optional int32 typed_value; } optional int32 b;";
    static const char file[] =
        "optional group a (FILE) { optional binary uri (STRING); optional int64 offset; }";
    const shape_case cases[] = {
        {variant, "a", "1110", true},  {variant, "a", "1101", false}, {variant, "a", "0111", false},
        {variant, "a", "1011", false}, {file, "a", "11", true},       {file, "a", "10", false},
    };
    expect_shapes(cases, sizeof cases / sizeof *cases);
}

Test(group_shape, a_map_needs_all_of_its_key_and_something_of_its_value) {
    static const char map[] =
        "optional group a (MAP) { repeated group key_value { required group key {"
        " required int32 x; required int32 y; } optional group value { optional int32 z;"
        " optional int32 w; } } }";
    static const char set[] =
        "optional group a (MAP) { repeated group key_value { required int32 key; } }"
        " required int32 b;";
    static const char old[] = "optional group a (MAP) { repeated group map (MAP_KEY_VALUE) {"
                              " required int32 key; optional int32 value; } }";
    const shape_case cases[] = {
        {map, "a", "1110", true},    {map, "a", "1100", false}, {map, "a", "0111", false},
        {map, "a", "0011", false},   {set, "a", "10", true},    {old, "a.map", "11", true},
        {old, "a.map", "10", false},
    };
    expect_shapes(cases, sizeof cases / sizeof *cases);
}

Test(group_shape, the_element_of_a_list_stays_the_element) {
    static const char three[] = "optional group a (LIST) { repeated group list { optional group"
                                " element { optional int32 x; optional int32 y; } } }";
    static const char two[] = "optional group a (LIST) { repeated group element { optional int32"
                              " x; optional int32 y; optional int32 z; } }";
    static const char array[] = "optional group a (LIST) { repeated group array { optional int32"
                                " x; optional int32 y; } }";
    static const char nested[] = "optional group a (LIST) { repeated group element { repeated"
                                 " int32 x; optional int32 y; } }";
    const shape_case cases[] = {
        {three, "a", "10", true},   {three, "a", "00", false},
        {two, "a", "110", true},    {two, "a", "100", false}, /* x would be the element */
        {array, "a", "10", true},  /* the name says that the group is the element */
        {nested, "a", "10", true}, /* a wrapper has no repeated field */
        {nested, "a", "01", false},
    };
    expect_shapes(cases, sizeof cases / sizeof *cases);
}

Test(group_shape, groups_without_a_type_and_leaves_keep_what_they_have) {
    static const char text[] = "optional group a { required int32 x; required int32 y (DATE); }";
    cr_expect(keeps(text, "a", "10"));
    cr_expect(keeps(text, "a.y", "01"));
}

Test(group_shape, a_name_with_brackets_is_in_quotation_marks) {
    static const char text[] = "message m {\n  required double \"a[9]\";\n}\n";
    char *shown;
    cr_expect_not_null(
        strstr(refused("required double covariance[9];"), "(a list is group a (LIST)"));
    cr_expect_not_null(strstr(refused("message a] { required double x; }"),
                              "the name of the message, in quotation"));
    lam_schema *schema = parsed(text);
    shown = printed(schema);
    cr_expect_str_eq(shown, text);
    free(shown);
    lam_schema_destroy(schema);
}
