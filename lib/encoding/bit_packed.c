/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts BIT_PACKED levels to hybrid runs, so that all other code decodes only one kind of
 * levels. BIT_PACKED numbers bits from the highest of a byte on, the opposite of all other packed
 * bits of the format, and has no header: the caller knows `count` and `width`, and has checked that
 * `bytes` has lam_bit_packed_size() of them. It is deprecated and rare, so levels are extracted bit
 * by bit. (Encodings.md, "Bit-packed (Deprecated)")
 */
#include "encoding/bit_packed.h"

#include "base/error.h"
#include "encoding/rle.h"

/* Levels that are handed to the encoder together. */
enum { LEVELS_AT_ONCE = 256 };

/* Level `index`, whose highest bit comes first: level 1 of width 3 in 05 39 77 is 001. */
static uint8_t bit_packed_level_at(lam_bytes bytes, uint64_t index, unsigned width) {
    unsigned level = 0;
    for (uint64_t bit = index * width; bit < (index + 1) * width; bit++)
        level = level << 1 | (bytes.data[bit / 8] >> (7 - bit % 8) & 1);
    return (uint8_t)level;
}

/* The encoder takes levels in any number of calls and writes the same runs. */
lam_status lam_bit_packed_to_runs(const lam_kernels *kernels, lam_bytes bytes, uint32_t count,
                                  unsigned width, lam_buffer *out, lam_error *error) {
    uint8_t levels[LEVELS_AT_ONCE];
    lam_rle_encoder encoder;
    lam_buffer_clear(out);
    lam_rle_encoder_init(&encoder, kernels, width, out);
    for (uint32_t done = 0; done < count;) {
        uint32_t step = count - done < LEVELS_AT_ONCE ? count - done : LEVELS_AT_ONCE;
        for (uint32_t i = 0; i < step; i++)
            levels[i] = bit_packed_level_at(bytes, (uint64_t)done + i, width);
        LAM_TRY(lam_rle_write_levels(&encoder, levels, step, error));
        done += step;
    }
    return lam_rle_encoder_flush(&encoder, error);
}
