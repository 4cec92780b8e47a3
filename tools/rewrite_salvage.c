/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Salvages one file: writes a sound file, and reports in lines or one object what was lost, and in
 * an exit status. The output only ever appears when it is complete, and not at all when no row is
 * left.
 */
#include "rewrite_salvage.h"

#include <inttypes.h>
#include <lamella/recover.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recover_file.h"
#include "tool.h"
#include "tool_files.h"

/* One salvage, and its report. */
typedef struct salvage_job {
    const char *input;
    const char *output;
    const salvage_request *request;
    lam_reader *reader;
    lam_salvage *salvage;
    bool has_footer;
    lam_recovery found; /* of a file without one */
    lam_salvage_report report;
} salvage_job;

/* --- Opening ------------------------------------------------------------------------------- */

/*
 * Walks over the pages of a file. Their checksums are compared later, page by page; only if the
 * walk makes no sense of a damaged page does it end before that one.
 */
static lam_status walk_input(salvage_job *job, lam_input *input, lam_recover_options *options,
                             lam_error *error) {
    options->no_checksums = true;
    lam_status status =
        lam_reader_open_unfinished(input, options, &job->reader, &job->found, error);
    if (status != LAM_STATUS_CORRUPT)
        return status;
    options->no_checksums = false;
    return lam_reader_open_unfinished(input, options, &job->reader, &job->found, error);
}

/* Opens a file without a footer that could be read, with a schema, or a file that is like it. */
static int open_walked(salvage_job *job, lam_input *input) {
    const salvage_request *request = job->request;
    lam_error error = lam_error_none();
    lam_recover_options options = lam_recover_options_default();
    lam_schema *schema = NULL;
    lam_reader *like = NULL;
    int result = TOOL_OK;
    if (request->schema != NULL)
        result = tool_read_schema(request->schema, &schema);
    if (result == TOOL_OK && request->like != NULL)
        result = tool_open(request->like, &like);
    options.schema = schema;
    options.like = like;
    options.keeps_cut = true;
    options.passes_unreadable = true;
    options.allocator = tool_allocator();
    options.memory_limit = tool_limits_of_program()->memory_limit;
    options.stop = tool_limits_of_program()->stop;
    if (result == TOOL_OK && walk_input(job, input, &options, &error) != LAM_STATUS_OK)
        result = tool_fail(job->input, &error);
    job->has_footer = job->found.has_footer; /* one that could be read this time */
    lam_reader_close(like);
    lam_schema_destroy(schema);
    return result;
}

static int open_input(salvage_job *job) {
    lam_input input;
    lam_error error = lam_error_none();
    lam_reader_options options = tool_reader_options();
    int result = tool_open_input(job->input, &input);
    if (result != TOOL_OK)
        return result;
    lam_status status = lam_reader_open(&input, &options, &job->reader, &error);
    job->has_footer = status == LAM_STATUS_OK;
    if (status == LAM_STATUS_OK)
        return TOOL_OK;
    if (status == LAM_STATUS_CORRUPT || status == LAM_STATUS_IO ||
        error.code == LAM_ERROR_CODE_MEMORY_LIMIT)
        result = open_walked(job, &input);
    else
        result = tool_fail(job->input, &error);
    if (result != TOOL_OK)
        lam_input_close(&input);
    return result;
}

/* --- Reporting ----------------------------------------------------------------------------- */

static const lam_field *leaf_of(const salvage_job *job, const lam_salvage_loss *loss) {
    return lam_schema_leaf(lam_reader_schema(job->reader), loss->leaf_index);
}

static void print_loss_json(const salvage_job *job, const lam_salvage_loss *loss) {
    tool_print("{\"row_group\":%zu,\"column\":%zu,\"path\":", loss->row_group, loss->leaf_index);
    tool_print_path_json(leaf_of(job, loss));
    tool_print(",\"first_row\":%" PRIu64 ",\"row_count\":%" PRIu64
               ",\"page_count\":%zu,\"offset\":%" PRId64 ",\"code\":%d,\"message\":",
               loss->first_row, loss->row_count, loss->page_count, loss->offset, (int)loss->code);
    tool_print_text(loss->message, strlen(loss->message));
    tool_print("}");
}

