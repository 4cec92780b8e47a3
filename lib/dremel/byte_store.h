/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stack of bytes that never move: the shredder keeps the bytes of its byte arrays here, so that
 * the lam_bytes of a column can point to them.
 *
 *     first                        current
 *     [ bytes of values ]  --->  [ bytes of values | next ... left ]  --->  [ kept for later ]
 *
 * Rewinding to a mark and clearing never free memory: the chunks after `current` are filled again.
 */
#ifndef LAM_DREMEL_BYTE_STORE_H
#define LAM_DREMEL_BYTE_STORE_H

#include <lamella/common.h>
#include <string.h>

typedef struct lam_byte_chunk lam_byte_chunk;

typedef struct lam_byte_store {
    lam_byte_chunk *first;
    lam_byte_chunk *current; /* NULL when no byte is in use */
    uint8_t *next;           /* free bytes of the current chunk */
    size_t left;
} lam_byte_store;

/* A position to rewind to. Valid until the store is rewound before it or finished. */
typedef struct lam_byte_mark {
    lam_byte_chunk *current;
    uint8_t *next;
} lam_byte_mark;

/* Frees all chunks. A store that is all zero is empty and needs no init. */
void lam_byte_store_finish(lam_byte_store *store, const lam_allocator *allocator);

/*
 * Makes a chunk with `size` free bytes the current one; the rest of the previous one stays unused.
 * NOMEM.
 */
lam_status lam_byte_store_grow(lam_byte_store *store, size_t size, const lam_allocator *allocator,
                               lam_error *error);

/*
 * Copies `bytes`; the copy stays valid and in place until the store is rewound to a mark before it.
 */
static inline lam_status lam_byte_store_push(lam_byte_store *store, lam_bytes bytes,
                                             const lam_allocator *allocator,
                                             const uint8_t **ret_copy, lam_error *error) {
    if (bytes.size > store->left) {
        lam_status status = lam_byte_store_grow(store, bytes.size, allocator, error);
        if (status != LAM_STATUS_OK)
            return status;
    }
    *ret_copy = store->next;
    if (bytes.size > 0) {
        memcpy(store->next, bytes.data, bytes.size);
        store->next += bytes.size;
        store->left -= bytes.size;
    }
    return LAM_STATUS_OK;
}

/* The present end of the bytes, for a later rewind. */
static inline lam_byte_mark lam_byte_store_mark(const lam_byte_store *store) {
    lam_byte_mark mark = {store->current, store->next};
    return mark;
}

/* Discards the bytes pushed since the mark. */
void lam_byte_store_rewind(lam_byte_store *store, lam_byte_mark mark);

/* Bytes pushed and not discarded. */
size_t lam_byte_store_size(const lam_byte_store *store);

#endif
