/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An input whose single damaged bits are shown as they were before, and in which bytes that cannot
 * be read may be passed over.
 */
#ifndef LAM_IO_PATCHED_INPUT_H
#define LAM_IO_PATCHED_INPUT_H

#include <lamella/io.h>
#include <lamella/stop.h>

#include "base/list.h"

/* Bytes that could not be read. */
typedef struct lam_input_range {
    uint64_t begin;
    uint64_t end;
} lam_input_range;

/* Bits of a byte that are turned over. */
typedef struct lam_patched_byte {
    uint64_t offset;
    uint8_t mask;
} lam_patched_byte;

typedef struct lam_patched_input {
    lam_input input; /* for readers; its state is this struct, which must not move */
    lam_input inner; /* borrowed: never closed */
    LAM_LIST(lam_patched_byte) bits;
    LAM_LIST(lam_input_range) gaps; /* apart, and in order */
    lam_error failure;              /* of the first gap that was met */
    bool passes_gaps;               /* unreadable bytes are zeros, and a gap; else a failure */
    const lam_stop *stop; /* of reads around gaps, as each may take seconds; or NULL. Borrowed */
} lam_patched_input;

/* Shows all bytes of `inner`, which is borrowed until finish; without gaps and without a stop. */
void lam_patched_input_init(lam_patched_input *patched, const lam_input *inner,
                            const lam_allocator *allocator);
void lam_patched_input_finish(lam_patched_input *patched);

/* Turns over those bits of the byte at `offset` that `mask` has. Not while somebody reads. */
lam_status lam_patched_input_flip(lam_patched_input *patched, uint64_t offset, uint8_t mask,
                                  lam_error *error);

/* True when a bit of the bytes from `begin` on up to `end` is flipped. */
bool lam_patched_input_has_bit(const lam_patched_input *patched, uint64_t begin, uint64_t end);

/*
 * True when some of the bytes from `begin` on up to `end` were read while gaps were passed, and are
 * not the file's; `ret_failure` gets the reason, with the offset of the first of them.
 */
bool lam_patched_input_has_gap(const lam_patched_input *patched, uint64_t begin, uint64_t end,
                               lam_error *ret_failure);

#endif
