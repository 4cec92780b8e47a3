/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts which kinds of values are at which paths of a VARIANT.
 *
 * Well-formed values grow the tree of variant_paths.h. A field is found by a hash over its parent
 * and its name, so a value costs time for its own fields, however many paths there are. Paths are
 * bounded by max_paths: occurrences of others are counted in `passed_over` and their insides are
 * not read, so that objects with keys that never repeat cannot fill the memory. The invariant: a
 * path comes after its parent, and `present` counts each value once. The calls nest as deep as
 * max_depth allows, at most 64.
 */
#include "variant/infer/variant_paths.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "text/decimal_text.h"
#include "text/number_text.h"
#include "variant/value/variant_decimal.h"
#include "variant/value/variant_scalar.h"

/* --- Paths by name ---------------------------------------------------------------------------- */

/* Whether a path is the field of this name in the objects at `parent`. */
static bool is_field(const lam_variant_paths *paths, uint32_t index, uint32_t parent,
                     lam_bytes name) {
    const lam_variant_path *path = &paths->list.items[index];
    return path->parent == parent && path->name_size == name.size &&
           (name.size == 0 || memcmp(path->name, name.data, name.size) == 0);
}

/* The path of a field, LAM_HASH_INDEX_NONE if it has none; and its hash. */
static uint32_t variant_paths_find(const lam_variant_paths *paths, uint32_t parent, lam_bytes name,
                                   uint32_t *ret_hash) {
    uint32_t found;
    *ret_hash = lam_hash_index_hash_below(&paths->fields, parent, name.data, name.size);
    LAM_HASH_INDEX_FIND(&paths->fields, *ret_hash, found, is_field(paths, found, parent, name));
    return found;
}

/* Appends a path without a name. Pointers to paths are invalid afterwards. */
static lam_status add_path(lam_variant_paths *paths, uint32_t parent, lam_error *error) {
    lam_variant_path path = {.parent = parent};
    if (paths->list.count > 0)
        path.depth = (uint16_t)(paths->list.items[parent].depth + 1);
    return LAM_LIST_ADD(&paths->list, &path, error);
}

/* Gives the path of a field, which is added if there is room; 0 if there is none. */
static lam_status variant_paths_find_field(lam_variant_paths *paths, uint32_t parent,
                                           lam_bytes name, uint32_t *ret_index, lam_error *error) {
    uint32_t hash, index = variant_paths_find(paths, parent, name, &hash);
    char *copy;
    *ret_index = index == LAM_HASH_INDEX_NONE ? 0 : index;
    if (index != LAM_HASH_INDEX_NONE)
        return LAM_STATUS_OK;
    if (paths->list.count >= paths->options->max_paths) {
        paths->passed_over++;
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_hash_index_reserve(&paths->fields, error));
    LAM_TRY(lam_arena_copy(&paths->arena, name.data, name.size, &copy, error));
    LAM_TRY(add_path(paths, parent, error));
    index = (uint32_t)paths->list.count - 1;
    paths->list.items[index].name = copy;
    paths->list.items[index].name_size = (uint32_t)name.size;
    lam_hash_index_put(&paths->fields, hash, index);
    lam_variant_path *object = &paths->list.items[parent];
    if (object->first_child == 0)
        object->first_child = index;
    else
        paths->list.items[object->last_child].next_child = index;
    object->last_child = index;
    *ret_index = index;
    return LAM_STATUS_OK;
}

/*
 * Gives the path of the elements of the arrays at `parent`, which all share one; 0 if there is no
 * room.
 */
static lam_status find_element(lam_variant_paths *paths, uint32_t parent, uint32_t *ret_index,
                               lam_error *error) {
    *ret_index = paths->list.items[parent].element;
    if (*ret_index != 0)
        return LAM_STATUS_OK;
    if (paths->list.count >= paths->options->max_paths) {
        paths->passed_over++;
        return LAM_STATUS_OK;
    }
    LAM_TRY(add_path(paths, parent, error));
    *ret_index = (uint32_t)paths->list.count - 1;
    paths->list.items[parent].element = *ret_index;
    return LAM_STATUS_OK;
}

/* --- Values ----------------------------------------------------------------------------------- */

/*
 * Whether the text of a decimal is the shortest text of a double: 0.1 is, 0.10 and
 * 0.1000000000000000055 are not. Such a decimal can go into a column of doubles and come back as
 * the same text.
 */
static lam_status prints_as_double(lam_variant_paths *paths, const lam_decimal *decimal,
                                   bool *ret_same, lam_error *error) {
    char shortest[LAM_NUMBER_TEXT_MAX];
    double value = 0;
    int64_t narrow = (int64_t)decimal->low;
    *ret_same = false;
    /* The shortest text of a double has at most 17 digits, and an int64 holds 18. */
    if (decimal->scale == 0 || decimal->high != (narrow < 0 ? -1 : 0))
        return LAM_STATUS_OK;
    lam_buffer_clear(&paths->text);
    LAM_TRY(lam_decimal_print_int64(&paths->text, narrow, decimal->scale, error));
    const char *text = (const char *)paths->text.data;
    (void)lam_double_parse(text, paths->text.size, &value); /* it is far from the largest double */
    *ret_same = lam_double_print(value, shortest) == paths->text.size &&
                memcmp(shortest, text, paths->text.size) == 0;
    return LAM_STATUS_OK;
}

/*
 * Counts a decimal by its scale. The block of counts is made for the first one: most paths have
 * none.
 */
