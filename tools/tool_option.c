/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carries out a row of a table of options: takes a row and perhaps the text of a value, and gives
 * the value in the command's options, or words for messages and pages. A value that the row does
 * not allow is never stored.
 */
#include "tool_option.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

static const tool_option help_row = {
    .name = "help", .letter = 'h', .help = "print this page", .group = "help"};

const tool_option *tool_option_at(const tool_command *command, size_t index) {
    size_t count = 0;
    while (command->options != NULL && command->options[count].name != NULL)
        count++;
    return index < count ? &command->options[index] : index == count ? &help_row : NULL;
}

bool tool_option_has_value(const tool_option *option) {
    return option->kind > TOOL_OPTION_PICK;
}

/* Adds the values with a separator between, and another before the last. */
static void join_values(const tool_option *option, const char *separator, const char *last,
                        char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; option->values[i] != NULL && used < size; i++) {
        const char *between = i == 0 ? "" : option->values[i + 1] == NULL ? last : separator;
        used += (size_t)snprintf(text + used, size - used, "%s%s", between, option->values[i]);
    }
}

void tool_option_argument(const tool_option *option, char *text, size_t size) {
    if (!tool_option_has_value(option))
        text[0] = '\0';
    else if (option->argument == NULL && option->values != NULL)
        join_values(option, "|", "|", text, size);
    else
        snprintf(text, size, "%s", option->argument);
}

void tool_option_must(const tool_option *option, char *text, size_t size) {
    const char *noun = option->kind == TOOL_OPTION_SIZE ? "size" : "number";
    if (option->must != NULL)
        snprintf(text, size, "%s", option->must);
    else if (option->kind == TOOL_OPTION_ENUM)
        join_values(option, ", ", " or ", text, size);
    else if (option->kind == TOOL_OPTION_TIME)
        snprintf(text, size, "a time, as in 10s or 500ms");
    else if (option->most != 0)
        snprintf(text, size, "a %s from %" PRIu64 " to %" PRIu64, noun, option->least,
                 option->most);
    else
        snprintf(text, size, "a %s%s%s", noun, option->least > 0 ? " above 0" : "",
                 option->kind == TOOL_OPTION_SIZE ? ", as in 4096 or 64MiB" : "");
}

static bool store_number(const tool_option *option, const char *value, uint64_t *ret_number) {
    uint64_t number;
    bool is = option->kind == TOOL_OPTION_SIZE ? tool_parse_size(value, &number)
                                               : tool_parse_count(value, &number);
    if (!is || number < option->least || (option->most != 0 && number > option->most))
        return false;
    *ret_number = number;
    return true;
}

/* Enumerations have the size of unsigned. */
static bool store_name(const tool_option *option, const char *value, unsigned *ret_number) {
    for (unsigned i = 0; option->values[i] != NULL; i++)
        if (strcmp(option->values[i], value) == 0) {
            *ret_number = (unsigned)option->least + i;
            return true;
        }
    return false;
}

bool tool_option_store(const tool_option *option, const char *value, void *chosen) {
    void *at = (char *)chosen + option->at;
    if (option->take != NULL)
        return option->take(option, value, chosen);
    switch (option->kind) {
    case TOOL_OPTION_FLAG:
        *(bool *)at = true;
        return true;
    case TOOL_OPTION_OFF:
        *(lam_switch *)at = LAM_SWITCH_OFF;
        return true;
    case TOOL_OPTION_PICK:
        *(unsigned *)at = (unsigned)option->least;
        return true;
    case TOOL_OPTION_COUNT:
    case TOOL_OPTION_SIZE:
        return store_number(option, value, at);
    case TOOL_OPTION_ENUM:
        return store_name(option, value, at);
    default:
        *(const char **)at = value;
        return true;
    }
}
