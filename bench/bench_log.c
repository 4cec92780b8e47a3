/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a log keeps its callers: the time of each record, from begin to end, as quantiles.
 *
 *     bench_log [--records N] [--rate R] [--rounds K] [--only TEXT] [FOLDER]
 *
 * Each run is a process of its own. A producer either puts records as fast as it can, or sleeps and
 * puts what R records a second demand each millisecond, which leaves the disk time. The cost of the
 * clock is subtracted. The first lines say what the machine does without a log: records into a
 * shredder alone. Of the rounds, the one with the shortest 99.99 % quantile is printed.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "log_record.h"
#include "measure.h"

enum { PRODUCERS_MAX = 4, PATH_SIZE = 4096, SLEEP_NS = 1000000, SHREDDER_BATCH = 4096 };

/* --- The clock ----------------------------------------------------------------------------- */

#if defined __x86_64__ && defined __GNUC__
#define TICKS "the cycle counter"
static inline uint64_t ticks_now(void) {
    return __builtin_ia32_rdtsc();
}
#else
#define TICKS "the monotonic clock"
static inline uint64_t ticks_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
#endif

static double tick_ns;      /* nanoseconds of a tick */
static uint64_t clock_cost; /* ticks between two readings that follow each other */

static int compare_ticks(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The cost is the median, so that it is neither luck nor an interrupt. */
static void calibrate(void) {
    enum { READINGS = 10001 };
    static uint32_t costs[READINGS];
    double start = measure_now();
    uint64_t first = ticks_now();
    for (int i = 0; i < READINGS; i++) {
        uint64_t before = ticks_now();
        costs[i] = (uint32_t)(ticks_now() - before);
    }
    while (measure_now() - start < 0.1)
        ;
    tick_ns = (measure_now() - start) * 1e9 / (double)(ticks_now() - first);
    qsort(costs, READINGS, sizeof costs[0], compare_ticks);
    clock_cost = costs[READINGS / 2];
}

/* --- What is measured ---------------------------------------------------------------------- */

typedef enum target { SHREDDER, LOG, LOG_BACKGROUND } target;

typedef struct configuration {
    const char *name;
    target target;
    bool journal;
    lam_log_sync sync;
    unsigned producers;
    unsigned divisor; /* of the number of records */
} configuration;

static const configuration CONFIGURATIONS[] = {
    {"shredder alone", SHREDDER, false, LAM_LOG_SYNC_DEFAULT, 1, 1},
    {"log, no thread", LOG, false, LAM_LOG_SYNC_DEFAULT, 1, 1},
    {"background", LOG_BACKGROUND, false, LAM_LOG_SYNC_DEFAULT, 1, 1},
    {"background, journal, sync 1 s", LOG_BACKGROUND, true, LAM_LOG_SYNC_INTERVAL, 1, 1},
    {"background, 4 producers", LOG_BACKGROUND, false, LAM_LOG_SYNC_DEFAULT, 4, 1},
    {"background, journal, sync each record", LOG_BACKGROUND, true, LAM_LOG_SYNC_RECORD, 1, 200},
    {"the same, 4 producers", LOG_BACKGROUND, true, LAM_LOG_SYNC_RECORD, 4, 200},
};

typedef struct run {
    const configuration *how;
    uint64_t records;
    double rate; /* records a second of all producers; 0: as fast as possible */
    char folder[PATH_SIZE];
} run;

/* What a run found; nanoseconds, without the clock's own. */
typedef struct result {
    double mean, p50, p99, p999, p9999, max;
    double put_seconds; /* until the last record was put, */
    double all_seconds; /*   and until the log was finished */
    double cpu_seconds;
    double peak_mib; /* of the process, without the timings and records */
    uint64_t bytes;
    uint64_t memory_peak; /* that the log counted */
    uint64_t dropped;
    long preemptions; /* of the producers' threads */
} result;

/* --- Putting ------------------------------------------------------------------------------- */

typedef struct producer {
    const run *run;
    const log_pool *pool;
    lam_record_sink sink;
    lam_shredder *shredder; /* cleared when it has a batch; or NULL */
    uint64_t first;
    uint64_t count;
    double rate;
    uint32_t *ticks; /* of each record */
    long preemptions;
} producer;

/* The record is copied first: a program has just made it, so it is in the cache. */
static void put_one(producer *p, uint64_t index) {
    const log_record record = p->pool->records[(p->first + index) % LOG_POOL];
    lam_error error = lam_error_none();
    uint64_t before = ticks_now();
    if (p->shredder != NULL && index % SHREDDER_BATCH == 0)
        lam_shredder_clear(p->shredder);
    lam_status status = log_record_put(p->pool, &record, &p->sink, p->first + index, &error);
    uint64_t taken = ticks_now() - before;
    measure_check(status, &error);
    taken = taken > clock_cost ? taken - clock_cost : 0;
    p->ticks[index] = taken < UINT32_MAX ? (uint32_t)taken : UINT32_MAX;
}

/* Puts what is due, then sleeps. */
static void put_paced(producer *p) {
    const struct timespec nap = {0, SLEEP_NS};
    double start = measure_now();
    for (uint64_t i = 0; i < p->count;) {
        uint64_t due = (uint64_t)((measure_now() - start) * p->rate);
        for (; i < p->count && i < due; i++)
            put_one(p, i);
        if (i < p->count)
            nanosleep(&nap, NULL);
    }
}

static void *put_all(void *state) {
    producer *p = state;
    struct rusage before, after;
    getrusage(RUSAGE_THREAD, &before);
    if (p->rate > 0)
        put_paced(p);
    else
        for (uint64_t i = 0; i < p->count; i++)
            put_one(p, i);
    getrusage(RUSAGE_THREAD, &after);
    p->preemptions = after.ru_nivcsw - before.ru_nivcsw;
    return NULL;
}

/* One thread per producer, or this one. */
static void run_producers(producer *producers, unsigned count) {
    pthread_t threads[PRODUCERS_MAX];
    if (count == 1) {
        put_all(&producers[0]);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, put_all, &producers[i]) != 0)
            exit(1);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

/* --- One run, in a process of its own ------------------------------------------------------ */

static double quantile(const uint32_t *sorted, uint64_t count, double share) {
    uint64_t at = (uint64_t)((double)count * share);
    return (double)sorted[at < count ? at : count - 1] * tick_ns;
}

static void summarize(uint32_t *ticks, uint64_t count, result *found) {
    double sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += ticks[i];
    qsort(ticks, count, sizeof *ticks, compare_ticks);
    found->mean = sum / (double)count * tick_ns;
    found->p50 = quantile(ticks, count, 0.5);
    found->p99 = quantile(ticks, count, 0.99);
    found->p999 = quantile(ticks, count, 0.999);
    found->p9999 = quantile(ticks, count, 0.9999);
    found->max = quantile(ticks, count, 1);
}

/* Touches the timings before anything is measured. */
static producer *make_producers(const run *r, const log_pool *pool, uint32_t *ticks) {
    producer *producers = calloc(PRODUCERS_MAX, sizeof *producers);
    unsigned count = r->how->producers;
    memset(ticks, 1, r->records * sizeof *ticks);
    for (unsigned i = 0; i < count; i++) {
        producer *p = &producers[i];
        p->run = r;
        p->pool = pool;
        p->first = r->records / count * i;
        p->count = r->records / count;
        p->rate = r->rate / count;
        p->ticks = ticks + p->first;
    }
    return producers;
}

static void run_shredder(const log_pool *pool, producer *producers) {
    lam_schema *schema = log_pool_schema();
    lam_error error = lam_error_none();
    log_pool fields = *pool;
    log_pool_use(&fields, schema);
    measure_check(lam_shredder_create(schema, NULL, &producers[0].shredder, &error), &error);
    producers[0].pool = &fields;
    producers[0].sink = lam_shredder_sink(producers[0].shredder);
    run_producers(producers, 1);
    lam_shredder_destroy(producers[0].shredder);
    lam_schema_destroy(schema);
}

static void run_log(const run *r, log_pool *pool, producer *producers, result *found,
                    double start) {
    lam_error error = lam_error_none();
    lam_log *log;
    lam_log_producer *handles[PRODUCERS_MAX] = {NULL};
    lam_schema *schema = log_pool_schema();
    lam_log_options options = lam_log_options_default();
    options.background = r->how->target == LOG_BACKGROUND;
    options.journal = r->how->journal;
    options.sync = r->how->sync;
    measure_check(lam_log_open(schema, r->folder, &options, &log, &error), &error);
    log_pool_use(pool, lam_log_schema(log));
    producers[0].sink = lam_log_sink(log);
    for (unsigned i = 0; r->how->producers > 1 && i < r->how->producers; i++) {
        measure_check(lam_log_producer_create(log, &handles[i], &error), &error);
        producers[i].sink = lam_log_producer_sink(handles[i]);
    }
    run_producers(producers, r->how->producers);
    found->put_seconds = measure_now() - start;
    measure_check(lam_log_finish(log, &error), &error);
    lam_log_info info = lam_log_info_default();
    measure_check(lam_log_get_info(log, &info, &error), &error);
    found->bytes = info.bytes;
    found->memory_peak = info.memory_peak;
    found->dropped = info.dropped;
    for (unsigned i = 0; i < PRODUCERS_MAX; i++)
        lam_log_producer_destroy(handles[i]);
    lam_log_close(log);
    lam_schema_destroy(schema);
}

static void run_here(const run *r, result *found) {
    log_pool pool;
    uint32_t *ticks = malloc(r->records * sizeof *ticks);
    log_pool_init(&pool);
    producer *producers = make_producers(r, &pool, ticks);
    double cpu = measure_cpu(), start = measure_now();
    if (r->how->target == SHREDDER)
        run_shredder(&pool, producers);
    else
        run_log(r, &pool, producers, found, start);
    found->all_seconds = measure_now() - start;
    if (found->put_seconds == 0)
        found->put_seconds = found->all_seconds;
    found->cpu_seconds = measure_cpu() - cpu;
    found->peak_mib =
        measure_peak_mib() -
        (double)(r->records * sizeof *ticks + LOG_POOL * sizeof(log_record)) / 1048576;
    for (unsigned i = 0; i < PRODUCERS_MAX; i++)
        found->preemptions += producers[i].preemptions;
    summarize(ticks, r->records, found);
    free(producers);
    free(ticks);
    log_pool_finish(&pool);
}

/* Removes the files of the folder, which has no other folders, and the folder. */
static void remove_folder(const char *path) {
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char name[PATH_SIZE + sizeof entry->d_name];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            (void)unlink(name);
    }
    if (folder != NULL)
        closedir(folder);
    (void)rmdir(path);
}

