/* SPDX-License-Identifier: Apache-2.0 */
/* lamella schema: the schema of a file as message text, inferred where it has none. */
#define _POSIX_C_SOURCE 200809L
#include <lamella/reader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import_parquet.h"
#include "import_recognize.h"
#include "tool.h"

static void print_text(const lam_schema *schema) {
    size_t size = lam_schema_print(schema, NULL, 0) + 1;
    char *text = tool_allocate(size, 1);
    lam_schema_print(schema, text, size);
    tool_print("%s", text);
    free(text);
}

/* Standard input may have been read ahead, so that only its text has all of it. */
static int open_reader(const char *file, tool_text *input, lam_reader **ret_reader) {
    lam_error error = lam_error_none();
    if (strcmp(file, "-") != 0 && !input->is_packed)
        return tool_open(file, ret_reader);
    return import_parquet_open(input, ret_reader, &error) == LAM_STATUS_OK
               ? TOOL_OK
               : tool_fail(input->name, &error);
}

static int print_parquet(const char *file, tool_text *input) {
    lam_reader *reader;
    int result = open_reader(file, input, &reader);
    if (result != TOOL_OK)
        return result;
    print_text(lam_reader_schema(reader));
    lam_reader_close(reader);
    return TOOL_OK;
}

static int print_inferred(tool_text *input, import_format format) {
    lam_schema *schema;
    int result = import_text_schema(input, format, &schema);
    if (result != TOOL_OK)
        return result;
    print_text(schema);
    lam_schema_destroy(schema);
    return TOOL_OK;
}

static int print_schema(const char *file, void *state) {
    (void)state;
    tool_text input = {0};
    lam_error error = lam_error_none();
    import_format format = IMPORT_FORMAT_PARQUET;
    char *name = tool_copy_text(file);
    int result = tool_texts_open(&input, 1, &name);
    if (result == TOOL_OK) {
        /* What cannot be read is reported by the reader. */
        if (import_recognize(&input, &format, &error) != LAM_STATUS_OK)
            format = IMPORT_FORMAT_PARQUET;
        result = format == IMPORT_FORMAT_JSON || format == IMPORT_FORMAT_CSV
                     ? print_inferred(&input, format)
                     : print_parquet(file, &input);
    }
    tool_texts_close(&input, 1);
    free(name);
    return result;
}

static const tool_option option_rows[] = {TOOL_LIMIT_ROWS, {.name = NULL}};

static int run(int argc, char **argv) {
    int operands, result = tool_take_options(&tool_schema, argc, argv, NULL, &operands);
    if (result >= 0)
        return result;
    return tool_each_file(&tool_schema, operands, argv + 1, print_schema, NULL);
}

const tool_command tool_schema = {
    .name = "schema",
    .summary = "print the schema as message text",
    .usage = "FILE...",
    .description =
        "Prints the schema of each Parquet file as message text: every field with its repetition "
        "(required, optional, repeated), its physical type, its logical type in parentheses, and "
        "its field id."
        "\n\n"
        "\"lamella import --schema\" accepts this text. Of JSON and CSV it prints the schema that "
        "\"lamella import\" infers. FILE may be \"-\" for standard input.",
    .examples =
        (const char *const[]){"lamella schema events.parquet", "lamella schema events.csv", NULL},
    .options = option_rows,
    .run = run,
    .is_paged = true,
};
