/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sink in the middle that prints every event, one line each, and passes it on to `next`:
 *
 *     begin
 *       put DocId 10
 *       open Links
 *         put Forward 20
 *       close Links
 *     end
 *
 * Text is in quotation marks with JSON's escapes, other bytes are 0x and two digits each; both are
 * cut after SHOWN_BYTES, and the whole size follows. Numbers are shown as they are stored: a
 * DECIMAL without its point. A line is printed before its event is passed on, so the last line of a
 * record that fails is the event that failed.
 */
#include <lamella/dremel.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/utf8.h"
#include "dremel/record_failure.h"
#include "schema/tree.h"

enum { SHOWN_BYTES = 64, INDENT = 2 };

struct lam_record_tracer {
    lam_allocator allocator;
    void (*print)(void *state, const char *line, size_t size);
    void *print_state;
    lam_record_sink next;
    lam_buffer line; /* the line in the making, kept from event to event for its memory */
    lam_record_failure failure;
};

/* --- One line -------------------------------------------------------------------------------- */

static lam_status record_tracer_add_text(lam_buffer *line, const char *text, lam_error *error) {
    return lam_buffer_append(line, text, strlen(text), error);
}

/* The verb, indented by depth, and the name of the field; begin and end have no field. */
static lam_status start_line(lam_record_tracer *tracer, const char *verb, const lam_field *field,
                             lam_error *error) {
    lam_buffer *line = &tracer->line;
    lam_buffer_clear(line);
    for (int i = 0; field != NULL && i < field->depth * INDENT; i++)
        LAM_TRY(lam_buffer_append_byte(line, ' ', error));
    LAM_TRY(record_tracer_add_text(line, verb, error));
    if (field == NULL)
        return LAM_STATUS_OK;
    LAM_TRY(lam_buffer_append_byte(line, ' ', error));
    return lam_buffer_append(line, field->name, field->name_size, error);
}

/* Prints the line, with its newline, in one call. */
static lam_status end_line(lam_record_tracer *tracer, lam_error *error) {
    LAM_TRY(lam_buffer_append_byte(&tracer->line, '\n', error));
    tracer->print(tracer->print_state, (const char *)tracer->line.data, tracer->line.size);
    return LAM_STATUS_OK;
}

/*
 * Prints the shortest of the usual precisions that reads back equal, with a point in every locale.
 */
static lam_status add_real(lam_buffer *line, double number, bool is_float, lam_error *error) {
    char digits[64];
    int precision = is_float ? 6 : 15;
    int enough = is_float ? 9 : 17;
    for (; precision <= enough; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        double back = strtod(digits, NULL);
        if (is_float ? (float)back == (float)number : back == number)
            break;
    }
    /*
     * Any other character is the decimal separator of the locale. ("inf" and "nan" keep their
     * letters.)
     */
    for (char *c = digits; *c != '\0'; c++)
        if (strchr("0123456789+-einfa", *c) == NULL)
            *c = '.';
    return record_tracer_add_text(line, digits, error);
}

/* Text between quotation marks, escaped as JSON does it, and what does not show as well. */
static lam_status add_quoted(lam_buffer *line, lam_bytes text, lam_error *error) {
    const char *at = (const char *)text.data;
    LAM_TRY(lam_buffer_append_byte(line, '"', error));
    for (size_t left = text.size, size; left > 0; at += size, left -= size) {
        char escape[LAM_VISIBLE_ESCAPE_ROOM];
        size = lam_visible_escape(at, left, escape);
        if (*at == '"' || *at == '\\')
            LAM_TRY(lam_buffer_append_byte(line, '\\', error));
        if (lam_visible_prefix(at, size) == size)
            LAM_TRY(lam_buffer_append(line, at, size, error));
        else
            LAM_TRY(record_tracer_add_text(line, escape, error));
    }
    return lam_buffer_append_byte(line, '"', error);
}

static lam_status add_hexadecimal(lam_buffer *line, lam_bytes bytes, lam_error *error) {
    LAM_TRY(record_tracer_add_text(line, "0x", error));
    for (size_t i = 0; i < bytes.size; i++) {
        char digits[3];
        snprintf(digits, sizeof digits, "%02x", bytes.data[i]);
        LAM_TRY(record_tracer_add_text(line, digits, error));
    }
    return LAM_STATUS_OK;
}

