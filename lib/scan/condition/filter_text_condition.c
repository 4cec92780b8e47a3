/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads one condition of a filter's text and adds it to the builder. The field comes first, as
 * every value is read by its type; VALUE op FIELD remembers the value's token.
 *
 *     FIELD op VALUE            a test of the leaf, or of the path of a VARIANT
 *     FIELD op FIELD            a test of both leaves
 *     FIELD between A and B     one test, or two joined if A or B is a field
 *     FIELD like 'a%'           a test by a pattern
 *
 * A condition on one field is always one test, so that a map's key can restrict it.
 */
#include <string.h>

#include "base/error.h"
#include "scan/condition/filter_literal_text.h"
#include "scan/condition/filter_parser.h"
#include "scan/condition/filter_peer.h"

/* A condition on its way. */
typedef struct text_condition {
    lam_filter_operand operand;
    const lam_field *leaf; /* NULL for a path of a VARIANT */
} text_condition;

/* --- Values -------------------------------------------------------------------------------- */

/*
 * Takes the value at `token`, which may be after the current one, and appends it to `values`: as it
 * was found among the values of the leaf, or as all classes of literals for a path of a VARIANT.
 */
static lam_status text_take_value(lam_filter_parser *parser, const text_condition *condition,
                                  const lam_filter_lexer *token, lam_error *error) {
    lam_arena *arena = &parser->builder->arena;
    const lam_field *leaf = condition->leaf;
    lam_literal literal;
    lam_leaf_literal found;
    LAM_TRY(lam_literal_read(token, arena, &literal, error));
    if (leaf == NULL && literal.kind == LAM_LITERAL_NO_CLASS)
        return lam_filter_lexer_expected(token, "a value", error);
    if (leaf == NULL)
        return lam_literal_read_classes(&literal, arena, &parser->values, error);
    LAM_TRY(lam_parser_located(parser, lam_literal_to_leaf(&literal, leaf, arena, &found, error),
                               condition->operand.path.offset, error));
    const char *expected = lam_literal_expected(&literal, leaf, &found);
    return expected != NULL ? lam_filter_lexer_expected(token, expected, error)
                            : lam_buffer_append(&parser->values, &found, sizeof found, error);
}

/* Copies literals to the builder's arena, as the filter keeps them. */
static lam_status text_keep_literals(lam_filter_parser *parser, lam_literal **ret_literals,
                                     lam_error *error) {
    void *memory;
    LAM_TRY(lam_arena_alloc(&parser->builder->arena, parser->values.size, &memory, error));
    memcpy(memory, parser->values.data, parser->values.size);
    *ret_literals = memory;
    return LAM_STATUS_OK;
}

/* Compares the field with all `values`. */
static lam_status text_compare_values(lam_filter_parser *parser, const text_condition *condition,
                                      lam_filter_operator operation, lam_error *error) {
    const lam_filter_operand *operand = &condition->operand;
    const lam_buffer *values = &parser->values;
    lam_literal *literals;
    if (condition->leaf != NULL)
        return lam_parser_located(parser,
                                  lam_filter_builder_compare_leaf(
                                      parser->builder, condition->leaf, lam_test_kind_of(operation),
                                      (const lam_leaf_literal *)(const void *)values->data,
                                      values->size / sizeof(lam_leaf_literal), error),
                                  operand->path.offset, error);
    LAM_TRY(text_keep_literals(parser, &literals, error));
    return lam_parser_located(
        parser,
        lam_filter_builder_compare_path(parser->builder, &operand->target, operation, literals,
                                        values->size / sizeof *literals, error),
        operand->path.offset, error);
}

static lam_status text_compare_value(lam_filter_parser *parser, const text_condition *condition,
                                     const lam_filter_lexer *token, lam_filter_operator operation,
                                     lam_error *error) {
    lam_buffer_clear(&parser->values);
    LAM_TRY(text_take_value(parser, condition, token, error));
    return text_compare_values(parser, condition, operation, error);
}

/* --- Fields -------------------------------------------------------------------------------- */

/* Takes another field, to compare with: a leaf that neither a VARIANT nor a key is around. */
static lam_status text_take_other(lam_filter_parser *parser, const text_condition *condition,
                                  const lam_field **ret_leaf, lam_error *error) {
    lam_filter_operand other;
    LAM_TRY(lam_parser_take_operand(parser, &other, error));
    if (condition->operand.target.variant != NULL || condition->operand.key != NULL ||
        other.target.variant != NULL || other.key != NULL) {
        lam_error_set(error, LAM_ERROR_CODE_FILTER_SYNTAX,
                      "values inside VARIANTs, and those of a map's key, compare with literals "
                      "only");
        lam_error_at_character(parser->lexer.text, other.path.offset, error);
        return LAM_STATUS_INVALID;
    }
    return lam_parser_leaf_of(parser, &other, ret_leaf, error);
}

