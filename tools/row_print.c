/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints rows, with one function for each format, over the writers of the library: the records of a
 * reader become text. The invariant: several files print like one file with all their records; a
 * file with other columns than those before has a table of its own.
 */
#include "row_print.h"

#include <stdlib.h>
#include <string.h>

#include "screen_table.h"
#include "tool.h"
#include "tool_screen.h"

const char row_format_help[] =
    "ndjson: a JSON object in each line; json: one array of them; csv, tsv: delimited text with a "
    "line of names, in which fields of groups are columns and lists, maps and VARIANTs are JSON; "
    "table: for people";

const char row_audience_help[] =
    "csv, tsv: who reads them. For a spreadsheet, an apostrophe disarms what it would take for a "
    "formula in texts and names of columns, which then do not read back exactly; numbers stay, and "
    "timestamps have neither T nor Z. Default: program";

row_format row_format_for_people(void) {
    return tool_screen_of_program()->is_terminal ? ROW_FORMAT_TABLE : ROW_FORMAT_NDJSON;
}

row_printer row_printer_begin(const row_style *style, row_format format) {
    row_printer printer = {.format = style->format == ROW_FORMAT_DEFAULT ? format : style->format,
                           .is_wide = style->is_wide,
                           .audience = style->audience};
    tool_print_exactly(printer.format != ROW_FORMAT_TABLE);
    return printer;
}

bool row_printer_has_header(const row_printer *printer) {
    return printer->format == ROW_FORMAT_CSV || printer->format == ROW_FORMAT_TSV ||
           printer->format == ROW_FORMAT_TABLE;
}

/* Prints a run: lam_json_writer_print and its like. */
typedef lam_status (*run_printer)(void *writer, lam_record_reader *records, uint64_t most,
                                  uint64_t *ret_count, lam_error *error);

static lam_status print_runs(row_job *job, lam_record_reader *records, run_printer print,
                             void *writer, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; i < job->run_count && status == LAM_STATUS_OK; i++) {
        uint64_t skipped = 0, count = 0;
        if (job->runs[i].skip > 0)
            status = lam_record_reader_skip(records, job->runs[i].skip, &skipped, error);
        if (status == LAM_STATUS_OK)
            status = print(writer, records, job->runs[i].count, &count, error);
        job->skipped += skipped;
        job->printed += count;
    }
    return status;
}

/* Reads and prints; the report includes rows read before a failure, too. */
static lam_status print_scan(row_job *job, run_printer print, void *writer, lam_error *error) {
    lam_record_reader *records;
    size_t leaf_count = lam_schema_leaf_count(lam_reader_schema(job->reader));
    lam_status status = lam_record_reader_open_scan(job->reader, job->scan, &records, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = print_runs(job, records, print, writer, error);
    bool ok = status == LAM_STATUS_OK;
    if (job->report != NULL &&
        lam_record_reader_report(records, job->report, ok ? error : NULL) != LAM_STATUS_OK && ok)
        status = LAM_STATUS_INVALID;
    for (size_t i = 0; job->row_groups_read != NULL && i < leaf_count; i++)
        job->row_groups_read[i] = lam_record_reader_row_groups_of(records, i);
    lam_record_reader_close(records);
    return status;
}

/* Keeps the first of two failures. */
static lam_status join_status(lam_status first, lam_status second, const lam_error *second_error,
                              lam_error *error) {
    if (first != LAM_STATUS_OK || second == LAM_STATUS_OK)
        return first;
    *error = *second_error;
    return second;
}

/* --- JSON ---------------------------------------------------------------------------------- */

static lam_status print_json(void *writer, lam_record_reader *records, uint64_t most,
                             uint64_t *ret_count, lam_error *error) {
    return lam_json_writer_print(writer, records, most, ret_count, error);
}

/* Complete lines as elements of an array: a line break is only ever the end of a record. */
static lam_status write_elements(void *state, const void *data, size_t size, lam_error *error) {
    row_printer *printer = state;
    lam_output *output = tool_stdout();
    const char *line = data, *end = line + size;
    lam_status status = LAM_STATUS_OK;
    while (line < end && status == LAM_STATUS_OK) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        if (printer->needs_comma)
            status = output->write(output->state, ",\n", 2, error);
        if (status == LAM_STATUS_OK)
            status = output->write(output->state, line, (size_t)(newline - line), error);
        printer->needs_comma = true;
        line = newline + 1;
    }
    return status;
}

lam_output row_printer_lines(row_printer *printer) {
    lam_output elements = {printer, write_elements, NULL, NULL};
    if (printer->format != ROW_FORMAT_JSON)
        return *tool_stdout();
    if (!printer->has_begun)
        tool_print("[\n");
    printer->has_begun = true;
    return elements;
}

