/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of 64-bit packing, of differences and of byte streams: every version against naive
 * loops. With LAMELLA_BENCH=1 the program prints their speed instead.
 */
#define _DEFAULT_SOURCE
#include "kernel/kernel.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernel/kernel_rooms.h"

static void draw_unpack_u64(kernel_round *k) {
    k->width = (unsigned)lam_random_below(&k->r->random, 65);
    k->in = random_bytes(k->r, lam_packed_size(k->count, k->width));
    expect_bytes_of(k, k->count * 8);
    for (size_t i = 0; i < k->count; i++)
        ((uint64_t *)(void *)k->expected)[i] = naive_value(k->in, k->width, i);
}

EVERY_VERSION(kernels_wide, every_version_unpacks_numbers_of_64_bits_as_bit_by_bit, 21, 6000,
              draw_unpack_u64, unpack_u64(k.in, k.width, k.count, out))

static void draw_pack_u64(kernel_round *k) {
    k->width = (unsigned)lam_random_below(&k->r->random, 65);
    k->in = random_bytes(k->r, k->count * 8);
    expect_bytes_of(k, lam_packed_size(k->count, k->width));
    for (size_t i = 0; i < k->count; i++)
        naive_put(k->expected, k->width, i, ((const uint64_t *)(const void *)k->in)[i]);
}

EVERY_VERSION(kernels_wide, every_version_packs_numbers_of_64_bits_as_bit_by_bit, 22, 6000,
              draw_pack_u64, pack_u64((const void *)k.in, k.width, k.count, out))

Test(kernels_wide, every_version_joins_and_splits_streams_byte_by_byte) {
    static const uint8_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 32, 41};
    rooms r = set_up(23);
    for (int round = 0; round < 4000; round++) {
        size_t size = sizes[lam_random_below(&r.random, sizeof sizes)], count = random_count(&r);
        count = size > 17 ? count % 1000 : count; /* so that the room is large enough */
        size_t stride = count + (size_t)lam_random_below(&r.random, 9);
        size_t streams = size > 0 && count > 0 ? (size - 1) * stride + count : 0;
        const uint8_t *in = random_bytes(&r, streams);
        uint8_t *expected = last(r.expected, size * count);
        for (size_t i = 0; i < count; i++)
            for (size_t b = 0; b < size; b++)
                expected[i * size + b] = in[b * stride + i];
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
            const lam_kernels *kernels = lam_kernels_version(v);
            kernels->join_streams(in, stride, size, count, fresh_output(&r, size * count));
            expect_output(&r, expected, size * count, kernels->name, (unsigned)size, count);
            /* And back; what lies between two streams stays as it is. */
            uint8_t *out = fresh_output(&r, streams);
            kernels->split_streams(expected, size, count, stride, out);
            cr_assert_eq(out[-1], 0xEE);
            for (size_t i = 0; i < streams; i++)
                cr_assert_eq(out[i], i % stride < count ? in[i] : 0xEE, "%s, size %zu, count %zu",
                             kernels->name, size, count);
        }
    }
    tear_down(r);
}

Test(kernels_wide, every_version_joins_and_splits_elements_of_many_bytes) {
    enum { COUNT = 5 };
    static const size_t sizes[] = {255, 2047, 2048, 2049, 5000};
    rooms r = set_up(27);
    for (size_t round = 0; round < sizeof sizes / sizeof sizes[0]; round++) {
        size_t size = sizes[round];
        const uint8_t *in = random_bytes(&r, size * COUNT);
        uint8_t *expected = last(r.expected, size * COUNT);
        for (size_t i = 0; i < COUNT; i++)
            for (size_t b = 0; b < size; b++)
                expected[i * size + b] = in[b * COUNT + i];
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
            const lam_kernels *kernels = lam_kernels_version(v);
            kernels->join_streams(in, COUNT, size, COUNT, fresh_output(&r, size * COUNT));
            expect_output(&r, expected, size * COUNT, kernels->name, (unsigned)size, COUNT);
            kernels->split_streams(expected, size, COUNT, COUNT, fresh_output(&r, size * COUNT));
            expect_output(&r, in, size * COUNT, kernels->name, (unsigned)size, COUNT);
        }
    }
    tear_down(r);
}

