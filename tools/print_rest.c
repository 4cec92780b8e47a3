/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what a salvage has left of a damaged file as JSON, row group by row group and, in these,
 * by ranges of rows that have lost the same columns. A record that does not print is lost alone,
 * and text that is not UTF-8 loses only its wrong bytes. The invariant: a field is in a record
 * exactly if its column can be read there.
 */
#include "print_rest.h"

#include <inttypes.h>
#include <lamella/salvage.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "tool_files.h"

/* Of a file, after records that do not print: each reads the first page of its rows again. */
enum { STARTS_MOST = 10000 };

typedef struct rest_printer {
    const rest_job *job;
    record_choice *choice;
    lam_salvage *salvage;
    lam_output lines;  /* of the choice */
    lam_output output; /* counts lines */
    uint64_t printed;  /* lines */
    size_t starts;     /* after records that did not print */
    bool replaces;     /* bytes that are not UTF-8, from the first such text on */
    bool has_replaced; /* the writer does */
    lam_record_reader *records;
    lam_json_writer *writer; /* of `leaves`; NULL before the first range and after a failure */
    size_t leaf_count;
    bool *leaves;
    bool *readable; /* in the current range */
    size_t range;   /* the next one of the salvage */
    size_t loss;
    bool has_ended; /* by a failure that is not of some rows alone */
} rest_printer;

/* --- Losses -------------------------------------------------------------------------------- */

/* The next loss in a row group, after those passed; false when there is none. */
static bool find_loss(rest_printer *rest, size_t row_group, lam_salvage_loss *ret_loss) {
    *ret_loss = lam_salvage_loss_default();
    while (lam_salvage_loss_at(rest->salvage, rest->loss, ret_loss, NULL) == LAM_STATUS_OK &&
           ret_loss->row_group <= row_group) {
        if (ret_loss->row_group == row_group)
            return true;
        rest->loss++;
    }
    return false;
}

/* Reports what a leaf has lost in a row group of `rows` rows. */
static void report_leaf(rest_printer *rest, size_t row_group, uint64_t rows) {
    lam_salvage_loss loss;
    uint64_t lost = 0, end = 0; /* losses may overlap */
    (void)find_loss(rest, row_group, &loss);
    size_t leaf = loss.leaf_index;
    (void)tool_fail(rest->job->file, loss.error);
    for (; find_loss(rest, row_group, &loss) && loss.leaf_index == leaf; rest->loss++) {
        uint64_t begin = loss.first_row > end ? loss.first_row : end;
        uint64_t loss_end = loss.first_row + loss.row_count;
        lost += loss_end > begin ? loss_end - begin : 0;
        end = loss_end > end ? loss_end : end;
    }
    if (lost == rows)
        return;
    char *path = tool_path_of(lam_schema_leaf(lam_reader_schema(rest->job->reader), leaf));
    tool_say("lamella: %s: column %s: %" PRIu64 " of %" PRIu64 " rows of row group %zu are lost\n",
             tool_name(rest->job->file), path, lost, rows, row_group);
    free(path);
}

/* --- Records ------------------------------------------------------------------------------- */

/* Passes lines on. Text has line feeds only after records: JSON escapes those in strings. */
static lam_status pass_lines(void *state, const void *data, size_t size, lam_error *error) {
    rest_printer *rest = state;
    const char *text = data, *end = text + size;
    lam_status status = rest->lines.write(rest->lines.state, data, size, error);
    while (status == LAM_STATUS_OK && (text = memchr(text, '\n', (size_t)(end - text))) != NULL) {
        rest->printed++;
        text++;
    }
    return status;
}

/* Goes to the current range; false if none of the wanted leaves can be read there. */
static lam_status go_to_range(rest_printer *rest, bool *ret_any, lam_error *error) {
    const bool *wanted = rest->job->json.leaves;
    lam_status status =
        lam_salvage_go_to(rest->salvage, rest->records, rest->range, rest->readable, error);
    *ret_any = rest->leaf_count == 0;
    for (size_t i = 0; i < rest->leaf_count; i++) {
        rest->readable[i] = rest->readable[i] && (wanted == NULL || wanted[i]);
        *ret_any = *ret_any || rest->readable[i];
    }
    return status;
}

