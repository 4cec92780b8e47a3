/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints records of one or several files to standard output, in the chosen format: a reader's
 * records as lines, one JSON array, delimited text or tables.
 */
#ifndef LAMELLA_TOOLS_ROW_PRINT_H
#define LAMELLA_TOOLS_ROW_PRINT_H

#include <lamella/lamella.h>

#include "tool_option.h"

typedef enum row_format {
    ROW_FORMAT_DEFAULT, /* of the command */
    ROW_FORMAT_NDJSON,
    ROW_FORMAT_JSON,
    ROW_FORMAT_CSV,
    ROW_FORMAT_TSV,
    ROW_FORMAT_TABLE
} row_format;

/* How rows are printed, as options of several commands have it. */
typedef struct row_style {
    row_format format;
    bool is_wide;
    lam_delimited_audience audience; /* of CSV and TSV */
    bool omits_nulls;
    lam_json_binary binary;
    lam_json_variant variant;
} row_style;

#define ROW_STYLE_ROWS(type, member, short_name)                                                   \
    {.name = "format",                                                                             \
     .letter = short_name,                                                                         \
     .kind = TOOL_OPTION_ENUM,                                                                     \
     .at = offsetof(type, member.format),                                                          \
     .values = TOOL_VALUES("ndjson", "json", "csv", "tsv", "table"),                               \
     .least = ROW_FORMAT_NDJSON,                                                                   \
     .group = "how records are printed",                                                           \
     .help = row_format_help},                                                                     \
        {.name = "no-nulls",                                                                       \
         .kind = TOOL_OPTION_FLAG,                                                                 \
         .at = offsetof(type, member.omits_nulls),                                                 \
         .help = "JSON: leave out the fields of a record, and of groups in it, that are null"},    \
        {.name = "wide",                                                                           \
         .kind = TOOL_OPTION_FLAG,                                                                 \
         .at = offsetof(type, member.is_wide),                                                     \
         .help = "tables: cut no cell and leave out no column, however wide the screen is"},       \
        {.name = "csv-for",                                                                        \
         .kind = TOOL_OPTION_ENUM,                                                                 \
         .at = offsetof(type, member.audience),                                                    \
         .values = TOOL_VALUES("program", "spreadsheet"),                                          \
         .least = LAM_DELIMITED_FOR_PROGRAMS,                                                      \
         .help = row_audience_help},                                                               \
        {.name = "binary",                                                                         \
         .kind = TOOL_OPTION_ENUM,                                                                 \
         .at = offsetof(type, member.binary),                                                      \
         .values = TOOL_VALUES("base64", "hex", "utf8"),                                           \
         .least = LAM_JSON_BINARY_BASE64,                                                          \
         .help = "how to print bytes that are not text; default: base64"},                         \
    {                                                                                              \
        .name = "variant", .kind = TOOL_OPTION_ENUM, .at = offsetof(type, member.variant),         \
        .values = TOOL_VALUES("value", "typed", "storage"), .least = LAM_JSON_VARIANT_VALUE,       \
        .help = "print VARIANTs as their values; as values with their kinds, as in {\"int8\":5}; " \
                "or as the groups that store them, in which paths of --columns then select "       \
                "columns; default: value"                                                          \
    }

extern const char row_format_help[], row_audience_help[];

/* The state kept from file to file. */
typedef struct row_printer {
    row_format format;
    bool is_wide;
    lam_delimited_audience audience;
    bool has_begun;              /* JSON: the array is open */
    bool needs_comma;            /* JSON: a record was printed */
    char *header;                /* CSV, TSV, tables: names of the columns, a line each */
    struct screen_table *screen; /* the table that is open; or NULL */
} row_printer;

/* `format` in place of a default. */
row_printer row_printer_begin(const row_style *style, row_format format);

/* Records to leave out, and then to print. */
typedef struct row_run {
    uint64_t skip;
    uint64_t count;
} row_run;

/* What is printed of a file. */
typedef struct row_job {
    const lam_reader *reader;
    const lam_scan_options *scan;
    const lam_json_writer_options *json; /* of the same fields */
    const row_run *runs;                 /* end early with the records */
    size_t run_count;
    lam_scan_report *report;   /* filled when not NULL, after a failure too */
    uint64_t *row_groups_read; /* by leaf; the same */
    uint64_t skipped;          /* set: records left out by runs */
    uint64_t printed;          /* set: records printed, those before a failure too */
} row_job;

/*
 * Prints the records of a file. INVALID when it has other columns than the one before, if one
 * header serves all.
 */
lam_status row_print(row_printer *printer, row_job *job, lam_error *error);

/*
 * The target of lines of JSON; for ROW_FORMAT_JSON they are elements of an array, which is then
 * open.
 */
lam_output row_printer_lines(row_printer *printer);

/* Prints all rows that a table has kept; the next ones are another table. */
void row_printer_end_table(row_printer *printer);

/* Prints the end of the output, none if no file was printed and not all `is_good`; frees. */
void row_printer_end(row_printer *printer, bool is_good);

/* Whether the columns of all files are printed before their records. */
bool row_printer_has_header(const row_printer *printer);

/* A table on a screen, lines of JSON for programs. */
row_format row_format_for_people(void);

#endif
