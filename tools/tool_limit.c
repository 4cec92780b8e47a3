/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits that every command takes which reads Parquet files: in come --memory-limit and
 * --timeout, out go the options that readers and checks are opened with. The time counts from when
 * the option is read, over all files.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static lam_stop stop;
static tool_limits limits;

const tool_limits *tool_limits_of_program(void) {
    return &limits;
}

bool tool_parse_duration(const char *text, int64_t *ret_nanoseconds) {
    static const struct {
        const char *unit;
        int64_t nanoseconds;
    } units[] = {{"", 1000000000},
                 {"ms", 1000000},
                 {"s", 1000000000},
                 {"m", 60000000000},
                 {"h", 3600000000000}};
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 9)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(text + digits, units[i].unit) != 0)
            continue;
        int64_t count = strtoll(text, NULL, 10);
        if (count > INT64_MAX / units[i].nanoseconds)
            return false;
        *ret_nanoseconds = count * units[i].nanoseconds;
        return true;
    }
    return false;
}

bool tool_set_timeout(const char *text) {
    int64_t nanoseconds;
    if (!tool_parse_duration(text, &nanoseconds))
        return false;
    stop.deadline = lam_deadline_after(nanoseconds);
    limits.stop = &stop;
    return true;
}

bool tool_take_timeout(const tool_option *option, const char *value, void *chosen) {
    (void)option;
    (void)chosen;
    return tool_set_timeout(value);
}

bool tool_take_memory_limit(const tool_option *option, const char *value, void *chosen) {
    (void)option;
    (void)chosen;
    return tool_parse_limit(value, &limits.memory_limit);
}

/* Takes an option of this file; false when its value is none, which is reported. */
static bool take_limit(const tool_command *command, int option, int *ret_exit) {
    if (option == TOOL_OPTION_TIMEOUT && tool_set_timeout(optarg))
        return true;
    if (option == TOOL_OPTION_MEMORY_LIMIT && tool_parse_limit(optarg, &limits.memory_limit))
        return true;
    *ret_exit = tool_misuse(command, "--%s cannot be '%s': it must be a %s",
                            option == TOOL_OPTION_TIMEOUT ? "timeout" : "memory-limit", optarg,
                            option == TOOL_OPTION_TIMEOUT ? "time, as in 10s or 500ms"
                                                          : "size above 0, as in 4096 or 64MiB");
    return false;
}

int tool_next_option(const tool_command *command, int argc, char **argv,
                     const struct option *options, int *ret_exit) {
    return tool_next_option_of(command, argc, argv, ":h", options, ret_exit);
}

int tool_next_option_of(const tool_command *command, int argc, char **argv, const char *letters,
                        const struct option *options, int *ret_exit) {
    *ret_exit = -1;
    for (;;) {
        int option = getopt_long(argc, argv, letters, options, NULL);
        bool is_limit = option == TOOL_OPTION_TIMEOUT || option == TOOL_OPTION_MEMORY_LIMIT;
        if (option == -1 || tool_common_option(command, option, argv, ret_exit) ||
            (is_limit && !take_limit(command, option, ret_exit)))
            return -1;
        if (!is_limit)
            return option;
    }
}
