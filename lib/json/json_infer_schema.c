/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a schema of the nodes that inference has learnt: each node becomes a column, a group, a
 * LIST or a VARIANT, by the kinds of value seen there. (json.h has the table)
 *
 * The tree is walked in preorder without a stack, by the links of the nodes: into a group as long
 * as it has members or elements, then to the next member, and back through the parents. Each LIST
 * is two groups of the schema, so leaving an element ends two. Every field is optional, as any
 * record may lack it. (LogicalTypes.md, "Lists", "Variant")
 *
 *     node 1 a: array of integers     optional group a (LIST) {
 *                                       repeated group list { optional int64 element; } }
 */
#include "base/error.h"
#include "base/wrap.h"
#include "json/json_infer.h"

/* The field that a node becomes. */
typedef struct column {
    lam_physical_type type; /* GROUP for a VARIANT, a LIST or a group of members */
    lam_field_options options;
} column;

/* A column of that type, whose annotation has no arguments. Version 1 is that of VARIANT. */
static column column_like(lam_physical_type type, lam_logical_kind kind) {
    column made = {type, {{0}, 0, false, 0}};
    made.options.logical_type.kind = kind;
    made.options.logical_type.version = kind == LAM_LOGICAL_VARIANT;
    return made;
}

/* A DECIMAL of 18 digits, or of 38, that holds all numbers seen; false if there is none. */
static bool decimal_of(const lam_inferred_node *node, column *ret_column) {
    enum { NARROW = 18, WIDE = 38, WIDE_BYTES = 16 };
    int digits = node->digits + node->scale;
    if ((node->saw & LAM_JSON_SAW_NOT_DECIMAL) != 0 || digits > WIDE)
        return false;
    *ret_column =
        column_like(digits > NARROW ? LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY : LAM_PHYSICAL_INT64,
                    LAM_LOGICAL_DECIMAL);
    ret_column->options.type_length = digits > NARROW ? WIDE_BYTES : 0;
    ret_column->options.logical_type.precision = digits > NARROW ? WIDE : NARROW;
    ret_column->options.logical_type.scale = node->scale;
    return true;
}

/* Chooses the type that holds all strings seen. */
static column text_of(unsigned saw) {
    unsigned kinds =
        saw & (LAM_JSON_SAW_TEXT | LAM_JSON_SAW_DATE | LAM_JSON_SAW_TIME | LAM_JSON_SAW_TIMESTAMP |
               LAM_JSON_SAW_TIMESTAMP_UTC | LAM_JSON_SAW_UUID);
    column made = column_like(LAM_PHYSICAL_INT64, LAM_LOGICAL_TIMESTAMP);
    made.options.logical_type.unit =
        saw & LAM_JSON_SAW_NANOS ? LAM_TIME_UNIT_NANOS : LAM_TIME_UNIT_MICROS;
    made.options.logical_type.adjusted_to_utc = kinds == LAM_JSON_SAW_TIMESTAMP_UTC;
    switch (kinds) {
    case LAM_JSON_SAW_DATE:
        return column_like(LAM_PHYSICAL_INT32, LAM_LOGICAL_DATE);
    case LAM_JSON_SAW_TIME:
        made.options.logical_type.kind = LAM_LOGICAL_TIME;
        return made;
    case LAM_JSON_SAW_TIMESTAMP:
    case LAM_JSON_SAW_TIMESTAMP | LAM_JSON_SAW_DATE:
    case LAM_JSON_SAW_TIMESTAMP_UTC:
        if ((saw & LAM_JSON_SAW_NANOS) == 0 || (saw & LAM_JSON_SAW_BEYOND_NANOS) == 0)
            return made;
        break;
    case LAM_JSON_SAW_UUID:
        made = column_like(LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, LAM_LOGICAL_UUID);
        made.options.type_length = 16;
        return made;
    default:
        break;
    }
    return column_like(LAM_PHYSICAL_BYTE_ARRAY, LAM_LOGICAL_STRING);
}

