/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes the RLE / bit-packing hybrid: levels, dictionary indexes, booleans.
 * (Encodings.md, section "Run Length Encoding / Bit-Packing Hybrid (RLE = 3)")
 */
#ifndef LAM_ENCODING_RLE_H
#define LAM_ENCODING_RLE_H

#include <lamella/common.h>

#include "base/buffer.h"
#include "kernel/kernel.h"

/* Reads a stream of runs from borrowed bytes. Plain data: copy it to remember a position. */
typedef struct lam_rle_decoder {
    const lam_kernels *kernels;
    const uint8_t *next; /* the next run's header */
    const uint8_t *end;
    const uint8_t *packed; /* bytes of the bit-packed run that is open, NULL in a repeated run */
    uint64_t packed_at;    /* values of that run already read */
    uint64_t left;         /* values left in the open run */
    uint32_t value;        /* the value of the open repeated run */
    unsigned bit_width;
} lam_rle_decoder;

/* CORRUPT when the bit width is above 32. */
lam_status lam_rle_decoder_init(lam_rle_decoder *decoder, const lam_kernels *kernels,
                                lam_bytes bytes, unsigned bit_width, lam_error *error);

/*
 * Reads exactly `count` values. CORRUPT when the bytes end before, a run has length 0 or is longer
 * than the bytes, or a repeated value does not fit the bit width. The last bit-packed run may be
 * cut short to the bytes that its used values need. Levels need a bit width of at most 8.
 */
lam_status lam_rle_read_levels(lam_rle_decoder *decoder, size_t count, uint8_t *levels,
                               lam_error *error);
lam_status lam_rle_read_indexes(lam_rle_decoder *decoder, size_t count, uint32_t *indexes,
                                lam_error *error);

/*
 * Describes the next values as one run without reading them: how many are equal to `*ret_value` in
 * the open repeated run, or how many are in the open bit-packed run (then `*ret_packed` is true).
 * At most `count`.
 */
lam_status lam_rle_peek_run(lam_rle_decoder *decoder, size_t count, size_t *ret_length,
                            uint32_t *ret_value, bool *ret_packed, lam_error *error);
/*
 * Reads those of the next `count` values that are at `positions`, which ascend and are below
 * `first` + `count`; the next value has position `first`. Skips the others. CORRUPT as above.
 */
lam_status lam_rle_pick_indexes(lam_rle_decoder *decoder, const uint16_t *positions,
                                size_t position_count, size_t first, size_t count,
                                uint32_t *indexes, lam_error *error);
/* Passes over `count` values of the run that lam_rle_peek_run() found: at most `*ret_length`. */
void lam_rle_pass(lam_rle_decoder *decoder, size_t count);
/* Skips exactly `count` values, full runs at once. */
lam_status lam_rle_skip(lam_rle_decoder *decoder, size_t count, lam_error *error);

/*
 * Appends a stream of runs to `out`. The bytes depend on the values only, never on how the calls
 * are split. The stream is complete only after a flush; until then no other bytes may be written to
 * `out`. Values must fit the bit width.
 */
typedef struct lam_rle_encoder {
    const lam_kernels *kernels;
    lam_buffer *out;
    unsigned bit_width;     /* 0 to 32 */
    uint32_t group[8];      /* the group that is begun: its values are not all equal */
    unsigned group_size;    /* values in it; 0 between groups */
    uint32_t run_value;     /* between groups: the last value, ... */
    uint64_t run_length;    /* ... and how often it came since the last full group or run */
    size_t packed_header;   /* position in `out` of the open bit-packed run's header */
    unsigned packed_groups; /* groups of 8 in the open bit-packed run; 0 when none is open */
} lam_rle_encoder;

void lam_rle_encoder_init(lam_rle_encoder *encoder, const lam_kernels *kernels, unsigned bit_width,
                          lam_buffer *out);
lam_status lam_rle_write_levels(lam_rle_encoder *encoder, const uint8_t *levels, size_t count,
                                lam_error *error);
lam_status lam_rle_write_indexes(lam_rle_encoder *encoder, const uint32_t *indexes, size_t count,
                                 lam_error *error);
/* Adds the same value `count` times. */
lam_status lam_rle_write_run(lam_rle_encoder *encoder, uint32_t value, uint64_t count,
                             lam_error *error);
/*
 * Ends the last run, filled with zeros to a full group of 8 when it is bit-packed. After that a new
 * stream may begin.
 */
lam_status lam_rle_encoder_flush(lam_rle_encoder *encoder, lam_error *error);

/* Bits that the numbers 0 to `max` need: 0 for 0, 1 for 1, 3 for 5, 64 for UINT64_MAX. */
static inline unsigned lam_bit_width(uint64_t max) {
    unsigned width = 0;
    for (unsigned step = 32; step > 0; step /= 2) {
        if (max >> step != 0) {
            max >>= step;
            width += step;
        }
    }
    return width + (max != 0);
}

#endif
