/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions as text: how they join, every form, and errors with the place and what was expected
 * there.
 */
#include <lamella/filter.h>
#include <lamella/filter_text.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "scan/condition/filter_program.h"
#include "support/failing_alloc.h"
#include "support/random.h"
#include "support/test_file.h"

static const char SCHEMA[] =
    "optional int32 a; optional int32 b; optional boolean c; optional binary \"full name\";"
    "optional group g { optional int32 x; optional int32 y; }"
    "optional group tags (LIST) { repeated group list { optional binary element (STRING); } }"
    "optional int32 \"in\"; optional fixed_len_byte_array(16) id (UUID);";

/* The program in postfix: a<3 b|null and */
static void print_filter(const lam_filter *filter, char *out, size_t capacity) {
    static const char *const kinds[] = {"<",        "<=",    ">",    ">=",       "!=",    "=",
                                        "|between", "|like", "|any", "|unknown", "|null", "|there"};
    static const char *const steps[] = {"", "not", "and", "or"};
    size_t at = 0;
    for (size_t i = 0; i < filter->step_count; i++) {
        const lam_filter_step *step = &filter->steps[i];
        if (i > 0)
            at += (size_t)snprintf(out + at, capacity - at, " ");
        if (step->kind != LAM_STEP_TEST) {
            at += (size_t)snprintf(out + at, capacity - at, "%s", steps[step->kind]);
            continue;
        }
        const lam_filter_test *test = &filter->tests[step->test];
        at += (size_t)snprintf(out + at, capacity - at, "%s%s", lam_field_name(test->leaf),
                               kinds[test->kind]);
        for (size_t v = 0; v < test->value_count; v++) {
            lam_bytes value = test->values[v];
            const char *comma = v > 0 ? "," : "";
            if (value.size == 4)
                at += (size_t)snprintf(out + at, capacity - at, "%s%d", comma,
                                       (int)(int32_t)lam_load_le32(value.data));
            else
                at += (size_t)snprintf(out + at, capacity - at, "%s%.*s", comma, (int)value.size,
                                       (const char *)value.data);
        }
    }
}

static void expect_program(const char *text, const char *program) {
    lam_schema *schema = lam_test_parse(SCHEMA);
    lam_error error = lam_error_none();
    lam_filter *filter;
    char printed[512];
    cr_assert_eq(lam_filter_parse(schema, text, strlen(text), NULL, NULL, &filter, &error),
                 LAM_STATUS_OK, "%s: %s", text, error.message);
    print_filter(filter, printed, sizeof printed);
    cr_expect_str_eq(printed, program, "%s", text);
    lam_filter_destroy(filter);
    lam_schema_destroy(schema);
}

Test(filter_text, conditions_join_by_strength_and_parentheses) {
    expect_program("a = 1", "a=1");
    expect_program("a = 1 or a = 2 and b = 3", "a=1 a=2 b=3 and or");
    expect_program("(a = 1 or a = 2) and b = 3", "a=1 a=2 or b=3 and");
    expect_program("not a = 1 and b = 2", "a=1 not b=2 and");
    expect_program("not (a = 1 and b = 2)", "a=1 b=2 and not");
    expect_program("NOT NOT ((a = 1)) OR b = 2", "a=1 not not b=2 or");
    expect_program("a=1 and b=2 and a=3", "a=1 b=2 and a=3 and");
}

Test(filter_text, every_form_of_condition_is_understood) {
    expect_program("a <> 1", "a!=1");
    expect_program("3 < a", "a>3");
    expect_program("a in (3, 1, 2, 1)", "a=1,2,3");
    expect_program("a not in (1)", "a=1 not");
    expect_program("a between 1 and 5 or b = 2", "a|between1,5 b=2 or");
    expect_program("a not between 1 and 5", "a|between1,5 not");
    expect_program("c", "c=\1");
    expect_program("not c and c = true", "c=\1 not c=\1 and");
    expect_program("g is null or g.x is not null", "x|null x|there or");
    expect_program("\"full name\" = 'x''y'", "full name=x'y");
    expect_program("\"in\" >= 5", "in>=5");
    expect_program("tags = 'abc' and tags.list.element != 'b'", "element=abc element!=b and");
}

