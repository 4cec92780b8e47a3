/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packs and unpacks numbers of 32 and of 64 bits in plain C, one template for both. Takes numbers,
 * and a width of up to their bits, and gives the low bits of each, back to back, or the reverse.
 * Numbers of 64 bits have loops for widths above 32 only, and use those of 32 bits otherwise. No
 * byte past the packed size is ever read or written, and no element past `count`. (Encodings.md,
 * "Run Length Encoding / Bit-Packing Hybrid")
 *
 *     values 0 1 2 3 4 5 6 7, width 3, first value in the lowest bits:
 *
 *     bytes   88        C6        FA
 *     bits    10001000  11000110  11111010
 *             22111000  54443332  77766655    the value that each bit belongs to
 *
 * Eight values of width w fill exactly w bytes: this group is the unit of all loops. There is a
 * loop for each width, in which all shifts and masks are constants: one loop for all widths takes
 * three to six times as long. Values wider than 57 bits may spread over nine bytes:
 *
 *     width 60, value 1: bits 60 to 119 = 4 bits of byte 7, all of bytes 8 to 14
 */
#include <string.h>

#include "base/bytes.h"
#include "kernel/kernel_versions.h"

/* Keeps the low `width` bits; `width` is 1 to 64, as a shift by 64 is undefined. */
static LAM_ALWAYS_INLINE uint64_t low_bits(uint64_t x, unsigned width) {
    return x & UINT64_MAX >> (64 - width);
}

/*
 * Loads a group of widths 1 to 7, which has fewer than eight bytes, without a loop. Two or three
 * loads overlap, and a byte that is loaded twice lands on itself: for width 6, bytes 0 to 3 and
 * bytes 2 to 5 shifted up by 16.
 */
static LAM_ALWAYS_INLINE uint64_t load_group(const uint8_t *packed, unsigned width) {
    if (width < 4)
        return packed[0] | (uint64_t)packed[width / 2] << width / 2 * 8 |
               (uint64_t)packed[width - 1] << (width - 1) * 8;
    unsigned rest = width - 4;
    return lam_load_le32(packed) | (uint64_t)lam_load_le32(packed + rest) << rest * 8;
}

/*
 * Value `at` of a group. `group` is its bytes as a number for widths below 8, and unused otherwise.
 * For width 60, value 1: eight bytes from byte 7 on, shifted down by 4, have all of it. Value 3 of
 * width 61 starts at bit 183 = 8 * 22 + 7, and its last 4 bits are those of a ninth byte.
 */
static LAM_ALWAYS_INLINE uint64_t value_of_8(const uint8_t *packed, uint64_t group, unsigned width,
                                             unsigned at) {
    unsigned bit = at * width;
    if (width < 8)
        return low_bits(group >> bit, width);
    /*
     * The start is moved back if eight bytes would pass the end of the group. The value then ends
     * in the last byte at the latest, so the ninth byte is only read where it exists.
     */
    unsigned byte = bit / 8 < width - 8 ? bit / 8 : width - 8;
    unsigned shift = bit - 8 * byte;
    uint64_t x = lam_load_le64(packed + byte) >> shift;
    if (shift + width > 64)
        x |= (uint64_t)packed[byte + 8] << (64 - shift);
    return low_bits(x, width);
}

/* Packs one group: collects bits from the low end up and stores words of 32 or 64 of them. */
typedef struct bit_writer {
    uint64_t bits;
    unsigned count; /* below that of a word between values */
    uint8_t *next;
} bit_writer;

/* Values of up to 32 bits always have room above a word of 32. */
static LAM_ALWAYS_INLINE void put_bits_32(bit_writer *writer, uint64_t value, unsigned width) {
    writer->bits |= low_bits(value, width) << writer->count;
    writer->count += width;
    if (writer->count >= 32) {
        lam_store_le32(writer->next, (uint32_t)writer->bits);
        writer->next += 4;
        writer->bits >>= 32;
        writer->count -= 32;
    }
}

/* The bits that do not fit start the next word; a shift by 64 is avoided if there are none. */
static LAM_ALWAYS_INLINE void put_bits_64(bit_writer *writer, uint64_t value, unsigned width) {
    value = low_bits(value, width);
    writer->bits |= value << writer->count;
    if (writer->count + width >= 64) {
        lam_store_le64(writer->next, writer->bits);
        writer->next += 8;
        writer->bits = writer->count > 0 ? value >> (64 - writer->count) : 0;
        writer->count = writer->count + width - 64;
    } else {
        writer->count += width;
    }
}

