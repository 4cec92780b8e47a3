/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses which paths of a VARIANT get columns, in three steps:
 *
 *     from the value down      a path that is frequent, in an object or array that has its type, is
 *                              wanted: with a type if one is common enough, otherwise alone
 *     by frequency             while columns last
 *     from the children up     an object without a field, and an array whose elements have no type,
 *                              lose their type
 *
 * Takes the tree of counts, and gives each path a choice, a type and a reason. The invariant after
 * the last step: a path has columns only if its parent has a typed_value with room for them, so the
 * result can be written as a schema. The result depends on the sample alone, and takes O(n log n)
 * in the number of paths.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "variant/infer/variant_paths.h"
#include "variant/value/variant_decimal.h"

/* --- Types ------------------------------------------------------------------------------------ */

/* Takes a type if it is more common than the best so far; on equality the earlier one stays. */
static void consider(lam_variant_type_choice *best, lam_variant_kind kind, uint64_t count) {
    if (count > best->count)
        *best = (lam_variant_type_choice){kind, 0, 0, count};
}

/*
 * All integers are one type, as wide as the widest of them; at least int32 unless narrow ones are
 * asked for, because the bytes in a file are the same.
 */
static void consider_integers(const lam_variant_path *path, bool narrow,
                              lam_variant_type_choice *best) {
    lam_variant_kind widest = narrow ? LAM_VARIANT_INT8 : LAM_VARIANT_INT32;
    uint64_t count = 0;
    for (int kind = LAM_VARIANT_INT8; kind <= LAM_VARIANT_INT64; kind++) {
        count += path->kinds[kind];
        if (path->kinds[kind] > 0 && kind > (int)widest)
            widest = (lam_variant_kind)kind;
    }
    consider(best, widest, count);
}

/*
 * The decimals of one scale are one type. Integers fit the column of scale 0, and are counted there
 * if they are the minority: 19 digits hold any of them.
 */
static void consider_decimals(const lam_variant_path *path, lam_variant_type_choice *best) {
    static const uint8_t most_digits[] = {9, 18, 38};
    uint64_t integers = 0;
    for (int kind = LAM_VARIANT_INT8; kind <= LAM_VARIANT_INT64; kind++)
        integers += path->kinds[kind];
    for (unsigned scale = 0; path->decimals != NULL && scale < LAM_VARIANT_SCALES; scale++) {
        uint64_t count = path->decimals->counts[scale];
        unsigned digits = path->decimals->digits[scale];
        if (scale == 0 && integers <= count) {
            digits = integers > 0 && digits < 19 ? 19 : digits;
            count += integers;
        }
        if (count <= best->count)
            continue;
        digits = digits < scale ? scale : digits; /* 0.001 has 1 digit, but needs precision 3 */
        lam_variant_kind kind = lam_decimal_kind(digits);
        if (kind == LAM_VARIANT_UNKNOWN)
            continue;
        *best = (lam_variant_type_choice){kind, (uint8_t)scale,
                                          most_digits[kind - LAM_VARIANT_DECIMAL4], count};
    }
}

/* The type of most occurrences. Decimals that print as doubles count for both types. */
static lam_variant_type_choice commonest_type(const lam_variant_path *path, bool narrow) {
    lam_variant_type_choice best = {LAM_VARIANT_UNKNOWN, 0, 0, 0};
    uint64_t doubles = path->decimals == NULL ? 0 : path->decimals->doubles;
    consider(&best, LAM_VARIANT_BOOLEAN, path->kinds[LAM_VARIANT_BOOLEAN]);
    consider_integers(path, narrow, &best);
    consider_decimals(path, &best);
    consider(&best, LAM_VARIANT_FLOAT, path->kinds[LAM_VARIANT_FLOAT]);
    consider(&best, LAM_VARIANT_DOUBLE, path->kinds[LAM_VARIANT_DOUBLE] + doubles);
    for (int kind = LAM_VARIANT_DATE; kind < LAM_VARIANT_UNKNOWN; kind++)
        consider(&best, (lam_variant_kind)kind, path->kinds[kind]);
    return best;
}

/* --- From the value down ---------------------------------------------------------------------- */

/* Whether a path is that of arrays' elements, and not of a field; it is not the outermost. */
static bool is_element(const lam_variant_paths *paths, uint32_t index) {
    const lam_variant_path *path = &paths->list.items[index];
    return paths->list.items[path->parent].element == index;
}

/*
 * Whether the parent's typed_value has room for this path: it is an array for elements, an object
 * for a field.
 */
static bool has_room(const lam_variant_paths *paths, uint32_t index) {
    const lam_variant_path *parent = &paths->list.items[paths->list.items[index].parent];
    return lam_variant_path_is(parent,
                               is_element(paths, index) ? LAM_VARIANT_ARRAY : LAM_VARIANT_OBJECT);
}

