/* SPDX-License-Identifier: Apache-2.0 */
/* lamella COMMAND [options] FILE... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "tool_screen.h"

const tool_command *const tool_commands[] = {
    &tool_import, &tool_cat,     &tool_head,      &tool_tail,    &tool_sample, &tool_count,
    &tool_diff,   &tool_summary, &tool_schema,    &tool_meta,    &tool_pages,  &tool_bytes,
    &tool_levels, &tool_trace,   &tool_automaton, &tool_explain, &tool_check,  &tool_log,
    &tool_append, &tool_recover, &tool_rewrite,   NULL,
};

const tool_command *tool_find_command(const char *name) {
    size_t i = 0;
    while (tool_commands[i] != NULL && strcmp(tool_commands[i]->name, name) != 0)
        i++;
    return tool_commands[i];
}

static void print_commands(void (*print)(const char *format, ...)) {
    print("usage: lamella COMMAND [options] FILE...\n\n"
          "Reads and writes Apache Parquet files.\n\n");
    for (size_t i = 0; tool_commands[i] != NULL; i++)
        print("  %-10s  %s\n", tool_commands[i]->name, tool_commands[i]->summary);
    print("\n\"lamella COMMAND --help\" describes a command, \"lamella --version\" the build;\n"
          "\"lamella --no-pager COMMAND\" prints without a pager.\n");
}

static void print_codecs(const char *title, bool (*is_supported)(lam_codec)) {
    tool_print("%s", title);
    for (lam_codec codec = LAM_CODEC_UNCOMPRESSED; codec <= LAM_CODEC_LZ4_RAW; codec++)
        if (is_supported(codec))
            tool_print(" %s", lam_codec_name(codec));
    tool_print("\n");
}

/* The optional features of a build, by the names of its options: those that it has, or lacks. */
static void print_parts(const char *title, bool are_there) {
#ifdef LAMELLA_JUDGE
    const bool has_judge = true;
#else
    const bool has_judge = false;
#endif
#ifdef LAMELLA_EXPLAIN_LIVE
    const bool has_live = true;
#else
    const bool has_live = false;
#endif
    const struct {
        const char *name;
        bool is_there;
    } parts[] = {{"json", lam_feature_is_supported(LAM_FEATURE_JSON)},
                 {"arrow_schema", lam_feature_is_supported(LAM_FEATURE_ARROW_SCHEMA)},
                 {"thrift", has_judge},
                 {"explain_live", has_live},
                 {"brotli", lam_codec_is_writable(LAM_CODEC_BROTLI)},
                 {"lz4", lam_codec_is_writable(LAM_CODEC_LZ4_RAW)},
                 {"snappy", lam_codec_is_writable(LAM_CODEC_SNAPPY)},
                 {"gzip", lam_codec_is_writable(LAM_CODEC_GZIP)},
                 {"arrow", lam_feature_is_supported(LAM_FEATURE_ARROW)},
                 {"csv", lam_feature_is_supported(LAM_FEATURE_CSV)},
                 {"filter_text", lam_feature_is_supported(LAM_FEATURE_FILTER_TEXT)},
                 {"variant_inference", lam_feature_is_supported(LAM_FEATURE_VARIANT_INFERENCE)},
                 {"check", lam_feature_is_supported(LAM_FEATURE_CHECK)},
                 {"rewrite", lam_feature_is_supported(LAM_FEATURE_REWRITE)},
                 {"recover", lam_feature_is_supported(LAM_FEATURE_RECOVER)},
                 {"salvage", lam_feature_is_supported(LAM_FEATURE_SALVAGE)},
                 {"byte_map", lam_feature_is_supported(LAM_FEATURE_BYTE_MAP)},
                 {"log", lam_feature_is_supported(LAM_FEATURE_LOG)}};
    bool has_any = false;
    tool_print("%s", title);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].is_there == are_there) {
            tool_print(" %s", parts[i].name);
            has_any = true;
        }
    tool_print(has_any ? "\n" : " nothing\n");
}

/* Every line is always there, its words in a fixed order, so that scripts can rely on them. */
static void print_version(void) {
    tool_print("lamella %s\n", lam_version());
    print_codecs("codecs read:", lam_codec_is_readable);
    print_codecs("codecs written:", lam_codec_is_writable);
    print_parts("features:", true);
    print_parts("left out:", false);
    tool_print("kernels: %s\n", lam_kernels_name());
}

