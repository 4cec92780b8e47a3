/* SPDX-License-Identifier: Apache-2.0 */
/* Values of each type as JSON, by the public call. */
#include <lamella/record.h>
#include <math.h>

#include "json_help.h"
#include "json/value/json_value.h"

/* Prints a value of the only leaf of a schema by the public call. */
static void expect_value(const char *field, lam_value value, lam_json_binary binary,
                         const char *expected) {
    lam_schema *schema = fields_of(field);
    lam_output output;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    lam_status status =
        lam_json_print_value(lam_schema_leaf(schema, 0), value, binary, &output, &error);
    lam_bytes text = lam_output_memory_bytes(&output);
    if (expected == NULL) {
        cr_expect_eq(status, LAM_STATUS_INVALID, "%s", field);
        cr_expect_eq(text.size, 0);
    } else {
        cr_expect_eq(status, LAM_STATUS_OK, "%s: %s", field, error.message);
        cr_expect(text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0,
                  "%s: %.*s is not %s", field, (int)text.size, (const char *)text.data, expected);
    }
    lam_output_close(&output);
    lam_schema_destroy(schema);
}

static lam_value int32_of(int32_t number) {
    lam_value value = {.int32 = number};
    return value;
}

static lam_value int64_of(int64_t number) {
    lam_value value = {.int64 = number};
    return value;
}

static lam_value double_of(double number) {
    lam_value value = {.float64 = number};
    return value;
}

static lam_value float_of(float number) {
    lam_value value = {.float32 = number};
    return value;
}

static lam_value bytes_of(const void *bytes, size_t size) {
    lam_value value = {.bytes = {bytes, size}};
    return value;
}

Test(json_value_write, booleans_and_integers_of_every_width) {
    expect_value("required boolean b;", (lam_value){.boolean = true}, 0, "true");
    expect_value("required boolean b;", (lam_value){.boolean = false}, 0, "false");
    expect_value("required int32 i;", int32_of(INT32_MIN), 0, "-2147483648");
    expect_value("required int64 i;", int64_of(INT64_MIN), 0, "-9223372036854775808");
    expect_value("required int32 i (INTEGER(8,true));", int32_of(-128), 0, "-128");
    expect_value("required int32 i (INTEGER(8,false));", int32_of(255), 0, "255");
    expect_value("required int32 i (INTEGER(32,false));", int32_of(-1), 0, "4294967295");
    expect_value("required int64 i (INTEGER(64,false));", int64_of(-1), 0, "18446744073709551615");
}

Test(json_value_write, reals_and_what_is_no_number) {
    expect_value("required double d;", double_of(0.1), 0, "0.1");
    expect_value("required double d;", double_of(-0.0), 0, "-0.0");
    expect_value("required double d;", double_of(3), 0, "3.0");
    expect_value("required double d;", double_of(NAN), 0, "\"NaN\"");
    expect_value("required double d;", double_of(-INFINITY), 0, "\"-Infinity\"");
    expect_value("required float f;", float_of(0.1f), 0, "0.1");
    expect_value("required float f;", float_of(INFINITY), 0, "\"Infinity\"");
    expect_value("required float f;", float_of(NAN), 0, "\"NaN\"");
    const char *half = "required fixed_len_byte_array(2) h (FLOAT16);";
    expect_value(half, bytes_of("\x00\x3E", 2), 0, "1.5");
    expect_value(half, bytes_of("\x66\x2E", 2), 0, "0.1");
    expect_value(half, bytes_of("\x00\xFC", 2), 0, "\"-Infinity\"");
    expect_value(half, bytes_of("\x01\x7C", 2), 0, "\"NaN\"");
    expect_value(half, bytes_of("\x00\x80", 2), 0, "-0.0");
}

Test(json_value_write, decimals_on_all_four_physical_types) {
    expect_value("required int32 d (DECIMAL(9,2));", int32_of(-12345), 0, "-123.45");
    expect_value("required int64 d (DECIMAL(18,18));", int64_of(1), 0, "0.000000000000000001");
    expect_value("required fixed_len_byte_array(3) d (DECIMAL(5,1));", bytes_of("\xFF\xFF\xF6", 3),
                 0, "-1.0");
    expect_value("required binary d (DECIMAL(40,0));", bytes_of("\x01\x00", 2), 0, "256");
}

