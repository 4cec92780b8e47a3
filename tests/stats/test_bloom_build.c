/* SPDX-License-Identifier: Apache-2.0 */
/* Filters are as large as their values need, and as probable as the specification says. */
#include "stats/bloom_build.h"

#include <criterion/criterion.h>
#include <math.h>

#include "meta/metadata.h"
#include "schema/tree.h"
#include "support/random.h"

static const lam_value_order order = {.comparison = LAM_COMPARISON_SIGNED_64, .size = 8};

static double fpp_at(double bits_per_value) {
    return lam_bloom_fpp(1e6, 1e6 * bits_per_value / 256);
}

Test(bloom_build, the_probability_is_that_of_the_specification) {
    cr_expect_lt(fabs(lam_bloom_fpp(26214, 1024) - 0.0126), 0.00005);
    cr_expect_lt(fabs(lam_bloom_fpp(52428, 1024) - 0.18), 0.005);
    cr_expect_lt(fabs(lam_bloom_fpp(13107, 1024) - 0.0004), 0.00005);
    cr_expect_lt(fabs(fpp_at(6.0) - 0.1), 0.005);
    cr_expect_lt(fabs(fpp_at(10.5) - 0.01), 0.0005);
    cr_expect_lt(fabs(fpp_at(16.9) - 0.001), 0.00005);
    cr_expect_eq(lam_bloom_fpp(0, 1), 0);
}

/* Makes a filter of `distinct` numbers, each `times` times; gives its bytes and its share of false
 * positives. */
static size_t build(double fpp, uint64_t expected, int64_t distinct, int times, double *ret_share) {
    lam_allocator allocator = lam_allocator_default();
    lam_bloom_builder builder;
    lam_bytes bitset;
    int wrong = 0, asked = 20000;
    lam_bloom_builder_init(&builder, fpp, expected, &allocator);
    for (int time = 0; time < times; time++)
        for (int64_t i = 0; i < distinct; i++)
            cr_assert_eq(lam_bloom_builder_add(&builder, &order, &i, 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_bloom_builder_end(&builder, &bitset, NULL), LAM_STATUS_OK);
    uint32_t blocks = (uint32_t)(bitset.size / LAM_BLOOM_BLOCK_SIZE);
    for (int64_t i = 0; i < distinct + asked; i++) {
        uint8_t scratch[LAM_VALUE_SCRATCH];
        uint64_t hash = lam_bloom_hash(lam_value_plain(&order, &i, 0, scratch));
        bool found = lam_bloom_probe(bitset.data, blocks, hash);
        cr_assert(found || i >= distinct, "%d", (int)i);
        wrong += found && i >= distinct;
    }
    *ret_share = wrong / (double)asked;
    lam_bloom_builder_finish(&builder);
    return bitset.size;
}

Test(bloom_build, filters_are_as_large_as_their_values_need) {
    double share;
    for (int64_t distinct = 1; distinct < 100000; distinct *= 7) {
        size_t once = build(0.01, 0, distinct, 1, &share);
        cr_expect_leq(share, 0.013, "%d: %g", (int)distinct, share);
        cr_expect_eq(build(0.01, 0, distinct, 5, &share), once, "repeated values count once");
        cr_expect_leq(share, 0.013);
        size_t known = build(0.01, (uint64_t)distinct, distinct, 1, &share);
        cr_expect(once == known || 2 * once == known || once == 2 * known, "%zu %zu", once, known);
    }
}

Test(bloom_build, what_is_expected_decides_when_it_is_told) {
    double share;
    size_t size = build(0.01, 10000, 10, 1, &share);
    cr_expect_eq(size, 16384); /* 10.5 bits for each of 10000, and then a power of two */
    cr_expect_eq(share, 0);
    cr_expect_eq(build(0.01, 1, 0, 1, &share), LAM_BLOOM_BLOCK_SIZE);
    cr_expect_leq(build(0.5, UINT64_MAX, 1, 1, &share), (size_t)LAM_BLOOM_MOST_BYTES);
}

Test(bloom_build, a_filter_that_is_full_finds_everything) {
    cr_expect_eq(lam_bloom_fpp(1e6, 1), 1);
    cr_expect_leq(lam_bloom_fpp(512, 1), 1);
    cr_expect_gt(lam_bloom_fpp(512, 1), 0.999);
}

Test(bloom_build, more_hashes_than_memory_has_room_for_are_refused) {
    lam_allocator allocator = lam_allocator_default();
    lam_bloom_builder builder;
    lam_error error = lam_error_none();
    lam_bloom_builder_init(&builder, 0.01, 0, &allocator);
    cr_expect_eq(lam_bloom_builder_add(&builder, &order, NULL, SIZE_MAX / 8 + 1, &error),
                 LAM_STATUS_NOMEM);
    cr_expect_eq(error.status, LAM_STATUS_NOMEM);
    lam_bloom_builder_finish(&builder);
}
