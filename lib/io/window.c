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

/* Makes the bytes of the buffer from `offset` on, when it has any, its first; gives how many. */
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

/* Fills the buffer with `size` bytes from `offset`, and what may be read ahead behind them. */
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
