/* SPDX-License-Identifier: Apache-2.0 */
/* An input of which single bits are shown as they were before they were damaged. */
#ifndef LAM_IO_PATCHED_INPUT_H
#define LAM_IO_PATCHED_INPUT_H

#include <lamella/io.h>

#include "base/buffer.h"

typedef struct lam_patched_input {
    lam_input input; /* what readers use; its state is this struct, which must not move */
    lam_input inner; /* borrowed: never closed */
    lam_buffer bits;
} lam_patched_input;

/* Shows all bytes of `inner`, which is borrowed until finish. */
void lam_patched_input_init(lam_patched_input *patched, const lam_input *inner,
                            const lam_allocator *allocator);
void lam_patched_input_finish(lam_patched_input *patched);

/* Turns over one bit of the byte at `offset`, 0 being the lowest. Not while somebody reads. */
lam_status lam_patched_input_flip(lam_patched_input *patched, uint64_t offset, unsigned bit,
                                  lam_error *error);

#endif
