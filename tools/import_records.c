/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reduces JSON documents to the values at a path: takes text, in pieces, and gives the same bytes,
 * with blanks for all outside of these values, so that they follow each other as documents, and
 * lines and columns in messages are those of the text.
 *
 *     path features[]     {"type": "x", "features": [{"id": 1}, {"id": 2}]}
 *                                                    {"id": 1}  {"id": 2}
 *
 * A step of the path is a name, the member of an object, or [], each element of an array. Memory
 * does not grow. The invariant: an open container has the number of steps that lead to it, or is
 * off the path, and values below one that is off the path are never kept. Errors between records go
 * unnoticed, errors in them are left to the reader. (RFC 8259)
 */
#include "import_records.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum { NAME_MAX_BYTES = 256, OFF_PATH = 255, STEPS_MAX = 64, FOUND_BYTES = 160, FOUND_NAMES = 60 };

/* A name, or the elements of an array. */
typedef struct records_step {
    bool is_elements;
    size_t size;
    char name[NAME_MAX_BYTES];
} records_step;

struct import_records {
    records_step steps[STEPS_MAX];
    uint8_t step_count;
    uint8_t levels[STEPS_MAX]; /* steps that lead to the outer containers, or OFF_PATH */
    char kinds[STEPS_MAX];     /* '{' or '[' of each of them */
    size_t depth;
    size_t kept_depth; /* where the kept value began */
    bool has_begun;    /* bytes were taken */
    bool is_kept;      /* inside a record */
    bool is_in_string, is_escaped;
    bool is_key;      /* the string that is open may be a name */
    bool expects_key; /* in an object, after { or a comma */
    uint8_t next;     /* steps that lead to the next value, or OFF_PATH */
    char name[NAME_MAX_BYTES];
    size_t name_size;
    bool leads; /* there is a value at the path, or the array whose elements it means */
    /* If it leads to no value: what is there instead. */
    uint8_t reached; /* steps that lead to the names below, and one more; 0: none */
    char found[FOUND_BYTES];
    size_t found_size;
    bool is_cut;   /* there are more names */
    uint8_t array; /* steps that lead to an array where the path names a member; 0: none */
};

/* --- Paths --------------------------------------------------------------------------------- */

/* Splits a path into steps; false for other texts. Brackets are [], or between quotation marks. */
static bool split_path(const char *path, import_records *records) {
    lam_path_step_kind kind;
    size_t position = 0;
    for (size_t at = tool_mark_from(path, 0, '['); path[at] != '\0';
         at = tool_mark_from(path, at + 1, '['))
        if (path[at + 1] != ']')
            return false;
    for (records->step_count = 0;; records->step_count++) {
        records_step *step = &records->steps[records->step_count];
        if (lam_path_next(path, &position, step->name, sizeof step->name, &kind, NULL) !=
            LAM_STATUS_OK)
            return false;
        if (kind == LAM_PATH_STEP_END)
            return records->step_count > 0;
        if (records->step_count == STEPS_MAX - 1)
            return false;
        step->is_elements = kind == LAM_PATH_STEP_ELEMENTS;
        step->size = strlen(step->name);
    }
}

bool import_records_is_path(const char *path) {
    import_records *records = tool_allocate(1, sizeof *records);
    bool is_path = split_path(path, records);
    free(records);
    return is_path;
}

import_records *import_records_create(const char *path) {
    import_records *records = tool_allocate(1, sizeof *records);
    (void)split_path(path, records);
    return records;
}

void import_records_destroy(import_records *records) {
    free(records);
}

void import_records_restart(import_records *records) {
    records->depth = 0;
    records->has_begun = false;
    records->is_kept = records->is_in_string = records->is_escaped = false;
    records->is_key = records->expects_key = false;
    records->next = 0;
}

bool import_records_can_read(const import_records *records, const char *bytes, size_t size) {
    return records->has_begun || size < 2 ||
           (memcmp(bytes, "\xff\xfe", 2) != 0 && memcmp(bytes, "\xfe\xff", 2) != 0);
}

bool import_records_may_end(const import_records *records) {
    return records->depth == 0 && !records->is_in_string;
}

/* --- Text ---------------------------------------------------------------------------------- */

/* The steps that lead to the container that is open, or OFF_PATH; `*ret_kind` is its mark. */
static uint8_t steps_to_container(const import_records *records, char *ret_kind) {
    *ret_kind = '\0';
    if (records->depth == 0 || records->depth > STEPS_MAX)
        return OFF_PATH;
    *ret_kind = records->kinds[records->depth - 1];
    return records->levels[records->depth - 1];
}

/* The steps that lead to an element of the container that is open, or OFF_PATH. */
static uint8_t steps_to_element(const import_records *records) {
    if (records->depth == 0)
        return 0;
    char kind;
    uint8_t steps = steps_to_container(records, &kind);
    bool is_on = steps != OFF_PATH && steps < records->step_count && kind == '[' &&
                 records->steps[steps].is_elements;
    return is_on ? (uint8_t)(steps + 1) : OFF_PATH;
}

/* Whether a name is among those that were found. */
static bool is_found(const import_records *records) {
    const char *at = records->found;
    while (at < records->found + records->found_size) {
        size_t size = strlen(at);
        if (size == records->name_size && memcmp(at, records->name, size) == 0)
            return true;
        at += size + 1;
    }
    return false;
}

