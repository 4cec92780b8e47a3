/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes inputs of the caller's memory, and closes inputs of any kind. Takes bytes that the caller
 * keeps until close, and gives a lam_input that copies ranges and lends them.
 *
 * Ranges are not checked here: every reader always stays within `size` (io.h), for every input.
 */
#include <lamella/io.h>
#include <string.h>

#include "base/error.h"

/* The state is the first byte. memcpy may not get a NULL, which an empty input may have. */
static lam_status memory_read_at(void *state, uint64_t offset, size_t size, void *buffer,
                                 lam_error *error) {
    (void)error;
    if (size > 0)
        memcpy(buffer, (const uint8_t *)state + offset, size);
    return LAM_STATUS_OK;
}

/* Any range can be lent, for as long as the caller keeps the memory. */
static const uint8_t *memory_borrow(void *state, uint64_t offset, size_t size) {
    (void)size;
    return (const uint8_t *)state + offset;
}

/* The memory is only read; `state` has no const to say so. */
lam_input lam_input_memory(const void *data, size_t size) {
    lam_input input = {0};
    input.state = (void *)(uintptr_t)data;
    input.size = size;
    input.read_at = memory_read_at;
    input.borrow = data != NULL ? memory_borrow : NULL;
    return input;
}
