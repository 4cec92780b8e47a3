/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Appends records of Parquet files and texts of JSON that do not fit a finished file: a file with
 * the union of all schemas takes its place.
 *
 *     FILE            ----------------------------------------------> rewrite -> FILE
 *     Parquet files   ---------------------------------------------->
 *     JSON            -- FILE's schema, or what it grows to --> temporary file -->
 *
 * A text gets the least schema that its records fit: FILE's own, that with new fields, that with
 * types which hold the values of both, that with optional fields for required ones. The invariant:
 * FILE is locked, as an append in place would lock it, until the file that takes its name is
 * complete.
 */
#define _POSIX_C_SOURCE 200809L
#include "append_wider.h"

#include <errno.h>
#include <lamella/dataset.h>
#include <lamella/rewrite.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rewrite_inputs.h"
#include "schema_growth.h"
#include "schema_json.h"
#include "tool.h"
#include "tool_screen.h"
#include "union_notice.h"

enum {
    RECORDS_AT_ONCE = 4096,
    LIMIT_LEAST = 1 << 20,
    CHANGES_MOST = 10,
    CHANGES_ROOM = 900,
    CHANGES_REST = 40
};

/* --- Texts --------------------------------------------------------------------------------- */

int append_open_text(append_input *input) {
    int result = input->is_open ? TOOL_OK : tool_texts_open(&input->text, 1, &input->path);
    input->is_open = true;
    return result;
}

