/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of bounds, and of marks in text: every version against naive loops, on inputs that
 * end where unreadable memory begins. With LAMELLA_BENCH=1 the program prints their speed instead.
 */
#define _DEFAULT_SOURCE
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernel/kernel.h"
#include "kernel/kernel_rooms.h"

/* Numbers of few bits, so that some are equal and the bounds so far may be the widest. */
static int64_t random_number(rooms *r, unsigned bits) {
    return (int64_t)lam_random_next(&r->random) >> (64 - bits);
}

#define TEST_INTEGERS(NAME, TYPE, KERNEL, SEED, BITS)                                              \
    Test(kernels_extremes, NAME) {                                                                 \
        rooms r = set_up(SEED);                                                                    \
        for (int round = 0; round < 6000; round++) {                                               \
            size_t count = random_count(&r);                                                       \
            unsigned bits = 1 + (unsigned)lam_random_below(&r.random, BITS);                       \
            TYPE *in = last(r.in, count * sizeof *in);                                             \
            TYPE start = (TYPE)random_number(&r, bits), low = start, high = start;                 \
            for (size_t i = 0; i < count; i++) {                                                   \
                in[i] = (TYPE)random_number(&r, bits);                                             \
                low = in[i] < low ? in[i] : low;                                                   \
                high = in[i] > high ? in[i] : high;                                                \
            }                                                                                      \
            for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {                              \
                TYPE min = start, max = start;                                                     \
                lam_kernels_version(v)->KERNEL(in, count, &min, &max);                             \
                cr_assert(min == low && max == high, "%s, count %zu, seed %llu",                   \
                          lam_kernels_version(v)->name, count, (unsigned long long)r.seed);        \
            }                                                                                      \
        }                                                                                          \
        tear_down(r);                                                                              \
    }

TEST_INTEGERS(every_version_bounds_32_bit_integers, int32_t, widen_i32, 51, 32)
TEST_INTEGERS(every_version_bounds_64_bit_integers, int64_t, widen_i64, 52, 64)

static double random_real(rooms *r, unsigned nan_percent) {
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, 1e-310, -1e-310};
    if (lam_random_chance(&r->random, nan_percent))
        return lam_random_chance(&r->random, 50) ? NAN : -NAN;
    if (lam_random_chance(&r->random, 5))
        return special[lam_random_below(&r->random, 6)];
    return (double)random_number(r, 20) / 64;
}

#define TEST_FLOATS(NAME, TYPE, KERNEL, SEED)                                                      \
    Test(kernels_extremes, NAME) {                                                                 \
        static const unsigned percents[] = {0, 1, 50, 100};                                        \
        rooms r = set_up(SEED);                                                                    \
        for (int round = 0; round < 6000; round++) {                                               \
            size_t count = random_count(&r), nans = 0;                                             \
            unsigned percent = percents[lam_random_below(&r.random, 4)];                           \
            TYPE *in = last(r.in, count * sizeof *in);                                             \
            TYPE start = (TYPE)random_real(&r, 0), low = start, high = start;                      \
            for (size_t i = 0; i < count; i++) {                                                   \
                in[i] = (TYPE)random_real(&r, percent);                                            \
                low = in[i] < low ? in[i] : low;                                                   \
                high = in[i] > high ? in[i] : high;                                                \
                nans += isnan(in[i]) != 0;                                                         \
            }                                                                                      \
            for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {                              \
                TYPE min = start, max = start;                                                     \
                size_t seen = lam_kernels_version(v)->KERNEL(in, count, &min, &max);               \
                cr_assert(min == low && max == high && seen == nans, "%s, count %zu, seed %llu",   \
                          lam_kernels_version(v)->name, count, (unsigned long long)r.seed);        \
            }                                                                                      \
        }                                                                                          \
        tear_down(r);                                                                              \
    }

TEST_FLOATS(every_version_bounds_floats_and_counts_nans, float, widen_f32, 53)
TEST_FLOATS(every_version_bounds_doubles_and_counts_nans, double, widen_f64, 54)

/* --- Speed ----------------------------------------------------------------------------------- */

enum { BENCH_COUNT = 20000, BENCH_ROUNDS = 2000 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static volatile double sink; /* keeps results that nobody reads */

typedef struct bench_data {
    const lam_kernels *kernels;
    int32_t i32[BENCH_COUNT];
    int64_t i64[BENCH_COUNT];
    float f32[BENCH_COUNT];
    double f64[BENCH_COUNT];
} bench_data;

#define DEFINE_BENCH(MEMBER, TYPE)                                                                 \
    static void bench_##MEMBER(bench_data *b) {                                                    \
        TYPE min = b->MEMBER[0], max = min;                                                        \
        b->kernels->widen_##MEMBER(b->MEMBER, BENCH_COUNT, &min, &max);                            \
        sink = (double)min + (double)max;                                                          \
    }

DEFINE_BENCH(i32, int32_t)
DEFINE_BENCH(i64, int64_t)
DEFINE_BENCH(f32, float)
DEFINE_BENCH(f64, double)

static void bench(const char *name, void (*run)(bench_data *), size_t size) {
    static bench_data b;
    lam_random random = lam_random_start(1);
    for (size_t i = 0; i < BENCH_COUNT; i++) {
        b.i64[i] = (int64_t)lam_random_next(&random);
        b.i32[i] = (int32_t)b.i64[i];
        b.f64[i] = (double)b.i64[i];
        b.f32[i] = (float)b.i64[i];
    }
    printf("%-10s", name);
    for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
        double best = 1e9;
        b.kernels = lam_kernels_version(v);
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

ReportHook(PRE_ALL)(struct criterion_test_set *tests) {
    (void)tests;
    if (getenv("LAMELLA_BENCH") == NULL)
        return;
    bench("widen_i32", bench_i32, 4);
    bench("widen_i64", bench_i64, 8);
    bench("widen_f32", bench_f32, 4);
    bench("widen_f64", bench_f64, 8);
    exit(0);
}

Test(kernels_extremes, every_version_marks_three_bytes_one_by_one) {
    rooms r = set_up(61);
    for (int round = 0; round < 3000; round++) {
        size_t blocks = (size_t)lam_random_below(&r.random, 20), size = 8 * blocks;
        unsigned most = lam_random_chance(&r.random, 50) ? 4 : 256;
        uint8_t marks[3], *in = last(r.in, 64 * blocks);
        uint64_t expected[2][20] = {{0}}, got[2][20];
        for (size_t i = 0; i < 3; i++)
            marks[i] = (uint8_t)lam_random_below(&r.random, most);
        for (size_t i = 0; i < 64 * blocks; i++) {
            in[i] = (uint8_t)lam_random_below(&r.random, most);
            expected[0][i / 64] |= (uint64_t)(in[i] == marks[0] || in[i] == marks[1]) << i % 64;
            expected[1][i / 64] |= (uint64_t)(in[i] == marks[2]) << i % 64;
        }
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
            memset(got, 0, sizeof got);
            lam_kernels_version(v)->match_u8(in, blocks, marks[0], marks[1], marks[2], got[0],
                                             got[1]);
            cr_assert(memcmp(got[0], expected[0], size) == 0 &&
                          memcmp(got[1], expected[1], size) == 0,
                      "%s differs: %zu blocks, seed %llu", lam_kernels_version(v)->name, blocks,
                      (unsigned long long)r.seed);
        }
    }
    tear_down(r);
}