Test(filter_text, numbers_that_a_column_cannot_have_keep_their_place) {
    expect_program("a > 10.5", "a>10");
    expect_program("a >= 10.5", "a>10");
    expect_program("a < 10.5", "a<=10");
    expect_program("a = 10.5", "a=");
    expect_program("a != 10.5", "a|any");
    expect_program("a < 1e12", "a|any");
    expect_program("a > 1e12", "a=");
    expect_program("a > -1e12", "a|any");
    expect_program("a <= -1e12", "a=");
    expect_program("a in (1, 1.5, 1e12)", "a=1");
}

Test(filter_text, an_error_names_the_character_and_what_was_expected) {
    static const struct {
        const char *text, *message;
        lam_status status;
    } cases[] = {
        {"", "character 1: expected a condition, found the end", LAM_STATUS_INVALID},
        {"a", "character 2: expected an operator, found the end", LAM_STATUS_INVALID},
        {"a = ", "character 5: expected a number, found the end", LAM_STATUS_INVALID},
        {"z = 1", "character 1: no field 'z'", LAM_STATUS_NOT_FOUND},
        {"a = 1 b = 2", "character 7: expected and, or, or the end, found b", LAM_STATUS_INVALID},
        {"(a = 1", "character 7: expected and, or, or ), found the end", LAM_STATUS_INVALID},
        {"a = 1)", "character 6: expected and, or, or the end, found )", LAM_STATUS_INVALID},
        {"a is 1", "character 6: expected null or not null, found 1", LAM_STATUS_INVALID},
        {"a not 1", "character 7: expected in, between, like or ilike, found 1",
         LAM_STATUS_INVALID},
        {"a in 1", "character 6: expected ( and values, found 1", LAM_STATUS_INVALID},
        {"a in (1 2)", "character 9: expected , or ), found 2", LAM_STATUS_INVALID},
        {"g = 1", "character 1: field 'g' is a group of 2 leaves", LAM_STATUS_INVALID},
        {"a = e", "character 5: no field 'e'", LAM_STATUS_NOT_FOUND},
        {"g. = 1", "character 4: expected a field, found =", LAM_STATUS_INVALID},
        {"a between 1 or 2", "character 13: expected and, found or", LAM_STATUS_INVALID},
        /* A list named no column. */
        {"id = x'00'", "character 1: field 'id' has values of 16 bytes, not 1", LAM_STATUS_INVALID},
        {"id in (x'00')", "character 1: field 'id' has values of 16 bytes, not 1",
         LAM_STATUS_INVALID},
    };
    lam_schema *schema = lam_test_parse(SCHEMA);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        lam_filter *filter = NULL;
        cr_expect_eq(lam_filter_parse(schema, cases[i].text, strlen(cases[i].text), NULL, NULL,
                                      &filter, &error),
                     cases[i].status, "%s", cases[i].text);
        cr_expect_str_eq(error.message, cases[i].message);
        cr_expect_null(filter);
    }
    lam_schema_destroy(schema);
}

Test(filter_text, depth_is_no_danger_to_the_stack) {
    enum { DEPTH = 100000 };
    lam_schema *schema = lam_test_parse(SCHEMA);
    lam_filter *filter;
    char *text = malloc(2 * DEPTH + 16);
    memset(text, '(', DEPTH);
    memcpy(text + DEPTH, "a=1", 3);
    memset(text + DEPTH + 3, ')', DEPTH);
    cr_assert_eq(lam_filter_parse(schema, text, 2 * DEPTH + 3, NULL, NULL, &filter, NULL),
                 LAM_STATUS_OK);
    lam_filter_destroy(filter);
    cr_expect_eq(lam_filter_parse(schema, text, 2 * DEPTH + 2, NULL, NULL, &filter, NULL),
                 LAM_STATUS_INVALID);
    free(text);
    lam_schema_destroy(schema);
}

