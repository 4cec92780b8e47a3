/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows each of several files with the fields that are wanted, in the types that all of them have
 * in common: takes files, the texts of --columns and --where, and whether one header serves all,
 * and gives readers.
 *
 * All footers are read first, unless each file prints its own records as they are. The invariant: a
 * text that is wrong for all files is reported with the fields of all, and a condition means the
 * same in each.
 */
#include "file_fields.h"

#include <lamella/filter_text.h>
#include <lamella/projection.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text_reader.h"
#include "tool.h"

file_fields file_fields_begin(const tool_files *files, lam_clash on_clash) {
    return (file_fields){.files = files, .on_clash = on_clash};
}

void file_fields_end(file_fields *fields) {
    lam_union_destroy(fields->all);
    *fields = (file_fields){.files = NULL};
}

/* --- Collecting ---------------------------------------------------------------------------- */

/* False if the fields do not fit the others: the file then has its own. */
static bool add_fields(file_fields *fields, const char *file, const lam_schema *schema,
                       lam_error *error) {
    const lam_union_options options = {sizeof options, fields->on_clash};
    lam_status status = LAM_STATUS_OK;
    if (fields->all == NULL)
        status = lam_union_create(&options, tool_allocator(), &fields->all, error);
    if (status == LAM_STATUS_OK)
        status = lam_union_add(fields->all, schema, tool_name(file), error);
    if (status == LAM_STATUS_NOMEM)
        tool_end_without_memory(NULL, error->message);
    return status == LAM_STATUS_OK;
}

/*
 * A clash that is an error stays one; two fields with one name, or too many, are reported where
 * they matter.
 */
int file_fields_add(file_fields *fields, const char *file, const lam_schema *schema) {
    lam_error error = lam_error_none();
    if (add_fields(fields, file, schema, &error) || error.status != LAM_STATUS_INVALID)
        return TOOL_OK;
    return tool_fail(file, &error);
}

/* One that fails has said so, and will not again. */
static int collect_text(file_fields *fields, const char *path) {
    lam_reader *reader;
    if (text_reader_open(path, 0, NULL, &reader) != TOOL_OK)
        return TOOL_OK;
    int result = file_fields_add(fields, path, lam_reader_schema(reader));
    lam_reader_close(reader);
    return result;
}

/* A file that cannot be read is reported when it is its turn. */
static int collect_file(file_fields *fields, const char *path) {
    lam_error error = lam_error_none();
    lam_reader_options options = tool_reader_options();
    struct stat about;
    lam_input input;
    lam_reader *reader;
    size_t key_count;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return TOOL_OK; /* a pipe can be read once */
    if (text_reader_is_text(path))
        return collect_text(fields, path);
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
        return TOOL_OK;
    int result = file_fields_add(fields, path, lam_reader_schema(reader));
    lam_reader_close(reader);
    return result;
}

static int collect(file_fields *fields) {
    const lam_stop *stop = tool_limits_of_program()->stop;
    int count = fields->files == NULL || fields->is_collected ? 0 : fields->files->count;
    fields->is_collected = true;
    for (int i = 0; i < count && fields->result == TOOL_OK; i++)
        if (!lam_stop_is_due(stop))
            fields->result = collect_file(fields, fields->files->items[i].path);
    return fields->result;
}

/* --- Named fields -------------------------------------------------------------------------- */

static lam_status parse_where(const lam_schema *schema, const file_wishes *wishes,
                              lam_filter **ret_filter, lam_error *error) {
    lam_filter_text_options text = lam_filter_text_options_default();
    text.storage = wishes->is_storage;
    return lam_filter_parse(schema, wishes->where, strlen(wishes->where), &text, tool_allocator(),
                            ret_filter, error);
}

/* Marks the leaves of all files that the condition reads. */
static int mark_where(const file_fields *fields, const char *file, const file_wishes *wishes,
                      bool *leaves) {
    lam_error error = lam_error_none();
    lam_filter *filter;
    if (parse_where(lam_union_schema(fields->all), wishes, &filter, &error) != LAM_STATUS_OK)
        return tool_fail_where(file, wishes->where, &error);
    lam_filter_mark_leaves(filter, leaves);
    lam_filter_destroy(filter);
    return TOOL_OK;
}

static int mark_columns(const file_fields *fields, const char *file, const file_wishes *wishes,
                        bool *leaves) {
    size_t count = lam_schema_leaf_count(lam_union_schema(fields->all));
    lam_projection *projection = NULL;
    bool *chosen = NULL;
    int result =
        wishes->is_storage
            ? tool_select(file, lam_union_schema(fields->all), wishes->columns, &chosen)
            : tool_project(file, lam_union_schema(fields->all), wishes->columns, &projection);
    if (result != TOOL_OK)
        return result;
    const bool *marked = chosen != NULL ? chosen : lam_projection_leaves(projection);
    for (size_t i = 0; i < count; i++)
        leaves[i] = leaves[i] || marked[i];
    free(chosen);
    lam_projection_destroy(projection);
    return TOOL_OK;
}

/* Shows the file with the marked leaves, or with all. */
static int show_file(const file_fields *fields, const char *file, const lam_reader *reader,
                     const file_wishes *wishes, lam_reader **ret_shown) {
    const lam_schema *all = lam_union_schema(fields->all);
    lam_error error = lam_error_none();
    int result = TOOL_OK;
    bool *leaves = tool_allocate(lam_schema_leaf_count(all) + 1, sizeof *leaves);
    if (wishes->where != NULL)
        result = mark_where(fields, file, wishes, leaves);
    if (result == TOOL_OK && wishes->columns != NULL)
        result = mark_columns(fields, file, wishes, leaves);
    bool is_whole = wishes->columns == NULL && wishes->needs_header;
    if (result == TOOL_OK &&
        lam_reader_show(reader, all, is_whole ? NULL : leaves, ret_shown, &error) != LAM_STATUS_OK)
        result = tool_fail(file, &error);
    free(leaves);
    return result;
}

int file_fields_show(file_fields *fields, const char *file, const lam_reader *reader,
                     const file_wishes *wishes, lam_reader **ret_shown) {
    lam_error error = lam_error_none();
    *ret_shown = NULL;
    if (fields == NULL || (fields->files != NULL && fields->files->count < 2) ||
        (wishes->where == NULL && wishes->columns == NULL && !wishes->needs_header))
        return TOOL_OK;
    int result = collect(fields);
    if (result != TOOL_OK)
        return result;
    if (!add_fields(fields, file, lam_reader_schema(reader), &error))
        return error.status == LAM_STATUS_INVALID ? tool_fail(file, &error) : TOOL_OK;
    union_say_notices(fields->all, false, &fields->noticed);
    return show_file(fields, file, reader, wishes, ret_shown);
}
