/* SPDX-License-Identifier: Apache-2.0 */
/* Printing within every budget: what fits prints the same, and what does not is refused whole. */
#include "print_ways.h"
#include "scarce_memory.h"
#include "json/parse/json_scalar.h"

#define FIELDS                                                                                     \
    "optional int32 a; repeated int32 b; optional group c { optional int32 d;"                     \
    " required int32 e; repeated int32 g; }"                                                       \
    "optional group m (MAP) { repeated group key_value { required binary key (STRING);"            \
    "  optional group value { optional int32 x; optional int32 y; } } }"                           \
    "optional group n (MAP) { repeated group key_value { required int32 key;"                      \
    "  optional int32 value; } }"                                                                  \
    "optional group l (LIST) { repeated group list { optional binary element; } }"                 \
    "optional binary j (JSON); "

#define VARIANT_FIELD                                                                              \
    "optional group v (VARIANT(1)) { required binary metadata; required binary value; }"

/* Before the record that a test is about, so that its text does not fit into the first request. */
#define BEFORE "{}\n{}\n{}\n{}\n"

/* In the order of the schema, and in others. */
static const char *const RECORDS[] = {
    BEFORE "{\"b\":[1,2],\"c\":{\"e\":3,\"g\":[4]},\"m\":{\"k\":{\"y\":1},\"l\":null},"
           "\"n\":[{\"key\":1,\"value\":null},{\"key\":2,\"value\":3}],\"l\":[\"AAEC\",null],"
           "\"j\":\"[1, 2]\"}",
    BEFORE "{\"j\":\"{}\",\"l\":[\"\",\"AA==\"],\"m\":{\"k\":{\"y\":1,\"x\":2}},\"b\":[1],"
           "\"c\":{\"g\":[4,5],\"e\":3,\"d\":6}}",
    BEFORE "{\"c\":{\"g\":[],\"e\":1},\"a\":1}",
};

/* A text of the length, in front of what a test is about. */
static void put_pad(char *text, size_t size, size_t length) {
    cr_assert_lt(length, size);
    memset(text, 'x', length);
    text[length] = '\0';
}

/* Brackets that follow each other, without a name between. */
#define NESTED                                                                                     \
    "repeated group r { optional int32 x; optional int32 y; } optional group ll (LIST) {"          \
    " repeated group list { optional group element (LIST) { repeated group list {"                 \
    "  optional group element (MAP) { repeated group key_value { required binary key (STRING);"    \
    "   optional int32 value; } } } } } }"

static const char *const NESTED_RECORDS[] = {
    BEFORE
    "{\"r\":[{\"y\":1,\"x\":2},{\"y\":3,\"x\":4}],\"ll\":[[{\"k\":1,\"l\":2},{}],null,[],[null]]}",
    BEFORE "{\"ll\":[[],[{}]],\"r\":[{\"y\":1,\"x\":2}]}",
};

static const char *const VARIANTS[] = {
    BEFORE "{\"a\":5,\"v\":{\"a\":[1,{\"b\":\"x\",\"c\":[]}],\"d\":null,\"e\":1.25,\"f\":true}}",
    BEFORE
    "{\"v\":[[],{},-1.5,\"a longer text than the short ones, which are of at most 63 bytes in"
    " the format\"],\"a\":5}",
};

typedef struct print_case {
    const lam_schema *schema;
    const char *record;
    lam_json_writer_options options;
    bool columns; /* prints from the columns of `reader` */
    const lam_reader *reader;
    char first[1 << 17]; /* what is printed with enough memory, which comes first */
} print_case;

static lam_status print_in(print_case *state, lam_json_writer *writer, lam_error *error) {
    size_t count;
    uint64_t taken;
    lam_record_reader *records;
    lam_record_sink sink = lam_json_writer_sink(writer);
    if (!state->columns)
        return read_json(state->schema, state->record, strlen(state->record), NULL, NULL, &sink,
                         &count, error);
    lam_scan_options scan = lam_scan_options_default();
    scan.projection = state->options.projection;
    cr_assert_eq(lam_record_reader_open_scan(state->reader, &scan, &records, NULL), LAM_STATUS_OK);
    lam_status status = lam_json_writer_print(writer, records, UINT64_MAX, &taken, error);
    lam_record_reader_close(records);
    return status;
}

/* What is printed is whole records, and all of them when the status is OK. */
static lam_status print_once(void *state, const lam_allocator *allocator, lam_error *error) {
    print_case *print = state;
    lam_output output;
    lam_json_writer *writer;
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    lam_status status =
        lam_json_writer_create(print->schema, &output, &print->options, allocator, &writer, error);
    if (status == LAM_STATUS_OK) {
        status = print_in(print, writer, error);
        cr_assert_eq(lam_json_writer_flush(writer, NULL), LAM_STATUS_OK);
        lam_json_writer_destroy(writer);
    }
    lam_bytes text = lam_output_memory_bytes(&output);
    cr_assert(text.size < sizeof print->first);
    if (status == LAM_STATUS_OK && print->first[0] == '\0')
        memcpy(print->first, text.data, text.size);
    cr_assert(text.size == 0 || (text.data[text.size - 1] == '\n' &&
                                 memcmp(text.data, print->first, text.size) == 0));
    cr_assert(status != LAM_STATUS_OK || text.size == strlen(print->first));
    lam_output_close(&output);
    return status;
}

