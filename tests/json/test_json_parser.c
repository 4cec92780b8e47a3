/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public parser reads values of any size into one builder, and refuses options and texts that
 * are none.
 */
#include "variant_json.h"

Test(json_parser, one_parser_reads_many_values_into_one_builder) {
    lam_json_parser *parser;
    lam_variant_builder *builder;
    lam_variant variant;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_json_parser_create(NULL, NULL, &parser, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_variant_builder_create(NULL, NULL, &builder, NULL), LAM_STATUS_OK);
    for (unsigned round = 0; round < 3; round++) {
        cr_assert_eq(lam_variant_builder_begin_array(builder, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_json_parser_read(parser, "{\"a\":1}", 7, builder, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_json_parser_read(parser, " \"x\" ", 5, builder, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_variant_builder_end_array(builder, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_variant_builder_finish(builder, &variant, NULL), LAM_STATUS_OK);
        char *text = print_variant(variant, LAM_JSON_VARIANT_VALUE, LAM_JSON_BINARY_BASE64, &error);
        cr_expect_str_eq(text, "[{\"a\":1},\"x\"]");
        free(text);
        cr_expect_eq(lam_json_parser_read(parser, "[1,", 3, builder, &error), LAM_STATUS_INVALID);
        cr_expect_str_eq(error.message, "byte 3: the text ends inside a value");
        lam_variant_builder_clear(builder);
    }
    /* The builder refuses what has no place in it. */
    cr_assert_eq(lam_variant_builder_begin_object(builder, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_json_parser_read(parser, "1", 1, builder, NULL), LAM_STATUS_STATE);
    lam_variant_builder_destroy(builder);
    lam_json_parser_destroy(parser);
    lam_json_parser_destroy(NULL);
}

Test(json_parser, options_that_are_none_are_refused) {
    lam_json_parser_options options = lam_json_parser_options_default();
    lam_json_parser *parser;
    options.form = LAM_JSON_VARIANT_STORAGE;
    cr_expect_eq(lam_json_parser_create(&options, NULL, &parser, NULL), LAM_STATUS_INVALID);
    options = lam_json_parser_options_default();
    options.binary = (lam_json_binary)3;
    cr_expect_eq(lam_json_parser_create(&options, NULL, &parser, NULL), LAM_STATUS_INVALID);
    options = lam_json_parser_options_default();
    options.struct_size--;
    cr_expect_eq(lam_json_parser_create(&options, NULL, &parser, NULL), LAM_STATUS_INVALID);
}

/* The text is not looked at. */
Test(json_parser, text_of_four_gibibytes_is_refused) {
    lam_json_parser *parser;
    lam_variant_builder *builder;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_json_parser_create(NULL, NULL, &parser, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_variant_builder_create(NULL, NULL, &builder, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_json_parser_read(parser, "1", UINT32_MAX, builder, &error), LAM_STATUS_LIMIT);
    cr_expect_str_eq(error.message, "JSON text of 4294967295 bytes, which is 4 GiB or more");
    lam_variant_builder_destroy(builder);
    lam_json_parser_destroy(parser);
}
