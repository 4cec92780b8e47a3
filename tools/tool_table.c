/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tool_table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "tool_screen.h"

enum {
    COLUMNS_MOST = 32,
    WIDEST = 48,  /* characters that other rows are filled up to */
    GAP = 2,      /* before each cell */
    CONTINUED = 4 /* before further lines of a row */
};

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

/* The width of a column's widest cell, at most `limit`. */
static size_t widest(const tool_table *table, unsigned column, size_t limit) {
    size_t most = 0;
    for (size_t i = column; i < table->count; i += table->columns) {
        size_t width = tool_character_count(table->cells[i]);
        most = width > most ? width : most;
    }
    return most < limit ? most : limit;
}

/* --- If all fits --------------------------------------------------------------------------- */

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

static bool is_right(const tool_table *table, unsigned column) {
    return (table->right >> column & 1) != 0;
}

static void print_rows(const tool_table *table) {
    size_t widths[COLUMNS_MOST];
    for (unsigned column = 0; column < table->columns; column++)
        widths[column] = widest(table, column, WIDEST);
    for (size_t i = 0; i < table->count; i++) {
        unsigned column = (unsigned)(i % table->columns);
        print_cell(table->cells[i], widths[column], is_right(table, column),
                   column + 1 == table->columns);
    }
}

/* --- If it does not ------------------------------------------------------------------------ */

/* Whether a column is empty, except for its title. */
static bool is_unstated(const tool_table *table, unsigned column) {
    bool is_empty = table->count > table->columns;
    for (size_t i = table->columns + column; i < table->count && is_empty; i += table->columns)
        is_empty = strcmp(table->cells[i], "-") == 0 || table->cells[i][0] == '\0';
    return is_empty;
}

/* The end of a row's line that begins with this column. */
static unsigned line_end(const tool_table *table, const size_t *widths, unsigned column,
                         size_t screen) {
    size_t used = column == 0 ? 0 : CONTINUED;
    unsigned end = column;
    while (end < table->columns &&
           (widths[end] == 0 || end == column || used + GAP + widths[end] <= screen)) {
        used += widths[end] == 0 ? 0 : GAP + widths[end];
        end++;
    }
    return end;
}

/* The columns from `column` to `end` of a row, in a line of their own. */
static void print_line(const tool_table *table, char *const *row, const size_t *widths,
                       unsigned column, unsigned end, size_t screen) {
    size_t used = column == 0 ? 0 : CONTINUED;
    unsigned last = column;
    for (unsigned i = column; i < end; i++)
        if (widths[i] > 0 && row[i][0] != '\0')
            last = i + 1;
    if (last == column && column > 0)
        return;
    tool_print("%*s", (int)used, "");
    for (unsigned i = column; i < last; i++) {
        size_t own = tool_character_count(row[i]);
        int blanks = own < widths[i] ? (int)(widths[i] - own) : 0;
        if (widths[i] == 0)
            continue;
        used += GAP;
        tool_print("%*s", GAP + (is_right(table, i) ? blanks : 0), "");
        if (i + 1 == last && !is_right(table, i))
            tool_print_wrapped(row[i], used, used, screen);
        else
            tool_print("%s%*s", row[i], is_right(table, i) ? 0 : blanks, "");
        used += widths[i];
    }
    tool_print("\n");
}

static void print_lines(const tool_table *table, size_t screen) {
    size_t widths[COLUMNS_MOST];
    for (unsigned column = 0; column < table->columns; column++)
        widths[column] =
            is_unstated(table, column) ? 0 : widest(table, column, screen - CONTINUED - GAP);
    for (size_t row = 0; row < table->count; row += table->columns)
        for (unsigned column = 0, end; column < table->columns; column = end) {
            end = line_end(table, widths, column, screen);
            print_line(table, table->cells + row, widths, column, end, screen);
        }
}

void tool_table_end(tool_table *table) {
    size_t screen = tool_screen_of_program()->width, total = 0;
    for (unsigned column = 0; column < table->columns; column++)
        total += GAP + widest(table, column, SIZE_MAX);
    if (screen == 0 || total <= screen)
        print_rows(table);
    else
        print_lines(table, screen);
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i]);
    free(table->cells);
    table->cells = NULL;
    table->count = table->room = 0;
}
