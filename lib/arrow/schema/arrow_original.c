/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the nodes of a plan and the fields of the original schema together. Groups find the
 * original of each child by position and name, lists and maps by their only child; a field takes
 * its original's type only if that is of the same family as the type by the Parquet schema, and
 * then the walk descends. A requested schema takes the same walk; its types have stricter rules
 * (requested_type.h), because it says nothing about the values.
 *
 *     plan                original            result
 *     a: int64            a: duration(ms)     duration(ms)     one family
 *     b: string           b: int32            string           two families: ignored
 *     c: list<int64>      c: large_list<...>  large_list, then its element by the same rules
 *
 * The invariant: whatever the text says, every field still has a type as which its column can be
 * read, and the tree keeps the plan's nodes.
 */
#include "arrow/schema/arrow_original.h"

#include <string.h>

#include "arrow/extension/arrow_extension.h"
#include "arrow/extension/extension_variant.h"
#include "arrow/field/arrow_metadata_edit.h"
#include "arrow/schema/requested_type.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "schema/nesting.h"

/* --- Types ------------------------------------------------------------------------------------ */

/* Parquet has no seconds: a column of milliseconds may have been one of seconds. */
static bool arrow_original_unit_fits(lam_arrow_unit found, lam_arrow_unit original) {
    return found == original || (found == LAM_ARROW_MILLISECOND && original == LAM_ARROW_SECOND);
}

/*
 * A column that is adjusted to UTC has some zone, and another column has none, except INT96, which
 * does not say. A writer may have counted in another unit than the original one; then the column's
 * unit stays, and the zone is still restored. INT96 has no unit: its values were counted in the
 * original one.
 */
static bool restore_timestamp(const lam_arrow_type *original, bool is_int96, lam_arrow_type *type) {
    if (!is_int96 && (type->timezone != NULL) != (original->timezone != NULL))
        return false;
    type->timezone = original->timezone;
    if (is_int96 || arrow_original_unit_fits(type->unit, original->unit))
        type->unit = original->unit;
    return true;
}

/* Replaces the type by the original one; false when the two do not match. */
static bool restore_type(const lam_arrow_node *node, bool is_shredded,
                         const lam_arrow_type *original, lam_arrow_type *type) {
    /* A VARIANT's unsigned numbers were shredded into the next wider signed type. */
    lam_arrow_kind kind = original->kind;
    if (is_shredded && node->shape == LAM_ARROW_NODE_VALUE)
        kind = lam_extension_variant_kind(kind);
    if (lam_arrow_kind_family(kind) != type->kind)
        return false;
    switch (type->kind) {
    case LAM_ARROW_TIMESTAMP:
        return restore_timestamp(original, node->leaf->physical_type == LAM_PHYSICAL_INT96, type);
    case LAM_ARROW_TIME32:
    case LAM_ARROW_TIME64:
        if (!arrow_original_unit_fits(type->unit, original->unit))
            return false;
        break;
    case LAM_ARROW_DECIMAL:
        if (type->precision != original->precision || type->scale != original->scale)
            return false;
        break;
    case LAM_ARROW_FIXED_SIZE_BINARY:
        if (type->fixed_size != original->fixed_size)
            return false;
        break;
    default:
        break;
    }
    *type = *original;
    return true;
}

/* --- Metadata --------------------------------------------------------------------------------- */

/*
 * Compares CRSs. A column without one has OGC:CRS84 by the format, but writers also leave it out if
 * they know none, so an original without known CRS ("srid:0") matches too.
 */
static bool same_crs(const char *column, const char *original) {
    if (column == NULL || strcmp(column, "OGC:CRS84") == 0)
        return original == NULL || (column == NULL && strcmp(original, "srid:0") == 0);
    return original != NULL && strcmp(column, original) == 0;
}

/*
 * Whether the parameters of a geoarrow.wkb mean the column's own logical type. Parameters with a
 * fault do not.
 */