/*
 * Chooses the narrowest of int64, uint64 and double that keeps all integers seen, a VARIANT if
 * there is none:
 *
 *     1, -1                    int64
 *     1, 2^63                  uint64, as no integer is negative
 *     -1, 2^63                 double, as it holds 2^63 exactly
 *     1.5, 2^53 + 1            VARIANT: no double keeps 2^53 + 1
 */
static column json_infer_schema_number_of(unsigned saw) {
    column unsigned_leaf = column_like(LAM_PHYSICAL_INT64, LAM_LOGICAL_INTEGER);
    unsigned_leaf.options.logical_type.bit_width = 64;
    unsigned wide = LAM_JSON_SAW_ABOVE_INT64 | LAM_JSON_SAW_BEYOND_64;
    if ((saw & (wide | LAM_JSON_SAW_REAL)) == 0)
        return column_like(LAM_PHYSICAL_INT64, LAM_LOGICAL_NONE);
    if ((saw & (LAM_JSON_SAW_BEYOND_64 | LAM_JSON_SAW_NEGATIVE | LAM_JSON_SAW_REAL)) == 0)
        return unsigned_leaf;
    if ((saw & LAM_JSON_SAW_NOT_DOUBLE) == 0)
        return column_like(LAM_PHYSICAL_DOUBLE, LAM_LOGICAL_NONE);
    return column_like(LAM_PHYSICAL_GROUP, LAM_LOGICAL_VARIANT);
}

/*
 * One kind of value becomes its column; nulls alone UNKNOWN; anything else a VARIANT. So do objects
 * that never had a member, as a group cannot be empty.
 */
static column json_infer_schema_column_of(const lam_json_inference *inference,
                                          const lam_inferred_node *node) {
    unsigned saw = node->saw, kinds = lam_json_clashing_kinds(saw);
    column made;
    if (inference->on_clash == LAM_JSON_CLASH_STRING && lam_has_several_bits(kinds))
        return column_like(LAM_PHYSICAL_BYTE_ARRAY, LAM_LOGICAL_STRING);
    if ((saw & LAM_JSON_SAW_UNFIT) != 0)
        return column_like(LAM_PHYSICAL_GROUP, LAM_LOGICAL_VARIANT);
    switch (kinds) {
    case 0:
        return column_like(LAM_PHYSICAL_INT32, LAM_LOGICAL_UNKNOWN);
    case LAM_JSON_SAW_BOOLEAN:
        return column_like(LAM_PHYSICAL_BOOLEAN, LAM_LOGICAL_NONE);
    case LAM_JSON_SAW_STRING:
        return text_of(saw);
    case LAM_JSON_SAW_INTEGER:
        if (inference->infers_decimals && (saw & LAM_JSON_SAW_REAL) != 0 && decimal_of(node, &made))
            return made;
        return json_infer_schema_number_of(saw);
    case LAM_JSON_SAW_ARRAY:
        return column_like(LAM_PHYSICAL_GROUP, LAM_LOGICAL_LIST);
    case LAM_JSON_SAW_OBJECT:
        if (node->is_map)
            return column_like(LAM_PHYSICAL_GROUP, LAM_LOGICAL_MAP);
        if (node->first_member != 0)
            return column_like(LAM_PHYSICAL_GROUP, LAM_LOGICAL_NONE);
        break;
    default:
        break;
    }
    return column_like(LAM_PHYSICAL_GROUP, LAM_LOGICAL_VARIANT);
}

static lam_status json_infer_schema_add_leaf(lam_schema_builder *builder, const char *name,
                                             const column *leaf, lam_error *error) {
    return lam_schema_builder_add_leaf(builder, name, LAM_REPETITION_OPTIONAL, leaf->type,
                                       &leaf->options, error);
}

/*
 * Adds the columns of an unshredded VARIANT to its group, and ends it. (VariantEncoding.md,
 * "Variant in Parquet")
 */
