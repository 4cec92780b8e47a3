/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions whose memory fails anywhere, for names and lists of every length; terms of now()
 * beyond what numbers hold; what records give for the keys of maps.
 */
#include <criterion/criterion.h>
#include <lamella/filter_text.h>
#include <lamella/scan.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"
#include "support/failing_alloc.h"
#include "support/texts.h"

TestSuite(filter_limits, .timeout = 60);

enum { LIMITS_TEXT = 4000, LIMITS_NAME = 80 };

static lam_status parse_limits(const lam_schema *schema, const char *text,
                               const lam_allocator *allocator, lam_error *error) {
    lam_filter *filter = NULL;
    lam_status status =
        lam_filter_parse(schema, text, strlen(text), NULL, allocator, &filter, error);
    cr_assert_eq(filter != NULL, status == LAM_STATUS_OK);
    lam_filter_destroy(filter);
    return status;
}

static void starve_condition(const lam_schema *schema, const char *text) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_error error = lam_error_none();
    cr_assert_eq(parse_limits(schema, text, &allocator, &error), LAM_STATUS_OK, "%s: %s", text,
                 error.message);
    size_t requests = counter.requests;
    for (size_t n = 1; n <= requests; n++) {
        counter = (lam_failing_alloc){.fail_at = n};
        cr_assert_eq(parse_limits(schema, text, &allocator, NULL), LAM_STATUS_NOMEM, "%s", text);
        cr_assert_eq(counter.live_bytes, 0, "%s, request %zu", text, n);
    }
}

/* Buffers grow wherever a name, a mark or a sign comes to their end. */
Test(filter_limits, any_request_may_fail_for_names_of_every_length) {
    static const char *const conditions[] = {
        "%s.x = 1",           "l%s[] = 1",           "w%s[] is null",
        "r%s[] > 3",          "p%s['k'] = 1",        "p%s.k in (1, 2)",
        "v%s.a[].b = 'text'", "v%s[][] is not null", "%s.x < s%s",
    };
    for (int size = 1; size < LIMITS_NAME; size++) {
        char name[LIMITS_NAME + 1] = {0}, text[LIMITS_TEXT];
        memset(name, 'n', (size_t)size);
        snprintf(text, sizeof text,
                 "message m { optional group %s { optional int32 x; } optional int32 s%s;"
                 " optional group l%s (LIST) { repeated group list { optional int32 element; } }"
                 " optional group w%s (LIST) { repeated int32 element; } repeated int32 r%s;"
                 " optional group p%s (MAP) { repeated group key_value { required binary key"
                 " (STRING); optional int32 value; } } optional group v%s (VARIANT(1)) {"
                 " required binary metadata; optional binary value; } }",
                 name, name, name, name, name, name, name);
        lam_schema *schema = lam_test_schema(text);
        for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
            snprintf(text, sizeof text, conditions[i], name, name);
            starve_condition(schema, text);
        }
        lam_schema_destroy(schema);
    }
}

Test(filter_limits, any_request_may_fail_for_conditions_of_every_number) {
    static const char *const joints[] = {" and ", " or ", " and not ", " or not ("};
    lam_schema *schema = lam_test_schema("message m { required int32 a; optional binary s; }");
    for (size_t way = 0; way < 4; way++)
        for (int count = 1; count < 40; count++) {
            char text[LIMITS_TEXT] = "not a = 0";
            for (int i = 0; i < count; i++) {
                strcat(text, joints[way]);
                strcat(text, i % 3 == 0 ? "a in (1, 2, 3)" : i % 3 == 1 ? "s like 'b%'" : "a < 4");
            }
            for (int i = 0; way == 3 && i < count; i++)
                strcat(text, ")");
            starve_condition(schema, text);
        }
    lam_schema_destroy(schema);
}

/* --- Words and signs ----------------------------------------------------------------------- */

