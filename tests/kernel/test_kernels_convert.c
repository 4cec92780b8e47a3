/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of text and of decimals: every version against naive ones, on inputs and outputs that
 * end where unreadable memory begins. With LAMELLA_BENCH=1 the program prints their speed instead.
 */
#define _DEFAULT_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "kernel/kernel.h"
#include "kernel/kernel_rooms.h"

/* --- Text ------------------------------------------------------------------------------------ */

/* By the numbers of the characters, not by ranges of bytes as the library does. */
static bool naive_is_utf8(const uint8_t *text, size_t size) {
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    for (size_t at = 0; at < size;) {
        uint8_t first = text[at];
        size_t more = first < 0x80         ? 0
                      : first >> 5 == 0x06 ? 1
                      : first >> 4 == 0x0E ? 2
                      : first >> 3 == 0x1E ? 3
                                           : SIZE_MAX;
        if (more > size - at - 1)
            return false;
        uint32_t number = more == 0 ? first : first & (0x3Fu >> more);
        for (size_t i = 1; i <= more; i++) {
            if (text[at + i] >> 6 != 2)
                return false;
            number = number << 6 | (text[at + i] & 0x3F);
        }
        if (number < least[more] || number > 0x10FFFF || (number >= 0xD800 && number < 0xE000))
            return false;
        at += more + 1;
    }
    return true;
}

static size_t put_character(uint8_t *to, uint32_t number) {
    if (number < 0x80) {
        to[0] = (uint8_t)number;
        return 1;
    }
    size_t more = number < 0x800 ? 1 : number < 0x10000 ? 2 : 3;
    static const uint8_t firsts[] = {0, 0xC0, 0xE0, 0xF0};
    for (size_t i = more; i > 0; i--, number >>= 6)
        to[i] = (uint8_t)(0x80 | (number & 0x3F));
    to[0] = (uint8_t)(firsts[more] | number);
    return more + 1;
}

/* Characters of all lengths, mostly near the borders of their ranges, in runs of some length. */
static size_t random_text(rooms *r, size_t most) {
    static const uint32_t borders[] = {0,      0x7F,   0x80,    0x7FF,   0x800,    0xD7FF,
                                       0xE000, 0xFFFF, 0x10000, 0x3FFFF, 0x100000, 0x10FFFF};
    uint8_t *text = last(r->in, 0) - ROOM;
    size_t size = 0;
    while (size < most) {
        size_t run = 1 + (size_t)lam_random_below(&r->random, 40);
        bool is_ascii = lam_random_chance(&r->random, 40);
        for (; run > 0 && size < most; run--) {
            uint32_t number = is_ascii ? (uint32_t)lam_random_below(&r->random, 128)
                              : lam_random_chance(&r->random, 30)
                                  ? borders[lam_random_below(&r->random, 12)]
                                  : (uint32_t)lam_random_below(&r->random, 0xD800);
            size += put_character(text + size, number);
        }
    }
    memmove(last(r->in, size), text, size);
    return size;
}

Test(kernels_convert, every_version_takes_text_by_the_numbers_of_its_characters) {
    rooms r = set_up(71);
    size_t good = 0, bad = 0;
    for (int round = 0; round < 40000; round++) {
        size_t size = random_text(&r, (size_t)lam_random_below(&r.random, 400));
        uint8_t *text = last(r.in, size);
        /* One byte is changed, or the text is cut at either end. */
        unsigned flaw = (unsigned)lam_random_below(&r.random, 5);
        if (flaw < 3 && size > 0)
            text[lam_random_below(&r.random, size)] =
                flaw == 0 ? (uint8_t)lam_random_next(&r.random)
                          : (uint8_t)(0x80 + lam_random_below(&r.random, 128));
        if (flaw == 3 && size > 0)
            text++, size--;
        bool expected = naive_is_utf8(text, size);
        good += expected;
        bad += !expected;
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++)
            cr_assert(lam_kernels_version(v)->is_utf8(text, size) == expected,
                      "%s: %zu bytes, seed %llu", lam_kernels_version(v)->name, size,
                      (unsigned long long)r.seed);
    }
    cr_assert(good > 5000 && bad > 5000);
    tear_down(r);
}

