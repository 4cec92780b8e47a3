/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in which a few bytes are changed at random are checked: each check ends, twice with the
 * same findings, and with the failure of whoever takes these.
 */
#include <criterion/criterion.h>
#include <lamella/check.h>
#include <stdlib.h>
#include <string.h>

#include "check/forge.h"
#include "file/file_sample.h"
#include "support/failing_alloc.h"
#include "support/shared.h"

TestSuite(check_changed, .timeout = 120);

enum { CHANGES_MOST = 6, SHARED_SIZE = 20000 };

static const char changed_shape[] =
    "message m { required int64 a; optional binary s; optional float f;"
    " optional double d; required boolean b; optional int96 t; optional fixed(5) x;"
    " optional group l (LIST) { repeated group list { optional int32 element; } }"
    " optional group p (MAP) { repeated group key_value { required binary key;"
    " optional int64 value (TIMESTAMP(MICROS,true)); } } optional binary j;"
    " optional fixed(2) h (FLOAT16); optional fixed(16) u (UUID);"
    " optional int32 y (DATE); optional int32 n (INTEGER(32,false)); }";

/* What a check found: a hash of its findings, their number, and which of them ends it. */
typedef struct changed_findings {
    uint64_t hash;
    uint64_t count;
    uint64_t fail_at; /* 0 never */
} changed_findings;

static lam_status take_changed(void *state, const lam_finding *finding, lam_error *error) {
    changed_findings *found = state;
    (void)error;
    for (const char *at = finding->message; *at != '\0'; at++)
        found->hash = (found->hash ^ (uint8_t)*at) * UINT64_C(1099511628211);
    return ++found->count == found->fail_at ? LAM_STATUS_STATE : LAM_STATUS_OK;
}

static lam_status check_changed(lam_bytes file, uint64_t limit, changed_findings *found) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_check_options options = lam_check_options_default();
    lam_check_totals totals = lam_check_totals_default();
    lam_input input = lam_input_memory(file.data, file.size);
    lam_error error = lam_error_none();
    options.allocator = &allocator;
    options.memory_limit = limit;
    lam_status status = lam_check(&input, &options, take_changed, found, &totals, &error);
    lam_input_close(&input);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
    cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_STATE || status == LAM_STATUS_LIMIT,
              "%d: %s", (int)status, error.message);
    return status;
}

/* Small numbers, the ends of their types, and neighbours of what is there. */
static uint8_t changed_byte(lam_random *random, uint8_t before) {
    switch (lam_random_below(random, 5)) {
    case 0:
        return (uint8_t)(before + 1);
    case 1:
        return (uint8_t)(before - 1);
    case 2:
        return (uint8_t)(before ^ 1u << lam_random_below(random, 8));
    case 3:
        return lam_random_chance(random, 50) ? 0 : UINT8_MAX;
    default:
        return (uint8_t)lam_random_next(random);
    }
}

static void expect_stable(lam_bytes file, uint64_t limit, lam_random *random) {
    changed_findings first = {0}, second = {0};
    lam_status status = check_changed(file, limit, &first);
    cr_assert_neq(status, LAM_STATUS_STATE);
    cr_assert_eq(check_changed(file, limit, &second), status);
    cr_assert_eq(first.count, second.count);
    cr_assert_eq(first.hash, second.hash);
    if (first.count == 0)
        return;
    second = (changed_findings){.fail_at = 1 + lam_random_below(random, first.count)};
    cr_assert_eq(check_changed(file, limit, &second), LAM_STATUS_STATE);
    cr_assert_eq(second.count, second.fail_at);
}

/* Most of what a small file states is at its end. */
static void change_and_check(lam_bytes file, unsigned rounds, lam_random *random) {
    uint8_t *bytes = malloc(file.size);
    for (unsigned round = 0; round < rounds; round++) {
        uint64_t changes = 1 + lam_random_below(random, CHANGES_MOST);
        size_t begin = lam_random_chance(random, 60) ? file.size / 2 : 0;
        memcpy(bytes, file.data, file.size);
        for (uint64_t i = 0; i < changes; i++) {
            size_t at = begin + (size_t)lam_random_below(random, file.size - 8 - begin);
            bytes[at] = changed_byte(random, bytes[at]);
        }
        uint64_t limit = lam_random_chance(random, 80) ? 0 : 1 + lam_random_below(random, 60000);
        expect_stable((lam_bytes){bytes, file.size}, limit, random);
    }
    free(bytes);
}

static void change_rich_file(lam_bytes file, const char *name) {
    lam_random random = lam_random_start(lam_test_seed(81));
    (void)name;
    change_and_check(file, 150, &random);
}

Test(check_changed, a_rich_file_has_the_same_findings_twice) {
    forge_each(change_rich_file);
}

Test(check_changed, so_has_a_file_of_all_types) {
    lam_random random = lam_random_start(lam_test_seed(82));
    for (int i = 0; i < 4; i++) {
        lam_file_sample sample;
        lam_writer_options options = lam_file_sample_open_to_changes(i);
        options.int96_order = i == 3;
        options.compat = i == 2 ? LAM_COMPAT_NEWEST : LAM_COMPAT_MODERN;
        lam_file_sample_init(&sample, lam_test_schema(changed_shape), 50, 70, &random);
        lam_file_sample_write(&sample, &options, NULL);
        change_and_check(lam_buffer_bytes(&sample.bytes), 150, &random);
        lam_file_sample_finish(&sample);
    }
}

static void change_shared(void *state, const char *path, const void *bytes, size_t size) {
    lam_random random = lam_random_start(lam_test_seed(83) + ++*(size_t *)state);
    (void)path;
    if (size <= SHARED_SIZE && size > 16)
        change_and_check((lam_bytes){bytes, size}, 8, &random);
}

Test(check_changed, so_have_files_of_other_writers) {
    size_t files = 0;
    if (!lam_test_shared_exists("parquet-testing/data"))
        cr_skip_test("no shared data");
    lam_test_each_parquet("parquet-testing/data", change_shared, &files);
    lam_test_each_parquet("parquet-testing/shredded_variant", change_shared, &files);
    cr_assert_gt(files, 50);
}
