/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events that a record of JSON becomes, for every shape of schema, and what happens when a verb
 * fails.
 */
#include <lamella/record.h>

#include "base/error.h"
#include "json_help.h"
#include "json/read/json_record.h"

static void expect_events(const char *schema_text, const char *json, const char *expected) {
    lam_schema *schema = schema_of(schema_text);
    event_log log = {NULL, 0, 0};
    lam_record_sink sink = log_sink(&log);
    lam_error error = lam_error_none();
    size_t records = 0;
    cr_assert_eq(read_json(schema, json, strlen(json), NULL, NULL, &sink, &records, &error),
                 LAM_STATUS_OK, "%s", error.message);
    cr_expect_eq(records, 1);
    cr_expect_str_eq(log.text, expected);
    free(log.text);
    lam_schema_destroy(schema);
}

Test(json_record, the_events_of_the_document_of_the_paper) {
    expect_events("message Document { required int64 DocId; optional group Links { "
                  "repeated int64 Backward; repeated int64 Forward; } repeated group Name { "
                  "repeated group Language { required binary Code (STRING); "
                  "optional binary Country (STRING); } optional binary Url (STRING); } }",
                  "{\"DocId\":16,\"Links\":{\"Backward\":[],\"Forward\":[1]},\"Name\":["
                  "{\"Language\":[{\"Code\":\"e\",\"Country\":null}],\"Url\":\"h\"},{}]}",
                  "begin \nput 1000000000000000 DocId\nopen Links\nput 0100000000000000 Forward\n"
                  "close Links\nopen Name\nopen Language\nput 65 Code\nclose Language\n"
                  "put 68 Url\nclose Name\nopen Name\nclose Name\nend \n");
}

Test(json_record, the_events_of_lists_and_maps) {
    expect_events("message m { optional group a (LIST) { repeated group list { optional int32 "
                  "element; } } optional group b (MAP) { repeated group key_value { "
                  "required binary key (STRING); optional group value (LIST) { repeated group list "
                  "{ optional int32 element; } } } } }",
                  "{\"a\":[1,null],\"b\":{\"x\":[2],\"y\":null}}",
                  "begin \nopen a\nopen list\nput 01000000 element\nclose list\nopen list\n"
                  "close list\nclose a\nopen b\nopen key_value\nput 78 key\nopen value\nopen list\n"
                  "put 02000000 element\nclose list\nclose value\nclose key_value\nopen key_value\n"
                  "put 79 key\nclose key_value\nclose b\nend \n");
}

static const char place[] = "required int64 id; optional group b { required group c { "
                            "repeated int32 d; } } repeated group addresses { "
                            "optional binary city (STRING); } optional group tags (LIST) { "
                            "repeated group list { required int32 element; } } "
                            "optional group m (MAP) { repeated group key_value { "
                            "required binary key (STRING); optional group value { "
                            "optional int32 x; } } }";

Test(json_record, failures_name_the_place) {
    expect_failure(place, "{\"id\":1,\"addresses\":[{},{},{\"city\":7}]}",
                   "line 1: addresses[2].city: expected a string, found a number");
    expect_failure(place, "{\"id\":1,\"b\":{\"c\":{\"d\":[1,2,null]}}}",
                   "line 1: b.c.d[2]: expected an element, found null");
    expect_failure(place, "{\"id\":1,\"tags\":[1,\"x\"]}",
                   "line 1: tags[1]: expected an integer, found a string");
    expect_failure(place, "{\"id\":1,\"tags\":[1,null]}", "line 1: tags[1]: required, but null");
    expect_failure(place, "{\"id\":1,\"m\":{\"k\":{\"x\":true}}}",
                   "line 1: m.k.x: expected an integer, found true");
    expect_failure(place, "{\"id\":1,\"m\":[]}", "line 1: m: expected an object, found an array");
    expect_failure(place, "{\"id\":1,\"addresses\":null}",
                   "line 1: addresses: expected an array, found null");
    expect_failure(place, "{\"id\":1,\"addresses\":{}}",
                   "line 1: addresses: expected an array, found an object");
    expect_failure(place, "{\"id\":1,\"tags\":{}}",
                   "line 1: tags: expected an array, found an object");
    expect_failure(place, "[7]", "line 1: expected an object, found a number");
}

