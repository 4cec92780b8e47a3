/* SPDX-License-Identifier: Apache-2.0 */
/* Leftovers of rare kinds: of later versions, at odd places, and where no name is free. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/log.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "log/journal_frame.h"
#include "log/log_disk.h"
#include "log/log_sample.h"
#include "support/failing_alloc.h"

#define NAME "log-20261123T004500Z-00c0ffee12345678.parquet"

TestSuite(log_leftovers, .init = lam_log_disk_start, .fini = lam_log_disk_stop);

/* Opens a log on what is there, and ends it. */
static void open_and_finish(const char *path, bool is_folder) {
    lam_log_disk_finish(lam_log_disk_open(path, is_folder, lam_log_options_default()));
}

/* Puts records and ends the process. */
static void leave_log(const char *path, bool is_folder, bool journal, uint64_t records) {
    lam_log_options options = lam_log_options_default();
    options.journal = journal;
    lam_log_disk_leave(lam_log_disk_open(path, is_folder, options), 0, records, 10);
}

/* The head of a journal of a later version. */
static void put_later_journal(const char *path) {
    static const uint8_t id[LAM_JOURNAL_ID_SIZE] = {1};
    uint8_t head[LAM_JOURNAL_HEAD_SIZE];
    lam_journal_head_write(id, head);
    head[7] = 2;
    lam_store_le32(head + 24, lam_crc32(0, head, 24));
    lam_model_disk_put(log_disk, path, head, sizeof head);
}

Test(log_leftovers, a_journal_of_a_later_version_is_put_aside) {
    put_later_journal("one.parquet.journal");
    open_and_finish("one.parquet", false);
    cr_expect(lam_log_disk_has("one.parquet.journal.bad"));
    put_later_journal("logs/" NAME ".journal");
    open_and_finish("logs", true);
    cr_expect(lam_log_disk_has("logs/" NAME ".journal.bad"));
    cr_expect(!lam_log_disk_has("logs/" NAME ".journal"));
}

Test(log_leftovers, files_that_are_not_read_are_put_aside) {
    lam_model_disk_put(log_disk, "logs/" NAME ".part", "PARE and pages that are encrypted", 33);
    open_and_finish("logs", true);
    cr_expect(lam_log_disk_has("logs/" NAME ".part.bad"));
}

/* A log has at most eight partition folders, one in the other. */
Test(log_leftovers, folders_are_searched_as_deep_as_partitions_go) {
    char paths[9][200], folder[100] = "logs";
    for (size_t depth = 0; depth < 9; depth++) {
        size_t size = strlen(folder);
        snprintf(folder + size, sizeof folder - size, "/k%zu=1", depth);
        snprintf(paths[depth], sizeof paths[depth], "%s/%s", folder, NAME ".part");
        lam_model_disk_put(log_disk, paths[depth], "PAR1", 4);
    }
    open_and_finish("logs", true);
    for (size_t depth = 0; depth < 9; depth++)
        cr_expect_eq(lam_log_disk_has(paths[depth]), depth == 8, "%s", paths[depth]);
}

