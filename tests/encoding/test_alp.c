/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ALP: the worked example of the specification, pages in both directions, and pages that are
 * damaged.
 */
#include "encoding/alp.h"

#include <float.h>
#include <math.h>

#include "base/bytes.h"
#include "encoding/alp_decimal.h"
#include "encoding/bench_values.h"
#include "kernel/kernel.h"

enum { MOST = 5000 };

static const lam_value_layout floats = {LAM_PHYSICAL_FLOAT, 4};
static const lam_value_layout doubles = {LAM_PHYSICAL_DOUBLE, 8};

static trial trial_of(lam_value_layout layout, const void *values, size_t count) {
    trial t = {LAM_ENCODING_ALP, layout, values, count, 0};
    return t;
}

/* --- Reading ------------------------------------------------------------------------------- */

/* AlpEncoding.md, section "Worked Example: Exceptions and Non-Zero Factor". */
static const char golden[] = "\0\0\x0A\x04\0\0\0"
                             "\x04\0\0\0"
                             "\x04\x03\x01\0"
                             "\x07\x0D\0\0\0\0\0\0\x0F"
                             "\x91\xAD\xC8\x56\x28\x15\x00\x00"
                             "\x01\0"
                             "\0\0\0\0\0\0\xF8\x7F";
enum { GOLDEN_SIZE = sizeof golden - 1 };

static lam_status read_page(lam_value_layout layout, const void *bytes, size_t size, size_t count,
                            void *values, lam_error *error) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_decoder decoder;
    uint8_t *copy = malloc(size);
    memcpy(copy, bytes, size);
    lam_bytes view = {copy, size};
    lam_arena_init(&arena, &allocator, 0);
    lam_status status = lam_decoder_init(&decoder, lam_kernels_get(), LAM_ENCODING_ALP, layout,
                                         view, NULL, &arena, error);
    if (status == LAM_STATUS_OK)
        status = lam_decoder_read(&decoder, count, values, error);
    if (status == LAM_STATUS_OK)
        status = lam_decoder_find_rest(&decoder, error);
    lam_arena_finish(&arena);
    free(copy);
    return status;
}

Test(alp, the_worked_example_gives_its_values) {
    double values[4];
    uint64_t bits;
    cr_assert_eq(read_page(doubles, golden, GOLDEN_SIZE, 4, values, NULL), LAM_STATUS_OK);
    cr_assert_eq(values[0], 1500.0);
    cr_assert_eq(values[2], 2500.0);
    cr_assert_eq(values[3], 333.5);
    memcpy(&bits, &values[1], sizeof bits);
    cr_assert_eq(bits, UINT64_C(0x7FF8000000000000));
}

/* A page of one vector with any parameters; the integers as packed. */
static size_t put_page(uint8_t *page, unsigned bits, lam_alp_scale scale, uint64_t frame,
                       unsigned width, const uint64_t *integers, uint32_t count) {
    memset(page, 0, 11);
    page[2] = 15;
    lam_store_le32(page + 3, count);
    page[7] = 4;
    page[11] = scale.exponent;
    page[12] = scale.factor;
    page[13] = page[14] = 0;
    if (bits == 32)
        lam_store_le32(page + 15, (uint32_t)frame);
    else
        lam_store_le64(page + 15, frame);
    page[15 + bits / 8] = (uint8_t)width;
    lam_kernels_version(0)->pack_u64(integers, width, count, page + 16 + bits / 8);
    return 16 + bits / 8 + lam_packed_size(count, width);
}

static double power_of_ten(int exponent) {
    char text[8];
    snprintf(text, sizeof text, "1e%d", exponent);
    return strtod(text, NULL);
}

static float float_power_of_ten(int exponent) {
    char text[8];
    snprintf(text, sizeof text, "1e%d", exponent);
    return strtof(text, NULL);
}

