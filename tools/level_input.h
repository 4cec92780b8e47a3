/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What levels, trace and explain read: the columns of a Parquet file, or JSON records with a
 * schema, which are shredded in memory.
 */
#ifndef LAMELLA_TOOLS_LEVEL_INPUT_H
#define LAMELLA_TOOLS_LEVEL_INPUT_H

#include "import_option.h"
#include "level_source.h"
#include "tool.h"

/* The options that the commands share; theirs begin with it. */
typedef struct level_choice {
    const char *schema;
    const char *columns;
    uint64_t record;    /* UINT64_MAX: not given */
    uint64_t row_group; /* likewise */
    uint64_t limit;     /* likewise */
} level_choice;

#define LEVEL_CHOICE_DEFAULT                                                                       \
    { NULL, NULL, UINT64_MAX, UINT64_MAX, UINT64_MAX }

extern const char level_columns_help[];

#define LEVEL_CHOICE_ROWS                                                                          \
    {.name = "columns",                                                                            \
     .kind = TOOL_OPTION_PATHS,                                                                    \
     .at = offsetof(level_choice, columns),                                                        \
     .argument = "A,B.C",                                                                          \
     .group = "which columns and records",                                                         \
     .help = level_columns_help},                                                                  \
        {.name = "record",                                                                         \
         .kind = TOOL_OPTION_COUNT,                                                                \
         .at = offsetof(level_choice, record),                                                     \
         .argument = "N",                                                                          \
         .help = "only record N, counted from 0; with --limit, as many from there on"},            \
        {.name = "limit",                                                                          \
         .also = "max-rows",                                                                       \
         .letter = 'n',                                                                            \
         .kind = TOOL_OPTION_COUNT,                                                                \
         .at = offsetof(level_choice, limit),                                                      \
         .argument = "N",                                                                          \
         .help = "only the first N records"},                                                      \
        {.name = "row-group",                                                                      \
         .kind = TOOL_OPTION_COUNT,                                                                \
         .at = offsetof(level_choice, row_group),                                                  \
         .argument = "N",                                                                          \
         .holds = TOOL_HOLDS_PARQUET,                                                              \
         .help = "only the records of row group N, counted from 0, of Parquet files"},             \
    {                                                                                              \
        .name = "schema", .kind = TOOL_OPTION_SCHEMA, .at = offsetof(level_choice, schema),        \
        .argument = "FILE|TEXT", .holds = TOOL_HOLDS_JSON,                                         \
        .help = "of JSON: the schema, as message text or a file of it; default: the one that "     \
                "\"lamella import\" infers"                                                        \
    }

typedef struct level_input {
    const char *file;
    const lam_schema *schema;
    lam_input bytes;    /* of a Parquet file that is packed or a pipe, else empty */
    lam_reader *reader; /* of a Parquet file, else NULL */
    level_range range;  /* chosen */
    bool *leaves;       /* chosen, or NULL for all */
    /* Of a text. */
    tool_text text;
    char *name;
    import_options import;
    import_schema made;
    lam_shredder *shredder; /* after level_input_shred */
} level_input;

/*
 * Opens a file or text, with the choice of records and columns. On failure prints why and gives the
 * exit status. To be closed in both cases.
 */
int level_input_open(const tool_command *command, const char *file, const level_choice *choice,
                     level_input *ret_input);
void level_input_close(level_input *input);

/* For a text, lets only complete lines at its beginning be read: about that many bytes. */
void level_input_cut(level_input *input, size_t most_bytes);
/* Whether there was more. */
bool level_input_was_cut(const level_input *input);

/*
 * Drives a sink with the chosen records. On failure prints why, gives the exit status, and sets
 * `ret_failure`, which may be NULL.
 */
int level_input_drive(level_input *input, const lam_record_sink *sink, lam_error *ret_failure);

/*
 * The columns of the chosen records; shreds those of a text, within the memory limit of the
 * program, and with `looks_ahead` one record more, which shows where the last one ends. On failure
 * prints why and gives the exit status.
 */
int level_input_columns(level_input *input, bool looks_ahead, level_source *ret_source);

#endif
