/* SPDX-License-Identifier: Apache-2.0 */
/* Brotli from bytes written by hand from RFC 7932, at every level, and within limits of memory. */
#include "codec/codec_brotli.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/buffer.h"
#include "support/failing_alloc.h"
#include "support/random.h"

/*
 * A window of 64 KiB; a meta-block of 3 bytes that stand as they are; the empty last meta-block.
 * (RFC 7932, section 9)
 */
#define ABC                                                                                        \
    "\x20\x00\x10"                                                                                 \
    "abc"                                                                                          \
    "\x03"
#define EMPTY "\x06"

/* Both sides in heap blocks of exactly their size. */
static lam_status decompress(const lam_allocator *allocator, const void *bytes, size_t size,
                             const void *expected, size_t expected_size) {
    uint8_t *from = malloc(size), *to = malloc(expected_size);
    memcpy(from, bytes, size);
    lam_bytes in = {from, size};
    lam_status status = lam_brotli_decompress(allocator, in, to, expected_size, NULL);
    if (status == LAM_STATUS_OK && expected_size > 0)
        cr_assert_eq(memcmp(to, expected, expected_size), 0);
    free(from);
    free(to);
    return status;
}

static lam_status decompress_text(const char *bytes, size_t size, const char *expected) {
    lam_allocator allocator = lam_allocator_default();
    return decompress(&allocator, bytes, size, expected, strlen(expected));
}

#define DECOMPRESS(literal, expected) decompress_text(literal, sizeof(literal) - 1, expected)

Test(codec_brotli, an_uncompressed_meta_block_is_its_bytes) {
    cr_assert_eq(DECOMPRESS(ABC, "abc"), LAM_STATUS_OK);
    cr_assert_eq(DECOMPRESS(EMPTY, ""), LAM_STATUS_OK);
}

Test(codec_brotli, a_stream_must_give_the_stated_size_and_be_all) {
    cr_assert_eq(DECOMPRESS(ABC, "ab"), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(ABC, "abcd"), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(ABC, ""), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(EMPTY, "a"), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(ABC "\x00", "abc"), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(ABC ABC, "abcabc"), LAM_STATUS_CORRUPT);
    for (size_t cut = 0; cut < sizeof(ABC) - 1; cut++)
        cr_assert_eq(decompress_text(ABC, cut, "abc"), LAM_STATUS_CORRUPT);
}

Test(codec_brotli, a_window_of_16_mib_around_few_bytes_costs_little_memory) {
    /* The window in 4 bits, so that the header of the meta-block moves by three. */
    static const char wide[] = "\x0F\x01\x80"
                               "abc"
                               "\x03";
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    cr_assert_eq(decompress(&allocator, wide, sizeof wide - 1, "abc", 3), LAM_STATUS_OK);
    cr_assert_lt(counter.peak_bytes, 100000);
    cr_assert_eq(counter.live_bytes, 0);
}

Test(codec_brotli, every_level_at_every_allocation_that_fails) {
    static uint8_t data[20000];
    lam_random random = lam_random_start(lam_test_seed(55));
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i < 50 || lam_random_chance(&random, 10) ? lam_random_next(&random)
                                                                     : data[i - 50]);
    lam_bytes in = {data, sizeof data};
    for (int32_t level = 0; level <= LAM_BROTLI_LEVEL_MAX; level++) {
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t attempt = 1; status != LAM_STATUS_OK; attempt++) {
            lam_failing_alloc counter = {.fail_at = attempt};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_buffer out;
            lam_buffer_init(&out, &allocator);
            status = lam_brotli_compress(&allocator, level, in, &out, NULL);
            if (status == LAM_STATUS_OK)
                status = decompress(&allocator, out.data, out.size, data, sizeof data);
            else
                cr_assert_eq(out.size, 0);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "level %d, %zu: %d",
                      (int)level, attempt, (int)status);
            lam_buffer_finish(&out);
            cr_assert_eq(counter.live_bytes, 0);
            cr_assert_eq(counter.wrong_sizes, 0);
        }
    }
}

Test(codec_brotli, noise_at_the_lowest_level_fits) {
    static uint8_t data[300000];
    lam_allocator allocator = lam_allocator_default();
    lam_random random = lam_random_start(lam_test_seed(56));
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)lam_random_next(&random);
    lam_bytes in = {data, sizeof data};
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_brotli_compress(&allocator, 1, in, &out, NULL), LAM_STATUS_OK);
    cr_assert_eq(decompress(&allocator, out.data, out.size, data, sizeof data), LAM_STATUS_OK);
    lam_buffer_finish(&out);
}

Test(codec_brotli, more_than_a_page_holds_is_refused_unread) {
    lam_allocator allocator = lam_allocator_default();
    uint8_t byte = 0;
    lam_error error;
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(
        lam_brotli_compress(&allocator, 0, (lam_bytes){&byte, (size_t)INT32_MAX + 1}, &out, &error),
        LAM_STATUS_LIMIT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FORMAT_LIMIT);
    cr_assert_eq(out.capacity, 0);
}

/* Level 11 takes 30 MB for a page of 256 KiB, and level 5 less than 3. */
Test(codec_brotli, a_bound_of_memory_chooses_a_level_that_fits_in_it) {
    enum { PAGE = 256 << 10, BOUND = 8 << 20, TOO_LITTLE = 64 << 10 };
    static uint8_t page[PAGE];
    lam_allocator heap = lam_allocator_default();
    lam_budget budget;
    lam_buffer out, high;
    for (size_t i = 0; i < PAGE; i++)
        page[i] = (uint8_t)(i * i >> 7);
    lam_bytes in = {page, PAGE};
    lam_budget_init(&budget, &heap, BOUND);
    lam_allocator within = lam_budget_allocator(&budget);
    lam_buffer_init(&out, &heap);
    lam_buffer_init(&high, &heap);
    cr_assert_eq(lam_brotli_compress(&heap, 11, in, &high, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_brotli_compress(&within, 11, in, &out, NULL), LAM_STATUS_OK);
    cr_assert_eq(decompress(&heap, out.data, out.size, page, PAGE), LAM_STATUS_OK);
    cr_assert(out.size != high.size || memcmp(out.data, high.data, out.size) != 0);
    cr_assert_eq(lam_budget_used(&budget), 0);
    lam_buffer_clear(&out);
    lam_budget_init(&budget, &heap, TOO_LITTLE);
    cr_assert_eq(lam_brotli_compress(&within, 11, in, &out, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(out.size, 0);
    lam_buffer_finish(&out);
    lam_buffer_finish(&high);
}
