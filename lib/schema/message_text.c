/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns message text into a schema and back. Words are plain or quoted (text.h); keywords and names
 * of types may be of any case.
 *
 *     text       = "message" name "{" { field } "}" [ ";" ]  |  field { field }
 *     field      = repetition ( leaf | group )
 *     repetition = "required" | "optional" | "repeated"
 *     leaf       = type name { suffix } ";"         the last one before "}" may lack its ";"
 *     group      = "group" name { suffix } "{" { field } "}" [ ";" ]
 *     suffix     = "(" annotation ")" | "=" id      each at most once, in either order
 *
 * Fields without a message around them get one of the name "schema". The types are those of the
 * table below; annotations are in annotation.h, which has the printed form first if there are
 * several. A VECTOR of a file (LAM_REPETITION_VECTOR) is printed and not read. The parser does not
 * recurse: the builder keeps the open groups and bounds their depth.
 */
#include <string.h>

#include "base/error.h"
#include "schema/annotation.h"
#include "schema/logical_type.h"
#include "schema/message_lexer.h"
#include "schema/text.h"
#include "schema/tree.h"

/* --- To text ---------------------------------------------------------------------------------- */

/* By the number of lam_repetition; the parser accepts the first three. */
static const char *const repetitions[] = {"required", "optional", "repeated", "vector"};

/* The physical type: "int64", "fixed_len_byte_array(16)", "group". */
static void put_type(lam_text *text, const lam_field *field) {
    lam_text_put_string(text, lam_physical_type_name((lam_physical_type)field->physical_type));
    if (field->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY) {
        lam_text_put(text, "(", 1);
        lam_text_put_int(text, field->type_length);
        lam_text_put(text, ")", 1);
    }
}

/* One line: "  optional binary Url (STRING) = 5;", or a group up to its brace. */
static void put_field(lam_text *text, const lam_field *field) {
    lam_text_put_repeated(text, ' ', 2 * (size_t)field->depth);
    lam_text_put_string(text, repetitions[field->repetition]);
    lam_text_put(text, " ", 1);
    put_type(text, field);
    lam_text_put(text, " ", 1);
    lam_text_put_word(text, field->name, field->name_size);
    if (field->logical_type.kind != LAM_LOGICAL_NONE) {
        lam_text_put(text, " (", 2);
        lam_annotation_print(text, &field->logical_type);
        lam_text_put(text, ")", 1);
    }
    if (field->has_id) {
        lam_text_put(text, " = ", 3);
        lam_text_put_int(text, field->id);
    }
    lam_text_put_string(text, field->physical_type == LAM_PHYSICAL_GROUP ? " {\n" : ";\n");
}

/*
 * Closes the open group and those around it, up to but not including the one at `depth`, which it
 * returns. Preorder shows only by the depth of the next field that groups have ended.
 */
static const lam_field *close_groups(lam_text *text, const lam_field *open, size_t depth) {
    while (open->depth > depth) {
        lam_text_put_repeated(text, ' ', 2 * (size_t)open->depth);
        lam_text_put(text, "}\n", 2);
        open = lam_parent_of(open);
    }
    return open;
}

/* One pass over the fields in preorder; the root is the message. */
size_t lam_schema_print(const lam_schema *schema, char *buffer, size_t capacity) {
    lam_text text = {buffer, capacity, 0};
    if (schema == NULL)
        return lam_text_finish(&text);
    const lam_field *open = &schema->fields[0];
    lam_text_put_string(&text, "message ");
    lam_text_put_word(&text, open->name, open->name_size);
    lam_text_put(&text, " {\n", 3);
    for (size_t i = 1; i < schema->field_count; i++) {
        const lam_field *field = &schema->fields[i];
        open = close_groups(&text, open, field->depth - 1u);
        put_field(&text, field);
        if (field->physical_type == LAM_PHYSICAL_GROUP)
            open = field;
    }
    close_groups(&text, open, 0);
    lam_text_put(&text, "}\n", 2);
    return lam_text_finish(&text);
}

/* --- From text -------------------------------------------------------------------------------- */

/* A type of message text: its physical type, and its logical type if the word names one. */
typedef struct lam_message_type {
    const char *word;
    lam_physical_type physical;
    lam_logical_type logical; /* NONE unless the word implies one */
} lam_message_type;

#define INTEGER_TYPE(width, sign)                                                                  \
    { .kind = LAM_LOGICAL_INTEGER, .bit_width = (width), .is_signed = (sign) }

/*
 * The first word of each physical type is the one that is printed. "int8 x" is short for "int32 x
 * (INTEGER(8,true))".
 */