/* Runs in a child, so that its memory and its threads are its own. */
static void run_apart(const run *r, result *found) {
    int ends[2], status;
    if (pipe(ends) != 0)
        exit(1);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        result own;
        memset(&own, 0, sizeof own);
        run_here(r, &own);
        _exit(write(ends[1], &own, sizeof own) == (ssize_t)sizeof own ? 0 : 1);
    }
    close(ends[1]);
    ssize_t size = read(ends[0], found, sizeof *found);
    close(ends[0]);
    waitpid(child, &status, 0);
    remove_folder(r->folder);
    if (size != (ssize_t)sizeof *found || status != 0)
        exit(1);
}

/* --- The program --------------------------------------------------------------------------- */

typedef struct settings {
    uint64_t records;
    double rate;
    unsigned rounds;
    const char *only; /* part of the name of a configuration; or NULL */
    const char *folder;
} settings;

static void print_result(const run *r, const result *found) {
    printf("%-38s %9.0f | %6.0f %6.0f %6.0f %7.0f %8.0f %10.0f | %6.2f %5.2f %5.2f | %6.1f %5.1f "
           "%5.1f %5llu | %ld\n",
           r->how->name, (double)r->records, found->mean, found->p50, found->p99, found->p999,
           found->p9999, found->max, (double)r->records / found->put_seconds * 1e-6,
           (double)r->records / found->all_seconds * 1e-6, found->cpu_seconds,
           (double)found->bytes / 1e6, (double)found->memory_peak / 1048576, found->peak_mib,
           (unsigned long long)found->dropped, found->preemptions);
}

