/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens what levels, trace and explain read: takes a file, and the options about it, and gives its
 * columns, or the events of its records. The format of a file is recognized by its first bytes.
 * Records always have the numbers of the file or text, whatever part of them is chosen; only that
 * part of a text is kept.
 */
#define _POSIX_C_SOURCE 200809L
#include "level_input.h"

#include <inttypes.h>
#include <lamella/json.h>
#include <lamella/scan.h>
#include <stdlib.h>
#include <string.h>

#include "import_parquet.h"
#include "import_recognize.h"

enum { RECORDS_AT_ONCE = 64 };

static const uint64_t SHREDDED_MOST = (uint64_t)1
                                      << 30; /* bytes, unless --memory-limit says else */

const char level_columns_help[] =
    "only the leaves below these paths, as in cat: * matches any characters of a name, and !A "
    "excludes what is below A";

/* --- Which records ------------------------------------------------------------------------- */

static int refuse_record(const level_input *input, uint64_t record, uint64_t end) {
    tool_say("lamella: %s: --record: there is no record %" PRIu64 ", ", tool_name(input->file),
             record);
    if (end == 0)
        tool_say("the file has none\n");
    else
        tool_say("the last one is %" PRIu64 ", counted from 0\n", end - 1);
    return TOOL_BAD_USAGE;
}

/* The records of a row group. */
static int choose_row_group(level_input *input, uint64_t row_group) {
    lam_error error = lam_error_none();
    lam_row_group_info info = {sizeof info, 0, 0, 0, 0, 0, 0};
    uint64_t first = 0;
    for (size_t i = 0; i <= row_group; i++) {
        first += info.row_count;
        if (lam_reader_row_group(input->reader, i, &info, &error) != LAM_STATUS_OK)
            return tool_fail_option(input->file, "row-group", &error);
    }
    input->range = (level_range){first, info.row_count};
    return TOOL_OK;
}

/* What the options say, before the number of records is known. */
static int choose_range(const tool_command *command, const level_choice *choice,
                        level_input *input) {
    if (choice->record != UINT64_MAX && choice->row_group != UINT64_MAX)
        return tool_misuse(command, "give --record or --row-group: records are counted in the "
                                    "whole file");
    input->range = (level_range){0, choice->limit};
    if (choice->record != UINT64_MAX)
        input->range =
            (level_range){choice->record, choice->limit == UINT64_MAX ? 1 : choice->limit};
    if (input->reader == NULL)
        return TOOL_OK;
    uint64_t rows = lam_reader_row_count(input->reader);
    if (choice->record != UINT64_MAX && choice->record >= rows)
        return refuse_record(input, choice->record, rows);
    if (choice->row_group == UINT64_MAX)
        return TOOL_OK;
    int result = choose_row_group(input, choice->row_group);
    if (choice->limit < input->range.count)
        input->range.count = choice->limit;
    return result;
}

/* --- Opening ------------------------------------------------------------------------------- */

/* For a packed file, and a pipe: it may have been read ahead, and only its text has all. */
static lam_status open_bytes(level_input *input, lam_error *error) {
    lam_reader_options options = tool_reader_options();
    lam_status status = import_parquet_bytes(&input->text, &input->bytes, error);
    if (status != LAM_STATUS_OK)
        return status;
    lam_input borrowed = input->bytes;
    borrowed.close = NULL;
    return lam_reader_open(&borrowed, &options, &input->reader, error);
}

static int open_parquet(level_input *input) {
    lam_error error = lam_error_none();
    if (input->text.path != NULL && !input->text.is_packed)
        return tool_open(input->file, &input->reader);
    return open_bytes(input, &error) == LAM_STATUS_OK ? TOOL_OK : tool_fail(input->file, &error);
}

/* Makes the schema of a text, as import does. */
static int open_text(const level_choice *choice, level_input *input) {
    input->import.layout.schema = choice->schema;
    int result = import_options_check(&input->import);
    if (result >= 0)
        return result;
    result = import_reads_ahead(&input->import.layout) ? tool_texts_keep(&input->text, 1) : TOOL_OK;
    if (result == TOOL_OK)
        result = import_schema_make(&input->import.layout, &input->import.json, &input->text, 1,
                                    SIZE_MAX, &input->made, NULL);
    if (result == TOOL_OK && input->made.notices != NULL)
        tool_say_lines(input->made.notices);
    input->schema = input->made.schema;
    return result;
}

