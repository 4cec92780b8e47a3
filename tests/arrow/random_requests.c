/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random requests for columns whose types are known: each field of a request is made together with
 * what must come of it, from a list of types that hold all values of the column's, or from types
 * that do not.
 */
#include "arrow/random_requests.h"

#include <stdlib.h>
#include <string.h>

static void *take(lam_arena *arena, size_t count, size_t size) {
    void *memory;
    if (lam_arena_array(arena, count, size, &memory, NULL) != LAM_STATUS_OK)
        abort();
    return memory;
}

static size_t below(lam_random *random, size_t count) {
    return (size_t)lam_random_below(random, count);
}

static bool is_between(lam_arrow_kind kind, lam_arrow_kind first, lam_arrow_kind last) {
    return kind >= first && kind <= last;
}

static lam_arrow_kind one_of(lam_random *random, lam_arrow_kind first, size_t count) {
    return (lam_arrow_kind)(first + below(random, count));
}

/* --- Types that are given ------------------------------------------------------------------ */

static void widen_decimal(lam_random *random, lam_arrow_type *type) {
    static const int32_t most[] = {9, 18, 38, 76};
    size_t width = below(random, 4);
    while (most[width] < type->precision)
        width++;
    type->bit_width = 32 << width;
    type->precision += (int32_t)below(random, (size_t)(most[width] - type->precision) + 1);
}

/* Gives a leaf another type that holds all of its values. */
static void change_leaf(lam_random *random, lam_arrow_type *type) {
    static const char *const zones[] = {"UTC", "Europe/Paris", "+07:30"};
    bool is_seconds = type->unit == LAM_ARROW_SECOND;
    switch (type->kind) {
    case LAM_ARROW_STRING:
    case LAM_ARROW_LARGE_STRING:
    case LAM_ARROW_STRING_VIEW:
        type->kind = one_of(random, LAM_ARROW_BINARY, 6);
        break;
    case LAM_ARROW_BINARY:
    case LAM_ARROW_LARGE_BINARY:
    case LAM_ARROW_BINARY_VIEW:
        type->kind = one_of(random, LAM_ARROW_BINARY, 3);
        break;
    case LAM_ARROW_INT64:
        type->kind = LAM_ARROW_DURATION;
        type->unit = (lam_arrow_unit)below(random, 4);
        break;
    case LAM_ARROW_DURATION:
        type->kind = LAM_ARROW_INT64;
        type->unit = 0;
        break;
    case LAM_ARROW_DATE32:
    case LAM_ARROW_DATE64:
        type->kind = one_of(random, LAM_ARROW_DATE32, 2);
        break;
    case LAM_ARROW_TIMESTAMP:
        if (type->timezone != NULL)
            type->timezone = zones[below(random, 3)];
        /* fall through */
    case LAM_ARROW_TIME32:
        if (is_seconds && lam_random_chance(random, 50))
            type->unit = LAM_ARROW_MILLISECOND;
        break;
    case LAM_ARROW_DECIMAL:
        widen_decimal(random, type);
        break;
    case LAM_ARROW_INTERVAL_MONTHS:
    case LAM_ARROW_INTERVAL_DAY_TIME:
        type->kind = LAM_ARROW_INTERVAL_MONTH_DAY_NANO;
        break;
    default:
        break;
    }
}

static void change_dictionary(lam_random *random, bool in_list, lam_arrow_field *requested,
                              lam_arrow_field *expected) {
    bool was = expected->is_dictionary, was_ordered = expected->dictionary_ordered;
    lam_arrow_kind before = expected->index_kind;
    requested->is_dictionary = lam_random_chance(random, 50);
    requested->dictionary_ordered = requested->is_dictionary && lam_random_chance(random, 30);
    requested->index_kind = one_of(random, LAM_ARROW_INT8, 8);
    expected->is_dictionary = requested->is_dictionary;
    expected->dictionary_ordered = was_ordered && requested->dictionary_ordered;
    expected->index_kind = requested->index_kind;
    if (in_list && requested->index_kind < LAM_ARROW_INT32 &&
        !(was && before == requested->index_kind))
        expected->index_kind = LAM_ARROW_INT32;
}

