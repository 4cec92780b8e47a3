/* SPDX-License-Identifier: Apache-2.0 */
/* The type that each kind of values gets, in every spelling, and those that the caller chooses. */
#include "infer_help.h"

#define DATE "int32 a (DATE);"
#define STRING "binary a (STRING);"
#define LOCAL "int64 a (TIMESTAMP(MICROS,false));"
#define UTC "int64 a (TIMESTAMP(MICROS,true));"
#define TIME "int64 a (TIME(MICROS,false));"
#define UUID "fixed_len_byte_array(16) a (UUID);"

Test(json_infer_schema, texts_of_one_kind_get_its_type_in_every_spelling) {
    static const char *const cases[][2] = {
        {"\"2024-10-24\"|null|\"0001-01-01\"|\"9999-12-31\"", DATE},
        {"\"12:34\"|\"12:34:56\"|\"12:34:56.789\"|\"00:00:00.123456\"", TIME},
        {"\"2024-10-24T12:34\"", LOCAL},
        {"\"2024-10-24T12:34:56\"|\"2024-10-24 12:34:56\"|\"2024-10-24t12:34:56.1\"", LOCAL},
        {"\"2024-10-24T12:34:56.789123\"", LOCAL},
        {"\"2024-10-24T12:34:56Z\"|\"2024-10-24 12:34:56.5z\"|\"2024-10-24T12:34Z\"", UTC},
        {"\"2024-10-24T12:34:56+01:00\"|\"2024-10-24T12:34:56-0130\"|\"2024-10-24T12:34:56+01\"",
         UTC},
        {"\"2024-10-24 12:34:56 UTC\"|\"2024-10-24 12:34:56 +02:00\"", UTC},
        {"\"00112233-4455-6677-8899-aabbccddeeff\"|\"00112233-4455-6677-8899-AABBCCDDEEFF\"", UUID},
        /* escapes are resolved first */
        {"\"2024\\u002d10-24\"", DATE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_field(cases[i][0], cases[i][1]);
}

Test(json_infer_schema, texts_that_are_nearly_dates_stay_strings) {
    static const char *const texts[] = {
        "2024-02-30",
        "2024-13-01",
        "2024-1-1",
        "24-01-01",
        "2024-01-01 ",
        " 2024-01-01",
        "20240101",
        "2024/01/01",
        "+12024-01-01",
        "24:00:00",
        "12:60",
        "1:02:03",
        "12:34:56.",
        "2024-01-01T",
        "2024-01-01T24:00:00",
        "2024-01-01X",
        "2024-01-01T00:00:60Z",
        "2024-01-01T00:00:00+24:00",
        "",
        "x",
        "00112233-4455-6677-8899-aabbccddeef",
        "2024-01-01T00:00:00.1234567891",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char value[80];
        snprintf(value, sizeof value, "\"%s\"", texts[i]);
        expect_field(value, STRING);
        /* One such text makes all others strings. */
        snprintf(value, sizeof value, "\"2024-10-24\"|\"%s\"", texts[i]);
        expect_field(value, STRING);
    }
}

Test(json_infer_schema, texts_of_several_kinds_are_timestamps_or_strings) {
    expect_field("\"2024-10-24\"|\"2024-10-24T01:02:03\"", LOCAL);
    expect_field("\"2024-10-24T01:02:03\"|\"2024-10-24\"|null", LOCAL);
    expect_field("\"2024-10-24\"|\"2024-10-24T01:02:03Z\"", STRING);
    expect_field("\"2024-10-24T01:02:03\"|\"2024-10-24T01:02:03Z\"", STRING);
    expect_field("\"2024-10-24\"|\"01:02:03\"", STRING);
    expect_field("\"2024-10-24\"|\"00112233-4455-6677-8899-aabbccddeeff\"", STRING);
    expect_field("\"2024-10-24\"|5", VARIANT("a"));
}

Test(json_infer_schema, the_unit_holds_all_digits) {
    expect_field("\"2024-10-24T01:02:03.1234567\"|\"2024-10-24T01:02:03\"",
                 "int64 a (TIMESTAMP(NANOS,false));");
    expect_field("\"2024-10-24T01:02:03.123456789Z\"", "int64 a (TIMESTAMP(NANOS,true));");
    expect_field("\"2024-10-24T01:02:03.123456000Z\"", UTC);
    expect_field("\"01:02:03.000000001\"|\"01:02\"", "int64 a (TIME(NANOS,false));");
    /* 64 bits of nanoseconds end in 2262. */
    expect_field("\"2262-04-11T23:47:16.854775807\"", "int64 a (TIMESTAMP(NANOS,false));");
    expect_field("\"2262-04-11T23:47:16.854775808\"", "binary a (STRING);");
    expect_field("\"2024-10-24T01:02:03.1234567\"|\"2500-01-01T00:00:00\"", STRING);
    expect_field("\"2024-10-24T01:02:03.1234567\"|\"1500-01-01\"", STRING);
    expect_field("\"2500-01-01T00:00:00.123456\"|\"0001-01-01\"", LOCAL);
}

Test(json_infer_schema, times_are_strings_on_demand) {
    lam_json_inference_options options = lam_json_inference_options_default();
    options.infer_times = LAM_SWITCH_OFF;
    expect_field_with(&options, "\"2024-10-24\"", STRING);
    expect_field_with(&options, "\"12:34\"", STRING);
    expect_field_with(&options, "\"2024-10-24T01:02:03Z\"", STRING);
    expect_field_with(&options, "\"00112233-4455-6677-8899-aabbccddeeff\"", UUID);
}

Test(json_infer_schema, numbers_with_a_point_are_decimals_on_demand) {
    lam_json_inference_options options = lam_json_inference_options_default();
    options.infer_decimals = true;
    expect_field_with(&options, "1.50|-2", "int64 a (DECIMAL(18,2));");
    expect_field_with(&options, "0.001|12345678901234.5", "int64 a (DECIMAL(18,3));");
    expect_field_with(&options, "0.00001|12345678901234.5",
                      "fixed_len_byte_array(16) a (DECIMAL(38,5));");
    expect_field_with(&options, "1.5e-2|1E3", "int64 a (DECIMAL(18,3));");
    expect_field_with(&options, "1|2", "int64 a;");
    expect_field_with(&options, "-0.0", "double a;");
    expect_field_with(&options, "1e39", "double a;");
    expect_field_with(&options, "1e-39", "double a;");
    expect_field_with(&options, "0.0|1.5e+3", "int64 a (DECIMAL(18,1));");
    expect_field_with(&options, "1e40000", VARIANT("a"));
    expect_field_with(&options, "0.1|12345678901234567890123456789012345678", VARIANT("a"));
    expect_field_with(&options, "1.5|9007199254740993", "int64 a (DECIMAL(18,1));");
    options.infer_decimals = false;
    expect_field_with(&options, "1.50|-2", "double a;");
}

/* Up to 308 digits are below the largest double; more are parsed, as exponents are. */
Test(json_infer_schema, long_numbers_and_large_exponents_are_doubles_where_they_fit) {
    char value[400] = "0.";
    memset(value + 2, '7', 350);
    expect_field(value, "double a;");
    expect_field("1E2|5", "double a;");
    expect_field("1E999", VARIANT("a"));
}

/* --- Types that the caller chooses ----------------------------------------------------------- */

static lam_json_column leaf_at(const char *path, lam_physical_type type, lam_logical_kind kind) {
    lam_json_column column;
    memset(&column, 0, sizeof column);
    column.path = path;
    column.type = type;
    column.options.logical_type.kind = kind;
    return column;
}

Test(json_infer_schema, fields_have_the_types_that_the_caller_chooses) {
    const lam_json_column columns[] = {
        leaf_at("a", LAM_PHYSICAL_INT32, LAM_LOGICAL_NONE),
        leaf_at("l.list.element", LAM_PHYSICAL_FLOAT, LAM_LOGICAL_NONE),
        leaf_at("g.x", LAM_PHYSICAL_BYTE_ARRAY, LAM_LOGICAL_STRING),
        leaf_at("m", LAM_PHYSICAL_GROUP, LAM_LOGICAL_MAP),
        leaf_at("m.key_value.value", LAM_PHYSICAL_DOUBLE, LAM_LOGICAL_NONE),
        leaf_at("v", LAM_PHYSICAL_GROUP, LAM_LOGICAL_VARIANT),
        leaf_at("e", LAM_PHYSICAL_GROUP, LAM_LOGICAL_MAP),
        leaf_at("n", LAM_PHYSICAL_BOOLEAN, LAM_LOGICAL_NONE),
    };
    lam_json_inference_options options = lam_json_inference_options_default();
    options.columns = columns;
    options.column_count = sizeof columns / sizeof *columns;
    expect_schema_with(
        &options,
        "{\"a\":\"x\",\"l\":[1,[]],\"g\":{\"x\":{\"y\":1},\"z\":1},\"m\":{\"p\":1},\"v\":1,"
        "\"e\":{},\"n\":null}\n{\"m\":{\"q\":2}}",
        "optional int32 a; optional group l (LIST) { repeated group list { optional float "
        "element; } } optional group g { optional binary x (STRING); optional int64 z; } "
        "optional group m (MAP) { repeated group key_value { required binary key (STRING); "
        "optional double value; } } optional " VARIANT(
            "v") " optional group e (MAP) { repeated group key_value { required binary key "
                 "(STRING); optional int32 value (UNKNOWN); } } optional boolean n; ");
}

Test(json_infer_schema, a_group_of_named_members_is_what_its_objects_have) {
    const lam_json_column column = leaf_at("g", LAM_PHYSICAL_GROUP, LAM_LOGICAL_NONE);
    lam_json_inference_options options = lam_json_inference_options_default();
    options.columns = &column;
    options.column_count = 1;
    expect_schema_with(&options, "{\"g\":{\"x\":1}}\n{\"g\":null}\n{\"g\":{\"y\":true}}",
                       "optional group g { optional int64 x; optional boolean y; } ");
}

Test(json_infer_schema, types_that_do_not_go_with_the_values_are_refused) {
    static const struct {
        const char *path, *text, *message;
        lam_logical_kind kind;
        lam_status status;
    } cases[] = {
        {"b", "{\"a\":1}", "no record has a field b", LAM_LOGICAL_MAP, LAM_STATUS_NOT_FOUND},
        {"a", "{\"a\":1}", "a cannot be a MAP: not all of its values are objects", LAM_LOGICAL_MAP,
         LAM_STATUS_INVALID},
        {"a", "{\"a\":{}}", "a cannot be a group: its objects are empty", LAM_LOGICAL_NONE,
         LAM_STATUS_INVALID},
        {"a", "{\"a\":{\"b\":1}}\n{\"a\":[]}",
         "a cannot be a group: not all of its values are objects", LAM_LOGICAL_NONE,
         LAM_STATUS_INVALID},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_json_column column = leaf_at(cases[i].path, LAM_PHYSICAL_GROUP, cases[i].kind);
        lam_json_inference_options options = lam_json_inference_options_default();
        lam_error error = lam_error_none();
        char printed[512];
        options.columns = &column;
        options.column_count = 1;
        cr_expect_eq(infer(&cases[i].text, 1, &options, NULL, printed, sizeof printed, &error),
                     cases[i].status);
        cr_expect_str_eq(error.message, cases[i].message);
    }
}

Test(json_infer_schema, kinds_that_clash_are_strings_on_demand) {
    lam_json_inference_options options = lam_json_inference_options_default();
    options.on_clash = LAM_CLASH_STRING;
    expect_field_with(&options, "1|\"x\"|{\"b\":[]}|null", STRING);
    expect_field_with(&options, "1e400", STRING);
    expect_field_with(&options, "{}|null", STRING);
    expect_field_with(&options, "[1,\"x\"]",
                      "group a (LIST) { repeated group list { optional binary element (STRING); } "
                      "}");
    options.on_clash = (lam_clash)7;
    lam_json_inference *inference;
    cr_expect_eq(lam_json_inference_create(&options, NULL, &inference, NULL), LAM_STATUS_INVALID);
    options.on_clash = LAM_CLASH_VARIANT;
    options.infer_maps = (lam_switch)3;
    cr_expect_eq(lam_json_inference_create(&options, NULL, &inference, NULL), LAM_STATUS_INVALID);
}
