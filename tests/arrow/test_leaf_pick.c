/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wanted rows are picked out of the levels and values of a batch, marked or listed, whatever their
 * size.
 */
#include "arrow/read/leaf_pick.h"

#include <criterion/criterion.h>
#include <string.h>

#include "support/random.h"

enum { COUNT = LAM_LEVELS_BLOCK, MAX = 2 };

typedef struct entries {
    uint8_t marks[1 + COUNT];
    uint8_t repetition[COUNT];
    uint8_t definition[COUNT];
    bool has_repetition;
    bool has_definition;
    size_t count;
} entries;

static void fill(entries *e, lam_random *random) {
    unsigned wanted = (unsigned)lam_random_below(random, 101);
    e->count = (size_t)lam_random_below(random, COUNT + 1);
    e->has_repetition = lam_random_chance(random, 50);
    e->has_definition = lam_random_chance(random, 50);
    e->marks[0] = 0;
    for (size_t i = 0; i < COUNT; i++) {
        e->marks[1 + i] = lam_random_chance(random, wanted);
        e->repetition[i] = e->has_repetition && i > 0 && lam_random_chance(random, 60);
        e->definition[i] = e->has_definition ? (uint8_t)lam_random_below(random, MAX + 1) : MAX;
    }
}

/* Entry by entry; a call may go on in the middle of a row. */
static void expect_picks(const entries *e, size_t first, size_t count, size_t row,
                         const lam_leaf_picks *picks) {
    size_t entry = 0, value = 0, all = 0;
    for (size_t i = first; i < first + count; i++) {
        row += e->repetition[i] == 0;
        bool has_value = e->definition[i] == MAX;
        if (e->marks[row]) {
            cr_assert_lt(entry, picks->entry_count);
            cr_assert_eq(picks->entries[entry++], i - first);
            if (has_value)
                cr_assert_eq(picks->values[value++], all);
        }
        all += has_value;
    }
    cr_assert_eq(entry, picks->entry_count);
    cr_assert_eq(value, picks->value_count);
    cr_assert_eq(all, picks->all_values);
}

Test(leaf_pick, entries_and_values_of_marked_rows_are_picked) {
    lam_random random = lam_random_start(lam_test_seed(1));
    static entries e;
    static lam_leaf_picks picks;
    for (int round = 0; round < 2000; round++) {
        size_t row = 0;
        fill(&e, &random);
        for (size_t at = 0, some; at < e.count; at += some) {
            size_t before = row;
            some = 1 + (size_t)lam_random_below(&random, e.count - at);
            lam_leaf_pick(e.marks, &row, e.has_repetition ? e.repetition + at : NULL,
                          e.has_definition ? e.definition + at : NULL, some, MAX, &picks);
            expect_picks(&e, at, some, before, &picks);
        }
    }
}

Test(leaf_pick, listed_rows_of_a_flat_leaf_are_picked_as_marked_ones_are) {
    lam_random random = lam_random_start(lam_test_seed(3));
    static entries e;
    static lam_leaf_picks picks, expected;
    static uint16_t rows[COUNT];
    for (int round = 0; round < 3000; round++) {
        fill(&e, &random);
        size_t first = (size_t)lam_random_below(&random, e.count + 1), row = first, listed = 0;
        const uint8_t *definition = e.has_definition ? e.definition + first : NULL;
        for (size_t i = first; i < e.count; i++)
            if (e.marks[1 + i])
                rows[listed++] = (uint16_t)i;
        lam_leaf_pick(e.marks, &row, NULL, definition, e.count - first, MAX, &expected);
        lam_leaf_pick_rows(lam_kernels_get(), rows, listed, first, definition, e.count - first, MAX,
                           &picks);
        cr_assert_eq(picks.entry_count, expected.entry_count);
        cr_assert_eq(picks.value_count, expected.value_count);
        cr_assert_eq(picks.all_values, expected.all_values);
        cr_assert_arr_eq(picks.entries, expected.entries, listed * sizeof *rows);
        cr_assert_arr_eq(picks.values, expected.values, picks.value_count * sizeof *rows);
    }
}

Test(leaf_pick, a_row_that_began_before_the_first_is_not_wanted) {
    static const uint8_t marks[] = {0, 1}, repetition[] = {1, 1, 0};
    lam_leaf_picks picks;
    size_t row = 0;
    lam_leaf_pick(marks, &row, repetition, NULL, 3, 1, &picks);
    cr_expect_eq(picks.entry_count, 1);
    cr_expect_eq(picks.entries[0], 2);
    cr_expect_eq(picks.values[0], 2);
}

Test(leaf_pick, elements_of_any_size_move_to_the_front) {
    lam_random random = lam_random_start(lam_test_seed(2));
    static const size_t sizes[] = {0, 1, 2, 4, 7, 8, 12, 16, 32, 33};
    static uint8_t elements[COUNT * 33], before[COUNT * 33];
    static uint16_t positions[COUNT];
    for (int round = 0; round < 500; round++) {
        size_t size = sizes[round % 10], count = 0, first = (size_t)lam_random_below(&random, 100);
        for (size_t i = 0; i < sizeof elements; i++)
            before[i] = elements[i] = (uint8_t)lam_random_next(&random);
        for (size_t i = 0; i < 1000; i++)
            if (lam_random_chance(&random, 30))
                positions[count++] = (uint16_t)(first + i);
        lam_leaf_pick_elements(positions, count, first, elements, size);
        for (size_t i = 0; i < count && size > 0; i++)
            cr_assert_arr_eq(elements + i * size, before + (positions[i] - first) * size, size);
    }
}

Test(leaf_pick, levels_move_in_front_of_where_they_were) {
    uint8_t levels[] = {9, 9, 1, 2, 3, 4, 5};
    lam_leaf_picks picks = {.entry_count = 3, .entries = {0, 2, 4}};
    lam_leaf_pick_levels(&picks, levels + 2, levels);
    static const uint8_t expected[] = {1, 3, 5};
    cr_expect_arr_eq(levels, expected, sizeof expected);
}
