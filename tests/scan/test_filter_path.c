/* SPDX-License-Identifier: Apache-2.0 */
/* Which columns a path into a VARIANT leads through, and which parts it may name. */
#include <lamella/filter.h>

#include "scan/condition/filter_path.h"

#include "scan/path_help.h"

static const char EVENT[] =
    "message m { required int32 n; optional group l (LIST) { repeated group list {"
    "optional group event (VARIANT) { required binary metadata; optional binary value;"
    "optional group typed_value { required group items { optional binary value;"
    "optional group typed_value (LIST) { repeated group list { required group element {"
    "optional binary value; optional group typed_value { required group price {"
    "optional binary value; optional int64 typed_value; } } } } } }"
    "required group o { optional group typed_value { required group x {"
    "optional binary value; } } } } } } } }";

/*
 * The column path as the last names, each after its residual and the step it leads on from:
 * "a <value:1 b". After it, where the path ends.
 */
static void print_path(const lam_filter_path *asked, char *text, size_t room) {
    const lam_field *fields[LAM_SCHEMA_DEPTH_MAX + 1] = {NULL};
    size_t at = 0, next = 0;
    for (const lam_field *field = asked->end; field != NULL; field = lam_field_parent(field))
        fields[field->depth] = field;
    for (size_t i = 1; i <= asked->end->depth; i++) {
        const lam_filter_residual *residual = &asked->residuals[next];
        at += (size_t)snprintf(text + at, room - at, "%s ", lam_field_name(fields[i]));
        if (next < asked->residual_count && lam_field_parent(residual->value) == fields[i]) {
            at += (size_t)snprintf(text + at, room - at, "<%s:%zu ",
                                   lam_field_name(residual->value), residual->step);
            next++;
        }
        cr_assert_lt(at, room);
    }
    cr_assert_eq(next, asked->residual_count);
    snprintf(text + at, room - at, "%s%s%s", asked->ends_in_residual ? "| guard" : "| column",
             asked->has_leaf_test ? "" : ", no leaf test",
             asked->metadata == NULL ? "" : ", metadata");
}

static void expect_path(const lam_schema *schema, const char *condition, const char *expected,
                        const char *last_leaf) {
    lam_filter *filter = path_filter(schema, condition);
    const lam_filter_path *asked = filter->tests[0].path;
    char text[500], path[200];
    print_path(asked, text, sizeof text);
    cr_expect_str_eq(text, expected, "%s: %s", condition, text);
    (void)lam_field_path(asked->last_leaf, path, sizeof path);
    size_t size = strlen(path), wanted = strlen(last_leaf);
    cr_expect(size >= wanted && strcmp(path + size - wanted, last_leaf) == 0, "%s: %s", condition,
              path);
    lam_filter_destroy(filter);
}

Test(filter_path, a_chain_leads_to_the_last_column_of_a_path) {
    lam_schema *schema = path_schema(EVENT);
#define EVENT_PATH "l.list.event"
#define HEAD "l list event "
    expect_path(schema, EVENT_PATH " is missing", HEAD "| column", "event.metadata");
    expect_path(schema, EVENT_PATH " is null", HEAD "<value:0 typed_value | column", "items.value");
    expect_path(schema, EVENT_PATH " = 1", HEAD "<value:0 typed_value | column, no leaf test",
                "items.value");
    expect_path(schema, EVENT_PATH ".x = 1", HEAD "<value:0 | guard, metadata", "event.value");
    expect_path(schema, EVENT_PATH "[] = 1", HEAD "<value:0 | guard", "event.value");
    expect_path(schema, EVENT_PATH "[].a = 1", HEAD "<value:0 | guard, metadata", "event.value");
    expect_path(schema, EVENT_PATH ".items is null",
                HEAD "typed_value items <value:1 typed_value | column", "element.value");
    expect_path(schema, EVENT_PATH ".items = 1",
                HEAD "typed_value items <value:1 typed_value list element <value:1 typed_value "
                     "| column, no leaf test",
                "price.value");
    expect_path(schema, EVENT_PATH ".items[].price > 1",
                HEAD "typed_value items typed_value list element typed_value price "
                     "<value:3 typed_value | column",
                "price.typed_value");
    expect_path(schema, EVENT_PATH ".items[].price is null",
                HEAD "typed_value items typed_value list element typed_value price "
                     "<value:3 typed_value | column, no leaf test",
                "price.typed_value");
    expect_path(schema, EVENT_PATH ".items[].cost > 1",
                HEAD "typed_value items typed_value list element <value:2 | guard, metadata",
                "element.value");
    expect_path(schema, EVENT_PATH ".items.price > 1",
                HEAD "typed_value items <value:1 | guard, metadata", "items.value");
    expect_path(schema, EVENT_PATH ".o is null", HEAD "typed_value o typed_value | column",
                "x.value");
    expect_path(schema, EVENT_PATH ".o.x = 1", HEAD "typed_value o typed_value x <value:2 | guard",
                "x.value");
    expect_path(schema, EVENT_PATH ".o.y = 1", HEAD "typed_value o | guard, no leaf test",
                "x.value");
    expect_path(schema, EVENT_PATH ".o[] = 1", HEAD "typed_value o | guard, no leaf test",
                "x.value");
    lam_schema_destroy(schema);
}

