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

/* Fills the buffer with `size` bytes from `offset`, and what may be read ahead behind them. */
static lam_status refill(lam_window *window, uint64_t offset, size_t size, lam_error *error) {
    uint64_t left = window->end - offset;
    size_t wanted = size < window->read_ahead ? window->read_ahead : size;
    if (wanted > left)
        wanted = (size_t)left;
    lam_buffer_clear(&window->buffer);
    LAM_TRY(lam_buffer_reserve(&window->buffer, wanted, error));
    LAM_TRY(
        window->input->read_at(window->input->state, offset, wanted, window->buffer.data, error));
    window->buffer.size = wanted;
    window->offset = offset;
    return LAM_STATUS_OK;
}

lam_status lam_window_lend(lam_window *window, uint64_t offset, size_t size,
                           const uint8_t **ret_bytes, lam_error *error) {
    if (!lam_range_fits(offset, size, window->end)) {
        lam_error_set(error, LAM_STATUS_CORRUPT,
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
        LAM_TRY(refill(window, offset, size, error));
    *ret_bytes = window->buffer.data + (offset - window->offset);
    return LAM_STATUS_OK;
}
