/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws a table: cells become texts without control characters, texts become widths, and widths
 * decide what shows. Until the widths are known, rows are kept; their number and the length of
 * their texts are bounded, so a table of any length takes little memory.
 */
#include "screen_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "tool_screen.h"

enum {
    ROWS_KEPT = 500, /* that determine widths, if columns are few */
    CELLS_KEPT = 100000,
    WIDTH_LEAST = 12,  /* of a column that is cut */
    TEXT_MOST = 65536, /* columns of a cell, if no cell is cut */
    NAMES_MOST = 8     /* of columns left out that are listed */
};

/* --- Texts --------------------------------------------------------------------------------- */

/* Prints as much of a text as has room, with a mark where it is cut; gives the columns it took. */
static size_t print_cut(const char *text, size_t width) {
    const char *mark = tool_screen_of_program()->is_utf8 ? "\xE2\x80\xA6" : "..";
    size_t mark_width = tool_screen_of_program()->is_utf8 ? 1 : 2, used = 0;
    const char *at = text, *end = text + strlen(text);
    bool is_cut = tool_text_width(text) > width;
    size_t most = is_cut ? width - mark_width : width;
    while (at < end) {
        tool_glyph glyph = tool_glyph_at(at, end);
        if (used + glyph.width > most)
            break;
        used += glyph.width;
        at = glyph.end;
    }
    tool_print("%.*s%s", (int)(at - text), text, is_cut ? mark : "");
    return used + (is_cut ? mark_width : 0);
}

/* --- Widths -------------------------------------------------------------------------------- */

/* Never cut: the beginning of a number is another number, and that of a time another time. */
static bool is_whole(lam_cell_kind kind) {
    return kind == LAM_CELL_NUMBER || kind == LAM_CELL_TIME;
}

/* What a column takes with no cell wider than `most`, except those that are never cut. */
static size_t width_within(const screen_table *table, size_t column, size_t most) {
    size_t width = table->widths[column] < most ? table->widths[column] : most;
    return width > table->least[column] ? width : table->least[column];
}

static size_t total_width(const screen_table *table, size_t columns, size_t most) {
    size_t total = 0;
    for (size_t i = 0; i < columns; i++)
        total += 3 + width_within(table, i, most);
    return total;
}

/* Cuts the widest columns alike until all fit, and then leaves out the last ones. */
static void fit_widths(screen_table *table) {
    size_t screen = table->is_wide ? 0 : tool_screen_of_program()->width;
    size_t most = screen;
    table->shown = table->columns;
    if (screen == 0)
        return;
    while (most > WIDTH_LEAST && total_width(table, table->columns, most) > screen)
        most--;
    while (table->shown > 1 && total_width(table, table->shown, most) > screen)
        table->shown--;
    if (table->shown == 1 && most + 3 > screen)
        most = screen - 3;
    /* The room of the columns that are left out is for the others. */
    while (most < screen && total_width(table, table->shown, most + 1) <= screen &&
           total_width(table, table->shown, most) < total_width(table, table->shown, screen))
        most++;
    for (size_t i = 0; i < table->shown; i++)
        table->widths[i] = width_within(table, i, most);
}

/* Removes from the text of a time all beyond that many digits. */
static void shorten(char *text, unsigned digits) {
    lam_bytes head, tail;
    const lam_cell cell = {LAM_CELL_TIME, {(const uint8_t *)text, strlen(text)}};
    (void)lam_cell_cut_time(&cell, digits, &head, &tail);
    memmove(text + head.size, tail.data, tail.size);
    text[head.size + tail.size] = '\0';
}

static void find_widths(screen_table *table) {
    for (size_t i = 0; i < table->columns; i++)
        table->widths[i] = tool_text_width(table->names[i]);
    for (size_t i = 0; i < table->rows * table->columns; i++) {
        size_t column = i % table->columns, width;
        if (table->kinds[i] == LAM_CELL_TIME)
            shorten(table->texts[i], table->digits[column]);
        width = tool_text_width(table->texts[i]);
        if (width > table->widths[column])
            table->widths[column] = width;
        if (is_whole(table->kinds[i]) && width > table->least[column])
            table->least[column] = width;
    }
    fit_widths(table);
    table->has_widths = true;
}

/* --- Lines --------------------------------------------------------------------------------- */

static void print_blanks(size_t count) {
    tool_print("%*s", (int)count, "");
}

static void print_cell(const screen_table *table, size_t column, const char *text,
                       lam_cell_kind kind, bool is_last) {
    size_t width = table->widths[column];
    if (is_whole(kind) && tool_text_width(text) > width)
        width = tool_text_width(text); /* one that is longer than those of the first rows */
    size_t taken = tool_text_width(text);
    taken = taken < width ? taken : width;
    tool_print("%s", column == 0                         ? " "
                     : tool_screen_of_program()->is_utf8 ? " \xE2\x94\x82 "
                                                         : " | ");
    if (table->right[column])
        print_blanks(width - taken);
    if (kind == LAM_CELL_NULL)
        tool_set_colour(TOOL_COLOUR_DIM);
    taken = print_cut(text, width);
    if (kind == LAM_CELL_NULL)
        tool_set_colour(TOOL_COLOUR_NONE);
    if (!table->right[column] && !is_last)
        print_blanks(width - taken);
}

