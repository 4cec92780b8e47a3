/*
 * A window that moves over a range of an input: what a sequential reader with small and large needs
 * asks for bytes through. Lent ranges are passed on without a copy.
 */
#ifndef LAM_IO_WINDOW_H
#define LAM_IO_WINDOW_H

#include <lamella/io.h>

#include "base/buffer.h"

typedef struct lam_window {
    const lam_input *input;
    uint64_t end;      /* nothing at or behind this offset is touched */
    uint64_t offset;   /* of the first byte in `buffer` */
    size_t read_ahead; /* bytes to read at least, when there are so many */
    lam_buffer buffer;
} lam_window;

/* The range ends at `end`, which lies inside the input. Allocates nothing yet. */
void lam_window_init(lam_window *window, const lam_input *input, uint64_t end, size_t read_ahead,
                     const lam_allocator *allocator);
void lam_window_finish(lam_window *window);

/*
 * Lends `size` bytes at `offset` until the next call. CORRUPT when they do not lie before the end.
 */
lam_status lam_window_lend(lam_window *window, uint64_t offset, size_t size,
                           const uint8_t **ret_bytes, lam_error *error);

#endif
