/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What inference tells of clashes and of fields that it gave up on, with the values that show it.
 */
#include "infer_help.h"
#include "json/inference_info.h"

static lam_json_inference *inference_of(const lam_json_inference_options *options,
                                        const char *const *texts, size_t count) {
    lam_json_inference *inference;
    lam_schema *schema;
    cr_assert_eq(lam_json_inference_create(options, NULL, &inference, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_test_json_info(inference).notice_count, 0);
    for (size_t i = 0; i < count; i++) {
        lam_bytes left = {(const uint8_t *)texts[i], strlen(texts[i])};
        lam_json_source source = lam_json_source_memory(&left);
        cr_assert_eq(lam_json_inference_add(inference, &source, NULL), LAM_STATUS_OK);
    }
    /* Twice, as a second schema has the same notices. */
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(lam_json_inference_schema(inference, "m", &schema, NULL), LAM_STATUS_OK);
        lam_schema_destroy(schema);
    }
    return inference;
}

static lam_json_notice notice_at(const lam_json_inference *inference, size_t index) {
    lam_json_notice notice = lam_json_notice_default();
    cr_assert_eq(lam_json_inference_notice(inference, index, &notice, NULL), LAM_STATUS_OK);
    return notice;
}

static void expect_clash(const lam_json_inference *inference, size_t index, const char *path,
                         const char *first, uint64_t first_line, size_t first_source,
                         const char *second, uint64_t second_line, size_t second_source) {
    lam_json_notice notice = notice_at(inference, index);
    cr_expect_eq(notice.kind, LAM_JSON_NOTICE_CLASH);
    cr_expect_str_eq(notice.path, path);
    cr_expect_str_eq(notice.values[0], first);
    cr_expect_str_eq(notice.values[1], second);
    cr_expect_eq(notice.lines[0], first_line);
    cr_expect_eq(notice.lines[1], second_line);
    cr_expect_eq(notice.sources[0], first_source);
    cr_expect_eq(notice.sources[1], second_source);
}

Test(json_infer_notice, a_clash_has_the_first_value_and_the_first_that_does_not_go_with_it) {
    static const char *const texts[] = {
        "{\"a\":null,\"b\":1}\n\n{\"a\":1,\"t\":[1,2]}\n{\"a\":2.5}\n{\"a\":true}\n{\"a\":\"x\"}\n",
        "[{\"b\":2},\n{\"b\":{\"c\":1},\n\"t\":[null,\"x\"]}]",
    };
    lam_json_inference *inference = inference_of(NULL, texts, 2);
    cr_assert_eq(lam_test_json_info(inference).notice_count, 3);
    expect_clash(inference, 0, "a", "a number", 3, 0, "true", 5, 0);
    expect_clash(inference, 1, "b", "a number", 1, 0, "an object", 2, 1);
    expect_clash(inference, 2, "t.list.element", "a number", 3, 0, "a string", 2, 1);
    lam_json_notice notice = lam_json_notice_default();
    cr_expect_eq(lam_json_inference_notice(inference, 3, &notice, NULL), LAM_STATUS_INVALID);
    cr_expect_not(lam_test_json_info(inference).values_as_text);
    lam_json_inference_destroy(inference);
}

Test(json_infer_notice, what_is_no_clash_has_none) {
    static const char *const texts[] = {
        "{\"a\":1,\"b\":9007199254740992,\"c\":{},\"d\":[],\"e\":\"2024-01-01\",\"f\":1}\n"
        "{\"a\":1.5,\"b\":0.5,\"c\":{\"x\":1},\"d\":[1],\"e\":\"x\",\"f\":\"x\",\"g\":{\"h\":1}}\n"
        "{\"g\":[]}\n{\"g\":{\"h\":\"x\"}}"};
    static const char *const variants[] = {"f"};
    lam_json_inference_options options = lam_json_inference_options_default();
    options.variants = variants;
    options.variant_count = 1;
    /* g clashes, and then what is inside of it is no field. */
    lam_json_inference *inference = inference_of(&options, texts, 1);
    cr_assert_eq(lam_test_json_info(inference).notice_count, 1);
    expect_clash(inference, 0, "g", "an object", 2, 0, "an array", 3, 0);
    lam_json_inference_destroy(inference);
}

