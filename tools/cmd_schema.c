/* SPDX-License-Identifier: Apache-2.0 */
/* lamella schema: the schema of a file as message text. */
#define _POSIX_C_SOURCE 200809L
#include <lamella/reader.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool.h"

static int print_schema(const char *file, void *state) {
    (void)state;
    lam_reader *reader;
    int result = tool_open(file, &reader);
    if (result != TOOL_OK)
        return result;
    const lam_schema *schema = lam_reader_schema(reader);
    size_t size = lam_schema_print(schema, NULL, 0) + 1;
    char *text = tool_allocate(size, 1);
    lam_schema_print(schema, text, size);
    tool_print("%s", text);
    free(text);
    lam_reader_close(reader);
    return TOOL_OK;
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
        "\"lamella import --schema\" accepts this text. FILE may be \"-\" for standard input.",
    .examples = (const char *const[]){"lamella schema events.parquet", NULL},
    .options = option_rows,
    .run = run,
};
