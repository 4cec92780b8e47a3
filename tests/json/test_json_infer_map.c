/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects whose names are data become maps, on evidence, on demand, or beyond a limit of members,
 * and read back the same.
 */
#include <stdarg.h>

#include "infer_help.h"
#include "scarce_memory.h"

enum { ROOM = 1 << 22 };

/* A text that grows. */
typedef struct words {
    char *text;
    size_t size;
} words;

static words words_start(void) {
    words made = {malloc(ROOM), 0};
    made.text[0] = '\0';
    return made;
}

static void say(words *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    to->size += (size_t)vsnprintf(to->text + to->size, ROOM - to->size, format, arguments);
    va_end(arguments);
    cr_assert_lt(to->size, ROOM);
}

static void expect_words(words *text, const lam_json_inference_options *options,
                         const char *expected) {
    expect_schema_with(options, text->text, expected);
    free(text->text);
}

#define MAP(name, value)                                                                           \
    "optional group " name " (MAP) { repeated group key_value { required binary key (STRING); "    \
    "optional " value " } } "

#define MAP_VALUE                                                                                  \
    "group value (MAP) { repeated group key_value { required binary key (STRING);"                 \
    " optional int64 value; } }"

/* The schema of one field `m` with `keys` keys is a group of as many fields, or it is not. */
static bool is_group(words *text, size_t keys) {
    char *printed = malloc(ROOM);
    const char *pointer = text->text;
    size_t fields = 0;
    cr_assert_eq(infer(&pointer, 1, NULL, NULL, printed, ROOM, NULL), LAM_STATUS_OK);
    for (char *at = printed; (at = strstr(at, "optional int64")) != NULL; at++)
        fields++;
    bool group = strstr(printed, "(MAP)") == NULL;
    cr_expect(!group || fields == keys, "%zu fields", fields);
    free(printed);
    free(text->text);
    return group;
}

/* `records` objects, each with `each` of `keys` keys. */
static words sparse(size_t records, size_t keys, size_t each) {
    words text = words_start();
    for (size_t i = 0; i < records; i++) {
        say(&text, "{\"m\":{");
        for (size_t j = 0; j < each; j++)
            say(&text, "%s\"k%zu\":1", j > 0 ? "," : "", (i * each + j) % keys);
        say(&text, "}}\n");
    }
    return text;
}

