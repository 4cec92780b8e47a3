/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each operation of the storage fails, each byte may be the one that the disk is full at, and each
 * allocation fails, in a small program of puts, checkpoints, rotation and time. Whatever fails: a
 * call reports it, finish does not claim success, and what was acknowledged is there after a kill
 * or a power cut, once the log was opened again.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <lamella/log.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "file/file_sample.h"
#include "log/log_sample.h"
#include "support/failing_alloc.h"
#include "support/model_disk.h"
#include "support/random.h"

enum { RECORDS = 150, SECOND_NS = 1000000000 };

/* How a run logs, and what became of it. */
typedef struct fault_run {
    lam_model_disk *disk;
    lam_model_clock clock;
    lam_log_options options;
    lam_storage storage;
    lam_clock timer;
    lam_error error; /* of the call that failed first */
    atomic_uint_least64_t acknowledged;
    uint64_t accepted;
    bool is_open;
    bool has_finished;
    char label[120];
} fault_run;

static lam_schema *schema;

static void start(void) {
    schema = lam_test_schema(LAM_LOG_SAMPLE_SCHEMA);
}

static void stop(void) {
    lam_schema_destroy(schema);
}

TestSuite(log_faults, .init = start, .fini = stop);

static void acknowledge(void *state, uint64_t durable, const char *path) {
    fault_run *run = state;
    (void)path;
    atomic_store(&run->acknowledged, durable);
}

/* --- Ways to log --------------------------------------------------------------------------- */

enum { WAYS = 8 };

static void choose_way(fault_run *run, size_t way) {
    lam_log_options *options = &run->options;
    *options = lam_log_options_default();
    options->storage = &run->storage;
    options->clock = &run->timer;
    options->callback_state = run;
    options->on_durable = acknowledge;
    options->journal = way % 2 == 1;
    options->background = way / 2 % 2 == 1;
    options->checkpoint_ms = 1000;
    options->sync = way == 5 ? LAM_LOG_SYNC_RECORD : LAM_LOG_SYNC_DEFAULT;
    if (way >= 6) {
        options->partition_by = "at";
        options->partition_format = "day=%d/hour=%H";
        options->open_files = 1;
        options->background = false;
    }
}

/* --- The program --------------------------------------------------------------------------- */

static bool took(lam_status status) {
    return status == LAM_STATUS_OK;
}

static bool put_some(fault_run *run, lam_log *log, uint64_t count) {
    lam_record_sink sink = lam_log_sink(log);
    for (uint64_t i = 0; i < count; i++, run->accepted++)
        if (!took(lam_log_sample_put(&sink, schema, run->accepted, 1, &run->error)))
            return false;
    return true;
}

static bool pass_time(fault_run *run, lam_log *log) {
    lam_model_clock_advance(&run->clock, 2 * (uint64_t)SECOND_NS);
    return took(lam_log_poll(log, NULL, &run->error));
}

/* Up to the first failure. */
static bool play(fault_run *run, lam_log *log) {
    return put_some(run, log, 60) && took(lam_log_checkpoint(log, &run->error)) &&
           put_some(run, log, 30) && pass_time(run, log) && put_some(run, log, 20) &&
           took(lam_log_rotate(log, &run->error)) && put_some(run, log, 30) &&
           pass_time(run, log) && put_some(run, log, 10) && took(lam_log_finish(log, &run->error));
}

/* A failed log repeats its first failure, whichever thread met it. */
static void check_repeated(const fault_run *run, const lam_error *repeated) {
    cr_assert_eq(repeated->status, run->error.status, "%s: %s", run->label, repeated->message);
    cr_assert_eq(repeated->code, run->error.code, "%s: %s", run->label, repeated->message);
    cr_assert_eq(repeated->os_error, run->error.os_error, "%s", run->label);
    cr_assert_str_eq(repeated->message, run->error.message, "%s", run->label);
}

