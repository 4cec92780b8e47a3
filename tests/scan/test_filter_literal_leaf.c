/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a literal lies beside the values that its leaf can have: on one, between two, or outside of
 * all.
 */
#include "scan/condition/filter_literal_text.h"

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "support/test_file.h"

typedef struct literal {
    lam_schema *schema;
    lam_arena arena;
    lam_leaf_literal found;
    lam_status status;
    lam_error error;
} literal;

static literal read_as(const char *type, const char *text) {
    literal it;
    char field[128];
    lam_filter_lexer lexer;
    lam_allocator allocator = lam_allocator_default();
    memset(&it, 0, sizeof it);
    snprintf(field, sizeof field, "required %s;", type);
    it.schema = lam_test_parse(field);
    lam_arena_init(&it.arena, &allocator, 0);
    cr_assert_eq(lam_filter_lexer_init(&lexer, text, strlen(text), NULL), LAM_STATUS_OK);
    it.error = lam_error_none();
    const lam_field *leaf = lam_schema_leaf(it.schema, 0);
    lam_literal read;
    it.status = lam_literal_read(&lexer, &it.arena, &read, &it.error);
    if (it.status == LAM_STATUS_OK)
        it.status = lam_literal_to_leaf(&read, leaf, &it.arena, &it.found, &it.error);
    const char *expected =
        it.status == LAM_STATUS_OK ? lam_literal_expected(&read, leaf, &it.found) : NULL;
    if (expected != NULL)
        it.status = lam_filter_lexer_expected(&lexer, expected, &it.error);
    return it;
}

static void finish(literal *it) {
    lam_arena_finish(&it->arena);
    lam_schema_destroy(it->schema);
}

