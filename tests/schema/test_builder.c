/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schemas built call by call: order, names, limits, and what only the lenient way for files takes.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "schema/tree.h"
#include "schema_texts.h"
#include "support/failing_alloc.h"

static lam_error error;

static lam_schema_builder *started(void) {
    lam_schema_builder *builder;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, &error), LAM_STATUS_OK);
    return builder;
}

static lam_status leaf(lam_schema_builder *builder, const char *name, lam_physical_type type) {
    return lam_schema_builder_add_leaf(builder, name, LAM_REPETITION_OPTIONAL, type, NULL, &error);
}

static lam_status group(lam_schema_builder *builder, const char *name) {
    return lam_schema_builder_begin_group(builder, name, LAM_REPETITION_OPTIONAL, NULL, &error);
}

/* Finishes; the schema must print as `text`. */
static void finishes_as(lam_schema_builder *builder, const char *text) {
    lam_schema *schema;
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, &error), LAM_STATUS_OK, "%s",
                 error.message);
    char *print = printed(schema);
    cr_assert_str_eq(print, text);
    free(print);
    lam_schema_destroy(schema);
}

Test(builder, fields_come_in_preorder_and_a_root_may_have_none) {
    lam_schema_builder *builder = started();
    cr_assert_eq(group(builder, "g"), LAM_STATUS_OK);
    cr_assert_eq(leaf(builder, "a", LAM_PHYSICAL_INT32), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_end_group(builder, &error), LAM_STATUS_OK);
    cr_assert_eq(leaf(builder, "a", LAM_PHYSICAL_INT64), LAM_STATUS_OK);
    finishes_as(builder, "message m {\n  optional group g {\n    optional int32 a;\n  }\n"
                         "  optional int64 a;\n}\n");
    /* The builder is empty again. */
    finishes_as(builder, "message m {\n}\n");
    cr_assert_eq(leaf(builder, "a", LAM_PHYSICAL_INT64), LAM_STATUS_OK);
    finishes_as(builder, "message m {\n  optional int64 a;\n}\n");
    lam_schema_builder_destroy(builder);
}

Test(builder, a_failure_leaves_the_builder_as_it_was) {
    lam_schema_builder *builder = started();
    lam_schema *schema = NULL;
    cr_assert_eq(group(builder, "g"), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_end_group(builder, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "group 'g' has no fields");
    cr_assert_eq(leaf(builder, "a", LAM_PHYSICAL_INT32), LAM_STATUS_OK);
    cr_assert_eq(leaf(builder, "a", LAM_PHYSICAL_INT64), LAM_STATUS_INVALID);
    cr_assert_eq(group(builder, "a"), LAM_STATUS_INVALID);
    cr_assert_eq(leaf(builder, NULL, LAM_PHYSICAL_INT64), LAM_STATUS_INVALID);
    cr_assert_eq(leaf(builder, "\xC3", LAM_PHYSICAL_INT64), LAM_STATUS_INVALID);
    cr_assert_eq(leaf(builder, "b", LAM_PHYSICAL_GROUP), LAM_STATUS_INVALID);
    cr_assert_eq(leaf(builder, "b", (lam_physical_type)-1), LAM_STATUS_INVALID);
    cr_assert_eq(leaf(builder, "b", (lam_physical_type)9), LAM_STATUS_INVALID);
    cr_assert_eq(leaf(builder, "b", LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY), LAM_STATUS_INVALID);
    cr_assert_eq(lam_schema_builder_add_leaf(builder, "b", (lam_repetition)3, LAM_PHYSICAL_INT32,
                                             NULL, &error),
                 LAM_STATUS_INVALID);
    cr_assert_eq(lam_schema_builder_add_leaf(builder, "b", (lam_repetition)-1, LAM_PHYSICAL_INT32,
                                             NULL, &error),
                 LAM_STATUS_INVALID);
    lam_field_options options;
    memset(&options, 0, sizeof options);
    options.type_length = 4;
    cr_assert_eq(lam_schema_builder_add_leaf(builder, "b", LAM_REPETITION_REQUIRED,
                                             LAM_PHYSICAL_INT32, &options, &error),
                 LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "field 'b' is int32, which takes no length");
    options.type_length = -1;
    cr_assert_eq(lam_schema_builder_add_leaf(builder, "b", LAM_REPETITION_REQUIRED,
                                             LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, &options, &error),
                 LAM_STATUS_INVALID);
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, &error), LAM_STATUS_STATE);
    cr_assert_str_eq(error.message, "group 'g' is still open");
    cr_assert_null(schema);
    cr_assert_eq(lam_schema_builder_end_group(builder, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_end_group(builder, &error), LAM_STATUS_STATE);
    cr_assert_eq(group(builder, "g"), LAM_STATUS_INVALID);
    finishes_as(builder, "message m {\n  optional group g {\n    optional int32 a;\n  }\n}\n");
    lam_schema_builder_destroy(builder);
}

