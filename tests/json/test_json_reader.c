/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records from JSON: portions, lines that are refused alone, limits, prefixes and changed bytes of
 * anything, and no allocation once it is warm.
 */
#include <inttypes.h>
#include <lamella/dremel.h>

#include "json_help.h"
#include "support/failing_alloc.h"
#include "support/random.h"

Test(json_reader, reads_in_portions_and_goes_on_behind_a_bad_record) {
    static const char json[] =
        "{\"a\":1}\n\n{\"a\":2}\n{\"a\":\"x\"}\n{\"a\":\n{\"b\":1}\n{\"a\":5}\n";
    lam_schema *schema = fields_of("required int32 a;");
    lam_bytes left = {(const uint8_t *)json, strlen(json)};
    lam_json_source source = lam_json_source_memory(&left);
    lam_json_reader *reader;
    event_log log = {NULL, 0, 0};
    lam_record_sink sink = log_sink(&log);
    lam_error error = lam_error_none();
    size_t records = 99;
    cr_assert_eq(lam_json_reader_create(schema, &source, NULL, NULL, &reader, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_json_reader_line(reader), 0);
    cr_expect_eq(lam_json_reader_read(reader, &sink, 1, &records, &error), LAM_STATUS_OK);
    cr_expect(records == 1 && lam_json_reader_line(reader) == 1);
    cr_expect_eq(lam_json_reader_read(reader, &sink, 10, &records, &error), LAM_STATUS_INVALID);
    cr_expect(records == 1 && lam_json_reader_line(reader) == 4);
    cr_expect_str_eq(error.message, "line 4: a: expected an integer, found a string");
    cr_expect_eq(lam_json_reader_read(reader, &sink, 10, &records, &error), LAM_STATUS_INVALID);
    cr_expect_eq(records, 0);
    cr_expect_str_eq(error.message, "line 5, column 6: the text ends inside a value");
    cr_expect_eq(lam_json_reader_read(reader, &sink, 10, &records, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "line 6: b: the schema has no such field");
    cr_expect_eq(lam_json_reader_read(reader, &sink, 10, &records, &error), LAM_STATUS_OK);
    cr_expect(records == 1 && lam_json_reader_line(reader) == 7);
    cr_expect_eq(lam_json_reader_read(reader, &sink, 10, &records, &error), LAM_STATUS_OK);
    cr_expect_eq(records, 0);
    lam_json_reader_destroy(reader);
    free(log.text);
    lam_schema_destroy(schema);
}

Test(json_reader, a_document_that_breaks_off_ends_the_reading) {
    static const char json[] = "[{\"a\":1},\n{\"a\":2}\n{\"a\":3}]";
    lam_schema *schema = fields_of("required int32 a;");
    lam_bytes left = {(const uint8_t *)json, strlen(json)};
    lam_json_source source = lam_json_source_memory(&left);
    lam_json_reader *reader;
    event_log log = {NULL, 0, 0};
    lam_record_sink sink = log_sink(&log);
    lam_error error = lam_error_none();
    size_t records;
    cr_assert_eq(lam_json_reader_create(schema, &source, NULL, NULL, &reader, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_json_reader_read(reader, &sink, 10, &records, &error), LAM_STATUS_INVALID);
    cr_expect_eq(records, 2);
    cr_expect_str_eq(error.message, "line 3: expected a comma or ] after a record, found '{'");
    cr_expect_eq(lam_json_reader_read(reader, &sink, 10, &records, &error), LAM_STATUS_STATE);
    lam_json_reader_destroy(reader);
    free(log.text);
    lam_schema_destroy(schema);
}

Test(json_reader, only_lines_refuses_each_line_that_is_no_record_alone) {
    static const char json[] = "{\"a\":\n[\n{\n{\"a\":1} {\"a\":2}\n{\"a\":3}\n";
    lam_schema *schema = fields_of("required int32 a;");
    lam_bytes left = {(const uint8_t *)json, strlen(json)};
    lam_json_source source = lam_json_source_memory(&left);
    lam_json_reader_options options = lam_json_reader_options_default();
    lam_json_reader *reader;
    event_log log = {NULL, 0, 0};
    lam_record_sink sink = log_sink(&log);
    lam_error error = lam_error_none();
    size_t records;
    options.only_lines = true;
    options.first_line = 7;
    cr_assert_eq(lam_json_reader_create(schema, &source, &options, NULL, &reader, NULL),
                 LAM_STATUS_OK);
    for (uint64_t line = 7; line < 11; line++) {
        cr_expect_eq(lam_json_reader_read(reader, &sink, 10, &records, &error), LAM_STATUS_INVALID);
        cr_expect(records == 0 && lam_json_reader_line(reader) == line, "line %" PRIu64, line);
    }
    cr_expect_str_eq(error.message,
                     "line 10, column 9: expected nothing after the value, found '{'");
    cr_expect_eq(lam_json_reader_read(reader, &sink, 10, &records, &error), LAM_STATUS_OK);
    cr_expect(records == 1 && lam_json_reader_line(reader) == 11);
    lam_json_reader_destroy(reader);
    free(log.text);
    lam_schema_destroy(schema);
}

/* It is passed over to its line end, however long it is, and the next line is read. */
Test(json_reader, a_line_that_is_too_long_is_refused_alone) {
    enum { ROOM = 2 << 20 };
    char *json = malloc(ROOM);
    size_t size = (size_t)sprintf(json, "{\"a\":1}\n{\"a\":");
    memset(json + size, '1', ROOM - 100 - size);
    strcpy(json + ROOM - 100, "}\n{\"a\":x}\n{\"a\":3}");
    lam_schema *schema = fields_of("required int32 a;");
    lam_bytes left = {(const uint8_t *)json, strlen(json)};
    lam_json_source source = lam_json_source_memory(&left);
    lam_json_reader_options options = lam_json_reader_options_default();
    lam_json_reader *reader;
    event_log log = {NULL, 0, 0};
    lam_record_sink sink = log_sink(&log);
    lam_error error = lam_error_none();
    size_t records;
    options.only_lines = true;
    options.max_record_bytes = 1000;
    cr_assert_eq(lam_json_reader_create(schema, &source, &options, NULL, &reader, NULL),
                 LAM_STATUS_OK);
    cr_expect_eq(lam_json_reader_read(reader, &sink, 10, &records, &error), LAM_STATUS_LIMIT);
    cr_expect_str_eq(error.message, "line 2: the record is longer than the limit of 1000 bytes");
    cr_expect(records == 1 && lam_json_reader_line(reader) == 2);
    lam_bytes text = lam_json_reader_text(reader);
    cr_expect(text.size > 1000 && memcmp(text.data, "{\"a\":111", 8) == 0);
    cr_expect_eq(lam_json_reader_read(reader, &sink, 10, &records, &error), LAM_STATUS_INVALID);
    text = lam_json_reader_text(reader);
    cr_expect(text.size == 7 && memcmp(text.data, "{\"a\":x}", 7) == 0);
    cr_expect_eq(lam_json_reader_line(reader), 3);
    cr_expect_eq(lam_json_reader_read(reader, &sink, 10, &records, &error), LAM_STATUS_OK);
    cr_expect(records == 1 && lam_json_reader_line(reader) == 4);
    cr_expect_null(lam_json_reader_text(reader).data);
    lam_json_reader_destroy(reader);
    free(log.text);
    free(json);
    lam_schema_destroy(schema);
}

Test(json_reader, no_text_is_given_where_reading_cannot_go_on) {
    static const char json[] = "[{\"a\":1} {\"a\":2}]";
    lam_schema *schema = fields_of("required int32 a;");
    lam_bytes left = {(const uint8_t *)json, strlen(json)};
    lam_json_source source = lam_json_source_memory(&left);
    lam_json_reader *reader;
    event_log log = {NULL, 0, 0};
    lam_record_sink sink = log_sink(&log);
    lam_error error = lam_error_none();
    size_t records;
    cr_assert_eq(lam_json_reader_create(schema, &source, NULL, NULL, &reader, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_json_reader_read(reader, &sink, 10, &records, &error), LAM_STATUS_INVALID);
    cr_expect_null(lam_json_reader_text(reader).data);
    lam_json_reader_destroy(reader);
    free(log.text);
    lam_schema_destroy(schema);
}

Test(json_reader, unknown_members_that_are_null_are_skipped_on_request) {
    lam_schema *schema = fields_of("optional int32 a; optional group g { optional int32 b; }");
    lam_json_reader_options options = lam_json_reader_options_default();
    lam_error error;
    options.ignore_unknown_nulls = true;
    char *copy =
        copy_json(schema, "{\"x\":null,\"a\":1,\"g\":{\"y\":null}}", &options, NULL, &error);
    cr_assert_not_null(copy, "%s", error.message);
    cr_expect_str_eq(copy, "{\"a\":1,\"g\":{\"b\":null}}\n");
    free(copy);
    cr_expect_null(copy_json(schema, "{\"x\":[]}", &options, NULL, &error));
    cr_expect_str_eq(error.message, "line 1: x: the schema has no such field");
    lam_schema_destroy(schema);
}

Test(json_reader, lines_inside_of_a_document_are_counted) {
    lam_schema *schema = fields_of("repeated group a { optional int32 b; }");
    lam_error error;
    cr_expect_null(
        copy_json(schema, "[\n{\"a\":\n[{\"b\":1},\n{\"b\":true}]}]", NULL, NULL, &error));
    cr_expect_str_eq(error.message, "line 4: a[1].b: expected an integer, found true");
    cr_expect_null(copy_json(schema, "{\n  \"a\": [\n    {\"b\" 1}]}", NULL, NULL, &error));
    cr_expect_str_eq(error.message, "line 3, column 10: expected a colon, found '1'");
    lam_schema_destroy(schema);
}

Test(json_reader, there_is_no_reader_without_a_schema) {
    lam_bytes left = {NULL, 0};
    lam_json_source source = lam_json_source_memory(&left);
    lam_json_reader *reader = NULL;
    cr_expect_eq(lam_json_reader_create(NULL, &source, NULL, NULL, &reader, NULL),
                 LAM_STATUS_INVALID);
    cr_expect_null(reader);
}

Test(json_reader, options_are_checked) {
    lam_schema *schema = fields_of("required int32 a;");
    lam_bytes left = {NULL, 0};
    lam_json_source source = lam_json_source_memory(&left);
    lam_json_reader *reader = NULL;
    lam_json_reader_options options = lam_json_reader_options_default();
    options.max_record_bytes = (size_t)2 << 30;
    cr_expect_eq(lam_json_reader_create(schema, &source, &options, NULL, &reader, NULL),
                 LAM_STATUS_INVALID);
    options = lam_json_reader_options_default();
    options.binary = (lam_json_binary)3;
    cr_expect_eq(lam_json_reader_create(schema, &source, &options, NULL, &reader, NULL),
                 LAM_STATUS_INVALID);
    options = lam_json_reader_options_default();
    options.struct_size = 1;
    cr_expect_eq(lam_json_reader_create(schema, &source, &options, NULL, &reader, NULL),
                 LAM_STATUS_INVALID);
    cr_expect_null(reader);
    lam_json_reader_destroy(NULL);
    lam_schema_destroy(schema);
}

Test(json_reader, a_record_beyond_the_limit_is_a_limit) {
    lam_schema *schema = fields_of("required binary a (STRING);");
    lam_json_reader_options options = lam_json_reader_options_default();
    lam_error error;
    options.max_record_bytes = 20;
    char *copy = copy_json(schema, "{\"a\":\"0123456789abc\"}", &options, NULL, &error);
    cr_expect_null(copy);
    cr_expect_eq(error.status, LAM_STATUS_LIMIT);
    copy = copy_json(schema, "{\"a\":\"0123456789ab\"}", &options, NULL, &error);
    cr_expect_not_null(copy);
    free(copy);
    lam_schema_destroy(schema);
}

/* The line was that of the record before, from which a log went on, and so for ever. */
Test(json_reader, a_record_beyond_the_limit_has_its_line) {
    static const char text[] = "{\"a\":\"0\"}\n\n{\"a\":\"0123456789abc\"}\n";
    lam_schema *schema = fields_of("required binary a (STRING);");
    lam_json_reader_options options = lam_json_reader_options_default();
    lam_bytes bytes = {(const uint8_t *)text, sizeof text - 1};
    lam_json_source source = lam_json_source_memory(&bytes);
    lam_json_reader *reader;
    event_log log = {NULL, 0, 0};
    size_t records;
    options.max_record_bytes = 20;
    cr_assert_eq(lam_json_reader_create(schema, &source, &options, NULL, &reader, NULL),
                 LAM_STATUS_OK);
    const lam_record_sink sink = log_sink(&log);
    cr_expect_eq(lam_json_reader_read(reader, &sink, 10, &records, NULL), LAM_STATUS_LIMIT);
    cr_expect_eq(records, 1);
    cr_expect_eq(lam_json_reader_line(reader), 3);
    lam_json_reader_destroy(reader);
    free(log.text);
    lam_schema_destroy(schema);
}

/* Gives one endless line; the state counts its bytes. The first call asks for few of them. */
static lam_status endless(void *state, void *buffer, size_t capacity, size_t *ret_size,
                          lam_error *error) {
    static const char start[] = "{\"a\":\"";
    size_t *given = state;
    (void)error;
    for (size_t i = 0; i < capacity; i++, (*given)++)
        ((char *)buffer)[i] = *given < strlen(start) ? start[*given] : 'x';
    *ret_size = capacity;
    return LAM_STATUS_OK;
}

Test(json_reader, an_endless_line_ends_at_the_limit) {
    lam_schema *schema = fields_of("required binary a (STRING);");
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    size_t given = 0;
    lam_json_source source = {&given, endless};
    lam_json_reader_options options = lam_json_reader_options_default();
    lam_json_reader *reader;
    event_log log = {NULL, 0, 0};
    lam_record_sink sink = log_sink(&log);
    size_t records;
    options.max_record_bytes = 4 << 20;
    cr_assert_eq(lam_json_reader_create(schema, &source, &options, &allocator, &reader, NULL),
                 LAM_STATUS_OK);
    cr_expect_eq(lam_json_reader_read(reader, &sink, 1, &records, NULL), LAM_STATUS_LIMIT);
    cr_expect_lt(counter.peak_bytes, 16 << 20);
    lam_json_reader_destroy(reader);
    lam_schema_destroy(schema);
}

/* Counts bytes of text. */
static lam_status count_begin(void *state, lam_error *error) {
    (void)state, (void)error;
    return LAM_STATUS_OK;
}

static lam_status count_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    (void)leaf, (void)error;
    *(size_t *)state += value.bytes.size;
    return LAM_STATUS_OK;
}

Test(json_reader, a_record_almost_as_long_as_the_default_limit) {
    enum { SIZE = 60 << 20 };
    lam_schema *schema = fields_of("required binary a (STRING);");
    char *json = malloc(SIZE + 64);
    size_t records = 0, bytes = 0;
    lam_record_sink sink = {&bytes, count_begin, NULL, count_put, NULL, count_begin, NULL};
    size_t head = (size_t)sprintf(json, "{\"a\":\"");
    memset(json + head, 'x', SIZE);
    strcpy(json + head + SIZE, "\"}\n{\"a\":\"y\"}\n");
    cr_expect_eq(read_json(schema, json, strlen(json), NULL, NULL, &sink, &records, NULL),
                 LAM_STATUS_OK);
    cr_expect_eq(records, 2);
    cr_expect_eq(bytes, (size_t)SIZE + 1);
    free(json);
    lam_schema_destroy(schema);
}

Test(json_reader, memory_for_a_record_of_nothing_but_commas_is_bounded) {
    enum { SIZE = 8 << 20 };
    lam_schema *schema = fields_of("repeated int32 a;");
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    char *json = malloc(SIZE + 8);
    size_t records = 0, bytes = 0;
    lam_record_sink sink = {&bytes, count_begin, NULL, count_put, NULL, count_begin, NULL};
    memcpy(json, "{\"a\":[1", 7);
    for (size_t i = 7; i < SIZE; i += 2)
        memcpy(json + i, ",1", 2);
    memcpy(json + SIZE - 1, "]}", 3);
    cr_expect_eq(read_json(schema, json, strlen(json), NULL, &allocator, &sink, &records, NULL),
                 LAM_STATUS_OK);
    cr_expect_eq(records, 1);
    cr_expect_lt(counter.peak_bytes, (size_t)12 * SIZE);
    memset(json, '[', SIZE);
    json[0] = '{';
    cr_expect_eq(read_json(schema, json, SIZE, NULL, &allocator, &sink, &records, NULL),
                 LAM_STATUS_INVALID);
    cr_expect_eq(counter.live_bytes, 0);
    free(json);
    lam_schema_destroy(schema);
}

static const char rich_fields[] =
    "required int64 a; optional binary s (STRING); optional group g { repeated double d; } "
    "optional group l (LIST) { repeated group list { optional group element { optional int32 x; } "
    "} } optional group m (MAP) { repeated group key_value { required binary key (STRING); "
    "optional int32 value; } } optional binary u; optional fixed_len_byte_array(4) f "
    "(DECIMAL(8,2));";

static const char rich_record[] =
    "{\"a\":-12,\"s\":\"t\\u00e9\\n\\\"\xE4\xB8\x8A\",\"g\":{\"d\":[1.5,-2e10]},\"l\":[{\"x\":1},"
    "null,"
    "{}],\"m\":{\"k\":1,\"\\u006b\":null},\"u\":\"AP8=\",\"f\":1.25}\n";

/* The status of reading a text that may be anything. */
static lam_status try_text(const lam_schema *schema, const char *json, size_t size,
                           lam_error *error) {
    event_log log = {NULL, 0, 0};
    lam_record_sink sink = log_sink(&log);
    size_t records = 0;
    lam_status status = read_json(schema, json, size, NULL, NULL, &sink, &records, error);
    free(log.text);
    return status;
}

Test(json_reader, every_prefix_is_read_or_refused) {
    lam_schema *schema = fields_of(rich_fields);
    for (size_t size = 0; size < strlen(rich_record); size++) {
        lam_error error = lam_error_none();
        lam_status status = try_text(schema, rich_record, size, &error);
        bool whole = size == 0 || size == strlen(rich_record) - 1;
        cr_assert_eq(status, whole ? LAM_STATUS_OK : LAM_STATUS_INVALID, "%zu", size);
        cr_assert(whole || strncmp(error.message, "line 1", 6) == 0);
    }
    lam_schema_destroy(schema);
}

Test(json_reader, every_byte_changed_in_every_way_is_read_or_refused) {
    lam_schema *schema = fields_of(rich_fields);
    char text[sizeof rich_record];
    size_t taken = 0;
    for (size_t i = 0; i + 1 < sizeof rich_record; i++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            lam_error error = lam_error_none();
            memcpy(text, rich_record, sizeof text);
            text[i] = (char)byte;
            lam_status status = try_text(schema, text, sizeof text - 1, &error);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_INVALID);
            cr_assert(status == LAM_STATUS_OK || error.message[0] != '\0');
            taken += status == LAM_STATUS_OK;
        }
    }
    cr_expect(taken > sizeof text && taken < 128 * sizeof text);
    lam_schema_destroy(schema);
}

Test(json_reader, memory_that_is_refused_is_reported) {
    lam_schema *schema = fields_of(rich_fields);
    for (size_t fail_at = 1;; fail_at++) {
        lam_failing_alloc counter = {0};
        counter.fail_at = fail_at;
        lam_allocator allocator = lam_failing_allocator(&counter);
        event_log log = {NULL, 0, 0};
        lam_record_sink sink = log_sink(&log);
        size_t records;
        lam_status status = read_json(schema, rich_record, strlen(rich_record), NULL, &allocator,
                                      &sink, &records, NULL);
        free(log.text);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_lt(fail_at, 100);
    }
    lam_schema_destroy(schema);
}

Test(json_reader, warm_reading_allocates_nothing) {
    enum { RECORDS = 5000 };
    lam_schema *schema = fields_of(rich_fields);
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    size_t size = strlen(rich_record);
    char *json = malloc(RECORDS * size);
    for (size_t i = 0; i < RECORDS; i++)
        memcpy(json + i * size, rich_record, size);
    lam_bytes left = {(const uint8_t *)json, RECORDS * size};
    lam_json_source source = lam_json_source_memory(&left);
    lam_json_reader *reader;
    lam_shredder *shredder;
    size_t records;
    cr_assert_eq(lam_shredder_create(schema, NULL, &shredder, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_shredder_sink(shredder);
    cr_assert_eq(lam_json_reader_create(schema, &source, NULL, &allocator, &reader, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_json_reader_read(reader, &sink, 10, &records, NULL), LAM_STATUS_OK);
    size_t before = counter.requests;
    cr_assert_eq(lam_json_reader_read(reader, &sink, SIZE_MAX, &records, NULL), LAM_STATUS_OK);
    cr_expect_eq(records, RECORDS - 10);
    cr_expect_leq(counter.requests, before + 2, "windows may grow, records may not");
    cr_expect_eq(lam_shredder_record_count(shredder), RECORDS);
    lam_json_reader_destroy(reader);
    lam_shredder_destroy(shredder);
    free(json);
    lam_schema_destroy(schema);
}

/* A sink that refuses the nth verb. */
typedef struct refusing {
    size_t left;
    size_t begun;
    size_t ended;
    lam_status status;
} refusing;

static lam_status refuse(refusing *state, lam_error *error) {
    if (state->left-- > 0)
        return LAM_STATUS_OK;
    if (error != NULL) {
        *error = lam_error_none();
        error->status = state->status;
        strcpy(error->message, "somewhere: no");
    }
    return state->status;
}

static lam_status refuse_begin(void *state, lam_error *error) {
    ((refusing *)state)->begun++;
    return refuse(state, error);
}

static lam_status refuse_group(void *state, const lam_field *group, lam_error *error) {
    (void)group;
    return refuse(state, error);
}

static lam_status refuse_put(void *state, const lam_field *leaf, lam_value value,
                             lam_error *error) {
    (void)leaf, (void)value;
    return refuse(state, error);
}

static lam_status refuse_end(void *state, lam_error *error) {
    lam_status status = refuse(state, error);
    ((refusing *)state)->ended += status == LAM_STATUS_OK;
    return status;
}

Test(json_reader, failures_of_the_sink_are_passed_on) {
    lam_schema *schema = fields_of(rich_fields);
    bool finished = false;
    for (size_t verbs = 0; !finished; verbs++) {
        for (int kind = 0; kind < 2; kind++) {
            refusing state = {verbs, 0, 0, kind == 0 ? LAM_STATUS_INVALID : LAM_STATUS_IO};
            lam_record_sink sink = {&state,       refuse_begin, refuse_group, refuse_put,
                                    refuse_group, refuse_end,   NULL};
            lam_error error = lam_error_none();
            size_t records;
            lam_status status = read_json(schema, rich_record, strlen(rich_record), NULL, NULL,
                                          &sink, &records, &error);
            finished = status == LAM_STATUS_OK;
            if (finished)
                break;
            cr_assert_eq(status, state.status);
            cr_assert_str_eq(error.message, kind == 0 ? "line 1: somewhere: no" : "somewhere: no");
            cr_assert_eq(state.ended, 0);
        }
        cr_assert_lt(verbs, 100);
    }
    lam_schema_destroy(schema);
}
