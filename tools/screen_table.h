/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of cells as the lines of a table that fits a screen. The widths of columns come from the
 * first rows; a cell that is longer is cut, unless it is a number or a time, and columns that have
 * no room are left out, which the last line says. All times of a column have as many digits as one
 * of the first rows needs.
 *
 *      id | user.name | tags
 *     ----+-----------+-----------
 *       7 | Ann       | ["a","b..
 *     2 more columns: time, place (--wide prints all)
 */
#ifndef LAMELLA_TOOLS_SCREEN_TABLE_H
#define LAMELLA_TOOLS_SCREEN_TABLE_H

#include <lamella/table.h>

typedef struct screen_table {
    bool is_wide; /* nothing is cut or left out */
    size_t columns;
    char **names;         /* as they show */
    size_t *widths;       /* of the visible columns, when that is known */
    bool *right;          /* numbers are aligned to the right */
    size_t *least;        /* room for the numbers and times of a column */
    unsigned *digits;     /* of a column of times: those of fractions */
    size_t shown;         /* columns */
    char **texts;         /* of the rows that wait for the widths, row by row */
    lam_cell_kind *kinds; /* of the same */
    size_t rows;
    size_t rows_kept; /* the most that wait */
    bool has_widths;
} screen_table;

/* The columns are those of `rows`. */
void screen_table_begin(screen_table *table, const lam_table *rows, bool is_wide);
void screen_table_row(screen_table *table, const lam_cell *cells);
/* Prints the remaining rows, and frees the table. */
void screen_table_end(screen_table *table);

#endif
