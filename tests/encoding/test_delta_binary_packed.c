/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DELTA_BINARY_PACKED: fixed bytes, streams of any shape as other writers could make them, and
 * headers and widths that cannot be.
 */
#include "encoding/delta_binary_packed.h"

#include "encoding/bench_values.h"

enum { MOST = 2000, ROOM = 1 << 16 };

static const lam_value_layout int32s = {LAM_PHYSICAL_INT32, 4};
static const lam_value_layout int64s = {LAM_PHYSICAL_INT64, 8};

static trial trial_of(lam_value_layout layout, const void *values, size_t count) {
    trial t = {LAM_ENCODING_DELTA_BINARY_PACKED, layout, values, count, 0};
    return t;
}

/* --- Golden bytes -------------------------------------------------------------------------- */

static void expect_bytes(trial t, const char *bytes, size_t size) {
    size_t encoded_size;
    lam_random random = lam_random_start(1);
    uint8_t *encoded = encode_trial(&t, NULL, &encoded_size);
    cr_assert_eq(encoded_size, size);
    cr_assert_arr_eq(encoded, bytes, size);
    free(encoded);
    expect_values(&t, (const uint8_t *)bytes, size, &random);
}

Test(delta_binary_packed, equal_differences_need_no_bits) {
    /* Encodings.md, "Delta Encoding", example 1, in a block of 128. */
    const int32_t values[] = {1, 2, 3, 4, 5};
    expect_bytes(trial_of(int32s, values, 5), "\x80\x01\x04\x05\x02\x02\0\0\0\0", 10);
    const int64_t longs[] = {1, 2, 3, 4, 5};
    expect_bytes(trial_of(int64s, longs, 5), "\x80\x01\x04\x05\x02\x02\0\0\0\0", 10);
}

Test(delta_binary_packed, differences_are_packed_less_the_smallest) {
    /* Example 2, in a block of 128. */
    const int32_t values[] = {7, 5, 3, 1, 2, 3, 4, 5};
    expect_bytes(trial_of(int32s, values, 8),
                 "\x80\x01\x04\x08\x0E\x03\x02\0\0\0\xC0\x3F\0\0\0\0\0\0", 18);
}

Test(delta_binary_packed, one_value_is_in_the_header_and_no_value_is_zero) {
    const int32_t one[] = {-3};
    expect_bytes(trial_of(int32s, one, 1), "\x80\x01\x04\x01\x05", 5);
    expect_bytes(trial_of(int32s, one, 0), "\x80\x01\x04\0\0", 5);
}

Test(delta_binary_packed, differences_wrap_around_in_the_width_of_the_type) {
    /* INT32: the difference of the largest and the smallest is -1, in 32 bits. */
    const int32_t ints[] = {INT32_MAX, INT32_MIN, INT32_MAX};
    expect_bytes(trial_of(int32s, ints, 3),
                 "\x80\x01\x04\x03\xFE\xFF\xFF\xFF\x0F\x01\x02\0\0\0\x02\0\0\0\0\0\0\0", 22);
    const int64_t longs[] = {INT64_MIN, INT64_MAX};
    expect_bytes(trial_of(int64s, longs, 2),
                 "\x80\x01\x04\x02\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\x01\0\0\0\0", 19);
}

/* --- Streams of any shape ------------------------------------------------------------------ */

typedef struct naive {
    uint8_t *bytes;
    size_t size;
} naive;

static void put(naive *out, uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        out->bytes[out->size++] = (uint8_t)(value | 0x80);
    out->bytes[out->size++] = (uint8_t)value;
}

static void put_signed(naive *out, int64_t value) {
    put(out, value < 0 ? 2 * (uint64_t) - (value + 1) + 1 : 2 * (uint64_t)value);
}

static int64_t truncated(uint64_t x, unsigned bits) {
    return bits == 32 ? (int64_t)(int32_t)(uint32_t)x : (int64_t)x;
}

static unsigned width_of(uint64_t x) {
    unsigned width = 0;
    for (; x > 0; x >>= 1)
        width++;
    return width;
}

/* Packs a miniblock bit by bit; padding has random bits. */
static void put_mini(naive *out, const uint64_t *deltas, size_t count, size_t mini_size,
                     unsigned width, lam_random *random) {
    size_t size = mini_size / 8 * width;
    for (size_t i = 0; i < size; i++)
        out->bytes[out->size + i] = (uint8_t)lam_random_next(random);
    for (size_t bit = 0; bit < count * width; bit++) {
        uint8_t *byte = &out->bytes[out->size + bit / 8];
        unsigned set = deltas[bit / width] >> bit % width & 1;
        *byte = (uint8_t)((*byte & ~(1u << bit % 8)) | set << bit % 8);
    }
    out->size += size;
}

