/* SPDX-License-Identifier: Apache-2.0 */
/* Values in messages: numbers by the type of their leaf, and bytes of any other size as text. */
#include "check/report/shown_value.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"

TestSuite(shown_value);

typedef struct shown_row {
    const char *field;
    const char *bytes;
    size_t size;
    const char *text;
} shown_row;

static void expect_shown(const shown_row *row) {
    char text[120];
    snprintf(text, sizeof text, "message m { required %s }", row->field);
    lam_schema *schema = lam_test_schema(text);
    lam_bytes value = {(const uint8_t *)row->bytes, row->size};
    cr_assert_str_eq(lam_check_show(lam_schema_leaf(schema, 0), value).text, row->text, "%s",
                     row->field);
    lam_schema_destroy(schema);
}

Test(shown_value, numbers_are_those_of_the_type) {
    static const shown_row rows[] = {
        {"boolean a;", "\1", 1, "true"},
        {"boolean a;", "\0", 1, "false"},
        {"int32 a;", "\xFF\xFF\xFF\xFF", 4, "-1"},
        {"int32 a (INTEGER(32,false));", "\xFF\xFF\xFF\xFF", 4, "4294967295"},
        {"int64 a;", "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8, "-2"},
        {"int64 a (INTEGER(64,false));", "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8,
         "18446744073709551614"},
        {"float a;", "\0\0\xC0\x3F", 4, "1.5"},
        {"int64 a (TIMESTAMP(MICROS,true));", "\1\0\0\0\0\0\0\0\0\0\0\0", 12,
         "1970-01-01T00:00:00.000001Z"},
        {"double a;", "\0\0\0\0\0\0\xE0\xBF", 8, "-0.5"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_shown(&rows[i]);
}

/* Bounds come from a footer and have any size; none is read beyond its end. */
Test(shown_value, bytes_of_another_size_are_a_word) {
    static const shown_row rows[] = {
        {"int32 a;", "abc", 3, "abc"},
        {"int64 a;", "", 0, "\"\""},
        {"binary a (STRING);", "pear", 4, "pear"},
        {"binary a;", "a b\n", 4, "\"a b\\n\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_shown(&rows[i]);
}

Test(shown_value, a_long_text_is_cut) {
    char bytes[1000];
    lam_schema *schema = lam_test_schema("message m { required binary a; }");
    memset(bytes, 'x', sizeof bytes);
    lam_bytes value = {(const uint8_t *)bytes, sizeof bytes};
    cr_assert_lt(strlen(lam_check_show(lam_schema_leaf(schema, 0), value).text), 72);
    lam_schema_destroy(schema);
}
