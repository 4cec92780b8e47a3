/* SPDX-License-Identifier: Apache-2.0 */
/* lamella append: more records behind those of a finished file. */
#define _POSIX_C_SOURCE 200809L
#include <getopt.h>
#include <lamella/recover.h>
#include <stdio.h>
#include <string.h>

#include "import_text.h"
#include "tool.h"

static const char help[] =
    "usage: lamella append [options] -o FILE INPUT...\n"
    "\n"
    "Appends the records of all inputs to a finished Parquet file, whoever wrote it.\n"
    "An input is a Parquet file of the same schema, whose row groups are copied as\n"
    "they are, or JSON as \"lamella import\" takes it, which must match the schema of\n"
    "FILE. \"-\" is JSON on standard input. An error names the first field that\n"
    "differs, or the line of a record that does not fit, and FILE stays as it was.\n"
    "\n"
    "FILE is replaced by a new one when all of it is written; its row groups are\n"
    "copied, or shared where the file system can do that. With --in-place row groups\n"
    "are written behind the end of FILE: fewer bytes, but a kill leaves a file that\n"
    "\"lamella recover\" has to repair, with FILE.append beside it.\n"
    "\n"
    "  lamella append -o all.parquet monday.parquet tuesday.parquet\n"
    "  lamella append --in-place -o events.parquet more.ndjson\n"
    "\n"
    "options:\n"
    "  -o, --output FILE        the file that gets the records\n"
    "  --in-place               write behind the end of FILE\n"
    "  --ignore-unknown         ignore fields that the schema of FILE does not have\n"
    "  --binary base64|hex|utf8 how bytes that are not text are given in JSON;\n"
    "                           default: base64\n"
    "  --memory-limit SIZE      memory for reading; default: as import and cat have\n"
    "                           it\n"
    "  --timeout TIME           end with an error after this time, as in 10s, 500ms\n"
    "                           or 2m\n"
    "  -h, --help               print this page\n";

enum { OPTION_IN_PLACE = 1, OPTION_UNKNOWN, OPTION_BINARY, RECORDS_AT_ONCE = 4096 };

typedef struct append_options {
    const char *output;
    lam_append_manner manner;
    lam_json_reader_options json;
} append_options;

/* Whether a file begins as Parquet files do; what cannot be read is met again. */
static bool is_parquet(const char *path) {
    char magic[4] = "";
    FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "rb");
    if (file == NULL)
        return false;
    bool is = fread(magic, 1, sizeof magic, file) == sizeof magic &&
              memcmp(magic, "PAR1", sizeof magic) == 0;
    fclose(file);
    return is;
}

static int append_parquet(const char *input, lam_writer *writer) {
    lam_error error = lam_error_none();
    lam_reader *reader;
    int result = tool_open(input, &reader);
    if (result != TOOL_OK)
        return result;
    lam_status status =
        lam_writer_copy_row_groups(writer, reader, 0, lam_reader_row_group_count(reader), &error);
    lam_reader_close(reader);
    return status == LAM_STATUS_OK ? TOOL_OK : tool_fail(input, &error);
}

static lam_status read_records(tool_text *text, const append_options *options, lam_writer *writer,
                               lam_error *error) {
    lam_json_source source = tool_text_source(text);
    lam_record_sink sink = lam_writer_sink(writer);
    lam_json_reader *reader;
    size_t records = RECORDS_AT_ONCE;
    lam_status status = tool_text_begin(text, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_reader_create(lam_writer_schema(writer), &source, &options->json, NULL,
                                        &reader, error);
    if (status != LAM_STATUS_OK)
        return status;
    while (status == LAM_STATUS_OK && records == RECORDS_AT_ONCE)
        status = lam_json_reader_read(reader, &sink, RECORDS_AT_ONCE, &records, error);
    lam_json_reader_destroy(reader);
    return status;
}

static int append_json(char *input, const append_options *options, lam_writer *writer) {
    lam_error error = lam_error_none();
    tool_text text = {0};
    int result = tool_texts_open(&text, 1, &input, false);
    if (result == TOOL_OK) {
        lam_status status = read_records(&text, options, writer, &error);
        /* A record that does not fit is the input's fault, a full disk the output's. */
        bool is_of_input =
            status == LAM_STATUS_INVALID || status == LAM_STATUS_LIMIT || text.failed;
        if (status != LAM_STATUS_OK)
            result = tool_fail(is_of_input ? text.name : options->output, &error);
        tool_text_end(&text);
    }
    tool_texts_close(&text, 1);
    return result;
}

static int append_all(const append_options *options, int count, char **inputs) {
    lam_error error = lam_error_none();
    lam_writer_options writer_options = lam_writer_options_default();
    const lam_storage storage = tool_storage();
    lam_writer *writer;
    writer_options.stop = options->json.stop;
    lam_status status = lam_writer_open_append(options->output, NULL, options->manner, &storage,
                                               &writer_options, &writer, &error);
    if (status != LAM_STATUS_OK)
        return tool_fail(options->output, &error);
    int result = TOOL_OK;
    for (int i = 0; i < count && result == TOOL_OK; i++)
        result = is_parquet(inputs[i]) ? append_parquet(inputs[i], writer)
                                       : append_json(inputs[i], options, writer);
    if (result == TOOL_OK && lam_writer_finish(writer, &error) != LAM_STATUS_OK)
        result = tool_fail(options->output, &error);
    lam_writer_close(writer);
    return result;
}

static bool parse_binary(const char *text, lam_json_binary *ret_binary) {
    static const char *const names[] = {"base64", "hex", "utf8"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            *ret_binary = (lam_json_binary)i;
            return true;
        }
    return false;
}

static int run(int argc, char **argv) {
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"in-place", no_argument, NULL, OPTION_IN_PLACE},
                                            {"ignore-unknown", no_argument, NULL, OPTION_UNKNOWN},
                                            {"binary", required_argument, NULL, OPTION_BINARY},
                                            TOOL_LIMIT_OPTIONS};
    append_options chosen = {NULL, LAM_APPEND_ANEW, lam_json_reader_options_default()};
    int option, result;
    while ((option = tool_next_option_of(&tool_append, argc, argv, ":ho:", options, &result)) !=
           -1) {
        if (option == 'o')
            chosen.output = optarg;
        else if (option == OPTION_IN_PLACE)
            chosen.manner = LAM_APPEND_IN_PLACE;
        else if (option == OPTION_UNKNOWN)
            chosen.json.ignore_unknown = true;
        else if (!parse_binary(optarg, &chosen.json.binary))
            return tool_misuse(&tool_append, "--binary %s is not base64, hex or utf8", optarg);
    }
    if (result >= 0)
        return result;
    if (chosen.output == NULL)
        return tool_misuse(&tool_append, "-o is missing: name the file that gets the records");
    if (optind == argc)
        return tool_misuse(&tool_append, "no file given");
    chosen.json.memory_limit = tool_limits_of_program()->memory_limit;
    chosen.json.stop = tool_limits_of_program()->stop;
    return append_all(&chosen, argc - optind, argv + optind);
}

const tool_command tool_append = {"append", "add records to a finished file", help, run};
