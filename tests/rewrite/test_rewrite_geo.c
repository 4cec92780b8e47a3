/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of the key-value "geo" where an output has some of the columns. */
#include <criterion/criterion.h>
#include <string.h>

#include "rewrite/rows/rewrite_geo.h"
#include "support/failing_alloc.h"
#include "support/test_file.h"

TestSuite(rewrite_geo);

static const char ALL[] =
    "message m { optional binary a; optional binary b; optional binary \"c\\\"d\";"
    " optional group box { optional double xmin; optional double xmax; } }";

static lam_bytes bytes_of(const char *text) {
    return (lam_bytes){(const uint8_t *)text, strlen(text)};
}

/* Cuts single quotation marks, as double ones, and compares. "" is nothing. */
static void check_cut(const char *given, const char *output, const char *wanted) {
    char value[500], cut[500];
    lam_schema *from = lam_test_parse(ALL), *file = lam_test_parse(output);
    lam_allocator heap = lam_allocator_default();
    lam_arena arena;
    lam_bytes result;
    lam_arena_init(&arena, &heap, 0);
    strcpy(value, given);
    for (char *mark; (mark = strchr(value, '\'')) != NULL;)
        *mark = '"';
    cr_assert_eq(lam_rewrite_cut_geo(bytes_of(value), from, file, &arena, &result, NULL),
                 LAM_STATUS_OK);
    cr_assert_lt(result.size, sizeof cut);
    if (result.size > 0)
        memcpy(cut, result.data, result.size);
    cut[result.size] = '\0';
    for (char *mark; (mark = strchr(cut, '"')) != NULL;)
        *mark = '\'';
    cr_expect_str_eq(cut, wanted, "%s, %s: %s", given, output, cut);
    lam_arena_finish(&arena);
    lam_schema_destroy(from);
    lam_schema_destroy(file);
}

#define GIVEN                                                                                      \
    "{'version': '1.1.0', 'primary_column': 'a', 'columns': {'a': {'encoding': 'WKB'}, 'b': "      \
    "{'encoding': 'WKB', 'covering': {'bbox': {'xmin': ['box', 'xmin'], 'xmax': ['box', "          \
    "'xmax']}}, 'crs': null}}}"
#define BOX " optional group box { optional double xmin; optional double xmax; } "

Test(rewrite_geo, columns_that_are_gone_are_not_named) {
    check_cut(GIVEN, "message m { optional binary a; }",
              "{'version':'1.1.0','primary_column':'a','columns':{'a':{'encoding': 'WKB'}}}");
    check_cut(GIVEN, "message m { optional binary b; " BOX "}",
              "{'version':'1.1.0','primary_column':'b','columns':{'b':{'encoding': 'WKB', "
              "'covering': {'bbox': {'xmin': ['box', 'xmin'], 'xmax': ['box', 'xmax']}}, 'crs': "
              "null}}}");
    check_cut(GIVEN, "message m { optional binary \"c\\\"d\"; " BOX "}", "");
}

Test(rewrite_geo, a_covering_needs_all_of_its_columns_as_they_were) {
    static const char *const boxes[] = {
        "",
        "optional group box { optional double xmin; }",
        "optional group box { optional double xmin; optional float xmax; }",
        "optional double box;",
    };
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        char output[200] = "message m { optional binary b; ";
        strcat(strcat(output, boxes[i]), " }");
        check_cut(GIVEN, output,
                  "{'version':'1.1.0','primary_column':'b','columns':{'b':{'encoding':'WKB','crs':"
                  "null}}}");
    }
}

Test(rewrite_geo, a_column_of_another_type_is_another_column) {
    check_cut(GIVEN, "message m { required binary a; optional binary b (STRING); }", "");
}

Test(rewrite_geo, names_are_compared_without_their_escapes) {
    check_cut("{'columns':{'\\u0061':{},'c\\u0022d':{}}}", "message m { optional binary a; }",
              "{'columns':{'\\u0061':{}}}");
    check_cut("{'columns':{'a':{},'c\\u0022d':{}}}", "message m { optional binary \"c\\\"d\"; }",
              "{'columns':{'c\\u0022d':{}}}");
}

Test(rewrite_geo, what_is_not_as_the_format_has_it_goes) {
    static const char *const values[] = {
        "",
        "x",
        "[]",
        "{}",
        "{'columns':[]}",
        "{'columns':{}}",
        "{'columns':{'a':{}},'columns':{'a':{}}}",
        "{'columns':{'a':{}}} ,",
        "{'columns':{'z':{}}}",
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        check_cut(values[i], "message m { optional binary a; }", "");
    static const char *const coverings[] = {"[]",
                                            "1",
                                            "{'bbox':[]}",
                                            "{'bbox':{'xmin':'a'}}",
                                            "{'bbox':{'xmin':[]}}",
                                            "{'bbox':{'xmin':[1]}}",
                                            "{'bbox':{'xmin':['a',1]}}",
                                            "{'bbox':{'xmin':['a','b']}}",
                                            "{},'covering':{}"};
    for (size_t i = 0; i < sizeof coverings / sizeof *coverings; i++) {
        char value[200] = "{'columns':{'a':{'covering':";
        strcat(strcat(value, coverings[i]), "}}}");
        check_cut(value, "message m { optional binary a; }", "{'columns':{'a':{}}}");
    }
}

Test(rewrite_geo, any_allocation_may_fail) {
    lam_schema *from = lam_test_parse(ALL),
               *file = lam_test_parse("message m { optional binary b; }");
    const lam_bytes given = bytes_of("{\"primary_column\":\"a\",\"columns\":{\"a\":{},\"b\":"
                                     "{\"covering\":{\"x\":{\"y\":[\"q\"]}},\"crs\":1}}}");
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t at = 1; status == LAM_STATUS_NOMEM; at++) {
        lam_failing_alloc counter = {.fail_at = at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_arena arena;
        lam_bytes result = {NULL, 0};
        lam_arena_init(&arena, &allocator, 0);
        status = lam_rewrite_cut_geo(given, from, file, &arena, &result, NULL);
        cr_assert_eq(result.size > 0, status == LAM_STATUS_OK);
        lam_arena_finish(&arena);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_lt(at, 100);
    }
    cr_assert_eq(status, LAM_STATUS_OK);
    lam_schema_destroy(from);
    lam_schema_destroy(file);
}
