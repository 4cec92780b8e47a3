/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schemas as text: parsed, printed, parsed again, broken at any byte, and those of the shared
 * cases.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "schema/tree.h"
#include "schema_texts.h"
#include "support/failing_alloc.h"
#include "support/shared.h"

static const char document[] = "message Document {\n"
                               "  required int64 DocId;\n"
                               "  optional group Links {\n"
                               "    repeated int64 Backward;\n"
                               "    repeated int64 Forward;\n"
                               "  }\n"
                               "  repeated group Name {\n"
                               "    repeated group Language {\n"
                               "      required binary Code (STRING);\n"
                               "      optional binary Country (STRING);\n"
                               "    }\n"
                               "    optional binary Url (STRING);\n"
                               "  }\n"
                               "}\n";

static const char everything[] = "message m {\n"
                                 "  required boolean a = 1;\n"
                                 "  required int32 b (INTEGER(8,false)) = -2;\n"
                                 "  optional int64 c (TIMESTAMP(NANOS,false));\n"
                                 "  optional int96 d;\n"
                                 "  optional float e;\n"
                                 "  optional double f;\n"
                                 "  optional binary g (GEOGRAPHY(\"a b\",KARNEY));\n"
                                 "  optional fixed_len_byte_array(16) h (UUID);\n"
                                 "  repeated group \"two \\\"words\\\"\" (VARIANT(1)) = 3 {\n"
                                 "    required binary \"\";\n"
                                 "    optional binary \"\\x01\" (DECIMAL(40,38));\n"
                                 "  }\n"
                                 "}\n";

/* The text parses, and prints as `print`. */
static void prints_as(const char *text, const char *print) {
    lam_schema *schema = parsed(text);
    char *again = printed(schema);
    cr_assert_str_eq(again, print);
    free(again);
    lam_schema_destroy(schema);
}

static void field_prints_as(const char *field, const char *print) {
    char text[256], wanted[256];
    snprintf(text, sizeof text, "message m { %s }", field);
    snprintf(wanted, sizeof wanted, "message m {\n  %s\n}\n", print);
    prints_as(text, wanted);
}

Test(message_text, the_document_of_the_paper_has_the_levels_of_the_paper) {
    lam_schema *schema = parsed(document);
    static const struct {
        const char *path;
        uint8_t r, d;
    } leaves[] = {{"DocId", 0, 0},
                  {"Links.Backward", 1, 2},
                  {"Links.Forward", 1, 2},
                  {"Name.Language.Code", 2, 2},
                  {"Name.Language.Country", 2, 3},
                  {"Name.Url", 1, 2}};
    cr_assert_eq(lam_schema_leaf_count(schema), 6);
    for (size_t i = 0; i < 6; i++) {
        const lam_field *leaf = lam_schema_leaf(schema, i);
        char path[64];
        lam_field_path(leaf, path, sizeof path);
        cr_assert_str_eq(path, leaves[i].path);
        cr_assert_eq(lam_field_max_repetition(leaf), leaves[i].r);
        cr_assert_eq(lam_field_max_definition(leaf), leaves[i].d);
    }
    lam_schema_destroy(schema);
}

Test(message_text, a_printed_text_prints_the_same_again) {
    prints_as(document, document);
    prints_as(everything, everything);
    prints_as("message \"\" {\n}\n", "message \"\" {\n}\n");
}

Test(message_text, print_counts_and_cuts_like_snprintf) {
    lam_schema *schema = parsed(everything);
    size_t size = sizeof everything - 1;
    for (size_t capacity = 0; capacity < size + 2; capacity++) {
        char *buffer = malloc(capacity + 1);
        memset(buffer, '?', capacity + 1);
        cr_assert_eq(lam_schema_print(schema, buffer, capacity), size);
        size_t kept = capacity == 0 ? 0 : capacity - 1 < size ? capacity - 1 : size;
        cr_assert_eq(memcmp(buffer, everything, kept), 0);
        if (capacity > 0)
            cr_assert_eq(buffer[kept], '\0');
        cr_assert_eq(buffer[capacity], '?');
        free(buffer);
    }
    lam_schema_destroy(schema);
}

