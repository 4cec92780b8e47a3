/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of VARIANTs are inferred from samples of records: options, bounds of the sample, and
 * memory.
 */
#include <lamella/record.h>

#include "inference_help.h"
#include "support/failing_alloc.h"

/* --- Options ---------------------------------------------------------------------------------- */

static void expect_refused(const lam_variant_inference_options *options, const char *message) {
    lam_schema *schema = schema_of(VARIANT_SCHEMA);
    lam_variant_inference *inference;
    lam_error error = lam_error_none();
    cr_expect_eq(lam_variant_inference_create(schema, options, NULL, &inference, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, message, "%s", error.message);
    lam_schema_destroy(schema);
}

Test(variant_infer, options_that_were_not_given_are_told_with_their_defaults) {
    lam_schema *schema = schema_of(VARIANT_SCHEMA);
    lam_variant_inference_options options = lam_variant_inference_options_default();
    lam_variant_inference *inference;
    options.max_depth = LAM_VARIANT_INFERENCE_DEPTH_MAX;
    options.min_uniformity = 0.75;
    cr_assert_eq(lam_variant_inference_create(schema, &options, NULL, &inference, NULL),
                 LAM_STATUS_OK);
    options = lam_variant_inference_options_default();
    cr_assert_eq(lam_variant_inference_chosen(inference, &options, NULL), LAM_STATUS_OK);
    cr_expect_eq(options.max_depth, 64);
    cr_expect_eq(options.min_uniformity, 0.75);
    cr_expect_eq(options.min_presence, 0.05);
    cr_expect_eq(options.max_columns, 500);
    cr_expect_eq(options.max_paths, 20000);
    cr_expect_eq(options.sample_records, 16384);
    cr_expect_eq(options.sample_bytes, 8 << 20);
    cr_expect_eq(options.memory_limit, 1 << 30);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(schema);
}

Test(variant_infer, options_out_of_range_are_refused) {
    static const lam_variant_inference_options good = {.struct_size =
                                                           sizeof(lam_variant_inference_options)};
    lam_variant_inference_options options = {0};
    expect_refused(
        &options,
        "lam_variant_inference_options: struct_size 0 is not the size of any version of it: start "
        "from lam_variant_inference_options_default() or "
        "lam_struct_init()");
    options = good;
    options.min_presence = 1.5;
    expect_refused(&options, "min_presence is 1.5, not a share above 0 and up to 1");
    options = good;
    options.min_uniformity = -0.1;
    expect_refused(&options, "min_uniformity is -0.1, not a share above 0 and up to 1");
    options.min_uniformity = 0.0 / 0.0;
    lam_schema *schema = schema_of(VARIANT_SCHEMA);
    lam_variant_inference *inference;
    cr_expect_eq(lam_variant_inference_create(schema, &options, NULL, &inference, NULL),
                 LAM_STATUS_INVALID);
    lam_schema_destroy(schema);
    options = good;
    options.max_depth = 65;
    expect_refused(&options, "a depth of 65 is above 64");
    options = good;
    options.max_columns = 10001;
    expect_refused(&options, "10001 columns are more than 10000");
    options = good;
    options.max_paths = 1000001;
    expect_refused(&options, "1000001 paths are more than 1000000");
    options = good;
    options.memory_limit = UINT64_MAX;
    expect_refused(&options, "a memory limit of 18446744073709551615 bytes");
    lam_variant_inference_destroy(NULL);
}

Test(variant_infer, a_group_that_holds_no_variant_is_refused) {
    lam_schema *schema = schema_of("message m { optional group v (VARIANT) { required binary x; "
                                   "required binary value; } }");
    lam_variant_inference *inference;
    lam_error error = lam_error_none();
    cr_expect_eq(lam_variant_inference_create(schema, NULL, NULL, &inference, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "v.x: a VARIANT has no such field here");
    lam_schema_destroy(schema);
}

/* --- The sample ------------------------------------------------------------------------------- */

static const char SEVERAL[] =
    "message m { required int32 n;"
    "  optional group s (VARIANT) { required binary metadata; optional binary value;"
    "    optional int64 typed_value; }"
    "  optional group v (VARIANT) { required binary metadata; required binary value; }"
    "  repeated group r { required group w (VARIANT(1)) = 7 { required binary value = 8;"
    "    required binary metadata; } } }";

static void tell_variant(const lam_record_sink *sink, const lam_schema *schema, const char *path,
                         const char *value) {
    lam_bytes bytes = hex_bytes(value);
    static const uint8_t metadata[] = {1, 0, 0};
    char name[64];
    cr_assert_eq(sink->open(sink->state, field_of(schema, path), NULL), LAM_STATUS_OK);
    snprintf(name, sizeof name, "%s.metadata", path);
    cr_assert_eq(sink->put(sink->state, field_of(schema, name),
                           (lam_value){.bytes = {metadata, sizeof metadata}}, NULL),
                 LAM_STATUS_OK);
    snprintf(name, sizeof name, "%s.value", path);
    cr_assert_eq(sink->put(sink->state, field_of(schema, name), (lam_value){.bytes = bytes}, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(sink->close(sink->state, field_of(schema, path), NULL), LAM_STATUS_OK);
    free((void *)(uintptr_t)bytes.data);
}

/* Records with an integer in `v` and two strings in `r.w`. */
static void tell_records(lam_variant_inference *inference, const lam_schema *schema, int count) {
    lam_record_sink sink = lam_variant_inference_sink(inference);
    for (int i = 0; i < count; i++) {
        cr_assert_eq(sink.begin(sink.state, NULL), LAM_STATUS_OK);
        cr_assert_eq(sink.put(sink.state, field_of(schema, "n"), (lam_value){.int32 = i}, NULL),
                     LAM_STATUS_OK);
        tell_variant(&sink, schema, "s", "0C05");
        tell_variant(&sink, schema, "v", "0C05");
        for (int k = 0; k < 2; k++) {
            cr_assert_eq(sink.open(sink.state, field_of(schema, "r"), NULL), LAM_STATUS_OK);
            tell_variant(&sink, schema, "r.w", "0578");
            cr_assert_eq(sink.close(sink.state, field_of(schema, "r"), NULL), LAM_STATUS_OK);
        }
        cr_assert_eq(sink.end(sink.state, NULL), LAM_STATUS_OK);
    }
}

Test(variant_infer, records_are_looked_at_by_their_groups) {
    lam_schema *schema = schema_of(SEVERAL), *made;
    lam_variant_inference *inference;
    char text[2048];
    cr_assert_eq(lam_variant_inference_create(schema, NULL, NULL, &inference, NULL), LAM_STATUS_OK);
    tell_records(inference, schema, 3);
    cr_assert_eq(lam_variant_inference_schema(inference, &made, NULL), LAM_STATUS_OK);
    lam_schema_print(made, text, sizeof text);
    cr_expect_str_eq(text,
                     "message m {\n"
                     "  required int32 n;\n"
                     "  optional group s (VARIANT) {\n"
                     "    required binary metadata;\n"
                     "    optional binary value;\n"
                     "    optional int64 typed_value;\n"
                     "  }\n"
                     "  optional group v (VARIANT) {\n"
                     "    required binary metadata;\n"
                     "    optional binary value;\n"
                     "    optional int32 typed_value;\n"
                     "  }\n"
                     "  repeated group r {\n"
                     "    required group w (VARIANT(1)) = 7 {\n"
                     "      optional binary value = 8;\n"
                     "      required binary metadata;\n"
                     "      optional binary typed_value (STRING);\n"
                     "    }\n"
                     "  }\n"
                     "}\n",
                     "%s", text);
    lam_schema_destroy(made);
    cr_assert_eq(finding_count(inference), 2);
    cr_expect_eq(lam_variant_inference_finding(inference, 0)->values, 3);
    cr_expect_eq(lam_variant_inference_finding(inference, 1)->values, 6);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(schema);
}

Test(variant_infer, the_sample_ends_with_its_records) {
    lam_variant_inference_options options = lam_variant_inference_options_default();
    lam_schema *schema = schema_of(SEVERAL), *made;
    lam_variant_inference *inference;
    options.sample_records = 2;
    cr_assert_eq(lam_variant_inference_create(schema, &options, NULL, &inference, NULL),
                 LAM_STATUS_OK);
    tell_records(inference, schema, 1);
    cr_expect_not(lam_variant_inference_is_full(inference));
    tell_records(inference, schema, 5);
    cr_expect(lam_variant_inference_is_full(inference));
    cr_assert_eq(lam_variant_inference_schema(inference, &made, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_variant_inference_finding(inference, 0)->values, 2);
    lam_schema_destroy(made);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(schema);
}

Test(variant_infer, the_sample_ends_with_its_bytes) {
    lam_variant_inference_options options = lam_variant_inference_options_default();
    lam_schema *schema = schema_of(VARIANT_SCHEMA), *made;
    lam_variant_inference *inference;
    options.sample_bytes = 5;
    cr_assert_eq(lam_variant_inference_create(schema, &options, NULL, &inference, NULL),
                 LAM_STATUS_OK);
    add_values(inference, schema, "1|2");
    cr_expect_not(lam_variant_inference_is_full(inference));
    add_values(inference, schema, "3|\"x\"|\"y\"");
    cr_expect(lam_variant_inference_is_full(inference));
    cr_assert_eq(lam_variant_inference_schema(inference, &made, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_variant_inference_finding(inference, 0)->values, 3);
    lam_schema_destroy(made);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(schema);
}

Test(variant_infer, values_that_are_not_well_formed_are_refused) {
    lam_schema *schema = schema_of(VARIANT_SCHEMA);
    lam_variant_inference *inference;
    lam_variant bad = hex_variant("010000", "03 02 00 00 01 00");
    cr_assert_eq(lam_variant_inference_create(schema, NULL, NULL, &inference, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_variant_inference_add(inference, field_of(schema, "v"), bad, NULL),
                 LAM_STATUS_CORRUPT);
    /* What is no group of a VARIANT is nobody's concern. */
    cr_expect_eq(lam_variant_inference_add(inference, field_of(schema, ""), bad, NULL),
                 LAM_STATUS_OK);
    cr_expect_eq(lam_variant_inference_add(inference, NULL, bad, NULL), LAM_STATUS_OK);
    free_variant(bad);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(schema);
}

Test(variant_infer, nothing_is_known_of_another_schema) {
    lam_schema *schema = schema_of(VARIANT_SCHEMA), *other = schema_of(VARIANT_SCHEMA);
    lam_variant_inference *inference = NULL;
    lam_variant bad = hex_variant("010000", "0C");
    lam_error error = lam_error_none();
    cr_expect_eq(lam_variant_inference_create(NULL, NULL, NULL, &inference, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "no schema (NULL)");
    cr_assert_eq(lam_variant_inference_create(schema, NULL, NULL, &inference, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_variant_inference_add(inference, field_of(other, "v"), bad, NULL),
                 LAM_STATUS_OK);
    cr_expect_eq(lam_variant_inference_passed_over(inference, field_of(other, "v")), 0);
    free_variant(bad);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(other);
    lam_schema_destroy(schema);
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Records of two VARIANTs, with more paths than the tables begin with. */
static lam_status tell_wide_records(const lam_schema *schema, const lam_record_sink *sink) {
    static uint8_t metadata[1 + 2 + 2 * 101 + 200], value[2 + 100 + 101 + 200];
    const lam_value one = {.bytes = {metadata, sizeof metadata}};
    const lam_value other = {.bytes = {value, sizeof value}};
    metadata[0] = 0x51; /* sorted, offsets of two bytes */
    metadata[1] = 100;
    value[0] = 0x02;
    value[1] = 100;
    for (size_t i = 0; i <= 100; i++) {
        metadata[3 + 2 * i] = (uint8_t)(2 * i);
        value[102 + i] = (uint8_t)(2 * i);
        if (i == 100)
            break;
        memcpy(metadata + 205 + 2 * i, (const char[]){(char)('0' + i / 10), (char)('0' + i % 10)},
               2);
        value[2 + i] = (uint8_t)i;
        value[203 + 2 * i] = 0x0C;
    }
    lam_status status = LAM_STATUS_OK;
    for (int record = 0; record < 3 && status == LAM_STATUS_OK; record++) {
        status = sink->begin(sink->state, NULL);
        for (int k = 0; k < 2 && status == LAM_STATUS_OK; k++) {
            const lam_field *group = field_of(schema, k == 0 ? "v" : "w");
            status = sink->open(sink->state, group, NULL);
            if (status == LAM_STATUS_OK)
                status =
                    sink->put(sink->state, lam_field_child_named(group, "metadata", 8), one, NULL);
            if (status == LAM_STATUS_OK)
                status =
                    sink->put(sink->state, lam_field_child_named(group, "value", 5), other, NULL);
            if (status == LAM_STATUS_OK)
                status = sink->close(sink->state, group, NULL);
        }
        if (status == LAM_STATUS_OK)
            status = sink->end(sink->state, NULL);
    }
    return status;
}

static lam_status infer_something(const lam_schema *schema, const lam_allocator *allocator) {
    lam_variant_inference_options options = lam_variant_inference_options_default();
    lam_variant_inference *inference = NULL;
    lam_schema *made = NULL;
    /* {"a": [1.5], "bb": "x"} */
    lam_variant variant = hex_variant("11 02 00 01 03 61 6262",
                                      "02 02 00 01 00 0A 0C 03 01 00 06 2001 0F000000 0578");
    options.decimals_as_doubles = true;
    lam_status status = lam_variant_inference_create(schema, &options, allocator, &inference, NULL);
    for (int i = 0; i < 2 && status == LAM_STATUS_OK; i++)
        status = lam_variant_inference_add(inference, field_of(schema, "v"), variant, NULL);
    if (status == LAM_STATUS_OK) {
        lam_record_sink sink = lam_variant_inference_sink(inference);
        status = tell_wide_records(schema, &sink);
    }
    if (status == LAM_STATUS_OK) {
        status = lam_variant_inference_schema(inference, &made, NULL);
        /* It may be called again, also when there was no memory. */
        lam_schema *again = NULL;
        lam_status second = lam_variant_inference_schema(inference, &again, NULL);
        cr_assert(second == LAM_STATUS_OK || status == LAM_STATUS_OK);
        if (second == LAM_STATUS_OK)
            cr_expect_eq(lam_schema_leaf_count(again), 409);
        lam_schema_destroy(again);
        status = status == LAM_STATUS_OK ? second : status;
    }
    if (status == LAM_STATUS_OK)
        cr_expect_eq(lam_schema_leaf_count(made), 409, "%zu", lam_schema_leaf_count(made));
    lam_schema_destroy(made);
    lam_variant_inference_destroy(inference);
    free_variant(variant);
    return status;
}

/* Objects of one field, of another name each. */
static lam_status add_names(lam_variant_inference *inference, const lam_schema *schema,
                            lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    for (int i = 0; i < 2000 && status == LAM_STATUS_OK; i++) {
        char object[32];
        lam_variant variant;
        lam_variant_builder *builder;
        snprintf(object, sizeof object, "{'name %d': null}", i);
        cr_assert_eq(lam_variant_builder_create(NULL, NULL, &builder, NULL), LAM_STATUS_OK);
        put_value(builder, object);
        cr_assert_eq(lam_variant_builder_finish(builder, &variant, NULL), LAM_STATUS_OK);
        status = lam_variant_inference_add(inference, field_of(schema, "v"), variant, error);
        lam_variant_builder_destroy(builder);
    }
    return status;
}

Test(variant_infer, inference_keeps_its_memory_limit) {
    lam_schema *schema = schema_of(VARIANT_SCHEMA);
    for (uint64_t limit = 100000; limit <= 25600000; limit *= 256) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_variant_inference_options options = lam_variant_inference_options_default();
        lam_variant_inference *inference;
        lam_schema *made = NULL;
        lam_error error = lam_error_none();
        options.memory_limit = limit;
        cr_assert_eq(lam_variant_inference_create(schema, &options, &allocator, &inference, NULL),
                     LAM_STATUS_OK);
        lam_status status = add_names(inference, schema, &error);
        cr_expect_leq(counter.peak_bytes, limit + 4096);
        cr_expect_eq(status, limit < 1000000 ? LAM_STATUS_LIMIT : LAM_STATUS_OK);
        cr_expect(status == LAM_STATUS_OK || strstr(error.message, "(option memory_limit)") != NULL,
                  "%s", error.message);
        if (status == LAM_STATUS_OK)
            cr_expect_eq(lam_variant_inference_schema(inference, &made, NULL), LAM_STATUS_OK);
        lam_variant_inference_destroy(inference);
        lam_schema_destroy(made); /* which outlives the budget */
        cr_expect_eq(counter.live_bytes, 0);
    }
    lam_schema_destroy(schema);
}

Test(variant_infer, a_failing_allocation_leaves_nothing_behind) {
    lam_schema *schema = schema_of(
        "message m { required group v (VARIANT) { required binary metadata; required binary value; "
        "} required group w (VARIANT) { required binary metadata; required binary value; } }");
    lam_status status = LAM_STATUS_NOMEM;
    size_t n = 1;
    for (; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        status = infer_something(schema, &allocator);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "request %zu: %d", n,
                  (int)status);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0, "request %zu", n);
        cr_assert_lt(n, 10000);
    }
    cr_expect_gt(n, 10);
    lam_schema_destroy(schema);
}
