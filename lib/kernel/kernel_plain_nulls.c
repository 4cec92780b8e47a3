/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the kernels of nulls and lists in plain C, on 64 bits at once: between definition
 * levels as bytes, values without gaps (the format's) and bitmaps with one value per slot
 * (Arrow's). Bitmaps number their bits from the lowest of the first byte on; the bits past `count`
 * are ignored on input and 0 on output. The Dremel paper, section 4.1, defines the levels.
 *
 *     an optional column, maximum level 1:   5  null  7  7  null
 *     levels      1 0 1 1 0                  at_least_u8(1)   bits 01101 = 0D
 *     values      5 7 7                      spread           5 0 7 7 0
 */
#include <string.h>

#include "base/bytes.h"
#include "base/wrap.h"
#include "kernel/kernel_versions.h"

/* The same byte eight times. */
#define KERNEL_PLAIN_NULLS_BYTES(x) ((x)*UINT64_C(0x0101010101010101))

/*
 * Counts the ones of a word: in pairs of bits, then in nibbles, then in bytes, whose sums the
 * product adds up in the top byte. The sum is 64 at most and fits.
 */
LAM_WRAPS static LAM_ALWAYS_INLINE unsigned ones_of(uint64_t x) {
    x -= x >> 1 & KERNEL_PLAIN_NULLS_BYTES(0x55);
    x = (x & KERNEL_PLAIN_NULLS_BYTES(0x33)) + (x >> 2 & KERNEL_PLAIN_NULLS_BYTES(0x33));
    return (unsigned)(((x + (x >> 4)) & KERNEL_PLAIN_NULLS_BYTES(0x0F)) *
                          KERNEL_PLAIN_NULLS_BYTES(0x01) >>
                      56);
}

/*
 * Loads bits `at` to `at` + 63, with 0 for those from `count` on. `at` is a multiple of 8 and less
 * than `count`; the last word is loaded byte by byte, so no byte after the bitmap is read.
 */
static LAM_ALWAYS_INLINE uint64_t kernel_plain_nulls_load_bits(const uint8_t *bits, size_t at,
                                                               size_t count) {
    if (count - at >= 64)
        return lam_load_le64(bits + at / 8);
    uint64_t x = 0;
    size_t left = count - at;
    for (size_t i = 0; i < (left + 7) / 8; i++)
        x |= (uint64_t)bits[at / 8 + i] << 8 * i;
    return x & (((uint64_t)1 << left) - 1);
}

/* --- Levels to bits ------------------------------------------------------------------------ */

/* Bit i is 1 when byte i of `x` is at least byte i of `least`, as unsigned numbers. */
LAM_WRAPS static LAM_ALWAYS_INLINE uint8_t bits_at_least(uint64_t x, uint64_t least) {
    /*
     * `low` compares the lower seven bits: its top bit stays set where those of x are not smaller.
     * The top bit is set beforehand, so no byte borrows from the next. If the top bits of x and
     * least differ, they decide; if they are equal, `low` does.
     */
    uint64_t low = (x | KERNEL_PLAIN_NULLS_BYTES(0x80)) - (least & KERNEL_PLAIN_NULLS_BYTES(0x7F));
    uint64_t is_at_least =
        ((x & ~least) | (~(x ^ least) & low)) >> 7 & KERNEL_PLAIN_NULLS_BYTES(0x01);
    return (uint8_t)(is_at_least * UINT64_C(0x0102040810204080) >> 56);
}

/*
 * Turns levels into a bitmap: 0 2 1 2 with least 2 gives 1010, the first level in the lowest bit.
 * `least` is the definition level from which a slot exists or a value is present.
 */
void lam_at_least_u8_plain(const uint8_t *values, size_t count, uint8_t least, uint8_t *bits) {
    uint64_t all = KERNEL_PLAIN_NULLS_BYTES((uint64_t)least);
    for (; count >= 8; count -= 8, values += 8)
        *bits++ = bits_at_least(lam_load_le64(values), all);
    if (count > 0) {
        unsigned last = 0;
        for (size_t i = 0; i < count; i++)
            last |= (unsigned)(values[i] >= least) << i;
        *bits = (uint8_t)last;
    }
}

/* --- Choosing bits ------------------------------------------------------------------------- */

/*
 * Moves the bits of `x` where `mask` is 1 side by side to the low end: abcdefgh under 10010110
 * gives 0000adfg. A bit has to move down by the number of zeros below it in the mask. Step 1 moves
 * the bits for which that number is odd by one, the next step those for which half of the number is
 * odd by two, and so on: six steps for 64 bits. (Hacker's Delight, section 7-4)
 */
static uint64_t choose_64(uint64_t x, uint64_t mask) {
    x &= mask;
    /* Shifted by one, so that bit i of `zeros` is about the position below i. */
    uint64_t zeros = ~mask << 1;
    for (unsigned step = 1; step < 64; step *= 2) {
        /* After the loop, bit i is the parity of the ones of `zeros` at or below i. */
        uint64_t parity = zeros;
        for (unsigned shift = 1; shift < 64; shift *= 2)
            parity ^= parity << shift;
        /* The mask moves as its bits do, so it stays aligned with x. */
        uint64_t moved = parity & mask;
        mask = (mask ^ moved) | moved >> step;
        uint64_t bits = x & moved;
        x = (x ^ bits) | bits >> step;
        /* Keeps every second zero: the next parity is that of half of the number. */
        zeros &= ~parity;
    }
    return x;
}

/*
 * Removes the slots that do not exist: the bits 1101 under the mask 0111 give 101 and return 3.
 * `open` always has `used` bits, less than 64, that wait for a full word.
 */
size_t lam_choose_bits_plain(const uint8_t *bits, const uint8_t *chosen, size_t count,
                             uint8_t *result) {
    uint64_t open = 0; /* bits that do not fill a word yet */
    unsigned used = 0;
    size_t total = 0;
    for (size_t at = 0; at < count; at += 64) {
        uint64_t mask = kernel_plain_nulls_load_bits(chosen, at, count),
                 x = kernel_plain_nulls_load_bits(bits, at, count);
        unsigned some = ones_of(mask);
        if (some == 0)
            continue;
        if (some < 64)
            x = choose_64(x, mask);
        total += some;
        open |= x << used;
        /* The bits of x that did not fit above `used` start the next word. */
        if (used + some >= 64) {
            lam_store_le64(result, open);
            result += 8;
            open = used > 0 ? x >> (64 - used) : 0;
        }
        used = (used + some) % 64;
    }
    for (unsigned i = 0; i < used; i += 8)
        *result++ = (uint8_t)(open >> i);
    return total;
}

/* --- Lists --------------------------------------------------------------------------------- */

/*
 * Makes list offsets from two bitmaps over the slots of a list's elements. For each 1 in `starts`,
 * writes `base` plus the ones of `elements` before that slot:
 *
 *     [a b] [] [c]     a slot for each element, and one for the empty list
 *     starts           1 0 1 1    the slot begins a list
 *     elements         1 1 0 1    the slot has an element
 *     offsets          0   2 2    and 3 is returned, the end of the last list
 *
 * The loop clears the lowest 1 of `start` each time; start & -start, less 1, has the bits below it.
 */
#define KERNEL_PLAIN_NULLS_COUNT_BEFORE(TYPE)                                                      \
    uint64_t all = base;                                                                           \
    for (size_t at = 0; at < count; at += 64) {                                                    \
        uint64_t start = kernel_plain_nulls_load_bits(starts, at, count),                          \
                 element = kernel_plain_nulls_load_bits(elements, at, count);                      \
        for (; start != 0; start &= start - 1)                                                     \
            *counts++ = (TYPE)(all + ones_of(element & ((start & (0 - start)) - 1)));              \
        all += ones_of(element);                                                                   \
    }                                                                                              \
    return all - base;

LAM_WRAPS uint64_t lam_count_before_32_plain(const uint8_t *starts, const uint8_t *elements,
                                             size_t count, uint32_t base, uint32_t *counts){
    KERNEL_PLAIN_NULLS_COUNT_BEFORE(uint32_t)}

LAM_WRAPS uint64_t lam_count_before_64_plain(const uint8_t *starts, const uint8_t *elements,
                                             size_t count, uint64_t base, uint64_t *counts) {
    KERNEL_PLAIN_NULLS_COUNT_BEFORE(uint64_t)
}

/* --- Gaps ---------------------------------------------------------------------------------- */

/*
 * Moves elements apart in place: 5 7 7 with the bits 01101 becomes 5 0 7 7 0. It goes from the
 * back, so that no element is overwritten before it is moved: element `present` is at or before
 * slot i while ones are left. Once i equals `present`, all slots below are present and in place.
 */
static LAM_ALWAYS_INLINE void spread_sized(uint8_t *elements, size_t size, size_t present,
                                           const uint8_t *bits, size_t count) {
    for (size_t i = count; i > present;) {
        i--;
        if (bits[i / 8] >> i % 8 & 1) {
            present--;
            memmove(elements + i * size, elements + present * size, size);
        } else {
            memset(elements + i * size, 0, size);
        }
    }
}

/*
 * The same without a branch for each element. When the bit is 0, to[present] may be read though it
 * is moved already, or be the slot itself: the value is not used.
 */
#define SPREAD_NUMBERS(TYPE)                                                                       \
    TYPE *to = elements;                                                                           \
    for (size_t i = count; i > present;) {                                                         \
        i--;                                                                                       \
        TYPE bit = bits[i / 8] >> i % 8 & 1;                                                       \
        present -= bit;                                                                            \
        to[i] = bit != 0 ? to[present] : 0;                                                        \
    }

static void kernel_plain_nulls_spread_4(void *elements, size_t present, const uint8_t *bits,
                                        size_t count) {
    SPREAD_NUMBERS(uint32_t)
}

static void kernel_plain_nulls_spread_8(void *elements, size_t present, const uint8_t *bits,
                                        size_t count) {
    SPREAD_NUMBERS(uint64_t)
}

/* A constant size turns memmove and memset into single moves; other sizes take calls. */
void lam_spread_plain(void *elements, size_t size, size_t present, const uint8_t *bits,
                      size_t count) {
    switch (size) {
    case 0:
        break;
    case 1:
        spread_sized(elements, 1, present, bits, count);
        break;
    case 2:
        spread_sized(elements, 2, present, bits, count);
        break;
    case 4:
        kernel_plain_nulls_spread_4(elements, present, bits, count);
        break;
    case 8:
        kernel_plain_nulls_spread_8(elements, present, bits, count);
        break;
    case 16:
        spread_sized(elements, 16, present, bits, count);
        break;
    default:
        spread_sized(elements, size, present, bits, count);
        break;
    }
}
