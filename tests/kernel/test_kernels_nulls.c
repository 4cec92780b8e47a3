/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of nulls and lists: every version against naive loops, on inputs and outputs that end
 * where unreadable memory begins. With LAMELLA_BENCH=1 the program prints their speed instead.
 */
#define _DEFAULT_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernel/kernel.h"
#include "kernel/kernel_rooms.h"

enum { BITS_ROOM = (MOST + 7) / 8 };

static bool bit_at(const uint8_t *bits, size_t at) {
    return bits[at / 8] >> at % 8 & 1;
}

/* Bits that are dense, thin, in runs or all the same; what is behind the last may be anything. */
static void random_bits(lam_random *random, uint8_t *bits, size_t count) {
    static const unsigned percents[] = {0, 2, 50, 95, 100};
    unsigned percent = percents[lam_random_below(random, 5)];
    bool runs = lam_random_chance(random, 30), bit = lam_random_chance(random, percent);
    for (size_t i = 0; i < (count + 7) / 8; i++)
        bits[i] = (uint8_t)lam_random_next(random);
    for (size_t i = 0; i < count; i++) {
        if (!runs || lam_random_chance(random, 3))
            bit = lam_random_chance(random, percent);
        bits[i / 8] = (uint8_t)((bits[i / 8] & ~(1u << i % 8)) | (unsigned)bit << i % 8);
    }
}

/* The level is the width. */
static void draw_at_least(kernel_round *k) {
    lam_random *random = &k->r->random;
    const unsigned most = lam_random_chance(random, 50) ? 5 : 256;
    uint8_t *in = last(k->r->in, k->count);
    k->in = in;
    k->width = (unsigned)lam_random_below(random, most);
    expect_bytes_of(k, (k->count + 7) / 8);
    for (size_t i = 0; i < k->count; i++) {
        in[i] = (uint8_t)lam_random_below(random, most);
        naive_put(k->expected, 1, i, in[i] >= k->width);
    }
}

EVERY_VERSION(kernels_nulls, every_version_compares_levels_one_by_one, 31, 6000, draw_at_least,
              at_least_u8(k.in, k.count, (uint8_t)k.width, out))

Test(kernels_nulls, every_version_chooses_bits_one_by_one) {
    rooms r = set_up(32);
    for (int round = 0; round < 6000; round++) {
        size_t count = random_count(&r), size = (count + 7) / 8, total = 0;
        uint8_t *in = last(r.in, 2 * size), *chosen = in + size, bits[BITS_ROOM] = {0};
        random_bits(&r.random, in, count);
        random_bits(&r.random, chosen, count);
        for (size_t i = 0; i < count; i++) {
            if (bit_at(chosen, i)) {
                bits[total / 8] |= (uint8_t)(bit_at(in, i) << total % 8);
                total++;
            }
        }
        size_t result_size = (total + 7) / 8;
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
            const lam_kernels *kernels = lam_kernels_version(v);
            uint8_t *out = fresh_output(&r, result_size);
            cr_assert_eq(kernels->choose_bits(in, chosen, count, out), total, "%s", kernels->name);
            expect_output(&r, bits, result_size, kernels->name, 1, count);
        }
    }
    tear_down(r);
}

Test(kernels_nulls, every_version_counts_elements_before_starts) {
    rooms r = set_up(33);
    for (int round = 0; round < 6000; round++) {
        size_t count = random_count(&r), size = (count + 7) / 8, total = 0, starts = 0;
        uint8_t *start = last(r.in, 2 * size), *element = start + size;
        static uint64_t wide[MOST];
        static uint32_t narrow[MOST];
        uint64_t base = lam_random_next(&r.random);
        random_bits(&r.random, start, count);
        random_bits(&r.random, element, count);
        for (size_t i = 0; i < count; i++) {
            if (bit_at(start, i)) {
                narrow[starts] = (uint32_t)base + (uint32_t)total;
                wide[starts++] = base + total;
            }
            total += bit_at(element, i);
        }
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
            const lam_kernels *kernels = lam_kernels_version(v);
            void *out = fresh_output(&r, starts * 4);
            cr_assert_eq(kernels->count_before_32(start, element, count, (uint32_t)base, out),
                         total, "%s", kernels->name);
            expect_output(&r, (void *)narrow, starts * 4, kernels->name, 32, count);
            out = fresh_output(&r, starts * 8);
            cr_assert_eq(kernels->count_before_64(start, element, count, base, out), total, "%s",
                         kernels->name);
            expect_output(&r, (void *)wide, starts * 8, kernels->name, 64, count);
        }
    }
    tear_down(r);
}

