/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every version of every kernel against a naive one of its own, on inputs and outputs that end
 * where unreadable memory begins. With LAMELLA_BENCH=1 the program prints their speed instead.
 */
#define _DEFAULT_SOURCE
#include "kernel/kernel.h"

#include <criterion/criterion.h>
#include <lamella/common.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel/kernel_rooms.h"

Test(kernels, the_chosen_table_is_the_last_of_the_versions) {
    const lam_kernels *chosen = lam_kernels_get();
    size_t count = 0;
    while (lam_kernels_version(count) != NULL)
        count++;
    cr_assert_geq(count, 1);
    cr_assert_str_eq(lam_kernels_version(0)->name, "plain");
    cr_assert_eq(chosen, lam_kernels_version(count - 1));
    cr_assert_eq(chosen, lam_kernels_get());
    cr_assert_str_eq(lam_kernels_name(), chosen->name);
}

/* --- Packing --------------------------------------------------------------------------------- */

static void draw_packed(kernel_round *k, unsigned most, size_t size) {
    k->width = (unsigned)lam_random_below(&k->r->random, most + 1);
    k->in = random_bytes(k->r, lam_packed_size(k->count, k->width));
    expect_bytes_of(k, k->count * size);
}

static void draw_values(kernel_round *k, unsigned most, size_t size) {
    k->width = (unsigned)lam_random_below(&k->r->random, most + 1);
    k->in = random_bytes(k->r, k->count * size);
    expect_bytes_of(k, lam_packed_size(k->count, k->width));
}

static void draw_unpack_u8(kernel_round *k) {
    draw_packed(k, 8, 1);
    for (size_t i = 0; i < k->count; i++)
        k->expected[i] = (uint8_t)naive_value(k->in, k->width, i);
}

EVERY_VERSION(kernels, every_version_unpacks_bytes_as_bit_by_bit, 1, 6000, draw_unpack_u8,
              unpack_u8(k.in, k.width, k.count, out))

static void draw_unpack_u32(kernel_round *k) {
    draw_packed(k, 32, 4);
    for (size_t i = 0; i < k->count; i++)
        ((uint32_t *)(void *)k->expected)[i] = (uint32_t)naive_value(k->in, k->width, i);
}

EVERY_VERSION(kernels, every_version_unpacks_numbers_as_bit_by_bit, 2, 6000, draw_unpack_u32,
              unpack_u32(k.in, k.width, k.count, out))

static void draw_pack_u8(kernel_round *k) {
    draw_values(k, 8, 1);
    for (size_t i = 0; i < k->count; i++)
        naive_put(k->expected, k->width, i, k->in[i]);
}

EVERY_VERSION(kernels, every_version_packs_bytes_as_bit_by_bit, 3, 6000, draw_pack_u8,
              pack_u8(k.in, k.width, k.count, out))

static void draw_pack_u32(kernel_round *k) {
    draw_values(k, 32, 4);
    for (size_t i = 0; i < k->count; i++)
        naive_put(k->expected, k->width, i, ((const uint32_t *)(const void *)k->in)[i]);
}

EVERY_VERSION(kernels, every_version_packs_numbers_as_bit_by_bit, 4, 6000, draw_pack_u32,
              pack_u32((const void *)k.in, k.width, k.count, out))

static void draw_pack_bools(kernel_round *k) {
    uint8_t *in = random_bytes(k->r, k->count);
    k->width = 1;
    k->in = in;
    expect_bytes_of(k, lam_packed_size(k->count, 1));
    for (size_t i = 0; i < k->count; i++) {
        in[i] = lam_random_chance(&k->r->random, 50) ? 0 : in[i];
        naive_put(k->expected, 1, i, in[i] != 0);
    }
}

EVERY_VERSION(kernels, every_version_packs_any_byte_but_zero_as_true, 5, 3000, draw_pack_bools,
              pack_bools(k.in, k.count, out))

/* --- Copying --------------------------------------------------------------------------------- */

/* Copies are made in blocks, of which one element may be larger than any. */
Test(kernels, every_version_fills_with_elements_above_a_block) {
    enum { LARGE = 5000, COPIES = 3 };
    static uint8_t element[LARGE], copies[COPIES * LARGE];
    for (size_t i = 0; i < LARGE; i++)
        element[i] = (uint8_t)(i * 7);
    for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
        memset(copies, 0, sizeof copies);
        lam_kernels_version(v)->fill(element, LARGE, COPIES, copies);
        for (size_t i = 0; i < COPIES; i++)
            cr_assert_arr_eq(copies + i * LARGE, element, LARGE, "%s",
                             lam_kernels_version(v)->name);
    }
}