static lam_status is_same_geo(const lam_arrow_node *node, const lam_arrow_field *original,
                              lam_arena *arena, bool *ret_same, lam_error *error) {
    const lam_logical_type *column = &node->parquet->logical_type;
    lam_logical_type meant;
    const char *fault;
    LAM_TRY(lam_extension_geo_logical(lam_arrow_extension_parameters(original), arena, &meant,
                                      &fault, error));
    lam_edge_algorithm algorithm = column->algorithm;
    if (column->kind == LAM_LOGICAL_GEOGRAPHY && algorithm == LAM_EDGE_ALGORITHM_DEFAULT)
        algorithm = LAM_EDGE_ALGORITHM_SPHERICAL;
    *ret_same = fault == NULL && meant.kind == column->kind && meant.algorithm == algorithm &&
                same_crs(column->crs, meant.crs);
    return LAM_STATUS_OK;
}

/*
 * Whether the column keeps the original extension type: if its logical type implies one, that must
 * be the same, and a struct with columns left out by the projection is no longer of its extension
 * type.
 */
static lam_status is_extension_kept(const lam_arrow_node *node, const lam_arrow_field *original,
                                    lam_arena *arena, bool *ret_kept, lam_error *error) {
    lam_bytes found = lam_arrow_extension_name(node->field);
    lam_bytes name = lam_arrow_extension_name(original);
    *ret_kept = found.size == 0
                    ? node->leaf_count == node->parquet->leaf_count
                    : found.size == name.size && memcmp(found.data, name.data, name.size) == 0;
    if (*ret_kept && found.size > 0 && lam_arrow_is_extension(node->field, LAM_EXTENSION_WKB))
        return is_same_geo(node, original, arena, ret_kept, error);
    return LAM_STATUS_OK;
}

/* Makes the value of one key that of `from`, or removes the key if `from` has none. */
static lam_status restore_key(lam_arena *arena, const lam_arrow_field *from, const char *key,
                              lam_arrow_field *to, lam_error *error) {
    const lam_bytes *value = lam_arrow_metadata_find(&from->metadata, key);
    if (value == NULL)
        return lam_arrow_metadata_drop(arena, &to->metadata, key, error);
    return lam_arrow_metadata_set(arena, &to->metadata, key, *value, error);
}

/*
 * The original key-values, except where the file itself is the better source: the id of the field
 * always, and the extension type when the original one is not kept.
 */
static lam_status restore_metadata(const lam_arrow_node *node, const lam_arrow_field *original,
                                   lam_arena *arena, lam_arrow_field *field, lam_error *error) {
    bool kept;
    lam_arrow_field found = *field;
    LAM_TRY(is_extension_kept(node, original, arena, &kept, error));
    field->metadata = original->metadata;
    LAM_TRY(restore_key(arena, &found, LAM_ARROW_FIELD_ID_KEY, field, error));
    if (kept)
        return LAM_STATUS_OK;
    LAM_TRY(restore_key(arena, &found, LAM_ARROW_EXTENSION_NAME_KEY, field, error));
    return restore_key(arena, &found, LAM_ARROW_EXTENSION_METADATA_KEY, field, error);
}

/* The state of one restore. */
typedef struct field_restorer {
    lam_arena *arena;
    bool is_request; /* the fields come from a consumer, not from the file */
    lam_error *error;
} field_restorer;

/*
 * A request leaves the metadata of a field alone, but for its extension type: the storage alone is
 * what may have been asked for.
 */
static lam_status take_metadata(field_restorer *restorer, const lam_arrow_node *node,
                                const lam_arrow_field *original, lam_arrow_field *field) {
    if (!restorer->is_request)
        return restore_metadata(node, original, restorer->arena, field, restorer->error);
    if (lam_arrow_extension_name(original).size > 0)
        return LAM_STATUS_OK;
    return lam_arrow_extension_drop(restorer->arena, field, restorer->error);
}

/*
 * Whether the extension type of a requested field, if it has one, is that of the column, in a
 * storage that its definition allows. A dictionary whose values are of an extension type is none
 * that can be exported.
 */
static lam_status may_be_requested(const lam_arrow_node *node, const lam_arrow_field *requested,
                                   lam_arena *arena, bool *ret_may, lam_error *error) {
    lam_arrow_path nowhere = {NULL, NULL};
    lam_error fault = lam_error_none();
    *ret_may =
        lam_arrow_metadata_find(&requested->values_metadata, LAM_ARROW_EXTENSION_NAME_KEY) == NULL;
    if (!*ret_may || lam_arrow_extension_name(requested).size == 0)
        return LAM_STATUS_OK;
    *ret_may = false;
    if (lam_arrow_extension_name(node->field).size == 0)
        return LAM_STATUS_OK;
    lam_status status = lam_arrow_extension_check(requested, arena, &nowhere, &fault);
    if (status == LAM_STATUS_NOMEM)
        LAM_FAIL(error, lam_error_kind(&fault), "%s", fault.message);
    return status == LAM_STATUS_OK ? is_extension_kept(node, requested, arena, ret_may, error)
                                   : LAM_STATUS_OK;
}