/* One run of the program on a new disk with the fault, or the limit. */
static void run_program(fault_run *run, size_t way, const lam_model_fault *fault, uint64_t limit,
                        lam_failing_alloc *allocations) {
    lam_allocator allocator;
    lam_log *log = NULL;
    run->disk = lam_model_disk_create();
    run->clock.utc = INT64_C(1763856000000000000);
    run->storage = lam_model_disk_storage(run->disk);
    run->timer = lam_model_clock_start(&run->clock);
    run->error = lam_error_none();
    choose_way(run, way);
    if (fault != NULL)
        lam_model_disk_set_fault(run->disk, *fault);
    lam_model_disk_set_limit(run->disk, limit);
    if (allocations != NULL) {
        allocator = lam_failing_allocator(allocations);
        run->options.allocator = &allocator;
    }
    run->is_open = took(lam_log_open(schema, "logs", &run->options, &log, &run->error));
    run->has_finished = run->is_open && play(run, log);
    if (run->is_open && !run->has_finished && run->accepted > 0) {
        lam_error repeated = lam_error_none();
        lam_status again = lam_log_finish(log, &repeated);
        bool is_refusal =
            run->error.code == LAM_ERROR_CODE_MEMORY_LIMIT || run->error.status == LAM_STATUS_NOMEM;
        cr_assert(again != LAM_STATUS_OK || is_refusal, "%s: finish succeeds after %s", run->label,
                  run->error.message);
        run->has_finished = again == LAM_STATUS_OK;
        if (fault != NULL)
            check_repeated(run, &repeated);
    }
    lam_log_close(log);
    run->options.allocator = NULL;
}

/* --- What must be left --------------------------------------------------------------------- */

/* Opens the log again on what a kill or a power cut leaves, and reads everything. */
static void check_left(fault_run *run, lam_random *random) {
    lam_model_disk *left =
        random != NULL ? lam_model_disk_crash(run->disk, random) : lam_model_disk_kill(run->disk);
    lam_storage storage = lam_model_disk_storage(left);
    lam_log_options options = run->options;
    lam_error error = lam_error_none();
    lam_log_numbers all;
    lam_log *log;
    uint64_t acknowledged = run->acknowledged;
    lam_model_disk_set_limit(left, 0);
    options.storage = &storage;
    options.on_durable = NULL;
    cr_assert(took(lam_log_open(schema, "logs", &options, &log, &error)), "%s: %s", run->label,
              error.message);
    cr_assert(took(lam_log_finish(log, &error)), "%s: %s", run->label, error.message);
    lam_log_close(log);
    lam_log_sample_numbers(left, "", &all);
    cr_assert_str_empty(all.fault, "%s: %s", run->label, all.fault);
    cr_assert_eq(all.other_files, all.bad_files, "%s: left over:%s", run->label, all.others);
    for (size_t i = 0; i < all.count && all.count > 0; i++) {
        bool is_next = all.numbers[i] == i;
        cr_assert(is_next || (run->options.partition_by != NULL && i >= acknowledged &&
                              (i == 0 || all.numbers[i] > all.numbers[i - 1])),
                  "%s: record %zu is missing or there twice, %" PRIu64 " are acknowledged",
                  run->label, i, acknowledged);
        cr_assert_leq(all.numbers[i], run->accepted, "%s", run->label);
    }
    cr_assert_geq(all.count, acknowledged, "%s", run->label);
    if (run->has_finished)
        cr_assert_eq(all.count, run->accepted, "%s: finish lost records", run->label);
    lam_log_numbers_free(&all);
    lam_model_disk_destroy(left);
}

static void check_run(fault_run *run, uint64_t seed) {
    lam_random random = lam_random_start(seed);
    check_left(run, NULL);
    for (int i = 0; i < 2; i++)
        check_left(run, &random);
    lam_model_disk_destroy(run->disk);
}

/* Operations, bytes or allocations of the whole program. */
static lam_model_counts count_all(size_t way, size_t *allocation_count) {
    lam_failing_alloc allocations = {0};
    fault_run run = {.label = "no fault"};
    run_program(&run, way, NULL, 0, &allocations);
    cr_assert(run.has_finished, "%s", run.error.message);
    cr_assert_eq(run.accepted, RECORDS);
    cr_assert_eq(run.acknowledged, RECORDS);
    lam_model_counts counts = lam_model_disk_counts(run.disk);
    *allocation_count = allocations.requests;
    check_run(&run, 1);
    return counts;
}

/* --- Operations ---------------------------------------------------------------------------- */

