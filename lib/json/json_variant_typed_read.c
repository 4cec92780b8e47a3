/* Values whose kinds are told, {"int8":5}, to a builder, each in the kind that it is given. */
#include <string.h>

#include "base/error.h"
#include "variant/variant_column.h"
#include "json/json_number.h"
#include "json/json_value.h"
#include "json/json_variant.h"

/* A container that is open. */
typedef struct json_variant_typed_frame {
    uint32_t end; /* the token behind it */
    bool is_object;
} json_variant_typed_frame;

typedef struct typed_walk {
    lam_json_variant_reader *reader;
    uint32_t next; /* token */
    size_t depth;
    json_variant_typed_frame frames[LAM_JSON_DEPTH_MAX];
} typed_walk;

static const lam_json_token *json_variant_typed_token_at(const typed_walk *walk, uint32_t index) {
    return &walk->reader->parsed->tokens[index];
}

/* --- Scalars: each kind is read as the leaf of a column would be -------------------------------
 */

/* Stands in for a leaf of a kind; the first of its members that count. */
typedef struct stand_in {
    lam_physical_type physical;
    int32_t length;
    lam_logical_type logical;
} stand_in;

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

static lam_status put_column_value(const typed_walk *walk, lam_variant_kind kind,
                                   const lam_json_token *token, lam_error *error) {
    const stand_in *like = &stand_ins[kind];
    struct lam_field leaf;
    lam_value value;
    memset(&leaf, 0, sizeof leaf);
    leaf.physical_type = (uint8_t)like->physical;
    leaf.type_length = like->length;
    leaf.logical_type = like->logical;
    LAM_TRY(lam_json_value_read(walk->reader->parsed, token, &leaf, lam_json_meaning_of(&leaf),
                                walk->reader->binary, walk->reader->scratch, &value, error));
    lam_variant_scalar scalar = lam_variant_scalar_of(kind, like->physical, value);
    return lam_variant_builder_put(walk->reader->builder, &scalar, error);
}

static lam_status json_variant_typed_put_decimal(const typed_walk *walk, lam_variant_kind kind,
                                                 const lam_json_token *token, lam_error *error) {
    lam_variant_scalar scalar = {LAM_VARIANT_UNKNOWN, {0}};
    if (token->kind == LAM_JSON_INTEGER || token->kind == LAM_JSON_REAL)
        (void)lam_json_number_read(lam_json_token_text(walk->reader->parsed, token),
                                   lam_json_token_size(token), &scalar);
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

/* Goes into an object of one member, whose name is a kind; `next` is then at what it holds. */
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
    for (; walk->depth > 0 && walk->frames[walk->depth - 1].end == walk->next; walk->depth--)
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
