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

/* The first gap that ends after an offset; the number of gaps if none does. */
static size_t find_gap(const lam_patched_input *patched, uint64_t offset) {
    size_t at;
    LAM_BISECT(at, 0, patched->gaps.count, patched->gaps.items[at].end <= offset);
    return at;
}

/* Bytes that a device could not read are not requested again, as each time may take seconds. */
static bool is_in_gap(const lam_patched_input *patched, uint64_t begin, uint64_t end) {
    size_t i = find_gap(patched, begin);
    const lam_input_range *gaps = patched->gaps.items;
    return i < patched->gaps.count && gaps[i].begin <= begin && end <= gaps[i].end;
}

/* Adds a gap, which is merged with the gaps that it touches. */
static lam_status add_gap(lam_patched_input *patched, uint64_t begin, uint64_t end,
                          const lam_error *failure, lam_error *error) {
    lam_input_range gap = {begin, end};
    size_t count = patched->gaps.count, first = begin > 0 ? find_gap(patched, begin - 1) : 0;
    size_t next = first;
    lam_input_range *gaps = patched->gaps.items;
    if (count == 0)
        patched->failure = *failure;
    for (; next < count && gaps[next].begin <= end; next++) {
        gap.begin = gaps[next].begin < gap.begin ? gaps[next].begin : gap.begin;
        gap.end = gaps[next].end > gap.end ? gaps[next].end : gap.end;
    }
    const size_t behind = count - next;
    if (next == first)
        LAM_TRY(LAM_LIST_ADD(&patched->gaps, &gap, error));
    gaps = patched->gaps.items;
    memmove(gaps + first + 1, gaps + next, behind * sizeof gap);
    patched->gaps.count = first + 1 + behind;
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
    const lam_patched_byte *bits = patched->bits.items;
    LAM_TRY(read_inner(patched, offset, size, buffer, error));
    for (size_t i = 0; i < patched->bits.count; i++)
        if (bits[i].offset >= offset && bits[i].offset - offset < size)
            ((uint8_t *)buffer)[bits[i].offset - offset] ^= bits[i].mask;
    return LAM_STATUS_OK;
}

/* A range with a bit in it is read, not lent. */
static const uint8_t *patched_borrow(void *state, uint64_t offset, size_t size) {
    const lam_patched_input *patched = state;
    const lam_patched_byte *bits = patched->bits.items;
    for (size_t i = 0; i < patched->bits.count; i++)
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
    LAM_LIST_INIT(&patched->bits, allocator);
    LAM_LIST_INIT(&patched->gaps, allocator);
}

void lam_patched_input_finish(lam_patched_input *patched) {
    LAM_LIST_FINISH(&patched->bits);
    LAM_LIST_FINISH(&patched->gaps);
}

lam_status lam_patched_input_flip(lam_patched_input *patched, uint64_t offset, uint8_t mask,
                                  lam_error *error) {
    const lam_patched_byte one = {offset, mask};
    return LAM_LIST_ADD(&patched->bits, &one, error);
}

bool lam_patched_input_has_bit(const lam_patched_input *patched, uint64_t begin, uint64_t end) {
    size_t count = patched->bits.count, i = 0;
    const lam_patched_byte *bits = patched->bits.items;
    while (i < count && (bits[i].offset < begin || bits[i].offset >= end))
        i++;
    return i < count;
}

bool lam_patched_input_has_gap(const lam_patched_input *patched, uint64_t begin, uint64_t end,
                               lam_error *ret_failure) {
    size_t i = find_gap(patched, begin);
    const lam_input_range *gaps = patched->gaps.items;
    if (i == patched->gaps.count || gaps[i].begin >= end)
        return false;
    if (ret_failure != NULL) {
        *ret_failure = patched->failure;
        ret_failure->offset = (int64_t)(gaps[i].begin > begin ? gaps[i].begin : begin);
    }
    return true;
}
