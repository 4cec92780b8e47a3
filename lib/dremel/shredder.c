/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shreds records into columns (Dremel paper, section 4.2): their events become a run of triples for
 * each leaf, independent of all others. The two levels of a triple say where its value is: the
 * repetition level, at which repeated field of the path a new element starts (grammar.h), and the
 * definition level, how much of the path is present. Both are known at once:
 *
 *   - A value that is put has its leaf's maximum definition level: all of the path is present.
 *   - When a group is closed, every field that did not appear in it is absent. All leaves below
 *     that field get one null, with the group's own definition level (the path is present down to
 *     the group, and no further) and the group's own repetition level.
 *
 * The paper's first record becomes (value, repetition level, definition level; "-" is a null):
 *
 *     DocId     Links.    Links.    Name.Language.   Name.Language.   Name.Url
 *               Backward  Forward   Code             Country
 *     10 0 0    -  0 1    20 0 2    en-us 0 2        us 0 3           http://A 0 2
 *                         40 1 2    en    2 2        -  2 2           http://B 1 2
 *                         60 1 2    -     1 1        -  1 1           -        1 1
 *                                   en-gb 1 2        gb 1 3
 *
 * Between records all columns always hold the same records; a record that fails leaves no trace.
 */
#include <lamella/dremel.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dremel/column_buffer.h"
#include "dremel/grammar.h"
#include "record/record_failure.h"
#include "schema/tree.h"

struct lam_shredder {
    lam_allocator allocator;
    const lam_schema *schema; /* held by the grammar, which shares it */
    lam_grammar grammar;
    lam_column_buffer *columns; /* one per leaf */
    size_t record_count;        /* complete records since the last clear */
    lam_record_failure failure;
};

/* Rewinds every column to the beginning of the record, and closes the record. */
static void take_back(lam_shredder *shredder) {
    for (size_t i = 0; i < shredder->schema->leaf_count; i++)
        lam_column_rewind(&shredder->columns[i]);
    lam_grammar_drop(&shredder->grammar);
}

/* Drops the open record after a verb failed, and keeps the failure until `end`. */
static lam_status drop_record(lam_shredder *shredder, lam_status why, lam_error *error) {
    if (lam_grammar_in_record(&shredder->grammar))
        take_back(shredder);
    return lam_record_failure_keep(&shredder->failure, why, error);
}

/* Sets the marks that a failure rewinds to: O(leaves) for each record, as is closing the root. */
static lam_status shred_begin(void *state, lam_error *error) {
    (void)error;
    lam_shredder *shredder = state;
    lam_record_failure_clear(&shredder->failure);
    if (lam_grammar_in_record(&shredder->grammar))
        take_back(shredder);
    for (size_t i = 0; i < shredder->schema->leaf_count; i++)
        lam_column_set_mark(&shredder->columns[i]);
    lam_grammar_begin(&shredder->grammar);
    return LAM_STATUS_OK;
}

/* Opening does not write: the levels of later triples come from the grammar's stack. */
static lam_status shred_open(void *state, const lam_field *group, lam_error *error) {
    lam_shredder *shredder = state;
    LAM_TRY(lam_record_failure_status(&shredder->failure));
    lam_status status = lam_grammar_open(&shredder->grammar, group, &shredder->failure.error);
    return status == LAM_STATUS_OK ? status : drop_record(shredder, status, error);
}

/*
 * Appends one triple. The levels go first: if the value then fails, the rewind of the record
 * removes them.
 */
static lam_status shred_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    lam_shredder *shredder = state;
    lam_error *kept = &shredder->failure.error;
    uint8_t repetition = 0;
    LAM_TRY(lam_record_failure_status(&shredder->failure));
    lam_status status = lam_grammar_admit(&shredder->grammar, leaf, true, &repetition, kept);
    if (status == LAM_STATUS_OK) {
        lam_column_buffer *column = &shredder->columns[leaf->first_leaf];
        status = lam_column_put_levels(column, repetition, column->max_definition, kept);
        if (status == LAM_STATUS_OK)
            status = lam_column_put_value(column, value, kept);
    }
    return status == LAM_STATUS_OK ? status : drop_record(shredder, status, error);
}

