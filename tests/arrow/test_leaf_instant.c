/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of timestamps are converted at once, exactly as one by one. The one that does not fit is
 * found.
 */
#include "arrow/read/leaf_instant.h"

#include <criterion/criterion.h>
#include <string.h>

#include "arrow/int96_values.h"
#include "support/test_file.h"

enum { BLOCK = 40 };

static lam_leaf_conversion conversion_to(const lam_schema *schema, lam_arrow_unit unit, bool cuts) {
    lam_arrow_type type = {.kind = LAM_ARROW_TIMESTAMP, .unit = unit};
    lam_leaf_conversion conversion;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_leaf_conversion_init(&conversion, lam_kernels_get(),
                                          lam_schema_leaf(schema, 0), &type, &error),
                 LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(conversion.element_size, LAM_INSTANT_SIZE);
    cr_assert_eq(conversion.slot_size, sizeof(int64_t));
    cr_assert_not(conversion.cuts);
    conversion.cuts = cuts;
    return conversion;
}

typedef struct block {
    int96 values[BLOCK];
    uint8_t elements[BLOCK * LAM_INSTANT_SIZE];
    size_t count;
} block;

/* Most blocks have only times of these years, as files do, with digits of one unit. */
static void draw_block(lam_random *random, block *it) {
    bool wild = lam_random_chance(random, 30);
    int64_t digits = UNIT_NANOS[lam_random_below(random, 4)];
    it->count = 1 + (size_t)lam_random_below(random, BLOCK);
    for (size_t i = 0; i < it->count; i++) {
        int96 value = draw_int96(random);
        if (!wild || lam_random_chance(random, 80)) {
            value.day = 2440588 + (int32_t)lam_random_below(random, 40000) - 20000;
            value.nanos =
                (int64_t)lam_random_below(random, (uint64_t)(DAY_NANOS / digits)) * digits;
        }
        it->values[i] = value;
        put_int96(it->elements + i * LAM_INSTANT_SIZE, value);
    }
}

/* Checks one way to convert; gives whether it was possible. */
static bool check_block(const block *it, const lam_leaf_conversion *conversion) {
    int64_t slots[BLOCK], expected[BLOCK] = {0};
    bool good = true;
    for (size_t i = 0; i < it->count; i++) {
        bool exact;
        good &= count_of(it->values[i], conversion->unit, &expected[i], &exact) &&
                (exact || conversion->cuts);
    }
    lam_error error = lam_error_none();
    lam_status status = conversion->convert(conversion, it->elements, it->count, slots, &error);
    cr_assert_eq(status, good ? LAM_STATUS_OK : LAM_STATUS_LIMIT);
    if (good)
        cr_assert_eq(memcmp(slots, expected, it->count * sizeof *slots), 0);
    else
        cr_assert_not_null(strstr(error.message, "timestamp96_unit"), "%s", error.message);
    return good;
}

Test(leaf_instant, blocks_are_what_their_values_are_or_refused) {
    uint64_t seed = lam_test_seed(2);
    lam_random random = lam_random_start(seed);
    lam_schema *schema = int96_schema();
    size_t good[4][2] = {{0}}, bad[4][2] = {{0}};
    cr_log_info("seed %llu", (unsigned long long)seed);
    for (size_t i = 0; i < 20000; i++) {
        block drawn;
        draw_block(&random, &drawn);
        for (int unit = LAM_ARROW_SECOND; unit <= LAM_ARROW_NANOSECOND; unit++) {
            for (int cuts = 0; cuts < 2; cuts++) {
                lam_leaf_conversion conversion =
                    conversion_to(schema, (lam_arrow_unit)unit, cuts != 0);
                bool is_good = check_block(&drawn, &conversion);
                good[unit][cuts] += is_good;
                bad[unit][cuts] += !is_good;
            }
        }
    }
    lam_schema_destroy(schema);
    for (size_t unit = 0; unit < 4; unit++) {
        cr_assert_gt(good[unit][0], 1000);
        cr_assert_gt(bad[unit][0], 1000);
        cr_assert_eq(bad[unit][1] > 0, unit >= LAM_ARROW_MICROSECOND, "unit %zu", unit);
    }
}