static const lam_message_type types[] = {
    {"group", LAM_PHYSICAL_GROUP, {0}},
    {"boolean", LAM_PHYSICAL_BOOLEAN, {0}},
    {"bool", LAM_PHYSICAL_BOOLEAN, {0}},
    {"int32", LAM_PHYSICAL_INT32, {0}},
    {"int64", LAM_PHYSICAL_INT64, {0}},
    {"int96", LAM_PHYSICAL_INT96, {0}},
    {"float", LAM_PHYSICAL_FLOAT, {0}},
    {"float32", LAM_PHYSICAL_FLOAT, {0}},
    {"double", LAM_PHYSICAL_DOUBLE, {0}},
    {"float64", LAM_PHYSICAL_DOUBLE, {0}},
    {"binary", LAM_PHYSICAL_BYTE_ARRAY, {0}},
    {"bytes", LAM_PHYSICAL_BYTE_ARRAY, {0}},
    {"byte_array", LAM_PHYSICAL_BYTE_ARRAY, {0}},
    {"fixed_len_byte_array", LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, {0}},
    {"fixed", LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, {0}},
    {"string", LAM_PHYSICAL_BYTE_ARRAY, {.kind = LAM_LOGICAL_STRING}},
    {"int8", LAM_PHYSICAL_INT32, INTEGER_TYPE(8, true)},
    {"int16", LAM_PHYSICAL_INT32, INTEGER_TYPE(16, true)},
    {"uint8", LAM_PHYSICAL_INT32, INTEGER_TYPE(8, false)},
    {"uint16", LAM_PHYSICAL_INT32, INTEGER_TYPE(16, false)},
    {"uint32", LAM_PHYSICAL_INT32, INTEGER_TYPE(32, false)},
    {"uint64", LAM_PHYSICAL_INT64, INTEGER_TYPE(64, false)},
};

/* The state of one parse. `name` and `crs` hold the texts of the current field. */
typedef struct lam_message_parser {
    lam_lexer lexer;
    lam_schema_builder *builder;
    lam_buffer name;
    lam_buffer crs;
    size_t depth;      /* of the group that is open; 0 for the root */
    bool bare;         /* no message is around the fields */
    size_t message_at; /* offset of the message's name */
} lam_message_parser;

/* One field up to the brace or the semicolon. */
typedef struct lam_message_field {
    lam_repetition repetition;
    const lam_message_type *type;
    lam_field_options options;
    size_t name_at; /* offset of its name, which errors point to */
} lam_message_field;

/*
 * Adds the position in the text to a failure of the builder. NOMEM has none: it concerns no text.
 */
static lam_status message_located(const lam_message_parser *parser, size_t offset,
                                  lam_status status, lam_error *error) {
    if (status != LAM_STATUS_OK && status != LAM_STATUS_NOMEM)
        lam_lexer_locate(&parser->lexer, offset, error);
    return status;
}

/* True at one of the three words that begin a field. */
static bool at_repetition(const lam_lexer *lexer, lam_repetition *ret_repetition) {
    for (int i = 0; i < 3; i++) {
        if (lam_lexer_at_word(lexer, repetitions[i])) {
            *ret_repetition = (lam_repetition)i;
            return true;
        }
    }
    return false;
}

