/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrow schemas, plans and files as text, for tests.
 *
 *     a?:+l[item?:i] b:d:9,2 c?:{c}u<arrow.json|{}>@7
 *
 * A field is its name, a question mark when it is nullable, and its format string. In between comes
 * {index} when it is dictionary encoded, {index!} when ordered; behind it the extension type with
 * its parameters in angle brackets, @ and the id of the Parquet field, `key=value` pairs of other
 * metadata in backticks, and the children in brackets. A map whose keys are sorted has the format
 * "+m!".
 */
#ifndef LAM_TESTS_ARROW_TEXT_H
#define LAM_TESTS_ARROW_TEXT_H

#include <criterion/criterion.h>
#include <lamella/arrow.h>
#include <lamella/reader.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/array/arrow_plan.h"
#include "arrow/field/arrow_format.h"
#include "arrow/field/arrow_metadata_edit.h"
#include "base/alloc.h"
#include "support/test_file.h"

/* --- Text to fields --------------------------------------------------------------------------- */

static inline lam_arena arrow_arena(void) {
    lam_arena arena;
    lam_allocator heap = lam_allocator_default();
    lam_arena_init(&arena, &heap, 0);
    return arena;
}

static inline char *copied_until(lam_arena *arena, const char **text, const char *stops) {
    size_t size = strcspn(*text, stops);
    char *copy;
    cr_assert_eq(lam_arena_copy(arena, *text, size, &copy, NULL), LAM_STATUS_OK);
    *text += size;
    return copy;
}

static inline void parse_type(lam_arena *arena, const char *format, lam_arrow_type *type) {
    uint8_t *room;
    bool sorted = strcmp(format, "+m!") == 0;
    cr_assert_eq(lam_arena_bytes(arena, LAM_ARROW_UNION_MAX, &room, NULL), LAM_STATUS_OK);
    const char *fault = lam_arrow_format_parse(sorted ? "+m" : format, room, type);
    cr_assert_null(fault, "%s: %s", format, fault);
    type->keys_sorted = sorted;
}

static inline void add_pair(lam_arena *arena, lam_arrow_field *field, const char *key,
                            const char *value) {
    cr_assert_eq(lam_arrow_metadata_set(arena, &field->metadata, key, lam_arrow_text(value), NULL),
                 LAM_STATUS_OK);
}

static inline void parse_metadata(lam_arena *arena, const char **text, lam_arrow_field *field) {
    for (;;) {
        char open = **text;
        if (open != '<' && open != '@' && open != '`')
            return;
        (*text)++;
        if (open == '@') {
            add_pair(arena, field, LAM_ARROW_FIELD_ID_KEY, copied_until(arena, text, " []<`"));
            continue;
        }
        char *first = copied_until(arena, text, open == '<' ? "|>" : "=");
        if (open == '<')
            add_pair(arena, field, LAM_ARROW_EXTENSION_NAME_KEY, first);
        if (**text == '|' || **text == '=') {
            (*text)++;
            char *second = copied_until(arena, text, open == '<' ? ">" : "`");
            add_pair(arena, field, open == '<' ? LAM_ARROW_EXTENSION_METADATA_KEY : first, second);
        }
        (*text)++;
    }
}

static inline void parse_fields(lam_arena *arena, const char **text, lam_arrow_field *parent) {
    enum { MOST = 64 };
    lam_arrow_field fields[MOST];
    size_t count = 0;
    void *memory;
    memset(fields, 0, sizeof fields);
    for (;;) {
        *text += strspn(*text, " \n");
        if (**text == '\0' || **text == ']')
            break;
        cr_assert(count < MOST);
        lam_arrow_field *field = &fields[count++];
        field->name = copied_until(arena, text, "?:");
        field->nullable = **text == '?';
        *text += field->nullable ? 2 : 1;
        if (**text == '{') {
            lam_arrow_type index;
            (*text)++;
            parse_type(arena, copied_until(arena, text, "!}"), &index);
            field->is_dictionary = true;
            field->index_kind = index.kind;
            field->dictionary_ordered = **text == '!';
            *text += field->dictionary_ordered ? 2 : 1;
        }
        parse_type(arena, copied_until(arena, text, " []<@`"), &field->type);
        parse_metadata(arena, text, field);
        if (**text == '[') {
            (*text)++;
            parse_fields(arena, text, field);
            cr_assert_eq(**text, ']');
            (*text)++;
        }
    }
    cr_assert_eq(lam_arena_array(arena, count, sizeof *fields, &memory, NULL), LAM_STATUS_OK);
    parent->children = memory;
    parent->child_count = count;
    if (count > 0)
        memcpy(memory, fields, count * sizeof *fields);
}

/* The root of a schema. Nothing is checked. */
static inline lam_arrow_field *fields_of(lam_arena *arena, const char *text) {
    void *memory;
    cr_assert_eq(lam_arena_array(arena, 1, sizeof(lam_arrow_field), &memory, NULL), LAM_STATUS_OK);
    lam_arrow_field *root = memory;
    root->name = "";
    root->type.kind = LAM_ARROW_STRUCT;
    parse_fields(arena, &text, root);
    cr_assert_eq(*text, '\0', "left over: %s", text);
    return root;
}

/* The same as a struct ArrowSchema; release it. */
static inline struct ArrowSchema schema_of(const char *text) {
    lam_arena arena = arrow_arena();
    lam_allocator heap = lam_allocator_default();
    struct ArrowSchema schema;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_field_export(fields_of(&arena, text), &heap, &schema, &error),
                 LAM_STATUS_OK, "%s: %s", text, error.message);
    lam_arena_finish(&arena);
    return schema;
}

