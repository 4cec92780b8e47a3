/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records and fields as RFC 4180 has them, and what is broken. Random records are compared with a
 * splitter of one page.
 */
#include <inttypes.h>

#include "csv_help.h"
#include "support/random.h"

#define TWO "optional binary a (STRING); optional binary b (STRING);"

Test(csv_split, quotes_as_rfc_4180_has_them) {
    expect_read(TWO, "a,b\n\"x,y\",\"1\"\n", NULL, "x,y|1\n");
    expect_read(TWO, "a,b\n\"x\"\"y\",\"\"\"\"\n", NULL, "x\"y|\"\n");
    expect_read(TWO, "a,b\n\"x\ny\",\"\n\"\n", NULL, "x\ny|\n\n");
    expect_read(TWO, "a,b\nx\"y,z\"\"\n", NULL, "x\"y|z\"\"\n");
    expect_read(TWO, "a,b\n \"x\", y \n", NULL, " \"x\"| y \n");
}

Test(csv_split, lines_end_in_three_ways) {
    expect_read(TWO, "a,b\r\n1,2\r\n3,4", NULL, "1|2\n3|4\n");
    expect_read(TWO, "a,b\r1,2\r3,4\r", NULL, "1|2\n3|4\n");
    expect_read(TWO, "a,b\n1,2\n3,4", NULL, "1|2\n3|4\n");
    expect_read(TWO, "a,b\r\n\"x\r\ny\",2\r\n", NULL, "x\r\ny|2\n");
    expect_read(TWO, "a,b\n1,2\r\n\"3\",\"4\"\r\n", NULL, "1|2\n3|4\n");
}

Test(csv_split, blank_lines_are_skipped_where_there_are_several_columns) {
    expect_read(TWO, "\n\r\na,b\n\n1,2\n\r\n3,4\n\n", NULL, "1|2\n3|4\n");
    expect_read("optional binary a (STRING);", "a\nx\n\ny\n\"\"\n", NULL, "x\n\ny\n\n");
}

Test(csv_split, other_marks) {
    lam_csv_options options = lam_csv_options_default();
    options.delimiter = '\t';
    options.quote = '\'';
    expect_read(TWO, "a\tb\n'x\ty'\t\"z\"\n", &options, "x\ty|\"z\"\n");
}

Test(csv_split, broken_records_are_named_by_line) {
    expect_refused(TWO, "a,b\n1,2\n\n3\n", NULL, LAM_STATUS_INVALID,
                   "line 4: 1 field, but the first record has 2");
    expect_refused(TWO, "a,b\n\"1\n1\",2\n3,4,5\n", NULL, LAM_STATUS_INVALID,
                   "line 4: 3 fields, but the first record has 2");
    expect_refused(TWO, "a,b\n1,2\n\"\"\n", NULL, LAM_STATUS_INVALID,
                   "line 3: 1 field, but the first record has 2");
    expect_refused(TWO, "a,b\n1,2\n\"x\"\"y\",,\n", NULL, LAM_STATUS_INVALID,
                   "line 3: 3 fields, but the first record has 2");
    expect_refused("optional int32 a; optional int32 b; optional int32 c;", "a,b,c\n1,2\n", NULL,
                   LAM_STATUS_INVALID, "line 2: 2 fields, but the first record has 3");
    expect_refused(TWO, "a,b\n1,2\n\"3\"4,5\n", NULL, LAM_STATUS_INVALID,
                   "line 3: text follows the quote that closes a field");
    expect_refused(TWO, "a,b\n1,2\n\"3,5\n6,7\n", NULL, LAM_STATUS_INVALID,
                   "line 3: a quote is not closed until the end of the text");
}

Test(csv_split, broken_records_are_skipped_and_counted_if_requested) {
    lam_csv_options options = lam_csv_options_default();
    options.skip_bad_lines = true;
    char printed[1024];
    uint64_t skipped = 0;
    lam_error error = lam_error_none();
    lam_schema *schema = schema_of(TWO);
    const char *text = "a,b\n1,2\n3\n\n4,5,6\n\"7\"8,9\n10,11\n\"12\n";
    for (size_t piece = 0; piece < 4; piece++) {
        cr_assert_eq(read_csv_bytes(schema, pieces_of(text, piece), &options, NULL, printed,
                                    &skipped, &error),
                     LAM_STATUS_OK, "%s", error.message);
        cr_expect_str_eq(printed, "1|2\n10|11\n");
        cr_expect_eq(skipped, 4);
    }
    lam_schema_destroy(schema);
}

