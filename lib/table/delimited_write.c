/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes rows of cells as lines of delimited text (RFC 4180). A cell is quoted only if a reader
 * would misread it otherwise, as hardly any is.
 *
 *     7,Ann,"[""a"",""b""]"     commas and quotation marks in a cell; these are doubled
 *     8,"",                     an empty text, and a null
 *     9,'=1+1,                  a text that a spreadsheet would compute (formula.c)
 *     2024-10-24T12:00:00,      a time without the zeros that end its fraction (cell_time.c)
 *
 * The invariant: `text` is complete lines, so the output never gets half of one.
 */
#include <lamella/table.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/options.h"
#include "table/formula.h"
#include "text/time_text.h"

/* Bytes of lines at which they go to the output. */
enum { DELIMITED_FLUSH_AT = 256 * 1024 };

struct lam_delimited_writer {
    lam_allocator allocator;
    lam_table *table;
    lam_output *output;
    lam_buffer text;
    char delimiter;
    bool crlf;
    lam_bytes null_text;
    bool is_quoted[256]; /* bytes that a cell is quoted for */
    bool disarms;        /* formulas */
    lam_buffer disarmed; /* the cell that is written */
};

static bool must_quote(const lam_delimited_writer *writer, lam_bytes text) {
    for (size_t i = 0; i < text.size; i++)
        if (writer->is_quoted[text.data[i]])
            return true;
    return text.size == writer->null_text.size &&
           (text.size == 0 || memcmp(text.data, writer->null_text.data, text.size) == 0);
}

/* Appends the text in quotation marks, those inside it doubled. There is room. */
static void put_quoted(lam_buffer *buffer, lam_bytes text) {
    uint8_t *out = buffer->data + buffer->size;
    *out++ = '"';
    for (size_t i = 0; i < text.size; i++) {
        *out++ = text.data[i];
        if (text.data[i] == '"')
            *out++ = '"';
    }
    *out++ = '"';
    buffer->size = (size_t)(out - buffer->data);
}

static lam_status put_cell(lam_delimited_writer *writer, const lam_cell *cell, lam_error *error) {
    lam_buffer *buffer = &writer->text;
    lam_bytes text = cell->kind == LAM_CELL_NULL ? writer->null_text : cell->text;
    if (writer->disarms && cell->kind != LAM_CELL_NULL) {
        lam_buffer_clear(&writer->disarmed);
        LAM_TRY(lam_formula_disarm(cell, writer->delimiter, &writer->disarmed, error));
        text = (lam_bytes){writer->disarmed.data, writer->disarmed.size};
    }
    if (cell->kind == LAM_CELL_NULL || !must_quote(writer, text))
        return text.size == 0 ? LAM_STATUS_OK
                              : lam_buffer_append(buffer, text.data, text.size, error);
    LAM_TRY(lam_buffer_reserve(buffer, text.size, error)); /* a size that can be doubled */
    LAM_TRY(lam_buffer_reserve(buffer, 2 * text.size + 2, error));
    put_quoted(buffer, text);
    return LAM_STATUS_OK;
}

/* Bytes of INT96 that are no time have no colon, and stay. */
static lam_status put_time_cell(lam_delimited_writer *writer, const lam_cell *cell,
                                lam_error *error) {
    lam_bytes head, tail;
    uint8_t room[LAM_TIME_TEXT_MAX];
    (void)lam_cell_cut_time(cell, 0, &head, &tail);
    lam_cell text = {LAM_CELL_TEXT, {room, head.size + tail.size}};
    if (text.text.size > sizeof room || memchr(head.data, ':', head.size) == NULL) {
        text.text = cell->text;
        return put_cell(writer, &text, error);
    }
    memcpy(room, head.data, head.size);
    memcpy(room + head.size, tail.data, tail.size);
    uint8_t *middle = memchr(room, 'T', head.size);
    if (writer->disarms && middle != NULL) {
        *middle = ' ';
        text.text.size -= room[text.text.size - 1] == 'Z';
    }
    return put_cell(writer, &text, error);
}

static lam_status put_line(lam_delimited_writer *writer, const lam_cell *cells, size_t count,
                           lam_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            LAM_TRY(lam_buffer_append_byte(&writer->text, (uint8_t)writer->delimiter, error));
        LAM_TRY(cells[i].kind == LAM_CELL_TIME ? put_time_cell(writer, &cells[i], error)
                                               : put_cell(writer, &cells[i], error));
    }
    return lam_buffer_append(&writer->text, writer->crlf ? "\r\n" : "\n", writer->crlf ? 2 : 1,
                             error);
}

