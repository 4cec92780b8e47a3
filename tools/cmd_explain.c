/* SPDX-License-Identifier: Apache-2.0 */
/* lamella explain: a page that shows how the records of a file become columns, pages and bytes. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explain_document.h"
#include "explain_frames.h"
#include "explain_page.h"
#include "explain_records.h"
#include "tool.h"

/* Text of records that is read: more would not fit on a page. */
/* Of records in JSON; of one value, which the page shows shorter still. */
enum { TEXT_MOST = 8 << 20, VALUE_TEXT_MOST = 160 };

typedef struct explain_options {
    const char *output;
    const char *frames;
    const char *schema;
    const char *columns;
    uint64_t row_group; /* UINT64_MAX: that of the record */
    uint64_t record;
    uint64_t limit;
    bool json;
} explain_options;

/* --- The page ------------------------------------------------------------------------------ */

static lam_status write_output(const explain_options *options, lam_bytes json, lam_error *error) {
    lam_output output;
    bool is_stdout = strcmp(options->output, "-") == 0;
    lam_status status = is_stdout ? lam_output_descriptor(STDOUT_FILENO, NULL, &output, error)
                                  : tool_create_file(options->output, &output, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = options->json ? output.write(output.state, json.data, json.size, error)
                           : explain_write_page(json, &output, error);
    if (status == LAM_STATUS_OK)
        status = output.finish == NULL ? LAM_STATUS_OK : output.finish(output.state, error);
    lam_output_close(&output);
    return status;
}

/* The object is made in memory: a failure leaves no page behind. */
static int print_page(const char *file, const explain_options *options, explain_subject *subject) {
    bool *leaves = NULL;
    char *text = NULL;
    size_t size = 0;
    lam_error error = lam_error_none();
    int result = tool_select(file, lam_reader_schema(subject->reader), options->columns, &leaves);
    if (result != TOOL_OK)
        return result;
    FILE *memory = open_memstream(&text, &size);
    if (memory == NULL)
        tool_end_without_memory(file, "no memory");
    subject->leaves = leaves;
    tool_print_into(memory);
    tool_cut_values(VALUE_TEXT_MOST);
    lam_status status = explain_print_document(subject, &error);
    tool_cut_values(0);
    bool is_whole = tool_print_is_whole();
    tool_print_into(NULL);
    if (status == LAM_STATUS_OK && options->frames != NULL)
        status = explain_write_frames(subject, options->frames, &error);
    free(leaves);
    if (fclose(memory) != 0 || !is_whole)
        tool_end_without_memory(file, "no memory");
    if (status == LAM_STATUS_NOT_FOUND)
        result = tool_fail_option(file, options->row_group == UINT64_MAX ? "record" : "row-group",
                                  &error);
    else if (status != LAM_STATUS_OK)
        result = tool_fail(file, &error);
    else if (write_output(options, (lam_bytes){(const uint8_t *)text, size}, &error) !=
             LAM_STATUS_OK)
        result = tool_fail(options->output, &error);
    free(text);
    return result;
}

/* --- Inputs -------------------------------------------------------------------------------- */

/* The bytes of an input that the caller keeps. */
static lam_input borrow(const lam_input *input) {
    lam_input borrowed = *input;
    borrowed.close = NULL;
    return borrowed;
}

static int explain_input(const char *file, const explain_options *options, const lam_input *input,
                         bool is_written_here) {
    lam_reader *reader;
    lam_error error = lam_error_none();
    lam_reader_options reading = lam_reader_options_default();
    lam_input own = borrow(input);
    const char *slash = strrchr(file, '/');
    reading.memory_limit = tool_limits_of_program()->memory_limit;
    reading.stop = tool_limits_of_program()->stop;
    if (lam_reader_open(&own, &reading, &reader, &error) != LAM_STATUS_OK)
        return tool_fail(file, &error);
    explain_subject subject = {.name = slash == NULL ? tool_name(file) : slash + 1,
                               .reader = reader,
                               .input = input,
                               .row_group = options->row_group,
                               .record = options->record,
                               .limit = options->limit,
                               .is_written_here = is_written_here};
    int result = print_page(file, options, &subject);
    lam_reader_close(reader);
    return result;
}

/* The text of an input, or the whole lines at its beginning. */
static int read_text(const char *file, const lam_input *input, char **ret_text, size_t *ret_size) {
    lam_error error = lam_error_none();
    size_t size = input->size > TEXT_MOST ? TEXT_MOST : (size_t)input->size;
    char *text = tool_allocate(size + 1, 1);
    if (input->read_at(input->state, 0, size, text, &error) != LAM_STATUS_OK) {
        free(text);
        return tool_fail(file, &error);
    }
    while (size < input->size && size > 0 && text[size - 1] != '\n')
        size--;
    *ret_text = text;
    *ret_size = size;
    return TOOL_OK;
}

static int explain_records(const char *file, const explain_options *options,
                           const lam_input *input) {
    char *text = NULL;
    size_t size = 0;
    uint64_t line;
    lam_schema *schema = NULL;
    lam_output written = {0};
    lam_error error = lam_error_none();
    explain_writing writing = {.codec = LAM_CODEC_UNCOMPRESSED,
                               .memory_limit = tool_limits_of_program()->memory_limit};
    int result = options->schema == NULL ? TOOL_OK : tool_read_schema(options->schema, &schema);
    if (result == TOOL_OK)
        result = read_text(file, input, &text, &size);
    if (result != TOOL_OK) {
        lam_schema_destroy(schema);
        return result;
    }
    lam_status status = explain_write_records((lam_bytes){(const uint8_t *)text, size}, schema,
                                              &writing, &written, &line, &error);
    lam_schema_destroy(schema);
    free(text);
    if (status != LAM_STATUS_OK)
        return tool_fail(file, &error);
    lam_bytes bytes = lam_output_memory_bytes(&written);
    lam_input memory = lam_input_memory(bytes.data, bytes.size);
    result = explain_input(file, options, &memory, true);
    lam_input_close(&memory);
    lam_output_close(&written);
    return result;
}

/*
 * Records begin with a brace or a bracket, and with a schema there may be none; anything else has
 * to be a Parquet file.
 */
static bool is_json(const lam_input *input, bool has_schema) {
    char text[256];
    size_t size = input->size < sizeof text ? (size_t)input->size : sizeof text, i = 0;
    if (size == 0)
        return has_schema;
    if (input->read_at(input->state, 0, size, text, &(lam_error){0}) != LAM_STATUS_OK)
        return false;
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        i = 3;
    while (i < size && strchr(" \t\r\n", text[i]) != NULL && text[i] != '\0')
        i++;
    return i < size ? text[i] == '{' || text[i] == '[' : has_schema;
}

static int explain_file(const char *file, const explain_options *options) {
    lam_input input;
    int result = tool_open_input(file, &input);
    if (result != TOOL_OK)
        return result;
    if (is_json(&input, options->schema != NULL))
        result = explain_records(file, options, &input);
    else if (options->schema != NULL)
        result = tool_misuse(&tool_explain, "--schema goes with records in JSON");
    else
        result = explain_input(file, options, &input, false);
    lam_input_close(&input);
    return result;
}

/* ------------------------------------------------------------------------------------------- */

static const tool_option option_rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = TOOL_OPTION_FILE,
     .at = offsetof(explain_options, output),
     .argument = "PAGE",
     .missing = "name the page to write",
     .help = "the HTML file to write; - is standard output"},
    {.name = "record",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(explain_options, record),
     .argument = "N",
     .group = "what the page shows",
     .help = "the first record to show, counted from 0; in its row group with --row-group"},
    {.name = "limit",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(explain_options, limit),
     .argument = "N",
     .least = 1,
     .most = 1000,
     .help = "show this many records, fewer where they are large; default: 12"},
    {.name = "columns",
     .kind = TOOL_OPTION_PATHS,
     .at = offsetof(explain_options, columns),
     .argument = "A,B.C",
     .help = "only the leaves below these paths, as in cat; default: the first 40"},
    {.name = "row-group",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(explain_options, row_group),
     .argument = "N",
     .help = "the records, pages and bytes of this row group, counted from 0; default: the one "
             "that holds the record"},
    {.name = "schema",
     .kind = TOOL_OPTION_SCHEMA,
     .at = offsetof(explain_options, schema),
     .argument = "FILE|TEXT",
     .help = "the schema of records in JSON, as message text or a file of it; default: inferred"},
    {.name = "frames",
     .kind = TOOL_OPTION_FILE,
     .at = offsetof(explain_options, frames),
     .argument = "DIR",
     .help = "write the steps of shredding as pictures, too: step-001.svg and so on, in this "
             "folder"},
    {.name = "json",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(explain_options, json),
     .help = "write the data of the page alone, as one JSON object"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    explain_options chosen = {.row_group = UINT64_MAX};
    int operands, result = tool_take_options(&tool_explain, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    if (operands != 1)
        return tool_misuse(&tool_explain, "give one file");
    return explain_file(argv[1], &chosen);
}

const tool_command tool_explain = {
    .name = "explain",
    .summary = "write a page that shows how records become columns and bytes",
    .usage = "-o PAGE [options] FILE",
    .description =
        "Writes one HTML file that explains a file by its own records: the schema with its levels, "
        "records beside columns, how records are shredded and assembled step by step, the pages, "
        "and every byte. It works without a network, from any place. FILE is a Parquet file, or "
        "records in JSON, which are written to one in memory first; \"-\" is standard input. Of "
        "large files the page shows some records, and the pages and bytes that hold them; it says "
        "which.",
    .examples =
        (const char *const[]){
            "lamella explain -o page.html events.parquet",
            "lamella explain -o page.html --record 100000 --columns Name.Url events.parquet",
            "lamella explain -o page.html --schema document.schema documents.ndjson", NULL},
    .options = option_rows,
    .run = run,
};
