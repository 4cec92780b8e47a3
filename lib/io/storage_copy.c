/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies a range of an input to the end of a file of a storage: takes any input and any file,
 * including those with the caller's callbacks, and appends the range in order. Memory is at most
 * one block, however large the range is, and none if the input lends its bytes.
 */
#include "io/storage_copy.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/error.h"

enum { COPY_BLOCK = 256 * 1024 }; /* bytes read and appended at a time */

static size_t copy_step(uint64_t size) {
    return size < COPY_BLOCK ? (size_t)size : COPY_BLOCK;
}

/* Appends the bytes that the input lends, and gives their number; 0 when it lends none. */
static lam_status append_borrowed(const lam_storage_file *file, const lam_input *input,
                                  uint64_t offset, uint64_t size, uint64_t *ret_done,
                                  lam_error *error) {
    uint64_t done = 0;
    while (done < size && input->borrow != NULL) {
        size_t step = copy_step(size - done);
        const uint8_t *bytes = input->borrow(input->state, offset + done, step);
        if (bytes == NULL)
            break;
        LAM_TRY(file->append(file->state, bytes, step, error));
        done += step;
    }
    *ret_done = done;
    return LAM_STATUS_OK;
}

static lam_status append_read(const lam_storage_file *file, const lam_input *input, uint64_t offset,
                              uint64_t size, void *block, lam_error *error) {
    while (size > 0) {
        size_t step = copy_step(size);
        LAM_TRY(input->read_at(input->state, offset, step, block, error));
        LAM_TRY(file->append(file->state, block, step, error));
        offset += step;
        size -= step;
    }
    return LAM_STATUS_OK;
}

lam_status lam_storage_copy_plain(const lam_storage_file *file, const lam_input *input,
                                  uint64_t offset, uint64_t size, lam_error *error) {
    lam_allocator allocator = lam_allocator_default();
    uint64_t done;
    void *block;
    if (offset > input->size || size > input->size - offset)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "%" PRIu64 " bytes at %" PRIu64 " lie beyond the end of the input at %" PRIu64,
                 size, offset, input->size);
    LAM_TRY(append_borrowed(file, input, offset, size, &done, error));
    if (done == size)
        return LAM_STATUS_OK;
    size_t capacity = copy_step(size - done);
    LAM_TRY(lam_alloc(&allocator, capacity, &block, error));
    lam_status status = append_read(file, input, offset + done, size - done, block, error);
    lam_free(&allocator, block, capacity);
    return status;
}

lam_status lam_storage_copy(const lam_storage_file *file, const lam_input *input, uint64_t offset,
                            uint64_t size, lam_error *error) {
    return file->copy != NULL ? file->copy(file->state, input, offset, size, error)
                              : lam_storage_copy_plain(file, input, offset, size, error);
}

lam_status lam_storage_copy_into(void *file, const lam_input *input, uint64_t offset, uint64_t size,
                                 lam_error *error) {
    return lam_storage_copy(file, input, offset, size, error);
}
