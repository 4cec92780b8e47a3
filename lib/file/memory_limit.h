/*
 * The memory limit of a file where the caller sets none. A page or a footer is no bomb for being
 * larger than 64 MiB where the file itself is large.
 */
#ifndef LAM_FILE_MEMORY_LIMIT_H
#define LAM_FILE_MEMORY_LIMIT_H

#include <stddef.h>
#include <stdint.h>

/* A limit as a size; half of all addresses at most. */
static inline uint64_t lam_memory_limit_cap(uint64_t limit) {
    return limit < SIZE_MAX / 2 ? limit : SIZE_MAX / 2;
}

/* For the footer of a file of `size` bytes, and for each of its columns by itself. */
static inline uint64_t lam_memory_limit_of_file(uint64_t size) {
    const uint64_t least = UINT64_C(64) << 20, per_byte = 8;
    uint64_t limit = size < UINT64_MAX / per_byte ? size * per_byte : UINT64_MAX;
    return lam_memory_limit_cap(limit > least ? limit : least);
}

/*
 * For what reads all columns at once: each holds a page and a dictionary, which most writers end at
 * 1 MiB.
 */
static inline uint64_t lam_memory_limit_of_columns(uint64_t limit, size_t leaf_count) {
    const uint64_t per_leaf = UINT64_C(2) << 20, most = UINT64_C(1) << 30;
    uint64_t more = leaf_count < most / per_leaf ? leaf_count * per_leaf : most;
    return lam_memory_limit_cap(limit < UINT64_MAX - more ? limit + more : UINT64_MAX);
}

#endif
