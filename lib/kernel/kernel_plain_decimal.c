/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns big-endian numbers of up to 16 bytes into numbers of the machine in plain C, by two limbs
 * of 64 bits. Takes numbers back to back, in two's complement, highest byte first, and gives slots,
 * and whether all numbers are between the bounds. No byte past the last number is ever read.
 * (LogicalTypes.md, DECIMAL)
 *
 *     FF 38   ->   limbs FFFFFFFFFFFFFF38 FFFFFFFFFFFFFFFF   (-200)
 */
#include <string.h>

#include "base/bytes.h"
#include "kernel/kernel_versions.h"

/*
 * Loads one to eight bytes, the highest first, without sign. Two loads that may overlap replace a
 * loop: for six bytes, bytes 0 to 3 shifted by 16 bits, OR bytes 2 to 5.
 */
static LAM_ALWAYS_INLINE uint64_t kernel_load_big(const uint8_t *bytes, size_t size) {
    if (size == 8)
        return lam_swap64(lam_load_le64(bytes));
    if (size >= 4) {
        uint64_t high = lam_swap32(lam_load_le32(bytes));
        return high << 8 * (size - 4) | lam_swap32(lam_load_le32(bytes + size - 4));
    }
    uint64_t x = 0;
    for (size_t i = 0; i < size; i++)
        x = x << 8 | bytes[i];
    return x;
}

/* The magnitude, by XOR with the sign and a carry, must be below the bound. */
static LAM_ALWAYS_INLINE bool kernel_is_below(uint64_t low, uint64_t high, const uint64_t *bound) {
    uint64_t sign = (uint64_t)((int64_t)high >> 63);
    uint64_t first = (low ^ sign) - sign, second = (high ^ sign) + (sign != 0 && first == 0);
    return second < bound[1] || (second == bound[1] && first < bound[0]);
}

/* Limbs above 64 bits repeat the sign. */
static LAM_ALWAYS_INLINE void kernel_store_number(uint64_t low, uint64_t high, size_t slot_size,
                                                  uint8_t *slot) {
    uint64_t sign = (uint64_t)((int64_t)high >> 63);
    uint32_t narrow = (uint32_t)low;
    const uint64_t limbs[4] = {low, high, sign, sign};
    if (slot_size == sizeof narrow)
        memcpy(slot, &narrow, sizeof narrow);
    for (size_t i = 0, count = slot_size / 8; i < count; i++)
        memcpy(slot + 8 * (LAM_BIG_ENDIAN ? count - 1 - i : i), &limbs[i], 8);
}

bool lam_widen_big_endian_plain(const uint8_t *bytes, size_t size, size_t count,
                                const uint64_t *bound, size_t slot_size, void *slots) {
    uint8_t *slot = slots;
    bool good = true;
    for (size_t i = 0; i < count; i++, bytes += size, slot += slot_size) {
        uint64_t sign = bytes[0] >= 0x80 ? UINT64_MAX : 0, high = sign;
        size_t some = size < 8 ? size : 8;
        uint64_t low = kernel_load_big(bytes + size - some, some);
        if (some < 8)
            low |= sign << 8 * some;
        else if (size > 8)
            high = kernel_load_big(bytes, size - 8) | (size < 16 ? sign << 8 * (size - 8) : 0);
        good &= kernel_is_below(low, high, bound);
        kernel_store_number(low, high, slot_size, slot);
    }
    return good;
}
