/* SPDX-License-Identifier: Apache-2.0 */
/* The schema that import writes with: given, or inferred; and the columns of its VARIANTs. */
#define _POSIX_C_SOURCE 200809L
#include "import_schema.h"

#include <lamella/record.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

/* --- Options ------------------------------------------------------------------------------- */

/*
 * Splits "PATH=SCHEMA": outside of quotation marks a path has none of the marks of message text and
 * no blanks. Gives the bytes of the path, and the text after it; no path is -1.
 */
static const char *split_shred(const char *text, int *ret_path_size) {
    static const char marks[] = ";{( \t\n\r\v\f";
    size_t size = tool_mark_from(text, 0, '=');
    *ret_path_size = -1;
    if (text[size] != '=')
        return text;
    for (const char *mark = marks; *mark != '\0'; mark++)
        if (tool_mark_from(text, 0, *mark) < size)
            return text;
    *ret_path_size = (int)size;
    return text + size + 1;
}

/* The text of the last --shred without a path; NULL when there is none. */
static const char *shred_of_all(const import_layout *layout) {
    const char *found = NULL;
    int path_size;
    for (int i = 0; i < layout->shred_count; i++) {
        const char *text = split_shred(layout->shreds[i], &path_size);
        found = path_size < 0 ? text : found;
    }
    return found;
}

/* A given schema says how its VARIANTs are laid out, unless requested otherwise. */
bool import_infers_columns(const import_layout *layout) {
    const char *text = shred_of_all(layout);
    return text == NULL ? layout->schema == NULL : strcmp(text, "auto") == 0;
}

bool import_reads_ahead(const import_layout *layout) {
    return (layout->schema == NULL && !layout->variant_all) || import_infers_columns(layout);
}

/* --- Fields -------------------------------------------------------------------------------- */

static lam_status say(lam_error *error, lam_status status, const char *what, const char *path) {
    *error = lam_error_none();
    error->status = status;
    snprintf(error->message, sizeof error->message, what, path);
    return status;
}

/* The inputs' first `limit` bytes are read by `each`, input after input. */
static lam_status read_sample(tool_text *inputs, int count, size_t limit,
                              lam_status (*each)(void *state, const lam_json_source *source,
                                                 bool *ret_more, lam_error *error),
                              void *state, const char **ret_name, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    bool more = true;
    for (int i = 0; i < count && limit > 0 && more && status == LAM_STATUS_OK; i++) {
        lam_json_source source = tool_text_source(&inputs[i]);
        inputs[i].left = limit;
        *ret_name = inputs[i].name;
        status = tool_text_begin(&inputs[i], error);
        if (status == LAM_STATUS_OK)
            status = each(state, &source, &more, error);
        limit = inputs[i].left;
        inputs[i].left = SIZE_MAX;
        tool_text_end(&inputs[i]);
    }
    return status;
}

static lam_status infer_input(void *state, const lam_json_source *source, bool *ret_more,
                              lam_error *error) {
    *ret_more = true;
    return lam_json_inference_add(state, source, error);
}

/* Learns from the inference how records are read, and which notices to give. */
static lam_status take_inference(lam_json_inference *fields, const import_layout *layout,
                                 const tool_text *inputs, int count, bool is_guess,
                                 import_schema *schema, lam_error *error) {
    enum { DEFAULT_FIELDS = 20000 };
    lam_json_inference_info info = lam_json_inference_info_default();
    lam_status status = lam_json_inference_get_info(fields, &info, error);
    if (status != LAM_STATUS_OK)
        return status;
    schema->json.whole_records = info.whole_records;
    schema->json.values_as_text = info.values_as_text;
    schema->json.exact_times = is_guess;
    schema->notices =
        import_notices(fields, inputs, count, layout->on_clash, DEFAULT_FIELDS, &schema->clashes);
    /* Values that become text would fit a guess, and clash without a notice. */
    if (is_guess && schema->json.values_as_text)
        return say(error, LAM_STATUS_NOT_FOUND, "%s", "the schema is not known before the end");
    return LAM_STATUS_OK;
}

