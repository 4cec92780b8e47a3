/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads VARIANT values whose kinds are written down, {"int8":5}, into a builder, each in the kind
 * that it names. This form keeps what plain JSON loses: the width of integers, dates and times,
 * binary.
 *
 * Scalars are read as the leaf of a column of the same meaning would be, so ranges and forms are
 * those of json_value_read.c; decimals alone are read as numbers of any scale, and the builder
 * checks their width. The walk keeps a stack of open containers instead of recursion. (json.h has
 * the form)
 *
 *     {"object":{"a":{"date":"2024-10-24"}}}
 *     begin object; field a; put DATE 20020; end object
 */
#include <string.h>

#include "base/error.h"
#include "variant/shred/variant_column.h"
#include "json/parse/json_number.h"
#include "json/value/json_value.h"
#include "json/value/json_variant.h"

/* An open object or array. */
typedef struct json_variant_typed_frame {
    uint32_t end; /* the token after it */
    bool is_object;
} json_variant_typed_frame;

/* The walk over a value. */
typedef struct typed_walk {
    lam_json_variant_reader *reader;
    uint32_t next; /* token of the next value or name */
    size_t depth;
    json_variant_typed_frame frames[LAM_JSON_DEPTH_MAX];
} typed_walk;

static const lam_json_token *json_variant_typed_token_at(const typed_walk *walk, uint32_t index) {
    return &walk->reader->parsed->tokens[index];
}

/* --- Scalars: each kind is read as the leaf of a column would be ------------------------------ */

/* The members of a leaf that reading a value depends on. */
typedef struct stand_in {
    lam_physical_type physical;
    int32_t length;
    lam_logical_type logical;
} stand_in;

/*
 * By kind; null, containers and decimals have none. Timestamps of a VARIANT count micros or nanos,
 * and NTZ means no time zone. (VariantEncoding.md, "Encoding types")
 */
static const stand_in stand_ins[] = {
    [LAM_VARIANT_BOOLEAN] = {LAM_PHYSICAL_BOOLEAN, 1, {0}},
    [LAM_VARIANT_INT8] = {LAM_PHYSICAL_INT32,
                          4,
                          {.kind = LAM_LOGICAL_INTEGER, .bit_width = 8, .is_signed = true}},
    [LAM_VARIANT_INT16] = {LAM_PHYSICAL_INT32,
                           4,
                           {.kind = LAM_LOGICAL_INTEGER, .bit_width = 16, .is_signed = true}},
    [LAM_VARIANT_INT32] = {LAM_PHYSICAL_INT32, 4, {0}},
    [LAM_VARIANT_INT64] = {LAM_PHYSICAL_INT64, 8, {0}},
    [LAM_VARIANT_FLOAT] = {LAM_PHYSICAL_FLOAT, 4, {0}},
    [LAM_VARIANT_DOUBLE] = {LAM_PHYSICAL_DOUBLE, 8, {0}},
    [LAM_VARIANT_DATE] = {LAM_PHYSICAL_INT32, 4, {.kind = LAM_LOGICAL_DATE}},
    [LAM_VARIANT_TIME] = {LAM_PHYSICAL_INT64,
                          8,
                          {.kind = LAM_LOGICAL_TIME, .unit = LAM_TIME_UNIT_MICROS}},
    [LAM_VARIANT_TIMESTAMP] = {LAM_PHYSICAL_INT64,
                               8,
                               {.kind = LAM_LOGICAL_TIMESTAMP,
                                .unit = LAM_TIME_UNIT_MICROS,
                                .adjusted_to_utc = true}},
    [LAM_VARIANT_TIMESTAMP_NTZ] = {LAM_PHYSICAL_INT64,
                                   8,
                                   {.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_MICROS}},
    [LAM_VARIANT_TIMESTAMP_NANOS] = {LAM_PHYSICAL_INT64,
                                     8,
                                     {.kind = LAM_LOGICAL_TIMESTAMP,
                                      .unit = LAM_TIME_UNIT_NANOS,
                                      .adjusted_to_utc = true}},
    [LAM_VARIANT_TIMESTAMP_NTZ_NANOS] =
        {LAM_PHYSICAL_INT64, 8, {.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_NANOS}},
    [LAM_VARIANT_BINARY] = {LAM_PHYSICAL_BYTE_ARRAY, 0, {0}},
    [LAM_VARIANT_STRING] = {LAM_PHYSICAL_BYTE_ARRAY, 0, {.kind = LAM_LOGICAL_STRING}},
    [LAM_VARIANT_UUID] = {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 16, {.kind = LAM_LOGICAL_UUID}},
};

