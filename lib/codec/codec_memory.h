/*
 * A lam_allocator for compression libraries, whose release does not name the size: each block
 * carries its size in front.
 */
#ifndef LAM_CODEC_CODEC_MEMORY_H
#define LAM_CODEC_CODEC_MEMORY_H

#include <lamella/common.h>

/* `allocator` is a lam_allocator. NULL when there is no memory. */
void *lam_codec_memory_allocate(void *allocator, size_t size);
/* NULL memory is allowed. */
void lam_codec_memory_release(void *allocator, void *memory);

#endif
