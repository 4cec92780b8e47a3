/* SPDX-License-Identifier: Apache-2.0 */
/* lamella cat: the records of files, all of them or the chosen ones, as text. */
#include "record_choice.h"
#include "text_reader.h"
#include "tool_files.h"

static const tool_option option_rows[] = {
    RECORD_CHOICE_ROWS,
    {.name = "skip",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(record_choice, skip),
     .argument = "N",
     .help = "skip the first N matching records, counted over all files"},
    {.name = "limit",
     .letter = 'n',
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(record_choice, limit),
     .argument = "N",
     .help = "print at most N matching records, counted over all files"},
    {.name = "explain",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(record_choice, explain),
     .holds = TOOL_HOLDS_PARQUET,
     .help = "report on standard error which columns were read, what was ruled out and by what, "
             "and how many bytes of the file were read"},
    ROW_STYLE_ROWS(record_choice, style, 'f'),
    {.name = "variant-conflicts",
     .kind = TOOL_OPTION_ENUM,
     .at = offsetof(record_choice, conflicts),
     .values = TOOL_VALUES("error", "typed"),
     .least = RECORD_CONFLICTS_ERROR,
     .group = "damage",
     .holds = TOOL_HOLDS_PARQUET,
     .help = "if value and typed_value of a shredded VARIANT are both present against the rules: "
             "report an error, or use typed_value; default: error"},
    {.name = "keep-going",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(record_choice, keep_going),
     .holds = TOOL_HOLDS_PARQUET,
     .help =
         "if pages of a column are damaged, report it, leave the field out of the affected "
         "records, and continue; leave out records that cannot be printed, and print U+FFFD for "
         "bytes of text that are not UTF-8. Paths of --columns then select columns, even in "
         "VARIANTs"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    record_choice chosen = {.limit = UINT64_MAX};
    int operands, result = tool_take_options(&tool_cat, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    if (chosen.keep_going && (chosen.where != NULL || chosen.explain))
        return tool_misuse(&tool_cat, "--keep-going cannot be combined with --where or --explain");
    if (chosen.keep_going && chosen.style.format > ROW_FORMAT_JSON)
        return tool_misuse(&tool_cat, "--keep-going prints JSON only: columns that are damaged in "
                                      "one row group are left out there");
    return print_all_records(&tool_cat, operands, argv + 1, &chosen, ROW_FORMAT_NDJSON);
}

const tool_command tool_cat = {
    .name = "cat",
    .summary = "print records as JSON, CSV or a table",
    .usage = "[options] FILE...",
    .description =
        "Prints the records of each Parquet file, one JSON object per line or as --format says, "
        "every field in schema order. FILE may be \"-\" for standard input. No bit of a value is "
        "lost: \"lamella import\" makes the same records from the output, given the schema that "
        "\"lamella schema\" prints if inference would choose another.\n\nValues are printed as "
        "follows: integers in full; floating-point numbers as the shortest text that reads back "
        "the same, and \"NaN\", \"Infinity\", \"-Infinity\"; decimals with all digits of their "
        "scale; dates, times and timestamps in ISO 8601 with all digits of their unit (in CSV and "
        "tables only those that are needed), with Z if in UTC; lists as arrays; maps as objects, "
        "or as arrays of {\"key\":..,\"value\":..} if the keys are not strings; VARIANTs as their "
        "values, shredded or not; bytes as chosen by --binary." TEXT_READER_HELP TOOL_FOLDER_HELP,
    .examples =
        (const char *const[]){
            "lamella cat events.parquet",
            "lamella cat --columns id,user.name --limit 10 events.parquet",
            "lamella cat --where \"price > 10 and tags is not null\" events.parquet", NULL},
    .options = option_rows,
    .exits =
        TOOL_EXITS({0, "success"}, {1, TOOL_EXIT_FAILURE ", also if --keep-going prints the rest"},
                   {2, TOOL_EXIT_MISNAME}),
    .run = run,
    .is_paged = true,
};
