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
#include "explain_sample.h"
#include "level_input.h"
#include "rewrite_folder.h"
#include "size_findings.h"
#include "tool.h"

/* Of records in JSON; of one value, which the page shows shorter still; conditions. */
enum { TEXT_MOST = 8 << 20, VALUE_TEXT_MOST = 160, WHERE_MOST = 8 };

typedef struct explain_options {
    const char *output;
    const char *frames;
    const char *schema;
    const char *columns;
    uint64_t row_group; /* UINT64_MAX: that of the record */
    uint64_t record;
    uint64_t limit;
    bool json;
    const char *where[WHERE_MOST];
    size_t where_count;
} explain_options;

/* --- The page ------------------------------------------------------------------------------ */

static lam_status write_output(const explain_options *options, lam_bytes json, lam_error *error) {
    lam_output output;
    lam_status status = tool_create_file(options->output, &output, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = options->json ? output.write(output.state, json.data, json.size, error)
                           : explain_write_page(json, &output, error);
    if (status == LAM_STATUS_OK)
        status = output.finish == NULL ? LAM_STATUS_OK : output.finish(output.state, error);
    lam_output_close(&output);
    return status;
}

/* A condition that does not fit ends the program; in a page of records it would be shown. */
static int check_conditions(const char *file, const explain_options *options,
                            const lam_reader *reader) {
    for (size_t i = 0; i < options->where_count; i++) {
        lam_filter *filter;
        lam_error error = lam_error_none();
        if (lam_filter_parse(lam_reader_schema(reader), options->where[i],
                             strlen(options->where[i]), NULL, NULL, &filter,
                             &error) != LAM_STATUS_OK)
            return tool_fail_where(file, options->where[i], &error);
        lam_filter_destroy(filter);
    }
    return TOOL_OK;
}

/* Of a file only: one that is written here is not compressed, so that its bytes can be read. */
static void print_size(const lam_reader *reader, const lam_input *input, const bool *leaves) {
    size_findings findings;
    lam_error error = lam_error_none();
    if (size_find(reader, input, leaves, LAM_COMPAT_MODERN, &findings, &error) != LAM_STATUS_OK) {
        explain_note_failure(NULL, &error);
        return;
    }
    tool_print(",\"sizes\":");
    size_print_json(reader, &findings);
    size_findings_free(&findings);
}

/* The object is made in memory: a failure leaves no page behind. */
static int print_page(const char *file, const explain_options *options, explain_subject *subject) {
    bool *leaves = NULL;
    tool_memory memory;
    lam_error error = lam_error_none();
    int result = tool_select(file, lam_reader_schema(subject->reader), options->columns, &leaves);
    if (result == TOOL_OK)
        result = check_conditions(file, options, subject->reader);
    if (result != TOOL_OK) {
        free(leaves);
        return result;
    }
    tool_memory_begin(&memory, file);
    subject->leaves = leaves;
    tool_print_into(memory.file);
    tool_cut_values(VALUE_TEXT_MOST);
    lam_status status = explain_print_document(subject, &error);
    tool_cut_values(0);
    bool is_whole = tool_print_is_whole();
    tool_print_into(NULL);
    if (status == LAM_STATUS_OK && options->frames != NULL)
        status = explain_write_frames(subject, &error);
    free(leaves);
    tool_memory_end(&memory, is_whole);
    if (status == LAM_STATUS_NOT_FOUND)
        result = tool_fail_option(file, options->row_group == UINT64_MAX ? "record" : "row-group",
                                  &error);
    else if (status != LAM_STATUS_OK)
        result = tool_fail(file, &error);
    else if (write_output(options, (lam_bytes){(const uint8_t *)memory.text, memory.size},
                          &error) != LAM_STATUS_OK)
        result = tool_fail(options->output, &error);
    free(memory.text);
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
                         bool is_written_here, bool is_text_cut) {
    lam_reader *reader;
    lam_error error = lam_error_none();
    lam_reader_options reading = tool_reader_options();
    lam_input own = borrow(input);
    const char *slash = strrchr(file, '/');
    if (lam_reader_open(&own, &reading, &reader, &error) != LAM_STATUS_OK)
        return tool_fail(file, &error);
    explain_subject subject = {.name = slash == NULL ? tool_name(file) : slash + 1,
                               .reader = reader,
                               .input = input,
                               .row_group = options->row_group,
                               .record = options->record,
                               .limit = options->limit,
                               .where = options->where,
                               .where_count = options->where_count,
                               .stop = tool_limits_of_program()->stop,
                               .is_written_here = is_written_here,
                               .is_text_cut = is_text_cut,
                               .print_size = is_written_here ? NULL : print_size};
    int result = print_page(file, options, &subject);
    lam_reader_close(reader);
    return result;
}

/* Records of a text, and how it went: level_input_drive prints why it failed. */
typedef struct text_driver {
    level_input *input;
    int result;
} text_driver;

static lam_status drive_text(void *state, const lam_record_sink *sink, lam_error *error) {
    text_driver *driver = state;
    driver->result = level_input_drive(driver->input, sink, error);
    return driver->result == TOOL_OK ? LAM_STATUS_OK : error->status;
}

/* The records, or those at the beginning, as a file in memory. */
static int explain_records(const char *file, const explain_options *options, level_input *input) {
    lam_output written = {0};
    lam_error error = lam_error_none();
    text_driver driver = {input, TOOL_OK};
    explain_writing writing = {.codec = LAM_CODEC_UNCOMPRESSED};
    level_input_cut(input, TEXT_MOST);
    lam_status status = explain_write_driven(input->schema, &(explain_driver){&driver, drive_text},
                                             &writing, &written, &error);
    if (driver.result != TOOL_OK)
        return driver.result;
    if (status != LAM_STATUS_OK)
        return tool_fail(file, &error);
    lam_bytes bytes = lam_output_memory_bytes(&written);
    lam_input memory = lam_input_memory(bytes.data, bytes.size);
    int result = explain_input(file, options, &memory, true, level_input_was_cut(input));
    lam_input_close(&memory);
    lam_output_close(&written);
    return result;
}

/* The bytes of a Parquet file; its folders are no matter here. */
static int explain_parquet(const char *file, const explain_options *options,
                           const level_input *input) {
    lam_input bytes;
    if (input->bytes.read_at != NULL)
        return explain_input(file, options, &input->bytes, false, false);
    int result = tool_open_input(file, &bytes);
    if (result != TOOL_OK)
        return result;
    result = explain_input(file, options, &bytes, false, false);
    lam_input_close(&bytes);
    return result;
}

static int explain_file(const char *file, const explain_options *options) {
    level_input input;
    level_choice choice = LEVEL_CHOICE_DEFAULT;
    choice.schema = options->schema;
    int result = level_input_open(&tool_explain, file, &choice, &input);
    if (result == TOOL_OK)
        result = input.reader != NULL ? explain_parquet(file, options, &input)
                                      : explain_records(file, options, &input);
    level_input_close(&input);
    return result;
}

/* The message begins with the name that tool_fail puts there. */
static int fail_frames(const explain_options *options, lam_error *error) {
    size_t size = strlen(options->frames);
    if (strncmp(error->message, options->frames, size) == 0 && error->message[size] == ':')
        memmove(error->message, error->message + size + 2, strlen(error->message + size + 1));
    (void)tool_fail(options->frames, error);
    return error->status == LAM_STATUS_INVALID ? TOOL_BAD_USAGE : TOOL_BAD_INPUT;
}

/* The folder gets its name after the page. */
static int explain_with_frames(const char *file, const explain_options *options) {
    lam_error error = lam_error_none();
    if (options->frames == NULL)
        return explain_file(file, options);
    bool has_begun = rewrite_folder_begin(options->frames, &error);
    int result = has_begun ? explain_file(file, options) : fail_frames(options, &error);
    if (result == TOOL_OK && !rewrite_folder_end(&error))
        result = fail_frames(options, &error);
    rewrite_folder_drop();
    return result;
}

/* ------------------------------------------------------------------------------------------- */

static bool take_where(const tool_option *option, const char *value, void *chosen) {
    explain_options *options = chosen;
    (void)option;
    if (options->where_count == WHERE_MOST)
        return false;
    options->where[options->where_count++] = value;
    return true;
}

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
     .help = "the first record to show, counted from 0; with --row-group, within that row group"},
    {.name = "limit",
     .letter = 'n',
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(explain_options, limit),
     .argument = "N",
     .least = 1,
     .most = 1000,
     .help = "show this many records, or fewer if they are large; default: 12"},
    {.name = "columns",
     .kind = TOOL_OPTION_PATHS,
     .at = offsetof(explain_options, columns),
     .argument = "A,B.C",
     .help = "only the leaves below these paths, as in cat; default: the first 40"},
    {.name = "row-group",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(explain_options, row_group),
     .argument = "N",
     .help = "show the records, pages and bytes of this row group, counted from 0; default: that "
             "of the record"},
    {.name = "where",
     .repeatable = true,
     .kind = TOOL_OPTION_CONDITION,
     .argument = "CONDITION",
     .take = take_where,
     .must = "given 8 times at most",
     .help = "show what this condition skips, and why: row groups, pages and bits of Bloom "
             "filters. As in cat; may be repeated. Default: one or two that rule something out, "
             "chosen by the program"},
    {.name = "schema",
     .kind = TOOL_OPTION_SCHEMA,
     .at = offsetof(explain_options, schema),
     .argument = "FILE|TEXT",
     .holds = TOOL_HOLDS_JSON,
     .help = "the schema of JSON records, as message text or a file that holds it; default: the "
             "one that \"lamella import\" infers"},
    {.name = "frames",
     .kind = TOOL_OPTION_FILE,
     .at = offsetof(explain_options, frames),
     .argument = "DIR",
     .help = "also write the steps of shredding and assembly as pictures, shredding-001.svg, "
             "assembly-001.svg and so on, to this folder, which must be new or empty"},
    {.name = "json",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(explain_options, json),
     .help = "write only the data of the page, as one JSON object"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    explain_options chosen = {.row_group = UINT64_MAX};
    int operands, result = tool_take_options(&tool_explain, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    tool_print_exactly(chosen.json);
    if (operands != 1)
        return tool_misuse(&tool_explain, "give one file");
    return explain_with_frames(argv[1], &chosen);
}

const tool_command tool_explain = {
    .name = "explain",
    .summary = "write a page that shows how records become columns and bytes",
    .usage = "-o PAGE [options] FILE",
    .description =
        "Writes one HTML file that explains a file by its own records: the schema with its "
        "levels, records beside columns, how records are shredded and assembled step by step, the "
        "pages, every byte, and what a condition skips. It needs no network. FILE is a Parquet "
        "file, or JSON records, which are written to one in memory first; \"-\" is standard "
        "input. For a large file, the page shows some records with the pages and bytes that hold "
        "them, and says which.",
    .examples =
        (const char *const[]){
            "lamella explain -o page.html events.parquet",
            "lamella explain -o page.html --record 100000 --columns Name.Url events.parquet",
            "lamella explain -o page.html --where \"price > 10\" events.parquet",
            "lamella explain -o page.html --schema document.schema documents.ndjson", NULL},
    .options = option_rows,
    .run = run,
};
