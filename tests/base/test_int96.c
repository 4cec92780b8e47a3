/* SPDX-License-Identifier: Apache-2.0 */
/*
 * INT96 times: day and nanoseconds add up to a time, every 12 bytes are one, and any two compare by
 * it.
 */
#include "base/int96.h"

#include <criterion/criterion.h>
#include <string.h>

#include "support/random.h"

static void put(int64_t nanos, int32_t julian_day, uint8_t bytes[LAM_INT96_SIZE]) {
    lam_store_le64(bytes, (uint64_t)nanos);
    lam_store_le32(bytes + 8, (uint32_t)julian_day);
}

Test(int96, day_and_nanoseconds_add_up_to_a_time) {
    static const struct {
        int64_t nanos;
        int32_t julian_day;
        int64_t day, nanos_of_day;
    } cases[] = {
        {0, 2440588, 0, 0},
        {86399999999999, 2440587, -1, 86399999999999},
        {-1, 2440588, -1, 86399999999999},
        {86400000000000, 2440588, 1, 0},
        {-86400000000000, 2440588, -1, 0},
        {-37755000000000, 2433192, -7397, 48645000000000}, /* 1949-10-01T13:30:45 */
        {INT64_MAX, INT32_MAX, 2145149810, 85636854775807},
        {INT64_MIN, INT32_MIN, -2150030988, 763145224192},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t bytes[LAM_INT96_SIZE];
        put(cases[i].nanos, cases[i].julian_day, bytes);
        lam_int96 time = lam_int96_load(bytes);
        cr_expect_eq(time.day, cases[i].day, "%zu: %lld", i, (long long)time.day);
        cr_expect_eq(time.nanos, cases[i].nanos_of_day, "%zu: %lld", i, (long long)time.nanos);
        cr_expect_eq(lam_int96_is_within_day(bytes), i < 2);
    }
}

Test(int96, times_are_stored_in_the_usual_form_where_the_day_fits) {
    uint8_t bytes[LAM_INT96_SIZE], wanted[LAM_INT96_SIZE];
    static const struct {
        lam_int96 time;
        int64_t nanos;
        int32_t julian_day;
    } cases[] = {
        {{0, 5}, 5, 2440588},
        {{-7397, 48645000000000}, 48645000000000, 2433191},
        {{INT32_MAX - LAM_INT96_EPOCH_DAY, 86399999999999}, 86399999999999, INT32_MAX},
        {{INT32_MIN - LAM_INT96_EPOCH_DAY, 0}, 0, INT32_MIN},
        {{INT32_MAX - LAM_INT96_EPOCH_DAY + 1, 1}, 86400000000001, INT32_MAX},
        {{INT32_MIN - LAM_INT96_EPOCH_DAY - 1, 1}, -86399999999999, INT32_MIN},
        {{2145149810, 85636854775807}, INT64_MAX, INT32_MAX},
        {{-2150030988, 763145224192}, INT64_MIN, INT32_MIN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(cases[i].nanos, cases[i].julian_day, wanted);
        cr_assert(lam_int96_store(cases[i].time, bytes), "%zu", i);
        cr_expect_eq(memcmp(bytes, wanted, sizeof bytes), 0, "%zu", i);
    }
}

Test(int96, times_that_no_bytes_add_up_to_are_refused) {
    static const lam_int96 times[] = {
        {2145149810, 85636854775808}, {2145149811, 0},  {INT64_MAX, 0},
        {-2150030988, 763145224191},  {-2150030989, 0}, {INT64_MIN, 86399999999999},
    };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        uint8_t bytes[LAM_INT96_SIZE] = {1, 2, 3};
        cr_expect_not(lam_int96_store(times[i], bytes), "%zu", i);
        cr_expect_eq(memcmp(bytes, "\1\2\3", 3), 0);
    }
}

/* Bytes of the ends of both numbers, so that the sums meet all edges. */
static void draw(lam_random *random, uint8_t bytes[LAM_INT96_SIZE]) {
    static const uint8_t usual[] = {0, 0x7F, 0x80, 0xFF};
    bool is_even = lam_random_chance(random, 50);
    for (size_t i = 0; i < LAM_INT96_SIZE; i++)
        bytes[i] = is_even || lam_random_chance(random, 20)
                       ? (uint8_t)lam_random_next(random)
                       : usual[lam_random_below(random, sizeof usual)];
}

Test(int96, all_bytes_are_a_time_that_can_be_stored_again) {
    lam_random random = lam_random_start(lam_test_seed(1));
    for (int round = 0; round < 200000; round++) {
        uint8_t bytes[LAM_INT96_SIZE], stored[LAM_INT96_SIZE];
        draw(&random, bytes);
        lam_int96 time = lam_int96_load(bytes);
        cr_assert(time.nanos >= 0 && time.nanos < LAM_NANOS_OF_DAY);
        cr_assert(lam_int96_store(time, stored));
        cr_assert_eq(lam_int96_compare(bytes, stored), 0);
        if (lam_int96_is_within_day(bytes))
            cr_assert_eq(memcmp(bytes, stored, sizeof bytes), 0);
    }
}

Test(int96, times_compare_whatever_their_form) {
    /* rising; each line is one time */
    static const struct {
        int64_t nanos;
        int32_t julian_day;
    } times[][2] = {
        {{48645000000000, 2433191}, {-37755000000000, 2433192}},
        {{86399999999999, 2440587}, {-1, 2440588}},
        {{0, 2440588}, {86400000000000, 2440587}},
        {{1, 2440588}, {-86399999999999, 2440589}},
    };
    for (size_t i = 0; i < 8; i++)
        for (size_t k = 0; k < 8; k++) {
            uint8_t a[LAM_INT96_SIZE], b[LAM_INT96_SIZE];
            put(times[i / 2][i % 2].nanos, times[i / 2][i % 2].julian_day, a);
            put(times[k / 2][k % 2].nanos, times[k / 2][k % 2].julian_day, b);
            cr_expect_eq(lam_int96_compare(a, b), (i / 2 > k / 2) - (i / 2 < k / 2), "%zu, %zu", i,
                         k);
        }
}
