/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the chosen records of files as rows, and messages about them to standard error. The
 * invariant: `skip` and `limit` of the choice are those left for further files.
 */
#define _POSIX_C_SOURCE 200809L
#include "record_choice.h"

#include <inttypes.h>
#include <lamella/filter.h>
#include <lamella/projection.h>
#include <lamella/scan.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print_rest.h"
#include "text_reader.h"
#include "tool_files.h"
#include "tool_progress.h"
#include "tool_screen.h"

const char record_columns_help[] =
    "only the leaves below these paths; no others are read. Names with commas, dots or blanks at "
    "an end stand in quotation marks; * is any characters of a name, [] the elements of a list, "
    "and !A leaves out what is below A, as in '*,!secret'. A path into a VARIANT continues with "
    "the fields of its objects, as in event.user.\"a.b\", with quotation marks around unusual "
    "names: each value is then an object of the parts that exist, read from few columns if it is "
    "shredded";

const char record_where_help[] =
    "only records for which the condition is true; it may use fields that are not printed. Fields "
    "are compared (= != < <= > >=, between A and B, in (A, B), like 'a%_', ilike, starts_with(A, "
    "'a')) with numbers, true, false, 'text', '2024-10-24', now() - 1d, x'00FF' and other fields; "
    "also: is null, is not null, and, or, not, ( ). Unusual names need quotation marks. "
    "items[].price is that of any element of a list, and m['k'] the value of a map. Paths into "
    "VARIANTs continue as in --columns, and with [] for the elements of arrays, as in "
    "event.items[].price < 10; they also allow: is missing, is not missing";

/* Records to print: some leaves of a file, and which rows. */
typedef struct record_part {
    const lam_reader *reader;
    const bool *leaves;               /* NULL is all */
    const lam_projection *projection; /* in their place, if it is not NULL */
    const bool *free_leaves;
    const row_run *runs;
    size_t run_count;
    const lam_filter *filter; /* NULL is none */
    lam_switch pruning;
    lam_scan_report *report;   /* filled when not NULL */
    uint64_t *row_groups_read; /* by leaf; filled when not NULL */
    uint64_t skipped;          /* set */
    uint64_t printed;          /* set: those before a failure, too */
} record_part;

static lam_json_writer_options json_of_part(const record_part *part, const record_choice *choice) {
    lam_json_writer_options json = lam_json_writer_options_default();
    json.binary = choice->style.binary;
    json.variant = choice->style.variant;
    json.omit_nulls = choice->style.omits_nulls;
    json.tolerate_conflicts = choice->conflicts == RECORD_CONFLICTS_TYPED;
    json.memory_limit = tool_file_info(part->reader).memory_limit;
    json.leaves = part->leaves;
    json.projection = part->projection;
    json.free_leaves = part->free_leaves;
    return json;
}

static lam_status print_part(record_part *part, record_choice *choice, lam_error *error) {
    lam_json_writer_options json = json_of_part(part, choice);
    lam_scan_options scan = lam_scan_options_default();
    scan.leaves = part->leaves;
    scan.projection = part->projection;
    scan.filter = part->filter;
    scan.pruning = part->pruning;
    row_job job = {.reader = part->reader,
                   .scan = &scan,
                   .json = &json,
                   .runs = part->runs,
                   .run_count = part->run_count,
                   .report = part->report,
                   .row_groups_read = part->row_groups_read};
    lam_status status = row_print(&choice->printer, &job, error);
    part->skipped = job.skipped;
    part->printed = job.printed;
    return status;
}

/* The effect of the condition, on standard error. */
static void explain(const char *file, const lam_scan_report *report, uint64_t bytes_read,
                    uint64_t file_size) {
    const char *name = tool_name(file);
    tool_say("lamella: %s: %" PRIu64 " row group%s examined; ruled out: %" PRIu64
             " by statistics, %" PRIu64 " by Bloom filters, %" PRIu64 " by the page index, %" PRIu64
             " by dictionaries\n",
             name, report->row_groups, tool_s(report->row_groups), report->row_groups_by_statistics,
             report->row_groups_by_bloom, report->row_groups_by_pages,
             report->row_groups_by_dictionary);
    tool_say("lamella: %s: %" PRIu64 " page%s of the condition's columns in the page index; "
             "ruled out: %" PRIu64 "\n",
             name, report->pages, tool_s(report->pages), report->pages_pruned);
    tool_say("lamella: %s: %" PRIu64 " record%s; ruled out unread: %" PRIu64 "; matching: %" PRIu64
             "\n",
             name, report->rows, tool_s(report->rows), report->rows_pruned, report->rows_wanted);
    tool_say("lamella: %s: %" PRIu64 " of %" PRIu64 " bytes read, %" PRIu64
             " of them page indexes and Bloom filters\n",
             name, bytes_read, file_size, report->index_bytes);
}

