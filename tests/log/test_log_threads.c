/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs with a thread of their own and several producers in threads, which end by a power cut or a
 * kill while all of them run. Of each producer the first records must be there, each once, and at
 * least those that were acknowledged to it: by `end` with SYNC_RECORD, or by a checkpoint.
 *
 *     power cuts    a model disk, cut by the log's thread or by another one; reproducible in part
 *     kills         a child process on the real file system, by SIGKILL
 *
 * LAMELLA_ROUNDS is the number of cases, LAMELLA_SEED the seed of the first one:
 *
 *     ninja -C build log-threads        1,000 cases of each test, of three lives each
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dirent.h>
#include <inttypes.h>
#include <lamella/log.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "file/file_sample.h"
#include "log/log_sample.h"
#include "support/random.h"

enum { PRODUCERS = 3, LIVES = 3, SPANS = PRODUCERS * LIVES, PATH_ROOM = 700, RECORDS_MOST = 4000 };

/* What one producer put; in memory that outlives the process. */
typedef struct shared_span {
    atomic_uint_least64_t started;   /* records whose first verb was called */
    atomic_uint_least64_t confirmed; /* of these, durable as a call promised that succeeded */
} shared_span;

/* What is known of one life, likewise. */
typedef struct shared_life {
    shared_span spans[PRODUCERS];
    atomic_uint_least64_t durable; /* by on_durable */
    atomic_bool is_open;
    atomic_bool is_cut;
} shared_life;

/* What must be there of a life. */
typedef struct life_promise {
    uint64_t put[PRODUCERS], confirmed[PRODUCERS], durable;
} life_promise;

typedef struct thread_case {
    uint64_t seed;
    lam_random random;
    lam_schema *schema;
    lam_model_disk *disk, *after;
    lam_storage storage;
    uint64_t cut_at;   /* operation; UINT64_MAX: another thread cuts, */
    uint64_t delay_us; /*   so long after the log is open */
    shared_life *life;
    size_t life_count; /* that have ended */
    life_promise promises[LIVES];
    lam_log *log;
} thread_case;

typedef struct thread_producer {
    thread_case *test;
    lam_log_producer *producer;
    size_t index;
    uint64_t seed, records;
    bool is_synced; /* with each record */
} thread_producer;

static uint64_t case_count(uint64_t normal) {
    const char *rounds = getenv("LAMELLA_ROUNDS");
    return rounds != NULL ? strtoull(rounds, NULL, 10) : normal;
}

static void sleep_us(uint64_t microseconds) {
    struct timespec time = {(time_t)(microseconds / 1000000),
                            (long)(microseconds % 1000000) * 1000};
    (void)nanosleep(&time, NULL);
}

/* --- Producers ----------------------------------------------------------------------------- */

static void note_durable(void *state, uint64_t durable, const char *path) {
    (void)path;
    atomic_store(&((thread_case *)state)->life->durable, durable);
}

static lam_log_options choose_options(thread_case *test) {
    lam_random *random = &test->random;
    lam_log_options options = lam_log_options_default();
    options.storage = test->disk != NULL ? &test->storage : NULL;
    options.callback_state = test;
    options.on_durable = note_durable;
    options.background = true;
    options.journal = lam_random_chance(random, 70);
    options.sync = options.journal && lam_random_chance(random, 40) ? LAM_LOG_SYNC_RECORD
                   : lam_random_chance(random, 50)                  ? LAM_LOG_SYNC_INTERVAL
                                                                    : LAM_LOG_SYNC_DEFAULT;
    if (options.journal || options.sync == LAM_LOG_SYNC_INTERVAL)
        options.sync_ms = 1 + lam_random_below(random, 3);
    if (lam_random_chance(random, 50))
        options.checkpoint_rows = 1 + lam_random_below(random, 400);
    if (lam_random_chance(random, 30))
        options.checkpoint_ms = 1 + lam_random_below(random, 5);
    if (lam_random_chance(random, 30))
        options.rotate_bytes = 5000 + lam_random_below(random, 50000);
    if (lam_random_chance(random, 30))
        options.queue_bytes = 2000;
    if (lam_random_chance(random, 40))
        options.journal_bytes = 1000 + lam_random_below(random, 20000);
    return options;
}

