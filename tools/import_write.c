/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the records of inputs to one Parquet file: takes inputs of one format, and the options,
 * and gives the file, when all of them were read. A schema that is not given is inferred from the
 * first bytes, and from all of them if a record does not fit: inference never refuses a record that
 * the reader takes, so records that fit the guess have the same schema.
 */
#define _POSIX_C_SOURCE 200809L
#include "import_write.h"

#include <errno.h>
#include <lamella/record.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "csv_option.h"
#include "import_csv.h"
#include "import_parquet.h"
#include "import_recognize.h"
#include "tool_progress.h"
#include "union_notice.h"

enum {
    RECORDS_AT_ONCE = 4096,
    SAMPLE_BYTES = 16 << 20, /* that a schema is guessed from */
    CSV_SAMPLE = 4 << 20,    /* the same of each input of CSV */
    DELIMITER_SAMPLE = 64 << 10
};

/* --- Copying ------------------------------------------------------------------------------- */

/* The sizes of pipes are not known. */
static void begin_progress(const tool_text *inputs, int count) {
    struct stat about;
    tool_progress_begin(0, "records");
    for (int i = 0; i < count; i++)
        if (inputs[i].path != NULL && stat(inputs[i].path, &about) == 0)
            tool_progress_expect((uint64_t)about.st_size);
}

static lam_status import_input(tool_text *input, import_options *options, lam_writer *writer,
                               lam_error *error) {
    if (options->format == IMPORT_FORMAT_CSV)
        return import_csv_input(input, options, writer, error);
    lam_json_source source = tool_text_source(input);
    lam_record_sink sink = lam_writer_sink(writer);
    lam_json_reader *reader;
    lam_status status = lam_json_reader_create(lam_writer_schema(writer), &source, &options->json,
                                               NULL, &reader, error);
    if (status != LAM_STATUS_OK)
        return status;
    /* Lines are those of single records. */
    size_t records, at_once = options->order == NULL ? RECORDS_AT_ONCE : 1, most = at_once;
    do {
        uint64_t left = options->most_records - lam_writer_record_count(writer);
        most = left < at_once ? (size_t)left : at_once;
        uint64_t row = lam_writer_record_count(writer);
        status = lam_json_reader_read(reader, &sink, most, &records, error);
        lam_bytes refused = lam_json_reader_text(reader);
        bool skips = status != LAM_STATUS_OK && bad_lines_skip(&options->bad, error, refused);
        if (options->order != NULL && !skips)
            import_order_note(options->order, row, lam_json_reader_line(reader));
        tool_progress_count(lam_writer_record_count(writer));
        if (skips) {
            lam_error failure = *error;
            (void)sink.fail(sink.state, &failure, NULL); /* leaves the record */
            status = bad_lines_add(&options->bad, input->name, lam_json_reader_line(reader),
                                   failure.message, refused, error);
            records = most;
        }
    } while (status == LAM_STATUS_OK && records == most && most > 0);
    if (status == LAM_STATUS_OK)
        bad_lines_say(&options->bad, input->name);
    lam_json_reader_destroy(reader);
    return status;
}

/* A file that is only for this run is written again by each try. */
static lam_status create_output(const import_options *options, lam_output *ret_output,
                                lam_error *error) {
    if (options->temporary == NULL)
        return tool_create_file(options->output, ret_output, error);
    int descriptor = fileno(options->temporary);
    if (ftruncate(descriptor, 0) == 0 && lseek(descriptor, 0, SEEK_SET) == 0)
        return lam_output_descriptor(descriptor, NULL, ret_output, error);
    *error = lam_error_none();
    error->status = LAM_STATUS_IO;
    snprintf(error->message, sizeof error->message, "cannot write: %s", strerror(errno));
    return LAM_STATUS_IO;
}

