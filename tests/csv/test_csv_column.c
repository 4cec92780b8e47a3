/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of delimited text become values of each type, or are refused with the reason. */
#include "csv_help.h"

/* One value of each line, and one that is refused. */
static void expect_type(const char *type, const char *value, const char *printed,
                        const char *wrong) {
    char bare[160], text[256], expected[256], message[512];
    lam_csv_options options = lam_csv_options_default();
    snprintf(bare, sizeof bare, "optional %s optional int32 b;", type);
    snprintf(text, sizeof text, "a,b\n%s,\n,\n%s,\n", value, value);
    snprintf(expected, sizeof expected, "%s|\n|\n%s|\n", printed, printed);
    expect_read(bare, text, NULL, expected);
    snprintf(text, sizeof text, "a,b\n%s,1\n%s,2\n%s,3\n", value, wrong, value);
    snprintf(expected, sizeof expected, "%s|1\n%s|3\n", printed, printed);
    options.skip_bad_lines = true;
    expect_read(bare, text, &options, expected);
    lam_error error = lam_error_none();
    lam_schema *schema = schema_of(bare);
    char got[1024];
    uint64_t skipped;
    cr_expect_eq(read_csv_bytes(schema, pieces_of(text, 0), NULL, NULL, got, &skipped, &error),
                 LAM_STATUS_INVALID, "%s: %s", type, wrong);
    snprintf(message, sizeof message, "line 3, column a: '%s' is not ", wrong);
    cr_expect(strncmp(error.message, message, strlen(message)) == 0, "%s", error.message);
    lam_schema_destroy(schema);
}

Test(csv_column, integers_of_every_width) {
    expect_type("int32 a (INTEGER(8,true));", "-128", "-128", "128");
    expect_type("int32 a (INTEGER(8,false));", "255", "255", "-1");
    expect_type("int32 a (INTEGER(16,true));", "32767", "32767", "-32769");
    expect_type("int32 a;", "-2147483648", "-2147483648", "2147483648");
    expect_type("int32 a (INTEGER(32,false));", "4294967295", "-1", "4294967296");
    expect_type("int64 a;", "123456789", "123456789", "9223372036854775808");
    expect_type("int64 a;", "1234", "1234", "1x34");
    expect_type("int64 a;", "0", "0", "01");
    expect_type("int64 a (INTEGER(64,false));", "18446744073709551615", "-1", "-1");
}

Test(csv_column, numbers_and_booleans) {
    expect_type("boolean a;", "True", "true", "1");
    expect_type("float a;", "1.5", "1.5", "1e39");
    expect_type("double a;", "-2.25", "-2.25", "1.5.");
}

Test(csv_column, dates_and_times) {
    expect_type("int32 a (DATE);", "1970-01-02", "1", "1970-02-30");
    expect_type("int32 a (DATE);", "-0001-12-31", "-719529", "1970-1-1");
    expect_type("int32 a (TIME(MILLIS,true));", "00:00:01.5", "1500", "00:00:00.0001");
    expect_type("int64 a (TIME(MICROS,true));", "00:01", "60000000", "24:00");
    expect_type("int64 a (TIME(NANOS,true));", "00:00:00.000000001", "1", "1:00");
    expect_type("int64 a (TIMESTAMP(MILLIS,true));", "1970-01-01T01:00:00+01", "0",
                "1970-01-01T00:00:00");
    expect_type("int64 a (TIMESTAMP(MICROS,false));", "1970-01-01 00:00:01.5", "1500000",
                "1970-01-01T00:00:00Z");
    expect_type("int64 a (TIMESTAMP(MICROS,false));", "1970-01-02", "86400000000", "1970-13-01");
    expect_type("int64 a (TIMESTAMP(NANOS,true));", "2262-04-11T23:47:16.854775807Z",
                "9223372036854775807", "2262-04-11T23:47:16.854775808Z");
    expect_type("int64 a (TIMESTAMP(MILLIS,true));", "+12024-01-01T00:00:00Z", "317273587200000",
                "12024-01-01T00:00:00Z");
}

