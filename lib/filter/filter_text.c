/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses a filter's text and builds the filter as it goes: conditions are added to a
 * lam_filter_builder when they are read, and operators wait on a stack until both sides are there.
 * Takes text from anyone; gives a filter, or an error with the column. The stack is on the heap and
 * no function calls itself, so that a million parentheses cost memory only.
 *
 *     a or not b and c        stack             built so far
 *     a or                    or                a
 *     not b                   or not            a b
 *     and                     or and            a b not
 *     c                       or and            a b not c
 *     end                                       a b not c and or
 *
 * Invariant: between tokens the builder holds the conditions that were read, in order. Every value
 * is read by the type of its field, so the field must be known first: VALUE op FIELD remembers the
 * value's token.
 */
#include <lamella/filter_text.h>

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "filter/filter_builder.h"
#include "filter/filter_literal_text.h"
#include "variant/variant_locate.h"

/*
 * An operator that waits for its right side, weakest first. A new operator first builds those on
 * the stack that are as strong or stronger, down to a parenthesis, which only its partner removes.
 */
typedef enum waiting { WAITING_PARENTHESIS, WAITING_OR, WAITING_AND, WAITING_NOT } waiting;

typedef struct filter_parser {
    lam_filter_lexer lexer;
    const lam_schema *schema;
    bool storage; /* columns of VARIANTs are fields of their own */
    lam_filter_builder *builder;
    lam_buffer path;          /* of the current field, NUL-terminated */
    const lam_field *variant; /* that the path leads to, or into; NULL: none */
    lam_buffer values;        /* lam_leaf_literal, or lam_literal for a path of a VARIANT */
    lam_buffer stack;         /* a byte per waiting operator */
} filter_parser;

static lam_status next(filter_parser *parser, lam_error *error) {
    return lam_filter_lexer_next(&parser->lexer, error);
}

static bool at_mark(const filter_parser *parser, const char *mark) {
    return lam_filter_lexer_at_mark(&parser->lexer, mark);
}

static bool at_keyword(const filter_parser *parser, const char *keyword) {
    return lam_filter_lexer_at_keyword(&parser->lexer, keyword);
}

static lam_status filter_expected(const filter_parser *parser, const char *what, lam_error *error) {
    return lam_filter_lexer_expected(&parser->lexer, what, error);
}

/* Adds the column of the field at `offset` to a failure of the builder, which has no positions. */
static lam_status filter_located(lam_status status, size_t offset, lam_error *error) {
    if (status != LAM_STATUS_OK && status != LAM_STATUS_NOMEM)
        lam_filter_lexer_locate(offset, error);
    return status;
}

/* --- Fields -------------------------------------------------------------------------------- */

/*
 * True at a word that may be a field: not at a keyword, unless it is between quotation marks.
 * MISSING is not a keyword: it has a meaning behind IS only.
 */
static bool at_name(const filter_parser *parser) {
    static const char *const keywords[] = {"and",  "or",      "not",  "in",    "is",
                                           "null", "between", "true", "false", NULL};
    for (size_t i = 0; keywords[i] != NULL; i++)
        if (at_keyword(parser, keywords[i]))
            return false;
    return parser->lexer.token == LAM_FILTER_TOKEN_WORD ||
           parser->lexer.token == LAM_FILTER_TOKEN_QUOTED;
}

static lam_status append_name(filter_parser *parser, lam_error *error) {
    if (parser->lexer.token == LAM_FILTER_TOKEN_QUOTED)
        return lam_filter_lexer_append(&parser->lexer, &parser->path, error);
    return lam_buffer_append(&parser->path, parser->lexer.text + parser->lexer.start,
                             parser->lexer.end - parser->lexer.start, error);
}

/*
 * Finds the field at the path so far; NULL if there is none. A NUL byte in a name would cut the
 * path short and find another field, hence the comparison of lengths.
 */
static lam_status filter_text_find_field(filter_parser *parser, const lam_field **ret_field,
                                         lam_error *error) {
    LAM_TRY(lam_buffer_append_byte(&parser->path, '\0', error));
    const char *path = (const char *)parser->path.data;
    bool is_whole = strlen(path) + 1 == parser->path.size;
    parser->path.size--;
    *ret_field = is_whole ? lam_schema_find(parser->schema, path) : NULL;
    return LAM_STATUS_OK;
}

/*
 * Takes a name. Behind a VARIANT, whose values may have fields of any names, it stays between its
 * marks, as paths in lamella/projection.h are written.
 */