static void measure_one(const settings *s, const configuration *how, double rate, int number) {
    run r = {.how = how, .records = s->records / how->divisor, .rate = rate};
    result best = {0};
    r.records -= r.records % PRODUCERS_MAX;
    snprintf(r.folder, sizeof r.folder, "%s/bench_log.%d.%d", s->folder, (int)getpid(), number);
    if (r.records == 0 || (rate > 0 && how->sync == LAM_LOG_SYNC_RECORD))
        return;
    for (unsigned i = 0; i < s->rounds; i++) {
        result found;
        run_apart(&r, &found);
        if (i == 0 || found.p9999 < best.p9999)
            best = found;
    }
    print_result(&r, &best);
}

static void measure_all(const settings *s, double rate) {
    double load[3] = {0, 0, 0};
    (void)getloadavg(load, 3);
    if (rate > 0)
        printf("\n%.0f records a second, in bursts of a millisecond", rate);
    else
        printf("\nfull speed");
    printf("; load average %.2f, best of %u rounds\n", load[0], s->rounds);
    printf("%-38s %9s | %6s %6s %6s %7s %8s %10s | %6s %5s %5s | %6s %5s %5s %5s | %s\n", "",
           "records", "mean", "p50", "p99", "p99.9", "p99.99", "max ns", "M/s", "end", "cpu s",
           "MB", "MiB", "RSS", "drop", "preempted");
    for (size_t i = 0; i < sizeof CONFIGURATIONS / sizeof CONFIGURATIONS[0]; i++)
        if (s->only == NULL || strstr(CONFIGURATIONS[i].name, s->only) != NULL)
            measure_one(s, &CONFIGURATIONS[i], rate, (int)i);
}

