/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remembers on which lines records began, so that the line of a row can be found; rows and lines
 * come in order. A record is known to be out of order only when its batch is written, long after it
 * was read.
 *
 * A run always continues while lines are equally far apart, so that lines of one record each take
 * hardly any memory.
 */
#include "import_order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

void import_order_next_input(import_order *order, uint64_t row) {
    order->first_rows =
        tool_reallocate(order->first_rows, order->input_count + 1, sizeof *order->first_rows);
    order->first_rows[order->input_count++] = row;
}

/* Whether a row continues a run, perhaps as its second. */
static bool continues_run(import_order_run *run, uint64_t row, uint64_t line) {
    if (row != run->row + run->count || line < run->line)
        return false;
    if (run->count == 1)
        run->step = line - run->line;
    if (run->line + run->step * run->count != line)
        return false;
    run->count++;
    return true;
}

void import_order_note(import_order *order, uint64_t row, uint64_t line) {
    if (order->run_count > 0 && continues_run(&order->runs[order->run_count - 1], row, line))
        return;
    if (order->run_count == order->run_room) {
        order->run_room = 2 * order->run_room + 16;
        order->runs = tool_reallocate(order->runs, order->run_room, sizeof *order->runs);
    }
    order->runs[order->run_count++] = (import_order_run){row, line, 0, 1};
}

void import_order_free(import_order *order) {
    free(order->runs);
    free(order->first_rows);
    *order = (import_order){.runs = NULL};
}

/* The line of a row; 0 if it is unknown. */
static uint64_t line_of(const import_order *order, uint64_t row) {
    size_t low = 0, high = order->run_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (order->runs[middle].row <= row)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || row - order->runs[low - 1].row >= order->runs[low - 1].count)
        return 0;
    const import_order_run *run = &order->runs[low - 1];
    return run->line + (row - run->row) * run->step;
}

size_t import_order_name(const import_order *order, lam_error *error) {
    static const char separator[] = ", counted from 0, ";
    char message[sizeof error->message];
    size_t input = order->input_count;
    const char *rest = strstr(error->message, separator);
    if (error->code != LAM_ERROR_CODE_RECORD_ORDER || error->row < 0 || rest == NULL)
        return SIZE_MAX;
    uint64_t row = (uint64_t)error->row, line = line_of(order, row);
    while (input > 0 && order->first_rows[input - 1] > row)
        input--;
    if (input == 0)
        return SIZE_MAX;
    memcpy(message, error->message, sizeof message);
    rest = message + (rest - error->message) + strlen(separator);
    if (line > 0)
        snprintf(error->message, sizeof error->message, "line %" PRIu64 ": the record %s", line,
                 rest);
    else
        snprintf(error->message, sizeof error->message, "row %" PRIu64 ", counted from 0, %s",
                 row - order->first_rows[input - 1], rest);
    /* Row groups are those of the output. */
    error->row = -1;
    error->row_group = -1;
    error->column = -1;
    error->column_path[0] = '\0';
    return input - 1;
}