/* One kind of value, and yet no type: what becomes a VARIANT without a clash. */
Test(json_infer_notice, fields_that_no_type_holds_are_told) {
    static const struct {
        const char *text, *path;
        lam_json_notice_kind kind;
        uint64_t line;
    } cases[] = {
        {"{\"a\":null}\n{\"a\":{}}\n{\"a\":{}}", "a", LAM_JSON_NOTICE_EMPTY, 2},
        {"{\"a\":[{}]}", "a.list.element", LAM_JSON_NOTICE_EMPTY, 1},
        {"{\"a\":123456789012345678901234567890}\n{\"a\":0.1}", "a", LAM_JSON_NOTICE_NUMBERS, 1},
        {"{\"a\":9007199254740993}\n{\"a\":0.5}", "a", LAM_JSON_NOTICE_NUMBERS, 1},
        {"{\"a\":1e400}", "a", LAM_JSON_NOTICE_NUMBERS, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_json_inference *inference = inference_of(NULL, &cases[i].text, 1);
        cr_assert_eq(lam_test_json_info(inference).notice_count, 1, "%s", cases[i].text);
        lam_json_notice notice = notice_at(inference, 0);
        cr_expect_eq(notice.kind, cases[i].kind, "%s", cases[i].text);
        cr_expect_str_eq(notice.path, cases[i].path);
        cr_expect_eq(notice.lines[0], cases[i].line);
        cr_expect_not(lam_test_json_info(inference).values_as_text);
        lam_json_inference_destroy(inference);
    }
}

Test(json_infer_notice, a_long_array_in_the_only_record_is_told) {
    static const char *const texts[] = {
        "{\"a\":[{\"x\":1},{\"x\":1},{\"x\":1},{\"x\":1},{\"x\":1},{\"x\":1},{\"x\":1},{\"x\":1},{"
        "\"x\":1}],"
        "\"b\":{\"c\":[{\"x\":[{\"y\":1},{\"y\":2}]},{\"x\":[]},{\"z\":1},{\"z\":1},{\"z\":1},{"
        "\"z\":1},"
        "{\"z\":1},{\"z\":1},{\"z\":1},{\"z\":1},{\"z\":1}]},\"d\":[1,2,3,4,5,6,7,8,9,10,11,12]}",
        "{\"a\":[{\"x\":1}]}"};
    lam_json_inference *inference = inference_of(NULL, texts, 1);
    cr_assert_eq(lam_test_json_info(inference).notice_count, 1);
    lam_json_notice notice = notice_at(inference, 0);
    cr_expect_eq(notice.kind, LAM_JSON_NOTICE_ARRAY);
    cr_expect_str_eq(notice.path, "b.c");
    cr_expect_eq(notice.count, 11);
    lam_json_inference_destroy(inference);
    inference = inference_of(NULL, texts, 2);
    cr_expect_eq(lam_test_json_info(inference).notice_count, 0);
    lam_json_inference_destroy(inference);
}

Test(json_infer_notice, records_of_one_line_have_numbers) {
    static const char *const texts[] = {"{}\n", "[{\"a\":1},{\"a\":2},{\"b\":1},{\"a\":\"x\"}]"};
    lam_json_inference *inference = inference_of(NULL, texts, 2);
    cr_assert_eq(lam_test_json_info(inference).notice_count, 1);
    lam_json_notice notice = notice_at(inference, 0);
    cr_expect(notice.records[0] == 1 && notice.records[1] == 4);
    cr_expect(notice.lines[0] == 1 && notice.lines[1] == 1 && notice.sources[1] == 1);
    lam_json_inference_destroy(inference);
}

Test(json_infer_notice, values_become_text_where_a_field_is_a_string_for_that) {
    static const char *const texts[] = {"{\"a\":1}{\"a\":\"x\"}"};
    lam_json_inference_options options = lam_json_inference_options_default();
    options.on_clash = LAM_CLASH_STRING;
    lam_json_inference *inference = inference_of(&options, texts, 1);
    cr_expect(lam_test_json_info(inference).values_as_text);
    cr_expect_not(lam_test_json_info(inference).whole_records);
    lam_json_inference_destroy(inference);
    static const char *const same[] = {"{\"a\":1}{\"a\":2}"};
    inference = inference_of(&options, same, 1);
    cr_expect_not(lam_test_json_info(inference).values_as_text);
    lam_json_inference_destroy(inference);
    lam_json_column column;
    memset(&column, 0, sizeof column);
    column.path = "a";
    column.type = LAM_PHYSICAL_BYTE_ARRAY;
    options.on_clash = LAM_CLASH_VARIANT;
    options.columns = &column;
    options.column_count = 1;
    static const lam_logical_kind kinds[] = {LAM_LOGICAL_STRING, LAM_LOGICAL_JSON,
                                             LAM_LOGICAL_NONE};
    for (size_t i = 0; i < 3; i++) {
        column.options.logical_type.kind = kinds[i];
        inference = inference_of(&options, same, 1);
        cr_expect_eq(lam_test_json_info(inference).values_as_text, i < 2, "%zu", i);
        lam_json_inference_destroy(inference);
    }
}

Test(json_infer_notice, fields_beyond_the_limit_are_named) {
    char *text = malloc(1 << 20);
    size_t size = 0;
    const char *const *texts = (const char *const *)&text;
    lam_json_inference_options options = lam_json_inference_options_default();
    options.max_fields = 100;
    for (int i = 0; i < 300; i++)
        size += (size_t)sprintf(text + size,
                                "{\"id\":1,\"m\":{\"k%d\":%d},\"v\":{\"k%d\":%s,\"x\":0}}\n", i, i,
                                i, i % 2 == 0 ? "1" : "\"x\"");
    lam_json_inference *inference = inference_of(&options, texts, 1);
    cr_assert_eq(lam_test_json_info(inference).notice_count, 2);
    cr_expect_str_eq(notice_at(inference, 0).path, "m");
    cr_expect_eq(notice_at(inference, 0).kind, LAM_JSON_NOTICE_MAP);
    cr_expect_str_eq(notice_at(inference, 1).path, "v");
    cr_expect_eq(notice_at(inference, 1).kind, LAM_JSON_NOTICE_VARIANT);
    cr_expect_null(notice_at(inference, 1).values[0]);
    lam_json_inference_destroy(inference);
    size = 0;
    for (int i = 0; i < 300; i++)
        size += (size_t)sprintf(text + size, "{\"k%d\":{\"x\":1}}\n", i);
    inference = inference_of(&options, texts, 1);
    cr_assert_eq(lam_test_json_info(inference).notice_count, 1);
    cr_expect_eq(notice_at(inference, 0).kind, LAM_JSON_NOTICE_RECORDS);
    cr_expect_str_eq(notice_at(inference, 0).path, "");
    cr_expect(lam_test_json_info(inference).whole_records);
    lam_json_inference_destroy(inference);
    free(text);
}
