/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions on parts of VARIANTs are decided from columns. Random values, looked at whole, are the
 * oracle.
 */
#include <lamella/filter.h>
#include <lamella/record.h>

#include "scan/match/filter_path_walk.h"

#include "base/error.h"
#include "scan/path_help.h"
#include "scan/variant_table.h"
#include "scan/walk_columns.h"
#include "support/failing_alloc.h"
#include "support/record_text.h"
#include "variant/random_shredding.h"

/* The names of all metadata below: a and b. */
#define AB "metadata: x11020001026162,"

static const char EVENT[] =
    "message m { optional group v (VARIANT) { required binary metadata; optional binary value;"
    "optional group typed_value {"
    "required group a { optional binary value; optional int64 typed_value; }"
    "required group b { optional binary value; optional group typed_value (LIST) {"
    "repeated group list { required group element {"
    "optional binary value; optional int64 typed_value; } } } } } } }";

/* One record of these fields. */
static lam_status tell_fields(const lam_schema *schema, const lam_record_sink *sink,
                              const char *fields, lam_error *error) {
    char text[1024];
    snprintf(text, sizeof text, "{%s}", fields);
    return lam_tell(schema, sink, text, error);
}

/* The outcomes of all tests of a condition, joined. */
static lam_status match(const lam_schema *schema, const char *condition, const char *words,
                        uint8_t *ret_outcome, lam_error *error) {
    enum { MOST = 8 };
    lam_filter *filter = path_filter(schema, condition);
    bool tests[MOST];
    uint8_t outcomes[MOST] = {0}, stack[MOST];
    uint8_t *of_tests[MOST];
    lam_shredder *shredder;
    for (size_t i = 0; i < MOST; i++) {
        tests[i] = true;
        of_tests[i] = &outcomes[i];
    }
    cr_assert_leq(filter->test_count, MOST);
    cr_assert_eq(lam_shredder_create(schema, NULL, &shredder, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_shredder_sink(shredder);
    cr_assert_eq(tell_fields(schema, &sink, words, error), LAM_STATUS_OK, "%s: %s", words,
                 error->message);
    lam_status status = walk_columns(filter, tests, shredder, NULL, NULL, of_tests, error);
    lam_filter_run(filter, (const uint8_t *const *)of_tests, 1, stack);
    *ret_outcome = stack[0];
    lam_shredder_destroy(shredder);
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

Test(filter_path_walk, a_path_is_found_in_whatever_column_holds_it) {
    static const match_case cases[] = {
        {"v.a = 5", "v: {" AB " typed_value: {a: {typed_value: 5}, b: {}}},", LAM_OUTCOME_TRUE},
        {"v.a = 5", "v: {" AB " typed_value: {a: {value: x0C05}, b: {}}},", LAM_OUTCOME_TRUE},
        {"v.a = 5", "v: {" AB " typed_value: {a: {value: x0C06}, b: {}}},", LAM_OUTCOME_FALSE},
        {"v.a = 5", "v: {" AB " typed_value: {a: {value: x00}, b: {}}},", LAM_OUTCOME_UNKNOWN},
        {"v.a = 5", "v: {" AB " typed_value: {a: {}, b: {}}},", LAM_OUTCOME_UNKNOWN},
        {"v.a = 5", "v: {" AB " value: x0C05},", LAM_OUTCOME_UNKNOWN},
        {"v.a = 5", "", LAM_OUTCOME_UNKNOWN},
        {"v.a is null", "", LAM_OUTCOME_TRUE},
        {"v.a is missing", "v: {" AB " typed_value: {a: {value: x00}, b: {}}},", LAM_OUTCOME_FALSE},
        {"v.a is null", "v: {" AB " typed_value: {a: {value: x00}, b: {}}},", LAM_OUTCOME_TRUE},
        {"v.a is not null", "v: {" AB " typed_value: {a: {value: x00}, b: {}}},",
         LAM_OUTCOME_FALSE},
        {"v = 5", "v: {" AB " value: x0C05},", LAM_OUTCOME_TRUE},
        {"v = 5", "v: {" AB " typed_value: {a: {}, b: {}}},", LAM_OUTCOME_UNKNOWN},
        {"v.b[] = 5", "v: {" AB " typed_value: {a: {}, b: {typed_value: {}}}},", LAM_OUTCOME_FALSE},
        {"v.b = 5",
         "v: {" AB " typed_value: {a: {}, b: {typed_value: {list: {element: {value: x0C06}},"
         " list: {element: {typed_value: 5}}}}}},",
         LAM_OUTCOME_TRUE},
        {"v.b = 5",
         "v: {" AB " typed_value: {a: {}, b: {typed_value: {list: {element: {value: x0C06}},"
         " list: {element: {value: x00}}}}}},",
         LAM_OUTCOME_UNKNOWN},
        {"v.b = 5", "v: {" AB " typed_value: {a: {}, b: {value: x0C05}}},", LAM_OUTCOME_TRUE},
        {"v.b[] = 5", "v: {" AB " typed_value: {a: {}, b: {value: x0C05}}},", LAM_OUTCOME_UNKNOWN},
        {"v.c is missing", "v: {" AB " typed_value: {a: {}, b: {}}},", LAM_OUTCOME_TRUE},
        {"v.b is not null", "v: {" AB " typed_value: {a: {}, b: {typed_value: {}}}},",
         LAM_OUTCOME_TRUE},
        {"v.b[] is null", "v: {" AB " typed_value: {a: {}, b: {typed_value: {}}}},",
         LAM_OUTCOME_FALSE},
    };
    EXPECT_OUTCOMES(EVENT, cases);
}

/* An element has a value always: VariantShredding.md takes one without any for a Variant null, and
 * IS MISSING was true of it. */
Test(filter_path_walk, an_element_without_columns_is_null_but_there) {
    static const match_case cases[] = {
        {"v.b[] is missing",
         "v: {" AB " typed_value: {a: {}, b: {typed_value: {list: {element: {}}}}}},",
         LAM_OUTCOME_FALSE},
        {"v.b[] is not missing",
         "v: {" AB " typed_value: {a: {}, b: {typed_value: {list: {element: {}}}}}},",
         LAM_OUTCOME_TRUE},
        {"v.b[] is null",
         "v: {" AB " typed_value: {a: {}, b: {typed_value: {list: {element: {}}}}}},",
         LAM_OUTCOME_TRUE},
        {"v.b[] is not null",
         "v: {" AB " typed_value: {a: {}, b: {typed_value: {list: {element: {}}}}}},",
         LAM_OUTCOME_FALSE},
        {"v.b[].c is missing",
         "v: {" AB " typed_value: {a: {}, b: {typed_value: {list: {element: {}}}}}},",
         LAM_OUTCOME_TRUE},
        {"v.b[] is missing", "v: {" AB " typed_value: {a: {}, b: {}}},", LAM_OUTCOME_TRUE},
        {"v.b[] is missing", "v: {" AB " typed_value: {a: {}, b: {value: x00}}},",
         LAM_OUTCOME_TRUE},
        {"v is missing", "v: {" AB "},", LAM_OUTCOME_FALSE},
        {"v is null", "v: {" AB "},", LAM_OUTCOME_TRUE},
        {"v is missing", "", LAM_OUTCOME_TRUE},
    };
    EXPECT_OUTCOMES(EVENT, cases);
}

Test(filter_path_walk, typed_value_counts_where_both_are_there) {
    static const char behind[] =
        "message m { optional group v (VARIANT) { optional group typed_value {"
        "required group a { optional int64 typed_value; optional binary value; } }"
        "optional binary value; required binary metadata; } }";
    static const match_case before_cases[] = {
        {"v.a = 5", "v: {" AB " typed_value: {a: {value: x0C05, typed_value: 6}, b: {}}},",
         LAM_OUTCOME_FALSE},
        {"v.a = 6", "v: {" AB " typed_value: {a: {value: x0C05, typed_value: 6}, b: {}}},",
         LAM_OUTCOME_TRUE},
        {"v.a is null", "v: {" AB " typed_value: {a: {value: x00, typed_value: 6}, b: {}}},",
         LAM_OUTCOME_FALSE},
        /* bytes that do not count are not looked at */
        {"v.a = 6", "v: {" AB " typed_value: {a: {value: xFC, typed_value: 6}, b: {}}},",
         LAM_OUTCOME_TRUE},
    };
    static const match_case behind_cases[] = {
        {"v.a = 5", "v: {typed_value: {a: {typed_value: 6, value: x0C05}}, " AB "},",
         LAM_OUTCOME_FALSE},
        {"v.a = 6", "v: {typed_value: {a: {typed_value: 6, value: xFC}}, " AB "},",
         LAM_OUTCOME_TRUE},
        {"v.a = 5", "v: {typed_value: {a: {value: x0C05}}, " AB "},", LAM_OUTCOME_TRUE},
    };
    EXPECT_OUTCOMES(EVENT, before_cases);
    EXPECT_OUTCOMES(behind, behind_cases);
}

Test(filter_path_walk, names_are_those_of_the_metadata_wherever_it_stands) {
    static const char behind[] = "message m { repeated group v (VARIANT) { required binary value;"
                                 "required binary metadata; } }";
    static const match_case cases[] = {
        {"v.b = 7", "v: {value: x02010100020C07, " AB "},", LAM_OUTCOME_TRUE},
        {"v.a = 7", "v: {value: x02010100020C07, " AB "},", LAM_OUTCOME_UNKNOWN},
        /* each VARIANT of a list has its own */
        {"v.a = 7",
         "v: {value: x02010000020C08, " AB
         "}, v: {value: x02010100020C07, metadata: x11020001026261},",
         LAM_OUTCOME_TRUE},
        {"v.b = 7",
         "v: {value: x02010000020C08, " AB
         "}, v: {value: x02010100020C07, metadata: x11020001026261},",
         LAM_OUTCOME_UNKNOWN},
        {"v.a = 7", "", LAM_OUTCOME_FALSE},
    };
    EXPECT_OUTCOMES(behind, cases);
}

Test(filter_path_walk, a_column_that_a_pair_lacks_holds_nothing) {
    static const char text[] =
        "message m { required group v (VARIANT) { required binary metadata;"
        "optional group typed_value { required group a { optional int64 typed_value; }"
        "required group b { optional binary value; } } } }";
    static const match_case cases[] = {
        {"v.a = 5", "v: {" AB " typed_value: {a: {typed_value: 5}, b: {}}},", LAM_OUTCOME_TRUE},
        {"v.a.x is missing", "v: {" AB " typed_value: {a: {typed_value: 5}, b: {}}},",
         LAM_OUTCOME_TRUE},
        {"v.a.x = 1", "v: {" AB " typed_value: {a: {typed_value: 5}, b: {}}},",
         LAM_OUTCOME_UNKNOWN},
        {"v.c is null", "v: {" AB " typed_value: {a: {typed_value: 5}, b: {}}},", LAM_OUTCOME_TRUE},
        {"v[] is null", "v: {" AB " typed_value: {a: {typed_value: 5}, b: {}}},", LAM_OUTCOME_TRUE},
        {"v.b = 'x'", "v: {" AB " typed_value: {a: {}, b: {value: x0578}}},", LAM_OUTCOME_TRUE},
        {"v.b.a = 1", "v: {" AB " typed_value: {a: {}, b: {value: x02010000020C01}}},",
         LAM_OUTCOME_TRUE},
        {"v is null", "v: {" AB "},", LAM_OUTCOME_TRUE},
        {"v = 1", "v: {" AB "},", LAM_OUTCOME_UNKNOWN},
    };
    EXPECT_OUTCOMES(text, cases);
}

Test(filter_path_walk, a_list_around_has_a_place_for_each_element_and_none_when_empty) {
    static const char text[] =
        "message m { optional group g { repeated group l { optional group v (VARIANT) {"
        "required binary metadata; optional binary value; optional int64 typed_value; } } } }";
    static const match_case cases[] = {
        {"g.l.v is null", "", LAM_OUTCOME_FALSE},
        {"g.l.v is null", "g: {},", LAM_OUTCOME_FALSE},
        {"g.l.v is null", "g: {l: {}},", LAM_OUTCOME_TRUE},
        {"g.l.v is missing", "g: {l: {v: {" AB " value: x00}}, l: {}},", LAM_OUTCOME_TRUE},
        {"g.l.v is missing", "g: {l: {v: {" AB " value: x00}}},", LAM_OUTCOME_FALSE},
        {"g.l.v is not missing", "g: {l: {v: {" AB " value: x00}}},", LAM_OUTCOME_TRUE},
        {"g.l.v.a is missing", "g: {},", LAM_OUTCOME_FALSE},
        {"g.l.v.a is missing", "g: {l: {v: {" AB " typed_value: 1}}},", LAM_OUTCOME_TRUE},
        {"g.l.v = 1", "", LAM_OUTCOME_UNKNOWN},
        {"g.l.v = 1", "g: {},", LAM_OUTCOME_FALSE},
        {"g.l.v = 1", "g: {l: {}},", LAM_OUTCOME_UNKNOWN},
        {"g.l.v = 1", "g: {l: {v: {" AB " typed_value: 2}}, l: {v: {" AB " value: x0C01}}},",
         LAM_OUTCOME_TRUE},
    };
    EXPECT_OUTCOMES(text, cases);
}

Test(filter_path_walk, bytes_that_are_no_variant_are_refused_with_the_path_of_their_column) {
    static const struct {
        const char *condition, *words, *message;
        lam_status status;
    } cases[] = {
        {"v.a = 5", "v: {" AB " typed_value: {a: {value: x18}, b: {}}},",
         "v.typed_value.a.value: variant: a value ends early", LAM_STATUS_CORRUPT},
        {"v.a = 5", "v: {" AB " typed_value: {a: {value: x}, b: {}}},",
         "v.typed_value.a.value: variant: no bytes", LAM_STATUS_CORRUPT},
        {"v.a = 5", "v: {" AB " typed_value: {a: {value: xFC}, b: {}}},", NULL,
         LAM_STATUS_UNSUPPORTED},
        {"v.c = 5", "v: {" AB " value: x02010900020C07},",
         "v.value: variant: a field id that the metadata does not have", LAM_STATUS_CORRUPT},
        {"v.c = 5", "v: {metadata: x02, value: x02010000020C07},",
         "v.metadata: variant: metadata of a version other than 1", LAM_STATUS_CORRUPT},
        {"v.c is null", "v: {" AB " value: x0202},", "v.value: variant: a value ends early",
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

Test(filter_path_walk, only_columns_are_wanted_that_can_tell) {
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
        lam_path_walk *walk;
        bool test = true;
        char leaves[8] = "0000000";
        cr_assert_eq(lam_path_walk_create(filter, &test, &allocator, &walk, NULL), LAM_STATUS_OK);
        for (size_t k = 0; k < lam_path_walk_column_count(walk); k++)
            leaves[lam_field_first_leaf(lam_path_walk_leaf(walk, k))]++;
        cr_expect_str_eq(leaves, cases[i].leaves, "%s: %s", cases[i].condition, leaves);
        lam_path_walk_destroy(walk);
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}

Test(filter_path_walk, tests_of_the_same_columns_share_them) {
    static const struct {
        const char *condition;
        size_t columns;
    } cases[] = {
        {"v.a = 5 or v.a > 7 or v.a is null", 2},
        {"v.c = 5 and v.d.e = 6", 2},
        {"v.a = 5 and v.b[] = 5", 4},
        {"v.a = 5 and v.a.x = 5", 4},
    };
    static const bool tests[3] = {true, true, true};
    lam_schema *schema = path_schema(EVENT);
    lam_allocator allocator = lam_allocator_default();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_filter *filter = path_filter(schema, cases[i].condition);
        lam_path_walk *walk;
        cr_assert_eq(lam_path_walk_create(filter, tests, &allocator, &walk, NULL), LAM_STATUS_OK);
        cr_expect_eq(lam_path_walk_column_count(walk), cases[i].columns, "%s", cases[i].condition);
        lam_path_walk_destroy(walk);
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}

Test(filter_path_walk, memory_that_runs_out_is_an_error_and_nothing_leaks) {
    lam_schema *schema = path_schema(EVENT);
    lam_filter *filter = path_filter(schema, "v.c = 5 and v.b = 6 or v.a is null");
    static const bool tests[3] = {true, true, true};
    lam_status status = LAM_STATUS_NOMEM;
    lam_shredder *shredder;
    size_t nth = 1;
    cr_assert_eq(lam_shredder_create(schema, NULL, &shredder, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_shredder_sink(shredder);
    cr_assert_eq(tell_fields(schema, &sink,
                             "v: {" AB " value: x02010100020C07, typed_value: {a: {value: x00},"
                             " b: {value: x0C06}}},",
                             NULL),
                 LAM_STATUS_OK);
    for (; status != LAM_STATUS_OK; nth++) {
        lam_failing_alloc failing = {.fail_at = nth};
        lam_allocator allocator = lam_failing_allocator(&failing);
        uint8_t outcomes[3] = {0};
        uint8_t *of_tests[3] = {&outcomes[0], &outcomes[1], &outcomes[2]};
        status = walk_columns(filter, tests, shredder, NULL, &allocator, of_tests, NULL);
        if (status == LAM_STATUS_OK)
            cr_expect(outcomes[1] == LAM_OUTCOME_TRUE && outcomes[2] == LAM_OUTCOME_TRUE);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert_eq(failing.live_bytes, 0);
        cr_assert_eq(failing.wrong_sizes, 0);
    }
    cr_expect_gt(nth, 4, "%zu", nth);
    lam_shredder_destroy(shredder);
    lam_filter_destroy(filter);
    lam_schema_destroy(schema);
}

/* Values of typed_value are tested in memory of their own. A failure needs no place for words. */
Test(filter_path_walk, memory_for_the_values_of_a_column_may_run_out) {
    lam_schema *schema = path_schema(EVENT);
    static const char *const words[] = {"v: {" AB " typed_value: {a: {typed_value: 5}, b: {}}},",
                                        "v: {" AB " typed_value: {a: {value: x18}, b: {}}},"};
    static const lam_status last[] = {LAM_STATUS_OK, LAM_STATUS_CORRUPT};
    static const bool test = true;
    for (size_t i = 0; i < 2; i++) {
        lam_filter *filter = path_filter(schema, "v.a = 5");
        lam_shredder *shredder;
        lam_status status = LAM_STATUS_NOMEM;
        uint8_t outcome = 9, *of_tests[1] = {&outcome};
        cr_assert_eq(lam_shredder_create(schema, NULL, &shredder, NULL), LAM_STATUS_OK);
        lam_record_sink sink = lam_shredder_sink(shredder);
        cr_assert_eq(tell_fields(schema, &sink, words[i], NULL), LAM_STATUS_OK);
        for (size_t nth = 1; status == LAM_STATUS_NOMEM; nth++) {
            lam_failing_alloc failing = {.fail_at = nth};
            lam_allocator allocator = lam_failing_allocator(&failing);
            status = walk_columns(filter, &test, shredder, NULL, &allocator, of_tests, NULL);
            cr_assert_eq(failing.live_bytes, 0);
        }
        cr_expect_eq(status, last[i]);
        cr_expect_eq(outcome, i == 0 ? LAM_OUTCOME_TRUE : LAM_OUTCOME_FALSE);
        lam_shredder_destroy(shredder);
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}

Test(filter_path_walk, metadata_are_needed_where_names_are) {
    static const char text[] = "message m { optional group v (VARIANT) { optional binary metadata;"
                               "optional binary value; } }";
    lam_schema *schema = path_schema(text);
    uint8_t outcome = 9;
    lam_error error = lam_error_none();
    cr_expect_eq(match(schema, "v.c = 5", "v: {value: x02010000020C07},", &outcome, &error),
                 LAM_STATUS_CORRUPT);
    cr_expect_str_eq(error.message, "v.metadata: variant: no metadata", "%s", error.message);
    cr_expect_eq(match(schema, "v = 7", "v: {value: x0C07},", &outcome, &error), LAM_STATUS_OK);
    cr_expect_eq(outcome, LAM_OUTCOME_TRUE);
    lam_schema_destroy(schema);
}

/* --- Columns that contradict each other ------------------------------------------------------ */

/* Levels of two columns as digits: of the leading one, and of the residual. */
typedef struct level_pair {
    const char *typed_r, *typed_d, *value_r, *value_d;
} level_pair;

/* Gives a batch, unless this is the read that fails. */
typedef struct failing_column {
    column_batches batches;
    size_t *reads, fail_at;
} failing_column;

static lam_status read_failing(void *state, lam_triples *ret_triples, lam_error *error) {
    failing_column *column = state;
    if (++*column->reads == column->fail_at)
        LAM_FAIL(error, LAM_STATUS_IO, "read %zu fails", column->fail_at);
    return next_batch(&column->batches, ret_triples, error);
}

static lam_status walk_levels(const lam_filter *filter, const level_pair *given, size_t count,
                              size_t fail_at, size_t *ret_rows, lam_error *error) {
    const char *levels[2][2] = {{given->typed_r, given->typed_d}, {given->value_r, given->value_d}};
    static const bool test = true;
    static const int64_t values[4] = {5, 5, 5, 5};
    lam_allocator allocator = lam_allocator_default();
    uint8_t bytes[2][2][4], outcomes[2];
    uint8_t *of_tests[1] = {outcomes};
    failing_column columns[2];
    lam_path_walk *walk;
    size_t reads = 0;
    cr_assert_eq(lam_path_walk_create(filter, &test, &allocator, &walk, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_path_walk_column_count(walk), 2);
    for (size_t column = 0; column < 2; column++) {
        size_t triples = strlen(levels[column][0]);
        for (size_t k = 0; k < triples; k++)
            for (size_t kind = 0; kind < 2; kind++)
                bytes[column][kind][k] = (uint8_t)(levels[column][kind][k] - '0');
        columns[column] = (failing_column){
            {{.count = triples}, lam_path_walk_leaf(walk, column), NULL, 0, 0}, &reads, fail_at};
        columns[column].batches.all.repetition = bytes[column][0];
        columns[column].batches.all.definition = bytes[column][1];
        columns[column].batches.all.values = column == 0 ? values : NULL;
        lam_path_walk_set_source(walk, column, (lam_triple_source){&columns[column], read_failing});
    }
    lam_status status = lam_path_walk_rows(walk, count, of_tests, ret_rows, error);
    lam_path_walk_destroy(walk);
    return status;
}

Test(filter_path_walk, columns_that_no_record_shreds_to_are_refused) {
    /* Levels of v.b's elements (r at most 1, d at most 5), for v.b[] = 5. */
    static const struct {
        level_pair levels;
        const char *message;
    } cases[] = {
        {{"00", "44", "00", "44"}, NULL},
        {{"01", "44", "01", "44"}, NULL},
        {{"00", "44", "0", "4"},
         "v.typed_value.b.typed_value.list.element.value: "
         "the column ends before the others"},
        {{"0", "4", "00", "44"},
         "v.typed_value.b.typed_value.list.element.value: "
         "the column continues after others have ended"},
        {{"00", "44", "01", "44"},
         "v.typed_value.b.typed_value.list.element.typed_value: "
         "repetition level 0 where the record needs 1"},
        {{"00", "44", "00", "43"},
         "v.typed_value.b.typed_value.list.element.typed_value: "
         "definition level 4 contradicts the columns before"},
        {{"1", "4", "1", "4"},
         "v.typed_value.b.typed_value.list.element.typed_value: "
         "repetition level 1 where the record needs 0"},
        {{"01", "34", "01", "34"},
         "v.typed_value.b.typed_value.list.element.typed_value: "
         "another element of a list that is empty"},
        {{"01", "43", "01", "43"},
         "v.typed_value.b.typed_value.list.element.typed_value: "
         "another element of a list that is empty"},
    };
    lam_schema *schema = path_schema(EVENT);
    lam_filter *filter = path_filter(schema, "v.b[] = 5");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t rows = 9;
        lam_error error = lam_error_none();
        lam_status status = walk_levels(filter, &cases[i].levels, 2, 0, &rows, &error);
        cr_expect_eq(status, cases[i].message == NULL ? LAM_STATUS_OK : LAM_STATUS_CORRUPT,
                     "case %zu", i);
        cr_expect_str_eq(error.message, cases[i].message == NULL ? "" : cases[i].message, "%s",
                         error.message);
        if (cases[i].message == NULL)
            cr_expect_eq(rows, 2 - i, "case %zu", i);
    }
    lam_filter_destroy(filter);
    lam_schema_destroy(schema);
}

/* The later column in the schema is blamed, whichever of them leads. */
Test(filter_path_walk, a_residual_behind_typed_value_is_the_one_that_contradicts) {
    static const char behind[] =
        "message m { optional group v (VARIANT) { required binary metadata;"
        "optional group typed_value { required group a { optional int64 typed_value;"
        "optional binary value; } } optional binary value; } }";
    static const level_pair levels = {"0", "2", "0", "1"};
    lam_schema *schema = path_schema(behind);
    lam_filter *filter = path_filter(schema, "v.a = 5");
    size_t rows;
    lam_error error = lam_error_none();
    cr_expect_eq(walk_levels(filter, &levels, 1, 0, &rows, &error), LAM_STATUS_CORRUPT);
    cr_expect_str_eq(error.message, "v.typed_value.a.value: "
                                    "definition level 1 contradicts the columns before");
    lam_filter_destroy(filter);
    lam_schema_destroy(schema);
}

Test(filter_path_walk, sources_may_fail_and_give_no_more_records_than_were_asked_for) {
    static const level_pair levels = {"01", "55", "01", "44"};
    lam_schema *schema = path_schema(EVENT);
    lam_filter *filter = path_filter(schema, "v.b[] = 5");
    lam_status status = LAM_STATUS_IO;
    size_t rows = 9, fail_at = 1;
    lam_error error = lam_error_none();
    for (; status == LAM_STATUS_IO; fail_at++)
        status = walk_levels(filter, &levels, 1, fail_at, &rows, &error);
    cr_expect_eq(status, LAM_STATUS_OK);
    cr_expect_eq(rows, 1);
    cr_expect_eq(fail_at, 6, "two batches and two ends were read");
    cr_expect_eq(walk_levels(filter, &levels, 0, 0, &rows, &error), LAM_STATUS_STATE);
    cr_expect_str_eq(error.message, "a source gives more than 0 records");
    lam_filter_destroy(filter);
    lam_schema_destroy(schema);
}

/* --- Random conditions ----------------------------------------------------------------------- */

enum { RANDOM_RECORDS = 20, RANDOM_CONDITIONS = 20 };

static void try_condition(uint64_t seed, variant_table *table, const lam_shredder *shredder,
                          size_t tallies[3]) {
    static table_condition made;
    static const bool tests[TABLE_TESTS] = {true, true, true, true};
    uint8_t outcomes[TABLE_TESTS][RANDOM_RECORDS], stack[TABLE_TESTS * RANDOM_RECORDS];
    uint8_t *of_tests[TABLE_TESTS];
    lam_error error = lam_error_none();
    lam_filter *filter = variant_table_condition(table, false, &made);
    for (size_t i = 0; i < TABLE_TESTS; i++)
        of_tests[i] = outcomes[i];
    cr_assert_leq(filter->test_count, TABLE_TESTS);
    lam_status status =
        walk_columns(filter, tests, shredder, table->random, NULL, of_tests, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "seed %llu: %s", (unsigned long long)seed, error.message);
    lam_filter_run(filter, (const uint8_t *const *)of_tests, RANDOM_RECORDS, stack);
    for (size_t i = 0; i < RANDOM_RECORDS; i++) {
        if (stack[i] != made.outcomes[i])
            variant_table_describe(seed, table, &made);
        cr_assert_eq(stack[i], made.outcomes[i], "seed %llu, record %zu: %d, not %d",
                     (unsigned long long)seed, i, stack[i], made.outcomes[i]);
        tallies[stack[i]]++;
    }
    free(made.outcomes);
    lam_filter_destroy(filter);
}

/* Layouts of any depth, values that fit them or not, batches that end anywhere. */
Test(filter_path_walk, outcomes_are_those_of_whole_values, .timeout = 240) {
    uint64_t seed = lam_test_seed(20261123);
    size_t tallies[3] = {0};
    const char *rounds = getenv("LAMELLA_ROUNDS");
    for (uint64_t end = seed + (rounds == NULL ? 500 : strtoul(rounds, NULL, 10)); seed < end;
         seed++) {
        lam_random random = lam_random_start(seed);
        lam_schema *schema = lam_random_nested_shredding(&random, 100);
        lam_shredder *shredder;
        variant_table table;
        cr_assert_eq(lam_shredder_create(schema, NULL, &shredder, NULL), LAM_STATUS_OK);
        variant_table_write(&table, &random, schema, lam_shredder_sink(shredder), RANDOM_RECORDS,
                            40);
        for (int k = 0; k < RANDOM_CONDITIONS; k++)
            try_condition(seed, &table, shredder, tallies);
        variant_table_finish(&table);
        lam_shredder_destroy(shredder);
        lam_schema_destroy(schema);
    }
    for (int i = 0; i < 3 && rounds == NULL; i++)
        cr_expect_gt(tallies[i], 10000, "outcome %d: %zu", i, tallies[i]);
}
