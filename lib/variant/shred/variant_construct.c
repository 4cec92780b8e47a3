/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the value of the pairs that were gathered: fixes the field ids of shredded fields, then
 * turns pairs into nodes and encodes them.
 *
 *     value {"a": 1}, typed_value { b: 2 }       {"a": 1, "b": 2}, b by its id in the metadata
 *
 * In come pairs in preorder; out go bytes and metadata. Bytes of `value` columns are checked and go
 * on as they are, because all of them were made with the metadata of the group; only shredded
 * fields need an id, and names that the metadata lacks are added behind its own. The invariant: no
 * id of the given metadata changes. A record without typed_value is its `value`, without a copy.
 * (VariantShredding.md, "Reconstructing a Shredded Variant")
 */
#include "variant/shred/variant_construct.h"
#include "base/error.h"
#include "dremel/grammar.h"

/* --- Names ------------------------------------------------------------------------------------ */

/* The id of each name of the plan in the present dictionary, or a LAM_VARIANT_ID_.. constant. */
static uint32_t *ids_of(const lam_variant_gather *gather) {
    return (uint32_t *)(void *)gather->ids.data;
}

/* The number of a node's name in gather->names. */
static uint32_t variant_construct_number_of(const lam_variant_gather *gather, uint32_t node) {
    return ((const uint32_t *)(const void *)gather->numbers.data)[node];
}

/*
 * Searches a new dictionary for all names of the plan: walks along both, as both are sorted. Where
 * the plan has more than eight times as many names, or the dictionary is not sorted, each name is
 * searched when it is needed instead.
 */
static void seek_all(lam_variant_gather *gather) {
    enum { PLAN_CHILD = 8 };
    const lam_variant_names_view *names = &gather->dictionary.names;
    const uint32_t *sorted = (const uint32_t *)(const void *)gather->sorted.data;
    uint32_t *ids = ids_of(gather);
    size_t count = gather->names.count, at = 0;
    bool walks = names->is_sorted && count / PLAN_CHILD <= names->count;
    for (size_t i = 0; i < count; i++)
        ids[i] = walks ? LAM_VARIANT_ID_MISSING : LAM_VARIANT_ID_NOT_SOUGHT;
    for (uint32_t id = 0; walks && id < names->count && at < count; id++) {
        lam_bytes name = {NULL, 0};
        (void)lam_variant_name_at(names, id, &name); /* it is valid */
        int order = -1;
        for (; at < count && order < 0; at++) {
            order = lam_variant_compare_names(
                lam_variant_name_bytes(&gather->names.names[sorted[at]]), name);
            if (order == 0)
                ids[sorted[at]] = id;
        }
        at -= order > 0; /* this name of the plan sorts behind: compare it with the next id */
    }
}

/* Any pair counts, also one deep inside: all of them share the one metadata. */
bool lam_variant_lacks_metadata(const lam_variant_gather *gather) {
    size_t count = gather->pairs.size / sizeof(lam_variant_pair);
    bool has_value = false;
    for (size_t i = 0; !gather->has_metadata && i < count; i++)
        has_value |= lam_variant_pair_at(gather, i)->has_value;
    return has_value;
}

lam_bytes lam_variant_given_metadata(const lam_variant_gather *gather) {
    static const uint8_t no_names[] = {LAM_VARIANT_VERSION, 0, 0};
    lam_bytes none = {no_names, sizeof no_names};
    return gather->has_metadata ? lam_buffer_bytes(&gather->metadata) : none;
}

/*
 * Takes the metadata of the record. Null metadata counts as empty, which is fine only without a
 * `value`: names of shredded fields come from the schema, but ids in bytes mean nothing without a
 * dictionary.
 */
static lam_status set_dictionary(lam_variant_gather *gather, lam_error *error) {
    const lam_field *field = gather->plan.metadata;
    lam_error inner = lam_error_none();
    bool same, is_required = field->repetition == LAM_REPETITION_REQUIRED;
    if (!gather->has_metadata && is_required && gather->tree == NULL)
        return lam_field_fail(error, LAM_ERROR_CODE_VARIANT_METADATA, field,
                              "required, but missing");
    if (lam_variant_lacks_metadata(gather))
        return lam_field_fail(error, LAM_ERROR_CODE_VARIANT_METADATA, field,
                              "null, but there is a value that needs it");
    lam_status status = lam_variant_dictionary_set(
        &gather->dictionary, lam_variant_given_metadata(gather), &same, &inner);
    int kind = status == LAM_STATUS_CORRUPT ? (int)LAM_ERROR_CODE_VARIANT_METADATA
                                            : lam_error_kind(&inner);
    if (status != LAM_STATUS_OK)
        return lam_field_fail(error, kind, field, "%s", inner.message);
    if (same)
        return LAM_STATUS_OK;
    seek_all(gather);
    gather->is_extended = false;
    return LAM_STATUS_OK;
}

/* Whether the dictionary has a name, searched now if it was not before. */
static bool seek(lam_variant_gather *gather, uint32_t number) {
    uint32_t *id = &ids_of(gather)[number];
    if (*id == LAM_VARIANT_ID_NOT_SOUGHT &&
        !lam_variant_dictionary_find(&gather->dictionary,
                                     lam_variant_name_bytes(&gather->names.names[number]), id))
        *id = LAM_VARIANT_ID_MISSING;
    return *id != LAM_VARIANT_ID_MISSING;
}

/*
 * Puts a name on the list of names to add, unless the dictionary has it or it is on the list
 * already.
 */
