/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of texts whose columns are as wide as their longest cell, cell by cell in and line by
 * line out. If a screen is too narrow for them, empty columns are left out, and a row continues in
 * further lines, cell by cell.
 */
#ifndef LAMELLA_TOOLS_TOOL_TABLE_H
#define LAMELLA_TOOLS_TOOL_TABLE_H

#include <lamella/lamella.h>

typedef struct tool_table {
    unsigned columns; /* at most 32 */
    uint32_t right;   /* bit c: column c is aligned to the right */
    char **cells;     /* row by row */
    size_t count;
    size_t room;
} tool_table;

tool_table tool_table_start(unsigned columns, uint32_t right);
/* Adds the next cell. */
void tool_table_add(tool_table *table, const char *format, ...) LAM_PRINTF(2, 3);
/* The same with a number, or "-" for a negative one, which means none. */
void tool_table_add_number(tool_table *table, int64_t number);
/* Prints all rows, the first with the titles, and frees the table. */
void tool_table_end(tool_table *table);

#endif