/*
 * Dictionaries in lists keep indexes that number the values of any row, however many it has;
 * others end a batch before indexes of a narrow type run out. Only a file knows that the values of
 * its dictionaries are in order.
 */
static void restore_dictionary(const field_restorer *restorer, const lam_arrow_node *node,
                               const lam_arrow_field *original, lam_arrow_field *field) {
    bool was_dictionary = field->is_dictionary;
    lam_arrow_kind was = field->index_kind;
    field->is_dictionary = original->is_dictionary;
    field->index_kind = original->index_kind;
    if (!restorer->is_request) {
        field->dictionary_ordered = original->dictionary_ordered;
        return;
    }
    field->dictionary_ordered &= original->dictionary_ordered;
    if (original->is_dictionary && node->slot_repetition > 0 &&
        original->index_kind < LAM_ARROW_INT32 && !(was_dictionary && was == original->index_kind))
        field->index_kind = LAM_ARROW_INT32;
}

/* --- The tree --------------------------------------------------------------------------------- */

static lam_status restore_field(field_restorer *restorer, const lam_arrow_node *node,
                                const lam_arrow_field *original, bool is_shredded,
                                lam_arrow_field *field);

/*
 * The original fields of a group. Each is taken by one child at most, so that fields of one name in
 * the Parquet schema cannot restore the same subtree over and over.
 */
typedef struct originals {
    const lam_arrow_field *group;
    bool *taken;          /* by position */
    lam_hash_index names; /* of all of them; empty at first */
} originals;

/* Of fields with one name the index keeps the first. */
static uint32_t find_original(const originals *from, const char *name, uint32_t *ret_hash) {
    const lam_arrow_field *fields = from->group->children;
    uint32_t found;
    *ret_hash = lam_hash_index_hash(&from->names, name, strlen(name));
    LAM_HASH_INDEX_FIND(&from->names, *ret_hash, found, strcmp(fields[found].name, name) == 0);
    return found;
}

static lam_status index_originals(originals *from, lam_error *error) {
    for (size_t i = 0; i < from->group->child_count; i++) {
        uint32_t hash, found = find_original(from, from->group->children[i].name, &hash);
        if (found == LAM_HASH_INDEX_NONE)
            LAM_TRY(lam_hash_index_add(&from->names, hash, (uint32_t)i, error));
    }
    return LAM_STATUS_OK;
}

/*
 * Takes the original field of a child: the one at its position in the Parquet schema if that has
 * the same name, else the first of its name. NULL when no child has it, or when it is taken
 * already. The table of names is only built for schemas whose columns were moved.
 */
static lam_status take_original(field_restorer *restorer, originals *from,
                                const lam_arrow_node *child, const lam_arrow_field **ret_original) {
    size_t position = child->parquet->ordinal;
    const char *name = child->field->name;
    *ret_original = NULL;
    if (position >= from->group->child_count ||
        strcmp(from->group->children[position].name, name) != 0) {
        uint32_t hash;
        if (from->names.count == 0)
            LAM_TRY(index_originals(from, restorer->error));
        position = find_original(from, name, &hash);
        if (position == LAM_HASH_INDEX_NONE)
            return LAM_STATUS_OK;
    }
    if (!from->taken[position])
        *ret_original = &from->group->children[position];
    from->taken[position] = true;
    return LAM_STATUS_OK;
}

