/* SPDX-License-Identifier: Apache-2.0 */
/* The type of a column from its values. Every pair of values has a type that reads both. */
#include "csv_help.h"
#include "support/texts.h"

/* The type of a column of these values, with | between. */
static void expect_column(const char *values, const lam_csv_options *options, const char *type) {
    char text[1024] = "a\n", expected[256];
    for (const char *at = values; *at != '\0';) {
        size_t size = strcspn(at, "|");
        snprintf(text + strlen(text), sizeof text - strlen(text), "%.*s\n", (int)size, at);
        at += size + (at[size] == '|');
    }
    snprintf(expected, sizeof expected, "optional %s;", type);
    expect_inferred(text, options, expected);
}

Test(csv_kind, numbers_and_booleans) {
    expect_column("1|-2|0", NULL, "int64 a");
    expect_column("9223372036854775807|-9223372036854775808", NULL, "int64 a");
    expect_column("1|2.5", NULL, "double a");
    expect_column("1|nan", NULL, "double a");
    expect_column("1234567890123456e1|1", NULL, "double a");
    expect_column("true|FALSE", NULL, "boolean a");
    expect_column("true|1", NULL, "binary a (STRING)");
    expect_column("1e400|1", NULL, "binary a (STRING)");
}

/* Leading zeros are codes: of post, of telephones, of accounts. */
Test(csv_kind, numbers_that_a_double_would_change_stay_texts) {
    expect_column("01|2", NULL, "binary a (STRING)");
    expect_column("+49|2", NULL, "binary a (STRING)");
    expect_column("9223372036854775808|1", NULL, "double a");
    expect_column("9223372036854775809|1", NULL, "binary a (STRING)");
    expect_column("9007199254740993|1", NULL, "int64 a");
    expect_column("9007199254740993|1.5", NULL, "binary a (STRING)");
}

Test(csv_kind, decimals_if_requested) {
    lam_csv_options options = lam_csv_options_default();
    options.infer_decimals = true;
    expect_column("1.25|-3.5|.5", &options, "int64 a (DECIMAL(18,2))");
    expect_column("1|2", &options, "int64 a");
    expect_column("1.5|1e3", &options, "double a");
    expect_column("1234567890123456.125", &options, "fixed_len_byte_array(16) a (DECIMAL(38,3))");
    expect_column("123456789012345678901234567890123456789.5", &options, "double a");
    expect_column("0.123456789012345678901234567890123456789", &options, "double a");
    expect_column("12345678901234567890.5|0.1234567890123456789", &options, "double a");
}

Test(csv_kind, dates_times_and_timestamps) {
    expect_column("2024-10-24|1999-12-31", NULL, "int32 a (DATE)");
    expect_column("12:34|12:34:56.789", NULL, "int64 a (TIME(MICROS,false))");
    expect_column("12:34:56.7890001", NULL, "int64 a (TIME(NANOS,false))");
    expect_column("2024-10-24T12:34:56|2024-10-24 12:34:56.5", NULL,
                  "int64 a (TIMESTAMP(MICROS,false))");
    expect_column("2024-10-24|2024-10-24 12:34:56", NULL, "int64 a (TIMESTAMP(MICROS,false))");
    expect_column("2024-10-24T12:34:56Z|2024-10-24T12:34:56+0100", NULL,
                  "int64 a (TIMESTAMP(MICROS,true))");
    expect_column("2024-10-24T12:34:56.123456789Z", NULL, "int64 a (TIMESTAMP(NANOS,true))");
    expect_column("2024-10-24T12:34:56Z|2024-10-24T12:34:56", NULL, "binary a (STRING)");
    expect_column("2024-10-24T12:34:56Z|2024-10-24", NULL, "binary a (STRING)");
    expect_column("2024-10-24|2024-02-30", NULL, "binary a (STRING)");
    expect_column("2024-10-24|12:34", NULL, "binary a (STRING)");
    /* 64 bits of nanoseconds end in 2262. */
    expect_column("9999-12-31T00:00:00.123456789", NULL, "binary a (STRING)");
    expect_column("9999-12-31T00:00:00|9999-12-31T00:00:00.123456789", NULL, "binary a (STRING)");
    expect_column("1600-12-31T00:00:00.123456789", NULL, "binary a (STRING)");
    expect_column("2024-12-31T00:00:00.123456789|2024-12-31T00:00:00.5", NULL,
                  "int64 a (TIMESTAMP(NANOS,false))");
    expect_column("9999-12-31T00:00:00.123456", NULL, "int64 a (TIMESTAMP(MICROS,false))");
    lam_csv_options options = lam_csv_options_default();
    options.infer_times = LAM_SWITCH_OFF;
    expect_column("2024-10-24|1999-12-31", &options, "binary a (STRING)");
}

Test(csv_kind, uuids_and_texts) {
    expect_column("00112233-4455-6677-8899-aabbccddeeff", NULL,
                  "fixed_len_byte_array(16) a (UUID)");
    expect_column("00112233-4455-6677-8899-aabbccddeeff|x", NULL, "binary a (STRING)");
    expect_column("a|1", NULL, "binary a (STRING)");
}

