/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two files that differ are rewritten in every way, while each request for memory fails once, and
 * while the caller asks to stop at each sign of progress: every end is clean, and says why.
 */
#include <criterion/criterion.h>
#include <lamella/rewrite.h>
#include <lamella/stop.h>
#include <string.h>

#include "base/buffer.h"
#include "file/file_sample.h"
#include "support/failing_alloc.h"

TestSuite(rewrite_memory);

enum {
    MEMORY_RECORDS = 12,
    MEMORY_FILES = 40,
    SIGNS_MOST = 500,
    LONG_ROWS = 50,
    LONG_TEXT = 30000
};

/* What both have is wider in one of them, and each has columns that the other lacks. */
static const char *const memory_shapes[2] = {
    "message m { required int32 a; optional binary s; repeated group g { required int32 x;"
    " optional float y; } optional boolean b; optional fixed(3) f; }",
    "message m { required int64 a; optional binary s; optional boolean b; repeated group g {"
    " required int32 x; optional double y; } repeated int64 more; required int64 n; }"};

typedef enum memory_way {
    WAY_KEPT,
    WAY_RECOMPRESSED,
    WAY_PAGES,
    WAY_SORTED,
    WAY_DIVIDED,
    WAY_CHOSEN_ROWS,
    WAY_CHOSEN_LEAVES,
    WAY_ENCODED,
    WAY_SPLIT,
    WAY_COMPAT,
    WAY_GROUPS,
    WAYS
} memory_way;

/* The files to rewrite, whose readers share an allocator with the rewrite, and what comes of it. */
typedef struct memory_trial {
    lam_file_sample samples[2];
    lam_failing_alloc counter;
    lam_allocator allocator;
    lam_reader *readers[2];
    lam_trial_output files[MEMORY_FILES];
    size_t count;
    lam_stop stop;
    size_t signs; /* of progress so far */
    size_t stop_at;
    lam_rewrite_report report;
} memory_trial;

static lam_status open_memory_trial(void *state, const char *folder, uint64_t number,
                                    lam_output *ret_output, lam_error *error) {
    memory_trial *trial = state;
    (void)folder, (void)number, (void)error;
    cr_assert_lt(trial->count, MEMORY_FILES);
    *ret_output = lam_trial_output_open(&trial->files[trial->count++]);
    return LAM_STATUS_OK;
}

static void note_sign(void *state, const lam_rewrite_progress *progress) {
    memory_trial *trial = state;
    (void)progress;
    if (++trial->signs == trial->stop_at)
        lam_stop_request(&trial->stop);
}

static lam_writer_options way_options(memory_way way) {
    lam_writer_options writer = lam_writer_options_default();
    writer.codec = way == WAY_RECOMPRESSED ? LAM_CODEC_GZIP : LAM_CODEC_DEFAULT;
    writer.page_bytes = way == WAY_PAGES ? 64 : 0;
    writer.auto_bloom_filters = way == WAY_PAGES;
    writer.compat = way == WAY_COMPAT ? LAM_COMPAT_MAX : LAM_COMPAT_DEFAULT;
    writer.row_group_rows = way == WAY_GROUPS ? 5 : 0;
    return writer;
}

static lam_status choose_way(lam_rewrite *rewrite, memory_way way, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    if (way == WAY_SORTED) {
        status = lam_rewrite_add_sort_key(rewrite, "s", true, true, error);
        if (status == LAM_STATUS_OK)
            status = lam_rewrite_add_sort_key(rewrite, "a", false, false, error);
    } else if (way == WAY_DIVIDED) {
        status = lam_rewrite_add_partition(rewrite, "b", error);
        if (status == LAM_STATUS_OK)
            status = lam_rewrite_set_split(rewrite, 4, 0, error);
    } else if (way == WAY_CHOSEN_ROWS) {
        status = lam_rewrite_set_where(rewrite, "a > 0 or f is not null", error);
    } else if (way == WAY_CHOSEN_LEAVES) {
        bool leaves[] = {false, true, true, false, true, false, false, true};
        status = lam_rewrite_set_leaves(rewrite, leaves, error);
    } else if (way == WAY_ENCODED) {
        status = lam_rewrite_set_encoding(rewrite, "g.x", LAM_ENCODING_DELTA_BINARY_PACKED, error);
        if (status == LAM_STATUS_OK)
            status = lam_rewrite_set_bloom_filter(rewrite, "s", 0.1, 4, error);
    } else if (way == WAY_SPLIT) {
        status = lam_rewrite_set_split(rewrite, 0, 700, error);
    }
    return status;
}

