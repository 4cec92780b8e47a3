/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers name columns: empty and equal names get others, in time that their number bounds, and
 * what no file can have is refused.
 */
#include "csv/csv_header.h"

#include "csv_help.h"

Test(csv_header, names_that_are_empty_or_taken_get_others) {
    expect_inferred("a,,a,a\n1,2,3,4\n", NULL,
                    "optional int64 a; optional int64 column2; optional int64 a_1; "
                    "optional int64 a_2;");
    expect_inferred("column2,\n1,2\n", NULL, "optional int64 column2; optional int64 column2_1;");
    expect_inferred("a,a_1,a\n1,2,3\n", NULL,
                    "optional int64 a; optional int64 a_1; optional int64 a_2;");
}

/* A header of `count` fields, the number of each by `name`, and a line of ones. */
static char *wide_text(size_t count, void (*name)(char *text, size_t number)) {
    char *text = malloc(count * 16 + count * 2 + 1), *end = text;
    cr_assert(text != NULL);
    for (size_t i = 0; i < count; i++, end += strlen(end)) {
        name(end, i);
        strcat(end, i + 1 < count ? "," : "\n");
    }
    for (size_t i = 0; i < count; i++)
        end += sprintf(end, i + 1 < count ? "1," : "1\n");
    return text;
}

