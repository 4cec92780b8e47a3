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
static column json_infer_schema_column_of(const lam_inferred_node *node) {
    unsigned saw = node->saw;
    if ((saw & LAM_JSON_SAW_UNFIT) != 0)
        return column_like(LAM_PHYSICAL_GROUP, LAM_LOGICAL_VARIANT);
    switch (lam_json_clashing_kinds(saw)) {
    case 0:
        return column_like(LAM_PHYSICAL_INT32, LAM_LOGICAL_UNKNOWN);
    case LAM_JSON_SAW_BOOLEAN:
        return column_like(LAM_PHYSICAL_BOOLEAN, LAM_LOGICAL_NONE);
    case LAM_JSON_SAW_STRING:
        return column_like(LAM_PHYSICAL_BYTE_ARRAY, LAM_LOGICAL_STRING);
    case LAM_JSON_SAW_INTEGER:
        return json_infer_schema_number_of(saw);
    case LAM_JSON_SAW_ARRAY:
        return column_like(LAM_PHYSICAL_GROUP, LAM_LOGICAL_LIST);
    case LAM_JSON_SAW_OBJECT:
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

/*
 * Adds the field of a node. Gives the first node inside of it, and then leaves the group open; its
 * own index if there is none.
 */
static lam_status json_infer_schema_add_field(lam_json_inference *inference,
                                              lam_schema_builder *builder, uint32_t index,
                                              uint32_t *ret_inside, lam_error *error) {
    const lam_inferred_node *node = &inference->nodes[index];
    bool is_element = inference->nodes[node->parent].element == index;
    const char *name = is_element ? "element" : node->name;
    column own = json_infer_schema_column_of(node);
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
    LAM_TRY(lam_schema_builder_begin_group(builder, "list", LAM_REPETITION_REPEATED, NULL, error));
    if (node->element != 0) {
        *ret_inside = node->element;
        return LAM_STATUS_OK;
    }
    /* All arrays were empty: the element is UNKNOWN. */
    column nothing = column_like(LAM_PHYSICAL_INT32, LAM_LOGICAL_UNKNOWN);
    LAM_TRY(json_infer_schema_add_leaf(builder, "element", &nothing, error));
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
    while (*index != 0 && node->next_member == 0) {
        bool is_element = inference->nodes[node->parent].element == *index;
        *index = node->parent;
        node = &inference->nodes[*index];
        if (*index == 0)
            return LAM_STATUS_OK;
        LAM_TRY(lam_schema_builder_end_group(builder, error));
        if (is_element)
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
            LAM_TRY(json_infer_schema_go_on(inference, builder, &index, error));
    }
    return LAM_STATUS_OK;
}

/*
 * The schema is made with the caller's own allocator, as it outlives the budget of the inference.
 */
lam_status lam_json_inference_schema(lam_json_inference *inference, const char *message_name,
                                     lam_schema **ret_schema, lam_error *error) {
    lam_status status;
    lam_schema_builder *builder = NULL;
    for (size_t i = 0; i < inference->variant_count; i++)
        if (!inference->variants_seen[i])
            LAM_FAIL(error, LAM_ERROR_CODE_FIELD_NOT_FOUND, "no record has a field %s",
                     inference->variants[i]);
    LAM_TRY_OUT(
        lam_schema_builder_create(message_name, &inference->budget.beneath, &builder, error));
    LAM_TRY_OUT(json_infer_schema_build(inference, builder, error));
    LAM_TRY_OUT(lam_schema_builder_finish(builder, ret_schema, error));
out:
    lam_schema_builder_destroy(builder);
    return status;
}
