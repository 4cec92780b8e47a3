/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PLAIN values of every type by their bytes, in calls that are split anywhere, and pages that end
 * early.
 */
#include "encoding/plain.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_alloc.h"
#include "support/random.h"

enum { MOST = 400, WIDEST = 16 /* bytes of a value at most */ };

static const lam_value_layout layouts[] = {
    {LAM_PHYSICAL_BOOLEAN, 1},
    {LAM_PHYSICAL_INT32, 4},
    {LAM_PHYSICAL_INT64, 8},
    {LAM_PHYSICAL_INT96, 12},
    {LAM_PHYSICAL_FLOAT, 4},
    {LAM_PHYSICAL_DOUBLE, 8},
    {LAM_PHYSICAL_BYTE_ARRAY, 0},
    {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 5},
    {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 0},
};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

static lam_buffer encode(lam_value_layout layout, const void *values, size_t count) {
    lam_allocator allocator = lam_allocator_default();
    lam_encoder encoder;
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(
        lam_encoder_init(&encoder, lam_kernels_get(), LAM_ENCODING_PLAIN, layout, &allocator, NULL),
        0);
    cr_assert_eq(lam_encoder_write(&encoder, values, count, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_encoder_end_page(&encoder, &out, NULL), LAM_STATUS_OK);
    lam_encoder_finish(&encoder);
    return out;
}

static void expect_bytes(lam_value_layout layout, const void *values, size_t count,
                         const char *bytes, size_t size) {
    lam_buffer out = encode(layout, values, count);
    cr_assert_eq(out.size, size);
    cr_assert_eq(memcmp(out.data, bytes, size), 0);
    lam_buffer_finish(&out);
}

static lam_decoder decoder_of(lam_value_layout layout, const void *bytes, size_t size) {
    lam_decoder decoder;
    lam_bytes view = {bytes, size};
    cr_assert_eq(lam_decoder_init(&decoder, lam_kernels_get(), LAM_ENCODING_PLAIN, layout, view,
                                  NULL, NULL, NULL),
                 0);
    return decoder;
}

Test(plain, numbers_are_little_endian) {
    const int32_t ints[] = {1, -2};
    expect_bytes(layouts[1], ints, 2, "\x01\0\0\0\xFE\xFF\xFF\xFF", 8);
    const int64_t longs[] = {0x0102030405060708};
    expect_bytes(layouts[2], longs, 1, "\x08\x07\x06\x05\x04\x03\x02\x01", 8);
    const float floats[] = {1.0f};
    expect_bytes(layouts[4], floats, 1, "\0\0\x80\x3F", 4);
    const double doubles[] = {-2.0};
    expect_bytes(layouts[5], doubles, 1, "\0\0\0\0\0\0\0\xC0", 8);
}

Test(plain, fixed_bytes_stay_as_they_are) {
    expect_bytes(layouts[3], "abcdefghijklABCDEFGHIJKL", 2, "abcdefghijklABCDEFGHIJKL", 24);
    expect_bytes(layouts[7], "abcdeABCDE", 2, "abcdeABCDE", 10);
}

Test(plain, booleans_are_bits_from_the_least_significant_on) {
    const uint8_t bools[] = {1, 0, 1, 1, 0, 0, 0, 0, 0, 1};
    expect_bytes(layouts[0], bools, 10, "\x0D\x02", 2);
    uint8_t read[10];
    lam_decoder decoder = decoder_of(layouts[0], "\x0D\x02", 2);
    cr_assert_eq(lam_decoder_read(&decoder, 10, read, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(read, bools, 10);
    cr_assert_eq(lam_decoder_find_rest(&decoder, NULL), LAM_STATUS_OK);
}

Test(plain, byte_arrays_have_their_length_in_front) {
    const lam_bytes values[] = {{(const uint8_t *)"ab", 2}, {NULL, 0}, {(const uint8_t *)"c", 1}};
    expect_bytes(layouts[6], values, 3, "\2\0\0\0ab\0\0\0\0\1\0\0\0c", 15);
}

Test(plain, byte_arrays_are_read_as_views) {
    const uint8_t bytes[] = "\2\0\0\0ab\0\0\0\0\1\0\0\0c";
    lam_bytes read[3];
    lam_decoder decoder = decoder_of(layouts[6], bytes, 15);
    cr_assert_eq(lam_decoder_read(&decoder, 3, read, NULL), LAM_STATUS_OK);
    cr_assert(read[0].data == bytes + 4 && read[0].size == 2);
    cr_assert(read[1].size == 0);
    cr_assert(read[2].data == bytes + 14 && read[2].size == 1);
    cr_assert_eq(lam_decoder_find_rest(&decoder, NULL), LAM_STATUS_OK);
}

/* Elements whose byte arrays point into `heap`. */
static void random_elements(lam_random *random, lam_value_layout layout, size_t count,
                            uint8_t *elements, uint8_t *heap) {
    size_t size = lam_layout_size(layout);
    for (size_t i = 0; i < 4096; i++)
        heap[i] = (uint8_t)lam_random_next(random);
    for (size_t i = 0; i < count * size; i++)
        elements[i] = (uint8_t)lam_random_next(random);
    for (size_t i = 0; i < count && layout.type == LAM_PHYSICAL_BOOLEAN; i++)
        elements[i] &= 1;
    for (size_t i = 0; i < count && layout.type == LAM_PHYSICAL_BYTE_ARRAY; i++) {
        lam_bytes view = {heap + lam_random_below(random, 3000), lam_random_below(random, 30)};
        memcpy(elements + i * size, &view, sizeof view);
    }
}

static bool equal_elements(lam_value_layout layout, const uint8_t *a, const uint8_t *b,
                           size_t count) {
    size_t size = lam_layout_size(layout);
    if (layout.type != LAM_PHYSICAL_BYTE_ARRAY)
        return count * size == 0 || memcmp(a, b, count * size) == 0;
    for (size_t i = 0; i < count; i++) {
        lam_bytes first, second;
        memcpy(&first, a + i * size, sizeof first);
        memcpy(&second, b + i * size, sizeof second);
        if (first.size != second.size || memcmp(first.data, second.data, first.size) != 0)
            return false;
    }
    return true;
}

static uint8_t elements[MOST * WIDEST], heap[4096], got[MOST * WIDEST];

Test(plain, how_calls_are_split_does_not_show_in_the_bytes) {
    uint64_t seed = lam_test_seed(21);
    lam_random random = lam_random_start(seed);
    lam_allocator allocator = lam_allocator_default();
    for (int round = 0; round < 4000; round++) {
        lam_value_layout layout = layouts[round % LAYOUTS];
        size_t count = (size_t)lam_random_below(&random, MOST), size = lam_layout_size(layout);
        random_elements(&random, layout, count, elements, heap);
        lam_buffer whole = encode(layout, elements, count), pieces;
        lam_encoder encoder;
        lam_buffer_init(&pieces, &allocator);
        cr_assert_eq(lam_encoder_init(&encoder, lam_kernels_get(), LAM_ENCODING_PLAIN, layout,
                                      &allocator, NULL),
                     0);
        for (size_t at = 0, piece; at < count; at += piece) {
            piece = (size_t)lam_random_below(&random, count - at < 40 ? count - at + 1 : 40);
            cr_assert_eq(lam_encoder_write(&encoder, elements + at * size, piece, NULL), 0);
        }
        cr_assert_eq(lam_encoder_byte_count(&encoder), whole.size);
        cr_assert_eq(lam_encoder_end_page(&encoder, &pieces, NULL), LAM_STATUS_OK);
        cr_assert_eq(whole.size, pieces.size);
        cr_assert(whole.size == 0 || memcmp(whole.data, pieces.data, whole.size) == 0,
                  "round %d, seed %llu", round, (unsigned long long)seed);
        lam_encoder_finish(&encoder);
        lam_buffer_finish(&whole);
        lam_buffer_finish(&pieces);
    }
}

Test(plain, any_split_of_reads_gives_the_values_that_were_written) {
    uint64_t seed = lam_test_seed(22);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 4000; round++) {
        lam_value_layout layout = layouts[round % LAYOUTS];
        size_t count = (size_t)lam_random_below(&random, MOST), size = lam_layout_size(layout);
        random_elements(&random, layout, count, elements, heap);
        lam_buffer out = encode(layout, elements, count);
        uint8_t *bytes = malloc(out.size);
        memcpy(bytes, out.data != NULL ? out.data : heap, out.size);
        lam_decoder decoder = decoder_of(layout, bytes, out.size);
        for (size_t at = 0, piece; at < count; at += piece) {
            piece = (size_t)lam_random_below(&random, count - at < 40 ? count - at + 1 : 40);
            cr_assert_eq(lam_decoder_read(&decoder, piece, got + at * size, NULL), LAM_STATUS_OK);
        }
        cr_assert(equal_elements(layout, elements, got, count), "round %d, seed %llu", round,
                  (unsigned long long)seed);
        cr_assert_eq(lam_decoder_find_rest(&decoder, NULL), LAM_STATUS_OK);
        free(bytes);
        lam_buffer_finish(&out);
    }
}

Test(plain, values_cut_short_are_corrupt_at_every_length) {
    lam_random random = lam_random_start(lam_test_seed(23));
    for (size_t l = 0; l < LAYOUTS - 1; l++) {
        random_elements(&random, layouts[l], 20, elements, heap);
        lam_buffer out = encode(layouts[l], elements, 20);
        for (size_t size = 0; size < out.size; size++) {
            uint8_t *bytes = malloc(size);
            memcpy(bytes, out.data, size);
            lam_decoder decoder = decoder_of(layouts[l], bytes, size);
            cr_assert_eq(lam_decoder_read(&decoder, 20, got, NULL), LAM_STATUS_CORRUPT);
            free(bytes);
        }
        lam_buffer_finish(&out);
    }
}

Test(plain, counts_that_overflow_a_size_are_corrupt) {
    lam_decoder decoder = decoder_of(layouts[2], "12345678", 8);
    cr_assert_eq(lam_decoder_read(&decoder, SIZE_MAX / 8 + 2, got, NULL), LAM_STATUS_CORRUPT);
    decoder = decoder_of(layouts[0], "12345678", 8);
    cr_assert_eq(lam_decoder_read(&decoder, SIZE_MAX, got, NULL), LAM_STATUS_CORRUPT);
}

Test(plain, a_byte_array_longer_than_the_page_is_corrupt) {
    lam_error error = lam_error_none();
    lam_decoder decoder = decoder_of(layouts[6], "\4\0\0\0abc", 7);
    cr_assert_eq(lam_decoder_read(&decoder, 1, got, &error), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "a byte array of 4 bytes where 3 are left");
    decoder = decoder_of(layouts[6],
                         "\xFF\xFF\xFF\xFF"
                         "abc",
                         7);
    cr_assert_eq(lam_decoder_read(&decoder, 1, got, &error), LAM_STATUS_CORRUPT);
}

Test(plain, values_that_nobody_read_are_found) {
    for (size_t l = 0; l < LAYOUTS; l++) {
        lam_decoder decoder = decoder_of(layouts[l], "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
        cr_assert_eq(lam_decoder_find_rest(&decoder, NULL), LAM_STATUS_CORRUPT);
        decoder = decoder_of(layouts[l], NULL, 0);
        cr_assert_eq(lam_decoder_find_rest(&decoder, NULL), LAM_STATUS_OK);
    }
    uint8_t bools[8];
    lam_decoder decoder = decoder_of(layouts[0], "\xFF\xFF", 2);
    cr_assert_eq(lam_decoder_read(&decoder, 3, bools, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_find_rest(&decoder, NULL), LAM_STATUS_CORRUPT);
    cr_assert_eq(lam_decoder_read(&decoder, 8, bools, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_find_rest(&decoder, NULL), LAM_STATUS_OK);
}

Test(plain, a_byte_array_of_2_gib_is_beyond_the_limit_and_changes_nothing) {
    if (SIZE_MAX <= INT32_MAX)
        cr_skip_test("sizes are 32 bits here");
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    const lam_bytes values[] = {{heap, 3}, {heap, (size_t)INT32_MAX + 1}};
    cr_assert_eq(lam_plain_append(layouts[6], values, 2, &out, NULL), LAM_STATUS_LIMIT);
    cr_assert_eq(out.size, 0);
    lam_buffer_finish(&out);
}

Test(plain, each_allocation_may_fail) {
    lam_random random = lam_random_start(lam_test_seed(24));
    for (size_t l = 0; l < LAYOUTS - 1; l++) {
        random_elements(&random, layouts[l], MOST, elements, heap);
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t attempt = 1; status != LAM_STATUS_OK; attempt++) {
            lam_failing_alloc counter = {.fail_at = attempt};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_encoder encoder;
            lam_buffer out;
            lam_buffer_init(&out, &allocator);
            cr_assert_eq(lam_encoder_init(&encoder, lam_kernels_get(), LAM_ENCODING_PLAIN,
                                          layouts[l], &allocator, NULL),
                         0);
            status = lam_encoder_write(&encoder, elements, MOST, NULL);
            if (status == LAM_STATUS_OK)
                status = lam_encoder_end_page(&encoder, &out, NULL);
            cr_assert(status == LAM_STATUS_OK || (status == LAM_STATUS_NOMEM && attempt < 9));
            lam_encoder_finish(&encoder);
            lam_buffer_finish(&out);
            cr_assert_eq(counter.live_bytes, 0);
        }
    }
}

Test(plain, picks_from_a_page_cut_short_are_corrupt) {
    static const uint16_t positions[] = {0, 7};
    static const struct {
        lam_encoding encoding;
        lam_value_layout layout;
        const char *bytes;
        size_t size;
        lam_value_picks picks;
        size_t count;
        const char *message;
    } rows[] = {
        {LAM_ENCODING_PLAIN,
         {LAM_PHYSICAL_INT32, 4},
         "1234",
         4,
         {positions, 2, 0},
         8,
         "PLAIN values end before the last of 8 more"},
        {LAM_ENCODING_RLE,
         {LAM_PHYSICAL_BOOLEAN, 1},
         "\2\0\0\0\4\1",
         6,
         {positions, 2, 0},
         8,
         "hybrid runs end before the last value"},
        {LAM_ENCODING_RLE,
         {LAM_PHYSICAL_BOOLEAN, 1},
         "\0\0\0\0",
         4,
         {positions, 1, 0},
         8,
         "hybrid runs end before the last value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lam_decoder decoder;
        lam_error error = lam_error_none();
        int32_t picked[2];
        const lam_bytes bytes = {(const uint8_t *)rows[i].bytes, rows[i].size};
        cr_assert_eq(lam_decoder_init(&decoder, lam_kernels_get(), rows[i].encoding, rows[i].layout,
                                      bytes, NULL, NULL, NULL),
                     LAM_STATUS_OK);
        cr_expect_eq(lam_decoder_pick(&decoder, rows[i].count, &rows[i].picks, picked, &error),
                     LAM_STATUS_CORRUPT, "row %zu", i);
        cr_expect_str_eq(error.message, rows[i].message, "row %zu", i);
    }
}

Test(plain, counts_beyond_any_page_are_corrupt_when_skipped) {
    static const lam_value_layout plain[] = {{LAM_PHYSICAL_INT32, 4}, {LAM_PHYSICAL_BOOLEAN, 1}};
    for (size_t i = 0; i < 2; i++) {
        lam_decoder decoder;
        uint8_t room[4];
        const lam_bytes bytes = {(const uint8_t *)"12345678", 8};
        cr_assert_eq(lam_decoder_init(&decoder, lam_kernels_get(), LAM_ENCODING_PLAIN, plain[i],
                                      bytes, NULL, NULL, NULL),
                     LAM_STATUS_OK);
        cr_expect_eq(decoder.skip(&decoder, SIZE_MAX, NULL), LAM_STATUS_CORRUPT);
        cr_expect_eq(lam_decoder_skip(&decoder, 1, room, 1, NULL), LAM_STATUS_OK);
    }
}