Test(filter_text, any_text_is_a_filter_or_an_error) {
    static const char *const pieces[] = {
        "a", "b",   "=", "<",    "(", ")",    "and", "or", "not",     "in", "is", "null",
        "1", "'x'", ",", "tags", "c", "1.5e", "x'0", "\"", "between", ".",  "-",  "true"};
    lam_random random = lam_random_start(lam_test_seed(1));
    lam_schema *schema = lam_test_parse(SCHEMA);
    size_t good = 0;
    for (int round = 0; round < 50000; round++) {
        char text[256] = "";
        size_t count = 1 + (size_t)lam_random_below(&random, 12);
        for (size_t i = 0; i < count; i++) {
            strcat(text, pieces[lam_random_below(&random, sizeof pieces / sizeof *pieces)]);
            strcat(text, " ");
        }
        lam_filter *filter = NULL;
        lam_status status = lam_filter_parse(schema, text, strlen(text), NULL, NULL, &filter, NULL);
        cr_assert((status == LAM_STATUS_OK) == (filter != NULL), "%s", text);
        good += status == LAM_STATUS_OK;
        lam_filter_destroy(filter);
    }
    cr_expect(good > 50, "%zu texts were filters", good);
    lam_schema_destroy(schema);
}

Test(filter_text, memory_that_runs_out_is_an_error_and_nothing_leaks) {
    static const char rich[] =
        "optional int32 a; optional int32 b; optional boolean c; optional binary s (STRING);"
        "optional double x; optional float f; optional int64 t (TIMESTAMP(MICROS,true));"
        "optional binary d (DECIMAL(30,2)); optional fixed_len_byte_array(2) h (FLOAT16);"
        "optional group g { optional int32 x; optional int32 y; }"
        "optional group tags (LIST) { repeated group list { optional binary element (STRING); } }"
        "optional group m (MAP) { repeated group key_value { required binary key (STRING);"
        "  optional int32 value; } }"
        "optional group v (VARIANT(1)) { required binary metadata; optional binary value;"
        "  optional group typed_value { required group a { optional binary value;"
        "    optional int64 typed_value; } } }";
    static const char *const texts[] = {
        "a in (1,2) and not (tags[] = 'x' or b between 1.5 and 3) and g is null",
        "a not in (1, 2, 7) or not (b not between 1 and 3 and c) or g.x is not null",
        "s like 'a%b_c' and s not like 'x!%%' escape '!' and s ilike 'Q%' and starts_with(s, 'ab')",
        "v.a = 1 and v.b.\"c d\"[] in ('x', 2, 1.5) or v.a is null or v.z like 'x%'",
        "v.a between 1 and 2.5 and v.b >= now() - 5d and v.q = '2020-01-01'",
        "m['key'] = 5 and m['other'] is null and m['k'] between 1 and 7",
        "a < b and a between b and 7 and x >= f and s = s and t <= t",
        "x between 0.1 and 1e300 and f = 0.1 and d in (1.005, 2, 3.5) and h > 0.3",
        "t > now() - 1d and t between '2020-01-01T00:00:00Z' and '2021-01-01T00:00:00Z'",
    };
    lam_schema *schema = lam_test_parse(rich);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        lam_status status = LAM_STATUS_NOMEM;
        size_t nth = 1;
        for (; status != LAM_STATUS_OK; nth++) {
            lam_failing_alloc failing = {.fail_at = nth};
            lam_allocator allocator = lam_failing_allocator(&failing);
            lam_filter_text_options options = lam_filter_text_options_default();
            lam_error error = lam_error_none();
            lam_filter *filter = NULL;
            options.now_micros = 1600000000000000;
            status = lam_filter_parse(schema, texts[i], strlen(texts[i]), &options, &allocator,
                                      &filter, &error);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%s: %s", texts[i],
                      error.message);
            lam_filter_destroy(filter);
            cr_assert_eq(failing.live_bytes, 0);
            cr_assert(nth < 1000);
        }
        cr_assert_gt(nth, 5, "%s", texts[i]);
    }
    lam_schema_destroy(schema);
}