Test(leaf_instant, digits_are_cut_toward_the_past) {
    static const int64_t expected[] = {-1, -1, -2, -1001};
    lam_schema *schema = int96_schema();
    uint8_t element[LAM_INSTANT_SIZE];
    put_int96(element, (int96){DAY_NANOS - 1001, 2440587});
    for (int unit = LAM_ARROW_SECOND; unit <= LAM_ARROW_NANOSECOND; unit++) {
        lam_leaf_conversion conversion = conversion_to(schema, (lam_arrow_unit)unit, true);
        int64_t slot;
        cr_assert_eq(conversion.convert(&conversion, element, 1, &slot, NULL), LAM_STATUS_OK);
        cr_assert_eq(slot, expected[unit]);
    }
    lam_schema_destroy(schema);
}

/* Values of the unit of the column are taken as they are, as long as all have 64 bits. */
Test(leaf_instant, counts_of_12_bytes_go_to_their_own_unit_and_others) {
    static const char text[] = "message m { required fixed(12) a (TIMESTAMP(MICROS,true)); }";
    static const int64_t counts[] = {0, -1, INT64_MAX, INT64_MIN, 1700000000000000};
    enum { COUNT = sizeof counts / sizeof counts[0] };
    uint8_t elements[(COUNT + 1) * LAM_INSTANT_SIZE] = {0};
    lam_schema *schema = lam_test_parse(text);
    for (size_t i = 0; i < COUNT; i++) {
        lam_store_le64(elements + i * LAM_INSTANT_SIZE, (uint64_t)counts[i]);
        lam_store_le32(elements + i * LAM_INSTANT_SIZE + 8, counts[i] < 0 ? UINT32_MAX : 0);
    }
    elements[COUNT * LAM_INSTANT_SIZE + 8] = 1; /* 2^64 */
    for (int unit = LAM_ARROW_SECOND; unit <= LAM_ARROW_NANOSECOND; unit++) {
        int64_t slots[COUNT + 1];
        lam_leaf_conversion conversion = conversion_to(schema, (lam_arrow_unit)unit, true);
        bool is_own = unit == LAM_ARROW_MICROSECOND, is_finer = unit == LAM_ARROW_NANOSECOND;
        lam_status status = conversion.convert(&conversion, elements, COUNT, slots, NULL);
        cr_assert_eq(status, is_finer ? LAM_STATUS_LIMIT : LAM_STATUS_OK, "unit %d", unit);
        for (size_t i = 0; is_own && i < COUNT; i++)
            cr_assert_eq(slots[i], counts[i]);
        status = conversion.convert(&conversion, elements, COUNT + 1, slots, NULL);
        cr_assert_eq(status, is_own || is_finer ? LAM_STATUS_LIMIT : LAM_STATUS_OK);
        cr_assert(is_own || is_finer || slots[1] == -1); /* cut toward the past */
        conversion.cuts = false;
        status = conversion.convert(&conversion, elements, COUNT, slots, NULL);
        cr_assert_eq(status, is_own ? LAM_STATUS_OK : LAM_STATUS_LIMIT);
    }
    lam_schema_destroy(schema);
}

/* 2^95 - 1 microseconds are more than 2^63 seconds. */
Test(leaf_instant, a_count_whose_seconds_have_more_than_64_bits_has_none) {
    static const char text[] = "message m { required fixed(12) a (TIMESTAMP(MICROS,true)); }";
    uint8_t element[LAM_INSTANT_SIZE];
    lam_schema *schema = lam_test_parse(text);
    memset(element, 0xFF, sizeof element);
    element[LAM_INSTANT_SIZE - 1] = 0x7F;
    for (int unit = LAM_ARROW_SECOND; unit <= LAM_ARROW_NANOSECOND; unit++) {
        lam_leaf_conversion conversion = conversion_to(schema, (lam_arrow_unit)unit, true);
        int64_t slot;
        cr_assert_eq(conversion.convert(&conversion, element, 1, &slot, NULL), LAM_STATUS_LIMIT);
    }
    lam_schema_destroy(schema);
}

Test(leaf_instant, other_leaves_are_not_its) {
    static const char text[] = "message m { required int64 a (TIMESTAMP(NANOS,true)); }";
    lam_leaf_conversion conversion = {0};
    lam_schema *schema = lam_test_parse(text);
    cr_assert_not(
        lam_leaf_instant_init(&conversion, lam_schema_leaf(schema, 0), LAM_ARROW_NANOSECOND));
    lam_schema_destroy(schema);
}
