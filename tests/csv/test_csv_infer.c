/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schema from the samples of delimited texts: delimiters, headers, encodings, cut samples and
 * notices.
 */
#include "csv/inference_info_csv.h"
#include "csv_help.h"
#include "support/failing_alloc.h"

static void expect_of_two(const char *first, const char *second, const char *expected) {
    lam_csv_inference *inference;
    lam_schema *schema;
    lam_error error = lam_error_none();
    char printed[4096];
    const char *texts[] = {first, second};
    cr_assert_eq(lam_csv_inference_create(NULL, NULL, &inference, &error), LAM_STATUS_OK);
    cr_expect_eq(lam_test_csv_info(inference).delimiter, 0);
    for (size_t i = 0; i < 2; i++) {
        csv_pieces pieces = pieces_of(texts[i], 3);
        lam_csv_source source = source_of(&pieces);
        cr_assert_eq(lam_csv_inference_add(inference, &source, false, &error), LAM_STATUS_OK, "%s",
                     error.message);
    }
    cr_assert_eq(lam_csv_inference_schema(inference, "m", &schema, &error), LAM_STATUS_OK);
    lam_schema_print(schema, printed, sizeof printed);
    cr_expect_str_eq(printed, expected);
    lam_schema_destroy(schema);
    lam_csv_inference_destroy(inference);
}

Test(csv_infer, columns_of_sources_are_united_by_name) {
    expect_of_two("a;b\n1;2\n", "b;c\n2.5;x\n",
                  "message m {\n  optional int64 a;\n  optional double b;\n"
                  "  optional binary c (STRING);\n}\n");
}

Test(csv_infer, the_delimiter_gives_most_fields_in_all_first_records) {
    expect_inferred("a,b\n1,2\n", NULL, "optional int64 a; optional int64 b;");
    expect_inferred("a;b\n1,5;2,5\n", NULL,
                    "optional binary a (STRING); optional binary b (STRING);");
    expect_inferred("a\tb\n1\t2\n", NULL, "optional int64 a; optional int64 b;");
    expect_inferred("a|b\n1|2\n", NULL, "optional int64 a; optional int64 b;");
    expect_inferred("a|b,c\n\"1|2\",3\n", NULL, "optional binary a|b (STRING); optional int64 c;");
    /* The first 20 records decide. */
    expect_inferred("a;b\n1;2\n1;2\n1;2\n1;2\n1;2\n1;2\n1;2\n1;2\n1;2\n1;2\n1;2\n1;2\n1;2\n1;2\n"
                    "1;2\n1;2\n1;2\n1;2\n1;2\n\"x;y\";3,4,5\n",
                    NULL, "optional binary a (STRING); optional binary b (STRING);");
    expect_inferred("only\n1\n2\n", NULL, "optional int64 only;");
}

Test(csv_infer, a_text_without_records_has_the_columns_of_its_header) {
    static const char nothing[] = "optional int32 a (UNKNOWN); optional int32 b (UNKNOWN);";
    expect_inferred("a,b\n", NULL, nothing);
    expect_inferred("a,b", NULL, nothing);
}

Test(csv_infer, without_a_header_columns_have_numbers) {
    lam_csv_options options = lam_csv_options_default();
    options.header = LAM_SWITCH_OFF;
    expect_inferred("1,x\n2,y\n", &options,
                    "optional int64 column1; optional binary column2 (STRING);");
}