#define TEST_DIFFERENCES(NAME, SEED, BITS, UNSIGNED, SIGNED, MOST_OF, STEP)                        \
    Test(kernels_wide, NAME) {                                                                     \
        rooms r = set_up(SEED);                                                                    \
        for (int round = 0; round < 6000; round++) {                                               \
            size_t count = random_count(&r), size = count * sizeof(UNSIGNED);                      \
            const UNSIGNED *in = (const void *)random_bytes(&r, size);                             \
            UNSIGNED base = (UNSIGNED)lam_random_next(&r.random), bits = 0;                        \
            UNSIGNED *lowered = last(r.expected, size), *deltas = lowered - count;                 \
            SIGNED min = MOST_OF;                                                                  \
            for (size_t i = 0; i < count; i++) {                                                   \
                deltas[i] = in[i] - (i > 0 ? in[i - 1] : base);                                    \
                lowered[i] = in[i] - base;                                                         \
                bits |= lowered[i];                                                                \
                min = (SIGNED)in[i] < min ? (SIGNED)in[i] : min;                                   \
            }                                                                                      \
            for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {                              \
                const lam_kernels *kernels = lam_kernels_version(v);                               \
                UNSIGNED *out = (void *)fresh_output(&r, size);                                    \
                kernels->deltas_u##BITS(in, count, base, out);                                     \
                expect_output(&r, (void *)deltas, size, kernels->name, BITS, count);               \
                for (size_t i = 0; i < count; i++)                                                 \
                    out[i] -= (UNSIGNED)STEP;                                                      \
                kernels->sum_u##BITS(out, count, (UNSIGNED)STEP, base);                            \
                expect_output(&r, (const void *)in, size, kernels->name, BITS, count);             \
                cr_assert_eq(kernels->lower_u##BITS(out, count, base), bits, "%s", kernels->name); \
                expect_output(&r, (void *)lowered, size, kernels->name, BITS, count);              \
                cr_assert_eq(kernels->min_i##BITS(in, count), min, "%s", kernels->name);           \
            }                                                                                      \
        }                                                                                          \
        tear_down(r);                                                                              \
    }

TEST_DIFFERENCES(every_version_has_the_differences_of_32_bits, 24, 32, uint32_t, int32_t, INT32_MAX,
                 77)
TEST_DIFFERENCES(every_version_has_the_differences_of_64_bits, 25, 64, uint64_t, int64_t, INT64_MAX,
                 UINT64_C(77) << 40)

/* --- Speed: LAMELLA_BENCH=1 ---------------------------------------------------------------- */

enum { BENCH_COUNT = 4000, BENCH_ROUNDS = 3000 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static volatile uint64_t sink; /* keeps results that nobody reads */

typedef struct bench_data {
    const lam_kernels *kernels;
    unsigned width; /* bits of a packed value, bytes of an element */
    uint8_t *bytes;
    uint32_t *small;
    uint64_t *large;
} bench_data;

static void bench_unpack_u64(bench_data *b) {
    b->kernels->unpack_u64(b->bytes, b->width, BENCH_COUNT, b->large);
}
static void bench_pack_u64(bench_data *b) {
    b->kernels->pack_u64(b->large, b->width, BENCH_COUNT, b->bytes);
}
static void bench_join(bench_data *b) {
    b->kernels->join_streams(b->bytes, BENCH_COUNT, b->width, BENCH_COUNT, b->large);
}
static void bench_split(bench_data *b) {
    b->kernels->split_streams(b->large, b->width, BENCH_COUNT, BENCH_COUNT, b->bytes);
}
static void bench_deltas_u32(bench_data *b) {
    b->kernels->deltas_u32(b->small, BENCH_COUNT, 1, (void *)b->large);
}
static void bench_deltas_u64(bench_data *b) {
    b->kernels->deltas_u64(b->large, BENCH_COUNT, 1, (void *)b->bytes);
}
static void bench_sum_u32(bench_data *b) {
    b->kernels->sum_u32(b->small, BENCH_COUNT, 1, 2);
}
static void bench_sum_u64(bench_data *b) {
    b->kernels->sum_u64(b->large, BENCH_COUNT, 1, 2);
}
static void bench_lower_u32(bench_data *b) {
    sink += b->kernels->lower_u32(b->small, BENCH_COUNT, 1);
}
static void bench_lower_u64(bench_data *b) {
    sink += b->kernels->lower_u64(b->large, BENCH_COUNT, 1);
}
static void bench_min_i32(bench_data *b) {
    sink += (uint64_t)b->kernels->min_i32(b->small, BENCH_COUNT);
}
static void bench_min_i64(bench_data *b) {
    sink += (uint64_t)b->kernels->min_i64(b->large, BENCH_COUNT);
}

/* `size` is what a value takes on its unpacked side, for the rate in bytes. */
static void bench(const char *name, void (*run)(bench_data *), unsigned width, size_t size) {
    static uint64_t bytes[BENCH_COUNT * 2], large[BENCH_COUNT * 2];
    static uint32_t small[BENCH_COUNT];
    printf("%-10s width %2u", name, width);
    for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
        bench_data b = {lam_kernels_version(v), width, (void *)bytes, small, large};
        double best = 1e9;
        for (int attempt = 0; attempt < 3; attempt++) {
            double start = seconds();
            for (int round = 0; round < BENCH_ROUNDS; round++)
                run(&b);
            double took = (seconds() - start) / BENCH_ROUNDS / BENCH_COUNT;
            best = took < best ? took : best;
        }
        printf("   %6s %6.3f ns %6.1f GB/s", b.kernels->name, best * 1e9,
               (double)size / best * 1e-9);
    }
    printf("\n");
}

static void bench_all(void) {
    for (unsigned width = 1; width <= 64; width += 7)
        bench("unpack_u64", bench_unpack_u64, width, 8);
    for (unsigned width = 1; width <= 64; width += 7)
        bench("pack_u64", bench_pack_u64, width, 8);
    static const unsigned sizes[] = {2, 4, 8, 12, 16};
    for (size_t i = 0; i < 5; i++)
        bench("join", bench_join, sizes[i], sizes[i]);
    for (size_t i = 0; i < 5; i++)
        bench("split", bench_split, sizes[i], sizes[i]);
    bench("deltas_u32", bench_deltas_u32, 32, 4);
    bench("deltas_u64", bench_deltas_u64, 64, 8);
    bench("sum_u32", bench_sum_u32, 32, 4);
    bench("sum_u64", bench_sum_u64, 64, 8);
    bench("lower_u32", bench_lower_u32, 32, 4);
    bench("lower_u64", bench_lower_u64, 64, 8);
    bench("min_i32", bench_min_i32, 32, 4);
    bench("min_i64", bench_min_i64, 64, 8);
}

ReportHook(PRE_ALL)(struct criterion_test_set *tests) {
    (void)tests;
    if (getenv("LAMELLA_BENCH") == NULL)
        return;
    bench_all();
    exit(0);
}