/*
 * Appends one null to each leaf below `absent`: a field that did not appear in the open group, or
 * that group itself when it is empty. At the close of the second Name of the first record, which
 * has a Url alone, Language is absent, and Code and Country get (null, 1, 1): Name was opened with
 * repetition level 1 and has the definition level 1.
 */
static lam_status put_nulls(lam_shredder *shredder, const lam_field *absent, lam_error *error) {
    const lam_open_group *group = shredder->grammar.top;
    uint8_t repetition = group->repetition, definition = group->field->max_definition;
    size_t first = absent->first_leaf;
    for (size_t i = 0; i < absent->leaf_count; i++)
        LAM_TRY(
            lam_column_put_levels(&shredder->columns[first + i], repetition, definition, error));
    return LAM_STATUS_OK;
}

/*
 * Closes a group or the root: writes the nulls of all fields that did not appear, or fails when one
 * of them is required. The leaves below a group are neighbours in schema order, so an empty group
 * takes one pass over its leaves, whatever is between.
 */
static lam_status shredder_close_group(lam_shredder *shredder, const lam_field *group,
                                       lam_error *error) {
    lam_grammar *grammar = &shredder->grammar;
    LAM_TRY(lam_grammar_check_close(grammar, group, error));
    if (lam_grammar_may_be_empty(grammar)) {
        LAM_TRY(put_nulls(shredder, group, error));
        lam_grammar_pop(grammar);
        return LAM_STATUS_OK;
    }
    const lam_field *unseen;
    for (size_t ordinal = 0; (unseen = lam_grammar_next_unseen(grammar, &ordinal)) != NULL;) {
        if (lam_grammar_demands(unseen))
            return lam_field_fail(error, LAM_ERROR_CODE_RECORD_FIELD_MISSING, unseen,
                                  "required, but missing");
        LAM_TRY(put_nulls(shredder, unseen, error));
    }
    lam_grammar_pop(grammar);
    return LAM_STATUS_OK;
}

/* Only `end` closes the root: a close that names it is refused. */
static lam_status shred_close(void *state, const lam_field *group, lam_error *error) {
    lam_shredder *shredder = state;
    lam_error *kept = &shredder->failure.error;
    LAM_TRY(lam_record_failure_status(&shredder->failure));
    lam_status status = group == shredder->schema->fields
                            ? lam_grammar_refuse_close(&shredder->grammar, group, kept)
                            : shredder_close_group(shredder, group, kept);
    return status == LAM_STATUS_OK ? status : drop_record(shredder, status, error);
}

/*
 * Completes the record. If a failure is kept, or missing fields are found only here, the record
 * does not count and the failure is reported.
 */
static lam_status shred_end(void *state, lam_error *error) {
    lam_shredder *shredder = state;
    lam_status status = lam_record_failure_status(&shredder->failure);
    if (status == LAM_STATUS_OK) {
        status = shredder_close_group(shredder, shredder->schema->fields, &shredder->failure.error);
        if (status == LAM_STATUS_OK) {
            shredder->record_count++;
            return LAM_STATUS_OK;
        }
        (void)drop_record(shredder, status, NULL);
    }
    return lam_record_failure_end(&shredder->failure, error);
}

/* A failure of the driver drops the record like one of a verb. */
static lam_status shred_fail(void *state, const lam_error *failure, lam_error *error) {
    lam_shredder *shredder = state;
    if (lam_grammar_in_record(&shredder->grammar))
        take_back(shredder);
    return lam_record_failure_take(&shredder->failure, failure, error);
}

/*
 * Columns allocate nothing until their first triple, so a wide schema costs its columns' structs.
 */
