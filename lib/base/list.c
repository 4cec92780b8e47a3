/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grows the arrays of lists. Takes a list, of whose elements it knows only the size, and gives room
 * for more of them, or adds some. Memory grows as that of base/buffer.h does. The invariant: a
 * failure changes nothing, and `capacity` is what the allocator gave.
 */
#include "base/list.h"

#include "base/checked.h"
#include "base/error.h"

lam_status lam_list_grow(lam_buffer *list, size_t extra, size_t size, lam_error *error) {
    size_t count = list->size, bytes;
    if (!lam_mul_size(extra, size, &bytes))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu more elements", extra);
    list->size = count * size;
    lam_status status = lam_buffer_grow(list, bytes, error);
    list->size = count;
    return status;
}

lam_status lam_list_append(lam_buffer *list, const void *items, size_t count, size_t size,
                           lam_error *error) {
    LAM_TRY(lam_list_grow(list, count, size, error));
    if (count > 0)
        memcpy(list->data + list->size * size, items, count * size);
    list->size += count;
    return LAM_STATUS_OK;
}

lam_status lam_list_resize(lam_buffer *list, size_t count, size_t size, lam_error *error) {
    list->size = 0;
    LAM_TRY(lam_list_grow(list, count, size, error));
    list->size = count;
    return LAM_STATUS_OK;
}
