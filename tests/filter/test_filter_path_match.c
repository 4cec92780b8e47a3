/* SPDX-License-Identifier: Apache-2.0 */
#include <lamella/filter.h>
#include <lamella/record.h>

#include "filter/filter_path_match.h"

#include "filter/path_help.h"
#include "support/failing_alloc.h"

/* The names of all metadata below: a and b. */
#define AB "metadata=11020001026162"

static const char EVENT[] =
    "message m { optional group v (VARIANT) { required binary metadata; optional binary value;"
    "optional group typed_value {"
    "required group a { optional binary value; optional int64 typed_value; }"
    "required group b { optional binary value; optional group typed_value (LIST) {"
    "repeated group list { required group element {"
    "optional binary value; optional int64 typed_value; } } } } } } }";

/* The outcomes of all tests of a condition, joined. */
static lam_status match(const lam_schema *schema, const char *condition, const char *words,
                        uint8_t *ret_outcome, lam_error *error) {
    enum { MOST = 8 };
    lam_filter *filter = path_filter(schema, condition);
    lam_allocator allocator = lam_allocator_default();
    bool tests[MOST];
    uint8_t outcomes[MOST] = {0}, stack[MOST];
    uint8_t *of_tests[MOST];
    lam_path_matcher *matcher;
    for (size_t i = 0; i < MOST; i++) {
        tests[i] = true;
        of_tests[i] = &outcomes[i];
    }
    cr_assert_leq(filter->test_count, MOST);
    cr_assert_eq(lam_path_matcher_create(filter, tests, &allocator, &matcher, NULL), LAM_STATUS_OK);
    lam_path_matcher_begin(matcher, of_tests);
    lam_record_sink sink = lam_path_matcher_sink(matcher);
    lam_status status = path_tell(schema, words, &sink, error);
    lam_filter_run(filter, (const uint8_t *const *)of_tests, 1, stack);
    *ret_outcome = stack[0];
    lam_path_matcher_destroy(matcher);
    lam_filter_destroy(filter);
    return status;
}

typedef struct match_case {
    const char *condition, *words;
    uint8_t outcome;
} match_case;

static void expect_outcomes(const char *text, const match_case *cases, size_t count) {
    lam_schema *schema = path_schema(text);
    for (size_t i = 0; i < count; i++) {
        uint8_t outcome = 9;
        lam_error error = lam_error_none();
        cr_expect_eq(match(schema, cases[i].condition, cases[i].words, &outcome, &error),
                     LAM_STATUS_OK, "%s, %s: %s", cases[i].condition, cases[i].words,
                     error.message);
        cr_expect_eq(outcome, cases[i].outcome, "%s, %s: %d", cases[i].condition, cases[i].words,
                     outcome);
    }
    lam_schema_destroy(schema);
}

#define EXPECT_OUTCOMES(text, cases) expect_outcomes(text, cases, sizeof cases / sizeof *cases)

Test(filter_path_match, a_path_is_found_in_whatever_column_holds_it) {
    static const match_case cases[] = {
        {"v.a = 5", "(v " AB " (typed_value (a typed_value:5 ) (b ) ) )", LAM_OUTCOME_TRUE},
        {"v.a = 5", "(v " AB " (typed_value (a value=0C05 ) (b ) ) )", LAM_OUTCOME_TRUE},
        {"v.a = 5", "(v " AB " (typed_value (a value=0C06 ) (b ) ) )", LAM_OUTCOME_FALSE},
        {"v.a = 5", "(v " AB " (typed_value (a value=00 ) (b ) ) )", LAM_OUTCOME_UNKNOWN},
        {"v.a = 5", "(v " AB " (typed_value (a ) (b ) ) )", LAM_OUTCOME_UNKNOWN},
        {"v.a = 5", "(v " AB " value=0C05 )", LAM_OUTCOME_UNKNOWN},
        {"v.a = 5", "", LAM_OUTCOME_UNKNOWN},
        {"v.a is null", "", LAM_OUTCOME_TRUE},
        {"v.a is missing", "(v " AB " (typed_value (a value=00 ) (b ) ) )", LAM_OUTCOME_FALSE},
        {"v.a is null", "(v " AB " (typed_value (a value=00 ) (b ) ) )", LAM_OUTCOME_TRUE},
        {"v.a is not null", "(v " AB " (typed_value (a value=00 ) (b ) ) )", LAM_OUTCOME_FALSE},
        {"v = 5", "(v " AB " value=0C05 )", LAM_OUTCOME_TRUE},
        {"v = 5", "(v " AB " (typed_value (a ) (b ) ) )", LAM_OUTCOME_UNKNOWN},
        {"v.b[] = 5", "(v " AB " (typed_value (a ) (b (typed_value ) ) ) )", LAM_OUTCOME_FALSE},
        {"v.b = 5",
         "(v " AB " (typed_value (a ) (b (typed_value (list (element value=0C06 ) )"
         " (list (element typed_value:5 ) ) ) ) ) )",
         LAM_OUTCOME_TRUE},
        {"v.b = 5",
         "(v " AB " (typed_value (a ) (b (typed_value (list (element value=0C06 ) )"
         " (list (element value=00 ) ) ) ) ) )",
         LAM_OUTCOME_UNKNOWN},
        {"v.b = 5", "(v " AB " (typed_value (a ) (b value=0C05 ) ) )", LAM_OUTCOME_TRUE},
        {"v.b[] = 5", "(v " AB " (typed_value (a ) (b value=0C05 ) ) )", LAM_OUTCOME_UNKNOWN},
        {"v.c is missing", "(v " AB " (typed_value (a ) (b ) ) )", LAM_OUTCOME_TRUE},
        {"v.b is not null", "(v " AB " (typed_value (a ) (b (typed_value ) ) ) )",
         LAM_OUTCOME_TRUE},
        {"v.b[] is null", "(v " AB " (typed_value (a ) (b (typed_value ) ) ) )", LAM_OUTCOME_FALSE},
    };
    EXPECT_OUTCOMES(EVENT, cases);
}

