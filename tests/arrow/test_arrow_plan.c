/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of a schema: which arrays there are and at which levels. It is compared with drawings,
 * with the shared cases and with random schemas.
 */
#include "arrow/array/arrow_plan.h"

#include <criterion/criterion.h>

#include "arrow/schema/arrow_original.h"
#include "arrow_text.h"
#include "random_fields.h"
#include "schema/schema_texts.h"
#include "support/shared.h"

/* The nodes of reading a message; free() it. */
static char *nodes_of_message(const char *message, const bool *leaves) {
    arrow_file file = file_of(message, NULL);
    lam_arrow_plan plan;
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.leaves = leaves;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, &options, NULL, &error), LAM_STATUS_OK,
                 "%s", error.message);
    char *nodes = nodes_of(&plan);
    lam_arrow_plan_finish(&plan);
    close_file(&file);
    return nodes;
}

static void has_nodes(const char *message, const char *expected) {
    char *nodes = nodes_of_message(message, NULL);
    cr_assert_str_eq(nodes, expected, "%s\ngave\n%sexpected\n%s", message, nodes, expected);
    free(nodes);
}

/* --- Levels by hand --------------------------------------------------------------------------- */

Test(arrow_plan, the_drawing_at_its_head_is_what_comes_out) {
    has_nodes("message m { optional group a (LIST) { repeated group list { optional group element {"
              " required int32 x; optional binary y; } } } }",
              "a LIST slot 0/0 present 1 element 2 leaves 0+2\n"
              "a.element STRUCT slot 2/1 present 3 leaves 0+2\n"
              "a.element.x VALUE slot 2/1 present 3 leaves 0+1\n"
              "a.element.y VALUE slot 2/1 present 4 leaves 1+1\n");
}

Test(arrow_plan, lists_of_two_levels) {
    has_nodes("optional group a (LIST) { repeated int32 array; }",
              "a LIST slot 0/0 present 1 element 2 leaves 0+1\n"
              "a.array VALUE slot 2/1 present 2! leaves 0+1\n");
    has_nodes("required group a (LIST) { repeated group a_tuple { optional int32 x; } }",
              "a LIST slot 0/0 present 0! element 1 leaves 0+1\n"
              "a.a_tuple STRUCT slot 1/1 present 1! leaves 0+1\n"
              "a.a_tuple.x VALUE slot 1/1 present 2 leaves 0+1\n");
    has_nodes("optional group a (LIST) { repeated group array (LIST) { repeated group array { "
              "required int32 x; required int32 y; } } }",
              "a LIST slot 0/0 present 1 element 2 leaves 0+2\n"
              "a.array LIST slot 2/1 present 2! element 3 leaves 0+2\n"
              "a.array.array STRUCT slot 3/2 present 3! leaves 0+2\n"
              "a.array.array.x VALUE slot 3/2 present 3! leaves 0+1\n"
              "a.array.array.y VALUE slot 3/2 present 3! leaves 1+1\n");
}

Test(arrow_plan, maps) {
    has_nodes(
        "optional group m (MAP) { repeated group key_value { required binary key (STRING); "
        "optional group value (MAP) { repeated group kv { required int32 k; required int32 v; "
        "} } } }",
        "m LIST slot 0/0 present 1 element 2 leaves 0+3\n"
        "m.key_value STRUCT slot 2/1 present 2! leaves 0+3\n"
        "m.key_value.key VALUE slot 2/1 present 2! leaves 0+1\n"
        "m.key_value.value LIST slot 2/1 present 3 element 4 leaves 1+2\n"
        "m.key_value.value.kv STRUCT slot 4/2 present 4! leaves 1+2\n"
        "m.key_value.value.kv.k VALUE slot 4/2 present 4! leaves 1+1\n"
        "m.key_value.value.kv.v VALUE slot 4/2 present 4! leaves 2+1\n");
}

Test(arrow_plan, repeated_fields_in_their_place) {
    has_nodes("optional group s { repeated int32 x; repeated group g { optional int32 y; } }",
              "s STRUCT slot 0/0 present 1 leaves 0+2\n"
              "s.x LIST slot 0/0 present 1 element 2 leaves 0+1\n"
              "s.x.x VALUE slot 2/1 present 2! leaves 0+1\n"
              "s.g LIST slot 0/0 present 1 element 2 leaves 1+1\n"
              "s.g.g STRUCT slot 2/1 present 2! leaves 1+1\n"
              "s.g.g.y VALUE slot 2/1 present 3 leaves 1+1\n");
}

