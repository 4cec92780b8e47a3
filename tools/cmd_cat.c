/* lamella cat: the records of a file as JSON, one per line. */
#define _POSIX_C_SOURCE 200809L
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static const char help[] =
    "usage: lamella cat [options] FILE...\n"
    "\n"
    "Prints the records of each Parquet file, one JSON object per line, every field\n"
    "in schema order. \"-\" is standard input. No value loses a bit: from what is\n"
    "printed, \"lamella import\" makes the same records, given the schema that \"lamella\n"
    "schema\" prints where inference would find another.\n"
    "\n"
    "  lamella cat events.parquet\n"
    "  lamella cat --columns id,user.name --limit 10 events.parquet\n"
    "\n"
    "How values look: integers with all 64 bits; floats as the shortest text that\n"
    "reads back equal, and \"NaN\", \"Infinity\", \"-Infinity\"; decimals with all digits\n"
    "of their scale; dates, times and timestamps in ISO 8601 with the digits of their\n"
    "unit, with Z when in UTC; lists as arrays; maps as objects, or as arrays of\n"
    "{\"key\":..,\"value\":..} when the keys are no strings; bytes as --binary says.\n"
    "\n"
    "options:\n"
    "  --columns A,B.C         only the leaves below these paths; no others are read\n"
    "  --skip N                leave out the first N records of all files together\n"
    "  --limit N               print at most N records of all files together\n"
    "  --binary base64|hex|utf8\n"
    "                          how bytes without a meaning as text are printed;\n"
    "                          base64 unless told\n"
    "  -h, --help              print this page\n";

typedef struct cat_options {
    const char *columns;
    uint64_t skip;  /* records still to leave out */
    uint64_t limit; /* records still to print */
    lam_json_binary binary;
} cat_options;

static lam_status copy_records(const lam_reader *reader, const bool *leaves,
                               lam_json_writer *writer, cat_options *options, lam_error *error) {
    lam_record_reader *records;
    lam_status status = lam_record_reader_open(reader, leaves, &records, error);
    if (status != LAM_STATUS_OK)
        return status;
    lam_record_sink sink = lam_json_writer_sink(writer);
    uint64_t skipped = 0, read = 0;
    status = lam_record_reader_skip(records, options->skip, &skipped, error);
    if (status == LAM_STATUS_OK)
        status = lam_record_reader_read(records, &sink, options->limit, &read, error);
    options->skip -= skipped;
    options->limit -= read;
    lam_record_reader_close(records);
    return status;
}

/* The leaves whose text stands for free JSON, as "lamella import" marks them. */
static bool *free_leaves_of(const lam_reader *reader) {
    const lam_schema *schema = lam_reader_schema(reader);
    bool *leaves = calloc(lam_schema_leaf_count(schema) + 1, sizeof *leaves);
    if (leaves == NULL)
        abort();
    for (size_t i = 0; i < lam_reader_key_value_count(reader); i++) {
        const char *value = lam_reader_value(reader, i);
        if (strcmp(lam_reader_key(reader, i), LAM_JSON_FREE_KEY) == 0 && value != NULL)
            lam_json_free_parse(schema, value, strlen(value), leaves);
    }
    return leaves;
}

static int print_records(const char *file, const lam_reader *reader, cat_options *options) {
    bool *leaves;
    int result = tool_select(file, lam_reader_schema(reader), options->columns, &leaves);
    if (result != TOOL_OK)
        return result;
    lam_error error = lam_error_none();
    bool *free_leaves = free_leaves_of(reader);
    lam_json_writer_options json = lam_json_writer_options_default();
    json.binary = options->binary;
    json.leaves = leaves;
    json.free_leaves = free_leaves;
    lam_json_writer *writer;
    lam_status status = lam_json_writer_create(lam_reader_schema(reader), tool_stdout(), &json,
                                               NULL, &writer, &error);
    if (status == LAM_STATUS_OK) {
        lam_error flush_error = lam_error_none();
        status = copy_records(reader, leaves, writer, options, &error);
        /* The records before a failure are printed too. */
        lam_status flushed = lam_json_writer_flush(writer, &flush_error);
        if (status == LAM_STATUS_OK && flushed != LAM_STATUS_OK) {
            status = flushed;
            error = flush_error;
        }
        lam_json_writer_destroy(writer);
    }
    free(leaves);
    free(free_leaves);
    return status == LAM_STATUS_OK ? TOOL_OK : tool_fail(file, &error);
}

static int cat_file(const char *file, void *state) {
    lam_reader *reader;
    int result = tool_open(file, &reader);
    if (result != TOOL_OK)
        return result;
    result = print_records(file, reader, state);
    lam_reader_close(reader);
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
    static const struct option options[] = {
        {"columns", required_argument, NULL, 'c'}, {"skip", required_argument, NULL, 's'},
        {"limit", required_argument, NULL, 'l'},   {"binary", required_argument, NULL, 'b'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    cat_options chosen = {NULL, 0, UINT64_MAX, LAM_JSON_BINARY_BASE64};
    int option, result;
    while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        if (tool_common_option(&tool_cat, option, argv, &result))
            return result;
        if (option == 'c')
            chosen.columns = optarg;
        else if (option == 's' && !tool_parse_count(optarg, &chosen.skip))
            return tool_misuse(&tool_cat, "--skip %s is no number", optarg);
        else if (option == 'l' && !tool_parse_count(optarg, &chosen.limit))
            return tool_misuse(&tool_cat, "--limit %s is no number", optarg);
        else if (option == 'b' && !parse_binary(optarg, &chosen.binary))
            return tool_misuse(&tool_cat, "--binary %s is not base64, hex or utf8", optarg);
    }
    return tool_each_file(&tool_cat, argc - optind, argv + optind, cat_file, &chosen);
}

const tool_command tool_cat = {"cat", "print records as JSON, one per line", help, run};