/* An element has a value always: VariantShredding.md takes one without any for a Variant null, and
 * IS MISSING was true of it. */
Test(filter_path_match, an_element_without_columns_is_null_but_there) {
    static const match_case cases[] = {
        {"v.b[] is missing",
         "(v " AB " (typed_value (a ) (b (typed_value (list (element ) ) ) ) ) )",
         LAM_OUTCOME_FALSE},
        {"v.b[] is not missing",
         "(v " AB " (typed_value (a ) (b (typed_value (list (element ) ) ) ) ) )",
         LAM_OUTCOME_TRUE},
        {"v.b[] is null", "(v " AB " (typed_value (a ) (b (typed_value (list (element ) ) ) ) ) )",
         LAM_OUTCOME_TRUE},
        {"v.b[] is not null",
         "(v " AB " (typed_value (a ) (b (typed_value (list (element ) ) ) ) ) )",
         LAM_OUTCOME_FALSE},
        {"v.b[].c is missing",
         "(v " AB " (typed_value (a ) (b (typed_value (list (element ) ) ) ) ) )",
         LAM_OUTCOME_TRUE},
        {"v.b[] is missing", "(v " AB " (typed_value (a ) (b ) ) )", LAM_OUTCOME_TRUE},
        {"v.b[] is missing", "(v " AB " (typed_value (a ) (b value=00 ) ) )", LAM_OUTCOME_TRUE},
        {"v is missing", "(v " AB " )", LAM_OUTCOME_FALSE},
        {"v is null", "(v " AB " )", LAM_OUTCOME_TRUE},
        {"v is missing", "", LAM_OUTCOME_TRUE},
    };
    EXPECT_OUTCOMES(EVENT, cases);
}

Test(filter_path_match, typed_value_counts_where_both_are_there) {
    static const char behind[] =
        "message m { optional group v (VARIANT) { optional group typed_value {"
        "required group a { optional int64 typed_value; optional binary value; } }"
        "optional binary value; required binary metadata; } }";
    static const match_case before_cases[] = {
        {"v.a = 5", "(v " AB " (typed_value (a value=0C05 typed_value:6 ) (b ) ) )",
         LAM_OUTCOME_FALSE},
        {"v.a = 6", "(v " AB " (typed_value (a value=0C05 typed_value:6 ) (b ) ) )",
         LAM_OUTCOME_TRUE},
        {"v.a is null", "(v " AB " (typed_value (a value=00 typed_value:6 ) (b ) ) )",
         LAM_OUTCOME_FALSE},
        /* bytes that do not count are not looked at */
        {"v.a = 6", "(v " AB " (typed_value (a value=FC typed_value:6 ) (b ) ) )",
         LAM_OUTCOME_TRUE},
    };
    static const match_case behind_cases[] = {
        {"v.a = 5", "(v (typed_value (a typed_value:6 value=0C05 ) ) " AB " )", LAM_OUTCOME_FALSE},
        {"v.a = 6", "(v (typed_value (a typed_value:6 value=FC ) ) " AB " )", LAM_OUTCOME_TRUE},
        {"v.a = 5", "(v (typed_value (a value=0C05 ) ) " AB " )", LAM_OUTCOME_TRUE},
    };
    EXPECT_OUTCOMES(EVENT, before_cases);
    EXPECT_OUTCOMES(behind, behind_cases);
}