Test(arrow_plan, leaves_are_numbered_among_those_projected) {
    const bool leaves[] = {false, true, false, true, true};
    char *nodes = nodes_of_message(
        "message m { required int32 a; optional group s { required int32 b; required int32 c; "
        "required int32 d; } required int32 e; }",
        leaves);
    cr_assert_str_eq(nodes, "s STRUCT slot 0/0 present 1 leaves 0+2\n"
                            "s.b VALUE slot 0/0 present 1 leaves 0+1\n"
                            "s.d VALUE slot 0/0 present 1 leaves 1+1\n"
                            "e VALUE slot 0/0 present 0! leaves 2+1\n");
    free(nodes);
}

/* --- Levels of the shared cases --------------------------------------------------------------- */

/* The schema text among the members of a case. */
static char *case_schema(const char *path) {
    size_t size;
    char *text = lam_test_read_file(path, &size);
    cr_assert_not_null(text, "%s", path);
    char *from = strstr(text, "\"schema\": \"") + strlen("\"schema\": \"");
    char *to = text;
    for (; *from != '"'; from++)
        if (from[0] == '\\' && from[1] == 'n')
            *to++ = ' ', from++;
        else
            *to++ = *from;
    *to = '\0';
    return text;
}

Test(arrow_plan, the_schemas_of_the_shared_cases) {
    static const struct {
        const char *name;
        const char *nodes;
    } cases[] = {
        {"dremel-document",
         "DocId VALUE slot 0/0 present 0! leaves 0+1\n"
         "Links STRUCT slot 0/0 present 1 leaves 1+2\n"
         "Links.Backward LIST slot 0/0 present 1 element 2 leaves 1+1\n"
         "Links.Backward.Backward VALUE slot 2/1 present 2! leaves 1+1\n"
         "Links.Forward LIST slot 0/0 present 1 element 2 leaves 2+1\n"
         "Links.Forward.Forward VALUE slot 2/1 present 2! leaves 2+1\n"
         "Name LIST slot 0/0 present 0! element 1 leaves 3+3\n"
         "Name.Name STRUCT slot 1/1 present 1! leaves 3+3\n"
         "Name.Name.Language LIST slot 1/1 present 1! element 2 leaves 3+2\n"
         "Name.Name.Language.Language STRUCT slot 2/2 present 2! leaves 3+2\n"
         "Name.Name.Language.Language.Code VALUE slot 2/2 present 2! leaves 3+1\n"
         "Name.Name.Language.Language.Country VALUE slot 2/2 present 3 leaves "
         "4+1\n"
         "Name.Name.Url VALUE slot 1/1 present 2 leaves 5+1\n"},
        {"links-url", "doc_id VALUE slot 0/0 present 0! leaves 0+1\n"
                      "links LIST slot 0/0 present 0! element 1 leaves 1+1\n"
                      "links.links STRUCT slot 1/1 present 1! leaves 1+1\n"
                      "links.links.url VALUE slot 1/1 present 2 leaves 1+1\n"},
        {"nested-structs", "a VALUE slot 0/0 present 1 leaves 0+1\n"
                           "b STRUCT slot 0/0 present 0! leaves 1+2\n"
                           "b.b1 VALUE slot 0/0 present 1 leaves 1+1\n"
                           "b.b2 VALUE slot 0/0 present 0! leaves 2+1\n"
                           "c STRUCT slot 0/0 present 1 leaves 3+1\n"
                           "c.c1 VALUE slot 0/0 present 1 leaves 3+1\n"
                           "d STRUCT slot 0/0 present 1 leaves 4+2\n"
                           "d.d1 VALUE slot 0/0 present 1 leaves 4+1\n"
                           "d.d2 VALUE slot 0/0 present 2 leaves 5+1\n"},
        {"nullable-list", "a LIST slot 0/0 present 1 element 2 leaves 0+1\n"
                          "a.element VALUE slot 2/1 present 3 leaves 0+1\n"},
        {"optional-chain", "user_id VALUE slot 0/0 present 0! leaves 0+1\n"
                           "order STRUCT slot 0/0 present 1 leaves 1+1\n"
                           "order.card STRUCT slot 0/0 present 2 leaves 1+1\n"
                           "order.card.card_id VALUE slot 0/0 present 2 leaves 1+1\n"},
        {"repeated-groups", "groups LIST slot 0/0 present 0! element 1 leaves 0+1\n"
                            "groups.groups STRUCT slot 1/1 present 1! leaves 0+1\n"
                            "groups.groups.cities LIST slot 1/1 present 1! element 2 leaves 0+1\n"
                            "groups.groups.cities.cities VALUE slot 2/2 present 2! leaves 0+1\n"},
        {"repeated-leaf", "user_id VALUE slot 0/0 present 0! leaves 0+1\n"
                          "cities LIST slot 0/0 present 0! element 1 leaves 1+1\n"
                          "cities.cities VALUE slot 1/1 present 1! leaves 1+1\n"},
        {"user-addresses", "user_id VALUE slot 0/0 present 0! leaves 0+1\n"
                           "name VALUE slot 0/0 present 1 leaves 1+1\n"
                           "addresses LIST slot 0/0 present 0! element 1 leaves 2+2\n"
                           "addresses.addresses STRUCT slot 1/1 present 1! leaves 2+2\n"
                           "addresses.addresses.city VALUE slot 1/1 present 2 leaves 2+1\n"
                           "addresses.addresses.street VALUE slot 1/1 present 2 leaves 3+1\n"},
    };
    if (!lam_test_shared_exists("cases"))
        cr_skip_test("no shared folder cases/");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "cases/%s.json", cases[i].name);
        char *schema = case_schema(lam_test_shared(name));
        has_nodes(schema, cases[i].nodes);
        free(schema);
    }
}