/* Which columns the records were read from. */
static void explain_columns(const char *file, const record_part *whole) {
    const lam_schema *schema = lam_reader_schema(whole->reader);
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++) {
        char path[256];
        if (whole->row_groups_read[i] == 0)
            continue;
        (void)lam_field_path(lam_schema_leaf(schema, i), path, sizeof path);
        tool_say("lamella: %s: column %s: read in %" PRIu64 " of %zu row group%s\n",
                 tool_name(file), path, whole->row_groups_read[i],
                 lam_reader_row_group_count(whole->reader),
                 tool_s(lam_reader_row_group_count(whole->reader)));
    }
}

/* Adds the file that a condition fits to its fault in another one. */
static void name_fitting(const char *file, const record_choice *choice, lam_error *error) {
    const char *fitting = choice->fields == NULL ? NULL : choice->fields->fitting;
    size_t size = strlen(error->message);
    if (fitting != NULL && strcmp(fitting, file) != 0 && error->status == LAM_STATUS_INVALID)
        snprintf(error->message + size, sizeof error->message - size, "; it fits %s",
                 tool_name(fitting));
}

int record_filter(const char *file, const lam_reader *reader, const record_choice *choice,
                  lam_filter **ret_filter) {
    lam_error error = lam_error_none();
    lam_filter_text_options text = lam_filter_text_options_default();
    text.storage = choice->style.variant == LAM_JSON_VARIANT_STORAGE;
    *ret_filter = NULL;
    if (choice->where == NULL)
        return TOOL_OK;
    if (lam_filter_parse(lam_reader_schema(reader), choice->where, strlen(choice->where), &text,
                         NULL, ret_filter, &error) != LAM_STATUS_OK) {
        name_fitting(file, choice, &error);
        return tool_fail_where(file, choice->where, &error);
    }
    if (choice->fields != NULL && choice->fields->fitting == NULL)
        choice->fields->fitting = file;
    return TOOL_OK;
}

/* The fields to print: leaves if VARIANTs show as groups or damage is passed over, else a
 * projection, whose paths continue in VARIANTs. */
static bool selects_leaves(const record_choice *choice) {
    return choice->keep_going || choice->style.variant == LAM_JSON_VARIANT_STORAGE;
}

/* The file with the fields that the choice wishes for; NULL when it has them. */
static int show_fields(const char *file, const lam_reader *reader, const record_choice *choice,
                       lam_reader **ret_shown) {
    const file_wishes wishes = {choice->columns, choice->where, selects_leaves(choice),
                                row_printer_has_header(&choice->printer)};
    return file_fields_show(choice->fields, file, reader, &wishes, ret_shown);
}

static int print_whole(const char *file, record_part *whole, uint64_t *bytes_read,
                       record_choice *choice) {
    lam_scan_report report = lam_scan_report_default();
    size_t leaf_count = lam_schema_leaf_count(lam_reader_schema(whole->reader));
    lam_error error = lam_error_none();
    lam_filter *filter;
    int result = record_filter(file, whole->reader, choice, &filter);
    if (result != TOOL_OK)
        return result;
    whole->filter = filter;
    whole->pruning = choice->pruning;
    whole->report = &report;
    whole->row_groups_read = tool_allocate(leaf_count + 1, sizeof *whole->row_groups_read);
    if (print_part(whole, choice, &error) != LAM_STATUS_OK)
        result = tool_fail(file, &error);
    if (choice->explain) {
        if (choice->columns != NULL)
            explain_columns(file, whole);
        explain(file, &report, *bytes_read, tool_file_info(whole->reader).file_size);
    }
    free(whole->row_groups_read);
    lam_filter_destroy(filter);
    return result;
}

static int choose_columns(const char *file, const lam_schema *schema, const record_choice *choice,
                          bool **ret_leaves, lam_projection **ret_projection) {
    *ret_leaves = NULL;
    *ret_projection = NULL;
    if (selects_leaves(choice))
        return tool_select(file, schema, choice->columns, ret_leaves);
    return tool_project(file, schema, choice->columns, ret_projection);
}

/* Prints the open file. */
static int print_reader(const char *file, const lam_reader *reader, record_choice *choice,
                        const row_run *runs, size_t run_count, uint64_t *bytes_read) {
    bool *leaves;
    lam_projection *projection;
    row_run whole_run = {choice->skip, choice->limit};
    int result = choose_columns(file, lam_reader_schema(reader), choice, &leaves, &projection);
    if (result != TOOL_OK)
        return result;
    bool *free_leaves = tool_free_leaves(reader);
    record_part whole = {.reader = reader,
                         .leaves = leaves,
                         .projection = projection,
                         .free_leaves = free_leaves,
                         .runs = runs == NULL ? &whole_run : runs,
                         .run_count = runs == NULL ? 1 : run_count};
    if (choice->keep_going) {
        const rest_job rest = {file, reader, json_of_part(&whole, choice)};
        result = print_rest(&rest, choice);
    } else {
        result = print_whole(file, &whole, bytes_read, choice);
        choice->skip -= runs == NULL ? whole.skipped : 0;
        choice->limit -= runs == NULL ? whole.printed : 0;
    }
    free(leaves);
    free(free_leaves);
    lam_projection_destroy(projection);
    return result;
}