static lam_status want_name(lam_variant_gather *gather, uint32_t number, lam_error *error) {
    if (ids_of(gather)[number] == LAM_VARIANT_ID_COMING || seek(gather, number))
        return LAM_STATUS_OK;
    lam_bytes name = lam_variant_name_bytes(&gather->names.names[number]);
    LAM_TRY(lam_buffer_append(&gather->missing, &name, sizeof name, error));
    ids_of(gather)[number] = LAM_VARIANT_ID_COMING;
    return LAM_STATUS_OK;
}

/*
 * Adds the listed names to the dictionary. They are searched once more for their ids when needed.
 */
static lam_status add_names(lam_variant_gather *gather, lam_error *error) {
    lam_variant_dictionary *dictionary = &gather->dictionary;
    size_t count = gather->missing.size / sizeof(lam_bytes);
    const lam_bytes *names = (const lam_bytes *)(const void *)gather->missing.data;
    if (count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_variant_dictionary_extend(dictionary, names, count, error));
    LAM_TRY(lam_variant_dictionary_order(dictionary, error));
    for (size_t i = 0; i < gather->names.count; i++)
        if (ids_of(gather)[i] == LAM_VARIANT_ID_COMING)
            ids_of(gather)[i] = LAM_VARIANT_ID_NOT_SOUGHT;
    gather->is_extended = true;
    return LAM_STATUS_OK;
}

/*
 * Makes sure that every shredded field that is present has an id. Names that the dictionary lacks
 * are added: at first those of this record alone, and the second time all names of the plan, so
 * that one metadata is rewritten at most twice however many records share it.
 */
static lam_status name_fields(lam_variant_gather *gather, lam_error *error) {
    size_t count = gather->pairs.size / sizeof(lam_variant_pair);
    lam_buffer_clear(&gather->missing);
    LAM_TRY(lam_variant_dictionary_order(&gather->dictionary, error));
    for (size_t i = 1; i < count; i++) {
        const lam_variant_pair *pair = lam_variant_pair_at(gather, i);
        if (gather->plan.nodes[pair->node].is_field)
            LAM_TRY(want_name(gather, variant_construct_number_of(gather, pair->node), error));
    }
    for (size_t i = 0; gather->is_extended && gather->missing.size > 0 && i < gather->names.count;
         i++)
        LAM_TRY(want_name(gather, (uint32_t)i, error));
    return add_names(gather, error);
}

/*
 * Names for the fields, unless there are none. A failure halfway drops the dictionary, so that the
 * next record starts with a valid one.
 */
static lam_status make_names(lam_variant_gather *gather, lam_error *error) {
    if (gather->names.count == 0 && gather->tree == NULL)
        return LAM_STATUS_OK;
    lam_status status = name_fields(gather, error);
    if (status != LAM_STATUS_OK)
        gather->dictionary.is_known = false; /* some ids may be made and others not */
    return status;
}

/* --- Values ----------------------------------------------------------------------------------- */

/*
 * A reader should fail, and one that goes on must use typed_value. (VariantShredding.md, "Objects")
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
 * Adds one field that is in `value`. A name that is shredded as well is a conflict, even where the
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
    LAM_TRY(lam_variant_check_value(gather, pair, value, gather->encoder.depth - 1, &is_ordered,
                                    error));
    (void)lam_variant_open_container(value, &object);
    for (uint32_t i = 0; i < object.count; i++)
        LAM_TRY(add_rest_field(gather, pair, &object, i, is_ordered, error));
    return LAM_STATUS_OK;
}

/* name_fields has added the name if it was missing, so the search succeeds. */
uint32_t lam_variant_id_of_field(lam_variant_gather *gather, const lam_variant_pair *pair) {
    uint32_t number = variant_construct_number_of(gather, pair->node);
    (void)seek(gather, number);
    return ids_of(gather)[number];
}

/*
 * Adds the pairs that occurred directly inside of a shredded object or array, by skipping over the
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

/* Adds a null where the specification demands a value and the file has none: one byte 00. */
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

/*
 * Names of nodes are field ids already. Ranks matter only where names are not sorted; without nodes
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
 * A record whose VARIANT is in `value` alone, and in order, takes the short way: its bytes are
 * checked and given as they are.
 */
lam_status lam_variant_gather_end(lam_variant_gather *gather, lam_variant *ret_variant,
                                  lam_error *error) {
    lam_variant_pair *root = (lam_variant_pair *)(void *)gather->pairs.data;
    root->subtree_size = (uint32_t)(gather->pairs.size / sizeof *root);
    gather->pair_depth = 0;
    gather->field_depth = 0;
    LAM_TRY(set_dictionary(gather, error));
    gather->is_reordered = false;
    bool is_ready = gather->tree == NULL && root->has_value && !root->has_typed;
    if (is_ready) /* nothing to assemble, if the fields are in order */
        LAM_TRY(lam_variant_check_value(gather, root, lam_variant_value_of(gather, root), 0,
                                        &is_ready, error));
    if (is_ready) {
        ret_variant->value = lam_variant_value_of(gather, root);
    } else {
        LAM_TRY(make_names(gather, error));
        if (gather->tree != NULL)
            LAM_TRY(lam_variant_construct_projected(gather, error));
        else
            LAM_TRY(lam_variant_construct_pair(gather, 0, 0, error));
        LAM_TRY(lam_variant_encode_gathered(gather, error));
        ret_variant->value = lam_buffer_bytes(&gather->value);
    }
    ret_variant->metadata = lam_variant_dictionary_metadata(&gather->dictionary);
    return LAM_STATUS_OK;
}
