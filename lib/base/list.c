/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grows the arrays of lists. Takes a list, of whose elements it knows only the size, and gives room
 * for more of them, or adds one. Memory grows as that of base/buffer.h does. The invariant: a
 * failure changes nothing, and `capacity` is what the allocator gave.
 */
#include "base/list.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/checked.h"
#include "base/error.h"

void lam_list_init(lam_list *list, const lam_allocator *allocator) {
    *list = (lam_list){.allocator = *allocator};
}

void lam_list_finish(lam_list *list) {
    lam_free(&list->allocator, list->items, list->capacity);
    lam_list_init(list, &list->allocator);
}

lam_status lam_list_grow(lam_list *list, size_t extra, size_t size, lam_error *error) {
    lam_buffer buffer = {list->allocator, list->items, list->count * size, list->capacity};
    size_t bytes;
    if (!lam_mul_size(extra, size, &bytes))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu more elements", extra);
    LAM_TRY(lam_buffer_grow(&buffer, bytes, error));
    list->items = buffer.data;
    list->capacity = buffer.capacity;
    return LAM_STATUS_OK;
}

lam_status lam_list_add(lam_list *list, const void *item, size_t size, lam_error *error) {
    LAM_TRY(lam_list_reserve(list, 1, size, error));
    memcpy((uint8_t *)list->items + list->count++ * size, item, size);
    return LAM_STATUS_OK;
}
