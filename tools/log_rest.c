/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits the text of a record, a JSON object: the fields that the schema lacks move into one more
 * member.
 *
 * The invariant: values are copied byte by byte, so that none changes, and each is in one of the
 * two texts. Only the ends of values are checked: the reader of the result checks the rest.
 */
#include "log_rest.h"

#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum { REST_DEPTH_MAX = 256 };

/* One record on its way. */
typedef struct rest_split {
    log_rest *rest;
    const char *text;
    const char *end;
} rest_split;

void log_rest_free(log_rest *rest) {
    free(rest->known.data);
    free(rest->unknown.data);
}

static void append(log_rest_text *text, const char *bytes, size_t size) {
    if (text->capacity - text->size < size) {
        text->capacity = (text->capacity + size) * 2;
        text->data = tool_reallocate(text->data, text->capacity, 1);
    }
    memcpy(text->data + text->size, bytes, size);
    text->size += size;
}

static void append_byte(log_rest_text *text, char byte) {
    append(text, &byte, 1);
}

/* --- Scanning ------------------------------------------------------------------------------ */

static char next_byte(rest_split *split) {
    while (split->text < split->end && strchr(" \t\r\n", *split->text) != NULL &&
           *split->text != '\0')
        split->text++;
    return split->text < split->end ? *split->text : '\0';
}

/* Passes a byte; false when another one comes. */
static bool pass(rest_split *split, char byte) {
    if (next_byte(split) != byte)
        return false;
    split->text++;
    return true;
}

static bool pass_string(rest_split *split) {
    for (split->text++; split->text < split->end; split->text++) {
        if (*split->text == '\\')
            split->text++;
        else if (*split->text == '"') {
            split->text++;
            return true;
        }
    }
    return false;
}

/* Passes a value of any kind. */
static bool pass_value(rest_split *split) {
    size_t depth = 0;
    do {
        char byte = next_byte(split);
        if (byte == '\0')
            return false;
        if (byte == '"') {
            if (!pass_string(split))
                return false;
            continue;
        }
        if (byte == '{' || byte == '[')
            depth++;
        if (byte == '}' || byte == ']') {
            if (depth == 0)
                return false;
            depth--;
        }
        split->text++;
        if (strchr("{}[],:", byte) == NULL)
            while (split->text < split->end && strchr(" \t\r\n{}[],:\"", *split->text) == NULL)
                split->text++;
    } while (depth > 0);
    return true;
}

/* --- Fields -------------------------------------------------------------------------------- */

static lam_logical_kind kind_of(const lam_field *field) {
    return lam_field_logical_type(field)->kind;
}

/* The child that a name in quotation marks names; escapes in it are resolved. */
static const lam_field *find_child(const lam_field *group, const char *quoted, size_t size) {
    const lam_field *found = NULL;
    if (memchr(quoted, '\\', size) == NULL)
        return lam_field_child_named(group, quoted + 1, size - 2);
    lam_json_parser *parser = NULL;
    lam_variant_builder *builder = NULL;
    lam_variant variant;
    lam_variant_scalar name;
    if (lam_json_parser_create(NULL, NULL, &parser, NULL) == LAM_STATUS_OK &&
        lam_variant_builder_create(NULL, NULL, &builder, NULL) == LAM_STATUS_OK &&
        lam_json_parser_read(parser, quoted, size, builder, NULL) == LAM_STATUS_OK &&
        lam_variant_builder_finish(builder, &variant, NULL) == LAM_STATUS_OK &&
        lam_variant_get(variant, &name, NULL) == LAM_STATUS_OK && name.kind == LAM_VARIANT_STRING)
        found = lam_field_child_named(group, (const char *)name.as.bytes.data, name.as.bytes.size);
    lam_variant_builder_destroy(builder);
    lam_json_parser_destroy(parser);
    return found;
}

/* The element of a LIST, by the names that this library and most writers use; NULL for others. */
static const lam_field *element_of(const lam_field *list) {
    const lam_field *repeated = lam_field_child(list, 0);
    if (repeated == NULL || lam_field_is_leaf(repeated) || lam_field_child_count(repeated) != 1 ||
        strcmp(lam_field_name(repeated), "list") != 0)
        return NULL;
    return lam_field_child(repeated, 0);
}

/* --- Splitting ----------------------------------------------------------------------------- */

static bool split_value(rest_split *split, const lam_field *field, bool is_element, size_t depth,
                        bool *ret_any);

static bool copy_value(rest_split *split, log_rest_text *text) {
    (void)next_byte(split);
    const char *begin = split->text;
    if (!pass_value(split))
        return false;
    append(text, begin, (size_t)(split->text - begin));
    return true;
}

