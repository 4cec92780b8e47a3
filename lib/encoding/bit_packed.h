/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts the BIT_PACKED levels of old V1 pages to the hybrid runs that replaced them.
 * (Encodings.md, section "Bit-packed (Deprecated) (BIT_PACKED = 4)")
 *
 *     BIT_PACKED  7 levels of 2 bits  aabbccdd eeffgg00   first level in the highest bits
 *     hybrid      one packed run      header, ddccbbaa 00ggffee
 */
#ifndef LAM_ENCODING_BIT_PACKED_H
#define LAM_ENCODING_BIT_PACKED_H

#include <lamella/common.h>

#include "base/buffer.h"
#include "kernel/kernel.h"

/* Bytes of `count` levels of `width` bits (0 to 8): ceil(count * width / 8), without overflow. */
static inline uint64_t lam_bit_packed_size(uint32_t count, unsigned width) {
    return ((uint64_t)count * width + 7) / 8;
}

/*
 * Replaces the contents of `out` by a hybrid stream of the `count` levels in `bytes`, which has
 * lam_bit_packed_size() bytes or more.
 */
lam_status lam_bit_packed_to_runs(const lam_kernels *kernels, lam_bytes bytes, uint32_t count,
                                  unsigned width, lam_buffer *out, lam_error *error);

#endif
