/* SPDX-License-Identifier: Apache-2.0 */
/* DELTA_LENGTH_BYTE_ARRAY: lengths in front of all bytes, both ways, and lengths that cannot be. */
#include "encoding/delta_length_byte_array.h"

#include "encoding/bench_values.h"
#include "encoding/random_strings.h"

enum { MOST = 2000 };

static const lam_value_layout byte_arrays = {LAM_PHYSICAL_BYTE_ARRAY, 0};

static trial trial_of(const lam_bytes *values, size_t count) {
    trial t = {LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY, byte_arrays, values, count, 0};
    return t;
}

static lam_bytes text(const char *chars) {
    lam_bytes value = {(const uint8_t *)chars, strlen(chars)};
    return value;
}

static const char golden[] = "\x80\x01\x04\x04\x0A\0\x01\0\0\0\x02\0\0\0HelloWorldFoobarABCDEF";

Test(delta_length_byte_array, lengths_come_before_all_bytes) {
    /* Encodings.md, "Delta-length byte array". */
    const lam_bytes values[] = {text("Hello"), text("World"), text("Foobar"), text("ABCDEF")};
    trial t = trial_of(values, 4);
    size_t size;
    uint8_t *bytes = encode_trial(&t, NULL, &size);
    cr_assert_eq(size, sizeof golden - 1);
    cr_assert_arr_eq(bytes, golden, size);
    lam_random random = lam_random_start(1);
    expect_values(&t, bytes, size, &random);
    free(bytes);
}

static lam_decoder decoder_of(const void *bytes, size_t size) {
    lam_decoder decoder;
    lam_bytes view = {bytes, size};
    cr_assert_eq(lam_decoder_init(&decoder, lam_kernels_get(), LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
                                  byte_arrays, view, NULL, NULL, NULL),
                 LAM_STATUS_OK);
    return decoder;
}

Test(delta_length_byte_array, values_are_views_into_the_page) {
    lam_bytes values[4];
    lam_decoder decoder = decoder_of(golden, sizeof golden - 1);
    cr_assert_eq(lam_decoder_read(&decoder, 4, values, NULL), LAM_STATUS_OK);
    cr_assert_eq(values[0].data, (const uint8_t *)golden + 14);
    cr_assert_eq(values[3].data, (const uint8_t *)golden + 30);
    cr_assert_eq(lam_decoder_find_rest(&decoder, NULL), LAM_STATUS_OK);
}

Test(delta_length_byte_array, negative_and_too_large_lengths_are_corrupt) {
    lam_bytes value;
    lam_error error = lam_error_none();
    lam_decoder decoder = decoder_of("\x80\x01\x04\x01\x01"
                                     "abc",
                                     8);
    cr_assert_eq(lam_decoder_read(&decoder, 1, &value, &error), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "a byte array of length -1 where 3 bytes are left");
    decoder = decoder_of("\x80\x01\x04\x01\x08"
                         "abc",
                         8);
    cr_assert_eq(lam_decoder_read(&decoder, 1, &value, NULL), LAM_STATUS_CORRUPT);
}

Test(delta_length_byte_array, bytes_behind_the_last_value_are_found) {
    lam_bytes value;
    lam_decoder decoder = decoder_of("\x80\x01\x04\x01\x04"
                                     "abc",
                                     8);
    cr_assert_eq(lam_decoder_read(&decoder, 1, &value, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_find_rest(&decoder, NULL), LAM_STATUS_CORRUPT);
}

Test(delta_length_byte_array, what_is_written_comes_back) {
    static lam_bytes values[MOST];
    uint64_t seed = lam_test_seed(71);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 1000; round++) {
        size_t count = (size_t)lam_random_below(&random, round % 2 == 0 ? 140 : MOST);
        random_strings(&random, count, values);
        trial t = trial_of(values, count);
        t.seed = seed;
        expect_round_trip(&t, &random);
        free_strings(count, values);
    }
}

Test(delta_length_byte_array, damaged_pages_fail_cleanly) {
    lam_bytes values[200];
    lam_random random = lam_random_start(lam_test_seed(72));
    random_strings(&random, 200, values);
    for (size_t count = 1; count < 200; count += 9) {
        trial t = trial_of(values, count);
        expect_damage_to_be_found(&t, &random, 400);
    }
    trial t = trial_of(values, 200);
    expect_noise_to_be_harmless(&t, &random, 20000);
    free_strings(200, values);
}

Test(delta_length_byte_array, each_allocation_may_fail) {
    static lam_bytes values[MOST];
    lam_random random = lam_random_start(lam_test_seed(73));
    random_strings(&random, MOST, values);
    trial t = trial_of(values, MOST);
    expect_allocations_may_fail(&t);
    free_strings(MOST, values);
}

Test(delta_length_byte_array, a_byte_array_of_2_gib_is_beyond_the_limit) {
    if (SIZE_MAX <= INT32_MAX)
        cr_skip_test("sizes are 32 bits here");
    lam_allocator allocator = lam_allocator_default();
    const lam_bytes values[] = {{(const uint8_t *)"a", (size_t)INT32_MAX + 1}};
    lam_encoder encoder;
    cr_assert_eq(lam_encoder_init(&encoder, lam_kernels_get(), LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
                                  byte_arrays, &allocator, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_encoder_write(&encoder, values, 1, NULL), LAM_STATUS_LIMIT);
    lam_encoder_finish(&encoder);
}

/* --- Speed: LAMELLA_BENCH=1 ---------------------------------------------------------------- */

static void bench_all(void) {
    enum { COUNT = 20000 };
    static lam_bytes values[COUNT];
    static uint8_t heap[COUNT + 200];
    static const size_t lengths[] = {4, 10, 30, 100};
    for (size_t l = 0; l < 4; l++) {
        lam_random random = lam_random_start(1);
        char name[40];
        for (size_t i = 0; i < COUNT; i++) {
            values[i].data = heap + i;
            values[i].size = lengths[l] / 2 + (size_t)lam_random_below(&random, lengths[l] + 1);
        }
        trial t = trial_of(values, COUNT);
        snprintf(name, sizeof name, "about %zu bytes", lengths[l]);
        bench_values(name, &t);
    }
}

BENCH_INSTEAD(bench_all)