/* --- Types that are not -------------------------------------------------------------------- */

/* Changes an argument of the type so that some value would be lost; false when it has none. */
static bool spoil_argument(lam_random *random, lam_arrow_type *type) {
    switch (type->kind) {
    case LAM_ARROW_TIMESTAMP:
        if (lam_random_chance(random, 50))
            type->timezone = type->timezone == NULL ? "UTC" : NULL;
        else
            type->unit =
                type->unit == LAM_ARROW_NANOSECOND ? LAM_ARROW_MICROSECOND : LAM_ARROW_NANOSECOND;
        return true;
    case LAM_ARROW_TIME64:
        type->unit ^= LAM_ARROW_MICROSECOND ^ LAM_ARROW_NANOSECOND;
        return true;
    case LAM_ARROW_DURATION:
        type->unit = (type->unit + 1) % 4;
        return true;
    case LAM_ARROW_DECIMAL:
        type->scale += lam_random_chance(random, 50) ? 1 : -1;
        return type->scale <= type->precision;
    case LAM_ARROW_FIXED_SIZE_BINARY:
    case LAM_ARROW_FIXED_SIZE_LIST:
        type->fixed_size++;
        return true;
    case LAM_ARROW_INTERVAL_MONTH_DAY_NANO:
        type->kind = one_of(random, LAM_ARROW_INTERVAL_MONTHS, 2);
        return true;
    case LAM_ARROW_BINARY:
    case LAM_ARROW_LARGE_BINARY:
    case LAM_ARROW_BINARY_VIEW:
        type->kind = one_of(random, LAM_ARROW_STRING, 3);
        return true;
    case LAM_ARROW_LIST:
    case LAM_ARROW_LARGE_LIST:
    case LAM_ARROW_LIST_VIEW:
    case LAM_ARROW_LARGE_LIST_VIEW:
        type->kind = LAM_ARROW_FIXED_SIZE_LIST;
        type->fixed_size = 2;
        return true;
    default:
        return false;
    }
}

/* Makes a type of its own, of no children, that no column of the field's type can be read as. */
static void replace_type(lam_random *random, lam_arrow_field *field) {
    lam_arrow_kind other = one_of(random, LAM_ARROW_BOOL, 8);
    if (other == field->type.kind ||
        (other == LAM_ARROW_INT64 && field->type.kind == LAM_ARROW_DURATION))
        other = LAM_ARROW_FLOAT16;
    memset(&field->type, 0, sizeof field->type);
    field->type.kind = other;
    field->child_count = 0;
    field->is_dictionary = false;
}

static void spoil(lam_random *random, lam_arrow_field *requested) {
    if (requested->child_count > 0 && requested->type.kind != LAM_ARROW_MAP &&
        lam_random_chance(random, 20)) {
        requested->is_dictionary = true;
        requested->index_kind = LAM_ARROW_INT32;
    } else if (lam_random_chance(random, 30) || !spoil_argument(random, &requested->type)) {
        replace_type(random, requested);
    }
}

/* --- The tree ------------------------------------------------------------------------------ */

/* What is about the place of a field, and not about its type. */
typedef struct field_place {
    bool in_list;
    bool has_free_name; /* an element, or a part of a map: not found by its name */
} field_place;

static void change_field(lam_random *random, lam_arena *arena, field_place place,
                         lam_arrow_field *requested, lam_arrow_field *expected);

/* Copies the children, which are shared until then. */
static void own_children(lam_arena *arena, lam_arrow_field *field) {
    lam_arrow_field *copies = take(arena, field->child_count + 1, sizeof *copies);
    if (field->child_count > 0)
        memcpy(copies, field->children, field->child_count * sizeof *copies);
    field->children = copies;
}

