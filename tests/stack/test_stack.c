/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No input takes more than 64 KiB of stack: schemas, VARIANTs, JSON, conditions and arrays as deep
 * as they may be, and all files that are at hand, through reading, writing and checking. Each
 * program prints what its stages took.
 */
#include <criterion/criterion.h>
#include <lamella/lamella.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/deep_file.h"
#include "support/measured_stack.h"
#include "support/shared.h"
#include "support/test_file.h"

enum { VARIANT_DEPTH = LAM_VARIANT_DEPTH_MAX - 1, TEXT_ROOM = 64 << 10, JSON_DEPTH = 1000 };

static void expect_promise(const lam_stack_peak *peak) {
    printf("most: %zu bytes, %s of %s\n", peak->bytes, peak->stage, peak->input);
    cr_assert_gt(peak->bytes, 0);
    if (lam_stack_is_promised())
        cr_assert_leq(peak->bytes, (size_t)LAM_STACK_PROMISED, "%s of %s takes %zu bytes",
                      peak->stage, peak->input, peak->bytes);
}

/* --- Texts ----------------------------------------------------------------------------------- */

typedef struct deep_text {
    size_t length;
    char text[TEXT_ROOM];
} deep_text;

static void add(deep_text *text, const char *words, size_t times) {
    size_t length = strlen(words);
    for (; times > 0; times--, text->length += length) {
        cr_assert_lt(text->length + length, (size_t)TEXT_ROOM);
        memcpy(text->text + text->length, words, length + 1);
    }
}

/* --- A schema, its records and their file ---------------------------------------------------- */

/* What is made from a text, stage by stage. */
typedef struct deep_records {
    lam_deep_file file;
    const char *message; /* NULL: inferred from the records */
    const char *json;
    bool is_shredded; /* VARIANTs, as an inference says */
    lam_writer_options options;
    lam_schema *schema;
    lam_output output;
} deep_records;