/*
 * Computes type, uniformity and presence of a path, whatever its choice. The presence of a field is
 * the smaller of two shares: of the values of the column that have it, and of the objects around it
 * that do, so that a field of a few elements is not frequent only because each value has many.
 */
static void variant_measure(const lam_variant_paths *paths, uint32_t index) {
    lam_variant_path *path = &paths->list.items[index];
    const lam_variant_path *parent = &paths->list.items[path->parent];
    uint64_t there = path->count - path->kinds[LAM_VARIANT_NULL];
    path->type = commonest_type(path, paths->options->narrow_integers);
    path->uniformity = there == 0 ? 0 : (double)path->type.count / (double)there;
    path->presence = paths->values == 0 ? 0 : (double)path->present / (double)paths->values;
    if (index == 0 || is_element(paths, index))
        return;
    double share = (double)path->count / (double)parent->kinds[LAM_VARIANT_OBJECT];
    path->presence = share < path->presence ? share : path->presence;
}

/* Records a choice and its reason. */
static void variant_refuse(lam_variant_path *path, lam_variant_choice choice,
                           lam_variant_reason reason) {
    path->choice = (uint8_t)choice;
    path->reason = (uint8_t)reason;
}

/*
 * The first choice for a path, by its own counts and its parent's choice. `depths` is the depth in
 * the schema of the group of each path.
 */
static void want(lam_variant_paths *paths, uint32_t index, const uint16_t *depths) {
    const lam_variant_inference_options *options = paths->options;
    lam_variant_path *path = &paths->list.items[index];
    lam_variant_kind kind = path->type.kind;
    /*
     * Levels below the group: typed_value; for an object, a field and its `value`; for an array,
     * the list, the element and its `value`.
     */
    unsigned levels = kind == LAM_VARIANT_ARRAY ? 4 : kind == LAM_VARIANT_OBJECT ? 3 : 1;
    bool is_container = kind == LAM_VARIANT_OBJECT || kind == LAM_VARIANT_ARRAY;
    if (index != 0 && !has_room(paths, index))
        variant_refuse(path, LAM_VARIANT_NOT_SHREDDED, LAM_VARIANT_REASON_INSIDE);
    else if (path->name != NULL && memchr(path->name, '\0', path->name_size) != NULL)
        variant_refuse(path, LAM_VARIANT_NOT_SHREDDED, LAM_VARIANT_REASON_NAME);
    else if (index != 0 && !is_element(paths, index) && path->presence < options->min_presence)
        variant_refuse(path, LAM_VARIANT_NOT_SHREDDED, LAM_VARIANT_REASON_RARE);
    else if (kind == LAM_VARIANT_UNKNOWN)
        variant_refuse(path, LAM_VARIANT_SHREDDED_ALONE, LAM_VARIANT_REASON_NULL);
    else if (path->uniformity < options->min_uniformity)
        variant_refuse(path, LAM_VARIANT_SHREDDED_ALONE, LAM_VARIANT_REASON_MIXED);
    else if ((is_container && path->depth >= options->max_depth) ||
             depths[index] + levels > LAM_SCHEMA_DEPTH_MAX)
        variant_refuse(path, LAM_VARIANT_SHREDDED_ALONE, LAM_VARIANT_REASON_DEPTH);
    else
        variant_refuse(path, LAM_VARIANT_SHREDDED, LAM_VARIANT_REASON_NONE);
}

/*
 * The first step. Parents precede their children, so one pass is enough. A field's group is two
 * levels below its parent's, an element's three: typed_value, list, element.
 */
static void want_all(lam_variant_paths *paths, unsigned schema_depth, uint16_t *depths) {
    for (uint32_t i = 0; i < paths->list.count; i++) {
        depths[i] = (uint16_t)(i == 0 ? schema_depth
                                      : depths[paths->list.items[i].parent] +
                                            (is_element(paths, i) ? 3u : 2u));
        variant_measure(paths, i);
        want(paths, i, depths);
    }
}

/* --- By frequency ----------------------------------------------------------------------------- */

/*
 * Columns that a path adds: a `value` unless it is the VARIANT itself, which has one, and a
 * typed_value if that is a leaf. Objects and arrays only hold the columns of their children.
 */
static uint32_t columns_of(const lam_variant_path *path, uint32_t index) {
    bool is_group = lam_variant_path_is(path, LAM_VARIANT_OBJECT) ||
                    lam_variant_path_is(path, LAM_VARIANT_ARRAY);
    if (path->choice == LAM_VARIANT_NOT_SHREDDED)
        return 0;
    return (index != 0) + (path->choice == LAM_VARIANT_SHREDDED && !is_group);
}

