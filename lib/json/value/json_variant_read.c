/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads JSON into a VARIANT: takes the tokens of a value, and calls a builder, one step for each
 * value, with a stack of open containers instead of recursion.
 *
 * The kind of a number is the exact one (json_number.h), with one exception: if the value goes to
 * columns and the column at its path holds doubles or floats, a number with a point that such a
 * column prints as the same text becomes one of those rather than a decimal. To know that, the plan
 * of the columns is walked along, but only if it has such columns at all.
 *
 *     {"x": 1.5}    no plan: decimal 15, scale 1       x is a DOUBLE column: double 1.5
 *     {"x": 1.50}   decimal in both, as a double would print 1.5
 */
#include <string.h>

#include "base/error.h"
#include "variant/value/variant_builder.h"
#include "json/parse/json_number.h"
#include "json/value/json_value.h"
#include "json/value/json_variant.h"

/* An open object or array. */
typedef struct json_variant_read_frame {
    uint32_t end; /* the token after it */
    bool is_object;
    const lam_variant_node_plan *node; /* NULL where nothing is shredded */
} json_variant_read_frame;

/* The walk over a value. JSON nests up to LAM_JSON_DEPTH_MAX deep, as deep as a VARIANT may. */
typedef struct value_walk {
    lam_json_variant_reader *reader;
    uint32_t next; /* token of the next value or name */
    size_t depth;
    json_variant_read_frame frames[LAM_JSON_DEPTH_MAX];
} value_walk;

static const lam_json_token *json_variant_token_at(const value_walk *walk, uint32_t index) {
    return &walk->reader->parsed->tokens[index];
}

/* --- The plan beside the tokens --------------------------------------------------------------- */

/*
 * Gives the child of the plan for a member of an object whose value is at the next token; NULL for
 * none. Also NULL if the answer cannot matter: there are no floats below, or the value is neither
 * real nor container, so that most names are never searched for.
 */
static const lam_variant_node_plan *json_variant_child_named(const value_walk *walk,
                                                             const lam_variant_node_plan *node,
                                                             lam_bytes name) {
    const lam_variant_plan *plan = walk->reader->plan;
    uint8_t kind = json_variant_token_at(walk, walk->next)->kind;
    if (node == NULL || !node->has_floats ||
        (kind != LAM_JSON_REAL && kind != LAM_JSON_OBJECT && kind != LAM_JSON_ARRAY))
        return NULL;
    uint32_t child = lam_variant_plan_find(plan, (uint32_t)(node - plan->nodes), name);
    return child == LAM_VARIANT_NO_NODE ? NULL : &plan->nodes[child];
}

/* Gives the child of the plan for an element of an array: its only one. */
static const lam_variant_node_plan *child_of_array(const value_walk *walk,
                                                   const lam_variant_node_plan *node) {
    return node->form == LAM_VARIANT_TYPED_ARRAY ? &walk->reader->plan->nodes[node->children]
                                                 : NULL;
}

/* --- Scalars ---------------------------------------------------------------------------------- */

/*
 * Puts a number as the column holds it, if the text stays the same; else in its exact kind; else,
 * if the caller wants it, as the nearest double.
 */
static lam_status json_variant_put_number(const value_walk *walk, const lam_json_token *token,
                                          const lam_variant_node_plan *node, lam_error *error) {
    const char *text = lam_json_token_text(walk->reader->parsed, token);
    size_t size = lam_json_token_size(token);
    lam_variant_builder *builder = walk->reader->builder;
    lam_variant_scalar number = {LAM_VARIANT_DOUBLE, {0}};
    /* The column comes first: it decides only between kinds that print as the same text. */
    bool is_typed = node != NULL && node->form == LAM_VARIANT_TYPED_SCALAR;
    if (is_typed && node->kind == LAM_VARIANT_DOUBLE &&
        lam_json_number_is_double(text, size, &number.as.float64))
        return lam_variant_builder_put(builder, &number, error);
    number.kind = LAM_VARIANT_FLOAT;
    if (is_typed && node->kind == LAM_VARIANT_FLOAT &&
        lam_json_number_is_float(text, size, &number.as.float32))
        return lam_variant_builder_put(builder, &number, error);
    bool is_exact = lam_json_number_read(text, size, &number);
    if (!is_exact && (!walk->reader->nearest_numbers || number.kind == LAM_VARIANT_UNKNOWN))
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "%.*s is a number that neither 38 digits nor a double hold",
                 (int)(size < 60 ? size : 60), text);
    if (number.kind == LAM_VARIANT_INT64)
        return lam_variant_builder_put_integer(builder, number.as.integer, error);
    if (number.kind == LAM_VARIANT_DOUBLE)
        return lam_variant_builder_put(builder, &number, error);
    return lam_variant_builder_put_decimal(builder, number.as.decimal, error);
}