static lam_status run_way(memory_trial *trial, memory_way way, lam_error *error) {
    const lam_rewrite_target target = {trial, open_memory_trial};
    lam_writer_options writer = way_options(way);
    lam_rewrite_options options = lam_rewrite_options_default();
    lam_rewrite *rewrite;
    options.allocator = &trial->allocator;
    options.writer = &writer;
    options.memory_limit = 1 << 20;
    options.stop = &trial->stop;
    options.progress = note_sign;
    options.progress_state = trial;
    lam_status status = lam_rewrite_create(&options, &rewrite, error);
    if (status != LAM_STATUS_OK)
        return status;
    for (size_t i = 0; i < 2 && status == LAM_STATUS_OK && trial->readers[i] != NULL; i++)
        status = lam_rewrite_add_reader(rewrite, trial->readers[i], "a file", error);
    if (status == LAM_STATUS_OK)
        status = choose_way(rewrite, way, error);
    if (status == LAM_STATUS_OK)
        status = lam_rewrite_run(rewrite, &target, &trial->report, error);
    lam_rewrite_destroy(rewrite);
    return status;
}

static void start_memory_trial(memory_trial *trial) {
    lam_random random = lam_random_start(lam_test_seed(21));
    lam_writer_options options = lam_writer_options_default();
    lam_reader_options reader = lam_reader_options_default();
    memset(trial, 0, sizeof *trial);
    trial->allocator = lam_failing_allocator(&trial->counter);
    reader.allocator = &trial->allocator;
    options.row_group_rows = 8;
    options.page_rows = 3;
    for (int i = 0; i < 2; i++) {
        options.codec = i == 0 ? LAM_CODEC_SNAPPY : LAM_CODEC_UNCOMPRESSED;
        options.data_page_version = (uint32_t)(1 + i);
        lam_file_sample_init(&trial->samples[i], lam_test_schema(memory_shapes[i]), MEMORY_RECORDS,
                             60, &random);
        lam_file_sample_write(&trial->samples[i], &options, NULL);
        trial->readers[i] = lam_file_sample_open(&trial->samples[i], &reader);
    }
}

/* Runs once more; nothing of it is left, and no file that failed is whole. */
static lam_status run_again(memory_trial *trial, memory_way way, size_t fail_at, size_t stop_at,
                            lam_error *error) {
    size_t live = trial->counter.live_bytes;
    trial->count = trial->signs = 0;
    memset(trial->files, 0, sizeof trial->files);
    memset(&trial->stop, 0, sizeof trial->stop);
    trial->report = lam_rewrite_report_default();
    trial->stop_at = stop_at;
    trial->counter.fail_at = fail_at > 0 ? trial->counter.requests + fail_at : 0;
    lam_status status = run_way(trial, way, error);
    trial->counter.fail_at = 0;
    cr_assert_eq(trial->counter.live_bytes, live, "way %d, request %zu", way, fail_at);
    cr_assert_eq(trial->counter.wrong_sizes, 0);
    for (size_t i = 0; i < trial->count; i++) {
        cr_assert(trial->files[i].closed);
        cr_assert(status != LAM_STATUS_OK || trial->files[i].finished);
        lam_trial_output_free(&trial->files[i]);
    }
    return status;
}

static void end_memory_trial(memory_trial *trial) {
    for (int i = 0; i < 2; i++) {
        lam_reader_close(trial->readers[i]);
        lam_file_sample_finish(&trial->samples[i]);
    }
    cr_assert_eq(trial->counter.live_bytes, 0);
}

/* Page indexes and Bloom filters that need more memory than there is are done without. */
static void sweep_memory(memory_trial *trial, memory_way way) {
    size_t failures = 0;
    bool has_failed = true;
    for (size_t fail_at = 1; has_failed; fail_at++) {
        lam_error error = lam_error_none();
        size_t before = trial->counter.requests;
        lam_status status = run_again(trial, way, fail_at, 0, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "way %d, %zu: %s", way,
                  fail_at, error.message);
        cr_assert(status == LAM_STATUS_OK || error.message[0] != '\0', "way %d, request %zu", way,
                  fail_at);
        failures += status != LAM_STATUS_OK;
        has_failed = trial->counter.requests >= before + fail_at;
    }
    cr_assert_gt(failures, 20);
}

Test(rewrite_memory, each_request_that_fails_is_reported_when_row_groups_stay) {
    static memory_trial trial;
    start_memory_trial(&trial);
    sweep_memory(&trial, WAY_KEPT);
    sweep_memory(&trial, WAY_RECOMPRESSED);
    sweep_memory(&trial, WAY_PAGES);
    sweep_memory(&trial, WAY_CHOSEN_LEAVES);
    sweep_memory(&trial, WAY_ENCODED);
    sweep_memory(&trial, WAY_COMPAT);
    end_memory_trial(&trial);
}

Test(rewrite_memory, each_request_that_fails_is_reported_when_rows_move) {
    static memory_trial trial;
    start_memory_trial(&trial);
    sweep_memory(&trial, WAY_SORTED);
    sweep_memory(&trial, WAY_DIVIDED);
    end_memory_trial(&trial);
}

