/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grows an array of bytes to a capacity for the number of further bytes needed, with the bytes so
 * far at its start, perhaps at another address. The capacity doubles, so that n bytes appended one
 * by one cost O(n); size <= capacity always, and a failure changes nothing.
 *
 * Near the end of a memory budget, doubling may be refused although the bytes themselves would fit:
 * then smaller steps are tried.
 */
#include "base/buffer.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"

enum {
    BUFFER_SMALLEST_CAPACITY = 64,
    LEAST_GROWTH = 6 /* grow by 1/2^6 of the size at least, unless more is needed */
};

void lam_buffer_init(lam_buffer *buffer, const lam_allocator *allocator) {
    memset(buffer, 0, sizeof *buffer);
    buffer->allocator = *allocator;
}

void lam_buffer_finish(lam_buffer *buffer) {
    lam_free(&buffer->allocator, buffer->data, buffer->capacity);
    buffer->data = NULL;
    buffer->size = 0;
    buffer->capacity = 0;
}

lam_status lam_buffer_grow(lam_buffer *buffer, size_t extra, lam_error *error) {
    size_t needed;
    if (!lam_add_size(buffer->size, extra, &needed))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu more bytes", extra);
    if (needed <= buffer->capacity)
        return LAM_STATUS_OK;
    size_t capacity = buffer->capacity > SIZE_MAX / 2 ? needed : buffer->capacity * 2;
    capacity = capacity < BUFFER_SMALLEST_CAPACITY ? BUFFER_SMALLEST_CAPACITY : capacity;
    capacity = capacity < needed ? needed : capacity;
    void *data = buffer->data;
    lam_error failure = lam_error_none(); /* of the last try */
    lam_status status =
        lam_realloc(&buffer->allocator, &data, buffer->capacity, capacity, &failure);
    /*
     * Under a budget without room for double: tries a quarter, a sixteenth and a sixty-fourth more
     * than needed, but no smaller step, as each one may copy all bytes.
     */
    for (int shift = 2; status == LAM_STATUS_LIMIT && shift <= LEAST_GROWTH; shift += 2) {
        capacity = needed < SIZE_MAX / 2 ? needed + (needed >> shift) : needed;
        status = lam_realloc(&buffer->allocator, &data, buffer->capacity, capacity, &failure);
    }
    /* Exactly what is needed, if that is a large step in itself. */
    if (status == LAM_STATUS_LIMIT && extra >= needed >> LEAST_GROWTH) {
        capacity = needed;
        status = lam_realloc(&buffer->allocator, &data, buffer->capacity, capacity, &failure);
    }
    if (status != LAM_STATUS_OK) {
        if (error != NULL)
            *error = failure;
        return status;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return LAM_STATUS_OK;
}
