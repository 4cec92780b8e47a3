/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which records and fields of files a command works on, and how it prints them: the options that
 * cat, head, sample and count share, and their effect on a file.
 */
#ifndef LAMELLA_TOOLS_RECORD_CHOICE_H
#define LAMELLA_TOOLS_RECORD_CHOICE_H

#include "file_fields.h"
#include "row_print.h"
#include "tool.h"

typedef enum record_conflicts { RECORD_CONFLICTS_ERROR, RECORD_CONFLICTS_TYPED } record_conflicts;

typedef struct record_choice {
    const char *columns;
    const char *where; /* NULL is all records */
    lam_switch pruning;
    uint64_t skip;  /* records still to leave out, of all files */
    uint64_t limit; /* records still to print */
    row_style style;
    record_conflicts conflicts; /* of VARIANTs */
    bool keep_going;
    bool explain;
    lam_clash on_clash;  /* of fields whose types clash in several files */
    bool has_begun;      /* a file was printed */
    file_fields *fields; /* of all files; NULL: each has its own only */
    row_printer printer;
} record_choice;

/* Rows of commands whose options begin with a record_choice. */
extern const char record_columns_help[], record_where_help[];

#define RECORD_CHOICE_ROWS                                                                         \
    {.name = "columns",                                                                            \
     .kind = TOOL_OPTION_PATHS,                                                                    \
     .at = offsetof(record_choice, columns),                                                       \
     .argument = "A,B.C",                                                                          \
     .group = "which records and fields",                                                          \
     .help = record_columns_help},                                                                 \
        RECORD_WHERE_ROWS

#define RECORD_WHERE_ROWS                                                                          \
    {.name = "where",                                                                              \
     .kind = TOOL_OPTION_CONDITION,                                                                \
     .at = offsetof(record_choice, where),                                                         \
     .argument = "CONDITION",                                                                      \
     .help = record_where_help},                                                                   \
        CLASH_ROW(record_choice, on_clash), {                                                      \
        .name = "no-pruning", .kind = TOOL_OPTION_OFF, .at = offsetof(record_choice, pruning),     \
        .holds = TOOL_HOLDS_PARQUET,                                                               \
        .help = "with --where: ignore statistics, page indexes and Bloom filters, and test every " \
                "record"                                                                           \
    }

/* The condition of --where for a file; NULL without one. On failure prints why. */
int record_filter(const char *file, const lam_reader *reader, const record_choice *choice,
                  lam_filter **ret_filter);

/* Prints the records of a file that `choice`, a record_choice, wants; for tool_each_file. */
int print_records(const char *file, void *choice);

/* Prints the records of a file by runs, of those that match; skip and limit do not apply. */
int print_record_runs(const char *file, record_choice *choice, const row_run *runs,
                      size_t run_count);

/* Counts the records of a file that match; all of them by its footer. */
int count_records(const char *file, const record_choice *choice, uint64_t *ret_count);

/* Prints the records of all files that the operands mean, and the end of the output. */
int print_all_records(const tool_command *command, int count, char **operands,
                      record_choice *choice, row_format format);

#endif