/* Literals of many lengths come first, so that each copy is the one that needs more memory. */
Test(filter_text, memory_that_runs_out_at_any_copy_is_an_error) {
    enum { PADDING = 4200 };
    static const char shape[] =
        "optional int32 a; optional int32 b; optional binary s (STRING);"
        "optional group m (MAP) { repeated group key_value { required binary key (STRING);"
        "  optional int32 value; } }"
        "optional group v (VARIANT(1)) { required binary metadata; optional binary value; }";
    static const char *const texts[] = {"a < b and m['key'] = 5 and m.other is null",
                                        "s like '%a_b' and starts_with(s, 'ab')",
                                        "v.a in (1, 'x') and v.b like 'a%c' and v.c is missing"};
    lam_schema *schema = lam_test_parse(shape);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int padding = 0; padding < PADDING; padding += 40) {
            char text[PADDING + 200];
            bool has_failed = true;
            int size = snprintf(text, sizeof text, "s = '%0*d' and %s", padding, 0, texts[i]);
            for (size_t nth = 1; has_failed; nth++) {
                lam_failing_alloc failing = {.fail_at = nth};
                lam_allocator allocator = lam_failing_allocator(&failing);
                lam_filter *filter = NULL;
                lam_status status =
                    lam_filter_parse(schema, text, (size_t)size, NULL, &allocator, &filter, NULL);
                has_failed = failing.requests >= nth;
                cr_assert_eq(status, has_failed ? LAM_STATUS_NOMEM : LAM_STATUS_OK, "%s, %d, %zu",
                             texts[i], padding, nth);
                lam_filter_destroy(filter);
                cr_assert_eq(failing.live_bytes, 0);
            }
        }
    lam_schema_destroy(schema);
}

/* Every text is cut behind each character, and goes on with a text that has no end. */
Test(filter_text, a_text_that_breaks_off_anywhere_is_an_error_with_its_place) {
    static const char rich[] =
        "optional int32 a; optional int32 b; optional boolean c; optional binary s (STRING);"
        "optional group g { optional int32 x; optional int32 y; }"
        "optional group tags (LIST) { repeated group list { optional binary element (STRING); } }"
        "optional group m (MAP) { repeated group key_value { required binary key (STRING);"
        "  optional int32 value; } }"
        "optional group v (VARIANT(1)) { required binary metadata; optional binary value; }";
    static const char *const texts[] = {
        "a not in (1, 2) and (not c or g.x is not null) and tags[] = 'x'",
        "a not between 1 and 5 or 3 < b and a < b or c = true and not (c)",
        "s like 'a%' escape '!' or s not ilike 'b' or starts_with(s, 'ab')",
        "v.a[].\"b c\" = 1 and v.b is missing or v is not missing and v.c in (1, 'x')",
        "m['key'] = 5 and m.other is null and 7 != m['k'] and tags.list.element = 'y'",
    };
    lam_schema *schema = lam_test_parse(rich);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bool is_open = false;
        for (size_t size = 0; size <= strlen(texts[i]); size++) {
            lam_error error = lam_error_none();
            lam_filter *filter = NULL;
            char text[160];
            is_open ^= size > 0 && (texts[i][size - 1] == '\'' || texts[i][size - 1] == '"');
            if (is_open)
                continue;
            int length = snprintf(text, sizeof text, "%.*s 'x", (int)size, texts[i]);
            lam_status status =
                lam_filter_parse(schema, text, (size_t)length, NULL, NULL, &filter, &error);
            cr_expect(status == LAM_STATUS_INVALID || status == LAM_STATUS_NOT_FOUND, "%s", text);
            cr_expect_eq(strncmp(error.message, "character ", 10), 0, "%s: %s", text,
                         error.message);
            cr_expect_null(filter);
        }
    }
    lam_schema_destroy(schema);
}

