/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows an input with some bits turned over. In: an input, and the positions of bits. Out: an input
 * of the same size.
 *
 *     inner      15 00 15 a8 ...
 *     bits             ^^ 0x40          found by whoever repairs a page header
 *     patched    15 00 55 a8 ...
 *
 * The invariant: the inner input is only read, and bytes without a bit are its own. There are few
 * bits, at most one for each page header, so that a list without an order is searched.
 */
#include "io/patched_input.h"

#include "base/error.h"

typedef struct patched_bit {
    uint64_t offset;
    uint8_t mask;
} patched_bit;

static const patched_bit *bits_of(const lam_patched_input *patched, size_t *ret_count) {
    *ret_count = patched->bits.size / sizeof(patched_bit);
    return (const patched_bit *)(const void *)patched->bits.data;
}

static lam_status patched_read_at(void *state, uint64_t offset, size_t size, void *buffer,
                                  lam_error *error) {
    const lam_patched_input *patched = state;
    size_t count;
    const patched_bit *bits = bits_of(patched, &count);
    LAM_TRY(patched->inner.read_at(patched->inner.state, offset, size, buffer, error));
    for (size_t i = 0; i < count; i++)
        if (bits[i].offset >= offset && bits[i].offset - offset < size)
            ((uint8_t *)buffer)[bits[i].offset - offset] ^= bits[i].mask;
    return LAM_STATUS_OK;
}

/* A range with a bit in it is read, not lent. */
static const uint8_t *patched_borrow(void *state, uint64_t offset, size_t size) {
    const lam_patched_input *patched = state;
    size_t count;
    const patched_bit *bits = bits_of(patched, &count);
    for (size_t i = 0; i < count; i++)
        if (bits[i].offset >= offset && bits[i].offset - offset < size)
            return NULL;
    return patched->inner.borrow(patched->inner.state, offset, size);
}

void lam_patched_input_init(lam_patched_input *patched, const lam_input *inner,
                            const lam_allocator *allocator) {
    patched->inner = *inner;
    patched->input = (lam_input){.state = patched,
                                 .size = inner->size,
                                 .read_at = patched_read_at,
                                 .borrow = inner->borrow == NULL ? NULL : patched_borrow};
    lam_buffer_init(&patched->bits, allocator);
}

void lam_patched_input_finish(lam_patched_input *patched) {
    lam_buffer_finish(&patched->bits);
}

lam_status lam_patched_input_flip(lam_patched_input *patched, uint64_t offset, unsigned bit,
                                  lam_error *error) {
    const patched_bit one = {offset, (uint8_t)(1u << bit)};
    return lam_buffer_append(&patched->bits, &one, sizeof one, error);
}
