/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the value of pairs that were gathered: turns each pair and those inside it into nodes.
 *
 *     value {"a": 1}, typed_value { b: 2 }       {"a": 1, "b": 2}, b by its id in the metadata
 *
 * Takes pairs in preorder, whose names have ids by then, and gives nodes. Bytes of `value` columns
 * are checked and passed on as they are, because all of them were made with the group's metadata.
 * The invariant: the fields of a shredded object are those of typed_value and, beside them, those
 * of `value`, none twice. (VariantShredding.md, "Reconstructing a Shredded Variant")
 */
#include "variant/shred/variant_construct.h"
#include "base/error.h"
#include "dremel/grammar.h"

/*
 * A reader should fail, and one that continues must use typed_value. (VariantShredding.md,
 * "Objects")
 */
lam_status lam_variant_check_conflict(const lam_variant_gather *gather,
                                      const lam_variant_pair *pair, lam_error *error) {
    if (gather->tolerate)
        return LAM_STATUS_OK;
    return lam_field_fail(error, LAM_ERROR_CODE_VARIANT_SHREDDING,
                          lam_variant_node_of(gather, pair)->field,
                          "value and typed_value conflict: both are present");
}

/*
 * Adds one field that is in `value`. A name that is shredded as well is a conflict, even if the
 * shredded field is missing. (VariantShredding.md, "Objects")
 */
static lam_status add_rest_field(lam_variant_gather *gather, const lam_variant_pair *pair,
                                 const lam_variant_container *object, uint32_t index,
                                 bool is_ordered, lam_error *error) {
    uint32_t id = lam_variant_id_at(object, index);
    lam_bytes name = {NULL, 0}, value = {NULL, 0};
    (void)lam_variant_name_at(&gather->dictionary.names, id, &name); /* it is valid */
    (void)lam_variant_child(object, index, &value);
    uint32_t child = lam_variant_plan_find(&gather->plan, pair->node, name);
    if (child == LAM_VARIANT_NO_NODE)
        return lam_variant_put_checked(gather, value, is_ordered, id, error);
    if (gather->tolerate)
        return LAM_STATUS_OK;
    return lam_field_fail(error, LAM_ERROR_CODE_VARIANT_SHREDDING, gather->plan.nodes[child].field,
                          "value and typed_value conflict: value has the shredded field");
}

/* Adds the fields of an object that are in `value`, to the object that is open for typed_value. */
static lam_status add_rest(lam_variant_gather *gather, const lam_variant_pair *pair,
                           lam_error *error) {
    lam_bytes value = lam_variant_value_of(gather, pair);
    lam_variant_container object;
    bool is_ordered;
    if (!lam_variant_is_object(value))
        return lam_variant_check_conflict(gather, pair, error);
    /* Less 1: its fields go into the open object, in the place of the one that holds them. */
    LAM_TRY(lam_variant_check_value(gather, pair, value, gather->encoder.open.count - 1,
                                    &is_ordered, error));
    (void)lam_variant_open_container(value, &object);
    for (uint32_t i = 0; i < object.count; i++)
        LAM_TRY(add_rest_field(gather, pair, &object, i, is_ordered, error));
    return LAM_STATUS_OK;
}

/*
 * Adds the pairs that occurred directly inside a shredded object or array, by skipping over the
 * subtree of each.
 */
static lam_status construct_children(lam_variant_gather *gather, size_t index, lam_error *error) {
    const lam_variant_pair *pair = lam_variant_pair_at(gather, index);
    bool is_object = lam_variant_node_of(gather, pair)->form == LAM_VARIANT_TYPED_OBJECT;
    for (size_t i = index + 1; i < index + pair->subtree_size;
         i += lam_variant_pair_at(gather, i)->subtree_size) {
        const lam_variant_pair *child = lam_variant_pair_at(gather, i);
        uint32_t id = is_object ? lam_variant_id_of_field(gather, child) : 0;
        LAM_TRY(lam_variant_construct_pair(gather, i, id, error));
    }
    return LAM_STATUS_OK;
}

/* Adds a shredded object or array. An object may have more fields in `value`; an array must not. */
static lam_status construct_container(lam_variant_gather *gather, size_t index, uint32_t name,
                                      lam_error *error) {
    const lam_variant_pair *pair = lam_variant_pair_at(gather, index);
    bool is_object = lam_variant_node_of(gather, pair)->form == LAM_VARIANT_TYPED_OBJECT;
    if (!is_object && pair->has_value)
        LAM_TRY(lam_variant_check_conflict(gather, pair, error));
    LAM_TRY(lam_variant_encoder_begin(&gather->encoder,
                                      is_object ? LAM_VARIANT_NODE_OBJECT : LAM_VARIANT_NODE_ARRAY,
                                      name, error));
    if (is_object && pair->has_value)
        LAM_TRY(add_rest(gather, pair, error));
    LAM_TRY(construct_children(gather, index, error));
    lam_variant_encoder_end(&gather->encoder);
    return LAM_STATUS_OK;
}

/* Adds a null if the specification demands a value and the file has none: one byte 00. */
static lam_status construct_null(lam_variant_gather *gather, uint32_t name, lam_error *error) {
    lam_buffer *source = &gather->encoder.source;
    LAM_TRY(lam_buffer_append_byte(source, 0, error));
    return lam_variant_encoder_add(&gather->encoder, name, source->size - 1, 1, error);
}

/*
 * The four cases of a pair: typed_value of an object or array, a scalar typed_value, neither value
 * nor typed_value, `value` alone. The calls nest as deep as the schema does.
 */
lam_status lam_variant_construct_pair(lam_variant_gather *gather, size_t index, uint32_t name,
                                      lam_error *error) {
    const lam_variant_pair *pair = lam_variant_pair_at(gather, index);
    uint8_t form = lam_variant_node_of(gather, pair)->form;
    if (pair->has_typed && form != LAM_VARIANT_TYPED_SCALAR)
        return construct_container(gather, index, name, error);
    if (pair->has_typed) {
        if (pair->has_value)
            LAM_TRY(lam_variant_check_conflict(gather, pair, error));
        return lam_variant_encoder_add(&gather->encoder, name, pair->typed_offset, pair->typed_size,
                                       error);
    }
    if (!pair->has_value)
        return construct_null(gather, name, error);
    return lam_variant_put_value(gather, pair, lam_variant_value_of(gather, pair), name, error);
}
