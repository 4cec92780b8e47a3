/* SNAPPY blocks back to bytes; see snappy_expand.c for the format. */
#ifndef LAM_CODEC_SNAPPY_EXPAND_H
#define LAM_CODEC_SNAPPY_EXPAND_H

#include <lamella/common.h>

/* Takes the length from the front of a block; false when there is none. */
bool lam_snappy_length(lam_bytes *in, uint32_t *ret_length);

/* Expands what is behind the length to exactly `size` bytes; false when it is anything else. */
bool lam_snappy_expand(lam_bytes in, uint8_t *out, size_t size);

#endif
