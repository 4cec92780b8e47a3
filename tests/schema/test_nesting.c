/* SPDX-License-Identifier: Apache-2.0 */
/* Which fields are elements of lists and entries of maps, by each rule of LogicalTypes.md. */
#include "schema/nesting.h"

#include <criterion/criterion.h>

#include "schema_texts.h"

/* What the field `path` of a schema text is: "list wrapped", "list bare", "map" or "". */
static const char *nesting(const char *text, const char *path) {
    lam_schema *schema = parsed(text);
    const lam_field *field = lam_schema_find(schema, path);
    cr_assert_not_null(field, "%s", path);
    bool list = lam_is_list(field);
    bool map = lam_is_map(field);
    cr_assert(!(list && map));
    const char *found = map                           ? "map"
                        : !list                       ? ""
                        : lam_list_has_wrapper(field) ? "list wrapped"
                                                      : "list bare";
    lam_schema_destroy(schema);
    return found;
}

#define EXPECT(text, path, expected)                                                               \
    cr_assert_str_eq(nesting(text, path), expected, "%s of %s: %s", path, text, nesting(text, path))

Test(nesting, the_three_level_list_has_a_wrapper_whatever_its_names) {
    EXPECT("optional group a (LIST) { repeated group list { optional int32 element; } }", "a",
           "list wrapped");
    EXPECT("optional group my_list (LIST) { repeated group element { required binary str (STRING); "
           "} }",
           "my_list", "list wrapped");
    EXPECT(
        "required group a (LIST) { repeated group x { optional group y { required int32 z; } } }",
        "a", "list wrapped");
}

Test(nesting, a_repeated_leaf_is_the_element_by_rule_1) {
    EXPECT("optional group my_list (LIST) { repeated int32 element; }", "my_list", "list bare");
    EXPECT("optional group my_list (LIST) { repeated int32 element; }", "my_list.element", "");
}

Test(nesting, a_repeated_group_of_several_fields_is_the_element_by_rule_2) {
    EXPECT("optional group a (LIST) { repeated group element { required int32 x; required int32 y; "
           "} }",
           "a", "list bare");
}

Test(nesting, a_repeated_group_of_one_repeated_field_is_the_element_by_rule_3) {
    static const char text[] =
        "optional group a (LIST) { repeated group array (LIST) { repeated int32 array; } }";
    EXPECT(text, "a", "list bare");
    EXPECT(text, "a.array", "list bare");
    EXPECT("optional group a (LIST) { repeated group list { repeated int32 x; } }", "a",
           "list bare");
}

Test(nesting, the_names_array_and_tuple_make_the_group_the_element_by_rule_4) {
    EXPECT("optional group a (LIST) { repeated group array { required int32 x; } }", "a",
           "list bare");
    EXPECT("optional group my_list (LIST) { repeated group my_list_tuple { required int32 x; } }",
           "my_list", "list bare");
    EXPECT("optional group my_list (LIST) { repeated group your_list_tuple { required int32 x; } }",
           "my_list", "list wrapped");
    EXPECT("optional group my_list (LIST) { repeated group my_list_Tuple { required int32 x; } }",
           "my_list", "list wrapped");
    EXPECT("optional group a (LIST) { repeated group Array { required int32 x; } }", "a",
           "list wrapped");
}

Test(nesting, what_lacks_the_one_repeated_child_is_no_list) {
    EXPECT("optional group a (LIST) { optional int32 element; }", "a", "");
    EXPECT("optional group a (LIST) { repeated int32 x; repeated int32 y; }", "a", "");
    EXPECT("optional group a { repeated int32 x; }", "a", "");
    EXPECT("repeated int32 a;", "a", "");
}

Test(nesting, a_map_has_entries_of_key_and_value_whatever_their_names) {
    EXPECT("required group m (MAP) { repeated group key_value { required binary key (STRING); "
           "optional int32 value; } }",
           "m", "map");
    EXPECT("optional group m (MAP) { repeated group map { required binary str (STRING); "
           "required int32 num; } }",
           "m", "map");
    EXPECT("optional group m (MAP_KEY_VALUE) { repeated group map { required binary key (STRING); "
           "optional int32 value; } }",
           "m", "map");
    EXPECT("optional group m (MAP) { repeated group key_value { required int32 key; } }", "m",
           "map");
}

