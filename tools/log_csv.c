/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drives a log by delimited text: as the text comes, its records go to the log, and a line to
 * standard error for each that is refused.
 *
 *     first lines -> format, delimiter, schema       none of them is given yet
 *     text -> reader -> columns -> producer          a record as soon as its line is complete
 *
 * The invariant: a record is in the log once, or refused with its line; reading ends only with a
 * failure of the log, of the input or of its header. A record that a signal cut does not count.
 */
#include "log_csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv_option.h"
#include "import_recognize.h"
#include "tool.h"

enum { SAMPLE_LINES = 1000, SAMPLE_MS = 1000 };

/* --- The first lines ----------------------------------------------------------------------- */

static size_t blanks(const char *text, size_t size) {
    size_t count = 0;
    while (count < size && strchr(" \t\r\n", text[count]) != NULL && text[count] != '\0')
        count++;
    return count;
}

/* Whether a field of a line is in quotes that the line does not close. */
static bool ends_in_quotes(const char *line, size_t size, char quote) {
    bool is_inside = false;
    for (size_t i = 0; i < size; i++) {
        if (line[i] != quote)
            continue;
        if (!is_inside)
            is_inside = i == 0 || strchr(",;\t|", line[i - 1]) != NULL;
        else if (i + 1 < size && line[i + 1] == quote)
            i++;
        else
            is_inside = false;
    }
    return is_inside;
}

/*
 * Whether there is a line that begins like a record of JSON, or the first one ends like one: a text
 * of JSON may begin inside a line, or with other text. A line after open quotes belongs to a field.
 */
static bool has_json(const char *text, size_t size, char quote) {
    bool is_field = false;
    for (size_t at = 0; at < size && !is_field;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end != NULL ? (size_t)(end - text) - at : size - at;
        size_t start = at + blanks(text + at, length), last = at + length;
        while (last > start && text[last - 1] == '\r')
            last--;
        if (last > start && (text[start] == '{' || (at == 0 && text[last - 1] == '}')))
            return true;
        is_field = ends_in_quotes(text + at, length, quote);
        at += length + 1;
    }
    return false;
}

lam_status log_csv_recognize(log_text *text, const lam_csv_options *csv, bool *ret_csv,
                             lam_error *error) {
    lam_bytes lines;
    size_t front = 0;
    lam_status status = LAM_STATUS_OK;
    /* The bytes before the first line may be more than those read so far. */
    for (bool is_short = true; status == LAM_STATUS_OK && is_short;) {
        status = log_text_sample(text, 1, 0, &lines, error);
        front = import_front_size((const char *)lines.data, lines.size, csv);
        is_short = front == lines.size && !text->has_ended && lines.size < text->line_bytes;
    }
    if (status != LAM_STATUS_OK)
        return status;
    const char *first = (const char *)lines.data;
    import_format format = import_format_of(first, lines.size, csv);
    bool is_csv = format == IMPORT_FORMAT_CSV;
    if (format == IMPORT_FORMAT_PARQUET) {
        *error = lam_error_none();
        error->status = LAM_STATUS_INVALID;
        snprintf(error->message, sizeof error->message,
                 "it is Parquet, which append and rewrite take");
        return LAM_STATUS_INVALID;
    }
    bool is_utf16 = is_csv && ((uint8_t)first[0] == 0xff || (uint8_t)first[0] == 0xfe);
    const char *newline = is_csv ? memchr(first + front, '\n', lines.size - front) : NULL;
    if (newline != NULL && !is_utf16 && !text->has_ended && newline + 1 == first + lines.size)
        status = log_text_sample_more(text, 2, SAMPLE_MS, &lines, error);
    first = (const char *)lines.data;
    const char quote = csv->quote != 0 ? csv->quote : '"';
    *ret_csv = is_csv && (is_utf16 || !has_json(first + front, lines.size - front, quote));
    return status;
}

/* The findings of inference in lines. */
typedef struct found_lines {
    lam_schema *schema;
    uint64_t records; /* that have values */
    lam_csv_first_line first;
} found_lines;

