/* SPDX-License-Identifier: Apache-2.0 */
/* Zstandard frames written by hand, several in a page, and contexts that live on the allocator. */
#include "codec/codec_zstd.h"

#include <criterion/criterion.h>
#include <string.h>

#include "support/failing_alloc.h"

/* A frame of one raw block that holds "abc", its content size stated. */
static const char frame[] = "\x28\xB5\x2F\xFD\x20\x03\x19\x00\x00"
                            "abc";
enum { FRAME_SIZE = sizeof frame - 1 };

static lam_status decompress(const void *bytes, size_t size, uint8_t *out, size_t out_size) {
    lam_allocator allocator = lam_allocator_default();
    lam_zstd zstd = {&allocator, NULL, NULL};
    lam_bytes in = {bytes, size};
    lam_status status = lam_zstd_decompress(&zstd, in, out, out_size, NULL);
    lam_zstd_finish(&zstd);
    return status;
}

Test(codec_zstd, a_raw_block_is_its_bytes) {
    uint8_t out[3];
    cr_assert_eq(decompress(frame, FRAME_SIZE, out, 3), LAM_STATUS_OK);
    cr_assert_arr_eq(out, "abc", 3);
}

Test(codec_zstd, frames_may_follow_each_other) {
    char two[2 * FRAME_SIZE];
    uint8_t out[6];
    memcpy(two, frame, FRAME_SIZE);
    memcpy(two + FRAME_SIZE, frame, FRAME_SIZE);
    cr_assert_eq(decompress(two, sizeof two, out, 6), LAM_STATUS_OK);
    cr_assert_arr_eq(out, "abcabc", 6);
}

Test(codec_zstd, a_frame_that_states_gigabytes_is_corrupt_and_costs_no_memory) {
    /* One block of 128 KiB of one byte in a frame that says 2^32 bytes. */
    static const char bomb[] = "\x28\xB5\x2F\xFD\xE0\x00\x00\x00\x00\x01\x00\x00\x00\x03\x00\x10x";
    uint8_t out[100];
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_zstd zstd = {&allocator, NULL, NULL};
    lam_bytes in = {(const uint8_t *)bomb, sizeof bomb - 1};
    cr_assert_eq(lam_zstd_decompress(&zstd, in, out, sizeof out, NULL), LAM_STATUS_CORRUPT);
    cr_assert_lt(counter.peak_bytes, 1 << 20);
    lam_zstd_finish(&zstd);
    cr_assert_eq(counter.live_bytes, 0);
}

Test(codec_zstd, contexts_live_on_the_allocator_and_are_used_again) {
    static uint8_t data[3000];
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_allocator heap = lam_allocator_default();
    lam_zstd zstd = {&allocator, NULL, NULL};
    lam_bytes in = {data, sizeof data};
    lam_buffer out;
    lam_buffer_init(&out, &heap);
    cr_assert_eq(lam_zstd_compress(&zstd, 3, in, &out, NULL), LAM_STATUS_OK);
    size_t requests = counter.requests;
    cr_assert_gt(requests, 0);
    cr_assert_eq(lam_zstd_compress(&zstd, 3, in, &out, NULL), LAM_STATUS_OK);
    cr_assert_eq(counter.requests, requests);
    lam_buffer_finish(&out);
    lam_zstd_finish(&zstd);
    cr_assert_eq(counter.live_bytes, 0);
}

Test(codec_zstd, more_than_the_library_counts_is_refused_unread) {
    lam_allocator allocator = lam_allocator_default();
    lam_zstd zstd = {&allocator, NULL, NULL};
    lam_error error;
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(
        lam_zstd_compress(&zstd, 0, (lam_bytes){(const uint8_t *)frame, SIZE_MAX}, &out, &error),
        LAM_STATUS_LIMIT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FORMAT_LIMIT);
    cr_assert_eq(out.capacity, 0);
    lam_zstd_finish(&zstd);
}
