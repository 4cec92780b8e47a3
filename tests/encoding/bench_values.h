/* SPDX-License-Identifier: Apache-2.0 */
/* Speed of an encoding both ways, for the test programs when LAMELLA_BENCH=1. */
#ifndef LAM_TESTS_BENCH_VALUES_H
#define LAM_TESTS_BENCH_VALUES_H

#include <stdio.h>
#include <time.h>

#include "encoding/round_trip.h"

static inline double bench_seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Bytes of the values themselves: what the rates are of. */
static inline size_t bench_value_bytes(const trial *t) {
    size_t size = t->count * lam_layout_size(t->layout);
    if (t->layout.type == LAM_PHYSICAL_BYTE_ARRAY) {
        size = 0;
        for (size_t i = 0; i < t->count; i++)
            size += ((const lam_bytes *)t->values)[i].size;
    }
    return size;
}

/* Reads and writes the page in batches of 2048 values, best of several rounds. */
static inline void bench_values(const char *name, const trial *t) {
    enum { BATCH = 2048, ROUNDS = 30 };
    size_t size, element = lam_layout_size(t->layout), value_bytes = bench_value_bytes(t);
    uint8_t *bytes = encode_trial(t, NULL, &size);
    lam_allocator allocator = lam_allocator_default();
    void *got = malloc(BATCH * element);
    double reading = 1e9, writing = 1e9;
    lam_encoder encoder;
    lam_buffer out;
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(
        lam_encoder_init(&encoder, lam_kernels_get(), t->encoding, t->layout, &allocator, NULL), 0);
    for (int round = 0; round < ROUNDS; round++) {
        lam_decoder decoder;
        lam_bytes view = {bytes, size};
        double start = bench_seconds();
        lam_arena_reset(&arena);
        cr_assert_eq(lam_decoder_init(&decoder, lam_kernels_get(), t->encoding, t->layout, view,
                                      NULL, &arena, NULL),
                     0);
        for (size_t at = 0; at < t->count; at += BATCH)
            if (lam_decoder_read(&decoder, t->count - at < BATCH ? t->count - at : BATCH, got,
                                 NULL) != LAM_STATUS_OK)
                abort();
        double middle = bench_seconds();
        lam_buffer_clear(&out);
        for (size_t at = 0; at < t->count; at += BATCH)
            if (lam_encoder_write(&encoder, trial_value(t, at),
                                  t->count - at < BATCH ? t->count - at : BATCH,
                                  NULL) != LAM_STATUS_OK)
                abort();
        cr_assert_eq(lam_encoder_end_page(&encoder, &out, NULL), 0);
        double end = bench_seconds();
        reading = middle - start < reading ? middle - start : reading;
        writing = end - middle < writing ? end - middle : writing;
    }
    printf("%-32s %8zu values, %5.1f%%   read %6.2f GB/s %6.2f ns   write %6.2f GB/s %6.2f ns\n",
           name, t->count, 100.0 * (double)size / (double)value_bytes,
           (double)value_bytes / reading * 1e-9, reading / (double)t->count * 1e9,
           (double)value_bytes / writing * 1e-9, writing / (double)t->count * 1e9);
    lam_encoder_finish(&encoder);
    lam_buffer_finish(&out);
    lam_arena_finish(&arena);
    free(bytes);
    free(got);
}

/* Defines the hook that runs `all` instead of the tests. */
#define BENCH_INSTEAD(all)                                                                         \
    ReportHook(PRE_ALL)(struct criterion_test_set * tests) {                                       \
        (void)tests;                                                                               \
        if (getenv("LAMELLA_BENCH") == NULL)                                                       \
            return;                                                                                \
        all();                                                                                     \
        exit(0);                                                                                   \
    }

#endif
