/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of a file is found beside it or above its partitions, and the one with most rows
 * counts.
 */
#include "log/journal/journal_search.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "log/journal/journal_write.h"
#include "log/log_disk.h"

static void start(void) {
    lam_log_disk_start_with("message m { required int64 a; }");
}

TestSuite(journal_search, .init = start, .fini = lam_log_disk_stop);

static const lam_input none; /* no original */

/* Puts a journal that has rows of one file, whose id begins with the number of rows. */
static void put_journal(const char *path, const char *file, uint8_t rows) {
    static const int64_t values[100];
    const lam_triples column = {.count = rows, .value_count = rows, .values = values};
    uint8_t id[LAM_JOURNAL_ID_SIZE] = {rows};
    lam_journal_writer *writer;
    uint32_t of_schema, of_file;
    cr_assert_eq(lam_journal_writer_create(&log_storage, path, NULL, id, NULL, &writer, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_add_schema(writer, log_schema, NULL, &of_schema, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_add_file(writer, of_schema, id, file, &of_file, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_add_rows(writer, of_file, 0, 0, &column, rows, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_sync(writer, NULL), LAM_STATUS_OK);
    lam_journal_writer_close(writer);
}

/* Searches the journal of a file; expects it, or NULL for none. */
static void expect_found(const char *path, const char *journal, uint8_t rows) {
    lam_allocator allocator = lam_allocator_default();
    lam_journal_found found;
    lam_error error = lam_error_none();
    lam_journal_found_init(&found, &allocator);
    cr_assert_eq(lam_journal_search(&log_storage, path, &none, &found, &error), LAM_STATUS_OK,
                 "%s: %s", path, error.message);
    cr_expect_eq(found.path.size > 0, journal != NULL, "%s", path);
    if (journal != NULL && found.path.size > 0) {
        cr_expect_str_eq((const char *)found.path.data, journal);
        cr_expect_eq(found.file_id[0], rows);
        cr_expect(lam_schema_equals(found.schema, log_schema));
    }
    lam_journal_found_finish(&found);
}

static void make_folder(const char *path) {
    lam_log_disk_make_folder(path);
}

Test(journal_search, of_several_journals_the_one_with_most_rows_is_taken) {
    make_folder("logs");
    put_journal("logs/a.journal", "x.parquet", 3);
    put_journal("logs/b.journal", "x.parquet", 5);
    put_journal("logs/c.journal", "x.parquet", 4);
    put_journal("logs/d.journal", "y.parquet", 9);
    expect_found("logs/x.parquet", "logs/b.journal", 5);
    expect_found("logs/y.parquet", "logs/d.journal", 9);
    expect_found("logs/z.parquet", NULL, 0);
}

Test(journal_search, a_journal_is_in_the_folder_above_the_partitions) {
    make_folder("logs");
    make_folder("logs/day=1");
    put_journal("logs/a.journal", "day=1/x.parquet", 2);
    expect_found("logs/day=1/x.parquet", "logs/a.journal", 2);
    expect_found("logs/day=2/x.parquet", NULL, 0); /* a folder that is not there */
}

Test(journal_search, files_without_a_folder_have_journals_beside_them) {
    put_journal("a.journal", "x.parquet", 2);
    expect_found("x.parquet", "./a.journal", 2);
    expect_found("/x.parquet", "/a.journal", 2);
}

/* A log has at most eight partition folders below its own. */
Test(journal_search, journals_far_above_a_file_are_not_its_own) {
    for (int folders = 7; folders <= 9; folders++) {
        char file[100] = "", path[sizeof file + 5];
        make_folder("logs");
        for (int i = 0; i < folders; i++) {
            snprintf(file + strlen(file), sizeof file - strlen(file), "k%d=%d/", i, folders);
            snprintf(path, sizeof path, "logs/%s", file);
            path[strlen(path) - 1] = '\0';
            make_folder(path);
        }
        strcat(file, "x.parquet");
        snprintf(path, sizeof path, "logs/%s", file);
        char journal[30];
        snprintf(journal, sizeof journal, "logs/%d.journal", folders);
        put_journal(journal, file, 2);
        expect_found(path, folders <= 8 ? journal : NULL, 2);
    }
}

Test(journal_search, journals_that_cannot_be_understood_are_passed_over) {
    uint8_t head[LAM_JOURNAL_HEAD_SIZE];
    static const uint8_t id[LAM_JOURNAL_ID_SIZE] = {1};
    put_journal("b.journal", "x.parquet", 2);
    lam_journal_head_write(id, head);
    head[7] = 2; /* of a later version */
    lam_store_le32(head + 24, lam_crc32(0, head, 24));
    lam_model_disk_put(log_disk, "a.journal", head, sizeof head);
    lam_model_disk_put(log_disk, "c.journal", "a text that is no journal at all", 32);
    make_folder("d.journal");
    expect_found("x.parquet", "./b.journal", 2);
}

/* Removes a journal that is about to be opened. */
static void remove_before_open(void *state, const char *what) {
    if (strcmp(what, "open_input") == 0)
        (void)log_storage.remove(log_storage.state, state, NULL);
}

Test(journal_search, a_journal_may_be_removed_in_the_meantime) {
    char path[] = "a.journal";
    put_journal(path, "x.parquet", 2);
    lam_model_disk_watch(log_disk, remove_before_open, path);
    expect_found("x.parquet", NULL, 0);
    lam_model_disk_watch(log_disk, NULL, NULL);
    cr_assert(!lam_log_disk_has(path));
}

Test(journal_search, what_the_disk_does_not_give_is_reported) {
    lam_allocator allocator = lam_allocator_default();
    make_folder("logs");
    make_folder("logs/day=1");
    put_journal("logs/a.journal", "day=1/x.parquet", 2);
    for (int has_error = 0; has_error < 2; has_error++)
        for (uint64_t at = 1;; at++) {
            lam_journal_found found;
            lam_error error = lam_error_none();
            uint64_t before = lam_model_disk_counts(log_disk).operations;
            lam_journal_found_init(&found, &allocator);
            lam_model_disk_set_fault(log_disk, (lam_model_fault){.at = before + at});
            lam_status status = lam_journal_search(&log_storage, "logs/day=1/x.parquet", &none,
                                                   &found, has_error ? &error : NULL);
            bool was_hit = lam_model_disk_counts(log_disk).operations >= before + at;
            cr_assert_eq(status, was_hit ? LAM_STATUS_IO : LAM_STATUS_OK, "operation %" PRIu64, at);
            cr_assert_eq(error.status, has_error ? status : LAM_STATUS_OK);
            lam_journal_found_finish(&found);
            if (!was_hit)
                break;
        }
}

/* A storage that has no place for the words of what it calls. */
static lam_status list_without_words(void *state, const char *path,
                                     lam_status (*each)(void *each_state,
                                                        const lam_storage_entry *entry,
                                                        lam_error *error),
                                     void *each_state, lam_error *error) {
    (void)state;
    (void)error;
    return log_storage.list(log_storage.state, path, each, each_state, NULL);
}

Test(journal_search, a_storage_may_leave_the_words_of_a_failure_out) {
    lam_allocator allocator = lam_allocator_default();
    lam_journal_found found;
    lam_storage silent = log_storage;
    put_journal("a.journal", "x.parquet", 2);
    silent.list = list_without_words;
    lam_journal_found_init(&found, &allocator);
    /* The folder is listed, then the journal is opened. */
    lam_model_disk_set_fault(
        log_disk, (lam_model_fault){.at = lam_model_disk_counts(log_disk).operations + 2});
    cr_assert_eq(lam_journal_search(&silent, "x.parquet", &none, &found, NULL), LAM_STATUS_IO);
    lam_journal_found_finish(&found);
}
