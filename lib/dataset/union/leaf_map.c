/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps the leaves of one schema to those of another that can hold them, as lam_schema_unite unites
 * fields. Takes a source, a target that is a union of it and others, and runs of triples of the
 * source, and gives triples of the target with the same values.
 *
 *     source   required group a { optional int32 b }    d   0   1      b missing, null or 5
 *     target   optional group a { optional int64 b }    d   1   2
 *
 * A leaf that the source lacks takes its levels from a sibling, cut to the group that both are in,
 * so that lists and groups have as many entries as before. A column of type UNKNOWN counts as
 * lacking if the target has a group there. The invariant: repetition levels never change, since
 * what repeats in one schema repeats in the other. (Dremel paper, section 4.1)
 */
#include "dataset/union/leaf_map.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "schema/nesting.h"
#include "schema/schema_choose.h"
#include "schema/schema_union.h"

/* --- Making maps --------------------------------------------------------------------------- */

/* A walk down the paths of two leaves at once. */
typedef struct level_walk {
    lam_leaf_map *map;
    unsigned source; /* definition levels so far */
    unsigned target;
} level_walk;

static bool adds_level(const lam_field *field) {
    return field->repetition == LAM_REPETITION_OPTIONAL ||
           field->repetition == LAM_REPETITION_REPEATED;
}

/* Where a level of the source ends, the path is defined down to the field before. */
static void walk_field(level_walk *walk, const lam_field *source, const lam_field *target) {
    if (source != NULL && adds_level(source))
        walk->map->definition[walk->source++] = (uint8_t)walk->target;
    walk->target += adds_level(target);
}

/* The fields from below the root down to a leaf; gives their number. */
static size_t path_to(const lam_field *leaf, const lam_field **path) {
    for (const lam_field *field = leaf; field->index != 0; field = lam_parent_of(field))
        path[field->depth - 1] = field;
    return leaf->depth;
}

/* True for the repeated child of a list that wraps its elements. */
static bool is_wrapper(const lam_field *field) {
    return field->index != 0 && lam_is_list(lam_parent_of(field)) &&
           lam_list_has_wrapper(lam_parent_of(field));
}

static bool is_entry(const lam_field *field) {
    return field->index != 0 && lam_is_map(lam_parent_of(field));
}

const lam_field *lam_leaf_map_step(const lam_field *at, const lam_field *target) {
    const lam_field *parent = lam_parent_of(target);
    if ((lam_is_list(parent) && lam_is_list(at)) || (lam_is_map(parent) && lam_is_map(at)))
        return lam_child_at(at, 0);
    if (is_wrapper(parent))
        return is_wrapper(at) ? lam_child_at(at, 0) : at;
    if (is_entry(parent) && is_entry(at))
        return target->ordinal < at->child_count ? lam_child_at(at, target->ordinal) : NULL;
    return lam_field_child_named(at, target->name, target->name_size);
}

static bool is_single_variant(const lam_field *field) {
    return lam_is_group(field) && field->logical_type.kind == LAM_LOGICAL_VARIANT &&
           !lam_is_repeated(field);
}

/*
 * True when all that a field of the source holds is one value in the target, which is a VARIANT or
 * a leaf. `is_element`: it repeats as an element of a list, and is no array.
 */
static bool becomes_one_value(const lam_field *source, bool is_element, const lam_field *target) {
    bool is_array = lam_is_repeated(source) && !is_element;
    if (is_single_variant(target) && is_single_variant(source))
        return !lam_variant_covers(target, source);
    if (!is_single_variant(target) && lam_is_group(target))
        return false;
    return lam_is_group(source) || is_array != lam_is_repeated(target) ||
           (is_single_variant(target) && source->logical_type.kind == LAM_LOGICAL_INTERVAL);
}

static bool levels_are_same(const lam_leaf_map *map, unsigned source_max) {
    for (unsigned i = 0; i <= source_max; i++)
        if (map->definition[i] != i)
            return false;
    return true;
}