Test(json_record, what_is_missing_null_unknown_or_twice) {
    expect_failure(place, "{}", "line 1: id: required, but missing");
    expect_failure(place, "{\"id\":null}", "line 1: id: required, but null");
    expect_failure("optional int32 o; required int32 a; required int32 b;", "{\"a\":1}",
                   "line 1: b: required, but missing");
    expect_failure(place, "{\"id\":1,\"b\":{}}", "line 1: b.c: required, but missing");
    expect_failure(place, "{\"id\":1,\"b\":{\"c\":null}}", "line 1: b.c: required, but null");
    expect_failure(place, "{\"id\":1,\"x\":2}", "line 1: x: the schema has no such field");
    expect_failure(place, "{\"id\":1,\"addresses\":[{\"zip\":[1]}]}",
                   "line 1: addresses[0].zip: the schema has no such field");
    expect_failure(place, "{\"id\":1,\"id\":1}",
                   "line 1: id: the name appears twice in its object");
    expect_failure(place, "{\"id\":1,\"addresses\":[{\"city\":null,\"city\":null}]}",
                   "line 1: addresses[0].city: the name appears twice in its object");
}

Test(json_record, members_in_any_order_and_absent_ones) {
    expect_copy(
        place, "{\"addresses\":[{\"city\":\"x\"}],\"id\":1}",
        "{\"id\":1,\"b\":null,\"addresses\":[{\"city\":\"x\"}],\"tags\":null,\"m\":null}\n");
    expect_copy("optional int32 a; optional int32 b; optional int32 c;",
                "{\"c\":3,\"a\":1}\n{\"c\":3,\"a\":1}\n{\"b\":2}\n{\"a\":1,\"b\":2,\"c\":3}\n{}\n",
                "{\"a\":1,\"b\":null,\"c\":3}\n{\"a\":1,\"b\":null,\"c\":3}\n"
                "{\"a\":null,\"b\":2,\"c\":null}\n{\"a\":1,\"b\":2,\"c\":3}\n"
                "{\"a\":null,\"b\":null,\"c\":null}\n");
}

Test(json_record, unknown_members_are_skipped_on_demand) {
    lam_schema *schema = fields_of("optional int32 a; optional group g { optional int32 b; }");
    lam_json_reader_options options = lam_json_reader_options_default();
    lam_error error;
    options.ignore_unknown = true;
    char *copy = copy_json(
        schema, "{\"x\":[{\"a\":7},{}],\"a\":1,\"y\":null,\"g\":{\"z\":{\"b\":3},\"b\":2}}",
        &options, NULL, &error);
    cr_assert_not_null(copy, "%s", error.message);
    cr_expect_str_eq(copy, "{\"a\":1,\"g\":{\"b\":2}}\n");
    free(copy);
    copy = copy_json(schema, "{\"x\":[{\"a\":tru}]}", &options, NULL, &error);
    cr_expect_null(copy, "what is skipped is still checked");
    free(copy);
    lam_schema_destroy(schema);
}

Test(json_record, integers_that_a_double_does_not_keep_are_refused_on_demand) {
    lam_schema *schema = fields_of("optional double a;");
    lam_json_reader_options options = lam_json_reader_options_default();
    lam_error error;
    char *copy = copy_json(schema, "{\"a\":9007199254740993}", &options, NULL, &error);
    cr_expect_str_eq(copy, "{\"a\":9.007199254740992e+15}\n");
    free(copy);
    options.exact_integers = true;
    cr_expect_null(copy_json(schema, "{\"a\":9007199254740993}", &options, NULL, &error));
    cr_expect_str_eq(error.message, "line 1: a: an integer that a double does not keep");
    copy = copy_json(schema, "{\"a\":9007199254740992}", &options, NULL, &error);
    cr_expect_not_null(copy);
    free(copy);
    lam_schema_destroy(schema);
}