static lam_schema *schema_of_texts(const char *const *texts, size_t count) {
    lam_csv_inference *inference;
    lam_schema *schema;
    cr_assert_eq(lam_csv_inference_create(NULL, NULL, &inference, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < count; i++) {
        csv_pieces pieces = pieces_of(texts[i], 0);
        lam_csv_source source = source_of(&pieces);
        cr_assert_eq(lam_csv_inference_add(inference, &source, false, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_csv_inference_schema(inference, "m", &schema, NULL), LAM_STATUS_OK);
    lam_csv_inference_destroy(inference);
    return schema;
}

enum { WIDE = 100000 };

static void name_alike(char *text, size_t number) {
    strcpy(text, number % 2 == 0 ? "a" : "");
}

/* Equal names once took time by the cube of their number: 16 kB of them, minutes. */
Test(csv_header, equal_names_take_time_by_their_number, .timeout = 20) {
    char *text = wide_text(WIDE, name_alike);
    lam_schema *schema = schema_of_texts((const char *const *)&text, 1);
    const lam_field *root = lam_schema_root(schema);
    cr_expect_eq(lam_field_child_count(root), WIDE);
    cr_expect_str_eq(lam_field_name(lam_field_child(root, 0)), "a");
    cr_expect_str_eq(lam_field_name(lam_field_child(root, 2)), "a_1");
    cr_expect_str_eq(lam_field_name(lam_field_child(root, WIDE - 2)), "a_49999");
    cr_expect_str_eq(lam_field_name(lam_field_child(root, WIDE - 1)), "column100000");
    lam_schema_destroy(schema);
    free(text);
}

static void name_taken(char *text, size_t number) {
    if (number < WIDE / 2)
        sprintf(text, "a_%zu", number + 1);
    else
        strcpy(text, "a");
}

Test(csv_header, numbers_behind_a_name_that_others_took_are_passed_over_once, .timeout = 20) {
    char *text = wide_text(WIDE, name_taken);
    lam_schema *schema = schema_of_texts((const char *const *)&text, 1);
    const lam_field *root = lam_schema_root(schema);
    cr_expect_str_eq(lam_field_name(lam_field_child(root, WIDE / 2)), "a");
    cr_expect_str_eq(lam_field_name(lam_field_child(root, WIDE / 2 + 1)), "a_50001");
    cr_expect_str_eq(lam_field_name(lam_field_child(root, WIDE - 1)), "a_99999");
    lam_schema_destroy(schema);
    free(text);
}

static void name_up(char *text, size_t number) {
    sprintf(text, "n%zu", number);
}

static void name_down(char *text, size_t number) {
    sprintf(text, "n%zu", WIDE - 1 - number);
}

/* The second text was searched for each column of the first. */
Test(csv_header, texts_with_the_same_columns_in_other_orders_take_time_by_their_number,
     .timeout = 20) {
    char *texts[] = {wide_text(WIDE, name_up), wide_text(WIDE, name_down)};
    lam_schema *schema = schema_of_texts((const char *const *)texts, 2);
    const lam_field *root = lam_schema_root(schema);
    cr_expect_eq(lam_field_child_count(root), WIDE);
    cr_expect_str_eq(lam_field_name(lam_field_child(root, WIDE - 1)), "n99999");
    lam_schema_destroy(schema);
    free(texts[0]);
    free(texts[1]);
}

Test(csv_header, names_may_be_quoted_and_have_blanks) {
    expect_inferred("\"Price, EUR\",\"a \"\"b\"\"\"\n1,2\n", NULL,
                    "optional int64 \"Price, EUR\"; optional int64 \"a \\\"b\\\"\";");
}

static void expect_no_header(const char *text, size_t size, const char *message) {
    lam_csv_inference *inference;
    lam_error error = lam_error_none();
    csv_pieces pieces = {text, size, 0};
    lam_csv_source source = source_of(&pieces);
    cr_assert_eq(lam_csv_inference_create(NULL, NULL, &inference, &error), LAM_STATUS_OK);
    cr_expect_eq(lam_csv_inference_add(inference, &source, false, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, message);
    lam_csv_inference_destroy(inference);
}

Test(csv_header, names_that_no_file_can_have_are_refused) {
    expect_no_header("a\0b,c\n", 6, "line 1: the name of column 1 holds a NUL");
    expect_no_header("a,\xff\n", 4,
                     "line 1: the text is not UTF-8; iconv converts other encodings");
    expect_no_header("\"a\"b,c\n", 7, "line 1: text follows the quote that closes a field");
    expect_no_header("\"a,c\n", 5, "line 1: a quote is not closed until the end of the text");
}

/* Neither a reader nor an inference takes options that are refused. */
Test(csv_header, nothing_is_made_of_options_that_are_refused) {
    lam_csv_options options = lam_csv_options_default();
    csv_pieces pieces = pieces_of("a\n1\n", 0);
    lam_csv_source source = source_of(&pieces);
    lam_csv_inference *inference = NULL;
    lam_csv_reader *reader = NULL;
    lam_error error = lam_error_none();
    lam_schema *schema = schema_of("optional int64 a;");
    options.decimal_mark = ':';
    cr_expect_eq(lam_csv_inference_create(&options, NULL, &inference, &error), LAM_STATUS_INVALID);
    cr_expect_eq(lam_csv_reader_create(schema, &source, &options, NULL, &reader, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "the decimal mark must be a point or a comma");
    cr_expect(inference == NULL && reader == NULL && pieces.size == 4);
    lam_csv_inference_destroy(inference);
    lam_csv_reader_destroy(reader);
    lam_schema_destroy(schema);
}

static void expect_bad_options(const lam_csv_options *options, const char *message) {
    lam_csv_options complete;
    lam_error error = lam_error_none();
    cr_expect_eq(lam_csv_options_check(options, &complete, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, message);
}

Test(csv_header, options_out_of_range_are_refused) {
    lam_csv_options options = lam_csv_options_default();
    options.delimiter = '\n';
    expect_bad_options(&options, "delimiter and quote must be ASCII and no line ends");
    options.delimiter = (char)0xe9;
    expect_bad_options(&options, "delimiter and quote must be ASCII and no line ends");
    options.delimiter = '\r';
    expect_bad_options(&options, "delimiter and quote must be ASCII and no line ends");
    options.delimiter = 0;
    options.quote = '\n';
    expect_bad_options(&options, "delimiter and quote must be ASCII and no line ends");
    options.quote = 0;
    options.delimiter = '.';
    expect_bad_options(&options, "the delimiter must not be the quote or a point");
    options.delimiter = '"';
    expect_bad_options(&options, "the delimiter must not be the quote or a point");
    options.delimiter = ',';
    options.decimal_mark = ':';
    expect_bad_options(&options, "the decimal mark must be a point or a comma");
    options = lam_csv_options_default();
    options.max_record_bytes = ((size_t)1 << 30) + 1;
    expect_bad_options(&options, "max_record_bytes must be at most 1 GiB");
    options = lam_csv_options_default();
    options.header = (lam_switch)9;
    expect_bad_options(&options, "header is 9, which is not a lam_switch");
    options = lam_csv_options_default();
    options.infer_times = (lam_switch)9;
    expect_bad_options(&options, "infer_times is 9, which is not a lam_switch");
    options = lam_csv_options_default();
    options.epoch = (lam_csv_epoch)5;
    expect_bad_options(&options, "epoch is 5, which is not a lam_csv_epoch");
    options = lam_csv_options_default();
    options.struct_size = 3;
    expect_bad_options(&options,
                       "lam_csv_options: struct_size 3 is not the size of any version of it: start "
                       "from lam_csv_options_default() or lam_struct_init()");
}