/*
 * Shows at most SHOWN_BYTES: as text where the logical type says so and the bytes are UTF-8, else
 * in hexadecimal. A cut through a character takes the rest of it away, and does not make the text
 * look malformed.
 */
static lam_status record_tracer_add_bytes(lam_buffer *line, const lam_field *leaf, lam_bytes bytes,
                                          lam_error *error) {
    lam_logical_kind kind = leaf->logical_type.kind;
    bool text = kind == LAM_LOGICAL_STRING || kind == LAM_LOGICAL_ENUM || kind == LAM_LOGICAL_JSON;
    lam_bytes shown = bytes;
    if (bytes.data == NULL && bytes.size > 0)
        return record_tracer_add_text(line, "NULL", error);
    if (bytes.size > SHOWN_BYTES)
        shown.size = SHOWN_BYTES;
    size_t good = text ? lam_utf8_prefix(shown.data, shown.size) : 0;
    if (text && shown.size < bytes.size && shown.size - good < 4)
        shown.size = good; /* the cut went through a character */
    if (text && good == shown.size)
        LAM_TRY(add_quoted(line, shown, error));
    else
        LAM_TRY(add_hexadecimal(line, shown, error));
    if (shown.size == bytes.size)
        return LAM_STATUS_OK;
    char size[48];
    snprintf(size, sizeof size, "... (%zu bytes)", bytes.size);
    return record_tracer_add_text(line, size, error);
}

/* A value by its physical type; INTEGER without a sign is shown as the unsigned number it is. */
static lam_status add_value(lam_buffer *line, const lam_field *leaf, const lam_value *value,
                            lam_error *error) {
    const lam_logical_type *type = &leaf->logical_type;
    bool is_unsigned = type->kind == LAM_LOGICAL_INTEGER && !type->is_signed;
    char digits[32];
    switch ((lam_physical_type)leaf->physical_type) {
    case LAM_PHYSICAL_BOOLEAN:
        return record_tracer_add_text(line, value->boolean ? "true" : "false", error);
    case LAM_PHYSICAL_INT32:
        snprintf(digits, sizeof digits, "%" PRId64,
                 is_unsigned ? (int64_t)(uint32_t)value->int32 : value->int32);
        return record_tracer_add_text(line, digits, error);
    case LAM_PHYSICAL_INT64:
        snprintf(digits, sizeof digits, is_unsigned ? "%" PRIu64 : "%" PRId64, value->int64);
        return record_tracer_add_text(line, digits, error);
    case LAM_PHYSICAL_FLOAT:
        return add_real(line, (double)value->float32, true, error);
    case LAM_PHYSICAL_DOUBLE:
        return add_real(line, value->float64, false, error);
    default:
        return record_tracer_add_bytes(line, leaf, value->bytes, error);
    }
}

/* --- The verbs ------------------------------------------------------------------------------- */

/* The line of an event without a value. */
static lam_status print_event(lam_record_tracer *tracer, const char *verb, const lam_field *group,
                              lam_error *error) {
    LAM_TRY(start_line(tracer, verb, group, error));
    return end_line(tracer, error);
}

/* The line of a put. What is no leaf has no value to show; `next` refuses it. */
static lam_status print_put(lam_record_tracer *tracer, const lam_field *leaf,
                            const lam_value *value, lam_error *error) {
    LAM_TRY(start_line(tracer, "put", leaf, error));
    if (leaf != NULL && leaf->physical_type != LAM_PHYSICAL_GROUP) {
        LAM_TRY(lam_buffer_append_byte(&tracer->line, ' ', error));
        LAM_TRY(add_value(&tracer->line, leaf, value, error));
    }
    return end_line(tracer, error);
}

/*
 * Keeps a failure, of the tracer or of `next`, and drops the record there, too. Passes OK through.
 */
static lam_status record_tracer_keep_failure(lam_record_tracer *tracer, lam_status status,
                                             lam_error *error) {
    if (status == LAM_STATUS_OK)
        return status;
    (void)lam_record_failure_keep(&tracer->failure, status, error);
    lam_record_sink_fail(&tracer->next, &tracer->failure.error);
    return status;
}

