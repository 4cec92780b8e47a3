/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types that are inferred are those of VariantShredding.md, and random values come back from
 * them.
 */
#include <lamella/dremel.h>

#include "inference_help.h"
#include "variant/random_variant.h"

#define OK(call) cr_assert_eq((call), LAM_STATUS_OK, "%s", #call)

/* --- The table of "Shredded Value Types" ------------------------------------------------------ */

static void expect_type(const char *values, const char *type) {
    lam_variant_inference_options options = lam_variant_inference_options_default();
    lam_schema *schema = schema_of(VARIANT_SCHEMA), *made;
    lam_variant_inference *inference;
    char text[512], wanted[512];
    options.narrow_integers = true;
    OK(lam_variant_inference_create(schema, &options, NULL, &inference, NULL));
    add_values(inference, schema, values);
    OK(lam_variant_inference_schema(inference, &made, NULL));
    lam_schema_print(made, text, sizeof text);
    snprintf(wanted, sizeof wanted,
             "message m {\n  optional group v (VARIANT(1)) {\n    required binary metadata;\n"
             "    optional binary value;\n    optional %s%s\n  }\n}\n",
             type, type[strlen(type) - 1] == '}' ? "" : ";");
    cr_expect_str_eq(text, wanted, "%s", text);
    lam_schema_destroy(made);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(schema);
}

Test(variant_infer_schema, types_are_those_of_the_specification) {
    expect_type("true", "boolean typed_value");
    expect_type("1", "int32 typed_value (INTEGER(8,true))");
    expect_type("300", "int32 typed_value (INTEGER(16,true))");
    expect_type("70000", "int32 typed_value");
    expect_type("5000000000", "int64 typed_value");
    expect_type("\"~float\"", "float typed_value");
    expect_type("0.5", "double typed_value");
    expect_type("\"~1.5\"", "int32 typed_value (DECIMAL(9,1))");
    expect_type("\"~1234567890.5\"", "int64 typed_value (DECIMAL(18,1))");
    expect_type("\"~0.0000000000000000005\"",
                "fixed_len_byte_array(16) typed_value (DECIMAL(38,19))");
    expect_type("\"~date\"", "int32 typed_value (DATE)");
    expect_type("\"~time\"", "int64 typed_value (TIME(MICROS,false))");
    expect_type("\"~timestamp\"", "int64 typed_value (TIMESTAMP(MICROS,true))");
    expect_type("\"~timestamp_nanos\"", "int64 typed_value (TIMESTAMP(NANOS,true))");
    expect_type("\"~timestamp_ntz\"", "int64 typed_value (TIMESTAMP(MICROS,false))");
    expect_type("\"~timestamp_ntz_nanos\"", "int64 typed_value (TIMESTAMP(NANOS,false))");
    expect_type("\"~binary\"", "binary typed_value");
    expect_type("\"x\"", "binary typed_value (STRING)");
    expect_type("\"~uuid\"", "fixed_len_byte_array(16) typed_value (UUID)");
    expect_type("[true]", "group typed_value (LIST) {\n"
                          "      repeated group list {\n"
                          "        required group element {\n"
                          "          optional binary value;\n"
                          "          optional boolean typed_value;\n"
                          "        }\n"
                          "      }\n"
                          "    }");
}

/* --- Random values ---------------------------------------------------------------------------- */

/* Infers from values, and shreds them and others as it says: each comes back. */
static void make_trip(uint64_t seed, size_t *ret_typed) {
    enum { SAMPLED = 6, WRITTEN = 12 };
    lam_random random = lam_random_start(seed);
    lam_variant_inference_options options = lam_variant_inference_options_default();
    lam_schema *schema = schema_of(VARIANT_SCHEMA), *made;
    lam_variant_inference *inference;
    lam_variant_builder *builder;
    lam_variant_shredder *shredder;
    lam_shredder *columns;
    lam_record_checker *checker;
    lam_shredding_judge judge;
    lam_variant originals[WRITTEN];
    lam_error error = lam_error_none();
    options.min_presence = (double)(1 + lam_random_below(&random, 30)) / 100;
    options.min_uniformity = (double)(1 + lam_random_below(&random, 40)) / 100;
    options.max_depth = 1 + (uint32_t)lam_random_below(&random, 20);
    options.max_columns = 1 + (uint32_t)lam_random_below(&random, 60);
    options.narrow_integers = lam_random_chance(&random, 50);
    options.decimals_as_doubles = lam_random_chance(&random, 50);
    OK(lam_variant_builder_create(NULL, NULL, &builder, NULL));
    OK(lam_variant_inference_create(schema, &options, NULL, &inference, NULL));
    for (size_t i = 0; i < WRITTEN; i++) {
        lam_variant variant;
        lam_random_variant(&random, builder, 1 + (unsigned)lam_random_below(&random, 60));
        OK(lam_variant_builder_finish(builder, &variant, NULL));
        originals[i] = keep_variant(variant);
        if (i < SAMPLED)
            OK(lam_variant_inference_add(inference, field_of(schema, "v"), variant, NULL));
    }
    cr_assert_eq(lam_variant_inference_schema(inference, &made, &error), LAM_STATUS_OK,
                 "seed %llu: %s", (unsigned long long)seed, error.message);
    cr_assert_leq(lam_schema_leaf_count(made), 2 + options.max_columns, "seed %llu",
                  (unsigned long long)seed);
    OK(lam_shredder_create(made, NULL, &columns, NULL));
    OK(lam_variant_shredder_create(field_of(made, "v"), NULL, NULL, &shredder, NULL));
    lam_record_sink next = lam_shredder_sink(columns);
    OK(lam_record_checker_create(made, &next, NULL, &checker, NULL));
    next = lam_record_checker_sink(checker);
    lam_shredding_judge_init(&judge, &next);
    lam_record_sink sink = lam_shredding_judge_sink(&judge);
    for (size_t i = 0; i < WRITTEN; i++) {
        OK(sink.begin(sink.state, NULL));
        cr_assert_eq(lam_variant_shredder_write(shredder, originals[i], &sink, &error),
                     LAM_STATUS_OK, "seed %llu: %s", (unsigned long long)seed, error.message);
        OK(sink.end(sink.state, NULL));
    }
    cr_assert_null(judge.verdict, "seed %llu: %s", (unsigned long long)seed, judge.verdict);
    kept_values kept = {0};
    cr_assert_eq(assemble_values(made, columns, false, &kept, &error), LAM_STATUS_OK,
                 "seed %llu: %s", (unsigned long long)seed, error.message);
    cr_assert_eq(kept.count, WRITTEN);
    for (size_t i = 0; i < WRITTEN; i++) {
        cr_assert(lam_variant_equals(kept.values[i], originals[i]), "seed %llu: value %zu",
                  (unsigned long long)seed, i);
        free_variant(originals[i]);
    }
    *ret_typed += !lam_schema_equals(made, schema);
    free_kept(&kept);
    lam_shredding_judge_finish(&judge);
    lam_record_checker_destroy(checker);
    lam_variant_shredder_destroy(shredder);
    lam_shredder_destroy(columns);
    lam_schema_destroy(made);
    lam_variant_inference_destroy(inference);
    lam_variant_builder_destroy(builder);
    lam_schema_destroy(schema);
}

Test(variant_infer_schema, random_values_come_back_from_what_is_inferred, .timeout = 240) {
    uint64_t seed = lam_test_seed(20261122);
    size_t typed = 0;
    for (uint64_t i = 0; i < 2000; i++)
        make_trip(seed + i, &typed);
    cr_expect_gt(typed, 500);
}
