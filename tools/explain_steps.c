/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the steps of both machines on the records of the sample, as `trace --json` prints them: an
 * array of records for each machine. Records are always complete, except that a sample with very
 * many steps has fewer of them, and the last ends early.
 */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "explain_sample.h"
#include "tool.h"
#include "trace_json.h"

/*
 * Puts a comma between the records that are printed, and leaves out steps after enough of them: in
 * shredding an event is one, in assembly a triple is two, as it is read and then left.
 */
typedef struct step_counter {
    trace_printer inner;
    bool is_assembly;
    size_t records;
    size_t steps;
} step_counter;

enum { STEPS_MOST = 2000 };

static bool is_left_out(const step_counter *counter) {
    return counter->steps > STEPS_MOST;
}

static lam_status count_begin(void *state, uint64_t record, lam_error *error) {
    step_counter *counter = state;
    tool_print(counter->records++ == 0 ? "" : ",");
    return counter->inner.begin_record(counter->inner.state, record, error);
}

static lam_status count_event(void *state, const trace_event *event, lam_error *error) {
    step_counter *counter = state;
    counter->steps += !counter->is_assembly;
    return is_left_out(counter) ? LAM_STATUS_OK
                                : counter->inner.event(counter->inner.state, event, error);
}

static lam_status count_triple(void *state, const trace_triple *triple, lam_error *error) {
    step_counter *counter = state;
    return is_left_out(counter) ? LAM_STATUS_OK
                                : counter->inner.triple(counter->inner.state, triple, error);
}

static lam_status count_read(void *state, const lam_assembly_step *step, lam_error *error) {
    step_counter *counter = state;
    counter->steps += 2;
    return is_left_out(counter) ? LAM_STATUS_OK
                                : counter->inner.read(counter->inner.state, step, error);
}

static lam_status count_follow(void *state, const lam_assembly_step *step, lam_error *error) {
    step_counter *counter = state;
    return is_left_out(counter) ? LAM_STATUS_OK
                                : counter->inner.follow(counter->inner.state, step, error);
}

static lam_status count_end(void *state, lam_error *error) {
    step_counter *counter = state;
    return counter->inner.end_record(counter->inner.state, error);
}

static void count_fail(void *state, const lam_error *error) {
    step_counter *counter = state;
    counter->inner.fail(counter->inner.state, error);
}

static trace_printer counting(step_counter *counter, trace_json *json) {
    trace_printer printer = {counter,    count_begin,  count_event, count_triple,
                             count_read, count_follow, count_end,   count_fail};
    counter->inner = trace_json_printer(json);
    return printer;
}

/* Reads the records of the sample into the shredder, one by one until there are enough steps. */
static lam_status shred(const lam_reader *reader, const explain_sample *sample,
                        trace_shredder *shredder, const step_counter *counter, lam_error *error) {
    lam_record_reader *records;
    uint64_t count = 1;
    lam_record_sink sink = trace_shredder_sink(shredder);
    lam_status status = lam_record_reader_open(reader, NULL, &records, error);
    if (status != LAM_STATUS_OK)
        return status;
    status =
        lam_record_reader_skip(records, sample->row_group_first + sample->first, &count, error);
    for (uint64_t i = 0; i < sample->count; i++) {
        if (counter != NULL && counter->steps >= STEPS_MOST)
            break;
        if (status == LAM_STATUS_OK)
            status = lam_record_reader_read(records, &sink, 1, &count, error);
    }
    lam_record_reader_close(records);
    return status;
}

/* Shreds until the counter, if there is one, stops it. */
static lam_status shred_sample(const lam_reader *reader, const explain_sample *sample,
                               const trace_printer *printer, const step_counter *counter,
                               lam_error *error) {
    trace_shredder *shredder;
    lam_status status =
        trace_shredder_create(lam_reader_schema(reader), sample->leaves,
                              sample->row_group_first + sample->first, printer, &shredder, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = shred(reader, sample, shredder, counter, error);
    if (status != LAM_STATUS_OK)
        trace_shredder_fail(shredder, error);
    trace_shredder_destroy(shredder);
    return status;
}

lam_status explain_shred(const lam_reader *reader, const explain_sample *sample,
                         const trace_printer *printer, lam_error *error) {
    return shred_sample(reader, sample, printer, NULL, error);
}

static uint64_t print_shredding(const lam_reader *reader, const explain_sample *sample) {
    step_counter counter = {0};
    lam_error error = lam_error_none();
    trace_json json = trace_json_start(NULL);
    trace_printer printer = counting(&counter, &json);
    if (shred_sample(reader, sample, &printer, &counter, &error) != LAM_STATUS_OK)
        explain_note_failure(NULL, &error);
    if (is_left_out(&counter))
        explain_note(NULL,
                     "The last of the records that the machines take has very many values: its "
                     "steps end early.");
    return counter.records;
}

static void print_assembly(const lam_reader *reader, const explain_sample *sample, uint64_t most) {
    lam_automaton *automaton;
    step_counter counter = {.is_assembly = true};
    lam_error error = lam_error_none();
    level_source source = {.schema = lam_reader_schema(reader), .reader = reader};
    level_range range = {sample->row_group_first + sample->first, most};
    lam_status status =
        lam_automaton_create(source.schema, sample->leaves, tool_allocator(), &automaton, &error);
    if (status == LAM_STATUS_OK) {
        trace_json json = trace_json_start(automaton);
        trace_printer printer = counting(&counter, &json);
        status = trace_assembly(&source, sample->leaves, range, &printer, &error);
        lam_automaton_destroy(automaton);
    }
    if (status != LAM_STATUS_OK)
        explain_note_failure(NULL, &error);
}

void explain_print_steps(const lam_reader *reader, const explain_sample *sample) {
    uint64_t traced = 0;
    tool_print(",\"shredding\":[");
    if (sample->count > 0)
        traced = print_shredding(reader, sample);
    tool_print("],\"assembly\":[");
    if (traced > 0)
        print_assembly(reader, sample, traced);
    tool_print("]");
    if (traced < sample->count)
        explain_note(NULL, "The machines take only the first of the records: they have very many "
                           "values.");
}