Test(json_infer_map, keys_are_data_where_each_object_has_few_of_many) {
    const struct {
        size_t records, keys, each;
        bool group;
    } cases[] = {
        {100, 16, 1, false},                          /* a sixteenth */
        {100, 15, 1, true},                           /* too few keys */
        {100, 20, 2, true},                           /* just a tenth */
        {100, 21, 2, false},    {1, 200, 200, true},  /* not more than 200 */
        {1, 201, 201, false},   {9, 201, 201, false}, /* 9 values for each key */
        {10, 201, 201, true},                         /* 10: columns that are filled */
        {100, 300, 150, true},                        /* half */
        {100, 300, 149, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        words text = sparse(cases[i].records, cases[i].keys, cases[i].each);
        cr_expect_eq(is_group(&text, cases[i].keys), cases[i].group, "case %zu", i);
    }
}

Test(json_infer_map, members_that_are_always_there_though_null_are_no_data) {
    words text = words_start();
    for (int i = 0; i < 100; i++) {
        say(&text, "{\"m\":{");
        for (int j = 0; j < 50; j++)
            say(&text, "%s\"k%d\":%s", j > 0 ? "," : "", j, i % 50 == j ? "1" : "null");
        say(&text, "}}\n");
    }
    cr_expect(is_group(&text, 50));
}

/* 300 objects with one key each, whose value is `value` of the key's number. */
static words one_key_each(const char *const *values, size_t count) {
    words text = words_start();
    for (size_t i = 0; i < 300; i++)
        say(&text, "{\"m\":{\"k%zu\":%s}}\n", i, values[i % count]);
    return text;
}

Test(json_infer_map, values_are_alike_if_they_merge_without_a_clash) {
    static const char *const numbers[] = {"1", "2.5", "null"};
    words text = one_key_each(numbers, 3);
    expect_words(&text, NULL, MAP("m", "double value;"));
    static const char *const dates[] = {"\"2024-01-01\"", "\"2024-01-01T01:02\""};
    text = one_key_each(dates, 2);
    expect_words(&text, NULL, MAP("m", "int64 value (TIMESTAMP(MICROS,false));"));
    static const char *const arrays[] = {"[]", "[1]", "[null]"};
    text = one_key_each(arrays, 3);
    expect_words(
        &text, NULL,
        MAP("m", "group value (LIST) { repeated group list { optional int64 element; } }"));
    static const char *const objects[] = {"{\"a\":1,\"b\":\"x\"}", "{\"b\":\"y\"}", "{\"a\":2.5}"};
    text = one_key_each(objects, 3);
    expect_words(&text, NULL,
                 MAP("m", "group value { optional double a; optional binary b (STRING); }"));
    static const char *const nulls[] = {"null"};
    text = one_key_each(nulls, 1);
    expect_words(&text, NULL, MAP("m", "int32 value (UNKNOWN);"));
    static const char *const empty[] = {"{}"};
    text = one_key_each(empty, 1);
    expect_words(&text, NULL, MAP("m", VARIANT("value")));
    static const char *const mixed[] = {"[1,\"x\"]"};
    text = one_key_each(mixed, 1);
    expect_words(
        &text, NULL,
        MAP("m", "group value (LIST) { repeated group list { optional " VARIANT("element") " } }"));
}

static bool is_map(const char *text) {
    char *printed = malloc(ROOM);
    cr_assert_eq(infer(&text, 1, NULL, NULL, printed, ROOM, NULL), LAM_STATUS_OK);
    bool map = strstr(printed, "(MAP)") != NULL;
    free(printed);
    return map;
}

Test(json_infer_map, values_that_are_not_alike_stay_fields) {
    static const char *const clashing[] = {"1", "\"x\""};
    static const char *const structures[] = {"{\"a\":1,\"b\":2}", "{\"c\":1,\"d\":2}",
                                             "{\"e\":1,\"f\":2}", "{\"g\":1,\"h\":2}"};
    words text = one_key_each(clashing, 2);
    cr_expect_not(is_map(text.text));
    free(text.text);
    text = one_key_each(structures, 4);
    cr_expect_not(is_map(text.text));
    free(text.text);
    /* Texts of several kinds, in few keys: the kinds are those of fields. */
    text = words_start();
    for (int i = 0; i < 300; i++)
        say(&text, "{\"m\":{\"k%d\":%s}}\n", i % 20, i % 4 == 0 ? "\"2024-01-01\"" : "\"x\"");
    cr_expect_not(is_map(text.text));
    free(text.text);
}

Test(json_infer_map, maps_nest) {
    words text = words_start();
    for (int i = 0; i < 300; i++)
        say(&text, "{\"m\":{\"u%d\":{\"d%d\":%d,\"d%d\":1}}}\n", i, i, i, i + 1);
    expect_words(&text, NULL,
                 MAP("m", "group value (MAP) { repeated group key_value { required binary key "
                          "(STRING); optional int64 value; } }"));
    /* In an array, and in a group that is in a MAP. */
    text = words_start();
    for (int i = 0; i < 300; i++)
        say(&text, "{\"l\":[{\"m\":{\"u%d\":{\"x\":{\"d%d\":1},\"y\":1}}}]}\n", i, i);
    expect_words(
        &text, NULL,
        "optional group l (LIST) { repeated group list { optional group element { " MAP(
            "m", "group value { " MAP("x", "int64 value;") "optional int64 y; }") "} } } ");
}

/* Of 16 keys, the first has a group, the two after it have maps, and the others one member each. */
static words maps_and_groups(void) {
    enum { KEYS = 16, MEMBERS = 3 };
    words text = words_start();
    for (int i = 0; i < KEYS; i++) {
        int members = i == 0 ? MEMBERS : i < 3 ? KEYS : 1;
        for (int j = 0; j < members; j++)
            say(&text, "{\"m\":{\"u%d\":{\"d%d\":%d}}}\n", i, j, j);
    }
    return text;
}

Test(json_infer_map, a_group_that_merges_with_a_map_becomes_one) {
    words text = maps_and_groups();
    expect_words(&text, NULL, MAP("m", MAP_VALUE));
}

/* What is read after a schema was made finds a map where there was a group before. */
Test(json_infer_map, maps_stay_maps_when_more_is_read) {
    lam_json_inference *inference;
    lam_schema *schema;
    char printed[1024];
    words text = maps_and_groups();
    cr_assert_eq(lam_json_inference_create(NULL, NULL, &inference, NULL), LAM_STATUS_OK);
    for (int i = 0; i < 2; i++) {
        lam_bytes left = {(const uint8_t *)text.text, text.size};
        lam_json_source source = lam_json_source_memory(&left);
        cr_assert_eq(lam_json_inference_add(inference, &source, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_json_inference_schema(inference, "m", &schema, NULL), LAM_STATUS_OK);
        lam_schema_print(schema, printed, sizeof printed);
        squeeze(printed);
        cr_expect_str_eq(printed, "message m { " MAP("m", MAP_VALUE) "} ");
        lam_schema_destroy(schema);
    }
    lam_json_inference_destroy(inference);
    free(text.text);
}

/* A map has one level more than the group that it was. */
Test(json_infer_map, objects_whose_values_would_be_too_deep_in_a_map_stay_groups) {
    enum { DEEPEST = LAM_SCHEMA_DEPTH_MAX - 4, KEYS = 20 };
    for (int depth = DEEPEST; depth < DEEPEST + 2; depth++) {
        words text = words_start();
        char *printed = malloc(ROOM);
        const char *pointer = text.text;
        for (int i = 0; i < 2 * KEYS; i++) {
            for (int j = 0; j < depth; j++)
                say(&text, "{\"a\":");
            say(&text, "{\"k%d\":{\"x\":1}}", i % KEYS);
            for (int j = 0; j < depth; j++)
                say(&text, "}");
            say(&text, "\n");
        }
        cr_assert_eq(infer(&pointer, 1, NULL, NULL, printed, ROOM, NULL), LAM_STATUS_OK);
        cr_expect_eq(strstr(printed, "(MAP)") != NULL, depth == DEEPEST, "%d", depth);
        cr_expect_null(strstr(printed, "VARIANT"), "%d", depth);
        free(printed);
        free(text.text);
    }
}

Test(json_infer_map, what_the_caller_or_the_values_say_comes_before_the_number_of_keys) {
    lam_json_column column;
    lam_json_inference_options options = lam_json_inference_options_default();
    words text = sparse(100, 16, 1);
    char *printed = malloc(ROOM);
    const char *pointer = text.text;
    memset(&column, 0, sizeof column);
    column.path = "m";
    column.type = LAM_PHYSICAL_GROUP;
    options.columns = &column;
    options.column_count = 1;
    cr_assert_eq(infer(&pointer, 1, &options, NULL, printed, ROOM, NULL), LAM_STATUS_OK);
    cr_expect_null(strstr(printed, "(MAP)"), "%s", printed);
    cr_expect_not_null(strstr(printed, "optional int64 k15;"), "%s", printed);
    say(&text, "{\"m\":7}\n");
    free(printed);
    expect_words(&text, NULL, "optional " VARIANT("m") " ");
}

/* One key of twenty has dates: it is not enough to be a field. */
Test(json_infer_map, few_keys_with_texts_of_a_kind_of_their_own_are_data) {
    words text = words_start();
    for (int i = 0; i < 300; i++)
        say(&text, "{\"m\":{\"k%d\":%s}}\n", i % 20, i % 20 == 0 ? "\"2024-01-01\"" : "\"x\"");
    expect_words(&text, NULL, MAP("m", "binary value (STRING);"));
}

Test(json_infer_map, maps_are_groups_on_demand) {
    lam_json_inference_options options = lam_json_inference_options_default();
    words text = sparse(100, 16, 1);
    char *printed = malloc(ROOM);
    const char *pointer = text.text;
    options.infer_maps = LAM_SWITCH_OFF;
    cr_assert_eq(infer(&pointer, 1, &options, NULL, printed, ROOM, NULL), LAM_STATUS_OK);
    cr_expect_null(strstr(printed, "(MAP)"));
    free(printed);
    free(text.text);
}

/* --- The limit ------------------------------------------------------------------------------- */

Test(json_infer_map, beyond_the_limit_objects_with_many_members_are_maps) {
    lam_json_inference_options options = lam_json_inference_options_default();
    words text = words_start();
    options.max_fields = 100;
    say(&text, "{\"a\":1,\"data\":{");
    for (int i = 0; i < 1000; i++)
        say(&text, "%s\"k%d\":{\"x\":%d,\"y\":[\"z\"]}", i > 0 ? "," : "", i, i);
    say(&text, "},\"b\":{\"c\":\"x\"}}\n{\"data\":{\"x\":{\"w\":1.5}}}");
    expect_words(&text, &options,
                 "optional int64 a; " MAP(
                     "data", "group value { optional int64 x; optional group y (LIST) { repeated "
                             "group list { optional binary element (STRING); } } optional double "
                             "w; }") "optional group b { optional binary c (STRING); } ");
}

Test(json_infer_map, beyond_the_limit_objects_that_are_not_alike_are_variants) {
    lam_json_inference_options options = lam_json_inference_options_default();
    words text = words_start();
    options.max_fields = 100;
    for (int i = 0; i < 1000; i++)
        say(&text, "{\"a\":[{\"k%d\":%s}],\"b\":1}\n", i,
            i % 3 == 0   ? "{}"
            : i % 3 == 1 ? "1"
                         : "\"x\"");
    expect_words(&text, &options,
                 "optional group a (LIST) { repeated group list { optional " VARIANT(
                     "element") " } } optional int64 b; ");
    text = words_start();
    for (int i = 0; i < 1000; i++)
        say(&text, "{\"a\":{\"k%d\":1}}\n", i);
    options.infer_maps = LAM_SWITCH_OFF;
    expect_words(&text, &options, "optional " VARIANT("a") " ");
}

/* Frames of the walk are over nodes that are merged or dropped in the middle of a record. */
Test(json_infer_map, the_limit_is_met_at_any_depth_of_a_record) {
    static const char *const values[] = {"1", "{\"x\":{\"y\":[{\"z\":1}]}}", "[[{\"q\":\"x\"}]]"};
    for (size_t limit = 3; limit < 40; limit++)
        for (size_t kind = 0; kind < 3; kind++) {
            lam_json_inference_options options = lam_json_inference_options_default();
            words text = words_start();
            char *printed = malloc(ROOM);
            const char *pointer = text.text;
            options.max_fields = limit;
            for (int i = 0; i < 60; i++)
                say(&text, "%s\"o%d\":{\"in%d\":[{\"k%d\":%s,\"l\":1}],\"n\":{}}%s",
                    i % 20 == 0 ? "{\"top\":{" : ",", i, i / 2, i % 40,
                    values[(kind + (size_t)(i / 7)) % 3], i % 20 == 19 ? "}}\n" : "");
            cr_assert_eq(infer(&pointer, 1, &options, NULL, printed, ROOM, NULL), LAM_STATUS_OK);
            free(printed);
            free(text.text);
        }
}

Test(json_infer_map, what_is_read_with_such_a_schema_prints_the_same) {
    lam_error error = lam_error_none();
    words text = words_start();
    for (int i = 0; i < 100; i++)
        say(&text, "{\"m\":{\"k%d\":{\"a\":%d},\"n%d\":null}}\n", i % 30, i, i % 7);
    char *copy = copy_after_inference(text.text, NULL, &error);
    cr_assert_not_null(copy, "%s", error.message);
    cr_expect_str_eq(copy, text.text);
    free(copy);
    free(text.text);
}

Test(json_infer_map, beyond_the_limit_objects_with_few_members_stay_groups) {
    lam_json_inference_options options = lam_json_inference_options_default();
    words text = words_start();
    options.max_fields = 60;
    for (int i = 0; i < 100; i++)
        say(&text, "{\"a\":{\"k%d\":1},\"b\":{\"x\":1,\"y\":2}}\n", i);
    expect_words(&text, &options,
                 MAP("a", "int64 value;") "optional group b { optional int64 x; optional int64 y; "
                                          "} ");
}

/* --- Memory ----------------------------------------------------------------------------------- */

typedef struct scarce_inference {
    const char *text;
    lam_json_inference_options options;
} scarce_inference;

static lam_status infer_scarcely(void *state, const lam_allocator *allocator, lam_error *error) {
    const scarce_inference *inference = state;
    char printed[2048];
    return infer(&inference->text, 1, &inference->options, allocator, printed, sizeof printed,
                 error);
}

static void infer_without_each(words *text, const lam_json_inference_options *options,
                               size_t count) {
    scarce_inference inference = {text->text, lam_json_inference_options_default()};
    if (options != NULL)
        inference.options = *options;
    run_without_each(infer_scarcely, &inference, count);
    free(text->text);
}

Test(json_infer_map, memory_that_is_refused_is_reported) {
    words text = words_start();
    lam_json_inference_options options = lam_json_inference_options_default();
    options.max_fields = 60;
    for (int i = 0; i < 40; i++)
        say(&text, "{\"a\":{\"k%d\":{\"x\":1}},\"b\":{\"k%d\":[%s]}}\n", i, i,
            i % 2 == 0 ? "1" : "\"x\"");
    infer_without_each(&text, &options, SIZE_MAX);
    text = maps_and_groups();
    infer_without_each(&text, NULL, SIZE_MAX);
    text = words_start();
    for (int i = 0; i < 20; i++)
        say(&text, "{\"n\":{\"u%d\":{\"d%d\":1,\"d%d\":1}}}\n", i, i, i + 1);
    infer_without_each(&text, NULL, SIZE_MAX);
    text = words_start();
    for (int i = 0; i < 20; i++)
        say(&text, "{\"m\":{\"k%d\":[1]}}\n", i);
    infer_without_each(&text, NULL, SIZE_MAX);
}

/* Each record becomes a VARIANT; the path of a given type is of no use then. */
Test(json_infer_map, records_that_become_variants_take_memory_too) {
    static const char *const paths[] = {"never.there"};
    words text = words_start();
    lam_json_inference_options options = lam_json_inference_options_default();
    options.max_fields = 10;
    options.variants = paths;
    options.variant_count = 1;
    for (int i = 0; i < 15; i++)
        say(&text, "{\"k%d\":1}\n", i);
    infer_without_each(&text, &options, SIZE_MAX);
}
