/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files of a log go when they are too old or too many, and that nobody else's do, whatever
 * fails on the way.
 */
#define _POSIX_C_SOURCE 200809L
#include "log/folder/log_retention.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log/folder/log_name.h"
#include "support/failing_alloc.h"
#include "support/model_disk.h"

#define SECOND INT64_C(1000000000)

enum { FILES_MAX = 300 };

/* A log's folder with files of known times. */
typedef struct folder_sample {
    lam_model_disk *disk;
    lam_storage storage;
    size_t count;
    char paths[FILES_MAX][200];
    int64_t seconds[FILES_MAX];
    uint64_t sizes[FILES_MAX];
    bool ours[FILES_MAX];   /* final, of the prefix, and not kept by the caller */
    bool counts[FILES_MAX]; /* final and of the prefix */
} folder_sample;

static void sample_open(folder_sample *s) {
    memset(s, 0, sizeof *s);
    s->disk = lam_model_disk_create();
    s->storage = lam_model_disk_storage(s->disk);
}

static void put(folder_sample *s, const char *path, uint64_t size) {
    uint8_t bytes[1000] = {0};
    lam_model_disk_put(s->disk, path, bytes, (size_t)size);
}

static bool exists(const folder_sample *s, const char *path) {
    lam_bytes content;
    return lam_model_disk_content(s->disk, path, &content);
}

/* Puts log/FOLDER/log-TIME-ID.parquet. */
static void put_final(folder_sample *s, const char *folder, const char *prefix, int64_t seconds,
                      uint64_t size) {
    char name[LAM_LOG_NAME_MAX + 1];
    size_t i = s->count++;
    lam_log_name_print(prefix, seconds * SECOND, i, name);
    snprintf(s->paths[i], sizeof s->paths[i], "log/%s%s", folder, name);
    s->seconds[i] = seconds;
    s->sizes[i] = size;
    s->ours[i] = s->counts[i] = strcmp(prefix, "log") == 0;
    put(s, s->paths[i], size);
}

static lam_log_retention retention_of(const folder_sample *s) {
    return (lam_log_retention){
        .storage = &s->storage, .root = "log", .prefix = "log", .utc = 1000000 * SECOND};
}