Test(csv_column, decimals) {
    expect_type("int32 a (DECIMAL(5,2));", "-123.45", "-12345", "1234.5");
    expect_type("int64 a (DECIMAL(18,2));", "0.05", "5", "0.055");
    expect_type("int64 a (DECIMAL(18,2));", ".5", "50", "5e1");
    expect_type("int64 a (DECIMAL(18,2));", "-.50", "-50", "1.2.3");
    expect_type("int64 a (DECIMAL(18,2));", "-1.25", "-125", "012.50");
    expect_type("int64 a (DECIMAL(18,2));", ".50", "50", "00.50");
    expect_type("int32 a (DECIMAL(5,0));", "5", "5", "-");
    expect_type("int64 a (DECIMAL(18,2));", "7", "700", "x");
    expect_type("int64 a (DECIMAL(18,2));", "-1234567890123456.78", "-123456789012345678",
                "12345678901234567");
    expect_type("int64 a (DECIMAL(18,2));", "1.50000000000000000000000000", "150", "-");
    expect_type("fixed_len_byte_array(4) a (DECIMAL(9,1));", "-0.1", "ffffffff", "1.11");
    expect_type("fixed_len_byte_array(16) a (DECIMAL(38,2));",
                "999999999999999999999999999999999999.99", "4b3b4ca85a86c47a098a223fffffffff",
                "1999999999999999999999999999999999999.99");
}

static void expect_epoch(lam_csv_epoch epoch, const char *unit, const char *number,
                         const char *expected) {
    lam_csv_options options = lam_csv_options_default();
    char fields[80], text[80], printed[80];
    options.epoch = epoch;
    snprintf(fields, sizeof fields, "optional int64 a (TIMESTAMP(%s,true));", unit);
    snprintf(text, sizeof text, "a\n%s\n", number);
    if (expected != NULL) {
        snprintf(printed, sizeof printed, "%s\n", expected);
        expect_read(fields, text, &options, printed);
        return;
    }
    snprintf(printed, sizeof printed, "line 2, column a: '%s' is not TIMESTAMP(%s,true)", number,
             unit);
    expect_refused(fields, text, &options, LAM_STATUS_INVALID, printed);
}

Test(csv_column, numbers_since_1970_if_requested) {
    expect_epoch(LAM_CSV_EPOCH_SECONDS, "MILLIS", "1.5", "1500");
    expect_epoch(LAM_CSV_EPOCH_SECONDS, "MILLIS", "-1", "-1000");
    expect_epoch(LAM_CSV_EPOCH_NANOS, "MICROS", "7000", "7");
    expect_epoch(LAM_CSV_EPOCH_NANOS, "NANOS", "9223372036854775807", "9223372036854775807");
    expect_epoch(LAM_CSV_EPOCH_MILLIS, "MICROS", "0.25", "250");
    /* No number, none in the unit, and none of 64 bits. */
    expect_epoch(LAM_CSV_EPOCH_SECONDS, "MILLIS", "1e3", NULL);
    expect_epoch(LAM_CSV_EPOCH_SECONDS, "MILLIS", "1.0005", NULL);
    expect_epoch(LAM_CSV_EPOCH_NANOS, "MICROS", "7001", NULL);
    expect_epoch(LAM_CSV_EPOCH_NANOS, "NANOS", "9223372036854775808", NULL);
    expect_epoch(LAM_CSV_EPOCH_NONE, "NANOS", "1", NULL);
}

Test(csv_column, texts_and_uuids) {
    expect_read("optional binary a (STRING); optional binary b (ENUM);", "a,b\nx,\"\"\n\"\",y\n",
                NULL, "x|\n|y\n");
    expect_type("fixed_len_byte_array(16) a (UUID);", "00112233-4455-6677-8899-AABBCCDDEEFF",
                "00112233445566778899aabbccddeeff", "00112233-4455-6677-8899-aabbccddeef");
    expect_refused("optional int32 b; optional binary a (ENUM);", "a\nx\n\xff\n", NULL,
                   LAM_STATUS_INVALID,
                   "line 3, column a: the text is not UTF-8; iconv converts other encodings");
    expect_refused("optional binary a (STRING);", "a\nx\n\xff\n", NULL, LAM_STATUS_INVALID,
                   "line 3, column a: the text is not UTF-8; iconv converts other encodings");
}

Test(csv_column, a_column_of_nulls_takes_no_value) {
    expect_read("optional int32 a (UNKNOWN); optional int32 b;", "a,b\n,1\n\"\",2\n", NULL,
                "|1\n|2\n");
    expect_refused("optional int32 a (UNKNOWN);", "a\n1\n", NULL, LAM_STATUS_INVALID,
                   "line 2, column a: '1' is not UNKNOWN");
}

Test(csv_column, types_without_a_form_in_csv_are_refused) {
    static const char *const fields[] = {"optional int96 a;",
                                         "optional binary a;",
                                         "optional fixed_len_byte_array(4) a;",
                                         "optional fixed_len_byte_array(20) a (DECIMAL(40,2));",
                                         "optional binary a (DECIMAL(9,2));",
                                         "optional fixed_len_byte_array(12) a (INTERVAL);"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        expect_refused(fields[i], "a\n1\n", NULL, LAM_STATUS_UNSUPPORTED,
                       "the type of column a has no form in CSV");
}