static lam_status infer_bytes(lam_bytes lines, bool is_whole, lam_csv_options *csv,
                              found_lines *ret_found, lam_error *error) {
    lam_csv_options options = *csv;
    lam_csv_inference *inference = NULL;
    lam_json_source memory = lam_json_source_memory(&lines);
    lam_csv_source source = {memory.state, memory.read};
    options.skip_bad_lines = true;
    *ret_found = (found_lines){NULL, 0, LAM_CSV_FIRST_NAMES};
    lam_status status = lam_csv_inference_create(&options, tool_allocator(), &inference, error);
    if (status == LAM_STATUS_OK)
        status = lam_csv_inference_add(inference, &source, !is_whole, error);
    if (status == LAM_STATUS_OK)
        status = lam_csv_inference_schema(inference, "schema", &ret_found->schema, error);
    if (status == LAM_STATUS_OK) {
        ret_found->first = csv_take_found(inference, csv);
        ret_found->records = csv_inference_info(inference).records;
    }
    lam_csv_inference_destroy(inference);
    return status;
}

/* The lines that are there, as inference has them. */
static lam_status infer_lines(const log_text *text, lam_bytes lines, lam_csv_options *csv,
                              found_lines *ret_found, lam_error *error) {
    bool is_whole = text->has_ended && !log_signals_have_ended();
    while (!is_whole && lines.size > 0 && lines.data[lines.size - 1] != '\n')
        lines.size--;
    return infer_bytes(lines, is_whole, csv, ret_found, error);
}

lam_status log_csv_schema(log_text *text, lam_csv_options *csv, lam_schema **ret_schema,
                          lam_error *error) {
    const lam_csv_options given = *csv;
    lam_bytes lines = {NULL, 0};
    found_lines found = {NULL, 0, LAM_CSV_FIRST_NAMES};
    lam_status status = LAM_STATUS_OK;
    log_text_give_bytes(text);
    while (status == LAM_STATUS_OK && found.records == 0) {
        lam_schema_destroy(found.schema);
        found.schema = NULL;
        *csv = given;
        bool is_more = text->whole > 0 && lines.size == 0; /* after the recognized lines */
        status = is_more ? log_text_sample_more(text, SAMPLE_LINES, SAMPLE_MS, &lines, error)
                         : log_text_sample(text, SAMPLE_LINES, SAMPLE_MS, &lines, error);
        if (status == LAM_STATUS_OK && lines.size > 0)
            status = infer_lines(text, lines, csv, &found, error);
        if (text->has_ended || lines.size >= text->line_bytes)
            break;
    }
    if (found.records > 0)
        csv_say_first_line(text->name, found.first);
    if (status == LAM_STATUS_OK && found.records == 0) {
        lam_schema_destroy(found.schema);
        found.schema = NULL;
    }
    *ret_schema = found.schema;
    return status;
}

static bool has_new_column(const lam_schema *schema, const lam_schema *found) {
    const lam_field *root = lam_schema_root(found);
    for (size_t i = 0; i < lam_field_child_count(root); i++) {
        const char *name = lam_field_name(lam_field_child(root, i));
        if (lam_field_child_named(lam_schema_root(schema), name, strlen(name)) == NULL)
            return true;
    }
    return false;
}

/*
 * Whether the first line names a column that the schema does not have; finds the delimiter, and
 * whether that line is data: it looks so, and names none of the columns.
 */
static lam_status find_new_column(log_feed *feed, bool *ret_any, lam_error *error) {
    const lam_schema *schema = lam_log_schema(feed->log);
    found_lines found = {NULL, 0, LAM_CSV_FIRST_NAMES};
    bool finds_header = feed->csv.header == LAM_SWITCH_DEFAULT;
    *ret_any = false;
    lam_status status = LAM_STATUS_OK;
    if (feed->text->whole == 0)
        status = log_text_sample(feed->text, 1, 0, &(lam_bytes){NULL, 0}, error);
    lam_bytes lines = {(const uint8_t *)feed->text->data, feed->text->whole};
    if (status != LAM_STATUS_OK || lines.size == 0)
        return status;
    status = infer_lines(feed->text, lines, &feed->csv, &found, error);
    const lam_csv_first_line first = found.first;
    if (status == LAM_STATUS_OK && finds_header && first != LAM_CSV_FIRST_NAMES) {
        lam_schema_destroy(found.schema);
        feed->csv.header = LAM_SWITCH_ON;
        status = infer_lines(feed->text, lines, &feed->csv, &found, error);
        if (status == LAM_STATUS_OK && !csv_has_any_column(schema, found.schema)) {
            feed->csv.header = LAM_SWITCH_OFF;
            csv_say_first_line(feed->text->name, LAM_CSV_FIRST_DATA);
        }
    }
    *ret_any = status == LAM_STATUS_OK && has_new_column(schema, found.schema);
    lam_schema_destroy(found.schema);
    return status;
}