/* One block of any shape; widths of miniblocks without values are random. */
static void put_block(naive *out, uint64_t *deltas, size_t count, size_t mini_size,
                      size_t mini_count, unsigned bits, lam_random *random) {
    int64_t min = truncated(deltas[0], bits);
    for (size_t i = 0; i < count; i++)
        min = truncated(deltas[i], bits) < min ? truncated(deltas[i], bits) : min;
    put_signed(out, min);
    uint8_t *widths = out->bytes + out->size;
    out->size += mini_count;
    for (size_t mini = 0; mini < mini_count; mini++) {
        size_t at = mini * mini_size;
        widths[mini] = (uint8_t)lam_random_next(random);
        if (at >= count)
            continue;
        size_t some = count - at < mini_size ? count - at : mini_size;
        uint64_t used = 0;
        for (size_t i = at; i < at + some; i++) {
            deltas[i] = deltas[i] - (uint64_t)min;
            deltas[i] = bits == 32 ? (uint32_t)deltas[i] : deltas[i];
            used |= deltas[i];
        }
        unsigned width = width_of(used);
        width += (unsigned)lam_random_below(random, 2) * (width < bits); /* more than needed */
        widths[mini] = (uint8_t)width;
        put_mini(out, deltas + at, some, mini_size, width, random);
    }
}

static naive naive_encode(const uint64_t *values, size_t count, unsigned bits, size_t block_size,
                          size_t mini_count, lam_random *random) {
    naive out = {malloc(ROOM), 0};
    uint64_t *deltas = malloc(block_size * sizeof *deltas);
    put(&out, block_size);
    put(&out, mini_count);
    put(&out, count);
    put_signed(&out, count > 0 ? truncated(values[0], bits) : 0);
    for (size_t at = 1; at < count; at += block_size) {
        size_t some = count - at < block_size ? count - at : block_size;
        for (size_t i = 0; i < some; i++)
            deltas[i] = values[at + i] - values[at + i - 1];
        put_block(&out, deltas, some, block_size / mini_count, mini_count, bits, random);
    }
    free(deltas);
    out.bytes = realloc(out.bytes, out.size);
    return out;
}

/* Numbers of a kind: walks, runs, alternations, extremes, noise, all equal. */
static void random_numbers(lam_random *random, size_t count, uint64_t *values) {
    unsigned kind = (unsigned)lam_random_below(random, 6);
    unsigned shift = (unsigned)lam_random_below(random, 64);
    uint64_t x = lam_random_next(random);
    for (size_t i = 0; i < count; i++) {
        uint64_t noise = lam_random_next(random) >> shift;
        if (kind == 0)
            x += noise;
        else if (kind == 1)
            x = lam_random_chance(random, 5) ? noise : x;
        else if (kind == 2)
            x = ~x;
        else if (kind == 3)
            x = lam_random_chance(random, 50) ? UINT64_C(0x8000000080000000)
                                              : UINT64_C(0x7FFFFFFF7FFFFFFF);
        else if (kind == 4)
            x = noise;
        values[i] = x;
    }
}

static size_t random_count(lam_random *random) {
    return (size_t)lam_random_below(random, lam_random_chance(random, 50) ? 140 : MOST);
}

Test(delta_binary_packed, blocks_and_miniblocks_of_any_size_are_read) {
    static const size_t blocks[] = {128, 256, 384, 512, 1024, 2048};
    static uint64_t values[MOST];
    static uint32_t small[MOST];
    uint64_t seed = lam_test_seed(61);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 2000; round++) {
        unsigned bits = round % 2 == 0 ? 32 : 64;
        size_t block = blocks[lam_random_below(&random, 6)], minis, count = random_count(&random);
        do
            minis = 1 + (size_t)lam_random_below(&random, block / 32);
        while (block % minis != 0 || block / minis % 32 != 0);
        random_numbers(&random, count, values);
        for (size_t i = 0; i < count; i++)
            small[i] = (uint32_t)values[i];
        naive encoded = naive_encode(values, count, bits, block, minis, &random);
        trial t =
            trial_of(bits == 32 ? int32s : int64s, bits == 32 ? (void *)small : values, count);
        t.seed = seed;
        expect_values(&t, encoded.bytes, encoded.size, NULL);
        expect_values(&t, encoded.bytes, encoded.size, &random);
        free(encoded.bytes);
    }
}

