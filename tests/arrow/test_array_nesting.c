/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The structs, lists and maps around leaves are built from levels. Leaves that contradict each
 * other are corrupt, and null parents have children as the Arrow format wants them.
 */
#include "arrow/array/array_nesting.h"

#include <criterion/criterion.h>
#include <string.h>

#include "arrow/array_flaw.h"
#include "support/failing_alloc.h"

/* A schema of one column, its plan, and what leaves bring: 32-bit numbers 1, 2, 3, ... */
typedef struct trial {
    lam_arrow_field root;
    lam_arrow_plan plan;
    lam_schema *schema;
    lam_array_store *store;
    lam_leaf_levels levels[3];
    struct ArrowArray leaves[3];
    uint64_t empty_most;
} trial;

static lam_arrow_field field_of(const char *name, lam_arrow_kind kind, bool nullable,
                                lam_arrow_field *children, size_t child_count) {
    lam_arrow_field field = {.name = name, .type = {.kind = kind}, .nullable = nullable};
    field.children = children;
    field.child_count = child_count;
    return field;
}

static void start(trial *t, lam_arrow_field *column) {
    struct ArrowSchema schema;
    lam_error error = lam_error_none();
    lam_allocator allocator = lam_allocator_default();
    memset(t, 0, sizeof *t);
    t->root = field_of("", LAM_ARROW_STRUCT, false, column, 1);
    t->empty_most = 1000;
    cr_assert_eq(lam_arrow_field_export(&t->root, &allocator, &schema, NULL), LAM_STATUS_OK);
    lam_status status = lam_arrow_plan_write(&t->plan, &schema, &allocator, &t->schema, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    schema.release(&schema);
    cr_assert_eq(lam_array_store_create(&allocator, &t->store, NULL), LAM_STATUS_OK);
}

static void finish(trial *t) {
    lam_arrow_plan_finish(&t->plan);
    lam_schema_destroy(t->schema);
    lam_array_store_drop(t->store);
}

/* The levels of a leaf, and an array of its slots: numbers where they are valid, else zeros. */
static void set_leaf(trial *t, size_t leaf, size_t count, const uint8_t *repetition,
                     const uint8_t *definition) {
    const lam_arrow_node *node = t->plan.leaves[leaf];
    lam_leaf_levels levels = {count, repetition, definition, node->leaf->max_repetition,
                              lam_kernels_get()};
    struct ArrowArray *array = &t->leaves[leaf];
    lam_array_block *block;
    t->levels[leaf] = levels;
    cr_assert_eq(lam_array_create(t->store, 2, 0, false, array, NULL), LAM_STATUS_OK);
    cr_assert_eq(
        lam_levels_set_validity(&levels, node, node->field->nullable, t->store, array, NULL),
        LAM_STATUS_OK);
    cr_assert_eq(lam_array_block_create(t->store, count * 4, &block, NULL), LAM_STATUS_OK);
    int32_t *numbers = (int32_t *)(void *)block->data, next = 1;
    for (int64_t i = 0; i < array->length; i++)
        numbers[i] = lam_array_slot_valid(array, i) ? next++ : 0;
    lam_array_give(array, 1, block);
}

static lam_status build(trial *t, uint64_t rows, struct ArrowArray *ret_array, lam_error *error) {
    lam_status status = lam_nesting_build(&t->plan, rows, t->levels, t->leaves, t->empty_most,
                                          t->store, ret_array, error);
    for (size_t i = 0; i < 3; i++)
        lam_array_release(&t->leaves[i]);
    return status;
}

static void expect_corrupt(trial *t, uint64_t rows, const char *words) {
    struct ArrowArray array;
    lam_error error = lam_error_none();
    cr_assert_eq(build(t, rows, &array, &error), LAM_STATUS_CORRUPT);
    cr_assert_not_null(strstr(error.message, words), "%s", error.message);
}

/* --- Lists of every kind ------------------------------------------------------------------- */

/* [1, 2], null, [], [null]; and as numbers: offsets 0 2 2 2 3. */
static const uint8_t list_repetition[] = {0, 1, 0, 0, 0}, list_definition[] = {3, 3, 0, 1, 2};

static struct ArrowArray build_list(lam_arrow_kind kind) {
    trial t;
    struct ArrowArray array;
    lam_arrow_field element = field_of("element", LAM_ARROW_INT32, true, NULL, 0);
    lam_arrow_field list = field_of("a", kind, true, &element, 1);
    start(&t, &list);
    set_leaf(&t, 0, 5, list_repetition, list_definition);
    cr_assert_eq(build(&t, 4, &array, NULL), LAM_STATUS_OK);
    const char *flaw = lam_array_flaw(&t.root, &array);
    cr_assert_null(flaw, "%s", flaw);
    const struct ArrowArray *a = array.children[0], *elements = a->children[0];
    cr_assert_eq(a->null_count, 1);
    cr_assert_eq(*(const uint8_t *)a->buffers[0], 13); /* 1 0 1 1 */
    cr_assert_eq(elements->length, 3);
    cr_assert_eq(elements->null_count, 1);
    cr_assert_arr_eq(elements->buffers[1], ((int32_t[]){1, 2, 0}), 12);
    finish(&t);
    return array;
}

Test(array_nesting, lists_with_offsets) {
    struct ArrowArray list = build_list(LAM_ARROW_LIST), large = build_list(LAM_ARROW_LARGE_LIST);
    cr_assert_arr_eq(list.children[0]->buffers[1], ((int32_t[]){0, 2, 2, 2, 3}), 20);
    cr_assert_arr_eq(large.children[0]->buffers[1], ((int64_t[]){0, 2, 2, 2, 3}), 40);
    list.release(&list);
    large.release(&large);
}

Test(array_nesting, list_views_have_sizes) {
    struct ArrowArray list = build_list(LAM_ARROW_LIST_VIEW);
    struct ArrowArray large = build_list(LAM_ARROW_LARGE_LIST_VIEW);
    cr_assert_arr_eq(list.children[0]->buffers[1], ((int32_t[]){0, 2, 2, 2}), 16);
    cr_assert_arr_eq(list.children[0]->buffers[2], ((int32_t[]){2, 0, 0, 1}), 16);
    cr_assert_arr_eq(large.children[0]->buffers[1], ((int64_t[]){0, 2, 2, 2}), 32);
    cr_assert_arr_eq(large.children[0]->buffers[2], ((int64_t[]){2, 0, 0, 1}), 32);
    list.release(&list);
    large.release(&large);
}

/* [1, 2], null, [null, 3] */
static const uint8_t pair_repetition[] = {0, 1, 0, 0, 1}, pair_definition[] = {3, 3, 0, 2, 3};

static void start_pairs(trial *t, lam_arrow_field *element, lam_arrow_field *list, int32_t width) {
    *element = field_of("element", LAM_ARROW_INT32, true, NULL, 0);
    *list = field_of("a", LAM_ARROW_FIXED_SIZE_LIST, true, element, 1);
    list->type.fixed_size = width;
    start(t, list);
}

Test(array_nesting, null_lists_of_fixed_size_have_empty_elements) {
    trial t;
    struct ArrowArray array;
    lam_arrow_field element, list;
    start_pairs(&t, &element, &list, 2);
    set_leaf(&t, 0, 5, pair_repetition, pair_definition);
    cr_assert_eq(build(&t, 3, &array, NULL), LAM_STATUS_OK);
    cr_assert_null(lam_array_flaw(&t.root, &array));
    const struct ArrowArray *elements = array.children[0]->children[0];
    cr_assert_eq(elements->length, 6);
    cr_assert_eq(elements->null_count, 3);
    cr_assert_eq(*(const uint8_t *)elements->buffers[0], 0x23); /* 1 1 0 0 0 1 */
    cr_assert_arr_eq(elements->buffers[1], ((int32_t[]){1, 2, 0, 0, 0, 3}), 24);
    array.release(&array);
    finish(&t);
}

Test(array_nesting, a_list_of_fixed_size_that_has_another_is_corrupt) {
    for (int32_t width = 0; width <= 3; width++) {
        trial t;
        lam_arrow_field element, list;
        if (width == 2)
            continue;
        start_pairs(&t, &element, &list, width);
        set_leaf(&t, 0, 5, pair_repetition, pair_definition);
        expect_corrupt(&t, 3, "a: a list of 2 elements where all have");
        finish(&t);
    }
}

Test(array_nesting, few_null_lists_of_a_huge_size_are_above_the_limit) {
    trial t;
    struct ArrowArray array;
    lam_arrow_field element, list;
    static const uint8_t zeros[4];
    start_pairs(&t, &element, &list, 501);
    t.empty_most = 2 * 501;
    set_leaf(&t, 0, 2, NULL, zeros);
    cr_assert_eq(build(&t, 2, &array, NULL), LAM_STATUS_OK);
    array.release(&array);
    t.empty_most--;
    set_leaf(&t, 0, 2, NULL, zeros);
    cr_assert_eq(build(&t, 2, &array, NULL), LAM_STATUS_LIMIT);
    finish(&t);
}

Test(array_nesting, lists_without_elements_of_size_0) {
    trial t;
    struct ArrowArray array;
    lam_arrow_field element, list;
    static const uint8_t definition[] = {1, 0, 1};
    start_pairs(&t, &element, &list, 0);
    set_leaf(&t, 0, 3, NULL, definition);
    cr_assert_eq(build(&t, 3, &array, NULL), LAM_STATUS_OK);
    cr_assert_null(lam_array_flaw(&t.root, &array));
    cr_assert_eq(array.children[0]->null_count, 1);
    cr_assert_eq(array.children[0]->children[0]->length, 0);
    array.release(&array);
    finish(&t);
}

/* --- Maps ---------------------------------------------------------------------------------- */

static void start_map(trial *t, lam_arrow_field *pair, lam_arrow_field *entry,
                      lam_arrow_field *map) {
    pair[0] = field_of("key", LAM_ARROW_INT32, false, NULL, 0);
    pair[1] = field_of("value", LAM_ARROW_INT32, true, NULL, 0);
    *entry = field_of("entries", LAM_ARROW_STRUCT, false, pair, 2);
    *map = field_of("m", LAM_ARROW_MAP, true, entry, 1);
    start(t, map);
}

Test(array_nesting, a_map_is_a_list_of_pairs) {
    trial t;
    struct ArrowArray array;
    lam_arrow_field pair[2], entry, map;
    static const uint8_t r[] = {0, 1, 0, 0}, keys[] = {2, 2, 0, 1}, values[] = {3, 2, 0, 1};
    start_map(&t, pair, &entry, &map);
    set_leaf(&t, 0, 4, r, keys);
    set_leaf(&t, 1, 4, r, values);
    cr_assert_eq(build(&t, 3, &array, NULL), LAM_STATUS_OK);
    const char *flaw = lam_array_flaw(&t.root, &array);
    cr_assert_null(flaw, "%s", flaw);
    const struct ArrowArray *m = array.children[0], *entries = m->children[0];
    cr_assert_arr_eq(m->buffers[1], ((int32_t[]){0, 2, 2, 2}), 16);
    cr_assert_eq(entries->length, 2);
    cr_assert_null(entries->buffers[0]);
    cr_assert_arr_eq(entries->children[0]->buffers[1], ((int32_t[]){1, 2}), 8);
    cr_assert_eq(entries->children[1]->null_count, 1);
    array.release(&array);
    finish(&t);
}

Test(array_nesting, a_map_with_a_null_key_is_corrupt) {
    trial t;
    lam_arrow_field pair[2], entry, map;
    static const uint8_t r[] = {0, 1}, keys[] = {2, 2}, values[] = {3, 2};
    static const uint8_t nothing[] = {0};
    start_map(&t, pair, &entry, &map);
    set_leaf(&t, 0, 2, r, keys);
    set_leaf(&t, 1, 2, r, values);
    lam_array_block *none;
    cr_assert_eq(lam_array_block_create(t.store, 1, &none, NULL), LAM_STATUS_OK);
    memcpy(none->data, nothing, 1);
    lam_array_give(&t.leaves[0], 0, none); /* as of a file whose keys are optional */
    t.leaves[0].null_count = 2;
    expect_corrupt(&t, 1, "m: a map with a key that is null");
    finish(&t);
}

/* --- Leaves that contradict each other ----------------------------------------------------- */

Test(array_nesting, neighbours_that_differ_above_are_corrupt) {
    trial t;
    lam_arrow_field pair[2], entry, map;
    static const uint8_t r[] = {0, 1, 0, 0}, keys[] = {2, 2, 0, 1};
    static const uint8_t other_r[][4] = {{0, 0, 1, 0}, {0, 1, 1, 0}, {0, 0, 0, 0}};
    static const uint8_t other_d[][4] = {{3, 2, 0, 0}, {3, 2, 1, 1}, {3, 1, 0, 1}, {3, 3, 0, 2}};
    start_map(&t, pair, &entry, &map);
    for (size_t i = 0; i < 7; i++) {
        set_leaf(&t, 0, 4, r, keys);
        set_leaf(&t, 1, 4, i < 3 ? other_r[i] : r, i < 3 ? keys : other_d[i - 3]);
        expect_corrupt(&t, 3, "value: its levels contradict");
    }
    set_leaf(&t, 0, 4, r, keys);
    set_leaf(&t, 1, 3, r, keys);
    expect_corrupt(&t, 3, "its levels contradict");
    finish(&t);
}

Test(array_nesting, structs_in_structs_take_their_validity_from_their_first_leaf) {
    trial t;
    struct ArrowArray array;
    lam_arrow_field leaves[2] = {field_of("x", LAM_ARROW_INT32, false, NULL, 0),
                                 field_of("y", LAM_ARROW_INT32, true, NULL, 0)};
    lam_arrow_field inner = field_of("in", LAM_ARROW_STRUCT, true, leaves, 2);
    lam_arrow_field outer = field_of("out", LAM_ARROW_STRUCT, true, &inner, 1);
    static const uint8_t x[] = {2, 1, 0, 2}, y[] = {3, 1, 0, 2}, other[] = {3, 0, 0, 2};
    start(&t, &outer);
    set_leaf(&t, 0, 4, NULL, x);
    set_leaf(&t, 1, 4, NULL, y);
    cr_assert_eq(build(&t, 4, &array, NULL), LAM_STATUS_OK);
    cr_assert_null(lam_array_flaw(&t.root, &array));
    const struct ArrowArray *out = array.children[0], *in = out->children[0];
    cr_assert_eq(*(const uint8_t *)out->buffers[0], 11); /* 1 1 0 1 */
    cr_assert_eq(*(const uint8_t *)in->buffers[0], 9);   /* 1 0 0 1 */
    cr_assert_null(in->children[0]->buffers[0]);
    cr_assert_eq(*(const uint8_t *)in->children[1]->buffers[0], 1);
    array.release(&array);
    set_leaf(&t, 0, 4, NULL, x);
    set_leaf(&t, 1, 4, NULL, other);
    expect_corrupt(&t, 4, "out.\"in\".y: its levels contradict");
    finish(&t);
}

/* --- Gaps in arrays of every kind ---------------------------------------------------------- */

/* Rows [[[1, 2], [null, 3]], null, [[null], [4]]] of fixed_size_list<K<int32>>[2]. */
static void nested_gaps(lam_arrow_kind kind) {
    trial t;
    struct ArrowArray array;
    lam_arrow_field element = field_of("element", LAM_ARROW_INT32, true, NULL, 0);
    lam_arrow_field inner = field_of("element", kind, true, &element, 1);
    lam_arrow_field list = field_of("a", LAM_ARROW_FIXED_SIZE_LIST, true, &inner, 1);
    static const uint8_t r[] = {0, 2, 1, 2, 0, 0, 1}, d[] = {5, 5, 4, 5, 0, 4, 5};
    list.type.fixed_size = 2;
    start(&t, &list);
    set_leaf(&t, 0, 7, r, d);
    cr_assert_eq(build(&t, 3, &array, NULL), LAM_STATUS_OK);
    const char *flaw = lam_array_flaw(&t.root, &array);
    cr_assert_null(flaw, "%s", flaw);
    const struct ArrowArray *lists = array.children[0]->children[0];
    cr_assert_eq(lists->length, 6);
    cr_assert_eq(*(const uint8_t *)lists->buffers[0], 0x33); /* 1 1 0 0 1 1 */
    cr_assert_eq(lists->children[0]->length, 6);
    array.release(&array);
    finish(&t);
}

Test(array_nesting, lists_inside_null_lists_of_fixed_size_are_empty) {
    static const lam_arrow_kind kinds[] = {LAM_ARROW_LIST, LAM_ARROW_LARGE_LIST,
                                           LAM_ARROW_LIST_VIEW, LAM_ARROW_LARGE_LIST_VIEW};
    for (size_t i = 0; i < 4; i++)
        nested_gaps(kinds[i]);
}

Test(array_nesting, structs_and_lists_of_fixed_size_inside_null_ones) {
    trial t;
    struct ArrowArray array;
    lam_arrow_field inner_element = field_of("element", LAM_ARROW_INT32, false, NULL, 0);
    lam_arrow_field pair[2] = {field_of("x", LAM_ARROW_INT32, true, NULL, 0),
                               field_of("l", LAM_ARROW_FIXED_SIZE_LIST, false, &inner_element, 1)};
    lam_arrow_field element = field_of("element", LAM_ARROW_STRUCT, true, pair, 2);
    lam_arrow_field list = field_of("a", LAM_ARROW_FIXED_SIZE_LIST, true, &element, 1);
    /* null, [{x: 1, l: [1, 2]}, {x: null, l: [3, 4]}] */
    static const uint8_t r_x[] = {0, 0, 1}, d_x[] = {0, 4, 3};
    static const uint8_t r_l[] = {0, 0, 2, 1, 2}, d_l[] = {0, 4, 4, 4, 4};
    pair[1].type.fixed_size = 2;
    list.type.fixed_size = 2;
    start(&t, &list);
    set_leaf(&t, 0, 3, r_x, d_x);
    set_leaf(&t, 1, 5, r_l, d_l);
    cr_assert_eq(build(&t, 2, &array, NULL), LAM_STATUS_OK);
    const char *flaw = lam_array_flaw(&t.root, &array);
    cr_assert_null(flaw, "%s", flaw);
    const struct ArrowArray *structs = array.children[0]->children[0];
    cr_assert_eq(*(const uint8_t *)structs->buffers[0], 12); /* 0 0 1 1 */
    cr_assert_arr_eq(structs->children[0]->buffers[1], ((int32_t[]){0, 0, 1, 0}), 16);
    const struct ArrowArray *numbers = structs->children[1]->children[0];
    cr_assert_eq(numbers->null_count, 0);
    cr_assert_arr_eq(numbers->buffers[1], ((int32_t[]){0, 0, 0, 0, 1, 2, 3, 4}), 32);
    array.release(&array);
    finish(&t);
}
