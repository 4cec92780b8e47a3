/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records that the benchmarks of logs put: what a service notes about each request. A pool of
 * them is made before anything is measured, and used over and over with another number and time.
 */
#ifndef LAMELLA_BENCH_LOG_RECORD_H
#define LAMELLA_BENCH_LOG_RECORD_H

#include <lamella/lamella.h>
#include <stdio.h>

enum { LOG_POOL = 65536, LOG_SPANS = 3, LOG_MESSAGE = 80, LOG_TEXT = 512 };

typedef struct log_span {
    lam_bytes name;
    int32_t micros;
} log_span;

/* Record n is pool[n % LOG_POOL], with the number n and the time of n. */
typedef struct log_record {
    lam_bytes host;
    lam_bytes level;
    bool has_status;
    bool has_seconds;
    bool has_message;
    int32_t status;
    double seconds;
    size_t message_size;
    char message[LOG_MESSAGE];
    size_t span_count;
    log_span spans[LOG_SPANS];
} log_record;

/* A pool, the same each time, and its schema's fields. */
typedef struct log_pool {
    log_record *records; /* LOG_POOL */
    const lam_field *time, *number, *host, *level, *status, *seconds, *message;
    const lam_field *spans, *list, *element, *name, *micros;
} log_pool;

/* Parses the schema of the records; the caller destroys it. */
lam_schema *log_pool_schema(void);
/* Makes the records. The program ends when memory does. */
void log_pool_init(log_pool *pool);
/* Finds the fields of a schema that its records are put into: that of a log or a shredder. */
void log_pool_use(log_pool *pool, const lam_schema *schema);
void log_pool_finish(log_pool *pool);

/* Microseconds since 1970 of record n. */
int64_t log_record_time(uint64_t number);

/* Puts a record as record n; returns what `end` returns. */
lam_status log_record_put(const log_pool *pool, const log_record *record,
                          const lam_record_sink *sink, uint64_t number, lam_error *error);

/* Writes record n as a line of JSON; returns its bytes, at most LOG_TEXT. */
size_t log_record_print(const log_pool *pool, uint64_t number, char text[LOG_TEXT]);
/* The list of spans alone. */
size_t log_record_print_spans(const log_record *record, char text[LOG_TEXT]);

#endif
