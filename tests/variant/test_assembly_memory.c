/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VARIANTs that are put together while each request for memory fails in turn: of values with so
 * many parts that lists grow at each kind of part.
 */
#include <lamella/projection.h>
#include <lamella/record.h>

#include "variant/shred/variant_construct.h"

#include "shred_trip.h"
#include "support/failing_alloc.h"
#include "support/record_text.h"
#include "variant/variant_help.h"

#define OK(call) cr_assert_eq((call), LAM_STATUS_OK, "%s", #call)

static const char NUMBER[] = "message m { optional group v (VARIANT) { required binary metadata;"
                             "optional binary value; optional int64 typed_value; } }";

/* Records as event_text.h has them; with a path only that part is put together. */
static lam_status assemble(const lam_schema *schema, const char *path, const char *events,
                           const lam_allocator *allocator, size_t *ret_count, lam_error *error) {
    kept_values kept = {0};
    lam_variant_sink next = kept_sink(&kept);
    lam_variant_assembler_options options = lam_variant_assembler_options_default();
    lam_variant_assembler *assembler = NULL;
    lam_projection *projection = NULL;
    if (path != NULL) {
        OK(lam_projection_create(schema, NULL, &projection, NULL));
        OK(lam_projection_add(projection, path, NULL));
        options.projection = projection;
    }
    lam_status status =
        lam_variant_assembler_create(schema, NULL, &options, &next, allocator, &assembler, error);
    if (status == LAM_STATUS_OK) {
        lam_record_sink sink = lam_variant_assembler_sink(assembler);
        status = lam_tell(schema, &sink, events, error);
    }
    for (size_t i = 0; i < kept.count; i++)
        cr_expect_eq(lam_variant_validate(kept.values[i], 0, NULL), LAM_STATUS_OK);
    *ret_count = kept.count;
    free_kept(&kept);
    lam_variant_assembler_destroy(assembler);
    lam_projection_destroy(projection);
    return status;
}

static void expect_clean_failures(const char *schema_text, const char *path, const char *events,
                                  size_t values) {
    lam_schema *schema = schema_of(schema_text);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_error error = lam_error_none();
        size_t count;
        status = assemble(schema, path, events, &allocator, &count, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%s", error.message);
        cr_assert_eq(error.status, status);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0, "request %zu", n);
        cr_assert(status == LAM_STATUS_NOMEM || count == values, "%zu values", count);
        cr_assert_lt(n, 1000);
    }
    lam_schema_destroy(schema);
}

Test(assembly_memory, a_null_for_what_is_missing) {
    expect_clean_failures(NUMBER, NULL, "{v: {metadata: x010000}}", 1);
}

/* {"b": [[], [], ...], "a": 6}, which is put in order part by part. */
Test(assembly_memory, arrays_in_an_object_that_is_out_of_order) {
    enum { ARRAYS = 20, BEHIND = 3 + ARRAYS + 3 * ARRAYS }; /* where a follows b */
    char events[512], hex[256];
    int at = snprintf(hex, sizeof hex, "0202000100%02X%02X03%02X", BEHIND, BEHIND + 2, ARRAYS);
    for (int i = 0; i <= ARRAYS; i++)
        at += snprintf(hex + at, sizeof hex - (size_t)at, "%02X", 3 * i);
    for (int i = 0; i < ARRAYS; i++)
        at += snprintf(hex + at, sizeof hex - (size_t)at, "030000");
    snprintf(hex + at, sizeof hex - (size_t)at, "0C06");
    snprintf(events, sizeof events, "{v: {metadata: x01020001026261, value: x%s}}", hex);
    expect_clean_failures(NUMBER, NULL, events, 1);
}

static const char *object_schema(int fields) {
    static char text[4096];
    snprintf(text, sizeof text,
             "message m { optional group v (VARIANT) { required binary metadata;"
             "optional binary value; optional group typed_value { ");
    for (int i = 0; i < fields; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "required group f%02d { optional int32 typed_value; } ", i);
    strcat(text, "}}}");
    return text;
}