static lam_status filter_take_name(filter_parser *parser, lam_error *error) {
    const lam_field *field;
    if (!at_name(parser))
        return filter_expected(parser, "a field", error);
    if (parser->variant != NULL) {
        LAM_TRY(lam_buffer_append(&parser->path, parser->lexer.text + parser->lexer.start,
                                  parser->lexer.end - parser->lexer.start, error));
        return next(parser, error);
    }
    LAM_TRY(append_name(parser, error));
    if (!parser->storage) {
        LAM_TRY(filter_text_find_field(parser, &field, error));
        if (field != NULL && lam_is_variant_group(field))
            parser->variant = field;
    }
    return next(parser, error);
}

/* Takes [] any number of times: the elements of arrays inside of a VARIANT. */
static lam_status take_brackets(filter_parser *parser, lam_error *error) {
    while (parser->variant != NULL && at_mark(parser, "[")) {
        LAM_TRY(next(parser, error));
        if (!at_mark(parser, "]"))
            return filter_expected(parser, "]", error);
        LAM_TRY(lam_buffer_append(&parser->path, "[]", 2, error));
        LAM_TRY(next(parser, error));
    }
    return LAM_STATUS_OK;
}

/*
 * Takes a whole path into `path`, NUL-terminated, and gives its field: the VARIANT for a path that
 * goes on into one. `*ret_offset` is where it begins, for errors.
 */
static lam_status take_field(filter_parser *parser, const lam_field **ret_field, size_t *ret_offset,
                             lam_error *error) {
    size_t offset = parser->lexer.start;
    lam_buffer_clear(&parser->path);
    parser->variant = NULL;
    LAM_TRY(filter_take_name(parser, error));
    LAM_TRY(take_brackets(parser, error));
    while (at_mark(parser, ".")) {
        LAM_TRY(lam_buffer_append_byte(&parser->path, '.', error));
        LAM_TRY(next(parser, error));
        LAM_TRY(filter_take_name(parser, error));
        LAM_TRY(take_brackets(parser, error));
    }
    *ret_field = parser->variant;
    if (parser->variant == NULL)
        LAM_TRY(filter_text_find_field(parser, ret_field, error));
    LAM_TRY(lam_buffer_append_byte(&parser->path, '\0', error));
    if (*ret_field == NULL) {
        lam_error_set(error, LAM_ERROR_CODE_FIELD_NOT_FOUND, "no field '%.150s'",
                      (const char *)parser->path.data);
        lam_filter_lexer_locate(offset, error);
        return LAM_STATUS_NOT_FOUND;
    }
    *ret_offset = offset;
    return LAM_STATUS_OK;
}

/* Finds the leaf that a comparison of the field reads; NULL for a path of a VARIANT. */
static lam_status filter_leaf_of(const filter_parser *parser, const lam_field *field, size_t offset,
                                 const lam_field **ret_leaf, lam_error *error) {
    *ret_leaf = NULL;
    if (parser->variant != NULL)
        return LAM_STATUS_OK;
    if (field->leaf_count != 1) {
        lam_error_set(error, LAM_ERROR_CODE_FILTER_SYNTAX, "field '%.150s' is a group of %u leaves",
                      field->name, (unsigned)field->leaf_count);
        lam_filter_lexer_locate(offset, error);
        return LAM_STATUS_INVALID;
    }
    *ret_leaf = lam_leaf_at(field->schema, field->first_leaf);
    return LAM_STATUS_OK;
}

/* --- Comparisons --------------------------------------------------------------------------- */

