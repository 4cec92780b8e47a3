/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts records together from columns by plain recursion over the schema: an oracle for the
 * assembler, with which it shares no code.
 */
#include <string.h>

#include "reference/oracle.h"

typedef struct oracle_reader {
    const bool *leaves;
    lam_oracle_column *columns;
    lam_arena *arena;
} oracle_reader;

/* The column of the first projected leaf below a field tells what happens to the field. */
static lam_oracle_column *guide(const oracle_reader *reader, const lam_field *field) {
    for (size_t i = 0; i < lam_field_leaf_count(field); i++)
        if (reader->leaves[lam_field_first_leaf(field) + i])
            return &reader->columns[lam_field_first_leaf(field) + i];
    return NULL;
}

static void pass_absent(const oracle_reader *reader, const lam_field *field) {
    for (size_t i = 0; i < lam_field_leaf_count(field); i++)
        reader->columns[lam_field_first_leaf(field) + i].cursor++;
}

/* All elements of a field of an element that starts at the cursors. */
static void read_field(const oracle_reader *reader, const lam_field *field,
                       lam_tree_field *elements) {
    lam_oracle_column *column = guide(reader, field);
    if (column == NULL)
        return;
    if (column->definition[column->cursor] < lam_field_max_definition(field)) {
        pass_absent(reader, field);
        return;
    }
    do {
        lam_tree_item *item = lam_tree_append(elements, field, reader->arena);
        if (lam_field_is_leaf(field)) {
            item->value = column->values[column->value_cursor++];
            column->cursor++;
        }
        for (size_t c = 0; c < lam_field_child_count(field); c++)
            read_field(reader, lam_field_child(field, c), &item->fields[c]);
    } while (lam_field_repetition(field) == LAM_REPETITION_REPEATED &&
             column->cursor < column->count &&
             column->repetition[column->cursor] == lam_field_max_repetition(field));
}

bool lam_oracle_assemble(const lam_schema *schema, const bool *leaves, lam_oracle_column *columns,
                         lam_arena *arena, lam_tree_item *ret_record) {
    oracle_reader reader = {leaves, columns, arena};
    const lam_field *root = lam_schema_root(schema);
    lam_oracle_column *column = guide(&reader, root);
    if (column == NULL || column->cursor == column->count)
        return false;
    *ret_record = lam_tree_item_empty(root, arena);
    for (size_t c = 0; c < lam_field_child_count(root); c++)
        read_field(&reader, lam_field_child(root, c), &ret_record->fields[c]);
    return true;
}