/* Names that others use for it. */
static const struct {
    const char *word, *hint;
} synonyms[] = {
    {"convert", "import makes Parquet from CSV and JSON, and cat --format makes them from Parquet"},
    {"csv", "cat --format csv"},
    {"describe", "summary, or schema"},
    {"dump", "cat"},
    {"export", "cat --format csv"},
    {"info", "meta, or summary"},
    {"inspect", "meta, pages, or explain"},
    {"json", "cat"},
    {"ls", "summary, of all files of a folder"},
    {"merge", "rewrite"},
    {"repair", "recover, or rewrite --salvage"},
    {"rowcount", "count"},
    {"row-count", "count"},
    {"show", "head"},
    {"size", "summary"},
    {"sort", "rewrite --sort-by"},
    {"split", "rewrite --split, or --partition-by"},
    {"sql", "there is no SQL: use --where and --columns of cat, head and count"},
    {"stats", "summary"},
    {"validate", "check"},
    {"verify", "check"},
    {"wc", "count"},
};

static int fail_unknown(const char *name) {
    char text[TOOL_GUESS_LONGEST + 40];
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (strcmp(synonyms[i].word, name) == 0) {
            tool_say("lamella: unknown command '%s': %s; \"lamella --help\" lists all commands\n",
                     name, synonyms[i].hint);
            return TOOL_BAD_USAGE;
        }
    tool_guess guess = tool_guess_start(name);
    for (size_t i = 0; tool_commands[i] != NULL; i++)
        tool_guess_try(&guess, tool_commands[i]->name);
    tool_guess_text(&guess, "", text, sizeof text);
    tool_say("lamella: unknown command '%s'%s; \"lamella --help\" lists all commands\n", name,
             text);
    return TOOL_BAD_USAGE;
}

/* The list of commands, or the page of one. */
static int print_help(const char *name) {
    const tool_command *command = name == NULL ? NULL : tool_find_command(name);
    if (name != NULL && command == NULL)
        return fail_unknown(name);
    tool_page_begin();
    if (command != NULL)
        tool_print_help(command);
    else
        print_commands(tool_print);
    int result = tool_flush();
    tool_page_end();
    return result;
}

/* For the build and its tests: "man", "man COMMAND", "options", or a shell. */
static int generate(const char *what, const char *name) {
    const tool_command *command = name == NULL ? NULL : tool_find_command(name);
    if (name != NULL && command == NULL)
        return fail_unknown(name);
    if (strcmp(what, "man") == 0 && command != NULL)
        tool_print_manual(command);
    else if (strcmp(what, "man") == 0)
        tool_print_manual_of_program();
    else if (strcmp(what, "options") == 0)
        tool_print_options();
    else if (!tool_print_completion(what))
        return fail_unknown(what);
    return tool_flush();
}

static bool is_any(const char *word, const char *one, const char *two, const char *three) {
    return strcmp(word, one) == 0 || strcmp(word, two) == 0 || strcmp(word, three) == 0;
}

int main(int argc, char **argv) {
    tool_hold_descriptors();
    if (argc > 1 && strcmp(argv[1], "--no-pager") == 0) {
        tool_page_refuse();
        argc--;
        argv++;
    }
    if (argc < 2) {
        print_commands(tool_say);
        return TOOL_BAD_USAGE;
    }
    if (is_any(argv[1], "--help", "-h", "help"))
        return print_help(argc > 2 ? argv[2] : NULL);
    if (is_any(argv[1], "--version", "-V", "version")) {
        print_version();
        return tool_flush();
    }
    if (strcmp(argv[1], "--generate") == 0 && argc > 2)
        return generate(argv[2], argc > 3 ? argv[3] : NULL);
    if (strcmp(argv[1], "--complete") == 0 && argc > 2)
        return tool_complete(atoi(argv[2]), argc - 3, argv + 3);
    const tool_command *command = tool_find_command(argv[1]);
    if (command == NULL)
        return fail_unknown(argv[1]);
    if (command->is_paged)
        tool_page_begin();
    int result = command->run(argc - 1, argv + 1);
    tool_page_end();
    return result;
}
