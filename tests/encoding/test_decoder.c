/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder of any page of values: encodings that a type cannot have, dictionary indexes, picks
 * of some of the values, and random bytes.
 */
#include "encoding/decoder.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "encoding/dictionary.h"
#include "encoding/encoder.h"
#include "encoding/short_runs.h"
#include "support/random.h"

enum { MOST = 3000 };

static const lam_value_layout booleans = {LAM_PHYSICAL_BOOLEAN, 1};
static const lam_value_layout int32s = {LAM_PHYSICAL_INT32, 4};

static lam_status start(lam_decoder *decoder, lam_encoding encoding, lam_value_layout layout,
                        const void *data, size_t size, const lam_dictionary *dictionary,
                        lam_error *error) {
    lam_bytes bytes = {data, size};
    return lam_decoder_init(decoder, lam_kernels_get(), encoding, layout, bytes, dictionary, NULL,
                            error);
}

Test(decoder, an_encoding_that_the_type_cannot_have_is_corrupt) {
    lam_decoder decoder;
    lam_error error = lam_error_none();
    cr_assert_eq(start(&decoder, LAM_ENCODING_RLE, int32s, "", 0, NULL, &error),
                 LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "INT32 values cannot be in the encoding RLE");
    cr_assert_eq(start(&decoder, LAM_ENCODING_BIT_PACKED, int32s, "", 0, NULL, &error),
                 LAM_STATUS_CORRUPT);
}

Test(decoder, an_unknown_encoding_is_unsupported_and_named) {
    lam_decoder decoder;
    lam_error error = lam_error_none();
    cr_assert_eq(start(&decoder, (lam_encoding)55, int32s, "", 0, NULL, &error),
                 LAM_STATUS_UNSUPPORTED);
    cr_assert(strstr(error.message, "55") != NULL);
}