static int open_any(const tool_command *command, const level_choice *choice, level_input *input) {
    lam_error error = lam_error_none();
    import_format format = IMPORT_FORMAT_AUTO;
    bool is_blank;
    lam_status status = import_recognize(&input->text, NULL, &format, &is_blank, &error);
    if (status == LAM_STATUS_NOMEM || (status != LAM_STATUS_OK && choice->schema != NULL))
        return tool_fail(input->file, &error);
    /* Else the reader reports what cannot be read. */
    if (status != LAM_STATUS_OK)
        format = IMPORT_FORMAT_PARQUET;
    if (format == IMPORT_FORMAT_CSV) {
        tool_say(
            "lamella: %s: it is CSV: \"lamella %s\" reads Parquet and JSON; \"lamella import\" "
            "makes a Parquet file of it\n",
            tool_name(input->file), command->name);
        return TOOL_BAD_INPUT;
    }
    bool is_json =
        format == IMPORT_FORMAT_JSON || (format == IMPORT_FORMAT_AUTO && choice->schema != NULL);
    int result =
        tool_check_holds(command, input->file, is_json ? TOOL_HOLDS_JSON : TOOL_HOLDS_PARQUET);
    if (result >= 0)
        return result;
    if (is_json)
        return open_text(choice, input);
    result = open_parquet(input);
    if (result == TOOL_OK)
        input->schema = lam_reader_schema(input->reader);
    return result;
}

int level_input_open(const tool_command *command, const char *file, const level_choice *choice,
                     level_input *ret_input) {
    level_input *input = ret_input;
    memset(input, 0, sizeof *input);
    input->file = file;
    input->name = tool_copy_text(file);
    input->import = import_options_default();
    int result = tool_texts_open(&input->text, 1, &input->name);
    if (result == TOOL_OK)
        result = open_any(command, choice, input);
    if (result == TOOL_OK)
        result = choose_range(command, choice, input);
    if (result == TOOL_OK)
        result = tool_select(file, input->schema, choice->columns, &input->leaves);
    return result;
}

void level_input_close(level_input *input) {
    lam_shredder_destroy(input->shredder);
    lam_reader_close(input->reader);
    lam_input_close(&input->bytes);
    import_schema_free(&input->made);
    import_options_free(&input->import);
    tool_texts_close(&input->text, 1);
    free(input->leaves);
    free(input->name);
}

void level_input_cut(level_input *input, size_t most_bytes) {
    input->text.left = most_bytes;
}

bool level_input_was_cut(const level_input *input) {
    return input->text.left == 0;
}

/* --- Records ------------------------------------------------------------------------------- */

