/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocates the grammar of a schema, and explains refusals. The checks themselves are inline in the
 * header, as every event runs them; this file has the work done once, or only on failure.
 *
 * Takes a schema, and later the verb that was refused, and gives a stack with room for the deepest
 * path, and errors that name the field by its path and say which rule of record.h the verb breaks.
 * The refusals test the conditions of lam_grammar_admit in an order in which each test may rely on
 * those before it: a field of another schema must not be compared by its index.
 */
#include "dremel/grammar.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

/* No field has this index, so no field belongs to the group outside of records (stack[0]). */
static const uint32_t GRAMMAR_NO_FIELD = UINT32_MAX;

/* Depth of the deepest field; the root has 0. */
static size_t deepest(const lam_schema *schema) {
    size_t depth = 0;
    for (size_t i = 0; i < schema->field_count; i++)
        depth = schema->fields[i].depth > depth ? schema->fields[i].depth : depth;
    return depth;
}

lam_status lam_grammar_init(lam_grammar *grammar, const lam_schema *schema,
                            const lam_allocator *allocator, lam_error *error) {
    /* One entry for each depth, the root's included, and stack[0] for outside of records. */
    size_t stack_size = deepest(schema) + 2;
    lam_status status;
    memset(grammar, 0, sizeof *grammar);
    grammar->schema = lam_schema_share(schema);
    grammar->allocator = *allocator;
    LAM_TRY_OUT(LAM_ARRAY(allocator, stack_size, &grammar->stack, error));
    grammar->stack_size = stack_size;
    grammar->stack[0].index = GRAMMAR_NO_FIELD;
    grammar->top = grammar->stack;
    LAM_TRY_OUT(LAM_ARRAY(allocator, schema->field_count, &grammar->seen, error));
    LAM_TRY_OUT(LAM_ARRAY(allocator, schema->field_count, &grammar->demanding, error));
    /*
     * A group is demanding when one of its children must appear; Links is not, Language is (Code).
     */
    for (size_t i = 1; i < schema->field_count; i++)
        grammar->demanding[schema->fields[i].parent] |= lam_grammar_demands(&schema->fields[i]);
    return LAM_STATUS_OK;
out:
    lam_grammar_finish(grammar);
    return status;
}

void lam_grammar_finish(lam_grammar *grammar) {
    size_t count = lam_schema_field_count(grammar->schema);
    lam_free(&grammar->allocator, grammar->stack, grammar->stack_size * sizeof(lam_open_group));
    lam_free(&grammar->allocator, grammar->seen, count * sizeof(uint64_t));
    lam_free(&grammar->allocator, grammar->demanding, count * sizeof(bool));
    lam_schema_destroy(grammar->schema);
    memset(grammar, 0, sizeof *grammar);
}

/* Whether `field` is inside `group`, at any depth. */
static bool is_inside(const lam_schema *schema, const lam_field *field, const lam_field *group) {
    while (field->index > group->index)
        field = lam_schema_field(schema, field->parent);
    return field == group;
}

/* The field is of the schema, but not of the open group: says what to open or close before it. */
static lam_status refuse_outsider(const lam_grammar *grammar, const lam_field *field,
                                  lam_error *error) {
    const lam_field *top = grammar->top->field;
    if (field->index == 0)
        return lam_field_fail(error, LAM_ERROR_CODE_RECORD_FIELD_UNKNOWN, field,
                              "does not belong to %s", top->name);
    if (!is_inside(grammar->schema, field, top))
        return lam_field_fail(error, LAM_ERROR_CODE_RECORD_FIELD_UNKNOWN, field,
                              "does not belong to %s, which is open: close that first", top->name);
    char path[LAM_FIELD_PATH_ROOM];
    lam_field_path(lam_schema_field(grammar->schema, field->parent), path, sizeof path);
    return lam_field_fail(error, LAM_ERROR_CODE_RECORD_FIELD_UNKNOWN, field,
                          "does not belong to %s: open %s first", top->name, path);
}

lam_status lam_grammar_refuse_field(const lam_grammar *grammar, const lam_field *field,
                                    bool want_leaf, lam_error *error) {
    if (field == NULL)
        return lam_field_fail_missing(error, "");
    if (!lam_grammar_in_record(grammar))
        return lam_field_fail(error, LAM_ERROR_CODE_RECORD_NOT_OPEN, field,
                              "a field outside of a record");
    if (field->schema != grammar->schema)
        return lam_field_fail(error, LAM_ERROR_CODE_RECORD_FIELD_UNKNOWN, field,
                              "field of another schema");
    if (field->index == 0 || field->parent != grammar->top->index)
        return refuse_outsider(grammar, field, error);
    if ((field->physical_type != LAM_PHYSICAL_GROUP) != want_leaf)
        return lam_field_fail(error, LAM_ERROR_CODE_RECORD_FIELD_KIND, field,
                              want_leaf ? "a value for a group" : "a leaf opened as a group");
    return lam_field_fail(error, LAM_ERROR_CODE_RECORD_FIELD_REPEATED, field,
                          "appears twice, but is not a repeated field");
}

/* The group is not the open one, or no record is open. */
lam_status lam_grammar_refuse_close(const lam_grammar *grammar, const lam_field *group,
                                    lam_error *error) {
    if (group == NULL)
        return lam_field_fail_missing(error, "");
    if (!lam_grammar_in_record(grammar))
        return lam_field_fail(error, LAM_ERROR_CODE_RECORD_NOT_OPEN, group,
                              "closed outside of a record");
    return lam_field_fail(error, LAM_STATUS_STATE, group, "closed while %s is open",
                          grammar->top->field->name);
}