/* Puts until the end of the log, or of its share; what fails without a cut ends the process. */
static void *produce(void *state) {
    thread_producer *own = state;
    thread_case *test = own->test;
    shared_span *span = &test->life->spans[own->index];
    lam_random random = lam_random_start(own->seed);
    lam_record_sink sink = lam_log_producer_sink(own->producer);
    uint64_t first = (test->life_count * PRODUCERS + own->index) * LAM_LOG_SAMPLE_SPAN;
    for (uint64_t i = 0; i < own->records; i++) {
        lam_error error = lam_error_none();
        atomic_store(&span->started, i + 1);
        lam_status status = lam_log_sample_put(&sink, test->schema, first + i, 1, &error);
        bool is_confirmed = own->is_synced;
        if (status == LAM_STATUS_OK && lam_random_chance(&random, 1)) {
            status = lam_log_checkpoint(test->log, &error);
            is_confirmed = true;
        }
        if (status != LAM_STATUS_OK && !atomic_load(&test->life->is_cut)) {
            fprintf(stderr, "seed %" PRIu64 ": %s\n", test->seed, error.message);
            abort();
        }
        if (status != LAM_STATUS_OK)
            break;
        if (is_confirmed)
            atomic_store(&span->confirmed, i + 1);
    }
    return NULL;
}

/* Opens the log and runs all producers to their end; false when it was cut before it was open. */
static bool run_producers(thread_case *test, const char *path) {
    lam_log_options options = choose_options(test);
    thread_producer producers[PRODUCERS];
    pthread_t threads[PRODUCERS];
    lam_error error = lam_error_none();
    lam_log *log;
    lam_status status = lam_log_open(test->schema, path, &options, &log, &error);
    cr_assert(status == LAM_STATUS_OK || atomic_load(&test->life->is_cut), "seed %" PRIu64 ": %s",
              test->seed, error.message);
    if (status != LAM_STATUS_OK)
        return false;
    test->log = log;
    uint64_t most = UINT64_C(8) << lam_random_below(&test->random, 10);
    size_t count = 0;
    for (; count < PRODUCERS; count++) {
        producers[count] = (thread_producer){
            test,
            NULL,
            count,
            lam_random_next(&test->random),
            lam_random_below(&test->random, most < RECORDS_MOST ? most : RECORDS_MOST),
            options.sync == LAM_LOG_SYNC_RECORD};
        if (lam_log_producer_create(log, &producers[count].producer, &error) != LAM_STATUS_OK)
            break;
        cr_assert_eq(pthread_create(&threads[count], NULL, produce, &producers[count]), 0);
    }
    atomic_store(&test->life->is_open, true);
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < count; i++)
        lam_log_producer_destroy(producers[i].producer);
    return true;
}

/* --- What must be there -------------------------------------------------------------------- */

/* What was promised is read before the state that is kept, and what was begun after it. */
static void read_promises(thread_case *test, life_promise *promise) {
    promise->durable = atomic_load(&test->life->durable);
    for (size_t i = 0; i < PRODUCERS; i++)
        promise->confirmed[i] = atomic_load(&test->life->spans[i].confirmed);
}

static void read_begun(thread_case *test, life_promise *promise) {
    for (size_t i = 0; i < PRODUCERS; i++)
        promise->put[i] = atomic_load(&test->life->spans[i].started);
}

/* Compares the final files of a disk with the promises of all lives; returns the records. */
static uint64_t check_promises(const thread_case *test, lam_model_disk *disk) {
    lam_log_numbers all;
    size_t at = 0;
    lam_log_sample_numbers(disk, "logs", &all);
    cr_assert_str_empty(all.fault, "seed %" PRIu64 ": %s", test->seed, all.fault);
    cr_assert_eq(all.other_files, all.bad_files, "seed %" PRIu64 ": left over:%s", test->seed,
                 all.others);
    cr_assert(all.has_spans_in_order, "seed %" PRIu64 ": not in order", test->seed);
    for (size_t span = 0; span < test->life_count * PRODUCERS; span++) {
        const life_promise *promise = &test->promises[span / PRODUCERS];
        uint64_t count = 0, first = span * LAM_LOG_SAMPLE_SPAN;
        for (; at < all.count && all.numbers[at] < first + LAM_LOG_SAMPLE_SPAN; at++, count++)
            cr_assert_eq(all.numbers[at], first + count,
                         "seed %" PRIu64 ": record %" PRIu64 " of span %zu is %" PRIu64, test->seed,
                         count, span, all.numbers[at] - first);
        cr_assert_leq(count, promise->put[span % PRODUCERS], "seed %" PRIu64 ": span %zu has more",
                      test->seed, span);
        cr_assert_geq(count, promise->confirmed[span % PRODUCERS],
                      "seed %" PRIu64 ": span %zu lost acknowledged records", test->seed, span);
    }
    cr_assert_eq(at, all.count, "seed %" PRIu64 ": records of nobody", test->seed);
    for (size_t life = 0, next = 0; life < test->life_count; life++) {
        uint64_t count = 0;
        for (; next < all.count &&
               all.numbers[next] < (life + 1) * PRODUCERS * (uint64_t)LAM_LOG_SAMPLE_SPAN;
             next++)
            count++;
        cr_assert_geq(count, test->promises[life].durable,
                      "seed %" PRIu64 ": durable records are lost in life %zu", test->seed, life);
    }
    uint64_t count = all.count;
    lam_log_numbers_free(&all);
    return count;
}

