/* SPDX-License-Identifier: Apache-2.0 */
/* Retention where a file goes, or the disk fails, while files are removed; and what a log that goes
 * on remembers. */
#include <criterion/criterion.h>
#include <lamella/log.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "log/folder/log_name.h"
#include "log/folder/log_retention.h"
#include "log/log_disk.h"

#define SECOND INT64_C(1000000000)

TestSuite(log_retainer, .init = lam_log_disk_start, .fini = lam_log_disk_stop);

/* The path of a final file of 10 bytes, from so many seconds after 1970; static. */
static const char *put_final(int64_t seconds) {
    static char path[LAM_LOG_NAME_MAX + 10];
    char name[LAM_LOG_NAME_MAX + 1];
    lam_log_name_print("log", seconds * SECOND, (uint64_t)seconds, name);
    snprintf(path, sizeof path, "log/%s", name);
    lam_model_disk_put(log_disk, path, "0123456789", 10);
    return path;
}

static lam_log_retention retention_of(const lam_storage *of) {
    return (lam_log_retention){.storage = of, .root = "log", .prefix = "log", .utc = 100 * SECOND};
}

/* Nanoseconds of 64 bits begin within this second. */
Test(log_retainer, the_second_in_which_nanoseconds_begin_has_passed) {
    static const char path[] = "log/log-16770921T001243Z-0000000000000001.parquet";
    lam_log_removed removed;
    lam_log_retention retention = retention_of(&log_storage);
    retention.keep_ms = 1000;
    lam_model_disk_put(log_disk, path, "0123456789", 10);
    cr_assert_eq(lam_log_retain(&retention, &removed, NULL), LAM_STATUS_OK);
    cr_assert_eq(removed.files, 1);
    cr_assert(!lam_log_disk_has(path));
}

/* Removes the file that is about to be removed. */
static void remove_first(void *state, const char *what) {
    if (strcmp(what, "remove") == 0)
        (void)log_storage.remove(log_storage.state, state, NULL);
}

Test(log_retainer, a_file_that_somebody_else_removes_no_longer_counts) {
    char path[LAM_LOG_NAME_MAX + 10];
    lam_log_removed removed;
    lam_log_retention retention = retention_of(&log_storage);
    lam_error error = lam_error_none();
    retention.keep_bytes = 10;
    snprintf(path, sizeof path, "%s", put_final(1));
    (void)put_final(2);
    lam_model_disk_watch(log_disk, remove_first, path);
    cr_assert_eq(lam_log_retain(&retention, &removed, &error), LAM_STATUS_OK, "%s", error.message);
    lam_model_disk_watch(log_disk, NULL, NULL);
    cr_expect_eq(removed.files, 0);
    cr_expect_eq(removed.bytes, 0);
    cr_expect_eq(removed.left_bytes, 10);
    cr_expect(!lam_log_disk_has(path));
}

/* A disk whose first removal and second listing fail. */
typedef struct failing_disk {
    int removals, lists;
} failing_disk;

static lam_status remove_or_fail(void *state, const char *path, lam_error *error) {
    failing_disk *failing = state;
    if (failing->removals++ == 0)
        LAM_FAIL(error, LAM_STATUS_IO, "the removal fails");
    return log_storage.remove(log_storage.state, path, error);
}

static lam_status list_or_fail(void *state, const char *path,
                               lam_status (*each)(void *each_state, const lam_storage_entry *entry,
                                                  lam_error *error),
                               void *each_state, lam_error *error) {
    failing_disk *failing = state;
    if (++failing->lists == 2)
        LAM_FAIL(error, LAM_STATUS_IO, "the listing fails");
    return log_storage.list(log_storage.state, path, each, each_state, error);
}

Test(log_retainer, of_several_failures_the_first_is_reported) {
    failing_disk failing = {0};
    lam_storage fails = log_storage;
    lam_log_removed removed;
    lam_error error = lam_error_none();
    fails.state = &failing;
    fails.remove = remove_or_fail;
    fails.list = list_or_fail;
    lam_log_retention retention = retention_of(&fails);
    retention.keep_bytes = 10;
    retention.at_a_time = 3;
    for (int64_t i = 1; i <= 12; i++)
        (void)put_final(i);
    cr_assert_eq(lam_log_retain(&retention, &removed, &error), LAM_STATUS_IO);
    cr_expect_str_eq(error.message, "the removal fails");
    cr_expect_eq(failing.lists, 2);
    cr_expect_gt(removed.files, 0);
}

Test(log_retainer, files_of_other_names_are_not_remembered) {
    char name[LAM_LOG_NAME_MAX + 1];
    lam_log_retainer *retainer;
    lam_log_removed removed;
    lam_log_retention retention = retention_of(&log_storage);
    retention.keep_bytes = 1000;
    (void)put_final(1);
    cr_assert_eq(lam_log_retainer_create(&retention, &retainer, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_log_retainer_run(retainer, 100 * SECOND, 1, 0, &removed, NULL), LAM_STATUS_OK);
    cr_expect_eq(removed.left_bytes, 10);
    lam_log_name_print("log", 2 * SECOND, 2, name);
    lam_log_retainer_add(retainer, name, 20);
    lam_log_name_print("other", 3 * SECOND, 3, name);
    lam_log_retainer_add(retainer, name, 40);
    lam_log_retainer_add(retainer, "log/notes", 80);
    cr_assert_eq(lam_log_retainer_run(retainer, 100 * SECOND, 2, 0, &removed, NULL), LAM_STATUS_OK);
    cr_expect_eq(removed.left_bytes, 30);
    lam_log_retainer_destroy(retainer);
}

Test(log_retainer, a_log_of_any_memory_removes_its_old_files) {
    static const uint64_t limits[] = {2 << 20, 20 << 20, 1 << 30};
    for (size_t i = 0; i < 3; i++) {
        char folder[10];
        lam_log_options options = lam_log_options_default();
        snprintf(folder, sizeof folder, "logs%zu", i);
        options.memory_limit = limits[i];
        options.keep_bytes = 1;
        lam_log *log = lam_log_disk_open(folder, true, options);
        for (uint64_t n = 0; n < 3; n++) {
            lam_log_disk_put(log, n, 1);
            cr_assert_eq(lam_log_rotate(log, NULL), LAM_STATUS_OK);
        }
        cr_expect_geq(lam_log_disk_info(log).removed_files, 2);
        lam_log_disk_finish(log);
    }
}
