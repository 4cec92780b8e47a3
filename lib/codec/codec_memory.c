/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes the allocations of compression libraries to a lam_allocator. The libraries free a block
 * without its size, which a lam_allocator needs, so each block records it:
 *
 *   | size of it all | padding | the library's block ... |
 *   <---- PREFIX_SIZE bytes --->
 *
 * Takes a size, and gives a block, or NULL, which the caller turns into a status. The prefix is
 * always as long as the strictest alignment, so that the library's block is aligned like the
 * allocator's.
 */
#include "codec/codec_memory.h"

#include <stdalign.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"

enum { PREFIX_SIZE = alignof(max_align_t) };

void *lam_codec_memory_allocate(void *allocator, size_t size) {
    void *memory;
    if (!lam_add_size(size, PREFIX_SIZE, &size) ||
        lam_alloc(allocator, size, &memory, NULL) != LAM_STATUS_OK)
        return NULL;
    memcpy(memory, &size, sizeof size);
    return (uint8_t *)memory + PREFIX_SIZE;
}

void lam_codec_memory_release(void *allocator, void *memory) {
    if (memory == NULL)
        return;
    uint8_t *block = (uint8_t *)memory - PREFIX_SIZE;
    size_t size;
    memcpy(&size, block, sizeof size);
    lam_free(allocator, block, size);
}
