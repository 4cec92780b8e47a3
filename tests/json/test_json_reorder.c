/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members in any order print in the order of the schema, and what is missing or comes twice is
 * found.
 */
#include <lamella/record.h>

#include "json_help.h"

static const char fields[] =
    "optional int32 a; optional group b { optional binary x (STRING); optional binary y (STRING); "
    "repeated int32 z; } repeated group c { optional int32 p; optional int32 q; } "
    "optional int32 d;";

Test(json_reorder, fields_in_any_order_print_in_schema_order) {
    expect_copy(fields,
                "{\"d\":4,\"c\":[{\"q\":2,\"p\":1},{\"p\":3}],\"b\":{\"z\":[1,2],\"y\":\",}\\\"]\","
                "\"x\":\"\\\\\"},\"a\":1}",
                "{\"a\":1,\"b\":{\"x\":\"\\\\\",\"y\":\",}\\\"]\",\"z\":[1,2]},"
                "\"c\":[{\"p\":1,\"q\":2},{\"p\":3,\"q\":null}],\"d\":4}\n");
    expect_copy(fields, "{\"b\":{\"y\":\"1\",\"x\":\"0\"},\"a\":7}",
                "{\"a\":7,\"b\":{\"x\":\"0\",\"y\":\"1\",\"z\":[]},\"c\":[],\"d\":null}\n");
    expect_copy(fields, "{\"c\":[{\"q\":9}],\"b\":{\"z\":[5]}}",
                "{\"a\":null,\"b\":{\"x\":null,\"y\":null,\"z\":[5]},"
                "\"c\":[{\"p\":null,\"q\":9}],\"d\":null}\n");
}

Test(json_reorder, every_order_of_the_members_gives_the_same_text) {
    static const char *const members[] = {"\"a\":1", "\"b\":{\"x\":\"[\",\"y\":null,\"z\":[]}",
                                          "\"c\":[{\"p\":1,\"q\":2}]", "\"d\":4"};
    for (int order = 0; order < 256; order++) {
        int at[4] = {order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6 & 3};
        if ((1 << at[0] | 1 << at[1] | 1 << at[2] | 1 << at[3]) != 15)
            continue;
        char json[256];
        snprintf(json, sizeof json, "{%s,%s,%s,%s}", members[at[0]], members[at[1]], members[at[2]],
                 members[at[3]]);
        expect_copy(fields, json,
                    "{\"a\":1,\"b\":{\"x\":\"[\",\"y\":null,\"z\":[]},"
                    "\"c\":[{\"p\":1,\"q\":2}],\"d\":4}\n");
    }
}

