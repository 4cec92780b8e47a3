/* SPDX-License-Identifier: Apache-2.0 */
/* Groups without fields, which only schemas of files have: nothing stores them, but they print. */
#include "json_help.h"
#include "schema/tree.h"
#include "json/write/json_levels.h"

/* Of e, a, b, f and r, all of e, f and r are groups without fields. */
static lam_schema *with_empty_groups(void) {
    static const struct {
        const char *name;
        lam_repetition repetition;
        bool is_group;
    } fields[] = {{"e", LAM_REPETITION_REQUIRED, true},
                  {"a", LAM_REPETITION_REQUIRED, false},
                  {"b", LAM_REPETITION_OPTIONAL, false},
                  {"f", LAM_REPETITION_OPTIONAL, true},
                  {"r", LAM_REPETITION_REPEATED, true}};
    lam_schema_builder *builder;
    lam_schema *schema;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    lam_schema_builder_set_lenient(builder);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].is_group) {
            cr_assert_eq(lam_schema_builder_begin_group(builder, fields[i].name,
                                                        fields[i].repetition, NULL, NULL),
                         LAM_STATUS_OK);
            cr_assert_eq(lam_schema_builder_end_group(builder, NULL), LAM_STATUS_OK);
        } else {
            cr_assert_eq(lam_schema_builder_add_leaf(builder, fields[i].name, fields[i].repetition,
                                                     LAM_PHYSICAL_INT32, NULL, NULL),
                         LAM_STATUS_OK);
        }
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    return schema;
}

static void expect_text(const char *json, const bool *leaves, const char *expected) {
    lam_schema *schema = with_empty_groups();
    lam_json_writer_options options = lam_json_writer_options_default();
    lam_error error;
    options.leaves = leaves;
    char *copy = copy_json(schema, json, NULL, &options, &error);
    cr_expect_str_eq(copy != NULL ? copy : error.message, expected, "%s", json);
    free(copy);
    lam_schema_destroy(schema);
}

Test(json_empty_group, one_that_no_event_comes_for_prints_as_its_repetition_says) {
    static const bool leaves[] = {true, true};
    expect_text("{\"a\":1}", NULL, "{\"e\":{},\"a\":1,\"b\":null,\"f\":null,\"r\":[]}\n");
    expect_text("{\"b\":2,\"a\":1}", NULL, "{\"e\":{},\"a\":1,\"b\":2,\"f\":null,\"r\":[]}\n");
    expect_text("{\"a\":1}", leaves, "{\"a\":1,\"b\":null}\n");
}

Test(json_empty_group, one_that_is_there_prints_as_it_was_read) {
    expect_text("{\"a\":1,\"e\":{},\"f\":{},\"r\":[{},{}]}", NULL,
                "{\"e\":{},\"a\":1,\"b\":null,\"f\":{},\"r\":[{},{}]}\n");
    expect_text("{\"f\":{},\"a\":1,\"e\":{}}", NULL,
                "{\"e\":{},\"a\":1,\"b\":null,\"f\":{},\"r\":[]}\n");
}

Test(json_empty_group, a_required_one_may_be_missing_but_no_leaf_beside_it) {
    expect_text("{\"e\":{}}", NULL, "line 1: a: required, but missing");
    expect_text("{\"a\":1,\"e\":null}", NULL, "line 1: e: required, but null");
    expect_text("{\"a\":1,\"e\":{\"x\":1}}", NULL, "line 1: e.x: the schema has no such field");
}

/* Its text does not follow from levels of leaves, as it has none. */
Test(json_empty_group, no_levels_tell_whether_it_is_there) {
    static const bool leaves[] = {true, true};
    lam_schema *schema = with_empty_groups();
    lam_allocator allocator = lam_allocator_default();
    for (int all = 0; all < 2; all++) {
        lam_json_shape shape;
        lam_arena arena;
        lam_json_levels *levels = NULL;
        lam_arena_init(&arena, &allocator, 1 << 20);
        cr_assert_eq(
            lam_json_shape_init(&shape, schema, all ? NULL : leaves, NULL, &allocator, NULL),
            LAM_STATUS_OK);
        cr_assert_eq(lam_json_levels_create(&shape, leaves, NULL, &arena, &levels, NULL),
                     LAM_STATUS_OK);
        cr_expect_eq(levels == NULL, all == 1);
        lam_arena_finish(&arena);
        lam_json_shape_finish(&shape);
    }
    lam_schema_destroy(schema);
}
