/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes the bytes of a `value` column into the value that is assembled.
 *
 * Takes bytes of a file, and gives one node that refers to them, or one for every value inside.
 * They are validated and then used as they are, because they were made with the group's metadata,
 * whose ids never change. Only if the fields of an object are not in the order of their names, as
 * some writers leave them, every value inside becomes a node, so that encoding sorts them. No value
 * ever becomes a node before it is proven well formed. (VariantShredding.md, "Objects")
 */
#include "base/error.h"
#include "dremel/grammar.h"
#include "variant/shred/variant_construct.h"
#include "variant/value/variant_validate.h"

lam_bytes lam_variant_value_of(const lam_variant_gather *gather, const lam_variant_pair *pair) {
    lam_bytes value = {NULL, (size_t)pair->value_size};
    if (value.size > 0) /* an empty source may be NULL, to which no offset can be added */
        value.data = gather->encoder.source.data + pair->value_offset;
    return value;
}

/*
 * Errors get the path of the column. Decimals of more digits than their kind allows are accepted,
 * as early writers left them, and passed on.
 */
lam_status lam_variant_check_value(const lam_variant_gather *gather, const lam_variant_pair *pair,
                                   lam_bytes value, size_t around, bool *ret_ordered,
                                   lam_error *error) {
    const lam_field *field = lam_variant_node_of(gather, pair)->value;
    lam_variant_traits met;
    lam_error inner = lam_error_none();
    lam_status status = lam_variant_validate_value(
        &gather->dictionary.given, value,
        LAM_VARIANT_ACCEPT_WIDE_DECIMALS | LAM_VARIANT_ACCEPT_ANY_ORDER, &met, &inner);
    if (status != LAM_STATUS_OK)
        return lam_field_fail(error, lam_error_kind(&inner), field, "%s", inner.message);
    if (met.depth > 0 && met.depth + around > LAM_VARIANT_DEPTH_MAX)
        return lam_field_fail(error, LAM_ERROR_CODE_VARIANT_LIMIT, field,
                              "variant: nested deeper than %d", LAM_VARIANT_DEPTH_MAX);
    *ret_ordered = (met.accepted & LAM_VARIANT_ACCEPT_ANY_ORDER) == 0;
    return LAM_STATUS_OK;
}

/* A container whose children become nodes, and the index of the next one. */
typedef struct variant_construct_value_frame {
    lam_bytes value;
    uint32_t next;
} variant_construct_value_frame;

/* Adds a scalar as a node, or opens a container and pushes its frame. */
static lam_status begin_child(lam_variant_encoder *encoder, lam_bytes value, uint32_t name,
                              variant_construct_value_frame *frames, size_t *depth,
                              lam_error *error) {
    if (!lam_variant_is_container(value))
        return lam_variant_encoder_add(encoder, name, (uint64_t)(value.data - encoder->source.data),
                                       value.size, error);
    LAM_TRY(lam_variant_encoder_begin(
        encoder, lam_variant_is_object(value) ? LAM_VARIANT_NODE_OBJECT : LAM_VARIANT_NODE_ARRAY,
        name, error));
    frames[*depth].value = value;
    frames[(*depth)++].next = 0; /* no deeper than validation goes */
    return LAM_STATUS_OK;
}

/*
 * Adds a node for every value inside, with a stack of fixed size: validation has bounded the depth.
 */
static lam_status variant_construct_value_put_children(lam_variant_gather *gather, lam_bytes value,
                                                       uint32_t name, lam_error *error) {
    lam_variant_encoder *encoder = &gather->encoder;
    variant_construct_value_frame frames[LAM_VARIANT_DEPTH_MAX];
    size_t depth = 0;
    LAM_TRY(begin_child(encoder, value, name, frames, &depth, error));
    while (depth > 0) {
        variant_construct_value_frame *top = &frames[depth - 1];
        lam_variant_container container;
        lam_bytes child = {NULL, 0};
        (void)lam_variant_open_container(top->value, &container); /* it is valid */
        if (top->next == container.count) {
            lam_variant_encoder_end(encoder);
            depth--;
            continue;
        }
        uint32_t id = container.id_width > 0 ? lam_variant_id_at(&container, top->next) : 0;
        (void)lam_variant_child(&container, top->next++, &child);
        LAM_TRY(begin_child(encoder, child, id, frames, &depth, error));
    }
    return LAM_STATUS_OK;
}

/* Sorting fields needs the ranks of names, which are made here if they do not exist yet. */
lam_status lam_variant_put_checked(lam_variant_gather *gather, lam_bytes value, bool is_ordered,
                                   uint32_t name, lam_error *error) {
    if (is_ordered)
        return lam_variant_encoder_add(&gather->encoder, name,
                                       (uint64_t)(value.data - gather->encoder.source.data),
                                       value.size, error);
    gather->is_reordered = true;
    LAM_TRY(lam_variant_dictionary_order(&gather->dictionary, error));
    return variant_construct_value_put_children(gather, value, name, error);
}

lam_status lam_variant_put_value(lam_variant_gather *gather, const lam_variant_pair *pair,
                                 lam_bytes value, uint32_t name, lam_error *error) {
    bool is_ordered;
    LAM_TRY(lam_variant_check_value(gather, pair, value, gather->encoder.open.count, &is_ordered,
                                    error));
    return lam_variant_put_checked(gather, value, is_ordered, name, error);
}

/*
 * Names of nodes are field ids already. Ranks matter only if names are not sorted; without nodes
 * from unordered objects a repeated name can only come from the caller's events.
 */
lam_status lam_variant_encode_gathered(lam_variant_gather *gather, lam_error *error) {
    lam_variant_naming naming = {NULL, NULL, true, false};
    uint32_t twice;
    if (gather->dictionary.is_ordered)
        naming.rank = lam_variant_dictionary_ranks(&gather->dictionary);
    lam_buffer_clear(&gather->value);
    lam_status status = lam_variant_encoder_write(
        &gather->encoder, &naming, gather->encoder.source.data, &gather->value, &twice, error);
    if (status == LAM_STATUS_INVALID && gather->is_reordered)
        return lam_field_fail(error, LAM_ERROR_CODE_VARIANT_SHREDDING, gather->plan.group,
                              "variant: a name appears twice in its object");
    if (status == LAM_STATUS_INVALID)
        return lam_field_fail(error, LAM_STATUS_INVALID, gather->plan.group,
                              "a field of a shredded object appears twice");
    return status;
}

/*
 * Encodes the value as if it were unordered: encoding finds the repetition. The result is dropped.
 */
lam_status lam_variant_check_unique(lam_variant_gather *gather, lam_bytes value, lam_error *error) {
    lam_status status = lam_variant_put_checked(gather, value, false, 0, error);
    if (status == LAM_STATUS_OK)
        status = lam_variant_encode_gathered(gather, error);
    lam_variant_encoder_rewind(&gather->encoder);
    return status;
}
