/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels in the deprecated BIT_PACKED encoding, by the example of the specification and for every
 * width.
 */
#include "encoding/bit_packed.h"

#include <criterion/criterion.h>

#include "encoding/rle.h"
#include "support/failing_alloc.h"

/* Reads `count` levels back from their BIT_PACKED bytes, by way of the hybrid. */
static void read_back(lam_bytes bytes, uint32_t count, unsigned width, uint8_t *levels) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer runs;
    lam_buffer_init(&runs, &allocator);
    cr_assert_eq(lam_bit_packed_to_runs(lam_kernels_get(), bytes, count, width, &runs, NULL),
                 LAM_STATUS_OK);
    lam_rle_decoder decoder;
    cr_assert_eq(
        lam_rle_decoder_init(&decoder, lam_kernels_get(), lam_buffer_bytes(&runs), width, NULL),
        LAM_STATUS_OK);
    cr_assert_eq(lam_rle_read_levels(&decoder, count, levels, NULL), LAM_STATUS_OK);
    lam_buffer_finish(&runs);
}

Test(bit_packed, the_example_of_the_specification_reads) {
    static const uint8_t packed[] = {0x05, 0x39, 0x77}; /* 0 to 7 in 3 bits */
    uint8_t levels[8];
    read_back((lam_bytes){packed, sizeof packed}, 8, 3, levels);
    for (uint8_t i = 0; i < 8; i++)
        cr_assert_eq(levels[i], i);
}

Test(bit_packed, every_width_and_count_reads) {
    for (unsigned width = 1; width <= 8; width++)
        for (uint32_t count = 0; count <= 600; count += 37) {
            uint8_t wanted[600], levels[600], packed[600] = {0};
            for (uint32_t i = 0; i < count; i++) {
                wanted[i] = (uint8_t)((i * 7 + i / 3) & ((1u << width) - 1));
                for (unsigned bit = 0; bit < width; bit++)
                    if ((wanted[i] >> (width - 1 - bit) & 1) != 0)
                        packed[(i * width + bit) / 8] |= (uint8_t)(0x80 >> (i * width + bit) % 8);
            }
            lam_bytes bytes = {packed, (size_t)lam_bit_packed_size(count, width)};
            read_back(bytes, count, width, levels);
            if (count > 0)
                cr_assert_arr_eq(levels, wanted, count);
        }
}

Test(bit_packed, the_size_does_not_overflow) {
    cr_assert_eq(lam_bit_packed_size(UINT32_MAX, 8), UINT32_MAX);
    cr_assert_eq(lam_bit_packed_size(9, 1), 2);
    cr_assert_eq(lam_bit_packed_size(5, 0), 0);
}

Test(bit_packed, no_memory_is_an_error) {
    lam_failing_alloc counter = {0};
    counter.fail_at = 1;
    lam_allocator allocator = lam_failing_allocator(&counter);
    static const uint8_t packed[] = {0x55};
    lam_buffer runs;
    lam_buffer_init(&runs, &allocator);
    cr_assert_eq(
        lam_bit_packed_to_runs(lam_kernels_get(), (lam_bytes){packed, 1}, 8, 1, &runs, NULL),
        LAM_STATUS_NOMEM);
    lam_buffer_finish(&runs);
    cr_assert_eq(counter.live_bytes, 0);
}