Test(kernels_convert, every_version_takes_all_pairs_and_long_characters_at_any_place) {
    rooms r = set_up(72);
    for (uint32_t four = 0; four < 1 << 16; four++) {
        /* Bytes of every kind; the last two are continuing ones or not. */
        uint8_t bytes[4] = {(uint8_t)(four >> 8), (uint8_t)four, four % 3 == 0 ? 0x41 : 0x80, 0xBF};
        size_t before = four % 67, size = before + 2 + four % 3;
        uint8_t *text = last(r.in, size);
        memset(text, 'a', size);
        memcpy(text + before, bytes, size - before);
        bool expected = naive_is_utf8(text, size);
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++)
            cr_assert(lam_kernels_version(v)->is_utf8(text, size) == expected, "%s: %02X %02X",
                      lam_kernels_version(v)->name, bytes[0], bytes[1]);
    }
    tear_down(r);
}

/* --- Decimals -------------------------------------------------------------------------------- */

/* Byte by byte: a slot of little-endian bytes, and whether its magnitude is below the bound. */
static bool naive_widen(const uint8_t *bytes, size_t size, const uint64_t *bound, uint8_t *slot,
                        size_t slot_size) {
    uint8_t sign = bytes[0] >= 0x80 ? 0xFF : 0, magnitude[16];
    unsigned carry = sign != 0;
    for (size_t i = 0; i < slot_size; i++)
        slot[LAM_BIG_ENDIAN ? slot_size - 1 - i : i] = i < size ? bytes[size - 1 - i] : sign;
    for (size_t i = 0; i < 16; i++) {
        unsigned byte = ((i < size ? bytes[size - 1 - i] : sign) ^ sign) + carry;
        magnitude[i] = (uint8_t)byte;
        carry = byte >> 8;
    }
    for (size_t i = 16; i > 0; i--) {
        uint8_t most = (uint8_t)(bound[(i - 1) / 8] >> 8 * ((i - 1) % 8));
        if (magnitude[i - 1] != most)
            return magnitude[i - 1] < most;
    }
    return false;
}

static void random_bound(rooms *r, uint64_t *bound) {
    unsigned bits = (unsigned)lam_random_below(&r->random, 128);
    bound[0] = lam_random_next(&r->random);
    bound[1] = bits > 64 ? lam_random_next(&r->random) >> (128 - bits) : 0;
    if (bits <= 64)
        bound[0] = bits == 0 ? 1 : (bound[0] >> (64 - bits)) | 1;
    if (lam_random_chance(&r->random, 10))
        bound[0] = bound[1] = UINT64_MAX;
    if (lam_random_chance(&r->random, 10) && bound[1] > 0)
        bound[0] = 0;
}

/* Numbers below the bound, at it, and of any magnitude that the bytes hold. */
static void random_number(rooms *r, uint8_t *bytes, size_t size, const uint64_t *bound) {
    uint64_t limbs[2] = {lam_random_next(&r->random), lam_random_next(&r->random)};
    unsigned kind = (unsigned)lam_random_below(&r->random, 100);
    limbs[1] = bound[1] == 0 ? 0 : limbs[1] % bound[1];
    limbs[0] = bound[1] == 0 ? limbs[0] % bound[0] : limbs[0];
    if (kind == 0) {
        limbs[0] = bound[0] - (uint64_t)lam_random_below(&r->random, 2);
        limbs[1] = bound[1];
    }
    if (lam_random_chance(&r->random, 50)) {
        limbs[0] = 0 - limbs[0];
        limbs[1] = ~limbs[1] + (limbs[0] == 0);
    }
    for (size_t i = 0; i < size; i++)
        bytes[size - 1 - i] = kind == 1 ? (uint8_t)lam_random_next(&r->random)
                                        : (uint8_t)(limbs[i / 8] >> 8 * (i % 8));
}