Test(csv_kind, nulls_have_no_type) {
    lam_csv_options options = lam_csv_options_default();
    options.null_text = "NA";
    expect_inferred("a,b\n1,\n,NA\nNA,2.5\n", &options, "optional int64 a; optional double b;");
    expect_inferred("a,b\n1,\"NA\"\n", &options, "optional int64 a; optional binary b (STRING);");
    expect_inferred("a,b\n1,\"\"\n2,3\n", NULL, "optional int64 a; optional int64 b;");
    expect_inferred("a,b\n1,\n2,\n", NULL, "optional int64 a; optional int32 b (UNKNOWN);");
    expect_inferred("a,b\n1,\n2,\"\"\n", NULL, "optional int64 a; optional binary b (STRING);");
}

Test(csv_kind, numbers_with_a_decimal_comma) {
    lam_csv_options options = lam_csv_options_default();
    options.decimal_mark = ',';
    expect_inferred("a;b\n1,5;2\n-3;4\n", &options, "optional double a; optional int64 b;");
    expect_inferred("a;b\n1.5;2\n", &options, "optional binary a (STRING); optional int64 b;");
}

/* The inference of two values does not depend on their order, and both read with its schema. */
Test(csv_kind, each_pair_of_values_has_a_type_that_reads_both) {
    static const char *const values[] = LAM_TEXTS(
        "true", "1", "1.5", "1e3", "9007199254740993", "9223372036854775808", "2024-10-24", "12:34",
        "12:34:56.123456789", "2024-10-24T12:34", "2024-10-24T12:34Z", "9999-12-31T00:00:00.5",
        "2024-10-24T12:34:56.123456789", "00112233-4455-6677-8899-aabbccddeeff", "x", "");
    enum { COUNT = sizeof values / sizeof *values };
    for (size_t i = 0; i < (size_t)COUNT * COUNT * 2; i++) {
        const char *a = values[i % COUNT], *b = values[i / COUNT % COUNT];
        lam_csv_options options = lam_csv_options_default();
        char text[200], back[200], printed[400], same[400], got[1024];
        lam_error error = lam_error_none();
        uint64_t skipped;
        options.infer_decimals = i >= (size_t)COUNT * COUNT;
        snprintf(text, sizeof text, "a,b\n%s,1\n%s,2\n", a, b);
        snprintf(back, sizeof back, "a,b\n%s,1\n%s,2\n", b, a);
        cr_assert_eq(infer_csv(text, &options, printed, sizeof printed, &error), LAM_STATUS_OK);
        cr_assert_eq(infer_csv(back, &options, same, sizeof same, &error), LAM_STATUS_OK);
        cr_expect_str_eq(printed, same, "%s, %s", a, b);
        lam_schema *schema = schema_of(printed);
        cr_expect_eq(
            read_csv_bytes(schema, pieces_of(text, 0), &options, NULL, got, &skipped, &error),
            LAM_STATUS_OK, "%s, %s: %s", a, b, error.message);
        lam_schema_destroy(schema);
    }
}

Test(csv_kind, dates_and_times_in_forms_that_are_named) {
    static const char *const forms[] = {"%m/%d/%Y", "%Y/%m/%d %H:%M:%S", "%I:%M %p"};
    lam_csv_options options = lam_csv_options_default();
    expect_column("1/31/2024|02/01/2024", NULL, "binary a (STRING)");
    options.time_formats = forms;
    options.time_format_count = 3;
    expect_column("1/31/2024|02/01/2024", &options, "int32 a (DATE)");
    expect_column("1/31/2024|2024-02-01", &options, "int32 a (DATE)");
    expect_column("2015/01/01 01:00:00|1/31/2024", &options, "int64 a (TIMESTAMP(MICROS,false))");
    expect_column("1:30 PM", &options, "int64 a (TIME(MICROS,false))");
    expect_column("31/1/2024", &options, "binary a (STRING)");
    expect_read("optional int32 a (DATE); optional int64 b (TIMESTAMP(MILLIS,false)); "
                "optional int64 c (TIME(MICROS,false));",
                "a,b,c\n1/2/1970,1970/01/01 00:00:01,12:00 AM\n1970-01-03,1/2/1970,00:00:01\n",
                &options, "1|1000|0\n2|86400000|1000000\n");
    expect_refused("optional int64 b (TIMESTAMP(MILLIS,true));", "b\n1/2/1970\n", &options,
                   LAM_STATUS_INVALID,
                   "line 2, column b: '1/2/1970' is not TIMESTAMP(MILLIS,true)");
}

Test(csv_kind, half_a_form_is_refused) {
    static const char *const form = "%d.%m.";
    lam_csv_options options = lam_csv_options_default();
    lam_csv_inference *inference;
    lam_error error = lam_error_none();
    options.time_formats = &form;
    options.time_format_count = 1;
    cr_expect_eq(lam_csv_inference_create(&options, NULL, &inference, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "'%d.%m.' lacks year, month and day together");
}