static lam_status add_variant(lam_schema_builder *builder, lam_error *error) {
    static const char *const names[] = {"metadata", "value"};
    for (int i = 0; i < 2; i++)
        LAM_TRY(lam_schema_builder_add_leaf(builder, names[i], LAM_REPETITION_REQUIRED,
                                            LAM_PHYSICAL_BYTE_ARRAY, NULL, error));
    return lam_schema_builder_end_group(builder, error);
}

/* The field of a node whose type the caller chose, or what was seen there. */
static lam_status json_infer_schema_choose(const lam_json_inference *inference,
                                           const lam_inferred_node *node, column *ret_column,
                                           lam_error *error) {
    if (node->given == 0) {
        *ret_column = json_infer_schema_column_of(inference, node);
        return LAM_STATUS_OK;
    }
    const lam_json_column *given = &inference->given[node->given - 1];
    if (given->type != LAM_PHYSICAL_GROUP) {
        *ret_column = (column){given->type, given->options};
        return LAM_STATUS_OK;
    }
    *ret_column = column_like(LAM_PHYSICAL_GROUP, given->options.logical_type.kind);
    if (given->options.logical_type.kind == LAM_LOGICAL_VARIANT)
        return LAM_STATUS_OK;
    unsigned kinds = lam_json_clashing_kinds(node->saw) & ~(unsigned)LAM_JSON_SAW_OBJECT;
    if (kinds != 0 || (!node->is_map && node->first_member == 0))
        LAM_FAIL(error, LAM_STATUS_INVALID, "%s cannot be a %s: %s", given->path,
                 node->is_map ? "MAP" : "group",
                 kinds != 0 ? "not all of its values are objects" : "its objects are empty");
    return LAM_STATUS_OK;
}

/*
 * Adds the repeated group of a LIST or MAP, which stays open, and the key of a MAP.
 * (LogicalTypes.md, "Maps")
 */
static lam_status add_repeated(lam_schema_builder *builder, bool is_map, lam_error *error) {
    column key = column_like(LAM_PHYSICAL_BYTE_ARRAY, LAM_LOGICAL_STRING);
    LAM_TRY(lam_schema_builder_begin_group(builder, is_map ? "key_value" : "list",
                                           LAM_REPETITION_REPEATED, NULL, error));
    return is_map ? lam_schema_builder_add_leaf(builder, "key", LAM_REPETITION_REQUIRED, key.type,
                                                &key.options, error)
                  : LAM_STATUS_OK;
}

/*
 * Adds the field of a node. Gives the first node inside of it, and then leaves the group open; its
 * own index if there is none.
 */
static lam_status json_infer_schema_add_field(lam_json_inference *inference,
                                              lam_schema_builder *builder, uint32_t index,
                                              uint32_t *ret_inside, lam_error *error) {
    const lam_inferred_node *node = &inference->nodes[index];
    bool of_map = inference->nodes[node->parent].is_map;
    const char *name = node->is_element ? of_map ? "value" : "element" : node->name;
    column own;
    LAM_TRY(json_infer_schema_choose(inference, node, &own, error));
    *ret_inside = index;
    if (own.type != LAM_PHYSICAL_GROUP)
        return json_infer_schema_add_leaf(builder, name, &own, error);
    LAM_TRY(lam_schema_builder_begin_group(builder, name, LAM_REPETITION_OPTIONAL, &own.options,
                                           error));
    if (own.options.logical_type.kind == LAM_LOGICAL_VARIANT)
        return add_variant(builder, error);
    if (own.options.logical_type.kind == LAM_LOGICAL_NONE) {
        *ret_inside = node->first_member;
        return LAM_STATUS_OK;
    }
    LAM_TRY(add_repeated(builder, node->is_map, error));
    if (node->element != 0) {
        *ret_inside = node->element;
        return LAM_STATUS_OK;
    }
    /* All arrays or MAPs were empty: the element is UNKNOWN. */
    column nothing = column_like(LAM_PHYSICAL_INT32, LAM_LOGICAL_UNKNOWN);
    LAM_TRY(
        json_infer_schema_add_leaf(builder, node->is_map ? "value" : "element", &nothing, error));
    /* unreachable: the group has a field, so that it ends */
    LAM_TRY(lam_schema_builder_end_group(builder, error));
    return lam_schema_builder_end_group(builder, error);
}

