/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the steps of the two machines as JSON, one object for each record, on one line. The
 * invariant: a step is open from its event or triple until the next one, or the record's end.
 */
#include "trace_json.h"

#include <inttypes.h>
#include <string.h>

#include "level_words.h"
#include "levels_json.h"
#include "tool.h"

static const char *const event_names[] = {"begin", "open", "put", "close", "end"};

/* --- Phrases ------------------------------------------------------------------------------- */

typedef struct step_phrase {
    const lam_field *field;
    const lam_field *next;
    unsigned r;
    unsigned d;
} step_phrase;

static lam_status write_event(const void *state, lam_output *out, lam_error *error) {
    const step_phrase *phrase = state;
    return level_words_event(phrase->field, phrase->r, out, error);
}

static lam_status write_absent(const void *state, lam_output *out, lam_error *error) {
    const step_phrase *phrase = state;
    return level_words_absent(phrase->field, out, error);
}

static lam_status write_pair(const void *state, lam_output *out, lam_error *error) {
    const step_phrase *phrase = state;
    return level_words_pair(phrase->field, phrase->r, phrase->d, out, error);
}

static lam_status write_edge(const void *state, lam_output *out, lam_error *error) {
    const step_phrase *phrase = state;
    return level_words_edge(phrase->field, phrase->next, phrase->r, out, error);
}

static lam_status print_words(lam_status (*write)(const void *state, lam_output *out,
                                                  lam_error *error),
                              step_phrase phrase, lam_error *error) {
    tool_print(",\"words\":");
    return levels_print_phrase(write, &phrase, error);
}

static lam_status print_value(const lam_field *leaf, const lam_value *value, lam_error *error) {
    if (value == NULL)
        return LAM_STATUS_OK;
    tool_print(",\"value\":");
    lam_status status = tool_print_value(leaf, *value, LAM_JSON_BINARY_BASE64, error);
    if (status != LAM_STATUS_OK)
        tool_print("null");
    return status;
}

/* --- Steps --------------------------------------------------------------------------------- */

static void end_step(trace_json *json) {
    if (json->is_in_step)
        tool_print("]}");
    json->is_in_step = false;
}

static void begin_step(trace_json *json) {
    end_step(json);
    tool_print(json->has_step ? ",{" : "{");
    json->has_step = true;
    json->has_event = false;
    json->is_in_step = true;
}

/* An element of the array that ends the step. */
static void begin_element(trace_json *json) {
    tool_print(json->has_event ? ",{" : "{");
    json->has_event = true;
}

static lam_status json_begin_record(void *state, uint64_t record, lam_error *error) {
    trace_json *json = state;
    (void)error;
    json->has_step = json->is_in_step = false;
    tool_print("{\"machine\":\"%s\",\"record\":%" PRIu64 ",\"steps\":[",
               json->is_shredding ? "shredder" : "assembler", record);
    return LAM_STATUS_OK;
}

static lam_status json_end_record(void *state, lam_error *error) {
    (void)error;
    end_step(state);
    tool_print("]}\n");
    return LAM_STATUS_OK;
}

static void json_fail(void *state, const lam_error *error) {
    end_step(state);
    tool_print("],\"error\":");
    tool_print_text(error->message, strlen(error->message));
    tool_print("}\n");
}

/* The members of an event that both machines have. */
static lam_status print_event(const trace_event *event, lam_error *error) {
    tool_print("\"event\":\"%s\"", event_names[event->verb]);
    if (lam_field_parent(event->field) != NULL) {
        tool_print(",\"field\":");
        tool_print_path_json(event->field);
    }
    return print_value(event->field, event->value, error);
}

/* A step of shredding, or an event of the step of assembly that is open. */
static lam_status json_event(void *state, const trace_event *event, lam_error *error) {
    trace_json *json = state;
    if (!json->is_shredding && event->verb == TRACE_BEGIN) {
        json->begins = true; /* the step that it belongs to comes after it */
        return LAM_STATUS_OK;
    }
    if (json->is_shredding)
        begin_step(json);
    else
        begin_element(json);
    lam_status status = print_event(event, error);
    if (!json->is_shredding) {
        tool_print("}");
        return status;
    }
    tool_print(",\"r\":%u,\"d\":%u", event->repetition, event->definition);
    if (status == LAM_STATUS_OK && (event->verb == TRACE_OPEN || event->verb == TRACE_PUT))
        status = print_words(write_event, (step_phrase){event->field, NULL, event->repetition, 0},
                             error);
    tool_print(",\"triples\":[");
    return status;
}

static lam_status json_triple(void *state, const trace_triple *triple, lam_error *error) {
    begin_element(state);
    tool_print("\"path\":");
    tool_print_path_json(triple->leaf);
    tool_print(",\"r\":%u,\"d\":%u", triple->repetition, triple->definition);
    lam_status status = print_value(triple->leaf, triple->value, error);
    if (status == LAM_STATUS_OK && triple->absent != NULL)
        status = print_words(write_absent, (step_phrase){triple->absent, NULL, 0, 0}, error);
    tool_print("}");
    return status;
}

static lam_status json_read(void *state, const lam_assembly_step *step, lam_error *error) {
    trace_json *json = state;
    bool has_value = step->definition == lam_field_max_definition(step->leaf);
    begin_step(json);
    tool_print("\"state\":%zu,\"path\":", step->state);
    tool_print_path_json(step->leaf);
    tool_print(",\"r\":%u,\"d\":%u", step->repetition, step->definition);
    lam_status status = print_value(step->leaf, has_value ? &step->value : NULL, error);
    tool_print(",\"means\":");
    step_phrase pair = {step->leaf, NULL, step->repetition, step->definition};
    if (status == LAM_STATUS_OK)
        status = levels_print_phrase(write_pair, &pair, error);
    tool_print(",\"events\":[");
    if (json->begins)
        tool_print("{\"event\":\"begin\"}");
    json->has_event = json->begins;
    json->begins = false;
    return status;
}

static lam_status json_follow(void *state, const lam_assembly_step *step, lam_error *error) {
    trace_json *json = state;
    const lam_field *next = lam_automaton_leaf(json->automaton, step->next_state);
    tool_print("],\"next_r\":%u", step->next_repetition);
    if (step->is_last)
        tool_print(",\"is_last\":true");
    tool_print(",\"next\":%zu", step->next_state);
    lam_status status =
        print_words(write_edge, (step_phrase){step->leaf, next, step->next_repetition, 0}, error);
    tool_print(",\"closes\":[");
    json->has_event = false;
    return status;
}

trace_json trace_json_start(const lam_automaton *automaton) {
    trace_json json = {0};
    json.is_shredding = automaton == NULL;
    json.automaton = automaton;
    return json;
}

trace_printer trace_json_printer(trace_json *json) {
    trace_printer printer = {json,      json_begin_record, json_event,      json_triple,
                             json_read, json_follow,       json_end_record, json_fail};
    return printer;
}
