#include <lamella/filter_text.h>

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "filter/filter_builder.h"
#include "filter/filter_literal.h"
#include "filter/filter_part.h"
#include "filter/filter_reading_text.h"

/*
 * What waits for its right side, strongest last: an operator gives way to those that are weaker,
 * a parenthesis to its partner only.
 */
typedef enum waiting { WAITING_PARENTHESIS, WAITING_OR, WAITING_AND, WAITING_NOT } waiting;

typedef struct parser {
    lam_filter_lexer lexer;
    const lam_schema *schema;
    bool storage; /* columns of VARIANTs are fields */
    lam_filter_builder *builder;
    lam_arena arena;          /* values, until the builder has copied them */
    lam_buffer path;          /* of the field at hand, NUL-terminated */
    const lam_field *variant; /* which the path leads to, or into; NULL: another field */
    lam_buffer values;        /* lam_value, or lam_reading for parts of VARIANTs */
    lam_buffer stack;         /* a byte per waiting operator */
} parser;

static lam_status next(parser *it, lam_error *error) {
    return lam_filter_lexer_next(&it->lexer, error);
}

static bool at_mark(const parser *it, const char *mark) {
    return lam_filter_lexer_at_mark(&it->lexer, mark);
}

static bool at_keyword(const parser *it, const char *keyword) {
    return lam_filter_lexer_at_keyword(&it->lexer, keyword);
}

static lam_status expected(const parser *it, const char *what, lam_error *error) {
    return lam_filter_lexer_expected(&it->lexer, what, error);
}

/* A failure of the builder is one of the field at `offset`. */
static lam_status placed(lam_status status, size_t offset, lam_error *error) {
    if (status != LAM_STATUS_OK && status != LAM_STATUS_NOMEM)
        lam_filter_lexer_place(offset, error);
    return status;
}

/* --- Fields -------------------------------------------------------------------------------- */

static bool at_name(const parser *it) {
    static const char *const keywords[] = {"and",  "or",      "not",  "in",    "is",
                                           "null", "between", "true", "false", NULL};
    for (size_t i = 0; keywords[i] != NULL; i++)
        if (at_keyword(it, keywords[i]))
            return false;
    return it->lexer.token == LAM_FILTER_TOKEN_WORD || it->lexer.token == LAM_FILTER_TOKEN_QUOTED;
}

/* Appends the name at hand as it is. */
static lam_status append_name(parser *it, lam_error *error) {
    if (it->lexer.token == LAM_FILTER_TOKEN_QUOTED)
        return lam_filter_lexer_append(&it->lexer, &it->path, error);
    return lam_buffer_append(&it->path, it->lexer.text + it->lexer.start,
                             it->lexer.end - it->lexer.start, error);
}

/* The field at the path so far. */
static lam_status find_field(parser *it, const lam_field **ret_field, lam_error *error) {
    LAM_TRY(lam_buffer_append_byte(&it->path, '\0', error));
    const char *path = (const char *)it->path.data;
    bool is_whole = strlen(path) + 1 == it->path.size;
    it->path.size--;
    *ret_field = is_whole ? lam_schema_find(it->schema, path) : NULL;
    return LAM_STATUS_OK;
}

/*
 * Takes a name. Behind a VARIANT, whose values may have fields of any names, it stays between its
 * marks, as paths of lamella/projection.h have it.
 */
static lam_status take_name(parser *it, lam_error *error) {
    const lam_field *field;
    if (!at_name(it))
        return expected(it, "a field", error);
    if (it->variant != NULL) {
        LAM_TRY(lam_buffer_append(&it->path, it->lexer.text + it->lexer.start,
                                  it->lexer.end - it->lexer.start, error));
        return next(it, error);
    }
    LAM_TRY(append_name(it, error));
    if (!it->storage) {
        LAM_TRY(find_field(it, &field, error));
        if (field != NULL && lam_is_variant_group(field))
            it->variant = field;
    }
    return next(it, error);
}

/* The elements of an array inside of a VARIANT: [] any number of times. */
static lam_status take_brackets(parser *it, lam_error *error) {
    while (it->variant != NULL && at_mark(it, "[")) {
        LAM_TRY(next(it, error));
        if (!at_mark(it, "]"))
            return expected(it, "]", error);
        LAM_TRY(lam_buffer_append(&it->path, "[]", 2, error));
        LAM_TRY(next(it, error));
    }
    return LAM_STATUS_OK;
}