static void draw_fill(kernel_round *k) {
    k->width = (unsigned)lam_random_below(&k->r->random, 21);
    k->in = random_bytes(k->r, k->width);
    expect_bytes_of(k, k->width * k->count);
    for (size_t i = 0; i < k->size; i++)
        k->expected[i] = k->in[i % k->width];
}

EVERY_VERSION(kernels, every_version_fills_with_copies_of_an_element, 6, 3000, draw_fill,
              fill(k.in, k.width, k.count, out))

static uint32_t gathered[MOST]; /* the indexes */

static void draw_gather(kernel_round *k) {
    static const uint8_t sizes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33};
    lam_random *random = &k->r->random;
    k->width = sizes[lam_random_below(random, sizeof sizes)];
    const size_t entries = 1 + lam_random_below(random, 300);
    k->in = random_bytes(k->r, k->width * entries);
    expect_bytes_of(k, k->width * k->count);
    for (size_t i = 0; i < k->count; i++) {
        gathered[i] = (uint32_t)lam_random_below(random, entries);
        for (size_t b = 0; b < k->width; b++)
            k->expected[i * k->width + b] = k->in[gathered[i] * k->width + b];
    }
}

EVERY_VERSION(kernels, every_version_gathers_elements_by_index, 7, 3000, draw_gather,
              gather(k.in, k.width, gathered, k.count, out))

/* --- Scanning -------------------------------------------------------------------------------- */

/* Bytes with long equal stretches, so that prefixes have any length. */
static uint8_t *stretches(rooms *r, size_t size, size_t element) {
    uint8_t *bytes = random_bytes(r, size);
    for (size_t i = element; i < size; i++)
        if (!lam_random_chance(&r->random, 1))
            bytes[i] = bytes[i - element];
    return bytes;
}

Test(kernels, every_version_scans_bytes_alike) {
    rooms r = set_up(8);
    for (int round = 0; round < 6000; round++) {
        size_t count = round == 0 ? ROOM : random_count(&r);
        const uint8_t *in = stretches(&r, count, 1);
        uint8_t value = count > 0 && lam_random_chance(&r.random, 90) ? in[0] : 7;
        size_t equal = 0, prefix = 0;
        uint8_t max = 0;
        for (size_t i = 0; i < count; i++) {
            equal += in[i] == value;
            prefix += prefix == i && in[i] == value;
            max = in[i] > max ? in[i] : max;
        }
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
            const lam_kernels *kernels = lam_kernels_version(v);
            cr_assert_eq(kernels->count_u8(in, count, value), equal, "%s", kernels->name);
            cr_assert_eq(kernels->prefix_u8(in, count, value), prefix, "%s", kernels->name);
            cr_assert_eq(kernels->max_u8(in, count), max, "%s", kernels->name);
        }
    }
    tear_down(r);
}

Test(kernels, every_version_scans_numbers_alike) {
    rooms r = set_up(9);
    for (int round = 0; round < 6000; round++) {
        size_t count = random_count(&r), prefix = 0;
        stretches(&r, count * 4, 4);
        const uint32_t *in = last(r.in, count * 4);
        uint32_t value = count > 0 && lam_random_chance(&r.random, 90) ? in[0] : 7, max = 0;
        for (size_t i = 0; i < count; i++) {
            prefix += prefix == i && in[i] == value;
            max = in[i] > max ? in[i] : max;
        }
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
            const lam_kernels *kernels = lam_kernels_version(v);
            cr_assert_eq(kernels->prefix_u32(in, count, value), prefix, "%s", kernels->name);
            cr_assert_eq(kernels->max_u32(in, count), max, "%s", kernels->name);
        }
    }
    tear_down(r);
}

/* --- Speed: LAMELLA_BENCH=1 ---------------------------------------------------------------- */

