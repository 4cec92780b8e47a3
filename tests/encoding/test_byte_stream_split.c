/* SPDX-License-Identifier: Apache-2.0 */
/* BYTE_STREAM_SPLIT byte by byte, both ways, with pages that have bytes too few or too many. */
#include "encoding/byte_stream_split.h"

#include "encoding/bench_values.h"

enum { MOST = 2000, LARGEST = 20 };

static trial trial_of(lam_physical_type type, int32_t size, const void *values, size_t count) {
    trial t = {LAM_ENCODING_BYTE_STREAM_SPLIT, {type, size}, values, count, 0};
    return t;
}

Test(byte_stream_split, byte_by_byte_all_values) {
    /* Encodings.md, "Byte Stream Split". */
    static const uint8_t values[] = {0xAA, 0xBB, 0xCC, 0xDD, 0x00, 0x11,
                                     0x22, 0x33, 0xA3, 0xB4, 0xC5, 0xD6};
    static const uint8_t expected[] = {0xAA, 0x00, 0xA3, 0xBB, 0x11, 0xB4,
                                       0xCC, 0x22, 0xC5, 0xDD, 0x33, 0xD6};
    trial t = trial_of(LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 4, values, 3);
    size_t size;
    uint8_t *bytes = encode_trial(&t, NULL, &size);
    cr_assert_eq(size, sizeof expected);
    cr_assert_arr_eq(bytes, expected, size);
    free(bytes);
}

Test(byte_stream_split, numbers_are_little_endian) {
    static const float floats[] = {1.0f, -2.0f};
    static const int64_t longs[] = {0x0102030405060708, 0x1112131415161718};
    trial t = trial_of(LAM_PHYSICAL_FLOAT, 4, floats, 2);
    size_t size;
    uint8_t *bytes = encode_trial(&t, NULL, &size);
    cr_assert_eq(size, 8);
    cr_assert_arr_eq(bytes, "\0\0\0\0\x80\0\x3F\xC0", 8);
    free(bytes);
    t = trial_of(LAM_PHYSICAL_INT64, 8, longs, 2);
    bytes = encode_trial(&t, NULL, &size);
    cr_assert_arr_eq(bytes, "\x08\x18\x07\x17\x06\x16\x05\x15\x04\x14\x03\x13\x02\x12\x01\x11", 16);
    free(bytes);
}

static const lam_value_layout layouts[] = {
    {LAM_PHYSICAL_INT32, 4},
    {LAM_PHYSICAL_INT64, 8},
    {LAM_PHYSICAL_FLOAT, 4},
    {LAM_PHYSICAL_DOUBLE, 8},
    {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 2},
    {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 5},
    {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 16},
    {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, LARGEST},
    {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 0},
};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

static uint64_t noise[MOST * LARGEST / 8];

static void fill_noise(lam_random *random) {
    for (size_t i = 0; i < sizeof noise / 8; i++)
        noise[i] = lam_random_next(random);
}

Test(byte_stream_split, what_is_written_comes_back) {
    uint64_t seed = lam_test_seed(91);
    lam_random random = lam_random_start(seed);
    fill_noise(&random);
    for (int round = 0; round < 3000; round++) {
        size_t count = (size_t)lam_random_below(&random, round % 2 == 0 ? 140 : MOST);
        lam_value_layout layout = layouts[lam_random_below(&random, LAYOUTS)];
        trial t = trial_of(layout.type, layout.type_length, noise, count);
        t.seed = seed;
        expect_round_trip(&t, &random);
    }
}

/* `*ret_rest` says what is left over; it may be NULL. */
static lam_status open_page(lam_value_layout layout, const char *bytes, size_t size, size_t count,
                            lam_error *error, lam_error *ret_rest) {
    uint64_t values[8];
    lam_decoder decoder;
    uint8_t *copy = malloc(size);
    memcpy(copy, bytes, size);
    lam_bytes view = {copy, size};
    lam_status status =
        lam_decoder_init(&decoder, lam_kernels_get(), LAM_ENCODING_BYTE_STREAM_SPLIT, layout, view,
                         NULL, NULL, error);
    if (status == LAM_STATUS_OK)
        status = lam_decoder_read(&decoder, count, values, error);
    if (status == LAM_STATUS_OK)
        status = lam_decoder_end(&decoder, error);
    if (status == LAM_STATUS_OK && ret_rest != NULL)
        cr_assert_eq(lam_decoder_find_rest(&decoder, ret_rest), ret_rest->status);
    free(copy);
    return status;
}

/* Bytes behind the last value were refused in every encoding, and some writers leave them. */
Test(byte_stream_split, bytes_too_few_for_another_value_are_left_over) {
    lam_error rest = lam_error_none();
    cr_assert_eq(open_page(layouts[0], "12345678", 8, 2, NULL, &rest), LAM_STATUS_OK);
    cr_assert_eq(rest.status, LAM_STATUS_OK);
    cr_assert_eq(open_page(layouts[0], "12345678910", 11, 2, NULL, &rest), LAM_STATUS_OK);
    cr_assert_str_eq(rest.message, "3 bytes after the byte streams");
    cr_assert_eq(open_page(layouts[0], "12345678910", 11, 1, NULL, NULL), LAM_STATUS_CORRUPT);
    cr_assert_eq(open_page(layouts[LAYOUTS - 1], "1", 1, 0, NULL, &rest), LAM_STATUS_OK);
    cr_assert_str_eq(rest.message, "1 bytes after the byte streams");
}

Test(byte_stream_split, too_few_and_too_many_values_are_corrupt) {
    lam_error error = lam_error_none();
    cr_assert_eq(open_page(layouts[0], "12345678", 8, 2, NULL, NULL), LAM_STATUS_OK);
    cr_assert_eq(open_page(layouts[0], "12345678", 8, 3, &error, NULL), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "3 values in byte streams where 2 are left");
    cr_assert_eq(open_page(layouts[0], "12345678", 8, 1, &error, NULL), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "1 values in byte streams after the last one");
}

Test(byte_stream_split, damaged_pages_fail_cleanly) {
    lam_random random = lam_random_start(lam_test_seed(92));
    fill_noise(&random);
    for (size_t l = 0; l < LAYOUTS - 1; l++) {
        trial t = trial_of(layouts[l].type, layouts[l].type_length, noise, 37);
        expect_damage_to_be_found(&t, &random, 20);
        expect_noise_to_be_harmless(&t, &random, 300);
    }
}

Test(byte_stream_split, each_allocation_may_fail) {
    trial t = trial_of(LAM_PHYSICAL_DOUBLE, 8, noise, MOST);
    expect_allocations_may_fail(&t);
}

/* --- Speed: LAMELLA_BENCH=1 ---------------------------------------------------------------- */

static void bench_all(void) {
    enum { COUNT = 30001 };
    static uint64_t values[COUNT * 2];
    static const int32_t sizes[] = {2, 4, 8, 12, 16};
    for (size_t s = 0; s < 5; s++) {
        trial t = trial_of(LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, sizes[s], values, COUNT);
        char name[40];
        snprintf(name, sizeof name, "%d bytes", (int)sizes[s]);
        bench_values(name, &t);
    }
}

BENCH_INSTEAD(bench_all)