Test(filter_limits, terms_of_now_are_within_a_hundred_thousand_years) {
    static const struct {
        const char *text;
        lam_status status;
    } cases[] = {
        {"t > now() + 1w - 2d + 3h - 4m + 5s", LAM_STATUS_OK},
        {"\tt\r>\nnow ( ) - 1d ", LAM_STATUS_OK},
        {"t > now() + 99999999999999999999s", LAM_STATUS_INVALID},
        {"t > now() + 9223372036854775807w", LAM_STATUS_INVALID},
        {"t > now() + 9223372036854775807s + 1s", LAM_STATUS_INVALID},
        {"t > now() - 9223372036854775807s - 2s", LAM_STATUS_INVALID},
        {"t > now() + 9223372036854775807s", LAM_STATUS_INVALID},
        {"t > now() - 9223372036854775807s", LAM_STATUS_INVALID},
        {"t > now() + s", LAM_STATUS_INVALID},
        {"t > now() + 1y", LAM_STATUS_INVALID},
        {"t > now() + 1dd", LAM_STATUS_INVALID},
        {"t > now() + 1d1", LAM_STATUS_INVALID},
        {"t > now(1)", LAM_STATUS_INVALID},
        {"t > 'a text of more than forty bytes, of which not all are shown'", LAM_STATUS_INVALID},
        {"Z_9 = 1 and _z = 2", LAM_STATUS_OK},
        {"\xC3\xA9 = 1", LAM_STATUS_OK},
        {"[ = 1", LAM_STATUS_INVALID},
        {"{ = 1", LAM_STATUS_INVALID},
        {"@ = 1", LAM_STATUS_INVALID},
        {"Z_9 = 1e and t", LAM_STATUS_INVALID},
        {"Z_9 = .e1", LAM_STATUS_INVALID},
        {"Z_9 = 1.e+", LAM_STATUS_INVALID},
        {"Z_9 = 1 or", LAM_STATUS_INVALID},
        {"Z_9 = 1 t", LAM_STATUS_INVALID},
        {"Z_9 between 1", LAM_STATUS_INVALID},
        {"Z_9 between 'a' and 2", LAM_STATUS_INVALID},
        {"Z_9 between 1 and 99999999999", LAM_STATUS_OK},
        {"Z_9 between 99999999999 and -99999999999", LAM_STATUS_OK},
        {"Z_9 like 1", LAM_STATUS_INVALID},
        {"b like x'61'", LAM_STATUS_OK},
        {"b like 'a_%'", LAM_STATUS_OK},
    };
    lam_schema *schema =
        lam_test_schema("message m { optional int64 t (TIMESTAMP(MICROS,true)); required int32 Z_9;"
                        " required int32 _z; required int32 \xC3\xA9; optional binary b; }");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        cr_expect_eq(parse_limits(schema, cases[i].text, NULL, &error), cases[i].status, "%s: %s",
                     cases[i].text, error.message);
        cr_expect(cases[i].status == LAM_STATUS_OK || error.message[0] != '\0');
        cr_expect_eq(parse_limits(schema, cases[i].text, NULL, NULL), cases[i].status);
    }
    lam_schema_destroy(schema);
}

/* Whatever is compared with whatever has an outcome or a message, with and without memory. */
static void parse_any(const lam_schema *schema, const char *text, lam_random *random) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_error error = lam_error_none();
    lam_status status = parse_limits(schema, text, &allocator, &error);
    cr_assert(status == LAM_STATUS_OK || error.message[0] != '\0', "%s", text);
    cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_INVALID ||
                  status == LAM_STATUS_NOT_FOUND || status == LAM_STATUS_UNSUPPORTED,
              "%s: %s", text, error.message);
    counter = (lam_failing_alloc){.fail_at = 1 + lam_random_below(random, counter.requests + 1)};
    lam_status again = parse_limits(schema, text, &allocator, NULL);
    cr_assert(again == status || again == LAM_STATUS_NOMEM, "%s", text);
    cr_assert_eq(counter.live_bytes, 0, "%s", text);
}

