/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes down events. In: the verbs of a record. Out: a text that grows by a line with each. The
 * invariant: no event is refused, so that the text shows what a source does, right or wrong.
 */
#include "support/event_lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { EVENT_INDENT = 2 };

static void add_event_text(event_lines *lines, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const size_t size = (size_t)vsnprintf(NULL, 0, format, arguments);
    char *text = realloc(lines->text, lines->size + size + 1);
    if (text == NULL)
        abort();
    vsnprintf(text + lines->size, size + 1, format, again);
    va_end(again);
    va_end(arguments);
    lines->text = text;
    lines->size += size;
}

static void start_event(event_lines *lines, const char *verb, const lam_field *field) {
    add_event_text(lines, "%*s%s %s", (int)lam_field_depth(field) * EVENT_INDENT, "", verb,
                   lam_field_name(field));
}

static void add_event_bytes(event_lines *lines, const lam_field *leaf, lam_bytes bytes) {
    const lam_logical_kind kind = lam_field_logical_type(leaf)->kind;
    if (kind == LAM_LOGICAL_STRING || kind == LAM_LOGICAL_ENUM || kind == LAM_LOGICAL_JSON) {
        add_event_text(lines, "\"%.*s\"", (int)bytes.size, (const char *)bytes.data);
        return;
    }
    add_event_text(lines, "0x");
    for (size_t i = 0; i < bytes.size; i++)
        add_event_text(lines, "%02x", bytes.data[i]);
}

static lam_status write_begin(void *state, lam_error *error) {
    (void)error;
    add_event_text(state, "begin\n");
    return LAM_STATUS_OK;
}

static lam_status write_open(void *state, const lam_field *group, lam_error *error) {
    (void)error;
    start_event(state, "open", group);
    add_event_text(state, "\n");
    return LAM_STATUS_OK;
}

static lam_status write_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    (void)error;
    start_event(state, "put", leaf);
    add_event_text(state, " ");
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BOOLEAN:
        add_event_text(state, "%s", value.boolean ? "true" : "false");
        break;
    case LAM_PHYSICAL_INT32:
        add_event_text(state, "%" PRId32, value.int32);
        break;
    case LAM_PHYSICAL_INT64:
        add_event_text(state, "%" PRId64, value.int64);
        break;
    case LAM_PHYSICAL_FLOAT:
        add_event_text(state, "%.9g", (double)value.float32);
        break;
    case LAM_PHYSICAL_DOUBLE:
        add_event_text(state, "%.17g", value.float64);
        break;
    default:
        add_event_bytes(state, leaf, value.bytes);
        break;
    }
    add_event_text(state, "\n");
    return LAM_STATUS_OK;
}

static lam_status write_close(void *state, const lam_field *group, lam_error *error) {
    (void)error;
    start_event(state, "close", group);
    add_event_text(state, "\n");
    return LAM_STATUS_OK;
}

static lam_status write_end(void *state, lam_error *error) {
    (void)error;
    add_event_text(state, "end\n");
    return LAM_STATUS_OK;
}

lam_record_sink event_lines_sink(event_lines *lines) {
    return (lam_record_sink){lines,       write_begin, write_open, write_put,
                             write_close, write_end,   NULL};
}

void event_lines_free(event_lines *lines) {
    free(lines->text);
    *lines = (event_lines){NULL, 0};
}
