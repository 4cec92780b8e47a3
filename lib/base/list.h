/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing array of elements of one type.
 *
 *     LAM_LIST(lam_bytes) names;
 *     LAM_LIST_INIT(&names, allocator);
 *     LAM_TRY(LAM_LIST_ADD(&names, &name, error));
 *     for (size_t i = 0; i < names.count; i++)
 *         show(names.items[i]);
 *     LAM_LIST_FINISH(&names);
 *
 * Elements may be removed from the end by setting `count`.
 */
#ifndef LAM_BASE_LIST_H
#define LAM_BASE_LIST_H

#include "base/buffer.h"

/* A type of its own at each use: name it (typedef) where functions take one. */
#define LAM_LIST(type)                                                                             \
    union {                                                                                        \
        lam_buffer any; /* of any type: its `size` counts elements */                              \
        struct {                                                                                   \
            lam_allocator allocator;                                                               \
            type *items;                                                                           \
            size_t count;                                                                          \
            size_t capacity; /* bytes */                                                           \
        };                                                                                         \
    }

/* Starts empty; allocates nothing yet. */
#define LAM_LIST_INIT(list, given) lam_buffer_init(&(list)->any, (given))

/* Leaves an empty list, which may be used again. */
#define LAM_LIST_FINISH(list) lam_buffer_finish(&(list)->any)

/* Makes room for `extra` elements more, as a buffer would. NOMEM, LIMIT. */
#define LAM_LIST_RESERVE(list, extra, error)                                                       \
    lam_list_reserve(&(list)->any, (extra), sizeof *(list)->items, (error))

/* Adds a copy of `*item`, which is of the list's type and outside of it. NOMEM, LIMIT. */
#define LAM_LIST_ADD(list, item, error) LAM_LIST_APPEND(list, item, 1, error)

/* The same with `number` items; these may be NULL if there are none. */
#define LAM_LIST_APPEND(list, given, number, error)                                                \
    lam_list_append(&(list)->any, true ? (given) : (list)->items, (number), sizeof *(list)->items, \
                    (error))

/* Forgets the elements for `number` others, whose contents are undefined. NOMEM, LIMIT. */
#define LAM_LIST_RESIZE(list, number, error)                                                       \
    lam_list_resize(&(list)->any, (number), sizeof *(list)->items, (error))

/* The last element of a list that is not empty. */
#define LAM_LIST_LAST(list) ((list)->items[(list)->count - 1])

/* What stands behind the macros; `size` is that of an element. */
lam_status lam_list_grow(lam_buffer *list, size_t extra, size_t size, lam_error *error);
lam_status lam_list_append(lam_buffer *list, const void *items, size_t count, size_t size,
                           lam_error *error);
lam_status lam_list_resize(lam_buffer *list, size_t count, size_t size, lam_error *error);

/* Inline if there is room already. */
static inline lam_status lam_list_reserve(lam_buffer *list, size_t extra, size_t size,
                                          lam_error *error) {
    if (extra <= (list->capacity - list->size * size) / size)
        return LAM_STATUS_OK;
    return lam_list_grow(list, extra, size, error);
}

#endif