/* An open quote takes no other records with it, nor does one that is too long. */
Test(csv_split, what_is_skipped_for_its_quotes_or_length_is_one_line) {
    enum { LONG = 3 << 20 };
    lam_csv_options options = lam_csv_options_default();
    char *text = malloc(LONG + 100), printed[64];
    uint64_t skipped = 0;
    lam_error error = lam_error_none();
    lam_schema *schema = schema_of(TWO);
    options.skip_bad_lines = true;
    options.max_record_bytes = 1 << 20;
    size_t size = (size_t)sprintf(text, "a,b\n1,\"2\n3,4\n\"5\"x,\"\n6,7\n");
    memset(text + size, '8', LONG);
    strcpy(text + size + LONG, "\n9,10\n");
    cr_assert_eq(
        read_csv_bytes(schema, pieces_of(text, 0), &options, NULL, printed, &skipped, &error),
        LAM_STATUS_OK, "%s", error.message);
    cr_expect_str_eq(printed, "3|4\n6|7\n9|10\n");
    cr_expect_eq(skipped, 3);
    lam_schema_destroy(schema);
    free(text);
}

Test(csv_split, a_record_that_is_too_long_is_refused) {
    lam_csv_options options = lam_csv_options_default();
    size_t size = (size_t)2 << 20;
    char *text = malloc(size + 10);
    options.max_record_bytes = 1 << 20;
    memcpy(text, "a,b\n1,\"", 7);
    memset(text + 7, 'x', size);
    memcpy(text + 7 + size, "\"\n", 3);
    expect_refused(TWO, text, &options, LAM_STATUS_LIMIT,
                   "line 2: a record has more than 1048576 bytes, or its quotes are not closed");
    options.max_record_bytes = (size_t)4 << 20;
    lam_schema *schema = schema_of(TWO);
    lam_error error = lam_error_none();
    char *printed = malloc(size + 10);
    uint64_t skipped;
    cr_assert_eq(
        read_csv_bytes(schema, pieces_of(text, 0), &options, NULL, printed, &skipped, &error),
        LAM_STATUS_OK, "%s", error.message);
    cr_expect_eq(strlen(printed), size + 3);
    lam_schema_destroy(schema);
    free(text);
    free(printed);
}

/* --- A splitter of one page, to compare with ----------------------------------------------- */

/* Writes fields of random bytes with and without quotes; `plain` gets them as read_csv prints. */
static void make_records(lam_random *random, size_t records, char **text, char **plain) {
    static const char letters[] = "ab1,;\"\n \r";
    const char *end = lam_random_chance(random, 50) ? "\n" : "\r\n";
    *text += sprintf(*text, "a,b%s", end);
    for (size_t i = 0; i < records; i++) {
        for (int field = 0; field < 2; field++) {
            char bytes[80];
            size_t size = (size_t)lam_random_below(random, lam_random_chance(random, 5) ? 80 : 8);
            bool quoted = size == 0;
            for (size_t k = 0; k < size; k++) {
                bytes[k] = letters[lam_random_below(random, lam_random_chance(random, 20) ? 9 : 3)];
                quoted = quoted || strchr(",\"\r\n", bytes[k]) != NULL;
            }
            quoted = quoted || lam_random_chance(random, 20);
            if (quoted)
                *(*text)++ = '"';
            for (size_t k = 0; k < size; k++) {
                if (bytes[k] == '"')
                    *(*text)++ = '"';
                *(*text)++ = *(*plain)++ = bytes[k];
            }
            if (quoted)
                *(*text)++ = '"';
            if (field == 0)
                *(*text)++ = ',';
            *(*plain)++ = field == 0 ? '|' : '\n';
        }
        if (i + 1 < records || lam_random_chance(random, 80))
            *text += sprintf(*text, "%s", end);
    }
    **text = **plain = '\0';
}

Test(csv_split, random_records_come_back_whatever_the_pieces) {
    enum { ROOM = 4 << 20 };
    uint64_t seed = lam_test_seed(5);
    lam_random random = lam_random_start(seed);
    char *text = malloc(ROOM), *plain = malloc(ROOM), *printed = malloc(ROOM);
    lam_schema *schema = schema_of(TWO);
    for (int round = 0; round < 400; round++) {
        size_t records = 1 + (size_t)lam_random_below(&random, round % 40 == 0 ? 8000 : 60);
        char *text_end = text, *plain_end = plain;
        uint64_t skipped;
        lam_error error = lam_error_none();
        make_records(&random, records, &text_end, &plain_end);
        size_t piece = lam_random_chance(&random, 50) ? 0 : 1 + lam_random_below(&random, 300);
        cr_assert_eq(
            read_csv_bytes(schema, pieces_of(text, piece), NULL, NULL, printed, &skipped, &error),
            LAM_STATUS_OK, "seed %" PRIu64 ", round %d: %s", seed, round, error.message);
        cr_assert_str_eq(printed, plain, "seed %" PRIu64 ", round %d", seed, round);
    }
    lam_schema_destroy(schema);
    free(text);
    free(plain);
    free(printed);
}
