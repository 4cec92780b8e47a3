/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses what a page shows of an open file, and prints it as one JSON object. However large the
 * file, the object always stays below some megabytes and takes few pages to make; `source` says
 * which records, columns and row group it is about.
 */
#define _POSIX_C_SOURCE 200809L
#include "explain_document.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain_sample.h"
#include "explain_skips.h"
#include "meta_print.h"
#include "pages_json.h"
#include "schema_json.h"
#include "tool.h"

enum { LEAVES_MOST = 40, PAGES_MOST = 400, CHUNKS_MOST = 1000 };

/* --- Choosing ------------------------------------------------------------------------------ */

static lam_status fail(lam_error *error, lam_status status, const char *format, ...) {
    va_list arguments;
    *error = lam_error_none();
    error->status = status;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

/* Finds the row group and the record in it; a file without records has neither. */
static lam_status find_record(const explain_subject *subject, explain_sample *sample,
                              lam_error *error) {
    size_t groups = lam_reader_row_group_count(subject->reader);
    uint64_t before = 0, rows = 0;
    if (subject->row_group != UINT64_MAX && subject->row_group >= groups)
        return fail(error, LAM_STATUS_NOT_FOUND, "no row group %" PRIu64 ": there are %zu",
                    subject->row_group, groups);
    for (size_t i = 0; i < groups; i++) {
        lam_row_group_info info = lam_row_group_info_default();
        lam_status status = lam_reader_row_group(subject->reader, i, &info, error);
        if (status != LAM_STATUS_OK)
            return status;
        bool is_wanted = subject->row_group == UINT64_MAX
                             ? subject->record - before < info.row_count
                             : subject->row_group == i;
        rows = info.row_count;
        if (is_wanted) {
            sample->row_group = i;
            sample->row_group_first = before;
            sample->first =
                subject->row_group == UINT64_MAX ? subject->record - before : subject->record;
            break;
        }
        before += info.row_count;
        rows = 0;
    }
    if (sample->first >= rows && (subject->record > 0 || rows > 0))
        return fail(error, LAM_STATUS_NOT_FOUND, "no record %" PRIu64 ": there are %" PRIu64,
                    subject->record, subject->row_group == UINT64_MAX ? before : rows);
    uint64_t limit = subject->limit > 0 ? subject->limit : EXPLAIN_RECORDS;
    sample->count = rows - sample->first < limit ? rows - sample->first : limit;
    sample->chosen_count = sample->count;
    sample->has_row_group = groups > 0;
    return LAM_STATUS_OK;
}

/* All leaves that were chosen, or the first ones of a wide schema. */
static void choose_leaves(const explain_subject *subject, explain_sample *sample) {
    size_t count = lam_schema_leaf_count(lam_reader_schema(subject->reader));
    sample->leaves = tool_allocate(count + 1, sizeof *sample->leaves);
    for (size_t i = 0; i < count; i++) {
        bool is_chosen = subject->leaves == NULL || subject->leaves[i];
        if (is_chosen && sample->leaf_count < LEAVES_MOST) {
            sample->leaves[i] = true;
            sample->leaf_count++;
        } else if (is_chosen) {
            sample->leaves_left_out++;
        }
    }
}

/* --- Printing ------------------------------------------------------------------------------ */

static void print_source(const explain_subject *subject, const explain_sample *sample) {
    const lam_reader *reader = subject->reader;
    const char *before = "";
    tool_print("{\"name\":");
    tool_print_text(subject->name, strlen(subject->name));
    tool_print(",\"size\":%" PRIu64 ",\"rows\":%" PRIu64 ",\"row_groups\":%zu",
               tool_file_info(reader).file_size, lam_reader_row_count(reader),
               lam_reader_row_group_count(reader));
    tool_print(",\"is_written_here\":%s,\"row_group\":%zu,\"row_group_first\":%" PRIu64
               ",\"first\":%" PRIu64 ",\"count\":%" PRIu64 ",\"columns\":[",
               subject->is_written_here ? "true" : "false", sample->row_group,
               sample->row_group_first, sample->row_group_first + sample->first, sample->count);
    for (size_t i = 0; i < lam_schema_leaf_count(lam_reader_schema(reader)); i++)
        if (sample->leaves[i]) {
            tool_print("%s%zu", before, i);
            before = ",";
        }
    tool_print("],\"columns_left_out\":%zu}", sample->leaves_left_out);
}

/* --- The schema ---------------------------------------------------------------------------- */

static lam_status add_field(lam_schema_builder *builder, const lam_field *field, const bool *leaves,
                            lam_error *error) {
    lam_field_options options = {.logical_type = *lam_field_logical_type(field)};
    size_t first = lam_field_first_leaf(field), chosen = 0;
    for (size_t i = 0; i < lam_field_leaf_count(field); i++)
        chosen += leaves[first + i];
    if (chosen == 0)
        return LAM_STATUS_OK;
    if (lam_field_is_leaf(field)) {
        if (lam_field_physical_type(field) == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
            options.type_length = lam_field_type_length(field);
        return lam_schema_builder_add_leaf(builder, lam_field_name(field),
                                           lam_field_repetition(field),
                                           lam_field_physical_type(field), &options, error);
    }
    lam_status status = lam_schema_builder_begin_group(
        builder, lam_field_name(field), lam_field_repetition(field), &options, error);
    for (size_t i = 0; i < lam_field_child_count(field) && status == LAM_STATUS_OK; i++)
        status = add_field(builder, lam_field_child(field, i), leaves, error);
    return status == LAM_STATUS_OK ? lam_schema_builder_end_group(builder, error) : status;
}

/* The schema of the leaves that are shown. */
static lam_status project_schema(const lam_schema *schema, const bool *leaves,
                                 lam_schema **ret_schema, lam_error *error) {
    lam_schema_builder *builder;
    const lam_field *root = lam_schema_root(schema);
    lam_status status =
        lam_schema_builder_create(lam_field_name(root), tool_allocator(), &builder, error);
    if (status != LAM_STATUS_OK)
        return status;
    for (size_t i = 0; i < lam_field_child_count(root) && status == LAM_STATUS_OK; i++)
        status = add_field(builder, lam_field_child(root, i), leaves, error);
    if (status == LAM_STATUS_OK)
        status = lam_schema_builder_finish(builder, ret_schema, error);
    lam_schema_builder_destroy(builder);
    return status;
}

static void print_schema_text(const lam_schema *schema) {
    size_t size = lam_schema_print(schema, NULL, 0) + 1;
    char *text = tool_allocate(size, 1);
    lam_schema_print(schema, text, size);
    tool_print_text(text, size - 1);
    free(text);
}

/*
 * The schema of the page's records, if it is not the entire one: they can be assembled by it.
 * Absent if a logical type demands leaves that are left out.
 */
static void print_columns_text(const lam_schema *schema, const explain_sample *sample) {
    lam_schema *part;
    lam_error error = lam_error_none();
    if (sample->leaf_count == 0 || sample->leaf_count == lam_schema_leaf_count(schema))
        return;
    if (project_schema(schema, sample->leaves, &part, &error) != LAM_STATUS_OK) {
        if (error.status == LAM_STATUS_NOMEM)
            explain_note_failure(NULL, &error);
        return;
    }
    tool_print(",\"columns_text\":");
    print_schema_text(part);
    lam_schema_destroy(part);
}

/* A footer with very many chunks is shown by its row group alone. */
static void print_meta(const explain_subject *subject, const explain_sample *sample) {
    size_t chunks = lam_reader_row_group_count(subject->reader) *
                    (sample->leaf_count > 0 ? sample->leaf_count : 1);
    meta_choice choice = {sample->leaves, UINT64_MAX, false};
    if (chunks > CHUNKS_MOST)
        choice.row_group = sample->row_group;
    if (meta_print_json(subject->name, subject->reader, &choice) != TOOL_OK)
        explain_note(NULL, "Some of the footer cannot be read; lamella check says what.");
}

/* The page headers of a chunk, up to a number of them in all. */
static lam_status print_pages(const explain_subject *subject, const explain_sample *sample,
                              size_t leaf, size_t *count, bool *ret_is_cut, lam_error *error) {
    lam_page_list *list;
    lam_page_info page = lam_page_info_default();
    bool more = true;
    lam_status status = lam_page_list_open(subject->reader, sample->row_group, leaf, &list, error);
    if (status != LAM_STATUS_OK)
        return status;
    size_t share = PAGES_MOST / (sample->leaf_count > 0 ? sample->leaf_count : 1);
    for (size_t i = 0; i < share + 2; i++) {
        status = lam_page_list_next(list, &page, &more, error);
        if (status != LAM_STATUS_OK || !more)
            break;
        tool_print((*count)++ == 0 ? "" : ",");
        pages_print_json(sample->row_group,
                         lam_schema_leaf(lam_reader_schema(subject->reader), leaf), &page);
    }
    *ret_is_cut |= status == LAM_STATUS_OK && more;
    lam_page_list_close(list);
    return status;
}

static void print_all_pages(const explain_subject *subject, const explain_sample *sample) {
    size_t count = 0;
    bool is_cut = false;
    for (size_t i = 0; i < lam_schema_leaf_count(lam_reader_schema(subject->reader)); i++) {
        lam_error error = lam_error_none();
        if (sample->leaves[i] && sample->has_row_group &&
            print_pages(subject, sample, i, &count, &is_cut, &error) != LAM_STATUS_OK)
            explain_note_failure(lam_schema_leaf(lam_reader_schema(subject->reader), i), &error);
    }
    if (is_cut)
        explain_note(NULL, "Only the first pages of columns are listed; lamella pages prints all.");
}

lam_status explain_choose(const explain_subject *subject, explain_sample *ret_sample,
                          lam_error *error) {
    explain_sample sample = {0};
    lam_status status = find_record(subject, &sample, error);
    if (status != LAM_STATUS_OK)
        return status;
    choose_leaves(subject, &sample);
    *ret_sample = sample;
    return LAM_STATUS_OK;
}

lam_status explain_print_document(const explain_subject *subject, lam_error *error) {
    explain_sample sample = {0};
    const lam_schema *schema = lam_reader_schema(subject->reader);
    lam_status status = explain_choose(subject, &sample, error);
    if (status != LAM_STATUS_OK)
        return status;
    explain_notes_begin();
    if (subject->is_text_cut)
        explain_note(NULL, "Only the records at the beginning of the text are in the file that "
                           "this page is about: the text is long.");
    tool_print("{\"format\":1,\"lamella\":\"%s\",\"schema_text\":", LAM_VERSION_STRING);
    print_schema_text(schema);
    print_columns_text(schema, &sample);
    tool_print(",\"schema\":");
    status = schema_print_json(schema, error);
    tool_print(",\"meta\":");
    print_meta(subject, &sample);
    tool_print(",\"pages\":[");
    print_all_pages(subject, &sample);
    tool_print("],\"records\":[");
    explain_print_records(subject->reader, &sample);
    tool_print("]");
    explain_print_columns(subject, &sample);
    explain_print_skips(subject, &sample);
    if (subject->print_size != NULL)
        subject->print_size(subject->reader, subject->input, sample.leaves);
    tool_print(",\"source\":");
    print_source(subject, &sample);
    if (tool_values_cut() > 0)
        explain_note(NULL, "Long values are cut; lamella cat prints them whole.");
    tool_print(",\"notes\":");
    explain_print_notes();
    tool_print("}");
    free(sample.leaves);
    return status;
}
