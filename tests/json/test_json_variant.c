/* SPDX-License-Identifier: Apache-2.0 */
/* VARIANTs in records of JSON, both ways, shredded, projected, and what is none. */
#include <lamella/record.h>

#include "json/value/json_variant.h"

#include "json_help.h"

/* --- VARIANT among other fields, both ways ---------------------------------------------------- */

#define PLAIN "group v (VARIANT) { required binary metadata; required binary value; }"

Test(json_variant, a_value_stands_in_the_place_of_its_group) {
    expect_same("optional " PLAIN, "{\"v\":{\"a\":[1,null,\"x\"]}}");
    expect_same("optional int32 a; required " PLAIN " optional int32 b;",
                "{\"a\":1,\"v\":\"x\",\"b\":2}");
    expect_same("repeated " PLAIN, "{\"v\":[1,\"x\",null,[]]}");
    expect_same("repeated " PLAIN, "{\"v\":[]}");
    expect_same("optional group l (LIST) { repeated group list { optional " PLAIN " } }",
                "{\"l\":[1,null,{}]}");
    expect_same("optional group l (LIST) { repeated group list { required " PLAIN " } }",
                "{\"l\":[1,null,{}]}");
    expect_same("optional group m (MAP) { repeated group key_value { required binary key "
                "(STRING); optional " PLAIN " } }",
                "{\"m\":{\"a\":[1],\"b\":null}}");
    expect_same("optional group m (MAP) { repeated group key_value { required int32 key; "
                "required " PLAIN " } }",
                "{\"m\":[{\"key\":1,\"value\":{\"x\":true}},{\"key\":2,\"value\":null}]}");
}

