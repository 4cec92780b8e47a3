/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integers as bit-packed differences: the encoding DELTA_BINARY_PACKED, and the lengths that
 * precede the two delta encodings of byte arrays. (Encodings.md, section "Delta Encoding
 * (DELTA_BINARY_PACKED = 5)")
 */
#ifndef LAM_ENCODING_DELTA_BINARY_PACKED_H
#define LAM_ENCODING_DELTA_BINARY_PACKED_H

#include <lamella/common.h>

#include "base/buffer.h"
#include "kernel/kernel.h"

/* --- Reading ------------------------------------------------------------------------------- */

/* Reads one stream from borrowed bytes. Plain data: copy it to remember a position. */
typedef struct lam_delta_decoder {
    const lam_kernels *kernels;
    const uint8_t *next; /* the bytes after the open run */
    const uint8_t *end;
    const uint8_t *widths; /* of the miniblocks of the open block that are not open yet */
    const uint8_t *packed; /* the open run: miniblocks of one block and of one width */
    uint64_t packed_at;    /* differences of it already read */
    uint64_t packed_left;  /* and not read yet, those of the padding included */
    uint64_t last;         /* the value before the next one; before the first, that one itself */
    uint64_t min_delta;    /* of the open block */
    uint32_t block_size;   /* values */
    uint32_t mini_count;   /* miniblocks in a block */
    uint32_t minis_left;   /* of the open block, not open yet */
    uint32_t left;         /* values not read yet */
    unsigned width;        /* of the open run */
    unsigned bits;         /* 32 or 64 */
    bool is_first;         /* the first value, which the header has, is not read yet */
} lam_delta_decoder;

/*
 * `bits` is 32 for INT32 and 64 for INT64. Empty `bytes` are a stream without values. CORRUPT when
 * the header is impossible: the block size is not a multiple of 128, a miniblock not one of 32
 * values, or there are more values than a page can have.
 */
lam_status lam_delta_decoder_init(lam_delta_decoder *decoder, const lam_kernels *kernels,
                                  unsigned bits, lam_bytes bytes, lam_error *error);
/*
 * Reads exactly `count` values, uint32_t or uint64_t by `bits`. CORRUPT when fewer are left, the
 * bytes end before, or a bit width is above 64.
 */
lam_status lam_delta_read(lam_delta_decoder *decoder, size_t count, void *values, lam_error *error);
/* Adds up all values that remain, which have 32 bits and no sign, without reading them. */
lam_status lam_delta_sum(const lam_delta_decoder *decoder, uint64_t *ret_sum, lam_error *error);
/* Finds where the stream ends, without decoding values. */
lam_status lam_delta_find_end(const lam_delta_decoder *decoder, const uint8_t **ret_end,
                              lam_error *error);

/* --- Writing ------------------------------------------------------------------------------- */

enum { LAM_DELTA_BLOCK = 128 }; /* values in a block that is written */

/*
 * Collects the values of one stream. The bytes depend on the values only, never on how the calls
 * are split.
 */
typedef struct lam_delta_encoder {
    const lam_kernels *kernels;
    lam_buffer blocks; /* encoded, all that are full */
    uint32_t count;    /* values */
    unsigned bits;     /* 32 or 64 */
    unsigned pending;  /* differences that wait for the block to be full */
    uint64_t first;
    uint64_t last;
    union {
        uint32_t of_32[LAM_DELTA_BLOCK];
        uint64_t of_64[LAM_DELTA_BLOCK];
    } deltas;
} lam_delta_encoder;

void lam_delta_encoder_init(lam_delta_encoder *encoder, const lam_kernels *kernels, unsigned bits,
                            const lam_allocator *allocator);
void lam_delta_encoder_finish(lam_delta_encoder *encoder);
/* Values are uint32_t or uint64_t by `bits`. LIMIT for more values than a page can have. */
lam_status lam_delta_write(lam_delta_encoder *encoder, const void *values, size_t count,
                           lam_error *error);
/* Appends the complete stream to `out`; on failure nothing has changed. */
lam_status lam_delta_append(const lam_delta_encoder *encoder, lam_buffer *out, lam_error *error);
/* Forgets all values and keeps the memory. */
void lam_delta_restart(lam_delta_encoder *encoder);
/* Bytes of the stream so far, approximately: the open block is counted without its padding. */
size_t lam_delta_byte_count(const lam_delta_encoder *encoder);

#endif
