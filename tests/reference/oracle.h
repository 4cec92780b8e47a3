/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oracles: shredding and assembling as plain recursion over the schema, the way one would
 * explain them, with no automaton, no tables and no events.
 */
#ifndef LAM_TESTS_ORACLE_H
#define LAM_TESTS_ORACLE_H

#include <lamella/record.h>

#include "reference/record_tree.h"

/* The triples of one leaf. `cursor` and `value_cursor` are where the assembler reads. */
typedef struct lam_oracle_column {
    size_t count;
    size_t value_count;
    uint8_t *repetition;
    uint8_t *definition;
    lam_value *values;
    size_t cursor;
    size_t value_cursor;
} lam_oracle_column;

/* Appends the triples of one record to the columns, one per leaf of the schema. */
void lam_oracle_shred(const lam_schema *schema, const lam_tree_item *record,
                      lam_oracle_column *columns, lam_arena *arena);

/*
 * Reads one record from the cursors of the projected leaves' columns on; false when they are at
 * their end. The columns must be whole and right.
 */
bool lam_oracle_assemble(const lam_schema *schema, const bool *leaves, lam_oracle_column *columns,
                         lam_arena *arena, lam_tree_item *ret_record);

#endif