Test(builder, a_message_needs_a_name_of_utf8) {
    lam_schema_builder *builder = NULL;
    lam_schema *schema = NULL;
    cr_assert_eq(lam_schema_builder_create(NULL, NULL, &builder, &error), LAM_STATUS_INVALID);
    cr_assert_null(builder);
    cr_assert_eq(lam_schema_builder_create("\xFF", NULL, &builder, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, &error), LAM_STATUS_INVALID);
    lam_schema_builder_set_lenient(builder);
    finishes_as(builder, "message \"\\xFF\" {\n}\n");
    lam_schema_builder_destroy(builder);
}

Test(builder, arguments_that_a_kind_does_not_have_are_dropped) {
    lam_schema_builder *builder = started();
    lam_field_options options;
    memset(&options, 0, sizeof options);
    options.logical_type.kind = LAM_LOGICAL_STRING;
    options.logical_type.precision = 5;
    options.logical_type.crs = "x";
    options.id = 9;
    cr_assert_eq(lam_schema_builder_add_leaf(builder, "a", LAM_REPETITION_REQUIRED,
                                             LAM_PHYSICAL_BYTE_ARRAY, &options, &error),
                 LAM_STATUS_OK);
    lam_schema *schema;
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, &error), LAM_STATUS_OK);
    lam_schema *plain = parsed("message m { required binary a (STRING); }");
    cr_assert(lam_schema_equals(schema, plain));
    lam_schema_destroy(plain);
    lam_schema_destroy(schema);
    lam_schema_builder_destroy(builder);
}

Test(builder, text_given_to_it_is_copied) {
    lam_schema_builder *builder = started();
    char name[] = "place", crs[] = "OGC:CRS84";
    lam_field_options options;
    memset(&options, 0, sizeof options);
    options.logical_type.kind = LAM_LOGICAL_GEOMETRY;
    options.logical_type.crs = crs;
    cr_assert_eq(lam_schema_builder_add_leaf(builder, name, LAM_REPETITION_REQUIRED,
                                             LAM_PHYSICAL_BYTE_ARRAY, &options, &error),
                 LAM_STATUS_OK);
    memset(name, 'x', sizeof name - 1);
    memset(crs, 'x', sizeof crs - 1);
    finishes_as(builder, "message m {\n  required binary place (GEOMETRY(OGC:CRS84));\n}\n");
    lam_schema_builder_destroy(builder);
}

Test(builder, a_lenient_one_takes_what_files_have) {
    lam_schema_builder *builder = started();
    lam_schema_builder_set_lenient(builder);
    lam_field_options options;
    memset(&options, 0, sizeof options);
    options.logical_type.kind = LAM_LOGICAL_DECIMAL;
    options.logical_type.precision = 10;
    options.type_length = 99;
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(lam_schema_builder_add_leaf(builder, "a", LAM_REPETITION_REQUIRED,
                                                 LAM_PHYSICAL_INT32, &options, &error),
                     LAM_STATUS_OK);
        cr_assert_eq(group(builder, "\xFF"), LAM_STATUS_OK);
        cr_assert_eq(lam_schema_builder_end_group(builder, &error), LAM_STATUS_OK);
    }
    options.type_length = 0;
    cr_assert_eq(lam_schema_builder_add_leaf(builder, "f", LAM_REPETITION_REQUIRED,
                                             LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, &options, &error),
                 LAM_STATUS_INVALID);
    finishes_as(builder, "message m {\n  required int32 a;\n  optional group \"\\xFF\" {\n  }\n"
                         "  required int32 a;\n  optional group \"\\xFF\" {\n  }\n}\n");
    lam_schema_builder_destroy(builder);
}

/* A type of numbers that does not fit may still be the order of the bounds: then it is not
 * known. */
Test(builder, a_lenient_one_knows_no_order_where_bytes_were_meant_as_numbers) {
    static const struct {
        lam_logical_type type;
        int32_t length;
    } misfits[] = {
        {{.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_NANOS}, 11},
        {{.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_NANOS}, 13},
        {{.kind = LAM_LOGICAL_DECIMAL, .precision = 10}, 4},
        {{.kind = LAM_LOGICAL_FLOAT16}, 4},
        {{.kind = LAM_LOGICAL_UUID}, 15}, /* has the order of bytes */
    };
    lam_schema_builder *builder = started();
    lam_schema_builder_set_lenient(builder);
    for (size_t i = 0; i < sizeof misfits / sizeof misfits[0]; i++) {
        lam_field_options options;
        memset(&options, 0, sizeof options);
        options.logical_type = misfits[i].type;
        options.type_length = misfits[i].length;
        cr_assert_eq(lam_schema_builder_add_leaf(builder, "a", LAM_REPETITION_REQUIRED,
                                                 LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, &options,
                                                 &error),
                     LAM_STATUS_OK);
    }
    finishes_as(builder, "message m {\n"
                         "  required fixed_len_byte_array(11) a (UNRECOGNIZED);\n"
                         "  required fixed_len_byte_array(13) a (UNRECOGNIZED);\n"
                         "  required fixed_len_byte_array(4) a (UNRECOGNIZED);\n"
                         "  required fixed_len_byte_array(4) a (UNRECOGNIZED);\n"
                         "  required fixed_len_byte_array(15) a;\n}\n");
    lam_schema_builder_destroy(builder);
}