/* Bytes of records as JSON lines, for a reader of the figures. */
static void print_sizes(void) {
    char text[LOG_TEXT];
    log_pool pool;
    size_t bytes = 0;
    log_pool_init(&pool);
    for (uint64_t i = 0; i < LOG_POOL; i++)
        bytes += log_record_print(&pool, i, text);
    printf("records of %.0f bytes as JSON, for example %s", (double)bytes / LOG_POOL, text);
    printf("timed with %s, whose own %.0f ns are subtracted; M/s: put, and finished (end); MB of "
           "files; MiB that the log held; RSS in MiB\n",
           TICKS, (double)clock_cost * tick_ns);
    log_pool_finish(&pool);
}

int main(int argc, char **argv) {
    settings s = {2000000, 500000, 5, NULL, "/tmp"};
    for (int i = 1; i < argc; i++) {
        bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "--records") == 0 && has_value)
            s.records = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--rate") == 0 && has_value)
            s.rate = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--rounds") == 0 && has_value)
            s.rounds = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0 && has_value)
            s.only = argv[++i];
        else if (argv[i][0] != '-')
            s.folder = argv[i];
        else
            return fprintf(stderr, "bench_log [--records N] [--rate R] [--rounds K] [--only TEXT] "
                                   "[FOLDER]\n"),
                   2;
    }
    calibrate();
    print_sizes();
    measure_all(&s, 0);
    if (s.rate > 0)
        measure_all(&s, s.rate);
    return 0;
}
