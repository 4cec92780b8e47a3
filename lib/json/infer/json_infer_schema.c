/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a schema of the nodes that inference has learnt: each node becomes a column, a group, a
 * LIST or a VARIANT, by the kinds of value seen there. (json.h has the table)
 *
 * The tree is walked in preorder without a stack, by the links of the nodes: into a group while it
 * has members or elements, then to the next member, and back through the parents. Each LIST is two
 * groups of the schema, so leaving an element ends two. Every field is optional, as any record may
 * lack it. (LogicalTypes.md, "Lists", "Variant")
 *
 *     node 1 a: array of integers     optional group a (LIST) {
 *                                       repeated group list { optional int64 element; } }
 */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/wrap.h"
#include "schema/type_union.h"
#include "json/infer/json_infer.h"

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

/* A DECIMAL of 18 digits, or of 38, that holds all numbers seen; false if neither does. */
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

/* --- By the table of types (schema/type_union.h) ------------------------------------------- */

/* Adds a type to what was seen; false when the table has no type for both. */
static bool add_type(lam_leaf_type *type, lam_physical_type physical, lam_logical_type logical) {
    const lam_leaf_type more = {physical, 0, logical};
    return lam_type_unite(type, &more, type) != LAM_TYPES_CLASH;
}

/* The same for a time or timestamp, which has nanoseconds if one value needs them. */
static bool add_moment(lam_leaf_type *type, lam_logical_kind kind, bool is_utc, unsigned saw) {
    lam_logical_type logical = {.kind = kind, .unit = LAM_TIME_UNIT_MICROS};
    logical.adjusted_to_utc = is_utc;
    if ((saw & LAM_JSON_SAW_NANOS) != 0)
        logical.unit = LAM_TIME_UNIT_NANOS;
    return add_type(type, LAM_PHYSICAL_INT64, logical);
}

/* Strings that nanoseconds of 64 bits cannot hold stay strings. */
static bool add_strings(lam_leaf_type *type, unsigned saw) {
    const lam_leaf_type uuid = {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 16, {.kind = LAM_LOGICAL_UUID}};
    const unsigned timestamps = LAM_JSON_SAW_TIMESTAMP | LAM_JSON_SAW_TIMESTAMP_UTC;
    const unsigned beyond = LAM_JSON_SAW_NANOS | LAM_JSON_SAW_BEYOND_NANOS;
    bool is_text =
        (saw & LAM_JSON_SAW_TEXT) != 0 || ((saw & timestamps) != 0 && (saw & beyond) == beyond);
    bool fits = true;
    if (is_text)
        fits = fits && add_type(type, LAM_PHYSICAL_BYTE_ARRAY,
                                (lam_logical_type){.kind = LAM_LOGICAL_STRING});
    if ((saw & LAM_JSON_SAW_DATE) != 0)
        fits = fits &&
               add_type(type, LAM_PHYSICAL_INT32, (lam_logical_type){.kind = LAM_LOGICAL_DATE});
    if ((saw & LAM_JSON_SAW_TIME) != 0)
        fits = fits && add_moment(type, LAM_LOGICAL_TIME, false, saw);
    if ((saw & LAM_JSON_SAW_TIMESTAMP) != 0)
        fits = fits && add_moment(type, LAM_LOGICAL_TIMESTAMP, false, saw);
    if ((saw & LAM_JSON_SAW_TIMESTAMP_UTC) != 0)
        fits = fits && add_moment(type, LAM_LOGICAL_TIMESTAMP, true, saw);
    if ((saw & LAM_JSON_SAW_UUID) != 0)
        fits = fits && lam_type_unite(type, &uuid, type) != LAM_TYPES_CLASH;
    return fits;
}

/*
 * Numbers: each integer is an int64 unless it is above that range, then a uint64. An integer beyond
 * 64 bits is a real. No real may change an integer:
 *
 *     1, -1                    int64
 *     1, 2^63                  uint64, as no integer is negative
 *     -1, 2^63                 DECIMAL(20,0), which holds both
 *     1.5, 2^53                double
 *     1.5, 2^53 + 1            a clash: no double keeps 2^53 + 1
 */
static bool add_numbers(lam_leaf_type *type, unsigned saw) {
    const lam_logical_type none = {.kind = LAM_LOGICAL_NONE};
    const lam_logical_type without_sign = {.kind = LAM_LOGICAL_INTEGER, .bit_width = 64};
    bool has_reals = (saw & (LAM_JSON_SAW_REAL | LAM_JSON_SAW_BEYOND_64)) != 0;
    bool has_above = (saw & LAM_JSON_SAW_ABOVE_INT64) != 0, fits = true;
    bool has_signed = (saw & LAM_JSON_SAW_NEGATIVE) != 0 || !has_above;
    if ((saw & LAM_JSON_SAW_INTEGER) != 0 && has_signed)
        fits = fits && add_type(type, LAM_PHYSICAL_INT64, none);
    if (has_above)
        fits = fits && add_type(type, LAM_PHYSICAL_INT64, without_sign);
    if (has_reals)
        fits = fits && add_type(type, LAM_PHYSICAL_DOUBLE, none) &&
               (saw & LAM_JSON_SAW_NOT_DOUBLE) == 0;
    return fits;
}

