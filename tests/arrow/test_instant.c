/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Days and times of INT96 and of 12-byte timestamps become counts of a unit, to the ends of what
 * they hold.
 */
#include "arrow/array/instant.h"

#include <criterion/criterion.h>

#include "arrow/int96_values.h"
#include "support/test_file.h"

Test(instant, counts_are_those_of_days_and_times) {
    uint64_t seed = lam_test_seed(1);
    lam_random random = lam_random_start(seed);
    lam_schema *schema = int96_schema();
    lam_instant_load load = lam_instant_load_of(lam_schema_leaf(schema, 0));
    size_t held[4] = {0}, lost[4] = {0}, cut[4] = {0};
    for (size_t i = 0; i < 400000; i++) {
        uint8_t value[LAM_INSTANT_SIZE];
        int96 drawn = draw_int96(&random);
        lam_instant instant;
        put_int96(value, drawn);
        cr_assert(load(value, &instant));
        for (int unit = LAM_ARROW_SECOND; unit <= LAM_ARROW_NANOSECOND; unit++) {
            int64_t count = 0, expected = 0;
            bool exact = false, expected_exact = false;
            bool holds = count_of(drawn, (lam_arrow_unit)unit, &expected, &expected_exact);
            cr_assert_eq(lam_instant_count(instant, (lam_arrow_unit)unit, &count, &exact), holds,
                         "seed %llu, value %zu", (unsigned long long)seed, i);
            held[unit] += holds;
            lost[unit] += !holds;
            cut[unit] += holds && !expected_exact;
            if (!holds)
                continue;
            cr_assert_eq(count, expected, "seed %llu, value %zu", (unsigned long long)seed, i);
            cr_assert_eq(exact, expected_exact, "seed %llu, value %zu", (unsigned long long)seed,
                         i);
        }
    }
    lam_schema_destroy(schema);
    for (size_t unit = 0; unit < 4; unit++) {
        cr_assert_gt(held[unit], 1000);
        cr_assert_eq(lost[unit] > 1000, unit >= LAM_ARROW_MICROSECOND);
        cr_assert_eq(cut[unit] > 1000, unit < LAM_ARROW_NANOSECOND);
    }
}

/* Milliseconds hold every INT96, whatever its nanoseconds are. */
Test(instant, milliseconds_hold_the_ends_of_int96) {
    static const int96 ends[] = {
        {INT64_MIN, INT32_MIN}, {INT64_MAX, INT32_MAX}, {0, INT32_MIN}, {0, INT32_MAX}};
    lam_schema *schema = int96_schema();
    lam_instant_load load = lam_instant_load_of(lam_schema_leaf(schema, 0));
    for (size_t i = 0; i < 4; i++) {
        uint8_t value[LAM_INSTANT_SIZE];
        lam_instant instant;
        int64_t count;
        bool exact;
        put_int96(value, ends[i]);
        cr_assert(load(value, &instant));
        cr_assert(lam_instant_count(instant, LAM_ARROW_MILLISECOND, &count, &exact));
        cr_assert_not(lam_instant_count(instant, LAM_ARROW_NANOSECOND, &count, &exact));
    }
    lam_schema_destroy(schema);
}

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 int128;

/* LogicalTypes.md, section "TIMESTAMP": 12 bytes, little endian, with a sign. */
Test(instant, counts_of_12_bytes_are_those_of_whole_numbers) {
    static const char text[] = "message m { required fixed(12) a (TIMESTAMP(MILLIS,true)); "
                               "required fixed(12) b (TIMESTAMP(MICROS,true)); "
                               "required fixed(12) c (TIMESTAMP(NANOS,false)); }";
    uint64_t seed = lam_test_seed(3);
    lam_random random = lam_random_start(seed);
    lam_schema *schema = lam_test_parse(text);
    size_t held[4] = {0}, lost[4] = {0}, cut[4] = {0}, unloaded = 0;
    for (size_t i = 0; i < 300000; i++) {
        size_t leaf = i % 3; /* counts nanoseconds of UNIT_NANOS[leaf + 1] */
        lam_instant_load load = lam_instant_load_of(lam_schema_leaf(schema, leaf));
        uint8_t value[LAM_INSTANT_SIZE];
        uint64_t low = lam_random_next(&random);
        int32_t high = (int32_t)(uint32_t)lam_random_next(&random);
        if (lam_random_chance(&random, 70)) {
            high = high < 0 ? -1 : 0;
            low = high < 0 ? ~(low >> lam_random_below(&random, 64))
                           : low >> lam_random_below(&random, 64);
        }
        lam_store_le64(value, low);
        lam_store_le32(value + 8, (uint32_t)high);
        int128 nanos = ((int128)high * ((int128)1 << 64) + low) * UNIT_NANOS[leaf + 1];
        lam_instant instant;
        bool loads = load(value, &instant);
        int128 seconds = nanos / 1000000000 - (nanos % 1000000000 < 0);
        cr_assert_eq(loads, seconds >= INT64_MIN && seconds <= INT64_MAX, "seed %llu, value %zu",
                     (unsigned long long)seed, i);
        unloaded += !loads;
        for (int unit = LAM_ARROW_SECOND; loads && unit <= LAM_ARROW_NANOSECOND; unit++) {
            int64_t count = 0;
            bool exact = false;
            int128 rest = nanos % UNIT_NANOS[unit];
            int128 expected = nanos / UNIT_NANOS[unit] - (rest < 0);
            bool holds = lam_instant_count(instant, (lam_arrow_unit)unit, &count, &exact);
            cr_assert_eq(holds, expected >= INT64_MIN && expected <= INT64_MAX,
                         "seed %llu, value %zu", (unsigned long long)seed, i);
            held[unit] += holds;
            lost[unit] += !holds;
            if (!holds)
                continue;
            cr_assert(count == expected && exact == (rest == 0), "seed %llu, value %zu",
                      (unsigned long long)seed, i);
            cut[unit] += !exact;
        }
    }
    lam_schema_destroy(schema);
    cr_assert_gt(unloaded, 1000);
    for (size_t unit = 0; unit < 4; unit++) {
        cr_assert_gt(held[unit], 1000);
        cr_assert_eq(lost[unit] > 1000, unit > LAM_ARROW_SECOND);
        cr_assert_eq(cut[unit] > 1000, unit < LAM_ARROW_NANOSECOND);
    }
}
#endif

Test(instant, other_leaves_have_none) {
    static const char text[] = "message m { required int64 a (TIMESTAMP(NANOS,true)); required "
                               "fixed_len_byte_array(12) b; }";
    lam_schema *schema = lam_test_parse(text);
    cr_assert_null(lam_instant_load_of(lam_schema_leaf(schema, 0)));
    cr_assert_null(lam_instant_load_of(lam_schema_leaf(schema, 1)));
    lam_schema_destroy(schema);
}