lam_status append_read_text(tool_text *text, const lam_json_reader_options *json,
                            lam_writer *writer, bool *ret_is_input, lam_error *error) {
    lam_json_source source = tool_text_source(text);
    lam_record_sink sink = lam_writer_sink(writer);
    lam_json_reader *reader = NULL;
    size_t records = RECORDS_AT_ONCE;
    lam_status status = tool_text_begin(text, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_reader_create(lam_writer_schema(writer), &source, json, tool_allocator(),
                                        &reader, error);
    while (status == LAM_STATUS_OK && records == RECORDS_AT_ONCE)
        status = lam_json_reader_read(reader, &sink, RECORDS_AT_ONCE, &records, error);
    /* A record that does not fit is the input's fault, a full disk the output's. */
    *ret_is_input = status == LAM_STATUS_INVALID || status == LAM_STATUS_LIMIT || text->failed;
    lam_json_reader_destroy(reader);
    tool_text_end(text);
    return status;
}

/* --- Parquet files ------------------------------------------------------------------------- */

/* Opens a writer that has the lock of the file, and does not write; NULL without one. */
static lam_writer *hold(const append_options *options, lam_error *error) {
    lam_writer_options writer_options = tool_writer_options();
    const lam_storage storage = tool_storage();
    lam_writer *holder;
    return lam_writer_open_append(options->output, NULL, LAM_APPEND_IN_PLACE, &storage,
                                  &writer_options, &holder, error) == LAM_STATUS_OK
               ? holder
               : NULL;
}

static void say_way_out(lam_error *error) {
    size_t size = strlen(error->message);
    snprintf(error->message + size, sizeof error->message - size,
             " (--on-clash variant or string changes this)");
}

/* Adds the schema of an input; one that `schema` has no place for fails in `*ret_misfit`. */
static int add_input(const append_options *options, const append_input *input, lam_union *both,
                     const lam_schema *schema, lam_error *ret_misfit) {
    lam_error error = lam_error_none();
    lam_reader *reader, *shown = NULL;
    int result = tool_open(input->path, &reader);
    if (result != TOOL_OK)
        return result;
    lam_status status =
        lam_union_add(both, lam_reader_schema(reader), tool_name(input->path), &error);
    if (status == LAM_STATUS_OK) {
        status = lam_reader_show(reader, schema, NULL, &shown, ret_misfit);
        lam_reader_close(shown);
        if (status == LAM_STATUS_INVALID)
            status = LAM_STATUS_OK;
        else if (status != LAM_STATUS_OK)
            error = *ret_misfit;
    } else if (status == LAM_STATUS_INVALID && options->on_clash == LAM_CLASH_ERROR) {
        say_way_out(&error);
    }
    lam_reader_close(reader);
    return status == LAM_STATUS_OK ? TOOL_OK : tool_fail(input->path, &error);
}

static int find_misfit(const append_options *options, const lam_schema *schema,
                       const append_input *inputs, int count, const char **ret_name,
                       lam_error *ret_misfit) {
    const lam_union_options how = {sizeof how, options->on_clash};
    lam_error error = lam_error_none();
    lam_union *both;
    int result = TOOL_OK;
    lam_status status = lam_union_create(&how, tool_allocator(), &both, &error);
    if (status == LAM_STATUS_OK)
        status = lam_union_add(both, schema, tool_name(options->output), &error);
    if (status != LAM_STATUS_OK)
        result = tool_fail(options->output, &error);
    for (int i = 0; i < count && result == TOOL_OK; i++) {
        lam_error misfit = lam_error_none();
        if (inputs[i].is_parquet)
            result = add_input(options, &inputs[i], both, schema, &misfit);
        if (misfit.status == LAM_STATUS_OK || *ret_name != NULL)
            continue;
        *ret_name = inputs[i].path;
        *ret_misfit = misfit;
    }
    lam_union_destroy(both);
    return result;
}

int append_find_misfit(const append_options *options, const append_input *inputs, int count,
                       const char **ret_name, lam_error *ret_misfit) {
    lam_error error = lam_error_none();
    bool any = false;
    *ret_name = NULL;
    for (int i = 0; i < count; i++)
        any = any || inputs[i].is_parquet;
    lam_writer *holder = any ? hold(options, &error) : NULL;
    if (holder == NULL && error.status == LAM_STATUS_NOMEM)
        return tool_fail(options->output, &error);
    if (holder == NULL) /* the append reports the fault of the file */
        return TOOL_OK;
    int result =
        find_misfit(options, lam_writer_schema(holder), inputs, count, ret_name, ret_misfit);
    lam_writer_close(holder);
    return result;
}

/* --- Texts that become files --------------------------------------------------------------- */

/* Texts that follow each other, and their new form. */
typedef struct text_run {
    const append_options *options;
    append_input *inputs;
    int count;
    FILE *file;
    const char *misfit_name; /* of the first record that does not fit; NULL: it is not known yet */
    lam_error misfit;
    bool clashes; /* no schema goes with --on-clash error */
} text_run;

static lam_status infer(text_run *run, lam_schema **ret_schema, lam_error *error) {
    lam_json_inference_options options = lam_json_inference_options_default();
    lam_json_inference *inference;
    options.on_clash = run->options->on_clash;
    options.stop = run->options->json.stop;
    options.memory_limit = run->options->json.memory_limit;
    lam_status status = lam_json_inference_create(&options, tool_allocator(), &inference, error);
    if (status != LAM_STATUS_OK)
        return status;
    for (int i = 0; i < run->count && status == LAM_STATUS_OK; i++) {
        tool_text *text = &run->inputs[i].text;
        lam_json_source source = tool_text_source(text);
        status = tool_text_begin(text, error);
        if (status == LAM_STATUS_OK)
            status = lam_json_inference_add(inference, &source, error);
        tool_text_end(text);
    }
    run->clashes = status == LAM_STATUS_OK && options.on_clash == LAM_CLASH_ERROR;
    if (status == LAM_STATUS_OK)
        status = lam_json_inference_schema(inference, "schema", ret_schema, error);
    lam_json_inference_destroy(inference);
    return status;
}

static lam_status fail_temporary(lam_error *error) {
    *error = lam_error_none();
    error->status = LAM_STATUS_IO;
    snprintf(error->message, sizeof error->message, "cannot write a temporary file: %s",
             strerror(errno));
    return error->status;
}

static lam_status open_temporary(const text_run *run, const lam_schema *schema,
                                 lam_writer **ret_writer, lam_error *error) {
    lam_writer_options options = tool_writer_options();
    lam_output output;
    int descriptor = fileno(run->file);
    if (ftruncate(descriptor, 0) != 0 || lseek(descriptor, 0, SEEK_SET) != 0)
        return fail_temporary(error);
    lam_status status = lam_output_descriptor(descriptor, tool_allocator(), &output, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_writer_open(schema, &output, &options, ret_writer, error);
    if (status != LAM_STATUS_OK)
        lam_output_close(&output);
    return status;
}

/* Writes the records of all texts with a schema; a misfit of them names its input. */
static lam_status write_run(const text_run *run, const lam_schema *schema, bool is_inferred,
                            const char **ret_name, lam_error *error) {
    lam_json_reader_options json = run->options->json;
    lam_writer *writer;
    *ret_name = NULL;
    json.exact_integers = is_inferred;
    json.values_as_text = is_inferred && run->options->on_clash == LAM_CLASH_STRING;
    lam_status status = open_temporary(run, schema, &writer, error);
    if (status != LAM_STATUS_OK)
        return status;
    for (int i = 0; i < run->count && status == LAM_STATUS_OK; i++) {
        bool is_input = false;
        status = append_read_text(&run->inputs[i].text, &json, writer, &is_input, error);
        if (is_input)
            *ret_name = run->inputs[i].text.name;
    }
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, error);
    lam_writer_close(writer);
    return status;
}

/*
 * Tries schemas from the least to the widest one. A text that fits none fails as it did with the
 * first.
 */
static int make_file(text_run *run, const lam_schema *schema) {
    const lam_clash on_clash = run->options->on_clash;
    const schema_growth growths[] = {
        {false, false, on_clash}, {true, false, on_clash}, {true, true, on_clash}};
    lam_schema *inferred = NULL, *wider;
    lam_error error = lam_error_none();
    const char *name = NULL;
    lam_status status = write_run(run, schema, false, &name, &error);
    if (status == LAM_STATUS_INVALID && name != NULL && run->misfit_name == NULL) {
        run->misfit = error;
        run->misfit_name = name;
    }
    if (status == LAM_STATUS_INVALID && name != NULL && !run->options->json.ignore_unknown) {
        lam_status found = infer(run, &inferred, &error);
        if (found != LAM_STATUS_OK && found != LAM_STATUS_INVALID && found != LAM_STATUS_LIMIT)
            status = found;
    }
    for (int i = 0; i < 3 && inferred != NULL && status == LAM_STATUS_INVALID; i++) {
        lam_status made = schema_growth_make(&growths[i], schema, inferred, NULL, &wider, &error);
        if (made == LAM_STATUS_OK && wider == NULL)
            continue;
        status = made == LAM_STATUS_OK ? write_run(run, wider, i > 0, &name, &error) : made;
        if (made == LAM_STATUS_OK)
            lam_schema_destroy(wider);
    }
    lam_schema_destroy(inferred);
    if (status == LAM_STATUS_INVALID && run->misfit_name != NULL) {
        name = run->misfit_name;
        error = run->misfit;
        if (run->clashes)
            say_way_out(&error);
    }
    return status == LAM_STATUS_OK ? TOOL_OK
                                   : tool_fail(name != NULL ? name : "a temporary file", &error);
}

/* --- The wider file ------------------------------------------------------------------------ */

/* The source of a rewrite; closed after it. */
typedef struct wider_sources {
    lam_rewrite *rewrite;
    rewrite_inputs files;
    lam_reader **texts;
    int text_count;
} wider_sources;

static int add_run(wider_sources *sources, text_run *run, const lam_schema *schema) {
    lam_error error = lam_error_none();
    int result = TOOL_OK;
    for (int i = 0; i < run->count && result == TOOL_OK; i++)
        result = append_open_text(&run->inputs[i]);
    for (int i = 0; i < run->count && result == TOOL_OK; i++)
        result = tool_texts_keep(&run->inputs[i].text, 1);
    run->file = result == TOOL_OK ? tmpfile() : NULL;
    if (result == TOOL_OK && run->file == NULL) {
        (void)fail_temporary(&error);
        result = tool_fail(run->inputs[0].text.name, &error);
    }
    if (result == TOOL_OK)
        result = make_file(run, schema);
    if (result != TOOL_OK) {
        if (run->file != NULL)
            fclose(run->file);
        return result;
    }
    lam_reader *reader;
    const char *name = run->inputs[0].path;
    result = tool_open_made(name, run->file, &reader);
    if (result != TOOL_OK)
        return result;
    sources->texts =
        tool_reallocate(sources->texts, (size_t)sources->text_count + 1, sizeof *sources->texts);
    sources->texts[sources->text_count++] = reader;
    return lam_rewrite_add_reader(sources->rewrite, reader, tool_name(name), &error) ==
                   LAM_STATUS_OK
               ? TOOL_OK
               : tool_fail(name, &error);
}

static int add_all(wider_sources *sources, const append_options *options, append_input *inputs,
                   int count, const char *name, const lam_error *misfit, const lam_schema *schema) {
    char *output = tool_copy_text(options->output);
    int result = rewrite_inputs_add(&sources->files, sources->rewrite, output, 1, &output);
    for (int i = 0, end; i < count && result == TOOL_OK; i = end) {
        text_run run = {options, inputs + i, 0, NULL, name, *misfit, false};
        end = i + 1;
        while (!inputs[i].is_parquet && end < count && !inputs[end].is_parquet)
            end++;
        run.count = end - i;
        result = inputs[i].is_parquet ? rewrite_inputs_add(&sources->files, sources->rewrite,
                                                           output, 1, &inputs[i].path)
                                      : add_run(sources, &run, schema);
    }
    free(output);
    return result;
}

/* As the `open` of lam_rewrite_target. */
static lam_status open_output(void *state, const char *folder, uint64_t number,
                              lam_output *ret_output, lam_error *error) {
    const append_options *options = state;
    (void)folder;
    (void)number;
    return tool_create_file(options->output, ret_output, error);
}

/* --- The notice ---------------------------------------------------------------------------- */

/* "double", "binary (STRING)", "VARIANT". */
static void describe(const lam_field *field, char *text, size_t size) {
    char logical[64];
    const char *physical = schema_physical_name(field);
    bool has_logical =
        lam_logical_type_print(lam_field_logical_type(field), logical, sizeof logical) > 0;
    if (lam_field_logical_type(field)->kind == LAM_LOGICAL_VARIANT)
        snprintf(text, size, "VARIANT");
    else if (has_logical && physical != NULL)
        snprintf(text, size, "%s (%s)", physical, logical);
    else
        snprintf(text, size, "%s", has_logical ? logical : physical != NULL ? physical : "group");
}

/* The field of the present schema at the same path; NULL: none. */
static const lam_field *present_like(const lam_schema *present, const lam_field *field) {
    size_t size = lam_field_path(field, NULL, 0) + 1;
    char *path = tool_allocate(size, 1);
    (void)lam_field_path(field, path, size);
    const lam_field *own = lam_schema_find(present, path);
    free(path);
    return own;
}

/* The leaf, or the outermost field above it that is not there, or is a leaf there. */
static const lam_field *find_changed(const lam_schema *present, const lam_field *leaf) {
    const lam_field *changed = leaf;
    for (const lam_field *at = leaf; lam_field_parent(at) != NULL; at = lam_field_parent(at)) {
        const lam_field *own = present_like(present, at);
        if (own == NULL || lam_field_is_leaf(own) != lam_field_is_leaf(at))
            changed = at;
    }
    return changed;
}

/* How a field has changed; "" if it has not. */
static void describe_change(const lam_schema *present, const lam_field *field, char *text,
                            size_t size) {
    char path[200], type[100], was[100];
    (void)lam_field_path(field, path, sizeof path);
    const lam_field *own = present_like(present, field);
    *text = '\0';
    if (own == NULL) {
        snprintf(text, size, "%s is new", path);
        return;
    }
    describe(field, type, sizeof type);
    describe(own, was, sizeof was);
    if (strcmp(type, was) != 0)
        snprintf(text, size, "%s is %s, and was %s", path, type, was);
    else if (lam_field_repetition(field) != lam_field_repetition(own))
        snprintf(text, size, "%s may be null", path);
}

/* The news in one line, to be freed; NULL: none. */
static char *describe_wider(const lam_schema *present, const lam_schema *wider) {
    char line[CHANGES_ROOM] = "", change[420];
    size_t changes = 0, left_out = 0;
    const lam_field *last = NULL;
    for (size_t i = 0; i < lam_schema_leaf_count(wider); i++) {
        const lam_field *field = find_changed(present, lam_schema_leaf(wider, i));
        size_t used = strlen(line);
        describe_change(present, field, change, sizeof change);
        if (*change == '\0' || field == last)
            continue;
        last = field;
        if (changes++ >= CHANGES_MOST || used + strlen(change) + CHANGES_REST > sizeof line)
            left_out++;
        else
            snprintf(line + used, sizeof line - used, "%s%s", used > 0 ? "; " : "", change);
    }
    if (changes == 0)
        return NULL;
    if (left_out > 0)
        snprintf(line + strlen(line), sizeof line - strlen(line), "; and %zu more", left_out);
    return tool_printable(line, strlen(line), SIZE_MAX, false);
}

/* --- All ----------------------------------------------------------------------------------- */

static int rewrite_wider(wider_sources *sources, const append_options *options,
                         append_input *inputs, int count, const lam_schema *present) {
    lam_error error = lam_error_none();
    size_t noticed = 0;
    lam_rewrite_target target = {(void *)(uintptr_t)options, open_output};
    char **names = tool_allocate((size_t)count + 1, sizeof *names);
    for (int i = 0; i < count; i++)
        names[i] = inputs[i].path;
    int result = TOOL_OK;
    union_say_notices(lam_rewrite_union(sources->rewrite), true, &noticed);
    /* Nothing that may fail follows the moment in which the file is the new one. */
    char *news = describe_wider(present, lam_rewrite_schema(sources->rewrite));
    if (lam_rewrite_run(sources->rewrite, &target, NULL, &error) != LAM_STATUS_OK)
        result = rewrite_fail(options->output, &error, count, names);
    else if (news != NULL)
        tool_say("lamella: %s: the schema is wider now: %s\n", tool_name(options->output), news);
    free(news);
    free(names);
    return result;
}

int append_wider(const append_options *options, append_input *inputs, int count, const char *name,
                 const lam_error *misfit) {
    lam_error error = lam_error_none();
    wider_sources sources = {NULL, {NULL, 0, NULL}, NULL, 0};
    lam_reader_options reader = tool_reader_options();
    lam_writer_options writer = tool_writer_options();
    lam_rewrite_options how = lam_rewrite_options_default();
    const tool_limits *limits = tool_limits_of_program();
    lam_writer *holder = hold(options, &error);
    if (holder == NULL)
        return tool_fail(options->output, &error);
    how.allocator = tool_allocator();
    how.reader = &reader;
    how.writer = &writer;
    how.memory_limit = limits->memory_limit != 0 && limits->memory_limit < LIMIT_LEAST
                           ? LIMIT_LEAST
                           : limits->memory_limit;
    how.on_clash = options->on_clash;
    how.first_keys = true;
    how.stop = limits->stop;
    int result = TOOL_OK;
    if (lam_rewrite_create(&how, &sources.rewrite, &error) != LAM_STATUS_OK)
        result = tool_fail(options->output, &error);
    if (result == TOOL_OK)
        result = add_all(&sources, options, inputs, count, name, misfit, lam_writer_schema(holder));
    if (result == TOOL_OK)
        result = rewrite_wider(&sources, options, inputs, count, lam_writer_schema(holder));
    lam_rewrite_destroy(sources.rewrite);
    rewrite_inputs_close(&sources.files);
    for (int i = 0; i < sources.text_count; i++)
        lam_reader_close(sources.texts[i]);
    free(sources.texts);
    lam_writer_close(holder);
    return result;
}