/* Keeps the names of members where the path leads, as far as it does. */
static void note_member(import_records *records, uint8_t steps) {
    if (steps + 1 < records->reached || memchr(records->name, '\0', records->name_size) != NULL)
        return;
    if (steps + 1 > records->reached) {
        records->reached = (uint8_t)(steps + 1);
        records->found_size = 0;
        records->is_cut = false;
    }
    if (records->is_cut || is_found(records))
        return;
    records->is_cut = records->name_size > FOUND_NAMES ||
                      records->found_size + records->name_size + 1 > FOUND_BYTES;
    if (records->is_cut)
        return;
    memcpy(records->found + records->found_size, records->name, records->name_size);
    records->found_size += records->name_size;
    records->found[records->found_size++] = '\0';
}

/* The same for the member whose name was read. */
static uint8_t steps_to_member(import_records *records) {
    char kind;
    uint8_t steps = steps_to_container(records, &kind);
    if (steps == OFF_PATH || steps >= records->step_count)
        return OFF_PATH;
    note_member(records, steps);
    const records_step *step = &records->steps[steps];
    bool is_named = !step->is_elements && step->size == records->name_size &&
                    memcmp(step->name, records->name, step->size) == 0;
    return is_named ? (uint8_t)(steps + 1) : OFF_PATH;
}

static void open_container(import_records *records, char kind) {
    uint8_t last = (uint8_t)(records->step_count - 1);
    if (kind == '[' && records->next <= last && records->next > records->array &&
        !records->steps[records->next].is_elements)
        records->array = records->next;
    records->leads = records->leads || records->next == records->step_count ||
                     (kind == '[' && records->next == last && records->steps[last].is_elements);
    if (!records->is_kept && records->next == records->step_count) {
        records->is_kept = true;
        records->kept_depth = records->depth;
    }
    /* A container that is deeper than the path is not on it. */
    if (records->depth < STEPS_MAX) {
        records->levels[records->depth] = records->next;
        records->kinds[records->depth] = kind;
    }
    records->depth++;
    records->expects_key = kind == '{';
    records->next = kind == '[' ? steps_to_element(records) : OFF_PATH;
}

/* The next value is an element, a member whose name comes first, or another document. */
static void expect_next(import_records *records) {
    char kind;
    (void)steps_to_container(records, &kind);
    bool is_object = kind == '{';
    records->expects_key = is_object;
    records->next = is_object ? OFF_PATH : steps_to_element(records);
}

static void take_in_string(import_records *records, char byte) {
    if (records->is_escaped) {
        records->is_escaped = false;
    } else if (byte == '\\') {
        records->is_escaped = true;
    } else if (byte == '"') {
        records->is_in_string = false;
        if (records->is_key)
            records->next = steps_to_member(records);
        return;
    }
    /* A name that is longer than any of the path is not one of them. */
    if (records->is_key && records->name_size < NAME_MAX_BYTES)
        records->name[records->name_size++] = byte;
}

/* Takes one byte; true if it belongs to a record. */
static bool take_byte(import_records *records, char byte) {
    bool was_kept = records->is_kept;
    /* Records that are no objects or arrays: the text between marks. */
    bool is_scalar = !was_kept && records->next == records->step_count;
    if (records->is_in_string) {
        take_in_string(records, byte);
        return was_kept || (is_scalar && !records->is_key);
    }
    switch (byte) {
    case '"':
        records->is_in_string = true;
        records->leads = records->leads || (is_scalar && !records->expects_key);
        records->is_key = records->expects_key;
        records->expects_key = false;
        records->name_size = 0;
        return was_kept || (is_scalar && !records->is_key);
    case '{':
    case '[':
        open_container(records, byte);
        return records->is_kept;
    case '}':
    case ']':
        if (records->depth > 0)
            records->depth--;
        if (was_kept && records->depth == records->kept_depth)
            records->is_kept = false;
        records->next = records->depth == 0 ? 0 : OFF_PATH;
        return was_kept;
    case ',':
        expect_next(records);
        return was_kept;
    case ':':
        return was_kept;
    default:
        records->leads = records->leads || (is_scalar && strchr(" \t\r\n", byte) == NULL);
        return was_kept || is_scalar;
    }
}

void import_records_take(import_records *records, char *bytes, size_t size) {
    records->has_begun = records->has_begun || size > 0;
    for (size_t i = 0; i < size; i++)
        if (!take_byte(records, bytes[i]) && bytes[i] != '\n')
            bytes[i] = ' ';
}

bool import_records_lead(const import_records *records) {
    return records->leads;
}

/* Prints the first steps of the path; gives the bytes. */
static size_t tell_steps(const import_records *records, uint8_t count, char *text, size_t size) {
    size_t used = 0;
    for (uint8_t i = 0; i < count && used < size; i++) {
        const records_step *step = &records->steps[i];
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", used > 0 && step->size ? "." : "",
                             step->is_elements ? "[]" : step->name);
    }
    return used;
}

void import_records_tell(const import_records *records, char *text, size_t size) {
    bool is_array = records->array > 0 && records->array >= records->reached;
    uint8_t names_at = records->reached > 0 ? records->reached - 1 : 0;
    text[0] = '\0';
    size_t used = tell_steps(records, is_array ? records->array : names_at, text, size);
    if (used < size)
        used += (size_t)snprintf(text + used, size - used, "%s",
                                 is_array ? " is an array: [] after it leads to its elements"
                                 : records->reached == 0 ? "no document is an object"
                                 : records->reached > 1  ? " has "
                                                         : "the documents have ");
    for (size_t at = 0; !is_array && at < records->found_size && used < size;
         at += strlen(records->found + at) + 1)
        used += (size_t)snprintf(text + used, size - used, "%s%s", at == 0 ? "" : ", ",
                                 records->found + at);
    if (!is_array && records->is_cut && used < size)
        snprintf(text + used, size - used, ", ...");
}
