/* SPDX-License-Identifier: Apache-2.0 */
/* The options of JSON, as programs of older and newer headers have them. (docs/abi.md) */
#include <lamella/json.h>

#include "abi/growth.h"
#include "file/file_sample.h"

#define SCHEMA "message m { optional int64 a; }"

static lam_status take_reader(const void *options, lam_error *error) {
    lam_schema *schema = lam_test_schema(SCHEMA);
    lam_bytes left = {NULL, 0};
    lam_json_source source = lam_json_source_memory(&left);
    lam_json_reader *reader = NULL;
    lam_status status = lam_json_reader_create(schema, &source, options, NULL, &reader, error);
    lam_json_reader_destroy(reader);
    lam_schema_destroy(schema);
    return status;
}

static lam_status take_writer(const void *options, lam_error *error) {
    lam_schema *schema = lam_test_schema(SCHEMA);
    lam_output output = {0};
    lam_json_writer *writer = NULL;
    lam_status status = lam_json_writer_create(schema, &output, options, NULL, &writer, error);
    lam_json_writer_destroy(writer);
    lam_schema_destroy(schema);
    return status;
}

static lam_status take_parser(const void *options, lam_error *error) {
    lam_json_parser *parser = NULL;
    lam_status status = lam_json_parser_create(options, NULL, &parser, error);
    lam_json_parser_destroy(parser);
    return status;
}

static lam_status take_inference(const void *options, lam_error *error) {
    lam_json_inference *inference = NULL;
    lam_status status = lam_json_inference_create(options, NULL, &inference, error);
    lam_json_inference_destroy(inference);
    return status;
}

Test(json_growth, options_of_every_older_and_newer_version_are_taken) {
    static const option_type types[] = {
        TAKEN(lam_json_reader_options, take_reader),
        TAKEN(lam_json_writer_options, take_writer),
        TAKEN(lam_json_parser_options, take_parser),
        TAKEN(lam_json_inference_options, take_inference),
    };
    expect_options_to_grow(types, sizeof types / sizeof *types);
}