Test(assembly_memory, names_of_many_fields_that_the_metadata_lacks) {
    char events[2048] = "{v: {metadata: x0100, typed_value: { ";
    for (int i = 0; i < 30; i++)
        snprintf(events + strlen(events), sizeof events - strlen(events),
                 "f%02d: {typed_value: 1}, ", i);
    strcat(events, "}}}");
    expect_clean_failures(object_schema(30), NULL, events, 1);
}

/* The first record adds a name, the second one all of the plan. */
Test(assembly_memory, names_that_are_added_for_the_second_time) {
    expect_clean_failures(object_schema(30), NULL,
                          "{v: {metadata: x0100, typed_value: {f00: {typed_value: 1}}}} "
                          "{v: {metadata: x0100, typed_value: {f01: {typed_value: 1}}}}",
                          2);
}

enum { DEPTH = 20 };

/* v.a.a.a ... */
static const char *deep_path(void) {
    static char path[2 * DEPTH + 2] = "v";
    if (path[1] == '\0')
        for (int i = 0; i < DEPTH; i++)
            strcat(path, ".a");
    return path;
}

Test(assembly_memory, a_part_deep_in_a_value) {
    char events[512], hex[256] = "";
    for (int i = 0; i < DEPTH; i++) /* 5 bytes for each object inside, and 2 of the number */
        snprintf(hex + strlen(hex), sizeof hex - strlen(hex), "02010000%02X",
                 5 * (DEPTH - 1 - i) + 2);
    strcat(hex, "0C06");
    snprintf(events, sizeof events, "{v: {metadata: x1101000161, value: x%s}}", hex);
    expect_clean_failures(NUMBER, deep_path(), events, 1);
}

Test(assembly_memory, a_part_deep_in_columns) {
    char schema[DEPTH * 80 + 200] =
        "message m { optional group v (VARIANT) { required binary metadata; ",
                             events[DEPTH * 30 + 100] = "{v: { ";
    for (int i = 0; i < DEPTH; i++) {
        strcat(schema, "optional group typed_value { required group a { ");
        strcat(events, "typed_value: {a: { ");
    }
    strcat(schema, "optional int32 typed_value; ");
    strcat(events, "typed_value: 1, ");
    for (int i = 0; i < DEPTH; i++) {
        strcat(schema, "}} ");
        strcat(events, "}}, ");
    }
    strcat(schema, "}}");
    strcat(events, "}}");
    expect_clean_failures(schema, deep_path(), events, 1);
}

/* With one request refused, of those behind the value itself. */
static lam_status check_unique(const lam_schema *schema, const char *value_hex,
                               lam_failing_alloc *counter, size_t fail_at, lam_error *error) {
    lam_allocator allocator = lam_failing_allocator(counter);
    lam_variant variant = hex_variant("11020001026162", value_hex), made;
    lam_variant_gather gather;
    OK(lam_variant_gather_init(&gather, field_of(schema, "v"), NULL, false, &allocator, NULL));
    OK(lam_variant_gather_begin(&gather, NULL));
    OK(lam_variant_gather_put(&gather, field_of(schema, "v.metadata"),
                              (lam_value){.bytes = variant.metadata}, NULL));
    OK(lam_variant_gather_put(&gather, field_of(schema, "v.value"),
                              (lam_value){.bytes = variant.value}, NULL));
    lam_status status = lam_variant_gather_end(&gather, &made, error);
    counter->fail_at = counter->requests + fail_at;
    if (status == LAM_STATUS_OK)
        status = lam_variant_check_unique(
            &gather, lam_variant_value_of(&gather, lam_variant_pair_at(&gather, 0)), error);
    lam_variant_gather_finish(&gather);
    free_variant(variant);
    return status;
}

Test(assembly_memory, whether_the_names_of_an_object_are_unique) {
    lam_schema *schema = schema_of(NUMBER);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {0};
        lam_error error = lam_error_none();
        status = check_unique(schema, "020200010002040C050C06", &counter, n, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%s", error.message);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
        cr_assert(status == LAM_STATUS_NOMEM || n > 1);
        cr_assert_lt(n, 100);
    }
    lam_schema_destroy(schema);
}