/* Fields of every type, literals of every kind, and the forms of a condition that join them. */
/* clang-format off */
static const char *const FIELDS[] = {
    "b", "i", "i8", "u32", "u64", "l", "t96", "f", "d", "s", "x", "dec", "dec5", "dd", "tm", "ts",
    "tn", "day", "f16", "u", "iv", "j", "e", "v", "v.a[]", "li", "li[]", "p", "p['k']", "g", "g.q",
    "none", "q", "ns", "li.list.element", "p.key_value.key",
};
static const char *const LITERALS[] = {
    "x", "dd", "u", "j", "e", "t96", "f", "d", "b", "tm", "tn", "dec5", "iv2", "x5", "v.c", "1",
    "-0", "0.5", "1e400", "-1e400", "1.5e-3", "99999999999999999999999", "1e-400", "255", "-129",
    "4294967296", "4294967295", "18446744073709551616", "true", "false", "null", "''", "'a'",
    "'2020-01-01'", "'2020-13-01'", "'2020-01-01T00:00:00Z'", "'99999-01-01'",
    "'2020-01-01T12:30:00.123456789'", "'9999-12-31T23:59:59.999999999Z'", "'12:30:00'",
    "'25:00:00'", "'5881580-07-11'", "'-5877641-06-23'", "'300000-01-01T00:00:00Z'",
    "'1677-09-21T00:12:43.145224193Z'", "'2262-04-11T23:47:16.854775808Z'", "x'00'",
    "x'00ff00ff00ff00ff00ff00ff00ff00ff'", "x'000000000000000000000000'", "x'0'", "now()",
    "now() - 1d", "'nan'", "'NaN'", "'inf'", "'-inf'", "nan", "inf", "65504", "65520",
    "'00000000-0000-0000-0000-000000000000'", "'1.5'", "'-'", "'1e5'", "+1", "9.99", "99.995",
    "1e2147483648", "-1e-2147483648", "0e99999999999", "'a\\'", "'\xFF'", "i", "s", "dec", "ts",
    "p['k']", "li[]", "v.b", "day", "u64", "f16", "iv", "0x10",
};
static const char *const FORMS[] = {
    "%s = %s", "%s != %s", "%s < %s", "%s >= %s", "%s in (%s, 1)", "%s between %s and 100",
    "%s not between 0 and %s", "%s like %s", "%s is %s", "%s is not %s", "not %s <= %s",
    "%s not in (%s)", "%s ilike %s", "%s %s", "%s > %s or", "(%s > %s", "%s between %s",
};
/* clang-format on */

Test(filter_limits, every_field_meets_every_literal) {
    lam_random random = lam_random_start(lam_test_seed(17));
    lam_schema *schema = lam_test_schema(
        "message m { optional boolean b; optional int32 i; optional int32 i8 (INTEGER(8,true));"
        " optional int32 u32 (INTEGER(32,false)); optional int64 u64 (INTEGER(64,false));"
        " optional int64 l; optional int96 t96; optional float f; optional double d;"
        " optional binary s (STRING); optional binary x; optional int32 dec (DECIMAL(5,2));"
        " optional fixed(5) dec5 (DECIMAL(9,2)); optional binary dd (DECIMAL(30,3));"
        " optional int64 tm (TIME(NANOS,true)); optional int64 ts (TIMESTAMP(MICROS,true));"
        " optional int64 tn (TIMESTAMP(NANOS,false)); optional int32 day (DATE);"
        " optional fixed(2) f16 (FLOAT16); optional fixed(16) u (UUID);"
        " optional fixed(12) iv (INTERVAL); optional binary j (JSON); optional binary e (ENUM);"
        " optional group v (VARIANT(1)) { required binary metadata; optional binary value; }"
        " optional group li (LIST) { repeated group list { optional int32 element; } }"
        " optional group p (MAP) { repeated group key_value { required binary key (STRING);"
        " optional int32 value; } } optional group g { optional binary q (STRING); }"
        " repeated int32 q; optional int32 ns; optional fixed(12) iv2 (INTERVAL);"
        " optional fixed(5) x5; }");
    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++)
        for (size_t k = 0; k < sizeof LITERALS / sizeof *LITERALS; k++)
            for (size_t form = 0; form < sizeof FORMS / sizeof *FORMS; form++) {
                char text[200];
                snprintf(text, sizeof text, FORMS[form], FIELDS[i], LITERALS[k]);
                parse_any(schema, text, &random);
            }
    lam_schema_destroy(schema);
}

