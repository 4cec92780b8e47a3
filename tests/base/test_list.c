/* SPDX-License-Identifier: Apache-2.0 */
/* Lists hold what was added to them, whatever its type, and nothing of a failure. */
#include "base/list.h"

#include <criterion/criterion.h>

#include "support/failing_alloc.h"

/* Its size does not divide the capacity of a buffer. */
typedef struct odd_element {
    uint8_t bytes[7];
} odd_element;

Test(list, elements_stay_as_they_were_added) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    LAM_LIST(odd_element) list;
    LAM_LIST_INIT(&list, &allocator);
    for (int i = 0; i < 1000; i++) {
        odd_element element = {{(uint8_t)i, (uint8_t)(i >> 8), 3, 4, 5, 6, 7}};
        cr_assert_eq(LAM_LIST_ADD(&list, &element, NULL), LAM_STATUS_OK);
        cr_assert_eq(LAM_LIST_LAST(&list).bytes[0], (uint8_t)i);
    }
    cr_assert_eq(list.count, 1000);
    for (int i = 0; i < 1000; i++) {
        cr_assert_eq(list.items[i].bytes[0] | list.items[i].bytes[1] << 8, i);
        cr_assert_eq(list.items[i].bytes[6], 7);
    }
    LAM_LIST_FINISH(&list);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
    cr_assert_eq(list.count, 0);
    cr_assert_null(list.items);
}

Test(list, room_that_is_reserved_is_enough) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    LAM_LIST(uint64_t) list;
    LAM_LIST_INIT(&list, &allocator);
    cr_assert_eq(LAM_LIST_RESERVE(&list, 100, NULL), LAM_STATUS_OK);
    counter.fail_at = counter.requests + 1;
    for (uint64_t i = 0; i < 100; i++)
        cr_assert_eq(LAM_LIST_ADD(&list, &i, NULL), LAM_STATUS_OK);
    LAM_LIST_FINISH(&list);
    cr_assert_eq(counter.live_bytes, 0);
}

Test(list, a_failure_changes_nothing) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    LAM_LIST(uint64_t) list;
    LAM_LIST_INIT(&list, &allocator);
    uint64_t element = 5;
    cr_assert_eq(LAM_LIST_ADD(&list, &element, NULL), LAM_STATUS_OK);
    const uint64_t *items = list.items;
    lam_error error = lam_error_none();
    cr_assert_eq(LAM_LIST_RESERVE(&list, SIZE_MAX / 2, &error), LAM_STATUS_NOMEM);
    counter.fail_at = counter.requests + 1;
    cr_assert_eq(LAM_LIST_RESERVE(&list, 1000, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(list.items, items);
    cr_assert_eq(list.count, 1);
    cr_assert_eq(list.items[0], 5);
    LAM_LIST_FINISH(&list);
    cr_assert_eq(counter.live_bytes, 0);
}
