/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON becomes VARIANT values of the smallest kind that holds them, within columns where there are
 * some.
 */
#include "json/value/json_variant.h"

#include "scarce_memory.h"
#include "variant_json.h"

/* The kinds that a text is read as. */
static void expect_typed(const char *json, const char *typed) {
    variant_trip trip = plain_trip();
    trip.writing = LAM_JSON_VARIANT_TYPED;
    expect_trip(json, &trip, typed);
}

static void expect_same_text(const char *json) {
    variant_trip trip = plain_trip();
    expect_trip(json, &trip, json);
}

Test(json_variant_read, values_have_the_kinds_of_json) {
    expect_typed("null", "{\"null\":null}");
    expect_typed(" true ", "{\"boolean\":true}");
    expect_typed("\"a\\u00e9\\n\"", "{\"string\":\"a\xC3\xA9\\n\"}");
    expect_typed("[]", "{\"array\":[]}");
    expect_typed("{}", "{\"object\":{}}");
    expect_typed("[1, [true, {\"a\": []}]]",
                 "{\"array\":[{\"int8\":1},{\"array\":[{\"boolean\":true},{\"object\":{\"a\":{"
                 "\"array\":[]}}}]}]}");
}

Test(json_variant_read, integers_take_the_smallest_kind) {
    expect_typed("127", "{\"int8\":127}");
    expect_typed("-129", "{\"int16\":-129}");
    expect_typed("65536", "{\"int32\":65536}");
    expect_typed("-2147483649", "{\"int64\":-2147483649}");
    expect_typed("9223372036854775808", "{\"decimal16\":9223372036854775808}");
    expect_typed("1e3", "{\"int16\":1000}");
}

Test(json_variant_read, numbers_with_a_point_are_decimals_and_keep_their_text) {
    expect_typed("1.50", "{\"decimal4\":1.50}");
    expect_typed("1234567890.5", "{\"decimal8\":1234567890.5}");
    expect_typed("0.30000000000000004", "{\"decimal8\":0.30000000000000004}");
    expect_typed("-12345678901234567890123456789012345678",
                 "{\"decimal16\":"
                 "-12345678901234567890123456789012345678}");
    expect_typed("1e300", "{\"double\":1e+300}");
    expect_typed("-0.0", "{\"double\":-0.0}");
    expect_typed("1e-7", "{\"decimal4\":0.0000001}");
}

Test(json_variant_read, a_number_that_nothing_holds_is_refused_or_rounded_on_request) {
    variant_trip trip = plain_trip();
    expect_no_trip("[1, 0.123456789012345678901234567890123456789]", &trip,
                   "byte 4: 0.123456789012345678901234567890123456789 is a number that neither 38 "
                   "digits nor a double hold");
    expect_no_trip("1e400", &trip,
                   "byte 0: 1e400 is a number that neither 38 digits nor a double hold");
    expect_no_trip("0.123456789012345678901234567890123456789012345678901234567890123", &trip,
                   "byte 0: 0.1234567890123456789012345678901234567890123456789012345678 is a"
                   " number that neither 38 digits nor a double hold");
    trip.reading.nearest_numbers = true;
    expect_trip("[1, 0.123456789012345678901234567890123456789]", &trip, "[1,0.12345678901234568]");
    expect_no_trip("1e400", &trip,
                   "byte 0: 1e400 is a number that neither 38 digits nor a double hold");
}

Test(json_variant_read, fields_come_out_in_the_order_of_their_names) {
    variant_trip trip = plain_trip();
    expect_trip("{\"b\": 1, \"a\": {\"d\": null, \"c\": []}, \"\": \"x\", \"\\u00e9\": 2}", &trip,
                "{\"\":\"x\",\"a\":{\"c\":[],\"d\":null},\"b\":1,\"\xC3\xA9\":2}");
}

Test(json_variant_read, a_name_that_comes_twice_is_refused) {
    variant_trip trip = plain_trip();
    expect_no_trip("{\"a\": 1, \"b\": {\"a\": 2}, \"\\u0061\": 3}", &trip,
                   "the name \"a\" appears twice in its object");
}

Test(json_variant_read, nesting_as_deep_as_json_may_be_is_read) {
    enum { DEPTH = 1024 };
    static char text[2 * DEPTH + 3];
    variant_trip trip = plain_trip();
    lam_error error;
    for (size_t i = 0; i < DEPTH; i++) {
        text[i] = '[';
        text[2 * DEPTH - 1 - i] = ']';
    }
    expect_trip(text, &trip, text);
    memmove(text + 1, text, 2 * DEPTH);
    text[0] = '[';
    text[2 * DEPTH + 1] = ']';
    cr_expect_null(trip_variant(text, &trip, &error));
    cr_expect_str_eq(error.message, "byte 1024: arrays and objects are nested too deep");
}

