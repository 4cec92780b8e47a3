/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws the steps of both machines: takes a file and a choice of records, and gives one SVG for
 * each event of the shredder, with the event, the reason for its levels, and all columns; and one
 * for each state of the assembler, with the triple that it reads, the way to the next state, and
 * the record so far. A picture is always drawn when its step is over, since the step's output comes
 * after it.
 */
#define _POSIX_C_SOURCE 200809L
#include "explain_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain_picture.h"
#include "explain_sample.h"
#include "level_words.h"
#include "rewrite_folder.h"
#include "tool.h"
#include "trace_steps.h"

enum { INDENT_MOST = 40 };

/* The pictures of one machine. */
typedef struct frame_writer {
    const char *stem;               /* of their names */
    const lam_automaton *automaton; /* of assembly */
    picture drawn;
    picture_list record; /* of assembly: its lines */
    char record_name[40];
    size_t *column_of; /* list by leaf index */
    size_t count;
    size_t depth; /* of groups that are open */
    bool has_step;
    bool is_full; /* there are enough of them: the machine was ended */
} frame_writer;

static picture_list *list_of(frame_writer *writer, const lam_field *leaf) {
    return &writer->drawn.lists[writer->column_of[lam_field_first_leaf(leaf)]];
}

/*
 * Writes the picture of the last step, if there was one. After enough of them CANCELLED ends the
 * machine: a record may have steps without end.
 */
static lam_status end_frame(frame_writer *writer, lam_error *error) {
    char name[64];
    if (!writer->has_step)
        return LAM_STATUS_OK;
    writer->is_full = writer->count == PICTURES_MOST;
    if (writer->is_full)
        return LAM_STATUS_CANCELLED;
    lam_status status = tool_check_time(error);
    if (status != LAM_STATUS_OK)
        return status;
    writer->has_step = false;
    snprintf(name, sizeof name, "%s-%03zu.svg", writer->stem, ++writer->count);
    return picture_write(&writer->drawn, name, error);
}

static lam_status frames_end_record(void *state, lam_error *error) {
    return end_frame(state, error);
}

static void frames_fail(void *state, const lam_error *error) {
    (void)state, (void)error;
}

/* Sets the words under the title to a phrase, after others. */
static lam_status set_words(frame_writer *writer, const lam_output *phrase, const char *before,
                            lam_status status) {
    lam_bytes bytes = lam_output_memory_bytes(phrase);
    size_t used = strlen(before);
    strcpy(writer->drawn.words, before);
    if (status == LAM_STATUS_OK)
        picture_cut((const char *)bytes.data, bytes.size, PICTURE_WORDS, writer->drawn.words + used,
                    sizeof writer->drawn.words - used);
    return status;
}

static void path_text(const lam_field *field, char text[256]) {
    char *path = tool_path_of(field);
    picture_cut(path, strlen(path), 60, text, 256);
    free(path);
}

/* --- Shredding ----------------------------------------------------------------------------- */

static lam_status shred_begin_record(void *state, uint64_t record, lam_error *error) {
    (void)state, (void)record, (void)error;
    return LAM_STATUS_OK;
}

