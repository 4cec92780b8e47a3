/* SPDX-License-Identifier: Apache-2.0 */
#include <lamella/filter.h>
#include <lamella/filter_text.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "filter/filter_program.h"
#include "support/failing_alloc.h"
#include "support/random.h"

static const char SCHEMA[] =
    "optional int32 a; optional int32 b; optional boolean c; optional binary \"full name\";"
    "optional group g { optional int32 x; optional int32 y; }"
    "optional group tags (LIST) { repeated group list { optional binary element (STRING); } }"
    "optional int32 \"in\"; optional fixed_len_byte_array(16) id (UUID);";

static lam_schema *schema_of(const char *text) {
    lam_schema *schema;
    cr_assert_eq(lam_schema_parse(text, strlen(text), NULL, &schema, NULL), LAM_STATUS_OK);
    return schema;
}

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
    lam_schema *schema = schema_of(SCHEMA);
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
    lam_schema *schema = schema_of(SCHEMA);
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
    lam_schema *schema = schema_of(SCHEMA);
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
    lam_schema *schema = schema_of(SCHEMA);
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
    const char *text = "a in (1,2) and not (tags = 'x' or b between 1.5 and 3) and g is null";
    lam_schema *schema = schema_of(SCHEMA);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
        lam_failing_alloc failing = {.fail_at = nth};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_filter *filter = NULL;
        status = lam_filter_parse(schema, text, strlen(text), NULL, &allocator, &filter, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        lam_filter_destroy(filter);
        cr_assert_eq(failing.live_bytes, 0);
        cr_assert(nth < 1000);
    }
    lam_schema_destroy(schema);
}
