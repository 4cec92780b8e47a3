/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every encoding of values must keep, as functions over elements of any type: values come back
 * bit for bit, calls may be split anywhere both ways and values passed over between them, damaged
 * bytes give a clean error or values, and each allocation may fail. Encoded bytes are read from
 * heap blocks of their exact size.
 */
#ifndef LAM_TESTS_ROUND_TRIP_H
#define LAM_TESTS_ROUND_TRIP_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "encoding/decoder.h"
#include "encoding/encoder.h"
#include "support/failing_alloc.h"
#include "support/random.h"

/* Values of one type in one encoding. */
typedef struct trial {
    lam_encoding encoding;
    lam_value_layout layout;
    const void *values;
    size_t count;
    uint64_t seed; /* for the message of a failure */
} trial;

static inline const uint8_t *trial_value(const trial *t, size_t at) {
    return (const uint8_t *)t->values + at * lam_layout_size(t->layout);
}

static inline bool equal_values(lam_value_layout layout, const void *a, const void *b,
                                size_t count) {
    size_t size = lam_layout_size(layout);
    if (layout.type != LAM_PHYSICAL_BYTE_ARRAY)
        return count * size == 0 || memcmp(a, b, count * size) == 0;
    const lam_bytes *first = a, *second = b;
    for (size_t i = 0; i < count; i++)
        if (first[i].size != second[i].size ||
            (first[i].size > 0 && memcmp(first[i].data, second[i].data, first[i].size) != 0))
            return false;
    return true;
}

/* The page's bytes in a heap block of their size; free it. `random` splits the calls, or NULL. */
static inline uint8_t *encode_trial(const trial *t, lam_random *random, size_t *ret_size) {
    lam_allocator allocator = lam_allocator_default();
    lam_encoder encoder;
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(
        lam_encoder_init(&encoder, lam_kernels_get(), t->encoding, t->layout, &allocator, NULL), 0);
    for (size_t at = 0, piece; at < t->count; at += piece) {
        size_t left = t->count - at, most = left;
        if (random != NULL && lam_random_chance(random, 70))
            most = left < 40 ? left : 40;
        piece = random == NULL ? left : (size_t)lam_random_below(random, most + 1);
        cr_assert_eq(lam_encoder_write(&encoder, trial_value(t, at), piece, NULL), LAM_STATUS_OK);
    }
    size_t about = lam_encoder_byte_count(&encoder);
    cr_assert_eq(lam_encoder_end_page(&encoder, &out, NULL), LAM_STATUS_OK);
    cr_assert_leq(out.size, 2 * about + 1200, "%zu bytes, about %zu", out.size, about);
    lam_encoder_finish(&encoder);
    uint8_t *bytes = malloc(out.size);
    if (out.size > 0)
        memcpy(bytes, out.data, out.size);
    *ret_size = out.size;
    lam_buffer_finish(&out);
    return bytes;
}

/* Values decoded in any split equal those that were written, and nothing is left. */
static inline void expect_values(const trial *t, const uint8_t *bytes, size_t size,
                                 lam_random *random) {
    lam_allocator allocator = lam_allocator_default();
    size_t element = lam_layout_size(t->layout);
    lam_arena arena;
    lam_decoder decoder;
    lam_bytes view = {bytes, size};
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_decoder_init(&decoder, lam_kernels_get(), t->encoding, t->layout, view, NULL,
                                  &arena, NULL),
                 0);
    for (size_t at = 0, piece; at < t->count; at += piece) {
        size_t left = t->count - at, most = left;
        if (random != NULL && lam_random_chance(random, 70))
            most = left < 40 ? left : 40;
        piece = random == NULL ? left : (size_t)lam_random_below(random, most + 1);
        void *got = malloc(piece * element); /* of the exact size, and gone before the next read */
        if (random != NULL && piece > 0 && lam_random_chance(random, 30)) {
            size_t room = 1 + (size_t)lam_random_below(random, piece);
            cr_assert_eq(lam_decoder_skip(&decoder, piece, got, room, NULL), LAM_STATUS_OK);
            free(got);
            continue;
        }
        cr_assert_eq(lam_decoder_read(&decoder, piece, got, NULL), LAM_STATUS_OK,
                     "values %zu to %zu of %zu, seed %llu", at, at + piece, t->count,
                     (unsigned long long)t->seed);
        cr_assert(equal_values(t->layout, got, trial_value(t, at), piece),
                  "values %zu to %zu of %zu differ, seed %llu", at, at + piece, t->count,
                  (unsigned long long)t->seed);
        free(got);
    }
    cr_assert_eq(lam_decoder_find_rest(&decoder, NULL), LAM_STATUS_OK);
    uint8_t *one = malloc(element);
    if (element > 0) {
        cr_assert_eq(lam_decoder_skip(&decoder, 1, one, 1, NULL), LAM_STATUS_CORRUPT);
        cr_assert_eq(lam_decoder_read(&decoder, 1, one, NULL), LAM_STATUS_CORRUPT);
    }
    free(one);
    lam_arena_finish(&arena);
}