static void make_schema(void *state) {
    deep_records *deep = state;
    lam_error error = lam_error_none();
    if (deep->message != NULL) {
        deep->schema = lam_test_parse(deep->message);
        return;
    }
    lam_json_inference *inference;
    lam_bytes left = {(const uint8_t *)deep->json, strlen(deep->json)};
    lam_json_source source = lam_json_source_memory(&left);
    cr_assert_eq(lam_json_inference_create(NULL, NULL, &inference, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_json_inference_add(inference, &source, &error), LAM_STATUS_OK, "%s",
                 error.message);
    cr_assert_eq(lam_json_inference_schema(inference, "m", &deep->schema, &error), LAM_STATUS_OK,
                 "%s", error.message);
    lam_json_inference_destroy(inference);
}

static void drive(deep_records *deep, const lam_record_sink *sink) {
    lam_json_reader *reader;
    lam_bytes left = {(const uint8_t *)deep->json, strlen(deep->json)};
    lam_json_source source = lam_json_source_memory(&left);
    lam_error error = lam_error_none();
    size_t count;
    cr_assert_eq(lam_json_reader_create(deep->schema, &source, NULL, NULL, &reader, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_json_reader_read(reader, sink, 1000, &count, &error), LAM_STATUS_OK, "%s",
                 error.message);
    cr_assert_gt(count, 0);
    lam_json_reader_destroy(reader);
}

static void shred_schema(void *state) {
    deep_records *deep = state;
    lam_variant_inference_options options = lam_variant_inference_options_default();
    lam_variant_inference *inference;
    lam_schema *shredded;
    lam_error error = lam_error_none();
    options.max_depth = LAM_VARIANT_INFERENCE_DEPTH_MAX;
    cr_assert_eq(lam_variant_inference_create(deep->schema, &options, NULL, &inference, NULL),
                 LAM_STATUS_OK);
    lam_record_sink sink = lam_variant_inference_sink(inference);
    drive(deep, &sink);
    cr_assert_eq(lam_variant_inference_schema(inference, &shredded, &error), LAM_STATUS_OK, "%s",
                 error.message);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(deep->schema);
    deep->schema = shredded;
}

static void write_records(void *state) {
    deep_records *deep = state;
    lam_writer *writer;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_output_memory(NULL, &deep->output, NULL), LAM_STATUS_OK);
    lam_output lent = deep->output;
    lent.close = NULL;
    cr_assert_eq(lam_writer_open(deep->schema, &lent, &deep->options, &writer, &error),
                 LAM_STATUS_OK, "%s", error.message);
    lam_record_sink sink = lam_writer_sink(writer);
    drive(deep, &sink);
    cr_assert_eq(lam_writer_finish(writer, &error), LAM_STATUS_OK, "%s", error.message);
    lam_writer_close(writer);
}

static void print_schema(void *state) {
    deep_records *deep = state;
    size_t length = lam_schema_print(deep->schema, NULL, 0);
    char *text = malloc(length + 1);
    cr_assert_not_null(text);
    lam_schema_print(deep->schema, text, length + 1);
    free(text);
}

static void use_records(deep_records *deep) {
    lam_stack_peak peak = {0};
    deep->file.is_told = true;
    deep->file.peak = &peak;
    lam_deep_stage(&deep->file, "schema", make_schema, deep);
    if (deep->is_shredded)
        lam_deep_stage(&deep->file, "shredding", shred_schema, deep);
    lam_deep_stage(&deep->file, "text of the schema", print_schema, deep);
    lam_deep_stage(&deep->file, "writing", write_records, deep);
    deep->file.bytes = lam_output_memory_bytes(&deep->output);
    lam_deep_file_use(&deep->file);
    lam_output_close(&deep->output);
    lam_schema_destroy(deep->schema);
    expect_promise(&peak);
}

static deep_records records_of(const char *name, const deep_text *message, const deep_text *json) {
    deep_records deep = {.file = {.name = name},
                         .message = message == NULL ? NULL : message->text,
                         .json = json->text,
                         .options = lam_writer_options_default()};
    return deep;
}

/* --- Schemas --------------------------------------------------------------------------------- */

/* `before` and `behind` lie around each of the groups inside of each other. */
static void use_groups(const char *name, const char *group, const char *leaf, const char *before,
                       const char *value, const char *behind, size_t depth) {
    static deep_text message, json;
    message.length = json.length = 0;
    add(&message, "message m { ", 1);
    add(&message, group, depth);
    add(&message, leaf, 1);
    for (const char *at = group; (at = strchr(at, '{')) != NULL; at++)
        add(&message, "} ", depth);
    add(&message, "}", 1);
    add(&json, "{", 1);
    add(&json, before, depth);
    add(&json, value, 1);
    add(&json, behind, depth);
    add(&json, "}\n{}\n", 1);
    deep_records deep = records_of(name, &message, &json);
    use_records(&deep);
}

Test(stack, optional_groups) {
    use_groups("optional groups", "optional group g { ", "optional int32 v; ", "\"g\":{", "\"v\":1",
               "}", LAM_SCHEMA_DEPTH_MAX - 1);
}

Test(stack, repeated_groups) {
    use_groups("repeated groups", "repeated group g { ", "repeated binary v (STRING); ",
               "\"g\":[{},{", "\"v\":[\"a\",\"b\"]", "}]", LAM_SCHEMA_DEPTH_MAX - 1);
}

Test(stack, lists) {
    static deep_text message, json;
    enum { LISTS = (LAM_SCHEMA_DEPTH_MAX - 1) / 2 };
    add(&message, "message m { optional group g (LIST) { repeated group list { ", 1);
    add(&message, "optional group element (LIST) { repeated group list { ", LISTS - 1);
    add(&message, "optional double element; ", 1);
    add(&message, "} ", 2 * LISTS);
    add(&message, "}", 1);
    add(&json, "{\"g\":", 1);
    add(&json, "[", LISTS);
    add(&json, "1.5,null", 1);
    add(&json, "]", LISTS);
    add(&json, "}\n{\"g\":[]}\n{}\n", 1);
    deep_records deep = records_of("lists", &message, &json);
    use_records(&deep);
}

Test(stack, maps) {
    static deep_text message, json;
    enum { MAPS = (LAM_SCHEMA_DEPTH_MAX - 1) / 2 };
    add(&message, "message m { optional group g (MAP) { repeated group key_value { ", 1);
    for (size_t i = 1; i < MAPS; i++)
        add(&message,
            "required binary key (STRING); optional group value (MAP) { repeated group key_value "
            "{ ",
            1);
    add(&message, "required binary key (STRING); optional int64 value; ", 1);
    add(&message, "} ", 2 * MAPS);
    add(&message, "}", 1);
    add(&json, "{\"g\":", 1);
    add(&json, "{\"k\":", MAPS);
    add(&json, "7", 1);
    add(&json, "}", MAPS);
    add(&json, "}\n{}\n", 1);
    deep_records deep = records_of("maps", &message, &json);
    deep.file.where = "g.k.k.k is null";
    use_records(&deep);
}

/* --- VARIANTs -------------------------------------------------------------------------------- */

#define VARIANT_MESSAGE                                                                            \
    "message m { optional group v (VARIANT) { required binary metadata; required binary value; } " \
    "}"

static void use_variant(const char *name, const char *before, const char *behind, size_t depth,
                        bool is_shredded, const char *where) {
    static deep_text message, json;
    add(&message, VARIANT_MESSAGE, 1);
    for (size_t i = 0; i < 3; i++) {
        add(&json, "{\"v\":", 1);
        add(&json, before, depth);
        add(&json, "1", 1);
        add(&json, behind, depth);
        add(&json, "}\n", 1);
    }
    deep_records deep = records_of(name, &message, &json);
    deep.is_shredded = is_shredded;
    deep.file.where = where;
    use_records(&deep);
}

Test(stack, arrays_in_a_variant) {
    use_variant("VARIANT of arrays", "[", "]", VARIANT_DEPTH, false, "v[][][] = 5 or v[] is null");
}

Test(stack, objects_in_a_variant) {
    use_variant("VARIANT of objects", "{\"a\":2,\"b\":", "}", VARIANT_DEPTH, false,
                "v.b.b.b.a = 2 and v.a = 2");
}

Test(stack, shredded_arrays) {
    use_variant("shredded arrays", "[", "]", 64, true, "v[][] = 5 or v[] is null");
}

Test(stack, shredded_objects) {
    use_variant("shredded objects", "{\"a\":2,\"b\":", "}", VARIANT_DEPTH, true,
                "v.b.b.b.a = 2 or v.b.b is null");
}

/* Values of variants that no column holds. */
static void use_value(void *state) {
    const char *json = state;
    lam_variant_builder *builder, *copier;
    lam_json_parser *parser;
    lam_variant variant, copy;
    lam_output output;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_variant_builder_create(NULL, NULL, &builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_variant_builder_create(NULL, NULL, &copier, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_json_parser_create(NULL, NULL, &parser, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_json_parser_read(parser, json, strlen(json), builder, &error), LAM_STATUS_OK,
                 "%s", error.message);
    cr_assert_eq(lam_variant_builder_finish(builder, &variant, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_variant_builder_copy(copier, variant, &error), LAM_STATUS_OK, "%s",
                 error.message);
    cr_assert_eq(lam_variant_builder_finish(copier, &copy, &error), LAM_STATUS_OK);
    cr_assert(lam_variant_equals(variant, copy));
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_json_print_variant(copy, LAM_JSON_VARIANT_TYPED, LAM_JSON_BINARY_BASE64,
                                        &output, &error),
                 LAM_STATUS_OK);
    lam_output_close(&output);
    lam_json_parser_destroy(parser);
    lam_variant_builder_destroy(copier);
    lam_variant_builder_destroy(builder);
}

Test(stack, values_of_variants) {
    static deep_text arrays, objects;
    lam_stack_peak peak = {0};
    lam_deep_file file = {.name = "value of a VARIANT", .is_told = true, .peak = &peak};
    add(&arrays, "[", VARIANT_DEPTH);
    add(&arrays, "]", VARIANT_DEPTH);
    add(&objects, "{\"b\":", VARIANT_DEPTH);
    add(&objects, "1.25", 1);
    add(&objects, "}", VARIANT_DEPTH);
    lam_deep_stage(&file, "arrays", use_value, arrays.text);
    lam_deep_stage(&file, "objects", use_value, objects.text);
    expect_promise(&peak);
}

/* --- JSON ------------------------------------------------------------------------------------ */

Test(stack, a_schema_of_deep_json) {
    static deep_text json;
    add(&json, "{\"b\":", JSON_DEPTH);
    add(&json, "1", 1);
    add(&json, "}", JSON_DEPTH);
    add(&json, "\n{\"b\":", 1);
    add(&json, "[", JSON_DEPTH);
    add(&json, "]", JSON_DEPTH);
    add(&json, "}\n", 1);
    deep_records deep = records_of("inferred JSON", NULL, &json);
    use_records(&deep);
}

Test(stack, a_schema_of_json_as_deep_as_schemas) {
    static deep_text json;
    for (size_t i = 0; i < 40; i++) { /* alike, and many: maps among them */
        add(&json, "{\"a\":", 1);
        add(&json, "{\"b\":", 230);
        add(&json, "1", 1);
        add(&json, "}", 231);
        add(&json, "\n", 1);
    }
    deep_records deep = records_of("inferred groups", NULL, &json);
    use_records(&deep);
}

/* --- Conditions ------------------------------------------------------------------------------ */

Test(stack, conditions_of_many_parentheses) {
    static deep_text message, json, where;
    add(&message, "message m { optional int32 a; optional int32 b; }", 1);
    add(&json, "{\"a\":1,\"b\":2}\n{}\n", 100);
    add(&where, "not (a = 3 or (b = 1 and ", 2000);
    add(&where, "a = 1", 1);
    add(&where, "))", 2000);
    deep_records deep = records_of("condition", &message, &json);
    deep.file.where = where.text;
    use_records(&deep);
}

/* --- Codecs ---------------------------------------------------------------------------------- */

static void use_codec(const char *name, lam_codec codec, int level) {
    static deep_text message, json;
    char line[200];
    message.length = json.length = 0;
    add(&message, "message m { required int64 a; required binary b (STRING); required double c; }",
        1);
    for (unsigned i = 0; i < 700; i++) {
        snprintf(line, sizeof line, "{\"a\":%u,\"b\":\"text %u of %u\",\"c\":%u.%u}\n",
                 i * 2654435761u, i, i * 40503u, i, i * 7 % 1000);
        add(&json, line, 1);
    }
    deep_records deep = records_of(name, &message, &json);
    deep.options.codec = codec;
    deep.options.codec_level = level;
    deep.options.data_page_version = 2;
    use_records(&deep);
}

Test(stack, codecs) {
    use_codec("ZSTD", LAM_CODEC_ZSTD, 0);
    use_codec("SNAPPY", LAM_CODEC_SNAPPY, 0);
    use_codec("GZIP", LAM_CODEC_GZIP, 0);
}

/* --- Files ----------------------------------------------------------------------------------- */

static void use_file(void *state, const char *path) {
    lam_stack_peak *peak = state;
    size_t size;
    char *bytes = lam_test_read_file(path, &size);
    cr_assert_not_null(bytes);
    lam_deep_file file = {.name = strrchr(path, '/') + 1, .peak = peak};
    file.bytes = (lam_bytes){(const uint8_t *)bytes, size};
    lam_deep_file_use(&file);
    free(bytes);
}

static void use_folder(const char *folder) {
    lam_stack_peak peak = {0};
    if (!lam_test_shared_exists(folder))
        cr_skip_test("no shared folder %s", folder);
    size_t files = lam_test_each_file(lam_test_shared(folder), use_file, &peak);
    printf("%zu files: ", files);
    expect_promise(&peak);
}

Test(stack, hostile_files) {
    use_folder("hostile");
}

Test(stack, files_of_others) {
    use_folder("parquet-testing/data");
}
