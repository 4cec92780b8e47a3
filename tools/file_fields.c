/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows each of several files with the fields that are named, though only others may have them. In:
 * files and the texts of --columns and --where. Out: readers.
 *
 * With --columns all footers are read first, as all files must give the same columns; with --where
 * only when a file lacks a field. The invariant: a text that is wrong for all files is reported
 * with what all of them have.
 */
#include "file_fields.h"

#include <lamella/filter_text.h>
#include <lamella/projection.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text_reader.h"
#include "tool.h"

file_fields file_fields_begin(const tool_files *files) {
    return (file_fields){.files = files};
}

void file_fields_end(file_fields *fields) {
    lam_schema_destroy(fields->schema);
    *fields = (file_fields){.files = NULL};
}

/* --- Collecting ---------------------------------------------------------------------------- */

void file_fields_add(file_fields *fields, const lam_schema *schema) {
    lam_error error = lam_error_none();
    lam_schema *all;
    const lam_schema *first = fields->schema == NULL ? schema : fields->schema;
    lam_status status = lam_schema_collect(first, schema, tool_allocator(), &all, &error);
    if (status == LAM_STATUS_NOMEM)
        tool_end_without_memory(NULL, error.message);
    if (status != LAM_STATUS_OK)
        return; /* too deep, or too many fields: the file's own are what it has */
    lam_schema_destroy(fields->schema);
    fields->schema = all;
}

/* One that fails has said so, and will not again. */
static void collect_text(file_fields *fields, const char *path) {
    lam_reader *reader;
    if (text_reader_open(path, 0, NULL, &reader) != TOOL_OK)
        return;
    file_fields_add(fields, lam_reader_schema(reader));
    lam_reader_close(reader);
}

/* A file that cannot be read is reported when it is its turn. */
static void collect_file(file_fields *fields, const char *path) {
    lam_error error = lam_error_none();
    lam_reader_options options = tool_reader_options();
    struct stat about;
    lam_input input;
    lam_reader *reader;
    size_t key_count;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return; /* a pipe can be read once */
    if (text_reader_is_text(path)) {
        collect_text(fields, path);
        return;
    }
    lam_status status = lam_input_open_file(path, NULL, &input, &error);
    if (status == LAM_STATUS_OK) {
        lam_constant *keys = tool_file_keys(path, &key_count);
        status = lam_reader_open_with_constants(&input, keys, key_count, &options, &reader, &error);
        free(keys);
        if (status != LAM_STATUS_OK)
            lam_input_close(&input);
    }
    if (status == LAM_STATUS_NOMEM)
        tool_end_without_memory(path, error.message);
    if (status != LAM_STATUS_OK)
        return;
    file_fields_add(fields, lam_reader_schema(reader));
    lam_reader_close(reader);
}

static void collect(file_fields *fields) {
    const lam_stop *stop = tool_limits_of_program()->stop;
    if (fields->is_collected)
        return;
    fields->is_collected = true;
    for (int i = 0; fields->files != NULL && i < fields->files->count; i++)
        if (!lam_stop_is_due(stop))
            collect_file(fields, fields->files->items[i].path);
}

/* --- What is named ------------------------------------------------------------------------- */

static lam_status parse_where(const lam_schema *schema, const file_wishes *wishes,
                              lam_filter **ret_filter, lam_error *error) {
    lam_filter_text_options text = lam_filter_text_options_default();
    text.storage = wishes->is_storage;
    return lam_filter_parse(schema, wishes->where, strlen(wishes->where), &text, tool_allocator(),
                            ret_filter, error);
}

/* Whether the condition names a field that the file lacks. What else is wrong shows later. */
static bool lacks_condition(const char *file, const lam_reader *reader, const file_wishes *wishes) {
    lam_error error = lam_error_none();
    lam_filter *filter;
    lam_status status = parse_where(lam_reader_schema(reader), wishes, &filter, &error);
    if (status == LAM_STATUS_OK)
        lam_filter_destroy(filter);
    if (status == LAM_STATUS_NOMEM)
        tool_end_without_memory(file, error.message);
    return status == LAM_STATUS_NOT_FOUND;
}

/* Marks the leaves of all files that the condition reads. */
static int mark_where(const file_fields *fields, const char *file, const file_wishes *wishes,
                      bool *leaves) {
    lam_error error = lam_error_none();
    lam_filter *filter;
    if (parse_where(fields->schema, wishes, &filter, &error) != LAM_STATUS_OK)
        return tool_fail_where(file, wishes->where, &error);
    lam_filter_mark_leaves(filter, leaves);
    lam_filter_destroy(filter);
    return TOOL_OK;
}

static int mark_columns(const file_fields *fields, const char *file, const file_wishes *wishes,
                        bool *leaves) {
    size_t count = lam_schema_leaf_count(fields->schema);
    lam_projection *projection = NULL;
    bool *chosen = NULL;
    int result = wishes->is_storage
                     ? tool_select(file, fields->schema, wishes->columns, &chosen)
                     : tool_project(file, fields->schema, wishes->columns, &projection);
    if (result != TOOL_OK)
        return result;
    const bool *marked = chosen != NULL ? chosen : lam_projection_leaves(projection);
    for (size_t i = 0; i < count; i++)
        leaves[i] = leaves[i] || marked[i];
    free(chosen);
    lam_projection_destroy(projection);
    return TOOL_OK;
}

int file_fields_show(file_fields *fields, const char *file, const lam_reader *reader,
                     const file_wishes *wishes, lam_reader **ret_shown) {
    lam_error error = lam_error_none();
    int result = TOOL_OK;
    *ret_shown = NULL;
    if (fields == NULL || (fields->files != NULL && fields->files->count < 2))
        return TOOL_OK;
    bool lacks = wishes->where != NULL && lacks_condition(file, reader, wishes);
    if (!lacks && wishes->columns == NULL)
        return TOOL_OK;
    collect(fields);
    if (fields->schema == NULL || lam_schema_equals(fields->schema, lam_reader_schema(reader)))
        return TOOL_OK;
    bool *leaves = tool_allocate(lam_schema_leaf_count(fields->schema) + 1, sizeof *leaves);
    if (lacks)
        result = mark_where(fields, file, wishes, leaves);
    if (result == TOOL_OK && wishes->columns != NULL)
        result = mark_columns(fields, file, wishes, leaves);
    if (result == TOOL_OK &&
        lam_reader_show_fields(reader, fields->schema, leaves, ret_shown, &error) != LAM_STATUS_OK)
        result = tool_fail(file, &error);
    free(leaves);
    return result;
}
