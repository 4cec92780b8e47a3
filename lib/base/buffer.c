#include "base/buffer.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"

enum {
    BUFFER_SMALLEST_CAPACITY = 64,
    LEAST_GROWTH = 6 /* a part in 2^6 of what is there, unless more is asked for */
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
    lam_status status = lam_realloc(&buffer->allocator, &data, buffer->capacity, capacity, error);
    /* A budget without room for twice as much may have some for less, but never byte by byte. */
    for (int shift = 2; status == LAM_STATUS_LIMIT && shift <= LEAST_GROWTH; shift += 2) {
        capacity = needed < SIZE_MAX / 2 ? needed + (needed >> shift) : needed;
        status = lam_realloc(&buffer->allocator, &data, buffer->capacity, capacity, error);
    }
    if (status == LAM_STATUS_LIMIT && extra >= needed >> LEAST_GROWTH) {
        capacity = needed;
        status = lam_realloc(&buffer->allocator, &data, buffer->capacity, capacity, error);
    }
    LAM_TRY(status);
    buffer->data = data;
    buffer->capacity = capacity;
    return LAM_STATUS_OK;
}
