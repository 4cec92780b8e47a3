/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which encoding the pages of numbers get, and that they come back from it, with any request for
 * memory failing.
 */
#include "chunk/write/numeric_encoding.h"

#include <criterion/criterion.h>
#include <math.h>

#include "base/arena.h"
#include "encoding/plain.h"
#include "support/failing_alloc.h"
#include "support/random.h"

enum { COUNT = 5000 };

typedef struct page_sample {
    lam_allocator allocator;
    lam_codec_context *codecs;
    lam_numeric_encoding page;
    lam_buffer values;
} page_sample;

static const lam_value_layout doubles = {LAM_PHYSICAL_DOUBLE, 8};

static void start(page_sample *sample, lam_value_layout layout, lam_codec codec, bool newest) {
    lam_numeric_encoding_options options = {codec, 0, true, newest, newest};
    sample->allocator = lam_allocator_default();
    cr_assert_eq(lam_codec_context_create(&sample->allocator, &sample->codecs, NULL),
                 LAM_STATUS_OK);
    lam_numeric_encoding_init(&sample->page, lam_kernels_get(), layout, options, sample->codecs,
                              &sample->allocator);
    lam_buffer_init(&sample->values, &sample->allocator);
}

static void finish(page_sample *sample) {
    lam_numeric_encoding_finish(&sample->page);
    lam_codec_context_destroy(sample->codecs);
    lam_buffer_finish(&sample->values);
}