static lam_log_removed retain(const lam_log_retention *retention) {
    lam_log_removed removed;
    lam_error error = lam_error_none();
    lam_status status = lam_log_retain(retention, &removed, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    return removed;
}

static lam_status count_entry(void *state, const lam_storage_entry *entry, lam_error *error) {
    (void)entry;
    (void)error;
    ++*(size_t *)state;
    return LAM_STATUS_OK;
}

/* Entries of a folder; SIZE_MAX: there is none. */
static size_t entries(const folder_sample *s, const char *path) {
    size_t count = 0;
    lam_status status = s->storage.list(s->storage.state, path, count_entry, &count, NULL);
    return status == LAM_STATUS_OK ? count : SIZE_MAX;
}

Test(log_retention, old_files_go_by_the_time_in_their_name) {
    folder_sample s;
    sample_open(&s);
    put_final(&s, "", "log", 999989, 10);
    put_final(&s, "", "log", 999990, 20);
    put_final(&s, "", "log", 999991, 30);
    put_final(&s, "", "log", 1000005, 40); /* the clock jumped back */
    lam_log_retention retention = retention_of(&s);
    retention.keep_ms = 10000;
    lam_log_removed removed = retain(&retention);
    cr_assert(!exists(&s, s.paths[0]) && !exists(&s, s.paths[1]));
    cr_assert(exists(&s, s.paths[2]) && exists(&s, s.paths[3]));
    cr_assert_eq(removed.files, 2);
    cr_assert_eq(removed.bytes, 30);
    cr_assert_eq(removed.left_bytes, 70);
    cr_assert_eq(removed.oldest_seconds, 999991);
    retention.keep_ms = 9001;
    cr_assert_eq(retain(&retention).files, 0);
    retention.utc = INT64_MAX;
    retention.keep_ms = UINT64_MAX;
    cr_assert_eq(retain(&retention).files, 0);
    retention.keep_ms = 1;
    removed = retain(&retention);
    cr_assert_eq(removed.files, 2);
    cr_assert_eq(removed.oldest_seconds, INT64_MAX);
    cr_assert_eq(entries(&s, "log"), 0);
    lam_model_disk_destroy(s.disk);
}

Test(log_retention, the_oldest_go_until_the_rest_is_small_enough) {
    folder_sample s;
    sample_open(&s);
    for (int64_t i = 0; i < 10; i++)
        put_final(&s, i % 2 == 0 ? "a=1/b=2/" : "", "log", 1000 - i, 100);
    lam_log_retention retention = retention_of(&s);
    retention.keep_bytes = 1000;
    cr_assert_eq(retain(&retention).files, 0);
    retention.keep_bytes = 999;
    cr_assert_eq(retain(&retention).files, 1);
    cr_assert(!exists(&s, s.paths[9]));
    retention.keep_bytes = 350;
    lam_log_removed removed = retain(&retention);
    cr_assert_eq(removed.files, 6);
    cr_assert_eq(removed.left_bytes, 300);
    cr_assert_eq(removed.oldest_seconds, 998);
    for (size_t i = 0; i < 10; i++)
        cr_assert_eq(exists(&s, s.paths[i]), i < 3);
    lam_model_disk_destroy(s.disk);
}

/* Somebody else's large file pushed out those of the log. */
Test(log_retention, files_of_other_users_neither_count_nor_go) {
    folder_sample s;
    sample_open(&s);
    put_final(&s, "", "log", 100, 900); /* the oldest, and theirs */
    put_final(&s, "", "log", 200, 50);
    put_final(&s, "", "log", 300, 50);
    lam_model_disk_give_away(s.disk, s.paths[0]);
    lam_log_retention retention = retention_of(&s);
    retention.keep_bytes = 100;
    cr_expect_eq(retain(&retention).files, 0);
    retention.keep_bytes = 50;
    cr_expect_eq(retain(&retention).files, 1);
    cr_expect(exists(&s, s.paths[0]));
    cr_expect_not(exists(&s, s.paths[1]));
    lam_model_disk_destroy(s.disk);
}

Test(log_retention, nothing_to_keep_back_removes_nothing) {
    folder_sample s;
    sample_open(&s);
    put_final(&s, "", "log", 1, 100);
    lam_log_retention retention = retention_of(&s);
    uint64_t before = lam_model_disk_counts(s.disk).operations;
    cr_assert_eq(retain(&retention).files, 0);
    cr_assert_eq(lam_model_disk_counts(s.disk).operations, before);
    retention.keep_bytes = 1;
    retention.root = "elsewhere"; /* a folder that does not exist */
    cr_assert_eq(retain(&retention).files, 0);
    lam_model_disk_destroy(s.disk);
}

Test(log_retention, names_that_are_not_the_logs_own_stay) {
    static const char *const others[] = {
        "log/_log-19700101T000001Z-0000000000000001.parquet.part",
        "log/_log-19700101T000001Z-0000000000000001.parquet.journal",
        "log/_log-19700101T000001Z-0000000000000001.parquet.part.bad",
        "log/other-19700101T000001Z-0000000000000001.parquet",
        "log/log-x-19700101T000001Z-0000000000000001.parquet",
        "log/log.parquet",
        "log/notes.txt",
        "log/log-19700101T000001Z-1.parquet",
        "log/folder/log-19700101T000001Z-0000000000000001.parquet",
        "log/=1/log-19700101T000001Z-0000000000000001.parquet",
        "log/1=1/2=1/3=1/4=1/5=1/6=1/7=1/8=1/9=1/log-19700101T000001Z-0000000000000001.parquet",
        "log-19700101T000001Z-0000000000000001.parquet",
    };
    folder_sample s;
    sample_open(&s);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        put(&s, others[i], 100);
    put(&s, "log/1=1/2=1/3=1/4=1/5=1/6=1/7=1/8=1/log-19700101T000001Z-0000000000000001.parquet",
        100);
    lam_log_retention retention = retention_of(&s);
    retention.keep_bytes = 1;
    retention.keep_ms = 1;
    lam_log_removed removed = retain(&retention);
    cr_assert_eq(removed.files, 1);
    cr_assert_eq(removed.folders, 0);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_assert(exists(&s, others[i]), "%s", others[i]);
    lam_model_disk_destroy(s.disk);
}

Test(log_retention, folders_that_became_empty_go_and_the_root_stays) {
    folder_sample s;
    sample_open(&s);
    put_final(&s, "d=1/h=1/", "log", 1, 10);
    put_final(&s, "d=1/h=2/", "log", 2, 10);
    put_final(&s, "d=2/h=1/", "log", 3, 10);
    put(&s, "log/d=2/h=1/_log-19700101T000001Z-0000000000000001.parquet.part", 10);
    put_final(&s, "d=3/h=1/", "log", 4, 10);
    cr_assert_eq(s.storage.make_folder(s.storage.state, "log/d=4", NULL), LAM_STATUS_OK);
    lam_log_retention retention = retention_of(&s);
    retention.keep_bytes = 10;
    lam_log_removed removed = retain(&retention);
    cr_assert_eq(removed.files, 3);
    cr_assert_eq(removed.folders, 3);
    cr_assert_eq(entries(&s, "log/d=1"), SIZE_MAX);
    cr_assert_eq(entries(&s, "log/d=2/h=1"), 1);
    cr_assert_eq(entries(&s, "log/d=3/h=1"), 1);
    cr_assert_eq(entries(&s, "log/d=4"), 0, "a folder that was empty may be waiting for a file");
    retention.keep_ms = 1;
    retain(&retention);
    cr_assert_eq(entries(&s, "log/d=3"), SIZE_MAX);
    cr_assert_eq(entries(&s, "log"), 2);
    lam_model_disk_destroy(s.disk);
}

Test(log_retention, any_form_of_the_root_is_found_and_stays) {
    static const char *const roots[] = {"", "log", "log/", "a/log", "/"};
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        folder_sample s;
        char path[200];
        sample_open(&s);
        const char *slash = roots[i][0] == '\0' ? "" : "/";
        snprintf(path, sizeof path, "%s%sd=1/log-19700101T000001Z-0000000000000001.parquet",
                 roots[i], slash);
        put(&s, path, 10);
        snprintf(path, sizeof path, "%s%slog-19700101T000001Z-0000000000000001.parquet", roots[i],
                 slash);
        put(&s, path, 10);
        lam_log_retention retention = retention_of(&s);
        retention.root = roots[i];
        retention.keep_ms = 1;
        lam_log_removed removed = retain(&retention);
        cr_assert_eq(removed.files, 2, "%s", roots[i]);
        cr_assert_eq(removed.folders, 1, "%s", roots[i]);
        cr_assert_eq(entries(&s, roots[i]), 0, "%s", roots[i]);
        lam_model_disk_destroy(s.disk);
    }
}

