/* SPDX-License-Identifier: Apache-2.0 */
#include "log_record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char SCHEMA[] = "message Request {\n"
                             "  required int64 time (TIMESTAMP(MICROS,true));\n"
                             "  required int64 number;\n"
                             "  required binary host (STRING);\n"
                             "  required binary level (ENUM);\n"
                             "  optional int32 status;\n"
                             "  optional double seconds;\n"
                             "  optional binary message (STRING);\n"
                             "  optional group spans (LIST) {\n"
                             "    repeated group list {\n"
                             "      required group element {\n"
                             "        required binary name (STRING);\n"
                             "        required int32 micros;\n"
                             "      }\n"
                             "    }\n"
                             "  }\n"
                             "}\n";

enum { START = 1700000000, RECORDS_PER_SECOND = 500000 };

/* --- The pool ------------------------------------------------------------------------------ */

static uint64_t next_random(uint64_t *state) {
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return x;
}

static lam_bytes text_bytes(const char *text) {
    return (lam_bytes){(const uint8_t *)text, strlen(text)};
}

static void make_record(log_record *record, uint64_t *random) {
    static const char *const HOSTS[] = {
        "web-01.example.net", "web-02.example.net", "web-03.example.net", "api-01.example.net",
        "api-02.example.net", "db-01.example.net",  "db-02.example.net",  "queue-01.example.net"};
    static const char *const LEVELS[] = {"INFO",  "INFO", "INFO",  "INFO",
                                         "DEBUG", "WARN", "ERROR", "INFO"};
    static const char *const SPANS[] = {"auth", "cache.get", "db.query", "render"};
    static const int32_t STATUS[] = {200, 200, 200, 201, 304, 404, 500, 200};
    record->host = text_bytes(HOSTS[next_random(random) % 8]);
    record->level = text_bytes(LEVELS[next_random(random) % 8]);
    record->has_status = next_random(random) % 4 != 0;
    record->status = STATUS[next_random(random) % 8];
    record->has_seconds = next_random(random) % 2 != 0;
    record->seconds = (double)(next_random(random) % 1000000) * 1e-6;
    record->has_message = next_random(random) % 2 != 0;
    int size =
        snprintf(record->message, sizeof record->message, "GET /items/%u/parts?page=%u took %u us",
                 (unsigned)(next_random(random) % 100000), (unsigned)(next_random(random) % 50),
                 (unsigned)(next_random(random) % 1000000));
    record->message_size = (size_t)size;
    record->span_count = next_random(random) % (LOG_SPANS + 1);
    for (size_t i = 0; i < record->span_count; i++) {
        record->spans[i].name = text_bytes(SPANS[next_random(random) % 4]);
        record->spans[i].micros = (int32_t)(next_random(random) % 20000);
    }
}

lam_schema *log_pool_schema(void) {
    lam_schema *schema;
    lam_error error = lam_error_none();
    lam_status status = lam_schema_parse(SCHEMA, strlen(SCHEMA), NULL, &schema, &error);
    if (status == LAM_STATUS_OK)
        return schema;
    fprintf(stderr, "%s\n", error.message);
    exit(1);
}

void log_pool_init(log_pool *pool) {
    uint64_t random = UINT64_C(88172645463325252);
    memset(pool, 0, sizeof *pool);
    pool->records = calloc(LOG_POOL, sizeof *pool->records);
    if (pool->records == NULL)
        exit(1);
    for (size_t i = 0; i < LOG_POOL; i++)
        make_record(&pool->records[i], &random);
}

void log_pool_use(log_pool *pool, const lam_schema *schema) {
    pool->time = lam_schema_find(schema, "time");
    pool->number = lam_schema_find(schema, "number");
    pool->host = lam_schema_find(schema, "host");
    pool->level = lam_schema_find(schema, "level");
    pool->status = lam_schema_find(schema, "status");
    pool->seconds = lam_schema_find(schema, "seconds");
    pool->message = lam_schema_find(schema, "message");
    pool->spans = lam_schema_find(schema, "spans");
    pool->list = lam_schema_find(schema, "spans.list");
    pool->element = lam_schema_find(schema, "spans.list.element");
    pool->name = lam_schema_find(schema, "spans.list.element.name");
    pool->micros = lam_schema_find(schema, "spans.list.element.micros");
}

