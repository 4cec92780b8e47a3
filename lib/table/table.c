/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes rows of cells from records: takes a record reader, and calls the sink once for each record.
 *
 *     columns --json_rows--> lines of JSON --cell_split--> cells --> sink
 *
 * The JSON writer prints into an output of the table's own, so the text of every value is made in
 * one place. A row is only ever given once, and only for a record that printed completely.
 */
#include <lamella/table.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/options.h"
#include "table/cell_split.h"
#include "json/write/json_writer.h"

struct lam_table {
    lam_allocator allocator;
    lam_json_writer *writer;
    lam_output output; /* of the writer: takes its lines */
    lam_cell_sink sink;
    lam_arena arena; /* owns the columns and the cells */
    lam_cell_columns columns;
    lam_cell *cells;
    lam_buffer scratch; /* texts of a row that had escapes */
    bool has_failed;    /* the sink; the lines that the writer still has would be given again */
};

/* Gives the rows of complete lines. */
static lam_status take_lines(void *state, const void *data, size_t size, lam_error *error) {
    lam_table *table = state;
    const uint8_t *line = data, *end = line + size;
    table->has_failed = true;
    while (line < end) {
        const uint8_t *newline = memchr(line, '\n', (size_t)(end - line));
        lam_buffer_clear(&table->scratch);
        LAM_TRY(lam_buffer_reserve(&table->scratch, (size_t)(newline - line), error));
        lam_cell_split(&table->columns, line, table->scratch.data, table->cells);
        LAM_TRY(table->sink.row(table->sink.state, table->cells, table->columns.count, error));
        line = newline + 1;
    }
    table->has_failed = false;
    return LAM_STATUS_OK;
}

lam_status lam_table_create(const lam_schema *schema, const lam_json_writer_options *json,
                            const lam_cell_sink *sink, const lam_allocator *allocator,
                            lam_table **ret_table, lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    lam_json_writer_options chosen;
    lam_status status;
    LAM_TRY(LAM_OPTIONS_READ(lam_json_writer_options, json, &chosen, error));
    chosen.omit_nulls = false; /* a null is a cell, too */
    lam_table *table;
    LAM_TRY(LAM_NEW(&own, &table, error));
    table->allocator = own;
    table->sink = *sink;
    table->output = (lam_output){table, take_lines, NULL, NULL};
    lam_arena_init(&table->arena, &own, 0);
    lam_buffer_init(&table->scratch, &own);
    LAM_TRY_OUT(
        lam_json_writer_create(schema, &table->output, &chosen, allocator, &table->writer, error));
    LAM_TRY_OUT(
        lam_cell_columns_make(&table->writer->shape, &table->arena, &table->columns, error));
    LAM_TRY_OUT(LAM_ARENA_ARRAY(&table->arena, table->columns.count + 1, &table->cells, error));
    *ret_table = table;
    return LAM_STATUS_OK;
out:
    lam_table_destroy(table);
    return status;
}

const char *lam_table_column_name(const lam_table *table, size_t index) {
    return index < table->columns.count ? table->columns.names[index] : NULL;
}

/* The records before a failure are given, unless it is the sink that failed. */
lam_status lam_table_read(lam_table *table, lam_record_reader *records, uint64_t max_records,
                          uint64_t *ret_records, lam_error *error) {
    lam_status status =
        lam_json_writer_print(table->writer, records, max_records, ret_records, error);
    if (table->has_failed)
        return status;
    lam_status flushed =
        lam_json_writer_flush(table->writer, status == LAM_STATUS_OK ? error : NULL);
    return status == LAM_STATUS_OK ? flushed : status;
}

/* Also for a table that create has left half-made: its members are cleared memory. */
void lam_table_destroy(lam_table *table) {
    if (table == NULL)
        return;
    lam_allocator own = table->allocator;
    lam_json_writer_destroy(table->writer);
    lam_buffer_finish(&table->scratch);
    lam_arena_finish(&table->arena);
    lam_free(&own, table, sizeof *table);
}
