/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A check whose input fails at a read, or whose caller asks to stop there: it ends and says so, and
 * what it has found until then is what a whole check finds first, never a fault of the file.
 */
#include <lamella/stop.h>
#include <lamella/writer.h>
#include <stdlib.h>

#include "check/forge.h"
#include "support/shared.h"

TestSuite(check_ends);

enum { MOST_FINDINGS = 1000, LARGEST_FILE = 64 << 10 };

/* An input of which one read fails, or asks to stop, counted from 1; 0: none. */
typedef struct ending_input {
    lam_bytes file;
    size_t reads, fail_at, stop_at;
    lam_stop stop;
} ending_input;

static lam_status read_or_end(void *state, uint64_t offset, size_t size, void *buffer,
                              lam_error *error) {
    ending_input *input = state;
    input->reads++;
    if (input->reads == input->stop_at)
        lam_stop_request(&input->stop);
    if (input->reads == input->fail_at) {
        if (error != NULL) {
            *error = lam_error_none();
            error->status = LAM_STATUS_IO;
            strcpy(error->message, "a read failed");
        }
        return LAM_STATUS_IO;
    }
    cr_assert(offset <= input->file.size && size <= input->file.size - offset);
    memcpy(buffer, input->file.data + offset, size);
    return LAM_STATUS_OK;
}

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

static lam_status check_ending(ending_input *source, told_rules *told, lam_error *error) {
    lam_input input = {.state = source, .size = source->file.size, .read_at = read_or_end};
    lam_check_options options = lam_check_options_default();
    options.stop = &source->stop;
    source->reads = 0;
    told->count = 0;
    memset(&source->stop, 0, sizeof source->stop);
    return lam_check(&input, &options, tell_rule, told, NULL, error);
}

static void expect_ends(lam_bytes file, const char *name) {
    static told_rules whole, told;
    ending_input source = {.file = file};
    lam_error error = lam_error_none();
    cr_assert_eq(check_ending(&source, &whole, &error), LAM_STATUS_OK, "%s: %s", name,
                 error.message);
    size_t reads = source.reads;
    cr_assert_gt(reads, 2, "%s", name);
    for (size_t nth = 1; nth <= reads; nth++) {
        for (int stops = 0; stops < 2; stops++) {
            source.fail_at = stops ? 0 : nth;
            source.stop_at = stops ? nth : 0;
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
    for (int version = 1; version <= 2; version++)
        for (int rest = 0; rest < 4; rest++) {
            rich_file file;
            lam_writer_options options = forge_options(version, rest & 1, rest & 2);
            rich_file_init(&file, &options);
            rich_file_end(&file);
            expect_ends(lam_buffer_bytes(&file.data), "a rich file");
            rich_file_finish(&file);
        }
}

static void expect_shared(void *state, const char *path) {
    size_t size, length = strlen(path);
    if (length < 8 || strcmp(path + length - 8, ".parquet") != 0)
        return;
    char *bytes = lam_test_read_file(path, &size);
    cr_assert_not_null(bytes, "%s", path);
    if (size <= LARGEST_FILE && ++*(size_t *)state <= 20)
        expect_ends((lam_bytes){(const uint8_t *)bytes, size}, path);
    free(bytes);
}

Test(check_ends, nor_are_the_files_of_others, .timeout = 100) {
    size_t files = 0, variants = 0;
    if (!lam_test_shared_exists("parquet-testing/data"))
        cr_skip_test("no shared folder parquet-testing/data");
    lam_test_each_file(lam_test_shared("parquet-testing/data"), expect_shared, &files);
    lam_test_each_file(lam_test_shared("parquet-testing/shredded_variant"), expect_shared,
                       &variants);
    cr_expect_gt(files, 5);
    cr_expect_gt(variants, 5);
}
