/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixes the field ids of shredded fields: takes the metadata of a record, and gives each name an
 * id. Bytes of `value` columns have the ids of the given metadata; only shredded fields need one,
 * and names that the metadata lacks are added after its own. The invariant: no id of the given
 * metadata changes. (VariantEncoding.md, "Metadata encoding")
 */
#include "base/error.h"
#include "dremel/grammar.h"
#include "variant/shred/variant_construct.h"

/*
 * Searches a new dictionary for all names of the plan: walks along both, as both are sorted. If the
 * plan has more than eight times as many names, or the dictionary is not sorted, each name is
 * searched when it is needed instead.
 */
static void seek_all(lam_variant_gather *gather) {
    enum { PLAN_CHILD = 8 };
    const lam_variant_names_view *names = &gather->dictionary.names;
    const uint32_t *sorted = gather->sorted.items;
    uint32_t *ids = gather->ids.items;
    size_t count = gather->names.names.count, at = 0;
    bool walks = names->is_sorted && count / PLAN_CHILD <= names->count;
    for (size_t i = 0; i < count; i++)
        ids[i] = walks ? LAM_VARIANT_ID_MISSING : LAM_VARIANT_ID_NOT_SOUGHT;
    for (uint32_t id = 0; walks && id < names->count && at < count; id++) {
        lam_bytes name = {NULL, 0};
        (void)lam_variant_name_at(names, id, &name); /* it is valid */
        int order = -1;
        for (; at < count && order < 0; at++) {
            order = lam_variant_compare_names(
                lam_variant_name_bytes(&gather->names.names.items[sorted[at]]), name);
            if (order == 0)
                ids[sorted[at]] = id;
        }
        at -= order > 0; /* this name of the plan sorts after it: compare it with the next id */
    }
}

/* Any pair counts, also one deep inside: all of them share the one metadata. */
bool lam_variant_lacks_metadata(const lam_variant_gather *gather) {
    bool has_value = false;
    for (size_t i = 0; !gather->has_metadata && i < gather->pairs.count; i++)
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
 * `value`: names of shredded fields come from the schema, but ids in bytes have no meaning without
 * a dictionary.
 */
lam_status lam_variant_set_dictionary(lam_variant_gather *gather, lam_error *error) {
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
    uint32_t *id = &gather->ids.items[number];
    if (*id == LAM_VARIANT_ID_NOT_SOUGHT &&
        !lam_variant_dictionary_find(
            &gather->dictionary, lam_variant_name_bytes(&gather->names.names.items[number]), id))
        *id = LAM_VARIANT_ID_MISSING;
    return *id != LAM_VARIANT_ID_MISSING;
}

/*
 * Puts a name on the list of names to add, unless the dictionary has it or it is on the list
 * already.
 */
static lam_status want_name(lam_variant_gather *gather, uint32_t number, lam_error *error) {
    if (gather->ids.items[number] == LAM_VARIANT_ID_COMING || seek(gather, number))
        return LAM_STATUS_OK;
    lam_bytes name = lam_variant_name_bytes(&gather->names.names.items[number]);
    LAM_TRY(LAM_LIST_ADD(&gather->missing, &name, error));
    gather->ids.items[number] = LAM_VARIANT_ID_COMING;
    return LAM_STATUS_OK;
}

/*
 * Adds the listed names to the dictionary. They are searched once more for their ids when needed.
 */
static lam_status add_names(lam_variant_gather *gather, lam_error *error) {
    lam_variant_dictionary *dictionary = &gather->dictionary;
    if (gather->missing.count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_variant_dictionary_extend(dictionary, gather->missing.items, gather->missing.count,
                                          error));
    LAM_TRY(lam_variant_dictionary_order(dictionary, error));
    for (size_t i = 0; i < gather->names.names.count; i++)
        if (gather->ids.items[i] == LAM_VARIANT_ID_COMING)
            gather->ids.items[i] = LAM_VARIANT_ID_NOT_SOUGHT;
    gather->is_extended = true;
    return LAM_STATUS_OK;
}

/*
 * Makes sure that every shredded field that is present has an id. Names that the dictionary lacks
 * are added: at first those of this record alone, and the second time all names of the plan, so
 * that one metadata is rewritten at most twice however many records share it.
 */
static lam_status name_fields(lam_variant_gather *gather, lam_error *error) {
    gather->missing.count = 0;
    LAM_TRY(lam_variant_dictionary_order(&gather->dictionary, error));
    for (size_t i = 1; i < gather->pairs.count; i++) {
        const lam_variant_pair *pair = lam_variant_pair_at(gather, i);
        if (gather->plan.nodes[pair->node].is_field)
            LAM_TRY(want_name(gather, gather->numbers.items[pair->node], error));
    }
    for (size_t i = 0;
         gather->is_extended && gather->missing.count > 0 && i < gather->names.names.count; i++)
        LAM_TRY(want_name(gather, (uint32_t)i, error));
    return add_names(gather, error);
}

/*
 * Names for the fields, if there are any. A failure halfway drops the dictionary, so that the next
 * record starts with a valid one.
 */
lam_status lam_variant_make_names(lam_variant_gather *gather, lam_error *error) {
    if (gather->names.names.count == 0 && gather->tree == NULL)
        return LAM_STATUS_OK;
    lam_status status = name_fields(gather, error);
    if (status != LAM_STATUS_OK)
        gather->dictionary.is_known = false; /* some ids may be made and others not */
    return status;
}

/* name_fields has added the name if it was missing, so the search succeeds. */
uint32_t lam_variant_id_of_field(lam_variant_gather *gather, const lam_variant_pair *pair) {
    uint32_t number = gather->numbers.items[pair->node];
    (void)seek(gather, number);
    return gather->ids.items[number];
}