/* --- Random folders ------------------------------------------------------------------------ */

static bool is_kept(void *state, const char *path) {
    const folder_sample *s = state;
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->paths[i], path) == 0)
            return !s->ours[i];
    return false;
}

static void put_random(folder_sample *s, lam_random *random) {
    static const char *const folders[] = {"", "a=1/", "a=2/", "a=1/b=1/", "a=1/b=2/", "c=ö/"};
    size_t count = lam_random_below(random, FILES_MAX);
    for (size_t i = 0; i < count; i++) {
        put_final(s, folders[lam_random_below(random, 6)],
                  lam_random_chance(random, 90) ? "log" : "log2",
                  (int64_t)lam_random_below(random, 100), lam_random_below(random, 50));
        if (lam_random_chance(random, 10))
            s->ours[i] = false; /* kept, if it is one of the log's */
    }
}

static bool is_older(const folder_sample *s, size_t a, size_t b) {
    return s->seconds[a] < s->seconds[b] ||
           (s->seconds[a] == s->seconds[b] && strcmp(s->paths[a], s->paths[b]) < 0);
}

/*
 * What should be left, by the definition: first what is too old, then the oldest, one at a time,
 * but neither the youngest nor the `newest`.
 */
static void remove_naively(folder_sample *s, const lam_log_retention *retention, size_t newest,
                           bool *gone) {
    for (;;) {
        uint64_t sum = 0;
        size_t youngest = SIZE_MAX, oldest = SIZE_MAX;
        for (size_t i = 0; i < s->count; i++) {
            sum += s->counts[i] && !gone[i] ? s->sizes[i] : 0;
            if (s->ours[i] && !gone[i] && (youngest == SIZE_MAX || is_older(s, youngest, i)))
                youngest = i;
        }
        bool is_over = retention->keep_bytes > 0 && sum > retention->keep_bytes;
        for (size_t i = 0; i < s->count; i++) {
            bool is_old =
                retention->keep_ms > 0 &&
                (retention->utc / SECOND - s->seconds[i]) * 1000 >= (int64_t)retention->keep_ms;
            bool may_go = is_old || (is_over && i != youngest && i != newest);
            if (s->ours[i] && !gone[i] && may_go && (oldest == SIZE_MAX || is_older(s, i, oldest)))
                oldest = i;
        }
        if (oldest == SIZE_MAX)
            return;
        gone[oldest] = true;
    }
}

