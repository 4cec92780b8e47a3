/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DELTA_BYTE_ARRAY: values that share their beginnings come back whole, in memory that is bounded,
 * and prefixes that cannot be are corrupt.
 */
#include "encoding/delta_byte_array.h"

#include "encoding/bench_values.h"
#include "encoding/random_strings.h"

enum { MOST = 2000 };

static const lam_value_layout byte_arrays = {LAM_PHYSICAL_BYTE_ARRAY, 0};

static trial trial_of(const lam_bytes *values, size_t count) {
    trial t = {LAM_ENCODING_DELTA_BYTE_ARRAY, byte_arrays, values, count, 0};
    return t;
}

static trial fixed_trial_of(const uint8_t *values, size_t count, int32_t size) {
    trial t = {
        LAM_ENCODING_DELTA_BYTE_ARRAY, {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, size}, values, count, 0};
    return t;
}

static lam_bytes text(const char *chars) {
    lam_bytes value = {(const uint8_t *)chars, strlen(chars)};
    return value;
}

/* Prefixes 0 2 0 3: differences 2 -2 3, less -2: 4 0 5 in 3 bits. Suffixes 4 2 6 5. */
static const char golden[] = "\x80\x01\x04\x04\x00\x03\x03\0\0\0\x44\x01\0\0\0\0\0\0\0\0\0\0"
                             "\x80\x01\x04\x04\x08\x03\x03\0\0\0\x70\0\0\0\0\0\0\0\0\0\0\0"
                             "axislebabbleyhood";

Test(delta_byte_array, what_values_share_with_the_one_before_is_left_out) {
    /* Encodings.md, "Delta Strings". */
    const lam_bytes values[] = {text("axis"), text("axle"), text("babble"), text("babyhood")};
    trial t = trial_of(values, 4);
    size_t size;
    uint8_t *bytes = encode_trial(&t, NULL, &size);
    cr_assert_eq(size, sizeof golden - 1);
    cr_assert_arr_eq(bytes, golden, size);
    lam_random random = lam_random_start(1);
    expect_values(&t, bytes, size, &random);
    free(bytes);
}

Test(delta_byte_array, values_of_one_length_have_all_lengths_too) {
    /* Prefixes 0 2, suffixes 3 1. */
    static const char expected[] = "\x80\x01\x04\x02\0\x04\0\0\0\0"
                                   "\x80\x01\x04\x02\x06\x03\0\0\0\0"
                                   "abcd";
    trial t = fixed_trial_of((const uint8_t *)"abcabd", 2, 3);
    size_t size;
    uint8_t *bytes = encode_trial(&t, NULL, &size);
    cr_assert_eq(size, sizeof expected - 1);
    cr_assert_arr_eq(bytes, expected, size);
    lam_random random = lam_random_start(1);
    expect_values(&t, bytes, size, &random);
    free(bytes);
}

Test(delta_byte_array, what_is_written_comes_back) {
    static lam_bytes values[MOST];
    uint64_t seed = lam_test_seed(81);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 1500; round++) {
        size_t count = (size_t)lam_random_below(&random, round % 3 > 0 ? 140 : MOST);
        random_strings(&random, count, values);
        trial t = trial_of(values, count);
        t.seed = seed;
        expect_round_trip(&t, &random);
        free_strings(count, values);
    }
}

Test(delta_byte_array, values_of_one_length_come_back) {
    static uint8_t values[MOST * 20];
    uint64_t seed = lam_test_seed(82);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 1500; round++) {
        size_t count = (size_t)lam_random_below(&random, round % 3 > 0 ? 140 : MOST);
        int32_t size = (int32_t)lam_random_below(&random, 20);
        for (size_t i = 0; i < sizeof values; i++)
            values[i] = (uint8_t)lam_random_below(&random, 2);
        trial t = fixed_trial_of(values, count, size);
        t.seed = seed;
        expect_round_trip(&t, &random);
    }
}

/* --- What is built ------------------------------------------------------------------------- */