Test(json_reorder, required_and_repeated_mistakes_are_found) {
    lam_schema *schema = fields_of("required int32 a; optional int32 b; repeated int32 c;");
    lam_output output;
    lam_json_writer *writer;
    lam_value value = {.int32 = 1};
    lam_error error;
    const lam_field *a = lam_schema_leaf(schema, 0), *b = lam_schema_leaf(schema, 1);
    const lam_field *c = lam_schema_leaf(schema, 2);
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_json_writer_create(schema, &output, NULL, NULL, &writer, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_json_writer_sink(writer);
    const lam_field *twice[][4] = {{a, b, a, NULL}, {a, c, b, c}, {a, c, b, b}};
    for (size_t i = 0; i < 3; i++) {
        lam_status status = sink.begin(writer, &error);
        for (size_t j = 0; j < 4 && twice[i][j] != NULL && status == LAM_STATUS_OK; j++)
            status = sink.put(writer, twice[i][j], value, &error);
        if (status == LAM_STATUS_OK)
            status = sink.end(writer, &error);
        cr_expect_eq(status, LAM_STATUS_INVALID, "%zu", i);
        cr_expect_not_null(strstr(error.message, "appears twice"), "%s", error.message);
    }
    lam_json_writer_destroy(writer);
    lam_output_close(&output);
    lam_schema_destroy(schema);
}

Test(json_reorder, nulls_may_be_left_out_in_any_order) {
    static const char *const members[] = {"\"a\":1", "\"b\":{\"y\":\"1\",\"x\":\"0\"}",
                                          "\"c\":[{\"q\":2},{\"q\":3,\"p\":4}]", "\"d\":4"};
    lam_schema *schema = fields_of(fields);
    lam_json_writer_options options = lam_json_writer_options_default();
    options.omit_nulls = true;
    for (int present = 0; present < 16; present++)
        for (int order = 0; order < 4; order++) {
            char json[256] = "{", expected[256] = "{";
            for (int i = 0; i < 4; i++) {
                int member = i ^ order;
                if ((present >> member & 1) != 0)
                    snprintf(json + strlen(json), sizeof json - strlen(json), "%s%s",
                             json[1] == '\0' ? "" : ",", members[member]);
            }
            strcat(json, "}");
            snprintf(expected, sizeof expected, "{%s%s%s%s%s}\n", present & 1 ? "\"a\":1," : "",
                     present & 2 ? "\"b\":{\"x\":\"0\",\"y\":\"1\",\"z\":[]}," : "",
                     present & 4 ? "\"c\":[{\"q\":2},{\"p\":4,\"q\":3}]" : "\"c\":[]",
                     present & 8 ? "," : "", present & 8 ? "\"d\":4" : "");
            lam_error error;
            char *text = copy_json(schema, json, NULL, &options, &error);
            cr_assert_not_null(text, "%s: %s", json, error.message);
            cr_expect_str_eq(text, expected, "%s gives %s", json, text);
            free(text);
        }
    lam_schema_destroy(schema);
}

/* --- Fields that are not projected, required, or as long as their null ------------------------ */

static lam_status put_in_order(lam_json_writer *writer, const lam_schema *schema, const char *order,
                               lam_error *error) {
    lam_record_sink sink = lam_json_writer_sink(writer);
    lam_value value = {.int32 = 1};
    lam_status status = sink.begin(sink.state, error);
    for (; *order != '\0' && status == LAM_STATUS_OK; order++) {
        char name[2] = {*order, '\0'};
        const lam_field *leaf = lam_schema_find(schema, name);
        if (lam_field_physical_type(leaf) == LAM_PHYSICAL_BOOLEAN)
            status = lam_put_boolean(&sink, leaf, true, error);
        else
            status = sink.put(sink.state, leaf, value, error);
    }
    return status == LAM_STATUS_OK ? sink.end(sink.state, error) : status;
}

/* Puts fields in an order; `expected` is the text or the message. */
static void expect_order(const char *schema_fields, const bool *leaves, const char *order,
                         const char *expected) {
    lam_schema *schema = fields_of(schema_fields);
    lam_json_writer_options options = lam_json_writer_options_default();
    lam_output output;
    lam_json_writer *writer;
    lam_error error = lam_error_none();
    char text[256];
    options.leaves = leaves;
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_json_writer_create(schema, &output, &options, NULL, &writer, NULL),
                 LAM_STATUS_OK);
    lam_status status = put_in_order(writer, schema, order, &error);
    cr_assert_eq(lam_json_writer_flush(writer, NULL), LAM_STATUS_OK);
    lam_bytes bytes = lam_output_memory_bytes(&output);
    snprintf(text, sizeof text, "%.*s", (int)bytes.size, (const char *)bytes.data);
    cr_expect_str_eq(status == LAM_STATUS_OK ? text : error.message, expected, "%s", order);
    lam_json_writer_destroy(writer);
    lam_output_close(&output);
    lam_schema_destroy(schema);
}

Test(json_reorder, fields_that_are_not_projected_have_no_place) {
    static const bool leaves[] = {false, true, false, true};
    expect_order("optional int32 a; optional int32 b; required int32 c; optional int32 d;", leaves,
                 "dcba", "{\"b\":1,\"d\":1}\n");
}

Test(json_reorder, a_value_as_long_as_its_null_is_no_null) {
    static const char booleans[] = "optional boolean a; optional boolean b;";
    expect_order(booleans, NULL, "aba", "a: appears twice");
    expect_order(booleans, NULL, "ba", "{\"a\":true,\"b\":true}\n");
}

Test(json_reorder, a_required_field_that_never_comes_is_missed) {
    expect_order("required int32 a; optional int32 b; optional int32 c;", NULL, "cb",
                 "a: required, but missing");
}