/* Null in the place of an optional VARIANT is a missing one, as it is for every optional field. */
Test(json_variant, null_is_a_missing_value_where_one_may_be_missing) {
    lam_schema *optional = fields_of("optional " PLAIN);
    lam_schema *required = fields_of("required " PLAIN);
    event_log log = {NULL, 0, 0};
    lam_record_sink sink = log_sink(&log);
    lam_error error = lam_error_none();
    size_t records;
    cr_assert_eq(read_json(optional, "{\"v\":null}{}", 12, NULL, NULL, &sink, &records, &error),
                 LAM_STATUS_OK);
    cr_expect_str_eq(log.text, "begin \nend \nbegin \nend \n");
    free(log.text);
    memset(&log, 0, sizeof log);
    cr_assert_eq(read_json(required, "{\"v\":null}", 10, NULL, NULL, &sink, &records, &error),
                 LAM_STATUS_OK);
    cr_expect_str_eq(log.text,
                     "begin \nopen v\nput 010000 metadata\nput 00 value\nclose v\nend \n");
    free(log.text);
    memset(&log, 0, sizeof log);
    cr_expect_eq(read_json(required, "{}", 2, NULL, NULL, &sink, &records, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "line 1: v: required, but missing");
    free(log.text);
    lam_schema_destroy(optional);
    lam_schema_destroy(required);
}

Test(json_variant, fields_of_an_object_print_in_the_order_of_their_names) {
    expect_copy("optional " PLAIN, "{\"v\":{\"b\":1,\"a\":2}}", "{\"v\":{\"a\":2,\"b\":1}}\n");
}

Test(json_variant, a_value_that_no_variant_holds_is_told_with_its_line_and_field) {
    expect_failure("optional " PLAIN, "{\"v\":{\"a\":1,\"a\":2}}",
                   "line 1: v: the name \"a\" appears twice in its object");
    expect_failure("optional group w { optional " PLAIN " }", "{\"w\":{\"v\":\n[1e400]}}",
                   "line 2: w.v: 1e400 is a number that neither 38 digits nor a double hold");
    expect_failure("optional group v (VARIANT) { required binary metadata; optional int32 "
                   "typed_value; }",
                   "{\"v\":true}",
                   "line 1: v: v: boolean fits no column, and there is no column named value");
}

/* --- Forms ------------------------------------------------------------------------------------ */

static void expect_forms(const char *fields, const char *json, lam_json_variant reading,
                         lam_json_variant writing, const char *expected) {
    lam_json_reader_options in = lam_json_reader_options_default();
    lam_json_writer_options out = lam_json_writer_options_default();
    lam_error error;
    in.variant = reading;
    out.variant = writing;
    in.binary = out.binary = LAM_JSON_BINARY_HEX;
    lam_schema *schema = fields_of(fields);
    char *copy = copy_json(schema, json, &in, &out, &error);
    cr_assert_not_null(copy, "%s: %s", json, error.message);
    cr_expect_str_eq(copy, expected, "%s", copy);
    free(copy);
    lam_schema_destroy(schema);
}

Test(json_variant, a_variant_is_a_value_a_value_with_kinds_or_a_group) {
    static const char value[] = "{\"v\":[1,null]}\n";
    static const char typed[] = "{\"v\":{\"array\":[{\"int8\":1},{\"null\":null}]}}\n";
    static const char storage[] = "{\"v\":{\"metadata\":\"010000\",\"value\":\"030200020"
                                  "30c0100\"}}\n";
    const char *const texts[] = {value, typed, storage};
    for (int reading = 0; reading < 3; reading++)
        for (int writing = 0; writing < 3; writing++)
            expect_forms("optional " PLAIN, texts[reading], (lam_json_variant)reading,
                         (lam_json_variant)writing, texts[writing]);
}

Test(json_variant, the_null_of_a_variant_is_told_from_a_missing_one_with_its_kind) {
    expect_forms("optional " PLAIN, "{\"v\":{\"null\":null}}\n{\"v\":null}\n",
                 LAM_JSON_VARIANT_TYPED, LAM_JSON_VARIANT_TYPED,
                 "{\"v\":{\"null\":null}}\n{\"v\":null}\n");
}

Test(json_variant, a_form_that_is_none_is_refused) {
    lam_json_reader_options in = lam_json_reader_options_default();
    lam_json_writer_options out = lam_json_writer_options_default();
    lam_schema *schema = fields_of("optional int32 a;");
    lam_output output;
    lam_json_writer *writer;
    lam_record_sink sink = {0};
    size_t records;
    lam_error error = lam_error_none();
    in.variant = (lam_json_variant)3;
    out.variant = (lam_json_variant)3;
    cr_expect_eq(read_json(schema, "{}", 2, &in, NULL, &sink, &records, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "unknown JSON form 3 of VARIANTs");
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_json_writer_create(schema, &output, &out, NULL, &writer, NULL),
                 LAM_STATUS_INVALID);
    lam_output_close(&output);
    lam_schema_destroy(schema);
}

/* --- Shredded, and projected ------------------------------------------------------------------ */

#define SHREDDED                                                                                   \
    "group v (VARIANT) { required binary metadata; optional binary value; optional group "         \
    "typed_value { required group a { optional binary value; optional int64 typed_value; } "       \
    "required group b { optional binary value; optional group typed_value (LIST) { repeated "      \
    "group list { required group element { optional binary value; optional binary typed_value "    \
    "(STRING); } } } } } }"

Test(json_variant, shredded_or_not_a_value_prints_the_same) {
    static const char *const values[] = {"null",
                                         "1",
                                         "\"x\"",
                                         "[]",
                                         "{}",
                                         "{\"a\":1}",
                                         "{\"a\":\"x\",\"b\":[\"y\",1,null]}",
                                         "{\"A\":1,\"a\":1.50,\"aa\":1,\"b\":[[]],\"c\":{\"a\":1}}",
                                         "{\"a\":null,\"b\":null}",
                                         "{\"a\":-9223372036854775808,\"b\":[]}",
                                         "{\"a\":9223372036854775808}"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[256];
        snprintf(text, sizeof text, "{\"v\":%s}", values[i]);
        expect_same("optional " PLAIN, text);
        expect_same("optional " SHREDDED, text);
        expect_same("required " SHREDDED, text);
    }
}

Test(json_variant, a_variant_of_which_not_all_is_projected_prints_as_a_group) {
    lam_schema *schema = fields_of("optional " SHREDDED " optional "
                                   "group w (VARIANT) { required "
                                   "binary metadata; required binary value; }");
    lam_json_writer_options out = lam_json_writer_options_default();
    lam_error error;
    bool leaves[32] = {false};
    cr_assert_leq(lam_schema_leaf_count(schema), sizeof leaves);
    cr_assert_eq(lam_schema_select(schema, "v.typed_value.a", leaves, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_select(schema, "w", leaves, NULL), LAM_STATUS_OK);
    out.leaves = leaves;
    char *copy = copy_json(schema, "{\"v\":{\"a\":5,\"c\":1},\"w\":[true]}", NULL, &out, &error);
    cr_assert_not_null(copy, "%s", error.message);
    cr_expect_str_eq(copy,
                     "{\"v\":{\"typed_value\":{\"a\":{\"value\":null,\"typed_value\":5}}},\"w\":["
                     "true]}\n");
    free(copy);
    lam_schema_destroy(schema);
}

/* --- What is no VARIANT ----------------------------------------------------------------------- */

static lam_status write_storage(const char *fields, const char *json, bool tolerate,
                                lam_error *error) {
    lam_schema *schema = fields_of(fields);
    lam_json_reader_options in = lam_json_reader_options_default();
    lam_json_writer_options out = lam_json_writer_options_default();
    in.variant = LAM_JSON_VARIANT_STORAGE;
    in.binary = LAM_JSON_BINARY_HEX;
    out.tolerate_conflicts = tolerate;
    char *copy = copy_json(schema, json, &in, &out, error);
    lam_status status = copy == NULL ? error->status : LAM_STATUS_OK;
    free(copy);
    lam_schema_destroy(schema);
    return status;
}

Test(json_variant, a_group_that_holds_no_variant_is_told_as_corrupt) {
    lam_error error;
    cr_expect_eq(write_storage("optional " PLAIN,
                               "{\"v\":{\"metadata\":\"010000\",\"value\":\"0c\"}}", false, &error),
                 LAM_STATUS_CORRUPT);
    cr_expect_str_eq(error.message, "v.value: variant: a value ends early");
    static const char conflict[] =
        "{\"v\":{\"metadata\":\"010000\",\"value\":\"00\",\"typed_value\":5}}";
    static const char fields[] = "optional group v (VARIANT) { required binary metadata; optional "
                                 "binary value; optional int32 typed_value; }";
    cr_expect_eq(write_storage(fields, conflict, false, &error), LAM_STATUS_CORRUPT);
    cr_expect_str_eq(error.message, "v: value and typed_value conflict: both are present");
    cr_expect_eq(write_storage(fields, conflict, true, &error), LAM_STATUS_OK);
}

Test(json_variant, a_group_that_can_hold_none_is_refused_unless_it_is_shown_as_it_is) {
    lam_schema *schema =
        fields_of("optional group v (VARIANT) { required binary metadata; optional "
                  "int32 typed_value (INTEGER(32,false)); } optional int32 x;");
    lam_json_writer_options out = lam_json_writer_options_default();
    lam_output output;
    lam_json_writer *writer;
    lam_error error = lam_error_none();
    bool leaves[] = {false, false, true};
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_json_writer_create(schema, &output, &out, NULL, &writer, &error),
                 LAM_STATUS_UNSUPPORTED);
    cr_expect_str_eq(error.message,
                     "v.typed_value: no value is shredded as int32 (INTEGER(32,false))");
    out.leaves = leaves;
    cr_assert_eq(lam_json_writer_create(schema, &output, &out, NULL, &writer, &error),
                 LAM_STATUS_OK);
    lam_json_writer_destroy(writer);
    out.leaves = NULL;
    out.variant = LAM_JSON_VARIANT_STORAGE;
    cr_assert_eq(lam_json_writer_create(schema, &output, &out, NULL, &writer, &error),
                 LAM_STATUS_OK);
    lam_json_writer_destroy(writer);
    lam_output_close(&output);
    lam_schema_destroy(schema);
}
