/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How groups print: each example of LogicalTypes.md on lists and maps, names with escapes, and
 * projections.
 */
#include "json_help.h"
#include "json/parse/json_shape.h"

/* --- Lists: each example of LogicalTypes.md, section "Lists" ---------------------------------- */

Test(json_shape, a_list_of_three_levels) {
    const char *list = "optional group my_list (LIST) { repeated group list { "
                       "optional binary element (STRING); } }";
    expect_same(list, "{\"my_list\":[\"a\",null,\"b\"]}");
    expect_same(list, "{\"my_list\":[]}");
    expect_same(list, "{\"my_list\":null}");
}

Test(json_shape, a_list_of_lists) {
    expect_same("optional group array_of_arrays (LIST) { repeated group list { required group "
                "element (LIST) { repeated group list { required int32 element; } } } }",
                "{\"array_of_arrays\":[[1,2],[],[3]]}");
}

Test(json_shape, old_lists_by_rules_1_to_5) {
    expect_same("optional group my_list (LIST) { repeated int32 element; }", "{\"my_list\":[1,2]}");
    expect_same("optional group my_list (LIST) { repeated group element { "
                "required binary str (STRING); required int32 num; } }",
                "{\"my_list\":[{\"str\":\"a\",\"num\":1}]}");
    expect_same("optional group my_list (LIST) { repeated group array (LIST) { "
                "repeated int32 array; } }",
                "{\"my_list\":[[1,2],[],[3]]}");
    expect_same("optional group my_list (LIST) { repeated group array { "
                "required binary str (STRING); } }",
                "{\"my_list\":[{\"str\":\"a\"}]}");
    expect_same("optional group my_list (LIST) { repeated group my_list_tuple { "
                "required binary str (STRING); } }",
                "{\"my_list\":[{\"str\":\"a\"}]}");
    expect_same("optional group my_list (LIST) { repeated group element { "
                "optional binary str (STRING); } }",
                "{\"my_list\":[\"a\",null]}");
}

Test(json_shape, a_list_that_is_none_is_a_group) {
    expect_same("optional group a (LIST) { optional int32 x; optional int32 y; }",
                "{\"a\":{\"x\":1,\"y\":null}}");
    expect_same("optional group a (LIST) { optional int32 x; }", "{\"a\":{\"x\":1}}");
}

Test(json_shape, repeated_fields_are_arrays_in_their_place) {
    expect_same("repeated int32 num; repeated group my_list { required int32 num; "
                "optional binary str (STRING); }",
                "{\"num\":[1,2],\"my_list\":[{\"num\":1,\"str\":null}]}");
    expect_same("repeated int32 num;", "{\"num\":[]}");
    expect_same("repeated group a { repeated group b { repeated int32 c; } }",
                "{\"a\":[{\"b\":[]},{\"b\":[{\"c\":[]},{\"c\":[1,2]}]}]}");
}

/* --- Maps: each example of LogicalTypes.md, section "Maps" ------------------------------------ */

Test(json_shape, a_map_with_text_keys_is_an_object) {
    const char *map = "optional group my_map (MAP) { repeated group key_value { "
                      "required binary key (STRING); optional int32 value; } }";
    expect_same(map, "{\"my_map\":{\"a\":1,\"b\":null,\"\":2}}");
    expect_same(map, "{\"my_map\":{}}");
    expect_same(map, "{\"my_map\":null}");
    expect_same(map, "{\"my_map\":{\"a\":1,\"a\":2}}"); /* entries, not members */
    expect_same("optional group my_map (MAP_KEY_VALUE) { repeated group map { "
                "required binary key (STRING); optional int32 value; } }",
                "{\"my_map\":{\"a\":1}}");
    expect_same("optional group my_map (MAP) { repeated group map (MAP_KEY_VALUE) { "
                "required binary str (ENUM); required int32 num; } }",
                "{\"my_map\":{\"a\":1}}");
}

Test(json_shape, a_map_of_groups_and_lists) {
    expect_same("required group m (MAP) { repeated group key_value { required binary key (STRING); "
                "optional group value { optional int32 x; repeated int32 y; } } }",
                "{\"m\":{\"a\":{\"x\":1,\"y\":[2]},\"b\":null,\"c\":{\"x\":null,\"y\":[]}}}");
    expect_same("required group m (MAP) { repeated group key_value { required binary key (STRING); "
                "optional group value (LIST) { repeated group list { optional int32 element; } } } "
                "}",
                "{\"m\":{\"a\":[1,null],\"b\":null,\"c\":[]}}");
}

Test(json_shape, a_map_with_other_keys_is_an_array_of_entries) {
    expect_same("optional group m (MAP) { repeated group key_value { required int32 k; "
                "optional int32 v; } }",
                "{\"m\":[{\"key\":1,\"value\":2},{\"key\":-1,\"value\":null}]}");
    expect_same("optional group m (MAP) { repeated group key_value { optional binary key (STRING); "
                "optional int32 value; } }",
                "{\"m\":[{\"key\":null,\"value\":2}]}");
    expect_same("optional group m (MAP) { repeated group kv { required group k { required int32 x; "
                "} optional int32 v; } }",
                "{\"m\":[{\"key\":{\"x\":1},\"value\":2}]}");
    expect_same("optional group m (MAP) { repeated group kv { required int32 k; } }",
                "{\"m\":[{\"key\":1}]}");
}

