/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes records apart into columns by plain recursion over the schema: an oracle for the shredder,
 * with which it shares no code.
 */
#include <lamella/record.h>
#include <string.h>

#include "reference/oracle.h"

static void *grow(lam_arena *arena, void *array, size_t count, size_t size) {
    if ((count & (count - 1)) != 0) /* full at 0 and at each power of two */
        return array;
    void *grown = lam_tree_alloc(arena, count * 2 + 1, size);
    if (count > 0)
        memcpy(grown, array, count * size);
    return grown;
}

static void add_triple(lam_oracle_column *column, lam_arena *arena, uint8_t repetition,
                       uint8_t definition, const lam_value *value) {
    column->repetition = grow(arena, column->repetition, column->count, 1);
    column->definition = grow(arena, column->definition, column->count, 1);
    column->repetition[column->count] = repetition;
    column->definition[column->count] = definition;
    column->count++;
    if (value == NULL)
        return;
    column->values = grow(arena, column->values, column->value_count, sizeof *value);
    column->values[column->value_count++] = *value;
}

/* All elements of a field whose group has repetition level r and definition level d. */
static void shred_field(const lam_field *field, const lam_tree_field *elements, uint8_t r,
                        uint8_t d, lam_oracle_column *columns, lam_arena *arena) {
    if (elements->count == 0)
        for (size_t i = 0; i < lam_field_leaf_count(field); i++)
            add_triple(&columns[lam_field_first_leaf(field) + i], arena, r, d, NULL);
    uint8_t max_d = lam_field_max_definition(field);
    for (size_t i = 0; i < elements->count; i++) {
        const lam_tree_item *item = &elements->items[i];
        uint8_t item_r = i == 0 ? r : lam_field_max_repetition(field);
        if (lam_field_is_leaf(field))
            add_triple(&columns[lam_field_first_leaf(field)], arena, item_r, max_d, &item->value);
        for (size_t c = 0; c < lam_field_child_count(field); c++)
            shred_field(lam_field_child(field, c), &item->fields[c], item_r, max_d, columns, arena);
    }
}

void lam_oracle_shred(const lam_schema *schema, const lam_tree_item *record,
                      lam_oracle_column *columns, lam_arena *arena) {
    const lam_field *root = lam_schema_root(schema);
    for (size_t c = 0; c < lam_field_child_count(root); c++)
        shred_field(lam_field_child(root, c), &record->fields[c], 0, 0, columns, arena);
}