/* Words in any order. */
Test(filter_limits, any_words_are_a_condition_or_have_a_message) {
    static const char *const words[] =
        LAM_TEXTS("starts_with", "starts_with(", "v.k", "v", "a", "b", "c", "and", "or", "not", "(",
                  ")", "[", "]", ",", "=", "!=", "<>", "==", "<", "<=", ">", ">=", "in", "like",
                  "is", "null", "between", "true", "false", "1", "-1", "'t'", "x'00'", "now()", ".",
                  "x", "\"c\"", "\"", "'", "ilike", "$", "1.", "e");
    lam_random random = lam_random_start(lam_test_seed(18));
    lam_schema *schema = lam_test_schema(
        "message m { required int32 a; optional binary b; required boolean c;"
        " optional group x { optional boolean y; optional int32 a; } repeated boolean z;"
        " optional group v (VARIANT(1)) { required binary metadata; optional binary value; } }");
    for (int round = 0; round < 20000; round++) {
        char text[200] = "";
        for (uint64_t i = 1 + lam_random_below(&random, 7); i > 0; i--) {
            strcat(text, words[lam_random_below(&random, sizeof words / sizeof *words)]);
            strcat(text, lam_random_chance(&random, 90) ? " " : "\n");
        }
        parse_any(schema, text, &random);
    }
    lam_schema_destroy(schema);
}

/* --- Maps ---------------------------------------------------------------------------------- */

/* Five records: keys a and b, b with null, an empty map, no map, a key twice. */
static lam_buffer write_maps(lam_schema *schema) {
    static const uint8_t repetition[] = {0, 1, 0, 0, 0, 0, 1};
    static const uint8_t keys_there[] = {2, 2, 2, 1, 0, 2, 2};
    static const uint8_t values_there[] = {3, 3, 2, 1, 0, 3, 3};
    const lam_bytes keys[] = {{(const uint8_t *)"a", 1},
                              {(const uint8_t *)"b", 1},
                              {(const uint8_t *)"b", 1},
                              {(const uint8_t *)"a", 1},
                              {(const uint8_t *)"a", 1}};
    static const int32_t values[] = {1, 2, 3, 4};
    const lam_triples columns[] = {
        {.count = 7, .value_count = 5, repetition, keys_there, keys},
        {.count = 7, .value_count = 4, repetition, values_there, values}};
    lam_test_writer file = lam_test_write_as(schema, NULL);
    lam_test_put_triples(&file, columns, 5);
    return lam_test_written(&file);
}

Test(filter_limits, records_are_chosen_by_the_value_of_a_key) {
    static const struct {
        const char *text;
        uint64_t rows;
    } cases[] = {
        {"p['a'] = 1", 1},           {"p['a'] = 3 or p['a'] = 4", 1},
        {"p['a'] < 99999999999", 2}, {"p['a'] != 99999999999", 2},
        {"p['a'] = 99999999999", 0}, {"p['a'] between 0 and 99999999999", 2},
        {"p['b'] is null", 4},       {"p['b'] is not null", 1},
        {"p['c'] = 1", 0},           {"not p['a'] = 1", 1},
    };
    lam_schema *schema =
        lam_test_schema("message m { optional group p (MAP) { repeated group key_value {"
                        " required binary key (STRING); optional int32 value; } } }");
    lam_buffer file = write_maps(schema);
    lam_reader *reader = lam_test_open(file.data, file.size, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int prunes = 0; prunes < 2; prunes++) {
            lam_scan_options options = lam_scan_options_default();
            lam_record_reader *records;
            lam_filter *filter;
            uint64_t rows;
            lam_error error = lam_error_none();
            cr_assert_eq(lam_filter_parse(lam_reader_schema(reader), cases[i].text,
                                          strlen(cases[i].text), NULL, NULL, &filter, &error),
                         LAM_STATUS_OK, "%s: %s", cases[i].text, error.message);
            options.filter = filter;
            options.pruning = prunes ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
            cr_assert_eq(lam_record_reader_open_scan(reader, &options, &records, NULL),
                         LAM_STATUS_OK);
            cr_assert_eq(lam_record_reader_skip(records, UINT64_MAX, &rows, NULL), LAM_STATUS_OK);
            cr_expect_eq(rows, cases[i].rows, "%s: %d", cases[i].text, (int)rows);
            lam_record_reader_close(records);
            lam_filter_destroy(filter);
        }
    lam_reader_close(reader);
    lam_buffer_finish(&file);
    lam_schema_destroy(schema);
}