/* Why a field has its repetition level. */
static lam_status explain_event(frame_writer *writer, const trace_event *event, lam_error *error) {
    lam_output output;
    lam_status status = lam_output_memory(tool_allocator(), &output, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = level_words_event(event->field, event->repetition, &output, error);
    status = set_words(writer, &output, "", status);
    lam_output_close(&output);
    return status;
}

static lam_status shred_event(void *state, const trace_event *event, lam_error *error) {
    static const char *const verbs[] = {"begin", "open", "put", "close", "end"};
    frame_writer *writer = state;
    char value[128] = "", name[256];
    lam_status status = end_frame(writer, error);
    if (status != LAM_STATUS_OK)
        return status;
    if (event->verb == TRACE_PUT)
        picture_value(event->field, event->value, value, sizeof value);
    path_text(event->field, name);
    writer->has_step = true;
    writer->drawn.words[0] = '\0';
    if (event->verb == TRACE_OPEN || event->verb == TRACE_PUT) {
        snprintf(writer->drawn.title, sizeof writer->drawn.title, "%s %s%s%s   r = %u, d = %u",
                 verbs[event->verb], name, value[0] == '\0' ? "" : " = ", value, event->repetition,
                 event->definition);
        return explain_event(writer, event, error);
    }
    snprintf(writer->drawn.title, sizeof writer->drawn.title, "%s %s", verbs[event->verb], name);
    return LAM_STATUS_OK;
}

static lam_status shred_triple(void *state, const trace_triple *triple, lam_error *error) {
    char value[100];
    (void)error;
    picture_value(triple->leaf, triple->value, value, sizeof value);
    picture_add(list_of(state, triple->leaf), "%u %u %s", triple->repetition, triple->definition,
                value);
    return LAM_STATUS_OK;
}

/* --- Assembly ------------------------------------------------------------------------------ */

static lam_status assembly_begin_record(void *state, uint64_t record, lam_error *error) {
    frame_writer *writer = state;
    (void)error;
    snprintf(writer->record_name, sizeof writer->record_name, "record %" PRIu64 " so far", record);
    writer->record.name = writer->record_name;
    writer->record.count = 0;
    writer->depth = 0;
    return LAM_STATUS_OK;
}

/* Groups and values become lines of the record. */
static lam_status assembly_event(void *state, const trace_event *event, lam_error *error) {
    frame_writer *writer = state;
    char value[128], name[128];
    size_t indent = 2 * writer->depth;
    int blanks = (int)(indent < INDENT_MOST ? indent : INDENT_MOST);
    (void)error;
    if (event->verb == TRACE_CLOSE && writer->depth > 0)
        writer->depth--;
    if (event->verb != TRACE_OPEN && event->verb != TRACE_PUT)
        return LAM_STATUS_OK;
    const char *field = lam_field_name(event->field);
    picture_cut(field, strlen(field), PICTURE_VALUE, name, sizeof name);
    if (event->verb == TRACE_OPEN) {
        writer->depth++;
        picture_add(&writer->record, "%*s%s", blanks, "", name);
        return LAM_STATUS_OK;
    }
    picture_value(event->field, event->value, value, sizeof value);
    picture_add(&writer->record, "%*s%s: %s", blanks, "", name, value);
    return LAM_STATUS_OK;
}

static lam_status assembly_read(void *state, const lam_assembly_step *step, lam_error *error) {
    frame_writer *writer = state;
    bool has_value = step->definition == lam_field_max_definition(step->leaf);
    char value[128], name[256];
    lam_status status = end_frame(writer, error);
    if (status != LAM_STATUS_OK)
        return status;
    for (size_t i = 0; i < writer->drawn.list_count; i++)
        writer->drawn.lists[i].mark = PICTURE_PLAIN;
    path_text(step->leaf, name);
    picture_value(step->leaf, has_value ? &step->value : NULL, value, sizeof value);
    snprintf(writer->drawn.title, sizeof writer->drawn.title,
             "state %zu, %s, reads r = %u, d = %u, %s", step->state + 1, name, step->repetition,
             step->definition, value);
    list_of(writer, step->leaf)->mark = PICTURE_CURRENT;
    picture_add(list_of(writer, step->leaf), "%u %u %s", step->repetition, step->definition, value);
    writer->has_step = true;
    return LAM_STATUS_OK;
}

/* Why the machine moves to the next state. */
static lam_status assembly_follow(void *state, const lam_assembly_step *step, lam_error *error) {
    frame_writer *writer = state;
    const lam_field *next = lam_automaton_leaf(writer->automaton, step->next_state);
    char before[64];
    lam_output output;
    if (next != NULL && next != step->leaf)
        list_of(writer, next)->mark = PICTURE_NEXT;
    snprintf(before, sizeof before,
             step->is_last ? "The column ends, as if r = %u came next: " : "r = %u comes next: ",
             step->next_repetition);
    lam_status status = lam_output_memory(tool_allocator(), &output, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = level_words_edge(step->leaf, next, step->next_repetition, &output, error);
    status = set_words(writer, &output, before, status);
    lam_output_close(&output);
    return status;
}

/* --- Both ---------------------------------------------------------------------------------- */

static frame_writer begin_writer(const lam_schema *schema, const explain_sample *sample,
                                 const char *stem) {
    frame_writer writer = {.stem = stem};
    size_t count = lam_schema_leaf_count(schema);
    writer.drawn.lists = tool_allocate(sample->leaf_count + 1, sizeof *writer.drawn.lists);
    writer.column_of = tool_allocate(count + 1, sizeof *writer.column_of);
    for (size_t i = 0; i < count; i++) {
        if (!sample->leaves[i])
            continue;
        char *path = tool_path_of(lam_schema_leaf(schema, i));
        picture_list *list = &writer.drawn.lists[writer.drawn.list_count];
        list->name = tool_allocate(strlen(path) + 8, 1);
        picture_cut(path, strlen(path), PICTURE_VALUE, list->name, strlen(path) + 8);
        free(path);
        writer.column_of[i] = writer.drawn.list_count++;
    }
    return writer;
}

static void free_writer(frame_writer *writer) {
    for (size_t i = 0; i < writer->drawn.list_count; i++)
        free(writer->drawn.lists[i].name);
    free(writer->drawn.lists);
    free(writer->column_of);
}

static lam_status draw_shredding(const lam_reader *reader, const explain_sample *sample,
                                 lam_error *error) {
    frame_writer writer = begin_writer(lam_reader_schema(reader), sample, "shredding");
    trace_printer printer = {&writer, shred_begin_record, shred_event, shred_triple, NULL,
                             NULL,    frames_end_record,  frames_fail};
    lam_status status = explain_shred(reader, sample, &printer, error);
    free_writer(&writer);
    return writer.is_full ? LAM_STATUS_OK : status;
}

static lam_status draw_assembly(const lam_reader *reader, const explain_sample *sample,
                                lam_error *error) {
    lam_automaton *automaton;
    level_source source = {.schema = lam_reader_schema(reader), .reader = reader};
    level_range range = {sample->row_group_first + sample->first, sample->count};
    lam_status status =
        lam_automaton_create(source.schema, sample->leaves, tool_allocator(), &automaton, error);
    if (status != LAM_STATUS_OK)
        return status;
    frame_writer writer = begin_writer(source.schema, sample, "assembly");
    writer.drawn.wide = &writer.record;
    writer.automaton = automaton;
    trace_printer printer = {&writer,       assembly_begin_record, assembly_event,    NULL,
                             assembly_read, assembly_follow,       frames_end_record, frames_fail};
    status = trace_assembly(&source, sample->leaves, range, &printer, error);
    free_writer(&writer);
    lam_automaton_destroy(automaton);
    return writer.is_full ? LAM_STATUS_OK : status;
}

lam_status explain_write_frames(const explain_subject *subject, lam_error *error) {
    explain_sample sample = {0};
    lam_status status = explain_choose(subject, &sample, error);
    if (status != LAM_STATUS_OK)
        return status;
    if (sample.count > 0)
        status = draw_shredding(subject->reader, &sample, error);
    if (sample.count > 0 && sample.leaf_count > 0 && status == LAM_STATUS_OK)
        status = draw_assembly(subject->reader, &sample, error);
    free(sample.leaves);
    return status;
}