Test(json_value_write, dates_times_timestamps) {
    expect_value("required int32 d (DATE);", int32_of(20020), 0, "\"2024-10-24\"");
    expect_value("required int32 t (TIME(MILLIS,true));", int32_of(45296789), 0,
                 "\"12:34:56.789\"");
    expect_value("required int32 t (TIME(MILLIS,true));", int32_of(86400000), 0, "86400000");
    expect_value("required int64 t (TIME(NANOS,false));", int64_of(-1), 0, "-1");
    expect_value("required int64 t (TIME(MICROS,true));", int64_of(1), 0, "\"00:00:00.000001\"");
    expect_value("required int64 t (TIMESTAMP(MICROS,true));", int64_of(-1), 0,
                 "\"1969-12-31T23:59:59.999999Z\"");
    expect_value("required int64 t (TIMESTAMP(NANOS,false));", int64_of(0), 0,
                 "\"1970-01-01T00:00:00.000000000\"");
    expect_value("required int96 t;", bytes_of("\x01\0\0\0\0\0\0\0\x8C\x3D\x25\0", 12), 0,
                 "\"1970-01-01T00:00:00.000000001\"");
    expect_value("required int96 t;",
                 bytes_of("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x8C\x3D\x25\0", 12), 0,
                 "\"1969-12-31T23:59:59.999999999\"");
    expect_value("required int96 t;",
                 bytes_of("\x00\xF2\xA2\x7A\xA9\xDD\xFF\xFF\xA8\x20\x25\0", 12), 0,
                 "\"1949-10-01T13:30:45.000000000\"");
    expect_value("required int96 t;",
                 bytes_of("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F\xFF\xFF\xFF\x7F", 12), 0,
                 "\"+5875190-09-12T23:47:16.854775807\"");
}

Test(json_value_write, timestamps_of_96_bits) {
    static const uint8_t last[12] = {0xff, 0xff, 0xae, 0xa2, 0xfe, 0xd1,
                                     0xa9, 0xbc, 0x0d, 0x00, 0x00, 0x00};
    expect_value("required fixed(12) t (TIMESTAMP(NANOS,true));", bytes_of(last, 12), 0,
                 "\"9999-12-31T23:59:59.999999999Z\"");
    expect_value("required fixed(12) t (TIMESTAMP(NANOS,true));", bytes_of(last, 11), 0, NULL);
}

Test(json_value_write, text_and_bytes) {
    expect_value("required binary s (STRING);", bytes_of("a\"\n", 3), 0, "\"a\\\"\\n\"");
    expect_value("required binary s (STRING);", bytes_of(NULL, 0), 0, "\"\"");
    expect_value("required binary s (STRING);", bytes_of("\xFF", 1), 0, NULL);
    expect_value("required binary s (ENUM);", bytes_of("RED", 3), 0, "\"RED\"");
    expect_value("required binary s (JSON);", bytes_of("{}", 2), 0, "\"{}\"");
    expect_value("required binary b;", bytes_of("\x00\xFF", 2), 0, "\"AP8=\"");
    expect_value("required binary b;", bytes_of("\x00\xFF", 2), LAM_JSON_BINARY_HEX, "\"00ff\"");
    expect_value("required binary b;", bytes_of("ab", 2), LAM_JSON_BINARY_UTF8, "\"ab\"");
    expect_value("required binary b;", bytes_of("\xFF", 1), LAM_JSON_BINARY_UTF8, NULL);
    expect_value("required binary b (BSON);", bytes_of("a", 1), 0, "\"YQ==\"");
    expect_value("required fixed_len_byte_array(2) b;", bytes_of("ab", 2), 0, "\"YWI=\"");
    expect_value("required fixed_len_byte_array(2) b;", bytes_of("abc", 3), 0, NULL);
    expect_value("required int96 t;", bytes_of("abc", 3), 0, NULL);
}

Test(json_value_write, uuid_interval_unknown) {
    expect_value("required fixed_len_byte_array(16) u (UUID);",
                 bytes_of("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xAA\xBB\xCC\xDD\xEE\xFF", 16),
                 0, "\"00112233-4455-6677-8899-aabbccddeeff\"");
    expect_value("required fixed_len_byte_array(12) i (INTERVAL);",
                 bytes_of("\x01\0\0\0\x02\0\0\0\xFF\xFF\xFF\xFF", 12), 0,
                 "{\"months\":1,\"days\":2,\"millis\":4294967295}");
    expect_value("optional int32 n (UNKNOWN);", int32_of(5), 0, "5");
}

Test(json_value_write, a_group_has_no_value) {
    lam_schema *schema = fields_of("optional group g { optional int32 a; }");
    lam_output output;
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_json_print_value(lam_schema_field(schema, 1), int32_of(1), 0, &output, NULL),
                 LAM_STATUS_INVALID);
    cr_expect_eq(lam_json_print_text("a\xFF\"", 3, &output, NULL), LAM_STATUS_OK);
    lam_bytes text = lam_output_memory_bytes(&output);
    cr_expect(text.size == 8 && memcmp(text.data, "\"a\xEF\xBF\xBD\\\"\"", 8) == 0);
    lam_output_close(&output);
    lam_schema_destroy(schema);
}

Test(json_value_write, minifies_without_touching_strings) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer text;
    static const char json[] = " { \"a b\" :\t[ 1 ,\n\"\\\" x \" ] }\r\n";
    lam_buffer_init(&text, &allocator);
    cr_assert_eq(lam_json_minify(&text, json, strlen(json), NULL), LAM_STATUS_OK);
    cr_expect_eq(text.size, 19);
    cr_expect_eq(memcmp(text.data, "{\"a b\":[1,\"\\\" x \"]}", 19), 0, "%.*s", (int)text.size,
                 (char *)text.data);
    lam_buffer_finish(&text);
}