/* Puts a scalar. Strings are UTF-8, as the tokens checked, so they are not checked again. */
static lam_status json_variant_put_scalar(const value_walk *walk, const lam_json_token *token,
                                          const lam_variant_node_plan *node, lam_error *error) {
    lam_variant_builder *builder = walk->reader->builder;
    lam_bytes text;
    switch (token->kind) {
    case LAM_JSON_STRING:
        LAM_TRY(
            lam_json_text_read(walk->reader->parsed, token, walk->reader->scratch, &text, error));
        return lam_variant_builder_put_text(builder, text, error);
    case LAM_JSON_INTEGER:
    case LAM_JSON_REAL:
        return json_variant_put_number(walk, token, node, error);
    case LAM_JSON_TRUE:
    case LAM_JSON_FALSE:
        return lam_variant_builder_put_boolean(builder, token->kind == LAM_JSON_TRUE, error);
    default:
        return lam_variant_builder_put_null(builder, error);
    }
}

/* --- The walk --------------------------------------------------------------------------------- */

/* Opens an object or array. Its frame ends at the token after it, however deep it is nested. */
static lam_status json_variant_begin_container(value_walk *walk, const lam_json_token *token,
                                               const lam_variant_node_plan *node,
                                               lam_error *error) {
    bool is_object = token->kind == LAM_JSON_OBJECT;
    lam_variant_builder *builder = walk->reader->builder;
    LAM_TRY(is_object ? lam_variant_builder_begin_object(builder, error)
                      : lam_variant_builder_begin_array(builder, error));
    json_variant_read_frame *top = &walk->frames[walk->depth++];
    top->end = token->next;
    top->is_object = is_object;
    top->node = node;
    return LAM_STATUS_OK;
}

/* Ends all containers whose last value has been read. */
static lam_status end_containers(value_walk *walk, lam_error *error) {
    lam_variant_builder *builder = walk->reader->builder;
    while (walk->depth > 0 && walk->frames[walk->depth - 1].end == walk->next) {
        /* unreachable: the container that ends is the one that was begun last */
        LAM_TRY(walk->frames[--walk->depth].is_object
                    ? lam_variant_builder_end_object(builder, error)
                    : lam_variant_builder_end_array(builder, error));
    }
    return LAM_STATUS_OK;
}

/* Gives the builder the name of a member, and finds the plan of its value. */
static lam_status give_name(value_walk *walk, const json_variant_read_frame *top,
                            const lam_variant_node_plan **ret_node, lam_error *error) {
    lam_bytes name;
    LAM_TRY(lam_json_text_read(walk->reader->parsed, json_variant_token_at(walk, walk->next),
                               walk->reader->scratch, &name, error));
    LAM_TRY(lam_variant_builder_field(walk->reader->builder, (const char *)name.data, name.size,
                                      error));
    walk->next++;
    *ret_node = json_variant_child_named(walk, top->node, name);
    return LAM_STATUS_OK;
}

/*
 * Reads the next value, with its name if it is a member. `node` is the plan of the outermost value;
 * deeper ones are found from their frame. `at` follows for the position of a failure.
 */
static lam_status json_variant_step(value_walk *walk, const lam_variant_node_plan *node,
                                    lam_error *error) {
    if (walk->depth > 0) {
        const json_variant_read_frame *top = &walk->frames[walk->depth - 1];
        node = NULL;
        walk->reader->at = walk->next;
        if (top->is_object)
            LAM_TRY(give_name(walk, top, &node, error));
        else if (top->node != NULL)
            node = child_of_array(walk, top->node);
    }
    const lam_json_token *token = json_variant_token_at(walk, walk->next);
    walk->reader->at = walk->next++;
    if (token->kind == LAM_JSON_OBJECT || token->kind == LAM_JSON_ARRAY)
        LAM_TRY(json_variant_begin_container(walk, token, node, error));
    else
        LAM_TRY(json_variant_put_scalar(walk, token, node, error));
    return end_containers(walk, error);
}

/* A scalar takes one step, without a frame. */
lam_status lam_json_variant_read(lam_json_variant_reader *reader, uint32_t token,
                                 lam_error *error) {
    value_walk walk;
    if (reader->form == LAM_JSON_VARIANT_TYPED)
        return lam_json_variant_read_typed(reader, token, error);
    walk.reader = reader;
    walk.next = token;
    walk.depth = 0;
    do {
        LAM_TRY(
            json_variant_step(&walk, reader->plan == NULL ? NULL : &reader->plan->nodes[0], error));
    } while (walk.depth > 0);
    return LAM_STATUS_OK;
}