/* Restores the children of a struct. A child without an original keeps its own type. */
static lam_status restore_fields(field_restorer *restorer, const lam_arrow_node *node,
                                 const lam_arrow_field *original, bool is_shredded,
                                 lam_arrow_field *field) {
    lam_status status;
    originals from = {.group = original};
    lam_hash_index_init(&from.names, &restorer->arena->allocator);
    LAM_TRY_OUT(
        LAM_ARENA_ARRAY(restorer->arena, original->child_count, &from.taken, restorer->error));
    for (size_t i = 0; i < node->child_count; i++) {
        const lam_arrow_field *found;
        LAM_TRY_OUT(take_original(restorer, &from, &node->children[i], &found));
        if (found != NULL)
            LAM_TRY_OUT(restore_field(restorer, &node->children[i], found, is_shredded,
                                      &field->children[i]));
    }
out:
    lam_hash_index_finish(&from.names);
    return status;
}

/*
 * Restores the entries of a map, whose names are free. A map without its keys or its values in the
 * projection is read as a list, but its entries keep their original names and types, by ordinal.
 */
static lam_status restore_entries(field_restorer *restorer, const lam_arrow_node *node,
                                  const lam_arrow_field *original, bool is_shredded,
                                  lam_arrow_field *field) {
    field->name = original->name;
    LAM_TRY(take_metadata(restorer, node, original, field));
    for (size_t i = 0; i < node->child_count; i++) {
        const lam_arrow_node *child = &node->children[i];
        LAM_TRY(restore_field(restorer, child, &original->children[child->parquet->ordinal],
                              is_shredded, &field->children[i]));
    }
    return LAM_STATUS_OK;
}

/*
 * Takes the type of the original field, or leaves it all alone. `is_entries`: both sides are a map,
 * though the field may be read as a list, which then keeps its kind.
 */
static lam_status take_type(field_restorer *restorer, const lam_arrow_node *node,
                            const lam_arrow_field *original, bool is_shredded, bool is_entries,
                            lam_arrow_field *field, bool *ret_taken) {
    *ret_taken = false;
    /* Only values may be dictionary encoded. */
    if (original->is_dictionary && node->shape != LAM_ARROW_NODE_VALUE)
        return LAM_STATUS_OK;
    if (!restorer->is_request) {
        *ret_taken = (is_entries && field->type.kind == LAM_ARROW_LIST) ||
                     restore_type(node, is_shredded, &original->type, &field->type);
        return LAM_STATUS_OK;
    }
    LAM_TRY(may_be_requested(node, original, restorer->arena, ret_taken, restorer->error));
    *ret_taken = *ret_taken && lam_requested_type_take(node->leaf, &original->type, &field->type);
    return LAM_STATUS_OK;
}

/* Restores a field and all below it; leaves all of it alone as soon as the types do not match. */
static lam_status restore_field(field_restorer *restorer, const lam_arrow_node *node,
                                const lam_arrow_field *original, bool is_shredded,
                                lam_arrow_field *field) {
    bool is_map = original->type.kind == LAM_ARROW_MAP;
    bool is_list = node->shape == LAM_ARROW_NODE_LIST;
    bool is_entries = is_map && is_list && lam_is_map(node->parquet), taken;
    LAM_TRY(take_type(restorer, node, original, is_shredded, is_entries, field, &taken));
    if (!taken)
        return LAM_STATUS_OK;
    field->name = original->name;
    restore_dictionary(restorer, node, original, field);
    LAM_TRY(take_metadata(restorer, node, original, field));
    if (node->shape == LAM_ARROW_NODE_STRUCT) {
        is_shredded |= lam_arrow_is_extension(field, LAM_EXTENSION_VARIANT);
        return restore_fields(restorer, node, original, is_shredded, field);
    }
    if (is_entries)
        return restore_entries(restorer, node->children, original->children, is_shredded,
                               field->children);
    if (is_list)
        return restore_field(restorer, node->children, original->children, is_shredded,
                             field->children);
    return LAM_STATUS_OK;
}

lam_status lam_arrow_original_restore(lam_arrow_plan *plan, const lam_arrow_field *original,
                                      lam_error *error) {
    field_restorer restorer = {&plan->arena, false, error};
    return restore_fields(&restorer, &plan->root, original, false, &plan->schema);
}

lam_status lam_arrow_original_request(lam_arrow_plan *plan, const lam_arrow_field *requested,
                                      lam_error *error) {
    field_restorer restorer = {&plan->arena, true, error};
    if (requested->type.kind != LAM_ARROW_STRUCT || requested->is_dictionary)
        return LAM_STATUS_OK;
    return restore_fields(&restorer, &plan->root, requested, false, &plan->schema);
}
