#include "arrow/array_bits.h"

#include <string.h>

#include "kernel/kernel.h"

static int64_t count_ones_64(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (int64_t)(x * 0x0101010101010101u >> 56);
}

int64_t lam_bits_count_zeros(const uint8_t *bits, int64_t start, int64_t count) {
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

void lam_bits_to_bytes(const uint8_t *bits, int64_t start, int64_t count, uint8_t *bytes) {
    int64_t at = start, end = start + count;
    for (; at < end && at % 8 != 0; at++)
        *bytes++ = lam_bit_at(bits, at);
    if (at < end)
        lam_kernels_get()->unpack_u8(bits + at / 8, 1, (size_t)(end - at), bytes);
}
