/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of a condition become every literal that they may mean, and what is none is refused with
 * its place.
 */
#include "scan/condition/filter_literal_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/failing_alloc.h"

static const char *const class_names[] = {
    [LAM_LITERAL_NUMBER] = "number", [LAM_LITERAL_BOOLEAN] = "boolean",
    [LAM_LITERAL_DATE] = "date",     [LAM_LITERAL_TIME] = "time",
    [LAM_LITERAL_TIMESTAMP] = "utc", [LAM_LITERAL_TIMESTAMP_NTZ] = "local",
    [LAM_LITERAL_STRING] = "string", [LAM_LITERAL_BINARY] = "binary",
    [LAM_LITERAL_UUID] = "uuid"};

static lam_status read(const char *text, lam_arena *arena, lam_buffer *literals, lam_error *error) {
    lam_filter_lexer lexer;
    lam_literal literal;
    lam_status status = lam_filter_lexer_init(&lexer, text, strlen(text), error);
    if (status == LAM_STATUS_OK)
        status = lam_literal_read(&lexer, arena, &literal, error);
    return status == LAM_STATUS_OK ? lam_literal_read_classes(&literal, arena, literals, error)
                                   : status;
}

/* Classes, and what is kept of times: "date 3", "utc 5+7". */
static void print_literals(const lam_buffer *literals, char *text) {
    const lam_literal *items = (const lam_literal *)(const void *)literals->data;
    *text = '\0';
    for (size_t i = 0; i < literals->size / sizeof *items; i++) {
        text += sprintf(text, "%s%s", i == 0 ? "" : ", ", class_names[items[i].kind]);
        if (items[i].kind >= LAM_LITERAL_BOOLEAN && items[i].kind <= LAM_LITERAL_TIMESTAMP_NTZ)
            text += sprintf(text, " %lld", (long long)items[i].integer);
        if (items[i].nanos != 0)
            text += sprintf(text, "+%d", (int)items[i].nanos);
        if (items[i].kind == LAM_LITERAL_NUMBER && items[i].is_special)
            text += sprintf(text, " special");
    }
}

Test(filter_literal_text, a_literal_is_all_that_it_may_be) {
    static const struct {
        const char *text, *literals;
    } cases[] = {
        {"10.5", "number"},
        {"-.5e3", "number"},
        {"1e400", "number"},
        {"true", "boolean 1"},
        {"FALSE", "boolean 0"},
        {"'abc'", "string, binary"},
        {"''", "string, binary"},
        {"'10.5'", "string, binary"},
        {"'true'", "string, binary"},
        {"'1970-01-04'", "string, binary, utc 259200000000, local 259200000000, date 3"},
        {"'1969-12-31'", "string, binary, utc -86400000000, local -86400000000, date -1"},
        /* beyond what 64 bits have microseconds for */
        {"'+300000-01-01'", "string, binary, date 108853222"},
        {"'-300000-01-01'", "string, binary, date -110292278"},
        {"'1970-02-30'", "string, binary"},
        {"'00:00:01.5'", "string, binary, time 1500000"},
        {"'24:00:00'", "string, binary"},
        {"'1970-01-01T00:00:01Z'", "string, binary, utc 1000000, date 0+1"},
        {"'1970-01-01 00:00:01Z'", "string, binary, utc 1000000, date 0+1"},
        {"'1970-01-01T00:00:01'", "string, binary, utc 1000000, local 1000000, date 0+1"},
        {"'1970-01-01T00:00:00.000000001'", "string, binary, utc 0+1, local 0+1, date 0+1"},
        {"'1969-12-31T23:59:59.999999999Z'", "string, binary, utc -1+999, date -1+1"},
        /* beyond what 64 bits have nanoseconds for */
        {"'9999-12-31T00:00:00Z'", "string, binary, utc 253402214400000000, date 2932896"},
        {"'9999-12-31T00:00:00.000000001Z'", "string, binary"},
        {"'NaN'", "string, binary, number special"},
        {"'-Infinity'", "string, binary, number special"},
        {"'nan'", "string, binary"},
        {"'00112233-4455-6677-8899-aabbccddeeff'", "string, binary, uuid"},
        {"x'00FF'", "string, binary"},
        {"x''", "string, binary"},
        {"x'00112233445566778899AABBCCDDEEFF'", "string, binary, uuid"},
    };
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_buffer literals;
    lam_arena_init(&arena, &allocator, 0);
    lam_buffer_init(&literals, &allocator);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        lam_error error = lam_error_none();
        lam_buffer_clear(&literals);
        cr_expect_eq(read(cases[i].text, &arena, &literals, &error), LAM_STATUS_OK, "%s: %s",
                     cases[i].text, error.message);
        print_literals(&literals, text);
        cr_expect_str_eq(text, cases[i].literals, "%s: %s", cases[i].text, text);
    }
    lam_buffer_finish(&literals);
    lam_arena_finish(&arena);
}