lam_status lam_shredder_create(const lam_schema *schema, const lam_allocator *allocator,
                               lam_shredder **ret_shredder, lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    LAM_TRY(lam_schema_require(schema, error));
    lam_shredder *shredder;
    LAM_TRY(LAM_NEW(&own, &shredder, error));
    shredder->allocator = own;
    shredder->schema = schema;
    lam_record_failure_init(&shredder->failure);
    lam_status status;
    LAM_TRY_OUT(LAM_ARRAY(&own, schema->leaf_count, &shredder->columns, error));
    for (size_t i = 0; i < schema->leaf_count; i++)
        lam_column_buffer_init(&shredder->columns[i], lam_leaf_at(schema, i), &shredder->allocator);
    LAM_TRY_OUT(lam_grammar_init(&shredder->grammar, schema, &own, error));
    *ret_shredder = shredder;
    return LAM_STATUS_OK;
out:
    lam_shredder_destroy(shredder);
    return status;
}

lam_record_sink lam_shredder_sink(lam_shredder *shredder) {
    lam_record_sink sink = {shredder,    shred_begin, shred_open, shred_put,
                            shred_close, shred_end,   shred_fail};
    return sink;
}

lam_triples lam_shredder_triples(const lam_shredder *shredder, size_t leaf_index) {
    lam_triples none = {0};
    if (leaf_index >= shredder->schema->leaf_count)
        return none;
    const lam_column_buffer *column = &shredder->columns[leaf_index];
    /* An open record is left out: the marks are where the complete records end. */
    if (lam_grammar_in_record(&shredder->grammar)) /* complete records only */
        return lam_column_triples(column, column->mark.count, column->mark.value_count);
    return lam_column_triples(column, column->count, column->value_count);
}

lam_triples lam_shredder_open_triples(const lam_shredder *shredder, size_t leaf_index) {
    lam_triples none = {0};
    if (leaf_index >= shredder->schema->leaf_count || !lam_grammar_in_record(&shredder->grammar))
        return none;
    const lam_column_buffer *column = &shredder->columns[leaf_index];
    const lam_column_mark *mark = &column->mark;
    lam_triples all = lam_column_triples(column, column->count, column->value_count);
    lam_triples open = {all.count - mark->count, all.value_count - mark->value_count, NULL, NULL,
                        NULL};
    if (open.count > 0 && all.repetition != NULL)
        open.repetition = all.repetition + mark->count;
    if (open.count > 0 && all.definition != NULL)
        open.definition = all.definition + mark->count;
    if (open.value_count > 0)
        open.values = (const uint8_t *)all.values + mark->value_count * column->element_size;
    return open;
}

const lam_field *lam_shredder_open_group(const lam_shredder *shredder, uint8_t *ret_repetition) {
    if (!lam_grammar_in_record(&shredder->grammar))
        return NULL;
    *ret_repetition = shredder->grammar.top->repetition;
    return shredder->grammar.top->field;
}

size_t lam_shredder_record_count(const lam_shredder *shredder) {
    return shredder->record_count;
}

size_t lam_shredder_byte_count(const lam_shredder *shredder) {
    size_t bytes = 0;
    for (size_t i = 0; i < shredder->schema->leaf_count; i++)
        bytes += lam_column_byte_count(&shredder->columns[i]);
    return bytes;
}

/*
 * Rewinds every column to its start. The arrays and chunks stay, so that later records allocate
 * less.
 */
void lam_shredder_clear(lam_shredder *shredder) {
    lam_record_failure_clear(&shredder->failure);
    lam_grammar_drop(&shredder->grammar);
    shredder->record_count = 0;
    for (size_t i = 0; i < shredder->schema->leaf_count; i++) {
        lam_column_mark nothing = {0};
        shredder->columns[i].mark = nothing;
        lam_column_rewind(&shredder->columns[i]);
    }
}

void lam_shredder_destroy(lam_shredder *shredder) {
    if (shredder == NULL)
        return;
    lam_allocator allocator = shredder->allocator;
    size_t leaf_count = shredder->schema->leaf_count;
    if (shredder->columns != NULL)
        for (size_t i = 0; i < leaf_count; i++)
            lam_column_buffer_finish(&shredder->columns[i]);
    lam_free(&allocator, shredder->columns, leaf_count * sizeof(lam_column_buffer));
    lam_grammar_finish(&shredder->grammar);
    lam_free(&allocator, shredder, sizeof *shredder);
}