/* Each entry of a field of the source has a null, which ends where the path does. */
static void map_nulls_beside(level_walk *walk, const lam_field *field) {
    lam_leaf_map *map = walk->map;
    map->is_absent = true;
    map->source = field->max_definition > 0 ? (int32_t)field->first_leaf : LAM_LEAF_NONE;
    map->max_repetition = field->max_repetition;
    memset(map->definition + walk->source, (int)walk->target,
           sizeof map->definition - walk->source);
}

/* The source has a leaf, with the path down to it. */
static void map_own_leaf(level_walk *walk, lam_value_change change) {
    lam_leaf_map *map = walk->map;
    map->definition[walk->source] = (uint8_t)walk->target;
    map->source = (int32_t)change.source->first_leaf;
    map->change = change;
    map->is_same = change.how == LAM_VALUE_SAME && levels_are_same(map, walk->source);
}

/*
 * A leaf becomes a VARIANT: each of its values gives one of `metadata` and one of `value`. Shredded
 * columns get none.
 */
static void map_to_variant(level_walk *walk, const lam_field *source, const lam_field *variant,
                           const lam_field *leaf) {
    if (lam_parent_of(leaf) == variant && strcmp(leaf->name, "typed_value") != 0) {
        walk->target += adds_level(leaf);
        map_own_leaf(walk, lam_value_change_to_variant(source, leaf));
        return;
    }
    map_nulls_beside(walk, source);
}

/* A field that becomes one value; any leaf below it has the number of its slots, or more. */
static void map_one_value(lam_leaf_map *map, const lam_field *source, bool is_element,
                          const lam_field *target) {
    map->whole = source;
    map->whole_is_element = is_element;
    map->whole_target = target;
    map->source = (int32_t)source->first_leaf;
}

/*
 * A group of the source without leaves does not show where it is present. UNKNOWN has no value that
 * could be a group.
 */
static bool is_missing(const lam_field *source, const lam_field *target) {
    return source == NULL || source->leaf_count == 0 ||
           (lam_field_is_nothing(source) && lam_is_group(target));
}

static void fill_map(lam_leaf_map *map, const lam_field *leaf, const lam_schema *source) {
    const lam_field *path[LAM_SCHEMA_DEPTH_MAX];
    const lam_field *at = lam_schema_root(source);
    level_walk walk = {map, 0, 0};
    size_t depth = path_to(leaf, path);
    for (size_t i = 0; i < depth; i++) {
        const lam_field *next = lam_leaf_map_step(at, path[i]);
        bool is_element = next == at;
        if (is_missing(next, path[i])) {
            map_nulls_beside(&walk, at);
            return;
        }
        if (becomes_one_value(next, is_element, path[i])) {
            map_one_value(map, next, is_element, path[i]);
            return;
        }
        walk_field(&walk, is_element ? NULL : next, path[i]);
        if (!lam_is_group(next) && lam_is_group(path[i]) && !is_wrapper(path[i])) {
            map_to_variant(&walk, next, path[i], leaf);
            return;
        }
        at = next;
    }
    map_own_leaf(&walk, lam_value_change_of(at, leaf));
}

lam_leaf_mapping lam_leaf_mapping_of(const lam_schema *target, const lam_schema *source) {
    return (lam_leaf_mapping){target, source, lam_schema_same_shape(target, source)};
}

/* Files of one shape may have two fields of one name: there leaves go by their numbers. */
void lam_leaf_map_fill(lam_leaf_map *map, const lam_leaf_mapping *mapping, size_t number,
                       const lam_field *leaf) {
    memset(map, 0, sizeof *map);
    map->leaf = leaf;
    if (!mapping->is_same) {
        fill_map(map, lam_leaf_at(mapping->target, number), mapping->source);
        return;
    }
    map->source = (int32_t)number;
    map->is_same = true;
    for (unsigned d = 0; d <= UINT8_MAX; d++)
        map->definition[d] = (uint8_t)d;
}

/* --- Triples ------------------------------------------------------------------------------- */

void lam_leaf_scratch_init(lam_leaf_scratch *scratch, const lam_allocator *allocator) {
    lam_buffer_init(&scratch->repetition, allocator);
    lam_buffer_init(&scratch->definition, allocator);
    lam_value_room_init(&scratch->values, allocator);
}