Test(filter_text, rare_forms_are_refused_with_their_place) {
    static const char rare[] =
        "optional int32 a; optional binary s (STRING); optional group g { optional int32 x; }"
        "optional group tags (LIST) { repeated group list { optional binary element (STRING); } }"
        "optional group keys (MAP) { repeated group key_value { required binary key (STRING); } }"
        "optional group deep (MAP) { repeated group key_value { required group key {"
        "  required int32 k; } optional int32 value; } }"
        "optional group twice (MAP) { repeated group key_value { required int32 key;"
        "  optional group value (MAP) { repeated group key_value { required int32 key;"
        "    optional int32 value; } } } }"
        "optional group v (VARIANT(1)) { required binary metadata; optional binary value; }";
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"keys['a'] = 1", "character 6: expected an operator: the map has no values, or no keys, "
                          "found 'a'"},
        {"deep[1] = 1", "character 6: expected an operator: the map has no values, or no keys, "
                        "found 1"},
        {"twice[1][2] = 3", "character 10: expected an operator: one key of one map can be given, "
                            "found 2"},
        {"twice[1.5] = 3", "character 7: expected a key that the map can have, found 1.5"},
        {"twice['x'] = 3", "character 7: expected a number, found 'x'"},
        {"twice[1 = 3", "character 9: expected ], found ="},
        {"tags[1] = 'x'", "character 6: expected ], found 1"},
        {"a[] = 1", "character 2: expected an operator, found ["},
        {"v.a = a", "character 7: values inside VARIANTs, and those of a map's key, compare "
                    "with literals only"},
        {"a = v.a", "character 5: values inside VARIANTs, and those of a map's key, compare "
                    "with literals only"},
        {"v.a = null", "character 7: expected a value (for null: is null), found null"},
        {"a is missing", "character 6: expected null or not null, found missing"},
        {"starts_with(s 'a')", "character 15: expected , and a text, found 'a'"},
        {"starts_with(s, 'a'", "character 19: expected ), found the end"},
        {"starts_with(s, 5)", "character 16: expected a text such as 'abc', found 5"},
        {"s like 5", "character 8: expected a text such as 'abc', found 5"},
        {"tags[].x = 'a'", "character 1: no field 'tags[].x'"},
        {"g.", "character 3: expected a field, found the end"},
        {"g.5 = 1", "character 3: expected a field, found 5"},
        {"g.x \"", "character 5: the text that begins here does not end"},
        {"g.\"x = 1", "character 3: the name that begins here does not end"},
        {"\"a\"\"s\" = 1", "character 1: no field '\"a\"\"s\"'"},
        {"a\\ = 1", "character 2: no word or literal begins with this character"},
        {"v[5] = 1", "character 3: expected ], found 5"},
        {"v.a[now()] = 1", "character 5: expected ], found now()"},
    };
    lam_schema *schema = lam_test_parse(rare);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        lam_filter *filter = NULL;
        cr_expect_neq(lam_filter_parse(schema, cases[i].text, strlen(cases[i].text), NULL, NULL,
                                       &filter, &error),
                      LAM_STATUS_OK, "%s", cases[i].text);
        cr_expect_str_eq(error.message, cases[i].message, "%s: %s", cases[i].text, error.message);
        cr_expect_null(filter);
    }
    lam_schema_destroy(schema);
}

/* The values of the first test of a condition on a timestamp, a date and so on. */
static int64_t first_number(const char *type, const char *text, int64_t now,
                            lam_test_kind *ret_kind) {
    lam_schema *schema = lam_test_parse(type);
    lam_filter_text_options options = lam_filter_text_options_default();
    lam_error error = lam_error_none();
    lam_filter *filter;
    options.now_micros = now;
    cr_assert_eq(lam_filter_parse(schema, text, strlen(text), &options, NULL, &filter, &error),
                 LAM_STATUS_OK, "%s: %s", text, error.message);
    lam_bytes value = filter->tests[0].values[0];
    int64_t number =
        value.size == 4 ? (int32_t)lam_load_le32(value.data) : (int64_t)lam_load_le64(value.data);
    *ret_kind = filter->tests[0].kind;
    lam_filter_destroy(filter);
    lam_schema_destroy(schema);
    return number;
}

