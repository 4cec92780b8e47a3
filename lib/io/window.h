/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window that moves over a range of an input: a sequential reader, whose requests are small or
 * large, gets its bytes here. Ranges that the input lends are passed on without a copy.
 */
#ifndef LAM_IO_WINDOW_H
#define LAM_IO_WINDOW_H

#include <lamella/io.h>

#include "base/buffer.h"

typedef struct lam_window {
    const lam_input *input;
    uint64_t end;      /* bytes at or after this offset are not read */
    uint64_t offset;   /* of the first byte in `buffer` */
    size_t read_ahead; /* least bytes of a read, as far as the range has them */
    lam_buffer buffer;
} lam_window;

/* The range ends at `end`, which is inside the input. Allocates nothing yet. */
void lam_window_init(lam_window *window, const lam_input *input, uint64_t end, size_t read_ahead,
                     const lam_allocator *allocator);
void lam_window_finish(lam_window *window);

/* Frees the buffer unless it holds bytes from `offset` on; lent bytes are gone. */
void lam_window_release(lam_window *window, uint64_t offset);

/* Lends `size` bytes at `offset` until the next call. CORRUPT when they reach beyond the end. */
lam_status lam_window_lend(lam_window *window, uint64_t offset, size_t size,
                           const uint8_t **ret_bytes, lam_error *error);

#endif