static lam_status pass_verb(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static lam_status pass_field(void *state, const lam_field *field, lam_error *error) {
    (void)field;
    return pass_verb(state, error);
}

static lam_status pass_value(void *state, const lam_field *leaf, lam_value value,
                             lam_error *error) {
    (void)leaf;
    (void)value;
    return pass_verb(state, error);
}

/* Records that come before the chosen ones are read, and go nowhere. */
static const lam_record_sink nowhere = {NULL,       pass_verb, pass_field, pass_value,
                                        pass_field, pass_verb, NULL};

/* Up to `count` records; `*ret_records` counts them on failure, too. */
static lam_status read_records(lam_json_reader *reader, const lam_record_sink *sink, uint64_t count,
                               uint64_t *ret_records, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    size_t wanted = RECORDS_AT_ONCE, got = RECORDS_AT_ONCE;
    *ret_records = 0;
    while (status == LAM_STATUS_OK && got == wanted && *ret_records < count) {
        uint64_t left = count - *ret_records;
        wanted = left < RECORDS_AT_ONCE ? (size_t)left : RECORDS_AT_ONCE;
        status = lam_json_reader_read(reader, sink, wanted, &got, error);
        *ret_records += got;
    }
    return status;
}

static int keep_failure(const level_input *input, const lam_error *error, lam_error *ret_failure) {
    if (ret_failure != NULL)
        *ret_failure = *error;
    return tool_fail(input->file, error);
}

/*
 * With `looks_ahead` also drives the sink with the record after the chosen ones, if there is one
 * and it can be read.
 */
static int drive_text(level_input *input, const lam_record_sink *sink, bool looks_ahead,
                      lam_error *ret_failure) {
    lam_error error = lam_error_none();
    lam_json_source source = tool_text_source(&input->text);
    lam_json_reader *reader = NULL;
    uint64_t passed = 0, read = 0;
    lam_status status = tool_text_begin(&input->text, &error);
    if (status == LAM_STATUS_OK)
        status = lam_json_reader_create(input->schema, &source, &input->made.json, tool_allocator(),
                                        &reader, &error);
    if (status == LAM_STATUS_OK)
        status = read_records(reader, &nowhere, input->range.first, &passed, &error);
    if (status == LAM_STATUS_OK && passed == input->range.first)
        status = read_records(reader, sink, input->range.count, &read, &error);
    if (status == LAM_STATUS_OK && looks_ahead && read == input->range.count)
        (void)read_records(reader, sink, 1, &passed, &error);
    lam_json_reader_destroy(reader);
    tool_text_end(&input->text);
    if (status != LAM_STATUS_OK)
        return keep_failure(input, &error, ret_failure);
    if (input->range.first > 0 && read == 0 && input->range.count > 0)
        return refuse_record(input, input->range.first, passed);
    return TOOL_OK;
}

static int drive_parquet(level_input *input, const lam_record_sink *sink, lam_error *ret_failure) {
    lam_error error = lam_error_none();
    lam_record_reader *records = NULL;
    uint64_t count;
    lam_status status = lam_record_reader_open(input->reader, NULL, &records, &error);
    if (status == LAM_STATUS_OK)
        status = lam_record_reader_skip(records, input->range.first, &count, &error);
    if (status == LAM_STATUS_OK)
        status = lam_record_reader_read(records, sink, input->range.count, &count, &error);
    lam_record_reader_close(records);
    return status == LAM_STATUS_OK ? TOOL_OK : keep_failure(input, &error, ret_failure);
}

int level_input_drive(level_input *input, const lam_record_sink *sink, lam_error *ret_failure) {
    return input->reader != NULL ? drive_parquet(input, sink, ret_failure)
                                 : drive_text(input, sink, false, ret_failure);
}

/* --- Columns ------------------------------------------------------------------------------- */

/* The sink of a shredder that does not outgrow a limit. */
typedef struct bounded_shredder {
    lam_record_sink sink;
    const lam_shredder *shredder;
    uint64_t most;
} bounded_shredder;

static lam_status bounded_begin(void *state, lam_error *error) {
    const bounded_shredder *bounded = state;
    return lam_begin(&bounded->sink, error);
}

static lam_status bounded_open(void *state, const lam_field *group, lam_error *error) {
    const bounded_shredder *bounded = state;
    return lam_open(&bounded->sink, group, error);
}

static lam_status bounded_put(void *state, const lam_field *leaf, lam_value value,
                              lam_error *error) {
    const bounded_shredder *bounded = state;
    return bounded->sink.put(bounded->sink.state, leaf, value, error);
}

static lam_status bounded_close(void *state, const lam_field *group, lam_error *error) {
    const bounded_shredder *bounded = state;
    return lam_close(&bounded->sink, group, error);
}

static lam_status bounded_end(void *state, lam_error *error) {
    const bounded_shredder *bounded = state;
    lam_status status = lam_end(&bounded->sink, error);
    if (status != LAM_STATUS_OK || lam_shredder_byte_count(bounded->shredder) <= bounded->most)
        return status;
    *error = lam_error_none();
    error->status = LAM_STATUS_LIMIT;
    snprintf(error->message, sizeof error->message,
             "the columns of the records need more than %" PRIu64
             " bytes: choose records by --limit or --record, or give a higher --memory-limit",
             bounded->most);
    return LAM_STATUS_LIMIT;
}

static int shred_text(level_input *input, bool looks_ahead) {
    lam_error error = lam_error_none();
    if (lam_shredder_create(input->schema, tool_allocator(), &input->shredder, &error) !=
        LAM_STATUS_OK)
        return tool_fail(input->file, &error);
    uint64_t limit = tool_limits_of_program()->memory_limit;
    bounded_shredder bounded = {lam_shredder_sink(input->shredder), input->shredder,
                                limit == 0 ? SHREDDED_MOST : limit};
    lam_record_sink sink = {&bounded,      bounded_begin, bounded_open, bounded_put,
                            bounded_close, bounded_end,   NULL};
    return drive_text(input, &sink, looks_ahead, NULL);
}

int level_input_columns(level_input *input, bool looks_ahead, level_source *ret_source) {
    int result = input->reader != NULL ? TOOL_OK : shred_text(input, looks_ahead);
    level_source source = {.schema = input->schema,
                           .reader = input->reader,
                           .shredder = input->shredder,
                           .first = input->range.first,
                           .stop = tool_limits_of_program()->stop};
    *ret_source = source;
    return result;
}
