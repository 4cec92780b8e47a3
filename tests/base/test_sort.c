/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random items with few different keys, rising and falling: they stand in order, none is lost, and
 * what is behind the last stays.
 */
#include "base/sort.h"

#include <criterion/criterion.h>
#include <stdint.h>

#include "support/random.h"

enum { MOST = 300 };

/* The number stands behind others, so that whole items have to move. */
typedef struct item {
    uint8_t before[5];
    int32_t number;
    int32_t twin; /* of the number */
} item;

static int by_number(const void *state, const void *a, const void *b) {
    int32_t x = ((const item *)a)->number, y = ((const item *)b)->number;
    int order = (x > y) - (x < y);
    return *(const bool *)state ? -order : order;
}

Test(sort, items_stand_in_order_and_none_is_lost) {
    lam_random random = lam_random_start(lam_test_seed(1));
    for (int round = 0; round < 3000; round++) {
        item items[MOST + 1];
        int counts[32] = {0};
        size_t count = lam_random_below(&random, round < 300 ? 6 : MOST);
        bool is_falling = lam_random_chance(&random, 50);
        for (size_t i = 0; i <= count; i++) {
            items[i].number = (int32_t)lam_random_below(&random, 32);
            items[i].twin = items[i].number;
            counts[items[i].number] += i < count;
        }
        int32_t behind = items[count].number;
        lam_sort(items, count, sizeof *items, by_number, &is_falling);
        for (size_t i = 0; i < count; i++) {
            cr_assert_eq(items[i].twin, items[i].number);
            cr_assert(i == 0 || by_number(&is_falling, &items[i - 1], &items[i]) <= 0);
            counts[items[i].number]--;
        }
        for (size_t i = 0; i < 32; i++)
            cr_assert_eq(counts[i], 0);
        cr_assert_eq(items[count].number, behind);
    }
}

static bool is_larger(const void *state, uint32_t a, uint32_t b) {
    const uint32_t *keys = state;
    return keys[a] > keys[b];
}

Test(sort, numbers_are_sorted_and_equals_stay_in_turn) {
    enum { MANY = 1000 };
    static uint32_t keys[MANY], numbers[MANY], spare[MANY];
    lam_random random = lam_random_start(lam_test_seed(3));
    for (size_t count = 0; count <= MANY; count += count < 20 ? 1 : 97) {
        for (uint32_t i = 0; i < count; i++) {
            keys[i] = (uint32_t)lam_random_below(&random, count / 2 + 1);
            numbers[i] = i;
        }
        lam_sort_numbers(numbers, count, spare, is_larger, keys);
        for (size_t i = 1; i < count; i++)
            cr_assert(keys[numbers[i - 1]] < keys[numbers[i]] ||
                      (keys[numbers[i - 1]] == keys[numbers[i]] && numbers[i - 1] < numbers[i]));
    }
}
