#include "codec/codec_memory.h"

#include <stdalign.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"

enum { FRONT = alignof(max_align_t) };

void *lam_codec_memory_allocate(void *allocator, size_t size) {
    void *memory;
    if (!lam_add_size(size, FRONT, &size) ||
        lam_alloc(allocator, size, &memory, NULL) != LAM_STATUS_OK)
        return NULL;
    memcpy(memory, &size, sizeof size);
    return (uint8_t *)memory + FRONT;
}

void lam_codec_memory_release(void *allocator, void *memory) {
    if (memory == NULL)
        return;
    uint8_t *block = (uint8_t *)memory - FRONT;
    size_t size;
    memcpy(&size, block, sizeof size);
    lam_free(allocator, block, size);
}