/* Makes the log and the text fit: the delimiter, and columns that only the text has. */
static lam_status fit_schema(log_feed *feed, lam_error *error) {
    lam_schema *found = NULL, *wider = NULL;
    bool any = false;
    log_text_give_bytes(feed->text);
    lam_status status = find_new_column(feed, &any, error);
    feed->csv.ignore_unknown = feed->new_field == LOG_NEW_FIELD_IGNORE;
    if (status != LAM_STATUS_OK || !any || feed->csv.header == LAM_SWITCH_OFF ||
        feed->new_field != LOG_NEW_FIELD_WIDEN)
        return status;
    status = log_csv_schema(feed->text, &feed->csv, &found, error);
    if (status == LAM_STATUS_OK && found != NULL)
        status = schema_growth_make(&feed->growth, lam_log_schema(feed->log), found, NULL, &wider,
                                    error);
    if (status == LAM_STATUS_OK && wider != NULL)
        status = lam_log_widen(feed->log, wider, error);
    lam_schema_destroy(wider);
    lam_schema_destroy(found);
    return status;
}

/* --- Records ------------------------------------------------------------------------------- */

static bool stops_now(const log_feed *feed) {
    return feed->stops && feed->refused > 0;
}

/* Puts one record; `used` counts the values of each column that came before. */
static lam_status put_record(log_feed *feed, const lam_triples *columns, size_t record,
                             size_t *used, lam_error *error) {
    const lam_schema *schema = lam_log_schema(feed->log);
    const lam_record_sink *sink = &feed->sink;
    (void)lam_begin(sink, NULL); /* the first failure is that of `end` */
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++) {
        const lam_field *leaf = lam_schema_leaf(schema, i);
        if (columns[i].definition != NULL && columns[i].definition[record] == 0)
            continue;
        lam_value value = lam_triples_value(&columns[i], leaf, used[i]++);
        (void)sink->put(sink->state, leaf, value, NULL);
    }
    return lam_end(sink, error);
}

static lam_status put_records(log_feed *feed, const lam_csv_reader *reader,
                              const lam_triples *columns, size_t records, size_t *used,
                              lam_error *error) {
    memset(used, 0, lam_schema_leaf_count(lam_log_schema(feed->log)) * sizeof *used);
    for (size_t i = 0; i < records && !stops_now(feed); i++) {
        lam_status status = put_record(feed, columns, i, used, error);
        if (status == LAM_STATUS_OK)
            continue;
        if (!log_feed_is_of_record(feed, status))
            return status;
        log_feed_refuse(feed, lam_csv_reader_line(reader, i), error->message, (lam_bytes){NULL, 0});
    }
    return LAM_STATUS_OK;
}

/*
 * The schema of a record alone, with the names that the log has. NULL when it is no record. Without
 * a given schema the log has the columns of the text, in their order.
 */
