/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the shredder and the assembler step by step: takes the events of records, or columns, and
 * gives each step to a printer, in order. The machines are those of the library: this only asks
 * them, after each event, what they did. The invariant: a record that has begun at the printer is
 * ended by end_record, or by fail.
 */
#include "trace_steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lam_status trace_no_memory(lam_error *error) {
    *error = lam_error_none();
    error->status = LAM_STATUS_NOMEM;
    snprintf(error->message, sizeof error->message, "out of memory");
    return LAM_STATUS_NOMEM;
}

/* --- Shredding ----------------------------------------------------------------------------- */

struct trace_shredder {
    const lam_schema *schema;
    bool *shown;    /* per field: a leaf at or below it is marked */
    size_t *counts; /* per leaf: triples of the open record that were printed */
    lam_shredder *shredder;
    lam_record_sink sink; /* of the shredder */
    trace_printer printer;
    uint64_t record;
    bool is_open; /* the printer has begun a record */
};

/* The field below `group` on the way to the leaf. */
static const lam_field *child_towards(const lam_field *group, const lam_field *leaf) {
    const lam_field *field = leaf;
    while (lam_field_parent(field) != group && lam_field_parent(field) != NULL)
        field = lam_field_parent(field);
    return field;
}

/* Prints the triples of one leaf that the last event wrote. `group` was closed, or is NULL. */
static lam_status print_new(trace_shredder *trace, const lam_triples *open, const lam_field *leaf,
                            const lam_field *group, lam_error *error) {
    size_t index = lam_field_first_leaf(leaf), value_index = open->value_count;
    if (open->count == trace->counts[index])
        return LAM_STATUS_OK;
    lam_value value;
    size_t last = open->count - 1; /* an event writes one triple of a leaf at most */
    trace_triple triple = {leaf, level_repetition(open, last), level_definition(open, leaf, last),
                           NULL, NULL};
    trace->counts[index] = open->count;
    if (!trace->shown[lam_field_index(leaf)])
        return LAM_STATUS_OK;
    if (group == NULL) {
        value = lam_triples_value(open, leaf, value_index - 1);
        triple.value = &value;
    } else {
        triple.absent = child_towards(group, leaf);
    }
    return trace->printer.triple(trace->printer.state, &triple, error);
}

static lam_status print_event(trace_shredder *trace, const trace_event *event, lam_error *error) {
    return trace->shown[lam_field_index(event->field)]
               ? trace->printer.event(trace->printer.state, event, error)
               : LAM_STATUS_OK;
}

/* The event that closes a group or the record, and the nulls that it writes. */
static lam_status print_close(trace_shredder *trace, const trace_event *event, bool is_whole,
                              lam_error *error) {
    lam_status status = print_event(trace, event, error);
    size_t first = lam_field_first_leaf(event->field);
    for (size_t i = 0; i < lam_field_leaf_count(event->field) && status == LAM_STATUS_OK; i++) {
        const lam_field *leaf = lam_schema_leaf(trace->schema, first + i);
        lam_triples open = is_whole ? lam_shredder_triples(trace->shredder, first + i)
                                    : lam_shredder_open_triples(trace->shredder, first + i);
        status = print_new(trace, &open, leaf, event->field, error);
    }
    return status;
}

static lam_status steps_begin(void *state, lam_error *error) {
    trace_shredder *trace = state;
    lam_shredder_clear(trace->shredder);
    memset(trace->counts, 0, lam_schema_leaf_count(trace->schema) * sizeof *trace->counts);
    lam_status status = trace->sink.begin(trace->sink.state, error);
    if (status != LAM_STATUS_OK)
        return status;
    trace->is_open = true;
    status = trace->printer.begin_record(trace->printer.state, trace->record, error);
    trace_event event = {TRACE_BEGIN, lam_schema_root(trace->schema), NULL, 0, 0};
    return status == LAM_STATUS_OK ? print_event(trace, &event, error) : status;
}

static lam_status steps_open(void *state, const lam_field *group, lam_error *error) {
    trace_shredder *trace = state;
    uint8_t repetition = 0;
    lam_status status = trace->sink.open(trace->sink.state, group, error);
    if (status != LAM_STATUS_OK)
        return status;
    (void)lam_shredder_open_group(trace->shredder, &repetition);
    trace_event event = {TRACE_OPEN, group, NULL, repetition, lam_field_max_definition(group)};
    return print_event(trace, &event, error);
}

