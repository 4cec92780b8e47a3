/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar that shredder and checker share: which field may come next, which level it gets, and
 * how a fault is told.
 */
#include "dremel/grammar.h"

#include <criterion/criterion.h>
#include <string.h>

#include "reference/paper.h"
#include "schema/tree.h"
#include "support/failing_alloc.h"

static lam_schema *schema;
static lam_grammar grammar;
static lam_failing_alloc counter;

static void start(void) {
    schema = lam_paper_schema();
    lam_allocator allocator = lam_failing_allocator(&counter);
    cr_assert_eq(lam_grammar_init(&grammar, schema, &allocator, NULL), LAM_STATUS_OK);
}

static void finish(void) {
    lam_grammar_finish(&grammar);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
    lam_schema_destroy(schema);
}

TestSuite(grammar, .init = start, .fini = finish);

static uint8_t opened_with(const char *path) {
    cr_assert_eq(lam_grammar_open(&grammar, lam_schema_find(schema, path), NULL), LAM_STATUS_OK);
    return grammar.top->repetition;
}

static uint8_t put_with(const char *path) {
    uint8_t repetition = 99;
    cr_assert_eq(
        lam_grammar_admit(&grammar, lam_schema_find(schema, path), true, &repetition, NULL),
        LAM_STATUS_OK);
    return repetition;
}

Test(grammar, a_field_inherits_its_level_at_first_and_carries_its_own_when_it_comes_again) {
    lam_grammar_begin(&grammar);
    cr_assert_eq(opened_with("Name"), 0);
    cr_assert_eq(opened_with("Name.Language"), 0);
    cr_assert_eq(put_with("Name.Language.Code"), 0);
    lam_grammar_pop(&grammar);
    cr_assert_eq(opened_with("Name.Language"), 2);
    cr_assert_eq(put_with("Name.Language.Code"), 2);
    lam_grammar_pop(&grammar);
    lam_grammar_pop(&grammar);
    cr_assert_eq(opened_with("Name"), 1);
    cr_assert_eq(put_with("Name.Url"), 1);
    cr_assert_eq(opened_with("Name.Language"), 1, "the first one in this Name");
    lam_grammar_pop(&grammar);
    lam_grammar_pop(&grammar);
    lam_grammar_begin(&grammar);
    cr_assert_eq(opened_with("Name"), 0, "the first one in this record");
}

Test(grammar, unseen_fields_are_told_in_schema_order) {
    lam_grammar_begin(&grammar);
    cr_assert_eq(opened_with("Links"), 0);
    lam_grammar_pop(&grammar);
    size_t ordinal = 0;
    const lam_field *unseen = lam_grammar_next_unseen(&grammar, &ordinal);
    cr_assert_eq(unseen, lam_schema_find(schema, "DocId"));
    cr_assert(lam_grammar_demands(unseen));
    unseen = lam_grammar_next_unseen(&grammar, &ordinal);
    cr_assert_eq(unseen, lam_schema_find(schema, "Name"));
    cr_assert_not(lam_grammar_demands(unseen));
    cr_assert_null(lam_grammar_next_unseen(&grammar, &ordinal));
}

Test(grammar, elements_are_apart_when_another_field_of_the_group_came_between) {
    const lam_field *forward = lam_schema_find(schema, "Links.Forward");
    const lam_field *id = lam_schema_find(schema, "DocId");
    lam_grammar_begin(&grammar);
    put_with("DocId");
    opened_with("Links");
    cr_assert_not(lam_grammar_is_apart(&grammar, forward));
    put_with("Links.Forward");
    cr_assert_not(lam_grammar_is_apart(&grammar, forward));
    put_with("Links.Backward");
    cr_assert(lam_grammar_is_apart(&grammar, forward));
    lam_grammar_pop(&grammar);
    cr_assert_not(lam_grammar_is_apart(&grammar, id), "twice, but not repeated");
    cr_assert_not(lam_grammar_is_apart(&grammar, NULL));
}

Test(grammar, a_long_path_is_cut_and_the_reason_stays) {
    lam_schema_builder *builder;
    char name[100];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    for (int i = 0; i < 5; i++)
        cr_assert_eq(
            lam_schema_builder_begin_group(builder, name, LAM_REPETITION_OPTIONAL, NULL, NULL),
            LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_add_leaf(builder, name, LAM_REPETITION_OPTIONAL,
                                             LAM_PHYSICAL_INT32, NULL, NULL),
                 LAM_STATUS_OK);
    for (int i = 0; i < 5; i++)
        cr_assert_eq(lam_schema_builder_end_group(builder, NULL), LAM_STATUS_OK);
    lam_schema *deep;
    cr_assert_eq(lam_schema_builder_finish(builder, &deep, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    lam_error error;
    cr_assert_eq(
        lam_field_fail(&error, LAM_STATUS_INVALID, lam_schema_leaf(deep, 0), "is %s", "wrong"),
        LAM_STATUS_INVALID);
    cr_assert_not_null(strstr(error.message, "nnn: is wrong"));
    cr_assert_eq(error.column, 0);
    cr_assert_eq(lam_field_fail(NULL, LAM_STATUS_INVALID, lam_schema_leaf(deep, 0), "x"),
                 LAM_STATUS_INVALID);
    lam_schema_destroy(deep);
}

Test(grammar, a_field_without_a_name_is_told_by_its_marks) {
    lam_schema *nameless;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_schema_parse_text("required int32 \"\";", NULL, &nameless, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(
        lam_field_fail(&error, LAM_STATUS_INVALID, lam_schema_leaf(nameless, 0), "is wrong"),
        LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "\"\": is wrong");
    lam_schema_destroy(nameless);
}

Test(grammar, a_group_that_does_not_exist_cannot_be_closed) {
    lam_error error = lam_error_none();
    lam_grammar_begin(&grammar);
    cr_assert_eq(lam_grammar_refuse_close(&grammar, NULL, &error), LAM_STATUS_INVALID);
    cr_assert_eq(error.code, LAM_ERROR_CODE_RECORD_FIELD_UNKNOWN);
    cr_assert_str_eq(error.message,
                     "no such field (NULL): lam_schema_resolve says why a path leads to none");
}

/* Files have such groups. */
Test(grammar, a_required_group_without_fields_need_not_appear) {
    lam_schema_builder *builder;
    lam_schema *hollow;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    lam_schema_builder_set_lenient(builder);
    cr_assert_eq(lam_schema_builder_begin_group(builder, "g", LAM_REPETITION_REQUIRED, NULL, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_end_group(builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_finish(builder, &hollow, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    cr_assert_not(lam_grammar_demands(lam_schema_field(hollow, 1)));
    lam_schema_destroy(hollow);
}
