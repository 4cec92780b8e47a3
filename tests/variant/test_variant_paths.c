/* SPDX-License-Identifier: Apache-2.0 */
/* The paths that a sample of VARIANTs has, with bounds on how many are kept. */
#include "variant/infer/variant_paths.h"

#include "inference_help.h"
#include "support/failing_alloc.h"

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
    cr_assert_eq(finding_count(inference), NAMES + 1);
    for (size_t i = 0; i <= NAMES; i++)
        cr_expect_eq(lam_variant_inference_finding(inference, i)->count, 3);
    cr_expect_eq(lam_schema_leaf_count(made), 2 + 2 * NAMES);
    lam_schema_destroy(made);
    lam_variant_builder_destroy(builder);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(schema);
}

/* --- Bytes that nobody validated -------------------------------------------------------------- */

static lam_status count_raw(const char *metadata, const char *value, const lam_allocator *allocator,
                            size_t *ret_paths, lam_error *error) {
    lam_variant_inference_options options = lam_variant_inference_options_default();
    lam_schema *schema = schema_of(VARIANT_SCHEMA);
    lam_variant variant = hex_variant(metadata, value);
    lam_variant_paths paths;
    options.max_depth = 64;
    options.max_paths = 1000;
    lam_status status =
        lam_variant_paths_init(&paths, field_of(schema, "v"), &options, allocator, error);
    if (status == LAM_STATUS_OK)
        status = lam_variant_paths_count(&paths, variant, error);
    *ret_paths = paths.list.count;
    lam_variant_paths_finish(&paths);
    free_variant(variant);
    lam_schema_destroy(schema);
    return status;
}

Test(variant_paths, what_does_not_hold_together_is_corrupt) {
    static const struct {
        const char *metadata, *value, *message;
    } cases[] = {
        {"01", "00", "variant: metadata that ends early"},
        {"010000", "03 02 00", "variant: a value ends early"},
        {"010000", "03 01 01 01 00", "variant: an offset outside of its object or array"},
        {"010000", "0C", "variant: a value ends early"},
    };
    lam_allocator allocator = lam_allocator_default();
    lam_error error = lam_error_none();
    size_t paths;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(count_raw(cases[i].metadata, cases[i].value, &allocator, &paths, &error),
                     LAM_STATUS_CORRUPT, "%zu", i);
        cr_expect_str_eq(error.message, cases[i].message, "%zu: %s", i, error.message);
    }
    /* A field without a name in the metadata has no path. */
    cr_expect_eq(count_raw("010000", "02 01 05 00 01 00", &allocator, &paths, NULL), LAM_STATUS_OK);
    cr_expect_eq(paths, 1);
}

/* Arrays in arrays: the paths grow at an element. */
Test(variant_paths, a_failing_allocation_leaves_nothing_behind) {
    enum { DEPTH = 40 };
    char value[DEPTH * 10 + 3] = "";
    for (unsigned i = 0; i < DEPTH; i++)
        snprintf(value + strlen(value), 11, "030100%02X", 4 * (DEPTH - 1 - i) + 1);
    strcat(value, "00");
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_error error = lam_error_none();
        size_t paths;
        status = count_raw("010000", value, &allocator, &paths, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%s", error.message);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
        cr_assert(status != LAM_STATUS_OK || paths == DEPTH + 1, "%zu", paths);
        cr_assert_lt(n, 1000);
    }
    lam_variant_paths none;
    memset(&none, 0, sizeof none);
    lam_variant_paths_finish(&none); /* which is not set up yet */
}

/* 2^127 - 1 has 39 digits, which no column has. */
Test(variant_paths, a_decimal_of_more_digits_than_there_are_has_no_type) {
    lam_variant_inference_options options = lam_variant_inference_options_default();
    lam_allocator allocator = lam_allocator_default();
    lam_schema *schema = schema_of(VARIANT_SCHEMA);
    lam_variant wide = hex_variant("010000", "28 00 FFFFFFFFFFFFFFFFFFFFFFFFFFFFFF7F");
    lam_variant_paths paths;
    options.max_depth = 1;
    options.max_paths = options.max_columns = 10;
    options.min_presence = options.min_uniformity = 0.5;
    cr_assert_eq(lam_variant_paths_init(&paths, field_of(schema, "v"), &options, &allocator, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_variant_paths_count(&paths, wide, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_variant_choose(&paths, 1, NULL), LAM_STATUS_OK);
    cr_expect_neq(paths.list.items[0].choice, LAM_VARIANT_SHREDDED);
    cr_expect_eq(paths.list.items[0].type.kind, LAM_VARIANT_UNKNOWN);
    lam_variant_paths_finish(&paths);
    free_variant(wide);
    lam_schema_destroy(schema);
}
