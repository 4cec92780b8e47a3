/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A check whose input fails at a read, or whose caller asks to stop there: it ends and says so, and
 * what it has found until then is what a whole check finds first, never a fault of the file.
 */
#include <lamella/writer.h>
#include <stdlib.h>

#include "check/forge_pages.h"
#include "support/ending_input.h"
#include "support/shared.h"

TestSuite(check_ends);

enum { MOST_FINDINGS = 1000, LARGEST_FILE = 64 << 10 };

/* Rules in the order told. */
typedef struct told_rules {
    size_t count;
    const lam_check_rule *rules[MOST_FINDINGS];
} told_rules;

static lam_status tell_rule(void *state, const lam_finding *finding, lam_error *error) {
    told_rules *told = state;
    (void)error;
    cr_assert_lt(told->count, MOST_FINDINGS);
    told->rules[told->count++] = finding->rule;
    return LAM_STATUS_OK;
}

static lam_status check_ending(lam_ending_input *source, told_rules *told, lam_error *error) {
    lam_input input = lam_ending_input_of(source);
    lam_check_options options = lam_check_options_default();
    options.stop = &source->stop;
    told->count = 0;
    return lam_check(&input, &options, tell_rule, told, NULL, error);
}

static void expect_ends(lam_bytes file, const char *name) {
    static told_rules whole, told;
    lam_ending_input source = {.file = file};
    lam_error error = lam_error_none();
    cr_assert_eq(check_ending(&source, &whole, &error), LAM_STATUS_OK, "%s: %s", name,
                 error.message);
    size_t reads = source.reads;
    cr_assert_gt(reads, 2, "%s", name);
    for (size_t nth = 1; nth <= reads; nth++) {
        for (int stops = 0; stops < 2; stops++) {
            lam_ending_input_again(&source, stops ? 0 : nth, stops ? nth : 0);
            lam_status status = check_ending(&source, &told, &error);
            lam_status expected = stops ? LAM_STATUS_CANCELLED : LAM_STATUS_IO;
            cr_assert(status == expected || (stops && status == LAM_STATUS_OK),
                      "%s, read %zu of %zu, stops %d: %d %s", name, nth, reads, stops, (int)status,
                      error.message);
            cr_assert_leq(told.count, whole.count, "%s, read %zu", name, nth);
            for (size_t i = 0; i < told.count; i++)
                cr_assert_eq(told.rules[i], whole.rules[i], "%s, read %zu", name, nth);
        }
    }
}

Test(check_ends, a_file_is_never_bad_where_a_read_fails_or_the_caller_stops) {
    forge_each(expect_ends);
}

static void expect_shared(void *state, const char *path, const void *bytes, size_t size) {
    if (size <= LARGEST_FILE && ++*(size_t *)state <= 20)
        expect_ends((lam_bytes){bytes, size}, path);
}

Test(check_ends, nor_are_the_files_of_others, .timeout = 100) {
    size_t files = 0, variants = 0;
    if (!lam_test_shared_exists("parquet-testing/data"))
        cr_skip_test("no shared folder parquet-testing/data");
    lam_test_each_parquet("parquet-testing/data", expect_shared, &files);
    lam_test_each_parquet("parquet-testing/shredded_variant", expect_shared, &variants);
    cr_expect_gt(files, 5);
    cr_expect_gt(variants, 5);
}

/* --- Files with something to be found --------------------------------------------------------- */

static void expect_ends_in(lam_buffer file, const char *rules) {
    lam_test_findings found = lam_test_check(file.data, file.size, NULL);
    cr_expect_str_eq(found.rules, rules, "%s", found.first);
    expect_ends(lam_buffer_bytes(&file), rules);
    lam_buffer_finish(&file);
}

Test(check_ends, while_the_row_is_sought_in_which_two_columns_differ) {
    expect_ends_in(forge_difference(), "levels-agree");
}

/* Zeros behind the pages, of more bytes than are read at once. */
Test(check_ends, while_the_rest_of_a_chunk_is_looked_at) {
    enum { ZEROS = 300000 };
    static const uint8_t zeros[ZEROS];
    forge_pages forge;
    lam_page_sections sections = {.value_count = 3, .row_count = 3, .values = {zeros, 12}};
    forge_pages_start(&forge, "message m { required int32 a; }", 1);
    forge_pages_add(&forge, &sections, 0);
    cr_assert_eq(lam_buffer_append(&forge.made.pages, zeros, ZEROS, NULL), LAM_STATUS_OK);
    expect_ends_in(forge_pages_file(&forge, 3, 3), "chunk-bytes chunk-uncompressed");
}

Test(check_ends, while_a_long_page_is_held_against_its_checksum) {
    enum { COUNT = 40000 };
    static int64_t numbers[COUNT];
    lam_writer_options options = forge_options(1, false, true);
    lam_triples column = {COUNT, COUNT, NULL, NULL, numbers};
    lam_schema *schema = lam_test_schema("message m { required int64 a; }");
    options.codec = LAM_CODEC_UNCOMPRESSED;
    options.page_bytes = 1 << 20;
    expect_ends_in(forge_triples(schema, &options, &column, COUNT), "");
    lam_schema_destroy(schema);
}

/* Behind the chunk there may be as many bytes as the header of its dictionary has. */
Test(check_ends, while_values_are_sought_behind_the_stated_end) {
    rich_file file;
    lam_writer_options options = forge_options(1, true, false);
    rich_file_init(&file, &options);
    file.chunks[0][RICH_NAME].column->num_values++;
    rich_file_end(&file);
    expect_ends(lam_buffer_bytes(&file.data), "a value too few");
    rich_file_finish(&file);
}
