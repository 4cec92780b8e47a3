/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON into a file with SNAPPY, and the file into JSON, where a request of the C library's heap
 * fails: libraries that take memory past the lam_allocator included, and their first use.
 */
#include <lamella/reader.h>
#include <lamella/scan.h>
#include <lamella/writer.h>

#include "support/failing_malloc.h"
#include "json/json_help.h"

#define FLAT                                                                                       \
    "int64 id; optional binary name (STRING); optional group l (LIST) { repeated group list { "    \
    "optional double element; } } "

static const char SCHEMA[] = FLAT
    "optional group v (VARIANT(1)) { required binary metadata; "
    "optional binary value; optional group typed_value { required group a { optional binary value; "
    "optional int64 typed_value; } } }";

/* The records as JSON, written and read; destroys what it makes. */
static lam_status write_file(const lam_schema *schema, const char *json, lam_output *output,
                             lam_error *error) {
    lam_writer_options options = lam_writer_options_default();
    lam_writer *writer;
    size_t records;
    options.codec = LAM_CODEC_SNAPPY;
    options.page_rows = 7;
    options.row_group_rows = 20;
    lam_status status = lam_writer_open(schema, output, &options, &writer, error);
    if (status != LAM_STATUS_OK)
        return status;
    lam_record_sink sink = lam_writer_sink(writer);
    status = read_json(lam_writer_schema(writer), json, strlen(json), NULL, NULL, &sink, &records,
                       error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, error);
    lam_writer_close(writer);
    return status;
}

static lam_status print_records(const lam_reader *reader, bool columns, lam_output *output,
                                lam_error *error) {
    lam_record_reader *records;
    lam_json_writer *writer;
    uint64_t count;
    lam_status status =
        lam_json_writer_create(lam_reader_schema(reader), output, NULL, NULL, &writer, error);
    if (status != LAM_STATUS_OK)
        return status;
    lam_record_sink sink = lam_json_writer_sink(writer);
    status = lam_record_reader_open(reader, NULL, &records, error);
    if (status == LAM_STATUS_OK) {
        status = columns ? lam_json_writer_print(writer, records, UINT64_MAX, &count, error)
                         : lam_record_reader_read(records, &sink, UINT64_MAX, &count, error);
        lam_record_reader_close(records);
    }
    if (status == LAM_STATUS_OK)
        status = lam_json_writer_flush(writer, error);
    lam_json_writer_destroy(writer);
    return status;
}

/* What is written does not go through the heap that fails. */
typedef struct room {
    uint8_t bytes[1 << 16];
    size_t size;
} room;

static lam_status room_write(void *state, const void *bytes, size_t size, lam_error *error) {
    room *to = state;
    (void)error;
    cr_assert_leq(size, sizeof to->bytes - to->size);
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    return LAM_STATUS_OK;
}

static lam_status room_finish(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static void room_close(void *state) {
    (void)state;
}

static lam_output room_output(room *to) {
    lam_output output = {to, room_write, room_finish, room_close};
    to->size = 0;
    return output;
}

/* `columns`: prints without a VARIANT, from columns; else everything, by events. */
static lam_status trip(const char *json, bool columns, room *file, room *text, lam_error *error) {
    lam_output output = room_output(file), printed = room_output(text);
    lam_schema *schema;
    lam_reader *reader;
    char message[1024];
    snprintf(message, sizeof message, "message m { required %s }", columns ? FLAT : SCHEMA);
    *error = lam_error_none();
    lam_status status = lam_schema_parse(message, strlen(message), NULL, &schema, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = write_file(schema, json, &output, error);
    lam_schema_destroy(schema);
    if (status != LAM_STATUS_OK)
        return status;
    lam_input input = lam_input_memory(file->bytes, file->size);
    status = lam_reader_open(&input, NULL, &reader, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = print_records(reader, columns, &printed, error);
    lam_reader_close(reader);
    return status;
}

static const char *make_json(bool columns) {
    static char json[8192];
    size_t size = 0;
    for (int i = 0; i < 40; i++)
        size += (size_t)snprintf(json + size, sizeof json - size,
                                 columns ? "{\"id\":%d,\"name\":\"n%d\",\"l\":[%d.5,null]}\n"
                                         : "{\"id\":%d,\"name\":\"n%d\",\"l\":[%d.5,null],"
                                           "\"v\":{\"a\":%d,\"b\":\"%d\"}}\n",
                                 i, i % 3, i, i, i);
    return json;
}

static void fail_each_request(bool columns) {
    static room file, text, expected;
    const char *json = make_json(columns);
    lam_error error;
    size_t requests = SIZE_MAX, failed = 0, n = 1;
    for (; n <= requests; n++) { /* the first of them are the first use */
        lam_fail_malloc_at(n);
        lam_status status = trip(json, columns, &file, &text, &error);
        requests = status == LAM_STATUS_OK ? lam_fail_malloc_end() : SIZE_MAX;
        (void)lam_fail_malloc_end();
        failed += status != LAM_STATUS_OK;
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "request %zu: %d: %s", n,
                  (int)status, error.message);
        if (status == LAM_STATUS_OK)
            cr_expect_eq(text.size, strlen(json), "request %zu", n);
        requests = status == LAM_STATUS_OK ? requests : SIZE_MAX;
    }
    cr_expect_gt(failed, lam_fail_malloc_is_whole() ? 100 : 5, "%zu of %zu", failed, n);
    expected = text;
    cr_expect_eq(memcmp(expected.bytes, json, expected.size), 0);
    for (n = 1; lam_fail_malloc_is_whole() && n <= requests; n++) { /* with everything in place */
        lam_fail_malloc_at(n);
        lam_status status = trip(json, columns, &file, &text, &error);
        (void)lam_fail_malloc_end();
        cr_assert_eq(lam_fail_malloc_live(), 0, "request %zu: %ld blocks", n,
                     lam_fail_malloc_live());
        cr_assert(status == LAM_STATUS_NOMEM || text.size == expected.size, "request %zu", n);
    }
}

/* std::bad_alloc left the library, from libsnappy and from the first use of simdjson. */
Test(no_memory, a_trip_fails_or_succeeds_and_the_process_goes_on, .timeout = 240) {
    fail_each_request(false);
}

Test(no_memory, a_trip_that_prints_columns_does_too, .timeout = 240) {
    fail_each_request(true);
}