/* Opens a page that has long values, two of them without a prefix. */
Test(delta_byte_array, only_what_is_neither_in_the_page_nor_a_front_is_built) {
    enum { LONG = 100, COUNT = 4 };
    uint8_t text[COUNT][LONG];
    lam_allocator allocator = lam_allocator_default();
    lam_bytes long_values[COUNT], values[COUNT];
    lam_encoder encoder;
    lam_decoder decoder;
    lam_arena arena;
    lam_buffer out;
    for (size_t i = 0; i < COUNT; i++) {
        memset(text[i], i < 2 ? 'a' : 'b', LONG);
        text[i][LONG / 2] = (uint8_t)('0' + i);
        long_values[i] = (lam_bytes){text[i], LONG};
    }
    lam_buffer_init(&out, &allocator);
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_encoder_init(&encoder, lam_kernels_get(), LAM_ENCODING_DELTA_BYTE_ARRAY,
                                  byte_arrays, &allocator, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_encoder_write(&encoder, long_values, COUNT, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_encoder_end_page(&encoder, &out, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_init(&decoder, lam_kernels_get(), LAM_ENCODING_DELTA_BYTE_ARRAY,
                                  byte_arrays, lam_buffer_bytes(&out), NULL, &arena, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_read(&decoder, COUNT, values, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < COUNT; i++) {
        bool is_in_page = values[i].data > out.data && values[i].data < out.data + out.size;
        cr_expect_eq(is_in_page, i % 2 == 0);
        cr_assert_arr_eq(values[i].data, text[i], LONG);
    }
    cr_expect_null(decoder.built_end);
    lam_encoder_finish(&encoder);
    lam_arena_finish(&arena);
    lam_buffer_finish(&out);
}

Test(delta_byte_array, short_values_are_side_by_side) {
    lam_allocator allocator = lam_allocator_default();
    lam_bytes view = {(const uint8_t *)golden, sizeof golden - 1}, values[4];
    lam_decoder decoder;
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_decoder_init(&decoder, lam_kernels_get(), LAM_ENCODING_DELTA_BYTE_ARRAY,
                                  byte_arrays, view, NULL, &arena, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_read(&decoder, 1, values, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_read(&decoder, 3, values + 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(values[2].data, values[1].data + values[1].size);
    cr_assert_eq(values[3].data, values[2].data + values[2].size);
    cr_assert_geq(decoder.built_end, values[3].data + values[3].size);
    cr_assert_arr_eq(values[1].data, "axlebabblebabyhood", 18);
    lam_arena_finish(&arena);
}

/* A page of `count` values: the first has `size` bytes, each other one its front and a byte. */
static uint8_t *growing_page(size_t size, size_t count, bool shrink, size_t *ret_size) {
    lam_allocator allocator = lam_allocator_default();
    lam_delta_encoder prefixes, suffixes;
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    lam_delta_encoder_init(&prefixes, lam_kernels_get(), 32, &allocator);
    lam_delta_encoder_init(&suffixes, lam_kernels_get(), 32, &allocator);
    for (size_t i = 0; i < count; i++) {
        uint32_t prefix = i == 0 ? 0 : (uint32_t)(shrink ? size - 1 : size + i - 1);
        uint32_t suffix = i == 0 ? (uint32_t)size : 1;
        cr_assert_eq(lam_delta_write(&prefixes, &prefix, 1, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_delta_write(&suffixes, &suffix, 1, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_delta_append(&prefixes, &out, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_delta_append(&suffixes, &out, NULL), LAM_STATUS_OK);
    uint8_t *bytes = malloc(out.size + size + count - 1);
    memcpy(bytes, out.data, out.size);
    memset(bytes + out.size, 'x', size + count - 1);
    *ret_size = out.size + size + count - 1;
    lam_buffer_finish(&out);
    lam_delta_encoder_finish(&prefixes);
    lam_delta_encoder_finish(&suffixes);
    return bytes;
}

Test(delta_byte_array, values_that_grow_share_their_memory) {
    enum { SIZE = 100000, COUNT = 5000 };
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    static lam_bytes values[COUNT];
    size_t size;
    uint8_t *bytes = growing_page(SIZE, COUNT, false, &size);
    lam_bytes view = {bytes, size};
    lam_decoder decoder;
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_decoder_init(&decoder, lam_kernels_get(), LAM_ENCODING_DELTA_BYTE_ARRAY,
                                  byte_arrays, view, NULL, &arena, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_read(&decoder, COUNT, values, NULL), LAM_STATUS_OK);
    cr_assert_eq(values[COUNT - 1].size, SIZE + COUNT - 1);
    cr_assert_leq(counter.peak_bytes, 2 * (SIZE + COUNT) + 4096);
    lam_arena_finish(&arena);
    free(bytes);
}

Test(delta_byte_array, a_page_that_swells_beyond_the_budget_is_beyond_the_limit) {
    /* 2000 values of 100 kB from a page of 104 kB, in a budget of 64 MiB. */
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    static lam_bytes values[2000];
    size_t size;
    uint8_t *bytes = growing_page(100000, 2000, true, &size);
    lam_bytes view = {bytes, size};
    lam_decoder decoder;
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 64 << 20);
    cr_assert_eq(lam_decoder_init(&decoder, lam_kernels_get(), LAM_ENCODING_DELTA_BYTE_ARRAY,
                                  byte_arrays, view, NULL, &arena, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_read(&decoder, 2000, values, NULL), LAM_STATUS_LIMIT);
    cr_assert_leq(counter.peak_bytes, 1 << 16);
    /* A few at a time they are no matter. */
    cr_assert_eq(lam_decoder_init(&decoder, lam_kernels_get(), LAM_ENCODING_DELTA_BYTE_ARRAY,
                                  byte_arrays, view, NULL, &arena, NULL),
                 LAM_STATUS_OK);
    for (size_t at = 0; at < 2000; at += 20)
        cr_assert_eq(lam_decoder_read(&decoder, 20, values, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_find_rest(&decoder, NULL), LAM_STATUS_OK);
    cr_assert_leq(counter.peak_bytes, 8 << 20);
    lam_arena_finish(&arena);
    free(bytes);
}

/* --- Broken pages -------------------------------------------------------------------------- */

static lam_status read_page(lam_value_layout layout, const char *bytes, size_t size, size_t count,
                            lam_error *error) {
    lam_allocator allocator = lam_allocator_default();
    static lam_bytes values[64];
    uint8_t *copy = malloc(size);
    memcpy(copy, bytes, size);
    lam_bytes view = {copy, size};
    lam_decoder decoder;
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    lam_status status = lam_decoder_init(&decoder, lam_kernels_get(), LAM_ENCODING_DELTA_BYTE_ARRAY,
                                         layout, view, NULL, &arena, error);
    if (status == LAM_STATUS_OK)
        status = lam_decoder_read(&decoder, count, values, error);
    if (status == LAM_STATUS_OK)
        status = lam_decoder_find_rest(&decoder, error);
    lam_arena_finish(&arena);
    free(copy);
    return status;
}

Test(delta_byte_array, a_prefix_longer_than_the_value_before_is_corrupt) {
    lam_error error = lam_error_none();
    /* Prefixes 0 3, suffixes 2 1. */
    static const char page[] = "\x80\x01\x04\x02\0\x06\0\0\0\0\x80\x01\x04\x02\x04\x01\0\0\0\0"
                               "abc";
    cr_assert_eq(read_page(byte_arrays, page, sizeof page - 1, 2, &error), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "a prefix of length 3 where the value before has 2 bytes");
    /* The first value has none before it. */
    static const char first[] = "\x80\x01\x04\x01\x02\x80\x01\x04\x01\x04"
                                "ab";
    cr_assert_eq(read_page(byte_arrays, first, sizeof first - 1, 1, &error), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "a prefix of length 1 where the value before has 0 bytes");
}

Test(delta_byte_array, lengths_that_cannot_be_are_corrupt) {
    lam_error error = lam_error_none();
    static const char negative[] = "\x80\x01\x04\x01\0\x80\x01\x04\x01\x01"
                                   "ab";
    cr_assert_eq(read_page(byte_arrays, negative, sizeof negative - 1, 1, &error),
                 LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "a suffix of length -1 where 2 bytes are left");
    static const char counts[] = "\x80\x01\x04\x01\0\x80\x01\x04\0\0";
    cr_assert_eq(read_page(byte_arrays, counts, sizeof counts - 1, 1, &error), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "1 prefixes and 0 suffixes");
    static const char rest[] = "\x80\x01\x04\x01\0\x80\x01\x04\x01\x04"
                               "abc";
    cr_assert_eq(read_page(byte_arrays, rest, sizeof rest - 1, 1, &error), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "0 byte arrays, 1 bytes, after the last value");
    lam_value_layout three = {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 3};
    static const char two[] = "\x80\x01\x04\x01\0\x80\x01\x04\x01\x04"
                              "ab";
    cr_assert_eq(read_page(three, two, sizeof two - 1, 1, &error), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "a value of 2 bytes where all have 3");
}

Test(delta_byte_array, damaged_pages_fail_cleanly) {
    lam_bytes values[200];
    static uint8_t fixed[200 * 7];
    lam_random random = lam_random_start(lam_test_seed(83));
    random_strings(&random, 200, values);
    for (size_t i = 0; i < sizeof fixed; i++)
        fixed[i] = (uint8_t)lam_random_below(&random, 3);
    for (size_t count = 1; count < 200; count += 9) {
        trial t = trial_of(values, count);
        expect_damage_to_be_found(&t, &random, 400);
        t = fixed_trial_of(fixed, count, 7);
        expect_damage_to_be_found(&t, &random, 400);
    }
    trial t = trial_of(values, 200);
    expect_noise_to_be_harmless(&t, &random, 20000);
    free_strings(200, values);
}

Test(delta_byte_array, each_allocation_may_fail) {
    static lam_bytes values[MOST];
    static uint8_t fixed[MOST * 7];
    lam_random random = lam_random_start(lam_test_seed(84));
    random_strings(&random, MOST, values);
    trial t = trial_of(values, MOST);
    expect_allocations_may_fail(&t);
    free_strings(MOST, values);
    for (size_t i = 0; i < sizeof fixed; i++)
        fixed[i] = (uint8_t)lam_random_below(&random, 3);
    t = fixed_trial_of(fixed, MOST, 7);
    expect_allocations_may_fail(&t);
}

/* --- Speed: LAMELLA_BENCH=1 ---------------------------------------------------------------- */

static void bench_all(void) {
    enum { COUNT = 20000, LONGEST = 64 };
    static char heap[COUNT][LONGEST];
    static lam_bytes values[COUNT];
    static uint8_t fixed[COUNT * 16];
    lam_random random = lam_random_start(1);
    for (int kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < COUNT; i++) {
            unsigned long n = (unsigned long)lam_random_below(&random, 100000);
            int size = kind == 0   ? snprintf(heap[i], LONGEST, "%06zu", i)
                       : kind == 1 ? snprintf(heap[i], LONGEST, "https://example.org/%08zu", i * 7)
                                   : snprintf(heap[i], LONGEST, "%lu no order %lu", n, n * n);
            values[i].data = (const uint8_t *)heap[i];
            values[i].size = (size_t)size;
        }
        static const char *const names[] = {"sorted, 6 bytes", "sorted, 28 bytes",
                                            "no order, 25 bytes"};
        trial t = trial_of(values, COUNT);
        bench_values(names[kind], &t);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t b = 0; b < 16; b++)
            fixed[i * 16 + b] = (uint8_t)(b < 12 ? 7 : i >> (15 - b) * 8);
    trial t = fixed_trial_of(fixed, COUNT, 16);
    bench_values("fixed, 16 bytes", &t);
}

BENCH_INSTEAD(bench_all)

Test(delta_byte_array, a_byte_array_of_2_gib_is_beyond_the_limit) {
    const lam_value_layout layout = {LAM_PHYSICAL_BYTE_ARRAY, 0};
    const lam_bytes value = {(const uint8_t *)"", (size_t)INT32_MAX + 1};
    lam_allocator allocator = lam_allocator_default();
    lam_encoder encoder;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_encoder_init(&encoder, lam_kernels_get(), LAM_ENCODING_DELTA_BYTE_ARRAY,
                                  layout, &allocator, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_encoder_write(&encoder, &value, 1, &error), LAM_STATUS_LIMIT);
    cr_assert_str_eq(error.message, "a byte array of 2147483648 bytes; the maximum is 2147483647");
    lam_encoder_finish(&encoder);
}

Test(delta_byte_array, values_and_bytes_that_nobody_read_are_found) {
    const lam_value_layout layout = {LAM_PHYSICAL_BYTE_ARRAY, 0};
    lam_allocator allocator = lam_allocator_default();
    /* Prefixes 0 0, suffixes 0 0, and then a byte of nobody. */
    static const uint8_t page[] = {0x80, 1, 4, 2, 0, 0, 0, 0, 0, 0,  0x80,
                                   1,    4, 2, 0, 0, 0, 0, 0, 0, 'x'};
    static const struct {
        size_t size;
        size_t read;
        const char *rest;
    } rows[] = {
        {sizeof page - 1, 2, ""},
        {sizeof page - 1, 1, "1 byte arrays, 0 bytes, after the last value"},
        {sizeof page, 2, "0 byte arrays, 1 bytes, after the last value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lam_arena arena;
        lam_decoder decoder;
        lam_bytes values[2], bytes = {page, rows[i].size};
        lam_error error = lam_error_none();
        lam_arena_init(&arena, &allocator, 0);
        cr_assert_eq(lam_decoder_init(&decoder, lam_kernels_get(), LAM_ENCODING_DELTA_BYTE_ARRAY,
                                      layout, bytes, NULL, &arena, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_decoder_read(&decoder, rows[i].read, values, NULL), LAM_STATUS_OK);
        lam_status status = lam_decoder_find_rest(&decoder, &error);
        cr_expect_eq(status, rows[i].rest[0] == 0 ? LAM_STATUS_OK : LAM_STATUS_CORRUPT);
        cr_expect_str_eq(error.message, rows[i].rest);
        lam_arena_finish(&arena);
    }
}
