/* SPDX-License-Identifier: Apache-2.0 */
/* Leftovers of rare kinds: of later versions, at odd places, and where no name is free. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/log.h>
#include <lamella/recover.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "file/file_sample.h"
#include "log/journal/journal_frame.h"
#include "log/log_disk.h"
#include "log/log_sample.h"
#include "support/failing_alloc.h"
#include "support/random.h"

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
    options.leftovers = is_folder ? LAM_LOG_LEFTOVERS_KEEP : LAM_LOG_LEFTOVERS_RECOVER;
    lam_log_disk_leave(lam_log_disk_open(path, is_folder, options), 0, records, 10);
}

/* The records in all final files, each of which is as it was put. */
static size_t count_records(void) {
    lam_log_numbers all;
    lam_log_sample_numbers(log_disk, "", &all);
    cr_assert_str_empty(all.fault, "%s", all.fault);
    size_t count = all.count;
    lam_log_numbers_free(&all);
    return count;
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
    put_later_journal("_one.parquet.journal");
    open_and_finish("one.parquet", false);
    cr_expect(lam_log_disk_has("_one.parquet.journal.bad"));
    put_later_journal("logs/_" NAME ".journal");
    open_and_finish("logs", true);
    cr_expect(lam_log_disk_has("logs/_" NAME ".journal.bad"));
    cr_expect(!lam_log_disk_has("logs/_" NAME ".journal"));
}

Test(log_leftovers, files_that_are_not_read_are_put_aside) {
    lam_model_disk_put(log_disk, "logs/_" NAME ".part", "PARE and pages that are encrypted", 33);
    open_and_finish("logs", true);
    cr_expect(lam_log_disk_has("logs/_" NAME ".part.bad"));
}

/* A log has at most eight partition folders, one in the other. */
Test(log_leftovers, folders_are_searched_as_deep_as_partitions_go) {
    char paths[9][200], folder[100] = "logs";
    for (size_t depth = 0; depth < 9; depth++) {
        size_t size = strlen(folder);
        snprintf(folder + size, sizeof folder - size, "/k%zu=1", depth);
        snprintf(paths[depth], sizeof paths[depth], "%s/%s", folder, "_" NAME ".part");
        lam_model_disk_put(log_disk, paths[depth], "PAR1", 4);
    }
    open_and_finish("logs", true);
    for (size_t depth = 0; depth < 9; depth++)
        cr_expect_eq(lam_log_disk_has(paths[depth]), depth == 8, "%s", paths[depth]);
}

