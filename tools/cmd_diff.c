/* SPDX-License-Identifier: Apache-2.0 */
/* lamella diff: how two files differ, in schema, metadata and records. */
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "folder_reader.h"

enum { LIMIT_DEFAULT = 100 };

static const char *const parts[] = {"schema", "order", "ids", "metadata", "records", NULL};

static bool take_ignored(const tool_option *option, const char *value, void *chosen) {
    diff_options *options = chosen;
    bool *const ignores[] = {&options->ignores_schema, &options->ignores_order,
                             &options->ignores_ids, &options->ignores_metadata,
                             &options->ignores_records};
    (void)option;
    for (size_t i = 0; parts[i] != NULL; i++)
        if (strcmp(parts[i], value) == 0) {
            *ignores[i] = true;
            return true;
        }
    return false;
}

static const tool_option option_rows[] = {
    {.name = "key",
     .letter = 'k',
     .kind = TOOL_OPTION_PATHS,
     .at = offsetof(diff_options, key),
     .argument = "A,B.C",
     .group = "what is compared",
     .help = "match records by the values of these fields, wherever the records are; written as "
             "for --columns; default: by position"},
    {.name = "columns",
     .kind = TOOL_OPTION_PATHS,
     .at = offsetof(diff_options, columns),
     .argument = "A,B.C",
     .help = "compare and read only the leaves below these paths"},
    {.name = "ignore",
     .repeatable = true,
     .kind = TOOL_OPTION_TEXT,
     .argument = "PART",
     .take = take_ignored,
     .values = parts,
     .must = "schema, order, ids, metadata or records",
     .help = "do not compare this: the schema, or only the order or the ids of its fields; "
             "metadata; records. May be repeated"},
    {.name = "metadata",
     .kind = TOOL_OPTION_ENUM,
     .at = offsetof(diff_options, metadata),
     .values = TOOL_VALUES("keys", "all"),
     .least = DIFF_METADATA_KEYS,
     .help = "keys: key-value metadata without ARROW:schema; all: with it, and with the writer, "
             "row groups and codecs; default: keys"},
    {.name = "brief",
     .letter = 'q',
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(diff_options, is_brief),
     .group = "how differences are printed",
     .help = "print only whether the files differ, and end at the first difference"},
    {.name = "json",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(diff_options, is_json),
     .help = "print a JSON object for each difference"},
    {.name = "limit",
     .letter = 'n',
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(diff_options, limit),
     .argument = "N",
     .help = "print at most N differences, and how many more there are; default: 100"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

/* --- Files --------------------------------------------------------------------------------- */

static int select_key(diff_file *file, const char *key) {
    lam_error error = lam_error_none();
    if (key == NULL)
        return TOOL_OK;
    file->key = tool_allocate(lam_schema_leaf_count(file->schema) + 1, sizeof *file->key);
    lam_status status =
        lam_schema_select_text(file->schema, key, strlen(key), NULL, file->key, &error);
    return status == LAM_STATUS_OK ? TOOL_OK : tool_fail_option(file->name, "key", &error);
}

static int open_file(diff_file *file, const char *name, const diff_options *options) {
    file->name = name;
    int result = folder_reader_open(name, &file->reader);
    if (result != TOOL_OK)
        return result;
    file->schema = lam_reader_schema(file->reader);
    file->rows = lam_reader_row_count(file->reader);
    file->free_leaves = tool_free_leaves(file->reader);
    result = tool_select(name, file->schema, options->columns, &file->selected);
    return result == TOOL_OK ? select_key(file, options->key) : result;
}

static void close_file(diff_file *file) {
    lam_reader_close(file->reader);
    free(file->selected);
    free(file->compared);
    free(file->key);
    free(file->free_leaves);
}

/* --- Comparing ----------------------------------------------------------------------------- */

static int compare_records(const diff_match *match, diff_report *report) {
    const diff_options *options = report->options;
    diff_records records = {.most = options->limit - report->printed,
                            .is_any_order = options->key != NULL};
    int result = options->key == NULL ? diff_by_position(match, report, &records)
                                      : diff_by_key(match, report, &records);
    if (result == TOOL_OK && !options->is_brief)
        result = diff_records_print(&records, report, match);
    free(records.all);
    return result;
}

static int compare_files(diff_match *match, const diff_options *options) {
    diff_report report = {.options = options,
                          .names = {match->files[0].name, match->files[1].name}};
    int result = TOOL_OK;
    diff_match_schemas(match, &report);
    if (!options->ignores_metadata && !diff_report_is_over(&report))
        diff_compare_metadata(match, &report);
    if (!options->ignores_records && !diff_report_is_over(&report))
        result = compare_records(match, &report);
    if (result != TOOL_OK)
        return DIFF_TROUBLE;
    diff_report_end(&report);
    return diff_report_is_different(&report) ? DIFF_DIFFERENT : DIFF_SAME;
}

static int run(int argc, char **argv) {
    diff_options options = {.limit = LIMIT_DEFAULT};
    diff_match match = {.pair_count = 0};
    tool_set_failure(DIFF_TROUBLE);
    int operands, result = tool_take_options(&tool_diff, argc, argv, &options, &operands);
    if (result >= 0)
        return result == TOOL_OK ? DIFF_SAME : DIFF_TROUBLE;
    tool_print_exactly(options.is_json);
    if (operands != 2)
        return tool_misuse(&tool_diff, "two files are compared, and %d given", operands);
    if (strcmp(argv[1], "-") == 0 && strcmp(argv[2], "-") == 0)
        return tool_misuse(&tool_diff, "standard input can be one of the files only");
    result = TOOL_OK;
    for (int side = 0; side < 2 && result == TOOL_OK; side++)
        result = open_file(&match.files[side], argv[1 + side], &options);
    result = result == TOOL_OK ? compare_files(&match, &options) : DIFF_TROUBLE;
    for (int side = 0; side < 2; side++)
        close_file(&match.files[side]);
    free(match.pairs);
    return tool_flush() == TOOL_OK ? result : DIFF_TROUBLE;
}

const tool_command tool_diff = {
    .name = "diff",
    .summary = "compare two files",
    .usage = "[options] A B",
    .description =
        "Prints how the file B differs from A: in fields of the schema, key-value metadata, and "
        "records. Files that hold the same records in other encodings, codecs, pages or row "
        "groups are the same. A or B may be \"-\" for standard input, JSON or CSV that import "
        "accepts, or a folder or a pattern: its files then count as one, with the fields of their "
        "folders, as rewrite would merge them.\n\nRecords are compared as cat prints them, by the "
        "fields that both files have: values that print alike are equal, whatever their types. So "
        "NaN equals NaN, -0.0 differs from 0.0, a null differs from an empty string or list, and "
        "a VARIANT is compared by value, however it is shredded. Fields are matched by name, in "
        "any order.\n\nWithout --key, records are compared in order, and inserted or removed ones "
        "do not make the rest differ: \"-\" marks records that only A has, \"+\" those that only "
        "B has; if the same number were changed in a row, their values are shown field by field. "
        "With --key, each record of the smaller file that is not at the same position in the "
        "other takes memory; beyond --memory-limit (default: 1GiB) the files are read several "
        "times. Records are counted from 0.",
    .examples =
        (const char *const[]){"lamella diff old.parquet new.parquet",
                              "lamella diff --key id --json old.parquet new.parquet",
                              "lamella diff -q --ignore metadata old.parquet new.parquet", NULL},
    .options = option_rows,
    .exits = TOOL_EXITS({0, "the files are the same"}, {1, "they differ"},
                        {2, "an error, even if a file cannot be read, for which other commands "
                            "end with 1"}),
    .run = run,
    .is_paged = true,
};