Test(nesting, the_entries_inside_a_map_are_no_map_though_annotated_as_one) {
    static const char text[] = "optional group m (MAP) { repeated group map (MAP_KEY_VALUE) { "
                               "required int32 key; optional int32 value; } }";
    EXPECT(text, "m", "map");
    EXPECT(text, "m.map", "");
}

Test(nesting, what_has_other_than_entries_is_no_map) {
    EXPECT("optional group m (MAP) { repeated int32 key; }", "m", "");
    EXPECT("optional group m (MAP) { optional group e { required int32 key; } }", "m", "");
    EXPECT("optional group m (MAP) { repeated group e { repeated int32 key; } }", "m", "");
    EXPECT("optional group m (MAP) { repeated group e { required int32 key; repeated int32 v; } }",
           "m", "");
    EXPECT("optional group m (MAP) { repeated group e { required int32 a; required int32 b; "
           "required int32 c; } }",
           "m", "");
    EXPECT("optional group m { repeated group e { required int32 key; required int32 v; } }", "m",
           "");
}

Test(nesting, a_group_without_fields_is_neither) {
    lam_schema_builder *builder;
    lam_schema *schema;
    lam_field_options list = {.logical_type = {.kind = LAM_LOGICAL_LIST}};
    lam_field_options map = {.logical_type = {.kind = LAM_LOGICAL_MAP}};
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    lam_schema_builder_set_lenient(builder);
    for (int i = 0; i < 2; i++) {
        const lam_field_options *options = i == 0 ? &list : &map;
        const char *name = i == 0 ? "list" : "map";
        cr_assert_eq(
            lam_schema_builder_begin_group(builder, name, LAM_REPETITION_OPTIONAL, options, NULL),
            LAM_STATUS_OK);
        cr_assert_eq(
            lam_schema_builder_begin_group(builder, "entries", LAM_REPETITION_REPEATED, NULL, NULL),
            LAM_STATUS_OK);
        cr_assert_eq(lam_schema_builder_end_group(builder, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_schema_builder_end_group(builder, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(
        lam_schema_builder_begin_group(builder, "bare", LAM_REPETITION_OPTIONAL, &list, NULL),
        LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_end_group(builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    const lam_field *found = lam_schema_find(schema, "list");
    cr_assert(lam_is_list(found));
    cr_assert_not(lam_list_has_wrapper(found));
    cr_assert_not(lam_is_map(lam_schema_find(schema, "map")));
    cr_assert_not(lam_is_list(lam_schema_find(schema, "bare")));
    lam_schema_builder_destroy(builder);
    lam_schema_destroy(schema);
}

/* The name of the element of a list, or of the entry of a map; "" for neither. */
static void expect_inside(const char *text, const char *path, const char *element,
                          const char *entry) {
    lam_schema *schema = parsed(text);
    const lam_field *field = lam_schema_find(schema, path);
    const lam_field *found = lam_field_list_element(field), *map = lam_field_map_entry(field);
    cr_expect_str_eq(found == NULL ? "" : lam_field_name(found), element, "%s", text);
    cr_expect_str_eq(map == NULL ? "" : lam_field_name(map), entry, "%s", text);
    lam_schema_destroy(schema);
}

Test(nesting, lists_give_their_element_and_maps_their_entry) {
    expect_inside("optional group a (LIST) { repeated group list { optional int32 element; } }",
                  "a", "element", "");
    expect_inside("optional group a (LIST) { repeated int32 array; }", "a", "array", "");
    expect_inside("optional group a (LIST) { repeated group array { required int32 x; } }", "a",
                  "array", "");
    expect_inside("optional group m (MAP) { repeated group key_value { required int32 key; "
                  "optional int32 value; } }",
                  "m", "", "key_value");
    expect_inside("optional group g { repeated int32 a; }", "g", "", "");
    expect_inside("repeated int32 a;", "a", "", "");
}
