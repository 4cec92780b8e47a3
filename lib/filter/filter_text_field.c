/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a field of a filter's text: names with dots between them, [] behind a list, a key behind a
 * map. Tokens come in; a field of the schema goes out, or a VARIANT and the path behind it.
 *
 *     tags[]            tags.list.element                    the names that the file has
 *     items[].price     items.list.element.price
 *     m['x'], m.x       m.key_value.value, and the key 'x'
 *     event.a[].b       the VARIANT event, and the path event.a[].b
 *
 * Invariant: `path` is the dotted path that the schema knows, up to a VARIANT; behind one it is
 * written as in lamella/projection.h. A name may hold dots itself, so that a path is searched as a
 * whole. (LogicalTypes.md, "Lists", "Maps")
 */
#include <string.h>

#include "base/error.h"
#include "filter/filter_literal_text.h"
#include "filter/filter_parser.h"
#include "filter/filter_peer.h"
#include "schema/field_guess.h"
#include "schema/nesting.h"
#include "variant/variant_locate.h"

/* MISSING is not a keyword: it has a meaning behind IS only. Neither are names of functions. */
bool lam_parser_at_name(const lam_filter_parser *parser) {
    static const char *const keywords[] = {"and",  "or",      "not",  "in",    "is",
                                           "null", "between", "true", "false", NULL};
    for (size_t i = 0; keywords[i] != NULL; i++)
        if (lam_parser_at_keyword(parser, keywords[i]))
            return false;
    return parser->lexer.token == LAM_FILTER_TOKEN_WORD ||
           parser->lexer.token == LAM_FILTER_TOKEN_QUOTED;
}

/* Appends the token as it is written. */
static lam_status text_field_append_token(lam_filter_parser *parser, lam_error *error) {
    return lam_buffer_append(&parser->path, parser->lexer.text + parser->lexer.start,
                             parser->lexer.end - parser->lexer.start, error);
}

static lam_status text_field_append_name(lam_filter_parser *parser, lam_error *error) {
    return parser->lexer.token == LAM_FILTER_TOKEN_QUOTED
               ? lam_filter_lexer_append(&parser->lexer, &parser->path, error)
               : text_field_append_token(parser, error);
}

/*
 * Finds the field at the path so far; NULL if there is none. A NUL byte in a name would cut the
 * path short and find another field, hence the comparison of lengths.
 */
static lam_status text_field_find(lam_filter_parser *parser, const lam_field **ret_field,
                                  lam_error *error) {
    LAM_TRY(lam_buffer_append_byte(&parser->path, '\0', error));
    const char *path = (const char *)parser->path.data;
    bool is_whole = strlen(path) + 1 == parser->path.size;
    parser->path.size--;
    *ret_field = is_whole ? lam_schema_find(parser->schema, path) : NULL;
    return LAM_STATUS_OK;
}

/* Finds the field at the path, and stops looking for fields where that is a VARIANT. */
static lam_status text_field_resolve(lam_filter_parser *parser, lam_filter_operand *operand,
                                     lam_error *error) {
    LAM_TRY(text_field_find(parser, &operand->field, error));
    if (!parser->storage && operand->field != NULL && lam_is_variant_group(operand->field))
        operand->variant = operand->field;
    return LAM_STATUS_OK;
}

/* Goes on to a child, by its name. */
static lam_status text_field_descend(lam_filter_parser *parser, const lam_field *child,
                                     lam_error *error) {
    LAM_TRY(lam_buffer_append_byte(&parser->path, '.', error));
    return lam_buffer_append(&parser->path, child->name, child->name_size, error);
}

/* --- Keys ---------------------------------------------------------------------------------- */