/* The type of all scalars seen; false when they clash. */
static bool leaf_of(const lam_inferred_node *node, bool infers_decimals, column *ret_column) {
    unsigned saw = node->saw, numbers = LAM_JSON_SAW_INTEGER | LAM_JSON_SAW_REAL;
    lam_leaf_type type = {LAM_PHYSICAL_INT32, 0, {.kind = LAM_LOGICAL_UNKNOWN}};
    bool fits = true;
    if ((saw & (LAM_JSON_SAW_OBJECT | LAM_JSON_SAW_ARRAY)) != 0)
        return false;
    if (infers_decimals && lam_json_clashing_kinds(saw) == LAM_JSON_SAW_INTEGER &&
        (saw & LAM_JSON_SAW_REAL) != 0 && decimal_of(node, ret_column))
        return true;
    if ((saw & LAM_JSON_SAW_BOOLEAN) != 0)
        fits = fits &&
               add_type(&type, LAM_PHYSICAL_BOOLEAN, (lam_logical_type){.kind = LAM_LOGICAL_NONE});
    if ((saw & LAM_JSON_SAW_STRING) != 0)
        fits = fits && add_strings(&type, saw);
    if ((saw & numbers) != 0)
        fits = fits && add_numbers(&type, saw);
    *ret_column = column_like(type.physical, LAM_LOGICAL_NONE);
    ret_column->options.logical_type = type.logical;
    ret_column->options.type_length = type.type_length;
    return fits;
}

/*
 * Whether a node, whose type is not given, becomes a VARIANT, or by on_clash a STRING, because of
 * its values, and why: CLASH, EMPTY or NUMBERS.
 */
static bool node_has_notice(const lam_json_inference *inference, const lam_inferred_node *node,
                            lam_json_notice_kind *ret_kind) {
    unsigned kinds = lam_json_clashing_kinds(node->saw);
    column made;
    *ret_kind = LAM_JSON_NOTICE_CLASH;
    if (lam_has_several_bits(kinds))
        return true;
    bool is_unfit = (node->saw & LAM_JSON_SAW_UNFIT) != 0;
    *ret_kind = LAM_JSON_NOTICE_NUMBERS;
    if (kinds == LAM_JSON_SAW_INTEGER)
        return is_unfit || !leaf_of(node, inference->infers_decimals, &made);
    *ret_kind = LAM_JSON_NOTICE_EMPTY;
    return kinds == LAM_JSON_SAW_OBJECT && !is_unfit && !node->is_map && node->first_member == 0;
}

/*
 * One kind of value becomes its column; only nulls UNKNOWN; anything else a VARIANT. So do objects
 * that never had a member, as a group cannot be empty.
 */
