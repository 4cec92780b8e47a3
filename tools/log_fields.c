/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schemas that grow with the records. In: a schema, or none, and lines of records. Out: a schema
 * that has all fields of the first one, in their order and unchanged, and those that are new.
 *
 * The invariant: a type once given stays, as files that are written have it. So a field gets one
 * only from a value that has one: nulls alone add no field, and what is empty becomes a VARIANT,
 * which takes whatever comes later.
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

/* --- Merging ------------------------------------------------------------------------------- */

/* A schema that is built from a present one and one that was inferred. */
typedef struct log_merge {
    lam_schema_builder *builder;
    bool is_new; /* a field was added */
} log_merge;

static lam_logical_kind kind_of(const lam_field *field) {
    return lam_field_logical_type(field)->kind;
}

/* Whether any value below the field, which was inferred, gave it a type. */
static bool has_type(const lam_field *field) {
    if (lam_field_is_leaf(field))
        return kind_of(field) != LAM_LOGICAL_UNKNOWN;
    for (size_t i = 0; i < lam_field_child_count(field); i++)
        if (has_type(lam_field_child(field, i)))
            return true;
    return false;
}

static lam_field_options options_of(const lam_field *field) {
    lam_field_options options = {0};
    options.logical_type = *lam_field_logical_type(field);
    if (lam_field_physical_type(field) == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        options.type_length = lam_field_type_length(field);
    options.has_id = lam_field_has_id(field);
    options.id = lam_field_id(field);
    return options;
}

static lam_status add_leaf(log_merge *merge, const lam_field *leaf, lam_error *error) {
    lam_field_options options = options_of(leaf);
    return lam_schema_builder_add_leaf(merge->builder, lam_field_name(leaf),
                                       lam_field_repetition(leaf), lam_field_physical_type(leaf),
                                       &options, error);
}

static lam_status begin_group(log_merge *merge, const lam_field *group, lam_error *error) {
    lam_field_options options = options_of(group);
    return lam_schema_builder_begin_group(merge->builder, lam_field_name(group),
                                          lam_field_repetition(group), &options, error);
}

static lam_status add_variant(log_merge *merge, const char *name, lam_error *error) {
    static const char *const names[] = {"metadata", "value"};
    lam_field_options options = {0};
    options.logical_type.kind = LAM_LOGICAL_VARIANT;
    options.logical_type.version = 1;
    merge->is_new = true;
    lam_status status = lam_schema_builder_begin_group(merge->builder, name,
                                                       LAM_REPETITION_OPTIONAL, &options, error);
    for (int i = 0; i < 2 && status == LAM_STATUS_OK; i++)
        status = lam_schema_builder_add_leaf(merge->builder, names[i], LAM_REPETITION_REQUIRED,
                                             LAM_PHYSICAL_BYTE_ARRAY, NULL, error);
    return status == LAM_STATUS_OK ? lam_schema_builder_end_group(merge->builder, error) : status;
}

/* Adds a field that was inferred, with what is below it. */
static lam_status add_inferred(log_merge *merge, const lam_field *field, lam_error *error) {
    bool is_leaf = lam_field_is_leaf(field);
    if (is_leaf && !has_type(field))
        return LAM_STATUS_OK;
    merge->is_new = true;
    if (is_leaf)
        return add_leaf(merge, field, error);
    if (!has_type(field))
        return add_variant(merge, lam_field_name(field), error);
    lam_status status = begin_group(merge, field, error);
    for (size_t i = 0; status == LAM_STATUS_OK && i < lam_field_child_count(field); i++)
        status = add_inferred(merge, lam_field_child(field, i), error);
    return status == LAM_STATUS_OK ? lam_schema_builder_end_group(merge->builder, error) : status;
}

static bool is_repeated(const lam_field *field) {
    return lam_field_repetition(field) == LAM_REPETITION_REPEATED;
}

/* Whether the field that was inferred may have members that the present one gets. */
static bool is_alike(const lam_field *field, const lam_field *more) {
    if (lam_field_is_leaf(field) || lam_field_is_leaf(more) || kind_of(field) != kind_of(more) ||
        is_repeated(field) != is_repeated(more))
        return false;
    return kind_of(field) == LAM_LOGICAL_NONE || kind_of(field) == LAM_LOGICAL_LIST;
}

/* A LIST has one child, which has one child. */
static bool is_of_list(const lam_field *field) {
    const lam_field *parent = lam_field_parent(field);
    return kind_of(field) == LAM_LOGICAL_LIST ||
           (parent != NULL && kind_of(parent) == LAM_LOGICAL_LIST);
}

static const lam_field *child_like(const lam_field *group, const lam_field *field) {
    const char *name = lam_field_name(field);
    return group == NULL ? NULL : lam_field_child_named(group, name, strlen(name));
}

static lam_status merge_field(log_merge *merge, const lam_field *field, const lam_field *more,
                              lam_error *error);

/* Adds the children of a present group, and behind them those that only `more` has. */
static lam_status merge_children(log_merge *merge, const lam_field *field, const lam_field *more,
                                 lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; status == LAM_STATUS_OK && i < lam_field_child_count(field); i++) {
        const lam_field *child = lam_field_child(field, i);
        status = merge_field(merge, child, child_like(more, child), error);
    }
    if (more == NULL || is_of_list(field))
        return status;
    for (size_t i = 0; status == LAM_STATUS_OK && i < lam_field_child_count(more); i++) {
        const lam_field *child = lam_field_child(more, i);
        if (child_like(field, child) == NULL)
            status = add_inferred(merge, child, error);
    }
    return status;
}