/* Recovers whatever is there. */
static void recover_folder(const thread_case *test, const lam_storage *storage, const char *path) {
    lam_log_options options = lam_log_options_default();
    lam_log *log;
    lam_error error = lam_error_none();
    options.storage = storage;
    cr_assert_eq(lam_log_open(test->schema, path, &options, &log, &error), LAM_STATUS_OK,
                 "seed %" PRIu64 ": %s", test->seed, error.message);
    cr_assert_eq(lam_log_finish(log, &error), LAM_STATUS_OK, "%s", error.message);
    lam_log_close(log);
}

static void start_case(thread_case *test, uint64_t seed) {
    memset(test, 0, sizeof *test);
    test->seed = seed;
    test->random = lam_random_start(seed);
    test->schema = lam_test_schema(LAM_LOG_SAMPLE_SCHEMA);
    test->cut_at = UINT64_MAX;
}

/* --- Power cuts ---------------------------------------------------------------------------- */

/* From any thread, but only once. */
static void cut_power(thread_case *test) {
    life_promise *promise = &test->promises[test->life_count];
    lam_random random = lam_random_start(test->seed + test->life_count);
    read_promises(test, promise);
    test->after = lam_model_disk_crash(test->disk, &random);
    read_begun(test, promise);
    atomic_store(&test->life->is_cut, true);
    lam_model_disk_set_fault(test->disk, (lam_model_fault){.at = 1, .stays = true});
}

static void watch_operation(void *state, const char *what) {
    thread_case *test = state;
    (void)what;
    if (!atomic_load(&test->life->is_cut) &&
        lam_model_disk_counts(test->disk).operations + 1 >= test->cut_at)
        cut_power(test);
}

static void *cut_later(void *state) {
    thread_case *test = state;
    while (!atomic_load(&test->life->is_open))
        sleep_us(20);
    sleep_us(test->delay_us);
    cut_power(test);
    return NULL;
}

static void run_cut_life(thread_case *test, shared_life *life) {
    lam_random *random = &test->random;
    pthread_t cutter;
    bool cuts_in_log = lam_random_chance(random, 50);
    memset(life, 0, sizeof *life);
    test->life = life;
    test->storage = lam_model_disk_storage(test->disk);
    test->log = NULL;
    test->delay_us = lam_random_below(random, 3000);
    test->cut_at = UINT64_MAX;
    if (cuts_in_log)
        test->cut_at = 20 + lam_random_below(random, UINT64_C(2) << lam_random_below(random, 10));
    lam_model_disk_watch(test->disk, watch_operation, test);
    if (!cuts_in_log)
        cr_assert_eq(pthread_create(&cutter, NULL, cut_later, test), 0);
    (void)run_producers(test, "logs");
    if (!cuts_in_log)
        pthread_join(cutter, NULL);
    lam_model_disk_watch(test->disk, NULL, NULL);
    if (!atomic_load(&life->is_cut))
        cut_power(test);
    lam_log_close(test->log);
    lam_model_disk_destroy(test->disk);
    test->disk = test->after;
    test->life_count++;
}

/* Prints the counts of a long run. */
static void print_counts(const char *what, uint64_t cases, uint64_t promised, uint64_t records) {
    if (getenv("LAMELLA_ROUNDS") != NULL)
        fprintf(stderr,
                "%s: cases %" PRIu64 ", lives %" PRIu64 ", records acknowledged %" PRIu64
                ", there %" PRIu64 "\n",
                what, cases, cases * LIVES, promised, records);
}

