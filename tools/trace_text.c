/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the steps of the two machines as lines: takes steps, and gives, in shredding, a line for
 * each event, indented by the groups that are open, with its levels and their reason, and one below
 * it for each triple; in assembly, a line for each triple that is read, with its state, the events
 * below it, and why the next state follows. States are counted from 1, as in the table of the
 * automaton.
 */
#include "trace_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "level_words.h"
#include "tool.h"
#include "tool_screen.h"

enum { EVENT_WIDTH = 38, INDENT_MOST = 40, PIECE_MOST = 80 };

static const char *const event_names[] = {"begin", "open", "put", "close", "end"};

/* --- Lines --------------------------------------------------------------------------------- */

/* A line that is being made; keeps the first failure. */
typedef struct trace_line {
    lam_output text;
    lam_status status;
    lam_error *error;
} trace_line;

static trace_line begin_line(lam_error *error) {
    trace_line line = {{NULL, NULL, NULL, NULL}, LAM_STATUS_OK, error};
    line.status = lam_output_memory(tool_allocator(), &line.text, error);
    return line;
}

static void add_bytes(trace_line *line, const char *bytes, size_t size) {
    if (line->status == LAM_STATUS_OK)
        line->status = line->text.write(line->text.state, bytes, size, line->error);
}

static LAM_PRINTF(2, 3) void add_text(trace_line *line, const char *format, ...) {
    char piece[PIECE_MOST];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    add_bytes(line, piece, size < PIECE_MOST ? (size_t)size : PIECE_MOST - 1);
}

static void add_blanks(trace_line *line, size_t count) {
    for (; count > 0; count--)
        add_bytes(line, " ", 1);
}

/* Blanks up to a column, two at least. */
static void pad_line(trace_line *line, size_t column) {
    if (line->status != LAM_STATUS_OK)
        return;
    lam_bytes bytes = lam_output_memory_bytes(&line->text);
    size_t width = 0;
    for (size_t i = 0; i < bytes.size; i++)
        width += (bytes.data[i] & 0xC0) != 0x80;
    add_blanks(line, width + 2 < column ? column - width : 2);
}

static void add_value(trace_line *line, const lam_field *leaf, const lam_value *value) {
    if (value == NULL)
        add_bytes(line, "NULL", 4);
    else if (line->status == LAM_STATUS_OK)
        line->status = lam_json_print_value(leaf, *value, tool_binary_for_people(leaf), &line->text,
                                            line->error);
}

static void add_path(trace_line *line, const lam_field *field) {
    char *path = tool_path_of(field);
    add_bytes(line, path, strlen(path));
    free(path);
}

static lam_status end_line(trace_line *line) {
    if (line->status == LAM_STATUS_OK) {
        lam_bytes bytes = lam_output_memory_bytes(&line->text);
        tool_print_shown((const char *)bytes.data, bytes.size);
        tool_print("\n");
    }
    lam_output_close(&line->text);
    return line->status;
}

/* --- Events -------------------------------------------------------------------------------- */

static size_t indent_of(const trace_text *text) {
    return 2 * (text->depth < INDENT_MOST / 2 ? text->depth : INDENT_MOST / 2);
}

/* "put Forward 20", at the depth of its group. */
static void add_event(trace_line *line, trace_text *text, const trace_event *event) {
    if (event->verb == TRACE_CLOSE && text->depth > 0)
        text->depth--;
    if (event->verb == TRACE_BEGIN || event->verb == TRACE_END)
        text->depth = 0;
    add_blanks(line, indent_of(text));
    add_text(line, "%s", event_names[event->verb]);
    if (event->verb == TRACE_OPEN || event->verb == TRACE_BEGIN)
        text->depth++;
    if (lam_field_parent(event->field) != NULL) {
        add_bytes(line, " ", 1);
        add_bytes(line, lam_field_name(event->field), strlen(lam_field_name(event->field)));
    }
    if (event->value != NULL) {
        add_bytes(line, " ", 1);
        add_value(line, event->field, event->value);
    }
}