Test(delta_binary_packed, what_is_written_comes_back) {
    static uint64_t values[MOST];
    static uint32_t small[MOST];
    uint64_t seed = lam_test_seed(62);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 3000; round++) {
        size_t count = random_count(&random);
        random_numbers(&random, count, values);
        for (size_t i = 0; i < count; i++)
            small[i] = (uint32_t)(values[i] >> round % 33);
        trial t = trial_of(round % 2 == 0 ? int32s : int64s,
                           round % 2 == 0 ? (void *)small : values, count);
        t.seed = seed;
        expect_round_trip(&t, &random);
    }
}

/* --- Broken streams ------------------------------------------------------------------------ */

static lam_status read_32(const char *bytes, size_t size, size_t count, lam_error *error) {
    static uint32_t values[300];
    lam_delta_decoder decoder;
    uint8_t *copy = malloc(size);
    memcpy(copy, bytes, size);
    lam_bytes view = {copy, size};
    lam_status status = lam_delta_decoder_init(&decoder, lam_kernels_get(), 32, view, error);
    if (status == LAM_STATUS_OK)
        status = lam_delta_read(&decoder, count, values, error);
    free(copy);
    return status;
}

Test(delta_binary_packed, headers_that_cannot_be_are_corrupt) {
    static const char *const headers[] = {
        "\x00\x04\x01\x02",                     /* no values in a block */
        "\x08\x01\x01\x02",                     /* no multiple of 128 */
        "\x81\x01\x01\x01\x02",                 /* 129 */
        "\x80\x80\x80\x80\x10\x01\x01\x02",     /* 2^32 */
        "\x80\x01\x03\x01\x02",                 /* three miniblocks of 128 values */
        "\x80\x01\x08\x01\x02",                 /* miniblocks of 16 values */
        "\x80\x01\x04\x80\x80\x80\x80\x08\x02", /* 2^31 values */
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        cr_assert_eq(read_32(headers[i], strlen(headers[i]), 1, NULL), LAM_STATUS_CORRUPT, "%zu",
                     i);
    lam_error error = lam_error_none();
    cr_assert_eq(read_32("\x80\x01\x00\x01\x02", 5, 1, &error), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "0 miniblocks in delta blocks of 128 values");
    cr_assert_eq(read_32("\x80\x01\x04\x01\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", 14, 1, &error),
                 LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "a number of delta encoded values does not fit 64 bits");
}

Test(delta_binary_packed, more_than_64_bits_are_corrupt) {
    char block[300] = "\x80\x01\x04\x02\x02\x02\x41\0\0\0";
    lam_error error = lam_error_none();
    cr_assert_eq(read_32(block, sizeof block, 2, &error), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "bit width 65 of delta encoded values");
    block[6] = 0x40;
    cr_assert_eq(read_32(block, sizeof block, 2, NULL), LAM_STATUS_OK);
}

Test(delta_binary_packed, int32_differences_taken_in_64_bits_are_read) {
    static uint64_t numbers[MOST], extended[MOST];
    static uint32_t values[MOST];
    uint64_t seed = lam_test_seed(65);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 300; round++) {
        size_t count = random_count(&random);
        random_numbers(&random, count, numbers);
        for (size_t i = 0; i < count; i++) {
            /* As numbers of 64 bits, the differences of these take up to 33. */
            extended[i] = (uint64_t)(int64_t)(int32_t)(uint32_t)numbers[i];
            values[i] = (uint32_t)numbers[i];
        }
        naive encoded = naive_encode(extended, count, 64, 256, 4, &random);
        trial t = trial_of(int32s, values, count);
        t.seed = seed;
        expect_values(&t, encoded.bytes, encoded.size, &random);
        free(encoded.bytes);
    }
}

