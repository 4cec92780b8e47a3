/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts and unpacks the bits of validity bitmaps. A range of bits may start and end anywhere
 * within a byte; the full bytes between are taken eight at a time.
 *
 * A byte that holds none of the requested bits is never read, as the producer of an array does not
 * promise any padding after the last one. (Arrow columnar format, "Validity bitmaps")
 */
#include "arrow/array/array_bits.h"

#include <string.h>

/*
 * Adds neighbours in parallel: first bits to sums of 2 bits, then those to sums of 4 and 8; the
 * multiplication adds the eight bytes into the highest one.
 */
static int64_t count_ones_64(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (int64_t)(x * 0x0101010101010101u >> 56);
}

int64_t lam_bits_count_zeros(const uint8_t *bits, int64_t start, int64_t count) {
    /*
     * Up to the first byte boundary, then words of 64 bits, then what remains. The order of bytes
     * in a word does not matter, as ones are only counted.
     */
    int64_t ones = 0, at = start, end = start + count;
    for (; at < end && at % 8 != 0; at++)
        ones += lam_bit_at(bits, at);
    for (; end - at >= 64; at += 64) {
        uint64_t word;
        memcpy(&word, bits + at / 8, sizeof word);
        ones += count_ones_64(word);
    }
    for (; at < end; at++)
        ones += lam_bit_at(bits, at);
    return count - ones;
}

void lam_bits_to_bytes(const lam_kernels *kernels, const uint8_t *bits, int64_t start,
                       int64_t count, uint8_t *bytes) {
    /* The kernel starts at a byte boundary. */
    int64_t at = start, end = start + count;
    for (; at < end && at % 8 != 0; at++)
        *bytes++ = lam_bit_at(bits, at);
    if (at < end)
        kernels->unpack_u8(bits + at / 8, 1, (size_t)(end - at), bytes);
}
