/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a field of a filter's text: names with dots between them, [] after a list, a key after a
 * map. Takes a path in the grammar of schema/path_text.h, and gives a field of the schema, or a
 * VARIANT and the steps after it.
 *
 *     tags[]            tags.list.element                    the fields that the file has
 *     items[].price     items.list.element.price
 *     m['x'], m.x       m.key_value.value, and the key 'x'
 *     event.a[].b       the VARIANT event, and the steps a, [] and b
 *     event['a.b']      the VARIANT event, and the step a.b
 *
 * A path is always resolved once, all of it, and the test is built from the resulting field.
 * (LogicalTypes.md, "Lists", "Maps")
 */
#include <string.h>

#include "base/error.h"
#include "scan/condition/filter_literal_text.h"
#include "scan/condition/filter_parser.h"
#include "scan/condition/filter_peer.h"
#include "schema/nesting.h"
#include "schema/path_find.h"

/* MISSING is not a keyword: it has a meaning only after IS. Neither are names of functions. */
bool lam_parser_at_name(const lam_filter_parser *parser) {
    const lam_filter_lexer *lexer = &parser->lexer;
    return lexer->token == LAM_FILTER_TOKEN_QUOTED ||
           (lexer->token == LAM_FILTER_TOKEN_WORD &&
            !lam_path_is_keyword(lexer->text + lexer->start, lexer->end - lexer->start));
}

/* --- The text ------------------------------------------------------------------------------ */

/* Moves to the token at a position. */
static lam_status text_field_go_to(lam_filter_lexer *lexer, size_t position, lam_error *error) {
    lexer->end = position;
    return lam_filter_lexer_next(lexer, error);
}

/* Passes over a key, whose [ has been passed: one token, whatever it is, and the ]. */
static lam_status text_field_skip_key(lam_filter_parser *parser, lam_path_reader *reader,
                                      lam_error *error) {
    LAM_TRY(text_field_go_to(&parser->lexer, reader->at, error));
    LAM_TRY(lam_parser_next(parser, error));
    if (!lam_parser_at_mark(parser, "]"))
        return lam_parser_expected(parser, "]", error);
    reader->at = parser->lexer.end;
    return LAM_STATUS_OK;
}

/*
 * Takes the words of a path, the first of which is the current token, and moves to the token after
 * them.
 */
static lam_status text_field_take_words(lam_filter_parser *parser, lam_path *ret_path,
                                        lam_error *error) {
    const lam_filter_lexer *lexer = &parser->lexer;
    size_t begin = lexer->start, count = 0;
    lam_path_reader reader =
        lam_path_reader_start(lexer->text, lexer->size, begin, LAM_PATH_IN_CONDITION);
    lam_path_word word;
    void *memory;
    bool more = true;
    lam_buffer_clear(&parser->words);
    for (;; count++) {
        LAM_TRY(lam_path_reader_next(&reader, &word, &more, error));
        if (!more)
            break;
        if (count == LAM_PATH_WORDS_MAX)
            LAM_FAIL(error, LAM_ERROR_CODE_FILTER_LIMIT, "a path of more than %d names",
                     LAM_PATH_WORDS_MAX);
        if (word.kind == LAM_PATH_KEY)
            LAM_TRY(text_field_skip_key(parser, &reader, error));
        LAM_TRY(lam_buffer_append(&parser->words, &word, sizeof word, error));
    }
    LAM_TRY(text_field_go_to(&parser->lexer, reader.at, error));
    if (reader.needs_name)
        return lam_parser_expected(parser, "a field", error);
    LAM_TRY(lam_arena_array(&parser->builder->arena, count, sizeof word, &memory, error));
    memcpy(memory, parser->words.data, parser->words.size);
    size_t end = reader.at;
    while (end > begin && strchr(" \t\r\n", lexer->text[end - 1]) != NULL)
        end--;
    *ret_path =
        (lam_path){memory, count, {(const uint8_t *)lexer->text + begin, end - begin}, begin};
    return LAM_STATUS_OK;
}

/* --- Keys ---------------------------------------------------------------------------------- */

/* Reads the key that a word is: between its brackets, or for m.x the text 'x'. */
static lam_status text_field_read_key(const lam_filter_parser *parser, const lam_path_word *word,
                                      lam_filter_lexer *ret_token, lam_literal *ret_literal,
                                      lam_error *error) {
    lam_arena *arena = &parser->builder->arena;
    size_t position = (size_t)(word->text - parser->lexer.text);
    *ret_token = parser->lexer;
    if (word->kind == LAM_PATH_KEY) {
        LAM_TRY(text_field_go_to(ret_token, position + 1, error));
        return lam_literal_read(ret_token, arena, ret_literal, error);
    }
    LAM_TRY(text_field_go_to(ret_token, position - word->is_quoted, error));
    memset(ret_literal, 0, sizeof *ret_literal);
    ret_literal->kind = LAM_LITERAL_STRING;
    return lam_path_word_copy(word, arena, &ret_literal->bytes, error);
}

/* Sets the key of a map, which a word of the path is. */
static lam_status text_field_set_key(const lam_filter_parser *parser, const lam_path_match *match,
                                     lam_filter_operand *operand, lam_error *error) {
    const lam_field *key = lam_child_at(lam_child_at(match->map, 0), 0);
    lam_filter_lexer token;
    lam_literal literal;
    lam_leaf_literal found;
    LAM_TRY(text_field_read_key(parser, &operand->path.words[match->key], &token, &literal, error));
    if (match->key_count > 1)
        return lam_filter_lexer_expected(&token, "an operator: one key of one map can be given",
                                         error);
    LAM_TRY(lam_parser_located(
        parser, lam_literal_to_leaf(&literal, key, &parser->builder->arena, &found, error),
        token.start, error));
    const char *expected = lam_literal_expected(&literal, key, &found);
    if (expected == NULL && found.position != LAM_LITERAL_EXACT)
        expected = "a key that the map can have";
    if (expected != NULL)
        return lam_filter_lexer_expected(&token, expected, error);
    operand->key = key;
    operand->key_plain = found.plain;
    return LAM_STATUS_OK;
}

