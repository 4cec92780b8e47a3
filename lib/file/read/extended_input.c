/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows an input with another end: its first bytes, up to a given number, are read from the inner
 * input, and those that follow them from memory.
 *
 *     inner     | kept          | replaced |
 *     extended  | kept          | tail            |
 *
 * The inner input is never read at or past `kept`, and not at all for bytes of the tail. It never
 * changes after creation, so several threads may read at once. (lamella/io.h)
 */
#include "file/read/extended_input.h"

#include "base/alloc.h"
#include "base/error.h"

typedef struct extended_input {
    lam_allocator allocator;
    lam_input inner;
    uint64_t kept;
    lam_buffer tail;
} extended_input;

/* A range may have bytes of both. */
static lam_status extended_read_at(void *state, uint64_t offset, size_t size, void *buffer,
                                   lam_error *error) {
    const extended_input *input = state;
    size_t inner = 0;
    if (offset < input->kept) {
        inner = size < input->kept - offset ? size : (size_t)(input->kept - offset);
        lam_status status = input->inner.read_at(input->inner.state, offset, inner, buffer, error);
        if (status != LAM_STATUS_OK)
            return status;
    }
    if (size > inner)
        memcpy((uint8_t *)buffer + inner, input->tail.data + (offset + inner - input->kept),
               size - inner);
    return LAM_STATUS_OK;
}

static const uint8_t *extended_borrow(void *state, uint64_t offset, size_t size) {
    const extended_input *input = state;
    if (offset >= input->kept)
        return input->tail.data + (offset - input->kept);
    if (size > input->kept - offset || input->inner.borrow == NULL)
        return NULL;
    return input->inner.borrow(input->inner.state, offset, size);
}

static void extended_close(void *state) {
    extended_input *input = state;
    lam_allocator allocator = input->allocator;
    lam_input_close(&input->inner);
    lam_buffer_finish(&input->tail);
    lam_free(&allocator, input, sizeof *input);
}

lam_status lam_extended_input_create(lam_input *inner, uint64_t kept, lam_buffer *tail,
                                     lam_input *ret_input, lam_error *error) {
    extended_input *input;
    lam_allocator allocator = tail->allocator;
    LAM_TRY(LAM_NEW(&allocator, &input, error));
    *input = (extended_input){.allocator = allocator, .inner = *inner, .kept = kept, .tail = *tail};
    *ret_input = (lam_input){.state = input,
                             .size = kept + tail->size,
                             .read_at = extended_read_at,
                             .borrow = extended_borrow,
                             .close = extended_close};
    memset(inner, 0, sizeof *inner);
    lam_buffer_init(tail, &allocator);
    return LAM_STATUS_OK;
}

lam_input lam_extended_input_release(lam_input *input) {
    extended_input *state = input->state;
    lam_input inner = state->inner;
    memset(&state->inner, 0, sizeof state->inner);
    lam_input_close(input);
    return inner;
}
