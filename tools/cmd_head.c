/* SPDX-License-Identifier: Apache-2.0 */
/* lamella head: the first records, as a table for people or as JSON for programs. */
#include "record_choice.h"
#include "text_reader.h"
#include "tool_files.h"

enum { HEAD_RECORDS = 10 };

static const tool_option option_rows[] = {{.name = "limit",
                                           .letter = 'n',
                                           .kind = TOOL_OPTION_COUNT,
                                           .at = offsetof(record_choice, limit),
                                           .argument = "N",
                                           .help = "print at most N records in all; default: 10"},
                                          RECORD_CHOICE_ROWS,
                                          ROW_STYLE_ROWS(record_choice, style, 'f'),
                                          TOOL_LIMIT_ROWS,
                                          {.name = NULL}};

static int run(int argc, char **argv) {
    record_choice chosen = {.limit = HEAD_RECORDS};
    int operands, result = tool_take_options(&tool_head, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    return print_all_records(&tool_head, operands, argv + 1, &chosen, row_format_for_people());
}

const tool_command tool_head = {
    .name = "head",
    .summary = "print the first records",
    .usage = "[options] FILE...",
    .description =
        "Prints the first records of all files together. On a terminal they are printed as a "
        "table that fits its width, with long values cut; otherwise as one JSON object per line, "
        "as by cat. --format chooses. FILE may be \"-\" for standard input." TEXT_READER_HELP
            TOOL_FOLDER_HELP,
    .examples =
        (const char *const[]){"lamella head events.parquet",
                              "lamella head -n 3 --columns id,user.name events.parquet",
                              "lamella head --where \"price > 10\" --format csv events.parquet",
                              NULL},
    .options = option_rows,
    .run = run,
    .is_paged = true,
};