/* --- Levels of any schema --------------------------------------------------------------------- */

/*
 * What the head of the plan says of slots, in terms of the nodes around and of the leaf's own
 * maximum levels.
 */
static void check_node(const lam_arrow_plan *plan, const lam_arrow_node *node,
                       const lam_arrow_node *outer, uint8_t definition, uint8_t repetition) {
    const lam_arrow_field *field = node->field;
    cr_assert_eq(node->slot_definition, definition);
    cr_assert_eq(node->slot_repetition, repetition);
    cr_assert_geq(node->present_definition, definition);
    if (outer != NULL && outer->shape == LAM_ARROW_NODE_STRUCT)
        cr_assert_eq(node->present_definition, outer->present_definition + field->nullable);
    else if (outer != NULL)
        cr_assert_eq(node->present_definition, outer->element_definition + field->nullable);
    cr_assert_eq(node->nullable, node->present_definition > definition);
    cr_assert_eq(node->child_count, field->child_count);
    switch (node->shape) {
    case LAM_ARROW_NODE_VALUE:
        cr_assert_eq(node->present_definition, lam_field_max_definition(node->leaf));
        cr_assert_eq(repetition, lam_field_max_repetition(node->leaf));
        cr_assert_eq(node->leaf, node->parquet);
        cr_assert_eq(node->leaf_count, 1);
        cr_assert_eq(plan->leaves[node->first_leaf], node);
        cr_assert_eq(node->child_count, 0);
        break;
    case LAM_ARROW_NODE_STRUCT:
        cr_assert_eq(field->type.kind, LAM_ARROW_STRUCT);
        cr_assert(node->leaf_count > 0 || outer == NULL);
        break;
    case LAM_ARROW_NODE_LIST:
        cr_assert(field->type.kind >= LAM_ARROW_LIST && field->type.kind <= LAM_ARROW_MAP);
        cr_assert_eq(node->element_definition, node->present_definition + 1);
        cr_assert_eq(node->child_count, 1);
        definition = node->element_definition;
        repetition++;
        break;
    }
    size_t leaf = node->first_leaf;
    for (size_t i = 0; i < node->child_count; i++) {
        cr_assert_eq(node->children[i].field, &field->children[i]);
        cr_assert_eq(node->children[i].first_leaf, leaf);
        leaf += node->children[i].leaf_count;
        check_node(plan, &node->children[i], node, definition, repetition);
    }
    if (node->child_count > 0)
        cr_assert_eq(leaf, node->first_leaf + node->leaf_count);
}

