/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of lib/json share: schemas from text, JSON through reader and writer, event
 * logs. */
#ifndef LAM_TESTS_JSON_HELP_H
#define LAM_TESTS_JSON_HELP_H

#include <criterion/criterion.h>
#include <lamella/json.h>
#include <lamella/record.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/int96.h"
#include "support/host_order.h"
#include "support/test_file.h"

static inline lam_schema *schema_of(const char *text) {
    return lam_test_parse(text);
}

/* A schema of the fields in `fields`, with `message m { ... }` around them. */
static inline lam_schema *fields_of(const char *fields) {
    char text[4096];
    cr_assert_lt(strlen(fields), sizeof text - 20);
    snprintf(text, sizeof text, "message m { %s }", fields);
    return schema_of(text);
}

/* Reads all records of `json` into `sink`. */
static inline lam_status read_json(const lam_schema *schema, const char *json, size_t size,
                                   const lam_json_reader_options *options,
                                   const lam_allocator *allocator, const lam_record_sink *sink,
                                   size_t *ret_records, lam_error *error) {
    lam_bytes left = {(const uint8_t *)json, size};
    lam_json_source source = lam_json_source_memory(&left);
    lam_json_reader *reader = NULL;
    lam_status status = lam_json_reader_create(schema, &source, options, allocator, &reader, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_json_reader_read(reader, sink, SIZE_MAX, ret_records, error);
    lam_json_reader_destroy(reader);
    return status;
}

/*
 * JSON text through reader and writer; the result is for free(), NULL after a failure.
 */
static inline char *copy_json(const lam_schema *schema, const char *json,
                              const lam_json_reader_options *reading,
                              const lam_json_writer_options *writing, lam_error *error) {
    lam_output output;
    lam_json_writer *writer;
    size_t records;
    char *copy = NULL;
    *error = lam_error_none();
    cr_assert_eq(lam_output_memory(NULL, &output, error), LAM_STATUS_OK);
    cr_assert_eq(lam_json_writer_create(schema, &output, writing, NULL, &writer, error),
                 LAM_STATUS_OK);
    lam_record_sink sink = lam_json_writer_sink(writer);
    lam_status status =
        read_json(schema, json, strlen(json), reading, NULL, &sink, &records, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_writer_flush(writer, error);
    if (status == LAM_STATUS_OK) {
        lam_bytes bytes = lam_output_memory_bytes(&output);
        copy = calloc(1, bytes.size + 1);
        if (bytes.size > 0)
            memcpy(copy, bytes.data, bytes.size);
    }
    lam_json_writer_destroy(writer);
    lam_output_close(&output);
    return copy;
}

/* One record of one field must come out as `expected`. */
static inline void expect_copy(const char *fields, const char *json, const char *expected) {
    lam_schema *schema = fields_of(fields);
    lam_error error;
    char *copy = copy_json(schema, json, NULL, NULL, &error);
    cr_assert_not_null(copy, "%s: %s: %s", fields, json, error.message);
    cr_expect_str_eq(copy, expected, "%s: %s gave %s", fields, json, copy);
    free(copy);
    lam_schema_destroy(schema);
}

/* The text is the same record after reading and printing, with a newline. */
static inline void expect_same(const char *fields, const char *json) {
    char expected[4096];
    cr_assert_lt(strlen(json), sizeof expected - 2);
    snprintf(expected, sizeof expected, "%s\n", json);
    expect_copy(fields, json, expected);
}

static inline void expect_failure(const char *fields, const char *json, const char *message) {
    lam_schema *schema = fields_of(fields);
    lam_error error;
    char *copy = copy_json(schema, json, NULL, NULL, &error);
    cr_expect_null(copy, "%s: %s was taken", fields, json);
    cr_expect_str_eq(error.message, message, "%s: %s gave %s", fields, json, error.message);
    cr_expect_eq(error.status, LAM_STATUS_INVALID);
    free(copy);
    lam_schema_destroy(schema);
}

/* --- A sink that writes down what it is told ------------------------------------------------- */

typedef struct event_log {
    char *text;
    size_t size;
    size_t capacity;
} event_log;

static inline void log_put(event_log *log, const char *text, size_t size) {
    if (log->size + size + 1 > log->capacity) {
        log->capacity = (log->size + size + 1) * 2;
        log->text = realloc(log->text, log->capacity);
    }
    memcpy(log->text + log->size, text, size);
    log->size += size;
    log->text[log->size] = '\0';
}

static inline void log_line(event_log *log, const char *verb, const char *name) {
    log_put(log, verb, strlen(verb));
    log_put(log, " ", 1);
    log_put(log, name, strlen(name));
    log_put(log, "\n", 1);
}

static inline lam_status log_begin(void *state, lam_error *error) {
    (void)error;
    log_line(state, "begin", "");
    return LAM_STATUS_OK;
}

static inline lam_status log_open(void *state, const lam_field *group, lam_error *error) {
    (void)error;
    log_line(state, "open", lam_field_name(group));
    return LAM_STATUS_OK;
}

static inline lam_status log_close(void *state, const lam_field *group, lam_error *error) {
    (void)error;
    log_line(state, "close", lam_field_name(group));
    return LAM_STATUS_OK;
}

static inline lam_status log_end(void *state, lam_error *error) {
    (void)error;
    log_line(state, "end", "");
    return LAM_STATUS_OK;
}

static inline lam_status log_value(void *state, const lam_field *leaf, lam_value value,
                                   lam_error *error) {
    lam_physical_type type = lam_field_physical_type(leaf);
    size_t size = (size_t)lam_field_type_length(leaf);
    uint8_t number[8], time[LAM_INT96_SIZE];
    const void *bytes = number;
    char hex[4];
    (void)error;
    if (type == LAM_PHYSICAL_BYTE_ARRAY || type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY ||
        type == LAM_PHYSICAL_INT96) {
        bytes = value.bytes.data;
        size = value.bytes.size;
        if (type == LAM_PHYSICAL_INT96) { /* all forms of one time are equal */
            cr_assert(lam_int96_store(lam_int96_load(value.bytes.data), time));
            bytes = time;
        }
    } else { /* as PLAIN has it */
        lam_store_le64(number, lam_test_load(&value, size));
    }
    log_put(state, "put ", 4);
    for (size_t i = 0; i < size; i++) {
        snprintf(hex, sizeof hex, "%02x", ((const unsigned char *)bytes)[i]);
        log_put(state, hex, 2);
    }
    log_line(state, "", lam_field_name(leaf));
    return LAM_STATUS_OK;
}

static inline lam_record_sink log_sink(event_log *log) {
    lam_record_sink sink = {log, log_begin, log_open, log_value, log_close, log_end, NULL};
    return sink;
}

#endif