Test(json_variant_read, text_that_is_no_json_is_refused_with_its_place) {
    variant_trip trip = plain_trip();
    expect_no_trip("", &trip, "expected a value, found nothing");
    expect_no_trip("{\"a\":}", &trip, "byte 5: expected a value, found '}'");
    expect_no_trip("1 2", &trip, "byte 2: expected nothing after the value, found '2'");
    expect_no_trip("[1] [2]", &trip, "byte 4: expected nothing after the value, found '['");
}

Test(json_variant_read, strings_of_all_lengths_are_read) {
    char text[210];
    for (size_t size = 0; size < 200; size++) {
        text[0] = '"';
        memset(text + 1, 'x', size);
        text[size + 1] = '"';
        text[size + 2] = '\0';
        expect_same_text(text);
    }
}

/* --- Into columns ----------------------------------------------------------------------------- */

static void expect_columns(const char *typed, const char *json, const char *value,
                           const char *typed_value) {
    char fields[512], text[512], expected[512];
    lam_json_writer_options storage = lam_json_writer_options_default();
    lam_error error;
    storage.variant = LAM_JSON_VARIANT_STORAGE;
    storage.binary = LAM_JSON_BINARY_HEX;
    snprintf(fields, sizeof fields,
             "optional group v (VARIANT) { required binary metadata; optional binary value; "
             "optional %s; }",
             typed);
    lam_schema *schema = fields_of(fields);
    snprintf(text, sizeof text, "{\"v\": %s}", json);
    char *copy = copy_json(schema, text, NULL, &storage, &error);
    cr_assert_not_null(copy, "%s: %s", text, error.message);
    snprintf(expected, sizeof expected,
             "{\"v\":{\"metadata\":\"010000\",\"value\":%s,\"typed_value\":%s}}\n", value,
             typed_value);
    cr_expect_str_eq(copy, expected, "%s: %s", text, copy);
    free(copy);
    lam_schema_destroy(schema);
}

Test(json_variant_read, a_number_is_a_double_where_the_column_is_and_the_text_is_the_same) {
    expect_columns("double typed_value", "5.5", "null", "5.5");
    expect_columns("double typed_value", "0.30000000000000004", "null", "0.30000000000000004");
    expect_columns("double typed_value", "5.50", "\"200226020000\"", "null");
    expect_columns("double typed_value", "5", "\"0c05\"", "null");
    expect_columns("double typed_value", "1e300", "null", "1e+300");
    expect_columns("float typed_value", "5.5", "null", "5.5");
    expect_columns("float typed_value", "0.30000000000000004", "\"24110400434fd7946a00\"", "null");
    expect_columns("int32 typed_value (DECIMAL(4,1))", "5.5", "null", "5.5");
    expect_columns("int64 typed_value", "5", "null", "5");
    expect_columns("binary typed_value (STRING)", "\"x\"", "null", "\"x\"");
    expect_columns("int64 typed_value (TIMESTAMP(MICROS,true))", "1729794114937",
                   "\"187985c3bf92010000\"", "null");
}

Test(json_variant_read, columns_are_looked_for_at_any_depth) {
    static const char fields[] =
        "optional group v (VARIANT) { required binary metadata; optional binary value;"
        "optional group typed_value { required group b { optional binary value;"
        "optional group typed_value (LIST) { repeated group list { required group element {"
        "optional binary value; optional double typed_value; } } } }"
        "required group a { optional double typed_value; optional binary value; } } }";
    lam_json_writer_options storage = lam_json_writer_options_default();
    lam_schema *schema = fields_of(fields);
    lam_error error;
    storage.variant = LAM_JSON_VARIANT_STORAGE;
    storage.binary = LAM_JSON_BINARY_HEX;
    char *copy =
        copy_json(schema, "{\"v\": {\"b\": [1.5, 2, {\"a\": 1.5}], \"a\": 2.5, \"c\": 3.5}}", NULL,
                  &storage, &error);
    cr_assert_not_null(copy, "%s", error.message);
    cr_expect_str_eq(
        copy,
        "{\"v\":{\"metadata\":\"110300010203616263\",\"value\":\"02010200062001"
        "23000000\",\"typed_value\":{\"b\":{\"value\":null,\"typed_value\":[{\"value\":null,"
        "\"typed_value\":1.5},{\"value\":\"0c02\",\"typed_value\":null},{\"value\":"
        "\"02010000062001"
        "0f000000\",\"typed_value\":null}]},\"a\":{\"typed_value\":2.5,\"value\":null}}}}\n",
        "%s", copy);
    free(copy);
    copy = copy_json(schema, "{\"v\": {\"a\": {\"x\": 1.5}}}", NULL, NULL, &error);
    cr_assert_not_null(copy, "%s", error.message);
    cr_expect_str_eq(copy, "{\"v\":{\"a\":{\"x\":1.5}}}\n", "%s", copy);
    free(copy);
    copy = copy_json(schema, "{\"v\": {\"a\": 2, \"b\": \"x\"}}", NULL, &storage, &error);
    cr_assert_not_null(copy, "%s", error.message);
    cr_expect_str_eq(copy,
                     "{\"v\":{\"metadata\":\"11020001026162\",\"value\":null,\"typed_value\":{"
                     "\"b\":{\"value\":\"0578\",\"typed_value\":null},"
                     "\"a\":{\"typed_value\":null,\"value\":\"0c02\"}}}}\n",
                     "%s", copy);
    free(copy);
    lam_schema_destroy(schema);
}

