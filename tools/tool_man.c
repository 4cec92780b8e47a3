/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints manual pages, in the macros of man(7): the table of a command becomes the source of its
 * page on standard output. Also the table as lines for the tests that hold all of them equal.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

enum { ARGUMENT_TEXT = 200 };

const tool_exit *tool_exits_of(const tool_command *command) {
    static const tool_exit most[] = {
        {0, "success"}, {1, TOOL_EXIT_FAILURE}, {2, TOOL_EXIT_MISNAME}, {0, NULL}};
    return command == NULL || command->exits == NULL ? most : command->exits;
}

/* The environment variables of the program, whatever the command. */
static const struct {
    const char *names[2];
    const char *help;
} variables[] = {
    {{"LAMELLA_PAGER", "PAGER"},
     "the pager for long output on a terminal; LAMELLA_PAGER takes precedence over PAGER; "
     "default: less. Empty or cat: no pager, as with lamella --no-pager COMMAND"},
    {{"NO_COLOR"}, "if not empty, nothing is printed in colour"},
    {{"TERM"}, "if dumb, nothing is printed in colour"},
    {{"COLUMNS"}, "the width of tables, in place of the terminal's"},
    {{"LC_ALL", "LANG"},
     "if the name of the locale has UTF-8 in it, tables are drawn with lines, and characters "
     "beyond ASCII are printed as they are"},
};

/* Text of one line: bytes that would begin a request or an escape are made plain. */
static void print_escaped(const char *text, size_t size) {
    if (size > 0 && (text[0] == '.' || text[0] == '\''))
        tool_print("\\&");
    for (size_t i = 0; i < size; i++)
        switch (text[i]) {
        case '\\':
            tool_print("\\e");
            break;
        case '-':
            tool_print("\\-");
            break;
        case '\'':
            tool_print("\\(aq");
            break;
        case '^':
            tool_print("\\(ha");
            break;
        case '~':
            tool_print("\\(ti");
            break;
        case '`':
            tool_print("\\(ga");
            break;
        default:
            tool_print("%c", text[i]);
        }
}

static void print_upper(const char *text) {
    for (; *text != '\0'; text++)
        tool_print("%c", toupper((unsigned char)*text));
}

/* Lines as they are, an empty one as the end of a paragraph. */
static void print_lines(const char *text) {
    while (*text != '\0') {
        size_t size = strcspn(text, "\n");
        if (size == 0)
            tool_print(".PP");
        print_escaped(text, size);
        tool_print("\n");
        text += size + (text[size] != '\0');
    }
}

static void print_head(const char *name, const char *summary) {
    tool_print(".\\\" Made by lamella --generate man.\n.TH ");
    print_upper(name);
    tool_print(" 1 \"\" \"Lamella %s\" \"User Commands\"\n.SH NAME\n", lam_version());
    print_escaped(name, strlen(name));
    tool_print(" \\- ");
    print_escaped(summary, strlen(summary));
    tool_print("\n");
}

static void print_usage(const tool_command *command) {
    const char *usage = command->usage;
    tool_print(".SH SYNOPSIS\n.nf\n");
    while (*usage != '\0') {
        size_t size = strcspn(usage, "\n");
        tool_print("\\fBlamella %s\\fR ", command->name);
        print_escaped(usage, size);
        tool_print("\n");
        usage += size + (usage[size] != '\0');
    }
    tool_print(".fi\n");
}

static void print_option(const tool_option *option) {
    char argument[ARGUMENT_TEXT];
    tool_option_argument(option, argument, sizeof argument);
    if (option->group != NULL) {
        tool_print(".SS %c", toupper((unsigned char)option->group[0]));
        print_escaped(option->group + 1, strlen(option->group + 1));
        tool_print("\n");
    }
    tool_print(".TP\n");
    if (option->letter != 0)
        tool_print("\\fB\\-%c\\fR, ", option->letter);
    tool_print("\\fB\\-\\-");
    print_escaped(option->name, strlen(option->name));
    tool_print("\\fR");
    if (argument[0] != '\0') {
        tool_print(" \\fI");
        print_escaped(argument, strlen(argument));
        tool_print("\\fR");
    }
    tool_print("\n");
    print_lines(option->help);
}

