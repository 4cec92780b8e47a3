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

/* What all lists have in common. */
typedef struct lam_list {
    lam_allocator allocator;
    void *items;
    size_t count;
    size_t capacity; /* bytes of `items` */
} lam_list;

/* A type of its own at each use: name it (typedef) where functions take one. */
#define LAM_LIST(type)                                                                             \
    union {                                                                                        \
        lam_list any;                                                                              \
        struct {                                                                                   \
            lam_allocator allocator;                                                               \
            type *items;                                                                           \
            size_t count;                                                                          \
            size_t capacity;                                                                       \
        };                                                                                         \
    }

/* Starts empty; allocates nothing yet. */
#define LAM_LIST_INIT(list, given) lam_list_init(&(list)->any, (given))

/* Leaves an empty list, which may be used again. */
#define LAM_LIST_FINISH(list) lam_list_finish(&(list)->any)

/* Makes room for `extra` elements more, as a buffer would. NOMEM, LIMIT. */
#define LAM_LIST_RESERVE(list, extra, error)                                                       \
    lam_list_reserve(&(list)->any, (extra), sizeof *(list)->items, (error))

/* Adds a copy of `*item`, which is of the list's type and outside of it. NOMEM, LIMIT. */
#define LAM_LIST_ADD(list, item, error)                                                            \
    lam_list_add(&(list)->any, true ? (item) : (list)->items, sizeof *(list)->items, (error))

/* The last element of a list that is not empty. */
#define LAM_LIST_LAST(list) ((list)->items[(list)->count - 1])

/* What stands behind the macros; `size` is that of an element. */
void lam_list_init(lam_list *list, const lam_allocator *allocator);
void lam_list_finish(lam_list *list);
lam_status lam_list_grow(lam_list *list, size_t extra, size_t size, lam_error *error);
lam_status lam_list_add(lam_list *list, const void *item, size_t size, lam_error *error);

/* Inline if there is room already. */
static inline lam_status lam_list_reserve(lam_list *list, size_t extra, size_t size,
                                          lam_error *error) {
    if (extra <= (list->capacity - list->count * size) / size)
        return LAM_STATUS_OK;
    return lam_list_grow(list, extra, size, error);
}

#endif