/* --- Memory ----------------------------------------------------------------------------------- */

typedef struct scarce_parse {
    lam_json_variant form;
    const char *text;
} scarce_parse;

static lam_status parse_scarcely(void *state, const lam_allocator *allocator, lam_error *error) {
    const scarce_parse *parse = state;
    lam_json_parser_options options = lam_json_parser_options_default();
    lam_json_parser *parser = NULL;
    lam_variant_builder *builder = NULL;
    lam_variant variant;
    options.form = parse->form;
    lam_status status = lam_json_parser_create(&options, allocator, &parser, error);
    if (status == LAM_STATUS_OK)
        status = lam_variant_builder_create(NULL, allocator, &builder, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_parser_read(parser, parse->text, strlen(parse->text), builder, error);
    if (status == LAM_STATUS_OK)
        status = lam_variant_builder_finish(builder, &variant, error);
    lam_variant_builder_destroy(builder);
    lam_json_parser_destroy(parser);
    return status;
}

#define LONG " 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789"

Test(json_variant_read, a_failing_allocation_leaves_nothing_behind) {
    static const char *const texts[][4] = {
        {"{\"a\\n\": [1, 2.5, \"b\\t\"], \"c\": null}", "[\"\\n" LONG "\"]",
         "[[[], {\"a\": []}, 1], [true]]", "{\"a\": {\"b\": {\"\": {}}}}"},
        {"{\"object\":{\"a\\n\":{\"array\":[{\"uuid\":\"00010203-0405-0607-0809-0a0b0c0d0e0f\"}]}}"
         "}",
         "{\"array\":[{\"string\":\"\\n" LONG "\"}]}",
         "{\"array\":[{\"array\":[]},{\"object\":{\"a\":{\"array\":[]}}},{\"int8\":1}]}",
         "{\"object\":{\"a\":{\"object\":{\"b\":{\"object\":{}}}}}}"},
    };
    for (int form = LAM_JSON_VARIANT_VALUE; form <= LAM_JSON_VARIANT_TYPED; form++)
        for (size_t i = 0; i < 4; i++) {
            scarce_parse parse = {(lam_json_variant)form, texts[form][i]};
            run_without_each(parse_scarcely, &parse, SIZE_MAX);
            run_within_budgets(parse_scarcely, &parse, 600);
        }
}

/* Each value is once the one that the builder grows for. */
Test(json_variant_read, arrays_of_any_length_take_memory) {
    for (int form = LAM_JSON_VARIANT_VALUE; form <= LAM_JSON_VARIANT_TYPED; form++)
        for (size_t count = 1; count < 40; count++) {
            char text[2048];
            scarce_parse parse = {(lam_json_variant)form, text};
            size_t size =
                (size_t)sprintf(text, form == LAM_JSON_VARIANT_TYPED ? "{\"array\":[" : "[");
            for (size_t i = 0; i < count; i++)
                size += (size_t)sprintf(text + size, "%s%s", i > 0 ? "," : "",
                                        form == LAM_JSON_VARIANT_TYPED ? "{\"array\":[]}" : "[]");
            strcpy(text + size, form == LAM_JSON_VARIANT_TYPED ? "]}" : "]");
            run_without_each(parse_scarcely, &parse, SIZE_MAX);
        }
}

/* A long VARIANT makes the builder large; after some short ones another replaces it. */
typedef struct scarce_columns {
    lam_schema *schema;
    char *json;
} scarce_columns;

static lam_status read_columns(void *state, const lam_allocator *allocator, lam_error *error) {
    const scarce_columns *read = state;
    event_log log = {NULL, 0, 0};
    lam_record_sink sink = log_sink(&log);
    size_t records;
    lam_status status = read_json(read->schema, read->json, strlen(read->json), NULL, allocator,
                                  &sink, &records, error);
    free(log.text);
    return status;
}

Test(json_variant_read, a_builder_that_there_is_no_memory_for_fails_its_record) {
    enum { SIZE = (1 << 20) + 100, SHORT = 20 };
    scarce_columns read = {fields_of("required group v (VARIANT(1)) { required binary metadata;"
                                     " required binary value; }"),
                           malloc(SIZE + 64 * SHORT)};
    size_t size = (size_t)sprintf(read.json, "{\"v\":\"");
    memset(read.json + size, 'x', SIZE);
    size += SIZE;
    size += (size_t)sprintf(read.json + size, "\"}\n");
    for (int i = 0; i < SHORT; i++)
        size += (size_t)sprintf(read.json + size, "{\"v\":1}\n");
    run_without_each(read_columns, &read, 10);
    free(read.json);
    lam_schema_destroy(read.schema);
}