static bool find_operator(const filter_parser *parser, lam_filter_operator *ret_operation) {
    static const struct {
        const char *mark;
        lam_filter_operator operation;
    } marks[] = {{"=", LAM_FILTER_EQUAL},      {"==", LAM_FILTER_EQUAL},
                 {"!=", LAM_FILTER_NOT_EQUAL}, {"<>", LAM_FILTER_NOT_EQUAL},
                 {"<", LAM_FILTER_LESS},       {"<=", LAM_FILTER_LESS_OR_EQUAL},
                 {">", LAM_FILTER_GREATER},    {">=", LAM_FILTER_GREATER_OR_EQUAL}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (at_mark(parser, marks[i].mark)) {
            *ret_operation = marks[i].operation;
            return true;
        }
    return false;
}

/* Mirrors an operator: 3 < x is x > 3. */
static lam_filter_operator turned(lam_filter_operator operation) {
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

/*
 * Takes the value at `token`, which may be behind the current one, and appends it to `values`: as
 * it was found among the values of the leaf, or as all classes of literals for a path of a VARIANT.
 */
static lam_status filter_take_value(filter_parser *parser, const lam_filter_lexer *token,
                                    const lam_field *leaf, size_t offset, lam_error *error) {
    lam_arena *arena = &parser->builder->arena;
    lam_literal literal;
    lam_leaf_literal found;
    LAM_TRY(lam_literal_read(token, arena, &literal, error));
    if (leaf == NULL && literal.kind == LAM_LITERAL_NO_CLASS)
        return lam_filter_lexer_expected(token, "a value", error);
    if (leaf == NULL)
        return lam_literal_read_classes(&literal, arena, &parser->values, error);
    LAM_TRY(
        filter_located(lam_literal_to_leaf(&literal, leaf, arena, &found, error), offset, error));
    const char *expected = lam_literal_expected(&literal, leaf, &found);
    return expected != NULL ? lam_filter_lexer_expected(token, expected, error)
                            : lam_buffer_append(&parser->values, &found, sizeof found, error);
}

/*
 * Compares the field with all `values`. Literals are copied to the builder's arena, as the filter
 * keeps them.
 */
static lam_status compare_values_of_text(filter_parser *parser, const lam_field *leaf,
                                         size_t offset, lam_filter_operator operation,
                                         lam_error *error) {
    const char *path = (const char *)parser->path.data;
    const lam_buffer *values = &parser->values;
    void *memory;
    if (leaf != NULL)
        return filter_located(
            lam_filter_builder_compare_leaf(parser->builder, leaf, lam_test_kind_of(operation),
                                            (const lam_leaf_literal *)(const void *)values->data,
                                            values->size / sizeof(lam_leaf_literal), path, error),
            offset, error);
    LAM_TRY(lam_arena_alloc(&parser->builder->arena, values->size, &memory, error));
    memcpy(memory, values->data, values->size);
    return filter_located(lam_filter_builder_compare_path(parser->builder, path, operation, memory,
                                                          values->size / sizeof(lam_literal),
                                                          error),
                          offset, error);
}

static lam_status compare_literal(filter_parser *parser, const lam_filter_lexer *token,
                                  const lam_field *leaf, size_t offset,
                                  lam_filter_operator operation, lam_error *error) {
    lam_buffer_clear(&parser->values);
    LAM_TRY(filter_take_value(parser, token, leaf, offset, error));
    return compare_values_of_text(parser, leaf, offset, operation, error);
}

/* --- Conditions on a field ----------------------------------------------------------------- */

static lam_status parse_null_test(filter_parser *parser, bool is_missing, bool is_not,
                                  lam_error *error) {
    const char *path = (const char *)parser->path.data;
    if (is_missing)
        return lam_filter_builder_variant_is_missing(parser->builder, path, !is_not, error);
    if (parser->variant != NULL)
        return lam_filter_builder_variant_is_null(parser->builder, path, !is_not, error);
    return lam_filter_builder_is_null(parser->builder, path, !is_not, error);
}

/* The current token is IS. MISSING has a meaning for paths of VARIANTs only. */
static lam_status parse_is(filter_parser *parser, size_t offset, lam_error *error) {
    LAM_TRY(next(parser, error));
    bool is_not = at_keyword(parser, "not");
    if (is_not)
        LAM_TRY(next(parser, error));
    bool is_missing = parser->variant != NULL && at_keyword(parser, "missing");
    if (!is_missing && !at_keyword(parser, "null"))
        return filter_expected(parser,
                               parser->variant != NULL ? "null or missing"
                               : is_not                ? "null"
                                                       : "null or not null",
                               error);
    LAM_TRY(next(parser, error));
    return filter_located(parse_null_test(parser, is_missing, is_not, error), offset, error);
}

/* The current token is IN. A list has at least one value. */
static lam_status parse_in(filter_parser *parser, const lam_field *leaf, size_t offset,
                           lam_error *error) {
    lam_buffer_clear(&parser->values);
    LAM_TRY(next(parser, error));
    if (!at_mark(parser, "("))
        return filter_expected(parser, "( and values", error);
    do {
        LAM_TRY(next(parser, error));
        LAM_TRY(filter_take_value(parser, &parser->lexer, leaf, offset, error));
        LAM_TRY(next(parser, error));
    } while (at_mark(parser, ","));
    if (!at_mark(parser, ")"))
        return filter_expected(parser, ", or )", error);
    LAM_TRY(next(parser, error));
    return compare_values_of_text(parser, leaf, offset, LAM_FILTER_EQUAL, error);
}

/*
 * The current token is BETWEEN. Adds two comparisons and an AND; the keyword AND is taken here and
 * is not an operator.
 */
static lam_status parse_between(filter_parser *parser, const lam_field *leaf, size_t offset,
                                lam_error *error) {
    LAM_TRY(next(parser, error));
    LAM_TRY(
        compare_literal(parser, &parser->lexer, leaf, offset, LAM_FILTER_GREATER_OR_EQUAL, error));
    LAM_TRY(next(parser, error));
    if (!at_keyword(parser, "and"))
        return filter_expected(parser, "and", error);
    LAM_TRY(next(parser, error));
    LAM_TRY(compare_literal(parser, &parser->lexer, leaf, offset, LAM_FILTER_LESS_OR_EQUAL, error));
    LAM_TRY(next(parser, error));
    return lam_filter_builder_and(parser->builder, error);
}

/*
 * A path of a VARIANT alone is true where it leads to the boolean true. Checks the next token
 * first, for a better error than one about types.
 */
static lam_status parse_path_alone(filter_parser *parser, size_t offset, lam_error *error) {
    const lam_variant_scalar truth = {LAM_VARIANT_BOOLEAN, {.boolean = true}};
    if (parser->lexer.token != LAM_FILTER_TOKEN_END && !at_mark(parser, ")") &&
        !at_keyword(parser, "and") && !at_keyword(parser, "or"))
        return filter_expected(parser, "an operator", error);
    lam_status status = lam_filter_builder_variant_compare(
        parser->builder, (const char *)parser->path.data, LAM_FILTER_EQUAL, &truth, 1, error);
    return filter_located(status, offset, error);
}

static lam_status parse_alone(filter_parser *parser, const lam_field *leaf, size_t offset,
                              lam_error *error) {
    lam_value value;
    if (leaf == NULL)
        return parse_path_alone(parser, offset, error);
    memset(&value, 0, sizeof value);
    value.boolean = true;
    if (leaf->physical_type != LAM_PHYSICAL_BOOLEAN)
        return filter_expected(parser, "an operator", error);
    return filter_located(lam_filter_builder_compare(parser->builder,
                                                     (const char *)parser->path.data,
                                                     LAM_FILTER_EQUAL, value, error),
                          offset, error);
}

/*
 * Parses a condition that begins with a field. IS comes first, since it applies to groups too; the
 * rest compares and needs a leaf. [NOT] IN and [NOT] BETWEEN negate the finished condition.
 */
static lam_status filter_parse_field(filter_parser *parser, lam_error *error) {
    const lam_field *field, *leaf;
    size_t offset;
    lam_filter_operator operation;
    LAM_TRY(take_field(parser, &field, &offset, error));
    if (at_keyword(parser, "is"))
        return parse_is(parser, offset, error);
    LAM_TRY(filter_leaf_of(parser, field, offset, &leaf, error));
    if (find_operator(parser, &operation)) {
        LAM_TRY(next(parser, error));
        LAM_TRY(compare_literal(parser, &parser->lexer, leaf, offset, operation, error));
        return next(parser, error);
    }
    bool is_not = at_keyword(parser, "not");
    if (is_not)
        LAM_TRY(next(parser, error));
    if (at_keyword(parser, "in"))
        LAM_TRY(parse_in(parser, leaf, offset, error));
    else if (at_keyword(parser, "between"))
        LAM_TRY(parse_between(parser, leaf, offset, error));
    else if (is_not)
        return filter_expected(parser, "in or between", error);
    else
        return parse_alone(parser, leaf, offset, error);
    return is_not ? lam_filter_builder_not(parser->builder, error) : LAM_STATUS_OK;
}

/* Parses VALUE op FIELD. A copy of the lexer keeps the value's token until the field is known. */
static lam_status parse_value_first(filter_parser *parser, lam_error *error) {
    lam_filter_lexer literal = parser->lexer;
    const lam_field *field, *leaf;
    size_t offset;
    lam_filter_operator operation;
    LAM_TRY(next(parser, error));
    if (!find_operator(parser, &operation))
        return filter_expected(parser, "an operator", error);
    LAM_TRY(next(parser, error));
    LAM_TRY(take_field(parser, &field, &offset, error));
    LAM_TRY(filter_leaf_of(parser, field, offset, &leaf, error));
    return compare_literal(parser, &literal, leaf, offset, turned(operation), error);
}

/* --- Joining ------------------------------------------------------------------------------- */

static waiting top(const filter_parser *parser) {
    return (waiting)parser->stack.data[parser->stack.size - 1];
}

static lam_status filter_push(filter_parser *parser, waiting what, lam_error *error) {
    return lam_buffer_append_byte(&parser->stack, (uint8_t)what, error);
}

/*
 * Builds the operators that wait and are at least as strong as `least`. A parenthesis is weaker
 * than all, so that it always ends the loop.
 */
static lam_status build_waiting(filter_parser *parser, waiting least, lam_error *error) {
    while (parser->stack.size > 0 && top(parser) >= least) {
        waiting what = top(parser);
        parser->stack.size--;
        if (what == WAITING_NOT)
            LAM_TRY(lam_filter_builder_not(parser->builder, error));
        else if (what == WAITING_AND)
            LAM_TRY(lam_filter_builder_and(parser->builder, error));
        else
            LAM_TRY(lam_filter_builder_or(parser->builder, error));
    }
    return LAM_STATUS_OK;
}

/* Parses a condition behind any number of NOT and opening parentheses, which are only pushed. */
static lam_status parse_condition(filter_parser *parser, lam_error *error) {
    while (at_keyword(parser, "not") || at_mark(parser, "(")) {
        LAM_TRY(
            filter_push(parser, at_mark(parser, "(") ? WAITING_PARENTHESIS : WAITING_NOT, error));
        LAM_TRY(next(parser, error));
    }
    if (at_name(parser))
        return filter_parse_field(parser, error);
    bool is_value = parser->lexer.token == LAM_FILTER_TOKEN_NUMBER ||
                    parser->lexer.token == LAM_FILTER_TOKEN_TEXT ||
                    parser->lexer.token == LAM_FILTER_TOKEN_HEX || at_keyword(parser, "true") ||
                    at_keyword(parser, "false");
    return is_value ? parse_value_first(parser, error)
                    : filter_expected(parser, "a condition", error);
}

/* A closing parenthesis builds what waits since its partner. With an empty stack it has none. */
static lam_status close_parentheses(filter_parser *parser, lam_error *error) {
    while (at_mark(parser, ")")) {
        LAM_TRY(build_waiting(parser, WAITING_OR, error));
        if (parser->stack.size == 0)
            return filter_expected(parser, "and, or, or the end", error);
        parser->stack.size--;
        LAM_TRY(next(parser, error));
    }
    return LAM_STATUS_OK;
}

/*
 * Conditions and operators alternate. An operator that waits with the same strength is built first,
 * so that a and b and c groups from the left. An operator left on the stack at the end is an open
 * parenthesis.
 */
static lam_status filter_parse(filter_parser *parser, lam_error *error) {
    for (;;) {
        LAM_TRY(parse_condition(parser, error));
        LAM_TRY(close_parentheses(parser, error));
        bool is_and = at_keyword(parser, "and");
        if (!is_and && !at_keyword(parser, "or"))
            break;
        LAM_TRY(build_waiting(parser, is_and ? WAITING_AND : WAITING_OR, error));
        LAM_TRY(filter_push(parser, is_and ? WAITING_AND : WAITING_OR, error));
        LAM_TRY(next(parser, error));
    }
    LAM_TRY(build_waiting(parser, WAITING_OR, error));
    if (parser->stack.size > 0)
        return filter_expected(parser, "and, or, or )", error);
    if (parser->lexer.token != LAM_FILTER_TOKEN_END)
        return filter_expected(parser, "and, or, or the end", error);
    return LAM_STATUS_OK;
}

LAM_GROWING_INIT(lam_filter_text_options)

/*
 * A failure leaves `*ret_filter` alone: finish, the last step, is the only one that sets it.
 * Destroying the builder afterwards is right either way.
 */
lam_status lam_filter_parse(const lam_schema *schema, const char *text, size_t size,
                            const lam_filter_text_options *given, const lam_allocator *allocator,
                            lam_filter **ret_filter, lam_error *error) {
    lam_status status;
    lam_allocator chosen = lam_allocator_or_default(allocator);
    lam_filter_text_options options;
    filter_parser parser;
    memset(&parser, 0, sizeof parser);
    LAM_TRY(LAM_OPTIONS_READ(lam_filter_text_options, given, &options, error));
    parser.schema = schema;
    parser.storage = options.storage;
    lam_buffer_init(&parser.path, &chosen);
    lam_buffer_init(&parser.values, &chosen);
    lam_buffer_init(&parser.stack, &chosen);
    LAM_TRY_OUT(lam_filter_builder_create(schema, &chosen, &parser.builder, error));
    LAM_TRY_OUT(lam_filter_lexer_init(&parser.lexer, text, size, error));
    LAM_TRY_OUT(filter_parse(&parser, error));
    LAM_TRY_OUT(lam_filter_builder_finish(parser.builder, ret_filter, error));
out:
    lam_filter_builder_destroy(parser.builder);
    lam_buffer_finish(&parser.path);
    lam_buffer_finish(&parser.values);
    lam_buffer_finish(&parser.stack);
    return status;
}