Test(filter_path, only_variants_have_parts) {
    static const struct {
        const char *path;
        size_t steps;
        lam_status status;
        bool is_variant;
    } cases[] = {
        {"l.list.event", 0, LAM_STATUS_OK, true},
        {"l.list.event.a[].b", 3, LAM_STATUS_OK, true},
        {"l.list.event.value", 1, LAM_STATUS_OK, true},
        {"l.list", 0, LAM_STATUS_OK, false},
        {"n", 0, LAM_STATUS_OK, false},
        {"", 0, LAM_STATUS_OK, false},
        {NULL, 0, LAM_STATUS_NOT_FOUND, false},
        {"x.y", 0, LAM_STATUS_NOT_FOUND, false},
    };
    lam_schema *schema = path_schema(EVENT);
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_path_target found = {NULL, NULL, 0};
        const lam_field *field = NULL;
        lam_error error = lam_error_none();
        cr_expect_eq(lam_filter_path_target(schema, cases[i].path, &arena, &found, &field, &error),
                     cases[i].status, "case %zu", i);
        cr_expect_eq(found.step_count, cases[i].steps, "case %zu", i);
        cr_expect_eq(found.variant != NULL, cases[i].is_variant, "case %zu", i);
        cr_expect_eq(field != NULL, cases[i].status == LAM_STATUS_OK, "case %zu", i);
    }
    lam_arena_finish(&arena);
    lam_schema_destroy(schema);
}

Test(filter_path, a_path_has_fewer_names_than_values_have_levels) {
    char text[16 + 2 * LAM_VARIANT_DEPTH_MAX] = "l.list.event";
    lam_schema *schema = path_schema(EVENT);
    lam_filter_builder *builder;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_filter_builder_create(schema, NULL, &builder, NULL), LAM_STATUS_OK);
    for (int i = 0; i < LAM_VARIANT_DEPTH_MAX - 1; i++)
        strcat(text, i % 2 == 0 ? ".a" : "[]");
    cr_expect_eq(lam_filter_builder_is_null(builder, text, true, &error), LAM_STATUS_OK);
    strcat(text, ".a");
    cr_expect_eq(lam_filter_builder_is_null(builder, text, true, &error), LAM_STATUS_LIMIT);
    cr_expect_str_eq(error.message, "a path of more than 1023 names");
    lam_filter_builder_destroy(builder);
    lam_schema_destroy(schema);
}