/* A line that fails leaves no trace. */
static lam_status take_row(void *state, const lam_cell *cells, size_t count, lam_error *error) {
    lam_delimited_writer *writer = state;
    size_t whole = writer->text.size;
    lam_status status = put_line(writer, cells, count, error);
    if (status != LAM_STATUS_OK) {
        writer->text.size = whole;
        return status;
    }
    return writer->text.size < DELIMITED_FLUSH_AT ? LAM_STATUS_OK
                                                  : lam_delimited_writer_flush(writer, error);
}

static lam_status put_names(lam_delimited_writer *writer, lam_error *error) {
    const char *name;
    for (size_t i = 0; (name = lam_table_column_name(writer->table, i)) != NULL; i++) {
        lam_cell cell = {LAM_CELL_TEXT, {(const uint8_t *)name, strlen(name)}};
        if (i > 0)
            LAM_TRY(lam_buffer_append_byte(&writer->text, (uint8_t)writer->delimiter, error));
        LAM_TRY(put_cell(writer, &cell, error));
    }
    return put_line(writer, NULL, 0, error);
}

static lam_status set_options(lam_delimited_writer *writer, const lam_delimited_options *options,
                              lam_error *error) {
    char delimiter = options->delimiter == '\0' ? ',' : options->delimiter;
    if (delimiter == '"' || delimiter == '\n' || delimiter == '\r' ||
        (unsigned char)delimiter > 127)
        LAM_FAIL(error, LAM_STATUS_INVALID, "character %d cannot delimit cells",
                 (int)(unsigned char)delimiter);
    LAM_TRY(lam_switch_check(options->header, "header", error));
    if ((unsigned)options->audience > LAM_DELIMITED_FOR_SPREADSHEETS)
        LAM_FAIL(error, LAM_STATUS_INVALID, "audience %d of delimited text is unknown",
                 (int)options->audience);
    writer->disarms = options->audience == LAM_DELIMITED_FOR_SPREADSHEETS;
    writer->delimiter = delimiter;
    writer->crlf = options->crlf;
    if (options->null_text != NULL)
        writer->null_text =
            (lam_bytes){(const uint8_t *)options->null_text, strlen(options->null_text)};
    writer->is_quoted[(unsigned char)delimiter] = true;
    writer->is_quoted['"'] = true;
    writer->is_quoted['\n'] = true;
    writer->is_quoted['\r'] = true;
    return LAM_STATUS_OK;
}

lam_status lam_delimited_writer_create(const lam_schema *schema, lam_output *output,
                                       const lam_json_writer_options *json,
                                       const lam_delimited_options *options,
                                       const lam_allocator *allocator,
                                       lam_delimited_writer **ret_writer, lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    lam_delimited_options chosen;
    lam_status status;
    LAM_TRY(LAM_OPTIONS_READ(lam_delimited_options, options, &chosen, error));
    lam_delimited_writer *writer;
    LAM_TRY(LAM_NEW(&own, &writer, error));
    lam_cell_sink sink = {writer, take_row};
    writer->allocator = own;
    writer->output = output;
    lam_buffer_init(&writer->text, &own);
    lam_buffer_init(&writer->disarmed, &own);
    LAM_TRY_OUT(set_options(writer, &chosen, error));
    LAM_TRY_OUT(lam_table_create(schema, json, &sink, allocator, &writer->table, error));
    if (lam_switch_is_on(chosen.header))
        LAM_TRY_OUT(put_names(writer, error));
    *ret_writer = writer;
    return LAM_STATUS_OK;
out:
    lam_delimited_writer_destroy(writer);
    return status;
}

lam_status lam_delimited_writer_print(lam_delimited_writer *writer, lam_record_reader *records,
                                      uint64_t max_records, uint64_t *ret_records,
                                      lam_error *error) {
    return lam_table_read(writer->table, records, max_records, ret_records, error);
}

lam_status lam_delimited_writer_flush(lam_delimited_writer *writer, lam_error *error) {
    if (writer->text.size > 0)
        LAM_TRY(writer->output->write(writer->output->state, writer->text.data, writer->text.size,
                                      error));
    lam_buffer_clear(&writer->text);
    return LAM_STATUS_OK;
}

/* Also for a writer that create has left half-made: its members are cleared memory. */
void lam_delimited_writer_destroy(lam_delimited_writer *writer) {
    if (writer == NULL)
        return;
    lam_allocator own = writer->allocator;
    lam_table_destroy(writer->table);
    lam_buffer_finish(&writer->text);
    lam_buffer_finish(&writer->disarmed);
    lam_free(&own, writer, sizeof *writer);
}
