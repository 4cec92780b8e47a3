/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A check whose input fails at a read, or whose caller asks to stop there: it ends and says so, and
 * what it has found until then is what a whole check finds first, never a fault of the file.
 */
#include <lamella/writer.h>
#include <stdlib.h>

#include "check/forge.h"
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