/* The whole promise for one set of values. */
static inline void expect_round_trip(const trial *t, lam_random *random) {
    size_t size, again_size;
    uint8_t *bytes = encode_trial(t, NULL, &size);
    uint8_t *again = encode_trial(t, random, &again_size);
    cr_assert_eq(size, again_size);
    cr_assert(size == 0 || memcmp(bytes, again, size) == 0,
              "the split of calls shows in the bytes, seed %llu", (unsigned long long)t->seed);
    expect_values(t, bytes, size, NULL);
    expect_values(t, bytes, size, random);
    free(bytes);
    free(again);
}

/* Reads up to `count` values out of any bytes, within a budget; gives how it ended. */
static inline lam_status read_damaged(const trial *t, const uint8_t *bytes, size_t size,
                                      lam_random *random) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_decoder decoder;
    lam_bytes view = {bytes, size};
    lam_arena_init(&arena, &allocator, 4 << 20);
    lam_status status = lam_decoder_init(&decoder, lam_kernels_get(), t->encoding, t->layout, view,
                                         NULL, &arena, NULL);
    for (size_t at = 0, piece; status == LAM_STATUS_OK && at < t->count; at += piece) {
        piece = 1 + (size_t)lam_random_below(random, t->count - at);
        size_t element = lam_layout_size(t->layout);
        void *got = malloc(piece * element);
        status = lam_decoder_read(&decoder, piece, got, NULL);
        for (size_t i = 0; status == LAM_STATUS_OK && i < piece; i++) {
            /* Every byte of a byte array must be there. */
            const lam_bytes *value = (const lam_bytes *)got + i;
            if (t->layout.type == LAM_PHYSICAL_BYTE_ARRAY && value->size > 0)
                free(memcpy(malloc(value->size), value->data, value->size));
        }
        free(got);
    }
    if (status == LAM_STATUS_OK)
        status = lam_decoder_find_rest(&decoder, NULL);
    lam_arena_finish(&arena);
    return status;
}

/* Every truncation is corrupt; random changes of bytes are corrupt, too large, or other values. */
static inline void expect_damage_to_be_found(const trial *t, lam_random *random, int flips) {
    size_t size;
    uint8_t *bytes = encode_trial(t, NULL, &size);
    cr_assert_eq(read_damaged(t, bytes, size, random), LAM_STATUS_OK);
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *front = malloc(cut);
        memcpy(front, bytes, cut);
        cr_assert_eq(read_damaged(t, front, cut, random), LAM_STATUS_CORRUPT, "cut at %zu of %zu",
                     cut, size);
        free(front);
    }
    for (int i = 0; i < flips && size > 0; i++) {
        uint8_t *changed = malloc(size);
        memcpy(changed, bytes, size);
        for (uint64_t n = lam_random_below(random, 3) + 1; n > 0; n--) {
            /* The front holds most of what steers. */
            size_t among = lam_random_chance(random, 50) && size > 40 ? 40 : size;
            changed[lam_random_below(random, among)] ^= (uint8_t)(1 << lam_random_below(random, 8));
        }
        lam_status status = read_damaged(t, changed, size, random);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT ||
                  status == LAM_STATUS_LIMIT || status == LAM_STATUS_UNSUPPORTED);
        free(changed);
    }
    free(bytes);
}

