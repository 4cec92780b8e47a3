/* SPDX-License-Identifier: Apache-2.0 */
/* lamella schema: the schema of a file in several forms, inferred if it has none. */
#define _POSIX_C_SOURCE 200809L
#include <lamella/reader.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import_parquet.h"
#include "import_recognize.h"
#include "schema_forms.h"
#include "tool.h"
#include "tool_files.h"

typedef struct schema_options {
    schema_form form;
    bool names_files;
} schema_options;

/* --- The schema of a Parquet file ---------------------------------------------------------- */

/* A pipe may have been read ahead, so that only its text has all of it. */
static int open_reader(const char *file, tool_text *input, lam_reader **ret_reader) {
    lam_error error = lam_error_none();
    if (input->path != NULL && !input->is_packed)
        return tool_open(file, ret_reader);
    return import_parquet_open(input, ret_reader, &error) == LAM_STATUS_OK
               ? TOOL_OK
               : tool_fail(input->name, &error);
}

static int print_reader(const char *file, const lam_reader *reader, const schema_options *options) {
    lam_error error = lam_error_none();
    if (options->names_files)
        tool_print("%s%s\n", options->form >= SCHEMA_FORM_SQL ? "-- " : "# ", tool_name(file));
    return schema_print_form(reader, file, options->form, &error) == LAM_STATUS_OK
               ? TOOL_OK
               : tool_fail(file, &error);
}

static int print_parquet(const char *file, tool_text *input, const schema_options *options) {
    lam_reader *reader;
    int result = open_reader(file, input, &reader);
    if (result != TOOL_OK)
        return result;
    result = print_reader(file, reader, options);
    lam_reader_close(reader);
    return result;
}

/* --- The schema that other text gets ------------------------------------------------------- */

/* Writes a file without records to `output`, in memory. */
static lam_status write_empty(const lam_schema *schema, lam_output *output, lam_error *error) {
    lam_writer *writer;
    lam_output borrowed = *output;
    const lam_writer_options options = tool_writer_options();
    borrowed.close = NULL;
    lam_status status = lam_writer_open(schema, &borrowed, &options, &writer, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_writer_finish(writer, error);
    lam_writer_close(writer);
    return status;
}

/* Prints the schema as that of the file which import would make. */
static int print_made(const char *file, const lam_schema *schema, const schema_options *options) {
    lam_error error = lam_error_none();
    lam_output output;
    lam_reader *reader = NULL;
    const lam_reader_options limits = tool_reader_options();
    lam_status status = lam_output_memory(tool_allocator(), &output, &error);
    if (status != LAM_STATUS_OK)
        return tool_fail(file, &error);
    status = write_empty(schema, &output, &error);
    if (status == LAM_STATUS_OK) {
        lam_bytes bytes = lam_output_memory_bytes(&output);
        lam_input input = lam_input_memory(bytes.data, bytes.size);
        status = lam_reader_open(&input, &limits, &reader, &error);
    }
    int result =
        status == LAM_STATUS_OK ? print_reader(file, reader, options) : tool_fail(file, &error);
    lam_reader_close(reader);
    lam_output_close(&output);
    return result;
}

static int print_inferred(const char *file, tool_text *input, import_format format,
                          const schema_options *options) {
    lam_schema *schema;
    int result = import_text_schema(input, format, &schema);
    if (result != TOOL_OK)
        return result;
    result = print_made(file, schema, options);
    lam_schema_destroy(schema);
    return result;
}

/* ------------------------------------------------------------------------------------------- */

static int print_schema(const char *file, void *state) {
    const schema_options *options = state;
    tool_text input = {0};
    lam_error error = lam_error_none();
    import_format format = IMPORT_FORMAT_PARQUET;
    bool is_blank;
    char *name = tool_copy_text(file);
    int result = tool_texts_open(&input, 1, &name);
    if (result == TOOL_OK) {
        /* The reader reports what cannot be read. */
        if (import_recognize(&input, NULL, &format, &is_blank, &error) != LAM_STATUS_OK)
            format = IMPORT_FORMAT_PARQUET;
        result = format == IMPORT_FORMAT_JSON || format == IMPORT_FORMAT_CSV
                     ? print_inferred(file, &input, format, options)
                     : print_parquet(file, &input, options);
    }
    tool_texts_close(&input, 1);
    free(name);
    return result;
}

static const tool_option option_rows[] = {
    {.name = "json",
     .kind = TOOL_OPTION_PICK,
     .at = offsetof(schema_options, form),
     .least = SCHEMA_FORM_JSON,
     .help = "print a tree of objects with name, repetition, type, length, logical_type, field_id, "
             "max_repetition, max_definition, why (these levels) and fields"},
    {.name = "levels",
     .kind = TOOL_OPTION_PICK,
     .at = offsetof(schema_options, form),
     .least = SCHEMA_FORM_LEVELS,
     .help =
         "print a line for each field: what it adds to the repetition level r and the definition "
         "level d of its group, the maximum levels with the fields that they count, and what "
         "readers can tell from them"},
    {.name = "arrow",
     .kind = TOOL_OPTION_PICK,
     .at = offsetof(schema_options, form),
     .least = SCHEMA_FORM_ARROW,
     .help = "print the types that Arrow readers get"},
    {.name = "sql",
     .kind = TOOL_OPTION_PICK,
     .at = offsetof(schema_options, form),
     .least = SCHEMA_FORM_SQL,
     .help = "print a CREATE TABLE with the types that DuckDB gives the file: INSERT INTO t FROM "
             "'file' fills it"},
    {.name = "postgresql",
     .kind = TOOL_OPTION_PICK,
     .at = offsetof(schema_options, form),
     .least = SCHEMA_FORM_POSTGRESQL,
     .help = "print a CREATE TABLE for PostgreSQL, with JSONB for what is nested"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    schema_options chosen = {SCHEMA_FORM_TEXT, false};
    int operands, result = tool_take_options(&tool_schema, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    tool_print_exactly(chosen.form == SCHEMA_FORM_JSON);
    char **names = argv + 1;
    if (!tool_need_operands(&tool_schema, &operands, &names))
        return TOOL_BAD_USAGE;
    tool_files files;
    tool_files_find(operands, names, TOOL_FILES_PARQUET, &files);
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
        "its field id.\n\n\"lamella import --schema\" accepts this text. For JSON and CSV it "
        "prints the schema that \"lamella import\" would infer. With several files, their names "
        "are printed too. FILE may be \"-\" for standard input.",
    .examples = (const char *const[]){"lamella schema events.parquet",
                                      "lamella schema --levels events.parquet",
                                      "lamella schema events.csv", NULL},
    .options = option_rows,
    .run = run,
    .is_paged = true,
};