/*
 * Goes from a node whose field is whole to the next one in preorder, and ends groups on the way; 0
 * at the end. The root is ended by the builder.
 */
static lam_status json_infer_schema_go_on(lam_json_inference *inference,
                                          lam_schema_builder *builder, uint32_t *index,
                                          lam_error *error) {
    const lam_inferred_node *node = &inference->nodes[*index];
    while (node->next_member == 0) {
        bool is_element = node->is_element;
        *index = node->parent;
        node = &inference->nodes[*index];
        if (*index == 0)
            return LAM_STATUS_OK;
        /* unreachable: the group has a field, that of the node, so that it ends */
        LAM_TRY(lam_schema_builder_end_group(builder, error));
        if (is_element)
            /* unreachable: it has the repeated group that just ended */
            LAM_TRY(lam_schema_builder_end_group(builder, error));
    }
    *index = node->next_member;
    return LAM_STATUS_OK;
}

static lam_status json_infer_schema_build(lam_json_inference *inference,
                                          lam_schema_builder *builder, lam_error *error) {
    uint32_t index = inference->nodes[0].first_member;
    while (index != 0) {
        uint32_t inside = index;
        LAM_TRY(json_infer_schema_add_field(inference, builder, index, &inside, error));
        if (inside != index)
            index = inside;
        else
            /* unreachable: groups that have a field end */
            LAM_TRY(json_infer_schema_go_on(inference, builder, &index, error));
    }
    return LAM_STATUS_OK;
}

/* Each record is a VARIANT, as the root cannot be one. */
static lam_status add_whole_record(lam_schema_builder *builder, lam_error *error) {
    column own = column_like(LAM_PHYSICAL_GROUP, LAM_LOGICAL_VARIANT);
    LAM_TRY(lam_schema_builder_begin_group(builder, "record", LAM_REPETITION_REQUIRED, &own.options,
                                           error));
    return add_variant(builder, error);
}

/*
 * The schema is made with the caller's own allocator, as it outlives the budget of the inference.
 */
lam_status lam_json_inference_schema(lam_json_inference *inference, const char *message_name,
                                     lam_schema **ret_schema, lam_error *error) {
    lam_status status;
    lam_schema_builder *builder = NULL;
    bool whole = lam_json_inference_whole_records(inference);
    lam_json_node_note_given(inference);
    for (size_t i = 0; i < inference->given_count && !whole; i++)
        if (!inference->given_seen[i])
            LAM_FAIL(error, LAM_ERROR_CODE_FIELD_NOT_FOUND, "no record has a field %s",
                     inference->given[i].path);
    LAM_TRY(lam_json_choose_maps(inference, error));
    LAM_TRY(lam_json_notice_add_clashes(inference, error));
    LAM_TRY_OUT(
        lam_schema_builder_create(message_name, &inference->budget.beneath, &builder, error));
    if (whole)
        LAM_TRY_OUT(add_whole_record(builder, error));
    else
        LAM_TRY_OUT(json_infer_schema_build(inference, builder, error));
    LAM_TRY_OUT(lam_schema_builder_finish(builder, ret_schema, error));
out:
    lam_schema_builder_destroy(builder);
    return status;
}

bool lam_json_inference_whole_records(const lam_json_inference *inference) {
    return (inference->nodes[0].saw & LAM_JSON_SAW_UNFIT) != 0;
}

bool lam_json_inference_values_as_text(const lam_json_inference *inference) {
    for (size_t i = 0; i < inference->given_count; i++) {
        lam_logical_kind kind = inference->given[i].options.logical_type.kind;
        if (kind == LAM_LOGICAL_STRING || kind == LAM_LOGICAL_JSON)
            return true;
    }
    return inference->on_clash == LAM_JSON_CLASH_STRING &&
           lam_json_inference_notice_count(inference) > inference->limit_notices;
}