static lam_status text_begin_record(void *state, uint64_t record, lam_error *error) {
    trace_text *text = state;
    (void)error;
    tool_print(text->has_begun ? "\nrecord %" PRIu64 "\n" : "record %" PRIu64 "\n", record);
    text->has_begun = true;
    text->depth = 0;
    return LAM_STATUS_OK;
}

static lam_status text_event(void *state, const trace_event *event, lam_error *error) {
    trace_text *text = state;
    if (!text->is_shredding && event->verb == TRACE_BEGIN) {
        text->begins = true; /* the triple that it belongs to comes after it */
        text->depth = 0;
        return LAM_STATUS_OK;
    }
    trace_line line = begin_line(error);
    add_blanks(&line, text->is_shredding ? 2 : 6);
    add_event(&line, text, event);
    if (text->is_shredding) {
        pad_line(&line, EVENT_WIDTH);
        add_text(&line, "r=%u d=%u", event->repetition, event->definition);
        if (event->verb == TRACE_OPEN || event->verb == TRACE_PUT)
            add_bytes(&line, "  ", 2);
        if (line.status == LAM_STATUS_OK && (event->verb == TRACE_OPEN || event->verb == TRACE_PUT))
            line.status = level_words_event(event->field, event->repetition, &line.text, error);
    }
    return end_line(&line);
}

static lam_status text_end_record(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static void text_fail(void *state, const lam_error *error) {
    (void)state;
    (void)error;
}

/* --- Triples ------------------------------------------------------------------------------- */

static lam_status text_triple(void *state, const trace_triple *triple, lam_error *error) {
    const trace_text *text = state;
    trace_line line = begin_line(error);
    add_blanks(&line, 2 + indent_of(text));
    add_bytes(&line, "-> ", 3);
    add_path(&line, triple->leaf);
    add_text(&line, "  %u %u  ", triple->repetition, triple->definition);
    add_value(&line, triple->leaf, triple->value);
    if (triple->absent != NULL) {
        pad_line(&line, EVENT_WIDTH + 9);
        if (line.status == LAM_STATUS_OK)
            line.status = level_words_absent(triple->absent, &line.text, error);
    }
    return end_line(&line);
}

static lam_status text_read(void *state, const lam_assembly_step *step, lam_error *error) {
    trace_text *text = state;
    bool has_value = step->definition == lam_field_max_definition(step->leaf);
    trace_line line = begin_line(error);
    add_text(&line, "  state %zu  ", step->state + 1);
    add_path(&line, step->leaf);
    pad_line(&line, EVENT_WIDTH);
    add_text(&line, "%u %u  ", step->repetition, step->definition);
    add_value(&line, step->leaf, has_value ? &step->value : NULL);
    lam_status status = end_line(&line);
    if (text->begins)
        tool_print("      begin\n");
    if (text->begins)
        text->depth = 1;
    text->begins = false;
    return status;
}

static lam_status text_follow(void *state, const lam_assembly_step *step, lam_error *error) {
    const trace_text *text = state;
    const lam_field *next = lam_automaton_leaf(text->automaton, step->next_state);
    trace_line line = begin_line(error);
    if (step->is_last)
        add_text(&line, "    the column ends, as if r=0 came next -> ");
    else
        add_text(&line, "    r=%u comes next -> ", step->next_repetition);
    if (next == NULL)
        add_bytes(&line, "end", 3);
    else
        add_text(&line, "state %zu", step->next_state + 1);
    add_bytes(&line, "  ", 2);
    if (line.status == LAM_STATUS_OK)
        line.status = level_words_edge(step->leaf, next, step->next_repetition, &line.text, error);
    return end_line(&line);
}

trace_text trace_text_start(const lam_automaton *automaton) {
    trace_text text = {automaton == NULL, false, false, 0, automaton};
    return text;
}

trace_printer trace_text_printer(trace_text *text) {
    trace_printer printer = {text,      text_begin_record, text_event,      text_triple,
                             text_read, text_follow,       text_end_record, text_fail};
    return printer;
}
