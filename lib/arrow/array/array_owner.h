/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Owns the memory of Arrow arrays that leave the library: each array frees itself, whatever became
 * of its parent, of the stream and of the reader.
 *
 *     store    the allocator, and blocks that came back; lives as long as anything made from it
 *     block    the bytes of one buffer, or of several; counts references, may be shared by arrays
 *     array    holds references to its blocks and owns the structs of its children
 */
#ifndef LAM_ARROW_ARRAY_ARRAY_OWNER_H
#define LAM_ARROW_ARRAY_ARRAY_OWNER_H

#include <lamella/arrow.h>

typedef struct lam_array_store lam_array_store;

/*
 * Creates a store. Memory is slow when it is touched for the first time, so large blocks that come
 * back are kept for reuse, up to as many bytes as the largest batch took.
 */
lam_status lam_array_store_create(const lam_allocator *allocator, lam_array_store **ret_store,
                                  lam_error *error);
/*
 * Starts a batch: memory taken from now on counts as its own, and may be at most `most` bytes at
 * once; 0 is no limit.
 */
void lam_array_store_start_batch(lam_array_store *store, size_t most);
/* Bytes of blocks that the batch has taken and that have not come back. */
size_t lam_array_store_batch_size(lam_array_store *store);
/*
 * Drops the owner's reference: blocks are kept no longer, and the store goes with the last array.
 * NULL is allowed.
 */
void lam_array_store_drop(lam_array_store *store);

/*
 * Bytes at a multiple of 64, a multiple of 64 in number. May be shared and dropped on any thread.
 */
typedef struct lam_array_block {
    uint8_t *data;
    size_t capacity;
} lam_array_block;

enum { LAM_ARRAY_ALIGNMENT = 64 };

/* Room for at least `size` bytes, not cleared, with one reference, the caller's. NOMEM, LIMIT. */
lam_status lam_array_block_create(lam_array_store *store, size_t size, lam_array_block **ret_block,
                                  lam_error *error);
lam_array_block *lam_array_block_share(lam_array_block *block);
void lam_array_block_drop(lam_array_block *block); /* NULL is allowed */

/*
 * Makes room for `size` bytes in a block that only the caller refers to, and keeps the first `used`
 * of them. The block may move, and grows by half at least. `*block` may be NULL. On failure it
 * stays as it was.
 */
lam_status lam_array_block_reserve(lam_array_store *store, lam_array_block **block, size_t used,
                                   size_t size, lam_error *error);

/*
 * Makes an array of zeros: no buffers yet, children and dictionary in the released state. Its
 * struct, and those of the children, may be moved as the C data interface allows. NOMEM.
 */
lam_status lam_array_create(lam_array_store *store, size_t buffer_count, size_t child_count,
                            bool has_dictionary, struct ArrowArray *ret_array, lam_error *error);

/* Makes the block's bytes buffer `index`; the caller's reference becomes the array's. */
void lam_array_give(struct ArrowArray *array, size_t index, lam_array_block *block);

/* Drops buffer `index` of an array that does not need it after all. */
void lam_array_take_back(struct ArrowArray *array, size_t index);

/* The block that holds buffer `index` of an array made here, or NULL. */
lam_array_block *lam_array_block_of(const struct ArrowArray *array, size_t index);

/* Releases an array unless it is released already. */
static inline void lam_array_release(struct ArrowArray *array) {
    if (array->release != NULL)
        array->release(array);
}

#endif
