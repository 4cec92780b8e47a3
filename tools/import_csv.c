/* SPDX-License-Identifier: Apache-2.0 */
/* What import does with delimited text: its options, its schema, its records. */
#include "import_csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

/* --- Options ------------------------------------------------------------------------------- */

static bool parse_character(const char *text, char *ret_character) {
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0)
        text = "\t";
    *ret_character = text[0];
    return text[0] != '\0' && text[1] == '\0';
}

static bool parse_format(const char *text, import_format *ret_format) {
    static const char *const names[] = {"auto", "json", "csv", "tsv"};
    for (int i = 0; i < 4; i++)
        if (strcmp(text, names[i]) == 0) {
            *ret_format = (import_format)i;
            return true;
        }
    return false;
}

bool import_csv_option(import_csv *csv, int option, char *value) {
    lam_csv_options *options = &csv->options;
    csv->is_given =
        csv->is_given || (option != IMPORT_OPTION_FORMAT && option != IMPORT_OPTION_TYPE &&
                          option != IMPORT_OPTION_NO_TIMES && option != IMPORT_OPTION_DECIMALS);
    switch (option) {
    case IMPORT_OPTION_FORMAT:
        return parse_format(value, &csv->format);
    case IMPORT_OPTION_HEADER:
        options->header = strcmp(value, "no") == 0 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
        return options->header == LAM_SWITCH_OFF || strcmp(value, "yes") == 0;
    case IMPORT_OPTION_DELIMITER:
        return parse_character(value, &options->delimiter);
    case IMPORT_OPTION_QUOTE:
        return parse_character(value, &options->quote);
    case IMPORT_OPTION_DECIMAL_MARK:
        return parse_character(value, &options->decimal_mark) &&
               (options->decimal_mark == '.' || options->decimal_mark == ',');
    case IMPORT_OPTION_NULL:
        options->null_text = value;
        return true;
    case IMPORT_OPTION_TYPE:
        csv->types = tool_reallocate(csv->types, (size_t)csv->type_count + 1, sizeof(char *));
        csv->types[csv->type_count++] = value;
        return strchr(value, '=') != NULL && strchr(value, '=')[1] != '\0';
    case IMPORT_OPTION_NO_TIMES:
        options->infer_times = LAM_SWITCH_OFF;
        return true;
    case IMPORT_OPTION_DECIMALS:
        options->infer_decimals = true;
        return true;
    default:
        options->skip_bad_lines = true;
        return true;
    }
}

/* --- Recognizing --------------------------------------------------------------------------- */

bool import_csv_applies(const import_csv *csv, tool_text *inputs, int count) {
    char first[4096];
    if (csv->format != IMPORT_FORMAT_AUTO)
        return csv->format != IMPORT_FORMAT_JSON;
    if (csv->is_given)
        return true;
    size_t size = count > 0 ? tool_text_peek(&inputs[0], first, sizeof first) : 0, i = 0;
    if (size >= 2 && (memcmp(first, "\xff\xfe", 2) == 0 || memcmp(first, "\xfe\xff", 2) == 0))
        return true;
    if (size >= 3 && memcmp(first, "\xef\xbb\xbf", 3) == 0)
        i = 3;
    while (i < size &&
           (first[i] == ' ' || first[i] == '\t' || first[i] == '\r' || first[i] == '\n'))
        i++;
    if (i == size || first[i] == '{' || first[i] == '[' || memchr(first, '\0', size) != NULL)
        return false;
    for (; i < size && first[i] != '\n'; i++)
        if (strchr(",;\t|", first[i]) != NULL)
            return true;
    return false;
}

/* --- The schema ---------------------------------------------------------------------------- */