/* parquet-format#592 */
Test(builder, only_a_lenient_one_takes_a_vector_which_adds_no_level) {
    lam_schema_builder *builder = started();
    cr_assert_eq(
        lam_schema_builder_begin_group(builder, "list", LAM_REPETITION_VECTOR, NULL, &error),
        LAM_STATUS_INVALID);
    cr_assert_eq(lam_schema_builder_begin_group(builder, "list", (lam_repetition)4, NULL, &error),
                 LAM_STATUS_INVALID);
    lam_schema_builder_set_lenient(builder);
    cr_assert_eq(
        lam_schema_builder_begin_group(builder, "list", LAM_REPETITION_VECTOR, NULL, &error),
        LAM_STATUS_OK);
    cr_assert_eq(leaf(builder, "element", LAM_PHYSICAL_FLOAT), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_end_group(builder, &error), LAM_STATUS_OK);
    cr_assert_eq(leaf(builder, "a", LAM_PHYSICAL_FLOAT), LAM_STATUS_OK);
    lam_schema *schema;
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, &error), LAM_STATUS_OK);
    const lam_field *element = lam_schema_leaf(schema, 0), *other = lam_schema_leaf(schema, 1);
    cr_assert(lam_is_in_vector(element));
    cr_assert(lam_is_in_vector(lam_field_parent(element)));
    cr_assert_not(lam_is_in_vector(other));
    cr_assert_not(lam_is_in_vector(lam_schema_root(schema)));
    cr_assert_eq(lam_field_max_definition(element), lam_field_max_definition(other));
    cr_assert_eq(lam_field_max_repetition(element), 0);
    char text[256];
    lam_schema_print(schema, text, sizeof text);
    cr_assert_not_null(strstr(text, "vector group list {"), "%s", text);
    lam_schema_destroy(schema);
    lam_schema_builder_destroy(builder);
}

Test(builder, one_level_too_deep_is_over_the_limit) {
    lam_schema_builder *builder = started();
    for (int i = 0; i < LAM_SCHEMA_DEPTH_MAX; i++)
        cr_assert_eq(group(builder, "g"), LAM_STATUS_OK);
    cr_assert_eq(leaf(builder, "a", LAM_PHYSICAL_INT32), LAM_STATUS_LIMIT);
    cr_assert_eq(group(builder, "g"), LAM_STATUS_LIMIT);
    lam_schema_builder_destroy(builder);
}

Test(builder, one_field_too_many_is_over_the_limit) {
    lam_schema_builder *builder = started();
    char name[24];
    for (int i = 1; i < LAM_SCHEMA_FIELDS_MAX; i++) {
        snprintf(name, sizeof name, "c%d", i);
        lam_status status = leaf(builder, name, LAM_PHYSICAL_INT32);
        if (status != LAM_STATUS_OK)
            cr_assert_fail("field %d: %s", i, error.message);
    }
    cr_assert_eq(leaf(builder, "x", LAM_PHYSICAL_INT32), LAM_STATUS_LIMIT);
    lam_schema *schema;
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_field_count(schema), LAM_SCHEMA_FIELDS_MAX);
    cr_assert_eq(lam_field_ordinal(lam_schema_find(schema, "c777777")), 777776);
    lam_schema_destroy(schema);
    lam_schema_builder_destroy(builder);
}

/* Builds, repeating each call that runs out of memory once; what fails has changed nothing. */
static void build_against(size_t fail_at, size_t *ret_requests) {
    lam_failing_alloc counter = {.fail_at = fail_at};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_schema_builder *builder = NULL;
    lam_schema *schema = NULL;
    unsigned failures = 0;
    lam_status status = lam_schema_builder_create("m", &allocator, &builder, &error);
    if (status != LAM_STATUS_OK) {
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_eq(counter.live_bytes, 0);
        failures++;
        cr_assert_eq(lam_schema_builder_create("m", &allocator, &builder, &error), LAM_STATUS_OK);
    }
    for (int i = 0; i < 300; i++) {
        char name[24];
        snprintf(name, sizeof name, "c%d", i);
        while ((status = leaf(builder, name, LAM_PHYSICAL_INT32)) != LAM_STATUS_OK) {
            cr_assert_eq(status, LAM_STATUS_NOMEM);
            failures++;
        }
    }
    while ((status = lam_schema_builder_finish(builder, &schema, &error)) != LAM_STATUS_OK) {
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_null(schema);
        failures++;
    }
    cr_assert_leq(failures, 1);
    cr_assert_eq(lam_schema_leaf_count(schema), 300);
    cr_assert_not_null(lam_schema_find(schema, "c299"));
    lam_schema_builder_destroy(builder);
    lam_schema_destroy(schema);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
    *ret_requests = counter.requests;
}

Test(builder, a_call_without_memory_may_be_made_again) {
    size_t requests;
    build_against(0, &requests);
    cr_assert_gt(requests, 10);
    for (size_t n = 1; n <= requests; n++) {
        size_t ignored;
        build_against(n, &ignored);
    }
}
