/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the object of the paths that a projection wants. (VariantShredding.md, "Objects")
 *
 *     paths a.b, c of {"a": {"b": 1, "x": 2}, "y": 3}        {"a": {"b": 1}}
 *
 * Gathered pairs become nodes, by the tree of a projection. Wanted values are taken completely,
 * from a shredded column or from the bytes of a `value`; objects on the way are rebuilt with the
 * wanted fields, and dropped if none is present. Bytes that no path leads to are never read, so
 * neither errors nor conflicts in them make the record fail.
 */
#include "base/error.h"
#include "dremel/grammar.h"
#include "variant/shred/variant_construct.h"

/* --- Fields in a `value` ---------------------------------------------------------------------- */

/* CORRUPT with the path of the `value` column that holds the bytes. */
static lam_status variant_construct_projected_corrupt(const lam_variant_gather *gather,
                                                      const lam_variant_pair *pair,
                                                      const char *problem, lam_error *error) {
    return lam_field_fail(error, LAM_ERROR_CODE_VARIANT_BYTES,
                          lam_variant_node_of(gather, pair)->value, "variant: %s", problem);
}

static lam_status add_from_value(lam_variant_gather *gather, const lam_variant_pair *pair,
                                 lam_bytes value, const lam_projection_node *path, uint32_t id,
                                 lam_error *error);

/*
 * Adds the wanted fields of an object's bytes. With `is_rest` the object is the one that
 * typed_value left in `value`: fields that are shredded are passed over, as they come from their
 * own columns.
 */
static lam_status add_fields(lam_variant_gather *gather, const lam_variant_pair *pair,
                             lam_bytes value, const lam_projection_node *path, bool is_rest,
                             lam_error *error) {
    lam_variant_container object;
    const char *problem = lam_variant_open_container(value, &object);
    if (problem != NULL)
        return variant_construct_projected_corrupt(gather, pair, problem, error);
    for (const lam_projection_node *child = path->children; child != NULL; child = child->next) {
        uint32_t index = 0;
        bool found;
        lam_bytes bytes;
        if (is_rest && child->node != LAM_VARIANT_NO_NODE)
            continue;
        problem =
            lam_variant_find_field(&gather->dictionary.given, &object, child->name, &index, &found);
        if (problem == NULL && !found)
            continue;
        if (problem == NULL)
            problem = lam_variant_child(&object, index, &bytes);
        if (problem != NULL)
            return variant_construct_projected_corrupt(gather, pair, problem, error);
        LAM_TRY(
            add_from_value(gather, pair, bytes, child, lam_variant_id_at(&object, index), error));
    }
    return LAM_STATUS_OK;
}

/*
 * Closes an object, and removes it if nothing was added since `count` nodes: no wanted field is
 * present.
 */
static void end_object(lam_variant_encoder *encoder, size_t count) {
    if (encoder->count == count + 1)
        lam_variant_encoder_drop(encoder);
    else
        lam_variant_encoder_end(encoder);
}

/*
 * Adds a wanted value, or enters an object on the way to one; any other value on the way is left
 * out. The calls nest as deep as a path has names.
 */
static lam_status add_from_value(lam_variant_gather *gather, const lam_variant_pair *pair,
                                 lam_bytes value, const lam_projection_node *path, uint32_t id,
                                 lam_error *error) {
    lam_variant_encoder *encoder = &gather->encoder;
    size_t count = encoder->count;
    if (path->is_wanted)
        return lam_variant_put_value(gather, pair, value, id, error);
    if (!lam_variant_is_object(value))
        return LAM_STATUS_OK;
    LAM_TRY(lam_variant_encoder_begin(encoder, LAM_VARIANT_NODE_OBJECT, id, error));
    LAM_TRY(add_fields(gather, pair, value, path, false, error));
    end_object(encoder, count);
    return LAM_STATUS_OK;
}

/* --- Fields in pairs -------------------------------------------------------------------------- */

static lam_status add_from_pair(lam_variant_gather *gather, size_t index, uint32_t id,
                                lam_error *error);

/*
 * Adds the wanted fields of a pair to the object that is open: the shredded ones from their pairs,
 * the others from `value`.
 */
static lam_status variant_construct_projected_add_children(lam_variant_gather *gather, size_t index,
                                                           const lam_projection_node *path,
                                                           lam_error *error) {
    const lam_variant_pair *pair = lam_variant_pair_at(gather, index);
    bool is_object =
        pair->has_typed && lam_variant_node_of(gather, pair)->form == LAM_VARIANT_TYPED_OBJECT;
    for (size_t i = index + 1; is_object && i < index + pair->subtree_size;
         i += lam_variant_pair_at(gather, i)->subtree_size) {
        const lam_variant_pair *child = lam_variant_pair_at(gather, i);
        if (gather->tree->paths[child->node] != NULL)
            LAM_TRY(add_from_pair(gather, i, lam_variant_id_of_field(gather, child), error));
    }
    if (!pair->has_value)
        return LAM_STATUS_OK;
    lam_bytes value = lam_variant_value_of(gather, pair);
    /* Both are present, and not as two halves of one object. */
    if (pair->has_typed && !(is_object && lam_variant_is_object(value)))
        return lam_variant_check_conflict(gather, pair, error);
    return lam_variant_is_object(value) ? add_fields(gather, pair, value, path, is_object, error)
                                        : LAM_STATUS_OK;
}

/* Adds a wanted pair, or enters it. The calls nest as deep as the schema does. */
static lam_status add_from_pair(lam_variant_gather *gather, size_t index, uint32_t id,
                                lam_error *error) {
    const lam_variant_pair *pair = lam_variant_pair_at(gather, index);
    const lam_projection_node *path = gather->tree->paths[pair->node];
    lam_variant_encoder *encoder = &gather->encoder;
    size_t count = encoder->count;
    if (path->is_wanted)
        return lam_variant_construct_pair(gather, index, id, error);
    LAM_TRY(lam_variant_encoder_begin(encoder, LAM_VARIANT_NODE_OBJECT, id, error));
    LAM_TRY(variant_construct_projected_add_children(gather, index, path, error));
    end_object(encoder, count);
    return LAM_STATUS_OK;
}

/* The outermost object stays even if it is empty: the VARIANT itself is present. */
lam_status lam_variant_construct_projected(lam_variant_gather *gather, lam_error *error) {
    LAM_TRY(lam_variant_encoder_begin(&gather->encoder, LAM_VARIANT_NODE_OBJECT, 0, error));
    LAM_TRY(variant_construct_projected_add_children(gather, 0, &gather->tree->root, error));
    lam_variant_encoder_end(&gather->encoder);
    return LAM_STATUS_OK;
}