static lam_status infer_record(const log_feed *feed, lam_bytes text, lam_schema **ret_schema,
                               lam_error *error) {
    const lam_schema *present = lam_log_schema(feed->log);
    const size_t count = lam_schema_leaf_count(present);
    lam_csv_options csv = feed->csv;
    found_lines found = {NULL, 0, LAM_CSV_FIRST_NAMES};
    lam_schema_builder *builder = NULL;
    csv.header = LAM_SWITCH_OFF;
    csv.skip_lines = 0;
    *ret_schema = NULL;
    lam_status status = infer_bytes(text, true, &csv, &found, error);
    bool is_record = status == LAM_STATUS_OK && found.records == 1 &&
                     lam_schema_leaf_count(found.schema) == count;
    if (is_record)
        status = lam_schema_builder_create("schema", tool_allocator(), &builder, error);
    for (size_t i = 0; is_record && status == LAM_STATUS_OK && i < count; i++) {
        const lam_field *leaf = lam_schema_leaf(found.schema, i);
        lam_field_options options = {.logical_type = *lam_field_logical_type(leaf)};
        if (lam_field_physical_type(leaf) == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
            options.type_length = lam_field_type_length(leaf);
        status = lam_schema_builder_add_leaf(builder, lam_field_name(lam_schema_leaf(present, i)),
                                             LAM_REPETITION_OPTIONAL, lam_field_physical_type(leaf),
                                             &options, error);
    }
    if (is_record && status == LAM_STATUS_OK)
        status = lam_schema_builder_finish(builder, ret_schema, error);
    lam_schema_builder_destroy(builder);
    lam_schema_destroy(found.schema);
    return status;
}

/* Gives the log another schema, and the reader, which then reads the refused record again. */
static lam_status take_wider(log_feed *feed, lam_csv_reader *reader, const lam_schema *wider,
                             bool *ret_taken, lam_error *error) {
    lam_status status = lam_log_widen(feed->log, wider, error);
    if (status == LAM_STATUS_INVALID && !log_feed_has_failed(feed))
        return LAM_STATUS_OK; /* folders are named by a field that would disappear */
    if (status == LAM_STATUS_OK)
        status = lam_csv_reader_widen(reader, lam_log_schema(feed->log), error);
    if (status != LAM_STATUS_OK)
        return status;
    feed->widenings++;
    *ret_taken = true;
    log_feed_stop(feed);
    return log_feed_start(feed, error);
}

/*
 * Gives columns the types that hold the values of a refused record, too; false when there are none.
 * `*error` is the reason for which it is otherwise refused.
 */
static lam_status widen(log_feed *feed, lam_csv_reader *reader, bool *ret_done, lam_error *error) {
    const lam_schema *present = lam_log_schema(feed->log);
    lam_schema *found = NULL, *wider = NULL;
    lam_error failure = lam_error_none();
    *ret_done = false;
    if (!feed->growth.widens || feed->new_field != LOG_NEW_FIELD_WIDEN)
        return LAM_STATUS_OK;
    lam_status status = infer_record(feed, lam_csv_reader_text(reader), &found, &failure);
    if (status == LAM_STATUS_OK && found != NULL)
        status = schema_growth_make(&feed->growth, present, found, NULL, &wider, &failure);
    if (status == LAM_STATUS_OK && wider != NULL) {
        if (!log_exact_allows(&feed->exact, wider))
            log_feed_say_inexact(error);
        else if (log_feed_may_widen(feed, lam_schema_leaf_count(wider)))
            status = take_wider(feed, reader, wider, ret_done, &failure);
        else
            log_feed_say_limit(error, false);
    }
    lam_schema_destroy(wider);
    lam_schema_destroy(found);
    if (status != LAM_STATUS_OK)
        *error = failure;
    return status;
}

static void refuse_line(log_feed *feed, const lam_csv_reader *reader, bool has_reason,
                        lam_error *error) {
    size_t size = strlen(error->message);
    if (feed->infers && !has_reason && strstr(error->message, ", column ") != NULL)
        snprintf(error->message + size, sizeof error->message - size,
                 ", the type of the first lines; --schema overrides it");
    log_feed_refuse(feed, lam_csv_reader_line(reader, 0), error->message,
                    lam_csv_reader_text(reader));
}

static lam_status feed_records(log_feed *feed, lam_csv_reader *reader, size_t *used,
                               lam_error *error) {
    const lam_triples *columns;
    size_t records = 1;
    lam_status status = LAM_STATUS_OK;
    while (status == LAM_STATUS_OK && records > 0 && !stops_now(feed)) {
        status = lam_csv_reader_read(reader, &columns, &records, error);
        if (status == LAM_STATUS_OK) {
            status = put_records(feed, reader, columns, records, used, error);
        } else if (log_feed_is_of_record(feed, status)) {
            bool is_done;
            size_t size = strlen(error->message);
            status = widen(feed, reader, &is_done, error);
            if (status == LAM_STATUS_OK && !is_done)
                refuse_line(feed, reader, strlen(error->message) > size, error);
            records = 1;
        }
    }
    return status;
}

lam_status log_csv_run(log_feed *feed, bool *ret_text, lam_error *error) {
    lam_json_source text = log_text_source(feed->text);
    lam_csv_source source = {text.state, text.read};
    lam_csv_reader *reader = NULL;
    size_t *used = NULL;
    lam_status status = fit_schema(feed, error);
    if (status == LAM_STATUS_OK)
        status = log_feed_start(feed, error);
    if (status == LAM_STATUS_OK) {
        feed->csv.is_live = true;
        status = lam_csv_reader_create(lam_log_schema(feed->log), &source, &feed->csv,
                                       tool_allocator(), &reader, error);
        feed->is_headless = status != LAM_STATUS_OK;
    }
    if (status == LAM_STATUS_OK) {
        used = tool_allocate(lam_schema_leaf_count(lam_log_schema(feed->log)) + 1, sizeof *used);
        status = feed_records(feed, reader, used, error);
    }
    /* The text's records after a signal: incomplete ones are left out. */
    if (status == LAM_STATUS_CANCELLED && log_signals_have_ended())
        status = LAM_STATUS_OK;
    *ret_text = status != LAM_STATUS_OK && !log_feed_has_failed(feed);
    free(used);
    lam_csv_reader_destroy(reader);
    log_feed_stop(feed);
    log_exact_free(&feed->exact);
    return status;
}