static lam_status steps_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    trace_shredder *trace = state;
    lam_status status = trace->sink.put(trace->sink.state, leaf, value, error);
    if (status != LAM_STATUS_OK)
        return status;
    lam_triples open = lam_shredder_open_triples(trace->shredder, lam_field_first_leaf(leaf));
    trace_event event = {TRACE_PUT, leaf, &value, level_repetition(&open, open.count - 1),
                         lam_field_max_definition(leaf)};
    status = print_event(trace, &event, error);
    return status == LAM_STATUS_OK ? print_new(trace, &open, leaf, NULL, error) : status;
}

static lam_status steps_close(void *state, const lam_field *group, lam_error *error) {
    trace_shredder *trace = state;
    uint8_t repetition = 0;
    (void)lam_shredder_open_group(trace->shredder, &repetition);
    lam_status status = trace->sink.close(trace->sink.state, group, error);
    if (status != LAM_STATUS_OK)
        return status;
    trace_event event = {TRACE_CLOSE, group, NULL, repetition, lam_field_max_definition(group)};
    return print_close(trace, &event, false, error);
}

static lam_status steps_end(void *state, lam_error *error) {
    trace_shredder *trace = state;
    lam_status status = trace->sink.end(trace->sink.state, error);
    if (status != LAM_STATUS_OK)
        return status;
    trace_event event = {TRACE_END, lam_schema_root(trace->schema), NULL, 0, 0};
    status = print_close(trace, &event, true, error);
    if (status != LAM_STATUS_OK)
        return status;
    trace->record++;
    trace->is_open = false;
    return trace->printer.end_record(trace->printer.state, error);
}

lam_record_sink trace_shredder_sink(trace_shredder *trace) {
    lam_record_sink sink = {trace,       steps_begin, steps_open, steps_put,
                            steps_close, steps_end,   NULL};
    return sink;
}

void trace_shredder_fail(trace_shredder *trace, const lam_error *failure) {
    if (trace->is_open)
        trace->printer.fail(trace->printer.state, failure);
    trace->is_open = false;
}

/* A leaf is shown with all groups above it. */
static void mark_shown(trace_shredder *trace, const bool *leaves) {
    for (size_t i = 0; i < lam_schema_leaf_count(trace->schema); i++) {
        const lam_field *field = lam_schema_leaf(trace->schema, i);
        for (; field != NULL && (leaves == NULL || leaves[i]); field = lam_field_parent(field))
            trace->shown[lam_field_index(field)] = true;
    }
    trace->shown[0] = true;
}

lam_status trace_shredder_create(const lam_schema *schema, const bool *leaves,
                                 uint64_t first_record, const trace_printer *printer,
                                 trace_shredder **ret_shredder, lam_error *error) {
    trace_shredder *trace = calloc(1, sizeof *trace);
    if (trace == NULL)
        return trace_no_memory(error);
    trace->schema = schema;
    trace->printer = *printer;
    trace->record = first_record;
    trace->shown = calloc(lam_schema_field_count(schema), sizeof *trace->shown);
    trace->counts = calloc(lam_schema_leaf_count(schema) + 1, sizeof *trace->counts);
    lam_status status = trace->shown == NULL || trace->counts == NULL
                            ? trace_no_memory(error)
                            : lam_shredder_create(schema, NULL, &trace->shredder, error);
    if (status != LAM_STATUS_OK) {
        trace_shredder_destroy(trace);
        return status;
    }
    mark_shown(trace, leaves);
    trace->sink = lam_shredder_sink(trace->shredder);
    *ret_shredder = trace;
    return LAM_STATUS_OK;
}

void trace_shredder_destroy(trace_shredder *trace) {
    if (trace == NULL)
        return;
    lam_shredder_destroy(trace->shredder);
    free(trace->shown);
    free(trace->counts);
    free(trace);
}

/* --- Assembly ------------------------------------------------------------------------------ */

