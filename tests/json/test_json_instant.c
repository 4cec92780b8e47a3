/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates and times in the spellings of JSON go into columns of time, in the unit that is asked for.
 */
#include "json_help.h"

/* One value of a field `a` with these options: what it prints as, or the message of the failure. */
static void expect_value(const lam_json_reader_options *options, const char *type,
                         const char *value, const char *expected) {
    char fields[100], json[200], wanted[300];
    lam_error error;
    snprintf(fields, sizeof fields, "required %s;", type);
    snprintf(json, sizeof json, "{\"a\":%s}", value);
    lam_schema *schema = fields_of(fields);
    char *copy = copy_json(schema, json, options, NULL, &error);
    if (copy == NULL)
        snprintf(wanted, sizeof wanted, "line 1: a: %s", expected);
    else
        snprintf(wanted, sizeof wanted, "{\"a\":%s}\n", expected);
    cr_expect_str_eq(copy == NULL ? error.message : copy, wanted, "%s: %s: %s", type, value,
                     copy == NULL ? error.message : copy);
    free(copy);
    lam_schema_destroy(schema);
}

#define UTC "int64 a (TIMESTAMP(MILLIS,true))"
#define LOCAL "int64 a (TIMESTAMP(MICROS,false))"
#define WIDE "fixed_len_byte_array(12) a (TIMESTAMP(NANOS,true))"
#define EXPECTED_UTC "expected a timestamp as YYYY-MM-DDTHH:MM:SS.fractionZ, found "
#define EXPECTED_LOCAL "expected a timestamp as YYYY-MM-DDTHH:MM:SS.fraction, found "

