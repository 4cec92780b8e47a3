/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "tool_bound.h"

#include <lamella/record.h>
#include <lamella/table.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

/* Bytes without a meaning as text. */
static bool is_bare(const lam_field *leaf) {
    lam_physical_type type = lam_field_physical_type(leaf);
    if (type != LAM_PHYSICAL_BYTE_ARRAY && type != LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        return false;
    switch (lam_field_logical_type(leaf)->kind) {
    case LAM_LOGICAL_NONE:
    case LAM_LOGICAL_BSON:
    case LAM_LOGICAL_GEOMETRY:
    case LAM_LOGICAL_GEOGRAPHY:
    case LAM_LOGICAL_UNRECOGNIZED:
        return true;
    default:
        return false;
    }
}

/* Copies text up to `width` characters, complete ones. */
static void cut(const char *from, size_t size, size_t width, char text[TOOL_BOUND_TEXT]) {
    size_t most = TOOL_BOUND_TEXT - 5, used = 0, characters = 0;
    while (used < size && used < most) {
        size_t next = used + 1;
        while (next < size && ((unsigned char)from[next] & 0xC0) == 0x80)
            next++;
        if (next > most || (characters + 4 >= width && size - used > 4))
            break;
        used = next;
        characters++;
    }
    memcpy(text, from, used);
    strcpy(text + used, used == size ? "" : from[0] == '"' ? "...\"" : "...");
}

static void put_hex(lam_bytes bytes, size_t width, char text[TOOL_BOUND_TEXT]) {
    char all[TOOL_BOUND_TEXT + 8];
    size_t most = (TOOL_BOUND_TEXT - 2) / 2;
    size_t count = bytes.size < most ? bytes.size : most, length = 0;
    length += (size_t)snprintf(all, sizeof all, "0x");
    for (size_t i = 0; i < count; i++)
        length += (size_t)snprintf(all + length, sizeof all - length, "%02x", bytes.data[i]);
    cut(all, length, width, text);
}

static bool is_time(const lam_field *leaf) {
    lam_logical_kind kind = lam_field_logical_type(leaf)->kind;
    return kind == LAM_LOGICAL_TIME || kind == LAM_LOGICAL_TIMESTAMP ||
           lam_field_physical_type(leaf) == LAM_PHYSICAL_INT96;
}

/* A time in quotation marks, complete except for the zeros that end its fraction. */
static void put_time(lam_bytes json, char text[TOOL_BOUND_TEXT]) {
    lam_bytes head, tail;
    const lam_cell cell = {LAM_CELL_TIME, {json.data + 1, json.size - 2}};
    (void)lam_cell_cut_time(&cell, 0, &head, &tail);
    snprintf(text, TOOL_BOUND_TEXT, "\"%.*s%.*s\"", (int)head.size, (const char *)head.data,
             (int)tail.size, (const char *)tail.data);
}

/* Statistics have -0.0 as the lowest zero and 0.0 as the highest, whichever zeros occur. */
static bool is_negative_zero(lam_bytes json) {
    return json.size == 4 && memcmp(json.data, "-0.0", 4) == 0;
}

/* The value as JSON in memory; false when it has none. The output is to be closed either way. */
static bool to_json(const lam_field *leaf, lam_bytes bound, lam_output *output) {
    lam_value value;
    lam_error error;
    lam_status status = lam_output_memory(tool_allocator(), output, &error);
    if (status == LAM_STATUS_OK)
        status = lam_bound_value(leaf, bound, &value, &error);
    if (status == LAM_STATUS_OK)
        status = lam_json_print_value(leaf, value, LAM_JSON_BINARY_BASE64, output, &error);
    if (status == LAM_STATUS_NOMEM)
        tool_end_without_memory(NULL, error.message);
    return status == LAM_STATUS_OK;
}

const char *tool_bound_text(const lam_field *leaf, lam_bytes bound, size_t width,
                            char text[TOOL_BOUND_TEXT]) {
    lam_output output = {0};
    if (bound.data == NULL)
        return strcpy(text, "-");
    if (is_bare(leaf)) {
        put_hex(bound, width, text);
        return text;
    }
    if (to_json(leaf, bound, &output)) {
        lam_bytes json = lam_output_memory_bytes(&output);
        if (is_time(leaf) && json.size > 2 && json.data[0] == '"')
            put_time(json, text);
        else if (is_negative_zero(json))
            strcpy(text, "0.0");
        else
            cut((const char *)json.data, json.size, width, text);
    } else {
        put_hex(bound, width, text);
    }
    lam_output_close(&output);
    return text;
}

void tool_print_bound_json(const lam_field *leaf, lam_bytes bound) {
    lam_output output = {0};
    if (bound.data == NULL) {
        tool_print("null");
        return;
    }
    if (to_json(leaf, bound, &output)) {
        lam_bytes json = lam_output_memory_bytes(&output);
        tool_print("%.*s", (int)json.size, (const char *)json.data);
    } else {
        tool_print("{\"hex\":\"");
        for (size_t i = 0; i < bound.size; i++)
            tool_print("%02x", bound.data[i]);
        tool_print("\"}");
    }
    lam_output_close(&output);
}