Test(csv_infer, a_cut_sample_leaves_out_a_record_whose_quotes_are_open) {
    lam_csv_inference *inference;
    lam_schema *schema;
    lam_error error = lam_error_none();
    char printed[4096];
    csv_pieces pieces = pieces_of("a,b\n1,x\n\"text,\nmore\n", 0);
    lam_csv_source source = source_of(&pieces);
    cr_assert_eq(lam_csv_inference_create(NULL, NULL, &inference, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_csv_inference_add(inference, &source, true, &error), LAM_STATUS_OK, "%s",
                 error.message);
    cr_assert_eq(lam_csv_inference_schema(inference, "m", &schema, &error), LAM_STATUS_OK);
    lam_schema_print(schema, printed, sizeof printed);
    cr_expect_str_eq(printed,
                     "message m {\n  optional int64 a;\n  optional binary b (STRING);\n}\n");
    lam_schema_destroy(schema);
    lam_csv_inference_destroy(inference);
}

Test(csv_infer, a_cut_sample_of_utf8_has_its_last_line) {
    lam_csv_inference *inference;
    lam_error error = lam_error_none();
    csv_pieces pieces = pieces_of("a,b\n1,2\n3,x", 0);
    lam_csv_source source = source_of(&pieces);
    cr_assert_eq(lam_csv_inference_create(NULL, NULL, &inference, &error), LAM_STATUS_OK);
    lam_csv_inference_info info = lam_csv_inference_info_default();
    cr_assert_eq(lam_csv_inference_add(inference, &source, true, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_csv_inference_get_info(inference, &info, &error), LAM_STATUS_OK);
    cr_expect_eq(info.records, 2);
    lam_csv_inference_destroy(inference);
}

/* The cut may be in a record, or in the two bytes of a letter of it. */
Test(csv_infer, a_cut_sample_of_utf16_leaves_out_its_last_record) {
    static const char bytes[] = "\xff\xfe"
                                "a\0,\0b\0\n\0"
                                "1\0,\0"
                                "2\0\n\0"
                                "x\0,\0x\0";
    for (size_t cut = 0; cut < 3; cut++) {
        lam_csv_inference *inference;
        lam_schema *schema;
        lam_error error = lam_error_none();
        char printed[4096];
        csv_pieces pieces = {bytes, sizeof bytes - 1 - cut, 0};
        lam_csv_source source = source_of(&pieces);
        cr_assert_eq(lam_csv_inference_create(NULL, NULL, &inference, &error), LAM_STATUS_OK);
        cr_assert_eq(lam_csv_inference_add(inference, &source, true, &error), LAM_STATUS_OK, "%s",
                     error.message);
        cr_assert_eq(lam_csv_inference_schema(inference, "m", &schema, &error), LAM_STATUS_OK);
        lam_schema_print(schema, printed, sizeof printed);
        cr_expect_str_eq(printed, "message m {\n  optional int64 a;\n  optional int64 b;\n}\n");
        cr_expect_eq(lam_test_csv_info(inference).records, 1);
        lam_schema_destroy(schema);
        lam_csv_inference_destroy(inference);
    }
}

Test(csv_infer, broken_records_are_named_or_skipped) {
    char printed[1024];
    lam_error error = lam_error_none();
    cr_expect_eq(infer_csv("a,b\n1,2\n3\n", NULL, printed, sizeof printed, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "line 3: 1 field, but the first record has 2");
    lam_csv_options options = lam_csv_options_default();
    options.skip_bad_lines = true;
    expect_inferred("a,b\n1,2\nx\ny,z,0\n", &options, "optional int64 a; optional int64 b;");
}

Test(csv_infer, every_allocation_may_fail) {
    for (size_t fail_at = 1;; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_csv_inference *inference;
        lam_schema *schema;
        lam_error error = lam_error_none();
        csv_pieces pieces = pieces_of("a,b\n1,x\n\"t\"\"u\",y\n", 0);
        lam_csv_source source = source_of(&pieces);
        lam_status status = lam_csv_inference_create(NULL, &allocator, &inference, &error);
        if (status == LAM_STATUS_OK) {
            status = lam_csv_inference_add(inference, &source, false, &error);
            if (status == LAM_STATUS_OK)
                status = lam_csv_inference_schema(inference, "m", &schema, &error);
            if (status == LAM_STATUS_OK)
                lam_schema_destroy(schema);
            cr_expect(status != LAM_STATUS_OK || lam_test_csv_info(inference).notice_count == 1);
            lam_csv_inference_destroy(inference);
        }
        cr_assert_eq(counter.live_bytes, 0, "request %zu", fail_at);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM, "request %zu: %s", fail_at, error.message);
    }
}

static lam_csv_inference *inference_of(const char *const *texts, size_t count) {
    lam_csv_inference *inference;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_csv_inference_create(NULL, NULL, &inference, &error), LAM_STATUS_OK);
    for (size_t i = 0; i < count; i++) {
        csv_pieces pieces = pieces_of(texts[i], 0);
        lam_csv_source source = source_of(&pieces);
        cr_assert_eq(lam_csv_inference_add(inference, &source, false, &error), LAM_STATUS_OK, "%s",
                     error.message);
    }
    return inference;
}

static void expect_notice(const lam_csv_inference *inference, size_t index, const char *column,
                          const char *kind, uint64_t fitting, uint64_t others, const char *other,
                          uint64_t line, size_t source) {
    lam_csv_notice notice = lam_csv_notice_default();
    cr_assert_eq(lam_csv_inference_notice(inference, index, &notice, NULL), LAM_STATUS_OK);
    cr_expect_str_eq(notice.column, column);
    cr_expect_str_eq(notice.kind, kind);
    cr_expect_eq(notice.fitting, fitting);
    cr_expect_eq(notice.others, others);
    cr_expect_eq(notice.other.size, strlen(other));
    cr_expect_eq(memcmp(notice.other.data, other, strlen(other)), 0);
    cr_expect_eq(notice.line, line);
    cr_expect_eq(notice.source, source);
}

Test(csv_infer, a_column_that_has_a_type_but_for_some_values_has_a_notice) {
    static const char *const texts[] = {
        "n,d,t,z,s\n1,2024-01-01,abc,\"0\n1\",x\nNA,n/a,true,5,1\n2.5,2024-01-02,true,6,y\n",
        "n,d\nNA,2024-01-03\n3,12:34\n",
    };
    lam_csv_inference *inference = inference_of(texts, 2);
    cr_assert_eq(lam_test_csv_info(inference).notice_count, 4);
    expect_notice(inference, 0, "n", "number", 3, 2, "NA", 4, 0);
    expect_notice(inference, 1, "d", "date", 3, 2, "n/a", 4, 0);
    expect_notice(inference, 2, "t", "boolean", 2, 1, "abc", 2, 0);
    expect_notice(inference, 3, "z", "integer", 2, 1, "0\n1", 2, 0);
    lam_csv_notice notice = lam_csv_notice_default();
    cr_expect_eq(lam_csv_inference_notice(inference, 4, &notice, NULL), LAM_STATUS_INVALID);
    lam_csv_inference_destroy(inference);
}

Test(csv_infer, what_is_text_for_the_most_part_or_not_at_all_has_none) {
    static const char *const texts[] = {
        "a,b,c,d\nx,1,,2024-01-01T00:00Z\ny,2.5,x,2024-01-01T00:00Z\n3,,y,2024-01-01\n"};
    lam_csv_inference *inference = inference_of(texts, 1);
    cr_assert_eq(lam_test_csv_info(inference).notice_count, 1);
    expect_notice(inference, 0, "d", "zoned timestamp", 2, 1, "2024-01-01", 4, 0);
    lam_csv_inference_destroy(inference);
}

Test(csv_infer, a_long_value_is_cut_between_characters) {
    char text[400] = "a\n1\n", start[65] = "";
    for (int i = 0; i < 100; i++)
        strcat(text, "\xe2\x82\xac");
    for (int i = 0; i < 21; i++)
        strcat(start, "\xe2\x82\xac");
    lam_csv_inference *inference = inference_of((const char *const[]){text}, 1);
    expect_notice(inference, 0, "a", "integer", 1, 1, start, 3, 0);
    lam_csv_inference_destroy(inference);
}
