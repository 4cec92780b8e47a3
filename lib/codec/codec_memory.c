/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes the allocations of compression libraries to a lam_allocator. The libraries free a block
 * without its size, which a lam_allocator wants, so each block records it:
 *
 *   | size of it all | padding | the library's block ... |
 *   <---- PREFIX_SIZE bytes --->
 *
 * The invariant: the prefix is as long as the strictest alignment, so that the library's block is
 * aligned as the allocator's is. The failure is NULL; the caller turns it into a status.
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