static uint64_t count_promised(const thread_case *test) {
    uint64_t count = 0;
    for (size_t life = 0; life < test->life_count; life++) {
        uint64_t confirmed = 0;
        for (size_t i = 0; i < PRODUCERS; i++)
            confirmed += test->promises[life].confirmed[i];
        count +=
            confirmed > test->promises[life].durable ? confirmed : test->promises[life].durable;
    }
    return count;
}

Test(log_threads, acknowledged_records_of_many_threads_survive_power_cuts, .timeout = 7200) {
    uint64_t count = case_count(60), seed = lam_test_seed(7000), promised = 0, records = 0;
    for (uint64_t i = 0; i < count; i++) {
        thread_case test;
        shared_life life;
        start_case(&test, seed + i);
        test.disk = lam_model_disk_create();
        while (test.life_count < LIVES)
            run_cut_life(&test, &life);
        lam_storage storage = lam_model_disk_storage(test.disk);
        recover_folder(&test, &storage, "logs");
        records += check_promises(&test, test.disk);
        promised += count_promised(&test);
        lam_model_disk_destroy(test.disk);
        lam_schema_destroy(test.schema);
    }
    print_counts("power cuts", count, promised, records);
}

/* --- Kills --------------------------------------------------------------------------------- */

/* The life of a child, in memory that both have. */
static void run_child(thread_case *test, const char *path) {
    if (!run_producers(test, path))
        abort();
    for (;;)
        (void)pause();
}

static void kill_child(thread_case *test, const char *path) {
    void *memory =
        mmap(NULL, sizeof(shared_life), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(memory, MAP_FAILED);
    life_promise *promise = &test->promises[test->life_count];
    uint64_t delay =
        lam_random_below(&test->random, UINT64_C(64) << lam_random_below(&test->random, 9));
    int status;
    test->life = memory;
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0)
        run_child(test, path);
    while (!atomic_load(&test->life->is_open) && waitpid(child, &status, WNOHANG) == 0)
        sleep_us(100);
    sleep_us(delay);
    cr_assert_eq(kill(child, SIGKILL), 0, "seed %" PRIu64 ": the logger failed", test->seed);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    read_promises(test, promise);
    read_begun(test, promise);
    cr_assert_eq(munmap(memory, sizeof(shared_life)), 0);
    (void)lam_random_next(&test->random); /* the child drew from its copy */
    test->life_count++;
}

static void load_file(lam_model_disk *disk, const char *path, const char *name) {
    char inner[PATH_ROOM];
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fseek(file, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(size + 1);
    cr_assert_not_null(data);
    cr_assert_eq(fread(data, 1, size, file), size);
    (void)fclose(file);
    snprintf(inner, sizeof inner, "logs/%s", name);
    lam_model_disk_put(disk, inner, data, size);
    free(data);
}

/* Moves the files of a folder into a model disk, and removes it. */
static void load_folder(lam_model_disk *disk, const char *folder) {
    DIR *entries = opendir(folder);
    char path[PATH_ROOM];
    const struct dirent *entry;
    cr_assert_not_null(entries);
    while ((entry = readdir(entries)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        load_file(disk, path, entry->d_name);
        cr_assert_eq(unlink(path), 0);
    }
    (void)closedir(entries);
    cr_assert_eq(rmdir(folder), 0);
}

Test(log_threads, acknowledged_records_of_many_threads_survive_kills, .timeout = 7200) {
    uint64_t count = case_count(15), seed = lam_test_seed(9000), promised = 0, records = 0;
    for (uint64_t i = 0; i < count; i++) {
        char folder[] = "log_threads_XXXXXX", path[sizeof folder + 8];
        thread_case test;
        start_case(&test, seed + i);
        cr_assert_not_null(mkdtemp(folder));
        snprintf(path, sizeof path, "%s/logs", folder);
        while (test.life_count < LIVES)
            kill_child(&test, path);
        recover_folder(&test, NULL, path);
        lam_model_disk *disk = lam_model_disk_create();
        load_folder(disk, path);
        cr_assert_eq(rmdir(folder), 0);
        records += check_promises(&test, disk);
        promised += count_promised(&test);
        lam_model_disk_destroy(disk);
        lam_schema_destroy(test.schema);
    }
    print_counts("kills", count, promised, records);
}
