/* SPDX-License-Identifier: Apache-2.0 */
/* A growing array of bytes. */
#ifndef LAM_BASE_BUFFER_H
#define LAM_BASE_BUFFER_H

#include <lamella/common.h>
#include <string.h>

typedef struct lam_buffer {
    lam_allocator allocator;
    uint8_t *data;
    size_t size;
    size_t capacity;
} lam_buffer;

/* Starts empty; allocates nothing yet. */
void lam_buffer_init(lam_buffer *buffer, const lam_allocator *allocator);
void lam_buffer_finish(lam_buffer *buffer);

/*
 * Makes room for `extra` bytes after `size`. The capacity at least doubles when it grows, unless a
 * budget forbids it. NOMEM, LIMIT.
 */
lam_status lam_buffer_grow(lam_buffer *buffer, size_t extra, lam_error *error);

/* The same, inline if there is room already. */
static inline lam_status lam_buffer_reserve(lam_buffer *buffer, size_t extra, lam_error *error) {
    if (extra <= buffer->capacity - buffer->size)
        return LAM_STATUS_OK;
    return lam_buffer_grow(buffer, extra, error);
}

/* Appends a copy of `bytes`, which must not be in the buffer. */
static inline lam_status lam_buffer_append(lam_buffer *buffer, const void *bytes, size_t size,
                                           lam_error *error) {
    lam_status status = lam_buffer_reserve(buffer, size, error);
    if (status != LAM_STATUS_OK)
        return status;
    if (size > 0)
        memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
    return LAM_STATUS_OK;
}

static inline lam_status lam_buffer_append_byte(lam_buffer *buffer, uint8_t byte,
                                                lam_error *error) {
    lam_status status = lam_buffer_reserve(buffer, 1, error);
    if (status != LAM_STATUS_OK)
        return status;
    buffer->data[buffer->size++] = byte;
    return LAM_STATUS_OK;
}

/* Empties the buffer and keeps its memory. */
static inline void lam_buffer_clear(lam_buffer *buffer) {
    buffer->size = 0;
}

/* The bytes, borrowed until the next change. */
static inline lam_bytes lam_buffer_bytes(const lam_buffer *buffer) {
    lam_bytes bytes = {buffer->data, buffer->size};
    return bytes;
}

#endif