/* Message text for the words of --type that are none. */
static const char *type_text(const char *type, char *buffer, size_t size) {
    static const char *const words[][2] = {
        {"date", "int32 x (DATE)"},
        {"time", "int64 x (TIME(MICROS,false))"},
        {"timestamp", "int64 x (TIMESTAMP(MICROS,false))"},
        {"timestamp_utc", "int64 x (TIMESTAMP(MICROS,true))"},
        {"uuid", "fixed_len_byte_array(16) x (UUID)"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(type, words[i][0]) == 0)
            return words[i][1];
    if (strncmp(type, "decimal", 7) == 0)
        snprintf(buffer, size, "int64 x (%s)", type);
    else
        snprintf(buffer, size, "%s x", type);
    return buffer;
}

static int parse_type(const char *given, const char *type, lam_schema **ret_schema) {
    char text[256], words[200];
    lam_error error = lam_error_none();
    snprintf(text, sizeof text, "message m { optional %s; }", type_text(type, words, sizeof words));
    if (lam_schema_parse_text(text, NULL, ret_schema, &error) == LAM_STATUS_OK)
        return TOOL_OK;
    return tool_misuse(&tool_import, "--type cannot be '%s': %s is not a type", given, type);
}

/* Adds the field `old`, with the type of `leaf`. */
static lam_status add_leaf(lam_schema_builder *builder, const lam_field *old, const lam_field *leaf,
                           lam_error *error) {
    lam_field_options options;
    memset(&options, 0, sizeof options);
    options.logical_type = *lam_field_logical_type(leaf);
    if (lam_field_physical_type(leaf) == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        options.type_length = lam_field_type_length(leaf);
    return lam_schema_builder_add_leaf(builder, lam_field_name(old), LAM_REPETITION_OPTIONAL,
                                       lam_field_physical_type(leaf), &options, error);
}

/* Replaces the type of one column. */
static int apply_type(const char *given, lam_schema **schema) {
    const char *type = strrchr(given, '=') + 1;
    size_t size = (size_t)(type - given) - 1;
    const lam_field *root = lam_schema_root(*schema);
    const lam_field *found = lam_field_child_named(root, given, size);
    lam_error error = lam_error_none();
    lam_schema *one, *made = NULL;
    lam_schema_builder *builder;
    if (found == NULL)
        return tool_misuse(&tool_import, "--type: no column %.*s", (int)size, given);
    int result = parse_type(given, type, &one);
    if (result != TOOL_OK)
        return result;
    lam_status status = lam_schema_builder_create("schema", NULL, &builder, &error);
    if (status == LAM_STATUS_OK) {
        for (size_t i = 0; i < lam_field_child_count(root) && status == LAM_STATUS_OK; i++) {
            const lam_field *field = lam_field_child(root, i);
            status =
                add_leaf(builder, field, field == found ? lam_schema_leaf(one, 0) : field, &error);
        }
        if (status == LAM_STATUS_OK)
            status = lam_schema_builder_finish(builder, &made, &error);
        lam_schema_builder_destroy(builder);
    }
    lam_schema_destroy(one);
    if (status != LAM_STATUS_OK)
        return tool_fail("schema", &error);
    lam_schema_destroy(*schema);
    *schema = made;
    return TOOL_OK;
}

static lam_status infer(lam_csv_inference *inference, tool_text *inputs, int count, size_t limit,
                        const char **ret_name, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    for (int i = 0; i < count && status == LAM_STATUS_OK; i++) {
        lam_json_source text = tool_text_source(&inputs[i]);
        lam_csv_source source = {text.state, text.read};
        *ret_name = inputs[i].name;
        inputs[i].keeps = inputs[i].path == NULL && inputs[i].start < 0;
        inputs[i].left = limit;
        status = tool_text_begin(&inputs[i], error);
        if (status == LAM_STATUS_OK)
            status = lam_csv_inference_add(inference, &source, limit != SIZE_MAX, error);
        inputs[i].left = SIZE_MAX;
        inputs[i].keeps = false;
        tool_text_end(&inputs[i]);
    }
    return status;
}

int import_csv_schema(import_csv *csv, tool_text *inputs, int count, size_t limit,
                      lam_schema **ret_schema) {
    lam_error error = lam_error_none();
    lam_csv_inference *inference;
    const char *name = "schema";
    if (csv->format == IMPORT_FORMAT_TSV && csv->options.delimiter == 0)
        csv->options.delimiter = '\t';
    if (lam_csv_inference_create(&csv->options, NULL, &inference, &error) != LAM_STATUS_OK)
        return tool_misuse(&tool_import, "%s", error.message);
    lam_status status = infer(inference, inputs, count, limit, &name, &error);
    if (status == LAM_STATUS_OK)
        status = lam_csv_inference_schema(inference, "schema", ret_schema, &error);
    csv->options.delimiter = lam_csv_inference_delimiter(inference);
    lam_csv_inference_destroy(inference);
    if (status != LAM_STATUS_OK)
        return tool_fail(name, &error);
    int result = TOOL_OK;
    for (int i = 0; i < csv->type_count && result == TOOL_OK; i++)
        result = apply_type(csv->types[i], ret_schema);
    if (result != TOOL_OK)
        lam_schema_destroy(*ret_schema);
    return result;
}

/* --- Records ------------------------------------------------------------------------------- */

static lam_status add_hint(bool infers, lam_status status, lam_error *error) {
    size_t size = strlen(error->message);
    if (infers && status == LAM_STATUS_INVALID && strstr(error->message, ", column ") != NULL)
        snprintf(error->message + size, sizeof error->message - size,
                 ", the type of the first lines; --type overrides it");
    return status;
}

lam_status import_csv_input(tool_text *input, const import_csv *csv, bool infers,
                            lam_writer *writer, import_progress *progress, lam_error *error) {
    lam_json_source text = tool_text_source(input);
    lam_csv_source source = {text.state, text.read};
    lam_csv_reader *reader;
    const lam_triples *columns;
    size_t records;
    lam_status status = lam_csv_reader_create(lam_writer_schema(writer), &source, &csv->options,
                                              NULL, &reader, error);
    if (status != LAM_STATUS_OK)
        return status;
    do {
        status = lam_csv_reader_read(reader, &columns, &records, error);
        if (status != LAM_STATUS_OK)
            status = add_hint(infers, status, error);
        else if (records > 0)
            status = lam_writer_write_triples(writer, columns, records, error);
        import_progress_step(progress, lam_writer_record_count(writer));
    } while (status == LAM_STATUS_OK && records > 0);
    uint64_t skipped = lam_csv_reader_skipped(reader);
    if (status == LAM_STATUS_OK && skipped > 0)
        fprintf(stderr, "lamella: %s: skipped %llu line%s\n", input->name,
                (unsigned long long)skipped, skipped == 1 ? "" : "s");
    lam_csv_reader_destroy(reader);
    return status;
}
