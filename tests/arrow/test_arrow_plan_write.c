/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan by which arrays are written: levels of each node, and the schema that the file states
 * for Arrow.
 */
#include <criterion/criterion.h>

#include "arrow_text.h"
#include "support/failing_alloc.h"

typedef struct written_plan {
    lam_arrow_plan plan;
    lam_schema *parquet;
} written_plan;

static void plan_of(const char *arrow, written_plan *written) {
    struct ArrowSchema schema = schema_of(arrow);
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_plan_write(&written->plan, &schema, NULL, &written->parquet, &error),
                 LAM_STATUS_OK, "%s: %s", arrow, error.message);
    schema.release(&schema); /* nothing of it is kept */
}

static void finish(written_plan *written) {
    lam_arrow_plan_finish(&written->plan);
    lam_schema_destroy(written->parquet);
}

Test(arrow_plan_write, nodes_have_the_levels_of_their_columns) {
    written_plan written;
    plan_of("a?:+l[item?:+s[x:i y?:z]] m:+m[es:+s[k:u v?:+w:2[e:f]]]", &written);
    char *nodes = nodes_of(&written.plan);
    cr_assert_str_eq(nodes, "a LIST slot 0/0 present 1 element 2 leaves 0+2\n"
                            "a.item STRUCT slot 2/1 present 3 leaves 0+2\n"
                            "a.item.x VALUE slot 2/1 present 3 leaves 0+1\n"
                            "a.item.y VALUE slot 2/1 present 4 leaves 1+1\n"
                            "m LIST slot 0/0 present 0! element 1 leaves 2+2\n"
                            "m.es STRUCT slot 1/1 present 1! leaves 2+2\n"
                            "m.es.k VALUE slot 1/1 present 1! leaves 2+1\n"
                            "m.es.v LIST slot 1/1 present 2 element 3 leaves 3+1\n"
                            "m.es.v.e VALUE slot 3/2 present 3! leaves 3+1\n");
    free(nodes);
    for (size_t i = 0; i < written.plan.leaf_count; i++)
        cr_assert_eq(written.plan.leaves[i]->leaf, lam_schema_leaf(written.parquet, i));
    finish(&written);
}

Test(arrow_plan_write, the_schema_is_as_if_nothing_were_run_end_encoded) {
    written_plan written;
    plan_of("a?:+r`k=1``=5``m=2`[run_ends:s values:{c}U`m=3``n=4``=6`] "
            "b:+l[item:+r[run_ends:l values?:+s[x:+r[run_ends:i values?:tDs] y:i]]]",
            &written);
    char *text = text_of(&written.plan.schema);
    cr_assert_str_eq(text, "a?:{c}U`k=1``=5``m=2``n=4` b:+l[item:+s[x:tDs y:i]]");
    free(text);
    finish(&written);
}

Test(arrow_plan_write, a_node_knows_its_arrays_beside_its_field) {
    written_plan written;
    plan_of("a:+r[run_ends:s values:u] b:+r[run_ends:l values?:+s[x:+r[run_ends:i values:l] y:i]]",
            &written);
    const lam_arrow_node *a = &written.plan.root.children[0];
    const lam_arrow_node *b = &written.plan.root.children[1];
    cr_assert_eq(a->shape, LAM_ARROW_NODE_VALUE);
    cr_assert_eq(a->field->type.kind, LAM_ARROW_STRING);
    cr_assert_eq(a->array->type.kind, LAM_ARROW_RUN_END_ENCODED);
    cr_assert_eq(b->shape, LAM_ARROW_NODE_STRUCT);
    cr_assert_eq(b->array->type.kind, LAM_ARROW_RUN_END_ENCODED);
    cr_assert_eq(b->array->children[1].type.kind, LAM_ARROW_STRUCT);
    const lam_arrow_node *x = &b->children[0];
    const lam_arrow_node *y = &b->children[1];
    cr_assert_eq(x->array->type.kind, LAM_ARROW_RUN_END_ENCODED);
    cr_assert_eq(x->array, &b->array->children[1].children[0]);
    cr_assert_eq(x->field->type.kind, LAM_ARROW_INT64);
    cr_assert_eq(y->array->type.kind, LAM_ARROW_INT32);
    finish(&written);
}

/*
 * In struct ArrowSchema the values of a dictionary may be of an extension type; ARROW:schema can
 * only say that a dictionary is.
 */
