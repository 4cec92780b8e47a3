/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends a record of a VARIANT: the gathered pairs become bytes and metadata.
 *
 *     metadata, names -> ids of fields      pairs -> nodes -> bytes
 *
 * A record without typed_value always is its `value`, without a copy, if its fields are in order.
 * (VariantShredding.md, "Reconstructing a Shredded Variant")
 */
#include "base/error.h"
#include "variant/shred/variant_construct.h"

/*
 * A record whose VARIANT is in `value` alone, and in order, takes the short way: its bytes are
 * checked and given as they are.
 */
lam_status lam_variant_gather_end(lam_variant_gather *gather, lam_variant *ret_variant,
                                  lam_error *error) {
    lam_variant_pair *root = gather->pairs.items;
    root->subtree_size = (uint32_t)gather->pairs.count;
    gather->pair_depth = 0;
    gather->field_depth = 0;
    LAM_TRY(lam_variant_set_dictionary(gather, error));
    gather->is_reordered = false;
    bool is_ready = gather->tree == NULL && root->has_value && !root->has_typed;
    if (is_ready) /* no assembly needed, if the fields are in order */
        LAM_TRY(lam_variant_check_value(gather, root, lam_variant_value_of(gather, root), 0,
                                        &is_ready, error));
    if (is_ready) {
        ret_variant->value = lam_variant_value_of(gather, root);
    } else {
        LAM_TRY(lam_variant_make_names(gather, error));
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
