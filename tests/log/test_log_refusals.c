/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every request for memory is refused, once and with all behind it, and every operation of the disk
 * fails, while a log takes records, triples and arrays and is widened, and while one is opened on
 * what others left. Each failure is reported as what it is, nothing leaks, and the next log has
 * every record that counted as durable.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/log_arrays.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "file/file_sample.h"
#include "log/log_disk.h"
#include "log/log_sample.h"
#include "log/log_sample_columns.h"
#include "support/failing_alloc.h"
#include "support/random.h"

static struct ArrowSchema arrow_schema;
/* The schema of the logs is as the Arrow schema has it; `wider` has a field more. */
static lam_schema *wider;

static void start(void) {
    lam_log_disk_start();
    wider = lam_test_schema(LAM_LOG_SAMPLE_WIDER);
    lam_log_sample_arrow_schema(log_schema, &arrow_schema);
    lam_schema_destroy(log_schema);
    cr_assert_eq(lam_arrow_import_schema(&arrow_schema, NULL, &log_schema, NULL), LAM_STATUS_OK);
}

static void stop(void) {
    arrow_schema.release(&arrow_schema);
    lam_schema_destroy(wider);
    lam_log_disk_stop();
}

TestSuite(log_refusals, .init = start, .fini = stop);

static const lam_log_key_value pairs[] = {{"made by", "a test"}, {"empty", ""}, {"none", NULL}};

static lam_log_options options_of(bool journal) {
    lam_log_options options = lam_log_options_default();
    options.storage = &log_storage;
    options.clock = &log_timer;
    options.journal = journal;
    options.key_values = pairs;
    options.key_value_count = 3;
    return options;
}

/* --- Writing --------------------------------------------------------------------------------- */

