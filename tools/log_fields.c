/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds schemas of lines, and of a log's unfinished files: takes lines of records, or a path, and
 * gives a schema, as schema_growth.h makes it, or none. A line that is no record never adds fields.
 */
#include "log_fields.h"

#include <lamella/recover.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "leftover_names.h"
#include "log_text.h"
#include "tool.h"

/* --- Records ------------------------------------------------------------------------------- */

/* Whether a line is a JSON object. */
static bool is_record(lam_json_parser *parser, lam_variant_builder *builder, const char *line,
                      size_t size) {
    while (size > 0 && strchr(" \t\r", line[0]) != NULL) {
        line++;
        size--;
    }
    lam_variant_builder_clear(builder);
    return size > 0 && line[0] == '{' &&
           lam_json_parser_read(parser, line, size, builder, NULL) == LAM_STATUS_OK;
}

/* Copies the lines that are records. */
static lam_status copy_records(lam_bytes lines, char *copy, size_t *ret_size, lam_error *error) {
    lam_json_parser_options options = lam_json_parser_options_default();
    lam_json_parser *parser = NULL;
    lam_variant_builder *builder = NULL;
    const char *text = (const char *)lines.data;
    *ret_size = 0;
    options.nearest_numbers = true;
    lam_status status = lam_json_parser_create(&options, tool_allocator(), &parser, error);
    if (status == LAM_STATUS_OK)
        status = lam_variant_builder_create(NULL, tool_allocator(), &builder, error);
    for (size_t at = 0; status == LAM_STATUS_OK && at < lines.size;) {
        const char *newline = memchr(text + at, '\n', lines.size - at);
        size_t size = newline != NULL ? (size_t)(newline - text) - at : lines.size - at;
        if (is_record(parser, builder, text + at, size)) {
            memcpy(copy + *ret_size, text + at, size);
            *ret_size += size;
            copy[(*ret_size)++] = '\n';
        }
        at += size + 1;
    }
    lam_variant_builder_destroy(builder);
    lam_json_parser_destroy(parser);
    return status;
}

/* The schema of the lines that are records, by inference. */
static lam_status infer_lines(lam_bytes lines, const lam_csv_options *csv, lam_schema **ret_schema,
                              lam_error *error) {
    lam_json_inference_options options = lam_json_inference_options_default();
    lam_json_inference *inference = NULL;
    char *copy = tool_allocate(lines.size + 1, 1);
    lam_bytes left = {(const uint8_t *)copy, 0};
    lam_json_source source = lam_json_source_memory(&left);
    options.time_formats = csv->time_formats;
    options.time_format_count = csv->time_format_count;
    lam_status status = copy_records(lines, copy, &left.size, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_inference_create(&options, tool_allocator(), &inference, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_inference_add(inference, &source, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_inference_schema(inference, "schema", ret_schema, error);
    lam_json_inference_destroy(inference);
    free(copy);
    return status;
}

lam_status log_check_lines(lam_bytes lines, lam_error *error) {
    lam_json_inference *inference = NULL;
    lam_json_source source = lam_json_source_memory(&lines);
    lam_status status = lam_json_inference_create(NULL, tool_allocator(), &inference, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_inference_add(inference, &source, error);
    lam_json_inference_destroy(inference);
    return status;
}

lam_status log_schema_of_lines(const lam_schema *present, const schema_growth *growth,
                               lam_bytes lines, const lam_csv_options *csv, lam_schema **ret_schema,
                               lam_error *error) {
    lam_schema *inferred = NULL;
    lam_status status = infer_lines(lines, csv, &inferred, error);
    if (status == LAM_STATUS_OK)
        status = schema_growth_make(growth, present, inferred, NULL, ret_schema, error);
    lam_schema_destroy(inferred);
    return status;
}

/* --- Leftovers ----------------------------------------------------------------------------- */

/* A copy that outlives the file. */
static lam_schema *copy_schema(const lam_schema *schema) {
    lam_schema *copy = NULL;
    size_t size = lam_schema_print(schema, NULL, 0);
    char *text = tool_allocate(size + 1, 1);
    lam_schema_print(schema, text, size + 1);
    if (lam_schema_parse(text, size, tool_allocator(), &copy, NULL) != LAM_STATUS_OK)
        copy = NULL;
    free(text);
    return copy;
}

/* Whether a failure only means that there is no schema, and not that the search failed. */
static bool is_without(lam_status status, const lam_error *error) {
    return status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED ||
           error->code == LAM_ERROR_CODE_FILE_MISSING || error->code == LAM_ERROR_CODE_FILE_KIND ||
           error->code == LAM_ERROR_CODE_FILE_EXISTS;
}

/* The schema of an unfinished file; NULL when it does not state it. */
static lam_status schema_of_file(const char *path, const lam_recover_options *options,
                                 lam_schema **ret_schema, lam_error *error) {
    lam_recovery found = lam_recovery_default();
    lam_input input;
    lam_reader *reader;
    *ret_schema = NULL;
    lam_status status = lam_input_open_file(path, NULL, &input, error);
    if (status != LAM_STATUS_OK)
        return is_without(status, error) ? LAM_STATUS_OK : status;
    status = lam_reader_open_unfinished(&input, options, &reader, &found, error);
    if (status != LAM_STATUS_OK) {
        lam_input_close(&input);
        return is_without(status, error) ? LAM_STATUS_OK : status;
    }
    *ret_schema = copy_schema(lam_reader_schema(reader));
    lam_reader_close(reader);
    return LAM_STATUS_OK;
}

/* The same if only the journal has rows: that of the recovered file, which is then removed. */
static lam_status schema_of_journal(const char *part, const lam_recover_options *options,
                                    lam_schema **ret_schema, lam_error *error) {
    lam_recovery found = lam_recovery_default();
    size_t room = strlen(part) + sizeof ".schema";
    char *path = tool_allocate(room, 1);
    snprintf(path, room, "%s.schema", part);
    (void)remove(path); /* of a start that was killed */
    lam_status status = lam_recover(part, path, options, &found, error);
    if (status == LAM_STATUS_OK) {
        status = schema_of_file(path, options, ret_schema, error);
        (void)remove(path);
    } else if (is_without(status, error)) {
        status = LAM_STATUS_OK;
    }
    free(path);
    return status;
}

lam_status log_schema_of_leftover(const char *path, lam_schema **ret_schema, lam_error *error) {
    lam_recover_options options = lam_recover_options_default();
    char *old = leftover_path(path, LEFTOVER_PART ".old");
    char *part = leftover_path(path, LEFTOVER_PART);
    options.allocator = tool_allocator();
    options.stop = log_signals_stop();
    lam_status status = schema_of_file(old, &options, ret_schema, error);
    if (status == LAM_STATUS_OK && *ret_schema == NULL)
        status = schema_of_file(part, &options, ret_schema, error);
    if (status == LAM_STATUS_OK && *ret_schema == NULL)
        status = schema_of_journal(part, &options, ret_schema, error);
    free(part);
    free(old);
    return status;
}