void log_pool_finish(log_pool *pool) {
    free(pool->records);
    memset(pool, 0, sizeof *pool);
}

int64_t log_record_time(uint64_t number) {
    return INT64_C(1000000) * START + (int64_t)(number * (1000000 / RECORDS_PER_SECOND));
}

/* --- Records ------------------------------------------------------------------------------- */

static void put_spans(const log_pool *pool, const lam_record_sink *sink, const log_record *record) {
    (void)lam_open(sink, pool->spans, NULL);
    for (size_t i = 0; i < record->span_count; i++) {
        (void)lam_open(sink, pool->list, NULL);
        (void)lam_open(sink, pool->element, NULL);
        (void)lam_put_lam_bytes(sink, pool->name, record->spans[i].name, NULL);
        (void)lam_put_int32(sink, pool->micros, record->spans[i].micros, NULL);
        (void)lam_close(sink, pool->element, NULL);
        (void)lam_close(sink, pool->list, NULL);
    }
    (void)lam_close(sink, pool->spans, NULL);
}

lam_status log_record_put(const log_pool *pool, const log_record *record,
                          const lam_record_sink *sink, uint64_t number, lam_error *error) {
    (void)lam_begin(sink, NULL);
    (void)lam_put_int64(sink, pool->time, log_record_time(number), NULL);
    (void)lam_put_int64(sink, pool->number, (int64_t)number, NULL);
    (void)lam_put_lam_bytes(sink, pool->host, record->host, NULL);
    (void)lam_put_lam_bytes(sink, pool->level, record->level, NULL);
    if (record->has_status)
        (void)lam_put_int32(sink, pool->status, record->status, NULL);
    if (record->has_seconds)
        (void)lam_put_double(sink, pool->seconds, record->seconds, NULL);
    if (record->has_message)
        (void)lam_put_bytes(sink, pool->message, record->message, record->message_size, NULL);
    if (record->span_count > 0)
        put_spans(pool, sink, record);
    return lam_end(sink, error);
}

/* The room is enough for any record of the pool. */
#define APPEND(...) size += (size_t)snprintf(text + size, LOG_TEXT - size, __VA_ARGS__)
#define BYTES(value) (int)(value).size, (const char *)(value).data

size_t log_record_print_spans(const log_record *record, char text[LOG_TEXT]) {
    size_t size = 0;
    APPEND("[");
    for (size_t i = 0; i < record->span_count; i++)
        APPEND("%s{\"name\":\"%.*s\",\"micros\":%" PRId32 "}", i > 0 ? "," : "",
               BYTES(record->spans[i].name), record->spans[i].micros);
    APPEND("]");
    return size;
}

size_t log_record_print(const log_pool *pool, uint64_t number, char text[LOG_TEXT]) {
    const log_record *record = &pool->records[number % LOG_POOL];
    char spans[LOG_TEXT];
    size_t size = 0;
    APPEND("{\"time\":%" PRId64 ",\"number\":%" PRIu64 ",\"host\":\"%.*s\",\"level\":\"%.*s\"",
           log_record_time(number), number, BYTES(record->host), BYTES(record->level));
    if (record->has_status)
        APPEND(",\"status\":%" PRId32, record->status);
    if (record->has_seconds)
        APPEND(",\"seconds\":%.6f", record->seconds);
    if (record->has_message)
        APPEND(",\"message\":\"%.*s\"", (int)record->message_size, record->message);
    if (record->span_count > 0) {
        size_t spans_size = log_record_print_spans(record, spans);
        APPEND(",\"spans\":%.*s", (int)spans_size, spans);
    }
    APPEND("}\n");
    return size;
}
