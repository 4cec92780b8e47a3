/* lamella COMMAND [options] FILE... */
#include <stdio.h>
#include <string.h>

#include "tool.h"

static const tool_command *const commands[] = {
    &tool_import, &tool_cat,    &tool_schema,    &tool_meta,
    &tool_pages,  &tool_levels, &tool_automaton, &tool_check,
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_commands(FILE *out) {
    fputs("usage: lamella COMMAND [options] FILE...\n\n"
          "Reads and writes Apache Parquet files.\n\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-10s  %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n\"lamella COMMAND --help\" tells more of a command, \"lamella --version\" the "
          "version.\n",
          out);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        print_commands(stderr);
        return TOOL_BAD_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_commands(stdout);
        return tool_flush();
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("lamella %s\n", lam_version());
        return tool_flush();
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[1], commands[i]->name) == 0)
            return commands[i]->run(argc - 1, argv + 1);
    fprintf(stderr, "lamella: there is no command '%s'; \"lamella --help\" lists them\n", argv[1]);
    return TOOL_BAD_USAGE;
}
