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

Test(kernels, every_version_unpacks_bytes_as_bit_by_bit) {
    rooms r = set_up(1);
    for (int round = 0; round < 6000; round++) {
        unsigned width = (unsigned)lam_random_below(&r.random, 9);
        size_t count = random_count(&r);
        const uint8_t *in = random_bytes(&r, lam_packed_size(count, width));
        uint8_t *expected = last(r.expected, count);
        for (size_t i = 0; i < count; i++)
            expected[i] = (uint8_t)naive_value(in, width, i);
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
            lam_kernels_version(v)->unpack_u8(in, width, count, fresh_output(&r, count));
            expect_output(&r, expected, count, lam_kernels_version(v)->name, width, count);
        }
    }
    tear_down(r);
}

Test(kernels, every_version_unpacks_numbers_as_bit_by_bit) {
    rooms r = set_up(2);
    for (int round = 0; round < 6000; round++) {
        unsigned width = (unsigned)lam_random_below(&r.random, 33);
        size_t count = random_count(&r);
        const uint8_t *in = random_bytes(&r, lam_packed_size(count, width));
        uint32_t *expected = last(r.expected, count * 4);
        for (size_t i = 0; i < count; i++)
            expected[i] = (uint32_t)naive_value(in, width, i);
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
            void *out = fresh_output(&r, count * 4);
            lam_kernels_version(v)->unpack_u32(in, width, count, out);
            expect_output(&r, (void *)expected, count * 4, lam_kernels_version(v)->name, width,
                          count);
        }
    }
    tear_down(r);
}

Test(kernels, every_version_packs_bytes_as_bit_by_bit) {
    rooms r = set_up(3);
    for (int round = 0; round < 6000; round++) {
        unsigned width = (unsigned)lam_random_below(&r.random, 9);
        size_t count = random_count(&r);
        size_t size = lam_packed_size(count, width);
        const uint8_t *in = random_bytes(&r, count);
        uint8_t *expected = last(r.expected, size);
        memset(expected, 0, size);
        for (size_t i = 0; i < count; i++)
            naive_put(expected, width, i, in[i]);
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
            lam_kernels_version(v)->pack_u8(in, width, count, fresh_output(&r, size));
            expect_output(&r, expected, size, lam_kernels_version(v)->name, width, count);
        }
    }
    tear_down(r);
}

Test(kernels, every_version_packs_numbers_as_bit_by_bit) {
    rooms r = set_up(4);
    for (int round = 0; round < 6000; round++) {
        unsigned width = (unsigned)lam_random_below(&r.random, 33);
        size_t count = random_count(&r);
        size_t size = lam_packed_size(count, width);
        random_bytes(&r, count * 4);
        const uint32_t *in = last(r.in, count * 4);
        uint8_t *expected = last(r.expected, size);
        memset(expected, 0, size);
        for (size_t i = 0; i < count; i++)
            naive_put(expected, width, i, in[i]);
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
            lam_kernels_version(v)->pack_u32(in, width, count, fresh_output(&r, size));
            expect_output(&r, expected, size, lam_kernels_version(v)->name, width, count);
        }
    }
    tear_down(r);
}

Test(kernels, every_version_packs_any_byte_but_zero_as_true) {
    rooms r = set_up(5);
    for (int round = 0; round < 3000; round++) {
        size_t count = random_count(&r), size = lam_packed_size(count, 1);
        uint8_t *in = random_bytes(&r, count);
        uint8_t *expected = last(r.expected, size);
        memset(expected, 0, size);
        for (size_t i = 0; i < count; i++) {
            in[i] = lam_random_chance(&r.random, 50) ? 0 : in[i];
            naive_put(expected, 1, i, in[i] != 0);
        }
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
            lam_kernels_version(v)->pack_bools(in, count, fresh_output(&r, size));
            expect_output(&r, expected, size, lam_kernels_version(v)->name, 1, count);
        }
    }
    tear_down(r);
}

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

Test(kernels, every_version_fills_with_copies_of_an_element) {
    rooms r = set_up(6);
    for (int round = 0; round < 3000; round++) {
        size_t size = lam_random_below(&r.random, 21), count = random_count(&r);
        const uint8_t *element = random_bytes(&r, size);
        uint8_t *expected = last(r.expected, size * count);
        for (size_t i = 0; i < size * count; i++)
            expected[i] = element[i % size];
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
            lam_kernels_version(v)->fill(element, size, count, fresh_output(&r, size * count));
            expect_output(&r, expected, size * count, lam_kernels_version(v)->name, (unsigned)size,
                          count);
        }
    }
    tear_down(r);
}

Test(kernels, every_version_gathers_elements_by_index) {
    static const uint8_t sizes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33};
    static uint32_t indexes[MOST];
    rooms r = set_up(7);
    for (int round = 0; round < 3000; round++) {
        size_t size = sizes[lam_random_below(&r.random, sizeof sizes)];
        size_t entries = 1 + lam_random_below(&r.random, 300), count = random_count(&r);
        const uint8_t *dictionary = random_bytes(&r, size * entries);
        uint8_t *expected = last(r.expected, size * count);
        for (size_t i = 0; i < count; i++) {
            indexes[i] = (uint32_t)lam_random_below(&r.random, entries);
            for (size_t b = 0; b < size; b++)
                expected[i * size + b] = dictionary[indexes[i] * size + b];
        }
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
            void *out = fresh_output(&r, size * count);
            lam_kernels_version(v)->gather(dictionary, size, indexes, count, out);
            expect_output(&r, expected, size * count, lam_kernels_version(v)->name, (unsigned)size,
                          count);
        }
    }
    tear_down(r);
}

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