static column json_infer_schema_column_of(const lam_json_inference *inference,
                                          const lam_inferred_node *node) {
    unsigned saw = node->saw, kinds = lam_json_clashing_kinds(saw);
    column made;
    lam_json_notice_kind kind;
    if (node_has_notice(inference, node, &kind) && inference->on_clash == LAM_CLASH_STRING)
        return column_like(LAM_PHYSICAL_BYTE_ARRAY, LAM_LOGICAL_STRING);
    if ((saw & LAM_JSON_SAW_UNFIT) == 0) {
        if (leaf_of(node, inference->infers_decimals, &made))
            return made;
        if (kinds == LAM_JSON_SAW_ARRAY)
            return column_like(LAM_PHYSICAL_GROUP, LAM_LOGICAL_LIST);
        if (kinds == LAM_JSON_SAW_OBJECT && node->is_map)
            return column_like(LAM_PHYSICAL_GROUP, LAM_LOGICAL_MAP);
        if (kinds == LAM_JSON_SAW_OBJECT && node->first_member != 0)
            return column_like(LAM_PHYSICAL_GROUP, LAM_LOGICAL_NONE);
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

/* The field of a node by the type that the caller chose, or by its values. */
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
 * Adds the field of a node. Gives the first node inside it, and then leaves the group open; its own
 * index if it has no nodes inside.
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
 * Goes from a node whose field is complete to the next one in preorder, and ends groups on the way;
 * 0 at the end. The root is ended by the builder.
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
 * True for a field of the schema that becomes what on_clash says, unless the caller chose its type.
 * Nodes inside a VARIANT are dead since the MAPs were chosen.
 */
static bool is_of_clash(const lam_json_inference *inference, size_t index,
                        lam_json_notice_kind *ret_kind) {
    const lam_inferred_node *node = &inference->nodes[index];
    return !node->is_dead && node->given == 0 && node_has_notice(inference, node, ret_kind);
}

/*
 * Objects of the array at a node, if they may be the records that are meant, and plain names lead
 * to them; else 0.
 */
static uint64_t records_inside(const lam_json_inference *inference, size_t index) {
    const lam_inferred_node *nodes = inference->nodes, *node = &nodes[index];
    if (node->is_dead || node->given != 0 || node->element == 0 || node->is_map ||
        lam_json_clashing_kinds(node->saw) != LAM_JSON_SAW_ARRAY)
        return 0;
    for (uint32_t at = (uint32_t)index; at != 0; at = nodes[at].parent)
        if (nodes[at].is_element || nodes[at].is_map || strpbrk(nodes[at].name, ".[") != NULL)
            return 0;
    return lam_json_clashing_kinds(nodes[node->element].saw) == LAM_JSON_SAW_OBJECT
               ? nodes[node->element].objects
               : 0;
}

/* One document with a long array of objects is often meant as these. */
static lam_status notice_add_array(lam_json_inference *inference, lam_error *error) {
    enum { NOTICED_OBJECTS = 10 };
    uint64_t most = NOTICED_OBJECTS - 1;
    uint32_t longest = 0;
    for (size_t i = 1; i < inference->node_count && inference->record_count == 1; i++) {
        uint64_t count = records_inside(inference, i);
        if (count > most) {
            most = count;
            longest = (uint32_t)i;
        }
    }
    return longest == 0 ? LAM_STATUS_OK
                        : lam_json_notice_add(inference, longest, LAM_JSON_NOTICE_ARRAY, error);
}

static lam_status note_clashes(lam_json_inference *inference, lam_error *error) {
    lam_json_notice_kind kind;
    inference->notices.size = inference->limit_notices * sizeof(lam_json_notice);
    inference->clash_notices = 0;
    for (size_t i = 1; i < inference->node_count; i++)
        if (is_of_clash(inference, i, &kind)) {
            LAM_TRY(lam_json_notice_add(inference, (uint32_t)i, kind, error));
            inference->clash_notices++;
        }
    return notice_add_array(inference, error);
}

/* Fails with the first of all clashes. */
static lam_status check_clashes(const lam_json_inference *inference, lam_error *error) {
    lam_json_notice notice = lam_json_notice_default();
    for (size_t i = 0; i < inference->clash_notices; i++) {
        LAM_TRY(lam_json_inference_notice(inference, inference->limit_notices + i, &notice, error));
        if (notice.kind == LAM_JSON_NOTICE_CLASH)
            LAM_FAIL(error, LAM_STATUS_INVALID,
                     "field %.200s: %s on line %" PRIu64 ", %s on line %" PRIu64, notice.path,
                     notice.values[0], notice.lines[0], notice.values[1], notice.lines[1]);
    }
    return LAM_STATUS_OK;
}

static bool json_whole_records(const lam_json_inference *inference) {
    return (inference->nodes[0].saw & LAM_JSON_SAW_UNFIT) != 0;
}

/*
 * The schema is made with the caller's own allocator, as it outlives the budget of the inference.
 */
lam_status lam_json_inference_schema(lam_json_inference *inference, const char *message_name,
                                     lam_schema **ret_schema, lam_error *error) {
    lam_status status;
    lam_schema_builder *builder = NULL;
    bool whole = json_whole_records(inference);
    lam_json_node_note_given(inference);
    for (size_t i = 0; i < inference->given_count && !whole; i++)
        if (inference->given_seen[i] == LAM_JSON_GIVEN_NOWHERE)
            LAM_FAIL(error, LAM_ERROR_CODE_FIELD_NOT_FOUND, "no record has a field %s",
                     inference->given[i].path);
    LAM_TRY(lam_json_node_give_dotted(inference, error));
    LAM_TRY(lam_json_choose_maps(inference, error));
    LAM_TRY(note_clashes(inference, error));
    if (inference->on_clash == LAM_CLASH_ERROR)
        LAM_TRY(check_clashes(inference, error));
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

static bool json_values_as_text(const lam_json_inference *inference) {
    for (size_t i = 0; i < inference->given_count; i++) {
        lam_logical_kind kind = inference->given[i].options.logical_type.kind;
        if (kind == LAM_LOGICAL_STRING || kind == LAM_LOGICAL_JSON)
            return true;
    }
    return inference->on_clash == LAM_CLASH_STRING && inference->clash_notices > 0;
}

lam_status lam_json_inference_get_info(const lam_json_inference *inference,
                                       lam_json_inference_info *ret_info, lam_error *error) {
    lam_json_inference_info info = lam_json_inference_info_default();
    info.records = inference->record_count;
    info.skipped = inference->skipped;
    info.notice_count = inference->notices.size / sizeof(lam_json_notice);
    info.whole_records = json_whole_records(inference);
    info.values_as_text = json_values_as_text(inference);
    return LAM_INFO_WRITE(lam_json_inference_info, &info, ret_info, error);
}