/* Reads a scalar as a leaf of its stand-in, and puts it in its kind. */
static lam_status put_column_value(const typed_walk *walk, lam_variant_kind kind,
                                   const lam_json_token *token, lam_error *error) {
    const stand_in *like = &stand_ins[kind];
    const lam_json_manner manner = {.binary = walk->reader->binary};
    struct lam_field leaf;
    lam_value value;
    /* A leaf of no schema, for this call alone: json_value_read.c needs no more of it than this. */
    memset(&leaf, 0, sizeof leaf);
    leaf.physical_type = (uint8_t)like->physical;
    leaf.type_length = like->length;
    leaf.logical_type = like->logical;
    LAM_TRY(lam_json_value_read(walk->reader->parsed, token, &leaf, lam_json_meaning_of(&leaf),
                                &manner, walk->reader->scratch, &value, error));
    lam_variant_scalar scalar = lam_variant_scalar_of(kind, like->physical, value);
    return lam_variant_builder_put(walk->reader->builder, &scalar, error);
}

/*
 * Reads a decimal, with the scale of its text. Integers become decimals of scale 0; numbers that no
 * decimal holds are doubles. The builder refuses digits that are too many for the kind.
 */
static lam_status json_variant_typed_put_decimal(const typed_walk *walk, lam_variant_kind kind,
                                                 const lam_json_token *token, lam_error *error) {
    lam_variant_scalar scalar = {LAM_VARIANT_UNKNOWN, {0}};
    if (token->kind == LAM_JSON_INTEGER || token->kind == LAM_JSON_REAL)
        (void)lam_json_number_read(lam_json_token_text(walk->reader->parsed, token),
                                   lam_json_token_size(token), &scalar);
    /* The number may have come as an int64, which is a decimal of scale 0, extended by its sign. */
    if (scalar.kind == LAM_VARIANT_INT64) {
        int64_t integer = scalar.as.integer;
        lam_decimal decimal = {(uint64_t)integer, integer < 0 ? -1 : 0, 0};
        scalar.as.decimal = decimal;
    } else if (scalar.kind != LAM_VARIANT_DECIMAL16) {
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_TYPE,
                 "expected a decimal of at most 38 digits, found %s",
                 lam_json_kind_name(token->kind));
    }
    scalar.kind = kind;
    return lam_variant_builder_put(walk->reader->builder, &scalar, error);
}

static lam_status expect_kind(const lam_json_token *token, lam_json_kind kind, lam_error *error) {
    if (token->kind == kind)
        return LAM_STATUS_OK;
    LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_TYPE, "expected %s, found %s",
             lam_json_kind_name((uint8_t)kind), lam_json_kind_name(token->kind));
}

/* null is the only value of the kind null, and no other kind has it. */
static lam_status json_variant_typed_put_scalar(const typed_walk *walk, lam_variant_kind kind,
                                                const lam_json_token *token, lam_error *error) {
    if (kind == LAM_VARIANT_NULL) {
        LAM_TRY(expect_kind(token, LAM_JSON_NULL, error));
        return lam_variant_builder_put_null(walk->reader->builder, error);
    }
    if (token->kind == LAM_JSON_NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_TYPE, "expected a value of %s, found null",
                 lam_variant_kind_name(kind));
    if (kind >= LAM_VARIANT_DECIMAL4 && kind <= LAM_VARIANT_DECIMAL16)
        return json_variant_typed_put_decimal(walk, kind, token, error);
    return put_column_value(walk, kind, token, error);
}

/* --- The walk --------------------------------------------------------------------------------- */

/* Finds a kind by name. Linear: there are some twenty of them. */
static lam_status read_kind(const typed_walk *walk, const lam_json_token *key,
                            lam_variant_kind *ret_kind, lam_error *error) {
    const char *text = lam_json_token_text(walk->reader->parsed, key);
    size_t size = lam_json_token_size(key);
    for (int kind = LAM_VARIANT_NULL; kind < LAM_VARIANT_UNKNOWN; kind++) {
        const char *name = lam_variant_kind_name((lam_variant_kind)kind);
        if (strlen(name) == size && memcmp(name, text, size) == 0) {
            *ret_kind = (lam_variant_kind)kind;
            return LAM_STATUS_OK;
        }
    }
    LAM_FAIL(error, LAM_STATUS_INVALID, "unknown kind of VARIANT \"%.*s\"",
             (int)(size < 40 ? size : 40), text);
}

