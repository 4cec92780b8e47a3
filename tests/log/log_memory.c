/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures what logs take of the memory of a real process: each case runs in a child, on real
 * files, and its largest resident set beyond that of before the log was opened must stay within the
 * limit that was set.
 *
 *     ninja log-memory              all cases
 *     log_memory FOLDER [RECORDS]   the same in a folder that is then removed, with fewer records
 */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <inttypes.h>
#include <lamella/log.h>
#include <lamella/schema.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIB = 1 << 20, STATIONS = 1000 };

typedef struct memory_case {
    const char *name;
    uint64_t limit;           /* MiB */
    uint64_t checkpoint_rows; /* or 0 */
    bool partitions;
    bool journal;
    bool background;
    lam_codec codec;
} memory_case;

static const memory_case cases[] = {
    {"plain", 16, 0, false, false, false, LAM_CODEC_ZSTD},
    {"plain", 64, 0, false, false, false, LAM_CODEC_ZSTD},
    {"background", 16, 0, false, false, true, LAM_CODEC_ZSTD},
    {"background", 64, 0, false, false, true, LAM_CODEC_ZSTD},
    {"journal", 16, 0, false, true, true, LAM_CODEC_ZSTD},
    {"journal", 64, 0, false, true, true, LAM_CODEC_ZSTD},
    {"20000 row groups", 16, 100, false, false, false, LAM_CODEC_ZSTD},
    {"20000 row groups", 64, 100, false, false, false, LAM_CODEC_ZSTD},
    {"20000 row groups, snappy", 16, 100, false, false, true, LAM_CODEC_SNAPPY},
    {"1000 partitions", 16, 0, true, false, false, LAM_CODEC_ZSTD},
    {"1000 partitions", 64, 0, true, false, true, LAM_CODEC_ZSTD},
    {"1000 partitions, journal", 16, 0, true, true, true, LAM_CODEC_ZSTD},
};

static const char SCHEMA[] =
    "message m { required int64 time (TIMESTAMP(NANOS,true)); required binary station (STRING); "
    "optional double reading; required int32 level; optional binary unit (STRING); "
    "required binary message (STRING); }";

static void need(lam_status status, const lam_error *error) {
    if (status == LAM_STATUS_OK)
        return;
    fprintf(stderr, "%s: %s\n", lam_status_name(status), error->message);
    exit(2);
}

/* KiB of a line of /proc/self/status: resident now, or at most so far. */
static uint64_t status_of(const char *name) {
    char line[200];
    uint64_t value = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, strlen(name)) == 0)
            value = strtoull(line + strlen(name), NULL, 10);
    if (file != NULL)
        fclose(file);
    return value;
}

static void put_record(const lam_record_sink *sink, const lam_schema *schema, uint64_t n,
                       lam_error *error) {
    char station[20], message[100];
    /* NAME=%v makes the folders; 500 records of a station follow each other */
    snprintf(station, sizeof station, "station-%" PRIu64, n / 500 % STATIONS);
    snprintf(message, sizeof message, "request %" PRIu64 " was answered in %" PRIu64 " ms",
             n * UINT64_C(2654435761) % 1000000007, n % 97);
    (void)lam_begin(sink, NULL);
    (void)lam_put_int64(sink, lam_schema_find(schema, "time"),
                        INT64_C(1700000000000000000) + (int64_t)n * 1000000, NULL);
    (void)lam_put_string(sink, lam_schema_find(schema, "station"), station, NULL);
    if (n % 8 != 0)
        (void)lam_put_double(sink, lam_schema_find(schema, "reading"), (double)n * 0.7, NULL);
    (void)lam_put_int32(sink, lam_schema_find(schema, "level"), (int32_t)(n % 5), NULL);
    if (n % 3 != 0)
        (void)lam_put_string(sink, lam_schema_find(schema, "unit"), "degrees", NULL);
    (void)lam_put_string(sink, lam_schema_find(schema, "message"), message, NULL);
    need(lam_end(sink, error), error);
}

/* The child: logs, prints what it took, and ends with 1 where that is too much. */
static int run_case(const memory_case *c, const char *folder, uint64_t records) {
    lam_log_options options = lam_log_options_default();
    lam_writer_options writer = lam_writer_options_default();
    lam_log_info info = lam_log_info_default();
    lam_error error = lam_error_none();
    lam_schema *schema;
    lam_log *log;
    writer.codec = c->codec;
    options.writer = &writer;
    options.memory_limit = c->limit * MIB;
    options.checkpoint_rows = c->checkpoint_rows;
    options.checkpoint_ms = c->checkpoint_rows == 0 ? 1000 : 0;
    options.sync = LAM_LOG_SYNC_NEVER; /* which takes no memory */
    options.journal = c->journal;
    options.background = c->background;
    if (c->partitions)
        options.partition_by = "station";
    need(lam_schema_parse(SCHEMA, sizeof SCHEMA - 1, NULL, &schema, &error), &error);
    uint64_t before = status_of("VmRSS:");
    need(lam_log_open(schema, folder, &options, &log, &error), &error);
    lam_record_sink sink = lam_log_sink(log);
    uint64_t quarter = 0;
    for (uint64_t n = 0; n < records; n++) {
        put_record(&sink, schema, n, &error);
        if (c->checkpoint_rows != 0 && n % c->checkpoint_rows == c->checkpoint_rows - 1)
            need(lam_log_poll(log, NULL, &error), &error);
        if (n == records / 4)
            quarter = status_of("VmHWM:");
    }
    need(lam_log_finish(log, &error), &error);
    need(lam_log_get_info(log, &info, &error), &error);
    lam_log_close(log);
    lam_schema_destroy(schema);
    uint64_t most = status_of("VmHWM:");
    uint64_t taken = most - before;
    bool is_within = taken <= c->limit * 1024 && info.memory_peak <= c->limit * MIB;
    printf("%-26s limit %2" PRIu64 " MiB  resident %5.1f MiB, %5.1f after a quarter, process %5.1f"
           "  counted %5.1f  files %" PRIu64 "  row groups %" PRIu64 "%s\n",
           c->name, c->limit, (double)taken / 1024, (double)(quarter - before) / 1024,
           (double)most / 1024, (double)info.memory_peak / MIB, info.files, info.checkpoints,
           is_within ? "" : "  TOO MUCH");
    return is_within ? 0 : 1;
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *walk) {
    (void)about;
    (void)type;
    (void)walk;
    return remove(path);
}

int main(int argument_count, char **arguments) {
    uint64_t records = argument_count > 2 ? strtoull(arguments[2], NULL, 10) : 2000000;
    int worst = 0;
    if (argument_count < 2 || records == 0) {
        fprintf(stderr, "usage: log_memory FOLDER [RECORDS]\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status = 2;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            exit(run_case(&cases[i], arguments[1], records));
        if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
            return 2;
        worst = WEXITSTATUS(status) > worst ? WEXITSTATUS(status) : worst;
        (void)nftw(arguments[1], remove_one, 16, FTW_DEPTH | FTW_PHYS);
    }
    return worst;
}
