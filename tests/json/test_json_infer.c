/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schema from JSON: kinds that clash, bad lines, names that come twice, limits of memory and
 * types by choice of the caller.
 */
#include "infer_help.h"
#include "scarce_memory.h"
#include "support/shared.h"
#include "json/infer/json_infer.h"
#include "json/inference_info.h"

Test(json_infer, kinds_of_scalars) {
    expect_field("null", "int32 a (UNKNOWN);");
    expect_field("true|null|false", "boolean a;");
    expect_field("\"x\"|null", "binary a (STRING);");
    expect_field("1|-5|null", "int64 a;");
    expect_field("-9223372036854775808|9223372036854775807", "int64 a;");
    expect_field("18446744073709551615|0", "int64 a (INTEGER(64,false));");
    expect_field("1.5", "double a;");
    expect_field("1|1.5", "double a;");
    expect_field("-1|18446744073709551616", "double a;");
    expect_field("-1|9223372036854775808", "fixed_len_byte_array(9) a (DECIMAL(20,0));");
    expect_field("18446744073709551615|-1", "fixed_len_byte_array(9) a (DECIMAL(20,0));");
    expect_field("-1|9223372036854775808|1.5", "double a;");
    expect_field("-1|18446744073709551615|1.5", VARIANT("a"));
    expect_field("1e308", "double a;");
}

Test(json_infer, numbers_that_no_type_holds_are_variants) {
    expect_field("1.5|9007199254740993", VARIANT("a"));
    expect_field("18446744073709551617", VARIANT("a"));
    expect_field("1e400", VARIANT("a"));
    expect_field("1.5|9007199254740992", "double a;");
}

Test(json_infer, kinds_that_clash_become_variants) {
    expect_field("1|\"x\"", VARIANT("a"));
    expect_field("{\"b\":1}|[1]", VARIANT("a"));
    expect_field("true|1", VARIANT("a"));
    expect_field("{}", VARIANT("a"));
    expect_field("{}|{\"b\":1}", "group a { optional int64 b; }");
    expect_field("{\"\\u0000\":1}", VARIANT("a"));
    expect_field("[1,\"x\"]",
                 "group a (LIST) { repeated group list { optional " VARIANT("element") " } }");
}

Test(json_infer, objects_and_arrays_of_any_nesting) {
    expect_field("[]",
                 "group a (LIST) { repeated group list { optional int32 element (UNKNOWN); } }");
    expect_field("[null]|null",
                 "group a (LIST) { repeated group list { optional int32 element (UNKNOWN); } }");
    expect_field("[]|[[1],[]]",
                 "group a (LIST) { repeated group list { optional group element (LIST) { "
                 "repeated group list { optional int64 element; } } } }");
    expect_schema(
        "{\"b\":1,\"a\":[{\"x\":1},{\"y\":{\"z\":\"s\"}}]}\n{\"c\":true,\"a\":[{\"w\":1.5}]}",
        "optional int64 b; optional group a (LIST) { repeated group list { "
        "optional group element { optional int64 x; optional group y { "
        "optional binary z (STRING); } optional double w; } } } optional boolean c; ");
    expect_schema("", "");
    expect_schema("{}\n{}", "");
}