/* Sets the key, and goes on to the values of the map. */
static lam_status text_field_set_key(lam_filter_parser *parser, const lam_filter_lexer *token,
                                     const lam_literal *literal, lam_filter_operand *operand,
                                     lam_error *error) {
    const lam_field *entries = lam_child_at(operand->field, 0);
    const lam_field *key = lam_child_at(entries, 0);
    lam_leaf_literal found;
    if (operand->key != NULL)
        return lam_filter_lexer_expected(token, "an operator: one key of one map can be given",
                                         error);
    if (entries->child_count < 2 || !lam_field_is_leaf(key))
        return lam_filter_lexer_expected(token, "an operator: the map has no values, or no keys",
                                         error);
    LAM_TRY(lam_parser_located(
        parser, lam_literal_to_leaf(literal, key, &parser->builder->arena, &found, error),
        token->start, error));
    const char *expected = lam_literal_expected(literal, key, &found);
    if (expected == NULL && found.position != LAM_LITERAL_EXACT)
        expected = "a key that the map can have";
    if (expected != NULL)
        return lam_filter_lexer_expected(token, expected, error);
    operand->key = key;
    operand->key_plain = found.plain;
    LAM_TRY(text_field_descend(parser, entries, error));
    LAM_TRY(text_field_descend(parser, lam_child_at(entries, 1), error));
    return text_field_resolve(parser, operand, error);
}

/* Takes a key between brackets, the first of which is behind. */
static lam_status text_field_take_key(lam_filter_parser *parser, lam_filter_operand *operand,
                                      lam_error *error) {
    lam_filter_lexer token = parser->lexer;
    lam_literal literal;
    LAM_TRY(lam_literal_read(&token, &parser->builder->arena, &literal, error));
    LAM_TRY(text_field_set_key(parser, &token, &literal, operand, error));
    LAM_TRY(lam_parser_next(parser, error));
    return lam_parser_at_mark(parser, "]") ? lam_parser_next(parser, error)
                                           : lam_parser_expected(parser, "]", error);
}

/* Takes a name behind a map as a text key: m.x. The path still ends with the map. */
static lam_status text_field_take_named_key(lam_filter_parser *parser, lam_filter_operand *operand,
                                            lam_error *error) {
    lam_literal literal;
    size_t size = parser->path.size;
    char *copy;
    /* unreachable: the name has been there before, behind a point */
    LAM_TRY(text_field_append_name(parser, error));
    memset(&literal, 0, sizeof literal);
    literal.kind = LAM_LITERAL_STRING;
    literal.bytes.size = parser->path.size - size;
    LAM_TRY(lam_arena_copy(&parser->builder->arena, parser->path.data + size, literal.bytes.size,
                           &copy, error));
    literal.bytes.data = (const uint8_t *)copy;
    parser->path.size = size;
    LAM_TRY(text_field_set_key(parser, &parser->lexer, &literal, operand, error));
    return lam_parser_next(parser, error);
}

/* --- Brackets ------------------------------------------------------------------------------ */

/* Goes on to the elements of a list. A repeated field without a list around it is its elements. */
static lam_status text_field_enter_list(lam_filter_parser *parser, lam_filter_operand *operand,
                                        lam_error *error) {
    const lam_field *list = operand->field;
    if (!lam_is_list(list))
        return LAM_STATUS_OK;
    const lam_field *repeated = lam_child_at(list, 0);
    LAM_TRY(text_field_descend(parser, repeated, error));
    if (lam_list_has_wrapper(list))
        LAM_TRY(text_field_descend(parser, lam_child_at(repeated, 0), error));
    return text_field_resolve(parser, operand, error);
}

/* Whether brackets may follow the field: others leave them, for an error about operators. */
static bool text_field_takes_brackets(const lam_filter_operand *operand) {
    const lam_field *field = operand->field;
    return operand->variant != NULL ||
           (field != NULL && (lam_is_list(field) || lam_is_map(field) || lam_is_repeated(field)));
}

/* Takes [] and [KEY] any number of times. */
static lam_status text_field_take_brackets(lam_filter_parser *parser, lam_filter_operand *operand,
                                           lam_error *error) {
    while (text_field_takes_brackets(operand) && lam_parser_at_mark(parser, "[")) {
        bool is_variant = operand->variant != NULL;
        LAM_TRY(lam_parser_next(parser, error));
        if (!is_variant && lam_is_map(operand->field)) {
            LAM_TRY(text_field_take_key(parser, operand, error));
            continue;
        }
        if (!lam_parser_at_mark(parser, "]"))
            return lam_parser_expected(parser, "]", error);
        LAM_TRY(is_variant ? lam_buffer_append(&parser->path, "[]", 2, error)
                           : text_field_enter_list(parser, operand, error));
        LAM_TRY(lam_parser_next(parser, error));
    }
    return LAM_STATUS_OK;
}