static void check_plan(const lam_arrow_plan *plan) {
    check_node(plan, &plan->root, NULL, 0, 0);
    cr_assert_eq(plan->root.field, &plan->schema);
    cr_assert_eq(plan->root.leaf_count, plan->leaf_count);
    for (size_t i = 1; i < plan->leaf_count; i++)
        cr_assert_lt(lam_field_first_leaf(plan->leaves[i - 1]->leaf),
                     lam_field_first_leaf(plan->leaves[i]->leaf));
}

Test(arrow_plan, any_schema_and_projection_is_in_order, .timeout = 120) {
    uint64_t seed = lam_test_seed(4001);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 2000; round++) {
        arrow_file file = file_of_schema(random_schema(&random, 40, 9), NULL);
        size_t count = lam_schema_leaf_count(file.schema);
        bool *leaves = malloc(count + 1);
        unsigned percent = (unsigned)lam_random_below(&random, 101);
        size_t shown = 0;
        for (size_t i = 0; i < count; i++)
            shown += leaves[i] = lam_random_chance(&random, percent);
        lam_arrow_read_options options = lam_arrow_read_options_default();
        options.leaves = leaves;
        lam_arrow_plan plan;
        lam_error error = lam_error_none();
        cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, &options, NULL, &error), LAM_STATUS_OK,
                     "seed %llu, round %d: %s", (unsigned long long)seed, round, error.message);
        cr_assert_eq(plan.leaf_count, shown);
        check_plan(&plan);
        for (size_t i = 0; i < shown; i++)
            cr_assert(leaves[lam_field_first_leaf(plan.leaves[i]->leaf)]);
        lam_arrow_plan_finish(&plan);
        free(leaves);
        close_file(&file);
    }
}

static void same_nodes(const lam_arrow_node *a, const lam_arrow_node *b) {
    cr_assert_eq(a->shape, b->shape);
    cr_assert_eq(a->present_definition, b->present_definition);
    cr_assert_eq(a->slot_definition, b->slot_definition);
    cr_assert_eq(a->slot_repetition, b->slot_repetition);
    cr_assert_eq(a->element_definition, b->element_definition);
    cr_assert_eq(lam_field_index(a->parquet), lam_field_index(b->parquet));
    cr_assert_eq(a->child_count, b->child_count);
    for (size_t i = 0; i < a->child_count; i++)
        same_nodes(&a->children[i], &b->children[i]);
}

/* Reads back what one column was written as: the same nodes, and the same fields. */
static void reads_back(const lam_arrow_plan *written, lam_schema *parquet, uint64_t seed,
                       int round) {
    arrow_file file = file_of_schema(parquet, NULL);
    lam_arrow_plan plan;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, NULL, NULL, &error), LAM_STATUS_OK, "%s",
                 error.message);
    same_nodes(&written->root, &plan.root);
    cr_assert_eq(lam_arrow_original_restore(&plan, &written->schema, NULL), LAM_STATUS_OK);
    const char *difference =
        lam_fields_differ(&written->schema.children[0], &plan.schema.children[0]);
    char *a = text_of(&written->schema);
    char *b = text_of(&plan.schema);
    cr_assert_null(difference, "seed %llu, round %d: %s of %s and %s", (unsigned long long)seed,
                   round, difference, a, b);
    free(a);
    free(b);
    lam_arrow_plan_finish(&plan);
    close_file(&file);
}

