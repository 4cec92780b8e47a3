/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the page of --help of a command to standard output, from its table: plain text, always of
 * at most WIDTH columns, with options below their headings.
 */
#include <stdio.h>
#include <string.h>

#include "tool.h"
#include "tool_screen.h"

enum { WIDTH = 79, LABEL_MOST = 20, LABEL_TEXT = 400, EXIT_INDENT = 5 };

static void label_of(const tool_option *option, char *text) {
    char argument[LABEL_TEXT / 2], letter[8] = "";
    tool_option_argument(option, argument, sizeof argument);
    if (option->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(text, LABEL_TEXT, "%s--%s%s%s", letter, option->name, argument[0] == '\0' ? "" : " ",
             argument);
}

static void print_option(const tool_option *option, size_t indent) {
    char label[LABEL_TEXT];
    label_of(option, label);
    if (strlen(label) + 4 > indent)
        tool_print("  %s\n%*s", label, (int)indent, "");
    else
        tool_print("  %-*s", (int)indent - 2, label);
    tool_print_wrapped(option->help, indent, indent, WIDTH);
    tool_print("\n");
}

static void print_options(const tool_command *command) {
    const tool_option *option;
    size_t widest = 0;
    for (size_t i = 0; (option = tool_option_at(command, i)) != NULL; i++) {
        char label[LABEL_TEXT];
        label_of(option, label);
        size_t size = strlen(label);
        if (size <= LABEL_MOST && size > widest)
            widest = size;
    }
    for (size_t i = 0; (option = tool_option_at(command, i)) != NULL; i++) {
        if (i == 0 || option->group != NULL)
            tool_print("\n%s:\n", option->group == NULL ? "options" : option->group);
        print_option(option, widest + 4);
    }
}

/* The statuses that are not those of most commands. */
static void print_exits(const tool_command *command) {
    if (command->exits == NULL)
        return;
    tool_print("\nexit status:\n");
    for (const tool_exit *exit = command->exits; exit->when != NULL; exit++) {
        tool_print("  %d  ", exit->status);
        tool_print_wrapped(exit->when, EXIT_INDENT, EXIT_INDENT, WIDTH);
        tool_print("\n");
    }
}

void tool_print_help(const tool_command *command) {
    const char *usage = command->usage;
    for (const char *head = "usage:"; *usage != '\0'; head = "      ") {
        size_t size = strcspn(usage, "\n");
        tool_print("%s lamella %s %.*s\n", head, command->name, (int)size, usage);
        usage += size + (usage[size] != '\0');
    }
    tool_print("\n");
    tool_print_wrapped(command->description, 0, 0, WIDTH);
    tool_print("\n");
    for (size_t i = 0; command->examples[i] != NULL; i++)
        tool_print(i == 0 ? "\nexamples:\n  %s\n" : "  %s\n", command->examples[i]);
    print_options(command);
    print_exits(command);
}