static lam_status infer_fields(const import_layout *layout, tool_text *inputs, int count,
                               size_t limit, bool is_guess, import_schema *schema,
                               const char **ret_name, lam_error *error) {
    lam_json_inference_options options = layout->fields;
    lam_json_inference *inference;
    options.variants = (const char *const *)layout->variants;
    options.variant_count = (size_t)layout->variant_count;
    options.columns = layout->columns;
    options.memory_limit = schema->json.memory_limit;
    options.stop = tool_limits_of_program()->stop;
    if (layout->on_clash == LAM_CLASH_STRING)
        options.on_clash = LAM_CLASH_STRING;
    *ret_name = "schema";
    lam_status status = lam_json_inference_create(&options, tool_allocator(), &inference, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = read_sample(inputs, count, limit, infer_input, inference, ret_name, error);
    if (status == LAM_STATUS_OK) {
        *ret_name = "schema";
        status = lam_json_inference_schema(inference, "schema", &schema->schema, error);
    }
    if (status == LAM_STATUS_OK)
        status = take_inference(inference, layout, inputs, count, is_guess, schema, error);
    lam_json_inference_destroy(inference);
    return status;
}

static lam_status make_whole_record(lam_schema **ret_schema, lam_error *error) {
    static const char text[] =
        "message schema { required group " IMPORT_RECORD_COLUMN
        " (VARIANT(1)) { required binary metadata; required binary value; } }";
    return lam_schema_parse(text, sizeof text - 1, NULL, ret_schema, error);
}

/* --- Columns of VARIANTs that are given ----------------------------------------------------- */

static bool is_variant(const lam_field *field) {
    return lam_field_logical_type(field)->kind == LAM_LOGICAL_VARIANT;
}

static bool is_shredded(const lam_field *group) {
    return lam_field_child_named(group, "typed_value", strlen("typed_value")) != NULL;
}

/* Shreds one group of the schema, which is replaced. */
static lam_status shred_group(lam_schema **schema, const lam_field *group, const lam_schema *given,
                              lam_error *error) {
    const lam_field *typed = lam_field_child(lam_schema_root(given), 0);
    lam_schema *made = NULL;
    if (lam_field_child_count(lam_schema_root(given)) != 1)
        return say(error, LAM_STATUS_INVALID, "expected one field, %s", "typed_value");
    lam_status status =
        lam_variant_shred_group(*schema, group, typed, tool_allocator(), &made, error);
    if (status != LAM_STATUS_OK)
        return status;
    lam_schema_destroy(*schema);
    *schema = made;
    return LAM_STATUS_OK;
}

static lam_status shred_path(lam_schema **schema, const char *path, const lam_schema *given,
                             lam_error *error) {
    const lam_field *group;
    lam_status status = lam_schema_resolve(*schema, path, &group, error);
    if (status != LAM_STATUS_OK)
        return status;
    if (!is_variant(group))
        return say(error, LAM_STATUS_NOT_FOUND, "%s is not a VARIANT; --variant makes it one",
                   path);
    return shred_group(schema, group, given, error);
}

static lam_status shred_all(lam_schema **schema, const lam_schema *given, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 1; status == LAM_STATUS_OK && i < lam_schema_field_count(*schema); i++) {
        const lam_field *field = lam_schema_field(*schema, i);
        if (is_variant(field) && !is_shredded(field))
            status = shred_group(schema, field, given, error);
    }
    return status;
}

/* Applies one --shred; the words of a layout are those of a schema. */
static int apply_shred(const char *text, int path_size, const char *path, lam_schema **schema,
                       lam_status *ret_status, lam_error *error) {
    lam_schema *given = NULL;
    int result = tool_read_schema(text, &given);
    if (result != TOOL_OK)
        return result;
    *ret_status =
        path_size < 0 ? shred_all(schema, given, error) : shred_path(schema, path, given, error);
    lam_schema_destroy(given);
    return TOOL_OK;
}

/* Those with a path come first: their fields have a layout when the others get theirs. */
static int apply_shreds(const import_layout *layout, lam_schema **schema, lam_status *ret_status,
                        lam_error *error) {
    int result = TOOL_OK;
    const char *all = shred_of_all(layout);
    *ret_status = LAM_STATUS_OK;
    for (int i = 0; i < layout->shred_count && result == TOOL_OK && *ret_status == LAM_STATUS_OK;
         i++) {
        int path_size;
        const char *text = split_shred(layout->shreds[i], &path_size);
        if (path_size < 0)
            continue;
        char *path = tool_copy_text(layout->shreds[i]);
        path[path_size] = '\0';
        result = apply_shred(text, path_size, path, schema, ret_status, error);
        free(path);
    }
    if (result != TOOL_OK || *ret_status != LAM_STATUS_OK || all == NULL ||
        strcmp(all, "auto") == 0 || strcmp(all, "none") == 0)
        return result;
    return apply_shred(all, -1, NULL, schema, ret_status, error);
}

/* --- Columns of VARIANTs that are inferred -------------------------------------------------- */

typedef struct shred_sample {
    const lam_schema *schema;
    const lam_json_reader_options *json;
    lam_variant_inference *inference;
    bool skips_bad;
} shred_sample;

/* A record that cannot be read ends the sample: writing meets it again, and tells. */
static lam_status look_at_input(void *state, const lam_json_source *source, bool *ret_more,
                                lam_error *error) {
    enum { AT_ONCE = 64 };
    const shred_sample *sample = state;
    lam_record_sink sink = lam_variant_inference_sink(sample->inference);
    lam_json_reader *reader;
    size_t records = AT_ONCE;
    lam_status status = lam_json_reader_create(sample->schema, source, sample->json,
                                               tool_allocator(), &reader, error);
    if (status != LAM_STATUS_OK)
        return status;
    while (status == LAM_STATUS_OK && records == AT_ONCE &&
           !lam_variant_inference_is_full(sample->inference)) {
        status = lam_json_reader_read(reader, &sink, AT_ONCE, &records, error);
        if (sample->skips_bad && lam_json_reader_text(reader).data != NULL) {
            status = LAM_STATUS_OK;
            records = AT_ONCE;
        }
    }
    lam_json_reader_destroy(reader);
    *ret_more = status == LAM_STATUS_OK && !lam_variant_inference_is_full(sample->inference);
    return status == LAM_STATUS_INVALID || status == LAM_STATUS_LIMIT ? LAM_STATUS_OK : status;
}

