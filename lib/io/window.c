/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lends ranges of an input one after the other: takes an offset and a size, as a page header or its
 * page needs them, and gives the bytes, from the input itself if it lends them, else from the
 * window's buffer.
 *
 *     input   ....[ offset ... buffer ... )..................... end
 *                              [ next range ............ )
 *                              kept       ^ read
 *
 * The buffer always holds the bytes from `offset` on. A range that reaches beyond it keeps the
 * bytes so far and reads the others, with at least `read_ahead` bytes in all, so that many small
 * requests cost few reads.
 */
#include "io/window.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/error.h"

void lam_window_init(lam_window *window, const lam_input *input, uint64_t end, size_t read_ahead,
                     const lam_allocator *allocator) {
    window->input = input;
    window->end = end;
    window->offset = 0;
    window->read_ahead = read_ahead;
    lam_buffer_init(&window->buffer, allocator);
}

void lam_window_finish(lam_window *window) {
    lam_buffer_finish(&window->buffer);
}

void lam_window_release(lam_window *window, uint64_t offset) {
    if (offset >= window->offset && offset - window->offset >= window->buffer.size)
        lam_buffer_finish(&window->buffer);
}

/*
 * Moves the bytes from `offset` on to the start of the buffer, if it has any; returns their number.
 */
static size_t keep_from(lam_window *window, uint64_t offset) {
    size_t kept = 0;
    if (offset >= window->offset && offset - window->offset < window->buffer.size) {
        kept = window->buffer.size - (size_t)(offset - window->offset);
        memmove(window->buffer.data, window->buffer.data + (window->buffer.size - kept), kept);
    }
    window->buffer.size = kept;
    window->offset = offset;
    return kept;
}

/*
 * Fills the buffer with `size` bytes from `offset`, which the caller has checked, and with those
 * read ahead.
 */
static lam_status window_refill(lam_window *window, uint64_t offset, size_t size,
                                lam_error *error) {
    uint64_t left = window->end - offset;
    size_t wanted = size < window->read_ahead ? window->read_ahead : size;
    if (wanted > left)
        wanted = (size_t)left;
    size_t kept = keep_from(window, offset);
    LAM_TRY(lam_buffer_reserve(&window->buffer, wanted - kept, error));
    LAM_TRY(window->input->read_at(window->input->state, offset + kept, wanted - kept,
                                   window->buffer.data + kept, error));
    window->buffer.size = wanted;
    return LAM_STATUS_OK;
}

/*
 * The size comes from a file (a page header, a chunk's length), so it is checked against the range
 * before it sizes the buffer.
 */
lam_status lam_window_lend(lam_window *window, uint64_t offset, size_t size,
                           const uint8_t **ret_bytes, lam_error *error) {
    if (!lam_range_fits(offset, size, window->end)) {
        lam_error_set(error, LAM_ERROR_CODE_CHUNK_BYTES,
                      "%zu bytes are expected here, and the range ends at %" PRIu64, size,
                      window->end);
        lam_error_at_offset(error, offset);
        return LAM_STATUS_CORRUPT;
    }
    if (window->input->borrow != NULL) {
        /* An input may lend some ranges and not others: NULL means a copy. */
        const uint8_t *bytes = window->input->borrow(window->input->state, offset, size);
        if (bytes != NULL) {
            *ret_bytes = bytes;
            return LAM_STATUS_OK;
        }
    }
    if (offset < window->offset ||
        !lam_range_fits(offset - window->offset, size, window->buffer.size))
        LAM_TRY(window_refill(window, offset, size, error));
    *ret_bytes = window->buffer.data + (offset - window->offset);
    return LAM_STATUS_OK;
}
