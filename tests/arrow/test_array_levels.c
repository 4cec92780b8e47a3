/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels become validity and offsets. The example of the header is here in full; random levels are
 * compared with a walk that takes them one by one.
 */
#include "arrow/array/array_levels.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"

static lam_array_store *new_store(void) {
    lam_array_store *store;
    lam_allocator allocator = lam_allocator_default();
    cr_assert_eq(lam_array_store_create(&allocator, &store, NULL), LAM_STATUS_OK);
    return store;
}

/* The example at the top of array_levels.h. */
Test(array_levels, the_example_of_the_header) {
    static const uint8_t repetition[] = {0, 1, 0, 0, 0}, definition[] = {3, 2, 0, 1, 3};
    lam_leaf_levels levels = {5, repetition, definition, 1, lam_kernels_get()};
    lam_arrow_node list = {.present_definition = 1, .element_definition = 2};
    lam_arrow_node element = {.present_definition = 3, .slot_definition = 2, .slot_repetition = 1};
    lam_array_store *store = new_store();
    lam_array_block *offsets;
    struct ArrowArray array;
    cr_assert_eq(lam_array_create(store, 1, 0, false, &array, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_levels_set_validity(&levels, &list, true, store, &array, NULL), LAM_STATUS_OK);
    cr_assert_eq(array.length, 4);
    cr_assert_eq(array.null_count, 1);
    cr_assert_eq(*(const uint8_t *)array.buffers[0], 13); /* 1 0 1 1 */
    lam_array_release(&array);
    cr_assert_eq(lam_array_create(store, 1, 0, false, &array, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_levels_set_validity(&levels, &element, true, store, &array, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(array.length, 3);
    cr_assert_eq(*(const uint8_t *)array.buffers[0], 5); /* 1 0 1 */
    lam_array_release(&array);
    cr_assert_eq(lam_levels_offsets(&levels, &list, 4, false, store, &offsets, NULL),
                 LAM_STATUS_OK);
    cr_assert_arr_eq(offsets->data, ((int32_t[]){0, 2, 2, 2, 3}), 20);
    lam_array_block_drop(offsets);
    cr_assert_eq(lam_levels_offsets(&levels, &list, 4, true, store, &offsets, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(offsets->data, ((int64_t[]){0, 2, 2, 2, 3}), 40);
    lam_array_block_drop(offsets);
    lam_array_store_drop(store);
}

/* No level is looked at. */
Test(array_levels, more_entries_than_offsets_of_32_bits_can_number_are_above_the_limit) {
    lam_leaf_levels levels = {(size_t)INT32_MAX + 1, NULL, NULL, 1, lam_kernels_get()};
    lam_arrow_node list = {.present_definition = 1, .element_definition = 2};
    lam_array_block *offsets;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_levels_offsets(&levels, &list, 4, false, NULL, &offsets, &error),
                 LAM_STATUS_LIMIT);
    cr_assert_not_null(strstr(error.message, "lists of more than 2147483647 elements"));
}

enum { MOST = 10000 };

typedef struct random_levels {
    lam_leaf_levels levels;
    uint8_t repetition[MOST];
    uint8_t definition[MOST];
} random_levels;

static void make_levels(random_levels *made, lam_random *random, uint8_t max_r, uint8_t max_d) {
    size_t count = lam_random_below(random, lam_random_chance(random, 50) ? 100 : MOST);
    bool runs = lam_random_chance(random, 40);
    for (size_t i = 0; i < count; i++) {
        bool fresh = i == 0 || !runs || lam_random_chance(random, 5);
        made->repetition[i] = i == 0  ? 0
                              : fresh ? (uint8_t)lam_random_below(random, max_r + 1u)
                                      : made->repetition[i - 1];
        made->definition[i] =
            fresh ? (uint8_t)lam_random_below(random, max_d + 1u) : made->definition[i - 1];
    }
    made->levels.kernels = lam_kernels_get();
    made->levels.count = count;
    made->levels.max_repetition = max_r;
    made->levels.repetition = max_r == 0 ? NULL : made->repetition;
    made->levels.definition = max_d == 0 || lam_random_chance(random, 20) ? NULL : made->definition;
}

static uint8_t level_of(const uint8_t *levels, size_t at, uint8_t whole) {
    return levels == NULL ? whole : levels[at];
}

/* Any node whose thresholds are in order, as in a plan. */
static lam_arrow_node any_node(lam_random *random, uint8_t max_r, uint8_t max_d) {
    lam_arrow_node node = {0};
    node.slot_repetition = (uint8_t)lam_random_below(random, max_r);
    node.slot_definition = (uint8_t)lam_random_below(random, max_d);
    node.present_definition =
        (uint8_t)(node.slot_definition + lam_random_below(random, max_d - node.slot_definition));
    node.element_definition = (uint8_t)(node.present_definition + 1);
    return node;
}

/* Whether each further element is one, and of a list that has elements. */
static bool goes_on_rightly(const lam_leaf_levels *levels, const lam_arrow_node *list,
                            uint8_t max_d) {
    for (size_t i = 0; i < levels->count; i++)
        if (level_of(levels->repetition, i, 0) == list->slot_repetition + 1 &&
            (level_of(levels->definition, i, max_d) < list->element_definition ||
             level_of(levels->definition, i - 1, max_d) < list->element_definition))
            return false;
    return true;
}

static int64_t offset_at(const lam_array_block *offsets, bool is_large, int64_t slot) {
    return is_large ? ((const int64_t *)(const void *)offsets->data)[slot]
                    : ((const int32_t *)(const void *)offsets->data)[slot];
}

Test(array_levels, validity_and_offsets_are_those_of_a_walk_over_the_entries) {
    lam_random random = lam_random_start(lam_test_seed(51));
    lam_array_store *store = new_store();
    static random_levels made;
    int rights = 0;
    for (int round = 0; round < 1500; round++) {
        uint8_t max_r = (uint8_t)(1 + lam_random_below(&random, 4));
        uint8_t max_d = (uint8_t)(max_r + lam_random_below(&random, 5));
        make_levels(&made, &random, max_r, max_d);
        lam_arrow_node node = any_node(&random, max_r, max_d);
        bool is_large = lam_random_chance(&random, 50);
        struct ArrowArray array;
        lam_array_block *offsets;
        cr_assert_eq(lam_array_create(store, 1, 0, false, &array, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_levels_set_validity(&made.levels, &node, true, store, &array, NULL),
                     LAM_STATUS_OK);
        lam_status status = lam_levels_offsets(&made.levels, &node, (size_t)array.length, is_large,
                                               store, &offsets, NULL);
        bool right = goes_on_rightly(&made.levels, &node, max_d);
        rights += right;
        cr_assert_eq(status, right ? LAM_STATUS_OK : LAM_STATUS_CORRUPT);
        int64_t slots = 0, nulls = 0, elements = 0;
        for (size_t i = 0; i < made.levels.count; i++) {
            uint8_t r = level_of(made.levels.repetition, i, 0);
            uint8_t d = level_of(made.levels.definition, i, max_d);
            if (r <= node.slot_repetition && d >= node.slot_definition) {
                bool valid = d >= node.present_definition;
                const uint8_t *bits = array.buffers[0];
                cr_assert_eq(bits == NULL || bits[slots / 8] >> slots % 8 & 1, valid);
                if (right)
                    cr_assert_eq(offset_at(offsets, is_large, slots), elements);
                slots++;
                nulls += !valid;
            }
            elements += r <= node.slot_repetition + 1 && d >= node.element_definition;
        }
        cr_assert_eq(array.length, slots);
        cr_assert_eq(array.null_count, nulls);
        cr_assert_eq(array.buffers[0] == NULL, nulls == 0);
        if (right) {
            cr_assert_eq(offset_at(offsets, is_large, slots), elements);
            lam_array_block_drop(offsets);
        }
        lam_array_release(&array);
    }
    cr_assert(rights > 100 && rights < 1400, "%d", rights);
    lam_array_store_drop(store);
}

/* --- Agreement ----------------------------------------------------------------------------- */

static bool agree_naively(const lam_leaf_levels *a, const lam_leaf_levels *b,
                          const lam_arrow_node *above) {
    uint8_t most = above->present_definition;
    for (size_t i = 0, j = 0;;) {
        while (i < a->count && level_of(a->repetition, i, 0) > above->slot_repetition)
            i++;
        while (j < b->count && level_of(b->repetition, j, 0) > above->slot_repetition)
            j++;
        if (i == a->count || j == b->count)
            return i == a->count && j == b->count;
        uint8_t of_a = level_of(a->definition, i, most), of_b = level_of(b->definition, j, most);
        if ((of_a < most ? of_a : most) != (of_b < most ? of_b : most) ||
            level_of(a->repetition, i, 0) != level_of(b->repetition, j, 0))
            return false;
        i++;
        j++;
    }
}

/* Another leaf with the same entries as far as `above` goes: more between, other levels above. */
static void make_sibling(const random_levels *from, const lam_arrow_node *above, uint8_t max_r,
                         uint8_t max_d, lam_random *random, random_levels *made) {
    size_t count = 0;
    for (size_t i = 0; i < from->levels.count && count < MOST - 4; i++) {
        uint8_t r = level_of(from->levels.repetition, i, 0);
        uint8_t d = level_of(from->levels.definition, i, above->present_definition);
        if (r > above->slot_repetition)
            continue;
        if (d >= above->present_definition)
            d = (uint8_t)(above->present_definition +
                          lam_random_below(random, max_d - above->present_definition + 1u));
        made->repetition[count] = r;
        made->definition[count++] = d;
        for (; max_r > above->slot_repetition && count < MOST && lam_random_chance(random, 30);) {
            made->repetition[count] = max_r;
            made->definition[count++] = max_d;
        }
    }
    made->levels.kernels = lam_kernels_get();
    made->levels.count = count;
    made->levels.repetition = max_r == 0 ? NULL : made->repetition;
    made->levels.definition = made->definition;
    made->levels.max_repetition = max_r;
}

Test(array_levels, leaves_agree_when_their_entries_do_as_far_as_what_is_above) {
    lam_random random = lam_random_start(lam_test_seed(52));
    static random_levels a, b;
    int equal = 0;
    for (int round = 0; round < 3000; round++) {
        uint8_t max_r = (uint8_t)lam_random_below(&random, 4);
        lam_arrow_node above = {.slot_repetition = (uint8_t)lam_random_below(&random, max_r + 1u)};
        above.present_definition = (uint8_t)lam_random_below(&random, 5);
        uint8_t other_r = (uint8_t)(above.slot_repetition + lam_random_below(&random, 3));
        make_levels(&a, &random, max_r, (uint8_t)(above.present_definition + 2));
        make_sibling(&a, &above, other_r, (uint8_t)(above.present_definition + 3), &random, &b);
        if (b.levels.count > 0 && lam_random_chance(&random, 50)) {
            size_t at = lam_random_below(&random, b.levels.count);
            b.definition[at] = (uint8_t)lam_random_below(&random, above.present_definition + 2u);
            if (lam_random_chance(&random, 20) && b.levels.repetition != NULL)
                b.repetition[at] = (uint8_t)lam_random_below(&random, other_r + 1u);
            if (lam_random_chance(&random, 20))
                b.levels.count--;
        }
        bool expected = agree_naively(&a.levels, &b.levels, &above);
        equal += expected;
        cr_assert_eq(lam_levels_agree(&a.levels, &b.levels, &above), expected, "round %d", round);
        cr_assert_eq(lam_levels_agree(&b.levels, &a.levels, &above), expected, "round %d", round);
    }
    cr_assert(equal > 500 && equal < 2900, "%d", equal);
}

Test(array_levels, the_bits_of_a_leaf_are_those_of_its_slots) {
    lam_random random = lam_random_start(lam_test_seed(53));
    for (int round = 0; round < 2000; round++) {
        uint8_t definition[LAM_LEVELS_BLOCK], bits[LAM_LEVELS_BLOCK / 8];
        lam_arrow_node leaf = {.slot_definition = (uint8_t)lam_random_below(&random, 3)};
        leaf.present_definition = (uint8_t)(leaf.slot_definition + lam_random_below(&random, 3));
        size_t count = lam_random_below(&random, LAM_LEVELS_BLOCK + 1), slots = 0;
        for (size_t i = 0; i < count; i++)
            definition[i] = (uint8_t)lam_random_below(&random, leaf.present_definition + 1u);
        size_t found = lam_levels_leaf_bits(lam_kernels_get(), definition, count, &leaf, bits);
        for (size_t i = 0; i < count; i++) {
            if (definition[i] < leaf.slot_definition)
                continue;
            cr_assert_eq(bits[slots / 8] >> slots % 8 & 1,
                         definition[i] >= leaf.present_definition);
            slots++;
        }
        cr_assert_eq(found, slots);
    }
}