Test(log_retention, random_folders_lose_what_they_should_however_little_is_remembered) {
    uint64_t seed = lam_test_seed(1);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 150; round++) {
        static folder_sample s;
        bool gone[FILES_MAX] = {false};
        sample_open(&s);
        put_random(&s, &random);
        lam_log_retention retention = retention_of(&s);
        retention.utc = 100 * SECOND;
        retention.keep_bytes =
            lam_random_chance(&random, 30) ? 0 : 1 + lam_random_below(&random, 8000);
        retention.keep_ms =
            lam_random_chance(&random, 50) ? 0 : 1 + lam_random_below(&random, 100000);
        retention.at_a_time = 1 + lam_random_below(&random, round % 2 == 0 ? 20 : 400);
        retention.is_kept = is_kept;
        retention.state = &s;
        remove_naively(&s, &retention, SIZE_MAX, gone);
        lam_log_removed removed = retain(&retention);
        uint64_t files = 0, bytes = 0;
        for (size_t i = 0; i < s.count; i++) {
            cr_assert_eq(exists(&s, s.paths[i]), !gone[i], "seed %" PRIu64 ": %s", seed,
                         s.paths[i]);
            files += gone[i];
            bytes += gone[i] ? s.sizes[i] : 0;
        }
        cr_assert_eq(removed.files, files, "seed %" PRIu64, seed);
        cr_assert_eq(removed.bytes, bytes, "seed %" PRIu64, seed);
        cr_assert_eq(retain(&retention).files, 0, "seed %" PRIu64, seed);
        lam_model_disk_destroy(s.disk);
    }
}

/* --- A log that goes on --------------------------------------------------------------------- */

static void count_lists(void *state, const char *what) {
    *(size_t *)state += strcmp(what, "list") == 0;
}

/* A log that goes on and adds a few files at a time, of which some are kept by the options. */
static void run_log(uint64_t seed, lam_random *random) {
    static folder_sample s;
    bool gone[FILES_MAX] = {false};
    lam_log_retainer *retainer;
    uint64_t now = 0;
    sample_open(&s);
    lam_log_retention retention = retention_of(&s);
    retention.keep_bytes = lam_random_chance(random, 30) ? 0 : 1 + lam_random_below(random, 3000);
    retention.keep_ms = lam_random_chance(random, 50) ? 0 : 1 + lam_random_below(random, 100000);
    retention.at_a_time = 1 + lam_random_below(random, 50);
    cr_assert_eq(lam_log_retainer_create(&retention, &retainer, NULL), LAM_STATUS_OK);
    while (s.count < FILES_MAX - 4) {
        lam_log_removed removed;
        size_t count = 1 + lam_random_below(random, 4);
        retention.utc += (int64_t)lam_random_below(random, 4) * SECOND;
        for (size_t i = 0; i < count; i++) {
            int64_t seconds = retention.utc / SECOND - (int64_t)lam_random_below(random, 3);
            put_final(&s, lam_random_chance(random, 50) ? "" : "a=1/", "log", seconds,
                      lam_random_below(random, 50));
            lam_log_retainer_add(retainer, s.paths[s.count - 1], s.sizes[s.count - 1]);
        }
        now += lam_random_below(random, 100) * SECOND;
        remove_naively(&s, &retention, s.count - 1, gone);
        cr_assert_eq(lam_log_retainer_run(retainer, retention.utc, now, 0, &removed, NULL),
                     LAM_STATUS_OK);
        for (size_t i = 0; i < s.count; i++)
            cr_assert_eq(exists(&s, s.paths[i]), !gone[i], "seed %" PRIu64 ": %s", seed,
                         s.paths[i]);
    }
    lam_log_retainer_destroy(retainer);
    lam_model_disk_destroy(s.disk);
}

