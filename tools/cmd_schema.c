/* SPDX-License-Identifier: Apache-2.0 */
/* lamella schema: the schema of a file as message text. */
#define _POSIX_C_SOURCE 200809L
#include <getopt.h>
#include <lamella/reader.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool.h"

static const char help[] =
    "usage: lamella schema FILE...\n"
    "\n"
    "Prints the schema of each Parquet file as message text: every field with its\n"
    "repetition (required, optional, repeated), its physical type, its logical type\n"
    "in parentheses, and its field id.\n"
    "\n"
    "\"lamella import --schema\" accepts this text. FILE may be \"-\" for standard input.\n"
    "\n"
    "  lamella schema events.parquet\n"
    "\n"
    "options:\n" TOOL_LIMIT_HELP;

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

static int run(int argc, char **argv) {
    static const struct option options[] = {TOOL_LIMIT_OPTIONS};
    int result;
    (void)tool_next_option(&tool_schema, argc, argv, options, &result);
    if (result >= 0)
        return result;
    return tool_each_file(&tool_schema, argc - optind, argv + optind, print_schema, NULL);
}

const tool_command tool_schema = {"schema", "print the schema as message text", help, run};