Test(json_record, long_paths_are_cut_at_the_front) {
    char fields[1024] = "", json[1024] = "", close[64] = "";
    for (int i = 0; i < 20; i++) {
        strcat(fields, "optional group name\xC3\xA9 { ");
        strcat(json, "{\"name\xC3\xA9\":");
        strcat(close, " }");
    }
    strcat(fields, "optional int32 x;");
    strcat(fields, close);
    strcat(json, "{\"x\":true");
    for (int i = 0; i < 21; i++)
        strcat(json, "}");
    lam_schema *schema = fields_of(fields);
    lam_error error;
    cr_assert_null(copy_json(schema, json, NULL, NULL, &error));
    cr_expect_not_null(strstr(error.message, "name\xC3\xA9.name\xC3\xA9.x: expected an integer"),
                       "%s", error.message);
    cr_expect_lt(strlen(error.message), 150);
    lam_schema_destroy(schema);
}

Test(json_record, a_schema_as_deep_as_it_gets) {
    enum { DEPTH = LAM_SCHEMA_DEPTH_MAX };
    char json[16 * DEPTH] = "", text[32 * DEPTH] = "message m { ";
    for (int i = 0; i < DEPTH - 1; i++) {
        strcat(text, "repeated group a { ");
        strcat(json, "{\"a\":[");
    }
    strcat(text, "repeated int32 a;");
    strcat(json, "{\"a\":[7]}");
    for (int i = 0; i < DEPTH - 1; i++) {
        strcat(text, " }");
        strcat(json, "]}");
    }
    strcat(text, " }");
    lam_schema *schema = schema_of(text);
    lam_error error;
    char *copy = copy_json(schema, json, NULL, NULL, &error);
    cr_assert_not_null(copy, "%s", error.message);
    strcat(json, "\n");
    cr_expect_str_eq(copy, json);
    free(copy);
    lam_schema_destroy(schema);
}

/* --- Sinks that fail -------------------------------------------------------------------------- */

/* Of the verbs, the one that fails, from 1, and how many came. */
typedef struct failing_sink {
    size_t fail_at, calls;
} failing_sink;

static lam_status count_verb(failing_sink *sink, lam_error *error) {
    if (++sink->calls == sink->fail_at)
        LAM_FAIL(error, LAM_STATUS_UNSUPPORTED, "verb %zu", sink->calls);
    return LAM_STATUS_OK;
}

static lam_status fail_record(void *state, lam_error *error) {
    return count_verb(state, error);
}

static lam_status fail_group(void *state, const lam_field *group, lam_error *error) {
    (void)group;
    return count_verb(state, error);
}

static lam_status fail_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    (void)leaf, (void)value;
    return count_verb(state, error);
}

/* Each verb that the record makes fails in turn, and is the last one. */
static void expect_failures_of_verbs(const char *fields, const char *json, bool whole_records) {
    lam_schema *schema = fields_of(fields);
    lam_json_reader_options options = lam_json_reader_options_default();
    options.whole_records = whole_records;
    for (failing_sink state = {1, 0};; state.fail_at++) {
        lam_record_sink sink = {&state,     fail_record, fail_group, fail_put,
                                fail_group, fail_record, NULL};
        lam_error error = lam_error_none();
        char expected[32];
        size_t records;
        state.calls = 0;
        lam_status status =
            read_json(schema, json, strlen(json), &options, NULL, &sink, &records, &error);
        if (status == LAM_STATUS_OK) {
            cr_expect(state.calls == state.fail_at - 1 && records == 1);
            break;
        }
        snprintf(expected, sizeof expected, "verb %zu", state.fail_at);
        cr_assert_eq(status, LAM_STATUS_UNSUPPORTED, "%s", error.message);
        cr_assert_str_eq(error.message, expected);
        cr_assert_eq(state.calls, state.fail_at, "%s", json);
        cr_assert_eq(records, 0);
    }
    lam_schema_destroy(schema);
}

Test(json_record, a_verb_that_fails_is_the_last_one) {
    static const char variant[] =
        "required group v (VARIANT(1)) { required binary metadata; required binary value; }";
    expect_failures_of_verbs(
        place,
        "{\"id\":1,\"b\":{\"c\":{\"d\":[1,2]}},\"addresses\":[{\"city\":\"x\"}],\"tags\":[7],"
        "\"m\":{\"k\":{\"x\":1},\"l\":null}}",
        false);
    expect_failures_of_verbs("optional group s (MAP) { repeated group key_value {"
                             " required binary key (STRING); } }",
                             "{\"s\":{\"k\":null}}", false);
    expect_failures_of_verbs(variant, "{\"v\":[1,2]}", false);
    expect_failures_of_verbs(variant, "{\"v\":[1,2]}", true);
}