static void print_json(const salvage_job *job) {
    const lam_salvage_report *report = &job->report;
    tool_print("{\"file\":");
    tool_print_text(job->input, strlen(job->input));
    tool_print(",\"output\":");
    tool_print_text(job->output, strlen(job->output));
    tool_print(",\"has_footer\":%s", job->has_footer ? "true" : "false");
    tool_print(",\"rows\":%" PRIu64 ",\"rows_left_out\":%" PRIu64 ",\"cells\":%" PRIu64
               ",\"cells_lost\":%" PRIu64 ",\"cells_given_up\":%" PRIu64,
               report->row_count, report->rows_left_out, report->cells, report->cells_lost,
               report->cells_given_up);
    tool_print(",\"pages_damaged\":%" PRIu64 ",\"pages_unplaced\":%" PRIu64
               ",\"headers_repaired\":%" PRIu64 ",\"bytes_unknown\":%" PRIu64
               ",\"rows_unknown\":%" PRIu64,
               report->pages_damaged, report->pages_unplaced, report->headers_repaired,
               report->bytes_unknown, report->rows_unknown);
    tool_print(",\"is_cut\":%s,\"follows_like\":%s", job->found.is_cut ? "true" : "false",
               job->found.follows_like ? "true" : "false");
    tool_print(",\"bytes_lost\":%" PRIu64 ",\"losses\":[", job->found.lost_bytes);
    lam_salvage_loss loss = lam_salvage_loss_default();
    for (size_t i = 0; lam_salvage_loss_at(job->salvage, i, &loss, NULL) == LAM_STATUS_OK; i++) {
        tool_print(i == 0 ? "" : ",");
        print_loss_json(job, &loss);
    }
    tool_print("],\"left_out\":[");
    lam_salvage_rows rows = lam_salvage_rows_default();
    bool is_first = true;
    for (size_t i = 0; lam_salvage_rows_at(job->salvage, i, &rows, NULL) == LAM_STATUS_OK; i++) {
        if (!rows.is_left_out)
            continue;
        tool_print("%s{\"row_group\":%zu,\"first_row\":%" PRIu64 ",\"row_count\":%" PRIu64 "}",
                   is_first ? "" : ",", rows.row_group, rows.first_row, rows.row_count);
        is_first = false;
    }
    tool_print("]}\n");
}

static void print_loss(const salvage_job *job, const lam_salvage_loss *loss) {
    char *path = tool_path_of(leaf_of(job, loss));
    tool_print("lamella: %s: column %s: rows %" PRIu64 " to %" PRIu64
               " of row group %zu are lost: %s",
               tool_name(job->input), path, loss->first_row, loss->first_row + loss->row_count - 1,
               loss->row_group, loss->message);
    if (loss->offset >= 0)
        tool_print(" (%zu damaged page%s, offset %" PRId64 ")", loss->page_count,
                   tool_s(loss->page_count), loss->offset);
    tool_print("\n");
    free(path);
}

static void print_text(const salvage_job *job) {
    const lam_salvage_report *report = &job->report;
    const char *name = tool_name(job->input);
    lam_salvage_loss loss = lam_salvage_loss_default();
    for (size_t i = 0; lam_salvage_loss_at(job->salvage, i, &loss, NULL) == LAM_STATUS_OK; i++)
        print_loss(job, &loss);
    if (!job->has_footer)
        tool_print(
            "lamella: %s: the footer is lost; row groups were found by their pages, and %" PRIu64
            " bytes are in none\n",
            name, job->found.lost_bytes);
    if (job->found.is_cut)
        tool_print("lamella: %s: row group %" PRIu64 " is cut off\n", name,
                   job->found.row_groups - 1);
    if (job->found.follows_like)
        tool_print("lamella: %s: the pages could be columns in several ways; they are taken as "
                   "columns of the encodings that %s has\n",
                   name, job->request->like);
    if (report->headers_repaired > 0)
        tool_print("lamella: %s: %" PRIu64 " page header%s repaired\n", name,
                   report->headers_repaired, report->headers_repaired == 1 ? " was" : "s were");
    if (report->bytes_unknown > 0)
        tool_print("lamella: %s: %" PRIu64 " bytes of column chunks are in nothing that is known "
                   "to be a page\n",
                   name, report->bytes_unknown);
    if (report->rows_unknown > 0)
        tool_print("lamella: %s: %" PRIu64 " row%s that the footer counts %s in no row group\n",
                   name, report->rows_unknown, tool_s(report->rows_unknown),
                   report->rows_unknown == 1 ? "is" : "are");
    if (report->pages_unplaced > 0)
        tool_print("lamella: %s: %" PRIu64 " sound page%s lost, as nothing states which rows "
                   "%s\n",
                   name, report->pages_unplaced, report->pages_unplaced == 1 ? " is" : "s are",
                   report->pages_unplaced == 1 ? "it has" : "they have");
    tool_print("lamella: %s: %" PRIu64 " of %" PRIu64 " cells are lost, in %" PRIu64
               " damaged page%s; %" PRIu64 " other%s given up beside them; %" PRIu64 " of %" PRIu64
               " rows are left out\n",
               name, report->cells_lost, report->cells, report->pages_damaged,
               tool_s(report->pages_damaged), report->cells_given_up,
               report->cells_given_up == 1 ? " was" : "s were", report->rows_left_out,
               report->row_count);
}