/* Full words are out; `rest` bytes are left. */
static LAM_ALWAYS_INLINE void end_packed(const bit_writer *writer, unsigned rest) {
    for (unsigned i = 0; i < rest; i++)
        writer->next[i] = (uint8_t)(writer->bits >> 8 * i);
}

/* clang-format off */
#define WIDTHS_TO_32(DO, BITS)                                                                              \
    DO(1, BITS) DO(2, BITS) DO(3, BITS) DO(4, BITS) DO(5, BITS) DO(6, BITS) DO(7, BITS) DO(8, BITS)         \
    DO(9, BITS) DO(10, BITS) DO(11, BITS) DO(12, BITS) DO(13, BITS) DO(14, BITS) DO(15, BITS) DO(16, BITS)  \
    DO(17, BITS) DO(18, BITS) DO(19, BITS) DO(20, BITS) DO(21, BITS) DO(22, BITS) DO(23, BITS) DO(24, BITS) \
    DO(25, BITS) DO(26, BITS) DO(27, BITS) DO(28, BITS) DO(29, BITS) DO(30, BITS) DO(31, BITS) DO(32, BITS)
#define WIDTHS_TO_64(DO, BITS)                                                                              \
    DO(33, BITS) DO(34, BITS) DO(35, BITS) DO(36, BITS) DO(37, BITS) DO(38, BITS) DO(39, BITS) DO(40, BITS) \
    DO(41, BITS) DO(42, BITS) DO(43, BITS) DO(44, BITS) DO(45, BITS) DO(46, BITS) DO(47, BITS) DO(48, BITS) \
    DO(49, BITS) DO(50, BITS) DO(51, BITS) DO(52, BITS) DO(53, BITS) DO(54, BITS) DO(55, BITS) DO(56, BITS) \
    DO(57, BITS) DO(58, BITS) DO(59, BITS) DO(60, BITS) DO(61, BITS) DO(62, BITS) DO(63, BITS) DO(64, BITS)
/* clang-format on */

/*
 * If a compiler takes several groups at once, the text doubles and only some loops get quicker:
 * those of 32 bits and widths that are powers of two; reading, up to width 4. This keeps it from
 * the others: it cannot know what comes out of a line of assembly, though there is none.
 */
#define ONE_BY_ONE(pointer) __asm__("" : "+r"(pointer))
#define IS_POWER_OF_TWO(WIDTH) (((WIDTH) & ((WIDTH)-1)) == 0)