static lam_status open_writer(const import_options *options, const lam_schema *schema,
                              lam_writer **ret_writer, lam_error *error) {
    lam_output output;
    lam_status status = create_output(options, &output, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_writer_open(schema, &output, &options->writer, ret_writer, error);
    if (status != LAM_STATUS_OK)
        lam_output_close(&output);
    return status;
}

static bool is_standard_output(const import_options *options) {
    return options->temporary == NULL && strcmp(options->output, "-") == 0;
}

static const char *output_name(const import_options *options) {
    if (options->temporary != NULL)
        return "a temporary file";
    return is_standard_output(options) ? "standard output" : options->output;
}

/* Opens the writer with all choices; without one, gives the exit status. */
static int begin_file(const import_options *options, const lam_schema *schema,
                      lam_writer **ret_writer, bool *ret_misfit) {
    lam_error error = lam_error_none();
    lam_writer *writer = NULL;
    lam_status status = open_writer(options, schema, &writer, &error);
    bool is_open = status == LAM_STATUS_OK;
    *ret_writer = NULL;
    if (is_open)
        status = import_choices_apply(&options->choices, writer, &error);
    if (status == LAM_STATUS_OK) {
        *ret_writer = writer;
        return TOOL_OK;
    }
    if (is_open)
        lam_writer_close(writer);
    if (status == LAM_STATUS_NOT_FOUND && ret_misfit != NULL) {
        *ret_misfit = true; /* the field may come after the sample */
        return TOOL_OK;
    }
    /* The schema is valid: only an option can contradict it. */
    if (status == LAM_STATUS_INVALID || status == LAM_STATUS_NOT_FOUND ||
        error.code == LAM_ERROR_CODE_FILTER_LIMIT)
        return tool_misuse(&tool_import, "%s", error.message);
    return tool_fail(output_name(options), &error);
}

/* The input whose record is out of order, if that is the fault; forgets all lines. */
static const char *name_order(const import_options *options, const tool_text *inputs,
                              const char *name, lam_error *error) {
    if (options->order == NULL)
        return name;
    size_t input = import_order_name(options->order, error);
    import_order_free(options->order);
    return input == SIZE_MAX ? name : inputs[input].name;
}

/* Whether --records leads somewhere in one of the inputs; reports what the first one has. */
static bool check_records(const import_options *options, const tool_text *inputs, int count) {
    char text[400];
    const import_records *first = NULL;
    if (options->records == NULL)
        return true;
    for (int i = 0; i < count; i++) {
        const import_records *records =
            inputs[i].records != NULL ? inputs[i].records : inputs[i].searched;
        if (records == NULL || import_records_lead(records))
            return true;
        first = first == NULL ? records : first;
    }
    import_records_tell(first, text, sizeof text);
    tool_say("lamella: %s: --records %s leads to nothing: %s\n", inputs[0].name, options->records,
             text);
    return false;
}

/*
 * Writes the file. When `ret_misfit` is given the schema is a guess: a record that does not fit
 * sets `*ret_misfit` and prints nothing.
 */
static int write_file(tool_text *inputs, int count, const lam_schema *schema,
                      import_options *options, bool *ret_misfit) {
    lam_error error = lam_error_none();
    lam_writer *writer;
    const char *name = output_name(options);
    int result = begin_file(options, schema, &writer, ret_misfit);
    if (writer == NULL)
        return result;
    lam_status status = LAM_STATUS_OK;
    begin_progress(inputs, count);
    for (int i = 0; i < count && status == LAM_STATUS_OK; i++) {
        if (options->order != NULL)
            import_order_next_input(options->order, lam_writer_record_count(writer));
        lam_status begun = tool_text_begin(&inputs[i], &error);
        status = begun == LAM_STATUS_OK ? import_input(&inputs[i], options, writer, &error) : begun;
        tool_text_end(&inputs[i]);
        /* A record that does not fit is the input's fault, a full disk the output's. */
        if (status == LAM_STATUS_INVALID || status == LAM_STATUS_LIMIT || inputs[i].failed ||
            begun != LAM_STATUS_OK)
            name = inputs[i].name;
    }
    if (status == LAM_STATUS_INVALID && ret_misfit != NULL &&
        error.code != LAM_ERROR_CODE_RECORD_ORDER) {
        *ret_misfit = true;
        status = LAM_STATUS_OK;
    } else if (status == LAM_STATUS_OK && check_records(options, inputs, count)) {
        status = lam_writer_finish(writer, &error);
    } else if (status == LAM_STATUS_OK) {
        result = TOOL_BAD_INPUT;
    }
    lam_writer_close(writer);
    tool_progress_end();
    if (result != TOOL_OK)
        return result;
    name = name_order(options, inputs, name, &error);
    return status == LAM_STATUS_OK ? TOOL_OK : tool_fail(name, &error);
}

/*
 * A file without columns is of no use, and many readers refuse it. If the schema is a guess, the
 * fields may come after the sample.
 */
static int check_columns(const import_options *options, const lam_schema *schema,
                         const tool_text *inputs, int count, bool *ret_misfit) {
    if (options->layout.schema != NULL || lam_schema_leaf_count(schema) > 0)
        return TOOL_OK;
    if (ret_misfit != NULL) {
        *ret_misfit = true;
        return TOOL_OK;
    }
    if (!check_records(options, inputs, count))
        return TOOL_BAD_INPUT;
    tool_say("lamella: %s: no fields to infer a schema from; --schema gives one\n",
             count == 1 ? inputs[0].name : "inputs");
    return TOOL_BAD_INPUT;
}

/*
 * Makes the schema of the first `limit` bytes and writes with it. Only a final schema is explained.
 */
static int write_with_schema(tool_text *inputs, int count, import_options *options, size_t limit,
                             bool *ret_misfit) {
    import_schema schema;
    int result = import_schema_make(&options->layout, &options->json, inputs, count, limit, &schema,
                                    ret_misfit);
    if (result == TOOL_OK && (ret_misfit == NULL || !*ret_misfit))
        result = check_columns(options, schema.schema, inputs, count, ret_misfit);
    bool is_made = result == TOOL_OK && (ret_misfit == NULL || !*ret_misfit);
    const lam_json_reader_options given = options->json;
    options->json = schema.json;
    if (is_made)
        result = write_file(inputs, count, schema.schema, options, ret_misfit);
    options->json = given;
    if (is_made && result == TOOL_OK && schema.notices != NULL && !options->is_quiet &&
        (ret_misfit == NULL || !*ret_misfit))
        tool_say_lines(schema.notices);
    if (is_made && result == TOOL_OK && options->layout.explain &&
        (ret_misfit == NULL || !*ret_misfit))
        import_explain(schema.inference);
    import_schema_free(&schema);
    return result;
}

/*
 * Infers and writes in one pass if it can: the schema of a sample is the schema of all records when
 * all of them fit it, because inference never refuses a record that the reader takes. A file
 * written for a guess that fails is abandoned, so that standard output never sees a guess.
 */
static int import_inputs(tool_text *inputs, int count, import_options *options) {
    bool misfit = false;
    bool infers = options->layout.schema == NULL && !options->layout.variant_all;
    if (infers && !options->bad.skips && !is_standard_output(options)) {
        int result = write_with_schema(inputs, count, options, SAMPLE_BYTES, &misfit);
        if (!misfit)
            return result;
    }
    begin_progress(inputs, count);
    return write_with_schema(inputs, count, options, SIZE_MAX, NULL);
}

/*
 * The given schema, and what the first lines show: if they are data, fields go by their position,
 * unless the schema has a column of such a name.
 */
static int take_csv_schema(tool_text *inputs, int count, import_options *options,
                           lam_schema **ret_schema) {
    lam_schema *found = NULL, *schema = NULL;
    int result = tool_read_schema(options->layout.schema, &schema);
    if (result == TOOL_OK)
        result = import_csv_schema(options, inputs, count, DELIMITER_SAMPLE, &found);
    if (result == TOOL_OK && options->first_line == LAM_CSV_FIRST_DATA) {
        lam_schema_destroy(found);
        found = NULL;
        options->csv.header = LAM_SWITCH_ON;
        result = import_csv_schema(options, inputs, count, DELIMITER_SAMPLE, &found);
        if (result == TOOL_OK && !csv_has_any_column(schema, found))
            options->csv.header = LAM_SWITCH_OFF;
        else
            options->first_line = LAM_CSV_FIRST_NAMES;
    }
    lam_schema_destroy(found);
    if (result == TOOL_OK)
        *ret_schema = schema;
    else
        lam_schema_destroy(schema);
    return result;
}

/*
 * Infers from the first bytes of each input and writes in one pass; a schema that does not fit is
 * inferred from all bytes. Lines are skipped only by the schema of all bytes.
 */
static int import_csv(tool_text *inputs, int count, import_options *options) {
    bool infers = options->layout.schema == NULL, misfit = false;
    bool all = infers && (options->bad.skips || is_standard_output(options));
    for (;;) {
        lam_schema *schema;
        int result =
            infers ? import_csv_schema(options, inputs, count, all ? SIZE_MAX : CSV_SAMPLE, &schema)
                   : take_csv_schema(inputs, count, options, &schema);
        if (result != TOOL_OK)
            return result;
        misfit = false;
        result = check_columns(options, schema, inputs, count, NULL);
        if (result == TOOL_OK)
            result = write_file(inputs, count, schema, options, infers && !all ? &misfit : NULL);
        lam_schema_destroy(schema);
        if (misfit) {
            all = true;
            continue;
        }
        if (result == TOOL_OK && !options->is_quiet) {
            csv_say_first_line(options->first_name, options->first_line);
            if (infers && options->notices != NULL)
                tool_say_lines(options->notices);
        }
        return result;
    }
}

static int copy_parquet(tool_text *inputs, int count, const lam_reader *first,
                        const import_options *options) {
    lam_error error = lam_error_none();
    lam_writer *writer;
    const char *name = output_name(options);
    int result = begin_file(options, lam_reader_schema(first), &writer, NULL);
    if (result != TOOL_OK)
        return result;
    begin_progress(inputs, count);
    lam_status status = import_parquet_metadata(first, &options->choices, writer, &error);
    for (int i = 0; i < count && status == LAM_STATUS_OK; i++) {
        bool is_input = false;
        if (options->order != NULL)
            import_order_next_input(options->order, lam_writer_record_count(writer));
        status = import_parquet_input(&inputs[i], writer, &is_input, &error);
        if (is_input)
            name = inputs[i].name;
    }
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, &error);
    lam_writer_close(writer);
    tool_progress_end();
    name = name_order(options, inputs, name, &error);
    return status == LAM_STATUS_OK ? TOOL_OK : tool_fail(name, &error);
}

