/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tool_table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool.h"
#include "tool_screen.h"

enum { WIDEST = 48 }; /* characters that other rows are filled up to */

tool_table tool_table_start(unsigned columns, uint32_t right) {
    tool_table table = {columns, right, NULL, 0, 0};
    return table;
}

static void add_cell(tool_table *table, char *cell) {
    if (table->count == table->room) {
        table->room = 2 * table->room + 64;
        table->cells = tool_reallocate(table->cells, table->room, sizeof *table->cells);
    }
    table->cells[table->count++] = cell;
}

void tool_table_add(tool_table *table, const char *format, ...) {
    char *cell;
    va_list arguments;
    va_start(arguments, format);
    int size = vasprintf(&cell, format, arguments);
    va_end(arguments);
    if (size < 0)
        tool_end_without_memory(NULL, "no memory"); /* no other cause is left */
    char *printable = tool_printable(cell, (size_t)size, SIZE_MAX, false);
    free(cell);
    add_cell(table, printable);
}

void tool_table_add_number(tool_table *table, int64_t number) {
    if (number < 0)
        tool_table_add(table, "-");
    else
        tool_table_add(table, "%" PRId64, number);
}

static size_t widest(const tool_table *table, unsigned column) {
    size_t most = 0;
    for (size_t i = column; i < table->count; i += table->columns) {
        size_t width = tool_character_count(table->cells[i]);
        most = width > most ? width : most;
    }
    return most < WIDEST ? most : WIDEST;
}

static void print_cell(const char *cell, size_t width, bool right, bool is_last) {
    size_t own = tool_character_count(cell);
    int blanks = own < width ? (int)(width - own) : 0;
    if (is_last && *cell == '\0') {
        tool_print("\n");
        return;
    }
    tool_print("  ");
    if (right)
        tool_print("%*s", blanks, "");
    tool_print("%s", cell);
    if (!right && !is_last)
        tool_print("%*s", blanks, "");
    if (is_last)
        tool_print("\n");
}

void tool_table_end(tool_table *table) {
    size_t widths[32];
    for (unsigned column = 0; column < table->columns && column < 32; column++)
        widths[column] = widest(table, column);
    for (size_t i = 0; i < table->count; i++) {
        unsigned column = (unsigned)(i % table->columns);
        print_cell(table->cells[i], widths[column], (table->right >> column & 1) != 0,
                   column + 1 == table->columns);
        free(table->cells[i]);
    }
    free(table->cells);
    table->cells = NULL;
    table->count = table->room = 0;
}