Test(filter_text, moments_take_their_place_in_columns_of_any_unit) {
    const int64_t day = INT64_C(86400) * 1000 * 1000, now = 20000 * day + 1500;
    static const char *const utc = "optional int64 t (TIMESTAMP(MICROS,true));",
                             *const ms = "optional int64 t (TIMESTAMP(MILLIS,false));",
                             *const date = "optional int32 t (DATE);";
    lam_test_kind kind;
    cr_expect_eq(first_number(utc, "t > now()", now, &kind), now);
    cr_expect_eq(first_number(utc, "t > now() - 1d + 2h -30m+1s", now, &kind),
                 now - day + (2 * 3600 - 1800 + 1) * INT64_C(1000000));
    cr_expect_eq(first_number(utc, "NOW() - 2w < t", now, &kind), now - 14 * day);
    cr_expect_eq(kind, LAM_TEST_GREATER);
    cr_expect_eq(first_number(ms, "t >= now()", now, &kind), 20000 * day / 1000 + 1);
    cr_expect_eq(kind, LAM_TEST_GREATER); /* half a millisecond later */
    cr_expect_eq(first_number(date, "t >= now()", now, &kind), 20000);
    cr_expect_eq(kind, LAM_TEST_GREATER);
    cr_expect_eq(first_number(date, "t <= now() - 1d", now, &kind), 19999);
    cr_expect_eq(first_number(ms, "t = '1970-01-02'", 0, &kind), 86400000);
    cr_expect_eq(first_number(utc, "t = '1970-01-02'", 0, &kind), day);
    cr_expect_eq(first_number(utc, "t = '1970-01-01T00:00:01'", 0, &kind), 1000000);
    cr_expect_eq(first_number(ms, "t > '1970-01-01T00:00:00.0005'", 0, &kind), 0);
    cr_expect_eq(first_number(date, "t < '1970-01-01T12:00:00'", 0, &kind), 0);
    cr_expect_eq(kind, LAM_TEST_LESS_OR_EQUAL);
    cr_expect_eq(first_number(date, "t < '1970-01-01T00:00:00Z'", 0, &kind), 0);
    cr_expect_eq(kind, LAM_TEST_LESS);
}

Test(filter_text, patterns_and_ranges_become_the_simplest_tests) {
    expect_program("\"full name\" like 'a%'", "full name|likea");
    expect_program("\"full name\" like 'a_%'", "full name|likea");
    expect_program("\"full name\" like 'abc'", "full name=abc");
    expect_program("\"full name\" like 'a!%' escape '!'", "full name=a%");
    expect_program("\"full name\" like '%%'", "full name|any");
    expect_program("\"full name\" not like '%a'", "full name|like not");
    expect_program("\"full name\" ilike 'abc'", "full name|like");
    expect_program("starts_with(\"full name\", 'a%')", "full name|likea%");
    expect_program("tags[] = 'x' or tags[] is null", "element=x element|null or");
    expect_program("a between 3 and 3", "a=3");
    expect_program("a between 3 and 1", "a=");
    expect_program("a between -1e12 and 5", "a<=5");
    expect_program("a between 5 and 1e12", "a>=5");
    expect_program("a between -1e12 and 1e12", "a|any");
    expect_program("a between 1.5 and 3.5", "a|between1,3");
    expect_program("a between b and 5 and c", "a>= a<=5 and c=\1 and");
    expect_program("a < b", "a<");
}

/* A NUL would cut a path short, and find another field. */
Test(filter_text, a_name_with_a_nul_is_no_field) {
    static const char text[] = "\"a\0b\" = 1";
    lam_schema *schema = lam_test_parse("required int32 a;");
    lam_filter *filter = NULL;
    lam_error error = lam_error_none();
    cr_expect_eq(lam_filter_parse(schema, text, sizeof text - 1, NULL, NULL, &filter, &error),
                 LAM_STATUS_NOT_FOUND);
    cr_expect_null(filter);
    lam_schema_destroy(schema);
}

Test(filter_text, columns_of_variants_are_fields_where_storage_is_asked_for) {
    static const char text[] = "v.metadata = x'00'";
    lam_schema *schema = lam_test_parse("optional group v (VARIANT(1)) { required binary metadata;"
                                        "  optional binary value; }");
    for (int storage = 0; storage < 2; storage++) {
        lam_filter_text_options options = lam_filter_text_options_default();
        lam_filter *filter;
        options.storage = storage == 1;
        cr_assert_eq(lam_filter_parse(schema, text, strlen(text), &options, NULL, &filter, NULL),
                     LAM_STATUS_OK);
        cr_expect_eq(filter->tests[0].path == NULL, storage == 1);
        cr_expect_str_eq(lam_field_name(filter->tests[0].leaf), storage ? "metadata" : "value");
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}