/* The loops of one width: `i` counts groups, and each call has a constant `at`. */
#define LOOPS_OF_WIDTH(WIDTH, BITS)                                                                \
    static void unpack_groups_##BITS##_##WIDTH(const uint8_t *from, size_t groups,                 \
                                               packed_##BITS *to) {                                \
        for (size_t i = 0; i < groups; i++, from += WIDTH, to += 8) {                              \
            if (BITS == 64 || !IS_POWER_OF_TWO(WIDTH) || WIDTH > 4)                                \
                ONE_BY_ONE(to);                                                                    \
            const uint64_t group = WIDTH < 8 ? load_group(from, WIDTH) : 0;                        \
            to[0] = (packed_##BITS)value_of_8(from, group, WIDTH, 0);                              \
            to[1] = (packed_##BITS)value_of_8(from, group, WIDTH, 1);                              \
            to[2] = (packed_##BITS)value_of_8(from, group, WIDTH, 2);                              \
            to[3] = (packed_##BITS)value_of_8(from, group, WIDTH, 3);                              \
            to[4] = (packed_##BITS)value_of_8(from, group, WIDTH, 4);                              \
            to[5] = (packed_##BITS)value_of_8(from, group, WIDTH, 5);                              \
            to[6] = (packed_##BITS)value_of_8(from, group, WIDTH, 6);                              \
            to[7] = (packed_##BITS)value_of_8(from, group, WIDTH, 7);                              \
        }                                                                                          \
    }                                                                                              \
    static void pack_groups_##BITS##_##WIDTH(const packed_##BITS *from, size_t groups,             \
                                             uint8_t *to) {                                        \
        for (size_t i = 0; i < groups; i++, from += 8, to += WIDTH) {                              \
            if (BITS == 64 || !IS_POWER_OF_TWO(WIDTH))                                             \
                ONE_BY_ONE(to);                                                                    \
            bit_writer writer = {0, 0, to};                                                        \
            put_bits_##BITS(&writer, from[0], WIDTH);                                              \
            put_bits_##BITS(&writer, from[1], WIDTH);                                              \
            put_bits_##BITS(&writer, from[2], WIDTH);                                              \
            put_bits_##BITS(&writer, from[3], WIDTH);                                              \
            put_bits_##BITS(&writer, from[4], WIDTH);                                              \
            put_bits_##BITS(&writer, from[5], WIDTH);                                              \
            put_bits_##BITS(&writer, from[6], WIDTH);                                              \
            put_bits_##BITS(&writer, from[7], WIDTH);                                              \
            end_packed(&writer, WIDTH % (BITS / 8));                                               \
        }                                                                                          \
    }
#define UNPACK_OF_WIDTH(WIDTH, BITS) unpack_groups_##BITS##_##WIDTH,
#define PACK_OF_WIDTH(WIDTH, BITS) pack_groups_##BITS##_##WIDTH,

/*
 * All of one type, from the width FIRST on. The last incomplete group goes through a padded copy:
 * zeros after the packed bytes, or after the values, and only the used ones are copied out.
 */
#define PACKING(BITS, WIDTHS, FIRST, UNPACK, PACK)                                                 \
    typedef uint##BITS##_t packed_##BITS;                                                          \
    WIDTHS(LOOPS_OF_WIDTH, BITS)                                                                   \
    static void (*const unpack_groups_##BITS[])(const uint8_t *, size_t, packed_##BITS *) = {      \
        WIDTHS(UNPACK_OF_WIDTH, BITS)};                                                            \
    static void (*const pack_groups_##BITS[])(const packed_##BITS *, size_t,                       \
                                              uint8_t *) = {WIDTHS(PACK_OF_WIDTH, BITS)};          \
                                                                                                   \
    UNPACK(const uint8_t *packed, unsigned width, size_t count, uint##BITS##_t *values) {          \
        const size_t groups = count / 8, rest = count % 8;                                         \
        if (count == 0)                                                                            \
            return;                                                                                \
        if (width == 0) {                                                                          \
            memset(values, 0, count * sizeof *values);                                             \
            return;                                                                                \
        }                                                                                          \
        unpack_groups_##BITS[width - FIRST](packed, groups, values);                               \
        if (rest > 0) {                                                                            \
            uint8_t last[BITS] = {0};                                                              \
            packed_##BITS eight[8];                                                                \
            memcpy(last, packed + groups * width, lam_packed_size(rest, width));                   \
            unpack_groups_##BITS[width - FIRST](last, 1, eight);                                   \
            memcpy(values + groups * 8, eight, rest * sizeof *values);                             \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    PACK(const uint##BITS##_t *values, unsigned width, size_t count, uint8_t *packed) {            \
        const size_t groups = count / 8, rest = count % 8;                                         \
        if (count == 0 || width == 0)                                                              \
            return;                                                                                \
        pack_groups_##BITS[width - FIRST](values, groups, packed);                                 \
        if (rest > 0) {                                                                            \
            uint8_t last[BITS];                                                                    \
            packed_##BITS eight[8] = {0};                                                          \
            memcpy(eight, values + groups * 8, rest * sizeof *values);                             \
            pack_groups_##BITS[width - FIRST](eight, 1, last);                                     \
            memcpy(packed + groups * width, last, lam_packed_size(rest, width));                   \
        }                                                                                          \
    }

PACKING(32, WIDTHS_TO_32, 1, void lam_unpack_u32_plain, void lam_pack_u32_plain)
PACKING(64, WIDTHS_TO_64, 33, static void unpack_above_32, static void pack_above_32)

void lam_unpack_u64_plain(const uint8_t *packed, unsigned width, size_t count, uint64_t *values) {
    if (width <= 32)
        kernel_unpack_widened(lam_unpack_u32_plain, packed, width, count, values);
    else
        unpack_above_32(packed, width, count, values);
}

/* Narrow values are copied, some at a time, for the loops of 32 bits: that halves the text. */
void lam_pack_u64_plain(const uint64_t *values, unsigned width, size_t count, uint8_t *packed) {
    if (width > 32) {
        pack_above_32(values, width, count, packed);
        return;
    }
    for (size_t at = 0; at < count; at += KERNEL_NARROW) {
        uint32_t narrow[KERNEL_NARROW];
        size_t some = count - at < KERNEL_NARROW ? count - at : KERNEL_NARROW;
        for (size_t i = 0; i < some; i++)
            narrow[i] = (uint32_t)values[at + i];
        lam_pack_u32_plain(narrow, width, some, packed + at / 8 * width);
    }
}