/* Encodes a page of elements, demands that it decodes to them, and gives its encoding. */
static lam_encoding encode(page_sample *sample, const void *elements, size_t count) {
    lam_value_layout layout = sample->page.layout;
    size_t size = lam_layout_size(layout);
    lam_encoding encoding;
    lam_decoder decoder;
    lam_arena arena;
    uint8_t *back = malloc(count * size);
    lam_buffer_clear(&sample->values);
    cr_assert_eq(lam_plain_append(layout, elements, count, &sample->values, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_numeric_encoding_encode(&sample->page, &sample->values, &encoding, NULL),
                 LAM_STATUS_OK);
    lam_arena_init(&arena, &sample->allocator, 0);
    cr_assert_eq(lam_decoder_init(&decoder, lam_kernels_get(), encoding, layout,
                                  lam_buffer_bytes(&sample->values), NULL, &arena, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_read(&decoder, count, back, NULL), LAM_STATUS_OK);
    cr_assert_eq(memcmp(back, elements, count * size), 0);
    lam_arena_finish(&arena);
    free(back);
    return encoding;
}

/* Any numbers between 0 and 1, whose first bytes are alike; or decimals of two digits. */
static void fill(double *numbers, bool decimals) {
    lam_random random = lam_random_start(lam_test_seed(1));
    for (size_t i = 0; i < COUNT; i++)
        numbers[i] = decimals ? (double)lam_random_below(&random, 1000000) / 100
                              : (double)(lam_random_next(&random) >> 11) * 0x1p-53;
}

Test(numeric_encoding, numbers_whose_first_bytes_are_alike_go_in_streams) {
    static double numbers[COUNT];
    page_sample sample;
    fill(numbers, false);
    start(&sample, doubles, LAM_CODEC_ZSTD, false);
    cr_expect_eq(encode(&sample, numbers, COUNT), LAM_ENCODING_BYTE_STREAM_SPLIT);
    finish(&sample);
    start(&sample, doubles, LAM_CODEC_UNCOMPRESSED, false);
    cr_expect_eq(encode(&sample, numbers, COUNT), LAM_ENCODING_PLAIN, "no codec, no difference");
    finish(&sample);
}

Test(numeric_encoding, random_bytes_and_repeated_runs_stay_as_they_are) {
    static uint64_t numbers[COUNT];
    page_sample sample;
    lam_random random = lam_random_start(lam_test_seed(2));
    for (size_t i = 0; i < COUNT; i++)
        numbers[i] = lam_random_next(&random);
    start(&sample, (lam_value_layout){LAM_PHYSICAL_INT64, 8}, LAM_CODEC_ZSTD, false);
    cr_expect_eq(encode(&sample, numbers, COUNT), LAM_ENCODING_PLAIN);
    lam_numeric_encoding_restart(&sample.page);
    for (size_t i = 16; i < COUNT; i++)
        numbers[i] = numbers[i % 16];
    cr_expect_eq(encode(&sample, numbers, COUNT), LAM_ENCODING_PLAIN);
    finish(&sample);
}

Test(numeric_encoding, decimals_go_as_integers_where_all_readers_are_new) {
    static double numbers[COUNT];
    page_sample sample;
    fill(numbers, true);
    for (int newest = 0; newest < 2; newest++) {
        start(&sample, doubles, LAM_CODEC_ZSTD, newest == 1);
        cr_expect_eq(encode(&sample, numbers, COUNT) == LAM_ENCODING_ALP, newest == 1);
        finish(&sample);
    }
    start(&sample, doubles, LAM_CODEC_UNCOMPRESSED, true);
    cr_expect_eq(encode(&sample, numbers, COUNT), LAM_ENCODING_ALP);
    finish(&sample);
}

Test(numeric_encoding, fixed_byte_arrays_go_in_streams_only_where_all_readers_are_new) {
    static uint8_t uuids[COUNT][16];
    page_sample sample;
    lam_random random = lam_random_start(lam_test_seed(3));
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 12; j < 16; j++)
            uuids[i][j] = (uint8_t)lam_random_next(&random);
    for (int newest = 0; newest < 2; newest++) {
        lam_value_layout layout = {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 16};
        start(&sample, layout, LAM_CODEC_SNAPPY, newest == 1);
        cr_expect_eq(encode(&sample, uuids, COUNT) == LAM_ENCODING_BYTE_STREAM_SPLIT, newest == 1);
        finish(&sample);
    }
}

Test(numeric_encoding, the_choice_holds_until_the_chunk_ends) {
    static double numbers[COUNT];
    page_sample sample;
    fill(numbers, false);
    start(&sample, doubles, LAM_CODEC_ZSTD, false);
    cr_expect_eq(encode(&sample, numbers, 100), LAM_ENCODING_PLAIN, "too few to tell");
    cr_expect_eq(encode(&sample, numbers, COUNT), LAM_ENCODING_BYTE_STREAM_SPLIT);
    cr_expect_eq(encode(&sample, numbers, 100), LAM_ENCODING_BYTE_STREAM_SPLIT);
    lam_numeric_encoding_restart(&sample.page);
    cr_expect_eq(encode(&sample, numbers, 100), LAM_ENCODING_PLAIN);
    finish(&sample);
}

Test(numeric_encoding, memory_that_runs_out_is_told) {
    static double numbers[COUNT];
    page_sample sample;
    fill(numbers, true);
    lam_status status = LAM_STATUS_NOMEM;
    start(&sample, doubles, LAM_CODEC_SNAPPY, true);
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator failing = lam_failing_allocator(&counter);
        lam_numeric_encoding page;
        lam_buffer values;
        lam_encoding encoding;
        lam_numeric_encoding_init(&page, lam_kernels_get(), doubles, sample.page.options,
                                  sample.codecs, &failing);
        lam_buffer_init(&values, &failing);
        status = lam_plain_append(doubles, numbers, COUNT, &values, NULL);
        if (status == LAM_STATUS_OK)
            status = lam_numeric_encoding_encode(&page, &values, &encoding, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        lam_numeric_encoding_finish(&page);
        lam_buffer_finish(&values);
        cr_assert_eq(counter.live_bytes, 0);
    }
    finish(&sample);
}

/* Encodes pages of a chunk of random numbers or decimals, each request failing in turn. */
static lam_encoding fail_pages(bool decimals, bool streams, bool alp) {
    static double numbers[4 * COUNT];
    const size_t pages[] = {COUNT, 4 * COUNT};
    lam_encoding encoding = LAM_ENCODING_PLAIN;
    lam_status status = LAM_STATUS_NOMEM;
    page_sample sample;
    fill(numbers, decimals);
    for (size_t i = COUNT; i < 4 * COUNT; i++)
        numbers[i] = numbers[i % COUNT];
    start(&sample, doubles, LAM_CODEC_SNAPPY, true);
    sample.page.options.use_streams = streams;
    sample.page.options.use_alp = alp;
    for (size_t fail_at = 1; status == LAM_STATUS_NOMEM; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator failing = lam_failing_allocator(&counter);
        lam_numeric_encoding page;
        lam_buffer values;
        lam_numeric_encoding_init(&page, lam_kernels_get(), doubles, sample.page.options,
                                  sample.codecs, &failing);
        lam_buffer_init(&values, &failing);
        status = LAM_STATUS_OK;
        for (size_t i = 0; status == LAM_STATUS_OK && i < 2; i++) {
            lam_buffer_clear(&values);
            status = lam_plain_append(doubles, numbers, pages[i], &values, NULL);
            if (status == LAM_STATUS_OK)
                status = lam_numeric_encoding_encode(&page, &values, &encoding, NULL);
        }
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        lam_numeric_encoding_finish(&page);
        lam_buffer_finish(&values);
        cr_assert_eq(counter.live_bytes, 0);
    }
    finish(&sample);
    return encoding;
}

Test(numeric_encoding, memory_may_run_out_on_each_page_of_any_choice) {
    cr_expect_eq(fail_pages(true, false, true), LAM_ENCODING_ALP);
    cr_expect_eq(fail_pages(false, false, true), LAM_ENCODING_PLAIN);
    cr_expect_eq(fail_pages(false, true, false), LAM_ENCODING_BYTE_STREAM_SPLIT);
    cr_expect_eq(fail_pages(true, false, false), LAM_ENCODING_PLAIN);
}

/* Whether a page of int64 in a dictionary of `entries`, which ascend by 3, prefers deltas. */
static bool prefers_deltas(lam_codec codec, const uint32_t *indexes, size_t count, size_t entries) {
    page_sample sample;
    int64_t values[COUNT];
    bool pays = false;
    for (size_t i = 0; i < entries; i++)
        values[i] = INT64_C(1000000) + 3 * (int64_t)i;
    start(&sample, (lam_value_layout){LAM_PHYSICAL_INT64, 8}, codec, false);
    lam_dictionary dictionary = {values, entries};
    cr_assert_eq(
        lam_numeric_encoding_try_deltas(&sample.page, &dictionary, indexes, count, &pays, NULL),
        LAM_STATUS_OK);
    finish(&sample);
    return pays;
}

Test(numeric_encoding, keys_in_order_are_deltas_and_others_stay_in_the_dictionary) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};
    uint32_t keys[COUNT], any[COUNT], runs[COUNT], same[COUNT] = {0};
    lam_random random = lam_random_start(lam_test_seed(15));
    for (uint32_t i = 0; i < COUNT; i++) {
        keys[i] = i / 4;
        any[i] = (uint32_t)lam_random_below(&random, COUNT / 4);
        runs[i] = i / 1000;
    }
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        cr_expect(prefers_deltas(codecs[i], keys, COUNT, COUNT / 4), "keys, codec %zu", i);
        cr_expect_not(prefers_deltas(codecs[i], any, COUNT, COUNT / 4), "any, codec %zu", i);
        cr_expect_not(prefers_deltas(codecs[i], runs, COUNT, COUNT / 1000), "runs, codec %zu", i);
        cr_expect_not(prefers_deltas(codecs[i], same, COUNT, 1), "one value, codec %zu", i);
        cr_expect_not(prefers_deltas(codecs[i], keys, 1000, 250), "a short page, codec %zu", i);
    }
}

