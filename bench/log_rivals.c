/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the same records as different programs do, for compare_log.py.
 *
 *     log_rivals WRITER PATH RECORDS RATE PROGRESS   WRITER: lamella lamella-journal sqlite ndjson
 *     log_rivals recover PATH                        what a killed lamella left becomes files
 *     log_rivals sample COUNT                        records as JSON lines
 *
 * RATE records a second, 0: as fast as possible. The file PROGRESS is mapped, and has the number of
 * records that were put, also after a kill. Whatever a writer collects is on the device after a
 * second: a transaction, a row group, a sync. Prints seconds, and those of the processor.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#ifdef HAVE_SQLITE
#include <sqlite3.h>
#endif

#include "log_record.h"
#include "measure.h"

/* What is written, and when the next second begins. */
typedef struct job {
    const char *path;
    uint64_t records;
    double rate;
    volatile uint64_t *progress;
    log_pool pool;
    double start;
    double next;
    bool journal;
} job;

static void fail(const char *what) {
    fprintf(stderr, "log_rivals: %s\n", what);
    exit(1);
}

/* Waits for the moment of record `number`. True once in a second, for whoever commits then. */
static bool wait_for(job *j, uint64_t number) {
    const struct timespec nap = {0, 1000000};
    *j->progress = number;
    if (number % 64 != 0)
        return false;
    while (j->rate > 0 && (double)number > (measure_now() - j->start) * j->rate)
        nanosleep(&nap, NULL);
    if (measure_now() < j->next)
        return false;
    j->next += 1;
    return true;
}

/* --- The writers --------------------------------------------------------------------------- */

static void write_lamella(job *j) {
    lam_error error = lam_error_none();
    lam_log *log;
    lam_schema *schema = log_pool_schema(LOG_REQUEST);
    lam_log_options options = lam_log_options_default();
    options.background = true;
    options.journal = j->journal;
    options.checkpoint_ms = j->journal ? 0 : 1000;
    measure_check(lam_log_open(schema, j->path, &options, &log, &error), &error);
    log_pool_use(&j->pool, lam_log_schema(log));
    lam_record_sink sink = lam_log_sink(log);
    for (uint64_t i = 0; i < j->records; i++) {
        (void)wait_for(j, i);
        measure_check(log_record_put(&j->pool, &j->pool.records[i % LOG_POOL], &sink, i, &error),
                      &error);
    }
    measure_check(lam_log_finish(log, &error), &error);
    lam_log_close(log);
    lam_schema_destroy(schema);
}

static void write_lines(job *j) {
    char text[LOG_TEXT];
    FILE *file = fopen(j->path, "wb");
    if (file == NULL)
        fail("cannot create the file");
    for (uint64_t i = 0; i < j->records; i++) {
        if (wait_for(j, i) && (fflush(file) != 0 || fsync(fileno(file)) != 0))
            fail("cannot sync");
        size_t size = log_record_print(&j->pool, i, text);
        if (fwrite(text, 1, size, file) != size)
            fail("cannot write");
    }
    if (fflush(file) != 0 || fsync(fileno(file)) != 0 || fclose(file) != 0)
        fail("cannot sync");
}

#ifdef HAVE_SQLITE
static void execute(sqlite3 *database, const char *text) {
    if (sqlite3_exec(database, text, NULL, NULL, NULL) != SQLITE_OK)
        fail(sqlite3_errmsg(database));
}

static void bind_text(sqlite3_stmt *insert, int index, const void *data, size_t size) {
    sqlite3_bind_text(insert, index, data, (int)size, SQLITE_STATIC);
}

static void bind_record(sqlite3_stmt *insert, const log_record *record, uint64_t number,
                        char spans[LOG_TEXT]) {
    sqlite3_clear_bindings(insert);
    sqlite3_bind_int64(insert, 1, log_record_time(number));
    sqlite3_bind_int64(insert, 2, (int64_t)number);
    bind_text(insert, 3, record->host.data, record->host.size);
    bind_text(insert, 4, record->level.data, record->level.size);
    if (record->has_status)
        sqlite3_bind_int(insert, 5, record->status);
    if (record->has_seconds)
        sqlite3_bind_double(insert, 6, record->seconds);
    if (record->has_message)
        bind_text(insert, 7, record->message, record->message_size);
    if (record->span_count > 0)
        bind_text(insert, 8, spans, log_record_print_spans(record, spans));
}