/*
 * The report as text, to be freed. It is made before the file is written, as no failure is allowed
 * once the output exists.
 */
static char *make_report(const salvage_job *job) {
    tool_memory memory;
    tool_memory_begin(&memory, job->input);
    tool_print_into(memory.file);
    if (job->request->json)
        print_json(job);
    else
        print_text(job);
    bool is_whole = tool_print_is_whole();
    tool_print_into(NULL);
    tool_memory_end(&memory, is_whole);
    return memory.text;
}

/* --- Writing ------------------------------------------------------------------------------- */

/* The codec of the first chunk, if the build can write it; else the writer's own. */
static lam_codec codec_of(const lam_reader *reader) {
    lam_column_chunk_info info = lam_column_chunk_info_default();
    if (lam_reader_row_group_count(reader) == 0 ||
        lam_reader_column_chunk(reader, 0, 0, &info, NULL) != LAM_STATUS_OK ||
        !lam_codec_is_writable(info.codec))
        return LAM_CODEC_DEFAULT;
    return info.codec;
}

static bool has_bloom_filter(const lam_reader *reader, size_t leaf) {
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++) {
        lam_column_chunk_info info = lam_column_chunk_info_default();
        if (lam_reader_column_chunk(reader, i, leaf, &info, NULL) == LAM_STATUS_OK &&
            info.bloom_filter_offset >= 0)
            return true;
    }
    return false;
}

/* Makes new Bloom filters for columns that have one; a path that is not found goes without. */
static lam_status renew_bloom_filters(const salvage_job *job, lam_writer *writer,
                                      lam_error *error) {
    const lam_schema *schema = lam_reader_schema(job->reader);
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++) {
        if (!has_bloom_filter(job->reader, i))
            continue;
        char *path = tool_path_of(lam_schema_leaf(schema, i));
        lam_status status = lam_writer_set_bloom_filter(writer, path, 0, 0, error);
        free(path);
        if (status != LAM_STATUS_OK && status != LAM_STATUS_NOT_FOUND &&
            status != LAM_STATUS_INVALID)
            return status;
    }
    return LAM_STATUS_OK;
}

static lam_status write_rest(const salvage_job *job, const lam_writer_options *given,
                             lam_error *error) {
    lam_writer_options options = *given;
    lam_output output;
    options.allocator = tool_allocator();
    options.stop = tool_limits_of_program()->stop;
    lam_writer *writer;
    if (options.codec == LAM_CODEC_DEFAULT)
        options.codec = codec_of(job->reader);
    lam_status status = tool_create_file(job->output, &output, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_writer_open(lam_salvage_schema(job->salvage), &output, &options, &writer, error);
    if (status != LAM_STATUS_OK) {
        lam_output_close(&output);
        return status;
    }
    status = renew_bloom_filters(job, writer, error);
    if (status == LAM_STATUS_OK)
        status = lam_salvage_write(job->salvage, writer, error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, error);
    lam_writer_close(writer);
    return status;
}

static int salvage_reader(salvage_job *job, const lam_writer_options *writer) {
    lam_error error = lam_error_none();
    lam_salvage_options options = lam_salvage_options_default();
    options.passes_unreadable = true;
    options.manner = job->request->manner;
    options.stop = tool_limits_of_program()->stop;
    job->report = lam_salvage_report_default();
    if (lam_salvage_open(job->reader, &options, &job->salvage, &error) != LAM_STATUS_OK ||
        lam_salvage_report_of(job->salvage, &job->report, &error) != LAM_STATUS_OK)
        return tool_fail(job->input, &error);
    char *report = make_report(job);
    bool is_empty = job->report.row_count > 0 && job->report.rows_left_out == job->report.row_count;
    lam_status status = is_empty ? LAM_STATUS_OK : write_rest(job, writer, &error);
    if (status == LAM_STATUS_OK)
        tool_say_lines(report);
    free(report);
    if (status != LAM_STATUS_OK)
        return tool_fail(job->output, &error);
    if (is_empty) {
        tool_say("lamella: %s: no row is left\n", tool_name(job->input));
        return TOOL_BAD_INPUT;
    }
    bool is_whole = job->report.cells_lost == 0 && job->report.rows_left_out == 0 &&
                    job->report.bytes_unknown == 0 && job->report.rows_unknown == 0 &&
                    (job->has_footer || job->found.is_complete);
    return is_whole ? TOOL_OK : RECOVER_LOST;
}

int rewrite_salvage(const char *input, const char *output, const salvage_request *request,
                    const lam_writer_options *writer) {
    salvage_job job = {.input = input, .output = output, .request = request};
    job.found = lam_recovery_default();
    int result = open_input(&job);
    if (result == TOOL_OK)
        result = salvage_reader(&job, writer);
    lam_salvage_close(job.salvage);
    lam_reader_close(job.reader);
    return result;
}