void lam_leaf_scratch_finish(lam_leaf_scratch *scratch) {
    lam_buffer_finish(&scratch->repetition);
    lam_buffer_finish(&scratch->definition);
    lam_value_room_finish(&scratch->values);
}

/* Room for `size` bytes, which replace what the buffer held. */
static lam_status scratch_room(lam_buffer *buffer, size_t size, lam_error *error) {
    lam_buffer_clear(buffer);
    LAM_TRY(lam_buffer_reserve(buffer, size > 0 ? size : 1, error));
    buffer->size = size;
    return LAM_STATUS_OK;
}

static lam_status map_levels(const lam_leaf_map *map, const lam_triples *given,
                             lam_leaf_scratch *scratch, lam_triples *triples, lam_error *error) {
    if (given->definition == NULL)
        return LAM_STATUS_OK;
    LAM_TRY(scratch_room(&scratch->definition, given->count, error));
    for (size_t i = 0; i < given->count; i++)
        scratch->definition.data[i] = map->definition[given->definition[i]];
    triples->definition = scratch->definition.data;
    return LAM_STATUS_OK;
}

/* The triple of a value by the position of the value. */
static size_t triple_of_value(const lam_leaf_map *map, const lam_triples *given, size_t position) {
    size_t values = 0;
    const lam_field *source = map->change.source;
    for (size_t i = 0; given->definition != NULL && i < given->count; i++) {
        values += given->definition[i] == source->max_definition;
        if (values > position)
            return i;
    }
    return position;
}

/*
 * The levels of a leaf beside the missing one. Levels above the common group, the highest of which
 * is that of a run without levels, all mean that the group is present.
 */
static lam_status cut_levels(const lam_leaf_map *map, const lam_triples *given,
                             lam_leaf_scratch *scratch, lam_triples *ret_triples,
                             lam_error *error) {
    size_t count = 0;
    LAM_TRY(scratch_room(&scratch->repetition, given->count, error));
    LAM_TRY(scratch_room(&scratch->definition, given->count, error));
    for (size_t i = 0; i < given->count; i++) {
        uint8_t repetition = given->repetition == NULL ? 0 : given->repetition[i];
        uint8_t definition = given->definition == NULL ? UINT8_MAX : given->definition[i];
        if (repetition > map->max_repetition)
            continue;
        scratch->repetition.data[count] = repetition;
        scratch->definition.data[count++] = map->definition[definition];
    }
    *ret_triples =
        (lam_triples){.count = count,
                      .repetition = map->leaf->max_repetition > 0 ? scratch->repetition.data : NULL,
                      .definition = scratch->definition.data};
    return LAM_STATUS_OK;
}

lam_status lam_leaf_map_apply(const lam_leaf_map *map, const lam_triples *given,
                              lam_leaf_scratch *scratch, lam_triples *ret_triples,
                              size_t *ret_position, lam_error *error) {
    lam_triples triples = *given;
    size_t position = 0;
    *ret_position = 0;
    if (map->is_absent)
        return cut_levels(map, given, scratch, ret_triples, error);
    if (!map->is_same)
        LAM_TRY(map_levels(map, given, scratch, &triples, error));
    if (map->change.how != LAM_VALUE_SAME) {
        lam_status status = lam_values_change(&map->change, given->values, given->value_count,
                                              &scratch->values, &triples.values, &position, error);
        if (status != LAM_STATUS_OK) {
            *ret_position = triple_of_value(map, given, position);
            return status;
        }
    }
    *ret_triples = triples;
    return LAM_STATUS_OK;
}

lam_status lam_leaf_map_nulls(const lam_leaf_map *map, size_t rows, lam_leaf_scratch *scratch,
                              lam_triples *ret_triples, lam_error *error) {
    LAM_TRY(scratch_room(&scratch->repetition, rows, error));
    LAM_TRY(scratch_room(&scratch->definition, rows, error));
    memset(scratch->repetition.data, 0, rows);
    memset(scratch->definition.data, map->definition[UINT8_MAX], rows);
    *ret_triples =
        (lam_triples){.count = rows,
                      .repetition = map->leaf->max_repetition > 0 ? scratch->repetition.data : NULL,
                      .definition = scratch->definition.data};
    return LAM_STATUS_OK;
}