/* --- VARIANTs ------------------------------------------------------------------------------ */

/* Turns the key after a VARIANT into a name of its values. */
static lam_status text_field_key_step(const lam_filter_parser *parser, const lam_path_word *word,
                                      lam_path_step *step, lam_error *error) {
    lam_filter_lexer token;
    lam_literal literal;
    LAM_TRY(text_field_read_key(parser, word, &token, &literal, error));
    if (literal.kind != LAM_LITERAL_STRING)
        return lam_filter_lexer_expected(&token, "]", error);
    step->elements = false;
    step->name = literal.bytes;
    return LAM_STATUS_OK;
}

/* Makes the steps after a VARIANT, from the remaining words. */
static lam_status text_field_take_steps(const lam_filter_parser *parser,
                                        const lam_path_match *match, lam_filter_operand *operand,
                                        lam_error *error) {
    const lam_path_word *words = operand->path.words + match->used;
    size_t count = operand->path.count - match->used;
    lam_path_step *steps;
    LAM_TRY(lam_parser_located(
        parser, lam_filter_path_steps(words, count, &parser->builder->arena, &steps, error),
        operand->path.offset, error));
    for (size_t i = 0; i < count; i++)
        if (words[i].kind == LAM_PATH_KEY)
            LAM_TRY(text_field_key_step(parser, &words[i], &steps[i], error));
    operand->target = (lam_path_target){match->field, steps, count};
    return LAM_STATUS_OK;
}

/* --- All of it ----------------------------------------------------------------------------- */

/* Reports brackets after a field that they do not suit. */
static lam_status text_field_refuse_brackets(const lam_filter_parser *parser,
                                             const lam_path_word *word, const lam_field *field,
                                             lam_error *error) {
    lam_filter_lexer token = parser->lexer;
    LAM_TRY(text_field_go_to(&token, (size_t)(word->text - parser->lexer.text), error));
    if (!lam_is_map(field) && !lam_is_list(field) && !lam_is_repeated(field))
        return lam_filter_lexer_expected(&token, "an operator", error);
    LAM_TRY(lam_filter_lexer_next(&token, error));
    if (!lam_is_map(field))
        return lam_filter_lexer_expected(&token, "]", error);
    return lam_filter_lexer_expected(
        &token,
        word->kind == LAM_PATH_KEY ? "an operator: the map has no values, or no keys" : "a key",
        error);
}

/*
 * Finds the field of a path. Wrong brackets show at the first of them that lead nowhere, although
 * the words before them do.
 */
static lam_status text_field_find(const lam_filter_parser *parser, const lam_path *path,
                                  lam_path_match *ret_match, lam_error *error) {
    unsigned allowed = LAM_PATH_TO_KEYS | (parser->storage ? 0 : LAM_PATH_INTO_VARIANTS);
    lam_status status = lam_path_find(parser->schema, path, allowed, ret_match, error);
    lam_path before = *path;
    lam_path_match match;
    for (before.count = 1; status == LAM_STATUS_NOT_FOUND && before.count < path->count;
         before.count++) {
        const lam_path_word *word = &path->words[before.count];
        lam_path within = before;
        within.count++;
        if ((word->kind == LAM_PATH_ELEMENTS || word->kind == LAM_PATH_KEY) &&
            lam_path_find(parser->schema, &before, allowed, &match, NULL) == LAM_STATUS_OK &&
            lam_path_find(parser->schema, &within, allowed, &match, NULL) == LAM_STATUS_NOT_FOUND)
            return text_field_refuse_brackets(parser, word, match.field, error);
    }
    return lam_parser_located(parser, status, path->offset, error);
}

lam_status lam_parser_take_operand(lam_filter_parser *parser, lam_filter_operand *ret_operand,
                                   lam_error *error) {
    lam_filter_operand operand = {.field = NULL};
    lam_path_match match;
    if (!lam_parser_at_name(parser))
        return lam_parser_expected(parser, "a field", error);
    LAM_TRY(text_field_take_words(parser, &operand.path, error));
    LAM_TRY(text_field_find(parser, &operand.path, &match, error));
    operand.field = match.field;
    if (!parser->storage && lam_is_variant_group(match.field))
        LAM_TRY(text_field_take_steps(parser, &match, &operand, error));
    if (match.key_count > 0)
        LAM_TRY(text_field_set_key(parser, &match, &operand, error));
    if (operand.target.variant != NULL && operand.key != NULL) {
        lam_error_set(error, LAM_ERROR_CODE_FILTER_SYNTAX,
                      "values of a map that are VARIANTs have no conditions by key");
        lam_error_at_character(parser->lexer.text, operand.path.offset, error);
        return LAM_STATUS_INVALID;
    }
    *ret_operand = operand;
    return LAM_STATUS_OK;
}

lam_status lam_parser_leaf_of(const lam_filter_parser *parser, const lam_filter_operand *operand,
                              const lam_field **ret_leaf, lam_error *error) {
    *ret_leaf = NULL;
    if (operand->target.variant != NULL)
        return LAM_STATUS_OK;
    return lam_parser_located(parser, lam_filter_leaf_of(operand->field, ret_leaf, error),
                              operand->path.offset, error);
}