Test(filter_path_match, names_are_those_of_the_metadata_wherever_it_stands) {
    static const char behind[] = "message m { repeated group v (VARIANT) { required binary value;"
                                 "required binary metadata; } }";
    static const match_case cases[] = {
        {"v.b = 7", "(v value=02010100020C07 " AB " )", LAM_OUTCOME_TRUE},
        {"v.a = 7", "(v value=02010100020C07 " AB " )", LAM_OUTCOME_UNKNOWN},
        /* each VARIANT of a list has its own */
        {"v.a = 7",
         "(v value=02010000020C08 " AB " ) (v value=02010100020C07 metadata=11020001026261 )",
         LAM_OUTCOME_TRUE},
        {"v.b = 7",
         "(v value=02010000020C08 " AB " ) (v value=02010100020C07 metadata=11020001026261 )",
         LAM_OUTCOME_UNKNOWN},
        {"v.a = 7", "", LAM_OUTCOME_FALSE},
    };
    EXPECT_OUTCOMES(behind, cases);
}

Test(filter_path_match, a_column_that_a_pair_lacks_holds_nothing) {
    static const char text[] =
        "message m { required group v (VARIANT) { required binary metadata;"
        "optional group typed_value { required group a { optional int64 typed_value; }"
        "required group b { optional binary value; } } } }";
    static const match_case cases[] = {
        {"v.a = 5", "(v " AB " (typed_value (a typed_value:5 ) (b ) ) )", LAM_OUTCOME_TRUE},
        {"v.a.x is missing", "(v " AB " (typed_value (a typed_value:5 ) (b ) ) )",
         LAM_OUTCOME_TRUE},
        {"v.a.x = 1", "(v " AB " (typed_value (a typed_value:5 ) (b ) ) )", LAM_OUTCOME_UNKNOWN},
        {"v.c is null", "(v " AB " (typed_value (a typed_value:5 ) (b ) ) )", LAM_OUTCOME_TRUE},
        {"v[] is null", "(v " AB " (typed_value (a typed_value:5 ) (b ) ) )", LAM_OUTCOME_TRUE},
        {"v.b = 'x'", "(v " AB " (typed_value (a ) (b value=0578 ) ) )", LAM_OUTCOME_TRUE},
        {"v.b.a = 1", "(v " AB " (typed_value (a ) (b value=02010000020C01 ) ) )",
         LAM_OUTCOME_TRUE},
        {"v is null", "(v " AB " )", LAM_OUTCOME_TRUE},
        {"v = 1", "(v " AB " )", LAM_OUTCOME_UNKNOWN},
    };
    EXPECT_OUTCOMES(text, cases);
}

Test(filter_path_match, a_list_around_has_a_place_for_each_element_and_none_when_empty) {
    static const char text[] =
        "message m { optional group g { repeated group l { optional group v (VARIANT) {"
        "required binary metadata; optional binary value; optional int64 typed_value; } } } }";
    static const match_case cases[] = {
        {"g.l.v is null", "", LAM_OUTCOME_FALSE},
        {"g.l.v is null", "(g )", LAM_OUTCOME_FALSE},
        {"g.l.v is null", "(g (l ) )", LAM_OUTCOME_TRUE},
        {"g.l.v is missing", "(g (l (v " AB " value=00 ) ) (l ) )", LAM_OUTCOME_TRUE},
        {"g.l.v is missing", "(g (l (v " AB " value=00 ) ) )", LAM_OUTCOME_FALSE},
        {"g.l.v is not missing", "(g (l (v " AB " value=00 ) ) )", LAM_OUTCOME_TRUE},
        {"g.l.v.a is missing", "(g )", LAM_OUTCOME_FALSE},
        {"g.l.v.a is missing", "(g (l (v " AB " typed_value:1 ) ) )", LAM_OUTCOME_TRUE},
        {"g.l.v = 1", "", LAM_OUTCOME_UNKNOWN},
        {"g.l.v = 1", "(g )", LAM_OUTCOME_FALSE},
        {"g.l.v = 1", "(g (l ) )", LAM_OUTCOME_UNKNOWN},
        {"g.l.v = 1", "(g (l (v " AB " typed_value:2 ) ) (l (v " AB " value=0C01 ) ) )",
         LAM_OUTCOME_TRUE},
    };
    EXPECT_OUTCOMES(text, cases);
}

