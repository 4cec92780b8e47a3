/* SPDX-License-Identifier: Apache-2.0 */
/* Names that are added to a table stay sorted, whatever the order they come in. */
#include "variant/value/variant_name_order.h"

#include "support/failing_alloc.h"
#include "support/random.h"
#include "variant_help.h"

enum { MOST = 20000 };

static void add_names(lam_variant_name_table *table, lam_random *random, size_t count) {
    char name[24];
    uint32_t number;
    for (size_t i = 0; i < count; i++) {
        int size =
            snprintf(name, sizeof name, "%llu",
                     (unsigned long long)lam_random_next(random) >> lam_random_below(random, 60));
        cr_assert_eq(lam_variant_name_intern(table, name, (size_t)size, &number, NULL),
                     LAM_STATUS_OK);
    }
}

/* Draws different names of a table; those that are new to it as often as the others. */
static size_t draw(const lam_variant_name_table *table, lam_random *random, size_t most,
                   uint32_t *numbers) {
    static bool drawn[MOST];
    size_t count = 0, wanted = lam_random_below(random, most + 1);
    memset(drawn, 0, sizeof drawn);
    for (size_t i = 0; i < wanted; i++) {
        size_t last = 1 + lam_random_below(random, 40);
        uint32_t number = (uint32_t)lam_random_below(random, table->names.count);
        if (lam_random_below(random, 2) == 0 && last <= table->names.count)
            number = (uint32_t)(table->names.count - last);
        if (!drawn[number])
            numbers[count++] = number;
        drawn[number] = true;
    }
    return count;
}

static void expect_sorted(const lam_variant_name_table *table, const uint32_t *before,
                          const uint32_t *numbers, size_t count, uint64_t seed) {
    static uint32_t expected[MOST], spare[MOST];
    if (count == 0)
        return;
    memcpy(expected, before, count * sizeof *before);
    lam_variant_names_sort(table, expected, count, spare);
    cr_assert_arr_eq(numbers, expected, count * sizeof *numbers, "seed %llu",
                     (unsigned long long)seed);
}

/* Sorts names of a table that grows; in a large one also a few, which are compared then. */
Test(variant_name_order, names_are_sorted_as_by_their_bytes_while_the_table_grows) {
    static uint32_t numbers[MOST], before[MOST], spare[MOST];
    lam_allocator allocator = lam_allocator_default();
    lam_variant_name_table table;
    lam_variant_name_order order;
    uint64_t seed = lam_test_seed(20261123);
    lam_random random = lam_random_start(seed);
    lam_variant_name_table_init(&table, &allocator);
    lam_variant_name_order_init(&order, &allocator);
    for (unsigned turn = 0; turn < 400; turn++) {
        add_names(&table, &random, lam_random_below(&random, turn % 100 == 99 ? 4000 : 20));
        if (turn == 200) {
            lam_variant_name_table_clear(&table);
            lam_variant_name_order_clear(&order);
        }
        if (table.names.count == 0)
            continue;
        size_t count = draw(&table, &random, turn % 3 == 0 ? 3 : 200, numbers);
        memcpy(before, numbers, sizeof before);
        cr_assert_eq(lam_variant_name_order_sort(&order, &table, numbers, count, spare, NULL),
                     LAM_STATUS_OK);
        expect_sorted(&table, before, numbers, count, seed);
    }
    lam_variant_name_order_finish(&order);
    lam_variant_name_table_finish(&table);
}

Test(variant_name_order, a_failed_allocation_changes_nothing) {
    static uint32_t numbers[MOST], before[MOST], spare[MOST];
    lam_allocator allocator = lam_allocator_default();
    lam_variant_name_table table;
    uint64_t seed = lam_test_seed(20261123);
    lam_random random = lam_random_start(seed);
    for (size_t n = 1;; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator failing = lam_failing_allocator(&counter);
        lam_variant_name_order order;
        size_t failures = 0;
        lam_variant_name_table_init(&table, &allocator);
        lam_variant_name_order_init(&order, &failing);
        for (unsigned turn = 0; turn < 10; turn++) {
            add_names(&table, &random, 100);
            size_t count = draw(&table, &random, 100, numbers);
            memcpy(before, numbers, sizeof before);
            lam_status status =
                lam_variant_name_order_sort(&order, &table, numbers, count, spare, NULL);
            if (status != LAM_STATUS_OK) {
                failures++;
                cr_assert_eq(status, LAM_STATUS_NOMEM);
                cr_assert_arr_eq(numbers, before, count * sizeof *numbers);
                cr_assert_eq(
                    lam_variant_name_order_sort(&order, &table, numbers, count, spare, NULL),
                    LAM_STATUS_OK);
            }
            expect_sorted(&table, before, numbers, count, seed);
        }
        lam_variant_name_order_finish(&order);
        lam_variant_name_table_finish(&table);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (failures == 0)
            break;
    }
}

Test(variant_name_order, more_names_than_memory_has_room_for_are_refused) {
    lam_allocator allocator = lam_allocator_default();
    lam_variant_name_table table;
    lam_variant_name_order order;
    lam_error error = lam_error_none();
    lam_variant_name_table_init(&table, &allocator);
    lam_variant_name_order_init(&order, &allocator);
    table.names.count = SIZE_MAX / 8; /* as if there were so many */
    cr_expect_eq(lam_variant_name_order_sort(&order, &table, NULL, 0, NULL, &error),
                 LAM_STATUS_NOMEM);
    cr_expect_eq(error.status, LAM_STATUS_NOMEM);
    cr_expect_eq(order.list.count, 0);
    table.names.count = 0;
    lam_variant_name_order_finish(&order);
    lam_variant_name_table_finish(&table);
}