/* The path at hand; gives its field. */
static lam_status take_field(parser *it, const lam_field **ret_field, size_t *ret_offset,
                             lam_error *error) {
    size_t offset = it->lexer.start;
    lam_buffer_clear(&it->path);
    it->variant = NULL;
    LAM_TRY(take_name(it, error));
    LAM_TRY(take_brackets(it, error));
    while (at_mark(it, ".")) {
        LAM_TRY(lam_buffer_append_byte(&it->path, '.', error));
        LAM_TRY(next(it, error));
        LAM_TRY(take_name(it, error));
        LAM_TRY(take_brackets(it, error));
    }
    *ret_field = it->variant;
    if (it->variant == NULL)
        LAM_TRY(find_field(it, ret_field, error));
    LAM_TRY(lam_buffer_append_byte(&it->path, '\0', error));
    if (*ret_field == NULL) {
        lam_error_set(error, LAM_ERROR_CODE_FIELD_NOT_FOUND, "there is no field '%.150s'",
                      (const char *)it->path.data);
        lam_filter_lexer_place(offset, error);
        return LAM_STATUS_NOT_FOUND;
    }
    *ret_offset = offset;
    return LAM_STATUS_OK;
}

/* The leaf that a comparison of the field is about; NULL for a part of a VARIANT. */
static lam_status leaf_of(const parser *it, const lam_field *field, size_t offset,
                          const lam_field **ret_leaf, lam_error *error) {
    *ret_leaf = NULL;
    if (it->variant != NULL)
        return LAM_STATUS_OK;
    if (field->leaf_count != 1) {
        lam_error_set(error, LAM_ERROR_CODE_FILTER_SYNTAX, "field '%.150s' is a group of %u leaves",
                      field->name, (unsigned)field->leaf_count);
        lam_filter_lexer_place(offset, error);
        return LAM_STATUS_INVALID;
    }
    *ret_leaf = lam_leaf_at(field->schema, field->first_leaf);
    return LAM_STATUS_OK;
}

/* --- Comparisons --------------------------------------------------------------------------- */

