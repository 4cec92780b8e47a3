/* Copies of a few bytes without a call: most byte arrays are short. */
#ifndef LAM_ENCODING_SHORT_COPY_H
#define LAM_ENCODING_SHORT_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* As memcpy; either pointer may be NULL when `size` is 0. */
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