Test(message_text, other_names_of_types_are_taken) {
    static const char *const pairs[][2] = {
        {"optional float64 x;", "optional double x;"},
        {"optional FLOAT32 x;", "optional float x;"},
        {"optional bool x;", "optional boolean x;"},
        {"optional bytes x;", "optional binary x;"},
        {"optional byte_array x;", "optional binary x;"},
        {"optional fixed(3) x;", "optional fixed_len_byte_array(3) x;"},
        {"optional fixed_len_byte_array ( 3 ) x;", "optional fixed_len_byte_array(3) x;"},
        {"required string Code;", "required binary Code (STRING);"},
        {"required string Code (UTF8);", "required binary Code (STRING);"},
        {"required int8 x;", "required int32 x (INTEGER(8,true));"},
        {"required int16 x;", "required int32 x (INTEGER(16,true));"},
        {"required uint8 x;", "required int32 x (INTEGER(8,false));"},
        {"required uint16 x;", "required int32 x (INTEGER(16,false));"},
        {"required uint32 x;", "required int32 x (INTEGER(32,false));"},
        {"required uint64 x = 4;", "required int64 x (INTEGER(64,false)) = 4;"},
        {"REQUIRED Int64 Int64", "required int64 Int64;"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        field_prints_as(pairs[i][0], pairs[i][1]);
}

Test(message_text, an_id_stands_before_or_behind_the_logical_type) {
    field_prints_as("optional int32 x = 7 (DATE);", "optional int32 x (DATE) = 7;");
    field_prints_as("optional int32 x(DATE)=-7", "optional int32 x (DATE) = -7;");
    field_prints_as("optional int32 x = 2147483647;", "optional int32 x = 2147483647;");
    field_prints_as("optional int32 x = -2147483648;", "optional int32 x = -2147483648;");
    prints_as("message m { optional group g = 0 (LIST) { repeated int32 e } }",
              "message m {\n  optional group g (LIST) = 0 {\n    repeated int32 e;\n  }\n}\n");
}

Test(message_text, keywords_are_names_where_a_name_is_due) {
    field_prints_as("required int64 required;", "required int64 required;");
    field_prints_as("required int64 message (UINT_64);",
                    "required int64 message (INTEGER(64,false));");
    field_prints_as("required int64 a#b;", "required int64 a#b;");
    field_prints_as("required int64 a//b;", "required int64 a//b;");
    field_prints_as("required int64 \"plain\";", "required int64 plain;");
    prints_as("message message { }", "message message {\n}\n");
}

Test(message_text, comments_blank_lines_and_a_byte_order_mark_say_nothing) {
    prints_as(
        "\xEF\xBB\xBF# of a shell\nmessage /* C { */ m {// C++ }\r\n\r\n\f\v required\tint64 a; "
        "# } \n/**//***/}# at the end",
        "message m {\n  required int64 a;\n}\n");
}

Test(message_text, semicolons_behind_braces_are_passed) {
    prints_as("message m { optional group g { required int32 a; }; };",
              "message m {\n  optional group g {\n    required int32 a;\n  }\n}\n");
}

Test(message_text, fields_without_a_message_get_one_of_the_name_schema) {
    prints_as("optional group tags (VARIANT) { required binary metadata; optional binary value }",
              "message schema {\n  optional group tags (VARIANT) {\n    required binary metadata;\n"
              "    optional binary value;\n  }\n}\n");
    prints_as("required int32 a; optional int32 b",
              "message schema {\n  required int32 a;\n  optional int32 b;\n}\n");
}

Test(message_text, a_syntax_error_says_where_and_what_was_expected) {
    static const char *const pairs[][2] = {
        {"", "line 1, column 1: expected message, or a field, found the end of the text"},
        {"mesage m {}", "line 1, column 1: expected message, or a field, found 'mesage'"},
        {"message {}", "line 1, column 9: expected the name of the message, found '{'"},
        {"message m",
         "line 1, column 10: expected '{' after message 'm', found the end of the text"},
        {"message m {",
         "line 1, column 12: expected required, optional, repeated or '}', found the "
         "end of the text"},
        {"message m {} |",
         "line 1, column 14: expected the end of the text after the message, found '|'"},
        {"message m {}}",
         "line 1, column 13: expected the end of the text after the message, found '}'"},
        {"required int32 a; }",
         "line 1, column 19: expected required, optional, repeated or the end, "
         "found '}'"},
        {"message m {\n  required int32 a\n  required int32 b;\n}",
         "line 3, column 3: expected ';' after field 'a', found 'required'"},
        {"message m {\n  required int32 größe required }",
         "line 2, column 24: expected ';' after field 'größe', found 'required'"},
        {"message m { int32 a; }",
         "line 1, column 13: expected required, optional, repeated or '}', "
         "found 'int32'"},
        {"message m { required int31 a; }",
         "line 1, column 22: expected a type such as int64, binary or group, found 'int31'"},
        {"message m { required int32; }",
         "line 1, column 27: expected the name of a field, found ';'"},
        {"message m { required group g; }",
         "line 1, column 29: expected '{' after group 'g', found ';'"},
        {"message m { required int32 a {",
         "line 1, column 30: expected ';' after field 'a', found '{'"},
        {"message m { required group g { } }", "line 1, column 32: group 'g' has no fields"},
        {"message m { required fixed x; }",
         "line 1, column 28: expected '(' and a length in bytes, found 'x'"},
        {"message m { required fixed(0) x; }",
         "line 1, column 28: expected a length in bytes, 1 or more, found '0'"},
        {"message m { required fixed(2147483648) x; }",
         "line 1, column 28: expected a length in bytes, 1 or more, found '2147483648'"},
        {"message m { required fixed(5 x; }",
         "line 1, column 30: expected ')' after the length, found 'x'"},
        {"message m { required int32 a = b; }",
         "line 1, column 32: expected a field id of 32 bits, found 'b'"},
        {"message m { required int32 a = 1 = 2; }",
         "line 1, column 34: expected ';' after field 'a', found '='"},
        {"message m { required int32 a = 99999999999999999999; }",
         "line 1, column 32: expected a field id of 32 bits, found '99999999999999999999'"},
        {"message m { required int32 a (DATE; }",
         "line 1, column 35: expected ')' after the logical type, found ';'"},
        {"message m { required int32 a; optional int32 a; }",
         "line 1, column 46: two fields of one group have the name 'a'"},
        {"message m { required binary a (DATE); }",
         "line 1, column 29: field 'a' of type binary: DATE annotates int32"},
        {"message m { required string a (ENUM); }",
         "line 1, column 29: field 'a': its type string means STRING already"},
        {"message m { required int32 \"\n\" x }",
         "line 2, column 3: expected ';' after field '\"\\n\"', found 'x'"},
        {"message m { required int32 a\"b \"\"",
         "line 1, column 32: expected ';' after field 'a\"b', found a quoted word"},
        {"message \"\\xFF\" {}", "line 1, column 9: the name of message \"\\xFF\" is not UTF-8"},
        {"message m { required int32 \"\\xC3\" }",
         "line 1, column 28: the name of field \"\\xC3\" is not UTF-8"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        cr_assert_str_eq(refused(pairs[i][0]), pairs[i][1]);
}

Test(message_text, a_tree_that_is_too_deep_is_over_the_limit) {
    for (int deep = LAM_SCHEMA_DEPTH_MAX; deep <= LAM_SCHEMA_DEPTH_MAX + 1; deep++) {
        char text[16384] = "message m {";
        for (int i = 1; i < deep; i++)
            strcat(text, "repeated group g {");
        strcat(text, "repeated int32 x;");
        for (int i = 0; i < deep; i++)
            strcat(text, "}");
        lam_schema *schema = NULL;
        lam_error error;
        lam_status status = lam_schema_parse(text, strlen(text), NULL, &schema, &error);
        if (deep > LAM_SCHEMA_DEPTH_MAX) {
            cr_assert_eq(status, LAM_STATUS_LIMIT);
            cr_assert_not_null(strstr(error.message, "field 'x' lies deeper than 250 levels"));
        } else {
            cr_assert_eq(status, LAM_STATUS_OK);
            cr_assert_eq(lam_field_max_repetition(lam_schema_leaf(schema, 0)), deep);
            char *again = printed(schema);
            lam_schema *copy = parsed(again);
            cr_assert(lam_schema_equals(schema, copy));
            free(again);
            lam_schema_destroy(copy);
        }
        lam_schema_destroy(schema);
    }
}

/* Parses, and demands a schema that survives printing, or an error with a message. */
static void try_text(const char *text, size_t size) {
    /* Exactly as large as the text, so that a byte read behind it shows. */
    char *exact = malloc(size > 0 ? size : 1);
    memcpy(exact, text, size);
    lam_schema *schema = NULL;
    lam_error error = lam_error_none();
    lam_status status = lam_schema_parse(exact, size, NULL, &schema, &error);
    free(exact);
    if (status != LAM_STATUS_OK) {
        cr_assert_null(schema);
        cr_assert_eq(status, LAM_STATUS_INVALID, "%.*s", (int)size, text);
        cr_assert_eq(strncmp(error.message, "line ", 5), 0, "%.*s", (int)size, text);
        cr_assert_null(strchr(error.message, '\n'), "%.*s", (int)size, text);
        return;
    }
    char *again = printed(schema);
    lam_schema *copy = parsed(again);
    cr_assert(lam_schema_equals(schema, copy), "%.*s", (int)size, text);
    free(again);
    lam_schema_destroy(copy);
    lam_schema_destroy(schema);
}

static const char *const texts[] = {
    document, everything,
    "optional group e (VARIANT) {\n /* c */ required binary metadata; # x\n"
    " optional int64 \"\\x41\\\\\" (TIMESTAMP(true, MICROS)) = 4 }"};

Test(message_text, every_prefix_and_every_deletion_gives_a_schema_or_an_error) {
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        size_t size = strlen(texts[t]);
        for (size_t i = 0; i < size; i++) {
            char cut[1024];
            try_text(texts[t], i);
            memcpy(cut, texts[t], i);
            memcpy(cut + i, texts[t] + i + 1, size - i - 1);
            try_text(cut, size - 1);
        }
    }
}

Test(message_text, every_byte_replaced_gives_a_schema_or_an_error) {
    static const char others[] = "\0\x01\n \"\\#/*;{}()=,-9Ax\x7F\x80\xC3\xFF";
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        size_t size = strlen(texts[t]);
        for (size_t i = 0; i < size; i++) {
            for (size_t k = 0; k < sizeof others - 1; k++) {
                char mutated[1024];
                memcpy(mutated, texts[t], size);
                mutated[i] = others[k];
                try_text(mutated, size);
            }
        }
    }
}

Test(message_text, random_pieces_give_a_schema_or_an_error) {
    static const char *const pieces[] = {"message", "required", "optional",  "repeated", "group",
                                         "int32",   "binary",   "fixed",     "{",        "}",
                                         "(",       ")",        ";",         "=",        ",",
                                         "7",       "a",        "\"q\"",     "LIST",     "DECIMAL",
                                         "\"",      "/*",       "GEOGRAPHY", "true",     "MILLIS"};
    uint64_t seed = lam_test_seed(11);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 20000; round++) {
        char text[512] = "message m {";
        for (size_t n = lam_random_below(&random, 40); n > 0; n--) {
            strcat(text, pieces[lam_random_below(&random, sizeof pieces / sizeof pieces[0])]);
            strcat(text, " ");
        }
        try_text(text, strlen(text));
    }
}

Test(message_text, any_schema_parses_back_from_its_print) {
    uint64_t seed = lam_test_seed(2024);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 5000; round++) {
        bool deep = round % 100 == 0;
        lam_schema *schema =
            random_schema(&random, deep ? 1200 : 25, deep ? LAM_SCHEMA_DEPTH_MAX : 6);
        char *text = printed(schema);
        lam_schema *again = parsed(text);
        cr_assert(lam_schema_equals(schema, again), "seed %llu, round %d:\n%s",
                  (unsigned long long)seed, round, text);
        char *text_again = printed(again);
        cr_assert_str_eq(text, text_again);
        free(text);
        free(text_again);
        lam_schema_destroy(schema);
        lam_schema_destroy(again);
    }
}