enum { BENCH_COUNT = 16000, BENCH_ROUNDS = 4000 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static volatile size_t sink; /* keeps results that nobody reads */

typedef struct bench_data {
    const lam_kernels *kernels;
    unsigned width;
    uint8_t *packed, *bytes;
    uint32_t *numbers;
    uint8_t *elements;
} bench_data;

static void bench_unpack_u8(bench_data *b) {
    b->kernels->unpack_u8(b->packed, b->width, BENCH_COUNT, b->bytes);
}
static void bench_unpack_u32(bench_data *b) {
    b->kernels->unpack_u32(b->packed, b->width, BENCH_COUNT, b->numbers);
}
static void bench_pack_u8(bench_data *b) {
    b->kernels->pack_u8(b->bytes, b->width, BENCH_COUNT, b->packed);
}
static void bench_pack_u32(bench_data *b) {
    b->kernels->pack_u32(b->numbers, b->width, BENCH_COUNT, b->packed);
}
static void bench_pack_bools(bench_data *b) {
    b->kernels->pack_bools(b->bytes, BENCH_COUNT, b->packed);
}
static void bench_fill(bench_data *b) {
    b->kernels->fill(b->packed, b->width, BENCH_COUNT, b->elements);
}
static void bench_gather(bench_data *b) {
    b->kernels->gather(b->packed, b->width, b->numbers, BENCH_COUNT, b->elements);
}
static void bench_count_u8(bench_data *b) {
    sink += b->kernels->count_u8(b->bytes, BENCH_COUNT, 1);
}
static void bench_prefix_u8(bench_data *b) {
    sink += b->kernels->prefix_u8(b->bytes, BENCH_COUNT, 0);
}
static void bench_prefix_u32(bench_data *b) {
    sink += b->kernels->prefix_u32(b->numbers, BENCH_COUNT, 0);
}
static void bench_max_u8(bench_data *b) {
    sink += b->kernels->max_u8(b->bytes, BENCH_COUNT);
}
static void bench_max_u32(bench_data *b) {
    sink += b->kernels->max_u32(b->numbers, BENCH_COUNT);
}

/* `size` is what a value takes on its unpacked side, for the rate in bytes. */
static void bench(const char *name, void (*run)(bench_data *), unsigned width, size_t size) {
    static uint8_t packed[BENCH_COUNT * 4], bytes[BENCH_COUNT], elements[BENCH_COUNT * 16];
    static uint32_t numbers[BENCH_COUNT];
    printf("%-10s width %2u", name, width);
    for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
        bench_data b = {lam_kernels_version(v), width, packed, bytes, numbers, elements};
        memset(bytes, 0, sizeof bytes);
        for (size_t i = 0; i < BENCH_COUNT; i++)
            numbers[i] = run == bench_gather ? (uint32_t)(i * 7919 % 1000) : 0;
        double best = 1e9;
        for (int attempt = 0; attempt < 3; attempt++) {
            double start = seconds();
            for (int round = 0; round < BENCH_ROUNDS / 3; round++)
                run(&b);
            double took = (seconds() - start) / (BENCH_ROUNDS / 3) / BENCH_COUNT;
            best = took < best ? took : best;
        }
        printf("   %6s %6.3f ns %6.1f GB/s", b.kernels->name, best * 1e9,
               (double)size / best * 1e-9);
    }
    printf("\n");
}

static void bench_all(void) {
    for (unsigned width = 1; width <= 8; width++)
        bench("unpack_u8", bench_unpack_u8, width, 1);
    for (unsigned width = 1; width <= 32; width += width < 8 ? 1 : 4)
        bench("unpack_u32", bench_unpack_u32, width, 4);
    for (unsigned width = 1; width <= 8; width++)
        bench("pack_u8", bench_pack_u8, width, 1);
    for (unsigned width = 1; width <= 32; width += width < 8 ? 1 : 4)
        bench("pack_u32", bench_pack_u32, width, 4);
    bench("pack_bools", bench_pack_bools, 1, 1);
    static const unsigned sizes[] = {1, 4, 8, 12, 16};
    for (size_t i = 0; i < 5; i++)
        bench("fill", bench_fill, sizes[i], sizes[i]);
    for (size_t i = 0; i < 5; i++)
        bench("gather", bench_gather, sizes[i], sizes[i]);
    bench("count_u8", bench_count_u8, 8, 1);
    bench("prefix_u8", bench_prefix_u8, 8, 1);
    bench("prefix_u32", bench_prefix_u32, 32, 4);
    bench("max_u8", bench_max_u8, 8, 1);
    bench("max_u32", bench_max_u32, 32, 4);
}

ReportHook(PRE_ALL)(struct criterion_test_set *tests) {
    (void)tests;
    if (getenv("LAMELLA_BENCH") == NULL)
        return;
    bench_all();
    exit(0);
}