Test(kernels_nulls, every_version_spreads_elements_to_where_the_ones_are) {
    static const uint8_t sizes[] = {0, 1, 2, 3, 4, 5, 8, 12, 16, 32};
    rooms r = set_up(34);
    for (int round = 0; round < 10000; round++) {
        size_t size = sizes[lam_random_below(&r.random, sizeof sizes)], count = random_count(&r);
        size_t present = 0;
        uint8_t *bits = last(r.in, (count + 7) / 8), *expected = last(r.expected, size * count);
        static uint8_t dense[MOST * 32];
        random_bits(&r.random, bits, count);
        memset(expected, 0, size * count);
        for (size_t i = 0; i < count; i++) {
            for (size_t b = 0; bit_at(bits, i) && b < size; b++)
                expected[i * size + b] = dense[present * size + b] =
                    (uint8_t)lam_random_next(&r.random);
            present += bit_at(bits, i);
        }
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
            uint8_t *out = fresh_output(&r, size * count);
            memcpy(out, dense, size * present);
            lam_kernels_version(v)->spread(out, size, present, bits, count);
            expect_output(&r, expected, size * count, lam_kernels_version(v)->name, (unsigned)size,
                          count);
        }
    }
    tear_down(r);
}

/* --- Speed: LAMELLA_BENCH=1 ---------------------------------------------------------------- */

enum { BENCH_COUNT = 2048, BENCH_ROUNDS = 20000 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static volatile uint64_t sink; /* keeps results that nobody reads */

typedef struct bench_data {
    const lam_kernels *kernels;
    size_t size;
    size_t present;
    uint8_t levels[BENCH_COUNT], bits[BENCH_COUNT / 8], starts[BENCH_COUNT / 8];
    uint64_t out[BENCH_COUNT * 2];
} bench_data;

static void bench_at_least(bench_data *b) {
    b->kernels->at_least_u8(b->levels, BENCH_COUNT, 1, (uint8_t *)b->out);
}
static void bench_choose(bench_data *b) {
    sink += b->kernels->choose_bits(b->starts, b->bits, BENCH_COUNT, (uint8_t *)b->out);
}
static void bench_count_before(bench_data *b) {
    sink += b->kernels->count_before_32(b->starts, b->bits, BENCH_COUNT, 0, (uint32_t *)b->out);
}
static void bench_spread(bench_data *b) {
    b->kernels->spread(b->out, b->size, b->present, b->bits, BENCH_COUNT);
}

static void bench(const char *name, void (*run)(bench_data *), size_t size, unsigned percent) {
    static bench_data b;
    lam_random random = lam_random_start(1);
    memset(&b, 0, sizeof b);
    b.size = size;
    for (size_t i = 0; i < BENCH_COUNT; i++) {
        b.levels[i] = lam_random_chance(&random, percent);
        b.present += b.levels[i];
        b.bits[i / 8] |= (uint8_t)(b.levels[i] << i % 8);
        b.starts[i / 8] |= (uint8_t)(lam_random_chance(&random, 22) << i % 8);
    }
    printf("%-16s size %2zu, %3u%% ones", name, size, percent);
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
        printf("   %6s %6.3f ns", b.kernels->name, best * 1e9);
    }
    printf("\n");
}

ReportHook(PRE_ALL)(struct criterion_test_set *tests) {
    (void)tests;
    if (getenv("LAMELLA_BENCH") == NULL)
        return;
    bench("at_least_u8", bench_at_least, 1, 95);
    bench("choose_bits", bench_choose, 1, 95);
    bench("choose_bits", bench_choose, 1, 50);
    bench("count_before_32", bench_count_before, 4, 95);
    static const size_t sizes[] = {1, 2, 4, 8, 12, 16};
    for (size_t i = 0; i < 6; i++) {
        bench("spread", bench_spread, sizes[i], 95);
        bench("spread", bench_spread, sizes[i], 50);
    }
    exit(0);
}
