/* SPDX-License-Identifier: Apache-2.0 */
/* lamella count: how many records files have, or how many of them match. */
#include <inttypes.h>

#include "record_choice.h"

typedef struct count_options {
    record_choice choice; /* first: rows are of it */
    bool is_one_of_several;
    uint64_t total;
} count_options;

static int count_file(const char *file, void *state) {
    count_options *options = state;
    uint64_t count;
    int result = count_records(file, &options->choice, &count);
    if (result != TOOL_OK)
        return result;
    options->total += count;
    if (options->is_one_of_several)
        tool_print("%" PRIu64 "\t%s\n", count, tool_name(file));
    else
        tool_print("%" PRIu64 "\n", count);
    return TOOL_OK;
}

static const tool_option option_rows[] = {RECORD_WHERE_ROWS, TOOL_LIMIT_ROWS, {.name = NULL}};

static int run(int argc, char **argv) {
    count_options chosen = {.total = 0};
    int operands, result = tool_take_options(&tool_count, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    chosen.is_one_of_several = operands > 1;
    result = tool_each_file(&tool_count, operands, argv + 1, count_file, &chosen);
    if (chosen.is_one_of_several)
        tool_print("%" PRIu64 "\ttotal\n", chosen.total);
    int flushed = tool_flush();
    return flushed > result ? flushed : result;
}

const tool_command tool_count = {
    .name = "count",
    .summary = "print how many records there are, or match",
    .usage = "[options] FILE...",
    .description =
        "Prints the number of records of the file; of several files one line each, number and "
        "name, and a total. Without --where only footers are read. FILE may be \"-\" for standard "
        "input.",
    .examples = (const char *const[]){"lamella count events.parquet",
                                      "lamella count --where \"price > 10\" *.parquet", NULL},
    .options = option_rows,
    .run = run,
};