/* --- Fields to text --------------------------------------------------------------------------- */

typedef struct arrow_printer {
    char *text;
    size_t size;
} arrow_printer;

static inline void put(arrow_printer *out, const char *text, size_t size) {
    out->text = realloc(out->text, out->size + size + 1);
    if (size > 0)
        memcpy(out->text + out->size, text, size);
    out->size += size;
    out->text[out->size] = '\0';
}

static inline void put_text(arrow_printer *out, const char *text) {
    put(out, text, strlen(text));
}

static inline void put_metadata(arrow_printer *out, const lam_arrow_metadata *metadata) {
    for (size_t i = 0; i < metadata->count; i++) {
        const lam_arrow_key_value *pair = &metadata->key_values[i];
        bool name = lam_arrow_bytes_equal(pair->key, LAM_ARROW_EXTENSION_NAME_KEY);
        bool id = lam_arrow_bytes_equal(pair->key, LAM_ARROW_FIELD_ID_KEY);
        const lam_bytes *parameters =
            lam_arrow_metadata_find(metadata, LAM_ARROW_EXTENSION_METADATA_KEY);
        if (lam_arrow_bytes_equal(pair->key, LAM_ARROW_EXTENSION_METADATA_KEY))
            continue;
        put_text(out, name ? "<" : id ? "@" : "`");
        if (!name && !id) {
            put(out, (const char *)pair->key.data, pair->key.size);
            put_text(out, "=");
        }
        put(out, (const char *)pair->value.data, pair->value.size);
        if (name && parameters != NULL && parameters->size > 0) {
            put_text(out, "|");
            put(out, (const char *)parameters->data, parameters->size);
        }
        put_text(out, name ? ">" : id ? "" : "`");
    }
}

static inline void put_format(arrow_printer *out, const lam_arrow_type *type) {
    char format[256];
    lam_arrow_format_print(type, format, sizeof format);
    put_text(out, format);
    put_text(out, type->keys_sorted ? "!" : "");
}

static inline void put_fields(arrow_printer *out, const lam_arrow_field *parent) {
    for (size_t i = 0; i < parent->child_count; i++) {
        const lam_arrow_field *field = &parent->children[i];
        put_text(out, i > 0 ? " " : "");
        put_text(out, field->name);
        put_text(out, field->nullable ? "?:" : ":");
        if (field->is_dictionary) {
            lam_arrow_type index = {.kind = field->index_kind};
            put_text(out, "{");
            put_format(out, &index);
            put_text(out, field->dictionary_ordered ? "!}" : "}");
        }
        put_format(out, &field->type);
        put_metadata(out, &field->metadata);
        if (field->child_count > 0) {
            put_text(out, "[");
            put_fields(out, field);
            put_text(out, "]");
        }
    }
}

/* free() it. */
static inline char *text_of(const lam_arrow_field *root) {
    arrow_printer out = {NULL, 0};
    put_text(&out, "");
    put_fields(&out, root);
    return out.text;
}

/* --- Files and plans -------------------------------------------------------------------------- */

/* A file without rows; close its parts with close_file. */
typedef struct arrow_file {
    lam_schema *schema;
    lam_buffer bytes;
    lam_reader *reader;
} arrow_file;

/*
 * The schema may have groups that only files have. `key_values` are keys and values in turn, ended
 * by NULL; NULL for none.
 */
static inline arrow_file file_of_schema(lam_schema *schema, const char *const *key_values) {
    arrow_file file = {.schema = schema};
    schema->is_of_file = true;
    lam_test_writer made = lam_test_write_as(schema, NULL);
    for (; key_values != NULL && *key_values != NULL; key_values += 2)
        cr_assert_eq(
            lam_writer_add_key_value(made.writer, NULL, key_values[0], key_values[1], NULL),
            LAM_STATUS_OK);
    file.bytes = lam_test_written(&made);
    file.reader = lam_test_open(file.bytes.data, file.bytes.size, NULL);
    return file;
}

static inline arrow_file file_of(const char *message, const char *const *key_values) {
    return file_of_schema(lam_test_parse(message), key_values);
}

static inline void close_file(arrow_file *file) {
    lam_reader_close(file->reader);
    lam_buffer_finish(&file->bytes);
    lam_schema_destroy(file->schema);
}

static inline void put_node(arrow_printer *out, const lam_arrow_plan *plan,
                            const lam_arrow_node *node) {
    static const char *const shapes[] = {"VALUE", "STRUCT", "LIST"};
    char path[1024];
    char line[1280];
    lam_arrow_node_path(plan, node, path, sizeof path);
    int size = snprintf(line, sizeof line, "%s %s slot %d/%d present %d%s", path,
                        shapes[node->shape], node->slot_definition, node->slot_repetition,
                        node->present_definition, node->nullable ? "" : "!");
    if (node->shape == LAM_ARROW_NODE_LIST)
        size += snprintf(line + size, sizeof line - (size_t)size, " element %d",
                         node->element_definition);
    snprintf(line + size, sizeof line - (size_t)size, " leaves %zu+%zu\n", node->first_leaf,
             node->leaf_count);
    if (node != &plan->root)
        put_text(out, line);
    for (size_t i = 0; i < node->child_count; i++)
        put_node(out, plan, &node->children[i]);
}

/*
 * A line for each node but the root: its path, "LIST slot 0/0 present 1! element 1 leaves 0+2",
 * with an exclamation mark when it is not nullable. free() it.
 */
static inline char *nodes_of(const lam_arrow_plan *plan) {
    arrow_printer out = {NULL, 0};
    put_text(&out, "");
    put_node(&out, plan, &plan->root);
    return out.text;
}

#endif