Test(decoder, rle_booleans_have_the_length_of_their_runs_in_front) {
    /* Nine times true, then a group; behind the runs a byte that is not theirs. */
    const uint8_t bytes[] = {4, 0, 0, 0, 9 << 1, 1, 1 << 1 | 1, 0xA5, 0x77};
    const uint8_t expected[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 1, 0, 1};
    uint8_t read[18];
    lam_decoder decoder;
    cr_assert_eq(start(&decoder, LAM_ENCODING_RLE, booleans, bytes, sizeof bytes, NULL, NULL), 0);
    cr_assert_eq(lam_decoder_read(&decoder, 17, read, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(read, expected, 17);
    cr_assert_eq(lam_decoder_read(&decoder, 1, read, NULL), LAM_STATUS_CORRUPT);
}

Test(decoder, rle_booleans_longer_than_the_page_are_corrupt) {
    lam_decoder decoder;
    cr_assert_eq(start(&decoder, LAM_ENCODING_RLE, booleans, "\3\0\0\0\2\1", 6, NULL, NULL),
                 LAM_STATUS_CORRUPT);
    cr_assert_eq(start(&decoder, LAM_ENCODING_RLE, booleans, "\3\0\0", 3, NULL, NULL),
                 LAM_STATUS_CORRUPT);
}

/*
 * What was behind the last value made the page corrupt, and so no file of fastparquet could be
 * read, whose PLAIN pages end with 8 zeros.
 */
Test(decoder, what_is_behind_the_last_value_is_found_and_does_no_harm) {
    static const struct {
        lam_encoding encoding;
        lam_value_layout layout;
        size_t size;
        size_t count;
        const char *bytes;
        const char *rest; /* NULL for none */
    } rows[] = {
        {LAM_ENCODING_PLAIN, {LAM_PHYSICAL_INT32, 4}, 8, 2, "12345678", NULL},
        {LAM_ENCODING_PLAIN,
         {LAM_PHYSICAL_INT32, 4},
         16,
         2,
         "12345678\0\0\0\0\0\0\0\0",
         "8 bytes after the last PLAIN value"},
        {LAM_ENCODING_PLAIN,
         {LAM_PHYSICAL_INT32, 4},
         9,
         2,
         "12345678\0",
         "1 bytes after the last PLAIN value"},
        {LAM_ENCODING_PLAIN, {LAM_PHYSICAL_BOOLEAN, 1}, 1, 3, "\5", NULL},
        {LAM_ENCODING_PLAIN,
         {LAM_PHYSICAL_BOOLEAN, 1},
         2,
         8,
         "\5\0",
         "1 bytes after the last PLAIN value"},
        {LAM_ENCODING_PLAIN,
         {LAM_PHYSICAL_BYTE_ARRAY, 0},
         8,
         1,
         "\1\0\0\0a\0\0\0",
         "3 bytes after the last PLAIN value"},
        {LAM_ENCODING_RLE, {LAM_PHYSICAL_BOOLEAN, 1}, 6, 3, "\2\0\0\0\6\1", NULL},
        {LAM_ENCODING_RLE,
         {LAM_PHYSICAL_BOOLEAN, 1},
         8,
         3,
         "\2\0\0\0\6\1\0\0",
         "2 bytes after the last run"},
        {LAM_ENCODING_DELTA_BINARY_PACKED,
         {LAM_PHYSICAL_INT32, 4},
         10,
         2,
         "\x80\x01\x04\x02\x02\x02\0\0\0\0",
         NULL},
        {LAM_ENCODING_DELTA_BINARY_PACKED,
         {LAM_PHYSICAL_INT32, 4},
         10,
         1,
         "\x80\x01\x04\x02\x02\x02\0\0\0\0",
         "1 delta encoded values after the last one"},
        {LAM_ENCODING_DELTA_BINARY_PACKED,
         {LAM_PHYSICAL_INT32, 4},
         13,
         2,
         "\x80\x01\x04\x02\x02\x02\0\0\0\0\0\0\0",
         "3 bytes after the delta encoded values"},
        {LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
         {LAM_PHYSICAL_BYTE_ARRAY, 0},
         8,
         1,
         "\x80\x01\x04\x01\x04"
         "abc",
         "0 byte arrays, 1 bytes, after the last value"},
        {LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
         {LAM_PHYSICAL_BYTE_ARRAY, 0},
         8,
         0,
         "\x80\x01\x04\x01\x06"
         "abc",
         "1 byte arrays, 3 bytes, after the last value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lam_decoder decoder;
        lam_bytes views[8];
        lam_error rest = lam_error_none();
        cr_assert_eq(start(&decoder, rows[i].encoding, rows[i].layout, rows[i].bytes, rows[i].size,
                           NULL, NULL),
                     LAM_STATUS_OK, "row %zu", i);
        cr_assert_eq(lam_decoder_read(&decoder, rows[i].count, views, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_decoder_end(&decoder, NULL), LAM_STATUS_OK, "row %zu", i);
        cr_assert_eq(lam_decoder_find_rest(&decoder, &rest),
                     rows[i].rest == NULL ? LAM_STATUS_OK : LAM_STATUS_CORRUPT, "row %zu", i);
        cr_assert_str_eq(rest.message, rows[i].rest == NULL ? "" : rows[i].rest);
    }
}

Test(decoder, a_page_without_values_may_have_no_bytes) {
    static const lam_encoding encodings[] = {LAM_ENCODING_PLAIN, LAM_ENCODING_RLE,
                                             LAM_ENCODING_RLE_DICTIONARY,
                                             LAM_ENCODING_PLAIN_DICTIONARY};
    for (size_t i = 0; i < 4; i++) {
        lam_decoder decoder;
        uint8_t value;
        cr_assert_eq(start(&decoder, encodings[i], booleans, NULL, 0, NULL, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_decoder_read(&decoder, 0, NULL, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_decoder_find_rest(&decoder, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_decoder_read(&decoder, 1, &value, NULL), LAM_STATUS_CORRUPT);
    }
}

Test(decoder, dictionary_indexes_give_their_values) {
    const int32_t values[] = {100, 200, 300};
    const lam_dictionary dictionary = {values, 3};
    /* Width 2; index 2 four times, then 0 1 2 0 1 2 0 1. */
    const uint8_t bytes[] = {2, 4 << 1, 2, 1 << 1 | 1, 0x24, 0x49};
    const int32_t expected[] = {300, 300, 300, 300, 100, 200, 300, 100, 200, 300, 100, 200};
    int32_t read[12];
    lam_decoder decoder;
    cr_assert_eq(start(&decoder, LAM_ENCODING_RLE_DICTIONARY, int32s, bytes, 6, &dictionary, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_read(&decoder, 12, read, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(read, expected, sizeof expected);
    cr_assert_eq(
        start(&decoder, LAM_ENCODING_PLAIN_DICTIONARY, int32s, bytes, 6, &dictionary, NULL),
        LAM_STATUS_OK);
    for (int i = 0; i < 12; i++) {
        cr_assert_eq(lam_decoder_read(&decoder, 1, read, NULL), LAM_STATUS_OK);
        cr_assert_eq(read[0], expected[i]);
    }
}

Test(decoder, an_index_at_the_dictionarys_size_is_corrupt) {
    const int32_t values[] = {100, 200, 300};
    lam_dictionary dictionary = {values, 3};
    int32_t read[8];
    lam_decoder decoder;
    lam_error error = lam_error_none();
    start(&decoder, LAM_ENCODING_RLE_DICTIONARY, int32s, "\2\10\3", 3, &dictionary, NULL);
    cr_assert_eq(lam_decoder_read(&decoder, 4, read, &error), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "dictionary index 3 where the dictionary has 3 values");
    start(&decoder, LAM_ENCODING_RLE_DICTIONARY, int32s, "\2\3\x24\xC9", 4, &dictionary, NULL);
    cr_assert_eq(lam_decoder_read(&decoder, 8, read, NULL), LAM_STATUS_CORRUPT);
    start(&decoder, LAM_ENCODING_RLE_DICTIONARY, int32s, "\40\10\xFF\xFF\xFF\xFF", 6, &dictionary,
          NULL);
    cr_assert_eq(lam_decoder_read(&decoder, 4, read, NULL), LAM_STATUS_CORRUPT);
    dictionary.count = 0;
    start(&decoder, LAM_ENCODING_RLE_DICTIONARY, int32s, "\0\10", 2, &dictionary, NULL);
    cr_assert_eq(lam_decoder_read(&decoder, 4, read, NULL), LAM_STATUS_CORRUPT);
}

Test(decoder, a_missing_dictionary_is_corrupt_once_a_value_wants_it) {
    lam_decoder decoder;
    int32_t read[4];
    lam_error error = lam_error_none();
    cr_assert_eq(start(&decoder, LAM_ENCODING_RLE_DICTIONARY, int32s, "\1\10\0", 3, NULL, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_read(&decoder, 0, read, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_read(&decoder, 4, read, &error), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "RLE_DICTIONARY values without a dictionary page before them");
}

Test(decoder, a_bit_width_above_32_is_corrupt) {
    lam_decoder decoder;
    lam_dictionary dictionary = {"", 1};
    cr_assert_eq(
        start(&decoder, LAM_ENCODING_RLE_DICTIONARY, int32s, "\41\10", 2, &dictionary, NULL),
        LAM_STATUS_CORRUPT);
}

/* Writes indexes to `out` and starts a decoder of them. */
static lam_decoder start_indexes(lam_value_layout layout, const uint32_t *indexes, size_t count,
                                 const lam_dictionary *dictionary, lam_buffer *out) {
    lam_decoder decoder;
    cr_assert_eq(lam_dictionary_write_indexes(lam_kernels_get(), indexes, count, dictionary->count,
                                              out, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(start(&decoder, LAM_ENCODING_RLE_DICTIONARY, layout, out->data, out->size,
                       dictionary, NULL),
                 LAM_STATUS_OK);
    return decoder;
}

Test(decoder, random_indexes_in_any_split_of_reads_give_their_values) {
    uint64_t seed = lam_test_seed(31);
    lam_random random = lam_random_start(seed);
    lam_allocator allocator = lam_allocator_default();
    static uint8_t values[1000 * 16], read[MOST * 16];
    static uint32_t indexes[MOST];
    static const int32_t sizes[] = {1, 3, 4, 8, 12, 16};
    for (size_t i = 0; i < sizeof values; i++)
        values[i] = (uint8_t)lam_random_next(&random);
    for (int round = 0; round < 3000; round++) {
        int32_t size = sizes[lam_random_below(&random, 6)];
        lam_value_layout layout = {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, size};
        lam_dictionary dictionary = {values, 1 + (size_t)lam_random_below(&random, 1000)};
        size_t count = (size_t)lam_random_below(&random, MOST);
        for (size_t i = 0; i < count; i++)
            indexes[i] = i > 0 && lam_random_chance(&random, (unsigned)round % 100)
                             ? indexes[i - 1]
                             : (uint32_t)lam_random_below(&random, dictionary.count);
        lam_buffer out;
        lam_buffer_init(&out, &allocator);
        lam_decoder decoder = start_indexes(layout, indexes, count, &dictionary, &out);
        for (size_t at = 0, piece; at < count; at += piece) {
            piece = (size_t)lam_random_below(&random, count - at + 1);
            cr_assert_eq(lam_decoder_read(&decoder, piece, read + at * (size_t)size, NULL), 0);
        }
        for (size_t i = 0; i < count; i++)
            cr_assert_eq(
                memcmp(read + i * (size_t)size, values + indexes[i] * (size_t)size, (size_t)size),
                0, "round %d, seed %llu", round, (unsigned long long)seed);
        lam_buffer_finish(&out);
    }
}

/* Runs that are looked up one by one, and short ones that are looked up together. */
Test(decoder, short_runs_of_indexes_give_their_values_in_any_split_of_reads) {
    uint64_t seed = lam_test_seed(33);
    lam_random random = lam_random_start(seed);
    static uint32_t indexes[MOST + SHORT_RUN_MOST];
    static uint8_t bytes[MOST * SHORT_RUN_BYTES];
    static int64_t values[1024], read[MOST + SHORT_RUN_MOST];
    static const lam_value_layout int64s = {LAM_PHYSICAL_INT64, 8};
    for (size_t i = 0; i < 1024; i++)
        values[i] = (int64_t)lam_random_next(&random);
    for (int round = 0; round < 5000; round++) {
        unsigned width = 1 + (unsigned)lam_random_below(&random, 10);
        lam_dictionary dictionary = {values, (size_t)1 << width};
        size_t count = 0, least = (size_t)lam_random_below(&random, MOST);
        uint8_t *end = bytes;
        *end++ = (uint8_t)width;
        while (count < least)
            count += put_short_run(&random, width, dictionary.count, indexes + count, &end);
        lam_decoder decoder;
        cr_assert_eq(start(&decoder, LAM_ENCODING_RLE_DICTIONARY, int64s, bytes,
                           (size_t)(end - bytes), &dictionary, NULL),
                     LAM_STATUS_OK);
        for (size_t at = 0, piece; at < count; at += piece) {
            piece = (size_t)lam_random_below(&random, count - at + 1);
            cr_assert_eq(lam_decoder_read(&decoder, piece, read + at, NULL), LAM_STATUS_OK);
        }
        for (size_t i = 0; i < count; i++)
            cr_assert_eq(read[i], values[indexes[i]], "round %d, seed %llu", round,
                         (unsigned long long)seed);
        cr_assert_eq(lam_decoder_read(&decoder, 1, read, NULL), LAM_STATUS_CORRUPT);
    }
}

enum { PICK_ROUNDS = 4000, PICK_WIDEST = 16 };

/* Reads a page in pieces, by picks and by whole reads; each value is that of `expected`. */
static void expect_picks(lam_random *random, lam_decoder *decoder, const uint8_t *expected,
                         size_t count) {
    static uint16_t positions[MOST];
    static uint8_t got[MOST * PICK_WIDEST];
    size_t size = lam_layout_size(decoder->layout);
    for (size_t at = 0, piece; at < count; at += piece) {
        piece = 1 + (size_t)lam_random_below(random, count - at);
        lam_value_picks picks = {positions, 0, (size_t)lam_random_below(random, 1000)};
        unsigned share = (unsigned)lam_random_below(random, 101);
        for (size_t i = 0; i < piece; i++)
            if (lam_random_chance(random, share))
                positions[picks.count++] = (uint16_t)(picks.first + i);
        if (picks.count == 0) {
            positions[picks.count++] = (uint16_t)(picks.first + piece - 1);
        }
        cr_assert_eq(lam_decoder_pick(decoder, piece, &picks, got, NULL), LAM_STATUS_OK);
        for (size_t i = 0; i < picks.count; i++)
            cr_assert_arr_eq(got + i * size, expected + (at + positions[i] - picks.first) * size,
                             size);
    }
    cr_assert_eq(lam_decoder_find_rest(decoder, NULL), LAM_STATUS_OK);
}

/* The same page is read whole first, which other tests compare with what was written. */
Test(decoder, picked_values_are_those_of_a_whole_read) {
    lam_random random = lam_random_start(lam_test_seed(34));
    static const struct {
        lam_encoding encoding;
        lam_value_layout layout;
    } cases[] = {
        {LAM_ENCODING_PLAIN, {LAM_PHYSICAL_INT32, 4}},
        {LAM_ENCODING_PLAIN, {LAM_PHYSICAL_DOUBLE, 8}},
        {LAM_ENCODING_PLAIN, {LAM_PHYSICAL_INT96, 12}},
        {LAM_ENCODING_PLAIN, {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 7}},
        {LAM_ENCODING_PLAIN, {LAM_PHYSICAL_BOOLEAN, 1}},
        {LAM_ENCODING_RLE, {LAM_PHYSICAL_BOOLEAN, 1}},
        {LAM_ENCODING_BYTE_STREAM_SPLIT, {LAM_PHYSICAL_DOUBLE, 8}},
    };
    lam_allocator allocator = lam_allocator_default();
    static uint8_t values[MOST * PICK_WIDEST], expected[MOST * PICK_WIDEST];
    for (int round = 0; round < PICK_ROUNDS; round++) {
        lam_encoding encoding = cases[round % 7].encoding;
        lam_value_layout layout = cases[round % 7].layout;
        size_t count = 1 + (size_t)lam_random_below(&random, MOST - 1);
        for (size_t i = 0; i < count * lam_layout_size(layout); i++)
            values[i] = (uint8_t)(lam_random_next(&random) &
                                  (layout.type == LAM_PHYSICAL_BOOLEAN ? 1 : 0xFF));
        lam_encoder encoder;
        lam_buffer out;
        lam_buffer_init(&out, &allocator);
        cr_assert_eq(
            lam_encoder_init(&encoder, lam_kernels_get(), encoding, layout, &allocator, NULL), 0);
        cr_assert_eq(lam_encoder_write(&encoder, values, count, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_encoder_end_page(&encoder, &out, NULL), LAM_STATUS_OK);
        lam_decoder decoder;
        cr_assert(lam_decoder_can_pick(encoding, layout.type, true));
        cr_assert_eq(start(&decoder, encoding, layout, out.data, out.size, NULL, NULL), 0);
        lam_decoder again = decoder;
        cr_assert_eq(lam_decoder_read(&decoder, count, expected, NULL), LAM_STATUS_OK);
        expect_picks(&random, &again, expected, count);
        lam_encoder_finish(&encoder);
        lam_buffer_finish(&out);
    }
}

/* Indexes of a dictionary are picked as values, as slots and as indexes. */
Test(decoder, picked_entries_of_a_dictionary_are_those_of_a_whole_read) {
    lam_random random = lam_random_start(lam_test_seed(35));
    lam_allocator allocator = lam_allocator_default();
    static int64_t values[300];
    static uint32_t indexes[MOST], got[MOST];
    static uint8_t expected[MOST * 8];
    static uint16_t positions[MOST];
    for (size_t i = 0; i < 300; i++)
        values[i] = (int64_t)lam_random_next(&random);
    for (int round = 0; round < PICK_ROUNDS; round++) {
        const lam_value_layout int64s = {LAM_PHYSICAL_INT64, 8};
        lam_dictionary dictionary = {values, 1 + (size_t)lam_random_below(&random, 300)};
        size_t count = 1 + (size_t)lam_random_below(&random, MOST - 1);
        lam_value_picks picks = {positions, 0, 0};
        for (size_t i = 0; i < count; i++) {
            indexes[i] = i > 0 && lam_random_chance(&random, (unsigned)round % 100)
                             ? indexes[i - 1]
                             : (uint32_t)lam_random_below(&random, dictionary.count);
            memcpy(expected + i * 8, &values[indexes[i]], 8);
            if (lam_random_chance(&random, (unsigned)round % 50))
                positions[picks.count++] = (uint16_t)i;
        }
        lam_buffer out;
        lam_buffer_init(&out, &allocator);
        lam_decoder decoder = start_indexes(int64s, indexes, count, &dictionary, &out);
        lam_decoder again = decoder;
        expect_picks(&random, &decoder, expected, count);
        cr_assert_eq(lam_decoder_pick_indexes(&again, count, &picks, got, NULL), LAM_STATUS_OK);
        for (size_t i = 0; i < picks.count; i++)
            cr_assert_eq(got[i], indexes[positions[i]]);
        lam_buffer_finish(&out);
    }
}

/* Views of a whole read and of picks are the same pointers into the page. */
Test(decoder, picked_byte_arrays_are_those_of_a_whole_read) {
    lam_random random = lam_random_start(lam_test_seed(36));
    const lam_value_layout layout = {LAM_PHYSICAL_BYTE_ARRAY, 0};
    lam_allocator allocator = lam_allocator_default();
    static const char text[] = "a text of which each value has a prefix";
    static lam_bytes values[MOST], expected[MOST];
    for (int round = 0; round < PICK_ROUNDS; round++) {
        size_t count = 1 + (size_t)lam_random_below(&random, MOST - 1);
        for (size_t i = 0; i < count; i++)
            values[i] = (lam_bytes){(const uint8_t *)text, lam_random_below(&random, 40)};
        lam_encoder encoder;
        lam_buffer out;
        lam_decoder decoder;
        lam_buffer_init(&out, &allocator);
        cr_assert_eq(lam_encoder_init(&encoder, lam_kernels_get(), LAM_ENCODING_PLAIN, layout,
                                      &allocator, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_encoder_write(&encoder, values, count, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_encoder_end_page(&encoder, &out, NULL), LAM_STATUS_OK);
        cr_assert(lam_decoder_can_pick(LAM_ENCODING_PLAIN, layout.type, false));
        cr_assert_eq(start(&decoder, LAM_ENCODING_PLAIN, layout, out.data, out.size, NULL, NULL),
                     LAM_STATUS_OK);
        lam_decoder again = decoder, cut = decoder;
        cr_assert_eq(lam_decoder_read(&decoder, count, expected, NULL), LAM_STATUS_OK);
        expect_picks(&random, &again, (const uint8_t *)expected, count);
        static const uint16_t last[] = {0};
        const lam_value_picks beyond = {last, 1, 0};
        cr_assert_eq(lam_decoder_pick(&again, 1, &beyond, expected, NULL), LAM_STATUS_CORRUPT);
        cut.end -= 1; /* the last value is not whole, whether it is picked or not */
        cr_assert_eq(lam_decoder_pick(&cut, count, &beyond, expected, NULL), LAM_STATUS_CORRUPT);
        lam_encoder_finish(&encoder);
        lam_buffer_finish(&out);
    }
}

Test(decoder, a_picked_index_at_the_dictionarys_size_is_corrupt) {
    /* Width 2, one packed group: 0 1 2 3 0 0 0 0. */
    static const int32_t values[3];
    const lam_dictionary dictionary = {values, 3};
    static const uint16_t positions[] = {2, 3};
    const lam_value_picks good = {positions, 1, 0}, bad = {positions, 2, 0};
    int32_t got[2];
    lam_decoder decoder;
    cr_assert_eq(
        start(&decoder, LAM_ENCODING_RLE_DICTIONARY, int32s, "\2\3\344\0", 4, &dictionary, NULL),
        LAM_STATUS_OK);
    lam_decoder again = decoder;
    cr_expect_eq(lam_decoder_pick(&decoder, 8, &good, got, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_decoder_pick(&again, 8, &bad, got, NULL), LAM_STATUS_CORRUPT);
}

Test(decoder, random_bytes_give_values_or_a_clean_error) {
    lam_random random = lam_random_start(lam_test_seed(32));
    static const int32_t values[20];
    const lam_dictionary dictionary = {values, 20};
    static uint8_t read[MOST * 4];
    for (int round = 0; round < 50000; round++) {
        size_t size = (size_t)lam_random_below(&random, 30);
        uint8_t *noise = malloc(size);
        for (size_t i = 0; i < size; i++)
            noise[i] = (uint8_t)(lam_random_next(&random) >> (round / 2 % 6));
        lam_decoder decoder;
        bool rle = round % 2 == 0;
        lam_status status = start(&decoder, rle ? LAM_ENCODING_RLE : LAM_ENCODING_RLE_DICTIONARY,
                                  rle ? booleans : int32s, noise, size, &dictionary, NULL);
        if (status == LAM_STATUS_OK)
            status =
                lam_decoder_read(&decoder, (size_t)lam_random_below(&random, MOST), read, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT);
        free(noise);
    }
}

/* Calls that take indexes, each of whose failures is that of the page: none gets past it. */
static lam_status take_indexes(int call, lam_decoder *decoder, size_t count,
                               const lam_value_picks *picks, lam_error *error) {
    static const int32_t entries[3];
    static int32_t got[MOST];
    static uint32_t indexes[MOST];
    switch (call) {
    case 0:
        return lam_decoder_read_slots(decoder, entries, sizeof *entries, count, got, error);
    case 1:
        return lam_decoder_read_indexes(decoder, count, indexes, error);
    case 2:
        return lam_decoder_pick_indexes(decoder, count, picks, indexes, error);
    case 3:
        return lam_decoder_pick_slots(decoder, entries, sizeof *entries, count, picks, got, error);
    case 4:
        return lam_decoder_pick(decoder, count, picks, got, error);
    default:
        return lam_decoder_skip(decoder, count, got, MOST, error);
    }
}

enum { INDEX_CALLS = 6 };

Test(decoder, every_call_that_takes_indexes_says_what_is_wrong_with_them) {
    static const int32_t values[3];
    static const uint16_t positions[] = {2, 3};
    const lam_dictionary dictionary = {values, 3};
    const lam_value_picks some = {positions, 2, 0};
    static const struct {
        const char *bytes;
        size_t size;
        size_t count; /* 8 reads block by block, 40 picks one by one */
        const char *message;
        bool has_dictionary;
        bool is_skipped; /* a skip is content with the page */
    } rows[] = {
        {"\2\120\1", 3, 40, "RLE_DICTIONARY values without a dictionary page before them", false,
         false},
        {"\2\10\1", 3, 8, "hybrid runs end before the last value", true, false},
        {"\2\10\1", 3, 40, "hybrid runs end before the last value", true, false},
        {"\2\3\344\0", 4, 8, "dictionary index 3 where the dictionary has 3 values", true, true},
        {"\2\3\344\0\100\0", 6, 40, "dictionary index 3 where the dictionary has 3 values", true,
         true},
    };
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++)
        for (int call = 0; call < INDEX_CALLS; call++) {
            lam_decoder decoder;
            lam_error error = lam_error_none();
            bool passes = rows[row].is_skipped && call == INDEX_CALLS - 1;
            cr_assert_eq(start(&decoder, LAM_ENCODING_RLE_DICTIONARY, int32s, rows[row].bytes,
                               rows[row].size, rows[row].has_dictionary ? &dictionary : NULL, NULL),
                         LAM_STATUS_OK);
            cr_expect_eq(take_indexes(call, &decoder, rows[row].count, &some, &error),
                         passes ? LAM_STATUS_OK : LAM_STATUS_CORRUPT, "row %zu, call %d", row,
                         call);
            cr_expect_str_eq(error.message, passes ? "" : rows[row].message, "row %zu, call %d",
                             row, call);
        }
}

/* Only the values behind it are read: that of position 0 is not in the dictionary. */
Test(decoder, a_pick_of_no_value_passes_over_all_of_them) {
    static const int32_t values[] = {7};
    static const uint16_t positions[] = {0};
    const lam_dictionary dictionary = {values, 1};
    const lam_value_picks none = {positions, 0, 0};
    const uint8_t bytes[] = {2, 16 << 1, 3, 1 << 1, 0};
    lam_decoder decoder;
    int32_t got = 0;
    cr_assert_eq(start(&decoder, LAM_ENCODING_RLE_DICTIONARY, int32s, bytes, sizeof bytes,
                       &dictionary, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_pick(&decoder, 16, &none, &got, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_read(&decoder, 1, &got, NULL), LAM_STATUS_OK);
    cr_assert_eq(got, 7);
}

Test(decoder, many_picks_one_by_one_are_taken_in_blocks) {
    enum { PICKS = 2000, COUNT = 8 * PICKS };
    static uint16_t positions[PICKS];
    static uint32_t indexes[COUNT];
    static int32_t got[PICKS];
    static const int32_t values[] = {5, 6, 7};
    const lam_dictionary dictionary = {values, 3};
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    for (size_t i = 0; i < COUNT; i++)
        indexes[i] = (uint32_t)(i / 3 % 3);
    for (size_t i = 0; i < PICKS; i++)
        positions[i] = (uint16_t)(8 * i + i % 8);
    const lam_value_picks picks = {positions, PICKS, 0};
    lam_decoder decoder = start_indexes(int32s, indexes, COUNT, &dictionary, &out);
    cr_assert_eq(lam_decoder_pick(&decoder, COUNT, &picks, got, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < PICKS; i++)
        cr_expect_eq(got[i], values[indexes[positions[i]]], "pick %zu", i);
    lam_buffer_finish(&out);
}