static lam_status text_compare_leaf(lam_filter_parser *parser, const text_condition *condition,
                                    lam_filter_operator operation, const lam_field *other,
                                    lam_error *error) {
    return lam_parser_located(parser,
                              lam_filter_builder_compare_leaves(parser->builder, condition->leaf,
                                                                lam_test_kind_of(operation), other,
                                                                error),
                              condition->operand.path.offset, error);
}

/* --- Comparisons --------------------------------------------------------------------------- */

static bool text_find_operator(const lam_filter_parser *parser,
                               lam_filter_operator *ret_operation) {
    static const struct {
        const char *mark;
        lam_filter_operator operation;
    } marks[] = {{"=", LAM_FILTER_EQUAL},      {"==", LAM_FILTER_EQUAL},
                 {"!=", LAM_FILTER_NOT_EQUAL}, {"<>", LAM_FILTER_NOT_EQUAL},
                 {"<", LAM_FILTER_LESS},       {"<=", LAM_FILTER_LESS_OR_EQUAL},
                 {">", LAM_FILTER_GREATER},    {">=", LAM_FILTER_GREATER_OR_EQUAL}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (lam_parser_at_mark(parser, marks[i].mark)) {
            *ret_operation = marks[i].operation;
            return true;
        }
    return false;
}

/* Mirrors an operator: 3 < x is x > 3. */
static lam_filter_operator text_turned(lam_filter_operator operation) {
    switch (operation) {
    case LAM_FILTER_LESS:
        return LAM_FILTER_GREATER;
    case LAM_FILTER_LESS_OR_EQUAL:
        return LAM_FILTER_GREATER_OR_EQUAL;
    case LAM_FILTER_GREATER:
        return LAM_FILTER_LESS;
    case LAM_FILTER_GREATER_OR_EQUAL:
        return LAM_FILTER_LESS_OR_EQUAL;
    default:
        return operation;
    }
}

/* The operator has been passed; a value or a field follows. */
static lam_status text_take_comparison(lam_filter_parser *parser, const text_condition *condition,
                                       lam_filter_operator operation, lam_error *error) {
    const lam_field *other;
    if (lam_parser_at_name(parser)) {
        LAM_TRY(text_take_other(parser, condition, &other, error));
        return text_compare_leaf(parser, condition, operation, other, error);
    }
    LAM_TRY(text_compare_value(parser, condition, &parser->lexer, operation, error));
    return lam_parser_next(parser, error);
}

/* --- Nulls --------------------------------------------------------------------------------- */

static lam_status text_ask(lam_filter_parser *parser, const lam_filter_operand *operand,
                           bool is_missing, bool is_not, lam_error *error) {
    if (operand->target.variant != NULL)
        return lam_filter_builder_ask_path(parser->builder, &operand->target, is_missing, is_not,
                                           error);
    return lam_filter_builder_ask_null(parser->builder, operand->field, !is_not, error);
}

/* The current token is IS. MISSING has a meaning for paths of VARIANTs only. */
static lam_status text_take_is(lam_filter_parser *parser, const lam_filter_operand *operand,
                               lam_error *error) {
    LAM_TRY(lam_parser_next(parser, error));
    bool is_not = lam_parser_at_keyword(parser, "not");
    if (is_not)
        LAM_TRY(lam_parser_next(parser, error));
    bool is_missing = operand->target.variant != NULL && lam_parser_at_keyword(parser, "missing");
    if (!is_missing && !lam_parser_at_keyword(parser, "null"))
        return lam_parser_expected(parser,
                                   operand->target.variant != NULL ? "null or missing"
                                   : is_not                        ? "null"
                                                                   : "null or not null",
                                   error);
    LAM_TRY(lam_parser_next(parser, error));
    return lam_parser_located(parser, text_ask(parser, operand, is_missing, is_not, error),
                              operand->path.offset, error);
}

/* --- Lists and ranges ---------------------------------------------------------------------- */

/* The current token is IN. A list has at least one value. */
static lam_status text_take_in(lam_filter_parser *parser, const text_condition *condition,
                               lam_error *error) {
    lam_buffer_clear(&parser->values);
    LAM_TRY(lam_parser_next(parser, error));
    if (!lam_parser_at_mark(parser, "("))
        return lam_parser_expected(parser, "( and values", error);
    do {
        LAM_TRY(lam_parser_next(parser, error));
        LAM_TRY(text_take_value(parser, condition, &parser->lexer, error));
        LAM_TRY(lam_parser_next(parser, error));
    } while (lam_parser_at_mark(parser, ","));
    if (!lam_parser_at_mark(parser, ")"))
        return lam_parser_expected(parser, ", or )", error);
    LAM_TRY(lam_parser_next(parser, error));
    return text_compare_values(parser, condition, LAM_FILTER_EQUAL, error);
}

/*
 * Takes an end of a range: a field, or a value, which is appended to `values`. `*ret_other` is NULL
 * for a value.
 */
static lam_status text_take_end(lam_filter_parser *parser, const text_condition *condition,
                                const lam_field **ret_other, lam_error *error) {
    *ret_other = NULL;
    if (lam_parser_at_name(parser))
        return text_take_other(parser, condition, ret_other, error);
    LAM_TRY(text_take_value(parser, condition, &parser->lexer, error));
    return lam_parser_next(parser, error);
}

/* A range between two values; the first `low_size` bytes of `values` are those of the lower end. */
static lam_status text_build_range(lam_filter_parser *parser, const text_condition *condition,
                                   size_t low_size, lam_error *error) {
    const lam_filter_operand *operand = &condition->operand;
    size_t lows = low_size / sizeof(lam_literal);
    lam_literal *literals;
    if (condition->leaf != NULL)
        return lam_parser_located(parser,
                                  lam_filter_builder_compare_leaf(
                                      parser->builder, condition->leaf, LAM_TEST_BETWEEN,
                                      (const lam_leaf_literal *)(const void *)parser->values.data,
                                      2, error),
                                  operand->path.offset, error);
    LAM_TRY(text_keep_literals(parser, &literals, error));
    return lam_parser_located(
        parser,
        lam_filter_builder_range_path(parser->builder, &operand->target, literals, lows,
                                      literals + lows,
                                      parser->values.size / sizeof *literals - lows, error),
        operand->path.offset, error);
}

/* An end of a range that a field has at one or both: a comparison of its own. */
static lam_status text_build_end(lam_filter_parser *parser, const text_condition *condition,
                                 lam_filter_operator operation, const lam_field *other,
                                 lam_error *error) {
    return other != NULL ? text_compare_leaf(parser, condition, operation, other, error)
                         : text_compare_values(parser, condition, operation, error);
}

/* The current token is BETWEEN; the keyword AND is taken here and is no operator. */
static lam_status text_take_between(lam_filter_parser *parser, const text_condition *condition,
                                    lam_error *error) {
    const lam_field *low, *high;
    lam_buffer_clear(&parser->values);
    LAM_TRY(lam_parser_next(parser, error));
    LAM_TRY(text_take_end(parser, condition, &low, error));
    size_t low_size = parser->values.size;
    if (!lam_parser_at_keyword(parser, "and"))
        return lam_parser_expected(parser, "and", error);
    LAM_TRY(lam_parser_next(parser, error));
    LAM_TRY(text_take_end(parser, condition, &high, error));
    if (low == NULL && high == NULL)
        return text_build_range(parser, condition, low_size, error);
    LAM_TRY(text_build_end(parser, condition, LAM_FILTER_GREATER_OR_EQUAL, low, error));
    LAM_TRY(text_build_end(parser, condition, LAM_FILTER_LESS_OR_EQUAL, high, error));
    return lam_filter_builder_and(parser->builder, error);
}

/* --- Texts --------------------------------------------------------------------------------- */

/* Takes a text, or bytes in hexadecimal digits; `*ret_offset` is its beginning. */
static lam_status text_take_text(lam_filter_parser *parser, lam_bytes *ret_text, size_t *ret_offset,
                                 lam_error *error) {
    lam_literal literal;
    if (parser->lexer.token != LAM_FILTER_TOKEN_TEXT && parser->lexer.token != LAM_FILTER_TOKEN_HEX)
        return lam_parser_expected(parser, "a text such as 'abc'", error);
    *ret_offset = parser->lexer.start;
    LAM_TRY(lam_literal_read(&parser->lexer, &parser->builder->arena, &literal, error));
    *ret_text = literal.bytes;
    return lam_parser_next(parser, error);
}

static lam_status text_build_pattern(lam_filter_parser *parser, const text_condition *condition,
                                     const lam_filter_pattern *pattern, lam_error *error) {
    const lam_filter_operand *operand = &condition->operand;
    lam_status status =
        condition->leaf != NULL
            ? lam_filter_builder_match_leaf(parser->builder, condition->leaf, pattern, error)
            : lam_filter_builder_match_path(parser->builder, &operand->target, pattern, error);
    return lam_parser_located(parser, status, operand->path.offset, error);
}

static lam_status text_new_pattern(lam_filter_parser *parser, lam_filter_pattern **ret_pattern,
                                   lam_error *error) {
    LAM_TRY(LAM_ARENA_NEW(&parser->builder->arena, ret_pattern, error));
    return LAM_STATUS_OK;
}

/* The current token is LIKE or ILIKE. */
static lam_status text_take_like(lam_filter_parser *parser, const text_condition *condition,
                                 lam_error *error) {
    bool ignores_case = lam_parser_at_keyword(parser, "ilike");
    lam_bytes text, escape = {(const uint8_t *)"", 0};
    lam_filter_pattern *pattern;
    size_t offset = 0, escape_offset = 0;
    LAM_TRY(text_new_pattern(parser, &pattern, error));
    LAM_TRY(lam_parser_next(parser, error));
    LAM_TRY(text_take_text(parser, &text, &offset, error));
    if (lam_parser_at_keyword(parser, "escape")) {
        LAM_TRY(lam_parser_next(parser, error));
        LAM_TRY(text_take_text(parser, &escape, &escape_offset, error));
    }
    LAM_TRY(lam_parser_located(
        parser,
        lam_pattern_read(text, escape, ignores_case, &parser->builder->arena, pattern, error),
        offset, error));
    return text_build_pattern(parser, condition, pattern, error);
}

static lam_status text_restrict(lam_filter_parser *parser, const lam_filter_operand *operand,
                                lam_error *error) {
    return operand->key == NULL
               ? LAM_STATUS_OK
               : lam_filter_builder_for_plain_key(parser->builder, operand->key_plain, error);
}

/* Takes starts_with(FIELD, TEXT); the name is the current token, and a parenthesis follows it. */
static lam_status text_take_starts_with(lam_filter_parser *parser, lam_error *error) {
    text_condition condition;
    lam_filter_pattern *pattern;
    lam_bytes prefix;
    size_t offset;
    LAM_TRY(text_new_pattern(parser, &pattern, error));
    /* unreachable: the parenthesis after the name has been lexed before */
    LAM_TRY(lam_parser_next(parser, error));
    LAM_TRY(lam_parser_next(parser, error));
    LAM_TRY(lam_parser_take_operand(parser, &condition.operand, error));
    LAM_TRY(lam_parser_leaf_of(parser, &condition.operand, &condition.leaf, error));
    if (!lam_parser_at_mark(parser, ","))
        return lam_parser_expected(parser, ", and a text", error);
    LAM_TRY(lam_parser_next(parser, error));
    LAM_TRY(text_take_text(parser, &prefix, &offset, error));
    if (!lam_parser_at_mark(parser, ")"))
        return lam_parser_expected(parser, ")", error);
    LAM_TRY(lam_parser_next(parser, error));
    LAM_TRY(lam_pattern_of_prefix(prefix, &parser->builder->arena, pattern, error));
    LAM_TRY(text_build_pattern(parser, &condition, pattern, error));
    return text_restrict(parser, &condition.operand, error);
}

static bool text_at_starts_with(const lam_filter_parser *parser) {
    lam_filter_lexer behind = parser->lexer;
    return lam_parser_at_keyword(parser, "starts_with") &&
           lam_filter_lexer_next(&behind, NULL) == LAM_STATUS_OK &&
           lam_filter_lexer_at_mark(&behind, "(");
}

/* --- Fields alone -------------------------------------------------------------------------- */

static lam_status text_keep_scalar(lam_filter_parser *parser, const lam_variant_scalar *scalar,
                                   lam_literal **ret_literal, lam_error *error) {
    lam_arena *arena = &parser->builder->arena;
    LAM_TRY(LAM_ARENA_NEW(arena, ret_literal, error));
    return lam_literal_of_scalar(scalar, arena, *ret_literal, error);
}

/*
 * A path of a VARIANT alone is true if it leads to the boolean true. Checks the next token first,
 * for a better error than one about types.
 */
static lam_status text_take_path_alone(lam_filter_parser *parser, const lam_filter_operand *operand,
                                       lam_error *error) {
    const lam_variant_scalar truth = {LAM_VARIANT_BOOLEAN, {.boolean = true}};
    lam_literal *literal;
    if (parser->lexer.token != LAM_FILTER_TOKEN_END && !lam_parser_at_mark(parser, ")") &&
        !lam_parser_at_keyword(parser, "and") && !lam_parser_at_keyword(parser, "or"))
        return lam_parser_expected(parser, "an operator", error);
    LAM_TRY(text_keep_scalar(parser, &truth, &literal, error));
    lam_status status = lam_filter_builder_compare_path(parser->builder, &operand->target,
                                                        LAM_FILTER_EQUAL, literal, 1, error);
    return lam_parser_located(parser, status, operand->path.offset, error);
}

static lam_status text_take_alone(lam_filter_parser *parser, const text_condition *condition,
                                  lam_error *error) {
    static const uint8_t truth[] = {1};
    static const lam_leaf_literal literal = {{truth, sizeof truth}, LAM_LITERAL_EXACT};
    const lam_filter_operand *operand = &condition->operand;
    if (condition->leaf == NULL)
        return text_take_path_alone(parser, operand, error);
    if (condition->leaf->physical_type != LAM_PHYSICAL_BOOLEAN)
        return lam_parser_expected(parser, "an operator", error);
    return lam_parser_located(parser,
                              lam_filter_builder_compare_leaf(parser->builder, condition->leaf,
                                                              LAM_TEST_IN, &literal, 1, error),
                              operand->path.offset, error);
}

/* --- All of it ----------------------------------------------------------------------------- */

/* [NOT] IN, BETWEEN, LIKE and ILIKE; the key of a map restricts them before NOT turns them. */
static lam_status text_take_words(lam_filter_parser *parser, const text_condition *condition,
                                  lam_error *error) {
    bool is_not = lam_parser_at_keyword(parser, "not");
    if (is_not)
        LAM_TRY(lam_parser_next(parser, error));
    if (lam_parser_at_keyword(parser, "in"))
        LAM_TRY(text_take_in(parser, condition, error));
    else if (lam_parser_at_keyword(parser, "between"))
        LAM_TRY(text_take_between(parser, condition, error));
    else if (lam_parser_at_keyword(parser, "like") || lam_parser_at_keyword(parser, "ilike"))
        LAM_TRY(text_take_like(parser, condition, error));
    else if (is_not)
        return lam_parser_expected(parser, "in, between, like or ilike", error);
    else
        LAM_TRY(text_take_alone(parser, condition, error));
    LAM_TRY(text_restrict(parser, &condition->operand, error));
    return is_not ? lam_filter_builder_not(parser->builder, error) : LAM_STATUS_OK;
}

/* IS comes first, since it applies to groups, too; all others compare and need a leaf. */
lam_status lam_parser_take_condition(lam_filter_parser *parser, lam_error *error) {
    text_condition condition;
    lam_filter_operator operation;
    if (text_at_starts_with(parser))
        return text_take_starts_with(parser, error);
    LAM_TRY(lam_parser_take_operand(parser, &condition.operand, error));
    if (lam_parser_at_keyword(parser, "is")) {
        LAM_TRY(text_take_is(parser, &condition.operand, error));
        return text_restrict(parser, &condition.operand, error);
    }
    LAM_TRY(lam_parser_leaf_of(parser, &condition.operand, &condition.leaf, error));
    if (!text_find_operator(parser, &operation))
        return text_take_words(parser, &condition, error);
    LAM_TRY(lam_parser_next(parser, error));
    LAM_TRY(text_take_comparison(parser, &condition, operation, error));
    return text_restrict(parser, &condition.operand, error);
}

/* Takes VALUE op FIELD. A copy of the lexer keeps the value's token until the field is known. */
lam_status lam_parser_take_value_first(lam_filter_parser *parser, lam_error *error) {
    lam_filter_lexer literal = parser->lexer;
    text_condition condition;
    lam_filter_operator operation;
    LAM_TRY(lam_parser_next(parser, error));
    if (!text_find_operator(parser, &operation))
        return lam_parser_expected(parser, "an operator", error);
    LAM_TRY(lam_parser_next(parser, error));
    LAM_TRY(lam_parser_take_operand(parser, &condition.operand, error));
    LAM_TRY(lam_parser_leaf_of(parser, &condition.operand, &condition.leaf, error));
    LAM_TRY(text_compare_value(parser, &condition, &literal, text_turned(operation), error));
    return text_restrict(parser, &condition.operand, error);
}
