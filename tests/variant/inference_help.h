/* SPDX-License-Identifier: Apache-2.0 */
/* What inference makes of values that are text (told_value.h). */
#ifndef LAM_TESTS_INFERENCE_HELP_H
#define LAM_TESTS_INFERENCE_HELP_H

#include <lamella/variant_inference.h>

#include "shred_trip.h"
#include "told_value.h"

#define VARIANT_SCHEMA                                                                             \
    "message m { optional group v (VARIANT(1)) { required binary metadata; required binary "       \
    "value; "                                                                                      \
    "} }"

/* Adds values that are separated by bars to the inference, for the group `v`. */
static inline void add_values(lam_variant_inference *inference, const lam_schema *schema,
                              const char *values) {
    lam_variant_builder *builder;
    char text[1024];
    cr_assert_eq(lam_variant_builder_create(NULL, NULL, &builder, NULL), LAM_STATUS_OK);
    while (*values != '\0') {
        size_t size = strcspn(values, "|");
        lam_variant variant;
        lam_error error = lam_error_none();
        cr_assert_lt(size, sizeof text);
        memcpy(text, values, size);
        text[size] = '\0';
        put_value(builder, text);
        cr_assert_eq(lam_variant_builder_finish(builder, &variant, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_variant_inference_add(inference, field_of(schema, "v"), variant, &error),
                     LAM_STATUS_OK, "%s", error.message);
        values += size + (values[size] == '|');
    }
    lam_variant_builder_destroy(builder);
}

static inline size_t finding_count(const lam_variant_inference *inference) {
    size_t count = 0;
    while (lam_variant_inference_finding(inference, count) != NULL)
        count++;
    return count;
}

/* What is chosen of values: "path:TYPE" for each path with a type, "path:value" for one alone. */
static inline void print_choice(const lam_variant_inference *inference, char *text, size_t room) {
    size_t at = 0;
    text[0] = '\0';
    const lam_variant_finding *finding;
    for (size_t i = 0; (finding = lam_variant_inference_finding(inference, i)) != NULL; i++) {
        if (finding->choice == LAM_VARIANT_NOT_SHREDDED)
            continue;
        at += (size_t)snprintf(text + at, room - at, "%s%s:%s", at == 0 ? "" : " ", finding->path,
                               finding->choice == LAM_VARIANT_SHREDDED ? finding->type : "value");
        cr_assert_lt(at, room);
    }
}

/* Checks what is chosen, and that the schema is one that can be written. */
static inline void expect_choice(const lam_variant_inference_options *options, const char *values,
                                 const char *expected) {
    char text[2048];
    lam_schema *schema = schema_of(VARIANT_SCHEMA), *made;
    lam_variant_inference *inference;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_variant_inference_create(schema, options, NULL, &inference, &error),
                 LAM_STATUS_OK, "%s", error.message);
    add_values(inference, schema, values);
    cr_assert_eq(lam_variant_inference_schema(inference, &made, &error), LAM_STATUS_OK, "%s",
                 error.message);
    print_choice(inference, text, sizeof text);
    cr_expect_str_eq(text, expected, "%s gave %s", values, text);
    cr_expect_eq(lam_variant_check_group(field_of(made, "v"), LAM_VARIANT_WRITE, &error),
                 LAM_STATUS_OK, "%s: %s", values, error.message);
    lam_schema_destroy(made);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(schema);
}

#endif