static bool find_operator(const parser *it, lam_filter_operator *ret_operation) {
    static const struct {
        const char *mark;
        lam_filter_operator operation;
    } marks[] = {{"=", LAM_FILTER_EQUAL},      {"==", LAM_FILTER_EQUAL},
                 {"!=", LAM_FILTER_NOT_EQUAL}, {"<>", LAM_FILTER_NOT_EQUAL},
                 {"<", LAM_FILTER_LESS},       {"<=", LAM_FILTER_LESS_OR_EQUAL},
                 {">", LAM_FILTER_GREATER},    {">=", LAM_FILTER_GREATER_OR_EQUAL}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (at_mark(it, marks[i].mark)) {
            *ret_operation = marks[i].operation;
            return true;
        }
    return false;
}

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

static lam_status compare(parser *it, lam_filter_operator operation, lam_value value,
                          lam_error *error) {
    return lam_filter_builder_compare(it->builder, (const char *)it->path.data, operation, value,
                                      error);
}

static lam_status compare_with_nothing(parser *it, lam_error *error) {
    return lam_filter_builder_in(it->builder, (const char *)it->path.data, NULL, 0, error);
}

/* With a number between two values: what is above it is above the lower one. */
static lam_status compare_above(parser *it, lam_filter_operator operation, lam_value value,
                                lam_error *error) {
    switch (operation) {
    case LAM_FILTER_EQUAL:
        return compare_with_nothing(it, error);
    case LAM_FILTER_NOT_EQUAL:
        LAM_TRY(compare(it, LAM_FILTER_LESS_OR_EQUAL, value, error));
        LAM_TRY(compare(it, LAM_FILTER_GREATER, value, error));
        return lam_filter_builder_or(it->builder, error);
    case LAM_FILTER_LESS:
    case LAM_FILTER_LESS_OR_EQUAL:
        return compare(it, LAM_FILTER_LESS_OR_EQUAL, value, error);
    default:
        return compare(it, LAM_FILTER_GREATER, value, error);
    }
}

static lam_status add_comparison(parser *it, lam_filter_operator operation, lam_value value,
                                 lam_literal_fit fit, lam_error *error) {
    if (fit == LAM_LITERAL_EXACT)
        return compare(it, operation, value, error);
    if (fit == LAM_LITERAL_ABOVE)
        return compare_above(it, operation, value, error);
    if (operation == LAM_FILTER_EQUAL || operation == LAM_FILTER_LESS ||
        operation == LAM_FILTER_LESS_OR_EQUAL)
        return compare_with_nothing(it, error);
    return compare(it, LAM_FILTER_GREATER_OR_EQUAL, value, error);
}

/* A part of a VARIANT against the readings that were taken; the filter keeps them. */
static lam_status compare_part(parser *it, lam_filter_operator operation, lam_error *error) {
    void *memory;
    LAM_TRY(lam_arena_alloc(&it->builder->arena, it->values.size, &memory, error));
    if (it->values.size > 0)
        memcpy(memory, it->values.data, it->values.size);
    return lam_filter_builder_compare_part(it->builder, (const char *)it->path.data, operation,
                                           memory, it->values.size / sizeof(lam_reading), error);
}

static lam_status take_readings(parser *it, const lam_filter_lexer *literal, lam_error *error) {
    return lam_filter_readings_read(literal, &it->builder->arena, &it->values, error);
}

/* The value at `literal`, whose token may lie behind the one at hand, against the field. */
static lam_status compare_literal(parser *it, const lam_filter_lexer *literal,
                                  const lam_field *leaf, size_t offset,
                                  lam_filter_operator operation, lam_error *error) {
    lam_value value;
    lam_literal_fit fit;
    lam_status status;
    if (leaf == NULL) {
        lam_buffer_clear(&it->values);
        LAM_TRY(take_readings(it, literal, error));
        status = compare_part(it, operation, error);
    } else {
        LAM_TRY(lam_filter_literal_read(literal, leaf, &it->arena, &value, &fit, error));
        status = add_comparison(it, operation, value, fit, error);
    }
    return placed(status, offset, error);
}

/* --- Conditions on a field ----------------------------------------------------------------- */

static lam_status ask_null(parser *it, bool is_missing, bool is_not, lam_error *error) {
    const char *path = (const char *)it->path.data;
    if (is_missing)
        return lam_filter_builder_variant_is_missing(it->builder, path, !is_not, error);
    if (it->variant != NULL)
        return lam_filter_builder_variant_is_null(it->builder, path, !is_not, error);
    return lam_filter_builder_is_null(it->builder, path, !is_not, error);
}

static lam_status parse_is(parser *it, size_t offset, lam_error *error) {
    LAM_TRY(next(it, error));
    bool is_not = at_keyword(it, "not");
    if (is_not)
        LAM_TRY(next(it, error));
    bool is_missing = it->variant != NULL && at_keyword(it, "missing");
    if (!is_missing && !at_keyword(it, "null"))
        return expected(it,
                        it->variant != NULL ? "null or missing"
                        : is_not            ? "null"
                                            : "null or not null",
                        error);
    LAM_TRY(next(it, error));
    return placed(ask_null(it, is_missing, is_not, error), offset, error);
}

/* Values that the type does not have are left out: nothing equals them. */
static lam_status take_value(parser *it, const lam_field *leaf, lam_error *error) {
    lam_value value;
    lam_literal_fit fit;
    if (leaf == NULL)
        return take_readings(it, &it->lexer, error);
    LAM_TRY(lam_filter_literal_read(&it->lexer, leaf, &it->arena, &value, &fit, error));
    return fit == LAM_LITERAL_EXACT ? lam_buffer_append(&it->values, &value, sizeof value, error)
                                    : LAM_STATUS_OK;
}

static lam_status parse_in(parser *it, const lam_field *leaf, size_t offset, lam_error *error) {
    lam_buffer_clear(&it->values);
    LAM_TRY(next(it, error));
    if (!at_mark(it, "("))
        return expected(it, "( and values", error);
    do {
        LAM_TRY(next(it, error));
        LAM_TRY(take_value(it, leaf, error));
        LAM_TRY(next(it, error));
    } while (at_mark(it, ","));
    if (!at_mark(it, ")"))
        return expected(it, ", or )", error);
    LAM_TRY(next(it, error));
    if (leaf != NULL)
        return lam_filter_builder_in(it->builder, (const char *)it->path.data,
                                     (const lam_value *)(const void *)it->values.data,
                                     it->values.size / sizeof(lam_value), error);
    return placed(compare_part(it, LAM_FILTER_EQUAL, error), offset, error);
}

static lam_status parse_between(parser *it, const lam_field *leaf, size_t offset,
                                lam_error *error) {
    LAM_TRY(next(it, error));
    LAM_TRY(compare_literal(it, &it->lexer, leaf, offset, LAM_FILTER_GREATER_OR_EQUAL, error));
    LAM_TRY(next(it, error));
    if (!at_keyword(it, "and"))
        return expected(it, "and", error);
    LAM_TRY(next(it, error));
    LAM_TRY(compare_literal(it, &it->lexer, leaf, offset, LAM_FILTER_LESS_OR_EQUAL, error));
    LAM_TRY(next(it, error));
    return lam_filter_builder_and(it->builder, error);
}

/* A part of a VARIANT is true where it is a boolean. */
static lam_status parse_part_alone(parser *it, size_t offset, lam_error *error) {
    const lam_variant_scalar truth = {LAM_VARIANT_BOOLEAN, {.boolean = true}};
    if (it->lexer.token != LAM_FILTER_TOKEN_END && !at_mark(it, ")") && !at_keyword(it, "and") &&
        !at_keyword(it, "or"))
        return expected(it, "an operator", error);
    lam_status status = lam_filter_builder_variant_compare(it->builder, (const char *)it->path.data,
                                                           LAM_FILTER_EQUAL, &truth, 1, error);
    return placed(status, offset, error);
}

static lam_status parse_alone(parser *it, const lam_field *leaf, size_t offset, lam_error *error) {
    lam_value value;
    if (leaf == NULL)
        return parse_part_alone(it, offset, error);
    memset(&value, 0, sizeof value);
    value.boolean = true;
    if (leaf->physical_type != LAM_PHYSICAL_BOOLEAN)
        return expected(it, "an operator", error);
    return compare(it, LAM_FILTER_EQUAL, value, error);
}

static lam_status parse_field(parser *it, lam_error *error) {
    const lam_field *field, *leaf;
    size_t offset;
    lam_filter_operator operation;
    LAM_TRY(take_field(it, &field, &offset, error));
    if (at_keyword(it, "is"))
        return parse_is(it, offset, error);
    LAM_TRY(leaf_of(it, field, offset, &leaf, error));
    if (find_operator(it, &operation)) {
        LAM_TRY(next(it, error));
        LAM_TRY(compare_literal(it, &it->lexer, leaf, offset, operation, error));
        return next(it, error);
    }
    bool is_not = at_keyword(it, "not");
    if (is_not)
        LAM_TRY(next(it, error));
    if (at_keyword(it, "in"))
        LAM_TRY(parse_in(it, leaf, offset, error));
    else if (at_keyword(it, "between"))
        LAM_TRY(parse_between(it, leaf, offset, error));
    else if (is_not)
        return expected(it, "in or between", error);
    else
        return parse_alone(it, leaf, offset, error);
    return is_not ? lam_filter_builder_not(it->builder, error) : LAM_STATUS_OK;
}

/* VALUE op FIELD: what the value is shows when the field is known. */
static lam_status parse_value_first(parser *it, lam_error *error) {
    lam_filter_lexer literal = it->lexer;
    const lam_field *field, *leaf;
    size_t offset;
    lam_filter_operator operation;
    LAM_TRY(next(it, error));
    if (!find_operator(it, &operation))
        return expected(it, "an operator", error);
    LAM_TRY(next(it, error));
    LAM_TRY(take_field(it, &field, &offset, error));
    LAM_TRY(leaf_of(it, field, offset, &leaf, error));
    return compare_literal(it, &literal, leaf, offset, turned(operation), error);
}

/* --- Joining ------------------------------------------------------------------------------- */

static waiting top(const parser *it) {
    return (waiting)it->stack.data[it->stack.size - 1];
}

static lam_status push(parser *it, waiting what, lam_error *error) {
    return lam_buffer_append_byte(&it->stack, (uint8_t)what, error);
}

/* Builds the operators that wait and are at least as strong as `least`. */
static lam_status settle(parser *it, waiting least, lam_error *error) {
    while (it->stack.size > 0 && top(it) >= least) {
        waiting what = top(it);
        it->stack.size--;
        if (what == WAITING_NOT)
            LAM_TRY(lam_filter_builder_not(it->builder, error));
        else if (what == WAITING_AND)
            LAM_TRY(lam_filter_builder_and(it->builder, error));
        else
            LAM_TRY(lam_filter_builder_or(it->builder, error));
    }
    return LAM_STATUS_OK;
}

/* A condition, behind any number of NOT and opening parentheses. */
static lam_status parse_condition(parser *it, lam_error *error) {
    while (at_keyword(it, "not") || at_mark(it, "(")) {
        LAM_TRY(push(it, at_mark(it, "(") ? WAITING_PARENTHESIS : WAITING_NOT, error));
        LAM_TRY(next(it, error));
    }
    if (at_name(it))
        return parse_field(it, error);
    bool is_value = it->lexer.token == LAM_FILTER_TOKEN_NUMBER ||
                    it->lexer.token == LAM_FILTER_TOKEN_TEXT ||
                    it->lexer.token == LAM_FILTER_TOKEN_HEX || at_keyword(it, "true") ||
                    at_keyword(it, "false");
    return is_value ? parse_value_first(it, error) : expected(it, "a condition", error);
}

static lam_status close_parentheses(parser *it, lam_error *error) {
    while (at_mark(it, ")")) {
        LAM_TRY(settle(it, WAITING_OR, error));
        if (it->stack.size == 0)
            return expected(it, "and, or, or the end", error);
        it->stack.size--;
        LAM_TRY(next(it, error));
    }
    return LAM_STATUS_OK;
}

static lam_status parse(parser *it, lam_error *error) {
    for (;;) {
        LAM_TRY(parse_condition(it, error));
        LAM_TRY(close_parentheses(it, error));
        bool is_and = at_keyword(it, "and");
        if (!is_and && !at_keyword(it, "or"))
            break;
        LAM_TRY(settle(it, is_and ? WAITING_AND : WAITING_OR, error));
        LAM_TRY(push(it, is_and ? WAITING_AND : WAITING_OR, error));
        LAM_TRY(next(it, error));
    }
    LAM_TRY(settle(it, WAITING_OR, error));
    if (it->stack.size > 0)
        return expected(it, "and, or, or )", error);
    if (it->lexer.token != LAM_FILTER_TOKEN_END)
        return expected(it, "and, or, or the end", error);
    return LAM_STATUS_OK;
}

LAM_GROWING_INIT(lam_filter_text_options)

lam_status lam_filter_parse(const lam_schema *schema, const char *text, size_t size,
                            const lam_filter_text_options *given, const lam_allocator *allocator,
                            lam_filter **ret_filter, lam_error *error) {
    lam_status status;
    lam_allocator chosen = lam_allocator_or_default(allocator);
    lam_filter_text_options options;
    parser it;
    memset(&it, 0, sizeof it);
    LAM_TRY(LAM_OPTIONS_READ(lam_filter_text_options, given, &options, error));
    it.schema = schema;
    it.storage = options.storage;
    lam_arena_init(&it.arena, &chosen, 0);
    lam_buffer_init(&it.path, &chosen);
    lam_buffer_init(&it.values, &chosen);
    lam_buffer_init(&it.stack, &chosen);
    LAM_TRY_OUT(lam_filter_builder_create(schema, &chosen, &it.builder, error));
    LAM_TRY_OUT(lam_filter_lexer_init(&it.lexer, text, size, error));
    LAM_TRY_OUT(parse(&it, error));
    LAM_TRY_OUT(lam_filter_builder_finish(it.builder, ret_filter, error));
out:
    lam_filter_builder_destroy(it.builder);
    lam_arena_finish(&it.arena);
    lam_buffer_finish(&it.path);
    lam_buffer_finish(&it.values);
    lam_buffer_finish(&it.stack);
    return status;
}
