/* SPDX-License-Identifier: Apache-2.0 */
/* The first index that a number belongs to, against a search from the start. */
#include "base/search.h"

#include <criterion/criterion.h>
#include <stdint.h>

#include "support/random.h"

Test(search, the_first_that_is_not_before_is_found) {
    enum { MOST = 40 };
    lam_random random = lam_random_start(lam_test_seed(1));
    for (int round = 0; round < 5000; round++) {
        uint32_t numbers[MOST], last = 0;
        size_t end = lam_random_below(&random, MOST), at, expected;
        size_t begin = lam_random_below(&random, end + 1);
        for (size_t i = 0; i < end; i++)
            numbers[i] = last += (uint32_t)lam_random_below(&random, 3);
        uint32_t wanted = (uint32_t)lam_random_below(&random, last + 2);
        for (expected = begin; expected < end && numbers[expected] < wanted; expected++)
            continue;
        LAM_BISECT(at, begin, end, numbers[at] < wanted);
        cr_assert_eq(at, expected);
    }
}

Test(search, an_equal_is_found_if_there_is_one) {
    enum { MOST = 40 };
    lam_random random = lam_random_start(lam_test_seed(2));
    for (int round = 0; round < 5000; round++) {
        int numbers[MOST], last = 0;
        size_t end = lam_random_below(&random, MOST), at, count = 0;
        size_t begin = lam_random_below(&random, end + 1);
        for (size_t i = 0; i < end; i++)
            numbers[i] = last += (int)lam_random_below(&random, 4);
        int wanted = (int)lam_random_below(&random, (uint64_t)last + 2);
        for (size_t i = begin; i < end; i++)
            count += numbers[i] == wanted;
        LAM_BISECT_EQUAL(at, begin, end, numbers[at] - wanted);
        cr_assert_eq(at<end, count> 0);
        cr_assert(at == end || (at >= begin && numbers[at] == wanted));
    }
}

Test(search, few_are_compared_and_none_outside) {
    size_t at, compared = 0, outside = 0;
    LAM_BISECT(at, 5, 5, (compared++, true));
    cr_assert_eq(at, 5);
    cr_assert_eq(compared, 0);
    LAM_BISECT(at, 1000, 2000, (compared++, outside += at < 1000 || at >= 2000, at < 1900));
    cr_assert_eq(at, 1900);
    cr_assert_leq(compared, 10);
    cr_assert_eq(outside, 0);
}
