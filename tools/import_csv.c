/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Imports delimited text by the options: finds the schema that all inputs have together, and writes
 * their records.
 *
 * The schema is inferred from the first bytes of each input or from all of them, and the types that
 * --type names replace those that were inferred. The delimiter is always the same for all inputs,
 * as the first shows it.
 */
#include "import_csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv_option.h"
#include "tool.h"
#include "tool_progress.h"

/* --- The schema ---------------------------------------------------------------------------- */

/* Finds the column of each --type, which must be one value: a type for each column, or NULL. */
static int find_types(const import_layout *layout, const lam_schema *schema,
                      const lam_json_column **types) {
    for (size_t i = 0; i < layout->fields.column_count; i++) {
        const lam_json_column *column = &layout->columns[i];
        lam_error error = lam_error_none();
        const lam_field *field;
        lam_status status = lam_schema_resolve(schema, column->path, &field, &error);
        if (status == LAM_STATUS_NOT_FOUND ||
            (status == LAM_STATUS_OK && !lam_field_is_leaf(field)))
            return tool_misuse(&tool_import, "--type: no column %s", column->path);
        if (status != LAM_STATUS_OK)
            return tool_misuse(&tool_import, "--type: %s", error.message);
        if (column->type == LAM_PHYSICAL_GROUP)
            return tool_misuse(&tool_import, "--type: column %s of CSV cannot be a VARIANT or MAP",
                               column->path);
        types[lam_field_ordinal(field)] = column;
    }
    return TOOL_OK;
}

/* A schema as it was inferred, and the types that replace some of it. */
typedef struct given_types {
    const import_layout *layout;
    const lam_schema *schema;
} given_types;

static bool is_given(const void *state, const char *column) {
    const given_types *given = state;
    for (size_t i = 0; i < given->layout->fields.column_count; i++) {
        const lam_field *field;
        if (lam_schema_resolve(given->schema, given->layout->columns[i].path, &field, NULL) ==
                LAM_STATUS_OK &&
            strcmp(lam_field_name(field), column) == 0)
            return true;
    }
    return false;
}