Test(delta_binary_packed, many_values_from_few_bytes_take_no_memory_until_asked_for) {
    /* 2^31 - 1 values of which all are equal, in one block of 2^31 + 128 without bits. */
    static const char bytes[] = "\x80\x81\x80\x80\x08\x01\xFF\xFF\xFF\xFF\x07\x0A\0\0";
    uint32_t values[3] = {0};
    lam_delta_decoder decoder;
    lam_bytes view = {(const uint8_t *)bytes, sizeof bytes - 1};
    const uint8_t *end;
    cr_assert_eq(lam_delta_decoder_init(&decoder, lam_kernels_get(), 32, view, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_delta_find_end(&decoder, &end, NULL), LAM_STATUS_OK);
    cr_assert_eq(end, view.data + view.size);
    cr_assert_eq(lam_delta_read(&decoder, 3, values, NULL), LAM_STATUS_OK);
    cr_assert_eq(values[2], 5);
    cr_assert_eq(decoder.left, INT32_MAX - 3);
}

Test(delta_binary_packed, values_that_nobody_read_are_found) {
    lam_decoder decoder;
    lam_bytes view = {(const uint8_t *)"\x80\x01\x04\x02\x02\x02\0\0\0\0", 10};
    uint32_t values[2];
    lam_error error = lam_error_none();
    cr_assert_eq(lam_decoder_init(&decoder, lam_kernels_get(), LAM_ENCODING_DELTA_BINARY_PACKED,
                                  int32s, view, NULL, NULL, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_read(&decoder, 1, values, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_find_rest(&decoder, &error), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "1 delta encoded values after the last one");
    cr_assert_eq(lam_decoder_read(&decoder, 1, values, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_find_rest(&decoder, NULL), LAM_STATUS_OK);
}

Test(delta_binary_packed, damaged_streams_fail_cleanly) {
    static uint64_t values[MOST];
    lam_random random = lam_random_start(lam_test_seed(63));
    for (int round = 0; round < 40; round++) {
        trial t = trial_of(round % 2 == 0 ? int32s : int64s, values, 2 + 7 * (size_t)round);
        random_numbers(&random, MOST, values);
        expect_damage_to_be_found(&t, &random, 400);
    }
    trial t = trial_of(int64s, values, MOST);
    expect_noise_to_be_harmless(&t, &random, 20000);
}

Test(delta_binary_packed, each_allocation_may_fail) {
    static uint64_t values[MOST];
    lam_random random = lam_random_start(lam_test_seed(64));
    for (size_t i = 0; i < MOST; i++)
        values[i] = lam_random_next(&random);
    trial t = trial_of(int64s, values, MOST);
    expect_allocations_may_fail(&t);
    t = trial_of(int32s, values, 300);
    expect_allocations_may_fail(&t);
}

/* --- Speed: LAMELLA_BENCH=1 ---------------------------------------------------------------- */

static void bench_all(void) {
    enum { COUNT = 100000 };
    static uint64_t values[COUNT];
    static uint32_t small[COUNT];
    lam_random random = lam_random_start(1);
    for (unsigned width = 0; width <= 64; width += width < 32 ? 4 : 8) {
        uint64_t x = 0;
        char name[40];
        for (size_t i = 0; i < COUNT; i++) {
            x += width == 0 ? 3 : lam_random_next(&random) >> (64 - width);
            values[i] = x;
            small[i] = (uint32_t)x;
        }
        trial t = trial_of(int32s, small, COUNT);
        snprintf(name, sizeof name, "INT32 width %u", width);
        if (width <= 32)
            bench_values(name, &t);
        t = trial_of(int64s, values, COUNT);
        snprintf(name, sizeof name, "INT64 width %u", width);
        bench_values(name, &t);
    }
}

BENCH_INSTEAD(bench_all)

Test(delta_binary_packed, the_end_of_a_stream_is_the_same_from_anywhere_in_it) {
    enum { COUNT = 500 };
    static int32_t values[COUNT], read[COUNT];
    lam_allocator allocator = lam_allocator_default();
    lam_delta_encoder encoder;
    lam_buffer out;
    for (size_t i = 0; i < COUNT; i++)
        values[i] = (int32_t)(i * i);
    lam_buffer_init(&out, &allocator);
    lam_delta_encoder_init(&encoder, lam_kernels_get(), 32, &allocator);
    cr_assert_eq(lam_delta_write(&encoder, values, 0, NULL), LAM_STATUS_OK); /* adds nothing */
    cr_assert_eq(lam_delta_write(&encoder, values, COUNT, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_delta_append(&encoder, &out, NULL), LAM_STATUS_OK);
    size_t size = out.size;
    cr_assert_eq(lam_buffer_append(&out, "behind", 6, NULL), LAM_STATUS_OK);
    for (size_t done = 0; done <= COUNT; done++) {
        lam_delta_decoder decoder;
        const uint8_t *end = NULL;
        cr_assert_eq(
            lam_delta_decoder_init(&decoder, lam_kernels_get(), 32, lam_buffer_bytes(&out), NULL),
            LAM_STATUS_OK);
        cr_assert_eq(lam_delta_read(&decoder, done, read, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_delta_find_end(&decoder, &end, NULL), LAM_STATUS_OK);
        cr_assert_eq((size_t)(end - out.data), size, "after %zu values", done);
    }
    lam_delta_encoder_finish(&encoder);
    lam_buffer_finish(&out);
}
