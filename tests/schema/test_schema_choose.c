/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas of some of the leaves of another one, copies of fields, and whether two are alike. */
#include "schema/schema_choose.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_alloc.h"
#include "support/test_file.h"

static char *schema_text(const lam_schema *schema) {
    const size_t size = lam_schema_print(schema, NULL, 0);
    char *text = malloc(size + 1);
    lam_schema_print(schema, text, size + 1);
    return text;
}

#define NESTED                                                                                     \
    "message m { required int32 a; optional group g { required int32 b; repeated int32 c; }"       \
    " optional group l (LIST) { repeated group list { optional int32 element; } }"                 \
    " optional group p (MAP) { repeated group key_value { required int32 key; optional int32 "     \
    "value; } } }"

static const struct {
    const char *leaves; /* a digit for each */
    const char *expected;
} choose_cases[] = {
    {"111111", NESTED},
    {"100000", "message m { required int32 a; }"},
    {"010000", "message m { optional group g { required int32 b; } }"},
    {"001000", "message m { optional group g { repeated int32 c; } }"},
    {"000100",
     "message m { optional group l (LIST) { repeated group list { optional int32 element; } } }"},
    {"000010",
     "message m { optional group p { repeated group key_value { required int32 key; } } }"},
    {"000000", "message m { }"},
};

Test(schema_choose, a_schema_of_some_leaves_has_the_groups_around_them) {
    for (size_t i = 0; i < sizeof choose_cases / sizeof *choose_cases; i++) {
        lam_schema *schema = lam_test_schema(NESTED), *chosen, *expected;
        bool leaves[6];
        for (size_t k = 0; k < 6; k++)
            leaves[k] = choose_cases[i].leaves[k] == '1';
        cr_assert_eq(lam_schema_choose(schema, leaves, NULL, &chosen, NULL), LAM_STATUS_OK);
        expected = lam_test_schema(choose_cases[i].expected);
        char *found = schema_text(chosen), *text = schema_text(expected);
        cr_expect_str_eq(found, text, "%s: %s", choose_cases[i].leaves, found);
        cr_expect_eq(chosen == schema, i == 0, "a whole schema is shared");
        free(found);
        free(text);
        lam_schema_destroy(expected);
        lam_schema_destroy(chosen);
        lam_schema_destroy(schema);
    }
}

static const struct {
    const char *a, *b;
    bool is_same;
} shape_cases[] = {
    {"message m { required int32 a; }", "message other { required int32 a; }", true},
    {"message m { required int32 a; }", "message m { required int32 a = 7; }", true},
    {"message m { required int32 a; }", "message m { required int32 b; }", false},
    {"message m { required int32 a; }", "message m { optional int32 a; }", false},
    {"message m { required int32 a; }", "message m { required int64 a; }", false},
    {"message m { required int32 a; }", "message m { required int32 a (DATE); }", false},
    {"message m { required fixed(3) a; }", "message m { required fixed(4) a; }", false},
    {"message m { required int32 a; }", "message m { required int32 a; required int32 b; }", false},
    {"message m { required group g { required int32 a; } }",
     "message m { required group g { required int32 a; } }", true},
    {"message m { required group g { required int32 a; } }",
     "message m { required group g { required int64 a; } }", false},
};

Test(schema_choose, rows_of_one_shape_need_no_change) {
    for (size_t i = 0; i < sizeof shape_cases / sizeof *shape_cases; i++) {
        lam_schema *a = lam_test_schema(shape_cases[i].a), *b = lam_test_schema(shape_cases[i].b);
        cr_expect_eq(lam_schema_same_shape(a, b), shape_cases[i].is_same, "%s and %s",
                     shape_cases[i].a, shape_cases[i].b);
        cr_expect_eq(lam_schema_same_shape(b, a), shape_cases[i].is_same, "%s and %s",
                     shape_cases[i].b, shape_cases[i].a);
        lam_schema_destroy(a);
        lam_schema_destroy(b);
    }
}

Test(schema_choose, each_allocation_may_fail_and_nothing_leaks) {
    lam_schema *schema = lam_test_schema(NESTED), *chosen;
    const bool leaves[6] = {true, false, true, true, false, true};
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc failing = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&failing);
        chosen = NULL;
        status = lam_schema_choose(schema, leaves, &allocator, &chosen, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        lam_schema_destroy(chosen);
        cr_assert_eq(failing.live_bytes, 0);
    }
    lam_schema_destroy(schema);
}
