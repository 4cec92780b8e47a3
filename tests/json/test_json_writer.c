/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records print as JSON: every shape of field, verbs out of order, outputs that fail, and the
 * records of the shared cases.
 */
#include <lamella/record.h>

#include "json_help.h"
#include "support/failing_alloc.h"
#include "support/shared.h"
#include "json/parse/json_tokens.h"

typedef struct printing {
    lam_schema *schema;
    lam_output output;
    lam_json_writer *writer;
    lam_record_sink sink;
} printing;

static void start_printing(printing *p, const char *fields) {
    p->schema = fields_of(fields);
    cr_assert_eq(lam_output_memory(NULL, &p->output, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_json_writer_create(p->schema, &p->output, NULL, NULL, &p->writer, NULL),
                 LAM_STATUS_OK);
    p->sink = lam_json_writer_sink(p->writer);
}

static void expect_printed(printing *p, const char *expected) {
    cr_assert_eq(lam_json_writer_flush(p->writer, NULL), LAM_STATUS_OK);
    lam_bytes text = lam_output_memory_bytes(&p->output);
    cr_expect(text.size == strlen(expected) &&
                  (text.size == 0 || memcmp(text.data, expected, text.size) == 0),
              "%.*s", (int)text.size, (const char *)text.data);
}

static void stop_printing(printing *p) {
    lam_json_writer_destroy(p->writer);
    lam_output_close(&p->output);
    lam_schema_destroy(p->schema);
}

static lam_status put_int(printing *p, const char *path, int32_t number) {
    lam_value value = {.int32 = number};
    return p->sink.put(p->sink.state, lam_schema_find(p->schema, path), value, NULL);
}

static lam_status open_group(printing *p, const char *path) {
    return p->sink.open(p->sink.state, lam_schema_find(p->schema, path), NULL);
}

static lam_status close_group(printing *p, const char *path) {
    return p->sink.close(p->sink.state, lam_schema_find(p->schema, path), NULL);
}

static lam_status begin(printing *p) {
    return p->sink.begin(p->sink.state, NULL);
}

static lam_status end(printing *p) {
    return p->sink.end(p->sink.state, NULL);
}

static const char fields[] = "optional int32 a; repeated int32 b; optional group c { "
                             "optional int32 d; required int32 e; } optional int32 f;";

Test(json_writer, prints_every_field_of_every_record) {
    printing p;
    start_printing(&p, fields);
    cr_assert(!begin(&p) && !end(&p));
    cr_assert(!begin(&p) && !put_int(&p, "a", 1) && !put_int(&p, "b", 2) && !put_int(&p, "b", 3));
    cr_assert(!open_group(&p, "c") && !put_int(&p, "c.e", 4) && !close_group(&p, "c") && !end(&p));
    expect_printed(&p, "{\"a\":null,\"b\":[],\"c\":null,\"f\":null}\n"
                       "{\"a\":1,\"b\":[2,3],\"c\":{\"d\":null,\"e\":4},\"f\":null}\n");
    stop_printing(&p);
}

Test(json_writer, verbs_out_of_order_drop_the_record) {
    printing p;
    start_printing(&p, fields);
    cr_expect_eq(end(&p), LAM_STATUS_STATE);
    cr_expect_eq(put_int(&p, "a", 1), LAM_STATUS_STATE);
    cr_assert(!begin(&p) && !put_int(&p, "a", 1));
    cr_expect_eq(put_int(&p, "c.e", 1), LAM_STATUS_STATE);
    cr_expect_eq(end(&p), LAM_STATUS_STATE);
    cr_assert(!begin(&p) && !open_group(&p, "c"));
    cr_expect_eq(end(&p), LAM_STATUS_STATE);
    cr_assert(!begin(&p) && !open_group(&p, "c"));
    cr_expect_eq(close_group(&p, "c"), LAM_STATUS_INVALID, "e is required");
    cr_assert(!begin(&p));
    cr_expect_eq(open_group(&p, "a"), LAM_STATUS_STATE);
    cr_assert(!begin(&p));
    cr_expect_eq(put_int(&p, "nothing", 1), LAM_STATUS_INVALID);
    cr_assert(!begin(&p));
    cr_expect_eq(close_group(&p, ""), LAM_STATUS_STATE);
    cr_assert(!begin(&p) && !put_int(&p, "f", 1));
    cr_assert(!begin(&p) && !put_int(&p, "f", 2) && !end(&p)); /* the first one is given up */
    expect_printed(&p, "{\"a\":null,\"b\":[],\"c\":null,\"f\":2}\n");
    stop_printing(&p);
}

/* A record of one open group or more, into which a field is put that does not belong there. */
Test(json_writer, fields_that_do_not_belong_drop_the_record) {
    printing p;
    lam_schema *other = fields_of("optional int32 a;");
    lam_error error = lam_error_none();
    lam_value value = {.int32 = 1};
    start_printing(&p, "optional int32 a; optional group c { optional int32 d; optional group e {"
                       " optional int32 f; } }");
    void *state = p.sink.state;
    cr_assert_eq(begin(&p), LAM_STATUS_OK);
    cr_expect_eq(p.sink.put(state, lam_schema_leaf(other, 0), value, &error), LAM_STATUS_STATE);
    cr_expect_str_eq(error.message, "field a is not where it belongs");
    cr_assert_eq(begin(&p), LAM_STATUS_OK);
    cr_expect_eq(p.sink.put(state, NULL, value, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message,
                     "no such field (NULL): lam_schema_resolve says why a path leads to none");
    cr_assert_eq(begin(&p), LAM_STATUS_OK);
    cr_expect_eq(p.sink.open(state, lam_schema_root(p.schema), &error), LAM_STATUS_STATE);
    cr_assert(!begin(&p) && !open_group(&p, "c"));
    cr_expect_eq(p.sink.put(state, lam_schema_find(p.schema, "c.e"), value, &error),
                 LAM_STATUS_STATE);
    cr_expect_eq(close_group(&p, "c"), LAM_STATUS_STATE, "the record has failed");
    cr_assert(!begin(&p) && !open_group(&p, "c") && !open_group(&p, "c.e"));
    cr_expect_eq(close_group(&p, "c"), LAM_STATUS_STATE, "c.e is open");
    expect_printed(&p, "");
    stop_printing(&p);
    lam_schema_destroy(other);
}

Test(json_writer, a_group_that_is_not_projected_is_closed_before_the_record_ends) {
    printing p;
    static const bool leaves[] = {true, false};
    lam_json_writer_options options = lam_json_writer_options_default();
    lam_error error = lam_error_none();
    start_printing(&p, "optional int32 a; optional group c { optional int32 d; }");
    lam_json_writer_destroy(p.writer);
    options.leaves = leaves;
    cr_assert_eq(lam_json_writer_create(p.schema, &p.output, &options, NULL, &p.writer, NULL),
                 LAM_STATUS_OK);
    p.sink = lam_json_writer_sink(p.writer);
    cr_assert(!begin(&p) && !open_group(&p, "c") && !put_int(&p, "c.d", 1));
    cr_expect_eq(p.sink.end(p.sink.state, &error), LAM_STATUS_STATE);
    cr_expect_str_eq(error.message, "a record ends inside a group");
    cr_assert(!begin(&p) && !open_group(&p, "c") && !close_group(&p, "c") && !end(&p));
    expect_printed(&p, "{\"a\":null}\n");
    stop_printing(&p);
}

Test(json_writer, entries_of_a_map_need_their_key_first) {
    printing p;
    lam_error error = lam_error_none();
    lam_value value = {.int32 = 1};
    start_printing(&p, "optional group m (MAP) { repeated group key_value {"
                       " required binary key (STRING); optional int32 value; } }");
    cr_assert(!begin(&p) && !open_group(&p, "m") && !open_group(&p, "m.key_value"));
    cr_expect_eq(p.sink.put(p.sink.state, lam_schema_leaf(p.schema, 1), value, &error),
                 LAM_STATUS_STATE);
    cr_expect_str_eq(error.message, "m.key_value.value: not in schema order");
    cr_assert(!begin(&p) && !open_group(&p, "m") && !open_group(&p, "m.key_value"));
    cr_expect_eq(p.sink.close(p.sink.state, lam_schema_find(p.schema, "m.key_value"), &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "m.key_value: an entry without a key");
    stop_printing(&p);
}

/* The assembler before the writer does not know where a VARIANT belongs. */
Test(json_writer, a_variant_outside_of_its_group_drops_the_record) {
    printing p;
    lam_error error = lam_error_none();
    lam_value metadata = {.bytes = {(const uint8_t *)"\x01\0\0", 3}};
    lam_value null = {.bytes = {(const uint8_t *)"\0", 1}};
    start_printing(&p, "optional group g { optional group v (VARIANT(1)) {"
                       " required binary metadata; required binary value; } }");
    void *state = p.sink.state;
    cr_assert(!begin(&p) && !open_group(&p, "g.v"));
    cr_assert_eq(p.sink.put(state, lam_schema_leaf(p.schema, 0), metadata, NULL), LAM_STATUS_OK);
    cr_assert_eq(p.sink.put(state, lam_schema_leaf(p.schema, 1), null, NULL), LAM_STATUS_OK);
    cr_expect_eq(p.sink.close(state, lam_schema_find(p.schema, "g.v"), &error), LAM_STATUS_STATE);
    cr_expect_str_eq(error.message, "field v is not where it belongs");
    cr_expect_eq(end(&p), LAM_STATUS_STATE);
    expect_printed(&p, "");
    stop_printing(&p);
}

Test(json_writer, text_that_is_not_utf8_is_refused_or_replaced) {
    printing p;
    start_printing(&p, "optional group g { optional binary s (STRING); }");
    lam_json_writer_options options = lam_json_writer_options_default();
    lam_value bad = {.bytes = {(const uint8_t *)"a\xFF", 2}};
    lam_error error = lam_error_none();
    const lam_field *leaf = lam_schema_leaf(p.schema, 0);
    cr_assert(!begin(&p) && !open_group(&p, "g"));
    cr_expect_eq(p.sink.put(p.sink.state, leaf, bad, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "g.s: byte 1 of the text is not UTF-8");
    lam_json_writer_destroy(p.writer);
    options.replace_invalid = true;
    cr_assert_eq(lam_json_writer_create(p.schema, &p.output, &options, NULL, &p.writer, NULL),
                 LAM_STATUS_OK);
    p.sink = lam_json_writer_sink(p.writer);
    cr_assert(!begin(&p) && !open_group(&p, "g"));
    cr_expect_eq(p.sink.put(p.sink.state, leaf, bad, &error), LAM_STATUS_OK);
    cr_assert(!close_group(&p, "g") && !end(&p));
    expect_printed(&p, "{\"g\":{\"s\":\"a\xEF\xBF\xBD\"}}\n");
    stop_printing(&p);
}

Test(json_writer, options_are_checked) {
    lam_schema *schema = fields_of(fields);
    lam_json_writer_options options = lam_json_writer_options_default();
    lam_output output = {0};
    lam_json_writer *writer = NULL;
    options.struct_size++;
    cr_expect_eq(lam_json_writer_create(schema, &output, &options, NULL, &writer, NULL),
                 LAM_STATUS_INVALID);
    options = lam_json_writer_options_default();
    options.binary = (lam_json_binary)-1;
    cr_expect_eq(lam_json_writer_create(schema, &output, &options, NULL, &writer, NULL),
                 LAM_STATUS_INVALID);
    options = lam_json_writer_options_default();
    options.memory_limit = UINT64_MAX;
    cr_expect_eq(lam_json_writer_create(schema, &output, &options, NULL, &writer, NULL),
                 LAM_STATUS_INVALID);
    cr_expect_eq(lam_json_writer_create(NULL, &output, NULL, NULL, &writer, NULL),
                 LAM_STATUS_INVALID);
    cr_expect_null(writer);
    lam_json_writer_destroy(NULL);
    lam_schema_destroy(schema);
}

Test(json_writer, a_projection_of_values_does_not_go_with_their_storage) {
    lam_schema *schema = fields_of(fields);
    lam_projection *projection;
    lam_json_writer_options options = lam_json_writer_options_default();
    lam_output output = {0};
    lam_json_writer *writer = NULL;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_projection_create(schema, NULL, &projection, NULL), LAM_STATUS_OK);
    options.projection = projection;
    options.variant = LAM_JSON_VARIANT_STORAGE;
    cr_expect_eq(lam_json_writer_create(schema, &output, &options, NULL, &writer, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "a projection is of values, not of their storage");
    lam_projection_destroy(projection);
    lam_schema_destroy(schema);
}

static lam_status fail_write(void *state, const void *data, size_t size, lam_error *error) {
    (void)data, (void)size, (void)error;
    ++*(int *)state;
    return LAM_STATUS_IO;
}

Test(json_writer, a_failing_output_is_passed_on) {
    lam_schema *schema = fields_of("required int32 a;");
    int writes = 0;
    lam_output output = {&writes, fail_write, NULL, NULL};
    lam_json_writer *writer;
    lam_value value = {.int32 = 1};
    lam_status status = LAM_STATUS_OK;
    cr_assert_eq(lam_json_writer_create(schema, &output, NULL, NULL, &writer, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_json_writer_sink(writer);
    for (int i = 0; i < 1000000 && status == LAM_STATUS_OK; i++) {
        cr_assert_eq(sink.begin(writer, NULL), LAM_STATUS_OK);
        cr_assert_eq(sink.put(writer, lam_schema_leaf(schema, 0), value, NULL), LAM_STATUS_OK);
        status = sink.end(writer, NULL);
    }
    cr_expect_eq(status, LAM_STATUS_IO);
    cr_expect_eq(writes, 1);
    lam_json_writer_destroy(writer);
    lam_schema_destroy(schema);
}

Test(json_writer, memory_that_is_refused_is_reported) {
    lam_schema *schema = fields_of(fields);
    static const char json[] = "{\"f\":1,\"c\":{\"e\":1,\"d\":2},\"a\":2}\n";
    for (size_t fail_at = 1;; fail_at++) {
        lam_failing_alloc counter = {0};
        counter.fail_at = fail_at;
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_output output;
        lam_json_writer *writer = NULL;
        size_t records;
        cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
        lam_status status =
            lam_json_writer_create(schema, &output, NULL, &allocator, &writer, NULL);
        if (status == LAM_STATUS_OK) {
            lam_record_sink sink = lam_json_writer_sink(writer);
            status = read_json(schema, json, strlen(json), NULL, NULL, &sink, &records, NULL);
        }
        lam_json_writer_destroy(writer);
        lam_output_close(&output);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_lt(fail_at, 100);
    }
    lam_schema_destroy(schema);
}

/* --- The records of ../shared/cases ----------------------------------------------------------- */

/* The value of a member of the root object in the tokens. */
static const lam_json_token *member_of(const lam_json_tokens *parsed, const char *name) {
    const lam_json_token *key = parsed->tokens + 1;
    while (key < parsed->tokens + parsed->count &&
           strncmp(parsed->text + key->start, name, strlen(name)))
        key = parsed->tokens + key[1].next;
    return key + 1;
}

static void unescape(char *text) {
    char *out = text;
    for (; *text != '\0'; text++)
        *out++ = *text == '\\' ? (*++text == 'n' ? '\n' : *text) : *text;
    *out = '\0';
}

/* Each record of a case, in its logical view, is the same after reading and printing. */
static void check_case(const char *name) {
    size_t size;
    char *text = lam_test_read_file(lam_test_shared(name), &size);
    cr_assert_not_null(text);
    text = realloc(text, size + LAM_STRUCTURAL_PADDING);
    lam_allocator allocator = lam_allocator_default();
    lam_json_tokens *parsed = malloc(sizeof *parsed);
    cr_assert_eq(lam_json_tokens_init(parsed, &allocator, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_json_tokens_parse(parsed, text, size, NULL), LAM_STATUS_OK);
    const lam_json_token *schema_text = member_of(parsed, "schema");
    const lam_json_token *records = member_of(parsed, "records");
    char *message = calloc(1, schema_text->end - schema_text->start + 1);
    memcpy(message, text + schema_text->start, schema_text->end - schema_text->start);
    unescape(message);
    lam_schema *schema = schema_of(message);
    char *json = calloc(1, records->end - records->start + 1);
    char *compact = json;
    for (size_t i = records->start; i < records->end; i++) /* no string in them holds a space */
        if (text[i] != ' ' && text[i] != '\n')
            *compact++ = text[i];
    lam_error error;
    char *copy = copy_json(schema, json, NULL, NULL, &error);
    cr_assert_not_null(copy, "%s: %s", name, error.message);
    char *line = strtok(copy, "\n");
    for (char *at = json + 1; *at != '\0' && line != NULL; line = strtok(NULL, "\n")) {
        cr_expect_eq(strncmp(at, line, strlen(line)), 0, "%s: %s", name, line);
        at += strlen(line) + 1;
        cr_expect(*at != '\0' || strtok(NULL, "\n") == NULL);
    }
    free(copy);
    free(json);
    free(message);
    lam_schema_destroy(schema);
    lam_json_tokens_finish(parsed);
    free(parsed);
    free(text);
}

Test(json_writer, records_of_the_shared_cases_come_back) {
    static const char *const names[] = {"dremel-document", "links-url",      "nested-structs",
                                        "nullable-list",   "optional-chain", "repeated-groups",
                                        "repeated-leaf",   "user-addresses"};
    if (!lam_test_shared_exists("cases"))
        cr_skip_test("no shared data");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "cases/%s.json", names[i]);
        check_case(path);
    }
}

Test(json_writer, a_failed_verb_is_reported_at_the_end_and_the_next_record_starts_clean) {
    printing p;
    start_printing(&p, fields);
    lam_error error = lam_error_none();
    lam_bytes bad = {NULL, 1};
    lam_begin(&p.sink, NULL);
    cr_assert_eq(lam_put_double(&p.sink, lam_schema_find(p.schema, "a"), 1, NULL),
                 LAM_STATUS_INVALID);
    cr_assert_eq(put_int(&p, "f", 1), LAM_STATUS_INVALID);
    cr_assert_eq(lam_open(&p.sink, lam_schema_find(p.schema, "c"), &error), LAM_STATUS_INVALID);
    cr_assert_eq(error.status, LAM_STATUS_OK); /* left alone */
    cr_assert_eq(lam_end(&p.sink, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "a: is INT32, not DOUBLE");
    lam_begin(&p.sink, NULL);
    cr_assert_eq(close_group(&p, "c"), LAM_STATUS_STATE);
    cr_assert_eq(lam_end(&p.sink, &error), LAM_STATUS_STATE);
    cr_assert_str_eq(error.message, "field c is not where it belongs");
    cr_assert(!begin(&p) && !put_int(&p, "a", 2) && !end(&p));
    expect_printed(&p, "{\"a\":2,\"b\":[],\"c\":null,\"f\":null}\n");
    stop_printing(&p);
    start_printing(&p, "optional binary s (STRING);");
    lam_begin(&p.sink, NULL);
    lam_put_bytes(&p.sink, lam_schema_leaf(p.schema, 0), bad.data, bad.size, NULL);
    cr_assert_eq(lam_end(&p.sink, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "s: value of 1 bytes at NULL");
    stop_printing(&p);
}
