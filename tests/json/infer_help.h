/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of inference share: JSON to a schema as message text. */
#ifndef LAM_TESTS_INFER_HELP_H
#define LAM_TESTS_INFER_HELP_H

#include "json_help.h"

/* Infers from texts, one source each, and gives the schema as message text. */
static inline lam_status infer(const char *const *texts, size_t count,
                               const lam_json_inference_options *options,
                               const lam_allocator *allocator, char *printed, size_t capacity,
                               lam_error *error) {
    lam_json_inference *inference;
    lam_schema *schema;
    lam_status status = lam_json_inference_create(options, allocator, &inference, error);
    if (status != LAM_STATUS_OK)
        return status;
    for (size_t i = 0; i < count && status == LAM_STATUS_OK; i++) {
        lam_bytes left = {(const uint8_t *)texts[i], strlen(texts[i])};
        lam_json_source source = lam_json_source_memory(&left);
        status = lam_json_inference_add(inference, &source, error);
    }
    if (status == LAM_STATUS_OK)
        status = lam_json_inference_schema(inference, "m", &schema, error);
    if (status == LAM_STATUS_OK) {
        lam_schema_print(schema, printed, capacity);
        lam_schema_destroy(schema);
    }
    lam_json_inference_destroy(inference);
    return status;
}

static inline void squeeze(char *text) {
    char *out = text;
    for (bool space = true; *text != '\0'; text++) {
        bool now = *text == ' ' || *text == '\n';
        if (!now || !space)
            *out++ = now ? ' ' : *text;
        space = now;
    }
    *out = '\0';
}

static inline void expect_schema_with(const lam_json_inference_options *options, const char *text,
                                      const char *expected) {
    char printed[8192], wanted[8192];
    lam_error error = lam_error_none();
    cr_assert_eq(infer(&text, 1, options, NULL, printed, sizeof printed, &error), LAM_STATUS_OK,
                 "%s: %s", text, error.message);
    squeeze(printed);
    snprintf(wanted, sizeof wanted, "message m { %s} ", expected);
    cr_expect_str_eq(printed, wanted, "%s gave\n%s", text, printed);
}

static inline void expect_schema(const char *text, const char *expected) {
    expect_schema_with(NULL, text, expected);
}

#define VARIANT(name)                                                                              \
    "group " name " (VARIANT(1)) { required binary metadata; required binary value; }"

/* The field `a`, which has these values, separated by a bar, has this type. */
static inline void expect_field_with(const lam_json_inference_options *options, const char *values,
                                     const char *type) {
    char text[2048] = "", expected[512];
    const char *at = values;
    while (*at != '\0') {
        size_t size = strcspn(at, "|");
        snprintf(text + strlen(text), sizeof text - strlen(text), "{\"a\":%.*s}\n", (int)size, at);
        at += size + (at[size] == '|');
    }
    snprintf(expected, sizeof expected, "optional %s ", type);
    expect_schema_with(options, text, expected);
}

static inline void expect_field(const char *values, const char *type) {
    expect_field_with(NULL, values, type);
}

/* What is read with the inferred schema prints like this; NULL where it cannot be read. */
static inline char *copy_after_inference(const char *json,
                                         const lam_json_inference_options *options,
                                         lam_error *error) {
    lam_json_inference *inference;
    lam_schema *schema;
    lam_bytes left = {(const uint8_t *)json, strlen(json)};
    lam_json_source source = lam_json_source_memory(&left);
    cr_assert_eq(lam_json_inference_create(options, NULL, &inference, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_json_inference_add(inference, &source, error), LAM_STATUS_OK, "%s: %s", json,
                 error->message);
    cr_assert_eq(lam_json_inference_schema(inference, "m", &schema, error), LAM_STATUS_OK);
    char *copy = copy_json(schema, json, NULL, NULL, error);
    lam_json_inference_destroy(inference);
    lam_schema_destroy(schema);
    return copy;
}

#endif