static bool has_plain_variant(const lam_schema *schema) {
    for (size_t i = 1; i < lam_schema_field_count(schema); i++)
        if (is_variant(lam_schema_field(schema, i)) && !is_shredded(lam_schema_field(schema, i)))
            return true;
    return false;
}

static lam_status infer_columns(const import_layout *layout, const lam_json_reader_options *json,
                                tool_text *inputs, int count, import_schema *schema,
                                const char **ret_name, lam_error *error) {
    lam_variant_inference_options options = layout->inference;
    options.decimals_as_doubles = json->variant == LAM_JSON_VARIANT_VALUE;
    if (!has_plain_variant(schema->schema))
        return LAM_STATUS_OK;
    schema->inferred = schema->schema;
    schema->schema = NULL;
    lam_status status = lam_variant_inference_create(schema->inferred, &options, tool_allocator(),
                                                     &schema->inference, error);
    if (status != LAM_STATUS_OK)
        return status;
    shred_sample sample = {schema->inferred, json, schema->inference,
                           layout->fields.skip_bad_lines};
    status = read_sample(inputs, count, SIZE_MAX, look_at_input, &sample, ret_name, error);
    if (status != LAM_STATUS_OK)
        return status;
    *ret_name = "schema";
    return lam_variant_inference_schema(schema->inference, &schema->schema, error);
}

/* --- All of it ----------------------------------------------------------------------------- */

void import_schema_free(import_schema *schema) {
    lam_variant_inference_destroy(schema->inference);
    lam_schema_destroy(schema->schema);
    lam_schema_destroy(schema->inferred);
    free(schema->notices);
    memset(schema, 0, sizeof *schema);
}

/* A record that is no object: the field for it. */
static void add_record_hint(lam_error *error) {
    size_t size = strlen(error->message), digits = 0;
    if (strncmp(error->message, "line ", 5) == 0)
        digits = strspn(error->message + 5, "0123456789");
    if (digits > 0 && strncmp(error->message + 5 + digits, ": expected an object, found ", 28) == 0)
        snprintf(error->message + size, sizeof error->message - size,
                 "; --variant-all takes any value");
}

/* `option` is the wrong one; NULL when the input is wrong. */
static int fail(const char *name, const char *option, lam_error *error, bool *ret_misfit) {
    add_record_hint(error);
    if (error->status == LAM_STATUS_NOMEM)
        return tool_fail(name, error);
    if (ret_misfit != NULL) {
        *ret_misfit = true;
        return TOOL_OK;
    }
    return option == NULL ? tool_fail(name, error)
                          : tool_misuse(&tool_import, "%s: %s", option, error->message);
}

/* The option that named a path. */
static const char *option_of_paths(const import_layout *layout) {
    return layout->fields.column_count == 0 ? "--variant"
           : layout->variant_count == 0     ? "--type"
                                            : "--variant or --type";
}

int import_schema_make(const import_layout *layout, const lam_json_reader_options *json,
                       tool_text *inputs, int count, size_t limit, import_schema *ret_schema,
                       bool *ret_misfit) {
    lam_error error = lam_error_none();
    const char *name = "schema";
    lam_status status = LAM_STATUS_OK;
    memset(ret_schema, 0, sizeof *ret_schema);
    ret_schema->json = *json;
    if (layout->schema != NULL) {
        int result = tool_read_schema(layout->schema, &ret_schema->schema);
        if (result != TOOL_OK)
            return result;
    } else if (layout->variant_all) {
        status = make_whole_record(&ret_schema->schema, &error);
    } else {
        status = infer_fields(layout, inputs, count, limit, ret_misfit != NULL, ret_schema, &name,
                              &error);
    }
    if (status != LAM_STATUS_OK)
        return fail(name, status == LAM_STATUS_NOT_FOUND ? option_of_paths(layout) : NULL, &error,
                    ret_misfit);
    if (layout->on_clash == LAM_CLASH_ERROR && ret_schema->clashes > 0) {
        tool_say_lines(ret_schema->notices);
        return TOOL_BAD_INPUT;
    }
    int result = apply_shreds(layout, &ret_schema->schema, &status, &error);
    if (result != TOOL_OK)
        return result;
    if (status != LAM_STATUS_OK)
        return fail(name, "--shred", &error, ret_misfit);
    if (import_infers_columns(layout))
        status = infer_columns(layout, &ret_schema->json, inputs, count, ret_schema, &name, &error);
    return status == LAM_STATUS_OK ? TOOL_OK : fail(name, NULL, &error, ret_misfit);
}
