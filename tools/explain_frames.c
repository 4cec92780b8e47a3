/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws the steps of shredding. In: a file and a choice of records. Out: one SVG for each event,
 * with what it is, why its levels are what they are, and all columns. The invariant: a picture is
 * drawn when the next event comes, since the triples that an event writes come behind it.
 */
#define _POSIX_C_SOURCE 200809L
#include "explain_frames.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "explain_sample.h"
#include "level_words.h"
#include "tool.h"
#include "trace_steps.h"

enum {
    FRAMES_MOST = 2000,
    ROWS_MOST = 14,   /* of a column: the last ones */
    CELL_WIDTH = 210, /* of a column, in the units of the picture */
    CELLS_BESIDE = 6, /* columns side by side */
    ROW_HEIGHT = 20,
    TEXT_MOST = 24,  /* characters of a value or name */
    WORDS_MOST = 110 /* characters of a line of words */
};

typedef struct frame_row {
    char text[96];
    bool is_new;
} frame_row;

typedef struct frame_column {
    char *name;
    frame_row rows[ROWS_MOST]; /* the last ones */
    size_t count;              /* of all */
} frame_column;

typedef struct frame_writer {
    const char *folder;
    const lam_schema *schema;
    frame_column *columns; /* one for each leaf that is shown */
    size_t *column_of;     /* by leaf index */
    size_t column_count;
    size_t frame_count;
    bool has_event;
    char title[400];
    char words[512];
} frame_writer;

/* --- Text ---------------------------------------------------------------------------------- */

/* Copies whole characters, and marks where it cuts. */
static void cut(const char *from, size_t size, size_t most, char *to, size_t capacity) {
    size_t at = 0, characters = 0;
    while (at < size && characters < most) {
        size_t next = at + 1;
        while (next < size && ((unsigned char)from[next] & 0xC0) == 0x80)
            next++;
        if (next + 4 >= capacity)
            break;
        at = next;
        characters++;
    }
    memcpy(to, from, at);
    strcpy(to + at, at < size ? "\xE2\x80\xA6" : "");
}

static void value_text(const lam_field *leaf, const lam_value *value, char *text, size_t capacity) {
    lam_output output = {0};
    lam_error error = lam_error_none();
    strcpy(text, "NULL");
    if (value == NULL)
        return;
    lam_status status = lam_output_memory(NULL, &output, &error);
    if (status == LAM_STATUS_OK)
        status = lam_json_print_value(leaf, *value, LAM_JSON_BINARY_BASE64, &output, &error);
    if (status == LAM_STATUS_NOMEM)
        tool_end_without_memory(NULL, error.message);
    lam_bytes bytes = lam_output_memory_bytes(&output);
    if (status == LAM_STATUS_OK)
        cut((const char *)bytes.data, bytes.size, TEXT_MOST, text, capacity);
    else
        strcpy(text, "?");
    lam_output_close(&output);
}

/* Prints text of XML: no byte of it is markup, nor a character that XML does not have. */
static void print_xml(const char *text) {
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '<' || *c == '>' || *c == '&')
            tool_print("&#%d;", *c);
        else if ((unsigned char)*c < 0x20 || *c == 0x7F)
            tool_print("\xEF\xBF\xBD");
        else if (strncmp(c, "\xEF\xBF\xBE", 3) == 0 || strncmp(c, "\xEF\xBF\xBF", 3) == 0) {
            tool_print("\xEF\xBF\xBD");
            c += 2;
        } else
            tool_print("%c", *c);
    }
}

static void print_line(int x, int y, const char *style, const char *text) {
    tool_print("<text x=\"%d\" y=\"%d\"%s>", x, y, style);
    print_xml(text);
    tool_print("</text>\n");
}

/* --- A picture ----------------------------------------------------------------------------- */

static void print_column(frame_column *column, int x, int y) {
    size_t shown = column->count < ROWS_MOST ? column->count : ROWS_MOST;
    tool_print("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
               "stroke=\"#888\"/>\n",
               x, y, CELL_WIDTH - 14, ROW_HEIGHT * (ROWS_MOST + 1) + 8);
    print_line(x + 8, y + 16, " font-weight=\"bold\"", column->name);
    for (size_t i = 0; i < shown; i++) {
        frame_row *row = &column->rows[(column->count - shown + i) % ROWS_MOST];
        int top = y + ROW_HEIGHT * (int)(i + 1) + 4;
        if (row->is_new)
            tool_print("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#ffe2b0\" "
                       "stroke=\"#8a4b00\"/>\n",
                       x + 3, top, CELL_WIDTH - 20, ROW_HEIGHT - 1);
        print_line(x + 8, top + 15, row->is_new ? " font-weight=\"bold\"" : "", row->text);
        row->is_new = false;
    }
}

static void print_frame(frame_writer *writer) {
    size_t beside = writer->column_count < CELLS_BESIDE ? writer->column_count : CELLS_BESIDE;
    size_t below = (writer->column_count + CELLS_BESIDE - 1) / CELLS_BESIDE;
    int width = CELL_WIDTH * (int)(beside < 4 ? 4 : beside) + 20;
    int block = ROW_HEIGHT * (ROWS_MOST + 2), height = 90 + block * (int)below;
    tool_print("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
               "height=\"%d\" font-family=\"monospace\" font-size=\"13\" fill=\"#1d2129\">\n"
               "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
               width, height, width, height, width, height);
    print_line(20, 30, " font-size=\"18\" font-weight=\"bold\"", writer->title);
    print_line(20, 56, " font-size=\"14\"", writer->words);
    for (size_t i = 0; i < writer->column_count; i++)
        print_column(&writer->columns[i], 20 + CELL_WIDTH * (int)(i % CELLS_BESIDE),
                     76 + block * (int)(i / CELLS_BESIDE));
    tool_print("</svg>\n");
}

