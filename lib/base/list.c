/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grows the arrays of lists. Takes the members of a list, whose type it does not know, and gives
 * room for more elements, or adds one. Memory grows as that of base/buffer.h does. The invariant: a
 * failure changes nothing, and `capacity` is what the allocator gave.
 */
#include "base/list.h"

#include <string.h>

#include "base/buffer.h"
#include "base/checked.h"
#include "base/error.h"

lam_status lam_list_reserve(const lam_allocator *allocator, void *items, size_t *capacity,
                            size_t count, size_t extra, size_t size, lam_error *error) {
    lam_buffer buffer = {.allocator = *allocator, .size = count * size, .capacity = *capacity};
    size_t bytes;
    if (!lam_mul_size(extra, size, &bytes))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu more elements", extra);
    memcpy(&buffer.data, items, sizeof buffer.data);
    LAM_TRY(lam_buffer_reserve(&buffer, bytes, error));
    memcpy(items, &buffer.data, sizeof buffer.data);
    *capacity = buffer.capacity;
    return LAM_STATUS_OK;
}

lam_status lam_list_add(const lam_allocator *allocator, void *items, size_t *capacity,
                        size_t *count, const void *item, size_t size, lam_error *error) {
    uint8_t *bytes;
    LAM_TRY(lam_list_reserve(allocator, items, capacity, *count, 1, size, error));
    memcpy(&bytes, items, sizeof bytes);
    memcpy(bytes + (*count)++ * size, item, size);
    return LAM_STATUS_OK;
}