Test(filter_literal_text, bytes_of_texts_have_single_marks) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_buffer literals;
    lam_arena_init(&arena, &allocator, 0);
    lam_buffer_init(&literals, &allocator);
    cr_assert_eq(read("'it''s'", &arena, &literals, NULL), LAM_STATUS_OK);
    const lam_literal *items = (const lam_literal *)(const void *)literals.data;
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(items[i].bytes.size, 4);
        cr_expect_arr_eq(items[i].bytes.data, "it's", 4);
    }
    lam_buffer_finish(&literals);
    lam_arena_finish(&arena);
}

Test(filter_literal_text, what_is_no_value_is_refused_with_its_place) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"null", "character 1: expected a value (for null: is null), found null"},
        {"x'0'", "character 1: expected two hexadecimal digits for each byte, found x'0'"},
    };
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_buffer literals;
    lam_arena_init(&arena, &allocator, 0);
    lam_buffer_init(&literals, &allocator);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        cr_expect_eq(read(cases[i].text, &arena, &literals, &error), LAM_STATUS_INVALID, "%s",
                     cases[i].text);
        cr_expect_str_eq(error.message, cases[i].message, "%s", error.message);
    }
    lam_buffer_finish(&literals);
    lam_arena_finish(&arena);
}

Test(filter_literal_text, tokens_are_literals_as_they_are_written) {
    static const struct {
        const char *text;
        lam_literal_class kind;
    } cases[] = {{"1", LAM_LITERAL_NUMBER},       {"TRUE", LAM_LITERAL_BOOLEAN},
                 {"'1'", LAM_LITERAL_STRING},     {"x'31'", LAM_LITERAL_BINARY},
                 {"'NaN'", LAM_LITERAL_STRING},   {"name", LAM_LITERAL_NO_CLASS},
                 {"\"q\"", LAM_LITERAL_NO_CLASS}, {"", LAM_LITERAL_NO_CLASS}};
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_filter_lexer lexer;
        lam_literal literal;
        cr_assert_eq(lam_filter_lexer_init(&lexer, cases[i].text, strlen(cases[i].text), NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_literal_read(&lexer, &arena, &literal, NULL), LAM_STATUS_OK);
        cr_expect_eq(literal.kind, cases[i].kind, "%s: %d", cases[i].text, (int)literal.kind);
    }
    lam_arena_finish(&arena);
}

Test(filter_literal_text, memory_that_runs_out_is_an_error_and_nothing_leaks) {
    static const char *const texts[] = {"10.5", "true", "'2024-01-01'",
                                        "x'00112233445566778899AABBCCDDEEFF'"};
    for (size_t i = 0; i < 4; i++) {
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
            lam_failing_alloc failing = {.fail_at = nth};
            lam_allocator allocator = lam_failing_allocator(&failing);
            lam_arena arena;
            lam_buffer literals;
            lam_arena_init(&arena, &allocator, 0);
            lam_buffer_init(&literals, &allocator);
            status = read(texts[i], &arena, &literals, NULL);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
            lam_buffer_finish(&literals);
            lam_arena_finish(&arena);
            cr_assert_eq(failing.live_bytes, 0);
        }
    }
}