/*
 * Makes a writer of the leaves that can be read, unless it exists. The records, which are at
 * another range now, no longer borrow the one before.
 */
static lam_status choose_writer(rest_printer *rest, lam_error *error) {
    lam_json_writer_options json = rest->job->json;
    size_t size = rest->leaf_count * sizeof *rest->leaves;
    if (rest->writer != NULL && rest->has_replaced == rest->replaces &&
        memcmp(rest->leaves, rest->readable, size) == 0)
        return LAM_STATUS_OK;
    lam_json_writer_destroy(rest->writer);
    rest->writer = NULL;
    memcpy(rest->leaves, rest->readable, size);
    json.leaves = rest->leaves;
    json.replace_invalid = rest->has_replaced = rest->replaces;
    return lam_json_writer_create(lam_reader_schema(rest->job->reader), &rest->output, &json,
                                  tool_allocator(), &rest->writer, error);
}

/* Prints rows of the current range, whose first one is `begin`. */
static lam_status print_run(rest_printer *rest, uint64_t begin, row_run rows, lam_error *error) {
    uint64_t count;
    bool any;
    lam_status status = go_to_range(rest, &any, error);
    if (status != LAM_STATUS_OK || !any)
        return status;
    status = choose_writer(rest, error);
    if (status == LAM_STATUS_OK && rows.skip > begin)
        status = lam_record_reader_skip(rest->records, rows.skip - begin, &count, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_writer_print(rest->writer, rest->records, rows.count, &count, error);
    lam_status flushed =
        rest->writer == NULL
            ? status
            : lam_json_writer_flush(rest->writer, status == LAM_STATUS_OK ? error : NULL);
    return status == LAM_STATUS_OK ? flushed : status;
}

/* Whether a failure is one of these rows alone. */
static bool is_of_rows(lam_status status) {
    return status != LAM_STATUS_IO && status != LAM_STATUS_NOMEM && status != LAM_STATUS_CANCELLED;
}

/* Prints rows of the current range, and continues after each record that does not print. */
static void print_range(rest_printer *rest, uint64_t begin, row_run rows) {
    uint64_t end = rows.skip + rows.count, before = rest->printed;
    bool is_reported = false;
    while (rows.skip < end) {
        lam_error error = lam_error_none();
        rows.count = end - rows.skip;
        lam_status status = print_run(rest, begin, rows, &error);
        if (status == LAM_STATUS_OK)
            return;
        uint64_t printed = rest->printed - before;
        rows.skip += printed;
        before = rest->printed;
        if (status == LAM_STATUS_LIMIT && printed > 0 && ++rest->starts <= STARTS_MOST)
            continue; /* the memory of the rows before is given back */
        bool is_text = error.code == LAM_ERROR_CODE_JSON_SYNTAX && !rest->replaces;
        rest->has_ended = !is_of_rows(status);
        if (is_text || !is_reported || rest->has_ended)
            (void)tool_fail(rest->job->file, &error);
        if (is_text) {
            rest->replaces = true; /* and the record is tried once more */
            continue;
        }
        is_reported = true; /* of the records that are lost, the first one */
        if (rest->has_ended || ++rest->starts > STARTS_MOST)
            return;
        rows.skip++;
    }
}

/* Prints `wanted` rows of a row group, and passes its other ranges. */
static int print_rows(rest_printer *rest, size_t row_group, row_run wanted) {
    uint64_t before = rest->printed, end = wanted.skip + wanted.count;
    lam_salvage_rows rows = lam_salvage_rows_default();
    for (; lam_salvage_rows_at(rest->salvage, rest->range, &rows, NULL) == LAM_STATUS_OK &&
           rows.row_group == row_group;
         rest->range++) {
        uint64_t rows_end = rows.first_row + rows.row_count;
        row_run run = {.skip = rows.first_row > wanted.skip ? rows.first_row : wanted.skip};
        rows_end = rows_end < end ? rows_end : end;
        if (run.skip >= rows_end)
            continue;
        run.count = rows_end - run.skip;
        print_range(rest, rows.first_row, run);
        if (rest->has_ended)
            return TOOL_BAD_INPUT;
    }
    uint64_t printed = rest->printed - before;
    if (printed == wanted.count)
        return TOOL_OK;
    tool_say("lamella: %s: %" PRIu64 " record%s of row group %zu %s lost\n",
             tool_name(rest->job->file), wanted.count - printed, tool_s(wanted.count - printed),
             row_group, wanted.count - printed == 1 ? "is" : "are");
    return TOOL_BAD_INPUT;
}

/* Prints the rows of a row group that skip and limit leave. */
static int print_group(rest_printer *rest, size_t row_group) {
    record_choice *choice = rest->choice;
    lam_error error = lam_error_none();
    lam_row_group_info group = lam_row_group_info_default();
    lam_salvage_loss loss;
    int result = TOOL_OK;
    if (lam_reader_row_group(rest->job->reader, row_group, &group, &error) != LAM_STATUS_OK)
        return tool_fail(rest->job->file, &error);
    uint64_t skip = choice->skip < group.row_count ? choice->skip : group.row_count;
    uint64_t count = group.row_count - skip;
    count = count < choice->limit ? count : choice->limit;
    choice->skip -= skip;
    choice->limit -= count;
    while (count > 0 && find_loss(rest, row_group, &loss)) {
        report_leaf(rest, row_group, group.row_count);
        result = TOOL_BAD_INPUT;
    }
    int printed = print_rows(rest, row_group, (row_run){skip, count});
    return printed != TOOL_OK ? printed : result;
}

/* Reports bytes that are in no page, though no row may be lost with them, and rows of no group. */
static int report_unknown(const rest_printer *rest) {
    lam_salvage_report report = lam_salvage_report_default();
    if (lam_salvage_report_of(rest->salvage, &report, NULL) != LAM_STATUS_OK)
        return TOOL_OK;
    if (report.bytes_unknown > 0)
        tool_say("lamella: %s: %" PRIu64 " bytes of column chunks are in nothing that is known to "
                 "be a page\n",
                 tool_name(rest->job->file), report.bytes_unknown);
    if (report.rows_unknown > 0)
        tool_say("lamella: %s: %" PRIu64 " row%s that the footer counts %s in no row group\n",
                 tool_name(rest->job->file), report.rows_unknown, tool_s(report.rows_unknown),
                 report.rows_unknown == 1 ? "is" : "are");
    return report.bytes_unknown + report.rows_unknown > 0 ? TOOL_BAD_INPUT : TOOL_OK;
}

static int print_all(rest_printer *rest) {
    int worst = TOOL_OK;
    lam_error error = lam_error_none();
    if (lam_salvage_open_records(rest->salvage, rest->job->json.leaves, &rest->records, &error) !=
        LAM_STATUS_OK)
        return tool_fail(rest->job->file, &error);
    size_t count = lam_reader_row_group_count(rest->job->reader);
    for (size_t i = 0; i < count && !rest->has_ended; i++) {
        int result = print_group(rest, i);
        worst = result > worst ? result : worst;
    }
    lam_record_reader_close(rest->records);
    lam_json_writer_destroy(rest->writer);
    int unknown = report_unknown(rest);
    worst = unknown > worst ? unknown : worst;
    if (!rest->replaces)
        return worst;
    tool_say("lamella: %s: U+FFFD stands for what is not UTF-8 in texts\n",
             tool_name(rest->job->file));
    return TOOL_BAD_INPUT;
}

/* ------------------------------------------------------------------------------------------- */

int print_rest(const rest_job *job, record_choice *choice) {
    lam_error error = lam_error_none();
    rest_printer rest = {.job = job,
                         .choice = choice,
                         .lines = row_printer_lines(&choice->printer),
                         .leaf_count = lam_schema_leaf_count(lam_reader_schema(job->reader))};
    rest.output = (lam_output){.state = &rest, .write = pass_lines};
    lam_salvage_options options = lam_salvage_options_default();
    options.passes_unreadable = true;
    options.leaves = job->json.leaves;
    options.stop = tool_limits_of_program()->stop;
    if (lam_salvage_open(job->reader, &options, &rest.salvage, &error) != LAM_STATUS_OK)
        return tool_fail(job->file, &error);
    rest.leaves = tool_allocate(rest.leaf_count + 1, sizeof *rest.leaves);
    rest.readable = tool_allocate(rest.leaf_count + 1, sizeof *rest.readable);
    int result = print_all(&rest);
    free(rest.leaves);
    free(rest.readable);
    lam_salvage_close(rest.salvage);
    return result;
}
