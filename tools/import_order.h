/* SPDX-License-Identifier: Apache-2.0 */
/* Where in the inputs a row of the output was read, for messages about rows that are not sorted. */
#ifndef LAMELLA_TOOLS_IMPORT_ORDER_H
#define LAMELLA_TOOLS_IMPORT_ORDER_H

#include <lamella/common.h>

/* Rows whose lines are equally far apart: row r is on `line` + (r - row) * step. */
typedef struct import_order_run {
    uint64_t row;
    uint64_t line; /* from 1; 0 in inputs without lines */
    uint64_t step;
    uint64_t count;
} import_order_run;

/* Zero is the empty one; free it with import_order_free. */
typedef struct import_order {
    import_order_run *runs;
    size_t run_count, run_room;
    uint64_t *first_rows; /* of the inputs so far */
    size_t input_count;
} import_order;

/* The rows from this one on are of the next input. */
void import_order_next_input(import_order *order, uint64_t row);
/* A row, after those before, begins on a line of that input. */
void import_order_note(import_order *order, uint64_t row, uint64_t line);
void import_order_free(import_order *order);

/*
 * Names the line of the row that an error is about, or, in Parquet, its row; gives the input's
 * index, or SIZE_MAX when the error has another subject.
 */
size_t import_order_name(const import_order *order, lam_error *error);

#endif