/* A disk without room for the journal is no failure where its row groups find some. */
static bool is_made_good(const fault_run *run, const lam_model_fault *fault) {
    return run->options.journal && fault->os_error == ENOSPC && run->acknowledged == RECORDS;
}

static void fail_operations(lam_model_fault fault, const char *name) {
    for (size_t way = 0; way < WAYS; way++) {
        size_t ignored;
        uint64_t operations = count_all(way, &ignored).operations;
        for (uint64_t at = 1; at <= operations; at += lam_test_step()) {
            fault_run run = {0};
            fault.at = at;
            snprintf(run.label, sizeof run.label, "way %zu, operation %" PRIu64 " fails: %s", way,
                     at, name);
            run_program(&run, way, &fault, 0, NULL);
            bool was_hit = lam_model_disk_counts(run.disk).operations >= at;
            if (was_hit && run.has_finished) {
                cr_assert(is_made_good(&run, &fault), "%s: nobody reports it", run.label);
            } else if (was_hit) {
                cr_assert_eq(run.error.status, LAM_STATUS_IO, "%s: %s", run.label,
                             run.error.message);
                cr_assert_eq(run.error.os_error, fault.os_error != 0 ? fault.os_error : EIO,
                             "%s: %s", run.label, run.error.message);
            }
            const lam_model_fault none = {0};
            lam_model_disk_set_fault(run.disk, none);
            check_run(&run, at);
        }
    }
}

/* With a thread, the failure came as STATE, without the code of the operating system's error. */
Test(log_faults, each_operation_that_fails_once_is_reported) {
    fail_operations((lam_model_fault){.os_error = EIO}, "EIO");
    fail_operations((lam_model_fault){.os_error = ENOSPC}, "ENOSPC");
}

Test(log_faults, each_append_may_be_short) {
    fail_operations((lam_model_fault){.os_error = ENOSPC, .short_append = 1}, "short by most");
    fail_operations((lam_model_fault){.os_error = EIO, .short_append = 40}, "short");
}

Test(log_faults, a_disk_may_be_gone_from_any_operation_on) {
    fail_operations((lam_model_fault){.stays = true}, "for good");
}

Test(log_faults, a_failed_sync_may_lose_its_bytes) {
    fail_operations((lam_model_fault){.loses_on_sync = true}, "a sync that loses");
}

/* --- Full disks ---------------------------------------------------------------------------- */

/* Every byte where LAMELLA_ROUNDS is large enough. */
Test(log_faults, a_disk_may_be_full_at_any_byte) {
    const char *rounds = getenv("LAMELLA_ROUNDS");
    uint64_t most = rounds != NULL ? strtoull(rounds, NULL, 10) : 100;
    for (size_t way = 0; way < WAYS; way++) {
        size_t ignored;
        uint64_t bytes = count_all(way, &ignored).bytes,
                 step = (bytes / (most + 1) + 1) * lam_test_step();
        for (uint64_t limit = 1; limit < bytes; limit += step) {
            fault_run run = {0};
            snprintf(run.label, sizeof run.label, "way %zu, full at %" PRIu64 " bytes", way, limit);
            run_program(&run, way, NULL, limit, NULL);
            check_run(&run, limit);
        }
    }
}

/* --- Memory -------------------------------------------------------------------------------- */

Test(log_faults, each_allocation_that_fails_is_reported) {
    for (size_t way = 0; way < WAYS; way++) {
        size_t requests;
        (void)count_all(way, &requests);
        for (size_t at = 1; at <= requests; at += (size_t)lam_test_step()) {
            lam_failing_alloc allocations = {.fail_at = at};
            fault_run run = {0};
            snprintf(run.label, sizeof run.label, "way %zu, allocation %zu fails", way, at);
            run_program(&run, way, NULL, 0, &allocations);
            cr_assert_eq(allocations.live_bytes, 0, "%s: leaks", run.label);
            cr_assert_eq(allocations.wrong_sizes, 0, "%s", run.label);
            if (!run.has_finished)
                cr_assert_eq(run.error.status, LAM_STATUS_NOMEM, "%s: %s", run.label,
                             run.error.message);
            check_run(&run, at);
        }
    }
}
