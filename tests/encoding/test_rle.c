/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hybrid of runs and packed groups: fixed bytes of the specification, streams of any shape and
 * split, and streams that cannot be.
 */
#include "encoding/rle.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "encoding/short_runs.h"
#include "support/failing_alloc.h"
#include "support/random.h"

enum { MOST = 3000 };

/* A copy in a heap block of exactly that size, so that sanitizers see any read behind it. */
static lam_bytes exact(const void *data, size_t size) {
    uint8_t *copy = malloc(size);
    if (size > 0)
        memcpy(copy, data, size);
    lam_bytes bytes = {copy, size};
    return bytes;
}

static void drop(lam_bytes bytes) {
    free((void *)(uintptr_t)bytes.data);
}

/* The shapes of level and index streams that matter: noise, runs of all lengths, long stretches. */
static size_t random_values(lam_random *random, unsigned width, uint32_t *values) {
    size_t count = (size_t)lam_random_below(random, lam_random_chance(random, 50) ? 80 : MOST);
    unsigned shape = (unsigned)lam_random_below(random, 5);
    uint64_t mask = ((uint64_t)1 << width) - 1;
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (left == 0) {
            values[i] = (uint32_t)(lam_random_next(random) & mask);
            static const unsigned lengths[] = {1, 3, 12, 40, MOST};
            left = 1 + (size_t)lam_random_below(random, lengths[shape]);
        } else {
            values[i] = values[i - 1];
        }
        left--;
    }
    return count;
}

static lam_buffer encode(unsigned width, const uint32_t *values, size_t count) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_rle_encoder encoder;
    lam_buffer_init(&out, &allocator);
    lam_rle_encoder_init(&encoder, lam_kernels_get(), width, &out);
    cr_assert_eq(lam_rle_write_indexes(&encoder, values, count, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rle_encoder_flush(&encoder, NULL), LAM_STATUS_OK);
    return out;
}

static void expect_bytes(unsigned width, const uint32_t *values, size_t count, const void *bytes,
                         size_t size) {
    lam_buffer out = encode(width, values, count);
    cr_assert_eq(out.size, size, "%zu bytes", out.size);
    cr_assert(size == 0 || memcmp(out.data, bytes, size) == 0);
    lam_buffer_finish(&out);
}

