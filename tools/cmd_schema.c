/* SPDX-License-Identifier: Apache-2.0 */
/* lamella schema: the schema of a file as message text. */
#define _POSIX_C_SOURCE 200809L
#include <lamella/reader.h>
#include <stdio.h>
#include <stdlib.h>

#include "schema_forms.h"
#include "tool.h"
#include "tool_files.h"

typedef struct schema_options {
    schema_form form;
    bool names_files;
} schema_options;

static int print_schema(const char *file, void *state) {
    const schema_options *options = state;
    lam_error error = lam_error_none();
    lam_reader *reader;
    int result = tool_open(file, &reader);
    if (result != TOOL_OK)
        return result;
    if (options->names_files)
        tool_print("%s%s\n", options->form == SCHEMA_FORM_SQL ? "-- " : "# ", tool_name(file));
    if (schema_print_form(reader, file, options->form, &error) != LAM_STATUS_OK)
        result = tool_fail(file, &error);
    lam_reader_close(reader);
    return result;
}

static const tool_option option_rows[] = {
    {.name = "json",
     .kind = TOOL_OPTION_PICK,
     .at = offsetof(schema_options, form),
     .least = SCHEMA_FORM_JSON,
     .help = "print a tree of objects with name, repetition, type, length, logical_type, field_id, "
             "max_repetition, max_definition and fields"},
    {.name = "levels",
     .kind = TOOL_OPTION_PICK,
     .at = offsetof(schema_options, form),
     .least = SCHEMA_FORM_LEVELS,
     .help = "print a line for each field, with what it adds to the repetition level r and the "
             "definition level d of its group, and their maximum"},
    {.name = "arrow",
     .kind = TOOL_OPTION_PICK,
     .at = offsetof(schema_options, form),
     .least = SCHEMA_FORM_ARROW,
     .help = "print the types that Arrow readers get"},
    {.name = "sql",
     .kind = TOOL_OPTION_PICK,
     .at = offsetof(schema_options, form),
     .least = SCHEMA_FORM_SQL,
     .help = "print a CREATE TABLE with the types of DuckDB"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    schema_options chosen = {SCHEMA_FORM_TEXT, false};
    int operands, result = tool_take_options(&tool_schema, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    if (operands == 0)
        return tool_misuse(&tool_schema, "no file given");
    tool_files files;
    tool_files_find(operands, argv + 1, false, &files);
    chosen.names_files = files.count > 1 && chosen.form != SCHEMA_FORM_JSON;
    result = tool_each_of(&files, print_schema, &chosen);
    tool_files_free(&files);
    return result;
}

const tool_command tool_schema = {
    .name = "schema",
    .summary = "print the schema",
    .usage = "[options] FILE...",
    .description =
        "Prints the schema of each Parquet file as message text: every field with its repetition "
        "(required, optional, repeated), its physical type, its logical type in parentheses, and "
        "its field id."
        "\n\n"
        "\"lamella import --schema\" accepts this text. Several files come with their names. FILE "
        "may be \"-\" for standard input.",
    .examples = (const char *const[]){"lamella schema events.parquet",
                                      "lamella schema --levels events.parquet", NULL},
    .options = option_rows,
    .run = run,
    .is_paged = true,
};
