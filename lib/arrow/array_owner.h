/*
 * The memory of Arrow arrays that leave the library: each array frees itself, whatever became of
 * its parent, of the stream and of the reader.
 *
 *     store    the allocator, and blocks that came back; lives as long as anything from it
 *     block    the bytes of one buffer, or of parts of several; counted, may be shared by arrays
 *     array    counts its blocks and owns the structs of its children
 */
#ifndef LAM_ARROW_ARRAY_OWNER_H
#define LAM_ARROW_ARRAY_OWNER_H

#include <lamella/arrow.h>

typedef struct lam_array_store lam_array_store;

/*
 * Memory is slow when it is touched for the first time: large blocks that come back are kept for
 * the next ones, as many bytes as the last batch took.
 */
lam_status lam_array_store_create(const lam_allocator *allocator, lam_array_store **ret_store,
                                  lam_error *error);
/*
 * A batch begins: what is taken from now on is its share, which must never be more than `most`
 * bytes at once; 0 is no bound.
 */
void lam_array_store_start_batch(lam_array_store *store, size_t most);
/* Bytes of blocks that the batch has taken and that did not come back. */
size_t lam_array_store_batch_size(lam_array_store *store);
/* No more blocks will be wanted: nothing is kept any longer. NULL is allowed. */
void lam_array_store_drop(lam_array_store *store);

/* Bytes at a multiple of 64, as many as a multiple of 64. From any thread. */
typedef struct lam_array_block {
    uint8_t *data;
    size_t capacity;
} lam_array_block;

enum { LAM_ARRAY_ALIGNMENT = 64 };

/* Room for at least `size` bytes, not cleared; one reference, the caller's. NOMEM, LIMIT. */
lam_status lam_array_block_create(lam_array_store *store, size_t size, lam_array_block **ret_block,
                                  lam_error *error);
lam_array_block *lam_array_block_share(lam_array_block *block);
void lam_array_block_drop(lam_array_block *block); /* NULL is allowed */

/*
 * Makes room for `size` bytes in a block that only the caller has, of which `used` are kept; it may
 * move, and grows by half at least. `*block` may be NULL. On failure it is as it was.
 */
lam_status lam_array_block_reserve(lam_array_store *store, lam_array_block **block, size_t used,
                                   size_t size, lam_error *error);

/*
 * An array of zeros: no buffers yet, children and dictionary that are released. Its struct, and
 * those of the children, may be moved as the C data interface says. NOMEM.
 */
lam_status lam_array_create(lam_array_store *store, size_t buffer_count, size_t child_count,
                            bool has_dictionary, struct ArrowArray *ret_array, lam_error *error);

/* Buffer `index` is what the block holds; the caller's reference becomes the array's. */
void lam_array_give(struct ArrowArray *array, size_t index, lam_array_block *block);

/* The array is to have no buffer `index` after all. */
void lam_array_take_back(struct ArrowArray *array, size_t index);

/* The block behind buffer `index` of an array made here; NULL when there is none. */
lam_array_block *lam_array_block_of(const struct ArrowArray *array, size_t index);

/* Releases an array unless that has been done. */
static inline void lam_array_release(struct ArrowArray *array) {
    if (array->release != NULL)
        array->release(array);
}

#endif