static lam_status trace_begin(void *state, lam_error *error) {
    lam_record_tracer *tracer = state;
    lam_error *kept = &tracer->failure.error;
    lam_record_failure_clear(&tracer->failure);
    lam_status status = print_event(tracer, "begin", NULL, kept);
    if (status == LAM_STATUS_OK && tracer->next.begin != NULL)
        status = tracer->next.begin(tracer->next.state, kept);
    return record_tracer_keep_failure(tracer, status, error);
}

static lam_status trace_open(void *state, const lam_field *group, lam_error *error) {
    lam_record_tracer *tracer = state;
    lam_error *kept = &tracer->failure.error;
    LAM_TRY(lam_record_failure_status(&tracer->failure));
    lam_status status = print_event(tracer, "open", group, kept);
    if (status == LAM_STATUS_OK && tracer->next.open != NULL)
        status = tracer->next.open(tracer->next.state, group, kept);
    return record_tracer_keep_failure(tracer, status, error);
}

static lam_status trace_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    lam_record_tracer *tracer = state;
    lam_error *kept = &tracer->failure.error;
    LAM_TRY(lam_record_failure_status(&tracer->failure));
    lam_status status = print_put(tracer, leaf, &value, kept);
    if (status == LAM_STATUS_OK && tracer->next.put != NULL)
        status = tracer->next.put(tracer->next.state, leaf, value, kept);
    return record_tracer_keep_failure(tracer, status, error);
}

static lam_status trace_close(void *state, const lam_field *group, lam_error *error) {
    lam_record_tracer *tracer = state;
    lam_error *kept = &tracer->failure.error;
    LAM_TRY(lam_record_failure_status(&tracer->failure));
    lam_status status = print_event(tracer, "close", group, kept);
    if (status == LAM_STATUS_OK && tracer->next.close != NULL)
        status = tracer->next.close(tracer->next.state, group, kept);
    return record_tracer_keep_failure(tracer, status, error);
}

/*
 * Ends the record at `next` in any case. The failure that is reported is the first one: one that is
 * kept, else that of the line, else that of `next`.
 */
static lam_status trace_end(void *state, lam_error *error) {
    lam_record_tracer *tracer = state;
    lam_error *kept = &tracer->failure.error;
    lam_status status = lam_record_failure_status(&tracer->failure);
    if (status == LAM_STATUS_OK)
        status = record_tracer_keep_failure(tracer, print_event(tracer, "end", NULL, kept), NULL);
    if (status != LAM_STATUS_OK)
        lam_record_sink_end_failed(&tracer->next);
    else if (tracer->next.end != NULL)
        status = tracer->next.end(tracer->next.state, kept);
    if (status == LAM_STATUS_OK)
        return LAM_STATUS_OK;
    (void)lam_record_failure_keep(&tracer->failure, status, NULL);
    return lam_record_failure_end(&tracer->failure, error);
}

static lam_status trace_fail(void *state, const lam_error *failure, lam_error *error) {
    lam_record_tracer *tracer = state;
    lam_status status = lam_record_failure_take(&tracer->failure, failure, error);
    lam_record_sink_fail(&tracer->next, &tracer->failure.error);
    return status;
}

lam_status lam_record_tracer_create(void (*print)(void *state, const char *line, size_t size),
                                    void *print_state, const lam_record_sink *next,
                                    const lam_allocator *allocator, lam_record_tracer **ret_tracer,
                                    lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    void *memory;
    LAM_TRY(lam_alloc_array(&own, 1, sizeof(lam_record_tracer), &memory, error));
    lam_record_tracer *tracer = memory;
    tracer->allocator = own;
    tracer->print = print;
    tracer->print_state = print_state;
    tracer->next = *next;
    lam_record_failure_init(&tracer->failure);
    lam_buffer_init(&tracer->line, &own);
    *ret_tracer = tracer;
    return LAM_STATUS_OK;
}

lam_record_sink lam_record_tracer_sink(lam_record_tracer *tracer) {
    lam_record_sink sink = {tracer,      trace_begin, trace_open, trace_put,
                            trace_close, trace_end,   trace_fail};
    return sink;
}

void lam_record_tracer_destroy(lam_record_tracer *tracer) {
    if (tracer == NULL)
        return;
    lam_allocator allocator = tracer->allocator;
    lam_buffer_finish(&tracer->line);
    lam_free(&allocator, tracer, sizeof *tracer);
}