static void print_within_budgets(const char *fields, const char *record,
                                 const lam_json_writer_options *options) {
    print_case print = {.record = record, .options = *options};
    lam_schema *schema = fields_of(fields);
    print.schema = schema;
    run_within_budgets(print_once, &print, 1200);
    lam_schema_destroy(schema);
}

Test(json_writer_memory, records_print_whole_or_not_at_all) {
    lam_json_writer_options options = lam_json_writer_options_default();
    for (size_t i = 0; i < sizeof RECORDS / sizeof *RECORDS; i++)
        for (int omit = 0; omit < 2; omit++) {
            options.omit_nulls = omit;
            print_within_budgets(FIELDS, RECORDS[i], &options);
        }
}

Test(json_writer_memory, brackets_that_follow_each_other_print_whole_or_not_at_all) {
    lam_json_writer_options options = lam_json_writer_options_default();
    for (size_t i = 0; i < sizeof NESTED_RECORDS / sizeof *NESTED_RECORDS; i++)
        print_within_budgets(NESTED, NESTED_RECORDS[i], &options);
}

Test(json_writer_memory, free_json_prints_whole_or_not_at_all) {
    static const bool is_free[] = {false, true};
    lam_json_writer_options options = lam_json_writer_options_default();
    options.free_leaves = is_free;
    print_within_budgets("optional int32 a; optional binary j (JSON);",
                         BEFORE "{\"j\":\"[1, {\\\"a\\\": null}]\"}", &options);
}

Test(json_writer_memory, variants_print_whole_or_not_at_all) {
    lam_json_writer_options options = lam_json_writer_options_default();
    for (int form = LAM_JSON_VARIANT_VALUE; form <= LAM_JSON_VARIANT_STORAGE; form++)
        for (size_t i = 0; i < sizeof VARIANTS / sizeof *VARIANTS; i++) {
            options.variant = (lam_json_variant)form;
            print_within_budgets("optional int32 a; " VARIANT_FIELD, VARIANTS[i], &options);
        }
}

/* The record has a %s in its first member, for a text of any length. */
static void print_behind_any_length(const char *fields, const char *record_format) {
    lam_schema *schema = fields_of(fields);
    /* A short text leaves the room that is reserved for any value. */
    for (size_t length = LAM_JSON_SCALAR_ROOM; length < LAM_JSON_SCALAR_ROOM + 128; length++) {
        char pad[512], record[1024];
        put_pad(pad, sizeof pad, length);
        snprintf(record, sizeof record, record_format, pad);
        print_case print = {.schema = schema, .record = record};
        print.options = lam_json_writer_options_default();
        run_without_each(print_once, &print, 40);
    }
    lam_schema_destroy(schema);
}

/* Lists in lists, ten of them, with a MAP inside: brackets that no name makes room for. */
Test(json_writer_memory, lists_in_lists_print_behind_a_text_of_any_length) {
    enum { LISTS = 10 };
    static const char open[] = "optional group element (LIST) { repeated group list { ";
    char fields[2048] = "required binary s (STRING);"
                        "optional group a (LIST) { repeated group list { ";
    for (int i = 1; i < LISTS; i++)
        strcat(fields, open);
    strcat(fields, "optional group element (MAP) { repeated group key_value {"
                   " required binary key (STRING); optional int32 value; } }");
    for (int i = 0; i < LISTS; i++)
        strcat(fields, "} }");
    print_behind_any_length(fields, "{\"s\":\"%s\",\"a\":[[[[[[[[[[{}],[]]]]]]]]]]}");
}

Test(json_writer_memory, variants_print_behind_a_text_of_any_length) {
    print_behind_any_length("required binary s (STRING); required group a_name_of_some_length "
                            "(VARIANT(1)) { required binary metadata; required binary value; }",
                            "{\"s\":\"%s\",\"a_name_of_some_length\":{\"a\":[\"b\",{}]}}");
}

Test(json_writer_memory, arrays_of_objects_in_any_order_print_behind_a_text_of_any_length) {
    /* What is absent is put in when the object closes, and takes more room than a value leaves. */
    char fields[512], absent[3 * LAM_JSON_SCALAR_ROOM];
    put_pad(absent, sizeof absent, sizeof absent - 1);
    snprintf(fields, sizeof fields,
             "required binary s (STRING); repeated group r { optional int32 x; optional int32 y;"
             " optional int32 %s; } optional int32 z;",
             absent);
    print_behind_any_length(fields, "{\"s\":\"%s\",\"r\":[{\"y\":1,\"x\":2}],\"z\":3}");
}