Test(filter_path_match, bytes_that_are_no_variant_are_refused_with_the_path_of_their_column) {
    static const struct {
        const char *condition, *words, *message;
        lam_status status;
    } cases[] = {
        {"v.a = 5", "(v " AB " (typed_value (a value=18 ) (b ) ) )",
         "v.typed_value.a.value: variant: a value ends early", LAM_STATUS_CORRUPT},
        {"v.a = 5", "(v " AB " (typed_value (a value= ) (b ) ) )",
         "v.typed_value.a.value: variant: no bytes", LAM_STATUS_CORRUPT},
        {"v.a = 5", "(v " AB " (typed_value (a value=FC ) (b ) ) )", NULL, LAM_STATUS_UNSUPPORTED},
        {"v.c = 5", "(v " AB " value=02010900020C07 )",
         "v.value: variant: a field id that the metadata does not have", LAM_STATUS_CORRUPT},
        {"v.c = 5", "(v metadata=02 value=02010000020C07 )",
         "v.metadata: variant: metadata of a version other than 1", LAM_STATUS_CORRUPT},
        {"v.c = 5", "(v value=02010000020C07 )", "v.metadata: variant: no metadata",
         LAM_STATUS_CORRUPT},
        {"v.c is null", "(v " AB " value=0202 )", "v.value: variant: a value ends early",
         LAM_STATUS_CORRUPT},
    };
    lam_schema *schema = path_schema(EVENT);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t outcome;
        lam_error error = lam_error_none();
        cr_expect_eq(match(schema, cases[i].condition, cases[i].words, &outcome, &error),
                     cases[i].status, "case %zu", i);
        if (cases[i].message != NULL)
            cr_expect_str_eq(error.message, cases[i].message, "%s", error.message);
        else
            cr_expect_not_null(strstr(error.message, "v.typed_value.a.value"), "%s", error.message);
    }
    lam_schema_destroy(schema);
}

Test(filter_path_match, only_columns_are_wanted_that_can_tell) {
    static const struct {
        const char *condition, *leaves;
    } cases[] = {
        /* metadata, value; a's value, typed_value; b's value, its elements' value, typed_value */
        {"v.a = 5", "0011000"},   {"v.a.x = 5", "1010000"},   {"v.b = 5", "0000111"},
        {"v.b[] = 5", "0000011"}, {"v.b[].x = 5", "1000010"}, {"v.c = 5", "1100000"},
        {"v = 5", "0110000"},     {"v is null", "0110000"},   {"v is missing", "1000000"},
    };
    lam_schema *schema = path_schema(EVENT);
    lam_allocator allocator = lam_allocator_default();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_filter *filter = path_filter(schema, cases[i].condition);
        lam_path_matcher *matcher;
        bool test = true;
        char leaves[8] = "";
        cr_assert_eq(lam_path_matcher_create(filter, &test, &allocator, &matcher, NULL),
                     LAM_STATUS_OK);
        for (size_t k = 0; k < 7; k++)
            leaves[k] = lam_path_matcher_leaves(matcher)[k] ? '1' : '0';
        cr_expect_str_eq(leaves, cases[i].leaves, "%s: %s", cases[i].condition, leaves);
        lam_path_matcher_destroy(matcher);
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}

Test(filter_path_match, memory_that_runs_out_is_an_error_and_nothing_leaks) {
    lam_schema *schema = path_schema(EVENT);
    lam_filter *filter = path_filter(schema, "v.c = 5 and v.b = 6 or v.a is null");
    static const bool tests[3] = {true, true, true};
    lam_status status = LAM_STATUS_NOMEM;
    size_t nth = 1;
    for (; status != LAM_STATUS_OK; nth++) {
        lam_failing_alloc failing = {.fail_at = nth};
        lam_allocator allocator = lam_failing_allocator(&failing);
        uint8_t outcomes[3] = {0};
        uint8_t *of_tests[3] = {&outcomes[0], &outcomes[1], &outcomes[2]};
        lam_path_matcher *matcher;
        status = lam_path_matcher_create(filter, tests, &allocator, &matcher, NULL);
        if (status == LAM_STATUS_OK) {
            lam_path_matcher_begin(matcher, of_tests);
            lam_record_sink sink = lam_path_matcher_sink(matcher);
            status = path_tell(
                schema,
                "(v " AB " value=02010100020C07 (typed_value (a value=00 ) (b value=0C06 ) ) )",
                &sink, NULL);
            if (status == LAM_STATUS_OK)
                cr_expect(outcomes[1] == LAM_OUTCOME_TRUE && outcomes[2] == LAM_OUTCOME_TRUE);
            lam_path_matcher_destroy(matcher);
        }
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert_eq(failing.live_bytes, 0);
        cr_assert_eq(failing.wrong_sizes, 0);
    }
    cr_expect_gt(nth, 5);
    lam_filter_destroy(filter);
    lam_schema_destroy(schema);
}