Test(json_infer, bad_lines_are_skipped_and_counted_if_requested) {
    static const char text[] =
        "{\"a\":\"x\",\n{\"a\":1}\n[{\"a\":true}]\n\n{\"b\":\"longer than most\"}\n"
        "{\"a\":2,\"c\":1.5}\n7\n{\n";
    lam_json_inference_options options = lam_json_inference_options_default();
    lam_json_inference *inference;
    lam_schema *schema;
    char printed[256];
    lam_bytes left = {(const uint8_t *)text, strlen(text)};
    lam_json_source source = lam_json_source_memory(&left);
    options.skip_bad_lines = true;
    options.max_record_bytes = 20;
    cr_assert_eq(lam_json_inference_create(&options, NULL, &inference, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_json_inference_add(inference, &source, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_json_inference_schema(inference, "m", &schema, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_test_json_info(inference).skipped, 5);
    cr_expect_eq(lam_test_json_info(inference).records, 2);
    lam_schema_print(schema, printed, sizeof printed);
    squeeze(printed);
    cr_expect_str_eq(printed, "message m { optional int64 a; optional double c; } ");
    lam_schema_destroy(schema);
    lam_json_inference_destroy(inference);
}

Test(json_infer, several_sources_make_one_schema) {
    static const char *const texts[] = {"{\"a\":1}", "[{\"b\":2},{\"a\":2.5}]", "{\n\"c\":[]\n}"};
    char printed[1024];
    cr_assert_eq(infer(texts, 3, NULL, NULL, printed, sizeof printed, NULL), LAM_STATUS_OK);
    squeeze(printed);
    cr_expect_str_eq(printed, "message m { optional double a; optional int64 b; optional group c "
                              "(LIST) { repeated group list { optional int32 element (UNKNOWN); } "
                              "} } ");
}

Test(json_infer, too_deep_for_a_schema_becomes_a_variant) {
    enum { ROOM = 1 << 20 };
    char text[8192] = "", *printed = malloc(ROOM);
    const char *pointer = text;
    for (int i = 0; i < 900; i++)
        strcat(text, i % 2 == 0 ? "{\"a\":" : "[");
    strcat(text, "1");
    for (int i = 899; i >= 0; i--)
        strcat(text, i % 2 == 0 ? "}" : "]");
    cr_assert_eq(infer(&pointer, 1, NULL, NULL, printed, ROOM, NULL), LAM_STATUS_OK);
    cr_expect_not_null(strstr(printed, "(VARIANT(1))"));
    /* Arrays alone, with nothing in the last one. */
    strcpy(text, "{\"a\":");
    memset(text + 5, '[', 500);
    memset(text + 505, ']', 500);
    strcpy(text + 1005, "}");
    cr_assert_eq(infer(&pointer, 1, NULL, NULL, printed, ROOM, NULL), LAM_STATUS_OK);
    cr_expect_not_null(strstr(printed, "(VARIANT(1))"));
    free(printed);
}

Test(json_infer, failures_name_the_line) {
    static const char *const cases[][2] = {
        {"{\"a\":1}\n[1]\n", "line 2: expected an object, found an array"},
        {"{\"a\":1}\n{\"a\"}\n", "line 2, column 5: expected a colon, found '}'"},
        {"{\"\\u0000\":1}", "line 1: \"\\u0000\": a field name holds U+0000, which no schema can"},
        {"[{\"a\":1},\n{\"b\":2,\n\"\\u0000\":1}]",
         "line 3: \"\\u0000\": a field name holds U+0000, which no schema can"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char printed[256];
        lam_error error = lam_error_none();
        cr_expect_eq(infer(&cases[i][0], 1, NULL, NULL, printed, sizeof printed, &error),
                     LAM_STATUS_INVALID);
        cr_expect_str_eq(error.message, cases[i][1]);
    }
}

/* Inference took such objects, and reading with the schema that it gave refused them. */
Test(json_infer, a_member_that_is_named_twice_is_refused_as_in_reading) {
    static const char *const cases[][2] = {
        {"{\"a\":1}\n{\"a\":1,\"b\":null,\"a\":1}\n", "line 2: a"},
        {"{\"a\":null,\"\\u0061\":null}", "line 1: \"\\u0061\""},
        {"{\"a\":{\"b\":1}}\n{\"a\":{\"b\":1,\"c\":{},\"b\":2}}", "line 2: a.b"},
        {"{\"a\":[[],[{},{\"x\":[]},{\"x\":[0],\"x\":1}]]}", "line 1: a[1][2].x"},
        {"[\n{\"a\":{\"b\":1}},\n{\"a\":\n{\"b\":1,\n\"b\":2}}]", "line 5: a.b"},
        {"{\"z\":{\"a\":1},\"a\":1,\"y\":[{\"a\":1},{\"a\":2}],\"z\":{}}", "line 1: z"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char printed[1024], message[256];
        lam_error error = lam_error_none();
        cr_expect_eq(infer(&cases[i][0], 1, NULL, NULL, printed, sizeof printed, &error),
                     LAM_STATUS_INVALID, "%s", cases[i][0]);
        snprintf(message, sizeof message, "%s: the name appears twice in its object", cases[i][1]);
        cr_expect_str_eq(error.message, message);
    }
    /* The same name in objects beside, around and inside each other is not twice. */
    expect_schema("{\"a\":{\"a\":{\"a\":1},\"b\":1},\"b\":{\"a\":1}}\n{\"b\":{\"a\":2},\"a\":{}}",
                  "optional group a { optional group a { optional int64 a; } optional int64 b; } "
                  "optional group b { optional int64 a; } ");
}

Test(json_infer, names_of_records_that_are_data_make_each_record_a_variant) {
    char *text = malloc(1 << 20), printed[256];
    const char *pointer = text;
    lam_json_inference_options options = lam_json_inference_options_default();
    lam_error error = lam_error_none();
    size_t size = 0;
    text[size++] = '{';
    for (int i = 0; i < 1001; i++)
        size += (size_t)sprintf(text + size, "%s\"key%d\":1", i == 0 ? "" : ",", i);
    strcpy(text + size, "}");
    options.max_fields = 1000;
    cr_expect_eq(infer(&pointer, 1, &options, NULL, printed, sizeof printed, &error),
                 LAM_STATUS_OK);
    squeeze(printed);
    cr_expect_str_eq(printed, "message m { required group record (VARIANT(1)) { required binary "
                              "metadata; required binary value; } } ");
    options.struct_size = 0;
    cr_expect_eq(infer(&pointer, 1, &options, NULL, printed, sizeof printed, &error),
                 LAM_STATUS_INVALID);
    free(text);
}

Test(json_infer, wide_objects_are_found_by_name_in_any_order) {
    enum { WIDTH = 5000 };
    char *text = malloc(1 << 20), *printed = malloc(1 << 20);
    const char *pointer = text;
    size_t size = 0, fields = 0;
    for (int record = 0; record < 3; record++) {
        text[size++] = '{';
        for (int i = 0; i < WIDTH; i++)
            size += (size_t)sprintf(text + size, "%s\"key%d\":1", i == 0 ? "" : ",",
                                    i * (record * 6 + 1) * 7 % WIDTH);
        size += (size_t)sprintf(text + size, "}\n");
    }
    cr_assert_eq(infer(&pointer, 1, NULL, NULL, printed, 1 << 20, NULL), LAM_STATUS_OK);
    for (char *at = printed; (at = strstr(at, "optional")) != NULL; at++)
        fields++;
    cr_expect_eq(fields, WIDTH);
    free(printed);
    free(text);
}

/* It prints as it was, nulls of absent fields apart, and the order of members in a VARIANT. */
static void expect_same_after_inference(const char *json, const char *expected) {
    lam_error error = lam_error_none();
    char *copy = copy_after_inference(json, NULL, &error);
    cr_assert_not_null(copy, "%s: %s", json, error.message);
    cr_expect_str_eq(copy, expected, "%s gave %s", json, copy);
    free(copy);
}

static void expect_refused_after_inference(const char *json, const char *message) {
    lam_error error = lam_error_none();
    char *copy = copy_after_inference(json, NULL, &error);
    cr_expect_null(copy, "%s gave %s", json, copy);
    cr_expect_str_eq(error.message, message, "%s", error.message);
    free(copy);
}

Test(json_infer, clashes_read_and_print_as_the_values_themselves) {
    const char *json =
        "{\"a\":1}\n{\"a\":\"x \\\"y\\\"\"}\n{\"a\":{\"b\":[1,2.50,{}]}}\n{\"a\":null}\n"
        "{\"a\":[]}\n{\"a\":123456789012345678901234567890}\n{\"a\":true}\n";
    expect_same_after_inference(json, json);
    expect_same_after_inference("{\"e\":{},\"l\":[1,\"x\",null,{\"k\":[]}]}\n",
                                "{\"e\":{},\"l\":[1,\"x\",null,{\"k\":[]}]}\n");
    expect_same_after_inference("{\n \"a\": [ { \"b\" : 1 }, 7 ]\n}", "{\"a\":[{\"b\":1},7]}\n");
    expect_same_after_inference("{\"a\":{\"c\":1,\"b\":-0.0}}\n{\"a\":1e300}\n",
                                "{\"a\":{\"b\":-0.0,\"c\":1}}\n{\"a\":1e+300}\n");
    expect_same_after_inference("{\"a\":9007199254740993}\n{\"a\":0.5}\n",
                                "{\"a\":9007199254740993}\n{\"a\":0.5}\n");
}

Test(json_infer, what_no_variant_holds_is_refused_when_it_is_read) {
    expect_refused_after_inference("{\"a\":1}\n{\"a\":{\"b\":1,\"b\":2}}\n",
                                   "line 2: a: the name \"b\" appears twice in its object");
    expect_refused_after_inference(
        "{\"a\":1}\n{\"a\":[1e400]}\n",
        "line 2: a: 1e400 is a number that neither 38 digits nor a double hold");
}

Test(json_infer, a_place_becomes_a_variant_on_demand) {
    static const char *const paths[] = {"a", "l.list.element.x", "n.list.element.list.element",
                                        "b.c.d"};
    static const char text[] = "{\"a\":1,\"l\":[{\"x\":{\"y\":2},\"z\":3}],\"n\":[[1]],"
                               "\"b\":{\"c.d\":5}}";
    static const char *const texts[] = {text};
    lam_json_inference_options options = lam_json_inference_options_default();
    char printed[2048];
    lam_error error = lam_error_none();
    options.variants = paths;
    options.variant_count = 4;
    cr_assert_eq(infer(texts, 1, &options, NULL, printed, sizeof printed, &error), LAM_STATUS_OK,
                 "%s", error.message);
    squeeze(printed);
    cr_expect_str_eq(
        printed,
        "message m { optional " VARIANT(
            "a") " optional group l (LIST) { repeated group list { optional group "
                 "element { optional " VARIANT(
                     "x") " optional int64 z; } } } optional group n (LIST) { repeated "
                          "group list { optional group element (LIST) { repeated group "
                          "list { optional " VARIANT("element") " } } } } optional group b { "
                                                                "optional " VARIANT("c.d") " } } ",
        "%s", printed);
    char *copy = copy_after_inference(text, &options, &error);
    cr_assert_not_null(copy, "%s", error.message);
    cr_expect_str_eq(copy, "{\"a\":1,\"l\":[{\"x\":{\"y\":2},\"z\":3}],\"n\":[[1]],"
                           "\"b\":{\"c.d\":5}}\n");
    free(copy);
}

Test(json_infer, a_variant_that_no_record_has_is_not_found) {
    static const char *const paths[] = {"a", "a.b"}; /* what is inside one is no place */
    static const char *const texts[] = {"{\"a\":{\"b\":1}}"};
    lam_json_inference_options options = lam_json_inference_options_default();
    char printed[256];
    lam_error error = lam_error_none();
    options.variants = paths;
    options.variant_count = 2;
    cr_expect_eq(infer(texts, 1, &options, NULL, printed, sizeof printed, &error),
                 LAM_STATUS_NOT_FOUND);
    cr_expect_str_eq(error.message, "no record has a field a.b");
}

Test(json_infer, memory_that_is_refused_is_reported) {
    static const char *const text =
        "{\"a\":[{\"b\":1,\"c\":{\"d\":\"x\"}}],\"e\\n\":2.5,\"f\":[[]],\"g\":{}}\n";
    for (size_t fail_at = 1;; fail_at++) {
        lam_failing_alloc counter = {0};
        char printed[1024];
        counter.fail_at = fail_at;
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_status status = infer(&text, 1, NULL, &allocator, printed, sizeof printed, NULL);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_lt(fail_at, 200);
    }
}

/* A record that is too much for the limit is named; what is held stays below it. */
Test(json_infer, inference_keeps_its_memory_limit) {
    enum { SIZE = 2 << 20 };
    char *json = malloc(SIZE + 32);
    size_t size = (size_t)sprintf(json, "{\"b\":1}\n\n{\"a\":[1");
    for (; size < SIZE; size += 2)
        memcpy(json + size, ",1", 2);
    memcpy(json + size, "]}\n", 3);
    size += 3;
    for (uint64_t limit = 4 << 20; limit <= 64 << 20; limit *= 4) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_json_inference_options options = lam_json_inference_options_default();
        lam_bytes left = {(const uint8_t *)json, size};
        lam_json_source source = lam_json_source_memory(&left);
        lam_json_inference *inference;
        lam_schema *schema = NULL;
        lam_error error = lam_error_none();
        options.memory_limit = limit;
        cr_assert_eq(lam_json_inference_create(&options, &allocator, &inference, NULL),
                     LAM_STATUS_OK);
        lam_status status = lam_json_inference_add(inference, &source, &error);
        cr_expect_leq(counter.peak_bytes, limit + 4096);
        cr_expect_eq(status, limit < 64 << 20 ? LAM_STATUS_LIMIT : LAM_STATUS_OK);
        if (status == LAM_STATUS_OK)
            cr_expect_eq(lam_json_inference_schema(inference, "m", &schema, NULL), LAM_STATUS_OK);
        else
            cr_expect(strncmp(error.message, "line 3: ", 8) == 0 &&
                          strstr(error.message, "(option memory_limit)") != NULL,
                      "%s", error.message);
        lam_json_inference_destroy(inference);
        lam_schema_destroy(schema); /* which outlives the budget */
        cr_expect_eq(counter.live_bytes, 0);
    }
    free(json);
}

static lam_status infer_text(void *state, const lam_allocator *allocator, lam_error *error) {
    const char *text = state;
    char printed[256];
    return infer(&text, 1, NULL, allocator, printed, sizeof printed, error);
}

/* A value with escapes is longer than all names before it. */
Test(json_infer, strings_that_there_is_no_memory_for_are_refused) {
    char text[] =
        "{\"a\":\"\\n 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789\"}";
    run_without_each(infer_text, text, SIZE_MAX);
}

Test(json_infer, options_out_of_range_are_refused) {
    lam_json_inference *inference = NULL;
    lam_json_inference_options options = lam_json_inference_options_default();
    lam_error error = lam_error_none();
    options.max_fields = INT32_MAX;
    cr_expect_eq(lam_json_inference_create(&options, NULL, &inference, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "a limit of 2147483647 fields is too high");
    options = lam_json_inference_options_default();
    options.infer_times = (lam_switch)7;
    cr_expect_eq(lam_json_inference_create(&options, NULL, &inference, &error), LAM_STATUS_INVALID);
    cr_expect_not_null(strstr(error.message, "infer_times"), "%s", error.message);
    cr_expect_null(inference);
}

/* Nodes know each other by numbers of 32 bits, of which one is a sign. */
Test(json_infer, more_nodes_than_have_a_number_are_refused) {
    const size_t most = (size_t)INT32_MAX / 2 + 1;
    lam_json_inference *inference;
    lam_error error = lam_error_none();
    uint32_t index;
    cr_assert_eq(lam_json_inference_create(NULL, NULL, &inference, NULL), LAM_STATUS_OK);
    size_t count = inference->node_count, capacity = inference->node_capacity;
    inference->node_count = inference->node_capacity = most; /* none of which is touched */
    cr_expect_eq(lam_json_node_add(inference, 0, 1, "a", 1, &index, &error), LAM_STATUS_LIMIT);
    cr_expect_str_eq(error.message, "too many different fields");
    inference->node_count = count;
    inference->node_capacity = capacity;
    lam_json_inference_destroy(inference);
}

Test(json_infer, a_path_is_that_of_one_field_alone) {
    static const char *const paths[] = {"b", "ab", "x.a.b", "a-b", "a.b.", ".a.b", "b.b", ""};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const char *text = "{\"a\":{\"b\":1}}";
        lam_json_inference_options options = lam_json_inference_options_default();
        lam_error error = lam_error_none();
        char printed[256];
        options.variants = &paths[i];
        options.variant_count = 1;
        cr_expect_eq(infer(&text, 1, &options, NULL, printed, sizeof printed, &error),
                     LAM_STATUS_NOT_FOUND, "%s", paths[i]);
    }
}

/* What becomes of a text of which one field is to be a string. */
static const char *infer_string(const char *text, const char *path) {
    static char printed[1024];
    const lam_json_column column = {
        path, LAM_PHYSICAL_BYTE_ARRAY, {.logical_type = {.kind = LAM_LOGICAL_STRING}}};
    lam_json_inference_options options = lam_json_inference_options_default();
    lam_error error = lam_error_none();
    options.columns = &column;
    options.column_count = 1;
    if (infer(&text, 1, &options, NULL, printed, sizeof printed, &error) != LAM_STATUS_OK)
        return strcpy(printed, error.message);
    squeeze(printed);
    return printed;
}

Test(json_infer, a_type_goes_to_the_field_that_its_path_names) {
    static const char dotted[] = "{\"a.b\":1,\"a\":{\"b\":2}}", alone[] = "{\"a.b\":1}",
                      later[] = "{\"a.b\":1}\n{\"a\":{\"b\":2}}",
                      deep[] = "{\"a\":{\"c.d\":[{\"e.f\":1,\"e\":{\"f\":2}}]}}",
                      twice[] = "{\"a.b\":{\"c\":1},\"a\":{\"b.c\":2}}",
                      odd[] = "{\"\":1,\"x\\\"y\":2,\"No.\":3}";
    static const struct {
        const char *text, *path, *schema;
    } cases[] = {
        {dotted, "a.b",
         "message m { optional int64 a.b; optional group a { optional binary b (STRING); } } "},
        {dotted, "\"a.b\"",
         "message m { optional binary a.b (STRING); optional group a { optional int64 b; } } "},
        {dotted, "a.\"b\"",
         "message m { optional int64 a.b; optional group a { optional binary b (STRING); } } "},
        {later, "a.b",
         "message m { optional int64 a.b; optional group a { optional binary b (STRING); } } "},
        {alone, "a.b", "message m { optional binary a.b (STRING); } "},
        {alone, "\"a\".b", "no record has a field \"a\".b"},
        {deep, "a.\"c.d\"[].\"e.f\"",
         "message m { optional group a { optional group c.d (LIST) { repeated group list { "
         "optional group element { optional binary e.f (STRING); optional group e { optional int64 "
         "f; } } } } } } "},
        {deep, "a.c.d[].e.f",
         "'a.c.d[].e.f' is ambiguous: a.\"c.d\".list.element.\"e.f\", "
         "a.\"c.d\".list.element.e.f"},
        {deep, "a.\"c.d\".list.element.\"e.f\"",
         "message m { optional group a { optional group c.d (LIST) { repeated group list { "
         "optional group element { optional binary e.f (STRING); optional group e { optional int64 "
         "f; } } } } } } "},
        {twice, "a.b.c", "'a.b.c' is ambiguous: \"a.b\".c, a.\"b.c\""},
        {twice, "\"a.b\".c",
         "message m { optional group a.b { optional binary c (STRING); } optional group a { "
         "optional int64 b.c; } } "},
        {odd, "\"\"",
         "message m { optional binary \"\" (STRING); optional int64 x\"y; optional int64 "
         "No.; } "},
        {odd, "\"x\"\"y\"",
         "message m { optional int64 \"\"; optional binary x\"y (STRING); optional int64 "
         "No.; } "},
        {odd, "No.",
         "message m { optional int64 \"\"; optional int64 x\"y; optional binary No. "
         "(STRING); } "},
        {odd, "\"x", "character 1: the name that begins here does not end"},
        {odd, "\"x\"\"y\"[]", "no record has a field \"x\"\"y\"[]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *schema = infer_string(cases[i].text, cases[i].path);
        cr_expect_str_eq(schema, cases[i].schema, "%s: %s", cases[i].path, schema);
    }
}

/* A MAP that only a dot in a name leads to is known when everything has been read. */
Test(json_infer, objects_at_a_name_with_a_dot_become_a_map) {
    static const char *const texts[] = {"{\"x.y\":{\"k\":1,\"l\":2}}"},
                             *const both[] = {"{\"x.y\":{\"k\":1},\"x\":{\"y\":{\"k\":1}}}"};
    const lam_json_column column = {
        "x.y", LAM_PHYSICAL_GROUP, {.logical_type = {.kind = LAM_LOGICAL_MAP}}};
    lam_json_inference_options options = lam_json_inference_options_default();
    char printed[1024];
    options.columns = &column;
    options.column_count = 1;
    cr_assert_eq(infer(texts, 1, &options, NULL, printed, sizeof printed, NULL), LAM_STATUS_OK);
    squeeze(printed);
    cr_expect_str_eq(printed,
                     "message m { optional group x.y (MAP) { repeated group key_value { required "
                     "binary key (STRING); optional int64 value; } } } ");
    cr_assert_eq(infer(both, 1, &options, NULL, printed, sizeof printed, NULL), LAM_STATUS_OK);
    squeeze(printed);
    cr_expect_str_eq(printed,
                     "message m { optional group x.y { optional int64 k; } optional group x { "
                     "optional group y (MAP) { repeated group key_value { required binary key "
                     "(STRING); optional int64 value; } } } } ");
}

Test(json_infer, a_stop_ends_the_reading_before_a_record) {
    lam_json_inference_options options = lam_json_inference_options_default();
    const char *text = "{\"a\":1}\n";
    lam_error error = lam_error_none();
    char printed[64];
    lam_stop stop = {0};
    options.stop = &stop;
    cr_expect_eq(infer(&text, 1, &options, NULL, printed, sizeof printed, &error), LAM_STATUS_OK);
    lam_stop_request(&stop);
    cr_expect_eq(infer(&text, 1, &options, NULL, printed, sizeof printed, &error),
                 LAM_STATUS_CANCELLED);
}

/* Memory that requests the stop as a given piece of it is asked for. */
typedef struct stopping_memory {
    size_t left;
    lam_stop stop;
} stopping_memory;

static void *allocate_and_stop(void *state, size_t size) {
    stopping_memory *memory = state;
    if (memory->left > 0 && --memory->left == 0)
        lam_stop_request(&memory->stop);
    return malloc(size);
}

static void *reallocate_and_stop(void *state, void *memory, size_t old_size, size_t new_size) {
    (void)old_size;
    free(allocate_and_stop(state, 1));
    return realloc(memory, new_size);
}

static void release(void *state, void *memory, size_t size) {
    (void)state, (void)size;
    free(memory);
}

enum { LONG_RECORD = 200007 };

static char *long_record(void) {
    char *text = malloc(LONG_RECORD + 1);
    cr_assert(text != NULL);
    strcpy(text, "{\"a\":[");
    for (size_t i = 6; i + 4 < LONG_RECORD; i += 2)
        memcpy(text + i, "1,", 2);
    memcpy(text + LONG_RECORD - 4, "1]}\n", 5);
    return text;
}

static lam_status infer_long(const char *text, stopping_memory *memory) {
    lam_allocator allocator = {memory, allocate_and_stop, reallocate_and_stop, release};
    lam_bytes left = {(const uint8_t *)text, strlen(text)};
    lam_json_source source = lam_json_source_memory(&left);
    lam_json_inference_options options = lam_json_inference_options_default();
    lam_json_inference *inference;
    options.stop = &memory->stop;
    cr_assert_eq(lam_json_inference_create(&options, &allocator, &inference, NULL), LAM_STATUS_OK);
    lam_status status = lam_json_inference_add(inference, &source, NULL);
    cr_expect_eq(lam_test_json_info(inference).records, status == LAM_STATUS_OK);
    lam_json_inference_destroy(inference);
    return status;
}

static lam_status read_long(const char *text, stopping_memory *memory) {
    lam_allocator allocator = {memory, allocate_and_stop, reallocate_and_stop, release};
    lam_bytes left = {(const uint8_t *)text, strlen(text)};
    lam_json_source source = lam_json_source_memory(&left);
    lam_json_reader_options options = lam_json_reader_options_default();
    lam_schema *schema = fields_of("optional group a (LIST) { repeated group list "
                                   "{ optional int64 element; } }");
    lam_json_reader *reader;
    event_log log = {NULL, 0, 0};
    size_t records = 9;
    options.stop = &memory->stop;
    const lam_record_sink sink = log_sink(&log);
    cr_assert_eq(lam_json_reader_create(schema, &source, &options, &allocator, &reader, NULL),
                 LAM_STATUS_OK);
    lam_status status = lam_json_reader_read(reader, &sink, 1, &records, NULL);
    cr_expect_eq(records, status == LAM_STATUS_OK);
    lam_json_reader_destroy(reader);
    free(log.text);
    lam_schema_destroy(schema);
    return status;
}

/* Memory is asked for before the text is parsed, then, and before its elements are visited. */
static void expect_stops(lam_status (*run)(const char *text, stopping_memory *memory)) {
    enum { PIECES_LEAST = 5 };
    char *text = long_record();
    stopping_memory memory = {0};
    cr_expect_eq(run(text, &memory), LAM_STATUS_OK);
    for (size_t i = 1; memory.left == 0; i++) {
        memory = (stopping_memory){.left = i};
        lam_status status = run(text, &memory);
        cr_expect_eq(status, memory.left == 0 ? LAM_STATUS_CANCELLED : LAM_STATUS_OK, "%zu", i);
        cr_expect(memory.left == 0 || i > PIECES_LEAST);
    }
    free(text);
}

Test(json_infer, a_stop_ends_the_visit_of_a_long_record) {
    expect_stops(infer_long);
}

Test(json_infer, a_stop_ends_the_replay_of_a_long_record) {
    expect_stops(read_long);
}
