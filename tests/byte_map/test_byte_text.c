/* SPDX-License-Identifier: Apache-2.0 */
/* Values as short texts. */
#include "byte_map/walk/byte_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"

TestSuite(byte_text);

static lam_byte_text text_of(const char *bytes, size_t size) {
    lam_byte_text text;
    lam_byte_text_of_bytes((lam_bytes){(const uint8_t *)bytes, size}, &text);
    return text;
}

Test(byte_text, strings_are_in_quotation_marks_and_others_are_hex) {
    cr_assert_str_eq(text_of("abc", 3).text, "\"abc\"");
    cr_assert_str_eq(text_of("", 0).text, "\"\"");
    cr_assert_str_eq(text_of("a\"b", 3).text, "\"a\\\"b\"");
    cr_assert_str_eq(text_of("gr\xC3\xBC\xC3\x9F", 6).text, "\"gr\xC3\xBC\xC3\x9F\"");
    cr_assert_str_eq(text_of("a\0b", 3).text, "0x610062");
    cr_assert_str_eq(text_of("\xFF", 1).text, "0xff");
}

Test(byte_text, long_ones_are_cut_between_characters) {
    char bytes[300];
    memset(bytes, 'a', sizeof bytes);
    cr_assert_str_eq(text_of(bytes, 64).text + 65, "\"");
    cr_assert(strstr(text_of(bytes, 300).text, "\"... (300 bytes)") != NULL);
    memcpy(bytes + 63, "\xC3\xBC", 2);
    lam_byte_text text = text_of(bytes, 300);
    cr_assert_eq(strlen(text.text), 63 + 2 + strlen("... (300 bytes)"), "%s", text.text);
    memset(bytes, '"', sizeof bytes); /* escapes take the most room, but for hex */
    cr_assert(strstr(text_of(bytes, 300).text, "(300 bytes)") != NULL);
    memset(bytes, 1, sizeof bytes);
    cr_assert(strstr(text_of(bytes, 300).text, "(300 bytes)") != NULL);
}

static void expect_value(const char *field, const char *bytes, size_t size, const char *text) {
    char shape[200];
    lam_byte_text found;
    snprintf(shape, sizeof shape, "message m { required %s; }", field);
    lam_schema *schema = lam_test_schema(shape);
    lam_byte_text_of_value(lam_schema_leaf(schema, 0), (lam_bytes){(const uint8_t *)bytes, size},
                           &found);
    cr_expect_str_eq(found.text, text, "%s: %s", field, found.text);
    lam_schema_destroy(schema);
}

Test(byte_text, values_print_by_their_type) {
    expect_value("int32 a", "\xFF\xFF\xFF\xFF", 4, "-1");
    expect_value("int32 a (INTEGER(32,false))", "\xFF\xFF\xFF\xFF", 4, "4294967295");
    expect_value("int64 a", "\1\0\0\0\0\0\0\x80", 8, "-9223372036854775807");
    expect_value("int32 a (DATE)", "\0\0\0\0", 4, "1970-01-01");
    expect_value("int32 a (DECIMAL(9,2))", "\xFB\xFF\xFF\xFF", 4, "-0.05");
    expect_value("int32 a (DECIMAL(9,2))", "\x39\x30\0\0", 4, "123.45");
    expect_value("int32 a (DECIMAL(9,0))", "\7\0\0\0", 4, "7");
    expect_value("int64 a (TIMESTAMP(MILLIS,true))", "\1\0\0\0\0\0\0\0", 8,
                 "1970-01-01T00:00:00.001Z");
    expect_value("int32 a (TIME(MILLIS,true))", "\xFF\xFF\xFF\xFF", 4, "-1");
    expect_value("boolean a", "\1", 1, "true");
    expect_value("float a", "\0\0\x80\x3F", 4, "1.0");
    expect_value("float a", "\0\0\xC0\x7F", 4, "NaN");
    expect_value("double a", "\0\0\0\0\0\0\xF0\xFF", 8, "-Infinity");
    expect_value("double a", "\x9A\x99\x99\x99\x99\x99\xB9\x3F", 8, "0.1");
    expect_value("int96 a", "\0\0\0\0\0\0\0\0\x8C\x3D\x25\0", 12, "1970-01-01T00:00:00.000000000");
    expect_value("int96 a", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x8C\x3D\x25\0", 12,
                 "1969-12-31T23:59:59.999999999");
    expect_value("fixed_len_byte_array(2) a (FLOAT16)", "\0\x3C", 2, "1.0");
    expect_value("fixed_len_byte_array(2) a (DECIMAL(4,1))", "\xFF\x85", 2, "-12.3");
    expect_value("fixed_len_byte_array(16) a (UUID)", "0123456789abcdef", 16,
                 "30313233-3435-3637-3839-616263646566");
    expect_value("binary a (STRING)", "x", 1, "\"x\"");
    expect_value("double a", "\0\0\0\0\0\0\xF0\x7F", 8, "Infinity");
    expect_value("float a", "\0\0\x80\xFF", 4, "-Infinity");
    expect_value("boolean a", "\0", 1, "false");
    expect_value("fixed_len_byte_array(8) a (DECIMAL(18,2))", "\x80\0\0\0\0\0\0\0", 8,
                 "-92233720368547758.08");
    /* Bytes that are no value of the type. */
    expect_value("int64 a", "abc", 3, "\"abc\"");
    expect_value("float a", "abc", 3, "\"abc\"");
    expect_value("double a", "abc", 3, "\"abc\"");
    expect_value("boolean a", "abc", 3, "\"abc\"");
    expect_value("int96 a", "abc", 3, "\"abc\"");
    expect_value("fixed_len_byte_array(16) a (UUID)", "abc", 3, "\"abc\"");
    expect_value("fixed_len_byte_array(2) a (FLOAT16)", "abc", 3, "\"abc\"");
    expect_value("binary a (DECIMAL(20,2))", "", 0, "\"\"");
    expect_value("binary a (DECIMAL(38,2))", "abcdefghi", 9, "\"abcdefghi\"");
    expect_value("int32 a", "abc", 3, "\"abc\"");
}

Test(byte_text, numbers_have_spaces_between) {
    lam_byte_text text;
    const uint64_t numbers[] = {0, UINT64_MAX, 7};
    lam_byte_text_of_numbers(numbers, 3, false, &text);
    cr_assert_str_eq(text.text, "0 18446744073709551615 7");
    lam_byte_text_of_numbers(numbers, 3, true, &text);
    cr_assert_str_eq(text.text, "0 -1 7");
    lam_byte_text_of_numbers(numbers, 0, true, &text);
    cr_assert_str_eq(text.text, "");
}

Test(byte_text, bytes_of_no_known_field_are_bytes) {
    lam_byte_text text;
    lam_byte_text_of_value(NULL, (lam_bytes){(const uint8_t *)"abcd", 4}, &text);
    cr_assert_str_eq(text.text, "\"abcd\"");
}
