/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between inputs and files that know nothing of each other. */
#include <criterion/criterion.h>
#include <lamella/storage.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "io/storage_copy.h"
#include "support/failing_malloc.h"

enum { INPUT_SIZE = 1000003, LENT = 300000 };

static uint8_t source[INPUT_SIZE], target[INPUT_SIZE];
static size_t target_size, appends, reads, append_that_fails;

static lam_status target_append(void *state, const void *data, size_t size, lam_error *error) {
    (void)state;
    if (++appends == append_that_fails)
        LAM_FAIL(error, LAM_ERROR_CODE_DISK_FULL, "full");
    memcpy(target + target_size, data, size);
    target_size += size;
    return LAM_STATUS_OK;
}

static lam_status source_read_at(void *state, uint64_t offset, size_t size, void *buffer,
                                 lam_error *error) {
    (void)state, (void)error;
    reads++;
    memcpy(buffer, source + offset, size);
    return LAM_STATUS_OK;
}

/* Lends the first bytes only. */
static const uint8_t *source_borrow(void *state, uint64_t offset, size_t size) {
    (void)state;
    return offset + size <= LENT ? source + offset : NULL;
}

static lam_storage_file file = {.append = target_append};
static lam_input input = {.size = INPUT_SIZE, .read_at = source_read_at};

static void fill(void) {
    for (size_t i = 0; i < INPUT_SIZE; i++)
        source[i] = (uint8_t)(i * 2654435761u >> 24);
}

TestSuite(storage_copy, .init = fill);

static void expect_copied(uint64_t offset, uint64_t size) {
    target_size = 0;
    cr_assert_eq(lam_storage_copy(&file, &input, offset, size, NULL), LAM_STATUS_OK);
    cr_assert_eq(target_size, size);
    cr_assert_eq(memcmp(target, source + offset, size), 0);
}

Test(storage_copy, ranges_of_all_sizes_are_read_and_appended) {
    expect_copied(0, INPUT_SIZE);
    expect_copied(17, 1);
    expect_copied(17, 262144);
    expect_copied(17, 262145);
    expect_copied(INPUT_SIZE, 0);
}

Test(storage_copy, what_the_input_lends_is_not_read) {
    input.borrow = source_borrow;
    expect_copied(5, 100000);
    cr_assert_eq(reads, 0);
    expect_copied(5, INPUT_SIZE - 5);
    cr_assert_gt(reads, 0);
}

Test(storage_copy, a_range_beyond_the_end_is_invalid_and_copies_nothing) {
    cr_assert_eq(lam_storage_copy(&file, &input, INPUT_SIZE - 1, 2, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_storage_copy(&file, &input, INPUT_SIZE + 1, 0, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_storage_copy(&file, &input, 1, UINT64_MAX, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(appends, 0);
}

Test(storage_copy, a_failure_ends_the_copy) {
    lam_error error = lam_error_none();
    append_that_fails = 2;
    cr_assert_eq(lam_storage_copy(&file, &input, 0, INPUT_SIZE, &error), LAM_STATUS_IO);
    cr_assert_eq(error.code, LAM_ERROR_CODE_DISK_FULL);
    cr_assert_eq(appends, 2);
    input.borrow = source_borrow;
    append_that_fails = 3;
    cr_assert_eq(lam_storage_copy(&file, &input, 0, LENT, &error), LAM_STATUS_IO);
    cr_assert_eq(appends, 3);
}

/* What is not lent needs a block of the heap, and so does a file of the system. */
Test(storage_copy, without_memory_nothing_is_copied_or_created) {
    static const char missing[] = "/tmp/lamella-storage-copy-that-is-never-made";
    lam_storage storage = lam_storage_files();
    lam_storage_file created = {0};
    lam_error error = lam_error_none();
    lam_fail_malloc_at(1);
    lam_status status = lam_storage_copy(&file, &input, 0, INPUT_SIZE, &error);
    (void)lam_fail_malloc_end();
    if (!lam_fail_malloc_is_whole())
        return;
    cr_assert_eq(status, LAM_STATUS_NOMEM);
    cr_assert_eq(appends, 0);
    lam_fail_malloc_at(1);
    status = storage.create(storage.state, missing, &created, &error);
    (void)lam_fail_malloc_end();
    cr_assert_eq(status, LAM_STATUS_NOMEM);
    cr_assert_neq(access(missing, F_OK), 0);
}