/* A log that is written to. */
static const struct {
    const char *name;
    bool is_folder, journal, has_arrow;
    uint64_t block; /* records of one call */
    const char *partition_by, *partition_format;
} kinds[] = {
    {"folder", true, false, true, 30, NULL, NULL},
    {"folder with a journal", true, true, false, 30, NULL, NULL},
    {"hours", true, true, true, 30, "at", "day=%d/hour=%H"},
    {"texts", true, false, false, 1, "text", "of %%=%v"},
    {"one file", false, true, true, 30, NULL, NULL},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* What became of a run. */
typedef struct written {
    lam_error error;
    lam_status status;
    uint64_t accepted, durable;
} written;

static void note_durable(void *state, uint64_t durable, const char *path) {
    written *run = state;
    (void)path;
    run->durable = durable;
}

static lam_status put_verbs(const lam_record_sink *sink, const lam_schema *of, uint64_t count,
                            written *run) {
    LAM_TRY(lam_log_sample_put(sink, of, run->accepted, count, &run->error));
    run->accepted += count;
    return LAM_STATUS_OK;
}

static lam_status put_triples(lam_log *log, uint64_t count, written *run) {
    LAM_TRY(lam_log_sample_triples(log, run->accepted, count, &run->error));
    run->accepted += count;
    return LAM_STATUS_OK;
}

static lam_status put_arrays(lam_log *log, uint64_t count, written *run) {
    lam_log_arrays *arrays;
    LAM_TRY(lam_log_arrays_create(log, &arrow_schema, &arrays, &run->error));
    lam_status status =
        lam_log_sample_arrays(arrays, log_schema, run->accepted, count, 10, &run->error);
    lam_log_arrays_destroy(arrays);
    LAM_TRY(status);
    run->accepted += count;
    return LAM_STATUS_OK;
}

static lam_status put_wider(lam_log *log, uint64_t count, written *run) {
    lam_log_producer *producer;
    LAM_TRY(lam_log_widen(log, wider, &run->error));
    LAM_TRY(lam_log_producer_create(log, &producer, &run->error));
    lam_record_sink sink = lam_log_producer_sink(producer);
    lam_status status = put_verbs(&sink, wider, count, run);
    lam_log_producer_destroy(producer);
    LAM_TRY(status);
    return put_triples(log, count, run);
}

static lam_status write_all(lam_log *log, size_t kind, written *run) {
    uint64_t block = kinds[kind].block;
    lam_record_sink sink = lam_log_sink(log);
    LAM_TRY(put_verbs(&sink, lam_log_schema(log), 3 * block, run));
    LAM_TRY(lam_log_poll(log, NULL, &run->error));
    LAM_TRY(put_triples(log, block, run));
    if (kinds[kind].has_arrow)
        LAM_TRY(put_arrays(log, block, run));
    LAM_TRY(lam_log_checkpoint(log, &run->error));
    if (kinds[kind].is_folder)
        LAM_TRY(put_wider(log, block, run));
    return lam_log_finish(log, &run->error);
}

static written write_log(size_t kind, const lam_allocator *allocator) {
    written run = {.error = lam_error_none()};
    lam_log_options options = options_of(kinds[kind].journal);
    lam_log *log;
    options.allocator = allocator;
    options.partition_by = kinds[kind].partition_by;
    options.partition_format = kinds[kind].partition_format;
    options.callback_state = &run;
    options.on_durable = note_durable;
    options.keep_ms = kinds[kind].is_folder ? 1000000 : 0;
    const char *path = kinds[kind].is_folder ? "logs" : "logs.parquet";
    lam_error *error = &run.error;
    if (kinds[kind].has_arrow)
        run.status = kinds[kind].is_folder
                         ? lam_log_open_arrow(&arrow_schema, path, &options, &log, error)
                         : lam_log_open_arrow_file(&arrow_schema, path, &options, &log, error);
    else
        run.status = kinds[kind].is_folder
                         ? lam_log_open(log_schema, path, &options, &log, error)
                         : lam_log_open_file(log_schema, path, &options, &log, error);
    if (run.status == LAM_STATUS_OK) {
        run.status = write_all(log, kind, &run);
        lam_log_close(log);
    }
    return run;
}

/* Opens the log once more: every durable record is in final files then, and none is there twice. */
static void expect_kept(const char *label, bool is_folder, uint64_t durable) {
    lam_log_options options = options_of(true);
    lam_log *log;
    lam_error error = lam_error_none();
    lam_log_numbers all;
    options.key_value_count = 0;
    bool is_whole = !is_folder && lam_log_disk_has("logs.parquet");
    if (!is_whole) {
        lam_status status = lam_log_disk_try_open(is_folder ? "logs" : "logs.parquet", is_folder,
                                                  options, &log, &error);
        cr_assert_eq(status, LAM_STATUS_OK, "%s: %s", label, error.message);
        cr_assert_eq(lam_log_finish(log, &error), LAM_STATUS_OK, "%s: %s", label, error.message);
        lam_log_close(log);
    }
    lam_log_sample_numbers(log_disk, "", &all);
    cr_assert_str_empty(all.fault, "%s: %s", label, all.fault);
    /* Behind the name of the only file, the removal of its journal may have failed. */
    cr_assert_leq(all.other_files, all.bad_files + is_whole, "%s: left over:%s", label, all.others);
    cr_assert_geq(all.count, durable, "%s: %zu of %" PRIu64 " records", label, all.count, durable);
    for (size_t i = 1; i < all.count; i++)
        cr_assert_gt(all.numbers[i], all.numbers[i - 1], "%s", label);
    lam_log_numbers_free(&all);
}

static void refuse_each_request(size_t kind, bool stays) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    written run = write_log(kind, &allocator);
    cr_assert_eq(run.status, LAM_STATUS_OK, "%s: %s", kinds[kind].name, run.error.message);
    cr_assert_eq(run.durable, run.accepted);
    cr_assert_eq(counter.live_bytes, 0);
    expect_kept(kinds[kind].name, kinds[kind].is_folder, run.accepted);
    size_t requests = counter.requests;
    for (size_t at = 1; at <= requests; at += (size_t)lam_test_step() * (stays ? 5 : 1)) {
        char label[100];
        snprintf(label, sizeof label, "%s, request %zu", kinds[kind].name, at);
        lam_log_disk_renew();
        counter = (lam_failing_alloc){.fail_at = at, .fails_on = stays};
        run = write_log(kind, &allocator);
        cr_assert_eq(counter.live_bytes, 0, "%s leaks", label);
        cr_assert_eq(counter.wrong_sizes, 0, "%s", label);
        cr_assert(run.status == LAM_STATUS_OK || run.status == LAM_STATUS_NOMEM, "%s: %s", label,
                  run.error.message);
        cr_assert(run.status == LAM_STATUS_OK || run.error.message[0] != 0, "%s", label);
        expect_kept(label, kinds[kind].is_folder, run.durable);
    }
    lam_log_disk_renew();
}

Test(log_refusals, records_and_columns_that_find_no_memory_are_refused) {
    for (size_t kind = 0; kind < KINDS; kind++)
        for (int stays = 0; stays < 2; stays++)
            refuse_each_request(kind, stays == 1);
}