/* The metadata of the first input are those that are true of the columns of all. */
static int import_united(tool_text *inputs, int count, const lam_reader *first,
                         const lam_union *all, const import_options *options) {
    lam_error error = lam_error_none();
    lam_reader *shown;
    size_t noticed = 0;
    if (!options->is_quiet)
        union_say_notices(all, true, &noticed);
    if (lam_reader_show(first, lam_union_schema(all), NULL, &shown, &error) != LAM_STATUS_OK)
        return tool_fail(inputs[0].name, &error);
    int result = copy_parquet(inputs, count, shown != NULL ? shown : first, options);
    lam_reader_close(shown);
    return result;
}

static int import_parquet(tool_text *inputs, int count, const import_options *options) {
    lam_reader *first;
    lam_union *all;
    int result = import_parquet_unite(inputs, count, options->layout.on_clash, &first, &all);
    if (result != TOOL_OK)
        return result;
    result = import_united(inputs, count, first, all, options);
    lam_reader_close(first);
    lam_union_destroy(all);
    return result;
}

/* Lines can be skipped if each is a record. */
static int check_lines(tool_text *inputs, int count, const import_options *options) {
    for (int i = 0; i < count && options->format == IMPORT_FORMAT_JSON && options->bad.skips; i++) {
        lam_error error = lam_error_none();
        bool are_lines;
        if (import_has_lines(&inputs[i], &are_lines, &error) != LAM_STATUS_OK)
            return tool_fail(inputs[i].name, &error);
        if (!are_lines)
            return tool_misuse(&tool_import,
                               "%s is a document, in which nothing shows where the record after a "
                               "bad one begins: leave out --%s",
                               inputs[i].name,
                               options->bad.path != NULL ? "rejects" : "skip-bad-lines");
    }
    return TOOL_OK;
}

int import_texts(tool_text *inputs, int count, import_options *options) {
    int result = import_recognize_all(inputs, count, options, &options->format);
    if (result == TOOL_OK)
        result = check_lines(inputs, count, options);
    if (result != TOOL_OK)
        return result;
    for (int i = 0; i < count && options->records != NULL; i++)
        inputs[i].records = import_records_create(options->records);
    bool is_csv = options->format == IMPORT_FORMAT_CSV;
    if (is_csv ? options->layout.schema == NULL : import_reads_ahead(&options->layout))
        result = tool_texts_keep(inputs, count);
    if (result != TOOL_OK)
        return result;
    if (options->format == IMPORT_FORMAT_PARQUET)
        return import_parquet(inputs, count, options);
    return is_csv ? import_csv(inputs, count, options) : import_inputs(inputs, count, options);
}