/* --- Odd records ------------------------------------------------------------------------------ */

Test(json_record, an_entry_has_a_key_and_a_value_alone) {
    expect_failure("optional group m (MAP) { repeated group key_value { required int32 key;"
                   " optional int32 value; } }",
                   "{\"m\":[{\"key\":1,\"other\":2}]}",
                   "line 1: m[0].other: the schema has no such field");
}

/* Long names and values with escapes take memory that the records after them do not need. */
Test(json_record, memory_of_a_long_string_is_given_back) {
    enum { LONG = 2 << 20 };
    lam_schema *schema = fields_of("optional binary a (STRING);");
    lam_json_reader_options options = lam_json_reader_options_default();
    lam_allocator allocator = lam_allocator_default();
    event_log log = {NULL, 0, 0};
    lam_record_sink sink = log_sink(&log);
    lam_json_record record;
    char *json = calloc(1, LONG + 64);
    options.ignore_unknown = true;
    cr_assert_eq(lam_json_record_init(&record, schema, &options, &allocator, NULL), LAM_STATUS_OK);
    for (int in_name = 0; in_name < 2; in_name++) {
        size_t size = (size_t)sprintf(json, in_name ? "{\"\\n" : "{\"a\":\"\\n");
        memset(json + size, 'x', LONG);
        strcpy(json + size + LONG, in_name ? "\":1}" : "\"}");
        cr_assert_eq(lam_json_tokens_parse(&record.parsed, json, strlen(json), NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_json_record_replay(&record, &sink, NULL), LAM_STATUS_OK);
        cr_expect_gt(in_name ? record.name.capacity : record.scratch.capacity, LONG);
        memset(json, 0, LONG + 64);
        strcpy(json, "{\"a\":\"x\"}");
        cr_assert_eq(lam_json_tokens_parse(&record.parsed, json, strlen(json), NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_json_record_replay(&record, &sink, NULL), LAM_STATUS_OK);
        cr_expect_eq(record.name.capacity + record.scratch.capacity, 0);
    }
    lam_json_record_finish(&record);
    free(log.text);
    free(json);
    lam_schema_destroy(schema);
}

Test(json_record, white_space_is_no_record) {
    static const char space[8 + LAM_STRUCTURAL_PADDING] = "  \n ";
    lam_schema *schema = fields_of("required group v (VARIANT(1)) { required binary metadata;"
                                   " required binary value; }");
    lam_allocator allocator = lam_allocator_default();
    for (int whole = 0; whole < 2; whole++) {
        lam_json_reader_options options = lam_json_reader_options_default();
        lam_error error = lam_error_none();
        event_log log = {NULL, 0, 0};
        lam_record_sink sink = log_sink(&log);
        lam_json_record record;
        options.whole_records = whole;
        cr_assert_eq(lam_json_record_init(&record, schema, &options, &allocator, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_json_tokens_parse(&record.parsed, space, 4, NULL), LAM_STATUS_OK);
        cr_expect_eq(lam_json_record_replay(&record, &sink, &error), LAM_STATUS_INVALID);
        cr_expect_str_eq(error.message, whole ? "expected a value, found nothing"
                                              : "expected an object, found nothing");
        cr_expect_null(log.text, "no verb comes");
        lam_json_record_finish(&record);
    }
    lam_schema_destroy(schema);
}

Test(json_record, whole_records_go_to_one_variant) {
    static const char *const others[] = {
        "required int32 a;",
        "optional int32 a; required group v (VARIANT(1)) { required binary metadata;"
        " required binary value; }",
    };
    for (size_t i = 0; i < 2; i++) {
        lam_schema *schema = fields_of(others[i]);
        lam_json_reader_options options = lam_json_reader_options_default();
        lam_bytes left = {NULL, 0};
        lam_json_source source = lam_json_source_memory(&left);
        lam_json_reader *reader = NULL;
        lam_error error = lam_error_none();
        options.whole_records = true;
        cr_expect_eq(lam_json_reader_create(schema, &source, &options, NULL, &reader, &error),
                     LAM_STATUS_INVALID);
        cr_expect_str_eq(error.message,
                         "whole records go to a schema of one VARIANT, and not to its columns");
        cr_expect_null(reader);
        lam_schema_destroy(schema);
    }
}