/* --- From columns ----------------------------------------------------------------------------- */

static lam_reader *file_with(const char *fields, const char *json, int times, bool dictionaries,
                             written_file *file) {
    lam_writer_options options = lam_writer_options_default();
    options.dictionary = dictionaries ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    return file_of(fields, json, times, &options, file);
}

static void print_columns_within_budgets(const char *fields, const char *json, int times,
                                         bool dictionaries) {
    written_file file;
    print_case print = {.columns = true, .options = lam_json_writer_options_default()};
    lam_reader *reader = file_with(fields, json, times, dictionaries, &file);
    print.reader = reader;
    print.schema = lam_reader_schema(reader);
    run_within_budgets(print_once, &print, 800);
    lam_reader_close(reader);
    free(file.bytes);
}

#define REPEATED "a text that is long enough for a dictionary, and printed once"

Test(json_writer_memory, columns_print_whole_records) {
    static const char flat[] = "required int64 id; optional binary name (STRING);";
    static const char list[] = "repeated binary b (STRING); optional int32 i;";
    for (int dictionaries = 0; dictionaries < 2; dictionaries++) {
        print_columns_within_budgets(
            flat, "{\"id\":1,\"name\":\"" REPEATED "\"}\n{\"id\":1,\"name\":null}\n", 6,
            dictionaries);
        print_columns_within_budgets(
            list, "{\"b\":[\"" REPEATED "\",\"" REPEATED "\"],\"i\":null}\n", 6, dictionaries);
    }
}

#define MEMBERS                                                                                    \
    "required group v (VARIANT(1)) { required binary metadata; optional binary value;"             \
    " optional group typed_value { required group a { optional binary value;"                      \
    "  optional binary typed_value (STRING); } } }"

/* Enough values that their texts are found in the table of the dictionary. */
static void print_entries_behind(const char *fields, const char *path, const char *first,
                                 const char *other) {
    enum { TIMES = 300 };
    for (size_t length = 0; length < 2 * sizeof REPEATED; length += 3) {
        char pad[160], record[320];
        char *json = malloc(TIMES * (strlen(other) + 1) + sizeof record);
        written_file file;
        print_case print = {.columns = true, .options = lam_json_writer_options_default()};
        put_pad(pad, sizeof pad, length);
        size_t size = (size_t)sprintf(json, first, pad);
        for (int i = 0; i < TIMES; i++)
            size += (size_t)sprintf(json + size, "\n%s", other);
        lam_reader *reader = file_with(fields, json, 1, true, &file);
        lam_projection *projection;
        print.reader = reader;
        print.schema = lam_reader_schema(reader);
        cr_assert_eq(lam_projection_create(print.schema, NULL, &projection, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_projection_add(projection, path, NULL), LAM_STATUS_OK);
        print.options.projection = projection;
        run_without_each(print_once, &print, 4);
        lam_projection_destroy(projection);
        lam_reader_close(reader);
        free(file.bytes);
        free(json);
    }
}

Test(json_writer_memory, entries_of_a_dictionary_that_there_is_no_room_for_end_the_records) {
    print_entries_behind("required binary name (STRING);", "name", "{\"name\":\"%s\"}",
                         "{\"name\":\"" REPEATED "\"}");
    print_entries_behind("repeated binary b (STRING);", "b", "{\"b\":[\"%s\"]}",
                         "{\"b\":[\"" REPEATED "\",\"" REPEATED "\"]}");
    print_entries_behind("optional group g { required binary b (STRING); optional int32 i; }", "g",
                         "{\"g\":{\"b\":\"%s\"}}", "{\"g\":{\"b\":\"" REPEATED "\"}}");
    print_entries_behind(MEMBERS, "v.a", "{\"v\":{\"a\":\"%s\"}}",
                         "{\"v\":{\"a\":\"" REPEATED "\"}}");
}

Test(json_writer_memory, a_member_of_a_variant_that_there_is_no_room_for_ends_the_records) {
    written_file file;
    print_case print = {.columns = true, .options = lam_json_writer_options_default()};
    lam_reader *reader = file_with(MEMBERS, "{\"v\":{\"a\":\"" REPEATED "\"}}", 3, false, &file);
    lam_projection *projection;
    print.reader = reader;
    print.schema = lam_reader_schema(reader);
    cr_assert_eq(lam_projection_create(print.schema, NULL, &projection, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_projection_add(projection, "v.a", NULL), LAM_STATUS_OK);
    print.options.projection = projection;
    run_without_each(print_once, &print, SIZE_MAX);
    lam_projection_destroy(projection);
    lam_reader_close(reader);
    free(file.bytes);
}
