/* SPDX-License-Identifier: Apache-2.0 */
#include "inference_help.h"

Test(variant_paths, fields_beyond_the_limit_are_passed_over_and_counted) {
    lam_variant_inference_options options = lam_variant_inference_options_default();
    lam_schema *schema = schema_of(VARIANT_SCHEMA), *made;
    lam_variant_inference *inference;
    char text[256];
    options.max_paths = 4; /* the value, a, b, and the elements of b */
    cr_assert_eq(lam_variant_inference_create(schema, &options, NULL, &inference, NULL),
                 LAM_STATUS_OK);
    add_values(inference, schema,
               "{\"a\":1,\"b\":[1],\"c\":[2]}|{\"a\":1,\"d\":{\"e\":1}}|{\"a\":[1]}");
    cr_assert_eq(lam_variant_inference_schema(inference, &made, NULL), LAM_STATUS_OK);
    print_choice(inference, text, sizeof text);
    cr_expect_str_eq(text, ":object a:int32 b:array b[]:int32");
    cr_expect_eq(lam_variant_inference_passed_over(inference, field_of(schema, "v")), 3);
    cr_expect_eq(lam_variant_inference_passed_over(inference, NULL), 0);
    lam_schema_destroy(made);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(schema);
}

Test(variant_paths, a_thousand_names_are_found_again) {
    enum { NAMES = 1000 };
    lam_variant_inference_options options = lam_variant_inference_options_default();
    lam_schema *schema = schema_of(VARIANT_SCHEMA), *made;
    lam_variant_inference *inference;
    lam_variant_builder *builder;
    options.max_columns = 2 * NAMES;
    cr_assert_eq(lam_variant_inference_create(schema, &options, NULL, &inference, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_variant_builder_create(NULL, NULL, &builder, NULL), LAM_STATUS_OK);
    for (int round = 0; round < 3; round++) {
        lam_variant variant;
        cr_assert_eq(lam_variant_builder_begin_object(builder, NULL), LAM_STATUS_OK);
        for (int i = 0; i < NAMES; i++) {
            char name[16];
            size_t size = (size_t)snprintf(name, sizeof name, "n%d", i);
            cr_assert_eq(lam_variant_builder_field(builder, name, size, NULL), LAM_STATUS_OK);
            cr_assert_eq(lam_variant_builder_put_integer(builder, i, NULL), LAM_STATUS_OK);
        }
        cr_assert_eq(lam_variant_builder_end_object(builder, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_variant_builder_finish(builder, &variant, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_variant_inference_add(inference, field_of(schema, "v"), variant, NULL),
                     LAM_STATUS_OK);
    }
    cr_assert_eq(lam_variant_inference_schema(inference, &made, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_variant_inference_finding_count(inference), NAMES + 1);
    for (size_t i = 0; i <= NAMES; i++)
        cr_expect_eq(lam_variant_inference_finding(inference, i)->count, 3);
    cr_expect_eq(lam_schema_leaf_count(made), 2 + 2 * NAMES);
    lam_schema_destroy(made);
    lam_variant_builder_destroy(builder);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(schema);
}