Test(numeric_encoding, memory_may_run_out_while_differences_are_tried) {
    static int64_t values[COUNT / 4];
    static uint32_t keys[COUNT];
    const lam_value_layout layout = {LAM_PHYSICAL_INT64, 8};
    page_sample sample;
    lam_status status = LAM_STATUS_NOMEM;
    bool pays = false;
    for (uint32_t i = 0; i < COUNT; i++)
        keys[i] = i / 4;
    for (size_t i = 0; i < COUNT / 4; i++)
        values[i] = 3 * (int64_t)i;
    const lam_dictionary dictionary = {values, COUNT / 4};
    start(&sample, layout, LAM_CODEC_SNAPPY, false);
    for (size_t fail_at = 1; status == LAM_STATUS_NOMEM; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator failing = lam_failing_allocator(&counter);
        lam_numeric_encoding page;
        lam_numeric_encoding_init(&page, lam_kernels_get(), layout, sample.page.options,
                                  sample.codecs, &failing);
        status = lam_numeric_encoding_try_deltas(&page, &dictionary, keys, COUNT, &pays, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        lam_numeric_encoding_finish(&page);
        cr_assert_eq(counter.live_bytes, 0);
    }
    cr_assert_eq(status, LAM_STATUS_OK);
    cr_assert(pays);
    finish(&sample);
}