/* Adds a present field; `more` has its name and was inferred, or is NULL. */
static lam_status merge_field(log_merge *merge, const lam_field *field, const lam_field *more,
                              lam_error *error) {
    if (lam_field_is_leaf(field))
        return add_leaf(merge, field, error);
    lam_status status = begin_group(merge, field, error);
    if (status == LAM_STATUS_OK)
        status = merge_children(merge, field, more != NULL && is_alike(field, more) ? more : NULL,
                                error);
    return status == LAM_STATUS_OK ? lam_schema_builder_end_group(merge->builder, error) : status;
}

/* The present schema may be NULL, and so may what was inferred. */
static lam_status merge_schemas(const lam_schema *present, const lam_schema *inferred,
                                const char *rest, lam_schema **ret_schema, lam_error *error) {
    log_merge merge = {NULL, false};
    const lam_field *more = inferred == NULL ? NULL : lam_schema_root(inferred);
    const lam_field *root = present == NULL ? NULL : lam_schema_root(present);
    *ret_schema = NULL;
    lam_status status = lam_schema_builder_create(root == NULL ? "schema" : lam_field_name(root),
                                                  tool_allocator(), &merge.builder, error);
    if (status == LAM_STATUS_OK && root != NULL)
        status = merge_children(&merge, root, more, error);
    for (size_t i = 0;
         root == NULL && more != NULL && status == LAM_STATUS_OK && i < lam_field_child_count(more);
         i++)
        status = add_inferred(&merge, lam_field_child(more, i), error);
    bool has_rest =
        rest == NULL || (root != NULL && lam_field_child_named(root, rest, strlen(rest)));
    has_rest = has_rest || (more != NULL && lam_field_child_named(more, rest, strlen(rest)));
    if (status == LAM_STATUS_OK && !has_rest)
        status = add_variant(&merge, rest, error);
    if (status == LAM_STATUS_OK && merge.is_new)
        status = lam_schema_builder_finish(merge.builder, ret_schema, error);
    lam_schema_builder_destroy(merge.builder);
    return status;
}

lam_status log_schema_of_lines(const lam_schema *present, lam_bytes lines,
                               const lam_csv_options *csv, lam_schema **ret_schema,
                               lam_error *error) {
    lam_schema *inferred = NULL;
    lam_status status = infer_lines(lines, csv, &inferred, error);
    if (status == LAM_STATUS_OK)
        status = merge_schemas(present, inferred, NULL, ret_schema, error);
    lam_schema_destroy(inferred);
    return status;
}

lam_status log_schema_merge(const lam_schema *present, const lam_schema *more,
                            lam_schema **ret_schema, lam_error *error) {
    return merge_schemas(present, more, NULL, ret_schema, error);
}

lam_status log_schema_with_rest(const lam_schema *present, const char *rest,
                                lam_schema **ret_schema, lam_error *error) {
    return merge_schemas(present, NULL, rest, ret_schema, error);
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

/* Whether a failure only says that there is no schema, and not that it could not be looked for. */
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

/*
 * The same where only the journal has rows: of what is recovered, in a file that is then removed.
 */
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