static void print_exits(const tool_command *command) {
    tool_print(".SH EXIT STATUS\n");
    for (const tool_exit *exit = tool_exits_of(command); exit->when != NULL; exit++) {
        tool_print(".TP\n\\fB%d\\fR\n", exit->status);
        print_lines(exit->when);
    }
}

static void print_environment(void) {
    tool_print(".SH ENVIRONMENT\n");
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *second = variables[i].names[1];
        tool_print(".TP\n\\fB%s\\fR%s%s%s\n", variables[i].names[0], second == NULL ? "" : ", \\fB",
                   second == NULL ? "" : second, second == NULL ? "" : "\\fR");
        print_lines(variables[i].help);
    }
}

void tool_print_manual(const tool_command *command) {
    char name[64];
    const tool_option *option;
    snprintf(name, sizeof name, "lamella-%s", command->name);
    print_head(name, command->summary);
    print_usage(command);
    tool_print(".SH DESCRIPTION\n");
    print_lines(command->description);
    tool_print(".SH OPTIONS\n");
    for (size_t i = 0; (option = tool_option_at(command, i)) != NULL; i++)
        print_option(option);
    print_exits(command);
    print_environment();
    tool_print(".SH EXAMPLES\n.nf\n");
    for (size_t i = 0; command->examples[i] != NULL; i++)
        print_lines(command->examples[i]);
    tool_print(".fi\n.SH SEE ALSO\n\\fBlamella\\fR(1)\n");
}

void tool_print_manual_of_program(void) {
    print_head("lamella", "read and write Apache Parquet files");
    tool_print(".SH SYNOPSIS\n\\fBlamella\\fR \\fICOMMAND\\fR [options] \\fIFILE\\fR...\n"
               ".SH DESCRIPTION\nReads and writes Apache Parquet files.\nEach command has a page "
               "of its own, as in\n.BR \"man lamella\\-cat\" .\n");
    for (size_t i = 0; tool_commands[i] != NULL; i++) {
        tool_print(".TP\n\\fB%s\\fR\n", tool_commands[i]->name);
        print_lines(tool_commands[i]->summary);
    }
    tool_print(
        ".SH OPTIONS\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR, \\fBhelp\\fR [\\fICOMMAND\\fR]\n"
        "print the list of commands, or the page of one\n"
        ".TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR, \\fBversion\\fR\n"
        "print the version, the codecs and the features of the build\n"
        ".TP\n\\fB\\-\\-no\\-pager\\fR \\fICOMMAND\\fR\n"
        "run the command without a pager\n");
    print_exits(NULL);
    print_environment();
    tool_print(".SH SEE ALSO\n");
    for (size_t i = 0; tool_commands[i] != NULL; i++)
        tool_print("\\fBlamella\\-%s\\fR(1)%s\n", tool_commands[i]->name,
                   tool_commands[i + 1] == NULL ? "" : ",");
}

/* --- For tests ------------------------------------------------------------------------------- */

void tool_print_options(void) {
    static const char *const kinds[] = {"flag",   "off",  "pick",  "text",      "file",
                                        "schema", "path", "paths", "condition", "count",
                                        "size",   "time", "enum"};
    for (size_t i = 0; tool_commands[i] != NULL; i++) {
        const tool_option *option;
        for (size_t j = 0; (option = tool_option_at(tool_commands[i], j)) != NULL; j++) {
            char argument[ARGUMENT_TEXT], letter[2] = {option->letter, '\0'};
            tool_option_argument(option, argument, sizeof argument);
            tool_print("%s\t--%s\t%s\t%s\t%s\n", tool_commands[i]->name, option->name, letter,
                       kinds[option->kind], argument);
        }
    }
}
