/* SPDX-License-Identifier: Apache-2.0 */
/* lamella import: records of JSON, CSV or Parquet files to one Parquet file. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "import_write.h"
#include "tool_files.h"

/* No file is written over its own input, nor two into one. */
static int check_outputs(const tool_text *inputs, int count, const import_options *options) {
    const char *rejects = options->bad.path;
    const tool_text *same = tool_texts_find(inputs, count, options->output);
    if (same == NULL && rejects != NULL)
        same = tool_texts_find(inputs, count, rejects);
    if (same != NULL)
        return tool_misuse(&tool_import, "%s is the output and an input: name another file",
                           same->name);
    if (rejects != NULL && strcmp(rejects, options->output) == 0)
        return tool_misuse(&tool_import, "%s cannot take the records and those that are skipped",
                           rejects);
    return TOOL_OK;
}

static int import_files(const tool_files *files, import_options *options) {
    tool_text *inputs = tool_allocate((size_t)files->count, sizeof *inputs);
    char **names = tool_allocate((size_t)files->count, sizeof *names);
    for (int i = 0; i < files->count; i++)
        names[i] = files->items[i].path;
    int result = tool_texts_open(inputs, files->count, names);
    if (result == TOOL_OK)
        result = check_outputs(inputs, files->count, options);
    if (result == TOOL_OK)
        result = bad_lines_open(&options->bad, false);
    if (result == TOOL_OK) {
        result = import_texts(inputs, files->count, options);
        int closed = bad_lines_close(&options->bad);
        result = result == TOOL_OK ? closed : result;
    }
    tool_texts_close(inputs, files->count);
    free(inputs);
    free(names);
    return result;
}

/* --- The command --------------------------------------------------------------------------- */

static int run_all(import_options *options, int count, char **operands) {
    tool_files files;
    if (!tool_need_operands(&tool_import, &count, &operands))
        return TOOL_BAD_USAGE;
    tool_files_find(count, operands, TOOL_FILES_ANY, &files);
    int result = files.result;
    if (result == TOOL_OK)
        result = import_files(&files, options);
    tool_files_free(&files);
    return result;
}

static int run(int argc, char **argv) {
    import_options options = import_options_default();
    import_order order = {.runs = NULL};
    int operands, result = tool_take_options(&tool_import, argc, argv, &options, &operands);
    if (result < 0)
        result = import_options_check(&options);
    if (result < 0)
        result = tool_check_output(&tool_import, options.output);
    if (options.writer.check_sorting)
        options.order = &order;
    if (result < 0)
        result = run_all(&options, operands, argv + 1);
    if (result == TOOL_OK)
        import_choices_say(&options.choices, options.writer.compat);
    import_options_free(&options);
    return result;
}

const tool_command tool_import = {
    .name = "import",
    .summary = "write JSON, CSV or Parquet records to a Parquet file",
    .usage = "[options] -o OUT [IN...]",
    .description =
        "Writes the records of all inputs to one Parquet file. Inputs are JSON (one object per "
        "line, NDJSON, or documents that may span lines: objects, and arrays of objects), CSV or "
        "TSV, or Parquet files; each may be compressed with gzip or zstd. IN is a file, a pipe, a "
        "folder, for all files in it and below, or a pattern in quotation marks with * ? [ ] and "
        "**; \"-\" is standard input, or standard output for -o. Without IN, standard input is "
        "read unless it is a terminal.\n\nWithout --schema the schema is inferred from all "
        "records: every field becomes optional, numbers become int64 or double, dates, times, "
        "timestamps and UUIDs in ISO 8601 get their types, objects become groups, or MAPs if "
        "their keys are data, arrays become lists, and a field with values of conflicting kinds "
        "becomes a VARIANT, which takes any value. --type sets the type of one field, --variant "
        "makes a field a VARIANT, and --variant-all does so with each record.\n\nWith --schema "
        "every record must match: a missing required field, a wrong kind, a number out of range, "
        "or an unknown field is an error that names file, line and path. OUT appears only after "
        "everything is written, and must not be an input. A signal aborts the import and leaves "
        "no file; what a killed import to OUT left is removed.\n\nA VARIANT is shredded: fields "
        "that its values have in common go into separate columns, chosen from the first records, "
        "so that the file is smaller and a single field can be read. --explain prints the choices "
        "and their reasons. cat prints the same records, whatever the columns.\n\nSIZE is a "
        "number of bytes, optionally followed by K, M, G, T or KiB, MiB, GiB, TiB.",
    .examples =
        (const char *const[]){
            "lamella import -o events.parquet events.ndjson",
            "lamella import -o trips.parquet --type fare='decimal(9,2)' trips.csv.gz",
            "lamella import -o all.parquet 'logs/**/*.ndjson.zst'",
            "lamella import --schema 'message m { required int64 id; }' -o ids.parquet -",
            "lamella import --variant-all --explain -o logs.parquet logs.ndjson",
            "lamella import --codec snappy --row-group-size 64MiB -o out.parquet in1 in2", NULL},
    .options = import_option_rows,
    .run = run,
};
