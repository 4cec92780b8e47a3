/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows an input with the bits at some positions flipped, as an input of the same size.
 *
 *     inner      15 00 15 a8 ...  cannot be read  ...
 *     bits             ^^ 0x40                           found by repairs of page headers
 *     patched    15 00 55 a8 ...  00 00 00 00     ...    while gaps are passed, else a failure
 *
 * The invariant: the inner input is only read, and bytes without a bit and outside of gaps are its
 * own. There are few bits, at most one for each page header, so an unsorted list is searched. Gaps
 * are in order, and do not touch each other.
 */
#include "io/patched_input.h"

#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/thread/stop.h"

enum { GAP_BYTES = 4 << 10 }; /* tried at a time after a failed read: a page of memory */

/* Bytes that could not be read. */
typedef struct input_gap {
    uint64_t begin;
    uint64_t end;
} input_gap;

typedef struct patched_bit {
    uint64_t offset;
    uint8_t mask;
} patched_bit;

static const patched_bit *bits_of(const lam_patched_input *patched, size_t *ret_count) {
    *ret_count = patched->bits.size / sizeof(patched_bit);
    return (const patched_bit *)(const void *)patched->bits.data;
}

static input_gap *gaps_of(const lam_patched_input *patched, size_t *ret_count) {
    *ret_count = patched->gaps.size / sizeof(input_gap);
    return (input_gap *)(void *)patched->gaps.data;
}

/* The first gap that ends after an offset; the number of gaps if none does. */
static size_t find_gap(const lam_patched_input *patched, uint64_t offset) {
    size_t count, at;
    const input_gap *gaps = gaps_of(patched, &count);
    LAM_BISECT(at, 0, count, gaps[at].end <= offset);
    return at;
}

/* Bytes that a device could not read are not requested again, as each time may take seconds. */
static bool is_in_gap(const lam_patched_input *patched, uint64_t begin, uint64_t end) {
    size_t count, i = find_gap(patched, begin);
    const input_gap *gaps = gaps_of(patched, &count);
    return i < count && gaps[i].begin <= begin && end <= gaps[i].end;
}

/* Adds a gap, which is merged with the gaps that it touches. */
static lam_status add_gap(lam_patched_input *patched, uint64_t begin, uint64_t end,
                          const lam_error *failure, lam_error *error) {
    input_gap gap = {begin, end};
    size_t count, first = begin > 0 ? find_gap(patched, begin - 1) : 0, next = first;
    input_gap *gaps = gaps_of(patched, &count);
    if (count == 0)
        patched->failure = *failure;
    for (; next < count && gaps[next].begin <= end; next++) {
        gap.begin = gaps[next].begin < gap.begin ? gaps[next].begin : gap.begin;
        gap.end = gaps[next].end > gap.end ? gaps[next].end : gap.end;
    }
    const size_t behind = count - next;
    if (next == first)
        LAM_TRY(lam_buffer_append(&patched->gaps, &gap, sizeof gap, error));
    gaps = gaps_of(patched, &count);
    memmove(gaps + first + 1, gaps + next, behind * sizeof gap);
    patched->gaps.size = (first + 1 + behind) * sizeof gap;
    gaps[first] = gap;
    return LAM_STATUS_OK;
}

/* Reads piece by piece what could not be read in one go; bytes that cannot be read are zeros. */
static lam_status read_around_gaps(lam_patched_input *patched, uint64_t offset, size_t size,
                                   uint8_t *buffer, lam_error *error) {
    for (size_t done = 0; done < size;) {
        lam_error failure = lam_error_none();
        uint64_t at = offset + done;
        size_t left = size - done, piece = GAP_BYTES - (size_t)(at % GAP_BYTES);
        piece = piece < left ? piece : left;
        lam_status status = LAM_STATUS_OK;
        bool is_gap = is_in_gap(patched, at, at + piece);
        LAM_TRY(lam_stop_check(patched->stop, error));
        if (!is_gap)
            status =
                patched->inner.read_at(patched->inner.state, at, piece, buffer + done, &failure);
        if (status == LAM_STATUS_IO) {
            is_gap = true;
            status = add_gap(patched, at, at + piece, &failure, &failure);
        }
        if (status != LAM_STATUS_OK) {
            if (error != NULL)
                *error = failure;
            return status;
        }
        if (is_gap)
            memset(buffer + done, 0, piece);
        done += piece;
    }
    return LAM_STATUS_OK;
}

/* Reads bytes as the file has them. */
static lam_status read_inner(lam_patched_input *patched, uint64_t offset, size_t size,
                             uint8_t *buffer, lam_error *error) {
    lam_error failure = lam_error_none();
    if (patched->passes_gaps && lam_patched_input_has_gap(patched, offset, offset + size, NULL))
        return read_around_gaps(patched, offset, size, buffer, error);
    lam_status status =
        patched->inner.read_at(patched->inner.state, offset, size, buffer, &failure);
    if (status == LAM_STATUS_IO && patched->passes_gaps)
        return read_around_gaps(patched, offset, size, buffer, error);
    if (status != LAM_STATUS_OK && error != NULL)
        *error = failure;
    return status;
}

static lam_status patched_read_at(void *state, uint64_t offset, size_t size, void *buffer,
                                  lam_error *error) {
    lam_patched_input *patched = state;
    size_t count;
    const patched_bit *bits = bits_of(patched, &count);
    LAM_TRY(read_inner(patched, offset, size, buffer, error));
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
    patched->passes_gaps = false;
    patched->stop = NULL;
    patched->failure = lam_error_none();
    lam_buffer_init(&patched->bits, allocator);
    lam_buffer_init(&patched->gaps, allocator);
}

void lam_patched_input_finish(lam_patched_input *patched) {
    lam_buffer_finish(&patched->bits);
    lam_buffer_finish(&patched->gaps);
}

lam_status lam_patched_input_flip(lam_patched_input *patched, uint64_t offset, uint8_t mask,
                                  lam_error *error) {
    const patched_bit one = {offset, mask};
    return lam_buffer_append(&patched->bits, &one, sizeof one, error);
}

bool lam_patched_input_has_bit(const lam_patched_input *patched, uint64_t begin, uint64_t end) {
    size_t count, i = 0;
    const patched_bit *bits = bits_of(patched, &count);
    while (i < count && (bits[i].offset < begin || bits[i].offset >= end))
        i++;
    return i < count;
}

bool lam_patched_input_has_gap(const lam_patched_input *patched, uint64_t begin, uint64_t end,
                               lam_error *ret_failure) {
    size_t count, i = find_gap(patched, begin);
    const input_gap *gaps = gaps_of(patched, &count);
    if (i == count || gaps[i].begin >= end)
        return false;
    if (ret_failure != NULL) {
        *ret_failure = patched->failure;
        ret_failure->offset = (int64_t)(gaps[i].begin > begin ? gaps[i].begin : begin);
    }
    return true;
}