Test(message_text, ten_thousand_fields_parse) {
    size_t capacity = 1 << 20;
    char *text = malloc(capacity);
    size_t size = (size_t)snprintf(text, capacity, "message m {");
    for (int i = 0; i < 10000; i++)
        size += (size_t)snprintf(text + size, capacity - size, "optional int64 column_%d;", i);
    size += (size_t)snprintf(text + size, capacity - size, "}");
    lam_schema *schema = parsed(text);
    cr_assert_eq(lam_schema_leaf_count(schema), 10000);
    cr_assert_eq(lam_field_ordinal(lam_schema_find(schema, "column_9999")), 9999);
    lam_schema_destroy(schema);
    free(text);
}

Test(message_text, refused_memory_is_an_error_and_nothing_leaks) {
    for (size_t n = 1;; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_schema *schema = NULL;
        lam_error error = lam_error_none();
        lam_status status =
            lam_schema_parse(everything, sizeof everything - 1, &allocator, &schema, &error);
        if (status == LAM_STATUS_OK) {
            cr_assert_gt(n, 5);
            lam_schema_destroy(schema);
        } else {
            cr_assert_eq(status, LAM_STATUS_NOMEM);
            cr_assert_null(schema);
        }
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
    }
}

/* The string value of a JSON member, with its \n and \" undone; free() it. */
static char *json_member(const char *json, const char *key) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(json, quoted);
    cr_assert_not_null(at);
    at = strchr(at + strlen(quoted), '"') + 1;
    char *value = malloc(strlen(at) + 1);
    size_t size = 0;
    for (; *at != '"'; at++) {
        if (*at == '\\')
            at++;
        value[size++] = at[-1] == '\\' && *at == 'n' ? '\n' : *at;
    }
    value[size] = '\0';
    return value;
}

