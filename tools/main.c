/* SPDX-License-Identifier: Apache-2.0 */
/* lamella COMMAND [options] FILE... */
#include <stdio.h>
#include <string.h>

#include "tool.h"

static const tool_command *const commands[] = {
    &tool_import,    &tool_cat,   &tool_schema, &tool_meta,    &tool_pages,  &tool_levels,
    &tool_automaton, &tool_check, &tool_log,    &tool_recover, &tool_append, &tool_tail,
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_commands(FILE *out) {
    fputs("usage: lamella COMMAND [options] FILE...\n\n"
          "Reads and writes Apache Parquet files.\n\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-10s  %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n\"lamella COMMAND --help\" describes a command, \"lamella --version\" the "
          "build.\n",
          out);
}

static void print_codecs(const char *title, bool (*is_supported)(lam_codec)) {
    fputs(title, stdout);
    for (lam_codec codec = LAM_CODEC_UNCOMPRESSED; codec <= LAM_CODEC_LZ4_RAW; codec++)
        if (is_supported(codec))
            printf(" %s", lam_codec_name(codec));
    putchar('\n');
}

/* Every line is always there, its words in a fixed order, so that scripts can rely on them. */
static void print_version(void) {
    printf("lamella %s\n", lam_version());
    print_codecs("codecs read:", lam_codec_is_readable);
    print_codecs("codecs written:", lam_codec_is_writable);
    fputs("features:", stdout);
    if (lam_feature_is_supported(LAM_FEATURE_JSON))
        fputs(" json", stdout);
    if (lam_feature_is_supported(LAM_FEATURE_ARROW_SCHEMA))
        fputs(" arrow_schema", stdout);
#ifdef LAMELLA_JUDGE
    fputs(" thrift", stdout);
#endif
    printf("\nkernels: %s\n", lam_kernels_name());
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
        print_version();
        return tool_flush();
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[1], commands[i]->name) == 0)
            return commands[i]->run(argc - 1, argv + 1);
    fprintf(stderr, "lamella: unknown command '%s'; \"lamella --help\" lists all commands\n",
            argv[1]);
    return TOOL_BAD_USAGE;
}