typedef struct assembly_trace {
    const lam_schema *schema;
    trace_printer printer;
    uint64_t record;
    bool is_open;
} assembly_trace;

static lam_status pass_event(assembly_trace *trace, trace_verb verb, const lam_field *field,
                             const lam_value *value, lam_error *error) {
    trace_event event = {verb, field, value, 0, 0};
    return trace->printer.event(trace->printer.state, &event, error);
}

static lam_status assembly_begin(void *state, lam_error *error) {
    assembly_trace *trace = state;
    trace->is_open = true;
    lam_status status = trace->printer.begin_record(trace->printer.state, trace->record, error);
    return status == LAM_STATUS_OK
               ? pass_event(trace, TRACE_BEGIN, lam_schema_root(trace->schema), NULL, error)
               : status;
}

static lam_status assembly_open(void *state, const lam_field *group, lam_error *error) {
    return pass_event(state, TRACE_OPEN, group, NULL, error);
}

static lam_status assembly_put(void *state, const lam_field *leaf, lam_value value,
                               lam_error *error) {
    return pass_event(state, TRACE_PUT, leaf, &value, error);
}

static lam_status assembly_close(void *state, const lam_field *group, lam_error *error) {
    return pass_event(state, TRACE_CLOSE, group, NULL, error);
}

static lam_status assembly_end(void *state, lam_error *error) {
    assembly_trace *trace = state;
    lam_status status = pass_event(trace, TRACE_END, lam_schema_root(trace->schema), NULL, error);
    if (status != LAM_STATUS_OK)
        return status;
    trace->record++;
    trace->is_open = false;
    return trace->printer.end_record(trace->printer.state, error);
}

/* The cursors of the marked leaves, and sources that read them. */
static lam_status start_cursors(const level_source *source, const bool *leaves, level_range range,
                                level_cursor *cursors, lam_triple_source *sources,
                                size_t *ret_count) {
    size_t count = 0;
    for (size_t i = 0; i < lam_schema_leaf_count(source->schema); i++) {
        if (leaves != NULL && !leaves[i])
            continue;
        cursors[count] = level_cursor_start(source, lam_schema_leaf(source->schema, i), range);
        sources[count] = level_cursor_source(&cursors[count]);
        count++;
    }
    *ret_count = count;
    return LAM_STATUS_OK;
}

static lam_status assemble_all(const level_source *source, const bool *leaves,
                               const lam_triple_source *sources, uint64_t count,
                               assembly_trace *trace, lam_error *error) {
    lam_assembler *assembler;
    lam_assembly_watch watch = {trace->printer.state, trace->printer.read, trace->printer.follow};
    lam_record_sink sink = {trace,          assembly_begin, assembly_open, assembly_put,
                            assembly_close, assembly_end,   NULL};
    size_t records;
    lam_status status =
        lam_assembler_create(source->schema, leaves, sources, NULL, &assembler, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_assembler_read_watched(
        assembler, &sink, &watch, count < SIZE_MAX ? (size_t)count : SIZE_MAX, &records, error);
    if (status != LAM_STATUS_OK && trace->is_open)
        trace->printer.fail(trace->printer.state, error);
    lam_assembler_destroy(assembler);
    return status;
}

lam_status trace_assembly(const level_source *source, const bool *leaves, level_range range,
                          const trace_printer *printer, lam_error *error) {
    assembly_trace trace = {source->schema, *printer, range.first, false};
    size_t leaf_count = lam_schema_leaf_count(source->schema), count = 0;
    /* The end of a record shows in the levels of the next one. */
    level_range ahead = {range.first, range.count + (range.count < UINT64_MAX)};
    level_cursor *cursors = calloc(leaf_count + 1, sizeof *cursors);
    lam_triple_source *sources = calloc(leaf_count + 1, sizeof *sources);
    lam_status status = cursors == NULL || sources == NULL
                            ? trace_no_memory(error)
                            : start_cursors(source, leaves, ahead, cursors, sources, &count);
    if (status == LAM_STATUS_OK)
        status = assemble_all(source, leaves, sources, range.count, &trace, error);
    for (size_t i = 0; i < count; i++)
        level_cursor_end(&cursors[i]);
    free(cursors);
    free(sources);
    return status;
}