Test(log_leftovers, names_that_no_log_gives_stay) {
    static const char *const names[] = {
        "logs/k=1/" NAME ".journal",
        "logs/a.recovering",
        "logs/.recovering",
        "logs/"
        "a-name-that-is-longer-than-all-that-a-log-with-the-longest-prefix-could-give-its-files-"
        "of-all-kinds-and-some-more-letters-so-that-nobody-doubts-it-" NAME ".recovering",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        lam_model_disk_put(log_disk, names[i], "something", 9);
    open_and_finish("logs", true);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_expect(lam_log_disk_has(names[i]), "%s", names[i]);
}

Test(log_leftovers, a_leftover_for_which_no_name_is_free_is_reported) {
    lam_log *log;
    lam_error error = lam_error_none();
    lam_model_disk_put(log_disk, "one.parquet.journal", "a text that is no journal at all", 32);
    for (int i = 1; i <= 1000; i++) {
        char path[60];
        snprintf(path, sizeof path,
                 i > 1 ? "one.parquet.journal.%d.bad" : "one.parquet.journal.bad", i);
        lam_model_disk_put(log_disk, path, "x", 1);
    }
    lam_status status =
        lam_log_disk_try_open("one.parquet", false, lam_log_options_default(), &log, &error);
    cr_assert_neq(status, LAM_STATUS_OK);
    cr_expect_eq(error.code, LAM_ERROR_CODE_FILE_EXISTS, "%s", error.message);
    lam_log_disk_remove("one.parquet.journal.7.bad");
    open_and_finish("one.parquet", false);
    cr_expect(lam_log_disk_has("one.parquet.journal.7.bad"));
}

Test(log_leftovers, a_file_in_a_folder_goes_on) {
    lam_log_disk_make_folder("dir");
    leave_log("dir/one.parquet", false, true, 100);
    lam_log *log = lam_log_disk_open("dir/one.parquet", false, lam_log_options_default());
    cr_expect_eq(lam_log_disk_info(log).recovered, 110);
    lam_log_disk_finish(log);
    cr_expect_eq(lam_log_sample_count(log_disk, "dir/one.parquet", 0), 110);
}

/* --- Leftovers that are kept ----------------------------------------------------------------- */

Test(log_leftovers, a_file_that_is_kept_is_in_the_way_of_its_log) {
    lam_log_options options = lam_log_options_default();
    lam_log *other;
    lam_error error = lam_error_none();
    options.leftovers = LAM_LOG_LEFTOVERS_KEEP;
    lam_log *log = lam_log_disk_open("one.parquet", false, options);
    cr_assert_neq(lam_log_disk_try_open("one.parquet", false, options, &other, &error),
                  LAM_STATUS_OK);
    cr_expect_eq(error.code, LAM_ERROR_CODE_FILE_BUSY, "%s", error.message);
    lam_log_disk_finish(log);
    leave_log("two.parquet", false, false, 20);
    cr_assert_neq(lam_log_disk_try_open("two.parquet", false, options, &other, &error),
                  LAM_STATUS_OK);
    cr_expect_eq(error.code, LAM_ERROR_CODE_FILE_EXISTS, "%s", error.message);
    cr_expect(lam_log_disk_has("two.parquet.part"));
}

Test(log_leftovers, each_operation_before_a_file_that_is_kept_may_fail) {
    lam_log_options options = lam_log_options_default();
    options.leftovers = LAM_LOG_LEFTOVERS_KEEP;
    leave_log("one.parquet", false, false, 20);
    for (uint64_t at = 1;; at++) {
        lam_log *log;
        lam_error error = lam_error_none();
        uint64_t before = lam_model_disk_counts(log_disk).operations;
        lam_model_disk_set_fault(log_disk, (lam_model_fault){.at = before + at});
        lam_status status = lam_log_disk_try_open("one.parquet", false, options, &log, &error);
        bool was_hit = lam_model_disk_counts(log_disk).operations >= before + at;
        cr_assert_neq(status, LAM_STATUS_OK);
        cr_assert(was_hit || error.code == LAM_ERROR_CODE_FILE_EXISTS, "%s", error.message);
        lam_model_disk_set_fault(log_disk, (lam_model_fault){0});
        cr_assert(lam_log_disk_has("one.parquet.part"));
        if (!was_hit)
            break;
    }
}

/* --- Memory ---------------------------------------------------------------------------------- */

/* Paths that are longer than those of other tests need memory where these had some. */
Test(log_leftovers, each_request_for_the_memory_of_a_long_path_may_be_refused) {
    static const char folder[] = "a folder of a log whose files have such long paths that each "
                                 "suffix needs more memory than there was";
    static const struct {
        const char *name, *content, *after;
    } leftovers[] = {{NAME ".recovering", "half", NULL},
                     {NAME ".part", "PAR1 and pages that nobody knows", NAME ".part.bad"},
                     {NAME ".journal", "a text that is no journal at all", NAME ".journal.bad"},
                     {"notes", "mine", "notes"}};
    for (size_t i = 0; i < sizeof leftovers / sizeof *leftovers; i++)
        for (size_t fail_at = 1;; fail_at++) {
            char path[200];
            lam_failing_alloc counter = {.fail_at = fail_at};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_log_options options = lam_log_options_default();
            lam_log *log;
            lam_log_disk_renew();
            snprintf(path, sizeof path, "%s/%s", folder, leftovers[i].name);
            lam_model_disk_put(log_disk, path, leftovers[i].content, strlen(leftovers[i].content));
            options.allocator = &allocator;
            lam_status status = lam_log_disk_try_open(folder, true, options, &log, NULL);
            if (status == LAM_STATUS_OK)
                lam_log_close(log);
            cr_assert_eq(counter.live_bytes, 0);
            if (status == LAM_STATUS_OK) {
                snprintf(path, sizeof path, "%s/%s", folder,
                         leftovers[i].after == NULL ? leftovers[i].name : leftovers[i].after);
                cr_expect_eq(lam_log_disk_has(path), leftovers[i].after != NULL, "%s", path);
                break;
            }
            cr_assert_eq(status, LAM_STATUS_NOMEM);
        }
}