Test(filter_path, a_value_equals_any_of_its_class_and_others_are_unknown) {
    static const char text[] = "message m { required group v (VARIANT) {"
                               "required binary metadata; required binary value; } }";
    static const struct {
        const char *condition;
        lam_variant_scalar scalar;
        uint8_t outcome;
    } cases[] = {
        {"v in (1, 3, 5, 7)", {LAM_VARIANT_INT64, {.integer = 5}}, LAM_OUTCOME_TRUE},
        {"v in (1, 3, 5, 7)", {LAM_VARIANT_INT64, {.integer = 7}}, LAM_OUTCOME_TRUE},
        {"v in (1, 3, 5, 7)", {LAM_VARIANT_INT64, {.integer = 6}}, LAM_OUTCOME_FALSE},
        {"v in (1, 3, 5, 7)", {LAM_VARIANT_DOUBLE, {.float64 = 1}}, LAM_OUTCOME_TRUE},
        {"v in (1, 3, 5, 7)", {LAM_VARIANT_BOOLEAN, {.boolean = true}}, LAM_OUTCOME_UNKNOWN},
        {"v <> 1", {LAM_VARIANT_DECIMAL4, {.decimal = {10, 0, 1}}}, LAM_OUTCOME_FALSE},
        {"v <> 1", {LAM_VARIANT_NULL, {0}}, LAM_OUTCOME_UNKNOWN},
        {"v = true", {LAM_VARIANT_BOOLEAN, {.boolean = false}}, LAM_OUTCOME_FALSE},
        {"v", {LAM_VARIANT_BOOLEAN, {.boolean = true}}, LAM_OUTCOME_TRUE},
        {"v < '1970-01-02'", {LAM_VARIANT_DATE, {.integer = 0}}, LAM_OUTCOME_TRUE},
        {"v < '1970-01-02'", {LAM_VARIANT_TIMESTAMP, {.integer = 0}}, LAM_OUTCOME_TRUE},
        {"v < '1970-01-02'", {LAM_VARIANT_TIME, {.integer = 0}}, LAM_OUTCOME_UNKNOWN},
        {"v = '1970-01-01T12:00:00'", {LAM_VARIANT_DATE, {.integer = 0}}, LAM_OUTCOME_FALSE},
        {"v < '1970-01-01T12:00:00'", {LAM_VARIANT_DATE, {.integer = 0}}, LAM_OUTCOME_TRUE},
        {"v between 1 and 5", {LAM_VARIANT_INT8, {.integer = 5}}, LAM_OUTCOME_TRUE},
        {"v between 1 and 5", {LAM_VARIANT_DOUBLE, {.float64 = 5.5}}, LAM_OUTCOME_FALSE},
        {"v between 1 and 5", {LAM_VARIANT_INT8, {.integer = 0}}, LAM_OUTCOME_FALSE},
        {"v between 1 and 'x'", {LAM_VARIANT_INT8, {.integer = 5}}, LAM_OUTCOME_UNKNOWN},
        {"v between '1969-12-31' and '1970-01-02'",
         {LAM_VARIANT_TIMESTAMP_NTZ, {.integer = 0}},
         LAM_OUTCOME_TRUE},
        {"v like '_9%'",
         {LAM_VARIANT_STRING, {.bytes = {(const uint8_t *)"1970", 4}}},
         LAM_OUTCOME_TRUE},
        {"v not like '2%'",
         {LAM_VARIANT_STRING, {.bytes = {(const uint8_t *)"1970", 4}}},
         LAM_OUTCOME_FALSE},
        {"v like '%'",
         {LAM_VARIANT_BINARY, {.bytes = {(const uint8_t *)"1970", 4}}},
         LAM_OUTCOME_UNKNOWN},
        {"starts_with(v, '19')",
         {LAM_VARIANT_STRING, {.bytes = {(const uint8_t *)"1970", 4}}},
         LAM_OUTCOME_TRUE},
        {"v ilike 'A%'",
         {LAM_VARIANT_STRING, {.bytes = {(const uint8_t *)"abc", 3}}},
         LAM_OUTCOME_TRUE},
        {"v < '1970-01-02'",
         {LAM_VARIANT_STRING, {.bytes = {(const uint8_t *)"1970", 4}}},
         LAM_OUTCOME_TRUE},
        {"v = '1970-01-02T00:00:00Z'",
         {LAM_VARIANT_TIMESTAMP_NTZ, {.integer = INT64_C(86400000000)}},
         LAM_OUTCOME_UNKNOWN},
        {"v = '1970-01-02T00:00:00Z'",
         {LAM_VARIANT_TIMESTAMP_NANOS, {.integer = INT64_C(86400000000000)}},
         LAM_OUTCOME_TRUE},
    };
    lam_schema *schema = path_schema(text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_filter *filter = path_filter(schema, cases[i].condition);
        cr_expect_eq(lam_filter_path_compare(filter->tests[0].path, &cases[i].scalar),
                     cases[i].outcome, "case %zu: %s", i, cases[i].condition);
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}