/* Begins a member: its name, after a comma if it is not the first. */
static void append_name(log_rest_text *text, const char *quoted, size_t size) {
    if (text->data[text->size - 1] != '{')
        append_byte(text, ',');
    append(text, quoted, size);
    append_byte(text, ':');
}

/* One member, to its text; `*ret_any` is set when there is one for the rest. */
static bool split_member(rest_split *split, const lam_field *group, size_t depth, bool *ret_any) {
    log_rest_text *known = &split->rest->known, *unknown = &split->rest->unknown;
    const char *name = split->text;
    if (next_byte(split) != '"' || !pass_string(split))
        return false;
    size_t size = (size_t)(split->text - name);
    const lam_field *child = find_child(group, name, size);
    if (!pass(split, ':'))
        return false;
    size_t before = unknown->size;
    bool any = true;
    append_name(child == NULL ? unknown : known, name, size);
    if (child == NULL) {
        *ret_any = true;
        return copy_value(split, unknown);
    }
    append_name(unknown, name, size);
    if (!split_value(split, child, false, depth, &any))
        return false;
    if (!any)
        unknown->size = before;
    *ret_any = *ret_any || any;
    return true;
}

static bool split_object(rest_split *split, const lam_field *group, size_t depth, bool *ret_any) {
    log_rest_text *known = &split->rest->known, *unknown = &split->rest->unknown;
    *ret_any = false;
    if (!pass(split, '{'))
        return false;
    append_byte(known, '{');
    append_byte(unknown, '{');
    if (next_byte(split) != '}') {
        do {
            (void)next_byte(split);
            if (!split_member(split, group, depth, ret_any))
                return false;
        } while (pass(split, ','));
    }
    append_byte(known, '}');
    append_byte(unknown, '}');
    return pass(split, '}');
}

/* Every element has one in the rest, so that they stay in step. */
static bool split_array(rest_split *split, const lam_field *element, bool is_element, size_t depth,
                        bool *ret_any) {
    log_rest_text *known = &split->rest->known, *unknown = &split->rest->unknown;
    *ret_any = false;
    if (!pass(split, '['))
        return false;
    append_byte(known, '[');
    append_byte(unknown, '[');
    bool is_first = true, any;
    if (next_byte(split) != ']') {
        do {
            if (!is_first) {
                append_byte(known, ',');
                append_byte(unknown, ',');
            }
            is_first = false;
            if (!split_value(split, element, is_element, depth, &any))
                return false;
            *ret_any = *ret_any || any;
        } while (pass(split, ','));
    }
    append_byte(known, ']');
    append_byte(unknown, ']');
    return pass(split, ']');
}

/*
 * A value whose field is known. One that cannot have unknown members is copied; in an array of the
 * rest an empty object replaces it. `is_element` is an element of a repeated field.
 */
static bool split_value(rest_split *split, const lam_field *field, bool is_element, size_t depth,
                        bool *ret_any) {
    char byte = next_byte(split);
    const lam_field *element = NULL;
    bool is_repeated = !is_element && lam_field_repetition(field) == LAM_REPETITION_REPEATED;
    if (kind_of(field) == LAM_LOGICAL_LIST)
        element = element_of(field);
    if (depth > REST_DEPTH_MAX)
        return false;
    if (is_repeated && byte == '[')
        return split_array(split, field, true, depth + 1, ret_any);
    if (element != NULL && byte == '[')
        return split_array(split, element, false, depth + 1, ret_any);
    if (!is_repeated && byte == '{' && !lam_field_is_leaf(field) &&
        kind_of(field) == LAM_LOGICAL_NONE)
        return split_object(split, field, depth + 1, ret_any);
    *ret_any = false;
    append(&split->rest->unknown, "{}", 2);
    return copy_value(split, &split->rest->known);
}

bool log_rest_split(log_rest *rest, const lam_schema *schema, const char *name, lam_bytes record) {
    rest_split split = {rest, (const char *)record.data, (const char *)record.data + record.size};
    bool any;
    rest->known.size = rest->unknown.size = 0;
    if (!split_object(&split, lam_schema_root(schema), 0, &any) || next_byte(&split) != '\0' ||
        split.text != split.end)
        return false;
    if (any) {
        lam_output quoted = {0};
        if (lam_output_memory(tool_allocator(), &quoted, NULL) != LAM_STATUS_OK ||
            lam_json_print_text(name, strlen(name), &quoted, NULL) != LAM_STATUS_OK)
            tool_end_without_memory(NULL, "no memory");
        lam_bytes text = lam_output_memory_bytes(&quoted);
        rest->known.size--; /* the closing brace */
        append_name(&rest->known, (const char *)text.data, text.size);
        append(&rest->known, rest->unknown.data, rest->unknown.size);
        append_byte(&rest->known, '}');
        lam_output_close(&quoted);
    }
    append_byte(&rest->known, '\n');
    return true;
}