/*
 * Enters an object of one member, whose name is a kind; `next` is then at the value of that kind.
 * The object has one member if the token after its first value is the token after the object:
 *
 *     {"int8":5}    token 0 object, next 3;  1 "int8";  2 integer, next 3
 */
static lam_status enter_kind(typed_walk *walk, lam_variant_kind *ret_kind, lam_error *error) {
    const lam_json_token *around = json_variant_typed_token_at(walk, walk->next);
    walk->reader->at = walk->next;
    bool is_one = around->kind == LAM_JSON_OBJECT && around->next > walk->next + 1 &&
                  json_variant_typed_token_at(walk, walk->next + 2)->next == around->next;
    if (!is_one)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_TYPE,
                 "expected an object of one member, named as the kind of a VARIANT");
    LAM_TRY(read_kind(walk, json_variant_typed_token_at(walk, walk->next + 1), ret_kind, error));
    walk->next += 2;
    walk->reader->at = walk->next;
    return LAM_STATUS_OK;
}

/* Opens the object or array that the kind names. */
static lam_status json_variant_typed_begin_container(typed_walk *walk, bool is_object,
                                                     lam_error *error) {
    lam_variant_builder *builder = walk->reader->builder;
    const lam_json_token *token = json_variant_typed_token_at(walk, walk->next++);
    LAM_TRY(expect_kind(token, is_object ? LAM_JSON_OBJECT : LAM_JSON_ARRAY, error));
    LAM_TRY(is_object ? lam_variant_builder_begin_object(builder, error)
                      : lam_variant_builder_begin_array(builder, error));
    walk->frames[walk->depth].end = token->next;
    walk->frames[walk->depth++].is_object = is_object;
    return LAM_STATUS_OK;
}

/*
 * Reads the next value, with its name if it is a member. The objects around kinds have no frames:
 * each ends with its one member.
 */
static lam_status json_variant_typed_step(typed_walk *walk, lam_error *error) {
    lam_variant_builder *builder = walk->reader->builder;
    lam_variant_kind kind = LAM_VARIANT_UNKNOWN;
    if (walk->depth > 0 && walk->frames[walk->depth - 1].is_object) {
        lam_bytes name;
        walk->reader->at = walk->next;
        LAM_TRY(lam_json_text_read(walk->reader->parsed,
                                   json_variant_typed_token_at(walk, walk->next++),
                                   walk->reader->scratch, &name, error));
        LAM_TRY(lam_variant_builder_field(builder, (const char *)name.data, name.size, error));
    }
    LAM_TRY(enter_kind(walk, &kind, error));
    if (kind == LAM_VARIANT_OBJECT || kind == LAM_VARIANT_ARRAY) {
        LAM_TRY(json_variant_typed_begin_container(walk, kind == LAM_VARIANT_OBJECT, error));
    } else {
        LAM_TRY(json_variant_typed_put_scalar(
            walk, kind, json_variant_typed_token_at(walk, walk->next), error));
        walk->next++;
    }
    /*
     * The last value of a container ends it, and perhaps the ones around it. The token after a
     * kind's one value is the token after its object, so those objects end by themselves.
     */
    for (; walk->depth > 0 && walk->frames[walk->depth - 1].end == walk->next; walk->depth--)
        /* unreachable: the container that ends is the one that was begun last */
        LAM_TRY(walk->frames[walk->depth - 1].is_object
                    ? lam_variant_builder_end_object(builder, error)
                    : lam_variant_builder_end_array(builder, error));
    return LAM_STATUS_OK;
}

lam_status lam_json_variant_read_typed(lam_json_variant_reader *reader, uint32_t token,
                                       lam_error *error) {
    typed_walk walk;
    walk.reader = reader;
    walk.next = token;
    walk.depth = 0;
    do {
        LAM_TRY(json_variant_typed_step(&walk, error));
    } while (walk.depth > 0);
    return LAM_STATUS_OK;
}