Test(kernels_convert, every_version_widens_numbers_byte_by_byte) {
    static const size_t widths[] = {4, 8, 16, 32};
    rooms r = set_up(73);
    size_t good = 0, bad = 0;
    for (int round = 0; round < 20000; round++) {
        size_t slot = widths[lam_random_below(&r.random, 4)];
        size_t size = 1 + (size_t)lam_random_below(&r.random, slot < 16 ? slot : 16);
        size_t count = random_count(&r) / 8;
        uint64_t bound[2];
        bool expected = true;
        random_bound(&r, bound);
        uint8_t *in = last(r.in, size * count), *slots = last(r.expected, slot * count);
        for (size_t i = 0; i < count; i++) {
            random_number(&r, in + i * size, size, bound);
            expected &= naive_widen(in + i * size, size, bound, slots + i * slot, slot);
        }
        good += expected;
        bad += !expected;
        for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
            const lam_kernels *kernels = lam_kernels_version(v);
            void *out = fresh_output(&r, slot * count);
            cr_assert(kernels->widen_big_endian(in, size, count, bound, slot, out) == expected,
                      "%s: %zu bytes, seed %llu", kernels->name, size, (unsigned long long)r.seed);
            expect_output(&r, slots, slot * count, kernels->name, (unsigned)size, count);
        }
    }
    cr_assert(good > 1000 && bad > 1000);
    tear_down(r);
}

/* --- Speed: LAMELLA_BENCH=1 ------------------------------------------------------------------ */

enum { BENCH_BYTES = 16000, BENCH_ROUNDS = 20000 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static size_t sink;

static void bench_text(const char *name, const char *pattern) {
    static uint8_t text[BENCH_BYTES];
    size_t size = strlen(pattern), whole = BENCH_BYTES / size * size;
    for (size_t i = 0; i < whole; i++)
        text[i] = (uint8_t)pattern[i % size];
    for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
        double start = seconds();
        for (int round = 0; round < BENCH_ROUNDS; round++)
            sink += lam_kernels_version(v)->is_utf8(text, whole);
        printf("%-8s is_utf8 %-10s %6.2f GB/s\n", lam_kernels_version(v)->name, name,
               (double)whole * BENCH_ROUNDS / (seconds() - start) * 1e-9);
    }
}

static void bench_numbers(size_t size, size_t slot_size) {
    static uint8_t in[BENCH_BYTES], out[BENCH_BYTES * 4];
    const uint64_t bound[2] = {UINT64_C(1) << (size < 8 ? 8 * size - 1 : 62), 0};
    size_t count = 1000;
    for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {
        double start = seconds();
        for (int round = 0; round < BENCH_ROUNDS; round++)
            sink +=
                lam_kernels_version(v)->widen_big_endian(in, size, count, bound, slot_size, out);
        printf("%-8s widen_big_endian %2zu to %2zu %6.2f ns\n", lam_kernels_version(v)->name, size,
               slot_size, (seconds() - start) / BENCH_ROUNDS / (double)count * 1e9);
    }
}

Test(kernels_convert, speed) {
    if (getenv("LAMELLA_BENCH") == NULL)
        return;
    bench_text("ASCII", "carefully final deposits ");
    bench_text("Latin", "Stra\xC3\x9F"
                        "e und \xC3\x9C"
                        "bung ");
    bench_text("Cyrillic", "\xD0\x9F\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82 ");
    bench_text("Chinese", "\xE4\xB8\xAD\xE6\x96\x87\xE5\xAD\x97");
    bench_numbers(4, 4);
    bench_numbers(7, 8);
    bench_numbers(7, 16);
    bench_numbers(16, 16);
    bench_numbers(7, 32);
}
