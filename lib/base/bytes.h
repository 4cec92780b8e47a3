/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Little-endian numbers to and from bytes at any address. The only code that knows the byte order
 * of the machine.
 */
#ifndef LAM_BASE_BYTES_H
#define LAM_BASE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LAM_BIG_ENDIAN 1
#else
#define LAM_BIG_ENDIAN 0
#endif

static inline uint16_t lam_swap16(uint16_t x) {
    return (uint16_t)(x << 8 | x >> 8);
}

static inline uint32_t lam_swap32(uint32_t x) {
    return x << 24 | (x & 0xFF00u) << 8 | (x >> 8 & 0xFF00u) | x >> 24;
}

static inline uint64_t lam_swap64(uint64_t x) {
    return (uint64_t)lam_swap32((uint32_t)x) << 32 | lam_swap32((uint32_t)(x >> 32));
}

/* memcpy of a constant size compiles to one load, and allows any alignment. */
static inline uint16_t lam_load_le16(const void *bytes) {
    uint16_t x;
    memcpy(&x, bytes, sizeof x);
    return LAM_BIG_ENDIAN ? lam_swap16(x) : x;
}

static inline uint32_t lam_load_le32(const void *bytes) {
    uint32_t x;
    memcpy(&x, bytes, sizeof x);
    return LAM_BIG_ENDIAN ? lam_swap32(x) : x;
}

static inline uint64_t lam_load_le64(const void *bytes) {
    uint64_t x;
    memcpy(&x, bytes, sizeof x);
    return LAM_BIG_ENDIAN ? lam_swap64(x) : x;
}

static inline void lam_store_le16(void *bytes, uint16_t x) {
    x = LAM_BIG_ENDIAN ? lam_swap16(x) : x;
    memcpy(bytes, &x, sizeof x);
}

static inline void lam_store_le32(void *bytes, uint32_t x) {
    x = LAM_BIG_ENDIAN ? lam_swap32(x) : x;
    memcpy(bytes, &x, sizeof x);
}

static inline void lam_store_le64(void *bytes, uint64_t x) {
    x = LAM_BIG_ENDIAN ? lam_swap64(x) : x;
    memcpy(bytes, &x, sizeof x);
}

/*
 * True when two names of one size are equal. Most names are short, and a call of memcmp costs more
 * than their comparison: two loads from the start and two that end at the end cover up to 16 bytes,
 * overlapping if there are fewer.
 */
static inline bool lam_same_name(const void *name_a, const void *name_b, size_t size) {
    const uint8_t *a = name_a, *b = name_b;
    uint64_t first_a, first_b, last_a, last_b;
    if (size > 16)
        return memcmp(a, b, size) == 0;
    if (size >= 8) {
        memcpy(&first_a, a, 8);
        memcpy(&first_b, b, 8);
        memcpy(&last_a, a + size - 8, 8);
        memcpy(&last_b, b + size - 8, 8);
        return first_a == first_b && last_a == last_b;
    }
    if (size >= 4) {
        uint32_t head_a, head_b, tail_a, tail_b;
        memcpy(&head_a, a, 4);
        memcpy(&head_b, b, 4);
        memcpy(&tail_a, a + size - 4, 4);
        memcpy(&tail_b, b + size - 4, 4);
        return head_a == head_b && tail_a == tail_b;
    }
    /* One to three bytes: first, middle and last are all of them. */
    return size == 0 || (a[0] == b[0] && a[size / 2] == b[size / 2] && a[size - 1] == b[size - 1]);
}

#endif