Test(arrow_plan, what_is_written_is_read_by_the_same_plan, .timeout = 120) {
    uint64_t seed = lam_test_seed(4002);
    lam_random random = lam_random_start(seed);
    lam_allocator heap = lam_allocator_default();
    size_t written = 0;
    for (int round = 0; round < 20000; round++) {
        lam_arena arena = arrow_arena();
        lam_arrow_field column = lam_random_field(&random, &arena, 1 + (unsigned)round % 6);
        lam_arrow_field root = {
            .name = "", .type = {.kind = LAM_ARROW_STRUCT}, .child_count = 1, .children = &column};
        struct ArrowSchema schema;
        lam_arrow_plan plan;
        lam_schema *parquet;
        lam_error error = lam_error_none();
        cr_assert_eq(lam_arrow_field_export(&root, &heap, &schema, NULL), LAM_STATUS_OK);
        lam_status status = lam_arrow_plan_write(&plan, &schema, NULL, &parquet, &error);
        schema.release(&schema);
        lam_arena_finish(&arena);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_UNSUPPORTED ||
                      status == LAM_STATUS_INVALID,
                  "%s", error.message);
        if (status != LAM_STATUS_OK)
            continue;
        written++;
        check_plan(&plan);
        reads_back(&plan, parquet, seed, round);
        lam_arrow_plan_finish(&plan);
    }
    cr_assert_gt(written, 5000, "%zu", written);
}

/* --- Paths ------------------------------------------------------------------------------------ */

Test(arrow_plan, a_path_is_cut_where_the_room_ends) {
    arrow_file file = file_of("optional group ab (LIST) { repeated group list { required group "
                              "element { required int32 x; required int32 yz; } } }",
                              NULL);
    lam_arrow_plan plan;
    char buffer[32];
    cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, NULL, NULL, NULL), LAM_STATUS_OK);
    const lam_arrow_node *node = plan.leaves[1];
    cr_assert_eq(lam_arrow_node_path(&plan, node, buffer, sizeof buffer), 13);
    cr_assert_str_eq(buffer, "ab.element.yz");
    cr_assert_eq(lam_arrow_node_path(&plan, node, buffer, 5), 13);
    cr_assert_str_eq(buffer, "ab.e");
    cr_assert_eq(lam_arrow_node_path(&plan, node, NULL, 0), 13);
    cr_assert_eq(lam_arrow_node_path(&plan, &plan.root, buffer, sizeof buffer), 0);
    cr_assert_str_eq(buffer, "");
    lam_arrow_plan_finish(&plan);
    close_file(&file);
}

Test(arrow_plan, lists_in_lists_to_depth_6) {
    char message[1024] = "message m { ";
    char nodes[1024] = "";
    char path[128] = "";
    for (int depth = 0; depth < 6; depth++) {
        char line[256];
        strcat(message, "optional group ");
        strcat(message, depth == 0 ? "a" : "element");
        strcat(message, " (LIST) { repeated group list { ");
        strcat(path, depth == 0 ? "a" : ".element");
        snprintf(line, sizeof line, "%s LIST slot %d/%d present %d element %d leaves 0+1\n", path,
                 2 * depth, depth, 2 * depth + 1, 2 * depth + 2);
        strcat(nodes, line);
    }
    strcat(message, "optional int32 element; } } } } } } } } } } } } }");
    strcat(nodes, path);
    strcat(nodes, ".element VALUE slot 12/6 present 13 leaves 0+1\n");
    has_nodes(message, nodes);
}

/* A Parquet schema of 250 levels, all of them repeated, is an Arrow schema of twice as many. */
Test(arrow_plan, the_deepest_schema) {
    lam_schema_builder *builder;
    lam_schema *schema;
    lam_arrow_plan plan;
    char path[2048];
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    for (int i = 1; i < LAM_SCHEMA_DEPTH_MAX; i++)
        cr_assert_eq(
            lam_schema_builder_begin_group(builder, "g", LAM_REPETITION_REPEATED, NULL, NULL),
            LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_add_leaf(builder, "x", LAM_REPETITION_REPEATED,
                                             LAM_PHYSICAL_INT32, NULL, NULL),
                 LAM_STATUS_OK);
    for (int i = 1; i < LAM_SCHEMA_DEPTH_MAX; i++)
        cr_assert_eq(lam_schema_builder_end_group(builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    arrow_file file = file_of_schema(schema, NULL);
    cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, NULL, NULL, NULL), LAM_STATUS_OK);
    check_plan(&plan);
    cr_assert_eq(plan.leaves[0]->present_definition, 250);
    cr_assert_eq(plan.leaves[0]->slot_repetition, 250);
    cr_assert_eq(lam_arrow_node_path(&plan, plan.leaves[0], path, sizeof path), 2 * 500 - 1);
    lam_arrow_plan_finish(&plan);
    close_file(&file);
}