static lam_status decode(unsigned width, const void *data, size_t size, size_t count,
                         uint32_t *values) {
    lam_bytes bytes = exact(data, size);
    lam_rle_decoder decoder;
    lam_status status = lam_rle_decoder_init(&decoder, lam_kernels_get(), bytes, width, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_rle_read_indexes(&decoder, count, values, NULL);
    drop(bytes);
    return status;
}

Test(rle, the_numbers_0_to_7_pack_as_in_the_specification) {
    const uint32_t values[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const uint8_t bytes[] = {1 << 1 | 1, 0x88, 0xC6, 0xFA};
    expect_bytes(3, values, 8, bytes, sizeof bytes);
    uint32_t read[8];
    cr_assert_eq(decode(3, bytes, sizeof bytes, 8, read), LAM_STATUS_OK);
    cr_assert_arr_eq(read, values, sizeof values);
}

Test(rle, a_repeated_run_is_its_length_and_its_value_in_whole_bytes) {
    uint32_t values[100];
    for (size_t i = 0; i < 100; i++)
        values[i] = 0x1234;
    const uint8_t bytes[] = {0xC8, 0x01, 0x34, 0x12};
    expect_bytes(13, values, 100, bytes, sizeof bytes);
    uint32_t read[100];
    cr_assert_eq(decode(13, bytes, sizeof bytes, 100, read), LAM_STATUS_OK);
    cr_assert_arr_eq(read, values, sizeof values);
}

Test(rle, runs_and_groups_follow_each_other) {
    uint32_t values[16 + 8] = {0};
    for (uint32_t i = 0; i < 24; i++)
        values[i] = i < 16 ? 5 : i - 16;
    const uint8_t bytes[] = {16 << 1, 5, 1 << 1 | 1, 0x88, 0xC6, 0xFA};
    expect_bytes(3, values, 24, bytes, sizeof bytes);
}

Test(rle, a_repeated_run_is_written_only_where_it_is_shorter) {
    /* Three groups of zeros amid ones and zeros of one bit: three bytes, as a run would take. */
    uint32_t values[40] = {0, 1};
    values[32] = 1;
    const uint8_t packed[] = {5 << 1 | 1, 2, 0, 0, 0, 1};
    expect_bytes(1, values, 40, packed, sizeof packed);
    /* With a fourth one the run is shorter. */
    uint32_t longer[48] = {0, 1};
    longer[40] = 1;
    const uint8_t repeated[] = {1 << 1 | 1, 2, 32 << 1, 0, 1 << 1 | 1, 1};
    expect_bytes(1, longer, 48, repeated, sizeof repeated);
}

Test(rle, a_few_equal_values_are_one_repeated_run) {
    const uint32_t values[] = {1, 1, 1};
    const uint8_t bytes[] = {3 << 1, 1};
    expect_bytes(1, values, 3, bytes, sizeof bytes);
}

Test(rle, the_last_group_is_filled_up_with_zeros) {
    const uint32_t values[] = {3, 1, 2};
    const uint8_t bytes[] = {1 << 1 | 1, 3 | 1 << 2 | 2 << 4, 0};
    expect_bytes(2, values, 3, bytes, sizeof bytes);
}

Test(rle, no_values_are_no_bytes) {
    expect_bytes(7, NULL, 0, "", 0);
    cr_assert_eq(decode(7, "", 0, 0, NULL), LAM_STATUS_OK);
}

Test(rle, width_0_takes_a_header_and_no_value) {
    uint32_t values[100] = {0}, read[100];
    const uint8_t bytes[] = {0xC8, 0x01};
    expect_bytes(0, values, 100, bytes, sizeof bytes);
    memset(read, 1, sizeof read);
    cr_assert_eq(decode(0, bytes, sizeof bytes, 100, read), LAM_STATUS_OK);
    cr_assert_arr_eq(read, values, sizeof values);
    const uint8_t packed[] = {13 << 1 | 1};
    memset(read, 1, sizeof read);
    cr_assert_eq(decode(0, packed, sizeof packed, 100, read), LAM_STATUS_OK);
    cr_assert_arr_eq(read, values, sizeof values);
}

Test(rle, long_packed_runs_get_a_header_of_two_bytes_and_then_end) {
    enum { GROUPS = 8191 + 70 };
    uint32_t *values = malloc(GROUPS * 8 * sizeof *values),
             *read = malloc(GROUPS * 8 * sizeof *read);
    for (size_t i = 0; i < GROUPS * 8; i++)
        values[i] = i % 3;
    lam_buffer out = encode(2, values, GROUPS * 8);
    cr_assert_eq(out.size, 2 + 8191 * 2 + 2 + 70 * 2);
    cr_assert_eq(out.data[0] | out.data[1] << 8, 0x7FFF);
    cr_assert_eq(out.data[2 + 8191 * 2], 0x80 | ((70 << 1 | 1) & 0x7F));
    cr_assert_eq(decode(2, out.data, out.size, GROUPS * 8, read), LAM_STATUS_OK);
    cr_assert_arr_eq(read, values, GROUPS * 8 * sizeof *values);
    lam_buffer_finish(&out);
    free(values);
    free(read);
}

Test(rle, runs_are_at_most_2_to_the_31_minus_1_values_long) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_rle_encoder encoder;
    lam_buffer_init(&out, &allocator);
    lam_rle_encoder_init(&encoder, lam_kernels_get(), 1, &out);
    cr_assert_eq(lam_rle_write_run(&encoder, 1, UINT64_C(5000000000), NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rle_encoder_flush(&encoder, NULL), LAM_STATUS_OK);
    lam_rle_decoder decoder;
    cr_assert_eq(lam_rle_decoder_init(&decoder, lam_kernels_get(), lam_buffer_bytes(&out), 1, NULL),
                 LAM_STATUS_OK);
    uint64_t total = 0;
    for (int i = 0; i < 3; i++) {
        size_t length;
        uint32_t value;
        bool packed;
        cr_assert_eq(lam_rle_peek_run(&decoder, INT32_MAX, &length, &value, &packed, NULL), 0);
        cr_assert(!packed && value == 1);
        cr_assert_eq(lam_rle_skip(&decoder, length, NULL), LAM_STATUS_OK);
        total += length;
    }
    cr_assert_eq(total, UINT64_C(5000000000));
    cr_assert_eq(decoder.next, decoder.end);
    lam_buffer_finish(&out);
}

Test(rle, an_encoder_begins_a_new_stream_after_flush) {
    const uint32_t values[] = {0, 1, 2, 3, 4, 5, 6, 7, 7, 7};
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_rle_encoder encoder;
    lam_buffer_init(&out, &allocator);
    lam_rle_encoder_init(&encoder, lam_kernels_get(), 3, &out);
    cr_assert_eq(lam_rle_write_indexes(&encoder, values, 10, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rle_encoder_flush(&encoder, NULL), LAM_STATUS_OK);
    size_t size = out.size;
    cr_assert_eq(lam_rle_write_indexes(&encoder, values, 10, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rle_encoder_flush(&encoder, NULL), LAM_STATUS_OK);
    cr_assert_eq(out.size, 2 * size);
    cr_assert_eq(memcmp(out.data, out.data + size, size), 0);
    lam_buffer_finish(&out);
}

/* The bytes of the same values, handed over in random pieces by random ways. */
static lam_buffer encode_in_pieces(lam_random *random, unsigned width, const uint32_t *values,
                                   size_t count) {
    lam_allocator allocator = lam_allocator_default();
    static uint8_t levels[MOST];
    lam_buffer out;
    lam_rle_encoder encoder;
    lam_buffer_init(&out, &allocator);
    lam_rle_encoder_init(&encoder, lam_kernels_get(), width, &out);
    for (size_t i = 0; i < count; i++)
        levels[i] = (uint8_t)values[i];
    for (size_t at = 0; at < count;) {
        size_t most = count - at < 50 ? count - at : 50;
        size_t piece = (size_t)lam_random_below(random, most + 1), run = 1;
        switch (lam_random_below(random, width <= 8 ? 3 : 2)) {
        case 0:
            cr_assert_eq(lam_rle_write_indexes(&encoder, values + at, piece, NULL), 0);
            break;
        case 1:
            while (run < most && values[at + run] == values[at])
                run++;
            piece = (size_t)lam_random_below(random, run + 1);
            cr_assert_eq(lam_rle_write_run(&encoder, values[at], piece, NULL), LAM_STATUS_OK);
            break;
        default:
            cr_assert_eq(lam_rle_write_levels(&encoder, levels + at, piece, NULL), LAM_STATUS_OK);
        }
        at += piece;
    }
    cr_assert_eq(lam_rle_encoder_flush(&encoder, NULL), LAM_STATUS_OK);
    return out;
}

Test(rle, how_calls_are_split_does_not_show_in_the_bytes) {
    uint64_t seed = lam_test_seed(11);
    lam_random random = lam_random_start(seed);
    static uint32_t values[MOST];
    for (int round = 0; round < 20000; round++) {
        unsigned width = (unsigned)lam_random_below(&random, round % 2 == 0 ? 9 : 33);
        size_t count = random_values(&random, width, values);
        lam_buffer whole = encode(width, values, count);
        lam_buffer pieces = encode_in_pieces(&random, width, values, count);
        cr_assert_eq(whole.size, pieces.size, "round %d, seed %llu", round,
                     (unsigned long long)seed);
        cr_assert(whole.size == 0 || memcmp(whole.data, pieces.data, whole.size) == 0,
                  "round %d, seed %llu", round, (unsigned long long)seed);
        lam_buffer_finish(&whole);
        lam_buffer_finish(&pieces);
    }
}

/* Picks some of the next `count` values. Positions begin anywhere. */
static void pick_in_piece(lam_random *random, lam_rle_decoder *decoder, const uint32_t *values,
                          size_t count) {
    uint16_t positions[70];
    uint32_t indexes[70];
    size_t first = (size_t)lam_random_below(random, 1000), picked = 0;
    unsigned share = (unsigned)lam_random_below(random, 101);
    for (size_t i = 0; i < count; i++)
        if (lam_random_chance(random, share))
            positions[picked++] = (uint16_t)(first + i);
    cr_assert_eq(lam_rle_pick_indexes(decoder, positions, picked, first, count, indexes, NULL),
                 LAM_STATUS_OK);
    for (size_t i = 0; i < picked; i++)
        cr_assert_eq(indexes[i], values[positions[i] - first]);
}

/* Reads by whole arrays, by runs, by picks and by skips; what was not skipped must be right. */
static void read_in_pieces(lam_random *random, lam_bytes bytes, unsigned width,
                           const uint32_t *values, size_t count) {
    static uint32_t indexes[MOST];
    static uint8_t levels[MOST];
    lam_rle_decoder decoder;
    cr_assert_eq(lam_rle_decoder_init(&decoder, lam_kernels_get(), bytes, width, NULL),
                 LAM_STATUS_OK);
    for (size_t at = 0; at < count;) {
        size_t most = count - at < 70 ? count - at : 70;
        size_t piece = (size_t)lam_random_below(random, most + 1);
        uint32_t value;
        bool packed;
        switch (lam_random_below(random, width <= 8 ? 5 : 4)) {
        case 3:
            pick_in_piece(random, &decoder, values + at, piece);
            break;
        case 0:
            cr_assert_eq(lam_rle_read_indexes(&decoder, piece, indexes, NULL), LAM_STATUS_OK);
            cr_assert(piece == 0 || memcmp(indexes, values + at, piece * 4) == 0);
            break;
        case 1:
            cr_assert_eq(lam_rle_skip(&decoder, piece, NULL), LAM_STATUS_OK);
            break;
        case 2:
            cr_assert_eq(lam_rle_peek_run(&decoder, piece, &piece, &value, &packed, NULL), 0);
            for (size_t i = 0; i < piece && !packed; i++)
                cr_assert_eq(values[at + i], value);
            piece = packed ? 0 : piece;
            cr_assert_eq(lam_rle_skip(&decoder, piece, NULL), LAM_STATUS_OK);
            break;
        default:
            cr_assert_eq(lam_rle_read_levels(&decoder, piece, levels, NULL), LAM_STATUS_OK);
            for (size_t i = 0; i < piece; i++)
                cr_assert_eq(levels[i], values[at + i]);
        }
        at += piece;
    }
}

Test(rle, any_split_of_reads_gives_the_values_that_were_written) {
    uint64_t seed = lam_test_seed(12);
    lam_random random = lam_random_start(seed);
    static uint32_t values[MOST], read[MOST];
    for (int round = 0; round < 20000; round++) {
        unsigned width = (unsigned)lam_random_below(&random, round % 2 == 0 ? 9 : 33);
        size_t count = random_values(&random, width, values);
        lam_buffer out = encode(width, values, count);
        cr_assert_eq(decode(width, out.data, out.size, count, read), LAM_STATUS_OK);
        cr_assert(count == 0 || memcmp(read, values, count * 4) == 0, "round %d, seed %llu", round,
                  (unsigned long long)seed);
        lam_bytes bytes = exact(out.data, out.size);
        read_in_pieces(&random, bytes, width, values, count);
        drop(bytes);
        lam_buffer_finish(&out);
    }
}

/* The room behind the values of each read is in use by somebody else. */
static void read_short_runs(lam_random *random, lam_bytes bytes, unsigned width,
                            const uint32_t *values, size_t count) {
    enum { GUARD = 40 };
    static uint32_t indexes[MOST + GUARD];
    static uint8_t levels[MOST + GUARD];
    lam_rle_decoder decoder;
    cr_assert_eq(lam_rle_decoder_init(&decoder, lam_kernels_get(), bytes, width, NULL),
                 LAM_STATUS_OK);
    for (size_t at = 0, piece; at < count; at += piece) {
        size_t most = lam_random_chance(random, 50) ? count - at : 30;
        piece = (size_t)lam_random_below(random, (most < count - at ? most : count - at) + 1);
        bool as_levels = width <= 8 && lam_random_chance(random, 50);
        memset(indexes + piece, 0xEE, GUARD * sizeof *indexes);
        memset(levels + piece, 0xEE, GUARD);
        cr_assert_eq(as_levels ? lam_rle_read_levels(&decoder, piece, levels, NULL)
                               : lam_rle_read_indexes(&decoder, piece, indexes, NULL),
                     LAM_STATUS_OK);
        for (size_t i = 0; i < piece; i++)
            cr_assert_eq(as_levels ? levels[i] : indexes[i], values[at + i]);
        for (size_t i = piece; i < piece + GUARD; i++)
            cr_assert(levels[i] == 0xEE && indexes[i] == 0xEEEEEEEE);
    }
}

Test(rle, short_runs_in_any_order_give_their_values_and_touch_nothing_behind_them) {
    uint64_t seed = lam_test_seed(16);
    lam_random random = lam_random_start(seed);
    static uint32_t values[MOST];
    static uint8_t bytes[MOST * SHORT_RUN_BYTES];
    for (int round = 0; round < 20000; round++) {
        unsigned width = 1 + (unsigned)lam_random_below(&random, round % 2 == 0 ? 8 : 32);
        size_t count = 0, least = (size_t)lam_random_below(&random, 300);
        uint8_t *end = bytes;
        while (count < least)
            count += put_short_run(&random, width, (uint64_t)1 << width, values + count, &end);
        lam_bytes stream = exact(bytes, (size_t)(end - bytes));
        read_short_runs(&random, stream, width, values, count);
        drop(stream);
    }
}

Test(rle, a_stream_cut_short_gives_the_first_values_and_then_an_error) {
    uint64_t seed = lam_test_seed(13);
    lam_random random = lam_random_start(seed);
    static uint32_t values[MOST];
    for (int round = 0; round < 300; round++) {
        unsigned width = 1 + (unsigned)lam_random_below(&random, 32);
        size_t count = random_values(&random, width, values) % 300;
        lam_buffer out = encode(width, values, count);
        for (size_t size = 0; size < out.size; size++) {
            lam_bytes bytes = exact(out.data, size);
            lam_rle_decoder decoder;
            size_t good = 0;
            uint32_t value;
            cr_assert_eq(lam_rle_decoder_init(&decoder, lam_kernels_get(), bytes, width, NULL),
                         LAM_STATUS_OK);
            while (good < count && lam_rle_read_indexes(&decoder, 1, &value, NULL) == LAM_STATUS_OK)
                cr_assert_eq(value, values[good++], "seed %llu", (unsigned long long)seed);
            if (good < count)
                cr_assert_eq(lam_rle_skip(&decoder, 1, NULL), LAM_STATUS_CORRUPT);
            drop(bytes);
        }
        lam_buffer_finish(&out);
    }
}

Test(rle, random_bytes_give_values_or_a_clean_error) {
    uint64_t seed = lam_test_seed(14);
    lam_random random = lam_random_start(seed);
    static uint32_t read[MOST];
    size_t failures = 0;
    for (int round = 0; round < 50000; round++) {
        uint8_t noise[40];
        size_t size = (size_t)lam_random_below(&random, sizeof noise);
        for (size_t i = 0; i < size; i++)
            noise[i] = (uint8_t)(lam_random_next(&random) >> (round % 6));
        unsigned width = (unsigned)lam_random_below(&random, 33);
        lam_status status =
            decode(width, noise, size, (size_t)lam_random_below(&random, MOST), read);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT);
        failures += status != LAM_STATUS_OK;
    }
    cr_assert(failures > 100 && failures < 49900);
}

static void expect_corrupt(unsigned width, const char *bytes, size_t size, size_t count) {
    static uint32_t read[MOST];
    cr_assert_eq(decode(width, bytes, size, count, read), LAM_STATUS_CORRUPT);
}

Test(rle, a_run_of_length_0_is_corrupt) {
    expect_corrupt(1, "\x00\x01\x02\x01", 4, 1);
    expect_corrupt(1, "\x01\x02\x01", 3, 1);
    expect_corrupt(0, "\x00\x02", 2, 1);
}

Test(rle, a_run_longer_than_the_bytes_is_corrupt_where_its_values_are_missing) {
    uint32_t read[8];
    /* 63 groups of width 1 in one byte: eight values are there, the ninth is not. */
    cr_assert_eq(decode(1, "\x7F\xA5", 2, 8, read), LAM_STATUS_OK);
    expect_corrupt(1, "\x7F\xA5", 2, 9);
    /* 2^28 groups of width 32. */
    expect_corrupt(32, "\xFF\xFF\xFF\xFF\x03\x01\x02\x03", 8, 1);
    expect_corrupt(9, "\x06\x01", 2, 1);
}

Test(rle, the_last_packed_run_may_be_cut_to_the_bytes_of_its_used_values) {
    /* One group of width 3, of which three values are used: two bytes instead of three. */
    uint32_t read[3];
    const uint32_t values[] = {0, 1, 2};
    cr_assert_eq(decode(3, "\x03\x88\xC6", 3, 3, read), LAM_STATUS_OK);
    cr_assert_arr_eq(read, values, sizeof values);
    expect_corrupt(3, "\x03\x88\xC6", 3, 6);
}

Test(rle, a_header_above_32_bits_is_corrupt) {
    expect_corrupt(1, "\xFF\xFF\xFF\xFF\x1F\x01", 6, 1);
    expect_corrupt(1, "\x80\x80\x80\x80\x80\x01\x01", 7, 1);
    expect_corrupt(1, "\x80\x80", 2, 1);
}

Test(rle, a_repeated_value_that_does_not_fit_the_width_is_corrupt) {
    uint32_t read[8];
    cr_assert_eq(decode(3, "\x10\x07", 2, 8, read), LAM_STATUS_OK);
    expect_corrupt(3, "\x10\x08", 2, 8);
    expect_corrupt(20, "\x10\x00\x00\x10", 4, 8);
    cr_assert_eq(decode(32, "\x10\xFF\xFF\xFF\xFF", 5, 8, read), LAM_STATUS_OK);
    cr_assert_eq(read[7], UINT32_MAX);
}

Test(rle, a_width_above_32_is_corrupt) {
    lam_rle_decoder decoder;
    lam_bytes bytes = {(const uint8_t *)"\x02\x01", 2};
    lam_error error = lam_error_none();
    cr_assert_eq(lam_rle_decoder_init(&decoder, lam_kernels_get(), bytes, 33, &error),
                 LAM_STATUS_CORRUPT);
    cr_assert(strstr(error.message, "33") != NULL);
}

static lam_status write_all(lam_rle_encoder *encoder, lam_buffer *out, const uint32_t *values,
                            size_t count) {
    lam_rle_encoder_init(encoder, lam_kernels_get(), 5, out);
    lam_status status = LAM_STATUS_OK;
    for (size_t at = 0; at < count && status == LAM_STATUS_OK; at += 100)
        status = lam_rle_write_indexes(encoder, values + at, 100, NULL);
    return status == LAM_STATUS_OK ? lam_rle_encoder_flush(encoder, NULL) : status;
}

Test(rle, each_allocation_may_fail) {
    static uint32_t values[MOST];
    for (size_t i = 0; i < MOST; i++)
        values[i] = i / 300 % 2 == 0 ? i % 31 : 3;
    lam_status status = LAM_STATUS_NOMEM;
    size_t attempts = 0;
    while (status != LAM_STATUS_OK) {
        lam_failing_alloc counter = {.fail_at = ++attempts};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_buffer out;
        lam_rle_encoder encoder;
        lam_buffer_init(&out, &allocator);
        status = write_all(&encoder, &out, values, MOST);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        lam_buffer_finish(&out);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    cr_assert_gt(attempts, 3);
}

Test(rle, the_bit_width_is_what_the_largest_number_needs) {
    cr_assert_eq(lam_bit_width(0), 0);
    cr_assert_eq(lam_bit_width(1), 1);
    cr_assert_eq(lam_bit_width(255), 8);
    cr_assert_eq(lam_bit_width(256), 9);
    cr_assert_eq(lam_bit_width(UINT64_MAX), 64);
}

/*
 * Values that differ from each other, `piece` with a call, then equal ones. A packed run of one
 * call may have no byte to spare when it ends.
 */
typedef struct rle_shape {
    unsigned width;
    size_t noise;
    size_t equal;
    size_t piece;
} rle_shape;

static lam_status write_shape(const rle_shape *shape, lam_buffer *out) {
    static uint32_t values[8 * 8192];
    lam_rle_encoder encoder;
    lam_status status = LAM_STATUS_OK;
    lam_rle_encoder_init(&encoder, lam_kernels_get(), shape->width, out);
    for (size_t at = 0; at < shape->noise && status == LAM_STATUS_OK;) {
        size_t count = 0;
        for (; count < shape->piece && at < shape->noise; count++, at++)
            values[count] = (uint32_t)(at % (shape->width == 1 ? 2 : 29));
        status = lam_rle_write_indexes(&encoder, values, count, NULL);
    }
    if (status == LAM_STATUS_OK)
        status = lam_rle_write_run(&encoder, 1, shape->equal, NULL);
    return status == LAM_STATUS_OK ? lam_rle_encoder_flush(&encoder, NULL) : status;
}

/*
 * The buffer is full at another byte each time, so that every place where the encoder asks for
 * memory is refused it once. What was in the buffer before stays.
 */
Test(rle, memory_may_run_out_at_every_byte_of_the_stream) {
    static const rle_shape shapes[] = {
        {1, 1200, 0, 60}, {5, 600, 600, 60},  {1, 800, 400, 60},          {1, 80, 10, 60},
        {5, 83, 0, 60},   {1, 800, 400, 800}, {1, 8 * 8192, 0, 8 * 8192},
    };
    enum { BEFORE = 3, MANY = 70 };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        lam_allocator always = lam_allocator_default();
        lam_buffer whole;
        lam_buffer_init(&whole, &always);
        cr_assert_eq(write_shape(&shapes[i], &whole), LAM_STATUS_OK);
        /* Of a long stream the last bytes will do: the others are as those of the short ones. */
        for (size_t short_of = 1; short_of <= whole.size && short_of < MANY; short_of++) {
            lam_failing_alloc counter = {.fail_at = 2};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_buffer out;
            lam_buffer_init(&out, &allocator);
            cr_assert_eq(lam_buffer_reserve(&out, BEFORE + whole.size, NULL), LAM_STATUS_OK);
            out.size = out.capacity - whole.size + short_of;
            memset(out.data, 0x5A, out.size);
            size_t before = out.size;
            cr_assert_eq(write_shape(&shapes[i], &out), LAM_STATUS_NOMEM, "shape %zu, %zu", i,
                         short_of);
            for (size_t at = 0; at < before; at++)
                cr_assert_eq(out.data[at], 0x5A);
            lam_buffer_finish(&out);
            cr_assert_eq(counter.live_bytes, 0);
        }
        lam_buffer_finish(&whole);
    }
}

Test(rle, a_run_that_ends_where_memory_is_full_is_refused) {
    static uint32_t values[100];
    values[99] = 1;
    for (int is_run = 0; is_run < 2; is_run++) {
        lam_failing_alloc counter = {.fail_at = 1};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_buffer out;
        lam_rle_encoder encoder;
        lam_buffer_init(&out, &allocator);
        lam_rle_encoder_init(&encoder, lam_kernels_get(), 5, &out);
        cr_assert_eq(lam_rle_write_run(&encoder, 0, 99, NULL), LAM_STATUS_OK);
        lam_status status = is_run ? lam_rle_write_run(&encoder, 1, 99, NULL)
                                   : lam_rle_write_indexes(&encoder, values, 100, NULL);
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_eq(out.size, 0);
    }
}