/* --- The whole ----------------------------------------------------------------------------- */

/*
 * Takes a name. Behind a VARIANT, whose values may have fields of any names, it stays between its
 * marks, as paths in lamella/projection.h are written. Behind a map it may be a key.
 */
static lam_status text_field_take_name(lam_filter_parser *parser, lam_filter_operand *operand,
                                       bool is_first, lam_error *error) {
    const lam_field *around = operand->field;
    size_t size = parser->path.size;
    if (!lam_parser_at_name(parser))
        return lam_parser_expected(parser, "a field", error);
    if (!is_first)
        LAM_TRY(lam_buffer_append_byte(&parser->path, '.', error));
    if (operand->variant != NULL) {
        LAM_TRY(text_field_append_token(parser, error));
        return lam_parser_next(parser, error);
    }
    LAM_TRY(text_field_append_name(parser, error));
    LAM_TRY(text_field_resolve(parser, operand, error));
    if (operand->field == NULL && around != NULL && lam_is_map(around)) {
        parser->path.size = size;
        operand->field = around;
        return text_field_take_named_key(parser, operand, error);
    }
    return lam_parser_next(parser, error);
}

/* Reports a path that leads nowhere, and the field that may be meant. */
static lam_status text_field_fail(const lam_filter_parser *parser,
                                  const lam_filter_operand *operand, lam_error *error) {
    char guess[LAM_FIELD_GUESS_ROOM];
    lam_field_guess(parser->schema, operand->path, guess);
    lam_error_set(error, LAM_ERROR_CODE_FIELD_NOT_FOUND, "no field '%.100s'%s", operand->path,
                  guess);
    lam_filter_lexer_locate(&parser->lexer, operand->offset, error);
    return LAM_STATUS_NOT_FOUND;
}

lam_status lam_parser_take_operand(lam_filter_parser *parser, lam_filter_operand *ret_operand,
                                   lam_error *error) {
    lam_filter_operand operand = {.offset = parser->lexer.start};
    char *copy;
    lam_buffer_clear(&parser->path);
    LAM_TRY(text_field_take_name(parser, &operand, true, error));
    LAM_TRY(text_field_take_brackets(parser, &operand, error));
    while (lam_parser_at_mark(parser, ".")) {
        LAM_TRY(lam_parser_next(parser, error));
        LAM_TRY(text_field_take_name(parser, &operand, false, error));
        LAM_TRY(text_field_take_brackets(parser, &operand, error));
    }
    LAM_TRY(lam_arena_copy(&parser->builder->arena, parser->path.data, parser->path.size, &copy,
                           error));
    operand.path = copy;
    if (operand.variant != NULL)
        operand.field = operand.variant;
    if (operand.field == NULL)
        return text_field_fail(parser, &operand, error);
    if (operand.variant != NULL && operand.key != NULL) {
        lam_error_set(error, LAM_ERROR_CODE_FILTER_SYNTAX,
                      "values of a map that are VARIANTs have no conditions by key");
        lam_filter_lexer_locate(&parser->lexer, operand.offset, error);
        return LAM_STATUS_INVALID;
    }
    *ret_operand = operand;
    return LAM_STATUS_OK;
}

lam_status lam_parser_leaf_of(const lam_filter_parser *parser, const lam_filter_operand *operand,
                              const lam_field **ret_leaf, lam_error *error) {
    const lam_field *field = operand->field;
    *ret_leaf = NULL;
    if (operand->variant != NULL)
        return LAM_STATUS_OK;
    if (field->leaf_count != 1) {
        lam_error_set(error, LAM_ERROR_CODE_FILTER_SYNTAX, "field '%.150s' is a group of %u leaves",
                      field->name, (unsigned)field->leaf_count);
        lam_filter_lexer_locate(&parser->lexer, operand->offset, error);
        return LAM_STATUS_INVALID;
    }
    *ret_leaf = lam_leaf_at(field->schema, field->first_leaf);
    return LAM_STATUS_OK;
}
