/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leaves whose texts are marked as JSON of any form: they are checked and printed without white
 * space, and leaves without the mark stay strings.
 */
#include "json_help.h"
#include "scarce_memory.h"
#include "json/value/json_free.h"

Test(json_free, marks_are_parsed) {
    lam_schema *schema = fields_of("optional binary a (JSON); optional binary b (STRING); "
                                   "optional binary c (JSON); optional int32 d;");
    bool back[4];
    lam_json_free_parse(schema, "0 2", 3, back);
    cr_expect(back[0] && !back[1] && back[2] && !back[3]);
    static const char hostile[] = "1 3 2 4 99999999999999999999 -1 x  2";
    lam_json_free_parse(schema, hostile, strlen(hostile), back);
    cr_expect(!back[0] && !back[1] && back[2] && !back[3]);
    lam_json_free_parse(schema, "", 0, back);
    cr_expect(!back[0] && !back[2]);
    lam_schema_destroy(schema);
}

Test(json_free, texts_are_checked_and_compacted) {
    static const struct {
        const char *json;
        const char *expected;
    } cases[] = {{"1", "1"},         {" { \"a b\" : [ ] } ", "{\"a b\":[]}"},
                 {"\"x\"", "\"x\""}, {"", NULL},
                 {"{", NULL},        {"1 2", NULL},
                 {"\xFF", NULL},     {"\n", NULL}};
    lam_allocator allocator = lam_allocator_default();
    lam_json_free_parser parser;
    lam_buffer text;
    lam_json_free_parser_init(&parser, &allocator);
    lam_buffer_init(&text, &allocator);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_bytes json = {(const uint8_t *)cases[i].json, strlen(cases[i].json)};
        lam_buffer_clear(&text);
        lam_status status = lam_json_free_append(&parser, json, &text, NULL);
        if (cases[i].expected == NULL) {
            cr_expect_eq(status, LAM_STATUS_INVALID, "%s", cases[i].json);
            continue;
        }
        cr_expect_eq(status, LAM_STATUS_OK, "%s", cases[i].json);
        cr_expect_eq(text.size, strlen(cases[i].expected));
        cr_expect_eq(memcmp(text.data, cases[i].expected, text.size), 0);
    }
    lam_json_free_parser_finish(&parser);
    lam_buffer_finish(&text);
}

Test(json_free, leaves_that_are_not_marked_are_strings) {
    static const char json[] = "{\"a\":\"[1, 2]\",\"b\":\"null\"}";
    lam_schema *schema = fields_of("optional binary a (JSON); required binary b (JSON);");
    lam_json_writer_options writing = lam_json_writer_options_default();
    bool marks[2] = {true, true};
    lam_error error;
    writing.free_leaves = marks;
    char *copy = copy_json(schema, json, NULL, &writing, &error);
    cr_assert_not_null(copy, "%s", error.message);
    cr_expect_str_eq(copy, "{\"a\":[1,2],\"b\":null}\n");
    free(copy);
    copy = copy_json(schema, json, NULL, NULL, &error);
    cr_expect_str_eq(copy, "{\"a\":\"[1, 2]\",\"b\":\"null\"}\n");
    free(copy);
    copy = copy_json(schema, "{\"a\":\"[1\",\"b\":\"2\"}", NULL, &writing, &error);
    cr_expect_null(copy);
    cr_expect_str_eq(error.message, "line 1: a: not the text of a JSON value, but of 2 bytes");
    lam_schema_destroy(schema);
}

static lam_status append_free(void *state, const lam_allocator *allocator, lam_error *error) {
    const lam_bytes *json = state;
    lam_json_free_parser parser;
    lam_buffer text;
    lam_json_free_parser_init(&parser, allocator);
    lam_buffer_init(&text, allocator);
    lam_status status = lam_json_free_append(&parser, *json, &text, error);
    cr_assert(status != LAM_STATUS_OK || text.size == 7, "[10,{}]");
    lam_buffer_finish(&text);
    lam_json_free_parser_finish(&parser);
    return status;
}

Test(json_free, memory_that_is_refused_is_reported) {
    lam_bytes json = {(const uint8_t *)" [10, {}] ", 10};
    run_without_each(append_free, &json, 100);
    run_within_budgets(append_free, &json, 1000);
}

Test(json_free, marks_on_leaves_that_hold_no_json_do_not_count) {
    static const bool marks[] = {true, true, true};
    lam_schema *schema = fields_of("required binary a (STRING); required int32 b;"
                                   " required binary c (JSON);");
    lam_json_writer_options writing = lam_json_writer_options_default();
    lam_error error;
    writing.free_leaves = marks;
    char *copy =
        copy_json(schema, "{\"a\":\"[1 ]\",\"b\":7,\"c\":\"[1 ]\"}", NULL, &writing, &error);
    cr_assert_not_null(copy, "%s", error.message);
    cr_expect_str_eq(copy, "{\"a\":\"[1 ]\",\"b\":7,\"c\":[1]}\n");
    free(copy);
    lam_schema_destroy(schema);
}