Test(json_shape, a_map_without_values_is_a_set) {
    const char *set = "optional group m (MAP) { repeated group key_value { "
                      "required binary key (STRING); } }";
    expect_same(set, "{\"m\":{\"a\":null,\"b\":null}}");
    expect_failure(set, "{\"m\":{\"a\":1}}", "line 1: m.a: expected null, found a number");
}

Test(json_shape, a_map_that_is_none_is_a_group) {
    expect_same("optional group m (MAP) { repeated group kv { required int32 a; required int32 b; "
                "required int32 c; } }",
                "{\"m\":{\"kv\":[{\"a\":1,\"b\":2,\"c\":3}]}}");
    expect_same("optional group m (MAP) { repeated group kv { required binary key (STRING); "
                "repeated int32 v; } }",
                "{\"m\":{\"kv\":[{\"key\":\"a\",\"v\":[1,2]}]}}");
}

/* --- Names and projections -------------------------------------------------------------------- */

Test(json_shape, names_are_escaped) {
    lam_schema_builder *builder;
    lam_schema *schema;
    lam_error error;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_add_leaf(builder, "a \"b\"\n", LAM_REPETITION_OPTIONAL,
                                             LAM_PHYSICAL_INT32, NULL, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_add_leaf(builder, "", LAM_REPETITION_OPTIONAL,
                                             LAM_PHYSICAL_INT32, NULL, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    char *copy = copy_json(schema, "{\"\":2,\"\\u0061 \\\"b\\\"\\n\":1}", NULL, NULL, &error);
    cr_assert_not_null(copy, "%s", error.message);
    cr_expect_str_eq(copy, "{\"a \\\"b\\\"\\n\":1,\"\":2}\n");
    free(copy);
    lam_schema_builder_destroy(builder);
    lam_schema_destroy(schema);
}

static void expect_projection(const char *fields, const char *path, const char *json,
                              const char *expected) {
    lam_schema *schema = fields_of(fields);
    bool leaves[16] = {false};
    lam_json_writer_options options = lam_json_writer_options_default();
    lam_error error;
    cr_assert_eq(lam_schema_select(schema, path, leaves, NULL), LAM_STATUS_OK);
    options.leaves = leaves;
    char *copy = copy_json(schema, json, NULL, &options, &error);
    cr_assert_not_null(copy, "%s", error.message);
    cr_expect_str_eq(copy, expected, "%s gave %s", path, copy);
    free(copy);
    lam_schema_destroy(schema);
}

Test(json_shape, projections_leave_out_what_is_not_asked_for) {
    const char *fields =
        "required int32 a; optional group b { optional int32 x; repeated group y { "
        "required int32 p; required int32 q; } } repeated int32 c; "
        "required group m (MAP) { repeated group key_value { "
        "required binary key (STRING); optional int32 value; } }";
    const char *json = "{\"a\":1,\"b\":{\"x\":2,\"y\":[{\"p\":3,\"q\":4}]},\"c\":[5],"
                       "\"m\":{\"k\":6}}";
    expect_projection(fields, "a", json, "{\"a\":1}\n");
    expect_projection(fields, "b.x", json, "{\"b\":{\"x\":2}}\n");
    expect_projection(fields, "b.y.q", json, "{\"b\":{\"y\":[{\"q\":4}]}}\n");
    expect_projection(fields, "c", json, "{\"c\":[5]}\n");
    expect_projection(fields, "m", json, "{\"m\":{\"k\":6}}\n");
    expect_projection(fields, "m.key_value.value", json, "{\"m\":[{\"value\":6}]}\n");
    expect_projection(fields, "m.key_value.key", json, "{\"m\":[{\"key\":\"k\"}]}\n");
}

Test(json_shape, meanings_of_leaves) {
    static const struct {
        const char *field;
        lam_json_meaning meaning;
    } cases[] = {{"required int32 a;", LAM_JSON_MEANS_INT32},
                 {"required int64 a (TIMESTAMP(MILLIS,true));", LAM_JSON_MEANS_TIMESTAMP},
                 {"required fixed(12) a (TIMESTAMP(NANOS,true));", LAM_JSON_MEANS_TIMESTAMP_96},
                 {"required int64 a (INTEGER(64,false));", LAM_JSON_MEANS_UINT64},
                 {"required binary a (BSON);", LAM_JSON_MEANS_BYTES},
                 {"required binary a (JSON);", LAM_JSON_MEANS_TEXT},
                 {"required binary a (GEOMETRY);", LAM_JSON_MEANS_BYTES},
                 {"optional int32 a (UNKNOWN);", LAM_JSON_MEANS_NOTHING},
                 {"required fixed_len_byte_array(2) a (FLOAT16);", LAM_JSON_MEANS_FLOAT16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_schema *schema = fields_of(cases[i].field);
        cr_expect_eq(lam_json_meaning_of(lam_schema_leaf(schema, 0)), cases[i].meaning, "%s",
                     cases[i].field);
        lam_schema_destroy(schema);
    }
}
