/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packs and unpacks numbers of up to 64 bits in plain C, as kernel_plain.c does those of up to 32:
 * for DELTA_BINARY_PACKED and ALP of 64-bit values. A group of eight values of width w fills w
 * bytes. Values wider than 57 bits may spread over nine bytes, which is the case that 32-bit
 * numbers do not have. Nothing behind the packed size is read or written. (Encodings.md, "Run
 * Length Encoding / Bit-Packing Hybrid")
 *
 *     width 60, value 1: bits 60 to 119 = 4 bits of byte 7, bytes 8 to 14 whole
 */
#include <string.h>

#include "base/bytes.h"
#include "kernel/kernel_versions.h"

/* Keeps the low `width` bits; `width` is 1 to 64, as a shift by 64 is undefined. */
static LAM_ALWAYS_INLINE uint64_t low_bits(uint64_t x, unsigned width) {
    return x & UINT64_MAX >> (64 - width);
}

/* Loads up to seven bytes, little endian. */
static LAM_ALWAYS_INLINE uint64_t load_few(const uint8_t *bytes, unsigned size) {
    uint64_t x = 0;
    for (unsigned i = 0; i < size; i++)
        x |= (uint64_t)bytes[i] << 8 * i;
    return x;
}

/*
 * Value `at` of a group. `few` is its bytes as a number for widths below 8, and unused otherwise.
 * For width 60, value 1: eight bytes from byte 7 on, shifted down by 4, have all of it. Value 3 of
 * width 61 starts at bit 183 = 8 * 22 + 7, and its last 4 bits are those of a ninth byte.
 */
static LAM_ALWAYS_INLINE uint64_t kernel_plain_wide_value_of_8(const uint8_t *packed, uint64_t few,
                                                               unsigned width, unsigned at) {
    unsigned bit = at * width;
    if (width < 8)
        return low_bits(few >> bit, width);
    /*
     * The start is moved back where eight bytes would pass the end of the group. There the value
     * ends in the last byte at the latest, so the ninth byte is only read where it exists.
     */
    unsigned byte = bit / 8 < width - 8 ? bit / 8 : width - 8;
    unsigned shift = bit - 8 * byte;
    uint64_t x = lam_load_le64(packed + byte) >> shift;
    if (shift + width > 64)
        x |= (uint64_t)packed[byte + 8] << (64 - shift);
    return low_bits(x, width);
}

/* Unpacks one group, with a constant `at` in each of the calls. */
static LAM_ALWAYS_INLINE void kernel_plain_wide_unpack_8(const uint8_t *packed, unsigned width,
                                                         uint64_t *values) {
    uint64_t few = width < 8 ? load_few(packed, width) : 0;
    values[0] = kernel_plain_wide_value_of_8(packed, few, width, 0);
    values[1] = kernel_plain_wide_value_of_8(packed, few, width, 1);
    values[2] = kernel_plain_wide_value_of_8(packed, few, width, 2);
    values[3] = kernel_plain_wide_value_of_8(packed, few, width, 3);
    values[4] = kernel_plain_wide_value_of_8(packed, few, width, 4);
    values[5] = kernel_plain_wide_value_of_8(packed, few, width, 5);
    values[6] = kernel_plain_wide_value_of_8(packed, few, width, 6);
    values[7] = kernel_plain_wide_value_of_8(packed, few, width, 7);
}

/* Packs one group: collects bits from the low end up and stores 64 of them at a time. */
typedef struct kernel_plain_wide_bit_writer {
    uint64_t bits;
    unsigned count;
    uint8_t *next;
} kernel_plain_wide_bit_writer;

/*
 * Adds the low `width` bits of a value. `count` is below 64 before and after; the bits that do not
 * fit above it start the next word, and a shift by 64 is avoided where there are none.
 */
static LAM_ALWAYS_INLINE void kernel_plain_wide_put_bits(kernel_plain_wide_bit_writer *writer,
                                                         uint64_t value, unsigned width) {
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

/* Packs one group: whole words, and width % 8 bytes that are stored last. */
static LAM_ALWAYS_INLINE void kernel_plain_wide_pack_8(const uint64_t *values, unsigned width,
                                                       uint8_t *packed) {
    kernel_plain_wide_bit_writer writer = {0, 0, packed};
    kernel_plain_wide_put_bits(&writer, values[0], width);
    kernel_plain_wide_put_bits(&writer, values[1], width);
    kernel_plain_wide_put_bits(&writer, values[2], width);
    kernel_plain_wide_put_bits(&writer, values[3], width);
    kernel_plain_wide_put_bits(&writer, values[4], width);
    kernel_plain_wide_put_bits(&writer, values[5], width);
    kernel_plain_wide_put_bits(&writer, values[6], width);
    kernel_plain_wide_put_bits(&writer, values[7], width);
    for (unsigned i = 0; i < width % 8; i++)
        writer.next[i] = (uint8_t)(writer.bits >> 8 * i);
}

/*
 * One unpacking and one packing loop for each width from 1 to 64, in which all shifts and masks are
 * constants, and a table that finds them by width.
 */
#define KERNEL_PLAIN_WIDE_FROM_1(DO) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8)
#define KERNEL_PLAIN_WIDE_FROM_9(DO) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15) DO(16)
#define KERNEL_PLAIN_WIDE_FROM_17(DO) DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23) DO(24)
#define KERNEL_PLAIN_WIDE_FROM_25(DO) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30) DO(31) DO(32)
#define FROM_33(DO) DO(33) DO(34) DO(35) DO(36) DO(37) DO(38) DO(39) DO(40)
#define FROM_41(DO) DO(41) DO(42) DO(43) DO(44) DO(45) DO(46) DO(47) DO(48)
#define FROM_49(DO) DO(49) DO(50) DO(51) DO(52) DO(53) DO(54) DO(55) DO(56)
#define FROM_57(DO) DO(57) DO(58) DO(59) DO(60) DO(61) DO(62) DO(63) DO(64)
#define TO_32(DO)                                                                                  \
    KERNEL_PLAIN_WIDE_FROM_1(DO)                                                                   \
    KERNEL_PLAIN_WIDE_FROM_9(DO) KERNEL_PLAIN_WIDE_FROM_17(DO) KERNEL_PLAIN_WIDE_FROM_25(DO)
#define KERNEL_PLAIN_WIDE_EACH_WIDTH(DO) TO_32(DO) FROM_33(DO) FROM_41(DO) FROM_49(DO) FROM_57(DO)

#define KERNEL_PLAIN_WIDE_LOOPS_OF_WIDTH(WIDTH)                                                    \
    static void kernel_plain_wide_unpack_groups_##WIDTH(const uint8_t *packed, size_t groups,      \
                                                        uint64_t *values) {                        \
        for (size_t i = 0; i < groups; i++)                                                        \
            kernel_plain_wide_unpack_8(packed + i * WIDTH, WIDTH, values + i * 8);                 \
    }                                                                                              \
    static void kernel_plain_wide_pack_groups_##WIDTH(const uint64_t *values, size_t groups,       \
                                                      uint8_t *packed) {                           \
        for (size_t i = 0; i < groups; i++)                                                        \
            kernel_plain_wide_pack_8(values + i * 8, WIDTH, packed + i * WIDTH);                   \
    }