Test(filter_literal_leaf, integers_are_exact_or_lie_between_or_outside) {
    static const struct {
        const char *type, *text;
        int64_t value;
        lam_literal_position position;
    } cases[] = {
        {"int32 a", "10", 10, LAM_LITERAL_EXACT},
        {"int32 a", "10.5", 10, LAM_LITERAL_BETWEEN},
        {"int32 a", "-0.5", -1, LAM_LITERAL_BETWEEN},
        {"int32 a", "2147483648", 0, LAM_LITERAL_ABOVE_ALL},
        {"int32 a", "-2147483649", 0, LAM_LITERAL_BELOW_ALL},
        {"int64 a", "9223372036854775807", INT64_MAX, LAM_LITERAL_EXACT},
        {"int64 a", "1e30", 0, LAM_LITERAL_ABOVE_ALL},
        {"int64 a (INTEGER(64,false))", "18446744073709551615", -1, LAM_LITERAL_EXACT},
        {"int64 a (INTEGER(64,false))", "-1", 0, LAM_LITERAL_BELOW_ALL},
        {"int32 a (INTEGER(32,false))", "4294967296", 0, LAM_LITERAL_ABOVE_ALL},
        {"int32 a (DECIMAL(9,2))", "1.23", 123, LAM_LITERAL_EXACT},
        {"int64 a (DECIMAL(18,2))", "-1.234", -124, LAM_LITERAL_BETWEEN},
        {"int32 a (DATE)", "'1970-01-11'", 10, LAM_LITERAL_EXACT},
        {"int64 a (TIME(MICROS,true))", "'00:00:01.5'", 1500000, LAM_LITERAL_EXACT},
        {"int64 a (TIMESTAMP(MILLIS,true))", "'1970-01-01T00:00:02Z'", 2000, LAM_LITERAL_EXACT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        literal it = read_as(cases[i].type, cases[i].text);
        bool wide = lam_field_physical_type(lam_schema_leaf(it.schema, 0)) == LAM_PHYSICAL_INT64;
        cr_assert_eq(it.status, LAM_STATUS_OK, "%s %s", cases[i].type, cases[i].text);
        int64_t value = 0;
        if (it.found.plain.size > 0)
            value = wide ? (int64_t)lam_load_le64(it.found.plain.data)
                         : (int32_t)lam_load_le32(it.found.plain.data);
        cr_expect_eq(value, cases[i].value, "%s %s", cases[i].type, cases[i].text);
        cr_expect_eq(it.found.position, cases[i].position, "%s %s", cases[i].type, cases[i].text);
        finish(&it);
    }
}

Test(filter_literal_leaf, bytes_are_those_of_the_column) {
    static const struct {
        const char *type, *text, *bytes;
        size_t size;
        lam_literal_position position;
    } cases[] = {
        {"binary a (STRING)", "'it''s'", "it's", 4, LAM_LITERAL_EXACT},
        {"binary a (STRING)", "''", "", 0, LAM_LITERAL_EXACT},
        {"binary a", "x'00Ff'", "\x00\xff", 2, LAM_LITERAL_EXACT},
        {"binary a (DECIMAL(20,1))", "-12.8", "\x80", 1, LAM_LITERAL_EXACT},
        {"fixed_len_byte_array(3) a (DECIMAL(6,1))", "-0.1", "\xff\xff\xff", 3, LAM_LITERAL_EXACT},
        {"fixed_len_byte_array(3) a (DECIMAL(6,1))", "0.05", "\0\0\0", 3, LAM_LITERAL_BETWEEN},
        {"fixed_len_byte_array(3) a (DECIMAL(6,1))", "1e9", "", 0, LAM_LITERAL_ABOVE_ALL},
        {"fixed_len_byte_array(3) a (DECIMAL(6,1))", "-1e9", "", 0, LAM_LITERAL_BELOW_ALL},
        {"fixed_len_byte_array(2) a (FLOAT16)", "1.5", "\x00\x3e", 2, LAM_LITERAL_EXACT},
        {"fixed_len_byte_array(2) a (FLOAT16)", "'-Infinity'", "\x00\xfc", 2, LAM_LITERAL_EXACT},
        {"fixed_len_byte_array(16) a (UUID)", "'00112233-4455-6677-8899-aabbccddeeff'",
         "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16, LAM_LITERAL_EXACT},
        {"fixed_len_byte_array(12) a (TIMESTAMP(NANOS,true))", "'0001-01-01T00:00:00Z'",
         "\x00\x00\x1a\x3d\xeb\x03\xb2\xa1\xfc\xff\xff\xff", 12, LAM_LITERAL_EXACT},
        {"fixed_len_byte_array(12) a (TIMESTAMP(MILLIS,false))",
         "'+1000000000000-01-01T00:00:00.5'", "\xf4\xa1\xb7\xd5\x8f\xcf\xae\xb4\xae\x06\x00\x00",
         12, LAM_LITERAL_EXACT},
        {"int96 a", "'1970-01-02T00:00:00.000000005'", "\5\0\0\0\0\0\0\0\x8d\x3d\x25\0", 12,
         LAM_LITERAL_EXACT},
        {"int96 a", "'+99999999-01-01T00:00:00'", "", 0, LAM_LITERAL_ABOVE_ALL},
        {"int96 a", "'-99999999-01-01T00:00:00'", "", 0, LAM_LITERAL_BELOW_ALL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        literal it = read_as(cases[i].type, cases[i].text);
        cr_assert_eq(it.status, LAM_STATUS_OK, "%s %s: %s", cases[i].type, cases[i].text,
                     it.error.message);
        cr_assert_eq(it.found.plain.size, cases[i].size, "%s %s", cases[i].type, cases[i].text);
        cr_expect(cases[i].size == 0 ||
                      memcmp(it.found.plain.data, cases[i].bytes, cases[i].size) == 0,
                  "%s %s", cases[i].type, cases[i].text);
        cr_expect_eq(it.found.position, cases[i].position, "%s %s", cases[i].type, cases[i].text);
        finish(&it);
    }
}

Test(filter_literal_leaf, moments_lie_at_between_or_outside_what_a_column_can_have) {
    static const struct {
        const char *type, *text;
        int64_t value;
        lam_literal_position position;
    } cases[] = {
        {"int32 a (DATE)", "'1970-01-02T00:00:00'", 1, LAM_LITERAL_EXACT},
        {"int32 a (DATE)", "'1970-01-02T00:00:00.000000001'", 1, LAM_LITERAL_BETWEEN},
        {"int32 a (DATE)", "'1969-12-31T23:59:59'", -1, LAM_LITERAL_BETWEEN},
        {"int32 a (TIME(MILLIS,true))", "'00:00:01.5'", 1500, LAM_LITERAL_EXACT},
        {"int64 a (TIMESTAMP(NANOS,true))", "'1677-09-21T00:12:43.145224192Z'", INT64_MIN,
         LAM_LITERAL_EXACT},
        {"int64 a (TIMESTAMP(NANOS,true))", "'2262-04-11T23:47:16.854775807Z'", INT64_MAX,
         LAM_LITERAL_EXACT},
        {"int64 a (TIMESTAMP(NANOS,true))", "'2262-04-11T23:47:16.854776Z'", 0,
         LAM_LITERAL_ABOVE_ALL},
        {"int64 a (TIMESTAMP(NANOS,true))", "'1677-09-21T00:12:43.145224Z'", 0,
         LAM_LITERAL_BELOW_ALL},
        {"int64 a (TIMESTAMP(NANOS,true))", "'2263-01-01'", 0, LAM_LITERAL_ABOVE_ALL},
        {"int64 a (TIMESTAMP(NANOS,true))", "'1600-01-01'", 0, LAM_LITERAL_BELOW_ALL},
        /* beyond the microseconds of 64 bits */
        {"int64 a (TIMESTAMP(MILLIS,false))", "'+300000-01-01'", INT64_C(9404918380800000),
         LAM_LITERAL_EXACT},
        {"int64 a (TIMESTAMP(MILLIS,true))", "'-300000-01-01'", INT64_C(-9529252819200000),
         LAM_LITERAL_EXACT},
        {"int64 a (TIMESTAMP(MILLIS,true))", "'1970-01-01T00:00:00.0015Z'", 1, LAM_LITERAL_BETWEEN},
        {"int64 a (TIMESTAMP(MICROS,false))", "'1970-01-01T00:00:00.000001001'", 1,
         LAM_LITERAL_BETWEEN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        literal it = read_as(cases[i].type, cases[i].text);
        bool wide = lam_field_physical_type(lam_schema_leaf(it.schema, 0)) == LAM_PHYSICAL_INT64;
        cr_assert_eq(it.status, LAM_STATUS_OK, "%s %s: %s", cases[i].type, cases[i].text,
                     it.error.message);
        cr_expect_eq(it.found.position, cases[i].position, "%s %s: %d", cases[i].type,
                     cases[i].text, (int)it.found.position);
        if (it.found.position == LAM_LITERAL_EXACT || it.found.position == LAM_LITERAL_BETWEEN)
            cr_expect_eq(wide ? (int64_t)lam_load_le64(it.found.plain.data)
                              : (int32_t)lam_load_le32(it.found.plain.data),
                         cases[i].value, "%s %s", cases[i].type, cases[i].text);
        finish(&it);
    }
}

Test(filter_literal_leaf, values_of_twelve_bytes_take_dates_and_moments) {
    static const struct {
        const char *type, *text, *bytes;
    } cases[] = {
        {"int96 a", "'1970-01-02'", "\0\0\0\0\0\0\0\0\x8d\x3d\x25\0"},
        {"int96 a", "'1970-01-01T00:00:00'", "\0\0\0\0\0\0\0\0\x8c\x3d\x25\0"},
        {"fixed_len_byte_array(12) a (TIMESTAMP(MILLIS,true))", "'1970-01-02'",
         "\x00\x5c\x26\x05\0\0\0\0\0\0\0\0"},
        {"fixed_len_byte_array(12) a (TIMESTAMP(MILLIS,true))", "'1970-01-01T00:00:01'",
         "\xe8\x03\0\0\0\0\0\0\0\0\0\0"},
    };
    static const struct {
        const char *type, *text;
    } refused[] = {
        {"int96 a", "5"},
        {"int96 a", "'yesterday'"},
        {"int96 a", "'1970-01-01T'"},
        {"fixed_len_byte_array(12) a (TIMESTAMP(MILLIS,true))", "5"},
        {"fixed_len_byte_array(12) a (TIMESTAMP(MILLIS,true))", "x'00'"},
        {"int64 a (TIMESTAMP(MICROS,true))", "5"},
        {"int64 a (TIMESTAMP(MICROS,true))", "'+99999999-01-01'"},
        {"int64 a (TIMESTAMP(MICROS,true))",
         "'a text that is longer than all dates and times can be, whatever their years'"},
        {"int64 a (TIME(MICROS,true))", "5"},
        {"int32 a (DATE)", "x'00'"},
        {"int32 a (DATE)", "true"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        literal it = read_as(cases[i].type, cases[i].text);
        cr_assert_eq(it.status, LAM_STATUS_OK, "%s %s: %s", cases[i].type, cases[i].text,
                     it.error.message);
        cr_assert_eq(it.found.plain.size, 12);
        cr_expect_eq(memcmp(it.found.plain.data, cases[i].bytes, 12), 0, "%s %s", cases[i].type,
                     cases[i].text);
        cr_expect_eq(it.found.position, LAM_LITERAL_EXACT);
        finish(&it);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        literal it = read_as(refused[i].type, refused[i].text);
        cr_expect_eq(it.status, LAM_STATUS_INVALID, "%s %s", refused[i].type, refused[i].text);
        cr_expect_eq(strncmp(it.error.message, "character 1: expected ", 22), 0, "%s %s: %s",
                     refused[i].type, refused[i].text, it.error.message);
        finish(&it);
    }
}

/* Literals of an application, and of now(), which no text gives. */
static lam_leaf_literal place(const char *type, const lam_literal *given, int64_t *ret_value) {
    char field[80];
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_leaf_literal found;
    snprintf(field, sizeof field, "required %s;", type);
    lam_schema *schema = lam_test_parse(field);
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_literal_to_leaf(given, lam_schema_leaf(schema, 0), &arena, &found, NULL),
                 LAM_STATUS_OK);
    *ret_value = found.plain.size >= 8 ? (int64_t)lam_load_le64(found.plain.data) : 0;
    found.plain.data = NULL;
    lam_arena_finish(&arena);
    lam_schema_destroy(schema);
    return found;
}

Test(filter_literal_leaf, moments_of_an_application_lie_within_a_column_or_beyond_it) {
    const int64_t last = INT64_MAX / 1000;
    const struct {
        const char *type;
        lam_literal literal;
        lam_literal_position position;
        int64_t value;
    } cases[] = {
        {"int32 a (DATE)",
         {.kind = LAM_LITERAL_DATE, .integer = INT64_C(2147483648)},
         LAM_LITERAL_ABOVE_ALL,
         0},
        {"int32 a (DATE)",
         {.kind = LAM_LITERAL_DATE, .integer = INT64_C(-2147483649)},
         LAM_LITERAL_BELOW_ALL,
         0},
        {"int64 a (TIMESTAMP(NANOS,true))",
         {.kind = LAM_LITERAL_TIMESTAMP, .integer = last, .nanos = 807},
         LAM_LITERAL_EXACT,
         INT64_MAX},
        {"int64 a (TIMESTAMP(NANOS,true))",
         {.kind = LAM_LITERAL_TIMESTAMP, .integer = last, .nanos = 808},
         LAM_LITERAL_ABOVE_ALL,
         0},
        {"fixed_len_byte_array(12) a (TIMESTAMP(MILLIS,true))",
         {.kind = LAM_LITERAL_TIMESTAMP, .integer = 5000, .is_now = true},
         LAM_LITERAL_EXACT,
         5},
        {"fixed_len_byte_array(12) a (TIMESTAMP(MILLIS,true))",
         {.kind = LAM_LITERAL_TIMESTAMP, .integer = 5000},
         LAM_LITERAL_NOWHERE,
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value;
        lam_leaf_literal found = place(cases[i].type, &cases[i].literal, &value);
        cr_expect_eq(found.position, cases[i].position, "case %zu: %d", i, (int)found.position);
        cr_expect_eq(value, cases[i].value, "case %zu: %lld", i, (long long)value);
    }
}

Test(filter_literal_leaf, floating_point_numbers_are_the_nearest_ones) {
    uint64_t bits;
    uint32_t single_bits;
    double number;
    float single;
    literal it = read_as("double a", "0.1");
    bits = lam_load_le64(it.found.plain.data);
    memcpy(&number, &bits, sizeof number);
    cr_expect(it.status == LAM_STATUS_OK && number == 0.1);
    finish(&it);
    it = read_as("float a", ".5");
    single_bits = lam_load_le32(it.found.plain.data);
    memcpy(&single, &single_bits, sizeof single);
    cr_expect(it.status == LAM_STATUS_OK && single == 0.5f);
    finish(&it);
    it = read_as("double a", "'NaN'");
    bits = lam_load_le64(it.found.plain.data);
    memcpy(&number, &bits, sizeof number);
    cr_expect(it.status == LAM_STATUS_OK && isnan(number));
    finish(&it);
}

/* Numbers with more digits than any decimal that is read were refused. */
Test(filter_literal_leaf, numbers_of_any_length_have_a_position) {
    static const char *const types[] = {"int32 a", "int64 a (INTEGER(64,false))",
                                        "fixed_len_byte_array(3) a (DECIMAL(6,1))",
                                        "binary a (DECIMAL(38,2))"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        literal it = read_as(types[i], "1e99999");
        cr_expect(it.status == LAM_STATUS_OK && it.found.position == LAM_LITERAL_ABOVE_ALL);
        finish(&it);
        it = read_as(types[i], "-1e99999999999999999999");
        cr_expect(it.status == LAM_STATUS_OK && it.found.position == LAM_LITERAL_BELOW_ALL);
        finish(&it);
        it = read_as(types[i], "1e-99999");
        cr_expect(it.status == LAM_STATUS_OK && it.found.position == LAM_LITERAL_BETWEEN);
        finish(&it);
    }
}

Test(filter_literal_leaf, what_does_not_fit_its_column_is_refused_with_what_would) {
    static const struct {
        const char *type, *text, *message;
    } cases[] = {
        {"int32 a", "'1'", "character 1: expected a number, found '1'"},
        {"int32 a", "null", "character 1: expected a value (for null: is null), found null"},
        {"boolean a", "1", "character 1: expected true or false, found 1"},
        {"binary a (STRING)", "5", "character 1: expected a text such as 'abc', found 5"},
        {"binary a", "5", "character 1: expected bytes such as x'00FF', found 5"},
        {"binary a", "x'0'",
         "character 1: expected two hexadecimal digits for each byte, found x'0'"},
        {"int32 a (DATE)", "'2024-13-01'",
         "character 1: expected a date such as '2024-10-24', found '2024-13-01'"},
        {"fixed_len_byte_array(12) a (TIMESTAMP(NANOS,true))", "'0001-01'",
         "character 1: expected a timestamp such as '2024-10-24T12:34:56Z', found '0001-01'"},
        {"int64 a (TIMESTAMP(MICROS,false))", "'2024-10-24T12:34:56Z'",
         "character 1: expected a timestamp such as '2024-10-24T12:34:56', without a zone, found "
         "'2024-10-24T12:34:56Z'"},
        {"double a", "1e999",
         "character 1: expected a number within the range of DOUBLE, found 1e999"},
        {"float a", "1e39", "character 1: expected a number within the range of FLOAT, found 1e39"},
        {"fixed_len_byte_array(2) a (FLOAT16)", "65520",
         "character 1: expected a number within the range of FLOAT16, found 65520"},
        {"double a", "name", "character 1: expected a number, found name"},
        {"fixed_len_byte_array(16) a (UUID)", "'0011'",
         "character 1: expected a UUID such as '00112233-4455-6677-8899-aabbccddeeff', found "
         "'0011'"},
        {"int32 a (TIME(MILLIS,true))", "'12:34:56.7891'",
         "character 1: expected a time such as '12:34:56.789', of no more digits than its column, "
         "found '12:34:56.7891'"},
        {"double a", "'nan'",
         "character 1: expected a number, 'NaN', 'Infinity' or '-Infinity', found 'nan'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        literal it = read_as(cases[i].type, cases[i].text);
        cr_expect_eq(it.status, LAM_STATUS_INVALID, "%s %s", cases[i].type, cases[i].text);
        cr_expect_str_eq(it.error.message, cases[i].message);
        finish(&it);
    }
}

Test(filter_literal_leaf, a_decimal_is_as_long_as_its_text_may_be) {
    static const struct {
        const char *type;
        lam_status status;
    } cases[] = {
        {"fixed_len_byte_array(4096) a (DECIMAL(9,2))", LAM_STATUS_OK},
        {"fixed_len_byte_array(4097) a (DECIMAL(9,2))", LAM_STATUS_LIMIT},
        {"fixed_len_byte_array(634258631) a (DECIMAL(9,2))", LAM_STATUS_LIMIT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        literal it = read_as(cases[i].type, "20");
        cr_assert_eq(it.status, cases[i].status, "%s: %s", cases[i].type, it.error.message);
        finish(&it);
    }
}