Test(alp, integers_are_scaled_by_two_products_in_the_precision_of_the_type) {
    static uint64_t integers[300], expected_64[300], got_64[300];
    static uint32_t expected_32[300], got_32[300];
    static uint8_t page[300 * 8 + 64];
    uint64_t seed = lam_test_seed(101);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 20000; round++) {
        unsigned bits = round % 2 == 0 ? 32 : 64;
        lam_alp_scale scale = {(uint8_t)lam_random_below(&random, bits == 32 ? 11 : 19), 0};
        scale.factor = (uint8_t)lam_random_below(&random, scale.exponent + 1u);
        unsigned width = (unsigned)lam_random_below(&random, bits + 1);
        uint64_t frame = lam_random_next(&random) >> lam_random_below(&random, 64);
        uint32_t count = (uint32_t)lam_random_below(&random, 300);
        for (uint32_t i = 0; i < count; i++) {
            integers[i] = width == 0 ? 0 : lam_random_next(&random) >> (64 - width);
            uint64_t integer = integers[i] + frame;
            volatile double wide = (double)(int64_t)integer;
            wide = wide * power_of_ten(scale.factor);
            wide = wide * power_of_ten(-scale.exponent);
            double wide_value = wide;
            memcpy(&expected_64[i], &wide_value, 8);
            volatile float narrow = (float)(int32_t)(uint32_t)integer;
            narrow = narrow * float_power_of_ten(scale.factor % 11);
            narrow = narrow * float_power_of_ten(-(scale.exponent % 11));
            float narrow_value = narrow;
            memcpy(&expected_32[i], &narrow_value, 4);
        }
        size_t size = put_page(page, bits, scale, frame, width, integers, count);
        bool is_32 = bits == 32;
        cr_assert_eq(read_page(is_32 ? floats : doubles, page, count == 0 ? 7 : size, count,
                               is_32 ? (void *)got_32 : got_64, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(is_32 ? memcmp(got_32, expected_32, count * 4)
                           : memcmp(got_64, expected_64, count * 8),
                     0, "round %d, seed %llu", round, (unsigned long long)seed);
    }
}

/* --- Both ways ----------------------------------------------------------------------------- */

/* Numbers of a kind: decimals, whole numbers, noise, special ones, all equal, mixtures. */
static void random_numbers(lam_random *random, size_t count, double *wide, float *narrow) {
    static const double special[] = {0.0,     -0.0,     INFINITY, -INFINITY,   DBL_MAX,
                                     DBL_MIN, 4.9e-324, 9.3e18,   -9.2233e18,  0x1p63,
                                     -0x1p63, 0x1p51,   0x1p52,   2147483648.0};
    unsigned kind = (unsigned)lam_random_below(random, 6), digits, range;
    digits = (unsigned)lam_random_below(random, 12);
    range = (unsigned)lam_random_below(random, 50);
    double equal = (double)lam_random_below(random, 1000) / 8;
    for (size_t i = 0; i < count; i++) {
        uint64_t noise = lam_random_next(random);
        double decimal = (double)(int64_t)(noise >> range) / power_of_ten((int)digits);
        wide[i] = lam_random_chance(random, 50) ? decimal : -decimal;
        unsigned now = kind == 5 ? (unsigned)lam_random_below(random, 5) : kind;
        if (now == 1)
            wide[i] = equal;
        else if (now == 2) /* any bits: NaNs of all payloads, quiet or not, are among them */
            memcpy(&wide[i], &noise, sizeof noise);
        else if (now == 3)
            wide[i] = special[noise % (sizeof special / sizeof special[0])];
        narrow[i] =
            (float)((double)(int64_t)(noise >> (40 + range % 20)) / power_of_ten(digits % 5));
        uint32_t bits = (uint32_t)noise;
        if (now == 1)
            narrow[i] = (float)equal;
        else if (now == 2)
            memcpy(&narrow[i], &bits, sizeof bits);
        else if (now == 3) {
            static const uint32_t odd[] = {0x80000000, 0x7F800000, 0xFF800000, 0x7FA00001,
                                           0xFFC12345, 0x7F7FFFFF, 0x00000001, 0x4F000000,
                                           0xCF000000, 0x4B000001, 0x00000000};
            memcpy(&narrow[i], &odd[noise % (sizeof odd / sizeof odd[0])], sizeof bits);
        }
    }
}

static double wide[MOST];
static float narrow[MOST];

Test(alp, what_is_written_comes_back_bit_for_bit) {
    uint64_t seed = lam_test_seed(102);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 1500; round++) {
        size_t count = (size_t)lam_random_below(&random, round % 3 == 0 ? MOST : 1100);
        random_numbers(&random, count, wide, narrow);
        trial t = trial_of(round % 2 == 0 ? doubles : floats,
                           round % 2 == 0 ? (void *)wide : narrow, count);
        t.seed = seed;
        expect_round_trip(&t, &random);
    }
}

Test(alp, nan_payloads_and_negative_zero_stay) {
    static const uint64_t bits[] = {0x7FF0000000000001, 0xFFF8DEADBEEF1234, 0x8000000000000000,
                                    0x0000000000000000, 0x7FF4000000000000, 0x3FF8000000000000};
    double values[6];
    memcpy(values, bits, sizeof bits);
    trial t = trial_of(doubles, values, 6);
    lam_random random = lam_random_start(1);
    expect_round_trip(&t, &random);
}

Test(alp, decimals_take_few_bits) {
    for (size_t i = 0; i < MOST; i++) {
        wide[i] = (double)(i * 7919 % 10000) / 100;
        narrow[i] = (float)(i * 7919 % 1000) / 10;
    }
    size_t size;
    trial t = trial_of(doubles, wide, MOST);
    free(encode_trial(&t, NULL, &size));
    cr_assert_leq(size, MOST * 15 / 8, "%zu bytes", size);
    t = trial_of(floats, narrow, MOST);
    free(encode_trial(&t, NULL, &size));
    cr_assert_leq(size, MOST * 11 / 8, "%zu bytes", size);
}

Test(alp, the_scale_follows_when_the_numbers_change) {
    /* Noise first, then decimals: they must not stay exceptions. */
    static double values[200000];
    lam_random random = lam_random_start(3);
    for (size_t i = 0; i < 200000; i++) {
        uint64_t noise = lam_random_next(&random);
        values[i] = i < 20000 ? (double)noise / 3e7 : (double)(noise % 100000) / 1000;
    }
    size_t size;
    trial t = trial_of(doubles, values, 200000);
    free(encode_trial(&t, NULL, &size));
    cr_assert_leq(size, 20000 * 10 + 20000 * 10 + 160000 * 18 / 8 + 20000, "%zu bytes", size);
}