KERNEL_PLAIN_WIDE_EACH_WIDTH(KERNEL_PLAIN_WIDE_LOOPS_OF_WIDTH)

#define KERNEL_PLAIN_WIDE_UNPACK_OF_WIDTH(WIDTH) kernel_plain_wide_unpack_groups_##WIDTH,
static void (*const kernel_plain_wide_unpack_groups[65])(const uint8_t *, size_t, uint64_t *) = {
    NULL, KERNEL_PLAIN_WIDE_EACH_WIDTH(KERNEL_PLAIN_WIDE_UNPACK_OF_WIDTH)};

#define KERNEL_PLAIN_WIDE_PACK_OF_WIDTH(WIDTH) kernel_plain_wide_pack_groups_##WIDTH,
static void (*const kernel_plain_wide_pack_groups[65])(const uint64_t *, size_t, uint8_t *) = {
    NULL, KERNEL_PLAIN_WIDE_EACH_WIDTH(KERNEL_PLAIN_WIDE_PACK_OF_WIDTH)};

/* Unpacks 64-bit numbers: whole groups in place, the last incomplete one through a padded copy. */
void lam_unpack_u64_plain(const uint8_t *packed, unsigned width, size_t count, uint64_t *values) {
    if (count == 0)
        return;
    if (width == 0) {
        memset(values, 0, count * sizeof *values);
        return;
    }
    size_t groups = count / 8, rest = count % 8;
    kernel_plain_wide_unpack_groups[width](packed, groups, values);
    if (rest > 0) {
        /* A group of the widest values has 64 bytes; those behind the packed ones are zeros. */
        uint8_t last[64] = {0};
        uint64_t eight[8];
        memcpy(last, packed + groups * width, lam_packed_size(rest, width));
        kernel_plain_wide_unpack_groups[width](last, 1, eight);
        memcpy(values + groups * 8, eight, rest * sizeof *values);
    }
}

/*
 * Packs the low `width` bits of 64-bit numbers. The last incomplete group is filled up with zeros,
 * and only its used bytes are copied out.
 */
void lam_pack_u64_plain(const uint64_t *values, unsigned width, size_t count, uint8_t *packed) {
    if (count == 0 || width == 0)
        return;
    size_t groups = count / 8, rest = count % 8;
    kernel_plain_wide_pack_groups[width](values, groups, packed);
    if (rest > 0) {
        uint8_t last[64];
        uint64_t eight[8] = {0};
        memcpy(eight, values + groups * 8, rest * sizeof *values);
        kernel_plain_wide_pack_groups[width](eight, 1, last);
        memcpy(packed + groups * width, last, lam_packed_size(rest, width));
    }
}