/*
 * Orders by frequency, then by age. A parent is at least as frequent as its child and older, so it
 * comes first.
 */
static int variant_order(const void *state, const void *a, const void *b) {
    const lam_variant_path *paths = state;
    uint32_t path_a = *(const uint32_t *)a, path_b = *(const uint32_t *)b;
    uint64_t present_a = paths[path_a].present, present_b = paths[path_b].present;
    if (present_a != present_b)
        return present_a > present_b ? -1 : 1;
    return (path_a > path_b) - (path_a < path_b);
}

/*
 * The second step: gives columns to the most frequent paths until they run out. A path whose parent
 * got none loses its own, with the parent's reason if that was the number of columns.
 */
static void share_columns(lam_variant_paths *paths, uint32_t *order) {
    uint32_t left = paths->options->max_columns;
    for (uint32_t i = 0; i < paths->list.count; i++)
        order[i] = i;
    lam_sort(order, paths->list.count, sizeof *order, variant_order, paths->list.items);
    for (size_t i = 0; i < paths->list.count; i++) {
        lam_variant_path *path = &paths->list.items[order[i]];
        uint32_t columns = columns_of(path, order[i]);
        if (columns == 0)
            continue;
        bool is_lost = order[i] != 0 && !has_room(paths, order[i]);
        if (is_lost && paths->list.items[path->parent].reason != LAM_VARIANT_REASON_COLUMNS)
            variant_refuse(path, LAM_VARIANT_NOT_SHREDDED, LAM_VARIANT_REASON_INSIDE);
        else if (is_lost || columns > left)
            variant_refuse(path, LAM_VARIANT_NOT_SHREDDED, LAM_VARIANT_REASON_COLUMNS);
        else
            left -= columns;
    }
}

/* --- From the children up --------------------------------------------------------------------- */

/* Whether any field of an object has columns. */
static bool has_field(const lam_variant_paths *paths, const lam_variant_path *path) {
    for (uint32_t child = path->first_child; child != 0;
         child = paths->list.items[child].next_child)
        if (paths->list.items[child].choice != LAM_VARIANT_NOT_SHREDDED)
            return true;
    return false;
}

/*
 * Takes the type from an object without a field and from an array whose elements have no type: the
 * columns would be empty. Children are decided before their parents.
 */
static void variant_decide(lam_variant_paths *paths, uint32_t index) {
    lam_variant_path *path = &paths->list.items[index];
    if (lam_variant_path_is(path, LAM_VARIANT_OBJECT) && !has_field(paths, path))
        variant_refuse(path, LAM_VARIANT_SHREDDED_ALONE, LAM_VARIANT_REASON_NO_FIELD);
    if (lam_variant_path_is(path, LAM_VARIANT_ARRAY) &&
        (path->element == 0 || paths->list.items[path->element].choice != LAM_VARIANT_SHREDDED))
        variant_refuse(path, LAM_VARIANT_SHREDDED_ALONE, LAM_VARIANT_REASON_ELEMENTS);
}

/* Takes the columns from every path whose parent has lost its type. */
static void drop_children(lam_variant_paths *paths) {
    for (uint32_t i = 1; i < paths->list.count; i++) {
        lam_variant_path *path = &paths->list.items[i];
        if (path->choice != LAM_VARIANT_NOT_SHREDDED && !has_room(paths, i))
            variant_refuse(path, LAM_VARIANT_NOT_SHREDDED, LAM_VARIANT_REASON_INSIDE);
    }
    if (paths->list.items[0].choice == LAM_VARIANT_SHREDDED_ALONE)
        paths->list.items[0].choice = LAM_VARIANT_NOT_SHREDDED; /* it has its `value` in any case */
}

/* The third step, in one pass: children follow their parents. */
static void decide_all(lam_variant_paths *paths) {
    for (uint32_t i = (uint32_t)paths->list.count; i > 0; i--)
        variant_decide(paths, i - 1);
}

/*
 * The third step runs before the second as well, so that columns are not given to objects that are
 * going to lose their type.
 */
lam_status lam_variant_choose(lam_variant_paths *paths, unsigned schema_depth, lam_error *error) {
    uint32_t *order;
    uint16_t *depths;
    LAM_TRY(LAM_ARRAY(&paths->allocator, paths->list.count, &order, error));
    lam_status status = LAM_ARRAY(&paths->allocator, paths->list.count, &depths, error);
    if (status == LAM_STATUS_OK) {
        want_all(paths, schema_depth, depths);
        decide_all(paths);
        share_columns(paths, order);
        decide_all(paths);
        drop_children(paths);
        lam_free(&paths->allocator, depths, paths->list.count * sizeof(uint16_t));
    }
    lam_free(&paths->allocator, order, paths->list.count * sizeof(uint32_t));
    return status;
}
