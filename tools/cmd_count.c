/* SPDX-License-Identifier: Apache-2.0 */
/* lamella count: how many records files have, or how many of them match. */
#include <inttypes.h>

#include "record_choice.h"
#include "text_reader.h"
#include "tool_files.h"
#include "tool_progress.h"

typedef struct count_options {
    record_choice choice; /* first: rows are of it */
    char **operands;
    bool is_one_of_several;
    tool_files files;
    int at;         /* the file that is counted */
    uint64_t count; /* in the files of its operand so far */
    bool is_wrong;  /* one of them has failed */
    uint64_t total;
} count_options;

/* After the last file of an operand. */
static void print_count(count_options *options, size_t operand) {
    if (options->is_one_of_several && !options->is_wrong)
        tool_print("%" PRIu64 "\t%s\n", options->count, tool_name(options->operands[operand]));
    else if (!options->is_wrong)
        tool_print("%" PRIu64 "\n", options->count);
    options->total += options->count;
    options->count = 0;
    options->is_wrong = false;
}

static int count_file(const char *file, void *state) {
    count_options *options = state;
    const tool_file *item = &options->files.items[options->at++];
    uint64_t count = 0;
    int result = count_records(file, &options->choice, &count);
    options->count += result == TOOL_OK ? count : 0;
    options->is_wrong = options->is_wrong || result != TOOL_OK;
    if (options->at == options->files.count || item[1].operand != item->operand)
        print_count(options, item->operand);
    return result;
}

static const tool_option option_rows[] = {RECORD_WHERE_ROWS, TOOL_LIMIT_ROWS, {.name = NULL}};

static int run(int argc, char **argv) {
    count_options chosen = {.total = 0};
    int operands, result = tool_take_options(&tool_count, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    chosen.operands = argv + 1;
    if (!tool_need_operands(&tool_count, &operands, &chosen.operands))
        return TOOL_BAD_USAGE;
    chosen.is_one_of_several = operands > 1;
    tool_files_find(operands, chosen.operands, TOOL_FILES_KEYED, &chosen.files);
    file_fields fields = file_fields_begin(&chosen.files, chosen.choice.on_clash);
    chosen.choice.fields = &fields;
    if (chosen.choice.where != NULL)
        tool_files_begin_progress(&chosen.files);
    result = tool_each_of(&chosen.files, count_file, &chosen);
    tool_progress_end();
    file_fields_end(&fields);
    if (chosen.is_one_of_several)
        tool_print("%" PRIu64 "\ttotal\n", chosen.total);
    int flushed = tool_flush();
    tool_files_say_leftovers(&chosen.files);
    tool_files_free(&chosen.files);
    return flushed > result ? flushed : result;
}

const tool_command tool_count = {
    .name = "count",
    .summary = "print the number of records, or of those that match",
    .usage = "[options] FILE...",
    .description =
        "Prints the number of records of the file, or of all files in a folder; for several "
        "FILEs, a line each with number and name, and a total. Without --where only footers are "
        "read. Rows that a log in the folder has not finished are not counted, and a message says "
        "so. FILE may be \"-\" for standard input." TEXT_READER_HELP TOOL_FOLDER_HELP,
    .examples = (const char *const[]){"lamella count events.parquet",
                                      "lamella count --where \"price > 10\" *.parquet", NULL},
    .options = option_rows,
    .run = run,
};