static lam_status print_lines(row_printer *printer, row_job *job, lam_error *error) {
    lam_output output = row_printer_lines(printer);
    lam_json_writer *writer;
    lam_error flush_error = lam_error_none();
    lam_status status = lam_json_writer_create(lam_reader_schema(job->reader), &output, job->json,
                                               NULL, &writer, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = print_scan(job, print_json, writer, error);
    lam_status flushed = lam_json_writer_flush(writer, &flush_error);
    lam_json_writer_destroy(writer);
    return join_status(status, flushed, &flush_error, error);
}

/* --- Delimited text ------------------------------------------------------------------------ */

/* The names of the columns, a line each. */
static char *header_of(const lam_table *table) {
    size_t size = 1;
    const char *name;
    for (size_t i = 0; (name = lam_table_column_name(table, i)) != NULL; i++)
        size += strlen(name) + 1;
    char *header = tool_allocate(size, 1), *end = header;
    for (size_t i = 0; (name = lam_table_column_name(table, i)) != NULL; i++) {
        size_t length = strlen(name);
        memcpy(end, name, length);
        end[length] = '\n';
        end += length + 1;
    }
    return header;
}

static lam_status ignore_row(void *state, const lam_cell *cells, size_t count, lam_error *error) {
    (void)state, (void)cells, (void)count, (void)error;
    return LAM_STATUS_OK;
}

/* Keeps the columns of the first file, and compares those of others. */
static lam_status check_header(row_printer *printer, const row_job *job, lam_error *error) {
    lam_cell_sink sink = {NULL, ignore_row};
    lam_table *table;
    lam_status status = lam_table_create(lam_reader_schema(job->reader), job->json, &sink,
                                         tool_allocator(), &table, error);
    if (status != LAM_STATUS_OK)
        return status;
    char *header = header_of(table);
    lam_table_destroy(table);
    if (printer->header == NULL) {
        printer->header = header;
        return LAM_STATUS_OK;
    }
    bool is_same = strcmp(printer->header, header) == 0;
    free(header);
    if (is_same)
        return LAM_STATUS_OK;
    *error = lam_error_none();
    error->status = LAM_STATUS_INVALID;
    snprintf(error->message, sizeof error->message,
             "its columns are not those of the files before");
    return LAM_STATUS_INVALID;
}

static lam_status print_delimited_run(void *writer, lam_record_reader *records, uint64_t most,
                                      uint64_t *ret_count, lam_error *error) {
    return lam_delimited_writer_print(writer, records, most, ret_count, error);
}

static lam_status print_delimited(row_printer *printer, row_job *job, lam_error *error) {
    lam_delimited_options options = lam_delimited_options_default();
    lam_delimited_writer *writer;
    lam_error flush_error = lam_error_none();
    options.delimiter = printer->format == ROW_FORMAT_TSV ? '\t' : ',';
    options.audience = printer->audience;
    options.header = printer->header == NULL ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    lam_status status = check_header(printer, job, error);
    if (status == LAM_STATUS_OK)
        status = lam_delimited_writer_create(lam_reader_schema(job->reader), tool_stdout(),
                                             job->json, &options, tool_allocator(), &writer, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = print_scan(job, print_delimited_run, writer, error);
    lam_status flushed = lam_delimited_writer_flush(writer, &flush_error);
    lam_delimited_writer_destroy(writer);
    return join_status(status, flushed, &flush_error, error);
}

/* --- Tables -------------------------------------------------------------------------------- */

static lam_status draw_row(void *state, const lam_cell *cells, size_t count, lam_error *error) {
    const row_printer *printer = state;
    (void)count, (void)error;
    screen_table_row(printer->screen, cells);
    return LAM_STATUS_OK;
}

static lam_status print_table_run(void *table, lam_record_reader *records, uint64_t most,
                                  uint64_t *ret_count, lam_error *error) {
    return lam_table_read(table, records, most, ret_count, error);
}

/* Begins a table of these columns, unless the open one has them. */
static void open_table(row_printer *printer, const lam_table *table) {
    char *header = header_of(table);
    if (printer->screen != NULL && strcmp(printer->header, header) == 0) {
        free(header);
        return;
    }
    row_printer_end_table(printer);
    if (printer->has_begun)
        tool_print("\n");
    printer->has_begun = true;
    free(printer->header);
    printer->header = header;
    printer->screen = tool_allocate(1, sizeof *printer->screen);
    screen_table_begin(printer->screen, table, printer->is_wide);
}

void row_printer_end_table(row_printer *printer) {
    if (printer->screen != NULL)
        screen_table_end(printer->screen);
    free(printer->screen);
    printer->screen = NULL;
}

static lam_status print_table(row_printer *printer, row_job *job, lam_error *error) {
    lam_cell_sink sink = {printer, draw_row};
    lam_table *table;
    lam_status status = lam_table_create(lam_reader_schema(job->reader), job->json, &sink,
                                         tool_allocator(), &table, error);
    if (status != LAM_STATUS_OK)
        return status;
    open_table(printer, table);
    status = print_scan(job, print_table_run, table, error);
    lam_table_destroy(table);
    return status;
}

/* ------------------------------------------------------------------------------------------- */

lam_status row_print(row_printer *printer, row_job *job, lam_error *error) {
    job->skipped = 0;
    job->printed = 0;
    switch (printer->format) {
    case ROW_FORMAT_CSV:
    case ROW_FORMAT_TSV:
        return print_delimited(printer, job, error);
    case ROW_FORMAT_TABLE:
        return print_table(printer, job, error);
    default:
        return print_lines(printer, job, error);
    }
}

void row_printer_end(row_printer *printer, bool is_good) {
    if (printer->format == ROW_FORMAT_JSON && (printer->has_begun || is_good))
        tool_print(!printer->has_begun ? "[]\n" : !printer->needs_comma ? "]\n" : "\n]\n");
    row_printer_end_table(printer);
    free(printer->header);
}
