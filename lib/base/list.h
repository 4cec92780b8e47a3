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

#include <lamella/common.h>

#include "base/alloc.h"

/* A type of its own at each use: name it (typedef) where functions take one. */
#define LAM_LIST(type)                                                                             \
    struct {                                                                                       \
        lam_allocator allocator;                                                                   \
        type *items;                                                                               \
        size_t count;                                                                              \
        size_t capacity; /* bytes of `items` */                                                    \
    }

/* Starts empty; allocates nothing yet. */
#define LAM_LIST_INIT(list, given)                                                                 \
    ((list)->allocator = *(given), (list)->items = NULL, (list)->count = (list)->capacity = 0)

/* Leaves an empty list, which may be used again. */
#define LAM_LIST_FINISH(list)                                                                      \
    (lam_free(&(list)->allocator, (list)->items, (list)->capacity), (list)->items = NULL,          \
     (list)->count = (list)->capacity = 0)

/* Makes room for `extra` elements more, as a buffer would. NOMEM, LIMIT. */
#define LAM_LIST_RESERVE(list, extra, error)                                                       \
    lam_list_reserve(&(list)->allocator, &(list)->items, &(list)->capacity, (list)->count,         \
                     (extra), sizeof *(list)->items, (error))

/* Adds a copy of `*item`, which is of the list's type and outside of it. NOMEM, LIMIT. */
#define LAM_LIST_ADD(list, item, error)                                                            \
    lam_list_add(&(list)->allocator, &(list)->items, &(list)->capacity, &(list)->count,            \
                 true ? (item) : (list)->items, sizeof *(list)->items, (error))

/* The last element of a list that is not empty. */
#define LAM_LIST_LAST(list) ((list)->items[(list)->count - 1])

/* What stands behind the macros; `items` is the address of a pointer. */
lam_status lam_list_reserve(const lam_allocator *allocator, void *items, size_t *capacity,
                            size_t count, size_t extra, size_t size, lam_error *error);
lam_status lam_list_add(const lam_allocator *allocator, void *items, size_t *capacity,
                        size_t *count, const void *item, size_t size, lam_error *error);

#endif
