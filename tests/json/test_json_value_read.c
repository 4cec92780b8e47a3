/* SPDX-License-Identifier: Apache-2.0 */
/* Values of each type are read from JSON as they were printed, and in other notations. */
#include "json_help.h"
#include "scarce_memory.h"

Test(json_value_read, values_come_back_as_they_were_printed) {
    static const char *const pairs[][2] = {
        {"required boolean a;", "true"},
        {"required int32 a;", "-2147483648"},
        {"required int64 a;", "-9223372036854775808"},
        {"required int64 a;", "9223372036854775807"},
        {"required int64 a;", "9007199254740993"},
        {"required int32 a (INTEGER(8,true));", "-128"},
        {"required int32 a (INTEGER(16,true));", "32767"},
        {"required int32 a (INTEGER(8,false));", "255"},
        {"required int32 a (INTEGER(32,false));", "4294967295"},
        {"required int64 a (INTEGER(64,false));", "18446744073709551615"},
        {"required double a;", "0.1"},
        {"required double a;", "-0.0"},
        {"required double a;", "5e-324"},
        {"required double a;", "1.7976931348623157e+308"},
        {"required double a;", "\"NaN\""},
        {"required double a;", "\"-Infinity\""},
        {"required float a;", "3.4028235e+38"},
        {"required float a;", "1e-45"},
        {"required float a;", "\"Infinity\""},
        {"required fixed_len_byte_array(2) a (FLOAT16);", "65500.0"},
        {"required fixed_len_byte_array(2) a (FLOAT16);", "6e-08"},
        {"required fixed_len_byte_array(2) a (FLOAT16);", "\"NaN\""},
        {"required int32 a (DECIMAL(9,2));", "-9999999.99"},
        {"required int64 a (DECIMAL(18,0));", "999999999999999999"},
        {"required fixed_len_byte_array(16) a (DECIMAL(38,10));",
         "-9999999999999999999999999999.9999999999"},
        {"required binary a (DECIMAL(60,1));",
         "12345678901234567890123456789012345678901234567890.5"},
        {"required binary a (STRING);", "\"上海 \\\"\\\\\\n\\u0000\""},
        {"required binary a (ENUM);", "\"RED\""},
        {"required binary a (JSON);", "\"{\\\"a\\\":1}\""},
        {"required binary a;", "\"AP8=\""},
        {"required binary a;", "\"\""},
        {"required fixed_len_byte_array(3) a;", "\"AAEC\""},
        {"required int32 a (DATE);", "\"2024-10-24\""},
        {"required int32 a (DATE);", "\"-5877641-06-23\""},
        {"required int32 a (TIME(MILLIS,true));", "\"23:59:59.999\""},
        {"required int32 a (TIME(MILLIS,true));", "-1"},
        {"required int64 a (TIME(MICROS,false));", "\"00:00:00.000001\""},
        {"required int64 a (TIME(NANOS,true));", "86400000000000"},
        {"required int64 a (TIMESTAMP(MILLIS,true));", "\"2024-10-24T12:34:56.789Z\""},
        {"required int64 a (TIMESTAMP(MICROS,false));", "\"+294247-01-10T04:00:54.775807\""},
        {"required int64 a (TIMESTAMP(NANOS,true));", "\"1677-09-21T00:12:43.145224192Z\""},
        {"required fixed(12) a (TIMESTAMP(NANOS,true));", "\"0001-01-01T00:00:00.000000001Z\""},
        {"required fixed(12) a (TIMESTAMP(NANOS,false));",
         "\"+1255320264114-11-04T03:19:56.771975167\""},
        {"required fixed(12) a (TIMESTAMP(MICROS,true));", "\"9999-12-31T23:59:59.999999Z\""},
        {"required fixed(12) a (TIMESTAMP(MILLIS,false));",
         "\"-1255320262144839167-05-09T11:20:24.832\""},
        {"required int96 a;", "\"2024-10-24T12:34:56.789012345\""},
        {"required int96 a;", "\"-5884323-05-15T00:00:00.000000000\""},
        {"required fixed_len_byte_array(16) a (UUID);", "\"00112233-4455-6677-8899-aabbccddeeff\""},
        {"required fixed_len_byte_array(12) a (INTERVAL);",
         "{\"months\":1,\"days\":2,\"millis\":4294967295}"},
        {"optional int32 a (UNKNOWN);", "null"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char record[256];
        snprintf(record, sizeof record, "{\"a\":%s}", pairs[i][1]);
        expect_same(pairs[i][0], record);
    }
}

Test(json_value_read, other_notations_of_a_value) {
    expect_copy("required double a;", "{\"a\":1}", "{\"a\":1.0}\n");
    expect_copy("required double a;", "{\"a\":1E2}", "{\"a\":100.0}\n");
    expect_copy("required int64 a;", "{\"a\":-0}", "{\"a\":0}\n");
    expect_copy("required int32 a (DECIMAL(9,2));", "{\"a\":15e-1}", "{\"a\":1.50}\n");
    expect_copy("required int32 a (DECIMAL(9,2));", "{\"a\":7}", "{\"a\":7.00}\n");
    expect_copy("required binary a (STRING);", "{\"a\":\"\\u0041\\/\"}", "{\"a\":\"A/\"}\n");
    expect_copy("required binary a;", "{\"a\":\"\\u0041P8=\"}", "{\"a\":\"AP8=\"}\n");
    expect_copy("required int64 a (TIMESTAMP(MILLIS,true));",
                "{\"a\":\"1970-01-01 01:00:00+01:00\"}", "{\"a\":\"1970-01-01T00:00:00.000Z\"}\n");
    expect_copy("required fixed_len_byte_array(12) a (INTERVAL);",
                "{\"a\":{\"millis\":3,\"days\":2,\"months\":1}}",
                "{\"a\":{\"months\":1,\"days\":2,\"millis\":3}}\n");
    expect_copy("required fixed_len_byte_array(16) a (UUID);",
                "{\"a\":\"00112233-4455-6677-8899-AABBCCDDEEFF\"}",
                "{\"a\":\"00112233-4455-6677-8899-aabbccddeeff\"}\n");
}

Test(json_value_read, what_does_not_fit_says_why) {
    static const char *const cases[][3] = {
        {"required boolean a;", "1", "expected true or false, found a number"},
        {"required int32 a;", "2147483648",
         "2147483648 is out of the range -2147483648 to 2147483647"},
        {"required int32 a;", "1.0",
         "expected an integer without point or exponent, found a number"},
        {"required int32 a;", "\"1\"", "expected an integer, found a string"},
        {"required int32 a (INTEGER(8,true));", "128", "128 is out of the range -128 to 127"},
        {"required int32 a (INTEGER(16,false));", "-1", "-1 is out of the range 0 to 65535"},
        {"required int64 a;", "9223372036854775808",
         "9223372036854775808 is out of the range -9223372036854775808 to 9223372036854775807"},
        {"required int64 a (INTEGER(64,false));", "18446744073709551616",
         "18446744073709551616 is out of the range 0 to 18446744073709551615"},
        {"required double a;", "1e999", "1e999 is out of the range of the type"},
        {"required double a;", "\"nan\"", "expected a number, found a string"},
        {"required float a;", "1e39", "1e39 is out of the range of the type"},
        {"required fixed_len_byte_array(2) a (FLOAT16);", "70000",
         "70000 is out of the range of the type"},
        {"required int32 a (DECIMAL(5,2));", "1.234", "expected at most 2 digits after the point"},
        {"required int32 a (DECIMAL(5,2));", "1000", "expected a decimal of at most 5 digits"},
        {"required int32 a (DECIMAL(5,2));", "\"1\"", "expected a number, found a string"},
        {"required binary a (STRING);", "7", "expected a string, found a number"},
        {"required binary a (STRING);", "{}", "expected a string, found an object"},
        {"required binary a;", "\"AP8\"", "expected bytes as base64, found \"AP8\""},
        {"required fixed_len_byte_array(3) a;", "\"AAE=\"", "expected 3 bytes, found 2"},
        {"required int32 a (DATE);", "\"2023-02-29\"",
         "expected a date as YYYY-MM-DD, found \"2023-02-29\""},
        {"required int32 a (DATE);", "7", "expected a string, found a number"},
        {"required int32 a (TIME(MILLIS,true));", "7",
         "expected a time as a string, found a number"},
        {"required int32 a (TIME(MILLIS,true));", "\"12:3\"",
         "expected a time as HH:MM:SS.fraction, found \"12:3\""},
        {"required fixed(12) a (TIMESTAMP(MILLIS,true));",
         "\"+1255320262144843106-08-25T12:39:35.168Z\"",
         "expected a timestamp as YYYY-MM-DDTHH:MM:SS.fractionZ, found "
         "\"+1255320262144843106-08-25T12:39:35.168Z\""},
        {"required int64 a (TIMESTAMP(MILLIS,true));", "\"2024-10-24T12:34:56X\"",
         "expected a timestamp as YYYY-MM-DDTHH:MM:SS.fractionZ, found \"2024-10-24T12:34:56X\""},
        {"required int96 a;", "\"12:34\"",
         "expected a timestamp as YYYY-MM-DDTHH:MM:SS.fraction, found \"12:34\""},
        {"required fixed_len_byte_array(16) a (UUID);", "\"x\\ny\"",
         "expected a UUID, found \"x\\ny\""},
        {"required fixed_len_byte_array(12) a (INTERVAL);", "{\"months\":1,\"days\":2}",
         "expected an interval as {\"months\":..,\"days\":..,\"millis\":..}"},
        {"required fixed_len_byte_array(12) a (INTERVAL);", "{\"months\":1,\"days\":2,\"days\":3}",
         "expected an interval as {\"months\":..,\"days\":..,\"millis\":..}"},
        {"required fixed_len_byte_array(12) a (INTERVAL);",
         "{\"months\":1,\"days\":-2,\"millis\":3}", "-2 is out of the range 0 to 4294967295"},
        {"required fixed_len_byte_array(12) a (INTERVAL);",
         "{\"months\":1,\"days\":2,\"xillis\":3}",
         "expected an interval as {\"months\":..,\"days\":..,\"millis\":..}"},
        {"required fixed_len_byte_array(12) a (INTERVAL);", "3",
         "expected {\"months\":..,\"days\":..,\"millis\":..}, found a number"},
        {"required int32 a;", "-2147483649",
         "-2147483649 is out of the range -2147483648 to 2147483647"},
        {"required int32 a;", "12345678901234567890123456789012345678901234567890",
         "1234567890123456789012345678901234567890 is out of the range -2147483648 to 2147483647"},
        {"required int32 a (INTEGER(32,false));", "4294967296",
         "4294967296 is out of the range 0 to 4294967295"},
        {"required double a;", "\"-infinity\"", "expected a number, found a string"},
        {"required double a;", "true", "expected a number, found true"},
        {"required int32 a (TIME(MILLIS,true));", "99999999999",
         "99999999999 is out of the range -2147483648 to 2147483647"},
        {"required int64 a (TIME(NANOS,true));", "-99999999999999999999",
         "-99999999999999999999 is out of the range -9223372036854775808 to 9223372036854775807"},
        {"required int96 a;", "\"+5876000-01-01T00:00:00\"",
         "expected a timestamp as YYYY-MM-DDTHH:MM:SS.fraction, found \"+5876000-01-01T00:00:00\""},
        {"required int96 a;", "\"-5885000-05-14T23:59:59\"",
         "expected a timestamp as YYYY-MM-DDTHH:MM:SS.fraction, found \"-5885000-05-14T23:59:59\""},
        {"optional int32 a (UNKNOWN);", "1", "expected null, found a number"},
        {"required int32 a (DATE);", "\"+5881580-07-12 and a text that is much longer than that\"",
         "expected a date as YYYY-MM-DD, found \"+5881580-07-12 and a text that is much l...\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char record[256], message[256];
        snprintf(record, sizeof record, "{\"a\":%s}", cases[i][1]);
        snprintf(message, sizeof message, "line 1: a: %s", cases[i][2]);
        expect_failure(cases[i][0], record, message);
    }
}

Test(json_value_read, bytes_in_the_form_that_was_asked_for) {
    lam_schema *schema = fields_of("required binary a; required fixed_len_byte_array(2) b;");
    lam_json_reader_options reading = lam_json_reader_options_default();
    lam_json_writer_options writing = lam_json_writer_options_default();
    lam_error error;
    reading.binary = LAM_JSON_BINARY_HEX;
    writing.binary = LAM_JSON_BINARY_UTF8;
    char *copy =
        copy_json(schema, "{\"a\":\"4a\\u0034b\",\"b\":\"6162\"}", &reading, &writing, &error);
    cr_assert_not_null(copy, "%s", error.message);
    cr_expect_str_eq(copy, "{\"a\":\"JK\",\"b\":\"ab\"}\n");
    free(copy);
    copy = copy_json(schema, "{\"a\":\"xy\",\"b\":\"6162\"}", &reading, &writing, &error);
    cr_expect_null(copy);
    cr_expect_str_eq(error.message, "line 1: a: expected bytes as hex, found \"xy\"");
    reading.binary = LAM_JSON_BINARY_UTF8;
    writing.binary = LAM_JSON_BINARY_HEX;
    copy = copy_json(schema, "{\"a\":\"JK\",\"b\":\"ab\"}", &reading, &writing, &error);
    cr_expect_str_eq(copy, "{\"a\":\"4a4b\",\"b\":\"6162\"}\n");
    free(copy);
    lam_schema_destroy(schema);
}

/* --- Memory ----------------------------------------------------------------------------------- */

typedef struct scarce_read {
    lam_schema *schema;
    const char *json;
    lam_json_reader_options options;
} scarce_read;

static lam_status read_scarcely(void *state, const lam_allocator *allocator, lam_error *error) {
    const scarce_read *read = state;
    event_log log = {NULL, 0, 0};
    lam_record_sink sink = log_sink(&log);
    size_t records = 0;
    lam_status status = read_json(read->schema, read->json, strlen(read->json), &read->options,
                                  allocator, &sink, &records, error);
    cr_assert_eq(records, status == LAM_STATUS_OK);
    free(log.text);
    return status;
}

/* The last requests are those of the value, whose bytes are not in the text as they stand. */
Test(json_value_read, values_that_there_is_no_memory_for_are_refused) {
    static const char *const cases[][2] = {
        {"required fixed_len_byte_array(2) a (FLOAT16);", "\"NaN\""},
        {"required fixed_len_byte_array(2) a (FLOAT16);", "1.5"},
        {"required fixed_len_byte_array(200) a (DECIMAL(100,0));", "-1"},
        {"required binary a (DECIMAL(60,1));", "1.5"},
        {"required fixed(12) a (TIMESTAMP(NANOS,true));", "\"0001-01-01T00:00:00.000000001Z\""},
        {"required int64 a (TIMESTAMP(NANOS,true));", "\"\\u0032001-01-01T00:00:00Z\""},
        {"required int64 a (TIMESTAMP(NANOS,true));", "1.5"},
        {"required int64 a (TIME(NANOS,true));", "\"\\u0032\\u0033:59:59\""},
        {"required int96 a;", "\"2024-10-24T12:34:56.789012345\""},
        {"required fixed_len_byte_array(16) a (UUID);",
         "\"\\u00300112233-4455-6677-8899-aabbccddeeff\""},
        {"required fixed_len_byte_array(16) a (UUID);", "\"00112233-4455-6677-8899-aabbccddeeff\""},
        {"required fixed_len_byte_array(12) a (INTERVAL);",
         "{\"months\":1,\"days\":2,\"millis\":4294967295}"},
        {"required binary a;", "\"AP8=\""},
        {"required binary a;", "\"\\u0041P8=\""},
        {"required binary a (STRING);", "\"a\\nb\""},
        {"required binary a (JSON);", "[1, {\"b\": null}]"},
        {"required binary a (JSON);", "\"[1]\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char record[256];
        scarce_read read = {fields_of(cases[i][0]), record, lam_json_reader_options_default()};
        read.options.values_as_text = true;
        read.options.epoch = LAM_JSON_EPOCH_SECONDS;
        snprintf(record, sizeof record, "{\"a\":%s}", cases[i][1]);
        run_without_each(read_scarcely, &read, 4);
        snprintf(record, sizeof record, "{\"\\u0061\":%s}", cases[i][1]);
        run_without_each(read_scarcely, &read, 4);
        lam_schema_destroy(read.schema);
    }
}