static void print_head(const screen_table *table) {
    const tool_screen *screen = tool_screen_of_program();
    for (size_t i = 0; i < table->shown; i++) {
        tool_set_colour(TOOL_COLOUR_BOLD);
        print_cell(table, i, table->names[i], LAM_CELL_TEXT, i + 1 == table->shown);
        tool_set_colour(TOOL_COLOUR_NONE);
    }
    tool_print("\n");
    for (size_t i = 0; i < table->shown; i++) {
        tool_print("%s", i == 0 ? "" : screen->is_utf8 ? "\xE2\x94\xBC" : "+");
        for (size_t k = 0; k < table->widths[i] + 2; k++)
            tool_print("%s", screen->is_utf8 ? "\xE2\x94\x80" : "-");
    }
    tool_print("\n");
}

static void print_row(const screen_table *table, char *const *texts, const lam_cell_kind *kinds) {
    for (size_t i = 0; i < table->shown; i++)
        print_cell(table, i, texts[i], kinds[i], i + 1 == table->shown);
    tool_print("\n");
}

/* Prints the rows that were kept for the widths. */
static void print_kept(screen_table *table) {
    find_widths(table);
    print_head(table);
    for (size_t row = 0; row < table->rows; row++)
        print_row(table, table->texts + row * table->columns, table->kinds + row * table->columns);
    for (size_t i = 0; i < table->rows * table->columns; i++)
        free(table->texts[i]);
    table->rows = 0;
}

/* --- The table ----------------------------------------------------------------------------- */

void screen_table_begin(screen_table *table, const lam_table *rows, bool is_wide) {
    size_t columns = 0;
    while (lam_table_column_name(rows, columns) != NULL)
        columns++;
    memset(table, 0, sizeof *table);
    table->is_wide = is_wide;
    table->columns = columns;
    table->rows_kept = CELLS_KEPT / (columns + 1) + 1;
    if (table->rows_kept > ROWS_KEPT)
        table->rows_kept = ROWS_KEPT;
    table->names = tool_allocate(columns + 1, sizeof *table->names);
    for (size_t i = 0; i < columns; i++) {
        const char *name = lam_table_column_name(rows, i);
        table->names[i] = tool_printable(name, strlen(name), TEXT_MOST, true);
    }
    table->widths = tool_allocate(columns + 1, sizeof *table->widths);
    table->right = tool_allocate(columns + 1, sizeof *table->right);
    table->texts = tool_allocate((columns + 1) * table->rows_kept, sizeof *table->texts);
    table->kinds = tool_allocate((columns + 1) * table->rows_kept, sizeof *table->kinds);
    table->least = tool_allocate(columns + 1, sizeof *table->least);
    table->digits = tool_allocate(columns + 1, sizeof *table->digits);
}

/* Until the widths are known a time is kept as it is, and its digits are counted. */
static void take_time(screen_table *table, size_t column, const lam_cell *cell, char *text) {
    lam_bytes head, tail;
    unsigned digits = lam_cell_cut_time(cell, 0, &head, &tail);
    if (table->has_widths)
        shorten(text, table->digits[column]);
    else if (digits > table->digits[column])
        table->digits[column] = digits;
}

/* A column is one of numbers if its first value is. */
void screen_table_row(screen_table *table, const lam_cell *cells) {
    size_t screen = tool_screen_of_program()->width;
    size_t most = table->is_wide || screen == 0 ? TEXT_MOST : screen;
    char **texts = table->texts + table->rows * table->columns;
    lam_cell_kind *kinds = table->kinds + table->rows * table->columns;
    for (size_t i = 0; i < table->columns; i++) {
        const lam_cell *cell = &cells[i];
        const size_t room = is_whole(cell->kind) ? TEXT_MOST : most;
        kinds[i] = cell->kind;
        texts[i] = cell->kind == LAM_CELL_NULL
                       ? tool_copy_text("null")
                       : tool_printable((const char *)cell->text.data, cell->text.size, room, true);
        if (!table->has_widths && cell->kind == LAM_CELL_NUMBER)
            table->right[i] = true;
        if (cell->kind == LAM_CELL_TIME)
            take_time(table, i, cell, texts[i]);
    }
    if (!table->has_widths) {
        if (++table->rows == table->rows_kept)
            print_kept(table);
        return;
    }
    print_row(table, texts, kinds);
    for (size_t i = 0; i < table->columns; i++)
        free(texts[i]);
}

static void print_left_out(const screen_table *table) {
    size_t left = table->columns - table->shown;
    if (left == 0)
        return;
    tool_set_colour(TOOL_COLOUR_DIM);
    tool_memory line;
    tool_memory_begin(&line, NULL);
    fprintf(line.file, "%zu more column%s: ", left, tool_s(left));
    for (size_t i = table->shown; i < table->columns && i < table->shown + NAMES_MOST; i++)
        fprintf(line.file, "%s%s", i == table->shown ? "" : ", ", table->names[i]);
    fprintf(line.file, "%s (--wide prints all, --columns chooses)",
            left > NAMES_MOST ? ", ..." : "");
    tool_memory_end(&line, true);
    tool_print_wrapped(line.text, 0, 2, tool_screen_of_program()->width);
    free(line.text);
    tool_set_colour(TOOL_COLOUR_NONE);
    tool_print("\n");
}

void screen_table_end(screen_table *table) {
    if (!table->has_widths && table->columns > 0)
        print_kept(table);
    print_left_out(table);
    for (size_t i = 0; i < table->columns; i++)
        free(table->names[i]);
    free(table->names);
    free(table->widths);
    free(table->right);
    free(table->texts);
    free(table->kinds);
    free(table->least);
    free(table->digits);
}