/* Writes the picture of the last event, if there was one. */
static lam_status end_frame(frame_writer *writer, lam_error *error) {
    char *text = NULL, *path;
    size_t size = 0, length = strlen(writer->folder) + 32;
    lam_output output;
    if (!writer->has_event || writer->frame_count >= FRAMES_MOST)
        return LAM_STATUS_OK;
    writer->has_event = false;
    writer->frame_count++;
    FILE *memory = open_memstream(&text, &size);
    if (memory == NULL)
        tool_end_without_memory(NULL, "no memory");
    tool_print_into(memory);
    print_frame(writer);
    bool is_whole = tool_print_is_whole();
    tool_print_into(NULL);
    if (fclose(memory) != 0 || !is_whole)
        tool_end_without_memory(NULL, "no memory");
    path = tool_allocate(length, 1);
    snprintf(path, length, "%s/step-%03zu.svg", writer->folder, writer->frame_count);
    lam_status status = tool_create_file(path, &output, error);
    if (status == LAM_STATUS_OK) {
        status = output.write(output.state, text, size, error);
        if (status == LAM_STATUS_OK)
            status = output.finish(output.state, error);
        lam_output_close(&output);
    }
    free(path);
    free(text);
    return status;
}

/* --- Steps --------------------------------------------------------------------------------- */

static lam_status frames_begin_record(void *state, uint64_t record, lam_error *error) {
    (void)state, (void)record, (void)error;
    return LAM_STATUS_OK;
}

/* Why a field has its repetition level, as the words under the title. */
static lam_status set_words(frame_writer *writer, const trace_event *event, lam_error *error) {
    lam_output output;
    lam_status status = lam_output_memory(NULL, &output, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = level_words_event(event->field, event->repetition, &output, error);
    lam_bytes bytes = lam_output_memory_bytes(&output);
    if (status == LAM_STATUS_OK)
        cut((const char *)bytes.data, bytes.size, WORDS_MOST, writer->words, sizeof writer->words);
    lam_output_close(&output);
    return status;
}

static lam_status frames_event(void *state, const trace_event *event, lam_error *error) {
    static const char *const verbs[] = {"begin", "open", "put", "close", "end"};
    frame_writer *writer = state;
    char value[128] = "", *path = tool_path_of(event->field), name[128];
    lam_status status = end_frame(writer, error);
    if (event->verb == TRACE_PUT)
        value_text(event->field, event->value, value, sizeof value);
    cut(path, strlen(path), 60, name, sizeof name);
    free(path);
    writer->has_event = true;
    writer->words[0] = '\0';
    if (event->verb == TRACE_OPEN || event->verb == TRACE_PUT) {
        snprintf(writer->title, sizeof writer->title, "%s %s%s%s   r = %u, d = %u",
                 verbs[event->verb], name, value[0] == '\0' ? "" : " = ", value, event->repetition,
                 event->definition);
        return status == LAM_STATUS_OK ? set_words(writer, event, error) : status;
    }
    snprintf(writer->title, sizeof writer->title, "%s %s", verbs[event->verb], name);
    return status;
}

static lam_status frames_triple(void *state, const trace_triple *triple, lam_error *error) {
    frame_writer *writer = state;
    frame_column *column = &writer->columns[writer->column_of[lam_field_first_leaf(triple->leaf)]];
    frame_row *row = &column->rows[column->count++ % ROWS_MOST];
    char value[80];
    (void)error;
    value_text(triple->leaf, triple->value, value, sizeof value);
    snprintf(row->text, sizeof row->text, "%u %u %s", triple->repetition, triple->definition,
             value);
    row->is_new = true;
    return LAM_STATUS_OK;
}

static lam_status frames_end_record(void *state, lam_error *error) {
    return end_frame(state, error);
}

static void frames_fail(void *state, const lam_error *error) {
    (void)state, (void)error;
}

static void make_columns(frame_writer *writer, const explain_sample *sample) {
    size_t count = lam_schema_leaf_count(writer->schema);
    writer->columns = tool_allocate(sample->leaf_count + 1, sizeof *writer->columns);
    writer->column_of = tool_allocate(count + 1, sizeof *writer->column_of);
    for (size_t i = 0; i < count; i++) {
        if (!sample->leaves[i])
            continue;
        char *path = tool_path_of(lam_schema_leaf(writer->schema, i));
        frame_column *column = &writer->columns[writer->column_count];
        column->name = tool_allocate(strlen(path) + 8, 1);
        cut(path, strlen(path), TEXT_MOST, column->name, strlen(path) + 8);
        free(path);
        writer->column_of[i] = writer->column_count++;
    }
}

lam_status explain_write_frames(const explain_subject *subject, const char *folder,
                                lam_error *error) {
    explain_sample sample = {0};
    frame_writer writer = {.folder = folder, .schema = lam_reader_schema(subject->reader)};
    lam_status status = explain_choose(subject, &sample, error);
    if (status != LAM_STATUS_OK)
        return status;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        *error = lam_error_none();
        error->status = LAM_STATUS_IO;
        snprintf(error->message, sizeof error->message, "cannot make the folder: %s",
                 strerror(errno));
        status = LAM_STATUS_IO;
    }
    make_columns(&writer, &sample);
    trace_printer printer = {&writer, frames_begin_record, frames_event, frames_triple, NULL,
                             NULL,    frames_end_record,   frames_fail};
    if (status == LAM_STATUS_OK && sample.count > 0)
        status = explain_shred(subject->reader, &sample, &printer, error);
    for (size_t i = 0; i < writer.column_count; i++)
        free(writer.columns[i].name);
    free(writer.columns);
    free(writer.column_of);
    free(sample.leaves);
    return status;
}
