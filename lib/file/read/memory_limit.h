/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives the memory limit from the file if the caller sets none. A fixed limit would refuse honest
 * files: a page or a footer above 64 MiB is doubtful in a small file and normal in a large one.
 *
 *     file 1 MiB, 10 leaves     64 MiB + 10 * 2 MiB =  84 MiB for each handle
 *     file 1 GiB, 10 leaves      8 GiB + 10 * 2 MiB
 */
#ifndef LAM_FILE_READ_MEMORY_LIMIT_H
#define LAM_FILE_READ_MEMORY_LIMIT_H

#include <stddef.h>
#include <stdint.h>

/* Caps a limit at half of the address space, so that two sizes below it add up to a size_t. */
static inline uint64_t lam_memory_limit_cap(uint64_t limit) {
    return limit < SIZE_MAX / 2 ? limit : SIZE_MAX / 2;
}

/*
 * The limit for the footer of a file of `size` bytes, and the share of a handle's limit that does
 * not depend on its columns: 8 bytes of memory for each byte of the file, which may be compressed.
 */
static inline uint64_t lam_memory_limit_of_file(uint64_t size) {
    const uint64_t least = UINT64_C(64) << 20, per_byte = 8;
    uint64_t limit = size < UINT64_MAX / per_byte ? size * per_byte : UINT64_MAX;
    return lam_memory_limit_cap(limit > least ? limit : least);
}

/*
 * Adds the share of the columns for handles that read all of them at once: each column holds a page
 * and a dictionary, which most writers end at 1 MiB. At most 1 GiB is added, for 512 leaves and
 * more.
 */
static inline uint64_t lam_memory_limit_of_columns(uint64_t limit, size_t leaf_count) {
    const uint64_t per_leaf = UINT64_C(2) << 20, most = UINT64_C(1) << 30;
    uint64_t more = leaf_count < most / per_leaf ? leaf_count * per_leaf : most;
    return lam_memory_limit_cap(limit + more); /* no overflow: the limit was capped before */
}

#endif
