/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies a few bytes without a call: most byte arrays are short. Up to 16 bytes are copied by two
 * moves that overlap, which needs no loop and no branch for each size:
 *
 *     11 bytes:   01234567         bytes 0 to 7
 *                    3456789A      bytes 3 to 10, of which 3 to 7 are written twice
 */
#ifndef LAM_ENCODING_SHORT_COPY_H
#define LAM_ENCODING_SHORT_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Copies as memcpy does, exactly `size` bytes; either pointer may be NULL when `size` is 0. The
 * ranges must not overlap.
 */
static inline void lam_copy_short(uint8_t *to, const uint8_t *from, size_t size) {
    if (size > 16) {
        memcpy(to, from, size);
    } else if (size >= 8) {
        memcpy(to, from, 8);
        memcpy(to + size - 8, from + size - 8, 8);
    } else if (size >= 4) {
        memcpy(to, from, 4);
        memcpy(to + size - 4, from + size - 4, 4);
    } else if (size > 0) {
        to[0] = from[0];
        to[size / 2] = from[size / 2];
        to[size - 1] = from[size - 1];
    }
}

#endif
