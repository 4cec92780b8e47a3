/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits that every command takes which reads Parquet files: in come --memory-limit and
 * --timeout, out go the options that readers and checks are opened with. The time counts from when
 * the option is read, over all files.
 */
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

bool tool_take_timeout(const tool_option *option, const char *value, void *chosen) {
    int64_t nanoseconds;
    (void)option;
    (void)chosen;
    if (!tool_parse_duration(value, &nanoseconds))
        return false;
    stop.deadline = lam_deadline_after(nanoseconds);
    limits.stop = &stop;
    return true;
}

bool tool_take_memory_limit(const tool_option *option, const char *value, void *chosen) {
    (void)option;
    (void)chosen;
    return tool_parse_limit(value, &limits.memory_limit);
}