static void fail_each_operation(size_t kind) {
    written run = write_log(kind, NULL);
    uint64_t operations = lam_model_disk_counts(log_disk).operations;
    cr_assert_eq(run.status, LAM_STATUS_OK, "%s", run.error.message);
    for (uint64_t at = 1; at <= operations; at += lam_test_step()) {
        char label[100];
        snprintf(label, sizeof label, "%s, operation %" PRIu64, kinds[kind].name, at);
        lam_log_disk_renew();
        lam_model_disk_set_fault(log_disk, (lam_model_fault){.at = at, .stays = at % 2 == 0});
        run = write_log(kind, NULL);
        cr_assert(run.status == LAM_STATUS_OK || run.status == LAM_STATUS_IO, "%s: %s", label,
                  run.error.message);
        lam_model_disk_set_fault(log_disk, (lam_model_fault){0});
        expect_kept(label, kinds[kind].is_folder, run.durable);
    }
    lam_log_disk_renew();
}

Test(log_refusals, records_and_columns_that_cannot_be_written_are_reported) {
    for (size_t kind = 0; kind < KINDS; kind++)
        fail_each_operation(kind);
}

/* --- Opening on leftovers -------------------------------------------------------------------- */

/* Records that a checkpoint made durable, and more that were written behind it. */
static void leave_log(const char *path, bool is_folder, bool journal, uint64_t records,
                      uint64_t more) {
    lam_log_options options = options_of(journal);
    if (is_folder) {
        options.partition_by = "at";
        options.partition_format = "day=%d/hour=%H";
    }
    lam_log_disk_leave(lam_log_disk_open(path, is_folder, options), 0, records, more);
}

#define NAME "log-20261123T004500Z-00c0ffee12345678.parquet"

/* A folder with everything that may be there, beside the files of a log with a journal. */
static void leave_folder(void) {
    leave_log("logs", true, true, 150, 90);
    lam_model_disk_put(log_disk, "logs/_" NAME ".part", "PAR1 and pages that nobody knows", 32);
    lam_model_disk_put(log_disk, "logs/_" NAME ".journal", "a text that is no journal at all", 32);
    lam_model_disk_put(log_disk, "logs/_" NAME ".lamella-4711-00c0ffee12345678.tmp", "half", 4);
    lam_log_disk_make_folder("logs/notes");
}

/* A final file that a predecessor was killed behind, so that its leftover still is there. */
static void leave_final(void) {
    lam_test_writer file = lam_test_write_as(log_schema, NULL);
    lam_buffer bytes = lam_test_written(&file);
    lam_model_disk_put(log_disk, "logs/" NAME, bytes.data, bytes.size);
    lam_model_disk_put(log_disk, "logs/_" NAME ".part", bytes.data, bytes.size);
    lam_buffer_finish(&bytes);
}

static lam_status keep_journal(void *state, const lam_storage_entry *entry, lam_error *error) {
    char *path = state;
    (void)error;
    if (strstr(entry->name, ".journal") != NULL)
        snprintf(path, 100, "logs/%s", entry->name);
    return LAM_STATUS_OK;
}

/* Leaves a log in a folder, of which only the journal reached the disk. */
static void leave_journal_of_log(uint64_t records, uint64_t more) {
    char path[100] = "";
    lam_bytes bytes;
    leave_log("logs", true, true, records, more);
    cr_assert_eq(log_storage.list(log_storage.state, "logs", keep_journal, path, NULL),
                 LAM_STATUS_OK);
    cr_assert(lam_model_disk_content(log_disk, path, &bytes), "%s", path);
    lam_model_disk *rest = lam_model_disk_create();
    lam_model_disk_put(rest, path, bytes.data, bytes.size);
    lam_log_disk_replace(rest);
}

/* Not even the folders of its files reached the disk. */
static void leave_journal_of_folder(void) {
    leave_journal_of_log(0, 150);
}

/* Rows behind a checkpoint whose file is lost: there is nothing that they could follow. */
static void leave_journal_of_lost_file(void) {
    leave_journal_of_log(50, 40);
}

static void leave_file(void) {
    leave_log("logs.parquet", false, true, 60, 60);
}

static void leave_file_without_journal(void) {
    leave_log("logs.parquet", false, false, 60, 60);
}

static void move(const char *from, const char *to) {
    cr_assert_eq(log_storage.rename(log_storage.state, from, to, NULL), LAM_STATUS_OK);
}

/* A start was interrupted behind its first record: its own files have none of the rows. */
static void leave_interrupted_start(void) {
    leave_file();
    move("_logs.parquet.part", "_logs.parquet.part.old");
    move("_logs.parquet.journal", "_logs.parquet.journal.old");
    lam_model_disk_put(log_disk, "_logs.parquet.part", "PAR1", 4);
    lam_model_disk_put(log_disk, "_logs.parquet.journal", "", 0);
}

/* The journal is that of another file. */
static void leave_journal_of_another_file(void) {
    leave_log("b.parquet", false, true, 0, 60);
    move("_b.parquet.journal", "_logs.parquet.journal");
    lam_log_disk_remove("_b.parquet.part");
}