/* Random bytes never do more than fail. */
static inline void expect_noise_to_be_harmless(const trial *t, lam_random *random, int rounds) {
    for (int round = 0; round < rounds; round++) {
        size_t size = (size_t)lam_random_below(random, 60);
        uint8_t *noise = malloc(size);
        for (size_t i = 0; i < size; i++)
            noise[i] = (uint8_t)(lam_random_next(random) >> (8 + round % 6));
        lam_status status = read_damaged(t, noise, size, random);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT ||
                  status == LAM_STATUS_LIMIT || status == LAM_STATUS_UNSUPPORTED);
        free(noise);
    }
}

/* Hands the values to the encoder, at most `most` with a call. */
static inline lam_status write_pieces(lam_encoder *encoder, const trial *t, size_t most) {
    lam_status status = LAM_STATUS_OK;
    for (size_t at = 0, piece; at < t->count && status == LAM_STATUS_OK; at += piece) {
        piece = t->count - at < most ? t->count - at : most;
        status = lam_encoder_write(encoder, trial_value(t, at), piece, NULL);
    }
    return status;
}

/* Compares the values piece by piece, as those of a read may be gone with the next one. */
static inline lam_status read_pieces(lam_decoder *decoder, const trial *t, size_t most, void *got) {
    lam_status status = LAM_STATUS_OK;
    for (size_t at = 0, piece; at < t->count && status == LAM_STATUS_OK; at += piece) {
        piece = t->count - at < most ? t->count - at : most;
        status = lam_decoder_read(decoder, piece, got, NULL);
        if (status == LAM_STATUS_OK)
            cr_assert(equal_values(t->layout, got, trial_value(t, at), piece));
    }
    return status;
}

/*
 * Writes and reads with an allocator that fails at one request after the other, at most `most`
 * values with a call.
 */
static inline void expect_allocations_of_pieces_may_fail(const trial *t, size_t most) {
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t attempt = 1; status != LAM_STATUS_OK; attempt++) {
        lam_failing_alloc counter = {.fail_at = attempt};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_encoder encoder = {0};
        lam_decoder decoder;
        lam_arena arena;
        lam_buffer out;
        void *got = malloc(t->count * lam_layout_size(t->layout));
        lam_arena_init(&arena, &allocator, 0);
        lam_buffer_init(&out, &allocator);
        status =
            lam_encoder_init(&encoder, lam_kernels_get(), t->encoding, t->layout, &allocator, NULL);
        if (status == LAM_STATUS_OK)
            status = write_pieces(&encoder, t, most);
        if (status == LAM_STATUS_OK) {
            status = lam_encoder_end_page(&encoder, &out, NULL);
            if (status != LAM_STATUS_OK) {
                cr_assert_eq(out.size, 0);
                /* The page is kept, and may be handed over later. */
                cr_assert_eq(lam_encoder_end_page(&encoder, &out, NULL), LAM_STATUS_OK);
                cr_assert_eq(status, LAM_STATUS_NOMEM);
            }
            lam_bytes view = lam_buffer_bytes(&out);
            lam_status reading = lam_decoder_init(&decoder, lam_kernels_get(), t->encoding,
                                                  t->layout, view, NULL, &arena, NULL);
            if (reading == LAM_STATUS_OK)
                reading = read_pieces(&decoder, t, most, got);
            status = status == LAM_STATUS_OK ? reading : status;
        }
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert_lt(attempt, 200);
        lam_encoder_finish(&encoder);
        lam_buffer_finish(&out);
        lam_arena_finish(&arena);
        free(got);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
}

static inline void expect_allocations_may_fail(const trial *t) {
    expect_allocations_of_pieces_may_fail(t, t->count);
    expect_allocations_of_pieces_may_fail(t, 100);
}

#endif
