/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes outputs of memory that grows, and closes outputs of any kind. Takes bytes in the order of
 * the file, and lends the same bytes at any time before close.
 *
 * The buffer and its bytes always come from one allocator, which the buffer itself keeps for close.
 */
#include <lamella/io.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/error.h"

/* The state is the buffer. */
static lam_status memory_write(void *state, const void *data, size_t size, lam_error *error) {
    return lam_buffer_append(state, data, size, error);
}

/* Nothing to make durable; the bytes stay until close. */
static lam_status memory_finish(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

/* The allocator is copied out of the buffer that it frees. */
static void memory_close(void *state) {
    lam_buffer *buffer = state;
    lam_allocator allocator = buffer->allocator;
    lam_buffer_finish(buffer);
    lam_free(&allocator, buffer, sizeof *buffer);
}

lam_status lam_output_memory(const lam_allocator *allocator, lam_output *ret_output,
                             lam_error *error) {
    lam_allocator chosen = lam_allocator_or_default(allocator);
    void *buffer;
    LAM_TRY(lam_alloc(&chosen, sizeof(lam_buffer), &buffer, error));
    lam_buffer_init(buffer, &chosen);
    lam_output output = {buffer, memory_write, memory_finish, memory_close};
    *ret_output = output;
    return LAM_STATUS_OK;
}

lam_bytes lam_output_memory_bytes(const lam_output *output) {
    return lam_buffer_bytes(output->state);
}