/* --- Broken pages -------------------------------------------------------------------------- */

static void expect_refusal(size_t at, uint8_t byte, lam_status status, const char *message) {
    char page[GOLDEN_SIZE];
    double values[4];
    lam_error error = lam_error_none();
    memcpy(page, golden, GOLDEN_SIZE);
    page[at] = (char)byte;
    cr_assert_eq(read_page(doubles, page, GOLDEN_SIZE, 4, values, &error), status);
    cr_assert_str_eq(error.message, message);
}

Test(alp, what_a_page_says_of_itself_is_checked) {
    expect_refusal(0, 1, LAM_STATUS_UNSUPPORTED, "ALP compression mode 1 is not supported");
    expect_refusal(1, 1, LAM_STATUS_CORRUPT, "ALP integer encoding 1");
    expect_refusal(2, 2, LAM_STATUS_CORRUPT, "ALP vectors of 2^2 values");
    expect_refusal(2, 16, LAM_STATUS_CORRUPT, "ALP vectors of 2^16 values");
    expect_refusal(3, 3, LAM_STATUS_CORRUPT, "4 ALP values where 3 are left");
    expect_refusal(6, 0x80, LAM_STATUS_CORRUPT, "-2147483644 ALP values");
    expect_refusal(6, 0x7F, LAM_STATUS_CORRUPT, "2080769 ALP vectors in 35 bytes");
    expect_refusal(7, 5, LAM_STATUS_CORRUPT, "an ALP vector at offset 5 is at 4");
    expect_refusal(11, 19, LAM_STATUS_CORRUPT, "an ALP vector of exponent 19 and factor 3");
    expect_refusal(12, 5, LAM_STATUS_CORRUPT, "an ALP vector of exponent 4 and factor 5");
    expect_refusal(13, 5, LAM_STATUS_CORRUPT, "5 exceptions in an ALP vector of 4 values");
    expect_refusal(13, 2, LAM_STATUS_CORRUPT, "an ALP vector of 41 bytes where 31 are left");
    expect_refusal(23, 65, LAM_STATUS_CORRUPT, "bit width 65 of an ALP vector of 64-bit values");
    expect_refusal(32, 4, LAM_STATUS_CORRUPT, "an exception at 4 in an ALP vector of 4 values");
}

Test(alp, values_that_nobody_read_are_corrupt) {
    double values[4];
    cr_assert_eq(read_page(doubles, golden, GOLDEN_SIZE, 3, values, NULL), LAM_STATUS_CORRUPT);
}

Test(alp, damaged_pages_fail_cleanly) {
    lam_random random = lam_random_start(lam_test_seed(103));
    for (int round = 0; round < 40; round++) {
        random_numbers(&random, 120, wide, narrow);
        trial t = trial_of(round % 2 == 0 ? doubles : floats,
                           round % 2 == 0 ? (void *)wide : narrow, 1 + 3 * (size_t)round);
        expect_damage_to_be_found(&t, &random, 300);
    }
    trial t = trial_of(doubles, wide, 500);
    expect_noise_to_be_harmless(&t, &random, 20000);
}

Test(alp, each_allocation_may_fail) {
    lam_random random = lam_random_start(lam_test_seed(104));
    random_numbers(&random, MOST, wide, narrow);
    trial t = trial_of(doubles, wide, MOST);
    expect_allocations_may_fail(&t);
    t = trial_of(floats, narrow, 1500);
    expect_allocations_may_fail(&t);
}

/* --- Speed: LAMELLA_BENCH=1 ---------------------------------------------------------------- */

static void bench_all(void) {
    enum { COUNT = 131072 };
    static double values[COUNT];
    static float small[COUNT];
    static const char *const names[] = {"two digits", "whole", "temperatures", "noise"};
    lam_random random = lam_random_start(1);
    for (int kind = 0; kind < 4; kind++) {
        double walk = 20;
        for (size_t i = 0; i < COUNT; i++) {
            uint64_t noise = lam_random_next(&random);
            walk += (double)(noise % 21) / 100 - 0.1;
            values[i] = kind == 0   ? (double)(noise % 100000) / 100
                        : kind == 1 ? (double)(noise % 1000000)
                        : kind == 2 ? (double)(int)(walk * 100) / 100
                                    : (double)noise / 7e8;
            small[i] =
                kind == 3 ? (float)values[i] : (float)(noise % 10000) / (kind == 0 ? 100 : 1);
        }
        char name[40];
        trial t = trial_of(doubles, values, COUNT);
        snprintf(name, sizeof name, "DOUBLE %s", names[kind]);
        bench_values(name, &t);
        t.count = 8192;
        bench_values("  a small page", &t);
        t = trial_of(floats, small, COUNT);
        snprintf(name, sizeof name, "FLOAT %s", names[kind]);
        bench_values(name, &t);
    }
}

BENCH_INSTEAD(bench_all)