/* A word of the table, and for FIXED_LEN_BYTE_ARRAY its length in parentheses. */
static lam_status parse_type(lam_message_parser *parser, lam_message_field *field,
                             lam_error *error) {
    lam_lexer *lexer = &parser->lexer;
    field->type = NULL;
    for (size_t i = 0; i < sizeof types / sizeof types[0] && field->type == NULL; i++)
        if (lam_lexer_at_word(lexer, types[i].word))
            field->type = &types[i];
    if (field->type == NULL)
        return lam_lexer_expected(lexer, error, "a type such as int64, binary or group");
    field->options.logical_type = field->type->logical;
    LAM_TRY(lam_lexer_next(lexer, error));
    if (field->type->physical != LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        return LAM_STATUS_OK;
    LAM_TRY(lam_lexer_pass(lexer, '(', "'(' and a length in bytes", error));
    LAM_TRY(lam_lexer_take_int(lexer, 1, INT32_MAX, "a length in bytes, 1 or more",
                               &field->options.type_length, error));
    LAM_TRY(lam_lexer_next(lexer, error));
    return lam_lexer_pass(lexer, ')', "')' after the length", error);
}

/* A plain word with a bracket: "double a[9]" is a column of lists elsewhere, and no name here. */
static bool at_brackets(const lam_lexer *lexer) {
    const char *word = lexer->text + lexer->start;
    size_t size = lexer->end - lexer->start;
    return lexer->token == LAM_TOKEN_WORD &&
           (memchr(word, '[', size) != NULL || memchr(word, ']', size) != NULL);
}

/* Takes any word as the name: "required int64 required;" is a field `required`. */
static lam_status parse_name(lam_message_parser *parser, const char *what, lam_error *error) {
    if (!lam_lexer_at_text(&parser->lexer))
        return lam_lexer_expected(&parser->lexer, error, "%s", what);
    if (at_brackets(&parser->lexer))
        return lam_lexer_expected(&parser->lexer, error,
                                  "%s, in quotation marks where it has [ or ] (a list is group a "
                                  "(LIST) { repeated group list { required double element; } })",
                                  what);
    LAM_TRY(lam_lexer_take_text(&parser->lexer, &parser->name, error));
    return lam_lexer_next(&parser->lexer, error);
}

/* The current name, for a message; the buffer's size includes the NUL. */
static lam_shown shown_name(const lam_message_parser *parser) {
    return lam_show((const char *)parser->name.data, parser->name.size - 1);
}

/*
 * A logical type in parentheses. If the type's word already names one, both must be equal: "uint8 x
 * (INTEGER(8,false))" repeats it, "uint8 x (DATE)" contradicts it.
 */
static lam_status parse_annotation(lam_message_parser *parser, lam_message_field *field,
                                   lam_error *error) {
    lam_lexer *lexer = &parser->lexer;
    LAM_TRY(lam_lexer_next(lexer, error));
    lam_logical_type said;
    LAM_TRY(lam_annotation_parse(lexer, &parser->crs, &said, error));
    if (field->type->logical.kind != LAM_LOGICAL_NONE &&
        !lam_logical_type_equals(&said, &field->type->logical)) {
        lam_error_set(error, LAM_STATUS_INVALID, "field '%s': its type %s means %s already",
                      shown_name(parser).text, field->type->word,
                      lam_logical_kind_name(field->type->logical.kind));
        return message_located(parser, field->name_at, LAM_STATUS_INVALID, error);
    }
    field->options.logical_type = said;
    return lam_lexer_pass(lexer, ')', "')' after the logical type", error);
}

/*
 * Annotation and field id, in either order; a second one of a kind is left to the caller, who
 * refuses it.
 */
static lam_status parse_suffixes(lam_message_parser *parser, lam_message_field *field,
                                 lam_error *error) {
    lam_lexer *lexer = &parser->lexer;
    bool annotated = false;
    for (;;) {
        if (lam_lexer_at_mark(lexer, '(') && !annotated) {
            LAM_TRY(parse_annotation(parser, field, error));
            annotated = true;
        } else if (lam_lexer_at_mark(lexer, '=') && !field->options.has_id) {
            LAM_TRY(lam_lexer_next(lexer, error));
            LAM_TRY(lam_lexer_take_int(lexer, INT32_MIN, INT32_MAX, "a field id of 32 bits",
                                       &field->options.id, error));
            LAM_TRY(lam_lexer_next(lexer, error));
            field->options.has_id = true;
        } else {
            return LAM_STATUS_OK;
        }
    }
}

/* Opens a group; its fields follow in the loop of parse_fields. */
static lam_status message_begin_group(lam_message_parser *parser, const lam_message_field *field,
                                      lam_error *error) {
    if (!lam_lexer_at_mark(&parser->lexer, '{'))
        return lam_lexer_expected(&parser->lexer, error, "'{' after group '%s'",
                                  shown_name(parser).text);
    LAM_TRY(message_located(
        parser, field->name_at,
        lam_schema_builder_begin_group(parser->builder, (const char *)parser->name.data,
                                       field->repetition, &field->options, error),
        error));
    parser->depth++;
    return lam_lexer_next(&parser->lexer, error);
}

/* Adds a leaf. Its semicolon may be missing before a brace and at the end of the text. */
static lam_status message_add_leaf(lam_message_parser *parser, const lam_message_field *field,
                                   lam_error *error) {
    lam_lexer *lexer = &parser->lexer;
    bool last = lexer->token == LAM_TOKEN_END || lam_lexer_at_mark(lexer, '}');
    if (!last && !lam_lexer_at_mark(lexer, ';'))
        return lam_lexer_expected(lexer, error, "';' after field '%s'", shown_name(parser).text);
    LAM_TRY(message_located(parser, field->name_at,
                            lam_schema_builder_add_leaf(
                                parser->builder, (const char *)parser->name.data, field->repetition,
                                field->type->physical, &field->options, error),
                            error));
    return last ? LAM_STATUS_OK : lam_lexer_next(lexer, error);
}

/* One field, up to the opening brace of a group or after the semicolon of a leaf. */
static lam_status message_parse_field(lam_message_parser *parser, lam_error *error) {
    lam_lexer *lexer = &parser->lexer;
    lam_message_field field;
    memset(&field, 0, sizeof field);
    if (!at_repetition(lexer, &field.repetition))
        return lam_lexer_expected(lexer, error, "required, optional, repeated or %s",
                                  parser->bare && parser->depth == 0 ? "the end" : "'}'");
    LAM_TRY(lam_lexer_next(lexer, error));
    LAM_TRY(parse_type(parser, &field, error));
    field.name_at = lexer->start;
    LAM_TRY(parse_name(parser, "the name of a field", error));
    LAM_TRY(parse_suffixes(parser, &field, error));
    return field.type->physical == LAM_PHYSICAL_GROUP ? message_begin_group(parser, &field, error)
                                                      : message_add_leaf(parser, &field, error);
}

/* Passes a closing brace and the semicolon that some writers put after it. */
static lam_status pass_brace(lam_lexer *lexer, lam_error *error) {
    LAM_TRY(lam_lexer_next(lexer, error));
    return lam_lexer_at_mark(lexer, ';') ? lam_lexer_next(lexer, error) : LAM_STATUS_OK;
}

/*
 * All fields, and the brace that ends the message. `depth` counts open groups: at 0 a brace ends
 * the message, or is out of place if there is no message around the fields; only then the end of
 * the text is right.
 */
static lam_status parse_fields(lam_message_parser *parser, lam_error *error) {
    lam_lexer *lexer = &parser->lexer;
    for (;;) {
        if (parser->depth == 0 && parser->bare && lexer->token == LAM_TOKEN_END)
            return LAM_STATUS_OK;
        if (parser->depth == 0 && !parser->bare && lam_lexer_at_mark(lexer, '}'))
            return pass_brace(lexer, error);
        if (parser->depth > 0 && lam_lexer_at_mark(lexer, '}')) {
            LAM_TRY(message_located(parser, lexer->start,
                                    lam_schema_builder_end_group(parser->builder, error), error));
            parser->depth--;
            LAM_TRY(pass_brace(lexer, error));
        } else {
            LAM_TRY(message_parse_field(parser, error));
        }
    }
}

/* The beginning: "message" and its name, or nothing before the first field. */
static lam_status parse_head(lam_message_parser *parser, const lam_allocator *allocator,
                             lam_error *error) {
    lam_lexer *lexer = &parser->lexer;
    lam_repetition repetition;
    parser->bare = at_repetition(lexer, &repetition);
    if (parser->bare)
        return lam_schema_builder_create("schema", allocator, &parser->builder, error);
    if (!lam_lexer_at_word(lexer, "message"))
        return lam_lexer_expected(lexer, error, "message, or a field");
    LAM_TRY(lam_lexer_next(lexer, error));
    parser->message_at = lexer->start;
    LAM_TRY(parse_name(parser, "the name of the message", error));
    if (!lam_lexer_at_mark(lexer, '{'))
        return lam_lexer_expected(lexer, error, "'{' after message '%s'", shown_name(parser).text);
    LAM_TRY(lam_schema_builder_create((const char *)parser->name.data, allocator, &parser->builder,
                                      error));
    return lam_lexer_next(lexer, error);
}

/* The entire text. A failure of `finish` concerns the message, so it points to its name. */
static lam_status parse_message(lam_message_parser *parser, const char *text, size_t size,
                                lam_schema **ret_schema, lam_error *error) {
    LAM_TRY(lam_lexer_init(&parser->lexer, text, size, error));
    LAM_TRY(parse_head(parser, &parser->name.allocator, error));
    LAM_TRY(parse_fields(parser, error));
    if (parser->lexer.token != LAM_TOKEN_END)
        return lam_lexer_expected(&parser->lexer, error, "the end of the text after the message");
    return message_located(parser, parser->message_at,
                           lam_schema_builder_finish(parser->builder, ret_schema, error), error);
}

/* The builder gives its memory back on success, too: the schema has its own. */
lam_status lam_schema_parse(const char *text, size_t size, const lam_allocator *allocator,
                            lam_schema **ret_schema, lam_error *error) {
    lam_allocator memory_of = allocator != NULL ? *allocator : lam_allocator_default();
    lam_message_parser parser;
    if (text == NULL && size > 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no text of a schema (NULL)");
    memset(&parser, 0, sizeof parser);
    lam_buffer_init(&parser.name, &memory_of);
    lam_buffer_init(&parser.crs, &memory_of);
    lam_status status = parse_message(&parser, text, size, ret_schema, error);
    lam_buffer_finish(&parser.name);
    lam_buffer_finish(&parser.crs);
    lam_schema_builder_destroy(parser.builder);
    return status;
}
