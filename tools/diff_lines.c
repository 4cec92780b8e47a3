/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the records of a file as lines of JSON, as cat prints them: takes a file and its leaves,
 * and calls once for each line. Records are read from first to last; unwanted ones are passed over
 * without being printed. Lines are handed out as soon as their read ends, and belong to the writer.
 */
#include <lamella/scan.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

struct diff_lines {
    const diff_file *file;
    lam_record_reader *records;
    lam_json_writer *writer;
    lam_output output;
    diff_line_taker take;
    void *state;
    uint64_t next; /* record */
};

/* A line break is only ever the end of a record. */
static lam_status hand_out(void *state, const void *data, size_t size, lam_error *error) {
    diff_lines *lines = state;
    const char *line = data, *end = line + size;
    (void)error;
    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        lines->take(lines->state, line, (size_t)(newline - line));
        line = newline + 1;
    }
    return LAM_STATUS_OK;
}

static int fail_lines(const diff_lines *lines, const lam_error *error) {
    (void)tool_fail(lines->file->name, error);
    return DIFF_TROUBLE;
}

diff_lines *diff_lines_open(const diff_file *file, const bool *leaves, diff_line_taker take,
                            void *state) {
    diff_lines *lines = tool_allocate(1, sizeof *lines);
    lam_error error = lam_error_none();
    lam_json_writer_options json = lam_json_writer_options_default();
    lines->file = file;
    lines->take = take;
    lines->state = state;
    lines->output.state = lines;
    lines->output.write = hand_out;
    json.leaves = leaves;
    json.free_leaves = file->free_leaves;
    json.memory_limit = tool_file_info(file->reader).memory_limit;
    lam_status status = lam_record_reader_open(file->reader, leaves, &lines->records, &error);
    if (status == LAM_STATUS_OK)
        status = lam_json_writer_create(file->schema, &lines->output, &json, tool_allocator(),
                                        &lines->writer, &error);
    if (status == LAM_STATUS_OK)
        return lines;
    (void)fail_lines(lines, &error);
    diff_lines_close(lines);
    return NULL;
}

int diff_lines_skip_to(diff_lines *lines, uint64_t row) {
    lam_error error = lam_error_none();
    uint64_t skipped = 0;
    if (row <= lines->next)
        return TOOL_OK;
    if (lam_record_reader_skip(lines->records, row - lines->next, &skipped, &error) !=
        LAM_STATUS_OK)
        return fail_lines(lines, &error);
    lines->next += skipped;
    return TOOL_OK;
}

int diff_lines_read(diff_lines *lines, uint64_t count) {
    lam_error error = lam_error_none();
    uint64_t printed = 0;
    lam_status status =
        lam_json_writer_print(lines->writer, lines->records, count, &printed, &error);
    lines->next += printed;
    if (status == LAM_STATUS_OK)
        status = lam_json_writer_flush(lines->writer, &error);
    return status == LAM_STATUS_OK ? TOOL_OK : fail_lines(lines, &error);
}

void diff_lines_close(diff_lines *lines) {
    if (lines == NULL)
        return;
    lam_record_reader_close(lines->records);
    if (lines->writer != NULL)
        lam_json_writer_destroy(lines->writer);
    free(lines);
}