Test(log_leftovers, names_that_no_log_gives_stay) {
    static const char *const names[] = {
        "logs/k=1/_" NAME ".journal",
        "logs/_a.lamella-4711-00c0ffee12345678.tmp",
        "logs/.lamella-4711-00c0ffee12345678.tmp",
        "logs/"
        "a-name-that-is-longer-than-all-that-a-log-with-the-longest-prefix-could-give-its-files-"
        "of-all-kinds-and-some-more-letters-so-that-nobody-doubts-it-" NAME
        ".lamella-4711-00c0ffee12345678.tmp",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        lam_model_disk_put(log_disk, names[i], "something", 9);
    open_and_finish("logs", true);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_expect(lam_log_disk_has(names[i]), "%s", names[i]);
}

/* Strangers had taken all names that a leftover may be put aside under, and no log started. */
Test(log_leftovers, names_that_are_taken_keep_no_leftover_from_being_put_aside) {
    lam_model_disk_put(log_disk, "_one.parquet.journal", "a text that is no journal at all", 32);
    for (int i = 1; i <= 1000; i++) {
        char path[60];
        snprintf(path, sizeof path,
                 i > 1 ? "_one.parquet.journal.%d.bad" : "_one.parquet.journal.bad", i);
        lam_model_disk_put(log_disk, path, "x", 1);
    }
    open_and_finish("one.parquet", false);
    cr_expect_not(lam_log_disk_has("_one.parquet.journal"));
    lam_log_disk_remove("_one.parquet.journal.7.bad");
    lam_log_disk_remove("one.parquet");
    lam_model_disk_put(log_disk, "_one.parquet.journal", "a text that is no journal at all", 32);
    open_and_finish("one.parquet", false);
    cr_expect(lam_log_disk_has("_one.parquet.journal.7.bad"));
}

Test(log_leftovers, a_file_in_a_folder_goes_on) {
    lam_log_disk_make_folder("dir");
    leave_log("dir/one.parquet", false, true, 100);
    lam_log *log = lam_log_disk_open("dir/one.parquet", false, lam_log_options_default());
    cr_expect_eq(lam_log_disk_info(log).recovered, 110);
    lam_log_disk_finish(log);
    cr_expect_eq(lam_log_sample_count(log_disk, "dir/one.parquet", 0), 110);
}

/* --- Names of earlier builds ----------------------------------------------------------------- */

/* Takes the mark from the name of a file, which has it. */
static void take_mark(const char *path) {
    char without[200];
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    cr_assert_eq(name[0], '_', "%s", path);
    snprintf(without, sizeof without, "%.*s%s", (int)(name - path), path, name + 1);
    cr_assert_eq(log_storage.rename(log_storage.state, path, without, NULL), LAM_STATUS_OK);
}

static lam_status take_mark_of(void *state, const lam_storage_entry *entry, lam_error *error) {
    char(*paths)[120] = state;
    (void)error;
    while (**paths != '\0')
        paths++;
    snprintf(*paths, sizeof *paths, "logs/%s", entry->name);
    return LAM_STATUS_OK;
}

Test(log_leftovers, a_folder_of_an_earlier_build_is_recovered) {
    for (int journal = 0; journal < 2; journal++) {
        char paths[9][120] = {""};
        lam_log_disk_renew();
        leave_log("logs", true, journal == 1, 100);
        cr_assert_eq(log_storage.list(log_storage.state, "logs", take_mark_of, paths, NULL),
                     LAM_STATUS_OK);
        for (size_t i = 0; paths[i][0] != '\0'; i++)
            take_mark(paths[i]);
        open_and_finish("logs", true);
        cr_expect_eq(count_records(), journal == 1 ? 110 : 100);
        cr_expect_eq(lam_log_sample_read(log_disk, "").other_files, 0);
    }
}

/* Whichever of the names were changed already, as by a start that was interrupted. */
Test(log_leftovers, a_file_of_an_earlier_build_goes_on) {
    static const char *const names[] = {"_one.parquet.part", "_one.parquet.journal"};
    for (unsigned taken = 1; taken < 4; taken++)
        for (int is_old = 0; is_old < 2; is_old++) {
            lam_log_disk_renew();
            leave_log("one.parquet", false, true, 100);
            for (size_t i = 0; i < 2; i++) {
                char path[60];
                snprintf(path, sizeof path, "%s%s", names[i], is_old == 1 ? ".old" : "");
                if (is_old == 1)
                    cr_assert_eq(log_storage.rename(log_storage.state, names[i], path, NULL),
                                 LAM_STATUS_OK);
                if ((taken >> i & 1) != 0)
                    take_mark(path);
            }
            lam_log *log = lam_log_disk_open("one.parquet", false, lam_log_options_default());
            cr_expect_eq(lam_log_disk_info(log).recovered, 110, "%u %d", taken, is_old);
            lam_log_disk_finish(log);
            cr_expect_not(lam_log_disk_has("one.parquet.part"));
            cr_expect_not(lam_log_disk_has("one.parquet.journal"));
        }
}

Test(log_leftovers, a_file_that_an_earlier_build_is_writing_is_busy) {
    lam_error error = lam_error_none();
    lam_storage_file file;
    uint64_t size;
    lam_log *log;
    leave_log("one.parquet", false, false, 100);
    take_mark("_one.parquet.part");
    cr_assert_eq(log_storage.open(log_storage.state, "one.parquet.part", &file, &size, NULL),
                 LAM_STATUS_OK);
    cr_expect_eq(
        lam_log_disk_try_open("one.parquet", false, lam_log_options_default(), &log, &error),
        LAM_STATUS_IO);
    cr_expect_eq(error.code, LAM_ERROR_CODE_FILE_BUSY);
    lam_storage_file_close(&file);
    cr_expect(lam_log_disk_has("one.parquet.part"));
}

/* "_x.parquet.part" is that of x.parquet: a log of "_x.parquet" does not take it for its own. */
Test(log_leftovers, a_name_that_begins_with_the_mark_has_leftovers_of_its_own) {
    leave_log("x.parquet", false, true, 100);
    lam_log *log = lam_log_disk_open("_x.parquet", false, lam_log_options_default());
    cr_expect_eq(lam_log_disk_info(log).recovered, 0);
    lam_log_disk_finish(log);
    log = lam_log_disk_open("x.parquet", false, lam_log_options_default());
    cr_expect_eq(lam_log_disk_info(log).recovered, 110);
    lam_log_disk_finish(log);
}

/* --- What strangers put there ---------------------------------------------------------------- */

typedef struct name_list {
    char (*names)[120];
    size_t count;
} name_list;

static lam_status note_name(void *state, const lam_storage_entry *entry, lam_error *error) {
    name_list *list = state;
    (void)error;
    if (!entry->is_folder)
        snprintf(list->names[list->count++], sizeof *list->names, "logs/%s", entry->name);
    return LAM_STATUS_OK;
}

/* The names of what a log with a journal leaves that is killed. */
static size_t leave_names(char names[][120]) {
    name_list list = {names, 0};
    leave_log("logs", true, true, 100);
    cr_assert_eq(log_storage.list(log_storage.state, "logs", note_name, &list, NULL),
                 LAM_STATUS_OK);
    return list.count;
}

/* The final path of a file in "logs" of which a part is left. */
static void final_name(const char *part, char final[120]) {
    snprintf(final, 120, "logs/%.*s", (int)(strlen(part) - strlen("logs/_.part")), part + 6);
}

static bool has_ending(const char *name, const char *ending) {
    size_t size = strlen(name), length = strlen(ending);
    return size > length && strcmp(name + size - length, ending) == 0;
}

/* Opens and finishes a log; how many leftovers it passed over. */
static uint64_t passed_over(const char *path, bool is_folder) {
    lam_log *log = lam_log_disk_open(path, is_folder, lam_log_options_default());
    uint64_t count = lam_log_disk_info(log).passed_over;
    lam_log_disk_finish(log);
    return count;
}

Test(log_leftovers, files_of_others_with_the_names_of_leftovers_are_passed_over) {
    char names[8][120];
    size_t count = leave_names(names);
    cr_assert_eq(count, 2);
    for (size_t i = 0; i < count; i++)
        lam_model_disk_give_away(log_disk, names[i]);
    cr_expect_eq(passed_over("logs", true), 2);
    for (size_t i = 0; i < count; i++)
        cr_expect(lam_log_disk_has(names[i]), "%s", names[i]);
    cr_expect_eq(count_records(), 0);
}

/* The leftover went as if somebody's file were what a recovery had made of it. */
Test(log_leftovers, a_leftover_stays_where_others_have_its_final_name) {
    char names[8][120], final[120];
    size_t count = leave_names(names);
    for (size_t i = 0; i < count; i++) {
        if (!has_ending(names[i], ".part"))
            continue;
        final_name(names[i], final);
        lam_model_disk_put(log_disk, final, "theirs", 6);
        lam_model_disk_give_away(log_disk, final);
    }
    cr_expect_gt(passed_over("logs", true), 0);
    for (size_t i = 0; i < count; i++)
        cr_expect(lam_log_disk_has(names[i]), "%s", names[i]);
    lam_log_disk_remove(final);
    open_and_finish("logs", true);
    cr_expect_eq(count_records(), 110);
}

Test(log_leftovers, the_names_of_one_file_are_freed_where_others_have_them) {
    static const char *const names[] = {"_one.parquet.part", "_one.parquet.journal",
                                        "_one.parquet.part.old", "_one.parquet.journal.old"};
    for (size_t i = 0; i < 4; i++) {
        lam_model_disk_put(log_disk, names[i], "theirs", 6);
        lam_model_disk_give_away(log_disk, names[i]);
    }
    cr_expect_eq(passed_over("one.parquet", false), 4);
    for (size_t i = 0; i < 4; i++) {
        char aside[60];
        lam_bytes content;
        snprintf(aside, sizeof aside, "%s.bad", names[i]);
        cr_assert(lam_model_disk_content(log_disk, aside, &content), "%s", aside);
        cr_expect_eq(content.size, 6);
    }
}

/* --- Starts beside each other ---------------------------------------------------------------- */

/* What happens at the operation at hand of a start: another whole start, or a recovery. */
typedef struct busy_folder {
    uint64_t at, operation;
    bool recovers;
} busy_folder;

static void start_another(void *state, const char *what) {
    busy_folder *busy = state;
    (void)what;
    if (++busy->operation != busy->at)
        return;
    if (!busy->recovers) {
        open_and_finish("logs", true);
        return;
    }
    char names[40][120];
    name_list list = {names, 0};
    cr_assert_eq(log_storage.list(log_storage.state, "logs", note_name, &list, NULL),
                 LAM_STATUS_OK);
    for (size_t i = 0; i < list.count; i++) {
        char final[120];
        lam_recover_options options = lam_recover_options_default();
        lam_recovery recovery = lam_recovery_default();
        options.storage = &log_storage;
        if (!has_ending(names[i], ".part"))
            continue;
        final_name(names[i], final);
        if (lam_recover(names[i], final, &options, &recovery, NULL) == LAM_STATUS_OK)
            (void)log_storage.remove(log_storage.state, names[i], NULL);
    }
}

/* A start failed where another had just taken, recovered or removed what it was to recover. */
Test(log_leftovers, a_start_never_fails_by_what_another_start_or_a_recovery_does) {
    for (int recovers = 0; recovers < 2; recovers++)
        for (busy_folder busy = {.recovers = recovers == 1};; busy.operation = 0) {
            lam_log_disk_renew();
            leave_log("logs", true, true, 100);
            leave_log("logs", true, false, 100);
            busy.at++;
            lam_model_disk_watch(log_disk, start_another, &busy);
            open_and_finish("logs", true);
            lam_model_disk_watch(log_disk, NULL, NULL);
            lam_log_numbers all;
            lam_log_sample_numbers(log_disk, "", &all);
            cr_assert_str_empty(all.fault, "operation %" PRIu64 ": %s", busy.at, all.fault);
            size_t left = all.other_files;
            lam_log_numbers_free(&all);
            if (left > 0) /* two that were at work at once may each leave it to the other */
                open_and_finish("logs", true);
            lam_log_sample_numbers(log_disk, "", &all);
            cr_assert_eq(all.other_files, 0, "operation %" PRIu64 ": left over:%s", busy.at,
                         all.others);
            cr_assert_geq(all.count, 210, "operation %" PRIu64 ": %zu records", busy.at, all.count);
            lam_log_numbers_free(&all);
            if (busy.operation < busy.at)
                break;
        }
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
    cr_expect(lam_log_disk_has("_two.parquet.part"));
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
        cr_assert(lam_log_disk_has("_one.parquet.part"));
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
    } leftovers[] = {
        {"_" NAME ".lamella-4711-00c0ffee12345678.tmp", "half", NULL},
        {"_" NAME ".part", "PAR1 and pages that nobody knows", "_" NAME ".part.bad"},
        {"_" NAME ".journal", "a text that is no journal at all", "_" NAME ".journal.bad"},
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

/* --- What takes too much --------------------------------------------------------------------- */

enum { WIDE = 20000 }; /* columns of a leftover that the least limit has no room for */

/* Gives a file of so many columns the name of a leftover. */
static void put_wide(const char *path) {
    lam_file_sample sample;
    const size_t room = WIDE * 32;
    char *text = malloc(room);
    size_t size = (size_t)snprintf(text, room, "message m {");
    for (int i = 0; i < WIDE; i++)
        size += (size_t)snprintf(text + size, room - size, "optional int32 c%d;", i);
    snprintf(text + size, room - size, "}");
    lam_random random = lam_random_start(1);
    lam_file_sample_init(&sample, lam_test_schema(text), 1, 0, &random);
    lam_file_sample_write(&sample, NULL, NULL);
    lam_model_disk_put(log_disk, path, sample.bytes.data, sample.bytes.size);
    lam_file_sample_finish(&sample);
    free(text);
}

/* Opens and finishes a log of 2 MiB; how many leftovers it leaves as they are. */
static uint64_t unrecovered(const lam_stop *stop) {
    lam_log_options options = lam_log_options_default();
    options.memory_limit = 2 << 20;
    options.stop = stop;
    lam_log *log = lam_log_disk_open("logs", true, options);
    uint64_t count = lam_log_disk_info(log).unrecovered;
    lam_log_disk_put(log, 0, 10);
    lam_log_disk_finish(log);
    return count;
}

/* A footer that somebody had put there took any memory, and time, before the first record. */
Test(log_leftovers, a_leftover_that_does_not_fit_the_memory_limit_stays) {
    lam_failing_alloc counter = {0};
    lam_log_options options = lam_log_options_default();
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_bytes before, content;
    put_wide("logs/_" NAME ".part");
    cr_assert(lam_model_disk_content(log_disk, "logs/_" NAME ".part", &before));
    cr_expect_eq(unrecovered(NULL), 1);
    cr_expect_eq(count_records(), 10);
    options.allocator = &allocator;
    options.memory_limit = 2 << 20;
    lam_log_disk_finish(lam_log_disk_open("logs", true, options));
    cr_expect_leq(counter.peak_bytes, 8 << 20);
    cr_assert(lam_model_disk_content(log_disk, "logs/_" NAME ".part", &content));
    cr_expect_eq(content.size, before.size);
    open_and_finish("logs", true); /* with more memory it is recovered */
    cr_expect(!lam_log_disk_has("logs/_" NAME ".part"));
    cr_expect(lam_log_disk_has("logs/" NAME));
}

Test(log_leftovers, one_file_is_not_opened_where_its_leftover_does_not_fit) {
    lam_log *log;
    lam_error error = lam_error_none();
    lam_log_options options = lam_log_options_default();
    options.memory_limit = 2 << 20;
    put_wide("_one.parquet.part");
    cr_assert_eq(lam_log_disk_try_open("one.parquet", false, options, &log, &error),
                 LAM_STATUS_LIMIT, "%s", error.message);
    cr_expect(strstr(error.message, "_one.parquet.part") != NULL, "%s", error.message);
    cr_expect(lam_log_disk_has("_one.parquet.part"));
    cr_expect(!lam_log_disk_has("_one.parquet.part.old"));
}

Test(log_leftovers, a_stop_leaves_leftovers_for_the_next_start) {
    lam_stop stop = {0};
    lam_stop_request(&stop);
    leave_log("logs", true, true, 100);
    cr_expect_gt(unrecovered(&stop), 0);
    cr_expect_eq(unrecovered(NULL), 0);
    lam_log_numbers all;
    lam_log_sample_numbers(log_disk, "", &all);
    cr_expect_str_empty(all.fault, "%s", all.fault);
    cr_expect_eq(all.count, 110 + 10 + 10); /* of the log that was killed, and of both behind it */
    cr_expect_eq(all.other_files, 0);
    lam_log_numbers_free(&all);
}

/* A limit that had room for an older footer only would recover less than there is. */
Test(log_leftovers, a_recovery_within_any_memory_has_all_rows_or_none) {
    size_t recovered = 0, refused = 0;
    char names[8][120];
    lam_log_options options = lam_log_options_default();
    lam_log *log = lam_log_disk_open("logs", true, options);
    for (uint64_t i = 0; i < 20; i++) {
        lam_log_disk_put(log, i * 10, 10);
        cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
    }
    lam_log_disk_kill_log(log);
    name_list list = {names, 0};
    cr_assert_eq(log_storage.list(log_storage.state, "logs", note_name, &list, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(list.count, 1);
    for (uint64_t limit = 4096; limit < 4 << 20; limit += limit / 8) {
        lam_budget *budget;
        lam_recovery recovery = lam_recovery_default();
        lam_recover_options how = lam_recover_options_default();
        cr_assert_eq(lam_budget_create(NULL, limit, &budget, NULL), LAM_STATUS_OK);
        lam_allocator allocator = lam_budget_allocator(budget);
        how.allocator = &allocator;
        how.storage = &log_storage;
        lam_error error = lam_error_none();
        lam_status status = lam_recover(names[0], "out.parquet", &how, &recovery, &error);
        if (status == LAM_STATUS_OK) {
            cr_expect_eq(recovery.rows, 200, "%" PRIu64 " bytes", limit);
            lam_log_disk_remove("out.parquet");
        } else {
            cr_expect_eq(status, LAM_STATUS_LIMIT, "%" PRIu64 " bytes: %s", limit, error.message);
        }
        recovered += status == LAM_STATUS_OK;
        refused += status != LAM_STATUS_OK;
        lam_budget_destroy(budget);
    }
    cr_expect_gt(recovered, 0);
    cr_expect_gt(refused, 0);
}
