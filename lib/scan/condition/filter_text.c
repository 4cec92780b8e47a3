/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses a filter's text and builds the filter as it goes: conditions are added to a
 * lam_filter_builder when they are read, and operators wait on a stack until both sides are there.
 * Takes text from anyone; gives a filter, or an error with the character. The stack is on the heap
 * and no function calls itself, so that a million parentheses cost memory only.
 *
 *     a or not b and c        stack             built so far
 *     a or                    or                a
 *     not b                   or not            a b
 *     and                     or and            a b not
 *     c                       or and            a b not c
 *     end                                       a b not c and or
 *
 * Between conditions the builder always holds those that were read, in order.
 */
#include <lamella/filter_text.h>

#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "scan/condition/filter_parser.h"

/*
 * An operator that waits for its right side, weakest first. A new operator first builds those on
 * the stack that are as strong or stronger, down to a parenthesis, which only its partner removes.
 */
typedef enum waiting { WAITING_PARENTHESIS, WAITING_OR, WAITING_AND, WAITING_NOT } waiting;

/* --- Joining ------------------------------------------------------------------------------- */

static waiting top(const lam_filter_parser *parser) {
    return (waiting)parser->stack.data[parser->stack.size - 1];
}

static lam_status filter_push(lam_filter_parser *parser, waiting what, lam_error *error) {
    return lam_buffer_append_byte(&parser->stack, (uint8_t)what, error);
}

/*
 * Builds the operators that wait and are at least as strong as `least`. A parenthesis is weaker
 * than all, so that it always ends the loop.
 */
static lam_status build_waiting(lam_filter_parser *parser, waiting least, lam_error *error) {
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

/* Takes a condition that begins with a field, or with a value. */
static lam_status take_tests(lam_filter_parser *parser, lam_error *error) {
    if (lam_parser_at_name(parser))
        return lam_parser_take_condition(parser, error);
    bool is_value = parser->lexer.token == LAM_FILTER_TOKEN_NUMBER ||
                    parser->lexer.token == LAM_FILTER_TOKEN_TEXT ||
                    parser->lexer.token == LAM_FILTER_TOKEN_HEX ||
                    parser->lexer.token == LAM_FILTER_TOKEN_NOW ||
                    lam_parser_at_keyword(parser, "true") || lam_parser_at_keyword(parser, "false");
    return is_value ? lam_parser_take_value_first(parser, error)
                    : lam_parser_expected(parser, "a condition", error);
}

/*
 * Notes for reports which bytes are a condition; the current token is the one after it. The
 * condition begins with a token, and so with no space.
 */
static void note_text(lam_filter_parser *parser, size_t first, size_t begin) {
    lam_filter_builder *builder = parser->builder;
    size_t end = parser->lexer.start;
    if (builder->tests.count != first + 1)
        return; /* `a between b and c`: one text, two tests */
    while (strchr(" \t\r\n", parser->lexer.text[end - 1]) != NULL)
        end--;
    lam_filter_test *test = &builder->tests.items[first];
    test->text_offset = begin;
    test->text_size = end - begin;
    test->is_turned = LAM_LIST_LAST(&builder->steps).kind == LAM_STEP_NOT;
}

/* Parses a condition after any number of NOT and opening parentheses, which are only pushed. */
static lam_status parse_condition(lam_filter_parser *parser, lam_error *error) {
    while (lam_parser_at_keyword(parser, "not") || lam_parser_at_mark(parser, "(")) {
        LAM_TRY(filter_push(
            parser, lam_parser_at_mark(parser, "(") ? WAITING_PARENTHESIS : WAITING_NOT, error));
        LAM_TRY(lam_parser_next(parser, error));
    }
    size_t first = parser->builder->tests.count;
    size_t begin = parser->lexer.start;
    LAM_TRY(take_tests(parser, error));
    note_text(parser, first, begin);
    return LAM_STATUS_OK;
}

/*
 * A closing parenthesis builds all that waits since its partner. With an empty stack it has none.
 */
static lam_status close_parentheses(lam_filter_parser *parser, lam_error *error) {
    while (lam_parser_at_mark(parser, ")")) {
        LAM_TRY(build_waiting(parser, WAITING_OR, error));
        if (parser->stack.size == 0)
            return lam_parser_expected(parser, "and, or, or the end", error);
        parser->stack.size--;
        LAM_TRY(lam_parser_next(parser, error));
    }
    return LAM_STATUS_OK;
}

/*
 * Conditions and operators alternate. An operator that waits with the same strength is built first,
 * so that a and b and c groups from the left. An operator left on the stack at the end is an open
 * parenthesis.
 */
static lam_status filter_parse(lam_filter_parser *parser, lam_error *error) {
    for (;;) {
        LAM_TRY(parse_condition(parser, error));
        LAM_TRY(close_parentheses(parser, error));
        bool is_and = lam_parser_at_keyword(parser, "and");
        if (!is_and && !lam_parser_at_keyword(parser, "or"))
            break;
        LAM_TRY(build_waiting(parser, is_and ? WAITING_AND : WAITING_OR, error));
        LAM_TRY(filter_push(parser, is_and ? WAITING_AND : WAITING_OR, error));
        LAM_TRY(lam_parser_next(parser, error));
    }
    LAM_TRY(build_waiting(parser, WAITING_OR, error));
    if (parser->stack.size > 0)
        return lam_parser_expected(parser, "and, or, or )", error);
    if (parser->lexer.token != LAM_FILTER_TOKEN_END)
        return lam_parser_expected(parser, "and, or, or the end", error);
    return LAM_STATUS_OK;
}

/* The time of the system in microseconds since 1970, for now(); once for an entire text. */
static int64_t filter_text_now(void) {
    enum { MICROS = 1000000 };
    struct timespec time = {0, 0};
    (void)timespec_get(&time, TIME_UTC); /* without a clock it is 1970 */
    return (int64_t)time.tv_sec * MICROS + time.tv_nsec / 1000;
}

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
    lam_filter_parser parser;
    memset(&parser, 0, sizeof parser);
    LAM_TRY(LAM_OPTIONS_READ(lam_filter_text_options, given, &options, error));
    parser.schema = schema;
    parser.storage = options.storage;
    lam_buffer_init(&parser.words, &chosen);
    lam_buffer_init(&parser.values, &chosen);
    lam_buffer_init(&parser.stack, &chosen);
    LAM_TRY_OUT(lam_filter_builder_create(schema, &chosen, &parser.builder, error));
    LAM_TRY_OUT(lam_filter_lexer_init(&parser.lexer, text, size, error));
    parser.lexer.now = options.now_micros != 0 ? options.now_micros : filter_text_now();
    LAM_TRY_OUT(filter_parse(&parser, error));
    LAM_TRY_OUT(lam_filter_builder_finish(parser.builder, ret_filter, error));
out:
    lam_filter_builder_destroy(parser.builder);
    lam_buffer_finish(&parser.words);
    lam_buffer_finish(&parser.values);
    lam_buffer_finish(&parser.stack);
    return status;
}