/* Spans are a text of JSON, as a column of a table has no room for a list. */
static void write_sqlite(job *j) {
    char spans[LOG_TEXT];
    sqlite3 *database;
    sqlite3_stmt *insert;
    if (sqlite3_open(j->path, &database) != SQLITE_OK)
        fail("cannot open the database");
    execute(database, "pragma journal_mode=wal");
    execute(database, "pragma synchronous=normal");
    execute(database, "create table requests (time integer, number integer, host text, level text, "
                      "status integer, seconds real, message text, spans text)");
    if (sqlite3_prepare_v2(database, "insert into requests values (?,?,?,?,?,?,?,?)", -1, &insert,
                           NULL) != SQLITE_OK)
        fail(sqlite3_errmsg(database));
    execute(database, "begin");
    for (uint64_t i = 0; i < j->records; i++) {
        if (wait_for(j, i)) {
            execute(database, "commit");
            execute(database, "begin");
        }
        bind_record(insert, &j->pool.records[i % LOG_POOL], i, spans);
        if (sqlite3_step(insert) != SQLITE_DONE)
            fail(sqlite3_errmsg(database));
        sqlite3_reset(insert);
    }
    execute(database, "commit");
    sqlite3_finalize(insert);
    sqlite3_close(database);
}
#else
static void write_sqlite(job *j) {
    (void)j;
    fail("built without SQLite");
}
#endif

/* --- The program --------------------------------------------------------------------------- */

static volatile uint64_t *map_progress(const char *path) {
    int file = open(path, O_RDWR | O_CREAT, 0666);
    if (file < 0 || ftruncate(file, sizeof(uint64_t)) != 0)
        fail("cannot create the file of the progress");
    void *memory = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED)
        fail("cannot map the file of the progress");
    return memory;
}

static int write_records(const char *writer, char **arguments) {
    job j = {.path = arguments[0],
             .records = strtoull(arguments[1], NULL, 10),
             .rate = strtod(arguments[2], NULL),
             .progress = map_progress(arguments[3])};
    log_pool_init(&j.pool, LOG_REQUEST);
    double cpu = measure_cpu();
    j.start = measure_now();
    j.next = j.start + 1;
    j.journal = strcmp(writer, "lamella-journal") == 0;
    if (j.journal || strcmp(writer, "lamella") == 0)
        write_lamella(&j);
    else if (strcmp(writer, "sqlite") == 0)
        write_sqlite(&j);
    else if (strcmp(writer, "ndjson") == 0)
        write_lines(&j);
    else
        fail("no such writer");
    *j.progress = j.records;
    printf("%.6f %.6f\n", measure_now() - j.start, measure_cpu() - cpu);
    log_pool_finish(&j.pool);
    return 0;
}

/* Opening a log recovers what its predecessor left. */
static int recover(const char *path) {
    lam_error error = lam_error_none();
    lam_log *log;
    lam_schema *schema = log_pool_schema(LOG_REQUEST);
    measure_check(lam_log_open(schema, path, NULL, &log, &error), &error);
    measure_check(lam_log_finish(log, &error), &error);
    lam_log_close(log);
    lam_schema_destroy(schema);
    return 0;
}

static int print_sample(uint64_t count) {
    char text[LOG_TEXT];
    log_pool pool;
    log_pool_init(&pool, LOG_REQUEST);
    for (uint64_t i = 0; i < count; i++)
        (void)fwrite(text, 1, log_record_print(&pool, i, text), stdout);
    log_pool_finish(&pool);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 6)
        return write_records(argv[1], argv + 2);
    if (argc == 3 && strcmp(argv[1], "recover") == 0)
        return recover(argv[2]);
    if (argc == 3 && strcmp(argv[1], "sample") == 0)
        return print_sample(strtoull(argv[2], NULL, 10));
    fail("log_rivals WRITER PATH RECORDS RATE PROGRESS | recover PATH | sample COUNT");
    return 2;
}
