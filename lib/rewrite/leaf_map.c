/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps the leaves of one schema to those of another that can hold them, as lam_schema_unite unites
 * fields. In: a target and a source of which the target is a union, and runs of triples of the
 * source. Out: triples of the target with the same values.
 *
 *     source   required group a { optional int32 b }    d   0   1      b missing, null or 5
 *     target   optional group a { optional int64 b }    d   1   2
 *
 * A leaf that the source lacks takes its levels from a leaf beside it, cut to the group that both
 * are in, so that lists and groups have as many entries as before. The invariant: repetition levels
 * never change, since what repeats in one schema repeats in the other. (Dremel paper, section 4.1)
 */
#include "rewrite/leaf_map.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "rewrite/schema_union.h"

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
    if (adds_level(source))
        walk->map->definition[walk->source++] = (uint8_t)walk->target;
    walk->target += adds_level(target);
}

/* The fields from below the root down to a leaf; gives their number. */
static size_t path_to(const lam_field *leaf, const lam_field **path) {
    for (const lam_field *field = leaf; field->index != 0; field = lam_parent_of(field))
        path[field->depth - 1] = field;
    return leaf->depth;
}

static lam_leaf_change change_of(const lam_field *source, const lam_field *target) {
    if (source->physical_type == target->physical_type)
        return LAM_LEAF_SAME;
    if (source->physical_type == LAM_PHYSICAL_FLOAT)
        return LAM_LEAF_TO_DOUBLE;
    return source->logical_type.kind == LAM_LOGICAL_INTEGER && !source->logical_type.is_signed
               ? LAM_LEAF_UNSIGNED_TO_64
               : LAM_LEAF_SIGNED_TO_64;
}

static bool levels_are_same(const lam_leaf_map *map, unsigned source_max) {
    for (unsigned i = 0; i <= source_max; i++)
        if (map->definition[i] != i)
            return false;
    return true;
}

/* The source has the path down to `group` only. */
static void map_absent(level_walk *walk, const lam_field *group) {
    lam_leaf_map *map = walk->map;
    map->change = LAM_LEAF_NULLS;
    map->source = LAM_LEAF_NONE;
    map->max_repetition = 0;
    memset(map->definition + walk->source, (int)walk->target,
           sizeof map->definition - walk->source);
    if (group->max_definition == 0)
        return;
    map->source = (int32_t)group->first_leaf;
    map->max_repetition = group->max_repetition;
}

/* A group of the source that has no leaves shows nothing of where it is. */
static void fill_map(lam_leaf_map *map, const lam_field *leaf, const lam_schema *source) {
    const lam_field *path[LAM_SCHEMA_DEPTH_MAX];
    const lam_field *at = lam_schema_root(source);
    level_walk walk = {map, 0, 0};
    size_t depth = path_to(leaf, path);
    for (size_t i = 0; i < depth; i++) {
        const lam_field *next = lam_union_partner(at, path[i]);
        if (next == NULL || next->leaf_count == 0) {
            map_absent(&walk, at);
            return;
        }
        walk_field(&walk, next, path[i]);
        at = next;
    }
    map->definition[walk.source] = (uint8_t)walk.target;
    map->source = (int32_t)at->first_leaf;
    map->change = change_of(at, leaf);
    map->is_same = map->change == LAM_LEAF_SAME && levels_are_same(map, walk.source);
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
    lam_buffer_init(&scratch->values, allocator);
}

void lam_leaf_scratch_finish(lam_leaf_scratch *scratch) {
    lam_buffer_finish(&scratch->repetition);
    lam_buffer_finish(&scratch->definition);
    lam_buffer_finish(&scratch->values);
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

static lam_status widen_values(const lam_leaf_map *map, const lam_triples *given,
                               lam_leaf_scratch *scratch, lam_triples *triples, lam_error *error) {
    LAM_TRY(scratch_room(&scratch->values, given->value_count * sizeof(int64_t), error));
    int64_t *wide = (int64_t *)(void *)scratch->values.data;
    double *real = (double *)(void *)scratch->values.data;
    const int32_t *narrow = given->values;
    const float *single = given->values;
    for (size_t i = 0; i < given->value_count; i++) {
        if (map->change == LAM_LEAF_TO_DOUBLE)
            real[i] = single[i];
        else if (map->change == LAM_LEAF_UNSIGNED_TO_64)
            wide[i] = (int64_t)(uint32_t)narrow[i];
        else
            wide[i] = narrow[i];
    }
    triples->values = scratch->values.data;
    return LAM_STATUS_OK;
}

/*
 * The levels of a leaf beside the one that is not there. Levels above the common group, of which
 * the highest is that of a run without levels, all mean that the group is there.
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
                              lam_error *error) {
    lam_triples triples = *given;
    if (map->change == LAM_LEAF_NULLS)
        return cut_levels(map, given, scratch, ret_triples, error);
    if (!map->is_same)
        LAM_TRY(map_levels(map, given, scratch, &triples, error));
    if (map->change != LAM_LEAF_SAME)
        LAM_TRY(widen_values(map, given, scratch, &triples, error));
    *ret_triples = triples;
    return LAM_STATUS_OK;
}

lam_status lam_leaf_map_nulls(const lam_leaf_map *map, size_t rows, lam_leaf_scratch *scratch,
                              lam_triples *ret_triples, lam_error *error) {
    LAM_TRY(scratch_room(&scratch->repetition, rows, error));
    LAM_TRY(scratch_room(&scratch->definition, rows, error));
    memset(scratch->repetition.data, 0, rows);
    memset(scratch->definition.data, map->definition[UINT8_MAX], rows);
    *ret_triples = (lam_triples){.count = rows,
                                 .repetition = scratch->repetition.data,
                                 .definition = scratch->definition.data};
    return LAM_STATUS_OK;
}