static void leave_journal_alone(void) {
    leave_log("logs.parquet", false, true, 0, 60);
    lam_log_disk_remove("_logs.parquet.part");
}

/* Neither is what its name says. */
static void leave_others(void) {
    lam_model_disk_put(log_disk, "_logs.parquet.part", "PAR1 and pages that nobody knows", 32);
    lam_model_disk_put(log_disk, "_logs.parquet.journal", "a text that is no journal at all", 32);
}

static const struct {
    const char *name;
    void (*leave)(void);
    bool is_folder;
    uint64_t rows;
} leftovers[] = {
    {"folder", leave_folder, true, 240},
    {"file", leave_file, false, 120},
    {"file without journal", leave_file_without_journal, false, 60},
    {"journal alone", leave_journal_alone, false, 60},
    {"others", leave_others, false, 0},
    {"interrupted start", leave_interrupted_start, false, 120},
    {"journal of another file", leave_journal_of_another_file, false, 0},
    {"final file", leave_final, true, 0},
    {"journal of a folder", leave_journal_of_folder, true, 150},
    {"journal of a lost file", leave_journal_of_lost_file, true, 0},
};
enum { LEFTOVERS = sizeof leftovers / sizeof leftovers[0] };

/* Opens a log, and closes it as a kill would. */
static lam_status open_on(size_t which, const lam_schema *with, const lam_allocator *allocator,
                          lam_error *error) {
    lam_log_options options = options_of(true);
    lam_log *log;
    options.allocator = allocator;
    lam_status status = leftovers[which].is_folder
                            ? lam_log_open(with, "logs", &options, &log, error)
                            : lam_log_open_file(with, "logs.parquet", &options, &log, error);
    if (status == LAM_STATUS_OK)
        lam_log_close(log);
    return status;
}

/* One start on a copy of the disk; true when the fault was met. With a schema of another log only
 * the failure itself may be another one. */
static bool start_once(size_t which, uint64_t at, bool stays, bool is_memory,
                       const lam_schema *with) {
    char label[100];
    lam_model_disk *origin = log_disk;
    lam_failing_alloc counter = {.fail_at = is_memory ? (size_t)at : 0, .fails_on = stays};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_error error = lam_error_none();
    snprintf(label, sizeof label, "%s, %s %" PRIu64 "%s", leftovers[which].name,
             is_memory ? "request" : "operation", at, stays ? " and all behind it" : "");
    lam_log_disk_use(lam_model_disk_kill(origin));
    uint64_t before = lam_model_disk_counts(log_disk).operations;
    lam_model_disk_set_fault(log_disk,
                             (lam_model_fault){.at = is_memory ? 0 : before + at, .stays = stays});
    lam_status status = open_on(which, with, &allocator, (at + stays) % 2 == 0 ? &error : NULL);
    bool was_hit = is_memory ? counter.requests >= at
                             : lam_model_disk_counts(log_disk).operations >= before + at;
    cr_assert_eq(counter.live_bytes, 0, "%s leaks", label);
    cr_assert(status == (is_memory ? LAM_STATUS_NOMEM : LAM_STATUS_IO) ||
                  status == (with == log_schema ? LAM_STATUS_OK : LAM_STATUS_INVALID),
              "%s: status %d, %s", label, (int)status, error.message);
    lam_model_disk_set_fault(log_disk, (lam_model_fault){0});
    expect_kept(label, leftovers[which].is_folder, leftovers[which].rows);
    lam_log_disk_replace(origin);
    return was_hit;
}

static void start_on_each(bool is_memory) {
    for (size_t which = 0; which < LEFTOVERS; which++) {
        leftovers[which].leave();
        for (int stays = 0; stays < 2; stays++)
            for (uint64_t at = 1; start_once(which, at, stays == 1, is_memory, log_schema);
                 at += lam_test_step())
                continue;
        lam_log_disk_renew();
    }
}

Test(log_refusals, leftovers_that_find_no_memory_stay_for_the_next_start) {
    start_on_each(true);
}

Test(log_refusals, leftovers_that_cannot_be_read_stay_for_the_next_start) {
    start_on_each(false);
}

/* The names that a start has changed are given back, as far as the disk allows. */
Test(log_refusals, leftovers_of_another_schema_stay_whatever_fails) {
    lam_schema *other = lam_test_schema("message m { required int32 other; }");
    for (size_t which = 1; which <= 3; which++) {
        leftovers[which].leave();
        for (int way = 0; way < 4; way++)
            for (uint64_t at = 1; start_once(which, at, way % 2 == 1, way / 2 == 1, other);
                 at += lam_test_step())
                continue;
        lam_log_disk_renew();
    }
    lam_schema_destroy(other);
}