Test(arrow_plan_write, a_dictionary_of_an_extension_type_is_planned_as_its_values) {
    lam_allocator heap = lam_allocator_default();
    struct ArrowSchema schema = schema_of("a?:{c!}w:16`k=1` b:{c}w:15");
    struct ArrowSchema values = schema_of("v:w:16<arrow.uuid>`k=2``l=3`");
    const char *taken = schema.children[0]->dictionary->metadata;
    written_plan written;
    lam_error error = lam_error_none();
    schema.children[0]->dictionary->metadata = values.children[0]->metadata;
    cr_assert_eq(lam_arrow_plan_write(&written.plan, &schema, &heap, &written.parquet, &error),
                 LAM_STATUS_OK, "%s", error.message);
    char *text = text_of(&written.plan.schema);
    cr_assert_str_eq(text, "a?:w:16`k=1`<arrow.uuid>`l=3` b:{c}w:15");
    free(text);
    cr_assert_eq(lam_field_logical_type(lam_schema_leaf(written.parquet, 0))->kind,
                 LAM_LOGICAL_UUID);
    cr_assert(written.plan.root.children[0].array->is_dictionary);
    cr_assert_not(written.plan.root.children[0].field->is_dictionary);
    finish(&written);
    schema.children[0]->dictionary->metadata = taken;
    taken = schema.children[1]->dictionary->metadata;
    schema.children[1]->dictionary->metadata = values.children[0]->metadata;
    cr_assert_eq(lam_arrow_plan_write(&written.plan, &schema, &heap, &written.parquet, &error),
                 LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "b: arrow.uuid must be fixed_size_binary of 16 bytes");
    schema.children[1]->dictionary->metadata = taken;
    schema.release(&schema);
    values.release(&values);
}

Test(arrow_plan_write, any_allocation_may_fail) {
    struct ArrowSchema schema = schema_of("a?:{c}w:16`k=1` b:+r`k=1`[run_ends:s values:{i}w:16]");
    struct ArrowSchema extended = schema_of("v:w:16<arrow.uuid>`l=3`");
    struct ArrowSchema *dictionaries[] = {schema.children[0]->dictionary,
                                          schema.children[1]->children[1]->dictionary};
    const char *taken[2];
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t i = 0; i < 2; i++) {
        taken[i] = dictionaries[i]->metadata;
        dictionaries[i]->metadata = extended.children[0]->metadata;
    }
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        written_plan written;
        status = lam_arrow_plan_write(&written.plan, &schema, &allocator, &written.parquet, NULL);
        cr_assert_eq(status, counter.requests < n ? LAM_STATUS_OK : LAM_STATUS_NOMEM);
        if (status == LAM_STATUS_OK)
            finish(&written);
        cr_assert_eq(counter.live_bytes, 0);
    }
    for (size_t i = 0; i < 2; i++)
        dictionaries[i]->metadata = taken[i];
    schema.release(&schema);
    extended.release(&extended);
}

Test(arrow_plan_write, a_pair_named_like_the_original_schema_is_left_out) {
    lam_arena arena = arrow_arena();
    lam_allocator heap = lam_allocator_default();
    lam_arrow_field *root = fields_of(&arena, "a:i");
    add_pair(&arena, root, "k", "v");
    add_pair(&arena, root, "ARROW:schema", "old");
    add_pair(&arena, root, "l", "w");
    struct ArrowSchema schema;
    written_plan written;
    cr_assert_eq(lam_arrow_field_export(root, &heap, &schema, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_arrow_plan_write(&written.plan, &schema, NULL, &written.parquet, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(written.plan.schema.metadata.count, 2);
    cr_assert(lam_arrow_bytes_equal(written.plan.schema.metadata.key_values[0].key, "k"));
    cr_assert(lam_arrow_bytes_equal(written.plan.schema.metadata.key_values[1].key, "l"));
    schema.release(&schema);
    lam_arena_finish(&arena);
    finish(&written);
}

Test(arrow_plan_write, a_failure_leaves_the_schema_alone) {
    struct ArrowSchema schema = schema_of("a:+s");
    lam_arrow_plan plan;
    lam_schema *parquet = NULL;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_plan_write(&plan, &schema, NULL, &parquet, &error),
                 LAM_STATUS_UNSUPPORTED);
    cr_assert_null(parquet);
    schema.release(&schema);
    cr_assert_eq(lam_arrow_plan_write(&plan, &schema, NULL, &parquet, &error), LAM_STATUS_INVALID);
    cr_assert_eq(lam_arrow_plan_write(&plan, NULL, NULL, &parquet, &error), LAM_STATUS_INVALID);
    cr_assert_null(parquet);
}
