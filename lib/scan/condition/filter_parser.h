/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of a filter's text from inside, shared by the files that read its parts: the entire
 * condition (filter_text.c), a field (filter_text_field.c), and a condition on a field
 * (filter_text_condition.c).
 */
#ifndef LAM_SCAN_CONDITION_FILTER_PARSER_H
#define LAM_SCAN_CONDITION_FILTER_PARSER_H

#include "scan/condition/filter_builder.h"
#include "scan/condition/filter_lexer.h"
#include "scan/condition/filter_path.h"

typedef struct lam_filter_parser {
    lam_filter_lexer lexer;
    const lam_schema *schema;
    bool storage; /* columns of VARIANTs are fields of their own */
    lam_filter_builder *builder;
    lam_buffer words;  /* lam_path_word: of the current path */
    lam_buffer values; /* lam_leaf_literal, or lam_literal for a path of a VARIANT */
    lam_buffer stack;  /* a byte per waiting operator */
} lam_filter_parser;

/* A field as it was read. Its memory is the schema's and the builder's. */
typedef struct lam_filter_operand {
    lam_path path;
    const lam_field *field; /* the VARIANT for a path that leads to or into one */
    lam_path_target target; /* of such a path; without a VARIANT for others */
    const lam_field *key;   /* the leaf of a map's keys; NULL: no key is given */
    lam_bytes key_plain;
} lam_filter_operand;

static inline lam_status lam_parser_next(lam_filter_parser *parser, lam_error *error) {
    return lam_filter_lexer_next(&parser->lexer, error);
}

static inline bool lam_parser_at_mark(const lam_filter_parser *parser, const char *mark) {
    return lam_filter_lexer_at_mark(&parser->lexer, mark);
}

static inline bool lam_parser_at_keyword(const lam_filter_parser *parser, const char *keyword) {
    return lam_filter_lexer_at_keyword(&parser->lexer, keyword);
}

static inline lam_status lam_parser_expected(const lam_filter_parser *parser, const char *what,
                                             lam_error *error) {
    return lam_filter_lexer_expected(&parser->lexer, what, error);
}

/* Adds the character at `offset` to a failure of the builder, which has no positions. */
static inline lam_status lam_parser_located(const lam_filter_parser *parser, lam_status status,
                                            size_t offset, lam_error *error) {
    if (status != LAM_STATUS_OK && status != LAM_STATUS_NOMEM)
        lam_error_at_character(parser->lexer.text, offset, error);
    return status;
}

/* True at a word that may be a field: not at a keyword, unless it is between quotation marks. */
bool lam_parser_at_name(const lam_filter_parser *parser);

/* Takes a field. NOT_FOUND when no field has this path, INVALID, also for several, NOMEM. */
lam_status lam_parser_take_operand(lam_filter_parser *parser, lam_filter_operand *ret_operand,
                                   lam_error *error);

/*
 * Finds the leaf that a comparison of the field reads; NULL for a path of a VARIANT. INVALID for a
 * group of several leaves.
 */
lam_status lam_parser_leaf_of(const lam_filter_parser *parser, const lam_filter_operand *operand,
                              const lam_field **ret_leaf, lam_error *error);

/* Takes a condition that begins with a name, or with a value, and adds it to the builder. */
lam_status lam_parser_take_condition(lam_filter_parser *parser, lam_error *error);
lam_status lam_parser_take_value_first(lam_filter_parser *parser, lam_error *error);

#endif