/* How many of the first records of a file may be printed. */
static uint64_t records_needed(const record_choice *choice, const row_run *runs) {
    bool are_first = runs == NULL && choice->where == NULL;
    return are_first && choice->limit < UINT64_MAX - choice->skip ? choice->skip + choice->limit
                                                                  : UINT64_MAX;
}

/* Prints by runs; without any, by skip and limit. */
static int print_file(const char *file, record_choice *choice, const row_run *runs,
                      size_t run_count) {
    uint64_t bytes_read = 0;
    lam_reader *reader, *shown;
    int result = text_reader_open(file, records_needed(choice, runs), &bytes_read, &reader);
    if (result != TOOL_OK)
        return result;
    result = show_fields(file, reader, choice, &shown);
    if (result == TOOL_OK)
        result = print_reader(file, shown != NULL ? shown : reader, choice, runs, run_count,
                              &bytes_read);
    lam_reader_close(shown);
    lam_reader_close(reader);
    return result;
}

/* After the last wanted record, further files of a folder are not opened. */
int print_records(const char *file, void *state) {
    record_choice *choice = state;
    if (choice->limit == 0 && choice->has_begun && tool_file_is_found(file))
        return TOOL_OK;
    choice->has_begun = true;
    return print_file(file, choice, NULL, 0);
}

int print_record_runs(const char *file, record_choice *choice, const row_run *runs,
                      size_t run_count) {
    return print_file(file, choice, runs, run_count);
}

int print_all_records(const tool_command *command, int count, char **operands,
                      record_choice *choice, row_format format) {
    tool_files found;
    if (!tool_need_operands(command, &count, &operands))
        return TOOL_BAD_USAGE;
    tool_files_find(count, operands, TOOL_FILES_KEYED, &found);
    file_fields fields = file_fields_begin(&found, choice->on_clash);
    choice->fields = &fields;
    choice->printer = row_printer_begin(&choice->style, format);
    if (!tool_screen_of_program()->is_terminal)
        tool_files_begin_progress(&found);
    int result = tool_each_of(&found, print_records, choice);
    tool_progress_end();
    row_printer_end(&choice->printer, result == TOOL_OK);
    choice->fields = NULL;
    file_fields_end(&fields);
    tool_files_free(&found);
    int flushed = tool_flush();
    return flushed > result ? flushed : result;
}

/* --- Counting ------------------------------------------------------------------------------ */

/* Counts the records for which the condition is true; only its columns are read. */
static int count_matches(const char *file, const lam_reader *reader, const record_choice *choice,
                         uint64_t *ret_count) {
    lam_error error = lam_error_none();
    lam_record_reader *records;
    lam_filter *filter;
    lam_scan_options scan = lam_scan_options_default();
    int result = record_filter(file, reader, choice, &filter);
    if (result != TOOL_OK)
        return result;
    bool *leaves = tool_allocate(lam_schema_leaf_count(lam_reader_schema(reader)) + 1,
                                 sizeof *leaves); /* none */
    scan.leaves = leaves;
    scan.filter = filter;
    scan.pruning = choice->pruning;
    lam_status status = lam_record_reader_open_scan(reader, &scan, &records, &error);
    if (status == LAM_STATUS_OK) {
        status = lam_record_reader_skip(records, UINT64_MAX, ret_count, &error);
        lam_record_reader_close(records);
    }
    free(leaves);
    lam_filter_destroy(filter);
    return status == LAM_STATUS_OK ? TOOL_OK : tool_fail(file, &error);
}

int count_records(const char *file, const record_choice *choice, uint64_t *ret_count) {
    lam_reader *reader;
    int result = text_reader_open(file, UINT64_MAX, NULL, &reader);
    if (result != TOOL_OK)
        return result;
    *ret_count = lam_reader_row_count(reader);
    if (choice->where != NULL) {
        const file_wishes wishes = {NULL, choice->where, selects_leaves(choice), false};
        lam_reader *shown;
        result = file_fields_show(choice->fields, file, reader, &wishes, &shown);
        if (result == TOOL_OK)
            result = count_matches(file, shown != NULL ? shown : reader, choice, ret_count);
        lam_reader_close(shown);
    }
    lam_reader_close(reader);
    return result;
}