static lam_status note_decimal(lam_variant_paths *paths, uint32_t index, const lam_decimal *decimal,
                               lam_error *error) {
    lam_variant_path *path = &paths->list.items[index];
    bool is_double = false;
    if (path->decimals == NULL) {
        LAM_TRY(LAM_ARENA_NEW(&paths->arena, &path->decimals, error));
    }
    lam_decimal_sightings *decimals = path->decimals;
    unsigned digits = lam_wide_digits(lam_decimal_magnitude(decimal));
    if (digits > decimals->digits[decimal->scale])
        decimals->digits[decimal->scale] = (uint8_t)digits;
    decimals->counts[decimal->scale]++;
    if (paths->options->decimals_as_doubles)
        LAM_TRY(prints_as_double(paths, decimal, &is_double, error));
    decimals->doubles += is_double;
    return LAM_STATUS_OK;
}

/*
 * Counts a scalar by its kind. Integers count as the smallest kind that holds them, since writers
 * differ in the width that they choose.
 */
static lam_status note_scalar(lam_variant_paths *paths, uint32_t index, lam_bytes value,
                              lam_error *error) {
    lam_variant variant = {{NULL, 0}, value};
    lam_variant_scalar scalar;
    LAM_TRY(lam_variant_get(variant, &scalar, error));
    lam_variant_kind kind = scalar.kind;
    if (kind >= LAM_VARIANT_INT8 && kind <= LAM_VARIANT_INT64)
        kind = lam_variant_integer_kind(scalar.as.integer);
    paths->list.items[index].kinds[kind]++;
    if (kind >= LAM_VARIANT_DECIMAL4 && kind <= LAM_VARIANT_DECIMAL16)
        return note_decimal(paths, index, &scalar.as.decimal, error);
    return LAM_STATUS_OK;
}

static lam_status count_value(lam_variant_paths *paths, const lam_variant_names_view *names,
                              uint32_t index, lam_bytes value, lam_error *error);

/* Counts the children of a container, each at its path. */
static lam_status count_inside(lam_variant_paths *paths, const lam_variant_names_view *names,
                               uint32_t index, lam_bytes value, lam_error *error) {
    lam_variant_container container;
    const char *problem = lam_variant_open_container(value, &container);
    for (uint32_t i = 0; problem == NULL && i < container.count; i++) {
        uint32_t child = 0;
        lam_bytes name, inside;
        problem = lam_variant_child(&container, i, &inside);
        if (problem != NULL)
            break;
        if (container.id_width == 0) {
            LAM_TRY(find_element(paths, index, &child, error));
        } else if (lam_variant_name_at(names, lam_variant_id_at(&container, i), &name)) {
            LAM_TRY(variant_paths_find_field(paths, index, name, &child, error));
        }
        if (child != 0)
            LAM_TRY(count_value(paths, names, child, inside, error));
    }
    if (problem != NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_BYTES, "variant: %s", problem);
    return LAM_STATUS_OK;
}

/*
 * Counts a value at a path. `present` goes up once per value of the column, however often the path
 * appears in it. The pointer is not used after count_inside, which may move the paths.
 */
static lam_status count_value(lam_variant_paths *paths, const lam_variant_names_view *names,
                              uint32_t index, lam_bytes value, lam_error *error) {
    lam_variant_path *path = &paths->list.items[index];
    path->count++;
    path->present += path->last_value != paths->values;
    path->last_value = paths->values;
    if (!lam_variant_is_container(value))
        return note_scalar(paths, index, value, error);
    path->kinds[lam_variant_is_object(value) ? LAM_VARIANT_OBJECT : LAM_VARIANT_ARRAY]++;
    if (path->depth >= paths->options->max_depth)
        return LAM_STATUS_OK;
    return count_inside(paths, names, index, value, error);
}

/* Values are numbered from 1, so that 0 in last_value means never. */
lam_status lam_variant_paths_count(lam_variant_paths *paths, lam_variant variant,
                                   lam_error *error) {
    lam_variant_names_view names;
    const char *problem = lam_variant_open_names(variant.metadata, &names);
    if (problem != NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_BYTES, "variant: %s", problem);
    paths->values++;
    return count_value(paths, &names, 0, variant.value, error);
}

/* --- The tree --------------------------------------------------------------------------------- */

lam_status lam_variant_paths_init(lam_variant_paths *paths, const lam_field *group,
                                  const lam_variant_inference_options *options,
                                  const lam_allocator *allocator, lam_error *error) {
    memset(paths, 0, sizeof *paths);
    paths->allocator = *allocator;
    paths->group = group;
    paths->options = options;
    lam_arena_init(&paths->arena, allocator, 0);
    LAM_LIST_INIT(&paths->list, allocator);
    lam_hash_index_init(&paths->fields, allocator);
    lam_buffer_init(&paths->text, allocator);
    return add_path(paths, 0, error);
}

void lam_variant_paths_finish(lam_variant_paths *paths) {
    if (paths->group == NULL)
        return;
    LAM_LIST_FINISH(&paths->list);
    lam_hash_index_finish(&paths->fields);
    lam_arena_finish(&paths->arena);
    lam_buffer_finish(&paths->text);
    memset(paths, 0, sizeof *paths);
}

/*
 * Preorder without a stack: fields before the elements of the same path, then up to the next
 * sibling.
 */
uint32_t lam_variant_paths_next(const lam_variant_paths *paths, uint32_t index) {
    const lam_variant_path *path = &paths->list.items[index];
    if (path->first_child != 0)
        return path->first_child;
    if (path->element != 0)
        return path->element;
    while (index != 0) {
        const lam_variant_path *parent = &paths->list.items[path->parent];
        if (parent->element != index && path->next_child != 0)
            return path->next_child;
        if (parent->element != index && parent->element != 0)
            return parent->element;
        index = path->parent;
        path = parent;
    }
    return 0;
}