static lam_status add_field(lam_schema_builder *builder, const lam_field *field,
                            const lam_json_column *given, lam_error *error) {
    lam_field_options options;
    lam_physical_type type = lam_field_physical_type(field);
    memset(&options, 0, sizeof options);
    if (given != NULL) {
        options = given->options;
        type = given->type;
    } else {
        options.logical_type = *lam_field_logical_type(field);
        if (type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
            options.type_length = lam_field_type_length(field);
    }
    return lam_schema_builder_add_leaf(builder, lam_field_name(field), LAM_REPETITION_OPTIONAL,
                                       type, &options, error);
}

/* Replaces the schema by one with these types. */
static int replace_types(const lam_json_column *const *types, lam_schema **schema) {
    lam_error error = lam_error_none();
    lam_schema *made = NULL;
    lam_schema_builder *builder;
    const lam_field *root = lam_schema_root(*schema);
    lam_status status = lam_schema_builder_create("schema", tool_allocator(), &builder, &error);
    if (status != LAM_STATUS_OK)
        return tool_fail("schema", &error);
    for (size_t i = 0; i < lam_field_child_count(root) && status == LAM_STATUS_OK; i++)
        status = add_field(builder, lam_field_child(root, i), types[i], &error);
    if (status == LAM_STATUS_OK)
        status = lam_schema_builder_finish(builder, &made, &error);
    lam_schema_builder_destroy(builder);
    if (status != LAM_STATUS_OK)
        return tool_fail("schema", &error);
    lam_schema_destroy(*schema);
    *schema = made;
    return TOOL_OK;
}

static int apply_types(const import_layout *layout, lam_schema **schema) {
    const lam_json_column **types;
    if (layout->fields.column_count == 0)
        return TOOL_OK;
    types = tool_allocate(lam_schema_leaf_count(*schema) + 1, sizeof *types);
    int result = find_types(layout, *schema, types);
    if (result == TOOL_OK)
        result = replace_types(types, schema);
    free((void *)types);
    return result;
}

static lam_status infer(lam_csv_inference *inference, tool_text *inputs, int count, size_t limit,
                        const char **ret_first, const char **ret_name, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    *ret_first = NULL;
    for (int i = 0; i < count && status == LAM_STATUS_OK; i++) {
        lam_json_source text = tool_text_source(&inputs[i]);
        lam_csv_source source = {text.state, text.read};
        *ret_name = inputs[i].name;
        inputs[i].keeps = inputs[i].path == NULL && inputs[i].start < 0;
        inputs[i].left = limit;
        status = tool_text_begin(&inputs[i], error);
        if (status == LAM_STATUS_OK)
            status = lam_csv_inference_add(inference, &source, limit != SIZE_MAX, error);
        if (*ret_first == NULL && csv_inference_info(inference).first_line != LAM_CSV_FIRST_NAMES)
            *ret_first = inputs[i].name;
        inputs[i].left = SIZE_MAX;
        inputs[i].keeps = false;
        tool_text_end(&inputs[i]);
    }
    return status;
}

/* A first line that looks like a comment has other fields than those below it. */
static void add_comment_hint(const import_options *options, tool_text *inputs, int count,
                             const char *name, lam_error *error) {
    size_t used = strlen(error->message), size = 0;
    char first = '\0';
    lam_error failure = lam_error_none();
    if (options->csv.comment != 0 || options->csv.skip_lines > 0 ||
        strstr(error->message, ", but the first record has ") == NULL)
        return;
    for (int i = 0; i < count; i++)
        if (inputs[i].name == name &&
            tool_text_peek(&inputs[i], 1, &first, 1, &size, &failure) == LAM_STATUS_OK &&
            size == 1 && first == '#')
            snprintf(error->message + used, sizeof error->message - used,
                     " (--comment '#' leaves out lines that begin with it)");
}

int import_csv_schema(import_options *options, tool_text *inputs, int count, size_t limit,
                      lam_schema **ret_schema) {
    lam_error error = lam_error_none();
    lam_csv_inference *inference;
    const char *name = "schema";
    lam_schema *schema = NULL;
    lam_status status =
        lam_csv_inference_create(&options->csv, tool_allocator(), &inference, &error);
    if (status == LAM_STATUS_INVALID)
        return tool_misuse(&tool_import, "%s", error.message);
    if (status != LAM_STATUS_OK)
        return tool_fail(name, &error);
    const char *first;
    status = infer(inference, inputs, count, limit, &first, &name, &error);
    if (status == LAM_STATUS_OK)
        status = lam_csv_inference_schema(inference, "schema", &schema, &error);
    if (status == LAM_STATUS_OK && options->csv.header == LAM_SWITCH_DEFAULT) {
        options->first_line = csv_take_found(inference, &options->csv);
        options->first_name = first;
    }
    options->csv.delimiter = csv_inference_info(inference).delimiter;
    free(options->notices);
    options->notices = status != LAM_STATUS_OK
                           ? NULL
                           : import_csv_notices(inference, inputs, count, options->csv.null_text,
                                                is_given, &(given_types){&options->layout, schema});
    lam_csv_inference_destroy(inference);
    if (status != LAM_STATUS_OK) {
        add_comment_hint(options, inputs, count, name, &error);
        return tool_fail(name, &error);
    }
    int result = apply_types(&options->layout, &schema);
    if (result == TOOL_OK)
        *ret_schema = schema;
    else
        lam_schema_destroy(schema);
    return result;
}

/* --- Records ------------------------------------------------------------------------------- */

/* True if the message is of a column whose type is given with --type. */
static bool names_given_type(const import_layout *layout, const lam_schema *schema,
                             const char *message) {
    const char *at = strstr(message, ", column ");
    for (size_t i = 0; i < layout->fields.column_count && at != NULL; i++) {
        const lam_field *field = lam_schema_find(schema, layout->columns[i].path);
        const char *name = field == NULL ? "" : lam_field_name(field);
        if (strncmp(at + 9, name, strlen(name)) == 0 && at[9 + strlen(name)] == ':')
            return true;
    }
    return false;
}

/* For a value without the type of its column: the source of that type. */
static lam_status add_hint(const import_layout *layout, const lam_schema *schema, lam_status status,
                           lam_error *error) {
    size_t size = strlen(error->message);
    if (layout->schema != NULL || status != LAM_STATUS_INVALID ||
        strstr(error->message, "' is not ") == NULL)
        return status;
    snprintf(error->message + size, sizeof error->message - size, "%s",
             names_given_type(layout, schema, error->message)
                 ? ", the type that --type gives"
                 : ", the type of the first lines; --type overrides it");
    return status;
}

/* The lines of a batch are noted before it is written, since that may find one out of order. */
static void note_lines(const lam_csv_reader *reader, size_t records, uint64_t row,
                       import_order *order) {
    uint64_t *lines = tool_allocate(records, sizeof *lines);
    lam_csv_reader_lines(reader, lines);
    for (size_t i = 0; i < records; i++)
        import_order_note(order, row + i, lines[i]);
    free(lines);
}

static lam_status write_batch(const lam_csv_reader *reader, const lam_triples *columns,
                              size_t records, import_order *order, lam_writer *writer,
                              lam_error *error) {
    if (order != NULL)
        note_lines(reader, records, lam_writer_record_count(writer), order);
    return lam_writer_write_triples(writer, columns, records, error);
}

/* A record that is refused is skipped, if it may be; the next one is read then. */
static lam_status take_failure(const lam_csv_reader *reader, const char *input,
                               import_options *options, const lam_schema *schema, lam_status status,
                               lam_error *error) {
    lam_bytes text = lam_csv_reader_text(reader);
    if (!bad_lines_skip(&options->bad, error, text))
        return add_hint(&options->layout, schema, status, error);
    lam_error failure = *error;
    return bad_lines_add(&options->bad, input, lam_csv_reader_line(reader, 0), failure.message,
                         text, error);
}

lam_status import_csv_input(tool_text *input, import_options *options, lam_writer *writer,
                            lam_error *error) {
    lam_json_source text = tool_text_source(input);
    lam_csv_source source = {text.state, text.read};
    lam_csv_options csv = options->csv;
    lam_csv_reader *reader;
    const lam_triples *columns;
    size_t records = 1;
    csv.skip_bad_lines = false;
    lam_status status = lam_csv_reader_create(lam_writer_schema(writer), &source, &csv,
                                              tool_allocator(), &reader, error);
    if (status != LAM_STATUS_OK)
        return status;
    while (status == LAM_STATUS_OK && records > 0 &&
           lam_writer_record_count(writer) < options->most_records) {
        size_t read = 1;
        status = lam_csv_reader_read(reader, &columns, &read, error);
        if (status != LAM_STATUS_OK) {
            status = take_failure(reader, input->name, options, lam_writer_schema(writer), status,
                                  error);
            continue;
        }
        records = read;
        if (records > 0)
            status = write_batch(reader, columns, records, options->order, writer, error);
        tool_progress_count(lam_writer_record_count(writer));
    }
    if (status == LAM_STATUS_OK)
        bad_lines_say(&options->bad, input->name);
    lam_csv_reader_destroy(reader);
    return status;
}