Test(log_retention, a_log_that_goes_on_removes_what_a_walk_each_time_would) {
    uint64_t seed = lam_test_seed(2);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 60; round++)
        run_log(seed, &random);
}

/* Each file that ended had all folders listed: 85 seconds a day with 1,000 partitions. */
Test(log_retention, folders_are_listed_when_the_memory_is_old_or_used_up) {
    static folder_sample s;
    lam_log_retainer *retainer;
    lam_log_removed removed;
    size_t lists = 0;
    sample_open(&s);
    lam_log_retention retention = retention_of(&s);
    retention.keep_bytes = 100;
    retention.at_a_time = 20;
    for (int64_t i = 0; i < 50; i++)
        put_final(&s, i % 2 == 0 ? "a=1/" : "a=2/", "log", i, 2);
    cr_assert_eq(lam_log_retainer_create(&retention, &retainer, NULL), LAM_STATUS_OK);
    lam_model_disk_watch(s.disk, count_lists, &lists);
    cr_assert_eq(lam_log_retainer_run(retainer, 100 * SECOND, 0, 0, &removed, NULL), LAM_STATUS_OK);
    cr_assert_eq(lists, 3);
    for (int64_t i = 50; i < 70; i++) { /* those that are remembered go */
        put_final(&s, "a=1/", "log", i, 2);
        lam_log_retainer_add(retainer, s.paths[i], 2);
        cr_assert_eq(lam_log_retainer_run(retainer, 100 * SECOND, 0, 0, &removed, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(removed.files, 1);
        cr_assert_not(exists(&s, s.paths[i - 50]));
    }
    cr_assert_eq(lists, 3);
    put_final(&s, "a=1/", "log", 70, 2);
    lam_log_retainer_add(retainer, s.paths[70], 2);
    cr_assert_eq(lam_log_retainer_run(retainer, 100 * SECOND, 0, 0, &removed, NULL), LAM_STATUS_OK);
    cr_assert_eq(removed.files, 1);
    cr_assert_eq(lists, 6);              /* the memory was used up */
    put_final(&s, "b=1/", "log", 71, 2); /* of another log */
    cr_assert_eq(lam_log_retainer_run(retainer, 100 * SECOND, 599 * SECOND, 0, &removed, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(removed.files, 0);
    cr_assert_eq(lam_log_retainer_run(retainer, 100 * SECOND, 600 * SECOND, 0, &removed, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(removed.files, 1);
    cr_assert_eq(lists, 10);
    lam_model_disk_watch(s.disk, NULL, NULL);
    lam_log_retainer_destroy(retainer);
    lam_model_disk_destroy(s.disk);
}

/* --- Failures ------------------------------------------------------------------------------ */

Test(log_retention, each_operation_may_fail_and_the_next_call_completes_the_work) {
    for (uint64_t n = 1;; n++) {
        static folder_sample s;
        sample_open(&s);
        for (int64_t i = 0; i < 12; i++)
            put_final(&s, i % 3 == 0 ? "" : i % 3 == 1 ? "a=1/" : "a=2/b=1/", "log", i, 10);
        lam_log_retention retention = retention_of(&s);
        retention.keep_bytes = 10;
        retention.at_a_time = 4;
        uint64_t before = lam_model_disk_counts(s.disk).operations;
        lam_model_disk_set_fault(s.disk, (lam_model_fault){.at = before + n});
        lam_log_removed removed = {0};
        lam_error error = lam_error_none();
        lam_status status = lam_log_retain(&retention, &removed, &error);
        bool failed = lam_model_disk_counts(s.disk).operations >= before + n;
        cr_assert_eq(error.status, status);
        cr_assert(status == LAM_STATUS_OK || (failed && status == LAM_STATUS_IO));
        uint64_t left = 0;
        for (size_t i = 0; i < s.count; i++)
            left += exists(&s, s.paths[i]);
        cr_assert_eq(left + removed.files, 12);
        cr_assert(status == LAM_STATUS_OK ? left == 1 : left >= 1);
        lam_model_disk_set_fault(s.disk, (lam_model_fault){0});
        cr_assert_eq(retain(&retention).left_bytes, left > 0 ? 10 : 0);
        lam_model_disk_destroy(s.disk);
        if (!failed)
            break;
    }
}

/* A file that cannot be removed must not keep the others, nor the call, for ever. */
Test(log_retention, a_disk_that_refuses_all_is_reported_once) {
    folder_sample s;
    sample_open(&s);
    for (int64_t i = 0; i < 12; i++)
        put_final(&s, "", "log", i, 10);
    lam_log_retention retention = retention_of(&s);
    retention.keep_bytes = 50;
    retention.at_a_time = 3;
    /* The root is listed first. */
    lam_model_disk_set_fault(
        s.disk,
        (lam_model_fault){.at = lam_model_disk_counts(s.disk).operations + 2, .stays = true});
    lam_log_removed removed;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_log_retain(&retention, &removed, &error), LAM_STATUS_IO);
    cr_assert_eq(error.status, LAM_STATUS_IO);
    cr_assert_eq(removed.files, 0);
    cr_assert_eq(removed.left_bytes, 120);
    cr_assert_eq(removed.oldest_seconds, 0);
    lam_model_disk_destroy(s.disk);
}

Test(log_retention, a_refused_request_for_memory_leaks_nothing) {
    static folder_sample s;
    for (size_t n = 1;; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        sample_open(&s);
        for (int64_t i = 0; i < 12; i++)
            put_final(&s, i % 3 == 0 ? "" : "a=1/b=1/", "log", i, 10);
        lam_log_retention retention = retention_of(&s);
        retention.allocator = &allocator;
        retention.keep_bytes = 50;
        retention.at_a_time = 4;
        lam_log_removed removed;
        lam_error error = lam_error_none();
        lam_status status = lam_log_retain(&retention, &removed, &error);
        cr_assert_eq(error.status, status);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        lam_model_disk_destroy(s.disk);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
    }
}

/* 300 paths would take 15 KB. */
Test(log_retention, memory_does_not_grow_with_the_files) {
    static folder_sample s;
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    sample_open(&s);
    for (size_t i = 0; i < FILES_MAX; i++)
        put_final(&s, i % 2 == 0 ? "a=1/" : "", "log", (int64_t)(i * 7 % 100), 1);
    lam_log_retention retention = retention_of(&s);
    retention.allocator = &allocator;
    retention.keep_bytes = 5;
    retention.at_a_time = 10;
    cr_assert_eq(retain(&retention).left_bytes, 5);
    cr_assert_lt(counter.peak_bytes, 4000, "%zu", counter.peak_bytes);
    lam_model_disk_destroy(s.disk);
}

/* The same on folders of the operating system. */
Test(log_retention, folders_of_the_operating_system) {
    char root[] = "/tmp/lamella-retention-XXXXXX", path[200];
    cr_assert_not_null(mkdtemp(root));
    static const char *const names[] = {
        "d=1/log-19700101T000001Z-0000000000000001.parquet",
        "d=1/log-19700101T000002Z-0000000000000001.parquet",
        "d=2/log-19700101T000003Z-0000000000000001.parquet",
        "d=2/_log-19700101T000004Z-0000000000000001.parquet.part",
        "log-19700101T000005Z-0000000000000001.parquet",
    };
    for (int i = 1; i <= 2; i++) {
        snprintf(path, sizeof path, "%s/d=%d", root, i);
        cr_assert_eq(mkdir(path, 0700), 0);
    }
    for (size_t i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", root, names[i]);
        FILE *file = fopen(path, "w");
        cr_assert_not_null(file);
        fputs("0123456789", file);
        fclose(file);
    }
    lam_storage storage = lam_storage_files();
    lam_log_retention retention = {
        .storage = &storage, .root = root, .prefix = "log", .keep_bytes = 15};
    lam_log_removed removed = retain(&retention);
    cr_assert_eq(removed.files, 3);
    cr_assert_eq(removed.bytes, 30);
    cr_assert_eq(removed.folders, 1);
    for (size_t i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", root, names[i]);
        cr_assert_eq(access(path, F_OK) == 0, i >= 3);
        remove(path);
    }
    snprintf(path, sizeof path, "%s/d=2", root);
    cr_assert_eq(rmdir(path), 0);
    cr_assert_eq(rmdir(root), 0);
}
