/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text to VARIANT and back: what the tests of both ways share. */
#ifndef LAM_TESTS_VARIANT_JSON_H
#define LAM_TESTS_VARIANT_JSON_H

#include "json_help.h"

typedef struct variant_trip {
    lam_json_parser_options reading;
    lam_json_variant writing;
    lam_json_binary binary; /* of the writing */
} variant_trip;

static inline variant_trip plain_trip(void) {
    variant_trip trip = {lam_json_parser_options_default(), LAM_JSON_VARIANT_VALUE,
                         LAM_JSON_BINARY_BASE64};
    return trip;
}

static inline char *print_variant(lam_variant variant, lam_json_variant form,
                                  lam_json_binary binary, lam_error *error) {
    lam_output output;
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    char *text = NULL;
    if (lam_json_print_variant(variant, form, binary, &output, error) == LAM_STATUS_OK) {
        lam_bytes bytes = lam_output_memory_bytes(&output);
        text = calloc(1, bytes.size + 1);
        memcpy(text, bytes.data, bytes.size);
    }
    lam_output_close(&output);
    return text;
}

/* The text of the value that a text stands for; for free(), NULL after a failure. */
static inline char *trip_variant(const char *json, const variant_trip *trip, lam_error *error) {
    lam_json_parser *parser;
    lam_variant_builder *builder;
    lam_variant variant;
    char *text = NULL;
    *error = lam_error_none();
    cr_assert_eq(lam_json_parser_create(&trip->reading, NULL, &parser, error), LAM_STATUS_OK);
    cr_assert_eq(lam_variant_builder_create(NULL, NULL, &builder, error), LAM_STATUS_OK);
    lam_status status = lam_json_parser_read(parser, json, strlen(json), builder, error);
    if (status == LAM_STATUS_OK)
        status = lam_variant_builder_finish(builder, &variant, error);
    if (status == LAM_STATUS_OK) {
        cr_expect_eq(lam_variant_validate(variant, 0, error), LAM_STATUS_OK, "%s: %s", json,
                     error->message);
        text = print_variant(variant, trip->writing, trip->binary, error);
        cr_assert_not_null(text, "%s: %s", json, error->message);
    }
    lam_variant_builder_destroy(builder);
    lam_json_parser_destroy(parser);
    return text;
}

static inline void expect_trip(const char *json, const variant_trip *trip, const char *expected) {
    lam_error error;
    char *text = trip_variant(json, trip, &error);
    cr_assert_not_null(text, "%s: %s", json, error.message);
    cr_expect_str_eq(text, expected, "%s: %s", json, text);
    free(text);
}

static inline void expect_no_trip(const char *json, const variant_trip *trip, const char *message) {
    lam_error error;
    char *text = trip_variant(json, trip, &error);
    cr_expect_null(text, "%s: %s", json, text);
    cr_expect_eq(error.status, LAM_STATUS_INVALID, "%s", json);
    cr_expect_str_eq(error.message, message, "%s: %s", json, error.message);
    free(text);
}

#endif