/* Puts the fields of a struct into another order, without some, and with one that is not there. */
static void change_fields(lam_random *random, lam_arena *arena, bool in_list,
                          lam_arrow_field *requested, lam_arrow_field *expected) {
    const field_place place = {in_list, false};
    size_t count = 0;
    for (size_t i = 0; i < expected->child_count; i++) {
        lam_arrow_field wish = requested->children[i];
        if (lam_random_chance(random, 10))
            continue;
        change_field(random, arena, place, &wish, &expected->children[i]);
        requested->children[count++] = wish;
    }
    for (size_t i = count; i > 1; i--) {
        size_t other = below(random, i);
        lam_arrow_field moved = requested->children[i - 1];
        requested->children[i - 1] = requested->children[other];
        requested->children[other] = moved;
    }
    requested->child_count = count;
    if (lam_random_chance(random, 20)) {
        lam_arrow_field stranger = {.name = "nobody", .type = {.kind = LAM_ARROW_STRING}};
        requested->children[requested->child_count++] = stranger;
    }
}

static void rename_field(lam_random *random, bool is_given, lam_arrow_field *requested,
                         lam_arrow_field *expected) {
    static const char *const names[] = {"item", "", "größe"};
    requested->name = names[below(random, 3)];
    if (is_given)
        expected->name = requested->name;
}

static void change_map(lam_random *random, lam_arena *arena, lam_arrow_field *requested,
                       lam_arrow_field *expected) {
    const field_place place = {true, true};
    bool was_sorted = expected->type.keys_sorted;
    requested->type.keys_sorted = lam_random_chance(random, 50);
    expected->type.keys_sorted = was_sorted && requested->type.keys_sorted;
    rename_field(random, true, requested->children, expected->children);
    own_children(arena, requested->children);
    own_children(arena, expected->children);
    for (size_t i = 0; i < 2; i++)
        change_field(random, arena, place, &requested->children->children[i],
                     &expected->children->children[i]);
}

static void change_type(lam_random *random, lam_arena *arena, bool in_list,
                        lam_arrow_field *requested, lam_arrow_field *expected) {
    lam_arrow_kind kind = expected->type.kind;
    own_children(arena, requested);
    own_children(arena, expected);
    if (kind == LAM_ARROW_STRUCT) {
        change_fields(random, arena, in_list, requested, expected);
    } else if (kind == LAM_ARROW_MAP) {
        change_map(random, arena, requested, expected);
    } else if (is_between(kind, LAM_ARROW_LIST, LAM_ARROW_FIXED_SIZE_LIST)) {
        if (kind != LAM_ARROW_FIXED_SIZE_LIST || lam_random_chance(random, 50)) {
            requested->type.kind = one_of(random, LAM_ARROW_LIST, 4);
            requested->type.fixed_size = 0;
        }
        expected->type = requested->type;
        change_field(random, arena, (field_place){true, true}, requested->children,
                     expected->children);
    } else {
        change_leaf(random, &requested->type);
        expected->type = requested->type;
        change_dictionary(random, in_list, requested, expected);
    }
}

/* Both fields are the same at first. */
static void change_field(lam_random *random, lam_arena *arena, field_place place,
                         lam_arrow_field *requested, lam_arrow_field *expected) {
    bool is_given = lam_random_chance(random, 85);
    requested->nullable = lam_random_chance(random, 50);
    if (place.has_free_name && lam_random_chance(random, 50))
        rename_field(random, is_given, requested, expected);
    if (!is_given)
        spoil(random, requested);
    else if (lam_random_chance(random, 85))
        change_type(random, arena, place.in_list, requested, expected);
}

lam_arrow_field lam_random_request(lam_random *random, lam_arena *arena,
                                   const lam_arrow_field *columns, lam_arrow_field *ret_expected) {
    lam_arrow_field requested = *columns;
    *ret_expected = *columns;
    own_children(arena, &requested);
    own_children(arena, ret_expected);
    change_fields(random, arena, false, &requested, ret_expected);
    return requested;
}