Test(rewrite_memory, each_request_that_fails_is_reported_when_rows_are_chosen_or_counted) {
    static memory_trial trial;
    start_memory_trial(&trial);
    sweep_memory(&trial, WAY_CHOSEN_ROWS);
    sweep_memory(&trial, WAY_SPLIT);
    sweep_memory(&trial, WAY_GROUPS);
    end_memory_trial(&trial);
}

Test(rewrite_memory, a_stop_at_any_sign_of_progress_ends_every_way) {
    static memory_trial trial;
    start_memory_trial(&trial);
    for (memory_way way = WAY_KEPT; way < WAYS; way++) {
        lam_error error = lam_error_none();
        cr_assert_eq(run_again(&trial, way, 0, 0, &error), LAM_STATUS_OK, "%s", error.message);
        size_t signs = trial.signs, stopped = 0;
        cr_assert_geq(signs, 2, "way %d", way);
        cr_assert_lt(signs, SIGNS_MOST);
        for (size_t at = 1; at <= signs; at++) {
            lam_status status = run_again(&trial, way, 0, at, &error);
            cr_assert(status == LAM_STATUS_CANCELLED || status == LAM_STATUS_OK, "%s",
                      error.message);
            cr_assert(status == LAM_STATUS_CANCELLED || at == signs, "way %d, sign %zu", way, at);
            stopped += status == LAM_STATUS_CANCELLED;
        }
        cr_assert_gt(stopped, 0, "way %d", way);
    }
    end_memory_trial(&trial);
}

/* A file of few rows that are long, so that a sort of them exceeds 1 MiB. */
static lam_reader *write_long_rows(lam_trial_output *trial, int64_t rows,
                                   const lam_allocator *allocator) {
    static char text[LONG_TEXT];
    lam_schema *schema =
        lam_test_schema("message m { required int64 a; optional binary s; repeated binary t; }");
    lam_reader_options options = lam_reader_options_default();
    lam_writer_options writing = lam_writer_options_default();
    writing.codec = LAM_CODEC_UNCOMPRESSED;
    writing.page_rows = 20;
    lam_test_writer file = lam_test_write_as(schema, &writing);
    for (int64_t i = 0; i < rows; i++) {
        lam_begin(&file.sink, NULL);
        memset(text, 'a' + (int)(i % 7), sizeof text);
        lam_put_int64(&file.sink, lam_schema_leaf(schema, 0), i * 7919 % rows, NULL);
        if (i % 5 > 0)
            lam_put_bytes(&file.sink, lam_schema_leaf(schema, 1), text, sizeof text, NULL);
        for (int64_t k = 0; k < i % 3; k++)
            lam_put_bytes(&file.sink, lam_schema_leaf(schema, 2), text, 10, NULL);
        cr_assert_eq(lam_end(&file.sink, NULL), LAM_STATUS_OK);
    }
    trial->bytes = lam_test_written(&file);
    lam_schema_destroy(schema);
    options.allocator = allocator;
    return lam_test_open(trial->bytes.data, trial->bytes.size, &options);
}

/* Runs of at most 1 MiB are spilled, read again and merged, all of which needs memory. */
Test(rewrite_memory, a_sort_that_spills_ends_cleanly_wherever_memory_fails) {
    static memory_trial trial;
    lam_trial_output file = {0};
    trial.allocator = lam_failing_allocator(&trial.counter);
    trial.readers[0] = write_long_rows(&file, LONG_ROWS, &trial.allocator);
    sweep_memory(&trial, WAY_SORTED);
    cr_assert_gt(trial.report.spilled_bytes, 0);
    lam_reader_close(trial.readers[0]);
    cr_assert_eq(trial.counter.live_bytes, 0);
    lam_trial_output_free(&file);
}

/* So many runs that neighbours are merged into longer ones before all are. */
Test(rewrite_memory, merges_of_merged_runs_end_cleanly_where_memory_fails_for_good) {
    static memory_trial trial;
    lam_trial_output file = {0};
    lam_status status = LAM_STATUS_NOMEM;
    trial.allocator = lam_failing_allocator(&trial.counter);
    trial.readers[0] = write_long_rows(&file, 4 * LONG_ROWS, &trial.allocator);
    trial.counter.fails_on = true;
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at += 1 + fail_at / 64) {
        lam_error error = lam_error_none();
        status = run_again(&trial, WAY_SORTED, fail_at, 0, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%s", error.message);
    }
    for (size_t at = 1; at < 3; at++)
        cr_assert_eq(run_again(&trial, WAY_SORTED, 0, at, NULL), LAM_STATUS_CANCELLED);
    lam_reader_close(trial.readers[0]);
    cr_assert_eq(trial.counter.live_bytes, 0);
    lam_trial_output_free(&file);
}