static void parse_case(void *state, const char *path) {
    (void)state;
    size_t size;
    char *json = lam_test_read_file(path, &size);
    char *text = json_member(json, "schema");
    try_text(text, strlen(text));
    lam_schema_destroy(parsed(text));
    free(text);
    free(json);
}

Test(message_text, the_schemas_of_the_shared_cases_parse) {
    if (!lam_test_shared_exists("cases"))
        cr_skip_test("no shared cases");
    cr_assert_geq(lam_test_each_file(lam_test_shared("cases"), parse_case, NULL), 8);
}

/* The size of the text from a schema's first word to its last brace; 0 when none begins here. */
static size_t schema_size(const char *text) {
    static const char *const heads[] = {"message ", "required group ", "optional group "};
    bool begins = false;
    for (size_t i = 0; i < 3; i++)
        begins = begins || strncmp(text, heads[i], strlen(heads[i])) == 0;
    size_t depth = 0;
    for (size_t i = 0; begins && text[i] != '\0'; i++) {
        depth += text[i] == '{';
        if (text[i] == '}' && --depth == 0)
            return i + 1;
    }
    return 0;
}

static void parse_seed(void *state, const char *path) {
    size_t *count = state;
    size_t whole_size;
    char *whole = lam_test_read_file(path, &whole_size);
    for (const char *line = whole; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t size = schema_size(line);
        if (size == 0)
            continue;
        lam_schema *schema;
        lam_error error;
        cr_assert_eq(lam_schema_parse(line, size, NULL, &schema, &error), LAM_STATUS_OK,
                     "%s: %s in %.*s", path, error.message, (int)size, line);
        try_text(line, size);
        lam_schema_destroy(schema);
        ++*count;
    }
    free(whole);
}

Test(message_text, the_schemas_in_the_shared_seeds_parse_as_they_stand) {
    if (!lam_test_shared_exists("seeds"))
        cr_skip_test("no shared seeds");
    size_t count = 0;
    lam_test_each_file(lam_test_shared("seeds"), parse_seed, &count);
    cr_assert_eq(count, 16);
}

Test(message_text, no_schema_prints_as_nothing_and_no_text_is_refused) {
    char buffer[8] = "???";
    lam_schema *schema = NULL;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_schema_print(NULL, buffer, sizeof buffer), 0);
    cr_assert_str_eq(buffer, "");
    cr_assert_eq(lam_schema_parse(NULL, 1, NULL, &schema, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "no text of a schema (NULL)");
    cr_assert_eq(lam_schema_parse(NULL, 0, NULL, &schema, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, refused(""));
    cr_assert_null(schema);
}