Test(json_instant, what_users_write_goes_into_columns_of_time) {
    static const char *const cases[][3] = {
        {UTC, "\"2024-01-02\"", "\"2024-01-02T00:00:00.000Z\""},
        {UTC, "\"2024-01-02 03:04:05\"", "\"2024-01-02T03:04:05.000Z\""},
        {UTC, "\"2024-01-02T03:04\"", "\"2024-01-02T03:04:00.000Z\""},
        {UTC, "\"2024-01-02T03:04:05.120000000\"", "\"2024-01-02T03:04:05.120Z\""},
        {UTC, "\"2024-01-02T03:04:05+01:00\"", "\"2024-01-02T02:04:05.000Z\""},
        {UTC, "\"2024-01-02 03:04:05 -0130\"", "\"2024-01-02T04:34:05.000Z\""},
        {UTC, "\"2024-01-02 03:04:05 UTC\"", "\"2024-01-02T03:04:05.000Z\""},
        {UTC, "\"+12024-01-02\"", "\"+12024-01-02T00:00:00.000Z\""},
        {UTC, "\"2024-01-02T03:04:05.1234Z\"", EXPECTED_UTC "\"2024-01-02T03:04:05.1234Z\""},
        {UTC, "\"2024-01-02T03:04:05.00000000000000000000000000000000000000000000000000000 \"",
         EXPECTED_UTC "\"2024-01-02T03:04:05.00000000000000000000...\""},
        {UTC, "\"2024-01-32\"", EXPECTED_UTC "\"2024-01-32\""},
        {UTC, "\"\"", EXPECTED_UTC "\"\""},
        {UTC, "\"2024-01-02T00:00:00T00:00:00\"", EXPECTED_UTC "\"2024-01-02T00:00:00T00:00:00\""},
        {LOCAL, "\"2024-01-02\"", "\"2024-01-02T00:00:00.000000\""},
        {LOCAL, "\"2024-01-02 03:04:05.6\"", "\"2024-01-02T03:04:05.600000\""},
        {LOCAL, "\"2024-01-02T03:04:05Z\"", EXPECTED_LOCAL "\"2024-01-02T03:04:05Z\""},
        {WIDE, "\"2024-01-02\"", "\"2024-01-02T00:00:00.000000000Z\""},
        {WIDE, "\"2024-01-02T03:04:05\"", "\"2024-01-02T03:04:05.000000000Z\""},
        {"int32 a (DATE)", "\"2024-01-02\"", "\"2024-01-02\""},
        {"int32 a (DATE)", "\"2024-01-02T00:00:00\"",
         "expected a date as YYYY-MM-DD, found \"2024-01-02T00:00:00\""},
        {"int32 a (DATE)", "\"-0044-03-15\"", "\"-0044-03-15\""},
        {"int32 a (TIME(MILLIS,true))", "\"12:34\"", "\"12:34:00.000\""},
        {"int64 a (TIME(NANOS,true))", "\"12:34:56.1\"", "\"12:34:56.100000000\""},
        {"int64 a (TIME(MICROS,true))", "\"12:34:56.1234560000\"", "\"12:34:56.123456\""},
        {"int32 a (TIME(MILLIS,true))", "\"12:34:56.0001\"",
         "expected a time as HH:MM:SS.fraction, found \"12:34:56.0001\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_value(NULL, cases[i][0], cases[i][1], cases[i][2]);
}

Test(json_instant, only_what_inference_recognizes_is_taken_on_demand) {
    static const char *const cases[][3] = {
        {UTC, "\"2024-01-02T03:04:05Z\"", "\"2024-01-02T03:04:05.000Z\""},
        {UTC, "\"2024-01-02T03:04:05\"", EXPECTED_UTC "\"2024-01-02T03:04:05\""},
        {UTC, "\"2024-01-02\"", EXPECTED_UTC "\"2024-01-02\""},
        {UTC, "\"+12024-01-02T00:00:00Z\"", EXPECTED_UTC "\"+12024-01-02T00:00:00Z\""},
        {LOCAL, "\"2024-01-02\"", "\"2024-01-02T00:00:00.000000\""},
        {LOCAL, "\"2024-01-02T03:04:05Z\"", EXPECTED_LOCAL "\"2024-01-02T03:04:05Z\""},
        {LOCAL, "\"2024-01-02T03:04:05.1234567\"",
         EXPECTED_LOCAL "\"2024-01-02T03:04:05.1234567\""},
        {WIDE, "\"2024-01-02\"", EXPECTED_UTC "\"2024-01-02\""},
        {"int32 a (DATE)", "\"-0044-03-15\"",
         "expected a date as YYYY-MM-DD, found \"-0044-03-15\""},
        {"int64 a (TIME(MICROS,false))", "\"12:34\"", "\"12:34:00.000000\""},
        {"int64 a (TIME(MICROS,false))", "86400000000", "expected a string, found a number"},
        {"int64 a (TIME(MICROS,false))", "\"12:34:5\"",
         "expected a time as HH:MM:SS.fraction, found \"12:34:5\""},
    };
    lam_json_reader_options options = lam_json_reader_options_default();
    options.exact_times = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_value(&options, cases[i][0], cases[i][1], cases[i][2]);
}

Test(json_instant, numbers_count_from_1970_in_the_unit_that_is_given) {
    static const struct {
        lam_json_epoch epoch;
        const char *type, *value, *expected;
    } cases[] = {
        {LAM_JSON_EPOCH_SECONDS, UTC, "0", "\"1970-01-01T00:00:00.000Z\""},
        {LAM_JSON_EPOCH_SECONDS, UTC, "-1", "\"1969-12-31T23:59:59.000Z\""},
        {LAM_JSON_EPOCH_SECONDS, UTC, "1700000000.25", "\"2023-11-14T22:13:20.250Z\""},
        {LAM_JSON_EPOCH_SECONDS, UTC, "1.7e9", "\"2023-11-14T22:13:20.000Z\""},
        {LAM_JSON_EPOCH_SECONDS, UTC, "1.0001", "expected at most 3 digits after the point"},
        {LAM_JSON_EPOCH_MILLIS, LOCAL, "1700000000250", "\"2023-11-14T22:13:20.250000\""},
        {LAM_JSON_EPOCH_MILLIS, UTC, "1700000000250", "\"2023-11-14T22:13:20.250Z\""},
        {LAM_JSON_EPOCH_MICROS, UTC, "1700000000250000", "\"2023-11-14T22:13:20.250Z\""},
        {LAM_JSON_EPOCH_MICROS, UTC, "1700000000250001",
         "1700000000250001 has more digits than the unit of the timestamp"},
        {LAM_JSON_EPOCH_NANOS, LOCAL, "-1000", "\"1969-12-31T23:59:59.999999\""},
        {LAM_JSON_EPOCH_SECONDS, LOCAL, "9223372036855",
         "9223372036855 is out of the range of the type"},
        {LAM_JSON_EPOCH_SECONDS, LOCAL, "-9223372036854.775808",
         "\"-290308-12-21T19:59:05.224192\""},
        {LAM_JSON_EPOCH_SECONDS, UTC, "\"2024-01-02\"", "\"2024-01-02T00:00:00.000Z\""},
        {LAM_JSON_EPOCH_SECONDS, LOCAL, "9223372036854775808000000000000000000000e-10",
         "9223372036854775808000000000000000000000 is out of the range of the type"},
        {LAM_JSON_EPOCH_MICROS, UTC, "1000000001000000000000000000000000000000e-30",
         "1000000001000000000000000000000000000000 has more digits than the unit of the timestamp"},
        {LAM_JSON_EPOCH_NONE, UTC, "5",
         "expected a timestamp as a string (option epoch), found a number"},
        {LAM_JSON_EPOCH_SECONDS, UTC, "true", "expected a string, found true"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_json_reader_options options = lam_json_reader_options_default();
        options.epoch = cases[i].epoch;
        expect_value(&options, cases[i].type, cases[i].value, cases[i].expected);
    }
    lam_json_reader_options options = lam_json_reader_options_default();
    lam_schema *schema = fields_of("required " UTC ";");
    lam_error error;
    options.epoch = (lam_json_epoch)5;
    cr_expect_null(copy_json(schema, "{}", &options, NULL, &error));
    cr_expect_eq(error.status, LAM_STATUS_INVALID);
    lam_schema_destroy(schema);
}

Test(json_instant, values_of_any_kind_become_text_on_demand) {
    static const char *const cases[][3] = {
        {"binary a (STRING)", "\"x\"", "\"x\""},
        {"binary a (STRING)", "1.50", "\"1.50\""},
        {"binary a (STRING)", "{ \"b\" : [ true, \"y\\u0041\" ] }",
         "\"{\\\"b\\\":[true,\\\"y\\\\u0041\\\"]}\""},
        {"binary a (STRING)", "false", "\"false\""},
        {"binary a (JSON)", "\"x\\n\"", "\"\\\"x\\\\n\\\"\""},
        {"binary a (JSON)", "[1, 2]", "\"[1,2]\""},
        {"binary a (ENUM)", "1", "expected a string, found a number"},
    };
    lam_json_reader_options options = lam_json_reader_options_default();
    options.values_as_text = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_value(&options, cases[i][0], cases[i][1], cases[i][2]);
}

Test(json_instant, forms_that_are_named_are_taken_too) {
    static const char *const forms[] = {"%m/%d/%Y", "%d.%m.%Y %H:%M", "%I %p", "%d.%m.%Y %H:%M%z"};
    static const char *const cases[][3] = {
        {"int32 a (DATE)", "\"1/31/2024\"", "\"2024-01-31\""},
        {"int32 a (DATE)", "\"2024-01-31\"", "\"2024-01-31\""},
        {"int32 a (DATE)", "\"31.1.2024 10:00\"",
         "expected a date as YYYY-MM-DD, found \"31.1.2024 10:00\""},
        {"int64 a (TIME(MICROS,false))", "\"1 pm\"", "\"13:00:00.000000\""},
        {LOCAL, "\"31.1.2024 10:00\"", "\"2024-01-31T10:00:00.000000\""},
        {LOCAL, "\"1/31/2024\"", "\"2024-01-31T00:00:00.000000\""},
        {LOCAL, "\"31.1.2024 10:00Z\"", EXPECTED_LOCAL "\"31.1.2024 10:00Z\""},
        {UTC, "\"31.1.2024 10:00+01\"", "\"2024-01-31T09:00:00.000Z\""},
    };
    lam_json_reader_options options = lam_json_reader_options_default();
    options.time_formats = forms;
    options.time_format_count = 4;
    expect_value(&options, UTC, "\"31.1.2024 10:00\"", "\"2024-01-31T10:00:00.000Z\"");
    for (int exact = 0; exact < 2; exact++) {
        options.exact_times = exact == 1;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            expect_value(&options, cases[i][0], cases[i][1], cases[i][2]);
    }
    expect_value(&options, UTC, "\"31.1.2024 10:00\"", EXPECTED_UTC "\"31.1.2024 10:00\"");
}
